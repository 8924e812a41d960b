#include "gdal_composition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "raster/gdal_block_figures.hpp"

namespace gdalmcp_temporal {

namespace gdal = gdalmcp::gdal;
using gdalmcp_raster::fits_float32;

namespace {

constexpr std::int64_t memory_at_work = std::int64_t{1} << 27, memory_of_results = std::int64_t{1} << 26;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

// A band that is read, as input `number` of the block job.
struct source_band {
    std::size_t number = 0;
    stored_form form;
};

// What one thread works with.
struct worker_room {
    composition cells;
    std::vector<double> quality;
    std::vector<std::vector<double>> results;  // of a block, by band of the result
    std::vector<std::vector<std::int64_t>> cells_by_count;
    std::int64_t excluded = 0, without_quality = 0;
};

class composer {
public:
    composer(const composition_plan& plan, gdalmcp_datasets::raster_output& out);
    composition_figures run(const std::function<void(double)>& progress);

private:
    source_band read(GDALRasterBand& band, bool scaled);
    void compose_block(const gdal::block& b, std::size_t part);
    void compose_run(const gdal::block& b, int row, int column, std::size_t length, worker_room& room);
    void load(const gdal::block& b, std::size_t which, int row, int column, std::size_t length, worker_room& room);
    void write(const gdal::window& strip);
    std::vector<gdal::window> strips_of_results() const;
    std::int64_t cache_for(const gdal::window& strip) const;
    void plan_work(std::int64_t strip_cells);

    const composition_plan& plan_;
    gdalmcp_datasets::raster_output& out_;
    gdal::block_job job_;
    std::vector<std::vector<source_band>> sources_;  // by observation, by band
    std::vector<source_band> qualities_;             // by observation
    std::set<GDALDataset*> files_;                   // that are read
    std::size_t bands_, results_, run_length_;
    std::vector<worker_room> rooms_;
    gdal::window strip_;
    std::vector<std::vector<double>> made_;  // of the strip, by band of the result
    composition_figures figures_;
};

composer::composer(const composition_plan& plan, gdalmcp_datasets::raster_output& out) : plan_{plan}, out_{out} {
    const auto& all = plan.set.all;
    bands_ = all.front().bands.size();
    results_ = bands_ * outputs_of(plan.how.what);
    job_.infinite_missing = true;
    for (const auto& o : all) {
        sources_.emplace_back();
        for (std::size_t i = 0; i < bands_; ++i) sources_.back().push_back(read(plan.set.band(o, i), true));
        if (plan.quality) qualities_.push_back(read(plan.quality->of(plan.set, o), false));
    }
    // The stack of a band stays in the processor's first cache.
    run_length_ = std::clamp<std::size_t>(24'000 / (8 * all.size()) / 8 * 8, 16, 512);
    made_.resize(results_);
}

source_band composer::read(GDALRasterBand& band, bool scaled) {
    files_.insert(band.GetDataset());
    const bool single = fits_float32(band.GetRasterDataType());
    source_band s{job_.read(band, single ? GDT_Float32 : GDT_Float64), {single, 1, 0}};
    if (scaled) {
        s.form.scale = band.GetScale();
        s.form.offset = band.GetOffset();
    }
    return s;
}

void composer::load(const gdal::block& b, std::size_t which, int row, int column, std::size_t length,
                    worker_room& room) {
    const auto cells_of = [&](const source_band& s, double* to) {
        const void* from = s.form.single ? static_cast<const void*>(b.in<float>(s.number, row) + column)
                                         : static_cast<const void*>(b.in<double>(s.number, row) + column);
        fill(from, b.all_valid(s.number) ? nullptr : b.valid(s.number, row) + column, length, s.form, to);
    };
    for (std::size_t i = 0; i < bands_; ++i) cells_of(sources_[which][i], room.cells.bands[i].row(which));
    const auto exclude = [&](std::size_t k) {
        for (auto& band : room.cells.bands) band.row(which)[k] = none;
    };
    const auto& there = plan_.set.files[plan_.set.all[which].file].there;
    const bool inside_rows = b.row + row >= there.row && b.row + row < there.row + there.height;
    for (std::size_t k = 0; k < length; ++k) {
        const int at = b.column + column + static_cast<int>(k);
        if (!inside_rows || at < there.column || at >= there.column + there.width) exclude(k);
    }
    if (!plan_.quality) return;
    room.quality.resize(length);
    cells_of(qualities_[which], room.quality.data());
    for (std::size_t k = 0; k < length; ++k) {
        const bool unknown = std::isnan(room.quality[k]);
        if (!unknown && !plan_.quality->rule().excludes(room.quality[k])) continue;
        if (std::any_of(room.cells.bands.begin(), room.cells.bands.end(),
                        [&](auto& band) { return !std::isnan(band.row(which)[k]); }))
            ++(unknown ? room.without_quality : room.excluded);
        exclude(k);
    }
}

void composer::compose_run(const gdal::block& b, int row, int column, std::size_t length, worker_room& room) {
    for (auto& s : room.cells.bands) s.resize(plan_.set.all.size(), length);
    for (std::size_t o = 0; o < plan_.set.all.size(); ++o) load(b, o, row, column, length, room);
    room.cells.make(plan_.how);
    for (std::size_t i = 0; i < bands_; ++i)
        for (std::size_t k = 0; k < length; ++k) ++room.cells_by_count[i][room.cells.seen[i][k]];
    const auto first =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(b.width) + static_cast<std::size_t>(column);
    for (std::size_t i = 0; i < results_; ++i)
        for (std::size_t k = 0; k < length; ++k) {
            const double v = room.cells.made[i][k];
            room.results[i][first + k] = plan_.single ? static_cast<double>(static_cast<float>(v)) : v;
        }
}

void composer::compose_block(const gdal::block& b, std::size_t part) {
    auto& room = rooms_[b.worker];
    for (auto& r : room.results) r.resize(static_cast<std::size_t>(b.cells()));
    for (int row = 0; row < b.height; ++row)
        for (int column = 0; column < b.width; column += static_cast<int>(run_length_))
            compose_run(b, row, column, std::min(run_length_, static_cast<std::size_t>(b.width - column)), room);
    for (std::size_t i = 0; i < results_; ++i) {
        gdalmcp_raster::cell_block done;
        done.cells = room.results[i].data();
        done.first = {b.row, b.column};
        done.width = static_cast<std::size_t>(b.width);
        done.height = static_cast<std::size_t>(b.height);
        figures_.results[i]->add(done, part, b.worker);
        for (int row = 0; row < b.height; ++row)
            std::transform(
                room.results[i].begin() + std::ptrdiff_t{row} * b.width,
                room.results[i].begin() + std::ptrdiff_t{row + 1} * b.width,
                made_[i].begin() + std::ptrdiff_t{b.row - strip_.row + row} * strip_.width + (b.column - strip_.column),
                [&](double v) { return std::isnan(v) ? plan_.nodata : v; });
    }
}

void composer::write(const gdal::window& strip) {
    for (std::size_t i = 0; i < results_; ++i)
        if (out_.band(static_cast<int>(i) + 1)
                .RasterIO(GF_Write, strip.column, strip.row, strip.width, strip.height, made_[i].data(), strip.width,
                          strip.height, GDT_Float64, 0, 0, nullptr) != CE_None)
            gdal::raise("cannot write rows " + std::to_string(strip.row) + " to " +
                        std::to_string(strip.row + strip.height - 1));
}

// Blocks follow those of the inputs, which are many; results are written by strips along the blocks of the output.
std::vector<gdal::window> composer::strips_of_results() const {
    int columns = 1, rows = 1;
    out_.band(1).GetBlockSize(&columns, &rows);
    const auto cells = memory_of_results / (8 * static_cast<std::int64_t>(results_));
    const auto most_rows = std::max<std::int64_t>(1, cells / plan_.on.width);
    return gdal::parts_of({0, 0, plan_.on.width, plan_.on.height}, plan_.on.width,
                          static_cast<int>(std::min<std::int64_t>(rows, most_rows)), cells);
}

// Threads by the number of values, and several blocks of a strip for each.
void composer::plan_work(std::int64_t strip_cells) {
    const auto inputs = static_cast<std::int64_t>(plan_.set.all.size() * bands_);
    const auto workers = gdal::workers_for(std::int64_t{plan_.on.width} * plan_.on.height * inputs);
    job_.workers = workers;
    std::int64_t bytes = 0;  // of a cell
    const auto add = [&](const source_band& s) { bytes += 1 + (s.form.single ? 4 : 8); };
    for (const auto& o : sources_) std::for_each(o.begin(), o.end(), add);
    std::for_each(qualities_.begin(), qualities_.end(), add);
    const auto wanted = workers == 0 ? strip_cells : strip_cells / static_cast<std::int64_t>(4 * workers) + 1;
    job_.memory = std::min(memory_at_work, bytes * static_cast<std::int64_t>(workers + 2) * wanted);
}

// GDAL's cache where each block is read once: for a part of one file with all its bands, which may be stored together,
// and for the tiles of a strip, which is written band by band. More is needed where blocks of inputs are of other sizes
// or those of other files.
std::int64_t composer::cache_for(const gdal::window& strip) const {
    constexpr auto all = std::numeric_limits<std::int64_t>::max();
    const auto parts = static_cast<std::int64_t>(job_.size().blocks);
    int columns = 0, rows = 0;
    std::int64_t most = 0;  // bytes of a cell with all bands of a file
    for (auto* file : files_) {
        if (EQUAL(file->GetDriverName(), "VRT")) return all;
        std::int64_t bytes = 0;
        for (auto* band : file->GetBands()) {
            int own_columns = 1, own_rows = 1;
            band->GetBlockSize(&own_columns, &own_rows);
            if (columns == 0) columns = own_columns, rows = own_rows;
            if (own_columns != columns || own_rows != rows) return all;
            bytes += GDALGetDataTypeSizeBytes(band->GetRasterDataType());
        }
        most = std::max(most, bytes);
    }
    if (strip.height < plan_.on.height && strip.height % rows != 0) return all;
    int across = 1, down = 1;
    out_.band(1).GetBlockSize(&across, &down);
    const auto of_part = std::max(strip.cells() / parts, std::int64_t{columns} * rows) * most;
    const auto of_strip = std::int64_t{strip.width + across} * (strip.height + down) *
                          static_cast<std::int64_t>(results_) *
                          GDALGetDataTypeSizeBytes(out_.band(1).GetRasterDataType());
    return 2 * of_part + of_strip;
}

composition_figures composer::run(const std::function<void(double)>& progress) {
    const auto strips = strips_of_results();
    plan_work(strips.front().cells());
    std::size_t parts = 0, workers = 1;
    for (const auto& s : strips) {
        job_.part = s;
        const auto size = job_.size();
        parts += size.blocks;
        workers = std::max(workers, size.workers);
    }
    rooms_.resize(workers);
    for (auto& r : rooms_) {
        r.cells.bands.resize(bands_);
        r.results.resize(results_);
        r.cells_by_count.assign(bands_, std::vector<std::int64_t>(plan_.set.all.size() + 1));
    }
    for (std::size_t i = 0; i < results_; ++i) {
        figures_.results.push_back(gdalmcp_raster::statistics_of(gdalmcp_raster::cell_type::float64, {1, 0, true}));
        figures_.results.back()->begin(parts, workers, false);
    }
    job_.part = strips.front();
    const gdal::small_block_cache cache{cache_for(strips.front())};
    std::size_t before = 0;
    for (const auto& s : strips) {
        job_.part = strip_ = s;
        for (auto& m : made_) m.resize(static_cast<std::size_t>(s.cells()));
        const auto done = static_cast<double>(s.row) / plan_.on.height;
        job_.run([&](double f) { progress(done + f * s.height / plan_.on.height); },
                 [&](const gdal::block& b) { compose_block(b, before + b.index); });
        before += job_.size().blocks;
        write(s);
    }
    for (auto& f : figures_.results) f->end();
    figures_.cells_by_count.assign(bands_, std::vector<std::int64_t>(plan_.set.all.size() + 1));
    for (const auto& r : rooms_) {
        figures_.excluded += r.excluded;
        figures_.without_quality += r.without_quality;
        for (std::size_t i = 0; i < bands_; ++i)
            for (std::size_t n = 0; n < r.cells_by_count[i].size(); ++n)
                figures_.cells_by_count[i][n] += r.cells_by_count[i][n];
    }
    figures_.infinite = job_.met_infinite();
    return std::move(figures_);
}

}  // namespace

composition_figures compose(const composition_plan& plan, gdalmcp_datasets::raster_output& out,
                            const std::function<void(double)>& progress) {
    return composer{plan, out}.run(progress);
}

}  // namespace gdalmcp_temporal
