// One client, or one request of a stateless client: its peer, and the work in progress for it.
#pragma once
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "app/server/active_call.hpp"
#include "app/server/subscriber.hpp"
#include "mcp/peer.hpp"

namespace gdalmcp::app {

class service;
class tenant;

// Carries out the requests of its peer. Everything on the thread of the service. Ended by close(), or with the last
// pointer to it; a call it started may outlive it as a task.
class connection final : public subscriber {
public:
    using outlet = std::function<void(mcp::send)>;
    // toolsets: of the session it belongs to.
    static std::shared_ptr<connection> open(service& s, tenant& t, outlet out,
                                            std::shared_ptr<session_toolsets> toolsets);
    ~connection() override;
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    void receive(std::string_view line);
    void receive(json::value message, const mcp::http_fields& header);
    void line_too_long(std::size_t limit);

    // Where its client can fetch the files of results, up to the id, from the next message on; see read_resource.
    void serve_files_at(std::string url) { files_at_ = std::move(url); }

    const tenant& of() const override { return tenant_; }
    const session_toolsets& toolsets() const override { return *toolsets_; }
    std::size_t in_flight() const { return peer_.in_flight(); }
    bool awaits_tasks() const;  // its client listens to tasks, and some are running
    bool is_open(mcp::request_key key) const { return peer_.is_open(key); }
    mcp::request_key last_key() const { return peer_.last_key(); }

    void replace(std::shared_ptr<const mcp::offer> o) override;
    void toolsets_changed(const active_call& by) override;
    void resources_changed() override;
    void resources_updated(const std::function<bool(const std::string& uri)>& changed) override;
    void task_changed(const json::object& task) override;
    void beat(std::chrono::steady_clock::time_point now) override;
    void wait_no_more(mcp::request_key key);  // stops waiting for the client's answer, if any: later, on this thread

    void close();  // cancels the work in progress
    void kill();   // kills it: the server stops

private:
    struct open_request {
        std::shared_ptr<runner::cancellation> cancel;
        std::shared_ptr<active_call> run;  // of a running tool
        std::chrono::steady_clock::time_point since;
        std::optional<std::chrono::steady_clock::time_point> asked;  // its client is being asked; it occupies no slot
        std::unique_ptr<boost::asio::steady_timer> patience;         // when it expires, the call becomes a task
        std::shared_ptr<const call_request> request;                 // of a tool
    };

    connection(service& s, tenant& t, outlet out, std::shared_ptr<session_toolsets> toolsets);

    void carry_out(mcp::effects all);
    void carry_out(mcp::send e);
    void carry_out(mcp::tool_call e);
    void carry_out(mcp::resource_list e);
    void carry_out(mcp::resource_read e);
    void carry_out(mcp::prompt_get e);
    void carry_out(mcp::completion e);
    void carry_out(mcp::task_get e);
    void carry_out(mcp::task_update e);
    void carry_out(mcp::task_cancel e);
    void carry_out(mcp::cancel e);

    open_request& begin(mcp::request_key key);
    void submit(mcp::request_key key, std::function<mcp::reply(const runner::cancellation&)> work);
    void listen_to(active_call& run, mcp::request_key key, bool may_become_task);
    void become_task(mcp::request_key key);
    mcp::reply to_reply(mcp::request_key key, outcome o);
    void answer(mcp::request_key key, mcp::reply r);
    // A step of this connection for others to call; a no-op once the connection is gone.
    template <class Step>
    auto here(Step step) {
        return [this, weak = weak_from_this(), step = std::move(step)](auto&&... arguments) {
            if (const auto self = weak.lock()) step(*this, std::forward<decltype(arguments)>(arguments)...);
        };
    }

    service& service_;
    tenant& tenant_;
    const outlet out_;
    const std::shared_ptr<session_toolsets> toolsets_;
    std::string files_at_;
    mcp::peer peer_;
    std::map<mcp::request_key, open_request> open_;
};

}  // namespace gdalmcp::app
