#include "app/server/tokens.hpp"

#include <sys/stat.h>

#include <filesystem>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "catch.hpp"
#include "workspace/temporary_folder.hpp"

using namespace gdalmcp;
using app::add_token;
using app::find_token;
using app::read_tokens;

namespace {

// A folder with a file of tokens that is not there yet.
struct bench {
    workspace::temporary_folder folder = *workspace::temporary_folder::make(
        workspace::new_temporary_name(std::filesystem::temp_directory_path()), false);
    std::filesystem::path file = folder.path() / "tokens.yaml";

    void write(const std::string& text) const { REQUIRE(base::write_file_atomically(file, text)); }
    std::string text() const { return *base::read_file(file, 1u << 20); }
    base::problem refusal() const {
        const auto all = read_tokens(file);
        REQUIRE_FALSE(all);
        return all.error();
    }
};

std::string entry(const std::string& name, const std::string& digit, const std::string& more = "") {
    return "  - name: " + name + "\n    sha256: \"" + std::string(64, digit[0]) + "\"\n    workspaces: [/data]\n" +
           more;
}

}  // namespace

TEST_CASE("an added token is found by its secret only") {
    const bench b;
    const auto alice = add_token(b.file, "alice", {"/data/alice", "/data/common:ro"}, false);
    const auto bob = add_token(b.file, "bob", {"/data/bob"}, true);
    REQUIRE(alice);
    REQUIRE(bob);
    CHECK(alice->size() == 43);  // 256 bits in base64url
    const auto all = read_tokens(b.file);
    REQUIRE(all);
    REQUIRE(all->size() == 2);
    const auto* found = find_token(*all, *alice);
    REQUIRE(found);
    CHECK(found->name == "alice");
    CHECK(found->workspaces == std::vector<std::string>{"/data/alice", "/data/common:ro"});
    CHECK_FALSE(found->metrics);
    CHECK(find_token(*all, *bob)->metrics);
    CHECK_FALSE(find_token(*all, alice->substr(1)));
    CHECK_FALSE(find_token(*all, ""));
    CHECK_FALSE(find_token(*all, found->sha256));
}

TEST_CASE("the file holds a digest and not the token") {
    const bench b;
    const auto secret = *add_token(b.file, "alice", {"/data"}, false);
    CHECK(b.text().find(secret) == std::string::npos);
    CHECK(b.text().find(base::sha256_hex(secret)) != std::string::npos);
}

TEST_CASE("existing content of the file stays, comments included") {
    const bench b;
    b.write("# ours\ntokens:\n" + entry("alice", "a", "    metrics: true  # the monitor"));
    REQUIRE(add_token(b.file, "bob", {"/data"}, false));
    CHECK(b.text().find("# ours\n") == 0);
    CHECK(b.text().find("# the monitor\n  - name: bob") != std::string::npos);
    CHECK(read_tokens(b.file)->size() == 2);
}

TEST_CASE("workspaces of a token are absolute in the file, whatever characters their names have") {
    const bench b;
    REQUIRE(add_token(b.file, "alice", {"data: [x]\"y\"", "../up:ro"}, false));
    const auto all = read_tokens(b.file);
    REQUIRE(all);
    const auto here = std::filesystem::current_path();
    CHECK(all->at(0).workspaces ==
          std::vector<std::string>{(here / "data: [x]\"y\"").string(), (here.parent_path() / "up:ro").string()});
}

TEST_CASE("a taken or invalid name is refused and the file is unchanged") {
    const bench b;
    REQUIRE(add_token(b.file, "alice", {"/data"}, false));
    const auto before = b.text();
    for (const auto* name : {"alice", "", "a b", "-a", "a\n  - name: eve"}) {
        CAPTURE(name);
        CHECK_FALSE(add_token(b.file, name, {"/data"}, false));
        CHECK(b.text() == before);
    }
}

TEST_CASE("a file that others may write is refused") {
    const bench b;
    b.write("tokens:\n" + entry("alice", "a"));
    REQUIRE(read_tokens(b.file));
    for (const auto mode : {0620u, 0602u}) {
        ::chmod(b.file.c_str(), mode);
        CHECK(b.refusal().code == base::code::denied);
        CHECK_FALSE(add_token(b.file, "bob", {"/data"}, false));
    }
}

TEST_CASE("a defect of the file is reported with its line") {
    const bench b;
    const auto at = [&](const std::string& line) { return b.file.string() + ":" + line + ": "; };
    const auto refused = [&](const std::string& text, const std::string& beginning, const std::string& word) {
        CAPTURE(text);
        b.write(text);
        const auto message = b.refusal().message;
        CHECK(message.rfind(beginning, 0) == 0);
        CHECK(message.find(word) != std::string::npos);
    };
    refused("tokens:\n" + entry("alice", "a") + entry("alice", "b"), at("5"), "'alice' is given twice");
    refused("tokens:\n" + entry("alice", "a") + entry("bob", "a"), at("5"), "'bob' has the same token");
    refused("tokens:\n" + entry("alice", "A"), at("3"), "sha256");
    refused("tokens:\n" + entry("alice", "a", "    colour: red\n"), b.file.string() + ":", "colour");
    refused("tokens:\n  - name: alice\n", b.file.string() + ":", "sha256");
    refused("tokens: {", b.file.string() + ": ", "");
    refused("", b.file.string() + ":", "");
}

TEST_CASE("a missing file is reported by name") {
    const bench b;
    CHECK(b.refusal().message.find(b.file.string()) != std::string::npos);
}
