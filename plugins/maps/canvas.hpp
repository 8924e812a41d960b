// canvas.hpp — a picture that paths, text and cells are drawn on, by Cairo. Coordinates are pixels from the top left
// corner, y downwards.
#pragma once
#include <cairo.h>

#include <memory>
#include <string>
#include <vector>

#include "raster/picture.hpp"

namespace gdalmcp_maps {

using gdalmcp_raster::color;

inline constexpr color white{255, 255, 255, 255}, black{0, 0, 0, 255};
inline constexpr double text_size = 12;

class canvas {
public:
    // Throws where the font is missing.
    canvas(int width, int height, const color& background = white);

    int width() const { return cairo_image_surface_get_width(surface_.get()); }
    int height() const { return cairo_image_surface_get_height(surface_.get()); }

    // The path that the next fill() or stroke() draws. Rings within rings are holes.
    void move_to(double x, double y) { cairo_move_to(at_.get(), x, y); }
    void line_to(double x, double y) { cairo_line_to(at_.get(), x, y); }
    void close() { cairo_close_path(at_.get()); }
    void rectangle(double x, double y, double width, double height) { cairo_rectangle(at_.get(), x, y, width, height); }
    void circle(double x, double y, double radius);
    void fill(const color&, bool keep_path = false);
    void stroke(const color&, double line_width, bool keep_path = false);

    // A line of text whose baseline starts at x, y; `halo`: with a white edge.
    void text(double x, double y, const std::string&, const color& = black, bool halo = false);
    // The same from x, y upwards.
    void text_upwards(double x, double y, const std::string&, const color& = black);
    double text_width(const std::string&) const;
    // The text cut to a width, with "…".
    std::string fitted(const std::string&, double width) const;

    // What is drawn between them is put on the canvas at once, with this opacity (0 to 1).
    void begin_group() { cairo_push_group(at_.get()); }
    void end_group(double opacity);

    // What is drawn outside of it is cut until unclip().
    void clip(double x, double y, double width, double height);
    void unclip() { cairo_reset_clip(at_.get()); }

    void draw(const std::vector<color>& pixels, int width, int height, double x, double y);
    void draw(const canvas&, double x, double y);

    std::vector<color> pixels() const;  // row by row from the top

private:
    struct release {
        void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
        void operator()(cairo_t* c) const { cairo_destroy(c); }
        void operator()(cairo_font_face_t* f) const { cairo_font_face_destroy(f); }
    };
    void set(const color&);

    std::unique_ptr<cairo_surface_t, release> surface_;
    std::unique_ptr<cairo_t, release> at_;
};

// Where a label may stand: nothing is written over another.
class label_room {
public:
    bool take(double x, double y, double width, double height);

private:
    struct box {
        double left, top, right, bottom;
    };
    std::vector<box> taken_;
};

}  // namespace gdalmcp_maps
