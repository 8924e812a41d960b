#include "ogr_result_layer.hpp"

#include <cmath>

#include "datasets/gdal_output.hpp"

namespace gdalmcp_hydrology {

namespace gdal = gdalmcp::gdal;

result_layer::result_layer(gdalmcp::call& call, const std::string& path, const OGRSpatialReference& crs,
                           const char* name, OGRwkbGeometryType type, std::vector<result_field> fields)
    : call_{call}, path_{path}, format_{gdalmcp_vector::format_of(path)}, crs_{crs} {
    const auto say = [this](const std::string& text) { call_.warn(text); };
    if (format_.wgs84_only) {
        if (crs.IsEmpty())
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "the raster has no CRS, and " + std::string{format_.driver} + " holds WGS 84 only",
                                 "write to .gpkg"};
        crs_ = *gdal::parse_crs("OGC:CRS84");
        if (!gdalmcp_vector::same_coordinates(crs, crs_)) {
            way_.emplace(crs, crs_, std::nullopt, true, say);
            say(std::string{format_.driver} + " holds WGS 84 only: the features were transformed from " +
                gdal::crs_text(crs) + "; lengths and areas were measured before");
        }
    }
    design_.reset(GetGDALDriverManager()->GetDriverByName("Memory")->Create("", 0, 0, 0, GDT_Unknown, nullptr));
    fields_ = design_ ? design_->CreateLayer(name, nullptr, type) : nullptr;
    if (!fields_) gdal::raise("cannot make a layer in memory");
    for (const auto& one : fields) {
        OGRFieldDefn defn{one.name, one.type};
        if (one.type == OFTReal && EQUAL(format_.driver, "ESRI Shapefile")) defn.SetWidth(24), defn.SetPrecision(6);
        if (fields_->CreateField(&defn) != OGRERR_NONE) gdal::raise(std::string{"cannot make the field "} + one.name);
    }
    file_ = gdalmcp_datasets::create_vector(path, format_.driver);
    gdalmcp_vector::layer_design layer{type, false, crs_.IsEmpty() ? nullptr : &crs_,
                                       gdalmcp_vector::all_fields(*fields_->GetLayerDefn())};
    layer_.emplace(*file_, format_, *design_, *fields_, layer, say);
}

void result_layer::add(std::unique_ptr<OGRGeometry> shape, const std::vector<double>& values) {
    OGRFeature feature{fields_->GetLayerDefn()};
    // From 1, but as formats count that number features themselves.
    feature.SetFID(next_ - (format_.keeps_ids ? 0 : 1));
    ++next_;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        const auto at = static_cast<int>(i);
        if (fields_->GetLayerDefn()->GetFieldDefn(at)->GetType() == OFTReal)
            feature.SetField(at, values[i]);
        else
            feature.SetField(at, static_cast<GIntBig>(values[i]));
    }
    if (shape && way_) shape = way_->apply_or_fail(*shape, feature.GetFID());
    layer_->add(feature, std::move(shape));
}

void result_layer::close(const gdalmcp::arg<gdalmcp::output_dataset>& output) {
    layer_->finish();
    const auto features = layer_->written();
    layer_.reset();
    gdalmcp_datasets::close_vector(std::move(file_), path_);
    call_.expect(output, {.crs = gdal::crs_text(crs_), .features = features});
}

}  // namespace gdalmcp_hydrology
