#include "app/server/tasks.hpp"

#include <utility>

#include "mcp/reply.hpp"
#include "workspace/results.hpp"
#include "workspace/temporary_folder.hpp"

namespace gdalmcp::app {

const char* tasks::name_of(status s) {
    switch (s) {
        case status::working:
            return "working";
        case status::input_required:
            return "input_required";
        case status::completed:
            return "completed";
        case status::failed:
            return "failed";
        case status::cancelled:
            return "cancelled";
    }
    return "failed";
}

std::optional<std::string> tasks::begin() {
    expire();
    if (all_.size() >= most) return std::nullopt;
    auto id = workspace::random_id();
    auto& t = all_[id];
    t.created = t.updated = now_();
    return id;
}

json::object tasks::text(std::string_view id, const task& t) const {
    json::object o{{"taskId", json::string{id}},
                   {"status", name_of(t.is)},
                   {"createdAt", workspace::rfc3339(t.created)},
                   {"lastUpdatedAt", workspace::rfc3339(t.updated)},
                   {"ttlMs", time_to_live_.count()},
                   {"pollIntervalMs", poll_interval.count()}};
    if (!t.message.empty()) o["statusMessage"] = t.message;
    return o;
}

std::optional<json::object> tasks::summary(std::string_view id) const {
    const auto found = all_.find(id);
    if (found == all_.end()) return std::nullopt;
    return text(id, found->second);
}

std::optional<json::object> tasks::state(std::string_view id) const {
    auto o = summary(id);
    if (!o) return std::nullopt;
    const auto& t = all_.find(id)->second;
    if (t.is == status::completed) (*o)["result"] = t.body;
    if (t.is == status::failed) (*o)["error"] = t.body;
    if (t.is == status::input_required) (*o)["inputRequests"] = t.questions;
    return o;
}

tasks::task* tasks::live(std::string_view id) {
    const auto found = all_.find(id);
    return found == all_.end() || is_over(found->second) ? nullptr : &found->second;
}

void tasks::change(std::string_view id, task& t, status s) {
    t.is = s;
    t.updated = now_();
    changed_(*state(id));
}

void tasks::tell(std::string_view id, const std::string& message) {
    auto* t = live(id);
    if (!t || t->message == message) return;
    t->message = message;
    change(id, *t, t->is);
}

void tasks::complete(std::string_view id, json::object result) {
    auto* t = live(id);
    if (!t) return;
    if (const auto size = base::write_json(result).size(); size > mcp::max_result)
        return fail(id, {mcp::rpc_code::internal_error,
                         "the result takes " + std::to_string(size) + " bytes, clients read up to " +
                             std::to_string(mcp::max_result) + "; request less, or write to a file",
                         nullptr});
    t->body = std::move(result);
    change(id, *t, status::completed);
}

void tasks::fail(std::string_view id, const mcp::rpc_error& e) {
    auto* t = live(id);
    if (!t) return;
    t->body = {{"code", static_cast<int>(e.code)}, {"message", e.message}};
    if (!e.data.is_null()) t->body["data"] = e.data;
    change(id, *t, status::failed);
}

void tasks::cancel(std::string_view id) {
    if (auto* t = live(id)) change(id, *t, status::cancelled);
}

void tasks::ask(std::string_view id, json::object requests) {
    auto* t = live(id);
    if (!t) return;
    t->questions.clear();
    t->answers.clear();
    for (auto& r : requests) {
        const std::string name{r.key()};
        auto seen = name;
        for (int n = 2; t->names.count(seen); ++n) seen = name + "-" + std::to_string(n);
        t->names.emplace(seen, name);
        t->questions[seen] = std::move(r.value());
    }
    change(id, *t, status::input_required);
}

std::optional<json::object> tasks::answer(std::string_view id, const json::object& responses) {
    auto* t = live(id);
    if (!t || t->is != status::input_required) return std::nullopt;
    const auto asked = t->questions.size();
    for (const auto& r : responses)
        if (t->questions.erase(r.key())) t->answers[t->names.find(std::string_view{r.key()})->second] = r.value();
    if (t->questions.size() == asked) return std::nullopt;
    if (t->questions.empty()) {
        change(id, *t, status::working);
        return std::exchange(t->answers, {});
    }
    change(id, *t, status::input_required);
    return std::nullopt;
}

std::map<std::string, std::size_t> tasks::by_status() const {
    std::map<std::string, std::size_t> all;
    for (const auto s : {status::working, status::input_required, status::completed, status::failed, status::cancelled})
        all[name_of(s)] = 0;
    for (const auto& [id, t] : all_) ++all[name_of(t.is)];
    return all;
}

void tasks::expire() {
    const auto now = now_();
    for (auto it = all_.begin(); it != all_.end();)
        it = it->second.is != status::working && now - it->second.created >= time_to_live_ ? all_.erase(it)
                                                                                           : std::next(it);
}

}  // namespace gdalmcp::app
