#include "reflection/timestamp.hpp"

#include <array>
#include <ctime>

namespace gdalmcp::reflection {

std::string timestamp_of(std::chrono::system_clock::time_point t) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(t.time_since_epoch()).count();
    const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    const auto fraction = std::to_string(1000 + ms % 1000).substr(1);
    return std::string{text.data()} + "." + fraction + "Z";
}

}  // namespace gdalmcp::reflection
