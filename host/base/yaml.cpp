#include "base/yaml.hpp"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cmath>

namespace gdalmcp::base {
namespace {

std::string place_of(const YAML::Mark& mark) {
    return mark.is_null()
               ? std::string{}
               : "line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1) + ": ";
}

json::value scalar(const YAML::Node& node) {
    const std::string& s = node.Scalar();
    if (node.Tag() == "!") return json::string(s);  // quoted
    if (s.empty() || s == "~" || s == "null" || s == "Null" || s == "NULL") return nullptr;
    if (s == "true" || s == "True" || s == "TRUE") return true;
    if (s == "false" || s == "False" || s == "FALSE") return false;
    const char *first = s.data() + (s.front() == '+' ? 1 : 0), *last = s.data() + s.size();
    std::int64_t i = 0;
    if (auto [p, ec] = std::from_chars(first, last, i); ec == std::errc{} && p == last) return i;
    double d = 0;
    const bool number_like = s.find_first_of("0123456789") != std::string::npos &&
                             s.find_first_not_of("+-.0123456789eE") == std::string::npos;
    if (number_like)
        if (auto [p, ec] = std::from_chars(first, last, d); ec == std::errc{} && p == last && std::isfinite(d))
            return d;
    return json::string(s);
}

class reader {
public:
    result<json::value> value(const YAML::Node& node, int depth) {
        if (depth > 64) return fail(code::invalid_argument, place_of(node.Mark()) + "nested deeper than 64 levels");
        if (++nodes_ > 100000) return fail(code::invalid_argument, place_of(node.Mark()) + "more than 100000 nodes");
        switch (node.Type()) {
            case YAML::NodeType::Scalar:
                return scalar(node);
            case YAML::NodeType::Sequence:
                return sequence(node, depth);
            case YAML::NodeType::Map:
                return map(node, depth);
            default:
                return json::value(nullptr);
        }
    }

private:
    result<json::value> sequence(const YAML::Node& node, int depth) {
        json::array a;
        for (const auto& e : node) {
            auto v = value(e, depth + 1);
            if (!v) return v;
            a.push_back(std::move(*v));
        }
        return json::value(std::move(a));
    }
    result<json::value> map(const YAML::Node& node, int depth) {
        json::object o;
        for (const auto& e : node) {
            if (!e.first.IsScalar())
                return fail(code::invalid_argument, place_of(e.first.Mark()) + "a key must be a plain word");
            const std::string& key = e.first.Scalar();
            if (o.contains(key))
                return fail(code::invalid_argument, place_of(e.first.Mark()) + "'" + key + "' stands twice");
            auto v = value(e.second, depth + 1);
            if (!v) return v;
            o.emplace(key, std::move(*v));
        }
        return json::value(std::move(o));
    }
    int nodes_ = 0;
};

}  // namespace

result<json::value> parse_yaml(std::string_view text) {
    try {
        return reader{}.value(YAML::Load(std::string{text}), 0);
    } catch (const YAML::Exception& e) {
        return fail(code::invalid_argument, place_of(e.mark) + e.msg);
    }
}

}  // namespace gdalmcp::base
