// gdal_band_report.hpp — the statistics of one band as raster_stats reports them.
#pragma once
#include <gdalmcp/gdal_transformation.hpp>

#include "datasets/gdal_grid.hpp"
#include "statistics.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

namespace band_fields {

using gdalmcp::field;
using gdalmcp::json_text;

inline const field<std::int64_t> index{"index", "Band number, counted from 1"};
inline const auto description = field<std::string>{"description", "Name of the band, with date and level"}.optional();
inline const auto unit = field<std::string>{"unit", "Unit of the figures, where declared"}.optional();
inline const field<std::int64_t> valid_count{"valid_count", "Cells that the figures are of", "cells"};
inline const field<std::int64_t> nodata_count{"nodata_count",
                                              "Cells without data (nodata, mask or alpha 0); in no figure", "cells"};
inline const auto nan_count =
    field<std::int64_t>{"nan_count", "Floating point: cells that are NaN and not nodata; in no figure", "cells"}
        .optional();
inline const auto infinite_count =
    field<std::int64_t>{"infinite_count", "Floating point: infinite cells; in no figure", "cells"}.optional();
inline const auto min =
    field<double>{"min", "Smallest value; this and the others are left out without valid cells"}.optional();
inline const auto max = field<double>{"max", "Largest value"}.optional();
inline const field<std::int64_t> place_column{"column", "From 0"};
inline const field<std::int64_t> place_row{"row", "From 0"};
inline const auto place_x = field<double>{"x", "Centre of the cell in the raster's CRS"}.optional();
inline const auto place_y = field<double>{"y", "See x"}.optional();
inline const auto place_longitude =
    field<double>{"longitude", "The same in WGS 84, of a projected CRS", "degrees"}.optional();
inline const auto place_latitude = field<double>{"latitude", "See longitude", "degrees"}.optional();
inline const auto min_at = gdalmcp::record{
    "min_at",
    "First cell with the smallest value, in row order",
    {place_column, place_row, place_x, place_y, place_longitude,
     place_latitude}}.optional();
inline const auto max_at = gdalmcp::record{
    "max_at",
    "The same of the largest",
    {place_column, place_row, place_x, place_y, place_longitude,
     place_latitude}}.optional();
inline const auto mean = field<double>{"mean", "Mean, every cell with equal weight"}.optional();
inline const auto std_field = field<double>{"std", "Standard deviation, population form (divided by n)"}.optional();
inline const auto median = field<double>{"median", "Median"}.optional();
inline const auto sum = field<double>{"sum", "Sum of the values; exact for integers"}.optional();
inline const auto percentile_values =
    field<json_text>{"percentiles", "Percentile (as text, \"25\") to value, linear between ranks"}.optional();
inline const field<std::string> bin_kind{"kind", "values: a bin for each whole number; equal: bins of equal width"};
inline const auto bin_values = field<std::vector<double>>{"values", "The value of each bin, for values"}.optional();
inline const field<double> bin_min{"min", "Lower edge of the first bin, or the first value"};
inline const field<double> bin_max{"max", "Upper edge of the last bin, which belongs to it, or the last value"};
inline const field<std::vector<std::int64_t>> bin_counts{"counts", "Cells per bin", "cells"};
inline const auto histogram = gdalmcp::record{
    "histogram",
    "With 'histogram_bins', scale and offset applied",
    {bin_kind, bin_values, bin_min, bin_max,
     bin_counts}}.optional();
inline const field<std::int64_t> class_value{"value", "Code, as stored"};
inline const auto class_name = field<std::string>{"name", "Where the data has one"}.optional();
inline const field<std::int64_t> class_count{"count", "Cells", "cells"};
inline const field<double> class_share{"share", "Of the valid cells", "0 to 1"};
inline const auto class_area =
    field<double>{"area_m2", "True area on the ellipsoid; left out without CRS or geotransform", "m²"}.optional();
inline const auto class_hectares = field<double>{"area_ha", "area_m2 / 10000", "ha"}.optional();
inline const auto class_table = gdalmcp::table{
    "classes",
    "Per code, see 'classes'; at most 64, the commonest",
    {class_value, class_name, class_count, class_share, class_area,
     class_hectares}}.optional();
inline const auto class_total = field<std::int64_t>{"classes_total", "Codes found, with 'classes'"}.optional();
inline const auto classes_truncated = field<bool>{"classes_truncated", "True when 'classes' omits some"}.optional();
inline const auto scale =
    field<double>{"scale", "Applied, where it is not 1: value = stored × scale + offset"}.optional();
inline const auto offset = field<double>{"offset", "See scale, where it is not 0"}.optional();
inline const field<bool> approximate{"approximate", "True when figures come from a sample"};
inline const gdalmcp::table band_table{"bands",
                                       "Statistics per band",
                                       {index,
                                        description,
                                        unit,
                                        valid_count,
                                        nodata_count,
                                        nan_count,
                                        infinite_count,
                                        min,
                                        min_at,
                                        max,
                                        max_at,
                                        mean,
                                        std_field,
                                        median,
                                        sum,
                                        percentile_values,
                                        histogram,
                                        class_table,
                                        class_total,
                                        classes_truncated,
                                        scale,
                                        offset,
                                        approximate}};

}  // namespace band_fields

// Which codes the caller wants counted.
struct class_wish {
    bool given = false, wanted = false;
    std::vector<std::int64_t> codes;  // empty: all
};

// One band during processing.
struct measured_band {
    GDALRasterBand* band;
    cell_type type;
    std::unique_ptr<statistics> s;
    bool declared_classes = false, counted = false;
    std::string name() const { return "band " + std::to_string(band->GetBand()); }
};

// Positions of cells: in the raster's CRS, and in degrees of WGS 84 if that is projected.
class places {
public:
    explicit places(const grid& g);
    void put(gdalmcp::place at, const cell_place& p) const;

private:
    const grid& grid_;
    gdalmcp::gdal::transformation to_wgs84_;
};

// The request for every band.
struct report_wish {
    std::vector<double> percentiles;
    std::optional<std::int64_t> bins;
    class_wish classes;
    bool with_areas = false;
    bool sampled = false;
    std::int64_t selected = 0;  // all cells, of which a sample reads some
};

// Bins of the histogram of a band. One bin per value if the range does not exceed the requested number; always for
// classes, as bins of several codes are meaningless.
std::size_t bins_of(const measured_band& band, std::int64_t asked);

// Adds a row to band_fields::band_table, with lines and warnings.
void put_band(gdalmcp::call& call, const measured_band& band, const report_wish& wish, const places& where);

}  // namespace gdalmcp_raster
