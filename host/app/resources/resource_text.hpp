// How much of a list one resource returns.
#pragma once
#include "base/json.hpp"

namespace gdalmcp::app {

namespace json = base::json;

// Bytes of text in one reply: escaped inside a JSON string, with its envelope, it stays below the 1 MiB that the
// strictest client takes.
inline constexpr std::size_t max_text = 700u << 10;

// The first members of `all`, at most `count`, that fit into `max_text` together.
inline json::array that_fit(json::array all, std::size_t count) {
    std::size_t bytes = 0, n = 0;
    while (n < all.size() && n < count && (bytes += base::write_json(all[n]).size() + 1) <= max_text - 4096) ++n;
    all.resize(n);
    return all;
}

}  // namespace gdalmcp::app
