// Values that were computed once and may be wanted again.
#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace gdalmcp::base {

// Thread-safe. A full cache is emptied: that costs one computation each and needs no order of use.
template <class Key, class Value>
class bounded_cache {
public:
    explicit bounded_cache(std::size_t max) : max_{max} {}

    template <class K>
    std::optional<Value> find(const K& key) const {
        const std::lock_guard lock{guard_};
        const auto found = known_.find(key);
        return found == known_.end() ? std::nullopt : std::optional<Value>{found->second};
    }

    // Replaces an earlier value of the key.
    void keep(Key key, Value value) {
        const std::lock_guard lock{guard_};
        if (known_.size() >= max_) known_.clear();
        known_.insert_or_assign(std::move(key), std::move(value));
    }

private:
    const std::size_t max_;
    mutable std::mutex guard_;
    std::map<Key, Value, std::less<>> known_;
};

}  // namespace gdalmcp::base
