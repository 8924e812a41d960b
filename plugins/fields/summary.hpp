// summary.hpp — statistics of the values of one field: numbers, or texts, dates among them.
//
//   number_summary s{true};
//   s.add(3, 1), s.add(5, 2);
//   s.finish();
//   s.mean();  // 4
//
// What is undefined (the mean of nothing) is NaN.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "datasets/compensated_sum.hpp"
#include "vector/number_texts.hpp"

namespace gdalmcp_fields {

constexpr std::int64_t no_row = -1;

class number_summary {
public:
    // keep: the values are held, 8 bytes each, which median(), percentile(), variety() and majority() need.
    explicit number_summary(bool keep) : keep_{keep} {}

    void add(double value, std::int64_t row);
    // Call it after the last value, and before what is below.
    void finish();

    std::int64_t count() const { return count_; }
    double sum() const { return count_ ? sum_.value() : nan(); }
    double mean() const { return sum() / static_cast<double>(count_); }
    double min() const { return count_ ? min_ : nan(); }
    double max() const { return count_ ? max_ : nan(); }
    // The first row that holds it.
    std::int64_t min_row() const { return min_row_; }
    std::int64_t max_row() const { return max_row_; }
    // Population form; of a sample: divided by count - 1.
    double stdev(bool of_sample = false) const;
    // percent: 0 to 100; between two values by linear interpolation (numpy's default).
    double percentile(double percent) const;
    double median() const { return percentile(50); }
    std::int64_t variety() const;
    // The most frequent value, the smallest of several.
    double majority() const;
    // Every value with its number of rows, by value.
    std::vector<std::pair<double, std::int64_t>> occurrences() const;

private:
    static double nan();
    bool keep_;
    std::int64_t count_ = 0, min_row_ = no_row, max_row_ = no_row;
    double min_ = 0, max_ = 0;
    // Around the first value: squares of large numbers with a small spread would lose it.
    double origin_ = 0;
    gdalmcp_datasets::compensated_sum sum_, shifted_, squares_;
    std::vector<double> values_;
};

class text_summary {
public:
    // The first spelling of a value that is equal to others exactly where `exact` is.
    const std::string& spelled(const std::string& exact, const std::string& value) {
        return spellings_.try_emplace(exact, value).first->second;
    }
    // at: of a date its time in seconds, which orders it; 0 for text.
    void add(const std::string& value, std::int64_t row, double at = 0);
    std::int64_t count() const { return count_; }
    // Without empty texts.
    std::int64_t filled() const;
    // Of text that is not empty: what of it is numbers, and the first that is none with its row.
    const gdalmcp_vector::number_texts& numbers() const { return numbers_; }
    const std::string& first_word() const { return first_word_; }
    std::int64_t first_word_row() const { return first_word_row_; }
    std::int64_t variety() const { return static_cast<std::int64_t>(values_.size()); }
    // REQUIRES (all below): count() > 0. By time, or by bytes, not by a language's order.
    const std::string& min() const { return values_.begin()->first.text; }
    const std::string& max() const { return values_.rbegin()->first.text; }
    // The most frequent value, the first of several.
    const std::string& majority() const;
    // Every value with its number of rows, in this order.
    struct ordered {
        double at;
        std::string text;
        bool operator<(const ordered& o) const { return at != o.at ? at < o.at : text < o.text; }
    };
    const std::map<ordered, std::int64_t>& values() const { return values_; }

private:
    std::int64_t count_ = 0, first_word_row_ = no_row;
    gdalmcp_vector::number_texts numbers_;
    std::string first_word_;
    std::map<ordered, std::int64_t> values_;
    std::map<std::string, std::string> spellings_;
};

// Pearson's correlation of pairs, by Welford's update.
class correlation {
public:
    void add(double a, double b);
    std::int64_t count() const { return count_; }
    // NaN for fewer than two pairs, and where one side is constant.
    double value() const;

private:
    std::int64_t count_ = 0;
    double mean_a_ = 0, mean_b_ = 0, squares_a_ = 0, squares_b_ = 0, products_ = 0;
};

}  // namespace gdalmcp_fields
