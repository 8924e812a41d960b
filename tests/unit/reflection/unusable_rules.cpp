#include "reflection/unusable_rules.hpp"

#include "example.hpp"

using namespace example;

namespace {

const std::string question = "---\nname: why\ntitle: W\ndescription: D\n---\nWhy?\n";

// The tool that is governed: one argument of a choice, one of text, one that is required; no others.
const json::value arguments = parsed(R"({"type": "object", "additionalProperties": false, "required": ["mode", "uri"],
  "properties": {"mode": {"type": "string", "enum": ["fast", "exact"]}, "uri": {"type": "string", "minLength": 1},
    "name": {"type": "string"}, "count": {"type": "integer", "default": 1}, "words": {"type": "array", "items": {"type": "string"}},
    "whole": {"type": "boolean"}, "free": {"type": "object"}}})");

// What is wrong with a spec of "acme" that maps `key` of `t` and says `more`; "": nothing.
std::string defect(const std::string& tools, const std::string& more = "", const std::string& key = "{a: lower}") {
    specs s;
    const auto ok = s.add({"acme",
                           {{"d.yaml", "domain: d\ntitle: D\nprompt: why\nrisk: low\nquestion: Why?\nkey: " + key +
                                           "\ntools: " + tools + "\n" + more}},
                           {{"why.md", question}}});
    INFO((ok ? "" : ok.error().message));
    REQUIRE(ok);
    const auto found = unusable_rules(s, [](std::string_view tool) { return tool == "t" ? &arguments : nullptr; });
    CHECK(found.size() <= 1);
    return found.empty() ? "" : found.front().why.message;
}
std::string key_from(const std::string& source, const std::string& key = "{a: lower}") {
    return defect("{t: {a: " + source + "}}", "", key);
}
std::string refusing(const std::string& when, const std::string& more = "", const std::string& source = "/mode") {
    return defect("{t: {a: " + source + "}}",
                  "checks: [{name: never, when: " + when + ", message: No., outcome: refuse}]\n" + more);
}

}  // namespace

TEST_CASE("a rule for an unknown tool is unusable and names it") {
    CHECK(defect("{nope: {a: /mode}}") == "the spec of domain 'd': /tools/nope: no bundle has a tool 'nope'");
    CHECK(defect("{t: {a: /mode}}") == "");
}

TEST_CASE("a key that no call can give is unusable") {
    const auto never =
        "the spec of domain 'd': /tools/t/a: no call of 't' can give the key argument 'a', so none would ever run";
    for (const auto* source :
         {"/nope", "/mode/deeper", "[/nope, /nada]", "{value: ''}", "{value: null}", "{value: true}",
          "{pointer: /nope, part: extension}", "{pointer: /nope, option: X}", "/words", "[]"}) {
        INFO(source);
        CHECK(key_from(source) == never);
    }
    CHECK(key_from("/mode", "{a: number}") == never);  // none of the words is a number
    CHECK(key_from("/words", "{a: number}") == never);
    CHECK(key_from("/whole") == never);
    for (const auto* source : {"/mode", "/name", "[/nope, /name]", "{value: x}", "{fact: /input/crs}", "/free/inside",
                               "{pointer: /uri, part: extension}", "{pointer: /words, option: X}"}) {
        INFO(source);
        CHECK(key_from(source) == "");
    }
    CHECK(key_from("/count", "{a: number}") == "");
    CHECK(key_from("/words", "{a: {normalise: lower, list: true}}") == "");
    CHECK(key_from("/free", "{a: crs}") == "");
}

TEST_CASE("a key argument that may be absent needs no source, but for the choice, which an answer must name") {
    CHECK(defect("{t: {a: /mode}}", "", "{a: lower, b: {normalise: lower, optional: true}}") == "");
    CHECK(key_from("/nope", "{a: {normalise: lower, optional: true}}") != "");
    CHECK(defect("{t: {a: /nope}}", "policy: {missing: warn}\n", "{a: {normalise: lower, optional: true}}") == "");
}

TEST_CASE("a defect in an extension's mapping is attributed to its contributor") {
    specs s;
    REQUIRE(s.add(
        {"core",
         {{"d.yaml",
           "domain: d\ntitle: D\nprompt: why\nrisk: low\nquestion: Why?\nkey: {a: lower}\ntools: {t: {a: /mode}}\n"}},
         {{"why.md", question}}}));
    REQUIRE(s.add({"acme", {{"x.yaml", "extends: d\ntools: {u: {a: /nope}}\n"}}, {}}));
    const auto found = unusable_rules(s, [](std::string_view) { return &arguments; });
    REQUIRE(found.size() == 1);
    CHECK(found.front().by == "acme");
}

TEST_CASE("a check that refuses every call is unusable") {
    const auto all = "the spec of domain 'd': /checks: 'never' refuses every call of 't'";
    for (const auto* when :
         {"{key: a, present: true}", "{argument: /uri, present: true}", "{argument: /nope, present: false}",
          "{argument: /mode, in: [fast, exact]}", "{argument: /mode, not_in: [slow]}", "{key: a, in: [exact, fast]}",
          "{none: [{argument: /mode, is: slow}]}",
          "{all: [{key: a, present: true}, {argument: /count, above: 0, tool: t}]}",
          "{any: [{argument: /name, present: true}, {argument: /name, present: false}]}",
          "{any: [{argument: /mode, is: fast}, {argument: /mode, is: exact}]}",
          "{any: [{answer: /intent, present: true}, {answer: /intent, present: false}]}"}) {
        INFO(when);
        const bool certain = std::string_view{when}.find("above") == std::string_view::npos;  // of any number
        CHECK(refusing(when) == (certain ? all : ""));
    }
    CHECK(refusing("{key: a, is: x}", "", "{value: x}") == all);
}

TEST_CASE("a check that refuses some calls is a rule") {
    for (const auto* when :
         {"{argument: /mode, is: fast}", "{argument: /name, present: true}", "{fact: /input/kind, is: class}",
          "{argument: /name, is: x}", "{argument: /count, above: 5}", "{key: a, is: fast}",
          "{any: [{fact: /input/crs, present: true}, {fact: /input/crs, present: false}]}",
          "{key: a, present: true, tool: other}", "{answer: /facts/use, is: area}",
          "{any: [{argument: /name, is: x}, {argument: /name, not_in: [x]}]}"}) {
        INFO(when);
        CHECK(refusing(when) == "");
    }
    CHECK(refusing("{key: a, present: true}", "not_needed_when: [{argument: /mode, is: fast}]\n") == "");
    CHECK(refusing("{key: a, present: true}", "policy: {checks: {never: warn}}\n") == "");
    CHECK(
        defect("{t: {a: /mode}}",
               "checks: [{name: c, when: {key: a, present: true}, message: No., outcome: warn}]\npolicy: {checks: {c: "
               "refuse}}\n") != "");
}

TEST_CASE("a condition with too many cases to enumerate is a rule") {
    std::string when = "{any: [{argument: /uri, present: true}";
    for (int i = 0; i < 40; ++i) when += ", {argument: /name, is: x" + std::to_string(i) + "}";
    CHECK(refusing(when + "]}") == "");
}

TEST_CASE("the operator names the tools a bundle may govern beside its own") {
    const auto policy = policy_file::parse("govern: {org.acme: [t, u], org.trusted: any, '*': own}\n").value();
    CHECK(policy.may_govern("org.acme", "t"));
    CHECK_FALSE(policy.may_govern("org.acme", "v"));
    CHECK(policy.may_govern("org.trusted", "v"));
    CHECK_FALSE(policy.may_govern("org.other", "t"));
    CHECK(policy_file{}.may_govern("org.other", "t"));
    CHECK_FALSE(policy_file::parse("govern: {org.acme: none}\n"));
    specs s;
    spec_source acme{
        "acme",
        {{"d.yaml",
          "domain: d\ntitle: D\nprompt: why\nrisk: low\nquestion: Why?\nkey: {a: lower}\ntools: {t: {a: /mode}}\n"}},
        {{"why.md", question}}};
    acme.own_tools = {"mine"};
    acme.may_govern = [](std::string_view) { return false; };
    CHECK(s.add(acme).error().message.find("the operator's policy does not let acme govern 't'") != std::string::npos);
    acme.own_tools = {"t"};
    CHECK(s.add(acme));
}

TEST_CASE("what is wrong with a policy is told with its place, its value and what is allowed") {
    const auto told = [](const char* text) {
        const auto wrong = policy_file::parse(text).error();
        return wrong.message + "; " + wrong.hint;
    };
    CHECK(told("domains: {a: off}\n") ==
          "'/domains/a' is \"off\"; it must be of type object; a domain has settings, such as {off: true}");
    CHECK(told("workspaces: {/w: off}\n") ==
          "'/workspaces/~1w' is \"off\"; it must be of type object; a workspace has "
          "domains, such as {crs_datum: {off: true}}");
    CHECK(told("workspaces: {/w: {a: off}}\n").find("'/workspaces/~1w/a' is \"off\"") == 0);
    CHECK(told("domains: {a: {checks: {c: deny}}}\n") ==
          "/domains/a: '/checks/c' is \"deny\"; it must be one of \"off\", \"warn\", \"ask\", \"refuse\"; ");
    CHECK(told("workspaces: {/w: {}, /w/: {}}\n") ==
          "/workspaces//w/: its folder, /w, stands twice; put its entries into one");
}

TEST_CASE("a policy holds for the real folder of a workspace") {
    const auto real = [](const std::string& folder) { return folder == "/data" ? "/mnt/disk" : folder; };
    const auto p = policy_file::parse("workspaces: {/data: {d: {off: true}}}\n", real).value();
    CHECK(p.applied("d", "/mnt/disk", {}).off);
    CHECK(p.workspaces() == std::vector<std::string>{"/mnt/disk"});
}
