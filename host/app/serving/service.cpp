#include "app/serving/service.hpp"

#include <boost/asio/post.hpp>

#include "app/calls/tool_reply.hpp"
#include "app/serving/connection.hpp"
#include "app/serving/progress_pace.hpp"
#include "app/serving/tenant.hpp"

namespace gdalmcp::app {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_log_lines = 1000;  // of one call that its client is sent

outcome cancelled() { return outcome::failure({base::code::cancelled, "the call was cancelled", "", ""}); }

runner::call_events events_of(asio::io_context& io, const std::shared_ptr<running_call>& run, bool wants_progress) {
    runner::call_events events;
    if (wants_progress)
        events.progress = [&io, run, pace = progress_pace{std::chrono::steady_clock::now()}](
                              double fraction, std::string_view what) mutable {
            if (!pace.allows(std::chrono::steady_clock::now())) return;
            asio::post(io, [run, fraction, text = std::string{what}] {
                if (run->progress) run->progress(fraction, text);
            });
        };
    events.log = [&io, run, said = std::size_t{0}](int severity, std::string_view line) mutable {
        if (said > most_log_lines) return;
        const bool enough = ++said > most_log_lines;
        asio::post(io,
                   [run, severity, text = enough ? "further lines are in the server's log only" : std::string{line}] {
                       if (run->log) run->log(severity, text);
                   });
    };
    events.takes_long = [&io, run] {
        asio::post(io, [run] {
            if (run->takes_long) run->takes_long();
        });
    };
    return events;
}

}  // namespace

service::service(unsigned slot_count) : beat_{io_}, slots_{slot_count} { arm_heartbeat(); }

std::shared_ptr<running_call> service::start(tenant& t, std::shared_ptr<const call_request> q, turn which) {
    auto run = std::make_shared<running_call>();
    const auto finish = [this, run, &t](std::string tool, outcome o, std::chrono::duration<double> took) {
        asio::post(io_, [this, run, &t, tool = std::move(tool), o = std::move(o), took]() mutable {
            metrics_.count(t.own().offered()->offers(tool) ? tool : "other", o, took);
            t.tell(o);
            if (run->done) run->done(std::move(o));
        });
    };
    auto& h = t.own();  // stays while this runs; a tenant need not
    const auto work = [this, run, &h, q, finish] {
        const auto begun = std::chrono::steady_clock::now();
        auto o = run->cancel->requested()
                     ? cancelled()
                     : h.call(q->tool, q->arguments, *run->cancel, events_of(io_, run, q->wants_progress), q->asker);
        const auto rest = std::move(o.rest);
        finish(q->tool, std::move(o), std::chrono::steady_clock::now() - begun);
    };
    const auto accepted = slots_.submit({&h, h.only_reads(q->tool), work, run->cancel, which == turn::again});
    if (!accepted) finish(q->tool, outcome::failure(accepted.error()), {});
    return run;
}

void service::submit(const host& whose, std::shared_ptr<runner::cancellation> cancel,
                     std::function<mcp::reply(const runner::cancellation&)> work,
                     std::function<void(mcp::reply)> done) {
    const auto hand_over = [this, done = std::move(done)](mcp::reply r) {
        asio::post(io_, [done, r = std::move(r)]() mutable { done(std::move(r)); });
    };
    const auto guarded = [cancel, work = std::move(work), hand_over] {
        hand_over(cancel->requested() ? mcp::reply{to_result(cancelled())} : work(*cancel));
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
    return std::none_of(connections_.begin(), connections_.end(), [&](auto* c) { return &c->of() == &t; }) &&
           slots_.forget(&h);
}

std::vector<std::shared_ptr<connection>> service::connections() const {
    std::vector<std::shared_ptr<connection>> all;
    for (auto* c : connections_)
        if (auto alive = c->weak_from_this().lock()) all.push_back(std::move(alive));
    return all;
}

void service::arm_heartbeat() {
    beat_.expires_after(heartbeat_every);
    beat_.async_wait([this](const auto& ec) {
        if (ec) return;
        for (const auto& c : connections()) c->beat(std::chrono::steady_clock::now());
        for (const auto& step : std::vector{steps_}) step();  // a copy: a step may add others
        arm_heartbeat();
    });
}

}  // namespace gdalmcp::app
