#include "gdal_stored_types.hpp"

#include <cpl_string.h>

#include "datasets/gdal_raster_source.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
using gdalmcp_datasets::dtype_name;

void check_types(GDALDriver& driver, GDALDataset& cells, const type_words& words) {
    for (auto&& band : cells.GetBands()) {
        const auto first = cells.GetRasterBand(1)->GetRasterDataType(), type = band->GetRasterDataType();
        if (!geotiff(driver) || type == first) continue;
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "band 1 is " + std::string{dtype_name(first)} + ", but band " + std::to_string(band->GetBand()) +
                        " is " + dtype_name(type) + "; a GeoTIFF has one type for all bands",
                    "give \"" + std::string{words.type} + "\": \"" + dtype_name(GDALDataTypeUnion(first, type)) +
                        "\", or choose 'bands' of one type"};
    }
    const char* list = driver.GetMetadataItem(GDAL_DMD_CREATIONDATATYPES);
    // GeoTIFF has every type, though it does not list all; the text of an ASCII grid holds any number.
    if (!list || geotiff(driver) || is(driver, "AAIGrid")) return;
    const CPLStringList types{CSLTokenizeString(list)};
    for (auto&& band : cells.GetBands()) {
        const auto type = band->GetRasterDataType();
        if (is(driver, "JPEG") && type != GDT_Byte)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "JPEG stores bytes, but band " + std::to_string(band->GetBand()) + " is " + dtype_name(type) +
                            "; its form of 12 bits, which few programs read, clips values above 4095",
                        "give \"" + std::string{words.type} + "\": \"Byte\" with 'scale', or end '" + words.output +
                            "' in .tif"};
        bool held = false;
        for (int i = 0; i < types.Count(); ++i) {
            const auto t = GDALGetDataTypeByName(types[i]);
            held = held || (t != GDT_Unknown && GDALDataTypeUnion(t, type) == t);
        }
        if (held) continue;
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{driver.GetDescription()} + " stores " + list + ", but band " +
                        std::to_string(band->GetBand()) + " is " + dtype_name(type),
                    "give '" + std::string{words.type} + "', with 'scale' where the values do not fit, or end '" +
                        words.output + "' in .tif"};
    }
}

}  // namespace gdalmcp_raster
