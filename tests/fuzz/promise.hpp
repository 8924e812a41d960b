// What the targets share: a promise that is broken ends the run, and a refusal says something.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/problem.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace fuzz {

inline void must(bool kept) {
    if (!kept) std::abort();
}

// Whether there is a value; a problem must have words.
template <class T>
bool answered(const gdalmcp::base::result<T>& r) {
    if (!r) must(!r.error().message.empty() && !r.error().code.empty());
    return r.has_value();
}

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace fuzz
