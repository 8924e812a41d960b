#include "reflection/policy.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/schema.hpp"
#include "base/yaml.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr const char* policy_schema = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "off": {"type": "boolean"},
    "missing": {"type": "string", "enum": ["block", "warn", "person"]},
    "stale": {"type": "string", "enum": ["block", "warn", "person"]},
    "revisit": {"type": "string", "enum": ["block", "warn", "person"]},
    "min_confidence": {"type": "string", "enum": ["low", "medium", "medium-high", "high"]},
    "low_confidence": {"type": "string", "enum": ["block", "warn", "person"]},
    "max_age_days": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
    "tolerance": {"type": "number", "minimum": 0, "maximum": 1},
    "second_look": {"type": "boolean"},
    "checks": {"type": "object", "additionalProperties": {"type": "string", "enum": ["off", "warn", "ask", "refuse"]}}}})";

constexpr const char* file_schema = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "domains": {"type": "object", "additionalProperties": {"type": "object", "description": "a domain has settings, such as {off: true}"}},
    "govern": {"type": "object"},
    "workspaces": {"type": "object", "additionalProperties": {"type": "object", "description": "a workspace has domains, such as {crs_datum: {off: true}}",
      "additionalProperties": {"type": "object", "description": "a domain has settings, such as {off: true}"}}}}})";

reaction reaction_of(std::string_view word) {
    return word == "warn" ? reaction::warn : word == "person" ? reaction::person : reaction::block;
}

void take_reaction(const json::value& text, const char* field, reaction& into) {
    if (const auto word = base::string_member(text, field); !word.empty()) into = reaction_of(word);
}

bool is_list_of_names(const json::value& v) {
    return v.is_array() && std::all_of(v.get_array().begin(), v.get_array().end(),
                                       [](const json::value& name) { return name.is_string(); });
}

// Without "." and "..", and without a slash at the end.
std::string normal_folder(std::string_view given) {
    auto folder = std::filesystem::path{given}.lexically_normal();
    return (folder.has_filename() ? folder : folder.parent_path()).string();
}

result<void> check_all(const json::object& domains, const std::string& at) {
    for (const auto& d : domains)
        if (auto ok = parse_policy(d.value(), {}, speaker::operators); !ok)
            return fail(code::invalid_argument, at + "/" + std::string{d.key()} + ": " + ok.error().message,
                        ok.error().hint);
    return {};
}

}  // namespace

std::optional<confidence> confidence_of(std::string_view word) {
    if (word == "low") return confidence::low;
    if (word == "medium") return confidence::medium;
    if (word == "medium-high") return confidence::medium_high;
    if (word == "high") return confidence::high;
    return std::nullopt;
}

std::string_view to_string(confidence c) {
    constexpr std::string_view words[] = {"low", "medium", "medium-high", "high"};
    return words[static_cast<std::size_t>(c)];
}

std::optional<check_outcome> check_outcome_of(std::string_view word) {
    if (word == "off") return check_outcome::off;
    if (word == "warn") return check_outcome::warn;
    if (word == "ask") return check_outcome::ask;
    if (word == "refuse") return check_outcome::refuse;
    return std::nullopt;
}

result<policy> parse_policy(const json::value& text, const policy& otherwise, speaker who) {
    static const auto shape = base::schema::constant(policy_schema);
    if (auto ok = shape.check(text, "the policy"); !ok) return tl::unexpected{ok.error()};
    policy p = otherwise;
    if (const auto* off = base::find_member(text, "off")) {
        if (who != speaker::operators)
            return fail(code::policy, "off is for the operator's policy file only",
                        "leave a domain that needs no reason out of the specs");
        p.off = off->get_bool();
    }
    take_reaction(text, "missing", p.missing);
    take_reaction(text, "stale", p.stale);
    take_reaction(text, "revisit", p.revisit);
    take_reaction(text, "low_confidence", p.low_confidence);
    if (const auto word = base::string_member(text, "min_confidence"); !word.empty()) p.minimum = *confidence_of(word);
    if (const auto* age = base::find_member(text, "max_age_days"))
        p.max_age_days = age->is_null() ? std::nullopt : std::optional{age->to_number<std::int64_t>()};
    if (const auto* tolerance = base::find_member(text, "tolerance")) p.tolerance = tolerance->to_number<double>();
    p.second_look = base::bool_member(text, "second_look", p.second_look);
    if (const auto* checks = base::find_member(text, "checks"))
        for (const auto& c : checks->get_object())
            p.checks[std::string{c.key()}] = *check_outcome_of(c.value().get_string());
    return p;
}

result<policy_file> policy_file::parse(std::string_view yaml,
                                       const std::function<std::string(const std::string&)>& real_folder) {
    static const auto shape = base::schema::constant(file_schema);
    const auto text = base::parse_yaml(yaml);
    if (!text) return tl::unexpected{text.error()};
    if (auto ok = shape.check(*text, "the policy file"); !ok) return tl::unexpected{ok.error()};
    policy_file f;
    if (const auto* all = base::find_member(*text, "domains")) f.all_ = all->get_object();
    if (auto ok = check_all(f.all_, "/domains"); !ok) return tl::unexpected{ok.error()};
    if (const auto* govern = base::find_member(*text, "govern")) f.govern_ = govern->get_object();
    for (const auto& g : f.govern_)
        if (const auto& word = g.value(); word != "any" && word != "own" && !is_list_of_names(word))
            return fail(code::invalid_argument,
                        "/govern/" + std::string{g.key()} + " is " + base::write_json(word) +
                            "; it must be any, own or a list of tools",
                        "name the tools that the bundle may govern beside its own");
    if (const auto* places = base::find_member(*text, "workspaces"))
        for (const auto& w : places->get_object()) {
            const std::string folder{w.key()};
            if (folder.empty() || folder.front() != '/')
                return fail(code::invalid_argument, "/workspaces/" + folder + ": not an absolute path",
                            "name the folder of a workspace from / on");
            const auto [here, fresh] = f.workspaces_.emplace(normal_folder(real_folder ? real_folder(folder) : folder),
                                                             w.value().get_object());
            if (!fresh)
                return fail(code::invalid_argument,
                            "/workspaces/" + folder + ": its folder, " + here->first + ", stands twice",
                            "put its entries into one");
            if (auto ok = check_all(here->second, "/workspaces/" + folder); !ok) return tl::unexpected{ok.error()};
        }
    return f;
}

policy policy_file::applied(std::string_view domain, std::string_view workspace, const policy& of_spec) const {
    auto p = of_spec;
    if (const auto* words = all_.if_contains(domain)) p = *parse_policy(*words, p, speaker::operators);
    if (const auto here = workspaces_.find(normal_folder(workspace)); here != workspaces_.end())
        if (const auto* words = here->second.if_contains(domain)) p = *parse_policy(*words, p, speaker::operators);
    return p;
}

bool policy_file::may_govern(std::string_view bundle, std::string_view tool) const {
    const auto* said = govern_.if_contains(bundle);
    if (!said) said = govern_.if_contains("*");
    if (!said || said->is_string()) return !said || said->get_string() == "any";
    const auto& tools = said->get_array();
    return std::find(tools.begin(), tools.end(), json::value(tool)) != tools.end();
}

std::vector<std::string> policy_file::domains() const {
    std::set<std::string> all;
    for (const auto& d : all_) all.emplace(d.key());
    for (const auto& [folder, domains] : workspaces_)
        for (const auto& d : domains) all.emplace(d.key());
    return {all.begin(), all.end()};
}

std::vector<std::string> policy_file::workspaces() const {
    std::vector<std::string> all;
    for (const auto& [folder, domains] : workspaces_) all.push_back(folder);
    return all;
}

std::map<std::string, std::set<std::string>> policy_file::checks() const {
    std::map<std::string, std::set<std::string>> all;
    const auto add = [&](const json::object& domains) {
        for (const auto& d : domains)
            if (const auto* checks = base::find_member(d.value(), "checks"))
                for (const auto& c : checks->get_object()) all[std::string{d.key()}].emplace(c.key());
    };
    add(all_);
    for (const auto& [folder, domains] : workspaces_) add(domains);
    return all;
}

std::map<std::string, std::set<std::string>> policy_file::governed() const {
    std::map<std::string, std::set<std::string>> all;
    for (const auto& g : govern_) {
        auto& tools = g.key() == "*" ? all[""] : all[std::string{g.key()}];
        if (const auto* listed = g.value().if_array())
            for (const auto& t : *listed) tools.emplace(t.get_string());
    }
    return all;
}

}  // namespace gdalmcp::reflection
