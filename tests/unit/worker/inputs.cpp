#include "worker/inputs.hpp"

#include <cpl_vsi.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "catch.hpp"

#include "../raster/rasters.hpp"

using namespace gdalmcp;
namespace sdk = gdalmcp::gdal;
namespace fs = std::filesystem;

namespace {

void write(const std::string& path, const std::string& text) {
    std::ofstream{path, std::ios::binary} << text;
    REQUIRE(fs::exists(path));
}

base::result<worker::opened_input> opened(const std::string& path, const std::string& root,
                                          const char* role = "input-raster") {
    GDALAllRegister();
    CPLSetConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", "YES");  // as in the worker
    const fs::path scratch = fs::path{root} / "scratch";
    fs::create_directory(scratch);
    return worker::open_input({"/uri", path, path, role}, {fs::canonical(root)}, fs::canonical(scratch), false);
}

std::vector<std::string> names(const std::vector<fs::path>& files) {
    std::vector<std::string> all;
    for (const auto& f : files) all.push_back(f.filename().string());
    std::sort(all.begin(), all.end());
    return all;
}

bool has(const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
}

// A point in a layer of its own, as a Shapefile.
void shapefile(const std::string& path) {
    GDALAllRegister();
    auto* driver = GetGDALDriverManager()->GetDriverByName("ESRI Shapefile");
    const sdk::dataset_ptr d{driver->Create(path.c_str(), 0, 0, 0, GDT_Unknown, nullptr)};
    auto* layer = d->CreateLayer("points", nullptr, wkbPoint);
    OGRFieldDefn name{"name", OFTString};
    layer->CreateField(&name);
    const OGRFeatureUniquePtr f{OGRFeature::CreateFeature(layer->GetLayerDefn())};
    OGRPoint here{1, 2};
    f->SetGeometry(&here);
    REQUIRE(layer->CreateFeature(f.get()) == OGRERR_NONE);
}

// Into the archive `to`, as `inside`.
void pack(const std::string& from, const std::string& to, const std::string& inside) {
    REQUIRE(CPLCopyFile(("/vsizip/" + to + "/" + inside).c_str(), from.c_str()) == 0);
}

}  // namespace

TEST_CASE("a world file that GDAL finds beside a picture belongs to it") {
    const rasters::folder f;
    rasters::make({{{1, 2}, {3, 4}}}, {.type = GDT_Byte, .crs = "", .path = f / "a.tif"}).reset();
    for (const char* format : {"BMP", "PNG"}) {
        const auto path = f / (std::string{"a."} + (EQUAL(format, "BMP") ? "bmp" : "png"));
        const auto world = f / (EQUAL(format, "BMP") ? "a.bpw" : "a.pgw");
        const sdk::dataset_ptr from{GDALDataset::Open((f / "a.tif").c_str())};
        sdk::dataset_ptr{GetGDALDriverManager()->GetDriverByName(format)->CreateCopy(path.c_str(), from.get(), FALSE,
                                                                                     nullptr, nullptr, nullptr)}
            .reset();
        fs::remove(path + ".aux.xml");
        write(world, "10\n0\n0\n-10\n500005\n4000025\n");
        const auto input = opened(path, f / "");
        REQUIRE(input);
        CHECK(has(names(input->files), fs::path{world}.filename().string()));
        CHECK(input->warnings.empty());
    }
}

TEST_CASE("files beside a dataset that are not part of it are left out") {
    const rasters::folder f;
    rasters::make({{{1, 2}}}, {.path = f / "a.tif"}).reset();
    write(f / "a.csv", "x,y\n");
    write(f / "b.tif.aux.xml", "<PAMDataset/>");
    const auto input = opened(f / "a.tif", f / "");
    REQUIRE(input);
    CHECK(names(input->files) == std::vector<std::string>{"a.tif"});
    CHECK(input->folders.empty());
}

TEST_CASE("a folder is a dataset where GDAL opens it as one, with all of its files") {
    const rasters::folder f;
    fs::create_directory(f / "towns");
    shapefile(f / "towns/points.shp");
    const auto input = opened(f / "towns", f / "", "input-vector");
    REQUIRE(input);
    CHECK(has(names(input->files), "points.dbf"));
    fs::create_directory(f / "empty");
    const auto empty = opened(f / "empty", f / "", "input-vector");
    REQUIRE(!empty);
    CHECK(empty.error().message == (f / "empty") + " is a folder that GDAL does not open as a dataset");
}

TEST_CASE("the only dataset of a zip file is opened in place; of several one must be named") {
    const rasters::folder f;
    shapefile(f / "points.shp");
    for (const char* part : {"points.shp", "points.shx", "points.dbf"}) {
        pack(f / part, f / "one.zip", std::string{"towns/"} + part);
        pack(f / part, f / "two.zip", part);
    }
    const auto one = opened(f / "one.zip", f / "", "input-vector");
    REQUIRE(one);
    CHECK(one->dataset == "/vsizip/" + (f / "one.zip") + "/towns/points.shp");
    CHECK(names(one->files) == std::vector<std::string>{"one.zip"});

    write(f / "more.geojson", R"({"type":"Point","coordinates":[1,2]})");
    pack(f / "more.geojson", f / "two.zip", "more.geojson");
    const auto two = opened(f / "two.zip", f / "", "input-vector");
    REQUIRE(!two);
    CHECK(two.error().code == base::code::invalid_argument);
    CHECK(two.error().message == (f / "two.zip") + " holds 2 datasets and none is named");
    CHECK(two.error().hint ==
          "name one after the archive, as in \"two.zip/points.shp\"; it holds points.shp, more.geojson");

    const auto raster = opened(f / "one.zip", f / "", "input-raster");
    REQUIRE(!raster);
    CHECK(raster.error().code == base::code::unsupported);
}

TEST_CASE("an archive of more than 10 000 entries is not searched") {
    const rasters::folder f;
    const auto path = f / "many.tar";
    std::ofstream tar{path, std::ios::binary};
    for (int i = 0; i < 10'001; ++i) {  // POSIX ustar: a header of 512 bytes for each empty file
        std::array<char, 512> head{};
        std::snprintf(head.data(), 100, "%05d.txt", i);
        std::snprintf(head.data() + 100, 8, "0000644");
        std::snprintf(head.data() + 124, 12, "00000000000");
        std::snprintf(head.data() + 136, 12, "00000000000");
        head[156] = '0';
        std::snprintf(head.data() + 257, 8, "ustar");
        std::fill_n(head.begin() + 148, 8, ' ');
        unsigned sum = 0;
        for (const char c : head) sum += static_cast<unsigned char>(c);
        std::snprintf(head.data() + 148, 8, "%06o", sum);
        tar.write(head.data(), head.size());
    }
    tar.close();
    const auto input = opened(path, f / "", "input-vector");
    REQUIRE(!input);
    CHECK(input.error().code == base::code::exhausted);
    CHECK(input.error().message == path + " has more than 10000 entries");
}

TEST_CASE("a dataset of the other kind is named with its kind") {
    const rasters::folder f;
    rasters::make({{{1, 2}}}, {.path = f / "a.tif"}).reset();
    shapefile(f / "points.shp");
    const auto vector = opened(f / "points.shp", f / "", "input-raster");
    REQUIRE(!vector);
    CHECK(vector.error().message == (f / "points.shp") + " is not a raster but a vector dataset with 'points'");
    const auto raster = opened(f / "a.tif", f / "", "input-vector");
    REQUIRE(!raster);
    CHECK(raster.error().message == (f / "a.tif") + " is not a vector dataset but a raster (GTiff)");
}

TEST_CASE("a VRT over layers outside the workspaces is refused, not read as empty") {
    const rasters::folder outside, f;
    shapefile(outside / "points.shp");
    write(f / "a.vrt", "<OGRVRTDataSource><OGRVRTLayer name=\"points\"><SrcDataSource>" + (outside / "points.shp") +
                           "</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>");
    const auto input = opened(f / "a.vrt", f / "", "input-vector");
    REQUIRE(!input);
    CHECK(input.error().code == base::code::denied);
}

TEST_CASE("the host's own files in the workspace are never part of an input") {
    const rasters::folder f;
    fs::create_directory(f / ".preflight");
    write(f / ".preflight/audit.csv", "a\n1\n");
    write(f / "a.vrt", "<OGRVRTDataSource><OGRVRTLayer name=\"audit\"><SrcDataSource>" + (f / ".preflight/audit.csv") +
                           "</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>");
    const auto input = opened(f / "a.vrt", f / "", "input-vector");
    REQUIRE(!input);
    CHECK(input.error().code == base::code::denied);
    CHECK(input.error().message.find("reserved for the host") != std::string::npos);
}

TEST_CASE("files that a format opens with its first cell belong to the dataset") {
    const rasters::folder f;
    rasters::make({{{1, 2}, {3, 4}}}, {.type = GDT_Byte, .path = f / "a.tif"}).reset();
    const sdk::dataset_ptr from{GDALDataset::Open((f / "a.tif").c_str())};
    auto* driver = GetGDALDriverManager()->GetDriverByName("MRF");
    if (!driver) return;  // not in every GDAL
    sdk::dataset_ptr{driver->CreateCopy((f / "b.mrf").c_str(), from.get(), FALSE, nullptr, nullptr, nullptr)}.reset();
    const auto input = opened(f / "b.mrf", f / "");
    REQUIRE(input);
    CHECK(has(names(input->files), "b.idx"));
}

TEST_CASE("a dataset left open is taken once, as the kinds it was opened as, and by its exact path") {
    namespace detail = gdalmcp::gdal::detail;
    const rasters::folder f;
    const std::string path = f / "a.tif";
    rasters::make({{{1, 2}}}, {.path = path}).reset();
    const auto left = [&] {
        sdk::dataset_ptr d{GDALDataset::Open(path.c_str(), GDAL_OF_RASTER)};
        auto* const raw = d.get();
        detail::leave_open(std::move(d), path, GDAL_OF_RASTER);
        return raw;
    };
    auto* const raw = left();
    CHECK_FALSE(detail::take_open(f / "A.TIF", GDAL_OF_RASTER));
    const auto taken = detail::take_open(path, GDAL_OF_RASTER);
    CHECK(taken.get() == raw);
    CHECK_FALSE(detail::take_open(path, GDAL_OF_RASTER));
    left();
    CHECK_FALSE(detail::take_open(path, GDAL_OF_VECTOR));
    CHECK_FALSE(detail::take_open(path, GDAL_OF_RASTER));  // closed: it was opened as another kind
}
