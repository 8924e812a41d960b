#include "reflection/condition.hpp"

#include <algorithm>

#include "base/pointer.hpp"
#include "base/text.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

bool same(const json::value& a, const json::value& b) {
    if (a.is_string() && b.is_string()) return base::lower_ascii(a.get_string()) == base::lower_ascii(b.get_string());
    return base::canonical_json(a) == base::canonical_json(b);
}

bool ends_with(const json::value& v, const json::value& suffix) {
    if (!v.is_string()) return false;
    const auto text = base::lower_ascii(v.get_string()), end = base::lower_ascii(suffix.get_string());
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// A list holds the value, or a text of words joined by '+' (a normalised list) does.
bool holds_member(const json::value* v, const json::value& wanted) {
    if (!v) return false;
    if (const auto* a = v->if_array())
        return std::any_of(a->begin(), a->end(), [&](const json::value& e) { return same(e, wanted); });
    if (!v->is_string() || !wanted.is_string()) return same(*v, wanted);
    const auto words = "+" + base::lower_ascii(v->get_string()) + "+";
    return words.find("+" + base::lower_ascii(wanted.get_string()) + "+") != std::string::npos;
}

truth truth_of(bool b) { return b ? truth::yes : truth::no; }

truth tested(const condition& c, const json::value* v, const circumstances& here) {
    switch (c.what) {
        case condition::test::present:
            return truth_of(!is_absent(v));
        case condition::test::absent:
            return truth_of(is_absent(v));
        case condition::test::one_of:
            return truth_of(v && std::any_of(c.values.begin(), c.values.end(),
                                             [&](const json::value& wanted) { return same(*v, wanted); }));
        case condition::test::not_one_of:
            return truth_of(!is_absent(v) && std::none_of(c.values.begin(), c.values.end(),
                                                          [&](const json::value& wanted) { return same(*v, wanted); }));
        case condition::test::contains:
            return truth_of(std::any_of(c.values.begin(), c.values.end(),
                                        [&](const json::value& wanted) { return holds_member(v, wanted); }));
        case condition::test::above:
            return truth_of(v && v->is_number() && v->to_number<double>() > c.values.front().to_number<double>());
        case condition::test::below:
            return truth_of(v && v->is_number() && v->to_number<double>() < c.values.front().to_number<double>());
        case condition::test::ends_with:
            return truth_of(v && std::any_of(c.values.begin(), c.values.end(),
                                             [&](const json::value& suffix) { return ends_with(*v, suffix); }));
        case condition::test::equals_key:
            break;
    }
    if (!here.key) return truth::unknown;
    const auto* wanted = here.key->if_contains(c.equals);
    if (!wanted || is_absent(v) || is_absent(wanted)) return truth::no;
    const auto normal = here.normalise(c.equals, *v);
    return truth_of(normal && same(*normal, *wanted));
}

// A fact counts as absent only if its parent is present: an empty answer settles nothing.
truth of_fact(const condition& c, const circumstances& here) {
    if (!here.facts) return truth::unknown;
    const auto* surroundings = base::at_pointer(*here.facts, std::string_view{c.at}.substr(0, c.at.rfind('/')));
    if (!surroundings || !surroundings->is_structured()) return truth::unknown;
    return tested(c, base::at_pointer(*here.facts, c.at), here);
}

truth of_all(const condition& c, const circumstances& here) {
    auto all = truth::yes;
    for (const auto& part : c.parts) {
        const auto t = holds(part, here);
        if (t == truth::no) return t;
        if (t == truth::unknown) all = t;
    }
    return all;
}

truth of_any(const condition& c, const circumstances& here) {
    auto any = truth::no;
    for (const auto& part : c.parts) {
        const auto t = holds(part, here);
        if (t == truth::yes) return t;
        if (t == truth::unknown) any = t;
    }
    return any;
}

result<void> parse_parts(condition& c, const json::value& list, const std::string& at) {
    const auto* a = list.if_array();
    if (!a || a->empty()) return fail(code::invalid_argument, at + " must be a list of conditions");
    for (std::size_t i = 0; i < a->size(); ++i) {
        auto part = parse_condition((*a)[i], at + "/" + std::to_string(i));
        if (!part) return tl::unexpected{part.error()};
        c.parts.push_back(std::move(*part));
    }
    return {};
}

result<void> parse_values(condition& c, const json::value& v, bool text_only, const std::string& at) {
    if (const auto* a = v.if_array())
        c.values.assign(a->begin(), a->end());
    else
        c.values.push_back(v);
    for (const auto& e : c.values)
        if (e.is_structured() || (text_only && !e.is_string()))
            return fail(code::invalid_argument, at + " holds " + base::write_json(e) + "; it takes " +
                                                    (text_only ? "text" : "text, numbers, true, false or null"));
    return {};
}

result<void> parse_test(condition& c, std::string_view word, const json::value& v, const std::string& at) {
    if (word == "present") {
        if (!v.is_bool()) return fail(code::invalid_argument, at + " must be true or false");
        c.what = v.get_bool() ? condition::test::present : condition::test::absent;
        return {};
    }
    if (word == "is" || word == "in" || word == "not_in" || word == "contains") {
        c.what = word == "not_in"     ? condition::test::not_one_of
                 : word == "contains" ? condition::test::contains
                                      : condition::test::one_of;
        return parse_values(c, v, false, at);
    }
    if (word == "above" || word == "below") {
        c.what = word == "above" ? condition::test::above : condition::test::below;
        if (!v.is_number()) return fail(code::invalid_argument, at + " must be a number");
        c.values.push_back(v);
        return {};
    }
    if (word == "ends_with") {
        c.what = condition::test::ends_with;
        return parse_values(c, v, true, at);
    }
    c.what = condition::test::equals_key;
    if (!v.is_string()) return fail(code::invalid_argument, at + " must be the name of a key argument");
    c.equals = v.get_string();
    return {};
}

constexpr std::string_view test_words[] = {"present", "is",    "in",        "not_in",    "contains",
                                           "above",   "below", "ends_with", "equals_arg"};

}  // namespace

bool is_absent(const json::value* v) {
    if (!v || v->is_null()) return true;
    if (v->is_string()) return v->get_string().empty();
    if (v->is_array()) return v->get_array().empty();
    return v->is_object() && v->get_object().empty();
}

truth holds(const condition& c, const circumstances& here) {
    if (here.called_arguments && !c.tool.empty() && c.tool == here.called_tool) {
        auto as_called = here;
        as_called.tool = here.called_tool;
        as_called.arguments = here.called_arguments;
        as_called.called_arguments = nullptr;
        return holds(c, as_called);
    }
    if (!c.tool.empty() && c.tool != here.tool) return truth::no;
    switch (c.about) {
        case condition::subject::all:
            return of_all(c, here);
        case condition::subject::any:
            return of_any(c, here);
        case condition::subject::none: {
            const auto t = of_any(c, here);
            return t == truth::unknown ? t : truth_of(t == truth::no);
        }
        case condition::subject::answer:
            return here.answer ? tested(c, base::at_pointer(*here.answer, c.at), here) : truth::unknown;
        case condition::subject::argument:
            return tested(c, base::at_pointer(*here.arguments, c.at), here);
        case condition::subject::fact:
            return of_fact(c, here);
        case condition::subject::key:
            break;
    }
    return here.key ? tested(c, here.key->if_contains(c.at), here) : truth::unknown;
}

result<condition> parse_condition(const json::value& text, const std::string& at) {
    const auto* o = text.if_object();
    if (!o) return fail(code::invalid_argument, at + " must be a condition such as {argument: /x, present: true}");
    condition c;
    int subjects = 0, tests = 0;
    for (const auto& m : *o) {
        const std::string word{m.key()};
        const auto here = at + "/" + word;
        result<void> ok;
        if (word == "note" || word == "tool") {
            if (!m.value().is_string()) return fail(code::invalid_argument, here + " must be text");
            (word == "note" ? c.note : c.tool) = m.value().get_string();
        } else if (word == "all" || word == "any" || word == "none") {
            c.about = word == "all"   ? condition::subject::all
                      : word == "any" ? condition::subject::any
                                      : condition::subject::none;
            ++subjects, ++tests;
            ok = parse_parts(c, m.value(), here);
        } else if (word == "argument" || word == "fact" || word == "answer" || word == "key") {
            c.about = word == "argument" ? condition::subject::argument
                      : word == "fact"   ? condition::subject::fact
                      : word == "answer" ? condition::subject::answer
                                         : condition::subject::key;
            ++subjects;
            const bool pointer = word != "key";
            if (!m.value().is_string() || m.value().get_string().empty() ||
                (m.value().get_string().front() == '/') != pointer)
                return fail(code::invalid_argument,
                            here + (pointer ? " must be a JSON Pointer such as /x" : " must name a key argument"));
            c.at = m.value().get_string();
        } else if (std::find(std::begin(test_words), std::end(test_words), word) != std::end(test_words)) {
            ++tests;
            ok = parse_test(c, word, m.value(), here);
        } else {
            return fail(code::invalid_argument, here + " is not part of a condition",
                        "a condition has one of argument, fact, answer, key, all, any, none; one of present, is, in, "
                        "not_in, contains, above, below, ends_with, equals_arg; and may have tool and note");
        }
        if (!ok) return tl::unexpected{ok.error()};
    }
    if (subjects != 1 || tests != 1)
        return fail(code::invalid_argument,
                    at + " needs exactly one of argument, fact, answer, key, all, any, none and, but for the last " +
                        "three, exactly one of present, is, in, not_in, contains, above, below, ends_with, equals_arg");
    return c;
}

}  // namespace gdalmcp::reflection
