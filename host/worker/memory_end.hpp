// How a call ends whose memory runs out.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/problem.hpp"

namespace gdalmcp::worker {

// The last frame of a call that failed.
base::json::object failure_frame(const base::problem&);

// Whether GDAL, GEOS, SQLite or the standard library report by this message that an allocation failed.
bool says_out_of_memory(std::string_view message);

// From now on a std::bad_alloc that nothing catches, as in a thread, ends this process with an answer on `socket`
// instead of a signal. `limit`: bytes of address space, 0: none. Call it once, in the process of a call.
void answer_when_out_of_memory(int socket, const std::string& tool, std::uint64_t limit);

// The answer. `why`: as reported. REQUIRES: answer_when_out_of_memory() was called.
base::problem out_of_memory(std::string_view why);

// Sends the answer, allocates nothing, and ends the process. For errors after which GDAL aborts.
[[noreturn]] void end_out_of_memory();

}  // namespace gdalmcp::worker
