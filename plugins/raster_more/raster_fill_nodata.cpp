#include <gdalmcp/gdal_kind.hpp>

#include "arguments.hpp"
#include "gdal_algorithms.hpp"
#include "tools.hpp"

namespace gdalmcp_raster_more::raster_fill_nodata {
namespace {

const arg<double> max_distance{.name = "max_distance",
                               .about = "How far to look for values; cells farther from all stay nodata.",
                               .unit = "cells",
                               .fallback = 100.0,
                               .min = 1,
                               .max = 100'000};
const arg<choice> method{.name = "method",
                         .about =
                             "inverse_distance weights the values around a gap; nearest (GDAL 3.9 or later) takes "
                             "one of them, as classes need.",
                         .fallback = choice{"inverse_distance"},
                         .values = {"inverse_distance", "nearest"},
                         .synonyms = {{"idw", "inverse_distance"}, {"inv_dist", "inverse_distance"}}};
const arg<std::int64_t> smoothing{
    .name = "smoothing", .about = "Passes of a 3 × 3 mean over the filled cells.", .fallback = 0, .min = 0, .max = 100};

const field<std::string> method_used{"method", "As used"};
const auto nodata = field<double>{"nodata", "Of cells still without data; absent when it is NaN"}.optional();
const field<std::int64_t> filled_count{"filled_count", "Cells filled", "cells"};
const field<std::int64_t> remaining_count{"remaining_count", "Cells still without data", "cells"};
const field<std::int64_t> known_count{"known_count", "Cells that had data, unchanged", "cells"};
const auto filled_min = field<double>{"filled_min", "Smallest value filled in; absent if none is"}.optional();
const auto filled_max = field<double>{"filled_max", "Largest value filled in"}.optional();

void require_measurements(gdalmcp::call& call, const std::string& path, GDALRasterBand& band) {
    if (call[method].value == "nearest") {
        if (call[smoothing] > 0)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "'smoothing' is " + std::to_string(call[smoothing]) + ", which averages what 'nearest' took",
                        "leave 'smoothing' out"};
        if (!fills_with_nearest())
            throw error{GDALMCP_UNSUPPORTED,
                        std::string{"'method' is nearest, which GDAL has from 3.9 on; this is "} + GDAL_RELEASE_NAME,
                        "for measurements use inverse_distance"};
        return;
    }
    const auto kind = gdal::kind_of(band);
    if (kind.kind == gdal::value_kind::angle)
        call.warn("the values are angles (" + kind.why + "): averages of angles on both sides of north are wrong");
    if (kind.kind == gdal::value_kind::unknown && whole_numbers(band.GetRasterDataType()))
        call.warn("the values are averaged, which is wrong if they are codes: " + kind.why);
    if (kind.kind != gdal::value_kind::classes && kind.kind != gdal::value_kind::qa_bits) return;
    throw error{
        GDALMCP_INVALID_ARGUMENT, path + " holds codes (" + kind.why + "), and inverse_distance would average them",
        std::string{fills_with_nearest() ? "give method: nearest" : "leave the gaps"} +
            (kind.certain ? "" : "; if they are measurements, convert them with raster_convert and dtype Float32")};
}

// The cells in their own type with `none` where there is no data; and 1 for those with data.
template <class T>
void copy_block(const gdal::block& b, T none) {
    const auto* cells = b.in<T>(0, 0);
    const auto* valid = b.valid(0, 0);
    auto* copy = b.out<T>(0, 0);
    auto* known = b.out<unsigned char>(1, 0);
    for (std::int64_t i = 0; i < b.cells(); ++i) {
        copy[i] = valid[i] ? cells[i] : none;
        known[i] = valid[i] != 0;
    }
}

struct filled_cells {
    std::int64_t known = 0, filled = 0, remaining = 0;
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;

    void merge(const filled_cells& o) {
        known += o.known;
        filled += o.filled;
        remaining += o.remaining;
        lowest = std::min(lowest, o.lowest);
        highest = std::max(highest, o.highest);
    }
};

// Takes the cells that had data from `source` again: GDAL filters in single precision, and rounds them and `none`.
template <class T>
filled_cells restore_block(const gdal::block& b, T none) {
    filled_cells f;
    const auto *source = b.in<T>(0, 0), *filled = b.in<T>(1, 0);
    const auto *known = b.valid(0, 0), *valid = b.valid(1, 0);
    auto* out = b.out<T>(0, 0);
    for (std::int64_t i = 0; i < b.cells(); ++i) {
        out[i] = known[i] ? source[i] : valid[i] ? filled[i] : none;
        f.known += known[i] != 0;
        f.remaining += !known[i] && !valid[i];
        if (known[i] || !valid[i]) continue;
        ++f.filled;
        f.lowest = std::min(f.lowest, static_cast<double>(filled[i]));
        f.highest = std::max(f.highest, static_cast<double>(filled[i]));
    }
    return f;
}

filled_cells restore(GDALRasterBand& source, GDALRasterBand& result, GDALDataType type, double none,
                     const progress& report) {
    gdal::block_job job;
    job.infinite_missing = true;
    job.read(source, type);
    job.read(result, type);
    job.write(result, type);
    std::vector<filled_cells> found(job.size().workers);
    job.run(report, [&](const gdal::block& b) {
        with_type(*cell_type_of(type),
                  [&](auto zero) { found[b.worker].merge(restore_block(b, static_cast<decltype(zero)>(none))); });
    });
    filled_cells all;
    for (const auto& f : found) all.merge(f);
    return all;
}

void run(gdalmcp::call& call) {
    const auto& path = call[uri].path;
    const auto opened = open_band(call, call[uri]);
    tell_lost_location(call, call[uri].path, *opened.file);
    const grid& on = opened.on;
    auto& band = opened.band;
    const auto type = gdal_type(cell_type_of(band));
    if (whole_numbers(type) && GDALGetDataTypeSizeBytes(type) > 4)
        throw error{GDALMCP_UNSUPPORTED, path + " holds " + dtype_name(type) + " values, which GDAL cannot fill",
                    "convert it with raster_convert and dtype Float64 or Int32"};
    require_measurements(call, path, band);
    const auto marker = missing_value(*opened.file, band, path);
    if (!marker)
        throw error{GDALMCP_INVALID_ARGUMENT, path + " declares no nodata: all its cells have data",
                    "state which value means no data with raster_convert and 'nodata'"};
    const double none = *marker;

    raster_output out{call[output].path, on, type, 1};
    out.tag_as(*opened.file);
    out.nodata(none);
    copy_meaning(band, out.band(1));
    const auto scratch = call.new_scratch("known", ".tif");
    raster_output known{scratch, on, GDT_Byte, 1};
    gdal::block_job copy;
    copy.infinite_missing = true;
    copy.read(band, type);
    copy.write(out.band(1), type);
    copy.write(known.band(1), GDT_Byte);
    copy.run(call.part(0, 0.15, "reading"), [&](const gdal::block& b) {
        with_type(*cell_type_of(type), [&](auto zero) { copy_block(b, static_cast<decltype(zero)>(none)); });
    });
    report_infinite(call, copy, path);

    const filling how{call[max_distance], static_cast<int>(call[smoothing]), call[method].value == "nearest"};
    fill(out.band(1), known.band(1), how, scratch.substr(0, scratch.rfind('/')), call.part(0.15, 0.85, "filling"));
    const auto cells = restore(band, out.band(1), type, none, call.part(0.85, 0.95));
    out.close();
    call.expect(output, expected_raster(on, 1, dtype_name(type)));

    call.put(method_used, call[method].value);
    if (!std::isnan(none)) call.put(nodata, none);
    call.put(known_count, cells.known);
    call.put(filled_count, cells.filled);
    call.put(remaining_count, cells.remaining);
    if (cells.filled > 0) {
        const double scale = band.GetScale(), offset = band.GetOffset();
        const double a = cells.lowest * scale + offset, b = cells.highest * scale + offset;
        call.put(filled_min, std::min(a, b));
        call.put(filled_max, std::max(a, b));
    }
    if (cells.known == 0)
        call.warn("no cell has data, so none could be filled");
    else if (cells.filled + cells.remaining == 0)
        call.warn("no cell is without data: the result is a copy");
    put_grid(call, on);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_fill_nodata", "Fill gaps",
     "Fills cells without data from the values around them, as gdal_fillnodata does: small voids of elevation models "
     "or measurements. Far from data the values are guesses: limit 'max_distance'. Cells with data do not change.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, max_distance, method, smoothing, standard::band, output, subdataset, overwrite},
    {method_used, nodata, filled_count, remaining_count, known_count, filled_min, filled_max, crs.all, width, height}};

}  // namespace gdalmcp_raster_more::raster_fill_nodata
