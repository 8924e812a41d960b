#include "app/server/slots.hpp"

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

// Two slots at work until it goes, and room for one that waits.
struct full_slots {
    gate a, b;
    slots s{2, 1};
    full_slots() {
        for (auto* g : {&a, &b}) {
            REQUIRE(s.submit({&me, true, g->work()}));
            g->has_begun.wait();
        }
    }
    ~full_slots() { free(); }
    void free() {
        if (std::exchange(free_, true)) return;
        a.may_end.set_value();
        b.may_end.set_value();
    }

private:
    bool free_ = false;
};
}  // namespace

TEST_CASE("one slot is reserved for reading: a second writer waits, a reader does not") {
    gate first, second;
    std::promise<void> read;
    slots s{2};
    REQUIRE(s.submit({&me, false, first.work()}));
    first.has_begun.wait();
    REQUIRE(s.submit({&me, false, second.work()}));
    REQUIRE(s.submit({&me, true, [&] { read.set_value(); }}));
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
    REQUIRE(s.submit({&me, false, blocker.work()}));
    blocker.has_begun.wait();
    for (int i = 0; i < 3; ++i)
        REQUIRE(s.submit({&me, false, [&, i] {
                              order.push_back(i);
                              if (i == 2) done.set_value();
                          }}));
    blocker.may_end.set_value();
    done.get_future().wait();
    CHECK(order == std::vector<int>{0, 1, 2});
}

TEST_CASE("however much one party runs, another's call starts at once, reading or writing") {
    full_slots f;
    for (const bool reads : {true, false}) {
        gate theirs;
        REQUIRE(f.s.submit({&another, reads, theirs.work()}));
        theirs.has_begun.wait();
        theirs.may_end.set_value();
        while (!f.s.forget(&another)) std::this_thread::yield();
    }
}

TEST_CASE("a party with few calls does not wait behind one with many") {
    gate mine, theirs, shared;
    std::promise<void> done;
    std::vector<int> order;
    slots s{2};
    REQUIRE(s.submit({&me, true, mine.work()}));
    REQUIRE(s.submit({&another, true, theirs.work()}));
    mine.has_begun.wait();
    theirs.has_begun.wait();
    REQUIRE(s.submit({&me, true, shared.work()}));  // the one slot that is nobody's own
    shared.has_begun.wait();
    for (int i = 0; i < 3; ++i) REQUIRE(s.submit({&me, true, [&, i] { order.push_back(i); }}));
    REQUIRE(s.submit({&another, true, [&] { order.push_back(10); }}));
    REQUIRE(s.submit({&me, true, [&] { done.set_value(); }}));
    shared.may_end.set_value();
    done.get_future().wait();
    CHECK(order == std::vector<int>{10, 0, 1, 2});
    mine.may_end.set_value();
    theirs.may_end.set_value();
}

TEST_CASE("a full queue is reported at once and does not affect other parties") {
    full_slots f;
    REQUIRE(f.s.submit({&me, true, [] {}}));
    const auto refused = f.s.submit({&me, true, [] {}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == base::code::busy);
    std::promise<void> ran;
    CHECK(f.s.submit({&another, true, [&] { ran.set_value(); }}));
    ran.get_future().wait();
    CHECK(f.s.waiting() == 1);
}

TEST_CASE("a cancelled job in the queue ends at once, on the calling thread, and frees its place") {
    full_slots f;
    const auto cancel = std::make_shared<runner::cancellation>();
    std::thread::id ended_on;
    REQUIRE(f.s.submit({&me, true, [&] { ended_on = std::this_thread::get_id(); }, cancel}));
    f.s.end_cancelled();
    CHECK(f.s.waiting() == 1);
    cancel->stop();
    f.s.end_cancelled();
    CHECK(ended_on == std::this_thread::get_id());
    CHECK(f.s.waiting() == 0);
    CHECK(f.s.submit({&me, true, [] {}}));
}

TEST_CASE("a job over the limit is accepted although the queue is full") {
    std::promise<void> ran;
    full_slots f;
    REQUIRE(f.s.submit({&me, true, [] {}}));
    CHECK_FALSE(f.s.submit({&me, true, [] {}}));
    CHECK(f.s.submit({&me, true, [&] { ran.set_value(); }, nullptr, true}));
    f.free();
    ran.get_future().wait();
}

TEST_CASE("a party is forgotten when none of its jobs waits or runs") {
    gate a;
    slots s{2};
    CHECK(s.forget(&me));
    REQUIRE(s.submit({&me, true, a.work()}));
    a.has_begun.wait();
    CHECK_FALSE(s.forget(&me));
    CHECK(s.forget(&another));
    a.may_end.set_value();
    while (!s.forget(&me)) std::this_thread::yield();
}
