#include "app/server/service.hpp"

#include <boost/asio/post.hpp>

#include "app/call/tool_reply.hpp"
#include "base/log.hpp"

namespace gdalmcp::app {

namespace asio = boost::asio;

service::service(unsigned slot_count) : beat_{io_}, slots_{slot_count} { arm_heartbeat(); }

void service::submit(const host& whose, std::shared_ptr<runner::cancellation> cancel,
                     std::function<mcp::reply(const runner::cancellation&)> work,
                     std::function<void(mcp::reply)> done) {
    const auto hand_over = [this, done = std::move(done)](mcp::reply r) {
        asio::post(io_, [done, r = std::move(r)]() mutable { done(std::move(r)); });
    };
    const auto guarded = [cancel, work = std::move(work), hand_over] {
        try {
            hand_over(cancel->requested() ? mcp::reply{to_result(cancelled_call())} : work(*cancel));
        } catch (const std::exception& e) {  // a defect: it ends this request, not the clients' server
            base::log(base::log_level::error, std::string{"a request failed by a defect: "} + e.what());
            hand_over(mcp::rpc_error{mcp::rpc_code::internal_error, "this request failed by a defect of the server",
                                     json::object{{"code", base::code::internal}}});
        }
    };
    const auto accepted = slots_.submit({&whose, true, guarded, cancel});
    if (!accepted)
        hand_over(mcp::rpc_error{mcp::rpc_code::internal_error, accepted.error().message + "; " + accepted.error().hint,
                                 json::object{{"code", accepted.error().code}}});
}

bool service::submit(const host& whose, std::function<void()> work) {
    return slots_.submit({&whose, true, std::move(work)}).has_value();
}

bool service::is_done_with(const host& h, const tenant& t) {
    return std::none_of(subscribers_.begin(), subscribers_.end(), [&](auto* s) { return &s->of() == &t; }) &&
           slots_.forget(&h);
}

std::vector<std::shared_ptr<subscriber>> service::subscribers() const {
    std::vector<std::shared_ptr<subscriber>> all;
    for (auto* s : subscribers_)
        if (auto alive = s->weak_from_this().lock()) all.push_back(std::move(alive));
    return all;
}

void service::arm_heartbeat() {
    beat_.expires_after(heartbeat_every);
    beat_.async_wait([this](const auto& ec) {
        if (ec) return;
        for (const auto& s : subscribers()) s->beat(std::chrono::steady_clock::now());
        for (const auto& step : std::vector{steps_}) step();  // a copy: a step may add others
        arm_heartbeat();
    });
}

}  // namespace gdalmcp::app
