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
const auto volume =
    gdalmcp::field<double>{
        "volume_m3", "Volume between terrain and spill levels; absent where the unit of the heights is unknown", "m3"}
        .optional();
const auto depth_unit =
    gdalmcp::field<std::string>{
        "depth_unit", "Of deepest and median_depth: m, else the DEM's own if that is unknown here; absent without one"}
        .optional();
const gdalmcp::field<double> deepest{"deepest", "Greatest depth of any depression, in depth_unit"};
const gdalmcp::field<double> depth_ratio{
    "depth_over_relief", "Greatest depth over the range of heights that filling leaves, the lowest 0.5 % aside",
    "ratio"};
const gdalmcp::field<double> median_depth{"median_depth", "Median of the depressions' greatest depths, likewise"};
const gdalmcp::field<double> largest{"largest_area_m2", "Area of the largest depression", "m2"};
const auto road_like =
    gdalmcp::field<std::int64_t>{
        "road_like",
        "Depressions of at least 10 cells that are at least 5 times as long as wide and deeper than depth_limit_m of "
        "the first row of 'noise' (1 m where no accuracy is given): water held back by embankments looks like that; "
        "absent where the unit of the heights is unknown"}
        .optional();
const gdalmcp::field<double> accuracy{"vertical_accuracy_m", "Standard deviation of the height error", "m"};
const gdalmcp::field<double> depth_limit{"depth_limit_m", "Depth below which noise explains a depression", "m"};
const gdalmcp::field<double> below{"share_below", "Share of the depressions shallower than that", "0 to 1"};
const gdalmcp::table noise{
    "noise",
    "Depth against noise: depth_limit_m = 1.645 s, s = vertical_accuracy_m x sqrt(2 (1 - noise_correlation)); empty "
    "where the unit of the heights is unknown",
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

struct depth_totals {
    double area = 0, share = 0, volume = 0, deepest = 0, largest = 0;
};

depth_totals totals_of(const std::vector<depression>& all, double land_area) {
    depth_totals sum;
    for (const auto& d : all) {
        sum.area += d.area;
        sum.volume += d.volume;
        sum.deepest = std::max(sum.deepest, d.deepest);
        sum.largest = std::max(sum.largest, d.area);
    }
    sum.share = sum.area / land_area;
    return sum;
}

std::int64_t count_roads(const std::vector<depression>& all, const evidence_dem& dem, double deep) {
    return std::count_if(all.begin(), all.end(), [&](const depression& d) {
        return looks_like_road(d, oblong_of(d, dem.heights.extent(), dem.sizes), deep);
    });
}

// The accuracy of a survey is in metres: depths in another unit cannot be compared with it.
std::string noise_clause(const std::vector<noise_row>& rows) {
    std::string shallow;
    for (const auto& r : rows)
        shallow += (shallow.empty() ? "within noise " : ", ") + evidence::percent(r.below) + " of them at " +
                   evidence::text(r.accuracy) + " m accuracy";
    return shallow;
}

std::vector<std::string> clauses_of(std::size_t count, const depth_totals& sum, const evidence_dem& dem,
                                    const std::vector<noise_row>& rows, std::int64_t roads) {
    if (count == 0 && dem.part.empty()) return {"No depressions: every cell already drains"};
    if (count == 0) return {dem.part, "no depressions"};
    return {dem.part,
            std::to_string(count) + " depressions, " + evidence::text(sum.area / 1e4) + " ha (" +
                evidence::percent(sum.share) + " of the terrain), deepest " + evidence::text(sum.deepest) + " " +
                (dem.unit.empty() ? "(unit unknown)" : dem.unit),
            noise_clause(rows), roads == 0 ? "" : std::to_string(roads) + " long, narrow and deep, as behind a road"};
}

void run(gdalmcp::call& call) {
    const auto dem = read_evidence_dem(call);
    auto filled = dem.heights;
    fill(filled, dem.land, dem.sizes, {.threads = whole_team().threads}, call.part(0.1, 0.9, "filling"));
    const auto all = find_depressions(dem.heights, filled, dem.sizes);
    const auto sum = totals_of(all, dem.land_area());
    call.put(count, static_cast<std::int64_t>(all.size()));
    call.put(area, evidence::figure(sum.area));
    call.put(area_share, evidence::figure(sum.share));
    if (!dem.unit.empty()) call.put(depth_unit, dem.unit);
    call.put(deepest, evidence::figure(sum.deepest));
    constexpr double flat = 1e-6;  // of the depth
    call.put(depth_ratio,
             sum.deepest > 0 ? evidence::figure(sum.deepest / std::max(relief_of(filled, dem.land), flat * sum.deepest))
                             : 0);
    call.put(median_depth, evidence::figure(median_depth_of(all)));
    call.put(largest, evidence::figure(sum.largest));
    call.begin(noise);
    std::vector<noise_row> rows;
    std::int64_t roads = 0;
    if (dem.in_metres()) {
        rows = against_noise(call, all);
        roads = count_roads(all, dem, call.given(vertical_accuracy) ? rows.front().limit : road_like_depth);
        call.put(volume, evidence::figure(sum.volume));
        call.put(road_like, roads);
    }
    for (const auto& r : rows) {
        auto row = call.add(noise);
        row.put(accuracy, r.accuracy);
        row.put(depth_limit, evidence::figure(r.limit));
        row.put(below, evidence::figure(r.below));
    }
    evidence::conclude(call, clauses_of(all.size(), sum, dem, rows, roads),
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
     area, area_share, volume, depth_unit, deepest, depth_ratio, median_depth, largest, road_like, noise}};

}  // namespace gdalmcp_hydrology::dem_depressions
