#include "canvas.hpp"

#include <cairo-ft.h>
#include <gdalmcp/tool.hpp>

#include <bit>
#include <cstring>
#include <stdexcept>

namespace gdalmcp_maps {
namespace {

// Read by FreeType itself: fontconfig would look through every font of the machine in each call.
constexpr const char* font_files[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                      "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
                                      "/usr/share/fonts/TTF/DejaVuSans.ttf"};

// For the life of the process, which is one call.
cairo_font_face_t* font() {
    static cairo_font_face_t* const face = []() -> cairo_font_face_t* {
        FT_Library library = nullptr;
        if (FT_Init_FreeType(&library) != 0) return nullptr;
        for (const char* file : font_files) {
            FT_Face read = nullptr;
            if (FT_New_Face(library, file, 0, &read) == 0) return cairo_ft_font_face_create_for_ft_face(read, 0);
        }
        return nullptr;
    }();
    if (!face)
        throw gdalmcp::error{GDALMCP_UNSUPPORTED, "the font DejaVu Sans is not installed, so a map cannot be labelled",
                             "the operator can install it (Debian: fonts-dejavu-core)"};
    return face;
}

// Cairo's cells: 32 bits with the alpha highest, colours multiplied by it.
std::uint32_t premultiplied(const color& c) {
    const auto by_alpha = [&](std::uint32_t v) { return (v * c[3] + 127) / 255; };
    return std::uint32_t{c[3]} << 24 | by_alpha(c[0]) << 16 | by_alpha(c[1]) << 8 | by_alpha(c[2]);
}

}  // namespace

canvas::canvas(int width, int height, const color& background)
    : surface_{cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height)}, at_{cairo_create(surface_.get())} {
    if (cairo_status(at_.get()) != CAIRO_STATUS_SUCCESS)
        throw gdalmcp::error{GDALMCP_INTERNAL, std::string{"cannot draw a picture of "} + std::to_string(width) +
                                                   " × " + std::to_string(height) +
                                                   " pixels: " + cairo_status_to_string(cairo_status(at_.get()))};
    set(background);
    cairo_paint(at_.get());
    cairo_set_fill_rule(at_.get(), CAIRO_FILL_RULE_EVEN_ODD);
    cairo_set_line_join(at_.get(), CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(at_.get(), CAIRO_LINE_CAP_ROUND);
    cairo_set_font_face(at_.get(), font());
    cairo_set_font_size(at_.get(), text_size);
}

void canvas::set(const color& c) {
    cairo_set_source_rgba(at_.get(), c[0] / 255.0, c[1] / 255.0, c[2] / 255.0, c[3] / 255.0);
}

void canvas::circle(double x, double y, double radius) {
    cairo_new_sub_path(at_.get());
    cairo_arc(at_.get(), x, y, radius, 0, 2 * 3.14159265358979323846);
}

void canvas::fill(const color& c, bool keep_path) {
    set(c);
    if (keep_path)
        cairo_fill_preserve(at_.get());
    else
        cairo_fill(at_.get());
}

void canvas::stroke(const color& c, double line_width, bool keep_path) {
    set(c);
    cairo_set_line_width(at_.get(), line_width);
    if (keep_path)
        cairo_stroke_preserve(at_.get());
    else
        cairo_stroke(at_.get());
}

void canvas::text(double x, double y, const std::string& line, const color& c, bool halo) {
    cairo_move_to(at_.get(), x, y);
    if (halo) {
        cairo_text_path(at_.get(), line.c_str());
        stroke({255, 255, 255, 220}, 3);
        cairo_move_to(at_.get(), x, y);
    }
    set(c);
    cairo_show_text(at_.get(), line.c_str());
    cairo_new_path(at_.get());
}

void canvas::text_upwards(double x, double y, const std::string& line, const color& c) {
    cairo_save(at_.get());
    cairo_translate(at_.get(), x, y);
    cairo_rotate(at_.get(), -3.14159265358979323846 / 2);
    text(0, 0, line, c);
    cairo_restore(at_.get());
}

void canvas::end_group(double opacity) {
    cairo_pop_group_to_source(at_.get());
    cairo_paint_with_alpha(at_.get(), opacity);
}

void canvas::clip(double x, double y, double width, double height) {
    cairo_rectangle(at_.get(), x, y, width, height);
    cairo_clip(at_.get());
}

double canvas::text_width(const std::string& line) const {
    cairo_text_extents_t size{};
    cairo_text_extents(at_.get(), line.c_str(), &size);
    return size.x_advance;
}

std::string canvas::fitted(const std::string& line, double width) const {
    constexpr std::size_t most = 400;  // bytes: more never fits, and measuring takes time
    if (line.size() <= most && text_width(line) <= width) return line;
    std::string cut = line.substr(0, most + 1);
    do {
        do cut.pop_back();
        while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0U) == 0x80U);
        // What is left of a character of several bytes is its first.
        if (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0x80U) != 0) cut.pop_back();
    } while (!cut.empty() && text_width(cut + "…") > width);
    return cut + "…";
}

void canvas::draw(const std::vector<color>& pixels, int width, int height, double x, double y) {
    const std::unique_ptr<cairo_surface_t, release> image{
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height)};
    cairo_surface_flush(image.get());
    auto* bytes = cairo_image_surface_get_data(image.get());
    const int stride = cairo_image_surface_get_stride(image.get());
    for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column) {
            const auto cell = premultiplied(pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                                                   static_cast<std::size_t>(column)]);
            std::memcpy(bytes + static_cast<std::ptrdiff_t>(row) * stride + 4 * column, &cell, 4);
        }
    cairo_surface_mark_dirty(image.get());
    cairo_set_source_surface(at_.get(), image.get(), x, y);
    cairo_paint(at_.get());
}

void canvas::draw(const canvas& other, double x, double y) {
    cairo_set_source_surface(at_.get(), other.surface_.get(), x, y);
    cairo_paint(at_.get());
}

std::vector<color> canvas::pixels() const {
    cairo_surface_flush(surface_.get());
    const auto* bytes = cairo_image_surface_get_data(surface_.get());
    const int stride = cairo_image_surface_get_stride(surface_.get());
    std::vector<color> all;
    all.reserve(static_cast<std::size_t>(width()) * static_cast<std::size_t>(height()));
    for (int row = 0; row < height(); ++row)
        for (int column = 0; column < width(); ++column) {
            std::uint32_t cell = 0;
            std::memcpy(&cell, bytes + static_cast<std::ptrdiff_t>(row) * stride + 4 * column, 4);
            all.push_back({static_cast<std::uint8_t>(cell >> 16), static_cast<std::uint8_t>(cell >> 8),
                           static_cast<std::uint8_t>(cell), 255});
        }
    return all;
}

bool label_room::take(double x, double y, double width, double height) {
    const box b{x - 2, y - height - 1, x + width + 2, y + 3};
    for (const auto& t : taken_)
        if (b.left < t.right && t.left < b.right && b.top < t.bottom && t.top < b.bottom) return false;
    taken_.push_back(b);
    return true;
}

}  // namespace gdalmcp_maps
