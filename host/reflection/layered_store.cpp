#include "reflection/layered_store.hpp"

#include <algorithm>
#include <set>

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

void append(std::vector<std::string>& to, std::vector<std::string>& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

class layered_store final : public store {
public:
    layered_store(std::unique_ptr<store> own, std::vector<std::unique_ptr<store>> libraries) {
        layers_.push_back(std::move(own));
        for (auto& l : libraries) layers_.push_back(std::move(l));
    }

    findings find(std::string_view domain, std::string_view cache_key) override {
        findings all;
        for (const auto& layer : layers_) {
            auto one = layer->find(domain, cache_key);
            append(all.warnings, one.warnings);
            all.records = std::move(one.records);
            if (!all.records.empty()) break;
        }
        return all;
    }

    findings replaced(std::string_view domain, std::string_view cache_key) override {
        return layers_.front()->replaced(domain, cache_key);
    }

    findings find_question(std::string_view domain, std::string_view question_hash) override {
        return of_all([&](store& s) { return s.find_question(domain, question_hash); });
    }

    findings list(std::string_view domain) override {
        return of_all([&](store& s) { return s.list(domain); });
    }

    std::vector<std::string> domains() override {
        std::set<std::string> names;
        for (const auto& layer : layers_)
            for (auto& name : layer->domains()) names.insert(std::move(name));
        return {names.begin(), names.end()};
    }

    result<void> put(const record& r) override { return layers_.front()->put(r); }

    result<void> revoke(std::string_view domain, std::string_view cache_key) override {
        return withdrawn(layers_.front()->revoke(domain, cache_key), domain, cache_key);
    }

    result<void> erase(std::string_view domain, std::string_view cache_key) override {
        return withdrawn(layers_.front()->erase(domain, cache_key), domain, cache_key);
    }

    std::optional<revocation> revoked(std::string_view cache_key) override {
        const auto known = layers_.front()->revoked(cache_key);
        if (known)
            for (const auto& domain : domains())
                if (!find(domain, cache_key).records.empty()) return std::nullopt;  // in a library
        return known;
    }

private:
    template <class Ask>
    findings of_all(Ask ask) {
        findings all;
        std::set<std::string_view> seen;
        for (const auto& layer : layers_) {
            auto some = ask(*layer);
            append(all.warnings, some.warnings);
            for (auto& r : some.records)
                if (seen.insert(r->cache_key).second) all.records.push_back(std::move(r));
        }
        sort_newest_first(all.records);
        return all;
    }

    // A record in a library only exists, but is read-only.
    result<void> withdrawn(result<void> done, std::string_view domain, std::string_view cache_key) {
        if (done || done.error().code != code::not_found) return done;
        const auto found = find(domain, cache_key);
        if (found.records.empty()) return done;
        return fail(code::denied,
                    found.records.front()->ref() + " belongs to the library " + found.records.front()->found_in +
                        ", which is read-only",
                    "its maintainer can revoke it there; a reason of your own under the same key comes first");
    }

    std::vector<std::unique_ptr<store>> layers_;  // own first
};

}  // namespace

std::unique_ptr<store> layer_stores(std::unique_ptr<store> own, std::vector<std::unique_ptr<store>> libraries) {
    return std::make_unique<layered_store>(std::move(own), std::move(libraries));
}

}  // namespace gdalmcp::reflection
