#include <cmath>

#include "gdal_ground.hpp"
#include "gdal_target_grid.hpp"
#include "gdal_triangles.hpp"
#include "interpolation.hpp"
#include "ogr_burning.hpp"
#include "tools.hpp"
#include "vector/ogr_field_marks.hpp"
#include "vector/ogr_whole_values.hpp"

namespace gdalmcp_raster_more::raster_interpolate {
namespace {

constexpr std::size_t max_points_read = 1'000'000;
constexpr std::size_t max_tried = 500;  // triangulations for the leave-one-out error

const auto points_uri =
    standard::described(standard::vector_uri, "Points: path, file://, query://result/{id} or inline GeoJSON.");
const arg<std::optional<std::string>> attribute{.name = "attribute",
                                                .about = "Numeric field with the values. Default: the points' z."};
const arg<choice> method{
    .name = "method",
    .about =
        "nearest; idw (inverse distance); linear (between the points of a triangle, within their hull); kriging "
        "(ordinary, by a variogram fitted to the points).",
    .values = {"nearest", "idw", "linear", "kriging"},
    .synonyms = {
        {"inverse_distance", "idw"}, {"tin", "linear"}, {"delaunay", "linear"}, {"ordinary_kriging", "kriging"}}};
const arg<double> power{.name = "power", .about = "Of idw.", .fallback = 2.0, .max = 20, .above = 0.0};
const arg<std::int64_t> max_points{.name = "max_points",
                                   .about = "Nearest points that idw and kriging use for a cell.",
                                   .fallback = 16,
                                   .min = 1,
                                   .max = 64};
const arg<std::optional<double>> radius{
    .name = "radius",
    .about = "Cells farther than this from all points get nodata; farther points are not used.",
    .unit = "m",
    .above = 0.0};
const arg<std::optional<choice>> variogram_wanted{.name = "variogram",
                                                  .about = "Of kriging. Default: the one that fits best.",
                                                  .values = {"spherical", "exponential", "gaussian"}};
const arg<bool> variance{.name = "variance", .about = "Kriging variance as band 2.", .fallback = false};

const field<std::string> method_used{"method", "As used"};
const field<std::int64_t> point_count{"point_count", "Places with a value", "points"};
const field<std::int64_t> merged_count{"merged_count", "Points averaged with others at their place", "points"};
const field<std::int64_t> left_out_count{"left_out_count", "Features without a point or value", "features"};
const auto loo_rmse =
    field<double>{"loo_rmse", "Leave-one-out error, root mean square, in the unit of the values"}.optional();
const auto loo_bias = field<double>{"loo_bias", "The same, mean of estimate − value"}.optional();
const field<std::int64_t> loo_count{"loo_count", "Points estimated from the others", "points"};
const field<std::string> shape_used{"model", "Shape"};
const field<double> nugget{"nugget", "Semivariance close to 0 m"};
const field<double> sill{"sill", "Semivariance far away, nugget included"};
const field<double> range{"range_m", "Distance where it reaches the sill, or 95 % of it", "m"};
const auto fitted_model =
    gdalmcp::record{"variogram", "Of kriging, as fitted", {shape_used, nugget, sill, range}}.optional();

// Points in metres: the coordinates of the grid times `metre`.
struct read_points {
    std::vector<measured_point> points;
    OGREnvelope box;  // in the CRS of the grid
    std::int64_t left_out = 0;
};

void add_points(const OGRGeometry& shape, std::optional<double> value, GIntBig id, read_points& into) {
    const auto type = wkbFlatten(shape.getGeometryType());
    if (type == wkbMultiPoint) {
        for (const auto* part : *shape.toMultiPoint()) add_points(*part, value, id, into);
        return;
    }
    if (type != wkbPoint)
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            "feature " + std::to_string(id) + " is a " + shape.getGeometryName() + ", and values are taken at points",
            "give a layer of points"};
    const auto& p = *shape.toPoint();
    if (!value && p.Is3D()) value = p.getZ();
    if (!value || !std::isfinite(*value) || p.IsEmpty()) {
        ++into.left_out;
        return;
    }
    into.points.push_back({p.getX(), p.getY(), *value});
    into.box.Merge(p.getX(), p.getY());
    if (into.points.size() > max_points_read)
        throw error{GDALMCP_INVALID_ARGUMENT, "the layer has more than " + std::to_string(max_points_read) + " points",
                    "thin them, or average them in the cells of a grid with raster_rasterize"};
}

read_points read(OGRLayer& layer, int column, gdalmcp_vector::transformation& way, const progress& report) {
    read_points all;
    gdalmcp_vector::for_each_feature(layer, report, [&](OGRFeature& feature) {
        const auto* shape = feature.GetGeometryRef();
        std::optional<double> value;
        if (column >= 0 && feature.IsFieldSetAndNotNull(column)) value = feature.GetFieldAsDouble(column);
        if (!shape || shape->IsEmpty() || (column >= 0 && !value)) {
            ++all.left_out;
        } else if (way.none()) {
            add_points(*shape, value, feature.GetFID(), all);
        } else if (const auto moved = way.apply(*shape, false)) {
            add_points(*moved, value, feature.GetFID(), all);
        } else {
            ++all.left_out;
        }
        return true;
    });
    return all;
}

// Estimates by one method; threads have a scratch each.
class estimator {
public:
    struct scratch {
        std::vector<neighbour> near;
        kriging_scratch system;
        int facet = 0;
    };

    estimator(std::string method, const std::vector<measured_point>& points)
        : method_{std::move(method)}, points_{points}, index_{points} {}

    double power = 2, radius = std::numeric_limits<double>::infinity();
    std::size_t most = 16;
    variogram model;
    std::unique_ptr<triangles> net;

    std::optional<estimate> at(double x, double y, std::size_t without, scratch& s) const {
        if (method_ == "linear") {
            if (!std::isinf(radius)) {
                index_.nearest(x, y, 1, radius, without, s.near);
                if (s.near.empty()) return std::nullopt;
            }
            const auto v = net->at(x, y, s.facet);
            return v ? std::optional{estimate{*v, 0}} : std::nullopt;
        }
        index_.nearest(x, y, method_ == "nearest" ? 1 : most, radius, without, s.near);
        if (s.near.empty()) return std::nullopt;
        if (method_ == "nearest") return estimate{points_[s.near.front().point].value, 0};
        if (method_ == "idw") return estimate{inverse_distance(points_, s.near, power), 0};
        return krige(points_, s.near, model, s.system);
    }

private:
    std::string method_;
    const std::vector<measured_point>& points_;
    point_index index_;
};

struct trial_error {
    double squares = 0, sum = 0;
    std::int64_t count = 0;
    void add(double difference) {
        squares += difference * difference;
        sum += difference;
        ++count;
    }
};

trial_error leave_one_out(const estimator& how, const std::string& name, const std::vector<measured_point>& points,
                          const progress& report) {
    trial_error e;
    estimator::scratch s;
    // A triangulation for each point takes long: of many points every n-th is tried.
    const std::size_t step = name == "linear" ? (points.size() + max_tried - 1) / max_tried : 1;
    for (std::size_t i = 0; i < points.size(); i += step) {
        if (i % 100 == 0) report(static_cast<double>(i) / static_cast<double>(points.size()));
        const auto& p = points[i];
        if (name == "linear") {
            const triangles others{points, i};
            int facet = 0;
            if (const auto v = others.ok() ? others.at(p.x, p.y, facet) : std::nullopt) e.add(*v - p.value);
        } else if (const auto found = how.at(p.x, p.y, i, s)) {
            e.add(found->value - p.value);
        }
    }
    return e;
}

std::string name_of(variogram_shape s) {
    return s == variogram_shape::spherical ? "spherical" : s == variogram_shape::gaussian ? "gaussian" : "exponential";
}

variogram fitted_to(gdalmcp::call& call, const std::vector<measured_point>& points) {
    std::optional<variogram_shape> shape;
    if (const auto wanted = call[variogram_wanted])
        shape = wanted->value == "spherical"  ? variogram_shape::spherical
                : wanted->value == "gaussian" ? variogram_shape::gaussian
                                              : variogram_shape::exponential;
    const auto lags = experimental(points);
    const auto v = fitted(lags, shape);
    if (!v)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "no variogram fits: the " + std::to_string(points.size()) + " points have " +
                        (lags.size() < 3 ? "fewer than 3 classes of distance" : "all the same value"),
                    "use idw or nearest"};
    if (v->range >= 2.9 * lags.back().distance)
        call.warn("the variogram rises beyond the longest distance between points compared, " +
                  gdal::number_text(std::round(lags.back().distance)) + " m: sill and range are guesses");
    if (v->nugget > 0.9 * v->sill)
        call.warn(
            "the variogram is nearly all nugget: values of neighbours are hardly alike, and the estimates close to a "
            "mean");
    return *v;
}

// Of attributes or heights.
void warn_of_marks(gdalmcp::call& call, const std::vector<measured_point>& points) {
    gdalmcp_vector::field_marks seen;
    for (const auto& p : points) seen.see(p.value);
    for (const auto& mark : seen.found())
        call.warn(gdal::number_text(mark.value) + " stands at " + std::to_string(mark.rows) +
                  (mark.rows == 1 ? " point" : " points") +
                  ", far from the other values: it looks like a mark of missing values, and is interpolated; leave "
                  "those points out with vector_query and 'where'");
}

void warn_of_directions(gdalmcp::call& call, const std::vector<measured_point>& points) {
    if (!call[attribute] || call[method].value == "nearest") return;
    gdalmcp_vector::field_directions seen{*call[attribute]};
    for (const auto& p : points) seen.see(p.value);
    gdalmcp_vector::warn_of_directions(call, *call[attribute], seen, call[method].value + " between them");
    gdalmcp_vector::warn_of_interpolated(call, *call[attribute]);
}

void check_arguments(gdalmcp::call& call) {
    require_one_grid(call);
    const bool kriging = call[method].value == "kriging";
    if (!kriging && (call[variance] || call[variogram_wanted]))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{"'"} + (call[variance] ? "variance" : "variogram") + "' is given with method " +
                        call[method].value,
                    "leave it out, or give method: kriging"};
}

void run(gdalmcp::call& call) {
    check_arguments(call);
    const auto source = gdal::open(call[points_uri]);
    auto& layer = gdal::layer_of(*source, call[standard::layer]);
    const auto say = [&](const std::string& text) { call.warn(text); };
    const auto own = gdalmcp_vector::crs_of(layer, std::nullopt, say);
    if (own.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT, "layer '" + std::string{layer.GetName()} + "' has no CRS",
                    "write it with its CRS first, with vector_reproject and 'src_crs'"};
    std::optional<grid> given;
    if (const auto other = call[align_to]) given = grid_like(*other);
    const auto target = given ? given->crs : own;
    if (!target.IsProjected())
        throw error{GDALMCP_UNSUPPORTED,
                    "the grid is in " + gdal::crs_label(target) +
                        ", whose units are not lengths, and estimates depend on distances",
                    "reproject the points with vector_reproject, or give 'align_to' with a projected CRS"};
    OGREnvelope extent;
    const bool known = layer.GetExtent(&extent, TRUE) == OGRERR_NONE;
    gdalmcp_vector::transformation way{own, target, known ? gdal::wgs84_bounds(extent, own) : std::nullopt,
                                       call[standard::allow_ballpark], say};
    auto all = read(layer, call[attribute] ? gdalmcp_vector::number_field(layer, *call[attribute]) : -1, way,
                    call.part(0, 0.1, "reading"));
    if (all.points.empty())
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            "no feature of layer '" + std::string{layer.GetName()} + "' has a point and a value",
            call[attribute] ? "look at the layer with vector_info" : "name the field with the values as 'attribute'"};
    const grid on = given ? *given : grid_around(call, all.box, true, target);
    if (on.rotated())
        throw error{GDALMCP_UNSUPPORTED, "the grid of 'align_to' is rotated", "give 'resolution' and 'bounds'"};
    constexpr double most_cells = 1e9;  // more take longer than a call may
    if (const double cells = static_cast<double>(on.width) * on.height; cells > most_cells)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the grid has " + std::to_string(on.width) + " x " + std::to_string(on.height) +
                        " cells, more than the 1e9 that can be interpolated in a call",
                    "give a larger 'resolution', or smaller 'bounds'"};
    std::vector<std::string> notes;
    const double metre = ground_metres(given ? call[align_to]->path : std::string{"the grid"}, on, notes);
    for (const auto& n : notes) call.warn(n);
    for (auto& p : all.points) p.x *= metre, p.y *= metre;
    const auto merged = merge_duplicates(all.points);
    const auto& points = all.points;
    warn_of_marks(call, points);
    warn_of_directions(call, points);

    const std::string name = call[method].value;
    estimator how{name, points};
    how.power = call[power];
    how.most = static_cast<std::size_t>(call[max_points]);
    how.radius = call[radius].value_or(how.radius);
    if (name == "kriging") how.model = fitted_to(call, points);
    if (name == "linear") {
        how.net = std::make_unique<triangles>(points);
        if (!how.net->ok())
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "no triangle can be made of the " + std::to_string(points.size()) + " points",
                        "linear needs three points not on a line; use nearest or idw"};
    }
    const auto tried = leave_one_out(how, name, points, call.part(0.1, 0.3, "leaving one out"));

    const int bands = call[variance] ? 2 : 1;
    raster_output out{call[output].path, on, GDT_Float32, bands};
    out.nodata(std::numeric_limits<double>::quiet_NaN());
    out.band(1).SetDescription(call[attribute] ? call[attribute]->c_str() : "z");
    if (bands == 2) out.band(2).SetDescription("kriging variance");
    gdal::block_job job;
    job.memory = 1 << 22;  // small blocks: a cell takes microseconds
    for (int b = 1; b <= bands; ++b) job.write(out.band(b), GDT_Float64);
    std::vector<estimator::scratch> scratch(job.size().workers);
    job.run(call.part(0.3, 0.9, "interpolating"), [&](const gdal::block& b) {
        for (int row = 0; row < b.height; ++row)
            for (int i = 0; i < b.width; ++i) {
                const double x = (on.geotransform[0] + (b.column + i + 0.5) * on.geotransform[1]) * metre;
                const double y = (on.geotransform[3] + (b.row + row + 0.5) * on.geotransform[5]) * metre;
                const auto e = how.at(x, y, point_index::nobody, scratch[b.worker]);
                b.out<double>(0, row)[i] = e ? e->value : std::numeric_limits<double>::quiet_NaN();
                if (bands == 2) b.out<double>(1, row)[i] = e ? e->variance : std::numeric_limits<double>::quiet_NaN();
            }
    });
    const auto figures = figures_of(out.band(1), call.part(0.9, 0.95));
    out.close();
    call.expect(output, expected_raster(on, bands, "Float32"));

    call.put(method_used, name);
    call.put(point_count, static_cast<std::int64_t>(points.size()));
    call.put(merged_count, static_cast<std::int64_t>(merged));
    call.put(left_out_count, all.left_out);
    if (merged > 0) call.warn(std::to_string(merged) + " points share a place with others and were averaged");
    call.put(loo_count, tried.count);
    if (tried.count > 0) {
        call.put(loo_rmse, std::sqrt(tried.squares / static_cast<double>(tried.count)));
        call.put(loo_bias, tried.sum / static_cast<double>(tried.count));
    }
    if (name == "kriging") {
        auto model = call.at(fitted_model);
        model.put(shape_used, name_of(how.model.shape));
        model.put(nugget, how.model.nugget);
        model.put(sill, how.model.sill);
        model.put(range, how.model.range);
    }
    result_figures::put(call, *figures);
    if (figures->counts().valid == 0)
        call.warn("no cell has a value: all are beyond 'radius' or outside the hull of the points");
    crs.put(call, on.crs);
    call.put(transform, on.affine());
    call.put(width, on.width);
    call.put(height, on.height);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_interpolate", "Interpolate points",
     "A raster of values between scattered points, with the error of estimating each point from the others. The CRS "
     "must be projected. Points at one place are averaged.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {points_uri, standard::layer, attribute, method, power, max_points, radius, variogram_wanted, variance, align_to,
     cell_sizes, bounds_wanted, standard::allow_ballpark, output, overwrite},
    {method_used, point_count, merged_count, left_out_count, loo_rmse, loo_bias, loo_count, fitted_model,
     result_figures::valid_count, result_figures::min, result_figures::max, result_figures::mean,
     result_figures::std_field, crs.all, transform, width, height}};

}  // namespace gdalmcp_raster_more::raster_interpolate
