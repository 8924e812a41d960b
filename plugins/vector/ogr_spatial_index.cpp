#include "ogr_spatial_index.hpp"

#include <gdalmcp/gdal.hpp>

#include <algorithm>
#include <string>

namespace gdalmcp_vector {

namespace {

std::string quoted(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string{"\"\""} : std::string{c};
    return text + '"';
}

// The number that SQL of SQLite returns; -1: none.
GIntBig number_of(GDALDataset& dataset, const std::string& sql) {
    auto* found = dataset.ExecuteSQL(sql.c_str(), nullptr, nullptr);
    const OGRFeatureUniquePtr row{found ? found->GetNextFeature() : nullptr};
    const auto number = row && row->IsFieldSetAndNotNull(0) ? row->GetFieldAsInteger64(0) : -1;
    dataset.ReleaseResultSet(found);
    return number;
}

// A FlatGeobuf of which the end is missing: by its index GDAL finds what is left, and says nothing of the rest.
bool is_cut(GDALDataset& dataset, OGRLayer& layer) {
    const auto count = EQUAL(dataset.GetDriverName(), "FlatGeobuf") ? layer.GetFeatureCount(FALSE) : 0;
    const gdalmcp::gdal::quiet silence;
    return count > 0 && !OGRFeatureUniquePtr{layer.GetFeature(count - 1)};
}

}  // namespace

GIntBig lacking_in_index(OGRLayer& layer) {
    auto* const owner = layer.GetDataset();
    if (!owner || !EQUAL(owner->GetDriverName(), "GPKG") || !layer.TestCapability(OLCFastSpatialFilter)) return 0;
    const gdalmcp::gdal::quiet silence;
    const std::string table = layer.GetName(), geometry = layer.GetGeometryColumn();
    // SQLite keeps the rows of an R-tree in a table of this name. It counts a million in 4 ms; those of the layer
    // itself take five times as long, and where SQL changed them, the number that a GeoPackage declares is wrong as
    // well: so the highest ids are compared, too.
    const auto rows = quoted("rtree_" + table + "_" + geometry + "_rowid"), features = quoted(table);
    const auto indexed = number_of(*owner, "SELECT count(*) FROM " + rows);
    if (indexed < 0) return 0;
    const auto highest = [&](const std::string& of) { return number_of(*owner, "SELECT max(rowid) FROM " + of); };
    if (indexed == layer.GetFeatureCount(FALSE) && highest(rows) == highest(features)) return 0;
    // Features without a geometry are in no index.
    return std::max<GIntBig>(0, number_of(*owner, "SELECT count(*) FROM " + features + " WHERE " + quoted(geometry) +
                                                      " IS NOT NULL AND rowid NOT IN (SELECT rowid FROM " + rows +
                                                      ") AND ST_IsEmpty(" + quoted(geometry) + ") IS NOT 1"));
}

bool has_whole_index(GDALDataset& owner, OGRLayer& layer) {
    if (!layer.TestCapability(OLCFastSpatialFilter) || is_cut(owner, layer)) return false;
    const auto lacking = lacking_in_index(layer);
    if (lacking > 0)
        CPLError(CE_Warning, CPLE_AppDefined,
                 "the spatial index of layer '%s' lacks " CPL_FRMT_GIB " %s: it was not used", layer.GetName(), lacking,
                 lacking == 1 ? "feature" : "features");
    return lacking == 0;
}

}  // namespace gdalmcp_vector
