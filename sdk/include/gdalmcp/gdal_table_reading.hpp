// gdalmcp/gdal_table_reading.hpp — how a caller wants a text table (CSV, TSV) read. Included by gdal_open.hpp; standard
// library only.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace gdalmcp::gdal {

// What a caller tells of a text table, instead of what would be found in it.
struct table_reading {
    std::string encoding{};              // a name iconv knows; "": found
    std::optional<bool> names_first{};   // the first line holds the names of the columns, or there are none
    std::vector<std::string> as_text{};  // columns that keep their text as it is
    bool empty_is_null = false;          // an empty text is none
    bool of_sheet = false;  // cells of a sheet, between commas, which tell nothing of how numbers are written

    bool operator==(const table_reading&) const = default;
};

}  // namespace gdalmcp::gdal
