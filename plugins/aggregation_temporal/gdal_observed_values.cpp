#include "gdal_observed_values.hpp"

#include <gdalmcp/gdal_kind.hpp>

#include <algorithm>

#include "gdal_observation_arguments.hpp"
#include "raster/gdal_undeclared_nodata.hpp"

namespace gdalmcp_temporal {

namespace gdal = gdalmcp::gdal;

namespace {

// The values that the mask takes out of the rasters themselves.
std::vector<double> masked_in_rasters(gdalmcp::call& call) {
    if (!call.given(mask)) return {};
    const auto of_mask = call[mask];
    const auto rasters = call[uris];
    const auto own = of_mask[mask_uris].value_or(std::vector<gdalmcp::raster>{});
    const bool themselves = std::equal(own.begin(), own.end(), rasters.begin(), rasters.end(),
                                       [](const auto& a, const auto& b) { return a.path == b.path; });
    return themselves ? of_mask[mask_values].value_or(std::vector<double>{}) : std::vector<double>{};
}

enum class meaning { unsure, measurements, codes, angles };

struct held_values {
    meaning what = meaning::unsure;
    bool declared = false;  // not shown by the cells alone
    std::string why;

    std::string text() const {
        const char* name = what == meaning::codes ? "codes" : what == meaning::angles ? "angles" : "measurements";
        return (declared ? "holds " : "looks like ") + std::string{name} + " (" + why + ")";
    }
};

meaning meaning_of(const gdal::band_kind& k) {
    switch (k.kind) {
        case gdal::value_kind::classes:
        case gdal::value_kind::qa_bits:
            return meaning::codes;
        case gdal::value_kind::angle:
            return meaning::angles;
        default:
            return k.certain ? meaning::measurements : meaning::unsure;
    }
}

held_values values_of(GDALRasterBand& band) {
    const auto declared = gdal::declared_kind(gdal::signs_of(band, false));
    const auto kind = gdal::settles(declared) ? *declared : gdal::kind_of(band);
    const auto what = meaning_of(kind);
    return {what, gdal::settles(declared) || what == meaning::measurements, kind.why};
}

// Of band i of the rasters.
void warn_of_band(gdalmcp::call& call, const observation_set& set, std::size_t i, const use_of_values& use) {
    std::vector<held_values> all;
    for (const auto& o : set.all) all.push_back(values_of(set.own_band(o, i)));
    const auto name = [&](std::size_t k) {
        const auto& o = set.all[k];
        return "band " + std::to_string(o.bands[i]) + " of " + set.files[o.file].path + " ";
    };
    const auto sure = [](const held_values& v) { return v.what != meaning::unsure; };
    const auto first = std::find_if(all.begin(), all.end(), sure);
    if (first == all.end()) return;
    const auto other = std::find_if(first, all.end(), [&](const auto& v) { return sure(v) && v.what != first->what; });
    const auto at = [&](auto found) { return name(static_cast<std::size_t>(found - all.begin())); };
    if (other != all.end()) {
        call.warn(at(first) + first->text() + ", but " + at(other) + other->text() +
                  ": values of different kinds cannot be combined; give rasters of one kind");
        return;
    }
    const auto no_quantity = [](const held_values& v) { return v.what == meaning::codes || v.what == meaning::angles; };
    auto named = std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.declared && no_quantity(v); });
    if (named == all.end()) named = std::find_if(all.begin(), all.end(), no_quantity);
    if (use.arithmetic && named != all.end())
        call.warn(at(named) + named->text() + ": " + (named->declared ? "" : "if so, ") + use.means_nothing);
}

}  // namespace

void warn_of_undeclared_nodata(gdalmcp::call& call, const observation_set& set) {
    std::vector<gdalmcp_raster::band_at_path> bands;
    for (const auto& o : set.all)
        for (std::size_t i = 0; i < o.bands.size(); ++i) bands.push_back({set.files[o.file].path, &set.own_band(o, i)});
    gdalmcp_raster::warn_of_undeclared_nodata(call, bands, masked_in_rasters(call));
}

void warn_of_kinds(gdalmcp::call& call, const observation_set& set, const use_of_values& use) {
    for (std::size_t i = 0; i < set.all.front().bands.size(); ++i) warn_of_band(call, set, i, use);
}

}  // namespace gdalmcp_temporal
