// `gdal-mcp replay`: makes an output again from its provenance, and compares.
#pragma once
#include <filesystem>

#include "app/configuration.hpp"

namespace gdalmcp::app {

struct replay_choices {
    std::filesystem::path file;  // an output, or the provenance record beside it
    std::filesystem::path into;  // a new or empty folder; DEFAULT: a new one beside `file`
    bool plan = false;           // print the steps, run nothing
    bool as_json = false;
};

// Prints each step with its outcome. Returns the exit code: 0, every step gave the same; 3, one did not, or was not
// run.
int replay(configuration c, const replay_choices& what);

}  // namespace gdalmcp::app
