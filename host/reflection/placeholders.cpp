#include "reflection/placeholders.hpp"

#include <algorithm>
#include <iterator>

namespace gdalmcp::reflection {

base::result<std::vector<std::string>> placeholders_of(std::string_view text) {
    constexpr std::string_view percent = "percent:";
    constexpr std::string_view forms[] = {"/", "key:", "argument:/", "answer:/"};
    std::vector<std::string> names;
    for (;;) {
        const auto open = text.find('{');
        if (open == std::string_view::npos) return names;
        text.remove_prefix(open + 1);
        const auto close = text.find_first_of("{}");
        if (close == std::string_view::npos || text[close] == '{')
            return base::fail(
                base::code::invalid_argument,
                "the brace of '{" + std::string{text.substr(0, text.find_first_of(" {"))} + "' is not closed",
                "write {key:method}; a message cannot hold braces of its own");
        auto rest = text.substr(0, close);
        text.remove_prefix(close + 1);
        do {
            const auto bar = std::min(rest.find('|'), rest.size());
            auto name = rest.substr(0, bar);
            rest.remove_prefix(std::min(bar + 1, rest.size()));
            if (name.starts_with("text:")) continue;
            if (name.starts_with(percent)) name.remove_prefix(percent.size());
            if (std::none_of(std::begin(forms), std::end(forms), [&](auto form) { return name.starts_with(form); }))
                return base::fail(
                    base::code::invalid_argument,
                    "'{" + std::string{name} + "}' does not say where the value comes from",
                    "write a fact as {/input/kind}, or {key:method}, {argument:/stats}, {answer:/facts/use}");
            names.emplace_back(name);
        } while (!rest.empty());
    }
}

}  // namespace gdalmcp::reflection
