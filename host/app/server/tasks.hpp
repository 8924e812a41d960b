// Calls that continue after their request was answered: the extension io.modelcontextprotocol/tasks.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "mcp/rpc_error.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// The state of one tenant's tasks; the work itself is done elsewhere. A task is forgotten once its time to live,
// counted from its start, is over and it has ended, never before: clients were promised that time. Not thread-safe.
class tasks {
public:
    using clock = std::function<std::chrono::system_clock::time_point()>;
    static constexpr std::size_t most = 256;  // at the same time
    static constexpr std::chrono::milliseconds poll_interval{1000};

    // changed: receives the new state of a task, as returned by state().
    tasks(clock now, std::chrono::milliseconds time_to_live, std::function<void(const json::object&)> changed)
        : now_{std::move(now)}, time_to_live_{time_to_live}, changed_{std::move(changed)} {}

    std::optional<std::string> begin();  // the id, unguessable; nothing at the limit of `most` tasks

    // The wire shapes of MCP: Task, and Task with result, error or inputRequests. Nothing for an unknown id.
    std::optional<json::object> summary(std::string_view id) const;
    std::optional<json::object> state(std::string_view id) const;

    // The outcome of the work. A task that has ended does not change.
    void tell(std::string_view id, const std::string& message);
    void complete(std::string_view id, json::object result);  // result: of the tool call, also a failed one
    void fail(std::string_view id, const mcp::rpc_error& e);
    void cancel(std::string_view id);
    void ask(std::string_view id, json::object requests);  // {name: {method, params}}

    // Stores the answers to open questions; ignores others. Returns the answers to all questions once complete.
    std::optional<json::object> answer(std::string_view id, const json::object& responses);

    bool knows(std::string_view id) const { return all_.find(id) != all_.end(); }
    std::map<std::string, std::size_t> by_status() const;
    void expire();

private:
    enum class status { working, input_required, completed, failed, cancelled };
    struct task {
        status is = status::working;
        std::string message;
        std::chrono::system_clock::time_point created, updated;
        json::object body;       // result or error
        json::object questions;  // unanswered, by the name the client sees: a repeated question gets a new name
        json::object answers;
        std::map<std::string, std::string, std::less<>> names;  // of all questions so far: client's name -> tool's name
    };
    static const char* name_of(status s);
    static bool is_over(const task& t) { return t.is != status::working && t.is != status::input_required; }
    task* live(std::string_view id);  // null when unknown or ended
    void change(std::string_view id, task& t, status s);
    json::object text(std::string_view id, const task& t) const;

    const clock now_;
    const std::chrono::milliseconds time_to_live_;
    const std::function<void(const json::object&)> changed_;
    std::map<std::string, task, std::less<>> all_;
};

}  // namespace gdalmcp::app
