#include <chrono>
#include <gdalmcp/evidence.hpp>
#include <random>

#include "convert_arguments.hpp"
#include "evidence_tools.hpp"
#include "gdal_convert_options.hpp"
#include "gdal_convert_output.hpp"
#include "gdal_format_trial.hpp"

namespace gdalmcp_raster {
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
const field<std::int64_t> changed_cells{"changed_cells", "Of these, changed by dtype, scale or unscale", "cells"};
const field<double> changed_share{"changed_share", "Their share", "0 to 1"};
const auto greatest_change =
    field<double>{"greatest_change", "Greatest change of a cell that keeps a value", "units of the values"}.optional();
const field<std::int64_t> cells_outside{
    "cells_outside", "Changed cells outside the range of dtype, which refuses them, or of scale, which clamps them",
    "cells"};
const field<std::int64_t> nan_lost{"nan_lost", "Of these, not a number", "cells"};
const field<std::string> format{"format", "GDAL driver"};
const field<bool> codec_exact{"codec_lossless",
                              "Whether the format is known to return every stored value with these options"};
const auto facts_dropped =
    field<std::int64_t>{"facts_dropped", "Facts the format cannot keep; absent where it refuses the raster"}.optional();
const auto dropped = field<std::string>{"dropped", "These, with commas"}.optional();
const auto refusal = field<std::string>{"refusal", "Why the driver refuses the raster"}.optional();

constexpr std::int64_t most_whole = std::int64_t{1} << 24;  // cells
constexpr int sample_side = 256, sample_blocks = 64;
constexpr std::chrono::milliseconds time_to_read{1500};

// The windows to read of each band: strips of the whole raster, or blocks of it in a fixed random order.
std::vector<window> windows_of(GDALDataset& view) {
    const window all{0, 0, view.GetRasterXSize(), view.GetRasterYSize()};
    std::vector<window> windows;
    if (all.cells() * view.GetRasterCount() <= most_whole) {
        const int step = strip_rows(all);
        for (int row = 0; row < all.height; row += step)
            windows.push_back({0, row, all.width, std::min(step, all.height - row)});
        return windows;
    }
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
    std::int64_t all = 0;  // cells of the bands that had to be read
    bool whole = true;
};

reading measure(gdalmcp::call& call, GDALDataset& view, const recoding& r, GDALDataType type) {
    reading found;
    std::vector<GDALRasterBand*> to_read;
    for (auto&& band : view.GetBands())
        if (!keeps_every_value(*band, r, type)) to_read.push_back(band);
    if (to_read.empty()) return found;
    const auto cells = window{0, 0, view.GetRasterXSize(), view.GetRasterYSize()}.cells();
    found.all = cells * static_cast<std::int64_t>(to_read.size());
    const auto windows = windows_of(view);
    const auto end = std::chrono::steady_clock::now() + time_to_read;
    for (std::size_t i = 0; i < windows.size() && (i == 0 || std::chrono::steady_clock::now() < end); ++i) {
        call.progress(0.9 * static_cast<double>(i) / static_cast<double>(windows.size()), "comparing");
        for (auto* band : to_read) found.loss.add(loss_of(*band, r, type, windows[i]));
    }
    found.whole = found.loss.cells == found.all && found.all <= most_whole;
    return found;
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
    if (!r.changes()) return "no value is recoded";
    const std::string by = r.scale ? "scale" : r.unscale && type == GDT_Float64 ? "unscale" : dtype_name(type);
    if (found.all == 0) return by + " holds every value";
    if (loss.changed == 0) return by + " changes none of " + std::to_string(loss.cells) + " cells";
    std::string s = by + " changes " + std::to_string(loss.changed) + " of " + std::to_string(loss.cells) + " cells (" +
                    evidence::percent(static_cast<double>(loss.changed) / static_cast<double>(loss.cells)) + ")";
    if (loss.greatest_change > 0) s += ", by up to " + evidence::text(loss.greatest_change);
    if (loss.outside > 0)
        s += "; " + std::to_string(loss.outside) + (loss.outside == 1 ? " lies" : " lie") + " outside " +
             range_of_values(r, type);
    if (loss.not_a_number > 0) s += ", " + std::to_string(loss.not_a_number) + " of them not a number";
    return s;
}

void put_loss(gdalmcp::call& call, const reading& found) {
    const auto& loss = found.loss;
    call.put(cells_read, loss.cells);
    call.put(changed_cells, loss.changed);
    call.put(changed_share, loss.cells == 0 ? 0 : static_cast<double>(loss.changed) / static_cast<double>(loss.cells));
    if (loss.changed > loss.outside) call.put(greatest_change, loss.greatest_change);
    call.put(cells_outside, loss.outside);
    call.put(nan_lost, loss.not_a_number);
    call.put(evidence::approximate, !found.whole);
    call.put(evidence::read, found.all == 0 ? std::string{"no cell"}
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
        call.put(refusal, found.refusal);
        return driver + " refuses the raster: " + found.refusal;
    }
    std::string all;
    for (const auto& fact : found.dropped) all += (all.empty() ? "" : ", ") + fact;
    call.put(facts_dropped, static_cast<std::int64_t>(found.dropped.size()));
    if (all.empty()) return driver + " keeps every fact";
    call.put(dropped, all);
    return driver + " drops " + all;
}

void run(gdalmcp::call& call) {
    const auto source = open_raster(call[uri], call[subdataset]);
    const auto path = call[target_path].value_or("result.tif");
    const auto given = call[options_given].value_or(std::vector<std::string>{});
    auto& driver = target_driver(path, call[driver_wanted], true, given);
    const creation_options extra{driver, given};
    const auto view = view_of(*source, band_numbers(*source, call[bands]));
    const auto how = recoding_of(call, *view);
    const auto type = type_of_result(*view, how);
    const auto found = measure(call, *view, how, type);
    put_loss(call, found);
    const std::string name = driver.GetDescription();
    // Lossless WebP does not keep the colours of transparent cells.
    const auto packed = call[compression] ? call[compression]->value : extra.get("COMPRESS").value_or(name);
    const bool exact =
        returns_every_value(call, driver, extra) && !(EQUAL(packed.c_str(), "WEBP") && view->GetRasterCount() == 4);
    call.put(format, name);
    call.put(codec_exact, exact);
    const std::string extension = CPLGetExtension(path.c_str());
    const auto kept = try_format(*view, how, driver, trial_options(call, driver, extra),
                                 call.new_scratch("corner", extension.empty() ? "" : "." + extension));
    const auto facts = put_format(call, kept, name);
    evidence::conclude(call, {values_clause(found, how, type), facts, exact ? "" : "its compression may change values"},
                       "Each cell as stored against its value in the new type and scale; metadata read back from a "
                       "corner written in the format");
}

}  // namespace

const gdalmcp::tool conversion_loss{
    {.name = "conversion_loss",
     .title = "What a conversion loses",
     .about = "Losses of raster_convert before it runs: cells that dtype, scale or unscale change, by how much, and "
              "cells out of range, over all cells up to 16 million, else over a sample; facts the format cannot keep "
              "(bands, mask, nodata, palette, colours, CRS, names); whether its compression returns every value. "
              "Takes the arguments of raster_convert; no result is written.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, target_path, driver_wanted, compression, quality, max_error, dtype_wanted, nodata_wanted, scale_wanted,
     unscale, bands, options_given, subdataset},
    {evidence::summary, evidence::source, evidence::approximate, evidence::read, cells_read, changed_cells,
     changed_share, greatest_change, cells_outside, nan_lost, format, codec_exact, facts_dropped, dropped, refusal}};

}  // namespace gdalmcp_raster
