// Documents, prompts and specs agree with each other and with the code.
#include <set>
#include <sstream>

#include "base/schema.hpp"
#include "example.hpp"
#include "reflection/known_facts.hpp"
#include "reflection/schema_place.hpp"

using namespace example;

namespace {
std::string docs() { return base::read_file(fs::path{SOURCE_DIR} / "docs/reflection.md").value(); }

std::string between(const std::string& text, const std::string& from, const std::string& to) {
    const auto start = text.find(from);
    REQUIRE(start != std::string::npos);
    const auto end = text.find(to, start + from.size());
    REQUIRE(end != std::string::npos);
    return text.substr(start + from.size(), end - start - from.size());
}

std::set<std::string> keys_of(const json::value& v, const std::string& prefix = "") {
    std::set<std::string> keys;
    if (const auto* o = v.if_object())
        for (const auto& m : *o) {
            keys.insert(prefix + std::string{m.key()});
            keys.merge(keys_of(m.value(), prefix + std::string{m.key()} + "."));
        }
    if (const auto* a = v.if_array())
        for (const auto& e : *a) keys.merge(keys_of(e, prefix));
    return keys;
}

std::string source_words(const key_source& s) {
    switch (s.from) {
        case key_source::origin::literal:
            return base::write_json(s.value);
        case key_source::origin::fact:
            return "fact `" + s.at + "`";
        case key_source::origin::extension:
            return "extension of `" + s.at + "`";
        case key_source::origin::option:
            return "`" + s.option + "` in `" + s.at + "`";
        case key_source::origin::key:
        case key_source::origin::argument:
            break;
    }
    return "`" + s.at + "`";
}

std::string table() {
    std::map<std::string, std::vector<std::string>> rows;
    for (const auto& s : shipped()->all())
        for (const auto& [tool, key] : s.tools) {
            std::string arguments;
            for (const auto& k : s.key) {
                const auto sources = key.find(k.name);
                if (sources == key.end()) continue;
                arguments += (arguments.empty() ? "" : "; ") + k.name + " = ";
                for (std::size_t i = 0; i < sources->second.size(); ++i)
                    arguments += (i ? ", else " : "") + source_words(sources->second[i]);
            }
            rows[tool].push_back("| `" + tool + "` | " + s.domain + " | " + arguments + " |\n");
        }
    std::string out = "\n| tool | domain | key arguments |\n|---|---|---|\n";
    for (const auto& [tool, lines] : rows)
        for (const auto& l : lines) out += l;
    return out;
}
}  // namespace

TEST_CASE("a methodology page lists each case in which its spec asks nothing") {
    for (const auto& s : shipped()->all()) {
        INFO(s.domain);
        std::set<std::string> notes;
        // Without the measurement of a call that a note ends in.
        for (const auto& c : s.not_needed_when) notes.insert("- " + c.note.substr(0, c.note.find(": {")) + "\n");
        std::istringstream lines{between(s.methodology, "## When no question is needed\n", "\n\n") + "\n"};
        std::set<std::string> told;
        for (std::string line; std::getline(lines, line);) told.insert(line + "\n");
        CHECK(told == notes);
    }
}

TEST_CASE("the documented table of tools equals the specs") {
    CHECK(between(docs(), "<!-- table: tools -->", "<!-- end of table -->") == table());
}

TEST_CASE("the documented answer is accepted without a warning") {
    setting s;
    const auto example = between(docs(), "```json\n", "```");
    const auto done =
        s.gate().store_justification(store_call("crs_datum", R"({"dst_crs":"EPSG:6933"})", example), crs());
    REQUIRE(done);
    CHECK(done->at("warnings").as_array().empty());
}

TEST_CASE("the facts that specs may name are those of the table of facts") {
    const auto doc = base::read_file(fs::path{SOURCE_DIR} / "docs/facts.md").value();
    const auto documented = [&](const std::string& heading) {
        std::set<std::string> names;
        std::istringstream rows{between(doc, heading, "\n\n")};
        for (std::string row; std::getline(rows, row);) {
            if (!row.starts_with("| `")) continue;
            std::istringstream cell{row.substr(0, row.find('|', 1))};
            std::string name;
            while (std::getline(cell, name, '`') && std::getline(cell, name, '`'))
                names.insert(name.substr(0, name.find('/')));
        }
        return names;
    };
    const auto known = [](const char* at) {
        std::set<std::string> names;
        for (const auto& p : find_place(known_facts(), at).schema->at("properties").as_object()) names.insert(p.key());
        return names;
    };
    CHECK(documented("| fact | applies to |") == known("/input"));
    CHECK(documented("| fact of a band |") == known("/input/bands/0"));
    CHECK(documented("| fact of `made_by` |") == known("/input/made_by"));
}

TEST_CASE("the documented policy file is valid") {
    const auto doc = base::read_file(fs::path{SOURCE_DIR} / "docs/reflection.md").value();
    const auto file = policy_file::parse(between(doc, "```yaml\n", "```"));
    REQUIRE(file);
    const auto of = [&](const char* domain, const char* workspace) {
        return file->applied(domain, workspace, shipped()->find(domain)->policy);
    };
    CHECK(of("crs_datum", "/data").low_confidence == reaction::person);
    CHECK(of("resampling", "/data").checks.at("smoothing_of_codes") == check_outcome::refuse);
    CHECK_FALSE(of("aggregation", "/data").off);
    CHECK(of("aggregation", "/data/sandbox").off);
}

TEST_CASE("the keys a prompt requests are those of the answer schema") {
    for (const auto& s : shipped()->all()) {
        INFO(s.domain);
        const auto text = s.question_prompt.render({{"choice", "the choice"}});
        const auto shown = parsed(between(text, "```json\n", "```"));
        CHECK(shown == json::value(answer_skeleton("the choice")));
        std::set<std::string> wanted;
        const auto schema = answer_schema("x");
        for (const auto& name : schema.at("required").as_array()) wanted.insert(std::string{name.as_string()});
        for (const char* part : {"choice", "alternatives"}) {
            const auto* object = &schema.at("properties").at(part);
            if (const auto* items = base::find_member(*object, "items")) object = items;
            for (const auto& name : object->at("required").as_array())
                wanted.insert(std::string{part} + "." + std::string{name.as_string()});
        }
        CHECK(keys_of(shown) == wanted);
    }
}

TEST_CASE("every domain has a methodology page of at most 6 KiB, from what must survive to its references") {
    for (const auto& s : shipped()->all()) {
        INFO(s.domain);
        CHECK(s.methodology.size() <= 6144);
        std::size_t from = 0;
        for (const char* part :
             {"\n## What must survive\n", "\n## The questions\n", "\n## Decision aids\n", "\n## Reading the evidence\n",
              "\n## When no question is needed\n", "worked example", "\n## References\n"}) {
            INFO(part);
            const auto at = s.methodology.find(part, from);
            REQUIRE(at != std::string::npos);
            from = at;
        }
    }
}

TEST_CASE("the arguments of a question's prompt are its domain's key arguments") {
    for (const auto& s : shipped()->all()) {
        INFO(s.domain);
        std::set<std::string> of_prompt, of_key;
        for (const auto& a : s.question_prompt.arguments) of_prompt.insert(a.name);
        for (const auto& k : s.key) of_key.insert(k.name);
        CHECK(of_prompt == of_key);
    }
}
