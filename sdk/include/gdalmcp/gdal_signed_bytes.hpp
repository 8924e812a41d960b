// gdalmcp/gdal_signed_bytes.hpp — signed bytes. GDAL has a type for them since 3.7; before, such a band is Byte with
// PIXELTYPE=SIGNEDBYTE, and -1 reads as 255. Read through the view below, both are Int16. Included by gdal.hpp; link
// GDAL.
#pragma once
#include <gdal_priv.h>
#include <gdal_utils.h>

#include <cmath>
#include <memory>
#include <string>

namespace gdalmcp::gdal {

struct closer {
    void operator()(GDALDataset* d) const { GDALClose(d); }
};
using dataset_ptr = std::unique_ptr<GDALDataset, closer>;

#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
inline constexpr GDALDataType signed_byte = GDT_Int8;  // how the file's own band is read
#else
inline constexpr GDALDataType signed_byte = GDT_Byte;
#endif

namespace detail {
inline bool stored_as_signed_bytes(GDALRasterBand& band) {
    if (band.GetRasterDataType() != signed_byte) return false;
    if constexpr (signed_byte != GDT_Byte) return true;
    const char* type = band.GetMetadataItem("PIXELTYPE", "IMAGE_STRUCTURE");
    return type && EQUAL(type, "SIGNEDBYTE");
}
}  // namespace detail

// Whether a band, stored or in a view, has signed bytes.
inline bool signed_bytes(GDALRasterBand& band) {
    return detail::stored_as_signed_bytes(band) || band.GetMetadataItem("STORED_AS_SIGNED_BYTES", "GDALMCP");
}

// The type of a band's values as the file stores them, "Int8" for signed bytes.
inline const char* stored_type_name(GDALRasterBand& band) {
    return signed_bytes(band) ? "Int8" : GDALGetDataTypeName(band.GetRasterDataType());
}

namespace detail {

// One band of the file, its bytes 128 to 255 as -128 to -1.
inline std::string signed_source(GDALDataset& file, int band) {
    const auto number = [](int n) { return std::to_string(n); };
    char* name = CPLEscapeString(file.GetDescription(), -1, CPLES_XML);
    const std::string rectangle = "xOff=\"0\" yOff=\"0\" xSize=\"" + number(file.GetRasterXSize()) + "\" ySize=\"" +
                                  number(file.GetRasterYSize()) + "\"/>";
    int bx = 0, by = 0;
    file.GetRasterBand(band)->GetBlockSize(&bx, &by);
    const std::string xml = std::string{"<ComplexSource><SourceFilename relativeToVRT=\"0\">"} + name +
                            "</SourceFilename><SourceBand>" + number(band) +
                            "</SourceBand><SourceProperties RasterXSize=\"" + number(file.GetRasterXSize()) +
                            "\" RasterYSize=\"" + number(file.GetRasterYSize()) + "\" DataType=\"Byte\" BlockXSize=\"" +
                            number(bx) + "\" BlockYSize=\"" + number(by) + "\"/><SrcRect " + rectangle + "<DstRect " +
                            rectangle + "<LUT>0:0,127:127,128:-128,255:-1</LUT></ComplexSource>";
    CPLFree(name);
    return xml;
}

}  // namespace detail

inline bool has_signed_bytes(GDALDataset& d) {
    for (auto&& band : d.GetBands())
        if (detail::stored_as_signed_bytes(*band)) return true;
    return false;
}

// The dataset itself; where bands hold signed bytes, a view of it whose bands are Int16 with the intended values, the
// nodata value included, and a GDAL warning to that effect. REQUIRES: GDAL can open d by its description. Null if the
// view cannot be made; GDAL's last error has the reason.
inline dataset_ptr with_signed_values(dataset_ptr d) {
    if (!has_signed_bytes(*d)) return d;
    GDALDataType type = GDT_Int16;  // holds the values of all bands
    for (auto&& band : d->GetBands())
        if (!detail::stored_as_signed_bytes(*band)) type = GDALDataTypeUnion(type, band->GetRasterDataType());
    const char* words[] = {"-of", "VRT", "-ot", GDALGetDataTypeName(type), nullptr};
    const std::unique_ptr<GDALTranslateOptions, decltype(&GDALTranslateOptionsFree)> options{
        GDALTranslateOptionsNew(const_cast<char**>(words), nullptr), &GDALTranslateOptionsFree};
    dataset_ptr view{
        GDALDataset::FromHandle(GDALTranslate("", GDALDataset::ToHandle(d.get()), options.get(), nullptr))};
    if (!view) return view;
    for (int i = 1; i <= d->GetRasterCount(); ++i) {
        auto &from = *d->GetRasterBand(i), &to = *view->GetRasterBand(i);
        if (!detail::stored_as_signed_bytes(from)) continue;
        if (signed_byte == GDT_Byte &&
            to.SetMetadataItem("source_0", detail::signed_source(*d, i).c_str(), "vrt_sources") != CE_None)
            return {};
        to.SetMetadataItem("STORED_AS_SIGNED_BYTES", "YES", "GDALMCP");
        int has = 0;
        const double nodata = from.GetNoDataValue(&has);
        if (has && nodata > 127 && nodata <= 255) to.SetNoDataValue(nodata - 256);
    }
    CPLError(CE_Warning, CPLE_AppDefined, "%s holds signed bytes; they are read as %s, -128 to 127",
             d->GetDescription(), GDALGetDataTypeName(type));
    d.release()->ReleaseRef();  // the view may still hold it
    return view;
}

}  // namespace gdalmcp::gdal
