#include "ogr_format.hpp"

#include <algorithm>
#include <array>
#include <gdalmcp/gdal_crs.hpp>

namespace gdalmcp_vector {

namespace {

// GeoJSON keeps an id as the feature's "id" member; Shapefile and others number features by their place.
constexpr std::array<format, 9> formats{{
    {".gpkg", "GPKG", true, true, 1, false, false},
    {".shp", "ESRI Shapefile", false, false, 0, false, false},
    {".geojson", "GeoJSON", false, true, 1, false, true},
    {".json", "GeoJSON", false, true, 1, false, true},
    {".fgb", "FlatGeobuf", false, false, 0, true, false},
    {".geojsonl", "GeoJSONSeq", false, true, 1, false, true},
    {".csv", "CSV", false, false, 1, false, false},
    {".kml", "KML", false, false, 1, false, true},  // LIBKML takes minutes for 10 000 features, and drops dates
    {".gml", "GML", false, false, 0, false, false},
}};

std::string lower_extension(const std::string& path) {
    const auto slash = path.find_last_of('/');
    const auto dot = path.find_last_of('.');
    if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return {};
    std::string extension = path.substr(dot);
    for (char& c : extension)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return extension;
}

}  // namespace

format format_of(const std::string& path) {
    const std::string extension = lower_extension(path);
    for (const auto& f : formats)
        if (extension == f.extension) return f;
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "the output's extension '" + extension + "' names no vector format this tool writes",
                         "use .gpkg (GeoPackage), .shp (Shapefile), .geojson (RFC 7946), .geojsonl, .fgb (FlatGeobuf), "
                         ".csv (with WKT), .kml or .gml"};
}

std::string shapefile_name(const std::string& name, const OGRFeatureDefn& taken) {
    constexpr std::size_t most = 10;
    const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return (c & 0x80) == 0; });
    if (name.size() <= most || ascii) return name;
    const auto first_bytes = [&](std::size_t size) {
        while (size > 0 && (name[size] & 0xC0) == 0x80) --size;
        return name.substr(0, size);
    };
    auto cut = first_bytes(most);
    for (int n = 1; taken.GetFieldIndex(cut.c_str()) >= 0; ++n) {
        const auto end = "_" + std::to_string(n);
        cut = first_bytes(most - end.size()) + end;
    }
    return cut;
}

void require_crs_of(const format& f, const OGRSpatialReference& crs) {
    const auto code = f.wgs84_only ? gdalmcp::gdal::crs_code(crs) : "OGC:CRS84";
    if (code == "EPSG:4326" || code == "OGC:CRS84") return;
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "dst_crs is " + gdalmcp::gdal::crs_label(crs) + ", but " + f.driver + " holds WGS 84 only" +
                             (EQUALN(f.driver, "GeoJSON", 7) ? " (RFC 7946)" : ""),
                         "write to .gpkg or .fgb, or use dst_crs: \"OGC:CRS84\""};
}

std::optional<OGRSpatialReference> crs_as_written(const format& f, const OGRSpatialReference* crs) {
    std::optional<OGRSpatialReference> written;
    if (crs) written = *crs;
    if (!crs && EQUAL(f.driver, "GPKG")) {
        // GDAL 3.6 writes "Undefined geographic SRS" for none, and readers then treat metres as degrees. The format's
        // other placeholder claims less.
        written.emplace().SetLocalCS("Undefined Cartesian SRS");
        written->SetLinearUnits(SRS_UL_METER, 1.0);
    }
    // GML names a CRS by its code alone, which .tab and .mif files leave to be recognised.
    if (crs && EQUAL(f.driver, "GML") && !crs->GetAuthorityCode(nullptr))
        if (const auto code = gdalmcp::gdal::crs_code(*crs); code.starts_with("EPSG:"))
            written = gdalmcp::gdal::parse_crs(code);
    return written;
}

}  // namespace gdalmcp_vector
