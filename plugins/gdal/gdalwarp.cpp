// gdalwarp: rasters onto one grid in another CRS; where several have data, the later one counts.
#include "argument_names.hpp"
#include "arguments.hpp"
#include "datasets/gdal_band_label.hpp"
#include "datasets/gdal_output.hpp"
#include "datasets/gdal_raster_source.hpp"
#include "gdal_overlaps.hpp"
#include "raster/gdal_collar.hpp"
#include "raster/gdal_mosaic_source.hpp"
#include "raster/gdal_warp.hpp"
#include "raster/gdal_warp_operation.hpp"
#include "resampling.hpp"
#include "tools.hpp"

namespace gdalmcp_gdal::gdalwarp {
namespace {

using namespace gdalmcp_raster;

const auto sources = sources_argument("List of source raster files; patterns too. Later ones cover earlier ones");
const auto target = target_argument<gdalmcp::output_raster>("dst_dataset", about_raster_target);
const arg<gdalmcp::output_crs> t_srs{.name = "t_srs", .about = "Target spatial reference system (e.g. EPSG:4326)"};
const auto r = method_argument("r", "Resampling algorithm (near, bilinear, cubic). Default: near", warp_methods());
const arg<std::optional<gdalmcp::crs>> s_srs{.name = "s_srs",
                                             .about = "CRS to read the sources in; required where they have none"};
const arg<std::optional<std::vector<double>>> te{
    .name = "te", .about = "Extent of the result: minX, minY, maxX, maxY", .min_items = 4, .max_items = 4};
const arg<std::optional<gdalmcp::crs>> te_srs{.name = "te_srs", .about = "CRS of 'te'. Default: t_srs"};
const arg<std::optional<std::vector<double>>> tr{.name = "tr",
                                                 .about = "Cell size, x and y",
                                                 .unit = "units of t_srs",
                                                 .above = 0.0,
                                                 .min_items = 2,
                                                 .max_items = 2};
const arg<std::optional<double>> dstnodata{.name = "dstnodata",
                                           .about = "Default: the sources', an unused value, or a mask"};
const arg<std::optional<gdalmcp::vector>> cutline{
    .name = "cutline", .about = "Polygons to keep; cells outside become nodata, the extent stays"};

const uri_of_output output_uri{"output_uri", "URI of the warped raster"};

const argument_names names{{"dst_crs", "t_srs"},     {"src_crs", "s_srs"}, {"bounds", "te"},
                           {"bounds_crs", "te_srs"}, {"resolution", "tr"}, {"nodata", "dstnodata"},
                           {"output", "dst_dataset"}};

warp_request request_of(gdalmcp::call& call) {
    warp_request w;
    w.dst_crs = gdal::crs_argument(call[t_srs].text, "t_srs");
    if (const auto c = call[s_srs]) w.src_crs = gdal::crs_argument(c->text, "s_srs");
    w.resampling = raster_tool_method(call[r] ? call[r]->value : "near");
    if (const auto size = call[tr]) w.resolution = *size;
    if (const auto b = call[te]) w.bounds = {{(*b)[0], (*b)[1], (*b)[2], (*b)[3]}};
    if (const auto c = call[te_srs]) w.bounds_crs = gdal::crs_argument(c->text, "te_srs");
    w.nodata = call[dstnodata];
    if (const auto shapes = call[cutline]) set_cutline(w, *shapes, std::nullopt);
    return w;
}

// The opened sources that reach the extent asked for; all of them if none does, which settle() then refuses.
std::vector<gdal::dataset_ptr> opened(gdalmcp::call& call, const warp_request& w) {
    std::vector<gdal::dataset_ptr> all, reaching;
    for (const auto& one : call[sources]) all.push_back(open_raster(one));
    if (std::none_of(all.begin(), all.end(), [&](const auto& d) { return touches(w, *d); })) return all;
    std::size_t off = 0;
    for (auto& d : all)
        if (touches(w, *d))
            reaching.push_back(std::move(d));
        else
            ++off;
    if (off > 0) call.say(std::to_string(off) + " of the sources do not reach 'te' and are left out");
    return reaching;
}

void require_alike(gdalmcp::call& call, const std::vector<gdal::dataset_ptr>& all) {
    auto& first = *all.front();
    const auto facts = [](GDALDataset& d) {
        return std::to_string(d.GetRasterCount()) + " bands of " + dtype_name(common_type(d, band_numbers(d, {})));
    };
    for (const auto& d : all)
        if (facts(*d) != facts(first))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        std::string{first.GetDescription()} + " has " + facts(first) + ", " + d->GetDescription() +
                            " has " + facts(*d),
                        "make them alike with gdal_translate ('bands', 'ot') first"};
    const auto bands_of = [](GDALDataset& d) { return bands_in_order{d.GetDescription(), d, band_numbers(d, {})}; };
    for (std::size_t k = 1; k < all.size(); ++k)
        if (const auto doubt = doubt_of_order(bands_of(first), bands_of(*all[k])); !doubt.empty()) {
            call.warn(doubt);
            break;
        }
    std::vector<std::string> said;
    const std::string path = first.GetDescription();
    for (const auto& d : all)
        for (int i = 1; d != all.front() && i <= first.GetRasterCount(); ++i)
            gdalmcp_raster::require_same_meaning({path, *first.GetRasterBand(i)},
                                                 {d->GetDescription(), *d->GetRasterBand(i)}, said);
    for (const auto& line : said) call.warn(line);
}

std::string shown(const std::optional<double>& nodata) {
    if (!nodata) return "none";
    return std::isnan(*nodata) ? "NaN" : gdal::number_text(*nodata);
}

// How cells that no source has data for are marked; of several sources by what they agree on.
marking mark_gaps(gdalmcp::call& call, const std::vector<gdal::dataset_ptr>& all, warp_request& w) {
    if (all.size() == 1) return mark_collar(*all.front(), w);
    require_alike(call, all);
    for (const auto& d : all) w.plain_alpha = w.plain_alpha || has_idle_alpha(*d);
    if (has_hiding_alpha(*all.front())) return marking::alpha;
    if (w.nodata) return marking::nodata;
    const auto own = nodata_of(*all.front()->GetRasterBand(1));
    for (const auto& d : all)
        for (auto&& band : d->GetBands())
            if (const auto other = nodata_of(*band); !same_value(own, other))
                throw error{GDALMCP_INVALID_ARGUMENT,
                            std::string{"the nodata values differ: "} + all.front()->GetDescription() + " has " +
                                shown(own) + ", " + d->GetDescription() + " has " + shown(other),
                            "choose one for the result with 'dstnodata'"};
    if (own) return marking::nodata;
    w.no_source_nodata = true;  // nor one that the type cannot hold
    w.alpha = true;
    return marking::mask;
}

warped write(gdalmcp::call& call, const std::vector<gdal::dataset_ptr>& all, warp_request& w, bool assigned) {
    gdal::step whole{call, 0, 0.95};
    const auto& path = call[target].path;
    const destination to{path, keeping_driver_for(path), call.new_scratch("warp", ".tif"), gdal::step::report, &whole};
    std::vector<GDALDataset*> in;
    for (const auto& d : all) in.push_back(d.get());
    try {
        return assigned ? assign_crs(*all.front(), w, to) : warp(in, w, to);
    } catch (const gdalmcp::error&) {
        call.progress(0.95);  // the reason may be that the call was cancelled
        throw;
    }
}

void run_named(gdalmcp::call& call) {
    auto w = request_of(call);
    const auto all = opened(call, w);
    std::vector<gdal::operation> ways;
    std::vector<covered_place> places;
    const bool bounded = w.bounds.has_value();
    for (const auto& d : all) {
        for (const auto& line : settle(w, *d, all.size() == 1)) call.say(line);
        if (!bounded && all.size() > 1) w.bounds.reset();  // those of one source are not those of all
        const auto from = source_crs(*d, w);
        const grid on = grid_of(*d);
        const auto area = on.georeferenced ? gdal::wgs84_bounds(on.extent(), from) : std::nullopt;
        auto way = operation_of(w, from, area, call[standard::allow_ballpark]);
        warn_of_source(call, w, *d);
        if (on.georeferenced) places.push_back({on.extent(), from, on.cell_width()});
        const bool known = std::any_of(ways.begin(), ways.end(), [&](const auto& o) { return o.name == way.name; });
        if (!known) ways.push_back(std::move(way));
    }
    warn_of_uncompared(call, places);
    const bool assigned = all.size() == 1 && keep_cells(*all.front(), w) == kept::all;
    if (!assigned) mark_gaps(call, all, w);
    auto written = write(call, all, w, assigned);
    if (!assigned) {
        std::vector<GDALDataset*> sources;
        for (const auto& d : all) sources.push_back(d.get());
        require_valid_cell(*written.dataset, sources, "check 'bounds', 'cutline' and 'src_crs' against the sources");
    }
    const grid result = grid_of(*written.dataset);
    for (const auto& way : ways) warn_of_operation(call, way, result);
    auto asked = expected_raster(result, written.dataset->GetRasterCount(),
                                 dtype_name(written.dataset->GetRasterBand(1)->GetRasterDataType()));
    asked.crs = gdal::crs_text(w.dst_crs);
    call.expect(target, asked);
    close(std::move(written.dataset), call[target].path);
    call.say(std::to_string(result.width) + " × " + std::to_string(result.height) + " cells in " +
             gdal::crs_label(w.dst_crs) +
             (assigned ? std::string{"; no cell was resampled"} : ", by '" + ways.front().name + "'"));
}

void run(gdalmcp::call& call) {
    with_names(names, [&] { run_named(call); });
}

}  // namespace

const gdalmcp::tool tool{
    {"gdalwarp", "gdalwarp",
     "Reprojects and warps raster images; can mosaic multiple inputs and apply ground control points (GCPs).",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {sources, target, t_srs, r, overwrite, s_srs, te, te_srs, tr, dstnodata, cutline, standard::allow_ballpark},
    {output_uri}};

}  // namespace gdalmcp_gdal::gdalwarp
