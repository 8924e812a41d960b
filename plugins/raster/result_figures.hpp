// result_figures.hpp — the statistics of a raster that a tool has made, as fields of its result.
#pragma once
#include <gdalmcp/result.hpp>

#include "statistics.hpp"

namespace gdalmcp_raster::result_figures {

using gdalmcp::field;

inline const field<std::int64_t> valid_count{"valid_count", "Cells with a result", "cells"};
inline const auto min = field<double>{"min", "This and the following are absent without valid cells"}.optional();
inline const auto max = field<double>{"max", "Largest value"}.optional();
inline const auto mean = field<double>{"mean", "Mean; not of angles"}.optional();
inline const auto std_field = field<double>{"std", "Standard deviation, population form; not of angles"}.optional();

inline void put(gdalmcp::place& at, const statistics& figures, bool angles = false) {
    at.put(valid_count, figures.counts().valid);
    if (figures.counts().valid == 0) return;
    at.put(min, figures.min());
    at.put(max, figures.max());
    if (angles) return;
    at.put(mean, figures.mean());
    at.put(std_field, figures.std());
}

}  // namespace gdalmcp_raster::result_figures
