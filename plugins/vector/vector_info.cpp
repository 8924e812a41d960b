// vector_info: the contents of a vector dataset, layer by layer.
#include "arguments.hpp"
#include "number_texts.hpp"
#include "ogr_field_marks.hpp"
#include "ogr_output_layer.hpp"
#include "tools.hpp"

#include <gdalmcp/gdal_table_form.hpp>
#include <gdalmcp/gdal_wide_edges.hpp>

#include <chrono>
#include <cmath>
#include <set>

namespace gdalmcp_vector::vector_info {

namespace {

using gdalmcp::arg;
using gdalmcp::field;
using gdalmcp::record;
using gdalmcp::table;

// Checking a million polygons takes minutes. By default, all layers together are checked for this long, but a thousand
// features for longer: what is found in a small layer must not depend on how busy the machine is.
constexpr std::chrono::milliseconds quick_look{200}, long_look{2000};
constexpr GIntBig always_checked = 1000;

// The time spent on checking, over all layers.
class check_clock {
public:
    explicit check_clock(bool all) : all_{all} {}
    void start() { started_ = std::chrono::steady_clock::now() - spent_; }
    void stop() { spent_ = std::chrono::steady_clock::now() - started_; }
    bool enough(GIntBig features) const {
        const auto spent = std::chrono::steady_clock::now() - started_;
        return !all_ && spent > (features < always_checked ? long_look : quick_look);
    }

private:
    const bool all_;
    std::chrono::steady_clock::time_point started_{};
    std::chrono::steady_clock::duration spent_{};
};

const auto only_layer =
    gdalmcp::standard::described(gdalmcp::standard::layer, "Describe this layer only. Default: all.");
const arg<bool> check_geometries{
    .name = "check_geometries", .about = "Check every feature, not only 1000 and what 0.2 s allow.", .fallback = false};

const field<std::string> driver{"driver", "GDAL's name of the format"};
const field<std::int64_t> layer_count{"layer_count", "Layers in the dataset"};

const field<std::string> name{"name", "Name of the layer"};
const field<std::string> geometry_type{
    "geometry_type", "Declared type: Point, MultiPolygon Z, …; 'any' when none is declared, 'None' without geometries"};
const auto feature_count = field<std::int64_t>{"feature_count", "Features in the layer", "features"}.optional();
const gdalmcp::gdal::crs_record crs{"crs", "CRS of the layer's coordinates"};
const gdalmcp::gdal::bounds_record bounds{"bounds", "Extent of the layer; left out when it holds no geometry"};
const record optional_bounds = bounds.all.optional();

const field<std::string> field_name{"name", "Name of the field"};
const field<std::string> field_type{"type", "Type: Integer, Integer64, Real, String, Date, Time, DateTime, Binary, …"};
const field<std::string> field_subtype =
    field<std::string>{"subtype", "Boolean, Int16, Float32, JSON or UUID; left out when there is none"}.optional();
const field<std::int64_t> field_width =
    field<std::int64_t>{"width", "Declared width; left out when not limited", "characters"}.optional();
const field<std::int64_t> field_precision =
    field<std::int64_t>{"precision", "Declared decimals; left out when not declared", "digits"}.optional();
const field<bool> field_nullable =
    field<bool>{"nullable", "false where the field may not hold null; left out where it may"}.optional();
const table fields{"fields",
                   "Attribute fields in the layer's order",
                   {field_name, field_type, field_subtype, field_width, field_precision, field_nullable}};

const field<std::string> id_column{"id_column", "Column of the feature ids; empty when ids are not stored"};
const field<std::string> geometry_column{"geometry_column", "Column of the geometries; empty when unnamed"};
const field<bool> spatial_index{"spatial_index", "Whether the file has a spatial index GDAL uses"};
const field<std::string> encoding =
    field<std::string>{"encoding", "Encoding of the attribute text, where the format declares it"}.optional();

const field<std::string> found_type{"type", "Geometry type as found"};
const field<std::int64_t> found_count{"count", "How many of it", "features"};
const table types_found = table{
    "geometry_types",
    "Geometry types found among the checked features; left out when not checked",
    {found_type, found_count}}.optional();
const field<std::int64_t> checked =
    field<std::int64_t>{"checked", "Features examined for the counts below; left out when not checked", "features"}
        .optional();
const field<std::int64_t> without_geometry =
    field<std::int64_t>{"without_geometry", "Checked features that have no geometry", "features"}.optional();
const field<std::int64_t> empty_count =
    field<std::int64_t>{"empty_count", "Checked features with an empty geometry", "features"}.optional();
const field<std::int64_t> damaged_count =
    field<std::int64_t>{"damaged_count", "Checked features the file does not hold whole (truncated, corrupted)",
                        "features"}
        .optional();
const field<std::int64_t> invalid_count =
    field<std::int64_t>{"invalid_count", "Checked features with a geometry GEOS finds invalid", "features"}.optional();
const invalid_table invalid{"invalid", "The first 10 of the invalid ones"};
const table optional_invalid = invalid.all.optional();
const field<std::string> recognised =
    field<std::string>{"recognised", "How a format without declared types or geometry was read"}.optional();
const field<std::vector<std::string>> layer_hints{"hints", "Cautions for this layer"};

const table layers{"layers",
                   "The layers, in the dataset's order",
                   {name, geometry_type, feature_count, crs.all, optional_bounds, fields, id_column, geometry_column,
                    spatial_index, encoding, recognised, types_found, checked, without_geometry, empty_count,
                    damaged_count, invalid_count, optional_invalid, layer_hints}};

void describe_fields(gdalmcp::place& at, const OGRFeatureDefn& defn) {
    at.begin(fields);
    for (int i = 0; i < defn.GetFieldCount(); ++i) {
        const auto& f = *defn.GetFieldDefn(i);
        auto row = at.add(fields);
        row.put(field_name, f.GetNameRef());
        row.put(field_type, OGRFieldDefn::GetFieldTypeName(f.GetType()));
        if (f.GetSubType() != OFSTNone) row.put(field_subtype, OGRFieldDefn::GetFieldSubTypeName(f.GetSubType()));
        if (f.GetWidth() > 0) row.put(field_width, f.GetWidth());
        if (f.GetPrecision() > 0) row.put(field_precision, f.GetPrecision());
        if (!f.IsNullable()) row.put(field_nullable, false);
    }
}

void describe_census(gdalmcp::place& at, const census& c) {
    at.begin(types_found);
    for (const auto& [type, count] : c.types) {
        auto row = at.add(types_found);
        row.put(found_type, type);
        row.put(found_count, count);
    }
    at.put(checked, c.features);
    at.put(without_geometry, c.without_geometry);
    at.put(empty_count, c.empty);
    at.put(damaged_count, c.damaged.count);
    at.put(invalid_count, c.invalid);
    if (c.invalid > 0) invalid.put(at, c.first_invalid);
}

std::string encoding_of(OGRLayer& layer) {
    const char* stored = layer.GetMetadataItem("SOURCE_ENCODING", "SHAPEFILE");
    return stored ? stored : "";
}

// Of a table without geometries: columns named as coordinates.
std::string coordinate_columns_of(OGRLayer& layer) {
    if (layer.GetGeomType() != wkbNone) return {};
    gdalmcp::gdal::detail::table_form form;
    for (const int i : all_fields(*layer.GetLayerDefn()))
        form.names.emplace_back(layer.GetLayerDefn()->GetFieldDefn(i)->GetNameRef());
    const auto found = gdalmcp::gdal::detail::coordinates_among(form);
    if (!found) return {};
    return "columns named as coordinates: vector_convert with x: '" + found->x + "', y: '" + found->y +
           "' makes points of them (decimal, or degrees, minutes and seconds)";
}

std::vector<std::string> hints_of(OGRLayer& layer, const OGREnvelope& extent, const std::string& format, GIntBig count,
                                  const census& c) {
    std::vector<std::string> all;
    if (layer.GetGeomType() != wkbNone && !gdalmcp::gdal::stated(layer.GetSpatialRef()))
        all.push_back(
            "the layer has no CRS: give it with src_crs (vector_query, vector_reproject) or zones_crs; without, "
            "geometry must be a box in its own coordinates");
    if (format == "ESRI Shapefile" && gdalmcp::gdal::recognised(layer).find("declares") != std::string::npos)
        all.push_back(
            "neither a .cpg file nor the .dbf declares the encoding: vector_convert with 'encoding' reads another");
    if (const auto columns = coordinate_columns_of(layer); !columns.empty()) all.push_back(columns);
    if (layer.GetLayerDefn()->GetGeomFieldCount() > 1)
        all.push_back("the layer has several geometry columns; tools use the first");
    if (layer.GetGeomType() != wkbNone && !layer.TestCapability(OLCFastSpatialFilter) && count > 10'000)
        all.push_back(
            "no spatial index: queries by geometry read every feature; vector_index makes one beside a .shp, "
            "vector_convert to .gpkg a copy with one");
    if (c.invalid > 0)
        all.push_back(std::to_string(c.invalid) + " invalid geometries: areas and overlays of them are not reliable");
    std::set<std::string> kinds;  // parts and dimensions aside: a Polygon beside a MultiPolygon is no surprise
    for (const auto& [type, count_of_type] : c.types) {
        const auto name_of_kind = type.substr(0, type.find(' '));
        kinds.insert(name_of_kind.compare(0, 5, "Multi") == 0 ? name_of_kind.substr(5) : name_of_kind);
    }
    if (kinds.size() > 1) all.push_back("mixed geometry types: lengths and areas mean different things for each");
    if (auto why = gdalmcp::gdal::misplaced(extent, gdalmcp::gdal::stated_crs(layer.GetSpatialRef())); !why.empty())
        all.push_back(std::move(why));
    if (!c.complete)
        all.push_back("only the first " + std::to_string(c.features) + " of " +
                      (count < 0 ? std::string{"the"} : std::to_string(count)) +
                      " features were checked; check_geometries: true checks all");
    return all;
}

// The values of the fields that mean something else than they say.
class odd_values {
public:
    odd_values(OGRLayer& layer, bool sheet)
        : sheet_{sheet}, marks_{layer, all_fields(*layer.GetLayerDefn())}, texts_(text_fields(*layer.GetLayerDefn())) {}
    void see(const OGRFeature& f) {
        marks_.see(f);
        for (auto& [field, values] : texts_)
            if (f.IsFieldSetAndNotNull(field)) values.see(f.GetFieldAsString(field));
    }
    void tell(OGRLayer& layer, std::vector<std::string>& hints) const {
        for (auto& text : marks_.said(marks_left_out::where)) hints.push_back(std::move(text));
        for (const bool all : {true, false}) tell_numbers(layer, all, hints);
    }

private:
    // Of the text fields all of whose values are numbers, or of the others with numbers.
    void tell_numbers(OGRLayer& layer, bool all, std::vector<std::string>& hints) const {
        std::vector<std::string> names;
        std::string share = "all values";
        for (const auto& [field, values] : texts_) {
            if (!values.misordered() || (values.numbers() == values.values()) != all) continue;
            names.emplace_back(layer.GetLayerDefn()->GetFieldDefn(field)->GetNameRef());
            if (!all && names.size() == 1)
                share = std::to_string(values.numbers()) + " of " + std::to_string(values.values()) + " values checked";
        }
        if (names.empty()) return;
        const bool one = names.size() == 1;
        hints.push_back(
            gdalmcp::gdal::detail::names_of_some(names) + (one ? " is text, and " : " are text, and ") + share +
            (one ? "" : " of '" + names.front() + "'") +
            " are numbers: " + call_for(names.front(), "number", names.front()) + " makes numbers of " +
            (one ? "it" : "them, one by one") +
            (all || !sheet_ ? "" : ", vector_convert with header_row: 1 as well, of marks such as NA null"));
    }
    static std::vector<std::pair<int, number_texts>> text_fields(const OGRFeatureDefn& defn) {
        std::vector<std::pair<int, number_texts>> all;
        for (const int i : all_fields(defn))
            if (const_cast<OGRFeatureDefn&>(defn).GetFieldDefn(i)->GetType() == OFTString)
                all.emplace_back(i, number_texts{});
        return all;
    }
    bool sheet_;
    marked_fields marks_;
    std::vector<std::pair<int, number_texts>> texts_;
};

void run(gdalmcp::call& call) {
    const auto source = open_source(call, gdalmcp::gdal::sql::none);
    std::vector<OGRLayer*> chosen;
    if (const auto wanted = call[only_layer])
        chosen.push_back(&gdalmcp::gdal::layer_of(*source, wanted));
    else
        for (auto* layer : source->GetLayers()) {
            gdalmcp::gdal::take_layer(*source, *layer);
            chosen.push_back(layer);
        }

    const std::string format = source->GetDriverName();
    call.put(driver, format);
    call.put(layer_count, source->GetLayerCount());
    call.begin(layers);
    std::string names;
    check_clock clock{call[check_geometries]};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        auto& layer = *chosen[i];
        const GIntBig stated = gdalmcp_vector::feature_count(layer);
        const double share = 1.0 / static_cast<double>(chosen.size());
        const double from = static_cast<double>(i) * share;
        clock.start();
        odd_values odd{layer, format == "XLSX" || format == "ODS" || format == "XLS"};
        const auto own_crs = gdalmcp::gdal::stated_crs(layer.GetSpatialRef());
        gdalmcp::gdal::wide_edges wide{own_crs};
        const auto c = take_census(
            layer, [&](GIntBig features) { return clock.enough(features); },
            call.part(from, from + share, "checking geometries"),
            [&](const OGRFeature& f) {
                odd.see(f);
                if (const auto* shape = f.GetGeometryRef()) wide.see(*shape, f.GetFID());
            });
        clock.stop();
        // -1: a format that reads all layers at once, such as OpenStreetMap's, does not count those of one.
        GIntBig count = stated >= 0 ? stated - gdalmcp::gdal::deleted_rows(layer) : c.complete ? c.features : -1;
        if (c.complete && c.damaged.unseen > 0 && !c.damaged.or_more)
            count = std::max(count, c.features + c.damaged.unseen);
        auto row = call.add(layers);
        row.put(name, layer.GetName());
        row.put(geometry_type, geometry_type_name(layer.GetGeomType()));
        if (count >= 0) row.put(feature_count, count);
        crs.put(row, own_crs);
        const bool all_read = c.complete && c.damaged.count == 0;
        const auto box = layer_extent(*source, layer, all_read ? std::optional{c.extent} : std::nullopt);
        if (box.IsInit()) {
            if (std::isfinite(box.MinX + box.MaxX + box.MinY + box.MaxY))
                bounds.put(row, box, own_crs);
            else
                call.warn("layer '" + std::string{layer.GetName()} +
                          "' holds coordinates that are not finite, so its extent is not known");
        }
        describe_fields(row, *layer.GetLayerDefn());
        row.put(id_column, layer.GetFIDColumn());
        row.put(geometry_column, layer.GetGeometryColumn());
        row.put(spatial_index, layer.TestCapability(OLCFastSpatialFilter) != FALSE);
        if (const auto text = encoding_of(layer); !text.empty()) row.put(encoding, text);
        if (const auto text = gdalmcp::gdal::recognised(layer); !text.empty()) row.put(recognised, text);
        if (c.complete || c.features > 0) describe_census(row, c);
        if (c.damaged.count > 0)
            call.warn("layer '" + std::string{layer.GetName()} + "': " +
                      c.damaged.said(c.damaged.count == 1 ? " is damaged or missing" : " are damaged or missing") +
                      ": " + c.damaged.first_reason);
        auto all_hints = hints_of(layer, box, format, count, c);
        odd.tell(layer, all_hints);
        if (auto text = wide.warning("the features"); !text.empty()) all_hints.push_back(std::move(text));
        for (const int at : all_fields(*layer.GetLayerDefn()))
            if (const auto& f = *layer.GetLayerDefn()->GetFieldDefn(at); !coded_values(*source, f).empty())
                all_hints.push_back(std::string{"'"} + f.GetNameRef() + "' has codes: " + coded_values(*source, f));
        row.put(layer_hints, all_hints);
        names += (i ? ", " : "") + std::string{layer.GetName()} + " (" + geometry_type_name(layer.GetGeomType()) +
                 (count < 0 ? ")" : ", " + std::to_string(count) + " features)");
    }
    pass_on_complaint(call);
    call.say(format + ": " + (names.empty() ? "no layers" : names));
}

}  // namespace

const gdalmcp::tool tool{{.name = "vector_info",
                          .title = "Describe a vector dataset",
                          .about = "Describes a vector dataset. Call it first: layers with geometry type, feature "
                                   "count, CRS, extent, fields, spatial index, invalid geometries.",
                          .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
                         run,
                         {uri, only_layer, check_geometries},
                         {driver, layer_count, layers}};

}  // namespace gdalmcp_vector::vector_info
