#include "worker/memory_end.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

#include "base/text.hpp"
#include "runner/frame.hpp"

namespace gdalmcp::worker {
namespace {

struct watched_call {
    int socket = -1;
    std::string tool;
    std::uint64_t limit = 0;
    std::string answer;  // encoded, since none can be made later
    std::terminate_handler otherwise = nullptr;
    std::atomic_flag ending = ATOMIC_FLAG_INIT;
};
watched_call watched;

[[noreturn]] void on_terminate() {
    try {
        if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        end_out_of_memory();
    } catch (...) {
        watched.otherwise();
    }
    std::abort();
}

}  // namespace

base::json::object failure_frame(const base::problem& p) {
    return {{"kind", "done"},
            {"problem", base::json::object{{"code", p.code}, {"message", p.message}, {"hint", p.hint}, {"at", p.at}}}};
}

bool says_out_of_memory(std::string_view message) {
    const auto lower = base::lower_ascii(message);
    constexpr std::array<const char*, 6> words{"out of memory",      "bad_alloc",          "cannot allocate",
                                               "could not allocate", "failed to allocate", "too big feature"};
    return std::any_of(words.begin(), words.end(), [&](const char* w) { return lower.find(w) != std::string::npos; });
}

void answer_when_out_of_memory(int socket, const std::string& tool, std::uint64_t limit) {
    watched.socket = socket;
    watched.tool = tool;
    watched.limit = limit;
    watched.answer = runner::encoded(failure_frame(out_of_memory("out of memory"))).value_or("");
    watched.otherwise = std::set_terminate(&on_terminate);
}

base::problem out_of_memory(std::string_view why) {
    const bool more = why != "out of memory" && why != "std::bad_alloc";
    return {
        base::code::exhausted,
        (watched.tool.empty() ? "the worker" : watched.tool) + " ran out of memory" +
            (watched.limit > 0 ? ", of which a call may take " + std::to_string(watched.limit >> 20) + " MiB" : "") +
            (more ? ": " + std::string{why} : ""),
        "take less at once (a part of the data, fewer fields, coarser cells), or ask the operator to start gdal-mcp "
        "with a larger --memory (MiB; GDAL_MCP_MEMORY)",
        ""};
}

void end_out_of_memory() {
    // Of several threads the first one answers.
    while (watched.ending.test_and_set()) std::this_thread::sleep_for(std::chrono::seconds{1});
    static_cast<void>(runner::send_encoded(watched.socket, watched.answer));
    ::_exit(0);
}

}  // namespace gdalmcp::worker
