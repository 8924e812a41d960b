// What is offered at one moment: the bundles in use, the reflection specs they and the program bring, the gate over
// both.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "app/call/installation.hpp"
#include "app/call/toolsets.hpp"
#include "app/configuration.hpp"
#include "catalog/snapshot.hpp"
#include "mcp/offer.hpp"
#include "reflection/gate.hpp"

namespace gdalmcp::app {

// Immutable; every call keeps the one it began with, so a bundle that goes takes no call with it.
class tool_set {
public:
    struct sources {
        installation parts;
        std::vector<std::filesystem::path> search_path;
        catalog::admission admission;
        std::function<base::result<base::json::value>(const std::filesystem::path& library)> describe;
        std::shared_ptr<reflection::store> store;
        reflection::gate::policies policies;
        std::filesystem::path prompts = {};  // the operator's, over the program's; empty: none
        // Whether a bundle's domains may govern a tool of somebody else; empty: any. The operator's word.
        std::function<bool(std::string_view bundle, std::string_view tool)> may_govern = {};
    };
    // A bundle whose specs or prompts do not fit is quarantined, as is one whose rules nothing could meet; only the
    // program's own and the operator's prompts can make this fail.
    static base::result<std::shared_ptr<const tool_set>> load(const sources& s);

    const catalog::snapshot& tools() const { return *catalog_; }
    const reflection::specs& specs() const { return *specs_; }
    const reflection::gate& gate() const { return gate_; }
    const base::schema* host_tool(std::string_view name) const;  // of its arguments; nullptr: no such tool
    const catalog::tool* find(std::string_view tool, const toolset_switches& s) const;  // nullptr: none, or off
    bool knows(std::string_view tool) const { return host_tool(tool) || catalog_->find_known(tool); }
    bool governs(const catalog::tool& t) const { return !specs_->domains_of(t.name).empty(); }

    // What the program and the operator tell agents, as files.
    // The page of prompts/tools on a tool, whole; empty: there is none.
    std::string advice_on(std::string_view tool) const;
    const reflection::prompt_folder& told() const { return told_; }

    // What an operator should know of it: a note too long, or for no tool; a page nobody reads.
    const std::vector<std::string>& remarks() const { return remarks_; }

    // What clients are told: tools, prompts, instructions. The templates of resources are resources'.
    mcp::offer offer(const toolset_switches& s = {}) const;

    // Why find() has no such tool.
    base::problem not_offered(std::string_view name, std::string at) const;

private:
    tool_set(std::shared_ptr<const catalog::snapshot> c, std::shared_ptr<const reflection::specs> s,
             std::shared_ptr<reflection::store> store, reflection::gate::policies policies);
    void make_tools();

    std::shared_ptr<const catalog::snapshot> catalog_;
    std::shared_ptr<const reflection::specs> specs_;
    std::map<std::string, base::schema, std::less<>> host_tools_;
    reflection::gate gate_;
    std::string instructions_;
    reflection::prompt_folder told_;
    base::json::array tools_;  // as clients get them, those of toolsets that are off as well
    base::json::array icons_;  // of the server
    std::vector<std::string> remarks_;
};

}  // namespace gdalmcp::app
