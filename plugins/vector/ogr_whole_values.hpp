// What is said where features are cut and their pieces keep their attributes.
#pragma once
#include <gdalmcp/tool.hpp>

#include <initializer_list>
#include <string>

class OGRFeatureDefn;

namespace gdalmcp_vector {

// Warns that the pieces carry numbers of the whole features: with `pieces` as the subject, the first of the fields that
// may be totals named. Nothing where no field may be one.
void warn_of_whole_values(gdalmcp::call&, const std::string& pieces,
                          std::initializer_list<const OGRFeatureDefn*> layers);

}  // namespace gdalmcp_vector
