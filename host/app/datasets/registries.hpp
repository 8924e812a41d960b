// The contents of PROJ's database and GDAL's drivers, read once by a confined process and cached for the host's life.
#pragma once
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "runner/cancellation.hpp"
#include "runner/messages.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// host::answer.
using trusted_work = std::function<base::result<json::object>(runner::request r, const runner::cancellation& cancel,
                                                              std::optional<std::chrono::milliseconds> limit)>;

struct registered_crs {
    std::string code;  // AUTHORITY:CODE
    std::string name, kind, area, body;
    bool deprecated = false;
    std::optional<std::array<double, 4>> bbox;        // w, s, e, n in degrees; w > e across the antimeridian
    std::vector<std::string> name_words, area_words;  // lower case
};

// The words of a text in lower case, separated by blanks and punctuation; "17n" is one.
std::vector<std::string> words_of(std::string_view text);

// Every one of `wanted` begins a word of `words`.
bool has_words(const std::vector<std::string>& words, const std::vector<std::string>& wanted);

struct format_registry {
    struct kinds {
        bool raster = false, vector = false;
    };
    json::array drivers, resampling;                       // see worker/formats.hpp
    std::map<std::string, kinds, std::less<>> extensions;  // lower case, no dot: "tif", "shp.zip"

    const json::object* driver(std::string_view name) const;  // by short name, in any case; nullptr: unknown
    // The kinds drivers read from a file of this name, by its extension alone; nothing: no driver claims it.
    std::optional<kinds> kinds_of(const std::filesystem::path& file) const;
};

// Thread-safe.
class registries {
public:
    explicit registries(trusted_work ask) : ask_{std::move(ask)} {}

    base::result<std::shared_ptr<const std::vector<registered_crs>>> crs(const runner::cancellation& cancel);
    base::result<std::shared_ptr<const format_registry>> formats(const runner::cancellation& cancel);

    // Everything about one CRS, see worker/crs_registry.hpp.
    base::result<json::object> crs_entry(const std::string& spelling, const runner::cancellation& cancel);

private:
    const trusted_work ask_;
    std::mutex reading_crs_, reading_formats_;
    std::shared_ptr<const std::vector<registered_crs>> crs_;
    std::shared_ptr<const format_registry> formats_;
};

}  // namespace gdalmcp::app
