#include "app/prompts.hpp"

#include "app/bundle_resources.hpp"

namespace gdalmcp::app {

namespace {

mcp::rpc_error refused(const base::problem& p) {
    return {mcp::rpc_code::invalid_params, p.message, json::object{{"hint", p.hint}}};
}

}  // namespace

mcp::reply get_prompt(host& h, const std::string& name, const json::object& arguments, const client& asker) {
    const auto now = h.offered();
    const auto found = now->specs().prompts().find(name);
    if (found == now->specs().prompts().end())
        return refused({base::code::not_found, "the prompt '" + name + "' is gone", "list the prompts again", ""});
    auto inquiry = reflection::questions_of(found->second, arguments, json::value(asker.input_responses));
    if (!inquiry.requests.empty() && shows_forms(asker)) return mcp::input_required{std::move(inquiry.requests), {}};
    const runner::cancellation never;
    auto messages = now->specs().prompt_messages(name, inquiry.arguments, h.crs_lookup(never));
    if (!messages) return refused(messages.error());
    if (auto ok = embed_bundle_resources(*now, *messages); !ok) return refused(ok.error());
    return mcp::prompt_messages{found->second.description, std::move(*messages)};
}

}  // namespace gdalmcp::app
