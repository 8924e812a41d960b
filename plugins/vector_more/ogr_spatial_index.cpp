#include "ogr_spatial_index.hpp"

#include <cpl_conv.h>
#include <ogrsf_frmts.h>
#include <gdalmcp/gdal_undeclared.hpp>

#include <filesystem>

namespace gdalmcp_vector_more {
namespace {

namespace fs = std::filesystem;
namespace gdal = gdalmcp::gdal;

// The index lands beside what it is made of, and the call may write nothing there: it is made of copies. GDAL finds the
// parts by extensions of one case.
void copy_parts(const fs::path& shapefile, const fs::path& to) {
    const bool upper = shapefile.extension() == ".SHP";
    for (const char* part : {"shp", "shx"}) {
        auto from = shapefile;
        from.replace_extension(upper ? (std::string{part} == "shp" ? ".SHP" : ".SHX") : std::string{"."} + part);
        if (fs::exists(from) && CPLCopyFile(fs::path{to}.replace_extension(part).c_str(), from.c_str()) != 0)
            gdal::raise("cannot copy " + from.string());
    }
}

gdal::dataset_ptr opened(const std::string& shapefile) {
    auto source = gdal::open(gdalmcp::vector{shapefile});
    if (!EQUAL(source->GetDriverName(), "ESRI Shapefile"))
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             shapefile + " is of the format " + source->GetDriverName() +
                                 ", which has no spatial index in a file beside it",
                             "vector_convert to .gpkg or .fgb writes a copy with an index inside"};
    return source;
}

}  // namespace

std::string spatial_index_of(const std::string& shapefile) {
    static_cast<void>(opened(shapefile));
    const auto index = fs::path{shapefile}.replace_extension(".qix").string();
    if (!gdal::detail::indexed_shapes(index))
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, index + " is no spatial index of a shapefile",
                             "it is kept; a person may move it away"};
    return index;
}

std::int64_t write_spatial_index(const std::string& shapefile, const std::string& scratch, const std::string& index) {
    const auto source = opened(shapefile);
    if (source->GetLayer(0)->TestCapability(OLCFastSpatialFilter))
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, shapefile + " has a spatial index already",
                             "nothing needs to be done"};
    const auto place = fs::path{scratch} / "indexed.shp";
    copy_parts(shapefile, place);
    const gdal::dataset_ptr copied{GDALDataset::Open(
        place.c_str(), GDAL_OF_VECTOR | GDAL_OF_UPDATE | GDAL_OF_VERBOSE_ERROR, nullptr, nullptr, nullptr)};
    if (!copied) gdal::raise("cannot read " + shapefile);
    CPLErrorReset();
    copied->ReleaseResultSet(copied->ExecuteSQL("CREATE SPATIAL INDEX ON indexed", nullptr, nullptr));
    const auto written = fs::path{place}.replace_extension(".qix");
    if (CPLGetLastErrorType() >= CE_Failure || !fs::exists(written))
        gdal::raise("cannot build a spatial index of " + shapefile);
    fs::rename(written, index);
    return copied->GetLayer(0)->GetFeatureCount();
}

}  // namespace gdalmcp_vector_more
