#include "worker/asking.hpp"

#include "base/pointer.hpp"

namespace gdalmcp::worker {

asking::asking(const json::object& told) {
    if (const auto* can = told.if_contains("can"))
        for (const auto& what : can->as_array()) can_.emplace(what.as_string());
    if (const auto* answers = told.if_contains("answers")) answers_ = answers->as_object();
    if (const auto* state = told.if_contains("state")) state_ = kept_ = *state;
}

void asking::put(std::string_view name, std::string_view method, json::object params) {
    requests_[name] = json::object{{"method", method}, {"params", std::move(params)}};
}

const json::value* asking::answer(std::string_view name, std::string_view at) {
    const auto* given = answers_.if_contains(name);
    if (!given) return nullptr;
    used_.emplace(name);
    return base::at_pointer(*given, at);
}

const json::value* asking::state(std::string_view at) const {
    return state_.is_null() ? nullptr : base::at_pointer(state_, at);
}

void asking::keep(json::value state) {
    kept_ = std::move(state);
    keeps_ = true;
}

json::object asking::outcome() const {
    if (requests_.empty() && !keeps_) return {};
    return {{"requests", requests_}, {"used", json::array(used_.begin(), used_.end())}, {"state", kept_}};
}

}  // namespace gdalmcp::worker
