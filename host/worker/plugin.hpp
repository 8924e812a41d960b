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

    const gdalmcp_plugin& table() const { return *table_; }
    const gdalmcp_tool* find(std::string_view tool) const;  // nullptr: not there

private:
    struct library;
    plugin(std::shared_ptr<library> l, const gdalmcp_plugin* t) : library_{std::move(l)}, table_{t} {}
    std::shared_ptr<library> library_;
    const gdalmcp_plugin* table_;
};

}  // namespace gdalmcp::worker
