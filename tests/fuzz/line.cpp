// A client's bytes, cut where they say, into lines and through the peer, whose application answers at once. How they
// are cut changes nothing.
#include <vector>

#include "exchange.hpp"
#include "transport/line_cutter.hpp"

namespace {

using fuzz::must;

constexpr std::size_t longest = 200;

struct cut_lines {
    std::vector<std::string> lines;  // "" = one was too long
    bool operator==(const cut_lines&) const = default;
};

// By the definition: between newlines.
cut_lines defined(std::string_view bytes) {
    cut_lines c;
    while (!bytes.empty()) {
        auto line = bytes.substr(0, bytes.find('\n'));
        bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
        if (line.size() > longest) {
            c.lines.emplace_back();
            continue;
        }
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!line.empty()) c.lines.emplace_back(line);
    }
    return c;
}

// In pieces, each as long as the last byte of the one before says.
cut_lines in_pieces(std::string_view bytes) {
    cut_lines c;
    gdalmcp::transport::line_cutter cutter{longest};
    const auto keep = [&](std::string_view line) { c.lines.emplace_back(line); };
    const auto skip = [&] { c.lines.emplace_back(); };
    std::size_t piece = 1;
    while (!bytes.empty()) {
        const auto some = bytes.substr(0, piece);
        bytes.remove_prefix(some.size());
        cutter.feed(some, keep, skip);
        piece = 1 + static_cast<unsigned char>(some.back()) % 64;
    }
    cutter.finish(keep);
    return c;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const auto text = fuzz::text_of(bytes, size);
    const auto cut = in_pieces(text);
    must(cut == defined(text));
    fuzz::exchange e;
    for (const auto& line : cut.lines) {
        line.empty() ? e.line_too_long() : e.line(line);
        e.answer_all("{}");
    }
    e.end();
    return 0;
}
