// A condition on attributes, whatever its text, is refused with a message and a hint, or accepts and rejects features
// of every kind of field, twice the same.
#include <cstdint>
#include <cstdlib>

#include <cpl_error.h>

#include "vector/ogr_selection.hpp"

namespace {

// A layer with each kind of field, of a feature with values and of one without.
struct layer_of_all_kinds {
    GDALDataset* dataset;
    OGRLayer* layer;
    OGRFeatureUniquePtr full, bare;

    layer_of_all_kinds() {
        GDALAllRegister();
        dataset = GetGDALDriverManager()->GetDriverByName("Memory")->Create("", 0, 0, 0, GDT_Unknown, nullptr);
        layer = dataset->CreateLayer("l", nullptr, wkbUnknown, nullptr);
        constexpr std::pair<const char*, OGRFieldType> kinds[] = {
            {"n", OFTInteger},        {"big", OFTInteger64},    {"x", OFTReal},
            {"name", OFTString},      {"day", OFTDate},         {"t", OFTDateTime},
            {"list", OFTIntegerList}, {"two words", OFTString}, {"raw", OFTBinary}};
        for (const auto& [name, kind] : kinds) {
            OGRFieldDefn field{name, kind};
            if (layer->CreateField(&field) != OGRERR_NONE) std::abort();
        }
        full.reset(OGRFeature::CreateFeature(layer->GetLayerDefn()));
        bare.reset(OGRFeature::CreateFeature(layer->GetLayerDefn()));
        full->SetFID(7);
        full->SetField("n", 3);
        full->SetField("big", static_cast<GIntBig>(1) << 60);
        full->SetField("x", 1.5);
        full->SetField("name", "Ås");
        full->SetField("day", 2020, 2, 29);
        full->SetField("t", 2020, 2, 29, 12, 30, 15.0F, 100);
        full->SetField("two words", "");
        full->SetGeometryDirectly(new OGRPoint{1, 2});
    }
    ~layer_of_all_kinds() { GDALClose(dataset); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const layer_of_all_kinds all;
    const std::string text{reinterpret_cast<const char*>(bytes), size};
    // The host hands over UTF-8 without a NUL.
    if (text.find('\0') != std::string::npos || !CPLIsUTF8(text.c_str(), static_cast<int>(size))) return 0;
    CPLPushErrorHandler(CPLQuietErrorHandler);
    try {
        const gdalmcp_vector::attribute_filter filter{*all.layer, text};
        for (const auto* feature : {&all.full, &all.bare})
            if (filter.accepts(**feature) != filter.accepts(**feature)) std::abort();
    } catch (const gdalmcp::error& e) {
        if (e.message.empty() || e.hint.empty()) std::abort();
    }
    CPLPopErrorHandler();
    return 0;
}
