#include "gdal_png.hpp"

#include <gdalmcp/gdal.hpp>

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

std::string png_of(const std::vector<color>& pixels, int width, int height) {
    auto* memory = GetGDALDriverManager()->GetDriverByName("MEM");
    auto* png = GetGDALDriverManager()->GetDriverByName("PNG");
    if (!memory || !png)
        throw gdalmcp::error{GDALMCP_UNSUPPORTED, "this build of GDAL has no PNG driver", "use raster_stats instead"};
    const gdal::dataset_ptr image{memory->Create("", width, height, 4, GDT_Byte, nullptr)};
    auto* cells = const_cast<color*>(pixels.data());  // RasterIO takes one pointer for both ways
    if (!image || image->RasterIO(GF_Write, 0, 0, width, height, cells, width, height, GDT_Byte, 4, nullptr, 4,
                                  4 * static_cast<GSpacing>(width), 1, nullptr) != CE_None)
        gdal::raise("cannot draw the picture");
    const char* path = "/vsimem/preview.png";
    gdal::words options{"ZLEVEL=6"};
    // The picture is for viewing: no side file with the CRS.
    const gdal::dataset_ptr copy{png->CreateCopy(path, image.get(), FALSE, options.get(), nullptr, nullptr)};
    if (!copy) gdal::raise("cannot write the picture");
    vsi_l_offset n = 0;
    const GByte* bytes = VSIGetMemFileBuffer(path, &n, FALSE);
    std::string out{reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(n)};
    VSIUnlink(path);
    return out;
}

}  // namespace gdalmcp_raster
