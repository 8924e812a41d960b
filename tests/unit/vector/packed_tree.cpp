// The packed R-tree by itself, and SQLite's own check of one in a file.
#include "vector/packed_tree.hpp"

#include <random>
#include <set>

#include "datasets/gdal_output.hpp"
#include "layers.hpp"
#include "vector/ogr_output_layer.hpp"

using namespace gdalmcp_vector;

TEST_CASE("a box of floats holds the box of doubles") {
    const auto b = outward(1, 500000.123456789, 500000.123456789, -0.1, 0.1);
    CHECK(static_cast<double>(b.minx) <= 500000.123456789);
    CHECK(static_cast<double>(b.maxx) >= 500000.123456789);
    CHECK(static_cast<double>(b.miny) <= -0.1);
    CHECK(static_cast<double>(b.maxy) >= 0.1);
}

TEST_CASE("one box makes a root, and many make a tree that holds each once") {
    std::vector<tree_box> one{{7, 1, 2, 3, 4}};
    const auto root = packed_tree(one, 1228);
    REQUIRE(root.size() == 1);
    CHECK(root[0].number == 1);
    CHECK(root[0].parent == 0);
    CHECK(root[0].ids == std::vector<std::int64_t>{7});
    CHECK(root[0].data.substr(0, 12) == std::string("\0\0\0\1\0\0\0\0\0\0\0\7", 12));  // depth 0, one cell, id 7
    CHECK(root[0].data.substr(12, 4) == std::string("\x3f\x80\0\0", 4));               // 1.0f

    std::vector<tree_box> many;
    for (int i = 0; i < 10000; ++i) many.push_back(outward(i, i % 100, i % 100 + 1, i / 100, i / 100 + 1));
    const auto tree = packed_tree(many, 1228);
    std::multiset<std::int64_t> ids, numbers, children;
    for (const auto& n : tree) {
        numbers.insert(n.number);
        CHECK(n.ids.size() <= 51);
        (n.leaf ? ids : children).insert(n.ids.begin(), n.ids.end());
    }
    CHECK(ids.size() == 10000);
    CHECK(std::set<std::int64_t>(ids.begin(), ids.end()).size() == 10000);
    CHECK(numbers.count(1) == 1);
    numbers.erase(1);
    CHECK(numbers == children);
    CHECK(tree.back().data[1] == 2);  // 197 leaves, 4 above them, the root
}

TEST_CASE("the index of a GeoPackage passes SQLite's check, answers, and follows later changes") {
    const temporary_folder folder;
    memory_layer m{{{1, "POINT (5 5)", "a'b", 1}, {2, nullptr, nullptr, 2}, {3, "POINT EMPTY", "", 3}}};
    for (int i = 0; i < 5000; ++i) {
        const auto text = "LINESTRING (" + std::to_string(i * 7 % 1000) + ".25 " + std::to_string(i) + ", 1200 " +
                          std::to_string(i) + ")";
        m.add({i + 10, text.c_str(), nullptr, i});
    }
    const auto path = folder / "it's.gpkg";
    {
        auto out = gdalmcp_datasets::create_vector(path, "GPKG");
        output_layer to{*out,
                        format_of(path),
                        *m.dataset,
                        *m.layer,
                        {wkbUnknown, false, m.layer->GetSpatialRef(), all_fields(*m.layer->GetLayerDefn())},
                        [](const std::string&) {}};
        m.layer->ResetReading();
        while (const OGRFeatureUniquePtr f{m.layer->GetNextFeature()}) {
            const auto* g = f->GetGeometryRef();
            to.add(*f, std::unique_ptr<OGRGeometry>{g ? g->clone() : nullptr});
        }
        to.finish();
        gdalmcp_datasets::close_vector(std::move(out), path);
    }
    const gdalmcp::gdal::dataset_ptr again{GDALDataset::Open(path.c_str(), GDAL_OF_VECTOR | GDAL_OF_UPDATE)};
    REQUIRE(again);
    const auto answer = [&](const char* sql) {
        auto* rows = again->ExecuteSQL(sql, nullptr, nullptr);
        REQUIRE(rows);
        const OGRFeatureUniquePtr row{rows->GetNextFeature()};
        REQUIRE(row);
        const std::string text = row->GetFieldAsString(0);
        again->ReleaseResultSet(rows);
        return text;
    };
    CHECK(answer("SELECT rtreecheck('rtree_sites_geom')") == "ok");
    CHECK(answer("SELECT HasSpatialIndex('sites', 'geom')") == "1");
    CHECK(answer("SELECT COUNT(*) FROM rtree_sites_geom") == "5001");
    CHECK(answer("SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'rtree_sites_geom_%'") >=
          "6");
    auto& layer = *again->GetLayer(0);
    CHECK(layer.TestCapability(OLCFastSpatialFilter));
    layer.SetSpatialFilterRect(4, 4, 6, 6);
    std::set<GIntBig> found;
    while (const OGRFeatureUniquePtr f{layer.GetNextFeature()}) found.insert(f->GetFID());
    std::set<GIntBig> expected{1};
    for (int i = 4; i <= 6; ++i)
        if (i * 7 % 1000 <= 5) expected.insert(i + 10);
    CHECK(found == expected);
    layer.SetSpatialFilter(nullptr);
    REQUIRE(layer.DeleteFeature(1) == OGRERR_NONE);
    const OGRFeatureUniquePtr fresh{OGRFeature::CreateFeature(layer.GetLayerDefn())};
    fresh->SetGeometryDirectly(wkt("POINT (-50 -50)").release());
    REQUIRE(layer.CreateFeature(fresh.get()) == OGRERR_NONE);
    CHECK(answer("SELECT COUNT(*) FROM rtree_sites_geom WHERE maxx < 0") == "1");
    CHECK(answer("SELECT rtreecheck('rtree_sites_geom')") == "ok");
}
