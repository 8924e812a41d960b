#include "app/resources/prompts.hpp"

#include "app/call/tool_reply.hpp"
#include "app/resources/bundles.hpp"

namespace gdalmcp::app {

namespace {

mcp::rpc_error refused(const base::problem& p) {
    return {mcp::rpc_code::invalid_params, p.message, json::object{{"hint", p.hint}}};
}

// The answers of all rounds: a client sends only those of the latest.
json::object all_responses(const client& asker) {
    json::object all;
    if (const auto* earlier = asker.request_state.if_object()) all = *earlier;
    for (const auto& r : asker.input_responses) all[r.key()] = r.value();
    return all;
}

}  // namespace

mcp::reply get_prompt(host& h, elicitation& asking, const mcp::prompt_get& e, const runner::cancellation& cancel) {
    const auto now = h.offered();
    const auto found = now->specs().prompts().find(e.name);
    if (found == now->specs().prompts().end())
        return refused(
            {base::code::not_found, "the prompt '" + e.name + "' no longer exists", "list the prompts again", ""});
    const auto asker = asking.begin(e);
    if (!asker) return invalid_state(asker.error());
    auto responses = all_responses(*asker);
    auto inquiry = reflection::questions_of(found->second, e.arguments, json::value(responses));
    if (!inquiry.requests.empty() && asker->shows_forms()) {
        for (const auto& r : inquiry.requests) responses.erase(r.key());
        auto asked = asking.ask(called_by(e), *asker, {std::move(inquiry.requests), std::move(responses)});
        if (!asked) return refused(asked.error());
        return std::move(*asked);
    }
    auto messages =
        now->specs().prompt_messages(e.name, inquiry.arguments, h.crs_lookup(cancel), now->argument_schemas());
    if (!messages) return refused(messages.error());
    if (auto ok = embed_bundle_resources(now->tools(), *messages); !ok) return refused(ok.error());
    return mcp::prompt_messages{found->second.description, std::move(*messages)};
}

}  // namespace gdalmcp::app
