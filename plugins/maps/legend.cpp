#include "legend.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_maps {
namespace {

constexpr int line_height = 18, gap = 10, swatch_width = 18, swatch_height = 12;
constexpr int beside_swatch = swatch_width + 6, ramp_width = 150;

void draw_swatch(canvas& c, swatch form, const color& shown, double x, double y) {
    const double middle = y - swatch_height / 2.0 + 1;
    switch (form) {
        case swatch::area:
            c.rectangle(x, y - swatch_height + 1, swatch_width, swatch_height);
            c.fill(shown, true);
            c.stroke({120, 120, 120, 255}, 0.6);
            break;
        case swatch::line:
            c.move_to(x, middle);
            c.line_to(x + swatch_width, middle);
            c.stroke(shown, 2.5);
            break;
        case swatch::point:
            c.circle(x + swatch_width / 2.0, middle, 4);
            c.fill(shown, true);
            c.stroke({80, 80, 80, 255}, 0.6);
    }
}

// A layer of one colour is its own entry.
bool is_single(const legend_block& b) {
    return b.ramp.empty() && b.entries.size() == 1 && b.entries.front().label.empty();
}

int lines_of(const legend_block& b) {
    if (is_single(b)) return 1;
    return 1 + (b.ramp.empty() ? static_cast<int>(b.entries.size()) : 2);
}

}  // namespace

int height_of(const std::vector<legend_block>& blocks) {
    int lines = 0;
    for (const auto& b : blocks) lines += lines_of(b);
    return lines * line_height + gap * static_cast<int>(blocks.size());
}

int width_of(const canvas& c, const std::vector<legend_block>& blocks, int most) {
    double widest = 0;
    for (const auto& b : blocks) {
        widest = std::max(widest, c.text_width(b.title) + (is_single(b) ? beside_swatch : 0));
        for (const auto& e : b.entries) widest = std::max(widest, beside_swatch + c.text_width(e.label));
        if (!b.ramp.empty()) widest = std::max(widest, 1.0 * ramp_width);
    }
    return std::min(most - gap, static_cast<int>(std::ceil(widest)));
}

void draw(canvas& c, const std::vector<legend_block>& blocks, double x, double y, double width) {
    for (const auto& b : blocks) {
        const bool single = is_single(b);
        y += line_height;
        if (single) draw_swatch(c, b.form, b.entries.front().shown, x, y);
        const double indent = single ? beside_swatch : 0;
        c.text(x + indent, y, c.fitted(b.title, width - indent));
        if (!b.ramp.empty()) {
            y += line_height;
            const double step = width / static_cast<double>(b.ramp.size());
            for (std::size_t i = 0; i < b.ramp.size(); ++i) {
                c.rectangle(x + step * static_cast<double>(i), y - swatch_height, step + 0.5, swatch_height);
                c.fill(b.ramp[i]);
            }
            y += line_height;
            c.text(x, y - 3, b.low);
            c.text(x + width - c.text_width(b.high), y - 3, b.high);
        } else if (!single) {
            for (const auto& e : b.entries) {
                y += line_height;
                draw_swatch(c, b.form, e.shown, x, y);
                c.text(x + beside_swatch, y, c.fitted(e.label, width - beside_swatch));
            }
        }
        y += gap;
    }
}

}  // namespace gdalmcp_maps
