#include "plot.hpp"

#include <algorithm>

namespace gdalmcp_maps {
namespace {

constexpr double edge = 10, line_step = 18, mark = 5, between_series = 18, swatch_size = 12;
constexpr color grid_color{225, 225, 225, 255}, axis_color{110, 110, 110, 255};

// A power of ten that all labels of an axis share is written in its title.
std::string with_power(const std::string& title, const axis& a) {
    return a.power == 0 ? title : title + ", ×" + power_text(a.power);
}

// The line and the left end of each entry of the legend.
std::vector<std::pair<int, double>> places_of(const canvas& c, const std::vector<legend_entry>& series, double width) {
    std::vector<std::pair<int, double>> places;
    double x = 0;
    int line = 0;
    for (const auto& s : series) {
        const double length = swatch_size + 5 + c.text_width(c.fitted(s.label, width / 2));
        if (x > 0 && x + length > width) {
            ++line;
            x = 0;
        }
        places.emplace_back(line, x);
        x += length + between_series;
    }
    return places;
}

}  // namespace

plot::plot(std::pair<int, int> size, const plot_design& design)
    : paper_{size.first, size.second}, x_{design.x}, y_{design.y} {
    place(design);
    draw_heading(design);
    draw_x(design);
    draw_y(design);
}

void plot::place(const plot_design& d) {
    double labels = 0;
    for (const auto& t : d.y.ticks) labels = std::max(labels, paper_.text_width(t.label));
    if (!d.rows.empty()) {
        labels = 0;
        categories_ = d.rows.size();
        for (const auto& r : d.rows)
            labels = std::max(labels, paper_.text_width(paper_.fitted(r, paper_.width() / 3.0)));
    }
    left_ = edge + (d.y_title.empty() ? 0 : line_step) + labels + mark + 3;
    width_ = paper_.width() - left_ - 2 * edge;
    const auto places = places_of(paper_, d.series, paper_.width() - 2 * edge);
    const double lines = static_cast<double>(d.heading.size()) + (places.empty() ? 0 : places.back().first + 1);
    top_ = edge + lines * line_step + (lines > 0 ? 4 : 0);
    height_ = paper_.height() - top_ - edge - (d.x_title.empty() ? 0 : line_step) - line_step - mark;
}

void plot::draw_heading(const plot_design& d) {
    const double room = paper_.width() - 2 * edge;
    double y = edge + text_size;
    for (const auto& line : d.heading) {
        paper_.text(edge, y, paper_.fitted(line, room));
        y += line_step;
    }
    const auto places = places_of(paper_, d.series, room);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double line = y + places[i].first * line_step, x = edge + places[i].second;
        paper_.rectangle(x, line - swatch_size + 2, swatch_size, swatch_size);
        paper_.fill(d.series[i].shown);
        paper_.text(x + swatch_size + 5, line, paper_.fitted(d.series[i].label, room / 2));
    }
}

void plot::draw_x(const plot_design& d) {
    const double bottom = top_ + height_;
    double free_from = 0;
    for (const auto& t : x_.ticks) {
        const double x = column(t.at), length = paper_.text_width(t.label);
        paper_.move_to(x, top_);
        paper_.line_to(x, bottom + mark);
        paper_.stroke(grid_color, 1);
        const double from = std::clamp(x - length / 2, 2.0, std::max(2.0, paper_.width() - length - 2));
        if (from < free_from) continue;
        paper_.text(from, bottom + mark + text_size, t.label);
        free_from = from + length + 8;
    }
    const auto title = paper_.fitted(with_power(d.x_title, x_), width_);
    paper_.text(left_ + (width_ - paper_.text_width(title)) / 2, paper_.height() - edge + 1, title);
}

void plot::draw_y(const plot_design& d) {
    for (std::size_t i = 0; i < d.rows.size(); ++i) {
        const auto label = paper_.fitted(d.rows[i], paper_.width() / 3.0);
        paper_.text(left_ - mark - 1 - paper_.text_width(label), row_of(i) + text_size / 3, label);
    }
    if (d.rows.empty())
        for (const auto& t : y_.ticks) {
            paper_.move_to(left_ - mark, row(t.at));
            paper_.line_to(left_ + width_, row(t.at));
            paper_.stroke(grid_color, 1);
            paper_.text(left_ - mark - 3 - paper_.text_width(t.label), row(t.at) + text_size / 3, t.label);
        }
    const auto title = paper_.fitted(d.rows.empty() ? with_power(d.y_title, y_) : d.y_title, height_);
    paper_.text_upwards(edge + text_size - 2, top_ + (height_ + paper_.text_width(title)) / 2, title);
}

double plot::row_of(std::size_t category) const { return top_ + (static_cast<double>(category) + 0.5) * row_height(); }

void plot::finish() {
    paper_.move_to(left_, top_);
    paper_.line_to(left_, top_ + height_);
    paper_.line_to(left_ + width_, top_ + height_);
    paper_.stroke(axis_color, 1.2);
}

}  // namespace gdalmcp_maps
