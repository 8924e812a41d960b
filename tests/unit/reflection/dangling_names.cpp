#include "reflection/dangling_names.hpp"

#include "example.hpp"

using namespace example;

namespace {

const std::string question = "---\nname: why\ntitle: W\ndescription: D\n---\nWhy?\n";

// Of the governed tool `t`.
const json::value arguments = parsed(R"({"type": "object", "additionalProperties": false, "required": ["mode", "uri"],
  "properties": {"mode": {"type": "string", "enum": ["fast", "exact"]}, "uri": {"type": "string"},
    "name": {"type": "string"}}})");
// Of the provider `parts`.
const json::value result = parsed(R"({"type": "object", "additionalProperties": false, "properties": {
    "holed": {"type": "integer"}, "summary": {"type": "string"}, "source": {"type": "string"}}})");

const tool_schemas schemas{[](std::string_view tool) { return tool == "t" ? &arguments : nullptr; },
                           [](std::string_view tool) { return tool == "parts" ? &result : nullptr; }};

std::string written(const std::vector<base::problem>& found) {
    std::string all;
    for (const auto& p : found) all += (all.empty() ? "" : "\n") + p.message + "; " + p.hint;
    return all;
}

// The names that lead nowhere in a spec of "acme" that says `more`.
std::string dangling(const std::string& more, const std::string& tools = "{t: {a: /mode}}") {
    specs s;
    const auto ok = s.add({"acme",
                           {{"d.yaml",
                             "domain: d\ntitle: D\nprompt: why\nrisk: low\nquestion: Why?\nkey: {a: lower}\n"
                             "tools: " +
                                 tools + "\n" + more}},
                           {{"why.md", question}}});
    INFO((ok ? "" : ok.error().message));
    REQUIRE(ok);
    return written(dangling_names(s, "acme", schemas));
}
std::string measuring(const std::string& arguments_of_parts) {
    return dangling("evidence: [{name: parts, arguments: " + arguments_of_parts + "}]\n");
}
std::string checking(const std::string& when, const std::string& message = "No.") {
    return dangling("evidence: [{name: parts, arguments: {uri: /uri}}]\nchecks: [{name: odd, when: " + when +
                    ", message: '" + message + "'}]\n");
}

}  // namespace

TEST_CASE("evidence from an argument that no governed tool has is found, with the nearest name") {
    CHECK(measuring("{uri: /urj}") ==
          "the spec of domain 'd': /evidence: 'parts', argument 'uri', names the argument '/urj', which none of the "
          "governed tools has; did you mean '/uri'? known: '/mode', '/uri', '/name'");
    CHECK(measuring("{uri: {pointer: /urj, part: extension}}") != "");
    for (const auto* sound : {"{uri: /uri}", "{uri: {key: a}}", "{uri: {value: x}}", "{uri: {fact: /input/path}}"})
        CHECK(measuring(sound) == "");
}

TEST_CASE("a condition on an argument or value that cannot be is found") {
    CHECK(checking("{argument: /mod, present: true}").find("/checks: 'odd' names the argument '/mod'") !=
          std::string::npos);
    CHECK(checking("{all: [{key: a, is: fats}]}") ==
          "the spec of domain 'd': /checks: 'odd' compares 'a' with \"fats\", which it never is; did you mean 'fast'? "
          "known: 'fast', 'exact'");
    CHECK(checking("{argument: /mode, not_in: [fast, slow]}").find("compares '/mode' with \"slow\"") !=
          std::string::npos);
    CHECK(dangling("not_needed_when: [{argument: /mod, present: true}]\n").find("/not_needed_when names") !=
          std::string::npos);
    CHECK(dangling("scope: {mod: {argument: /mod, same: true}}\n").find("/scope/mod names") != std::string::npos);
    for (const auto* sound : {"{key: a, is: Fast}", "{argument: /name, is: anything}", "{argument: /mode, is: exact}",
                              "{key: a, in: [fast, exact]}", "{argument: /name, present: false}"}) {
        INFO(sound);
        CHECK(checking(sound) == "");
    }
}

TEST_CASE("a member that a measurement lacks is found in conditions, scopes and messages") {
    const auto names =
        "names '/evidence/parts/hole', and the result of 'parts' has no such member; did you mean "
        "'/evidence/parts/holed'?";
    CHECK(checking("{fact: /evidence/parts/hole, above: 0}").find(names) != std::string::npos);
    CHECK(checking("{key: a, is: fast}", "{percent:/evidence/parts/hole} are holed").find(names) != std::string::npos);
    CHECK(checking("{key: a, is: fast}", "{argument:/mod} {key:a}").find("'/mod'") != std::string::npos);
    CHECK(dangling("evidence: [{name: parts, arguments: {uri: /uri}}]\n"
                   "scope: {h: {fact: /evidence/parts/hole, at_most: 2}}\n")
              .find(names) != std::string::npos);
    CHECK(checking("{fact: /evidence/parts/holed, above: 0}", "{/evidence/parts/absent} {/input/path}") == "");
    CHECK(checking("{key: a, is: fast}", "{key:a} of {answer:/intent}, {argument:/mode}") == "");
    CHECK(checking("{key: a, is: fast}", "{answer:/intend}").find("names '/intend'") != std::string::npos);
}

TEST_CASE("a fact that there is not is found, with the nearest name beside it") {
    const auto names =
        "names the fact '/input/crs/geografic', which there is not; did you mean "
        "'/input/crs/geographic'?";
    CHECK(checking("{fact: /input/crs/geografic, is: true}").find(names) != std::string::npos);
    CHECK(checking("{fact: /inputt/crs, present: true}").find("did you mean '/input', '/inputs'?") !=
          std::string::npos);
    CHECK(checking("{fact: /inputs/1/kin, is: class}").find("did you mean '/inputs/1/kind'?") != std::string::npos);
    CHECK(checking("{fact: /evidence/part/holed, above: 0}")
              .find("names '/evidence/part/holed', and the domain has no evidence 'part'; did you mean 'parts'?") !=
          std::string::npos);
    CHECK(checking("{key: a, is: fast}", "of {/input/unitt}").find("'/input/unitt'") != std::string::npos);
    CHECK(measuring("{uri: {fact: /input/pth}}").find("'/input/pth'") != std::string::npos);
    CHECK(dangling("scope: {k: {fact: /input/kindd, same: true}}\n").find("/scope/k names") != std::string::npos);
    CHECK(dangling("", "{t: {a: {fact: /input/kin}}}").find("/tools/t/a names the fact '/input/kin'") !=
          std::string::npos);
    CHECK(dangling("grid: {resolution: /nope}\n").find("/grid/resolution names the argument '/nope'") !=
          std::string::npos);
    for (const auto* sound :
         {"{fact: /input, present: true}", "{fact: /inputs/1/layers/0/fields/2, is: x}",
          "{fact: /input/made_by/reasons/d/use, is: display}", "{fact: /made_for_display/0/path, is: x}",
          "{fact: /grid/ratio, above: 2}", "{fact: /evidence/parts, present: true}"}) {
        INFO(sound);
        CHECK(checking(sound) == "");
    }
}

TEST_CASE("an answer that cannot be is found; a fact that answers state is one") {
    const std::string asks = "asks: {use: {one_of: [map, area], about: For what., known_by: /input/purpose}}\n";
    const auto answered = [&](const std::string& when) {
        return dangling(asks + "checks: [{name: odd, when: " + when + ", message: No.}]\n");
    };
    CHECK(answered("{answer: /facts/us, is: map}")
              .find("names '/facts/us', which the domain does not ask for; did you "
                    "mean '/facts/use'?") != std::string::npos);
    CHECK(answered("{answer: /facts/use, is: maps}")
              .find("compares '/facts/use' with \"maps\", which it never is; did "
                    "you mean 'map'?") != std::string::npos);
    CHECK(answered("{answer: /confidense, is: low}")
              .find("names '/confidense', which an answer does not have; did you "
                    "mean '/confidence'?") != std::string::npos);
    for (const auto* sound : {"{answer: /facts/use, in: [map, area]}", "{answer: /choice/method, is: x}",
                              "{answer: /confidence, is: low}", "{fact: /input/purpose, is: map}"})
        CHECK(answered(sound) == "");
}

TEST_CASE("a comparison of a fact of another type is found: it would never find a difference") {
    const auto scoped = [](const std::string& rule) { return dangling("scope: {s: " + rule + "}\n"); };
    CHECK(scoped("{fact: /input/cell_m, factor: 2}") ==
          "the spec of domain 'd': /scope/s compares '/input/cell_m' as a number, and it is a list; name one of its "
          "numbers, such as '/input/cell_m/0'");
    CHECK(scoped("{fact: /input/kind, within: 5}").find("'/input/kind' as a number, and it is a text") !=
          std::string::npos);
    for (const auto* fact : {"/input/cell_m/0", "/input/kind", "/input/cell_m"})
        CHECK(scoped("{fact: " + std::string{fact} + ", grow: 0.5}").find("/scope/s: `grow` compares boxes, and '") !=
              std::string::npos);
    for (const auto* sound : {"{fact: /input/cell_m/0, factor: 2}", "{fact: /input/cell_m, same: true}",
                              "{fact: /input/bounds, or_fact: /input/bounds_wgs84, grow: 1}",
                              "{argument: /name, within: 1}", "{fact: /input/layers/0/crs/unit_m, at_most: 2}"}) {
        INFO(sound);
        CHECK(scoped(sound) == "");
    }
    CHECK(dangling("evidence: [{name: parts, arguments: {uri: /uri}}]\nscope: {s: {fact: /evidence/parts/source, "
                   "at_most: 2}}\n")
              .find("as a number, and it is a text") != std::string::npos);
}

TEST_CASE("a condition that no value of a fact meets is found") {
    CHECK(checking("{fact: /input/kind, above: 3}").find("compares '/input/kind' as a number, and it is a text") !=
          std::string::npos);
    CHECK(
        checking("{fact: /input/kind, is: elevatoin}") ==
        "the spec of domain 'd': /checks: 'odd' compares '/input/kind' with \"elevatoin\", which it never is; did you "
        "mean 'elevation'? known: 'class', 'qa_bits', 'continuous', 'count', 'ratio', 'angle', 'elevation', "
        "'imagery', 'unknown'");
    for (const auto* never :
         {"{fact: /input/kind_of_dataset, is: rasters}", "{fact: /input/surface, in: [dtm, dom]}",
          "{fact: /input/crs/kind, not_in: [projekted]}", "{fact: /input/crs/geographic, is: 'true'}",
          "{fact: /grid/ratio_class, is: 4}", "{fact: /input/width, is: '7'}", "{fact: /input/unit, is: 1}",
          "{fact: /input/subdatasets, is: a}", "{fact: /evidence/parts/holed, is: none}"}) {
        INFO(never);
        CHECK(checking(never).find("which it never is") != std::string::npos);
    }
    for (const auto* sound : {"{fact: /input/kind, is: Elevation}", "{fact: /input/subdatasets, contains: a}",
                              "{fact: /input/width, is: 7}", "{fact: /input/bands/0/nodata, is: nan}",
                              "{fact: /input/bands/0/nodata, above: 3}", "{fact: /input/made_by/kind, is: class}",
                              "{fact: /input/crs/geographic, is: true}", "{fact: /evidence/parts/holed, is: 3}"}) {
        INFO(sound);
        CHECK(checking(sound) == "");
    }
    CHECK(dangling(
              "asks: {surface: {one_of: [roof, ground], about: the surface, known_by: /input/surface, keep: dataset}}\n"
              "checks: [{name: c, when: {fact: /input/surface, is: roof}, message: No.}]\n") == "");
}

TEST_CASE("nothing is said of tools and providers that are not known") {
    CHECK(dangling("checks: [{name: c, when: {argument: /x, is: y}, message: No.}]\n", "{other: {a: /x}}") == "");
    CHECK(dangling("checks: [{name: c, when: {argument: /x, is: y}, message: No.}]\n",
                   "{t: {a: /mode}, other: {a: /x}}") == "");
    CHECK(dangling("evidence: [{name: e, tool: other, arguments: {uri: /uri}}]\n"
                   "checks: [{name: c, when: {fact: /evidence/e/x, above: 0}, message: No.}]\n") == "");
}

TEST_CASE("an extension's own names are those of its contributor") {
    specs s;
    REQUIRE(s.add({"core",
                   {{"d.yaml",
                     "domain: d\ntitle: D\nprompt: why\nrisk: low\nquestion: Why?\nkey: {a: lower}\n"
                     "tools: {other: {a: /x}}\nchecks: [{name: c, when: {key: a, is: slow}, message: No.}]\n"}},
                   {{"why.md", question}}}));
    REQUIRE(s.add({"acme",
                   {{"x.yaml",
                     "extends: d\ntools: {t: {a: /mode}}\nevidence: [{name: e, for: [t], arguments: {uri: /urj}}]\n"
                     "not_needed_when: [{tool: t, argument: /mod, present: true}]\n"}},
                   {}}));
    const auto found = written(dangling_names(s, "acme", schemas));
    CHECK(found.find("'/urj'") != std::string::npos);
    CHECK(found.find("'/mod'") != std::string::npos);
    CHECK(dangling_names(s, "core", schemas).empty());
}
