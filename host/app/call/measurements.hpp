// Cache of evidence measurements, keyed by the request and the state of the files read.
#pragma once
#include <functional>
#include <string>

#include "base/bounded_cache.hpp"
#include "base/json.hpp"

namespace gdalmcp::app {

// Thread-safe. Two simultaneous calls for the same key may both measure.
class measurements {
public:
    using measuring = std::function<base::result<boost::json::object>()>;

    // The cached value of `key`, else the result of `measure`, which is cached. Failures are cached, too (the same data
    // fails again), unless the caller cancelled.
    base::result<boost::json::object> of(const std::string& key, const measuring& measure) {
        if (auto found = known_.find(key)) return std::move(*found);
        auto fresh = measure();
        if (!fresh && fresh.error().code == base::code::cancelled) return fresh;
        known_.keep(key, fresh);
        return fresh;
    }

private:
    base::bounded_cache<std::string, base::result<boost::json::object>> known_{1000};
};

}  // namespace gdalmcp::app
