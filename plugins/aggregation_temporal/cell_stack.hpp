// cell_stack.hpp — the observations of a run of cells over time, and what becomes of them: one value a cell.
//
//   cell_stack s;
//   s.resize(3, 2);                                   // three observations of two cells
//   std::copy_n(first, 2, s.row(0));                  // NaN: the cell has no observation then
//   median(s, out);
//
// The order of rows is that of time where a function depends on it. Every cell is computed by itself, so results depend
// neither on the length of runs nor on threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gdalmcp_temporal {

class cell_stack {
public:
    void resize(std::size_t observations, std::size_t cells) {
        observations_ = observations;
        cells_ = cells;
        values_.resize(observations * cells);
    }
    std::size_t observations() const { return observations_; }
    std::size_t cells() const { return cells_; }
    double* row(std::size_t observation) { return values_.data() + observation * cells_; }
    const double* row(std::size_t observation) const { return values_.data() + observation * cells_; }

private:
    std::size_t observations_ = 0, cells_ = 0;
    std::vector<double> values_;
};

// How the cells of a row are stored.
struct stored_form {
    bool single = true;  // float; else double
    double scale = 1, offset = 0;
};
// `cells` of them as true values, NaN where valid (if given) is 0.
void fill(const void* from, const unsigned char* valid, std::size_t cells, const stored_form& form, double* to);

// All below write one value a cell, NaN for a cell without observations. Values are finite or NaN.
void largest(const cell_stack& s, double* out);
void smallest(const cell_stack& s, double* out);
void mean(const cell_stack& s, double* out);  // summed in the order of rows
// The value of the last row that has one.
void last(const cell_stack& s, double* out);
// percent: 0 to 100; linear between the two nearest ranks, (n - 1)·p/100 (type 7 of Hyndman & Fan 1996, numpy's
// default). Reorders the values of `s`.
void percentile(cell_stack& s, double percent, double* out);
// How many observations each cell has.
void count(const cell_stack& s, std::uint32_t* out);

// Leaves only observations that every band has, so that values of different dates are never put together.
// REQUIRES: all of one size.
void keep_whole(std::vector<cell_stack>& bands);

// Of each cell the observation with the smallest sum of Euclidean distances to all others of it over the bands (Flood
// 2013, doi:10.3390/rs5126481); of equal ones the first. which: its row; the number of rows where there is none.
// REQUIRES: keep_whole().
void medoid(const std::vector<cell_stack>& bands, std::vector<std::uint32_t>& which);

}  // namespace gdalmcp_temporal
