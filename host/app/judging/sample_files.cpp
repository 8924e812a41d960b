#include "app/judging/sample_files.hpp"

#include <sys/stat.h>

#include "base/file.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::result;

namespace {

constexpr const char* wgs84 =
    R"(GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],)"
    R"(PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]])";

std::string grid(int columns, int rows, const std::function<int(int, int)>& value) {
    std::string text = "ncols " + std::to_string(columns) + "\nnrows " + std::to_string(rows) +
                       "\nxllcorner 13\nyllcorner 52\ncellsize 0.001\nNODATA_value -9999\n";
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            text += std::to_string(value(column, row)) + (column + 1 < columns ? " " : "\n");
    return text;
}

std::string feature(const std::string& geometry, const char* name, int value) {
    return R"({"type":"Feature","properties":{"name":")" + std::string{name} + R"(","value":)" + std::to_string(value) +
           R"(},"geometry":)" + geometry + "}";
}
std::string collection(const std::string& features) {
    return R"({"type":"FeatureCollection","features":[)" + features + "]}\n";
}
std::string polygon(const std::string& ring) { return R"({"type":"Polygon","coordinates":[[)" + ring + "]]}"; }

std::map<std::string, std::string> contents() {
    const auto slope = [](int column, int row) { return column == 5 && row == 6 ? 90 : 100 + 2 * column + 3 * row; };
    const auto dem = grid(12, 12, slope);
    const auto west = "[13.001,52.001],[13.006,52.001],[13.006,52.011],[13.001,52.011],[13.001,52.001]";
    const auto east = "[13.006,52.001],[13.011,52.001],[13.011,52.011],[13.006,52.011],[13.006,52.001]";
    const auto bowtie = "[13.001,52.001],[13.011,52.011],[13.011,52.001],[13.001,52.011],[13.001,52.001]";
    const auto zones = collection(feature(polygon(west), "west", 1) + "," + feature(polygon(east), "east", 2));
    const auto at = [](const char* position) {
        return R"({"type":"Point","coordinates":)" + std::string{position} + "}";
    };
    std::map<std::string, std::string> all = {
        {sample::raster, dem},
        {"zones.geojson", zones},
        {"points.geojson",
         collection(feature(at("[13.0055,52.0055]"), "pit", 1) + "," + feature(at("[13.0095,52.0095]"), "slope", 2))},
        {"lines.geojson",
         collection(feature(R"({"type":"LineString","coordinates":[[13.001,52.001],[13.011,52.011]]})", "way", 1))},
        {"empty.tif", ""},
        {"text.tif", "This is not an image.\n"},
        {"cut.asc", dem.substr(0, dem.size() / 2)},
        {"one.asc", grid(1, 1, [](int, int) { return 7; })},
        {"nodata.asc", grid(12, 12, [](int, int) { return -9999; })},
        {"empty.gpkg", ""},
        {"text.gpkg", "This is not a database.\n"},
        {"cut.geojson", zones.substr(0, zones.size() / 2)},
        {"none.geojson", collection("")},
        {"null.geojson", collection(feature("null", "nowhere", 0))},
        {"bowtie.geojson", collection(feature(polygon(bowtie), "bowtie", 1))}};
    for (const char* raster : {"dem", "cut", "one", "nodata"}) all[std::string{raster} + ".prj"] = wgs84;
    return all;
}

}  // namespace

result<sample_files> sample_files::write(fs::path folder) {
    sample_files s{std::move(folder)};
    if (auto ok = s.restore(); !ok) return tl::unexpected{ok.error()};
    return s;
}

std::map<std::string, sample_files::state> sample_files::present() const {
    std::map<std::string, state> found;
    std::error_code ec;
    for (fs::recursive_directory_iterator it{folder_, ec}, end; !ec && it != end; it.increment(ec)) {
        if (it->path().filename().string().rfind(".gdal-mcp", 0) == 0) {
            it.disable_recursion_pending();
            continue;
        }
        struct stat s {};
        if (::lstat(it->path().c_str(), &s) != 0) continue;  // gone meanwhile: missing from what is found
        found[it->path().lexically_relative(folder_).string()] = {
            S_ISDIR(s.st_mode) ? 0 : static_cast<std::uintmax_t>(s.st_size),
            S_ISDIR(s.st_mode) ? 0 : s.st_mtim.tv_sec * 1'000'000'000 + s.st_mtim.tv_nsec, s.st_ino};
    }
    return found;
}

std::vector<std::string> sample_files::differences() const {
    const auto now = present();
    std::vector<std::string> all;
    for (const auto& [name, found] : now)
        if (const auto before = written_.find(name); before == written_.end())
            all.push_back(name + " is new");
        else if (before->second != found)
            all.push_back(name + " is changed");
    for (const auto& [name, before] : written_)
        if (!now.count(name)) all.push_back(name + " is gone");
    return all;
}

result<void> sample_files::restore() {
    static const auto wanted = contents();
    const auto now = present();
    std::error_code ec;
    for (const auto& [name, found] : now)
        if (!wanted.count(name)) fs::remove_all(folder_ / name, ec);
    for (const auto& [name, text] : wanted) {
        const auto before = written_.find(name);
        const auto found = now.find(name);
        if (before != written_.end() && found != now.end() && before->second == found->second) continue;
        fs::remove_all(folder_ / name, ec);
        if (auto ok = base::write_file_atomically(folder_ / name, text); !ok) return ok;
    }
    written_ = present();
    return {};
}

}  // namespace gdalmcp::app
