#include "app/serving/tenant.hpp"

#include "app/calls/tool_reply.hpp"
#include "app/reading/changed_resources.hpp"
#include "app/serving/connection.hpp"
#include "app/serving/service.hpp"
#include "base/log.hpp"

namespace gdalmcp::app {

namespace {

// An hour to fetch a result, and never less than the longest call takes.
std::chrono::milliseconds task_lifetime(const configuration& c) {
    return std::chrono::hours{1} + std::chrono::seconds{c.timeout_s};
}

// The resources that an offering tells otherwise than the one before.
std::vector<std::string> changed_between(const offering& before, const offering& after) {
    std::vector<std::string> all{"bundles://"};
    const auto glossary = [](const offering& o) { return o.told().glossary ? o.told().glossary->text : std::string{}; };
    if (glossary(before) != glossary(after)) all.emplace_back(every_term);
    for (const auto& s : after.specs().all()) {
        const auto* former = before.specs().find(s.domain);
        if (former && former->methodology != s.methodology) all.push_back("methodology://" + s.domain);
    }
    return all;
}

}  // namespace

tenant::tenant(service& s, host& h, std::string name)
    : service_{s},
      host_{h},
      reader_{std::make_shared<reader>(h)},
      name_{std::move(name)},
      told_of_{h.offered()},
      rounds_{std::make_shared<rounds>(h.settings().state_dir, std::chrono::system_clock::now, name_)},
      tasks_{std::chrono::system_clock::now, task_lifetime(h.settings()),
             [this](const json::object& task) { tell_task(task); }},
      reloader_{s, h, [this] { tell_offering(); }} {}

void tenant::beat() {
    tell_updated(host_.gone_results());
    tasks_.expire();
    for (auto it = works_.begin(); it != works_.end();) it = tasks_.knows(it->first) ? std::next(it) : works_.erase(it);
}

std::shared_ptr<const mcp::offer> tenant::offer() {
    auto now = host_.offered();
    if (now != offer_is_of_) {
        offer_ = std::make_shared<const mcp::offer>(now->offer());
        offer_is_of_ = std::move(now);
    }
    return offer_;
}

// ---- what clients are told

template <class Step>
void tenant::each_client(Step step) {
    for (const auto& c : service_.connections())
        if (&c->of() == this) step(*c);
}

void tenant::tell(const outcome& o) {
    if (o.offering_changed) tell_offering();
    if (o.results_changed) each_client([](connection& c) { c.resources_changed(); });
    tell_changed(o);
}

void tenant::tell_changed(const outcome& o) {
    if (o.updated_uris.empty() && o.written_files.empty()) return;
    const auto changed = [&](const std::string& uri) { return is_changed(uri, o, host_.workspaces()); };
    each_client([&](connection& c) { c.resources_updated(changed); });
}

void tenant::tell_updated(std::vector<std::string> uris) {
    outcome o;
    o.updated_uris = std::move(uris);
    tell_changed(o);
}

void tenant::tell_offering() {
    report_quarantine(host_);
    const auto before = std::exchange(told_of_, host_.offered());
    const auto now = offer();
    each_client([&](connection& c) { c.replace(now); });
    if (before != told_of_) tell_updated(changed_between(*before, *told_of_));
}

void tenant::tell_task(const json::object& task) {
    each_client([&](connection& c) { c.task_changed(task); });
}

// ---- tasks

std::optional<std::string> tenant::adopt(const std::shared_ptr<running_call>& run,
                                         std::shared_ptr<const call_request> q) {
    auto id = tasks_.begin();
    if (!id) return std::nullopt;
    works_[*id].request = std::move(q);
    attend(*id, run);
    return id;
}

void tenant::attend(const std::string& id, const std::shared_ptr<running_call>& run) {
    works_[id].run = run;
    run->progress = [this, id](double fraction, const std::string& what) {
        const auto share = fraction > 0 ? std::min(fraction, 1.0) : 0.0;  // a tool's word
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
    if (!objection && ++next.asker.round > rounds::most) {
        const auto p = rounds::too_many();
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
    attend(id, service_.start(*this, w.request, service::turn::again));
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
