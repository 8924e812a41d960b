// Inspection of stored reasons: `gdal-mcp reflect list|show|stats`. Each command returns the exit code.
#pragma once
#include <memory>
#include <string>

#include "app/call/host.hpp"

namespace gdalmcp::app {

using reason = std::shared_ptr<const reflection::found_record>;

// Those of one domain, or of all, by domain, newest first within it. Errors: unknown domain.
base::result<reflection::findings> reasons_of(const host& h, const std::string& domain);

// By its ref, its cache key, or the beginning of its digits. Errors: no match, or several.
base::result<reason> find_reason(const host& h, const std::string& name);

// Given for a wording of the question no longer in use, or in a domain no tool uses.
bool is_stale(const reflection::record& r, const reflection::specs& asked);

// The choice, as the text in the key.
std::string choice_of(const reflection::record& r);

int list_reasons(host& h, const std::string& domain, bool as_json);
int show_reason(host& h, const std::string& name, bool as_json);
int print_statistics(host& h, bool as_json);

}  // namespace gdalmcp::app
