// value_shares.hpp — the share of each value in a zone: its cells, weighted by covered share, and their true area.
//
//     value_shares values{true};
//     values.add(41, 0.5, 450.0);   // half a cell of class 41, 450 m²
//     values.sorted();              // by value
#pragma once
#include <cstddef>
#include <vector>

#include "datasets/compensated_sum.hpp"

namespace gdalmcp_aggregation {

using gdalmcp_datasets::compensated_sum;

struct value_share {
    double value, cells;  // cells: sum of the shares
    double area;          // m², 0 where areas are not kept
};

class value_shares {
public:
    explicit value_shares(bool with_areas) : with_areas_{with_areas} {}

    // value: finite; -0 is 0. cells: above 0.
    void add(double value, double cells, double area = 0);

    std::size_t size() const { return size_; }
    std::vector<value_share> sorted() const;

private:
    struct entry {
        double value = 0;
        compensated_sum cells;  // 0 = free
        bool used() const { return cells.value() > 0; }
    };

    std::size_t place_of(double value) const;
    void grow();

    bool with_areas_;
    std::size_t size_ = 0, last_ = 0;
    std::vector<entry> entries_;  // open addressing, a power of two
    std::vector<compensated_sum> areas_;
};

}  // namespace gdalmcp_aggregation
