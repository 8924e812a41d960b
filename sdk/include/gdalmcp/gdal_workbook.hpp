// gdalmcp/gdal_workbook.hpp — what GDAL's XLSX driver does not see in a workbook: formats of dates other than "yy",
// "dd" and "hh", durations, dates counted from 1904 and those before March 1900, zeros that a format writes before a
// number, formulas without a result, merged cells. Where it would read
// something else, it is given a copy in memory with formats it knows. Used by gdal_open.hpp. Source: ECMA-376, part
// 1, 18.8.30 and 18.17.4.
#pragma once
#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdalmcp/gdal_table_records.hpp>
#include <gdalmcp/gdal_undeclared.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gdalmcp::gdal::detail {

inline std::string file_text(const std::string& path) {
    const file_handle f{VSIFOpenL(path.c_str(), "rb")};
    std::string text;
    for (std::size_t had = 0; f; had = text.size()) {
        text.resize(had + (1 << 20));
        text.resize(had + VSIFReadL(text.data() + had, 1, 1 << 20, f.get()));
        if (text.size() == had) break;
    }
    return text;
}

// The value of an attribute of an element: "<xf numFmtId="22" …" and numFmtId give 22.
inline std::optional<std::string> attribute_of(std::string_view element, const std::string& name) {
    const auto at = element.find(" " + name + "=\"");
    if (at == std::string_view::npos) return std::nullopt;
    const auto from = at + name.size() + 3, to = element.find('"', from);
    if (to == std::string_view::npos) return std::nullopt;
    return std::string{element.substr(from, to - from)};
}

// Calls `change` for every start tag of that name in an XML text, and returns the text with what it returns instead.
inline std::string with_tags(const std::string& text, const std::string& name,
                             const std::function<std::string(const std::string&)>& change) {
    std::string out;
    std::size_t done = 0;
    for (std::size_t at = 0; (at = text.find("<" + name + " ", at)) != std::string::npos;) {
        const auto end = text.find('>', at);
        if (end == std::string::npos) break;
        out.append(text, done, at - done);
        out += change(text.substr(at, end - at + 1));
        done = at = end + 1;
    }
    return out.append(text, done, std::string::npos);
}

enum class number_format { number, date, time, moment, duration };

inline number_format format_kind(bool day, bool clock) {
    return day     ? clock ? number_format::moment : number_format::date
           : clock ? number_format::time
                   : number_format::number;
}

// What a format code shows. Text in quotes and in brackets shows no part of a date, but [h] hours beyond a day.
inline number_format shown_by(const std::string& code) {
    bool day = false, clock = false;
    for (std::size_t i = 0; i < code.size() && code[i] != ';'; ++i) {
        const char c = code[i];
        if (code.compare(i, 6, "&quot;") == 0) {
            i = std::min(code.find("&quot;", i + 6), code.size() - 6) + 5;
        } else if (c == '\\' || c == '_' || c == '*') {
            ++i;
        } else if (c == '[') {
            const auto end = code.find(']', i);
            if (i + 1 < code.size() && std::string{"hHmMsS"}.find(code[i + 1]) != std::string::npos &&
                (code.find_first_not_of(code[i + 1], i + 1) == end))
                return number_format::duration;
            if (end == std::string::npos) break;
            i = end;
        } else if (EQUALN(code.c_str() + i, "General", 7)) {
            i += 6;
        } else {
            day = day || c == 'y' || c == 'Y' || c == 'd' || c == 'D';
            clock = clock || c == 'h' || c == 'H' || c == 's' || c == 'S';
        }
    }
    return format_kind(day, clock);
}

// What GDAL 3.6 takes it for.
inline number_format seen_by_gdal(const std::string& code) {
    const auto has = [&](const char* part) { return code.find(part) != std::string::npos; };
    return format_kind(has("YY") || has("yy") || has("DD") || has("dd"), has("HH") || has("hh"));
}

struct workbook_repair {
    std::map<std::string, std::string> members{};  // rewritten, by their names in the archive
    bool shifted = false;
    struct lost_cells {
        bool durations = false;
        std::int64_t halves = 0;  // cells that show a day or a time alone, and hold both
        std::string first_half{};
        std::string padded{};    // the first number whose format writes zeros before it, and its cell
        std::size_t digits = 0;  // that it is shown with

        std::int64_t without_result = 0;  // formulas
        std::int64_t merged = 0;          // areas of merged cells over several rows
        std::string first_merged{};       // such as A3:A7
    };
    std::map<std::string, lost_cells> sheets{};  // by name
};

class workbook_styles {
public:
    explicit workbook_styles(const std::string& text) {
        text_ = with_tags(text, "numFmt", [&](const std::string& tag) {
            const auto code = attribute_of(tag, "formatCode").value_or(""),
                       id = attribute_of(tag, "numFmtId").value_or("");
            const auto kind = kinds_[id] = shown_by(code);
            if (code.size() > 1 && code.find_first_not_of('0') == std::string::npos) padding_[id] = code.size();
            if (kind == seen_by_gdal(code)) return tag;
            constexpr const char* known[] = {"0.00", "yyyy-mm-dd", "hh:mm:ss", "yyyy-mm-dd hh:mm:ss", "0.00"};
            changed = true;
            return "<numFmt numFmtId=\"" + id + "\" formatCode=\"" + known[static_cast<int>(kind)] + "\"" +
                   (tag[tag.size() - 2] == '/' ? "/>" : ">");
        });
        for (const char* id : {"14", "15", "16", "17", "22"}) kinds_[id] = number_format::date;
        for (const char* id : {"18", "19", "20", "21"}) kinds_[id] = number_format::time;
        kinds_["46"] = number_format::duration;
        // Formats of East Asian locales that are not written down; of these the language tells day from time of day.
        for (const int id : {27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58}) unwritten(id, number_format::date);
        for (const int id : {32, 33}) unwritten(id, number_format::time);
        for (const int id : {34, 35, 55, 56}) unwritten(id, number_format::moment);
        const auto from = text_.find("<cellXfs"), to = text_.find("</cellXfs>");
        if (from == std::string::npos || to == std::string::npos) return;
        int style = 0;
        const auto cells = with_tags(text_.substr(from, to - from), "xf", [&](std::string tag) {
            const auto id = attribute_of(tag, "numFmtId").value_or("0");
            const auto kind = kinds_[id];
            const auto number = std::to_string(style++);
            if (kind == number_format::date || kind == number_format::moment) dates.insert(number);
            if (kind == number_format::date && id != "22") days.insert(number);
            if (kind == number_format::time) clocks.insert(number);
            if (kind == number_format::duration) durations.insert(number);
            if (const auto padded = padding_.find(id); padded != padding_.end()) padding[number] = padded->second;
            // GDAL takes 46, [h]:mm:ss, for a time of day, and does not know the others.
            const auto known = id == "46" ? std::string{"2"} : unwritten_.contains(id) ? unwritten_.at(id) : "";
            if (known.empty()) return tag;
            changed = true;
            const auto own = "numFmtId=\"" + id + "\"";
            return tag.replace(tag.find(own), own.size(), "numFmtId=\"" + known + "\"");
        });
        text_.replace(from, to - from, cells);
    }
    const std::string& text() const { return text_; }
    // Styles of cells that show one; days without a time, clocks without a day.
    std::set<std::string> dates{}, days{}, clocks{}, durations{};
    std::map<std::string, std::size_t>
        padding{};  // those of whole numbers with zeros before them, up to so many digits
    bool changed = false;

private:
    void unwritten(int number, number_format kind) {
        const auto id = std::to_string(number);
        if (!kinds_.try_emplace(id, kind).second) return;  // the workbook says what it is
        unwritten_[id] = kind == number_format::date ? "14" : kind == number_format::time ? "21" : "22";
    }
    std::string text_;
    std::map<std::string, number_format> kinds_;
    std::map<std::string, std::string> unwritten_{};  // formats by number, and those of the same kind that GDAL knows
    std::map<std::string, std::size_t> padding_{};    // digits
};

// The part of a cell up to its end; false: it has no value between <v> and </v>.
inline bool value_of_cell(const std::string& sheet, std::size_t cell, std::size_t& from, std::size_t& to) {
    const auto end = std::min(sheet.find("</c>", cell), sheet.size());
    from = sheet.find("<v>", cell);
    if (from == std::string::npos || from >= end) return false;
    to = sheet.find("</v>", from += 3);
    return to != std::string::npos && to > from;
}

inline std::int64_t formulas_without_result(const std::string& sheet) {
    std::int64_t n = 0;
    for (std::size_t at = 0; (at = sheet.find("<f", at)) != std::string::npos; at += 2) {
        if (sheet[at + 2] != '>' && sheet[at + 2] != ' ' && sheet[at + 2] != '/') continue;
        std::size_t from = 0, to = 0;
        n += !value_of_cell(sheet, at, from, to);
    }
    return n;
}

// Of an area of merged cells the first one has the value; an area along one row is most often a title.
inline void count_merged(const std::string& sheet, workbook_repair::lost_cells& into) {
    static_cast<void>(with_tags(sheet, "mergeCell", [&](const std::string& tag) {
        const auto area = attribute_of(tag, "ref").value_or("");
        const auto row = [&](std::size_t from) {
            const auto at = area.find_first_of("0123456789", from);
            return at == std::string::npos ? 0 : std::atoi(area.c_str() + at);
        };
        const auto colon = area.find(':');
        if (colon != std::string::npos && row(colon) > row(0) && ++into.merged == 1) into.first_merged = area;
        return std::string{};
    }));
}

// Calls `change` for every cell of a number with its start tag and its value, and returns the sheet with the values it
// returns instead.
inline std::string with_numbers(const std::string& sheet,
                                const std::function<std::string(std::string_view, const std::string&)>& change) {
    std::string out;
    std::size_t done = 0;
    for (std::size_t at = 0; (at = sheet.find("<c ", at)) != std::string::npos;) {
        const auto tag_end = sheet.find('>', at);
        if (tag_end == std::string::npos) break;
        const auto tag = std::string_view{sheet}.substr(at, tag_end - at);
        std::size_t from = 0, to = 0;
        const bool number = attribute_of(tag, "t").value_or("n") == "n" && tag.back() != '/';
        if (number && value_of_cell(sheet, at, from, to)) {
            out.append(sheet, done, from - done);
            out += change(tag, sheet.substr(from, to - from));
            done = to;
        }
        at = tag_end;
    }
    return out.append(sheet, done, std::string::npos);
}

// The sheet with days counted from 1899-12-30, as GDAL does. From 1904-01-01 there are 1462 fewer; before March 1900
// there is one fewer, since the 29th of February 1900 is a day to spreadsheets. Notes what formats show of numbers.
inline std::string read_as_shown(const std::string& sheet, const workbook_styles& styles, bool from_1904,
                                 workbook_repair::lost_cells& lost) {
    return with_numbers(sheet, [&](std::string_view tag, const std::string& value) {
        const auto style = attribute_of(tag, "s").value_or("");
        lost.durations = lost.durations || styles.durations.contains(style);
        const auto padded = styles.padding.find(style);
        if (padded != styles.padding.end() && lost.padded.empty() && value.size() < padded->second) {
            lost.padded = value + " in " + attribute_of(tag, "r").value_or("");
            lost.digits = padded->second;
        }
        const double serial = CPLAtof(value.c_str());
        const bool half = styles.days.contains(style)     ? serial != std::floor(serial)
                          : styles.clocks.contains(style) ? serial >= 1
                                                          : false;
        if (half && lost.halves++ == 0) lost.first_half = attribute_of(tag, "r").value_or("");
        if (!styles.dates.contains(style)) return value;
        const double more = from_1904 ? 1462 : serial >= 1 && serial < 60 ? 1 : 0;
        return more > 0 ? CPLSPrintf("%.15g", serial + more) : value;
    });
}

// A text without the elements of that name, start tag to end tag.
inline std::string without(const std::string& text, const std::string& name) {
    std::string out;
    std::size_t done = 0;
    for (std::size_t at = 0; (at = text.find("<" + name, at)) != std::string::npos;) {
        const auto after = text.substr(at + name.size() + 1, 1);
        const auto end = after == " " || after == ">" ? text.find("</" + name + ">", at) : std::string::npos;
        if (end == std::string::npos) {
            ++at;
            continue;
        }
        out.append(text, done, at - done);
        at = done = end + name.size() + 3;
    }
    return out.append(text, done, std::string::npos);
}

// A sheet whose inline strings have one run each: GDAL reads no other than the first.
inline std::string with_joined_runs(const std::string& sheet) {
    std::string out;
    std::size_t done = 0;
    for (std::size_t at = 0; (at = sheet.find("<is>", done)) != std::string::npos;) {
        const auto end = sheet.find("</is>", at);
        if (end == std::string::npos) break;
        const auto inside = without(sheet.substr(at, end - at), "rPh");
        std::string text;
        for (std::size_t t = 0; (t = inside.find("<t", t)) != std::string::npos;) {
            const auto from = inside.find('>', t), to = inside.find("</t>", t);
            if (from == std::string::npos) break;
            if (to != std::string::npos && from < to && (inside[t + 2] == '>' || inside[t + 2] == ' '))
                text += inside.substr(from + 1, to - from - 1);
            t = from;
        }
        out.append(sheet, done, at - done);
        out += "<is><t>" + text + "</t>";
        done = end;
    }
    return out.append(sheet, done, std::string::npos);
}

// The names of sheets by their members of the archive: xl/worksheets/sheet1.xml.
inline std::map<std::string, std::string> sheet_names(const std::string& book, const std::string& relations) {
    std::map<std::string, std::string> targets, names;
    static_cast<void>(with_tags(relations, "Relationship", [&](const std::string& tag) {
        const auto target = attribute_of(tag, "Target").value_or("");
        targets[attribute_of(tag, "Id").value_or("")] = target.starts_with('/') ? target.substr(1) : "xl/" + target;
        return std::string{};
    }));
    static_cast<void>(with_tags(book, "sheet", [&](const std::string& tag) {
        char* name = CPLUnescapeString(attribute_of(tag, "name").value_or("").c_str(), nullptr, CPLES_XML);
        names[targets[attribute_of(tag, "r:id").value_or("")]] = name;
        CPLFree(name);
        return std::string{};
    }));
    return names;
}

inline workbook_repair repair_of(const std::string& path) {
    workbook_repair repair;
    const auto member = [&](const std::string& name) { return file_text("/vsizip/{" + path + "}/" + name); };
    const workbook_styles styles{member("xl/styles.xml")};
    if (styles.changed) repair.members["xl/styles.xml"] = styles.text();
    // Readings of Japanese texts, which GDAL appends to them.
    if (const auto texts = member("xl/sharedStrings.xml"); texts.find("<rPh") != std::string::npos)
        repair.members["xl/sharedStrings.xml"] = without(texts, "rPh");
    const auto book = member("xl/workbook.xml");
    const auto at = book.find("<workbookPr");
    const auto since = at == std::string::npos
                           ? std::optional<std::string>{}
                           : attribute_of(std::string_view{book}.substr(at, book.find('>', at) - at), "date1904");
    repair.shifted = since && (*since == "1" || *since == "true");
    auto sheets = sheet_names(book, member("xl/_rels/workbook.xml.rels"));
    const CPLStringList names{VSIReadDirRecursive(("/vsizip/{" + path + "}").c_str())};
    for (int i = 0; i < names.Count(); ++i) {
        const std::string name = names[i];
        if (!name.starts_with("xl/worksheets/") || !EQUAL(CPLGetExtension(name.c_str()), "xml")) continue;
        auto sheet = member(name);
        auto& lost = repair.sheets[sheets[name]];
        lost.without_result = formulas_without_result(sheet);
        count_merged(sheet, lost);
        auto shown = sheet.find("<is><r") == std::string::npos ? sheet : with_joined_runs(sheet);
        if (!styles.dates.empty() || !styles.clocks.empty() || !styles.durations.empty() || !styles.padding.empty())
            shown = read_as_shown(shown, styles, repair.shifted, lost);
        if (shown != sheet) repair.members[name] = std::move(shown);
    }
    return repair;
}

// The content of an ODS without its comments, which GDAL takes for text of their cells, and with the blanks that stand
// there as elements, which it leaves out. Source: OpenDocument 1.3, part 3, 6.1.3.
inline workbook_repair repair_of_ods(const std::string& path) {
    workbook_repair repair;
    const auto content = file_text("/vsizip/{" + path + "}/content.xml");
    auto text = without(content, "office:annotation");
    text = with_tags(text, "text:s", [](const std::string& tag) {
        constexpr int most = 1000;
        const int n = std::atoi(attribute_of(tag, "text:c").value_or("1").c_str());
        return tag.ends_with("/>") ? std::string(static_cast<std::size_t>(std::clamp(n, 1, most)), ' ') : tag;
    });
    for (std::size_t at = 0; (at = text.find("<text:s/>", at)) != std::string::npos;) text.replace(at, 9, " ");
    if (text != content) repair.members["content.xml"] = std::move(text);
    return repair;
}

// What is lost of the cells of a sheet, whatever GDAL makes of the rest.
inline void caution_of_cells(const workbook_repair& repair, OGRLayer& layer) {
    const auto found = repair.sheets.find(layer.GetName());
    if (found == repair.sheets.end()) return;
    const auto& lost = found->second;
    const auto sheet = " of sheet '" + found->first + "'";
    if (lost.durations) caution_of(layer, "durations" + sheet + " are read as numbers of days");
    if (lost.halves > 0)
        caution_of(layer, std::to_string(lost.halves) + (lost.halves == 1 ? " cell" : " cells") + sheet +
                              ", the first " + lost.first_half + ", " + (lost.halves == 1 ? "holds" : "hold") +
                              " a day with a time, of which only the part that the format shows is read: give the "
                              "column a format with both");
    if (!lost.padded.empty())
        caution_of(layer, "numbers" + sheet + " such as " + lost.padded + " are shown with " +
                              std::to_string(lost.digits) +
                              " digits and read without the zeros before them: of a field " +
                              "zip, vector_calc makes such codes with right(concat('" + std::string(lost.digits, '0') +
                              "', text(zip)), " + std::to_string(lost.digits) + ")");
    if (lost.without_result > 0)
        caution_of(layer, std::to_string(lost.without_result) +
                              (lost.without_result == 1
                                   ? " cell" + sheet + " holds a formula without a result, which is read as null"
                                   : " cells" + sheet + " hold formulas without a result, which are read as null") +
                              ": open the workbook in a spreadsheet program and save it, which computes them");
    if (lost.merged > 0)
        caution_of(layer, std::to_string(lost.merged) +
                              (lost.merged == 1 ? " area of merged cells" + sheet + " spans"
                                                : " areas of merged cells" + sheet + " span") +
                              " several rows, the first " + lost.first_merged +
                              ": its value is read in its first cell, the others are null");
}

// The workbook with other members of these names.
inline void write_repaired(const std::string& path, const workbook_repair& repair, const std::string& to) {
    void* zip = CPLCreateZip(to.c_str(), nullptr);
    if (!zip) return;
    const CPLStringList found{VSIReadDirRecursive(("/vsizip/{" + path + "}").c_str())};
    std::vector<std::string> names{found.List(), found.List() + found.Count()};
    // By the first member, uncompressed, an ODS is known.
    std::stable_partition(names.begin(), names.end(), [](const auto& name) { return name == "mimetype"; });
    CPLStringList stored;
    stored.SetNameValue("COMPRESSED", "NO");
    for (const auto& name : names) {
        if (name.ends_with('/')) continue;
        const auto own = repair.members.find(name);
        const auto text = own == repair.members.end() ? file_text("/vsizip/{" + path + "}/" + name) : own->second;
        if (CPLCreateFileInZip(zip, name.c_str(), name == "mimetype" ? stored.List() : nullptr) != CE_None) break;
        CPLWriteFileInZip(zip, text.data(), static_cast<int>(text.size()));
        CPLCloseFileInZip(zip);
    }
    CPLCloseZip(zip);
}

}  // namespace gdalmcp::gdal::detail
