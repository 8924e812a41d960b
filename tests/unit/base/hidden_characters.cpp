#include "base/hidden_characters.hpp"

#include "base/text_template.hpp"
#include "base/yaml.hpp"
#include "catch.hpp"

using namespace gdalmcp::base;

TEST_CASE("invisible characters are found by code point") {
    const auto first = [](std::string_view s) {
        const auto h = find_hidden(s);
        return h ? code_point(h->code) + " at " + std::to_string(h->at) : "nothing";
    };
    CHECK(first("plain text\n\twith lines\r\n") == "nothing");
    CHECK(first(std::string_view{"a\0b", 3}) == "U+0000 at 1");
    CHECK(first("\x1B[2J") == "U+001B at 0");
    CHECK(first("a\rb") == "U+000D at 1");
    CHECK(first("a\x7F") == "U+007F at 1");
    CHECK(first("a\xC2\x9B") == "U+009B at 1");  // the terminal's other ESC [
    CHECK(first("a\u202Eb") == "U+202E at 1");   // right to left, whatever follows
    CHECK(first("a\u2066b") == "U+2066 at 1");
    CHECK(first("zero\u200Bwidth") == "U+200B at 4");
    CHECK(first("\uFEFFa") == "U+FEFF at 0");
    CHECK(first("soft\u00ADhyphen") == "U+00AD at 4");
    CHECK(first("a\u3164") == "U+3164 at 1");                  // a letter that is blank
    CHECK(first("ok\U000E0041\U000E007F") == "U+E0041 at 2");  // tags: ASCII that nobody sees
    CHECK(first("a\uFE00\U000E0100") == "U+FE00 at 1");
}

TEST_CASE("joiners and selectors are allowed in scripts and emoji that need them, not in ASCII") {
    CHECK_FALSE(find_hidden("می\u200Cخواهم"));                          // Persian
    CHECK_FALSE(find_hidden("क्\u200Dष"));                               // Devanagari
    CHECK_FALSE(find_hidden("👩\u200D🔬 ❤\uFE0F\u200D🔥 1\uFE0F\u20E3"));  // emoji
    CHECK_FALSE(find_hidden("Zürich 東京 Ås"));
    for (const auto* text :
         {"a\u200Cb", "a\u200Dé", "é\u200D", "\u200Dé", "é\u200D\u200Dé", "a\uFE0F", "é\uFE0F\uFE0F"}) {
        INFO(with_hidden_shown(text));
        CHECK(find_hidden(text));
    }
}

TEST_CASE("for logs and models each hidden character is shown") {
    CHECK(with_hidden_shown("a\x1B[2J\u202Eb") == "a<U+001B>[2J<U+202E>b");
    CHECK(with_hidden_shown("\U000E0041") == "<U+E0041>");
    CHECK(with_hidden_shown("M\xFCnchen") == "M\uFFFDnchen");
    CHECK(with_hidden_shown("two\nlines") == "two\nlines");
}

TEST_CASE("written JSON escapes hidden characters and reads back unchanged") {
    const json::value v = {{"a", "x\u202Ey\x7F\U000E0041z\n"}, {"b", "می\u200Cخواهم"}};
    CHECK(write_json(v) == "{\"a\":\"x\\u202ey\\u007f\\udb40\\udc41z\\n\",\"b\":\"می\u200Cخواهم\"}");
    CHECK(parse_json(write_json(v)).value() == v);
    CHECK(canonical_json(v) == "{\"a\":\"x\u202Ey\x7F\U000E0041z\\n\",\"b\":\"می\u200Cخواهم\"}");
}

TEST_CASE("documents with hidden characters are refused, naming line or member") {
    CHECK(check_nothing_hidden(std::string_view{"a\nb\u202E\n"}).error().message.find("line 2: holds U+202E") == 0);
    CHECK(check_nothing_hidden(json::value{{"a", {1, "b\u200B"}}}).error().at == "/a/1");
    CHECK(check_nothing_hidden(json::value{{"a\nb", 1}}).error().message.find("holds U+000A") == 0);
    CHECK(parse_yaml("a: 1\nb: \"x\\u202Ey\"\n").error().message.find("line 2, column 4: a text holds U+202E") == 0);
    CHECK(parse_yaml("\"k\\0\": 1\n").error().message.find("U+0000") != std::string::npos);
}

TEST_CASE("a template is parsed in linear time, and sections up to a depth of 32") {
    const auto nested = [](int levels) {
        std::string text;
        for (int i = 0; i < levels; ++i) text += "{{#a}}";
        text += "x";
        for (int i = 0; i < levels; ++i) text += "{{/a}}";
        return text;
    };
    CHECK(text_template::parse(nested(32))->render({{"a", "y"}}) == "x");
    CHECK(text_template::parse("\n" + nested(33)).error().message == "sections are nested deeper than 32 levels");
    CHECK(text_template::parse("\n" + nested(33)).error().line == 2);
    CHECK(text_template::parse(nested(50000)).error().message == "sections are nested deeper than 32 levels");
    CHECK(text_template::parse("{{=<% %>=}}<%#a%>").error().message == "the delimiters cannot be changed");
    // Each of these took minutes: what came before was gone through again at every name.
    std::string lines, open = "{{";
    for (int i = 0; i < 100000; ++i) lines += "{{a}}\n";
    for (int i = 0; i < 100000; ++i) open += "a{{";
    CHECK(text_template::parse(lines)->uses().back().line == 100000);
    CHECK(text_template::parse(open + "}}").error().message == "the tag '{{a' is not closed");
}
