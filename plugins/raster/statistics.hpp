// statistics.hpp — statistics of a stream of cells, over plain arrays in the data type of the band. Every figure is
// exact but for rounding, and none depends on the number of workers: whole numbers are summed in 128 bits; others by
// chunks around the mean of the chunk (Chan, Golub and LeVeque 1983), chunks and parts in their order; percentiles come
// from tallies of 16 more bits of the values a pass.
//
//   auto s = statistics_of(cell_type::float32, {.lowest = -9999, .highest = -9999});
//   s->begin(parts, workers, true);
//   s->add(block, part, worker);  // every part once; each worker may be a thread
//   s->end();
//   s->look_for({25, 50, 75}, 10);
//   for (; s->needs_pass(); s->end_pass()) { s->begin_pass(); s->refine(block, worker); }
//   s->percentile(50);
#pragma once
#include <gdalmcp/nodata_range.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "cell_type.hpp"

namespace gdalmcp_raster {

struct cell_counts {
    std::int64_t valid = 0, nodata = 0, nan = 0, infinite = 0;
};

// Members in row order, which is the order of places.
struct cell_place {
    std::int64_t row = 0, column = 0;
    auto operator<=>(const cell_place&) const = default;
};

// A rectangle of cells, row by row.
struct cell_block {
    const void* cells = nullptr;              // of the type of the statistics
    const unsigned char* valid = nullptr;     // 0 = no data; nullptr = all but those with a nodata value
    const unsigned char* selected = nullptr;  // 0 = not looked at; nullptr = all
    cell_place first;
    std::size_t width = 0, height = 0;
    std::int64_t step = 1;  // columns and rows from a cell to the next, where others were left out
    bool uniform = false;   // every cell has the value of cells[0]; valid and selected are nullptr
    std::size_t size() const { return width * height; }
};

using gdalmcp::nodata_range;

struct class_size {
    std::int64_t count = 0;
    double area = 0;  // as class_areas has it
};

// The area of `n` cells of a row from a place on. Called by several threads at once.
struct class_areas {
    virtual ~class_areas() = default;
    virtual double of(cell_place first, std::int64_t n) const = 0;
};

class statistics {
public:
    // A band with more codes, or with a value that is not whole, has no classes.
    static constexpr std::size_t max_classes = 4096;

    virtual ~statistics() = default;

    // Before begin(): counts and areas per code, too. areas: nullptr = counts only. alone: nothing else is made, and of
    // counts() `valid` only, the cells of all classes.
    virtual void count_classes(const class_areas* areas, bool alone = false) = 0;

    // ranks: percentiles will be looked for.
    virtual void begin(std::size_t parts, std::size_t workers, bool ranks) = 0;
    virtual void add(const cell_block& block, std::size_t part, std::size_t worker) = 0;
    virtual void end() = 0;

    virtual const cell_counts& counts() const = 0;
    virtual const std::map<std::int64_t, class_size>& classes() const = 0;
    virtual bool no_classes() const = 0;  // there are none, or too many, and classes() is empty

    // REQUIRES of all below: counts().valid > 0.
    virtual double min() const = 0;
    virtual double max() const = 0;
    virtual cell_place min_place() const = 0;  // the first in row order
    virtual cell_place max_place() const = 0;
    virtual std::int64_t cells_at_min() const = 0;
    virtual std::int64_t cells_at_max() const = 0;
    virtual double sum() const = 0;
    virtual double mean() const = 0;
    virtual double std() const = 0;  // population form

    // bins: 0 = no histogram.
    virtual void look_for(const std::vector<double>& percentiles, std::size_t bins) = 0;
    virtual bool needs_pass() const = 0;
    virtual void begin_pass() = 0;
    virtual void refine(const cell_block& block,
                        std::size_t worker) = 0;  // every block of the first pass, in any order
    virtual void end_pass() = 0;

    // REQUIRES of both: look_for() named it and no pass is needed.
    // p in [0, 100]; linear between the two nearest ranks, (n - 1)·p/100 (type 7 of Hyndman & Fan 1996, numpy's
    // default).
    virtual double percentile(double p) const = 0;
    // Equal bins from min to max; the last one holds max.
    virtual const std::vector<std::int64_t>& histogram() const = 0;
};

std::unique_ptr<statistics> statistics_of(cell_type type, const nodata_range& missing = {});

}  // namespace gdalmcp_raster
