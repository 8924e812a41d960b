#include "base/image.hpp"

#include "base/text.hpp"

namespace gdalmcp::base {

bool is_image(std::string_view bytes, std::string_view media_type) {
    if (media_type == "image/png") return bytes.starts_with("\x89PNG\r\n\x1a\n");
    if (media_type == "image/jpeg") return bytes.starts_with("\xFF\xD8\xFF");
    if (media_type == "image/gif") return bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a");
    if (media_type == "image/webp") return bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP");
    return media_type == "image/svg+xml" && bytes.find("<svg") != std::string_view::npos && is_utf8(bytes);
}

}  // namespace gdalmcp::base
