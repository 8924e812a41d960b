#include "worker/contents_times.hpp"

#include <gdal_priv.h>
#include <gdalmcp/gdal_open.hpp>

#include "catch.hpp"

using namespace gdalmcp;
using worker::day_of;
namespace json = base::json;

TEST_CASE("a day is read from dates as files write them") {
    CHECK(day_of("2019-01-31") == 20190131);
    CHECK(day_of("2019:01:31 12:00:00") == 20190131);
    CHECK(day_of("2019/01/31T10:00Z") == 20190131);
    CHECK(day_of("20190131") == 20190131);
    CHECK(day_of("2019") == 20190101);
    CHECK(day_of("2020-02", true) == 20200229);
    CHECK(day_of("2019", true) == 20191231);
}

TEST_CASE("numbers, times of day and words are no days") {
    for (const char* text : {"", "12:30:00", "1030", "101112", "days since 1950-01-01", "19990", "2019-13-01", "2019-1",
                             "201", "2019x", "20190145"})
        CHECK(!day_of(text));
}

TEST_CASE("dates of metadata are those of the data, not those of the file") {
    GDALAllRegister();
    const gdalmcp::gdal::dataset_ptr d{
        GetGDALDriverManager()->GetDriverByName("MEM")->Create("", 1, 1, 1, GDT_Byte, nullptr)};
    for (const auto& [key, value] : {std::pair{"ACQUISITION_DATE", "2013-04-15"},
                                     {"NC_GLOBAL#date_created", "2020-01-01"},
                                     {"NC_GLOBAL#time_coverage_start", "2001-01-01"},
                                     {"NC_GLOBAL#time_coverage_end", "2003"},
                                     {"time#units", "days since 1950-01-01"},
                                     {"SCENE_TIME", "10:11:12"},
                                     {"COMMENT", "2017-01-01"}})
        d->SetMetadataItem(key, value);
    d->SetMetadataItem("ACQUISITIONDATETIME", "1970-01-01 00:00:00", "IMAGERY");  // GDAL could not read it
    d->SetMetadataItem("L1_METADATA_FILE.PRODUCT_METADATA.DATE_ACQUIRED", "2015-08-04", "IMD");
    d->SetMetadataItem("L1_METADATA_FILE.METADATA_FILE_INFO.FILE_DATE", "2015-08-05T21:11:59Z", "IMD");
    json::array times;
    worker::add_metadata_times(*d, times);
    CHECK(
        base::write_json(times) ==
        R"([{"from":20130415,"to":20130415,"why":"ACQUISITION_DATE"},{"from":20010101,"to":20031231,"why":"time_coverage"},{"from":20150804,"to":20150804,"why":"DATE_ACQUIRED"}])");
}

TEST_CASE("the axis of the bands is read by its units and calendar") {
    GDALAllRegister();
    const gdalmcp::gdal::dataset_ptr d{
        GetGDALDriverManager()->GetDriverByName("MEM")->Create("", 1, 1, 2, GDT_Byte, nullptr)};
    d->SetMetadataItem("time#units", "days since 2000-01-01");
    d->SetMetadataItem("time#calendar", "noleap");
    d->GetRasterBand(1)->SetMetadataItem("NETCDF_DIM_time", "0");
    d->GetRasterBand(2)->SetMetadataItem("NETCDF_DIM_time", "59");  // no 29 February
    d->GetRasterBand(2)->SetMetadataItem("NETCDF_DIM_level", "850");
    json::array times;
    worker::add_axis_times(*d, times);
    CHECK(base::write_json(times) == R"([{"from":20000101,"to":20000301,"why":"axis time"}])");
}
