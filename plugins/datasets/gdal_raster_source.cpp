#include "gdal_raster_source.hpp"

#include <gdal_rat.h>
#include <gdalmcp/gdal_extent.hpp>
#include <gdalmcp/gdal_subdatasets.hpp>
#include <gdalmcp/gdal_undeclared.hpp>

#include <cmath>

#include "gdal_inner_resampling.hpp"

namespace gdalmcp_datasets {

using gdalmcp::error;

namespace {

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

// Zarr arrays with further axes are listed besides their slices.
gdalmcp::gdal::dataset_ptr open_part(const std::vector<std::string>& paths, const std::vector<std::string>& names,
                                     std::size_t which) {
    std::string slices;
    for (const auto& n : names)
        if (n.substr(0, names[which].size() + 1) == names[which] + ":") slices += (slices.empty() ? "" : ", ") + n;
    if (!slices.empty() && paths[which].substr(0, 5) == "ZARR:")
        throw error{GDALMCP_INVALID_ARGUMENT, "'" + names[which] + "' has more than two axes",
                    "name a slice: " + slices};
    return of_countable_size(gdalmcp::gdal::open_stored(gdalmcp::raster{paths[which]}));
}

// Reading on several threads, GDAL takes a block whose place in a TIFF it cannot read for one that was never written,
// and returns zeros. The places are one list, so that the last tells whether the file has them all.
void require_whole_directory(GDALDataset& dataset, const std::string& path) {
    const auto* driver = dataset.GetDriver();
    if (!driver || !EQUAL(driver->GetDescription(), "GTiff") || dataset.GetRasterCount() == 0) return;
    auto& band = *dataset.GetRasterBand(dataset.GetRasterCount());
    int columns = 1, rows = 1;
    band.GetBlockSize(&columns, &rows);
    const std::string last = "BLOCK_OFFSET_" + std::to_string((band.GetXSize() - 1) / columns) + "_" +
                             std::to_string((band.GetYSize() - 1) / rows);
    const gdalmcp::gdal::quiet silence;
    CPLErrorReset();
    band.GetMetadataItem(last.c_str(), "TIFF");
    if (CPLGetLastErrorType() >= CE_Failure)
        gdalmcp::gdal::raise("cannot read where the cells of band " + std::to_string(band.GetBand()) + " of " + path +
                             " are stored");
}

// What GDAL reads as data although something in the file marks it as none.
void caution_of_marks(GDALDataset& d, const std::string& path) {
    using gdalmcp::gdal::detail::caution;
    const int n = d.GetRasterCount();
    if (n == 0) return;
    const int flags = d.GetRasterBand(1)->GetMaskFlags();
    if (has_idle_alpha(d) && flags != GMF_PER_DATASET)
        caution("band " + std::to_string(n) + " of " + path + " is an alpha band that GDAL ignores (" +
                (flags & GMF_NODATA ? "for the nodata value" : "it takes one of 2 or 4 bands, of Byte or UInt16") +
                "): what it hides counts as data; raster_calc with where(B > 0, A, nodata()) leaves it out");
    int has = 0;
    const double nodata = d.GetRasterBand(1)->GetNoDataValue(&has);
    if (has && flags == GMF_PER_DATASET)
        caution(path + " has a mask, for which GDAL ignores the nodata value: cells of " +
                gdalmcp::gdal::number_text(nodata) + " that the mask shows count as data");
}

}  // namespace

gdalmcp::gdal::dataset_ptr open_stored_raster(const gdalmcp::raster& raster,
                                              const std::optional<std::string>& subdataset, const std::string& naming) {
    return stored_raster_of(gdalmcp::gdal::open_stored(raster), raster, subdataset, naming);
}

gdalmcp::gdal::dataset_ptr stored_raster_of(gdalmcp::gdal::dataset_ptr file, const gdalmcp::raster& raster,
                                            const std::optional<std::string>& subdataset, const std::string& naming) {
    namespace gdal = gdalmcp::gdal;
    auto dataset = of_countable_size(std::move(file));
    const auto paths = gdal::subdataset_paths(*dataset);
    const auto names = gdal::subdataset_names(*dataset);
    if (subdataset) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == *subdataset) return open_part(paths, names, i);
        throw error{
            GDALMCP_NOT_FOUND, "there is no subdataset '" + *subdataset + "' in " + raster.path,
            names.empty() ? "the file holds one raster; leave 'subdataset' out" : "subdatasets: " + joined(names)};
    }
    if (dataset->GetRasterCount() > 0) return dataset;
    if (paths.size() == 1) return of_countable_size(gdal::open_stored(gdalmcp::raster{paths[0]}));
    refuse_without_bands(*dataset, raster.path, naming);
}

void refuse_without_bands(GDALDataset& file, const std::string& path, const std::string& naming) {
    const auto paths = gdalmcp::gdal::subdataset_paths(file);
    if (paths.empty()) throw error{GDALMCP_UNSUPPORTED, path + " holds no raster band", "give a raster dataset"};
    auto names = gdalmcp::gdal::subdataset_names(file);
    const auto all = joined(names);
    names.erase(names.begin());
    throw error{
        GDALMCP_INVALID_ARGUMENT, path + " holds " + std::to_string(paths.size()) + " subdatasets and none is named",
        naming.empty() ? "name one as a URI: " + paths.front() + (names.empty() ? "" : "; the others: " + joined(names))
                       : naming + ": " + all + "; or as a URI: " + paths.front()};
}

gdalmcp::gdal::dataset_ptr open_raster(const gdalmcp::raster& raster, const std::optional<std::string>& subdataset,
                                       const std::string& naming) {
    auto stored = open_stored_raster(raster, subdataset, naming);
    require_whole_directory(*stored, raster.path);
    caution_of_inner_resampling(*stored, raster.path);
    auto dataset = gdalmcp::gdal::with_signed_values(std::move(stored));
    if (!dataset) gdalmcp::gdal::raise("cannot read the signed bytes of " + raster.path);
    caution_of_marks(*dataset, raster.path);
    return dataset;
}

GDALDataType common_type(GDALDataset& dataset, const std::vector<int>& bands) {
    auto type = dataset.GetRasterBand(bands.front())->GetRasterDataType();
    for (const int b : bands) type = GDALDataTypeUnion(type, dataset.GetRasterBand(b)->GetRasterDataType());
    return type;
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

std::string irregular_location(GDALDataset& dataset) {
    std::array<double, 6> ignored{};
    if (dataset.GetGeoTransform(ignored.data()) == CE_None) return {};
    if (dataset.GetGCPCount() > 0) return "ground control points";
    if (dataset.GetMetadata("RPC")) return "rational polynomial coefficients (RPC)";
    if (dataset.GetMetadata("GEOLOCATION")) return "geolocation arrays";
    return {};
}

void tell_stored_codes(gdalmcp::call& call, const std::string& path, GDALRasterBand& band) {
    if (band.GetScale() != 1 || band.GetOffset() != 0)
        call.warn("codes are the stored values: scale " + gdal::number_text(band.GetScale()) + " and offset " +
                  gdal::number_text(band.GetOffset()) + " of band " + std::to_string(band.GetBand()) + " of " + path +
                  " are not applied");
}

void tell_lost_location(gdalmcp::call& call, const std::string& path, GDALDataset& dataset) {
    if (const auto by = irregular_location(dataset); !by.empty())
        call.warn(path + " is placed by " + by + ", which the result does not keep: bring it to a regular grid with " +
                  "raster_reproject first");
}

void tell_lost_table(gdalmcp::call& call, const std::string& path, GDALRasterBand& band, GDALRasterBand& result) {
    if (const auto* table = band.GetDefaultRAT(); table && table->GetRowCount() > 0 && !result.GetDefaultRAT())
        call.warn("the raster attribute table of band " + std::to_string(band.GetBand()) + " of " + path +
                  " is left out: it may count cells that the result does not have");
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

void warn_of_place(gdalmcp::call& call, const std::string& path, const grid& on) {
    if (!on.georeferenced || on.crs.IsEmpty()) return;
    if (const auto why = gdalmcp::gdal::misplaced(on.extent(), on.crs); !why.empty())
        call.warn(path + " does not fit its CRS: " + why);
}

namespace {

// "BOA_ADD_OFFSET = -1000": an offset of the whole numbers of Sentinel-2 reflectances (products from 2022 on) that the
// bands do not declare; "" if there is none. The factor beside it changes no ratio.
std::string offset_in_tags(GDALRasterBand& band) {
    auto* dataset = band.GetDataset();
    if (!dataset || !whole_numbers(band.GetRasterDataType()) || band.GetScale() != 1 || band.GetOffset() != 0)
        return {};
    for (CSLConstList at = dataset->GetMetadata(); at && *at; ++at) {
        const std::string item = *at;
        const auto equals = item.find('=');
        const bool offset = item.starts_with("BOA_ADD_OFFSET") || item.starts_with("RADIO_ADD_OFFSET");
        if (offset && equals != std::string::npos && CPLAtof(item.c_str() + equals + 1) != 0)
            return item.substr(0, equals) + " = " + item.substr(equals + 1);
    }
    return {};
}

}  // namespace

void tell_ignored_scale(gdalmcp::call& call, const std::string& path, GDALRasterBand& band) {
    if (band.GetScale() != 1 || band.GetOffset() != 0) return;
    std::string found;
    for (CSLConstList at = band.GetMetadata(); at && *at; ++at) {
        char* key = nullptr;
        const char* value = CPLParseNameValue(*at, &key);
        const std::string name = key ? key : "";
        CPLFree(key);
        const bool scale = name.ends_with("scale_factor"), offset = name.ends_with("add_offset");
        if ((!scale && !offset) || !value || CPLAtof(value) == (scale ? 1 : 0)) continue;
        found += (found.empty() ? "" : ", ") + name + " = " + CPLString{value}.Trim();
    }
    if (!found.empty())
        call.warn("the values of band " + std::to_string(band.GetBand()) + " of " + path +
                  " are as stored: its attributes " + found + " are not applied; apply them with raster_calc");
    if (const auto offset = offset_in_tags(band); !offset.empty())
        call.warn(path + " has the tag " + offset +
                  ", which is not applied by itself: ratios such as NDVI need it added to the numbers");
}

void require_real(GDALRasterBand& band) {
    if (!GDALDataTypeIsComplex(band.GetRasterDataType())) return;
    throw error{GDALMCP_UNSUPPORTED,
                "band " + std::to_string(band.GetBand()) + " holds complex values (" +
                    dtype_name(band.GetRasterDataType()) + ")",
                "raster_convert with 'dtype' Float32 keeps the real parts; take amplitudes with the program that wrote "
                "the file"};
}

void require_codes(const std::string& path, GDALRasterBand& band, const std::string& instead) {
    require_real(band);
    const std::string name = "band " + std::to_string(band.GetBand()) + " of " + path;
    if (!whole_numbers(band.GetRasterDataType()))
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            name + " is " + dtype_name(band.GetRasterDataType()) + ": floating-point values are not class codes",
            instead};
    if (band.GetScale() != 1 || band.GetOffset() != 0)
        throw error{GDALMCP_INVALID_ARGUMENT, name + " has a scale or offset: scaled values are not class codes",
                    instead};
}

}  // namespace gdalmcp_datasets
