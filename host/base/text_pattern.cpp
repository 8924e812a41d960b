#include "base/text_pattern.hpp"

#include <memory>
#include <string>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <re2/re2.h>
#pragma GCC diagnostic pop

#include "base/bounded_cache.hpp"

namespace gdalmcp::base {
namespace {

re2::StringPiece piece(std::string_view s) { return {s.data(), s.size()}; }

// Compiling costs more than most matches, and schemas use few patterns: each is compiled once, for checking both the
// schema and the values.
std::shared_ptr<const re2::RE2> compiled(std::string_view pattern) {
    static bounded_cache<std::string, std::shared_ptr<const re2::RE2>> known{1000};
    if (auto found = known.find(pattern)) return *found;
    auto fresh = std::make_shared<const re2::RE2>(piece(pattern), re2::RE2::Quiet);
    known.keep(std::string{pattern}, fresh);
    return fresh;
}

}  // namespace

bool is_pattern(std::string_view pattern) { return compiled(pattern)->ok(); }

bool matches(std::string_view pattern, std::string_view text) {
    return re2::RE2::PartialMatch(piece(text), *compiled(pattern));
}

}  // namespace gdalmcp::base
