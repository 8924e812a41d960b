#include "basins.hpp"

namespace gdalmcp_hydrology {

namespace {

// In place of a number: not looked at yet, on the path that is being walked, and, below these, out of the strip by the
// exit that first_exit - label is.
constexpr std::int32_t unseen = -1, on_path = -2, first_exit = -3;

class basin_labels {
public:
    basin_labels(const grid<std::uint8_t>& directions, const team& by)
        : directions_{directions},
          strips_{directions.extent(), by},
          labels_{directions.extent(), unset{}},
          exits_(strips_.count()) {}

    grid<std::int32_t> of(const std::vector<std::size_t>& outlets, const progress& tick) {
        strips_.each({}, [&](const strip& s) {
            for (auto i = s.first; i < s.last; ++i) labels_[i] = directions_[i] == no_terrain ? 0 : unseen;
        });
        for (std::size_t k = 0; k < outlets.size(); ++k) labels_[outlets[k]] = static_cast<std::int32_t>(k + 1);
        strips_.each(tick, [&](const strip& s) { walk(s); });
        starts_.assign(strips_.count() + 1, 0);
        for (std::size_t k = 0; k < exits_.size(); ++k) starts_[k + 1] = starts_[k] + exits_[k].size();
        found_.assign(starts_.back(), unseen);
        for (std::size_t k = 0; k < exits_.size(); ++k)
            for (std::size_t e = 0; e < exits_[k].size(); ++e) follow(k, e);
        strips_.each({}, [&](const strip& s) {
            for (auto i = s.first; i < s.last; ++i)
                if (labels_[i] <= first_exit) labels_[i] = found_[place(s.number, labels_[i])];
        });
        return std::move(labels_);
    }

private:
    // Each path down to the first cell with a label or out of the strip, and back.
    void walk(const strip& s) {
        std::vector<std::size_t> path;
        for (auto i = s.first; i < s.last; ++i) {
            if (labels_[i] != unseen) continue;
            auto label = unseen;
            for (auto cell = i; label == unseen;) {
                path.push_back(cell);
                labels_[cell] = on_path;
                const auto below = receiver(directions_, cell);
                if (below == off_grid) {
                    label = 0;
                } else if (s.holds(below)) {
                    label = labels_[below];
                    if (label == on_path) throw flow_loop{below};
                } else {
                    label = first_exit - static_cast<std::int32_t>(exits_[s.number].size());
                    exits_[s.number].push_back(below);
                }
                cell = below;
            }
            for (const auto cell : path) labels_[cell] = label;
            path.clear();
        }
    }

    std::size_t place(std::size_t strip, std::int32_t label) const {
        return starts_[strip] + static_cast<std::size_t>(first_exit - label);
    }
    std::size_t strip_of(std::size_t cell) const { return strips_.of_row(directions_.extent().row(cell)); }

    // The number that a strip's exit leads to, from strip to strip.
    void follow(std::size_t strip, std::size_t exit) {
        std::vector<std::size_t> path;
        auto at = starts_[strip] + exit;
        auto cell = exits_[strip][exit];
        std::int32_t label = found_[at];
        while (label == unseen) {
            found_[at] = on_path;
            path.push_back(at);
            label = labels_[cell];
            if (label > first_exit) break;
            const auto other = strip_of(cell);
            at = place(other, label);
            cell = exits_[other][static_cast<std::size_t>(first_exit - label)];
            label = found_[at];
            if (label == on_path) throw flow_loop{cell};
        }
        for (const auto p : path) found_[p] = label;
    }

    const grid<std::uint8_t>& directions_;
    strips strips_;
    grid<std::int32_t> labels_;
    std::vector<std::vector<std::size_t>> exits_;  // by strip: the cells of others that its paths enter
    std::vector<std::size_t> starts_;              // of a strip's exits in `found_`
    std::vector<std::int32_t> found_;
};

// Paths were walked down to the outlets only: a loop may lead through some of them.
void refuse_loop_of(const std::vector<std::int32_t>& next, const std::vector<std::size_t>& outlets) {
    enum state : std::uint8_t { unknown, followed, ends };
    std::vector<state> known(next.size(), unknown);
    for (std::size_t k = 0; k < next.size(); ++k) {
        const auto follow = [&](state as) {
            auto at = static_cast<std::int32_t>(k + 1);
            for (; at > 0 && known[static_cast<std::size_t>(at - 1)] < as; at = next[static_cast<std::size_t>(at - 1)])
                known[static_cast<std::size_t>(at - 1)] = as;
            return at;
        };
        const auto last = follow(followed);
        if (last > 0 && known[static_cast<std::size_t>(last - 1)] == followed)
            throw flow_loop{outlets[static_cast<std::size_t>(last - 1)]};
        follow(ends);
    }
}

}  // namespace

std::vector<std::size_t> flow_ends(const grid<std::uint8_t>& directions, const team& by) {
    const strips parts{directions.extent(), by};
    std::vector<std::vector<std::size_t>> found(parts.count());
    parts.each({}, [&](const strip& s) {
        for (auto i = s.first; i < s.last; ++i)
            if (directions[i] != no_terrain && receiver(directions, i) == off_grid) found[s.number].push_back(i);
    });
    std::vector<std::size_t> ends;
    for (const auto& part : found) ends.insert(ends.end(), part.begin(), part.end());
    return ends;
}

grid<std::int32_t> label_basins(const grid<std::uint8_t>& directions, const std::vector<std::size_t>& outlets,
                                const progress& tick, const team& by) {
    auto labels = basin_labels{directions, by}.of(outlets, tick);
    refuse_loop_of(next_basins(directions, labels, outlets), outlets);
    return labels;
}

std::vector<std::int32_t> next_basins(const grid<std::uint8_t>& directions, const grid<std::int32_t>& labels,
                                      const std::vector<std::size_t>& outlets) {
    std::vector<std::int32_t> next;
    for (const auto outlet : outlets) {
        const auto below = receiver(directions, outlet);
        next.push_back(below == off_grid ? 0 : labels[below]);
    }
    return next;
}

}  // namespace gdalmcp_hydrology
