// Whatever the text, parse_yaml answers with a value that can be written as JSON, or with a problem that says
// something.
#include <cstdint>
#include <cstdlib>

#include "base/yaml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace gdalmcp::base;
    const auto v = parse_yaml({reinterpret_cast<const char*>(bytes), size});
    if (!v && v.error().message.empty()) std::abort();
    if (v && write_json(*v).empty()) std::abort();
    return 0;
}
