#include "gdal_observations.hpp"

#include <cpl_conv.h>

#include <algorithm>
#include <map>
#include <set>

#include "datasets/gdal_height_unit.hpp"
#include "datasets/gdal_raster_source.hpp"
#include "gdal_dates.hpp"

namespace gdalmcp_temporal {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;
namespace datasets = gdalmcp_datasets;

std::string observation_set::name(const observation& o) const {
    const auto& path = files[o.file].path;
    return stack ? "band " + std::to_string(o.bands.front()) + " of " + path : path;
}

namespace {

// All but the quality band, unless bands are asked for.
std::vector<int> bands_of(GDALDataset& dataset, const std::string& path, const observation_request& asked) {
    auto numbers = datasets::band_numbers(dataset, asked.bands);
    if (asked.quality_band) {
        datasets::require_band(path, dataset.GetRasterCount(), *asked.quality_band);
        if (!asked.bands) std::erase(numbers, *asked.quality_band);
    }
    if (numbers.empty())
        throw error{GDALMCP_INVALID_ARGUMENT, path + " has no band besides that of 'mask'",
                    "give rasters with bands to aggregate, or the quality bands as 'uris' of 'mask'"};
    for (const int n : numbers) datasets::require_real(*dataset.GetRasterBand(n));
    return numbers;
}

// Bands that are observations, each with a date of its own or with none.
void add_bands(observation_set& set, std::size_t file, const std::vector<int>& bands, bool dates_given) {
    std::vector<observation> added;
    for (const int n : bands) {
        observation o;
        o.file = file;
        o.bands = {n};
        auto& band = *set.files[file].dataset->GetRasterBand(n);
        date_band(band, o);
        for (const auto& other : added)
            if (!dates_given && o.date && other.date && o.date->text == other.date->text &&
                o.date->known == other.date->known)
                throw error{GDALMCP_INVALID_ARGUMENT,
                            "bands " + std::to_string(other.bands.front()) + " and " + std::to_string(n) + " of " +
                                set.files[file].path + " are both of " + o.date->text +
                                ": they differ in more than time",
                            "choose with 'bands' those of one variable or level; raster_info lists them"};
        added.push_back(std::move(o));
    }
    set.all.insert(set.all.end(), added.begin(), added.end());
}

void require_as_many(const observation_set& set, const observation& first, const observation& other) {
    if (first.bands.size() == other.bands.size()) return;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "the numbers of bands differ: " + set.files[first.file].path + " has " +
                    std::to_string(first.bands.size()) + ", " + set.files[other.file].path + " has " +
                    std::to_string(other.bands.size()),
                "choose with 'bands' those they share"};
}

}  // namespace

observation_set open_observations(const observation_request& asked) {
    observation_set set;
    std::set<std::string> seen;
    std::vector<std::vector<int>> bands;
    std::vector<bool> dated;
    for (const auto& r : asked.rasters) {
        if (!seen.insert(r.path).second && !asked.masks)
            throw error{GDALMCP_INVALID_ARGUMENT, r.path + " is given twice, and would count twice",
                        "name every raster once; patterns and names may overlap"};
        observed_file f;
        f.path = r.path;
        f.dataset = datasets::open_raster(r, asked.subdataset);
        f.on = datasets::grid_of(*f.dataset);
        if (const auto by = datasets::irregular_location(*f.dataset); !f.on.georeferenced && !by.empty())
            throw error{GDALMCP_UNSUPPORTED, r.path + " is placed by " + by + ", not on a regular grid",
                        "bring each to one grid first, with raster_reproject and align_to"};
        f.there = {0, 0, f.on.width, f.on.height};
        bands.push_back(bands_of(*f.dataset, f.path, asked));
        dated.push_back(bands_differ_in_date(*f.dataset, bands.back()));
        set.files.push_back(std::move(f));
    }
    const auto a_stack = std::find(dated.begin(), dated.end(), true);
    set.stack = a_stack != dated.end() || set.files.size() == 1;
    for (std::size_t i = 0; i < set.files.size(); ++i) {
        if (set.stack) {
            if (set.files.size() > 1 && !dated[i] && bands[i].size() > 1)
                throw error{GDALMCP_INVALID_ARGUMENT,
                            "the bands of " + set.files[static_cast<std::size_t>(a_stack - dated.begin())].path +
                                " have dates of their own, those of " + set.files[i].path + " have none",
                            "give stacks over time, or rasters of one date each"};
            add_bands(set, i, bands[i], asked.dates_given);
            continue;
        }
        observation o;
        o.file = i;
        o.bands = bands[i];
        date_file(*set.files[i].dataset, set.files[i].path, o);
        if (!set.all.empty()) require_as_many(set, set.all.front(), o);
        set.all.push_back(std::move(o));
    }
    for (std::size_t i = 0; i < set.all.size(); ++i) set.all[i].given = i;
    return set;
}

void give_dates(observation_set& set, const std::vector<std::string>& dates) {
    if (dates.size() != set.all.size())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'dates' has " + std::to_string(dates.size()) + " entries, but there are " +
                        std::to_string(set.all.size()) + " observations, from " + set.name(set.all.front()) + " to " +
                        set.name(set.all.back()),
                    "give one date for each, in the order of 'uris'; the files of a pattern are ordered by name"};
    for (std::size_t i = 0; i < dates.size(); ++i) {
        const auto d = date_in(dates[i]);
        if (!d)
            throw error{GDALMCP_INVALID_ARGUMENT, "'" + dates[i] + "' of 'dates' is no date",
                        "write 2024-01-31, 2024-01 or 2024"};
        set.all[i].date = d;
        set.all[i].date_from = "given";
        set.all[i].doubt.clear();
    }
}

void order_by_date(observation_set& set, bool strict, bool apart) {
    for (const auto& o : set.all)
        if (strict && (!o.date || !o.doubt.empty()))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        (o.date ? "the date of " + set.name(o) + " is not certain: "
                                : "no date is known of " + set.name(o) + ": ") +
                            o.doubt,
                        "give 'dates', one for each of the " + std::to_string(set.all.size()) +
                            " observations in the order of 'uris' (the files of a pattern by name)"};
    std::multimap<double, std::size_t> by_day;  // equal ones in the order given
    for (std::size_t i = 0; i < set.all.size(); ++i) {
        if (!set.all[i].date) return;
        by_day.emplace(set.all[i].date->days, i);
    }
    std::vector<observation> ordered;
    for (const auto& [unused, i] : by_day) ordered.push_back(std::move(set.all[i]));
    set.all = std::move(ordered);
    for (std::size_t i = 1; strict && i < set.all.size(); ++i) {
        const auto &a = set.all[i - 1], &b = set.all[i];
        if (before(*a.date, *b.date)) continue;
        if (!apart && a.date->known == b.date->known) continue;
        throw error{GDALMCP_INVALID_ARGUMENT,
                    set.name(a) + " (" + a.date->text + ") and " + set.name(b) + " (" + b.date->text +
                        ") cannot be put in the order of time",
                    apart ? "join rasters of one date first with raster_mosaic, or give more exact 'dates'"
                          : "give more exact 'dates'"};
    }
}

namespace {

// The first observation that states a unit of band i, and the first that states none.
struct stated_units {
    const observation *stated = nullptr, *silent = nullptr;
    stated_units(const observation_set& set, std::size_t i) {
        for (const auto& o : set.all) {
            auto& first = *set.band(o, i).GetUnitType() ? stated : silent;
            if (!first) first = &o;
        }
    }
};

}  // namespace

void require_one_unit(const observation_set& set) {
    for (std::size_t i = 0; i < set.all.front().bands.size(); ++i) {
        const stated_units units{set, i};
        if (!units.stated) continue;
        const std::string one = set.band(*units.stated, i).GetUnitType();
        for (const auto& o : set.all) {
            const std::string other = set.band(o, i).GetUnitType();
            if (other.empty() || gdalmcp_datasets::same_unit(one, other)) continue;
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "units differ: " + set.name(*units.stated) + " is in '" + one + "', " + set.name(o) + " in '" +
                            other + "'",
                        "convert one of them first with raster_calc"};
        }
    }
}

void warn_of_missing_unit(gdalmcp::call& call, const observation_set& set) {
    for (std::size_t i = 0; i < set.all.front().bands.size(); ++i)
        if (const stated_units units{set, i}; units.stated && units.silent) {
            call.warn(set.name(*units.silent) + " states no unit; it was taken to be " +
                      set.band(*units.stated, i).GetUnitType() + ", as " + set.name(*units.stated) + " is");
            return;
        }
}

}  // namespace gdalmcp_temporal
