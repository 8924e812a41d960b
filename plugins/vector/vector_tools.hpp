// The tools of this bundle, for its table.
#pragma once
#include <gdalmcp/abi.h>

namespace gdalmcp_vector {

const gdalmcp_tool* vector_info();
const gdalmcp_tool* vector_query();
const gdalmcp_tool* vector_reproject();

}  // namespace gdalmcp_vector
