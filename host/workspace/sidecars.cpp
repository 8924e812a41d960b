#include "workspace/sidecars.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <map>

#include "base/digest.hpp"
#include "base/file_identity.hpp"
#include "base/text.hpp"
#include "workspace/read_files.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* index_suffixes[] = {".ovr", ".ovr.msk", ".qix", ".sbn", ".sbx"};

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
        {".csv", {".csvt", ".prj"}}};
    static const std::vector<const char*> none;
    const auto found = table.find(base::lower_ascii(extension));
    return found == table.end() ? none : found->second;
}

std::string upper_ascii(std::string s) {
    std::transform(s.begin(), s.end(), s.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
    return s;
}

// Files some driver reads with a dataset of this name. Another dataset of the same stem may own them, so they are
// watched, but never moved or removed with it.
std::vector<fs::path> watched_files(const fs::path& primary) {
    auto list = possible_sidecars(primary);
    const auto extension = primary.extension().string();
    std::vector<std::string> suffixes = {".aux", ".wld", ".prj", ".hdr", ".tab", ".clr", ".stx", ".blw",
                                         ".map", ".dat", ".id",  ".ind", ".mid", ".rpb", ".sgrd"};
    if (extension.size() > 3)  // world files: dem.tif with dem.tfw or dem.tifw
        for (const auto& world : {extension.substr(0, 2) + extension.back() + "w", extension + "w"})
            suffixes.push_back(base::lower_ascii(world));
    suffixes.insert(suffixes.end(), beside(extension).begin(), beside(extension).end());
    for (const auto& suffix : suffixes)
        for (const auto& spelling : {suffix, upper_ascii(suffix)}) {
            list.push_back(primary);
            list.back().replace_extension(spelling);
        }
    for (const char* suffix : {".aux", ".hdr", ".msk.ovr", ".ovr.msk", ".vat.dbf", ".vat.cpg", ".properties"}) {
        list.push_back(primary);
        list.back() += suffix;
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    std::erase(list, primary);
    return list;
}

// Overviews, with those of masks, and spatial indexes of Shapefiles.
bool is_index(const fs::path& file) {
    const auto name = base::lower_ascii(file.filename().string());
    return std::any_of(std::begin(index_suffixes), std::end(index_suffixes),
                       [&](const char* suffix) { return name.ends_with(suffix); });
}

std::string state_of(const fs::path& primary, bool indexes) {
    constexpr std::size_t max_watched = 1000;  // of the files read: beyond, without their sidecars
    constexpr std::size_t max_written = 4096;  // of the state as text, which caches keep
    std::string state;
    const auto add = [&](const fs::path& p) {
        struct stat s {};
        if (::stat(p.c_str(), &s) != 0) return false;
        state += ":" + base::to_string(base::identity_of(s));
        state += "|" + p.string();
        return true;
    };
    const auto add_watched = [&](const fs::path& dataset) {
        for (const auto& p : watched_files(dataset))
            if (indexes || !is_index(p)) add(p);
    };
    if (!add(primary)) return {};
    add_watched(primary);
    std::error_code ec;
    const bool folder = fs::is_directory(primary, ec);
    std::size_t left = max_watched;
    for (const auto& file : read_files(primary)) {
        if (file == primary) continue;
        add(file);
        if (folder || left == 0) continue;
        --left;
        add_watched(file);
    }
    return state.size() > max_written ? base::sha256_hex(state) : state;
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

std::string dataset_state(const fs::path& primary) { return state_of(primary, true); }

std::string content_state(const fs::path& primary) { return state_of(primary, false); }

bool may_accompany(const fs::path& primary, const std::string& name) {
    const auto stem = primary.stem().string() + ".";
    return name.size() > stem.size() && name.compare(0, stem.size(), stem) == 0;
}

fs::path other_owner(const fs::path& file, const fs::path& target) {
    const auto belongs = [&](const fs::path& dataset) {
        const auto all = possible_sidecars(dataset);
        return dataset != file && std::find(all.begin(), all.end(), file) != all.end();
    };
    std::error_code ec;
    for (fs::directory_iterator it{target.parent_path(), ec}, end; !ec && it != end; it.increment(ec))
        if (it->path() != target && it->path().stem() == target.stem() && belongs(it->path())) return it->path();
    return {};
}

fs::path provenance_path(const fs::path& primary) {
    auto path = primary;
    path += ".provenance.json";
    return path;
}

}  // namespace gdalmcp::workspace
