// cell_type.hpp — the data types a cell can have.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace gdalmcp_raster {

enum class cell_type { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

inline std::size_t size_of(cell_type t) {
    constexpr std::array<std::size_t, 10> sizes{1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[static_cast<std::size_t>(t)];
}
inline bool whole(cell_type t) { return t < cell_type::float32; }

// Calls f(T{}) with the C++ type of cells as they are computed with; double for those without arithmetic of their own.
template <class F>
auto with_type(cell_type t, F&& f) {
    switch (t) {
        case cell_type::uint8:
            return f(std::uint8_t{});
        case cell_type::int16:
            return f(std::int16_t{});
        case cell_type::uint16:
            return f(std::uint16_t{});
        case cell_type::int32:
            return f(std::int32_t{});
        case cell_type::uint32:
            return f(std::uint32_t{});
        case cell_type::float32:
            return f(float{});
        default:
            return f(double{});
    }
}

}  // namespace gdalmcp_raster
