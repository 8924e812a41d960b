#include "workspace/archive_member.hpp"

#include <array>

#include "base/text.hpp"

namespace gdalmcp::workspace {
namespace {

bool ends_in(std::string_view name, std::string_view with) {
    return name.size() > with.size() && name.substr(name.size() - with.size()) == with;
}

bool is_tar(std::string_view lower) {
    return ends_in(lower, ".tar") || ends_in(lower, ".tgz") || ends_in(lower, ".tar.gz");
}

bool is_archive(std::string_view lower) {
    return is_tar(lower) || ends_in(lower, ".zip") || ends_in(lower, ".kmz") || ends_in(lower, ".shz");
}

}  // namespace

std::optional<archive_member> archive_member::parse(std::string_view spelled) {
    for (const std::string_view prefix : {"/vsizip/", "/vsitar/"})
        if (spelled.substr(0, prefix.size()) == prefix) spelled.remove_prefix(prefix.size());
    for (auto slash = spelled.find('/', 1); slash != std::string_view::npos; slash = spelled.find('/', slash + 1)) {
        const auto archive = spelled.substr(0, slash), inside = spelled.substr(slash + 1);
        if (!inside.empty() && is_archive(base::lower_ascii(archive)))
            return archive_member{std::string{archive}, std::string{inside}};
    }
    return std::nullopt;
}

std::string archive_member::with_archive(const std::filesystem::path& path) const {
    return (is_tar(base::lower_ascii(archive)) ? "/vsitar/" : "/vsizip/") + path.string() + "/" + inside;
}

}  // namespace gdalmcp::workspace
