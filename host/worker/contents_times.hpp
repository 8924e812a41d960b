// The times a dataset states: of its bands, its metadata and its fields.
#pragma once
#include <gdal_priv.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::worker {

// A day as a number, 20190131, of "2019-01-31…", "2019:01:31…" or "20190131…"; of a shorter text its first day, or its
// last. nullopt: not a date that begins with a year of four digits.
std::optional<int> day_of(std::string_view text, bool last = false);

// The first and last of some days.
class span_of_days {
public:
    void add(int day) {
        from_ = any_ ? std::min(from_, day) : day;
        to_ = any_ ? std::max(to_, day) : day;
        any_ = true;
    }
    void add(std::string_view text) {
        if (const auto first = day_of(text)) add(*first);
        if (const auto end = day_of(text, true)) add(*end);
    }
    // Appends {from, to, why}, unless there were none.
    void put(base::json::array& times, std::string_view why) const;

private:
    bool any_ = false;
    int from_ = 0, to_ = 0;
};

// Of the axes of its bands: CF time coordinates of netCDF, valid times of GRIB.
void add_axis_times(GDALDataset& d, base::json::array& times);
// Of metadata that state when the data is from: TIFFTAG_DATETIME, ACQUISITION_DATE, time_coverage_start, ….
void add_metadata_times(GDALDataset& d, base::json::array& times);

}  // namespace gdalmcp::worker
