#include "gdal_convert_output.hpp"

#include "convert_arguments.hpp"
#include "datasets/gdal_output.hpp"

namespace gdalmcp_raster::conversion {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

gdal::dataset_ptr view_of(GDALDataset& source, const std::vector<int>& numbers) {
    gdal::words words{"-of", "VRT"};
    for (const int b : numbers) words.add("-b", std::to_string(b));
    auto view = translate(source, "", std::move(words));
    if (!view) gdal::raise("cannot read the bands of " + std::string{source.GetDescription()});
    return view;
}

void check_types(GDALDriver& driver, GDALDataset& cells) {
    for (auto&& band : cells.GetBands()) {
        const auto first = cells.GetRasterBand(1)->GetRasterDataType(), type = band->GetRasterDataType();
        if (!geotiff(driver) || type == first) continue;
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "band 1 is " + std::string{dtype_name(first)} + ", but band " + std::to_string(band->GetBand()) +
                        " is " + dtype_name(type) + "; a GeoTIFF has one type for all bands",
                    "give \"dtype\": \"" + std::string{dtype_name(GDALDataTypeUnion(first, type))} +
                        "\", or choose 'bands' of one type"};
    }
    const char* list = driver.GetMetadataItem(GDAL_DMD_CREATIONDATATYPES);
    // GeoTIFF has every type, though it does not list all; the text of an ASCII grid holds any number.
    if (!list || geotiff(driver) || is(driver, "AAIGrid")) return;
    const CPLStringList types{CSLTokenizeString(list)};
    for (auto&& band : cells.GetBands()) {
        const auto type = band->GetRasterDataType();
        if (is(driver, "JPEG") && type != GDT_Byte)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "JPEG stores bytes, but band " + std::to_string(band->GetBand()) + " is " + dtype_name(type) +
                            "; its form of 12 bits, which few programs read, clips values above 4095",
                        "give \"dtype\": \"Byte\" with 'scale', or end 'output' in .tif"};
        bool held = false;
        for (int i = 0; i < types.Count(); ++i) {
            const auto t = GDALGetDataTypeByName(types[i]);
            held = held || (t != GDT_Unknown && GDALDataTypeUnion(t, type) == t);
        }
        if (held) continue;
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{driver.GetDescription()} + " stores " + list + ", but band " +
                        std::to_string(band->GetBand()) + " is " + dtype_name(type),
                    "give 'dtype', with 'scale' where the values do not fit, or end 'output' in .tif"};
    }
}

namespace {

constexpr int smallest_halved = 256;  // cells of the longer side

void build_overviews(gdalmcp::call& call, GDALDataset& cells, const std::string& path, pyramid p) {
    const int side = std::max(cells.GetRasterXSize(), cells.GetRasterYSize());
    if (p.factors.empty())
        for (int f = 2; side / f >= smallest_halved / 2; f *= 2) p.factors.push_back(f);
    if (p.factors.empty()) return;
    const gdal::dataset_ptr open{GDALDataset::Open(path.c_str(), GDAL_OF_RASTER | GDAL_OF_UPDATE)};
    gdal::step tail{call, 0.8, 0.9};
    if (!open || open->BuildOverviews(p.method.c_str(), static_cast<int>(p.factors.size()), p.factors.data(), 0,
                                      nullptr, gdal::step::report, &tail, nullptr) != CE_None) {
        call.progress(0.9);
        gdal::raise(std::string{"cannot build overviews in "} + CPLGetFilename(path.c_str()),
                    "set \"overviews\": false");
    }
}

}  // namespace

gdal::dataset_ptr write(gdalmcp::call& call, GDALDataset& cells, GDALDriver& driver,
                        const std::vector<std::string>& options, const pyramid& p) {
    const auto path = call[target].path;
    copy_raster(call, cells, path, driver,
                {.options = options,
                 .from = 0.3,
                 .to = 0.8,
                 .hint = "choose another format or 'dtype'; raster_info lists what the source holds"});
    if (p.wanted && !is(driver, "COG")) build_overviews(call, cells, path, p);
    auto written = gdal::open(gdalmcp::raster{path});
    if (written->GetRasterCount() == 0)
        throw error{GDALMCP_UNSUPPORTED,
                    std::string{driver.GetDescription()} + " stores each of the " +
                        std::to_string(cells.GetRasterCount()) + " bands as a raster of its own",
                    "write one band with 'bands', or all to a .tif"};
    const auto size = [](GDALDataset& d) {
        return std::to_string(d.GetRasterXSize()) + " × " + std::to_string(d.GetRasterYSize());
    };
    if (size(cells) != size(*written))
        throw error{GDALMCP_UNSUPPORTED,
                    std::string{driver.GetDescription()} + " made " + size(*written) + " cells of " + size(cells) +
                        ": it moves the cells to a grid of its own",
                    "use raster_reproject for that, or write a .tif"};
    return written;
}

}  // namespace gdalmcp_raster::conversion
