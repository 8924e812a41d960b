#include "transcript.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

namespace gdalmcp::protocol_test {
namespace json = base::json;
namespace {

constexpr std::string_view ellipsis = "…";

std::string replace_names(std::string text, const std::map<std::string, std::string>& names) {
    for (const auto& [name, value] : names) {
        const auto mark = std::string{'$'}.append(name);
        for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
            text.replace(at, mark.size(), value);
    }
    return text;
}

bool text_agrees(std::string_view pattern, std::string_view got) {
    const auto first = pattern.find(ellipsis);
    if (first == std::string_view::npos) return pattern == got;
    if (got.substr(0, first) != pattern.substr(0, first)) return false;
    pattern.remove_prefix(first + ellipsis.size());
    got.remove_prefix(first);
    for (std::size_t i = 0; i <= got.size(); ++i)
        if (text_agrees(pattern, got.substr(i))) return true;
    return false;
}

bool is_ellipsis(const json::value& v) { return v.is_string() && v.get_string() == ellipsis; }

bool array_agrees(const json::array& expected, const json::array& got) {
    const bool more = !expected.empty() && is_ellipsis(expected.back());
    const auto n = expected.size() - (more ? 1 : 0);
    if (more ? got.size() < n : got.size() != n) return false;
    return std::equal(expected.begin(), expected.begin() + n, got.begin(), agrees);
}

bool object_agrees(const json::object& expected, const json::object& got) {
    const bool more = expected.contains(ellipsis);
    if (!more && expected.size() != got.size()) return false;
    return std::all_of(expected.begin(), expected.end(), [&](const auto& m) {
        if (m.key() == ellipsis) return true;
        const auto* v = got.if_contains(m.key());
        return v && agrees(m.value(), *v);
    });
}

}  // namespace

transcript read_transcript(const std::filesystem::path& file) {
    transcript t{file, {}};
    std::ifstream in{file, std::ios::binary};
    std::map<std::string, std::string> names;
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
        const auto rest = [&](std::size_t mark) {
            return replace_names(line.substr(std::min(mark, line.size())), names);
        };
        using kind = transcript_step::kind;
        if (line.empty() || line[0] == '#') continue;
        if (line.rfind("let ", 0) == 0) {
            const auto equals = line.find(" = ");
            names[line.substr(4, equals - 4)] = rest(equals + 3);
        } else if (line.rfind(">>", 0) == 0) {
            t.steps.push_back({kind::client, number, rest(3)});
        } else if (line.rfind("<<", 0) == 0) {
            t.steps.push_back({kind::server, number, rest(3)});
        } else if (line == "!! eof") {
            t.steps.push_back({kind::eof, number, ""});
        } else {
            throw std::runtime_error{file.string() + ":" + std::to_string(number) + ": no transcript line: " + line};
        }
    }
    return t;
}

bool agrees(const json::value& expected, const json::value& got) {
    if (is_ellipsis(expected)) return true;
    if (expected.is_string()) return got.is_string() && text_agrees(expected.get_string(), got.get_string());
    if (expected.is_array()) return got.is_array() && array_agrees(expected.get_array(), got.get_array());
    if (expected.is_object()) return got.is_object() && object_agrees(expected.get_object(), got.get_object());
    return expected == got;
}

}  // namespace gdalmcp::protocol_test
