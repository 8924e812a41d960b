// gdal_place_layer.hpp — where the cells of a raster lie, and a layer of places on them: the field that names each, and
// their CRS.
#pragma once
#include <gdalmcp/gdal_geometry.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/gdal_grid.hpp"
#include "zone.hpp"

namespace gdalmcp_aggregation {

class zone_grid {
public:
    // path: of the raster. Fails the call on a grid without geotransform.
    zone_grid(std::string path, const gdalmcp_datasets::grid& on);

    const std::string& path() const { return path_; }
    const gdalmcp_datasets::grid& on() const { return on_; }
    const OGRSpatialReference& crs() const { return on_.crs; }  // empty when the raster has none
    OGREnvelope extent() const { return on_.extent(); }         // in crs()
    std::size_t rows() const { return static_cast<std::size_t>(on_.height); }
    std::size_t columns() const { return static_cast<std::size_t>(on_.width); }
    const std::array<double, 6>& geotransform() const { return on_.geotransform; }
    std::vector<double> centre_of(std::size_t row, std::size_t column) const;  // x, y in crs()

    gdalmcp::gdal::geometry_ptr border() const;  // of all cells, in crs()

    // From the raster's CRS to grid coordinates (columns, rows). A row centred on a pole counts as what there is of it
    // on the Earth, so that a zone up to the pole covers it whole.
    zone to_grid(const OGRGeometry& polygons) const;

    // Areas of the cells of each row in m², on the ellipsoid; empty unless the grid is geographic and not rotated.
    std::vector<double> row_areas() const;

private:
    std::string path_;
    gdalmcp_datasets::grid on_;
    void stretch_to_poles(ring& outline) const;

    std::array<double, 6> to_grid_{};
    double beyond_first_ = 0, beyond_last_ = 0;  // shares of the first and the last row that lie beyond a pole
};

// What a tool calls its places, and the arguments that choose the field of their ids and their CRS, for messages.
struct place_words {
    std::string one = "zone", id_argument = "zone_id", crs_argument = "zones_crs";
};

class place_layer {
public:
    // layer: its name; nullopt: the only one. id_field: of unique ids; nullopt: the FID. crs: of places that declare
    // none. Fails the call on a layer without features, on a missing or duplicate id, and if the CRSs of places and
    // raster cannot be reconciled.
    place_layer(const gdalmcp::vector& source, const std::optional<std::string>& layer,
                const std::optional<std::string>& id_field, const std::optional<gdalmcp::crs>& crs,
                const zone_grid& raster, place_words words);

    const place_words& words() const { return words_; }
    OGRLayer& layer() const { return *layer_; }
    std::size_t size() const { return size_; }
    const OGRSpatialReference& crs() const { return crs_; }
    std::string extent_text() const { return gdalmcp::gdal::extent_text(extent_, crs_); }
    bool may_meet(const zone_grid& raster) const;             // false: their extents lie apart on the Earth
    const std::string& id_field() const { return id_name_; }  // "FID" by default
    int id_index() const { return id_index_; }                // of the field; -1: the FID
    std::string id_of(const OGRFeature& feature) const;
    // To the raster's CRS; nullptr where coordinates need no transformation.
    OGRCoordinateTransformation* to_raster() const { return to_raster_.get(); }
    // What was assumed about CRSs. how: places were transformed, as a part of the sentence; may be empty.
    std::vector<std::string> warnings(const std::string& how) const;

private:
    void choose_id(const std::string& id_field);
    void check_ids();
    void choose_crs(const std::optional<gdalmcp::crs>& given, bool inline_text, const zone_grid& raster);

    gdalmcp::gdal::dataset_ptr file_;
    place_words words_;
    OGRLayer* layer_;
    std::size_t size_ = 0;
    OGRSpatialReference crs_;
    OGREnvelope extent_;
    std::unique_ptr<OGRCoordinateTransformation> to_raster_;
    int id_index_ = -1;
    std::string id_name_ = "FID", transformed_;
    std::vector<std::string> warnings_;
};

// For messages: the code, else the name; a WKT is too long to read.
std::string crs_label(const OGRSpatialReference& srs);

}  // namespace gdalmcp_aggregation
