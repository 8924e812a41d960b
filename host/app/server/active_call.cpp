#include "app/server/active_call.hpp"

#include <boost/asio/post.hpp>

#include "app/call/host.hpp"
#include "app/server/progress_pace.hpp"
#include "app/server/service.hpp"
#include "base/log.hpp"

namespace gdalmcp::app {

namespace asio = boost::asio;

namespace {

constexpr std::size_t max_log_lines = 1000;  // sent to the client for one call

runner::call_events events_of(asio::io_context& io, const std::shared_ptr<active_call>& run, bool wants_progress) {
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
        if (said > max_log_lines) return;
        const bool enough = ++said > max_log_lines;
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

std::shared_ptr<active_call> start_call(service& s, host& h, std::shared_ptr<const call_request> q, turn which,
                                        std::function<void(const outcome&, const active_call&)> changed) {
    auto run = std::make_shared<active_call>();
    const auto finish = [&s, &h, run, changed = std::move(changed)](std::string tool, outcome o,
                                                                    std::chrono::duration<double> took) {
        asio::post(s.io(), [&s, &h, run, changed, tool = std::move(tool), o = std::move(o), took]() mutable {
            s.metrics().count(h.offered()->knows(tool) ? tool : "other", o, took);
            changed(o, *run);
            if (run->done) run->done(std::move(o));
        });
    };
    const auto answer = [&s, run, &h, q] {
        try {
            return run->cancel->requested() ? cancelled_call()
                                            : h.call(q->tool, q->arguments, *run->cancel,
                                                     events_of(s.io(), run, q->wants_progress), q->asker);
        } catch (const std::exception& e) {  // a defect: it ends this call, not the clients' server
            base::log(base::log_level::error, "a call of " + q->tool + " failed by a defect: " + e.what());
            return outcome::failure({base::code::internal, "this call failed by a defect of the server",
                                     "the server's log has what it met", ""});
        }
    };
    const auto work = [run, q, answer, finish] {
        const auto begun = std::chrono::steady_clock::now();
        auto o = answer();
        const auto cleanup = std::move(o.cleanup);
        finish(q->tool, std::move(o), std::chrono::steady_clock::now() - begun);
    };
    const auto accepted = s.submit({&h, h.only_reads(q->tool), work, run->cancel, which == turn::again});
    if (!accepted) finish(q->tool, outcome::failure(accepted.error()), {});
    return run;
}

}  // namespace gdalmcp::app
