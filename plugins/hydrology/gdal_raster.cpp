#include "gdal_raster.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <gdalmcp/gdal_nodata.hpp>

#include "datasets/gdal_cell_size.hpp"
#include "datasets/gdal_flow_tags.hpp"
#include "datasets/gdal_inner_resampling.hpp"
#include "datasets/gdal_programs.hpp"
#include "datasets/gdal_raster_source.hpp"
#include "gdal_row_passes.hpp"

namespace gdalmcp_hydrology {
namespace {

using gdalmcp::error;

// Whether each value of a type is the same number as a T, so that it can be compared with one.
template <class T>
bool holds_exactly(GDALDataType type) {
    const bool short_whole = type == GDT_Byte || type == GDT_Int16 || type == GDT_UInt16;
    return type == gdal_type<T>() || (std::is_floating_point_v<T> && short_whole);
}

bool is_supported(GDALDataType type) {
    for (const auto t : {GDT_Byte, GDT_Int16, GDT_UInt16, GDT_Int32, GDT_UInt32, GDT_Float32, GDT_Float64})
        if (t == type) return true;
    return false;
}

// Sizes of the cells of the middle column, one per row, along geodesics on the CRS's own ellipsoid.
std::optional<cell_sizes> measure_on_ellipsoid(const gdal_raster& raster) {
    const auto cells = gdalmcp_datasets::cell_ruler::of(raster.on());
    if (!cells) return {};
    std::vector<double> dx, dy, area;
    const auto rows = raster.extent().height;
    const auto column = static_cast<double>(raster.extent().width / 2);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto in_file = static_cast<double>(raster.south_up() ? rows - 1 - row : row);
        const auto size = cells->size(column, in_file);
        const auto whole = cells->area(column, in_file);
        if (!size || !whole) return {};
        dx.push_back(size->width);
        dy.push_back(size->height);
        area.push_back(*whole);
    }
    return cell_sizes::by_row(std::move(dx), std::move(dy), std::move(area));
}

// Where the scale of the map changes along the rows by more than a hundredth: what the sizes of a row are worth beside
// the middle column, whose scale is `least` to `most`; else "".
std::string told_beside(const gdal_raster& raster, double least, double most) {
    const auto everywhere = gdalmcp_datasets::length_ratios(raster.on());
    if (!everywhere || ((*everywhere)[0] > least - 0.01 && (*everywhere)[1] < most + 0.01)) return "";
    return CPLString().Printf(
        "; over the whole grid they are %.4g to %.4g times their true size, so slopes and lengths beside the middle "
        "column are "
        "off by as much: reproject to a CRS that is true to scale here",
        (*everywhere)[0], (*everywhere)[1]);
}

// How far the diagonals of a cell of these sides are from those of a rectangle, which an area below that of the
// rectangle tells: cos² of the angle between the sides is 1 - (area / width / height)².
double diagonal_error(double width, double height, double area) {
    const double sine = std::min(1.0, area / (width * height)), cosine = std::sqrt(1 - sine * sine);
    return 1 - std::sqrt(1 - 2 * width * height * cosine / (width * width + height * height));
}

true_sizes measure_geographic(const gdal_raster& raster) {
    const auto& t = raster.geotransform();
    const double degree = raster.crs().GetAngularUnits() * 180 / 3.14159265358979323846;
    const auto rows = raster.extent().height;
    const double dlat = std::abs(t[5]) * degree, dlon = t[1] * degree;
    const double north = raster.south_up() ? t[3] * degree + dlat * static_cast<double>(rows) : t[3] * degree;
    const double south = north - dlat * static_cast<double>(rows);
    if (north > 90 + dlat || south < -90 - dlat)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    raster.path() + " has a geographic CRS but reaches from " + gdalmcp::gdal::number_text(south) +
                        " to " + gdalmcp::gdal::number_text(north) + " degrees of latitude",
                    "give it its true CRS with raster_convert or reproject it with src_crs"};
    const double all_around = std::abs(dlon * static_cast<double>(raster.extent().width) - 360);
    return {
        cell_sizes::geographic(rows, north, dlon, dlat, raster.crs().GetSemiMajor(), raster.crs().GetInvFlattening()),
        std::string{"the CRS is geographic: slopes, lengths and areas use the true cell size of each row on the "
                    "ellipsoid, which narrows towards the poles; results near them are coarse east to west"} +
            (all_around < dlon / 2 ? "; the grid goes around the Earth, but water leaves it over its western and "
                                     "eastern edge, as over any: cut out a grid that has the basins inside"
                                   : "")};
}

}  // namespace

gdal_raster::gdal_raster(const gdalmcp::raster& source, std::optional<std::int64_t> band)
    : path_{source.path}, file_{gdalmcp::gdal::open(source)} {
    const int bands = file_->GetRasterCount();
    if (bands == 0) gdalmcp_datasets::refuse_without_bands(*file_, path_);
    if (!band && bands > 1)
        throw error{
            GDALMCP_INVALID_ARGUMENT, path_ + " has " + std::to_string(bands) + " bands and none is named",
            "make a raster of one with raster_convert and 'bands'; of 'uri', 'band' names it where the tool has it"};
    gdalmcp_datasets::require_band(path_, bands, band.value_or(1));
    gdalmcp_datasets::caution_of_inner_resampling(*file_, path_);
    band_ = file_->GetRasterBand(static_cast<int>(band.value_or(1)));
    if (!is_supported(type()))
        throw error{GDALMCP_UNSUPPORTED, path_ + " holds " + GDALGetDataTypeName(type()) + " values",
                    "convert it with raster_convert to Float64 or another real type first"};
    read_place();
}

void gdal_raster::read_place() {
    on_ = gdalmcp_datasets::grid_of(*file_);
    if (!on_.georeferenced)
        throw error{GDALMCP_UNSUPPORTED, path_ + " has no geotransform, so the size of its cells is unknown",
                    "georeference it first, for example with raster_reproject"};
    if (on_.rotated() || on_.geotransform[1] <= 0 || on_.geotransform[5] == 0)
        throw error{GDALMCP_UNSUPPORTED, path_ + " lies on a rotated or mirrored grid",
                    "resample it to a north-up grid of its own CRS with raster_reproject"};
}

void gdal_raster::keep_middle(std::size_t side) {
    const auto whole = extent();
    const auto width = std::min(side, whole.width), height = std::min(side, whole.height);
    gdalmcp::gdal::words options{"-of", "VRT", "-b", std::to_string(band_->GetBand()), "-srcwin"};
    options.add(std::to_string((whole.width - width) / 2), std::to_string((whole.height - height) / 2),
                std::to_string(width), std::to_string(height));
    auto view = gdalmcp_datasets::translate(*file_, "", std::move(options));
    if (!view) gdalmcp::gdal::raise("cannot take the middle of " + path_);
    view->GetRasterBand(1)->SetUnitType(band_->GetUnitType());
    whole_ = std::move(file_);
    file_ = std::move(view);
    band_ = file_->GetRasterBand(1);
    read_place();
}

shape gdal_raster::extent() const {
    return {static_cast<std::size_t>(file_->GetRasterXSize()), static_cast<std::size_t>(file_->GetRasterYSize())};
}

GDALDataType gdal_raster::type() const { return band_->GetRasterDataType(); }

std::string gdal_raster::tag(const char* key) const {
    const char* value = file_->GetMetadataItem(key);
    return value ? value : "";
}

double gdal_raster::scale() const { return band_->GetScale(); }

std::string gdal_raster::height_unit() const { return gdalmcp_datasets::height_unit(*band_, on_.crs); }

std::array<double, 2> gdal_raster::centre(std::size_t row, std::size_t column) const {
    const auto in_file = south_up() ? extent().height - 1 - row : row;
    return {on_.geotransform[0] + (static_cast<double>(column) + 0.5) * on_.geotransform[1],
            on_.geotransform[3] + (static_cast<double>(in_file) + 0.5) * on_.geotransform[5]};
}

std::string gdal_raster::cell_text(std::size_t index) const {
    const auto row = extent().row(index), column = extent().column(index);
    const auto [x, y] = centre(row, column);
    return "column " + std::to_string(column) + ", row " +
           std::to_string(south_up() ? extent().height - 1 - row : row) + " (x " + gdalmcp::gdal::number_text(x) +
           ", y " + gdalmcp::gdal::number_text(y) + ")";
}

template <class T>
valid_values<T> gdal_raster::read(const progress& tick) const {
    valid_values<T> all{grid<T>{extent(), unset{}}, grid<std::uint8_t>{extent(), unset{}}};
    const auto read_rows_from = [&](const gdal_raster& by, std::size_t top, std::size_t bottom) {
        by.read_window(*by.band_, {top, 0, {extent().width, bottom - top}}, all.values.row(top), all.valid.row(top));
    };
    const auto cache = cache_of_rows(*band_);
    if (!readable_side_by_side()) {
        const memory_ahead ahead{whole_team(), all.values.memory()};
        by_rows(band_->GetYSize(), tick, [&](int first, int rows) {
            read_rows_from(*this, static_cast<std::size_t>(first), static_cast<std::size_t>(first + rows));
        });
        return all;
    }
    std::mutex guard;
    std::vector<std::unique_ptr<gdal_raster>> idle;  // a dataset is used by one thread at a time
    strips{extent(), {whole_team().threads, rows_at_once}}.each(tick, [&](const strip& s) {
        require_room_for_gdal();
        std::unique_ptr<gdal_raster> own;
        {
            const std::lock_guard held{guard};
            if (!idle.empty()) {
                own = std::move(idle.back());
                idle.pop_back();
            }
        }
        if (!own) own = std::make_unique<gdal_raster>(gdalmcp::raster{path_}, band_->GetBand());
        read_rows_from(*own, s.top, s.bottom);
        const std::lock_guard held{guard};
        idle.push_back(std::move(own));
    });
    return all;
}

bool gdal_raster::readable_side_by_side() const {
    int across = 0, down = 0;
    band_->GetBlockSize(&across, &down);
    return whole_team().threads > 0 && !whole_ && EQUAL(file_->GetDriverName(), "GTiff") && down <= rows_at_once &&
           extent().size() >= many_cells;
}

template <class T>
valid_values<T> gdal_raster::read_tile(const placed_tile& tile) const {
    valid_values<T> part{grid<T>{tile.extent, unset{}}, grid<std::uint8_t>{tile.extent, unset{}}};
    read_window(*band_, tile, part.values.row(0), part.valid.row(0));
    return part;
}

// window: of the north-up grid, and so are `values` and `valid`.
template <class T>
void gdal_raster::read_window(GDALRasterBand& source, const placed_tile& window, T* values, std::uint8_t* valid) const {
    const int width = static_cast<int>(window.extent.width), height = static_cast<int>(window.extent.height);
    const int first = static_cast<int>(window.row), column = static_cast<int>(window.column);
    const int in_file = south_up() ? source.GetYSize() - first - height : first;
    const auto read = [&](GDALRasterBand& from, void* to, GDALDataType type) {
        const GSpacing pixel = GDALGetDataTypeSizeBytes(type), line = pixel * width;
        auto* top = static_cast<std::byte*>(to) + (south_up() ? line * (height - 1) : 0);
        return from.RasterIO(GF_Read, column, in_file, width, height, top, width, height, type, pixel,
                             south_up() ? -line : line, nullptr);
    };
    const auto rule = gdalmcp::gdal::nodata_rule_of(source);
    const bool masked = rule.by_mask || (!rule.range.empty() && !holds_exactly<T>(source.GetRasterDataType()));
    if (read(source, values, gdal_type<T>()) != CE_None ||
        (masked && read(*source.GetMaskBand(), valid, GDT_Byte) != CE_None))
        gdalmcp::gdal::raise("cannot read " + path_);
    const auto [low, high] = gdalmcp::gdal::cells_in<T>(masked ? gdalmcp::nodata_range{} : rule.range);
    const auto known = [low = low, high = high](T v) {
        bool regular = true;
        if constexpr (std::is_floating_point_v<T>) regular = std::abs(v) <= std::numeric_limits<T>::max();  // not NaN
        return static_cast<std::uint8_t>(regular & !((v >= low) & (v <= high)));
    };
    const auto cells = window.extent.size();
    if (masked)
        for (std::size_t i = 0; i < cells; ++i) valid[i] = (valid[i] != 0) & known(values[i]);
    else
        for (std::size_t i = 0; i < cells; ++i) valid[i] = known(values[i]);
}

template <class T>
void gdal_raster::read_rows_of(int number, const progress& tick, const row_visit<T>& visit) const {
    gdalmcp_datasets::require_band(path_, file_->GetRasterCount(), number);
    auto& source = *file_->GetRasterBand(number);
    const auto columns = extent().width;
    struct piece {
        std::vector<T> values;
        std::vector<std::uint8_t> valid;
    };
    const auto cache = cache_of_rows(source);
    std::array<piece, 2> pieces;  // one is read while the rows of the other are visited
    std::size_t turn = 0;
    gdalmcp::crew visitor{mates_for(extent())};
    by_rows(source.GetYSize(), tick, [&](int first, int rows) {
        const auto top = static_cast<std::size_t>(first), count = static_cast<std::size_t>(rows);
        auto& now = pieces[turn ^= 1];
        now.values.resize(columns * rows_at_once);
        now.valid.resize(columns * rows_at_once);
        read_window(source, {top, 0, {columns, count}}, now.values.data(), now.valid.data());
        visitor.wait();
        visitor.run([&now, &visit, top, count, columns](std::size_t) {
            for (std::size_t r = 0; r < count; ++r)
                visit(top + r, now.values.data() + r * columns, now.valid.data() + r * columns);
        });
    });
    visitor.wait();
}

void gdal_raster::require_heights() const {
    gdalmcp_datasets::refuse_directions(path_, *file_);
    if (std::string_view{band_->GetDescription()} == accumulation_name)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    path_ + " holds no heights: its band " + std::to_string(band_->GetBand()) + " is named '" +
                        accumulation_name + "'",
                    "give the DEM that the directions were made from"};
    if (band_->GetColorTable())
        throw error{GDALMCP_INVALID_ARGUMENT, path_ + " has a palette: its values are class codes, not heights",
                    "give a digital elevation model"};
    if (gdalmcp_datasets::counts_down(crs()))
        throw error{GDALMCP_UNSUPPORTED,
                    path_ + " holds depths: " + gdalmcp::gdal::crs_label(crs()) +
                        " counts downwards, so that its largest value is the lowest place",
                    "make heights of them with raster_calc: -A"};
    if (!(scale() > 0))
        throw error{GDALMCP_UNSUPPORTED,
                    path_ + " stores heights with the scale " + gdalmcp::gdal::number_text(scale()) +
                        ", which inverts the terrain",
                    "unscale it with raster_convert first"};
}

void gdal_raster::require_same_grid(const gdal_raster& other) const {
    gdalmcp_datasets::require_same_grid({path_, on_}, {other.path_, other.on_});
}

true_sizes measure_cells(const gdal_raster& raster) {
    const auto& t = raster.geotransform();
    const auto rows = raster.extent().height;
    const double dx = t[1], dy = std::abs(t[5]);
    if (raster.crs().IsEmpty())
        return {cell_sizes::planar(rows, dx, dy), "the raster has no CRS: its cell size is assumed to be in metres"};
    if (raster.crs().IsGeographic()) return measure_geographic(raster);

    const double metre = raster.crs().GetLinearUnits();
    auto planar = cell_sizes::planar(rows, dx * metre, dy * metre);
    const auto measured = measure_on_ellipsoid(raster);
    if (!measured)
        return {std::move(planar), "the cells could not be measured on the ellipsoid: lengths and areas are those of " +
                                       gdalmcp::gdal::crs_label(raster.crs())};
    double least = 1e300, most = 0, slanted = 0;
    bool true_to_size = true;
    for (std::size_t row = 0; row < rows; ++row)  // an equal-area CRS stretches one way what it shortens the other
        for (const double scale :
             {planar.width(row) / measured->width(row), planar.height(row) / measured->height(row)}) {
            least = std::min(least, scale);
            most = std::max(most, scale);
            true_to_size = true_to_size && std::abs(scale - 1) < 0.01 &&
                           std::abs(planar.area(row) / measured->area(row) - 1) < 0.01;
        }
    for (std::size_t row = 0; row < rows; ++row)
        slanted = std::max(slanted, diagonal_error(measured->width(row), measured->height(row), measured->area(row)));
    auto beside = told_beside(raster, least, most);
    if (slanted > 0.01)
        beside += CPLString().Printf(
            "; columns and rows do not meet at right angles on the ground, so slopes and lengths along diagonals are "
            "off "
            "by up to %.2g %%: reproject to a conformal CRS",
            100 * slanted);
    if (true_to_size) planar = planar.with_areas_of(*measured);  // which add up over a country
    if (true_to_size && beside.empty()) return {std::move(planar), ""};
    const auto figure = [](double v) { return CPLString().Printf("%.4g", v); };
    return {true_to_size ? std::move(planar) : *measured,
            gdalmcp::gdal::crs_label(raster.crs()) + " shows lengths " + figure(least) + " to " + figure(most) +
                " times their true size here" +
                (true_to_size ? ""
                              : ": slopes, lengths and areas use the true cell size of each row, measured on the "
                                "ellipsoid along the "
                                "middle column") +
                beside};
}

void warn_of_contour_width(gdalmcp::call& call, const gdal_raster& raster, const cell_sizes& sizes) {
    const auto middle = raster.extent().height / 2;
    const double width = sizes.width(middle), height = sizes.height(middle);
    const double off = std::sqrt(std::max(width / height, height / width));
    if (off < 1.01) return;
    call.warn(
        CPLString().Printf("cells are %.4g x %.4g m: specific catchment area divides by the root of their area, "
                           "and is off by up to a factor of %.3g with the direction of flow; reproject to "
                           "square cells",
                           width, height, off));
}

true_areas::true_areas(const gdal_raster& raster, const cell_sizes& sizes)
    : sizes_{sizes},
      extent_{raster.extent()},
      south_up_{raster.south_up()},
      on_ellipsoid_{gdalmcp::gdal::cell_areas::of(raster.crs(), raster.geotransform(), static_cast<int>(extent_.width),
                                                  static_cast<int>(extent_.height))} {}

double true_areas::of(std::size_t row, std::size_t column) const {
    if (!on_ellipsoid_) return sizes_.area(row);
    const auto in_file = south_up_ ? extent_.height - 1 - row : row;
    const double area = on_ellipsoid_->at(static_cast<double>(column) + 0.5, static_cast<std::int64_t>(in_file));
    return std::isfinite(area) ? area : sizes_.area(row);
}

grid<double> true_areas::of_all(const team& by) const {
    grid<double> all{extent_, unset{}};
    strips{extent_, by}.each({}, [&](const strip& s) {
        for (auto row = s.top; row < s.bottom; ++row)
            for (std::size_t column = 0; column < extent_.width; ++column) all(row, column) = of(row, column);
    });
    return all;
}

void limit_block_cache(std::int64_t bytes) { GDALSetCacheMax64(std::min<GIntBig>(bytes, GDALGetCacheMax64())); }

void limit_block_cache_to_rows(const gdal_raster& raster) {
    int across = 0, down = 0;
    raster.band().GetBlockSize(&across, &down);
    const std::int64_t rows = std::max(down, rows_at_once) + rows_at_once, widest = 8;  // bytes of a cell
    const auto columns = static_cast<std::int64_t>(raster.extent().width);
    limit_block_cache(std::max(std::int64_t{64} << 20, 2 * rows * columns * widest));
}

#define GDALMCP_RASTER(T)                                                         \
    template valid_values<T> gdal_raster::read<T>(const progress&) const;         \
    template valid_values<T> gdal_raster::read_tile<T>(const placed_tile&) const; \
    template void gdal_raster::read_rows_of<T>(int, const progress&, const row_visit<T>&) const
GDALMCP_RASTER(std::uint8_t);
GDALMCP_RASTER(std::int16_t);
GDALMCP_RASTER(std::uint16_t);
GDALMCP_RASTER(std::int32_t);
GDALMCP_RASTER(std::uint32_t);
GDALMCP_RASTER(float);
GDALMCP_RASTER(double);
#undef GDALMCP_RASTER

}  // namespace gdalmcp_hydrology
