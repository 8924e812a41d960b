// A layer being written: the fields, types, widths and ids of a source layer, as far as the format can hold them.
#pragma once
#include "ogr_census.hpp"
#include "ogr_layer_options.hpp"
#include "ogr_value_losses.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gdalmcp_vector {

// A field the source does not have.
struct added_field {
    std::string name;
    OGRFieldType type = OFTReal;
};

// Fields of a second layer, behind those of the first. A name that the first has gets the suffix.
struct joined_fields {
    GDALDataset* dataset = nullptr;
    const OGRFeatureDefn* definition = nullptr;
    std::vector<int> fields{};
    std::string suffix{};
};

struct layer_design {
    OGRwkbGeometryType type;                   // what the layer declares
    bool multi = false;                        // every geometry becomes its multi-part form
    const OGRSpatialReference* crs{nullptr};   // nullptr: the layer has none
    std::vector<int> fields;                   // indexes into the source's fields, in the order to write
    std::vector<added_field> added{};          // behind them; renamed where the source has a field of that name
    std::map<int, OGRFieldType> types{};       // of source fields that change theirs
    std::string encoding = CPL_ENC_ISO8859_1;  // of text that is not UTF-8
    joined_fields joined{};                    // between `fields` and `added`
    layer_options options{};                   // of the driver, as the caller gives them
    bool new_ids = false;                      // numbered anew: several features may come from one, or from none
};

// "1 forest, 2 meadow and 5 more" of a field whose domain names its values; "": it has none.
std::string coded_values(const GDALDataset&, const OGRFieldDefn&);

// Of all fields, in order.
std::vector<int> all_fields(const OGRFeatureDefn&);

class output_layer {
public:
    // REQUIRES: `out` and `source` outlive it. Losses of the format are reported to `say`, once for each cause.
    output_layer(GDALDataset& out, const format&, GDALDataset& source_dataset, OGRLayer& source, const layer_design&,
                 notice say);
    // Writes one feature of the source with another geometry (nullptr: none). `values`: of the added fields, NaN =
    // null. `joined`: its fields of the second layer, nullptr: null. Throws with GDAL's reason.
    void add(const OGRFeature& source, std::unique_ptr<OGRGeometry>, const std::vector<double>& values = {},
             const OGRFeature* joined = nullptr);
    // The same without a feature of the first layer: its fields are null.
    void add_joined(const OGRFeature& joined, std::unique_ptr<OGRGeometry>, const std::vector<double>& values);
    // Reports what was lost; refused with their number are texts that the format would cut. Call it once, after all
    // writes.
    void finish();

    OGRwkbGeometryType type() const { return design_.type; }
    const OGRFeatureDefn& definition() const { return *layer_->GetLayerDefn(); }
    // The joined fields as they are called in the output, in order.
    const std::vector<std::string>& joined_names() const { return joined_names_; }
    GIntBig written() const { return written_; }
    // Of all geometries written, in the layer's CRS; not IsInit() when there are none.
    const OGREnvelope& bounds() const { return bounds_; }

private:
    void refuse_twins(const OGRFeatureDefn& source) const;
    void create_fields(GDALDataset& out, GDALDataset& source_dataset, const OGRFeatureDefn& source);
    void create_added_fields(const OGRFeatureDefn& source);
    void create_joined_fields(GDALDataset& out);
    void write(OGRFeatureUniquePtr, const OGRFeature& from, std::unique_ptr<OGRGeometry>,
               const std::vector<double>& values, const OGRFeature* joined);

    // Throws for a feature that the driver did not write.
    [[noreturn]] void refuse_feature(GIntBig id, const OGRGeometry*) const;
    // The same for one of another kind than a Shapefile's first.
    [[noreturn]] void refuse_kind(GIntBig id, const OGRGeometry&) const;
    // Parts of a geometry the format cannot hold are counted, and removed if the driver would fail on them.
    void count_losses(OGRGeometry& geometry);
    // Of GeoJSON: polygons that are invalid in the decimals that are written.
    void count_spoilt(const OGRGeometry& geometry, GIntBig id);
    // What the layer turned out to be without, or to give to all.
    void tell_dimensions();
    // Text that is not UTF-8 is read in the encoding of the design: no format stores bytes of unknown encoding.
    void repair_text(OGRFeature& feature);

    const format format_;
    notice say_;
    OGRLayer* layer_ = nullptr;
    layer_design design_;
    std::vector<int> to_;  // source field -> field of the output, -1 = left out
    std::vector<std::pair<int, int>> times_as_text_, joined_times_as_text_;  // of dates and times that become text
    std::vector<int> joined_to_;                                             // the same of the second layer
    std::vector<std::string> joined_names_;
    int first_added_ = 0;                                       // field of the output
    bool measures_ = false, curves_ = false, surfaces_ = true;  // what the driver can hold
    GIntBig written_ = 0, renumbered_ = 0, several_parts_ = 0;
    std::optional<int> dimension_;  // of a Shapefile's first geometry
    bool ids_are_places_ = false;   // those of the source: nothing is lost by other places
    value_losses losses_;
    GIntBig without_m_ = 0, straightened_ = 0, left_out_ = 0, recoded_ = 0, cut_texts_ = 0;
    GIntBig flat_ = 0, high_ = 0, measured_ = 0;  // geometries without z, with z, with m
    GIntBig emptied_ = 0;                         // geometries that become null
    GIntBig as_polygons_ = 0;                     // surfaces that the driver would write as null
    GIntBig spoilt_ = 0, first_spoilt_ = 0;       // how many, and the id of the first
    int decimals_ = 0;                            // of GeoJSON's coordinates; 0: written as they are
    OGREnvelope bounds_;
};

}  // namespace gdalmcp_vector
