#include "mcp/peer.hpp"

#include <utility>

#include "mcp/peer_state.hpp"

namespace gdalmcp::mcp {
namespace {

template <class Step>
effects run(peer_state& c, Step step) {
    step(c);
    return std::exchange(c.out, {});
}

}  // namespace

peer::peer(std::shared_ptr<const offer> o) : c_{std::make_unique<peer_state>(std::move(o))} {}
peer::~peer() = default;
peer::peer(peer&&) noexcept = default;
peer& peer::operator=(peer&&) noexcept = default;

effects peer::receive(std::string_view line) {
    return run(*c_, [&](auto& c) { c.receive(line); });
}

effects peer::receive(json::value message, const http_fields& header) {
    return run(*c_, [&](auto& c) { c.receive(message, &header); });
}

effects peer::line_too_long(std::size_t limit) {
    return run(*c_, [&](auto& c) {
        c.complain({rpc_code::invalid_request,
                    "a line is longer than the " + std::to_string(limit) + " bytes this server reads; it was skipped",
                    nullptr});
    });
}

effects peer::progress(request_key key, double fraction, std::string_view message) {
    return run(*c_, [&](auto& c) { c.progress(key, fraction, message); });
}

effects peer::heartbeat(request_key key, std::string_view message) {
    return run(*c_, [&](auto& c) { c.heartbeat(key, message); });
}

effects peer::log(request_key key, int severity, std::string_view logger, std::string_view text) {
    return run(*c_, [&](auto& c) { c.log(key, severity, logger, text); });
}

effects peer::answer(request_key key, reply r) {
    return run(*c_, [&](auto& c) { c.answer(key, r); });
}

bool peer::awaits_client(request_key key) const { return c_->awaits_client(key); }

effects peer::stop_waiting(request_key key) {
    return run(*c_, [&](auto& c) { c.stop_waiting(key); });
}

effects peer::replace(std::shared_ptr<const offer> o, request_key about) {
    return run(*c_, [&](auto& c) { c.replace(std::move(o), about); });
}

effects peer::resources_changed() {
    return run(*c_, [](auto& c) { c.tell_list_changed("resources"); });
}

effects peer::resources_updated(const std::function<bool(const std::string&)>& changed) {
    return run(*c_, [&](auto& c) { c.tell_updated(changed); });
}

effects peer::task_changed(const json::object& task) {
    return run(*c_, [&](auto& c) { c.tell_task(task); });
}

effects peer::close() {
    return run(*c_, [](auto& c) { c.close(); });
}

std::size_t peer::in_flight() const { return c_->in_flight(); }

bool peer::listens_to_tasks() const { return c_->listens_to_tasks(); }

bool peer::is_open(request_key key) const { return c_->is_open(key); }

request_key peer::last_key() const { return c_->last_key(); }

}  // namespace gdalmcp::mcp
