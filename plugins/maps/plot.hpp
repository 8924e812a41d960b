// plot.hpp — the frame of a chart: axes with their marks, titles, the legend of its series. Pixels as on the canvas.
//
//   plot p{{768, 480}, {{"Heights"}, x, "height (m)", y, "rows", {}, {}}};
//   p.paper().rectangle(p.column(0), p.row(3), …);
//   p.finish();
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "axis.hpp"
#include "canvas.hpp"
#include "legend.hpp"

namespace gdalmcp_maps {

struct plot_design {
    std::vector<std::string> heading;  // lines above
    axis x;
    std::string x_title;
    axis y;  // unused with rows
    std::string y_title;
    std::vector<std::string> rows;     // categories from the top down, instead of y
    std::vector<legend_entry> series;  // explained above the plot
};

class plot {
public:
    // Draws all but the data.
    plot(std::pair<int, int> size, const plot_design&);

    canvas& paper() { return paper_; }
    double column(double x) const { return left_ + x_.share(x) * width_; }
    double row(double y) const { return top_ + (1 - y_.share(y)) * height_; }
    // The middle and the height of a category.
    double row_of(std::size_t category) const;
    double row_height() const { return height_ / static_cast<double>(categories_); }
    double left() const { return left_; }
    double top() const { return top_; }
    double width() const { return width_; }
    double height() const { return height_; }

    // Draws the lines of the axes over the data.
    void finish();

private:
    void place(const plot_design&);
    void draw_heading(const plot_design&);
    void draw_x(const plot_design&);
    void draw_y(const plot_design&);

    canvas paper_;
    axis x_, y_;
    double left_ = 0, top_ = 0, width_ = 0, height_ = 0;
    std::size_t categories_ = 1;
};

}  // namespace gdalmcp_maps
