#include "reflection/statistics.hpp"

#include <algorithm>

namespace gdalmcp::reflection {
namespace {

constexpr std::size_t max_told = 10;

json::object object_of(const std::map<std::string, std::int64_t>& counts) {
    json::object o;
    for (const auto& [word, n] : counts) o.emplace(word, n);
    return o;
}

std::int64_t count_of(const std::map<std::string, std::int64_t>& counts, const std::string& word) {
    const auto found = counts.find(word);
    return found == counts.end() ? 0 : found->second;
}

}  // namespace

void statistics::add(const record& r) {
    const auto& reason = r.text.at("justification");
    ++reasons_;
    ++domains_[r.domain].reasons;
    ++confidence_[std::string{base::string_member(reason, "confidence")}];
    ++chosen_by_[r.chosen_by];
    auto& again = revisited_[r.ref()];
    again.choice = base::string_member(reason.at("choice"), "method");
    if (const auto* kept = r.text.if_contains("revisits"); kept && kept->is_array())
        again.kept += static_cast<std::int64_t>(kept->get_array().size());
}

void statistics::add_receipt(const json::value& receipt) {
    const std::string domain{base::string_member(receipt, "domain")}, word{base::string_member(receipt, "decision")};
    if (domain.empty() || word.empty()) return;
    ++decisions_[word];
    ++domains_[domain].decisions[word];
    if (word == "revisit") ++revisited_[std::string{base::string_member(receipt, "justification_ref")}].asked;
}

json::object statistics::text() const {
    const auto proceed = count_of(decisions_, "proceed"), block = count_of(decisions_, "block");
    json::object domains;
    for (const auto& [name, d] : domains_)
        domains.emplace(name, json::object{{"reasons", d.reasons},
                                           {"questions", count_of(d.decisions, "block")},
                                           {"decisions", object_of(d.decisions)}});
    std::vector<std::pair<std::string, revisited>> most;
    for (const auto& [ref, r] : revisited_)
        if (!ref.empty() && r.asked + r.kept > 0) most.emplace_back(ref, r);
    std::stable_sort(most.begin(), most.end(), [](const auto& a, const auto& b) {
        return a.second.asked + a.second.kept > b.second.asked + b.second.kept;
    });
    if (most.size() > max_told) most.resize(max_told);
    json::array again;
    for (const auto& [ref, r] : most)
        again.push_back(json::object{{"ref", ref}, {"choice", r.choice}, {"revisits", r.asked}, {"kept", r.kept}});
    json::value rate;
    if (proceed + block > 0) rate = static_cast<double>(proceed) / static_cast<double>(proceed + block);
    return {{"reasons", reasons_},
            {"hit_rate", rate},
            {"decisions", object_of(decisions_)},
            {"domains", std::move(domains)},
            {"confidence", object_of(confidence_)},
            {"chosen_by", object_of(chosen_by_)},
            {"most_revisited", std::move(again)}};
}

}  // namespace gdalmcp::reflection
