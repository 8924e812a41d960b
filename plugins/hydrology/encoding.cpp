#include "encoding.hpp"

#include <cmath>

namespace gdalmcp_hydrology {
namespace {

using code_table = std::array<int, 9>;  // by direction, clockwise from east, then undrained

constexpr std::array<code_table, 4> tables{{{1, 2, 4, 8, 16, 32, 64, 128, 0},
                                            {2, 4, 8, 16, 32, 64, 128, 1, 0},
                                            {1, 8, 7, 6, 5, 4, 3, 2, 0},
                                            {8, 7, 6, 5, 4, 3, 2, 1, 0}}};

}  // namespace

std::optional<encoding> encoding_named(std::string_view name) {
    for (std::size_t i = 0; i < encoding_names.size(); ++i)
        if (encoding_names[i] == name) return static_cast<encoding>(i);
    return {};
}

std::string_view name_of(encoding code) { return encoding_names[static_cast<std::size_t>(code)]; }

int nodata_of(encoding code) { return code == encoding::esri ? 255 : -32768; }

int encode(encoding code, std::uint8_t d, bool leaves) {
    const int value = tables[static_cast<std::size_t>(code)][d];
    return code == encoding::grass && leaves ? -value : value;
}

std::optional<std::uint8_t> decode(encoding code, double value) {
    const double wanted = code == encoding::grass ? std::abs(value) : value;
    if (code == encoding::esri && (value == -1 || value == -2)) return undrained;  // flats and pits of pysheds
    const auto& table = tables[static_cast<std::size_t>(code)];
    for (std::size_t d = 0; d < table.size(); ++d)
        if (table[d] == wanted) return static_cast<std::uint8_t>(d);
    return {};
}

}  // namespace gdalmcp_hydrology
