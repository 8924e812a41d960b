// What a resource says, kept small enough for every client.
#pragma once
#include <string>

#include "base/json.hpp"

namespace gdalmcp::app {

namespace json = base::json;

struct resource_text {
    std::string mime_type, text;
};

// Bytes of text in one reply: escaped inside a JSON string, with its envelope, it stays below the 1 MiB that the
// strictest client takes.
inline constexpr std::size_t largest_text = 700u << 10;

// The first members of `all`, at most `count`, that fit into `largest_text` together.
inline json::array that_fit(json::array all, std::size_t count) {
    std::size_t bytes = 0, n = 0;
    while (n < all.size() && n < count && (bytes += base::write_json(all[n]).size() + 1) <= largest_text - 4096) ++n;
    all.resize(n);
    return all;
}

inline resource_text json_text(json::object o) {
    return {"application/json", base::write_json(json::value(std::move(o)))};
}

}  // namespace gdalmcp::app
