#include <gdalmcp/gdal.hpp>

using gdalmcp::arg;
using gdalmcp::field;

static const arg<gdalmcp::raster> uri{.name = "uri", .about = "The elevation model: a path in a workspace."};
static const arg<std::int64_t> band{
    .name = "band", .about = "Band to read, 1 = first. Default: 1.", .fallback = 1, .min = 1};
static const field<double> lowest{"lowest", "Lowest height, nodata left out", "the band's height unit"};
static const field<double> highest{"highest", "Highest height, nodata left out", "the band's height unit"};

static void run(gdalmcp::call& call) {
    const auto dem = gdalmcp::gdal::open(call[uri]);
    if (call[band] > dem->GetRasterCount())
        throw gdalmcp::error{
            GDALMCP_NOT_FOUND,
            "'band' is " + std::to_string(call[band]) + ", but the raster has " + std::to_string(dem->GetRasterCount()),
            "raster_info lists the bands"};
    double range[2];
    if (dem->GetRasterBand(static_cast<int>(call[band]))->ComputeRasterMinMax(FALSE, range) != CE_None)
        gdalmcp::gdal::raise("cannot read the heights");
    call.put(lowest, range[0]);
    call.put(highest, range[1]);
}

static const gdalmcp::tool tool{{.name = "acme_height_range",
                                 .title = "Height range",
                                 .about = "Lowest and highest value of one band, nodata left out.",
                                 .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
                                run,
                                {uri, band},
                                {lowest, highest}};

GDALMCP_PLUGIN("com.example.acme-terrain", "0.1.0", "MIT", tool.abi())
