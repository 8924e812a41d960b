#include "runner/messages.hpp"

#include "catch.hpp"

using namespace gdalmcp::runner;
namespace json = gdalmcp::base::json;

TEST_CASE("a request arrives as it was sent, with nested messages") {
    request sent;
    sent.operation = "run";
    sent.sandbox = false;
    sent.limits.file_size = std::uint64_t{1} << 40;
    sent.roots = {"/data", "/work"};
    sent.arguments = {{"uri", "dem.tif"}};
    sent.inputs.push_back({"/uri", "/data/dem.tif", "/data/dem.tif", "input-raster", "", {}});
    sent.inputs.push_back({"/zones", "/data/z.gpkg", "/data/z.gpkg", "input-vector", "result://1", {}});
    sent.inputs[1].opened =
        opened_input{"/scratch/z.gpkg", {"/data/z.gpkg"}, {}, {"no index"}, "EPSG:4326", "EPSG:4326", 77};
    sent.outputs.push_back({"/output", "out.tif", {{"/dev/shm/s", 100}, {"/data", 0}}});

    const auto there = request_of(to_json(sent));
    CHECK(to_json(there) == to_json(sent));
    CHECK_FALSE(there.sandbox);
    CHECK(there.limits.file_size == std::uint64_t{1} << 40);
    CHECK(there.roots == sent.roots);
    CHECK_FALSE(there.inputs.at(0).opened);
    CHECK(there.inputs.at(1).opened->uncompressed_bytes == 77);
    CHECK(there.outputs.at(0).stages.at(1).folder == "/data");
}

TEST_CASE("what a process says before it runs a tool arrives as it was sent") {
    prepared_run sent;
    sent.inputs.push_back({"/data/z.gpkg", {"/data/z.gpkg"}, {"/data"}, {}, "EPSG:4326", "", 77});
    sent.stages = {1, 0};
    sent.library_state = "12:34";
    sent.versions = {{"gdal", "3.6.2"}};
    sent.prepare_ms = 2.5;

    const auto there = prepared_run_of(to_json(sent));
    CHECK(to_json(there) == to_json(sent));
    CHECK(there.inputs.at(0).files == sent.inputs.at(0).files);
    CHECK(there.stages == std::vector<std::uint64_t>{1, 0});
    CHECK(there.prepare_ms == 2.5);
}

TEST_CASE("a member that is missing or of another type is absent, and the sandbox is on") {
    const auto r = request_of({{"op", 7}, {"sandbox", "off"}, {"files", "a"}, {"budget_ms", -1}, {"limits", nullptr}});
    CHECK(r.operation.empty());
    CHECK(r.sandbox);
    CHECK(r.files.empty());
    CHECK(r.budget_ms == 0);
    CHECK(r.limits.file_size == 0);
}
