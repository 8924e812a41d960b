// gdalmcp/gdal_blocks.hpp — computes rasters block by block on all cores: the caller's thread reads and writes, workers
// compute over plain arrays. Memory is bounded whatever the size of the raster. Header-only; link GDAL and
// Threads::Threads.
//
//   gdal::block_job job;
//   const auto z = job.read(*dem->GetRasterBand(1), GDT_Float32);
//   const auto s = job.write(out.band(1), GDT_Float32);
//   job.halo = 1;
//   job.run(call.part(0, 1, "slope"), [&](const gdal::block& b) {
//       for (int row = 0; row < b.height; ++row) {
//           const float* here = b.in<float>(z, row);       // here[-1] and b.in<float>(z, row - 1) are neighbours
//           const auto* valid = b.valid(z, row);           // 0 = no data, also beyond the raster
//           float* slope = b.out<float>(s, row);
//       }
//   });
//
// The function runs on several threads at once, once for each block, in no fixed order. Results do not depend on the
// number of threads or the size of blocks as long as a cell depends only on inputs within the halo.
#pragma once
#include <gdalmcp/crew.hpp>
#include <gdalmcp/gdal.hpp>
#include <gdalmcp/gdal_nodata.hpp>

#include <algorithm>
#include <cstring>
#include <future>
#include <optional>

namespace gdalmcp::gdal {

// A rectangle of cells, from (column, row) on.
struct window {
    int column = 0, row = 0, width = 0, height = 0;
    std::int64_t cells() const { return static_cast<std::int64_t>(width) * height; }
    bool operator==(const window&) const = default;
};

// Parts of a window along blocks of `block_columns` × `block_rows`, in row order, of about `cells` cells each; smaller
// only at the borders of the window, greater only where a single block is.
inline std::vector<window> parts_of(const window& w, int block_columns, int block_rows, std::int64_t cells) {
    // Whole blocks along an axis of which `length` cells are wanted; the last one before the end of the window.
    const auto next = [](int at, int begin, int end, std::int64_t block, std::int64_t wanted) {
        const std::int64_t blocks = std::max<std::int64_t>(1, wanted / block);
        const std::int64_t edge = ((begin + at) / block + blocks) * block - begin;
        return static_cast<int>(std::min<std::int64_t>(edge, end));
    };
    std::vector<window> parts;
    const std::int64_t rows_wanted = cells / std::max(1, w.width);
    for (int row = 0; row < w.height;) {
        const int row_end = next(row, w.row, w.height, block_rows, rows_wanted);
        const std::int64_t columns_wanted = std::max<std::int64_t>(cells / (row_end - row), 1);
        for (int column = 0; column < w.width;) {
            const int column_end =
                columns_wanted >= w.width ? w.width : next(column, w.column, w.width, block_columns, columns_wanted);
            parts.push_back({w.column + column, w.row + row, column_end - column, row_end - row});
            column = column_end;
        }
        row = row_end;
    }
    return parts;
}

// Whether each block of some rows can be read, one after the other; where not, GDAL's last error is the reason, which
// it keeps to itself where it decodes several in threads. `go_on` is called before each row of blocks.
template <class F>
bool is_readable(GDALRasterBand& band, int row, int rows, F&& go_on) {
    int columns = 0, lines = 0;
    band.GetBlockSize(&columns, &lines);
    for (int y = row / lines; y <= (row + rows - 1) / lines; ++y) {
        go_on();
        for (int x = 0; x <= (band.GetXSize() - 1) / columns; ++x) {
            auto* block = band.GetLockedBlockRef(x, y);
            if (!block) return false;
            block->DropLock();
        }
    }
    return true;
}

// Fails the call with GDAL's reason why cells could not be read, naming the file, the band and the rows.
[[noreturn]] inline void raise_unreadable(GDALRasterBand& band, int row, int rows) {
    if (CPLGetLastErrorMsg()[0] == 0) is_readable(band, row, rows, [] {});
    std::string path = band.GetDataset() ? band.GetDataset()->GetDescription() : "";
    if (path.starts_with("<")) path.clear();  // a VRT in memory
    raise("cannot read rows " + std::to_string(row) + " to " + std::to_string(row + rows - 1) + " of band " +
          std::to_string(band.GetBand()) + (path.empty() ? "" : " of " + path));
}

// Where what failed may be reading of the source, fails the call with the reason: of a damaged file GDAL's last error
// says so, names the decoder (GDAL 3.10) or says nothing at all where it decodes in threads; of a VRT, that a file
// cannot be opened.
template <class F>
void raise_if_unreadable(GDALDataset& source, F&& go_on) {
    const std::string why = CPLGetLastErrorMsg();
    const auto number = CPLGetLastErrorNo();
    const auto tells = [&](const char* text) { return why.find(text) != std::string::npos; };
    const bool of_reading = tells("IReadBlock failed") || tells("Decode:") || tells("decompress.tif");
    if (!why.empty() && !of_reading && number != CPLE_OpenFailed) return;
    for (auto* band : source.GetBands())
        if (!is_readable(*band, 0, band->GetYSize(), go_on)) {
            if (!why.empty()) CPLErrorSetState(CE_Failure, number, why.c_str());
            raise_unreadable(*band, 0, band->GetYSize());
        }
}

// Threads worth starting for so many cells: none, the caller's own, for few; else one per core, or GDAL_NUM_THREADS.
inline std::size_t workers_for(std::int64_t cells) {
    const auto n = cells < 500'000 ? 1 : threads_of_call();
    return n < 2 ? 0 : n;
}

// Of the blocks that a row of so many cells touches, as the band stores them.
inline std::int64_t bytes_of_block_row(GDALRasterBand& band, int width) {
    int columns = 1, rows = 1;
    band.GetBlockSize(&columns, &rows);
    return static_cast<std::int64_t>(width + columns) * rows * GDALGetDataTypeSizeBytes(band.GetRasterDataType());
}

// While it lives GDAL's block cache is no larger than `bytes`, or `least`: where blocks are read once, in the order of
// the file, a larger one costs fresh memory and saves no time.
class small_block_cache {
public:
    explicit small_block_cache(std::int64_t bytes, std::int64_t least = 32'000'000) : before_{GDALGetCacheMax64()} {
        GDALSetCacheMax64(std::min<GIntBig>(before_, std::max(bytes, least)));
    }
    ~small_block_cache() { GDALSetCacheMax64(before_); }
    small_block_cache(const small_block_cache&) = delete;
    small_block_cache& operator=(const small_block_cache&) = delete;

private:
    GIntBig before_;
};

// Bytes of a cache that only hands blocks over, each of them once, so that they stay in the processor's.
inline constexpr std::int64_t blocks_at_hand = 2'000'000;

namespace detail {

// The cells of one band around a block, row by row, and which of them hold data.
struct block_cells {
    std::vector<unsigned char> cells, valid;
    int columns = 0;         // of a row, with the halo
    bool all_valid = false;  // until mark_missing() `valid` may then be unset
};

// Cells with the range's values or NaN are missing, and infinite ones where that is asked for. Returns whether there is
// an infinite one that was not missing before. Cells are looked at by sixteens, which the compiler takes in vector
// registers as long as they are compared as what they are; most of them lack nothing.
template <class T>
bool mark_missing_of(const nodata_range& r, bool infinite_missing, block_cells& c) {
    constexpr std::size_t at_once = 16;
    constexpr bool whole = std::numeric_limits<T>::is_integer;
    const T* cell = reinterpret_cast<const T*>(c.cells.data());
    const auto [low, high] = cells_in<T>(r);
    const T largest = infinite_missing || whole ? std::numeric_limits<T>::max() : std::numeric_limits<T>::infinity();
    const T least = whole ? std::numeric_limits<T>::lowest() : static_cast<T>(-largest);
    const auto missing = [low = low, high = high](T v) {
        return static_cast<int>(v >= low) & static_cast<int>(v <= high);
    };
    // NaN is not, either.
    const auto regular = [=](T v) { return static_cast<int>(v >= least) & static_cast<int>(v <= largest); };
    bool met = false;
    const auto mark = [&](std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) {
            if (!missing(cell[i]) && regular(cell[i])) continue;
            met = met || (c.valid[i] != 0 && !missing(cell[i]) && cell[i] == cell[i]);
            c.valid[i] = 0;
            c.all_valid = false;
        }
    };
    std::size_t i = 0;
    for (; i + at_once <= c.valid.size(); i += at_once) {
        int lacks = 0;
        for (std::size_t k = 0; k < at_once; ++k) lacks |= missing(cell[i + k]) | (regular(cell[i + k]) ^ 1);
        if (lacks != 0) mark(i, i + at_once);
    }
    mark(i, c.valid.size());
    return met;
}

inline bool mark_missing(GDALDataType type, const nodata_range& r, bool infinite_missing, block_cells& c) {
    if (c.all_valid) std::fill(c.valid.begin(), c.valid.end(), std::uint8_t{1});
    if (type == GDT_Float32) return mark_missing_of<float>(r, infinite_missing, c);
    if (type == GDT_Float64) return mark_missing_of<double>(r, infinite_missing, c);
    if (r.empty()) return false;
    if (type == GDT_Byte) mark_missing_of<std::uint8_t>(r, false, c);
    if (type == GDT_Int16) mark_missing_of<std::int16_t>(r, false, c);
    if (type == GDT_UInt16) mark_missing_of<std::uint16_t>(r, false, c);
    if (type == GDT_Int32) mark_missing_of<std::int32_t>(r, false, c);
    if (type == GDT_UInt32) mark_missing_of<std::uint32_t>(r, false, c);
    return false;
}

// Whole numbers of 64 bits beyond 2^53 have no double of their own: 2^53 + 1 would be read as 2^53.
template <class T>
void refuse_beyond_doubles(GDALRasterBand& band, const block_cells& c) {
    constexpr T exact = 9007199254740992;  // 2^53
    const T* cell = reinterpret_cast<const T*>(c.cells.data());
    for (std::size_t i = 0; i < c.valid.size(); ++i)
        if (c.valid[i] && std::abs(cell[i]) >= exact)
            throw error{
                GDALMCP_UNSUPPORTED,
                "band " + std::to_string(band.GetBand()) + " of " +
                    (band.GetDataset() ? band.GetDataset()->GetDescription() : "the raster") +
                    " holds whole numbers beyond 2^53 (about " + number_text(cell[i]) +
                    "), which cannot be told apart here",
                "split them into smaller numbers, such as a prefix and a rest, with the program that wrote them"};
}

}  // namespace detail

// One block at work. Rows and columns count from its first cell; with a halo of n from -n to height + n - 1.
class block : public window {
public:
    std::size_t index = 0, worker = 0;  // blocks are numbered in row order

    template <class T>
    const T* in(std::size_t input, int r) const {
        return reinterpret_cast<const T*>(in_[input].cells.data()) + offset(input, r);
    }
    // 0 = no data: nodata, masked, NaN, or beyond the raster.
    const unsigned char* valid(std::size_t input, int r) const { return in_[input].valid.data() + offset(input, r); }
    // Every cell of the block and of its halo has data.
    bool all_valid(std::size_t input) const { return in_[input].all_valid; }
    template <class T>
    T* out(std::size_t output, int r) const {
        return reinterpret_cast<T*>(out_[output].data()) +
               static_cast<std::size_t>(r) * static_cast<std::size_t>(width);
    }

private:
    friend class block_job;
    std::ptrdiff_t offset(std::size_t input, int r) const {
        return static_cast<std::ptrdiff_t>(r + halo_) * in_[input].columns + halo_;
    }
    int halo_ = 0;
    mutable std::vector<detail::block_cells> in_;
    mutable std::vector<std::vector<unsigned char>> out_;
};

class block_job {
public:
    int halo = 0;                                 // cells around a block that its function reads
    std::int64_t memory = std::int64_t{1} << 28;  // bytes of all blocks at work; GDAL's cache comes on top
    std::optional<std::size_t> workers;           // DEFAULT: workers_for() the cells
    std::optional<window> part;                   // DEFAULT: the whole raster
    bool infinite_missing = false;                // infinite cells have no data, too

    // A band to read as cells of `type` (Byte to Float64, no complex and no 64-bit integer type). All bands read and
    // written have the same size. Cells of a 64-bit integer band beyond 2^53 fail the call. Returns its number.
    std::size_t read(GDALRasterBand& band, GDALDataType type) {
        auto missing = nodata_rule_of(band);
        // A value that the narrower type rounds is compared before it is rounded.
        const bool rounds = type == GDT_Float32 && GDALDataTypeUnion(type, band.GetRasterDataType()) != type;
        if (rounds && !missing.range.empty()) missing = {{}, true};
        const auto stored = band.GetRasterDataType();
        inputs_.push_back(
            {&band, type, missing,
             (type == GDT_Float64 || type == GDT_Float32) && (stored == GDT_Int64 || stored == GDT_UInt64)});
        return inputs_.size() - 1;
    }
    // A band to write, given cells of `type`. Blocks begin at the first cell of `part`. Returns its number.
    std::size_t write(GDALRasterBand& band, GDALDataType type) {
        outputs_.push_back({&band, type});
        return outputs_.size() - 1;
    }

    // How many blocks there will be, and how many threads: block::index and block::worker are below.
    struct scale {
        std::size_t blocks = 0, workers = 1;
    };
    scale size() const {
        const auto p = plan();
        return {p.blocks.size(), std::max<std::size_t>(1, p.threads)};
    }

    // progress: fraction done; may throw, which ends the work. Throws what the function or GDAL's reading and writing
    // failed with; outputs are incomplete then.
    template <class Work>
    void run(const std::function<void(double)>& progress, Work&& work) {
        const auto [all, threads, parts] = plan();
        std::vector<slot> slots(slots_for(threads));
        std::optional<small_block_cache> cache;
        if (std::all_of(inputs_.begin(), inputs_.end(),
                        [](const auto& i) { return i.band->GetDataset() && is_plain_tiff(*i.band->GetDataset()); }))
            each_block_once(parts) ? cache.emplace(0, blocks_at_hand) : cache.emplace(bytes_of_blocks(all));
        crew team{threads};
        for (std::size_t i = 0; i < parts.size() + slots.size(); ++i) {
            auto& s = slots[i % slots.size()];
            if (s.finished.valid()) finish(s, all);
            if (i >= parts.size()) continue;
            progress(static_cast<double>(i) / static_cast<double>(parts.size()));
            load(s.at, parts[i], i);
            auto task = std::make_shared<std::packaged_task<void(std::size_t)>>([this, &s, &work](std::size_t worker) {
                s.at.worker = worker;
                for (std::size_t k = 0; k < inputs_.size(); ++k) {
                    const auto& from = inputs_[k];
                    if (detail::mark_missing(from.type, from.missing.range, infinite_missing, s.at.in_[k]))
                        s.infinite = true;
                    if (!inputs_[k].wide) continue;
                    inputs_[k].type == GDT_Float64
                        ? detail::refuse_beyond_doubles<double>(*inputs_[k].band, s.at.in_[k])
                        : detail::refuse_beyond_doubles<float>(*inputs_[k].band, s.at.in_[k]);
                }
                work(static_cast<const block&>(s.at));
            });
            s.finished = task->get_future();
            team.run([task](std::size_t worker) { (*task)(worker); });
        }
        progress(1);
    }

    // After run() with infinite_missing: whether a cell was infinite.
    bool met_infinite() const { return met_infinite_; }

private:
    struct input {
        GDALRasterBand* band;
        GDALDataType type;
        nodata_rule missing;
        bool wide;  // of 64 bits
    };
    struct output {
        GDALRasterBand* band;
        GDALDataType type;
    };
    struct slot {
        block at;
        std::future<void> finished;
        bool infinite = false;  // a block had infinite cells
    };

    // Whether no block of an input belongs to two parts.
    bool each_block_once(const std::vector<window>& parts) const {
        if (halo > 0) return false;
        for (const auto& i : inputs_) {
            int columns = 1, rows = 1;
            i.band->GetBlockSize(&columns, &rows);
            for (const auto& p : parts)
                if (p.column % columns != 0 || p.row % rows != 0) return false;
        }
        return true;
    }

    static std::int64_t bytes(GDALDataType t) { return GDALGetDataTypeSizeBytes(t); }

    // Of the rows of blocks across `all` that parts share: with a halo, those above, beside and below; and one beyond.
    std::int64_t bytes_of_blocks(const window& all) const {
        std::int64_t sum = 0;
        for (const auto& i : inputs_) sum += (halo > 0 ? 4 : 2) * bytes_of_block_row(*i.band, all.width);
        for (const auto& o : outputs_) sum += 2 * bytes_of_block_row(*o.band, all.width);
        return sum;
    }

    struct steps {
        window all;
        std::size_t threads = 0;
        std::vector<window> blocks;
    };

    // The workers' blocks, one being read and one being written.
    static std::size_t slots_for(std::size_t threads) { return threads == 0 ? 1 : threads + 2; }

    GDALRasterBand& shape() const { return inputs_.empty() ? *outputs_.front().band : *inputs_.front().band; }

    steps plan() const {
        steps s;
        s.all = part.value_or(window{0, 0, shape().GetXSize(), shape().GetYSize()});
        s.threads = workers.value_or(workers_for(s.all.cells()));
        std::int64_t a_cell = 0;
        for (const auto& i : inputs_) a_cell += bytes(i.type) + 1;
        for (const auto& o : outputs_) a_cell += bytes(o.type);
        int columns = 1, rows = 1;
        (outputs_.empty() ? inputs_.front().band : outputs_.front().band)->GetBlockSize(&columns, &rows);
        const auto at_work = static_cast<std::int64_t>(slots_for(s.threads));
        // As few as stay in the processor's cache from reading to writing, and enough to decompress on all threads.
        const auto most = std::max<std::int64_t>(500'000, 250'000 * static_cast<std::int64_t>(s.threads));
        const auto cells = std::clamp<std::int64_t>(memory / std::max<std::int64_t>(1, a_cell * at_work), 1, most);
        s.blocks = parts_of(s.all, columns, rows, cells);
        return s;
    }

    void load(block& b, const window& w, std::size_t index) const {
        static_cast<window&>(b) = w;
        b.index = index;
        b.halo_ = halo;
        b.in_.resize(inputs_.size());
        b.out_.resize(outputs_.size());
        // The part of the block with its halo that the raster has.
        const int left = std::max(0, w.column - halo), top = std::max(0, w.row - halo);
        const window there{left, top, std::min(shape().GetXSize(), w.column + w.width + halo) - left,
                           std::min(shape().GetYSize(), w.row + w.height + halo) - top};
        const window whole{w.column - halo, w.row - halo, w.width + 2 * halo, w.height + 2 * halo};
        for (std::size_t k = 0; k < inputs_.size(); ++k) read_cells(inputs_[k], whole, there, b.in_[k]);
        for (std::size_t k = 0; k < outputs_.size(); ++k)
            b.out_[k].resize(static_cast<std::size_t>(w.cells() * bytes(outputs_[k].type)));
    }

    static void read_cells(const input& from, const window& whole, const window& there, detail::block_cells& to) {
        const auto size = static_cast<std::size_t>(whole.cells());
        const auto a_cell = bytes(from.type);
        to.columns = whole.width;
        to.cells.resize(size * static_cast<std::size_t>(a_cell));
        to.all_valid = there == whole;
        to.valid.assign(size, to.all_valid ? 1 : 0);
        const auto first = static_cast<std::size_t>(there.row - whole.row) * static_cast<std::size_t>(whole.width) +
                           static_cast<std::size_t>(there.column - whole.column);
        const auto fill = [&](GDALRasterBand& band, GDALDataType type, unsigned char* at) {
            if (band.RasterIO(GF_Read, there.column, there.row, there.width, there.height, at, there.width,
                              there.height, type, bytes(type), bytes(type) * whole.width, nullptr) != CE_None)
                raise_unreadable(*from.band, there.row, there.height);
        };
        fill(*from.band, from.type, to.cells.data() + first * static_cast<std::size_t>(a_cell));
        if (from.missing.by_mask) {
            fill(*from.band->GetMaskBand(), GDT_Byte, to.valid.data() + first);
            to.all_valid = to.all_valid && std::memchr(to.valid.data(), 0, size) == nullptr;
        } else if (there != whole)
            for (int row = 0; row < there.height; ++row)
                std::memset(
                    to.valid.data() + first + static_cast<std::size_t>(row) * static_cast<std::size_t>(whole.width), 1,
                    static_cast<std::size_t>(there.width));
    }

    void finish(slot& s, const window& all) {
        s.finished.get();
        met_infinite_ = met_infinite_ || s.infinite;
        const auto& b = s.at;
        for (std::size_t k = 0; k < outputs_.size(); ++k)
            if (outputs_[k].band->RasterIO(GF_Write, b.column - all.column, b.row - all.row, b.width, b.height,
                                           b.out_[k].data(), b.width, b.height, outputs_[k].type, 0, 0,
                                           nullptr) != CE_None)
                raise("cannot write rows " + std::to_string(b.row) + " to " + std::to_string(b.row + b.height - 1));
    }

    std::vector<input> inputs_;
    std::vector<output> outputs_;
    bool met_infinite_ = false;
};

}  // namespace gdalmcp::gdal
