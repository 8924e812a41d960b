#include <gdalmcp/evidence.hpp>

#include "arguments.hpp"
#include "datasets/gdal_cell_size.hpp"
#include "evidence_tools.hpp"
#include "gdal_cut.hpp"
#include "gdal_kind.hpp"
#include "value_census.hpp"

namespace gdalmcp_raster::raster_profile {
namespace {

using gdalmcp::arg;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace evidence = gdalmcp::evidence;

const auto& band = gdalmcp::standard::band;

const field<std::string> dtype{"dtype", "Data type: Byte, UInt16, Int16, UInt32, Int32, Float32, Float64"};
const field<std::string> unit{"unit", "Unit of the values, scale and offset applied; empty when not declared"};
const field<bool> palette{"palette", "Whether the band has a colour table"};
const field<std::string> kind_field{"kind", "What the values look like: classes or continuous"};
const field<std::int64_t> distinct{"distinct_values", "Different values among the cells read, counted up to 256"};
const field<bool> more_distinct{"more_distinct", "Whether there are more than 256"};
const auto nodata =
    field<double>{"nodata", "Declared nodata value, as stored; left out when there is none or it is NaN"}.optional();
const field<std::string> mask{"mask", "How valid cells are marked: all_valid, nodata, alpha or mask_band"};
const field<double> nodata_share{"nodata_share", "Share of the cells without a value (nodata, mask, NaN, infinite)",
                                 "0 to 1"};
const field<double> suspect_value{"value", "The value, as stored"};
const field<double> suspect_share{"share", "Share of the valid cells that have it", "0 to 1"};
const field<double> suspect_next{"next", "The nearest other value, as stored"};
const gdalmcp::table suspected{"suspected_nodata",
                               "Extreme values that look like undeclared nodata; may be empty",
                               {suspect_value, suspect_share, suspect_next}};
const auto min = field<double>{"min", "Smallest value read, scale and offset applied"}.optional();
const auto max = field<double>{"max", "Greatest value read, scale and offset applied"}.optional();
const field<double> cell_width{"cell_width", "Width of a cell", "units of the CRS"};
const field<double> cell_height{"cell_height", "Height of a cell", "units of the CRS"};
const auto ground_width =
    field<double>{"ground_width", "True width of the middle cell; left out without a CRS", "m"}.optional();
const auto ground_height = field<double>{"ground_height", "True height of the middle cell", "m"}.optional();
const auto clipped =
    field<double>{"clipped_share", "Share of the geometry that lies outside the raster", "0 to 1"}.optional();
const auto inside_nodata =
    field<double>{
        "geometry_nodata_share",
        "Share without a value among the cells whose centre is in the geometry; left out where the sample has none",
        "0 to 1"}
        .optional();

struct reading {
    value_census cells;
    std::int64_t read = 0, all = 0;
};

// The cells of a window, or of those the zone selects, in blocks that are spread over it.
reading sample(gdalmcp::call& call, GDALRasterBand& b, const window& w, const zone_mask* zone, double from, double to) {
    reading found;
    found.all = w.cells();
    const auto blocks = evidence::spread_blocks(w.width, w.height);
    std::vector<double> values;
    std::vector<unsigned char> valid, selected;
    for (std::size_t n = 0; n < blocks.size(); ++n) {
        call.progress(from + (to - from) * static_cast<double>(n) / static_cast<double>(blocks.size()), "reading");
        const auto& k = blocks[n];
        const window block{w.column + k.column, w.row + k.row, k.width, k.height};
        read_strip(b, block, 0, k.height, values, valid);
        found.read += block.cells();
        if (!zone) {
            found.cells.see(values.data(), valid.data(), values.size());
            continue;
        }
        zone->read(k.row, k.height, selected);
        for (int row = 0; row < k.height; ++row)
            for (int column = 0; column < k.width; ++column) {
                const auto i = static_cast<std::size_t>(row) * static_cast<std::size_t>(k.width) +
                               static_cast<std::size_t>(column);
                const auto in_zone = static_cast<std::size_t>(row) * static_cast<std::size_t>(w.width) +
                                     static_cast<std::size_t>(k.column + column);
                if (selected[in_zone]) found.cells.see(&values[i], &valid[i], 1);
            }
    }
    return found;
}

// The clause about nodata.
std::string put_missing(gdalmcp::call& call, GDALRasterBand& b, const value_census& cells) {
    if (const auto v = shown_nodata(b)) call.put(nodata, *v);
    call.put(mask, std::string{mask_kind(b)});
    call.put(nodata_share, evidence::figure(cells.missing_share()));
    call.begin(suspected);
    std::string said = cells.missing() > 0 ? evidence::percent(cells.missing_share()) + " without a value" : "";
    if (cells.valid() == 0) return "no cell has a value";
    for (const auto& s : cells.suspects()) {
        auto row = call.add(suspected);
        row.put(suspect_value, s.value);
        row.put(suspect_share, evidence::figure(s.share));
        row.put(suspect_next, s.next);
        said += (said.empty() ? "" : ", ") + evidence::percent(s.share) + " are " + gdal::number_text(s.value) +
                ", which looks like undeclared nodata (next value " + evidence::text(s.next) + ")";
    }
    return said;
}

std::string put_values(gdalmcp::call& call, GDALRasterBand& b, const value_census& cells) {
    const auto judged = kind_of(b);
    const std::string type = dtype_name(b.GetRasterDataType());
    call.put(dtype, type);
    call.put(unit, std::string{b.GetUnitType()});
    call.put(palette, b.GetColorTable() != nullptr);
    call.put(kind_field, std::string{judged == kind::classes ? "classes" : "continuous"});
    call.put(distinct, static_cast<std::int64_t>(cells.distinct()));
    call.put(more_distinct, cells.more_distinct());
    std::string said = type + (b.GetColorTable() ? " with a palette" : "") + ", values look " +
                       (judged == kind::classes ? "like class codes" : "continuous");
    if (cells.valid() == 0) return said;
    const auto shown = [&](double stored) { return stored * b.GetScale() + b.GetOffset(); };
    const double low = std::min(shown(cells.min()), shown(cells.max()));
    const double high = std::max(shown(cells.min()), shown(cells.max()));
    call.put(min, low);
    call.put(max, high);
    const std::string in = *b.GetUnitType() ? std::string{" "} + b.GetUnitType() : std::string{};
    return said + " (" + (cells.more_distinct() ? "over " : "") + std::to_string(cells.distinct()) + " values, " +
           evidence::text(low) + " to " + evidence::text(high) + in + ")";
}

std::string put_cell(gdalmcp::call& call, const grid& g) {
    call.put(cell_width, g.cell_width());
    call.put(cell_height, g.cell_height());
    const auto size = g.georeferenced ? cell_size_of(g, g.width / 2, g.height / 2) : std::nullopt;
    if (!size) return "";
    call.put(ground_width, evidence::figure(size->width));
    call.put(ground_height, evidence::figure(size->height));
    return "cells of " + evidence::text(size->width) + " x " + evidence::text(size->height) + " m";
}

void run(gdalmcp::call& call) {
    const auto source = open_raster(call[uri], call[subdataset]);
    auto& b = *source->GetRasterBand(band_numbers(*source, {{call[band]}}).front());
    require_real(b);
    const grid g = grid_of(*source);
    const auto whole = sample(call, b, {0, 0, g.width, g.height}, nullptr, 0, 0.5);
    std::vector<std::string> clauses{put_values(call, b, whole.cells), put_missing(call, b, whole.cells)};
    bool all = whole.read == whole.all;
    auto cells_read = whole.read;
    std::string read = std::to_string(whole.read) + " of " + std::to_string(whole.all) + " cells";
    if (const auto area = call[gdalmcp::standard::geometry]) {
        const auto placed = gdal::place_geometry(*area, call[gdalmcp::standard::geometry_crs], {g.crs, g.extent()});
        const zone_mask zone{*placed.shape, g, false};
        const auto inside = sample(call, b, zone.bounds(), &zone, 0.5, 1);
        call.put(clipped, evidence::figure(zone.outside_share()));
        std::string said = evidence::percent(zone.outside_share()) + " of the geometry lies outside the raster";
        if (inside.cells.valid() + inside.cells.missing() > 0) {
            call.put(inside_nodata, evidence::figure(inside.cells.missing_share()));
            said += ", " + evidence::percent(inside.cells.missing_share()) + " of its cells have no value";
        }
        clauses.insert(clauses.begin(), said);
        all = all && inside.read == inside.all;
        cells_read = inside.read;  // which the sample of the whole may overlap
        read += ", " + std::to_string(inside.read) + " of " + std::to_string(inside.all) + " around the geometry";
    }
    clauses.push_back(put_cell(call, g));
    const auto sampled = evidence::put_read(call, all, read, std::to_string(cells_read) + " cells");
    clauses.insert(clauses.begin(), sampled);
    evidence::conclude(call, clauses,
                       "Cells read in full resolution; classes: a palette or names, else at most 64 whole numbers "
                       "whose differing neighbours mostly differ by more than 1; cell size along geodesics");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "raster_profile",
     .title = "What a raster holds",
     .about =
         "Nature of a band's values: type, palette, classes or continuous, different values, range, share without "
         "a "
         "value, extremes that look like undeclared nodata, true cell size; and of a geometry the share outside the "
         "raster and the share without a value inside. Nothing is written. Above 1024 x 1024 cells 16 blocks of "
         "256 x 256 are read.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, band, gdalmcp::standard::geometry, gdalmcp::standard::geometry_crs, subdataset},
    {evidence::summary,
     evidence::source,
     evidence::approximate,
     evidence::read,
     dtype,
     unit,
     palette,
     kind_field,
     distinct,
     more_distinct,
     nodata,
     mask,
     nodata_share,
     suspected,
     min,
     max,
     cell_width,
     cell_height,
     ground_width,
     ground_height,
     clipped,
     inside_nodata}};

}  // namespace gdalmcp_raster::raster_profile
