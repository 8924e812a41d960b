#include "app/server/connection.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "app/call/tool_reply.hpp"
#include "app/resources/completions.hpp"
#include "app/resources/prompts.hpp"
#include "app/resources/resources.hpp"
#include "app/server/service.hpp"
#include "app/server/tenant.hpp"

namespace gdalmcp::app {

namespace {

// Time limit for an answer of the client. The state must not expire before the answer is read, which a beat and a wait
// for a slot may delay.
constexpr auto max_wait = std::chrono::minutes{9};
static_assert(max_wait + 2 * heartbeat_every < request_state::lifetime);

// A call reports that it is alive at the first beat after this age: within 20 s, then at every beat.
constexpr auto too_young_to_beat = std::chrono::seconds{5};
static_assert(too_young_to_beat + heartbeat_every <= std::chrono::seconds{20});

// How long a client that understands tasks waits for a result before it is given a task instead.
constexpr auto patience = std::chrono::seconds{2};

mcp::rpc_error needs_tasks(const std::string& tool) {
    return {
        mcp::rpc_code::missing_client_capability,
        tool + " runs as a task only; this client does not declare the extension io.modelcontextprotocol/tasks",
        json::object{{"requiredCapabilities",
                      json::object{{"extensions", json::object{{"io.modelcontextprotocol/tasks", json::object{}}}}}}}};
}

}  // namespace

connection::connection(service& s, tenant& t, outlet out, std::shared_ptr<session_toolsets> toolsets)
    : service_{s}, tenant_{t}, out_{std::move(out)}, toolsets_{std::move(toolsets)}, peer_{t.offer(*toolsets_)} {
    service_.enter(*this);
}

std::shared_ptr<connection> connection::open(service& s, tenant& t, outlet out,
                                             std::shared_ptr<session_toolsets> toolsets) {
    return std::shared_ptr<connection>{new connection{s, t, std::move(out), std::move(toolsets)}};
}

connection::~connection() {
    service_.leave(*this);
    for (auto& [key, r] : open_) r.cancel->stop();
}

void connection::receive(std::string_view line) {
    carry_out(peer_.receive(line));
    tenant_.own().start_ahead();
}
void connection::receive(json::value message, const mcp::http_fields& header) {
    carry_out(peer_.receive(std::move(message), header));
    tenant_.own().start_ahead();
}
void connection::line_too_long(std::size_t limit) { carry_out(peer_.line_too_long(limit)); }

bool connection::awaits_tasks() const { return peer_.listens_to_tasks() && tenant_.at_work() > 0; }

void connection::replace(std::shared_ptr<const mcp::offer> o) {
    carry_out(peer_.replace(std::move(o)));
    resources_changed();
}
void connection::toolsets_changed(const active_call& by) {
    const auto own = std::find_if(open_.begin(), open_.end(), [&](const auto& r) { return r.second.run.get() == &by; });
    carry_out(peer_.replace(tenant_.offer(*toolsets_), own == open_.end() ? 0 : own->first));
}
void connection::resources_changed() { carry_out(peer_.resources_changed()); }
void connection::resources_updated(const std::function<bool(const std::string&)>& changed) {
    carry_out(peer_.resources_updated(changed));
}
void connection::task_changed(const json::object& task) { carry_out(peer_.task_changed(task)); }

void connection::wait_no_more(mcp::request_key key) {
    boost::asio::post(service_.io(), here([key](connection& c) { c.carry_out(c.peer_.stop_waiting(key)); }));
}

void connection::close() { carry_out(peer_.close()); }

void connection::kill() {
    for (auto& [key, r] : open_) r.cancel->kill();
    close();
}

void connection::beat(std::chrono::steady_clock::time_point now) {
    std::vector<mcp::request_key> unanswered;
    for (const auto& [key, r] : open_) {
        const auto s = std::chrono::duration_cast<std::chrono::seconds>(now - r.asked.value_or(r.since));
        if (now - r.since >= too_young_to_beat)
            carry_out(peer_.heartbeat(
                key, (r.asked ? "waiting for an answer for " : "under way for ") + std::to_string(s.count()) + " s"));
        if (r.asked && now - *r.asked >= max_wait) unanswered.push_back(key);
    }
    for (const auto key : unanswered) carry_out(peer_.stop_waiting(key));  // these calls start again
}

void connection::carry_out(mcp::effects all) {
    for (auto& e : all) std::visit([this](auto& what) { carry_out(std::move(what)); }, e);
}

void connection::carry_out(mcp::send e) { out_(std::move(e)); }

void connection::carry_out(mcp::cancel e) {
    const auto found = open_.find(e.key);
    if (found == open_.end()) return;
    found->second.cancel->stop();
    open_.erase(found);  // the client no longer receives its result
    service_.end_cancelled();
}

void connection::carry_out(mcp::completion e) {
    submit(e.key, [r = tenant_.readings(), params = std::move(e.params)](const auto& cancel) {
        return complete(*r, params, cancel);
    });
}

void connection::carry_out(mcp::resource_list e) {
    submit(e.key, [&h = tenant_.own()](const auto&) { return list_resources(h); });
}

void connection::carry_out(mcp::resource_read e) {
    submit(e.key, [r = tenant_.readings(), uri = e.uri, files_at = files_at_](const auto& cancel) {
        return read_resource(*r, uri, files_at, cancel);
    });
}

void connection::carry_out(mcp::prompt_get e) {
    submit(e.key, [&h = tenant_.own(), asking = tenant_.elicitation(), e](const auto& cancel) {
        return get_prompt(h, *asking, e, cancel);
    });
}

void connection::carry_out(mcp::task_get e) {
    auto state = tenant_.tasks().state(e.id);
    if (!state) return answer(e.key, mcp::task_not_found(e.id));
    answer(e.key, mcp::task_state{std::move(*state)});
}

void connection::carry_out(mcp::task_update e) {
    if (!tenant_.tasks().knows(e.id)) return answer(e.key, mcp::task_not_found(e.id));
    tenant_.update_task(e.id, e.responses);
    answer(e.key, mcp::acknowledged{});
}

void connection::carry_out(mcp::task_cancel e) {
    if (!tenant_.tasks().knows(e.id)) return answer(e.key, mcp::task_not_found(e.id));
    tenant_.cancel_task(e.id);
    answer(e.key, mcp::acknowledged{});
}

void connection::carry_out(mcp::tool_call e) {
    auto asker = tenant_.elicitation()->begin(e);
    if (!asker) return answer(e.key, invalid_state(asker.error()));
    const bool task_only = tenant_.own().only_as_task(e.name);
    if (task_only && !e.may_become_task) return answer(e.key, needs_tasks(e.name));
    asker->toolsets = toolsets_;
    auto& r = begin(e.key);
    const auto which = asker->round > 0 ? turn::again : turn::first;
    r.request = std::make_shared<const call_request>(call_request{
        std::move(e.name), std::move(e.arguments), std::move(*asker), e.wants_progress || e.may_become_task});
    r.run = tenant_.start(r.request, which);
    r.cancel = r.run->cancel;
    listen_to(*r.run, e.key, e.may_become_task);
    if (task_only) become_task(e.key);
}

void connection::listen_to(active_call& run, mcp::request_key key, bool may_become_task) {
    run.progress = here([key](connection& c, double fraction, const std::string& what) {
        c.carry_out(c.peer_.progress(key, fraction, what));
    });
    run.log = here([key, tool = open_.at(key).request->tool](connection& c, int severity, const std::string& line) {
        c.carry_out(c.peer_.log(key, severity, tool, line));
    });
    run.done = here([key](connection& c, outcome o) {
        if (c.open_.count(key)) c.answer(key, c.to_reply(key, std::move(o)));  // otherwise the client has cancelled it
    });
    if (!may_become_task) return;
    run.takes_long = here([key](connection& c) { c.become_task(key); });
    auto& timer = open_.at(key).patience;
    timer = std::make_unique<boost::asio::steady_timer>(service_.io(), patience);
    timer->async_wait(here([key](connection& c, const auto& ec) {
        if (!ec) c.become_task(key);
    }));
}

void connection::become_task(mcp::request_key key) {
    const auto found = open_.find(key);
    if (found == open_.end() || !found->second.run) return;
    auto& r = found->second;
    const auto id = tenant_.adopt(r.run, r.request);
    if (!id) return;
    answer(key, mcp::task_created{*tenant_.tasks().summary(*id)});
}

mcp::reply connection::to_reply(mcp::request_key key, outcome o) {
    if (!o.ask) return to_result(std::move(o));
    const auto& q = *open_.at(key).request;
    auto asked = tenant_.elicitation()->ask({"tools/call", q.tool, q.arguments}, q.asker, std::move(*o.ask));
    if (!asked) return to_result(outcome::failure(asked.error()));
    return std::move(*asked);
}

// A call repeated after an answer keeps its age.
connection::open_request& connection::begin(mcp::request_key key) {
    auto& r = open_.try_emplace(key).first->second;
    if (r.since == std::chrono::steady_clock::time_point{}) r.since = std::chrono::steady_clock::now();
    r.asked.reset();
    return r;
}

void connection::submit(mcp::request_key key, std::function<mcp::reply(const runner::cancellation&)> work) {
    auto cancel = std::make_shared<runner::cancellation>();
    begin(key).cancel = cancel;
    service_.submit(tenant_.own(), std::move(cancel), std::move(work),
                    here([key](connection& c, mcp::reply r) { c.answer(key, std::move(r)); }));
}

void connection::answer(mcp::request_key key, mcp::reply r) {
    const auto* question = std::get_if<mcp::input_required>(&r);
    const bool only_keeps_state = question && question->requests.empty();
    carry_out(peer_.answer(key, std::move(r)));
    const auto found = open_.find(key);
    if (found == open_.end()) return;
    if (!peer_.awaits_client(key)) {
        open_.erase(found);
        return;
    }
    found->second.asked = std::chrono::steady_clock::now();
    found->second.run.reset();
    found->second.patience.reset();
    if (only_keeps_state) wait_no_more(key);
}

}  // namespace gdalmcp::app
