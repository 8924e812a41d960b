// What the tools share that read one layer feature by feature and write another: opening it, the rules of the output's
// format, damaged features, progress, closing.
//
//   auto from = open_layer(call);
//   layer_pass pass{call, from, {from.layer->GetGeomType()}};
//   pass.run(call, "buffering", [&](OGRFeature& f) { pass.add(f, buffered(f)); });
//   pass.finish(call);
#pragma once
#include "arguments.hpp"
#include "ogr_output_layer.hpp"
#include "ogr_transformation.hpp"

#include <gdalmcp/gdal_geometry.hpp>

namespace gdalmcp_vector {

inline const auto& only_layer_name = gdalmcp::standard::layer;
inline const gdalmcp::arg<bool> skip_failed{
    .name = "skip_failed", .about = "Leave out and name features that fail, instead of failing.", .fallback = false};
inline const gdalmcp::field<std::int64_t> features_written{"feature_count", "Features written", "features"};
inline const gdalmcp::gdal::crs_record layer_crs{"crs", "CRS of the output"};

struct source_layer {
    gdalmcp::gdal::dataset_ptr dataset;
    OGRLayer* layer;
    OGRSpatialReference crs;  // x first; empty: none
    OGREnvelope extent;       // not IsInit() without geometries
};

// Opens the dataset of another argument than 'uri', and the layer that `layer` names.
source_layer open_layer_of(gdalmcp::call&, const gdalmcp::arg<gdalmcp::vector>& dataset,
                           const gdalmcp::arg<std::optional<std::string>>& layer);

// Opens 'uri' and its 'layer'. `given`: the CRS of its coordinates, where the data states none or a wrong one.
source_layer open_layer(gdalmcp::call&, const std::optional<gdalmcp::crs>& given = {});

// The same for a tool of geometries: throws for a table.
source_layer open_geometries(gdalmcp::call&);
// Refuses a table without geometries; hint: what to give instead.
void require_geometries(const source_layer&, const std::string& hint);

// Where a geometry argument is placed that features are compared with.
gdalmcp::gdal::frame frame_of(const source_layer&, const char* argument = "geometry",
                              const char* of_crs = "geometry_crs");

// A box, and the same in the CRS of another layer: "[2, 48, 3, 49] in OGC:CRS84, [440000, 5300000, 500000, 5400000] in
// EPSG:32631".
std::string extent_in_both(const OGREnvelope&, const OGRSpatialReference& own, const OGRSpatialReference& other);

// Refuses a geometry that does not meet the layer, with both extents in both CRSs. `argument`: the one it came by,
// `of_crs`: the one with its CRS.
[[noreturn]] void refuse_apart(const gdalmcp::gdal::placed_geometry&, const source_layer&, const std::string& argument,
                               const std::string& of_crs);

// GeoJSON and KML hold WGS 84 only, so features are transformed on the way out; nothing for other formats. Throws for a
// layer without CRS.
std::optional<transformation> towards(const format&, const OGRSpatialReference& own_crs, const OGREnvelope& extent,
                                      const notice& say);

// Whether every geometry must become its multi-part form: a Shapefile calls multi-part and single-part geometries by
// one type, other formats do not; and `cut` makes parts of one polygon or line.
bool wants_multi(const source_layer&, bool cut);

class layer_pass {
public:
    // Creates 'output'. `design.crs` is the source's; it is set to that of the output. REQUIRES: `from` outlives it.
    layer_pass(gdalmcp::call&, source_layer& from, layer_design design);

    // Calls `each` for every feature; it may throw `unusable`. `until`: of the progress of the call.
    void run(gdalmcp::call&, const char* doing, const visit& each, double until = 0.95);
    // What is made of one feature.
    struct made {
        std::unique_ptr<OGRGeometry> shape{};
        double area = 0, area_before = 0;  // m², where wanted
        std::string invalid{};             // GEOS' reason, of a geometry that was repaired first
    };
    using maker = std::function<made(std::size_t worker, const OGRFeature&)>;
    using taker = std::function<void(OGRFeature&, made)>;
    static std::size_t workers() { return gdalmcp::gdal::threads_of_call(); }
    // run() on all cores: `make` is called for features that have a geometry, in any order, by each of workers() for
    // one at a time; `take` then for every feature, in the layer's order. Both may throw `unusable`.
    void run_parallel(gdalmcp::call&, const char* doing, const maker& make, const taker& take, double until = 0.95);
    // A feature of the source with another geometry in the source's CRS (nullptr: none). Throws unusable.
    void add(const OGRFeature&, std::unique_ptr<OGRGeometry>, const std::vector<double>& values = {},
             const OGRFeature* joined = nullptr);
    // What a tool does with a feature outside of run(): `work` may throw `unusable` as there.
    void attempt(const OGRFeature&, const std::function<void()>& work);
    // A feature without a source, with the first id.
    void add_one(std::unique_ptr<OGRGeometry>);
    // A feature of the second layer alone.
    void add_joined(const OGRFeature&, std::unique_ptr<OGRGeometry>, const std::vector<double>& values);
    // A feature found unusable after it was read: named, or the end of the call without skip_failed.
    void leave_out(const OGRFeature&, const std::string& why);
    // Instead of run(): the features of the source were read before.
    void already_left_out(const left_out& failed);
    // Closes the output; puts features_written, layer_crs, failed_ids and failed_count, and warns of what was left out.
    void finish(gdalmcp::call&);

    const output_layer& result() const { return *result_; }
    const OGRSpatialReference& out_crs() const { return out_crs_; }
    const left_out& failed() const { return failed_; }

private:
    source_layer& from_;
    bool skip_;
    notice say_;
    const format format_;
    std::optional<transformation> moved_;
    OGRSpatialReference out_crs_;
    gdalmcp::gdal::dataset_ptr out_;
    std::unique_ptr<output_layer> result_;
    left_out failed_;
};

// "1 feature", "5 features"
std::string counted(GIntBig features);

// Whether what was made of `own` has none of its curves; and what warns of so many features.
bool lost_curves(const OGRGeometry& own, const OGRGeometry* made);
void warn_of_curves(gdalmcp::call&, GIntBig features);

}  // namespace gdalmcp_vector
