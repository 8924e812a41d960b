// vector_index: a spatial index in a file beside a shapefile.
#include <filesystem>

#include "datasets/output_name.hpp"
#include "ogr_spatial_index.hpp"
#include "tools.hpp"
#include "vector/arguments.hpp"

namespace gdalmcp_vector_more::vector_index {
namespace {

const gdalmcp::arg<gdalmcp::output_vector> beside{
    .name = "output", .about = "Only as the shapefile's name with .qix, which is the default."};

const gdalmcp::arg<bool> drop{
    .name = "drop", .about = "Removes the file beside the shapefile instead.", .fallback = false};

const auto indexed = gdalmcp::field<std::int64_t>{"feature_count", "Indexed"}.optional();
const auto size_bytes = gdalmcp::field<std::int64_t>{"size_bytes", "Of the index", "bytes"}.optional();
const auto dropped = gdalmcp::field<std::string>{"dropped", "The file removed"}.optional();

void run(gdalmcp::call& call) {
    if (call[drop])  // the host removes the file when this returns
        return call.put(dropped, spatial_index_of(call[gdalmcp_vector::uri].path));
    const auto scratch = call.new_scratch("copy", "");
    std::filesystem::create_directories(scratch);
    const auto& target = call[beside].path;
    call.put(indexed, write_spatial_index(call[gdalmcp_vector::uri].path, scratch, target));
    call.put(size_bytes, static_cast<std::int64_t>(std::filesystem::file_size(target)));
}

}  // namespace

const gdalmcp::tool tool{
    {"vector_index", "Spatial index beside a shapefile",
     "Builds a spatial index of a shapefile in a writable workspace into a .qix file beside it, with which GDAL finds "
     "features by place without reading all, or removes that file. The shapefile stays as it is.",
     GDALMCP_DESTRUCTIVE},
    run,
    {gdalmcp_vector::uri, gdalmcp_datasets::named_output(beside, "x-gdalmcp-beside", "{stem}.qix"), drop},
    {indexed, size_bytes, dropped}};

}  // namespace gdalmcp_vector_more::vector_index
