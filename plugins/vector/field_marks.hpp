// field_marks.hpp — numbers that mark missing values in a field without being null.
#pragma once
#include <cstdint>
#include <vector>

namespace gdalmcp_vector {

// A number that looks like a mark.
struct field_mark {
    double value = 0;
    std::int64_t rows = 0;  // that hold it
};

// The values of a field. Marks are known numbers (-9999, -999, -99, 9999, 1e20, …) at an end of the values and clearly
// apart from the others: by more than 1, and either below 0 where the others are not, or by more than they span. Of
// those that are never measured (customary_nodata()) more than a tenth of that span is enough, and no other value is
// needed. 0 and 255 are values like others.
class field_marks {
public:
    // NaN and infinite values count as missing.
    void see(double value);
    std::vector<field_mark> found() const;

private:
    struct extreme {
        double value = 0, next = 0;  // next: the nearest other value
        std::int64_t rows = 0;
        bool has_next = false;
        // sign: 1 for the lowest, -1 for the greatest.
        void see(double v, double sign);
    };
    extreme low_, high_;
};

}  // namespace gdalmcp_vector
