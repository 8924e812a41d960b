// Members of a request, read leniently: the host wrote it, and what is absent is empty.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "worker/inputs.hpp"

namespace gdalmcp::worker {

inline std::string text(const base::json::value& v, std::string_view name) {
    return std::string{base::string_member(v, name)};
}

inline std::uint64_t number(const base::json::value& v, std::string_view name) {
    const auto* m = base::find_member(v, name);
    return m && m->is_int64() && m->get_int64() > 0 ? static_cast<std::uint64_t>(m->get_int64()) : 0;
}

inline const base::json::array& list(const base::json::value& v, std::string_view name) {
    static const base::json::array none;
    const auto* m = base::find_member(v, name);
    return m && m->is_array() ? m->get_array() : none;
}

inline std::vector<std::filesystem::path> paths(const base::json::value& v, std::string_view name) {
    std::vector<std::filesystem::path> all;
    for (const auto& p : list(v, name)) all.emplace_back(std::string{p.get_string()});
    return all;
}

inline input input_of(const base::json::value& v) {
    return {text(v, "at"), text(v, "path"), text(v, "dataset"), text(v, "role")};
}

}  // namespace gdalmcp::worker
