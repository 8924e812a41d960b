#include "reflection/specs.hpp"

#include "base/schema.hpp"
#include "base/schema_lint.hpp"
#include "example.hpp"
#include "reflection/bundle_source.hpp"
#include "reflection/host_tools.hpp"

using namespace example;

namespace {
const std::string question =
    "---\nname: why\ntitle: W\ndescription: D\narguments: [{name: a, description: A}]\n---\nWhy {{a}}?\n";
const std::string minimal =
    "domain: d\ntitle: D\nprompt: why\nrisk: low\nquestion: Why?\nkey: {a: lower}\ntools: {t: {a: /a}}\n";

std::string loading(const std::string& spec, const std::string& more = "") {
    const folder f;
    spec_source core{"core", {f.file("d.yaml", spec)}, {f.file("why.md", question)}};
    std::vector<spec_source> sources{core};
    if (!more.empty()) sources.push_back({"org.acme", {f.file("acme.yaml", more)}, {}});
    const auto loaded = specs::load(sources);
    if (loaded) return "loaded";
    auto message = loaded.error().message;
    for (auto at = message.find(f.path.string() + "/"); at != std::string::npos;
         at = message.find(f.path.string() + "/"))
        message.erase(at, f.path.string().size() + 1);
    return message;
}
// The lines are looked at apart.
std::string without_line(std::string message) {
    const auto at = message.find(", line "), colon = message.find(':', at);
    return at == std::string::npos || message.find(", column ") != std::string::npos ? message
                                                                                     : message.erase(at, colon - at);
}
std::string bare(const std::string& spec, const std::string& more) { return without_line(loading(spec, more)); }
std::string with(const std::string& line, std::string replaced = "") {
    auto text = minimal;
    if (!replaced.empty()) {
        const auto at = text.find(replaced);
        text.erase(at, text.find('\n', at) + 1 - at);
    }
    return without_line(loading(text + line + "\n"));
}
}  // namespace

TEST_CASE("a methodology page that is named must come with the spec") {
    const folder f;
    spec_source from{
        "core", {f.file("d.yaml", minimal + "methodology: methodology/d.md\n")}, {f.file("why.md", question)}};
    CHECK(specs::load({from}).error().message.find("/methodology is 'methodology/d.md', and there is no such page") !=
          std::string::npos);
    from.methodology.push_back(f.file("pages/d.md", "# D\n"));
    CHECK(specs::load({from}).value()->find("d")->methodology == "# D\n");
}

TEST_CASE("a contributor is added whole or not at all") {
    const folder f;
    specs s;
    REQUIRE(s.add({"core", {f.file("d.yaml", minimal)}, {f.file("why.md", question)}}));
    const auto other = "---\nname: other\ntitle: O\ndescription: D\n---\nOther?\n";
    CHECK_FALSE(
        s.add({"org.acme",
               {f.file("a.yaml", "extends: d\ntools: {acme_t: {a: /x}}\n"), f.file("b.yaml", "extends: d\ntools: 1\n")},
               {f.file("other.md", other)}}));
    CHECK(s.domains_of("acme_t").empty());
    CHECK(s.prompts().size() == 1);
    CHECK(
        s.add({"org.acme", {f.file("a.yaml", "extends: d\ntools: {acme_t: {a: /x}}\n")}, {f.file("other.md", other)}}));
    CHECK(s.domains_of("acme_t") == std::vector<std::string>{"d"});
}

TEST_CASE("a domain is read before what extends it, whatever the files are called") {
    const folder f;
    specs s;
    REQUIRE(s.add({"org.acme",
                   {f.file("a.yaml", "# Ours.\nextends: d\ntools: {acme_t: {a: /x}}\n"), f.file("b.yaml", minimal)},
                   {f.file("why.md", question)}}));
    CHECK(s.domains_of("acme_t") == std::vector<std::string>{"d"});
}

TEST_CASE("an extension names its contributor's own tools only") {
    const folder f;
    specs s;
    REQUIRE(s.add({"core", {f.file("d.yaml", minimal)}, {f.file("why.md", question)}}));
    spec_source acme{"org.acme", {f.file("a.yaml", "extends: d\ntools: {other_t: {a: /x}}\n")}, {}, {}};
    acme.own_tools.emplace().insert("acme_t");
    CHECK(s.add(acme).error().message.find("/tools/other_t is not a tool of org.acme") != std::string::npos);
    acme.own_tools->insert("other_t");
    CHECK(s.add(acme));
}

TEST_CASE("the six shipped domains load and govern the first tools") {
    std::vector<std::string> domains;
    for (const auto& s : shipped()->all()) domains.push_back(s.domain);
    CHECK(domains == std::vector<std::string>{"aggregation", "crs_datum", "format_selection", "hydrology", "resampling",
                                              "spatial_query"});
    CHECK(shipped()->domains_of("raster_reproject") == std::vector<std::string>{"crs_datum", "resampling"});
    CHECK(shipped()->domains_of("vector_reproject") == std::vector<std::string>{"crs_datum"});
    CHECK(shipped()->domains_of("raster_info").empty());
}

TEST_CASE("a spec that is wrong stops the load with source, file and field") {
    CHECK(loading(minimal) == "loaded");
    CHECK(loading("domain: [").substr(0, 20) == "core: d.yaml, line 1");
    CHECK(with("colour: red") == "core: d.yaml: the spec has no member 'colour'");
    CHECK(with("", "risk:") == "core: d.yaml: the spec lacks the required member 'risk'");
    CHECK(with("risk: huge", "risk:") ==
          R"(core: d.yaml: '/risk' is "huge"; it must be one of "low", "medium", "high")");
    CHECK(with("domain: ../x", "domain:").find("'/domain'") != std::string::npos);
    CHECK(with("prompt: how", "prompt:") == "core: d.yaml: /prompt is 'how', and there is no such prompt");
    CHECK(with("key: {domain: lower}", "key:") == "core: d.yaml: /key/domain: a key argument may not have this name");
    CHECK(with("key: {prompt_hash: lower}", "key:").find("may not have this name") != std::string::npos);
    CHECK(with("key: {a: upper}", "key:").find("core: d.yaml: /key/a: '/normalise' is \"upper\"") == 0);
    CHECK(with("choice: b") == "core: d.yaml: /choice is 'b', which is not a key argument");
    CHECK(with("tools: {t: {b: /b}}", "tools:") == "core: d.yaml: /tools/t maps 'b', which is not a key argument");
    CHECK(with("tools: {t: {}}", "tools:") == "core: d.yaml: /tools/t does not define where 'a' comes from");
    CHECK(with("tools: {t: {a: b}}", "tools:") == R"(core: d.yaml: /tools/t/a is not a source: "b")");
    CHECK(with("tools: {t: {a: {pointer: /a, part: stem}}}", "tools:").find("is not a source") != std::string::npos);
    CHECK(with("not_needed_when: [{key: b, present: true}]") ==
          "core: d.yaml: /not_needed_when/0 names 'b', which is not a key argument");
    CHECK(with("not_needed_when: [{argument: /a, eq: 1}]") ==
          "core: d.yaml: /not_needed_when/0/eq is not part of a condition");
    CHECK(with("policy: {missing: ignore}").find("/policy/missing") != std::string::npos);
    CHECK(with("policy: {max_age_days: soon}").find("/policy/max_age_days") != std::string::npos);
    CHECK(with("critical_when: [{fact: x}]").find("/critical_when/0/fact") != std::string::npos);
    CHECK(with("title_when: [{argument: /a, present: true}]").find("lacks the required member 'note'") !=
          std::string::npos);
    CHECK(
        with("title_when: [{argument: /a, present: true, note: 'b {key:b}'}]").find("names 'b', which is not a key") !=
        std::string::npos);
    CHECK(with("question_when: [{argument: /a, present: true}]").find("lacks the required member 'note'") !=
          std::string::npos);
    CHECK(bare(minimal, minimal) == "org.acme: acme.yaml: /domain: there is a domain 'd' already");
}

TEST_CASE("a misspelt name in a spec is compared with those there are") {
    const folder f;
    const auto defect = [&](const std::string& more) {
        const auto ok = specs::load({{"core", {f.file("d.yaml", minimal + more)}, {f.file("why.md", question)}}});
        const auto& p = ok.error();
        return p.message.substr(p.message.find(", line") + 2) + " -> " + p.hint;
    };
    CHECK(defect("choice: b\n") == "line 8: /choice is 'b', which is not a key argument -> the key arguments are 'a'");
    CHECK(defect("checks:\n"
                 "  - {choice_equals_arg: a}\n"
                 "  - {name: c, message: No, when: {key: aa, present: true}}\n") ==
          "line 10: /checks/1 (c) names 'aa', which is not a key argument -> did you mean 'a'? the key arguments are "
          "'a'");
    CHECK(defect("policy: {stail: warn}\n").find("did you mean 'stale'? ") != std::string::npos);
}

TEST_CASE("a prompt that cannot be read is one defect, also where a spec names it") {
    const folder f;
    auto broken = question;
    broken.replace(broken.rfind("?"), 1, " {{a}?");
    specs s;
    const auto defects = s.add_what_fits({"core", {f.file("d.yaml", minimal)}, {f.file("why.md", broken)}});
    REQUIRE(defects.size() == 1);
    CHECK(defects.front().message.find("why.md, line") != std::string::npos);
}

TEST_CASE("every message about a spec names the line") {
    CHECK(loading(minimal + "\n\ncolour: red\n") == "core: d.yaml, line 10: the spec has no member 'colour'");
    CHECK(loading(minimal + "tools: 1\n").find("core: d.yaml, line 8, column 1: 'tools' stands twice") == 0);
    CHECK(loading(minimal + "policy:\n  stale: warn\n  missing: ignore\n")
              .find("core: d.yaml, line 10: /policy/missing") == 0);
    CHECK(loading(minimal + "not_needed_when:\n  - {argument: /a, present: true}\n  - {argument: /a, eq: 1}\n") ==
          "core: d.yaml, line 10: /not_needed_when/1/eq is not part of a condition");
    CHECK(loading(minimal + "scope:\n  kind: {same: true}\n  size: {same: true, factor: 2}\n")
              .find("core: d.yaml, line 10: /scope/size needs exactly one of") == 0);
    CHECK(loading(minimal + "checks:\n  - name: c\n    when: {fact: /x, is: 1}\n")
              .find("core: d.yaml, line 9: /checks/0") == 0);
    CHECK(loading(minimal + "asks:\n  use: {one_of: [a]}\n").find("core: d.yaml, line 9: /asks/use") == 0);
    CHECK(loading(minimal + "evidence:\n  - {name: e, arguments: {uri: [uri]}}\n")
              .find("core: d.yaml, line 9: /evidence/0/arguments/uri is not a source") == 0);
    CHECK(loading(minimal + "policy: {off: true}\n").find("off is for the operator's policy file only") !=
          std::string::npos);
}

TEST_CASE("a message names its values in braces that are closed, by a form that exists") {
    const auto message = [](const std::string& text) {
        return with("checks: [{name: c, when: {key: a, present: true}, message: '" + text + "'}]");
    };
    CHECK(message("{key:a} {/input/kind} {percent:/x/share} {argument:/a} {answer:/facts/use}") == "loaded");
    CHECK(message("{key:b} counts") == "core: d.yaml: /checks: 'c' names 'b', which is not a key argument");
    CHECK(message("{key:a counts") == "core: d.yaml: /checks/0/message: the brace of '{key:a' is not closed");
    CHECK(message("{key:a counts {/input/kind}").find("the brace of '{key:a' is not closed") != std::string::npos);
    CHECK(message("{a} counts").find("'{a}' does not say where the value comes from") != std::string::npos);
    CHECK(with("evidence: [{name: e, arguments: {uri: {key: b}}}]") ==
          "core: d.yaml: /evidence: 'e', argument 'uri', names 'b', which is not a key argument");
}

TEST_CASE("each check has a name of its own, by which a conflict is accepted") {
    CHECK(loading(minimal + "checks:\n- {name: odd, when: {key: a, is: x}, message: No.}\n"
                            "- {name: odd, when: {key: a, is: y}, message: Neither.}\n")
              .find("/checks/1: the name 'odd' stands twice") != std::string::npos);
}

TEST_CASE("a contributor is read by itself, without the domains it extends") {
    const auto alone = [](const std::string& spec) {
        const folder f;
        const auto read = specs_alone({"acme", {f.file("d.yaml", spec)}, {f.file("why.md", question)}});
        return read ? std::to_string(read->all().size()) + " domains" : read.error().message;
    };
    CHECK(alone(minimal) == "1 domains");
    CHECK(alone("extends: crs_datum\ntools: {t: {dst_crs: /x}}\n") == "0 domains");
    CHECK(alone("extends: crs_datum\ntols: {}\n").find("the spec has no member 'tols'") != std::string::npos);
    CHECK(alone(minimal + "methodology: d.md\n").find("there is no such page") != std::string::npos);
}

TEST_CASE("an unknown member in place of a required one is named with its own line") {
    CHECK(loading(minimal + "checks:\n  - name: c\n    when: {fact: /x, is: 1}\n    tell: No\n") ==
          "core: d.yaml, line 11: /checks/0: the check has no member 'tell'; line 9: /checks/0: the check lacks the "
          "required member 'message'");
    auto text = minimal;
    text.replace(text.find("risk:"), 4, "rsk");
    CHECK(loading(text) ==
          "core: d.yaml, line 4: the spec has no member 'rsk'; line 1: the spec lacks the required member 'risk'");
}

TEST_CASE("what a reason implies is a whole key of the domain") {
    const std::string two = "key: {a: lower, b: {normalise: number, optional: true}}\n";
    CHECK(with(two + "implies: [{of: {a: x}, key: {a: y}, keep: [b]}]", "key:") == "loaded");
    CHECK(with(two + "implies: [{of: {a: x}, key: {a: y}, keep: [c]}]", "key:") ==
          "core: d.yaml: /implies names 'c', which is not a key argument");
    CHECK(with(two + "implies: [{of: {b: 1}, key: {b: 2}, keep: []}]", "key:") ==
          "core: d.yaml: /implies: the key lacks 'a', which is not optional");
}

TEST_CASE("every unknown and every missing member of a file is reported, and what else stopped the reading") {
    const folder f;
    specs s;
    const auto defects =
        s.add_what_fits({"core",
                         {f.file("d.yaml", minimal + "colour: red\n"
                                                     "checks:\n"
                                                     "  - {name: c, tell: No, when: {fact: /x, is: 1}}\n"
                                                     "plan:\n"
                                                     "  - {title: T, prompt_args: {}, of: [b]}\n")},
                         {f.file("why.md", question)}});
    std::vector<std::string> messages;
    for (const auto& d : defects) messages.push_back(d.message.substr(d.message.find(", line")));
    CHECK(messages == std::vector<std::string>{", line 8: the spec has no member 'colour'",
                                               ", line 10: /checks/0: the check has no member 'tell'",
                                               ", line 10: /checks/0: the check lacks the required member 'message'",
                                               ", line 12: '/plan/0' has no member 'of'",
                                               ", line 12: '/plan/0' lacks the required member 'one_of'"});
    const auto other = s.add_what_fits({"core", {f.file("d.yaml", minimal + "colour: red\nkey: 1\n")}, {}});
    CHECK(other.size() == 1);  // the text cannot be read, so its members are unknown
}

TEST_CASE("all defects of a contributor are reported, and its valid files are added") {
    const folder f;
    specs s;
    const auto defects = s.add_what_fits({"org.acme",
                                          {f.file("a.yaml", "domain: 1\n" + minimal.substr(minimal.find("title"))),
                                           f.file("b.yaml", minimal), f.file("c.yaml", "[")},
                                          {f.file("why.md", question), f.file("x.md", "no front matter")}});
    REQUIRE(defects.size() == 3);
    CHECK(defects[0].message.find("x.md") != std::string::npos);
    CHECK(defects[1].message.find("a.yaml, line 1:") != std::string::npos);
    CHECK(defects[2].message.find("c.yaml, line") != std::string::npos);
    CHECK(s.find("d"));
}

TEST_CASE("a bundle governs only its own tools in an existing domain") {
    CHECK(bare(minimal, "extends: d\ntools: {acme_t: {a: /x}}\n") == "loaded");
    CHECK(
        bare(
            minimal,
            "extends: d\ntools: {acme_t: {a: /x}}\nnot_needed_when: [{tool: acme_t, argument: /y, present: true}]\n") ==
        "loaded");
    CHECK(bare(minimal, "extends: e\ntools: {acme_t: {a: /x}}\n") ==
          "org.acme: acme.yaml: /extends is 'e', a domain not defined before it");
    CHECK(bare(minimal, "extends: d\ntools: {t: {a: /x}}\n") ==
          "org.acme: acme.yaml: /tools/t: domain d governs 't' already");
    CHECK(bare(minimal, "extends: d\ntools: {acme_t: {a: /x}}\nnot_needed_when: [{argument: /y, present: true}]\n") ==
          "org.acme: acme.yaml: /not_needed_when: a condition of an extension must name, as `tool`, a tool of the same "
          "file");
    CHECK(bare(minimal, "extends: d\ntools: {acme_t: {b: /x}}\n") ==
          "org.acme: acme.yaml: /tools/acme_t maps 'b', which is not a key argument of d");
    CHECK(bare(minimal, "extends: d\npolicy: {missing: warn}\ntools: {acme_t: {a: /x}}\n") ==
          "org.acme: acme.yaml: the spec has no member 'policy'");
}

TEST_CASE("prompts are served with the key in its normal form") {
    const auto served = [](const char* name, const json::object& arguments) {
        const auto messages = shipped()->prompt_messages(name, arguments, crs());
        return std::string{messages->at(0).at("content").at("text").as_string()};
    };
    const auto text = served("justify_crs_selection", {{"dst_crs", "epsg:3857"}});
    CHECK(text.find("moved to EPSG:3857.") != std::string::npos);
    CHECK(text.find(R"("choice": {"method": "EPSG:3857")") != std::string::npos);
    const auto extent = served("justify_query_extent", {{"geometry", "[0.0,0,1,1]"}, {"geometry_crs", "EPSG:4326"}});
    CHECK(extent.find(R"("method": "[0,0,1,1]")") != std::string::npos);
    CHECK(shipped()->prompt_messages("geospatial-analyst", {}, crs()));
    CHECK(shipped()->prompt_messages("justify_crs_selection", {}, crs()).error().at == "/dst_crs");
    CHECK(shipped()->prompt_messages("justify_nothing", {}, crs()).error().code == base::code::not_found);
}

TEST_CASE("the host's own tools pass the lint of tool schemas") {
    for (const auto& tool : host_tool_definitions(*shipped())) {
        INFO(tool.at("name"));
        CHECK(base::lint_schema(tool.at("inputSchema")).empty());
        CHECK(base::lint_schema(tool.at("outputSchema")).empty());
        CHECK(tool.at("description").as_string().size() <= 1000);
    }
}
