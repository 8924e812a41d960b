// A text table whose names are not in its first line, as one whose names are.
#pragma once
#include <string>

namespace gdalmcp_vector {

// Copies the table at `from` to `to`, from line `row` on (from 1); 0: it has no names, and gets field_1, field_2, ….
// Throws gdalmcp::error when it has fewer lines.
void copy_table(const std::string& from, const std::string& to, int row);

}  // namespace gdalmcp_vector
