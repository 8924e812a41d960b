#include "app/reading/changed_resources.hpp"

#include <algorithm>

#include "app/reading/metadata.hpp"

namespace gdalmcp::app {

bool is_changed(const std::string& uri, const outcome& o, const workspace::roots& roots) {
    const auto named = [&, &all = o.updated_uris](const std::string& one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    };
    if (named(uri) || (uri.starts_with("reference://glossary/") && named(every_term))) return true;
    if (o.written_files.empty()) return false;
    if (uri.starts_with("catalog://workspace/")) return true;
    const auto about = file_of_metadata(uri);
    if (!about) return false;
    const auto file = roots.absolute(*about);
    if (!file) return false;
    const auto& all = o.written_files;
    return std::find(all.begin(), all.end(), file->lexically_normal().string()) != all.end();
}

}  // namespace gdalmcp::app
