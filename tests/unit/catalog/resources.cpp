// The resources a bundle brings.
#include "base/digest.hpp"
#include "bundle_on_disk.hpp"
#include "catalog/snapshot.hpp"
#include "catch.hpp"

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace gdalmcp;
using catalog::resource;
using catalog::uri_template;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string matched(const char* pattern, const std::string& uri) {
    const auto values = uri_template::parse(pattern)->match(uri);
    return values ? base::write_json(json::value(*values)) : "no";
}

std::string refused_uri(const std::string& text) { return uri_template::parse(text).error().message; }

json::object entry(const std::string& uri, const std::string& media_type = "text/plain") {
    return {{uri.find('{') == std::string::npos ? "uri" : "uri_template", uri},
            {"name", "n"},
            {"description", "D."},
            {"mime_type", media_type},
            {"file", "resources/r"}};
}

// A bundle with one resource of this content.
void write_with(const fs::path& parent, const std::string& name, const json::object& about,
                const std::string& content) {
    write_text(parent / (name + ".bundle/resources/r"), content);
    write_bundle(parent, name, name + "_tool", [&](json::object& m) {
        m["resources"] = json::array{about};
        m["files"].as_object()["resources/r"] = "sha256:" + base::sha256_hex(content);
    });
}

std::string filled_in(const std::string& media_type, const std::string& content, const std::string& uri) {
    const auto r = resource::read(json::value(entry("acme://{a}", media_type)), content).value();
    return std::string{r->contents(uri, *r->uri().match(uri)).at("text").as_string()};
}

std::string refused(const json::object& about, const std::string& content = "x") {
    return resource::read(json::value(about), content).error().message;
}

}  // namespace

TEST_CASE("a template's names take what RFC 6570 would have put there, decoded once") {
    CHECK(matched("acme://{a}", "acme://x") == R"({"a":"x"})");
    CHECK(matched("acme://{a}/to/{b}", "acme://x/to/y.z~1") == R"({"a":"x","b":"y.z~1"})");
    CHECK(matched("acme://{a}-{b}", "acme://1-2-3") == R"({"a":"1","b":"2-3"})");
    CHECK(matched("acme://{a}", "acme://sm%C3%B8r%20%2541") == "{\"a\":\"smør %41\"}");
    CHECK(matched("acme://plain", "acme://plain") == "{}");
    for (const auto* uri : {"acme://", "acme://x/y", "acme://x?y", "acme://%", "acme://%4", "acme://%zz", "acme://%0a",
                            "acme://%ff", "acme://a b", "acme://ø", "other://x"}) {
        INFO(uri);
        CHECK(matched("acme://{a}", uri) == "no");
    }
    CHECK(matched("acme://{a}/data", "acme://data") == "no");
    CHECK(matched("acme://{a}/data", "acme:///data") == "no");
    CHECK(matched("acme://plain", "acme://plain2") == "no");
    CHECK(matched("acme://{a}", "acme://" + std::string(9000, 'x')) == "no");
}

TEST_CASE("a URI of a bundle has a scheme of its own and only {names} in braces") {
    for (const auto* scheme : {"query", "catalog", "metadata", "reference", "justification", "methodology", "schema",
                               "receipts", "history", "bundles", "file", "ui", "skill", "http", "https"})
        CHECK_THAT(refused_uri(std::string{scheme} + "://x"), ContainsSubstring("which bundles may not use"));
    for (const auto* text : {"x", "://x", "1a://x", "acme:", "Acme://x"})
        CHECK_THAT(refused_uri(text), ContainsSubstring("does not begin with a scheme"));
    CHECK_THAT(refused_uri("acme://a b"), ContainsSubstring("a character that a URI must not contain: \" \""));
    for (const auto* text : {"acme://{+a}", "acme://{a,b}", "acme://{a*}", "acme://{}", "acme://{a"})
        CHECK_THAT(refused_uri(text), ContainsSubstring("braces other than {name}"));
    CHECK_THAT(refused_uri("acme://{a}{b}"), ContainsSubstring("no text between"));
    CHECK_THAT(refused_uri("acme://{a}/{a}"), ContainsSubstring("twice"));
    CHECK_THAT(refused_uri("acme://" + std::string(500, 'x')), ContainsSubstring("longer than 500"));
}

TEST_CASE("values are escaped for the file's media type") {
    CHECK(filled_in("application/json", R"({"a":"{{a}}"})", "acme://%22%5C%3C") == R"({"a":"\"\\<"})");
    CHECK(filled_in("text/html", "<b>{{a}}</b>", "acme://%3Ci%3E%26%22%27") == "<b>&lt;i&gt;&amp;&quot;&#39;</b>");
    CHECK(filled_in("text/plain", "{{a}}!", "acme://%3Ci%3E") == "<i>!");
}

TEST_CASE("text is served as text and bytes as base64") {
    const auto text = resource::read(json::value(entry("acme://x")), "høy").value();
    CHECK(base::write_json(json::value(text->contents("acme://x", {}))) ==
          "{\"uri\":\"acme://x\",\"mimeType\":\"text/plain\",\"text\":\"høy\"}");
    CHECK(base::write_json(json::value(text->definition())) ==
          R"({"uri":"acme://x","name":"n","description":"D.","mimeType":"text/plain","size":4})");
    const auto bytes = resource::read(json::value(entry("acme://x", "image/png")), "\xff").value();
    CHECK(bytes->contents("acme://x", {}).at("blob") == "/w==");
}

TEST_CASE("a resource that cannot be served says why") {
    CHECK_THAT(refused(entry("acme://x"), "\xff"), ContainsSubstring("text/plain, but not UTF-8"));
    CHECK_THAT(refused(entry("acme://{a}", "image/png")),
               ContainsSubstring("mime_type is image/png, but a template must be text"));
    CHECK_THAT(refused(entry("acme://{a}"), "a\n{{b}}"), ContainsSubstring("line 2 of its file uses {{b}}"));
    CHECK_THAT(refused(entry("acme://{a}"), "a\n{{#a}}"), ContainsSubstring("line 2 of its file: Unclosed section"));
    auto both = entry("acme://x");
    both["uri_template"] = "acme://{a}";
    CHECK_THAT(refused(both), ContainsSubstring("either a uri or a uri_template"));
    json::object mixed = entry("acme://{a}");
    mixed.erase("uri_template");
    mixed["uri"] = "acme://{a}";
    CHECK_THAT(refused(mixed), ContainsSubstring("that is a uri_template"));
}

TEST_CASE("the catalogue finds a resource by its URI, a plain one before a template") {
    const temporary t;
    write_with(t.path, "one", entry("acme://{a}/x"), "{{a}}");
    write_with(t.path, "two", entry("acme://y"), "y");
    const auto catalogue = catalog::load({t.path});
    CHECK(catalogue->quarantine().empty());
    REQUIRE(catalogue->resources().size() == 2);
    CHECK(catalogue->find_resource("acme://y")->values.empty());
    const auto found = catalogue->find_resource("acme://7/x");
    REQUIRE(found);
    CHECK(found->what->contents("acme://7/x", found->values).at("text") == "7");
    CHECK_FALSE(catalogue->find_resource("acme://7"));
}

TEST_CASE("a URI claimed twice quarantines the later bundle") {
    const std::pair<const char*, const char*> clashes[] = {
        {"acme://x", "acme://x"}, {"acme://{a}", "acme://{b}"}, {"acme://{a}", "acme://x"}, {"acme://x", "acme://{a}"}};
    for (const auto& [first, second] : clashes) {
        INFO(first << " and " << second);
        const temporary t;
        write_with(t.path, "a", entry(first), "x");
        write_with(t.path, "b", entry(second), "x");
        const auto catalogue = catalog::load({t.path});
        REQUIRE(catalogue->quarantine().size() == 1);
        CHECK(catalogue->quarantine().front().id == "org.test.b");
        CHECK_THAT(catalogue->quarantine().front().reason, ContainsSubstring("of bundle 'org.test.a'"));
        CHECK_FALSE(catalogue->find("b_tool"));
    }
}

TEST_CASE("a resource whose file was changed, or is too large, quarantines its bundle") {
    const temporary t;
    write_with(t.path, "changed", entry("acme://x"), "x");
    write_text(t.path / "changed.bundle/resources/r", "y");
    write_with(t.path, "large", entry("acme://z"), std::string((1u << 20) + 1, 'x'));
    const auto catalogue = catalog::load({t.path});
    REQUIRE(catalogue->quarantine().size() == 2);
    CHECK_THAT(catalogue->quarantine()[0].reason,
               ContainsSubstring("resource 'n', /resources/0: 'resources/r' has SHA-256"));
    CHECK_THAT(catalogue->quarantine()[1].reason, ContainsSubstring("resources/r"));
}

TEST_CASE("an icon is a small SVG or PNG") {
    const auto reason = [](const std::string& icon) {
        const temporary t;
        write_text(t.path / "b.bundle/i", icon);
        write_bundle(t.path, "b", "b_tool", [&](json::object& m) {
            m["icon"] = "i";
            m["files"].as_object()["i"] = "sha256:" + base::sha256_hex(icon);
        });
        const auto catalogue = catalog::load({t.path});
        if (!catalogue->quarantine().empty()) return catalogue->quarantine().front().reason;
        return catalogue->bundles().front()->icon->media_type;
    };
    CHECK(reason("<svg xmlns=\"http://www.w3.org/2000/svg\"/>") == "image/svg+xml");
    const auto png = [](char width, char height) {
        const std::string numbers{0, 0, 0, width, 0, 0, 0, height, 8, 2, 0, 0, 0};
        return "\x89PNG\r\n\x1a\n" + std::string{0, 0, 0, 13} + "IHDR" + numbers + "CRC?";
    };
    CHECK(reason(png(16, 16)) == "image/png");
    CHECK_THAT(reason(png(0, 16)), ContainsSubstring("no header with a width and a height"));
    CHECK_THAT(reason("\x89PNG\r\n\x1a\n"), ContainsSubstring("no header with a width and a height"));
    CHECK_THAT(reason("GIF89a"), ContainsSubstring("the icon 'i' is neither SVG nor PNG; save it as SVG or PNG"));
    for (const auto* sound :
         {"<a href=\"#g\"/>", "<path style='fill:url(#g)'/>", "<desc>A description: on = off</desc>"})
        CHECK(reason("<svg>" + std::string{sound} + "</svg>") == "image/svg+xml");
    for (const auto& [part, what] :
         {std::pair{"<script>alert(1)</script>", "an element that runs code"},
          {"<x:SCRIPT/>", "an element that runs code"},
          {"<g onload='alert(1)'/>", "an event handler"},
          {"<a href='#' to='javascript:alert(1)'/>", "a URI that runs code"},
          {"<image xlink:href=\"https://example.org/i.png\"/>", "a reference to something outside of it"},
          {"<image href=' &#106;avascript:alert(1)'/>", "a reference to something outside of it"},
          {"<g style='fill:url(https://example.org)'/>", "a reference to something outside of it"},
          {"<style>@import 'a.css';</style>", "a style sheet outside of it"},
          {"<set attributeName='href' to='x'/>", "a reference that changes"},
          {"<!DOCTYPE svg>", "a document type"}})
        CHECK_THAT(reason("<svg>" + std::string{part} + "</svg>"), ContainsSubstring(what));
    CHECK_THAT(reason("<svg>" + std::string(8192, ' ')), ContainsSubstring("has 8197 bytes; 8192 are allowed"));
}
