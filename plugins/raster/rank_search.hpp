// rank_search.hpp — values by their rank, from tallies of 16 more of their bits a pass.
//
//   rank_search<float> s;
//   s.look_for({10, 500}, tally_of_leading_bits);
//   while (s.needs_pass()) { s.begin_pass(); s.add(values, n, 1, counts); s.narrow(counts.counts()); }
//   s.at(500);
#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "tally.hpp"

namespace gdalmcp_raster {

template <class T>
class rank_search {
    using key = key_of<T>;

public:
    // ranks: from 0, of the values in ascending order. counts: all values by their leading bits, tally_bins<T>.
    void look_for(const std::vector<std::int64_t>& ranks, const std::vector<std::int64_t>& counts) {
        for (const auto rank : ranks) sought_[rank] = {0, rank};
        narrow(counts);
    }
    bool needs_pass() const { return remaining_bits() > 0 && !sought_.empty(); }

    void begin_pass() {
        prefixes_.clear();
        first_.assign(tally_bins<T>, 0);
        if (remaining_bits() > 0)
            for (const auto& [rank, s] : sought_) prefixes_.push_back(s.prefix);
        std::sort(prefixes_.begin(), prefixes_.end());
        prefixes_.erase(std::unique(prefixes_.begin(), prefixes_.end()), prefixes_.end());
        // 1 + the first prefix with these leading 16 bits.
        for (std::size_t i = prefixes_.size(); i-- > 0;)
            first_[static_cast<std::size_t>(prefixes_[i] >> (16 * (level_ - 1)))] = static_cast<std::uint16_t>(i + 1);
    }
    // Of a tally for the pass; 0: nothing to search in it.
    std::size_t bins() const { return prefixes_.size() << 16; }
    // Whether a value from low to high may share its leading bits with a sought one.
    bool near(T low, T high) const {
        if (prefixes_.empty()) return false;
        for (auto k = leading_bits(low); k <= leading_bits(high); ++k)
            if (first_[k]) return true;
        return false;
    }

    // Counts n values, each `times` times, by the next 16 bits where they share those known of a sought one. n: at most
    // `chunk`. By several threads at once, each with a tally of its own.
    void add(const T* values, std::size_t n, std::int64_t times, tally& t) const {
        const int shift = remaining_bits() - 16;
        auto* counts = t.room(n);
        // Few values share their leading bits with a sought one: picked without a branch, counted after.
        std::array<typename key::type, chunk> keys;
        std::size_t picked = 0;
        for (std::size_t i = 0; i < n; ++i) {
            keys[picked] = key::of(values[i]);
            picked += first_[static_cast<std::size_t>(keys[picked] >> key::low)] != 0;
        }
        for (std::size_t i = 0; i < picked; ++i) {
            const std::uint64_t k = keys[i];
            std::size_t at = first_[static_cast<std::size_t>(k >> key::low)];
            if (level_ > 1) {
                const std::uint64_t prefix = k >> (shift + 16);
                while (at <= prefixes_.size() && prefixes_[at - 1] < prefix) ++at;
                if (at > prefixes_.size() || prefixes_[at - 1] != prefix) continue;
            }
            const std::size_t bin = ((at - 1) << 16) | static_cast<std::size_t>((k >> shift) & 0xffff);
            if (times == 1)
                ++counts[bin];
            else
                t.add(bin, times);
        }
    }

    // The bin that holds each rank gives 16 more bits of its value. counts: 65536 bins for every prefix.
    void narrow(const std::vector<std::int64_t>& counts) {
        for (auto& [unused, s] : sought_) {
            const auto at =
                level_ == 0 ? 0
                            : static_cast<std::size_t>(std::lower_bound(prefixes_.begin(), prefixes_.end(), s.prefix) -
                                                       prefixes_.begin())
                                  << 16;
            std::size_t bin = 0;
            while (counts[at + bin] <= s.rank) s.rank -= counts[at + bin++];
            s.prefix = (s.prefix << 16) | bin;
        }
        ++level_;
    }

    // REQUIRES: look_for() named the rank, and no pass is needed.
    double at(std::int64_t rank) const {
        return static_cast<double>(key::value(static_cast<typename key::type>(sought_.at(rank).prefix))) + 0.0;
    }

private:
    // A value whose rank is known among those that share its leading bits.
    struct sought {
        std::uint64_t prefix = 0;
        std::int64_t rank = 0;
    };
    int remaining_bits() const { return std::max(0, key::bits - 16 * level_); }

    std::map<std::int64_t, sought> sought_;  // by rank among all
    int level_ = 0;                          // 16 bits each that are known of the sought values
    std::vector<std::uint64_t> prefixes_;
    std::vector<std::uint16_t> first_;
};

}  // namespace gdalmcp_raster
