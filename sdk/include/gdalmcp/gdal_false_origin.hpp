// gdalmcp/gdal_false_origin.hpp — CRSs of MapInfo whose false origin GDAL reads in the wrong unit. Used by
// gdal_open.hpp.
#pragma once
#include <ogr_spatialref.h>
#include <ogrsf_frmts.h>
#include <gdalmcp/gdal_undeclared.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <string>

namespace gdalmcp::gdal::detail {

// Whether a CRS is that of a definition but for a false origin in feet that was taken for metres.
inline bool takes_feet_for_metres(const OGRSpatialReference& read, const OGRSpatialReference& defined) {
    const double foot = read.GetLinearUnits();
    constexpr double near = 0.01, survey = 1200.0 / 3937, international = 0.3048;  // metres
    const auto in_feet = [&](const OGRSpatialReference& crs) {
        return std::abs(crs.GetLinearUnits() - foot) < 1e-9 &&
               (std::abs(foot - survey) < 1e-9 || std::abs(foot - international) < 1e-9);
    };
    const auto text = [](const char* t) { return std::string{t ? t : ""}; };
    if (!in_feet(read) || !in_feet(defined) ||
        text(read.GetAttrValue("PROJECTION")) != text(defined.GetAttrValue("PROJECTION")) ||
        std::abs(read.GetSemiMajor() - defined.GetSemiMajor()) > 1e-3 ||
        std::abs(read.GetInvFlattening() - defined.GetInvFlattening()) > 1e-6)
        return false;
    for (const char* parameter : {SRS_PP_LATITUDE_OF_ORIGIN, SRS_PP_CENTRAL_MERIDIAN, SRS_PP_LATITUDE_OF_CENTER,
                                  SRS_PP_LONGITUDE_OF_CENTER, SRS_PP_AZIMUTH, SRS_PP_RECTIFIED_GRID_ANGLE})
        if (std::abs(read.GetProjParm(parameter) - defined.GetProjParm(parameter)) > 1e-8) return false;
    if (std::abs(read.GetProjParm(SRS_PP_SCALE_FACTOR, 1) - defined.GetProjParm(SRS_PP_SCALE_FACTOR, 1)) > 1e-10)
        return false;
    const auto parallels = [](const OGRSpatialReference& crs) {
        return std::minmax({crs.GetProjParm(SRS_PP_STANDARD_PARALLEL_1), crs.GetProjParm(SRS_PP_STANDARD_PARALLEL_2)});
    };
    const auto own = parallels(read), right = parallels(defined);  // in either order
    if (std::abs(own.first - right.first) > 1e-8 || std::abs(own.second - right.second) > 1e-8) return false;
    bool differs = false;
    for (const char* parameter : {SRS_PP_FALSE_EASTING, SRS_PP_FALSE_NORTHING}) {
        const double is = read.GetNormProjParm(parameter), should = defined.GetNormProjParm(parameter);
        if (std::abs(is * foot - should) > near) return false;
        differs = differs || std::abs(is - should) > near;
    }
    return differs;
}

// MapInfo states the false origin in the unit of the coordinates; GDAL 3.6 takes US survey feet for metres, and finds
// the code in EPSG all the same. Where that code's definition differs by this alone, the layer has it from here on.
inline void correct_false_origin(OGRLayer& layer) {
    auto* own = const_cast<OGRSpatialReference*>(layer.GetSpatialRef());
    const char *authority = own ? own->GetAuthorityName(nullptr) : nullptr,
               *code = own ? own->GetAuthorityCode(nullptr) : nullptr;
    if (!authority || !code || !EQUAL(authority, "EPSG") || !own->IsProjected()) return;
    const int number = std::atoi(code);
    OGRSpatialReference defined;
    if (defined.importFromEPSG(number) != OGRERR_NONE || !takes_feet_for_metres(*own, defined)) return;
    own->importFromEPSG(number);  // in place: the layer and its features refer to it
    own->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    caution_of(layer, "GDAL reads the false origin of layer '" + std::string{layer.GetName()} +
                          "' as metres, which is in feet: the definition of EPSG:" + std::to_string(number) +
                          " is used");
}

}  // namespace gdalmcp::gdal::detail
