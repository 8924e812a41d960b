// class_rules.hpp — ranges of values that become classes, over plain arrays.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace gdalmcp_raster {

// Values from lowest to below highest; the class that holds the largest of all may include it.
struct class_rule {
    double lowest = -std::numeric_limits<double>::infinity(), highest = std::numeric_limits<double>::infinity();
    std::int64_t code = 0;
    std::string label{};
    bool closed = false;  // highest belongs to it as well
};

// Sorted by lowest, for looking values up. REQUIRES: no two overlap; codes from 0 to 2^31 - 1.
class class_table {
public:
    explicit class_table(std::vector<class_rule> rules);

    const std::vector<class_rule>& rules() const { return rules_; }
    // The code of the rule that holds each value; -1: none does.
    void codes_of(const double* values, std::size_t count, std::int32_t* codes) const;
    // The same in single precision. REQUIRES: single().
    void codes_of(const float* values, std::size_t count, std::int32_t* codes) const;
    // Single precision holds all limits.
    bool single() const;

private:
    std::int32_t code_of(double value) const;

    std::vector<class_rule> rules_;
    std::vector<double> lowest_;
    std::vector<double> end_;  // the first value above a rule
};

// The first two rules, in ascending order, that share values; nullptr if none do.
struct overlapping_rules {
    const class_rule *first = nullptr, *second = nullptr;
};
overlapping_rules overlap_of(const class_table& table);

}  // namespace gdalmcp_raster
