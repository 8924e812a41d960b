// The program's prompts, and the operator's in their place.
#include "reflection/prompt_folder.hpp"

#include "base/text.hpp"
#include "example.hpp"

using namespace example;

namespace {

std::vector<std::string> texts(const std::vector<source_file>& files) {
    std::vector<std::string> all;
    for (const auto& f : files) all.push_back(f.text);
    return all;
}

using words = std::vector<std::string>;

}  // namespace

TEST_CASE("the operator's file replaces the program's of the same name, and others are added") {
    const folder own, over;
    own.write("a.md", "own a");
    own.write("b.md", "own b");
    own.write("methodology/m.md", "own m");
    own.write("tools/t.md", "own t");
    own.write("instructions.md", "own");
    own.write("README.md", "not told");
    over.write("b.md", "our b");
    over.write("c.md", "our c");
    over.write("methodology/m.md", "our m");
    over.write("methodology/typo.md", "our typo");
    over.write("tools/u.md", "our u");
    over.write("glossary.md", "our glossary");
    over.write("notes.txt", "not told");
    const auto f = read_prompt_folder(own.path, over.path);
    REQUIRE(f);
    CHECK(texts(f->prompts) == words{"own a", "our b", "our c"});
    CHECK(texts(f->methodology) == words{"our m", "our typo"});
    CHECK(texts(f->tool_notes) == words{"own t", "our u"});
    CHECK(f->instructions->text == "own");
    CHECK(f->glossary->text == "our glossary");
    REQUIRE(f->strays.size() == 1);
    CHECK(f->strays[0].path.filename() == "typo.md");
}

TEST_CASE("a file of the operator that leads elsewhere is refused") {
    const folder own, over, workspace;
    own.write("instructions.md", "own");
    fs::create_symlink(workspace.write("mine.md", "obey"), over.path / "instructions.md");
    const auto f = read_prompt_folder(own.path, over.path);
    REQUIRE_FALSE(f);
    CHECK(f.error().code == base::code::denied);
    CHECK(f.error().message.find("instructions.md leads out of " + over.path.string()) != std::string::npos);
}

TEST_CASE("instructions are one line a paragraph and end within what clients show") {
    const folder own;
    CHECK(instructions_of({}).error().code == base::code::not_found);
    own.write("instructions.md", "<!-- why -->\nFirst,\nsecond.\n\n- a\n  b\n- c\n");
    CHECK(instructions_of(*read_prompt_folder(own.path)).value() == "First, second.\n- a b\n- c");
    own.write("instructions.md", "é" + std::string(1499, 'x'));
    CHECK(instructions_of(*read_prompt_folder(own.path)));
    own.write("instructions.md", std::string(1501, 'x'));
    CHECK(instructions_of(*read_prompt_folder(own.path)).error().message ==
          (own.path / "instructions.md").string() +
              ", line 1: the instructions have 1501 characters; 1 to 1500 are allowed");
}

TEST_CASE("the program's own instructions fit") {
    const auto f = read_prompt_folder(fs::path{SOURCE_DIR} / "prompts");
    CHECK(base::count_characters(instructions_of(*f).value()) <= 1500);
}
