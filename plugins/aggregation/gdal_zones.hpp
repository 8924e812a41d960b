// gdal_zones.hpp — rasters and zones on disk.
#pragma once
#include <gdalmcp/gdal_cell_area.hpp>
#include <gdalmcp/gdal_class_names.hpp>
#include <gdalmcp/gdal_geometry.hpp>
#include <string>

#include "datasets/gdal_grid.hpp"
#include "datasets/gdal_raster_source.hpp"
#include "zonal_sweep.hpp"

namespace gdalmcp_aggregation {

// A raster whose bands are read block by block, in file order: row 0 is the file's first row.
class value_raster {
public:
    // Fails the call on a raster without geotransform, and on complex values.
    explicit value_raster(const gdalmcp::raster& source);

    const std::string& path() const { return path_; }
    const OGRSpatialReference& crs() const { return on_.crs; }  // empty when the raster has none
    OGREnvelope extent() const { return on_.extent(); }         // in crs()
    std::size_t rows() const { return static_cast<std::size_t>(file_->GetRasterYSize()); }
    std::size_t columns() const { return static_cast<std::size_t>(file_->GetRasterXSize()); }
    int bands() const { return file_->GetRasterCount(); }
    GDALRasterBand& band(int number) const { return *file_->GetRasterBand(number); }
    const gdalmcp_datasets::grid& on() const { return on_; }
    void require_band(std::int64_t band) const;  // fails the call if there is no band of that number
    const std::array<double, 6>& geotransform() const { return on_.geotransform; }
    std::vector<double> centre_of(std::size_t row, std::size_t column) const;  // x, y in crs()

    std::string band_name(int band) const;  // description, "" when it has none
    std::string band_unit(int band) const;
    bool is_scaled(int band) const;
    void tell_ignored_scale(gdalmcp::call& call, int band) const;  // see datasets/gdal_raster_source.hpp
    // Evidence that the values of a band are class codes; "" if they are not. Reads at most 512 x 512 cells.
    std::string class_evidence(int band) const;

    // Names of class codes: category names, else those of the attribute table; may be empty.
    gdalmcp::gdal::class_names class_names(int band) const;

    block_values read(int band, const window& block) const;
    window stored_block(int band) const;  // height and width of the blocks the file is stored in

    // From the raster's CRS to grid coordinates (columns, rows).
    zone to_grid(const OGRGeometry& polygons) const;

    // Areas of the cells of each row in m², on the ellipsoid; empty unless the grid is geographic and not rotated.
    std::vector<double> row_areas() const;

    void require_same_grid(const value_raster& other) const;

private:
    std::string path_;
    gdalmcp::gdal::dataset_ptr file_;
    gdalmcp_datasets::grid on_;
    std::array<double, 6> to_grid_{};
};

// Zones whose outline GEOS calls invalid: a zone with a problem, repaired, or an error that ends the call.
enum class invalid_zones { leave_out, repair, refuse };

// Polygons of a layer, placed on a raster one after the other.
class zone_layer {
public:
    struct options {
        std::optional<std::string> layer, id_field;
        std::optional<gdalmcp::crs> crs;  // of zones that declare none
        invalid_zones invalid = invalid_zones::leave_out;
        std::string crs_argument = "zones_crs";  // which gives `crs`, for messages
        bool quick = false;  // outlines from transformed vertices, without densifying, and no true areas
    };

    struct placed_zone {
        std::string id;
        std::vector<std::string> labels;  // by label_fields()
        std::optional<double> area;       // m², true area of the whole zone
        std::string problem;              // why it has no outline; "" if it has one
        std::int64_t fid = 0;
        zone outline;  // in grid coordinates
    };

    // Fails the call on a missing or duplicate id, and if the CRSs cannot be reconciled.
    zone_layer(const gdalmcp::vector& source, const options& chosen, const value_raster& raster);

    const OGRSpatialReference& crs() const { return crs_; }
    const std::string& crs_argument() const { return crs_argument_; }
    const std::string& id_field() const { return id_name_; }  // "FID" by default
    const std::vector<std::string>& label_fields() const { return label_names_; }
    std::size_t size() const { return size_; }
    std::string extent_text() const { return gdalmcp::gdal::extent_text(extent_, crs_); }
    std::vector<std::string> warnings() const;  // of the zones read so far

    // The next zone in the order of the layer; nullopt after the last. Fails the call on a feature that is not a
    // polygon.
    std::optional<placed_zone> next();
    // Skips this many zones without placing them.
    void skip(std::size_t zones);
    // Back to the first zone, to read the geometries, in crs(), one after the other.
    void rewind();
    gdalmcp::gdal::geometry_ptr next_geometry();

    // Whether a single zone can be read once more, and its outline.
    bool reads_again() const;
    zone outline_of(std::int64_t fid) const;

private:
    void choose_fields(const std::optional<std::string>& id_field);
    void check_ids();
    void read_only_named_fields();
    void choose_crs(const std::optional<gdalmcp::crs>& given, bool inline_text);
    void place(const OGRGeometry& geometry, placed_zone& out);
    gdalmcp::gdal::geometry_ptr repaired(const OGRGeometry& flat, const std::string& why, placed_zone& out);
    gdalmcp::gdal::geometry_ptr on_raster(gdalmcp::gdal::geometry_ptr flat) const;

    const value_raster& raster_;
    gdalmcp::gdal::dataset_ptr file_;
    OGRLayer* layer_ = nullptr;
    OGRSpatialReference crs_;
    gdalmcp::gdal::frame frame_;  // of the raster
    OGREnvelope extent_;
    std::unique_ptr<OGRCoordinateTransformation> to_raster_;  // empty when the CRSs are the same
    std::optional<gdalmcp::gdal::ellipsoidal_areas> areas_;
    bool geographic_raster_ = false, quick_ = false;
    int id_index_ = -1;
    std::string id_name_ = "FID", crs_argument_;
    std::vector<int> label_indices_;
    std::vector<std::string> label_names_, warnings_;
    gdalmcp::gdal::wide_edges wide_;
    std::size_t repaired_count_ = 0;
    std::string first_repair_;
    invalid_zones invalid_ = invalid_zones::leave_out;
    std::size_t size_ = 0;
};

}  // namespace gdalmcp_aggregation
