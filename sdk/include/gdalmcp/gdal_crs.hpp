// gdalmcp/gdal_crs.hpp — coordinate reference systems for GDAL-linked plugins: any spelling in, one name out.
// Header-only; link GDAL and PROJ.
#pragma once
#include <ogr_spatialref.h>
#include <proj.h>
#include <gdalmcp/gdal.hpp>

#include <algorithm>
#include <cctype>

namespace gdalmcp::gdal {

namespace detail {
struct proj_context {
    PJ_CONTEXT* c = proj_context_create();
    proj_context() { proj_log_level(c, PJ_LOG_NONE); }
    ~proj_context() { proj_context_destroy(c); }
    proj_context(const proj_context&) = delete;
    proj_context& operator=(const proj_context&) = delete;
};

inline bool only_of(std::string_view text, int (*kind)(int), std::string_view more) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
        return kind(c) || more.find(static_cast<char>(c)) != std::string_view::npos;
    });
}

inline std::string upper(std::string word) {
    for (auto& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return word;
}

// "AUTHORITY:CODE" or "AUTHORITY:VERSION:CODE" in the spelling of PROJ's database, each part whole; nullopt if the
// database does not have it.
inline std::optional<std::string> exact_code(const std::string& text) {
    const auto colon = text.find(':');
    if (colon == std::string::npos || !only_of(text.substr(0, colon), ::isalnum, "_")) return std::nullopt;
    const auto authority = upper(text.substr(0, colon));
    auto code = text.substr(colon + 1);
    if (const auto second = code.find(':'); second != std::string::npos) {
        if (!only_of(code.substr(0, second), ::isalnum, "_.-")) return std::nullopt;
        code.erase(0, second + 1);
    }
    const bool digits = authority == "EPSG" || authority == "EPSGA";
    if (!only_of(code, digits ? ::isdigit : ::isalnum, digits ? "" : "_.-")) return std::nullopt;
    return authority + text.substr(colon);
}

// "epsg:32617+5773" in the spelling of PROJ's database: "EPSG:32617+EPSG:5773". Other spellings unchanged but for
// surrounding blanks. nullopt where other text follows an authority's code: GDAL reads the leading number of an EPSG
// code and drops the rest, but "EPSG:32617;5773" is not EPSG:32617.
inline std::optional<std::string> exact_spelling(std::string text) {
    constexpr const char* blanks = " \t\r\n";
    text.erase(0, std::min(text.find_first_not_of(blanks), text.size()));
    text.erase(text.find_last_not_of(blanks) + 1);
    const auto colon = text.find(':');
    if (colon == std::string::npos || !only_of(text.substr(0, colon), ::isalnum, "_")) return text;
    const auto authority = upper(text.substr(0, colon));
    if (authority == "URN" || authority == "HTTP" || authority == "HTTPS") return text;
    const auto plus = text.find('+');
    const auto horizontal = exact_code(text.substr(0, plus));
    if (!horizontal || plus == std::string::npos) return horizontal;
    const auto second = text.substr(plus + 1);  // of a compound CRS; EPSG's if it is a bare code
    const auto vertical = exact_code(second.find(':') == std::string::npos ? "EPSG:" + second : second);
    // GDAL combines EPSG codes only; for others it drops the vertical CRS.
    if (!vertical || authority != "EPSG" || vertical->rfind("EPSG:", 0) != 0) return std::nullopt;
    return *horizontal + "+" + *vertical;
}

// The code of the CRS with this name in PROJ's database: "NAD83 / UTM zone 17N"; of the three called "WGS 84" the
// two-dimensional one. EPSG's where other authorities use the name, too. "" if there is none, or several.
inline std::string code_called(const std::string& name) {
    const proj_context ctx;
    constexpr PJ_TYPE types[] = {PJ_TYPE_GEOGRAPHIC_2D_CRS, PJ_TYPE_PROJECTED_CRS, PJ_TYPE_COMPOUND_CRS};
    const std::unique_ptr<PJ_OBJ_LIST, decltype(&proj_list_destroy)> list{
        proj_create_from_name(ctx.c, nullptr, name.c_str(), types, 3, 0, 32, nullptr), &proj_list_destroy};
    std::vector<std::string> of_epsg, of_others;
    for (int i = 0; list && i < proj_list_get_count(list.get()); ++i) {
        const std::unique_ptr<PJ, decltype(&proj_destroy)> match{proj_list_get(ctx.c, list.get(), i), &proj_destroy};
        const char* called = match ? proj_get_name(match.get()) : nullptr;
        // An alias can belong to several names.
        if (!called || !EQUAL(called, name.c_str()) || proj_is_deprecated(match.get())) continue;
        const char* authority = proj_get_id_auth_name(match.get(), 0);
        const char* code = proj_get_id_code(match.get(), 0);
        if (!authority || !code) continue;
        auto& same = EQUAL(authority, "EPSG") ? of_epsg : of_others;
        same.push_back(std::string{authority} + ":" + code);
    }
    const auto& all = of_epsg.empty() ? of_others : of_epsg;
    return all.size() == 1 ? all.front() : std::string{};
}

inline constexpr const char* old_web_mercator = "EPSG:3785";

// Spellings of Web Mercator that the EPSG registry replaced by 3857 (Debian's PROJ has no supersession row for them).
inline std::string replaced(std::string code) {
    for (const char* old : {"EPSG:900913", "ESRI:102100", "ESRI:102113", old_web_mercator})
        if (code == old) return "EPSG:3857";
    return code;
}
}  // namespace detail

// Reads every spelling PROJ accepts (EPSG:3857, EPSG:32617+5773, a registered name, urn:…, WKT, PROJJSON, +proj=…);
// never touches files or the network. Axis order inside is GIS-traditional (x = easting or longitude). Empty result:
// not a CRS.
inline std::optional<OGRSpatialReference> parse_crs(const std::string& text) {
    const quiet silence;
    const auto spelling = detail::exact_spelling(text);
    if (!spelling) return std::nullopt;
    const auto read = [](const std::string& said) -> std::optional<OGRSpatialReference> {
        OGRSpatialReference srs;
        srs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        constexpr const char* options[] = {"ALLOW_NETWORK_ACCESS=NO", "ALLOW_FILE_ACCESS=NO", nullptr};
        if (srs.SetFromUserInput(said.c_str(), const_cast<char**>(options)) != OGRERR_NONE || srs.IsEmpty())
            return std::nullopt;
        return srs;
    };
    // Defined on a sphere of its own, from which no transformation is known: GDAL takes its replacement by default.
    if (auto srs = read(*spelling == detail::old_web_mercator ? detail::replaced(*spelling) : *spelling)) return srs;
    const auto code = detail::code_called(*spelling);
    return code.empty() ? std::nullopt : read(code);
}

// Whether a CRS is a placeholder: empty, or the entry GeoPackage writes for none (OGC 12-128r18, table 3, srs_id 0 and
// -1; 99999 in GDAL >= 3.9). GDAL returns the first of them as a geographic CRS.
inline bool undefined(const OGRSpatialReference& srs) {
    if (srs.IsEmpty()) return true;
    std::string name = srs.GetName() ? srs.GetName() : "";
    if (name.rfind("GCS_", 0) == 0) name.erase(0, 4);  // prefix in a Shapefile's .prj
    std::replace(name.begin(), name.end(), '_', ' ');
    for (const char* placeholder : {"Undefined geographic SRS", "Undefined Cartesian SRS", "Undefined SRS"})
        if (EQUAL(name.c_str(), placeholder)) return true;
    return false;
}

// The CRS declared by data: nullptr for none and for a placeholder.
inline const OGRSpatialReference* stated(const OGRSpatialReference* own) {
    return own && !undefined(*own) ? own : nullptr;
}

// A CRS of data with x first, Web Mercator as it is defined today.
inline OGRSpatialReference plain_order(OGRSpatialReference crs) {
    const char *authority = crs.GetAuthorityName(nullptr), *code = crs.GetAuthorityCode(nullptr);
    if (authority && code && std::string{authority} + ":" + code == detail::old_web_mercator)
        crs = *parse_crs(detail::old_web_mercator);
    crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    return crs;
}

// The CRS declared by data, likewise; empty if they declare none.
inline OGRSpatialReference stated_crs(const OGRSpatialReference* own) {
    return plain_order(stated(own) ? *own : OGRSpatialReference{});
}

// parse_crs for an argument: fails the call naming it.
inline OGRSpatialReference crs_argument(const std::string& text, const char* argument) {
    if (auto srs = parse_crs(text)) {
        if (srs->IsVertical() && !srs->IsCompound())
            throw error{GDALMCP_INVALID_ARGUMENT,
                        std::string{"'"} + argument + "' is '" + text + "', a CRS of heights alone",
                        "join it to a horizontal one, as in EPSG:4326+5773"};
        return *srs;
    }
    throw error{
        GDALMCP_INVALID_ARGUMENT,
        std::string{"'"} + argument + "' is '" + text + "', which PROJ does not know as a CRS",
        "use an authority code such as EPSG:32633 or, with heights, EPSG:32633+5773; a registered name; or WKT, "
        "PROJJSON or a PROJ string"};
}

namespace detail {
inline bool same(const OGRSpatialReference& a, const OGRSpatialReference& b) {
    constexpr const char* options[] = {"CRITERION=EQUIVALENT", "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", nullptr};
    return a.IsSame(&b, options) != FALSE;
}
inline bool same_but_axes(const OGRSpatialReference& a, const OGRSpatialReference& b) {
    constexpr const char* options[] = {"CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS",
                                       "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", nullptr};
    return a.IsSame(&b, options) != FALSE;
}

// PROJ's identification with 100 % confidence means: a registered CRS of the same name and the same definition. Asked
// that way round, by name, it takes a millisecond; proj_identify() first ranks every CRS on the same datum, which takes
// seconds.
inline std::string code_by_name(const OGRSpatialReference& srs) {
    const char* name = srs.GetName();
    if (!name || !*name) return {};
    const proj_context ctx;
    constexpr PJ_TYPE types[] = {PJ_TYPE_GEODETIC_CRS,      PJ_TYPE_GEOCENTRIC_CRS, PJ_TYPE_GEOGRAPHIC_2D_CRS,
                                 PJ_TYPE_GEOGRAPHIC_3D_CRS, PJ_TYPE_PROJECTED_CRS,  PJ_TYPE_COMPOUND_CRS};
    const std::unique_ptr<PJ_OBJ_LIST, decltype(&proj_list_destroy)> list{
        proj_create_from_name(ctx.c, nullptr, name, types, 6, 0, 32, nullptr), &proj_list_destroy};
    std::string found;
    for (int i = 0; list && i < proj_list_get_count(list.get()); ++i) {
        const std::unique_ptr<PJ, decltype(&proj_destroy)> match{proj_list_get(ctx.c, list.get(), i), &proj_destroy};
        const char* authority = match && proj_is_crs(match.get()) ? proj_get_id_auth_name(match.get(), 0) : nullptr;
        const char* code = authority ? proj_get_id_code(match.get(), 0) : nullptr;
        if (!code || (!found.empty() && std::string_view{authority} != "EPSG")) continue;
        const std::string candidate = std::string{authority} + ":" + code;
        // Without a code, a file does not define the axis order: its coordinates are x, y.
        if (const auto registered = parse_crs(candidate); registered && same_but_axes(srs, *registered))
            found = candidate;
        if (std::string_view{authority} == "EPSG" && found == candidate) break;
    }
    return found;
}

// "unknown", "Unknown based on Bessel 1841 ellipsoid", "D_unknown": no datum is named.
inline bool names_datum(const OGRSpatialReference& srs) {
    const char* datum = srs.GetAttrValue("DATUM");
    std::string name = datum ? datum : "";
    for (auto& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (name.rfind("d_", 0) == 0) name.erase(0, 2);
    return !name.empty() && name.rfind("unknown", 0) != 0 && name.rfind("not_specified", 0) != 0 &&
           name.rfind("not specified", 0) != 0 && name.rfind("unnamed", 0) != 0;
}

// A CRS that only lacks its name, as those of PROJ strings and of MapInfo files do. Of a datum that is named PROJ
// identifies it in milliseconds.
inline std::string code_of_unnamed(const OGRSpatialReference& srs) {
    const char* name = srs.GetName();
    if (!name || (!EQUAL(name, "unknown") && !EQUAL(name, "unnamed")) || !names_datum(srs)) return {};
    int count = 0;
    int* confidences = nullptr;
    OGRSpatialReferenceH* matches = srs.FindMatches(nullptr, &count, &confidences);
    std::string found;
    for (int i = 0; i < count && found.empty(); ++i) {
        const auto& match = *OGRSpatialReference::FromHandle(matches[i]);
        const char *authority = match.GetAuthorityName(nullptr), *code = match.GetAuthorityCode(nullptr);
        if (authority && code && EQUAL(authority, "EPSG") && same_but_axes(srs, match))
            found = std::string{authority} + ":" + code;
    }
    OSRFreeSRSArray(matches);
    CPLFree(confidences);
    return found;
}
}  // namespace detail

namespace detail {
inline bool bound(const OGRSpatialReference& srs) {
    constexpr const char* options[] = {"FORMAT=WKT2_2019", nullptr};
    char* wkt = nullptr;
    const bool found = srs.exportToWkt(&wkt, options) == OGRERR_NONE && wkt && STARTS_WITH(wkt, "BOUNDCRS");
    CPLFree(wkt);
    return found;
}
}  // namespace detail

// "AUTHORITY:CODE" in upper case when the definition is that of the registry (its own code confirmed, PROJ
// identifies it with 100 % confidence, or it lacks nothing but the name); "" otherwise. OGC:CRS84 and EPSG:4326 differ
// in axis order and stay distinct.
inline std::string crs_code(const OGRSpatialReference& srs) {
    if (undefined(srs)) return {};
    const quiet silence;
    const char* authority = srs.GetAuthorityName(nullptr);
    const char* code = srs.GetAuthorityCode(nullptr);
    if (authority && code) {
        const std::string name = std::string{authority} + ":" + code;
        if (name == detail::old_web_mercator) return detail::replaced(name);
        if (auto registered = parse_crs(name); registered && detail::same(srs, *registered))
            return detail::replaced(name);
    }
    // A CRS bound to its own transformation (+nadgrids, +towgs84) differs from the CRS without.
    if (detail::bound(srs)) return {};
    // GDAL reads OGC:CRS84 (and +proj=longlat +datum=WGS84) without an identifier.
    if (srs.IsGeographic())
        if (auto crs84 = parse_crs("OGC:CRS84"); crs84 && detail::same(srs, *crs84)) return "OGC:CRS84";
    const auto named = detail::code_by_name(srs);
    return detail::replaced(named.empty() ? detail::code_of_unnamed(srs) : named);
}

// "EPSG:32611+5703" for a compound CRS that is what GDAL makes of this text; "" for every other CRS.
inline std::string compound_code(const OGRSpatialReference& srs) {
    if (!srs.IsCompound()) return {};
    const char *authority = srs.GetAuthorityName("VERT_CS"), *code = srs.GetAuthorityCode("VERT_CS");
    auto horizontal = srs;
    if (!authority || !code || !EQUAL(authority, "EPSG") || horizontal.StripVertical() != OGRERR_NONE) return {};
    const auto base = crs_code(horizontal);
    if (base.rfind("EPSG:", 0) != 0) return {};
    const auto text = base + "+" + code;
    const auto made = parse_crs(text);
    return made && detail::same(srs, *made) ? text : std::string{};
}

// For results and messages: the code or codes, else WKT 2 on one line, "" for no CRS.
inline std::string crs_text(const OGRSpatialReference& srs) {
    if (auto code = crs_code(srs); !code.empty()) return code;
    if (auto codes = compound_code(srs); !codes.empty()) return codes;
    if (undefined(srs)) return {};
    constexpr const char* options[] = {"FORMAT=WKT2_2019", "MULTILINE=NO", nullptr};
    char* wkt = nullptr;
    std::string out;
    if (srs.exportToWkt(&wkt, options) == OGRERR_NONE && wkt) out = wkt;
    CPLFree(wkt);
    return out;
}

// For repeated mentions: as crs_text(), but the name alone in place of WKT.
inline std::string crs_label(const OGRSpatialReference& srs) {
    if (auto code = crs_code(srs); !code.empty()) return code;
    if (auto codes = compound_code(srs); !codes.empty()) return codes;
    if (undefined(srs)) return {};
    return srs.GetName() && *srs.GetName() ? srs.GetName() : "unnamed";
}

inline const char* crs_kind(const OGRSpatialReference& srs) {
    return undefined(srs)       ? "none"
           : srs.IsCompound()   ? "compound"
           : srs.IsGeographic() ? "geographic"
           : srs.IsProjected()  ? "projected"
           : srs.IsGeocentric() ? "geocentric"
           : srs.IsLocal()      ? "local"
           : srs.IsVertical()   ? "vertical"
                                : "other";
}

// Fails the call unless the CRS of an argument has a plane for cells: one in degrees or a map.
inline void require_plane(const OGRSpatialReference& srs, const std::string& text, const char* argument) {
    if (srs.IsProjected() || srs.IsGeographic()) return;
    throw error{GDALMCP_UNSUPPORTED,
                std::string{"'"} + argument + "' is '" + text + "', whose kind is '" + crs_kind(srs) + "', not a map",
                "give a projected or geographic CRS"};
}

// The result record `crs{code, name, kind, unit}` every tool reports.
struct crs_record {
    field<std::string> code{"code",
                            "AUTHORITY:CODE, with heights AUTHORITY:CODE+CODE, when the CRS is identified with "
                            "certainty; else WKT 2; empty when the data has no CRS"};
    field<std::string> name{"name", "Name of the CRS"};
    field<std::string> kind{"kind", "none, geographic, projected, compound, geocentric, local, vertical or other"};
    field<std::string> unit{"unit", "Unit of the horizontal axes: degree, metre, US survey foot …; empty without CRS"};
    record all;
    crs_record(const char* member, const char* about) : all{member, about, {code, name, kind, unit}} {}
    void put(place& p, const OGRSpatialReference& srs) const {
        auto at = p.at(all);
        at.put(code, crs_text(srs));
        at.put(name, undefined(srs) || !srs.GetName() ? std::string{} : std::string{srs.GetName()});
        at.put(kind, std::string{crs_kind(srs)});
        const char* u = nullptr;
        if (undefined(srs))
            u = "";
        else if (srs.IsGeographic())
            srs.GetAngularUnits(&u);
        else
            srs.GetLinearUnits(&u);
        at.put(unit, std::string{u ? u : ""});
    }
};

}  // namespace gdalmcp::gdal
