// A failure as a value: the message names the thing and the two values that disagree, the hint is the next action.
#pragma once
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace gdalmcp::base {

struct problem {
    std::string code;     // one of the published codes, see namespace code
    std::string message;  // what is wrong, with the thing named
    std::string hint;     // what to do next; may be empty
    std::string at;       // JSON Pointer into the arguments, when one argument is to blame; may be empty
};

template <class T>
using result = tl::expected<T, problem>;

inline tl::unexpected<problem> fail(std::string code, std::string message, std::string hint = {}, std::string at = {}) {
    return tl::unexpected<problem>{problem{std::move(code), std::move(message), std::move(hint), std::move(at)}};
}

// The stable error codes for agents and scripts (docs/errors.md lists them; a test compares the two).
namespace code {
inline constexpr const char* invalid_argument = "invalid_argument";  // an argument is wrong by itself
inline constexpr const char* not_found = "not_found";                // the named thing does not exist
inline constexpr const char* denied = "denied";                      // outside what this call may touch
inline constexpr const char* unsupported = "unsupported";            // this build, driver or format cannot do it
inline constexpr const char* io = "io";                              // reading or writing failed
inline constexpr const char* cancelled = "cancelled";                // the caller cancelled
inline constexpr const char* exhausted = "exhausted";                // memory, disk or another limit ran out
inline constexpr const char* internal = "internal";                  // a defect of the host or of a plugin
inline constexpr const char* unknown_tool = "unknown_tool";
inline constexpr const char* exists = "exists";      // the output exists and overwrite is false
inline constexpr const char* expired = "expired";    // a query://result handle that has expired
inline constexpr const char* busy = "busy";          // the queue of calls is full
inline constexpr const char* deadline = "deadline";  // the call ran out of its time
inline constexpr const char* crashed = "crashed";    // the confined process died
inline constexpr const char* quarantined = "quarantined";
inline constexpr const char* verification_failed =
    "verification_failed";  // the re-opened output differs from the expected one
inline constexpr const char* needs_justification = "requires_epistemic_justification";
inline constexpr const char* invalid_justification = "invalid_justification";
inline constexpr const char* validation_failed =
    "epistemic_validation_failed";               // the review found a reason insufficient
inline constexpr const char* policy = "policy";  // refused by the operator's policy
}  // namespace code

}  // namespace gdalmcp::base
