#include "workspace/sidecars.hpp"

#include <sys/stat.h>

#include <map>
#include <string_view>

#include "base/file_identity.hpp"
#include "base/text.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;

// Suffixes that replace the extension.
const std::vector<const char*>& beside(const std::string& extension) {
    static const std::map<std::string, std::vector<const char*>, std::less<>> table = {
        {".shp", {".dbf", ".shx", ".prj", ".cpg", ".qix", ".sbn", ".sbx", ".qpj"}},
        {".tif", {".tfw"}},
        {".tiff", {".tfw"}},
        {".png", {".pgw"}},
        {".jpg", {".jgw"}},
        {".jpeg", {".jgw"}},
        {".jp2", {".j2w"}},
        {".img", {".ige", ".rrd"}},
        {".gml", {".xsd", ".gfs"}},
        {".csv", {".csvt"}}};
    static const std::vector<const char*> none;
    const auto found = table.find(base::lower_ascii(extension));
    return found == table.end() ? none : found->second;
}

}  // namespace

std::vector<fs::path> possible_sidecars(const fs::path& primary) {
    std::vector<fs::path> list;
    for (const char* suffix : {".aux.xml", ".ovr", ".msk", "-wal", "-shm", "-journal", ".xml"}) {
        list.push_back(primary);
        list.back() += suffix;
    }
    const auto extension = primary.extension().string();
    for (const char* suffix : beside(extension)) {
        list.push_back(primary);
        list.back().replace_extension(suffix);
    }
    return list;
}

std::string dataset_state(const fs::path& primary) {
    constexpr int max_entries = 10'000;
    std::string state;
    const auto add = [&](const fs::path& p) {
        struct stat s {};
        if (::stat(p.c_str(), &s) != 0) return false;
        state += ":" + base::to_string(base::identity_of(s));
        state += "|" + p.string();
        return true;
    };
    if (!add(primary)) return {};
    std::error_code ec;
    if (!fs::is_directory(primary, ec)) {
        for (const auto& p : possible_sidecars(primary)) add(p);
        return state;
    }
    int left = max_entries;
    for (fs::directory_iterator it{primary, ec}, end; !ec && it != end && left-- > 0; it.increment(ec)) add(it->path());
    return state;
}

bool may_accompany(const fs::path& primary, const std::string& name) {
    const auto stem = primary.stem().string() + ".";
    return name.size() > stem.size() && name.compare(0, stem.size(), stem) == 0;
}

fs::path provenance_path(const fs::path& primary) {
    auto path = primary;
    path += ".provenance.json";
    return path;
}

}  // namespace gdalmcp::workspace
