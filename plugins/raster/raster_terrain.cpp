#include <gdalmcp/gdal_kind.hpp>

#include <array>
#include <cstring>

#include "arguments.hpp"
#include "datasets/gdal_flow_tags.hpp"
#include "datasets/gdal_height_unit.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_block_figures.hpp"
#include "gdal_map_scale.hpp"
#include "gdal_relief.hpp"
#include "gdal_undeclared_nodata.hpp"
#include "result_figures.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_terrain {
namespace {

using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

const auto dem = gdalmcp::standard::described(gdalmcp::standard::raster_uri,
                                              "Elevation model: path, file:// or query://result/{id}.");
const arg<choice> measure{
    .name = "measure",
    .about =
        "slope; aspect (degrees clockwise from grid north that it faces, level cells nodata); hillshade (1 to 255); "
        "tri, "
        "tpi, roughness (height units).",
    .values = {"slope", "aspect", "hillshade", "tri", "tpi", "roughness"},
    .synonyms = {{"ruggedness", "tri"}, {"terrain_ruggedness_index", "tri"}, {"topographic_position_index", "tpi"}}};
const arg<choice> slope_unit{.name = "slope_unit",
                             .about = "percent: 100 × rise over run.",
                             .fallback = choice{"degrees"},
                             .values = {"degrees", "percent"}};
const arg<std::optional<choice>> algorithm{
    .name = "algorithm",
    .about = "horn (default) or zevenbergen_thorne, which suits smooth terrain; of tri: riley (default) or wilson.",
    .values = {"horn", "zevenbergen_thorne", "riley", "wilson"}};
const arg<std::optional<double>> z_factor{
    .name = "z_factor",
    .about = "Heights times this have the unit of the cells (metres if geographic). Default: by their units.",
    .above = 0.0};
const arg<double> azimuth{.name = "azimuth",
                          .about = "Of the light of a hillshade, clockwise from north.",
                          .unit = "degrees",
                          .fallback = 315.0,
                          .min = 0,
                          .max = 360};
const arg<double> altitude{.name = "altitude",
                           .about = "Of the light above the horizon.",
                           .unit = "degrees",
                           .fallback = 45.0,
                           .min = 0,
                           .max = 90};

const field<std::string> measure_used{"measure", "As asked"};
const field<std::string> unit_used{"unit", "Of the values: degrees, percent, grey values or height units"};
const auto algorithm_used = field<std::string>{"algorithm", "As used"}.optional();
const auto z_used =
    field<double>{"z_factor", "Of slope and hillshade: heights times this have the unit of the cells"}.optional();
const field<double> nodata{"nodata", "Value of cells without a result: nodata within one cell, and the outer cells"};

std::string algorithm_of(gdalmcp::call& call, const std::string& what) {
    const bool by_gradient = what == "slope" || what == "aspect" || what == "hillshade";
    if (!call[algorithm]) return by_gradient ? "horn" : what == "tri" ? "riley" : "";
    const auto asked = call[algorithm]->value;
    const bool fits = by_gradient     ? asked == "horn" || asked == "zevenbergen_thorne"
                      : what == "tri" ? asked == "riley" || asked == "wilson"
                                      : false;
    if (fits) return asked;
    throw error{GDALMCP_INVALID_ARGUMENT, "'algorithm' is " + asked + ", which " + what + " does not have",
                by_gradient     ? "give horn or zevenbergen_thorne"
                : what == "tri" ? "give riley or wilson"
                                : "leave 'algorithm' out"};
}

// In the words of gdaldem; slope and aspect are computed here.
gdaldem_measure gdaldem_of(gdalmcp::call& call, const std::string& what, const std::string& by) {
    if (what == "hillshade")
        return {what,
                {"-alg", by == "horn" ? "Horn" : "ZevenbergenThorne", "-az", gdal::number_text(call[azimuth]), "-alt",
                 gdal::number_text(call[altitude])}};
    if (what == "tri") return {"TRI", {"-alg", by == "riley" ? "Riley" : "Wilson"}};
    return {what == "tpi" ? "TPI" : what, {}};
}

void require_grid(const std::string& path, GDALDataset& source, const grid& on) {
    const auto placed_by = irregular_location(source);
    if (!on.georeferenced && !placed_by.empty())
        throw error{GDALMCP_UNSUPPORTED, path + " is placed by " + placed_by + ", so its cells have no common size",
                    "bring it to a regular grid with raster_reproject"};
    if (!on.georeferenced)
        throw error{GDALMCP_UNSUPPORTED, path + " has no geotransform, so the size of its cells is unknown",
                    "georeference it first"};
    if (on.rotated() || on.geotransform[1] <= 0)
        throw error{GDALMCP_UNSUPPORTED, path + " lies on a rotated or mirrored grid",
                    "bring it to a north-up grid of its own CRS with raster_reproject"};
}

void require_heights(gdalmcp::call& call, const std::string& path, GDALRasterBand& band) {
    require_real(band);
    gdalmcp_datasets::refuse_directions(path, *band.GetDataset());
    const auto kind = gdal::kind_of(band);
    if (kind.certain && (kind.kind == gdal::value_kind::classes || kind.kind == gdal::value_kind::qa_bits))
        throw error{GDALMCP_INVALID_ARGUMENT, path + " holds class codes, not heights: " + kind.why,
                    "give an elevation model"};
    if (kind.kind != gdal::value_kind::elevation && kind.kind != gdal::value_kind::continuous &&
        kind.kind != gdal::value_kind::unknown)
        call.warn("the values of " + path + " may not be heights: " + kind.why);
    if (!(band.GetScale() > 0))
        throw error{GDALMCP_UNSUPPORTED,
                    path + " stores heights with the scale " + gdal::number_text(band.GetScale()) +
                        ", which inverts the terrain",
                    "unscale it with raster_convert first"};
}

// Slope or aspect of a block, -9999 where one of the nine cells has no data.
template <class Rows>
void by_rows(const gdal::block& b, float none, Rows&& rows) {
    const auto lacks_nothing = [&](int row) {
        return std::memchr(b.valid(0, row), 0, static_cast<std::size_t>(b.width)) == nullptr;
    };
    std::array<bool, 3> whole{false, lacks_nothing(-1), lacks_nothing(0)};
    for (int row = 0; row < b.height; ++row) {
        auto* out = b.out<float>(0, row);
        rows(row, out);
        if (b.all_valid(0)) continue;
        whole = {whole[1], whole[2], lacks_nothing(row + 1)};
        const unsigned char* valid[] = {b.valid(0, row - 1), b.valid(0, row), b.valid(0, row + 1)};
        const auto mark = [&](int i) {
            for (const auto* v : valid)
                if (!v[i - 1] || !v[i] || !v[i + 1]) out[i] = none;
        };
        if (whole[0] && whole[1] && whole[2]) {  // but for the cells beside the block
            mark(0);
            mark(b.width - 1);
            continue;
        }
        for (int i = 0; i < b.width; ++i) mark(i);
    }
}

// What to compute from which band, and how.
struct relief_plan {
    std::string measure, algorithm;
    GDALRasterBand& heights;
    const grid& on;
    relief_ground ground;
    gdaldem_measure by_gdaldem;
    bool percent = false;

    bool own() const { return measure == "slope" || measure == "aspect"; }
    bool sloping() const { return measure == "slope" || measure == "hillshade"; }
    GDALDataType type() const { return relief_type(by_gdaldem.mode); }
    double none() const { return type() == GDT_Byte ? 0 : -9999; }
};

void compute_own(const relief_plan& p, const gdal::block& b) {
    const auto by = p.algorithm == "zevenbergen_thorne" ? gradient::zevenbergen_thorne : gradient::horn;
    const auto none = static_cast<float>(p.none());
    by_rows(b, none, [&](int row, float* to) {
        const relief_rows rows{b.in<float>(0, row - 1), b.in<float>(0, row), b.in<float>(0, row + 1),
                               static_cast<std::size_t>(b.width)};
        const auto& cell = p.ground.of(b.row + row);
        p.measure == "slope" ? slope(rows, cell, by, p.percent, to) : aspect(rows, cell, by, none, to);
    });
}

// Differences of stored heights become differences of heights.
void unscale(const relief_plan& p, const gdal::block& b) {
    const double factor = p.heights.GetScale();
    if (p.own() || p.type() != GDT_Float32 || factor == 1) return;
    auto* out = b.out<float>(0, 0);
    for (std::int64_t i = 0; i < b.cells(); ++i)
        if (out[i] != static_cast<float>(p.none())) out[i] = static_cast<float>(out[i] * factor);
}

// Fills the band; the statistics of its cells.
std::unique_ptr<statistics> computed(gdalmcp::call& call, const relief_plan& p, GDALRasterBand& to) {
    // gdaldem computes small whole numbers in its own way, so it is given them as they are.
    const auto stored = p.heights.GetRasterDataType();
    const auto rule = gdal::nodata_rule_of(p.heights);
    const bool whole = !p.own() && !rule.by_mask && (stored == GDT_Byte || stored == GDT_Int16 || stored == GDT_UInt16);
    const auto type = whole ? stored : GDT_Float32;
    const auto missing = whole && !rule.range.empty() ? std::optional{rule.range.lowest} : std::nullopt;

    gdal::block_job job;
    job.read(p.heights, type);
    job.write(to, p.type());
    job.halo = 1;
    job.infinite_missing = true;
    auto figures =
        statistics_of(p.type() == GDT_Byte ? cell_type::uint8 : cell_type::float32, {p.none(), p.none(), false});
    const auto size = job.size();
    figures->begin(size.blocks, size.workers, false);
    job.run(call.part(0, 0.95, p.measure), [&](const gdal::block& b) {
        p.own() ? compute_own(p, b) : compute(p.by_gdaldem, b, p.on, p.ground, type, missing);
        unscale(p, b);
        add_block(*figures, b, b.out<unsigned char>(0, 0));
    });
    figures->end();
    report_infinite(call, job, call[dem].path);
    return figures;
}

void run(gdalmcp::call& call) {
    const auto what = call[measure].value;
    const auto by = algorithm_of(call, what);
    const auto opened = open_band(call, call[dem]);
    const auto& path = call[dem].path;
    const grid& on = opened.on;
    auto& heights = opened.band;
    require_grid(path, *opened.file, on);
    require_heights(call, path, heights);
    warn_of_undeclared_nodata(call, path, heights);
    warn_of_place(call, path, on);

    relief_plan p{what, by, heights, on, {}, gdaldem_of(call, what, by), call[slope_unit].value == "percent"};
    if (!p.sloping() && call[z_factor])
        throw error{GDALMCP_INVALID_ARGUMENT, "'z_factor' is given, which " + what + " does not depend on",
                    "leave 'z_factor' out"};
    if (p.sloping())
        p.ground = ground_of(path, on, heights, call[z_factor]);
    else if (what == "aspect")
        p.ground = shapes_of(path, on);
    else
        p.ground.rows = {relief_cell{}};  // differences of heights alone
    for (const auto& n : p.ground.notes) call.warn(n);
    if (const auto off = what == "aspect" ? meridian_convergence(on.extent(), on.crs) : std::nullopt; off && *off > 1)
        call.warn("aspect counts from grid north, which is up to " + gdal::number_text(std::round(*off * 10) / 10) +
                  " degrees off true north here");
    if (gdalmcp_datasets::counts_down(on.crs))
        call.warn(gdal::crs_label(on.crs) +
                  " counts depths downwards, and they are taken for heights: what rises here falls; -A of raster_calc "
                  "makes heights of them");
    const auto height = height_unit(heights, on.crs);
    const std::string unit = what == "slope"       ? call[slope_unit].value
                             : what == "aspect"    ? "degrees"
                             : what == "hillshade" ? ""
                                                   : height;

    const grid made = without_heights(on);
    raster_output out{call[output].path, made, p.type(), 1};
    out.nodata(p.none());
    out.band(1).SetDescription(what.c_str());
    out.band(1).SetUnitType(unit.c_str());
    const auto figures = computed(call, p, out.band(1));
    out.close();
    call.expect(output, expected_raster(made, 1, dtype_name(p.type())));

    call.put(measure_used, what);
    call.put(unit_used, what == "hillshade" ? "grey values" : unit.empty() ? "height units" : unit);
    if (!by.empty()) call.put(algorithm_used, by);
    if (p.sloping()) call.put(z_used, p.ground.z_factor);
    call.put(nodata, p.none());
    result_figures::put(call, *figures, what == "aspect");
    if (figures->counts().valid == 0)
        call.warn(on.width < 3 || on.height < 3
                      ? "no cell has a result: it is taken from 3 × 3 cells, and the raster has " +
                            std::to_string(on.width) + " × " + std::to_string(on.height)
                      : std::string{"no cell has a result: each has nodata within one cell"} +
                            (what == "aspect" ? ", is level" : "") + " or lies on the edge");
    put_grid(call, made);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_terrain", "Terrain measures",
     "Slope, aspect, hillshade, ruggedness (TRI), position index (TPI) or roughness of an elevation model, from the "
     "3 × 3 cells around each, as gdaldem computes them. True cell sizes by row where the CRS is geographic or "
     "stretches lengths by more than 1 %.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {dem, measure, slope_unit, algorithm, z_factor, azimuth, altitude, gdalmcp::standard::band, output, subdataset,
     overwrite},
    {measure_used, unit_used, algorithm_used, z_used, nodata, result_figures::valid_count, result_figures::min,
     result_figures::max, result_figures::mean, result_figures::std_field, crs.all, width, height}};

}  // namespace gdalmcp_raster::raster_terrain
