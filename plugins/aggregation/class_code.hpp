// class_code.hpp — the class of a cell, or the pair of classes that two rasters have there, as one number: a sweep
// counts it like any value.
#pragma once
#include <cstdint>
#include <optional>

namespace gdalmcp_aggregation {

struct class_code {
    // Codes lie within -limit and limit, so that a double holds every pair of them exactly.
    static constexpr std::int64_t limit = (std::int64_t{1} << 25) - 1;
    static constexpr std::int64_t none = limit + 1;  // of a cell without data

    std::int64_t value = none;
    std::int64_t against = none;  // of the second raster; none where there is no second one

    double packed() const { return static_cast<double>((value + limit) * range + against + limit); }
    static class_code of(double packed) {
        const auto both = static_cast<std::int64_t>(packed);
        return {both / range - limit, both % range - limit};
    }

    bool operator==(const class_code&) const = default;

private:
    static constexpr std::int64_t range = std::int64_t{1} << 26;
};

}  // namespace gdalmcp_aggregation
