#include "arguments.hpp"
#include "curvature.hpp"
#include "datasets/gdal_flow_tags.hpp"
#include "gdal_ground.hpp"
#include "raster/gdal_relief.hpp"
#include "tools.hpp"

namespace gdalmcp_raster_more::raster_curvature {
namespace {

const auto dem = standard::described(uri, "Elevation model: path, file:// or query://result/{id}.");
const arg<choice> measure{
    .name = "measure",
    .about =
        "profile: along the steepest slope; tangential: across it; plan: of the contour line; mean; gaussian. "
        "Positive where convex.",
    .values = {"profile", "plan", "tangential", "mean", "gaussian"},
    .synonyms = {{"contour", "plan"}, {"total", "gaussian"}, {"general", "mean"}}};
const arg<choice> method{.name = "method",
                         .about = "evans smooths over all 9 cells; zevenbergen_thorne passes through them.",
                         .fallback = choice{"evans"},
                         .values = {"evans", "zevenbergen_thorne"}};
const arg<std::optional<double>> z_factor{
    .name = "z_factor",
    .about = "Brings heights to the unit of the cells (metres if geographic). Default: by their units.",
    .above = 0.0};

const field<std::string> measure_used{"measure", "As asked"};
const field<std::string> method_used{"method", "As used"};
const field<std::string> unit_used{"unit", "1/m; of gaussian 1/m²"};

curvature curvature_of(const std::string& name) {
    if (name == "profile") return curvature::profile;
    if (name == "plan") return curvature::plan;
    if (name == "tangential") return curvature::tangential;
    return name == "mean" ? curvature::mean : curvature::gaussian;
}

bool has_neighbours(const gdal::block& b, int row, int column) {
    for (int r = row - 1; r <= row + 1; ++r)
        for (int c = column - 1; c <= column + 1; ++c)
            if (!b.valid(0, r)[c]) return false;
    return true;
}

void run(gdalmcp::call& call) {
    const auto& path = call[dem].path;
    const auto opened = open_band(call, call[dem]);
    const grid& on = opened.on;
    auto& heights = opened.band;
    require_upright(path, on);
    warn_of_undeclared_nodata(call, path, heights);
    warn_of_place(call, path, on);
    if (on.crs.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT, path + " has no CRS, so the unit of its cells is unknown",
                    "state it with raster_reproject and 'src_crs'"};
    require_real(heights);
    gdalmcp_datasets::refuse_directions(path, *heights.GetDataset());
    refuse_palette(path, heights, "not heights", "give an elevation model");
    const auto ground = ground_of(path, on, heights, call[z_factor]);
    for (const auto& n : ground.notes) call.warn(n);
    // Metres of a stored unit of height, in which `ground` has the cells.
    std::vector<std::string> told;
    const double unit = call[z_factor] ? (on.crs.IsGeographic() ? 1 : on.crs.GetLinearUnits()) * *call[z_factor]
                                       : height_metres(path, on, heights, told);
    const double metre = unit * heights.GetScale();
    const auto what = curvature_of(call[measure].value);
    const auto by = call[method].value == "evans" ? quadratic::evans : quadratic::zevenbergen_thorne;
    const double factor = what == curvature::gaussian ? 1 / (metre * metre) : 1 / metre;

    const grid made = without_heights(on);
    raster_output out{call[output].path, made, GDT_Float32, 1};
    out.nodata(std::numeric_limits<double>::quiet_NaN());
    out.band(1).SetDescription((call[measure].value + " curvature").c_str());
    out.band(1).SetUnitType(what == curvature::gaussian ? "1/m²" : "1/m");
    gdal::block_job job;
    job.halo = 1;
    job.infinite_missing = true;
    job.read(heights, GDT_Float64);
    job.write(out.band(1), GDT_Float64);
    job.run(call.part(0, 0.85, "curvature"), [&](const gdal::block& b) {
        for (int row = 0; row < b.height; ++row) {
            const curved_rows rows{b.in<double>(0, row - 1), b.in<double>(0, row), b.in<double>(0, row + 1),
                                   static_cast<std::size_t>(b.width)};
            const auto& cell = ground.of(b.row + row);
            auto* to = b.out<double>(0, row);
            curve(what, by, rows, cell.width, -cell.height, to);
            for (int i = 0; i < b.width; ++i)
                to[i] = b.all_valid(0) || has_neighbours(b, row, i) ? to[i] * factor
                                                                    : std::numeric_limits<double>::quiet_NaN();
        }
    });
    report_infinite(call, job, path);
    const auto figures = figures_of(out.band(1), call.part(0.85, 0.95));
    out.close();
    call.expect(output, expected_raster(made, 1, "Float32"));

    call.put(measure_used, call[measure].value);
    call.put(method_used, call[method].value);
    call.put(unit_used, what == curvature::gaussian ? "1/m²" : "1/m");
    result_figures::put(call, *figures);
    if (figures->counts().valid == 0)
        call.warn("no cell has a result: each has nodata within one cell, lies on the edge or is level");
    put_grid(call, made);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_curvature", "Curvature",
     "Curvature of an elevation model from the 3 × 3 cells around each, in 1/m. NaN (nodata) at edges and gaps, and, "
     "but "
     "for mean and gaussian, on level ground. True cell sizes by row where the CRS is geographic or stretches lengths "
     "by more than 1 %.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {dem, measure, method, z_factor, standard::band, output, subdataset, overwrite},
    {measure_used, method_used, unit_used, result_figures::valid_count, result_figures::min, result_figures::max,
     result_figures::mean, result_figures::std_field, crs.all, width, height}};

}  // namespace gdalmcp_raster_more::raster_curvature
