// Descriptions of GDAL's resampling methods and their uses, for reference://resampling.
#pragma once
#include <string>
#include <string_view>

namespace gdalmcp::app {

struct resampling_method {
    std::string_view name;   // GDAL's spelling
    std::string_view does;   // one sentence
    std::string_view use;    // values and purposes it suits
    std::string_view avoid;  // what goes wrong
};

// nullptr for a method not in this table.
const resampling_method* resampling_method_named(std::string_view name);

}  // namespace gdalmcp::app
