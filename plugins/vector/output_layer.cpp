#include "output_layer.hpp"

#include <algorithm>
#include <string>

namespace gdalmcp_vector {

namespace {

bool lists_word(const char* list, const char* word) {
    const CPLStringList words{CSLTokenizeString2(list ? list : "", " ", 0)};
    return words.FindString(word) >= 0;
}

bool can(GDALDriver& driver, const char* capability) {
    const char* yes = driver.GetMetadataItem(capability);
    return yes && CPLTestBool(yes);
}

// "fid" unless a field has that name, which GeoPackage would take for the id itself.
std::string free_name(const OGRFeatureDefn& fields, std::string wanted) {
    while (fields.GetFieldIndex(wanted.c_str()) >= 0) wanted += '_';
    return wanted;
}

CPLStringList creation_options(const format& f, OGRLayer& source) {
    CPLStringList options;
    const auto& defn = *source.GetLayerDefn();
    const std::string driver = f.driver;
    if (driver == "GPKG") {
        const std::string id = source.GetFIDColumn(), geometry = source.GetGeometryColumn();
        options.SetNameValue("FID", free_name(defn, id.empty() ? "fid" : id).c_str());
        options.SetNameValue("GEOMETRY_NAME", free_name(defn, geometry.empty() ? "geom" : geometry).c_str());
    } else if (driver == "ESRI Shapefile") {
        options.SetNameValue("ENCODING", "UTF-8");
    } else if (driver == "GeoJSON") {
        options.SetNameValue("RFC7946", "YES");
    }
    return options;
}

// Takes from a copy of a source's field what the output's driver cannot hold.
void adapt(OGRFieldDefn& field, GDALDataset& out, GDALDataset& source_dataset, const notice& say) {
    auto& driver = *out.GetDriver();
    const std::string name = field.GetNameRef();
    if (!lists_word(driver.GetMetadataItem(GDAL_DMD_CREATIONFIELDDATATYPES),
                    OGRFieldDefn::GetFieldTypeName(field.GetType()))) {
        say("field '" + name + "' is written as text: " + driver.GetDescription() + " has no type " +
            OGRFieldDefn::GetFieldTypeName(field.GetType()));
        field.SetSubType(OFSTNone);
        field.SetType(OFTString);
        field.SetWidth(0);
        field.SetPrecision(0);
    }
    if (field.GetSubType() != OFSTNone && !lists_word(driver.GetMetadataItem(GDAL_DMD_CREATIONFIELDDATASUBTYPES),
                                                      OGRFieldDefn::GetFieldSubTypeName(field.GetSubType())))
        field.SetSubType(OFSTNone);
    if (!can(driver, GDAL_DCAP_NOTNULL_FIELDS)) field.SetNullable(TRUE);
    if (!can(driver, GDAL_DCAP_DEFAULT_FIELDS)) field.SetDefault(nullptr);
    if (!can(driver, GDAL_DCAP_UNIQUE_FIELDS)) field.SetUnique(FALSE);
    if (const std::string domain = field.GetDomainName(); !domain.empty()) {
        const gdalmcp::gdal::quiet silence;
        const auto* definition = source_dataset.GetFieldDomain(domain);
        std::string reason;
        if (!definition || (!out.GetFieldDomain(domain) &&
                            !out.AddFieldDomain(std::unique_ptr<OGRFieldDomain>(definition->Clone()), reason)))
            field.SetDomainName({});
    }
}

}  // namespace

std::vector<int> all_fields(const OGRFeatureDefn& defn) {
    std::vector<int> indexes;
    for (int i = 0; i < defn.GetFieldCount(); ++i) indexes.push_back(i);
    return indexes;
}

output_layer::output_layer(GDALDataset& out, const format& f, GDALDataset& source_dataset, OGRLayer& source,
                           const layer_design& design, notice say)
    : format_{f}, say_{std::move(say)}, design_{design} {
    auto& driver = *out.GetDriver();
    const std::string driver_name = f.driver;
    if (design_.type == wkbNone && driver_name == "ESRI Shapefile")
        throw gdalmcp::error{
            GDALMCP_UNSUPPORTED,
            "layer '" + std::string{source.GetName()} + "' is a table without geometries, which a Shapefile cannot be",
            "write to .gpkg"};
    if (design_.multi) design_.type = OGR_GT_GetCollection(design_.type);
    if (OGR_GT_HasM(design_.type) && !can(driver, GDAL_DCAP_MEASURED_GEOMETRIES)) {
        say_("m values are left out: " + driver_name + " has none");
        design_.type = OGR_GT_SetModifier(design_.type, OGR_GT_HasZ(design_.type), FALSE);
    }
    if (OGR_GT_IsNonLinear(design_.type) && !can(driver, GDAL_DCAP_CURVE_GEOMETRIES)) {
        say_("curves are written as straight segments: " + driver_name + " has none");
        design_.type = OGR_GT_GetLinear(design_.type);
    }
    // A Shapefile's layer is called as its file, whatever name is asked for.
    const std::string name = driver_name == "ESRI Shapefile" ? CPLGetBasename(out.GetDescription()) : source.GetName();
    auto options = creation_options(f, source);
    // ICreateLayer takes a non-const CRS in GDAL 3.6; it is not changed.
    layer_ = out.CreateLayer(name.c_str(), const_cast<OGRSpatialReference*>(design_.crs), design_.type, options.List());
    if (!layer_) gdalmcp::gdal::raise("cannot create layer '" + name + "' in " + out.GetDescription());
    create_fields(out, source_dataset, *source.GetLayerDefn());
}

void output_layer::create_fields(GDALDataset& out, GDALDataset& source_dataset, const OGRFeatureDefn& source) {
    to_.assign(static_cast<std::size_t>(source.GetFieldCount()), -1);
    for (const int i : design_.fields) {
        OGRFieldDefn field{source.GetFieldDefn(i)};
        adapt(field, out, source_dataset, say_);
        const int before = layer_->GetLayerDefn()->GetFieldCount();
        if (layer_->CreateField(&field) != OGRERR_NONE || layer_->GetLayerDefn()->GetFieldCount() != before + 1)
            gdalmcp::gdal::raise(std::string{"cannot create field '"} + field.GetNameRef() + "'",
                                 "leave it out, or write to a GeoPackage (.gpkg)");
        to_[static_cast<std::size_t>(i)] = before;
    }
}

void output_layer::add(const OGRFeature& source, std::unique_ptr<OGRGeometry> geometry) {
    const OGRFeatureUniquePtr feature{OGRFeature::CreateFeature(layer_->GetLayerDefn())};
    if (feature->SetFieldsFrom(&source, to_.data(), TRUE) != OGRERR_NONE)
        gdalmcp::gdal::raise("cannot convert the attributes of feature " + std::to_string(source.GetFID()));
    if (format_.keeps_ids) feature->SetFID(source.GetFID());
    if (geometry) {
        if (design_.multi) {
            const auto multi = OGR_GT_GetCollection(geometry->getGeometryType());
            geometry.reset(OGRGeometryFactory::forceTo(geometry.release(), multi));
        }
        if (!geometry->IsEmpty()) {
            OGREnvelope own;
            geometry->getEnvelope(&own);
            bounds_.Merge(own);
        }
        if (OGR_GT_HasM(geometry->getGeometryType()) && !OGR_GT_HasM(design_.type) &&
            wkbFlatten(design_.type) != wkbUnknown)
            geometry->setMeasured(FALSE);
        feature->SetGeometryDirectly(geometry.release());
    }
    if (layer_->CreateFeature(feature.get()) != OGRERR_NONE)
        gdalmcp::gdal::raise("cannot write feature " + std::to_string(source.GetFID()));
    if (!format_.keeps_ids && source.GetFID() != written_) ++renumbered_;
    ++written_;
}

void output_layer::finish() {
    if (format_.sorts_features && written_ > 1)
        say_("feature ids and order are not kept: " + std::string{format_.driver} +
             " sorts features for its spatial index; use .gpkg to keep them");
    else if (renumbered_ > 0)
        say_("feature ids are not kept: " + std::string{format_.driver} + " numbers features by their place (" +
             std::to_string(renumbered_) + " of " + std::to_string(written_) + " changed); use .gpkg to keep them");
}

}  // namespace gdalmcp_vector
