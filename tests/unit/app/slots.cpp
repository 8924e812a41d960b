#include "app/serving/slots.hpp"

#include <future>

#include "catch.hpp"

using namespace gdalmcp;
using app::slots;

namespace {
const int me = 0, another = 0;  // parties

// A piece of work that says when it began and ends when told.
struct gate {
    std::promise<void> begun, may_end;
    std::future<void> has_begun = begun.get_future();
    std::shared_future<void> ended = may_end.get_future().share();
    auto work() {
        return [this] {
            begun.set_value();
            ended.wait();
        };
    }
};
}  // namespace

TEST_CASE("one slot is kept for reading: a second writer waits, a reader does not") {
    gate first, second;
    std::promise<void> read;
    slots s{2};
    REQUIRE(s.submit(&me, false, first.work()));
    first.has_begun.wait();
    REQUIRE(s.submit(&me, false, second.work()));
    REQUIRE(s.submit(&me, true, [&] { read.set_value(); }));
    read.get_future().wait();  // ran beside the first writer, past the second
    CHECK(second.has_begun.wait_for(std::chrono::seconds{0}) == std::future_status::timeout);
    first.may_end.set_value();
    second.has_begun.wait();
    second.may_end.set_value();
}

TEST_CASE("work of one kind starts in the order it came") {
    gate blocker;
    std::promise<void> done;
    std::vector<int> order;
    slots s{2};
    REQUIRE(s.submit(&me, false, blocker.work()));
    blocker.has_begun.wait();
    for (int i = 0; i < 3; ++i)
        REQUIRE(s.submit(&me, false, [&, i] {
            order.push_back(i);
            if (i == 2) done.set_value();
        }));
    blocker.may_end.set_value();
    done.get_future().wait();
    CHECK(order == std::vector<int>{0, 1, 2});
}

TEST_CASE("who asks for little does not wait behind who asks for much") {
    gate blocker;
    std::promise<void> done;
    std::vector<int> order;
    slots s{2};
    REQUIRE(s.submit(&me, false, blocker.work()));  // the only slot for writers
    blocker.has_begun.wait();
    for (int i = 0; i < 4; ++i) REQUIRE(s.submit(&me, false, [&, i] { order.push_back(i); }));
    REQUIRE(s.submit(&another, false, [&] { order.push_back(10); }));
    REQUIRE(s.submit(&another, false, [&] { order.push_back(11); }));
    REQUIRE(s.submit(&me, false, [&] { done.set_value(); }));
    blocker.may_end.set_value();
    done.get_future().wait();
    CHECK(order == std::vector<int>{10, 0, 11, 1, 2, 3});
}

TEST_CASE("a full queue is said, not waited for, and is nobody else's") {
    gate a, b;
    slots s{2, 1};
    REQUIRE(s.submit(&me, true, a.work()));
    a.has_begun.wait();
    REQUIRE(s.submit(&me, true, b.work()));
    b.has_begun.wait();
    REQUIRE(s.submit(&me, true, [] {}));
    const auto refused = s.submit(&me, true, [] {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == base::code::busy);
    CHECK(s.submit(&another, true, [] {}));
    CHECK(s.waiting() == 2);
    a.may_end.set_value();
    b.may_end.set_value();
}
