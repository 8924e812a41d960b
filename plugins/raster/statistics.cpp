#include "statistics.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_raster {

namespace {
constexpr std::size_t fine_bins = std::size_t{1} << 20;
}

statistics::statistics(bool whole, std::optional<std::array<double, 2>> small) : whole_{whole}, small_{small} {
    if (small_) tally_.assign(static_cast<std::size_t>((*small_)[1] - (*small_)[0]) + 1, 0);
}

void statistics::add(const double* values, const unsigned char* valid, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const double v = values[i];
        if (!valid[i]) {
            ++counts_.nodata;
            continue;
        }
        if (!std::isfinite(v)) {
            ++(std::isnan(v) ? counts_.nan : counts_.infinite);
            continue;
        }
        if (++counts_.valid == 1 || v < min_) {
            min_ = v;
            at_min_ = 0;
        }
        if (counts_.valid == 1 || v > max_) {
            max_ = v;
            at_max_ = 0;
        }
        at_min_ += v == min_;
        at_max_ += v == max_;
        if (whole_) {
            const auto w = static_cast<wide>(v);
            sum_ += w;
            squares_ += w * w;
        } else {
            const long double delta = v - mean_;
            mean_ += delta / static_cast<long double>(counts_.valid);
            deviations_ += delta * (v - mean_);
        }
        if (small_)
            ++tally_[static_cast<std::size_t>(v - (*small_)[0])];
        else if (!overflowed_)
            kept_.push_back(v);
    }
    if (!small_ && kept_.size() > kept_limit) {
        overflowed_ = true;
        kept_ = {};
    }
}

double statistics::sum() const {
    if (whole_) return static_cast<double>(sum_);
    return static_cast<double>(mean_ * static_cast<long double>(counts_.valid));
}

double statistics::mean() const {
    if (whole_) return static_cast<double>(static_cast<long double>(sum_) / static_cast<long double>(counts_.valid));
    return static_cast<double>(mean_);
}

double statistics::std() const {
    const auto n = static_cast<long double>(counts_.valid);
    if (!whole_) return static_cast<double>(std::sqrt(std::max(deviations_ / n, 0.0L)));
    // n² · variance = n·Σx² − (Σx)²; exact while it fits, and it does for 32-bit values up to 2^60 cells of small
    // spread.
    const long double mean = static_cast<long double>(sum_) / n;
    const wide whole_mean = static_cast<wide>(mean);
    // Around the whole part of the mean, so that nothing large is subtracted: Σ(x−m)² = Σx² − 2mΣx + n·m².
    const wide about = squares_ - 2 * whole_mean * sum_ + static_cast<wide>(counts_.valid) * whole_mean * whole_mean;
    const long double rest = mean - static_cast<long double>(whole_mean);
    return static_cast<double>(std::sqrt(std::max(static_cast<long double>(about) / n - rest * rest, 0.0L)));
}

void statistics::refine(const double* values, const unsigned char* valid, std::size_t n) {
    if (!overflowed_) return;
    tally_.resize(fine_bins, 0);
    const double scale = max_ > min_ ? static_cast<double>(fine_bins) / (max_ - min_) : 0;
    for (std::size_t i = 0; i < n; ++i)
        if (valid[i] && std::isfinite(values[i]))
            ++tally_[std::min(static_cast<std::size_t>((values[i] - min_) * scale), fine_bins - 1)];
}

double statistics::ranked(std::int64_t rank) {
    if (!small_ && !overflowed_) {
        if (!sorted_) std::sort(kept_.begin(), kept_.end());
        sorted_ = true;
        return kept_[static_cast<std::size_t>(rank)];
    }
    std::int64_t before = 0;
    for (std::size_t i = 0; i < tally_.size(); ++i) {
        if (before + tally_[i] <= rank) {
            before += tally_[i];
            continue;
        }
        if (small_) return (*small_)[0] + static_cast<double>(i);
        const double width = (max_ - min_) / static_cast<double>(fine_bins);
        const double within = (static_cast<double>(rank - before) + 0.5) / static_cast<double>(tally_[i]);
        return min_ + width * (static_cast<double>(i) + within);
    }
    return max_;
}

double statistics::percentile(double p) {
    if (p <= 0) return min_;
    if (p >= 100) return max_;
    const long double at = static_cast<long double>(counts_.valid - 1) * p / 100;
    const auto rank = static_cast<std::int64_t>(std::floor(at));
    const double low = ranked(rank);
    const auto rest = static_cast<double>(at - static_cast<long double>(rank));
    return rest == 0 ? low : low + (ranked(rank + 1) - low) * rest;
}

std::vector<std::int64_t> statistics::histogram(std::size_t bins) {
    std::vector<std::int64_t> out(bins, 0);
    const double width = (max_ - min_) / static_cast<double>(bins);
    const auto put = [&](double v, std::int64_t n) {
        const auto bin = width > 0 ? static_cast<std::size_t>((v - min_) / width) : 0;
        out[std::min(bin, bins - 1)] += n;
    };
    if (small_) {
        for (std::size_t i = 0; i < tally_.size(); ++i)
            if (tally_[i]) put((*small_)[0] + static_cast<double>(i), tally_[i]);
    } else if (overflowed_) {
        const double fine = (max_ - min_) / static_cast<double>(fine_bins);
        for (std::size_t i = 0; i < tally_.size(); ++i) put(min_ + fine * (static_cast<double>(i) + 0.5), tally_[i]);
    } else {
        for (const double v : kept_) put(v, 1);
    }
    return out;
}

}  // namespace gdalmcp_raster
