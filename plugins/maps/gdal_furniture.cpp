#include "gdal_furniture.hpp"

#include <geodesic.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "axis.hpp"
#include "field_classes.hpp"

namespace gdalmcp_maps {
namespace {

namespace gdal = gdalmcp::gdal;

constexpr double pi = 3.14159265358979323846;
constexpr color line_color{90, 90, 90, 110}, below_line{255, 255, 255, 70};  // to be seen on dark colours, too

struct pixel {
    double column = 0, row = 0;
};
struct degrees {
    double longitude = 0, latitude = 0;
};

// Between pixels of the map and WGS 84.
class places {
public:
    explicit places(const map_frame& f) : frame_{f} {
        const auto wgs84 = gdal::parse_crs("EPSG:4326");
        OGRSpatialReference map{f.crs}, earth{*wgs84};
        there_.reset(OGRCreateCoordinateTransformation(&map, &earth));
        back_.reset(OGRCreateCoordinateTransformation(&earth, &map));
        geod_init(&ellipsoid_, earth.GetSemiMajor(), 1 / earth.GetInvFlattening());
    }
    explicit operator bool() const { return there_ && back_; }

    std::optional<degrees> of(const pixel& p) const {
        std::vector<double> x{frame_.box.MinX + p.column * frame_.pixel()}, y{frame_.box.MaxY - p.row * frame_.pixel()};
        const gdal::quiet silence;
        if (!gdal::transform_all(*there_, x, y)) return std::nullopt;
        return degrees{x[0], y[0]};
    }
    std::optional<pixel> at(const degrees& d) const {
        std::vector<double> x{d.longitude}, y{d.latitude};
        const gdal::quiet silence;
        if (!gdal::transform_all(*back_, x, y)) return std::nullopt;
        return pixel{frame_.column(x[0]), frame_.row(y[0])};
    }
    // Metres of ten pixels along the row or the column, per pixel.
    std::optional<double> metres_per_pixel(const pixel& p, bool along_row) const {
        const auto from = of({p.column - (along_row ? 5 : 0), p.row - (along_row ? 0 : 5)}),
                   to = of({p.column + (along_row ? 5 : 0), p.row + (along_row ? 0 : 5)});
        if (!from || !to) return std::nullopt;
        double metres = 0;
        geod_inverse(&ellipsoid_, from->latitude, from->longitude, to->latitude, to->longitude, &metres, nullptr,
                     nullptr);
        return metres / 10;
    }
    // Clockwise from up to north, in degrees.
    std::optional<double> north(const pixel& p) const {
        const auto here = of(p);
        if (!here || std::abs(here->latitude) > 89.9) return std::nullopt;
        const auto step = std::copysign(1e-3, -here->latitude);  // never past the pole
        const auto there = at({here->longitude, here->latitude + step});
        const auto start = at(*here);
        if (!there || !start) return std::nullopt;
        const double sign = step > 0 ? 1 : -1;
        return std::atan2(sign * (there->column - start->column), sign * (start->row - there->row)) * 180 / pi;
    }

private:
    const map_frame& frame_;
    gdal::transformation there_, back_;
    geod_geodesic ellipsoid_{};
};

// The middle, the corners and the middles of the sides.
std::array<pixel, 9> lookouts(const map_frame& f) {
    std::array<pixel, 9> all;
    for (std::size_t i = 0; i < 9; ++i)
        all[i] = {static_cast<double>(i % 3) * f.width / 2.0, static_cast<double>(i / 3) * f.height / 2.0};
    return all;
}

void draw_scale_bar(canvas& c, const map_frame& f, double metres_per_pixel, label_room& room) {
    const double metres = round_below(f.width * metres_per_pixel / 4);
    const double length = metres / metres_per_pixel, x = 10, y = f.height - 12;
    const auto text = metres >= 1000 ? short_number(metres / 1000) + " km" : short_number(metres) + " m";
    const double width = std::max(length, c.text_width(text)) + 10;
    room.take(x - 5, y + 7, width, 27);
    c.rectangle(x - 5, y - 20, width, 27);
    c.fill({255, 255, 255, 200});
    c.text(x, y - 6, text);
    c.rectangle(x, y - 2, length, 4);
    c.fill(black);
}

void draw_north_arrow(canvas& c, const map_frame& f, label_room& room) {
    const double x = f.width - 18, y = 12;
    room.take(x - 10, y + 36, 22, 44);
    c.rectangle(x - 10, y - 8, 22, 44);
    c.fill({255, 255, 255, 200});
    c.move_to(x + 1, y - 4);
    c.line_to(x + 8, y + 14);
    c.line_to(x + 1, y + 10);
    c.line_to(x - 6, y + 14);
    c.close();
    c.fill(black);
    c.text(x - 3.5, y + 30, "N");
}

std::string degrees_text(double v, const char* positive, const char* negative) {
    return gdal::coordinate_text(std::round(std::abs(v) * 1e6) / 1e6) + "°" +
           (v == 0 || std::abs(v) == 180 ? ""
            : v > 0                      ? positive
                                         : negative);
}

// A meridian or a parallel, and its degrees where it leaves the map: meridians below, parallels on the left, and those
// that do not come there at their end nearest to a side.
void draw_line(canvas& c, const map_frame& f, const places& p, double fixed, bool meridian, double low, double high,
               label_room& room) {
    constexpr int steps = 200;
    constexpr double beside = 10;  // pixels by which the usual side is preferred
    const auto from_side = [&](const pixel& at) {
        const double left = at.column, right = f.width - at.column, above = at.row, below = f.height - at.row;
        return meridian ? std::min(below, beside + std::min({left, right, above}))
                        : std::min(left, beside + std::min({right, above, below}));
    };
    std::optional<pixel> last, written;
    for (int i = 0; i <= steps; ++i) {
        const double moving = low + (high - low) * i / steps;
        const auto here = p.at(meridian ? degrees{fixed, moving} : degrees{moving, fixed});
        const bool near = here && here->column > -f.width && here->column < 2 * f.width && here->row > -f.height &&
                          here->row < 2 * f.height;
        // A jump from one side to the other is no line.
        if (near && last && std::hypot(here->column - last->column, here->row - last->row) < f.width / 3.0) {
            c.line_to(here->column, here->row);
        } else if (near) {
            c.move_to(here->column, here->row);
        }
        last = near ? here : std::nullopt;
        if (!near || here->column < 0 || here->column > f.width || here->row < 0 || here->row > f.height) continue;
        if (!written || from_side(*here) < from_side(*written)) written = here;
    }
    c.stroke(below_line, 2, true);
    c.stroke(line_color, 0.8);
    if (!written) return;
    const auto text = meridian ? degrees_text(fixed, "E", "W") : degrees_text(fixed, "N", "S");
    const double width = c.text_width(text);
    const double most = std::max(0.0, f.width - width), below = f.height - 4.0;
    const double x = meridian ? std::clamp(written->column - width / 2, 0.0, most)
                              : std::clamp(written->column - width - 3, std::min(3.0, most), most);
    const double y =
        meridian && f.height - written->row < 2 * beside ? below : std::clamp(written->row - 3, text_size, below);
    if (room.take(x, y, width, text_size)) c.text(x, y, text, {60, 60, 60, 255}, true);
}

void draw_graticule(canvas& c, const map_frame& f, const places& p, label_room& room) {
    const auto b = gdal::wgs84_bounds(f.box, f.crs);
    if (!b) return;
    const double west = (*b)[0], south = (*b)[1], north = (*b)[3];
    const double east = (*b)[2] < west ? (*b)[2] + 360 : (*b)[2];
    const double widest = std::max(east - west, north - south);
    const double step = widest > 150 ? 30 : widest > 60 ? 15 : round_below(widest / 3);
    const double first = std::ceil(west / step) * step;
    for (double x = first; x <= east && x < first + 360; x += step)
        draw_line(c, f, p, x > 180 ? x - 360 : x, true, south, north, room);
    for (double y = std::ceil(south / step) * step; y <= north; y += step)
        if (std::abs(y) < 90) draw_line(c, f, p, y, false, west, east, room);
}

}  // namespace

furniture draw_furniture(canvas& c, const map_frame& f, bool graticule, label_room& room) {
    furniture drawn;
    if (f.crs.IsEmpty()) return drawn;
    const places p{f};
    if (!p) return drawn;
    double least = 1e30, most = 0, turned = 0;
    for (const auto& at : lookouts(f)) {
        for (const bool along_row : {true, false})
            if (const auto m = p.metres_per_pixel(at, along_row)) {
                least = std::min(least, *m);
                most = std::max(most, *m);
            } else {
                most = 1e30;
            }
        const auto north = p.north(at);
        turned = std::max(turned, north ? std::abs(*north) : 180);
    }
    drawn.metres_per_pixel = p.metres_per_pixel({f.width / 2.0, f.height / 2.0}, true);
    if (drawn.metres_per_pixel && most <= 1.1 * least && f.width > 80 && f.height > 60) {
        draw_scale_bar(c, f, *drawn.metres_per_pixel, room);
        drawn.scale_bar = true;
    }
    if (turned < 3 && f.width > 80 && f.height > 60) {
        draw_north_arrow(c, f, room);
        drawn.north_arrow = true;
    }
    if (graticule) draw_graticule(c, f, p, room);
    return drawn;
}

}  // namespace gdalmcp_maps
