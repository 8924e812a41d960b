#include "gdal_trial_piece.hpp"

#include "datasets/gdal_finite_view.hpp"
#include "datasets/gdal_programs.hpp"

#include <gdal_alg.h>
#include <gdal_utils.h>
#include <gdalwarper.h>

#include "gdal_another_turn.hpp"
#include "gdal_cut.hpp"
#include "gdal_warp_extent.hpp"
#include "resampling.hpp"

namespace gdalmcp_raster {

namespace {

namespace gdal = gdalmcp::gdal;
using gdalmcp::error;

std::string wkt_of(const OGRSpatialReference& srs) { return srs.IsEmpty() ? "" : gdal::crs_text(srs); }

struct transformer_closer {
    void operator()(void* t) const { GDALDestroyTransformer(t); }
};
using transformer = std::unique_ptr<void, transformer_closer>;

transformer transformer_to(GDALDataset& source, const OGRSpatialReference& crs) {
    gdal::words options;
    if (!crs.IsEmpty()) options.add("DST_SRS=" + wkt_of(crs));
    return transformer{GDALCreateGenImgProjTransformer2(GDALDataset::ToHandle(&source), nullptr, options.get())};
}

// Of a place in a raster. 180 degrees, the middle of a world from 0 to 360, lies at the outline of most maps.
double middle_column(const window& place, const grid& on) {
    const bool world = gdal::detail::geographic(on.crs) && beyond_half_turn(on.extent()) && place.width == on.width;
    return place.column + place.width / (world ? 4.0 : 2.0);
}

// The cell of the result at the transformed middle of the plan's place in the raster.
std::optional<grid> output_cell(GDALDataset& source, const trial_grid& plan) {
    const auto t = transformer_to(source, plan.crs);
    double x = middle_column(plan.place, grid_of(source)), y = plan.place.row + plan.place.height / 2.0, z = 0;
    int done = 0;
    if (!t || !GDALGenImgProjTransform(t.get(), FALSE, 1, &x, &y, &z, &done) || !done) return std::nullopt;
    grid cell;
    cell.width = cell.height = 1;
    cell.crs = plan.crs;
    cell.geotransform = {x - plan.cell_width / 2, plan.cell_width, 0, y + plan.cell_height / 2, 0, -plan.cell_height};
    return cell;
}

struct wanted_cell {
    double width = 0, height = 0;
    OGREnvelope extent{};  // of the result
};

// The raster as it lies on its own grid, which is no guess of GDAL's, whose cells are square.
std::optional<grid> own_grid(GDALDataset& source) {
    grid g = grid_of(source);
    return g.rotated() ? std::nullopt : std::optional{g};
}

warp_request extent_request(const OGRSpatialReference& crs, const wanted_cells& wanted) {
    warp_request r;
    r.dst_crs = crs;
    r.resampling = "nearest";
    const auto& b = wanted.bounds;
    if (!b.empty()) r.bounds = {{b[0], b[1], b[2], b[3]}};
    r.bounds_crs = wanted.bounds_crs;
    return r;
}

wanted_cell cell_of(GDALDataset& source, const OGRSpatialReference& crs, bool own, const wanted_cells& wanted) {
    auto on = own && wanted.bounds.empty() ? own_grid(source) : std::nullopt;
    if (!on) {
        auto request = extent_request(crs, wanted);
        settle_extent(request, source, source_crs(source, request), true);
        if (request.bounds_crs) bring_bounds_to_target(request);
        on = suggested_grid(std::move(request), source);
    }
    if (!on)
        throw error{GDALMCP_UNSUPPORTED, "the raster cannot be placed in " + wkt_of(crs),
                    "choose a CRS whose area of use holds the data"};
    const auto extent = on->extent();
    if (!wanted.resolution.empty()) return {wanted.resolution.front(), wanted.resolution.back(), extent};
    const double across = extent.MaxX - extent.MinX, down = extent.MaxY - extent.MinY;  // whole cells may exceed it
    const double x = wanted.width ? across / *wanted.width : wanted.height ? down / *wanted.height : on->cell_width();
    return {x, wanted.height ? down / *wanted.height : wanted.width ? x : on->cell_height(), extent};
}

// The place of a result of too few cells for a trial, with so many cells around it that there are enough.
window widened(window place, const grid& own, double support) {
    const double side = std::ceil(std::sqrt(trial_piece::least_cells_out * support));
    const auto widen = [side](int& first, int& length, int cells) {
        if (length >= side) return;
        const int wanted = static_cast<int>(std::min<double>(side, cells));
        first = std::clamp(first - (wanted - length) / 2, 0, cells - wanted);
        length = wanted;
    };
    widen(place.column, place.width, own.width);
    widen(place.row, place.height, own.height);
    return place;
}

window with_margin(const window& w, int margin, GDALDataset& source) {
    const int left = std::max(0, w.column - margin), top = std::max(0, w.row - margin);
    return {left, top, std::min(source.GetRasterXSize(), w.column + w.width + margin) - left,
            std::min(source.GetRasterYSize(), w.row + w.height + margin) - top};
}

// The alpha band of -dstalpha is not the band's mask in a MEM dataset of one band and nodata; it says both.
cells cells_of(GDALDataset& d) {
    cells c{d.GetRasterXSize(), d.GetRasterYSize(), {}, {}};
    const window all{0, 0, c.columns, c.rows};
    read_strip(*d.GetRasterBand(1), all, 0, c.rows, c.values, c.valid);
    std::vector<double> alpha;
    std::vector<unsigned char> ignored;
    read_strip(*d.GetRasterBand(d.GetRasterCount()), all, 0, c.rows, alpha, ignored);
    for (std::size_t i = 0; i < c.valid.size(); ++i) c.valid[i] = c.valid[i] && alpha[i] > 127;
    return c;
}

}  // namespace

trial_grid plan_trial(GDALDataset& source, const std::optional<OGRSpatialReference>& dst_crs,
                      const wanted_cells& wanted) {
    const grid own = grid_of(source);
    trial_grid plan;
    plan.reprojected = dst_crs && !gdal::detail::coincide(own.crs, *dst_crs);
    if (plan.reprojected && own.crs.IsEmpty())
        throw error{GDALMCP_UNSUPPORTED, std::string{source.GetDescription()} + " has no CRS to reproject from",
                    "give 'resolution' alone, or assign its CRS first"};
    if (!plan.reprojected && wanted.none())
        throw error{GDALMCP_UNSUPPORTED,
                    "neither 'resolution' nor a 'dst_crs' other than the raster's own is given: nothing is resampled",
                    "give the cell size or the CRS of the result"};
    plan.crs = plan.reprojected ? *dst_crs : own.crs;
    plan.place = {0, 0, own.width, own.height};
    const gdal::quiet silence;
    const auto wished = cell_of(source, plan.crs, !plan.reprojected, wanted);
    plan.cell_width = wished.width;
    plan.cell_height = wished.height;
    plan.corner = wanted.corner.value_or(std::array{wished.extent.MinX, wished.extent.MaxY});
    if (!wanted.bounds.empty()) {
        plan.extent = wished.extent;
        plan.place = read_window(extent_request(plan.crs, wanted), source, 0, 0);
    }
    const auto cell = output_cell(source, plan);
    if (!cell)
        throw error{GDALMCP_UNSUPPORTED, "the middle of the raster cannot be placed in " + wkt_of(plan.crs),
                    "choose a CRS whose area of use holds the data"};
    const auto from = cell_size_of(own, static_cast<int>(middle_column(plan.place, own)),
                                   plan.place.row + plan.place.height / 2),
               to = cell_size_of(*cell, 0, 0);
    const bool known = from && to;
    plan.from = known ? *from : cell_size{own.cell_width(), own.cell_height()};
    plan.to = known ? *to : cell_size{plan.cell_width, plan.cell_height};
    plan.support = plan.to.area() / plan.from.area();
    if (!(plan.support > 1e-12) || !(plan.support < 1e12))
        throw error{GDALMCP_UNSUPPORTED,
                    "a cell of " + gdal::number_text(plan.cell_width) + " by " + gdal::number_text(plan.cell_height) +
                        " has no sensible ratio to the raster's own of " + gdal::number_text(own.cell_width()) +
                        " by " + gdal::number_text(own.cell_height()),
                    "give 'resolution' in units of the result's CRS"};
    plan.place = widened(plan.place, own, plan.support);
    return plan;
}

bool cells_coincide(GDALDataset& source, const trial_grid& plan) {
    constexpr double same = 1e-4, same_size = 1e-3;  // of a cell
    constexpr int along = 20;
    if (std::abs(plan.support - 1) > same_size) return false;
    const auto t = transformer_to(source, plan.crs);
    if (!t) return false;
    const gdal::quiet silence;
    const auto off_centre = [](double at) { return std::abs(at - std::floor(at) - 0.5); };
    for (int i = 0; i <= along; ++i)
        for (int k = 0; k <= along; ++k) {
            double x = plan.place.column + std::floor((plan.place.width - 1.0) * i / along) + 0.5,
                   y = plan.place.row + std::floor((plan.place.height - 1.0) * k / along) + 0.5, z = 0;
            int done = 0;
            if (!GDALGenImgProjTransform(t.get(), FALSE, 1, &x, &y, &z, &done) || !done ||
                off_centre((x - plan.corner[0]) / plan.cell_width) > same ||
                off_centre((y - plan.corner[1]) / plan.cell_height) > same)
                return false;
        }
    return true;
}

std::optional<int> trial_side(double support, int columns, int rows) {
    const double linear = std::sqrt(support);
    const double side =
        std::min({std::max(32.0, trial_piece::max_side * std::min(1.0, linear)),
                  static_cast<double>(trial_piece::max_side), static_cast<double>(std::max(columns, rows))});
    const double out =
        std::min(side, static_cast<double>(columns)) * std::min(side, static_cast<double>(rows)) / support;
    if (!(out >= trial_piece::least_cells_out) || !(out <= 2048.0 * 2048.0)) return std::nullopt;
    return static_cast<int>(side);
}

trial_piece::trial_piece(GDALDataset& source, int band, const trial_grid& plan, GDALDataType type)
    : plan_{plan}, type_{type} {
    const int columns = plan.place.width, rows = plan.place.height;
    const int side = trial_side(plan.support, columns, rows).value();
    const int width = std::min(side, columns), height = std::min(side, rows);
    std::size_t most = 0;
    // The middle first, then the other eighths from the top left on.
    for (const int at : {4, 0, 1, 2, 3, 5, 6, 7, 8}) {
        const window w{plan.place.column + (columns - width) * (at % 3) / 2,
                       plan.place.row + (rows - height) * (at / 3) / 2, width, height};
        if (most > 0 && w == place_) continue;
        cells c{width, height, {}, {}};
        read_strip(*source.GetRasterBand(band), w, 0, height, c.values, c.valid);
        const auto valid = static_cast<std::size_t>(
            std::count_if(c.valid.begin(), c.valid.end(), [](unsigned char v) { return v != 0; }));
        if (valid > most) {
            most = valid;
            place_ = w;
            input_ = std::move(c);
        }
        if (2 * most >= static_cast<std::size_t>(w.cells())) break;
    }
    if (most == 0)
        throw error{GDALMCP_UNSUPPORTED,
                    std::string{source.GetDescription()} + " has no value in nine pieces of " + std::to_string(width) +
                        " x " + std::to_string(height) + " cells",
                    "check its nodata value with raster_stats"};
    // Of the whole of an extent, with what a kernel takes from around it.
    const bool reaches_out = plan.extent && place_ == plan.place;
    const int margin = reaches_out ? static_cast<int>(std::ceil(2 * std::max(1.0, std::sqrt(plan.support)))) : 0;
    const window read = with_margin(place_, margin, source);
    margin_ = {place_.column - read.column, place_.row - read.row};
    gdal::words options{"-of", "MEM", "-mask", "none", "-b", std::to_string(band), "-srcwin"};
    options.add(std::to_string(read.column), std::to_string(read.row), std::to_string(read.width),
                std::to_string(read.height));
    piece_ = translate(source, "", std::move(options));
    if (!piece_) gdal::raise(std::string{"cannot take a piece of "} + source.GetDescription());
    // The piece has no alpha or mask band of the raster, but keeps its validity.
    if (source.GetRasterBand(band)->GetMaskFlags() & (GMF_ALPHA | GMF_PER_DATASET)) {
        cells all{read.width, read.height, {}, {}};
        read_strip(*source.GetRasterBand(band), read, 0, read.height, all.values, all.valid);
        if (piece_->CreateMaskBand(GMF_PER_DATASET) != CE_None ||
            piece_->GetRasterBand(1)->GetMaskBand()->RasterIO(GF_Write, 0, 0, read.width, read.height, all.valid.data(),
                                                              read.width, read.height, GDT_Byte, 0, 0,
                                                              nullptr) != CE_None)
            gdal::raise(std::string{"cannot mask a piece of "} + source.GetDescription());
    }
    if (holds_only_floats(*piece_)) seen_ = finite_view(*piece_, {1});
    auto first = warped("nearest", whole_extent());
    auto box = grid_of(*first).extent();
    if (auto part = box; plan.extent && part.Intersects(*plan.extent)) {
        part.Intersect(*plan.extent);
        if ((part.MaxX - part.MinX) * (part.MaxY - part.MinY) >= least_cells_out * plan.cell_width * plan.cell_height)
            box = part;
    }
    // To whole cells of that grid within the piece: what a method has at its ends is of no other place.
    constexpr double rounding = 1e-6;
    const auto inner = [](double& low, double& high, double begin, double corner, double cell) {
        const double first_cell = std::ceil((low - corner) / cell - rounding),
                     last_cell = std::floor((high - corner) / cell + rounding);
        const double cells_off = (begin - corner) / cell;
        if (std::abs(cells_off - std::round(cells_off)) > rounding && last_cell > first_cell)
            low = corner + first_cell * cell, high = corner + last_cell * cell;
    };
    inner(box.MinX, box.MaxX, box.MinX, plan.corner[0], plan.cell_width);
    inner(box.MinY, box.MaxY, box.MaxY, plan.corner[1], plan.cell_height);
    extent_ = {box.MinX, box.MinY, box.MaxX, box.MaxY};
    if (grid_of(*first).extent() != box) first = warped("nearest", extent_);
    nearest_ = cells_of(*first);
}

// Of the piece in the CRS of the result, where GDAL's own would not hold it; else none.
std::array<double, 4> trial_piece::whole_extent() const {
    if (!plan_.reprojected) return {};
    const gdal::quiet silence;
    warp_request r;
    r.dst_crs = plan_.crs;
    r.resolution = {plan_.cell_width, plan_.cell_height};
    settle_extent(r, *piece_, source_crs(*piece_, r), true);
    if (r.bounds_crs) bring_bounds_to_target(r);
    return r.bounds.value_or(std::array<double, 4>{});
}

gdal::dataset_ptr trial_piece::warped(const std::string& method, const std::array<double, 4>& extent,
                                      const char* type) const {
    using gdal::number_text;
    gdal::words options{"-of",
                        "MEM",
                        "-r",
                        warp_resampling(method),
                        "-dstalpha",
                        "-wo",
                        "NUM_THREADS=1",  // clones of the transformer may differ from it: see gdal_faithful_clones.hpp
                        "-tr",
                        number_text(plan_.cell_width),
                        number_text(plan_.cell_height)};
    const auto stored = piece_->GetRasterBand(1)->GetRasterDataType();
    if (!*type) type = widens(method, stored) ? "Float64" : gdalmcp_datasets::dtype_name(type_);
    options.add("-ot", type);
    if (method == "mode" && counts_minus_one_as_none(stored)) options.add("-wt", "Float32");
    if (plan_.reprojected) options.add("-t_srs", wkt_of(plan_.crs));
    if (extent[0] < extent[2])
        options.add("-te", number_text(extent[0]), number_text(extent[1]), number_text(extent[2]),
                    number_text(extent[3]));
    const gdal::quiet silence;  // it warns about a palette; the trial measures that effect
    const bool repeats = plan_.reprojected && may_repeat(grid_of(*piece_), plan_.crs, extent[0] < extent[2]);
    const CPLConfigOptionSetter outline{"CHECK_WITH_INVERT_PROJ", repeats ? "YES" : nullptr, !repeats};
    auto out = warp_by_program({seen_ ? seen_.get() : piece_.get()}, "", std::move(options));
    if (!out)
        throw error{GDALMCP_UNSUPPORTED, "GDAL cannot resample this raster by " + method + ": " + CPLGetLastErrorMsg(),
                    "choose another method or CRS"};
    return out;
}

cells trial_piece::resampled(const std::string& method) const {
    return method == "nearest" ? nearest_ : cells_of(*warped(method, extent_));
}

cells trial_piece::resampled_exactly(const std::string& method) const {
    return cells_of(*warped(method, extent_, "Float64"));
}

void trial_piece::origins(std::vector<double>& x, std::vector<double>& y) const {
    const int columns = std::max(1, static_cast<int>(std::lround((extent_[2] - extent_[0]) / plan_.cell_width)));
    const int rows = std::max(1, static_cast<int>(std::lround((extent_[3] - extent_[1]) / plan_.cell_height)));
    const auto exact = transformer_to(*piece_, plan_.crs);
    if (!exact) gdal::raise("cannot place the trial in " + wkt_of(plan_.crs));
    const transformer fast{GDALCreateApproxTransformer(GDALGenImgProjTransform, exact.get(), 0.125)};
    x.clear();
    y.clear();
    std::vector<double> z(static_cast<std::size_t>(columns));
    std::vector<int> done(static_cast<std::size_t>(columns));
    for (int row = 0; row < rows; ++row) {
        const auto from = x.size();
        for (int column = 0; column < columns; ++column) {
            x.push_back(extent_[0] + (column + 0.5) * plan_.cell_width);
            y.push_back(extent_[3] - (row + 0.5) * plan_.cell_height);
        }
        GDALApproxTransform(fast.get(), TRUE, columns, &x[from], &y[from], z.data(), done.data());
        for (std::size_t i = 0; i < done.size(); ++i)
            if (done[i])
                x[from + i] -= margin_[0], y[from + i] -= margin_[1];
            else
                x[from + i] = y[from + i] = std::nan("");
    }
}

}  // namespace gdalmcp_raster
