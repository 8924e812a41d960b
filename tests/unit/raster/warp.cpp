#include <raster/gdal_collar.hpp>
#include <raster/gdal_warp.hpp>

#include "catch.hpp"
#include "rasters.hpp"

#include <gdal_utils.h>
#include <datasets/gdal_raster_format.hpp>
#include <raster/gdal_faithful_clones.hpp>

using namespace gdalmcp_raster;
namespace sdk = gdalmcp::gdal;

namespace {

constexpr std::array<double, 6> olinda{289000, 28.5, 0, 9121000, 0, -28.5};

rasters::matrix waves(int columns, int rows, double low, double high) {
    rasters::matrix m(static_cast<std::size_t>(rows), std::vector<double>(static_cast<std::size_t>(columns)));
    for (std::size_t y = 0; y < m.size(); ++y)
        for (std::size_t x = 0; x < m[y].size(); ++x)
            m[y][x] = low + (high - low) *
                                (2 + std::sin(static_cast<double>(x) / 7) + std::cos(static_cast<double>(y) / 5)) / 4;
    return m;
}

warp_request towards(const char* crs, const char* resampling) {
    warp_request r;
    r.dst_crs = *sdk::parse_crs(crs);
    r.resampling = resampling;
    return r;
}

int CPL_STDCALL go_on(double, const char*, void*) { return TRUE; }
int CPL_STDCALL stop(double fraction, const char*, void*) { return fraction < 0.1; }

destination at(const std::string& path, GDALProgressFunc progress = go_on) {
    return {path, driver_for(path), path + ".scratch.tif", progress, nullptr};
}

sdk::dataset_ptr ours(GDALDataset& source, warp_request r, const std::string& path) {
    settle(r, source);
    return warp({&source}, r, at(path)).dataset;
}

// The same by the gdalwarp program, compared cell by cell.
void equals_gdalwarp(const rasters::folder& folder, GDALDataset& source, const warp_request& r,
                     const std::string& options) {
    const auto mine = ours(source, r, folder / "ours.tif");
    const auto command = std::string{GDALWARP} + " -q -overwrite " + options + " " + source.GetDescription() + " " +
                         (folder / "theirs.tif");
    REQUIRE(std::system(command.c_str()) == 0);
    const auto theirs = sdk::open(gdalmcp::raster{folder / "theirs.tif"});
    CHECK(grid_of(*mine).geotransform == grid_of(*theirs).geotransform);
    CHECK(mine->GetSpatialRef()->IsSame(theirs->GetSpatialRef()));
    REQUIRE(mine->GetRasterCount() == theirs->GetRasterCount());
    REQUIRE(mine->GetRasterXSize() == theirs->GetRasterXSize());
    REQUIRE(mine->GetRasterYSize() == theirs->GetRasterYSize());
    for (int b = 1; b <= mine->GetRasterCount(); ++b) {
        auto &p = *mine->GetRasterBand(b), &q = *theirs->GetRasterBand(b);
        CHECK(rasters::values(p) == rasters::values(q));
        CHECK(p.GetRasterDataType() == q.GetRasterDataType());
        CHECK(same_value(nodata_of(p), nodata_of(q)));
        CHECK(p.GetMaskFlags() == q.GetMaskFlags());
        CHECK(p.GetColorInterpretation() == q.GetColorInterpretation());
        CHECK((p.GetColorTable() == nullptr) == (q.GetColorTable() == nullptr));
    }
}

sdk::dataset_ptr file(const rasters::folder& folder, const std::vector<rasters::matrix>& bands, rasters::plan p) {
    p.path = folder / "source.tif";
    rasters::make(bands, p);
    return sdk::open(gdalmcp::raster{p.path});
}

}  // namespace

TEST_CASE("warped cells are those of gdalwarp") {
    const rasters::folder folder;
    if (std::string{GDALWARP}.find("NOTFOUND") != std::string::npos) {
        WARN("skipped: the gdalwarp program is not installed");
        return;
    }
    SECTION("bytes, bilinear") {
        const auto d =
            file(folder, {waves(120, 90, 0, 255)}, {.type = GDT_Byte, .crs = "EPSG:31985", .geotransform = olinda});
        equals_gdalwarp(folder, *d, towards("EPSG:3857", "bilinear"), "-t_srs EPSG:3857 -r bilinear");
    }
    SECTION("nodata, cubic, aligned cells of a given size") {
        auto z = waves(120, 90, -200, 4000);
        for (std::size_t y = 20; y < 40; ++y) std::fill(z[y].begin() + 30, z[y].begin() + 70, -32768);
        const auto d =
            file(folder, {z}, {.type = GDT_Int16, .crs = "EPSG:31985", .geotransform = olinda, .nodata = -32768});
        auto r = towards("EPSG:3857", "cubic");
        r.resolution = {30, 40};
        r.aligned = true;
        equals_gdalwarp(folder, *d, r, "-t_srs EPSG:3857 -r cubic -tr 30 40 -tap");
    }
    SECTION("three bands, lanczos, width and height") {
        const auto d = file(folder, {waves(120, 90, 0, 9000), waves(120, 90, 5, 60000), waves(120, 90, 0, 1)},
                            {.type = GDT_UInt16, .crs = "EPSG:31985", .geotransform = olinda});
        auto r = towards("EPSG:4326", "lanczos");
        r.width = 77;
        r.height = 55;
        equals_gdalwarp(folder, *d, r, "-t_srs EPSG:4326 -r lanczos -ts 77 55");
    }
    SECTION("south-up, exact transformation") {
        const auto d =
            file(folder, {waves(120, 90, 0, 1)},
                 {.type = GDT_Float32, .crs = "EPSG:31985", .geotransform = {289000, 28.5, 0, 9116000, 0, 28.5}});
        auto r = towards("EPSG:3857", "cubic_spline");
        r.error_threshold = 0;
        equals_gdalwarp(folder, *d, r, "-t_srs EPSG:3857 -r cubicspline -et 0");
    }
    SECTION("palette, nearest, nodata given") {
        const auto d =
            file(folder, {waves(120, 90, 0, 6)}, {.type = GDT_Byte, .crs = "EPSG:31985", .geotransform = olinda});
        GDALColorTable colors;
        const GDALColorEntry c{10, 20, 30, 255};
        for (int i = 0; i < 7; ++i) colors.SetColorEntry(i, &c);
        const auto update = sdk::dataset_ptr{GDALDataset::Open(d->GetDescription(), GDAL_OF_RASTER | GDAL_OF_UPDATE)};
        update->GetRasterBand(1)->SetColorTable(&colors);
        update->FlushCache();
        const auto again = sdk::open(gdalmcp::raster{d->GetDescription()});
        auto r = towards("EPSG:3857", "nearest");
        r.nodata = 255;
        equals_gdalwarp(folder, *again, r, "-t_srs EPSG:3857 -r near -dstnodata 255");
    }
    SECTION("bounds in another CRS, average") {
        const auto d =
            file(folder, {waves(120, 90, 0, 1)}, {.type = GDT_Float32, .crs = "EPSG:31985", .geotransform = olinda});
        auto r = towards("EPSG:3857", "average");
        r.resolution = {90, 90};
        r.bounds = {{-34.91, -7.96, -34.89, -7.95}};
        r.bounds_crs = *sdk::parse_crs("EPSG:4326");
        equals_gdalwarp(folder, *d, r,
                        "-t_srs EPSG:3857 -r average -tr 90 90 -te -34.91 -7.96 -34.89 -7.95 -te_srs EPSG:4326");
    }
    SECTION("a cutline in another CRS") {
        const auto d = file(folder, {waves(120, 90, 0, 1)},
                            {.type = GDT_Float32, .crs = "EPSG:31985", .geotransform = olinda, .nodata = -1});
        auto r = towards("EPSG:3857", "bilinear");
        r.cutline = folder / "cut.geojson";
        FILE* f = std::fopen(r.cutline.c_str(), "w");
        REQUIRE(f);
        std::fputs(
            R"({"type":"Polygon","coordinates":[[[-34.91,-7.96],[-34.89,-7.955],[-34.90,-7.95],[-34.91,-7.96]]]})", f);
        std::fclose(f);
        equals_gdalwarp(folder, *d, r, "-t_srs EPSG:3857 -r bilinear -cutline " + r.cutline);
    }
    SECTION("a cutline with a sliver that collapses in cells is cut by without it") {
        const auto d = file(folder, {waves(120, 90, 0, 1)},
                            {.type = GDT_Float32, .crs = "EPSG:31985", .geotransform = olinda, .nodata = -1});
        const auto cut = [&](const char* name, const std::string& hole) {
            const std::string path = folder / name;
            FILE* f = std::fopen(path.c_str(), "w");
            REQUIRE(f);
            std::fputs(
                (R"({"type":"Polygon","coordinates":[[[-34.91,-7.96],[-34.89,-7.96],[-34.89,-7.95],[-34.91,-7.95],[-34.91,-7.96]])" +
                 hole + "]}")
                    .c_str(),
                f);
            std::fclose(f);
            return path;
        };
        const auto whole = cut("whole.geojson", "");
        auto r = towards("EPSG:3857", "bilinear");
        r.cutline = cut("sliver.geojson", ",[[-34.90,-7.956],[-34.90,-7.956],[-34.895,-7.9555],[-34.90,-7.956]]");
        r.cutline_layer = "sliver";
        equals_gdalwarp(folder, *d, r, "-t_srs EPSG:3857 -r bilinear -cutline " + whole);
    }
}

TEST_CASE("threads take the cells that one thread takes") {
    if (std::string{GDALWARP}.find("NOTFOUND") != std::string::npos) {
        WARN("skipped: the gdalwarp program is not installed");
        return;
    }
    const rasters::folder folder;
    const CPLConfigOptionSetter threads{"GDAL_NUM_THREADS", "2", false};
    const auto world = [&](const std::vector<int>& overviews) {
        const auto d = file(folder, {waves(720, 360, 1, 30000)},
                            {.type = GDT_Float32, .crs = "EPSG:4326", .geotransform = {-180, 0.5, 0, 90, 0, -0.5}});
        if (!overviews.empty()) {
            auto factors = overviews;
            REQUIRE(d->BuildOverviews("NEAREST", static_cast<int>(factors.size()), factors.data(), 0, nullptr, nullptr,
                                      nullptr) == CE_None);
        }
        return sdk::open(gdalmcp::raster{d->GetDescription()});
    };
    // None of these survives the round trip at its edges: GDAL verifies every point by the inverse projection.
    for (const char* crs : {"ESRI:54008", "EPSG:8857", "+proj=bonne +lat_1=40 +datum=WGS84 +type=crs"})
        equals_gdalwarp(folder, *world({}), towards(crs, "nearest"), "-t_srs '" + std::string{crs} + "' -r near");
    // No overview is chosen, for which GDAL would make the transformer anew, without the verification.
    equals_gdalwarp(folder, *world({2, 4}), towards("ESRI:54008", "bilinear"),
                    "-t_srs ESRI:54008 -r bilinear -ovr NONE");
}

TEST_CASE("points are verified in all threads or in none") {
    const rasters::folder folder;
    const auto verified = [&](const char* crs) {
        const auto d = rasters::make(
            {waves(90, 45, 0, 1)}, {.type = GDT_Float32, .crs = "EPSG:4326", .geotransform = {-180, 4, 0, 90, 0, -4}});
        sdk::words words{"-of", "MEM", "-t_srs", crs, "-multi"};
        const std::unique_ptr<GDALWarpAppOptions, decltype(&GDALWarpAppOptionsFree)> options{
            GDALWarpAppOptionsNew(words.get(), nullptr), &GDALWarpAppOptionsFree};
        GDALDatasetH in = GDALDataset::ToHandle(d.get());
        const faithful_clones guard;
        const sdk::dataset_ptr out{GDALDataset::FromHandle(GDALWarp("", nullptr, 1, &in, options.get(), nullptr))};
        REQUIRE(out);
        CHECK(CPLTestBool(CPLGetConfigOption("CHECK_WITH_INVERT_PROJ", "NO")) == guard.verified());
        return guard.verified();
    };
    CHECK(verified("ESRI:54008"));
    CHECK_FALSE(verified("EPSG:3857"));
    CHECK(CPLGetConfigOption("CHECK_WITH_INVERT_PROJ", nullptr) == nullptr);
}

TEST_CASE("align_to gives exactly the other raster's grid") {
    const rasters::folder folder;
    const auto d =
        file(folder, {waves(50, 40, 0, 1)}, {.type = GDT_Float32, .crs = "EPSG:31985", .geotransform = olinda});
    const auto other = rasters::make(
        {waves(33, 21, 0, 1)}, {.crs = "EPSG:4326", .geotransform = {-34.9141, 0.1 / 300, 0, -7.9477, 0, -0.1 / 301}});
    auto r = towards("EPSG:4326", "bilinear");
    r.align_to = grid_of(*other);
    const auto out = ours(*d, r, folder / "out.tif");
    CHECK(grid_of(*out).geotransform == grid_of(*other).geotransform);
    CHECK(out->GetRasterXSize() == 33);
    CHECK(out->GetRasterYSize() == 21);
}

TEST_CASE("requests GDAL would silently get wrong are refused") {
    const auto d =
        rasters::make({waves(50, 40, 0, 1)}, {.type = GDT_Int16, .crs = "EPSG:31985", .geotransform = olinda});
    const auto refused = [&](auto change) {
        auto r = towards("EPSG:3857", "nearest");
        change(r);
        return rasters::refusal([&] { settle(r, *d); });
    };
    CHECK(refused([](warp_request& r) { r.nodata = 1e9; }).message.find("cannot be stored as Int16") !=
          std::string::npos);
    CHECK(refused([](warp_request& r) { r.nodata = 0.5; }).message.find("0.5") != std::string::npos);
    CHECK(refused([](warp_request& r) { r.aligned = true; }).message.find("'tap'") == 0);
    CHECK(refused([](warp_request& r) { r.resolution = {1, 1}, r.width = 5; }).hint == "leave one out");
    CHECK(refused([](warp_request& r) {
              r.bounds = {{-34.9, -8, -34, -7}};
          }).hint.find("bounds_crs") != std::string::npos);
    CHECK(refused([](warp_request& r) {
              r.bounds = {{0, 0, 10000, 10000}};
          }).message.find("does not touch") != std::string::npos);
    CHECK(refused([](warp_request& r) {
              r.bounds = {{5000, 0, 1000, 10000}};
          }).message.find("minx > maxx") != std::string::npos);
    CHECK(refused([](warp_request& r) { r.shift_heights = true; }).message.find("no vertical component") !=
          std::string::npos);
    CHECK(refused([&](warp_request& r) { r.align_to = grid_of(*d); }).message.find("EPSG:31985") != std::string::npos);
}

TEST_CASE("a source without CRS is refused until src_crs names one") {
    const rasters::folder folder;
    const auto d = rasters::make({waves(50, 40, 0, 1)}, {.crs = "", .geotransform = olinda});
    auto r = towards("EPSG:3857", "nearest");
    CHECK(rasters::refusal([&] { settle(r, *d); }).hint.find("src_crs") != std::string::npos);
    r.src_crs = *sdk::parse_crs("EPSG:31985");
    CHECK_NOTHROW(ours(*d, r, folder / "out.tif"));
}

TEST_CASE("metres that a file declares as degrees are refused") {
    const auto d = rasters::make({waves(50, 40, 0, 1)}, {.crs = "EPSG:4326", .geotransform = olinda});
    auto r = towards("EPSG:3857", "nearest");
    const auto why = rasters::refusal([&] { settle(r, *d); });
    CHECK(why.message.find("degrees of EPSG:4326") != std::string::npos);
    CHECK(why.hint.find("'src_crs'") != std::string::npos);
    // Cell centres on the poles are usual.
    const auto world =
        rasters::make({waves(144, 73, 0, 1)}, {.crs = "EPSG:4326", .geotransform = {-1.25, 2.5, 0, 91.25, 0, -2.5}});
    CHECK_NOTHROW(settle(r, *world));
}

TEST_CASE("rational polynomial coefficients lead to WGS 84") {
    const auto d = rasters::make({waves(50, 40, 0, 1)}, {.crs = ""});
    auto r = towards("EPSG:3857", "nearest");
    CHECK(rasters::refusal([&] { source_crs(*d, r); }).message.find("no CRS") != std::string::npos);
    sdk::words coefficients{"LINE_OFF=20", "SAMP_OFF=25"};
    d->SetMetadata(coefficients.get(), "RPC");
    CHECK(sdk::crs_text(source_crs(*d, r)) == "EPSG:4326");
}

TEST_CASE("a geographic box over the antimeridian is continued beyond 180 degrees") {
    const rasters::folder folder;
    const auto d = rasters::make({waves(360, 10, 0, 1)}, {.crs = "EPSG:4326", .geotransform = {-180, 1, 0, 5, 0, -1}});
    auto r = towards("EPSG:4326", "nearest");
    r.bounds = {{170, -5, -170, 5}};
    r.resolution = {1, 1};
    CHECK(settle(r, *d).size() == 1);
    CHECK((*r.bounds)[2] == 190);
    const auto out = warp({d.get()}, r, at(folder / "out.tif")).dataset;
    const auto got = rasters::values(*out->GetRasterBand(1)), all = rasters::values(*d->GetRasterBand(1));
    REQUIRE(got[0].size() == 20);
    CHECK(got[3][0] == Approx(all[3][350]));
    CHECK(got[3][19] == Approx(all[3][9]));  // 189° east is 171° west
}

TEST_CASE("a stopped warp fails") {
    const rasters::folder folder;
    const auto d = rasters::make({waves(600, 600, 0, 1)}, {.crs = "EPSG:31985", .geotransform = olinda});
    auto r = towards("EPSG:3857", "cubic");
    settle(r, *d);
    const sdk::quiet silence;
    CHECK_THROWS_AS(warp({d.get()}, r, at(folder / "out.tif", stop)), gdalmcp::error);
}

TEST_CASE("a result without a valid cell is refused for what its source lacks, one value is enough") {
    const auto none = rasters::make({{{-1, -1}, {-1, -1}}}, {.nodata = -1}),
               one = rasters::make({{{-1, -1}, {-1, 7}}}, {.nodata = -1}), zero = rasters::make({{{0, 0}}});
    require_valid_cell(*one, {none.get()}, "");
    require_valid_cell(*zero, {none.get()}, "");
    const auto refused = [&](GDALDataset& source) {
        return rasters::refusal([&] { require_valid_cell(*none, {&source}, "look"); });
    };
    CHECK(refused(*none).message.find("is valid") != std::string::npos);
    CHECK(refused(*one).hint == "look");
}
