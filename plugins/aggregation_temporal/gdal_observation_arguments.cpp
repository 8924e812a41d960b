#include "gdal_observation_arguments.hpp"

#include <cpl_conv.h>

#include <algorithm>

namespace gdalmcp_temporal {

using gdalmcp::error;
namespace standard = gdalmcp::standard;

opened_observations open_observations_of(gdalmcp::call& call) {
    const bool masked = call.given(mask);
    const auto of_mask = call[mask];
    const auto own_rasters = masked ? of_mask[mask_uris] : std::nullopt;
    std::optional<int> band;
    if (masked && of_mask[mask_band]) band = static_cast<int>(*of_mask[mask_band]);
    opened_observations o;
    o.set = open_observations({call[uris], call[standard::subdataset], call[standard::bands],
                               own_rasters ? std::nullopt : band, call.given(dates)});
    if (const auto given = call[dates]) give_dates(o.set, *given);
    if (masked) {
        o.quality.emplace(quality_request{own_rasters.value_or(std::vector<gdalmcp::raster>{}), band,
                                          of_mask[mask_bits].value_or(std::vector<std::int64_t>{}),
                                          of_mask[mask_values].value_or(std::vector<double>{})},
                          o.set, [&](const std::string& text) { call.warn(text); });
    }
    if (o.set.all.size() < 2)
        throw error{GDALMCP_INVALID_ARGUMENT, "there is one observation only, " + o.set.name(o.set.all.front()),
                    "give rasters of two or more times, or a stack of bands"};
    return o;
}

alignment alignment_of(gdalmcp::call& call) {
    const auto asked = call[align];
    if (!asked) return alignment::none;
    return asked->value == "union" ? alignment::united : alignment::intersection;
}

void warn_of_doubtful_dates(gdalmcp::call& call, const observation_set& set) {
    const auto doubted = [](const observation& o) { return o.date && !o.doubt.empty(); };
    const auto found = std::find_if(set.all.begin(), set.all.end(), doubted);
    if (const auto more = std::count_if(set.all.begin(), set.all.end(), doubted) - 1; more >= 0)
        call.warn("date of " + set.name(*found) + ": " + found->doubt +
                  (more > 0 ? "; " + std::to_string(more) + " more dates are in doubt" : ""));
    const observation* first = nullptr;
    for (const auto& o : set.all) {
        if (!o.date || o.date_from != "file name" || o.date->known != observation_date::precision::year) continue;
        if (!o.doubt.empty()) continue;
        if (!first) first = &o;
        const auto name = [&](const observation& of) -> std::string {
            return CPLGetFilename(set.files[of.file].path.c_str());
        };
        if (beside_year(name(o)) == beside_year(name(*first))) continue;
        call.warn("the names " + name(*first) + " and " + name(o) +
                  " are read as years and differ in more: if the rest is part of a date, give 'dates'");
        return;
    }
}

void warn_of_quality(gdalmcp::call& call, const quality_bands& quality, const observation_set& set, double excluded,
                     double without_quality) {
    if (excluded == 0)
        call.warn("'mask' excluded no cell: none with a value has " + quality.text(set) +
                  "; check the codes with raster_stats or raster_info");
    if (without_quality > 0)
        call.warn(gdalmcp::gdal::number_text(without_quality) +
                  " values were taken out because their quality is nodata");
}

}  // namespace gdalmcp_temporal
