// tally.hpp — counts of values by their leading bits.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace gdalmcp_raster {

// The bits of a value as a number in the order of the values.
template <class T>
struct key_of {
    using type =
        std::make_unsigned_t<std::conditional_t<std::is_same_v<T, float>, std::int32_t,
                                                std::conditional_t<std::is_same_v<T, double>, std::int64_t, T>>>;
    static constexpr int bits = static_cast<int>(8 * sizeof(T));
    static constexpr int low = bits > 16 ? bits - 16 : 0;  // bits that a first tally does not distinguish
    static constexpr type sign = static_cast<type>(type{1} << (bits - 1));

    static type of(T v) {
        if constexpr (std::is_floating_point_v<T>) {
            const auto b = std::bit_cast<type>(v);
            return b & sign ? static_cast<type>(~b) : static_cast<type>(b | sign);
        } else if constexpr (std::is_signed_v<T>) {
            return static_cast<type>(static_cast<type>(v) ^ sign);
        } else {
            return v;
        }
    }
    static T value(type k) {
        if constexpr (std::is_floating_point_v<T>)
            return std::bit_cast<T>(k & sign ? static_cast<type>(k ^ sign) : static_cast<type>(~k));
        else if constexpr (std::is_signed_v<T>)
            return static_cast<T>(k ^ sign);
        else
            return k;
    }
};

constexpr std::size_t chunk = 4096;  // cells: a chunk and its scratch stay in the first-level cache

// Of a tally by the leading 16 bits, or all where there are fewer.
template <class T>
constexpr std::size_t tally_bins = std::size_t{1} << std::min(16, key_of<T>::bits);

template <class T>
std::size_t leading_bits(T v) {
    return static_cast<std::size_t>(key_of<T>::of(v) >> key_of<T>::low);
}

// Counts per bin that do not overflow, at half the cache.
class tally {
public:
    explicit tally(std::size_t bins) : small_(bins), large_(bins) {}
    std::uint32_t* room(std::size_t cells) {
        if (since_ + cells > std::numeric_limits<std::uint32_t>::max()) flush();
        since_ += cells;
        return small_.data();
    }
    void add(std::size_t bin, std::int64_t n) { large_[bin] += n; }
    const std::vector<std::int64_t>& counts() {
        flush();
        return large_;
    }

private:
    void flush() {
        for (std::size_t i = 0; i < small_.size(); ++i) large_[i] += small_[i];
        std::fill(small_.begin(), small_.end(), 0);
        since_ = 0;
    }
    std::vector<std::uint32_t> small_;
    std::vector<std::int64_t> large_;
    std::uint64_t since_ = 0;
};

}  // namespace gdalmcp_raster
