#include "gdal_relief.hpp"

#include <gdal_utils.h>
#include <gdalmcp/gdal_crs.hpp>

#include <limits>

#include "datasets/gdal_cell_size.hpp"
#include "datasets/gdal_height_unit.hpp"

namespace gdalmcp_raster {
namespace {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

relief_cell signed_as(const grid& on, double width, double height) {
    return {width, on.geotransform[5] > 0 ? height : -height};
}

// Metres, row by row along the middle column. The first and the last row have no result, and may reach beyond a pole.
std::vector<relief_cell> measured_rows(const std::string& path, const grid& on, double metre) {
    const auto cells = cell_ruler::of(on);
    std::vector<relief_cell> rows;
    for (int row = 0; row < on.height; ++row) {
        const auto size = cells ? cells->size(on.width / 2, row) : std::nullopt;
        if (!size && row > 0 && row < on.height - 1)
            throw error{GDALMCP_UNSUPPORTED,
                        "the cells of row " + std::to_string(row) + " of " + path + " have no length in " +
                            gdal::crs_label(on.crs),
                        "reproject the raster to a projected CRS with raster_reproject"};
        rows.push_back(size ? signed_as(on, size->width / metre, size->height / metre) : relief_cell{});
    }
    return rows;
}

struct stretching {
    double planar = 0;      // largest deviation of a planar length from the true one
    double along_rows = 0;  // largest deviation from the lengths in the middle of the row
};

// At the corners and in the middle.
stretching stretching_of(const grid& on) {
    stretching s;
    if (const auto ratios = length_ratios(on)) s.planar = std::max(1 - (*ratios)[0], (*ratios)[1] - 1);
    const auto cells = cell_ruler::of(on);
    if (!cells) return s;
    for (const double row : {0.0, on.height / 2.0, on.height - 1.0})
        if (const auto middle = cells->size(on.width / 2, row))
            for (const double column : {0.0, on.width - 1.0})
                if (const auto size = cells->size(column, row))
                    s.along_rows = std::max({s.along_rows, std::abs(middle->width / size->width - 1),
                                             std::abs(middle->height / size->height - 1)});
    return s;
}

std::string percent(double share) { return gdal::number_text(std::round(1000 * share) / 10) + " %"; }

std::string unit_of_cells(const grid& on) {
    const char* name = nullptr;
    on.crs.GetLinearUnits(&name);
    return name && *name ? name : "other units";
}

}  // namespace

double height_metres(const std::string& path, const grid& on, GDALRasterBand& heights,
                     std::vector<std::string>& notes) {
    const auto unit = height_unit(heights, on.crs);
    if (const auto metres = metres_of(unit)) return *metres;
    const bool metric = on.crs.IsGeographic() || on.crs.GetLinearUnits() == 1;
    if (unit.empty() && metric) {
        notes.push_back("the heights declare no unit and are taken as metres; else give 'z_factor'");
        return 1;
    }
    throw error{
        GDALMCP_INVALID_ARGUMENT,
        unit.empty() ? "the heights of " + path + " declare no unit, and its CRS is in " + unit_of_cells(on)
                     : "the heights of " + path + " are in '" + unit + "', a unit that is not known",
        "give 'z_factor', by which heights are multiplied to the unit of the cells: 1 if both are the same, 3.2808 for "
        "metres over feet, 0.3048 for feet over metres"};
}

namespace {

// A z_factor that contradicts the declared units is taken, but not in silence.
void compare_with_units(const grid& on, GDALRasterBand& heights, double metre, double z_factor,
                        std::vector<std::string>& notes) {
    const auto unit = height_unit(heights, on.crs);
    const auto declared = metres_of(unit);
    if (!declared || std::abs(*declared / metre / z_factor - 1) < 0.001) return;
    notes.push_back("'z_factor' is " + gdal::number_text(z_factor) + ", but the heights are declared in '" + unit +
                    "', for which it is " + gdal::number_text(*declared / metre));
}

double metres_of_cells(const grid& on) { return on.crs.IsGeographic() ? 1 : on.crs.GetLinearUnits(); }

// metre: of the unit of a planar CRS.
relief_ground on_cells(const std::string& path, const grid& on, double metre, double z_factor) {
    relief_ground g;
    g.z_factor = z_factor;
    const bool geographic = on.crs.IsGeographic();
    const auto stretched = geographic || on.crs.IsEmpty() ? stretching{} : stretching_of(on);
    if (!geographic && stretched.planar <= 0.01) {
        // By one factor, which is 1 for equal units: the result is gdaldem's bit by bit.
        g.rows = {signed_as(on, on.cell_width() * (1 / z_factor), on.cell_height() * (1 / z_factor))};
        return g;
    }
    if (geographic) {
        g.notes.emplace_back("the CRS is geographic: each row has its true cell size on the ellipsoid");
    } else {
        const auto stretches =
            gdal::crs_label(on.crs) + " stretches lengths in " + path + " by up to " + percent(stretched.planar);
        if (stretched.along_rows > 0.05)
            throw error{
                GDALMCP_UNSUPPORTED,
                stretches + ", and by " + percent(stretched.along_rows) +
                    " along a row, so that no row has a cell size of its own",
                "reproject the raster, or the part that matters, to a CRS of that region with raster_reproject"};
        g.notes.push_back(
            stretches + ": each row has its true cell size on the ellipsoid" +
            (stretched.along_rows > 0.01 ? ", off by up to " + percent(stretched.along_rows) + " at its ends" : ""));
    }
    g.rows = measured_rows(path, on, metre * z_factor);
    return g;
}

}  // namespace

relief_ground ground_of(const std::string& path, const grid& on, GDALRasterBand& heights,
                        std::optional<double> z_factor) {
    relief_ground g;
    if (on.crs.IsEmpty()) {
        if (!z_factor)
            throw error{GDALMCP_INVALID_ARGUMENT, path + " has no CRS, so the unit of its cells is unknown",
                        "give 'z_factor': 1 if cells and heights have the same unit"};
        g = on_cells(path, on, 1, *z_factor);
    } else {
        const double metre = metres_of_cells(on);
        std::vector<std::string> notes;
        if (z_factor) compare_with_units(on, heights, metre, *z_factor, notes);
        g = on_cells(path, on, metre, z_factor ? *z_factor : height_metres(path, on, heights, notes) / metre);
        g.notes.insert(g.notes.begin(), notes.begin(), notes.end());
    }
    if (const double stored = heights.GetScale(); stored != 1)
        for (auto& r : g.rows) r.width /= stored, r.height /= stored;
    return g;
}

relief_ground shapes_of(const std::string& path, const grid& on) {
    return on_cells(path, on, on.crs.IsEmpty() ? 1 : metres_of_cells(on), 1);
}

namespace {

// A block's cells with their halo of 1; `first` is the cell before and above the block.
struct block_rows {
    const gdal::block& at;
    const unsigned char* first;
    GDALDataType type;
    std::optional<double> missing;
};

// Rows of cells in memory.
struct cells_at {
    const unsigned char* first;
    int width, height, line;  // line: bytes from a row to the next
    GDALDataType type;
    std::optional<double> missing;
};

gdal::dataset_ptr gdaldem_of(const gdaldem_measure& m, const cells_at& cells, const relief_cell& cell) {
    const gdal::dataset_ptr source{
        GetGDALDriverManager()->GetDriverByName("MEM")->Create("", cells.width, cells.height, 0, cells.type, nullptr)};
    gdal::words band;
    band.add(CPLSPrintf("DATAPOINTER=%p", static_cast<const void*>(cells.first)))
        .add("LINEOFFSET=" + std::to_string(cells.line));
    if (!source || source->AddBand(cells.type, band.get()) != CE_None) gdal::raise("cannot prepare a block");
    std::array<double, 6> transform{0, cell.width, 0, 0, 0, cell.height};
    source->SetGeoTransform(transform.data());
    if (cells.missing) source->GetRasterBand(1)->SetNoDataValue(*cells.missing);

    gdal::words words{"-of", "MEM"};
    for (const auto& a : m.arguments) words.add(a);
    const std::unique_ptr<GDALDEMProcessingOptions, void (*)(GDALDEMProcessingOptions*)> options{
        GDALDEMProcessingOptionsNew(words.get(), nullptr), [](auto* o) { GDALDEMProcessingOptionsFree(o); }};
    int misuse = 0;
    gdal::dataset_ptr made{GDALDataset::FromHandle(
        GDALDEMProcessing("", GDALDataset::ToHandle(source.get()), m.mode.c_str(), nullptr, options.get(), &misuse))};
    if (!made || misuse) gdal::raise("cannot compute " + m.mode);
    return made;
}

// gdaldem over rows [row, row + rows) of the block and the neighbours that the raster has.
void run_gdaldem(const gdaldem_measure& m, const block_rows& b, int row, int rows, const grid& on,
                 const relief_cell& cell) {
    const auto& at = b.at;
    const int left = at.column > 0, top = at.row + row > 0;
    const int width = left + at.width + (at.column + at.width < on.width);
    const int height = top + rows + (at.row + row + rows < on.height);
    const int size = GDALGetDataTypeSizeBytes(b.type), line = (at.width + 2) * size;
    const auto* start = b.first + static_cast<std::ptrdiff_t>(row + 1 - top) * line + (1 - left) * size;
    const auto made = gdaldem_of(m, {start, width, height, line, b.type, b.missing}, cell);
    const auto type = relief_type(m.mode);
    void* to = type == GDT_Byte ? static_cast<void*>(at.out<unsigned char>(0, row)) : at.out<float>(0, row);
    if (made->GetRasterBand(1)->RasterIO(GF_Read, left, top, at.width, rows, to, at.width, rows, type, 0, 0, nullptr) !=
        CE_None)
        gdal::raise("cannot compute " + m.mode);
}

}  // namespace

GDALDataType relief_type(const std::string& mode) { return mode == "hillshade" ? GDT_Byte : GDT_Float32; }

void compute(const gdaldem_measure& m, const gdal::block& at, const grid& on, const relief_ground& ground,
             GDALDataType type, std::optional<double> nodata) {
    block_rows rows{at, nullptr, type, nodata};
    const auto size = static_cast<std::size_t>(at.width + 2) * static_cast<std::size_t>(at.height + 2);
    std::vector<float> marked;
    if (type == GDT_Float32) {
        rows.first = reinterpret_cast<const unsigned char*>(at.in<float>(0, -1) - 1);
        rows.missing.reset();
        if (!at.all_valid(0)) {
            const auto* cells = at.in<float>(0, -1) - 1;
            const auto* valid = at.valid(0, -1) - 1;
            rows.missing = std::numeric_limits<float>::lowest();
            marked.assign(cells, cells + size);
            for (std::size_t i = 0; i < size; ++i)
                if (!valid[i]) marked[i] = std::numeric_limits<float>::lowest();
            rows.first = reinterpret_cast<const unsigned char*>(marked.data());
        }
    } else {
        rows.first = type == GDT_Byte ? at.in<unsigned char>(0, -1) - 1
                                      : reinterpret_cast<const unsigned char*>(at.in<std::int16_t>(0, -1) - 1);
    }
    if (ground.same()) return run_gdaldem(m, rows, 0, at.height, on, ground.rows.front());
    for (int row = 0; row < at.height; ++row) run_gdaldem(m, rows, row, 1, on, ground.of(at.row + row));
}

std::vector<unsigned char> hillshade_of(const std::vector<float>& heights, int width, int height,
                                        const relief_cell& cell) {
    std::vector<unsigned char> light(heights.size(), static_cast<unsigned char>(level_light));
    if (width < 3 || height < 3) return light;  // there is no cell with eight neighbours
    const auto made =
        gdaldem_of({"hillshade", {"-compute_edges"}},
                   {reinterpret_cast<const unsigned char*>(heights.data()), width, height,
                    width * static_cast<int>(sizeof(float)), GDT_Float32, std::numeric_limits<float>::lowest()},
                   cell);
    if (made->GetRasterBand(1)->RasterIO(GF_Read, 0, 0, width, height, light.data(), width, height, GDT_Byte, 0, 0,
                                         nullptr) != CE_None)
        gdal::raise("cannot shade the picture");
    return light;
}

}  // namespace gdalmcp_raster
