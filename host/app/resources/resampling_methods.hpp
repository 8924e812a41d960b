// What each of GDAL's resampling methods does, and when to use it; for reference://resampling.
#pragma once
#include <string_view>

namespace gdalmcp::app {

struct resampling_method {
    std::string_view name;   // GDAL's spelling
    std::string_view does;   // one sentence
    std::string_view use;    // values and purposes it suits
    std::string_view avoid;  // what goes wrong
};

// nullptr for a method this table does not know.
const resampling_method* resampling_method_named(std::string_view name);

}  // namespace gdalmcp::app
