// axis.hpp — the marks of an axis: round numbers, powers of ten, dates of the calendar. Plain numbers.
#pragma once
#include <string>
#include <vector>

namespace gdalmcp_maps {

struct range {
    double low, high;
};

enum class scale { linear, logarithmic, time };  // time: in seconds from 1970-01-01, UTC

struct tick {
    double at;
    std::string label;
};

struct axis {
    scale kind = scale::linear;
    range shown{0, 1};
    std::vector<tick> ticks;
    int power = 0;  // labels are in units of ten to this power

    // 0 at the low end, 1 at the high end. REQUIRES: v > 0 where logarithmic.
    double share(double v) const;
};

// Whether two values differ by no more than a double's rounding shows: an axis over them would have more marks than
// there are numbers between them.
bool nearly_equal(double low, double high);
// A range that shows two such values.
range around(double low, double high);

// The axis of these values with about `wanted` marks, 3 to 12. The range is kept, but for one of a single value, which
// is widened. Linear: 1, 2 or 5 times a power of ten apart, at least 1 for `whole` numbers. Logarithmic (REQUIRES:
// low > 0): powers of ten, with 2 and 5 times each or all digits where they are few. Time: seconds to centuries.
axis axis_over(range values, scale kind, int wanted, bool whole = false);

// The range with a share of its length more at both ends; on a logarithmic axis of its logarithm.
range padded(range values, scale kind, double share);

// The next of 1, 2 and 5 times a power of ten, up or down from v. REQUIRES: v > 0.
double round_above(double v);
double round_below(double v);

// k times a step that round_above() gave, as close as the decimal number: 3 times 0.1 is 0.3.
double multiple(double k, double step);

// "2024-05-31", with the time of day where it is not midnight.
std::string time_text(double seconds);

// 10 to a power, in superscript: "10⁻³".
std::string power_text(int power);

}  // namespace gdalmcp_maps
