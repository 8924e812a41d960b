#include "worker/crs.hpp"

#include <gdalmcp/gdal_crs.hpp>

#include "base/digest.hpp"

namespace gdalmcp::worker {

namespace json = base::json;

std::string normal_form(const OGRSpatialReference& srs) {
    if (srs.IsEmpty()) return {};
    if (auto code = gdal::crs_code(srs); !code.empty()) return code;
    char* text = nullptr;
    const bool exported = srs.exportToPROJJSON(&text, nullptr) == OGRERR_NONE;
    auto v = base::parse_json(exported && text ? text : "");
    CPLFree(text);
    if (!v || !v->is_object()) return {};
    for (const char* label : {"name", "id", "remarks", "usages"}) v->get_object().erase(label);
    return "projjson-sha256:" + base::sha256_hex(base::canonical_json(*v));
}

json::object describe_crs(const OGRSpatialReference& srs) {
    const char* unit = nullptr;
    if (srs.IsGeographic())
        srs.GetAngularUnits(&unit);
    else if (!srs.IsEmpty())
        srs.GetLinearUnits(&unit);
    const auto normal = normal_form(srs);
    return {{"normal", normal},
            {"code", normal.compare(0, 9, "projjson-") == 0 ? "" : normal},
            {"name", srs.IsEmpty() || !srs.GetName() ? "" : srs.GetName()},
            {"kind", gdal::crs_kind(srs)},
            {"unit", unit ? unit : ""},
            {"geographic", srs.IsGeographic() != 0}};
}

base::result<json::object> describe_spelling(const std::string& spelling) {
    const auto srs = gdal::parse_crs(spelling);
    if (!srs)
        return base::fail(base::code::invalid_argument, "'" + spelling + "' is not a CRS that PROJ knows",
                          "use an authority code such as EPSG:32633, or WKT, PROJJSON or a PROJ string");
    return describe_crs(*srs);
}

}  // namespace gdalmcp::worker
