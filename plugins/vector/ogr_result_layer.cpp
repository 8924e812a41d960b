#include "ogr_result_layer.hpp"

#include <cmath>

#include "datasets/gdal_output.hpp"

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

result_file::result_file(gdalmcp::call& call, const std::string& path, const OGRSpatialReference& crs)
    : call_{call}, path_{path}, format_{format_of(path)}, crs_{crs} {
    if (format_.wgs84_only) {
        if (crs.IsEmpty())
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "the source has no CRS, and " + std::string{format_.driver} + " holds WGS 84 only",
                                 "write to .gpkg"};
        crs_ = *gdal::parse_crs("OGC:CRS84");
        if (!same_coordinates(crs, crs_)) {
            way_.emplace(crs, crs_, std::nullopt, true, [&call](const std::string& text) { call.warn(text); });
            call_.warn(std::string{format_.driver} + " holds WGS 84 only: the features were transformed from " +
                       gdal::crs_label(crs) + "; lengths and areas were measured before");
        }
    }
    design_.reset(GetGDALDriverManager()->GetDriverByName("Memory")->Create("", 0, 0, 0, GDT_Unknown, nullptr));
    if (!design_) gdal::raise("cannot make layers in memory");
    file_ = gdalmcp_datasets::create_vector(path, format_.driver);
}

void result_file::close_file() { gdalmcp_datasets::close_vector(std::move(file_), path_); }

result_layer::result_layer(result_file& file, const char* name, OGRwkbGeometryType type,
                           const std::vector<result_field>& fields)
    : file_{file}, fields_{file.design_->CreateLayer(name, nullptr, type)} {
    if (!fields_) gdal::raise("cannot make a layer in memory");
    for (const auto& one : fields) {
        OGRFieldDefn defn{one.name, one.type};
        if (one.type == OFTReal && EQUAL(file.format_.driver, "ESRI Shapefile"))
            defn.SetWidth(24), defn.SetPrecision(6);
        if (fields_->CreateField(&defn) != OGRERR_NONE) gdal::raise(std::string{"cannot make the field "} + one.name);
    }
    layer_design layer{type, false, file.crs_.IsEmpty() ? nullptr : &file.crs_, all_fields(*fields_->GetLayerDefn())};
    layer_.emplace(*file.file_, file.format_, *file.design_, *fields_, layer,
                   [&call = file.call_](const std::string& text) { call.warn(text); });
}

void result_layer::add(std::unique_ptr<OGRGeometry> shape, const std::vector<double>& values) {
    OGRFeature feature{fields_->GetLayerDefn()};
    // From 1, or as formats count that number features themselves.
    feature.SetFID(next_ - 1 + file_.format_.first_id);
    ++next_;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        const auto at = static_cast<int>(i);
        if (fields_->GetLayerDefn()->GetFieldDefn(at)->GetType() == OFTReal)
            feature.SetField(at, values[i]);
        else
            feature.SetField(at, static_cast<GIntBig>(values[i]));
    }
    if (shape && file_.way_) shape = file_.way_->apply_or_fail(*shape, feature.GetFID());
    layer_->add(feature, std::move(shape));
}

void result_layer::finish() {
    layer_->finish();
    file_.features_ += layer_->written();
}

}  // namespace gdalmcp_vector
