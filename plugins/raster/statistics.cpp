#include "statistics.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "part_sum.hpp"
#include "rank_search.hpp"

namespace gdalmcp_raster {
namespace {

template <class T>
void add_to(std::vector<T>& sum, const std::vector<T>& more) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

template <class T>
class typed final : public statistics {
    using key = key_of<T>;
    static constexpr bool real = std::is_floating_point_v<T>;
    static constexpr bool small = key::low == 0;  // one tally distinguishes every value
    static constexpr std::size_t bins = tally_bins<T>;

public:
    explicit typed(const nodata_range& r) {
        const auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
        const auto highest = static_cast<double>(std::numeric_limits<T>::max());
        nan_is_nodata_ = r.nan;
        if constexpr (real) {
            has_nodata_ = r.lowest <= r.highest;
            nodata_ = {static_cast<T>(r.lowest), static_cast<T>(r.highest)};
        } else if (r.lowest <= r.highest && r.highest >= lowest && r.lowest <= highest) {
            has_nodata_ = true;
            // The limits of 64-bit types are not doubles: the next double above is used.
            nodata_ = {r.lowest <= lowest ? std::numeric_limits<T>::lowest() : static_cast<T>(std::ceil(r.lowest)),
                       r.highest >= highest ? std::numeric_limits<T>::max() : static_cast<T>(std::floor(r.highest))};
        }
    }

    void count_classes(const class_areas* areas, bool alone) override {
        classify_ = true;
        classes_alone_ = alone;
        areas_ = areas;
    }

    void begin(std::size_t parts, std::size_t workers, bool with_ranks) override {
        tallies_all_ = small || with_ranks;
        parts_.assign(parts, {});
        workers_ = workers;
        tallies_.assign(workers, tally{bins});
    }

    void add(const cell_block& b, std::size_t part, std::size_t worker) override {
        auto& p = parts_[part];
        auto& t = tallies_[worker];
        const T* cells = static_cast<const T*>(b.cells);
        if (b.uniform) return add_uniform(b, cells[0], p, t);
        if (classes_alone_) return add_classes(b, cells, p);
        std::array<T, chunk> dense;
        for (std::size_t i = 0; i < b.size(); i += chunk) {
            const std::size_t n = std::min(chunk, b.size() - i);
            if (!b.valid && !b.selected && add_full(b, i, n, p, t)) continue;
            const std::size_t kept = gather(b, i, n, dense.data(), p.counts);
            if (kept > 0)
                add_chunk(b, i, n, dense.data(), kept, range_of(dense.data(), kept), sum_of(dense.data(), kept), p, t);
        }
        if (classify_) add_classes(b, cells, p);
    }

    void end() override {
        total_ = {};
        for (const auto& p : parts_) {
            total_.merge(p);
            for (const auto& [code, size] : p.classes) {
                auto& c = classes_[code];
                c.count += size.count;
                c.area += size.area;
            }
        }
        if (classes_alone_) {
            total_.counts.valid = 0;
            for (const auto& [code, size] : classes_) total_.counts.valid += size.count;
        }
        if (classes_.size() > max_classes) total_.too_many = true;
        if (total_.too_many) classes_.clear();
        parts_ = {};
        tally_.assign(bins, 0);
        for (auto& t : tallies_) add_to(tally_, t.counts());
        tallies_.clear();
        if constexpr (small) sum_up();
    }

    const cell_counts& counts() const override { return total_.counts; }
    const std::map<std::int64_t, class_size>& classes() const override { return classes_; }
    bool no_classes() const override { return total_.too_many; }
    double min() const override { return static_cast<double>(total_.low.value); }
    double max() const override { return static_cast<double>(total_.high.value); }
    cell_place min_place() const override { return total_.low.place; }
    cell_place max_place() const override { return total_.high.place; }
    std::int64_t cells_at_min() const override { return total_.low.cells; }
    std::int64_t cells_at_max() const override { return total_.high.cells; }
    double sum() const override {
        return real ? static_cast<double>(total_.m.sum) : static_cast<double>(total_.m.whole_sum);
    }
    double mean() const override {
        const auto s = real ? total_.m.sum : static_cast<long double>(total_.m.whole_sum);
        return static_cast<double>(s / static_cast<long double>(total_.counts.valid));
    }
    double std() const override {
        return static_cast<double>(std::sqrt(total_.m.deviations / static_cast<long double>(total_.counts.valid)));
    }

    void look_for(const std::vector<double>& percentiles, std::size_t histogram_bins) override {
        histogram_.assign(histogram_bins, 0);
        search_ = {};
        if (total_.counts.valid == 0) return;
        std::vector<std::int64_t> wanted;
        for (const double p : percentiles)
            for (const auto rank : ranks_of(p).both()) wanted.push_back(rank);
        search_.look_for(wanted, tally_);
        bin_pass_ = histogram_bins > 0 && !small;
        if (histogram_bins > 0 && small)
            for (std::size_t i = 0; i < tally_.size(); ++i)
                if (tally_[i]) histogram_[bin_of(key::value(static_cast<typename key::type>(i)))] += tally_[i];
    }
    bool needs_pass() const override { return bin_pass_ || search_.needs_pass(); }

    void begin_pass() override {
        search_.begin_pass();
        // NaN and infinite values share their leading bits with no other; nodata may.
        nodata_near_ = has_nodata_ && search_.near(nodata_[0], nodata_[1]);
        tallies_.assign(workers_, tally{search_.bins()});
        binned_.assign(workers_, std::vector<std::int64_t>(bin_pass_ ? histogram_.size() : 0, 0));
    }

    void refine(const cell_block& b, std::size_t worker) override {
        if constexpr (!small) {
            const T* cells = static_cast<const T*>(b.cells);
            std::array<T, chunk> dense;
            const std::int64_t times = b.uniform ? static_cast<std::int64_t>(b.size()) : 1;
            const std::size_t size = b.uniform ? 1 : b.size();
            for (std::size_t i = 0; i < size; i += chunk) {
                std::size_t n = std::min(chunk, size - i);
                const T* values = cells + i;
                if (b.valid || b.selected || bin_pass_ || nodata_near_) {
                    cell_counts known;
                    n = gather(b, i, n, dense.data(), known);
                    values = dense.data();
                }
                if (search_.bins() > 0) search_.add(values, n, times, tallies_[worker]);
                if (bin_pass_)
                    for (std::size_t k = 0; k < n; ++k) binned_[worker][bin_of(values[k])] += times;
            }
        }
    }

    void end_pass() override {
        for (const auto& counts : binned_)
            if (!counts.empty()) add_to(histogram_, counts);
        bin_pass_ = false;
        binned_.clear();
        if (search_.bins() > 0) {
            std::vector<std::int64_t> counts(search_.bins(), 0);
            for (auto& t : tallies_) add_to(counts, t.counts());
            search_.narrow(counts);
        }
        tallies_.clear();
    }

    double percentile(double p) const override {
        const auto r = ranks_of(p);
        const double low = search_.at(r.rank);
        return r.rest == 0 ? low : low + (search_.at(r.rank + 1) - low) * r.rest;
    }
    const std::vector<std::int64_t>& histogram() const override { return histogram_; }

private:
    struct ranks {
        std::int64_t rank;
        double rest;
        std::vector<std::int64_t> both() const { return rest == 0 ? std::vector{rank} : std::vector{rank, rank + 1}; }
    };
    ranks ranks_of(double p) const {
        const auto last = total_.counts.valid - 1;
        const long double at = static_cast<long double>(last) * std::clamp(p, 0.0, 100.0) / 100;
        const auto rank = static_cast<std::int64_t>(std::floor(at));
        return {rank, static_cast<double>(at - static_cast<long double>(rank))};
    }
    bool missing(T v) const { return has_nodata_ && v >= nodata_[0] && v <= nodata_[1]; }

    // Copies those with a value of n cells from `at` on, and counts the others.
    std::size_t gather(const cell_block& b, std::size_t at, std::size_t n, T* dense, cell_counts& counts) const {
        const T* v = static_cast<const T*>(b.cells) + at;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const bool looked_at = !b.selected || b.selected[at + i];
            const bool not_a_number = real && v[i] != v[i];
            const bool lacks = (b.valid && !b.valid[at + i]) || missing(v[i]) || (nan_is_nodata_ && not_a_number);
            const bool infinite = !not_a_number && !finite(v[i]);
            counts.nodata += looked_at && lacks;
            counts.nan += looked_at && !lacks && not_a_number;
            counts.infinite += looked_at && !lacks && infinite;
            dense[kept] = v[i];
            kept += looked_at && !lacks && !not_a_number && !infinite;
        }
        return kept;
    }
    static bool finite(T v) {
        if constexpr (real) return std::abs(v) <= std::numeric_limits<T>::max();
        return true;
    }

    bool usable(const cell_block& b, const T* cells, std::size_t i) const {
        const T v = cells[i];
        return (!b.selected || b.selected[i]) && (!b.valid || b.valid[i]) && !missing(v) && finite(v);
    }

    // The n cells from `at` on, where all have a value; false, and nothing added, where one may have none.
    bool add_full(const cell_block& b, std::size_t at, std::size_t n, part_sum<T>& p, tally& t) {
        const T* v = static_cast<const T*>(b.cells) + at;
        const auto range = range_of(v, n);
        if (has_nodata_ && range[0] <= nodata_[1] && range[1] >= nodata_[0]) return false;
        // A sum that is finite is a sum of finite values, and then the range holds.
        const double sum = small ? 0 : sum_of(v, n);
        if (!std::isfinite(sum)) return false;
        add_chunk(b, at, n, v, n, range, sum, p, t);
        return true;
    }

    // The n cells of a block from `at` on; values: the `kept` of them with data, their range and their sum.
    void add_chunk(const cell_block& b, std::size_t at, std::size_t n, const T* values, std::size_t kept,
                   const std::array<T, 2>& range, double sum, part_sum<T>& p, tally& t) {
        p.counts.valid += static_cast<std::int64_t>(kept);
        if constexpr (!small) p.m.merge(moments_of(values, kept, sum));
        if (tallies_all_) {
            auto* counts = t.room(kept);
            for (std::size_t i = 0; i < kept; ++i) ++counts[leading_bits(values[i])];
        }
        see(p.low, range[0], std::less<T>{}, b, at, n, values, kept);
        see(p.high, range[1], std::greater<T>{}, b, at, n, values, kept);
    }

    template <class Less>
    void see(extreme<T>& e, T value, Less less, const cell_block& b, std::size_t at, std::size_t n, const T* values,
             std::size_t kept) const {
        if (e.cells > 0 && less(e.value, value)) return;
        extreme<T> found{value, 0, e.place};
        for (std::size_t i = 0; i < kept; ++i) found.cells += values[i] == value;
        const T* cells = static_cast<const T*>(b.cells);
        // Within a block cells come in row order: only a new value has its first place here.
        if (e.cells == 0 || less(value, e.value))
            for (std::size_t i = at; i < at + n; ++i)
                if (cells[i] == value && usable(b, cells, i)) {
                    found.place = place_of(b, i);
                    break;
                }
        e.merge(found, less);
    }
    static cell_place place_of(const cell_block& b, std::size_t i) {
        return {b.first.row + static_cast<std::int64_t>(i / b.width) * b.step,
                b.first.column + static_cast<std::int64_t>(i % b.width) * b.step};
    }

    void add_uniform(const cell_block& b, T v, part_sum<T>& p, tally& t) {
        T one{};
        const auto n = static_cast<std::int64_t>(b.size());
        cell_counts c;
        const bool kept = gather(b, 0, 1, &one, c) > 0;
        p.counts.nodata += c.nodata * n;
        p.counts.nan += c.nan * n;
        p.counts.infinite += c.infinite * n;
        if (!kept) return;
        p.counts.valid += n;
        moments m;
        m.n = static_cast<long double>(n);
        m.sum = m.n * static_cast<long double>(v);
        if constexpr (std::is_integral_v<T>) m.whole_sum = static_cast<wide>(v) * n;
        p.m.merge(m);
        t.add(leading_bits(v), n);
        p.low.merge({v, n, b.first}, std::less<T>{});
        p.high.merge({v, n, b.first}, std::greater<T>{});
        if (!classify_) return;
        p.too_many = !is_code(v);
        if (p.too_many) return;
        class_size size{n, 0};
        if (areas_)
            for (std::size_t row = 0; row < b.height; ++row)
                size.area += areas_->of({b.first.row + static_cast<std::int64_t>(row), b.first.column},
                                        static_cast<std::int64_t>(b.width));
        p.classes.emplace_back(static_cast<std::int64_t>(v), size);
    }

    // Runs of one code within a row.
    void add_classes(const cell_block& b, const T* cells, part_sum<T>& p) const {
        std::map<std::int64_t, class_size> found;
        std::array<class_size*, 256> near{};  // by the last byte of the code, most of the time the right one
        std::array<std::int64_t, 256> near_code{};
        for (std::size_t i = 0; i < b.size() && !p.too_many;) {
            if (!usable(b, cells, i)) {
                ++i;
                continue;
            }
            const T value = cells[i];
            if (!is_code(value)) {
                p.too_many = true;
                return;
            }
            const std::size_t first = i, row_end = (i / b.width + 1) * b.width;
            if (b.valid || b.selected)
                while (++i < row_end && cells[i] == value && usable(b, cells, i)) {}
            else
                i = end_of_run(cells, i, row_end);
            const auto code = static_cast<std::int64_t>(value);
            const auto slot = static_cast<std::size_t>(code & 0xff);
            if (!near[slot] || near_code[slot] != code) {
                near[slot] = &found[code];
                near_code[slot] = code;
                p.too_many = found.size() > max_classes;
            }
            const auto n = static_cast<std::int64_t>(i - first);
            near[slot]->count += n;
            if (areas_) near[slot]->area += area_of(b, first, n);
        }
        p.classes.assign(found.begin(), found.end());
    }
    // The first cell behind `i` that has another value, or `end`; eight bytes at once.
    static std::size_t end_of_run(const T* cells, std::size_t i, std::size_t end) {
        constexpr std::size_t at_once = 8 / sizeof(T);
        std::array<T, at_once> run;
        run.fill(cells[i]);
        ++i;
        while (i + at_once <= end && std::memcmp(cells + i, run.data(), 8) == 0) i += at_once;
        while (i < end && cells[i] == run[0]) ++i;
        return i;
    }
    static bool is_code(T v) {
        if constexpr (real) return std::abs(v) < 1e15 && v == std::floor(v);
        if constexpr (std::is_unsigned_v<T>)
            return v <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return true;
    }
    double area_of(const cell_block& b, std::size_t first, std::int64_t n) const {
        const auto at = place_of(b, first);
        if (b.step == 1) return areas_->of(at, n);
        double sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += areas_->of({at.row, at.column + i * b.step}, 1);
        return sum;
    }

    std::size_t bin_of(T value) const {
        const double low = min(), width = (max() - low) / static_cast<double>(histogram_.size());
        const auto bin = width > 0 ? static_cast<std::size_t>((static_cast<double>(value) - low) / width) : 0;
        return std::min(bin, histogram_.size() - 1);
    }

    // The exact moments of a type with a full tally.
    void sum_up() {
        wide sum = 0, squares = 0;
        const wide n = total_.counts.valid;
        for (std::size_t i = 0; i < tally_.size(); ++i) {
            const auto v = static_cast<wide>(key::value(static_cast<typename key::type>(i)));
            sum += v * tally_[i];
            squares += v * v * tally_[i];
        }
        total_.m.whole_sum = sum;
        // n·Σx² − (Σx)² = n · Σ(x − mean)².
        if (n > 0)
            total_.m.deviations = static_cast<long double>(n * squares - sum * sum) / static_cast<long double>(n);
    }

    bool has_nodata_ = false, nan_is_nodata_ = false, nodata_near_ = false;
    bool classify_ = false, classes_alone_ = false, tallies_all_ = true;
    std::array<T, 2> nodata_{};
    const class_areas* areas_ = nullptr;
    std::vector<part_sum<T>> parts_;
    std::vector<tally> tallies_;  // per worker
    std::size_t workers_ = 1;
    part_sum<T> total_;
    std::map<std::int64_t, class_size> classes_;
    std::vector<std::int64_t> tally_;  // of the first 16 bits of the values
    rank_search<T> search_;
    bool bin_pass_ = false;
    std::vector<std::int64_t> histogram_;
    std::vector<std::vector<std::int64_t>> binned_;  // per worker
};

}  // namespace

std::unique_ptr<statistics> statistics_of(cell_type type, const nodata_range& r) {
    switch (type) {
        case cell_type::int8:
            return std::make_unique<typed<std::int8_t>>(r);
        case cell_type::uint8:
            return std::make_unique<typed<std::uint8_t>>(r);
        case cell_type::int16:
            return std::make_unique<typed<std::int16_t>>(r);
        case cell_type::uint16:
            return std::make_unique<typed<std::uint16_t>>(r);
        case cell_type::int32:
            return std::make_unique<typed<std::int32_t>>(r);
        case cell_type::uint32:
            return std::make_unique<typed<std::uint32_t>>(r);
        case cell_type::int64:
            return std::make_unique<typed<std::int64_t>>(r);
        case cell_type::uint64:
            return std::make_unique<typed<std::uint64_t>>(r);
        case cell_type::float32:
            return std::make_unique<typed<float>>(r);
        case cell_type::float64:
            return std::make_unique<typed<double>>(r);
    }
    return nullptr;
}

}  // namespace gdalmcp_raster
