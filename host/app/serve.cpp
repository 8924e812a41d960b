#include "app/serve.hpp"

#include <signal.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>

#include "app/prompts.hpp"
#include "app/resources.hpp"
#include "app/rounds.hpp"
#include "app/slots.hpp"
#include "base/log.hpp"
#include "mcp/peer.hpp"
#include "transport/stdio.hpp"

namespace gdalmcp::app {

namespace asio = boost::asio;

namespace {

constexpr auto settling_time = std::chrono::milliseconds{200};  // copying a bundle makes many changes
constexpr auto longest_settling = std::chrono::seconds{2};      // a folder that is never quiet is looked at, too
constexpr auto heartbeat_every = std::chrono::seconds{15};      // clients give up after 60 s of silence by default
// For an answer of the client, from question to question. The state that goes with it must not expire before the answer
// is looked at, which a beat and a wait for a slot may put off.
constexpr auto longest_wait = std::chrono::minutes{9};
static_assert(longest_wait + 2 * heartbeat_every < request_state::lifetime);

// An outcome in the words of MCP. An error carries two text blocks: prose, and JSON that parses alone.
mcp::tool_result to_result(outcome o) {
    mcp::tool_result r;
    if (!o.receipts.empty()) r.meta["io.gdal-mcp/receipts"] = std::move(o.receipts);
    if (o.problem) {
        r.is_error = true;
        std::string prose = o.problem->message;
        if (!o.problem->hint.empty()) prose += "\nNext: " + o.problem->hint;
        r.content.push_back(json::object{{"type", "text"}, {"text", prose}});
        r.content.push_back(json::object{{"type", "text"}, {"text", base::write_json(json::value(problem_body(o)))}});
        return r;
    }
    if (o.structured) {
        r.content.push_back(json::object{{"type", "text"}, {"text", base::write_json(json::value(*o.structured))}});
        r.structured = std::move(*o.structured);
    }
    for (auto& block : o.content) r.content.push_back(std::move(block));
    if (r.content.empty()) r.content.push_back(json::object{{"type", "text"}, {"text", "done"}});
    return r;
}

mcp::rpc_error invalid_state(const base::problem& p) {
    return {mcp::rpc_code::invalid_params, p.message + "; " + p.hint,
            json::object{{"reason", "invalid_request_state"}}};
}

std::shared_ptr<const mcp::offer> offer_of(const host& h) {
    return std::make_shared<const mcp::offer>(h.offered()->offer());
}

void report_quarantine(const catalog::snapshot& s) {
    for (const auto& q : s.quarantine())
        base::log(base::log_level::warning, "bundle " + q.path.string() + " is quarantined: " + q.reason);
}

// A name nobody answers to is a typing error, or a bundle that is still to come.
void report_toolsets(const std::vector<std::string>& wanted, const catalog::snapshot& s) {
    std::set<std::string> known{"all"};
    for (const auto& b : s.bundles()) known.insert(b->toolset);
    for (const auto& name : wanted)
        if (!known.count(name)) base::log(base::log_level::warning, "no bundle belongs to the toolset '" + name + "'");
}

// One client. Everything here happens on the thread that runs io_, but for the work in the slots.
class server {
public:
    explicit server(host& h, int out)
        : host_{h},
          rounds_{h.settings().state_dir, std::chrono::system_clock::now},
          peer_{offer_of(h)},
          transport_{io_,
                     STDIN_FILENO,
                     out,
                     {[this](std::string_view line) { carry_out(peer_.receive(line)); },
                      [this] { carry_out(peer_.line_too_long(transport::max_line)); }, [this] { leave(); }}},
          signals_{io_, SIGTERM, SIGINT},
          beat_{io_},
          changes_{io_},
          settled_{io_} {}

    int run() {
        signals_.async_wait([this](const auto& ec, int) {
            if (!ec) leave();
        });
        arm_heartbeat();
        if (const int fd = host_.bundle_changes().fd(); fd >= 0) {
            changes_.assign(fd);
            await_changes();
        }
        io_.run();
        changes_.release();  // the host closes it
        return 0;
    }

private:
    struct open_call {
        std::shared_ptr<runner::cancellation> cancel;
        std::chrono::steady_clock::time_point since;
        std::optional<std::chrono::steady_clock::time_point> asked;  // its client is being asked; no slot is taken
    };

    void carry_out(mcp::effects all) {
        for (auto& e : all) std::visit([this](auto& what) { carry_out(std::move(what)); }, e);
    }
    void carry_out(mcp::send e) { transport_.write(std::move(e.line)); }
    void carry_out(mcp::cancel e) {
        const auto found = open_.find(e.key);
        if (found == open_.end()) return;
        found->second.cancel->stop();
        if (found->second.asked) open_.erase(found);  // nobody is at work who would answer
    }
    void carry_out(mcp::completion e) { carry_out(peer_.answer(e.key, mcp::completion_values{})); }
    void carry_out(mcp::resource_list e) {
        submit(e.key, true, [this](const auto&, const auto& reply) { reply(list_resources(host_)); });
    }
    void carry_out(mcp::resource_read e) {
        submit(e.key, true, [this, uri = e.uri](const auto&, const auto& reply) { reply(read_resource(host_, uri)); });
    }
    void carry_out(mcp::prompt_get e) {
        submit(e.key, true,
               [this, e](const auto&, const auto& reply) { reply(get_prompt(host_, e.name, e.arguments)); });
    }
    void carry_out(mcp::tool_call e) {
        const bool read_only = host_.only_reads(e.name);
        auto asker = rounds_.begin(e);
        if (!asker) return answer(e.key, invalid_state(asker.error()));
        submit(
            e.key, read_only,
            [this, e = std::move(e), asker = std::move(*asker)](const runner::cancellation& cancel, const auto& reply) {
                runner::progress_hook progress;
                if (e.wants_progress)
                    progress = [this, key = e.key](double fraction, std::string_view message) {
                        asio::post(io_, [this, key, fraction, text = std::string{message}] {
                            carry_out(peer_.progress(key, fraction, text));
                        });
                    };
                auto o = host_.call(e.name, e.arguments, cancel, progress, asker);
                if (o.results_changed) asio::post(io_, [this] { carry_out(peer_.resources_changed()); });
                if (o.offering_changed) tell_offering();
                const auto rest = std::move(o.rest);
                reply(to_reply(e, asker, std::move(o)));
            });
    }

    mcp::reply to_reply(const mcp::tool_call& e, const client& asker, outcome o) {
        if (!o.ask) return to_result(std::move(o));
        auto asked = rounds_.ask(e, asker, std::move(*o.ask));
        if (!asked) return to_result(outcome::failure(asked.error()));
        return std::move(*asked);
    }

    // Runs `work` in a slot and brings its reply back to this thread. The slot is taken until `work` returns.
    template <class Work>
    void submit(mcp::request_key key, bool read_only, Work work) {
        auto cancel = std::make_shared<runner::cancellation>();
        // A call that comes again, its client having answered, is as old as it was.
        auto& call = open_.try_emplace(key, open_call{cancel, std::chrono::steady_clock::now(), {}}).first->second;
        call.cancel = cancel;
        call.asked.reset();
        auto accepted = slots_.submit(read_only, [this, key, cancel, work = std::move(work)] {
            const auto reply = [&](mcp::reply r) { answer(key, std::move(r)); };
            if (cancel->requested())
                return reply(to_result(outcome::failure({base::code::cancelled, "the call was cancelled", "", ""})));
            work(*cancel, reply);
        });
        if (!accepted) answer(key, to_result(outcome::failure(accepted.error())));
    }
    void answer(mcp::request_key key, mcp::reply r) {
        asio::post(io_, [this, key, r = std::move(r)]() mutable {
            carry_out(peer_.answer(key, std::move(r)));
            if (peer_.awaits_client(key))
                open_.at(key).asked = std::chrono::steady_clock::now();
            else
                open_.erase(key);
        });
    }

    void arm_heartbeat() {
        beat_.expires_after(heartbeat_every);
        beat_.async_wait([this](const auto& ec) {
            if (ec) return;
            beat(std::chrono::steady_clock::now());
            arm_heartbeat();
        });
    }
    void beat(std::chrono::steady_clock::time_point now) {
        std::vector<mcp::request_key> unanswered;
        for (const auto& [key, call] : open_) {
            const auto age = now - call.asked.value_or(call.since);
            const auto s = std::chrono::duration_cast<std::chrono::seconds>(age);
            if (now - call.since >= heartbeat_every)
                carry_out(peer_.heartbeat(key, (call.asked ? "waiting for an answer for " : "under way for ") +
                                                   std::to_string(s.count()) + " s"));
            if (call.asked && now - *call.asked >= longest_wait) unanswered.push_back(key);
        }
        for (const auto key : unanswered) carry_out(peer_.stop_waiting(key));  // they begin to work again
    }

    void await_changes() {
        changes_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const auto& ec) {
            if (ec) return;
            if (host_.bundle_changes().drain()) await_quiet();
            await_changes();
        });
    }
    // Each change puts it off again, up to a limit.
    void await_quiet() {
        const auto now = std::chrono::steady_clock::now();
        if (!unrest_since_) unrest_since_ = now;
        settled_.expires_at(std::min(now + settling_time, *unrest_since_ + longest_settling));
        settled_.async_wait([this](const auto& ec) {
            if (ec) return;
            unrest_since_.reset();
            const auto accepted = slots_.submit(true, [this] {
                if (const auto ok = host_.reload(); !ok)
                    return base::log(base::log_level::error, "the bundles stay as they were: " + ok.error().message);
                tell_offering();
            });
            if (!accepted) await_quiet();
        });
    }
    void tell_offering() {
        report_quarantine(host_.offered()->tools());
        asio::post(io_, [this] {
            carry_out(peer_.replace(offer_of(host_)));
            carry_out(peer_.resources_changed());
        });
    }

    // The client is gone, or we are told to go: what runs is killed, its stages vanish with its threads.
    void leave() {
        if (std::exchange(leaving_, true)) return;
        carry_out(peer_.close());
        for (auto& [key, call] : open_) call.cancel->kill();
        transport_.flush(std::chrono::seconds{2});
        io_.stop();
    }

    host& host_;
    rounds rounds_;
    asio::io_context io_;
    mcp::peer peer_;
    transport::stdio_transport transport_;
    asio::signal_set signals_;
    asio::steady_timer beat_;
    std::map<mcp::request_key, open_call> open_;
    asio::posix::stream_descriptor changes_;
    asio::steady_timer settled_;
    std::optional<std::chrono::steady_clock::time_point> unrest_since_;  // the first change not yet looked at
    bool leaving_ = false;
    slots slots_{host_.settings().slots()};  // last: its threads end before what they use
};

}  // namespace

int serve_stdio(host& h) {
    const auto out = transport::keep_stdout_private();
    if (!out) {
        base::log(base::log_level::error, out.error().message);
        return 1;
    }
    if (::getuid() == 0) base::log(base::log_level::warning, "running as root; a normal user is enough and safer");
    report_quarantine(h.offered()->tools());
    report_toolsets(h.settings().toolsets, h.offered()->tools());
    return server{h, *out}.run();
}

}  // namespace gdalmcp::app
