#include "ogr_table_head.hpp"

#include <gdalmcp/gdal.hpp>
#include <gdalmcp/gdal_table_form.hpp>
#include <gdalmcp/gdal_workbook.hpp>

#include <cstdio>
#include <vector>

namespace gdalmcp_vector {

namespace {

struct file_closer {
    void operator()(VSILFILE* f) const { VSIFCloseL(f); }
};
using file = std::unique_ptr<VSILFILE, file_closer>;

file opened(const std::string& path, const char* mode) {
    file f{VSIFOpenL(path.c_str(), mode)};
    if (!f) gdalmcp::gdal::raise("cannot open " + path);
    return f;
}

void write(VSILFILE& to, const char* bytes, std::size_t n) {
    if (n > 0 && VSIFWriteL(bytes, 1, n, &to) != n) gdalmcp::gdal::raise("cannot copy the table");
}

}  // namespace

void copy_table(const std::string& from, const std::string& to, int row) {
    const auto source = opened(from, "rb"), target = opened(to, "wb");
    if (row == 0) {
        const auto head = gdalmcp::gdal::detail::sniff(from);
        std::string names;
        for (std::size_t i = 0; i < head.names.size(); ++i)
            names += (i ? std::string{head.separator} : "") + "field_" + std::to_string(i + 1);
        names += '\n';
        write(*target, names.data(), names.size());
    }
    std::vector<char> block(1 << 20);
    int line = 1;
    for (std::size_t n; (n = VSIFReadL(block.data(), 1, block.size(), source.get())) > 0;) {
        std::size_t begin = 0;
        while (line < row && begin < n)
            if (block[begin++] == '\n') ++line;
        if (line >= row) write(*target, block.data() + begin, n - begin);
    }
    if (line < row)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "'header_row' is " + std::to_string(row) + ", but the table has " + std::to_string(line) +
                                 (line == 1 ? " line" : " lines"),
                             "give the line that holds the names of the columns, the first is 1"};
}

namespace {

// "26:15:00" of "PT26H15M00S", as ODS writes times and durations.
std::string clock_text(const std::string& text) {
    int hours = 0, minutes = 0, seconds = 0, read = 0;
    if (std::sscanf(text.c_str(), "PT%dH%dM%dS%n", &hours, &minutes, &seconds, &read) != 3 ||
        static_cast<std::size_t>(read) != text.size())
        return text;
    return CPLSPrintf("%02d:%02d:%02d", hours, minutes, seconds);
}

// "a","b ""c""" and the end of the line.
void write_record(VSILFILE& to, const std::vector<std::string>& values) {
    std::string line;
    for (std::size_t i = 0; i < values.size(); ++i) {
        line += i ? ",\"" : "\"";
        for (const char c : values[i]) line += c == '"' ? std::string{"\"\""} : std::string(1, c);
        line += '"';
    }
    line += '\n';
    write(to, line.data(), line.size());
}

}  // namespace

void copy_sheet(const gdalmcp::vector& from, const std::optional<std::string>& layer, const std::string& to, int row) {
    const CPLConfigOptionSetter names[] = {
        {"OGR_XLSX_HEADERS", "DISABLE", false},   {"OGR_ODS_HEADERS", "DISABLE", false},
        {"OGR_XLS_HEADERS", "DISABLE", false},    {"OGR_XLSX_FIELD_TYPES", "STRING", false},
        {"OGR_ODS_FIELD_TYPES", "STRING", false}, {"OGR_XLS_FIELD_TYPES", "STRING", false}};
    // The one that the host opened may have taken the first row for names.
    static_cast<void>(gdalmcp::gdal::detail::take_open(from.path, GDAL_OF_VECTOR));
    const auto source = [&] {
        const gdalmcp::gdal::quiet known;  // that the first row holds no names
        return gdalmcp::gdal::open(from);
    }();
    const std::string driver = source->GetDriverName();
    if (driver != "XLSX" && driver != "ODS" && driver != "XLS")
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "'header_row' is for text tables and spreadsheets, and " + from.path + " is " + driver,
                             "leave it out"};
    auto& sheet = [&]() -> OGRLayer& {
        const gdalmcp::gdal::quiet known;
        return gdalmcp::gdal::layer_of(*source, layer);
    }();
    if (driver == "XLSX") {
        gdalmcp::gdal::detail::caution_of_cells(gdalmcp::gdal::detail::repair_of(from.path), sheet);
        gdalmcp::gdal::take_layer(*source, sheet);
    }
    const auto& defn = *sheet.GetLayerDefn();
    const auto target = opened(to, "wb");
    const auto columns = static_cast<std::size_t>(defn.GetFieldCount());
    std::vector<std::string> values(columns);
    if (row == 0) {
        for (std::size_t i = 0; i < columns; ++i) values[i] = "field_" + std::to_string(i + 1);
        write_record(*target, values);
    }
    int line = 0;
    while (const OGRFeatureUniquePtr f{sheet.GetNextFeature()}) {
        if (++line < row) continue;
        for (std::size_t i = 0; i < columns; ++i) values[i] = clock_text(f->GetFieldAsString(static_cast<int>(i)));
        write_record(*target, values);
    }
    if (line < row)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "'header_row' is " + std::to_string(row) + ", but sheet '" + sheet.GetName() + "' has " +
                                 std::to_string(line) + (line == 1 ? " row" : " rows"),
                             "give the row that holds the names of the columns, the first is 1"};
}

}  // namespace gdalmcp_vector
