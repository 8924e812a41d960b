// Who else has a say before a call runs: a person, where the policy wants one's word, and the client's own model, which
// reads a fresh reason against the call.
#pragma once
#include <mutex>
#include <set>
#include <string>

#include "app/call/client.hpp"
#include "app/call/outcome.hpp"
#include "reflection/gate.hpp"

namespace gdalmcp::app {

struct review {
    json::object requests;                 // still to be answered by the client, by name
    json::object answers;                  // domain -> what the person gave as a reason
    std::optional<base::problem> refused;  // the person declined, or the second look found the reason wanting
    std::vector<std::pair<std::string, std::string>> notes;  // domain, what its receipt should say
};

// Whether a question of this name is one of those below: a tool's own must not be.
bool is_gate_question(std::string_view name);

// Asks a person for every blocked domain that wants one, if nothing else blocks and the client can show a form. A form
// that was put away without an answer asks nothing again: the call stays blocked.
review ask_person(const reflection::verdict& v, const std::string& tool, const client& asker);

// Reasons that were looked at and found to hold, by the digest of their records. Thread-safe.
class second_looks {
public:
    // For the domains whose policy wants it, where the client offers its model (sampling). Without it the call goes on,
    // and its receipt says so.
    review look(const reflection::verdict& v, const reflection::call& c, const client& asker);

private:
    std::mutex guard_;
    std::set<std::string> passed_;
};

}  // namespace gdalmcp::app
