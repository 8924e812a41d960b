#include "visvalingam.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

namespace gdalmcp_vector {

std::vector<std::size_t> visvalingam(const point_list& line, double area) {
    const std::size_t n = line.size();
    std::vector<std::size_t> before(n), after(n);
    std::vector<double> of(n, 0);
    std::vector<bool> gone(n, false);
    using entry = std::pair<double, std::size_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> least;
    const auto triangle = [&](std::size_t i) {
        const auto &a = line[before[i]], &b = line[i], &c = line[after[i]];
        return std::abs((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)) / 2;
    };
    for (std::size_t i = 0; i < n; ++i) {
        before[i] = i - 1;
        after[i] = i + 1;
        if (i == 0 || i + 1 == n) continue;
        of[i] = triangle(i);
        least.emplace(of[i], i);
    }
    while (!least.empty() && least.top().first < area) {
        const auto [own, i] = least.top();
        least.pop();
        if (gone[i] || own != of[i]) continue;  // an entry from before a neighbour went
        gone[i] = true;
        after[before[i]] = after[i];
        before[after[i]] = before[i];
        for (const auto k : {before[i], after[i]}) {
            if (k == 0 || k + 1 == n) continue;
            of[k] = std::max(own, triangle(k));
            least.emplace(of[k], k);
        }
    }
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < n; ++i)
        if (!gone[i]) kept.push_back(i);
    return kept;
}

}  // namespace gdalmcp_vector
