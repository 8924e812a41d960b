#include "arguments.hpp"
#include "datasets/gdal_flow_tags.hpp"
#include "datasets/gdal_height_unit.hpp"
#include "ogr_contour_layer.hpp"
#include "raster/gdal_amounts.hpp"
#include "tools.hpp"

namespace gdalmcp_raster_more::raster_contour {
namespace {

constexpr double max_levels = 10'000;

const auto surface =
    standard::described(uri, "Elevation model or other surface: path, file:// or query://result/{id}.");
const arg<std::optional<double>> interval{
    .name = "interval", .about = "Between levels, in the unit of the values. This or 'levels'.", .above = 0.0};
const arg<double> base{.name = "base", .about = "With 'interval': levels are base + n · interval.", .fallback = 0.0};
const arg<std::optional<std::vector<double>>> levels{.name = "levels",
                                                     .about = "The levels themselves, in the unit of the values.",
                                                     .min_items = 1,
                                                     .max_items = 1000,
                                                     .or_single = true};
const arg<bool> polygons{
    .name = "polygons",
    .about = "Areas between neighbouring levels (elev_min, elev_max, area_m2) instead of lines (elev, length_m).",
    .fallback = false};
const auto& vector_file = standard::vector_output;

const auto unit = field<std::string>{"unit", "Of the levels; absent if the raster declares none"}.optional();
const field<std::int64_t> level_count{"level_count", "Levels within the range of the values"};
const field<double> lowest_level{"lowest_level", "Of them"};
const field<double> highest_level{"highest_level", "Of them"};
const field<double> value_min{"value_min", "Smallest value of the raster"};
const field<double> value_max{"value_max", "Largest value"};
const field<std::int64_t> feature_count{"feature_count", "Lines or polygons written", "features"};
const auto length =
    field<double>{"length_m", "Of all lines, geodesic; absent without a CRS", "m"}.measured().optional();
const auto area = field<double>{"area_m2", "Of all polygons, on the ellipsoid; absent without a CRS", "m2"}.optional();
const field<std::string> layer_crs{"crs", "CRS of the output"};

// The band's values as they are meant, NaN where there are none.
void copy_values(gdalmcp::call& call, GDALRasterBand& band, GDALRasterBand& to, const progress& report) {
    const double scale = band.GetScale(), offset = band.GetOffset();
    gdal::block_job job;
    job.infinite_missing = true;
    job.read(band, GDT_Float64);
    job.write(to, GDT_Float64);
    job.run(report, [&](const gdal::block& b) {
        const auto* cells = b.in<double>(0, 0);
        const auto* valid = b.valid(0, 0);
        auto* out = b.out<double>(0, 0);
        for (std::int64_t i = 0; i < b.cells(); ++i)
            out[i] = valid[i] ? cells[i] * scale + offset : std::numeric_limits<double>::quiet_NaN();
    });
    report_infinite(call, job, call[uri].path);
}

// The levels within [low, high], and one below and above.
struct level_choice {
    std::vector<double> within;  // ascending
    double below = 0, above = 0;
};

level_choice by_interval(gdalmcp::call& call, double low, double high) {
    const double step = *call[interval], from = call[base];
    const double first = std::ceil((low - from) / step), last = std::floor((high - from) / step);
    constexpr double exact = 9007199254740992;  // 2^53: beyond it n + 1 is n
    if (!(std::abs(first) < exact && std::abs(last) < exact))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "levels by 'interval' " + gdal::number_text(step) + " from 'base' " + gdal::number_text(from) +
                        " cannot be told apart between " + gdal::number_text(low) + " and " + gdal::number_text(high),
                    "give a 'base' near the values, and a larger 'interval'"};
    if (last - first >= max_levels)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'interval' " + gdal::number_text(step) + " makes " + gdal::number_text(last - first + 1) +
                        " levels between " + gdal::number_text(low) + " and " + gdal::number_text(high) +
                        ", more than " + gdal::number_text(max_levels),
                    "give a larger 'interval', or the 'levels' of interest"};
    level_choice chosen{{}, from + (first - 1) * step, from + (last + 1) * step};
    for (double n = first; n <= last; ++n) chosen.within.push_back(from + n * step);
    return chosen;
}

level_choice by_levels(gdalmcp::call& call, double low, double high) {
    const double margin = std::max(1.0, high - low);
    level_choice chosen{{}, low - margin, high + margin};
    const auto given = *call[levels];
    for (const double v : given)
        if (v >= low && v <= high) chosen.within.push_back(v);
    std::sort(chosen.within.begin(), chosen.within.end());
    chosen.within.erase(std::unique(chosen.within.begin(), chosen.within.end()), chosen.within.end());
    return chosen;
}

level_choice chosen_levels(gdalmcp::call& call, double low, double high) {
    auto chosen = call[interval] ? by_interval(call, low, high) : by_levels(call, low, high);
    if (!chosen.within.empty()) return chosen;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "no level lies between " + gdal::number_text(low) + " and " + gdal::number_text(high) +
                    ", the smallest and the largest value",
                call[interval] ? "give a smaller 'interval' or another 'base'" : "give 'levels' in that range"};
}

void run(gdalmcp::call& call) {
    const auto& path = call[surface].path;
    if (const bool one = call[interval].has_value(); one == call[levels].has_value())
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            std::string{one ? "both" : "neither"} + " of 'interval' and 'levels' " + (one ? "are" : "is") + " given",
            "give one of them"};
    const auto opened = open_band(call, call[surface]);
    const grid& on = opened.on;
    auto* band = &opened.band;
    require_real(*band);
    gdalmcp_datasets::refuse_directions(path, *opened.band.GetDataset());
    warn_of_no_amounts(call, path, *band, "level");
    if (!on.georeferenced)
        throw error{GDALMCP_UNSUPPORTED, path + " has no geotransform, so where its contours run is unknown",
                    "georeference it first"};
    warn_of_place(call, path, on);
    refuse_palette(path, *band, "without levels", "outline classes with raster_polygonize");
    const auto height = height_unit(*band, on.crs);

    std::optional<raster_output> values;
    const auto take_values = [&](double from, double to) {
        values.emplace(call.new_scratch("values", ".tif"), on, GDT_Float64, 1);
        copy_values(call, *band, values->band(1), call.part(from, to, "reading"));
        band = &values->band(1);
    };
    if (band->GetScale() != 1 || band->GetOffset() != 0 || !(band->GetMaskFlags() & GMF_ALL_VALID))
        take_values(0, 0.12);
    const auto figures = figures_of(*band, call.part(0.12, 0.16));
    if (figures->counts().infinite > 0) take_values(0.16, 0.2);
    if (figures->counts().valid == 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "band " + std::to_string(call[standard::band]) + " of " + path + " has no cell with data",
                    "look at it with raster_stats"};
    const auto chosen = chosen_levels(call, figures->min(), figures->max());
    contour_levels at{{}, call[interval].value_or(0), call[base]};
    if (call[levels] || call[polygons]) at.levels = chosen.within;
    std::optional<value_range> limits;
    if (call[polygons]) {
        at.levels.insert(at.levels.begin(), chosen.below);
        at.levels.push_back(chosen.above);
        if (call[levels]) limits = {figures->min(), figures->max()};
    }
    const auto total = write_contours(call, *band, on.crs, at, call[polygons], limits, call[vector_file].path,
                                      call.part(0.2, 0.95, "contours"));
    call.expect(vector_file, {.crs = total.crs, .features = total.features});

    if (!height.empty()) call.put(unit, height);
    call.put(level_count, static_cast<std::int64_t>(chosen.within.size()));
    call.put(lowest_level, chosen.within.front());
    call.put(highest_level, chosen.within.back());
    call.put(value_min, figures->min());
    call.put(value_max, figures->max());
    call.put(feature_count, total.features);
    if (total.ground) call.put(call[polygons] ? area : length, *total.ground);
    call.put(layer_crs, total.crs);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_contour", "Contours",
     "Contour lines of a surface, or the areas between levels, as a vector layer, as gdal_contour draws them: values "
     "count at cell centres and stay level in the outer half of the outer cells; lines end at cells without data. "
     "Levels are in the unit of the values, which the result names (feet stay feet).",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {surface, interval, levels, base, polygons, standard::band, vector_file, subdataset, overwrite},
    {unit, level_count, lowest_level, highest_level, value_min, value_max, feature_count, length, area, layer_crs}};

}  // namespace gdalmcp_raster_more::raster_contour
