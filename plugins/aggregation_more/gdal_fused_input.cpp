#include "gdal_fused_input.hpp"

#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_cell_area.hpp>
#include <gdalmcp/gdal_undeclared.hpp>

#include "datasets/gdal_finite_view.hpp"
#include "datasets/gdal_programs.hpp"
#include "ogr_source_share.hpp"

namespace gdalmcp_aggregation_more {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

bool fused_input::labels() const {
    const bool codes = kind.kind == gdal::value_kind::classes || kind.kind == gdal::value_kind::qa_bits;
    return method == "mode" || (codes && (method == "copy" || method == "nearest"));
}

fused_input open_input(const gdalmcp::raster& raster) {
    fused_input input;
    input.path = raster.path;
    input.dataset = open_raster(raster);
    input.on = grid_of(*input.dataset);
    if (!input.on.georeferenced || input.on.crs.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    input.path + " has no " + (input.on.georeferenced ? "CRS" : "geotransform"),
                    "give it one first, with raster_reproject and 'src_crs'"};
    if (const int bands = input.dataset->GetRasterCount(); bands != 1)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    input.path + " has " + std::to_string(bands) + " bands, and each input becomes one band",
                    "write the band that is wanted with raster_convert and 'bands'"};
    auto& band = input.band();
    require_real(band);
    if (band.GetScale() != 1 || band.GetOffset() != 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    input.path + " has scale " + gdal::number_text(band.GetScale()) + " and offset " +
                        gdal::number_text(band.GetOffset()) + ", which the result could not keep",
                    "write true values first, with raster_calc"};
    input.kind = gdal::kind_of(band, input.on.crs.IsVertical() != FALSE);
    return input;
}

namespace {

// Without the palette, which a GeoTIFF of such numbers cannot hold.
gdal::dataset_ptr without_palette(const fused_input& input) {
    auto copy = translate(*input.dataset, "", {"-of", "VRT"});
    if (!copy) gdal::raise("cannot read " + input.path);
    copy->GetRasterBand(1)->SetColorTable(nullptr);
    return copy;
}

// Whether NaN and infinite cells are left out, because something is computed of several.
bool takes_finite_cells(const fused_input& input) {
    return !input.aligned && input.method != "nearest" && holds_only_floats(*input.dataset);
}

}  // namespace

gdal::dataset_ptr warp_input(const fused_input& input, const grid& target, const std::string& scratch,
                             gdal::step& progress) {
    gdalmcp_raster::warp_request r;
    r.dst_crs = target.crs;
    r.resampling = input.method;
    r.align_to = target;
    r.nodata = std::numeric_limits<double>::quiet_NaN();
    r.error_threshold = 0;
    r.shift_heights = false;  // what is fused are values, whose unit is that of the input
    gdal::words words{"-of", "GTiff", "-ot", "Float64", "-co", "TILED=YES", "-co", "BIGTIFF=IF_SAFER"};
    for (const auto& word : gdalmcp_raster::gdalwarp_arguments(r, false)) words.add(word);
    const auto plain = takes_finite_cells(input)      ? finite_view(*input.dataset, {1})
                       : input.band().GetColorTable() ? without_palette(input)
                                                      : nullptr;
    CPLErrorReset();
    auto made = warp_by_program({plain ? plain.get() : input.dataset.get()}, scratch, std::move(words),
                                {gdal::step::report, &progress});
    if (!made) gdal::raise("cannot bring " + input.path + " to the target grid");
    progress.running.progress(progress.to);  // throws if the warp was stopped
    made->FlushCache();
    // Points that PROJ cannot transform become cells without data, not a failure.
    if (CPLGetLastErrorType() == CE_Failure && !STARTS_WITH(CPLGetLastErrorMsg(), "PROJ: "))
        gdal::raise("cannot bring " + input.path + " to the target grid");
    return made;
}

gdal::transformation way_between(const OGRSpatialReference& from, const OGRSpatialReference& to) {
    if (gdal::detail::coincide(from, to)) return nullptr;
    gdal::transformation way{OGRCreateCoordinateTransformation(&from, &to)};
    if (!way) gdal::raise("cannot transform " + gdal::crs_text(from) + " to " + gdal::crs_text(to));
    return way;
}

source_figures figures_before(const fused_input& input, const grid& target, const std::function<void(double)>& report) {
    const auto way = way_between(input.on.crs, target.crs);
    const source_share shares{input.on, target, way.get()};
    const auto areas = input.labels()
                           ? gdal::cell_areas::of(input.on.crs, input.on.geotransform, input.on.width, input.on.height)
                           : std::nullopt;
    source_figures found{fused_figures{input.labels()}, 0};
    compensated_sum covered;
    gdal::block_job job;
    job.read(input.band(), GDT_Float64);
    job.workers = 0;  // one PROJ transformation
    job.infinite_missing = takes_finite_cells(input);
    job.run(report, [&](const gdal::block& b) {
        for (int row = 0; row < b.height; ++row) {
            const auto part = shares.of(b.row + row, b.column, b.width);
            const auto* value = b.in<double>(0, row);
            const auto* valid = b.valid(0, row);
            for (std::size_t i = 0; i < part.size(); ++i) {
                if (part[i] <= 0) continue;
                covered.add(part[i]);
                const double area = areas ? areas->at(b.column + static_cast<double>(i) + 0.5, b.row + row) : 1;
                if (valid[i])
                    found.inside.add(value[i], part[i], part[i] * area);
                else
                    found.inside.add_missing();
            }
        }
    });
    if (job.met_infinite())
        gdal::detail::caution("infinite cells of " + input.path + " are taken for cells without data");
    found.outside = std::max(0.0, 1 - covered.value() / (static_cast<double>(input.on.width) * input.on.height));
    return found;
}

}  // namespace gdalmcp_aggregation_more
