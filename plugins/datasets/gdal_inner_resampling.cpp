#include "gdal_inner_resampling.hpp"

#include <cpl_minixml.h>
#include <gdalmcp/gdal_undeclared.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>

namespace gdalmcp_datasets {

namespace {

struct xml_end {
    void operator()(CPLXMLNode* node) const { CPLDestroyXMLNode(node); }
};

std::string value_at(const CPLXMLNode& node, const char* path) { return CPLGetXMLValue(&node, path, ""); }

// In small letters; "" of nearest, which copies cells.
std::string computing(std::string method) {
    std::transform(method.begin(), method.end(), method.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return method.starts_with("near") ? std::string{} : method;
}

// Whether a source's window has another number of cells than the one it fills. Windows that are not given are whole.
bool rescales(const CPLXMLNode& source, const char* side, const char* raster_side, int own_side) {
    const auto from = value_at(source, (std::string{"SrcRect."} + side).c_str()),
               whole = value_at(source, (std::string{"SourceProperties."} + raster_side).c_str()),
               to = value_at(source, (std::string{"DstRect."} + side).c_str());
    if (from.empty() && whole.empty()) return false;
    constexpr double rounding = 0.01;  // of a cell
    return std::abs(CPLAtof((from.empty() ? whole : from).c_str()) - (to.empty() ? own_side : CPLAtof(to.c_str()))) >
           rounding;
}

std::string resampling_of_source(const CPLXMLNode& source, GDALDataset& d) {
    const bool averages = EQUAL(source.pszValue, "AveragedSource");
    const auto method = averages ? std::string{"average"} : computing(value_at(source, "resampling"));
    const bool other_cells = rescales(source, "xSize", "RasterXSize", d.GetRasterXSize()) ||
                             rescales(source, "ySize", "RasterYSize", d.GetRasterYSize());
    return other_cells ? method : std::string{};
}

}  // namespace

std::string inner_resampling(GDALDataset& dataset) {
    if (!dataset.GetDriver() || !EQUAL(dataset.GetDriver()->GetDescription(), "VRT")) return {};
    const auto* text = dataset.GetMetadata("xml:VRT");
    const std::unique_ptr<CPLXMLNode, xml_end> tree{text && *text ? CPLParseXMLString(*text) : nullptr};
    const auto* root = tree ? CPLGetXMLNode(tree.get(), "=VRTDataset") : nullptr;
    if (!root) return {};
    if (const auto warped = value_at(*root, "GDALWarpOptions.ResampleAlg"); !warped.empty()) return computing(warped);
    for (const auto* band = root->psChild; band; band = band->psNext) {
        if (!EQUAL(band->pszValue, "VRTRasterBand")) continue;
        for (const auto* source = band->psChild; source; source = source->psNext)
            if (std::string{source->pszValue}.ends_with("Source"))
                if (auto method = resampling_of_source(*source, dataset); !method.empty()) return method;
    }
    return {};
}

void caution_of_inner_resampling(GDALDataset& dataset, const std::string& path) {
    if (const auto method = inner_resampling(dataset); !method.empty())
        gdalmcp::gdal::detail::caution(path + " resamples its sources by " + method +
                                       ": its cells are computed, which codes, directions and totals may not bear; "
                                       "read the sources themselves where it matters");
}

}  // namespace gdalmcp_datasets
