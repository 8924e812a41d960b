// gdal_class_source.hpp — the classes of a raster, or the pairs of classes of two on one grid, read for a sweep.
#pragma once
#include <gdalmcp/gdal_class_names.hpp>

#include "class_code.hpp"
#include "gdal_zones.hpp"

namespace gdalmcp_aggregation {

class class_source {
public:
    // band: of both. Refused, with the next step: floating-point and scaled values, and a second raster of other cells.
    // Warns of a value that looks like undeclared nodata, and of what was assumed about the CRS of the second.
    class_source(gdalmcp::call& call, const gdalmcp::raster& of, const std::optional<gdalmcp::raster>& against,
                 int band);

    const value_raster& values() const { return values_; }
    bool pairs() const { return against_.has_value(); }
    std::string path() const;  // of both

    // class_code::packed() of each cell, every cell valid. Refused: codes beyond class_code::limit.
    block_values read(const window& block) const;

    const gdalmcp::gdal::class_names& names() const { return names_; }
    const gdalmcp::gdal::class_names& names_against() const { return names_against_; }

private:
    value_raster values_;
    std::optional<value_raster> against_;
    int band_;
    gdalmcp::gdal::class_names names_, names_against_;
};

}  // namespace gdalmcp_aggregation
