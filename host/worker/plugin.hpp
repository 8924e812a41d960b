// A plugin's shared object, loaded.
#pragma once
#include <gdalmcp/abi.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace gdalmcp::worker {

// Loads the library and asks it for its table. Runs the plugin's static initialisers: only for confined or building
// processes.
class plugin {
public:
    // path: a file, or /proc/self/fd/N of an open descriptor. Errors name the library and what is wrong with it.
    static base::result<plugin> load(const std::string& path);

    // As today's header has it, whatever minor the plugin was compiled with.
    const gdalmcp_plugin& table() const;
    const gdalmcp_tool* find(std::string_view tool) const;  // nullptr: not there

private:
    struct library;
    explicit plugin(std::shared_ptr<const library> l) : library_{std::move(l)} {}
    std::shared_ptr<const library> library_;
};

}  // namespace gdalmcp::worker
