// A session of this program with itself: it starts a server over stdio as any MCP client would, and prints what
// happens.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "app/commands/child_program.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/demo_programs.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* counties = "nc.gpkg";
constexpr const char* counties_in_albers = "counties_5070.gpkg";

void say(const std::string& text) { std::printf("%s\n", text.c_str()); }

std::string indented(const std::string& text) {
    std::string out = "   | ";
    for (const char c : text) out += c == '\n' ? std::string{"\n   | "} : std::string{c};
    return out;
}

bool failed(const json::value& result) {
    return result.is_null() || base::bool_member(result, "isError") || base::find_member(result, "code");
}

// content[0] of a result, for people.
std::string prose(const json::value& result) {
    const auto* content = base::find_member(result, "content");
    if (!content || !content->is_array() || content->get_array().empty()) return base::write_json(result);
    return std::string{base::string_member(content->get_array()[0], "text")};
}

const json::value& structured(const json::value& result) {
    static const json::value none = json::object{};
    const auto* s = base::find_member(result, "structuredContent");
    return s ? *s : none;
}

std::string member(const json::value& v, std::initializer_list<const char*> path) {
    const auto* at = &v;
    for (const char* name : path)
        if (at) at = base::find_member(*at, name);
    return !at ? "" : at->is_string() ? std::string{at->get_string()} : base::write_json(*at);
}

// What an agent with a web map in mind would answer; real reasons, since they are kept with the data.
json::object reason_for_scene(const std::string& domain) {
    if (domain == "crs_datum")
        return {
            {"intent", "Show the scene under street tiles in a browser map; no number will be measured on it."},
            {"alternatives",
             {json::object{{"method", "EPSG:31985"},
                           {"why_not", "The scene's own UTM zone 25S keeps areas, but tiles are cut in Web Mercator."}},
              json::object{
                  {"method", "EPSG:4326"},
                  {"why_not", "Plate carree pixels stretch east-west and still need a second warp for tiles."}}}},
            {"choice",
             json::object{
                 {"method", "EPSG:3857"},
                 {"rationale", "Pixels line up with the map's tiles; angles are kept for reading the picture."},
                 {"tradeoffs",
                  "Areas are about 1.03 times too large at 8 degrees south, so nothing is measured here."}}},
            {"confidence", "high"},
            {"facts", json::object{{"use", "display"}}}};
    return {{"intent", "Smooth picture of reflectance for people to look at."},
            {"alternatives",
             {json::object{
                  {"method", "nearest"},
                  {"why_not", "Keeps exact digital numbers, but shifts pixels by up to half a cell and looks torn."}},
              json::object{{"method", "cubic"},
                           {"why_not", "Overshoots at the shoreline between dark water and bright sand."}}}},
            {"choice",
             json::object{
                 {"method", "bilinear"},
                 {"rationale", "Continuous reflectance at nearly the same resolution: one input cell per output cell."},
                 {"tradeoffs",
                  "Digital numbers are averaged over 2 x 2 cells, so no spectral index is computed from the result."}}},
            {"confidence", "medium-high"}};
}

// What an agent that reads the measured numbers would answer.
json::object reason_for_albers(const std::string& measured) {
    return {
        {"intent", "Hectares of every county of North Carolina, for a table."},
        {"alternatives",
         {json::object{{"method", "EPSG:3857"}, {"why_not", "Measured on these counties: areas 1.5 times too large."}},
          json::object{{"method", "EPSG:32617"},
                       {"why_not", "UTM zone 17 ends at 78 degrees west, the counties reach to 75.5."}}}},
        {"choice",
         json::object{{"method", "EPSG:5070"},
                      {"rationale", "Conus Albers is equal-area and made for this country. " + measured},
                      {"tradeoffs", "Angles are off by about a degree; nobody takes a bearing from a table."}}},
        {"confidence", "high"},
        {"facts", json::object{{"use", "measure"}}}};
}

class session {
public:
    explicit session(fs::path folder) : folder_{std::move(folder)}, server_{folder_.string()} {}

    int run() {
        if (!start() || !counties_refused() || !counties_corrected() || !second_layer() || !scene_refused() ||
            !scene_answered() || !tracts() || !methods() || !picture() || !greenery()) {
            std::printf("\nThe demo did not finish.\n");
            return 3;
        }
        configuration_text();
        return 0;
    }

private:
    void step(const std::string& title) { std::printf("\n== %d. %s\n\n", ++step_, title.c_str()); }

    bool start() {
        step("An MCP client starts gdal-mcp over stdio and lists its tools");
        const auto hello = server_.request(
            "initialize", {{"protocolVersion", "2025-11-25"},
                           {"capabilities", json::object{}},
                           {"clientInfo", json::object{{"name", "gdal-mcp demo"}, {"version", version}}}});
        if (failed(hello)) return broken(hello);
        const auto list = server_.request("tools/list", json::object{});
        const auto* tools = base::find_member(list, "tools");
        if (!tools) return broken(list);
        std::string names;
        for (const auto& t : tools->get_array())
            names += (names.empty() ? "" : ", ") + std::string{t.at("name").get_string()};
        say("protocol " + member(hello, {"protocolVersion"}) + ", " + std::to_string(tools->get_array().size()) +
            " tools:");
        say(indented(names));
        return true;
    }

    bool counties_refused() {
        step("The agent must report the areas of 100 counties in hectares: vector_info(\"nc.gpkg\")");
        const auto info = server_.call("vector_info", {{"uri", counties}});
        if (failed(info)) return broken(info);
        const auto& layer = structured(info).at("layers").at(0);
        say(indented(member(layer, {"feature_count"}) + " x " + member(layer, {"geometry_type"}) + ", CRS " +
                     member(layer, {"crs", "code"}) + " (" + member(layer, {"crs", "name"}) + ", in " +
                     member(layer, {"crs", "unit"}) + "s)"));
        step("Degrees give no areas, so it tries Web Mercator: vector_reproject to EPSG:3857. Not run");
        json::array missing;
        return refused("vector_reproject", to_crs(counties, "EPSG:3857", "counties_3857.gpkg"), missing);
    }

    bool counties_corrected() {
        step("Areas 1.5 times too large: the agent checks an equal-area CRS instead. preflight runs nothing");
        auto call = to_crs(counties, "EPSG:5070", counties_in_albers);
        auto r = server_.call("preflight", {{"tool", "vector_reproject"}, {"arguments", call}});
        if (failed(r)) return broken(r);
        const auto* evidence = base::find_member(structured(r).at("domains").at(0).at("missing"), "evidence");
        if (!evidence) return broken(r);
        const auto measured = member(evidence->at(0), {"summary"});
        say(indented(measured));
        step("The agent sends the call with its reason. The file is written, re-opened in another process and checked");
        call["justification"] = json::object{{"crs_datum", reason_for_albers(measured)}};
        r = server_.call("vector_reproject", std::move(call));
        if (failed(r)) return broken(r);
        say(indented(written(r)));
        say_warnings(r);
        second_opinion();
        return true;
    }

    // The area measured by GDAL's own program.
    void second_opinion() const {
        const auto source = (folder_ / counties).string(), ours = (folder_ / counties_in_albers).string();
        const auto mercator = sum_km2(source, "ST_Area(ST_Transform(geom, 3857))");
        const auto albers = sum_km2(ours, "ST_Area(geom)");
        if (mercator && albers)
            say("\nGDAL's ogrinfo measures all counties at " + *albers +
                " km2 in this file; in EPSG:3857 it would be " + *mercator + " km2.");
        else
            say("\nThe areas are not cross-checked: ogrinfo (Debian package gdal-bin) is missing or failed.");
    }

    bool second_layer() {
        step("A second layer to the same CRS, the counties with many births: no question");
        auto r = server_.call(
            "vector_query",
            {{"uri", counties}, {"where", "BIR74 >= 5000"}, {"output", "many_births.gpkg"}, {"overwrite", true}});
        if (failed(r)) return broken(r);
        r = server_.call("vector_reproject", to_crs("many_births.gpkg", "epsg:5070", "many_births_5070.gpkg"));
        if (failed(r)) return broken(r);
        say(indented(member(structured(r), {"feature_count"}) + " features; " + decisions(r)));
        return true;
    }

    bool scene_refused() {
        step("Another job, a picture for a web map: raster_info(\"L7_ETMs.tif\"), a Landsat 7 scene");
        const auto r = server_.call("raster_info", {{"uri", "L7_ETMs.tif"}});
        if (failed(r)) return broken(r);
        const auto& s = structured(r);
        say(indented(member(s, {"driver"}) + ", " + member(s, {"width"}) + " x " + member(s, {"height"}) + " cells, " +
                     member(s, {"count"}) + " bands, CRS " + member(s, {"crs", "code"}) + " (" +
                     member(s, {"crs", "name"}) + ")"));
        step("raster_reproject to Web Mercator, bilinear: two choices, two reasons to give");
        return refused("raster_reproject", warp("EPSG:3857"), missing_);
    }

    bool scene_answered() {
        step("The agent sends the two prepared store_justification calls, then repeats its own call unchanged");
        for (const auto& m : missing_) {
            const auto domain = member(m, {"domain"});
            auto arguments = m.at("submit").at("arguments").get_object();
            arguments["justification"] = reason_for_scene(domain);
            const auto r = server_.call("store_justification", std::move(arguments));
            if (failed(r)) return broken(r);
            say(indented(domain + ": " + member(structured(r), {"status"}) + ", " +
                         member(structured(r), {"cache_key"})));
        }
        const auto r = server_.call("raster_reproject", warp("EPSG:3857"));
        if (failed(r)) return broken(r);
        say(indented(written(r)));
        return true;
    }

    bool tracts() {
        step("Census tracts of the same town, that CRS in another spelling: the same reason applies");
        auto call = to_crs("olinda1.shp", "epsg:3857", "olinda1_3857.gpkg");
        call["allow_ballpark"] = true;  // refused without it: their datum is unknown
        const auto r = server_.call("vector_reproject", std::move(call));
        if (failed(r)) return broken(r);
        say(indented(member(structured(r), {"feature_count"}) + " features; " + decisions(r)));
        say_warnings(r);
        return true;
    }

    bool methods() {
        step(std::string{"The text for the methods section: gdal-mcp reflect export --format markdown "} +
             counties_in_albers);
        const auto text = output_of({this_program(), "reflect", "export", "--format", "markdown",
                                     (folder_ / counties_in_albers).string(), "--workspace", folder_.string()});
        if (!text) return false;
        say(indented(*text));
        return true;
    }

    bool picture() {
        step("A look at the result: raster_preview(\"L7_3857.tif\")");
        const auto r =
            server_.call("raster_preview", {{"uri", "L7_3857.tif"}, {"bands", json::array{3, 2, 1}}, {"size", 512}});
        if (failed(r)) return broken(r);
        return kept_picture(r, "L7_3857.png");
    }

    bool greenery() {
        step("A question for three bundles: how green are the tracts? raster_calc, raster_classify, aggregate_zonal");
        const auto band = [](int number) { return json::object{{"uri", "L7_ETMs.tif"}, {"band", number}}; };
        const auto one = [](json::value v) {
            json::array list;
            list.push_back(std::move(v));
            return list;
        };
        const json::object calls[] = {
            {{"expression", "(N - R) / (N + R)"},
             {"inputs", json::object{{"N", band(4)}, {"R", band(3)}}},
             {"output", "ndvi.tif"},
             {"overwrite", true}},
            {{"uri", "ndvi.tif"}, {"breaks", one(0.2)}, {"output", "green.tif"}, {"overwrite", true}},
            {{"raster", "green.tif"},
             {"zones", "olinda1.shp"},
             {"stats", one("frac")},
             {"output", "tracts.gpkg"},
             {"overwrite", true}}};
        constexpr std::array tools{"raster_calc", "raster_classify", "aggregate_zonal"};
        for (std::size_t i = 0; i < tools.size(); ++i)
            if (const auto r = server_.call(tools[i], calls[i]); failed(r)) return broken(r);
        const auto share = server_.call("vector_stats", {{"uri", "tracts.gpkg"}, {"fields", "frac_2"}});
        if (failed(share)) return broken(share);
        const auto& figures = structured(share).at("groups").at(0).at("figures");
        const auto percent = [&](const char* name) {
            char text[16];
            std::snprintf(text, sizeof text, "%.1f %%", 100 * figures.at(name).to_number<double>());
            return std::string{text};
        };
        say(indented("the share of land with a vegetation index of 0.2 or more, in " +
                     member(structured(share), {"row_count"}) + " tracts: median " + percent("median") + ", greenest " +
                     percent("max")));
        const auto r =
            server_.call("map_preview", {{"layers", one(json::object{{"uri", "tracts.gpkg"}, {"field", "frac_2"}})},
                                         {"title", "Share of green land in the tracts of Olinda"}});
        if (failed(r)) return broken(r);
        return kept_picture(r, "tracts.png");
    }

    void configuration_text() {
        step("Use it: paste this into your MCP client's configuration (and set your own data folder)");
        const auto quoted = [](const std::string& path) { return base::write_json(json::value(json::string(path))); };
        std::printf(
            "{\n  \"mcpServers\": {\n    \"gdal-mcp\": {\n      \"command\": %s,\n      \"args\": [\"serve\", "
            "\"--workspace\", %s]\n    }\n  }\n}\n",
            quoted(this_program()).c_str(), quoted(fs::canonical(folder_).string()).c_str());
    }

    // Writes the picture of a result beside the data.
    bool kept_picture(const json::value& result, const char* name) const {
        for (const auto& block : result.at("content").get_array()) {
            if (base::string_member(block, "type") != "image") continue;
            const auto file = folder_ / name;
            const auto bytes = from_base64(std::string{base::string_member(block, "data")});
            if (!bytes || !base::write_file_atomically(file, *bytes)) break;
            say(indented(member(structured(result), {"width"}) + " x " + member(structured(result), {"height"}) +
                         " pixels, kept as " + file.string()));
            return true;
        }
        return broken(result);
    }

    // The text of a refusal, and the reasons it lists as missing.
    bool refused(const char* tool, json::object arguments, json::array& missing) {
        const auto r = server_.call(tool, std::move(arguments));
        const auto* content = base::find_member(r, "content");
        if (!content || content->get_array().size() != 2) return broken(r);
        say(indented(prose(r)));
        auto body = base::parse_json(base::string_member(content->get_array()[1], "text"));
        const auto* named = body ? base::find_member(*body, "missing") : nullptr;
        if (!named || !named->is_array()) return broken(r);
        missing = named->get_array();
        return true;
    }

    std::optional<std::string> sum_km2(const std::string& file, const std::string& area) const {
        const auto text =
            output_of({"ogrinfo", "-q", "-dialect", "SQLITE", "-sql",
                       "SELECT CAST(ROUND(SUM(" + area + ") / 1e6) AS INTEGER) AS km2 FROM \"nc.gpkg\"", file});
        constexpr std::string_view before = "km2 (Integer) = ";
        const auto at = text ? text->find(before) : std::string::npos;
        if (at == std::string::npos) return {};
        const auto number = text->substr(at + before.size());
        return number.substr(0, number.find('\n'));
    }

    static std::optional<std::string> from_base64(std::string text) {
        std::replace(text.begin(), text.end(), '+', '-');
        std::replace(text.begin(), text.end(), '/', '_');
        text.resize(std::min(text.size(), text.find('=')));
        return base::from_base64url(text);
    }

    static json::object to_crs(const char* file, const char* crs, const char* output) {
        return {{"uri", file}, {"dst_crs", crs}, {"output", output}, {"overwrite", true}};
    }
    static json::object warp(const char* crs) {
        auto call = to_crs("L7_ETMs.tif", crs, "L7_3857.tif");
        call["resampling"] = "bilinear";
        return call;
    }

    static std::string written(const json::value& result) {
        const auto& s = structured(result);
        return member(s, {"output", "path"}) + "\n" + member(s, {"output", "driver"}) + ", " +
               member(s, {"output", "size_bytes"}) + " bytes, sha256 " + member(s, {"output", "sha256"}).substr(0, 16) +
               "...\nchecks: " + member(s, {"checks"}) +
               "\nbeside it .provenance.json: inputs, reasons, checks, versions";
    }

    static std::string decisions(const json::value& result) {
        std::string out;
        const auto* all = base::find_member(result.at("_meta"), "io.gdal-mcp/receipts");
        for (const auto& receipt : all->get_array()) {
            out += (out.empty() ? "" : ", ") + member(receipt, {"domain"}) + ": " + member(receipt, {"decision"});
            for (const auto& note : receipt.at("notes").get_array()) out += "\n" + std::string{note.get_string()};
        }
        return out;
    }

    static void say_warnings(const json::value& result) {
        const auto* warnings = base::find_member(structured(result), "warnings");
        if (!warnings || warnings->get_array().empty()) return;
        say("\nWarnings:");
        for (const auto& w : warnings->get_array()) say(indented(std::string{w.get_string()}));
    }

    static bool broken(const json::value& answer) {
        say(indented("unexpected answer: " + prose(answer)));
        return false;
    }

    fs::path folder_;
    demo_server server_;
    json::array missing_;
    int step_ = 0;
};

}  // namespace

int run_demo(const std::string& folder) {
    std::error_code ec;
    for (const char* name : {counties, "L7_ETMs.tif", "olinda1.shp"})
        if (!fs::exists(fs::path{folder} / name, ec)) {
            std::fprintf(
                stderr,
                "gdal-mcp: %s is not in %s\n  run packaging/start, which fetches the demo's data, or give --data DIR\n",
                name, folder.c_str());
            return 2;
        }
    return session{folder}.run();
}

}  // namespace gdalmcp::app
