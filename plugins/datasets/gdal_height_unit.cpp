#include "gdal_height_unit.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace gdalmcp_datasets {

std::string height_unit(GDALRasterBand& band, const OGRSpatialReference& crs) {
    if (const char* unit = band.GetUnitType(); unit && *unit) return unit;
    if (!crs.IsCompound()) return {};
    const char* unit = nullptr;
    crs.GetTargetLinearUnits("VERT_CS", &unit);
    return unit ? unit : "";
}

std::optional<double> metres_of(const std::string& unit) {
    std::string name = unit;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* metre : {"m", "metre", "meter", "metres", "meters"})
        if (name == metre) return 1.0;
    for (const char* foot : {"ft", "foot", "feet", "international foot"})
        if (name == foot) return 0.3048;
    for (const char* foot :
         {"us-ft", "us-foot", "ftus", "us_ft", "us survey foot", "foot_us", "us survey feet", "survey feet"})
        if (name == foot) return 1200.0 / 3937.0;
    for (const auto& [other, metres] :
         {std::pair{"cm", 0.01}, {"centimetre", 0.01}, {"dm", 0.1}, {"mm", 0.001}, {"km", 1000.0}})
        if (name == other) return metres;
    return {};
}

bool same_unit(const std::string& a, const std::string& b) {
    if (EQUAL(a.c_str(), b.c_str())) return true;
    const auto metres = metres_of(a);
    return metres && metres == metres_of(b);
}

bool transformed_by_gdal(const std::string& unit) {
    for (const char* known : {"", "m", "meter", "metre", "ft", "foot", "US survey foot"})
        if (EQUAL(unit.c_str(), known)) return true;
    return false;
}

bool counts_down(const OGRSpatialReference& crs) {
    OGRAxisOrientation to = OAO_Other;
    return crs.IsCompound() && crs.GetAxis("VERT_CS", 0, &to) && to == OAO_Down;
}

std::string heights_of(const OGRSpatialReference& crs) {
    const char *vertical = crs.GetAttrValue("VERT_CS"), *datum = crs.GetAttrValue("DATUM");
    if (vertical) return vertical;
    return crs.GetAxesCount() == 3 ? std::string{"ellipsoid of "} + (datum ? datum : "the CRS") : std::string{};
}

}  // namespace gdalmcp_datasets
