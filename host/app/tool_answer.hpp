// What the process of a tool answered, checked before it is believed: the plugin shares the descriptor the answer
// travels on and can speak in the worker's place.
#pragma once
#include <filesystem>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::app {

struct expected_answer {
    std::size_t inputs;                          // datasets the call reads
    std::vector<std::size_t> stages;             // per output, how many places were offered
    std::vector<std::filesystem::path> allowed;  // folders its files can be in: workspaces, results, scratch
};

// Errors: crashed, naming the member that is missing or not what it must be.
base::result<void> check_answer(const base::json::object& done, const expected_answer& expected);

}  // namespace gdalmcp::app
