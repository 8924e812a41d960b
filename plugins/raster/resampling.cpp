#include "resampling.hpp"

namespace gdalmcp_raster {

const std::vector<const char*>& resampling_choices() {
    static const std::vector<const char*> all{"nearest", "bilinear", "cubic", "cubic_spline", "lanczos",
                                              "average", "rms",      "mode",  "max",          "min",
                                              "med",     "q1",       "q3",    "sum"};
    return all;
}

const std::vector<std::pair<const char*, const char*>>& resampling_synonyms() {
    static const std::vector<std::pair<const char*, const char*>> all{{"near", "nearest"},
                                                                      {"nearest_neighbour", "nearest"},
                                                                      {"nearest_neighbor", "nearest"},
                                                                      {"linear", "bilinear"},
                                                                      {"bicubic", "cubic"},
                                                                      {"avg", "average"},
                                                                      {"mean", "average"},
                                                                      {"majority", "mode"},
                                                                      {"maximum", "max"},
                                                                      {"minimum", "min"},
                                                                      {"median", "med"}};
    return all;
}

std::string warp_resampling(const std::string& choice) {
    if (choice == "nearest") return "near";
    if (choice == "cubic_spline") return "cubicspline";
    return choice;
}

}  // namespace gdalmcp_raster
