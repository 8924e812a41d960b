// The methods text.
#include "kept_reasons.hpp"

using namespace example;

namespace {

json::object provenance(const std::string& tool, const std::string& input, const std::string& output,
                        const std::string& finished, json::array decisions) {
    return parsed(R"({"schema_version": 1, "bundle": "org.gdal-mcp.raster 0.1.0",
        "arguments": {"uri": ")" +
                  input + R"(", "dst_crs": "EPSG:6933", "resampling": "bilinear", "output": ")" + output +
                  R"("}, "inputs": [{"path": "/data/)" + input + R"(", "size": 798453, "sha256": "aa)" + input +
                  R"(", "uri": ")" + input + R"(", "crs": "EPSG:32616",
            "sidecars": [{"path": "/data/)" +
                  input + R"(.aux.xml"}]}],
        "versions": {"gdal": "3.6.2", "gdal-mcp": "0.1.0"},
        "equivalent_command": "gdal-mcp call )" +
                  tool + R"( --json '{}'", "tool": ")" + tool + R"(",
        "checks": ["re-opened as GTiff", "CRS = EPSG:6933"], "finished": ")" +
                  finished + R"(",
        "output": {"driver": "GTiff", "width": 349, "height": 355, "bands": 1, "dtype": "Byte", "crs": "EPSG:6933",
            "size_bytes": 1573317, "sha256": "aa)" +
                  output + R"("}, "decisions": )" + line(decisions) + "}")
        .as_object();
}

// Stores the reason for the CRS with a conflict that it accepts.
void accept_conflict(kept& k) {
    auto submission = store_call("crs_datum", R"({"dst_crs":"EPSG:6933"})", full_reason);
    submission.at("justification").as_object()["conflicts"] =
        parsed(R"([{"name":"outside_area_of_use","why_accepted":"only the edge lies outside."}])");
    REQUIRE(k.gate().store_justification(submission, crs()));
}

// Confirms it on 2026-04-04, with another conflict accepted.
void confirm_with(kept& k, const char* conflict) {
    REQUIRE(k.records->put(confirmed(k.crs_record(), {"it is a map of the north", "user", {}, {parsed(conflict)}}, {},
                                     {}, "2026-04-04T00:00:00.000Z")));
}

}  // namespace

TEST_CASE("the methods text says why a choice needed no reason") {
    kept k;
    auto only = receipt("hydrology", "only_option", "");
    only["notes"] = json::array{"fill is the only method that hydro_condition offers"};
    auto same = receipt("resampling", "immaterial", "");
    same["spread"] =
        parsed(R"({"what":"mean of the output cells","low":7,"low_by":"nearest","high":7.002,"high_by":"average",
        "unit":"mm","relative":0.0003,"candidates":["nearest","average"]})");
    const auto text =
        methods_text({{"a.tif", provenance("a_tool", "in.tif", "a.tif", "2026-03-02T11:00:00.000Z", {only, same})}},
                     k.lookup(), *k.asked);
    INFO(text);
    CHECK(
        text.find("Method (hydrology): fill is the only method that hydro_condition offers. Method (resampling): makes "
                  "no difference on these data; compared: nearest, average; mean of the output cells 7 (nearest) to "
                  "7.002 (average) mm, single values up to 0.03 % apart.") != std::string::npos);
}

TEST_CASE("the methods text repeats what a step was warned of") {
    kept k;
    auto step = provenance("a_tool", "in.tif", "a.tif", "2026-03-02T11:00:00.000Z", {});
    step["warnings"] =
        json::array{"no datum shift is known: zones may be off by hundreds of metres.", "scale 0.1 is applied"};
    const auto text = methods_text({{"a.tif", step}}, k.lookup(), *k.asked);
    INFO(text);
    CHECK(text.find("\n## Warnings\n\n- `a.tif`: no datum shift is known: zones may be off by hundreds of metres\n"
                    "- `a.tif`: scale 0.1 is applied\n\n## Software\n") != std::string::npos);
}

TEST_CASE("the methods text, as a scientist would paste it") {
    kept k;
    auto crs_receipt = receipt("crs_datum", "proceed", k.crs_record().ref());
    crs_receipt["notes"] = json::array{"what the choice itself says"};
    auto free = receipt("resampling", "not_needed", "");
    free["notes"] = json::array{"grids coincide"};
    // Given in the wrong order: the second step reads what the first one made.
    const auto text =
        methods_text({{"b.tif", provenance("raster_convert", "a.tif", "b.tif", "2026-03-02T12:00:00.000Z", {free})},
                      {"a.tif", provenance("raster_reproject", "in.tif", "a.tif", "2026-03-02T11:00:00.000Z",
                                           {crs_receipt, receipt("resampling", "proceed", k.method_record().ref())})}},
                     k.lookup(), *k.asked);
    CHECK(text == R"(# Methods

## Data

- `in.tif` (798453 bytes, EPSG:32616, SHA-256 `aain.tif`), read with `in.tif.aux.xml`

## Steps

1. `raster_reproject` (org.gdal-mcp.raster 0.1.0) made `a.tif` (GTiff, 349 × 355 cells, 1 band, Byte, 1573317 bytes, EPSG:6933, SHA-256 `aaa.tif`) from `in.tif` on 2026-03-02. Parameters: dst_crs = EPSG:6933, resampling = bilinear. Target CRS (crs_datum): choice 1. Method (resampling): choice 2.
2. `raster_convert` (org.gdal-mcp.raster 0.1.0) made `b.tif` (GTiff, 349 × 355 cells, 1 band, Byte, 1573317 bytes, EPSG:6933, SHA-256 `aab.tif`) from the result of step 1 (`a.tif`) on 2026-03-02. Parameters: dst_crs = EPSG:6933, resampling = bilinear. Method (resampling): no reason needed, grids coincide.

## Choices

### 1. Target CRS (crs_datum): EPSG:6933

EPSG:6933 was chosen by the user on 2026-01-02, with high confidence. Purpose: hectares per land-cover class for a regional report. Context: the report compares counties. Reason: equal-area, so class totals are right at every latitude. Rejected: EPSG:3857 (areas 1.6 times too large at 37 N). Accepted in return: shapes are widened by a factor of 1.18 at 37 N. Known beforehand: the data end at 41 N. Assumed, not checked: nobody prints the map. What stays uncertain: the datum shift, 2 m. Review when: shapes are read off the map.

### 2. Method (resampling): bilinear

bilinear was chosen by the agent on 2026-01-02, with medium confidence. Purpose: tiles that join a web map. Reason: the base map has this grid, so features line up within 1 pixel. Rejected: something else (would not join). Accepted in return: areas are 1.6 times too large at 37 N; nobody measures on it. It builds on the choice Target CRS (crs_datum): EPSG:6933.

## Checks passed after writing

- `a.tif`: re-opened as GTiff, CRS = EPSG:6933
- `b.tif`: re-opened as GTiff, CRS = EPSG:6933

## Software

gdal 3.6.2; gdal-mcp 0.1.0.

## To repeat it

```sh
gdal-mcp call raster_reproject --json '{}'
gdal-mcp call raster_convert --json '{}'
```
)");
}

TEST_CASE("a chain of managed results reads as numbered steps, back to the original file") {
    kept k;
    json::object step, results;
    std::string before = "in.tif";
    for (int i = 1; i <= 5; ++i) {
        const auto name = "r" + std::to_string(i) + ".tif";
        const auto uri_before = "query://result/" + std::to_string(i - 1);
        auto next = provenance("tool_" + std::to_string(i), before, name,
                               "2026-03-02T1" + std::to_string(i) + ":00:00.000Z", {});
        if (!step.empty()) {
            next["inputs"].as_array()[0].as_object()["uri"] = uri_before;
            results[uri_before] = std::move(step);
        }
        step = std::move(next);
        before = name;
    }
    step["results"] = results;
    const auto text = methods_text({{"out.tif", step}}, k.lookup(), *k.asked);
    const auto begins = [&](int number, const std::string& from) {
        const auto line = "\n" + std::to_string(number) + ". `tool_" + std::to_string(number) + "` (";
        const auto at = text.find(line);
        REQUIRE(at != std::string::npos);
        return text.substr(at + 1, text.find('\n', at + 1) - at).find(" from " + from + " on ") != std::string::npos;
    };
    CHECK(begins(1, "`in.tif`"));
    for (int i = 2; i <= 5; ++i) CHECK(begins(i, "the result of step " + std::to_string(i - 1)));
    CHECK(text.find("made a temporary result (") != std::string::npos);
    CHECK(text.find("made `out.tif` (") != std::string::npos);
    CHECK(text.find("## Data\n\n- `in.tif` (") != std::string::npos);
    CHECK(text.find("- `r1.tif`") == std::string::npos);
}

TEST_CASE("the methods text names inputs by step and file, and its commands read files where results are gone") {
    kept k;
    auto first = provenance("raster_reproject", "in.tif", "r1.tif", "2026-03-02T11:00:00.000Z", {});
    first["equivalent_command"] = R"(gdal-mcp call raster_reproject --json '{"uri":"in.tif"}')";
    auto second = provenance("raster_calc", "r1.tif", "out.tif", "2026-03-02T12:00:00.000Z", {});
    auto& input = second["inputs"].as_array()[0].as_object();
    input["uri"] = "query://result/ab12";
    second["results"] = json::object{{"query://result/ab12", first}};
    second["arguments"] =
        parsed(R"({"inputs": {"A": "query://result/ab12"}, "uris": ["query://result/ab12"], "expression": "A * 2"})");
    second["equivalent_command"] = R"(gdal-mcp call raster_calc --json '{"inputs":{"A":"query://result/ab12"}}')";
    const auto text = methods_text({{"out.tif", second}}, k.lookup(), *k.asked);
    INFO(text);
    CHECK(text.find("query://") == std::string::npos);
    CHECK(text.find(R"(Parameters: inputs = {"A":"the result of step 1"}, expression = A * 2.)") != std::string::npos);
    CHECK(text.find(R"(raster_reproject --json '{"uri":"in.tif","output":"step-1.tif"}')") != std::string::npos);
    CHECK(text.find(R"(raster_calc --json '{"inputs":{"A":"step-1.tif"}}')") != std::string::npos);
}

TEST_CASE("the methods text says what each of several inputs was, and a repeated decision once") {
    kept k;
    auto same = receipt("aggregation", "immaterial", "");
    same["spread"] = parsed(R"({"what":"a zone's value","low":1,"low_by":"mean","high":1,"high_by":"median",
        "relative":0,"candidates":["mean","median"]})");
    auto step = provenance("aggregate_zonal", "in.tif", "out.csv", "2026-03-02T11:00:00.000Z", {same, same});
    auto& inputs = step["inputs"].as_array();
    inputs[0].as_object()["argument"] = "/inputs/A/uri";
    inputs.push_back(parsed(R"({"path": "/data/z.gpkg", "uri": "z.gpkg", "sha256": "bb", "argument": "/zones",
        "made_by": {"tool": "vector_clip", "accepted": {"tool": "raster_reproject", "conflicts": "totals, because"}}})"));
    auto& beside = inputs[0].as_object()["sidecars"].as_array();
    for (int i = 0; i < 6; ++i) beside.push_back(parsed(R"({"path": "/data/t.tif"})"));
    const auto text = methods_text({{"out.csv", step}}, k.lookup(), *k.asked);
    INFO(text);
    CHECK(text.find("read with `in.tif.aux.xml` `t.tif` `t.tif` `t.tif` `t.tif` and 2 more files") !=
          std::string::npos);
    CHECK(text.find(" from `in.tif` as `A`, `z.gpkg` as `zones` on") != std::string::npos);
    const auto once = text.find("makes no difference on these data");
    REQUIRE(once != std::string::npos);
    CHECK(text.find("makes no difference on these data", once + 1) == std::string::npos);
    CHECK(text.find("make it again first; `raster_reproject` behind it ran in spite of totals, because") !=
          std::string::npos);
}

TEST_CASE("the methods text names the files of a list once, with one role, and every band of an input") {
    kept k;
    auto stack = provenance("raster_calc", "in.tif", "out.tif", "2026-03-02T11:00:00.000Z", {});
    stack["inputs"] = parsed(R"([
        {"path": "/data/a_scene_with_a_name_of_many_letters.tif", "uri": "a.tif", "sha256": "aa11", "argument": "/uris/0"},
        {"path": "/data/b.tif", "uri": "b.tif", "sha256": "bb22", "argument": "/uris/1"},
        {"path": "/data/c.tif", "uri": "c.tif", "sha256": "cc33", "argument": "/uris/2"},
        {"path": "/data/z.gpkg", "uri": "z.gpkg", "sha256": "dd44", "argument": "/zones", "crs": "BOUNDCRS[SOURCECRS[PROJCRS[\"Zone 12\",BASEGEOGCRS[]]]]"}])");
    stack["arguments"] = parsed(R"x({"inputs": {"N": {"uri": "a.tif", "band": 4}, "R": {"uri": "a.tif", "band": 3}},
        "uris": ["a.tif", "b.tif", "c.tif"], "expression": "(N - R) / (N + R)"})x");
    const auto text = methods_text({{"out.tif", stack}}, k.lookup(), *k.asked);
    INFO(text);
    CHECK(text.find(" from `a_scene_with_a_name_of_many_letters.tif`, `b.tif` and `c.tif` as `uris`, `z.gpkg` as "
                    "`zones` on ") != std::string::npos);
    CHECK(text.find(
              R"(Parameters: inputs = {"N":{"uri":"a_scene_with_a_name_of_many_letters.tif","band":4},)"
              R"("R":{"uri":"a_scene_with_a_name_of_many_letters.tif","band":3}}, expression = (N - R) / (N + R).)") !=
          std::string::npos);
    CHECK(text.find("- `z.gpkg` (Zone 12, SHA-256 `dd44`)") != std::string::npos);
    const auto once = text.find("bb22");
    REQUIRE(once != std::string::npos);
    CHECK(text.find("bb22", once + 1) == std::string::npos);
}

TEST_CASE("the methods text tells two files of one name apart") {
    kept k;
    auto first = provenance("raster_calc", "in.tif", "a.tif", "2026-03-02T11:00:00.000Z", {});
    auto second = provenance("raster_calc", "in.tif", "b.tif", "2026-03-02T12:00:00.000Z", {});
    second["inputs"].as_array()[0].as_object()["sha256"] = "0123456789abcdef";
    const auto text = methods_text({{"a.tif", first}, {"b.tif", second}}, k.lookup(), *k.asked);
    INFO(text);
    CHECK(text.find("from `in.tif` (SHA-256 `01234567…`) on") != std::string::npos);
}

TEST_CASE("the methods text names a delineation by its method and threshold") {
    kept k;
    const auto told = [&](const char* tool, const char* key_arguments, const char* method, const char* arguments) {
        auto submission = store_call("hydrology", key_arguments, reason(method));
        submission.as_object()["tool_name"] = tool;
        const auto key =
            std::string{k.gate().store_justification(submission, crs()).value().at("cache_key").as_string()};
        auto step = provenance(tool, "in.tif", "out.gpkg", "2030-03-02T11:00:00.000Z",
                               {receipt("hydrology", "proceed", "justification://hydrology/" + key)});
        step["arguments"] = parsed(arguments);
        return methods_text({{"out.gpkg", step}}, k.lookup(), *k.asked);
    };
    const auto basins = told("hydro_delineate", R"({"operation":"delineate","method":"breach","threshold_km2":2})",
                             "breach", R"({"uri": "in.tif", "method": "breach", "threshold_km2": 2})");
    INFO(basins);
    CHECK(basins.find("Method breach, stream threshold 2 km² (hydrology): choice 1.") != std::string::npos);
    CHECK(basins.find("\n\nbreach was chosen by the ") != std::string::npos);
    const auto streams =
        told("hydro_streams", R"({"operation":"streams","method":"contributing_area","threshold_km2":2})",
             "contributing_area", R"({"uri": "in.tif", "threshold_km2": 2})");
    INFO(streams);
    CHECK(streams.find("\n\nStream threshold 2 km² was chosen by the ") != std::string::npos);
    // What else is in the key stands apart from the confidence; what is not given, not at all.
    CHECK(basins.find(" confidence. Beside it: operation = delineate, threshold_km2 = 2. Purpose: ") !=
          std::string::npos);
    const auto filled = told("hydro_condition", R"({"operation":"condition","method":"fill"})", "fill",
                             R"({"uri": "in.tif", "method": "fill"})");
    CHECK(filled.find(" confidence. Beside it: operation = condition. Purpose: ") != std::string::npos);
}

TEST_CASE("the methods text says that a file was changed between the step that wrote it and the one that read it") {
    kept k;
    const auto first = provenance("raster_reproject", "in.tif", "a.tif", "2026-03-02T11:00:00.000Z", {});
    auto second = provenance("raster_calc", "a.tif", "b.tif", "2026-03-02T12:00:00.000Z", {});
    const std::string words = "changed after step 1 wrote it";
    const auto told = [&] { return methods_text({{"a.tif", first}, {"b.tif", second}}, k.lookup(), *k.asked); };
    CHECK(told().find(words) == std::string::npos);
    second["inputs"].as_array()[0].as_object()["sha256"] = "99edited";
    CHECK(told().find(words) != std::string::npos);
}

TEST_CASE("the methods text says that a file was made by a step whose record is gone, not by a later one of its name") {
    kept k;
    auto first = provenance("raster_calc", "a.tif", "b.tif", "2026-03-02T11:00:00.000Z", {});
    const auto second = provenance("raster_calc", "b.tif", "a.tif", "2026-03-02T12:00:00.000Z", {});
    auto& input = first["inputs"].as_array()[0].as_object();
    input["sha256"] = "99another";
    input["made_by"] = json::object{{"tool", "raster_reproject"}};
    const auto text = methods_text({{"b.tif", first}, {"a.tif", second}}, k.lookup(), *k.asked);
    INFO(text);
    CHECK(text.find("changed after") == std::string::npos);
    CHECK(text.find("made by `raster_reproject` in a step whose record is gone or replaced") != std::string::npos);
}

TEST_CASE("the methods text calls a choice what the refusal calls it") {
    kept k;
    auto submission = store_call("format_selection", R"({"compression":"tif"})", reason("tif"));
    submission.as_object()["scope"] = parsed(R"({"dtype":"Int16","scale":"none"})");
    submission.as_object()["tool_name"] = "raster_convert";
    const auto key = std::string{k.gate().store_justification(submission, crs()).value().at("cache_key").as_string()};
    auto step = provenance("raster_convert", "in.tif", "out.tif", "2030-03-02T11:00:00.000Z",
                           {receipt("format_selection", "proceed", "justification://format_selection/" + key)});
    step["arguments"] = parsed(R"({"uri": "in.tif", "dtype": "Int16", "output": "out.tif"})");
    const auto text = methods_text({{"out.tif", step}}, k.lookup(), *k.asked);
    INFO(text);
    CHECK(text.find("Data type Int16 (format_selection): choice 1.") != std::string::npos);
    CHECK(text.find("### 1. Data type Int16 (format_selection)\n") != std::string::npos);
    const auto found = k.records->find("format_selection", key);
    CHECK(reasons_text({found.records.at(0)}, *k.asked).find("## Data type Int16 (format_selection)\n") !=
          std::string::npos);
}

TEST_CASE("the methods text says which data a reason was given for, where a step reads others") {
    kept k;
    auto submission = store_call("format_selection", R"({"compression":"tif"})", reason("tif"));
    submission.as_object()["scope"] =
        parsed(R"({"dtype":"Int16","scale":"none","input":{"path":"maps/ndvi.tif","state":"1"}})");
    const auto key = std::string{k.gate().store_justification(submission, crs()).value().at("cache_key").as_string()};
    const auto told = [&](const std::string& input) {
        return methods_text(
            {{"out.tif",
              provenance("raster_convert", input, "out.tif", "2030-03-02T11:00:00.000Z",
                         {receipt("format_selection", "proceed", "justification://format_selection/" + key)})}},
            k.lookup(), *k.asked);
    };
    const std::string other = "It was given for `ndvi.tif`, not for the data of this step.";
    CHECK(told("heat.tif").find(other) != std::string::npos);
    CHECK(told("ndvi.tif").find("It was given for") == std::string::npos);
}

TEST_CASE("a reason given for a temporary result is one for the data of the step that reads it") {
    kept k;
    auto submission = store_call("format_selection", R"({"compression":"tif"})", reason("tif"));
    submission.as_object()["scope"] = parsed(R"({"input":{"path":"query://result/8c6b","state":"1"}})");
    const auto key = std::string{k.gate().store_justification(submission, crs()).value().at("cache_key").as_string()};
    auto step = provenance("raster_convert", "managed.tif", "out.tif", "2030-03-02T11:00:00.000Z",
                           {receipt("format_selection", "proceed", "justification://format_selection/" + key)});
    step["inputs"].as_array()[0].as_object()["uri"] = "query://result/8c6b";
    const auto text = methods_text({{"out.tif", step}}, k.lookup(), *k.asked);
    INFO(text);
    CHECK(text.find("It was given for") == std::string::npos);
}

TEST_CASE("the methods text has what an answer stated of the data and of the result") {
    kept k;
    auto given = receipt("crs_datum", "proceed", k.crs_record().ref());
    given["stated"] = json::object{{"use", "display"}};
    const auto text = methods_text(
        {{"a.tif", provenance("raster_reproject", "in.tif", "a.tif", "2030-01-01T00:00:00.000Z", {given})}}, k.lookup(),
        *k.asked);
    INFO(text);
    CHECK(text.find("choice 1; stated: use = display") != std::string::npos);
}

TEST_CASE("the methods text has the conflicts that were accepted, and why") {
    kept k;
    accept_conflict(k);
    CHECK(reasons_text(k.records->list("crs_datum").records, *k.asked)
              .find("Conflicts accepted: outside_area_of_use, because only the edge lies outside. ") !=
          std::string::npos);
    confirm_with(k, R"({"name":"partly","why_accepted":"a small island"})");
    CHECK(reasons_text(k.records->list("crs_datum").records, *k.asked)
              .find("it is a map of the north. Conflicts accepted: partly, because a small island.") !=
          std::string::npos);
}

TEST_CASE("the methods text notes when a reason is gone or was written later") {
    kept k;
    const auto ref = k.crs_record().ref();
    const auto told = [&](const std::string& finished) {
        return methods_text({{"a.tif", provenance("raster_reproject", "in.tif", "a.tif", finished,
                                                  {receipt("crs_datum", "proceed", ref)})}},
                            k.lookup(), *k.asked);
    };
    CHECK(told("2025-01-01T00:00:00.000Z").find("This reason was written after the step") != std::string::npos);
    CHECK(told("2027-01-01T00:00:00.000Z").find("This reason was written after the step") == std::string::npos);
    REQUIRE(k.records->revoke("crs_datum", k.crs_key));
    CHECK(told("2027-01-01T00:00:00.000Z").find("This reason is no longer stored.") != std::string::npos);
}

TEST_CASE("the methods text quotes a reason that was withdrawn after the step") {
    kept k;
    const auto ref = k.crs_record().ref();
    REQUIRE(k.records->revoke("crs_datum", k.crs_key));
    const auto text = methods_text(
        {{"a.tif", provenance("raster_reproject", "in.tif", "a.tif", "2027-01-01T00:00:00.000Z",
                              {receipt("crs_datum", "proceed", ref)})}},
        [&](auto, auto) { return k.records->replaced("crs_datum", k.crs_key).records.at(0); }, *k.asked);
    INFO(text);
    CHECK(text.find("This reason was withdrawn on 20") != std::string::npos);
    CHECK(text.find("no longer stored") == std::string::npos);
}

TEST_CASE("the methods text states who confirmed a reason, and what had changed") {
    kept k;
    REQUIRE(k.records->put(confirmed(k.crs_record(), {"the report now covers Norway too", "user", {}},
                                     {"the data lie 3000 km further north"}, {{"use", "measure"}},
                                     "2026-04-04T00:00:00.000Z")));
    const auto text =
        methods_text({{"a.tif", provenance("raster_reproject", "in.tif", "a.tif", "2027-01-01T00:00:00.000Z",
                                           {receipt("crs_datum", "proceed", k.crs_record().ref())})}},
                     k.lookup(), *k.asked);
    CHECK(
        text.find("Confirmed by the user on 2026-04-04, after being shown that the data lie 3000 km further north: the "
                  "report now covers Norway too.") != std::string::npos);
    CHECK(text.find("It builds on") == std::string::npos);
}

TEST_CASE("the methods text quotes only what was confirmed when its last step ran") {
    kept k;
    for (const char* when : {"2026-04-04", "2026-06-06"})
        REQUIRE(k.records->put(confirmed(k.crs_record(), {"it holds on " + std::string{when}, "user", {}},
                                         {"the data lie further north"}, {{"use", "measure"}},
                                         std::string{when} + "T00:00:00.000Z")));
    const auto step = [&](const std::string& output, const std::string& finished) {
        return run{output, provenance("raster_reproject", "in.tif", output, finished,
                                      {receipt("crs_datum", "proceed", k.crs_record().ref())})};
    };
    const auto first = step("a.tif", "2026-05-05T00:00:00.000Z"), last = step("b.tif", "2026-07-07T00:00:00.000Z");
    const auto early = methods_text({first}, k.lookup(), *k.asked);
    CHECK(early.find("it holds on 2026-04-04.") != std::string::npos);
    CHECK(early.find("it holds on 2026-06-06") == std::string::npos);
    CHECK(methods_text({first, last}, k.lookup(), *k.asked).find("it holds on 2026-06-06.") != std::string::npos);
}

TEST_CASE("a step has the conflicts that its receipt names, with the reason last accepted when it ran") {
    kept k;
    accept_conflict(k);
    confirm_with(k, R"({"name":"outside_area_of_use","why_accepted":"islands"})");
    const auto told = [&](json::array conflicts, const std::string& finished) {
        auto decision = receipt("crs_datum", "proceed", k.crs_record().ref());
        if (!conflicts.empty()) decision["conflicts"] = std::move(conflicts);
        return methods_text({{"a.tif", provenance("raster_reproject", "in.tif", "a.tif", finished, {decision})}},
                            k.lookup(), *k.asked);
    };
    const std::string before = "2026-03-03T00:00:00.000Z", after = "2026-05-05T00:00:00.000Z";
    CHECK(told({"outside_area_of_use"}, before)
              .find("(crs_datum): choice 1; conflicts accepted: outside_area_of_use, because only the edge lies "
                    "outside.\n") != std::string::npos);
    CHECK(told({"outside_area_of_use"}, after).find("conflicts accepted: outside_area_of_use, because islands.\n") !=
          std::string::npos);
    CHECK(told({}, after).find("outside_area_of_use") == std::string::npos);
}

TEST_CASE("a text of many lines stays one line of the methods text") {
    kept k;
    auto submission = store_call("crs_datum", R"({"dst_crs":"EPSG:6933"})", full_reason);
    submission.at_pointer("/justification/intent") = "one\n\n# Two\n- three";
    REQUIRE(k.gate().store_justification(submission, crs()));
    const auto text = reasons_text(k.records->list("crs_datum").records, *k.asked);
    CHECK(text.find("Purpose: one # Two - three. ") != std::string::npos);
    CHECK(reasons_text({}, *k.asked) == "# Reasons\n\nNone are stored.\n");
}
