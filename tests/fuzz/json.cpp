// Canonical JSON is a fixed point: what parse_json reads, canonical_json writes, and that reads and writes as itself.
#include <cstdint>
#include <cstdlib>

#include "base/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace gdalmcp::base;
    const auto first = parse_json({reinterpret_cast<const char*>(bytes), size});
    if (!first) return 0;
    const auto once = canonical_json(*first);
    const auto second = parse_json(once);
    if (!second || canonical_json(*second) != once) std::abort();
    return 0;
}
