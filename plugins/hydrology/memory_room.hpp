// memory_room.hpp — how much memory this call may use for its grids, and how tiles are cut that fit into it.
#pragma once
#include "tiling.hpp"

namespace gdalmcp_hydrology {

// Bytes of the address space that the host gives to a call (its --memory). Without a limit: the greatest number.
std::uint64_t memory_limit();

// Of these, less what the process and GDAL's cache take themselves.
std::uint64_t memory_room();

// Address space of the process without any grid, and the most that GDAL's cache may take.
inline constexpr std::uint64_t process_bytes = std::uint64_t{512} << 20;

// Whether grids of this many bytes per cell go into `room`; also false beyond 2^32 - 1 cells, the limit of cell_index.
bool fits_in_memory(const shape& whole, std::size_t bytes_per_cell, std::uint64_t room);

// Tiles of about 8 million cells, fewer where `room` is small, of whole blocks of 256 cells and at most 8192 wide: what
// is kept of all tiles goes with their rims, and each column of tiles reads the strips of a file anew. bytes_per_cell:
// of the work on a tile.
tiling tiles_within(const shape& whole, std::size_t bytes_per_cell, std::uint64_t room);

}  // namespace gdalmcp_hydrology
