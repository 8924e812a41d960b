#include "app/call/call_facts.hpp"

#include "base/digest.hpp"
#include "reflection/scope.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::app {

using base::result;

namespace {

void complete(json::object& facts, const workspace::input& i, dataset_facts& stated,
              const dataset_facts::digest_of& digest) {
    facts["path"] = i.given;
    facts["state"] = file_state(i.path);
    if (base::string_member(facts, "kind") != reflection::unknown_fact) return;
    const auto known = stated.of(i.path, digest);
    if (const auto* word = known.if_contains("kind")) {
        facts["kind"] = *word;
        facts["kind_why"] = "as stated about the dataset";
        if (auto* bands = facts.contains("bands") ? facts["bands"].if_array() : nullptr; bands && !bands->empty())
            (*bands)[0].get_object()["kind"] = *word;
    }
}

}  // namespace

std::string file_state(const std::filesystem::path& file) {
    const auto state = workspace::dataset_state(file);
    return state.empty() ? state : base::sha256_hex(state).substr(0, 16);
}

result<json::value> facts_of_inputs(const call_context& c, const planned_call& p,
                                    const dataset_facts::digest_of& digest_of) {
    auto facts = c.host.work.facts(p.files, p.scratch(), c.cancel);
    if (!facts) return facts;
    auto& all = facts->at("inputs").as_array();
    const auto& inputs = p.files.inputs;
    for (std::size_t i = 0; i < all.size() && i < inputs.size(); ++i)
        if (all[i].is_object()) complete(all[i].get_object(), inputs[i], c.host.stated, digest_of);
    if (!all.empty()) facts->as_object()["input"] = all.front();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].as_geometry) continue;
        auto digest = digest_of(inputs[i].path);
        if (!digest) return tl::unexpected{digest.error()};
        facts->at("inputs").at(i).as_object()[digest->name()] = std::move(digest->hex);
    }
    return facts;
}

}  // namespace gdalmcp::app
