#include "runner/cancellation.hpp"

#include <sys/eventfd.h>

#include <cstdint>

namespace gdalmcp::runner {

cancellation::cancellation() : event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {}

void cancellation::raise_to(level l) {
    auto before = level_.load();
    while (before < l && !level_.compare_exchange_weak(before, l)) {}
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto n = ::write(event_.get(), &one, sizeof one);
}

void cancellation::stop() { raise_to(level::stop); }
void cancellation::kill() { raise_to(level::kill); }

void cancellation::clear_event() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto n = ::read(event_.get(), &count, sizeof count);
}

}  // namespace gdalmcp::runner
