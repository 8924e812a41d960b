#include "zonal_sweep.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "overlap_count.hpp"

namespace gdalmcp_aggregation {
namespace {

constexpr std::size_t zones_at_once = 512;  // whose spans are kept until their overlaps are counted

struct chunk_shape {
    std::size_t height, width;
};

// Whole blocks up to the target size of a read. Blocks far beyond it are read in adjacent parts.
chunk_shape shape_of(const sweep_source& s, const sweep_request& asked) {
    const auto layers = asked.bands.size() + (s.read_weights ? 1 : 0);
    const auto cells = std::max<std::size_t>(1, asked.cells_at_once / std::max<std::size_t>(1, layers));
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

struct thread_work {
    cover_work cover;
    std::vector<double> areas;
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
          shape_{shape_of(source, asked)},
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

    void add_chunk(const window& reach) {
        const auto block = needed(reach);
        if (block.size() == 0) return;
        std::vector<std::size_t> members;
        for (const auto n : active_)
            if (common(zones_.where[n], reach).size() > 0) members.push_back(n);
        auto read = take(block, reach);
        const bool may_overlap = waiting_.size() > 1;
        const auto rows = (block.height + taken_.size() - 1) / taken_.size();  // that a thread counts
        for (std::size_t t = 0; may_overlap && t < taken_.size(); ++t)
            taken_[t].begin(common(block, {block.row + t * rows, block.column, rows, block.width}));
        for (std::size_t first = 0; first < members.size(); first += zones_at_once) {
            const auto last = std::min(members.size(), first + zones_at_once);
            in_parallel(last - first, [&](std::size_t i, thread_work& work) {
                add_zone(*open_[members[first + i]], read, reach, work);
            });
            if (may_overlap)
                in_parallel(taken_.size(), [&](std::size_t t, thread_work&) {
                    for (auto i = first; i < last; ++i) taken_[t].add(open_[members[i]]->spans, members[i]);
                });
            for (auto i = first; i < last; ++i) {
                const auto& where = zones_.where[members[i]];
                if (where.column + where.width <= reach.column + reach.width) open_[members[i]]->spans.clear();
            }
        }
        spare_ = std::move(read);
    }

    // Adds the cells of a zone in a chunk. The zone's coverage is computed once per strip, at its first chunk.
    void add_zone(open_zone& z, const chunk& read, const window& reach, thread_work& work) const {
        const auto end = end_of(reach);
        if (z.covered_to != end) {
            z.spans.clear();
            z.cover.rows(reach.row, end, work.cover, z.spans);
            if (asked_.least_share > 0)
                std::erase_if(z.spans, [&](const span& s) { return s.share < asked_.least_share; });
            z.covered_to = end;
        }
        for (const auto& s : z.spans) {
            const auto first = std::max(s.column, reach.column);
            const auto last = std::min(s.column + s.length, reach.column + reach.width);
            if (first < last) add_span({s.row, first, last - first, s.share}, read, z, work);
        }
    }

    void add_span(const span& s, const chunk& read, open_zone& z, thread_work& work) const {
        const double* areas = nullptr;
        if (source_.cell_areas) {
            work.areas.resize(std::max(work.areas.size(), s.length));
            source_.cell_areas(s.row, s.column, s.length, work.areas.data());
            areas = work.areas.data();
        }
        const auto at = (s.row - read.block.row) * read.block.width + s.column - read.block.column;
        const auto* weights = source_.read_weights ? &read.weights : nullptr;
        for (std::size_t b = 0; b < read.bands.size(); ++b) {
            const auto& v = read.bands[b];
            auto& found = z.found[b];
            const bool runs = s.share == 1 && !asked_.weighted && found.takes_runs();
            for (std::size_t i = 0; i < s.length;) {
                const auto valid = runs ? valid_in_a_row(v, at + i, s.length - i) : 0;
                auto end = runs ? std::min(i + valid + 1, s.length) : s.length;
                if (add_run(v, at + i, valid, found)) i += valid;
                for (; i < end; ++i) add_cell(v, weights, at + i, s.share, areas ? areas[i] : 0, found);
            }
        }
        for (std::size_t b = 0; places_ && b < read.bands.size(); ++b)
            for (std::size_t i = 0; i < s.length; ++i)
                if (const auto value = read.bands[b].at(at + i); read.bands[b].valid[at + i] && std::isfinite(value))
                    z.found[b].locate(value, {s.row, s.column + i});
    }

    static std::size_t valid_in_a_row(const block_values& v, std::size_t from, std::size_t most) {
        const auto* gap = static_cast<const unsigned char*>(std::memchr(&v.valid[from], 0, most));
        return gap ? static_cast<std::size_t>(gap - &v.valid[from]) : most;
    }

    // Adds n valid cells, all whole, at once; not if they are few, or one is infinite.
    static bool add_run(const block_values& v, std::size_t from, std::size_t n, zone_statistics& found) {
        constexpr std::size_t worthwhile = 16;
        if (n < worthwhile) return false;
        const auto add = [&](const auto* values) {
            const auto run = figures_of(values, n);
            const bool finite = std::isfinite(run.sum.value());
            if (finite) found.add_run(run, values, n);
            return finite;
        };
        return v.single.empty() ? add(&v.value[from]) : add(&v.single[from]);
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
    chunk_shape shape_;
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
