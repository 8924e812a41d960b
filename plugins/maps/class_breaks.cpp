#include "class_breaks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "axis.hpp"
#include "datasets/compensated_sum.hpp"

namespace gdalmcp_maps {
namespace {

// The sums of squared deviations within runs of different values, each with its number of rows.
class runs {
public:
    explicit runs(const std::vector<double>& sorted) {
        for (const double v : sorted) {
            // Around the middle: squares of large numbers with a small spread would lose it.
            const auto from_middle = static_cast<long double>(v) - sorted[sorted.size() / 2];
            if (values_.empty() || values_.back() != v) {
                values_.push_back(v);
                rows_.push_back(rows_.back());
                sums_.push_back(sums_.back());
                squares_.push_back(squares_.back());
            }
            rows_.back() += 1;
            sums_.back() += from_middle;
            squares_.back() += from_middle * from_middle;
        }
    }
    std::size_t size() const { return values_.size(); }
    double value(std::size_t i) const { return values_[i]; }
    // Of the values i to j, both with.
    long double spread(std::size_t i, std::size_t j) const {
        const auto sum = sums_[j + 1] - sums_[i];
        return std::max(0.0L, squares_[j + 1] - squares_[i] - sum * sum / (rows_[j + 1] - rows_[i]));
    }

private:
    std::vector<double> values_;
    std::vector<long double> rows_{0}, sums_{0}, squares_{0};
};

// The last class of the values up to j, for each j from `low` to `high`; its start lies between `from` and `to`.
// best, before: the least spread of all values up to j, in one class more and less.
void last_class(const runs& all, const std::vector<long double>& before, std::vector<long double>& best,
                std::vector<std::uint32_t>& start, std::size_t low, std::size_t high, std::size_t from,
                std::size_t to) {
    const auto j = low + (high - low) / 2;
    for (auto i = std::max<std::size_t>(from, 1); i <= std::min(to, j); ++i)
        if (const auto total = before[i - 1] + all.spread(i, j); total < best[j]) {
            best[j] = total;
            start[j] = static_cast<std::uint32_t>(i);
        }
    if (j > low) last_class(all, before, best, start, low, j - 1, from, start[j]);
    if (j < high) last_class(all, before, best, start, j + 1, high, start[j], to);
}

}  // namespace

std::vector<double> quantile_breaks(const std::vector<double>& sorted, std::size_t n) {
    std::vector<double> breaks;
    const auto size = sorted.size();
    for (std::size_t i = 1; i < n; ++i) {
        // Equal values stay together: those at the quantile go to the side that leaves the counts nearer to it.
        const auto at = size * i / n;
        const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), sorted[at]);
        const auto below = static_cast<std::size_t>(first - sorted.begin()),
                   with = static_cast<std::size_t>(last - sorted.begin());
        const bool after = last != sorted.end() && (below == 0 || with - at < at - below);
        const double found = after ? *last : *first;
        if (found > (breaks.empty() ? sorted.front() : breaks.back())) breaks.push_back(found);
    }
    return breaks;
}

std::vector<double> equal_breaks(const std::vector<double>& sorted, std::size_t n) {
    std::vector<double> breaks;
    const double low = sorted.front(), width = (sorted.back() - low) / static_cast<double>(n);
    for (std::size_t i = 1; i < n && !nearly_equal(low, sorted.back()); ++i)
        breaks.push_back(low + static_cast<double>(i) * width);
    return breaks;
}

std::vector<double> natural_breaks(const std::vector<double>& sorted, std::size_t n) {
    const runs all{sorted};
    const auto m = all.size();
    n = std::min(n, m);
    std::vector<long double> before(m);
    for (std::size_t j = 0; j < m; ++j) before[j] = all.spread(0, j);
    std::vector<std::vector<std::uint32_t>> starts;  // of the last class, for two classes, three, …
    for (std::size_t k = 1; k < n; ++k) {
        std::vector<long double> best(m, std::numeric_limits<long double>::infinity());
        starts.emplace_back(m, static_cast<std::uint32_t>(k));
        last_class(all, before, best, starts.back(), k, m - 1, k, m - 1);
        before = std::move(best);
    }
    std::vector<double> breaks;
    auto end = m - 1;
    for (auto k = starts.size(); k > 0; --k) {
        const auto start = starts[k - 1][end];
        breaks.insert(breaks.begin(), all.value(start));
        end = start - 1;
    }
    return breaks;
}

deviation_breaks standard_deviation_breaks(const std::vector<double>& sorted) {
    gdalmcp_datasets::compensated_sum sum, squares;
    const auto n = static_cast<double>(sorted.size());
    for (const double v : sorted) sum.add(v);
    deviation_breaks found{{}, 0, sum.value() / n, 0};
    for (const double v : sorted) squares.add_product(v - found.mean, v - found.mean);
    if (sorted.back() > sorted.front()) found.deviation = std::sqrt(squares.value() / n);
    for (const double share : {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5}) {
        const double at = found.mean + share * found.deviation;
        if (at <= sorted.front())
            ++found.first;
        else if (at <= sorted.back())
            found.breaks.push_back(at);
    }
    return found;
}

}  // namespace gdalmcp_maps
