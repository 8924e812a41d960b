// The findings of `gdal-mcp bundle check` about a bundle.
#pragma once
#include <string>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

enum class verdict { ok, note, warning, failure };

// One finding of one check about one subject: a file, a tool, an argument.
struct finding {
    std::string check;    // "manifest", "odd input", …
    std::string subject;  // "raster_slope", "prompts/p.md"
    app::verdict verdict = app::verdict::ok;
    std::string message;
    std::string hint;  // may be empty
};

struct check_report {
    std::string bundle;   // its absolute path
    std::string samples;  // the folder that the calls in the findings read; empty: removed after the check
    std::vector<finding> findings;

    std::size_t count(app::verdict v) const;
    // 0: no failure; 3: a failure, or with `strict` a warning.
    int exit_code(bool strict) const;
    json::object text()
        const;  // {bundle, samples, ok, failures, warnings, notes, findings: [{check, subject, verdict, …}]}
};

// For a terminal: findings by subject, and the number of checks passed.
std::string readable(const check_report& r);

}  // namespace gdalmcp::app
