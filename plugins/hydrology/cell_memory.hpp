// cell_memory.hpp — the memory of grids. Fresh pages of the kernel cost more than most of what is computed in them:
// large ones are taken, and what one grid leaves serves the next.
#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace gdalmcp_hydrology {

// Memory of grids that are gone, kept for others of about their size. Thread-safe.
class idle_memory {
public:
    static constexpr std::size_t least = std::size_t{4} << 20;  // smaller memory is not kept

    static idle_memory& of_process() {
        static idle_memory all;
        return all;
    }
    ~idle_memory() { release(); }

    // The smallest that has `bytes`, and hardly more; else nullptr.
    void* take(std::size_t bytes) {
        const std::lock_guard held{guard_};
        auto best = kept_.end();
        for (auto it = kept_.begin(); it != kept_.end(); ++it)
            if (it->bytes >= bytes && it->bytes - bytes <= bytes / 8 &&
                (best == kept_.end() || it->bytes < best->bytes))
                best = it;
        if (best == kept_.end()) return nullptr;
        void* const memory = best->memory;
        kept_.erase(best);
        return memory;
    }
    void keep(void* memory, std::size_t bytes) {
        const std::lock_guard held{guard_};
        try {
            kept_.push_back({memory, bytes});
        } catch (const std::bad_alloc&) {
            std::free(memory);
        }
    }
    // Gives all of it back. False where there was none.
    bool release() {
        const std::lock_guard held{guard_};
        for (const auto& b : kept_) std::free(b.memory);
        const bool any = !kept_.empty();
        kept_.clear();
        return any;
    }

private:
    struct block {
        void* memory;
        std::size_t bytes;
    };
    std::mutex guard_;
    std::vector<block> kept_;
};

// Allocates for std::vector: from idle_memory, else in pages of 2 MB where it fills some, which cost the kernel a tenth
// of the time of small ones. Elements without a value given are not initialised.
template <class T>
struct cell_memory {
    using value_type = T;
    cell_memory() = default;
    template <class U>
    cell_memory(const cell_memory<U>&) {}

    T* allocate(std::size_t count) {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc{};
        const auto bytes = count * sizeof(T);
        if (bytes < idle_memory::least) return fresh(bytes);
        if (void* const kept = idle_memory::of_process().take(bytes)) return static_cast<T*>(kept);
        T* const memory = fresh(bytes);
        constexpr std::size_t page = 4096;
        const auto ahead = (page - reinterpret_cast<std::uintptr_t>(memory) % page) % page;
        ::madvise(reinterpret_cast<std::byte*>(memory) + ahead, (bytes - ahead) / page * page,
                  MADV_HUGEPAGE);  // a hint
        return memory;
    }
    void deallocate(T* memory, std::size_t count) {
        if (count * sizeof(T) < idle_memory::least)
            std::free(memory);
        else
            idle_memory::of_process().keep(memory, count * sizeof(T));
    }

    template <class U>
    void construct(U* cell) {
        ::new (static_cast<void*>(cell)) U;
    }
    template <class U, class... Value>
    void construct(U* cell, Value&&... value) {
        ::new (static_cast<void*>(cell)) U(std::forward<Value>(value)...);
    }

    bool operator==(const cell_memory&) const { return true; }

private:
    static T* fresh(std::size_t bytes) {
        void* memory = std::malloc(bytes);
        if (!memory && idle_memory::of_process().release()) memory = std::malloc(bytes);
        if (!memory) throw std::bad_alloc{};
        return static_cast<T*>(memory);
    }
};

}  // namespace gdalmcp_hydrology
