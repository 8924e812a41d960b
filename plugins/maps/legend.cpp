#include "legend.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_maps {
namespace {

constexpr int line_height = 18, gap = 10, swatch_width = 18, swatch_height = 12;
constexpr int beside_swatch = swatch_width + 6, ramp_width = 150, square_side = 72;

// As it looks over white.
color faded(const color& c, double opacity) {
    color f = c;
    for (std::size_t i = 0; i < 3; ++i)
        f[i] = static_cast<std::uint8_t>(std::lround(c[i] * opacity + 255 * (1 - opacity)));
    return f;
}

void draw_swatch(canvas& c, const legend_block& b, const color& full, double x, double y, double radius = 4) {
    const auto shown = faded(full, b.opacity);
    const double middle = y - swatch_height / 2.0 + 1;
    switch (b.form) {
        case swatch::area:
            c.rectangle(x, y - swatch_height + 1, swatch_width, swatch_height);
            c.fill(shown, true);
            if (b.outlined)
                c.stroke(full, 1.4);
            else
                c.stroke({120, 120, 120, 255}, 0.6);
            break;
        case swatch::line:
            c.move_to(x, middle);
            c.line_to(x + swatch_width, middle);
            c.stroke(shown, 2.5);
            break;
        case swatch::point:
            c.circle(x + swatch_width / 2.0, middle, radius);
            c.fill(shown, true);
            c.stroke({80, 80, 80, 255}, 0.6);
    }
}

// A layer of one colour is its own entry.
bool is_single(const legend_block& b) {
    return b.ramp.empty() && b.entries.size() == 1 && b.entries.front().label.empty();
}

int height_of(const legend_entry& e) { return std::max(line_height, static_cast<int>(2 * e.radius) + 4); }

// The widest circle, beside which labels stand.
double beside_sizes(const legend_block& b) {
    double radius = swatch_width / 2.0;
    for (const auto& e : b.sizes) radius = std::max(radius, e.radius);
    return 2 * radius + 6;
}

int sizes_height(const legend_block& b) {
    int height = b.sizes.empty() ? 0 : line_height + 4;
    for (const auto& e : b.sizes) height += height_of(e);
    return height;
}

// Entries that are not of the square: features without a value.
int beside_square(const legend_block& b) { return static_cast<int>(b.entries.size()) - 9; }

int height_of(const legend_block& b) {
    int height = line_height + sizes_height(b);
    if (b.square)
        height += square_side + 3 * line_height + 4 + beside_square(b) * line_height;
    else if (!is_single(b))
        height += line_height * (b.ramp.empty() ? static_cast<int>(b.entries.size()) : 2);
    return height;
}

// "↑" and "→" name the fields; their numbers stand at the ends of the sides.
void draw_square(canvas& c, const legend_block& b, double x, double y, double width) {
    constexpr double cell = square_side / 3.0;
    const auto& s = *b.square;
    c.text(x, y + line_height, c.fitted("↑ " + s.titles[1], width));
    const double top = y + line_height + 5;
    for (std::size_t i = 0; i < 9; ++i) {
        c.rectangle(x + cell * static_cast<double>(i % 3), top + cell * static_cast<double>(2 - i / 3), cell, cell);
        c.fill(faded(b.entries[i].shown, b.opacity));
    }
    const double bottom = top + square_side;
    c.text(x + square_side + 5, top + text_size, c.fitted(s.high[1], width - square_side - 5));
    c.text(x + square_side + 5, bottom - 2, c.fitted(s.low[1], width - square_side - 5));
    c.text(x, bottom + line_height - 4, c.fitted(s.low[0] + " to " + s.high[0], width));
    c.text(x, bottom + 2 * line_height - 4, c.fitted("→ " + s.titles[0], width));
    for (std::size_t i = 9; i < b.entries.size(); ++i) {
        const double line = bottom + line_height * static_cast<double>(i - 6) - 4;
        draw_swatch(c, b, b.entries[i].shown, x, line);
        c.text(x + beside_swatch, line, c.fitted(b.entries[i].label, width - beside_swatch));
    }
}

void draw_sizes(canvas& c, const legend_block& b, double x, double y, double width) {
    c.text(x, y + line_height, c.fitted(b.sizes_title, width));
    y += line_height + 4;
    const double beside = beside_sizes(b);
    for (const auto& e : b.sizes) {
        const double height = height_of(e);
        c.circle(x + beside / 2 - 3, y + height / 2, e.radius);
        c.fill(faded(e.shown, b.opacity), true);
        c.stroke({80, 80, 80, 255}, 0.6);
        c.text(x + beside, y + height / 2 + text_size / 3, c.fitted(e.label, width - beside));
        y += height;
    }
}

}  // namespace

int height_of(const std::vector<legend_block>& blocks) {
    int height = gap * static_cast<int>(blocks.size());
    for (const auto& b : blocks) height += height_of(b);
    return height;
}

int width_of(const canvas& c, const std::vector<legend_block>& blocks, int most) {
    double widest = 0;
    for (const auto& b : blocks) {
        widest = std::max(widest, c.text_width(b.title) + (is_single(b) ? beside_swatch : 0));
        if (!b.square)
            for (const auto& e : b.entries) widest = std::max(widest, beside_swatch + c.text_width(e.label));
        if (b.square)
            for (const std::size_t i : {0U, 1U}) {
                widest = std::max(widest, c.text_width("→ " + b.square->titles[i]));
                widest = std::max(widest, square_side + 5 + c.text_width(b.square->low[i]));
                widest = std::max(widest, square_side + 5 + c.text_width(b.square->high[i]));
            }
        if (!b.sizes.empty()) widest = std::max(widest, c.text_width(b.sizes_title));
        for (const auto& e : b.sizes) widest = std::max(widest, beside_sizes(b) + c.text_width(e.label));
        if (!b.ramp.empty()) widest = std::max(widest, 1.0 * ramp_width);
    }
    return std::min(most - gap, static_cast<int>(std::ceil(widest)));
}

void draw(canvas& c, const std::vector<legend_block>& blocks, double x, double y, double width) {
    for (const auto& b : blocks) {
        const double next = y + height_of(b) + gap;
        const bool single = is_single(b);
        y += line_height;
        if (single) draw_swatch(c, b, b.entries.front().shown, x, y);
        const double indent = single ? beside_swatch : 0;
        const bool fits = b.short_title.empty() || c.text_width(b.title) <= width - indent;
        c.text(x + indent, y, c.fitted(fits ? b.title : b.short_title, width - indent));
        if (b.square) {
            draw_square(c, b, x, y, width);
        } else if (!b.ramp.empty()) {
            y += line_height;
            const double step = width / static_cast<double>(b.ramp.size());
            for (std::size_t i = 0; i < b.ramp.size(); ++i) {
                c.rectangle(x + step * static_cast<double>(i), y - swatch_height, step + 0.5, swatch_height);
                c.fill(faded(b.ramp[i], b.opacity));
            }
            y += line_height;
            c.text(x, y - 3, b.low);
            c.text(x + width - c.text_width(b.high), y - 3, b.high);
        } else if (!single) {
            for (const auto& e : b.entries) {
                y += line_height;
                draw_swatch(c, b, e.shown, x, y);
                c.text(x + beside_swatch, y, c.fitted(e.label, width - beside_swatch));
            }
        }
        if (!b.sizes.empty()) draw_sizes(c, b, x, next - gap - sizes_height(b), width);
        y = next;
    }
}

}  // namespace gdalmcp_maps
