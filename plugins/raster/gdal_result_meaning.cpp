#include "gdal_result_meaning.hpp"

#include <gdalmcp/gdal_kind.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include "datasets/gdal_height_unit.hpp"
#include "gdal_amounts.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;
using gdalmcp_datasets::same_unit;
using gdalmcp_expressions::origin;

namespace {

class judged_result {
public:
    judged_result(const std::vector<expression_input>& inputs, const origin& from) : inputs_{inputs}, from_{from} {
        for (const auto i : from.inputs) units_.push_back(inputs[i].band.GetUnitType());
        units_.insert(units_.end(), from.units.begin(), from.units.end());
    }
    // The unit of all it is made of, where it is one.
    std::string unit() const {
        if (!from_.turned_into.empty()) return turned() ? from_.turned_into : std::string{};
        const bool one =
            std::all_of(units_.begin(), units_.end(), [&](const auto& u) { return same_unit(units_.front(), u); });
        return one && !units_.empty() ? units_.front() : std::string{};
    }
    bool only_moved_within_its_unit() const {
        return from_.units.empty() && !from_.shifted && !from_.added && from_.times == 1 && from_.turned_into.empty();
    }
    bool is_logarithm_plus_constant() const {
        const bool by_definition = from_.inputs.empty();  // 10 * log10(A) + 10 * log10(B) is that of the product
        return is_logarithm(unit()) && from_.times == 1 && (!from_.added || by_definition);
    }
    bool are_totals() const {
        return from_.units.empty() && from_.turned_into.empty() && inputs_are(gdal::value_kind::count);
    }
    bool are_directions() const {
        constexpr const char* by_definition[] = {"degrees", "rad"};
        return !from_.added && from_.times == 1 && inputs_are(gdal::value_kind::angle) &&
               (from_.turned_into.empty() || turned()) &&
               std::all_of(from_.units.begin(), from_.units.end(),
                           [&](const auto& u) { return gdal::detail::among(u, by_definition); });
    }
    bool is_of_slope() const {
        return any_input([](GDALRasterBand& b) {
            return gdal::detail::lower(gdal::signs_of(b, false).name).find("slope") != std::string::npos;
        });
    }

private:
    // rad() of degrees, deg() of radians.
    bool turned() const {
        const bool into_radians = from_.turned_into == "rad";
        return std::all_of(units_.begin(), units_.end(), [&](const std::string& u) {
            return u.empty() || (gdal::detail::lower(u).rfind("rad", 0) == 0) != into_radians;
        });
    }
    bool any_input(const std::function<bool(GDALRasterBand&)>& is) const {
        return std::any_of(from_.inputs.begin(), from_.inputs.end(),
                           [&](std::size_t i) { return is(inputs_[i].band); });
    }
    bool inputs_are(gdal::value_kind kind) const {
        return !any_input([&](GDALRasterBand& b) {
            const auto declared = gdal::declared_kind(gdal::signs_of(b, false));
            return !declared || declared->kind != kind;
        });
    }

    const std::vector<expression_input>& inputs_;
    const origin& from_;
    std::vector<std::string> units_;
};

// Whether a factor is 1 / the area of a cell, in m2, ha or km2.
bool makes_density(double factor, const gdalmcp_datasets::grid& on) {
    if (!on.crs.IsProjected()) return false;
    const double side = on.crs.GetLinearUnits();
    const double cells = std::abs(factor) * on.cell_width() * on.cell_height() * side * side;
    constexpr double units[] = {1, 1e4, 1e6};  // m2
    return std::any_of(std::begin(units), std::end(units), [&](double u) { return std::abs(cells / u - 1) < 1e-6; });
}

}  // namespace

result_meaning meaning_of_result(const std::vector<expression_input>& inputs, const gdalmcp_expressions::quantities& of,
                                 const gdalmcp_datasets::grid& on) {
    if (!of.from || (of.from->inputs.empty() && of.from->units.empty())) return {};
    const judged_result result{inputs, *of.from};
    const auto unit = result.unit();
    if (result.are_totals()) {
        if (of.from->times == 1 && !unit.empty()) return {unit, {}};
        return {{}, makes_density(of.from->times, on) ? "" : "total: "};
    }
    if (result.are_directions()) return {unit, unit.empty() ? "azimuth: " : ""};
    // A constant turns dBm into dBW.
    if (result.is_logarithm_plus_constant()) return {of.from->shifted && unit.starts_with("dB") ? "dB" : unit, {}};
    if (!result.only_moved_within_its_unit()) return {};
    return {unit, !unit.empty() && result.is_of_slope() ? "slope: " : ""};
}

}  // namespace gdalmcp_raster
