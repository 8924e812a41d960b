#include "gdal_overlaps.hpp"

#include <gdalmcp/gdal_geometry.hpp>

namespace gdalmcp_gdal {
namespace {

// Boxes of one CRS, and the length along both axes up to which they do not count as overlapping.
struct comparable_boxes {
    std::vector<OGREnvelope> boxes;
    double least = 0;
};

comparable_boxes comparable(const std::vector<covered_place>& all) {
    comparable_boxes out;
    if (std::all_of(all.begin(), all.end(),
                    [&](const auto& p) { return gdal::detail::coincide(p.crs, all.front().crs); })) {
        for (const auto& p : all) {
            out.boxes.push_back(p.extent);
            out.least = std::max(out.least, p.cell / 2);
        }
        return out;
    }
    for (const auto& p : all) {
        OGREnvelope box;
        if (const auto degrees = gdal::wgs84_bounds(p.extent, p.crs)) {
            const auto [west, south, east, north] = *degrees;
            box.Merge(west, south);
            box.Merge(east < west ? east + 360 : east, north);
        }
        out.boxes.push_back(box);
    }
    return out;
}

bool overlap(const OGREnvelope& a, const OGREnvelope& b, double least) {
    return a.IsInit() && b.IsInit() && std::min(a.MaxX, b.MaxX) - std::max(a.MinX, b.MinX) > least &&
           std::min(a.MaxY, b.MaxY) - std::max(a.MinY, b.MinY) > least;
}

}  // namespace

void warn_of_differences(gdalmcp::call& call, const gdalmcp_raster::overlap_findings& found) {
    if (found.differing == 0) return;
    call.warn(std::to_string(found.differing) + " of " + std::to_string(found.overlapping) +
              " cells that several rasters cover have different values, by up to " + gdal::number_text(found.largest) +
              ": the later raster's are kept; raster_mosaic takes their mean, least or greatest with 'overlap'");
}

void warn_of_uncompared(gdalmcp::call& call, const std::vector<covered_place>& all) {
    const auto [boxes, least] = comparable(all);
    for (std::size_t i = 0; i < boxes.size(); ++i)
        for (std::size_t k = i + 1; k < boxes.size(); ++k)
            if (overlap(boxes[i], boxes[k], least)) {
                call.warn("source " + std::to_string(k + 1) + " covers a part of source " + std::to_string(i + 1) +
                          ": there the later one's values are kept, and they were not compared");
                return;
            }
}

}  // namespace gdalmcp_gdal
