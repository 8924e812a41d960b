#include "gdal_change_report.hpp"

#include <gdalmcp/gdal.hpp>

#include <algorithm>

namespace gdalmcp_raster {

using namespace change_fields;

namespace {

constexpr std::size_t max_changes = 50;  // of each table

// The keys of a map whose rows have the most cells, in the order of the keys.
template <class Map, class Cells>
std::vector<typename Map::const_iterator> commonest(const Map& all, Cells&& cells_of) {
    std::vector<typename Map::const_iterator> rows;
    for (auto i = all.begin(); i != all.end(); ++i) rows.push_back(i);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](auto a, auto b) { return cells_of(a->second) > cells_of(b->second); });
    if (rows.size() > max_changes) rows.resize(max_changes);
    std::sort(rows.begin(), rows.end(), [](auto a, auto b) { return a->first < b->first; });
    return rows;
}

void put_rows(gdalmcp::call& call, const std::map<std::int64_t, class_size>& changes, const change_wording& how) {
    const auto& names = how.names;
    std::map<std::int64_t, std::int64_t> numbers;
    for (const auto& each : changes) numbers.emplace(each.first, static_cast<std::int64_t>(numbers.size()) + 1);
    call.begin(change_table);
    for (const auto each : commonest(changes, [](const class_size& s) { return s.count; })) {
        const auto change = class_change::of(each->first);
        auto row = call.add(change_table);
        row.put(number, numbers.at(each->first));
        row.put(from_code, change.from);
        if (const auto text = names.before.of(change.from); !text.empty()) row.put(from_name, text);
        row.put(to_code, change.to);
        if (const auto text = names.after.of(change.to); !text.empty()) row.put(to_name, text);
        row.put(cells, each->second.count);
        if (!how.with_areas) continue;
        row.put(area_m2, each->second.area);
        row.put(area_ha, each->second.area / 1e4);
    }
    call.put(matched_total, static_cast<std::int64_t>(changes.size()));
}

void put_balances(gdalmcp::call& call, const std::map<std::int64_t, class_balance>& all, const change_wording& how) {
    const auto& names = how.names;
    call.begin(balance_table);
    for (const auto each : commonest(all, [](const class_balance& b) { return b.before.count + b.after.count; })) {
        const auto& b = each->second;
        auto row = call.add(balance_table);
        row.put(code, each->first);
        const auto was = names.before.of(each->first), is = names.after.of(each->first);
        if (const auto& text = was.empty() ? is : was; !text.empty()) row.put(name, text);
        row.put(cells_before, b.before.count);
        row.put(cells_after, b.after.count);
        row.put(cells_gained, b.gain.count);
        row.put(cells_lost, b.loss.count);
        if (!how.with_areas) continue;
        row.put(ha_before, b.before.area / 1e4);
        row.put(ha_after, b.after.area / 1e4);
        row.put(ha_gained, b.gain.area / 1e4);
        row.put(ha_lost, b.loss.area / 1e4);
    }
}

// A map of nothing but changes is what most take the output for.
void tell_unchanged(gdalmcp::call& call, const std::map<std::int64_t, class_size>& changes) {
    constexpr int most = 10;
    std::string kept;
    int place = 0, n = 0;
    for (const auto& each : changes) {
        ++place;
        const auto change = class_change::of(each.first);
        if (change.from == change.to && ++n <= most) kept += (n > 1 ? ", " : "") + std::to_string(place);
    }
    if (n > 0)
        call.say("unchanged cells of the output have values, too: " + kept + (n > most ? ", …" : "") +
                 "; leave these out to map or polygonize changes alone");
}

// Codes that do not mean the same before and after make every change doubtful.
void doubt_legends(gdalmcp::call& call, const std::map<std::int64_t, class_balance>& all, const change_names& names) {
    std::string renamed;
    bool shared = false;
    for (const auto& [each, b] : all) {
        shared = shared || (b.before.count > 0 && b.after.count > 0);
        const auto was = names.before.of(each), is = names.after.of(each);
        if (!was.empty() && !is.empty() && !EQUAL(was.c_str(), is.c_str()) && renamed.empty())
            renamed = std::to_string(each) + " is '" + was + "' before and '" + is + "' after";
    }
    if (!shared && !all.empty())
        call.warn(
            "no code occurs both before and after: the rasters use different legends, and these are no changes of the "
            "ground; bring both to one legend first");
    if (!renamed.empty()) call.warn("the legends differ: code " + renamed);
}

}  // namespace

void put_changes(gdalmcp::call& call, const std::map<std::int64_t, class_size>& changes,
                 const std::map<std::int64_t, class_balance>& balances, const change_wording& how) {
    put_rows(call, changes, how);
    tell_unchanged(call, changes);
    put_balances(call, balances, how);
    call.put(truncated, changes.size() > max_changes || balances.size() > max_changes);
    doubt_legends(call, balances, how.names);
}

}  // namespace gdalmcp_raster
