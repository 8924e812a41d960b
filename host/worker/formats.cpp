#include "worker/formats.hpp"

#include <cpl_minixml.h>
#include <gdal_priv.h>
#include <gdal_utils.h>
#include <gdalmcp/gdal.hpp>

#include <memory>
#include <sstream>

namespace gdalmcp::worker {

namespace json = base::json;

namespace {

json::array words_of(const char* list) {
    json::array all;
    std::istringstream in{list ? list : ""};
    for (std::string word; in >> word;) all.emplace_back(word);
    return all;
}

// <Option name='COMPRESS' type='string-select' default='LZW'><Value>NONE</Value>…</Option>
json::object option_of(const CPLXMLNode* node) {
    json::object o{{"name", CPLGetXMLValue(node, "name", "")}};
    for (const char* member : {"type", "description", "default", "min", "max", "scope"})
        if (const char* said = CPLGetXMLValue(node, member, nullptr)) o[member] = said;
    json::array values;
    for (const auto* v = node->psChild; v; v = v->psNext)
        if (v->eType == CXT_Element && EQUAL(v->pszValue, "Value")) values.emplace_back(CPLGetXMLValue(v, nullptr, ""));
    if (!values.empty()) o["values"] = std::move(values);
    return o;
}

json::array options_of(const char* xml) {
    json::array all;
    if (!xml || !*xml) return all;
    const std::unique_ptr<CPLXMLNode, decltype(&CPLDestroyXMLNode)> tree{CPLParseXMLString(xml), &CPLDestroyXMLNode};
    for (const auto* n = tree ? tree->psChild : nullptr; n; n = n->psNext)
        if (n->eType == CXT_Element && EQUAL(n->pszValue, "Option")) all.push_back(option_of(n));
    return all;
}

// The CSV driver knows .tsv and .psv by name, and says so from GDAL 3.10 on.
json::array extensions_of(GDALDriver& d) {
    auto all = words_of(d.GetMetadataItem(GDAL_DMD_EXTENSIONS));
    if (EQUAL(d.GetDescription(), "CSV") && all.size() == 1) all.insert(all.end(), {"tsv", "psv"});
    return all;
}

json::object told_by(GDALDriver& d) {
    const auto says = [&](const char* item) { return d.GetMetadataItem(item); };
    const auto can = [&](const char* item) { return says(item) && EQUAL(says(item), "YES"); };
    json::object o{{"name", d.GetDescription()},
                   {"long_name", says(GDAL_DMD_LONGNAME) ? says(GDAL_DMD_LONGNAME) : ""},
                   {"raster", can(GDAL_DCAP_RASTER)},
                   {"vector", can(GDAL_DCAP_VECTOR)},
                   {"extensions", extensions_of(d)},
                   {"read", can(GDAL_DCAP_OPEN)},
                   {"create", can(GDAL_DCAP_CREATE)},
                   {"create_copy", can(GDAL_DCAP_CREATECOPY)},
                   {"virtual_io", can(GDAL_DCAP_VIRTUALIO)},
                   {"subdatasets", can(GDAL_DMD_SUBDATASETS)},
                   {"data_types", words_of(says(GDAL_DMD_CREATIONDATATYPES))},
                   {"creation_options", options_of(says(GDAL_DMD_CREATIONOPTIONLIST))},
                   {"layer_creation_options", options_of(says(GDAL_DS_LAYER_CREATIONOPTIONLIST))},
                   {"open_options", options_of(says(GDAL_DMD_OPENOPTIONLIST))}};
    if (const char* page = says(GDAL_DMD_HELPTOPIC)) o["help"] = std::string{"https://gdal.org/"} + page;
    return o;
}

bool warps(const char* method) {
    std::string option = "-r", name = method;
    char* words[] = {option.data(), name.data(), nullptr};
    const std::unique_ptr<GDALWarpAppOptions, decltype(&GDALWarpAppOptionsFree)> taken{
        GDALWarpAppOptionsNew(words, nullptr), &GDALWarpAppOptionsFree};
    return taken != nullptr;
}

bool builds_overviews(const char* method) {
    auto* memory = GetGDALDriverManager()->GetDriverByName("MEM");
    const std::unique_ptr<GDALDataset> d{memory ? memory->Create("", 4, 4, 1, GDT_Byte, nullptr) : nullptr};
    int half = 2;
    return d && d->BuildOverviews(method, 1, &half, 0, nullptr, nullptr, nullptr) == CE_None;
}

}  // namespace

json::array drivers() {
    json::array all;
    auto& manager = *GetGDALDriverManager();
    for (int i = 0; i < manager.GetDriverCount(); ++i) all.push_back(told_by(*manager.GetDriver(i)));
    return all;
}

// GDAL has no list of methods, so every name from its documentation is tried: gdalwarp -r and gdaladdo -r, GDAL 3.0 to
// 3.11.
json::array resampling_methods() {
    const gdal::quiet silence;
    json::array all;
    for (const char* method : {"near", "bilinear", "cubic", "cubicspline", "lanczos", "average", "average_magphase",
                               "rms", "gauss", "mode", "max", "min", "med", "q1", "q3", "sum"}) {
        const bool warp = warps(method), overviews = builds_overviews(method);
        if (warp || overviews)
            all.push_back(json::object{{"method", method}, {"warp", warp}, {"overviews", overviews}});
    }
    return all;
}

}  // namespace gdalmcp::worker
