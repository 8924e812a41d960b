// What a client may rely on, as a ledger: what it has asked on one side, what it was told on the other. Whatever does
// not balance ends the run.
#pragma once
#include <map>
#include <set>
#include <string>

#include "base/text.hpp"
#include "mcp/effect.hpp"
#include "mcp/request.hpp"
#include "promise.hpp"

namespace fuzz {

using namespace gdalmcp;
namespace json = base::json;

// Independent of base::parse_json, and deeper: answers lie within what we add.
inline json::value read_told(const std::string& line) {
    boost::system::error_code wrong;
    json::parse_options deep;
    deep.max_depth = 256;
    auto v = json::parse(line, wrong, {}, deep);
    must(!wrong);
    return v;
}

inline const json::value* meta_of(const json::value& message) {
    const auto* params = base::find_member(message, "params");
    return params ? base::find_member(*params, "_meta") : nullptr;
}

// A request with any part of the 2026-07-28 envelope.
inline bool is_modern(const json::value& message) {
    const auto* meta = meta_of(message);
    return meta && (base::find_member(*meta, "io.modelcontextprotocol/protocolVersion") ||
                    base::find_member(*meta, "io.modelcontextprotocol/clientCapabilities"));
}

class ledger {
public:
    // What comes, before the peer has it.
    void unreadable(std::string_view line = {}) {
        const auto id = mcp::id_of_unreadable(line);
        if (id.is_null()) {
            ++complaints_;
            return;
        }
        must(line.find("\"id\"") != line.npos && line.find("\"method\"") != line.npos);
        unanswered_.emplace(base::write_json(id), entry{false, false});
    }
    void sent(const json::value& message) {
        modern_begins_ = false;
        batch_begins_ = message.is_array();
        if (!message.is_array()) return enter(message, false);
        ++complaints_;
        if (spoken_ != "2025-03-26" || message.get_array().size() > mcp::max_in_batch) return;
        for (const auto& m : message.get_array()) enter(m, true);
        batches_ += message.get_array().empty() ? 0 : 1;
    }

    // One request of the client that is being worked on.
    struct work {
        bool modern = false, in_batch = false, waits = false;
        mcp::effect asked;
        double progress = -1;
    };
    const std::map<mcp::request_key, work>& open() const { return open_; }
    void waits(mcp::request_key key) { open_.at(key).waits = true; }
    void done(mcp::request_key key) { open_.erase(key); }  // within a batch that may have to wait for others

    void take(const mcp::effect& e) {
        std::visit([this, &e](const auto& one) { step(one, e); }, e);
    }

    // Every request was answered or cancelled.
    void balance() const {
        must(open_.empty());
        std::size_t in_batches = 0;
        for (const auto& [id, owed] : unanswered_) {
            must(owed.in_batch);
            ++in_batches;
        }
        must(in_batches == cancelled_in_batches_);
    }

private:
    struct entry {
        bool modern, in_batch;
    };
    using entries = std::multimap<std::string, entry>;  // by the id as JSON text: 5 is not "5"

    void enter(const json::value& message, bool in_batch) {
        ++complaints_;  // one at most, if it is no message
        const auto* o = message.if_object();
        if (!o || (!o->contains("method") && (o->contains("result") || o->contains("error")))) return;
        const auto* id = o->if_contains("id");
        if (!id) return notice(message);
        if (!id->is_string() && !id->is_int64() && !id->is_uint64()) return;
        unanswered_.emplace(base::write_json(*id), entry{is_modern(message), in_batch});
        const auto* meta = meta_of(message);
        if (const auto* token = meta ? base::find_member(*meta, "progressToken") : nullptr)
            tokens_.insert(base::write_json(*token));
        modern_begins_ = !in_batch && is_modern(message);
    }

    void notice(const json::value& message) {
        if (base::string_member(message, "jsonrpc") != "2.0") return;
        const auto method = base::string_member(message, "method");
        if (method == "notifications/initialized" && !spoken_.empty()) ready_ = true;
        const auto* params = base::find_member(message, "params");
        const auto* id = params ? base::find_member(*params, "requestId") : nullptr;
        if (!id || method != "notifications/cancelled") return;
        const auto [first, last] = unanswered_.equal_range(base::write_json(*id));
        for (auto it = first; it != last;) it = it->second.in_batch ? std::next(it) : unanswered_.erase(it);
    }

    // Work begins once, and begins anew only when what it asked its client is answered.
    template <class Work>
    void step(const Work& w, const mcp::effect& asked) {
        must(w.key > 0);
        if (const auto found = open_.find(w.key); found != open_.end()) {
            must(found->second.waits && !found->second.modern && found->second.asked.index() == asked.index());
            found->second.waits = false;
            found->second.asked = asked;
            return;
        }
        must(w.key > last_key_);
        last_key_ = w.key;
        open_.emplace(w.key, work{modern_begins_, batch_begins_, false, asked, -1});
    }

    void step(const mcp::cancel& c, const mcp::effect&) {
        cancelled_in_batches_ += open_.at(c.key).in_batch ? 1 : 0;
        open_.erase(c.key);
    }

    void step(const mcp::send& s, const mcp::effect&) {
        must(base::is_utf8(s.line));
        for (const unsigned char c : s.line) must(c >= ' ');
        const auto told = read_told(s.line);
        if (const auto* all = told.if_array()) {
            must(s.last && !all->empty() && batches_-- > 0);
            for (const auto& one : *all) response(one, true);
            open_.erase(s.about);
            return;
        }
        must(s.about == 0 || open_.count(s.about));
        must(base::string_member(told, "jsonrpc") == "2.0");
        if (!base::find_member(told, "method")) {
            must(s.last && (s.status == 200 || s.status == 400 || s.status == 404));
            if (s.about) must(is_modern_result(told) == open_.at(s.about).modern || base::find_member(told, "error"));
            response(told, false);
            open_.erase(s.about);
        } else {
            must(!s.last);
            base::find_member(told, "id") ? question(told, s.about) : notification(told, s.about);
        }
    }

    static bool is_modern_result(const json::value& response) {
        const auto* result = base::find_member(response, "result");
        return result && base::find_member(*result, "resultType");
    }

    void response(const json::value& told, bool in_batch) {
        const auto& o = told.as_object();
        const auto* error = o.if_contains("error");
        const auto* result = o.if_contains("result");
        const auto* id = o.if_contains("id");
        must(o.size() == (id ? 3u : 2u) && !error != !result);
        if (error) check_error(*error);
        if (result) check_result(*result);
        if (id) return answered(base::write_json(*id), is_modern_result(told), in_batch, error != nullptr);
        must(error && complaints_-- > 0);
    }

    // An error may also be about the second of two requests with one id; that one is answered at once.
    void answered(const std::string& id, bool modern, bool in_batch, bool is_error) {
        auto it = unanswered_.upper_bound(id);
        for (const auto first = unanswered_.lower_bound(id);;) {
            must(it != first);
            --it;
            if (it->second.in_batch == in_batch && (is_error || it->second.modern == modern)) break;
        }
        unanswered_.erase(it);
    }

    static void check_error(const json::value& error) {
        static const std::set<std::int64_t> codes{-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022};
        must(codes.count(error.at("code").as_int64()) && !error.at("message").as_string().empty());
    }

    void check_result(const json::value& result) {
        const auto* meta = base::find_member(result, "_meta");
        const bool names_server = meta && base::find_member(*meta, "io.modelcontextprotocol/serverInfo");
        if (base::find_member(result, "resultType")) return must(names_server);
        must(result.is_object() && !names_server);
        for (const char* modern : {"ttlMs", "cacheScope", "inputRequests", "requestState", "taskId"})
            must(!base::find_member(result, modern));
        if (const auto* version = base::find_member(result, "protocolVersion")) spoken_ = version->as_string();
        must(spoken_ != "2026-07-28");
    }

    // We ask in the name of an open call of the handshake, a client that is ready, and never twice under one id.
    void question(const json::value& told, mcp::request_key about) {
        must(about != 0 && !open_.at(about).modern && ready_);
        must(questions_.insert(base::write_json(told.at("id"))).second);
        const auto method = base::string_member(told, "method");
        must(method == "elicitation/create" || method == "sampling/createMessage" || method == "roots/list");
    }

    void notification(const json::value& told, mcp::request_key about) {
        const auto method = base::string_member(told, "method");
        const auto* meta = meta_of(told);
        const auto* subscription = meta ? base::find_member(*meta, "io.modelcontextprotocol/subscriptionId") : nullptr;
        if (method == "notifications/progress") return progress(told.at("params"), open_.at(about));
        if (method == "notifications/message") return must(about != 0);
        if (method == "notifications/cancelled")
            return must(about != 0 && questions_.count(base::write_json(told.at("params").at("requestId"))));
        must(method == "notifications/subscriptions/acknowledged" || method == "notifications/tasks" ||
             method == "notifications/resources/updated" || method == "notifications/tools/list_changed" ||
             method == "notifications/prompts/list_changed" || method == "notifications/resources/list_changed");
        if (!subscription)
            return must(!spoken_.empty() && method != "notifications/tasks" &&
                        method != "notifications/subscriptions/acknowledged");
        const auto [first, last] = unanswered_.equal_range(base::write_json(*subscription));
        bool listens = false;
        for (auto it = first; it != last; ++it) listens = listens || (it->second.modern && !it->second.in_batch);
        must(listens);
    }

    void progress(const json::value& params, work& w) {
        const auto now = params.at("progress").to_number<double>();
        must(now > w.progress && now >= 0 && now <= 1);
        w.progress = now;
        must(tokens_.count(base::write_json(params.at("progressToken"))));
    }

    entries unanswered_;
    bool modern_begins_ = false, batch_begins_ = false;  // of what the message being received begins
    std::set<std::string> tokens_, questions_;
    std::map<mcp::request_key, work> open_;
    mcp::request_key last_key_ = 0;
    std::string spoken_;  // the version of the handshake
    bool ready_ = false;  // the client said so after it
    int complaints_ = 0, batches_ = 0;
    std::size_t cancelled_in_batches_ = 0;
};

}  // namespace fuzz
