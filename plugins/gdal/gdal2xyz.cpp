// gdal2xyz: a line of text for each cell, with the coordinates of its centre and its values.
#include <charconv>
#include <cmath>
#include <fstream>

#include "arguments.hpp"
#include "datasets/gdal_grid.hpp"
#include "datasets/gdal_raster_source.hpp"
#include "gdal_cell_rows.hpp"
#include "raster/gdal_undeclared_nodata.hpp"
#include "tools.hpp"

namespace gdalmcp_gdal::gdal2xyz {
namespace {

using namespace gdalmcp_datasets;

const arg<gdalmcp::raster> dataset{.name = "dataset",
                                   .about = "Path to a raster or vector dataset accessible to the server"};
const auto target = target_argument<gdalmcp::output_table>(
    "dst_csv", "Optional path; null means the server will create a temporary file. Ends in .csv");
const arg<bool> skip_nodata{
    .name = "skip_nodata",
    .about = "Skip nodata values: cells without data in all of the bands. Default: their nodata value is written",
    .fallback = false};
const arg<std::optional<std::vector<std::string>>> bands{
    .name = "bands", .about = "Bands to extract. Default: the first", .pattern = "^[1-9][0-9]*$"};
const arg<choice> output_format{.name = "output_format",
                                .about =
                                    "Output format: CSV or numpy. Only CSV is written: x, y of the cell's "
                                    "centre in units of the CRS, and a column for each band",
                                .fallback = choice{"CSV"},
                                .values = {"CSV", "numpy"}};

const uri_of_output xyz_uri{"xyz_uri", "URI of the CSV or array output"};

std::vector<int> wanted_bands(gdalmcp::call& call, GDALDataset& from) {
    const auto texts = call[bands];
    if (!texts || texts->empty()) return band_numbers(from, std::vector<std::int64_t>{1});
    return band_numbers(from, numbers_of(*texts));
}

// The text holds no scale and no unit.
void warn_of_values(gdalmcp::call& call, const std::string& path, GDALRasterBand& band) {
    const std::string name = "band " + std::to_string(band.GetBand()) + " of " + path;
    if (band.GetScale() != 1 || band.GetOffset() != 0)
        call.warn("values of " + name + " are written as stored: its scale " + gdal::number_text(band.GetScale()) +
                  " and offset " + gdal::number_text(band.GetOffset()) +
                  " are not applied; gdal_translate with unscale makes a copy of the true values");
    gdalmcp_raster::warn_of_undeclared_nodata(call, path, band);
}

// The lines of the text, as many digits as tell each number from its neighbours.
class xyz_text {
public:
    xyz_text(const std::string& path, GDALDataset& from, const std::vector<int>& numbers)
        : path_{path}, file_{path, std::ios::binary} {
        line_ = "x,y";
        for (const int b : numbers) {
            line_ += ",band_" + std::to_string(b);
            single_.push_back(from.GetRasterBand(b)->GetRasterDataType() == GDT_Float32);
        }
        line_ += '\n';
    }
    void add(double x, double y, const cell_row& row, std::size_t column) {
        number(x);
        line_ += ',';
        number(y);
        for (std::size_t i = 0; i < single_.size(); ++i) {
            line_ += ',';
            const double v = row.values[i][column];
            single_[i] ? number(static_cast<float>(v)) : number(v);
        }
        line_ += '\n';
        if (line_.size() > (std::size_t{1} << 20)) flush();
        ++lines_;
    }
    std::int64_t close() {
        flush();
        file_.close();
        check();
        return lines_;
    }

private:
    template <class Real>
    void number(Real v) {
        char digits[32];
        line_.append(digits, std::to_chars(digits, digits + sizeof digits, v).ptr);
    }
    void flush() {
        file_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
        line_.clear();
        check();
    }
    void check() const {
        if (!file_) throw error{GDALMCP_IO, "cannot write " + path_, "check the free space where it is written"};
    }
    std::string path_, line_;
    std::ofstream file_;
    std::vector<bool> single_;  // of 24 bits, by column
    std::int64_t lines_ = 0;
};

void run(gdalmcp::call& call) {
    if (call[output_format].value == "numpy")
        throw error{GDALMCP_UNSUPPORTED, "'output_format' is numpy, and only CSV is written",
                    "leave it out; numpy.loadtxt(path, delimiter=',', skiprows=1) reads the CSV"};
    const auto from = open_raster(call[dataset]);
    const auto numbers = wanted_bands(call, *from);
    const grid on = grid_of(*from);
    if (!on.georeferenced) call.warn("the raster has no geotransform: x and y are columns and rows");
    const bool skips = call[skip_nodata];
    for (const int b : numbers) warn_of_values(call, call[dataset].path, *from->GetRasterBand(b));
    const auto& t = on.geotransform;
    cell_rows rows{*from, numbers};
    xyz_text text{call[target].path, *from, numbers};
    std::int64_t without_data = 0;
    for (int row = 0; row < on.height; ++row) {
        const auto& cells = rows.read(row);
        for (int column = 0; column < on.width; ++column) {
            const auto at = static_cast<std::size_t>(column);
            const auto missing = [&](const auto& of_band) { return of_band[at] == 0; };
            if (std::all_of(cells.valid.begin(), cells.valid.end(), missing)) {
                if (skips) continue;
                ++without_data;
            }
            const double x = column + 0.5, y = row + 0.5;
            text.add(t[0] + x * t[1] + y * t[2], t[3] + x * t[4] + y * t[5], cells, at);
        }
        call.progress((row + 1.0) / on.height, "writing cells");
    }
    const auto lines = text.close();
    if (lines == 0) call.warn("no cell has data; the table has no lines");
    if (without_data > 0)
        call.warn(std::to_string(without_data) + " of " + std::to_string(lines) +
                  " lines are of cells without data, with the value stored there: skip_nodata leaves them out");
    call.expect(target, {.features = lines});
    call.say(std::to_string(lines) + " cells" +
             (on.crs.IsEmpty() ? std::string{} : ", coordinates in " + gdal::crs_label(on.crs)));
}

}  // namespace

const gdalmcp::tool tool{{"gdal2xyz", "gdal2xyz",
                          "Converts a raster dataset into x/y/z points; supports multiple bands and nodata handling.",
                          GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
                         run,
                         {dataset, target, skip_nodata, bands, output_format, overwrite},
                         {xyz_uri}};

}  // namespace gdalmcp_gdal::gdal2xyz
