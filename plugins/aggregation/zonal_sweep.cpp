#include "zonal_sweep.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <thread>

#include "overlap_count.hpp"

namespace gdalmcp_aggregation {
namespace {

constexpr std::size_t zones_at_once = 512;  // whose spans are kept until their overlaps are counted

struct chunk_shape {
    std::size_t height, width;
};

// Bands are summarised side by side, each read by its own thread, where there are enough of them and no weights to be
// read with them.
bool by_band(const sweep_source& s, const sweep_request& asked) {
    return asked.threads > 1 && asked.bands.size() >= asked.threads && !s.read_weights;
}

// The cells of a chunk, by band. Of bands side by side only pieces are held: the larger the chunk, the less the threads
// wait. Blocks that hold all bands stay in GDAL's cache from one band to the next.
std::size_t cells_of_chunk(const sweep_source& s, const sweep_request& asked) {
    const auto layers = asked.bands.size() + (s.read_weights ? 1 : 0);
    return (by_band(s, asked) ? 8 : 1) * asked.cells_at_once / std::max<std::size_t>(1, layers);
}

// Whole blocks up to about this many cells. Blocks far beyond are read in adjacent parts.
chunk_shape shape_of(const sweep_source& s, std::size_t cells) {
    cells = std::max<std::size_t>(1, cells);
    auto height = s.block_height * std::max<std::size_t>(1, 256 / s.block_height);
    const auto width = s.block_width >= s.columns
                           ? s.columns
                           : std::max(s.block_width, cells / height / s.block_width * s.block_width);
    if (height * width > 4 * cells) height = std::max<std::size_t>(1, cells / width);
    return {std::min(height, s.rows), std::min(width, s.columns)};
}

struct chunk {
    window block;
    std::vector<block_values> bands;
    block_values weights;
};

struct read_band {
    const window& block;
    const block_values &values, &weights;
};

// Of a chunk, and the zones that reach it.
struct piece {
    window reach, block;  // block: the cells that zones reach
    std::vector<std::size_t> zones;
};

struct thread_work {
    cover_work cover;
    std::vector<double> areas;
    block_values values;
    std::vector<double> cut, shares;  // cells that are added together
};

struct open_zone {
    zone_cover cover;
    std::vector<zone_statistics> found;
    std::vector<span> spans;     // of the strip
    std::size_t covered_to = 0;  // the row after those of `spans`
};

class sweeper {
public:
    sweeper(const sweep_source& source, const sweep_request& asked, const sweep_zones& zones)
        : source_{source},
          asked_{asked},
          zones_{zones},
          by_band_{by_band(source, asked)},
          shape_{shape_of(source, cells_of_chunk(source, asked))},
          piece_{shape_of(source, asked.cells_at_once / 8)},
          places_{std::any_of(asked.wanted.begin(), asked.wanted.end(), needs_places)},
          values_kept_{std::any_of(asked.wanted.begin(), asked.wanted.end(), needs_values)},
          open_(zones.where.size()),
          work_(std::max<std::size_t>(1, asked.threads)),
          taken_(work_.size()) {
        for (std::size_t i = 0; i < zones.where.size(); ++i)
            if (zones.where[i].size() > 0) waiting_.push_back(i);
        std::stable_sort(waiting_.begin(), waiting_.end(), [&](auto a, auto b) {
            return zones_.where[a].row / shape_.height < zones_.where[b].row / shape_.height;
        });
    }

    sweep_overlaps run(const std::function<void(double)>& progress) {
        for (std::size_t top = 0; next_ < waiting_.size() || !active_.empty(); top += shape_.height) {
            if (active_.empty()) top = zones_.where[waiting_[next_]].row / shape_.height * shape_.height;
            const window strip{top, 0, std::min(shape_.height, source_.rows - top), source_.columns};
            open_zones(strip);
            for (std::size_t column = 0; column < source_.columns; column += shape_.width) {
                progress((static_cast<double>(top) + static_cast<double>(strip.height) * static_cast<double>(column) /
                                                         static_cast<double>(source_.columns)) /
                         static_cast<double>(source_.rows));
                add_chunk(chunk_at(top, column));
            }
            close_zones(strip);
        }
        std::size_t cells = 0;
        std::set<std::size_t> zones;
        for (const auto& t : taken_) {
            cells += t.cells();
            zones.insert(t.zones().begin(), t.zones().end());
        }
        return {cells, {zones.begin(), zones.end()}};
    }

private:
    static std::size_t end_of(const window& w) { return w.row + w.height; }

    void open_zones(const window& strip) {
        const auto before = static_cast<std::ptrdiff_t>(active_.size());
        for (; next_ < waiting_.size() && zones_.where[waiting_[next_]].row < end_of(strip); ++next_) {
            const auto n = waiting_[next_];
            active_.push_back(n);
            open_[n].reset(
                new open_zone{zone_cover{zones_.outline(n), source_.rows, source_.columns, asked_.rule},
                              std::vector<zone_statistics>(asked_.bands.size(), zone_statistics{asked_.wanted}),
                              {}});
        }
        std::inplace_merge(active_.begin(), active_.begin() + before, active_.end());
    }

    void close_zones(const window& strip) {
        if (values_kept_)
            in_parallel(active_.size(), [&](std::size_t i, thread_work&) {
                if (end_of(zones_.where[active_[i]]) > end_of(strip)) return;
                for (auto& found : open_[active_[i]]->found) found.sort();
            });
        std::erase_if(active_, [&](std::size_t n) {
            const bool whole = end_of(zones_.where[n]) <= end_of(strip);
            zones_.seen(n, open_[n]->found, whole);
            open_[n]->spans = {};
            if (!whole) return false;
            open_[n].reset();
            return true;
        });
    }

    window chunk_at(std::size_t row, std::size_t column) const {
        return {row, column, std::min(shape_.height, source_.rows - row),
                std::min(shape_.width, source_.columns - column)};
    }
    std::optional<window> after(const window& reach) const {
        if (const auto column = reach.column + reach.width; column < source_.columns)
            return chunk_at(reach.row, column);
        return end_of(reach) < source_.rows ? std::optional{chunk_at(end_of(reach), 0)} : std::nullopt;
    }

    // The cells of a chunk that zones reach, of those that wait as well.
    window needed(const window& reach) const {
        window block{};
        for (const auto n : active_) block = around(block, common(zones_.where[n], reach));
        for (auto i = next_; i < waiting_.size() && zones_.where[waiting_[i]].row < end_of(reach); ++i)
            block = around(block, common(zones_.where[waiting_[i]], reach));
        return block;
    }

    // into: fresh memory costs as much as reading.
    chunk read(const window& block, chunk into) const {
        into.block = block;
        into.bands.resize(asked_.bands.size());
        for (std::size_t b = 0; b < asked_.bands.size(); ++b) source_.read(asked_.bands[b], block, into.bands[b]);
        if (source_.read_weights) source_.read_weights(block, into.weights);
        return into;
    }

    // What was read ahead, which is the next chunk that any zone reaches; then reads the one after it meanwhile.
    chunk take(const window& block, const window& reach) {
        auto here = ahead_.valid() ? ahead_.get() : read(block, std::move(spare_));
        const auto next = work_.size() > 1 ? after(reach) : std::nullopt;
        const auto ahead = next ? needed(*next) : window{};
        if (ahead.size() == 0) return here;
        try {
            ahead_ = std::async(std::launch::async, [this, ahead, into = std::move(spare_)]() mutable {
                return read(ahead, std::move(into));
            });
        } catch (const std::system_error&) {
            // No more threads available: it is read when its turn comes.
        }
        return here;
    }

    std::vector<std::size_t> zones_in(const window& reach, const std::vector<std::size_t>& of) const {
        std::vector<std::size_t> out;
        for (const auto n : of)
            if (common(zones_.where[n], reach).size() > 0) out.push_back(n);
        return out;
    }

    void add_chunk(const window& reach) {
        const auto block = needed(reach);
        if (block.size() == 0) return;
        const auto members = zones_in(reach, active_);
        if (waiting_.size() > 1) {
            const auto rows = (block.height + taken_.size() - 1) / taken_.size();  // that a thread counts
            for (std::size_t t = 0; t < taken_.size(); ++t)
                taken_[t].begin(common(block, {block.row + t * rows, block.column, rows, block.width}));
        }
        if (by_band_) {
            cover_and_count(members, reach, [](open_zone&, thread_work&) {});
            add_bands(members, reach);
            return forget_spans(members, reach);
        }
        auto read = take(block, reach);
        for (std::size_t first = 0; first < members.size(); first += zones_at_once) {
            const auto last = std::min(members.size(), first + zones_at_once);
            const std::span some{members.data() + first, last - first};
            cover_and_count(some, reach, [&](open_zone& z, thread_work& work) {
                for (std::size_t b = 0; b < read.bands.size(); ++b)
                    add_zone(z, b, {read.block, read.bands[b], read.weights}, reach, work);
            });
            forget_spans(some, reach);
        }
        spare_ = std::move(read);
    }

    // Calls `then` with each zone once it is covered.
    void cover_and_count(std::span<const std::size_t> members, const window& reach,
                         const std::function<void(open_zone&, thread_work&)>& then) {
        in_parallel(members.size(), [&](std::size_t i, thread_work& work) {
            auto& z = *open_[members[i]];
            cover(z, reach, work);
            then(z, work);
        });
        if (waiting_.size() > 1)
            in_parallel(taken_.size(), [&](std::size_t t, thread_work&) {
                for (const auto n : members) taken_[t].add(open_[n]->spans, n);
            });
    }

    // Of the zones that end in a chunk.
    void forget_spans(std::span<const std::size_t> members, const window& reach) {
        for (const auto n : members)
            if (zones_.where[n].column + zones_.where[n].width <= reach.column + reach.width) open_[n]->spans.clear();
    }

    // One thread reads and adds a band, piece by piece, while another adds the one it has read.
    void add_bands(const std::vector<std::size_t>& members, const window& reach) {
        std::vector<piece> pieces;
        for (auto row = reach.row; row < end_of(reach); row += piece_.height)
            for (auto column = reach.column; column < reach.column + reach.width; column += piece_.width) {
                const auto part = common(reach, {row, column, piece_.height, piece_.width});
                piece p{part, {}, zones_in(part, members)};
                for (const auto n : p.zones) p.block = around(p.block, common(zones_.where[n], part));
                if (!p.zones.empty()) pieces.push_back(std::move(p));
            }
        in_parallel(asked_.bands.size(), [&](std::size_t b, thread_work& work) {
            const block_values no_weights;
            for (const auto& p : pieces) {
                {
                    const std::scoped_lock one_at_a_time{reading_};
                    source_.read(asked_.bands[b], p.block, work.values);
                }
                for (const auto n : p.zones) add_zone(*open_[n], b, {p.block, work.values, no_weights}, p.reach, work);
            }
        });
    }

    // The zone's coverage is computed once per strip, at its first chunk.
    void cover(open_zone& z, const window& reach, thread_work& work) const {
        const auto end = end_of(reach);
        if (z.covered_to == end) return;
        z.spans.clear();
        z.cover.rows(reach.row, end, work.cover, z.spans);
        if (asked_.least_share > 0) std::erase_if(z.spans, [&](const span& s) { return s.share < asked_.least_share; });
        z.covered_to = end;
    }

    // Adds the cells of a band of a zone.
    void add_zone(open_zone& z, std::size_t band, const read_band& read, const window& reach, thread_work& work) const {
        auto& found = z.found[band];
        for (const auto& s : z.spans) {
            if (s.row < reach.row || s.row >= end_of(reach)) continue;
            const auto first = std::max(s.column, reach.column);
            const auto last = std::min(s.column + s.length, reach.column + reach.width);
            if (first < last) add_span({s.row, first, last - first, s.share}, read, found, work);
        }
        if (!work.cut.empty() && !found.add_run(work.cut.data(), work.shares.data(), work.cut.size()))
            for (std::size_t i = 0; i < work.cut.size(); ++i) found.add(work.cut[i], work.shares[i]);
        work.cut.clear();
        work.shares.clear();
    }

    void add_span(const span& s, const read_band& read, zone_statistics& found, thread_work& work) const {
        const double* areas = nullptr;
        if (source_.cell_areas) {
            work.areas.resize(std::max(work.areas.size(), s.length));
            source_.cell_areas(s.row, s.column, s.length, work.areas.data());
            areas = work.areas.data();
        }
        const auto at = (s.row - read.block.row) * read.block.width + s.column - read.block.column;
        const auto* weights = source_.read_weights ? &read.weights : nullptr;
        const auto& v = read.values;
        const bool runs = !asked_.weighted && found.takes_runs();
        for (std::size_t i = 0; i < s.length;) {
            const auto valid = runs && s.share == 1 ? valid_in_a_row(v, at + i, s.length - i) : 0;
            auto end = runs ? std::min(i + valid + 1, s.length) : s.length;
            if (add_run(v, at + i, valid, found)) i += valid;
            for (; i < end; ++i) {
                if (const double value = v.at(at + i); runs && v.valid[at + i] && std::isfinite(value)) {
                    work.cut.push_back(value);
                    work.shares.push_back(s.share);
                } else {
                    add_cell(v, weights, at + i, s.share, areas ? areas[i] : 0, found);
                }
            }
        }
        for (std::size_t i = 0; places_ && i < s.length; ++i)
            if (const auto value = v.at(at + i); v.valid[at + i] && std::isfinite(value))
                found.locate(value, {s.row, s.column + i});
    }

    static std::size_t valid_in_a_row(const block_values& v, std::size_t from, std::size_t most) {
        const auto* gap = static_cast<const unsigned char*>(std::memchr(&v.valid[from], 0, most));
        return gap ? static_cast<std::size_t>(gap - &v.valid[from]) : most;
    }

    // Adds n valid cells, all whole, at once; not if they are few, or one is infinite.
    static bool add_run(const block_values& v, std::size_t from, std::size_t n, zone_statistics& found) {
        constexpr std::size_t worthwhile = 16;
        if (n < worthwhile) return false;
        return v.single.empty() ? found.add_run(&v.value[from], n) : found.add_run(&v.single[from], n);
    }

    void add_cell(const block_values& v, const block_values* w, std::size_t i, double share, double area,
                  zone_statistics& found) const {
        const double value = v.at(i);
        if (std::isnan(value)) return found.add_nan(share);
        if (!v.valid[i]) return found.add_nodata(share);
        if (std::isinf(value)) return found.add_infinite(share);
        if (!asked_.weighted) return found.add(value, share, area);
        const double weight = w ? w->at(i) : area;
        if ((!w || w->valid[i]) && std::isfinite(weight)) return found.add_weighted(value, share, weight, area);
        found.add(value, share, area);
        found.add_unweighted();
    }

    // Runs `what` for 0 ... n - 1, each on any one thread.
    void in_parallel(std::size_t n, const std::function<void(std::size_t, thread_work&)>& what) {
        std::atomic<std::size_t> next{0};
        std::atomic<bool> failed{false};
        std::exception_ptr why;
        const auto run = [&](thread_work& work) {
            try {
                for (std::size_t i; !failed && (i = next++) < n;) what(i, work);
            } catch (...) {
                if (!failed.exchange(true)) why = std::current_exception();
            }
        };
        {
            std::vector<std::jthread> others;
            try {
                for (std::size_t t = 1; t < std::min(work_.size(), n); ++t)
                    others.emplace_back([&, t] { run(work_[t]); });
            } catch (const std::system_error&) {
                // No more threads available: the existing ones do the work.
            }
            run(work_[0]);
        }
        if (why) std::rethrow_exception(why);
    }

    const sweep_source& source_;
    const sweep_request& asked_;
    const sweep_zones& zones_;
    bool by_band_;
    chunk_shape shape_, piece_;
    std::mutex reading_;
    bool places_, values_kept_;
    std::vector<std::size_t> waiting_, active_;  // active_: by number
    std::size_t next_ = 0;
    std::vector<std::unique_ptr<open_zone>> open_;
    std::vector<thread_work> work_;
    std::vector<overlap_count> taken_;  // by the rows of a chunk
    chunk spare_;
    std::future<chunk> ahead_;  // the last member: it is waited for while the others are there
};

}  // namespace

sweep_overlaps sweep(const sweep_source& source, const sweep_request& asked, const sweep_zones& zones,
                     const std::function<void(double)>& progress) {
    return sweeper{source, asked, zones}.run(progress);
}

}  // namespace gdalmcp_aggregation
