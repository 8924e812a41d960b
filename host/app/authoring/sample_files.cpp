#include "app/authoring/sample_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "workspace/sidecars.hpp"

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
std::string ring_polygon(const std::string& ring) { return R"({"type":"Polygon","coordinates":[[)" + ring + "]]}"; }

int slope(int column, int row) { return column == 5 && row == 6 ? 90 : 100 + 2 * column + 3 * row; }

// Bands one after another, each cell two bytes, the lower one first.
std::string three_bands() {
    std::string cells;
    for (int band = 1; band <= 3; ++band)
        for (int row = 0; row < 12; ++row)
            for (int column = 0; column < 12; ++column) {
                const int value = band * slope(column, row);
                cells += {static_cast<char>(value & 0xff), static_cast<char>(value >> 8)};
            }
    return cells;
}
constexpr const char* three_bands_header =
    "ENVI\nsamples = 12\nlines = 12\nbands = 3\nheader offset = 0\nfile type = ENVI Standard\ndata type = 2\n"
    "interleave = bsq\nbyte order = 0\nband names = {once, twice, thrice}\n"
    "map info = {Geographic Lat/Lon, 1, 1, 13, 52.012, 0.001, 0.001, WGS-84, units=Degrees}\n";

std::string three_layers() {
    std::string layers;
    for (const std::string name : {"zones", "points", "lines"})
        layers += "<OGRVRTLayer name=\"" + name + "\"><SrcDataSource relativeToVRT=\"1\">" + name +
                  ".geojson</SrcDataSource></OGRVRTLayer>";
    return "<OGRVRTDataSource>" + layers + "</OGRVRTDataSource>\n";
}

std::map<std::string, std::string> texts_of_files() {
    const auto dem = grid(12, 12, slope);
    const auto west = "[13.001,52.001],[13.006,52.001],[13.006,52.011],[13.001,52.011],[13.001,52.001]";
    const auto east = "[13.006,52.001],[13.011,52.001],[13.011,52.011],[13.006,52.011],[13.006,52.001]";
    const auto bowtie = "[13.001,52.001],[13.011,52.011],[13.011,52.001],[13.001,52.011],[13.001,52.001]";
    const auto zones =
        collection(feature(ring_polygon(west), "west", 1) + "," + feature(ring_polygon(east), "east", 2));
    const auto at = [](const char* position) {
        return R"({"type":"Point","coordinates":)" + std::string{position} + "}";
    };
    std::map<std::string, std::string> all = {
        {"dem.asc", dem},
        {"bands.dat", three_bands()},
        {"bands.hdr", three_bands_header},
        {"layers.vrt", three_layers()},
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
        {"bowtie.geojson", collection(feature(ring_polygon(bowtie), "bowtie", 1))}};
    for (const char* raster : {"dem", "cut", "one", "nodata"}) all[std::string{raster} + ".prj"] = wgs84;
    return all;
}

constexpr std::uintmax_t max_copied = 1u << 30;  // bytes

const std::map<std::string, std::string>& written_contents() {
    static const auto all = texts_of_files();
    return all;
}

}  // namespace

result<sample_files> sample_files::write(fs::path folder, const fs::path& own) {
    sample_files s{std::move(folder)};
    if (!own.empty())
        if (auto ok = s.find(own); !ok) return tl::unexpected{ok.error()};
    if (auto ok = s.restore(); !ok) return tl::unexpected{ok.error()};
    return s;
}

result<void> sample_files::find(const fs::path& own) {
    std::uintmax_t bytes = 0;
    std::error_code ec;
    for (fs::recursive_directory_iterator it{own, ec}, end; !ec && it != end; it.increment(ec)) {
        if (!it->is_regular_file(ec)) continue;
        bytes += it->file_size(ec);
        copied_[(sample::own / it->path().lexically_relative(own)).string()] = it->path();
    }
    if (ec) return base::fail(base::code::io, "cannot read the samples in " + own.string() + ": " + ec.message());
    if (bytes <= max_copied) return {};
    return base::fail(base::code::exhausted,
                      "the samples in " + own.string() + " have " + std::to_string(bytes >> 20) +
                          " MiB; the limit for copies is " + std::to_string(max_copied >> 20) + " MiB",
                      "give a folder with smaller datasets");
}

std::vector<std::string> sample_files::own_candidates() const {
    std::vector<std::string> names;
    std::set<std::string> belonging;
    for (const auto& [name, from] : copied_) {
        if (fs::path{name}.parent_path() != sample::own) continue;
        names.push_back(name);
        for (const auto& sidecar : workspace::possible_sidecars(name)) belonging.insert(sidecar.string());
    }
    names.erase(std::remove_if(names.begin(), names.end(), [&](const auto& n) { return belonging.count(n) > 0; }),
                names.end());
    return names;
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
        if (::lstat(it->path().c_str(), &s) != 0) continue;  // removed meanwhile: not listed
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
            all.push_back(name + " was added");
        else if (before->second != found)
            all.push_back(name + " was changed");
    for (const auto& [name, before] : written_)
        if (!now.count(name)) all.push_back(name + " was removed");
    return all;
}

result<void> sample_files::write_one(const std::string& name) const {
    const auto place = folder_ / name;
    if (const auto text = written_contents().find(name); text != written_contents().end())
        return base::write_file_atomically(place, text->second);
    std::error_code ec;
    fs::create_directories(place.parent_path(), ec);
    if (fs::copy_file(copied_.at(name), place, ec)) return {};
    return base::fail(base::code::io, "cannot copy " + copied_.at(name).string() + ": " + ec.message());
}

result<void> sample_files::restore() {
    const auto now = present();
    std::set<std::string> wanted;
    for (const auto& [name, text] : written_contents()) wanted.insert(name);
    for (const auto& [name, from] : copied_) {
        wanted.insert(name);
        for (auto folder = fs::path{name}.parent_path(); !folder.empty(); folder = folder.parent_path())
            wanted.insert(folder.string());
    }
    std::error_code ec;
    for (const auto& [name, found] : now)
        if (!wanted.count(name)) fs::remove_all(folder_ / name, ec);
    for (const auto& name : wanted) {
        const bool is_file = written_contents().count(name) || copied_.count(name);
        const auto before = written_.find(name);
        const auto found = now.find(name);
        const bool as_before = before != written_.end() && found != now.end() && before->second == found->second;
        if (is_file ? as_before : fs::is_directory(folder_ / name, ec)) continue;
        fs::remove_all(folder_ / name, ec);
        if (!is_file) continue;  // a folder is made with its files
        if (auto ok = write_one(name); !ok) return ok;
    }
    written_ = present();
    return {};
}

}  // namespace gdalmcp::app
