#include "worker/crs_registry.hpp"

#include <proj.h>

#include <memory>
#include <optional>
#include <utility>

#include "worker/crs.hpp"

namespace gdalmcp::worker {

namespace json = base::json;

namespace {

using context = std::unique_ptr<PJ_CONTEXT, decltype(&proj_context_destroy)>;
using object = std::unique_ptr<PJ, decltype(&proj_destroy)>;

context quiet_context() {
    context c{proj_context_create(), &proj_context_destroy};
    proj_log_level(c.get(), PJ_LOG_NONE);
    return c;
}

object own(PJ* p) { return {p, &proj_destroy}; }

std::string text_of(const char* s) { return s ? s : ""; }

const char* kind_of(PJ_TYPE t) {
    switch (t) {
        case PJ_TYPE_GEODETIC_CRS:
            return "geodetic";
        case PJ_TYPE_GEOCENTRIC_CRS:
            return "geocentric";
        case PJ_TYPE_GEOGRAPHIC_2D_CRS:
            return "geographic";
        case PJ_TYPE_GEOGRAPHIC_3D_CRS:
            return "geographic_3d";
        case PJ_TYPE_PROJECTED_CRS:
            return "projected";
        case PJ_TYPE_VERTICAL_CRS:
            return "vertical";
        case PJ_TYPE_COMPOUND_CRS:
            return "compound";
        default:
            return "other";
    }
}

json::object row_of(const PROJ_CRS_INFO& i) {
    json::object row{{"code", text_of(i.auth_name) + ":" + text_of(i.code)},
                     {"name", text_of(i.name)},
                     {"kind", kind_of(i.type)},
                     {"deprecated", i.deprecated != 0},
                     {"body", text_of(i.celestial_body_name)}};
    if (i.area_name) row["area"] = i.area_name;
    if (i.bbox_valid)
        row["bbox"] = json::array{i.west_lon_degree, i.south_lat_degree, i.east_lon_degree, i.north_lat_degree};
    if (i.projection_method_name) row["method"] = i.projection_method_name;
    return row;
}

std::string code_of(const PJ* p) {
    const char* authority = proj_get_id_auth_name(p, 0);
    const char* code = proj_get_id_code(p, 0);
    return authority && code ? std::string{authority} + ":" + code : std::string{};
}

object from_database(PJ_CONTEXT* c, const std::string& code) {
    const auto colon = code.find(':');
    if (colon == std::string::npos) return own(nullptr);
    return own(proj_create_from_database(c, code.substr(0, colon).c_str(), code.substr(colon + 1).c_str(),
                                         PJ_CATEGORY_CRS, 0, nullptr));
}

// The CRS under exactly this code, also when superseded; else PROJ's interpretation of the spelling.
object registered(PJ_CONTEXT* c, const std::string& spelling) {
    const bool bare = spelling.find_first_not_of("0123456789") == std::string::npos;
    std::string code = bare ? "EPSG:" + spelling : spelling;
    for (std::size_t i = 0; i < code.find(':') && i < code.size(); ++i)
        if (code[i] >= 'a' && code[i] <= 'z') code[i] = static_cast<char>(code[i] - 'a' + 'A');
    if (auto found = from_database(c, code)) return found;
    const auto described = describe_spelling(code);
    return described ? from_database(c, std::string{described->at("code").get_string()}) : own(nullptr);
}

// The code tools resolve this one to. For some deprecated codes, such as ESRI:102100, PROJ names no successor.
std::string taken_for(const std::string& code) {
    const auto known = describe_spelling(code);
    return known ? std::string{known->at("code").get_string()} : std::string{};
}

class entry {
public:
    entry(PJ_CONTEXT* c, const PJ* crs) : context_{c}, crs_{crs} {}

    json::object told() {
        names();
        axes();
        area();
        datum();
        ellipsoid();
        method();
        return std::move(out_);
    }

private:
    void names() {
        out_ = {{"code", code_of(crs_)},
                {"name", text_of(proj_get_name(crs_))},
                {"kind", kind_of(proj_get_type(crs_))},
                {"deprecated", proj_is_deprecated(crs_) != 0}};
        json::array newer;
        const std::unique_ptr<PJ_OBJ_LIST, decltype(&proj_list_destroy)> list{proj_get_non_deprecated(context_, crs_),
                                                                              &proj_list_destroy};
        for (int i = 0; list && i < proj_list_get_count(list.get()); ++i)
            newer.emplace_back(code_of(own(proj_list_get(context_, list.get(), i)).get()));
        const bool deprecated = proj_is_deprecated(crs_) != 0;
        const std::string code{out_.at("code").get_string()};
        if (const auto other = deprecated && newer.empty() ? taken_for(code) : std::string{};
            !other.empty() && other != code)
            newer.emplace_back(other);
        out_["superseded_by"] = std::move(newer);
        for (const auto& [member, said] :
             {std::pair{"scope", proj_get_scope(crs_)}, std::pair{"remarks", proj_get_remarks(crs_)}})
            if (!text_of(said).empty()) out_[member] = said;
#if PROJ_VERSION_MAJOR > 8 || (PROJ_VERSION_MAJOR == 8 && PROJ_VERSION_MINOR >= 1)
        if (const char* body = proj_get_celestial_body_name(context_, crs_)) out_["body"] = body;
#endif
    }

    void axes() {
        json::array all, components;
        if (proj_get_type(crs_) == PJ_TYPE_COMPOUND_CRS) {
            for (int i = 0; const auto part = own(proj_crs_get_sub_crs(context_, crs_, i)); ++i) {
                components.emplace_back(code_of(part.get()) + " " + text_of(proj_get_name(part.get())));
                add_axes(part.get(), all);
            }
            out_["components"] = std::move(components);
        } else {
            add_axes(crs_, all);
        }
        out_["unit"] = all.empty() ? json::value("") : all.front().at("unit");
        const bool latitude_first =
            all.size() > 1 && (all.front().at("direction") == "north") && (all.at(1).at("direction") == "east");
        out_["axis_order"] = latitude_first ? "the authority puts northing or latitude first; tools here take and "
                                              "return x (easting, longitude) first"
                                            : "tools here take and return x (easting, longitude) first";
        out_["axes"] = std::move(all);
    }

    void add_axes(const PJ* crs, json::array& all) const {
        const auto system = own(proj_crs_get_coordinate_system(context_, crs));
        const int n = system ? proj_cs_get_axis_count(context_, system.get()) : 0;
        for (int i = 0; i < n; ++i) {
            const char *name = nullptr, *abbreviation = nullptr, *direction = nullptr, *unit = nullptr;
            double factor = 0;
            if (!proj_cs_get_axis_info(context_, system.get(), i, &name, &abbreviation, &direction, &factor, &unit,
                                       nullptr, nullptr))
                continue;
            all.push_back(json::object{{"name", text_of(name)},
                                       {"abbreviation", text_of(abbreviation)},
                                       {"direction", text_of(direction)},
                                       {"unit", text_of(unit)},
                                       {"unit_to_si", factor}});
        }
    }

    void area() {
        double w = 0, s = 0, e = 0, n = 0;
        const char* name = nullptr;
        if (!proj_get_area_of_use(context_, crs_, &w, &s, &e, &n, &name)) return;
        json::object o{{"name", text_of(name)}};
        if (w > -1000) o["bbox"] = json::array{w, s, e, n};  // -1000: PROJ knows the name only
        out_["area_of_use"] = std::move(o);
    }

    // The accuracy limit of coordinates: a datum ensemble is no more accurate than the agreement of its members.
    void datum() {
        const auto frame = own(proj_crs_get_datum_forced(context_, crs_));
        if (!frame) return;
        json::object o{{"name", text_of(proj_get_name(frame.get()))}};
        if (const auto ensemble = own(proj_crs_get_datum_ensemble(context_, crs_))) {
            o["name"] = text_of(proj_get_name(ensemble.get()));
            if (const double m = proj_datum_ensemble_get_accuracy(context_, ensemble.get()); m >= 0)
                o["accuracy_m"] = m;
            o["note"] =
                "an ensemble of realisations: positions are accurate to accuracy_m only, unless the realisation is "
                "known";
        } else if (const double epoch = proj_dynamic_datum_get_frame_reference_epoch(context_, frame.get());
                   epoch > 0) {
            o["epoch"] = epoch;
            o["note"] = "a dynamic datum: coordinates of points on the ground change with time; state their epoch";
        }
        out_["datum"] = std::move(o);
    }

    void ellipsoid() {
        if (const auto e = own(proj_get_ellipsoid(context_, crs_))) {
            double a = 0, inverse_flattening = 0;
            proj_ellipsoid_get_parameters(context_, e.get(), &a, nullptr, nullptr, &inverse_flattening);
            out_["ellipsoid"] = json::object{{"name", text_of(proj_get_name(e.get()))},
                                             {"semi_major_m", a},
                                             {"inverse_flattening", inverse_flattening}};
        }
        if (const auto m = own(proj_get_prime_meridian(context_, crs_)))
            out_["prime_meridian"] = text_of(proj_get_name(m.get()));
    }

    void method() {
        if (proj_get_type(crs_) != PJ_TYPE_PROJECTED_CRS) return;
        const auto conversion = own(proj_crs_get_coordoperation(context_, crs_));
        const char* name = nullptr;
        if (conversion && proj_coordoperation_get_method_info(context_, conversion.get(), &name, nullptr, nullptr) &&
            name)
            out_["method"] = name;
    }

    PJ_CONTEXT* context_;
    const PJ* crs_;
    json::object out_;
};

}  // namespace

base::result<json::array> registered_crs() {
    const auto c = quiet_context();
    const std::unique_ptr<PROJ_CRS_LIST_PARAMETERS, decltype(&proj_get_crs_list_parameters_destroy)> how{
        proj_get_crs_list_parameters_create(), &proj_get_crs_list_parameters_destroy};
    how->allow_deprecated = 1;
    int count = 0;
    const std::unique_ptr<PROJ_CRS_INFO*, decltype(&proj_crs_info_list_destroy)> list{
        proj_get_crs_info_list_from_database(c.get(), nullptr, how.get(), &count), &proj_crs_info_list_destroy};
    if (!list || count == 0)
        return base::fail(base::code::io, "PROJ's database cannot be listed", "is proj.db of this PROJ installed?");
    json::array all;
    all.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) all.push_back(row_of(*list.get()[i]));
    return all;
}

base::result<json::object> crs_entry(const std::string& spelling) {
    const auto c = quiet_context();
    const auto crs = registered(c.get(), spelling);
    if (!crs)
        return base::fail(base::code::not_found, "PROJ's database has no CRS '" + spelling + "'",
                          "give AUTHORITY:CODE such as EPSG:32633; reference://crs/list/{area} lists those of an area");
    return entry{c.get(), crs.get()}.told();
}

}  // namespace gdalmcp::worker
