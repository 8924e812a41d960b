// gdalmcp/evidence.hpp — results of a tool whose numbers the host shows with a question: a one-line summary, the source
// of the numbers, and how much was read for them. Header-only, standard library only.
//
//   evidence::conclude(call, {"areas 1.58 x too large", "a local equal-area CRS 1.00 x"}, "Snyder 1987, PROJ factors");
//
// The host waits about 3 seconds for evidence, then asks without it: read a sample rather than everything.
//
// A provider that computes the call's own result for each reasonable candidate adds a `spread`. Where its `relative` is
// within the tolerance of the domain, 0.001 unless the policy names another, the choice does not matter and the call
// runs unasked:
//
//   evidence::put_spread(call, {"mean of the output cells", {{"nearest", 4.2}, {"bilinear", 4.3}}, 0.024, "m"});
#pragma once
#include <gdalmcp/tool.hpp>

#include <algorithm>
#include <cmath>

namespace gdalmcp::evidence {

inline const field<std::string> summary{"summary",
                                        "The measured numbers with units in one line of at most 200 characters"};
inline const field<std::string> source{"source", "Formula of the numbers and its reference"};
inline const field<bool> approximate{"approximate", "True when numbers come from a sample; 'read' says how much"};
inline const field<std::string> read{"read", "What was read: everything, or which part"};

// The result under each reasonable candidate. Absent where nothing could be compared.
namespace spread_fields {
inline const field<std::string> what{"what", "Figure compared"};
inline const field<double> low{"low", "Its lowest value"}, high{"high", "Its highest"};
inline const field<std::string> low_by{"low_by", "Candidate of 'low'"}, high_by{"high_by", "Candidate of 'high'"};
inline const auto unit = field<std::string>{"unit", "Of low and high"}.optional();
inline const field<double> relative{"relative", "Largest relative difference of the result"};
inline const auto least = field<double>{"tolerance", "Most that may be neglected; default: the policy's"}.optional();
inline const field<std::vector<std::string>> candidates{"candidates", "All compared"};
}  // namespace spread_fields
inline const auto spread =
    record{"spread",
           "The result under each candidate",
           {spread_fields::what, spread_fields::low, spread_fields::low_by, spread_fields::high, spread_fields::high_by,
            spread_fields::unit, spread_fields::relative, spread_fields::least, spread_fields::candidates}}
        .optional();

inline constexpr double tolerance = 0.001;  // of `relative`, unless the operator's policy names another

struct candidate_value {
    std::string candidate;
    double value = 0;
};

struct comparison {
    std::string what;                     // "mean of the output cells"
    std::vector<candidate_value> values;  // at least two; a candidate with a range appears once for each end
    double relative = 0;                  // largest relative difference of what the call would return; 0 = none
    std::string unit{};
    bool exact = false;  // no difference may be neglected, whatever the policy says
};

// |a - b| / the larger magnitude; 0 where both are 0.
inline double relative_difference(double a, double b) {
    const double largest = std::max(std::abs(a), std::abs(b));
    return largest > 0 ? std::abs(a - b) / largest : 0;
}

// A derived number with the digits that carry information: six significant ones. Not for coordinates and values of
// data.
inline double figure(double v) { return significant(v, 6); }

// Puts `spread`; of equal values the first is named. Leaves it out if there are no two values, or one is not finite.
inline void put_spread(call& c, const comparison& s) {
    const bool finite =
        std::all_of(s.values.begin(), s.values.end(), [](const auto& v) { return std::isfinite(v.value); });
    if (s.values.size() < 2 || !finite || !(s.relative >= 0) || !std::isfinite(s.relative)) return;
    const auto by_value = [](const auto& a, const auto& b) { return a.value < b.value; };
    const auto& low = *std::min_element(s.values.begin(), s.values.end(), by_value);
    const auto& high = *std::max_element(s.values.begin(), s.values.end(), by_value);
    auto at = c.at(spread);
    at.put(spread_fields::what, s.what);
    at.put(spread_fields::low, figure(low.value));
    at.put(spread_fields::low_by, low.candidate);
    at.put(spread_fields::high, figure(high.value));
    at.put(spread_fields::high_by, high.candidate);
    if (!s.unit.empty()) at.put(spread_fields::unit, s.unit);
    at.put(spread_fields::relative, figure(s.relative));
    if (s.exact) at.put(spread_fields::least, 0.0);
    std::vector<std::string> names;
    for (const auto& v : s.values)
        if (std::find(names.begin(), names.end(), v.candidate) == names.end()) names.push_back(v.candidate);
    at.put(spread_fields::candidates, names);
}

// A number for people: three significant digits, thousands to the unit, then millions and billions.
inline std::string text(double v) {
    char b[64];
    if (v == 0) return "0";
    if (!std::isfinite(v) || std::abs(v) >= 1e15 || std::abs(v) < 1e-9)
        return {b, std::to_chars(b, b + sizeof b, v, std::chars_format::scientific, 2).ptr};
    if (std::abs(v) >= 1e9) return text(v / 1e9) + " billion";
    if (std::abs(v) >= 1e6) return text(v / 1e6) + " million";
    const int decimals = std::max(0, 2 - static_cast<int>(std::floor(std::log10(std::abs(v)))));
    std::string s{b, std::to_chars(b, b + sizeof b, v, std::chars_format::fixed, decimals).ptr};
    if (decimals > 0) s.erase(s.find_last_not_of('0') + 1);
    if (s.back() == '.') s.pop_back();
    return s;
}

// A factor near 1: two decimals, or three significant digits where that is more.
inline std::string ratio(double v) {
    if (!(std::abs(v) < 100) || std::abs(v) < 0.1) return text(v);
    char b[32];
    return {b, std::to_chars(b, b + sizeof b, v, std::chars_format::fixed, 2).ptr};
}

// 0.123 -> "12.3 %"; what is not all does not read as 100 %.
inline std::string percent(double share) {
    if (share > 0 && share < 1e-4) return "under 0.01 %";
    return share > 0.999 && share < 1 ? std::string{"over 99.9 %"} : text(100 * share) + " %";
}

inline constexpr std::size_t line_limit = 200;  // characters of a summary

// Clauses joined by "; ", the most important first; a clause that no longer fits is left out.
inline std::string line(const std::vector<std::string>& clauses) {
    std::string all;
    for (const auto& clause : clauses) {
        if (clause.empty() || all.size() + clause.size() + 2 > line_limit) continue;
        all += (all.empty() ? "" : "; ") + clause;
    }
    return all;
}

// Puts what was read. `sample`: what a sample was of, "512 x 512 cells". Returns the clause that the summary of a
// sample begins with; empty if everything was read.
inline std::string put_read(call& c, bool whole, const std::string& what, const std::string& sample) {
    c.put(approximate, !whole);
    c.put(read, what);
    return whole ? "" : "of a sample of " + sample;
}

// Ends a provider's result: `summary`, which also becomes a line of text, and `source`.
inline void conclude(call& c, const std::vector<std::string>& clauses, std::string from) {
    const auto said = line(clauses);
    c.put(summary, said);
    c.put(source, std::move(from));
    c.say(said);
}

// Cells [column, column + width) x [row, row + height) of a raster.
struct block {
    int column = 0, row = 0, width = 0, height = 0;
    bool operator==(const block&) const = default;
};

inline constexpr int blocks_a_side = 4, block_side = 256;

// The blocks to read of a raster: all of it up to 1024 x 1024 cells, else up to 4 x 4 blocks of 256 x 256, spread
// evenly and in full resolution, so that neighbours stay neighbours and overview resampling is not measured.
inline std::vector<block> spread_blocks(int columns, int rows) {
    constexpr auto most = static_cast<std::int64_t>(blocks_a_side * block_side) * (blocks_a_side * block_side);
    if (static_cast<std::int64_t>(columns) * rows <= most) return {{0, 0, columns, rows}};
    const int width = std::min(columns, block_side), height = std::min(rows, block_side);
    const auto along = [](int size, int part) {
        std::vector<int> starts;
        const int n = size == part ? 1 : std::min(blocks_a_side, (size + part - 1) / part);
        for (int i = 0; i < n; ++i)
            starts.push_back(n == 1 ? 0 : static_cast<int>(static_cast<std::int64_t>(size - part) * i / (n - 1)));
        return starts;
    };
    std::vector<block> blocks;
    for (const int row : along(rows, height))
        for (const int column : along(columns, width)) blocks.push_back({column, row, width, height});
    return blocks;
}

}  // namespace gdalmcp::evidence
