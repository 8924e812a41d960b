// gdal_raster_source.hpp — opening a raster that an argument names, and choosing its bands.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <string>
#include <vector>

#include "gdal_grid.hpp"

namespace gdalmcp_datasets {

inline constexpr const char* by_argument = "name one with 'subdataset'";

// Opens a raster; of a file with several subdatasets (netCDF variables, …) the named one. Without a name: refused with
// the list, and what to do: `naming`, empty where the tool takes it in the URI alone.
gdalmcp::gdal::dataset_ptr open_raster(const gdalmcp::raster& raster, const std::optional<std::string>& subdataset,
                                       const std::string& naming = by_argument);
inline gdalmcp::gdal::dataset_ptr open_raster(const gdalmcp::raster& raster) {
    return open_raster(raster, std::nullopt, "");
}

// The same as stored in the file, for describing it: see gdalmcp::gdal::open_stored.
gdalmcp::gdal::dataset_ptr open_stored_raster(const gdalmcp::raster& raster,
                                              const std::optional<std::string>& subdataset,
                                              const std::string& naming = by_argument);

// The same of a file that is open: itself, or the subdataset.
gdalmcp::gdal::dataset_ptr stored_raster_of(gdalmcp::gdal::dataset_ptr file, const gdalmcp::raster& raster,
                                            const std::optional<std::string>& subdataset,
                                            const std::string& naming = by_argument);

// Fails the call on a file that has no band of its own, naming its subdatasets.
[[noreturn]] void refuse_without_bands(GDALDataset& file, const std::string& path, const std::string& naming = "");

// The requested band numbers (from 1), all if none is given; refused for an unknown or repeated band.
std::vector<int> band_numbers(GDALDataset& dataset, const std::optional<std::vector<std::int64_t>>& asked);

// A data type that holds the values of all these bands (numbers from 1).
GDALDataType common_type(GDALDataset& dataset, const std::vector<int>& bands);

// What places the cells of a raster without a geotransform, in words: "ground control points", "rational polynomial
// coefficients (RPC)" or "geolocation arrays". "" = it has a geotransform, or nothing places it.
std::string irregular_location(GDALDataset& dataset);
// Warns where the result on the grid of such a raster has no place. path: of the dataset.
void tell_lost_location(gdalmcp::call& call, const std::string& path, GDALDataset& dataset);

// Warns where a band has a raster attribute table, and the result has none. path: of its dataset.
void tell_lost_table(gdalmcp::call& call, const std::string& path, GDALRasterBand& band, GDALRasterBand& result);

// Bytes of a file; 0 where there is none of that name.
std::int64_t file_size(const std::string& path);

// The declared nodata value as a result shows it: nullopt if there is none, or it is NaN.
std::optional<double> shown_nodata(GDALRasterBand& band);

// Fails the call if a raster with this many bands lacks that band number.
void require_band(const std::string& path, int bands, std::int64_t wanted);

// Warns of a scale or offset among the attributes of a band that the driver leaves to the reader, as those of HDF5 and
// HDF4 do: the values are then as stored. path: of the dataset.
void tell_ignored_scale(gdalmcp::call& call, const std::string& path, GDALRasterBand& band);

// "BOA_ADD_OFFSET = -1000": an offset of the whole numbers of Sentinel-2 reflectances that the bands do not declare; ""
// if there is none.
std::string offset_in_tags(GDALRasterBand& band);

// Warns where a band whose codes are read as stored has a scale or offset. path: of its dataset.
void tell_stored_codes(gdalmcp::call& call, const std::string& path, GDALRasterBand& band);

// Fails the call on a band of complex numbers.
void require_real(GDALRasterBand& band);

// Fails the call on a band of complex, floating-point or scaled values, which are no class codes. path: of its dataset.
// instead: the next step.
void require_codes(const std::string& path, GDALRasterBand& band, const std::string& instead);

// "Int16" …; and whether every value of the type is whole.
inline const char* dtype_name(GDALDataType t) { return GDALGetDataTypeName(t); }
// Where the coordinates do not fit the CRS, every measure in metres is wrong.
void warn_of_place(gdalmcp::call& call, const std::string& path, const grid& on);

inline bool is_alpha(GDALRasterBand& band) { return band.GetColorInterpretation() == GCI_AlphaBand; }
// An alpha band hides cells where it is the last of 2 or 4 bands, and of 8 or 16 bits without sign; else GDAL reads
// what lies under it (GDALRasterBand::GetMaskBand).
inline bool alpha_hides(int bands, GDALDataType type) {
    return (bands == 2 || bands == 4) && (type == GDT_Byte || type == GDT_UInt16);
}
// A nodata value or a mask takes its place.
inline bool has_hiding_alpha(GDALDataset& d) {
    return d.GetRasterCount() > 0 && d.GetRasterBand(1)->GetMaskFlags() & GMF_ALPHA;
}
// An alpha band as the last that hides nothing: a band like others.
inline bool has_idle_alpha(GDALDataset& d) {
    const int n = d.GetRasterCount();
    return n > 1 && is_alpha(*d.GetRasterBand(n)) && !has_hiding_alpha(d);
}

inline bool whole_numbers(GDALDataType t) { return GDALDataTypeIsInteger(t) != 0; }
// Those of which a double does not hold each.
inline bool whole_numbers_of_64_bits(GDALDataType t) { return whole_numbers(t) && GDALGetDataTypeSizeBytes(t) > 4; }

}  // namespace gdalmcp_datasets
