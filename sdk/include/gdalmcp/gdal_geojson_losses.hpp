// gdalmcp/gdal_geojson_losses.hpp — what GDAL drops from GeoJSON without an error: coordinates nested otherwise than
// their type needs, and the CRS that a file states. Used by gdal_open.hpp.
#pragma once
#include <cpl_error.h>
#include <cpl_json.h>
#include <cpl_string.h>
#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <gdalmcp/gdal_geojson_text.hpp>
#include <gdalmcp/gdal_undeclared.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace gdalmcp::gdal::detail {

// The CRS that GDAL takes a name for, as far as it reads it: of "EPSG:2154x" that is EPSG:2154.
inline bool is_known_crs(const std::string& name) {
    const CPLErrorHandlerPusher silence{CPLQuietErrorHandler};
    OGRSpatialReference srs;
    if (name.empty() || srs.SetFromUserInput(name.c_str()) != OGRERR_NONE) return false;
    if (!STARTS_WITH_CI(name.c_str(), "EPSG:")) return true;
    const auto code = name.substr(name.rfind(':') + 1);
    return code.find_first_not_of("0123456789+@. ") == std::string::npos;
}

// Warns of a 'crs' member that GDAL passes over, or reads in part. stated: its JSON.
inline void caution_of_stated_crs(OGRLayer& layer, const std::string& stated) {
    CPLJSONDocument document;
    const CPLErrorStateBackuper before;
    std::string said = "states that its CRS is unknown";
    if (stated != "null") {
        const CPLErrorHandlerPusher silence{CPLQuietErrorHandler};
        std::string type, name;
        if (document.LoadMemory("{\"crs\":" + stated + "}")) {
            const auto crs = document.GetRoot()["crs"];
            const auto text = [](const CPLJSONObject& o) { return o.IsValid() ? o.ToString() : std::string{}; };
            const auto given = crs["properties"];
            type = text(crs["type"]);
            const char* t = type.c_str();
            name = STARTS_WITH_CI(t, "name")                               ? text(given["name"])
                   : STARTS_WITH_CI(t, "EPSG")                             ? "EPSG:" + text(given["code"])
                   : STARTS_WITH_CI(t, "OGC")                              ? text(given["urn"])
                   : STARTS_WITH_CI(t, "link") || STARTS_WITH_CI(t, "URL") ? text(given["href"]) + text(given["url"])
                                                                           : "";
        }
        const bool link = STARTS_WITH_CI(type.c_str(), "link") || STARTS_WITH_CI(type.c_str(), "URL");
        if (!link && is_known_crs(name)) return;
        if (name.empty()) name = stated;
        if (name.size() > 80) name = CPLString{name}.substr(0, 77) + "...";
        said = link ? "states its CRS by the link '" + name + "', which is not followed"
                    : "states the CRS '" + name + "', which is not known";
    }
    const auto* srs = layer.GetSpatialRef();
    const char* code = srs ? srs->GetAuthorityCode(nullptr) : nullptr;
    const bool degrees = code && (EQUAL(code, "4326") || EQUAL(code, "4979") || EQUAL(code, "CRS84"));
    if (!degrees && stated.find("\"link\"") != std::string::npos) return;  // it was followed
    const std::string taken = degrees ? "longitude and latitude on WGS 84 are assumed"
                              : code  ? std::string{"it is read as "} + srs->GetAuthorityName(nullptr) + ":" + code
                                      : "none is assumed";
    caution("the file " + said + ": " + taken + "; give the true one as src_crs of vector_reproject");
}

// Notes the features whose geometries GDAL drops or cuts without an error, for lost_geometries; warns of a CRS that it
// does not read.
inline void note_losses_of_geojson(OGRLayer& layer, const std::string& path, bool sequence) {
    const geojson_text text{path, sequence};
    if (text.crs && !sequence) caution_of_stated_crs(layer, *text.crs);
    if (text.faulty.empty()) return;
    std::string found;
    std::int64_t n = 0;
    {
        const CPLErrorHandlerPusher silence{CPLQuietErrorHandler};
        auto next = text.faulty.begin();
        for (const auto& f : layer) {
            if (next != text.faulty.end() && n == next->first) {
                const auto& v = next++->second;
                if (!v.whole || !f->GetGeometryRef())
                    found += std::to_string(f->GetFID()) + ' ' + std::to_string(int(v.fault)) + ' ' +
                             std::to_string(int(v.type)) + '\n';
            }
            ++n;
        }
        layer.ResetReading();
        CPLErrorReset();
    }
    if (n == text.features) {
        if (!found.empty()) layer.SetMetadataItem("LOST_GEOMETRIES", found.c_str(), "GDALMCP");
    } else {  // which they are cannot be told
        const auto count = text.faulty.size();
        caution(std::to_string(count) + (count == 1 ? " geometry of the file is" : " geometries of the file are") +
                " not read or not read whole: " + text.faulty.front().second.text());
    }
}

}  // namespace gdalmcp::gdal::detail

namespace gdalmcp::gdal {

// The features of a GeoJSON layer of open_dataset() whose geometry is not what the file holds, though GDAL reports no
// error; none of other layers.
class lost_geometries {
public:
    explicit lost_geometries(OGRLayer& layer) {
        const char* at = layer.GetMetadataItem("LOST_GEOMETRIES", "GDALMCP");
        for (; at && *at; ++at) {
            char* rest = nullptr;
            const GIntBig fid = std::strtoll(at, &rest, 10);
            const auto fault = static_cast<detail::geojson_fault>(std::strtol(rest, &rest, 10));
            all_.push_back({fid, {fault, static_cast<detail::json_geometry>(std::strtol(rest, &rest, 10))}});
            at = rest;
        }
        std::sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    bool none() const { return all_.empty(); }
    // nullptr: it is whole.
    const detail::geojson_verdict* of(GIntBig fid) const {
        const auto found = std::lower_bound(all_.begin(), all_.end(), fid,
                                            [](const auto& one, GIntBig wanted) { return one.first < wanted; });
        return found != all_.end() && found->first == fid ? &found->second : nullptr;
    }
    std::string first() const { return all_.empty() ? "" : all_.front().second.text(); }

private:
    std::vector<std::pair<GIntBig, detail::geojson_verdict>> all_;
};

}  // namespace gdalmcp::gdal
