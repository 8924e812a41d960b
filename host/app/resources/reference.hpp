// reference://…: the field's registries, and the glossary of our results.
#pragma once
#include "app/resources/reader.hpp"

namespace gdalmcp::app {

// The contents of reference://crs/list/{coverage}, resampling/{method}, compression/{kind}, drivers/{kind}, tool/{name}
// and glossary/{term}. Errors: not_found naming the existing values.
base::result<json::object> read_crs_list(const reading& q);
base::result<json::object> read_resampling(const reading& q);
base::result<json::object> read_compression(const reading& q);
base::result<json::object> read_drivers(const reading& q);
base::result<json::object> read_tool(const reading& q);
base::result<std::string> read_glossary(const reading& q);

// The terms of the glossary, in its order; empty when it cannot be read.
std::vector<std::string> glossary_terms(const host& h);

// The beginnings of the registry's areas of use, sorted: "Germany" of "Germany - onshore east of 10°30'E.".
std::vector<std::string> area_names(const std::vector<registered_crs>& all);

// NONE, DEFLATE, …: every compression a driver that writes rasters offers, in the order of the drivers.
std::vector<std::string> compressions(const format_registry& formats);

}  // namespace gdalmcp::app
