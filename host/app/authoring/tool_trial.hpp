// Trial of one tool of a bundle: calls it with usual and odd arguments, cancels it, and judges the outcome.
#pragma once
#include <chrono>
#include <set>

#include "app/authoring/check_report.hpp"
#include "app/authoring/sample_files.hpp"
#include "app/call/confined_work.hpp"
#include "workspace/results.hpp"

namespace gdalmcp::app {

// Shared by the trials of all tools of a bundle.
struct trial_room {
    confined_work& work;
    sample_files& files;
    const sample_datasets& datasets;  // of `files`, or of the author's
    const workspace::roots& roots;    // the folder of the sample files
    workspace::results& results;
    std::filesystem::path scratch;  // folders of single calls go there
    std::chrono::seconds limit;     // of one call, as `work` has it
};

//   auto findings = tool_trial{room, tool}.run();
class tool_trial {
public:
    tool_trial(const trial_room& room, const catalog::tool& t) : room_{room}, tool_{t} {}

    std::vector<finding> run();

    // One usual call alone: its result, nothing where none succeeds.
    std::optional<json::object> sample_result();

private:
    enum class stop { never, at_start, at_progress };
    struct attempt {
        std::optional<base::problem> problem;
        json::object done;                   // the worker's final frame, on success
        std::vector<std::string> disturbed;  // changes to the sample files
        bool conforms = true;                // to the output schema
        bool killed = false;                 // it ignored the request to stop
        json::value observed;                // see worker/observation.hpp; null: the process ended before
    };

    attempt call(const json::object& arguments, stop when, bool reopen);
    void execute(const workspace::call_files& a, const json::value& arguments, stop when, bool reopen, attempt& out);
    base::result<void> examine(const std::vector<workspace::stage>& places, const workspace::call_files& a,
                               const json::value& arguments, const runner::ending& e, bool reopen, attempt& out);
    bool admits(const json::object& arguments) const;

    void try_usual();
    void try_again();
    void try_cancelling();
    void try_odd();
    bool judge(const char* check, const json::object& arguments, attempt& a);
    void judge_observed(const json::object& arguments, const json::value& observed);
    void found(const char* check, verdict v, std::string message, std::string hint = {});
    std::string line(const json::object& arguments) const;

    const trial_room& room_;
    const catalog::tool& tool_;
    std::vector<finding> findings_;
    std::optional<json::object> usual_;  // arguments of a call that succeeded
    json::object first_;                 // its result
    std::set<std::string> told_reads_;   // paths
    bool told_printed_ = false;
};

}  // namespace gdalmcp::app
