#include "gdal_whole_type.hpp"

#include <algorithm>

#include "calculated_cells.hpp"
#include "gdal_cell_type.hpp"
#include "gdal_marking.hpp"

namespace gdalmcp_raster {

std::optional<stored_as> whole_type(const std::vector<GDALRasterBand*>& bands, const constants& others,
                                    std::optional<double> asked) {
    auto held = GDT_Byte;
    std::vector<double> candidates;
    for (auto* band : bands) {
        if (!whole_numbers(band->GetRasterDataType()) || band->GetScale() != 1 || band->GetOffset() != 0) return {};
        const bool signed_bytes = cell_type_of(*band) == cell_type::int8;
        held = GDALDataTypeUnion(held, signed_bytes ? GDT_Int16 : band->GetRasterDataType());
        if (const auto own = nodata_of(*band)) candidates.push_back(*own);
    }
    const auto is_datum = [&](double v) {
        return (others.lowest <= v && v <= others.highest) ||
               std::any_of(bands.begin(), bands.end(), [&](GDALRasterBand* band) {
                   const auto none = nodata_of(*band);
                   return holds(cell_type_of(*band), v) && (!none || *none != v);
               });
    };
    for (const auto type : {GDT_Byte, GDT_UInt16, GDT_Int16, GDT_Int32}) {
        const auto cells = *cell_type_of(type);
        if (GDALDataTypeUnion(type, held) != type) continue;
        if (others.lowest <= others.highest && !(holds(cells, others.lowest) && holds(cells, others.highest))) continue;
        if (asked) {
            if (holds(cells, *asked)) return stored_as{type, asked};
            continue;
        }
        auto possible = candidates;
        possible.push_back(default_nodata(cells));
        for (const double none : possible)
            if (holds(cells, none) && !is_datum(none)) return stored_as{type, none};
    }
    return {};
}

}  // namespace gdalmcp_raster
