// What a tool does and no result tells of, for the check of its bundle.
#pragma once
#include <filesystem>

#include "base/json.hpp"
#include "runner/descriptor.hpp"
#include "worker/file_trace.hpp"
#include "worker/sandbox.hpp"

namespace gdalmcp::worker {

// From its construction on, what is printed to stdout goes to a file without a name and not to the host's stderr.
class observation {
public:
    explicit observation(access given, const std::filesystem::path& scratch);

    // {kind: "observed", reads: [what was read or wanted to be read and not given, at most 20], printed: {bytes, text:
    // the first of them}}. What the kernel tells of the machine (/proc, /sys, /dev) is for everybody.
    base::json::object frame(const traced_files& traced) const;

private:
    bool was_given(const std::filesystem::path& p) const;
    const access given_;
    const runner::descriptor printed_;
};

}  // namespace gdalmcp::worker
