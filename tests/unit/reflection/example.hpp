// What the tests of this room share: the shipped specs, a stand-in for PROJ, a folder that goes away.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/file.hpp"
#include "catch.hpp"
#include "reflection/bounce.hpp"
#include "reflection/disk_store.hpp"
#include "reflection/gate.hpp"
#include "reflection/question_entry.hpp"

namespace example {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace gdalmcp;
using namespace gdalmcp::reflection;

inline json::value parsed(std::string_view text) { return base::parse_json(text).value(); }
inline std::string line(const json::value& v) { return base::write_json(v); }

inline const json::value& golden() {
    static const auto v = parsed(base::read_file(fs::path{ORACLE_DIR} / "golden.json").value());
    return v;
}

// Knows the spellings of golden.json and no others, and counts how often it is asked.
inline crs_lookup crs() {
    return [](std::string_view spelling) -> base::result<crs_identity> {
        const auto* known = base::find_member(golden().at("crs"), spelling);
        if (!known)
            return base::fail(base::code::invalid_argument, "PROJ does not know '" + std::string{spelling} + "'");
        return crs_identity{std::string{base::string_member(*known, "normal")},
                            base::bool_member(*known, "geographic")};
    };
}

inline std::shared_ptr<const specs> shipped() {
    static const auto loaded =
        specs::load({folder_source("core", fs::path{SOURCE_DIR} / "reflection-specs", fs::path{SOURCE_DIR} / "prompts")
                         .value()})
            .value();
    return loaded;
}

struct folder {
    fs::path path;
    folder() {
        std::string pattern = (fs::temp_directory_path() / "reflection-XXXXXX").string();
        path = ::mkdtemp(pattern.data());
    }
    ~folder() { fs::remove_all(path); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    fs::path write(const std::string& name, std::string_view text) const {
        fs::create_directories((path / name).parent_path());
        REQUIRE(base::write_file_atomically(path / name, text));
        return path / name;
    }
    source_file file(const std::string& name, std::string_view text) const {
        return {write(name, text), std::string{text}};
    }
};

// A gate over the shipped specs and an empty store.
struct setting {
    folder workspace;
    std::shared_ptr<store> records{open_disk_store(workspace.path / ".preflight")};
    int facts_asked = 0;
    std::string now = "2026-01-02T03:04:05.678Z";
    base::result<json::value> facts{
        parsed(R"({"input":{"kind_of_dataset":"raster","crs":{"normal":"EPSG:32616","code":"EPSG:32616",
        "geographic":false},"bands":[{"dtype":"UInt16","palette":false,"nodata":null}]},"inputs":[]})")};
    std::shared_ptr<const specs> asked = shipped();

    reflection::gate gate() const {
        return {asked, records, [this] { return now; }};
    }
    call calling(std::string tool, std::string_view arguments, std::string_view justification = "null") {
        return {std::move(tool), parsed(arguments), parsed(justification), crs(), [this] {
                    ++facts_asked;
                    return facts;
                }};
    }
    std::string decisions(const call& c) {
        const auto v = gate().decide(c);
        if (!v) return "problem: " + v.error().message;
        if (v->refused) return "refused: " + v->refused->message;
        std::string out;
        for (const auto& r : v->rulings)
            out += (out.empty() ? "" : " ") + r.question->domain + "=" + std::string{to_string(r.outcome)};
        return out;
    }
    fs::path file_of(const std::string& domain, const std::string& key) const {
        return workspace.path / ".preflight/justifications" / domain / (key + ".json");
    }
};

inline const std::string reproject =
    R"({"uri":"a.tif","dst_crs":"EPSG:3857","resampling":"bilinear","overwrite":false})";

inline std::string reason(const std::string& method) {
    return R"({"intent":"tiles that join a web map","alternatives":[{"method":"something else","why_not":"would not join"}],
        "choice":{"method":")" +
           method + R"(","rationale":"the base map has this grid, so features line up within 1 pixel",
        "tradeoffs":"areas are 1.6 times too large at 37 N; nobody measures on it"},"confidence":"medium"})";
}

inline json::value store_call(const std::string& domain, const std::string& prompt_args,
                              const std::string& justification) {
    return parsed(R"({"domain":")" + domain + R"(","prompt_args":)" + prompt_args + R"(,"justification":)" +
                  justification + "}");
}

inline void store_reason(setting& s, const std::string& domain, const std::string& prompt_args,
                         const std::string& method) {
    const auto done = s.gate().store_justification(store_call(domain, prompt_args, reason(method)), crs());
    INFO((done ? "" : done.error().message));
    REQUIRE(done);
}

}  // namespace example
