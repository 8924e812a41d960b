#include "base/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

namespace gdalmcp::base {
namespace {

std::string place_of(const YAML::Mark& mark) {
    return mark.is_null()
               ? std::string{}
               : "line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1) + ": ";
}

json::value scalar(const std::string& tag, const std::string& s) {
    if (tag == "!") return json::string(s);  // quoted
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

constexpr std::size_t most_levels = 64, most_nodes = 100000;

[[noreturn]] void refuse(const YAML::Mark& mark, const std::string& why) { throw YAML::ParserException(mark, why); }

struct extent {
    std::size_t nodes = 1, levels = 0;  // with the value itself; below it
};

extent extent_of(const json::value& v) {
    extent all;
    const auto add = [&](const json::value& child) {
        const auto e = extent_of(child);
        all.nodes += e.nodes;
        all.levels = std::max(all.levels, e.levels + 1);
    };
    if (const auto* a = v.if_array())
        for (const auto& e : *a) add(e);
    if (const auto* o = v.if_object())
        for (const auto& m : *o) add(m.value());
    return all;
}

// JSON straight from the parser's events: YAML::Load's tree of nodes costs as much again as the parsing.
class builder : public YAML::EventHandler {
public:
    json::value take() { return std::move(whole_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        if (key_is_due()) return take_key(mark, "");
        grow(mark, {});
        put(mark, nullptr, anchor);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override {
        if (key_is_due()) return take_key(mark, text);
        grow(mark, {});
        put(mark, scalar(tag, text), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchored_.find(anchor);
        if (found == anchored_.end()) refuse(mark, "an alias inside what it stands for");
        grow(mark, extent_of(found->second));
        put(mark, found->second, YAML::NullAnchor);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, json::array{}, anchor);
    }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(mark, json::object{}, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

private:
    struct collection {
        YAML::Mark mark;
        json::value value;
        YAML::anchor_t anchor;
        std::optional<std::string> key;  // in a map: of the value that comes next
    };

    bool key_is_due() const { return !open_.empty() && open_.back().value.is_object() && !open_.back().key; }

    void take_key(const YAML::Mark& mark, const std::string& key) {
        auto& map = open_.back();
        if (map.value.get_object().contains(key)) refuse(mark, "'" + key + "' stands twice");
        map.key = key;
    }
    // Before it is made: what aliases stand for may be too much.
    void grow(const YAML::Mark& mark, extent more) {
        if (open_.size() + more.levels > most_levels) refuse(mark, "nested deeper than 64 levels");
        if ((nodes_ += more.nodes) > most_nodes) refuse(mark, "more than 100000 nodes");
    }
    void open(const YAML::Mark& mark, json::value empty, YAML::anchor_t anchor) {
        if (key_is_due()) refuse(mark, "a key must be a plain word");
        grow(mark, {});
        open_.push_back({mark, std::move(empty), anchor, std::nullopt});
    }
    void close() {
        auto done = std::move(open_.back());
        open_.pop_back();
        put(done.mark, std::move(done.value), done.anchor);
    }
    void put(const YAML::Mark& mark, json::value v, YAML::anchor_t anchor) {
        if (key_is_due()) refuse(mark, "a key must be a plain word");
        if (anchor != YAML::NullAnchor) anchored_[anchor] = v;
        if (open_.empty()) {
            whole_ = std::move(v);
        } else if (auto& into = open_.back(); into.key) {
            into.value.get_object().emplace(*into.key, std::move(v));
            into.key.reset();
        } else {
            into.value.get_array().push_back(std::move(v));
        }
    }

    json::value whole_ = nullptr;
    std::vector<collection> open_;
    std::map<YAML::anchor_t, json::value> anchored_;
    std::size_t nodes_ = 0;
};

}  // namespace

result<json::value> parse_yaml(std::string_view text) {
    try {
        std::istringstream in{std::string{text}};
        YAML::Parser parser{in};
        builder b;
        parser.HandleNextDocument(b);
        return b.take();
    } catch (const YAML::Exception& e) {
        return fail(code::invalid_argument, place_of(e.mark) + e.msg);
    }
}

}  // namespace gdalmcp::base
