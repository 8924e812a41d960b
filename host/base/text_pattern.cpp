#include "base/text_pattern.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <re2/re2.h>
#pragma GCC diagnostic pop

namespace gdalmcp::base {
namespace {

re2::StringPiece piece(std::string_view s) { return {s.data(), s.size()}; }

// Compiling costs more than most matches, and schemas share few patterns: each is compiled once, for the check of the
// schema as for those of values.
std::shared_ptr<const re2::RE2> compiled(std::string_view pattern) {
    constexpr std::size_t most = 1000;  // of all the bundles that ever were
    static std::mutex guard;
    static std::map<std::string, std::shared_ptr<const re2::RE2>, std::less<>> known;
    const std::lock_guard lock{guard};
    if (const auto found = known.find(pattern); found != known.end()) return found->second;
    auto fresh = std::make_shared<const re2::RE2>(piece(pattern), re2::RE2::Quiet);
    if (known.size() >= most) known.clear();
    known.emplace(pattern, fresh);
    return fresh;
}

}  // namespace

bool is_pattern(std::string_view pattern) { return compiled(pattern)->ok(); }

bool matches(std::string_view pattern, std::string_view text) {
    return re2::RE2::PartialMatch(piece(text), *compiled(pattern));
}

}  // namespace gdalmcp::base
