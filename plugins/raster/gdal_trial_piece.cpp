#include "gdal_trial_piece.hpp"

#include "datasets/gdal_finite_view.hpp"
#include "datasets/gdal_programs.hpp"

#include <gdal_alg.h>
#include <gdal_utils.h>
#include <gdalwarper.h>

#include "gdal_cut.hpp"
#include "gdal_warp_request.hpp"
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

// The cell of the result at the transformed middle of the raster.
std::optional<grid> output_cell(GDALDataset& source, const trial_grid& plan) {
    const auto t = transformer_to(source, plan.crs);
    double x = source.GetRasterXSize() / 2.0, y = source.GetRasterYSize() / 2.0, z = 0;
    int done = 0;
    if (!t || !GDALGenImgProjTransform(t.get(), FALSE, 1, &x, &y, &z, &done) || !done) return std::nullopt;
    grid cell;
    cell.width = cell.height = 1;
    cell.crs = plan.crs;
    cell.geotransform = {x - plan.cell_width / 2, plan.cell_width, 0, y + plan.cell_height / 2, 0, -plan.cell_height};
    return cell;
}

std::array<double, 4> in_crs(std::array<double, 4> box, const std::optional<OGRSpatialReference>& from,
                             const OGRSpatialReference& to) {
    if (!from) return box;
    constexpr int points = 21;  // along an edge, as gdalwarp has it
    auto& [minx, miny, maxx, maxy] = box;
    const gdal::transformation t{OGRCreateCoordinateTransformation(&*from, &to)};
    if (!t || !t->TransformBounds(minx, miny, maxx, maxy, &minx, &miny, &maxx, &maxy, points))
        gdal::raise("'bounds' has no place in " + gdal::crs_label(to));
    return box;
}

struct wanted_cell {
    double width = 0, height = 0;
    std::array<double, 2> corner{};  // of the result that nothing else places
};

// The raster in a CRS: the size of its cells there and its extent. Its own grid is no guess of GDAL's, whose cells are
// square.
struct raster_there {
    double cell_width = 0, cell_height = 0;
    std::array<double, 4> extent{};
};

raster_there raster_in(GDALDataset& source, const OGRSpatialReference& crs, bool own) {
    const grid g = grid_of(source);
    if (own && g.geotransform[2] == 0 && g.geotransform[4] == 0) {
        const auto box = g.extent();
        return {g.cell_width(), g.cell_height(), {box.MinX, box.MinY, box.MaxX, box.MaxY}};
    }
    const auto t = transformer_to(source, crs);
    std::array<double, 6> suggested{};
    std::array<double, 4> extent{};
    int columns = 0, rows = 0;
    if (!t || GDALSuggestedWarpOutput2(GDALDataset::ToHandle(&source), GDALGenImgProjTransform, t.get(),
                                       suggested.data(), &columns, &rows, extent.data(), 0) != CE_None)
        throw error{GDALMCP_UNSUPPORTED, "the raster cannot be placed in " + wkt_of(crs),
                    "choose a CRS whose area of use holds the data"};
    return {suggested[1], std::abs(suggested[5]), extent};
}

wanted_cell cell_of(GDALDataset& source, const OGRSpatialReference& crs, bool own, const wanted_cells& wanted) {
    const auto [wide, high, extent] = raster_in(source, crs, own);
    const std::array corner{extent[0], extent[3]};
    if (!wanted.resolution.empty()) return {wanted.resolution.front(), wanted.resolution.back(), corner};
    const auto& b = wanted.bounds;
    double across = extent[2] - extent[0], down = extent[3] - extent[1];  // which whole cells may exceed
    if (!b.empty()) {
        const auto box = in_crs({b[0], b[1], b[2], b[3]}, wanted.bounds_crs, crs);
        across = box[2] - box[0], down = box[3] - box[1];
    }
    const double x = wanted.width ? across / *wanted.width : wanted.height ? down / *wanted.height : wide;
    return {x, wanted.height ? down / *wanted.height : wanted.width ? x : high, corner};
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
    plan.corner = wanted.corner;
    const gdal::quiet silence;
    const bool own_cells = !plan.reprojected && wanted.resolution.empty() && !wanted.width && !wanted.height;
    const auto wished =
        own_cells ? wanted_cell{own.cell_width(), own.cell_height(), {own.geotransform[0], own.geotransform[3]}}
                  : cell_of(source, plan.crs, !plan.reprojected, wanted);
    plan.cell_width = wished.width;
    plan.cell_height = wished.height;
    if (wanted.bounds.empty() && !plan.corner) plan.corner = wished.corner;
    const auto cell = output_cell(source, plan);
    if (!cell)
        throw error{GDALMCP_UNSUPPORTED, "the middle of the raster cannot be placed in " + wkt_of(plan.crs),
                    "choose a CRS whose area of use holds the data"};
    const auto from = cell_size_of(own, own.width / 2, own.height / 2), to = cell_size_of(*cell, 0, 0);
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
    return plan;
}

bool cells_coincide(GDALDataset& source, const trial_grid& plan) {
    constexpr double same = 1e-4, same_size = 1e-3;  // of a cell
    constexpr int along = 20;
    if (!plan.corner || std::abs(plan.support - 1) > same_size) return false;
    const auto t = transformer_to(source, plan.crs);
    if (!t) return false;
    const gdal::quiet silence;
    const auto off_centre = [](double at) { return std::abs(at - std::floor(at) - 0.5); };
    for (int i = 0; i <= along; ++i)
        for (int k = 0; k <= along; ++k) {
            double x = std::floor((source.GetRasterXSize() - 1.0) * i / along) + 0.5,
                   y = std::floor((source.GetRasterYSize() - 1.0) * k / along) + 0.5, z = 0;
            int done = 0;
            if (!GDALGenImgProjTransform(t.get(), FALSE, 1, &x, &y, &z, &done) || !done ||
                off_centre((x - (*plan.corner)[0]) / plan.cell_width) > same ||
                off_centre((y - (*plan.corner)[1]) / plan.cell_height) > same)
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
    const int columns = source.GetRasterXSize(), rows = source.GetRasterYSize();
    const int side = trial_side(plan.support, columns, rows).value();
    const int width = std::min(side, columns), height = std::min(side, rows);
    std::size_t most = 0;
    // The middle first, then the other eighths from the top left on.
    for (const int at : {4, 0, 1, 2, 3, 5, 6, 7, 8}) {
        const window w{(columns - width) * (at % 3) / 2, (rows - height) * (at / 3) / 2, width, height};
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
    gdal::words options{"-of", "MEM", "-mask", "none", "-b", std::to_string(band), "-srcwin"};
    options.add(std::to_string(place_.column), std::to_string(place_.row), std::to_string(width),
                std::to_string(height));
    piece_ = translate(source, "", std::move(options));
    if (!piece_) gdal::raise(std::string{"cannot take a piece of "} + source.GetDescription());
    // The piece has no alpha or mask band of the raster, but keeps its validity.
    if (source.GetRasterBand(band)->GetMaskFlags() & (GMF_ALPHA | GMF_PER_DATASET) &&
        (piece_->CreateMaskBand(GMF_PER_DATASET) != CE_None ||
         piece_->GetRasterBand(1)->GetMaskBand()->RasterIO(GF_Write, 0, 0, width, height, input_.valid.data(), width,
                                                           height, GDT_Byte, 0, 0, nullptr) != CE_None))
        gdal::raise(std::string{"cannot mask a piece of "} + source.GetDescription());
    if (holds_only_floats(*piece_)) seen_ = finite_view(*piece_, {1});
    auto first = warped("nearest", {});
    const auto box = grid_of(*first).extent();
    extent_ = {box.MinX, box.MinY, box.MaxX, box.MaxY};
    if (plan.corner) {
        // To whole cells of that grid within the piece: what a method has at its ends is of no other place.
        constexpr double rounding = 1e-6;
        const auto inner = [](double& low, double& high, double begin, double corner, double cell) {
            const double first = std::ceil((low - corner) / cell - rounding),
                         last = std::floor((high - corner) / cell + rounding);
            const double cells = (begin - corner) / cell;
            const bool moves = std::abs(cells - std::round(cells)) > rounding;
            if (moves && last > first) low = corner + first * cell, high = corner + last * cell;
            return moves && last > first;
        };
        const bool across = inner(extent_[0], extent_[2], extent_[0], (*plan.corner)[0], plan.cell_width);
        if (inner(extent_[1], extent_[3], extent_[3], (*plan.corner)[1], plan.cell_height) || across)
            first = warped("nearest", extent_);
    }
    nearest_ = cells_of(*first);
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
    auto out = warp_by_program({seen_ ? seen_.get() : piece_.get()}, "", std::move(options));
    if (!out)
        throw error{GDALMCP_UNSUPPORTED, "GDAL cannot resample this raster by " + method + ": " + CPLGetLastErrorMsg(),
                    "choose another method or CRS"};
    return out;
}

cells trial_piece::resampled_onto(const std::string& method, const std::array<double, 4>& extent) const {
    return cells_of(*warped(method, extent));
}

cells trial_piece::resampled(const std::string& method) const {
    return method == "nearest" ? nearest_ : resampled_onto(method, extent_);
}

cells trial_piece::resampled_exactly(const std::string& method) const {
    return cells_of(*warped(method, extent_, "Float64"));
}

cells trial_piece::resampled_between(const std::string& method) const {
    auto [minx, miny, maxx, maxy] = extent_;
    const double right = plan_.cell_width / 2 * std::min(1.0, plan_.from.width / plan_.to.width);
    const double down = plan_.cell_height / 2 * std::min(1.0, plan_.from.height / plan_.to.height);
    if (nearest_.columns > 1) minx += right, maxx += right - plan_.cell_width;
    if (nearest_.rows > 1) maxy -= down, miny += plan_.cell_height - down;
    return resampled_onto(method, {minx, miny, maxx, maxy});
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
            if (!done[i]) x[from + i] = y[from + i] = std::nan("");
    }
}

}  // namespace gdalmcp_raster
