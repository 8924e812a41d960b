// The Markdown sent to agents, from files: the program's folder, overridden by the operator's.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::reflection {

struct source_file {
    std::filesystem::path path;  // for messages
    std::string text;
};

// In order of their names.
struct prompt_folder {
    std::vector<source_file> prompts;                         // *.md: questions and roles, with front matter
    std::vector<source_file> methodology;                     // methodology/*.md
    std::vector<source_file> tool_notes;                      // tools/<tool>.md
    std::optional<source_file> instructions, glossary, icon;  // instructions.md, glossary.md, icon.svg
    std::vector<source_file> strays;                          // of the operator's methodology: pages that replace none
};

// The files of `own`; a file of the same relative name in `over` replaces it, others are added. README.md is skipped.
// Errors: a folder or file that cannot be read, a file of `over` that leads out of it, one of more than 1 MiB.
base::result<prompt_folder> read_prompt_folder(const std::filesystem::path& own,
                                               const std::filesystem::path& over = {});

// The text of instructions.md: paragraphs without line breaks. Errors: none, or more than 1000 characters.
base::result<std::string> instructions_of(const prompt_folder& f);

// Normalised as a prompt's body, with each paragraph, list item and heading on one line.
std::string unwrapped(std::string_view markdown);

}  // namespace gdalmcp::reflection
