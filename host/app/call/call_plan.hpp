// The first steps of a call: check the arguments, then plan the files it may read and write.
#pragma once
#include "app/call/call_context.hpp"
#include "runner/confined_call.hpp"
#include "workspace/call_files.hpp"

namespace gdalmcp::app {

struct checked_call {
    const catalog::tool& tool;
    json::value given;      // as the caller gave them, without justification
    json::value arguments;  // the same with defaults filled in
    json::value justification;
    std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
};
// The remains of a call: its process, which may still be exiting, and the folder that process can write to until then.
struct call_cleanup {
    call_cleanup(scratch_folders& from, workspace::temporary_folder taken) : all{from}, scratch{std::move(taken)} {}
    ~call_cleanup() {
        process.reset();
        all.give_back(std::move(scratch));
    }
    call_cleanup(const call_cleanup&) = delete;
    call_cleanup& operator=(const call_cleanup&) = delete;

    scratch_folders& all;
    workspace::temporary_folder scratch;
    std::unique_ptr<runner::exiting_child> process;
};

struct planned_call : checked_call {
    workspace::call_files files;
    std::shared_ptr<call_cleanup> cleanup;

    const std::filesystem::path& scratch() const { return cleanup->scratch.path(); }
};
// Errors: the arguments violate the tool's schema; an input or output is not granted; io.
base::result<planned_call> plan_call(const call_context& c, const catalog::tool& t, json::object arguments);

}  // namespace gdalmcp::app
