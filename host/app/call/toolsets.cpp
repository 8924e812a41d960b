#include "app/call/toolsets.hpp"

#include <algorithm>

#include "base/near_names.hpp"

namespace gdalmcp::app {

using base::fail;

namespace {

struct toolset {
    std::string name, purpose;
    bool on = true;  // the tools of every bundle are
    bool allowed = true;
    std::vector<std::string> tools;
};

std::vector<toolset> toolsets_of(const catalog::snapshot& catalogue, const toolset_switches& s) {
    std::map<std::string, toolset> by_name;
    auto tools = catalogue.tools();
    const auto off = catalogue.switched_off();
    tools.insert(tools.end(), off.begin(), off.end());
    for (const auto& t : tools) {
        const auto& b = *t->bundle;
        auto& one = by_name[b.toolset];
        one.name = b.toolset;
        if (one.purpose.empty()) one.purpose = b.purpose;
        one.on = one.on && is_on(b, s);
        one.allowed = b.allowed;
        one.tools.push_back(t->name);
    }
    std::vector<toolset> all;
    for (auto& [name, one] : by_name) all.push_back(std::move(one));
    return all;
}

json::object shown(const toolset& t) {
    json::object o{{"name", t.name}, {"on", t.on}};
    if (!t.purpose.empty()) o["purpose"] = t.purpose;
    o["tools"] = json::array(t.tools.begin(), t.tools.end());
    return o;
}

std::vector<std::string> names_allowed(const std::vector<toolset>& all) {
    std::vector<std::string> names;
    for (const auto& t : all)
        if (t.allowed) names.push_back(t.name);
    return names;
}

base::result<toolset> named(const std::vector<toolset>& all, const std::string& name) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const toolset& t) { return base::folded(t.name) == base::folded(name); });
    const auto allowed = names_allowed(all);
    const auto list = "the toolsets are " + base::joined(allowed);
    if (found == all.end()) {
        const auto near = base::nearest(allowed, name);
        return fail(base::code::not_found, "there is no toolset '" + name + "'",
                    (near.empty() ? "" : "did you mean " + base::joined(near) + "? ") + list, "/name");
    }
    if (!found->allowed)
        return fail(base::code::denied, "the operator's --toolsets leaves out the toolset '" + found->name + "'",
                    list + "; the operator can add it to --toolsets", "/name");
    return *found;
}

}  // namespace

toolset_switches session_toolsets::switches() const {
    const std::lock_guard lock{guard_};
    return switches_;
}

void session_toolsets::set(const std::string& name, bool on) {
    const std::lock_guard lock{guard_};
    switches_[name] = on;
}

bool is_on(const catalog::bundle& b, const toolset_switches& s) {
    const auto switched = s.find(b.toolset);
    return b.allowed && (switched == s.end() ? b.enabled : switched->second);
}

base::result<json::object> switch_toolsets(const catalog::snapshot& catalogue, session_toolsets* session,
                                           const json::object& arguments) {
    const auto all = toolsets_of(catalogue, session ? session->switches() : toolset_switches{});
    const auto* name = arguments.if_contains("name");
    const auto* action = arguments.if_contains("action");
    const bool lists = !action || action->get_string() == "list";
    json::array found;
    if (!name && !lists)
        return fail(base::code::invalid_argument, "no toolset is named",
                    "give name; the toolsets are " + base::joined(names_allowed(all)), "/name");
    if (!name) {
        for (const auto& t : all)
            if (t.allowed) found.emplace_back(shown(t));
        return json::object{{"toolsets", std::move(found)}};
    }
    auto one = named(all, std::string{name->get_string()});
    if (!one) return tl::unexpected{one.error()};
    if (!lists && !session)
        return fail(base::code::unsupported, "the toolset '" + one->name + "' cannot be switched without a session",
                    "start with --toolsets " + one->name);
    if (!lists) {
        one->on = action->get_string() == "enable";
        session->set(one->name, one->on);
    }
    found.emplace_back(shown(*one));
    return json::object{{"toolsets", std::move(found)}};
}

base::problem toolset_is_off(const catalog::tool& t, std::string at) {
    const auto& set = t.bundle->toolset;
    auto message = "the tool '" + t.name + "' belongs to the toolset '" + set + "', which is off";
    if (!t.bundle->allowed)
        return {base::code::denied, message + ": the operator's --toolsets leaves it out",
                "the operator can add it: --toolsets " + set, std::move(at)};
    return {base::code::denied, std::move(message),
            R"(call toolsets with {"action": "enable", "name": ")" + set +
                R"("} and then this tool again, or have the server started with --toolsets )" + set,
            std::move(at)};
}

}  // namespace gdalmcp::app
