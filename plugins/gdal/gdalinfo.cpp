// gdalinfo: the program's report, as text or JSON.
#include "arguments.hpp"
#include "datasets/gdal_programs.hpp"
#include "tools.hpp"

namespace gdalmcp_gdal::gdalinfo {
namespace {

const arg<gdalmcp::raster> dataset{.name = "dataset",
                                   .about = "Path to a raster or vector dataset accessible to the server"};
const arg<bool> json{.name = "json", .about = "Return output in JSON format", .fallback = false};
const arg<bool> stats{.name = "stats", .about = "Compute and include raster band statistics", .fallback = false};

const gdalmcp::field<std::string> report{"report", "Human-readable or JSON formatted report"};

void run(gdalmcp::call& call) {
    const auto source = gdal::open_stored(call[dataset]);
    gdal::words words;
    if (call[json]) words.add("-json");
    if (call[stats]) words.add("-stats");
    const auto text = gdalmcp_datasets::describe(*source, std::move(words));
    if (text.empty()) gdal::raise("cannot describe " + call[dataset].path);
    call.put(report, text);
}

}  // namespace

const gdalmcp::tool tool{{"gdalinfo", "gdalinfo",
                          "Prints summary information about a raster dataset (metadata, geolocation, statistics). "
                          "raster_info gives the same as members to read by name.",
                          GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
                         run,
                         {dataset, json, stats},
                         {report}};

}  // namespace gdalmcp_gdal::gdalinfo
