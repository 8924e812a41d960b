// Where a question is asked, and where not.
#include "example.hpp"
#include "reflection/call_circumstances.hpp"
#include "reflection/check.hpp"
#include "reflection/placeholders.hpp"

using namespace example;

TEST_CASE("a target CRS equal to the source asks nothing") {
    setting s;
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:32616"})")) == "crs_datum=not_needed");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:32616","src_crs":"EPSG:32616"})")) ==
          "crs_datum=not_needed");
    // Declaring another source than the file has is a choice again.
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:32616","src_crs":"EPSG:4326"})")) ==
          "crs_datum=block");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857","src_crs":"EPSG:3857"})")) ==
          "crs_datum=block");
    s.facts = parsed(R"({"input":{"kind_of_dataset":"vector","crs":{"normal":""},"layers":[{"name":"a"}]}})");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857","src_crs":"EPSG:3857"})")) ==
          "crs_datum=not_needed");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})")) == "crs_datum=block");
}

TEST_CASE("GeoJSON fixes the target CRS, unless another source CRS is declared") {
    setting s;
    s.facts = parsed(
        R"({"input":{"kind_of_dataset":"vector","crs":{"normal":"EPSG:32616"},"layers":[{"name":"a"}]},"inputs":[]})");
    const auto decided = [&](const char* arguments) { return s.decisions(s.calling("vector_reproject", arguments)); };
    CHECK(decided(R"({"dst_crs":"EPSG:4326","output":"b.geojson"})") == "crs_datum=not_needed");
    CHECK(decided(R"({"dst_crs":"OGC:CRS84","output":"b.GeoJSON"})") == "crs_datum=not_needed");
    CHECK(decided(R"({"dst_crs":"EPSG:4326","output":"b.gpkg"})") == "crs_datum=block");
    CHECK(decided(R"({"dst_crs":"EPSG:3857","output":"b.geojson"})") == "crs_datum=block");
    CHECK(decided(R"({"dst_crs":"EPSG:4326","output":"b.geojson","src_crs":"EPSG:3857"})") == "crs_datum=block");
}

TEST_CASE("a message never shows a question mark for what is not known, but the next best or words") {
    const auto facts = parsed(R"({"input":{"path":"a.tif","none":"","share":0.5},"own":"EPSG:4326"})");
    circumstances here;
    here.facts = &facts;
    CHECK(filled("in {/input/path|text:the data}", here) == "in a.tif");
    CHECK(filled("in {/input/none|/own|text:the data}", here) == "in EPSG:4326");
    CHECK(filled("in {/input/none|/input/other|text:the data}", here) == "in the data");
    CHECK(filled("{percent:/input/share|text:some} of it", here) == "50 % of it");
    CHECK(filled("{percent:/input/none|text:some} of it", here) == "some of it");
    CHECK(filled("{/input/other}", here) == "(not known)");
    CHECK(line(json::value_from(placeholders_of("{/a|key:b|text:c d} {percent:/e}").value())) ==
          R"(["/a","key:b","/e"])");
    CHECK(!placeholders_of("{/a|b}"));
}

TEST_CASE("a message names a CRS without a code as the call does") {
    const auto& [spelling, form] = *golden().at("crs").as_object().begin();
    const auto spelled = std::string{spelling}, normal = std::string{base::string_member(form, "normal")};
    REQUIRE(normal.starts_with("projjson-sha256:"));
    const json::value given = {{"dst_crs", spelled}, {"src_crs", "EPSG:4326"}}, other = {{"dst_crs", "EPSG:4326"}};
    const json::object key{{"dst_crs", normal}};
    circumstances here;
    here.key = &key;
    here.normalise = [](std::string_view, const json::value& v) -> base::result<json::value> {
        return crs()(v.get_string()).map([](const auto& identity) { return json::value(identity.normal); });
    };
    here.arguments = &given;
    CHECK(filled("{key:dst_crs} is in degrees", here) == spelled + " is in degrees");
    here.arguments = &other;
    CHECK(filled("{key:dst_crs}", here) == normal);
}

TEST_CASE("a src_crs that replaces the declared CRS is a conflict, and never passes unasked") {
    setting s;
    const auto conflict = [&](const char* tool, const std::string& arguments) {
        const auto v = s.gate().decide(s.calling(tool, "{" + arguments + "}")).value();
        const auto& r = v.rulings.front();
        return std::string{to_string(r.outcome)} + (r.findings.empty() ? "" : ": " + r.findings.front().text);
    };
    const auto measured = [&](const char* evidence) {
        s.facts = parsed(
            R"({"input":{"path":"a.tif","kind_of_dataset":"raster","crs":{"normal":"EPSG:32616","name":"UTM 16"}},
            "inputs":[],"evidence":{"crs_distortion":)" +
            std::string{evidence} + "}}");
    };
    const std::string aligned = R"("dst_crs":"EPSG:3857","resampling":"near","align_to":"b.tif")";
    measured(
        R"({"overrides_own_crs":true,"override":{"own":"EPSG:32616","given":"EPSG:4326","effect":"the same coordinates shift by 113 m"}})");
    CHECK(conflict("raster_reproject", aligned + R"(,"src_crs":"EPSG:4326")") ==
          "block: src_crs EPSG:4326 replaces UTM 16, which a.tif declares (the same coordinates shift by 113 m)");
    measured(R"({"overrides_own_crs":false})");
    CHECK(conflict("raster_reproject", aligned + R"(,"src_crs":"EPSG:32616")") == "not_needed");
    CHECK(conflict("vector_reproject", R"("dst_crs":"EPSG:3857","src_crs":"EPSG:32616")") == "block");
    // Not measured: asked in any case, and a conflict where the facts alone show it.
    s.facts.value().as_object().erase("evidence");
    CHECK(conflict("raster_reproject", aligned + R"(,"src_crs":"EPSG:4326")") == "block");
    CHECK(conflict("vector_reproject", R"("dst_crs":"EPSG:3857","src_crs":"EPSG:3857")") ==
          "block: src_crs EPSG:3857 replaces UTM 16, which a.tif declares (how far the same coordinates shift is not "
          "known)");
    CHECK(
        conflict("vector_reproject", R"("dst_crs":"EPSG:32616","src_crs":"EPSG:4326")").starts_with("block: src_crs"));
    s.facts = parsed(R"({"input":{"path":"a.tif","kind_of_dataset":"raster","crs":{"normal":""}},"inputs":[]})");
    CHECK(conflict("raster_reproject", aligned + R"(,"src_crs":"EPSG:4326")") == "not_needed");
}

TEST_CASE("of several layers only the first one's CRS is known, so the question is asked") {
    setting s;
    const auto c = s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})");
    s.facts = parsed(R"({"input":{"kind_of_dataset":"vector","crs":{"normal":"EPSG:3857"},"layers":[{"name":"a"}]}})");
    CHECK(s.decisions(c) == "crs_datum=not_needed");
    s.facts = parsed(
        R"({"input":{"kind_of_dataset":"vector","crs":{"normal":"EPSG:3857"},"layers":[{"name":"a"},{"name":"b"}]}})");
    CHECK(s.decisions(c) == "crs_datum=block");
    s.facts = parsed(R"({"input":{"kind_of_dataset":"vector","crs":{"normal":"EPSG:3857"}}})");
    CHECK(s.decisions(c) == "crs_datum=block");
}

TEST_CASE("an unreadable input unlocks nothing") {
    setting s;
    s.facts = base::fail(base::code::io, "cannot open a.tif");
    const auto v = s.gate().decide(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857"})"));
    CHECK_FALSE(v->runs());
    CHECK(v->rulings.front().notes.front().find("cannot open a.tif") != std::string::npos);
    s.facts = parsed("{}");
    CHECK(s.decisions(s.calling("vector_reproject", R"({"dst_crs":"EPSG:3857","src_crs":"EPSG:3857"})")) ==
          "crs_datum=block");
}

TEST_CASE("an unknown CRS is the call's error, not a question") {
    setting s;
    const auto v = s.gate().decide(s.calling("vector_reproject", R"({"dst_crs":"EPSG:99999"})"));
    REQUIRE_FALSE(v);
    CHECK(v.error().at == "/dst_crs");
}

TEST_CASE("each domain asks where something is chosen and nowhere else") {
    setting s;
    const auto decided = [&](const char* tool, const char* arguments) {
        return s.decisions(s.calling(tool, arguments));
    };
    CHECK(decided("raster_reproject", R"({"dst_crs":"EPSG:3857","resampling":"near","align_to":"b.tif"})") ==
          "crs_datum=not_needed resampling=block");
    // spatial_query: looking is free
    CHECK(decided("raster_query", R"({"geometry":[0,0,1,1]})") == "resampling=not_needed spatial_query=not_needed");
    CHECK(decided("raster_query", R"({"geometry":[0,0,1,1],"purpose":"heat"})") ==
          "resampling=not_needed spatial_query=block");
    CHECK(decided("raster_query", R"({"geometry":[0,0,1,1],"output":"b.tif"})") ==
          "resampling=not_needed spatial_query=block");
    CHECK(decided("vector_query", R"({"where":"a=1","output":"b.gpkg"})") ==
          "crs_datum=not_needed spatial_query=not_needed");
    CHECK(decided("vector_query", R"({"geometry":[0,0,1,1],"output":"b.gpkg"})") ==
          "crs_datum=not_needed spatial_query=block");
    // resampling
    CHECK(decided("raster_query", R"({"geometry":[0,0,1,1],"resolution":30})") ==
          "problem: the call does not give method, for which resampling requires a reason");
    CHECK(decided("raster_query", R"({"geometry":[0,0,1,1],"resolution":30,"resampling":"mode"})") ==
          "resampling=block spatial_query=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.tif"})") == "format_selection=not_needed resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.tif","overview_resampling":"nearest"})") ==
          "format_selection=not_needed resampling=block");
    // hydrology: once, where the choice is made
    CHECK(decided("hydro_condition", R"({"method":"fill"})") == "hydrology=block");
    CHECK(decided("hydro_flow_direction", R"({"method":"d8"})") == "hydrology=block");
    CHECK(decided("hydro_flow_accumulation", R"({"uri":"dir.tif"})") == "hydrology=not_needed");
    CHECK(decided("hydro_flow_accumulation", R"({"uri":"dem.tif","method":"d8"})") == "hydrology=block");
    store_reason(s, "hydrology", R"({"operation":"flow_direction","method":"d8"})", "d8");
    CHECK(decided("hydro_flow_accumulation", R"({"uri":"dem.tif","method":"d8"})") == "hydrology=proceed");
    CHECK(decided("hydro_flow_direction", R"({"method":"D8"})") == "hydrology=proceed");
    CHECK(decided("hydro_condition", R"({"method":"fill"})") == "hydrology=block");
    // aggregation
    CHECK(decided("aggregate_zonal", R"({"stats":["count","min","max"]})") == "aggregation=not_needed");
    CHECK(decided("aggregate_zonal", R"({"stats":["count","mean"]})") == "aggregation=block");
    store_reason(s, "aggregation", R"({"statistic":"mean"})", "mean");
    CHECK(decided("aggregate_zonal", R"({"stats":["mean","max"]})") == "aggregation=proceed");
    CHECK(decided("aggregate_zonal", R"({"stats":["mean","sum"]})") == "aggregation=proceed aggregation=block");
    // format_selection
    CHECK(decided("raster_convert", R"({"output":"b.tif","compression":"LERC_ZSTD","max_error":0})") ==
          "format_selection=not_needed resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.jpg"})") == "format_selection=block resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.TIF","compression":"DEFLATE","driver":"cog"})") ==
          "format_selection=not_needed resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.tif","compression":"lerc","max_error":0.1})") ==
          "format_selection=block resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.tif","driver":"JP2OpenJPEG"})") ==
          "format_selection=block resampling=not_needed");
    CHECK(decided("raster_convert", R"({"output":"b.tif","creation_options":["COMPRESS=JPEG"]})") ==
          "format_selection=block resampling=not_needed");
}

TEST_CASE("options that change no value ask nothing, those that do ask as the argument would") {
    setting s;
    const auto decided = [&](const char* options) {
        return s.decisions(
            s.calling("raster_convert", std::string{R"({"output":"b.tif","creation_options":)"} + options + "}"));
    };
    const std::string free = "format_selection=not_needed resampling=not_needed";
    const std::string asks = "format_selection=block resampling=not_needed";
    CHECK(decided(R"(["NUM_THREADS=2","compress=lzw"])") == free);
    CHECK(decided(R"(["COMPRESS=LERC","MAX_Z_ERROR=0"])") == free);
    CHECK(decided(R"(["COMPRESS=LERC","MAX_Z_ERROR=0.5"])") == asks);
    CHECK(decided(R"(["COMPRESS=WEBP"])") == asks);
    CHECK(decided(R"([" compress = JPEG"])") == asks);
    store_reason(s, "format_selection", R"({"compression":"jpeg","quality":60})", "jpeg");
    CHECK(s.decisions(s.calling("raster_convert", R"({"output":"b.tif","compression":"JPEG","quality":60})")) ==
          "format_selection=proceed resampling=not_needed");
    CHECK(decided(R"(["compress = jpeg","QUALITY=60"])") == "format_selection=proceed resampling=not_needed");
    CHECK(decided(R"(["compress = jpeg","QUALITY=50"])") == asks);
}

TEST_CASE("a conversion that was measured to lose nothing asks nothing, whatever its spelling") {
    setting s;
    const auto ruled = [&](const char* arguments, const char* evidence) {
        s.facts = parsed(
            R"({"input":{"path":"a.tif","kind_of_dataset":"raster","bands":[{"dtype":"Float32"},{"dtype":"Byte"}]},
            "inputs":[],"evidence":{"conversion_loss":)" +
            std::string{evidence} + "}}");
        const auto v = s.gate().decide(s.calling("raster_convert", arguments)).value();
        std::string out{to_string(v.rulings.front().outcome)};
        for (const auto& f : v.rulings.front().findings) out += ": " + f.text;
        return out;
    };
    const auto loss = [](int changed, bool sample, int dropped, bool codec) {
        return R"({"changed_cells":)" + std::to_string(changed) + R"(,"approximate":)" + (sample ? "true" : "false") +
               R"(,"facts_dropped":)" + std::to_string(dropped) + R"(,"codec_lossless":)" + (codec ? "true" : "false") +
               R"(,"format":"PNG","dropped":"the palette of band 1","summary":"Byte changes 3 of 9 cells"})";
    };
    const auto png = R"({"output":"b.png"})",
               webp = R"({"output":"b.tif","creation_options":["COMPRESS=WEBP","WEBP_LOSSLESS=YES"]})";
    CHECK(ruled(png, loss(0, false, 0, true).c_str()) == "not_needed");
    CHECK(ruled(webp, loss(0, false, 0, true).c_str()) == "not_needed");
    CHECK(ruled(webp, loss(0, false, 0, false).c_str()) == "block");
    CHECK(ruled(png, R"({"changed_cells":0,"approximate":false,"codec_lossless":true,"refusal":"5 bands"})") ==
          "block");
    CHECK(ruled(png, loss(0, false, 1, true).c_str()) == "block: PNG cannot keep the palette of band 1 of a.tif");
    const auto byte = R"({"output":"b.tif","dtype":"Byte"})";
    CHECK(ruled(byte, loss(0, false, 0, true).c_str()) == "not_needed");
    CHECK(ruled(byte, loss(0, true, 0, true).c_str()).starts_with("block"));
    CHECK(ruled(byte, loss(3, false, 0, true).c_str()) ==
          "block: Byte does not hold every Float32 value of a.tif: Byte changes 3 of 9 cells");
    // The first band is Float32, and another may be written.
    const auto wider = R"({"output":"b.tif","dtype":"Float32","bands":[2]})";
    CHECK(ruled(wider, loss(3, false, 0, true).c_str()).starts_with("block"));
    CHECK(ruled(wider, loss(0, false, 0, true).c_str()) == "not_needed");
}

TEST_CASE("only a data type that holds every value is lossless") {
    setting s;  // its facts: UInt16
    const auto ruled = [&](const char* more) {
        const auto v =
            s.gate().decide(s.calling("raster_convert", std::string{R"({"output":"b.tif",)"} + more + "}")).value();
        const auto& r = v.rulings.front();
        return std::string{to_string(r.outcome)} + (r.notes.empty() ? "" : ": " + r.notes.front().substr(0, 8)) +
               (r.findings.empty() ? "" : ": " + r.findings.front().check);
    };
    CHECK(ruled(R"("dtype":"UInt16")") == "not_needed: lossless");
    CHECK(ruled(R"("dtype":"Float32")") == "not_needed: lossless");
    CHECK(ruled(R"("dtype":"Int16")") == "block: narrower_type");
    CHECK(ruled(R"("dtype":"Byte")") == "block: narrower_type");
    CHECK(ruled(R"("scale":[0,10000,0,255])") == "block: rescaled_values");
    CHECK(ruled(R"("unscale":true,"dtype":"UInt16")").substr(0, 5) == "block");
    s.facts = parsed(R"({"input":{"kind_of_dataset":"raster","bands":[{"dtype":"Int8"}]},"inputs":[]})");
    CHECK(ruled(R"("dtype":"Int16")") == "not_needed: lossless");
    CHECK(ruled(R"("dtype":"Byte")") == "block: narrower_type");
}

TEST_CASE("unscale runs with a receipt of what it does to the cells, and is asked about where that is not known") {
    setting s;
    const auto ruled = [&](const char* evidence) {
        s.facts =
            parsed(R"({"input":{"kind_of_dataset":"raster","bands":[{"dtype":"UInt16"}]},"inputs":[],"evidence":)" +
                   std::string{evidence} + "}");
        const auto v = s.gate().decide(s.calling("raster_convert", R"({"output":"b.tif","unscale":true})")).value();
        const auto& r = v.rulings.front();
        return std::string{to_string(r.outcome)} + ": " + (r.blocks() ? r.title : r.notes.front());
    };
    CHECK(ruled(R"({"conversion_loss":{"unscaled_cells":7,"summary":"unscale replaces 7 of 9 stored numbers"}})") ==
          "not_needed: unscale writes real values, and their scale and offset end: unscale replaces 7 of 9 stored "
          "numbers");
    CHECK(ruled("{}") == "block: real values for stored ones (unscale)");
}

TEST_CASE("nodata declares what stood for missing cells only if every band that is read has that very value") {
    setting s;
    const auto ruled = [&](const std::string& nodata, const std::string& bands, const std::string& read = "") {
        s.facts = parsed(R"({"input":{"path":"a.tif","kind_of_dataset":"raster","bands":[)" + bands +
                         R"(]},"inputs":[],"evidence":{"conversion_loss":{"changed_cells":3,"hidden_cells":3,
                         "approximate":false,"facts_dropped":0,"codec_lossless":true}}})");
        const auto v = s.gate()
                           .decide(s.calling("raster_convert", R"({"output":"b.tif","nodata":)" + nodata + read + "}"))
                           .value();
        const auto& r = v.rulings.front();
        return std::string{to_string(r.outcome)} + (r.findings.empty() ? "" : ": " + r.findings.front().check);
    };
    const auto band = [](const std::string& value) {
        return R"({"dtype":"Float32","nodata_suspected":{"value":)" + value + R"(,"share":0.2}})";
    };
    const std::string other = R"({"dtype":"Float32"})";
    CHECK(ruled("-9999", band("-9999")) == "not_needed");
    CHECK(ruled("-32768", band("-9999")) == "block: hides_data");
    CHECK(ruled("-3.4028235e38", band("-3.4028234663852886e38")) == "not_needed");  // the same Float32
    CHECK(ruled("-9999", band("-9999") + "," + band("-9999")) == "not_needed");
    CHECK(ruled("-9999", band("-9999") + "," + other) == "block: hides_data");
    CHECK(ruled("-9999", band("-9999") + "," + other, R"(,"bands":[1])") == "not_needed");
    // Asked about, since it may be data, but not said to hide any.
    const std::string zero = R"({"dtype":"Byte","nodata_suspected":{"value":0,"share":0.2}})";
    CHECK(ruled("0", zero) == "block");
    CHECK(ruled("0", other) == "block: hides_data");
}

TEST_CASE("what is known of bands is that of the bands a call reads") {
    setting s;
    s.facts = parsed(R"({"input":{"path":"a.tif","kind_of_dataset":"raster","kind":"continuous","bands":[
        {"dtype":"Float32","kind":"continuous","unit":"t"},
        {"dtype":"Float32","kind":"continuous","unit":"K","nodata_suspected":{"value":-9999,"share":0.2}},
        {"dtype":"Float32","kind":"continuous","unit":"t","nodata_suspected":{"value":255,"share":0.1}}]},"inputs":[]})");
    const auto ruled = [&](const std::string& arguments) {
        const auto v =
            s.gate()
                .decide(s.calling("aggregate_zonal", R"({"raster":"a.tif","stats":["sum"],"bands":)" + arguments + "}"))
                .value();
        std::string found;
        for (const auto& f : v.rulings.front().findings) found += f.check + ": " + f.text + "; ";
        return found;
    };
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    CHECK_FALSE(has(ruled("[1]"), "undeclared_nodata"));
    CHECK_FALSE(has(ruled("[1]"), "sum_of_levels"));
    CHECK(has(ruled("[2]"), "undeclared_nodata: the value -9999 fills 20 %"));
    CHECK(has(ruled("[2]"), "sum_of_levels: a.tif holds values per place (kind continuous, unit K)"));
    CHECK(has(ruled("[1,3]"), "undeclared_nodata: the value 255 fills 10 %"));
    CHECK(has(ruled("[1,2,3]"), "undeclared_nodata: the value -9999"));
}

TEST_CASE("rasters of several times are judged by the worst of them, wherever it stands") {
    setting s;
    const auto ruled = [&](std::vector<std::string> rasters, const std::string& statistic = "mean") {
        std::string uris, inputs;
        for (std::size_t i = 0; i < rasters.size(); ++i) {
            const auto name = std::string(1, static_cast<char>('a' + i)) + ".tif";
            uris += (i ? ",\"" : "\"") + name + "\"";
            inputs += (i ? "," : "") + (R"({"path":")" + name) + R"(","pointer":"/uris/)" + std::to_string(i) +
                      R"(","kind_of_dataset":"raster",)" + rasters[i] + "}";
        }
        // A mask of codes is no raster that is composed.
        inputs += R"(,{"path":"q.tif","pointer":"/mask/uris/0","kind":"qa_bits","bands":[{"kind":"qa_bits"}]})";
        s.facts = parsed(R"({"input":{"path":"a.tif","kind_of_dataset":"raster",)" + rasters.front() +
                         R"(},"inputs":[)" + inputs + "]}");
        const auto v = s.gate()
                           .decide(s.calling("aggregate_temporal",
                                             R"({"uris":[)" + uris + R"(],"statistic":")" + statistic + "\"}"))
                           .value();
        std::string found;
        for (const auto& f : v.rulings.front().findings) found += f.check + ": " + f.text + "; ";
        return found;
    };
    const std::string level = R"("kind":"continuous","bands":[{"kind":"continuous"}])",
                      angle = R"("kind":"angle","kind_why":"its unit is 'deg'","bands":[{"kind":"angle"}])";
    const auto marked = [](const std::string& share) {
        return R"("kind":"continuous","bands":[{"kind":"continuous"},{"kind":"continuous","nodata_suspected":{"value":-9999,"share":)" +
               share + "}}]";
    };
    const auto begins = [](const std::string& text, const std::string& part) { return text.rfind(part, 0) == 0; };
    CHECK(ruled({level, level}).empty());
    for (const auto& both : {std::vector{level, angle}, {angle, level}})
        CHECK(ruled(both).find(std::string{"composite_of_angles: "} + (both[0] == angle ? "a" : "b") +
                               ".tif holds angles (its unit is 'deg')") == 0);
    CHECK(begins(ruled({level, level, marked("0.02")}),
                 "undeclared_nodata_over_time: the value -9999 fills 2 % of the sampled cells of c.tif"));
    CHECK(begins(ruled({marked("0.02"), level, marked("0.03")}, "median"),
                 "undeclared_nodata_over_time: the value -9999 fills 3 % of the sampled cells of c.tif"));
    const auto both = ruled({marked("0.02"), angle});
    CHECK(begins(both, "composite_of_angles: b.tif"));
    CHECK(both.find("fills 2 % of the sampled cells of a.tif") != std::string::npos);
}
