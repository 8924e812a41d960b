// cell_values.hpp — the values of a zone's cells in their order, with how many whole cells have each, and the shares of
// those it cuts.
//
//     cell_values v;
//     v.add(3, 1);  v.add(5, 0.25);  v.add(3, 1);
//     v.sort();
//     v.each([](const cell_value& of) { return true; });  // 3: 2 whole cells; 5: none, and one of 0.25
//
// Whole cells wait in a list of their values, which is sorted (Boost.Sort) and counted whenever it has 4096 members and
// as many as there are different values: 32 KiB, then 24 bytes for each value, whatever the number of cells.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "datasets/compensated_sum.hpp"

namespace gdalmcp_aggregation {

struct cell_value {
    using cut_cell = std::pair<double, double>;  // value, share below 1
    double value;
    std::size_t whole;              // cells
    const cut_cell *cut, *cut_end;  // by share
    std::size_t cells() const { return whole + static_cast<std::size_t>(cut_end - cut); }
    double share() const {
        gdalmcp_datasets::compensated_sum sum;
        sum.add(static_cast<double>(whole));
        for (auto c = cut; c != cut_end; ++c) sum.add(c->second);
        return sum.value();
    }
};

class cell_values {
public:
    // value: finite; -0 is 0. 0 < share <= 1.
    void add(double value, double share);
    // n whole cells.
    void add_whole(const double* values, std::size_t n) { add_each(values, n); }
    void add_whole(const float* values, std::size_t n) { add_each(values, n); }

    void sort();
    // Different values of whole cells that were counted so far: no more than there are.
    std::size_t counted() const { return counted_.size(); }
    // Calls visit(const cell_value&) for each value, ascending, until it returns false. REQUIRES: sort() after add().
    template <class Visit>
    void each(const Visit& visit) const {
        const auto *cut = cut_.data(), *cuts_end = cut + cut_.size();
        for (auto c = counted_.begin(); c != counted_.end() || cut != cuts_end;) {
            const bool whole = c != counted_.end() && (cut == cuts_end || c->value <= cut->first);
            cell_value v{whole ? c->value : cut->first, whole ? c->cells : 0, cut, cut};
            while (v.cut_end != cuts_end && v.cut_end->first == v.value) ++v.cut_end;
            if (!visit(v)) return;
            cut = v.cut_end;
            if (whole) ++c;
        }
    }

private:
    struct entry {
        double value;
        std::size_t cells;
    };

    template <class T>
    void add_each(const T* values, std::size_t n);
    void count_waiting();

    std::vector<double> waiting_;  // values of whole cells
    std::vector<entry> counted_;   // by value
    std::vector<cell_value::cut_cell> cut_;
    std::size_t sorted_cut_ = 0;
};

}  // namespace gdalmcp_aggregation
