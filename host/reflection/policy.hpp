// Policy for a reason that is missing, old, weak or given for other data. The spec defines it, the operator may
// override it.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

enum class confidence { low, medium, medium_high, high };
std::optional<confidence> confidence_of(std::string_view word);
std::string_view to_string(confidence c);

// warn: runs with a warning; person: runs once a person has answered; block: does not run without another answer.
enum class reaction { warn, person, block };

// off: not checked; warn: reported with the result; ask: the reason must have been given in view of it; refuse: never
// runs.
enum class check_outcome { off, warn, ask, refuse };
std::optional<check_outcome> check_outcome_of(std::string_view word);

struct policy {
    bool off = false;  // the domain asks nothing; every receipt notes it
    reaction missing = reaction::block;
    reaction stale = reaction::warn;
    reaction revisit = reaction::warn;
    confidence minimum = confidence::low;
    reaction low_confidence = reaction::warn;
    std::optional<std::int64_t> max_age_days;
    double tolerance = 0.001;  // candidates whose results differ by no more than this share make no difference
    bool second_look = false;  // the client's model reads a fresh answer against the call, where it can be asked
    std::map<std::string, check_outcome, std::less<>> checks;  // by name, where it differs from the spec
};

// A policy in YAML; missing fields are taken from `otherwise`. `operators`: the operator's file, which may switch a
// domain off. Errors name the field.
enum class speaker { spec, operators };
base::result<policy> parse_policy(const json::value& text, const policy& otherwise, speaker who);

// The operator's policy file: {domains: {crs_datum: {…}}, workspaces: {/data/survey: {crs_datum: {…}}}, govern:
// {org.acme.house: [raster_convert]}}; a workspace's entries override those for all. Domains and bundles are looked up
// when used, since they come and go.
class policy_file {
public:
    // real_folder: what a folder is once symbolic links are followed; without it, what is written. Errors name the
    // line, or the field.
    static base::result<policy_file> parse(std::string_view yaml,
                                           const std::function<std::string(const std::string&)>& real_folder = {});

    // The policies of one workspace, by its real folder.
    policy applied(std::string_view domain, std::string_view workspace, const policy& of_spec) const;
    std::vector<std::string> domains() const;
    std::vector<std::string> workspaces() const;
    std::map<std::string, std::set<std::string>> checks() const;    // by domain, those it names
    std::map<std::string, std::set<std::string>> governed() const;  // bundle -> tools it names; "": `*`

    // Whether the domains of a bundle may govern a tool of another bundle: by `govern` for the bundle, else for `*`,
    // else yes.
    bool may_govern(std::string_view bundle, std::string_view tool) const;

private:
    json::object all_;
    std::map<std::string, json::object, std::less<>> workspaces_;
    json::object govern_;
};

}  // namespace gdalmcp::reflection
