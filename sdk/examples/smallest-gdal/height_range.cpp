#include <gdalmcp/gdal.hpp>

static const gdalmcp::arg<gdalmcp::raster> uri{.name = "uri", .about = "The elevation model: a path in a workspace."};
static const gdalmcp::arg<gdalmcp::bands> bands{
    .name = "bands", .about = "Bands to look at. Default: all.", .fallback = gdalmcp::bands{}};
static const gdalmcp::field<double> lowest{"lowest", "Lowest value", "the unit of the values"};
static const gdalmcp::field<double> highest{"highest", "Highest value", "the unit of the values"};

static void run(gdalmcp::call& call) {
    const auto dem = gdalmcp::gdal::open(call[uri]);
    double all[2] = {1e300, -1e300};
    for (const int band : call[bands].of(dem->GetRasterCount())) {
        double one[2];
        if (dem->GetRasterBand(band)->ComputeRasterMinMax(FALSE, one) != CE_None)
            gdalmcp::gdal::raise("cannot read the values");
        all[0] = std::min(all[0], one[0]);
        all[1] = std::max(all[1], one[1]);
    }
    call.put(lowest, all[0]);
    call.put(highest, all[1]);
}

static const gdalmcp::tool tool{{.name = "example_height_range",
                                 .title = "Height range",
                                 .about = "Lowest and highest value of a raster, nodata left out.",
                                 .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
                                run,
                                {uri, bands},
                                {lowest, highest}};
GDALMCP_PLUGIN("org.example.height-range", "1.0.0", "MIT", tool)
