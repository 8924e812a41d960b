// The URI of a resource in its parts: scheme://path?name=value&…
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::app {

struct resource_uri {
    std::string given;
    std::string scheme;
    std::string path;                                       // the part between :// and ?, each % escape decoded once
    std::map<std::string, std::string, std::less<>> query;  // decoded; a name without a value counts as absent

    // Errors: a broken % escape, a query member that is not among `known` (ignoring a typing error would return the
    // wrong data).
    static base::result<resource_uri> parse(std::string_view uri, const std::vector<std::string_view>& known = {});

    const std::string* find(std::string_view name) const;
    base::result<std::uint64_t> number(std::string_view name, std::uint64_t fallback, std::uint64_t least,
                                       std::uint64_t most) const;
    base::result<bool> flag(std::string_view name) const;  // true, false; absent: false
    std::string at_offset(std::uint64_t offset) const;     // the same resource from another offset
};

std::string percent_encoded(std::string_view s);  // everything but RFC 3986's unreserved characters

}  // namespace gdalmcp::app
