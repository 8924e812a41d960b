#include <gdalmcp/evidence.hpp>
#include <gdalmcp/gdal_extent.hpp>
#include <gdalmcp/standard.hpp>

#include "evidence_tools.hpp"
#include "gdal_distortion_subject.hpp"
#include "gdal_map_scale.hpp"
#include "vector/ogr_format.hpp"

namespace gdalmcp_raster::crs_distortion {
namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace evidence = gdalmcp::evidence;

const arg<std::optional<gdalmcp::dataset>> uri{.name = "uri",
                                               .about = "The data: a raster or vector dataset with a CRS."};
const arg<std::optional<gdalmcp::vector>> features{.name = "features",
                                                   .about = "Instead of 'uri': a vector dataset, or inline GeoJSON."};
const arg<gdalmcp::crs> crs{
    .name = "crs", .about = "The CRS under consideration, in any spelling PROJ knows.", .examples = {"\"EPSG:3857\""}};
const arg<std::optional<gdalmcp::crs>> src_crs{.name = "src_crs",
                                               .about = "CRS to read the data in. Default: their own."};
const auto layer = gdalmcp::standard::described(
    gdalmcp::standard::layer, "Layer of a vector dataset; needed where it holds several. Default: the only one.");
const arg<std::optional<std::vector<gdalmcp::crs>>> alternatives{
    .name = "alternatives",
    .about =
        "CRSs to compare with, beside the data's own and a local equal-area one. Default: the UTM zone of the centre "
        "for data at most 6 degrees wide, else EPSG:6933.",
    .min_items = 1,
    .max_items = 5};

const arg<std::optional<std::vector<double>>> bounds_wanted{
    .name = "bounds",
    .about = "The part of the data to measure for, [minx, miny, maxx, maxy] in bounds_crs. Default: all.",
    .min_items = 4,
    .max_items = 4};
const arg<std::optional<gdalmcp::crs>> bounds_crs{.name = "bounds_crs", .about = "Default: crs."};
const arg<std::optional<std::string>> target{.name = "target",
                                             .about = "File of features the result would be written to."};

const field<std::string> code{"crs", "AUTHORITY:CODE, PROJ string or WKT 2"};
const field<std::string> role_field{"role",
                                    "proposed, own (of the data), alternative, or local_equal_area (LAEA around "
                                    "the centre of the data)"};
const field<std::string> kind{"kind", "projected or geographic (no scale, see degree_sizes)"};
const auto areal_mean =
    field<double>{"areal_scale_mean", "Area on the map / true area, over the extent", "ratio"}.optional();
const auto areal_min = field<double>{"areal_scale_min", "Smallest areal scale", "ratio"}.optional();
const auto areal_error = field<double>{"areal_error", "Greatest |areal scale - 1|", "share"}.optional();
const auto areal_max = field<double>{"areal_scale_max", "Greatest areal scale", "ratio"}.optional();
const auto angular_max =
    field<double>{"angular_distortion_max", "Greatest change of an angle; 0 = conformal", "degrees"}.optional();
const auto length_min =
    field<double>{"length_scale_min", "Smallest map length / true length in any direction", "ratio"}.optional();
const auto length_max =
    field<double>{"length_scale_max", "Greatest map length / true length in any direction", "ratio"}.optional();
const field<std::int64_t> undefined{"points_without_scale",
                                    "Points of the extent where the projection has no finite scale"};
const gdalmcp::record proposed{
    "proposed",
    "The CRS considered",
    {code, kind, areal_mean, areal_error, areal_min, areal_max, angular_max, length_min, length_max, undefined}};
const gdalmcp::table others{"others",
                            "CRSs to compare with",
                            {code, role_field, kind, areal_mean, areal_error, areal_min, areal_max, angular_max,
                             length_min, length_max, undefined}};

const field<double> latitude{"latitude", "Latitude", "degrees"};
const field<double> degree_of_longitude{"degree_of_longitude", "Of one degree of longitude", "m"};
const field<double> degree_of_latitude{"degree_of_latitude", "Of one degree of latitude", "m"};
const auto degree_sizes = gdalmcp::table{
    "degree_sizes",
    "A degree of a geographic CRS at the southern edge, middle and northern edge",
    {latitude, degree_of_longitude,
     degree_of_latitude}}.optional();

const field<std::string> coverage_field{"coverage",
                                        "The data against the area of use: inside, partly, outside or unknown"};
const auto area_box = field<std::vector<double>>{"area_of_use",
                                                 "Of the CRS [west, south, east, north]; west > east "
                                                 "crosses the antimeridian",
                                                 "degrees"}
                          .optional();
const auto area_name = field<std::string>{"area_of_use_name", "Its name"}.optional();
const auto extent_field =
    field<std::vector<double>>{"extent", "Of the data [west, south, east, north] in OGC:CRS84", "degrees"}.optional();
const auto area_ratio =
    field<double>{"area_ratio", "Polygons only: sum of their areas in the CRS / of their true ones", "ratio"}
        .optional();
const auto polygons_measured =
    field<std::int64_t>{"polygons_measured", "Polygons that area_ratio is of", "features"}.optional();

const auto moves_by = field<double>{"moves_by", "Coordinates in degrees move by", "m"}.optional();
const field<bool> is_own{"is_own", "'crs' is the data's own"};
const auto overrides = field<bool>{"overrides_own_crs",
                                   "src_crs places the data elsewhere; absent "
                                   "without it"}
                           .optional();
const field<std::string> own_crs{"own", "That of the data"}, given_crs{"given", "src_crs"};
const auto shift = field<double>{"shift", "Greatest distance of the same coordinates", "m"}.optional();
const field<std::string> effect{"effect", "The shift in a sentence"};
const auto override_record =
    gdalmcp::record{"override", "At corners and centre", {own_crs, given_crs, shift, effect}}.optional();

const auto misplaced_field = field<std::string>{"misplaced", "Why the data do not fit their CRS"}.optional();

struct candidate {
    OGRSpatialReference crs;
    std::string text, label, role;
    bool projected = false;
    distortion found;
};

// For the one-line summary: the code, else the caller's spelling, else the name.
std::string label_of(const OGRSpatialReference& srs, const std::string& written) {
    if (auto known = gdal::crs_code(srs); !known.empty()) return known;
    if (!written.empty() && written.size() <= 40) return written;
    return srs.GetName() && !EQUAL(srs.GetName(), "unknown") ? srs.GetName() : "a CRS without a name";
}

candidate make(const OGRSpatialReference& srs, const char* role, const lattice& at, const std::string& written = {}) {
    candidate c{srs, gdal::crs_text(srs), label_of(srs, written), role, srs.IsProjected() != FALSE, {}};
    const auto scale = map_scale::of(srs);
    std::vector<std::optional<indicatrix>> found;
    for (const auto& p : at.points) found.push_back(scale && p ? scale->at((*p)[0], (*p)[1]) : std::nullopt);
    c.found = summarise(found, at.weights);
    return c;
}

std::vector<candidate> comparisons(gdalmcp::call& call, const subject& s, const lattice& at, const candidate& first) {
    std::vector<candidate> all;
    const auto add = [&](const OGRSpatialReference& srs, const char* role, const std::string& written = {}) {
        auto c = make(srs, role, at, written);
        for (const auto& known : all)
            if (known.text == c.text) return;
        if (c.text != first.text) all.push_back(std::move(c));
    };
    add(s.crs, "own");
    if (const auto asked = call[alternatives]) {
        for (const auto& a : *asked) add(gdal::crs_argument(a.text, "alternatives"), "alternative", a.text);
    } else if (const auto b = gdal::wgs84_bounds(s.extent, s.crs); b && at.centre()) {
        const auto [x, y] = *at.centre();
        const bool narrow = (*b)[2] - (*b)[0] >= 0 && (*b)[2] - (*b)[0] <= 6 && std::abs(y) < 80;
        const int zone = std::clamp(static_cast<int>(std::floor((x + 180) / 6)) + 1, 1, 60);
        const auto utm = gdal::parse_crs("EPSG:" + std::to_string((y >= 0 ? 32600 : 32700) + zone));
        const auto world = gdal::parse_crs("EPSG:6933");
        if (narrow ? utm : world) add(narrow ? *utm : *world, "alternative");
    }
    if (!at.centre()) return all;
    const auto tenth = [](double degrees) { return gdal::number_text(std::round(degrees * 10) / 10); };
    const std::string laea =
        "+proj=laea +lat_0=" + tenth((*at.centre())[1]) + " +lon_0=" + tenth((*at.centre())[0]) + " +datum=WGS84";
    if (const auto srs = gdal::parse_crs(laea)) {
        auto c = make(*srs, "local_equal_area", at);
        c.text = laea;
        c.label = "a local equal-area CRS";
        all.push_back(std::move(c));
    }
    return all;
}

void put_candidate(gdalmcp::place at, const candidate& c) {
    at.put(code, c.text);
    at.put(kind, std::string{c.projected ? "projected" : "geographic"});
    at.put(undefined, static_cast<std::int64_t>(c.found.undefined));
    if (c.found.points == 0) return;
    at.put(areal_mean, evidence::figure(c.found.areal_mean));
    at.put(areal_min, evidence::figure(c.found.areal_min));
    at.put(areal_error, evidence::figure(std::max(std::abs(c.found.areal_min - 1), std::abs(c.found.areal_max - 1))));
    at.put(areal_max, evidence::figure(c.found.areal_max));
    at.put(angular_max, evidence::figure(c.found.angular_max));
    at.put(length_min, evidence::figure(c.found.shortest));
    at.put(length_max, evidence::figure(c.found.longest));
}

// What the same piece of ground measures in each CRS. Left out where the scale is not known all over the data, and
// where the CRS is not meant for them. Points have no areas.
void put_comparison(gdalmcp::call& call, const candidate& first, const std::vector<candidate>& rest, coverage lies,
                    bool only_points) {
    if (!first.projected || first.found.undefined > 0 || first.found.points == 0 || lies != coverage::inside) return;
    // What the proposed CRS gets wrong most: of an equal-area one it is lengths.
    const auto& d = first.found;
    const double of_lengths = std::max(std::abs(d.shortest - 1), std::abs(d.longest - 1));
    const double departure = only_points ? of_lengths : greatest_departure(d);
    const bool areas = !only_points && std::max(std::abs(d.areal_min - 1), std::abs(d.areal_max - 1)) == departure;
    evidence::comparison found{areas         ? "area of the same piece of ground"
                               : only_points ? "distance of the same points"
                                             : "length of the same line",
                               {},
                               departure,
                               areas ? "x the true one" : "x the true length"};
    const auto add = [&](const std::string& name, const distortion& of) {
        found.values.push_back({name, areas ? of.areal_min : of.shortest});
        found.values.push_back({name, areas ? of.areal_max : of.longest});
    };
    add(first.label, first.found);
    found.values.push_back({"geodesic", 1});
    for (const auto& c : rest)
        if (c.found.points > 0 && (c.role == "local_equal_area" || (c.role == "own" && c.projected)))
            add(c.role == "own" ? c.label : c.role, c.found);
    evidence::put_spread(call, found);
}

// The clause about a src_crs that is not the data's own.
std::string put_override(gdalmcp::call& call, const subject& s) {
    if (!call[src_crs]) return "";
    constexpr double unnoticed = 0.001;  // m
    const auto metres = s.replaced ? ground_shift(s.extent, *s.replaced, s.crs) : std::optional{0.0};
    const auto& heights = s.heights;
    const bool moves = !metres || *metres >= unnoticed;
    call.put(overrides, moves || !heights.empty());
    if (!moves && heights.empty()) return "";
    const auto own = gdal::crs_label(*s.replaced), given = label_of(s.crs, call[src_crs]->text);
    auto at = call.at(override_record);
    at.put(own_crs, own);
    at.put(given_crs, given);
    if (metres) at.put(shift, evidence::figure(*metres));
    const auto moved = metres ? evidence::text(*metres) + " m" : "no corner has a place in both";
    const auto shifted = metres ? "the same coordinates shift by " + moved : moved;
    at.put(effect, heights.empty() ? shifted : moves ? shifted + ", " + heights : heights);
    return "src_crs " + given + " replaces the data's own " + own + " (shift: " + moved +
           (heights.empty() ? "" : "; " + heights) + ")";
}

std::string put_degrees(gdalmcp::call& call, const candidate& c, const std::array<double, 4>& bounds) {
    const gdalmcp::ellipsoid earth{c.crs.GetSemiMajor(), c.crs.GetInvFlattening()};
    call.begin(degree_sizes);
    std::vector<degree_size> found;
    for (const double y : {bounds[1], (bounds[1] + bounds[3]) / 2, bounds[3]}) {
        found.push_back(degree_at(std::clamp(y, -90.0, 90.0), earth));
        auto row = call.add(degree_sizes);
        row.put(latitude, y);
        row.put(degree_of_longitude, evidence::figure(found.back().longitude));
        row.put(degree_of_latitude, evidence::figure(found.back().latitude));
    }
    return c.label + " is in degrees: one degree is " + evidence::text(found[1].longitude / 1000) +
           " km east-west and " + evidence::text(found[1].latitude / 1000) + " km north-south in the middle (" +
           evidence::text(found[0].longitude / 1000) + " km east-west at the southern, " +
           evidence::text(found[2].longitude / 1000) + " km at the northern edge)";
}

// Between two CRSs in degrees only the datum is at stake.
std::string put_movement(gdalmcp::call& call, const subject& s, const candidate& wanted) {
    const auto metres = ground_shift(s.extent, s.crs, wanted.crs);
    if (!metres) return "";
    call.put(moves_by, evidence::figure(*metres));
    return "from " + gdal::crs_label(s.crs) + " positions move by " + evidence::text(*metres) + " m";
}

std::string scale_clause(const candidate& c) {
    return c.found.points == 0 ? "" : c.label + " " + evidence::ratio(c.found.areal_mean) + " x";
}

std::string range_text(double low, double high) {
    const auto from = evidence::ratio(low), to = evidence::ratio(high);
    return from == to ? from : from + " to " + to;
}

// summed: of polygons the sum of their areas is told, which says more than a mean over the extent.
std::string proposed_clause(const candidate& c, bool summed) {
    const auto& d = c.found;
    if (d.points == 0) return c.label + " has no finite scale anywhere on the data";
    const bool larger = d.areal_mean >= 1;
    std::string s = "In " + c.label + " areas are ";
    if (d.areal_min > 0.999 && d.areal_max < 1.001)
        s += "true within 0.1 %";
    else if (const double most = std::max(d.areal_max - 1, 1 - d.areal_min); most < 0.01)
        s += "off by up to " + evidence::percent(most);
    else if (const auto range = range_text(d.areal_min, d.areal_max); summed)
        s += range + " x the true ones";
    else
        s += evidence::ratio(larger ? d.areal_mean : 1 / d.areal_mean) + " x too " + (larger ? "large" : "small") +
             (range.find(' ') == std::string::npos ? "" : " (scale " + range + ")");
    if (d.undefined > 0)
        s += "; at " +
             evidence::percent(static_cast<double>(d.undefined) / static_cast<double>(d.undefined + d.points)) +
             " of the points measured they have no finite scale";
    return s;
}

std::string angle_clause(const candidate& c) {
    if (c.found.points == 0) return "";
    // PROJ's numeric derivatives leave millionths of a degree for a conformal projection.
    return c.found.angular_max < 1e-4 ? "angles are true"
                                      : "angles off by up to " + evidence::text(c.found.angular_max) + " degrees";
}

// Beside the area of a projected CRS, where its scale is good, data are as those of countries that use it there.
coverage coverage_of(const candidate& wanted, const area_of_use& use, const std::array<double, 4>& bounds) {
    constexpr double good = 0.01;
    const auto lies = covers(use.box, bounds);
    const auto& d = wanted.found;
    const bool true_there =
        wanted.projected && d.points > 0 && d.undefined == 0 && d.areal_max < 1 + good && d.areal_min > 1 - good;
    return lies == coverage::outside && true_there &&
                   !gdal::lies_apart(bounds, use.box, gdal::beside_zone, gdal::beside_area)
               ? coverage::partly
               : lies;
}

coverage put_coverage(gdalmcp::call& call, const candidate& wanted,
                      const std::optional<std::array<double, 4>>& bounds) {
    const auto use = area_of_use_of(wanted.crs);
    const auto lies = use && bounds ? coverage_of(wanted, *use, *bounds) : coverage::unknown;
    call.put(coverage_field, coverage_names[static_cast<std::size_t>(lies)]);
    if (use) call.put(area_box, {use->box.begin(), use->box.end()});
    if (use && !use->name.empty()) call.put(area_name, use->name);
    if (bounds) call.put(extent_field, {bounds->begin(), bounds->end()});
    return lies;
}

void put_candidates(gdalmcp::call& call, const candidate& first, const std::vector<candidate>& rest) {
    put_candidate(call.at(proposed), first);
    call.begin(others);
    for (const auto& c : rest) {
        auto row = call.add(others);
        put_candidate(row, c);
        row.put(role_field, c.role);
    }
}

void run(gdalmcp::call& call) {
    const auto wanted = gdal::crs_argument(call[crs].text, "crs");
    if (const auto path = call[target]) gdalmcp_vector::require_crs_of(gdalmcp_vector::format_of(*path), wanted);
    gdal::require_plane(wanted, call[crs].text, "crs");
    std::optional<OGRSpatialReference> given;
    if (const auto c = call[src_crs]) given = gdal::crs_argument(c->text, "src_crs");
    const auto dataset = call[uri];
    const auto inline_features = call[features];
    if (dataset.has_value() == inline_features.has_value())
        throw error{GDALMCP_INVALID_ARGUMENT, "'uri' and 'features' are the data, of which one is needed",
                    "give one of them"};
    auto data = read_subject(dataset ? *dataset : gdalmcp::dataset{inline_features->path},
                             {call[layer], call[gdalmcp::standard::subdataset]}, given);
    if (const auto b = call[bounds_wanted]) {
        const auto named = call[bounds_crs];
        limit_to(data, {(*b)[0], (*b)[1], (*b)[2], (*b)[3]},
                 named ? gdal::crs_argument(named->text, "bounds_crs") : wanted);
    }
    require_a_place(data, wanted, label_of(wanted, call[crs].text));
    if (const auto why = gdal::misplaced(data.extent, data.crs); !why.empty()) call.put(misplaced_field, why);
    const auto at = spread(data);
    const auto first = make(wanted, "proposed", at, call[crs].text);
    const auto rest = comparisons(call, data, at, first);
    const auto bounds = gdal::wgs84_bounds(data.extent, data.crs);
    put_candidates(call, first, rest);
    // Coordinates are read x first, so the order of a CRS's axes changes none.
    constexpr const char* whatever_axes[] = {"CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS",
                                             "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", nullptr};
    call.put(is_own, data.crs.IsSame(&wanted, whatever_axes) != FALSE);

    std::vector<std::string> clauses{put_override(call, data)};
    areas found;
    if (first.projected && data.layer) found = measure(call, data, wanted);
    if (first.projected)
        clauses.push_back(proposed_clause(first, found.ellipsoidal > 0));
    else if (data.crs.IsGeographic())
        clauses.push_back(put_movement(call, data, first));
    if (!first.projected && bounds) clauses.push_back(put_degrees(call, first, *bounds));
    const auto lies = put_coverage(call, first, bounds);
    put_comparison(call, first, rest, lies, found.only_points);
    const auto side = std::to_string(at.side);
    std::string read = std::string{"the extent of the data"} + (call[bounds_wanted] ? " within bounds" : "") + ", at " +
                       side + " x " + side + " points";
    if (found.ellipsoidal > 0) {
        const double ratio = found.planar / found.ellipsoidal;
        call.put(area_ratio, evidence::figure(ratio));
        call.put(polygons_measured, found.measured);
        clauses.push_back((found.measured < found.all ? "a sample of " + std::to_string(found.measured) + " of the " +
                                                            std::to_string(found.all) + " polygons adds"
                                                      : std::string{"the polygons add"}) +
                          " up to " + evidence::ratio(ratio) + " x their true area");
        read += "; " + std::to_string(found.measured) + " of " + std::to_string(found.all) + " features";
    }
    const bool sampled = found.ellipsoidal > 0 && found.measured < found.all;
    if (lies == coverage::partly) clauses.emplace_back("the data reach beyond its area of use");
    if (lies == coverage::outside) clauses.emplace_back("the data lie outside its area of use");
    if (first.projected)
        for (const auto& c : rest) clauses.push_back(scale_clause(c));
    const auto others_named = first.projected ? std::ssize(rest) : 0;
    clauses.insert(clauses.end() - (first.found.angular_max < 1 ? 0 : others_named), angle_clause(first));
    evidence::put_read(call, !sampled, read, std::to_string(found.measured) + " polygons");
    evidence::conclude(call, clauses,
                       "Tissot's indicatrix (Snyder 1987, ch. 4) by PROJ's factors, averaged by true area; "
                       "true areas on the ellipsoid");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "crs_distortion",
     .title = "Distortion of a CRS",
     .about =
         "Distortion of areas, angles and lengths by a CRS over the data's extent, beside the data's own CRS, "
         "alternatives and a local equal-area one: areal scale (1 = true), greatest angular distortion, length scales, "
         "and whether the data lie in its area of use. For polygons also the sum of their areas in the CRS over the "
         "true sum. Measured, nothing is written.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, features, crs, layer, gdalmcp::standard::subdataset, src_crs, bounds_wanted, bounds_crs, alternatives,
     target},
    {evidence::summary, evidence::source, evidence::approximate, evidence::read, proposed, others, degree_sizes,
     coverage_field, area_box, area_name, extent_field, area_ratio, polygons_measured, moves_by, is_own, overrides,
     override_record, misplaced_field, evidence::spread}};

}  // namespace gdalmcp_raster::crs_distortion
