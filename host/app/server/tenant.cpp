#include "app/server/tenant.hpp"

#include "app/call/tool_reply.hpp"
#include "app/resources/resources.hpp"
#include "app/server/service.hpp"
#include "base/log.hpp"

namespace gdalmcp::app {

namespace {

// An hour to fetch a result, plus the longest time of a call.
std::chrono::milliseconds task_lifetime(const configuration& c) {
    return std::chrono::hours{1} + std::chrono::seconds{c.timeout_s};
}

}  // namespace

tenant::tenant(service& s, host& h, std::string name)
    : service_{s},
      host_{h},
      reader_{std::make_shared<reader>(h)},
      name_{std::move(name)},
      told_of_{h.offered()},
      elicitation_{std::make_shared<app::elicitation>(h.settings().state_dir, std::chrono::system_clock::now, name_)},
      tasks_{std::chrono::system_clock::now, task_lifetime(h.settings()),
             [this](const json::object& task) { tell_task(task); }},
      reloader_{s, h, [this] { tell_tools(); }} {}

void tenant::beat() {
    if (auto gone = host_.gone_results(); !gone.empty())
        tell_updated({.roots = host_.workspaces(), .gone_results = std::move(gone)});
    tasks_.expire();
    for (auto it = works_.begin(); it != works_.end();) it = tasks_.knows(it->first) ? std::next(it) : works_.erase(it);
}

std::shared_ptr<const mcp::offer> tenant::offer(const session_toolsets& s) {
    if (auto now = host_.offered(); now != offer_is_of_) {
        offers_.clear();
        offer_is_of_ = std::move(now);
    }
    auto switches = s.switches();
    if (const auto known = offers_.find(switches); known != offers_.end()) return known->second;
    // At most as many as connections, however many sessions have ended.
    std::erase_if(offers_, [](const auto& kept) { return kept.second.use_count() == 1; });
    auto fresh = offer_is_of_->offer(switches);
    fresh.resource_templates = list_resource_templates(*offer_is_of_);
    auto made = std::make_shared<const mcp::offer>(std::move(fresh));
    offers_.emplace(std::move(switches), made);
    return made;
}

template <class Step>
void tenant::each_client(Step step) {
    for (const auto& c : service_.subscribers())
        if (&c->of() == this) step(*c);
}

void tenant::tell(const outcome& o) {
    if (o.tools_changed) tell_tools();
    if (o.results_changed) each_client([](subscriber& c) { c.resources_changed(); });
    tell_updated({.roots = host_.workspaces(), .call = &o, .gone_results = o.gone_results});
}

void tenant::tell_toolsets(const session_toolsets* session, const active_call& by) {
    each_client([&](subscriber& c) {
        if (&c.toolsets() == session) c.toolsets_changed(by);
    });
}

void tenant::tell_updated(const changes& c) {
    const auto changed = [&](const std::string& uri) { return is_changed(uri, c); };
    each_client([&](subscriber& s) { s.resources_updated(changed); });
}

void tenant::tell_tools() {
    report_quarantine(host_);
    const auto before = std::exchange(told_of_, host_.offered());
    each_client([&](subscriber& c) { c.replace(offer(c.toolsets())); });
    if (before == told_of_) return;
    const auto glossary = [](const tool_set& s) { return s.told().glossary ? s.told().glossary->text : std::string{}; };
    changes c{.roots = host_.workspaces(), .tools = true, .glossary = glossary(*before) != glossary(*told_of_)};
    for (const auto& s : told_of_->specs().all())
        if (const auto* former = before->specs().find(s.domain); former && former->methodology != s.methodology)
            c.methodologies.push_back(s.domain);
    tell_updated(c);
}

void tenant::tell_task(const json::object& task) {
    each_client([&](subscriber& c) { c.task_changed(task); });
}

std::shared_ptr<active_call> tenant::start(std::shared_ptr<const call_request> q, turn which) {
    return start_call(service_, host_, q, which, [this, q](const outcome& o, const active_call& by) {
        tell(o);
        if (o.toolsets_changed) tell_toolsets(q->asker.toolsets.get(), by);
    });
}

std::optional<std::string> tenant::adopt(const std::shared_ptr<active_call>& run,
                                         std::shared_ptr<const call_request> q) {
    auto id = tasks_.begin();
    if (!id) return std::nullopt;
    works_[*id].request = std::move(q);
    attend(*id, run);
    return id;
}

void tenant::attend(const std::string& id, const std::shared_ptr<active_call>& run) {
    works_[id].run = run;
    run->progress = [this, id](double fraction, const std::string& what) {
        const auto share = fraction > 0 ? std::min(fraction, 1.0) : 0.0;  // as the tool reported it
        tasks_.tell(id, std::to_string(static_cast<int>(share * 100)) + " %" + (what.empty() ? "" : ": " + what));
    };
    run->log = nullptr;
    run->takes_long = nullptr;
    run->done = [this, id](outcome o) { settle(id, std::move(o)); };
}

void tenant::settle(const std::string& id, outcome o) {
    if (o.ask) return ask(id, std::move(*o.ask));
    if (auto e = to_task_failure(o))
        tasks_.fail(id, *e);
    else
        tasks_.complete(id, mcp::wire_result(to_result(std::move(o))));
    works_.erase(id);
}

void tenant::ask(const std::string& id, questions q) {
    const auto found = works_.find(id);
    if (found == works_.end()) return;  // cancelled meanwhile
    auto next = *found->second.request;
    auto objection = mcp::objection(q.requests, next.asker.capabilities);
    if (!objection && ++next.asker.round > elicitation::max) {
        const auto p = elicitation::too_many();
        objection = mcp::rpc_error{mcp::rpc_code::internal_error, p.message + "; " + p.hint, nullptr};
    }
    if (objection) {
        tasks_.fail(id, *objection);
        works_.erase(found);
        return;
    }
    found->second.request = std::make_shared<const call_request>(std::move(next));
    found->second.run = nullptr;
    found->second.state = std::move(q.state);
    tasks_.ask(id, std::move(q.requests));
}

void tenant::update_task(const std::string& id, const json::object& responses) {
    auto answers = tasks_.answer(id, responses);
    const auto found = works_.find(id);
    if (!answers || found == works_.end()) return;
    auto& w = found->second;
    auto next = *w.request;
    next.asker.input_responses = std::move(*answers);
    next.asker.request_state = std::exchange(w.state, nullptr);
    w.request = std::make_shared<const call_request>(std::move(next));
    attend(id, start(w.request, turn::again));
}

void tenant::cancel_task(const std::string& id) {
    tasks_.cancel(id);
    const auto found = works_.find(id);
    if (found == works_.end()) return;
    if (found->second.run) {
        found->second.run->done = nullptr;
        found->second.run->cancel->stop();
    }
    works_.erase(found);
    service_.end_cancelled();
}

void tenant::retire() {
    reloader_.stop();
    kill();
}

void tenant::kill() {
    for (auto& [id, w] : works_)
        if (w.run) w.run->cancel->kill();
    service_.end_cancelled();
}

}  // namespace gdalmcp::app
