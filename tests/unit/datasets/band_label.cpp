#include <datasets/gdal_band_label.hpp>

#include "catch.hpp"

#include "../raster/rasters.hpp"

using gdalmcp_datasets::band_label;

TEST_CASE("a band of a netCDF variable is named by its date and level") {
    const auto d = rasters::make({{{1}}});
    auto& band = *d->GetRasterBand(1);
    CHECK(band_label(band).empty());
    d->SetMetadataItem("time#units", "days since 1999-01-01");
    d->SetMetadataItem("level#units", "hPa");
    band.SetMetadataItem("NETCDF_DIM_time", "14");
    CHECK(band_label(band) == "time 1999-01-15");
    band.SetMetadataItem("NETCDF_DIM_level", "850");
    CHECK(band_label(band).find("level 850 hPa") != std::string::npos);
    band.SetMetadataItem("NETCDF_DIM_member", "3");
    CHECK(band_label(band).find("member 3") != std::string::npos);
}

TEST_CASE("a band of an array is named by its date and level") {
    const auto d = rasters::make({{{1}}});
    auto& band = *d->GetRasterBand(1);
    band.SetMetadataItem("DIM_time_INDEX", "1");
    band.SetMetadataItem("DIM_time_UNIT", "days since 1999-01-01");
    band.SetMetadataItem("DIM_time_VALUE", "31");
    CHECK(band_label(band) == "time 1999-02-01");
    band.SetMetadataItem("DIM_z_VALUE", "850");
    band.SetMetadataItem("DIM_z_UNIT", "hPa");
    CHECK(band_label(band) == "time 1999-02-01, z 850 hPa");
}

TEST_CASE("a description comes first, and says nothing twice") {
    const auto d = rasters::make({{{1}}});
    auto& band = *d->GetRasterBand(1);
    band.SetDescription("tas, time 1999-01-15");
    d->SetMetadataItem("time#units", "days since 1999-01-01");
    band.SetMetadataItem("NETCDF_DIM_time", "14");
    CHECK(band_label(band) == "tas, time 1999-01-15");
}

TEST_CASE("units that are no time are shown as they are") {
    const auto d = rasters::make({{{1}}});
    auto& band = *d->GetRasterBand(1);
    d->SetMetadataItem("time#units", "months since 1999-01-01");
    band.SetMetadataItem("NETCDF_DIM_time", "14");
    CHECK(band_label(band) == "time 14 months since 1999-01-01");
}

TEST_CASE("a band of a GRIB file is named by its valid time") {
    const auto d = rasters::make({{{1}}});
    auto& band = *d->GetRasterBand(1);
    band.SetDescription("2[m] HTGL");
    band.SetMetadataItem("GRIB_VALID_TIME", "  1105077600 sec UTC");
    CHECK(band_label(band) == "2[m] HTGL, valid 2005-01-07T06:00");
}
