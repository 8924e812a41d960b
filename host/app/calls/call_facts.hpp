// What the gate is told of a call's inputs: read by a confined probe, completed by what was stated about the datasets,
// and measured by evidence providers.
#pragma once
#include <chrono>

#include "app/calls/host.hpp"
#include "workspace/access.hpp"

namespace gdalmcp::app {

// The facts of every input, each with `path` (as given) and `state` (another whenever the file is another).
base::result<json::value> facts_of_inputs(confined_work& work, dataset_facts& stated, const workspace::access& a,
                                          const std::filesystem::path& scratch, const runner::cancellation& cancel,
                                          const dataset_facts::digest_of& digest);

// Another word whenever the file is another: of its path, size and mtime.
std::string file_state(const std::filesystem::path& file);

// Measures for the questions of one call, within one time budget.
class evidence_taker {
public:
    evidence_taker(host& h, std::shared_ptr<const offering> from, const runner::cancellation& cancel)
        : host_{h}, offering_{std::move(from)}, cancel_{cancel} {}

    // The provider's result. Errors: no such tool, one that writes, one that failed or ran out of time.
    base::result<json::object> measure(const std::string& tool, const json::object& arguments);

private:
    host& host_;
    std::shared_ptr<const offering> offering_;
    const runner::cancellation& cancel_;
    std::optional<std::chrono::steady_clock::time_point> until_;  // since the first measurement
};

}  // namespace gdalmcp::app
