#include "gdal_map_picture.hpp"

#include <algorithm>

namespace gdalmcp_maps {
namespace {

constexpr int margin = 8, title_height = 24, credit_height = 18;

// The frame around the layers; `for_points`: with room for the largest at its border.
map_frame frame_with_room(const map_plane& plane, const OGREnvelope& area, int columns, int rows, bool for_points) {
    auto frame = frame_around(plane, area, columns, rows);
    if (!for_points) return frame;
    const double room = (largest_radius + 2) * frame.pixel();
    OGREnvelope larger = area;
    larger.Merge(area.MinX - room, area.MinY - room);
    larger.Merge(area.MaxX + room, area.MaxY + room);
    return frame_around(plane, larger, columns, rows);
}

}  // namespace

finished_map draw_map(gdalmcp::call& call, std::vector<opened_layer>& all, const map_plane& plane,
                      const OGREnvelope& area, const map_wish& wish, int longer, const span& part) {
    const int top = wish.title ? title_height : 0, bottom = wish.credit ? credit_height : 0;
    const int for_legend = wish.legend ? std::min(legend_width, longer * 2 / 5) : 0;
    const bool sized = std::any_of(all.begin(), all.end(), [](const auto& l) { return l.style.size_field; });
    const auto frame = frame_with_room(plane, area, longer - 2 * margin - for_legend,
                                       longer - 2 * margin - top - bottom, sized && !wish.only_area);
    finished_map m{frame, {}, {}, {}, {}, {}, canvas{1, 1}};
    canvas map{frame.width, frame.height};
    label_room room;
    std::vector<std::unique_ptr<feature_layer>> drawn;
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto& l = all[i];
        const double step = (part.to - part.from) / static_cast<double>(all.size()),
                     from = part.from + step * static_cast<double>(i);
        if (!l.features) {
            const auto cells = cells_on_map(call, *l.dataset, l.bands, frame, {from, from + step});
            map.begin_group();
            map.draw(cells.pixels, cells.width, cells.height, 0, 0);
            map.end_group(l.style.opacity);
            m.blocks.push_back(legend_of(cells, *l.dataset, l.bands, l.title));
            m.blocks.back().opacity = l.style.opacity;
            m.features.emplace_back();
            m.kinds.push_back(cells.kind);
            m.empty.push_back(
                std::all_of(cells.pixels.begin(), cells.pixels.end(), [](const color& c) { return c[3] == 0; }));
            if (m.empty.back()) m.blocks.back() = {l.title + " (no data)", swatch::area, {}, {}, "", ""};
            continue;
        }
        try {
            drawn.push_back(
                std::make_unique<feature_layer>(*l.features, l.place.crs, frame, l.style, call, from, from + step));
        } catch (const gdalmcp::cancelled&) {
            throw;
        } catch (gdalmcp::error& e) {
            // What a layer is called in its file does not tell which of 'layers' it is.
            e.message = "/layers/" + std::to_string(i) + ", " + CPLGetFilename(l.path.c_str()) + ": " + e.message;
            throw;
        }
        auto& shapes = *drawn.back();
        shapes.draw(map);
        m.blocks.push_back(legend_of(shapes.about(), l.style, l.title));
        m.features.push_back(shapes.about());
        m.kinds.push_back(shapes.about().geometry);
        m.empty.push_back(shapes.about().count == 0);
    }
    m.shown = draw_furniture(map, frame, wish.graticule, room);
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].features) {
            drawn[next]->draw_labels(map, room);
            m.features[i] = drawn[next++]->about();
        }
    map.rectangle(0.5, 0.5, frame.width - 1, frame.height - 1);
    map.stroke({120, 120, 120, 255}, 1);
    const int height = std::max(frame.height, wish.legend ? height_of(m.blocks) : 0);
    const int beside = wish.legend ? width_of(map, m.blocks, for_legend) + margin : 0;
    canvas picture{frame.width + 2 * margin + beside, std::min(height + 2 * margin + top + bottom, longer)};
    if (wish.title) picture.text(margin, margin + 13, picture.fitted(*wish.title, picture.width() - 2.0 * margin));
    picture.draw(map, margin, margin + top);
    if (wish.credit) {
        const auto text = picture.fitted("Source: " + *wish.credit, picture.width() - 2.0 * margin);
        picture.text(margin, picture.height() - margin + 2, text, {90, 90, 90, 255});
    }
    if (wish.legend) draw(picture, m.blocks, frame.width + 2 * margin, margin + top - 6, beside - margin);
    m.picture = std::move(picture);
    return m;
}

}  // namespace gdalmcp_maps
