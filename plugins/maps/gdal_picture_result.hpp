// gdal_picture_result.hpp — the size of a picture that a tool attaches: the argument, the members of the result, the
// limit.
#pragma once
#include <gdalmcp/tool.hpp>

#include <algorithm>
#include <cmath>

#include "raster/gdal_png.hpp"

namespace gdalmcp_maps {

inline constexpr std::size_t image_limit = 400'000;  // bytes

inline const gdalmcp::arg<std::int64_t> size{
    .name = "size", .about = "Longer side.", .unit = "pixels", .fallback = 768, .min = 200, .max = 1024};
inline const gdalmcp::field<std::int64_t> picture_width{"width", "", "pixels"};
inline const gdalmcp::field<std::int64_t> picture_height{"height", "", "pixels"};
inline const gdalmcp::field<std::int64_t> image_bytes{"image_bytes", "Size of the PNG", "bytes"};

template <class Drawn>
struct attached_picture {
    Drawn drawn;
    std::size_t bytes;  // of the PNG
};

// Attaches the `picture` of what draw(longer side, attempt) returns, drawn again smaller while its PNG is above the
// limit; attempts count from 0 to 3. asked: the longer side to begin with, pixels. Returns what was drawn last.
template <class Draw>
auto attach_picture(gdalmcp::call& call, int asked, Draw draw) {
    auto longer = asked;
    for (int attempt = 0;; ++attempt) {
        auto drawn = draw(longer, attempt);
        const auto& p = drawn.picture;
        const auto png = gdalmcp_raster::png_of(p.pixels(), p.width(), p.height());
        if (png.size() > image_limit && attempt < 3) {
            const double share = 0.95 * std::sqrt(static_cast<double>(image_limit) / static_cast<double>(png.size()));
            longer = std::max(200, static_cast<int>(longer * std::min(0.85, share)));
            continue;
        }
        if (longer < asked) call.say("the picture is smaller than asked, to stay below 400 kB");
        call.attach_image("image/png", png);
        return attached_picture<decltype(drawn)>{std::move(drawn), png.size()};
    }
}

// The same in the size that the call asks for, which is reported.
template <class Draw>
auto attach_within_limit(gdalmcp::call& call, Draw draw) {
    auto attached = attach_picture(call, static_cast<int>(call[size]), std::move(draw));
    const auto& p = attached.drawn.picture;
    call.put(picture_width, p.width());
    call.put(picture_height, p.height());
    call.put(image_bytes, static_cast<std::int64_t>(attached.bytes));
    return std::move(attached.drawn);
}

}  // namespace gdalmcp_maps
