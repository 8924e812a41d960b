// sample_estimate.hpp — the mean of a population by a sample of its cells, and the standard error of that mean by the
// design of the sample. Cochran (1977): Sampling Techniques, eq. 2.20 and 5.13.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace gdalmcp_raster {

struct sample_moments {
    std::int64_t n = 0;
    std::optional<double> mean;          // nullopt: n = 0
    std::optional<double> stdev_sample;  // divided by n - 1; nullopt: n < 2
};
sample_moments moments_of_sample(const std::vector<double>& values);

// Of a simple random sample without replacement of n of `cells` cells: sqrt((1 - n / cells) s² / n). nullopt for n = 1
// of more cells; 0 where the sample is all cells.
std::optional<double> standard_error(const sample_moments& sample, std::int64_t cells);

struct sampled_stratum {
    std::int64_t cells = 0;
    sample_moments sample;
};
struct design_estimate {
    std::optional<double> mean, standard_error;
};
// Strata weighted by their cells. Nothing where a stratum with cells has no sample; no error where one has none.
design_estimate stratified_estimate(const std::vector<sampled_stratum>& strata);

}  // namespace gdalmcp_raster
