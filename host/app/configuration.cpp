#include "app/configuration.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace gdalmcp::app {

namespace json = base::json;

std::string environment_variable(const char* name) {
    const char* v = std::getenv(name);
    return v ? v : "";
}

std::uint64_t configuration::address_space() const {
    if (memory_mib > 0) return static_cast<std::uint64_t>(memory_mib) << 20;
    struct sysinfo machine {};
    ::sysinfo(&machine);
    const auto half = static_cast<std::uint64_t>(machine.totalram) * machine.mem_unit / 2;
    return std::min<std::uint64_t>(8ull << 30, half);
}

unsigned configuration::slots() const {
    return parallel > 0 ? static_cast<unsigned>(parallel) : std::max(2u, std::thread::hardware_concurrency());
}

unsigned configuration::threads_per_call() const {
    return threads > 0 ? static_cast<unsigned>(threads) : std::max(1u, std::thread::hardware_concurrency());
}

json::object configuration::text() const {
    const auto strings = [](const auto& all) {
        json::array a;
        for (const auto& s : all) a.emplace_back(std::filesystem::path{s}.string());
        return a;
    };
    return {{"workspace", strings(workspaces)},
            {"bundles", strings(bundles)},
            {"justifications", strings(justifications)},
            {"toolsets", strings(toolsets)},
            {"trust", trust},
            {"trust-keys", trust_keys.string()},
            {"allow-network", strings(allow_network)},
            {"policy", policy.string()},
            {"http", http},
            {"tokens", tokens.string()},
            {"allow-host", strings(allow_host)},
            {"prompts", prompts.string()},
            {"state-dir", state_dir.string()},
            {"scratch", scratch},
            {"confirm", confirm},
            {"log-level", log_level},
            {"no-sandbox", !sandbox},
            {"timeout", timeout_s},
            {"memory", address_space() >> 20},
            {"file-size", file_size_mib},
            {"cache", cache_mib},
            {"digest-limit", digest_limit_mib},
            {"parallel", slots()},
            {"threads", threads_per_call()}};
}

}  // namespace gdalmcp::app
