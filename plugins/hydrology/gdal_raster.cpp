#include "gdal_raster.hpp"

#include <gdal_utils.h>
#include <geodesic.h>

#include <algorithm>
#include <cmath>
#include <gdalmcp/gdal_crs.hpp>

namespace gdalmcp_hydrology {
namespace {

using gdalmcp::error;

constexpr int rows_at_once = 256;

// Calls io(first row, rows) for blocks of rows, reporting between them.
template <class Io>
void by_rows(int height, const progress& tick, Io&& io) {
    for (int row = 0; row < height; row += rows_at_once) {
        if (tick) tick(static_cast<double>(row) / height);
        io(row, std::min(rows_at_once, height - row));
    }
}

// RasterIO of whole rows between a band and a north-up buffer: a south-up file is walked upwards, by a negative stride.
CPLErr row_io(GDALRasterBand& band, GDALRWFlag direction, int first, int rows, bool south_up, void* top, int width,
              int height, GDALDataType type) {
    const GSpacing pixel = GDALGetDataTypeSizeBytes(type), line = pixel * width;
    auto* start = static_cast<std::byte*>(top);
    if (!south_up)
        return band.RasterIO(direction, 0, first, width, rows, start + line * first, width, rows, type, pixel, line,
                             nullptr);
    return band.RasterIO(direction, 0, first, width, rows, start + line * (height - 1 - first), width, rows, type,
                         pixel, -line, nullptr);
}

bool is_supported(GDALDataType type) {
    for (const auto t : {GDT_Byte, GDT_Int16, GDT_UInt16, GDT_Int32, GDT_UInt32, GDT_Float32, GDT_Float64})
        if (t == type) return true;
    return false;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// A driver that creates raster files of this extension; GeoTIFF for .tif.
GDALDriver& driver_for(const std::string& path) {
    const std::string extension = lower(CPLGetExtension(path.c_str()));
    auto& drivers = *GetGDALDriverManager();
    if (extension == "tif" || extension == "tiff") return *drivers.GetDriverByName("GTiff");
    for (int i = 0; i < drivers.GetDriverCount(); ++i) {
        auto& driver = *drivers.GetDriver(i);
        const char* extensions = driver.GetMetadataItem(GDAL_DMD_EXTENSIONS);
        if (!extensions || !driver.GetMetadataItem(GDAL_DCAP_RASTER) || !driver.GetMetadataItem(GDAL_DCAP_CREATE))
            continue;
        const CPLStringList known{CSLTokenizeString(extensions)};
        if (known.FindString(extension.c_str()) >= 0) return driver;
    }
    throw error{GDALMCP_UNSUPPORTED, "no GDAL driver writes a raster cell by cell into a file named ." + extension,
                "write a .tif and convert it with raster_convert"};
}

// Sizes of the cells of the middle column, one per row, along geodesics on the CRS's own ellipsoid.
std::optional<cell_sizes> measure_on_ellipsoid(const gdal_raster& raster) {
    const gdalmcp::gdal::quiet silence;
    const std::unique_ptr<OGRSpatialReference> degrees{raster.crs().CloneGeogCS()};
    if (!degrees) return {};
    degrees->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const std::unique_ptr<OGRCoordinateTransformation> to_degrees{
        OGRCreateCoordinateTransformation(&raster.crs(), degrees.get())};
    if (!to_degrees) return {};
    geod_geodesic earth{};
    const double inverse_flattening = degrees->GetInvFlattening();
    geod_init(&earth, degrees->GetSemiMajor(), inverse_flattening > 0 ? 1 / inverse_flattening : 0);

    std::vector<double> dx, dy, area;
    const auto column = raster.extent().width / 2;
    const double half_x = std::abs(raster.geotransform()[1]) / 2, half_y = std::abs(raster.geotransform()[5]) / 2;
    for (std::size_t row = 0; row < raster.extent().height; ++row) {
        const auto [x, y] = raster.centre(row, column);
        // West, east, north and south side, then the corners counter-clockwise from the south-west.
        std::array<double, 8> px{x - half_x, x + half_x, x, x, x - half_x, x + half_x, x + half_x, x - half_x};
        std::array<double, 8> py{y, y, y + half_y, y - half_y, y - half_y, y - half_y, y + half_y, y + half_y};
        if (!to_degrees->Transform(8, px.data(), py.data())) return {};
        double width = 0, height = 0, cell_area = 0;
        geod_inverse(&earth, py[0], px[0], py[1], px[1], &width, nullptr, nullptr);
        geod_inverse(&earth, py[2], px[2], py[3], px[3], &height, nullptr, nullptr);
        geod_polygonarea(&earth, &py[4], &px[4], 4, &cell_area, nullptr);
        if (!(width > 0) || !(height > 0) || !(std::abs(cell_area) > 0)) return {};
        dx.push_back(width);
        dy.push_back(height);
        area.push_back(std::abs(cell_area));
    }
    return cell_sizes::by_row(std::move(dx), std::move(dy), std::move(area));
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
    return {
        cell_sizes::geographic(rows, north, dlon, dlat, raster.crs().GetSemiMajor(), raster.crs().GetInvFlattening()),
        "the CRS is geographic: slopes, lengths and areas use the true cell size of each row on the ellipsoid, "
        "which narrows towards the poles; results near them are coarse east to west"};
}

}  // namespace

gdal_raster::gdal_raster(const gdalmcp::raster& source, std::optional<std::int64_t> band)
    : path_{source.path}, file_{gdalmcp::gdal::open(source)} {
    const int bands = file_->GetRasterCount();
    if (bands == 0) throw error{GDALMCP_UNSUPPORTED, path_ + " holds no raster band", "name one of its subdatasets"};
    if (!band && bands > 1)
        throw error{GDALMCP_INVALID_ARGUMENT, path_ + " has " + std::to_string(bands) + " bands and none is named",
                    "name the band to use with 'band', from 1"};
    if (band.value_or(1) < 1 || band.value_or(1) > bands)
        throw error{
            GDALMCP_NOT_FOUND,
            "there is no band " + std::to_string(*band) + " in " + path_ + ", which has " + std::to_string(bands),
            "name a band from 1 to " + std::to_string(bands)};
    band_ = file_->GetRasterBand(static_cast<int>(band.value_or(1)));
    if (!is_supported(type()))
        throw error{GDALMCP_UNSUPPORTED, path_ + " holds " + GDALGetDataTypeName(type()) + " values",
                    "convert it with raster_convert to Float64 or another real type first"};
    read_place();
}

void gdal_raster::read_place() {
    if (file_->GetGeoTransform(geotransform_.data()) != CE_None)
        throw error{GDALMCP_UNSUPPORTED, path_ + " has no geotransform, so the size of its cells is unknown",
                    "georeference it first, for example with raster_reproject"};
    if (geotransform_[2] != 0 || geotransform_[4] != 0 || geotransform_[1] <= 0 || geotransform_[5] == 0)
        throw error{GDALMCP_UNSUPPORTED, path_ + " lies on a rotated or mirrored grid",
                    "resample it to a north-up grid of its own CRS with raster_reproject"};
    if (const auto* srs = file_->GetSpatialRef()) crs_ = *srs;
    crs_.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
}

void gdal_raster::keep_middle(std::size_t side) {
    const auto whole = extent();
    const auto width = std::min(side, whole.width), height = std::min(side, whole.height);
    gdalmcp::gdal::words options{"-of", "VRT", "-b", std::to_string(band_->GetBand()), "-srcwin"};
    options.add(std::to_string((whole.width - width) / 2), std::to_string((whole.height - height) / 2),
                std::to_string(width), std::to_string(height));
    const std::unique_ptr<GDALTranslateOptions, decltype(&GDALTranslateOptionsFree)> asked{
        GDALTranslateOptionsNew(options.get(), nullptr), &GDALTranslateOptionsFree};
    gdalmcp::gdal::dataset_ptr view{
        GDALDataset::FromHandle(GDALTranslate("", GDALDataset::ToHandle(file_.get()), asked.get(), nullptr))};
    if (!view) gdalmcp::gdal::raise("cannot take the middle of " + path_);
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

std::string gdal_raster::height_unit() const {
    if (const char* unit = band_->GetUnitType(); unit && *unit) return unit;
    if (!crs_.IsCompound()) return {};
    const char* unit = nullptr;
    crs_.GetTargetLinearUnits("VERT_CS", &unit);
    return unit ? unit : "";
}

std::array<double, 2> gdal_raster::centre(std::size_t row, std::size_t column) const {
    const auto in_file = south_up() ? extent().height - 1 - row : row;
    return {geotransform_[0] + (static_cast<double>(column) + 0.5) * geotransform_[1],
            geotransform_[3] + (static_cast<double>(in_file) + 0.5) * geotransform_[5]};
}

std::string gdal_raster::cell_text(std::size_t index) const {
    const auto row = extent().row(index), column = extent().column(index);
    const auto [x, y] = centre(row, column);
    return "column " + std::to_string(column) + ", row " +
           std::to_string(south_up() ? extent().height - 1 - row : row) + " (x " + gdalmcp::gdal::number_text(x) +
           ", y " + gdalmcp::gdal::number_text(y) + ")";
}

template <class T>
grid<T> gdal_raster::read(const progress& tick) const {
    grid<T> values{extent()};
    const int width = band_->GetXSize(), height = band_->GetYSize();
    by_rows(height, tick, [&](int first, int rows) {
        if (row_io(*band_, GF_Read, first, rows, south_up(), values.row(0), width, height, gdal_type<T>()) != CE_None)
            gdalmcp::gdal::raise("cannot read " + path_);
    });
    return values;
}

grid<std::uint8_t> gdal_raster::read_valid() const {
    if (band_->GetMaskFlags() == GMF_ALL_VALID) return grid<std::uint8_t>{extent(), 1};
    grid<std::uint8_t> valid{extent()};
    const int width = band_->GetXSize(), height = band_->GetYSize();
    by_rows(height, {}, [&](int first, int rows) {
        if (row_io(*band_->GetMaskBand(), GF_Read, first, rows, south_up(), valid.row(0), width, height, GDT_Byte) !=
            CE_None)
            gdalmcp::gdal::raise("cannot read the mask of " + path_);
    });
    return valid;
}

void gdal_raster::require_heights() const {
    if (band_->GetColorTable())
        throw error{GDALMCP_INVALID_ARGUMENT, path_ + " has a palette: its values are class codes, not heights",
                    "give a digital elevation model"};
    if (!(scale() > 0))
        throw error{GDALMCP_UNSUPPORTED,
                    path_ + " stores heights with the scale " + gdalmcp::gdal::number_text(scale()) +
                        ", which turns the terrain over",
                    "unscale it with raster_convert first"};
}

void gdal_raster::require_same_grid(const gdal_raster& other) const {
    const auto size = [](const gdal_raster& r) {
        return std::to_string(r.extent().width) + " x " + std::to_string(r.extent().height) + " cells of " +
               gdalmcp::gdal::number_text(r.geotransform_[1]) + " by " +
               gdalmcp::gdal::number_text(std::abs(r.geotransform_[5])) + " at " +
               gdalmcp::gdal::number_text(r.geotransform_[0]) + ", " + gdalmcp::gdal::number_text(r.geotransform_[3]) +
               " in " + (r.crs_.IsEmpty() ? "no CRS" : gdalmcp::gdal::crs_text(r.crs_));
    };
    bool same = extent() == other.extent();
    for (std::size_t i = 0; i < 6; ++i) {
        // A thousandth of a cell: what different programs make of the same grid.
        const double step = std::min(std::abs(geotransform_[1]), std::abs(geotransform_[5]));
        const double reach = i % 3 == 0 ? 1.0 : static_cast<double>(std::max(extent().width, extent().height));
        same = same && std::abs(geotransform_[i] - other.geotransform_[i]) * reach <= step / 1000;
    }
    same = same && (crs_.IsEmpty() || other.crs_.IsEmpty() || gdalmcp::gdal::detail::same(crs_, other.crs_));
    if (!same)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the grids differ: " + path_ + " has " + size(*this) + "; " + other.path_ + " has " + size(other),
                    "bring the second onto the first with raster_reproject and align_to"};
}

true_sizes measure_cells(const gdal_raster& raster) {
    const auto& t = raster.geotransform();
    const auto rows = raster.extent().height;
    const double dx = t[1], dy = std::abs(t[5]);
    if (raster.crs().IsEmpty())
        return {cell_sizes::planar(rows, dx, dy), "the raster has no CRS: its cell size is taken to be in metres"};
    if (raster.crs().IsGeographic()) return measure_geographic(raster);

    const double metre = raster.crs().GetLinearUnits();
    auto planar = cell_sizes::planar(rows, dx * metre, dy * metre);
    const auto measured = measure_on_ellipsoid(raster);
    if (!measured)
        return {std::move(planar), "the cells could not be measured on the ellipsoid: lengths and areas are those of " +
                                       gdalmcp::gdal::crs_text(raster.crs())};
    double least = 1e300, most = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        const double scale = planar.area(row) / measured->area(row);
        least = std::min(least, scale);
        most = std::max(most, scale);
    }
    if (least > 0.99 && most < 1.01) return {std::move(planar), ""};
    return {*measured, gdalmcp::gdal::crs_text(raster.crs()) + " shows areas " + gdalmcp::gdal::number_text(least) +
                           " to " + gdalmcp::gdal::number_text(most) +
                           " times their true size here: slopes, lengths and areas use the true cell size of each "
                           "row, measured on the ellipsoid along the middle column"};
}

std::optional<double> metres_of(const std::string& unit) {
    const std::string name = lower(unit);
    for (const char* metre : {"m", "metre", "meter", "metres", "meters"})
        if (name == metre) return 1.0;
    for (const char* foot : {"ft", "foot", "feet", "international foot"})
        if (name == foot) return 0.3048;
    for (const char* foot : {"us-ft", "ftus", "us_ft", "us survey foot", "foot_us", "us survey feet"})
        if (name == foot) return 1200.0 / 3937.0;
    for (const auto& [other, metres] :
         {std::pair{"cm", 0.01}, {"centimetre", 0.01}, {"dm", 0.1}, {"mm", 0.001}, {"km", 1000.0}})
        if (name == other) return metres;
    return {};
}

gdal_output::gdal_output(const std::string& path, const gdal_raster& like, GDALDataType type, int bands)
    : path_{path}, south_up_{like.south_up()} {
    auto& driver = driver_for(path);
    gdalmcp::gdal::words options;
    if (EQUAL(driver.GetDescription(), "GTiff")) options.add("TILED=YES", "BIGTIFF=IF_SAFER");
    file_.reset(driver.Create(path.c_str(), static_cast<int>(like.extent().width),
                              static_cast<int>(like.extent().height), bands, type, options.get()));
    if (!file_) gdalmcp::gdal::raise("cannot create " + path);
    auto transform = like.geotransform();
    if (file_->SetGeoTransform(transform.data()) != CE_None) gdalmcp::gdal::raise("cannot georeference " + path);
    if (!like.crs().IsEmpty() && file_->SetSpatialRef(&like.crs()) != CE_None)
        gdalmcp::gdal::raise("cannot store the CRS in " + path);
}

void gdal_output::tag(const std::map<std::string, std::string>& tags) {
    for (const auto& [key, value] : tags)
        if (file_->SetMetadataItem(key.c_str(), value.c_str()) != CE_None)
            gdalmcp::gdal::raise("cannot store " + key + " in " + path_);
}

GDALRasterBand& gdal_output::band(int number) { return *file_->GetRasterBand(number); }

template <class T>
void gdal_output::write(int number, const grid<T>& values, const progress& tick) {
    const int width = band(number).GetXSize(), height = band(number).GetYSize();
    auto* top = const_cast<T*>(values.row(0));  // RasterIO takes one pointer for both ways
    by_rows(height, tick, [&](int first, int rows) {
        if (row_io(band(number), GF_Write, first, rows, south_up_, top, width, height, gdal_type<T>()) != CE_None)
            gdalmcp::gdal::raise("cannot write " + path_);
    });
}

void gdal_output::finish() {
    CPLErrorReset();
    file_->FlushCache(true);
    file_.reset();
    if (CPLGetLastErrorType() == CE_Failure || CPLGetLastErrorType() == CE_Fatal)
        gdalmcp::gdal::raise("cannot finish " + path_);
}

#define GDALMCP_RASTER(T)                                         \
    template grid<T> gdal_raster::read<T>(const progress&) const; \
    template void gdal_output::write<T>(int, const grid<T>&, const progress&)
GDALMCP_RASTER(std::uint8_t);
GDALMCP_RASTER(std::int16_t);
GDALMCP_RASTER(std::uint16_t);
GDALMCP_RASTER(std::int32_t);
GDALMCP_RASTER(std::uint32_t);
GDALMCP_RASTER(float);
GDALMCP_RASTER(double);
#undef GDALMCP_RASTER

}  // namespace gdalmcp_hydrology
