// The state a call keeps while its client answers. The client carries it, so that no process need store it; it is
// signed, bound to one call and valid for ten minutes. The client can read it and use it more than once.
//   auto key = request_state_key(state_dir);
//   request_state states{*key, std::chrono::system_clock::now};
//   auto text = states.mint(payload, call_binding("tools/call", name, arguments));
//   auto payload = states.open(text, call_binding("tools/call", name, arguments));
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// "v1." base64url({"p": payload, "exp": Unix time in s, "b": binding}) "." base64url(HMAC-SHA256 of all before the dot)
class request_state {
public:
    using clock = std::function<std::chrono::system_clock::time_point()>;
    static constexpr std::chrono::seconds lifetime{600};

    request_state(std::string key, clock now) : key_{std::move(key)}, now_{std::move(now)} {}

    std::string mint(json::value payload, std::string_view binding) const;

    // The payload. Errors (invalid_argument): not minted with this key, expired, minted for another call.
    base::result<json::value> open(std::string_view state, std::string_view binding) const;

private:
    std::string key_;
    clock now_;
};

// Equal for equal calls: a digest over the method, the name of the tool and the canonical arguments.
std::string call_binding(std::string_view method, std::string_view name, const json::object& arguments);

// The 32 bytes in <state_dir>/request-state.key, created when missing: all processes that share the folder use the same
// key, also when they start simultaneously. Errors: io; denied, when another user could have read or written it.
base::result<std::string> request_state_key(const std::filesystem::path& state_dir);

std::string new_request_state_key();  // for this process only

}  // namespace gdalmcp::app
