// Calls that go on after their request was answered: the extension io.modelcontextprotocol/tasks.
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

// The tasks of one tenant and what is known of them; the work itself is done elsewhere. A task is forgotten when its
// time to live, counted from its beginning, is over and it is at work no more, and never before: clients were promised
// that time. Not thread-safe.
class tasks {
public:
    using clock = std::function<std::chrono::system_clock::time_point()>;
    static constexpr std::size_t most = 256;  // known at once
    static constexpr std::chrono::milliseconds poll_interval{1000};

    // changed: told the new state of a task, as state() gives it.
    tasks(clock now, std::chrono::milliseconds time_to_live, std::function<void(const json::object&)> changed)
        : now_{std::move(now)}, time_to_live_{time_to_live}, changed_{std::move(changed)} {}

    std::optional<std::string> begin();  // the id, hard to guess; nothing when there are `most` already

    // The wire shapes of MCP: Task, and Task with result, error or inputRequests. Nothing for an id that names none.
    std::optional<json::object> summary(std::string_view id) const;
    std::optional<json::object> state(std::string_view id) const;

    // What became of the work. A task that is over stays as it is.
    void tell(std::string_view id, const std::string& message);
    void complete(std::string_view id, json::object result);  // result: of the tool call, also a failed one
    void fail(std::string_view id, const mcp::rpc_error& e);
    void cancel(std::string_view id);
    void ask(std::string_view id, json::object requests);  // {name: {method, params}}

    // Takes the answers to what is asked; others are ignored. The answers to all questions, once there is one to each.
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
        json::object questions;  // unanswered, by the name the client sees: one that is asked again gets a new one
        json::object answers;
        std::map<std::string, std::string, std::less<>> names;  // of all questions so far: seen -> asked
    };
    static const char* name_of(status s);
    static bool is_over(const task& t) { return t.is != status::working && t.is != status::input_required; }
    task* live(std::string_view id);  // null when there is none or it is over
    void change(std::string_view id, task& t, status s);
    json::object text(std::string_view id, const task& t) const;

    const clock now_;
    const std::chrono::milliseconds time_to_live_;
    const std::function<void(const json::object&)> changed_;
    std::map<std::string, task, std::less<>> all_;
};

}  // namespace gdalmcp::app
