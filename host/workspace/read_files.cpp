#include "workspace/read_files.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "workspace/archive_member.hpp"
#include "workspace/subdataset.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_files = 20'000;
constexpr int max_depth = 100;          // GDAL opens no more inside one another
constexpr std::size_t max_head = 1024;  // where GDAL looks for the root element
constexpr std::size_t max_text = 64u << 20;

bool is_vrt(std::string_view text) {
    const auto head = base::lower_ascii(text.substr(0, max_head));
    return head.find("<vrtdataset") != std::string::npos || head.find("<ogrvrtdatasource") != std::string::npos;
}

std::string decoded(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, char>, 5> entities{
        {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}}};
    std::string out;
    while (!text.empty()) {
        const auto* entity = std::find_if(entities.begin(), entities.end(),
                                          [&](const auto& one) { return text.starts_with(one.first); });
        out += entity == entities.end() ? text.front() : entity->second;
        text.remove_prefix(entity == entities.end() ? 1 : entity->first.size());
    }
    return out;
}

// The file in the name of a dataset: of a subdataset or a member of an archive that around it.
std::string file_in(const std::string& name) {
    if (const auto quote = name.find('"'); quote != std::string::npos)
        return name.substr(quote + 1, name.find('"', quote + 1) - quote - 1);
    if (const auto inside = subdataset::parse(name)) return inside->file;
    if (const auto inside = archive_member::parse(name)) return inside->archive;
    return name;
}

std::string read(std::ifstream& file, std::size_t limit) {
    std::string text;
    while (file && text.size() < limit) {
        char bytes[1 << 16];
        file.read(bytes, static_cast<std::streamsize>(std::min(sizeof bytes, limit - text.size())));
        text.append(bytes, static_cast<std::size_t>(file.gcount()));
    }
    return text;
}

// Without an XML parser, but as GDAL's takes names of elements, in either case. A name that is wrong only costs a look
// at a file.
void add_names(const std::string& vrt, std::vector<std::string>& names) {
    const auto lower = base::lower_ascii(vrt);
    for (auto at = lower.find("<s"); at != std::string::npos; at = lower.find("<s", at + 1)) {
        const auto element = std::string_view{lower}.substr(at + 1, 16);
        if (!element.starts_with("sourcefilename") && !element.starts_with("srcdatasource") &&
            !element.starts_with("sourcedataset"))
            continue;
        const auto begin = vrt.find('>', at), end = vrt.find('<', begin);
        if (begin == std::string::npos || end == std::string::npos) return;
        auto name = decoded(std::string_view{vrt}.substr(begin + 1, end - begin - 1));
        if (is_vrt(name))
            add_names(name, names);
        else if (auto file = file_in(name); !file.empty())
            names.push_back(std::move(file));
    }
}

// The names in a file that is a VRT.
std::vector<std::string> names_in(const fs::path& path) {
    std::vector<std::string> names;
    std::error_code ec;
    if (fs::file_size(path, ec) == 0) return names;  // as those of /proc, which may block
    std::ifstream file{path, std::ios::binary};
    auto text = read(file, max_head);
    if (!is_vrt(text)) return names;
    text += read(file, max_text - max_head);
    add_names(text, names);
    return names;
}

class collection {
public:
    void add(const fs::path& named, int depth = 0) {
        std::error_code ec;
        const auto path = named.lexically_normal();
        if (files_.size() >= max_files || depth > max_depth || !known_.insert(path).second) return;
        if (fs::is_directory(path, ec)) return add_folder(path);
        if (!fs::is_regular_file(path, ec)) return;
        files_.push_back(path);
        for (const auto& name : names_in(path)) add(path.parent_path() / name, depth + 1);
    }

    std::vector<fs::path> take() && { return std::move(files_); }

private:
    void add_folder(const fs::path& folder) {
        std::error_code ec, none;
        const auto first = files_.size();
        auto left = max_files - first;
        for (fs::recursive_directory_iterator it{folder, fs::directory_options::skip_permission_denied, ec}, end;
             !ec && it != end && left-- > 0; it.increment(ec))
            if (it->is_regular_file(none)) files_.push_back(it->path());
        std::sort(files_.begin() + static_cast<std::ptrdiff_t>(first), files_.end());
    }

    std::vector<fs::path> files_;
    std::set<fs::path> known_;
};

}  // namespace

std::vector<fs::path> read_files(const fs::path& primary) {
    collection all;
    all.add(primary);
    return std::move(all).take();
}

}  // namespace gdalmcp::workspace
