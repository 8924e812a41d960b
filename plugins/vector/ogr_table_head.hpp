// A text table whose names are not in its first line, as one whose names are.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <optional>
#include <string>

namespace gdalmcp_vector {

// Copies the table at `from` to `to`, from line `row` on (from 1); 0: it has no names, and gets field_1, field_2, ….
// Throws gdalmcp::error when it has fewer lines.
void copy_table(const std::string& from, const std::string& to, int row);

// Copies the values of a sheet of a spreadsheet (XLSX, ODS, XLS) as text into a CSV, in the same way. layer: nullopt:
// the only one. Throws for other formats.
void copy_sheet(const gdalmcp::vector& from, const std::optional<std::string>& layer, const std::string& to, int row);

}  // namespace gdalmcp_vector
