#include "grid.hpp"

#include <set>

namespace gdalmcp_raster {

using gdalmcp::error;

std::vector<double> grid::affine() const {
    const auto& g = geotransform;
    return {g[1], g[2], g[0], g[4], g[5], g[3]};
}

OGREnvelope grid::extent() const {
    OGREnvelope box;
    for (const double col : {0.0, static_cast<double>(width)})
        for (const double row : {0.0, static_cast<double>(height)})
            box.Merge(geotransform[0] + col * geotransform[1] + row * geotransform[2],
                      geotransform[3] + col * geotransform[4] + row * geotransform[5]);
    return box;
}

double grid::cell_width() const { return std::hypot(geotransform[1], geotransform[4]); }
double grid::cell_height() const { return std::hypot(geotransform[2], geotransform[5]); }
bool grid::rotated() const { return geotransform[2] != 0 || geotransform[4] != 0; }

grid grid_of(GDALDataset& dataset) {
    grid g;
    g.width = dataset.GetRasterXSize();
    g.height = dataset.GetRasterYSize();
    g.georeferenced = dataset.GetGeoTransform(g.geotransform.data()) == CE_None;
    if (const auto* crs = dataset.GetSpatialRef()) g.crs = *crs;
    g.crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    return g;
}

namespace {

// SUBDATASET_<n>_NAME values, in order.
std::vector<std::string> subdataset_paths(GDALDataset& dataset) {
    const CPLStringList all{dataset.GetMetadata("SUBDATASETS"), FALSE};
    std::vector<std::string> names;
    for (int i = 1;; ++i) {
        const char* name = all.FetchNameValue(("SUBDATASET_" + std::to_string(i) + "_NAME").c_str());
        if (!name) return names;
        names.emplace_back(name);
    }
}

// NETCDF:"/a/b.nc":tas -> tas;  HDF5:"/a/b.h5"://group/x -> //group/x
std::string last_part(const std::string& name) {
    const auto quote = name.rfind("\":");
    if (quote != std::string::npos) return name.substr(quote + 2);
    const auto colon = name.rfind(':');
    return colon == std::string::npos ? name : name.substr(colon + 1);
}

std::string joined(const std::vector<std::string>& all) {
    std::string s;
    for (const auto& one : all) s += (s.empty() ? "" : ", ") + one;
    return s;
}

}  // namespace

std::vector<std::string> subdataset_names(GDALDataset& dataset) {
    auto names = subdataset_paths(dataset);
    for (auto& n : names) n = last_part(n);
    return names;
}

gdalmcp::gdal::dataset_ptr open_raster(const gdalmcp::raster& raster, const std::optional<std::string>& subdataset) {
    auto dataset = gdalmcp::gdal::open(raster);
    const auto paths = subdataset_paths(*dataset);
    const auto names = subdataset_names(*dataset);
    if (subdataset) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == *subdataset) return gdalmcp::gdal::open(gdalmcp::raster{paths[i]});
        throw error{
            GDALMCP_NOT_FOUND, "there is no subdataset '" + *subdataset + "' in " + raster.path,
            names.empty() ? "the file holds one raster; leave 'subdataset' out" : "subdatasets: " + joined(names)};
    }
    if (dataset->GetRasterCount() > 0) return dataset;
    if (paths.size() == 1) return gdalmcp::gdal::open(gdalmcp::raster{paths[0]});
    if (paths.empty()) throw error{GDALMCP_UNSUPPORTED, raster.path + " holds no raster band", "give a raster dataset"};
    throw error{GDALMCP_INVALID_ARGUMENT,
                raster.path + " holds " + std::to_string(paths.size()) + " subdatasets and none is named",
                "name one with 'subdataset': " + joined(names)};
}

std::vector<int> band_numbers(GDALDataset& dataset, const std::optional<std::vector<std::int64_t>>& asked) {
    std::vector<int> numbers;
    if (!asked) {
        for (int i = 1; i <= dataset.GetRasterCount(); ++i) numbers.push_back(i);
        return numbers;
    }
    std::set<std::int64_t> seen;
    for (const auto n : *asked) {
        if (n < 1 || n > dataset.GetRasterCount())
            throw error{GDALMCP_NOT_FOUND,
                        "band " + std::to_string(n) + " is asked for, but the raster has " +
                            std::to_string(dataset.GetRasterCount()),
                        "bands count from 1"};
        if (!seen.insert(n).second)
            throw error{GDALMCP_INVALID_ARGUMENT, "band " + std::to_string(n) + " is asked for twice", "name it once"};
        numbers.push_back(static_cast<int>(n));
    }
    return numbers;
}

}  // namespace gdalmcp_raster
