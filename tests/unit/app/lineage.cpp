#include "app/call/lineage.hpp"

#include <cstdlib>

#include "base/file.hpp"
#include "catch.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using app::lineage;

namespace {

struct folder {
    fs::path path;
    folder() {
        std::string pattern = (fs::temp_directory_path() / "lineage-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~folder() { fs::remove_all(path); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    // A file of five bytes, with the record of the step that made it.
    void made(const std::string& name, const std::string& tool, const std::string& from, const std::string& reasons,
              int size = 5) const {
        REQUIRE(base::write_file_atomically(path / name, "12345"));
        REQUIRE(base::write_file_atomically(
            path / (name + ".provenance.json"),
            R"({"tool":")" + tool + R"(","inputs":[{"path":")" + (path / from).string() + R"("}],"decisions":[)" +
                reasons + R"(],"output":{"crs":"EPSG:32633","size_bytes":)" + std::to_string(size) + "}}"));
    }
};

std::string display(const std::string& code) {
    return R"({"domain":"crs_datum","justification_ref":"justification://crs_datum/sha256:)" + code +
           R"(","stated":{"use":"display"}})";
}

std::string fact(const fs::path& file, const lineage::reasons& stored = {}) {
    const lineage behind{stored ? stored : [](auto, auto) { return std::nullopt; },
                         [](const fs::path&) { return true; }};
    const auto step = lineage::step_behind(file);
    return step ? base::write_json(behind.made_by(*step)) : "nothing";
}

}  // namespace

TEST_CASE("an input of this program is known by the step that made it, and by the reasons for it") {
    const folder f;
    f.made("b.tif", "raster_reproject", "a.tif", display("3857"));
    CHECK(fact(f.path / "b.tif") ==
          R"({"tool":"raster_reproject","reasons":{"crs_datum":{"use":"display",)"
          R"("ref":"justification://crs_datum/sha256:3857"}},"tools":["raster_reproject"],"for_display":)"
          R"({"tool":"raster_reproject","choice":"EPSG:32633","ref":"justification://crs_datum/sha256:3857"}})");
    CHECK(fact(f.path / "a.tif") == "nothing");
}

TEST_CASE("a reason is read from the store where the receipt does not state it") {
    const folder f;
    f.made("b.tif", "raster_reproject", "a.tif",
           R"({"domain":"crs_datum","justification_ref":"justification://crs_datum/sha256:1"})");
    CHECK(fact(f.path / "b.tif").find("for_display") == std::string::npos);
    const auto stored = [](std::string_view domain, std::string_view key) -> std::optional<base::json::object> {
        CHECK((domain == "crs_datum" && key == "sha256:1"));
        return base::parse_json(
                   R"({"justification":{"choice":{"method":"EPSG:3857"},"facts":{"use":"display"}},"scope":{}})")
            ->as_object();
    };
    CHECK(fact(f.path / "b.tif", stored).find(R"("for_display":{"tool":"raster_reproject","choice":"EPSG:3857")") !=
          std::string::npos);
}

TEST_CASE("earlier steps count, the nearest first, and a circle ends") {
    const folder f;
    f.made("a.tif", "raster_convert", "d.tif", display("6933"));
    f.made("b.tif", "raster_reproject", "a.tif", display("3857"));
    f.made("c.tif", "raster_query", "b.tif", "");
    f.made("d.tif", "raster_stats", "c.tif", "");
    const auto found = fact(f.path / "c.tif");
    CHECK(found.find(R"("tools":["raster_query","raster_reproject","raster_convert","raster_stats"])") !=
          std::string::npos);
    CHECK(
        found.find(
            R"("for_display":{"tool":"raster_reproject","choice":"EPSG:32633","ref":"justification://crs_datum/sha256:3857")") !=
        std::string::npos);
}

TEST_CASE("of the steps that computed cells on another grid the nearest is named, unless the grids coincided") {
    const folder f;
    const auto step = [&](const char* name, const char* from, const std::string& resampling, const char* decision) {
        REQUIRE(base::write_file_atomically(f.path / name, "12345"));
        REQUIRE(base::write_file_atomically(f.path / (std::string{name} + ".provenance.json"),
                                            R"({"tool":"raster_reproject","finished":")" + std::string{name} +
                                                R"(","arguments":{"resampling":")" + resampling +
                                                R"("},"inputs":[{"path":")" + (f.path / from).string() +
                                                R"("}],"decisions":[{"domain":"resampling","decision":")" + decision +
                                                R"("}],"output":{"size_bytes":5}})"));
    };
    step("b.tif", "a.tif", "bilinear", "proceed");
    step("c.tif", "b.tif", "nearest", "proceed");
    step("d.tif", "c.tif", "cubic", "not_needed");
    CHECK(fact(f.path / "d.tif").find(R"("resampled":{"tool":"raster_reproject","method":"bilinear"})") !=
          std::string::npos);
    CHECK(fact(f.path / "d.tif").find(R"("regridded":{"tool":"raster_reproject","method":"nearest"})") !=
          std::string::npos);
    step("e.tif", "a.tif", "cubic", "not_needed");
    CHECK(fact(f.path / "e.tif").find("regridded") == std::string::npos);
    CHECK(fact(f.path / "e.tif").find("resampled") == std::string::npos);
}

TEST_CASE("the steps behind a managed result are part of the record that names it") {
    const folder f;
    REQUIRE(base::write_file_atomically(f.path / "c.tif", "12345"));
    REQUIRE(base::write_file_atomically(
        f.path / "c.tif.provenance.json",
        R"({"tool":"raster_query","inputs":[{"path":"/gone","uri":"query://result/1"}],"results":{"query://result/1":)"
        R"({"tool":"raster_convert","inputs":[{"path":"/gone","uri":"query://result/2"}]},"query://result/2":)"
        R"({"tool":"raster_reproject","decisions":[)" +
            display("3857") + "]}}}"));
    CHECK(fact(f.path / "c.tif").find(R"("for_display":{"tool":"raster_reproject")") != std::string::npos);
}

TEST_CASE("a record that is no step, or belongs to another version of the file, is skipped") {
    const folder f;
    f.made("b.tif", "raster_reproject", "a.tif", display("3857"), 6);
    CHECK(fact(f.path / "b.tif") == "nothing");
    for (const char* text : {"", "[]", "{}", "garbage", R"({"tool":7})"}) {
        REQUIRE(base::write_file_atomically(f.path / "b.tif.provenance.json", text));
        CHECK(fact(f.path / "b.tif") == "nothing");
    }
    f.made("b.tif", "raster_reproject", "a.tif", display("3857"));
    fs::rename(f.path / "b.tif.provenance.json", f.path / "moved.json");
    fs::create_symlink(f.path / "moved.json", f.path / "b.tif.provenance.json");
    CHECK(fact(f.path / "b.tif") == "nothing");
}

TEST_CASE("a file the program may not read has no earlier steps") {
    const folder f;
    f.made("b.tif", "raster_reproject", "a.tif", display("3857"));
    f.made("c.tif", "raster_query", "b.tif", "");
    const lineage behind{[](auto, auto) { return std::nullopt; }, [](const fs::path&) { return false; }};
    CHECK_FALSE(behind.made_by(*lineage::step_behind(f.path / "c.tif")).contains("for_display"));
}

TEST_CASE("values come from the first argument that names inputs, reasons from all of them") {
    const folder f;
    const auto step = [&](const char* name, const char* tool, const std::string& inputs, const std::string& reasons) {
        REQUIRE(base::write_file_atomically(f.path / name, "12345"));
        REQUIRE(base::write_file_atomically(f.path / (std::string{name} + ".provenance.json"),
                                            R"({"tool":")" + std::string{tool} +
                                                R"(","arguments":{"resampling":"cubic"},)" + R"("inputs":[)" + inputs +
                                                R"(],"decisions":[)" + reasons + R"(],"output":{"size_bytes":5}})"));
    };
    const auto input = [&](const char* argument, const char* file) {
        return R"({"argument":")" + std::string{argument} + R"(","path":")" + (f.path / file).string() + R"("})";
    };
    step("a.tif", "raster_calc", "", R"({"domain":"resampling","decision":"not_needed"})");
    step("basins.gpkg", "hydro_watershed", "", display("3857"));
    step("b.tif", "raster_mosaic",
         input("/uris/0", "other.tif") + "," + input("/uris/1", "a.tif") + "," + input("/cutline", "basins.gpkg"),
         R"({"domain":"resampling","decision":"not_needed"})");
    const auto found = fact(f.path / "b.tif");
    CHECK(found.find(R"("tools":["raster_mosaic","raster_calc"])") != std::string::npos);
    CHECK(found.find(R"("for_display":{"tool":"hydro_watershed")") != std::string::npos);
    CHECK(found.find("resampled") == std::string::npos);  // the basins were
}

TEST_CASE("a raster that gave only its grid hands nothing on") {
    const folder f;
    f.made("dem.tif", "raster_convert", "srtm.tif",
           R"({"domain":"format_selection","conflicts":["hides_data"]},)" + display("3857"));
    const auto rasterized = [&](const char* argument) {
        const auto input =
            R"({"argument":")" + std::string{argument} + R"(","path":")" + (f.path / "dem.tif").string() + R"("})";
        REQUIRE(base::write_file_atomically(f.path / "roads.tif", "12345"));
        REQUIRE(base::write_file_atomically(
            f.path / "roads.tif.provenance.json",
            R"({"tool":"raster_rasterize","inputs":[{"argument":"/uri","path":"/roads.gpkg"},)" + input +
                R"(],"output":{"size_bytes":5}})"));
        return fact(f.path / "roads.tif");
    };
    CHECK(rasterized("/align_to") == R"({"tool":"raster_rasterize","reasons":{},"tools":["raster_rasterize"]})");
    CHECK(rasterized("/cutline").find(R"("accepted":{"tool":"raster_convert","conflicts":"hides_data"})") !=
          std::string::npos);
}
