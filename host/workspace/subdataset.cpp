#include "workspace/subdataset.hpp"

#include <algorithm>

namespace gdalmcp::workspace {
namespace {

// GTIFF_DIR:n:file and GTIFF_DIR:off:n:file: the file is what follows the number.
std::optional<subdataset> parse_directory(std::string_view spelled) {
    auto at = spelled.find(':') + 1;
    if (spelled.substr(at, 4) == "off:") at += 4;
    const auto end = spelled.find(':', at);
    if (end == std::string_view::npos || end == at || end + 1 == spelled.size()) return std::nullopt;
    if (spelled.substr(at, end - at).find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    return subdataset{std::string{spelled.substr(0, end + 1)}, std::string{spelled.substr(end + 1)}, "", false};
}

}  // namespace

std::optional<subdataset> subdataset::parse(std::string_view spelled) {
    const auto colon = spelled.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto driver = spelled.substr(0, colon);
    if (driver == "GTIFF_DIR") return parse_directory(spelled);
    if (driver != "NETCDF" && driver != "HDF5" && driver != "GPKG") return std::nullopt;
    subdataset s{std::string{spelled.substr(0, colon + 1)}, "", "", true};
    auto rest = spelled.substr(colon + 1);
    if (!rest.empty() && rest.front() == '"') {
        const auto end = rest.find('"', 1);
        if (end == std::string_view::npos) return std::nullopt;
        s.file = rest.substr(1, end - 1);
        s.after = rest.substr(end + 1);
    } else {
        const auto end = std::min(rest.find(':'), rest.size());
        s.file = rest.substr(0, end);
        s.after = rest.substr(end);
    }
    if (s.file.empty() || s.after.size() < 2 || s.after.front() != ':') return std::nullopt;
    return s;
}

std::string subdataset::with_file(const std::filesystem::path& path) const {
    return quoted ? before + '"' + path.string() + '"' + after : before + path.string() + after;
}

}  // namespace gdalmcp::workspace
