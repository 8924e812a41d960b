#include <hydrology/strips.hpp>

#include <pthread.h>

#include <atomic>
#include <stdexcept>

#include "catch.hpp"

using namespace gdalmcp_hydrology;

namespace {

// While it lives, no thread can be started: there is no room for a stack of 128 TiB.
class no_more_threads {
public:
    no_more_threads() {
        ::pthread_getattr_default_np(&before_);
        pthread_attr_t huge;
        ::pthread_attr_init(&huge);
        ::pthread_attr_setstacksize(&huge, std::size_t{1} << 47);
        ::pthread_setattr_default_np(&huge);
        ::pthread_attr_destroy(&huge);
    }
    ~no_more_threads() { ::pthread_setattr_default_np(&before_); }
    no_more_threads(const no_more_threads&) = delete;
    no_more_threads& operator=(const no_more_threads&) = delete;

private:
    pthread_attr_t before_;
};

}  // namespace

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

TEST_CASE("where no thread can be started, the caller works on the strips in their order") {
    const no_more_threads held;
    CHECK_THROWS_AS(std::thread{[] {}}, std::system_error);
    std::vector<std::size_t> seen;
    std::vector<double> told;
    const strips four{{1, 4}, {2, 1}};
    four.each([&](double share) { told.push_back(share); }, [&](const strip& s) { seen.push_back(s.number); });
    CHECK(seen == std::vector<std::size_t>{0, 1, 2, 3});
    CHECK(told == std::vector<double>{0, 0.25, 0.5, 0.75});
}

TEST_CASE("memory provided ahead keeps what is written into it meanwhile") {
    grid<std::uint32_t> cells{shape{3000, 2000}, unset{}};
    {
        const memory_ahead ahead{{.threads = 2}, cells.memory()};
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = 0; i < cells.size(); ++i) REQUIRE(cells[i] == i);
    CHECK(copy_of(cells, {.threads = 2, .rows = 7}) == cells);
}

TEST_CASE("what a grid leaves serves another of its size, until it is given back") {
    auto& idle = idle_memory::of_process();
    idle.release();
    const shape size{3000, 1000};
    const void* place = nullptr;
    {
        const grid<float> first{size, 1};
        place = first.row(0);
    }
    {
        const grid<std::uint8_t> smaller{size, 0};  // a quarter of it
        CHECK(static_cast<const void*>(smaller.row(0)) != place);
        const grid<std::int32_t> second{size, 7};
        CHECK(static_cast<const void*>(second.row(0)) == place);
        CHECK(second[size.size() - 1] == 7);
    }
    CHECK(idle.release());
    CHECK_FALSE(idle.release());
}
