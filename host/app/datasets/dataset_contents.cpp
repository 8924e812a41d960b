#include "app/datasets/dataset_contents.hpp"

#include <cmath>

namespace gdalmcp::app {

namespace json = base::json;

namespace {

template <class Each>
void for_each(const json::value& v, const char* member, Each each) {
    const auto* all = base::find_member(v, member);
    if (const auto* a = all ? all->if_array() : nullptr)
        for (const auto& one : *a) each(one);
}

std::vector<std::string> strings(const json::value& v, const char* member) {
    std::vector<std::string> all;
    for_each(v, member, [&](const json::value& one) {
        if (const auto* s = one.if_string()) all.emplace_back(*s);
    });
    return all;
}

std::string text(const json::value& v, const char* member) { return std::string{base::string_member(v, member)}; }

std::optional<extent> extent_in(const json::value& v) {
    const auto* b = base::find_member(v, "bounds");
    const auto* a = b ? b->if_array() : nullptr;
    if (!a || a->size() != 4) return std::nullopt;
    extent e{};
    for (std::size_t i = 0; i < e.size(); ++i) {
        if (!(*a)[i].is_number()) return std::nullopt;
        e[i] = (*a)[i].to_number<double>();
        if (!std::isfinite(e[i])) return std::nullopt;
    }
    return e;
}

std::optional<int> day_in(const json::value& v, const char* member) {
    const auto* n = base::find_member(v, member);
    if (!n || !n->is_int64() || n->get_int64() < 0 || n->get_int64() > 99991231) return std::nullopt;
    return static_cast<int>(n->get_int64());
}

json::array to_json(const std::vector<std::string>& all) { return json::array(all.begin(), all.end()); }

}  // namespace

dataset_contents contents_of(const json::value& v) {
    dataset_contents c;
    c.driver = text(v, "driver");
    c.kinds = strings(v, "kinds");
    c.unread = strings(v, "unread");
    c.unread_dates = strings(v, "unread_dates");
    c.unplaced = base::bool_member(v, "unplaced");
    for_each(v, "texts", [&](const json::value& g) {
        c.texts.push_back({text(g, "what"), text(g, "in"), strings(g, "texts"), base::bool_member(g, "cut")});
    });
    for_each(v, "extents", [&](const json::value& e) {
        if (const auto bounds = extent_in(e)) c.extents.push_back({text(e, "in"), *bounds});
    });
    for_each(v, "times", [&](const json::value& t) {
        const auto from = day_in(t, "from"), to = day_in(t, "to");
        if (from && to) c.times.push_back({{*from, *to}, text(t, "why")});
    });
    return c;
}

json::object to_json(const dataset_contents& c) {
    json::array texts, extents, times;
    for (const auto& g : c.texts) {
        json::object o{{"what", g.what}, {"in", g.in}, {"texts", to_json(g.texts)}};
        if (g.cut) o["cut"] = true;
        texts.push_back(std::move(o));
    }
    for (const auto& e : c.extents)
        extents.push_back(json::object{{"in", e.in}, {"bounds", json::array(e.bounds.begin(), e.bounds.end())}});
    for (const auto& t : c.times)
        times.push_back(json::object{{"from", t.days.from}, {"to", t.days.to}, {"why", t.why}});
    return {{"driver", c.driver},          {"kinds", to_json(c.kinds)},
            {"texts", std::move(texts)},   {"extents", std::move(extents)},
            {"times", std::move(times)},   {"unplaced", c.unplaced},
            {"unread", to_json(c.unread)}, {"unread_dates", to_json(c.unread_dates)}};
}

}  // namespace gdalmcp::app
