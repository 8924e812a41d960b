// What evidence providers measured, remembered by what was asked and by the state of the files it was read from.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "base/json.hpp"

namespace gdalmcp::app {

// Thread-safe. Two calls asking for the same at once may both measure.
class measurements {
public:
    using measuring = std::function<base::result<boost::json::object>()>;

    // What is known for `key`, else what `measure` gives, which is kept. A failure is kept, too (it would fail again on
    // the same data), unless the caller gave up.
    base::result<boost::json::object> of(const std::string& key, const measuring& measure) {
        {
            const std::lock_guard lock{guard_};
            if (const auto found = known_.find(key); found != known_.end()) return found->second;
        }
        auto fresh = measure();
        if (!fresh && fresh.error().code == base::code::cancelled) return fresh;
        const std::lock_guard lock{guard_};
        if (known_.size() >= most) known_.clear();
        known_.insert_or_assign(key, fresh);
        return fresh;
    }

private:
    static constexpr std::size_t most = 1000;
    std::mutex guard_;
    std::map<std::string, base::result<boost::json::object>, std::less<>> known_;
};

}  // namespace gdalmcp::app
