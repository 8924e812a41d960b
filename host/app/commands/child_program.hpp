// Programs this one starts: directly, by their words, without a shell.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/problem.hpp"

namespace gdalmcp::app {

struct pipe_ends {
    base::descriptor read, write;
};
pipe_ends new_pipe();  // both empty when there are no descriptors left

// Its process. `in` and `out` become its stdin and stdout; an empty `in` stands for /dev/null. Errors: it does not
// start.
base::result<pid_t> start_program(std::vector<std::string> words, const base::descriptor& in,
                                  const base::descriptor& out);

// The stdout of a program. Errors: not_found, it does not start; crashed, it does not exit with 0; deadline, it runs
// longer than `limit` and is killed. DEFAULT: no limit.
base::result<std::string> output_of(std::vector<std::string> words,
                                    std::optional<std::chrono::seconds> limit = std::nullopt);

}  // namespace gdalmcp::app
