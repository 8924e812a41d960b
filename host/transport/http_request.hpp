// One HTTP request, whole.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace gdalmcp::transport {

using http_fields = std::vector<std::pair<std::string, std::string>>;  // name and value, in the order sent

struct http_request {
    std::string method;        // as sent, case-sensitive: GET
    std::string target;        // as sent: /files/a%20b?download=1
    std::string path;          // percent-decoded: /files/a b; empty when malformed or when the target has none
    std::string query;         // what follows the first '?', as sent; empty when there is none
    std::string body;          // chunks put together; trailers are dropped
    std::string peer_address;  // 127.0.0.1, ::1; an IPv4 client of an IPv6 socket is given as IPv4
    http_fields fields;        // values trimmed; Host is the authority of an absolute target where that was sent

    // The first value under a name, which is compared without case; valid as long as the request.
    std::optional<std::string_view> field(std::string_view name) const {
        const auto found = std::find_if(fields.begin(), fields.end(), named(name));
        if (found == fields.end()) return {};
        return found->second;
    }
    // All values under the name of a list, as one list (RFC 9110, 5.3); nothing where there is none.
    std::optional<std::string> list(std::string_view name) const {
        std::optional<std::string> all;
        const named matches{name};
        for (const auto& f : fields)
            if (matches(f)) all = all ? *all + ", " + f.second : f.second;
        return all;
    }
    std::size_t count(std::string_view name) const {
        return static_cast<std::size_t>(std::count_if(fields.begin(), fields.end(), named(name)));
    }

private:
    struct named {
        explicit named(std::string_view name) : lower{base::lower_ascii(name)} {}
        bool operator()(const http_fields::value_type& field) const { return base::lower_ascii(field.first) == lower; }
        std::string lower;
    };
};

}  // namespace gdalmcp::transport
