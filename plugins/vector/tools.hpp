// tools.hpp — the tools of the bundle vector, each defined in the file of its name.
#pragma once
#include <gdalmcp/tool.hpp>

namespace gdalmcp_vector {

extern const gdalmcp::tool vector_buffer, vector_clip, vector_convert, vector_dissolve, vector_info, vector_join,
    vector_measure, vector_overlay, vector_query, vector_reproject;

}  // namespace gdalmcp_vector
