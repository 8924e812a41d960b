// Regular expressions of schemas.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace gdalmcp::base {

// The syntax of RE2: that of ECMAScript but for back references and looking around. A match takes time in proportion to
// the text and no stack, whatever the pattern: patterns come from bundles, texts from agents.
bool is_pattern(std::string_view pattern);

// Compiled patterns, each once. Not thread-safe.
class text_patterns {
public:
    text_patterns();
    ~text_patterns();
    bool matches(const std::string& pattern, std::string_view text);  // anywhere in it. REQUIRES: is_pattern(pattern)

private:
    std::map<std::string, std::unique_ptr<re2::RE2>> compiled_;
};

}  // namespace gdalmcp::base
