#include "worker/band_facts.hpp"

#include <gdalmcp/gdal_kind.hpp>
#include <gdalmcp/nodata_range.hpp>

#include "worker/undeclared_nodata.hpp"

namespace gdalmcp::worker {

namespace json = base::json;

namespace {

constexpr int max_sampled = 16;                // bands
constexpr std::int64_t max_decoded = 500'000;  // cells of all bands: two or three milliseconds
constexpr std::size_t max_kept = 4096;         // values of a band

struct sample {
    gdal::neighbourhood neighbours;
    undeclared_nodata tails;
    std::size_t cells = 0, without_data = 0;
    bool complete = false;
};

sample sampled(GDALRasterBand& band, const gdal::sample_grid& g, bool guess) {
    const auto all =
        static_cast<std::size_t>(g.width) * static_cast<std::size_t>(g.height) * g.columns.size() * g.rows.size();
    sample l{{}, undeclared_nodata{std::max<std::size_t>(1, all / max_kept)}};
    l.complete = gdal::each_sample(band, g, [&](const gdal::sampled_cells& c, std::size_t columns) {
        if (guess) l.neighbours.see(c.values, c.valid, columns);
        l.tails.see(c.values, c.valid);
        l.cells += c.values.size();
        for (std::size_t i = 0; i < c.values.size(); ++i) l.without_data += !c.valid[i] || std::isnan(c.values[i]);
        return true;
    });
    return l;
}

gdal::band_kind kind_of(const std::optional<gdal::band_kind>& declared, const std::optional<sample>& l,
                        const gdal::band_signs& signs, bool examined) {
    using gdal::value_kind;
    if (gdal::settles(declared)) return *declared;
    if (!examined)
        return {value_kind::unknown, false, "only the first " + std::to_string(max_sampled) + " bands are examined"};
    if (!l || !l->complete)
        return declared.value_or(gdal::band_kind{value_kind::unknown, false, "its cells cannot be read"});
    return gdal::settled_kind(declared, l->neighbours, signs);
}

json::object facts_of(GDALRasterBand& band, bool vertical_crs, std::int64_t max_cells) {
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
    std::optional<sample> l;
    const bool examined = band.GetBand() <= max_sampled;
    if (examined && numbers) l = sampled(band, gdal::sample_of(band, max_cells), !gdal::settles(declared));
    const auto kind = kind_of(declared, l, signs, examined);
    o["kind"] = gdal::name_of(kind.kind);
    o["kind_certain"] = kind.certain;
    o["kind_why"] = kind.why;
    o["may_be_codes"] = kind.few;
    if (!l || !l->complete) return o;
    const bool declares = !(band.GetMaskFlags() & GMF_ALL_VALID);
    if (declares && l->cells > 0)
        o["nodata_share"] = static_cast<double>(l->without_data) / static_cast<double>(l->cells);
    // Beside a declared one, the ends of unsigned types are data.
    const auto may_be_data = [](double v) { return v == 0 || v == 255 || v == 65535; };
    if (const auto s = l->tails.suspected(); s && !(declares && may_be_data(s->value)))
        o["nodata_suspected"] = json::object{{"value", s->value}, {"share", s->share}};
    return o;
}

}  // namespace

json::array band_facts(GDALDataset& d, bool vertical_crs) {
    const auto each = max_decoded / std::clamp(d.GetRasterCount(), 1, max_sampled);
    json::array all;
    for (auto&& band : d.GetBands()) all.push_back(facts_of(*band, vertical_crs, each));
    return all;
}

}  // namespace gdalmcp::worker
