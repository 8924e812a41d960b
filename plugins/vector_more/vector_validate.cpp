// vector_validate: which geometries are invalid, where and why; and a layer in which they are repaired.
#include "tools.hpp"
#include "vector/ogr_ground.hpp"
#include "vector/ogr_layer_pass.hpp"
#include "vector/ogr_repair.hpp"

namespace gdalmcp_vector_more::vector_validate {

using namespace gdalmcp_vector;

namespace {

using gdalmcp::arg;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

constexpr std::int64_t max_rows = 20;

const arg<bool> repair_wanted{
    .name = "repair",
    .about =
        "true: the output is the whole layer, invalid geometries repaired (GEOS MakeValid, structure). false: it "
        "is the invalid features alone, as they are.",
    .fallback = false,
};

const field<std::int64_t> checked{"checked", "Features"};
const field<std::int64_t> invalid_count{"invalid_count", "Among them"};
const field<std::int64_t> without_geometry{"without_geometry", "Null or empty"};
const auto reasons = field<gdalmcp::json_text>{"reasons", "Features by GEOS' reason"}.optional();
const field<std::int64_t> id{"id", "FID"};
const field<std::string> reason{"reason", "GEOS'"};
const auto at = field<std::vector<double>>{"at", "[x, y] in the layer's CRS"}.optional();
const auto change = field<std::string>{"change", "Of parts and holes, by a repair"}.optional();
const auto row_change = field<double>{"area_change_m2", "By a repair", "m²"}.optional();
const gdalmcp::table invalid{"invalid", "The first 20", {id, reason, at, change, row_change}};
const auto repaired_count = field<std::int64_t>{"repaired_count", "With 'repair'"}.optional();
const auto collapsed_count =
    field<std::int64_t>{"collapsed_count", "Nothing left: written without geometry"}.optional();
const auto area_before =
    field<double>{"area_before_m2", "Invalid polygons: rings as drawn; ellipsoid", "m²"}.optional();
const auto area_after = field<double>{"area_after_m2", "The same, repaired", "m²"}.optional();

struct findings {
    GIntBig past_180 = 0, misplaced = 0, surfaces = 0;
    GIntBig checked = 0, invalid = 0, without_geometry = 0, collapsed = 0, repaired = 0, unmeasured = 0;
    std::map<std::string, GIntBig> reasons;
    measures before, after;
    taken_ordinates taken;
};

// Areas on the ellipsoid, where the layer has a place on it.
class area_change {
public:
    explicit area_change(const source_layer& from) {
        if (!from.crs.IsEmpty() && !from.crs.IsLocal() && !from.crs.IsGeocentric()) earth_.emplace(from.crs);
    }
    explicit operator bool() const { return earth_.has_value(); }
    // Nothing where either form has no area.
    std::optional<double> of(const OGRGeometry& before, const OGRGeometry* after, findings& all) const {
        if (!earth_ || before.getDimension() < 2) return std::nullopt;
        try {
            auto was = earth_->measure(before);
            auto is = after ? earth_->measure(*after) : measures{0.0, {}, {}};
            all.before.add(was);
            all.after.add(is);
            return is.area.value_or(0) - was.area.value_or(0);
        } catch (const unusable&) {
            ++all.unmeasured;
            return std::nullopt;
        }
    }

private:
    std::optional<ground> earth_;
};

// Coordinates of a geographic CRS that are no degrees.
class degrees {
public:
    explicit degrees(const OGRSpatialReference& crs) {
        if (!crs.IsEmpty() && crs.IsGeographic()) unit_ = gdal::detail::degrees_per_unit(crs);
    }
    // The first vertex that is no longitude and latitude. Longitudes from 180 to 360 are in use.
    std::optional<defect> beyond(const OGRGeometry& shape, findings& all) const {
        constexpr double rounding = 1e-9;
        OGREnvelope box;
        shape.getEnvelope(&box);
        const double x = std::max(std::abs(box.MinX), std::abs(box.MaxX)) * unit_,
                     y = std::max(std::abs(box.MinY), std::abs(box.MaxY)) * unit_;
        if (unit_ == 0 || (x <= 180 + rounding && y <= 90 + rounding)) return std::nullopt;
        if (x <= 360 + rounding && y <= 90 + rounding) {
            ++all.past_180;
            return std::nullopt;
        }
        defect found{y > 90 + rounding ? "Latitude beyond 90" : "Longitude beyond 360", {}};
        const std::unique_ptr<OGRGeometry> copy{shape.clone()};
        gdal::for_each_vertex(*copy, [&](const OGRPoint& p) {
            const bool out = std::abs(p.getY()) * unit_ > 90 + rounding || std::abs(p.getX()) * unit_ > 360 + rounding;
            if (out && found.place.empty()) found.place = {p.getX(), p.getY()};
        });
        return found;
    }

private:
    double unit_ = 0;  // 0: the coordinates are no degrees
};

void put_row(gdalmcp::call& call, GIntBig fid, const defect& found, const std::string& changed,
             const std::optional<double>& difference) {
    auto row = call.add(invalid);
    row.put(id, fid);
    row.put(reason, found.kind);
    if (!found.place.empty()) row.put(at, found.place);
    if (!changed.empty()) row.put(change, changed);
    if (difference) row.put(row_change, *difference);
}

void report(gdalmcp::call& call, const findings& all, const area_change& areas, bool repairs) {
    call.put(checked, all.checked);
    call.put(invalid_count, all.invalid);
    call.put(without_geometry, all.without_geometry);
    if (!all.reasons.empty()) {
        std::string text;
        for (const auto& [kind, n] : all.reasons)
            text += (text.empty() ? "{" : ",") + gdal::json_quote(kind) + ":" + std::to_string(n);
        call.put(reasons, {text + "}"});
    }
    if (all.before.area) call.put(area_before, *all.before.area);
    if (all.before.area) call.put(area_after, all.after.area.value_or(0));
    if (repairs) {
        call.put(repaired_count, all.repaired);
        call.put(collapsed_count, all.collapsed);
        if (all.collapsed > 0)
            call.warn(counted(all.collapsed) + " collapsed when repaired: nothing is left but their attributes");
        all.taken.tell(call);
    }
    if (!areas && all.invalid > 0)
        call.warn("the layer has no CRS with a place on Earth: changes of area are not told");
    if (all.unmeasured > 0)
        call.warn(counted(all.unmeasured) + " could not be measured on the ellipsoid and are in neither area");
    if (all.surfaces > 0)
        call.warn(counted(all.surfaces) + " of faces in space (TIN, PolyhedralSurface): not checked, GEOS knows none");
    if (all.past_180 > 0) call.warn(counted(all.past_180) + " past longitude 180: a place there has two longitudes");
    if (all.misplaced > 0)
        call.warn(
            counted(all.misplaced) +
            " with coordinates that are no longitude and latitude are written without geometry: the CRS is another "
            "one (vector_reproject and its 'src_crs'), or x and y are swapped");
    if (all.invalid > max_rows)
        call.say("'invalid' names " + std::to_string(max_rows) + " of " + std::to_string(all.invalid));
    const auto judged = counted(all.checked - all.surfaces);
    call.say(all.invalid == 0 ? "every geometry is valid: " + judged + " checked"
                              : std::to_string(all.invalid) + " of " + judged + " invalid" +
                                    (repairs ? ", " + std::to_string(all.repaired) + " repaired"
                                             : "; 'repair': true writes the layer with them repaired"));
}

void run(gdalmcp::call& call) {
    auto from = open_geometries(call);
    const bool repairs = call[repair_wanted];
    const area_change areas{from};
    const degrees in_degrees{from.crs};
    layer_pass pass{
        call,
        from,
        {from.layer->GetGeomType(), wants_multi(from, repairs), nullptr, all_fields(*from.layer->GetLayerDefn())}};
    findings all;
    call.begin(invalid);
    pass.run(call, "checking", [&](OGRFeature& feature) {
        ++all.checked;
        const auto* own = feature.GetGeometryRef();
        const auto keep = [&] { pass.add(feature, std::unique_ptr<OGRGeometry>{own ? own->clone() : nullptr}); };
        if (!own || own->IsEmpty()) ++all.without_geometry;
        if (const auto nowhere = own && !own->IsEmpty() ? in_degrees.beyond(*own, all) : std::nullopt) {
            ++all.reasons[nowhere->kind];
            ++all.misplaced;
            if (all.invalid++ < max_rows) put_row(call, feature.GetFID(), *nowhere, "written without geometry", {});
            pass.add(feature, nullptr);  // the host refuses an output with such an extent
            return true;
        }
        const bool surface = own && gdal::surfaces_as_polygons(*own);
        all.surfaces += surface;
        const bool judged = own && !own->IsEmpty() && own->getDimension() > 0 && !surface;
        const auto why = judged ? gdal::invalid_reason(*own) : std::string{};
        if (why.empty()) {
            if (repairs) keep();
            return true;
        }
        const auto found = defect_of(why);
        ++all.reasons[found.kind];
        std::string changed;
        std::optional<double> difference;
        std::optional<unusable> failed;
        std::unique_ptr<OGRGeometry> mended;
        try {
            auto done = repair(*own, why);
            changed = std::move(done.change);
            mended = std::move(done.shape);
            difference = areas.of(*own, mended.get(), all);
        } catch (const unusable& e) {
            failed = e;
            changed = "GEOS cannot repair it";
        }
        if (all.invalid++ < max_rows) put_row(call, feature.GetFID(), found, changed, difference);
        if (failed && repairs) throw unusable{*failed};
        if (!repairs) {
            keep();
            return true;
        }
        ++(mended ? all.repaired : all.collapsed);
        all.taken.see(*own, mended.get());
        pass.add(feature, std::move(mended));
        return true;
    });
    pass.finish(call);
    report(call, all, areas, repairs);
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "vector_validate",
     .title = "Check and repair geometries",
     .about = "Names invalid geometries with reason and place, and what a repair changes; repairs them into a new "
              "layer if asked. The input is not touched.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, repair_wanted, only_layer_name, skip_failed, output, overwrite},
    {checked, invalid_count, without_geometry, reasons, invalid, repaired_count, collapsed_count, area_before,
     area_after, features_written, layer_crs.all, failed_ids, failed_count}};

}  // namespace gdalmcp_vector_more::vector_validate
