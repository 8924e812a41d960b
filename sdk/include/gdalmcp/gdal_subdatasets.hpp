// gdalmcp/gdal_subdatasets.hpp — the rasters inside a file (netCDF variables, HDF datasets, pages of a TIFF): GDAL's
// names, and the short ones that an argument 'subdataset' takes. Header-only; link GDAL.
#pragma once
#include <cpl_string.h>
#include <gdal_priv.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace gdalmcp::gdal {

// What GDAL opens: the SUBDATASET_<n>_NAME values, in order.
inline std::vector<std::string> subdataset_paths(GDALDataset& dataset) {
    const CPLStringList all{dataset.GetMetadata("SUBDATASETS"), FALSE};
    std::vector<std::string> names;
    for (int i = 1;; ++i) {
        const char* name = all.FetchNameValue(("SUBDATASET_" + std::to_string(i) + "_NAME").c_str());
        if (!name) return names;
        names.emplace_back(name);
    }
}

namespace detail {

// NETCDF:"/a/b.nc":tas -> tas;  HDF5:"/a/b.h5"://group/x -> //group/x
inline std::string last_part(const std::string& name) {
    const auto quote = name.rfind("\":");
    if (quote != std::string::npos) return name.substr(quote + 2);
    const auto colon = name.rfind(':');
    return colon == std::string::npos ? name : name.substr(colon + 1);
}

// SENTINEL1_CALIB:SIGMA0:/a/x.SAFE/manifest.safe:WV1_VV:INTENSITY -> SIGMA0:WV1_VV:INTENSITY
inline std::string without_path(const std::string& name) {
    std::string out;
    for (std::size_t from = name.find(':') + 1, to = 0; from <= name.size(); from = to + 1) {
        to = std::min(name.find(':', from), name.size());
        const auto part = name.substr(from, to - from);
        if (!part.empty() && part.find('/') == std::string::npos) out += (out.empty() ? "" : ":") + part;
    }
    return out;
}

}  // namespace detail

// The same in the same order as 'subdataset' names them: the part after the file's path.
inline std::vector<std::string> subdataset_names(GDALDataset& dataset) {
    const auto paths = subdataset_paths(dataset);
    auto names = paths;
    for (auto& n : names) n = detail::last_part(n);
    // In products of many files several names end alike; they differ before or after the file's path.
    if (std::set<std::string>(names.begin(), names.end()).size() < names.size())
        for (std::size_t i = 0; i < names.size(); ++i) names[i] = detail::without_path(paths[i]);
    return names;
}

}  // namespace gdalmcp::gdal
