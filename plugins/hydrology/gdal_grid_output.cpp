#include <array>
#include <cmath>

#include "gdal_grid_output.hpp"
#include "gdal_row_passes.hpp"

namespace gdalmcp_hydrology {
namespace {

// Bands are written one after the other: blocks of all of them would be read back and written once for each. Those of
// marks are mostly without a value, and blocks of that kind are left out of the file.
std::vector<std::string> band_by_band(const std::string& path, int bands) {
    if (bands == 1 || !EQUAL(gdalmcp_datasets::creating_driver_for(path).GetDescription(), "GTiff")) return {};
    return {"INTERLEAVE=BAND", "SPARSE_OK=TRUE"};
}

}  // namespace

gdal_output::gdal_output(const std::string& path, const gdal_raster& like, GDALDataType type, int bands, bool heights)
    : raster_output{path, heights ? like.on() : gdalmcp_datasets::without_heights(like.on()), type, bands,
                    band_by_band(path, bands)},
      path_{path},
      south_up_{like.south_up()} {
    idle_memory::of_process().release();  // GDAL's blocks take its place
}

template <class T>
void gdal_output::write(int number, const grid<T>& values, const progress& tick) {
    write_rows<T>(number, tick, [&](std::size_t row, T* to) { std::copy_n(values.row(row), values.width(), to); });
}

template <class T>
void gdal_output::write_rows(int number, const progress& tick, const std::function<void(std::size_t, T*)>& fill) {
    auto& to = band(number);
    const int height = to.GetYSize();
    const block_row<T> layout{to};
    std::array<std::vector<T>, 2> pieces;  // one is filled while the other is written
    std::size_t turn = 0;
    gdalmcp::crew filler{mates_for({static_cast<std::size_t>(to.GetXSize()), static_cast<std::size_t>(height)})};
    const auto start = [&](int first) {
        filler.run([&, &piece = pieces[turn ^= 1], first](std::size_t) {
            piece.resize(layout.cells());
            std::vector<T> row(static_cast<std::size_t>(layout.width()));
            for (int r = 0; r < std::min(layout.rows(), height - first); ++r) {
                const int number_of_row = south_up_ ? height - 1 - first - r : first + r;
                fill(static_cast<std::size_t>(number_of_row), row.data());
                layout.place(row, r, piece);
            }
        });
    };
    start(0);
    by_rows(height, layout.rows(), tick, [&](int first, int rows) {
        filler.wait();
        auto& filled = pieces[turn];
        if (first + rows < height) start(first + rows);
        if (!layout.write(filled, first, rows)) gdalmcp::gdal::raise("cannot write " + path_);
    });
}

template <class T>
void gdal_output::write(int number, const placed_tile& tile, const grid<T>& values) {
    write_window(number, tile, values.row(0));
}

template <class T>
void gdal_output::write_window(int number, const placed_tile& window, const T* values) {
    const int width = static_cast<int>(window.extent.width), height = static_cast<int>(window.extent.height);
    const int row = static_cast<int>(window.row);
    const GSpacing line = static_cast<GSpacing>(sizeof(T)) * width;
    // GDAL does not write into the buffer of GF_Write.
    auto* top = const_cast<T*>(values + (south_up_ ? window.extent.width * (window.extent.height - 1) : 0));
    if (band(number).RasterIO(GF_Write, static_cast<int>(window.column),
                              south_up_ ? band(number).GetYSize() - row - height : row, width, height, top, width,
                              height, gdal_type<T>(), sizeof(T), south_up_ ? -line : line, nullptr) != CE_None)
        gdalmcp::gdal::raise("cannot write " + path_);
}

#define GDALMCP_OUTPUT(T)                                                         \
    template void gdal_output::write<T>(int, const placed_tile&, const grid<T>&); \
    template void gdal_output::write<T>(int, const grid<T>&, const progress&);    \
    template void gdal_output::write_rows<T>(int, const progress&, const std::function<void(std::size_t, T*)>&)
GDALMCP_OUTPUT(std::uint8_t);
GDALMCP_OUTPUT(std::int16_t);
GDALMCP_OUTPUT(std::uint16_t);
GDALMCP_OUTPUT(std::int32_t);
GDALMCP_OUTPUT(std::uint32_t);
GDALMCP_OUTPUT(float);
GDALMCP_OUTPUT(double);
#undef GDALMCP_OUTPUT

}  // namespace gdalmcp_hydrology
