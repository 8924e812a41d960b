// The commands of the program except `serve`. Each returns the exit code.
#pragma once
#include <string>

#include "app/call/host.hpp"

namespace gdalmcp::app {

int print_version();
int list_tools(const host& h, bool as_json);

// Adds a token for the workspaces of the settings to the file they name, and prints it. The token itself is not stored.
int make_token(const configuration& c, const std::string& name, bool metrics);
int list_bundles(const host& h, bool verify, bool as_json);
int show_bundle(const host& h, const std::string& id);  // by id or folder name, also one in quarantine

// stdout: the structured result, or the problem, as one line of JSON. Gated like serve.
int call_tool(host& h, const std::string& tool, json::object arguments);

int run_doctor(const configuration& c);

// A session of this program with itself over MCP, shown step by step.
int run_demo(const std::string& folder);

}  // namespace gdalmcp::app
