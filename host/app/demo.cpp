// A session of this program with itself: it starts a server over stdio as any MCP client would, and tells what it sees.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "app/commands.hpp"
#include "runner/descriptor.hpp"

extern char** environ;  // NOLINT

namespace gdalmcp::app {

namespace fs = std::filesystem;

namespace {

// The client's end of a server over pipes.
class client {
public:
    explicit client(const std::string& workspace) {
        std::array<int, 2> in{}, out{};
        if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) return;
        to_.reset(in[1]);
        from_.reset(::fdopen(out[0], "r"));
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        std::string program = fs::read_symlink("/proc/self/exe").string();
        std::array<std::string, 5> words{program, "--workspace", workspace, "--log-level", "error"};
        std::array<char*, 6> argv{words[0].data(), words[1].data(), words[2].data(),
                                  words[3].data(), words[4].data(), nullptr};
        ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        ::close(in[0]);
        ::close(out[1]);
    }
    ~client() {
        to_.reset();
        if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    }

    // The result (or error) of one request; null when the server is gone.
    json::value request(const char* method, json::object params) {
        const json::object message{
            {"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", std::move(params)}};
        const auto line = base::write_json(json::value(message)) + "\n";
        if (::write(to_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) return nullptr;
        char* buffer = nullptr;
        std::size_t capacity = 0;
        json::value answer(nullptr);
        for (ssize_t n = 0; (n = ::getline(&buffer, &capacity, from_.get())) > 0;) {
            auto v = base::parse_json({buffer, static_cast<std::size_t>(n)});
            const auto* id = v ? base::find_member(*v, "id") : nullptr;
            if (!id || *id != json::value(id_)) continue;  // a notification
            const auto* result = base::find_member(*v, "result");
            answer = result ? *result : *base::find_member(*v, "error");
            break;
        }
        std::free(buffer);
        return answer;
    }
    json::value call(const char* tool, json::object arguments) {
        return request("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
    }

private:
    struct closer {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    runner::descriptor to_;
    std::unique_ptr<std::FILE, closer> from_;
    pid_t pid_ = 0;
    std::int64_t id_ = 0;
};

void say(const std::string& text) { std::printf("%s\n", text.c_str()); }
void step(int n, const std::string& title) { std::printf("\n== %d. %s\n\n", n, title.c_str()); }

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
json::object reason(const std::string& domain) {
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
                  "Areas are about 1.02 times too large at 8 degrees south, so nothing is measured here."}}},
            {"confidence", "high"}};
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

class session {
public:
    explicit session(fs::path folder) : folder_{std::move(folder)}, server_{folder_.string()} {}

    int run() {
        if (!start() || !look() || !bounce() || !answer() || !again() || !vectors()) {
            std::printf("\nThe demo did not get to its end.\n");
            return 3;
        }
        configuration_text();
        return 0;
    }

private:
    bool start() {
        step(1, "An MCP client starts gdal-mcp over stdio and lists its tools");
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

    bool look() {
        step(2, "The agent looks at a real Landsat 7 scene: raster_info(\"L7_ETMs.tif\")");
        const auto r = server_.call("raster_info", {{"uri", "L7_ETMs.tif"}});
        if (failed(r)) return broken(r);
        const auto& s = structured(r);
        say(indented(member(s, {"driver"}) + ", " + member(s, {"width"}) + " x " + member(s, {"height"}) + " cells, " +
                     member(s, {"count"}) + " bands, CRS " + member(s, {"crs", "code"}) + " (" +
                     member(s, {"crs", "name"}) + ")"));
        return true;
    }

    bool bounce() {
        step(3,
             "It asks for Web Mercator, bilinear: raster_reproject. The call is not run, because two choices have no "
             "reason yet");
        const auto r = server_.call("raster_reproject", warp("EPSG:3857"));
        const auto* content = base::find_member(r, "content");
        if (!content || content->get_array().size() != 2) return broken(r);
        say(indented(prose(r)));
        auto body = base::parse_json(base::string_member(content->get_array()[1], "text"));
        const auto* missing = body ? base::find_member(*body, "missing") : nullptr;
        if (!missing || !missing->is_array()) return broken(r);
        missing_ = missing->get_array();
        return true;
    }

    bool answer() {
        step(4, "The agent makes the two store_justification calls it was handed, with real reasons");
        for (const auto& m : missing_) {
            const auto domain = member(m, {"domain"});
            auto arguments = m.at("submit").at("arguments").get_object();
            arguments["justification"] = reason(domain);
            const auto r = server_.call("store_justification", std::move(arguments));
            if (failed(r)) return broken(r);
            say(indented(domain + ": " + member(structured(r), {"status"}) + ", " +
                         member(structured(r), {"cache_key"})));
        }
        return true;
    }

    bool again() {
        step(5, "It retries, word for word. The file is written, re-opened in another process, and checked");
        auto r = server_.call("raster_reproject", warp("EPSG:3857"));
        if (failed(r)) return broken(r);
        const auto& s = structured(r);
        say(indented(member(s, {"output", "path"}) + "\n" + member(s, {"output", "driver"}) + ", " +
                     member(s, {"output", "size_bytes"}) + " bytes, sha256 " +
                     member(s, {"output", "sha256"}).substr(0, 16) + "...\nchecks: " + member(s, {"checks"})));
        say("\nBeside it lies " + member(s, {"output", "path"}) +
            ".provenance.json: inputs, reasons, checks, versions, times.");
        step(6, "The same question in another spelling, epsg:3857, is not asked again");
        auto other = warp("epsg:3857");
        other["overwrite"] = true;
        r = server_.call("raster_reproject", std::move(other));
        if (failed(r)) return broken(r);
        const auto* receipts = base::find_member(r.at("_meta"), "io.gdal-mcp/receipts");
        for (const auto& receipt : receipts->get_array())
            say(indented(member(receipt, {"domain"}) + ": " + member(receipt, {"decision"})));
        return true;
    }

    bool vectors() {
        step(7,
             "Census tracts to the same CRS: vector_reproject runs at once, the reason is about the CRS and not about "
             "the tool");
        const auto r =
            server_.call("vector_reproject", {{"uri", "olinda1.shp"},
                                              {"dst_crs", "EPSG:3857"},
                                              {"output", "olinda1_3857.gpkg"},
                                              {"overwrite", true},
                                              {"allow_ballpark", true}});  // refused without it: their datum is unknown
        if (failed(r)) return broken(r);
        const auto& s = structured(r);
        say(indented(member(s, {"feature_count"}) + " features in " + member(s, {"output", "path"})));
        const auto* warnings = base::find_member(s, "warnings");
        if (warnings && !warnings->get_array().empty()) {
            say("\nThe tracts do not say which datum they use, and that is not passed over in silence:");
            for (const auto& w : warnings->get_array()) say(indented(std::string{w.get_string()}));
        }
        return true;
    }

    void configuration_text() const {
        step(8, "Use it: paste this into your MCP client's configuration (and set your own data folder)");
        const auto program = base::write_json(json::value(json::string(fs::read_symlink("/proc/self/exe").string())));
        const auto folder = base::write_json(json::value(json::string(fs::canonical(folder_).string())));
        std::printf(
            "{\n  \"mcpServers\": {\n    \"gdal-mcp\": {\n      \"command\": %s,\n      \"args\": [\"serve\", "
            "\"--workspace\", %s]\n    }\n  }\n}\n",
            program.c_str(), folder.c_str());
    }

    static json::object warp(const char* crs) {
        return {{"uri", "L7_ETMs.tif"}, {"dst_crs", crs}, {"resampling", "bilinear"}, {"output", "L7_3857.tif"}};
    }

    static bool broken(const json::value& answer) {
        say(indented("unexpected answer: " + prose(answer)));
        return false;
    }

    fs::path folder_;
    client server_;
    json::array missing_;
};

}  // namespace

int run_demo(const std::string& folder) {
    std::error_code ec;
    for (const char* name : {"L7_ETMs.tif", "olinda1.shp"})
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
