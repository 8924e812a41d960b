#include "gdal_flow_tags.hpp"

#include <gdalmcp/gdal_undeclared.hpp>
#include <gdalmcp/tool.hpp>

#include <sstream>

namespace gdalmcp_datasets {

std::string flow_grid_text(const grid& on) {
    std::string text;
    for (const double v : on.geotransform) text += (text.empty() ? "" : " ") + std::string{CPLSPrintf("%.17g", v)};
    return text;
}

std::optional<grid> tagged_flow_grid(const std::string& tag, grid on) {
    std::istringstream numbers{tag};
    for (double& v : on.geotransform)
        if (!(numbers >> v)) return std::nullopt;
    return on;
}

bool declares_directions(GDALDataset& dataset) {
    const char* encoding = dataset.GetMetadataItem(flow_encoding_tag);
    return encoding && *encoding;
}

void refuse_directions(const std::string& path, GDALDataset& dataset) {
    if (!declares_directions(dataset)) return;
    throw gdalmcp::error{
        GDALMCP_INVALID_ARGUMENT,
        path + " is tagged as flow directions (" + dataset.GetMetadataItem(flow_encoding_tag) + "), not as heights",
        "give the DEM; hydro_flow_accumulation, hydro_watershed and hydro_streams take the directions as they are"};
}

void disown_directions(const std::string& source, GDALDataset& result) {
    result.SetMetadataItem(flow_encoding_tag, moved_directions);
    gdalmcp::gdal::detail::caution(source +
                                   " holds flow directions, which point to neighbouring cells, and those of the "
                                   "result are others: the result is tagged as moved, and no tool follows it; resample "
                                   "the DEM instead, and make directions of it with hydro_flow_direction");
}

}  // namespace gdalmcp_datasets
