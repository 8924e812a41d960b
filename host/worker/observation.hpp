// Behaviour of a tool that its result does not show, for the check of its bundle.
#pragma once
#include <filesystem>

#include "base/json.hpp"
#include "runner/descriptor.hpp"
#include "worker/file_trace.hpp"
#include "worker/sandbox.hpp"

namespace gdalmcp::worker {

// From construction on, stdout goes to an unnamed file instead of the host's stderr.
class observation {
public:
    explicit observation(access given, const std::filesystem::path& scratch);

    // {kind: "observed", reads: [files outside the inputs that were read or refused, at most 20], printed: {bytes,
    // text: the first of them}}. /proc, /sys and /dev are not counted.
    base::json::object frame(const traced_files& traced) const;

private:
    bool was_given(const std::filesystem::path& p) const;
    const access given_;
    const runner::descriptor printed_;
};

}  // namespace gdalmcp::worker
