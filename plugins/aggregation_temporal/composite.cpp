#include "composite.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "trend.hpp"

namespace gdalmcp_temporal {

statistic statistic_named(const std::string& name) {
    constexpr const char* names[] = {"max",   "min",        "mean",   "median", "percentile",
                                     "count", "last_valid", "medoid", "trend"};
    return static_cast<statistic>(std::find(std::begin(names), std::end(names), name) - std::begin(names));
}

void composition::make(const recipe& r) {
    const auto cells = bands.front().cells();
    if (keeps_observations_whole(r.what)) keep_whole(bands);
    seen.resize(bands.size());
    made.resize(bands.size() * outputs_of(r.what));
    for (auto& row : made) row.resize(cells);
    if (r.what == statistic::medoid) medoid(bands, which_);
    for (std::size_t b = 0; b < bands.size(); ++b) {
        seen[b].resize(cells);
        count(bands[b], seen[b].data());
        make_band(r, b);
    }
}

void composition::make_band(const recipe& r, std::size_t band) {
    auto& s = bands[band];
    double* out = made[band * outputs_of(r.what)].data();
    switch (r.what) {
        case statistic::max:
            return largest(s, out);
        case statistic::min:
            return smallest(s, out);
        case statistic::mean:
            return mean(s, out);
        case statistic::median:
            return percentile(s, 50, out);
        case statistic::percentile:
            return percentile(s, r.percent, out);
        case statistic::last_valid:
            return last(s, out);
        case statistic::trend:
            return trend(s, r.years, out, made[2 * band + 1].data());
        case statistic::count:
            std::copy(seen[band].begin(), seen[band].end(), out);
            return;
        case statistic::medoid:
            for (std::size_t k = 0; k < s.cells(); ++k)
                out[k] = which_[k] < s.observations() ? s.row(which_[k])[k] : std::numeric_limits<double>::quiet_NaN();
    }
}

}  // namespace gdalmcp_temporal
