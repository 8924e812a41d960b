// gdalmcp/gdal_table_form.hpp — what the beginning of a text table (CSV, TSV) tells of it: encoding, separator, lines
// before the names, names, a row of units. Used by gdal_text_table.hpp.
#pragma once
#include <cpl_conv.h>
#include <cpl_csv.h>
#include <gdalmcp/gdal_table_notes.hpp>
#include <gdalmcp/gdal_table_reading.hpp>
#include <gdalmcp/gdal_table_records.hpp>
#include <gdalmcp/gdal_table_values.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace gdalmcp::gdal {

namespace detail {

constexpr std::size_t sniffed_bytes = 1 << 18;

// stray: how many of them hold a stray quote.
inline std::vector<record> first_records(const std::string& text, char separator, std::size_t most,
                                         std::int64_t& stray) {
    record_reader reader{text, separator};
    std::vector<record> all;
    for (record r; all.size() < most && reader.next(r);) all.push_back(r);
    stray = reader.stray;
    all.resize(second_table(all));
    return all;
}

inline bool is_remark(const record& r) { return !r.empty() && r.front().starts_with('#'); }

// The number of values that most records have, of those with more than one; 0: none has.
inline std::size_t usual_width(const std::vector<record>& records) {
    std::map<std::size_t, std::size_t> counts;
    for (const auto& r : records)
        if (r.size() > 1 && !is_remark(r)) ++counts[r.size()];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? 0 : most->first;
}

inline bool is_wkt(const std::string& text) {
    constexpr std::array<const char*, 4> begins{"POINT", "LINESTRING", "POLYGON", "GEOMETRYCOLLECTION"};
    const char* v = text.c_str() + (STARTS_WITH_CI(text.c_str(), "MULTI") ? 5 : 0);
    return std::any_of(begins.begin(), begins.end(), [&](const char* begin) {
        if (!STARTS_WITH_CI(v, begin)) return false;
        const auto* rest = v + std::strlen(begin);
        while (std::strchr(" ZMzm", *rest) && *rest) ++rest;
        return *rest == '(' || EQUAL(rest, "EMPTY");
    });
}

struct table_form {
    std::string encoding = "UTF-8";
    char separator = ',';
    int preamble = 0;  // records before the names
    bool header = true;
    std::vector<std::string> names;  // of the columns; made up without a header
    std::vector<std::string> units;  // of a row of units or of formats, which is none of the data
    bool expected = true;            // GDAL would find the same separator, names and values
    bool marked_separator = false;   // by a first line such as "sep=;"
    std::string wkt{};               // the column of geometries as WKT
    std::string ewkt{};              // the column of geometries with "SRID=", which GDAL does not read
    std::string doubted{};           // a first row that holds numbers and may name the columns: its values
    bool row_names = false;          // the line of names has none for the first column
    bool doubtful_header = false;    // it was taken for names by a single year, or by numbers in equal steps
    std::string above{};             // the names of a table above this one, which is left out
    int above_line = 0;              // where they stand, from 1
    std::set<std::string> worded{};  // columns with values that are no numbers, in what was looked at

    bool plain() const {
        return names.empty() || (encoding == "UTF-8" && preamble == 0 && units.empty() && names.size() > 1 && expected);
    }
};

inline std::optional<long> whole_number(const std::string& text) {
    long n = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
    return failed == std::errc{} && end == text.data() + text.size() ? std::optional{n} : std::nullopt;
}

// Three and more whole numbers that rise in equal steps, such as months or hours.
inline bool in_equal_steps(const std::vector<std::string>& numbers) {
    if (numbers.size() < 3) return false;
    std::vector<long> steps;
    for (std::size_t i = 1; i < numbers.size(); ++i) {
        const auto a = whole_number(numbers[i - 1]), b = whole_number(numbers[i]);
        if (!a || !b) return false;
        steps.push_back(*b - *a);
    }
    return steps.front() > 0 && std::adjacent_find(steps.begin(), steps.end(), std::not_equal_to<>{}) == steps.end();
}

// The values of a record that are numbers.
inline std::vector<std::string> numbers_of(const record& r) {
    std::vector<std::string> found;
    std::copy_if(r.begin(), r.end(), std::back_inserter(found), plain_number);
    return found;
}

// Whether the record begins with a text, holds no value twice, and no text of it stands in its column again: such a
// row may name the columns though it holds numbers.
inline bool could_name_columns(const std::vector<record>& records, std::size_t at) {
    const auto& r = records[at];
    if (at + 1 >= records.size() || filled(r) < r.size() || std::set<std::string>(r.begin(), r.end()).size() < r.size())
        return false;
    for (std::size_t c = 0; c < r.size(); ++c) {
        const bool number = plain_number(r[c]);
        if (c == 0 ? number
                   : number && std::strtod(r[c].c_str(), nullptr) != std::floor(std::strtod(r[c].c_str(), nullptr)))
            return false;
        if (!number && (std::isdigit(static_cast<unsigned char>(r[c].front())) ||
                        std::any_of(records.begin() + static_cast<std::ptrdiff_t>(at) + 1, records.end(),
                                    [&](const record& below) { return c < below.size() && below[c] == r[c]; })))
            return false;
    }
    return true;
}

// Of a number with marks, a day, a percentage or a truth; look::other: a text, or a plain number.
inline look typed_look(const std::string& text) {
    if (iso_moment(text)) return look::day;
    if (EQUAL(text.c_str(), "true") || EQUAL(text.c_str(), "false")) return look::truth;
    if (any_number(text)) return plain_number(text) ? look::other : look::number;
    const auto found = look_of(text);
    return found == look::number ? look::other : found;  // "(1)" may be a name
}

// Whether the record has such a value, and those below it are alike.
inline bool typed_as_below(const std::vector<record>& records, std::size_t at) {
    for (std::size_t c = 0; c < records[at].size(); ++c) {
        const auto own = typed_look(records[at][c]);
        bool values = false, alike = own != look::other;
        for (std::size_t i = at + 1; i < records.size() && alike; ++i) {
            if (c >= records[i].size() || records[i][c].empty() || marks_missing(records[i][c])) continue;
            values = true;
            alike = own == look::number ? any_number(records[i][c]) : typed_look(records[i][c]) == own;
        }
        if (alike && values) return true;
    }
    return false;
}

// The names of columns contain no numbers, but for years, and numbers in equal steps.
inline bool names_columns(const std::vector<record>& records, std::size_t at) {
    if (typed_as_below(records, at)) return false;
    const auto& r = records[at];
    const auto numbers = numbers_of(r);
    if (numbers.empty()) return true;
    if (numbers.size() == filled(r)) return false;
    const auto years_below = [&](std::size_t rows) {
        for (std::size_t i = at + 1; i < std::min(records.size(), at + 1 + rows); ++i)
            for (std::size_t c = 0; c < std::min(r.size(), records[i].size()); ++c)
                if (plain_number(r[c]) && is_year(records[i][c])) return true;
        return false;
    };
    const bool years = std::all_of(numbers.begin(), numbers.end(), is_year);
    if (numbers.size() == 1)
        return years && numbers[0] >= "1800" && numbers[0] <= "2100" && could_name_columns(records, at) &&
               !years_below(records.size());
    const auto next = at + 1 < records.size() ? records[at + 1] : record{};
    bool next_years = true;
    for (std::size_t c = 0; c < r.size(); ++c)
        if (plain_number(r[c])) next_years = next_years && c < next.size() && is_year(next[c]);
    if (years && std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>{}) == numbers.end())
        return !next_years;
    return in_equal_steps(numbers) && could_name_columns(records, at) && !in_equal_steps(numbers_of(next));
}

// Whether all values of the record but the first are numbers, each another, and those below have a first value: names
// above a column of row names, as R and pandas write them.
inline bool names_beside_rows(const std::vector<record>& records, std::size_t at) {
    const auto& r = records[at];
    const auto numbers = numbers_of(r);
    return r.size() > 1 && r.front().empty() && numbers.size() == r.size() - 1 && at + 2 < records.size() &&
           std::set<std::string>(numbers.begin(), numbers.end()).size() == numbers.size() &&
           std::all_of(records.begin() + static_cast<std::ptrdiff_t>(at) + 1, records.end(),
                       [](const record& below) { return filled(below) == 0 || !below.front().empty(); });
}

// Whether every value of the row at `at` stands in quotes, and not every one of the next.
inline bool only_names_quoted(const std::string& text, const std::vector<record>& records, std::size_t at,
                              char separator) {
    const auto quoted = [&](const record& r) {
        std::string line;
        for (const auto& v : r) line += (line.empty() ? "\"" : std::string{separator} + "\"") + v + "\"";
        return text.find(line) != std::string::npos;
    };
    return (could_name_columns(records, at) || names_beside_rows(records, at)) && quoted(records[at]) &&
           !quoted(records[at + 1]);
}

inline bool row_of_units(const std::vector<record>& records, std::size_t at) {
    const auto calendar = [](const std::string& text) { return EQUALN(text.c_str(), "yyyy", 4); };
    if (at + 1 >= records.size()) return false;
    const auto& row = records[at];
    bool any = false;
    for (std::size_t c = 0; c < row.size(); ++c) {
        if (row[c].empty()) continue;
        bool numbers = true, values = false;
        for (std::size_t i = at + 1; i < records.size(); ++i) {
            if (c >= records[i].size() || records[i][c].empty() || marks_missing(records[i][c])) continue;
            values = true;
            numbers = numbers && any_number(records[i][c]);
        }
        if (values && numbers) {
            if (!is_unit(row[c]) && !calendar(row[c])) return false;
            any = any || !plain_number(row[c]);
        } else if (!is_unit(row[c]) && row[c] != "-" && !calendar(row[c]) && !EQUALN(row[c].c_str(), "text", 4)) {
            return false;
        }
    }
    return any;
}

// Whether it gives the widths and kinds of the columns, "5s 15s 20d 6s 14n 10s", as the RDB files of hydrological
// services do. Rows of such values, durations perhaps, are data.
inline bool row_of_formats(const std::vector<record>& records, std::size_t at) {
    const auto formats = [](const record& r) {
        return r.size() > 1 && std::all_of(r.begin(), r.end(), [](const std::string& v) {
                   return v.size() > 1 && v.size() < 5 && std::strchr("sdn", v.back()) &&
                          v.find_first_not_of("0123456789") == v.size() - 1;
               });
    };
    return at + 1 < records.size() && formats(records[at]) && !formats(records[at + 1]);
}

// Whether all records from `from` on have `width` values, but for empty lines.
inline bool cut_alike(const std::vector<record>& records, std::size_t from, std::size_t width) {
    return std::all_of(records.begin() + static_cast<std::ptrdiff_t>(from), records.end(),
                       [&](const record& r) { return r.size() == width || filled(r) == 0; });
}

// Whether the first record names all columns but the first, whose values name the rows, as R writes tables.
inline bool names_all_but_first(const std::vector<record>& records, std::size_t width) {
    const auto& names = records.front();
    if (records.size() < 3 || names.size() + 1 != width || filled(names) < names.size() || is_remark(names) ||
        !numbers_of(names).empty() || names_columns(records, 1) || !cut_alike(records, 1, width))
        return false;
    std::set<std::string> rows;
    return std::all_of(records.begin() + 1, records.end(), [&](const record& r) {
        return filled(r) == 0 || (!r.front().empty() && !r.back().empty() && rows.insert(r.front()).second);
    });
}

// The record that holds the names, or the first row of a table without, most of whose records have `width` values.
inline std::size_t record_of_names(const std::vector<record>& records, std::size_t width) {
    const auto wide = [&](std::size_t i) { return records[i].size() == width && filled(records[i]) * 2 >= width; };
    // "# a remark" is none of the names, "#id" is one.
    const auto remark = [&](std::size_t i) {
        return is_remark(records[i]) && i + 1 < records.size() &&
               (is_remark(records[i + 1]) || records[i].front().starts_with("# "));
    };
    const auto most = std::min<std::size_t>(records.size(), 100);
    std::size_t found = 0;
    while (found < most && (!wide(found) || remark(found))) ++found;
    if (found + 1 >= records.size() || found == most) return 0;
    // Lines of a report that have values of their own stand apart from the names by an empty line.
    for (std::size_t i = found + 1; i + 1 < std::min(most, found + 10) && filled(records[found]) < width; ++i)
        if (filled(records[i]) == 0 && records[i + 1].size() == width && filled(records[i + 1]) == width &&
            names_columns(records, i + 1))
            return i + 1;
    const bool titles = std::all_of(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(found),
                                    [](const record& r) { return r.size() == 1 && !any_number(r.front()); });
    return names_columns(records, found) || (titles && cut_alike(records, found, width)) ? found : 0;
}

// The separator that a first line "sep=;" gives, as spreadsheet programs write and read it; 0: none.
inline char separator_given(const std::string& text) {
    return EQUALN(text.c_str(), "sep=", 4) && text.size() > 5 && (text[5] == '\n' || text[5] == '\r') ? text[4] : '\0';
}

// Names of columns in one line: GDAL drops those after a line break.
inline bool join_lines(std::vector<std::string>& names) {
    bool any = false;
    for (auto& name : names)
        for (std::size_t at; (at = name.find_first_of("\r\n")) != std::string::npos; any = true)
            name.replace(at, name.compare(at, 2, "\r\n") == 0 ? 2 : 1, " ");
    return any;
}

// Whether a character may be the separator of these records: most lines of one column hold it nowhere, and blanks stand
// between words as well, so that they separate numbers alone.
inline bool may_separate(char c, const std::vector<record>& records, std::size_t cut_alike) {
    std::size_t lone = 0, values = 0, numbers = 0;
    for (const auto& r : records) {
        lone += r.size() == 1 && filled(r) == 1 && !is_remark(r);
        for (const auto& v : r) values += !v.empty(), numbers += any_number(v);
    }
    return lone <= 2 * cut_alike && (c != ' ' || 2 * numbers > values);
}

// The separator by which most of the records have the same number of values, and these records. known: it, or "".
inline std::vector<record> records_of(const std::string& text, const std::string& known, table_form& form,
                                      std::size_t& width) {
    std::vector<record> records;
    std::size_t best = 0;
    std::ptrdiff_t best_typed = 0;
    std::int64_t stray = 0;
    if (const char given = separator_given(text)) {
        form.separator = given;
        form.marked_separator = true;
        records = first_records(text.substr(text.find('\n') + 1), given, 200, stray);
        width = usual_width(records);
        return records;
    }
    const auto first_line = text.substr(0, text.find('\n'));
    const char first = CSVDetectSeperator(first_line.c_str());
    for (const char c : known.empty() ? std::string{first} + ",;\t|" : known) {
        auto found = first_records(text, c, 200, stray);
        const auto usual = usual_width(found);
        const auto fits = [&](const record& r) { return r.size() == usual && !is_remark(r); };
        // By a wrong separator, values in quotes are cut: their quotes are stray.
        const auto same = static_cast<std::size_t>(
            std::max<std::int64_t>(1, std::count_if(found.begin(), found.end(), fits) - stray));
        // Values that hold another separator may be several, or in quotes; dates and numbers are whole values.
        const auto whole = [](const std::string& v) { return any_number(v) || iso_moment(v); };
        const auto several = [&](const std::string& v) {
            return v.find_first_of(",;\t|") != std::string::npos && !whole(v);
        };
        std::ptrdiff_t typed = 0;
        std::size_t doubtful = 0;
        for (std::size_t i = 1; i < found.size(); ++i) {
            const auto joined = std::count_if(found[i].begin(), found[i].end(), several);
            typed += std::count_if(found[i].begin(), found[i].end(), whole) - joined;
            doubtful += joined > 0 && fits(found[i]);
        }
        // A line of names cut like the rows speaks for its separator, also where values hold others, and quotes.
        const std::size_t names =
            !found.empty() && fits(found.front()) && (found.size() == 1 || fits(found[1])) ? 2 : 1;
        const auto score = (2 * same - std::min(doubtful, same)) * std::min<std::size_t>(usual, 4) * names;
        if (usual > 1 && std::pair{score, typed} > std::pair{best, best_typed} && may_separate(c, found, same)) {
            best = score;
            best_typed = typed;
            form.separator = c;
            width = usual;
            records = std::move(found);
        }
    }
    if (records.empty()) records = first_records(text, form.separator = ',', 200, stray);
    // Where another mark stands in the first line, GDAL may cut by that; it cuts at every blank.
    form.expected =
        form.separator == first && first != ' ' && std::none_of(first_line.begin(), first_line.end(), [&](char c) {
            return c != form.separator && std::string_view{",;\t|"}.find(c) != std::string_view::npos;
        });
    return records;
}

// Whether these are bytes of a packed file or the like. A text may hold a NUL by mistake.
inline bool is_binary(std::string_view head, const std::string& encoding) {
    if (encoding.starts_with("UTF-16")) return false;
    const auto control = [](char c) { return (c >= 0 && c < '\t') || (c > '\r' && c < ' ' && c != '\x1b'); };
    const auto n = std::count_if(head.begin(), head.end(), control);
    return n > std::count(head.begin(), head.end(), '\0') ||
           (n > 8 && n * 20 > static_cast<std::ptrdiff_t>(head.size()));
}

// Whether a .prj beside a text table is that of a Shapefile of the same name.
inline bool has_foreign_prj(const std::string& path) {
    VSIStatBufL state;
    const auto exists = [&](const char* extension) {
        return VSIStatL(CPLResetExtension(path.c_str(), extension), &state) == 0;
    };
    return exists("prj") && (exists("shp") || exists("SHP"));
}

// What the beginning of a text table tells.
inline table_form sniff(const std::string& path, const table_reading& how = {}) {
    table_form form;
    const file_handle file{VSIFOpenL(path.c_str(), "rb")};
    if (!file) return form;
    std::string head(sniffed_bytes, '\0');
    head.resize(VSIFReadL(head.data(), 1, head.size(), file.get()));
    const bool all = head.size() < sniffed_bytes;
    form.encoding = encoding_of(head);
    if (is_binary(head, form.encoding)) return form;
    if (!how.encoding.empty() && form.encoding != "UTF-16LE" && form.encoding != "UTF-16BE") {
        form.encoding = EQUAL(how.encoding.c_str(), "UTF8") ? "UTF-8" : how.encoding;
        if (EQUAL(form.encoding.c_str(), "UTF-8")) form.encoding = "UTF-8";
    }
    if (const auto end = head.rfind('\n'); !all && end != std::string::npos && !form.encoding.starts_with("UTF-16"))
        head.resize(end + 1);
    // Of a text in CP1252 each value is decoded by itself: another may be in UTF-8.
    auto text = form.encoding == "CP1252" ? head : to_utf8(head, form.encoding);
    if (const auto end = text.rfind('\n'); !all && end != std::string::npos) text.resize(end + 1);
    std::size_t width = 0;
    auto records = records_of(text, how.of_sheet ? "," : "", form, width);
    if (std::all_of(records.begin(), records.end(), [](const auto& r) { return filled(r) == 0; })) return form;
    // Names may end in a separator where the rows do not.
    for (auto& r : records)
        if (r.size() == width + 1 && r.back().empty()) r.pop_back(), form.expected = false;
    form.row_names = !how.names_first && names_all_but_first(records, width);
    if (form.row_names) records.front().insert(records.front().begin(), "field_1");
    const std::size_t at = how.names_first || width < 2 ? 0 : record_of_names(records, width);
    form.preamble = static_cast<int>(at) + form.marked_separator;
    for (std::size_t i = 0; i + 1 < at && form.above.empty(); ++i)
        if (records[i].size() > 2 && records[i].size() == records[i + 1].size() && numbers_of(records[i]).empty() &&
            filled(records[i]) == records[i].size()) {
            form.above = joined(records[i]);
            form.above_line = static_cast<int>(i) + 1 + form.marked_separator;
        }
    for (std::size_t i = at + 1; i < records.size(); ++i)
        for (std::size_t c = 0; c < std::min(records[i].size(), records[at].size()); ++c)
            if (const auto& v = records[i][c]; !v.empty() && !marks_missing(v) && !any_number(v)) {
                form.worded.insert(records[at][c]);
                if (EQUALN(v.c_str(), "SRID=", 5)) form.ewkt = records[at][c];
                if (form.wkt.empty() && is_wkt(v)) form.wkt = records[at][c];
            }
    const bool quoted = only_names_quoted(text, records, at, form.separator), beside = names_beside_rows(records, at);
    form.header = how.names_first.value_or(names_columns(records, at) || quoted || beside);
    form.names = records[at];
    const auto numbers = numbers_of(form.names);
    if (!how.names_first && !numbers.empty() && (could_name_columns(records, at) || beside)) {
        form.doubtful_header = form.header && !(beside && quoted) &&
                               (numbers.size() == 1 || !std::all_of(numbers.begin(), numbers.end(), is_year));
        form.doubted = joined(form.names);
    }
    if (!form.header)
        for (std::size_t i = 0; i < form.names.size(); ++i) form.names[i] = "field_" + std::to_string(i + 1);
    else if (join_lines(form.names))
        form.expected = false;
    // GDAL would drop the last column if its name is empty, and there are two, and read any .prj.
    form.expected = form.expected && !form.row_names && (records[at].size() != 2 || !records[at].back().empty()) &&
                    !has_foreign_prj(path);
    if (form.header && row_of_units(records, at + 1)) form.units = records[at + 1];
    if (form.header && row_of_formats(records, at + 1)) form.units.assign(form.names.size(), {});
    return form;
}

struct coordinate_columns {
    std::string x, y;
    bool degrees = false;  // the names denote longitude and latitude
};

// Pairs of coordinate column names, the clearest first, of columns that hold numbers.
inline std::optional<coordinate_columns> coordinates_among(const table_form& form) {
    struct pair {
        const char *x, *y;
        bool degrees;
    };
    constexpr std::array<pair, 13> known{{{"longitude", "latitude", true},
                                          {"decimallongitude", "decimallatitude", true},
                                          {"lon", "lat", true},
                                          {"long", "lat", true},
                                          {"lng", "lat", true},
                                          {"x", "y", false},
                                          {"easting", "northing", false},
                                          {"x_coord", "y_coord", false},
                                          {"xcoord", "ycoord", false},
                                          {"coord_x", "coord_y", false},
                                          {"point_x", "point_y", false},
                                          {"lon_x", "lat_y", true},
                                          {"east", "north", false}}};
    const auto spelled = [&](const char* wanted) -> std::string {
        std::string found;
        for (const auto& name : form.names)
            if (EQUAL(name.c_str(), wanted) && !form.worded.contains(name)) {
                if (!found.empty()) return {};  // twice: ambiguous
                found = name;
            }
        return found;
    };
    for (const auto& k : known) {
        const auto x = spelled(k.x), y = spelled(k.y);
        if (!x.empty() && !y.empty()) return coordinate_columns{x, y, k.degrees};
    }
    return std::nullopt;
}

}  // namespace detail
}  // namespace gdalmcp::gdal
