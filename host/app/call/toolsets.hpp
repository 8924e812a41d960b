// Toolsets: groups of tools that an operator admits and a session switches on and off.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "catalog/snapshot.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// By name: on or off. A toolset not listed keeps its state from the start of the session.
using toolset_switches = std::map<std::string, bool, std::less<>>;

// The switches of one session. Thread-safe.
class session_toolsets {
public:
    toolset_switches switches() const;
    void set(const std::string& name, bool on);

private:
    mutable std::mutex guard_;
    toolset_switches switches_;
};

bool is_on(const catalog::bundle& b, const toolset_switches& s);

// A call of the host's tool `toolsets`, with valid arguments: the toolsets the operator admits, or the named one, as
// {"toolsets": [{name, on, purpose?, tools}]}. Null session: nothing can be switched, as on the command line. Errors:
// invalid_argument, a name is missing; not_found, no such toolset; denied, the operator's --toolsets leave it out;
// unsupported, no session.
base::result<json::object> switch_toolsets(const catalog::snapshot& catalogue, session_toolsets* session,
                                           const json::object& arguments);

// Why an existing tool is not offered, and how to enable it. REQUIRES: its toolset is off.
base::problem toolset_is_off(const catalog::tool& t, std::string at);

}  // namespace gdalmcp::app
