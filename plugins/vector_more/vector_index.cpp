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

const gdalmcp::field<std::int64_t> indexed{"feature_count", "Indexed"};
const gdalmcp::field<std::int64_t> size_bytes{"size_bytes", "Of the index", "bytes"};

void run(gdalmcp::call& call) {
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
     "features by place without reading all. The shapefile stays as it is; to drop the index, delete the .qix.",
     0},
    run,
    {gdalmcp_vector::uri, gdalmcp_datasets::named_output(beside, "x-gdalmcp-beside", "{stem}.qix")},
    {indexed, size_bytes}};

}  // namespace gdalmcp_vector_more::vector_index
