// What is offered at one moment: the bundles in use, the reflection specs they and the program bring, the gate over
// both.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "app/calls/installation.hpp"
#include "app/configuration.hpp"
#include "catalog/snapshot.hpp"
#include "mcp/offer.hpp"
#include "reflection/gate.hpp"

namespace gdalmcp::app {

// What a bundle adds to the specs. Its extensions may speak of its own tools only.
reflection::spec_source specs_of(const catalog::manifest& m);

// Immutable; every call keeps the one it began with, so a bundle that goes takes no call with it.
class offering {
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
    static base::result<std::shared_ptr<const offering>> load(const sources& s);

    const catalog::snapshot& tools() const { return *catalog_; }
    const reflection::specs& specs() const { return *specs_; }
    const reflection::gate& gate() const { return gate_; }
    const base::schema* host_tool(std::string_view name) const;  // of its arguments; nullptr: no such tool
    bool offers(std::string_view tool) const { return host_tool(tool) || catalog_->find(tool); }
    bool governs(const catalog::tool& t) const { return !specs_->domains_of(t.name).empty(); }

    // What the program and the operator tell agents, as files.
    const reflection::prompt_folder& told() const { return told_; }

    // What an operator should know of it: a note too long, or for no tool; a page nobody reads.
    const std::vector<std::string>& remarks() const { return remarks_; }

    // What clients are told: tools, templates, prompts, instructions.
    mcp::offer offer() const;

    base::problem unknown_tool(std::string_view name, std::string at) const;

private:
    offering(std::shared_ptr<const catalog::snapshot> c, std::shared_ptr<const reflection::specs> s,
             std::shared_ptr<reflection::store> store, reflection::gate::policies policies);
    void make_tools();

    std::shared_ptr<const catalog::snapshot> catalog_;
    std::shared_ptr<const reflection::specs> specs_;
    std::map<std::string, base::schema, std::less<>> host_tools_;
    reflection::gate gate_;
    std::string instructions_;
    reflection::prompt_folder told_;
    base::json::array tools_;  // as clients get them
    base::json::array icons_;  // of the server
    std::vector<std::string> remarks_;
};

}  // namespace gdalmcp::app
