// A geometry argument of GeoJSON, whatever its text, is refused with a message, or has a place in the CRS of a dataset:
// valid, not empty, in two dimensions, finite.
#include <cstdint>
#include <cstdlib>

#include <gdalmcp/gdal_geometry.hpp>

namespace {

void place(const std::string& text, const OGRSpatialReference& crs) {
    namespace gdal = gdalmcp::gdal;
    gdalmcp::geometry given;
    given.geojson = text;
    try {
        const auto placed = gdal::place_geometry(given, {}, {crs});
        if (!placed.shape || placed.shape->IsEmpty() || placed.shape->Is3D() || placed.shape->IsMeasured())
            std::abort();
        if (!gdal::invalid_reason(*placed.shape).empty()) std::abort();
        OGREnvelope box;
        placed.shape->getEnvelope(&box);
        if (!std::isfinite(box.MinX + box.MaxX + box.MinY + box.MaxY)) std::abort();
    } catch (const gdalmcp::error& e) {
        if (e.message.empty()) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const auto degrees = *gdalmcp::gdal::parse_crs("OGC:CRS84");
    static const auto metres = *gdalmcp::gdal::parse_crs("EPSG:32633");
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    if (text.find('\0') != std::string::npos || !CPLIsUTF8(text.c_str(), static_cast<int>(size))) return 0;
    CPLPushErrorHandler(CPLQuietErrorHandler);
    place(text, degrees);
    place(text, metres);
    CPLPopErrorHandler();
    return 0;
}
