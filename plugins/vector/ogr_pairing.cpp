#include "ogr_pairing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "matches.hpp"
#include "ogr_nearest.hpp"
#include "ogr_reading.hpp"
#include "ogr_shapes.hpp"
#include "ogr_surface.hpp"
#include "overlap.hpp"

namespace gdalmcp_vector {

namespace {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

class by_key : public pairing {
public:
    by_key(key_fields k, const held_layer& join) : keys_{std::move(k)} {
        for (std::size_t i = 0; i < join.size(); ++i)
            if (const auto key = keys_.of_second(*join.features[i])) items_[*key].push_back(i);
    }
    void pair(row& r, std::size_t) override {
        const auto key = keys_.of_first(*r.feature);
        const auto at = key ? items_.find(*key) : items_.end();
        if (at == items_.end()) return;
        for (const auto i : at->second) r.partners.push_back({i});
    }
    std::string said() const override {
        return std::string{"equal keys, "} + (keys_.numbers_only() ? "as numbers" : "letter for letter") +
               "; nulls and empty texts never match";
    }
    const key_fields* keys() const override { return &keys_; }

private:
    key_fields keys_;
    std::unordered_map<std::string, std::vector<std::size_t>> items_;
};

// A target's geometry as a valid shape; nullptr: it has none.
geos::shape valid_shape(row& r) {
    const auto* own = r.feature->GetGeometryRef();
    r.bare = !own || own->IsEmpty();
    if (r.bare) return nullptr;
    auto shape = to_shape(r.elsewhere ? *r.elsewhere : *own);
    r.invalid = !geos::invalid_reason(*shape).empty();
    if (r.invalid) shape = valid_form(*shape);
    return shape;
}

class by_relation : public pairing {
public:
    by_relation(const held_layer& join, predicate p, std::string name, std::size_t workers)
        : matcher_{join.all_shapes(), p, workers}, name_{std::move(name)} {}
    void pair(row& r, std::size_t worker) override {
        const auto shape = valid_shape(r);
        if (!shape) return;
        for (const auto i : matcher_.of(*shape, worker)) r.partners.push_back({i});
    }
    std::string said() const override { return "target " + name_ + " join feature"; }

private:
    matcher matcher_;
    std::string name_;
};

class by_distance : public pairing {
public:
    by_distance(const held_layer& join, const OGRSpatialReference& crs, std::size_t k, double most, std::size_t workers)
        : touching_{join.all_shapes(), predicate::intersects, workers}, k_{k}, most_{most} {
        for (std::size_t i = 0; i < workers; ++i) tracers_.push_back(std::make_unique<tracer>(crs));
        std::vector<traced> all;
        for (std::size_t i = 0; i < join.size(); ++i) {
            try {
                all.push_back(join.shapes[i] ? tracers_.front()->trace(*join.shapes[i]) : traced{});
            } catch (const unusable& e) {
                throw error{GDALMCP_INVALID_ARGUMENT,
                            "feature " + std::to_string(join.features[i]->GetFID()) +
                                " of the join layer cannot be used: " + e.why,
                            "correct it, or leave it out with vector_query"};
            }
        }
        index_.emplace(tracers_.front()->shape_of_earth(), all);
    }
    void pair(row& r, std::size_t worker) override {
        const auto shape = valid_shape(r);
        if (!shape) return;
        const auto found = index_->nearest(tracers_[worker]->trace(*shape), k_, most_, touching_.of(*shape, worker));
        for (const auto& n : found.nearest) r.partners.push_back({n.item, {n.distance}});
        r.tied = found.tied;
    }
    std::vector<added_field> fields() const override { return {{"distance_m"}}; }
    std::string said() const override {
        return std::to_string(k_) + " nearest by geodesics on the ellipsoid" +
               (std::isfinite(most_) ? ", within " + gdal::number_text(most_) + " m" : std::string{}) +
               "; distance_m in metres, 0 where they touch; edges within 2 cm";
    }
    std::size_t index_bytes() const override { return index_->size_bytes(); }

private:
    matcher touching_;
    std::vector<std::unique_ptr<tracer>> tracers_;
    std::optional<nearest_index> index_;
    std::size_t k_;
    double most_;
};

class by_overlap : public pairing {
public:
    by_overlap(const held_layer& join, const OGRSpatialReference& crs, std::size_t workers)
        : shapes_{join.all_shapes()}, touching_{shapes_, predicate::intersects, workers} {
        for (std::size_t i = 0; i < join.size(); ++i)
            if (shapes_[i] && geos::dimension(*shapes_[i]) != 2) refuse("join", join.features[i]->GetFID());
        for (std::size_t i = 0; i < workers; ++i) surfaces_.push_back(std::make_unique<surface>(crs));
    }
    void pair(row& r, std::size_t worker) override {
        const auto shape = valid_shape(r);
        if (!shape) return;
        if (geos::dimension(*shape) != 2) refuse("target", r.feature->GetFID());
        auto& earth = *surfaces_[worker];
        const auto best = find_largest_overlap(*shape, touching_.of(*shape, worker), shapes_,
                                               [&](const GEOSGeometry& g) { return earth.area(g); });
        if (best.items.empty()) return;
        r.partners.push_back({best.items.front(), {best.area, std::min(1.0, best.area / earth.area(*shape))}});
        r.tied = best.items.size() - 1;
    }
    std::vector<added_field> fields() const override { return {{"overlap_m2"}, {"overlap_share"}}; }
    std::string said() const override {
        return "the join feature with the largest common area, on the ellipsoid; overlap_m2 in m², overlap_share of "
               "the "
               "target's area, 0 to 1";
    }

private:
    [[noreturn]] static void refuse(const char* which, GIntBig fid) {
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "largest_overlap compares areas, and feature " + std::to_string(fid) + " of the " + which +
                        " layer is no polygon",
                    "use predicate intersects, within or nearest"};
    }
    std::vector<const GEOSGeometry*> shapes_;
    matcher touching_;
    std::vector<std::unique_ptr<surface>> surfaces_;
};

}  // namespace

std::unique_ptr<pairing> pair_by_key(key_fields keys, const held_layer& join) {
    return std::make_unique<by_key>(std::move(keys), join);
}

std::unique_ptr<pairing> pair_by_relation(const held_layer& join, predicate p, std::string name, std::size_t workers) {
    return std::make_unique<by_relation>(join, p, std::move(name), workers);
}

std::unique_ptr<pairing> pair_by_distance(const held_layer& join, const OGRSpatialReference& crs, std::size_t k,
                                          double most, std::size_t workers) {
    return std::make_unique<by_distance>(join, crs, k, most, workers);
}

std::unique_ptr<pairing> pair_by_overlap(const held_layer& join, const OGRSpatialReference& crs, std::size_t workers) {
    return std::make_unique<by_overlap>(join, crs, workers);
}

}  // namespace gdalmcp_vector
