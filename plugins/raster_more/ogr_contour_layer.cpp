#include "ogr_contour_layer.hpp"

#include <geodesic.h>
#include <gdalmcp/gdal_area.hpp>

#include "datasets/gdal_output.hpp"
#include "vector/ogr_output_layer.hpp"
#include "vector/ogr_transformation.hpp"

namespace gdalmcp_raster_more {
namespace {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

// Lengths of lines on the ellipsoid of a CRS, by the geodesics between their vertices.
class ground_length {
public:
    explicit ground_length(const OGRSpatialReference& crs) {
        if (crs.IsEmpty() || crs.IsLocal()) return;
        own_ = gdal::own_geographic_of(crs);
        if (!own_) return;
        unit_ = own_.crs->GetAngularUnits() * 180 / 3.14159265358979323846;
        const double inverse = own_.crs->GetInvFlattening();
        geod_init(&earth_, own_.crs->GetSemiMajor(), inverse > 0 ? 1 / inverse : 0);
    }
    // nullopt where a vertex has no longitude and latitude.
    std::optional<double> of(const OGRLineString& line) {
        if (!own_) return std::nullopt;
        x_.clear();
        y_.clear();
        for (const auto& p : line) x_.push_back(p.getX()), y_.push_back(p.getY());
        if (!gdal::transform_all(*own_.way, x_, y_)) return std::nullopt;
        double sum = 0;
        for (std::size_t i = 1; i < x_.size(); ++i) {
            double length = 0;
            geod_inverse(&earth_, y_[i - 1] * unit_, x_[i - 1] * unit_, y_[i] * unit_, x_[i] * unit_, &length, nullptr,
                         nullptr);
            sum += length;
        }
        return sum;
    }

private:
    gdal::own_geographic own_;
    geod_geodesic earth_{};
    double unit_ = 1;  // degrees per unit of longitude and latitude
    std::vector<double> x_, y_;
};

// An empty layer in a scratch file for GDAL to draw into.
OGRLayer& drawing_layer(GDALDataset& file, const OGRSpatialReference& crs, bool areas) {
    gdal::words options{"SPATIAL_INDEX=NO"};
    OGRSpatialReference known{crs};
    auto* layer = file.CreateLayer("contours", crs.IsEmpty() ? nullptr : &known,
                                   areas ? wkbMultiPolygon : wkbLineString, options.get());
    if (!layer) gdal::raise("cannot create a layer for the contours");
    std::vector<std::pair<const char*, OGRFieldType>> fields{{"id", OFTInteger}};
    if (areas)
        fields.insert(fields.end(), {{"elev_min", OFTReal}, {"elev_max", OFTReal}, {"area_m2", OFTReal}});
    else
        fields.insert(fields.end(), {{"elev", OFTReal}, {"length_m", OFTReal}});
    for (const auto& [name, type] : fields) {
        OGRFieldDefn defn{name, type};
        if (layer->CreateField(&defn) != OGRERR_NONE) gdal::raise("cannot create a field for the contours");
    }
    return *layer;
}

void keep_polygons(const OGRGeometry& shape, OGRMultiPolygon& into) {
    if (wkbFlatten(shape.getGeometryType()) == wkbPolygon) into.addGeometry(&shape);
    if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection))
        for (const auto* part : *shape.toGeometryCollection()) keep_polygons(*part, into);
}

// Polygons with the 7 decimals GeoJSON has. At levels that cells have exactly, GDAL draws rings narrower than that:
// they vanish, and what touches itself is repaired.
std::unique_ptr<OGRGeometry> rounded(const OGRGeometry& degrees) {
    struct : OGRDefaultGeometryVisitor {
        using OGRDefaultGeometryVisitor::visit;
        void visit(OGRPoint* p) override {
            p->setX(std::round(p->getX() * 1e7) / 1e7);
            p->setY(std::round(p->getY() * 1e7) / 1e7);
        }
    } rounding;
    std::unique_ptr<OGRGeometry> copy{degrees.clone()};
    copy->accept(&rounding);
    const auto valid = gdal::valid_form(*copy);
    if (!valid) gdal::raise("GEOS cannot repair a contour in 7 decimals", "write to .gpkg");
    auto polygons = std::make_unique<OGRMultiPolygon>();
    keep_polygons(*valid, *polygons);
    return polygons;
}

// GDAL 3.6 calls the lower limit of the lowest area 0. It is the level before the upper one.
void put_limits(OGRFeature& feature, const std::vector<double>& levels, const std::optional<value_range>& within) {
    double low = feature.GetFieldAsDouble(1), high = feature.GetFieldAsDouble(2);
    if (const auto at = std::lower_bound(levels.begin(), levels.end(), high);
        at != levels.begin() && at != levels.end())
        low = *std::prev(at);
    feature.SetField(1, within ? std::max(low, within->low) : low);
    feature.SetField(2, within ? std::min(high, within->high) : high);
}

}  // namespace

contour_total write_contours(gdalmcp::call& call, GDALRasterBand& band, const OGRSpatialReference& crs,
                             const contour_levels& at, bool areas, const std::optional<value_range>& limits,
                             const std::string& path, const progress& report) {
    const auto format = gdalmcp_vector::format_of(path);
    const auto say = [&](const std::string& text) { call.warn(text); };
    OGRSpatialReference target{crs};
    std::optional<gdalmcp_vector::transformation> moved;
    if (format.wgs84_only) {
        if (crs.IsEmpty())
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "the raster has no CRS, and GeoJSON holds longitude and latitude only",
                        "write to .gpkg, or state the CRS with raster_reproject and 'src_crs'"};
        target = *gdal::parse_crs("OGC:CRS84");
        moved.emplace(crs, target, std::nullopt, true, say);
    }

    auto scratch = gdalmcp_datasets::create_vector(call.new_scratch("contours", ".gpkg"), "GPKG");
    auto& drawn = drawing_layer(*scratch, crs, areas);
    contours(band, drawn, at, areas, [&](double f) { report(0.6 * f); });

    auto out = gdalmcp_datasets::create_vector(path, format.driver);
    std::vector<int> fields = gdalmcp_vector::all_fields(*drawn.GetLayerDefn());
    fields.erase(fields.begin());  // the number is the feature's id
    gdalmcp_vector::output_layer written{
        *out, format, *scratch, drawn, {drawn.GetGeomType(), false, target.IsEmpty() ? nullptr : &target, fields}, say};
    ground_length lengths{crs};
    const gdal::ellipsoidal_areas surfaces{crs};
    contour_total total;
    total.ground = 0;
    const int measure = drawn.GetLayerDefn()->GetFieldIndex(areas ? "area_m2" : "length_m");
    gdalmcp_vector::for_each_feature(
        drawn, [&](double f) { report(0.6 + 0.4 * f); },
        [&](OGRFeature& feature) {
            const auto* shape = feature.GetGeometryRef();
            const auto size = areas ? surfaces.of(*shape) : lengths.of(*shape->toLineString());
            if (size) feature.SetField(measure, *size);
            total.ground = size && total.ground ? std::optional{*total.ground + *size} : std::nullopt;
            if (areas) put_limits(feature, at.levels, limits);
            std::unique_ptr<OGRGeometry> copy{shape->clone()};
            if (moved) copy = moved->apply_or_fail(*shape, feature.GetFID());
            if (moved && areas) copy = rounded(*copy);
            written.add(feature, std::move(copy));
            return true;
        });
    written.finish();
    total.features = written.written();
    total.crs = gdal::crs_text(target);
    gdalmcp_datasets::close_vector(std::move(out), path);
    return total;
}

}  // namespace gdalmcp_raster_more
