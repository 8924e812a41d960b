#include "surface_look.hpp"

namespace gdalmcp_hydrology {

double most_frequent(std::vector<double> heights) {
    std::sort(heights.begin(), heights.end());
    double found = heights.front();
    std::ptrdiff_t most = 0;
    for (auto from = heights.begin(); from != heights.end();) {
        const auto to = std::upper_bound(from, heights.end(), *from);
        if (to - from > most) {
            most = to - from;
            found = *from;
        }
        from = to;
    }
    return found;
}

}  // namespace gdalmcp_hydrology
