#include "gdal_raster_source.hpp"

#include <cmath>
#include <set>

namespace gdalmcp_datasets {

using gdalmcp::error;

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

// SENTINEL1_CALIB:SIGMA0:/a/x.SAFE/manifest.safe:WV1_VV:INTENSITY -> SIGMA0:WV1_VV:INTENSITY
std::string without_path(const std::string& name) {
    std::string out;
    for (std::size_t from = name.find(':') + 1, to = 0; from <= name.size(); from = to + 1) {
        to = std::min(name.find(':', from), name.size());
        const auto part = name.substr(from, to - from);
        if (!part.empty() && part.find('/') == std::string::npos) out += (out.empty() ? "" : ":") + part;
    }
    return out;
}

std::string joined(const std::vector<std::string>& all) {
    std::string s;
    for (const auto& one : all) s += (s.empty() ? "" : ", ") + one;
    return s;
}

// Sizes beyond 2^31 - 1 become negative in some drivers.
gdalmcp::gdal::dataset_ptr of_countable_size(gdalmcp::gdal::dataset_ptr dataset) {
    if (dataset->GetRasterCount() > 0 && (dataset->GetRasterXSize() < 1 || dataset->GetRasterYSize() < 1))
        throw error{GDALMCP_UNSUPPORTED,
                    std::string{dataset->GetDescription()} + " claims " + std::to_string(dataset->GetRasterXSize()) +
                        " columns and " + std::to_string(dataset->GetRasterYSize()) +
                        " rows; GDAL supports 1 to 2147483647 of each",
                    "check the file with the program that wrote it"};
    return dataset;
}

}  // namespace

std::vector<std::string> subdataset_names(GDALDataset& dataset) {
    const auto paths = subdataset_paths(dataset);
    auto names = paths;
    for (auto& n : names) n = last_part(n);
    // In products of many files several names end alike; they differ before or after the file's path.
    if (std::set<std::string>(names.begin(), names.end()).size() < names.size())
        for (std::size_t i = 0; i < names.size(); ++i) names[i] = without_path(paths[i]);
    return names;
}

gdalmcp::gdal::dataset_ptr open_stored_raster(const gdalmcp::raster& raster,
                                              const std::optional<std::string>& subdataset) {
    return stored_raster_of(gdalmcp::gdal::open_stored(raster), raster, subdataset);
}

gdalmcp::gdal::dataset_ptr stored_raster_of(gdalmcp::gdal::dataset_ptr file, const gdalmcp::raster& raster,
                                            const std::optional<std::string>& subdataset) {
    namespace gdal = gdalmcp::gdal;
    auto dataset = of_countable_size(std::move(file));
    const auto paths = subdataset_paths(*dataset);
    const auto names = subdataset_names(*dataset);
    if (subdataset) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == *subdataset) return of_countable_size(gdal::open_stored(gdalmcp::raster{paths[i]}));
        throw error{
            GDALMCP_NOT_FOUND, "there is no subdataset '" + *subdataset + "' in " + raster.path,
            names.empty() ? "the file holds one raster; leave 'subdataset' out" : "subdatasets: " + joined(names)};
    }
    if (dataset->GetRasterCount() > 0) return dataset;
    if (paths.size() == 1) return of_countable_size(gdal::open_stored(gdalmcp::raster{paths[0]}));
    if (paths.empty()) throw error{GDALMCP_UNSUPPORTED, raster.path + " holds no raster band", "give a raster dataset"};
    throw error{GDALMCP_INVALID_ARGUMENT,
                raster.path + " holds " + std::to_string(paths.size()) + " subdatasets and none is named",
                "name one with 'subdataset': " + joined(names)};
}

gdalmcp::gdal::dataset_ptr open_raster(const gdalmcp::raster& raster, const std::optional<std::string>& subdataset) {
    auto dataset = gdalmcp::gdal::with_signed_values(open_stored_raster(raster, subdataset));
    if (!dataset) gdalmcp::gdal::raise("cannot read the signed bytes of " + raster.path);
    return dataset;
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
                        "band " + std::to_string(n) + " is requested, but the raster has " +
                            std::to_string(dataset.GetRasterCount()),
                        "bands count from 1"};
        if (!seen.insert(n).second)
            throw error{GDALMCP_INVALID_ARGUMENT, "band " + std::to_string(n) + " is requested twice", "name it once"};
        numbers.push_back(static_cast<int>(n));
    }
    return numbers;
}

std::int64_t file_size(const std::string& path) {
    VSIStatBufL stat{};
    return VSIStatL(path.c_str(), &stat) == 0 ? static_cast<std::int64_t>(stat.st_size) : 0;
}

std::optional<double> shown_nodata(GDALRasterBand& band) {
    int has = 0;
    const double v = band.GetNoDataValue(&has);
    return has && std::isfinite(v) ? std::optional{v} : std::nullopt;
}

void require_band(const std::string& path, int bands, std::int64_t wanted) {
    if (wanted >= 1 && wanted <= bands) return;
    throw error{GDALMCP_NOT_FOUND,
                "there is no band " + std::to_string(wanted) + " in " + path + ", which has " + std::to_string(bands),
                "name a band from 1 to " + std::to_string(bands)};
}

void require_real(GDALRasterBand& band) {
    if (!GDALDataTypeIsComplex(band.GetRasterDataType())) return;
    throw error{GDALMCP_UNSUPPORTED,
                "band " + std::to_string(band.GetBand()) + " holds complex values (" +
                    dtype_name(band.GetRasterDataType()) + ")",
                "convert it to real values first"};
}

}  // namespace gdalmcp_datasets
