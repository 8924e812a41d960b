#include "worker/undeclared_nodata.hpp"

#include <gdalmcp/nodata_range.hpp>

#include <algorithm>

namespace gdalmcp::worker {

namespace {

constexpr double least_share = 0.001;
constexpr std::size_t few = 64;  // distinct values: codes rather than a distribution

bool is_candidate(double v) { return customary_nodata(v) || possible_nodata(v); }

double largest_step(const std::vector<double>& sorted) {
    double step = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) step = std::max(step, sorted[i] - sorted[i - 1]);
    return step;
}

}  // namespace

void undeclared_nodata::tail::see(double v) {
    if (cells == 0) {
        extreme = v;
        cells = 1;
    } else if (v == extreme) {
        ++cells;
    } else if (beyond(v, extreme)) {
        next = extreme;
        has_next = true;
        extreme = v;
        cells = 1;
    } else if (!has_next || beyond(v, next)) {
        next = v;
        has_next = true;
    }
}

void undeclared_nodata::see(const std::vector<double>& cells, const std::vector<unsigned char>& valid) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const double v = cells[i];
        if (!valid[i] || !std::isfinite(v)) continue;
        ++seen_;
        if (seen_ >= keep_at_) {
            kept_.push_back(v);
            keep_at_ += stride_;
        }
        if (low_.concerned_by(v)) low_.see(v);
        if (high_.concerned_by(v)) high_.see(v);
    }
}

bool undeclared_nodata::stands_apart(const tail& t) const {
    if (!t.has_next || !is_candidate(t.extreme)) return false;
    auto others = kept_;
    others.push_back(t.next);
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    others.erase(std::remove(others.begin(), others.end(), t.extreme), others.end());
    if (others.size() < 2) return customary_nodata(t.extreme);  // 0 and 255 alone beside one value are a mask
    const double gap = std::abs(t.next - t.extreme);
    if (others.size() <= few) return gap > largest_step(others);
    const auto k = others.size() / 20;
    return gap > std::abs((t.lower ? others[k] : others[others.size() - 1 - k]) - t.next);
}

std::optional<suspected_nodata> undeclared_nodata::suspected() const {
    for (const auto* t : {&low_, &high_}) {
        const double share = seen_ ? static_cast<double>(t->cells) / static_cast<double>(seen_) : 0;
        if (share > least_share && stands_apart(*t)) return suspected_nodata{t->extreme, share};
    }
    return std::nullopt;
}

}  // namespace gdalmcp::worker
