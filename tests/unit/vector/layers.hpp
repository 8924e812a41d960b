// Tiny layers written out in the tests themselves.
#pragma once
#include <gdalmcp/gdal_crs.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"

struct feature_text {
    GIntBig id;
    const char* wkt;  // nullptr: no geometry
    const char* name;
    int size;
};

// A layer in memory with fields name (String 20) and size (Integer).
struct memory_layer {
    GDALDataset* dataset = nullptr;
    OGRLayer* layer = nullptr;

    explicit memory_layer(const std::vector<feature_text>& features, const char* crs = "EPSG:32633",
                          OGRwkbGeometryType type = wkbUnknown) {
        GDALAllRegister();
        dataset = GetGDALDriverManager()->GetDriverByName("Memory")->Create("", 0, 0, 0, GDT_Unknown, nullptr);
        auto srs = gdalmcp::gdal::parse_crs(crs);
        layer = dataset->CreateLayer("sites", srs ? &*srs : nullptr, type, nullptr);
        OGRFieldDefn name{"name", OFTString}, size{"size", OFTInteger};
        name.SetWidth(20);
        REQUIRE(layer->CreateField(&name) == OGRERR_NONE);
        REQUIRE(layer->CreateField(&size) == OGRERR_NONE);
        for (const auto& f : features) add(f);
    }
    ~memory_layer() { GDALClose(dataset); }
    memory_layer(const memory_layer&) = delete;
    memory_layer& operator=(const memory_layer&) = delete;

    void add(const feature_text& f) {
        const OGRFeatureUniquePtr feature{OGRFeature::CreateFeature(layer->GetLayerDefn())};
        feature->SetFID(f.id);
        if (f.name) feature->SetField("name", f.name);
        feature->SetField("size", f.size);
        if (f.wkt) {
            OGRGeometry* g = nullptr;
            REQUIRE(OGRGeometryFactory::createFromWkt(f.wkt, nullptr, &g) == OGRERR_NONE);
            feature->SetGeometryDirectly(g);
        }
        REQUIRE(layer->CreateFeature(feature.get()) == OGRERR_NONE);
    }
};

inline std::unique_ptr<OGRGeometry> wkt(const char* text) {
    OGRGeometry* g = nullptr;
    REQUIRE(OGRGeometryFactory::createFromWkt(text, nullptr, &g) == OGRERR_NONE);
    return std::unique_ptr<OGRGeometry>{g};
}

inline std::string wkt(const OGRGeometry& g) {
    char* text = nullptr;
    REQUIRE(g.exportToWkt(&text, wkbVariantIso) == OGRERR_NONE);
    std::string out = text;
    CPLFree(text);
    return out;
}

// A folder that is gone with the test.
struct temporary_folder {
    std::filesystem::path path;
    temporary_folder() {
        std::string name = (std::filesystem::temp_directory_path() / "gdalmcp-vector-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    std::string operator/(const char* name) const { return (path / name).string(); }
};
