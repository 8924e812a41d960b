#include "gdal_png.hpp"

#include <gdalmcp/gdal.hpp>

#include <bit>
#include <optional>
#include <vector>

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
    p.cells.reserve(pixels.size());
    // Numbers of colours by a hash, the next free place taken: a million lookups in a map are a tenth of a preview.
    struct known_color {
        std::uint32_t value;
        int number = -1;
    };
    constexpr std::size_t places = 4096;
    std::vector<known_color> known(places);
    int count = 0;
    for (const auto& pixel : pixels) {
        const auto value = std::bit_cast<std::uint32_t>(pixel);
        std::size_t at = (value * 2654435761U) >> 20;  // Knuth's multiplicative hash, to 12 bits
        while (known[at].number >= 0 && known[at].value != value) at = (at + 1) % places;
        auto& found = known[at];
        if (found.number < 0) {
            if (count == 256) return std::nullopt;
            found = {value, count++};
            const GDALColorEntry entry{pixel[0], pixel[1], pixel[2], pixel[3]};
            p.palette.SetColorEntry(found.number, &entry);
        }
        p.cells.push_back(static_cast<std::uint8_t>(found.number));
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
    const gdal::dataset_ptr image{memory->Create("", width, height, 0, GDT_Byte, nullptr)};
    if (!image) gdal::raise("cannot draw the picture");
    const int bands = few ? 1 : 4;
    const auto* cells = few ? few->cells.data() : pixels.front().data();
    for (int b = 0; b < bands; ++b) {
        gdal::words where;
        where.add(CPLSPrintf("DATAPOINTER=%p", static_cast<const void*>(cells + b)));
        where.add("PIXELOFFSET=" + std::to_string(bands));
        where.add("LINEOFFSET=" + std::to_string(bands * width));
        if (image->AddBand(GDT_Byte, where.get()) != CE_None) gdal::raise("cannot draw the picture");
    }
    if (few) image->GetRasterBand(1)->SetColorTable(const_cast<GDALColorTable*>(&few->palette));
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
