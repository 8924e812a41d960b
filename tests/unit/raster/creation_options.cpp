#include <raster/gdal_creation_options.hpp>

#include "catch.hpp"
#include "rasters.hpp"

using gdalmcp_raster::creation_options;

namespace {

GDALDriver& driver(const char* name) {
    GDALAllRegister();
    auto* d = GetGDALDriverManager()->GetDriverByName(name);
    REQUIRE(d);
    return *d;
}

gdalmcp::error refused(const char* format, const std::vector<std::string>& given) {
    return rasters::refusal([&] { creation_options(driver(format), given); });
}

}  // namespace

TEST_CASE("an option the driver does not have is refused with near names") {
    const auto e = refused("GTiff", {"COMPRES=LZW"});
    CHECK(e.message == "GTiff has no creation option COMPRES");
    CHECK(e.hint.find("did you mean COMPRESS?") == 0);
    CHECK(e.hint.find("BIGTIFF") != std::string::npos);
    CHECK(refused("XYZ", {"COMPRESS=LZW"}).message == "XYZ has no creation option COMPRESS");
    CHECK(refused("SGI", {"COMPRESS=LZW"}).message == "SGI has no creation options");
    CHECK(refused("GTiff", {"TILED"}).message.find("not KEY=VALUE") != std::string::npos);
}

TEST_CASE("a value outside the option's list, type or range is refused with the valid ones") {
    CHECK(refused("GTiff", {"BIGTIFF=MAYBE"}).hint == "it takes YES, NO, IF_NEEDED, IF_SAFER");
    CHECK(refused("GTiff", {"TILED=PERHAPS"}).hint == "it takes YES or NO");
    CHECK(refused("GTiff", {"ZLEVEL=high"}).hint == "it takes a whole number");
    CHECK(refused("COG", {"BLOCKSIZE=100"}).hint == "it takes a whole number, at least 128");
    CHECK(refused("GTiff", {"MAX_Z_ERROR=a"}).hint == "it takes a number");
    CHECK(refused("GTiff", {"COMPRESS=LZW", "compress=ZSTD"}).message ==
          "creation option COMPRESS is given twice: LZW and ZSTD");
}

TEST_CASE(
    "options that move, resample, relabel or round cells, or read other files, are refused with the alternative") {
    for (const char* o : {"TARGET_SRS=EPSG:3857", "RES=10", "EXTENT=0,0,1,1", "WARP_RESAMPLING=NEAREST",
                          "TILING_SCHEME=GoogleMapsCompatible", "ZOOM_LEVEL=3", "ALIGNED_LEVELS=2", "ADD_ALPHA=NO"}) {
        INFO(o);
        CHECK(refused("COG", {o}).hint.find("raster_reproject") != std::string::npos);
    }
    CHECK(refused("GPKG", {"tiling_scheme=GoogleMapsCompatible"}).hint.find("raster_reproject") != std::string::npos);
    CHECK(refused("COG", {"OVERVIEW_RESAMPLING=CUBIC"}).hint.find("'overview_resampling'") != std::string::npos);
    CHECK(refused("COG", {"OVERVIEWS=NONE"}).hint.find("'overviews'") != std::string::npos);
    CHECK(refused("GTiff", {"PIXELTYPE=SIGNEDBYTE"}).hint == "use 'dtype'");
    CHECK(refused("GTiff", {"DISCARD_LSB=3"}).hint.find("max_error") != std::string::npos);
    for (const auto& [format, o] : {std::pair{"HFA", "DEPENDENT_FILE=/etc/passwd"},
                                    {"netCDF", "CONFIG_FILE=/etc/passwd"},
                                    {"JP2OpenJPEG", "GMLJP2V2_DEF=YES"},
                                    {"JP2OpenJPEG", "USE_SRC_CODESTREAM=YES"}}) {
        INFO(o);
        CHECK(refused(format, {o}).message.find("something other than the raster") != std::string::npos);
    }
}

TEST_CASE("a given option replaces a default, whatever its case") {
    creation_options o{driver("GTiff"), {"tiled = no", " zlevel=9", "Compress=lzw"}};
    CHECK(o.get("TILED") == "no");
    CHECK(o.take("COMPRESS") == "LZW");
    CHECK(o.over({"TILED=YES", "BIGTIFF=IF_SAFER"}) ==
          std::vector<std::string>{"BIGTIFF=IF_SAFER", "TILED=no", "ZLEVEL=9"});
    CHECK(o.take_number("zlevel") == 9.0);
    CHECK_FALSE(o.take_number("zlevel"));
    const auto e =
        rasters::refusal([] { creation_options(driver("JP2OpenJPEG"), {"QUALITY=10,20"}).take_number("QUALITY"); });
    CHECK(e.message == "creation option QUALITY is '10,20'");
}
