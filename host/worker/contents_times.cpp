#include "worker/contents_times.hpp"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdalmcp/cf_time.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "base/text.hpp"

namespace gdalmcp::worker {

namespace json = base::json;

namespace {

// The digits at the beginning, at most `most`; nullopt unless there are that many.
std::optional<int> digits(std::string_view& text, std::size_t most) {
    if (text.size() < most) return std::nullopt;
    int n = 0;
    for (std::size_t i = 0; i < most; ++i) {
        if (text[i] < '0' || text[i] > '9') return std::nullopt;
        n = 10 * n + (text[i] - '0');
    }
    text.remove_prefix(most);
    return n;
}

int days_in(int year, int month) {
    constexpr std::array<int, 12> all{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : all[static_cast<std::size_t>(month - 1)];
}

std::string item(GDALMajorObject& of, const std::string& key) {
    const char* value = of.GetMetadataItem(key.c_str());
    return value ? value : "";
}

// "days since …" and the calendar of an axis, which netCDF states once.
struct axis {
    std::string units, calendar;
    span_of_days days;
};

}  // namespace

std::optional<int> day_of(std::string_view text, bool last) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    const auto year = digits(text, 4);
    if (!year || *year < 1) return std::nullopt;
    const bool compact = text.empty() || (text.front() >= '0' && text.front() <= '9');
    if (compact && *year < 1500) return std::nullopt;  // 1030 is a time of day, a number, a code
    const auto next = [&](int otherwise) -> std::optional<int> {
        if (text.empty()) return otherwise;
        if (!compact && text.front() != '-' && text.front() != ':' && text.front() != '/') return std::nullopt;
        if (!compact) text.remove_prefix(1);
        return digits(text, 2);
    };
    const auto month = next(last ? 12 : 1);
    if (!month || *month < 1 || *month > 12) return std::nullopt;
    const auto day = next(last ? days_in(*year, *month) : 1);
    // The day of a noleap or 360-day calendar may be none of ours: 30 February.
    if (!day || *day < 1 || *day > 31) return std::nullopt;
    if (!text.empty() && std::isalnum(static_cast<unsigned char>(text.front())) && text.front() != 'T')
        return std::nullopt;
    return *year * 10000 + *month * 100 + *day;
}

void span_of_days::put(json::array& times, std::string_view why) const {
    if (any_) times.push_back(json::object{{"from", from_}, {"to", to_}, {"why", why}});
}

void add_axis_times(GDALDataset& d, json::array& times) {
    constexpr std::string_view dimension = "NETCDF_DIM_";
    std::map<std::string, axis> axes;
    span_of_days valid;
    for (int b = 1; b <= d.GetRasterCount(); ++b) {
        auto& band = *d.GetRasterBand(b);
        const CPLStringList items{CSLDuplicate(band.GetMetadata())};
        for (int i = 0; i < items.size(); ++i) {
            const std::string_view entry{items[i]};
            const auto key = entry.substr(0, entry.find('='));
            const std::string value{entry.substr(std::min(key.size() + 1, entry.size()))};
            if (key == "GRIB_VALID_TIME") {
                if (const auto date = cf_date(CPLAtof(value.c_str()), "seconds since 1970-01-01")) valid.add(*date);
                continue;
            }
            if (!key.starts_with(dimension)) continue;
            const std::string name{key.substr(dimension.size())};
            const auto [at, fresh] = axes.try_emplace(name);
            if (fresh) at->second = {item(d, name + "#units"), item(d, name + "#calendar"), {}};
            if (at->second.units.empty()) continue;
            if (const auto date = cf_date(CPLAtof(value.c_str()), at->second.units, at->second.calendar))
                at->second.days.add(*date);
        }
    }
    for (const auto& [name, of] : axes) of.days.put(times, "axis " + name);
    valid.put(times, "valid time");
}

void add_metadata_times(GDALDataset& d, json::array& times) {
    // Of when a file was made or changed, which says nothing of its data.
    constexpr std::array not_of_the_data{"creat",  "modif",    "issued",  "update", "process",
                                         "produc", "metadata", "history", "revis",  "release"};
    const auto add = [&](const char* domain, std::string_view part = "") {
        const CPLStringList items{CSLDuplicate(d.GetMetadata(domain))};
        span_of_days coverage;
        for (int i = 0; i < items.size(); ++i) {
            const std::string_view entry{items[i]};
            const auto named = std::min(entry.find('='), entry.size());
            const auto value = entry.substr(std::min(named + 1, entry.size()));
            std::string key{entry.substr(0, named)};
            key.erase(0, key.rfind('.') + 1);  // groups of a scene's metadata, "L1_METADATA_FILE.PRODUCT_METADATA."
            if (key.find(part) == std::string::npos) continue;
            const auto lower = base::lower_ascii(key);
            if (lower.find("time_coverage") != std::string::npos) {
                coverage.add(value);
                continue;
            }
            const bool date = lower.find("date") != std::string::npos;
            if (!date && lower.find("time") == std::string::npos) continue;
            if (!date && value.find_first_of("-:/") == std::string_view::npos) continue;
            if (std::any_of(not_of_the_data.begin(), not_of_the_data.end(),
                            [&](const char* word) { return lower.find(word) != std::string::npos; }))
                continue;
            if (value == unread_acquisition) continue;
            span_of_days one;
            one.add(value);
            one.put(times, key);
        }
        coverage.put(times, "time_coverage");
    };
    add(nullptr);
    add("IMAGERY");
    add("IMD", "DATE_ACQUIRED");
}

}  // namespace gdalmcp::worker
