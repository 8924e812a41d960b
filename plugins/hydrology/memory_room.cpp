#include "memory_room.hpp"

#include <sys/resource.h>

#include <limits>

namespace gdalmcp_hydrology {
namespace {

constexpr std::size_t block = 256, most_cells = std::size_t{1} << 23, widest = 32 * block;

constexpr std::uint64_t least_room = std::uint64_t{4} << 20;  // a process that runs at all has it

std::size_t in_blocks(std::size_t cells) { return (cells + block - 1) / block * block; }

}  // namespace

std::uint64_t memory_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return std::numeric_limits<std::uint64_t>::max();
    return limit.rlim_cur;
}

std::uint64_t memory_room() {
    const auto limit = memory_limit();
    return std::max(least_room, limit - std::min(limit, process_bytes));
}

bool fits_in_memory(const shape& whole, std::size_t bytes_per_cell, std::uint64_t room) {
    return whole.size() <= std::numeric_limits<cell_index>::max() && whole.size() <= room / bytes_per_cell;
}

tiling tiles_within(const shape& whole, std::size_t bytes_per_cell, std::uint64_t room) {
    const auto cells = std::clamp<std::uint64_t>(room / bytes_per_cell, block * block, most_cells);
    const auto most_wide = std::min<std::size_t>(widest, cells / block / block * block);
    const auto across = (whole.width + most_wide - 1) / most_wide;
    const auto width = in_blocks((whole.width + across - 1) / across);
    return {whole, {width, std::max(block, cells / width / block * block)}};
}

}  // namespace gdalmcp_hydrology
