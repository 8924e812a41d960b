#include "worker/probe.hpp"

#include <gdalmcp/gdal.hpp>

#include <cmath>

#include "worker/crs.hpp"

namespace gdalmcp::worker {

namespace json = base::json;

namespace {

json::array bounds_of(GDALDataset& d) {
    double t[6];
    if (d.GetGeoTransform(t) != CE_None) return {};
    const double w = d.GetRasterXSize(), h = d.GetRasterYSize();
    double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {-HUGE_VAL, -HUGE_VAL};
    for (const double x : {0.0, w})
        for (const double y : {0.0, h}) {
            const double at[2] = {t[0] + x * t[1] + y * t[2], t[3] + x * t[4] + y * t[5]};
            for (int k = 0; k < 2; ++k) {
                lo[k] = std::min(lo[k], at[k]);
                hi[k] = std::max(hi[k], at[k]);
            }
        }
    return {lo[0], lo[1], hi[0], hi[1]};
}

json::array bands_of(GDALDataset& d) {
    json::array bands;
    for (int i = 1; i <= d.GetRasterCount(); ++i) {
        auto& b = *d.GetRasterBand(i);
        json::object o{{"dtype", GDALGetDataTypeName(b.GetRasterDataType())},
                       {"palette", b.GetColorTable() != nullptr},
                       {"unit", b.GetUnitType()},
                       {"color_interpretation", GDALGetColorInterpretationName(b.GetColorInterpretation())}};
        int has = 0;
        const double nodata = b.GetNoDataValue(&has);
        if (has) o["nodata"] = nodata;
        bands.push_back(std::move(o));
    }
    return bands;
}

json::object crs_of(const OGRSpatialReference* srs) { return describe_crs(srs ? *srs : OGRSpatialReference{}); }

void describe_raster(GDALDataset& d, json::object& facts) {
    facts["kind_of_dataset"] = "raster";
    facts["crs"] = crs_of(d.GetSpatialRef());
    facts["width"] = d.GetRasterXSize();
    facts["height"] = d.GetRasterYSize();
    double t[6];
    if (d.GetGeoTransform(t) == CE_None)
        facts["pixel_size"] = json::array{std::hypot(t[1], t[4]), std::hypot(t[2], t[5])};
    facts["bounds"] = bounds_of(d);
    facts["bands"] = bands_of(d);
}

void describe_vector(GDALDataset& d, json::object& facts) {
    facts["kind_of_dataset"] = "vector";
    json::array layers;
    for (int i = 0; i < d.GetLayerCount(); ++i) {
        auto& l = *d.GetLayer(i);
        layers.push_back(json::object{{"name", l.GetName()},
                                      {"geometry_type", OGRGeometryTypeToName(l.GetGeomType())},
                                      {"crs", crs_of(l.GetSpatialRef())}});
    }
    if (d.GetLayerCount() > 0) {
        facts["crs"] = layers[0].at("crs");
        OGREnvelope e;
        if (d.GetLayer(0)->GetExtent(&e, FALSE) == OGRERR_NONE)
            facts["bounds"] = json::array{e.MinX, e.MinY, e.MaxX, e.MaxY};
    }
    facts["layers"] = std::move(layers);
}

}  // namespace

base::result<json::object> probe(const input& i) {
    const unsigned kind = i.role == "input-raster"   ? GDAL_OF_RASTER
                          : i.role == "input-vector" ? GDAL_OF_VECTOR
                                                     : GDAL_OF_RASTER | GDAL_OF_VECTOR;
    const gdal::dataset_ptr d{GDALDataset::Open(i.dataset.c_str(), kind | GDAL_OF_VERBOSE_ERROR)};
    if (!d) return base::fail(base::code::io, "cannot open " + i.path.string() + ": " + CPLGetLastErrorMsg(), "", i.at);
    json::object facts{{"driver", d->GetDriverName()}};
    if (d->GetRasterCount() > 0)
        describe_raster(*d, facts);
    else
        describe_vector(*d, facts);
    return facts;
}

}  // namespace gdalmcp::worker
