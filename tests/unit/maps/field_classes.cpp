#include <maps/field_classes.hpp>

#include <cmath>

#include "catch.hpp"

using namespace gdalmcp_maps;

namespace {

std::vector<std::string> labels(const classification& c) {
    std::vector<std::string> all;
    for (const auto& one : c.classes) all.push_back(one.label);
    return all;
}

std::vector<std::int64_t> counts(const classification& c) {
    std::vector<std::int64_t> all;
    for (const auto& one : c.classes) all.push_back(one.count);
    return all;
}

using indexes = std::vector<std::int32_t>;
using words = std::vector<std::string>;
using numbers = std::vector<std::int64_t>;
const double none = std::nan("");

}  // namespace

TEST_CASE("up to five different numbers are classes of their own") {
    const auto c = classes_of_numbers({3, 1, none, 3, 2});
    CHECK(labels(c) == words{"1", "2", "3"});
    CHECK(c.class_of == indexes{2, 0, -1, 2, 1});
    CHECK(counts(c) == numbers{1, 1, 2});
}

TEST_CASE("ten different numbers are five classes of two") {
    const auto c = classes_of_numbers({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
    CHECK(labels(c) == words{"1 to 2", "3 to 4", "5 to 6", "7 to 8", "9 to 10"});
    CHECK(counts(c) == numbers{2, 2, 2, 2, 2});
    CHECK(c.class_of == indexes{4, 4, 3, 3, 2, 2, 1, 1, 0, 0});
}

TEST_CASE("values that repeat make fewer classes, and none is empty") {
    const auto c = classes_of_numbers({0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5});
    CHECK(counts(c) == numbers{7, 2, 3});
    CHECK(labels(c) == words{"0", "1 to 2", "3 to 5"});
}

TEST_CASE("around zero classes are as wide on both sides, blue below and red above") {
    const auto c = classes_of_numbers({-3, -2, -1, 1, 2, 3, 0.5});
    CHECK(labels(c) == words{"-3 to -2", "-2 to -1", "-1 to 0", "0 to 1", "1 to 2", "2 to 3"});
    CHECK(counts(c) == numbers{1, 1, 1, 1, 1, 2});
    CHECK(c.classes.front().shown[2] > c.classes.front().shown[0]);
    CHECK(c.classes.back().shown[0] > c.classes.back().shown[2]);
}

TEST_CASE("classes are by the method and of the number that are wished") {
    const std::vector<double> v{0, 1, 2, 3, 4, 5, 6, 7, 8, 100};
    const auto equal = classes_of_numbers(v, {class_method::equal_interval, 4, {}});
    CHECK(labels(equal) == words{"0 to 24", "25 to 49", "50 to 74", "75 to 100"});
    CHECK(counts(equal) == numbers{9, 0, 0, 1});
    const auto natural = classes_of_numbers(v, {class_method::natural_breaks, 2, {}});
    CHECK(labels(natural) == words{"0 to 8", "100"});
    CHECK(counts(natural) == numbers{9, 1});
    CHECK(counts(classes_of_numbers(v, {class_method::quantile, 2, {}})) == numbers{5, 5});
}

TEST_CASE("to both sides of a midpoint classes are as wide, and those beyond the values are left out") {
    const auto c = classes_of_numbers({40, 45, 49, 52, 55}, {class_method::automatic, 4, 50});
    CHECK(labels(c) == words{"40 to 44", "45 to 49", "50 to 54", "55"});
    CHECK(counts(c) == numbers{1, 2, 1, 1});
    CHECK(c.classes[1].shown[2] > c.classes[1].shown[0]);
    CHECK(c.classes[2].shown[0] > c.classes[2].shown[2]);
    const auto above = classes_of_numbers({60, 70, 80}, {class_method::automatic, 4, 50});
    CHECK(labels(above) == words{"60 to 64", "65 to 80"});
    CHECK(above.classes[0].shown[0] > above.classes[0].shown[2]);
}

TEST_CASE("to both sides of a midpoint classes are by the method") {
    const auto c = classes_of_numbers({1, 2, 3, 4, 60, 70, 80, 900}, {class_method::quantile, 4, 50});
    CHECK(labels(c) == words{"1 to 2", "3 to 49", "50 to 79", "80 to 900"});
    CHECK(counts(c) == numbers{2, 2, 2, 2});
}

TEST_CASE("classes by standard deviation name it, and keep their colours") {
    // Mean 3, deviation 2.
    const auto c = classes_of_numbers({1, 1, 5, 5}, {class_method::standard_deviation, {}, {}});
    CHECK(labels(c) == words{"1 (-1.5 to -0.5 sd)", "2 to 3 (-0.5 to 0.5 sd)", "4 to 5 (0.5 to 1.5 sd)"});
    CHECK(counts(c) == numbers{2, 0, 2});
    CHECK(c.method == "standard deviations (sd 2) from the mean 3");
    CHECK(classes_of_numbers({7, 7}, {class_method::standard_deviation, {}, {}}).classes.size() == 1);
}

TEST_CASE("two fields make nine classes, the first growing fastest") {
    const auto both =
        classes_of_two({1, 2, 3, 1, 2, 3, none}, {10, 10, 20, 20, 30, 30, 30}, class_method::quantile, {"a", "b"});
    REQUIRE(both);
    CHECK(both->nine.class_of == indexes{0, 1, 5, 3, 7, 8, -1});
    CHECK(both->nine.classes[5].label == "a 3, b 20");
    CHECK(both->edges[0] == words{"1", "2", "3", "3"});
    CHECK_FALSE(classes_of_two({1, 1, 2}, {1, 2, 3}, class_method::quantile, {"a", "b"}));
}

TEST_CASE("two fields are classed over the features that have both") {
    const auto both =
        classes_of_two({0, 1, 2, none, none, none}, {10, 11, 12, 0, 0, 1}, class_method::quantile, {"a", "b"});
    REQUIRE(both);
    CHECK(both->nine.class_of == indexes{0, 4, 8, -1, -1, -1});
}

TEST_CASE("classes of whole numbers share no value, and natural breaks end at their largest member") {
    CHECK(labels(classes_of_numbers({2000, 2001, 2002, 2003, 2004, 2005}, {class_method::quantile, 2, {}})) ==
          words{"2000 to 2002", "2003 to 2005"});
    CHECK(labels(classes_of_numbers({0, 0, 0, 60, 70, 80}, {class_method::quantile, 2, {}})) == words{"0", "60 to 80"});
    CHECK(labels(classes_of_numbers({1.5, 2, 2.5, 90, 95.5}, {class_method::natural_breaks, 2, {}})) ==
          words{"1.5 to 2.5", "90 to 95.5"});
}

TEST_CASE("fewer different values than classes are counted") {
    CHECK(classes_of_numbers({1, 2, 3}, {class_method::quantile, 9, {}}).method ==
          "3 classes of about equal counts (quantiles), of 9 asked for: there are 3 different values");
}

TEST_CASE("a midpoint beyond the values is named") {
    CHECK(classes_of_numbers({1, 2, 3}, {class_method::automatic, {}, 100}).method ==
          "one class to both sides of 100, which is above all values");
}

TEST_CASE("labels have the digits that tell the breaks apart") {
    const auto c = classes_of_numbers({1000.1, 1000.9}, {class_method::equal_interval, 2, {}});
    CHECK(labels(c) == words{"1000.1 to 1000.5", "1000.5 to 1000.9"});
}

TEST_CASE("labels of large numbers are plain, with more digits where those before the point are the same") {
    const auto wide = classes_of_numbers({702712.75, 1306992.25, 134523456.5}, {class_method::equal_interval, 2, {}});
    CHECK(labels(wide) == words{"702713 to 67613085", "67613085 to 134523456"});
    const auto narrow = classes_of_numbers({1000000.1, 1000000.9}, {class_method::equal_interval, 2, {}});
    CHECK(labels(narrow) == words{"1000000.1 to 1000000.5", "1000000.5 to 1000000.9"});
}

TEST_CASE("no numbers make no classes") {
    const auto c = classes_of_numbers({none, none});
    CHECK(c.classes.empty());
    CHECK(c.class_of == indexes{-1, -1});
}

TEST_CASE("texts are categories in their order, nulls have none") {
    const auto c = classes_of_texts({"b", std::nullopt, "a", "b", ""});
    CHECK(labels(c) == words{"(empty)", "a", "b"});
    CHECK(c.class_of == indexes{2, -1, 1, 2, 0});
    CHECK(counts(c) == numbers{1, 1, 2});
    CHECK(c.classes[0].shown != c.classes[1].shown);
}

TEST_CASE("beyond the nine commonest, texts are others") {
    std::vector<std::optional<std::string>> texts;
    for (char letter = 'a'; letter <= 'k'; ++letter) texts.emplace_back(std::string(1, letter));
    texts.emplace_back("k");
    const auto c = classes_of_texts(texts);
    REQUIRE(c.classes.size() == 10);
    CHECK(c.classes[0].label == "k");
    CHECK(c.classes[9].label == "2 others");
    CHECK(c.classes[9].count == 2);
}

TEST_CASE("numbers have the digits that matter") {
    CHECK(short_number(1200000) == "1200000");
    CHECK(short_number(-0.0) == "0");
    CHECK(short_number(1234.5678) == "1235");
    CHECK(short_number(0.000123456) == "0.0001235");
    CHECK(short_number(15009.6) == "15010");
    CHECK(short_number(-99999.5001) == "-100000");
    CHECK(short_number(123456789012345.6) == "123456789012346");
    CHECK(short_number(1.5e15) == "1.5e+15");
}

TEST_CASE("quantiles that fall on one value make fewer classes, and say so") {
    std::vector<double> mostly_zero(35, 0.0);
    for (int i = 1; i <= 10; ++i) mostly_zero.push_back(i);
    mostly_zero.resize(43);
    const auto c = classes_of_numbers(mostly_zero);
    CHECK(c.method ==
          "2 classes of about equal counts (quantiles), of 5 asked for: many rows have the same value; natural_breaks "
          "tells the others apart");
    CHECK(counts(c) == numbers{35, 8});
}

TEST_CASE("values equal to a quantile go to the class that leaves the counts more equal") {
    CHECK(counts(classes_of_numbers({0, 1, 1, 1, 2, 3}, {class_method::quantile, 2, {}})) == numbers{4, 2});
    CHECK(counts(classes_of_numbers({0, 0, 1, 1, 1, 2}, {class_method::quantile, 2, {}})) == numbers{2, 4});
    CHECK(counts(classes_of_numbers({1.5, 1.5, 1.5, 2.5, 3.5}, {class_method::quantile, 2, {}})) == numbers{3, 2});
}
