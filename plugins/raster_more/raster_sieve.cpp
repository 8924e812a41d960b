#include <gdalmcp/gdal_class_names.hpp>
#include <gdalmcp/gdal_kind.hpp>

#include "arguments.hpp"
#include "datasets/gdal_cell_size.hpp"
#include "gdal_algorithms.hpp"
#include "raster/gdal_class_areas.hpp"
#include "tools.hpp"

namespace gdalmcp_raster_more::raster_sieve {
namespace {

using namespace gdalmcp_raster;

constexpr std::size_t max_rows = 100;  // of the table in the result

const auto classes_uri = standard::described(uri, "Raster of whole numbers: path, file:// or query://result/{id}.");
const arg<std::optional<std::int64_t>> min_size{
    .name = "min_size",
    .about = "Patches of fewer cells take the class of their largest neighbour. Give this or 'min_area'.",
    .unit = "cells",
    .min = 2,
    .max = 2'000'000'000};
const arg<std::optional<double>> min_area{
    .name = "min_area", .about = "The same by area on the ground.", .unit = "m²", .above = 0.0};
const arg<std::int64_t> connectedness{.name = "connectedness",
                                      .about = "8: cells that meet at a corner belong to one patch, too.",
                                      .fallback = 4,
                                      .min = 4,
                                      .max = 8};

const field<std::int64_t> size_used{"min_size", "As used", "cells"};
const auto size_area = field<double>{"min_size_area_m2", "Area of so many cells in the middle", "m2"}.optional();
const field<std::int64_t> changed_count{"changed_count", "Cells that changed class", "cells"};
const field<std::int64_t> valid_count{"valid_count", "Cells with data; all others stay as they are", "cells"};
const field<std::int64_t> row_value{"value", "Code"};
const auto row_name = field<std::string>{"name", "Class name; absent if the raster has none"}.optional();
const field<std::int64_t> row_before{"count_before", "Cells", "cells"};
const field<std::int64_t> row_after{"count_after", "Cells", "cells"};
const auto row_area_before = field<double>{"area_before_m2", "On the ellipsoid; absent without a CRS", "m2"}.optional();
const auto row_area_after = field<double>{"area_after_m2", "The same", "m2"}.optional();
const auto classes = gdalmcp::table{
    "classes",
    "By value; of more than 100 the largest; absent for more than 4096 values",
    {row_value, row_name, row_before, row_after, row_area_before,
     row_area_after}}.optional();

void require_classes(const std::string& path, GDALRasterBand& band) {
    require_real(band);
    const auto type = band.GetRasterDataType();
    if (whole_numbers(type) && GDALGetDataTypeSizeBytes(type) <= 4) return;
    throw error{GDALMCP_UNSUPPORTED,
                path + " holds " + dtype_name(type) + " values; patches are of classes, whole numbers of up to 32 bits",
                whole_numbers(type) ? "convert it with raster_convert and dtype Int32"
                                    : "make classes of the values first, with raster_classify or raster_calc"};
}

// Cells of patches that stay.
int threshold(gdalmcp::call& call, const grid& on) {
    const auto cells = call[min_size];
    const auto area = call[min_area];
    if (cells.has_value() == area.has_value())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{cells ? "both" : "neither"} + " of 'min_size' and 'min_area' " +
                        (cells ? "are" : "is") + " given",
                    "give one of them"};
    const auto ruler = on.georeferenced ? cell_ruler::of(on) : std::nullopt;
    const auto middle = ruler ? ruler->area(on.width / 2, on.height / 2) : std::nullopt;
    if (area && !middle)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'min_area' needs the size of the cells on the ground, and " + call[uri].path + " has no CRS",
                    "give 'min_size' in cells"};
    const double cell = middle.value_or(0);
    const double wanted = cells ? static_cast<double>(*cells) : std::ceil(*area / cell * (1 - 1e-9));
    if (!(wanted < 2'147'483'647))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'min_area' is " + gdal::number_text(wanted) + " cells, more than the 2147483647 GDAL counts",
                    "give a smaller area"};
    call.put(size_used, static_cast<std::int64_t>(wanted));
    if (middle) call.put(size_area, wanted * cell);
    const auto extremes =
        ruler ? gdal::cell_areas::extremes(on.crs, on.geotransform, on.width, on.height) : std::nullopt;
    if (area && extremes && (*extremes)[0] < 0.99 * (*extremes)[1])
        call.warn("cells differ in size: the limit of " + gdal::number_text(wanted) + " cells is " +
                  gdal::number_text(std::round(wanted * (*extremes)[0])) + " to " +
                  gdal::number_text(std::round(wanted * (*extremes)[1])) +
                  " m²; reproject to an equal-area CRS for one limit everywhere");
    return static_cast<int>(wanted);
}

struct comparison {
    std::unique_ptr<statistics> before, after;
    std::int64_t changed = 0;
};

// Counts of both, cell by cell of the same valid ones.
comparison compare(GDALRasterBand& before, GDALRasterBand& after, const class_areas* areas, const progress& report) {
    const auto type = cell_type_of(before);
    comparison c{statistics_of(type), statistics_of(type)};
    gdal::block_job job;
    const auto b = job.read(before, gdal_type(type)), a = job.read(after, gdal_type(type));
    const auto size = job.size();
    for (auto* s : {c.before.get(), c.after.get()}) {
        s->count_classes(areas);
        s->begin(size.blocks, size.workers, false);
    }
    const std::size_t bytes = size_of(type);
    std::vector<std::int64_t> changed(size.workers);
    job.run(report, [&](const gdal::block& at) {
        add_block(*c.before, at, at.in<unsigned char>(b, 0), at.valid(b, 0));
        add_block(*c.after, at, at.in<unsigned char>(a, 0), at.valid(b, 0));
        const auto* one = at.in<unsigned char>(b, 0);
        const auto* other = at.in<unsigned char>(a, 0);
        for (std::size_t i = 0; i < static_cast<std::size_t>(at.cells()); ++i)
            changed[at.worker] += std::memcmp(one + i * bytes, other + i * bytes, bytes) != 0;
    });
    c.before->end();
    c.after->end();
    for (const auto n : changed) c.changed += n;
    return c;
}

void put_classes(gdalmcp::call& call, GDALRasterBand& band, const comparison& c, bool areas) {
    const auto& before = c.before->classes();
    if (c.before->no_classes()) {
        call.warn("no table of classes: there are none, or more than " + std::to_string(statistics::max_classes));
        return;
    }
    // A sieved raster has no value of its own: every class of the result is one of before.
    std::vector<std::int64_t> codes;
    for (const auto& [code, size] : before) codes.push_back(code);
    if (codes.size() > max_rows) {
        call.warn("of " + std::to_string(codes.size()) + " classes the " + std::to_string(max_rows) +
                  " largest are listed");
        std::stable_sort(codes.begin(), codes.end(),
                         [&](auto x, auto y) { return before.at(x).count > before.at(y).count; });
        codes.resize(max_rows);
        std::sort(codes.begin(), codes.end());
    }
    const gdal::class_names names{band};
    const auto& after = c.after->classes();
    call.begin(classes);
    for (const auto code : codes) {
        const auto left = after.find(code);
        const auto now = left == after.end() ? class_size{} : left->second;
        auto row = call.add(classes);
        row.put(row_value, code);
        if (const auto name = names.of(code); !name.empty()) row.put(row_name, name);
        row.put(row_before, before.at(code).count);
        row.put(row_after, now.count);
        if (areas) row.put(row_area_before, before.at(code).area);
        if (areas) row.put(row_area_after, now.area);
    }
}

void run(gdalmcp::call& call) {
    const auto& path = call[classes_uri].path;
    if (call[connectedness] != 4 && call[connectedness] != 8)
        throw error{GDALMCP_INVALID_ARGUMENT, "'connectedness' is " + std::to_string(call[connectedness]),
                    "give 4 (cells that share a side) or 8 (also a corner)"};
    const auto opened = open_band(call, call[classes_uri]);
    tell_lost_location(call, call[classes_uri].path, *opened.file);
    const grid& on = opened.on;
    auto& band = opened.band;
    require_classes(path, band);
    tell_stored_codes(call, path, band);
    if (const auto kind = gdal::kind_of(band);
        kind.kind != gdal::value_kind::classes && kind.kind != gdal::value_kind::qa_bits)
        call.warn("the values may be measurements rather than classes (" + kind.why +
                  "): a patch is then any run of equal values");
    const int size = threshold(call, on);
    const auto areas = areas_of(call, on);
    const auto type = band.GetRasterDataType();
    const bool all_valid = (band.GetMaskFlags() & GMF_ALL_VALID) != 0;

    raster_output out{call[output].path, on, type, 1};
    out.tag_as(*opened.file);
    copy_meaning(band, out.band(1));
    tell_lost_table(call, path, band, out.band(1));
    int has = 0;
    if (const double none = band.GetNoDataValue(&has); has) out.nodata(none);
    auto* mask = all_valid ? nullptr : band.GetMaskBand();
    sieve(band, mask, out.band(1), size, static_cast<int>(call[connectedness]), call.part(0, 0.6, "sieving"));
    if (!all_valid && !has) {
        out.mask();
        gdal::block_job copy;
        copy.read(*mask, GDT_Byte);
        copy.write(*out.band(1).GetMaskBand(), GDT_Byte);
        copy.run(call.part(0.6, 0.7), [](const gdal::block& b) {
            std::memcpy(b.out<unsigned char>(0, 0), b.in<unsigned char>(0, 0), static_cast<std::size_t>(b.cells()));
        });
    }
    std::optional<true_areas> per_run;
    if (areas) per_run.emplace(*areas);
    const auto c = compare(band, out.band(1), per_run ? &*per_run : nullptr, call.part(0.7, 0.95, "comparing"));
    if (per_run) per_run->tell_missing(call);
    out.close();
    call.expect(output, expected_raster(on, 1, dtype_name(type)));

    call.put(changed_count, c.changed);
    call.put(valid_count, c.before->counts().valid);
    put_classes(call, band, c, areas.has_value());
    crs.put(call, on.crs);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_sieve", "Remove small patches",
     "Merges patches of cells smaller than a limit into their largest neighbour, as gdal_sieve does: speckle of a "
     "classification, or a minimum mapping unit. Cells without data stay and take no part. A patch with no larger "
     "neighbour stays.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {classes_uri, min_size, min_area, connectedness, standard::band, output, subdataset, overwrite},
    {size_used, size_area, changed_count, valid_count, classes, crs.all}};

}  // namespace gdalmcp_raster_more::raster_sieve
