#include "workspace/file_uri.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace gdalmcp::workspace {
namespace {

constexpr std::string_view scheme = "file://";

}  // namespace

std::string file_uri(const std::filesystem::path& absolute) {
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=:@";
    constexpr char digits[] = "0123456789ABCDEF";
    std::string uri{scheme};
    for (const char c : absolute.string()) {
        if (plain.find(c) != std::string_view::npos) {
            uri += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            uri += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return uri;
}

base::result<std::filesystem::path> path_of_file_uri(std::string_view uri) {
    const auto refuse = [&](const char* why) {
        return base::fail(base::code::invalid_argument, "'" + std::string{uri} + "' " + why,
                          "write file:///absolute/path, with %20 for a blank");
    };
    if (base::lower_ascii(uri.substr(0, scheme.size())) != scheme) return refuse("is no file:// URI");
    auto rest = uri.substr(scheme.size());
    const auto slash = std::min(rest.find('/'), rest.size());
    const auto host = base::lower_ascii(rest.substr(0, slash));
    if (!host.empty() && host != "localhost") return refuse("names another host than localhost");
    rest.remove_prefix(slash);
    if (rest.find_first_of("?#") != std::string_view::npos) return refuse("has a query or fragment");
    const auto path = base::percent_decoded(rest);
    if (!path) return refuse("has a broken % escape");
    if (path->empty()) return refuse("has no path");
    return std::filesystem::path{*path};
}

}  // namespace gdalmcp::workspace
