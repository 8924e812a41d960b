// Features in the order of their attributes, the first of them kept.
//
//   ranking best{feature_order{layer, {"pop desc"}}, 10};
//   best.add(feature, geometry);  // of each
//   for (auto& one : best.ranked()) …
#pragma once
#include <ogrsf_frmts.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "number_texts.hpp"

namespace gdalmcp_vector {

// Numbers by size, dates by time, texts by their code points; nulls last in either direction.
class feature_order {
public:
    using value = std::variant<std::monostate, std::int64_t, double, std::string>;
    using key = std::vector<value>;

    // `by`: "field", "field asc" or "field desc", the first one deciding first; a field may stand in double quotes.
    // Throws naming the layer's fields.
    feature_order(OGRLayer&, const std::vector<std::string>& by);

    key of(const OGRFeature&) const;
    bool before(const key& a, const key& b) const;
    // "pop desc, name"
    std::string said() const;
    // "pop 12, name 'Oslo'"
    std::string said(const OGRFeature&) const;
    // The first text field of these keys whose values are numbers in the order of text; "": none.
    std::string misordered() const;
    void see(const key&);

private:
    struct column {
        int field;
        bool descending;
        std::string name;
        number_texts texts{};  // seen
    };
    std::vector<column> columns_;
};

class ranking {
public:
    struct item {
        feature_order::key key;
        GIntBig turn;  // among equals the one added first is first
        OGRFeatureUniquePtr feature;
        std::unique_ptr<OGRGeometry> geometry;
    };

    // Holds at most `most` features in memory.
    ranking(feature_order order, GIntBig most) : order_{std::move(order)}, most_{most} {}
    void add(const OGRFeature&, std::unique_ptr<OGRGeometry>);
    // In order. To be called once, after the last add().
    std::vector<item> ranked();
    // Features left out whose values equal those of the last one kept.
    GIntBig tied() const { return tied_; }
    const feature_order& order() const { return order_; }

private:
    bool before(const item& a, const item& b) const;
    feature_order order_;
    GIntBig most_, turn_ = 0, tied_ = 0;
    std::vector<item> kept_;  // a heap, the last in order on top, once it is full
};

}  // namespace gdalmcp_vector
