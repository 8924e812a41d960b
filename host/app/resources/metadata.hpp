// metadata://{file}/{aspect}: the results of the metadata tools for a dataset, as a resource.
#pragma once
#include <optional>
#include <string>

#include "app/resources/reader.hpp"

namespace gdalmcp::app {

// aspect: raster (raster_info), bands (its bands), vector (vector_info), statistics (raster_stats), format (the driver
// and what it can do). `file` is spelled as for a tool. Errors: those of the tools; not_found for another aspect and
// for a tool that is not offered here.
contents read_metadata(const reading& q);

// The `file` of such a URI; nothing for other URIs.
std::optional<std::string> file_of_metadata(std::string_view uri);

}  // namespace gdalmcp::app
