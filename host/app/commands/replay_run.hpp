// Repeats the steps of a replay through the host, and compares what they write with what was recorded.
#pragma once
#include <map>
#include <memory>

#include "app/commands/replay_check.hpp"

namespace gdalmcp::app {

struct repeated_output {
    std::string name;    // the file it is now, or the URI of the managed result it was
    std::string sha256;  // of its primary file
    std::vector<std::string> differences;
};

struct repeated_step {
    bool ran = false;
    std::vector<repeated_output> outputs;
    std::vector<std::string> notes;  // why it was not run; else what may explain a difference

    bool same() const;
};

// REQUIRES: run() for each step in order. `into`: the host's configuration::replay_into.
class replayer {
public:
    replayer(host& h, const std::vector<replayed_step>& steps, std::filesystem::path into,
             const runner::cancellation& cancel);

    repeated_step run(std::size_t step, const checked_step& checked);

private:
    struct made {
        std::string uri;                                 // as later steps name it: a path, or query://result/{id}
        json::object record;                             // of the step that made it now
        std::shared_ptr<const workspace::managed> held;  // of a managed result
    };
    base::result<json::object> arguments_of(std::size_t step, const checked_step& checked) const;
    std::filesystem::path free_place(std::size_t step, const std::string& argument, const json::value& arguments) const;
    base::result<made> made_now(const replayed_step& step, const replayed_output& output, const json::value& arguments);
    void compare(std::size_t step, const json::value& arguments, repeated_step& to);
    json::object same_inputs_of(std::size_t step) const;  // see client::same_inputs; the data were checked
    void release_after(std::size_t step);

    host& host_;
    const std::vector<replayed_step>& steps_;
    const std::filesystem::path into_;
    const runner::cancellation& cancel_;
    std::vector<std::vector<made>> made_;  // by step and output; empty: not run
    std::vector<std::size_t> last_use_;    // of a step's outputs
    std::vector<bool> same_;
};

}  // namespace gdalmcp::app
