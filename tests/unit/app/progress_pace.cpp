#include "app/server/progress_pace.hpp"

#include "catch.hpp"

using namespace std::chrono_literals;
using gdalmcp::app::progress_pace;

TEST_CASE("progress pace: twenty times at once, then ten times a second, and never more than twenty saved up") {
    const progress_pace::clock::time_point start{};
    progress_pace pace{start};
    const auto allowed = [&](auto when, int asked) {
        int n = 0;
        for (int i = 0; i < asked; ++i) n += pace.allows(start + when);
        return n;
    };
    CHECK(allowed(0s, 1000) == 20);
    CHECK(allowed(50ms, 10) == 0);
    CHECK(allowed(1s, 1000) == 10);
    CHECK(allowed(1h, 1000) == 20);
}
