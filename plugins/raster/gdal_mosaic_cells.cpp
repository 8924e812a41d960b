#include "gdal_mosaic_cells.hpp"

#include <algorithm>

namespace gdalmcp_raster {

band_stack bands_of(const std::vector<mosaic_source>& sources, const mosaic_layout& layout, const grid& on,
                    bool stacked, const std::string& method) {
    band_stack all;
    for (std::size_t k = 0; k < sources.size(); ++k)
        for (std::size_t i = 0; i < sources[k].bands.size(); ++i) {
            const std::size_t to = stacked ? all.size() : i;
            if (to == all.size()) all.emplace_back();
            all[to].emplace_back(sources[k], i, layout.places[k], on, method);
        }
    return all;
}

// each(band, cell of the block, value): for every cell, with data or without.
template <class Each>
void composition::compose(const gdalmcp::gdal::block& b, Each&& each) {
    const auto cells = static_cast<std::size_t>(b.cells());
    marks_.assign(cells, 0);
    spread_.assign(cells, 0);
    for (std::size_t k = 0; k < bands_.size(); ++k) {
        join(b, bands_[k]);
        for (std::size_t i = 0; i < cells; ++i) {
            each(k, i, value(i));
            if (!cells_.valid(i)) continue;
            marks_[i] = cells_.overlap(i) ? 2 : std::max<unsigned char>(marks_[i], 1);
            spread_[i] = std::max(spread_[i], cells_.spread(i));
        }
    }
    count(b);
}

void composition::write(const gdalmcp::gdal::block& b) {
    compose(b, [&](std::size_t band, std::size_t i, double v) { b.out<double>(band, 0)[i] = v; });
    if (meaning_.mark != marking::mask) return;
    auto* mask = b.out<double>(bands_.size(), 0);
    for (std::size_t i = 0; i < marks_.size(); ++i) mask[i] = marks_[i] ? 255 : 0;
}

void composition::compare(const gdalmcp::gdal::block& b) {
    compose(b, [&](std::size_t band, std::size_t i, double v) {
        const bool valid = b.valid(band, 0)[i] != 0, same = b.in<double>(band, 0)[i] == v;
        // An alpha band's own zeros have data in the file.
        const bool transparent = meaning_.mark == marking::alpha && valid && same;
        if (cells_.valid(i) ? !valid || !same : valid && !transparent) ++found_.unlike;
    });
}

void composition::join(const gdalmcp::gdal::block& b, const std::vector<mosaic_band>& parts) {
    cells_.begin(b.width, b.height);
    for (const auto& part : parts)
        if (const auto patch = part.read(b, values_, valid_)) cells_.add(*patch);
    cells_.end();
}

double composition::value(std::size_t i) {
    if (!cells_.valid(i)) return meaning_.nodata.value_or(0);
    const double v = cells_.value(i);
    if (!meaning_.nodata) return v;
    const bool single = meaning_.type == GDT_Float32;
    if (single ? static_cast<float>(v) == static_cast<float>(*meaning_.nodata) : v == *meaning_.nodata)
        ++found_.like_nodata;
    return v;
}

void composition::count(const gdalmcp::gdal::block& b) {
    std::size_t i = 0;
    for (int row = 0; row < b.height; ++row)
        for (int column = 0; column < b.width; ++column, ++i) {
            found_.gaps += marks_[i] == 0;
            found_.overlapping += marks_[i] == 2;
            if (spread_[i] <= 0) continue;
            ++found_.differing;
            found_.differ(spread_[i], {b.row + row, b.column + column});
        }
}

}  // namespace gdalmcp_raster
