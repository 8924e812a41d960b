#include <algorithm>

#include "depression.hpp"
#include "evidence_dem.hpp"
#include "evidence_tools.hpp"
#include "fill.hpp"

namespace gdalmcp_hydrology::dem_depressions {
namespace {

namespace evidence = gdalmcp::evidence;

const gdalmcp::arg<std::optional<double>> vertical_accuracy{
    .name = "vertical_accuracy_m",
    .about =
        "Standard deviation of the height error, for example 0.1 for airborne lidar. Default: 0.1, 1 and 5 m "
        "are tried.",
    .unit = "m",
    .above = 0};

const gdalmcp::arg<double> noise_correlation{
    .name = "noise_correlation",
    .about = "Correlation of the errors of neighbouring cells, 0 = independent, below 1. Default 0.5.",
    .fallback = 0.5,
    .min = 0,
    .below = 1};

const gdalmcp::field<std::int64_t> count{"count", "Depressions: connected regions below their spill level"};
const gdalmcp::field<double> area{"area_m2", "True area of all of them", "m2"};
const gdalmcp::field<double> area_share{"area_share", "Share of the terrain's area that lies in depressions", "0 to 1"};
const gdalmcp::field<double> volume{"volume_m3", "Volume between terrain and spill levels", "m3"};
const gdalmcp::field<double> deepest{"deepest_m", "Greatest depth of any depression", "m"};
const gdalmcp::field<double> depth_ratio{
    "depth_over_relief", "Greatest depth over the range of heights that filling leaves, the lowest 0.5 % aside",
    "ratio"};
const gdalmcp::field<double> median_depth{"median_depth_m", "Median of the depressions' greatest depths", "m"};
const gdalmcp::field<double> largest{"largest_area_m2", "Area of the largest depression", "m2"};
const gdalmcp::field<std::int64_t> road_like{
    "road_like",
    "Depressions of at least 10 cells that are at least 5 times as long as wide and deeper than depth_limit_m of the "
    "first row of 'noise' (1 m where no accuracy is given): water held back by embankments looks like that"};
const gdalmcp::field<double> accuracy{"vertical_accuracy_m", "Standard deviation of the height error", "m"};
const gdalmcp::field<double> depth_limit{"depth_limit_m", "Depth below which noise explains a depression", "m"};
const gdalmcp::field<double> below{"share_below", "Share of the depressions shallower than that", "0 to 1"};
const gdalmcp::table noise{
    "noise",
    "Depth against noise: depth_limit_m = 1.645 s, s = vertical_accuracy_m x sqrt(2 (1 - noise_correlation))",
    {accuracy, depth_limit, below}};

constexpr double road_like_depth = 1;  // m, where no accuracy is given

struct noise_row {
    double accuracy, limit, below;
};

std::vector<noise_row> against_noise(gdalmcp::call& call, const std::vector<depression>& all) {
    std::vector<double> tried{0.1, 1, 5};
    if (const auto given = call[vertical_accuracy]) tried = {*given};
    std::vector<noise_row> rows;
    for (const double sigma : tried) {
        const double limit = noise_limit * depth_noise(sigma, call[noise_correlation]);
        const auto shallow =
            std::count_if(all.begin(), all.end(), [&](const depression& d) { return d.deepest < limit; });
        rows.push_back(
            {sigma, limit, all.empty() ? 0 : static_cast<double>(shallow) / static_cast<double>(all.size())});
    }
    return rows;
}

double median_depth_of(const std::vector<depression>& all) {
    if (all.empty()) return 0;
    std::vector<double> depths;
    for (const auto& d : all) depths.push_back(d.deepest);
    std::sort(depths.begin(), depths.end());
    const auto middle = depths.size() / 2;
    return depths.size() % 2 ? depths[middle] : (depths[middle - 1] + depths[middle]) / 2;
}

// Of the land after filling, from the height that half a percent of it lies below: at its edge, where they are no
// depressions, values that stand for missing heights would pass for relief.
double relief_of(const grid<double>& filled, const grid<footprint>& land) {
    constexpr std::size_t aside = 200;  // one cell in so many
    std::vector<double> heights;
    for (std::size_t i = 0; i < filled.size(); ++i)
        if (land[i] == footprint::terrain) heights.push_back(filled[i]);
    if (heights.empty()) return 0;
    const double high = *std::max_element(heights.begin(), heights.end());
    const auto low = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / aside);
    std::nth_element(heights.begin(), low, heights.end());
    return high - *low;
}

std::vector<std::string> clauses_of(const std::vector<depression>& all, double total_area, double share,
                                    double deepest_m, const std::vector<noise_row>& rows, std::int64_t roads) {
    if (all.empty()) return {"No depressions: every cell already drains"};
    std::string shallow;
    for (const auto& r : rows)
        shallow += (shallow.empty() ? "" : ", ") + evidence::percent(r.below) + " of them at " +
                   evidence::text(r.accuracy) + " m accuracy";
    return {std::to_string(all.size()) + " depressions, " + evidence::text(total_area / 1e4) + " ha (" +
                evidence::percent(share) + " of the terrain), deepest " + evidence::text(deepest_m) + " m",
            "within noise " + shallow,
            roads == 0 ? "" : std::to_string(roads) + " long, narrow and deep, as behind a road"};
}

void run(gdalmcp::call& call) {
    const auto dem = read_evidence_dem(call);
    auto filled = dem.heights;
    fill(filled, dem.land, dem.sizes, {}, call.part(0.1, 0.9, "filling"));
    const auto all = find_depressions(dem.heights, filled, dem.sizes);
    const auto rows = against_noise(call, all);
    const double deep = call.given(vertical_accuracy) ? rows.front().limit : road_like_depth;
    double total_area = 0, total_volume = 0, greatest_depth = 0, greatest_area = 0;
    std::int64_t roads = 0;
    for (const auto& d : all) {
        total_area += d.area;
        total_volume += d.volume;
        greatest_depth = std::max(greatest_depth, d.deepest);
        greatest_area = std::max(greatest_area, d.area);
        roads += looks_like_road(d, oblong_of(d, filled.extent(), dem.sizes), deep);
    }
    const double share = total_area / dem.land_area();
    call.put(count, static_cast<std::int64_t>(all.size()));
    call.put(area, evidence::figure(total_area));
    call.put(area_share, evidence::figure(share));
    call.put(volume, evidence::figure(total_volume));
    call.put(deepest, evidence::figure(greatest_depth));
    constexpr double flat = 1e-6;  // of the depth
    call.put(depth_ratio, greatest_depth > 0 ? evidence::figure(greatest_depth / std::max(relief_of(filled, dem.land),
                                                                                          flat * greatest_depth))
                                             : 0);
    call.put(median_depth, evidence::figure(median_depth_of(all)));
    call.put(largest, evidence::figure(greatest_area));
    call.put(road_like, roads);
    for (const auto& r : rows) {
        auto row = call.add(noise);
        row.put(accuracy, r.accuracy);
        row.put(depth_limit, evidence::figure(r.limit));
        row.put(below, evidence::figure(r.below));
    }
    evidence::conclude(call, clauses_of(all, total_area, share, greatest_depth, rows, roads),
                       "Priority-flood (Barnes, Lehman & Mulla 2014); depth against noise of heights: 1.645 x "
                       "accuracy x sqrt(2 (1 - correlation)); shapes after Lindsay & Creed 2006");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "dem_depressions",
     .title = "Depressions of a DEM",
     .about =
         "Effect of filling: number, area, volume and depth of the depressions of a DEM, how many of them are "
         "no deeper than height noise explains, and how many look like water held back by an embankment. Nothing is "
         "written. Above 4 million cells the middle 2048 x 2048 are measured.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {dem_uri, band, dem_holes, vertical_accuracy, noise_correlation},
    {evidence::summary, evidence::source, evidence::approximate, evidence::read, height_unit_used, holes_used, count,
     area, area_share, volume, deepest, depth_ratio, median_depth, largest, road_like, noise}};

}  // namespace gdalmcp_hydrology::dem_depressions
