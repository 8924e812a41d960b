// Reviews before a call runs: by a person, where the policy requires it, and by the client's model, which checks a
// fresh reason against the call.
#pragma once
#include <string>
#include <variant>

#include "app/call/client.hpp"
#include "app/call/outcome.hpp"
#include "base/bounded_cache.hpp"
#include "reflection/gate.hpp"

namespace gdalmcp::app {

struct review {
    json::object requests;                 // still to be answered by the client, by name
    json::object answers;                  // domain -> the person's reason
    json::object state;                    // to be kept until they are
    std::optional<base::problem> refused;  // the person declined, or the second look rejected the reason
    std::string stopped_by;                // the domain that was refused
    std::vector<std::pair<std::string, std::string>> notes;  // domain, note for its receipt
    std::vector<std::string> warnings;                       // for the result
};

// Whether this name is reserved for the questions below; a tool must not use it.
bool is_gate_question(std::string_view name);

// Asks a person about every blocked domain that requires it, if nothing else blocks and the client can show a form. A
// dismissed form is not shown again: the call stays blocked.
review ask_person(const reflection::verdict& v, const std::string& tool, const client& asker);

// Asks the person again where the facts in their answers have shown a conflict that the first form could not name; `v`
// is the verdict on these answers.
review ask_about_conflicts(const reflection::verdict& v, const json::object& answers, const std::string& tool);

// Reasons that passed review, by the digest of their records. Thread-safe.
class second_looks {
public:
    // For the domains whose policy requires it, where the client offers its model (sampling). Otherwise the call
    // continues and its receipt notes it.
    review look(const reflection::verdict& v, const reflection::call& c, const client& asker);

private:
    base::bounded_cache<std::string, std::monostate> passed_{10'000};
};

}  // namespace gdalmcp::app
