#include "worker/crs.hpp"

#include <gdalmcp/gdal_crs.hpp>

#include "base/digest.hpp"

namespace gdalmcp::worker {

namespace json = base::json;

std::string normal_form(const OGRSpatialReference& srs) {
    if (gdal::undefined(srs)) return {};
    if (auto code = gdal::crs_code(srs); !code.empty()) return code;
    // A GeoTIFF keeps the codes of the parts, and less of their definitions than the registry has.
    const auto codes = gdal::compound_code(srs);
    const auto registered = codes.empty() ? std::nullopt : gdal::parse_crs(codes);
    char* text = nullptr;
    const bool exported = (registered ? *registered : srs).exportToPROJJSON(&text, nullptr) == OGRERR_NONE;
    auto v = base::parse_json(exported && text ? text : "");
    CPLFree(text);
    if (!v || !v->is_object()) return {};
    for (const char* label : {"name", "id", "remarks", "usages"}) v->get_object().erase(label);
    return "projjson-sha256:" + base::sha256_hex(base::canonical_json(*v));
}

std::string vertical_name(const OGRSpatialReference& srs) {
    if (srs.IsCompound()) {
        const char* name = srs.GetAttrValue("VERT_CS");
        return name ? name : "";
    }
    return srs.IsGeographic() && srs.GetAxesCount() == 3 ? "ellipsoidal height" : "";
}

namespace {

// Files seldom carry the area of use of their CRS; the registry has it.
std::optional<json::array> area_of_use(const OGRSpatialReference& srs, const std::string& code) {
    double w = 0, s = 0, e = 0, n = 0;
    if (!srs.GetAreaOfUse(&w, &s, &e, &n, nullptr)) {
        const auto registered = code.empty() ? std::nullopt : gdal::parse_crs(code);
        if (!registered || !registered->GetAreaOfUse(&w, &s, &e, &n, nullptr)) return std::nullopt;
    }
    return json::array{w, s, e, n};
}

}  // namespace

json::object describe_crs(const OGRSpatialReference& srs) {
    if (!srs.IsEmpty() && gdal::undefined(srs)) return describe_crs(OGRSpatialReference{});
    const char* unit = nullptr;
    double unit_m = 0;
    if (srs.IsGeographic())
        srs.GetAngularUnits(&unit);
    else if (!srs.IsEmpty())
        unit_m = srs.GetLinearUnits(&unit);
    const auto normal = normal_form(srs);
    const std::string code = normal.compare(0, 9, "projjson-") == 0 ? "" : normal;
    json::object o{{"normal", normal},
                   {"code", code},
                   {"label", code.empty() ? gdal::crs_label(srs) : code},
                   {"name", srs.IsEmpty() || !srs.GetName() ? "" : srs.GetName()},
                   {"kind", gdal::crs_kind(srs)},
                   {"unit", unit ? unit : ""},
                   {"unit_m", unit_m},
                   {"geographic", srs.IsGeographic() != 0},
                   {"vertical", vertical_name(srs)}};
    if (auto area = srs.IsEmpty() ? std::nullopt : area_of_use(srs, code)) o["area_of_use"] = std::move(*area);
    return o;
}

base::result<json::object> describe_spelling(const std::string& spelling) {
    const auto srs = gdal::parse_crs(spelling);
    if (!srs)
        return base::fail(
            base::code::invalid_argument, "'" + spelling + "' is not a CRS that PROJ knows",
            "use an authority code such as EPSG:32633 or, with heights, EPSG:32633+5773; a registered name; "
            "or WKT, PROJJSON or a PROJ string");
    return describe_crs(*srs);
}

}  // namespace gdalmcp::worker
