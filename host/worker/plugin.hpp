// A plugin's shared object, loaded.
#pragma once
#include <gdalmcp/abi.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace gdalmcp::worker {

// Loads the library and gets its table. Runs the plugin's static initialisers, so only confined or build processes may
// call it.
class plugin {
public:
    // path: a file, or /proc/self/fd/N of an open descriptor. Errors name the library and its defect.
    static base::result<plugin> load(const std::string& path);

    // As today's header has it, whatever minor the plugin was compiled with.
    const gdalmcp_plugin& table() const;
    const gdalmcp_tool* find(std::string_view tool) const;  // nullptr: unknown

private:
    struct library;
    explicit plugin(std::shared_ptr<const library> l) : library_{std::move(l)} {}
    std::shared_ptr<const library> library_;
};

}  // namespace gdalmcp::worker
