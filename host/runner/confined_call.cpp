#include "runner/confined_call.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/hidden_characters.hpp"
#include "base/waiting.hpp"
#include "runner/call_log.hpp"
#include "runner/descriptor_passing.hpp"
#include "runner/frame.hpp"
#include "runner/thread_limit.hpp"

namespace gdalmcp::runner {

namespace json = base::json;
using base::fail;
using base::problem;
using base::result;
namespace code = base::code;
using steady = std::chrono::steady_clock;

namespace {

void send_kill(const child& c) { ::syscall(SYS_pidfd_send_signal, c.pidfd.get(), SIGKILL, nullptr, 0); }

// The state of one call; run() is its loop.
class conversation {
public:
    conversation(child c, const call_name& name, steady::time_point start, std::chrono::milliseconds limit,
                 const cancellation& cancel, const call_events& events)
        : child_{std::move(c)},
          limit_{limit},
          cancel_{cancel},
          events_{events},
          start_{start},
          tool_{name.tool.empty() ? "the tool" : "the tool '" + name.tool + "'"},
          call_{name.tool.empty() ? "the call" : "the call of '" + name.tool + "'"},
          says_prepared_{name.operation == "run"},
          loads_plugin_{says_prepared_ || name.operation == "describe"},
          log_{name.tool} {}

    result<ending> run(answer_when when) {
        while (!report_) {
            step();
            const bool told = done_ && !done_->contains("problem") && !stop_asked_ && !broken_;
            if (when == answer_when::told && told && !threads_.timed()) {
                if (printing_) log_.read(child_.printed.get());
                child_.printed.reset();  // its remaining output is not awaited
                return answer(std::make_unique<exiting_child>(std::move(child_)));
            }
        }
        drain();
        return verdict();
    }

private:
    void step() {
        std::array<pollfd, 5> fds{{{call_open_ ? child_.call.get() : -1, POLLIN, 0},
                                   {child_.watch.get(), POLLIN, 0},
                                   {cancel_.fd(), POLLIN, 0},
                                   {threads_.fd(), POLLIN, 0},
                                   {printing_ ? child_.printed.get() : -1, POLLIN, 0}}};
        const int n = ::poll(fds.data(), fds.size(), static_cast<int>(next_wake().count()));
        if (n > 0 && fds[2].revents) cancel_.clear_event();
        // Before the frames: the worker sends this before any of them.
        if (n > 0 && fds[1].revents) hear_watch();
        if (n > 0 && fds[3].revents) hear_threads(fds[3].revents);
        if (n > 0 && fds[4].revents) printing_ = log_.read(child_.printed.get());
        if (n > 0 && fds[0].revents) {
            call_open_ = frames_.receive(child_.call.get());
            take_frames();
        }
        if (!report_) watch_clock();
    }

    std::chrono::milliseconds next_wake() const {
        const auto now = steady::now();
        const auto wake = stop_asked_ ? *stop_asked_ + grace : start_ + limit_;
        auto left = std::max(std::chrono::milliseconds{0}, std::chrono::ceil<std::chrono::milliseconds>(wake - now));
        if (cancel_.fd() < 0)
            left = std::min<std::chrono::milliseconds>(left, std::chrono::seconds{1});  // no descriptor to poll
        if (threads_.timed()) left = std::min(left, thread_limit::interval);
        return left;
    }

    void watch_clock() {
        const auto now = steady::now();
        if (cancel_.now() == cancellation::level::kill) return kill();
        if (!stop_asked_ && cancel_.requested()) ask_to_stop();
        if (!stop_asked_ && now - start_ >= limit_) {
            late_ = true;
            if (!events_.patient) return kill();
            ask_to_stop();
        }
        if (stop_asked_ && now - *stop_asked_ >= grace) kill();
        if (killed_ && now - *killed_ >= report_time) zygote_died_ = true, report_.emplace();
        if (threads_.timed() && threads_.met()) end_for_threads();
    }

    // First the worker sends the descriptor for counting its threads, later the zygote reports the exit.
    void hear_watch() {
        const auto size = ::recv(child_.watch.get(), nullptr, 0, MSG_PEEK | MSG_TRUNC);
        if (size != 1) return wait_for_exit();
        auto sent = receive_descriptors(child_.watch.get(), 1).descriptors;
        if (!sent.empty()) threads_ = thread_limit{std::move(sent.front())};
    }

    void hear_threads(short events) {
        if (!(events & POLLIN))
            threads_ = {};  // the process has exited
        else if (!threads_.admit())
            end_for_threads();
    }

    void end_for_threads() {
        threads_ = {};
        too_many_threads_ = true;
        kill();
    }

    void ask_to_stop() {
        stop_asked_ = steady::now();
        // MSG_DONTWAIT: a child that reads nothing must not block us; one small frame always fits.
        static_cast<void>(write_frame(child_.call.get(), json::object{{"kind", "stop"}}));
    }

    void kill() {
        send_kill(child_);
        if (!stop_asked_) stop_asked_ = steady::now();
        if (!killed_) killed_ = steady::now();
    }

    void wait_for_exit() {
        exit_report r{};
        ssize_t n = 0;
        do n = ::recv(child_.watch.get(), &r, sizeof r, 0);
        while (n < 0 && errno == EINTR);
        zygote_died_ = n != sizeof r;
        report_ = r;
    }

    void drain() {
        if (printing_) log_.read(child_.printed.get());
        if (call_open_) frames_.receive(child_.call.get());
        take_frames();
    }

    void take_frames() {
        while (!broken_) {
            auto f = frames_.next();
            if (!f) {
                broken_ =
                    problem{code::crashed, "the process of " + tool_ + " sent an invalid answer: " + f.error().message,
                            "this is a defect of the tool; report it to its author", ""};
                return kill();
            }
            if (!*f) return;
            take(std::move(**f));
        }
    }

    void take(json::object frame) {
        const json::value v(std::move(frame));  // braces would make an array of it
        const auto kind = base::string_member(v, "kind");
        if (kind == "progress") {
            const auto* fraction = base::find_member(v, "fraction");
            if (events_.progress && fraction && fraction->is_number() && !stop_asked_)
                events_.progress(fraction->to_number<double>(), said_in(v, "message"));
        } else if (kind == "log") {
            take_log(v);
        } else if (kind == "takes_long") {
            if (events_.takes_long && !stop_asked_) events_.takes_long();
        } else if (kind == "observed") {
            if (events_.observed) events_.observed(v);
        } else if (kind == "prepared" && !prepared_) {
            prepared_ = prepared_run_of(v.get_object());
            if (events_.prepared && !stop_asked_) refuse(events_.prepared(*prepared_));
        } else if (kind == "done") {
            done_ = v.get_object();
        }
    }

    void refuse(result<void> verdict) {
        if (verdict) return;
        broken_ = std::move(verdict.error());
        kill();
    }

    // A frame may be as long as an answer; log lines are cut.
    static std::string said_in(const json::value& frame, std::string_view member) {
        return base::with_hidden_shown(base::string_member(frame, member).substr(0, call_log::max_line));
    }

    void take_log(const json::value& frame) {
        const auto text = said_in(frame, "text");
        if (!log_.takes(text)) return;
        const auto* level = base::find_member(frame, "level");
        if (events_.log && level && level->is_int64() && !stop_asked_)
            events_.log(static_cast<int>(std::clamp<std::int64_t>(level->get_int64(), 0, 7)), text);
    }

    result<ending> verdict() {
        if (cancel_.requested()) return fail(code::cancelled, call_ + " was cancelled", "nothing was written");
        if (too_many_threads_)
            return fail(code::exhausted,
                        tool_ + " was stopped when it started more than " + std::to_string(max_threads) +
                            " threads, the limit of a call",
                        "make it use fewer threads, or ask the operator to start gdal-mcp with a smaller --threads");
        if (late_)
            return fail(code::deadline,
                        call_ + " took longer than its limit of " +
                            base::format_number(std::chrono::duration<double>(limit_).count()) + " s and was ended",
                        "use a smaller area or a coarser resolution");
        if (broken_) return tl::unexpected{*broken_};
        if (done_) {
            if (const auto* failure = done_->if_contains("problem")) return tl::unexpected{problem_of(*failure)};
            return answer(nullptr);
        }
        return tl::unexpected{obituary()};
    }

    ending answer(std::unique_ptr<exiting_child> process) {
        return {std::move(prepared_), std::move(*done_), report_ ? report_->max_rss_kib : 0, std::move(process)};
    }

    problem problem_of(const json::value& v) const {
        const auto text = [&](const char* name) { return base::with_hidden_shown(base::string_member(v, name)); };
        problem p{text("code"), text("message"), text("hint"), text("at")};
        if (p.code.empty() || p.message.empty())
            return {code::crashed, "the process of " + tool_ + " failed and sent a broken error report",
                    "this is a defect of the tool; report it to its author", ""};
        if (!prepared_ || is_of_tools(p.code)) return p;
        return {code::internal,
                tool_ + " failed with the code '" + p.code + "', which is reserved for the host: " + p.message,
                "this is a defect of the tool; report it to its author", ""};
    }

    // A plugin shares the socket: codes reserved for the host are rejected once plugin code may run.
    static bool is_of_tools(std::string_view c) {
        constexpr std::string_view all[] = {code::invalid_argument, code::not_found, code::denied,
                                            code::unsupported,      code::io,        code::cancelled,
                                            code::exhausted,        code::internal};
        return std::find(std::begin(all), std::end(all), c) != std::end(all);
    }

    problem obituary() const {
        if (zygote_died_)
            return {code::crashed, "the worker process that runs the calls died", "call again; a new one is started",
                    ""};
        const int s = report_->wait_status;
        const bool by_tool = loads_plugin_ && (prepared_ || !says_prepared_);
        const std::string who = by_tool ? tool_ : "the worker that opens files";
        if (WIFEXITED(s))
            return {code::crashed,
                    "the process of " + who + " ended with exit code " + std::to_string(WEXITSTATUS(s)) +
                        " without an answer",
                    by_tool ? "this is a defect of the tool; report it to its author" : damaged, ""};
        const int signal = WTERMSIG(s);
        const std::string name = std::string{::sigdescr_np(signal) ? ::sigdescr_np(signal) : "signal"} + " (signal " +
                                 std::to_string(signal) + ")";
        if (signal == SIGKILL)
            return {code::crashed, "the process of " + who + " was killed: " + name,
                    "the machine may be out of memory; ask for a smaller area", ""};
        return {code::crashed, who + " crashed: " + name,
                by_tool ? "this is a defect of the tool or a damaged input; nothing was written" : damaged, ""};
    }

    child child_;
    std::chrono::milliseconds limit_;
    const cancellation& cancel_;
    const call_events& events_;
    steady::time_point start_;
    frame_reader frames_;
    static constexpr const char* damaged = "the file is damaged, or GDAL has a defect; nothing was written";

    thread_limit threads_;
    const std::string tool_, call_;  // as messages call them
    const bool says_prepared_;       // before it loads a plugin
    const bool loads_plugin_;
    bool call_open_ = true, printing_ = true, late_ = false, too_many_threads_ = false, zygote_died_ = false;
    std::optional<steady::time_point> stop_asked_, killed_;
    std::optional<exit_report> report_;
    std::optional<prepared_run> prepared_;
    std::optional<json::object> done_;
    std::optional<problem> broken_;
    call_log log_;
};

}  // namespace

exiting_child::exiting_child(child c) : child_{std::move(c)} {}

exiting_child::~exiting_child() {
    const int watch = child_.watch.get();
    if (base::is_ready_by(steady::now() + grace, watch)) return;
    send_kill(child_);
    base::is_ready_by(steady::now() + report_time, watch);
}

result<pending_call> pending_call::begin(zygote& z, const request& r, const cancellation& cancel,
                                         std::chrono::milliseconds limit) {
    auto c = z.fork(cancel, limit);
    if (!c) return tl::unexpected{c.error()};
    pending_call call{std::move(*c), {r.operation, r.tool}};
    // A child that dies while we write is reported by its exit status, not by our EPIPE.
    if (auto sent = write_frame(call.child_.call.get(), to_json(r)); !sent && sent.error().code == code::exhausted)
        return tl::unexpected{sent.error()};
    return call;
}

pending_call& pending_call::operator=(pending_call&& other) noexcept {
    std::swap(child_, other.child_);
    std::swap(name_, other.name_);
    std::swap(start_, other.start_);
    return *this;
}

pending_call::~pending_call() {
    if (child_.pidfd) send_kill(child_);
}

result<ending> pending_call::finish(std::chrono::milliseconds limit, const cancellation& cancel,
                                    const call_events& events, answer_when when) && {
    return conversation{std::move(child_), name_, start_, limit, cancel, events}.run(when);
}

result<ending> run_confined(zygote& z, const request& r, std::chrono::milliseconds limit, const cancellation& cancel,
                            const call_events& events, answer_when when) {
    auto call = pending_call::begin(z, r, cancel, limit);
    if (!call) return tl::unexpected{call.error()};
    return std::move(*call).finish(limit, cancel, events, when);
}

}  // namespace gdalmcp::runner
