// ogr_field_marks.hpp — warns of numbers in the fields of a layer that mark missing values without being null, and of
// directions that are computed with as if they were plain numbers.
#pragma once
#include <gdalmcp/gdal_open.hpp>

#include <functional>
#include <string>
#include <vector>

#include "field_directions.hpp"
#include "field_marks.hpp"

namespace gdalmcp_vector {

// How a caller leaves marks out.
enum class marks_left_out {
    where,       // the tool's own
    before,      // by vector_query first
    expression,  // by the expression over the field
};

// A field as OGR SQL and the expressions name it: in double quotes where it is no word.
std::string field_reference(const std::string& name);

// {"mean", "sum"} -> "mean or sum of them"; {} -> "".
std::string any_of_them(const std::vector<std::string>& statistics);

// Warns if directions were found in the values of a field.
void warn_of_directions(gdalmcp::call& call, const std::string& field, const field_directions& seen,
                        const std::string& of_them);

// The values of some fields that a tool computes with.
class marked_fields {
public:
    marked_fields() = default;  // of no field
    // Of the numeric ones of these fields (indices), each once.
    marked_fields(OGRLayer& layer, const std::vector<int>& fields);

    void see(const OGRFeature& feature);
    // What to say of each mark. `meant`: whether the caller knows of it, and needs no warning.
    std::vector<std::string> said(
        marks_left_out how,
        const std::function<bool(const std::string& number)>& meant = [](const std::string&) { return false; }) const;
    // Warns of it.
    void tell(
        gdalmcp::call& call, marks_left_out how,
        const std::function<bool(const std::string& number)>& meant = [](const std::string&) { return false; }) const;

    // Warns of each field of directions. of_them: what is computed, as in "mean or sum of them"; "" = nothing that
    // counts.
    void tell_directions(gdalmcp::call& call, const std::string& of_them) const;

private:
    struct column {
        int index;
        std::string name;
        field_directions directions{};
        field_marks values{};
    };
    std::vector<column> columns_;
};

}  // namespace gdalmcp_vector
