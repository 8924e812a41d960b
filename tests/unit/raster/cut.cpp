#include <raster/gdal_cut.hpp>

#include "catch.hpp"
#include "rasters.hpp"

using namespace gdalmcp_raster;

namespace {

const rasters::matrix counting{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};

zone_mask triangle(GDALDataset& d) {
    OGRGeometry* g = nullptr;
    const char* wkt = "POLYGON ((500000 4000000, 500040 4000000, 500000 4000030, 500000 4000000))";
    REQUIRE(OGRGeometryFactory::createFromWkt(wkt, nullptr, &g) == OGRERR_NONE);
    const gdalmcp::gdal::geometry_ptr shape{g};
    return {*shape, grid_of(d), false};
}

void nothing(double) {}

}  // namespace

TEST_CASE("outside the polygon is the nodata value of the source") {
    const rasters::folder folder;
    const auto d = rasters::make({counting}, {.nodata = -9999});
    const auto counts = cut(*d, triangle(*d), {1}, folder / "cut.tif", nothing);
    CHECK(counts.outside == "nodata");
    CHECK(counts.selected == 6);
    CHECK(counts.missing == 0);
    const auto out = gdalmcp::gdal::open(gdalmcp::raster{folder / "cut.tif"});
    const double n = -9999;
    CHECK(rasters::values(*out->GetRasterBand(1)) == rasters::matrix{{1, n, n, n}, {5, 6, n, n}, {9, 10, 11, n}});
    CHECK(out->GetRasterBand(1)->GetNoDataValue() == -9999);
}

TEST_CASE("without a nodata value a free one is declared, never 0 among data") {
    const rasters::folder folder;
    const auto d = rasters::make({counting}, {.type = GDT_Byte});
    const auto counts = cut(*d, triangle(*d), {1}, folder / "cut.tif", nothing);
    CHECK(counts.nodata == 255);
    const auto out = gdalmcp::gdal::open(gdalmcp::raster{folder / "cut.tif"});
    CHECK(rasters::values(*out->GetRasterBand(1))[0] == std::vector<double>{1, 255, 255, 255});
}

TEST_CASE("where every byte value occurs, an internal mask marks the outside") {
    const rasters::folder folder;
    rasters::matrix all(16, std::vector<double>(16));
    for (std::size_t i = 0; i < 256; ++i) all[i / 16][i % 16] = static_cast<double>(i);
    const auto d = rasters::make({all}, {.type = GDT_Byte, .geotransform = {500000, 2.5, 0, 4000030, 0, -1.875}});
    const auto counts = cut(*d, triangle(*d), {1}, folder / "cut.tif", nothing);
    CHECK(counts.outside == "mask");
    const auto out = gdalmcp::gdal::open(gdalmcp::raster{folder / "cut.tif"});
    CHECK(out->GetRasterBand(1)->GetMaskFlags() == GMF_PER_DATASET);
    CHECK_FALSE(std::filesystem::exists(folder / "cut.tif.msk"));
    const auto mask = rasters::values(*out->GetRasterBand(1)->GetMaskBand());
    CHECK(mask.front().back() == 0);
    CHECK(mask.back().front() == 255);
}

TEST_CASE("an alpha band is made transparent outside, the colours stay") {
    const rasters::folder folder;
    const auto d = rasters::make({counting, {{255, 255, 255, 255}, {255, 255, 255, 255}, {255, 255, 255, 255}}},
                                 {.type = GDT_Byte});
    d->GetRasterBand(2)->SetColorInterpretation(GCI_AlphaBand);
    CHECK(cut(*d, triangle(*d), {1, 2}, folder / "cut.tif", nothing).outside == "alpha");
    const auto out = gdalmcp::gdal::open(gdalmcp::raster{folder / "cut.tif"});
    CHECK(rasters::values(*out->GetRasterBand(1)) == counting);
    CHECK(rasters::values(*out->GetRasterBand(2))[1] == std::vector<double>{255, 255, 0, 0});
    CHECK(out->GetRasterBand(2)->GetColorInterpretation() == GCI_AlphaBand);
}

TEST_CASE("cells keep their place, scale, palette and name") {
    const rasters::folder folder;
    const auto d = rasters::make({counting}, {.type = GDT_Byte});
    auto& band = *d->GetRasterBand(1);
    GDALColorTable colors;
    const GDALColorEntry green{0, 128, 0, 255};
    colors.SetColorEntry(7, &green);
    band.SetColorTable(&colors);
    band.SetScale(0.5);
    band.SetOffset(3);
    band.SetDescription("cover");
    OGRPolygon box;
    OGRLinearRing ring;
    for (const auto& [x, y] :
         {std::pair{500020.0, 4000010.0}, {500040.0, 4000010.0}, {500040.0, 4000030.0}, {500020.0, 4000030.0}})
        ring.addPoint(x, y);
    ring.closeRings();
    box.addRing(&ring);
    box.flattenTo2D();
    const zone_mask zone{box, grid_of(*d), false};
    CHECK(cut(*d, zone, {1}, folder / "cut.tif", nothing).outside == "none");
    const auto out = gdalmcp::gdal::open(gdalmcp::raster{folder / "cut.tif"});
    CHECK(grid_of(*out).affine() == std::vector<double>{10, 0, 500020, 0, -10, 4000030});
    CHECK(rasters::values(*out->GetRasterBand(1)) == rasters::matrix{{3, 4}, {7, 8}});
    CHECK(out->GetRasterBand(1)->GetScale() == 0.5);
    CHECK(out->GetRasterBand(1)->GetOffset() == 3);
    CHECK(std::string{out->GetRasterBand(1)->GetDescription()} == "cover");
    REQUIRE(out->GetRasterBand(1)->GetColorTable());
    CHECK(out->GetRasterBand(1)->GetColorTable()->GetColorEntry(7)->c2 == 128);
}

TEST_CASE("nodata inside the polygon is counted as missing") {
    const rasters::folder folder;
    const auto d = rasters::make({{{1, 2, 3, 4}, {-1, 6, 7, 8}, {-1, 10, 11, 12}}}, {.nodata = -1});
    const auto counts = cut(*d, triangle(*d), {1}, folder / "cut.tif", nothing);
    CHECK(counts.selected == 6);
    CHECK(counts.missing == 2);
}
