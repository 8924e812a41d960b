// Statistics of groups, on values a reader adds up by eye.
#include "vector/ogr_aggregates.hpp"

#include "layers.hpp"

using namespace gdalmcp_vector;

namespace {

struct held_rows {
    memory_layer m{{{1, nullptr, "b", 3}, {2, nullptr, nullptr, 1}, {3, nullptr, "a", 8}, {4, nullptr, "b", 3}}};
    std::vector<OGRFeatureUniquePtr> rows;
    held_rows() {
        m.layer->ResetReading();
        while (auto* f = m.layer->GetNextFeature()) rows.emplace_back(f);
    }
    OGRFeatureUniquePtr of(std::vector<wanted_aggregate> wanted, const std::vector<std::size_t>& group) {
        return aggregates{*m.layer, std::move(wanted)}.of(rows, group);
    }
};

}  // namespace

TEST_CASE("sums of integers are integers, means are not, and names say which is which") {
    held_rows h;
    const aggregates a{
        *h.m.layer,
        {{"size", aggregate::sum, "sum"}, {"size", aggregate::mean, "mean"}, {"name", aggregate::min, "min"}}};
    CHECK(a.definition().GetFieldDefn(0)->GetNameRef() == std::string{"size_sum"});
    CHECK(a.definition().GetFieldDefn(0)->GetType() == OFTInteger64);
    CHECK(a.definition().GetFieldDefn(1)->GetType() == OFTReal);
    CHECK(a.definition().GetFieldDefn(2)->GetType() == OFTString);
    const auto row = a.of(h.rows, {0, 1, 2, 3});
    CHECK(row->GetFieldAsInteger64(0) == 15);
    CHECK(row->GetFieldAsDouble(1) == 3.75);
    CHECK(row->GetFieldAsString(2) == std::string{"a"});
}

TEST_CASE("nulls are left out, and a statistic of nothing is null but for counts") {
    held_rows h;
    const auto row = h.of({{"name", aggregate::count, "count"},
                           {"name", aggregate::first, "first"},
                           {"name", aggregate::distinct, "distinct"}},
                          {1, 3});
    CHECK(row->GetFieldAsInteger64(0) == 1);
    CHECK(row->GetFieldAsString(1) == std::string{"b"});
    const auto none = h.of(
        {{"name", aggregate::count, "count"}, {"name", aggregate::first, "first"}, {"name", aggregate::max, "max"}},
        {1});
    CHECK(none->GetFieldAsInteger64(0) == 0);
    CHECK(none->IsFieldNull(1));
    CHECK(none->IsFieldNull(2));
    CHECK(h.of({{"size", aggregate::median, "median"}}, {0, 1, 2})->GetFieldAsDouble(0) == 3);
    CHECK(h.of({{"size", aggregate::median, "median"}}, {0, 2})->GetFieldAsDouble(0) == 5.5);
    CHECK(h.of({{"size", aggregate::stdev, "stdev"}}, {0, 3})->GetFieldAsDouble(0) == 0);
}

TEST_CASE("texts have no mean, and unknown fields no statistic") {
    held_rows h;
    CHECK_THROWS_AS((aggregates{*h.m.layer, {{"name", aggregate::mean, "mean"}}}), gdalmcp::error);
    CHECK_THROWS_AS((aggregates{*h.m.layer, {{"nix", aggregate::count, "count"}}}), gdalmcp::error);
}

TEST_CASE("a null group is none of text, and values cannot run into each other") {
    const memory_layer m{{{1, nullptr, nullptr, 1}, {2, nullptr, "", 1}, {3, nullptr, "-", 1}, {4, nullptr, "1:1", 1}}};
    std::vector<std::string> keys;
    for (int i = 1; i <= 4; ++i) {
        const OGRFeatureUniquePtr f{m.layer->GetFeature(i)};
        for (const auto& k : keys) CHECK(k != group_key(*f, {0, 1}));
        keys.push_back(group_key(*f, {0, 1}));
    }
    const OGRFeatureUniquePtr again{m.layer->GetFeature(3)};
    CHECK(group_key(*again, {0, 1}) == keys[2]);
}
