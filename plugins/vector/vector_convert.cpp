// vector_convert: a layer or table in another format, as faithfully as that format allows.
#include "coordinates.hpp"
#include "ogr_field_marks.hpp"
#include "ogr_ground.hpp"
#include "ogr_layer_pass.hpp"
#include "ogr_selection.hpp"
#include "ogr_table_head.hpp"
#include "tools.hpp"

#include <gdalmcp/gdal_geometry.hpp>
#include <gdalmcp/gdal_same_crs.hpp>
#include <gdalmcp/gdal_table_values.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace gdalmcp_vector::vector_convert {

namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

const arg<gdalmcp::output_vector> file{
    .name = "output",
    .about = "File to write: .gpkg, .shp, .geojson, .geojsonl, .fgb, .csv (geometry as WKT), .kml, .gml.",
    .required_output = true};
const arg<std::optional<gdalmcp::choice>> driver{
    .name = "driver",
    .about = "Must agree with the extension, which decides.",
    .values = {"GPKG", "ESRI Shapefile", "GeoJSON", "GeoJSONSeq", "FlatGeobuf", "CSV", "KML", "GML"},
    .synonyms = {
        {"geopackage", "GPKG"}, {"shapefile", "ESRI Shapefile"}, {"shp", "ESRI Shapefile"}, {"libkml", "KML"}}};
const arg<std::optional<std::string>> sheet{.name = "sheet", .about = "Of a spreadsheet; the same as layer."};
const arg<std::optional<std::string>> encoding{.name = "encoding",
                                               .about = "Of undeclared text, such as CP1252. Default: found."};
const arg<std::optional<std::int64_t>> header_row{
    .name = "header_row",
    .about = "Line with the column names, from 1; 0: none. Default: found in text, 1 in sheets.",
    .min = 0,
    .max = 1000};
const arg<std::optional<gdalmcp::json_text>> types{
    .name = "types",
    .about = "Of fields: {\"zip\": \"String\"}; Integer, Integer64, Real, Date, DateTime. Default: as read."};
const arg<std::optional<std::string>> x_field{.name = "x",
                                              .about = "Column of x or longitude (decimal, DMS): makes points."};
const arg<std::optional<std::string>> y_field{.name = "y", .about = "Column with y or latitude."};
const arg<std::optional<gdalmcp::crs>> crs{.name = "crs",
                                           .about = "CRS of the coordinates where the data states none."};

const arg<std::optional<std::vector<std::string>>> options{
    .name = "options", .about = "Of the driver, KEY=VALUE; unknown ones are refused with the list."};

const field<std::string> used_driver{"driver", "GDAL's name of the format written"};
const field<std::string> layer{"layer", "Layer read"};
const field<std::string> geometry_type{"geometry_type", "Declared by the output"};
const field<std::string> text_encoding{"encoding", "Of the text written"};
const field<std::string> field_name{"name", "In the output"};
const field<std::string> field_type{"type", "In the output"};
const auto field_source = field<std::string>{"source", "Name in the source, where another"}.optional();
const gdalmcp::table fields{"fields", "In order", {field_name, field_type, field_source}};

void check_driver(gdalmcp::call& call) {
    const auto f = format_of(call[file].path);
    const auto wanted = call[driver];
    if (!wanted || wanted->value == f.driver) return;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "'driver' is " + wanted->value + ", but 'output' ends with " + f.extension + ", which is " + f.driver,
                "leave 'driver' out, or name the output after the format"};
}

// Throws for an encoding iconv does not know. "" for none given.
std::string checked_encoding(gdalmcp::call& call) {
    const auto given = call[encoding];
    if (!given) return {};
    const gdal::quiet silence;
    CPLErrorReset();
    char* probe = CPLRecode("a", given->c_str(), CPL_ENC_UTF8);
    const bool known = CPLGetLastErrorType() == CE_None && std::string{probe ? probe : ""} == "a";
    CPLFree(probe);
    if (known) return *given;
    throw error{GDALMCP_INVALID_ARGUMENT, "'encoding' is '" + *given + "', which iconv does not know",
                "use a name such as UTF-8, ISO-8859-15, CP1252, CP1251, SHIFT_JIS"};
}

OGRFieldType type_named(const std::string& name, const std::string& text) {
    for (const auto type : {OFTString, OFTInteger, OFTInteger64, OFTReal, OFTDate, OFTDateTime})
        if (EQUAL(text.c_str(), OGRFieldDefn::GetFieldTypeName(type))) return type;
    throw error{GDALMCP_INVALID_ARGUMENT, "'types' gives field '" + name + "' the type '" + text + "', an unknown one",
                "use String, Integer, Integer64, Real, Date or DateTime"};
}

// 'types', by the names of fields.
std::map<std::string, OGRFieldType> types_given(gdalmcp::call& call) {
    std::map<std::string, OGRFieldType> all;
    const auto given = call[types];
    if (!given) return all;
    CPLJSONDocument document;
    if (!document.LoadMemory(given->text)) throw error{GDALMCP_INVALID_ARGUMENT, "'types' is not JSON", {}};
    for (const auto& one : document.GetRoot().GetChildren())
        all[one.GetName()] = type_named(one.GetName(), one.ToString());
    return all;
}

// Names of the columns in another line than the first: the table is read from a copy.
gdal::dataset_ptr open_table(gdalmcp::call& call, std::int64_t row, gdal::table_reading how,
                             std::optional<std::string>& layer) {
    const auto path = call[uri].path;
    const bool text = gdal::detail::is_csv(path);
    const auto copy = call.new_scratch("table", text ? "." + std::string{CPLGetExtension(path.c_str())} : ".csv");
    if (text) {
        copy_table(path, copy, static_cast<int>(row));
    } else {
        copy_sheet(call[uri], layer, copy, static_cast<int>(row));
        layer.reset();
        how.encoding = "UTF-8";
        how.empty_is_null = true;
        how.of_sheet = true;
    }
    how.names_first = true;
    try {
        auto d = gdal::open(gdalmcp::vector{copy}, gdal::sql::any, how);
        // vector_info, which else tells of it, reads the table by itself.
        const auto said = gdal::recognised(*d->GetLayer(0));
        if (said.find("left out") != std::string::npos || said.find("read as null") != std::string::npos)
            call.warn(said);
        return d;
    } catch (const error&) {
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "what stands from 'header_row' " + std::to_string(row) + " on is no table in " + path,
                    "give the line that holds the names of the columns, the first is 1; of names over several lines "
                    "the first of these"};
    }
}

gdal::dataset_ptr open_as_told(gdalmcp::call& call, std::optional<std::string>& layer) {
    gdal::table_reading how{.encoding = checked_encoding(call)};
    for (const auto& [name, type] : types_given(call))
        if (type == OFTString) how.as_text.push_back(name);
    // Of a Shapefile: GDAL has no open option that reaches its .dbf alone.
    if (!how.encoding.empty()) CPLSetThreadLocalConfigOption("SHAPE_ENCODING", how.encoding.c_str());
    CPLErrorReset();
    const auto row = call[header_row];
    auto d = row ? open_table(call, *row, how, layer) : gdal::open(call[uri], gdal::sql::any, how);
    pass_on_complaint(call);
    return d;
}

source_layer open_convertible(gdalmcp::call& call) {
    auto name = call[only_layer_name];
    if (const auto sheet_name = call[sheet]) {
        if (name && *name != *sheet_name)
            throw error{GDALMCP_INVALID_ARGUMENT, "'layer' is " + *name + " and 'sheet' is " + *sheet_name,
                        "give one of them"};
        name = sheet_name;
    }
    source_layer s{open_as_told(call, name), nullptr, OGRSpatialReference{}, {}};
    s.layer = &gdal::layer_of(*s.dataset, name);
    const auto said = gdal::recognised(*s.layer);
    if (!said.empty()) call.say(said);
    s.crs = gdal::stated_crs(s.layer->GetSpatialRef());
    s.extent = layer_extent(*s.dataset, *s.layer);
    const auto given = call[crs];
    if (!given) return s;
    const auto told = gdal::crs_argument(given->text, "crs");
    if (!s.crs.IsEmpty() && said.empty() && !same_coordinates(s.crs, told))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'crs' is " + gdal::crs_label(told) + ", but the layer declares " + gdal::crs_label(s.crs),
                    "leave 'crs' out and use vector_reproject; if the layer's own is wrong, with its 'src_crs'"};
    s.crs = told;
    return s;
}

// Points from two columns.
struct point_columns {
    int x = -1, y = -1;
    bool degrees = false;  // longitude and latitude

    static coordinate at(const OGRFeature& f, int column) {
        const char* text = f.GetFieldAsString(column);
        if (const auto found = coordinate_of(text)) return *found;
        throw unusable{std::string{"its "} + f.GetFieldDefnRef(column)->GetNameRef() + " is '" + text +
                       "', no coordinate"};
    }
    bool given(const OGRFeature& f) const {
        return f.IsFieldSetAndNotNull(x) && f.IsFieldSetAndNotNull(y) && *f.GetFieldAsString(x) &&
               *f.GetFieldAsString(y);
    }
    // Why the row holds no longitude in x and no latitude in y; "": it does.
    std::string fault(const OGRFeature& f, const coordinate& east, const coordinate& north) const {
        const auto said = [&](int column, const char* why) {
            return std::string{"its "} + f.GetFieldDefnRef(column)->GetNameRef() + " is '" +
                   f.GetFieldAsString(column) + "', " + why;
        };
        if (east.hemisphere == 'N' || east.hemisphere == 'S') return said(x, "a latitude, and x is the longitude");
        if (north.hemisphere == 'E' || north.hemisphere == 'W') return said(y, "a longitude, and y is the latitude");
        if (!degrees) return {};
        if (std::abs(east.value) > 180) return said(x, "beyond 180 degrees of longitude");
        return std::abs(north.value) > 90 ? said(y, "beyond 90 degrees of latitude") : std::string{};
    }
    std::unique_ptr<OGRGeometry> of(const OGRFeature& f) const {
        if (!given(f)) return nullptr;
        const auto east = at(f, x), north = at(f, y);
        if (auto why = fault(f, east, north); !why.empty()) throw unusable{std::move(why)};
        return std::make_unique<OGRPoint>(east.value, north.value);
    }
};

// Where coordinates cannot be what their CRS or the names of their columns state.
void warn_of_place(gdalmcp::call& call, const OGREnvelope& box, const OGRSpatialReference& in) {
    if (!box.IsInit() || in.IsEmpty()) return;
    if (in.IsProjected() && gdal::detail::within_degrees(box)) {
        call.warn("the coordinates, " + gdal::box_text(box) + ", look like degrees, but are placed in " +
                  gdal::crs_label(in) + ", which is projected: for longitude and latitude give crs OGC:CRS84");
    } else if (const auto why = gdal::misplaced(box, in); !why.empty()) {
        call.warn(why);
    }
}

void warn_of_names(gdalmcp::call& call, const std::string& x, const std::string& y, const std::string& swapped) {
    const auto begins = [](const std::string& name, std::initializer_list<const char*> with) {
        return std::any_of(with.begin(), with.end(),
                           [&](const char* w) { return EQUALN(name.c_str(), w, std::strlen(w)); });
    };
    if (begins(x, {"lat", "northing"}) && begins(y, {"lon", "lng", "easting"}))
        call.warn("'" + x + "' is taken for x, which counts to the east, and '" + y +
                  "' for y: if the names are right, give " + swapped);
}

// Refuses columns most of whose rows hold the other axis, or no degrees where the CRS has them. A few such rows are
// refused one by one.
void check_axes(gdalmcp::call& call, const source_layer& from, point_columns& columns) {
    OGREnvelope box, inside;  // of all rows, and of those with degrees
    GIntBig rows = 0, crossed = 0, beyond = 0, swappable = 0, eastern = 0;
    bool sexagesimal = false;
    const auto look = [&](OGRFeature& f) {
        if (!columns.given(f)) return true;
        const auto px = coordinate_of(f.GetFieldAsString(columns.x)), py = coordinate_of(f.GetFieldAsString(columns.y));
        if (!px || !py) return true;
        ++rows;
        box.Merge(px->value, py->value);
        sexagesimal = sexagesimal || px->sexagesimal || py->sexagesimal;
        crossed += px->hemisphere == 'N' || px->hemisphere == 'S' || py->hemisphere == 'E' || py->hemisphere == 'W';
        const bool far = std::abs(px->value) > 180 || std::abs(py->value) > 90;
        beyond += far;
        eastern += px->value > 180 && px->value <= 360 && std::abs(py->value) <= 90;
        if (!far) inside.Merge(px->value, py->value);
        swappable +=
            far && std::abs(px->value) <= 90 && std::abs(py->value) <= 180 && !px->hemisphere && !py->hemisphere;
        return true;
    };
    left_out damaged;
    for_each_readable_feature(*from.layer, call.part(0.0, 0.05), look, damaged);
    auto& defn = *from.layer->GetLayerDefn();
    const std::string x = defn.GetFieldDefn(columns.x)->GetNameRef(), y = defn.GetFieldDefn(columns.y)->GetNameRef();
    const auto swapped = "{\"x\": \"" + y + "\", \"y\": \"" + x + "\"}";
    if (crossed * 2 > rows)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::to_string(crossed) + " of " + std::to_string(rows) + " rows have north or south in '" + x +
                        "' or east or west in '" + y + "'",
                    "x is the longitude: give " + swapped};
    columns.degrees = sexagesimal || (!from.crs.IsEmpty() && from.crs.IsGeographic());
    if (!columns.degrees || beyond * 2 <= rows) {
        warn_of_place(call, columns.degrees ? inside : box, from.crs);
        return warn_of_names(call, x, y, swapped);
    }
    throw error{GDALMCP_INVALID_ARGUMENT,
                std::to_string(beyond) + " of " + std::to_string(rows) + " rows have no longitude within 180 in '" + x +
                    "' and latitude within 90 degrees in '" + y + "'",
                swappable == beyond ? "the columns seem to be swapped: give " + swapped
                : eastern == beyond ? "they run from 0 to 360: vector_calc with {\"" + x + "\": \"where(" +
                                          field_reference(x) + " > 180, " + field_reference(x) + " - 360, " +
                                          field_reference(x) + ")\"} first makes longitudes of them"
                : sexagesimal ? "correct these values, or leave their rows out with vector_query"
                              : "give the 'crs' of these numbers if they are metres, or leave the rows out with "
                                "vector_query"};
}

std::optional<point_columns> columns_of(gdalmcp::call& call, OGRLayer& from) {
    const auto x = call[x_field], y = call[y_field];
    if (!x && !y) return std::nullopt;
    if (!x || !y)
        throw error{GDALMCP_INVALID_ARGUMENT, std::string{"'"} + (x ? "x" : "y") + "' is given alone",
                    "give both columns; fields: " + field_list(*from.GetLayerDefn())};
    const auto at = fields_named(from, {*x, *y});
    if (at.size() != 2) throw error{GDALMCP_INVALID_ARGUMENT, "'x' and 'y' name the same column", "give two columns"};
    return point_columns{at[0], at[1]};
}

// Of a text table, whose values are text until they are read, the source's types are changed: "007" stays "007".
std::map<int, OGRFieldType> types_of(gdalmcp::call& call, const source_layer& from) {
    std::map<int, OGRFieldType> all;
    const bool text_table = EQUAL(from.dataset->GetDriverName(), "CSV");
    for (const auto& [name, type] : types_given(call)) {
        const int at = fields_named(*from.layer, {name}).front();
        all[at] = type;
        auto& own = gdal::detail::changeable_field(*from.layer->GetLayerDefn(), at);
        // Decimal commas that GDAL reads would stay in a text.
        if (!text_table || (type == OFTReal && own.GetType() == OFTReal)) continue;
        own.SetSubType(OFSTNone);
        own.SetType(OFTString);
    }
    return all;
}

// A whole number that a double rounds.
bool is_rounded(const char* text) {
    char* end = nullptr;
    errno = 0;
    const auto v = std::strtoll(text, &end, 10);
    if (end == text || *end) return false;
    return errno != 0 || (std::abs(v) > (1LL << 53) && static_cast<long long>(static_cast<double>(v)) != v);
}

// Whether the text is a value of a type, so that nothing is lost by conversion.
bool is_value(const char* text, OGRFieldType type) {
    char* end = nullptr;
    switch (type) {
        case OFTInteger:
        case OFTInteger64: {
            errno = 0;
            const auto v = std::strtoll(text, &end, 10);
            return end != text && !*end && errno == 0 && (type == OFTInteger64 || v == static_cast<int>(v));
        }
        case OFTReal:
            return std::isfinite(std::strtod(text, &end)) && end != text && !*end && !is_rounded(text);
        default:
            return true;
    }
}

// Codes such as 007 that become numbers, by the place of their field.
struct lost_zeros {
    std::string first;
    GIntBig count = 0;
};
using zeros_by_field = std::map<int, lost_zeros>;

void check_types(OGRFeature& feature, const std::map<int, OGRFieldType>& wanted, zeros_by_field& lost) {
    for (const auto& [at, type] : wanted) {
        if (!feature.IsFieldSetAndNotNull(at) || type == OFTString) continue;
        const char* text = feature.GetFieldAsString(at);
        const bool number = type == OFTInteger || type == OFTInteger64 || type == OFTReal;
        if (number && gdal::detail::has_leading_zero(text) && lost[at].count++ == 0) lost[at].first = text;
        const bool date = type == OFTDate || type == OFTDateTime;
        const auto moment = date ? gdal::detail::iso_moment(text) : std::nullopt;
        if (!*text)
            feature.SetFieldNull(at);
        else if (moment && feature.GetFieldDefnRef(at)->GetType() == OFTString)
            feature.SetField(at, moment->text.c_str());
        else if (date ? !moment : !is_value(text, type))
            throw unusable{
                std::string{"its "} + feature.GetFieldDefnRef(at)->GetNameRef() + " is '" + text + "', no " +
                OGRFieldDefn::GetFieldTypeName(type) +
                (type == OFTReal && is_rounded(text) ? ", which would round it: use Integer64 or String" : "")};
    }
}

void tell_lost_zeros(gdalmcp::call& call, const OGRFeatureDefn& source, const zeros_by_field& lost,
                     const std::map<int, OGRFieldType>& wanted) {
    for (const auto& [at, zeros] : lost)
        call.warn(counted(zeros.count) + " have zeros before their '" + source.GetFieldDefn(at)->GetNameRef() +
                  "', such as '" + zeros.first + "', which are lost as " +
                  OGRFieldDefn::GetFieldTypeName(wanted.at(at)) +
                  ": leave the field out of 'types' to keep codes as text");
}

template <class Test>
bool any_text(const OGRFeature& f, const Test& test) {
    for (int i = 0; i < f.GetFieldCount(); ++i) {
        if (f.GetFieldDefnRef(i)->GetType() != OFTString || !f.IsFieldSetAndNotNull(i)) continue;
        if (test(std::string_view{f.GetFieldAsString(i)})) return true;
    }
    return false;
}

void put_fields(gdalmcp::call& call, const OGRFeatureDefn& source, const OGRFeatureDefn& written) {
    call.begin(fields);
    // Those of the format, which KML puts first.
    const int own = std::max(0, written.GetFieldCount() - source.GetFieldCount());
    for (int i = 0; i < written.GetFieldCount(); ++i) {
        auto row = call.add(fields);
        row.put(field_name, written.GetFieldDefn(i)->GetNameRef());
        row.put(field_type, OGRFieldDefn::GetFieldTypeName(written.GetFieldDefn(i)->GetType()));
        if (i >= own && !EQUAL(written.GetFieldDefn(i)->GetNameRef(), source.GetFieldDefn(i - own)->GetNameRef()))
            row.put(field_source, source.GetFieldDefn(i - own)->GetNameRef());
    }
}

// Options of the caller that round what is written.
void tell_rounding(gdalmcp::call& call, const layer_options& given) {
    for (const auto& option : given.layer) {
        char* name = nullptr;
        const char* value = CPLParseNameValue(option.c_str(), &name);
        const std::unique_ptr<char, decltype(&VSIFree)> freed{name, &VSIFree};
        if (!name || !value) continue;
        if (EQUAL(name, "COORDINATE_PRECISION")) {
            constexpr double metres_per_degree = 111320, unnoticed = 0.1;
            const double step = std::pow(10, -std::atoi(value)), moved = step * metres_per_degree * std::sqrt(0.5);
            if (moved > unnoticed)
                call.warn(option + " rounds coordinates to " + gdalmcp::gdal::number_text(step) +
                          " degrees: points move by up to " + gdalmcp::gdal::number_text(std::round(moved * 10) / 10) +
                          " m");
        }
        if (EQUAL(name, "SIGNIFICANT_FIGURES"))
            call.warn(option + " rounds coordinates and numbers to " + value + " significant digits");
    }
}

void run(gdalmcp::call& call) {
    check_driver(call);
    auto from = open_convertible(call);
    auto points = columns_of(call, *from.layer);
    const auto types_wanted = types_of(call, from);
    layer_design design{points ? wkbPoint : from.layer->GetGeomType(), !points && wants_multi(from, false), nullptr,
                        all_fields(*from.layer->GetLayerDefn())};
    design.types = types_wanted;
    if (const auto given = call[options]) design.options = read_options(format_of(call[file].path), *given);
    tell_rounding(call, design.options);
    if (const auto text = call[encoding]) design.encoding = *text;
    if (points && !call[crs]) from.crs.Clear();
    if (points)
        check_axes(call, from, *points);
    else if (call[crs])
        warn_of_place(call, from.extent, from.crs);
    if (design.type != wkbNone && from.crs.IsEmpty())
        call.warn("no CRS is stated: give it with 'crs' where it is known");
    layer_pass pass{call, from, design};
    put_fields(call, *from.layer->GetLayerDefn(), pass.result().definition());
    const std::string written = format_of(call[file].path).driver;
    const bool kml = written == "KML";
    // Formats of WGS 84, whose drivers cut what spans more than half a turn at the antimeridian as if it went over it.
    std::optional<ground> turns;
    if ((kml || STARTS_WITH(written.c_str(), "GeoJSON")) && !from.crs.IsEmpty() && from.crs.IsGeographic())
        turns.emplace(from.crs);
    GIntBig without = 0, padded = 0, empty = 0;
    zeros_by_field lost;
    pass.run(call, "converting", [&](OGRFeature& feature) {
        check_types(feature, types_wanted, lost);
        std::unique_ptr<OGRGeometry> geometry{points ? points->of(feature)
                                                     : std::unique_ptr<OGRGeometry>{feature.StealGeometry()}};
        without += points && !geometry;
        if (turns && geometry) turns->check_turns(*geometry);
        if (kml || written == "GML")
            padded += any_text(feature, [](auto text) { return text.starts_with(' ') || text.ends_with(' '); });
        if (written == "ESRI Shapefile") empty += any_text(feature, [](auto text) { return text.empty(); });
        pass.add(feature, std::move(geometry));
        return true;
    });
    pass.finish(call);
    if (padded > 0) call.warn(counted(padded) + " with blanks around a text, which " + written + " does not keep");
    tell_lost_zeros(call, *from.layer->GetLayerDefn(), lost, types_wanted);
    if (without > 0) call.warn(counted(without) + " without coordinates in 'x' or 'y' have no geometry");
    if (written == "CSV" || written == "GML" || kml || empty > 0)
        call.warn(written + " has one value for null and for empty text");
    call.put(used_driver, written);
    call.put(layer, from.layer->GetName());
    call.put(geometry_type, geometry_type_name(pass.result().type()));
    call.put(text_encoding, "UTF-8");
    call.say(counted(pass.result().written()) + " written as " + written);
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_convert",
     .title = "Convert a vector dataset or table",
     .about = "Writes a layer or table in another format; what the format cannot hold is named in 'warnings'.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, file, driver, only_layer_name, encoding, header_row, sheet, types, x_field, y_field, crs, options,
     skip_failed, overwrite},
    {used_driver, layer, features_written, geometry_type, text_encoding, layer_crs.all, fields, failed_ids,
     failed_count}};

}  // namespace gdalmcp_vector::vector_convert
