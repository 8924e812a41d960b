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

#include "base/hidden_characters.hpp"
#include "base/pointer.hpp"
#include "base/text.hpp"

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

constexpr std::size_t max_levels = 64, max_nodes = 100000;
constexpr std::size_t max_pointer_bytes = 16 << 20;  // long keys, nested, above a long list

// A rule of this parser's own; its message says what to do.
struct refusal : YAML::ParserException {
    using ParserException::ParserException;
};

[[noreturn]] void refuse(const YAML::Mark& mark, const std::string& why) { throw refusal(mark, why); }

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

std::string child_pointer(const std::string& parent, std::string_view key) { return parent + "/" + escape_token(key); }
std::string child_pointer(const std::string& parent, std::size_t index) { return parent + "/" + std::to_string(index); }

// Line of every value, if requested.
class places {
public:
    void put(const YAML::Mark& mark, std::string pointer) {
        if ((bytes_ += pointer.size()) > max_pointer_bytes) refuse(mark, "paths of more than 16 MiB together");
        lines_.emplace(std::move(pointer), static_cast<std::size_t>(mark.line) + 1);
    }
    // A value with its content: the content of an alias is placed on the line of the alias.
    void put_all(const YAML::Mark& mark, const std::string& pointer, const json::value& v) {
        put(mark, pointer);
        if (const auto* a = v.if_array())
            for (std::size_t i = 0; i < a->size(); ++i) put_all(mark, child_pointer(pointer, i), (*a)[i]);
        if (const auto* o = v.if_object())
            for (const auto& m : *o) put_all(mark, child_pointer(pointer, m.key()), m.value());
    }
    std::map<std::string, std::size_t> take() { return std::move(lines_); }

private:
    std::map<std::string, std::size_t> lines_;
    std::size_t bytes_ = 0;
};

// JSON straight from the parser's events: YAML::Load's tree of nodes costs as much again as the parsing.
class builder : public YAML::EventHandler {
public:
    explicit builder(places* where = nullptr) : where_{where} {}
    json::value take() { return std::move(whole_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        if (key_is_due()) return take_key(mark, "");
        grow(mark, {});
        stand(mark);
        put(mark, nullptr, anchor);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& text) override {
        if (const auto h = find_hidden(text))
            refuse(mark, "a text holds " + code_point(h->code) + ", an invisible character");
        if (key_is_due()) return take_key(mark, text);
        grow(mark, {});
        stand(mark);
        put(mark, scalar(tag, text), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchored_.find(anchor);
        if (found == anchored_.end()) refuse(mark, "an alias inside its own anchor");
        grow(mark, extent_of(found->second));
        if (where_ && !key_is_due()) where_->put_all(place_of_next(mark), pointer_of_next(), found->second);
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
        std::string pointer;             // if line numbers are requested
        std::optional<std::string> key;  // in a map: of the value that comes next
        YAML::Mark key_mark{};
    };

    bool key_is_due() const { return !open_.empty() && open_.back().value.is_object() && !open_.back().key; }

    void take_key(const YAML::Mark& mark, const std::string& key) {
        auto& map = open_.back();
        if (map.value.get_object().contains(key)) refuse(mark, "'" + key + "' stands twice");
        map.key = key;
        map.key_mark = mark;
    }
    std::string pointer_of_next() const {
        if (open_.empty()) return {};
        const auto& into = open_.back();
        if (into.key) return child_pointer(into.pointer, *into.key);
        return child_pointer(into.pointer, into.value.get_array().size());
    }
    // A member has the line of its key, whatever line its value begins on.
    YAML::Mark place_of_next(const YAML::Mark& mark) const {
        return !open_.empty() && open_.back().key ? open_.back().key_mark : mark;
    }
    void stand(const YAML::Mark& mark) {
        if (where_ && !key_is_due()) where_->put(place_of_next(mark), pointer_of_next());
    }
    // Checked before copying: the content of aliases may be too large.
    void grow(const YAML::Mark& mark, extent more) {
        if (open_.size() + more.levels > max_levels) refuse(mark, "nested deeper than 64 levels");
        if ((nodes_ += more.nodes) > max_nodes) refuse(mark, "more than 100000 nodes");
    }
    void open(const YAML::Mark& mark, json::value empty, YAML::anchor_t anchor) {
        if (key_is_due()) refuse(mark, "a key must be a plain word");
        grow(mark, {});
        stand(mark);
        open_.push_back({mark, std::move(empty), anchor, where_ ? pointer_of_next() : std::string{}, std::nullopt});
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

    places* where_;
    json::value whole_ = nullptr;
    std::vector<collection> open_;
    std::map<YAML::anchor_t, json::value> anchored_;
    std::size_t nodes_ = 0;
};

// yaml-cpp passes bytes through unchecked, and no later stage checks them.
result<void> check_utf8(std::string_view text) {
    for (std::size_t line = 1; !text.empty(); ++line) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        if (!is_utf8(text.substr(0, end)))
            return fail(code::invalid_argument, "line " + std::to_string(line) + ": the text is not UTF-8",
                        "save the file as UTF-8");
        text.remove_prefix(end);
    }
    return {};
}

std::string_view line_at(std::string_view text, int line) {
    for (; line > 0 && !text.empty(); --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return text.substr(0, text.find('\n'));
}

// yaml-cpp has one message for most mistakes ("illegal map value"), and notices some of them a line late.
std::string remedy(std::string_view text, const YAML::Mark& mark) {
    const auto indented_by_tab = [](std::string_view line) {
        return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
    };
    for (int line = mark.line; line >= std::max(mark.line - 1, 0); --line)
        if (indented_by_tab(line_at(text, line)))
            return "line " + std::to_string(line + 1) + " is indented with a tab; YAML allows blanks only";
    const auto here = line_at(text, mark.line);
    const auto value = std::min(here.find(": "), here.size());
    const bool plain = here.find_first_of("{[\"'") == here.npos;
    if (plain && here.find(": ", value + 1) != here.npos)
        return "put a text that contains a colon followed by a blank in quotes";
    return "indent the members of a map by the same number of blanks, and its values by more";
}

result<json::value> parse(std::string_view text, places* where) {
    if (auto ok = check_utf8(text); !ok) return tl::unexpected{ok.error()};
    try {
        std::istringstream in{std::string{text}};
        YAML::Parser parser{in};
        builder b{where};
        parser.HandleNextDocument(b);
        return b.take();
    } catch (const refusal& e) {
        return fail(code::invalid_argument, place_of(e.mark) + e.msg);
    } catch (const YAML::Exception& e) {
        return fail(code::invalid_argument, place_of(e.mark) + e.msg, remedy(text, e.mark));
    }
}

}  // namespace

result<json::value> parse_yaml(std::string_view text) { return parse(text, nullptr); }

result<yaml_document> parse_yaml_document(std::string_view text) {
    places where;
    auto value = parse(text, &where);
    if (!value) return tl::unexpected{value.error()};
    yaml_document document{std::move(*value), where.take()};
    document.lines.try_emplace("", 1);  // a text without a value has no place for its null
    return document;
}

}  // namespace gdalmcp::base
