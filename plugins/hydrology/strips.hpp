// strips.hpp — a grid cut into strips of whole rows, which threads work on side by side. How it is cut depends on the
// grid alone, so no result depends on the number of threads.
//
//     strips{directions.extent(), team}.each(tick, [&](const strip& s) { … rows s.top to s.bottom … });
#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "grid.hpp"

namespace gdalmcp_hydrology {

// Who works on a grid.
struct team {
    std::size_t threads = 0;  // besides the caller's; 0: none
    std::size_t rows = 512;   // of a strip
};

// The last row and the last cell excluded.
struct strip {
    std::size_t number, top, bottom, first, last;

    bool holds(std::size_t cell) const { return cell >= first && cell < last; }
};

class strips {
public:
    strips(const shape& extent, const team& by) : extent_{extent}, by_{by} {}

    std::size_t count() const { return (extent_.height + by_.rows - 1) / by_.rows; }
    std::size_t of_row(std::size_t row) const { return row / by_.rows; }
    strip at(std::size_t number) const {
        const auto top = number * by_.rows, bottom = std::min(top + by_.rows, extent_.height);
        return {number, top, bottom, top * extent_.width, bottom * extent_.width};
    }

    // work(strip), for all strips at once; in their order without threads, or where none can
    // be started. tick: in the caller's thread, ten times a
    // second with threads. Where it or a strip throws, no further strip is begun.
    template <class Work>
    void each(const progress& tick, Work&& work) const {
        shift now;
        {
            std::vector<std::jthread> threads;
            try {
                for (std::size_t i = 0; i < by_.threads && i < count() && count() > 1; ++i)
                    threads.emplace_back([&] { work_off(now, work); });
            } catch (const std::system_error&) {
                // There is no memory for more of them.
            }
            if (threads.empty()) return one_by_one(tick, work);
            watch(now, tick);
        }
        if (now.failed) std::rethrow_exception(now.failed);
    }

private:
    struct shift {
        std::mutex guard;
        std::condition_variable changed;
        std::size_t begun = 0, done = 0;
        std::exception_ptr failed;
    };

    template <class Work>
    void one_by_one(const progress& tick, Work& work) const {
        for (std::size_t k = 0; k < count(); ++k) {
            if (tick) tick(static_cast<double>(k) / static_cast<double>(count()));
            work(at(k));
        }
    }
    template <class Work>
    void work_off(shift& now, Work& work) const {
        std::unique_lock held{now.guard};
        while (!now.failed && now.begun < count()) {
            const auto part = at(now.begun++);
            held.unlock();
            std::exception_ptr failure;
            try {
                work(part);
            } catch (...) {
                failure = std::current_exception();
            }
            held.lock();
            ++now.done;
            if (failure && !now.failed) now.failed = failure;
            now.changed.notify_one();
        }
    }
    void watch(shift& now, const progress& tick) const {
        std::unique_lock held{now.guard};
        while (now.done < (now.failed ? now.begun : count())) {
            now.changed.wait_for(held, std::chrono::milliseconds{100});
            if (!tick || now.failed) continue;
            const auto share = static_cast<double>(now.done) / static_cast<double>(count());
            held.unlock();
            std::exception_ptr failure;
            try {
                tick(share);
            } catch (...) {
                failure = std::current_exception();
            }
            held.lock();
            if (failure && !now.failed) now.failed = failure;
        }
    }

    shape extent_;
    team by_;
};

// The same grid, copied by all threads.
template <class T>
grid<T> copy_of(const grid<T>& from, const team& by) {
    grid<T> copy{from.extent(), unset{}};
    strips{from.extent(), by}.each(
        {}, [&](const strip& s) { std::copy(from.row(0) + s.first, from.row(0) + s.last, copy.row(0) + s.first); });
    return copy;
}

// While it lives, has the kernel provide the memory of a grid ahead of the one thread that writes it: fresh pages cost
// more than what is written into them. A hint: nothing happens without threads or before Linux 5.14. The grid must
// outlive it.
class memory_ahead {
public:
    memory_ahead(const team& by, std::span<std::byte> memory) {
        try {
            for (std::size_t i = 0; i < by.threads; ++i)
                threads_.emplace_back([this, memory](const std::stop_token& stop) { provide(memory, stop); });
        } catch (const std::system_error&) {
            // There is no memory for more of them.
        }
    }
    memory_ahead(const memory_ahead&) = delete;
    memory_ahead& operator=(const memory_ahead&) = delete;

private:
    void provide(std::span<std::byte> memory, const std::stop_token& stop) {
        constexpr std::size_t page = 4096, at_once = std::size_t{4} << 20;
        const auto first = (page - reinterpret_cast<std::uintptr_t>(memory.data()) % page) % page;
        while (!stop.stop_requested()) {
            const auto from = first + at_once * next_.fetch_add(1, std::memory_order_relaxed);
            if (from + at_once > memory.size()) return;
            if (::madvise(memory.data() + from, at_once, MADV_POPULATE_WRITE) != 0) return;
        }
    }

    std::atomic<std::size_t> next_{0};
    std::vector<std::jthread> threads_;  // end before the counter does
};

// While it lives, provides memory for a grid that a later phase needs, and leaves it to the next grid of that size: the
// phases before have cores to spare. Without threads, or memory, it does nothing.
class memory_to_come {
public:
    memory_to_come(const team& by, std::size_t bytes) {
        if (by.threads == 0) return;
        try {
            memory_ = cell_array<std::byte>(bytes);
        } catch (const std::bad_alloc&) {
            return;
        }
        ahead_.emplace(team{1}, std::span{memory_.data(), memory_.size()});
    }

private:
    cell_array<std::byte> memory_;
    std::optional<memory_ahead> ahead_;  // ends before the memory goes
};

// The part of a progress from one fraction to another.
inline progress part_of(const progress& tick, double from, double to) {
    if (!tick) return {};
    return [&tick, from, to](double done) { tick(from + (to - from) * done); };
}

}  // namespace gdalmcp_hydrology
