// Reads resources of a host, with the caches shared by readings.
#pragma once
#include "app/call/host.hpp"
#include "app/resources/catalogue.hpp"

namespace gdalmcp::app {

// Thread-safe. `of` outlives it.
struct reader {
    explicit reader(host& of)
        : h{of},
          known{of.known()},
          datasets{of.workspaces(), [&of](auto&&... a) { return of.answer(std::forward<decltype(a)>(a)...); }, known,
                   [&of](const std::string& spelling, const runner::cancellation& cancel) {
                       return of.identify_crs(spelling, cancel).map([](const auto& crs) { return crs.normal; });
                   }} {}

    host& h;
    registries& known;
    catalogue datasets;
};

// One resources/read.
struct reading {
    reader& from;
    resource_uri uri;             // with the members of its query that the resource takes
    std::string wanted;           // the values of the variables in the URI, each % escape decoded once
    const std::string& files_at;  // where this client can fetch the files of results, up to the id; "" = nowhere
    const runner::cancellation& cancel;
};

// Members of one of the `contents` of resources/read: text or blob, and members that differ from the resource's entry.
using contents = base::result<json::object>;

inline json::object text_contents(std::string text) { return {{"text", std::move(text)}}; }
inline json::object text_contents(json::object o) { return {{"text", base::write_json(json::value(std::move(o)))}}; }

}  // namespace gdalmcp::app
