#include "app/reading/changed_resources.hpp"

#include <algorithm>

#include "app/reading/metadata.hpp"

namespace gdalmcp::app {

bool is_changed(const std::string& uri, const outcome& o, const workspace::roots& roots) {
    const auto named = [&](const std::vector<std::string>& all) {
        return std::find(all.begin(), all.end(), uri) != all.end();
    };
    if (named(o.updated_uris)) return true;
    if (o.written_files.empty()) return false;
    if (uri.starts_with("catalog://workspace/")) return true;
    const auto about = file_of_metadata(uri);
    if (!about) return false;
    const auto file = roots.readable(*about);
    return file && std::any_of(o.written_files.begin(), o.written_files.end(), [&](const auto& written) {
               const auto same = roots.readable(written);
               return same && *same == *file;
           });
}

}  // namespace gdalmcp::app
