// The clients that share workspaces, results, reasons and tasks: everybody on stdio, the holders of one token over
// HTTP. Tenants cannot see each other's data.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/call/elicitation.hpp"
#include "app/call/toolsets.hpp"
#include "app/resources/reader.hpp"
#include "app/resources/resources.hpp"
#include "app/server/active_call.hpp"
#include "app/server/reloader.hpp"
#include "app/server/tasks.hpp"

namespace gdalmcp::app {

class service;

// REQUIRES: outlives its connections; only the thread of the service calls, except own(), readings() and elicitation().
class tenant {
public:
    tenant(service& s, host& h, std::string name);
    tenant(const tenant&) = delete;
    tenant& operator=(const tenant&) = delete;

    host& own() { return host_; }
    // Work in a slot holds references to these: it may outlive the tenant.
    std::shared_ptr<reader> readings() const { return reader_; }
    std::shared_ptr<app::elicitation> elicitation() const { return elicitation_; }
    const std::string& name() const { return name_; }
    // The offer for requests without a handshake, which share one session.
    const std::shared_ptr<session_toolsets>& toolsets() const { return toolsets_; }
    // The current offer for a session; rebuilt only when the host's tools or the session's toolsets change.
    std::shared_ptr<const mcp::offer> offer(const session_toolsets& s);

    void beat();  // to be called at every beat of the service: forgets ended tasks

    // Runs a tool for one of its clients, see start_call.
    std::shared_ptr<active_call> start(std::shared_ptr<const call_request> q, turn which);

    // Turns a call into a task and returns its id. Nothing at the limit of tasks: the call continues as before.
    std::optional<std::string> adopt(const std::shared_ptr<active_call>& run, std::shared_ptr<const call_request> q);
    const app::tasks& tasks() const { return tasks_; }
    void update_task(const std::string& id, const json::object& responses);
    void cancel_task(const std::string& id);

    std::size_t at_work() const { return works_.size(); }  // running tasks
    void kill();                                           // kills running work
    void retire();  // kills, and stops watching; it may be destroyed once the service is done with it

private:
    struct task_work {
        std::shared_ptr<active_call> run;
        std::shared_ptr<const call_request> request;
        json::value state;  // of the call, while its client is asked
    };
    void attend(const std::string& id, const std::shared_ptr<active_call>& run);
    void settle(const std::string& id, outcome o);
    void ask(const std::string& id, questions q);
    template <class Step>
    void each_client(Step step);
    void tell(const outcome& o);  // notifies its clients of the lists and resources a call has changed
    // Notifies the clients of one session that `by`, a call of one of them, has switched toolsets.
    void tell_toolsets(const session_toolsets* session, const active_call& by);
    void tell_tools();
    void tell_updated(const changes& c);
    void tell_task(const json::object& task);

    service& service_;
    host& host_;
    const std::shared_ptr<reader> reader_;
    const std::string name_;
    std::shared_ptr<const tool_set> offer_is_of_;
    std::shared_ptr<const tool_set>
        told_of_;  // the set its clients were last notified of; a request may have loaded a newer one
    std::map<toolset_switches, std::shared_ptr<const mcp::offer>> offers_;
    const std::shared_ptr<session_toolsets> toolsets_ = std::make_shared<session_toolsets>();
    const std::shared_ptr<app::elicitation> elicitation_;
    app::tasks tasks_;
    std::map<std::string, task_work, std::less<>> works_;
    reloader reloader_;
};

}  // namespace gdalmcp::app
