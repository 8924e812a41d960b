#include "evidence_dem.hpp"

namespace gdalmcp_hydrology {
namespace {

namespace evidence = gdalmcp::evidence;

grid<footprint> take_holes(gdalmcp::call& call, const gdal_raster& raster, const grid<std::uint8_t>& valid) {
    const auto given = call[dem_holes];
    const std::string wanted = given ? given->value : raster.tag(holes_tag) == "missing" ? "missing" : "outlet";
    call.put(holes_used, count_holes(valid).holes == 0 ? "none" : wanted);
    return trace_footprint(valid, wanted == "missing" ? nodata_holes::missing : nodata_holes::outlet);
}

std::string size_text(const shape& s) { return std::to_string(s.width) + " x " + std::to_string(s.height) + " cells"; }

}  // namespace

double evidence_dem::land_area() const {
    double area = 0;
    for (std::size_t i = 0; i < land.size(); ++i)
        if (land[i] == footprint::terrain) area += sizes.area(land.extent().row(i));
    return area;
}

evidence_dem read_evidence_dem(gdalmcp::call& call) {
    gdal_raster raster{call[dem_uri], call[band]};
    raster.require_heights();
    warn_of_heights(call, raster);
    const auto all = raster.extent();
    const bool whole = all.size() <= max_dem_cells || std::max(all.width, all.height) <= middle_side;
    if (!whole) raster.keep_middle(middle_side);
    const auto declared = raster.height_unit();
    call.put(height_unit_used, declared.empty() ? "unknown" : declared);
    const auto metres = metres_of(declared);
    const double unit = metres.value_or(1) * raster.scale();
    const auto measured = measure_cells(raster);
    if (!measured.note.empty()) call.warn(measured.note);
    auto [heights, valid] = raster.read<double>(call.part(0, 0.1, "reading"));
    for (std::size_t i = 0; i < heights.size(); ++i) heights[i] *= unit;
    auto land = take_holes(call, raster, valid);
    const auto cells = count_cells(land, footprint::terrain);
    if (cells == 0)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             raster.path() + " has no cell with a height" + (whole ? "" : " in its middle"),
                             "check the file and its nodata value with raster_info and raster_stats"};
    call.put(evidence::approximate, !whole);
    call.put(evidence::read,
             whole ? "all " + size_text(all) : "the middle " + size_text(raster.extent()) + " of " + size_text(all));
    auto part = whole ? "" : "of the middle " + size_text(raster.extent()) + " of " + size_text(all);
    return {std::move(raster), std::move(heights), metres ? "m" : declared, std::move(land), measured.sizes, cells,
            std::move(part)};
}

}  // namespace gdalmcp_hydrology
