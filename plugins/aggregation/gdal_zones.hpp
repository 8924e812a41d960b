// gdal_zones.hpp — rasters and zones on disk.
#pragma once
#include <gdalmcp/gdal_cell_area.hpp>
#include <gdalmcp/gdal_class_names.hpp>
#include <string>
#include <string_view>

#include "datasets/gdal_raster_source.hpp"
#include "gdal_place_layer.hpp"
#include "zonal_sweep.hpp"

namespace gdalmcp_aggregation {

// A block of a band. scaled: by its scale and offset; else as stored. path: of its raster.
block_values read_block(GDALRasterBand& band, const window& block, bool scaled, const std::string& path);

// Height and width of the blocks that a band is stored in.
window stored_block_of(GDALRasterBand& band);

// The true areas of cells, as a sweep asks for them; they outlive it.
decltype(sweep_source::cell_areas) areas_from(const gdalmcp::gdal::cell_areas& areas);

// A raster whose bands are read block by block, in file order: row 0 is the file's first row.
class value_raster : public zone_grid {
public:
    // Fails the call on a raster without geotransform, and on complex values.
    explicit value_raster(const gdalmcp::raster& source);

    int bands() const { return file_->GetRasterCount(); }
    GDALRasterBand& band(int number) const { return *file_->GetRasterBand(number); }
    void require_band(std::int64_t band) const;  // fails the call if there is no band of that number

    std::string band_name(int band) const;  // description, "" when it has none
    std::string band_unit(int band) const;
    bool is_scaled(int band) const;
    void tell_ignored_scale(gdalmcp::call& call, int band) const;  // see datasets/gdal_raster_source.hpp
    // Names of class codes: category names, else those of the attribute table; may be empty.
    gdalmcp::gdal::class_names class_names(int band) const;

    block_values read(int band, const window& block) const { return read_block(this->band(band), block, true, path()); }
    // The same into the memory of another block, for a sweep: see block_values::single.
    void read(int band, const window& block, block_values& into) const;
    window stored_block(int band) const { return stored_block_of(this->band(band)); }

    void require_same_grid(const value_raster& other) const;

private:
    value_raster(const std::string& path, gdalmcp::gdal::dataset_ptr file);

    gdalmcp::gdal::dataset_ptr file_;
};

// The problem of a zone that PROJ has no place for.
inline constexpr std::string_view untransformable = "its outline cannot be transformed to the raster's CRS";

// Zones whose outline GEOS calls invalid: a zone with a problem, repaired, or an error that ends the call.
enum class invalid_zones { leave_out, repair, refuse };

// Polygons of a layer, placed on a raster one after the other.
class zone_layer {
public:
    struct options {
        std::optional<std::string> layer, id_field;
        std::optional<gdalmcp::crs> crs;  // of zones that declare none
        invalid_zones invalid = invalid_zones::leave_out;
        bool quick = false;  // outlines from transformed vertices, without densifying, and no true areas
        place_words words{};
    };

    struct placed_zone {
        std::string id;
        std::vector<std::string> labels;  // by label_fields()
        std::optional<double> area;       // m², true area of the whole zone
        std::string problem;              // why it has no outline; "" if it has one
        std::int64_t fid = 0;
        zone outline;         // in grid coordinates
        double in_cells = 0;  // its area; beyond the grid as many cells as on the same area of the grid
    };

    // Fails the call on a missing or duplicate id, and if the CRSs cannot be reconciled.
    zone_layer(const gdalmcp::vector& source, const options& chosen, const zone_grid& raster);

    const OGRSpatialReference& crs() const { return places_.crs(); }
    const std::string& crs_argument() const { return places_.words().crs_argument; }
    const std::string& id_field() const { return places_.id_field(); }
    const std::vector<std::string>& label_fields() const { return label_names_; }
    std::size_t size() const { return places_.size(); }
    std::string extent_text() const { return places_.extent_text(); }
    bool may_meet_raster() const { return places_.may_meet(raster_); }
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
    void choose_labels();
    void read_only_named_fields();
    void place(const OGRGeometry& geometry, placed_zone& out);
    gdalmcp::gdal::geometry_ptr repaired(const OGRGeometry& flat, const std::string& why, placed_zone& out);
    gdalmcp::gdal::geometry_ptr on_raster(gdalmcp::gdal::geometry_ptr flat, std::optional<double> area,
                                          std::string& why) const;
    double cells_of(const OGRGeometry& placed, const placed_zone& of) const;

    const zone_grid& raster_;
    place_layer places_;
    OGRLayer* layer_;
    gdalmcp::gdal::frame frame_;  // of the raster
    std::optional<gdalmcp::gdal::ellipsoidal_areas> areas_, raster_areas_;
    std::optional<gdalmcp::gdal::carrier> way_;  // to the raster's CRS, if it differs
    bool quick_ = false;
    std::vector<int> label_indices_;
    std::vector<std::string> label_names_;
    gdalmcp::gdal::wide_edges wide_;
    std::size_t repaired_count_ = 0;
    std::string first_repair_;
    invalid_zones invalid_ = invalid_zones::leave_out;
};

}  // namespace gdalmcp_aggregation
