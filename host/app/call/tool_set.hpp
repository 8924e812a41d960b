// The tools at one moment: the bundles in use, their reflection specs and the program's, and the gate over both.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "app/call/installation.hpp"
#include "app/call/toolsets.hpp"
#include "app/call/unapplied_rules.hpp"
#include "app/configuration.hpp"
#include "catalog/snapshot.hpp"
#include "mcp/offer.hpp"
#include "reflection/gate.hpp"

namespace gdalmcp::app {

// Immutable; every call keeps the one it started with, so removing a bundle does not break running calls.
class tool_set {
public:
    struct sources {
        installation parts;
        std::vector<std::filesystem::path> search_path;
        catalog::admission admission;
        std::function<base::result<base::json::value>(const std::filesystem::path& library)> describe;
        std::shared_ptr<reflection::store> store;
        reflection::gate::policies policies;
        std::filesystem::path prompts = {};  // operator's prompts that override the program's; empty: none
        // Whether a bundle's domains may govern a tool of somebody else; empty: any. Set by the operator.
        std::function<bool(std::string_view bundle, std::string_view tool)> may_govern = {};
    };
    // A bundle with invalid specs or prompts, or with rules that cannot be satisfied, is quarantined; only the
    // program's own files and the operator's prompts can make this fail.
    static base::result<std::shared_ptr<const tool_set>> load(const sources& s);

    const catalog::snapshot& tools() const { return *catalog_; }
    const reflection::specs& specs() const { return *specs_; }
    const reflection::gate& gate() const { return gate_; }
    reflection::argument_schemas argument_schemas() const;       // of all tools, toolsets that are off included
    const base::schema* host_tool(std::string_view name) const;  // of its arguments; nullptr: no such tool
    const catalog::tool* find(std::string_view tool, const toolset_switches& s) const;  // nullptr: none, or off
    bool knows(std::string_view tool) const { return host_tool(tool) || catalog_->find_known(tool); }
    bool governs(const catalog::tool& t) const { return !specs_->domains_of(t.name).empty(); }

    // The texts for agents from the program and the operator, as files.
    // The whole page of prompts/tools on a tool; empty: none.
    std::string advice_on(std::string_view tool) const;
    const reflection::prompt_folder& told() const { return told_; }

    const std::vector<unapplied_rules>& unapplied() const { return unapplied_; }

    // Remarks for the operator: a note that is too long or has no tool; an unused page.
    const std::vector<std::string>& remarks() const { return remarks_; }

    // The tools, prompts and instructions sent to clients; resources.hpp has the resource templates.
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
    base::json::array tools_;  // as sent to clients, including toolsets that are off
    base::json::array icons_;  // of the server
    std::vector<unapplied_rules> unapplied_;
    std::vector<std::string> remarks_;
};

}  // namespace gdalmcp::app
