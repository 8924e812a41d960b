#include "app/call/request_state.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <future>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "catch.hpp"
#include "workspace/temporary_folder.hpp"

using namespace gdalmcp;
using app::request_state;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

const std::string key(32, 'k');

// Time as a test wants it.
struct watch {
    std::chrono::system_clock::time_point now{std::chrono::seconds{1'800'000'000}};
    request_state states(const std::string& with = key) {
        return {with, [this] { return now; }};
    }
};

std::string refusal(const base::result<json::value>& r) {
    REQUIRE_FALSE(r);
    CHECK(r.error().code == base::code::invalid_argument);
    CHECK_FALSE(r.error().hint.empty());
    return r.error().message;
}

// The text with another body under its own signature.
std::string resigned(const std::string& body) {
    const auto text = "v1." + base::base64url(body);
    return text + "." + base::base64url(base::hmac_sha256(key, text));
}

workspace::temporary_folder folder() {
    auto made = workspace::temporary_folder::make(workspace::new_temporary_name(fs::temp_directory_path()), false);
    REQUIRE(made);
    return std::move(*made);
}

void write(const fs::path& file, const std::string& bytes, mode_t mode) {
    std::ofstream{file, std::ios::binary} << bytes;
    REQUIRE(::chmod(file.c_str(), mode) == 0);
}

}  // namespace

TEST_CASE("a state returns its payload, however often it is opened") {
    watch w;
    const auto states = w.states();
    const json::value payload = {{"crs", "EPSG:3857"}, {"n", 0.1}, {"list", {1, nullptr, "ä"}}};
    const auto text = states.mint(payload, "call");
    CHECK(states.open(text, "call").value() == payload);
    CHECK(states.open(text, "call").value() == payload);
}

TEST_CASE("a state has three parts: version, payload, signature") {
    watch w;
    const auto text = w.states().mint(json::value("p"), "call");
    const auto dot = text.find('.', 3);
    CHECK(text.substr(0, 3) == "v1.");
    CHECK(base::from_base64url(text.substr(3, dot - 3)) == R"({"p":"p","exp":1800000600,"b":"call"})");
    CHECK(text.substr(dot + 1) == base::base64url(base::hmac_sha256(key, text.substr(0, dot))));
}

TEST_CASE("a state is valid for exactly 600 s") {
    watch w;
    const auto states = w.states();
    const auto text = states.mint(json::value(1), "call");
    w.now += std::chrono::seconds{599};
    CHECK(states.open(text, "call"));
    w.now += std::chrono::seconds{1};
    CHECK(refusal(states.open(text, "call")) == "requestState expired 0 s ago");
    w.now += std::chrono::hours{1};
    CHECK(refusal(states.open(text, "call")) == "requestState expired 3600 s ago");
}

TEST_CASE("a state of another call, or of another key, is refused") {
    watch w;
    const auto text = w.states().mint(json::value(1), "call");
    CHECK(refusal(w.states().open(text, "another")).find("another tool or with other arguments") != std::string::npos);
    CHECK(refusal(w.states(std::string(32, 'x')).open(text, "call")).find("not issued by this server") !=
          std::string::npos);
}

TEST_CASE("no byte of a state can be changed, left out or added") {
    watch w;
    const auto states = w.states();
    const auto text = states.mint(json::value("payload"), "call");
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto changed = text;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        CHECK_FALSE(states.open(changed, "call"));
        CHECK_FALSE(states.open(text.substr(0, i), "call"));
        CHECK_FALSE(states.open(text.substr(i + 1), "call"));
    }
    for (const std::string more : {"A", ".", " ", "=", "-TAMPERED"}) {
        CHECK_FALSE(states.open(text + more, "call"));
        CHECK_FALSE(states.open(more + text, "call"));
    }
}

TEST_CASE("a valid signature over an invalid state is refused") {
    watch w;
    for (const char* body : {"", "{}", "[]", "not JSON", R"({"p":1,"b":"call"})", R"({"p":1,"exp":"x","b":"call"})",
                             R"({"exp":1800000600,"b":"call"})", R"({"p":1,"exp":1800000600})"}) {
        INFO(body);
        CHECK_FALSE(w.states().open(resigned(body), "call"));
    }
    CHECK(w.states().open(resigned(R"({"p":1,"exp":1800000600,"b":"call"})"), "call"));
    const std::string other = "v2." + base::base64url(R"({"p":1,"exp":1800000600,"b":"call"})");
    CHECK_FALSE(w.states().open(other, "call"));
}

TEST_CASE("equal calls have one binding, however their arguments are written; different ones have another") {
    const auto binding = [](const char* name, const char* arguments) {
        return app::call_binding("tools/call", name, base::parse_json(arguments).value().as_object());
    };
    const auto one = binding("warp", R"({"a":1,"b":[1.5,"x"]})");
    CHECK(one == binding("warp", R"({ "b": [15e-1, "x"], "a": 1.0 })"));
    CHECK(one != binding("warp", R"({"a":1,"b":["x",1.5]})"));
    CHECK(one != binding("warp", R"({"a":1})"));
    CHECK(one != binding("other", R"({"a":1,"b":[1.5,"x"]})"));
    CHECK(one !=
          app::call_binding("prompts/get", "warp", base::parse_json(R"({"a":1,"b":[1.5,"x"]})").value().as_object()));
}

TEST_CASE("the key is created once, readable by its owner only, and reused") {
    const auto state = folder();
    const auto deep = state.path() / "not" / "there" / "yet";
    const auto first = app::request_state_key(deep);
    REQUIRE(first);
    CHECK(first->size() == 32);
    CHECK(app::request_state_key(deep).value() == *first);
    struct stat s {};
    REQUIRE(::stat((deep / "request-state.key").c_str(), &s) == 0);
    CHECK((s.st_mode & 07777) == 0600);
    CHECK(std::distance(fs::directory_iterator{deep}, {}) == 1);
    const auto other = folder();
    CHECK(app::request_state_key(other.path()).value() != *first);
}

TEST_CASE("processes that start together end with the same key and leave no temporary files") {
    for (int attempt = 0; attempt < 20; ++attempt) {
        const auto state = folder();
        std::promise<void> start;
        const auto started = start.get_future().share();
        std::vector<std::future<base::result<std::string>>> keys;
        for (int i = 0; i < 8; ++i)
            keys.push_back(std::async(std::launch::async, [&] {
                started.wait();
                return app::request_state_key(state.path());
            }));
        start.set_value();
        const auto first = keys[0].get();
        REQUIRE(first);
        for (std::size_t i = 1; i < keys.size(); ++i) CHECK(keys[i].get().value() == *first);
        CHECK(std::distance(fs::directory_iterator{state.path()}, {}) == 1);
    }
}

TEST_CASE("a key file that others can read, or that is invalid, is refused by name") {
    const auto state = folder();
    const auto file = state.path() / "request-state.key";
    const auto refused = [&] {
        const auto r = app::request_state_key(state.path());
        REQUIRE_FALSE(r);
        CHECK(r.error().message.find(file.string()) == 0);
        return r.error().code;
    };
    write(file, key, 0644);
    CHECK(refused() == std::string{base::code::denied});
    write(file, key, 0600);
    CHECK(app::request_state_key(state.path()).value() == key);
    write(file, key + "x", 0600);
    CHECK(refused() == std::string{base::code::io});
    write(file, "short", 0600);
    CHECK(refused() == std::string{base::code::io});
}

TEST_CASE("a link is not followed to a key") {
    const auto state = folder();
    write(state.path() / "elsewhere", key, 0600);
    fs::create_symlink("elsewhere", state.path() / "request-state.key");
    CHECK_FALSE(app::request_state_key(state.path()));
}
