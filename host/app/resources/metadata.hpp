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

// What a tool that takes `uri` alone says of a dataset. Errors: the tool's; not_found if it is not offered here.
base::result<json::object> info_of(host& h, const char* tool, const std::string& file,
                                   const runner::cancellation& cancel);

// The `file` of such a URI; nothing for other URIs.
std::optional<std::string> file_of_metadata(std::string_view uri);

}  // namespace gdalmcp::app
