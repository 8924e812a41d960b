#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "field_classes.hpp"
#include "palette.hpp"

namespace gdalmcp_maps {
namespace {

constexpr double height_share = 0.62;  // height to width
constexpr color rest_color{150, 150, 150, 255}, edge_color{255, 255, 255, 255}, fit_color{238, 102, 119, 255};

std::pair<int, int> lying(int longer) { return {longer, static_cast<int>(longer * height_share)}; }

int marks_across(int longer) { return std::max(3, longer / 100); }
int marks_up(int longer) { return std::max(3, longer / 130); }

template <class Values, class Number>
range range_of(const Values& values, Number number) {
    range r{number(values.front()), number(values.front())};
    for (const auto& v : values) r = {std::min(r.low, number(v)), std::max(r.high, number(v))};
    return r;
}

// Around the values with a margin.
axis axis_around(const range& values, scale kind, int marks, bool whole) {
    return axis_over(values.high > values.low ? padded(values, kind, 0.03) : values, kind, marks, whole);
}

void draw_fit(plot& p, const linear_fit& fit, const range& over, scale kind) {
    constexpr int steps = 200;  // a line is bent on logarithmic axes
    bool open = false;
    for (int i = 0; i <= steps; ++i) {
        const double share = 1.0 * i / steps;
        const double x = kind == scale::logarithmic ? over.low * std::pow(over.high / over.low, share)
                                                    : over.low + (over.high - over.low) * share;
        const double row = p.row(fit.intercept + fit.slope * x);
        const bool drawn = std::isfinite(row) && std::abs(row) < 1e5;
        if (drawn && open) p.paper().line_to(p.column(x), row);
        if (drawn && !open) p.paper().move_to(p.column(x), row);
        open = drawn;
    }
    p.paper().stroke(fit_color, 2);
}

}  // namespace

canvas histogram_chart(const chart_frame& f, const histogram& h) {
    const auto most = static_cast<double>(*std::max_element(h.counts.begin(), h.counts.end()));
    plot p{lying(f.longer),
           {f.heading,
            axis_over({h.edges.front(), h.edges.back()}, f.x, marks_across(f.longer), f.x_whole),
            f.x_title,
            axis_over({0, most * 1.04}, scale::linear, marks_up(f.longer), true),
            f.y_title,
            {},
            {}}};
    for (std::size_t i = 0; i < h.counts.size(); ++i) {
        if (h.counts[i] == 0) continue;
        const double left = p.column(h.edges[i]), right = p.column(h.edges[i + 1]),
                     top = p.row(static_cast<double>(h.counts[i]));
        p.paper().rectangle(left, top, right - left, p.row(0) - top);
        p.paper().fill(bright_colors[0], true);
        p.paper().stroke(edge_color, right - left > 4 ? 1 : 0.3);
    }
    p.finish();
    return std::move(p.paper());
}

canvas bar_chart(const chart_frame& f, const std::vector<bar>& bars) {
    range values = range_of(bars, [](const bar& b) { return b.value; });
    values = {std::min(0.0, values.low), std::max(0.0, values.high)};
    const double length = values.high - values.low;
    // Room for the numbers at the ends of the bars, whose digits are about 8 pixels wide; labels of rows take at most a
    // third of the width.
    std::size_t digits = 0;
    for (const auto& b : bars) digits = std::max(digits, short_number(b.value).size());
    const double text = 8.0 * static_cast<double>(digits + 1), room = length * text / (0.6 * f.longer - text);
    values = {values.low < 0 ? values.low - room : 0, values.high > 0 ? values.high + room : 0};
    std::vector<std::string> rows;
    for (const auto& b : bars) rows.push_back(short_text(b.label));
    const int height = std::min(f.longer, 90 + 18 * static_cast<int>(f.heading.size() + 1) +
                                              std::min(26, f.longer / 30) * static_cast<int>(bars.size()));
    plot p{{f.longer, height},
           {f.heading,
            axis_over(values, scale::linear, marks_across(f.longer), f.x_whole),
            f.x_title,
            {},
            f.y_title,
            rows,
            {}}};
    const double thick = 0.72 * p.row_height(), zero = p.column(0);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double end = p.column(bars[i].value), middle = p.row_of(i);
        p.paper().rectangle(std::min(zero, end), middle - thick / 2, std::abs(end - zero), thick);
        p.paper().fill(bars[i].others ? rest_color : bright_colors[0]);
        const auto number = short_number(bars[i].value);
        const double beside = bars[i].value < 0 ? end - 4 - p.paper().text_width(number) : end + 4;
        p.paper().text(beside, middle + text_size / 3, number, black, true);
    }
    if (values.low < 0) {
        p.paper().move_to(zero, p.top());
        p.paper().line_to(zero, p.top() + p.height());
        p.paper().stroke(black, 1);
    }
    p.finish();
    return std::move(p.paper());
}

canvas scatter_chart(const chart_frame& f, const std::vector<point_row>& points, const std::optional<linear_fit>& fit) {
    const auto across = range_of(points, [](const point_row& r) { return r.x; });
    plot p{lying(f.longer),
           {f.heading,
            axis_around(across, f.x, marks_across(f.longer), f.x_whole),
            f.x_title,
            axis_around(range_of(points, [](const point_row& r) { return r.y; }), f.y, marks_up(f.longer), f.y_whole),
            f.y_title,
            {},
            {}}};
    const double n = static_cast<double>(points.size());
    const double radius = n > 20'000 ? 1 : n > 2'000 ? 1.8 : n > 300 ? 2.5 : 3.5;
    auto shown = bright_colors[0];
    shown[3] = n > 20'000 ? 90 : n > 300 ? 140 : 200;
    for (const auto& r : points) {
        p.paper().circle(p.column(r.x), p.row(r.y), radius);
        p.paper().fill(shown);
    }
    p.paper().clip(p.left(), p.top(), p.width(), p.height());
    if (fit) draw_fit(p, *fit, across, f.x);
    p.paper().unclip();
    p.finish();
    return std::move(p.paper());
}

namespace {

// The points that make the line what it looks like: of those in one column of pixels the first, the lowest, the highest
// and the last. To stroke all of a hundred thousand takes half a minute.
std::vector<std::size_t> points_seen(const series& s, const plot& p) {
    constexpr std::size_t few = 4;
    std::vector<std::size_t> kept;
    for (std::size_t from = 0, to = 0; from < s.x.size(); from = to) {
        const auto pixel = std::floor(p.column(s.x[from]));
        while (to < s.x.size() && std::floor(p.column(s.x[to])) == pixel) ++to;
        const auto begin = s.y.begin() + static_cast<std::ptrdiff_t>(from);
        const auto [low, high] = std::minmax_element(begin, s.y.begin() + static_cast<std::ptrdiff_t>(to));
        std::set<std::size_t> shown{from, from + static_cast<std::size_t>(low - begin),
                                    from + static_cast<std::size_t>(high - begin), to - 1};
        for (std::size_t i = from; i < to && to - from <= few; ++i) shown.insert(i);
        kept.insert(kept.end(), shown.begin(), shown.end());
    }
    return kept;
}

}  // namespace

canvas line_chart(const chart_frame& f, const std::vector<series>& all) {
    std::vector<double> xs, ys;
    std::vector<legend_entry> legend;
    for (std::size_t i = 0; i < all.size(); ++i) {
        xs.insert(xs.end(), all[i].x.begin(), all[i].x.end());
        ys.insert(ys.end(), all[i].y.begin(), all[i].y.end());
        if (all.size() > 1) legend.push_back({bright_colors[i], short_text(all[i].name)});
    }
    const auto itself = [](double v) { return v; };
    plot p{lying(f.longer),
           {f.heading,
            axis_around(range_of(xs, itself), f.x, marks_across(f.longer), f.x_whole),
            f.x_title,
            axis_around(range_of(ys, itself), f.y, marks_up(f.longer), f.y_whole),
            f.y_title,
            {},
            legend}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& s = all[i];
        for (const auto k : points_seen(s, p)) {
            if (k == 0) p.paper().move_to(p.column(s.x[k]), p.row(s.y[k]));
            if (k > 0) p.paper().line_to(p.column(s.x[k]), p.row(s.y[k]));
        }
        p.paper().stroke(bright_colors[i], 2);
        if (s.x.size() > 60) continue;
        for (std::size_t k = 0; k < s.x.size(); ++k) {
            p.paper().circle(p.column(s.x[k]), p.row(s.y[k]), 3);
            p.paper().fill(bright_colors[i]);
        }
    }
    p.finish();
    return std::move(p.paper());
}

}  // namespace gdalmcp_maps
