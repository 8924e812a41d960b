// The implementation of peer: the tables of open requests and subscriptions, and the work of each method. Every member
// function appends to `out`; peer returns it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "mcp/effect.hpp"
#include "mcp/log_level.hpp"
#include "mcp/offer.hpp"
#include "mcp/reply.hpp"
#include "mcp/request.hpp"

namespace gdalmcp::mcp {

// The filter requested and granted by one subscriptions/listen.
struct listen_filter {
    json::value id;                            // of the listen request: the subscription id
    std::set<std::string, std::less<>> lists;  // "tools", "prompts", "resources"
    std::set<std::string> uris;
    std::set<std::string, std::less<>> tasks;
};

// The result of `initialize`; requests with an envelope neither read nor change it.
struct handshake {
    revision spoken = latest_handshake;
    json::object client_capabilities;
    bool initialized = false;        // notifications/initialized arrived: the server may send notifications
    int log_level = log_level_info;  // until it sets another
    std::set<std::string> uris;      // subscribed
};

// A request of the server: one question of an open call to its client of the handshake.
struct question {
    request_key call = 0;
    std::string name;  // its key in input_required::requests
    std::string method;
};

// The answers a call has received so far.
struct waiting_call {
    std::size_t unanswered = 0;
    json::object responses;  // by the name of the question
    std::string state;
};

class peer_state {
public:
    explicit peer_state(std::shared_ptr<const offer> o) : offer_{std::move(o)} {}

    // peer_state.cpp: from lines to requests
    void receive(std::string_view line);
    void receive(json::value& message, const http_fields* header = nullptr);
    void complain(rpc_error e);  // about a message without an id
    void close();

    // replies.cpp: from replies to lines
    void progress(request_key key, double fraction, std::string_view message);
    void heartbeat(request_key key, std::string_view message);
    void log(request_key key, int severity, std::string_view logger, std::string_view text);
    void answer(request_key key, reply& r);

    // questions.cpp: questions to the client
    bool awaits_client(request_key key) const { return waiting_.count(key) != 0; }
    void stop_waiting(request_key key);

    // subscriptions.cpp: notifications
    void replace(std::shared_ptr<const offer> o, request_key about);
    void tell_list_changed(std::string_view list, request_key about = 0);
    void tell_updated(const std::function<bool(const std::string&)>& changed);
    void tell_task(const json::object& task);
    bool listens_to_tasks() const;

    std::size_t in_flight() const { return open_.size(); }
    bool is_open(request_key key) const { return open_.count(key) != 0; }
    request_key last_key() const { return last_key_; }

    effects out;

private:
    struct method {
        std::string_view name;
        bool in_handshake, in_stateless;  // which of the two eras knows it
        bool offer::*needs;               // null = always offered
        void (peer_state::*serve)(request);
    };
    static const method* find_method(std::string_view name);

    void receive_batch(json::array& messages);
    void receive_message(json::value& message, const std::shared_ptr<batch>& in);
    void receive_notification(std::string_view name, const json::object& message);
    void receive_request(request r);
    void serve(const method* m, request r);
    void cancel_request(const json::object& params);

    // methods.cpp
    void initialize(request r);
    void ping(request r);
    void discover(request r);
    void set_log_level(request r);
    void list_tools(request r);
    void list_prompts(request r);
    void list_templates(request r);
    void list_resources(request r);
    void read_resource(request r);
    void call_tool(request r);
    void get_prompt(request r);
    void complete_argument(request r);
    void get_task(request r);
    void update_task(request r);
    void cancel_task(request r);
    bool admits_task_method(const request& r);  // false: it was refused
    void admit(request r);                      // a tools/call or prompts/get that is well-formed
    // At first, and after each round of questions.
    void push_work(request& r, json::value responses, json::value state);
    static std::optional<rpc_error> take_round(const request& r, json::value& responses, json::value& state);
    json::object capabilities(revision spoken) const;
    json::object server() const;  // Implementation: name, version, …; without icons, which would weigh on every result

    // questions.cpp
    static json::object askable_capabilities(const handshake& h, bool hears);
    static std::optional<rpc_error> objection(const request& r, const input_required& i);
    void ask(request_key key, input_required& i);  // REQUIRES: open, of the handshake, no objection
    void receive_response(const json::object& message);
    static void take_response(waiting_call& w, const question& q, std::optional<json::value> response);
    void resume(request_key key);
    void withdraw_questions(request_key key, std::string_view reason);

    // subscriptions.cpp
    void subscribe(request r);
    void unsubscribe(request r);
    void listen(request r);
    void end_listens();

    // replies.cpp
    request_key track(request r);
    request forget(request_key key);  // REQUIRES: open
    void respond(const request& r, json::object result);
    void respond_cacheable(const request& r, json::object result, std::int64_t ttl_ms);
    void respond_page(const request& r, const json::array& all, std::string_view member, std::int64_t ttl_ms);
    void refuse(const request& r, rpc_error e);
    void refuse_at_the_door(const request& r, rpc_error e);  // before its method was looked at
    void refuse(const request& r, rpc_code code, std::string message) {
        refuse(r, rpc_error{code, std::move(message), nullptr});
    }
    void deliver(const request& r, json::object response, unsigned status = 200);
    void settle(batch& b, request_key about);
    void notify(std::string_view name, json::object params, request_key about = 0);
    void finish(const request& r, tool_result& t);
    void finish(const request& r, input_required& i);
    void finish(const request& r, resource_listing& l);
    void finish(const request& r, resource_contents& c);
    void finish(const request& r, prompt_messages& m);
    void finish(const request& r, completion_values& v);
    void finish(const request& r, task_created& t);
    void finish(const request& r, task_state& t);
    void finish(const request& r, acknowledged& a);
    void finish(const request& r, rpc_error& e);

    std::shared_ptr<const offer> offer_;
    const http_fields* header_ = nullptr;  // of the message being received
    request_key last_key_ = 0;
    std::map<request_key, request> open_;
    std::map<request_key, listen_filter> listens_;
    std::map<std::string, request_key, std::less<>> keys_;  // of both, by the id as JSON text: 5 is not "5"

    std::optional<handshake> handshake_;
    std::uint64_t last_question_ = 0;
    std::map<std::string, question, std::less<>> questions_;  // by the server's id, while unanswered
    std::map<request_key, waiting_call> waiting_;             // calls with questions among them
};

}  // namespace gdalmcp::mcp
