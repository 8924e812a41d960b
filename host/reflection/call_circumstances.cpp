#include "reflection/call_circumstances.hpp"

namespace gdalmcp::reflection {

using base::fail;
using base::result;

circumstances around(const spec& s, const call& c) {
    circumstances here;
    here.tool = c.tool;
    here.arguments = &c.arguments;
    if (c.called) {
        here.called_tool = c.called->tool;
        here.called_arguments = &c.called->arguments;
        if (const auto form = s.judged_as.find(c.called->tool); form != s.judged_as.end())
            here.as_called = [&form = form->second](std::string text) { return form.as_called(std::move(text)); };
    }
    here.normalise = [&s, &c](std::string_view name, const json::value& given) -> result<json::value> {
        const auto* k = s.find_key(name);
        if (!k) return fail(code::internal, "no key argument '" + std::string{name} + "'");
        return normal_form(k->normal, given, c.crs);
    };
    return here;
}

circumstances around(const ruling& r, const call& c) {
    auto here = around(*r.question, c);
    here.key = &r.key_arguments;
    if (!r.facts.is_null()) here.facts = &r.facts;
    return here;
}

const condition* first_that_holds(const std::vector<condition>& conditions, const circumstances& here, bool& open) {
    open = false;
    for (const auto& condition : conditions) {
        const auto t = holds(condition, here);
        if (t == truth::yes) return &condition;
        open = open || t == truth::unknown;
    }
    return nullptr;
}

namespace {

std::string note_that_holds(const std::vector<condition>& conditions, const circumstances& here,
                            const std::string& otherwise) {
    bool open = false;
    const auto* found = first_that_holds(conditions, here, open);
    return found ? filled(found->note, here) : otherwise;
}

}  // namespace

std::string own_title(const spec& s, const circumstances& here) { return note_that_holds(s.title_when, here, {}); }

std::string question_line(const spec& s, const circumstances& here) {
    return note_that_holds(s.question_when, here, s.question);
}

}  // namespace gdalmcp::reflection
