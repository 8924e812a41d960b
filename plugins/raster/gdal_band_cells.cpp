#include "gdal_band_cells.hpp"

#include <gdalmcp/gdal_blocks.hpp>

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

constexpr std::int64_t part_cells = 1'000'000;
constexpr std::int64_t max_part_cells = 8'000'000, max_part_blocks = 4096;
constexpr std::int64_t kept_bytes = 512'000'000;  // of cells in memory for further passes
constexpr std::int64_t few_bytes = 16'000'000;    // kept whatever the cost of reading them again

// Memory whose pages are not initialised before reading.
class buffer {
public:
    unsigned char* room(std::size_t bytes) {
        if (bytes <= size_) return memory_.get();
        constexpr std::size_t page = std::size_t{2} << 20;
        size_ = bytes < page ? bytes : (bytes + page - 1) / page * page;
        memory_.reset();
        memory_.reset(
            static_cast<unsigned char*>(std::aligned_alloc(bytes < page ? 64 : page, (size_ + 63) / 64 * 64)));
        if (!memory_) throw std::bad_alloc{};
        // A hint: pages of 2 MB cost a tenth of the kernel's time.
        if (bytes >= page) madvise(memory_.get(), size_, MADV_HUGEPAGE);
        return memory_.get();
    }
    unsigned char* get() const { return memory_.get(); }

private:
    struct release {
        void operator()(unsigned char* p) const { std::free(p); }
    };
    std::unique_ptr<unsigned char, release> memory_;
    std::size_t size_ = 0;
};

// Memory of one part, used again for the next one.
struct part {
    buffer cells;
    std::shared_ptr<buffer> valid;
    std::shared_ptr<std::vector<unsigned char>> selected;
    cell_block block;
};

// Reads parts of one selection, band by band.
class part_reader {
public:
    part_reader(GDALDataset& source, const selection& of) : of_{of} {
        int columns = 1, rows = 1;
        source.GetRasterBand(1)->GetBlockSize(&columns, &rows);
        if (of.stride == 1) {
            // Drivers decode the blocks of one read in parallel, so large reads span several. They first look up all
            // blocks, which takes minutes for a million with a damaged table.
            const std::int64_t block = std::int64_t{columns} * rows;
            const std::int64_t cells = std::max(part_cells, std::min(4 * block, max_part_cells));
            parts_ = gdal::parts_of(of.w, columns, rows, std::min(cells, max_part_blocks * block));
            return;
        }
        // Each row is read separately, then thinned out.
        const int taken = (of.w.width - of.stride / 2 + of.stride - 1) / of.stride;
        const int together = static_cast<int>(std::clamp<std::int64_t>(part_cells / std::max(1, taken), 1, 4096));
        for (int row = of.stride / 2; row < of.w.height; row += together * of.stride)
            parts_.push_back({of.w.column + of.stride / 2, of.w.row + row, taken,
                              std::min(together, (of.w.height - row + of.stride - 1) / of.stride)});
    }

    std::size_t size() const { return parts_.size(); }
    std::int64_t cells() const {
        std::int64_t n = 0;
        for (const auto& w : parts_) n += w.cells();
        return n;
    }

    void read(GDALRasterBand& band, cell_type type, bool by_mask, std::size_t at, part& p) {
        const auto& w = parts_[at];
        p.block = {};
        p.block.first = {w.row, w.column};
        p.block.width = static_cast<std::size_t>(w.width);
        p.block.height = static_cast<std::size_t>(w.height);
        p.block.step = of_.stride;
        p.selected = of_.zone ? selected(at) : nullptr;
        if (p.selected) p.block.selected = p.selected->data();
        if (!by_mask && !of_.zone && of_.stride == 1 && empty(band, w)) {
            fill_uniform(band, type, p);
        } else {
            read(band, gdal_type(type), w, p.cells);
            if (by_mask) {
                p.valid = valid(band, at);
                p.block.valid = p.valid->get();
            }
        }
        p.block.cells = p.cells.get();
    }

private:
    void read(GDALRasterBand& band, GDALDataType type, const window& w, buffer& to) {
        const auto bytes = static_cast<std::size_t>(GDALGetDataTypeSizeBytes(type));
        auto* out = to.room(static_cast<std::size_t>(w.cells()) * bytes);
        const auto failed = [&](int column, int row, int columns, int rows, void* cells) {
            return band.RasterIO(GF_Read, column, row, columns, rows, cells, columns, rows, type, 0, 0, nullptr) !=
                   CE_None;
        };
        if (of_.stride == 1) {
            if (failed(w.column, w.row, w.width, w.height, out)) gdal::raise_unreadable(band, w.row, w.height);
            return;
        }
        row_.resize(static_cast<std::size_t>(of_.w.width) * bytes);
        for (int i = 0; i < w.height; ++i) {
            const int row = w.row + i * of_.stride;
            if (failed(of_.w.column, row, of_.w.width, 1, row_.data())) gdal::raise_unreadable(band, row, 1);
            GDALCopyWords(row_.data() + static_cast<std::size_t>(of_.stride / 2) * bytes, type,
                          static_cast<int>(bytes) * of_.stride, out, type, static_cast<int>(bytes), w.width);
            out += static_cast<std::size_t>(w.width) * bytes;
        }
    }

    // The mask of a part; bands that have one for all of them share it.
    std::shared_ptr<buffer> valid(GDALRasterBand& band, std::size_t at) {
        const bool shared = band.GetMaskFlags() & GMF_PER_DATASET;
        if (shared && valid_of_ == at) return valid_;
        auto mask = std::make_shared<buffer>();
        read(*band.GetMaskBand(), GDT_Byte, parts_[at], *mask);
        if (!shared) return mask;
        valid_of_ = at;
        return valid_ = mask;
    }

    // The file stores no block there. An unreadable block table does not count as empty.
    bool empty(GDALRasterBand& band, const window& w) {
        CPLErrorReset();
        const int status =
            band.GetDataCoverageStatus(w.column, w.row, w.width, w.height, GDAL_DATA_COVERAGE_STATUS_DATA, nullptr);
        if (CPLGetLastErrorType() == CE_Failure) gdal::raise_unreadable(band, w.row, w.height);
        return (status & GDAL_DATA_COVERAGE_STATUS_EMPTY) && !(status & GDAL_DATA_COVERAGE_STATUS_DATA);
    }
    void fill_uniform(GDALRasterBand& band, cell_type type, part& p) {
        int has = 0;
        const double nodata = band.GetNoDataValue(&has);
        const double value = has ? nodata : 0;
        const auto t = type == cell_type::int8 ? GDT_Int16 : gdal_type(type);
        GDALCopyWords(&value, GDT_Float64, 0, p.cells.room(sizeof value), t, 0, 1);
        p.block.uniform = true;
    }

    // The zone's cells in a part; all bands share them.
    std::shared_ptr<std::vector<unsigned char>> selected(std::size_t at) {
        if (selected_of_ == at) return selected_;
        const auto& w = parts_[at];
        const int first = w.row - of_.w.row, rows = (w.height - 1) * of_.stride + 1;
        if (rows_of_ != std::pair{first, rows}) of_.zone->read(first, rows, rows_);
        rows_of_ = {first, rows};
        selected_ = std::make_shared<std::vector<unsigned char>>();
        selected_->reserve(static_cast<std::size_t>(w.cells()));
        for (int i = 0; i < w.height; ++i)
            for (int k = 0; k < w.width; ++k)
                selected_->push_back(rows_[static_cast<std::size_t>(i) * of_.stride * of_.w.width +
                                           static_cast<std::size_t>(w.column - of_.w.column) +
                                           static_cast<std::size_t>(k) * of_.stride]);
        selected_of_ = at;
        return selected_;
    }

    selection of_;
    std::vector<window> parts_;
    std::vector<unsigned char> row_, rows_;
    std::pair<int, int> rows_of_{-1, 0};
    std::shared_ptr<std::vector<unsigned char>> selected_;
    std::shared_ptr<buffer> valid_;
    std::size_t selected_of_ = static_cast<std::size_t>(-1), valid_of_ = static_cast<std::size_t>(-1);
};

// Unused parts.
class part_pool {
public:
    std::shared_ptr<part> take() {
        const std::scoped_lock held{guard_};
        std::unique_ptr<part> p;
        if (free_.empty()) {
            p = std::make_unique<part>();
        } else {
            p = std::move(free_.back());
            free_.pop_back();
        }
        return {p.release(), [this](part* done) {
                    const std::scoped_lock again{guard_};
                    free_.emplace_back(done);
                }};
    }

private:
    std::mutex guard_;
    std::vector<std::unique_ptr<part>> free_;
};

}  // namespace

void measure(GDALDataset& source, const std::vector<int>& bands, const selection& of,
             const std::vector<statistics*>& into, const wanted& what, const std::function<void(double)>& progress) {
    part_reader reader{source, of};
    part_pool pool;  // before the crew: its tasks give parts back
    gdalmcp::crew workers{gdal::workers_for(reader.cells() * static_cast<std::int64_t>(bands.size()))};
    struct one_band {
        GDALRasterBand* band;
        cell_type type;
        bool by_mask;
        statistics* s;
    };
    std::vector<one_band> all;
    std::int64_t bytes = 0;
    bool more_passes = false;
    for (std::size_t i = 0; i < bands.size(); ++i) {
        auto& band = *source.GetRasterBand(bands[i]);
        const auto type = cell_type_of(band);
        const bool by_mask = gdal::nodata_rule_of(band).by_mask;
        all.push_back({&band, type, by_mask, into[i]});
        const auto a_cell = static_cast<std::int64_t>(size_of(type)) + (by_mask ? 1 : 0) + (of.zone ? 1 : 0);
        bytes += a_cell * reader.cells();
        more_passes = more_passes || size_of(type) > 2;
        into[i]->begin(reader.size(), workers.size(), !what.percentiles.empty());
    }
    more_passes = more_passes && (!what.percentiles.empty() || what.bins);
    // Reading cells again from the system's file cache is cheaper than fresh memory to keep them in, decoding is not.
    const bool keep = more_passes && bytes <= kept_bytes && (bytes < few_bytes || !gdal::is_plain_tiff(source));
    const gdal::small_block_cache cache{4 * bytes / static_cast<std::int64_t>(std::max<std::size_t>(1, reader.size()))};
    std::vector<std::shared_ptr<part>> kept;
    const auto each = [&](double from, double to, const auto& work) {
        for (std::size_t i = 0; i < reader.size(); ++i) {
            progress(from + (to - from) * static_cast<double>(i) / static_cast<double>(reader.size()));
            for (std::size_t b = 0; b < all.size(); ++b) {
                const auto at = i * all.size() + b;
                std::shared_ptr<part> p;
                if (at < kept.size()) {
                    p = kept[at];
                } else {
                    p = pool.take();
                    reader.read(*all[b].band, all[b].type, all[b].by_mask, i, *p);
                    if (keep) kept.push_back(p);
                }
                work(p, i, *all[b].s);
            }
        }
        workers.wait();
    };
    const double first = more_passes ? 0.6 : 1;
    each(0, first, [&](const std::shared_ptr<part>& p, std::size_t i, statistics& s) {
        workers.run([p, i, &s](std::size_t worker) { s.add(p->block, i, worker); });
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto& s = *all[i].s;
        s.end();
        s.look_for(what.percentiles, what.bins && s.counts().valid > 0 ? what.bins(i) : 0);
    }
    double from = first;
    for (;;) {
        const auto needs = [](const one_band& b) { return b.s->needs_pass(); };
        if (std::none_of(all.begin(), all.end(), needs)) return;
        for (auto& b : all)
            if (b.s->needs_pass()) b.s->begin_pass();
        const double to = from + (1 - from) / 2;
        each(from, to, [&](const std::shared_ptr<part>& p, std::size_t, statistics& s) {
            if (s.needs_pass()) workers.run([p, &s](std::size_t worker) { s.refine(p->block, worker); });
        });
        for (auto& b : all)
            if (b.s->needs_pass()) b.s->end_pass();
        from = to;
    }
}

}  // namespace gdalmcp_raster
