#include "ogr_joined_rows.hpp"

#include <algorithm>
#include <limits>

namespace gdalmcp_vector {

joined_rows::joined_rows(layer_pass& pass, const held_layer& held, std::size_t extra, bool inner, bool many,
                         const key_fields* keys)
    : pass_{pass}, held_{held}, extra_{extra}, inner_{inner}, many_{many}, keys_{keys} {
    count.used.assign(held.size(), false);
    count.shared = count.used;
}

void joined_rows::write(row& r) {
    const auto fid = r.feature->GetFID();
    count.invalid += r.invalid;
    count.bare += r.bare;
    count.tied += r.tied > 0;
    if (r.partners.size() > 1) {
        ++count.multiplied;
        if (count.first_multiplied.size() < 10)
            count.first_multiplied.emplace_back(fid, static_cast<std::int64_t>(r.partners.size()));
    }
    if (r.partners.empty()) {
        ++count.unmatched;
        if (count.first_unmatched.size() < 2000)
            count.first_unmatched.emplace_back(fid, keys_ ? keys_->shown_first(*r.feature) : std::string{});
        if (!inner_) add(r, nullptr, {}, true);
        return;
    }
    ++count.matched;
    if (!many_ && r.partners.size() > 1) return;  // the end of the call refuses it
    for (std::size_t i = 0; i < r.partners.size(); ++i) {
        const auto& p = r.partners[i];
        if (count.used[p.item]) count.shared[p.item] = true;
        count.used[p.item] = true;
        if (!p.values.empty()) count.least_measured = std::min(count.least_measured, p.values.front());
        add(r, held_.features[p.item].get(), p.values, i + 1 == r.partners.size());
    }
}

std::vector<std::string> joined_rows::unused_keys() const {
    std::vector<std::string> all;
    constexpr std::size_t most = 100'000;
    for (std::size_t i = 0; keys_ && i < held_.size() && all.size() < most; ++i)
        if (!count.used[i] && keys_->of_second(*held_.features[i]))
            all.push_back(keys_->shown_second(*held_.features[i]));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

std::string joined_rows::unused_said(const std::vector<std::string>& keys) const {
    constexpr std::size_t most = 5;
    const auto left = static_cast<std::size_t>(std::count(count.used.begin(), count.used.end(), false));
    if (left == 0) return {};
    std::string named;
    std::size_t n = 0;
    for (std::size_t i = 0; i < keys.size() && n < most; ++i) named += (n++ ? ", '" : "'") + keys[i] + "'";
    for (std::size_t i = 0; keys.empty() && i < held_.size() && n < most; ++i)
        if (!count.used[i]) named += (n++ ? ", " : "") + std::to_string(held_.features[i]->GetFID());
    const auto all = keys.empty() ? left : keys.size();
    return std::to_string(left) + " unused of the join layer: " + (keys.empty() ? "ids " : "keys ") + named +
           (all > n ? " and " + std::to_string(all - n) + " more" : "");
}

void joined_rows::add(row& r, const OGRFeature* partner, const std::vector<double>& measured, bool last) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> values;
    if (many_) values.push_back(static_cast<double>(r.feature->GetFID()));
    values.push_back(partner ? static_cast<double>(partner->GetFID()) : none);
    values.insert(values.end(), measured.begin(), measured.end());
    values.resize(extra_, none);
    std::unique_ptr<OGRGeometry> geometry;
    if (auto* own = r.feature->GetGeometryRef()) geometry.reset(last ? r.feature->StealGeometry() : own->clone());
    pass_.add(*r.feature, std::move(geometry), values, partner);
}

}  // namespace gdalmcp_vector
