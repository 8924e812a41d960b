#include "catalog/snapshot.hpp"

#include <algorithm>
#include <set>

#include "catalog/manifest.hpp"

namespace gdalmcp::catalog {
namespace {

namespace fs = std::filesystem;

// The bundles of one directory, by name. A bundle is complete when it has a manifest.
struct listing {
    std::vector<fs::path> bundles;
    std::vector<incomplete> unfinished;
};

// Why a `*.bundle` is not usable yet; empty: it has a manifest.
std::string lack_of(const fs::path& bundle) {
    std::error_code ec;
    if (!fs::is_directory(bundle, ec)) return "it is not a folder";
    if (fs::symlink_status(bundle / "manifest.json", ec).type() != fs::file_type::not_found) return {};
    return "it has no manifest.json; run gdal-mcp-describe on it, or wait until it is copied";
}

listing list(const fs::path& directory, bool bare_libraries, std::error_code& error) {
    listing found;
    fs::directory_iterator entry{directory, error};
    for (; !error && entry != fs::directory_iterator{}; entry.increment(error)) {
        const auto& path = entry->path();
        if (path.filename().string().front() == '.') continue;
        std::error_code ignored;
        if (path.extension() == ".bundle") {
            auto lack = lack_of(path);
            if (lack.empty())
                found.bundles.push_back(path);
            else
                found.unfinished.push_back({path, std::move(lack)});
        } else if (bare_libraries && path.extension() == ".so" && fs::is_regular_file(path, ignored)) {
            found.bundles.push_back(path);
        }
    }
    std::sort(found.bundles.begin(), found.bundles.end());
    std::sort(found.unfinished.begin(), found.unfinished.end(),
              [](const incomplete& a, const incomplete& b) { return a.path < b.path; });
    return found;
}

tl::expected<manifest, rejection> read(const fs::path& spelled, const load_options& options) {
    if (spelled.extension() != ".so") return read_manifest(spelled, options.admission);
    const auto text =
        may_be_described(spelled, options.admission.trust).and_then([&] { return options.describe(spelled); });
    if (!text) return tl::unexpected{rejection_of("", text.error())};
    return read_description(spelled, *text, options.admission);
}

}  // namespace

const tool* snapshot::find(std::string_view tool_name) const {
    const auto* known = find_known(tool_name);
    return known && known->bundle->enabled ? known : nullptr;
}

const tool* snapshot::find_known(std::string_view tool_name) const {
    const auto found = by_name_.find(tool_name);
    return found == by_name_.end() ? nullptr : found->second.get();
}

const quarantined* snapshot::find_quarantined(std::string_view tool_name) const {
    for (const auto& q : quarantine_)
        if (std::find(q.tools.begin(), q.tools.end(), tool_name) != q.tools.end()) return &q;
    return nullptr;
}

std::vector<std::shared_ptr<const tool>> snapshot::switched_off() const {
    std::vector<std::shared_ptr<const tool>> off;
    for (const auto& [name, t] : by_name_)
        if (!t->bundle->enabled) off.push_back(t);
    return off;
}

std::optional<snapshot::answer> snapshot::find_resource(std::string_view uri) const {
    for (const bool templates : {false, true})
        for (const auto& r : resources_)
            if (r.what->is_template() == templates)
                if (auto values = r.what->uri().match(uri)) return answer{r.what, r.by, std::move(*values)};
    return std::nullopt;
}

void snapshot::refuse(const fs::path& where, rejection r) {
    quarantine_.push_back({where, std::move(r.id), std::move(r.reason), std::move(r.tools)});
}

void snapshot::add(const fs::path& spelled, const load_options& options) {
    auto m = read(spelled, options);
    if (!m) return refuse(spelled, std::move(m.error()));
    const auto& id = m->bundle->id;
    const auto reject = [&](const std::string& reason) {
        rejection r{id, reason};
        for (const auto& t : m->tools) r.tools.push_back(t->name);
        refuse(spelled, std::move(r));
    };
    for (const auto& b : bundles_)
        if (b->id == id)
            return reject("bundle id '" + id + "' is taken by " + b->folder.string() +
                          "; remove one of the two, or give it another id");
    for (const auto& t : m->tools) {
        if (const auto earlier = by_name_.find(t->name); earlier != by_name_.end())
            return reject("tool '" + t->name + "' is already offered by bundle '" + earlier->second->bundle->id +
                          "' in " + earlier->second->bundle->folder.string() +
                          "; remove one of the two bundles, or give the tool another name");
        const auto& reserved = options.reserved_tools;
        if (std::find(reserved.begin(), reserved.end(), t->name) != reserved.end())
            return reject("tool '" + t->name + "' is one of the host's own; give it another name");
    }
    for (const auto& r : m->resources)
        for (const auto& earlier : resources_)
            if (clash(*earlier.what, *r))
                return reject("resource '" + r->uri().text() + "' is already answered by '" +
                              earlier.what->uri().text() + "' of bundle '" + earlier.by + "'; give it another URI");
    if (options.accept)
        if (const auto ok = options.accept(*m); !ok) return reject(rejection_of(id, ok.error()).reason);
    bundles_.push_back(m->bundle);
    for (const auto& r : m->resources) resources_.push_back({r, id});
    for (const auto& t : m->tools) {
        if (m->bundle->enabled) tools_.push_back(t);
        by_name_.emplace(t->name, t);
    }
}

std::shared_ptr<const snapshot> load(const std::vector<fs::path>& search_path, const load_options& options) {
    auto catalogue = std::make_shared<snapshot>();
    std::set<fs::path> seen;  // a folder reached twice does not clash with itself
    // Bundles installed with the program are never displaced by added ones.
    auto directories = search_path;
    std::stable_partition(directories.begin(), directories.end(), [&](const fs::path& d) {
        std::error_code ignored;
        return fs::weakly_canonical(d, ignored) == options.admission.trust.installed;
    });
    for (const auto& directory : directories) {
        std::error_code error;
        if (fs::status(directory, error).type() == fs::file_type::not_found) continue;
        error.clear();
        auto found = list(directory, options.describe != nullptr, error);
        if (error) catalogue->refuse(directory, {"", "cannot list the directory: " + error.message()});
        std::move(found.unfinished.begin(), found.unfinished.end(), std::back_inserter(catalogue->unfinished_));
        for (const auto& spelled : found.bundles) {
            const auto canonical = fs::canonical(spelled, error);
            if (error || seen.insert(canonical).second) catalogue->add(spelled, options);
        }
    }
    return catalogue;
}

}  // namespace gdalmcp::catalog
