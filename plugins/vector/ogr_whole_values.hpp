// What a number means for a part of a feature, and for several together, as its name tells.
#pragma once
#include <gdalmcp/tool.hpp>

#include <initializer_list>
#include <string>
#include <vector>

class OGRFeatureDefn;
class OGRFieldDefn;
class OGRLayer;

namespace gdalmcp_vector {

// Warns that arithmetic is `done` ("averaged") with a field that is called a code.
void warn_of_code(gdalmcp::call& call, const std::string& field, const std::string& done);

// Warns that a field is summed that is called a share, a density or a mean, whose sum over features is no total
// (pct_urban), or a code.
void warn_of_sum_of_rates(gdalmcp::call& call, const std::string& field);

// Warns that a field is averaged that is called a share, a density or a value per head (gdpPercap), of which the mean
// over features is that of a feature, not of what they are shares of, or a code.
void warn_of_mean_of_shares(gdalmcp::call& call, const std::string& field);

// Warns that a field is interpolated between its points that is called a code, or a total.
void warn_of_interpolated(gdalmcp::call& call, const std::string& field);

// Warns that a field that is called a total, of a layer of polygons, is written whole into each cell of a feature.
void warn_of_total_per_cell(gdalmcp::call& call, OGRLayer& layer, const std::string& field);

// "'pop', 'jobs', …": the first of the fields that may be totals, those called so before others. "" where none may be.
std::string names_of_totals(const std::vector<const OGRFieldDefn*>& fields);

// Warns that the pieces carry numbers of the whole features: with `pieces` as the subject, the first of the fields that
// may be totals named. Nothing where no field may be one.
void warn_of_whole_values(gdalmcp::call&, const std::string& pieces,
                          std::initializer_list<const OGRFeatureDefn*> layers);

}  // namespace gdalmcp_vector
