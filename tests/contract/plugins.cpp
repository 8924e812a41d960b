// Plugins of other times, languages and compilers, called through today's side of the ABI.
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "base/json.hpp"
#include "base/schema.hpp"
#include "catch.hpp"
#include "contract/old_host.h"
#include "worker/abi_host.hpp"
#include "worker/plugin.hpp"

using namespace gdalmcp;
namespace json = base::json;

namespace {

struct outcome {
    gdalmcp_status status;
    json::value result;
    base::problem failure;
    std::vector<std::string> lines, warnings;
    json::array attachments;
    json::object asked;
};

// host: nullptr means today's table for this plugin. told: of the client, see worker/asking.hpp.
outcome call(const worker::plugin& p, const char* tool, const char* arguments, const gdalmcp_host* host = nullptr,
             const json::object& told = {}) {
    const auto* t = p.find(tool);
    REQUIRE(t != nullptr);
    auto input = base::schema::compile(*base::parse_json(t->input_schema));
    REQUIRE(input);
    json::value given = *base::parse_json(arguments);
    const auto valid = input->check(given);
    REQUIRE((valid ? "" : valid.error().message) == "");
    input->fill_defaults(given);
    int sockets[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    worker::running_call running{given, "/tmp", sockets[0], told};
    const auto status =
        t->run(host ? host : &worker::running_call::table(p.table().abi_minor), running.handle(), t->self);
    ::close(sockets[0]);
    ::close(sockets[1]);
    auto asked = running.questions.outcome();
    if (status == GDALMCP_OK && asked.empty() && t->output_schema) {
        auto output = base::schema::compile(*base::parse_json(t->output_schema));
        REQUIRE(output);
        const auto fits = output->check(running.result);
        CHECK((fits ? "" : fits.error().message) == "");
    }
    const auto failed = running.conclude(tool, status);
    return {status,        running.result,   failed.value_or(base::problem{}),
            running.lines, running.warnings, running.attachments,
            asked};
}

worker::plugin load(const char* path) {
    auto p = worker::plugin::load(path);
    INFO(path);
    REQUIRE((p ? "" : p.error().message) == "");
    return *p;
}

void check_every_kind(const worker::plugin& p) {
    const auto o = call(p, "every_kind",
                        R"({"whole":9007199254740991,"word":"Å\u0000\"","system":"EPSG:3857","area":[1,2,3.5,4],)"
                        R"("object":{"a":[1,{"b":null}]},"numbers":[1,2.5],"words":["x",""],"maybe":0,)"
                        R"("bands":[3,1],"window":{"left":4,"scale":2},"place":{"label":"here"},)"
                        R"("classes":[{"label":"low"},{"label":"high","from":7.5}]})");
    REQUIRE(o.status == GDALMCP_OK);
    const auto expected = base::parse_json(
        R"({"yes":true,"whole":9007199254740991,"real":0.5,"word":"Å\u0000\"","pick":"left","system":"EPSG:3857",)"
        R"("box":[1,2,3.5,4],"geojson":"","object":{"a":[1,{"b":null}]},"numbers":[1,2.5],"words":["x",""],)"
        R"("maybe":true,"bands":[3,1],"left":4,"scale":true,"place":"here",)"
        R"("classes":[{"label":"low","from":0},{"label":"high","from":7.5}],"rows":[{"column":0},{"column":1},{"column":2}],"none":[],"inner":{"column":7}})");
    CHECK(base::canonical_json(o.result) == base::canonical_json(*expected));
    CHECK(o.lines == std::vector<std::string>{"every kind"});
    CHECK(o.warnings == std::vector<std::string>{"a warning"});
    CHECK(o.attachments ==
          base::parse_json(
              R"([{"media_type":"text/plain","text":"a text"},{"media_type":"image/png","image":"iVBORw0KGgo="},)"
              R"({"media_type":"text/html","link":"https://example.org/legend","name":"Legend",)"
              R"("description":"What the classes mean."},{"media_type":"audio/wav","audio":"UklGRg=="},)"
              R"({"media_type":"application/geo+json","resource":"acme://legend","text":"{}"},)"
              R"({"media_type":"application/octet-stream","resource":"acme://palette","blob":"AP8="}])")
              ->as_array());
}

void check_every_failure(const worker::plugin& p) {
    const auto error = call(p, "every_failure", R"({"how":"error"})");
    CHECK(error.status == GDALMCP_NOT_FOUND);
    CHECK(error.failure.message == "there is no band 9");
    CHECK(error.failure.hint == "bands: 1, 2");
    CHECK(call(p, "every_failure", R"({"how":"exception"})").status == GDALMCP_INTERNAL);
    CHECK(call(p, "every_failure", R"({"how":"exception"})").failure.message == "a defect");
    CHECK(call(p, "every_failure", R"({"how":"number"})").status == GDALMCP_INTERNAL);
    CHECK(call(p, "every_failure", R"({"how":"memory"})").status == GDALMCP_EXHAUSTED);
    CHECK(call(p, "every_failure", R"({"how":"cancelled"})").status == GDALMCP_CANCELLED);
}

}  // namespace

TEST_CASE("a plugin compiled against the released header runs today") {
    const auto p = load(FROZEN_PLUGIN);
    const auto o = call(p, "frozen", R"({"name":"Ås","factor":21})");
    REQUIRE(o.status == GDALMCP_OK);
    CHECK(o.result.at("product") == 42.0);
    CHECK(o.result.at("name") == "Ås");
    CHECK(o.result.at("kind") == static_cast<std::int64_t>(GDALMCP_INTEGER));
    CHECK(o.result.at("unknown_extension") == false);
    CHECK(std::filesystem::path{std::string{o.result.at("scratch").as_string()}}.parent_path() == "/tmp");
    CHECK(o.warnings == std::vector<std::string>{"old plugin"});
    const auto bad = call(p, "frozen", R"({"name":"x","factor":-1})");
    CHECK(bad.status == GDALMCP_INVALID_ARGUMENT);
    CHECK(bad.failure.hint == "give a factor of 0 or more");
}

TEST_CASE("a plugin gets the smaller of its minor and the host's") {
    const auto* old = &worker::running_call::table(0);
    CHECK(old->abi_minor == 0);
    CHECK(worker::running_call::table(GDALMCP_ABI_MINOR).abi_minor == GDALMCP_ABI_MINOR);
    CHECK(worker::running_call::table(99).abi_minor == GDALMCP_ABI_MINOR);
    CHECK(worker::running_call::table(1).abi_minor == 1);
    CHECK(load(FROZEN_PLUGIN).table().abi_minor == 0);
}

TEST_CASE("a plugin of a later minor, with longer tables, runs today") {
    const auto p = load(FUTURE_PLUGIN);
    CHECK(p.table().struct_size == sizeof(gdalmcp_plugin));
    for (const std::string which : {"first", "second"}) {
        const auto o = call(p, ("future_" + which).c_str(), "{}");
        REQUIRE(o.status == GDALMCP_OK);
        CHECK(o.result == json::object({{"minor", GDALMCP_ABI_MINOR}, {"self", which}}));
        REQUIRE(o.attachments.size() == 1);
        CHECK(o.attachments[0].at("link") == "https://example.org/legend");
    }
}

TEST_CASE("plugins of today and of later minors run in a host of ABI 1.0") {
    const std::unique_ptr<void, void (*)(void*)> table{old_host_over(&worker::running_call::table(0)), &std::free};
    const auto* old = static_cast<const gdalmcp_host*>(table.get());
    const auto future = call(load(FUTURE_PLUGIN), "future_first", "{}", old);
    REQUIRE(future.status == GDALMCP_OK);
    CHECK(future.result.at("minor") == 0);
    CHECK(future.attachments == json::array{{{"media_type", "text/plain"}, {"text", "see the legend"}}});
    const auto today =
        call(load(EVERY_KIND_PLUGIN), "every_kind",
             R"({"whole":0,"word":"","system":"x","area":[0,0,1,1],"object":{},"numbers":[],"words":[]})", old);
    REQUIRE(today.status == GDALMCP_OK);
    REQUIRE(today.attachments.size() == 6);
    CHECK(today.attachments[2].at("text") == "Legend: https://example.org/legend");
    CHECK(today.attachments[3].at("text") == "4 bytes of audio/wav, which this host cannot show");
    CHECK(today.attachments[4].at("text") == "2 bytes of application/geo+json, which this host cannot show");
    const auto asking = call(load(EVERY_KIND_PLUGIN), "every_question", "{}", old);
    CHECK(asking.status == GDALMCP_UNSUPPORTED);
    CHECK(asking.failure.message == "this host cannot ask its client");
    CHECK(call(load(FROZEN_PLUGIN), "frozen", R"({"name":"x","factor":2})", old).result.at("product") == 4.0);
}

TEST_CASE("a plugin that cannot serve this host, or whose tables are too short, is refused in words") {
    const auto why = [](const char* path) {
        const auto p = worker::plugin::load(path);
        return p ? std::string{"loaded"} : p.error().message;
    };
    CHECK(why(PICKY_PLUGIN) == std::string{"the plugin "} + PICKY_PLUGIN + " cannot serve a host of ABI minor 2");
    CHECK(why(SHORT_TABLE_PLUGIN) ==
          std::string{"the plugin "} + SHORT_TABLE_PLUGIN + " has a table of 48 bytes; ABI 1.0 has 56");
    CHECK(why(SHORT_TOOL_PLUGIN) ==
          std::string{"the plugin "} + SHORT_TOOL_PLUGIN + " has a tool 0 of 56 bytes; ABI 1.0 has 64");
}

TEST_CASE("a plugin in plain C runs") {
    const auto o = call(load(NOOP_PLUGIN), "noop", "{}");
    CHECK(o.status == GDALMCP_OK);
    CHECK(o.result == *base::parse_json(R"({"done":true})"));
}

TEST_CASE("every kind of argument and result crosses the boundary, and no exception does") {
    const auto p = load(EVERY_KIND_PLUGIN);
    check_every_kind(p);
    check_every_failure(p);
}

TEST_CASE("objects whose members all have defaults need not be given; optional ones are then absent") {
    const auto o = call(load(EVERY_KIND_PLUGIN), "every_kind",
                        R"({"whole":0,"word":"","system":"x","area":[0,0,1,1],"object":{},"numbers":[],"words":[]})");
    REQUIRE(o.status == GDALMCP_OK);
    CHECK(o.result.at("left") == 0);
    CHECK(o.result.at("scale") == false);
    CHECK(o.result.at("place") == "");
    CHECK(o.result.at("classes") == json::array{});
    CHECK(o.result.at("bands") == json::array({1, 2, 3}));
}

TEST_CASE("a band may be given alone; a missing one is named") {
    const auto p = load(EVERY_KIND_PLUGIN);
    const std::string rest =
        R"("whole":0,"word":"","system":"x","area":[0,0,1,1],"object":{},"numbers":[],"words":[]})";
    CHECK(call(p, "every_kind", (R"({"bands":2,)" + rest).c_str()).result.at("bands") == json::array{2});
    CHECK(call(p, "every_kind", (R"({"bands":"all",)" + rest).c_str()).result.at("bands") == json::array({1, 2, 3}));
    const auto beyond = call(p, "every_kind", (R"({"bands":[1,4],)" + rest).c_str());
    CHECK(beyond.status == GDALMCP_NOT_FOUND);
    CHECK(beyond.failure.message == "there is no band 4; the raster has 3");
}

TEST_CASE("datasets come one, many or not at all, and the output is always there") {
    const auto p = load(EVERY_KIND_PLUGIN);
    const auto few = call(p, "every_dataset", R"({"dem":"a","scenes":["b"],"output":"o"})");
    CHECK(few.result.at("paths") == json::array({"a", "b", "o"}));
    const auto all = call(p, "every_dataset",
                          R"({"dem":"a","scenes":["b","c"],"zones":{"type":"Point"},"others":["d"],"output":"o"})");
    CHECK(all.result.at("paths") == json::array({"a", "b", "c", R"({"type":"Point"})", "d", "o"}));
}

namespace {

// A call without a tool, and the table of today.
class open_call {
public:
    explicit open_call(const char* arguments = "{}") {
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_) == 0);
        running = std::make_unique<worker::running_call>(*base::parse_json(arguments), "/tmp", sockets_[0]);
    }
    ~open_call() {
        for (const int s : sockets_) ::close(s);
    }
    open_call(const open_call&) = delete;
    const gdalmcp_host* operator->() const { return &worker::running_call::table(GDALMCP_ABI_MINOR); }
    gdalmcp_call* handle() const { return running->handle(); }

    std::unique_ptr<worker::running_call> running;

private:
    int sockets_[2];
};

gdalmcp_str str(std::string_view s) { return {s.data(), s.size()}; }
constexpr gdalmcp_str null{nullptr, 0}, null_of_five{nullptr, 5};

}  // namespace

TEST_CASE("a NULL pointer is the empty text, whatever its size") {
    open_call c{R"({"word":"x","":1})"};
    for (const auto nothing : {null, null_of_five}) {
        CHECK(c->put_string(c.handle(), str("/empty"), nothing) == GDALMCP_OK);
        CHECK(c->put_int(c.handle(), nothing, 1) == GDALMCP_INVALID_ARGUMENT);
        CHECK(c->put_json(c.handle(), str("/json"), nothing) == GDALMCP_INVALID_ARGUMENT);
        CHECK(c->say(c.handle(), nothing) == GDALMCP_OK);
        CHECK(c->get_kind(c.handle(), nothing) == GDALMCP_OBJECT);
        CHECK(c->progress(c.handle(), 0.5, nothing) == 1);
        c->log(c.handle(), 6, nothing);
        gdalmcp_str path{};
        CHECK(c->new_scratch(c.handle(), nothing, nothing, &path) == GDALMCP_INVALID_ARGUMENT);
        gdalmcp_attachment a{};
        a.struct_size = sizeof a;
        a.kind = GDALMCP_TEXT;
        a.media_type = str("text/plain");
        a.bytes = nothing;
        CHECK(c->attach(c.handle(), &a) == GDALMCP_OK);
        a.kind = GDALMCP_LINK;
        a.bytes = str("https://example.org/");
        a.name = nothing;
        CHECK(c->attach(c.handle(), &a) == GDALMCP_INVALID_ARGUMENT);
    }
    CHECK(c.running->result == *base::parse_json(R"({"empty":""})"));
    CHECK(c.running->lines == std::vector<std::string>{"", ""});
    CHECK(c.running->attachments.size() == 2);
}

TEST_CASE("the status run() returns decides, whatever fail() was given") {
    open_call c;
    c->fail(c.handle(), GDALMCP_IO, str("the disk is full"), str("make room"));
    c->fail(c.handle(), GDALMCP_IO, str("there is no band 9"), str("bands: 1, 2"));
    const auto failed = c.running->conclude("acme_tool", GDALMCP_NOT_FOUND);
    REQUIRE(failed);
    CHECK(failed->code == base::code::not_found);
    CHECK(failed->message == "there is no band 9");
    CHECK(failed->hint == "bands: 1, 2");
    CHECK(c.running->warnings.empty());
    CHECK_FALSE(c.running->conclude("acme_tool", GDALMCP_OK));
    CHECK(
        c.running->warnings ==
        std::vector<std::string>{"acme_tool gave a reason for failure, but then reported success: there is no band 9"});
    open_call silent;
    CHECK(silent.running->conclude("acme_tool", GDALMCP_IO)->message ==
          "acme_tool failed with status 5 and gave no reason");
    CHECK_FALSE(silent.running->conclude("acme_tool", GDALMCP_OK));
    CHECK(silent.running->warnings.empty());
}

TEST_CASE("the whole result can be put as an object, and as nothing else") {
    open_call c;
    CHECK(c->put_int(c.handle(), str("/old"), 1) == GDALMCP_OK);
    for (const char* other : {"5", "[1]", "null", "\"x\"", "{", ""})
        CHECK(c->put_json(c.handle(), str(""), str(other)) == GDALMCP_INVALID_ARGUMENT);
    CHECK(c->put_int(c.handle(), str(""), 1) == GDALMCP_INVALID_ARGUMENT);
    CHECK(c->put_bool(c.handle(), str(""), 1) == GDALMCP_INVALID_ARGUMENT);
    CHECK(c->put_number(c.handle(), str(""), 1) == GDALMCP_INVALID_ARGUMENT);
    CHECK(c->put_string(c.handle(), str(""), str("x")) == GDALMCP_INVALID_ARGUMENT);
    CHECK(c.running->result == *base::parse_json(R"({"old":1})"));
    CHECK(c->put_json(c.handle(), str(""), str(R"({"new":[1]})")) == GDALMCP_OK);
    CHECK(c->put_int(c.handle(), str("/new/-"), 2) == GDALMCP_OK);
    CHECK(c.running->result == *base::parse_json(R"({"new":[1,2]})"));
}

TEST_CASE("a text that is not a JSON Pointer finds and puts nothing") {
    open_call c{R"({"word":"x","a~b":1,"list":[1]})"};
    REQUIRE(c->put_json(c.handle(), str("/list"), str("[1]")) == GDALMCP_OK);
    for (const std::string_view at : {"word", "/a~b", "/~", "/list/~2", "/\xff"}) {
        INFO(at);
        gdalmcp_str text{};
        CHECK(c->get_kind(c.handle(), str(at)) == GDALMCP_NULL);
        CHECK(c->get_string(c.handle(), str(at), &text) == GDALMCP_NOT_FOUND);
        CHECK(c->get_json(c.handle(), str(at), &text) == GDALMCP_NOT_FOUND);
        CHECK(c->expect(c.handle(), str(at), str("{}")) == GDALMCP_NOT_FOUND);
        CHECK(c->put_string(c.handle(), str(at), str("x")) == GDALMCP_INVALID_ARGUMENT);
        CHECK(c->put_json(c.handle(), str(at), str("{}")) == GDALMCP_INVALID_ARGUMENT);
    }
    for (const char* gap : {"/list/2", "/list/01", "/list/x", "/list/0/deeper"}) {
        INFO(gap);
        CHECK(c->put_int(c.handle(), str(gap), 1) == GDALMCP_INVALID_ARGUMENT);
    }
    CHECK(c->get_kind(c.handle(), str("/list/-")) == GDALMCP_NULL);
    CHECK(c.running->result == *base::parse_json(R"({"list":[1]})"));
}

TEST_CASE("only https pages can be linked, and a link has a name") {
    int sockets[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    worker::running_call running{json::object{}, "/tmp", sockets[0]};
    const auto link = [&](std::string_view uri, std::string_view name) {
        gdalmcp_attachment a{};
        a.struct_size = offsetof(gdalmcp_attachment, uri);  // as a plugin of ABI 1.1 has it
        a.kind = GDALMCP_LINK;
        a.bytes = {uri.data(), uri.size()};
        a.name = {name.data(), name.size()};
        return worker::running_call::table(1).attach(running.handle(), &a);
    };
    for (const char* refused :
         {"http://example.org/", "file:///etc/passwd", "/etc/passwd", "legend.html", "", "https://", "https:///path",
          "https://user:secret@example.org/", "https://example.org/a b", "https://example.org/\n",
          "javascript:alert(1)", "query://result/r-1", "HTTPS://EXAMPLE.ORG"}) {
        INFO(refused);
        CHECK(link(refused, "Legend") == GDALMCP_INVALID_ARGUMENT);
    }
    CHECK(link("https://example.org/" + std::string(2048, 'a'), "Legend") == GDALMCP_INVALID_ARGUMENT);
    CHECK(link("https://example.org/legend", "") == GDALMCP_INVALID_ARGUMENT);
    CHECK(running.attachments.empty());
    CHECK(link("https://example.org/legend?of=a%20map#top", "Legend") == GDALMCP_OK);
    ::close(sockets[0]);
    ::close(sockets[1]);
}

TEST_CASE("a resource is embedded under a name that is not the host's, and audio says that it is") {
    int sockets[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    worker::running_call running{json::object{}, "/tmp", sockets[0]};
    const auto attach = [&](gdalmcp_attachment_kind kind, std::string_view type, std::string_view uri) {
        const gdalmcp_attachment a{sizeof a, static_cast<std::uint32_t>(kind), {type.data(), type.size()}, {"x", 1}, {},
                                   {},       {uri.data(), uri.size()}};
        return worker::running_call::table(2).attach(running.handle(), &a);
    };
    for (const char* refused : {"query://result/r-1",
                                "QUERY://result/r-1",
                                "catalog://workspace/summary",
                                "metadata://a.tif/raster",
                                "reference://crs/code/1",
                                "justification://crs_datum/x",
                                "methodology://crs_datum",
                                "schema://justification",
                                "receipts://recent",
                                "history://operations",
                                "bundles://",
                                "file:///etc/passwd",
                                "acme:",
                                ":x",
                                "",
                                "acme",
                                "//acme",
                                "ac me://x",
                                "acme://a b",
                                "acme://\n",
                                "1acme://x"}) {
        INFO(refused);
        CHECK(attach(GDALMCP_RESOURCE, "text/plain", refused) == GDALMCP_INVALID_ARGUMENT);
    }
    CHECK(attach(GDALMCP_RESOURCE, "text/plain", "acme://" + std::string(2048, 'a')) == GDALMCP_INVALID_ARGUMENT);
    CHECK(attach(GDALMCP_AUDIO, "image/png", "") == GDALMCP_INVALID_ARGUMENT);
    CHECK(running.attachments.empty());
    CHECK(attach(GDALMCP_RESOURCE, "text/plain; charset=utf-8", "test://static-text") == GDALMCP_OK);
    CHECK(attach(GDALMCP_RESOURCE, "", "queries://mine") == GDALMCP_OK);
    CHECK(running.attachments[0].at("text") == "x");
    CHECK(running.attachments[1].at("blob") == "eA==");
    ::close(sockets[0]);
    ::close(sockets[1]);
}

TEST_CASE("a tool that asks gets its answers in later rounds, and keeps what it put") {
    const auto p = load(EVERY_KIND_PLUGIN);
    const auto first = call(p, "every_question", "{}");
    REQUIRE(first.status == GDALMCP_OK);
    CHECK(first.asked.at("used") == json::array{});
    const auto& form = first.asked.at("requests").at("person");
    CHECK(form.at("method") == "elicitation/create");
    CHECK(
        form.at("params") ==
        *base::parse_json(
            R"({"mode":"form","message":"Who are you?","requestedSchema":{"type":"object","properties":{)"
            R"("name":{"type":"string","description":"Your \"name\".","maxLength":40},"age":{"type":"integer","default":30},)"
            R"("height":{"type":"number","default":1.75},"sure":{"type":"boolean","default":true},)"
            R"("side":{"type":"string","enum":["left","right"],"default":"left"},)"
            R"("rule":{"type":"string","oneOf":[{"const":"r","title":"Rook"},{"const":"q","title":"Queen"}]},)"
            R"("bands":{"type":"array","items":{"type":"string","enum":["red","green"]}},)"
            R"("classes":{"type":"array","items":{"anyOf":[{"const":"w","title":"Water"},{"const":"f","title":"Forest"}]}}},)"
            R"("required":["name","bands"]}})"));

    const auto accepted = [](const char* content) {
        return json::object{{"action", "accept"}, {"content", *base::parse_json(content)}};
    };
    json::object told{{"can", {"elicitation", "sampling", "roots"}},
                      {"answers", {{"person", accepted(R"({"name":"Ås","age":7,"sure":true,"bands":["red"]})")}}}};
    const auto second = call(p, "every_question", "{}", nullptr, told);
    REQUIRE(second.status == GDALMCP_OK);
    CHECK(second.asked.at("used") == json::array{"person"});
    CHECK(second.asked.at("state") == json::object{{"greeted", "yes"}});
    CHECK(
        second.asked.at("requests") ==
        *base::parse_json(
            R"({"word":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":)"
            R"({"type":"text","text":"Say \"hello\"."}}],"maxTokens":10}},"roots":{"method":"roots/list","params":{}}})"));

    told["state"] = second.asked.at("state");
    told["answers"].as_object()["word"] =
        *base::parse_json(R"({"role":"assistant","content":{"type":"text","text":"Hej"}})");
    told["answers"].as_object()["roots"] =
        *base::parse_json(R"({"roots":[{"uri":"file:///a","name":"a"},{"uri":"file:///b"}]})");
    const auto last = call(p, "every_question", "{}", nullptr, told);
    REQUIRE(last.status == GDALMCP_OK);
    CHECK(last.asked.empty());
    CHECK(last.result.at("said") == "Ås surely 7 red Hej a=file:///a =file:///b yes");
}

TEST_CASE("an answer that does not fit the form is requested again; a declined one reaches the tool") {
    const auto p = load(EVERY_KIND_PLUGIN);
    const auto answered = [&](const char* text) {
        return call(p, "every_question", "{}", nullptr,
                    {{"can", {"elicitation"}}, {"answers", {{"person", *base::parse_json(text)}}}});
    };
    for (const char* wrong : {R"({"action":"accept"})", R"({"action":"accept","content":{"name":"x"}})", R"({})",
                              R"({"action":"shrug"})", R"({"action":"accept","content":{"name":5,"bands":[]}})",
                              R"({"action":"accept","content":{"name":"x","bands":"red"}})",
                              R"({"action":"accept","content":{"name":"x","bands":["blue"]}})",
                              R"({"action":"accept","content":{"name":"x","bands":[],"side":"up"}})",
                              R"({"action":"accept","content":{"name":"x","bands":[],"age":1.5}})",
                              R"({"action":"accept","content":{"name":"x","bands":[],"height":"tall"}})",
                              R"({"action":"accept","content":{"name":"x","bands":[],"sure":"yes"}})"}) {
        INFO(wrong);
        const auto o = answered(wrong);
        REQUIRE(o.status == GDALMCP_OK);
        CHECK(o.asked.at("requests").as_object().contains("person"));
    }
    const auto again = answered(R"({"action":"accept","content":{"name":"nobody","bands":[]}})");
    CHECK(again.asked.at("requests").at("person").at("params").at("message") == "And really?");
    const auto declined = answered(R"({"action":"decline"})");
    CHECK(declined.status == GDALMCP_DENIED);
    CHECK(declined.failure.message == "the user declined 'person'");
    CHECK(answered(R"({"action":"cancel"})").failure.message == "the user gave no answer to 'person'");
}

TEST_CASE("GeoJSON arrives as text") {
    const auto p = load(EVERY_KIND_PLUGIN);
    const auto o = call(p, "every_kind",
                        R"({"whole":0,"word":"","system":"x","area":{"type":"Point","coordinates":[1,2]},)"
                        R"("object":{},"numbers":[],"words":[]})");
    CHECK(o.result.at("box") == json::array{});
    CHECK(*base::parse_json(std::string{o.result.at("geojson").as_string()}) ==
          *base::parse_json(R"({"type":"Point","coordinates":[1,2]})"));
    CHECK(o.result.at("maybe") == false);
}

#ifdef CLANG_PLUGIN
TEST_CASE("a plugin built by clang runs in a host built by another compiler") {
    const auto p = load(CLANG_PLUGIN);
    check_every_kind(p);
    check_every_failure(p);
}
#endif
