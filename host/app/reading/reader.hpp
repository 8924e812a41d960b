// What is read of a host besides its calls, with what is kept between two readings.
#pragma once
#include "app/calls/host.hpp"
#include "app/reading/catalogue.hpp"

namespace gdalmcp::app {

// Thread-safe. `of` outlives it.
struct reader {
    explicit reader(host& of)
        : h{of},
          known{[&of](auto&&... a) { return of.answer(std::forward<decltype(a)>(a)...); }},
          datasets{of.workspaces(), [&of](auto&&... a) { return of.answer(std::forward<decltype(a)>(a)...); }, known,
                   [&of](const std::string& spelling, const runner::cancellation& cancel) {
                       return of.identify_crs(spelling, cancel).map([](const auto& crs) { return crs.normal; });
                   }} {}

    host& h;
    registries known;
    catalogue datasets;
};

}  // namespace gdalmcp::app
