#include "reflection/choice_prose.hpp"

#include "base/pointer.hpp"
#include "reflection/call_circumstances.hpp"
#include "reflection/judge.hpp"
#include "reflection/prose.hpp"

namespace gdalmcp::reflection {
namespace {

std::string method_of(const record& r) {
    return quoted(base::string_member(r.text.at("justification").at("choice"), "method"));
}

// "data type Int16 (dtype)" names the argument for the one who calls; a text has no use for it.
std::string without_arguments(std::string title) {
    for (auto at = title.find(" ("); at != std::string::npos; at = title.find(" (", at)) {
        const auto end = title.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", at + 2);
        if (end != std::string::npos && title[end] == ')')
            title.erase(at, end + 1 - at);
        else
            ++at;
    }
    return title;
}

// What the record's own step calls its choice: "data type Int16"; empty: what the spec calls every choice.
std::string own_title(const record& r, const spec& s, std::string_view tool, const json::value& arguments) {
    circumstances here;
    here.tool = tool;
    here.arguments = &arguments;
    here.key = &r.text.at("prompt_args").get_object();
    json::value judged;
    if (const auto form = s.judged_as.find(tool); form != s.judged_as.end()) {
        judged = form->second.arguments_in(0, arguments);
        here.tool = form->second.tool;
        here.arguments = &judged;
    }
    return without_arguments(own_title(s, here));
}

// The arguments of the call that a record was given for, as far as its scope keeps them.
json::value arguments_in_scope(const record& r, const spec& s) {
    json::value arguments = json::object{};
    const auto situations = r.situations();
    for (const auto& e : s.scope)
        if (const auto* v = situations.empty() ? nullptr : situations.back().if_contains(e.name);
            v && !e.argument.empty() && *v != json::string_view{e.absent})
            base::put_at_pointer(arguments, e.argument, *v);
    return arguments;
}

std::string listed(const json::object& reason, const char* object, const char* member) {
    const auto* o = reason.if_contains(object);
    return joined(o ? base::find_member(*o, member) : nullptr, "; ");
}

std::string rejected(const json::object& reason) {
    std::string all;
    if (const auto* alternatives = reason.if_contains("alternatives"); alternatives && alternatives->is_array())
        for (const auto& a : alternatives->get_array())
            all += (all.empty() ? "" : "; ") + quoted(base::string_member(a, "method")) + " (" +
                   quoted(base::string_member(a, "why_not")) + ")";
    return all;
}

// "smoothing_of_codes, because the codes are ranks"
std::string accepted(const json::value* conflicts) {
    std::string all;
    if (conflicts && conflicts->is_array())
        for (const auto& c : conflicts->get_array())
            all += (all.empty() ? "" : "; ") + quoted(base::string_member(c, "name")) + ", because " +
                   quoted(base::string_member(c, "why_accepted"));
    return all;
}

// A confirmation: {timestamp, changed, sentence, chosen_by, conflicts}.
std::string kept(const json::value& confirmation) {
    const auto changed = joined(base::find_member(confirmation, "changed"), "; ");
    const auto conflicts = accepted(base::find_member(confirmation, "conflicts"));
    return " Confirmed by the " + std::string{base::string_member(confirmation, "chosen_by")} + " on " +
           day_of(base::string_member(confirmation, "timestamp")) +
           (changed.empty() ? "" : ", after being shown that " + changed) + ": " +
           quoted(base::string_member(confirmation, "sentence")) + "." +
           (conflicts.empty() ? "" : " Conflicts accepted: " + conflicts + ".");
}

// The data that a reason was given for, where a step that it covers reads others.
std::string other_data(const record& r, const json::object& step) {
    std::string told;
    const auto* inputs = step.if_contains("inputs");
    for (const auto& situation : r.situations()) {
        const auto* of = situation.if_contains("input");
        const auto name = of ? file_name(base::string_member(*of, "path")) : std::string{};
        if (name.empty()) continue;
        if (inputs && inputs->is_array())
            for (const auto& in : inputs->get_array())
                for (const char* as : {"path", "uri"})  // a result is read from a file of another name
                    if (file_name(base::string_member(in, as)) == name) return {};
        if (const auto one = "`" + name + "`"; told.find(one) == std::string::npos)
            told += (told.empty() ? "" : ", ") + one;
    }
    return told.empty() ? told : " It was given for " + told + ", not for the data of this step.";
}

}  // namespace

std::string title_of(const record& r, const specs& asked, const json::object* step) {
    const auto* s = asked.find(r.domain);
    if (!s) return r.domain + ": " + method_of(r);
    const auto* given = step ? step->if_contains("arguments") : nullptr;
    const auto own =
        own_title(r, *s, step ? base::string_member(*step, "tool") : base::string_member(r.text, "tool_name"),
                  given ? *given : arguments_in_scope(r, *s));
    if (!own.empty()) return capitalised(own) + " (" + r.domain + ")";
    return capitalised(s->title) + " (" + r.domain + "): " + method_of(r);
}

std::string prose_of(const found_record& r, const std::string& title) {
    const auto& reason = r.text.at("justification").get_object();
    const auto& choice = reason.at("choice");
    const auto& key = r.text.at("prompt_args").get_object();
    // "Data type Int16 (format_selection)" is what was chosen; "Compression (format_selection): zstd" and "Method
    // breach, stream threshold 2 km² (hydrology)" have the method in it, beside the others of the key.
    const auto own = title.find(" (" + r.domain + ")");
    const bool named = own != std::string::npos && own + r.domain.size() + 3 == title.size() &&
                       title.substr(0, own).find(method_of(r)) == std::string::npos;
    json::object others;  // what the choice itself does not say
    for (const auto& m : key)
        if (const auto value = plain(m.value()); key.size() > 1 && !value.empty() && value != method_of(r))
            others[m.key()] = m.value();
    std::string text = (named ? title.substr(0, own) : method_of(r)) + " was chosen by the " + r.chosen_by + " on " +
                       day_of(r.timestamp) + ", with " + std::string{base::string_member(reason, "confidence")} +
                       " confidence.";
    add_sentence(text, "Beside it: ", assignments(others));
    add_sentence(text, "Purpose: ", quoted(base::string_member(reason, "intent")));
    add_sentence(text, "Context: ", quoted(base::string_member(reason, "context")));
    add_sentence(text, "Reason: ", quoted(base::string_member(choice, "rationale")));
    add_sentence(text, "Rejected: ", rejected(reason));
    add_sentence(text, "Accepted in return: ", quoted(base::string_member(choice, "tradeoffs")));
    add_sentence(text, "Conflicts accepted: ", accepted(reason.if_contains("conflicts")));
    add_sentence(text, "Considered: ", listed(reason, "candidate_methods", "considered"));
    add_sentence(text, "Known beforehand: ", listed(reason, "assumptions", "known"));
    add_sentence(text, "Assumed, not checked: ", listed(reason, "assumptions", "uncertain"));
    add_sentence(text, "It depends on: ", listed(reason, "assumptions", "dependencies"));
    add_sentence(text, "What stays uncertain: ", listed(reason, "epistemic_status", "residual_uncertainty_sources"));
    add_sentence(text, "Review when: ", listed(reason, "epistemic_status", "conditions_for_revisit"));
    if (const auto* again = r.text.if_contains("revisits"); again && again->is_array())
        for (const auto& a : again->get_array()) text += kept(a);
    add_sentence(text, "The reason comes from the library ", r.found_in);
    return text;
}

namespace {

// The record as it was at a time, without the conflicts: each step has its own.
found_record as_of(const found_record& r, std::string_view time) {
    auto then = r;
    auto& reason = then.text.at("justification").as_object();
    reason.erase("conflicts");
    auto* again = then.text.if_contains("revisits");
    if (!again || !again->is_array()) return then;
    json::array until;
    for (auto confirmation : again->get_array()) {
        if (!time.empty() && base::string_member(confirmation, "timestamp") > time) continue;
        if (confirmation.is_object()) confirmation.get_object().erase("conflicts");
        until.push_back(std::move(confirmation));
    }
    *again = std::move(until);
    return then;
}

}  // namespace

std::string accepted_for(const json::value& receipt, const json::object& r, std::string_view finished) {
    json::array all;
    const auto add = [&](const json::value* accepted, const json::value& name) {
        if (accepted && accepted->is_array())
            for (const auto& c : accepted->get_array())
                if (const auto* own = base::find_member(c, "name"); own && *own == name) {
                    all.push_back(c);
                    return true;
                }
        return false;
    };
    const auto* names = base::find_member(receipt, "conflicts");
    const auto* again = r.if_contains("revisits");
    if (!names || !names->is_array()) return {};
    for (const auto& name : names->get_array()) {
        bool found = false;
        if (again && again->is_array())
            for (auto a = again->get_array().end(); !found && a != again->get_array().begin();)
                if (--a; finished.empty() || base::string_member(*a, "timestamp") <= finished)
                    found = add(base::find_member(*a, "conflicts"), name);
        if (!found) add(base::find_member(r.at("justification"), "conflicts"), name);
    }
    const json::value those(std::move(all));
    return accepted(&those);
}

std::string choices::refer(const json::value& receipt, const json::object& step) {
    const std::string domain{base::string_member(receipt, "domain")},
        ref{base::string_member(receipt, "justification_ref")};
    const auto* s = asked_.find(domain);
    const auto r = s && !ref.empty() ? stored_(ref, base::string_member(step, "finished")) : nullptr;
    const auto* arguments = step.if_contains("arguments");
    auto own = r && arguments ? own_title(*r, *s, base::string_member(step, "tool"), *arguments) : std::string{};
    const auto what = s ? (own.empty() ? s->title : own) + " (" + domain + ")" : domain;
    const auto notes = joined(base::find_member(receipt, "notes"), "; ");
    const auto decision = base::string_member(receipt, "decision");
    if (decision == "only_option") return what + ": " + notes;
    if (const auto* spread = base::find_member(receipt, "spread");
        decision == "immaterial" && spread && spread->is_object())
        return what + ": makes no difference on these data; compared: " +
               joined(base::find_member(*spread, "candidates"), ", ") + "; " + text_of_spread(spread->get_object());
    if (decision == "not_needed") return what + ": no reason needed" + (notes.empty() ? "" : ", " + notes);
    if (ref.empty()) return what + ": no reason recorded" + (notes.empty() ? "" : " (" + notes + ")");
    const bool remark = decision != "proceed" && !notes.empty();
    auto text = what + ": choice " + std::to_string(number_of(ref, step)) + (remark ? " (" + notes + ")" : "");
    if (const auto* stated = base::find_member(receipt, "stated"); stated && stated->is_object())
        text += "; stated: " + assignments(stated->get_object());
    const auto conflicts = r ? accepted_for(receipt, r->text, base::string_member(step, "finished")) : std::string{};
    return conflicts.empty() ? text : text + "; conflicts accepted: " + conflicts;
}

std::string choices::text() const {
    std::string all;
    for (std::size_t i = 0; i < made_.size(); ++i)
        all += "\n### " + std::to_string(i + 1) + ". " + section(made_[i]) + "\n";
    return all;
}

std::size_t choices::number_of(const std::string& ref, const json::object& step) {
    const auto finished = base::string_member(step, "finished");
    auto r = stored_(ref, finished);
    auto& number = numbers_[r ? ref + ' ' + r->timestamp : ref];
    if (number > 0) {
        made_[number - 1].until = finished;
        return number;
    }
    made_.push_back({ref, std::move(r), &step, finished});
    return number = made_.size();
}

std::string choices::section(const choice& c) const {
    if (!c.reason) return c.ref + "\n\nThis reason is no longer stored.";
    const auto& r = *c.reason;
    const auto title = title_of(r, asked_, c.first);
    auto text = title + "\n\n" + prose_of(as_of(r, c.until), title) + other_data(r, *c.first);
    const auto finished = base::string_member(*c.first, "finished");
    for (const auto& p : r.text.at("parents").get_array())
        if (p != json::string_view{r.cache_key}) text += " " + parent(std::string{p.get_string()}, finished);
    if (!finished.empty() && r.timestamp > finished)
        text += " This reason was written after the step; the one the step ran on was replaced.";
    if (!r.revoked.empty()) text += " This reason was withdrawn on " + r.revoked.substr(0, 10) + ".";
    return text;
}

std::string choices::parent(const std::string& cache_key, std::string_view until) const {
    for (const auto& s : asked_.all())
        if (const auto r = stored_("justification://" + s.domain + "/" + cache_key, until))
            return "It builds on the choice " + title_of(*r, asked_) + ".";
    return "It builds on " + cache_key + ", which is no longer stored.";
}

}  // namespace gdalmcp::reflection
