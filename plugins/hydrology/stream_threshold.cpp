#include <algorithm>

#include "accumulation.hpp"
#include "d8.hpp"
#include "evidence_dem.hpp"
#include "evidence_tools.hpp"
#include "fill.hpp"
#include "stream_network.hpp"

namespace gdalmcp_hydrology::stream_threshold {
namespace {

namespace evidence = gdalmcp::evidence;

const gdalmcp::arg<std::optional<std::vector<double>>> thresholds{
    .name = "thresholds_km2",
    .about =
        "Minimum contributing areas of a channel cell; a single one is also halved and doubled. "
        "Default: half, once and twice the suggested one.",
    .unit = "km2",
    .max = 1e8,
    .above = 0.0,
    .min_items = 1,
    .max_items = 20,
    .or_single = true};

const auto threshold =
    gdalmcp::field<double>{"threshold_km2", "Minimum contributing area of a channel cell", "km2"}.as_given();
const gdalmcp::field<std::int64_t> links{"links", "Stretches of channel between sources, junctions and outlets"};
const gdalmcp::field<double> length{"length_m", "Length of all channels", "m"};
const auto density =
    gdalmcp::field<double>{"drainage_density", "Length of channels per area of terrain", "km/km2"}.measured();
const gdalmcp::field<std::int64_t> highest_order{"highest_order",
                                                 "Highest Strahler order; 0 where there is no channel"};
const gdalmcp::field<std::int64_t> first_order_streams{"first_order_streams", "Strahler streams of order 1"};
const gdalmcp::field<std::int64_t> higher_order_streams{"higher_order_streams", "Strahler streams of higher orders"};
const auto t_field =
    gdalmcp::field<double>{"drop_t",
                           "Student's t of the mean drop of first-order streams against higher orders; absent with "
                           "fewer than two streams on either side"}
        .optional();
const gdalmcp::field<bool> constant_drop{"constant_drop", "Whether |drop_t| < 2: the drop is constant"};
const gdalmcp::table networks{"networks",
                              "The channel network of each threshold, in ascending order",
                              {threshold, links, length, density, highest_order, first_order_streams,
                               higher_order_streams, t_field, constant_drop}};
const auto suggested =
    gdalmcp::field<double>{"suggested_km2",
                           "Smallest of the tried thresholds (1, 2, 5 times powers of ten, from 20 cells on) whose "
                           "drop is constant; absent where none is",
                           "km2"}
        .optional();
const gdalmcp::field<std::vector<double>> tried_field{"tried_km2", "The thresholds tried for it", "km2"};
const gdalmcp::field<double> largest_area{"largest_area_km2", "Largest contributing area of any cell", "km2"};

constexpr double least_cells = 10, km2 = 1e6;  // the least threshold; half of the least tried

// 1, 2 and 5 times the powers of ten from `least` to `most`.
std::vector<double> round_numbers(double least, double most) {
    std::vector<double> all;
    for (double power = std::pow(10, std::floor(std::log10(least))); power <= most; power *= 10)
        for (const double times : {1.0, 2.0, 5.0})
            if (times * power >= least && times * power <= most) all.push_back(times * power);
    return all;
}

// Everything that does not depend on the threshold.
class drainage {
public:
    drainage(gdalmcp::call& call, const evidence_dem& dem) : surface_{dem.heights}, land_area_{dem.land_area()} {
        fill(surface_, dem.land, dem.sizes, {}, call.part(0.1, 0.5, "filling"));
        d8_report report;
        const auto directions = d8(surface_, dem.land, dem.sizes, report, call.part(0.5, 0.8, "directions"));
        grid<double> own{surface_.extent()};
        double smallest = 0;
        for (std::size_t i = 0; i < own.size(); ++i) {
            own[i] = dem.sizes.area(own.extent().row(i));
            smallest = smallest == 0 ? own[i] : std::min(smallest, own[i]);
        }
        const auto flow = accumulate(directions, own, call.part(0.8, 0.9, "accumulating"));
        least_ = least_cells * smallest;
        largest_ = flow.maximum;
        cells_ = channel_cells(flow.values, least_, whole_team());
        for (const auto cell : cells_) areas_.push_back(flow.values[cell]);
        channels_.emplace(directions, surface_, dem.sizes, cells_);
    }

    double largest() const { return largest_; }  // m²
    double least() const { return least_; }      // m²; the tree holds no smaller channels
    double land_area() const { return land_area_; }

    // threshold: m², at least least().
    stream_network network(double from) const {
        const auto first = std::lower_bound(areas_.begin(), areas_.end(), from);
        return channels_->network(static_cast<std::size_t>(first - areas_.begin()));
    }

private:
    grid<double> surface_;
    double land_area_, least_ = 0, largest_ = 0;
    std::vector<std::size_t> cells_;  // ascending by contributing area
    std::vector<double> areas_;       // theirs, m²
    std::optional<channel_tree> channels_;
};

bool is_constant(const std::optional<drop_test>& test) { return test && std::abs(test->t) < constant_drop_limit; }

struct row {
    double threshold = 0;  // m²
    stream_network network;
    std::optional<drop_test> test;
};

row measure(const drainage& water, double from) {
    row r{from, water.network(from), {}};
    r.test = test_constant_drop(r.network.streams);
    return r;
}

void put_row(gdalmcp::call& call, const row& r, double land_area) {
    auto at = call.add(networks);
    std::int64_t first = 0;
    for (const auto& s : r.network.streams) first += s.order == 1;
    at.put(threshold, r.threshold / km2);
    at.put(links, static_cast<std::int64_t>(r.network.links));
    at.put(length, evidence::figure(r.network.length));
    at.put(density, evidence::figure(r.network.length / 1000 / (land_area / km2)));
    at.put(highest_order, static_cast<std::int64_t>(r.network.highest_order));
    at.put(first_order_streams, first);
    at.put(higher_order_streams, static_cast<std::int64_t>(r.network.streams.size()) - first);
    if (r.test) at.put(t_field, evidence::figure(r.test->t));
    at.put(constant_drop, is_constant(r.test));
}

// In m², ascending.
std::vector<double> asked(gdalmcp::call& call, const drainage& water, const std::optional<double>& smallest) {
    std::vector<double> all;
    if (const auto given = call[thresholds])
        for (const double t : *given) all.push_back(t * km2);
    else if (smallest)
        all.push_back(*smallest);
    else
        all.push_back(std::max(2 * water.least(), water.largest() / 10));
    if (all.size() == 1) all = {all[0] / 2, all[0], all[0] * 2};
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.front() < water.least())
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "a threshold of " + evidence::text(all.front() / km2) +
                                 " km2 is requested, less than 10 cells (" + evidence::text(water.least() / km2) +
                                 " km2)",
                             "give at least " + evidence::text(2 * water.least() / km2) + " km2"};
    return all;
}

std::string network_clause(const row& r, double land_area) {
    return "at " + evidence::text(r.threshold / km2) + " km2 " + std::to_string(r.network.links) + " links, " +
           evidence::text(r.network.length / 1000 / (land_area / km2)) + " km/km2, order " +
           std::to_string(r.network.highest_order) + (r.test ? ", t = " + evidence::text(r.test->t) : "");
}

void run(gdalmcp::call& call) {
    const auto dem = read_evidence_dem(call);
    const drainage water{call, dem};
    const auto tried = round_numbers(2 * water.least() / km2, water.largest() / km2);
    std::optional<double> smallest;
    for (std::size_t i = 0; i < tried.size() && !smallest; ++i)
        if (is_constant(measure(water, tried[i] * km2).test)) smallest = tried[i] * km2;
    if (smallest) call.put(suggested, evidence::figure(*smallest / km2));
    call.put(tried_field, tried);
    call.put(largest_area, evidence::figure(water.largest() / km2));

    // A smaller one of the networks below may have it as well.
    const auto range = "of those tried from " + evidence::text(2 * water.least() / km2) + " km2 on, ";
    std::vector<std::string> clauses{
        range + (smallest ? evidence::text(*smallest / km2) + " km2 is the first of constant drop (|t| < 2)"
                          : std::string{"none has a constant drop (|t| < 2)"})};
    call.begin(networks);
    const auto given = call[thresholds];
    for (const double from : asked(call, water, smallest)) {
        const auto r = measure(water, from);
        put_row(call, r, water.land_area());
        // Where a summary is cut, the network asked about stays, not that of another threshold.
        const bool itself = given && given->size() == 1 && from == given->front() * km2;
        clauses.insert(itself ? clauses.begin() : clauses.end(), network_clause(r, water.land_area()));
    }
    clauses.insert(clauses.begin(), dem.part);
    evidence::conclude(call, clauses,
                       "Constant-drop test (Tarboton, Bras & Rodriguez-Iturbe 1991) on Strahler streams of D8 flow "
                       "over the filled DEM");
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "stream_threshold",
     .title = "Where channels begin",
     .about =
         "Channel network of a DEM for thresholds of contributing area: links, length, drainage density, Strahler "
         "order, and Tarboton's constant-drop test, which suggests the smallest threshold whose first-order streams "
         "drop as much as the others. Fills and directs the flow (D8) itself; nothing is written. Above 4 million "
         "cells "
         "the middle 2048 x 2048 are measured, and areas are those within it.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {dem_uri, band, dem_holes, thresholds},
    {evidence::summary, evidence::source, evidence::approximate, evidence::read, height_unit_used, holes_used,
     suggested, tried_field, largest_area, networks}};

}  // namespace gdalmcp_hydrology::stream_threshold
