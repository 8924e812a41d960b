// gdal_trial_piece.hpp — a piece of a raster to try resampling methods on, all onto one grid. By GDAL's warper, as the
// tools do it.
#pragma once
#include "datasets/gdal_cell_size.hpp"
#include "gdal_zone_mask.hpp"
#include "trial.hpp"

namespace gdalmcp_raster {

// The request: another CRS, another cell size, or both.
struct trial_grid {
    OGRSpatialReference crs;                 // that of the result
    bool reprojected = false;                // it is not the raster's own
    double cell_width = 0, cell_height = 0;  // of the result, in its CRS
    double support = 1;                      // input cells per output cell, on the ground, in the middle of `place`
    cell_size from, to;                      // sizes of the two cells there; in units of the CRS where there is none
    std::array<double, 2> corner{};          // of a cell of the result
    std::optional<OGREnvelope> extent{};     // of the result, where one is asked for
    window place{};                          // the cells of the raster that it is tried on
};

// How large the result's cells shall be. Nothing given: what GDAL suggests for the CRS.
struct wanted_cells {
    std::vector<double> resolution{};         // one number or [x, y], in units of the result's CRS
    std::optional<double> width{}, height{};  // or the number of columns and rows; of one alone, cells are square
    std::vector<double> bounds{};             // of the result, [minx, miny, maxx, maxy]; default: the whole raster
    std::optional<OGRSpatialReference> bounds_crs{};  // default: that of the result
    std::optional<std::array<double, 2>> corner{};    // of a cell of the result; default: that of its extent
    bool none() const { return resolution.empty() && !width && !height && bounds.empty(); }
};

// Refused if neither another CRS nor cells are wanted.
trial_grid plan_trial(GDALDataset& source, const std::optional<OGRSpatialReference>& dst_crs,
                      const wanted_cells& wanted);

// Whether the cells of the raster, at 21 x 21 places over all that is asked for, lie where those of the result do: then
// no method changes them.
bool cells_coincide(GDALDataset& source, const trial_grid& plan);

class trial_piece {
public:
    static constexpr int max_side = 512, least_cells_out = 64;

    // Cells in the middle of the plan's place, onto cells that lie as the plan's corner has them; where less than half
    // of them have a value, of another place with more. type: of the tools' result, where it is no sum.
    trial_piece(GDALDataset& source, int band, const trial_grid& plan, GDALDataType type);

    const window& place() const { return place_; }
    const cells& input() const { return input_; }
    // method: one of our names. In the type that the tools write. Not valid where the piece has no value, or ends.
    cells resampled(const std::string& method) const;
    // The same without rounding to the raster's data type.
    cells resampled_exactly(const std::string& method) const;
    // Where the centres of the output cells lie in the input, in columns and rows of it.
    void origins(std::vector<double>& x, std::vector<double>& y) const;

private:
    // type: of the output; "" = that of the tools' output.
    std::array<double, 4> whole_extent() const;
    gdalmcp::gdal::dataset_ptr warped(const std::string& method, const std::array<double, 4>& extent,
                                      const char* type = "") const;

    const trial_grid& plan_;
    GDALDataType type_;
    window place_;
    std::array<int, 2> margin_{};              // columns and rows of piece_ left of it and above
    gdalmcp::gdal::dataset_ptr piece_, seen_;  // seen_: as GDAL is shown it, of floating-point numbers
    std::array<double, 4> extent_{};           // of the output, fixed by the first warp
    cells input_, nearest_;
};

// Sides of the piece in input cells: at most 512 x 512, fewer where the output would have more than that. Nothing where
// no piece of that size gives a trial: its output would have fewer than 8 x 8 cells, or more than 2048 x 2048.
std::optional<int> trial_side(double support, int columns, int rows);

}  // namespace gdalmcp_raster
