// reference://…: what the field's registries say, and the words of our results.
#pragma once
#include "app/reading/reader.hpp"
#include "app/reading/resource_text.hpp"

namespace gdalmcp::app {

// reference://crs/list/{coverage}, crs/code/{code}, resampling/{method}, compression/{kind}, drivers/{kind},
// glossary/{term}. Errors: not_found naming what there is instead.
base::result<resource_text> read_reference(reader& from, const std::string& uri, const runner::cancellation& cancel);

// The terms of the glossary, in its order; empty when it cannot be read.
std::vector<std::string> glossary_terms(const host& h);

// What the registry's areas of use begin with, sorted: "Germany" of "Germany - onshore east of 10°30'E.".
std::vector<std::string> area_names(const std::vector<registered_crs>& all);

// NONE, DEFLATE, …: every compression a driver that writes rasters offers, in the order of the drivers.
std::vector<std::string> compressions(const format_registry& formats);

}  // namespace gdalmcp::app
