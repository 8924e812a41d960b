// Whether bytes are an image of the declared type.
#pragma once
#include <string>
#include <string_view>

namespace gdalmcp::base {

// Checked by signature: image/png, image/jpeg, image/gif, image/webp, or text with an <svg> element: image/svg+xml. Of
// any other type: false.
bool is_image(std::string_view bytes, std::string_view media_type);

}  // namespace gdalmcp::base
