#include "arguments.hpp"
#include "gdal_target_grid.hpp"
#include "ogr_burning.hpp"
#include "raster/calculated_cells.hpp"
#include "tools.hpp"
#include "vector/ogr_whole_values.hpp"

namespace gdalmcp_raster_more::raster_rasterize {
namespace {

const auto& features = standard::vector_uri;
const arg<std::optional<std::string>> attribute{
    .name = "attribute", .about = "Numeric field whose value the cells get; features without one are left out."};
const arg<std::optional<double>> value{.name = "value", .about = "For all features instead. Default: 1."};
const arg<std::optional<std::string>> where{.name = "where", .about = "Condition on attributes: \"class = 'road'\"."};
const arg<std::optional<gdalmcp::output_crs>> crs_wanted{.name = "crs",
                                                         .about = "Of the result. Default: the layer's."};
const arg<bool> all_touched{
    .name = "all_touched", .about = "All cells a polygon or line touches, not by their centres.", .fallback = false};
const arg<choice> combine{.name = "combine",
                          .about = "Where features overlap: last (in the layer's order) or add.",
                          .fallback = choice{"last"},
                          .values = {"last", "add"},
                          .synonyms = {{"replace", "last"}, {"sum", "add"}}};
const arg<std::optional<double>> background{
    .name = "background", .about = "Value of cells without a feature, as data. Default: nodata; with add: 0."};
const arg<std::optional<double>> nodata_wanted{
    .name = "nodata", .about = "Marks cells without a feature. Default: as raster_calc has it for the dtype."};
const auto dtype = standard::described(standard::dtype, "Default: the smallest that holds the values exactly.");
const arg<std::optional<gdalmcp::crs>> src_crs{
    .name = "src_crs", .about = "CRS of the features, where the layer states none or a wrong one."};

const field<std::string> dtype_used{"dtype", "Data type of the result"};
const auto nodata =
    field<double>{"nodata", "Of cells without a feature; absent when NaN or with a background"}.optional();
const auto background_used = field<double>{"background", "Of cells without a feature, when they have data"}.optional();
const field<std::int64_t> feature_count{"feature_count", "Features on the grid", "features"};
const field<std::int64_t> outside_count{"outside_count", "Features off the grid", "features"};
const field<std::int64_t> left_out_count{"left_out_count", "Features without geometry, value or place in the CRS",
                                         "features"};
const field<std::int64_t> covered_count{"covered_count", "Cells with a feature", "cells"};
const gdal::operation_record operation;
const auto optional_operation = operation.all.optional();

void check_arguments(gdalmcp::call& call) {
    if (call[attribute] && call[value]) conflict("attribute", "value");
    if (call[background] && call[nodata_wanted]) conflict("background", "nodata");
    require_one_grid(call);
    if (call[align_to] && call[crs_wanted]) conflict("align_to", "crs");
    if (call[combine].value == "add" && call[nodata_wanted])
        throw error{GDALMCP_INVALID_ARGUMENT, "'nodata' is given, but with combine add cells without a feature are 0",
                    "leave 'nodata' out"};
}

std::string count_text(GIntBig n, const char* what) {
    return std::to_string(n) + (n == 1 ? " feature " : " features ") + what;
}

void report_left_out(gdalmcp::call& call, const burn_survey& s) {
    if (s.without_geometry > 0) call.warn(count_text(s.without_geometry, "without geometry left out"));
    if (s.without_value > 0)
        call.warn(count_text(s.without_value, "without a value in '") + *call[attribute] + "' left out");
    if (s.without_place > 0) call.warn(count_text(s.without_place, "without a place in the CRS of the grid left out"));
    s.wide.tell(call, "the features");
    s.marks.tell(call, gdalmcp_vector::marks_left_out::where);
    if (call[combine].value == "add") {
        s.marks.tell_directions(call, "a sum of them");
        if (const auto summed = call[attribute]) gdalmcp_vector::warn_of_sum_of_rates(call, *summed);
    }
    if (s.features > 0) return;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "none of the " + std::to_string(s.read) + " features" + (call[where] ? " that meet 'where'" : "") +
                    " has a geometry and a value",
                "look at the layer with vector_info"};
}

cell_type type_of_cells(gdalmcp::call& call, const burnt_values& values, std::optional<double> back) {
    const bool add = call[combine].value == "add";
    if (constexpr double exact = 9007199254740992;
        values.whole() && std::max(-values.lowest(), values.highest()) >= exact)
        call.warn(
            "values reach " + gdal::number_text(values.highest()) +
            ": cells are doubles at most, which round whole numbers beyond 2^53, so that different ones may become "
            "one");
    if (!call[dtype]) return values.type(add, back);
    const auto name = call[dtype]->value;
    const auto type = *cell_type_of(GDALGetDataTypeByName(name.c_str()));
    const bool beyond_float = gdal_type(type) == GDT_Float32 &&
                              (std::max(-values.lowest(), values.highest()) > std::numeric_limits<float>::max() ||
                               (values.whole() && !values.held_by(type)));
    if (!whole(type) ? !beyond_float : (add ? values.sums_held_by(type) : values.held_by(type))) return type;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "'dtype' is " + name + ", which cannot hold " + (add ? "the sums of " : "") + "the values, " +
                    gdal::number_text(values.lowest()) + " to " + gdal::number_text(values.highest()),
                "give a wider 'dtype', or leave it out"};
}

// What cells hold before a feature covers them.
double initial_value(gdalmcp::call& call, const burnt_values& values, cell_type type, std::optional<double> back) {
    const double none = back ? *back : call[nodata_wanted].value_or(default_nodata(type));
    if (!holds(type, none))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{back ? "'background'" : "'nodata'"} + " is " + gdal::number_text(none) + ", which " +
                        dtype_name(gdal_type(type)) + " cannot hold",
                    "give a value of that type, or another 'dtype'"};
    // A feature with the value of the marker would vanish; between the extremes it may be there.
    if (!back && none >= values.lowest() && none <= values.highest())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "nodata " + gdal::number_text(none) + " lies within the values, " +
                        gdal::number_text(values.lowest()) + " to " + gdal::number_text(values.highest()),
                    "give 'nodata' outside of them, or a wider 'dtype'"};
    return none;
}

// initial: of cells that no feature covers.
std::int64_t count_covered(GDALRasterBand& band, double initial, const progress& report) {
    gdal::block_job job;
    job.read(band, GDT_Float64);
    std::vector<std::int64_t> found(job.size().workers);
    job.run(report, [&](const gdal::block& b) {
        const auto* cells = b.in<double>(0, 0);
        const auto* valid = b.valid(0, 0);
        for (std::int64_t i = 0; i < b.cells(); ++i) found[b.worker] += valid[i] && cells[i] != initial;
    });
    std::int64_t all = 0;
    for (const auto n : found) all += n;
    return all;
}

void run(gdalmcp::call& call) {
    check_arguments(call);
    const auto source = gdal::open(call[features]);
    auto& layer = gdal::layer_of(*source, call[standard::layer]);
    const auto say = [&](const std::string& text) { call.warn(text); };
    const auto own = gdalmcp_vector::crs_of(layer, call[src_crs], say);
    if (own.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT, "layer '" + std::string{layer.GetName()} + "' has no CRS",
                    "give the CRS of its coordinates with 'src_crs'; ask whoever made the data"};
    OGREnvelope extent;
    const bool known = layer.GetExtent(&extent, TRUE) == OGRERR_NONE;
    if (const auto why = known ? gdal::misplaced(extent, own) : std::string{}; !why.empty())
        call.warn("layer '" + std::string{layer.GetName()} + "' of " + call[features].path +
                  " does not fit its CRS: " + why);
    std::optional<grid> given;
    if (const auto other = call[align_to]) given = grid_like(*other);
    const auto target = given ? given->crs : call[crs_wanted] ? gdal::crs_argument(call[crs_wanted]->text, "crs") : own;
    gdalmcp_vector::transformation way{own, target, known ? gdal::wgs84_bounds(extent, own) : std::nullopt,
                                       call[standard::allow_ballpark], say};
    std::optional<gdalmcp_vector::attribute_filter> condition;
    if (const auto text = call[where]) condition.emplace(layer, *text);
    burnt_layer from{layer, condition ? &*condition : nullptr};
    if (const auto name = call[attribute]) {
        from.field = gdalmcp_vector::number_field(layer, *name);
        gdalmcp_vector::warn_of_total_per_cell(call, layer, *name);
    }
    from.crs = own;
    from.value = call[value].value_or(1);
    if (!way.none()) from.to_grid = &way;

    const auto s = survey(from, call.part(0, 0.15, "reading"));
    report_left_out(call, s);
    const grid on = given ? without_heights(*given) : grid_around(call, s.box, s.narrow, target);
    const burn_rule rule{call[all_touched], call[combine].value == "add"};
    const auto back = call[background] ? call[background] : rule.add ? std::optional{0.0} : std::nullopt;
    const auto type = type_of_cells(call, s.values, back);
    const double initial = initial_value(call, s.values, type, back);

    raster_output out{call[output].path, on, gdal_type(type), 1};
    if (!back) out.nodata(initial);
    if (const auto name = call[attribute]) out.band(1).SetDescription(name->c_str());
    out.band(1).Fill(initial);
    // Where a feature may leave the initial value, the covered cells are marked apart.
    std::optional<raster_output> marked;
    if (back && (rule.add || (*back >= s.values.lowest() && *back <= s.values.highest())))
        marked.emplace(call.new_scratch("covered", ".tif"), on, GDT_Byte, 1, std::vector<std::string>{"COMPRESS=LZW"});
    const auto done = burn(from, s, {out.dataset(), marked ? &marked->dataset() : nullptr}, rule,
                           call.part(0.15, 0.85, "rasterizing"));
    if (done.outside == s.features)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "no feature lies on the grid: the features extend over " + gdal::extent_text(s.box, target) +
                        ", the grid over " + gdal::extent_text(on.extent(), on.crs),
                    "check the CRSs, or give another grid"};
    const auto report = call.part(0.85, 0.9);
    const auto covered =
        marked ? count_covered(marked->band(1), 0, report) : count_covered(out.band(1), initial, report);
    const auto figures = figures_of(out.band(1), call.part(0.9, 0.95));
    out.close();
    call.expect(output, expected_raster(on, 1, dtype_name(gdal_type(type))));

    if (done.small > 0 && !rule.all_touched)
        call.warn(count_text(done.small,
                             "smaller than a cell: they have one only where they cover its centre; for all, "
                             "give all_touched: true or a finer grid"));
    if (covered == 0) call.warn("no cell is covered by a feature");
    call.put(dtype_used, dtype_name(gdal_type(type)));
    if (back)
        call.put(background_used, initial);
    else if (!std::isnan(initial))
        call.put(nodata, initial);
    call.put(feature_count, s.features - done.outside);
    call.put(outside_count, done.outside);
    call.put(left_out_count, s.read - s.features);
    call.put(covered_count, covered);
    result_figures::put(call, *figures);
    if (!way.none()) operation.put(call, way.about());
    crs.put(call, on.crs);
    call.put(transform, on.affine());
    call.put(width, on.width);
    call.put(height, on.height);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_rasterize", "Rasterize features",
     "Writes the features of a vector layer into a raster, as gdal_rasterize does: points into their cells, polygons "
     "into the cells whose centre they cover, lines into a thin row of cells along them, which leaves out some that "
     "they cross (all_touched has all). Features in another CRS are transformed.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {features, standard::layer, attribute, value, where, align_to, cell_sizes, bounds_wanted, crs_wanted, all_touched,
     combine, background, nodata_wanted, dtype, src_crs, standard::allow_ballpark, output, overwrite},
    {dtype_used, nodata, background_used, feature_count, outside_count, left_out_count, covered_count,
     result_figures::valid_count, result_figures::min, result_figures::max, result_figures::mean,
     result_figures::std_field, optional_operation, crs.all, transform, width, height}};

}  // namespace gdalmcp_raster_more::raster_rasterize
