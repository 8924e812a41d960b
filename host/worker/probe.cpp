#include "worker/probe.hpp"

#include <gdalmcp/gdal_extent.hpp>
#include <gdalmcp/gdal_subdatasets.hpp>

#include <cmath>

#include "worker/band_facts.hpp"
#include "worker/cell_size.hpp"
#include "worker/crs.hpp"

namespace gdalmcp::worker {

namespace json = base::json;

namespace {

constexpr std::int64_t max_scanned = 10000;  // features: some milliseconds
constexpr std::size_t max_placed = 16;       // layers whose extent is compared with their CRS

OGREnvelope bounds_of(const double (&t)[6], double columns, double rows) {
    OGREnvelope e;
    for (const double x : {0.0, columns})
        for (const double y : {0.0, rows}) e.Merge(t[0] + x * t[1] + y * t[2], t[3] + x * t[4] + y * t[5]);
    return e;
}

void put_bounds(json::object& facts, const OGREnvelope& e, const OGRSpatialReference* srs) {
    facts["bounds"] = json::array{e.MinX, e.MinY, e.MaxX, e.MaxY};
    if (const auto b = srs ? gdal::wgs84_bounds(e, *srs) : std::nullopt)
        facts["bounds_wgs84"] = json::array(b->begin(), b->end());
}

// Why coordinates do not fit the CRS; of several layers the first such one, by name.
void put_misplaced(json::object& facts, const OGREnvelope& e, const OGRSpatialReference* srs,
                   const std::string& layer) {
    if (!srs || facts.contains("misplaced")) return;
    if (const auto why = gdal::misplaced(e, *srs); !why.empty())
        facts["misplaced"] = layer.empty() ? why : "in layer " + layer + " " + why;
}

json::object crs_of(const OGRSpatialReference* srs) { return describe_crs(srs ? *srs : OGRSpatialReference{}); }

void describe_raster(GDALDataset& d, json::object& facts) {
    const auto* srs = gdal::stated(d.GetSpatialRef());
    facts["kind_of_dataset"] = "raster";
    facts["crs"] = crs_of(srs);
    facts["width"] = d.GetRasterXSize();
    facts["height"] = d.GetRasterYSize();
    double t[6];
    if (d.GetGeoTransform(t) == CE_None) {
        facts["pixel_size"] = json::array{std::hypot(t[1], t[4]), std::hypot(t[2], t[5])};
        const auto bounds = bounds_of(t, d.GetRasterXSize(), d.GetRasterYSize());
        put_bounds(facts, bounds, srs);
        put_misplaced(facts, bounds, srs, "");
        if (const auto m = srs ? cell_size(t, d.GetRasterXSize(), d.GetRasterYSize(), *srs) : std::nullopt)
            facts["cell_m"] = json::array(m->begin(), m->end());
    }
    auto bands = band_facts(d, srs && !vertical_name(*srs).empty());
    for (const char* member : {"kind", "kind_certain", "kind_why", "may_be_codes"})
        facts[member] = bands.front().at(member);
    facts["bands"] = std::move(bands);
}

// 0 points, 1 lines, 2 areas; nothing where features of several kinds or none may come.
std::optional<int> dimension_of(OGRwkbGeometryType type) {
    const auto flat = wkbFlatten(type);
    if (flat == wkbPoint || flat == wkbMultiPoint) return 0;
    if (OGR_GT_IsCurve(flat) || OGR_GT_IsSubClassOf(flat, wkbMultiCurve)) return 1;
    if (OGR_GT_IsSurface(flat) || OGR_GT_IsSubClassOf(flat, wkbMultiSurface)) return 2;
    return std::nullopt;
}

json::object layer_facts(OGRLayer& l) {
    json::object o{{"name", l.GetName()},
                   {"geometry_type", OGRGeometryTypeToName(l.GetGeomType())},
                   {"features", l.GetFeatureCount(FALSE)},
                   {"crs", crs_of(l.GetSpatialRef())}};
    if (const auto n = dimension_of(l.GetGeomType())) o["dimension"] = *n;
    json::array fields;
    auto& d = *l.GetLayerDefn();
    for (int i = 0; i < d.GetFieldCount(); ++i) fields.emplace_back(d.GetFieldDefn(i)->GetNameRef());
    o["fields"] = std::move(fields);
    return o;
}

// Rasters in subdatasets, with at most tables beside them: netCDF, HDF.
bool holds_rasters(GDALDataset& d) {
    for (auto* l : d.GetLayers())
        if (l->GetGeomType() != wkbNone) return false;
    return d.GetMetadata("SUBDATASETS") != nullptr;
}

void describe_vector(GDALDataset& d, json::object& facts) {
    facts["kind_of_dataset"] = holds_rasters(d) ? "raster" : "vector";
    json::array layers;
    for (auto* l : d.GetLayers()) {
        layers.push_back(layer_facts(*l));
        const auto n = layers.back().at("features").to_number<std::int64_t>();
        const bool cheap = n >= 0 && n <= max_scanned && layers.size() <= max_placed;
        OGREnvelope e;
        if (n == 0 || l->GetExtent(&e, cheap) != OGRERR_NONE) continue;  // an empty Shapefile has a box at 0, 0
        if (layers.size() == 1) put_bounds(facts, e, l->GetSpatialRef());
        if (layers.size() <= max_placed)
            put_misplaced(facts, e, l->GetSpatialRef(), d.GetLayerCount() > 1 ? l->GetName() : "");
    }
    if (!layers.empty())
        for (const char* member : {"crs", "features", "dimension"})
            if (const auto* v = layers.front().get_object().if_contains(member)) facts[member] = *v;
    facts["layers"] = std::move(layers);
}

// Nothing where the file has no such raster, which the call itself will say.
gdal::dataset_ptr subdataset_of(GDALDataset& file, const std::string& name) {
    const auto names = gdal::subdataset_names(file);
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) return nullptr;
    const auto path = gdal::subdataset_paths(file)[static_cast<std::size_t>(at - names.begin())];
    const gdal::quiet silence;
    auto within = gdal::open_dataset(path, GDAL_OF_RASTER);
    if (within) within = gdal::with_signed_values(std::move(within));
    return within && within->GetRasterCount() > 0 ? std::move(within) : nullptr;
}

}  // namespace

base::result<json::object> probe(const input& i) {
    const unsigned kind = i.role == "input-raster"   ? GDAL_OF_RASTER
                          : i.role == "input-vector" ? GDAL_OF_VECTOR
                                                     : GDAL_OF_RASTER | GDAL_OF_VECTOR;
    auto d = gdal::open_dataset(i.dataset, kind | GDAL_OF_VERBOSE_ERROR);
    const std::string driver = d ? d->GetDriverName() : "";
    if (d) d = gdal::with_signed_values(std::move(d));
    if (!d) return base::fail(base::code::io, "cannot open " + i.path.string() + ": " + CPLGetLastErrorMsg(), "", i.at);
    json::object facts{{"driver", driver}};
    if (!i.part.empty()) {
        json::array names;
        for (const auto& name : gdal::subdataset_names(*d)) names.emplace_back(name);
        facts["subdatasets"] = std::move(names);
        if (auto within = subdataset_of(*d, i.part)) {
            d = std::move(within);
            facts["subdataset"] = i.part;
        }
    }
    if (d->GetRasterCount() > 0)
        describe_raster(*d, facts);
    else
        describe_vector(*d, facts);
    return facts;
}

}  // namespace gdalmcp::worker
