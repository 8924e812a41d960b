#include "gdal_quality.hpp"

#include "datasets/gdal_raster_source.hpp"
#include "gdal_dates.hpp"

namespace gdalmcp_temporal {

using gdalmcp::error;

quality_bands::quality_bands(const quality_request& asked, const observation_set& observed,
                             const std::function<void(const std::string&)>& say)
    : own_{asked.rasters.empty()} {
    if (asked.bits.empty() && asked.values.empty())
        throw error{GDALMCP_INVALID_ARGUMENT, "'mask' names neither 'bits' nor 'values', so it excludes nothing",
                    R"(give {"band": 5, "bits": [3, 4]}, or "values": [8, 9])"};
    for (const auto b : asked.bits) rule_.bits |= std::uint64_t{1} << b;
    rule_.values = asked.values;
    if (own_) {
        if (!asked.band)
            throw error{GDALMCP_INVALID_ARGUMENT, "'mask' names neither 'band' nor 'uris'",
                        "say which band of each raster holds the quality, or which rasters do"};
        if (observed.stack)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "'band' of 'mask' is " + std::to_string(*asked.band) + ", but the bands of " +
                            observed.files.front().path + " are the observations",
                        "give the stack of quality bands as 'uris' of 'mask'"};
        band_ = *asked.band;
    } else {
        std::optional<std::vector<std::int64_t>> bands;
        if (asked.band) bands = {*asked.band};
        set_ = open_observations({asked.rasters, {}, bands, {}, false, true});
        pair(observed, say);
    }
    require_bits(observed, asked.bits);
}

void quality_bands::pair(const observation_set& observed, const std::function<void(const std::string&)>& say) const {
    for (const auto& o : set_.all)
        if (o.bands.size() > 1)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        set_.name(o) + " of 'mask' has " + std::to_string(o.bands.size()) + " bands, and none is named",
                        "name the quality band as 'band' of 'mask'"};
    if (set_.all.size() == 1) {
        const auto& file = set_.files.front();
        observation one;
        one.bands = set_.all.front().bands;
        date_file(*file.dataset, file.path, one);
        if (one.date && one.doubt.empty() && observed.all.size() > 1)
            say("the quality raster " + file.path + " is of " + one.date->text +
                " and excludes the same cells from all " + std::to_string(observed.all.size()) +
                " observations: 'uris' of 'mask' takes one for each");
        return;
    }
    if (set_.all.size() != observed.all.size())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'mask' has " + std::to_string(set_.all.size()) + " quality rasters for " +
                        std::to_string(observed.all.size()) + " observations",
                    set_.files.size() < set_.all.size()
                        ? "name the quality band as 'band' of 'mask'; files without it count by their bands"
                        : "give one for each, in the same order, or one for all"};
    std::size_t unsure = 0;
    for (std::size_t i = 0; i < set_.all.size(); ++i) {
        const auto &a = observed.all[i], &b = set_.all[i];
        if (!a.date || !b.date || !a.doubt.empty() || !b.doubt.empty()) {
            ++unsure;
            continue;
        }
        if (!same_date(*a.date, *b.date))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        observed.name(a) + " is of " + a.date->text + ", its quality raster " + set_.name(b) + " of " +
                            b.date->text,
                        "give the 'uris' of 'mask' in the order of the rasters"};
    }
    if (unsure > 0)
        say(std::to_string(unsure) + " quality rasters are paired with rasters by their order alone, the first being " +
            set_.name(set_.all.front()) + " with " + observed.name(observed.all.front()));
}

void quality_bands::require_bits(const observation_set& observed, const std::vector<std::int64_t>& bits) const {
    const auto& from = own_ ? observed : set_;
    for (const auto& f : from.files) {
        const int n = own_ ? band_ : from.all.front().bands.front();
        gdalmcp_datasets::require_band(f.path, f.dataset->GetRasterCount(), n);
        auto& band = *f.dataset->GetRasterBand(n);
        gdalmcp_datasets::require_real(band);
        const auto type = band.GetRasterDataType();
        const int size = GDALGetDataTypeSizeBits(type);
        for (const auto b : bits)
            if (!gdalmcp_datasets::whole_numbers(type) || b >= size)
                throw error{GDALMCP_INVALID_ARGUMENT,
                            "'bits' names bit " + std::to_string(b) + ", but band " + std::to_string(n) + " of " +
                                f.path + " is " + gdalmcp_datasets::dtype_name(type),
                            "bits count from 0, the least significant, and belong to whole numbers; for codes give "
                            "'values'"};
    }
}

GDALRasterBand& quality_bands::of(const observation_set& observed, const observation& o) const {
    if (own_) return *observed.files[o.file].common().GetRasterBand(band_);
    return set_.band(own_of(o), 0);
}

const std::string& quality_bands::path_of(const observation_set& observed, const observation& o) const {
    return own_ ? observed.files[o.file].path : set_.files[own_of(o).file].path;
}

// One raster counts for all observations, else they are in the order given.
const observation& quality_bands::own_of(const observation& observed) const {
    return set_.all[set_.all.size() == 1 ? 0 : observed.given];
}

std::string quality_bands::text(const observation_set& observed) const {
    std::string bits, values;
    for (int b = 0; b < 64; ++b)
        if (rule_.bits >> b & 1) bits += (bits.empty() ? "bits " : ", ") + std::to_string(b);
    for (const double v : rule_.values) values += (values.empty() ? "values " : ", ") + gdalmcp::gdal::number_text(v);
    const auto& from = own_ ? observed : set_;
    const int band = own_ ? band_ : from.all.front().bands.front();
    const auto others = (from.stack ? from.all.size() : from.files.size()) - 1;
    return bits + (bits.empty() || values.empty() ? "" : " or ") + values + " in band " + std::to_string(band) +
           " of " + from.files.front().path + (others > 0 ? " and " + std::to_string(others) + " others" : "");
}

}  // namespace gdalmcp_temporal
