// gdal_zone_table.hpp — the result of aggregate_zonal as a file.
#pragma once
#include "gdal_zones.hpp"
#include "zone_result.hpp"

namespace gdalmcp_aggregation {

// CSV, or a GeoPackage layer with the zones' outlines: one row per zone and band.
class zone_table {
public:
    // classes: of all zones, by value; each has the columns frac_<value> and area_m2_<value>. with_areas: of classes.
    zone_table(const std::string& path, const zone_layer& zones, const value_raster& values, const sweep_request& asked,
               std::vector<double> classes, bool with_areas);

    bool with_outlines() const { return with_outlines_; }
    // found: null for a zone with a problem. outline: written only to a GeoPackage; may be empty.
    void add(const zone_result& z, int band, const band_result* found, const OGRGeometry* outline);
    void close();
    std::size_t rows() const { return rows_; }

    static bool has_outlines(const std::string& path);  // fails the call if the extension is neither

private:
    // The columns of one statistic, and their values in a zone; none of frac.
    std::vector<std::string> columns_of(statistic s) const;
    std::vector<double> values_of(const band_result& found, std::size_t i) const;

    std::string path_;
    gdalmcp::gdal::dataset_ptr file_;
    OGRLayer* layer_ = nullptr;
    const value_raster& values_;
    const sweep_request& asked_;
    std::vector<double> classes_;
    bool with_areas_, with_outlines_;
    std::size_t rows_ = 0;
};

}  // namespace gdalmcp_aggregation
