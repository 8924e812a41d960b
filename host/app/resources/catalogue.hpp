// catalog://workspace/…: the datasets in the workspaces.
#pragma once
#include <algorithm>

#include "app/datasets/registries.hpp"
#include "app/datasets/workspace_walk.hpp"
#include "app/resources/resource_text.hpp"
#include "app/resources/resource_uri.hpp"
#include "base/bounded_cache.hpp"

namespace gdalmcp::app {

// Every answer walks the workspaces again. Candidates are files with an extension that a driver of GDAL claims; a
// confined process opens each, and the result is cached while the file and its neighbours of the same stem are
// unchanged.
// Thread-safe.
class catalogue {
public:
    // A CRS spelling -> its normal form.
    using normal_form = std::function<base::result<std::string>(const std::string&, const runner::cancellation&)>;
    catalogue(const workspace::roots& roots, trusted_work ask, app::registries& known, normal_form crs)
        : roots_{roots}, ask_{std::move(ask)}, registries_{known}, normal_crs_{std::move(crs)} {}

    // catalog://workspace/{kind}/{+subpath}, of which `wanted` is the last two, by-crs/{crs}, summary. The query of `u`
    // may have limit, offset, extensions and include_hidden.
    // Files not read within the time limit are counted in `not_looked_at`, and the answer is marked `approximate`.
    base::result<json::object> list(const resource_uri& u, const std::string& wanted,
                                    const runner::cancellation& cancel);
    base::result<json::object> by_crs(const resource_uri& u, const std::string& spelling,
                                      const runner::cancellation& cancel);
    base::result<json::object> summary(const runner::cancellation& cancel);

    // The CRSs of its datasets as a listing has them, the most frequent first.
    base::result<std::vector<std::string>> crs(const runner::cancellation& cancel);

private:
    struct listed_crs {
        std::string normal;  // "": none
        std::string codes;   // "EPSG:26916+6360", where the normal form is a digest

        const std::string& text() const { return codes.empty() ? normal : codes; }
    };
    struct cached_header {  // see worker/identify.hpp
        std::string state, driver, kind;
        listed_crs crs;
        std::string crs_name;
        std::vector<listed_crs> other_crs{};

        // The one of its CRSs with this normal form; nullptr: none has it.
        const listed_crs* in(const std::string& normal) const {
            if (crs.normal == normal) return &crs;
            const auto found = std::find_if(other_crs.begin(), other_crs.end(),
                                            [&](const auto& other) { return other.normal == normal; });
            return found == other_crs.end() ? nullptr : &*found;
        }
    };
    struct candidate {
        found_file file;
        std::optional<cached_header> seen;
        std::string kind;  // raster, vector, both; by its extension until it is read
    };
    struct view {
        std::vector<candidate> datasets;
        std::size_t not_looked_at = 0, not_opened = 0, not_utf8 = 0;
        std::string stopped;
    };

    base::result<view> visit(const std::string& subpath, const std::vector<std::string>& extensions,
                             bool include_hidden, const runner::cancellation& cancel);
    void identify(std::vector<candidate>& all, const runner::cancellation& cancel);
    base::result<void> identify(const std::vector<candidate*>& few, std::chrono::milliseconds budget,
                                const runner::cancellation& cancel);
    void keep(candidate& c, const json::value& answer);
    base::result<json::object> matching(const resource_uri& u, const std::string& subpath,
                                        const std::function<bool(const candidate&)>& wanted,
                                        const runner::cancellation& cancel);
    json::object listing(const view& v, const std::function<bool(const candidate&)>& wanted, const resource_uri& u,
                         std::size_t limit, std::size_t offset) const;

    const workspace::roots& roots_;
    const trusted_work ask_;
    app::registries& registries_;
    const normal_form normal_crs_;
    base::bounded_cache<std::filesystem::path, cached_header> headers_{100'000};
};

}  // namespace gdalmcp::app
