// gdal_row_passes.hpp — the rows of a raster read or written once, in their order, while another thread works on those
// before or after.
#pragma once
#include <sys/mman.h>

#include <algorithm>

#include <gdalmcp/crew.hpp>
#include <gdalmcp/gdal_blocks.hpp>

#include "gdal_raster.hpp"

namespace gdalmcp_hydrology {

inline constexpr int rows_at_once = 256;

// From which on a second handle or thread pays.
inline constexpr std::size_t many_cells = 4'000'000;

// GDAL waits forever for a thread that it cannot start, and does not survive every want of memory: what the grids leave
// of the address space must hold the stacks of its threads and the blocks of a few rows. Throws std::bad_alloc.
inline void require_room_for_gdal() {
    const auto room = (std::size_t{64} << 20) + gdalmcp::gdal::threads_of_call() * (std::size_t{8} << 20);
    const auto hold = [&] {
        return ::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    };
    void* held = hold();
    if (held == MAP_FAILED && idle_memory::of_process().release()) held = hold();
    if (held == MAP_FAILED) throw std::bad_alloc{};
    ::munmap(held, room);
}

// Calls io(first row, rows) for `most` rows at a time, reporting between them.
template <class Io>
void by_rows(int height, int most, const progress& tick, Io&& io) {
    for (int row = 0; row < height; row += most) {
        require_room_for_gdal();
        if (tick) tick(static_cast<double>(row) / height);
        io(row, std::min(most, height - row));
    }
}
template <class Io>
void by_rows(int height, const progress& tick, Io&& io) {
    by_rows(height, rows_at_once, tick, io);
}

// While a raster is read by such rows.
inline gdalmcp::gdal::small_block_cache cache_of_rows(GDALRasterBand& band) {
    int across = 0, down = 0;
    band.GetBlockSize(&across, &down);
    const bool once = rows_at_once % down == 0 && gdalmcp::gdal::is_plain_tiff(*band.GetDataset());
    return gdalmcp::gdal::small_block_cache{0, once ? 2 * gdalmcp::gdal::blocks_at_hand : GDALGetCacheMax64()};
}

// Threads that work on rows while the caller's reads or writes others.
inline std::size_t mates_for(const shape& extent) {
    return whole_team().threads > 0 && extent.size() >= many_cells ? 1 : 0;
}

// A full width of a raster's blocks, as a band is written. A GeoTIFF of this type takes them as they lie in the file,
// past GDAL's cache, into which they would be copied first; other files take rows.
template <class T>
class block_row {
public:
    explicit block_row(GDALRasterBand& band) : band_{band}, across_{band.GetXSize()}, down_{rows_at_once} {
        as_in_file_ = band.GetRasterDataType() == gdal_type<T>() && EQUAL(band.GetDataset()->GetDriverName(), "GTiff");
        if (as_in_file_) band.GetBlockSize(&across_, &down_);
        as_in_file_ = as_in_file_ && down_ > 1;
        if (!as_in_file_) across_ = width(), down_ = rows_at_once;
    }

    int width() const { return band_.GetXSize(); }
    int rows() const { return down_; }
    std::size_t cells() const { return static_cast<std::size_t>(blocks()) * block_cells(); }

    // row: of `width` cells, the r-th of the blocks.
    void place(const std::vector<T>& row, int r, std::vector<T>& piece) const {
        for (int b = 0; b < blocks(); ++b) {
            const int left = b * across_;
            std::copy_n(row.data() + left, std::min(across_, width() - left), block(piece, b) + r * across_);
        }
    }

    // first: row of the raster; rows: of them, at most rows(). False: GDAL's error says why.
    bool write(std::vector<T>& piece, int first, int rows) const {
        if (!as_in_file_)
            return band_.RasterIO(GF_Write, 0, first, width(), rows, piece.data(), width(), rows, gdal_type<T>(), 0, 0,
                                  nullptr) == CE_None;
        for (int b = 0; b < blocks(); ++b)
            if (band_.WriteBlock(b, first / down_, block(piece, b)) != CE_None) return false;
        return true;
    }

private:
    int blocks() const { return (width() + across_ - 1) / across_; }
    std::size_t block_cells() const { return static_cast<std::size_t>(across_) * static_cast<std::size_t>(down_); }
    T* block(std::vector<T>& piece, int b) const { return piece.data() + static_cast<std::size_t>(b) * block_cells(); }

    GDALRasterBand& band_;
    int across_, down_;
    bool as_in_file_ = false;
};

}  // namespace gdalmcp_hydrology
