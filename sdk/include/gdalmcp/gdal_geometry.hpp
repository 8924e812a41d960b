// gdalmcp/gdal_geometry.hpp — a geometry argument, placed in the CRS of a dataset. Header-only; link GDAL and PROJ.
//
//   const auto area = gdal::place_geometry(call[geometry], call[geometry_crs], {crs_of_the_layer, extent});
//   for (const auto& w : area.warnings) call.warn(w);
//   area.shape ...   // XY, valid, in the dataset's CRS
#pragma once
#include <cpl_json.h>
#include <gdalmcp/gdal_carrying.hpp>
#include <gdalmcp/gdal_collect.hpp>
#include <gdalmcp/gdal_extent.hpp>
#include <gdalmcp/gdal_operation.hpp>
#include <gdalmcp/standard.hpp>

namespace gdalmcp::gdal {

// Result fields of every tool with a geometry; its arguments are in standard.hpp.
inline const field<json_text> geometry_used{"geometry_used", "GeoJSON in geometry_crs; a large one by type and bbox"};
inline const field<std::string> geometry_crs_used{"geometry_crs", "CRS of geometry_used"};

// The dataset a geometry is placed on. An empty CRS: only boxes in its own coordinates can be placed.
struct frame {
    OGRSpatialReference crs;
    OGREnvelope extent{};               // in crs; not initialised = unknown
    std::string argument = "geometry";  // which is placed, and the one with its CRS: for messages
    std::string of_crs = "geometry_crs";
    bool of_features = false;  // of which none is twice where the extent holds places twice, as cells are
    std::string quoted() const { return "'" + argument + "'"; }
};

namespace detail {
// "MultiPolygon", as GeoJSON spells it.
inline std::string geojson_type(const OGRGeometry& g) {
    std::string name;
    for (const char* c = OGRGeometryTypeToName(wkbFlatten(g.getGeometryType())); *c; ++c)
        if (*c != ' ') name += *c;
    return name;
}
}  // namespace detail

struct placed_geometry {
    geometry_ptr shape;             // in the dataset's CRS, XY, valid, not empty
    geometry_ptr given;             // as read, XY, in given_crs
    OGRSpatialReference given_crs;  // the CRS it was read in
    GIntBig features = 0;           // of the dataset it was read from; 0: given as GeoJSON or as a box
    std::vector<std::string> said;  // assumptions worth a line
    std::vector<std::string> warnings;

    void tell(call& c) const {
        for (const auto& line : said) c.say(line);
        for (const auto& line : warnings) c.warn(line);
    }
    void put(place& p) const {
        CPLStringList precision;
        precision.SetNameValue("COORDINATE_PRECISION", given_crs.IsProjected() ? "4" : "9");
        char* text = OGR_G_ExportToJsonEx(OGRGeometry::ToHandle(given.get()), precision.List());
        std::string json = text ? text : "{}";
        CPLFree(text);
        if (json.size() > 1000 || features > 0) {
            OGREnvelope box;
            given->getEnvelope(&box);
            json = "{\"type\":" + json_quote(detail::geojson_type(*given)) + ",\"bbox\":" + box_text(box) +
                   (features > 0 ? ",\"features\":" + std::to_string(features) : std::string{}) + "}";
        }
        p.put(geometry_used, {json});
        p.put(geometry_crs_used, crs_label(given_crs));
    }
};

namespace detail {

// Whether equal coordinates mean the same place: x is first inside, so the authority's axis order does not matter.
inline bool coincide(const OGRSpatialReference& a, const OGRSpatialReference& b) {
    constexpr const char* options[] = {"CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS",
                                       "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", nullptr};
    return a.IsSame(&b, options) != FALSE;
}

inline std::string other_crs(const frame& on) {
    return on.crs.IsEmpty() ? "its CRS" : json_quote(on.of_crs) + ": " + json_quote(crs_text(on.crs));
}

// Degrees asked of a geographic CRS must be degrees: y within ±90, x within ±360 (0 to 360 is in use).
inline void check_degrees(const OGREnvelope& b, const OGRSpatialReference& srs, const frame& on) {
    if (!geographic(srs) || (b.MinY >= -90 && b.MaxY <= 90 && b.MinX >= -360 && b.MaxX <= 360)) return;
    if (const auto why = coincide(srs, on.crs) ? misplaced(on.extent, on.crs) : std::string{}; !why.empty())
        throw error{
            GDALMCP_INVALID_ARGUMENT, "the dataset cannot be queried by geometry: " + why,
            "reproject it with raster_reproject or vector_reproject, its true CRS in src_crs, and query the result"};
    const bool maps = !on.crs.IsEmpty() && !geographic(on.crs);
    const auto hint = "give longitude before latitude in degrees, or " +
                      (maps ? "give its CRS: " + other_crs(on) : "its CRS with '" + on.of_crs + "'");
    throw error{GDALMCP_INVALID_ARGUMENT,
                on.quoted() + " reaches " + box_text(b) + ", but its CRS " + crs_label(srs) + " is in degrees", hint};
}

inline void place_box(const std::array<double, 4>& b, bool crs_given, const frame& on, placed_geometry& out) {
    auto [minx, miny, maxx, maxy] = b;
    for (double v : b)
        if (!std::isfinite(v))
            throw error{GDALMCP_INVALID_ARGUMENT, on.quoted() + " holds a number that is not finite"};
    if (miny >= maxy || minx == maxx)
        throw error{GDALMCP_INVALID_ARGUMENT, on.quoted() + " " + box_text(minx, miny, maxx, maxy) + " has no area",
                    "give [minx, miny, maxx, maxy] with miny < maxy"};
    OGREnvelope box;
    box.MinX = std::min(minx, maxx), box.MaxX = std::max(minx, maxx), box.MinY = miny, box.MaxY = maxy;
    const bool projected = !out.given_crs.IsEmpty() && !out.given_crs.IsLocal() && !geographic(out.given_crs);
    // A dataset whose own coordinates are that small leaves no doubt.
    if (!crs_given && projected && within_degrees(box) && !(on.extent.IsInit() && within_degrees(on.extent)))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    on.quoted() + " " + box_text(minx, miny, maxx, maxy) +
                        " looks like degrees, but the dataset is in " + crs_label(on.crs) +
                        (on.extent.IsInit() ? " and covers " + extent_text(on.extent, on.crs) : ""),
                    "for longitude and latitude repeat the call with " + json_quote(on.argument) + ": " +
                        box_text(minx, miny, maxx, maxy) + ", " + json_quote(on.of_crs) +
                        ": \"OGC:CRS84\"; if it is in the dataset's units, with " + other_crs(on)};
    check_degrees(box, out.given_crs, on);
    if (minx < maxx) {
        out.given = rectangle(minx, miny, maxx, maxy);
        return;
    }
    if (!geographic(out.given_crs))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    on.quoted() + " " + box_text(minx, miny, maxx, maxy) + " has minx " + coordinate_text(minx) +
                        " > maxx " + coordinate_text(maxx) +
                        ", which only a geographic CRS allows (across the antimeridian)",
                    "give [minx, miny, maxx, maxy]: " + box_text(maxx, miny, minx, maxy)};
    auto both = std::make_unique<OGRMultiPolygon>();
    if (minx < 180) both->addGeometryDirectly(rectangle(minx, miny, 180, maxy).release());
    if (maxx > -180) both->addGeometryDirectly(rectangle(-180, miny, maxx, maxy).release());
    out.given = std::move(both);
    out.said.emplace_back("minx > maxx: the box crosses the antimeridian and was split there");
    if (const double width = 360 - (minx - maxx); width > 180)
        out.warnings.push_back("minx > maxx: the box was taken to run from " + coordinate_text(minx) +
                               " east over the antimeridian to " + coordinate_text(maxx) + ", " + number_text(width) +
                               " degrees wide; if it was not meant so, give " + box_text(maxx, miny, minx, maxy));
}

// The legacy `crs` member of GeoJSON 2008, where there is one.
inline std::optional<std::string> legacy_crs(const CPLJSONObject& root, const frame& on) {
    const auto crs = root["crs"];
    if (!crs.IsValid() || crs.GetType() != CPLJSONObject::Type::Object) return std::nullopt;
    const std::string name = crs["properties"]["name"].IsValid() ? crs["properties"]["name"].ToString() : "";
    if (name.empty())
        throw error{GDALMCP_INVALID_ARGUMENT, "the 'crs' member of " + on.quoted() + " does not name a CRS",
                    "leave it out and give '" + on.of_crs + "'"};
    return name;
}

inline void place_geojson(const std::string& text, const std::optional<gdalmcp::crs>& crs, const frame& on,
                          placed_geometry& out) {
    const quiet silence;
    CPLJSONDocument document;
    if (!document.LoadMemory(text)) throw error{GDALMCP_INVALID_ARGUMENT, on.quoted() + " is not JSON"};
    auto root = document.GetRoot();
    auto legacy = legacy_crs(root, on);
    const std::string type = root["type"].IsValid() ? root["type"].ToString() : "";
    if (type == "FeatureCollection")
        throw error{GDALMCP_INVALID_ARGUMENT, on.quoted() + " is a FeatureCollection",
                    "give one geometry or one Feature; several areas are one MultiPolygon"};
    auto body = type == "Feature" ? root["geometry"] : root;
    if (!legacy && type == "Feature" && body.IsValid()) legacy = legacy_crs(body, on);
    if (body["coordinates"].GetType() == CPLJSONObject::Type::Array && body["coordinates"].ToArray().Size() == 0)
        throw error{GDALMCP_INVALID_ARGUMENT, on.quoted() + " is empty", "give a geometry with coordinates"};
    const bool empty_feature = !body.IsValid() || body.GetType() != CPLJSONObject::Type::Object;
    if (!empty_feature) out.given.reset(OGRGeometryFactory::createFromGeoJson(body));
    if (!out.given)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    empty_feature ? on.quoted() + " is a Feature without a geometry"
                                  : on.quoted() + " is not a GeoJSON geometry (type '" + type + "')",
                    "give {\"type\":\"Polygon\",\"coordinates\":[[[x,y],…]]}, or a box [minx, miny, maxx, maxy]"};
    if (crs) {
        out.given_crs = crs_argument(crs->text, on.of_crs.c_str());
        if (legacy)
            if (const auto own = parse_crs(*legacy); !own || crs_text(*own) != crs_text(out.given_crs))
                throw error{
                    GDALMCP_INVALID_ARGUMENT,
                    "'" + on.of_crs + "' is " + crs->text + ", but the geometry's own 'crs' member names " + *legacy,
                    "remove one of the two"};
    } else if (legacy) {
        out.given_crs = crs_argument(*legacy, (on.argument + ".crs").c_str());
        out.said.push_back("the geometry's legacy 'crs' member was used: " + *legacy);
    } else {
        out.given_crs = *parse_crs("OGC:CRS84");
    }
    out.given->assignSpatialReference(nullptr);  // GDAL sets WGS 84 whatever the members declare
    out.given->flattenTo2D();
    out.given->setMeasured(FALSE);
    if (out.given->IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT, on.quoted() + " is empty", "give a geometry with coordinates"};
    OGREnvelope box;
    out.given->getEnvelope(&box);
    if (!crs && !legacy && !within_degrees(box)) {
        std::string hint = "repeat the call with the CRS the coordinates are in";
        if (!on.crs.IsEmpty()) hint += ", for the dataset's own: " + other_crs(on);
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            on.quoted() + " reaches " + box_text(box) + ", outside the longitudes and latitudes of GeoJSON's OGC:CRS84",
            hint};
    }
    check_degrees(box, out.given_crs, on);
    if (!geographic(out.given_crs)) return;
    if (const auto wide = first_wide_edge(*out.given, degrees_per_unit(out.given_crs)))
        out.warnings.push_back(on.quoted() + " has an edge from longitude " + number_text(wide->from) + " to " +
                               number_text(wide->to) + ": " + wide->taken_as("it") +
                               (crs || legacy ? "" : " with " + json_quote(on.of_crs) + ": \"OGC:CRS84\""));
}

constexpr std::size_t max_vertices = 1'000'000;  // of a dataset given as a geometry; some seconds of GEOS

// The features of a dataset with one layer, together.
inline void place_dataset(const std::string& path, const std::optional<gdalmcp::crs>& crs, const frame& on,
                          placed_geometry& out) {
    const auto source = gdalmcp::gdal::open(gdalmcp::vector{path});
    const std::string name = on.quoted() + " (" + path + ")";
    if (source->GetLayerCount() != 1) {
        std::string hint = "take one with vector_query and give its output as " + on.quoted() + "; layers: ";
        for (int i = 0; i < source->GetLayerCount(); ++i)
            hint += (i ? ", " : "") + std::string{source->GetLayer(i)->GetName()};
        if (source->GetLayerCount() == 0) hint = "give a dataset with one layer";
        throw error{GDALMCP_INVALID_ARGUMENT,
                    name + " has " + std::to_string(source->GetLayerCount()) + " layers, and one is needed", hint};
    }
    auto& layer = *source->GetLayer(0);
    out.given_crs = stated_crs(layer.GetSpatialRef());
    if (crs) {
        const auto given = crs_argument(crs->text, on.of_crs.c_str());
        if (!out.given_crs.IsEmpty() && !coincide(out.given_crs, given))
            throw error{
                GDALMCP_INVALID_ARGUMENT,
                "'" + on.of_crs + "' is " + crs->text + ", but " + name + " declares " + crs_label(out.given_crs),
                "leave " + on.of_crs + " out; it is for datasets that declare no CRS"};
        out.given_crs = given;
    }
    if (out.given_crs.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT, name + " has no CRS",
                    "give the CRS of its coordinates with '" + on.of_crs + "'"};
    wide_edges wide{out.given_crs};
    auto all = collect_features(layer, name, max_vertices, wide);
    if (!all.shape)
        throw error{GDALMCP_INVALID_ARGUMENT, name + " has no feature with a geometry", "give a dataset with polygons"};
    out.given = std::move(all.shape);
    out.given->assignSpatialReference(nullptr);
    out.features = all.features;
    out.said.push_back(on.quoted() + " is " + std::to_string(all.features) +
                       (all.features == 1 ? " feature" : " features, together,") + " of layer '" + layer.GetName() +
                       "' in " + crs_label(out.given_crs));
    if (const auto text = wide.warning("the features of " + on.quoted()); !text.empty()) out.warnings.push_back(text);
    if (all.without_geometry > 0)
        out.warnings.push_back(std::to_string(all.without_geometry) +
                               (all.without_geometry == 1 ? " feature of " + on.quoted() + " has no geometry"
                                                          : " features of " + on.quoted() + " have no geometry"));
    if (!all.repaired.empty()) {
        std::string ids;
        for (std::size_t i = 0; i < std::min<std::size_t>(10, all.repaired.size()); ++i)
            ids += (i ? ", " : "") + std::to_string(all.repaired[i]);
        out.warnings.push_back("invalid outlines in " + on.quoted() +
                               " were repaired: " + std::to_string(all.repaired.size()) +
                               (all.repaired.size() == 1 ? " feature, id " : " features, ids ") + ids +
                               (all.repaired.size() > 10 ? ", …" : ""));
    }
    OGREnvelope box;
    out.given->getEnvelope(&box);
    check_degrees(box, out.given_crs, frame{OGRSpatialReference{}, {}, on.argument, on.of_crs});
}

// The shape in the turn around the Earth that an extent past ±180° belongs to, as those of grids of 0 to 360° are: what
// lies beyond one end of it comes in at the other. What an extent of more than a turn holds twice is where it is first,
// and for features in both places.
inline geometry_ptr around_the_globe(geometry_ptr shape, const frame& on) {
    if (!geographic(on.crs) || !on.extent.IsInit()) return shape;
    OGREnvelope own;
    shape->getEnvelope(&own);
    constexpr double rounding = 1e-7;  // degrees
    if (on.extent.MinX >= -180 - rounding && on.extent.MaxX <= 180 + rounding && own.MinX >= -180 && own.MaxX <= 180)
        return shape;
    const double width = on.extent.MaxX - on.extent.MinX;
    const double start = width < 360 ? (on.extent.MinX + on.extent.MaxX) / 2 - 180 : on.extent.MinX;
    auto domain = rectangle(start, own.MinY - 1, start + 360, own.MaxY + 1);
    if (on.of_features && width > 360)
        domain = rectangle(on.extent.MinX - 1, own.MinY - 1, on.extent.MaxX + 1, own.MaxY + 1);
    geometry_ptr all;
    for (const double turn : {0.0, 360.0, -360.0, 720.0, -720.0}) {
        geometry_ptr copy{shape->clone()};
        if (turn != 0) shift_x(*copy, turn);
        copy.reset(copy->Intersection(domain.get()));
        if (!copy || copy->IsEmpty() || copy->getDimension() < shape->getDimension()) continue;
        all = all ? geometry_ptr{all->Union(copy.get())} : std::move(copy);
    }
    return all ? std::move(all) : std::move(shape);
}

// Whether dissolving shared edges or repairing makes a shape valid without another area; else why it is invalid.
inline bool made_valid(geometry_ptr& shape, std::string& why) {
    why = invalid_reason(*shape);
    if (why.empty()) return true;
    const double before = extent_measure(*shape);
    const bool parts = wkbFlatten(shape->getGeometryType()) == wkbMultiPolygon;
    geometry_ptr mended{parts ? geometry_ptr{shape->UnionCascaded()} : nullptr};
    if (!mended || !invalid_reason(*mended).empty()) mended = repaired(*shape);
    if (!mended || mended->IsEmpty() || std::abs(extent_measure(*mended) - before) > 1e-6 * before) return false;
    shape = std::move(mended);
    return true;
}

inline geometry_ptr into_frame(const placed_geometry& in, const frame& on, std::vector<std::string>& warnings) {
    if (on.crs.IsEmpty() || coincide(in.given_crs, on.crs)) return geometry_ptr{in.given->clone()};
    const carrier way{in.given_crs, on.crs, on.extent};
    if (!way)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    on.quoted() + " is in " + crs_label(in.given_crs) +
                        ", from which PROJ has no transformation to the dataset's " + crs_label(on.crs),
                    "give it in the dataset's own, with " + other_crs(on)};
    auto found = way.carry(*in.given);
    if (found.shape && !found.shape->IsEmpty() && made_valid(found.shape, found.why)) {
        if (found.cut)
            warnings.push_back("parts of " + on.quoted() + " do not exist in " + crs_label(on.crs) +
                               "; it was first cut to the dataset's extent");
        return std::move(found.shape);
    }
    throw error{GDALMCP_INVALID_ARGUMENT,
                on.quoted() + " does not survive the transformation from " + crs_label(in.given_crs) +
                    " to the dataset's " + crs_label(on.crs) + ": " + found.why,
                on.extent.IsInit() ? "keep it near the dataset's extent: " + extent_text(on.extent, on.crs)
                                   : "keep it inside the area of use of the dataset's CRS"};
}

inline void check_operation(placed_geometry& out, const frame& on) {
    OGREnvelope box;
    out.given->getEnvelope(&box);
    const auto used = best_operation(out.given_crs, on.crs, wgs84_bounds(box, out.given_crs));
    if (used && used->ballpark)
        out.warnings.push_back(on.quoted() + " was placed without a datum shift between " + crs_label(out.given_crs) +
                               " and " + crs_label(on.crs) +
                               " (none is known): it may be off by up to hundreds of metres");
}

}  // namespace detail

// Reads a geometry argument and places it on a dataset. Defaults: GeoJSON is OGC:CRS84 unless it carries a legacy `crs`
// member, a box is in the dataset's CRS, a vector dataset in its own. Refused, each with the next step: degrees on a
// projected dataset, coordinates outside ±180/±90 in plain GeoJSON, minx > maxx outside geographic CRSs, empty and
// invalid geometries.
inline placed_geometry place_geometry(const gdalmcp::geometry& geometry, const std::optional<gdalmcp::crs>& crs,
                                      const frame& on) {
    placed_geometry out;
    if (on.crs.IsEmpty() && (crs || !geometry.bbox))
        throw error{
            GDALMCP_INVALID_ARGUMENT, "the dataset has no CRS, so a geometry in another CRS cannot be placed on it",
            "give " + on.quoted() + " as a box [minx, miny, maxx, maxy] in the dataset's own coordinates, without '" +
                on.of_crs + "', or give the dataset's CRS with 'src_crs' where the tool has it"};
    if (!geometry.path.empty()) {
        detail::place_dataset(geometry.path, crs, on, out);
    } else if (geometry.bbox) {
        out.given_crs = crs ? crs_argument(crs->text, on.of_crs.c_str()) : on.crs;
        out.given_crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        detail::place_box(*geometry.bbox, crs.has_value(), on, out);
    } else {
        detail::place_geojson(geometry.geojson, crs, on, out);
    }
    OGREnvelope box;
    out.given->getEnvelope(&box);
    check_coordinates(on.argument.c_str(), box);
    if (const auto why = invalid_reason(*out.given); !why.empty())
        throw error{
            GDALMCP_INVALID_ARGUMENT, on.quoted() + " is not valid: " + why,
            why.find("closed") != std::string::npos
                ? "end each ring with its first vertex"
                : "draw its rings so that they do not cross; a bow-tie becomes two triangles of a MultiPolygon"};
    out.shape = detail::into_frame(out, on, out.warnings);
    if (!on.crs.IsEmpty() && !detail::coincide(out.given_crs, on.crs)) detail::check_operation(out, on);
    out.shape = detail::around_the_globe(std::move(out.shape), on);
    return out;
}

}  // namespace gdalmcp::gdal
