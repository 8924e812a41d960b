#include "gdal_png.hpp"

#include <gdalmcp/gdal.hpp>

#include <bit>
#include <optional>
#include <unordered_map>

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

namespace {

struct indexed_picture {
    std::vector<std::uint8_t> cells;
    GDALColorTable palette;
};

// nullopt if there are more than 256 colours.
std::optional<indexed_picture> indexed(const std::vector<color>& pixels) {
    indexed_picture p;
    std::unordered_map<std::uint32_t, std::uint8_t> known;
    const color* last = nullptr;
    for (const auto& pixel : pixels) {
        if (last && pixel == *last) {
            p.cells.push_back(p.cells.back());
            continue;
        }
        last = &pixel;
        const auto [at, is_new] =
            known.try_emplace(std::bit_cast<std::uint32_t>(pixel), static_cast<std::uint8_t>(known.size()));
        if (is_new) {
            if (known.size() > 256) return std::nullopt;
            const GDALColorEntry entry{pixel[0], pixel[1], pixel[2], pixel[3]};
            p.palette.SetColorEntry(at->second, &entry);
        }
        p.cells.push_back(at->second);
    }
    return p;
}

}  // namespace

std::string png_of(const std::vector<color>& pixels, int width, int height) {
    auto* memory = GetGDALDriverManager()->GetDriverByName("MEM");
    auto* png = GetGDALDriverManager()->GetDriverByName("PNG");
    if (!memory || !png)
        throw gdalmcp::error{GDALMCP_UNSUPPORTED, "this build of GDAL has no PNG driver", "use raster_stats instead"};
    const auto few = indexed(pixels);
    const gdal::dataset_ptr image{memory->Create("", width, height, few ? 1 : 4, GDT_Byte, nullptr)};
    if (!image) gdal::raise("cannot draw the picture");
    if (few) image->GetRasterBand(1)->SetColorTable(const_cast<GDALColorTable*>(&few->palette));
    const int bands = few ? 1 : 4;
    // RasterIO takes one pointer for both ways.
    void* cells =
        few ? static_cast<void*>(const_cast<std::uint8_t*>(few->cells.data())) : const_cast<color*>(pixels.data());
    if (image->RasterIO(GF_Write, 0, 0, width, height, cells, width, height, GDT_Byte, bands, nullptr, bands,
                        static_cast<GSpacing>(bands) * width, 1, nullptr) != CE_None)
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
