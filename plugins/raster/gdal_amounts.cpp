#include "gdal_amounts.hpp"

#include "datasets/gdal_raster_source.hpp"
#include "gdal_undeclared_nodata.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

void warn_of_no_amounts(gdalmcp::call& call, const std::string& path, GDALRasterBand& band, const std::string& amount) {
    warn_of_undeclared_nodata(call, path, band);
    const auto kind = gdal::kind_of(band);
    const std::string name = "band " + std::to_string(band.GetBand()) + " of " + path;
    if (kind.kind == gdal::value_kind::angle)
        call.warn(name + " holds angles (" + kind.why + "), and a direction is no " + amount + ": compute the " +
                  amount + "s from it with raster_calc first");
    if (kind.kind != gdal::value_kind::classes && kind.kind != gdal::value_kind::qa_bits) return;
    call.warn(name + (kind.certain ? " holds codes (" : " looks like codes (") + kind.why + "), and a code is no " +
              amount + ": " + (kind.certain ? "" : "if so, ") + "give each class its " + amount +
              " with raster_calc first");
}

void warn_of_no_mean(gdalmcp::call& call, const std::string& name, GDALRasterBand& band) {
    const auto declared = gdal::declared_kind(gdal::signs_of(band, false));
    if (declared && declared->kind == gdal::value_kind::angle)
        call.warn(name + " holds angles (" + declared->why +
                  "): the mean of 359 and 1 is not 180; histogram_bins of raster_stats counts directions");
    if (const std::string unit = band.GetUnitType(); is_logarithm(unit))
        call.warn(name + " holds logarithms (unit " + unit + "): their mean is not that of the amounts; the median is");
}

void warn_of_likely_codes(gdalmcp::call& call, const std::string& name, GDALRasterBand& band, double least,
                          double greatest) {
    // Codes are few numbers close together: three digits at most, as in CORINE.
    if (!gdalmcp_datasets::whole_numbers(band.GetRasterDataType()) || greatest - least > 999) return;
    const gdal::quiet silence;
    if (const auto kind = gdal::kind_of(band); kind.kind == gdal::value_kind::classes)
        call.warn(name + " looks like class codes (" + kind.why +
                  "): its mean means nothing if it is; raster_stats with \"classes\": true counts cells and areas");
}

bool is_level(const gdal::band_kind& kind, const std::string& unit) {
    if (kind.kind == gdal::value_kind::elevation || kind.kind == gdal::value_kind::ratio || is_logarithm(unit))
        return true;
    for (const char* level : {"°C",
                              "degC",
                              "deg C",
                              "deg_C",
                              "C",
                              "celsius",
                              "degree Celsius",
                              "degrees Celsius",
                              "degrees_C",
                              "K",
                              "kelvin",
                              "°F",
                              "degF",
                              "fahrenheit",
                              "Pa",
                              "hPa",
                              "kPa",
                              "mbar",
                              "bar",
                              "fraction",
                              "‰",
                              "permille",
                              "ppm",
                              "ppb"})
        if (EQUAL(unit.c_str(), level)) return true;
    for (const char* per :
         {"/km2",     "/km²",      "/km^2",   "/km**2",  "/sq km",   " per sq km", "/ha",    "/m2",    "/m²",
          "/m^2",     "/m**2",     "/m3",     "/m³",     "/m^3",     "/l",         "/L",     "/kg",    "/s",
          "/min",     "/h",        "/d",      "/day",    "/yr",      "/year",      " km-2",  " km^-2", " km**-2",
          " ha-1",    " m-2",      " m^-2",   " m-3",    " s-1",     " d-1",       " day-1", " yr-1",  " per km2",
          " per km²", " per km^2", " per ha", " per m2", " per day", " per year"})
        if (unit.ends_with(per)) return true;
    return false;
}

bool is_logarithm(const std::string& unit) {
    for (const char* known : {"dB", "decibel", "decibels", "dBZ", "dBm", "dBW", "pH"})
        if (EQUAL(unit.c_str(), known)) return true;
    return false;
}

std::string sum_of_levels(const std::string& path, GDALRasterBand& band) {
    const std::string unit = band.GetUnitType();
    const auto kind = gdal::kind_of(band);
    if (!is_level(kind, unit)) return {};
    return "band " + std::to_string(band.GetBand()) + " of " + path + " holds values per place (kind " +
           gdal::name_of(kind.kind) + ", unit " + (unit.empty() ? "not given" : unit) +
           "), whose sum grows with the number of cells: a mean states the level, and the total of a density is its "
           "mean times the area";
}

void warn_of_sum_of_levels(gdalmcp::call& call, const std::string& path, GDALRasterBand& band) {
    if (const auto doubt = sum_of_levels(path, band); !doubt.empty()) call.warn(doubt);
}

}  // namespace gdalmcp_raster
