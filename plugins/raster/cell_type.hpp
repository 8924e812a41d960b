// cell_type.hpp — the data types a cell can have.
#pragma once
#include <array>
#include <cstddef>

namespace gdalmcp_raster {

enum class cell_type { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

inline std::size_t size_of(cell_type t) {
    constexpr std::array<std::size_t, 10> sizes{1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[static_cast<std::size_t>(t)];
}
inline bool whole(cell_type t) { return t < cell_type::float32; }

}  // namespace gdalmcp_raster
