#include "resampling.hpp"

namespace gdalmcp_raster {

const std::vector<const char*>& resampling_choices() {
    static const std::vector<const char*> all{"nearest", "bilinear", "cubic", "cubic_spline", "lanczos", "average",
                                              "rms",     "mode",     "max",   "min",          "med",     "q1",
                                              "q3",      "sum",      "near",  "cubicspline"};
    return all;
}

std::string resampling_name(const std::string& choice) {
    if (choice == "near") return "nearest";
    if (choice == "cubicspline") return "cubic_spline";
    return choice;
}

std::string warp_resampling(const std::string& choice) {
    const auto name = resampling_name(choice);
    if (name == "nearest") return "near";
    if (name == "cubic_spline") return "cubicspline";
    return name;
}

bool read_resampling(const std::string& choice, GDALRIOResampleAlg& out) {
    const auto name = resampling_name(choice);
    const struct {
        const char* name;
        GDALRIOResampleAlg method;
    } known[] = {{"nearest", GRIORA_NearestNeighbour},
                 {"bilinear", GRIORA_Bilinear},
                 {"cubic", GRIORA_Cubic},
                 {"cubic_spline", GRIORA_CubicSpline},
                 {"lanczos", GRIORA_Lanczos},
                 {"average", GRIORA_Average},
                 {"mode", GRIORA_Mode},
                 {"rms", GRIORA_RMS}};
    for (const auto& k : known)
        if (name == k.name) {
            out = k.method;
            return true;
        }
    return false;
}

}  // namespace gdalmcp_raster
