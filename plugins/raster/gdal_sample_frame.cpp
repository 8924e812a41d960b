#include "gdal_sample_frame.hpp"

#include <algorithm>
#include <cmath>

#include "gdal_block_figures.hpp"
#include "gdal_cell_type.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

namespace {

// Infinite cells are taken out.
template <class T>
void keep_finite(const T* cell, std::vector<unsigned char>& inside) {
    for (std::size_t i = 0; i < inside.size(); ++i)
        if (!std::isfinite(cell[i])) inside[i] = 0;
}

}  // namespace

gdal::block_job sample_frame::job() {
    gdal::block_job j;
    for (auto* band : bands) j.read(*band, fits_float32(band->GetRasterDataType()) ? GDT_Float32 : GDT_Float64);
    if (strata) strata->read_in(j);
    if (zone) j.part = zone->bounds();
    return j;
}

sample_frame::cells sample_frame::cells_of(const gdal::block& b) const {
    const auto size = static_cast<std::size_t>(b.cells()), width = static_cast<std::size_t>(b.width);
    cells c;
    if (zone) {
        const auto& all = zone->bounds();
        std::vector<unsigned char> rows;
        zone->read(b.row - all.row, b.height, rows);
        c.inside.reserve(size);
        for (int row = 0; row < b.height; ++row) {
            const auto first = rows.begin() + std::ptrdiff_t{row} * all.width + (b.column - all.column);
            c.inside.insert(c.inside.end(), first, first + b.width);
        }
    } else {
        c.inside.assign(size, 1);
    }
    const auto keep_valid = [&](const unsigned char* valid) {
        for (std::size_t i = 0; i < size; ++i)
            if (!valid[i]) c.inside[i] = 0;
    };
    for (std::size_t k = 0; k < bands.size(); ++k) {
        if (!b.all_valid(k)) keep_valid(b.valid(k, 0));
        const auto type = bands[k]->GetRasterDataType();
        if (type == GDT_Float32) keep_finite(b.in<float>(k, 0), c.inside);
        if (type == GDT_Float64) keep_finite(b.in<double>(k, 0), c.inside);
    }
    c.strata.assign(size, 0);
    if (!strata) return c;
    keep_valid(strata->valid(b, 0));
    for (int row = 0; row < b.height; ++row)
        strata->get(b, row, c.strata.data() + static_cast<std::size_t>(row) * width);
    return c;
}

std::map<std::int64_t, class_size> sample_frame::measure(const class_areas* areas,
                                                         const std::function<void(double)>& progress) {
    auto reading = job();
    const auto figures = statistics_of(cell_type::int64);
    figures->count_classes(areas, true);
    const auto size = reading.size();
    figures->begin(size.blocks, size.workers, false);
    reading.run(progress, [&](const gdal::block& b) {
        const auto c = cells_of(b);
        add_block(*figures, b, c.strata.data(), c.inside.data());
    });
    figures->end();
    if (figures->no_classes())
        throw gdalmcp::error{GDALMCP_EXHAUSTED,
                             "the strata have more than " + std::to_string(statistics::max_classes) +
                                 " different values, which suggests measurements",
                             "bring them to classes with raster_classify, and give its output as 'strata'"};
    return figures->classes();
}

std::vector<drawn_cell> sample_frame::draw(std::uint64_t seed, const std::map<std::int64_t, std::int64_t>& sizes,
                                           const std::function<void(double)>& progress) {
    auto reading = job();
    std::vector<cell_draw> draws(reading.size().workers, cell_draw{seed, sizes});
    const std::int64_t columns = bands.front()->GetXSize();
    reading.run(progress, [&](const gdal::block& b) {
        const auto c = cells_of(b);
        std::size_t i = 0;
        for (int row = b.row; row < b.row + b.height; ++row)
            for (int column = b.column; column < b.column + b.width; ++column, ++i)
                if (c.inside[i]) draws[b.worker].see(c.strata[i], row * columns + column);
    });
    for (std::size_t w = 1; w < draws.size(); ++w) draws.front().merge(draws[w]);
    return draws.front().cells();
}

std::vector<drawn_cell> sample_frame::draw_systematic(std::uint64_t seed, std::int64_t step,
                                                      const std::function<void(double)>& progress) {
    auto reading = job();
    const auto first_row = systematic_start(seed, 0, step), first_column = systematic_start(seed, 1, step);
    const std::int64_t columns = bands.front()->GetXSize();
    std::vector<std::vector<drawn_cell>> found(reading.size().workers);
    reading.run(progress, [&](const gdal::block& b) {
        const auto c = cells_of(b);
        const auto next = [step](std::int64_t at, std::int64_t first) {
            return at <= first ? first : first + (at - first + step - 1) / step * step;
        };
        for (auto row = next(b.row, first_row); row < b.row + b.height; row += step)
            for (auto column = next(b.column, first_column); column < b.column + b.width; column += step) {
                const auto i = static_cast<std::size_t>((row - b.row) * b.width + (column - b.column));
                if (c.inside[i]) found[b.worker].push_back({row * columns + column, c.strata[i]});
            }
    });
    std::vector<drawn_cell> all;
    for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cell < b.cell; });
    return all;
}

}  // namespace gdalmcp_raster
