// A client of a peer, for tests: says lines, sorts the effects.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "mcp/peer.hpp"

namespace gdalmcp::mcp {

inline offer small_offer() {
    offer o;
    o.name = "test";
    o.version = "1.0.0";
    o.tools = {json::object{{"name", "echo"}}, json::object{{"name", "warp"}}};
    o.prompts = {json::object{{"name", "justify"}}};
    o.resources = o.resource_updates = o.completions = o.lists_change = true;
    return o;
}

// What one step yielded.
struct outcome {
    std::vector<json::value> sent;
    effects work;  // all but send

    outcome() = default;
    explicit outcome(effects all) {
        for (auto& e : all)
            if (const auto* s = std::get_if<send>(&e)) {
                REQUIRE(s->line.find('\n') == std::string::npos);
                auto v = base::parse_json(s->line);
                REQUIRE(v);
                sent.push_back(std::move(*v));
            } else {
                work.push_back(std::move(e));
            }
    }
    bool nothing() const { return sent.empty() && work.empty(); }
    const json::value& only() const {
        REQUIRE(sent.size() == 1);
        return sent[0];
    }
    int error_code() const {
        const auto* e = base::find_member(only(), "error");
        return e ? static_cast<int>(e->at("code").as_int64()) : 0;
    }
    template <class Effect>
    const Effect& asked() const {
        REQUIRE(work.size() == 1);
        REQUIRE(std::holds_alternative<Effect>(work[0]));
        return std::get<Effect>(work[0]);
    }
};

class client {
public:
    explicit client(offer o = small_offer()) : p{std::make_shared<const offer>(std::move(o))} {}

    outcome say(std::string_view line) { return outcome{p.receive(line)}; }

    void handshake(const std::string& version = "2025-11-25", const std::string& capabilities = "{}") {
        say(R"({"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":")" + version +
            R"(","capabilities":)" + capabilities + "}}");
        say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    }

    // A call of `warp` under this id (JSON text), with this progress token (JSON text) or none.
    request_key call(const std::string& id, const std::string& token = "") {
        const auto meta = token.empty() ? std::string{} : R"(,"_meta":{"progressToken":)" + token + "}";
        const auto o =
            say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":"warp")" + meta + "}}");
        return o.asked<tool_call>().key;
    }

    outcome answer(request_key key, reply r = tool_result{}) { return outcome{p.answer(key, std::move(r))}; }
    outcome progress(request_key key, double f) { return outcome{p.progress(key, f, "")}; }
    void cancel(const std::string& id) {
        say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + id + "}}");
    }

    peer p;
};

inline json::value parsed(std::string_view text) {
    auto v = base::parse_json(text);
    REQUIRE(v);
    return *v;
}

// A request with the 2026-07-28 envelope; `params` = the other members, each followed by a comma.
inline std::string stateless_request(const std::string& id, const std::string& method, const std::string& params = "",
                                     const std::string& capabilities = "{}") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" + params +
           R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)" +
           R"("io.modelcontextprotocol/clientCapabilities":)" + capabilities + "}}}";
}

}  // namespace gdalmcp::mcp
