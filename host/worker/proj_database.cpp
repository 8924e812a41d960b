#include "worker/proj_database.hpp"

#include <fcntl.h>
#include <gdal_priv.h>
#include <ogr_spatialref.h>
#include <ogrsf_frmts.h>
#include <unistd.h>
#include <gdalmcp/gdal_transformation.hpp>

#include <charconv>
#include <filesystem>
#include <memory>
#include <string>

#include "worker/crs.hpp"

namespace gdalmcp::worker {
namespace {

namespace fs = std::filesystem;

// A projected CRS as GeoTIFF keys, read back: the look-ups of raster_info, for some UTM zone.
void read_geotiff_keys(const OGRSpatialReference& srs) {
    constexpr const char* path = "/vsimem/warm_up.tif";
    auto* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
    if (!driver) return;
    if (GDALDatasetUniquePtr made{driver->Create(path, 1, 1, 1, GDT_Byte, nullptr)}) made->SetSpatialRef(&srs);
    if (const GDALDatasetUniquePtr read{GDALDataset::Open(path)}) {
        if (const auto* found = read->GetSpatialRef()) describe_crs(*found);
    }
    VSIUnlink(path);
}

// SQLite, SpatiaLite and the driver's own tables.
void read_geopackage(OGRSpatialReference srs) {
    constexpr const char* path = "/vsimem/warm_up.gpkg";
    auto* driver = GetGDALDriverManager()->GetDriverByName("GPKG");
    if (!driver) return;
    if (GDALDatasetUniquePtr made{driver->Create(path, 0, 0, 0, GDT_Unknown, nullptr)})
        made->CreateLayer("warm_up", &srs, wkbPolygon, nullptr);
    if (const GDALDatasetUniquePtr read{GDALDataset::Open(path, GDAL_OF_VECTOR)}) {
        auto* layer = read->GetLayer(0);
        if (layer && layer->GetSpatialRef()) describe_crs(*layer->GetSpatialRef());
    }
    VSIUnlink(path);
}

void transform(const OGRSpatialReference& from, const OGRSpatialReference& to, double x, double y,
               const OGRCoordinateTransformationOptions& options) {
    const std::unique_ptr<OGRCoordinateTransformation> t{OGRCreateCoordinateTransformation(&from, &to, options)};
    if (t) t->Transform(1, &x, &y);
}

std::vector<int> descriptors_of_database() {
    std::vector<int> found;
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator{"/proc/self/fd", ec}) {
        const auto name = entry.path().filename().string();
        int fd = -1;
        if (fs::read_symlink(entry.path(), ec).filename() == "proj.db" &&
            std::from_chars(name.data(), name.data() + name.size(), fd).ec == std::errc{})
            found.push_back(fd);
    }
    return found;
}

std::vector<int> read_ahead() {
    OGRSpatialReference wgs84, utm, nad27;
    if (wgs84.importFromEPSG(4326) != OGRERR_NONE || utm.importFromEPSG(32633) != OGRERR_NONE ||
        nad27.importFromEPSG(4267) != OGRERR_NONE)
        return {};
    wgs84.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    nad27.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    for (const char* common : {"EPSG:4326", "EPSG:3857", "EPSG:4269", "EPSG:32633"})
        static_cast<void>(describe_spelling(common));
    read_geotiff_keys(utm);
    read_geopackage(nad27);
    transform(utm, wgs84, 500000, 5000000, {});
    OGRCoordinateTransformationOptions around;
    around.SetAreaOfInterest(-80, 35, -79, 36);
    transform(nad27, wgs84, -80, 35, around);  // another datum needs other queries
    return descriptors_of_database();
}

}  // namespace

std::vector<int> warm_up_proj() {
    // The first dataset with side files fixes GDAL's folder for them; each call must choose its own.
    CPLSetConfigOption("GDAL_PAM_ENABLED", "NO");
    auto descriptors = read_ahead();
    CPLSetConfigOption("GDAL_PAM_ENABLED", nullptr);
    return descriptors;
}

void prepare_crs(const std::string& code) {
    const auto srs = gdal::parse_crs(code);
    if (!srs) return;
    static_cast<void>(describe_spelling(code));
    // Both return to GDAL's cache of transformations, which the children inherit.
    gdal::own_geographic_of(*srs);
    gdal::to_wgs84(*srs);
}

bool make_private(const std::vector<int>& descriptors) {
    for (const int fd : descriptors) {
        // Through /proc: the same file, even if the path now names another.
        const auto path = "/proc/self/fd/" + std::to_string(fd);
        const int own = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (own < 0) return false;
        const bool done = ::dup3(own, fd, O_CLOEXEC) >= 0;
        ::close(own);
        if (!done) return false;
    }
    return true;
}

}  // namespace gdalmcp::worker
