// gdal_zones.hpp — rasters, zones and result tables on disk; the only file of this bundle that knows GDAL.
#pragma once
#include <gdalmcp/gdal_geometry.hpp>
#include <string>

#include "zone.hpp"
#include "zone_statistics.hpp"

namespace gdalmcp_aggregation {

// The values of one block of one band, row-major.
struct block_values {
    std::vector<double> value;         // scale and offset applied
    std::vector<unsigned char> valid;  // 0 where the file says nodata
};

// A raster whose bands are read block by block, in file order: row 0 is the file's first row.
class value_raster {
public:
    // Fails the call on a raster without geotransform, and on complex values.
    explicit value_raster(const gdalmcp::raster& source);

    const std::string& path() const { return path_; }
    const OGRSpatialReference& crs() const { return crs_; }  // empty when the raster has none
    OGREnvelope extent() const;                              // in crs()
    std::size_t rows() const { return static_cast<std::size_t>(file_->GetRasterYSize()); }
    std::size_t columns() const { return static_cast<std::size_t>(file_->GetRasterXSize()); }
    int bands() const { return file_->GetRasterCount(); }
    const std::array<double, 6>& geotransform() const { return geotransform_; }

    std::string band_name(int band) const;  // description, "" when it has none
    std::string band_unit(int band) const;
    bool is_scaled(int band) const;
    // Why the values of a band look like class codes; "" when they do not. Reads at most 512 x 512 cells.
    std::string class_evidence(int band) const;

    block_values read(int band, const window& block) const;

    // From the raster's CRS to grid coordinates (columns, rows).
    zone to_grid(const OGRGeometry& polygons) const;

    // Areas of the cells of each row in m², on the ellipsoid; empty unless the grid is geographic and not rotated.
    std::vector<double> row_areas() const;

    void require_same_grid(const value_raster& other) const;

private:
    std::string grid_text() const;

    std::string path_;
    gdalmcp::gdal::dataset_ptr file_;
    OGRSpatialReference crs_;
    std::array<double, 6> geotransform_{}, to_grid_{};
};

// Polygons of a layer, placed on a raster one after the other.
class zone_layer {
public:
    struct options {
        std::optional<std::string> layer, id_field;
        std::optional<gdalmcp::crs> crs;  // of zones that do not say theirs
        bool quick = false;  // outlines as their transformed vertices say, without densifying, and no true areas
    };

    struct placed_zone {
        std::string id;
        std::vector<std::string> labels;    // by label_fields()
        std::optional<double> area;         // m², true area of the whole zone
        std::string problem;                // why it has no outline; "" when it has one
        gdalmcp::gdal::geometry_ptr given;  // in crs()
        zone outline;                       // in grid coordinates
    };

    // Fails the call on an id that is missing or there twice, and where the CRSs cannot be brought together.
    zone_layer(const gdalmcp::vector& source, const options& chosen, const value_raster& raster);

    const OGRSpatialReference& crs() const { return crs_; }
    const std::string& id_field() const { return id_name_; }  // "FID" by default
    const std::vector<std::string>& label_fields() const { return label_names_; }
    std::size_t size() const { return size_; }
    std::string extent_text() const { return gdalmcp::gdal::extent_text(extent_, crs_); }
    std::vector<std::string> warnings() const;  // of the zones read so far

    // The next zone in the order of the layer; nothing after the last. Fails the call on a feature that is no polygon.
    std::optional<placed_zone> next();
    // Passes over this many zones without placing them.
    void skip(std::size_t zones);

private:
    void choose_fields(const std::optional<std::string>& id_field);
    void check_ids();
    void choose_crs(const std::optional<gdalmcp::crs>& given, bool inline_text);
    void place(const OGRGeometry& geometry, placed_zone& out);

    const value_raster& raster_;
    gdalmcp::gdal::dataset_ptr file_;
    OGRLayer* layer_ = nullptr;
    OGRSpatialReference crs_;
    OGREnvelope extent_;
    std::unique_ptr<OGRCoordinateTransformation> to_raster_;  // empty when the CRSs are the same
    bool geographic_raster_ = false, quick_ = false;
    int id_index_ = -1;
    std::string id_name_ = "FID";
    std::vector<int> label_indices_;
    std::vector<std::string> label_names_, warnings_;
    std::vector<std::string> wide_zones_;
    std::size_t size_ = 0;
};

// The result as a file: CSV, or a GeoPackage layer with the zones' outlines.
class zone_table {
public:
    zone_table(const std::string& path, const zone_layer& zones, const std::vector<statistic>& wanted);
    void add(const zone_layer::placed_zone& z, int band, const zone_statistics* found,
             const std::vector<statistic>& wanted, double data_share);
    void finish();
    std::size_t rows() const { return rows_; }

private:
    std::string path_;
    gdalmcp::gdal::dataset_ptr file_;
    OGRLayer* layer_ = nullptr;
    bool with_outlines_;
    std::size_t rows_ = 0;
};

}  // namespace gdalmcp_aggregation
