#include "base/text_pattern.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <re2/re2.h>
#pragma GCC diagnostic pop

namespace gdalmcp::base {
namespace {

re2::StringPiece piece(std::string_view s) { return {s.data(), s.size()}; }

std::unique_ptr<re2::RE2> compile(std::string_view pattern) {
    return std::make_unique<re2::RE2>(piece(pattern), re2::RE2::Quiet);
}

}  // namespace

bool is_pattern(std::string_view pattern) { return compile(pattern)->ok(); }

text_patterns::text_patterns() = default;
text_patterns::~text_patterns() = default;

bool text_patterns::matches(const std::string& pattern, std::string_view text) {
    auto& found = compiled_[pattern];
    if (!found) found = compile(pattern);
    return re2::RE2::PartialMatch(piece(text), *found);
}

}  // namespace gdalmcp::base
