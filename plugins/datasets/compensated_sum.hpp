// compensated_sum.hpp — sums of many numbers that do not depend on their order, but for the last rounding.
#pragma once
#include <cmath>

namespace gdalmcp_datasets {

// The rounding error of every addition is summed beside (Knuth's two-sum), so that about 106 bits are kept.
class compensated_sum {
public:
    void add(double term) {
        const double total = sum_ + term, part = total - sum_;
        lost_ += (sum_ - (total - part)) + (term - part);
        sum_ = total;
    }
    // The exact product of two or three numbers.
    void add_product(double a, double b) {
        const auto [product, error] = exact_product(a, b);
        add(product);
        add(error);
    }
    void add_product(double a, double b, double c) {
        const auto [product, error] = exact_product(a, b);
        add_product(product, c);
        add(error * c);
    }
    void add(const compensated_sum& other) {
        add(other.sum_);
        add(other.lost_);
    }
    // factor times another sum.
    void add_multiple(const compensated_sum& other, double factor) {
        add_product(other.sum_, factor);
        add_product(other.lost_, factor);
    }
    double value() const { return sum_ + lost_; }

private:
    struct pair {
        double high, low;
    };
    static pair halves(double v) {
        const double scaled = 134217729.0 * v, high = scaled - (scaled - v);  // 2^27 + 1
        return {high, v - high};
    }
    // The product and its rounding error (Dekker 1971); no error beyond 2^996, where it cannot be computed.
    static pair exact_product(double a, double b) {
        const double product = a * b;
        const auto [a_high, a_low] = halves(a);
        const auto [b_high, b_low] = halves(b);
        const double error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
        return {product, std::isfinite(error) ? error : 0};
    }

    double sum_ = 0, lost_ = 0;
};

}  // namespace gdalmcp_datasets
