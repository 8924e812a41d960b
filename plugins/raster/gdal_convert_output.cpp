#include "gdal_convert_output.hpp"

#include "convert_arguments.hpp"
#include "datasets/gdal_output.hpp"

namespace gdalmcp_raster::conversion {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

gdal::dataset_ptr view_of(GDALDataset& source, const std::vector<int>& numbers) {
    gdal::words words{"-of", "VRT"};
    bool transparent = false, has_alpha = false;
    for (const int b : numbers) {
        words.add("-b", std::to_string(b));
        has_alpha = has_alpha || is_alpha(*source.GetRasterBand(b));
        transparent = transparent || source.GetRasterBand(b)->GetMaskFlags() & GMF_ALPHA;
    }
    // Cells that an alpha band makes transparent have no data, also where it is not among the bands taken.
    for (int b = 1; transparent && !has_alpha && b <= source.GetRasterCount(); ++b)
        if (is_alpha(*source.GetRasterBand(b))) words.add("-mask", std::to_string(b));
    auto view = translate(source, "", std::move(words));
    if (!view) gdal::raise("cannot read the bands of " + std::string{source.GetDescription()});
    return view;
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
