#include "gdal_zone_table.hpp"

#include <algorithm>
#include <cmath>

#include "datasets/gdal_output.hpp"

namespace gdalmcp_aggregation {

bool zone_table::has_outlines(const std::string& path) {
    const std::string extension = CPLGetExtension(path.c_str());
    if (EQUAL(extension.c_str(), "gpkg")) return true;
    if (EQUAL(extension.c_str(), "csv")) return false;
    throw gdalmcp::error{GDALMCP_UNSUPPORTED, "a table of zones is not written into a file named ." + extension,
                         "name the output .csv, or .gpkg to keep the zones' outlines"};
}

std::vector<std::string> zone_table::columns_of(statistic s) const {
    if (s == statistic::min_location) return {"min_x", "min_y"};
    if (s == statistic::max_location) return {"max_x", "max_y"};
    if (is_number(s)) return {std::string{name_of(s)}};
    std::vector<std::string> names;
    if (s == statistic::quantile)
        for (const double share : asked_.quantiles) names.push_back("quantile_" + gdalmcp::gdal::number_text(share));
    return names;
}

std::vector<double> zone_table::values_of(const band_result& found, std::size_t i) const {
    const auto s = asked_.wanted[i];
    if (s == statistic::frac) return {};
    if (is_number(s)) return {found.values[i]};
    if (s == statistic::quantile) return found.quantiles;
    const auto& at = s == statistic::min_location ? found.lowest : found.highest;
    constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
    return at ? values_.centre_of(at->row, at->column) : std::vector<double>{undefined, undefined};
}

zone_table::zone_table(const std::string& path, const zone_layer& zones, const value_raster& values,
                       const sweep_request& asked, std::vector<double> classes, bool with_areas)
    : path_{path},
      values_{values},
      asked_{asked},
      classes_{std::move(classes)},
      with_areas_{with_areas},
      with_outlines_{has_outlines(path)} {
    file_ = gdalmcp_datasets::create_vector(path, with_outlines_ ? "GPKG" : "CSV");
    OGRSpatialReference crs{zones.crs()};
    layer_ = with_outlines_ ? file_->CreateLayer("zonal_statistics", crs.IsEmpty() ? nullptr : &crs, wkbUnknown)
                            : &gdalmcp_datasets::create_table(*file_, path, "zonal_statistics", true);
    if (!layer_) gdalmcp::gdal::raise("cannot create " + path);
    const auto add = [&](const std::string& name, OGRFieldType type) {
        OGRFieldDefn field{name.c_str(), type};
        if (layer_->CreateField(&field) != OGRERR_NONE)
            gdalmcp::gdal::raise("cannot add the column " + name + " to " + path_);
    };
    add("zone", OFTString);
    for (const auto& label : zones.label_fields()) add("label_" + label, OFTString);
    // GDAL's CSV driver quotes whole-number columns as if they were text, but not real ones.
    const auto whole = with_outlines_ ? OFTInteger64 : OFTReal;
    add("band", whole);
    add("area_m2", OFTReal);
    add("cells", whole);
    add("data_share", OFTReal);
    add("nodata_count", OFTReal);
    for (const auto s : asked_.wanted)
        for (const auto& name : columns_of(s)) add(name, OFTReal);
    for (const auto c : classes_) add("frac_" + gdalmcp::gdal::number_text(c), OFTReal);
    for (const auto c : classes_)
        if (with_areas_) add("area_m2_" + gdalmcp::gdal::number_text(c), OFTReal);
    add("problem", OFTString);
}

void zone_table::add(const zone_result& z, int band, const band_result* found, const OGRGeometry* outline) {
    OGRFeature row{layer_->GetLayerDefn()};
    int field = 0;
    const auto set = [&](std::optional<double> value) {
        if (value && std::isfinite(*value)) row.SetField(field, *value);
        ++field;
    };
    row.SetField(field++, z.id.c_str());
    for (const auto& label : z.labels) row.SetField(field++, label.c_str());
    row.SetField(field++, band);
    set(z.area);
    if (found) {
        row.SetField(field++, static_cast<GIntBig>(found->cells));
        set(z.data_share(*found));
        set(found->nodata);
        for (std::size_t i = 0; i < asked_.wanted.size(); ++i)
            for (const double value : values_of(*found, i)) set(value);
        // A class that a zone does not hold has a share of 0, unless the zone has no data at all.
        std::vector<double> shares, areas;
        for (const auto c : classes_) {
            const auto at = std::find_if(found->classes.begin(), found->classes.end(),
                                         [&](const value_share& v) { return v.value == c; });
            shares.push_back(at == found->classes.end() ? 0 : at->cells / found->count);
            areas.push_back(at == found->classes.end() ? 0 : at->area);
        }
        for (const auto share : shares) set(found->cells ? std::optional{share} : std::nullopt);
        if (with_areas_)
            for (const auto area : areas) set(found->cells ? std::optional{area} : std::nullopt);
    }
    field = layer_->GetLayerDefn()->GetFieldCount() - 1;
    if (!z.problem.empty()) row.SetField(field, z.problem.c_str());
    if (with_outlines_ && outline) row.SetGeometry(outline);
    if (layer_->CreateFeature(&row) != OGRERR_NONE) gdalmcp::gdal::raise("cannot write a row to " + path_);
    ++rows_;
}

void zone_table::close() { gdalmcp_datasets::close_vector(std::move(file_), path_); }

}  // namespace gdalmcp_aggregation
