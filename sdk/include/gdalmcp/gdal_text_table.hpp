// gdalmcp/gdal_text_table.hpp — what a text table (CSV, TSV) does not declare, found in its text: encoding, separator,
// lines before the names, a row of units, types of columns. Where GDAL would read something else, it is given a copy in
// memory that it reads right. Used by gdal_open.hpp.
#pragma once
#include <cpl_conv.h>
#include <cpl_csv.h>
#include <gdalmcp/gdal_table_text.hpp>
#include <gdalmcp/gdal_table_values.hpp>

#include <functional>
#include <map>
#include <memory>

namespace gdalmcp::gdal::detail {

struct file_closer {
    void operator()(VSILFILE* f) const { VSIFCloseL(f); }
};
using file_handle = std::unique_ptr<VSILFILE, file_closer>;

constexpr std::size_t sniffed_bytes = 1 << 18;
constexpr std::int64_t largest_copy = std::int64_t{1} << 30;  // bytes of a table that is copied to read it right

using record = std::vector<std::string>;

// The next record of a table in UTF-8; nullopt at its end. Lines without anything are records of one empty value.
inline std::optional<record> read_record(VSILFILE& file, char separator) {
    const char delimiter[] = {separator, '\0'};
    const CPLStringList values{CSVReadParseLine3L(&file, 10'000'000, delimiter, true, false, false, true)};
    if (!values.List()) return std::nullopt;
    return record(values.List(), values.List() + values.Count());
}

inline std::size_t filled(const record& r) {
    return static_cast<std::size_t>(std::count_if(r.begin(), r.end(), [](const auto& v) { return !v.empty(); }));
}

inline std::vector<record> first_records(const std::string& text, char separator, std::size_t most) {
    const std::string name = CPLSPrintf("/vsimem/gdalmcp-head-%p", static_cast<const void*>(&text));
    std::vector<record> all;
    {
        const file_handle f{VSIFileFromMemBuffer(name.c_str(), reinterpret_cast<GByte*>(const_cast<char*>(text.data())),
                                                 text.size(), FALSE)};
        while (all.size() < most)
            if (auto r = f ? read_record(*f, separator) : std::nullopt)
                all.push_back(std::move(*r));
            else
                break;
    }
    VSIUnlink(name.c_str());
    return all;
}

// The number of values that most records have, of those with more than one; 0: none has.
inline std::size_t usual_width(const std::vector<record>& records) {
    std::map<std::size_t, std::size_t> counts;
    for (const auto& r : records)
        if (r.size() > 1) ++counts[r.size()];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? 0 : most->first;
}

struct table_form {
    std::string encoding = "UTF-8";
    char separator = ',';
    int preamble = 0;  // records before the names
    bool header = true;
    std::vector<std::string> names;  // of the columns; made up without a header
    std::vector<std::string> units;  // of a row of units, which is none of the data
    bool expected = true;            // GDAL would find the same separator
    std::set<std::string> worded{};  // columns with values that are no numbers, in what was looked at

    bool plain() const {
        return names.empty() || (encoding == "UTF-8" && preamble == 0 && units.empty() && names.size() > 1 && expected);
    }
};

// The names of columns contain no numbers, but for a run of years.
inline bool names_columns(const record& r, const record& next) {
    std::vector<std::string> numbers;
    bool next_years = true;
    for (std::size_t i = 0; i < r.size(); ++i) {
        if (!plain_number(r[i])) continue;
        numbers.push_back(r[i]);
        next_years = next_years && i < next.size() && is_year(next[i]);
    }
    if (numbers.empty()) return true;
    return numbers.size() > 1 && numbers.size() < filled(r) && !next_years &&
           std::all_of(numbers.begin(), numbers.end(), is_year) &&
           std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>{}) == numbers.end();
}

inline bool row_of_units(const std::vector<record>& records, std::size_t at) {
    if (at + 3 >= records.size()) return false;
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
            if (!is_unit(row[c])) return false;
            any = any || !plain_number(row[c]);
        } else if (!is_unit(row[c]) && row[c] != "-" && !EQUALN(row[c].c_str(), "yyyy", 4) &&
                   !EQUALN(row[c].c_str(), "text", 4)) {
            return false;
        }
    }
    return any;
}

// What the beginning of a text table tells.
inline table_form sniff(const std::string& path) {
    table_form form;
    const file_handle file{VSIFOpenL(path.c_str(), "rb")};
    if (!file) return form;
    std::string head(sniffed_bytes, '\0');
    head.resize(VSIFReadL(head.data(), 1, head.size(), file.get()));
    const bool all = head.size() < sniffed_bytes;
    form.encoding = encoding_of(head);
    // Packed files and the like are no text.
    const auto control = [](char c) { return (c >= 0 && c < '\t') || (c > '\r' && c < ' ' && c != '\x1b'); };
    if (!form.encoding.starts_with("UTF-16") && std::any_of(head.begin(), head.end(), control)) return form;
    // Where a caller names the encoding, the text is left for the caller to read.
    if (form.encoding == "CP1252" && CPLGetThreadLocalConfigOption("SHAPE_ENCODING", nullptr)) form.encoding = "UTF-8";
    auto text = to_utf8(head, form.encoding);
    if (const auto end = text.rfind('\n'); !all && end != std::string::npos) text.resize(end + 1);
    std::vector<record> records;
    std::size_t best = 0, width = 0;
    const char first = CSVDetectSeperator(text.substr(0, text.find('\n')).c_str());
    for (const char c : {first, ',', ';', '\t', '|'}) {
        auto found = first_records(text, c, 200);
        const auto usual = usual_width(found);
        const auto same = static_cast<std::size_t>(
            std::count_if(found.begin(), found.end(), [&](const auto& r) { return r.size() == usual; }));
        if (usual > 1 && same * std::min<std::size_t>(usual, 4) > best) {
            best = same * std::min<std::size_t>(usual, 4);
            form.separator = c;
            width = usual;
            records = std::move(found);
        }
    }
    if (records.empty()) records = first_records(text, form.separator = ',', 200);
    if (records.empty()) return form;
    const auto next_of = [&](std::size_t i) { return i + 1 < records.size() ? records[i + 1] : record{}; };
    std::size_t at = 0;
    if (width > 1 && !(records[0].size() == width && filled(records[0]) * 2 >= width)) {
        std::size_t found = 0;
        while (found < std::min<std::size_t>(records.size(), 40) &&
               !(records[found].size() == width && filled(records[found]) * 2 >= width))
            ++found;
        if (found < records.size() && records.size() > found + 1 && names_columns(records[found], next_of(found)))
            at = found;
    }
    form.preamble = static_cast<int>(at);
    form.expected = form.separator == first;
    for (std::size_t i = at + 1; i < records.size(); ++i)
        for (std::size_t c = 0; c < std::min(records[i].size(), records[at].size()); ++c)
            if (const auto& v = records[i][c]; !v.empty() && !marks_missing(v) && !any_number(v))
                form.worded.insert(records[at][c]);
    form.header = names_columns(records[at], next_of(at));
    form.names = records[at];
    if (!form.header)
        for (std::size_t i = 0; i < form.names.size(); ++i) form.names[i] = "field_" + std::to_string(i + 1);
    if (form.header && row_of_units(records, at + 1)) form.units = records[at + 1];
    return form;
}

struct text_table {
    table_form form;
    std::vector<column_found> columns;
    std::int64_t ragged = 0;  // rows with values beyond the last column

    bool rewritten() const {
        return !form.plain() ||
               std::any_of(columns.begin(), columns.end(), [](const auto& c) { return c.rewritten(); });
    }
    // Leaves the table as it is: what would be rewritten is text.
    void give_up() {
        for (auto& c : columns)
            if (c.rewritten()) c = {};
        form.encoding = "UTF-8";
        form.preamble = 0;
        form.units.clear();
        form.expected = true;
        too_large = true;
    }
    // Lines that end with a separator have one more column, without name and values.
    void drop_empty_end() {
        if (form.names.size() < 3 || !form.names.back().empty() || !columns.back().empty) return;
        form.names.pop_back();
        columns.pop_back();
    }
    // GDAL reads no table of one column.
    void number_rows() {
        form.names.emplace_back("row");
        columns.push_back({.type = std::pair{OFTInteger, OFSTNone}});
        numbered = true;
    }
    bool too_large = false, numbered = false;

    // What a reader should know of how it was read.
    std::string told() const;
};

// Writes the text in UTF-8 to `to`, and returns its name.
inline std::string recode(const std::string& from, const std::string& encoding, const std::string& to) {
    const file_handle in{VSIFOpenL(from.c_str(), "rb")}, out{VSIFOpenL(to.c_str(), "wb")};
    std::string block(1 << 20, '\0');
    bool first = true;
    while (in && out) {
        const auto n = VSIFReadL(block.data(), 1, block.size(), in.get());
        if (n == 0) break;
        std::string_view read{block.data(), n};
        if (encoding != "CP1252" && n >= 2) {  // half of a pair waits for the other
            const auto high = static_cast<unsigned char>(read[encoding == "UTF-16LE" ? n - 1 : n - 2]);
            if (n == block.size() && high >= 0xd8 && high < 0xdc) {
                read.remove_suffix(2);
                VSIFSeekL(in.get(), VSIFTellL(in.get()) - 2, SEEK_SET);
            }
        }
        const auto text = to_utf8(read, encoding);
        const bool marked = first && text.starts_with("\xEF\xBB\xBF");
        VSIFWriteL(text.data() + (marked ? 3 : 0), 1, text.size() - (marked ? 3 : 0), out.get());
        first = false;
    }
    return to;
}

// Opens the table with what is before its data read; nullptr: it cannot be opened.
inline file_handle open_records(const std::string& path, const table_form& form) {
    file_handle file{VSIFOpenL(path.c_str(), "rb")};
    for (int i = 0; file && i < form.preamble + form.header + !form.units.empty(); ++i)
        if (!read_record(*file, form.separator)) break;
    return file;
}

inline void survey_columns(const std::string& path, text_table& table) {
    std::vector<column_survey> columns(table.form.names.size(), column_survey{table.form.separator});
    const auto file = open_records(path, table.form);
    while (file) {
        const auto r = read_record(*file, table.form.separator);
        if (!r) break;
        for (std::size_t i = 0; i < std::min(r->size(), columns.size()); ++i) columns[i].see((*r)[i]);
        table.ragged += std::any_of(r->begin() + static_cast<std::ptrdiff_t>(std::min(r->size(), columns.size())),
                                    r->end(), [](const auto& v) { return !v.empty(); });
    }
    for (auto& c : columns) table.columns.push_back(c.end());
}

// A copy that GDAL reads right: UTF-8, commas, names first, plain numbers.
inline void write_plain(const std::string& from, const text_table& table, const std::string& to) {
    const file_handle out{VSIFOpenL(to.c_str(), "wb")};
    const auto in = open_records(from, table.form);
    if (!out || !in) return;
    std::string line;
    const auto given = table.form.names.size() - table.numbered;  // columns
    const auto write = [&](const record& r, const std::string& last) {
        line.clear();
        for (std::size_t i = 0; i < given; ++i) {
            const std::string value = i < r.size() ? r[i] : std::string{};
            line += i ? ",\"" : "\"";
            for (const char c : value) line += c == '"' ? std::string{"\"\""} : std::string(1, c);
            line += '"';
        }
        if (table.numbered) line += "," + last;
        line += '\n';
        VSIFWriteL(line.data(), 1, line.size(), out.get());
    };
    write(table.form.names, "row");
    std::int64_t row = 0;
    while (auto r = read_record(*in, table.form.separator)) {
        if (r->size() == 1 && r->front().empty() && !table.numbered) continue;  // an empty line
        for (std::size_t i = 0; i < std::min(r->size(), table.columns.size()); ++i) {
            const auto& column = table.columns[i];
            auto& v = (*r)[i];
            if (column.missing > 0 && marks_missing(v))
                v.clear();
            else if (const auto number = column.style ? restyled(v, *column.style) : std::nullopt)
                v = *number;
        }
        write(*r, std::to_string(++row));
    }
}

inline std::string text_table::told() const {
    std::string said;
    const auto add = [&](const std::string& text) { said += (said.empty() ? "" : "; ") + text; };
    if (form.encoding != "UTF-8") add("read as " + form.encoding);
    if (form.preamble > 0)
        add(std::to_string(form.preamble) + (form.preamble == 1 ? " line" : " lines") + " before the names left out");
    if (!form.units.empty()) {
        std::string list;
        for (std::size_t i = 0; i < std::min(form.units.size(), form.names.size()); ++i)
            if (!form.units[i].empty()) list += (list.empty() ? "" : ", ") + form.names[i] + " " + form.units[i];
        add("a row of units left out: " + list);
    }
    if (numbered) add("a column 'row' added to the only one");
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& c = columns[i];
        if (c.style)
            add("'" + form.names[i] + "': numbers with " + (c.style->point == ',' ? "a decimal comma" : "separators") +
                " read");
        if (c.missing > 0)
            add("'" + form.names[i] + "': " + std::to_string(c.missing) + " values such as '" + c.mark +
                "' read as null");
    }
    if (too_large)
        add("larger than 1 GiB: encoding, lines before the names and numbers with separators left as they are");
    if (ragged > 0)
        add(std::to_string(ragged) + (ragged == 1 ? " row has" : " rows have") +
            " values beyond the last column, which are not read");
    return said;
}

}  // namespace gdalmcp::gdal::detail
