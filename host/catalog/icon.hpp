// The icon clients show for a bundle's tools.
#pragma once
#include <string>

#include "base/problem.hpp"

namespace gdalmcp::catalog {

struct icon {
    std::string media_type;  // image/svg+xml, image/png
    std::string bytes;

    // Of a bundle's file called `name`. Refused: more than 8 KiB, neither SVG nor PNG, a PNG without a size, an SVG
    // that would run code or load something where it is drawn.
    static base::result<icon> read(const std::string& name, std::string bytes);
};

}  // namespace gdalmcp::catalog
