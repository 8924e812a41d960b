#include "app/datasets/dataset_search.hpp"

#include "catch.hpp"

using namespace gdalmcp;
using app::dataset_contents, app::dataset_query;
using names = std::vector<std::string>;

namespace {

struct datasets {
    app::indexed_datasets all;

    datasets& add(const std::string& path, dataset_contents c) {
        app::known_dataset k{"", std::move(c), {}, {}};
        k.times = k.contents.times;
        const auto words = [&](const std::string& text) {
            for (const auto& w : base::folded_words(text)) k.words += " " + w;
            k.words += "\n";
        };
        words(path);
        for (const auto& g : k.contents.texts)
            for (const auto& t : g.texts) words(t);
        app::found_file f;
        f.workspace = "/w", f.path = "/w/" + path, f.shown = path;
        all.all.push_back({f, std::make_shared<const app::known_dataset>(std::move(k))});
        return *this;
    }
};

dataset_contents holding(std::vector<dataset_contents::group> texts, names kinds = {"vector"}) {
    dataset_contents c;
    c.driver = "GPKG";
    c.kinds = std::move(kinds);
    c.texts = std::move(texts);
    return c;
}

datasets some() {
    datasets d;
    auto water = holding(
        {{"layer", "", {"rivers"}}, {"field", "rivers", {"name", "len"}}, {"value", "rivers.name", {"Rhône", "Aare"}}});
    water.extents = {{"rivers", {5, 45, 10, 48}}};
    water.times = {{{20100101, 20101231}, "field rivers.year"}};
    auto cover =
        holding({{"band", "band 1", {"land cover"}}, {"category", "band 1", {"Water bodies", "Forest"}}}, {"raster"});
    cover.extents = {{"", {-10, 35, 30, 60}}};
    auto table = holding({{"layer", "", {"gauges"}}, {"field", "gauges", {"river_name"}}}, {"table"});
    auto lost = holding({{"layer", "", {"river_sketch"}}});
    lost.unplaced = true;
    d.add("water.gpkg", water).add("lc_2019.tif", cover).add("gauges.csv", table).add("sketch.geojson", lost);
    return d;
}

names paths(const app::dataset_matches& m) {
    names all;
    for (const auto& one : m.all) all.push_back(one.dataset->file.shown.string());
    return all;
}

app::dataset_matches found(const datasets& d, names terms) { return search(d.all, {std::move(terms), {}, {}, ""}); }

}  // namespace

TEST_CASE("the reason names the layer, field, band, category or value") {
    const auto d = some();
    CHECK(found(d, {"rhone"}).all.at(0).why == "value 'Rhône' of 'rivers.name'");
    CHECK(found(d, {"forest"}).all.at(0).why == "category 'Forest' of 'band 1'");
    CHECK(found(d, {"landcover"}).vain == names{"landcover"});
    CHECK(found(d, {"land cover"}).all.at(0).why == "band 'land cover' of 'band 1'");
    CHECK(found(d, {"lc"}).all.at(0).why == "path 'lc_2019.tif'");
    CHECK(paths(found(d, {"river"})) == names{"sketch.geojson", "gauges.csv", "water.gpkg"});
}

TEST_CASE("more terms rank before better ones, and terms in vain are named") {
    const auto d = some();  // outlives the matches
    const auto m = found(d, {"gauges", "rivers", "aare", "lithium"});
    CHECK(paths(m).front() == "water.gpkg");
    CHECK(m.all.front().terms == 2);
    CHECK(m.vain == names{"lithium"});
}

TEST_CASE("near words count only for a term that is nowhere as it is, and are said to be near") {
    const auto d = some();
    const auto m = found(d, {"rivrs"});
    CHECK(paths(m) == names{"water.gpkg"});
    CHECK(m.all.front().why == "layer 'rivers' (near)");
    CHECK(m.vain.empty());
    for (const auto& one : found(d, {"rivers"}).all) CHECK(one.why.find("near") == std::string::npos);
}

TEST_CASE("the words of a term may lie in different texts of a dataset") {
    const auto d = some();
    const auto m = found(d, {"forest 2019"});
    CHECK(paths(m) == names{"lc_2019.tif"});
    CHECK(m.all.front().why == "category 'Forest' of 'band 1' + path 'lc_2019.tif'");
}

TEST_CASE("place, time and kind are required, and what states none is counted") {
    const auto d = some();
    dataset_query q{{"river"}, app::area::of(boost::json::parse("[7, 46, 8, 47]")).value(), {}, ""};
    auto m = search(d.all, q);
    CHECK(paths(m) == names{"water.gpkg"});
    CHECK(m.all.front().why == "layer 'rivers'; extent [5, 45, 10, 48]");
    CHECK(m.unplaced == 1);
    m = search(d.all, {{}, app::area::of(boost::json::parse("[0, 40, 1, 41]")).value(), {}, ""});
    CHECK(paths(m) == names{"lc_2019.tif"});
    m = search(d.all, {{"river"}, {}, app::day_span_of("2010-07/2012").value(), ""});
    CHECK(paths(m) == names{"water.gpkg"});
    CHECK(m.all.front().why == "layer 'rivers'; date 2010-01-01/2010-12-31 (field rivers.year)");
    CHECK(m.undated == 2);
    CHECK(search(d.all, {{"river"}, {}, app::day_span_of("2011").value(), ""}).all.empty());
    CHECK(paths(search(d.all, {{}, {}, {}, "table"})) == names{"gauges.csv"});
    CHECK(search(d.all, {{}, {}, {}, ""}).all.size() == 4);
}

TEST_CASE("the smaller extent comes first where nothing else tells") {
    const auto d = some();
    const auto m = search(d.all, {{}, app::area::of(boost::json::parse("[7, 46, 8, 47]")).value(), {}, ""});
    CHECK(paths(m) == names{"water.gpkg", "lc_2019.tif"});
}

TEST_CASE("hidden characters of a text are shown") {
    datasets d;
    d.add("a.gpkg", holding({{"layer", "", {"roads\u202etxt"}}}));
    CHECK(found(d, {"roads"}).all.at(0).why.find("\u202e") == std::string::npos);
}
