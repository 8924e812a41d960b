// Arguments and result fields that several vector tools share.
#pragma once
#include "ogr_census.hpp"
#include "ogr_layer_extent.hpp"

#include <gdalmcp/gdal_geometry.hpp>

namespace gdalmcp_vector {

inline const auto& uri = gdalmcp::standard::vector_uri;
inline const auto& output = gdalmcp::standard::vector_output;
inline const auto& overwrite = gdalmcp::standard::overwrite;

// A failure that GDAL reported and continued from; the data it returned are used, with a warning.
inline void pass_on_complaint(gdalmcp::call& call) {
    if (CPLGetLastErrorType() >= CE_Failure)
        call.warn(std::string{"GDAL reported an error and went on: "} + CPLGetLastErrorMsg());
    CPLErrorReset();
}

// Features a tool leaves out instead of failing.
inline const gdalmcp::field<std::vector<std::int64_t>> failed_ids =
    gdalmcp::field<std::vector<std::int64_t>>{"failed_ids", "Left out, at most 100; with skip_failed"}.optional();
inline const gdalmcp::field<std::int64_t> failed_count =
    gdalmcp::field<std::int64_t>{"failed_count", "Left out; with skip_failed", "features"}.optional();

// The location of a geometry that GEOS finds invalid.
struct invalid_table {
    gdalmcp::field<std::int64_t> id{"id", "Feature id (FID)"};
    gdalmcp::field<std::string> reason{"reason", "GEOS' reason with the place, in the layer's CRS"};
    gdalmcp::table all;
    invalid_table(const char* member, const char* about) : all{member, about, {id, reason}} {}
    void put(gdalmcp::place& p, const std::vector<invalid_feature>& features) const {
        p.begin(all);
        for (const auto& f : features) {
            auto row = p.add(all);
            row.put(id, f.id);
            row.put(reason, f.reason);
        }
    }
};

inline const gdalmcp::arg<std::optional<gdalmcp::crs>> src_crs{
    .name = "src_crs", .about = "CRS the coordinates are in, where the data states none or a wrong one."};

// The unit of a distance on the ground.
inline const gdalmcp::arg<gdalmcp::choice> distance_unit{
    .name = "unit",
    .about = "On the ground, whatever the CRS; crs: the layer's own units.",
    .fallback = gdalmcp::choice{"m"},
    .values = {"m", "km", "ft", "us-ft", "mi", "crs"},
    .synonyms = {{"metre", "m"},
                 {"metres", "m"},
                 {"meter", "m"},
                 {"meters", "m"},
                 {"kilometre", "km"},
                 {"kilometres", "km"},
                 {"kilometer", "km"},
                 {"kilometers", "km"},
                 {"foot", "ft"},
                 {"feet", "ft"},
                 {"mile", "mi"},
                 {"miles", "mi"}}};
inline double metres_per(const std::string& unit) {
    if (unit == "km") return 1000;
    if (unit == "ft") return 0.3048;
    if (unit == "us-ft") return 1200.0 / 3937;
    if (unit == "mi") return 1609.344;
    return 1;
}

// Opens 'uri'. Errors of a dataset that GDAL still opened become warnings.
inline gdalmcp::gdal::dataset_ptr open_source(gdalmcp::call& call, gdalmcp::gdal::sql given = gdalmcp::gdal::sql::any) {
    CPLErrorReset();
    auto source = gdalmcp::gdal::open(call[uri], given);
    pass_on_complaint(call);
    return source;
}

// The expected properties of the output when the host re-opens it.
inline void expect_features(gdalmcp::call& call, GIntBig count, const OGRSpatialReference& crs) {
    call.expect(output, {.crs = gdalmcp::gdal::crs_text(crs), .features = count});
}

}  // namespace gdalmcp_vector
