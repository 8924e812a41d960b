#include "gdal_band_report.hpp"

#include <gdalmcp/gdal_class_names.hpp>
#include <gdalmcp/gdal_kind.hpp>

#include <cmath>

#include "datasets/gdal_band_label.hpp"
#include "datasets/gdal_raster_source.hpp"
#include "gdal_amounts.hpp"
#include "gdal_undeclared_nodata.hpp"
#include "value_census.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;
using namespace band_fields;

places::places(const grid& g) : grid_{g} {
    if (!g.crs.IsGeographic() && g.georeferenced) to_wgs84_ = gdal::to_wgs84(g.crs);
}

void places::put(gdalmcp::place at, const cell_place& p) const {
    at.put(place_column, p.column);
    at.put(place_row, p.row);
    if (!grid_.georeferenced) return;
    const auto& g = grid_.geotransform;
    const double column = static_cast<double>(p.column) + 0.5, row = static_cast<double>(p.row) + 0.5;
    double x = g[0] + column * g[1] + row * g[2], y = g[3] + column * g[4] + row * g[5];
    at.put(place_x, x);
    at.put(place_y, y);
    const gdal::quiet silence;
    if (!to_wgs84_ || !to_wgs84_->Transform(1, &x, &y)) return;
    at.put(place_longitude, std::round(x * 1e7) / 1e7);  // a centimetre
    at.put(place_latitude, std::round(y * 1e7) / 1e7);
}

namespace {

constexpr std::size_t max_rows = 64;  // of classes
constexpr double max_value_bins = 256;

void warn_of_values(gdalmcp::call& call, const measured_band& b) {
    const auto& s = *b.s;
    if (s.counts().valid == 0) {
        call.warn(b.name() + " has no valid cell here: there is nothing to measure, which is not the same as 0");
        return;
    }
    bool said = false, may_stand_apart = false;
    for (const auto& [v, cells] : {std::pair{s.min(), s.cells_at_min()}, {s.max(), s.cells_at_max()}}) {
        if (cells * 1000 <= s.counts().valid) continue;
        may_stand_apart = may_stand_apart || gdalmcp::possible_nodata(v);
        if (!gdalmcp::customary_nodata(v)) continue;
        said = true;
        call.warn(b.name() + ": " + std::to_string(cells) + " cells are " + gdal::number_text(v) +
                  ", which looks like an undeclared nodata value; they are in the figures");
    }
    if (may_stand_apart && !said && !b.counted)
        warn_of_undeclared_nodata(call, b.band->GetDataset()->GetDescription(), *b.band);
    if (b.declared_classes) {
        call.warn(b.name() + " holds class codes: its mean, std, median, sum and percentiles mean nothing; use " +
                  (b.counted && !s.no_classes() ? "'classes' of this result"
                                                : "raster_stats with \"classes\": true, which counts cells and areas"));
        return;
    }
    if (gdalmcp_datasets::is_alpha(*b.band))
        call.warn(b.name() + " is the alpha band: its figures are of the transparency of the others");
    const auto declared = gdal::declared_kind(gdal::signs_of(*b.band, false));
    if (declared && declared->kind == gdal::value_kind::qa_bits && !b.counted)
        call.warn(
            b.name() + " holds flags in bits (" + declared->why +
            "): its mean, std, median, sum and percentiles mean nothing; raster_stats with \"classes\": true counts "
            "the codes");
    warn_of_no_mean(call, b.name(), *b.band);
    if (!std::isfinite(s.sum()) || !std::isfinite(s.std()) || !std::isfinite(s.mean()))
        call.warn(b.name() + ": its sum, mean or std is beyond what a double holds, and absent");
    constexpr double exact = 9007199254740992;  // 2^53
    if (const auto kind = b.type; (kind == cell_type::int64 || kind == cell_type::uint64) &&
                                  std::max(std::abs(s.min()), std::abs(s.max())) >= exact)
        call.warn(b.name() + " holds whole numbers beyond 2^53, which are told as the nearest double");
    if (!b.counted) warn_of_likely_codes(call, b.name(), *b.band, s.min(), s.max());
}

void put_histogram(gdalmcp::place& at, const statistics& s, bool values, double a, double b) {
    auto counts = s.histogram();
    const auto shown = [&](double stored) { return stored * a + b; };
    if (a < 0) std::reverse(counts.begin(), counts.end());
    auto in = at.at(histogram);
    in.put(bin_kind, std::string{values ? "values" : "equal"});
    if (values) {
        std::vector<double> each;
        for (std::size_t i = 0; i < counts.size(); ++i)
            each.push_back(shown(a < 0 ? s.max() - static_cast<double>(i) : s.min() + static_cast<double>(i)));
        in.put(bin_values, each);
    }
    in.put(bin_min, shown(a < 0 ? s.max() : s.min()));
    in.put(bin_max, shown(a < 0 ? s.min() : s.max()));
    in.put(bin_counts, counts);
}

bool per_value(const measured_band& b, std::int64_t bins) {
    const double values = b.s->max() - b.s->min() + 1;
    return whole(b.type) && values <= std::max(static_cast<double>(bins), b.declared_classes ? max_value_bins : 0);
}

// enlarged: cells there are for each that was read.
void put_figures(gdalmcp::place& at, const measured_band& m, const report_wish& wish, const places& where,
                 double enlarged) {
    const auto& s = *m.s;
    const double a = m.band->GetScale(), b = m.band->GetOffset();
    const auto shown = [&](double stored) { return stored * a + b; };
    at.put(min, shown(a < 0 ? s.max() : s.min()));
    where.put(at.at(min_at), a < 0 ? s.max_place() : s.min_place());
    at.put(max, shown(a < 0 ? s.min() : s.max()));
    where.put(at.at(max_at), a < 0 ? s.min_place() : s.max_place());
    const auto put_finite = [&](const auto& figure, double v) {
        if (std::isfinite(v)) at.put(figure, v);
    };
    put_finite(mean, shown(s.mean()));
    put_finite(std_field, std::abs(a) * s.std());
    put_finite(sum, (a * s.sum() + b * static_cast<double>(s.counts().valid)) * enlarged);
    const auto percentile = [&](double p) { return shown(s.percentile(a < 0 ? 100 - p : p)); };
    std::string all;
    for (const double p : wish.percentiles)
        all += (all.empty() ? "" : ",") + gdal::json_quote(gdal::number_text(p)) + ":" +
               (std::isfinite(percentile(p)) ? gdal::number_text(percentile(p)) : "null");
    if (!all.empty()) {
        put_finite(median, percentile(50));
        at.put(percentile_values, {"{" + all + "}"});
    }
    if (wish.bins) put_histogram(at, *m.s, per_value(m, *wish.bins), a, b);
}

void put_classes(gdalmcp::place& at, const measured_band& m, const report_wish& asked, double enlarged) {
    const auto& wish = asked.classes;
    const auto& found = m.s->classes();
    std::vector<std::pair<std::int64_t, class_size>> rows{found.begin(), found.end()};
    if (!wish.codes.empty()) {
        rows.clear();
        for (const auto code : wish.codes)
            rows.emplace_back(code, found.contains(code) ? found.at(code) : class_size{});
    } else if (rows.size() > max_rows) {
        std::stable_sort(rows.begin(), rows.end(),
                         [](const auto& x, const auto& y) { return x.second.count > y.second.count; });
        rows.resize(max_rows);
        std::sort(rows.begin(), rows.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    }
    const gdalmcp::gdal::class_names names{*m.band};
    at.begin(class_table);
    for (const auto& [code, size] : rows) {
        auto row = at.add(class_table);
        row.put(class_value, code);
        if (const auto name = names.of(code); !name.empty()) row.put(class_name, name);
        row.put(class_count, static_cast<std::int64_t>(std::llround(static_cast<double>(size.count) * enlarged)));
        const auto valid = static_cast<double>(m.s->counts().valid);
        row.put(class_share, valid > 0 ? gdalmcp::significant(static_cast<double>(size.count) / valid, 6) : 0);
        if (!asked.with_areas) continue;
        row.put(class_area, size.area * enlarged);
        row.put(class_hectares, gdalmcp::significant(size.area * enlarged / 10'000, 6));
    }
    at.put(class_total, static_cast<std::int64_t>(found.size()));
    if (wish.codes.empty() && found.size() > rows.size()) at.put(classes_truncated, true);
}

// Requested codes that do not occur may belong to another classification.
void warn_of_absent(gdalmcp::call& call, const measured_band& m, const std::vector<std::int64_t>& asked) {
    const auto& found = m.s->classes();
    const auto listed = [](const auto& codes) {
        std::string s;
        std::size_t n = 0;
        for (const auto code : codes)
            if (++n <= 20) s += (n > 1 ? ", " : "") + std::to_string(code);
        return s + (n > 20 ? ", …" : "");
    };
    std::vector<std::int64_t> absent, present;
    for (const auto code : asked)
        if (!found.contains(code)) absent.push_back(code);
    for (const auto& [code, size] : found) present.push_back(code);
    if (!absent.empty())
        call.warn(m.name() + ": no cell here has the code " + listed(absent) + "; the codes present are " +
                  listed(present));
}

}  // namespace

std::size_t bins_of(const measured_band& b, std::int64_t asked) {
    return per_value(b, asked) ? static_cast<std::size_t>(b.s->max() - b.s->min() + 1)
                               : static_cast<std::size_t>(asked);
}

void put_band(gdalmcp::call& call, const measured_band& m, const report_wish& wish, const places& where) {
    auto at = call.add(band_table);
    const auto& c = m.s->counts();
    const double a = m.band->GetScale(), b = m.band->GetOffset();
    at.put(index, m.band->GetBand());
    if (const auto name = band_label(*m.band); !name.empty()) at.put(description, name);
    if (*m.band->GetUnitType()) at.put(unit, std::string{m.band->GetUnitType()});
    at.put(valid_count, c.valid);
    at.put(nodata_count, c.nodata);
    if (!whole(m.type)) {
        at.put(nan_count, c.nan);
        at.put(infinite_count, c.infinite);
    }
    if (a != 1) at.put(scale, a);
    if (b != 0) at.put(offset, b);
    at.put(approximate, wish.sampled);
    const auto seen = c.valid + c.nodata + c.nan + c.infinite;
    const double enlarged = seen > 0 ? static_cast<double>(wish.selected) / static_cast<double>(seen) : 1;
    if (wish.sampled)
        call.warn(m.name() + ": " + std::to_string(seen) + " of " + std::to_string(wish.selected) +
                  " cells were read; sum, and counts and areas of classes, are estimates of the whole, other counts "
                  "those of the cells read");
    if (c.valid > 0) put_figures(at, m, wish, where, enlarged);
    if (m.counted && !m.s->no_classes()) {
        warn_of_absent(call, m, wish.classes.codes);
        put_classes(at, m, wish, enlarged);
    } else if (m.counted)
        call.warn(m.name() + " has no classes: its values are not all whole numbers, or more than " +
                  std::to_string(statistics::max_classes) + " different ones; use 'histogram_bins'");
    if (a != 1 || b != 0)
        call.say(m.name() + ": scale " + gdal::number_text(a) + " and offset " + gdal::number_text(b) +
                 " were applied");
    warn_of_values(call, m);
}

}  // namespace gdalmcp_raster
