// Hides whether Catch2 is v2 (Debian 12) or v3 (newer systems) from the tests.
#pragma once
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& part) { return Contains(part); }
}  // namespace Catch::Matchers
#endif
