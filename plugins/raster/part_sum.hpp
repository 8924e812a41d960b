// part_sum.hpp — statistics of one part of a raster; parts add up to the whole.
#pragma once
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "moments.hpp"
#include "statistics.hpp"

namespace gdalmcp_raster {

template <class T>
struct extreme {
    T value{};
    std::int64_t cells = 0;  // 0: none seen
    cell_place place;

    template <class Less>
    void merge(const extreme& o, Less less) {
        if (o.cells == 0) return;
        if (cells == 0 || less(o.value, value)) {
            *this = o;
        } else if (!less(value, o.value)) {
            cells += o.cells;
            place = std::min(place, o.place);
        }
    }
};

template <class T>
struct part_sum {
    cell_counts counts;
    moments m;
    extreme<T> low, high;
    std::vector<std::pair<std::int64_t, class_size>> classes;  // by code
    bool too_many = false;

    void merge(const part_sum& o) {
        counts.valid += o.counts.valid;
        counts.nodata += o.counts.nodata;
        counts.nan += o.counts.nan;
        counts.infinite += o.counts.infinite;
        m.merge(o.m);
        low.merge(o.low, std::less<T>{});
        high.merge(o.high, std::greater<T>{});
        too_many = too_many || o.too_many;
    }
};

}  // namespace gdalmcp_raster
