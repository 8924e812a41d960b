// Overlays of literal squares, and the proofs and measures around them.
#include <cmath>

#include "shapes.hpp"
#include "vector/overlay.hpp"

using namespace gdalmcp_vector;

namespace {

constexpr auto nobody = overlay_piece::nobody;

// Two squares of 2 × 2 on one line, 0-2 and 1-3 in x, and a third far away in each layer.
struct pair_of_layers {
    geos::shape a0 = shape("POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))"),
                a1 = shape("POLYGON ((10 0, 11 0, 11 1, 10 1, 10 0))");
    geos::shape b0 = shape("POLYGON ((1 0, 3 0, 3 2, 1 2, 1 0))"),
                b1 = shape("POLYGON ((20 0, 21 0, 21 1, 20 1, 20 0))");
    std::vector<const GEOSGeometry*> a{a0.get(), nullptr, a1.get()}, b{b0.get(), b1.get()};
};

struct areas {
    double common = 0, rest_a = 0, rest_b = 0;
    std::size_t kept = 0;
};

areas cut(overlay_operation o, const std::vector<const GEOSGeometry*>& a, const std::vector<const GEOSGeometry*>& b) {
    overlay all{a, b, o};
    areas sum;
    for (std::size_t i = 0; i < a.size(); ++i)
        for (const auto& p : all.of_first(i)) {
            (p.b == nobody ? sum.rest_a : sum.common) += geos::area(*p.shape);
            sum.kept += p.kept;
            CHECK(p.a == i);
        }
    for (std::size_t j = 0; j < b.size(); ++j)
        if (const auto rest = all.rest_of_second(j)) {
            sum.rest_b += geos::area(*rest);
            ++sum.kept;
        }
    return sum;
}

}  // namespace

TEST_CASE("each operation keeps its parts of two squares that share half") {
    const pair_of_layers l;
    const auto intersection = cut(overlay_operation::intersection, l.a, l.b);
    CHECK(intersection.common == 2);
    CHECK(intersection.rest_a == 0);
    CHECK(intersection.kept == 1);
    const auto both = cut(overlay_operation::union_of_both, l.a, l.b);
    CHECK(both.common == 2);
    CHECK(both.rest_a == 3);  // 2 of the square, 1 of the one far away
    CHECK(both.rest_b == 3);
    CHECK(both.kept == 5);
    const auto identity = cut(overlay_operation::identity, l.a, l.b);
    CHECK(identity.kept == 3);
    CHECK(identity.rest_b == 0);
    const auto difference = cut(overlay_operation::difference, l.a, l.b);
    CHECK(difference.kept == 2);
    CHECK(difference.rest_a == 3);
    CHECK(difference.common == 2);  // known for the balance
    const auto either = cut(overlay_operation::symmetric_difference, l.a, l.b);
    CHECK(either.kept == 4);
    CHECK(either.rest_a + either.rest_b == 6);
}

TEST_CASE("touching is no common part, and a square within another leaves a ring") {
    const auto big = shape("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))"), small = shape("POLYGON ((1 1, 2 1, 2 2, 1 2, 1 1))"),
               beside = shape("POLYGON ((4 0, 5 0, 5 4, 4 4, 4 0))");
    const auto inside = cut(overlay_operation::identity, {big.get()}, {small.get(), beside.get()});
    CHECK(inside.common == 1);
    CHECK(inside.rest_a == 15);
    CHECK(inside.kept == 2);
    const auto covered = cut(overlay_operation::identity, {small.get()}, {big.get()});
    CHECK(covered.common == 1);
    CHECK(covered.kept == 1);
}

// A shape of b with many vertices is asked by other means than one of few.
TEST_CASE("a ring of 2000 vertices cuts squares as it does by GEOS alone") {
    std::string outer, inner;
    for (int i = 0; i <= 1000; ++i) {
        const double turn = 2 * 3.14159265358979323846 * (i % 1000) / 1000;
        const auto at = [&](double radius) {
            return (i ? ", " : "") + std::to_string(radius * std::cos(turn)) + " " +
                   std::to_string(radius * std::sin(turn));
        };
        outer += at(8.3);
        inner += at(3.1);
    }
    const auto ring = shape(("POLYGON ((" + outer + "), (" + inner + "))").c_str());
    std::vector<geos::shape> squares;
    std::vector<const GEOSGeometry*> a;
    for (int x = -10; x < 10; ++x)
        for (int y = -10; y < 10; ++y) {
            const auto corner = [&](int dx, int dy) { return std::to_string(x + dx) + " " + std::to_string(y + dy); };
            squares.push_back(shape(("POLYGON ((" + corner(0, 0) + ", " + corner(1, 0) + ", " + corner(1, 1) + ", " +
                                     corner(0, 1) + ", " + corner(0, 0) + "))")
                                        .c_str()));
            a.push_back(squares.back().get());
        }
    overlay all{a, {ring.get()}, overlay_operation::identity};
    int whole = 0, cut = 0, away = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const geos::shape common{GEOSIntersection_r(geos::handle(), a[i], ring.get())};
        double inside = 0, outside = 0;
        for (const auto& p : all.of_first(i)) (p.b == nobody ? outside : inside) += geos::area(*p.shape);
        CHECK(inside == Approx(geos::area(*common)).margin(1e-12));
        CHECK(inside + outside == Approx(1));
        ++(inside == 1 ? whole : inside == 0 ? away : cut);
    }
    CHECK(whole == 144);
    CHECK(cut == 96);
    CHECK(away == 160);
}

TEST_CASE("lines and points are cut by polygons") {
    const auto square = shape("POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))");
    const auto line = shape("LINESTRING (-1 1, 5 1)"), edge = shape("POINT (2 1)"), away = shape("POINT (9 9)");
    overlay lines{{line.get()}, {square.get()}, overlay_operation::identity};
    const auto pieces = lines.of_first(0);
    REQUIRE(pieces.size() == 2);
    CHECK(geos::length(*pieces[0].shape) == 2);
    CHECK(geos::length(*pieces[1].shape) == 4);
    overlay points{{edge.get(), away.get()}, {square.get()}, overlay_operation::difference};
    CHECK_FALSE(points.of_first(0).back().kept);  // in common, so not in the result
    CHECK(points.of_first(1).back().kept);
}

TEST_CASE("squares side by side are proven disjoint, overlapping ones are not and are named") {
    const auto left = shape("POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))"),
               right = shape("POLYGON ((2 0, 4 0, 4 2, 2 2, 2 0))"),
               across = shape("POLYGON ((1 0, 3 0, 3 2, 1 2, 1 0))"),
               halves = shape("POLYGON ((2 0, 3 0, 3 1, 2 1, 2 0))");
    CHECK(proven_disjoint({left.get(), nullptr, right.get()}));
    CHECK_FALSE(proven_disjoint({left.get(), across.get()}));
    CHECK_FALSE(proven_disjoint({left.get(), left.get()}));
    const auto planar = [](const GEOSGeometry& g, std::size_t) { return geos::area(g); };
    // An edge that only one of the two has split is not proven, and found disjoint all the same.
    CHECK(find_overlaps({left.get(), halves.get()}, 1, planar).count == 0);
    CHECK(find_overlaps({left.get(), right.get()}, 1, planar).count == 0);
    const auto found = find_overlaps({left.get(), right.get(), across.get()}, 2, planar);
    CHECK(found.count == 2);
    CHECK(found.area == 4);
    CHECK(found.first == std::vector<std::pair<std::size_t, std::size_t>>{{0, 2}, {1, 2}});
    CHECK(find_overlaps({left.get(), left.get()}, 1, planar).count == 1);
    // An edge that rounding has moved is no overlap; one moved by a thousandth is.
    const auto rounded =
                   shape("POLYGON ((1.9999999999999996 0, 4 0, 4 2, 1.9999999999999996 2, 1.9999999999999996 0))"),
               moved = shape("POLYGON ((1.999 0, 4 0, 4 2, 1.999 2, 1.999 0))");
    CHECK(find_overlaps({left.get(), rounded.get()}, 1, planar).count == 0);
    CHECK(find_overlaps({left.get(), moved.get()}, 1, planar).count == 1);
    const auto whole = disjoint_union({left.get(), right.get()});
    REQUIRE(whole);
    CHECK(geos::area(*whole) == 8);
}

TEST_CASE("compactness tells a strip from a square") {
    CHECK(outline_of(*shape("POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"), 1).compactness() == Approx(3.14159265 / 4));
    const auto strip = outline_of(*shape("POLYGON ((0 0, 400 0, 400 1, 0 1, 0 0))"), 1);
    CHECK(strip.compactness() < 0.01);
    CHECK(strip.width() == Approx(1).epsilon(0.003));
    CHECK(outline_of(*shape("POLYGON ((0 0, 2 0, 2 1, 0 1, 0 0))"), 0.5).compactness() == Approx(3.14159265 / 4));
    CHECK(outline_of(*shape("LINESTRING (0 0, 1 1)"), 1).compactness() == 0);
}
