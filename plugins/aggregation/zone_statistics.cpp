#include "zone_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_aggregation {
namespace {

bool among(const std::vector<statistic>& wanted, std::initializer_list<statistic> some) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](statistic s) { return std::find(some.begin(), some.end(), s) != some.end(); });
}

compensated_sum total(compensated_sum a, const compensated_sum& b) {
    a.add(b);
    return a;
}

// (sum of weight x value^2 - 2 mean sum + mean^2 total) / total: exact enough that a large offset cancels.
double variance_of(const compensated_sum& squares, const compensated_sum& sum, const compensated_sum& total) {
    const double mean = sum.value() / total.value();
    auto about_mean = squares;
    about_mean.add_multiple(sum, -2 * mean);
    compensated_sum mean_total;
    mean_total.add_multiple(total, mean);
    about_mean.add_multiple(mean_total, mean);
    return std::max(0.0, about_mean.value() / total.value());
}

}  // namespace

std::string_view name_of(statistic s) { return statistic_names[static_cast<std::size_t>(s)]; }

std::optional<statistic> statistic_named(std::string_view name) {
    for (std::size_t i = 0; i < statistic_names.size(); ++i)
        if (statistic_names[i] == name) return static_cast<statistic>(i);
    return {};
}

bool needs_values(statistic s) {
    return s == statistic::median || s == statistic::majority || s == statistic::minority || s == statistic::variety ||
           s == statistic::frac || s == statistic::quantile;
}

bool needs_weights(statistic s) {
    return s == statistic::weighted_sum || s == statistic::weighted_mean || s == statistic::weighted_stdev;
}

bool needs_places(statistic s) { return s == statistic::min_location || s == statistic::max_location; }

bool is_number(statistic s) { return s != statistic::frac && s != statistic::quantile && !needs_places(s); }

zone_statistics::zone_statistics(const std::vector<statistic>& wanted)
    : keep_classes_{among(wanted, {statistic::frac})},
      keep_values_{among(wanted, {statistic::median, statistic::majority, statistic::minority, statistic::variety,
                                  statistic::quantile})},
      keep_squares_{among(wanted, {statistic::stdev, statistic::variance, statistic::coefficient_of_variation})},
      keep_weighted_squares_{among(wanted, {statistic::weighted_stdev})},
      runs_{keep_squares_},
      classes_{keep_classes_} {}

void zone_statistics::add(double value, double share, double cell_area) {
    if (!(share > 0)) return;
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
    ++cells_;
    count_.add(share);
    if (share == 1) {
        sum_.add(value);
        if (keep_squares_) squares_.add_product(value, value);
    } else {
        sum_.add_product(value, share);
        if (keep_squares_) squares_.add_product(value, share, value);
    }
    if (keep_classes_) {
        const bool placed = std::isfinite(cell_area);
        unplaced_ += !placed;
        classes_.add(value, share, placed ? share * cell_area : 0);
    }
    if (keep_values_) values_.add(value, share);
}

bool zone_statistics::add_run(const double* values, const double* shares, std::size_t n) {
    if (!runs_.add(values, shares, n)) return false;
    for (std::size_t i = 0; keep_values_ && i < n; ++i) values_.add(values[i], shares[i]);
    return true;
}

compensated_sum zone_statistics::counted() const { return total(count_, runs_.count()); }
compensated_sum zone_statistics::summed() const { return total(sum_, runs_.sum()); }
compensated_sum zone_statistics::squared() const { return total(squares_, runs_.squares()); }

void zone_statistics::add_weighted(double value, double share, double weight, double cell_area) {
    if (!(share > 0)) return;
    add(value, share, cell_area);
    if (weight < 0) {
        ++negative_weights_;
        least_weight_ = std::min(least_weight_, weight);
    }
    const double both = share * weight;
    weights_.add(both);
    weighted_sum_.add_product(value, both);
    if (keep_weighted_squares_) weighted_squares_.add_product(value, both, value);
}

// Whether another cell takes its place: it lies beyond, or is equal and comes first. Blocks come in any order.
bool zone_statistics::located::yields_to(bool beyond, double other, cell_place place) const {
    if (!at || beyond) return true;
    return other == value && (place.row < at->row || (place.row == at->row && place.column < at->column));
}

void zone_statistics::locate(double value, cell_place at) {
    if (lowest_.yields_to(value < lowest_.value, value, at)) lowest_ = {value, at};
    if (highest_.yields_to(value > highest_.value, value, at)) highest_ = {value, at};
}

// Of cells of one value, which lie side by side in the order of values, only the first and the last one matter: among
// them all, the place of each whole cell follows from their number.
std::optional<double> zone_statistics::quantile_of(double share) {
    if (cells() == 0) return {};
    sort();
    const auto steps = static_cast<double>(cells() - 1);
    const double wanted = share * steps * count();
    const double near = 1e-12 * steps * count();  // shares are rounded: 0.1 + 0.2 must reach half of 0.6
    double found = least(), below = found, reached = 0, before = 0, cells = 0;
    values_.each([&](const cell_value& v) {
        const bool uncut = v.cut == v.cut_end;
        const double least = uncut ? 1 : v.cut->second, most = v.whole > 0 ? 1 : std::prev(v.cut_end)->second;
        const double here = static_cast<double>(v.cells()), shares = v.share();
        const double first = cells * least + steps * before;
        const double last = (cells + here - 1) * most + steps * (before + shares - most);
        found = v.value;
        if (wanted <= last + near) {
            if (wanted < first - near) found = below + (v.value - below) * (wanted - reached) / (first - reached);
            return false;
        }
        below = v.value;
        reached = last;
        before += shares;
        cells += here;
        return true;
    });
    return found;
}

std::optional<double> zone_statistics::value_of(statistic s) {
    if (s == statistic::count) return count();
    if (s == statistic::variety) {
        sort();
        double different = 0;
        values_.each([&](const cell_value&) {
            ++different;
            return true;
        });
        return different;
    }
    if (cells() == 0) return {};
    const auto ratio = [](double a, double b) { return b != 0 ? std::optional{a / b} : std::nullopt; };
    switch (s) {
        case statistic::sum:
            return summed().value();
        case statistic::mean:
            return summed().value() / count();
        case statistic::min:
            return least();
        case statistic::max:
            return greatest();
        case statistic::stdev:
            return std::sqrt(variance_of(squared(), summed(), counted()));
        case statistic::variance:
            return variance_of(squared(), summed(), counted());
        case statistic::coefficient_of_variation:
            return ratio(std::sqrt(variance_of(squared(), summed(), counted())), summed().value() / count());
        case statistic::weighted_sum:
            return weighted_sum_.value();
        case statistic::weighted_mean:
            return ratio(weighted_sum_.value(), weights_.value());
        case statistic::weighted_stdev:
            if (!(weights_.value() > 0)) return {};
            return std::sqrt(variance_of(weighted_squares_, weighted_sum_, weights_));
        case statistic::median:
            return quantile_of(0.5);
        default:
            break;
    }
    sort();
    double found = 0, share = 0;
    values_.each([&](const cell_value& v) {
        const double here = v.share();
        if (share == 0 || (s == statistic::majority ? here > share : here < share)) {
            found = v.value;
            share = here;
        }
        return true;
    });
    return found;
}

}  // namespace gdalmcp_aggregation
