#include "app/server/tenants.hpp"

#include <algorithm>

#include "app/call/call_facts.hpp"
#include "app/server/service.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace gdalmcp::app {

namespace {

// RFC 6750, 2.1.
std::string_view bearer(std::optional<std::string_view> authorization) {
    constexpr std::string_view scheme = "bearer ";
    auto text = authorization.value_or("");
    if (base::lower_ascii(text.substr(0, scheme.size())) != scheme) return {};
    text.remove_prefix(scheme.size());
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    return text;
}

const token* named(const std::vector<token>& all, std::string_view name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const token& t) { return t.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

base::result<std::unique_ptr<tenants>> tenants::open(const configuration& c) {
    std::unique_ptr<tenants> t{new tenants{c}};
    if (t->file_.empty()) {
        auto h = host::open(c);
        if (!h) return tl::unexpected{h.error()};
        t->all_[""] = {c.workspaces, std::move(*h), nullptr, false};
        return t;
    }
    t->file_state_ = file_state(t->file_);
    auto tokens = read_tokens(t->file_);
    if (!tokens) return tl::unexpected{tokens.error()};
    if (auto ok = t->admit(std::move(*tokens)); !ok) return tl::unexpected{ok.error()};
    return t;
}

// Each token has a host of its own, so that nothing is shared by mistake.
base::result<void> tenants::admit(std::vector<token> tokens) {
    std::map<std::string, entry> next;
    for (const auto& t : tokens) {
        const auto known = all_.find(t.name);
        if (known != all_.end() && known->second.workspaces == t.workspaces) continue;
        auto settings = configuration_;
        settings.workspaces = t.workspaces;
        auto h = host::open(settings);
        if (!h)
            return base::fail(h.error().code, "the token '" + t.name + "': " + h.error().message, h.error().hint,
                              h.error().at);
        next[t.name] = {t.workspaces, std::move(*h), nullptr, false};
    }
    for (const auto& t : tokens)
        if (!next.count(t.name)) next[t.name] = std::move(all_[t.name]);
    for (auto& [name, former] : all_)
        if (former.own) gone_.push_back(std::move(former));
    all_ = std::move(next);
    tokens_ = std::move(tokens);
    return {};
}

void tenants::begin(service& s, std::function<void(const tenant&)> gone) {
    service_ = &s;
    on_gone_ = std::move(gone);
    serve_newcomers();
    s.every_beat([this] {
        each([](tenant& t) { t.beat(); });
        if (file_.empty()) return;
        look_again();
        release_gone();
    });
}

void tenants::serve_newcomers() {
    for (auto& [name, one] : all_) {
        if (one.serving) continue;
        one.serving = std::make_unique<tenant>(*service_, *one.own, name);
    }
}

// Destroys it with its results and processes, at the second idle beat: by then the last notifications of its work have
// run on this thread.
void tenants::release_gone() {
    std::erase_if(gone_, [&](entry& one) {
        const bool was_idle = std::exchange(one.idle, service_->is_done_with(*one.own, *one.serving));
        if (!was_idle || !one.idle) return false;
        one.serving.reset();  // before the host, which it uses
        return true;
    });
}

void tenants::end() {
    each([](tenant& t) { t.kill(); });
    for (auto& [name, one] : all_) one.serving.reset();
    for (auto& one : gone_) one.serving.reset();
}

// An invalid file changes nothing: existing access stays, none is added.
void tenants::look_again() {
    auto now = file_state(file_);
    if (now == file_state_) return;
    file_state_ = std::move(now);
    const auto known = gone_.size();
    const auto before = tokens_;
    auto tokens = read_tokens(file_);
    const auto ok = tokens ? admit(std::move(*tokens)) : base::result<void>{tl::unexpected{tokens.error()}};
    if (!ok)
        return base::log(base::log_level::error,
                         "the tokens are unchanged: " + ok.error().message + "; " + ok.error().hint);
    serve_newcomers();
    for (auto i = known; i < gone_.size(); ++i) {
        gone_[i].serving->retire();
        on_gone_(*gone_[i].serving);
    }
    for (const auto& former : before)
        if (const auto* t = named(tokens_, former.name); t && t->sha256 != former.sha256)
            on_gone_(*all_.at(t->name).serving);
}

const token* tenants::token_of(std::optional<std::string_view> authorization) {
    look_again();
    const auto secret = bearer(authorization);
    return secret.empty() ? nullptr : find_token(tokens_, secret);
}

tenant* tenants::find(std::optional<std::string_view> authorization) {
    if (file_.empty()) return all_.at("").serving.get();
    const auto* t = token_of(authorization);
    return t ? all_.at(t->name).serving.get() : nullptr;
}

bool tenants::may_read_metrics(std::optional<std::string_view> authorization) {
    if (file_.empty()) return true;
    const auto* t = token_of(authorization);
    return t && t->metrics;
}

}  // namespace gdalmcp::app
