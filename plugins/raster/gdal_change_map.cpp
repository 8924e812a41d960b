#include "gdal_change_map.hpp"

#include <gdal_rat.h>
#include <gdalmcp/gdal.hpp>

#include "gdal_block_figures.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

// Calls each(change, valid) for the cells of a block, row by row.
template <class Each>
void for_each_change(const class_pair& bands, const gdal::block& b, Each&& each) {
    const auto width = static_cast<std::size_t>(b.width);
    std::vector<std::int64_t> from(width), to(width);
    for (int row = 0; row < b.height; ++row) {
        bands.before.get(b, row, from.data());
        bands.after.get(b, row, to.data());
        const auto *there = bands.before.valid(b, row), *then = bands.after.valid(b, row);
        for (std::size_t i = 0; i < width; ++i)
            each(class_change{from[i], to[i]}.packed(), there[i] != 0 && then[i] != 0);
    }
}

}  // namespace

change_sizes measure_changes(class_pair& bands, const class_areas* areas, const std::function<void(double)>& progress) {
    gdal::block_job job;
    bands.before.read_in(job);
    bands.after.read_in(job);
    const auto figures = statistics_of(cell_type::int64);
    figures->count_classes(areas);
    const auto size = job.size();
    figures->begin(size.blocks, size.workers, false);
    job.run(progress, [&](const gdal::block& b) {
        std::vector<std::int64_t> changes;
        std::vector<unsigned char> valid;
        changes.reserve(static_cast<std::size_t>(b.cells()));
        valid.reserve(static_cast<std::size_t>(b.cells()));
        for_each_change(bands, b, [&](std::int64_t change, bool has_data) {
            changes.push_back(has_data ? change : 0);
            valid.push_back(has_data ? 1 : 0);
        });
        add_block(*figures, b, changes.data(), valid.data());
    });
    figures->end();
    if (figures->no_classes())
        throw error{GDALMCP_EXHAUSTED,
                    "there are more than " + std::to_string(statistics::max_classes) +
                        " different changes from one code to another",
                    "the values may be measurements, which mode difference compares; else group the classes first"};
    return {figures->classes(), figures->counts()};
}

void map_changes(class_pair& bands, const std::map<std::int64_t, class_size>& sizes, GDALRasterBand& to,
                 const std::function<void(double)>& progress) {
    std::map<std::int64_t, std::uint16_t> numbers;
    for (const auto& [change, size] : sizes) numbers.emplace(change, static_cast<std::uint16_t>(numbers.size() + 1));
    gdal::block_job job;
    bands.before.read_in(job);
    bands.after.read_in(job);
    const auto out = job.write(to, GDT_UInt16);
    job.run(progress, [&](const gdal::block& b) {
        auto* cell = b.out<std::uint16_t>(out, 0);
        std::int64_t last = 0;  // neighbours are mostly alike
        std::uint16_t number = 0;
        for_each_change(bands, b, [&](std::int64_t change, bool has_data) {
            if (has_data && (number == 0 || change != last)) {
                last = change;
                number = numbers.at(change);
            }
            *cell++ = has_data ? number : std::uint16_t{0};
        });
    });
}

std::string change_names::of(const class_change& change) const {
    const auto named = [](const gdal::class_names& names, std::int64_t code) {
        const auto name = names.of(code);
        return name.empty() ? std::to_string(code) : name;
    };
    const auto from = named(before, change.from);
    return change.from == change.to ? from + ", unchanged" : from + " to " + named(after, change.to);
}

void attach_changes(const std::map<std::int64_t, class_size>& sizes, const change_names& names, bool with_areas,
                    GDALRasterBand& to) {
    GDALDefaultRasterAttributeTable table;
    table.CreateColumn("value", GFT_Integer, GFU_MinMax);
    table.CreateColumn("name", GFT_String, GFU_Name);
    table.CreateColumn("from", GFT_Integer, GFU_Generic);
    table.CreateColumn("to", GFT_Integer, GFU_Generic);
    table.CreateColumn("cells", GFT_Real, GFU_Generic);  // as an integer it could not exceed 2^31 - 1
    if (with_areas) table.CreateColumn("area_m2", GFT_Real, GFU_Generic);
    table.SetTableType(GRTT_THEMATIC);
    int row = 0;
    for (const auto& [packed, size] : sizes) {
        const auto change = class_change::of(packed);
        table.SetValue(row, 0, row + 1);
        table.SetValue(row, 1, names.of(change).c_str());
        table.SetValue(row, 2, static_cast<int>(change.from));
        table.SetValue(row, 3, static_cast<int>(change.to));
        table.SetValue(row, 4, static_cast<double>(size.count));
        if (with_areas) table.SetValue(row, 5, size.area);
        ++row;
    }
    if (to.SetDefaultRAT(&table) != CE_None) gdal::raise("cannot store the names of the changes");
}

}  // namespace gdalmcp_raster
