#include "app/server/http_session.hpp"

#include <algorithm>
#include <set>

#include "app/call/toolsets.hpp"

namespace gdalmcp::app {

http_session::http_session(service& s, tenant& t, std::string id)
    : id_{std::move(id)},
      client_{connection::open(
          s, t, [this](const mcp::send& said) { route(said); }, std::make_shared<session_toolsets>())} {}

void http_session::receive(json::value message, std::string files_at, std::shared_ptr<http_exchange> reply) {
    last_used_ = std::chrono::steady_clock::now();
    const auto before = client_->last_key();
    current_ = reply;
    client_->serve_files_at(std::move(files_at));
    mcp::http_fields beside;
    beside.reads_before_reply = reply->streams() || listened_to();
    client_->receive(std::move(message), beside);
    current_.reset();
    for (auto key = before + 1; key <= client_->last_key(); ++key)
        if (client_->is_open(key)) replies_[key] = reply;
    const bool awaited =
        std::any_of(replies_.begin(), replies_.end(), [&](const auto& r) { return r.second == reply; });
    if (!awaited && !reply->begun()) reply->accept();
    drop_finished();
}

bool http_session::listen(std::shared_ptr<http_exchange> stream) {
    last_used_ = std::chrono::steady_clock::now();
    if (listened_to()) return false;
    stream_ = std::move(stream);
    stream_->begin();
    return true;
}

void http_session::route(const mcp::send& s) {
    const auto found = replies_.find(s.about);
    if (s.about != 0 && found != replies_.end()) {
        const bool heard = s.last || (found->second->streams() && !found->second->finished());
        (heard || !listened_to() ? found->second : stream_)->say(s);
        if (s.asks && !heard && !listened_to()) client_->wait_no_more(s.about);
    } else if (current_)
        current_->say(s);
    else if (s.about == 0 && stream_)
        stream_->say(s);
}

// The answered and the cancelled requests; the reply to a cancelled one ends without a response.
void http_session::drop_finished() {
    std::set<std::shared_ptr<http_exchange>> going_on;  // of a batch, including its answered requests
    for (const auto& [key, reply] : replies_)
        if (client_->is_open(key)) going_on.insert(reply);
    for (auto it = replies_.begin(); it != replies_.end();) {
        if (client_->is_open(it->first)) {
            ++it;
            continue;
        }
        if (!going_on.count(it->second)) it->second->end();
        it = replies_.erase(it);
    }
}

void http_session::keep_alive() {
    drop_finished();
    for (const auto& [key, reply] : replies_) reply->keep_alive();
    if (stream_ && stream_->finished()) stream_.reset();
    if (stream_) stream_->keep_alive();
}

std::chrono::steady_clock::duration http_session::idle_for(std::chrono::steady_clock::time_point now) const {
    if (!replies_.empty() || listened_to()) return {};
    return now - last_used_;
}

void http_session::kill() {
    client_->kill();
    close();
}

void http_session::close() {
    client_->close();
    drop_finished();
    if (stream_) stream_->end();
}

}  // namespace gdalmcp::app
