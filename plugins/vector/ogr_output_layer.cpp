#include "ogr_output_layer.hpp"

#include <gdalmcp/gdal_arcs.hpp>
#include <gdalmcp/gdal_collect.hpp>
#include <gdalmcp/gdal_table_values.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "ogr_aggregates.hpp"
#include "ogr_census.hpp"
#include "ogr_shapes.hpp"

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

CPLStringList creation_options(const format& f, OGRLayer& source, OGRwkbGeometryType type) {
    CPLStringList options;
    const auto& defn = *source.GetLayerDefn();
    const std::string driver = f.driver;
    if (driver == "GPKG") {
        const std::string id = source.GetFIDColumn(), geometry = source.GetGeometryColumn();
        options.SetNameValue("FID", free_name(defn, id.empty() ? "fid" : id).c_str());
        options.SetNameValue("GEOMETRY_NAME", free_name(defn, geometry.empty() ? "geom" : geometry).c_str());
    } else if (driver == "ESRI Shapefile") {
        options.SetNameValue("ENCODING", "UTF-8");
        // The date that a GeoPackage would state; by itself the driver takes today's.
        if (const char* date = CPLGetConfigOption("OGR_CURRENT_DATE", nullptr); date && std::strlen(date) >= 10)
            options.SetNameValue("DBF_DATE_LAST_UPDATE", std::string(date, 10).c_str());
    } else if (driver == "GeoJSON") {
        options.SetNameValue("RFC7946", "YES");
    } else if (driver == "CSV") {
        if (type != wkbNone) options.SetNameValue("GEOMETRY", "AS_WKT");
        options.SetNameValue("CREATE_CSVT", "YES");
    }
    return options;
}

// The name of a source's layer, which may be that of a file, or one that a GeoPackage takes.
std::string name_in(const format& f, const std::string& name, const notice& say) {
    if (!EQUAL(f.driver, "GPKG")) return name;
    std::string start;
    for (const char* reserved : {"gpkg", "sqlite_"})
        if (STARTS_WITH_CI(name.c_str(), reserved)) start = reserved;
    constexpr const char* marks = "`~!@#$%^&*()+-={}|[]\\:\";'<>?,./";
    if (start.empty() && std::strspn(name.c_str(), marks) > 0) start = name.substr(0, 1);
    if (start.empty()) return name;
    auto other = "layer_" + name;
    say("layer '" + name + "' is called '" + other + "': a GeoPackage takes no name that begins with " + start);
    return other;
}

// Removes from a copy of a source's field whatever the output's driver cannot hold.
void adapt(OGRFieldDefn& field, GDALDataset& out, GDALDataset& source_dataset, const notice& say) {
    auto& driver = *out.GetDriver();
    const std::string given = field.GetNameRef();
    if (EQUAL(driver.GetDescription(), "ESRI Shapefile"))
        field.SetName(shapefile_name(given, *out.GetLayer(0)->GetLayerDefn()).c_str());
    const std::string name = field.GetNameRef();
    if (name != given) say("field '" + given + "' is called '" + name + "': a Shapefile has 10 bytes for a name");
    if (!lists_word(driver.GetMetadataItem(GDAL_DMD_CREATIONFIELDDATATYPES),
                    OGRFieldDefn::GetFieldTypeName(field.GetType()))) {
        say("field '" + name + "' is written as text: " + driver.GetDescription() + " has no type " +
            OGRFieldDefn::GetFieldTypeName(field.GetType()));
        field.SetSubType(OFSTNone);
        field.SetType(OFTString);
        field.SetWidth(0);
        field.SetPrecision(0);
    }
    if (field.GetType() == OFTDate && EQUAL(driver.GetDescription(), "FlatGeobuf"))
        say("the dates of field '" + name +
            "' are read back with a time of 00:00: FlatGeobuf has no type for dates alone");
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
                            !out.AddFieldDomain(std::unique_ptr<OGRFieldDomain>(definition->Clone()), reason))) {
            if (const auto values = coded_values(source_dataset, field); !values.empty())
                say("field '" + name + "' loses the meanings of its values, " + values + ": " +
                    driver.GetDescription() + " has none; write to .gpkg to keep them");
            field.SetDomainName({});
        }
    }
}

}  // namespace

std::string coded_values(const GDALDataset& of, const OGRFieldDefn& field) {
    const auto* domain = field.GetDomainName().empty() ? nullptr : of.GetFieldDomain(field.GetDomainName());
    if (!domain || domain->GetDomainType() != OFDT_CODED) return {};
    constexpr int most = 8;
    std::string text;
    int n = 0;
    for (const auto* v = static_cast<const OGRCodedFieldDomain*>(domain)->GetEnumeration(); v && v->pszCode; ++v)
        if (v->pszValue && n++ < most) text += (text.empty() ? "" : ", ") + std::string{v->pszCode} + " " + v->pszValue;
    return n > most ? text + " and " + std::to_string(n - most) + " more" : text;
}

std::vector<int> all_fields(const OGRFeatureDefn& defn) {
    std::vector<int> indexes;
    for (int i = 0; i < defn.GetFieldCount(); ++i) indexes.push_back(i);
    return indexes;
}

output_layer::output_layer(GDALDataset& out, const format& f, GDALDataset& source_dataset, OGRLayer& source,
                           const layer_design& design, notice say)
    : format_{f}, say_{std::move(say)}, design_{design}, losses_{f} {
    const std::string of = source_dataset.GetDriverName();
    ids_are_places_ = of == "CSV" || of == "XLSX" || of == "ODS" || of == "XLS";
    auto& driver = *out.GetDriver();
    const std::string driver_name = f.driver;
    if (design_.type == wkbNone && (driver_name == "ESRI Shapefile" || driver_name == "FlatGeobuf"))
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             "layer '" + std::string{source.GetName()} + "' is a table without geometries, which a " +
                                 (driver_name == "FlatGeobuf" ? "FlatGeobuf" : "Shapefile") + " cannot hold",
                             "write to .gpkg or .csv"};
    if (source.GetLayerDefn()->GetGeomFieldCount() > 1)
        say_("layer '" + std::string{source.GetName()} + "' has " +
             std::to_string(source.GetLayerDefn()->GetGeomFieldCount()) +
             " geometry columns; only the first is written");
    // GeoJSON claims them in newer versions of GDAL, and writes points without.
    measures_ = can(driver, GDAL_DCAP_MEASURED_GEOMETRIES) && driver_name != "GeoJSON";
    curves_ = can(driver, GDAL_DCAP_CURVE_GEOMETRIES);
    surfaces_ = !STARTS_WITH(driver_name.c_str(), "GeoJSON") && driver_name != "KML";
    if (design_.multi && !OGR_GT_IsSubClassOf(design_.type, wkbGeometryCollection))
        design_.type = OGR_GT_GetCollection(design_.type);
    // Which features lose what is counted as they are written.
    if (!measures_) design_.type = OGR_GT_SetModifier(design_.type, OGR_GT_HasZ(design_.type), FALSE);
    if (!curves_) design_.type = OGR_GT_GetLinear(design_.type);
    if (driver_name == "FlatGeobuf" && design_.type == wkbUnknown && holds_heights(source))
        design_.type = OGR_GT_SetZ(design_.type);
    // The layer of a Shapefile or CSV file has the name of the file, whatever name is given.
    const bool by_file = driver_name == "ESRI Shapefile" || driver_name == "CSV";
    const std::string name = by_file ? CPLGetBasename(out.GetDescription()) : name_in(f, source.GetName(), say_);
    auto options = creation_options(f, source, design_.type);
    for (const auto& one : design_.options.layer) {
        const auto equals = one.find('=');
        options.SetNameValue(one.substr(0, equals).c_str(), one.substr(equals + 1).c_str());
    }
    if (EQUAL(f.driver, "GeoJSON") || EQUAL(f.driver, "GeoJSONSeq"))
        decimals_ = std::atoi(options.FetchNameValueDef("COORDINATE_PRECISION", "7"));
    auto crs = design_.type == wkbNone ? std::nullopt : crs_as_written(f, design_.crs);
    layer_ = out.CreateLayer(name.c_str(), crs ? &*crs : nullptr, design_.type, options.List());
    if (!layer_) gdalmcp::gdal::raise("cannot create layer '" + name + "'");
    // Description, units and the like, of features that stay what they are.
    if (of == "GPKG" && driver_name == "GPKG" && !design_.new_ids && CSLCount(source.GetMetadata()) > 0)
        layer_->SetMetadata(source.GetMetadata());
    create_fields(out, source_dataset, *source.GetLayerDefn());
}

// Attributes are addressed by field name: two fields of one name would be ambiguous.
void output_layer::refuse_twins(const OGRFeatureDefn& source) const {
    for (std::size_t k = 0; k < design_.fields.size(); ++k)
        for (std::size_t j = 0; j < k; ++j) {
            const char* name = source.GetFieldDefn(design_.fields[k])->GetNameRef();
            const char* other = source.GetFieldDefn(design_.fields[j])->GetNameRef();
            if (!EQUAL(name, other)) continue;
            const auto columns = "the columns " + std::to_string(design_.fields[j] + 1) + " and " +
                                 std::to_string(design_.fields[k] + 1);
            const bool same = std::strcmp(name, other) == 0;
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 same ? columns + " are both called '" + name + "'"
                                      : columns + ", '" + other + "' and '" + name + "', differ in case alone",
                                 std::string{"rename one of them in the source, or leave it out with 'attributes' of "
                                             "vector_query"} +
                                     (same ? "" : ", which names fields in their case")};
        }
}

void output_layer::create_fields(GDALDataset& out, GDALDataset& source_dataset, const OGRFeatureDefn& source) {
    refuse_twins(source);
    to_.assign(static_cast<std::size_t>(source.GetFieldCount()), -1);
    for (const int i : design_.fields) {
        OGRFieldDefn field{source.GetFieldDefn(i)};
        if (const auto other = design_.types.find(i); other != design_.types.end()) {
            field.SetSubType(OFSTNone);
            field.SetType(other->second);
            field.SetWidth(0);
            field.SetPrecision(0);
        }
        if (design_.new_ids) {
            field.SetNullable(TRUE);
            field.SetUnique(FALSE);
            field.SetDefault(nullptr);
        }
        adapt(field, out, source_dataset, say_);
        const int before = layer_->GetLayerDefn()->GetFieldCount();
        if (layer_->CreateField(&field) != OGRERR_NONE || layer_->GetLayerDefn()->GetFieldCount() != before + 1)
            gdalmcp::gdal::raise(std::string{"cannot create field '"} + field.GetNameRef() + "'",
                                 "leave it out, or write to a GeoPackage (.gpkg)");
        to_[static_cast<std::size_t>(i)] = before;
        if (becomes_text(*source.GetFieldDefn(i), *layer_->GetLayerDefn()->GetFieldDefn(before)))
            times_as_text_.emplace_back(i, before);
    }
    create_joined_fields(out);
    create_added_fields(source);
    constexpr int most = 1998;  // SQLite's 2000 columns, without the id and the geometry
    const int fields = layer_->GetLayerDefn()->GetFieldCount();
    if (fields > most && EQUAL(out.GetDriverName(), "GPKG"))
        throw gdalmcp::error{
            GDALMCP_UNSUPPORTED,
            "the result has " + std::to_string(fields) + " fields, and a GeoPackage holds " + std::to_string(most),
            "choose fields with 'attributes' of vector_query, or write to .csv"};
}

void output_layer::create_joined_fields(GDALDataset& out) {
    const auto& from = design_.joined;
    if (!from.definition) return;
    const auto& own = *layer_->GetLayerDefn();
    joined_to_.assign(static_cast<std::size_t>(from.definition->GetFieldCount()), -1);
    std::vector<std::string> both, called;
    for (const int i : from.fields) {
        OGRFieldDefn field{from.definition->GetFieldDefn(i)};
        std::string name = field.GetNameRef();
        if (own.GetFieldIndex(name.c_str()) >= 0) name = free_name(own, name + from.suffix);
        if (name != field.GetNameRef()) {
            both.emplace_back(field.GetNameRef());
            called.push_back(name);
        }
        field.SetName(name.c_str());
        // A feature without a partner has none.
        field.SetNullable(TRUE);
        field.SetUnique(FALSE);
        field.SetDefault(nullptr);
        adapt(field, out, *from.dataset, say_);
        const int at = own.GetFieldCount();
        if (layer_->CreateField(&field) != OGRERR_NONE || own.GetFieldCount() != at + 1)
            gdalmcp::gdal::raise("cannot create field '" + name + "'", "leave it out with 'fields'");
        joined_to_[static_cast<std::size_t>(i)] = at;
        if (becomes_text(*from.definition->GetFieldDefn(i), *own.GetFieldDefn(at)))
            joined_times_as_text_.emplace_back(i, at);
        joined_names_.emplace_back(own.GetFieldDefn(at)->GetNameRef());
    }
    const auto text = [](const auto& names) { return gdalmcp::gdal::detail::names_of_some(names); };
    if (!both.empty())
        say_("both layers have " + text(both) + ": the joined " +
             (both.size() == 1 ? "one is called " : "ones are called ") + text(called));
}

void output_layer::create_added_fields(const OGRFeatureDefn& source) {
    first_added_ = layer_->GetLayerDefn()->GetFieldCount();
    for (const auto& wanted : design_.added) {
        auto name = free_name(source, wanted.name);
        if (design_.joined.definition) name = free_name(*layer_->GetLayerDefn(), name);
        if (name != wanted.name)
            say_("the layer has a field '" + wanted.name + "' already: the new one is called '" + name + "'");
        OGRFieldDefn field{name.c_str(), wanted.type};
        if (layer_->CreateField(&field) != OGRERR_NONE) gdalmcp::gdal::raise("cannot create field '" + name + "'");
    }
}

void output_layer::add(const OGRFeature& source, std::unique_ptr<OGRGeometry> geometry,
                       const std::vector<double>& values, const OGRFeature* joined) {
    OGRFeatureUniquePtr feature{OGRFeature::CreateFeature(layer_->GetLayerDefn())};
    if (feature->SetFieldsFrom(&source, to_.data(), TRUE) != OGRERR_NONE)
        gdalmcp::gdal::raise("cannot convert the attributes of feature " + std::to_string(source.GetFID()));
    set_texts_of_times(*feature, source, times_as_text_);
    write(std::move(feature), source, std::move(geometry), values, joined);
}

void output_layer::add_joined(const OGRFeature& joined, std::unique_ptr<OGRGeometry> geometry,
                              const std::vector<double>& values) {
    OGRFeatureUniquePtr feature{OGRFeature::CreateFeature(layer_->GetLayerDefn())};
    for (int i = 0; i < feature->GetFieldCount(); ++i) feature->SetFieldNull(i);
    write(std::move(feature), joined, std::move(geometry), values, &joined);
}

void output_layer::write(OGRFeatureUniquePtr feature, const OGRFeature& source, std::unique_ptr<OGRGeometry> geometry,
                         const std::vector<double>& values, const OGRFeature* joined) {
    if (joined && feature->SetFieldsFrom(joined, joined_to_.data(), TRUE) != OGRERR_NONE)
        gdalmcp::gdal::raise("cannot convert the attributes of feature " + std::to_string(joined->GetFID()));
    if (joined) set_texts_of_times(*feature, *joined, joined_times_as_text_);
    for (std::size_t i = 0; !joined && i < joined_to_.size(); ++i)
        if (joined_to_[i] >= 0) feature->SetFieldNull(joined_to_[i]);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (const int at = first_added_ + static_cast<int>(i); std::isfinite(values[i]))
            feature->SetField(at, values[i]);
        else
            feature->SetFieldNull(at);
    if (format_.keeps_ids && !design_.new_ids) feature->SetFID(source.GetFID());
    OGREnvelope own;
    // These have no empty point, GML drops it, and a Shapefile writes null by itself.
    const bool empty = geometry && geometry->IsEmpty(), dropped = !surfaces_ || EQUAL(format_.driver, "GML");
    emptied_ += empty && (dropped || EQUAL(format_.driver, "ESRI Shapefile"));
    if (empty && dropped) geometry = nullptr;
    if (geometry) {
        if (auto polygons = surfaces_ ? nullptr : gdalmcp::gdal::surfaces_as_polygons(*geometry)) {
            geometry = std::move(polygons);
            ++as_polygons_;
        }
        const auto own_type = geometry->getGeometryType(), type = wkbFlatten(design_.type);
        if (type == wkbGeometryCollection && !OGR_GT_IsSubClassOf(wkbFlatten(own_type), type))
            geometry.reset(OGRGeometryFactory::forceTo(
                geometry.release(), OGR_GT_SetModifier(type, OGR_GT_HasZ(own_type), OGR_GT_HasM(own_type))));
        if (const bool curves = type == wkbMultiSurface || type == wkbMultiCurve; design_.multi || curves) {
            const auto multi = curves ? OGR_GT_SetModifier(type, OGR_GT_HasZ(own_type), OGR_GT_HasM(own_type))
                                      : OGR_GT_GetCollection(own_type);
            if (curves && wkbFlatten(own_type) == wkbGeometryCollection) geometry = gathered(std::move(geometry), type);
            geometry.reset(OGRGeometryFactory::forceTo(geometry.release(), multi));
        }
        if (!geometry->IsEmpty()) {
            geometry->getEnvelope(&own);
            require_finite(own);
            bounds_.Merge(own);
        }
        refuse_if_spoilt(*geometry, format_.driver, source.GetFID());
        count_losses(*geometry);
        // Not every driver does so by itself: that of Shapefiles refuses curves with z.
        if (!curves_ && geometry->hasCurveGeometry()) geometry = gdalmcp::gdal::straightened(*geometry);
        if (decimals_ > 0 && geometry->getDimension() == 2) count_spoilt(*geometry, source.GetFID());
        feature->SetGeometryDirectly(geometry.release());
    }
    repair_text(*feature);
    const bool cut = losses_.see(*feature);
    // With a spatial index, FlatGeobuf silently drops features without geometry.
    if (format_.sorts_features && design_.type != wkbNone &&
        (!feature->GetGeometryRef() || feature->GetGeometryRef()->IsEmpty())) {
        ++left_out_;
        return;
    }
    const auto* g = feature->GetGeometryRef();
    if (g && !g->IsEmpty() && EQUAL(format_.driver, "ESRI Shapefile")) {
        // GDAL writes polygons into a file of lines as their outlines.
        if (!dimension_) dimension_ = g->getDimension();
        if (*dimension_ != g->getDimension()) refuse_kind(source.GetFID(), *g);
    }
    const auto type = wkbFlatten(design_.type);
    const bool parts = g && EQUAL(format_.driver, "GPKG") && wkbFlatten(g->getGeometryType()) != type &&
                       wkbFlatten(g->getGeometryType()) == OGR_GT_GetCollection(type);
    several_parts_ += parts;
    std::optional<gdalmcp::gdal::quiet> told_at_the_end;
    if (cut || parts) told_at_the_end.emplace();
    if (layer_->CreateFeature(feature.get()) != OGRERR_NONE) refuse_feature(source.GetFID(), feature->GetGeometryRef());
    if (!format_.keeps_ids && !design_.new_ids && source.GetFID() != written_ + format_.first_id) ++renumbered_;
    ++written_;
}

void output_layer::refuse_feature(GIntBig id, const OGRGeometry* geometry) const {
    const auto feature = "feature " + std::to_string(id);
    const bool mixed = geometry && EQUAL(format_.driver, "ESRI Shapefile") &&
                       std::strstr(CPLGetLastErrorMsg(), "Attempt to write non-") != nullptr;
    if (std::strstr(CPLGetLastErrorMsg(), "UNIQUE constraint") && format_.keeps_ids && !design_.new_ids &&
        std::strstr(CPLGetLastErrorMsg(), layer_->GetFIDColumn())) {
        CPLErrorReset();
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             "several features of the source have the id " + std::to_string(id) + ", and " +
                                 std::string{format_.driver} + " holds each id once",
                             "number them anew: vector_convert to .fgb or .csv does, and its output can be used here"};
    }
    if (!mixed)
        gdalmcp::gdal::raise("cannot write " + feature,
                             std::strstr(CPLGetLastErrorMsg(), "geometry type")
                                 ? "this format holds one type of geometry; a .gpkg or .geojson output holds several"
                                 : "");
    CPLErrorReset();
    refuse_kind(id, *geometry);
}

void output_layer::refuse_kind(GIntBig id, const OGRGeometry& geometry) const {
    const auto type = layer_->GetLayerDefn()->GetGeomType();
    // Of points and their sets there is one each; polygons and lines stand beside sets of them.
    std::string kind = OGRToOGCGeomType(wkbFlatten(type));
    if (kind.starts_with("MULTI") && kind != "MULTIPOINT") kind = kind.substr(5);
    throw gdalmcp::error{
        GDALMCP_UNSUPPORTED,
        "feature " + std::to_string(id) + " is " + geometry_type_name(wkbFlatten(geometry.getGeometryType())) +
            ", and a Shapefile holds one kind of geometry, here " + geometry_type_name(wkbFlatten(type)),
        "write to .gpkg, or select one kind first, with vector_query and where \"OGR_GEOMETRY " +
            (kind.ends_with("POINT") ? "= '" + kind : "LIKE '%" + kind) + "'\""};
}

void output_layer::count_losses(OGRGeometry& geometry) {
    const bool any = wkbFlatten(design_.type) == wkbUnknown;
    if (geometry.IsMeasured() && (!measures_ || (!any && !OGR_GT_HasM(design_.type)))) {
        if (!OGR_GT_HasM(design_.type)) ++without_m_;
        geometry.setMeasured(FALSE);
    }
    if (!geometry.IsEmpty()) {
        ++(geometry.Is3D() ? high_ : flat_);
        measured_ += geometry.IsMeasured();
    }
    if (!curves_ && geometry.hasCurveGeometry(TRUE)) ++straightened_;
}

void output_layer::count_spoilt(const OGRGeometry& geometry, GIntBig id) {
    const double step = std::pow(10, decimals_);
    const std::unique_ptr<OGRGeometry> rounded{geometry.clone()};
    gdalmcp::gdal::for_each_vertex(*rounded, [step](OGRPoint& p) {
        p.setX(std::round(p.getX() * step) / step);
        p.setY(std::round(p.getY() * step) / step);
    });
    if (gdalmcp::gdal::invalid_reason(*rounded).empty() || !gdalmcp::gdal::invalid_reason(geometry).empty()) return;
    if (spoilt_++ == 0) first_spoilt_ = id;
}

void output_layer::repair_text(OGRFeature& feature) {
    bool repaired = false, cut = false;
    for (int i = 0; i < feature.GetFieldCount(); ++i) {
        if (feature.GetFieldDefnRef(i)->GetType() != OFTString || !feature.IsFieldSetAndNotNull(i)) continue;
        const std::string text = feature.GetFieldAsString(i), utf8 = in_utf8(text.c_str(), design_.encoding);
        if (utf8 == text) continue;
        (text.starts_with(utf8) ? cut : repaired) = true;
        feature.SetField(i, utf8.c_str());
    }
    recoded_ += repaired, cut_texts_ += cut;
}

void output_layer::tell_dimensions() {
    const std::string driver = format_.driver;
    const auto tell = [&](GIntBig n, const std::string& what) {
        if (n > 0)
            say_(std::to_string(n) + (n == 1 ? " feature " : " features ") + what + "; write to .gpkg to keep them");
    };
    // A Shapefile of any geometries takes the dimension of the first, where that is no surface (MultiPatch, with z);
    // FlatGeobuf has that of the layer.
    const auto type = layer_->GetLayerDefn()->GetGeomType();
    const bool shapefile = driver == "ESRI Shapefile", one_for_all = shapefile || driver == "FlatGeobuf";
    const bool surfaces = shapefile && wkbFlatten(type) == wkbUnknown;
    if (one_for_all && !OGR_GT_HasZ(type) && !surfaces)
        tell(high_, "lost the z values: this layer of " + driver + " has none");
    if (one_for_all && !OGR_GT_HasM(type)) tell(measured_, "lost the m values: this layer of " + driver + " has none");
    if (one_for_all && OGR_GT_HasZ(type))
        tell(flat_, "without z values got z = 0: in this layer of " + driver + " all have z");
}

void output_layer::finish() {
    if (written_ == 0 && EQUAL(format_.driver, "GeoJSONSeq"))
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             "no feature is left to write, and a GeoJSON text sequence of none is an empty file",
                             "write to .geojson or .gpkg, which hold a layer without features"};
    losses_.tell(say_);
    const std::string driver = format_.driver;
    const auto lost = [&](GIntBig n, const std::string& what) {
        if (n > 0) say_(std::to_string(n) + (n == 1 ? " feature " : " features ") + what);
    };
    tell_dimensions();
    lost(without_m_, "lost the m values: " + (measures_ ? "the layer declares none" : driver + " has none"));
    lost(straightened_, "had curves, which are written as straight segments: " + driver + " has none");
    lost(emptied_, "with an empty geometry, which becomes null: " + driver + " has none");
    lost(as_polygons_, "had surfaces, which are written as polygons: " + driver + " has none");
    lost(spoilt_, "became invalid in the " + std::to_string(decimals_) + " decimals of " + driver + ", the first is " +
                      std::to_string(first_spoilt_) +
                      "; write to .gpkg to keep them, or repair them with vector_validate and repair: true");
    lost(several_parts_, "of several parts in a layer of type " + geometry_type_name(design_.type));
    lost(left_out_, "without geometry left out: " + driver + " has no place for them; write to .gpkg to keep them");
    lost(cut_texts_, "had text that ends within a character, which is left out");
    lost(recoded_, "had text that is not UTF-8; it was read as " + design_.encoding);
    const auto& given = design_.options.layer;
    const bool unsorted = std::any_of(given.begin(), given.end(), [](const std::string& o) {
        return STARTS_WITH_CI(o.c_str(), "SPATIAL_INDEX=") && !CPLTestBool(o.c_str() + std::strlen("SPATIAL_INDEX="));
    });
    if (format_.sorts_features && !unsorted && written_ > 1 && !design_.new_ids)
        say_("feature ids and order are not kept: " + std::string{format_.driver} +
             " sorts features for its spatial index; use .gpkg to keep them");
    else if (renumbered_ > 0 && !ids_are_places_)
        say_("feature ids are not kept: " + std::string{format_.driver} + " numbers features by their place (" +
             std::to_string(renumbered_) + " of " + std::to_string(written_) + " changed); use .gpkg to keep them");
}

}  // namespace gdalmcp_vector
