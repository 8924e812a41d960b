// Reflection specs: which tools need which reason. One YAML file per domain; rules are data, not code.
//   auto loaded = specs::load({folder_source("core", "reflection-specs", "prompts")});
//   (*loaded)->domains_of("raster_reproject");   // {"crs_datum", "resampling"}
// Immutable once loaded; share it by shared_ptr, replace it as a whole.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "reflection/check.hpp"
#include "reflection/condition.hpp"
#include "reflection/evidence.hpp"
#include "reflection/judged_form.hpp"
#include "reflection/key_source.hpp"
#include "reflection/normal_form.hpp"
#include "reflection/policy.hpp"
#include "reflection/prompt.hpp"
#include "reflection/prompt_folder.hpp"
#include "reflection/relations.hpp"
#include "reflection/schema_place.hpp"
#include "reflection/scope.hpp"

namespace gdalmcp::reflection {

struct key_argument {
    std::string name;
    normaliser normal;
    bool optional = false;  // may be absent
    std::string crs_of;     // this is the CRS of the key argument named here: GeoJSON may bring its own
};

// Where each key argument comes from in a call; of several sources the first that is present counts.
using governed_tool = std::map<std::string, std::vector<key_source>, std::less<>>;  // key argument -> sources

// A step of one plan: a decision to make together with the current one.
struct planned_step {
    std::string title;
    json::object prompt_args;         // key arguments; the choice itself is left open
    std::vector<std::string> one_of;  // of which it is chosen
};

// A reason for a key that has the members `of` holds as one for the key of the members `key` and of its own members
// `keep`, too; for none where it lacks one of these.
struct implied_key {
    json::object of, key;
    std::vector<std::string> keep;
};

struct spec {
    std::string domain;
    std::string title;                     // "Target CRS"
    std::vector<condition> title_when;     // the first that holds names the choice by its note instead
    std::string question;                  // one line
    std::vector<condition> question_when;  // the first that holds asks its note instead
    std::string nudge;                     // one line, may be empty
    std::string alternative;               // an alternative that needs no reason, may be empty
    std::string risk;                      // low, medium, high
    std::string methodology;               // the page's text; empty: there is none
    std::vector<key_argument> key;
    std::string choice;  // the key argument the answer's choice.method must equal
    std::map<std::string, governed_tool, std::less<>> tools;
    std::map<std::string, std::string, std::less<>> mapped_by;  // tool -> the contributor that added it with `extends`
    std::map<std::string, judged_form, std::less<>> judged_as;  // tools whose calls are judged as another's
    std::set<std::string, std::less<>> measured_by;             // tools whose results warn of inputs made for display
    std::set<std::string, std::less<>> compared_by;             // tools whose results warn of inputs moved to a grid
    std::vector<condition> not_needed_when;
    std::vector<condition> critical_when;  // if any holds: nothing runs without a fitting reason
    double critical_tolerance = 1;         // the most that candidates may differ by there; a policy may allow less
    std::vector<scope_entry> scope;
    std::vector<asked_fact> asks;
    std::vector<check> checks;
    std::vector<evidence_source> evidence;
    std::set<std::string> judged_evidence;  // names of the evidence used by scope and conditions
    output_grid grid;
    std::vector<planned_step> plan;
    std::vector<implied_key> implies;
    reflection::policy policy;
    prompt question_prompt;
    std::string source;  // its contributor: "core" or a bundle's id

    const key_argument* find_key(std::string_view name) const;
};

// One contributor of specs and prompts.
struct spec_source {
    std::string name;
    std::vector<source_file> specs;
    std::vector<source_file> prompts;
    std::vector<source_file> methodology = {};  // the pages that `methodology` names by their file names
    // The tools an `extends` of this contributor may name; nullopt: any. A bundle that could map another's tool into a
    // domain could also exempt it from the question.
    std::optional<std::set<std::string, std::less<>>> own_tools = std::nullopt;
    std::vector<source_file> prompt_files = {};  // what messages of the prompts name by file name
    // Whether a domain of this contributor may govern a tool that is not its own; empty: any. Set by the operator.
    std::function<bool(std::string_view tool)> may_govern = {};
};

// Every *.yaml of one folder, every *.md of another (not README.md) and of its folder methodology, in order of name.
base::result<spec_source> folder_source(std::string name, const std::filesystem::path& specs,
                                        const std::filesystem::path& prompts);
// The same with prompts and pages already read.
base::result<spec_source> folder_source(std::string name, const std::filesystem::path& specs,
                                        const prompt_folder& prompts);

class specs {
public:
    // Adds a contributor, whole or not at all. The problem names source, file and field of the first defect, and the
    // unknown and missing members of the same spec file.
    // Refused: unknown fields, a missing prompt, a duplicate domain, prompt or (domain, tool). A later source can
    // require more of any tool with its own domain, and add its own tools to a domain with `extends: <domain>`; it
    // cannot change how a domain treats other tools.
    base::result<void> add(const spec_source& from);

    // The defects of a contributor, in the order of its files, those that extend a domain last; adds the valid files.
    // Of a file it gives the first defect, and of a spec also every unknown and every missing member.
    std::vector<base::problem> add_what_fits(const spec_source& from);

    // The defect of a contributor by itself, independent of others: the first prompt or spec that cannot be read.
    static base::result<void> check_alone(const spec_source& from);

    static base::result<std::shared_ptr<const specs>> load(const std::vector<spec_source>& sources);

    const std::vector<spec>& all() const { return specs_; }
    const spec* find(std::string_view domain) const;
    std::vector<const spec*> of_tool(std::string_view tool) const;
    // Whether any spec counts this tool among those that measure.
    bool measures(std::string_view tool) const;
    // The same of those that compare cells.
    bool compares(std::string_view tool) const;
    std::vector<std::string> domains_of(std::string_view tool) const;
    const std::map<std::string, prompt, std::less<>>& prompts() const { return prompts_; }

    // prompts/get: the messages for these arguments (given as text, normalised where they make sense). Errors: a
    // required argument is missing; no call of a tool in `schemas` can have the value.
    base::result<json::array> prompt_messages(std::string_view name, const json::object& arguments,
                                              const crs_lookup& crs, const argument_schemas& schemas = {}) const;

private:
    using earlier = std::vector<std::pair<std::size_t, spec>>;  // specs as they were before they were extended
    base::result<std::string> add_prompt(const spec_source& from, const source_file& file);  // its name
    base::result<void> add_spec(const spec_source& from, const source_file& file, earlier& extended);
    base::result<void> read_spec(const spec_source& from, const source_file& file, earlier& extended);
    void restore(earlier& extended);

    std::vector<spec> specs_;
    std::map<std::string, prompt, std::less<>> prompts_;
};

}  // namespace gdalmcp::reflection
