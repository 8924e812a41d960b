// gdal_class_table.hpp — the result of aggregate_classes as a file.
#pragma once
#include "class_report.hpp"

namespace gdalmcp_aggregation {

// CSV, or a GeoPackage layer with the outlines of the zones: a row for each class of a zone, then one for the other
// classes, where only some were asked for, and one for what has no data. The areas of a zone's rows add up to its area
// on the raster.
class class_table {
public:
    // labels: names of the zones' labels. named: whether zones have ids.
    class_table(const std::string& path, const class_naming& names, const std::vector<std::string>& labels, bool named,
                bool with_areas, const OGRSpatialReference& crs);

    bool with_outlines() const { return with_outlines_; }
    // outline: of the zone; written only to a GeoPackage; may be nullptr.
    void add(const tallied_zone& z, const OGRGeometry* outline);
    void close();
    std::size_t rows() const { return rows_; }

private:
    struct row {
        std::string name;
        class_code code;
        class_extent extent;
        std::optional<double> share;
    };
    std::vector<row> rows_of(const class_tally& tally) const;
    void write(const tallied_zone& z, const row* r, const OGRGeometry* outline);

    std::string path_;
    gdalmcp::gdal::dataset_ptr file_;
    OGRLayer* layer_ = nullptr;
    const class_naming& names_;
    bool named_, with_areas_, with_outlines_;
    std::size_t rows_ = 0;
};

}  // namespace gdalmcp_aggregation
