// gdalmcp/gdal_operation.hpp — PROJ's choice of a way from one CRS to another: what it is called, how accurate it is,
// what a tool refuses, warns of and returns about it. Header-only; link GDAL and PROJ.
#pragma once
#include <gdalmcp/gdal_crs.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gdalmcp::gdal {

namespace detail {
// Map projections and unit changes on one datum: exact by definition, PROJ states no accuracy for them.
inline bool only_conversions(PJ_CONTEXT* context, const PJ* operation) {
    if (proj_get_type(operation) == PJ_TYPE_CONVERSION) return true;
    if (proj_get_type(operation) != PJ_TYPE_CONCATENATED_OPERATION) return false;
    const int steps = proj_concatoperation_get_step_count(context, operation);
    for (int i = 0; i < steps; ++i) {
        PJ* step = proj_concatoperation_get_step(context, operation, i);
        const bool conversion = step && proj_get_type(step) == PJ_TYPE_CONVERSION;
        proj_destroy(step);
        if (!conversion) return false;
    }
    return steps > 0;
}
}  // namespace detail

// PROJ's operation between two CRSs around an area of interest.
struct operation {
    std::string name;                // "Inverse of UTM zone 33N + WGS 84 to ETRS89 (1)"
    std::optional<double> accuracy;  // m; 0 for pure conversions; absent = unknown
    bool ballpark = false;           // no datum shift is known: off by up to hundreds of metres
    bool grid_missing = false;       // a better operation exists, but its grid file is not installed
    std::string missing_grid;        // its file name
};

using degrees_area = std::optional<std::array<double, 4>>;  // west, south, east, north, or nothing

// PROJ finds no operation for an area without size, as of one point: it gets a hundred metres.
inline degrees_area with_size(degrees_area area) {
    constexpr double least = 1e-3;  // degrees
    if (!area) return area;
    auto& [west, south, east, north] = *area;
    if (const double d = least - (east - west); west <= east && d > 0)
        west = std::max(-180.0, west - d / 2), east = std::min(180.0, east + d / 2);
    if (const double d = least - (north - south); d > 0)
        south = std::max(-90.0, south - d / 2), north = std::min(90.0, north + d / 2);
    return area;
}

// Source: proj_create_operations of PROJ >= 6.
inline std::optional<operation> best_operation(const OGRSpatialReference& from, const OGRSpatialReference& to,
                                               const degrees_area& of_data) {
    const auto area = with_size(of_data);
    const auto wkt_of = [](const OGRSpatialReference& s) {
        constexpr const char* options[] = {"FORMAT=WKT2_2019", nullptr};
        char* wkt = nullptr;
        std::string out = s.exportToWkt(&wkt, options) == OGRERR_NONE && wkt ? wkt : "";
        CPLFree(wkt);
        return out;
    };
    const detail::proj_context ctx;
    using pj = std::unique_ptr<PJ, decltype(&proj_destroy)>;
    const pj a{proj_create(ctx.c, wkt_of(from).c_str()), &proj_destroy},
        b{proj_create(ctx.c, wkt_of(to).c_str()), &proj_destroy};
    if (!a || !b) return std::nullopt;
    const std::unique_ptr<PJ_OPERATION_FACTORY_CONTEXT, decltype(&proj_operation_factory_context_destroy)> factory{
        proj_create_operation_factory_context(ctx.c, nullptr), &proj_operation_factory_context_destroy};
    if (!factory) return std::nullopt;
    proj_operation_factory_context_set_spatial_criterion(ctx.c, factory.get(),
                                                         PROJ_SPATIAL_CRITERION_PARTIAL_INTERSECTION);
    if (area)
        proj_operation_factory_context_set_area_of_interest(ctx.c, factory.get(), (*area)[0], (*area)[1], (*area)[2],
                                                            (*area)[3]);
    const auto best = [&](PROJ_GRID_AVAILABILITY_USE grids) -> std::optional<operation> {
        proj_operation_factory_context_set_grid_availability_use(ctx.c, factory.get(), grids);
        const std::unique_ptr<PJ_OBJ_LIST, decltype(&proj_list_destroy)> list{
            proj_create_operations(ctx.c, a.get(), b.get(), factory.get()), &proj_list_destroy};
        if (!list || proj_list_get_count(list.get()) == 0) return std::nullopt;
        const pj op{proj_list_get(ctx.c, list.get(), 0), &proj_destroy};
        if (!op) return std::nullopt;
        operation o;
        const PJ_PROJ_INFO about = proj_pj_info(op.get());
        o.name = about.description ? about.description : "";
        if (const double m = proj_coordoperation_get_accuracy(ctx.c, op.get()); m >= 0)
            o.accuracy = m;
        else if (detail::only_conversions(ctx.c, op.get()))
            o.accuracy = 0;
        o.ballpark = proj_coordoperation_has_ballpark_transformation(ctx.c, op.get()) != 0;
        for (int i = 0; i < proj_coordoperation_get_grid_used_count(ctx.c, op.get()); ++i) {
            const char* grid = nullptr;
            int available = 0;
            if (proj_coordoperation_get_grid_used(ctx.c, op.get(), i, &grid, nullptr, nullptr, nullptr, nullptr,
                                                  nullptr, &available) &&
                !available) {
                o.grid_missing = true;
                o.missing_grid = grid ? grid : "";
            }
        }
        return o;
    };
    auto usable = best(PROJ_GRID_AVAILABILITY_DISCARD_OPERATION_IF_MISSING_GRID);
    if (!usable) return std::nullopt;
    if (const auto ideal = best(PROJ_GRID_AVAILABILITY_IGNORED); ideal && ideal->grid_missing) {
        usable->grid_missing = true;
        usable->missing_grid = ideal->missing_grid;
    }
    return usable;
}

// The same for a tool that transforms a dataset: throws when PROJ knows none, and when it knows only a ballpark one
// that `allow_ballpark` does not accept.
inline operation required_operation(const OGRSpatialReference& from, const OGRSpatialReference& to,
                                    const degrees_area& area, bool allow_ballpark) {
    const auto best = best_operation(from, to, area);
    const std::string pair = crs_label(from) + " to " + crs_label(to);
    if (!best)
        throw error{GDALMCP_UNSUPPORTED, "PROJ has no transformation from " + pair,
                    "choose another 'dst_crs', or name the true source CRS with 'src_crs'"};
    if (best->ballpark && !allow_ballpark)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "from " + pair + " only a ballpark transformation is known ('" + best->name +
                        "'): no datum shift is applied, positions may be off by hundreds of metres" +
                        (best->grid_missing ? "; a better one needs the grid " + best->missing_grid : ""),
                    "name the true source CRS with 'src_crs', or where the tool has none with vector_reproject or "
                    "raster_reproject first; or accept the error with allow_ballpark: true"};
    return *best;
}

// What a result made with an operation is warned of.
inline std::vector<std::string> doubts(const operation& o) {
    std::vector<std::string> found;
    if (o.ballpark)
        found.push_back("ballpark transformation '" + o.name +
                        "': no datum shift is known, positions may be off by hundreds of metres");
    else if (!o.accuracy)
        found.push_back("the accuracy of the transformation '" + o.name + "' is unknown");
    if (o.grid_missing)
        found.push_back("a more accurate transformation exists, but its grid file " + o.missing_grid +
                        " is not installed");
    return found;
}

// An operation in a tool's result.
struct operation_record {
    field<std::string> name{"name", "As PROJ names it; 'none: …' if coordinates did not change"};
    field<double> accuracy = field<double>{"accuracy_m", "As stated; left out when unknown", "m"}.optional();
    field<bool> ballpark{"ballpark", "Datum shift unknown: off by up to hundreds of metres"};
    field<std::string> missing_grid =
        field<std::string>{"missing_grid", "Grid file of a better operation that is not installed"}.optional();
    record all{"transformation", "Used between the CRSs", {name, accuracy, ballpark, missing_grid}};
    void put(place& p, const operation& o) const {
        auto at = p.at(all);
        at.put(name, o.name);
        if (o.accuracy) at.put(accuracy, *o.accuracy);
        at.put(ballpark, o.ballpark);
        if (o.grid_missing) at.put(missing_grid, o.missing_grid);
    }
};

}  // namespace gdalmcp::gdal
