// gdal_observation_arguments.hpp — the arguments that name rasters of several times, and opening what they name.
#pragma once
#include <gdalmcp/standard.hpp>

#include "gdal_observations.hpp"
#include "gdal_quality.hpp"

namespace gdalmcp_temporal {

// A call may hold 512 files open.
inline const gdalmcp::arg<std::vector<gdalmcp::raster>> uris{
    .name = "uris",
    .about = "Rasters of each time: paths, patterns (ndvi/*.tif); or a stack, its bands times.",
    .min_items = 1,
    .max_items = 400};
inline const gdalmcp::arg<std::optional<std::vector<std::string>>> dates{
    .name = "dates", .about = "Of each, as 2024-01-31. Default: from metadata or names."};
inline const gdalmcp::arg<std::optional<std::vector<gdalmcp::raster>>> mask_uris{
    .name = "uris", .about = "Quality rasters, if no band of each.", .min_items = 1, .max_items = 400};
inline const gdalmcp::arg<std::optional<std::int64_t>> mask_band{.name = "band", .about = "Quality band.", .min = 1};
inline const gdalmcp::arg<std::optional<std::vector<std::int64_t>>> mask_bits{
    .name = "bits", .about = "Any set excludes; from 0.", .min = 0, .max = 31};
inline const gdalmcp::arg<std::optional<std::vector<double>>> mask_values{.name = "values", .about = "Each excludes."};
inline const auto mask =
    gdalmcp::object{"mask", "Cells to exclude: clouds.", {mask_uris, mask_band, mask_bits, mask_values}}.optional();
inline const gdalmcp::arg<std::optional<gdalmcp::choice>> align{
    .name = "align",
    .about = "Of extents that differ by whole cells; never resamples.",
    .values = {"union", "intersection"}};

struct opened_observations {
    observation_set set;
    std::optional<quality_bands> quality;  // where 'mask' is given
};

// What `uris`, `dates`, `mask`, standard::subdataset and standard::bands name, in the order given. Refused, beside what
// open_observations(), give_dates() and quality_bands refuse: a single observation.
opened_observations open_observations_of(gdalmcp::call& call);

alignment alignment_of(gdalmcp::call& call);

// Warns of each date that is taken though something contradicts it, or more is stated than is read; and of names that
// are read as years and differ in more.
void warn_of_doubtful_dates(gdalmcp::call& call, const observation_set& set);

// Warns where `mask` had no effect on any value, or values were taken out because their quality is nodata.
// excluded, without_quality: how many values, or cells by share, each took out.
void warn_of_quality(gdalmcp::call& call, const quality_bands& quality, const observation_set& set, double excluded,
                     double without_quality);

}  // namespace gdalmcp_temporal
