// Members of an object. base::string_member takes a json::value: handing it an object would copy the object and leave
// the returned view dangling.
#pragma once
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::reflection {

inline std::string_view text_member(const boost::json::object& o, std::string_view name) {
    const auto* m = o.if_contains(name);
    return m && m->is_string() ? std::string_view{m->get_string()} : std::string_view{};
}

}  // namespace gdalmcp::reflection
