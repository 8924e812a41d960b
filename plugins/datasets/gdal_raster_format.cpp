#include "gdal_raster_format.hpp"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdalmcp/tool.hpp>

#include <algorithm>
#include <array>

namespace gdalmcp_datasets {

using gdalmcp::error;

namespace {

bool writes(GDALDriver& d) {
    return d.GetMetadataItem(GDAL_DCAP_RASTER) &&
           (d.GetMetadataItem(GDAL_DCAP_CREATE) || d.GetMetadataItem(GDAL_DCAP_CREATECOPY));
}

bool has_extension(GDALDriver& d, const std::string& extension) {
    const char* all = d.GetMetadataItem(GDAL_DMD_EXTENSIONS);
    const CPLStringList list{CSLTokenizeString(all ? all : "")};
    return list.FindString(extension.c_str()) >= 0;
}

// It would refer to the source, or to scratch files deleted with the call, from wherever the result is moved.
void refuse_vrt(const std::string& path, const std::string& driver) {
    if (!EQUAL(driver.c_str(), "VRT") && !(driver.empty() && EQUAL(CPLGetExtension(path.c_str()), "vrt"))) return;
    throw error{GDALMCP_UNSUPPORTED,
                std::string{"a VRT holds no cells, only the path of its source ("} + CPLGetFilename(path.c_str()) + ")",
                "end 'output' in .tif; the source itself needs no conversion to be read"};
}

// The driver chosen for extensions that several drivers claim.
template <class Fits>
GDALDriver* driver_of_extension(const std::string& extension, Fits&& fits) {
    auto* manager = GetGDALDriverManager();
    for (const auto& [known, name] :
         {std::pair{"tif", "GTiff"}, {"tiff", "GTiff"}, {"jp2", "JP2OpenJPEG"}, {"jpg", "JPEG"}})
        if (EQUAL(extension.c_str(), known))
            if (auto* d = manager->GetDriverByName(name); d && fits(*d)) return d;
    for (int i = 0; i < manager->GetDriverCount(); ++i)
        if (auto* d = manager->GetDriver(i); d && fits(*d) && has_extension(*d, extension)) return d;
    return nullptr;
}

}  // namespace

bool has_extension_of(GDALDriver& driver, const std::string& path) {
    return has_extension(driver, CPLGetExtension(path.c_str()));
}

GDALDriver& driver_for(const std::string& path, const std::string& driver) {
    refuse_vrt(path, driver);
    if (!driver.empty()) {
        auto* named = GetGDALDriverManager()->GetDriverByName(driver.c_str());
        if (!named || !writes(*named))
            throw error{
                GDALMCP_UNSUPPORTED,
                "driver '" + driver + "' " + (named ? "does not write rasters" : "is not in this build of GDAL"),
                "use GTiff, COG or another driver of gdalinfo --formats that is marked rw"};
        return *named;
    }
    const std::string extension = CPLGetExtension(path.c_str());
    if (auto* d = driver_of_extension(extension, writes)) return *d;
    throw error{GDALMCP_UNSUPPORTED,
                "no raster driver writes '." + extension + "' (" + CPLGetFilename(path.c_str()) + ")",
                "end 'output' in .tif, or leave it out for a managed GeoTIFF"};
}

GDALDriver& keeping_driver_for(const std::string& path) {
    auto& driver = driver_for(path);
    if (!keeps(driver))
        throw error{GDALMCP_UNSUPPORTED,
                    std::string{driver.GetDescription()} + " may change values or their nodata value (" +
                        CPLGetFilename(path.c_str()) + ")",
                    "write a .tif and convert it with raster_convert, which counts what changes"};
    return driver;
}

GDALDriver& creating_driver_for(const std::string& path) {
    refuse_vrt(path, {});
    const std::string extension = CPLGetExtension(path.c_str());
    if (auto* d = driver_of_extension(extension,
                                      [](GDALDriver& each) { return writes(each) && creates(each) && keeps(each); }))
        return *d;
    throw error{GDALMCP_UNSUPPORTED,
                "no format named ." + extension + " keeps every value of a raster written cell by cell",
                "write a .tif and convert it with raster_convert"};
}

bool keeps(GDALDriver& driver) {
    const std::array exact{"GTiff", "COG", "HFA", "ENVI", "EHdr", "ERS", "SAGA"};
    return std::any_of(exact.begin(), exact.end(), [&](const char* d) { return EQUAL(driver.GetDescription(), d); });
}

bool creates(GDALDriver& driver) { return driver.GetMetadataItem(GDAL_DCAP_CREATE) != nullptr; }

std::vector<std::string> plain_options(GDALDriver& driver) {
    if (!EQUAL(driver.GetDescription(), "GTiff")) return {};
    return {"TILED=YES", "BIGTIFF=IF_SAFER"};
}

}  // namespace gdalmcp_datasets
