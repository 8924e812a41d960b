// A client's bytes, line by line, through the peer: every line it sends back is one JSON object on one line.
#include <cstdint>
#include <cstdlib>

#include "mcp/peer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace gdalmcp;
    auto offer = std::make_shared<mcp::offer>();
    offer->name = "fuzz";
    offer->version = "0";
    offer->resources = offer->completions = offer->lists_change = true;
    mcp::peer peer{offer};
    std::string_view rest{reinterpret_cast<const char*>(bytes), size};
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        for (const auto& e : peer.receive(line)) {
            const auto* sent = std::get_if<mcp::send>(&e);
            if (!sent) continue;
            const auto v = base::parse_json(sent->line);
            if (!v || sent->line.find('\n') != std::string::npos) std::abort();
        }
    }
    return 0;
}
