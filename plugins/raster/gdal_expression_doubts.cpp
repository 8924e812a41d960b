#include "gdal_expression_doubts.hpp"

#include <gdalmcp/gdal_kind.hpp>

#include <cmath>

#include "datasets/gdal_height_unit.hpp"
#include "datasets/gdal_raster_source.hpp"
#include "gdal_amounts.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

namespace {

std::optional<gdal::band_kind> kind_declared_by(GDALRasterBand& band) {
    return gdal::declared_kind(gdal::signs_of(band, false));
}

bool is_in_radians(GDALRasterBand& band) {
    return gdal::detail::lower(band.GetUnitType()).find("rad") != std::string::npos;
}

// Sums and products of masks count and select cells.
bool holds_a_mask(GDALRasterBand& band) {
    bool mask = true;
    gdal::each_sample(band, gdal::sample_of(band, 1'000'000), [&](const gdal::sampled_cells& c, std::size_t) {
        for (std::size_t i = 0; i < c.values.size() && mask; ++i)
            mask = !c.valid[i] || c.values[i] == 0 || c.values[i] == 1;
        return mask;
    });
    return mask;
}

bool is_scaled(GDALRasterBand& band) { return band.GetScale() != 1 || band.GetOffset() != 0; }

void warn_of_codes(gdalmcp::call& call, const expression_input& in) {
    const auto kind = kind_declared_by(in.band);
    if (!kind || (kind->kind != gdal::value_kind::classes && kind->kind != gdal::value_kind::qa_bits)) return;
    if (holds_a_mask(in.band)) return;
    const bool bits = kind->kind == gdal::value_kind::qa_bits;
    call.warn("'" + in.name + "', " + in.path + ", holds " + (bits ? "quality bits" : "codes") + " (" + kind->why +
              "), with which arithmetic means nothing: " +
              (bits ? "take the bits with bit(" + in.name + ", n)"
                    : "compare them, or give each a value with where(" + in.name + " == code, value, …)"));
}

void warn_of_scale_twice(gdalmcp::call& call, const expression_input& in, const std::vector<double>& factors) {
    const double scale = in.band.GetScale();
    if (scale == 1) return;
    for (const double f : factors)
        if (std::abs(f / scale - 1) < 1e-6)
            call.warn("the scale of '" + in.name + "', " + gdal::number_text(scale) +
                      ", is applied already, and the expression multiplies by it again: leave the factor out");
}

void warn_of_pair(gdalmcp::call& call, const expression_input& a, const expression_input& b, bool modulo) {
    const std::string unit = a.band.GetUnitType(), other = b.band.GetUnitType();
    const std::string both = "'" + a.name + "' and '" + b.name + "'";
    if (!unit.empty() && !other.empty() && !gdalmcp_datasets::same_unit(unit, other))
        call.warn(both + " are in " + unit + " and " + other +
                  ", and the expression adds, subtracts or compares them as they are: convert one of them in it");
    else if (declares_angles(a.band) && declares_angles(b.band) && !modulo)
        call.warn(both +
                  " hold angles, and 359 and 1 are 2 degrees apart with a mean of 0: average their sin(rad(…)) "
                  "and cos(rad(…)), and take differences as mod(A - B + 540, 360) - 180");
    warn_of_one_scale(call, "'" + a.name + "'", a.band, "'" + b.name + "'", b.band);
}

}  // namespace

bool declares_angles(GDALRasterBand& band) {
    const auto kind = kind_declared_by(band);
    return kind && kind->kind == gdal::value_kind::angle;
}

void warn_of_one_scale(gdalmcp::call& call, const std::string& a, GDALRasterBand& of_a, const std::string& b,
                       GDALRasterBand& of_b) {
    if (is_scaled(of_a) == is_scaled(of_b)) return;
    const auto type = of_a.GetRasterDataType();
    if (type != of_b.GetRasterDataType() || !gdalmcp_datasets::whole_numbers(type)) return;
    auto& scaled = is_scaled(of_a) ? of_a : of_b;
    call.warn("of two bands of " + std::string{gdalmcp_datasets::dtype_name(type)} + ", " + (is_scaled(of_a) ? a : b) +
              " declares scale " + gdal::number_text(scaled.GetScale()) + " and offset " +
              gdal::number_text(scaled.GetOffset()) + ", which are applied, and " + (is_scaled(of_a) ? b : a) +
              " declares none: if its values are stored alike, apply them to it with raster_calc first");
}

void warn_of_expression(gdalmcp::call& call, const std::vector<expression_input>& all,
                        const gdalmcp_expressions::quantities& of) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& use = of.inputs[i];
        if (use.computed) warn_of_codes(call, all[i]);
        if (use.turned && declares_angles(all[i].band) && !is_in_radians(all[i].band))
            call.warn("'" + all[i].name + "' is in degrees, and sin, cos and tan take radians: give rad(" +
                      all[i].name + ")");
        warn_of_scale_twice(call, all[i], use.factors);
    }
    for (const auto& [a, b] : of.together) warn_of_pair(call, all[a], all[b], of.modulo);
    for (const auto& [a, b] : of.added)
        if (const std::string unit = all[a].band.GetUnitType();
            is_logarithm(unit) && gdalmcp_datasets::same_unit(unit, all[b].band.GetUnitType()))
            call.warn("'" + all[a].name + "' and '" + all[b].name + "' hold logarithms (unit " + unit +
                      "), whose sum or mean is not that of the amounts: make amounts of them first, 10 ^ (A / 10) of "
                      "dB, 10 ^ -A of pH");
}

}  // namespace gdalmcp_raster
