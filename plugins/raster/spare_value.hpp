// spare_value.hpp — a value that no cell has, to mark cells without data.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "cell_type.hpp"

namespace gdalmcp_raster {

// Observes the cells of one data type and finds a value none of them has: the customary ones first (255 or 0 for bytes,
// the lowest of signed types, -9999 for floating point), for 8- and 16-bit types any. Nothing is free: empty.
class spare_value {
public:
    explicit spare_value(std::optional<cell_type> type);  // none: nothing is free
    void see(const double* cells, std::size_t n);
    std::optional<double> found() const;

private:
    std::vector<double> candidates_;
    std::vector<bool> seen_;  // per candidate
    double lowest_ = 0;       // 8- and 16-bit types: candidate of every value, lowest first
    bool every_ = false;
};

}  // namespace gdalmcp_raster
