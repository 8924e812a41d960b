#include "cell_sample.hpp"

#include <algorithm>
#include <set>

namespace gdalmcp_raster {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
__extension__ typedef unsigned __int128 wide_number;  // NOLINT: __extension__ has no using form

std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

}  // namespace

std::uint64_t cell_number(std::uint64_t seed, std::int64_t cell) {
    return mixed(seed + (static_cast<std::uint64_t>(cell) + 1) * golden);
}

std::int64_t systematic_start(std::uint64_t seed, int axis, std::int64_t step) {
    // The high half of the product: a number below `step`, off uniform by less than step / 2^64.
    return static_cast<std::int64_t>((wide_number{cell_number(seed, axis)} * static_cast<std::uint64_t>(step)) >> 64);
}

cell_draw::cell_draw(std::uint64_t seed, const std::map<std::int64_t, std::int64_t>& sizes) : seed_{seed} {
    for (const auto& [stratum, n] : sizes)
        if (n > 0) strata_[stratum].wanted = static_cast<std::size_t>(n);
}

void cell_draw::stratum_draw::offer(const candidate& c) {
    if (best.size() == wanted) {
        if (!(c < best.front())) return;
        std::pop_heap(best.begin(), best.end());
        best.back() = c;
    } else {
        best.push_back(c);
    }
    std::push_heap(best.begin(), best.end());
}

void cell_draw::see(std::int64_t stratum, std::int64_t cell) {
    const auto found = strata_.find(stratum);
    if (found != strata_.end()) found->second.offer({cell_number(seed_, cell), cell});
}

void cell_draw::merge(const cell_draw& other) {
    for (const auto& [stratum, draw] : other.strata_)
        for (const auto& c : draw.best) strata_[stratum].offer(c);
}

std::vector<drawn_cell> cell_draw::cells() const {
    std::vector<drawn_cell> all;
    for (const auto& [stratum, draw] : strata_)
        for (const auto& c : draw.best) all.push_back({c.cell, stratum});
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cell < b.cell; });
    return all;
}

std::map<std::int64_t, std::int64_t> allocation(const std::map<std::int64_t, std::int64_t>& cells, std::int64_t n,
                                                std::int64_t least) {
    std::map<std::int64_t, std::int64_t> sizes;
    std::int64_t rest = n, total = 0;
    for (const auto& each : cells) total += each.second;
    const auto share = [&](std::int64_t of) { return wide_number(rest) * wide_number(of) / wide_number(total); };
    // Strata whose share is below the minimum get the minimum, which lowers the shares of the others.
    for (bool changed = true; changed && total > 0;) {
        changed = false;
        for (const auto& [code, of] : cells) {
            const auto minimum = std::min(least, of);
            if (sizes.contains(code) || total == 0 || share(of) >= wide_number(minimum)) continue;
            sizes[code] = minimum;
            rest -= minimum;
            total -= of;
            changed = true;
        }
    }
    struct remainder {
        wide_number left;
        std::int64_t code;
    };
    std::vector<remainder> remainders;
    std::int64_t given = 0;
    for (const auto& [code, of] : cells) {
        if (sizes.contains(code)) continue;
        const auto whole = static_cast<std::int64_t>(share(of));
        remainders.push_back({wide_number(rest) * wide_number(of) % wide_number(total), code});
        sizes[code] = whole;
        given += whole;
    }
    std::stable_sort(remainders.begin(), remainders.end(),
                     [](const auto& a, const auto& b) { return a.left > b.left; });
    for (std::size_t i = 0; given < rest && i < remainders.size(); ++i, ++given) ++sizes[remainders[i].code];
    return sizes;
}

}  // namespace gdalmcp_raster
