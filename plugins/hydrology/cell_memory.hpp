// cell_memory.hpp — the memory of grids. Fresh pages of the kernel cost more than most of what is computed in them:
// large ones are taken, and what one grid leaves serves the next.
#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
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

// Values of a grid, not initialised without a value given; plain ones, so that none is constructed or destroyed one by
// one. Their memory comes from idle_memory, else in pages of 2 MB where it fills some, which cost the kernel a tenth of
// the time of small ones.
template <class T>
class cell_array {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    cell_array() = default;
    explicit cell_array(std::size_t count) : cells_{allocate(count)}, count_{count} {}
    cell_array(std::size_t count, T value) : cell_array(count) { std::uninitialized_fill_n(cells_, count, value); }
    cell_array(const cell_array& other) : cell_array(other.count_) {
        std::uninitialized_copy_n(other.cells_, count_, cells_);
    }
    cell_array(cell_array&& other) noexcept
        : cells_{std::exchange(other.cells_, nullptr)}, count_{std::exchange(other.count_, 0)} {}
    cell_array& operator=(cell_array other) noexcept {
        std::swap(cells_, other.cells_);
        std::swap(count_, other.count_);
        return *this;
    }
    ~cell_array() {
        if (count_ * sizeof(T) < idle_memory::least)
            std::free(cells_);
        else
            idle_memory::of_process().keep(cells_, count_ * sizeof(T));
    }

    T* data() { return cells_; }
    const T* data() const { return cells_; }
    std::size_t size() const { return count_; }
    T& operator[](std::size_t i) { return cells_[i]; }
    const T& operator[](std::size_t i) const { return cells_[i]; }
    bool operator==(const cell_array& other) const {
        return count_ == other.count_ && std::equal(cells_, cells_ + count_, other.cells_);
    }

private:
    static T* allocate(std::size_t count) {
        if (count == 0) return nullptr;
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
    static T* fresh(std::size_t bytes) {
        void* memory = std::malloc(bytes);
        if (!memory && idle_memory::of_process().release()) memory = std::malloc(bytes);
        if (!memory) throw std::bad_alloc{};
        return static_cast<T*>(memory);
    }

    T* cells_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace gdalmcp_hydrology
