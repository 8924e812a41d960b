#include "reflection/prompt.hpp"

#include "example.hpp"

using namespace example;

namespace {
const std::string front =
    "---\nname: why\ntitle: Why\ndescription: Asks why\narguments:\n  - {name: a, description: The a}\n---\n";
std::string hash_of(const std::string& body) { return parse_prompt(front + body, "why.md").value().hash; }
std::string error_of(const std::string& text) { return parse_prompt(text, "why.md").error().message; }
std::string hint_of(const std::string& text) { return parse_prompt(text, "why.md").error().hint; }
}  // namespace

TEST_CASE("prompt hashes are those an independent program computes") {
    for (const auto& c : golden().at("prompts").as_array()) {
        INFO(line(c));
        std::string text{c.at("markdown").as_string()};
        // The oracle's cases declare no arguments.
        const bool windows = text.find('\r') != std::string::npos;
        text.replace(text.find("description: D"), 14,
                     windows ? "description: D\r\narguments: [{name: a, description: A}]"
                             : "description: D\narguments: [{name: a, description: A}]");
        CHECK(parse_prompt(text, "x.md").value().hash == c.at("prompt_hash").as_string());
    }
    for (const auto& p : golden().at("repository_prompts").as_object()) {
        INFO(p.key());
        CHECK(shipped()->prompts().find(std::string_view{p.key()})->second.hash == p.value().as_string());
    }
}

TEST_CASE("every argument a shipped prompt declares is in its text") {
    for (const auto& [name, p] : shipped()->prompts())
        for (const auto& a : p.arguments) {
            INFO(name << " " << a.name);
            CHECK(p.render({{a.name, "a value"}}) != p.render({}));
        }
}

TEST_CASE("a comment, blanks or line ends do not change what a prompt asks; a word does") {
    const auto hash = hash_of("Why {{a}}?\n");
    CHECK(hash_of("\n\nWhy {{a}}?  \t\n\n") == hash);
    CHECK(hash_of("<!-- says\nnothing -->Why {{a}}?\r\n") == hash);
    CHECK(hash_of("Why {{a}}?") == hash);
    CHECK(hash_of("Why, {{a}}?\n") != hash);
}

TEST_CASE("rendering fills in text and escapes nothing") {
    const auto p = parse_prompt(front + "Why {{a}}?{{#a}} Because <{{{a}}}>.{{/a}}\n", "why.md").value();
    CHECK(p.render({{"a", "<b> & \"c\" {{a}}"}}) == "Why <b> & \"c\" {{a}}? Because <<b> & \"c\" {{a}}>.\n");
    CHECK(p.render({{"a", parsed("[0,0,1.5,1]")}}) == "Why [0,0,1.5,1]? Because <[0,0,1.5,1]>.\n");
    CHECK(p.render({{"a", ""}}) == "Why ?\n");
    CHECK(p.render({}) == "Why ?\n");
}

TEST_CASE("a prompt that cannot be read says file, line and field") {
    CHECK(error_of("Why?") == "why.md, line 1: does not begin with front matter");
    CHECK(error_of("---\nname: why\n") == "why.md, line 1: the front matter is not closed");
    CHECK(error_of("---\nname: why\n---\nWhy?") ==
          "why.md, line 2: the front matter lacks the required member 'title'");
    const auto name = error_of("---\ntitle: T\nname: Why?\ndescription: D\n---\nWhy?");
    CHECK(name.substr(0, 16) == "why.md, line 3: ");
    CHECK(name.find("'/name'") != std::string::npos);
    CHECK(error_of("---\nname: why\ntitle: [\n---\nWhy?").substr(0, 14) == "why.md, line 4");
    CHECK(error_of(front + "<!-- all -->\n") == "why.md, line 8: the prompt has no text");
    const auto unknown = ": the text uses {{b}}, which arguments do not declare";
    CHECK(error_of(front + "Why {{b}}?") == "why.md, line 8" + std::string{unknown});
    CHECK(error_of(front + "<!-- two\nlines --> Why\n\n{{b}}?") == "why.md, line 11" + std::string{unknown});
    CHECK(
        error_of(front + "Why?\n{{> more}}") ==
        "why.md, line 9: a partial, {{>, is not filled in here; write its text in its place, or name an argument with "
        "{{name}}");
    CHECK(error_of(front + "Why?\n{{#a}}?") == "why.md, line 9: Unclosed section \"a\"");
    CHECK(hint_of(front + "Why?\n{{#a}}?") == "close it with {{/a}}");
}

TEST_CASE("a tag that is not closed is refused: it would swallow the text up to the next one") {
    CHECK(error_of(front + "Why?\n{{a} of it,\nand {{choice}}?") == "why.md, line 9: the tag '{{a' is not closed");
    CHECK(error_of(front + "Why {{a and {{choice}}?") == "why.md, line 8: the tag '{{a and ' is not closed");
    CHECK(error_of(front + "Why {{a}?") == "why.md, line 8: the tag '{{a' is not closed");
    CHECK(error_of(front + "Why {{{a}}, {{{a}}}?") == "why.md, line 8: the tag '{{{a' is not closed");
    CHECK(error_of(front + "{{! a remark }\nWhy {{a}}?") == "why.md, line 8: the tag '{{! a remark ' is not closed");
    CHECK(hint_of(front + "Why {{a}?") == "close it with }}");
    CHECK(hint_of(front + "Why {{{a}}?") == "close it with }}}");
    CHECK(parse_prompt(front + "Why {{ a }}? {\"a\": {\"b\": \"{{choice}}\"}}", "why.md"));
}

TEST_CASE("a misspelt name in a prompt is compared with those there are") {
    CHECK(hint_of(front + "Why {{chioce}}?") ==
          "did you mean 'choice'? Otherwise add 'chioce' to the front matter's arguments");
    CHECK(hint_of(front + "Why {{depth}}?") == "add 'depth' to the front matter's arguments");
}
