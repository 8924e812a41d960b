#include "resampling.hpp"

#include <algorithm>
#include <string_view>

#include "raster/resampling.hpp"

namespace gdalmcp_gdal {

const std::vector<const char*>& warp_methods() {
    static const std::vector<const char*> all{"near", "bilinear", "cubic", "cubicspline", "lanczos", "average", "rms",
                                              "mode", "max",      "min",   "med",         "q1",      "q3",      "sum"};
    return all;
}

const std::vector<const char*>& translate_methods() {
    static const std::vector<const char*> all{"near",    "bilinear", "cubic", "cubicspline",
                                              "lanczos", "average",  "rms",   "mode"};
    return all;
}

gdalmcp::arg<std::optional<gdalmcp::choice>> method_argument(const char* name, const char* about,
                                                             const std::vector<const char*>& methods) {
    std::vector<std::pair<const char*, const char*>> synonyms{{"nearest", "near"}};
    const auto known = [&](std::string_view method) {
        return std::any_of(methods.begin(), methods.end(), [&](std::string_view m) { return m == method; });
    };
    for (const auto& [word, method] : gdalmcp_raster::resampling_synonyms()) {
        const bool nearest = std::string_view{method} == "nearest";
        if (std::string_view{word} != "near" && (nearest || known(method)))
            synonyms.emplace_back(word, nearest ? "near" : method);
    }
    return {.name = name, .about = about, .values = methods, .synonyms = synonyms};
}

std::string translate_resampling(const std::string& method) { return method == "near" ? "nearest" : method; }

std::string raster_tool_method(const std::string& method) {
    if (method == "cubicspline") return "cubic_spline";
    return translate_resampling(method);
}

}  // namespace gdalmcp_gdal
