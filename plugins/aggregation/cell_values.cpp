#include "cell_values.hpp"

#include <algorithm>
#include <boost/sort/pdqsort/pdqsort.hpp>

namespace gdalmcp_aggregation {
namespace {

constexpr std::size_t fewest_waiting = 1 << 12;

}  // namespace

void cell_values::add(double value, double share) {
    if (share == 1) return add_whole(&value, 1);
    cut_.emplace_back(value + 0.0, share);  // -0 becomes 0
}

template <class T>
void cell_values::add_each(const T* values, std::size_t n) {
    const auto before = waiting_.size();
    waiting_.resize(before + n);
    std::transform(values, values + n, waiting_.data() + before, [](T v) { return static_cast<double>(v) + 0.0; });
    if (waiting_.size() >= std::max(fewest_waiting, counted_.size())) count_waiting();
}

void cell_values::count_waiting() {
    boost::sort::pdqsort(waiting_.begin(), waiting_.end());
    std::vector<entry> all;
    auto old = counted_.begin();
    for (auto w = waiting_.begin(); w != waiting_.end();) {
        const auto next = std::find_if(w, waiting_.end(), [&](double v) { return v != *w; });
        for (; old != counted_.end() && old->value < *w; ++old) all.push_back(*old);
        all.push_back({*w, static_cast<std::size_t>(next - w)});
        if (old != counted_.end() && old->value == *w) all.back().cells += old++->cells;
        w = next;
    }
    all.insert(all.end(), old, counted_.end());
    counted_ = std::move(all);
    waiting_.clear();
}

void cell_values::sort() {
    if (!waiting_.empty()) count_waiting();
    waiting_.shrink_to_fit();
    if (sorted_cut_ < cut_.size()) std::sort(cut_.begin(), cut_.end());
    sorted_cut_ = cut_.size();
}

template void cell_values::add_each(const double*, std::size_t);
template void cell_values::add_each(const float*, std::size_t);

}  // namespace gdalmcp_aggregation
