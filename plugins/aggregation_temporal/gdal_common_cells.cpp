// Cells that files at several times have in common: see bring_together().
#include <algorithm>

#include "datasets/gdal_output.hpp"
#include "gdal_observations.hpp"
#include "raster/gdal_common_window.hpp"

namespace gdalmcp_temporal {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;
namespace datasets = gdalmcp_datasets;

namespace {

std::vector<observed_file*> files_of(const std::vector<observation_set*>& sets) {
    std::vector<observed_file*> all;
    for (auto* s : sets)
        for (auto& f : s->files) all.push_back(&f);
    return all;
}

// Every grid is that of the first, or the call is refused with the first that differs and how many do. A CRS that only
// lacks what that of the first states is the same: that is said.
void require_one_grid(const std::vector<observed_file*>& files, const std::function<void(const std::string&)>& say) {
    const auto& first = *files.front();
    const datasets::named_grid a{first.path, first.on};
    std::size_t differing = 0;
    const observed_file* unlike = nullptr;
    for (const auto* f : files) {
        if (datasets::same_grid(first.on, f->on)) continue;
        const datasets::named_grid other{f->path, f->on};
        // Refuses with what to do where cells do not coincide.
        const auto at = gdalmcp_raster::cell_offset_of(a, other, false);
        if (at.column == 0 && at.row == 0 && f->on.width == first.on.width && f->on.height == first.on.height) {
            for (const auto& line : at.said) say(line);
            continue;
        }
        if (++differing == 1) unlike = f;
    }
    if (!unlike) return;
    throw error{
        GDALMCP_INVALID_ARGUMENT,
        "the extents differ: " + datasets::grid_text(a) + "; " + datasets::grid_text({unlike->path, unlike->on}) +
            (differing > 1 ? "; and " + std::to_string(differing - 1) + " more differ from the first" : ""),
        R"(their cells coincide: give "align": "intersection" for the cells of all, or "union" for those of any)"};
}

struct box {
    std::int64_t left, top, right, bottom;
};

box box_of(const std::vector<box>& all, bool united) {
    box b = all.front();
    for (const auto& o : all) {
        b.left = united ? std::min(b.left, o.left) : std::max(b.left, o.left);
        b.top = united ? std::min(b.top, o.top) : std::max(b.top, o.top);
        b.right = united ? std::max(b.right, o.right) : std::min(b.right, o.right);
        b.bottom = united ? std::max(b.bottom, o.bottom) : std::min(b.bottom, o.bottom);
    }
    return b;
}

// united: around all rasters.
void require_one_turn(const box& united, const std::vector<observed_file*>& files) {
    const auto& on = files.front()->on;
    constexpr double turn = 360 + 1e-6;
    if (const double wide = static_cast<double>(united.right - united.left) * on.cell_width();
        on.georeferenced && gdal::detail::geographic(on.crs) && wide > turn)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the union of all rasters is " + gdal::number_text(wide) +
                        " degrees wide: the longitudes of some run from -180 to 180, of others from 0 to 360",
                    "bring them to one range first: raster_reproject with nearest, its own resolution and bounds"};
}

void require_size(const box& b, const std::vector<observed_file*>& files) {
    const auto width = b.right - b.left, height = b.bottom - b.top;
    if (width <= 0 || height <= 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "no cell belongs to all " + std::to_string(files.size()) + " rasters, from " + files.front()->path +
                        " to " + files.back()->path,
                    R"(give rasters of one place, or "align": "union")"};
    datasets::require_size(static_cast<double>(width), static_cast<double>(height), "the union",
                           R"(give rasters that lie side by side, or "align": "intersection")");
}

}  // namespace

grid bring_together(const std::vector<observation_set*>& sets, alignment how,
                    const std::function<void(const std::string&)>& say) {
    const auto files = files_of(sets);
    const auto& first = *files.front();
    if (how == alignment::none) {
        require_one_grid(files, say);
        for (const auto& f : sets.front()->files)
            if (const auto notes = gdalmcp_raster::require_same_heights({first.path, first.on}, {f.path, f.on});
                !notes.empty()) {
                say(notes.front());
                break;
            }
        return first.on;
    }
    std::vector<box> boxes;
    for (const auto* f : files) {
        const auto at =
            gdalmcp_raster::cell_offset_of({first.path, first.on}, {f->path, f->on}, how == alignment::united);
        for (const auto& line : at.said) say(line);
        boxes.push_back(
            {at.column, at.row, std::int64_t{at.column} + f->on.width, std::int64_t{at.row} + f->on.height});
    }
    require_one_turn(box_of(boxes, true), files);
    const box all = box_of(boxes, how == alignment::united);
    require_size(all, files);
    grid on = first.on;
    on.width = static_cast<int>(all.right - all.left);
    on.height = static_cast<int>(all.bottom - all.top);
    auto& t = on.geotransform;
    const auto column = static_cast<double>(all.left), row = static_cast<double>(all.top);
    t[0] += column * t[1] + row * t[2];
    t[3] += column * t[4] + row * t[5];
    for (std::size_t i = 0; i < files.size(); ++i) {
        auto& f = *files[i];
        f.there = {static_cast<int>(boxes[i].left - all.left), static_cast<int>(boxes[i].top - all.top), f.on.width,
                   f.on.height};
        const gdal::quiet silence;  // GDAL warns of windows that reach beyond a raster
        f.moved = gdalmcp_raster::windowed(*f.dataset, {-f.there.column, -f.there.row, on.width, on.height});
    }
    return on;
}

}  // namespace gdalmcp_temporal
