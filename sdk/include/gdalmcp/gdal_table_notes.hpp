// gdalmcp/gdal_table_notes.hpp — lines of a text table that are none of its rows: notes, and a second table below the
// first. Used by gdal_table_form.hpp.
#pragma once
#include <cpl_port.h>
#include <gdalmcp/gdal_table_records.hpp>
#include <gdalmcp/gdal_table_values.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace gdalmcp::gdal::detail {

inline std::size_t filled(const record& r) {
    return static_cast<std::size_t>(std::count_if(r.begin(), r.end(), [](const auto& v) { return !v.empty(); }));
}

// The first values of a line.
inline std::string joined(const record& r) {
    std::string said;
    const std::size_t shown = std::min<std::size_t>(r.size(), 4);
    for (std::size_t i = 0; i < shown; ++i) said += (i ? ", " : "") + r[i];
    return said + (shown < r.size() ? ", …" : "");
}

inline bool is_empty_line(const record& r) { return r.size() == 1 && r.front().empty(); }

// Whether a text is a note such as stands below a table.
inline bool is_note(const std::string& text) {
    constexpr std::array<const char*, 13> begins{
        "source:", "sources:", "note:",    "notes:",    "quelle:",      "quellen:", "anmerkung",
        "fuente:", "nota:",    "footnote", "data from", "last updated", "* "};
    return text.starts_with("\xC2\xA9") || std::any_of(begins.begin(), begins.end(), [&](const char* begin) {
               return EQUALN(text.c_str(), begin, std::char_traits<char>::length(begin));
           });
}

// "__________", as statistical offices write it above their notes.
inline bool is_rule(const std::string& text) {
    return text.size() > 2 && text.find_first_not_of(text.front()) == std::string::npos &&
           (text.front() == '_' || text.front() == '-' || text.front() == '=');
}

// Whether this line names the columns of a second table, such as a legend or footnotes: fewer than the first has, after
// an empty line or by its name.
inline bool names_second_table(const record& r, std::size_t width, bool apart) {
    return r.size() > 1 && r.size() < width && filled(r) == r.size() && (apart || is_note(r.front())) &&
           std::none_of(r.begin(), r.end(), any_number);
}

// Where the second table begins, if it goes to the end and is not twice as long as the first one, above which may be
// titles: the first is the table then, whichever is longer. Else the number of records.
inline std::size_t second_table(const std::vector<record>& records) {
    const auto begin = static_cast<std::size_t>(
        std::find_if(records.begin(), records.end(), [](const record& r) { return r.size() > 1; }) - records.begin());
    auto end = begin;
    while (end < records.size() && records[end].size() == records[begin].size()) ++end;
    auto next = end;
    while (next < records.size() && filled(records[next]) == 0) ++next;
    if (next == records.size() || end < begin + 2 ||
        std::any_of(records[begin].begin(), records[begin].end(), any_number) ||
        !names_second_table(records[next], records[begin].size(), next > end))
        return records.size();
    const bool to_end = std::all_of(records.begin() + static_cast<std::ptrdiff_t>(next), records.end(),
                                    [&](const record& r) { return r.size() <= records[next].size(); });
    return to_end && records.size() - next - 1 <= 2 * (end - begin - 1) ? next : records.size();
}

}  // namespace gdalmcp::gdal::detail
