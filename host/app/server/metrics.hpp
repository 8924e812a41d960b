// The counters of a server in the Prometheus text format 0.0.4.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/call/outcome.hpp"

namespace gdalmcp::app {

// One family of samples: {labels, "" or name="value",…} -> value.
struct metric_family {
    std::string name, type, help;  // type: counter, gauge
    std::map<std::string, double> samples;
};

std::string label(const char* name, std::string_view value);  // name="value", escaped

// Not thread-safe.
class metrics {
public:
    // `tool` is an offered tool, or "other": names become labels, and clients invent names.
    void count(const std::string& tool, const outcome& o, std::chrono::duration<double> took);

    // The counts and `now`: gauges and counters kept elsewhere.
    std::string text(const std::vector<metric_family>& now) const;

private:
    static constexpr std::size_t max_series = 2000;  // of calls, by tool and outcome
    static constexpr std::array<double, 10> bounds{0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120, 600};  // s
    struct histogram {
        std::array<std::uint64_t, bounds.size()> at_most{};
        std::uint64_t count = 0;
        double sum = 0;
    };
    std::map<std::pair<std::string, std::string>, std::uint64_t> calls_;      // tool, outcome
    std::map<std::pair<std::string, std::string>, std::uint64_t> decisions_;  // domain, decision
    histogram seconds_;
};

}  // namespace gdalmcp::app
