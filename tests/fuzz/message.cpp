// A whole exchange, written as a script: what the client sends, by stdio or HTTP, and what the application does about
// it. The peer keeps to the protocol throughout (ledger.hpp).
//   {"jsonrpc": "2.0", …}     the client sends this line
//   @FIELD VALUE              a header field of the next line, which then comes by HTTP: version, method, name, or the
//                             rest of Mcp-Param-…; "@" alone is a header without fields
//   !NX TEXT                  the application does X about the N-th open request, the oldest when N is left out:
//                             a answers, e refuses, q asks its client, t goes on as a task, p tells how far it is,
//                             h that it is alive, l logs, s stops waiting
//   !X TEXT                   of itself: o offers something else, r has other resources, u a changed one, k a task that
//                             has, L skips a line, x leaves
#include <charconv>

#include "exchange.hpp"

namespace {

using namespace fuzz;

template <class Number>
Number number_of(std::string_view text) {
    Number n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n);
    return n;
}

int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : 0; }

std::string_view take_until(std::string_view& text, char end) {
    const auto part = text.substr(0, text.find(end));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

class script {
public:
    // False: the application leaves.
    bool step(std::string_view line) {
        if (line.starts_with('@')) return take_field(line.substr(1)), true;
        if (line.starts_with('!')) return act(line.substr(1));
        if (!header_) return exchange_.line(line), true;
        if (auto message = base::parse_json(line)) exchange_.by_http(*message, *header_);
        header_.reset();
        return true;
    }

    void end(bool left) { left ? exchange_.close() : exchange_.end(); }

private:
    void take_field(std::string_view rest) {
        if (!header_) header_.emplace();
        const std::string name{take_until(rest, ' ')}, value{rest};
        if (name == "version")
            header_->protocol_version = value;
        else if (name == "method")
            header_->method = value;
        else if (name == "name")
            header_->name = value;
        else if (!name.empty())
            header_->parameters[name] = value;
    }

    bool act(std::string_view rest) {
        const bool numbered = !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
        const auto n = static_cast<std::size_t>(numbered ? digit(rest.front()) : 0);
        rest.remove_prefix(numbered ? 1 : 0);
        const auto what = take_until(rest, ' ');
        auto& e = exchange_;
        switch (what.empty() ? '\0' : what.front()) {
            case 'a':
                e.answer(n, rest);
                break;
            case 'e':
                e.refuse(n, rest);
                break;
            case 'q':
                e.ask(n, rest);
                break;
            case 't':
                e.become_task(n, rest);
                break;
            case 'p':
                e.progress(n, number_of<double>(rest));
                break;
            case 'h':
                e.heartbeat(n, rest);
                break;
            case 'l':
                e.log(n, rest.empty() ? 0 : digit(rest.front()) % 8, rest);
                break;
            case 's':
                e.stop_waiting(n);
                break;
            case 'o':
                e.replace(number_of<unsigned>(rest));
                break;
            case 'r':
                e.resources_changed();
                break;
            case 'u':
                e.resource_updated(rest);
                break;
            case 'k':
                e.task_changed(rest);
                break;
            case 'L':
                e.line_too_long();
                break;
            case 'x':
                return false;
            default:
                break;
        }
        return true;
    }

    exchange exchange_;
    std::optional<mcp::http_fields> header_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    auto text = fuzz::text_of(bytes, size);
    script s;
    bool stays = true;
    while (stays && !text.empty()) stays = s.step(take_until(text, '\n'));
    s.end(!stays);
    return 0;
}
