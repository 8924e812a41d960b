#include "format.hpp"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdalmcp/tool.hpp>

namespace gdalmcp_raster {

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

}  // namespace

GDALDriver& driver_for(const std::string& path, const std::string& driver) {
    auto* manager = GetGDALDriverManager();
    // It would point to the source, or to scratch that goes with the call, from wherever the result is moved to.
    if (EQUAL(driver.c_str(), "VRT") || (driver.empty() && EQUAL(CPLGetExtension(path.c_str()), "vrt")))
        throw error{
            GDALMCP_UNSUPPORTED,
            std::string{"a VRT holds no cells, only the path of its source ("} + CPLGetFilename(path.c_str()) + ")",
            "end 'output' in .tif; the source itself needs no conversion to be read"};
    if (!driver.empty()) {
        auto* named = manager->GetDriverByName(driver.c_str());
        if (!named || !writes(*named))
            throw error{
                GDALMCP_UNSUPPORTED,
                "driver '" + driver + "' " + (named ? "does not write rasters" : "is not in this build of GDAL"),
                "use GTiff, COG or another driver of gdalinfo --formats that is marked rw"};
        return *named;
    }
    const std::string extension = CPLGetExtension(path.c_str());
    // Extensions that several drivers claim.
    for (const auto& [known, name] :
         {std::pair{"tif", "GTiff"}, {"tiff", "GTiff"}, {"jp2", "JP2OpenJPEG"}, {"jpg", "JPEG"}})
        if (EQUAL(extension.c_str(), known))
            if (auto* d = manager->GetDriverByName(name)) return *d;
    for (int i = 0; i < manager->GetDriverCount(); ++i)
        if (auto* d = manager->GetDriver(i); d && writes(*d) && has_extension(*d, extension)) return *d;
    throw error{GDALMCP_UNSUPPORTED,
                "no raster driver writes '." + extension + "' (" + CPLGetFilename(path.c_str()) + ")",
                "end 'output' in .tif, or leave it out for a managed GeoTIFF"};
}

bool creates(GDALDriver& driver) { return driver.GetMetadataItem(GDAL_DCAP_CREATE) != nullptr; }

std::vector<std::string> plain_options(GDALDriver& driver) {
    if (!EQUAL(driver.GetDescription(), "GTiff")) return {};
    return {"TILED=YES", "BIGTIFF=IF_SAFER"};
}

}  // namespace gdalmcp_raster
