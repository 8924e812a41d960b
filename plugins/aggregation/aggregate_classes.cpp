// aggregate_classes: the true area of each class of a raster, in zones, an area or everywhere; of two rasters, of each
// pair of classes.
#include <gdalmcp/standard.hpp>

#include <cmath>

#include "gdal_class_table.hpp"
#include "gdal_zone_table.hpp"
#include "raster/gdal_class_areas.hpp"
#include "tools.hpp"
#include "wanted_classes.hpp"
#include "zone_book.hpp"

namespace gdalmcp_aggregation::aggregate_classes {
namespace {

using gdalmcp::arg;
using gdalmcp::error;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

constexpr std::size_t max_classes = 1000, max_pairs = 4096;

const arg<std::optional<gdalmcp::raster>> against{.name = "against", .about = "Second raster on this grid."};
const arg<std::optional<gdalmcp::vector>> zones{.name = "zones", .about = "Polygons: dataset or GeoJSON."};
const auto layer = standard::described(standard::layer, "Layer of zones.");
const arg<std::optional<std::string>> zone_id{.name = "zone_id", .about = "Field naming zones. Default: FID."};
const auto geometry = standard::described(standard::geometry, "Area instead: GeoJSON, box or dataset.");
const auto geometry_crs = standard::described(standard::geometry_crs, "Of it, or of zones without one.");

const auto used_geometry = gdal::geometry_used.optional();
const auto used_geometry_crs = gdal::geometry_crs_used.optional();

sweep_request request_for(int band) {
    sweep_request r;
    r.wanted = {statistic::frac};
    r.bands = {band};
    r.threads = gdalmcp::gdal::threads_of_call();
    return r;
}

class_limit limit_for(const class_source& classes) {
    const auto most = classes.pairs() ? max_pairs : max_classes;
    return {most + 1, [most, &classes](std::size_t, int) {
                return error{GDALMCP_INVALID_ARGUMENT,
                             classes.path() + " has more than " + std::to_string(most) + " different " +
                                 (classes.pairs() ? "pairs of values" : "values") + ", too many for classes",
                             "make classes of measurements with raster_classify"};
            }};
}

// Columns of cells, as zones: several can be counted at once, and their number does not depend on the machine.
std::vector<zone_layer::placed_zone> everywhere(const value_raster& values) {
    constexpr std::size_t parts = 8;
    std::vector<zone_layer::placed_zone> all;
    const auto rows = static_cast<double>(values.rows());
    for (std::size_t i = 0; i < parts; ++i) {
        const auto left = static_cast<double>(values.columns() * i / parts),
                   right = static_cast<double>(values.columns() * (i + 1) / parts);
        if (left == right) continue;
        all.emplace_back();
        all.back().outline = {{{{left, 0}, {right, 0}, {right, rows}, {left, rows}}, {}}};
        all.back().in_cells = (right - left) * rows;
    }
    return all;
}

std::vector<zone_layer::placed_zone> inside(gdalmcp::call& call, const value_raster& values) {
    const auto placed = gdal::place_geometry(*call[geometry], call[geometry_crs], {values.crs(), values.extent()});
    placed.tell(call);
    placed.put(call);
    zone_layer::placed_zone one;
    one.outline = values.to_grid(*placed.shape);
    one.in_cells = area_of(one.outline);
    if (!(one.in_cells > 0))
        throw error{GDALMCP_INVALID_ARGUMENT, "'geometry' has no area", "give a polygon or [minx, miny, maxx, maxy]"};
    if (enclosing(one.outline, values.rows(), values.columns()).size() == 0) {
        OGREnvelope box;
        placed.shape->getEnvelope(&box);
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'geometry' covers " + gdal::extent_text(box, values.crs()) + ", outside " + values.path() +
                        ", which covers " + gdal::extent_text(values.extent(), values.crs()),
                    "give an area that overlaps the raster"};
    }
    one.area = gdal::ellipsoidal_area(*placed.shape, values.crs());
    return {one};
}

sweep_source source_of(const class_source& classes, const std::optional<gdal::cell_areas>& areas, int band) {
    const auto& values = classes.values();
    const auto stored = values.stored_block(band);
    sweep_source s{values.rows(), values.columns(), stored.height, stored.width, {}, {}, {}};
    s.read = [&classes](int, const window& block, block_values& into) { into = classes.read(block); };
    if (areas) s.cell_areas = areas_from(*areas);
    return s;
}

// Of each zone; the parts of the whole raster together as the first one.
std::vector<tallied_zone> tallied(const std::vector<zone_result>& results, bool together, bool pairs,
                                  const std::set<std::int64_t>& wanted) {
    std::vector<tallied_zone> all;
    std::vector<value_share> counted;
    for (const auto& z : results) {
        if (!together) counted.clear();
        if (!z.bands.empty()) counted.insert(counted.end(), z.bands[0].classes.begin(), z.bands[0].classes.end());
        if (!together) all.push_back({&z, tally_of(counted, pairs, wanted)});
    }
    if (together) all.push_back({&results.front(), tally_of(counted, pairs, wanted)});
    return all;
}

std::vector<counted_area> areas_counted(const std::vector<tallied_zone>& zones) {
    std::vector<counted_area> all;
    for (const auto& z : zones) all.push_back({z.of, z.tally.classified.area + z.tally.unclassified.area});
    return all;
}

std::string zones_text(std::size_t n, const char* one, const char* more) {
    return std::to_string(n) + (n == 1 ? " zone" : " zones") + (n == 1 ? one : more);
}

void warn_of_gaps(gdalmcp::call& call, const std::vector<tallied_zone>& zones, bool named) {
    std::size_t beyond = 0, problems = 0, empty = 0;
    for (const auto& z : zones) {
        problems += !z.of->problem.empty();
        if (!z.of->problem.empty()) continue;
        beyond += named ? z.outside() > 0 : z.of->area && z.outside() > 0;
        empty += z.tally.classified.cells == 0;
    }
    if (problems > 0)
        call.warn(zones_text(problems, " has", " have") + " no usable outline and " + (problems == 1 ? "was" : "were") +
                  " left out, see problem");
    if (beyond > 0)
        call.warn((named ? zones_text(beyond, " reaches", " reach") : std::string{"the geometry reaches"}) +
                  " beyond the raster: see outside_share, which no class counts");
    if (const auto text = coarse_cells_text(areas_counted(zones)); !text.empty()) call.warn(text);
    if (empty > 0)
        call.warn(named ? zones_text(empty, " has", " have") + " no cell with a class" : "no cell has a class");
}

// A mistyped code looks like a class without area.
void warn_of_absent(gdalmcp::call& call, const std::vector<tallied_zone>& zones, std::set<std::int64_t> wanted,
                    const std::string& path) {
    for (const auto& z : zones)
        for (const auto& r : z.tally.rows)
            if (r.extent.cells > 0) wanted.erase(r.code.value);
    if (wanted.empty()) return;
    std::string codes;
    std::size_t named = 0;
    for (const auto code : wanted)
        if (++named <= 20) codes += (named > 1 ? ", " : "") + std::to_string(code);
    call.warn("'classes' names " + std::to_string(wanted.size()) + " codes that do not occur in the cells of " + path +
              " counted here: " + codes + (named > 20 ? ", …" : "") +
              "; leave 'classes' out to see those that do, raster_info lists their names");
}

// Of two rasters, a code that does not mean the same makes every pair doubtful.
void warn_of_legends(gdalmcp::call& call, const class_source& classes) {
    if (!call[against]) return;
    const auto text = classes.names().doubt(classes.values().path(), classes.names_against(), call[against]->path);
    if (!text.empty()) call.warn(text);
}

void write_table(gdalmcp::call& call, class_table& table, const std::vector<tallied_zone>& all, zone_layer* areas) {
    if (areas) areas->rewind();
    std::size_t done = 0;
    for (const auto& z : all) {
        if (done++ % 64 == 0)
            call.progress(0.9 + 0.1 * static_cast<double>(done) / static_cast<double>(all.size()), "table");
        const auto outline = areas && table.with_outlines() ? areas->next_geometry() : nullptr;
        table.add(z, outline.get());
    }
    table.close();
    call.put(class_fields::matched_total, static_cast<std::int64_t>(table.rows()));
    const auto crs = areas && table.with_outlines() ? gdal::crs_text(areas->crs()) : std::string{};
    call.expect(standard::table_output, {.crs = crs, .features = table.rows()});
}

void run(gdalmcp::call& call) {
    if (call.given(zones) && call.given(geometry))
        throw error{GDALMCP_INVALID_ARGUMENT, "'zones' and 'geometry' are both given",
                    "give one; vector_clip cuts zones to an area"};
    const auto& output = standard::table_output;
    zone_table::has_outlines(call[output].path);  // a wrong extension is refused before anything is read
    const wanted_classes wanted{call};
    const int band = static_cast<int>(call[standard::band]);
    const class_source classes{call, call[standard::raster_uri], call[against], band};
    const auto& values = classes.values();
    const auto areas = gdalmcp_raster::areas_of(call, values.on());
    const auto asked = request_for(band);

    std::optional<zone_layer> of_zones;
    std::optional<zone_book> book;
    if (const auto named = call[zones]) {
        of_zones.emplace(*named,
                         zone_layer::options{.layer = call[layer],
                                             .id_field = call[zone_id],
                                             .crs = call[geometry_crs],
                                             .words = {.crs_argument = geometry_crs.name}},
                         values);
        book.emplace(call, *of_zones, values, asked, limit_for(classes));
    } else {
        book.emplace(call.given(geometry) ? inside(call, values) : everywhere(values), values, asked,
                     limit_for(classes));
    }
    const auto overlaps = sweep(source_of(classes, areas, band), asked, book->zones(),
                                [&](double f) { call.progress(0.3 + 0.6 * f, "raster"); });
    book->require_zones(values);
    const bool together = !of_zones && !call.given(geometry), with_areas = areas.has_value();
    const auto all = tallied(book->results(), together, classes.pairs(), wanted.codes());
    const class_naming names{wanted.names(), classes};
    put_classes(call, all, names, of_zones.has_value(), with_areas);
    if (of_zones) {
        for (const auto& warning : of_zones->warnings()) call.warn(warning);
        if (const auto text = overlap_text(overlaps); !text.empty()) call.warn(text);
        auto fields = of_zones->label_fields();
        fields.insert(fields.begin(), of_zones->id_field());
        call.put(class_fields::zone_fields, fields);
    }
    double without_data = 0;
    for (const auto& z : all) without_data += z.tally.unclassified.cells;
    if (const auto text = unplaced_text(book->results(), static_cast<std::size_t>(std::ceil(without_data)));
        !text.empty())
        call.warn(text);
    warn_of_gaps(call, all, of_zones.has_value());
    warn_of_absent(call, all, wanted.codes(), values.path());
    warn_of_legends(call, classes);
    class_table table{
        call[output].path,    names,      of_zones ? of_zones->label_fields() : std::vector<std::string>{},
        of_zones.has_value(), with_areas, of_zones ? of_zones->crs() : OGRSpatialReference{}};
    write_table(call, table, all, of_zones ? &*of_zones : nullptr);
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "aggregate_classes",
     .title = "Areas of classes",
     .about =
         "True area of each class in hectares, in all or by zone; of two rasters, of pairs of classes. Cells count "
         "by their share inside.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {standard::raster_uri, standard::band, against, zones, layer, zone_id, geometry, geometry_crs,
     wanted_classes::argument(), standard::table_output, standard::overwrite},
    {used_geometry, used_geometry_crs, class_fields::zone_fields, class_fields::zones, class_fields::matched_total,
     class_fields::truncated}};

}  // namespace gdalmcp_aggregation::aggregate_classes
