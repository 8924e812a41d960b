#include <chrono>
#include <cmath>
#include <gdalmcp/evidence.hpp>
#include <random>

#include "convert_arguments.hpp"
#include "evidence_tools.hpp"
#include "gdal_convert_options.hpp"
#include "gdal_convert_output.hpp"
#include "gdal_format_trial.hpp"
#include "gdal_stored_types.hpp"
#include "trial.hpp"

namespace gdalmcp_raster::conversion_loss {
namespace {

using namespace conversion;
using gdalmcp::arg;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace evidence = gdalmcp::evidence;

const arg<std::optional<std::string>> target_path{
    .name = "target", .about = "File it would be written to; the extension chooses the format. Default: .tif."};

const field<std::int64_t> cells_read{"cells_read", "Cells compared, over all bands; 0 where dtype holds every value",
                                     "cells"};
const field<std::int64_t> changed_cells{"changed_cells",
                                        "Of these, changed by dtype, scale or unscale, or taken for nodata", "cells"};
const field<std::int64_t> hidden_cells{"hidden_cells", "Changed cells that have the nodata value as data", "cells"};
const field<double> changed_share{"changed_share", "Their share", "0 to 1"};
const auto greatest_change =
    field<double>{"greatest_change", "Greatest change of a cell that keeps a value", "units of the values"}.optional();
const field<std::int64_t> cells_outside{
    "cells_outside", "Changed cells outside the range of dtype, which refuses them, or of scale, which clamps them",
    "cells"};
const field<std::int64_t> nan_lost{"nan_lost", "Of these, not a number", "cells"};
const auto unscaled_cells =
    field<std::int64_t>{"unscaled_cells",
                        "Of unscaled_read, those whose stored number differs from the real value that unscale writes",
                        "cells"}
        .optional();
const auto unscaled_read = field<std::int64_t>{"unscaled_read", "Cells with data compared for it", "cells"}.optional();
const auto bound_by_spread =
    field<double>{
        "bound_by_spread",
        "max_error, by the least standard deviation of a band's cells where it varies; absent without a bound", "ratio"}
        .optional();
const field<std::string> format{"format", "GDAL driver"};
const field<bool> codec_exact{"codec_lossless",
                              "Whether the format is known to return every stored value with these options"};
const auto facts_dropped =
    field<std::int64_t>{"facts_dropped", "Facts the format cannot keep; absent where it refuses the raster"}.optional();
const auto dropped = field<std::string>{"dropped", "These, with commas"}.optional();
const auto refusal = field<std::string>{"refusal", "Why the conversion would fail"}.optional();
const auto way_out = field<std::string>{"hint", "Which arguments would let it run"}.optional();

constexpr std::int64_t most_whole = std::int64_t{1} << 24;  // cells
constexpr int sample_side = 256, sample_blocks = 64;
constexpr std::chrono::milliseconds time_to_read{1500}, time_to_count{2300};

// Strips of the whole raster.
std::vector<window> strips_of(GDALDataset& view) {
    const window all{0, 0, view.GetRasterXSize(), view.GetRasterYSize()};
    std::vector<window> windows;
    const int step = strip_rows(all);
    for (int row = 0; row < all.height; row += step)
        windows.push_back({0, row, all.width, std::min(step, all.height - row)});
    return windows;
}

// The windows to read of each band: strips of the whole raster, or blocks of it in a fixed random order.
std::vector<window> windows_of(GDALDataset& view) {
    const window all{0, 0, view.GetRasterXSize(), view.GetRasterYSize()};
    if (all.cells() * view.GetRasterCount() <= most_whole) return strips_of(view);
    std::vector<window> windows;
    const int width = std::min(sample_side, all.width), height = std::min(sample_side, all.height);
    std::mt19937 random{20};
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int i = 0; i < std::max(1, sample_blocks / view.GetRasterCount()); ++i) {
        const int column = below(all.width - width + 1), row = below(all.height - height + 1);
        windows.push_back({column, row, width, height});
    }
    return windows;
}

struct reading {
    recoding_loss loss;
    std::int64_t all = 0;    // cells of the bands that had to be read
    std::int64_t added = 0;  // that have the nodata value the format adds
    bool whole = true;
    std::string by_statistics;  // "0 to 812": decided by the file's own statistics, not by every cell
    std::int64_t unscaled = 0, unscaled_cells = 0;  // differ from the stored number, of so many
};

std::int64_t cells_with(GDALRasterBand& band, double value, const window& w) {
    std::vector<double> values;
    std::vector<unsigned char> valid;
    read_strip(band, w, 0, w.height, values, valid);
    return std::count(values.begin(), values.end(), value);
}

// What the file itself says of a band's values, where it does not say so of a sample.
std::optional<std::array<double, 2>> stated_range(GDALRasterBand& band) {
    double low = 0, high = 0, mean = 0, deviation = 0;
    const gdal::quiet silence;
    if (band.GetStatistics(FALSE, FALSE, &low, &high, &mean, &deviation) != CE_None || !(low <= high)) return {};
    return {{low, high}};
}

bool all_within(GDALRasterBand& band, const std::array<double, 2>& range, const window& w) {
    std::vector<double> values;
    std::vector<unsigned char> valid;
    read_strip(band, w, 0, w.height, values, valid);
    const double margin = 1e-6 * std::max(std::abs(range[0]), std::abs(range[1]));  // of statistics written as text
    for (std::size_t i = 0; i < values.size(); ++i)
        if (valid[i] && (values[i] < range[0] - margin || values[i] > range[1] + margin)) return false;
    return true;
}

// Of a raster too large to read: whether its statistics say that no cell has the new nodata value, and no cell of the
// sample contradicts them. The range they give; empty: they do not say so.
std::string hidden_nowhere(GDALDataset& view, const recoding& r, const std::vector<window>& windows) {
    if (!r.nodata || r.type != GDT_Unknown || r.scale || r.unscale) return {};
    std::optional<std::array<double, 2>> reach;
    for (int i = 1; i <= view.GetRasterCount(); ++i) {
        auto& band = *view.GetRasterBand(i);
        const auto range = stated_range(band);
        if (!range || (*r.nodata >= (*range)[0] && *r.nodata <= (*range)[1])) return {};
        for (const auto& w : windows)
            if (!all_within(band, *range, w)) return {};
        reach = reach ? std::array{std::min((*reach)[0], (*range)[0]), std::max((*reach)[1], (*range)[1])} : *range;
    }
    return reach ? gdal::number_text((*reach)[0]) + " to " + gdal::number_text((*reach)[1]) : std::string{};
}

void count_unscaled(GDALDataset& view, const std::vector<window>& windows, std::chrono::steady_clock::time_point end,
                    reading& found) {
    std::vector<double> values;
    std::vector<unsigned char> valid;
    for (std::size_t n = 0; n < windows.size() && (n == 0 || std::chrono::steady_clock::now() < end); ++n)
        for (int i = 1; i <= view.GetRasterCount(); ++i) {
            auto& band = *view.GetRasterBand(i);
            const double scale = band.GetScale(), offset = band.GetOffset();
            read_strip(band, windows[n], 0, windows[n].height, values, valid);
            for (std::size_t k = 0; k < values.size(); ++k) {
                if (!valid[k] || std::isnan(values[k])) continue;
                ++found.unscaled_cells;
                found.unscaled += values[k] * scale + offset != values[k];
            }
        }
}

// added_nodata: as format_trial's.
reading measure(gdalmcp::call& call, GDALDataset& view, const recoding& r, GDALDataType type,
                const std::vector<std::optional<double>>& added_nodata) {
    reading found;
    const auto added = [&](int band) {
        const auto i = static_cast<std::size_t>(band - 1);
        return i < added_nodata.size() ? added_nodata[i] : std::nullopt;
    };
    std::vector<int> to_read;
    for (int i = 1; i <= view.GetRasterCount(); ++i)
        if (added(i) || !keeps_every_value(*view.GetRasterBand(i), r, type)) to_read.push_back(i);
    const auto windows = windows_of(view);
    const auto start = std::chrono::steady_clock::now();
    if (r.unscale) count_unscaled(view, windows, start + time_to_read, found);
    if (to_read.empty()) return found;
    const auto cells = window{0, 0, view.GetRasterXSize(), view.GetRasterYSize()}.cells();
    found.all = cells * static_cast<std::int64_t>(to_read.size());
    const auto count = [&](const std::vector<window>& of, std::chrono::steady_clock::time_point end, reading& to) {
        for (std::size_t i = 0; i < of.size() && (i == 0 || std::chrono::steady_clock::now() < end); ++i) {
            call.progress(0.9 * static_cast<double>(i) / static_cast<double>(of.size()), "comparing");
            for (const int number : to_read) {
                auto& band = *view.GetRasterBand(number);
                to.loss.add(loss_of(band, r, type, of[i]));
                if (const auto v = added(number)) to.added += cells_with(band, *v, of[i]);
            }
        }
        to.whole = to.loss.cells == to.all && (to.all <= most_whole || of.front().width == view.GetRasterXSize());
    };
    count(windows, start + time_to_read, found);
    if (found.whole || found.loss.changed > 0 || found.added > 0) return found;
    found.by_statistics = hidden_nowhere(view, r, windows);
    if (!found.by_statistics.empty()) return found;
    // Only every cell can show that none is lost, and many a large raster is read in time.
    auto every = found;
    every.loss = {};
    count(strips_of(view), start + time_to_count, every);
    return every.whole || every.loss.changed > 0 || every.added > 0 ? every : found;
}

// A bound on errors is large or small against how much the values differ. Of a sample: the first of these windows.
std::string put_bound(gdalmcp::call& call, GDALDataset& view, creation_options extra) {
    constexpr std::size_t most = 4;
    const auto bound = call[max_error] ? call[max_error] : extra.take_number("MAX_Z_ERROR");
    if (!bound || !(*bound > 0)) return {};
    auto windows = windows_of(view);
    windows.resize(std::min(windows.size(), most));
    double least = 0;
    for (auto&& band : view.GetBands()) {
        double variance = 0;
        for (const auto& w : windows) {
            cells c{w.width, w.height, {}, {}};
            read_strip(*band, w, 0, w.height, c.values, c.valid);
            if (const auto range = range_of(c)) variance = std::max(variance, range->variance);
        }
        if (variance > 0 && (least == 0 || variance < least)) least = variance;
    }
    if (least == 0) return {};
    const double ratio = *bound / std::sqrt(least);
    call.put(bound_by_spread, evidence::figure(ratio));
    return "errors up to " + gdal::number_text(*bound) + " are " + evidence::percent(ratio) +
           " of the standard deviation of the values";
}

std::string range_of_values(const recoding& r, GDALDataType type) {
    int clamped = 0, rounded = 0;
    const auto end = [&](double v) {
        return gdal::number_text(GDALAdjustValueToDataType(type, v, &clamped, &rounded));
    };
    if (r.scale) return gdal::number_text((*r.scale)[0]) + " to " + gdal::number_text((*r.scale)[1]);
    return end(-1e300) + " to " + end(1e300);
}

std::string values_clause(const reading& found, const recoding& r, GDALDataType type) {
    const auto& loss = found.loss;
    const auto cells_examined = (found.whole ? "" : "a sample of ") + std::to_string(loss.cells) + " cells";
    const auto share = [&](std::int64_t n) {
        return std::to_string(n) + " of " + cells_examined + " (" +
               evidence::percent(static_cast<double>(n) / static_cast<double>(loss.cells)) + ")";
    };
    if (found.added > 0) return "the format adds a nodata value that " + share(found.added) + " have as data";
    if (!r.changes()) return "no value is recoded";
    if (loss.hidden > 0 && loss.hidden == loss.changed)
        return "nodata " + gdal::number_text(*r.nodata) + " marks " + share(loss.hidden) +
               " as missing, all that hold it";
    const std::string by = r.scale                             ? "scale"
                           : r.unscale && type == GDT_Float64  ? "unscale"
                           : r.nodata && r.type == GDT_Unknown ? "nodata " + gdal::number_text(*r.nodata)
                                                               : dtype_name(type);
    if (r.unscale && found.all == 0 && found.unscaled_cells > 0)
        return "unscale replaces " + std::to_string(found.unscaled) + " of " + std::to_string(found.unscaled_cells) +
               " stored numbers by the real values they stand for";
    if (found.all == 0) return by + " holds every value";
    if (!found.by_statistics.empty())
        return "nodata " + gdal::number_text(*r.nodata) + " lies outside the statistics of the file (" +
               found.by_statistics + "), which " + std::to_string(loss.cells) + " cells confirm";
    if (loss.changed == 0) return by + " changes none of " + cells_examined;
    std::string s = by + " changes " + share(loss.changed);
    if (loss.hidden > 0) s += ", of which nodata hides " + std::to_string(loss.hidden);
    if (loss.greatest_change > 0) s += ", by up to " + evidence::text(loss.greatest_change);
    if (loss.outside > 0)
        s += "; " + std::to_string(loss.outside) + (loss.outside == 1 ? " lies" : " lie") + " outside " +
             range_of_values(r, type) + (r.scale && !r.unscale ? " as stored" : "");
    if (loss.not_a_number > 0) s += ", " + std::to_string(loss.not_a_number) + " of them not a number";
    return s;
}

void put_loss(gdalmcp::call& call, const reading& found) {
    const auto& loss = found.loss;
    call.put(cells_read, loss.cells);
    const auto all_changed = loss.changed + found.added;
    call.put(changed_cells, all_changed);
    call.put(
        changed_share,
        evidence::figure(loss.cells == 0 ? 0 : static_cast<double>(all_changed) / static_cast<double>(loss.cells)));
    if (loss.changed > loss.outside) call.put(greatest_change, evidence::figure(loss.greatest_change));
    call.put(hidden_cells, loss.hidden + found.added);
    call.put(cells_outside, loss.outside);
    call.put(nan_lost, loss.not_a_number);
    if (found.unscaled_cells > 0) {
        call.put(unscaled_cells, found.unscaled);
        call.put(unscaled_read, found.unscaled_cells);
    }
    call.put(evidence::approximate, !found.whole && found.by_statistics.empty());
    call.put(evidence::read, found.all == 0 ? std::string{"no cell"}
                             : !found.by_statistics.empty()
                                 ? "the statistics of the file, and " + std::to_string(loss.cells) + " of " +
                                       std::to_string(found.all) + " cells"
                                 : std::to_string(loss.cells) + " of " + std::to_string(found.all) +
                                       " cells; a corner of 64 x 64 was written and read back");
}

// The caller's options, and the compression where it is an argument: it decides whether alpha becomes a mask.
std::vector<std::string> trial_options(gdalmcp::call& call, GDALDriver& driver, const creation_options& extra) {
    const auto asked = call[compression];
    return extra.over(asked && geotiff(driver) ? std::vector<std::string>{"COMPRESS=" + asked->value}
                                               : std::vector<std::string>{});
}

std::string put_format(gdalmcp::call& call, const format_trial& found, const std::string& driver) {
    if (!found.refusal.empty()) {
        auto why = driver + " refuses the raster: " + found.refusal;
        std::replace(why.begin(), why.end(), '\n', ' ');
        why.erase(why.find_last_not_of(' ') + 1);
        call.put(refusal, why);
        return why;
    }
    std::string all;
    for (const auto& fact : found.dropped) all += (all.empty() ? "" : ", ") + fact;
    call.put(facts_dropped, static_cast<std::int64_t>(found.dropped.size()));
    if (all.empty()) return driver + " keeps every fact";
    call.put(dropped, all);
    return driver + " drops " + all;
}

// Why recode() would refuse, and the arguments that would help; empty: it would not.
struct refused_values {
    std::string why, hint;
};

refused_values values_refused(GDALDataset& view, const recoding& r, GDALDataType type, const reading& found) {
    if (!r.changes()) return {};
    const auto outside = r.scale ? 0 : found.loss.outside;
    const std::string lie = std::to_string(outside) + (outside == 1 ? " cell lies outside " : " cells lie outside ") +
                            range_of_values(r, type) + ", which " + dtype_name(type) + " holds";
    const std::string map_them = "map the values with 'scale': [from, to, to_from, to_to]";
    try {
        check_nodata(view, r, type);
    } catch (const gdalmcp::error& e) {
        return {e.message + (outside > 0 ? "; " + lie : ""), e.hint + (outside > 0 ? "; " + map_them : "")};
    }
    if (const auto n = found.loss.refused; n > 0 && r.nodata)
        return {std::to_string(n) + (n == 1 ? " cell is data but would equal" : " cells are data but would equal") +
                    " the nodata value " + gdal::number_text(*r.nodata) + ", and the raster marks others as missing",
                "choose a 'nodata' value that does not occur; if those cells lack data, raster_calc marks them: "
                "where(A == value, nodata(), A)"};
    if (outside == 0) return {};
    return {lie, "choose a wider 'dtype', or " + map_them};
}

void run(gdalmcp::call& call) {
    const auto source = open_raster(call[uri], call[subdataset]);
    const auto path = call[target_path].value_or("result.tif");
    const auto given = call[options_given].value_or(std::vector<std::string>{});
    auto& driver = target_driver(path, call[driver_wanted], true, given);
    const creation_options extra{driver, given};
    const auto view = view_of(*source, band_numbers(*source, call[bands]));
    const auto how = recoding_of(call, *view);
    // As the conversion itself would refuse it, before a reason is asked for.
    if (!how.changes()) {
        if (geotiff(driver)) {
            auto left = extra;
            check_packing(packing_of(call, driver, left, kind::continuous), driver, *view);
        }
        check_types(driver, *view);
    }
    const auto type = type_of_result(*view, how);
    const std::string extension = CPLGetExtension(path.c_str());
    const auto kept = try_format(*view, how, driver, trial_options(call, driver, extra),
                                 call.new_scratch("corner", extension.empty() ? "" : "." + extension));
    const auto found = measure(call, *view, how, type, kept.added_nodata);
    put_loss(call, found);
    // A .tif becomes a COG or a plain one, which keep the same.
    const std::string name = geotiff(driver) ? "GeoTIFF" : driver.GetDescription();
    // Lossless WebP does not keep the colours of transparent cells.
    const auto packed = call[compression] ? call[compression]->value : extra.get("COMPRESS").value_or(name);
    const bool exact = returns_every_value(call, driver, extra, type, view->GetRasterCount()) &&
                       !(EQUAL(packed.c_str(), "WEBP") && view->GetRasterCount() == 4);
    call.put(format, name);
    call.put(codec_exact, exact);
    const auto facts = put_format(call, kept, name);
    if (const auto values = values_refused(*view, how, type, found); !values.why.empty() && kept.refusal.empty()) {
        call.put(refusal, values.why);
        call.put(way_out, values.hint);
    }
    evidence::conclude(call,
                       {values_clause(found, how, type), put_bound(call, *view, extra), facts,
                        exact ? "" : "its compression may change values"},
                       "Each cell as stored against its value in the new type and scale; metadata read back from a "
                       "corner written in the format");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "conversion_loss",
     .title = "What a conversion loses",
     .about =
         "Losses of raster_convert before it runs: cells that dtype, scale or unscale change, by how much, and "
         "cells out of range, over all cells that can be read in 2 s, else over a sample; facts the format cannot keep "
         "(bands, mask, nodata, palette, colours, CRS, names); whether its compression returns every value. "
         "Takes the arguments of raster_convert; no result is written.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, target_path, driver_wanted, compression, quality, max_error, dtype_wanted, nodata_wanted, scale_wanted,
     unscale, bands, options_given, subdataset},
    {evidence::summary, evidence::source, evidence::approximate,
     evidence::read,    cells_read,       changed_cells,
     changed_share,     hidden_cells,     greatest_change,
     cells_outside,     nan_lost,         unscaled_cells,
     unscaled_read,     bound_by_spread,  format,
     codec_exact,       facts_dropped,    dropped,
     refusal,           way_out}};

}  // namespace gdalmcp_raster::conversion_loss
