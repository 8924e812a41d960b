#include "reflection/prose.hpp"

#include "base/text.hpp"
#include "reflection/normal_form.hpp"

namespace gdalmcp::reflection {

namespace {
constexpr std::size_t max_argument = 80;  // characters shown of a value; the command shows it in full
}  // namespace

std::string day_of(std::string_view timestamp) { return std::string{timestamp.substr(0, 10)}; }

std::string file_name(std::string_view path) { return std::string{path.substr(path.rfind('/') + 1)}; }

std::string quoted(std::string_view words) {
    auto text = normal_text(words);
    while (!text.empty() && (text.back() == '.' || text.back() == ';')) text.pop_back();
    return text;
}

std::string plain(const json::value& v) {
    auto text = v.is_string() ? quoted(v.get_string()) : base::write_json(v);
    return base::shortened(text, max_argument);
}

std::string joined(const json::value* list, const char* between) {
    std::string all;
    if (list && list->is_array())
        for (const auto& e : list->get_array()) all += (all.empty() ? "" : between) + plain(e);
    return all;
}

std::string capitalised(std::string s) {
    if (!s.empty() && s[0] >= 'a' && s[0] <= 'z') s[0] = static_cast<char>(s[0] - 'a' + 'A');
    return s;
}

std::string assignments(const json::object& o) {
    std::string all;
    for (const auto& m : o)
        if (!m.value().is_null()) all += (all.empty() ? "" : ", ") + std::string{m.key()} + " = " + plain(m.value());
    return all;
}

void add_sentence(std::string& text, const std::string& label, const std::string& words) {
    if (!words.empty()) text += " " + label + words + ".";
}

}  // namespace gdalmcp::reflection
