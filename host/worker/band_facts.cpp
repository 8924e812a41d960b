#include "worker/band_facts.hpp"

#include <gdalmcp/gdal_kind.hpp>

#include "worker/value_tails.hpp"

namespace gdalmcp::worker {

namespace json = base::json;

namespace {

constexpr int most_sampled = 16;                // bands
constexpr std::int64_t most_decoded = 500'000;  // cells of all bands: two or three milliseconds
constexpr std::size_t most_kept = 4096;         // values of a band

struct look {
    gdal::neighbourhood neighbours;
    value_tails tails;
    std::size_t cells = 0, without_data = 0;
    bool complete = false;
};

look look_at(GDALRasterBand& band, const gdal::sample_grid& g, bool guess) {
    const auto all =
        static_cast<std::size_t>(g.width) * static_cast<std::size_t>(g.height) * g.columns.size() * g.rows.size();
    look l{{}, value_tails{std::max<std::size_t>(1, all / most_kept)}};
    l.complete = gdal::each_sample(band, g, [&](const gdal::sampled_cells& c, std::size_t columns) {
        if (guess) l.neighbours.see(c.values, c.valid, columns);
        l.tails.see(c.values, c.valid);
        l.cells += c.values.size();
        for (std::size_t i = 0; i < c.values.size(); ++i) l.without_data += !c.valid[i] || std::isnan(c.values[i]);
        return true;
    });
    return l;
}

gdal::band_kind kind_of(const std::optional<gdal::band_kind>& declared, const std::optional<look>& l,
                        const gdal::band_signs& signs) {
    using gdal::value_kind;
    if (declared) return *declared;
    if (!l)
        return {value_kind::unknown, false, "only the first " + std::to_string(most_sampled) + " bands are looked at"};
    if (!l->complete) return {value_kind::unknown, false, "its cells cannot be read"};
    return gdal::guessed_kind(l->neighbours, signs);
}

json::object facts_of(GDALRasterBand& band, bool vertical_crs, std::int64_t most_cells) {
    json::object o{{"dtype", gdal::stored_type_name(band)},
                   {"palette", band.GetColorTable() != nullptr},
                   {"unit", band.GetUnitType()},
                   {"name", band.GetDescription()},
                   {"color_interpretation", GDALGetColorInterpretationName(band.GetColorInterpretation())}};
    int has_nodata = 0;
    const double nodata = band.GetNoDataValue(&has_nodata);
    if (has_nodata && std::isfinite(nodata))
        o["nodata"] = nodata;
    else if (has_nodata)
        o["nodata"] = std::isnan(nodata) ? "nan" : nodata > 0 ? "inf" : "-inf";  // JSON has no such numbers
    const auto signs = gdal::signs_of(band, vertical_crs);
    const auto declared = gdal::declared_kind(signs);
    const bool numbers = !GDALDataTypeIsComplex(band.GetRasterDataType());
    std::optional<look> l;
    if (band.GetBand() <= most_sampled && numbers) l = look_at(band, gdal::sample_of(band, most_cells), !declared);
    const auto kind = kind_of(declared, l, signs);
    o["kind"] = gdal::name_of(kind.kind);
    o["kind_certain"] = kind.certain;
    o["kind_why"] = kind.why;
    if (!l || !l->complete) return o;
    if (!(band.GetMaskFlags() & GMF_ALL_VALID) && l->cells > 0)
        o["nodata_share"] = static_cast<double>(l->without_data) / static_cast<double>(l->cells);
    else if (const auto s = l->tails.suspected())
        o["nodata_suspected"] = json::object{{"value", s->value}, {"share", s->share}};
    return o;
}

}  // namespace

json::array band_facts(GDALDataset& d, bool vertical_crs) {
    const auto each = most_decoded / std::clamp(d.GetRasterCount(), 1, most_sampled);
    json::array all;
    for (auto&& band : d.GetBands()) all.push_back(facts_of(*band, vertical_crs, each));
    return all;
}

}  // namespace gdalmcp::worker
