#include <hydrology/strips.hpp>

#include <atomic>
#include <stdexcept>

#include "catch.hpp"

using namespace gdalmcp_hydrology;

TEST_CASE("every row belongs to one strip, whoever works on them") {
    for (const std::size_t threads : {0, 1, 2, 7})
        for (const std::size_t rows : {1, 3, 10, 512}) {
            std::vector<std::atomic<int>> seen(10);
            strips{{4, 10}, {threads, rows}}.each({}, [&](const strip& s) {
                CHECK(s.first == s.top * 4);
                CHECK(s.last == s.bottom * 4);
                for (auto r = s.top; r < s.bottom; ++r) ++seen[r];
            });
            for (const auto& n : seen) CHECK(n == 1);
        }
}

TEST_CASE("no strip is begun after the caller wants to stop, or after one failed") {
    for (const std::size_t threads : {0, 2}) {
        std::atomic<int> begun{0};
        const auto stop = [](double) { throw std::runtime_error{"stop"}; };
        const auto slow = [&](const strip&) {
            ++begun;
            std::this_thread::sleep_for(std::chrono::milliseconds{30});
        };
        CHECK_THROWS_WITH((strips{{1, 1000}, {threads, 1}}.each(stop, slow)), "stop");
        CHECK(begun < 100);

        const auto fails = [&](const strip& s) {
            if (s.number == 3) throw std::invalid_argument{"row 3"};
        };
        CHECK_THROWS_WITH((strips{{1, 1000}, {threads, 1}}.each({}, fails)), "row 3");
    }
}
