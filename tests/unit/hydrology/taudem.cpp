// Grids computed by TauDEM for the Eno River (North Carolina, 10 m): filled terrain, D8 directions and their
// accumulation. Not part of the repository; found through GDAL_MCP_TEST_DATA.
#include <gdal_priv.h>

#include <cstdlib>
#include <filesystem>
#include <hydrology/accumulation.hpp>
#include <hydrology/d8.hpp>
#include <hydrology/encoding.hpp>
#include <hydrology/fill.hpp>
#include <hydrology/stream_network.hpp>
#include <memory>

#include "catch.hpp"

using namespace gdalmcp_hydrology;

namespace {

std::optional<std::filesystem::path> eno() {
    const char* folder = std::getenv("GDAL_MCP_TEST_DATA");
    if (!folder || !std::filesystem::exists(std::filesystem::path{folder} / "hydro_eno")) return {};
    return std::filesystem::path{folder} / "hydro_eno";
}

struct raster {
    grid<float> values;
    float nodata;
};

raster read(const std::filesystem::path& path) {
    GDALAllRegister();
    const std::unique_ptr<GDALDataset> file{GDALDataset::Open(path.c_str(), GDAL_OF_RASTER | GDAL_OF_VERBOSE_ERROR)};
    REQUIRE(file);
    const int width = file->GetRasterXSize(), height = file->GetRasterYSize();
    raster r{grid<float>{shape{static_cast<std::size_t>(width), static_cast<std::size_t>(height)}},
             static_cast<float>(file->GetRasterBand(1)->GetNoDataValue())};
    REQUIRE(file->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, width, height, r.values.row(0), width, height, GDT_Float32,
                                             0, 0) == CE_None);
    return r;
}

}  // namespace

TEST_CASE("filling the Eno terrain equals TauDEM's PitRemove in every cell") {
    const auto folder = eno();
    if (!folder) {
        WARN("skipped: GDAL_MCP_TEST_DATA names no folder with hydro_eno");
        return;
    }
    auto dem = read(*folder / "enogeo.tif");
    const auto expected = read(*folder / "enogeofel.tif");
    const auto land = trace_footprint(valid_cells(dem.values, std::optional{dem.nodata}), nodata_holes::outlet);
    const auto report = fill(dem.values, land, cell_sizes::planar(dem.values.height(), 10, 10), {});
    std::size_t compared = 0, differing = 0;
    for (std::size_t i = 0; i < dem.values.size(); ++i) {
        const bool there = expected.values[i] != expected.nodata;
        differing += there != (land[i] == footprint::terrain) || (there && dem.values[i] != expected.values[i]);
        compared += there;
    }
    CHECK(differing == 0);
    CHECK(compared == 603460);
    CHECK(report.cells_changed == 20050);

    d8_report drained;
    const auto directions = d8(dem.values, land, cell_sizes::planar(dem.values.height(), 10, 10), drained);
    CHECK(drained.undrained == 0);
    const auto flow = accumulate(directions, grid<std::uint64_t>{});
    CHECK_FALSE(flow.cycle);
    CHECK(flow.discharged == 603460);
}

TEST_CASE("accumulating TauDEM's directions equals its AreaD8 in every cell, edge contamination included") {
    const auto folder = eno();
    if (!folder) {
        WARN("skipped: GDAL_MCP_TEST_DATA names no folder with hydro_eno");
        return;
    }
    const auto codes = read(*folder / "enogeop.tif");
    const auto expected = read(*folder / "enogeoad8.tif");
    grid<std::uint8_t> directions{codes.values.extent(), no_terrain};
    for (std::size_t i = 0; i < directions.size(); ++i)
        if (codes.values[i] != codes.nodata) directions[i] = decode(encoding::taudem, codes.values[i]).value();
    const auto flow = accumulate(directions, grid<std::uint64_t>{});
    std::size_t compared = 0, differing = 0;
    for (std::size_t i = 0; i < directions.size(); ++i) {
        const bool there = directions[i] != no_terrain && !flow.contaminated[i];
        const bool wanted = expected.values[i] != expected.nodata;
        differing += there != wanted ||
                     (there && static_cast<double>(flow.values[i]) != static_cast<double>(expected.values[i]));
        compared += wanted;
    }
    CHECK(differing == 0);
    CHECK(compared > 0);
    CHECK(flow.discharged == flow.terrain_cells);
}

TEST_CASE("the channels of TauDEM's source grid have the Strahler orders and drops of its StreamNet") {
    const auto folder = eno();
    if (!folder) {
        WARN("skipped: GDAL_MCP_TEST_DATA names no folder with hydro_eno");
        return;
    }
    const auto codes = read(*folder / "enogeop.tif"), filled = read(*folder / "enogeofel.tif");
    const auto sources = read(*folder / "enogeosrc.tif"), expected = read(*folder / "enogeoord3.tif");
    const auto extent = codes.values.extent();
    grid<std::uint8_t> directions{extent, no_terrain};
    grid<double> heights{extent};
    for (std::size_t i = 0; i < directions.size(); ++i) {
        if (codes.values[i] != codes.nodata) directions[i] = decode(encoding::taudem, codes.values[i]).value();
        heights[i] = static_cast<double>(filled.values[i]);
    }
    auto cells = channel_cells(accumulate(directions, grid<double>{}).values, 1);
    std::erase_if(cells, [&](std::size_t i) { return sources.values[i] != 1 || sources.values[i] == sources.nodata; });
    const auto sizes =
        cell_sizes::geographic(extent.height, 36.239144902, 1.0 / 10800, 1.0 / 10800, 6378137, 298.257222101);
    const auto found = channel_tree{directions, heights, sizes, cells}.network(0);

    std::size_t differing = 0;
    for (std::size_t i = 0; i < cells.size(); ++i)
        differing += static_cast<double>(found.orders[i]) != static_cast<double>(expected.values[cells[i]]);
    double drop = 0;
    for (const auto& s : found.streams) drop += s.drop;
    CHECK(cells.size() > 2000);
    CHECK(differing == 0);
    CHECK(found.links == 53);
    CHECK(drop == Approx(221.36).margin(0.01 * 53));  // of the links in enogeonet.dbf, each to two decimals
    CHECK(found.length == Approx(25760.6).epsilon(0.005));
}
