// The caller's options for a dataset and layer to create: each must be one of the driver's. GDAL itself ignores unknown
// ones.
#pragma once
#include <string>
#include <vector>

#include "ogr_format.hpp"

namespace gdalmcp_vector {

// KEY=VALUE each.
struct layer_options {
    std::vector<std::string> dataset, layer;
};

// `given`: KEY=VALUE. Refused: a key the driver does not have (with its list), a value outside of its list, and options
// that change what is written or name files.
layer_options read_options(const format&, const std::vector<std::string>& given);

}  // namespace gdalmcp_vector
