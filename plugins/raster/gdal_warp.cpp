#include "gdal_warp.hpp"

#include <gdal_utils.h>
#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_kind.hpp>
#include <gdalmcp/gdal_undeclared.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "datasets/gdal_class_table.hpp"
#include "datasets/gdal_finite_view.hpp"
#include "datasets/gdal_flow_tags.hpp"
#include "datasets/gdal_output.hpp"
#include "datasets/gdal_programs.hpp"
#include "datasets/gdal_raster_format.hpp"
#include "gdal_another_turn.hpp"
#include "gdal_common_window.hpp"
#include "gdal_cutline.hpp"
#include "gdal_faithful_clones.hpp"
#include "gdal_fidelity.hpp"
#include "gdal_marking.hpp"
#include "gdal_resampling_doubts.hpp"
#include "gdal_watched_raster.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

namespace {

constexpr const char* too_large =
    "check that the raster lies in the area of use of dst_crs; give 'bounds' or 'resolution' if the result is too "
    "large";

gdal::words creation(GDALDriver& driver) {
    gdal::words words{"-of", driver.GetDescription()};
    for (const auto& option : plain_options(driver)) words.add("-co", option);
    return words;
}

// Points that PROJ cannot transform become cells without data, not a failure.
bool failed() { return CPLGetLastErrorType() == CE_Failure && std::strncmp(CPLGetLastErrorMsg(), "PROJ: ", 6) != 0; }

// gdal_translate with these arguments; the dataset is complete.
gdal::dataset_ptr translated(GDALDataset& source, gdal::words words, const destination& to, const std::string& doing) {
    // Masks go inside the file, not beside it.
    const CPLConfigOptionSetter internal{"GDAL_TIFF_INTERNAL_MASK", "YES", false};
    auto out = translate(source, to.path, std::move(words), {to.progress, to.progress_argument});
    if (!out) gdal::raise(doing);
    out->FlushCache();
    if (CPLGetLastErrorType() == CE_Failure) gdal::raise(doing);
    return out;
}

bool any_may_repeat(const std::vector<GDALDataset*>& sources, const warp_request& r) {
    return std::any_of(sources.begin(), sources.end(), [&](auto* s) {
        auto on = grid_of(*s);
        on.crs = source_crs(*s, r);
        return may_repeat(on, r.dst_crs, r.bounds || r.align_to);
    });
}

// For plain sources: two rows of blocks of what is read and of what is written, which are no other cells.
std::optional<gdal::small_block_cache> cache_of_warp(const std::vector<GDALDataset*>& sources) {
    if (!std::all_of(sources.begin(), sources.end(), [](auto* s) { return gdal::is_plain_tiff(*s); })) return {};
    std::int64_t bytes = 0;
    for (auto* s : sources)
        for (auto* band : s->GetBands()) bytes += 4 * gdal::bytes_of_block_row(*band, s->GetRasterXSize());
    return std::optional<gdal::small_block_cache>{std::in_place, bytes};
}

gdal::dataset_ptr warped_once(const std::vector<GDALDataset*>& sources, const warp_request& r, const destination& to) {
    const outline_kept guard_of_outline{any_may_repeat(sources, r)};
    const auto cache = cache_of_warp(sources);
    gdal::words words = creation(to.driver);
    for (const auto& word : gdalwarp_arguments(r, false)) words.add(word);
    std::optional<faithful_clones> guard;  // of one transformer
    if (auto& first = *sources.front(); sources.size() == 1) {
        if (gdal::threads_of_call() > 1) words.add("-multi");
        words.add("-wo", "NUM_THREADS=" + kernel_threads(first));
        guard.emplace();
    }
    return warp_by_program(sources, to.path, std::move(words), {to.progress, to.progress_argument});
}

// Keeps the warnings of an attempt, GEOS' about its cutline among them: they count where no other attempt follows.
class held_warnings {
public:
    held_warnings() { CPLPushErrorHandlerEx(keep, this); }
    ~held_warnings() { release(); }
    held_warnings(const held_warnings&) = delete;
    held_warnings& operator=(const held_warnings&) = delete;

    void release() {
        if (!std::exchange(holding_, false)) return;
        CPLPopErrorHandler();
        lost_.pass_on();
    }
    // The last error stays what it is.
    void pass_on() {
        release();
        const auto type = CPLGetLastErrorType();
        const auto number = CPLGetLastErrorNo();
        const std::string message = CPLGetLastErrorMsg();
        for (const auto& text : texts_) CPLError(CE_Warning, CPLE_AppDefined, "%s", text.c_str());
        CPLErrorSetState(type, number, message.c_str());
    }

private:
    static void CPL_STDCALL keep(CPLErr level, CPLErrorNum, const char* message) {
        auto& self = *static_cast<held_warnings*>(CPLGetErrorHandlerUserData());
        if (!self.lost_.hear(level, message) && level == CE_Warning) self.texts_.emplace_back(message);
    }
    gdal::lost_cells lost_;
    std::vector<std::string> texts_;
    bool holding_ = true;
};

bool last_error_says(const char* words) { return std::strstr(CPLGetLastErrorMsg(), words) != nullptr; }

// A cutline that is invalid on the cells is repaired there for a second attempt.
gdal::dataset_ptr warped_within_cutline(const std::vector<GDALDataset*>& sources, const warp_request& r,
                                        const destination& to) {
    held_warnings heard;
    auto out = warped_once(sources, r, to);
    heard.release();
    if (out || !last_error_says("Cutline polygon is invalid")) {
        heard.pass_on();
        return out;
    }
    auto mended = r;
    const gdal::detail::memory_file copy{CPLSPrintf("/vsimem/cutline-%p.fgb", static_cast<const void*>(&mended))};
    mended.cutline = copy.path;
    mended.cutline_layer = "cutline";
    auto& first = *sources.front();
    if (!mend_cutline(r.cutline, r.cutline_layer, first, source_crs(first, r), copy.path)) return nullptr;
    gdal::detail::caution("slivers of 'cutline' collapse on the cells of the raster, and are left out");
    CPLErrorReset();
    return warped_once(sources, mended, to);
}

// What numbers mean that refer to the cells they were computed on: the directions of flow, and counts of cells. Where a
// shift of the datum moves the whole grid, each value stays beside its neighbours.
void settle_references_to_cells(const std::vector<GDALDataset*>& sources, const std::string& name,
                                const warp_request& r, GDALDataset& out, const progress& tick) {
    constexpr const char* counted = "cells";
    const bool directions = declares_directions(out), counts = EQUAL(out.GetRasterBand(1)->GetUnitType(), counted);
    if (!directions && !counts) return;
    const auto result = grid_of(out);
    const auto keeps = [&](GDALDataset* source) {
        return copies_cells(*source, r, result) ||
               (sources.size() == 1 && source->GetRasterXSize() == result.width &&
                source->GetRasterYSize() == result.height && compare(*source, out, tick).exact());
    };
    if (std::all_of(sources.begin(), sources.end(), keeps)) {
        if (directions && out.GetMetadataItem(flow_grid_tag))
            out.SetMetadataItem(flow_grid_tag, flow_grid_text(result).c_str());
        return;
    }
    if (directions) disown_directions(name, out);
    if (counts) out.GetRasterBand(1)->SetUnitType("cells of the source");
}

gdal::dataset_ptr warped_by_gdal(const std::vector<GDALDataset*>& sources, const std::string& name,
                                 const warp_request& r, const destination& to) {
    auto out = r.cutline.empty() ? warped_once(sources, r, to) : warped_within_cutline(sources, r, to);
    if (!out && last_error_says("Cutline not of polygon type"))
        gdal::raise("cannot cut " + name + " by 'cutline'",
                    "give 'cutline' a layer of polygons; vector_buffer makes them of points and lines");
    if (!out || failed()) {
        const auto go_on = [&] {
            if (!to.progress(1, "", to.progress_argument)) gdal::raise("stopped");
        };
        for (auto* source : sources) gdal::raise_if_unreadable(*source, go_on);
        gdal::raise("cannot reproject " + name +
                        (sources.size() > 1 ? " and " + std::to_string(sources.size() - 1) + " more" : "") + " to " +
                        gdal::crs_text(r.dst_crs),
                    too_large);
    }
    // -te with -ts divides and may be off in the last bit; aligned means equal.
    if (r.align_to) {
        auto exact = r.align_to->geotransform;
        out->SetGeoTransform(exact.data());
    }
    settle_references_to_cells(sources, name, r, *out, [&](double) {
        if (!to.progress(1, "", to.progress_argument)) gdal::raise("stopped");
    });
    CPLErrorReset();
    for (int b = 1; r.outside && b <= out->GetRasterCount(); ++b) out->GetRasterBand(b)->SetNoDataValue(*r.outside);
    for (int b = 1; !r.height_unit.empty() && b <= out->GetRasterCount(); ++b)  // GDAL keeps that of the source
        out->GetRasterBand(b)->SetUnitType(r.height_unit.c_str());
    out->FlushCache();
    if (failed()) gdal::raise("cannot write " + to.path);
    return out;
}

// GDAL's warper keeps palettes, but not the names of the classes.
void keep_class_names(GDALDataset& source, const std::string& method, GDALDataset& out) {
    if (computes_values(method)) return;
    for (int i = 1; i <= std::min(source.GetRasterCount(), out.GetRasterCount()); ++i) {
        auto &from = *source.GetRasterBand(i), &to = *out.GetRasterBand(i);
        if (char** names = from.GetCategoryNames())
            to.SetCategoryNames(names);
        else if (gdal::has_class_table(from) && !to.GetDefaultRAT())
            keep_classes(from, to);
    }
}

// GDAL's warper keeps names, units, scale and offset of one source alone.
void keep_meaning(const std::vector<GDALDataset*>& sources, const warp_request& r, GDALDataset& out) {
    for (int i = 1; i <= std::min(sources.front()->GetRasterCount(), out.GetRasterCount()); ++i)
        for (auto* source : sources) {
            auto &from = *source->GetRasterBand(i), &to = *out.GetRasterBand(i);
            if (source == sources.front())
                copy_meaning(from, to, {.palette = false, .classes = false, .unit = r.height_unit.empty()});
            else if (!to.GetUnitType()[0])
                to.SetUnitType(from.GetUnitType());
        }
}

// Whether a format keeps a mask inside the file.
bool keeps_masks(GDALDriver& driver) {
    return EQUAL(driver.GetDescription(), "GTiff") || EQUAL(driver.GetDescription(), "COG");
}

// The part of the progress from `from` to `to`.
struct stretch {
    const destination& whole;
    double from, to;
    static int CPL_STDCALL report(double fraction, const char* message, void* self) {
        const auto& s = *static_cast<stretch*>(self);
        return s.whole.progress(s.from + fraction * (s.to - s.from), message, s.whole.progress_argument);
    }
};

constexpr double reading_share = 0.1;

// Where a cutline cuts, GDAL's warper forgets the mask of a raster; a nodata value it keeps.
bool forgets_masks(const std::vector<GDALDataset*>& sources, const warp_request& r) {
    return !r.cutline.empty() && std::any_of(sources.begin(), sources.end(), [](auto* s) {
        return (s->GetRasterBand(1)->GetMaskFlags() & (GMF_PER_DATASET | GMF_ALPHA)) == GMF_PER_DATASET;
    });
}

// In place of sources whose cells without data gdalwarp would not know, views that it can take: of NaN or infinite
// cells that no mark tells, and of a mask below a cutline.
std::vector<gdal::dataset_ptr> take_out_unmarked(std::vector<GDALDataset*>& sources, warp_request& r,
                                                 const destination& to) {
    std::vector<gdal::dataset_ptr> views;
    const bool masked = forgets_masks(sources, r),
               floats = r.resampling != "nearest" &&
                        std::all_of(sources.begin(), sources.end(), [](auto*s) { return holds_only_floats(*s); });
    if (!floats && !masked) return views;
    unmarked_cells found;
    bool plain = !masked;
    for (std::size_t i = 0; floats && i < sources.size(); ++i) {
        const auto n = static_cast<double>(sources.size()), before = static_cast<double>(i);
        const auto here = unmarked_cells_of(*sources[i], read_window(r, *sources[i]), [&](double done) {
            if (!to.progress(reading_share * (before + done) / n, "", to.progress_argument))
                gdal::raise(std::string{"stopped reading "} + sources[i]->GetDescription());
        });
        found = {found.nan || here.nan, found.infinite || here.infinite};
        for (auto&& band : sources[i]->GetBands()) plain = plain && band->GetMaskFlags() == GMF_ALL_VALID;
    }
    if (!found.nan && !found.infinite && !masked) return views;
    if (plain && !found.infinite) {
        r.nan_missing = true;  // which gdalwarp can be told, other than what follows
        return views;
    }
    const std::string apart = "; gdalwarp by itself would not";
    if (found.infinite) gdal::detail::caution("infinite cells are taken for cells without data" + apart);
    if (found.nan)
        gdal::detail::caution("NaN cells are taken for cells without data" +
                              (plain ? "" : ", as the declared ones are" + apart));
    if (!r.nodata && !r.alpha) r.nodata = r.outside ? r.outside : nodata_of(*sources.front()->GetRasterBand(1));
    r.outside.reset();  // gdalwarp would give the result the view's NaN
    if (masked && r.type.empty()) r.type = dtype_name(type_of_result(r, *sources.front()));
    r.no_source_nodata = false;
    for (auto*& source : sources) {
        std::vector<int> all(static_cast<std::size_t>(source->GetRasterCount()));
        std::iota(all.begin(), all.end(), 1);
        views.push_back(finite_view(*source, all));
        source = views.back().get();
    }
    return views;
}

// A palette is for Byte and UInt16: GDAL fails to give it to a result of another type, such as a sum of codes.
gdal::dataset_ptr without_palette(GDALDataset*& source, const warp_request& r) {
    const auto type = type_of_result(r, *source);
    if (!source->GetRasterBand(1)->GetColorTable() || type == GDT_Byte || type == GDT_UInt16) return nullptr;
    auto view = gdalmcp_datasets::translate(*source, "", {"-of", "VRT"});
    if (!view) gdal::raise(std::string{"cannot read "} + source->GetDescription());
    view->GetRasterBand(1)->SetColorTable(nullptr);
    view->GetRasterBand(1)->SetColorInterpretation(GCI_GrayIndex);
    source = view.get();
    return view;
}

// The result, where every cell that the warper reads is a finite number or declared not to be one; nullptr: another was
// met, and nothing is left of the attempt.
gdal::dataset_ptr warped_if_finite(GDALDataset& source, const warp_request& r, const destination& to) {
    struct attempt {
        watched_raster source;
        const destination& whole;
        static int CPL_STDCALL report(double fraction, const char* message, void* self) {
            const auto& a = *static_cast<attempt*>(self);
            return !a.source.met() && a.whole.progress(fraction, message, a.whole.progress_argument);
        }
    } reading{watched_raster{source}, to};
    held_warnings heard;
    gdal::dataset_ptr out;
    try {
        out = warped_by_gdal({&reading.source}, source.GetDescription(), r,
                             {to.path, to.driver, to.scratch, attempt::report, &reading});
    } catch (const gdalmcp::error&) {
        if (!reading.source.met()) {
            heard.pass_on();
            throw;
        }
    }
    if (!reading.source.met()) {
        heard.pass_on();
        return out;
    }
    out.reset();
    VSIUnlink(to.path.c_str());
    CPLErrorReset();
    return nullptr;
}

}  // namespace

warped warp(const std::vector<GDALDataset*>& originals, warp_request& r, const destination& whole) {
    const auto start = std::chrono::steady_clock::now();
    const std::string name = originals.front()->GetDescription();
    for (auto* original : originals) refuse_beyond_doubles(*original);
    const auto done = [&](gdal::dataset_ptr out) {
        if (originals.size() > 1) keep_meaning(originals, r, *out);
        keep_class_names(*originals.front(), r.resampling, *out);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        return warped{std::move(out), spent.count()};
    };
    const bool masked = r.alpha && keeps_masks(whole.driver), at_once = creates(whole.driver) && !masked;
    if (at_once && originals.size() == 1 && r.cutline.empty() && r.resampling != "nearest" &&
        may_watch(*originals.front()))
        if (auto out = warped_if_finite(*originals.front(), r, whole)) return done(std::move(out));
    auto sources = originals;
    const auto views = take_out_unmarked(sources, r, whole);
    const auto plain = without_palette(sources.front(), r);
    stretch warping{whole, reading_share, 1};
    const destination to{whole.path, whole.driver, whole.scratch, stretch::report, &warping};
    if (at_once) return done(warped_by_gdal(sources, name, r, to));
    stretch first{to, 0, 0.7}, second{to, 0.7, 1};
    const auto made =
        warped_by_gdal(sources, name, r, {to.scratch, driver_for("warp.tif"), to.scratch, stretch::report, &first});
    gdal::words words = creation(to.driver);
    const int bands = made->GetRasterCount();
    for (int b = 1; masked && b < bands; ++b) words.add("-b", std::to_string(b));
    if (masked) words.add("-mask", std::to_string(bands));
    return done(translated(*made, std::move(words), {to.path, to.driver, to.scratch, stretch::report, &second},
                           "cannot write " + to.path));
}

warped assign_crs(GDALDataset& source, const warp_request& r, const destination& to) {
    const auto start = std::chrono::steady_clock::now();
    gdal::words words = creation(to.driver);
    words.add("-a_srs", crs_definition(r.dst_crs));
    if (!r.type.empty()) words.add("-ot", r.type);
    auto out = translated(source, std::move(words), to, "cannot copy " + std::string{source.GetDescription()});
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return {std::move(out), spent.count()};
}

bool copies_cells(GDALDataset& source, const warp_request& r, const grid& result) {
    auto on = grid_of(source);
    on.crs = source_crs(source, r);
    return r.operation.empty() && !r.epoch && on_same_cells(on, result);
}

namespace {

// Whether `holds` is true of any cell, read as T; stops at the first one found.
template <class T, class Holds>
bool any_cell(GDALDataset& dataset, GDALRasterBand& band, GDALDataType type, Holds holds) {
    const int columns = dataset.GetRasterXSize(), rows = dataset.GetRasterYSize(), step = 256;
    std::vector<T> strip(static_cast<std::size_t>(columns) * step);
    for (int row = 0; row < rows; row += step) {
        const int n = std::min(step, rows - row);
        if (band.RasterIO(GF_Read, 0, row, columns, n, strip.data(), columns, n, type, 0, 0, nullptr) != CE_None)
            gdal::raise("cannot read back " + std::string{dataset.GetDescription()});
        if (std::any_of(strip.begin(), strip.begin() + static_cast<std::ptrdiff_t>(columns) * n, holds)) return true;
    }
    return false;
}

// Whether any cell of the first band is valid, and a finite number.
bool holds_valid_cell(GDALDataset& dataset) {
    auto& band = *dataset.GetRasterBand(1);
    if (!(band.GetMaskFlags() & GMF_ALL_VALID))
        return any_cell<unsigned char>(dataset, *band.GetMaskBand(), GDT_Byte, [](auto v) { return v != 0; });
    return whole_numbers(band.GetRasterDataType()) ||
           any_cell<double>(dataset, band, GDT_Float64, [](double v) { return std::isfinite(v); });
}

}  // namespace

void require_valid_cell(GDALDataset& result, const std::vector<GDALDataset*>& sources, const std::string& unreached) {
    if (holds_valid_cell(result)) return;
    if (std::none_of(sources.begin(), sources.end(), [](auto* s) { return holds_valid_cell(*s); }))
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             std::string{"no cell of "} + sources.front()->GetDescription() + " is valid" +
                                 (sources.size() > 1 ? ", nor of the others" : ""),
                             "check the nodata value with raster_info"};
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "the result would hold no valid cell: no valid cell of the source reaches it", unreached};
}

}  // namespace gdalmcp_raster
