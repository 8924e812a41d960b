#include <raster/gdal_collar.hpp>
#include <raster/gdal_warp.hpp>

#include "catch.hpp"
#include "rasters.hpp"

#include <datasets/gdal_raster_format.hpp>

using namespace gdalmcp_raster;
namespace sdk = gdalmcp::gdal;

namespace {

constexpr std::array<double, 6> olinda{289000, 28.5, 0, 9121000, 0, -28.5};

warp_request towards(const char* crs, const char* resampling) {
    warp_request r;
    r.dst_crs = *sdk::parse_crs(crs);
    r.resampling = resampling;
    return r;
}

rasters::matrix filled(int columns, int rows, double value) {
    return rasters::matrix(static_cast<std::size_t>(rows),
                           std::vector<double>(static_cast<std::size_t>(columns), value));
}

int CPL_STDCALL go_on(double, const char*, void*) { return TRUE; }

destination at(const std::string& path) { return {path, driver_for(path), path + ".scratch.tif", go_on, nullptr}; }

sdk::dataset_ptr ours(GDALDataset& source, warp_request& r, const std::string& path, marking expected) {
    settle(r, source);
    CHECK(mark_collar(source, r) == expected);
    return warp({&source}, r, at(path)).dataset;
}

// Cells of a band by what its mask and value say.
struct census {
    int missing = 0, zeros = 0, cells = 0;
};
census count(GDALRasterBand& band) {
    const auto values = rasters::values(band), valid = rasters::values(*band.GetMaskBand());
    census c;
    for (std::size_t y = 0; y < values.size(); ++y)
        for (std::size_t x = 0; x < values[y].size(); ++x) {
            ++c.cells;
            if (valid[y][x] == 0)
                ++c.missing;
            else if (values[y][x] == 0)
                ++c.zeros;
        }
    return c;
}

}  // namespace

TEST_CASE("cells outside the source are missing, not 0") {
    const rasters::folder folder;
    auto r = towards("EPSG:31981", "bilinear");
    SECTION("floating point: NaN") {
        const auto d =
            rasters::make({filled(60, 50, 5)}, {.type = GDT_Float32, .crs = "EPSG:31985", .geotransform = olinda});
        const auto out = ours(*d, r, folder / "out.tif", marking::nodata);
        CHECK(std::isnan(out->GetRasterBand(1)->GetNoDataValue()));
        const auto c = count(*out->GetRasterBand(1));
        CHECK(c.missing > 0);
        CHECK(c.zeros == 0);
    }
    SECTION("whole numbers: an unused value, in every band") {
        const auto d = rasters::make({filled(60, 50, 5), filled(60, 50, 255)},
                                     {.type = GDT_UInt16, .crs = "EPSG:31985", .geotransform = olinda});
        const auto out = ours(*d, r, folder / "out.tif", marking::nodata);
        CHECK(out->GetRasterBand(2)->GetNoDataValue() == 65535);
        CHECK(count(*out->GetRasterBand(1)).missing > 0);
        CHECK(count(*out->GetRasterBand(1)).missing == count(*out->GetRasterBand(2)).missing);
        CHECK(count(*out->GetRasterBand(2)).zeros == 0);
    }
    SECTION("every byte in use: a mask, and the bands stay those of the source") {
        auto m = filled(60, 50, 9);
        m[0][0] = 0;
        m[0][1] = 255;
        const auto d = rasters::make({m}, {.type = GDT_Byte, .crs = "EPSG:31985", .geotransform = olinda});
        const auto out = ours(*d, r, folder / "out.tif", marking::mask);
        CHECK(out->GetRasterCount() == 1);
        CHECK(out->GetRasterBand(1)->GetMaskFlags() == GMF_PER_DATASET);
        CHECK(count(*out->GetRasterBand(1)).missing > 0);
    }
    SECTION("a nodata value that bytes cannot hold is not clamped to 0") {
        const auto d = rasters::make({filled(60, 50, 0)},
                                     {.type = GDT_Byte, .crs = "EPSG:31985", .geotransform = olinda, .nodata = -9999});
        const auto out = ours(*d, r, folder / "out.tif", marking::nodata);
        CHECK(out->GetRasterBand(1)->GetNoDataValue() == 255);
        CHECK(count(*out->GetRasterBand(1)).zeros > 2000);
    }
}

TEST_CASE("a source that covers the result needs no mark") {
    const rasters::folder folder;
    const auto d = rasters::make({filled(60, 50, 5)}, {.type = GDT_Byte, .crs = "EPSG:31985", .geotransform = olinda});
    auto r = towards("EPSG:4326", "nearest");
    r.bounds = {{-34.908, -7.955, -34.902, -7.951}};
    const auto out = ours(*d, r, folder / "out.tif", marking::none);
    CHECK(count(*out->GetRasterBand(1)).missing == 0);
    CHECK(count(*out->GetRasterBand(1)).zeros == 0);
}

TEST_CASE("bands with different nodata values share one in the result") {
    const rasters::folder folder;
    auto a = filled(60, 50, 3), b = filled(60, 50, 1);
    for (int x = 0; x < 60; ++x) a[25][static_cast<std::size_t>(x)] = 1;
    const auto d = rasters::make({a, b}, {.type = GDT_Int16, .crs = "EPSG:31985", .geotransform = olinda});
    d->GetRasterBand(1)->SetNoDataValue(1);
    d->GetRasterBand(2)->SetNoDataValue(3);
    auto r = towards("EPSG:31981", "nearest");
    const auto out = ours(*d, r, folder / "out.tif", marking::nodata);
    CHECK(out->GetRasterBand(1)->GetNoDataValue() == -32768);
    const auto first = count(*out->GetRasterBand(1)), second = count(*out->GetRasterBand(2));
    CHECK(second.missing > 0);
    CHECK(first.missing >= second.missing + 50);  // the row without data, too
    CHECK(first.zeros + second.zeros == 0);
}

TEST_CASE("cells outside a cutline are missing") {
    const rasters::folder folder;
    const auto d = rasters::make({filled(60, 50, 5)}, {.type = GDT_Byte, .crs = "EPSG:31985", .geotransform = olinda});
    auto r = towards("EPSG:31985", "cubic_spline");
    r.cutline = folder / "cut.geojson";
    FILE* f = std::fopen(r.cutline.c_str(), "w");
    REQUIRE(f);
    std::fputs(
        R"({"type":"Polygon","coordinates":[[[-34.91,-7.957],[-34.902,-7.955],[-34.905,-7.95],[-34.91,-7.957]]]})", f);
    std::fclose(f);
    settle(r, *d);
    CHECK(keep_cells(*d, r) == kept::cells);
    const auto out = ours(*d, r, folder / "out.tif", marking::nodata);
    CHECK(grid_of(*out).geotransform == olinda);
    const auto c = count(*out->GetRasterBand(1));
    CHECK(c.zeros == 0);
    CHECK(c.missing > 1000);
    CHECK(c.missing < c.cells);
}

TEST_CASE("the same CRS and no grid requested: every cell is unchanged") {
    const rasters::folder folder;
    rasters::matrix m(50, std::vector<double>(60));
    for (std::size_t i = 0; i < 3000; ++i) m[i / 60][i % 60] = static_cast<double>(i * 7919 % 1000);
    const auto same = [&](std::array<double, 6> geotransform, const char* crs) {
        const auto d = rasters::make({m}, {.type = GDT_Float32, .crs = crs, .geotransform = geotransform});
        auto r = towards("EPSG:31985", "cubic_spline");
        r.src_crs = r.dst_crs;
        settle(r, *d);
        REQUIRE(keep_cells(*d, r) == kept::all);
        const auto out = assign_crs(*d, r, at(folder / "out.tif")).dataset;
        CHECK(rasters::values(*out->GetRasterBand(1)) == m);
        CHECK(grid_of(*out).geotransform == geotransform);
        CHECK(sdk::crs_text(grid_of(*out).crs) == "EPSG:31985");
    };
    same(olinda, "EPSG:31985");
    same({289000, 28.5, 0, 9121000, 0, -20}, "EPSG:31985");
    same({289000, 28.5, 0, 9121000, 0, 28.5}, "EPSG:31985");
    same({289000, 20, 10, 9121000, 10, -20}, "EPSG:31985");
    same(olinda, "");
}

TEST_CASE("a nodata value changes the cells without data and no other") {
    const rasters::folder folder;
    rasters::matrix m(50, std::vector<double>(60));
    for (std::size_t i = 0; i < 3000; ++i) m[i / 60][i % 60] = static_cast<double>(1 + i * 7919 % 1000);
    m[4][5] = -1;
    const auto d = rasters::make(
        {m},
        {.type = GDT_Int16, .crs = "EPSG:31985", .geotransform = {289000, 28.5, 0, 9121000, 0, -20}, .nodata = -1});
    auto r = towards("EPSG:31985", "cubic_spline");
    r.nodata = -7;
    settle(r, *d);
    CHECK(keep_cells(*d, r) == kept::cells);
    const auto out = ours(*d, r, folder / "out.tif", marking::nodata);
    m[4][5] = -7;
    CHECK(rasters::values(*out->GetRasterBand(1)) == m);
}
