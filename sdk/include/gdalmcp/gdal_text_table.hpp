// gdalmcp/gdal_text_table.hpp — a text table (CSV, TSV) read to its end for what it does not declare: types of columns,
// numbers with separators, notes below the rows. Where GDAL would read something else, it is given a copy in memory
// that it reads right. Used by gdal_open.hpp.
#pragma once
#include <gdalmcp/gdal_table_form.hpp>

#include <array>
#include <map>

namespace gdalmcp::gdal::detail {

constexpr std::int64_t largest_copy = std::int64_t{1} << 30;  // bytes of a table that is copied to read it right

// A last row that ends before the last column, without the end of its line.
struct cut_row {
    std::int64_t line;   // of the file, from 1
    std::size_t values;  // found in it
};

struct text_table {
    table_form form;
    std::vector<column_found> columns{};
    std::size_t width = 0;                                                   // columns in the file
    std::int64_t rows = 0;                                                   // without the notes below them
    std::int64_t ragged = 0;                                                 // rows with values beyond the last column
    std::int64_t stray = 0, indented = 0, native = 0, foreign = 0, nul = 0;  // as record_reader counts them
    std::vector<record> notes{};                                             // lines below the rows
    std::optional<cut_row> cut{};
    std::string total{};  // what the last row is called, where it may sum up those above
    bool comma_proved = false, point_proved = false;
    bool told_utf8 = false;  // by the caller

    bool rewritten() const {
        return !form.plain() || stray > 0 || indented > 0 || foreign > 0 || nul > 0 || !notes.empty() ||
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
        if (form.names.size() < 2 || !form.names.back().empty()) return;
        if (!columns.back().empty) return static_cast<void>(form.names.back() = "field_" + std::to_string(width));
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
    // What may be wrong with the figures made of it.
    std::vector<std::string> cautions() const;

private:
    std::string units_said() const;
};

// Writes the text in UTF-8 to `to`, and returns its name.
inline std::string recode(const std::string& from, const std::string& encoding, const std::string& to) {
    const file_handle in{VSIFOpenL(from.c_str(), "rb")}, out{VSIFOpenL(to.c_str(), "wb")};
    std::string block(1 << 20, '\0');
    const bool wide = encoding.starts_with("UTF-16");
    bool first = true;
    while (in && out) {
        const auto n = VSIFReadL(block.data(), 1, block.size(), in.get());
        if (n == 0) break;
        std::string_view read{block.data(), n};
        std::size_t kept = 0;  // bytes of a character that may go on in the next block
        if (wide && n >= 2) {
            const auto high = static_cast<unsigned char>(read[encoding == "UTF-16LE" ? n - 1 : n - 2]);
            kept = n == block.size() && high >= 0xd8 && high < 0xdc ? 2 : 0;
        } else if (const auto end = read.rfind('\n'); n == block.size() && end != std::string_view::npos) {
            kept = n - end - 1;
        }
        read.remove_suffix(kept);
        VSIFSeekL(in.get(), VSIFTellL(in.get()) - kept, SEEK_SET);
        const auto text = to_utf8(read, encoding);
        const bool marked = first && text.starts_with("\xEF\xBB\xBF");
        VSIFWriteL(text.data() + (marked ? 3 : 0), 1, text.size() - (marked ? 3 : 0), out.get());
        first = false;
    }
    return to;
}

// The records of a table from its first row on.
class table_rows {
public:
    table_rows(const std::string& path, const table_form& form)
        : file_{VSIFOpenL(path.c_str(), "rb")}, reader{file_.get(), form.separator} {
        record r;
        for (int i = 0; i < form.preamble + form.header + !form.units.empty(); ++i)
            if (!reader.next(r)) break;
        reader.stray = reader.nul = 0;
        reader.padded.clear();
    }

private:
    file_handle file_;

public:
    record_reader reader;
};

inline std::optional<cut_row> cut_row_of(const std::string& path, const record_reader& at_end, const record& last,
                                         std::size_t width) {
    if (!at_end.unended || is_empty_line(last) || last.size() >= width) return std::nullopt;
    const file_handle file{VSIFOpenL(path.c_str(), "rb")};
    std::string block(1 << 20, '\0');
    std::int64_t line = 1;
    for (std::size_t n; file && (n = VSIFReadL(block.data(), 1, block.size(), file.get())) > 0;)
        line += std::count(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(n), '\n');
    return cut_row{line, last.size()};
}

// The same of a table that is read for nothing else.
inline std::optional<cut_row> cut_row_of(const std::string& path, const table_form& form) {
    table_rows from{path, form};
    record last;
    for (record r; from.reader.next(r);) std::swap(last, r);
    return cut_row_of(path, from.reader, last, form.names.size());
}

// Calls `row` for every row of data, and returns the lines of notes below the last one, those of a second table
// included.
template <class Row>
std::vector<record> for_each_row(record_reader& reader, std::size_t width, const Row& row) {
    std::vector<record> held;  // lines that are notes if no row follows
    bool apart = false;        // an empty line came before
    std::size_t second = 0;    // columns of a second table that began; 0: none
    record r;
    while (reader.next(r)) {
        if (is_empty_line(r) && width > 1) {
            apart = true;
            continue;
        }
        const auto values = filled(r);
        const auto& first = r.front();
        const bool alone = values == 1 && !first.empty();
        const bool dated = !first.empty() && first[0] >= '0' && first[0] <= '9' &&
                           first.find_first_not_of("0123456789-./: T") == std::string::npos;
        if (second == 0 && names_second_table(r, width, apart)) second = r.size();
        const bool note = (second > 1 && r.size() == second) ||
                          (width > 1 && !plain_number(first) && !dated &&
                           (values == 0 || is_note(first) ||
                            (alone && (is_rule(first) || (!held.empty() && filled(held.back()) > 0))) ||
                            (alone && apart && (r.size() < width || first.find(' ') != std::string::npos))));
        if (note) {
            apart = apart || values == 0;
            held.push_back(r);
            continue;
        }
        for (auto& h : held) row(h);
        held.clear();
        apart = false;
        second = 0;
        row(r);
    }
    return held;
}

// Decides what a point or comma is in columns that do not tell by themselves, by those that do.
inline void settle_marks(const std::vector<column_survey>& surveys, text_table& table) {
    for (const auto& c : table.columns) {
        table.comma_proved = table.comma_proved || (c.marks.numbers && c.marks.comma && !c.marks.point);
        table.point_proved = table.point_proved || (c.marks.numbers && c.marks.point && !c.marks.comma);
    }
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        auto& c = table.columns[i];
        if (!c.marks.undecided()) {
            c.doubtful.clear();
        } else if (table.comma_proved != table.point_proved) {
            const bool comma = table.comma_proved;
            const bool as_it_is =
                !c.marks.mixed() && (c.marks.either_point ? !comma : comma && table.form.separator == ';');
            if (!as_it_is) surveys[i].use(comma ? number_style{'.', ','} : number_style{',', '.'}, c);
            c.doubtful.clear();
        } else if (!c.type || c.type->first != OFTReal || table.form.separator == ',') {
            c.doubtful.clear();
        }
    }
}

// REQUIRES: `path` is in UTF-8.
inline void survey_columns(const std::string& path, text_table& table, const table_reading& how) {
    const auto& names = table.form.names;
    std::vector<column_survey> columns(names.size(), column_survey{how.of_sheet ? '\0' : table.form.separator});
    table_rows from{path, table.form};
    record last;
    const auto row = [&](record& r) {
        for (std::size_t i = 0; i < std::min(r.size(), columns.size()); ++i) columns[i].see(r[i]);
        table.ragged += std::any_of(r.begin() + static_cast<std::ptrdiff_t>(std::min(r.size(), columns.size())),
                                    r.end(), [](const auto& v) { return !v.empty(); });
        ++table.rows;
        std::swap(last, r);
    };
    table.width = names.size();
    table.notes = for_each_row(from.reader, table.width, row);
    if (table.notes.empty()) table.cut = cut_row_of(path, from.reader, last, table.width);
    table.stray = from.reader.stray;
    table.indented = from.reader.indented;
    table.native = from.reader.native;
    table.foreign = from.reader.foreign;
    table.nul = from.reader.nul;
    for (const auto& c : columns) table.columns.push_back(c.end());
    if (!how.of_sheet) settle_marks(columns, table);
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto& c = table.columns[i];
        if (std::find(how.as_text.begin(), how.as_text.end(), names[i]) != how.as_text.end()) c = {.empty = c.empty};
        if (how.of_sheet) c.doubtful.clear();
        c.padded = i < from.reader.padded.size() && from.reader.padded[i];
    }
    const auto label =
        std::find_if(last.begin(), last.end(), [](const auto& v) { return !v.empty() && !any_number(v); });
    if (table.rows > 2 && label != last.end() && is_total(*label)) table.total = *label;
}

// A copy that GDAL reads right: UTF-8, commas, names first, plain numbers.
inline void write_plain(const std::string& from, const text_table& table, const std::string& to) {
    const file_handle out{VSIFOpenL(to.c_str(), "wb")};
    table_rows in{from, table.form};
    if (!out) return;
    std::string line;
    const auto given = table.form.names.size() - table.numbered;  // columns
    const auto write = [&](const record& r, const std::string& last) {
        line.clear();
        for (std::size_t i = 0; i < given; ++i) {
            line += i ? ",\"" : "\"";
            if (i < r.size())
                for (const char c : r[i]) line += c == '"' ? std::string_view{"\"\""} : std::string_view{&c, 1};
            line += '"';
        }
        if (table.numbered) line += "," + last;
        line += '\n';
        VSIFWriteL(line.data(), 1, line.size(), out.get());
    };
    write(table.form.names, "row");
    std::int64_t row = 0;
    for_each_row(in.reader, table.width, [&](record& r) {
        for (std::size_t i = 0; i < std::min(r.size(), table.columns.size()); ++i) {
            const auto& column = table.columns[i];
            auto& v = r[i];
            if (column.missing > 0 && marks_missing(v))
                v.clear();
            else if (const auto number = column.style ? restyled(v, *column.style) : std::nullopt)
                v = *number;
            else if (const auto moment = column.day_first ? iso_day(v, *column.day_first)
                                         : column.moments ? iso_moment(v)
                                                          : std::nullopt)
                v = moment->text;
        }
        write(r, std::to_string(++row));
    });
}

inline std::string quantity(std::int64_t n, const char* one, const char* more) {
    return std::to_string(n) + (n == 1 ? one : more);
}

inline std::string text_table::units_said() const {
    std::string list;
    for (std::size_t i = 0; i < std::min(form.units.size(), form.names.size()); ++i)
        if (!form.units[i].empty()) list += (list.empty() ? "" : ", ") + form.names[i] + " " + form.units[i];
    return list.empty() ? "a row of formats left out" : "a row of units left out: " + list;
}

inline std::string text_table::told() const {
    std::string said;
    const auto add = [&](const std::string& text) { said += (said.empty() ? "" : "; ") + text; };
    if (form.encoding != "UTF-8")
        add("read as " + form.encoding);
    else if (foreign > 0 && native == 0 && !too_large)
        add("read as CP1252");
    if (form.preamble > 0)
        add(quantity(form.preamble, " line", " lines") + " before the " + (form.header ? "names" : "rows") +
            " left out");
    if (form.header && !form.doubted.empty()) add("the first row, '" + form.doubted + "', taken for names");
    if (!form.units.empty()) add(units_said());
    if (!notes.empty() && !too_large) {
        const auto text = std::find_if(notes.begin(), notes.end(), [](const auto& n) { return !n.front().empty(); });
        add(quantity(static_cast<std::int64_t>(notes.size()), " line", " lines") + " below the rows left out" +
            (text == notes.end() ? ", empty" : ": '" + text->front() + "'"));
    }
    if (numbered) add("a column 'row' added to the only one");
    std::string padded;
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i].padded && !columns[i].type) padded += (padded.empty() ? "'" : ", '") + form.names[i] + "'";
    if (!padded.empty()) add("blanks around values left out: " + padded);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& c = columns[i];
        if (c.style)
            add("'" + form.names[i] + "': numbers with " +
                (c.style->point != ','      ? "separators"
                 : c.type->first == OFTReal ? "a decimal comma"
                                            : "points between thousands") +
                " read");
        if (c.day_first)
            add("'" + form.names[i] + "': days such as '" + c.example + "' read, the " +
                (*c.day_first ? "day" : "month") + " first");
        if (c.cut) add("'" + form.names[i] + "': seconds read to milliseconds");
        if (c.missing > 0)
            add("'" + form.names[i] + "': " + std::to_string(c.missing) + " values such as '" + c.mark +
                "' read as null");
    }
    if (too_large)
        add("larger than 1 GiB: encoding, lines before the names and numbers with separators left as they are");
    return said;
}

inline std::vector<std::string> text_table::cautions() const {
    std::vector<std::string> all;
    if (filled(form.units) > 0) all.push_back(units_said());
    if (!form.above.empty())
        all.push_back("the lines above the names from '" + form.above +
                      "' on look like another table and are left out: vector_convert with header_row: " +
                      std::to_string(form.above_line) + " reads it");
    if (form.row_names)
        all.push_back("the line of names has " + std::to_string(form.names.size() - 1) + " for " +
                      std::to_string(form.names.size()) +
                      " columns: they are those after the first, which names the rows, as R writes it; if they are "
                      "not, write a name above each column");
    if (form.header && form.doubtful_header)
        all.push_back("the first row '" + form.doubted +
                      "' is taken for names of columns: if it is data, write a line of names above it");
    if (!form.header && !form.doubted.empty())
        all.push_back("the first row '" + form.doubted +
                      "' counts as data: if it holds names of columns, vector_convert with header_row: 1 reads them");
    if (cut)
        all.push_back("the last line, " + std::to_string(cut->line) + ", has " +
                      quantity(static_cast<std::int64_t>(cut->values), " value", " values") + " of " +
                      std::to_string(form.names.size()) +
                      " and no line end: the file may be cut off there, compare it with its source");
    if (ragged > 0)
        all.push_back(quantity(ragged, " row has", " rows have") +
                      " values beyond the last column, which are not read: check the separator and the line of names");
    if (!too_large && stray > 0)
        all.push_back(quantity(stray, " row has", " rows have") +
                      " a quote that neither opens nor closes a value; it is kept as text, and each line is a row");
    if (too_large && indented > 0)
        all.push_back(
            quantity(indented, " value has a quote", " values have quotes") +
            " after a blank, which GDAL takes for text since 3.9, with any comma inside for a separator: write "
            "the table without these blanks");
    if (!too_large && foreign > 0 && told_utf8)
        all.push_back(quantity(foreign, " value is", " values are") +
                      " not in UTF-8, which 'encoding' gives, and read as CP1252: give the true one");
    else if (!too_large && foreign > 0 && native > 0)
        all.push_back(quantity(foreign, " value is", " values are") + " not in UTF-8 as " + std::to_string(native) +
                      " others are, and read as CP1252: check the accents, or give 'encoding' to "
                      "vector_convert");
    if (form.encoding == "CP850" || form.encoding == "MACINTOSH")
        all.push_back("its letters are read as " + form.encoding +
                      ", which is not declared: check the accents, or give 'encoding' to vector_convert");
    const auto second =
        std::find_if(notes.begin(), notes.end(), [](const record& n) { return n.size() > 1 && filled(n) == n.size(); });
    if (!too_large && second != notes.end())
        all.push_back("the " + quantity(notes.end() - second, " line", " lines") + " below the rows from '" +
                      joined(*second) +
                      "' on are a second table, which is not read: for it, write it to a file of its own");
    for (auto n = notes.begin(); n != second; ++n)
        if (const auto& note = n->front();
            !too_large && !note.empty() && !is_note(note) && !is_rule(note) && note.find(' ') == std::string::npos)
            all.push_back(
                "the line '" + note +
                "' below the rows is left out as a note: if it is a row, give it the separators of the others");
    if (!too_large && nul > 0)
        all.push_back(quantity(nul, " value holds a NUL byte, which is", " values hold NUL bytes, which are") +
                      " left out: the file may be damaged");
    std::map<std::string, std::vector<std::size_t>> alike;  // columns that stay text, by why they do
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& c = columns[i];
        if (!c.doubtful.empty())
            all.push_back(
                "'" + form.names[i] + "': '" + c.doubtful +
                "' is read with three decimals; if its mark separates thousands, these numbers are 1000 times "
                "too small: vector_convert with types {\"" +
                form.names[i] + "\": \"String\"} keeps the text for vector_calc's replace and number");
        if (c.type || c.looks == look::other) continue;
        alike[c.looks == look::day ? c.order.said("d") : c.text_reason()].push_back(i);
    }
    for (const auto& [why, which] : alike) {
        const auto& first = columns[which.front()];
        std::vector<std::string> names;
        for (const auto i : which) names.push_back(form.names[i]);
        all.push_back(names_of_some(names) + (which.size() == 1 ? " stays text: '" : " stay text: '") + first.example +
                      "' and " +
                      (first.looks == look::day ? "the like are days" + first.order.said(names.front())
                                                : why + "; vector_calc's replace and number make numbers of them"));
    }
    if (!form.ewkt.empty())
        all.push_back("'" + form.ewkt + "' holds geometries with their SRID (EWKT), which are read as text: " +
                      // GDAL takes a column of that name for the geometries whatever it holds.
                      (EQUAL(form.ewkt.c_str(), "WKT")
                           ? "take 'SRID=…;' out of the file"
                           : "vector_calc with {\"WKT\": \"replace(" + form.ewkt +
                                 ", 'SRID=…;', '')\"} into a .csv makes geometries of them"));
    if (!total.empty()) all.push_back(caution_of_total(total));
    return all;
}

}  // namespace gdalmcp::gdal::detail
