#include "gdal_sample_layer.hpp"

#include <cmath>

#include "datasets/gdal_output.hpp"
#include "vector/ogr_output_layer.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

// The fields of a sample, as a layer in memory without features.
struct sample_fields {
    gdal::dataset_ptr file;
    OGRLayer* layer;

    explicit sample_fields(const sample_design& design) {
        file.reset(GetGDALDriverManager()->GetDriverByName("Memory")->Create("", 0, 0, 0, GDT_Unknown, nullptr));
        layer = file ? file->CreateLayer("samples", nullptr, wkbPoint) : nullptr;
        if (!layer) gdal::raise("cannot make a layer in memory");
        if (design.points) add("point_id", OFTInteger64);
        // Names that a Shapefile keeps: at most ten characters.
        add("cell_row", OFTInteger);
        add("cell_col", OFTInteger);
        for (const char* name : {"x", "y", "lon", "lat"}) add(name, OFTReal);
        if (design.strata) add("stratum", OFTInteger64);
        for (const int band : design.bands) add("band_" + std::to_string(band), OFTReal);
    }

private:
    void add(const std::string& name, OGRFieldType type) {
        OGRFieldDefn field{name.c_str(), type};
        if (layer->CreateField(&field) != OGRERR_NONE) gdal::raise("cannot make the field " + name);
    }
};

void fill(OGRFeature& feature, const sample_design& design, const sample_row& row) {
    int field = 0;
    const auto set = [&](const std::optional<double>& v) {
        if (v && std::isfinite(*v)) feature.SetField(field, *v);
        ++field;
    };
    if (design.points) feature.SetField(field++, static_cast<GIntBig>(row.point));
    for (const auto& at : {row.cell ? std::optional{row.cell->row} : std::nullopt,
                           row.cell ? std::optional{row.cell->column} : std::nullopt}) {
        if (at) feature.SetField(field, static_cast<int>(*at));
        ++field;
    }
    for (const double v : {row.x, row.y, row.longitude, row.latitude}) set(v);
    if (design.strata) feature.SetField(field++, static_cast<GIntBig>(row.stratum));
    for (const auto& v : row.values) set(v);
}

}  // namespace

written_layer write_samples(const std::string& path, const OGRSpatialReference& crs, const sample_design& design,
                            const std::vector<sample_row>& rows, const std::function<void(double)>& progress,
                            const std::function<void(const std::string&)>& say) {
    const auto format = gdalmcp_vector::format_of(path);
    if (format.wgs84_only && crs.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT, "the raster has no CRS, and GeoJSON holds WGS 84 only (RFC 7946)",
                    "write to .gpkg"};
    const auto out_crs = format.wgs84_only ? *gdal::parse_crs("OGC:CRS84") : crs;
    const sample_fields fields{design};
    auto out = create_vector(path, format.driver);
    gdalmcp_vector::layer_design layer{wkbPoint, false, out_crs.IsEmpty() ? nullptr : &out_crs,
                                       gdalmcp_vector::all_fields(*fields.layer->GetLayerDefn())};
    if (design.points)
        layer.joined = {design.of, design.points->GetLayerDefn(),
                        gdalmcp_vector::all_fields(*design.points->GetLayerDefn()), "_point"};
    OGRFeatureUniquePtr point;
    bool heights = false;
    const auto own = [&](std::int64_t id) {
        if (design.points && !point) design.points->ResetReading();
        while (design.points && (!point || point->GetFID() != id)) {
            point.reset(design.points->GetNextFeature());
            if (!point) gdal::raise("cannot read point " + std::to_string(id) + " again");
            const auto* shape = point->GetGeometryRef();
            heights = heights || (shape && shape->Is3D());
        }
        return point.get();
    };
    gdalmcp_vector::output_layer result{*out, format, *fields.file, *fields.layer, layer, say};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i % 1000 == 0) progress(static_cast<double>(i) / static_cast<double>(rows.size()));
        OGRFeature feature{fields.layer->GetLayerDefn()};
        // From 1, but as formats count that number features themselves.
        feature.SetFID(static_cast<GIntBig>(i) + (format.keeps_ids ? 1 : 0));
        fill(feature, design, rows[i]);
        const double x = format.wgs84_only ? rows[i].longitude : rows[i].x,
                     y = format.wgs84_only ? rows[i].latitude : rows[i].y;
        result.add(feature, std::isfinite(x) && std::isfinite(y) ? std::make_unique<OGRPoint>(x, y) : nullptr, {},
                   own(rows[i].point));
    }
    if (heights) say("heights (z) of the points are left out");
    result.finish();
    close_vector(std::move(out), path);
    return {out_crs, result.written()};
}

}  // namespace gdalmcp_raster
