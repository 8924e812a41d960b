#include "sample_estimate.hpp"

#include <cmath>

namespace gdalmcp_raster {

sample_moments moments_of_sample(const std::vector<double>& values) {
    sample_moments m;
    m.n = static_cast<std::int64_t>(values.size());
    if (values.empty()) return m;
    long double sum = 0, squares = 0;
    for (const double v : values) sum += v;
    const long double mean = sum / static_cast<long double>(m.n);
    for (const double v : values) squares += (v - mean) * (v - mean);
    m.mean = static_cast<double>(mean);
    if (m.n > 1) m.stdev_sample = static_cast<double>(std::sqrt(squares / static_cast<long double>(m.n - 1)));
    return m;
}

std::optional<double> standard_error(const sample_moments& sample, std::int64_t cells) {
    if (sample.n == 0) return std::nullopt;
    if (sample.n >= cells) return 0;
    if (!sample.stdev_sample) return std::nullopt;
    const auto n = static_cast<double>(sample.n);
    return std::sqrt((1 - n / static_cast<double>(cells)) / n) * *sample.stdev_sample;
}

design_estimate stratified_estimate(const std::vector<sampled_stratum>& strata) {
    double cells = 0, mean = 0, variance = 0;
    bool with_error = true;
    for (const auto& s : strata) cells += static_cast<double>(s.cells);
    if (cells == 0) return {};
    for (const auto& s : strata) {
        if (s.cells == 0) continue;
        if (!s.sample.mean) return {};
        const double weight = static_cast<double>(s.cells) / cells;
        mean += weight * *s.sample.mean;
        const auto error = standard_error(s.sample, s.cells);
        with_error = with_error && error;
        if (error) variance += weight * weight * *error * *error;
    }
    return {mean, with_error ? std::optional{std::sqrt(variance)} : std::nullopt};
}

}  // namespace gdalmcp_raster
