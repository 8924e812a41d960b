#include "app/calls/call_facts.hpp"

#include "app/calls/tool_call.hpp"
#include "base/digest.hpp"
#include "reflection/scope.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::app {

using base::fail;
using base::result;
namespace code = base::code;

namespace {

#ifdef GDALMCP_SANITIZED  // several times as slow
constexpr std::chrono::milliseconds longest_measuring{30000};
#else
constexpr std::chrono::milliseconds longest_measuring{3000};  // of all evidence of one call
#endif
constexpr std::chrono::milliseconds shortest_try{50};

void complete(json::object& facts, const workspace::input& i, dataset_facts& stated,
              const dataset_facts::digest_of& digest) {
    facts["path"] = i.given;
    facts["state"] = file_state(i.path);
    if (base::string_member(facts, "kind") != reflection::unknown_fact) return;
    const auto known = stated.of(i.path, digest);
    if (const auto* word = known.if_contains("kind")) {
        facts["kind"] = *word;
        facts["kind_why"] = "as was stated about it";
        if (auto* bands = facts.contains("bands") ? facts["bands"].if_array() : nullptr; bands && !bands->empty())
            (*bands)[0].get_object()["kind"] = *word;
    }
}

}  // namespace

std::string file_state(const std::filesystem::path& file) {
    const auto state = workspace::dataset_state(file);
    return state.empty() ? state : base::sha256_hex(state).substr(0, 16);
}

result<json::value> facts_of_inputs(confined_work& work, dataset_facts& stated, const workspace::access& a,
                                    const std::filesystem::path& scratch, const runner::cancellation& cancel,
                                    const dataset_facts::digest_of& digest) {
    auto facts = work.facts(a, scratch, cancel);
    if (!facts) return facts;
    auto& all = facts->at("inputs").as_array();
    for (std::size_t i = 0; i < all.size() && i < a.inputs.size(); ++i)
        if (all[i].is_object()) complete(all[i].get_object(), a.inputs[i], stated, digest);
    if (!all.empty()) facts->as_object()["input"] = all.front();
    return facts;
}

result<json::object> evidence_taker::measure(const std::string& tool, const json::object& arguments) {
    const auto& known = offering_->tools();
    const auto* t = known.find(tool);
    if (!t) t = known.find_switched_off(tool);
    if (!t) return fail(code::unknown_tool, "no bundle has the evidence provider '" + tool + "'");
    if (!t->annotations.read_only)
        return fail(code::denied, "'" + tool + "' is no evidence provider: it does not say that it only reads");
    const auto now = std::chrono::steady_clock::now();
    if (!until_) until_ = now + longest_measuring;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*until_ - now);
    if (left < shortest_try) return fail(code::deadline, "no time was left to measure it");
    return tool_call{host_, offering_, *t, cancel_, {}}.measure(arguments, left);
}

}  // namespace gdalmcp::app
