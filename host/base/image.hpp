// Whether bytes are an image of the type they are said to be.
#pragma once
#include <string_view>

namespace gdalmcp::base {

// By the signature: image/png, image/jpeg, image/gif, image/webp, or text with an <svg> element: image/svg+xml. Of any
// other type: false.
bool is_image(std::string_view bytes, std::string_view media_type);

}  // namespace gdalmcp::base
