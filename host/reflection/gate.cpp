#include "reflection/gate.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "reflection/answer.hpp"
#include "reflection/bounce.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr const char* submission_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["domain", "prompt_args", "justification"],
  "properties": {
    "domain": {"type": "string"}, "prompt_args": {"type": "object"},
    "justification": {"anyOf": [{"type": "object"}, {"type": "string"}]},
    "tool_name": {"type": "string", "maxLength": 64}, "prompt_name": {"type": "string"},
    "chosen_by": {"type": "string", "enum": ["user", "agent"]},
    "parents": {"type": "array", "maxItems": 16, "items": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}}}})";

// The facts, asked at most once.
facts_lookup once(const facts_lookup& ask) {
    return [&ask, known = std::make_shared<std::optional<result<json::value>>>()]() -> result<json::value> {
        if (!*known) *known = ask ? ask() : fail(code::internal, "nobody tells facts about the inputs");
        return **known;
    };
}

circumstances around(const spec& s, const call& c) {
    circumstances here;
    here.tool = c.tool;
    here.arguments = &c.arguments;
    here.normalise = [&s, &c](std::string_view name, const json::value& given) -> result<json::value> {
        const auto* k = s.find_key(name);
        if (!k) return fail(code::internal, "no key argument '" + std::string{name} + "'");
        return normal_form(k->normal, given, c.crs);
    };
    return here;
}

// The first condition that holds; `open` tells whether one of the others might, if the facts were known.
const condition* first_that_holds(const spec& s, const circumstances& here, bool& open) {
    open = false;
    for (const auto& condition : s.not_needed_when) {
        const auto t = holds(condition, here);
        if (t == truth::yes) return &condition;
        open = open || t == truth::unknown;
    }
    return nullptr;
}

ruling& not_needed(ruling& r, const condition& because) {
    r.outcome = decision::not_needed;
    if (!because.note.empty()) r.notes.push_back(because.note);
    return r;
}

answer_question question_of(const spec& s, const json::object& key, const crs_lookup& crs) {
    std::string_view geometry_crs;
    for (const auto& k : s.key)
        if (k.crs_of == s.choice) geometry_crs = base::string_member(key, k.name);
    const auto choice = choice_of(s, key);
    return {
        s.domain, choice, "",
        [&s, &crs, geometry_crs = std::string{geometry_crs}, choice](std::string_view method) -> result<std::string> {
            if (method == choice) return choice;
            auto normal =
                normal_form(s.find_key(s.choice)->normal, json::value(json::string_view{method}), crs, geometry_crs);
            if (!normal) return tl::unexpected{normal.error()};
            return choice_of(s, {{s.choice, std::move(*normal)}});
        }};
}

// The record's own answer speaks of the choice its key stands for.
bool fits(const record& r, const std::string& choice) {
    return base::string_member(r.text.at("justification").at("choice"), "method") == choice;
}

void believe(ruling& r, const record& found) {
    r.outcome = decision::proceed;
    r.justification_ref = found.ref();
    const auto& minimum = r.question->policy.minimum;
    if (found.confidence < minimum) {
        r.outcome = decision::warn;
        r.notes.push_back("the stored reason's confidence is below what the policy asks for");
    }
}

bool stored_for_this_question(ruling& r, store& where) {
    const auto choice = choice_of(*r.question, r.key_arguments);
    auto found = where.find(r.question->domain, r.input_hash);
    r.notes.insert(r.notes.end(), found.warnings.begin(), found.warnings.end());
    for (const auto& record : found.records) {
        if (fits(*record, choice)) return believe(r, *record), true;
        r.notes.push_back(record->ref() + " is ignored: its choice.method does not fit its key");
    }
    return false;
}

// The same question under another wording of its prompt.
bool stored_for_another_wording(ruling& r, store& where) {
    const auto choice = choice_of(*r.question, r.key_arguments);
    const auto& equivalent = r.question->question_prompt.equivalent_to;
    const auto found = where.find_question(r.question->domain, r.question_hash);
    const record* newest = nullptr;
    for (const auto& record : found.records) {
        if (!fits(*record, choice) || record->cache_key == r.input_hash) continue;
        if (std::find(equivalent.begin(), equivalent.end(), record->prompt_hash) != equivalent.end())
            return believe(r, *record), true;
        if (!newest) newest = record.get();
    }
    if (!newest) return false;
    r.notes.push_back("stale: answered on " + newest->timestamp.substr(0, 10) + " under an older wording of " +
                      r.question->question_prompt.name);
    if (r.question->policy.stale_blocks) return false;
    believe(r, *newest);
    r.outcome = decision::warn;
    return true;
}

result<ruling> rule_on(const spec& s, const call& c, const facts_lookup& facts, store& where) {
    ruling r;
    r.question = &s;
    auto here = around(s, c);
    bool open = false;
    if (const auto* because = first_that_holds(s, here, open)) return not_needed(r, *because);
    auto key = key_of_call(s, c.tool, c.arguments, facts, c.crs);
    if (!key) return tl::unexpected{key.error()};
    r.key_arguments = std::move(*key);
    r.input_hash = cache_key(s.domain, s.question_prompt.hash, r.key_arguments);
    r.question_hash = question_hash(s.domain, r.key_arguments);
    here.key = &r.key_arguments;
    if (const auto* because = first_that_holds(s, here, open)) return not_needed(r, *because);
    if (stored_for_this_question(r, where) || stored_for_another_wording(r, where)) return r;
    if (open) {
        const auto known = facts();
        if (known) {
            here.facts = &*known;
            if (const auto* because = first_that_holds(s, here, open)) return not_needed(r, *because);
        } else {
            r.notes.push_back("the inputs could not be looked at, so the reason counts as needed: " +
                              known.error().message);
        }
    }
    r.outcome = s.policy.missing_blocks ? decision::block : decision::warn;
    if (!s.policy.missing_blocks) r.notes.push_back("no reason is stored; the policy lets the call run");
    return r;
}

json::value or_null(const std::string& s) { return s.empty() ? json::value{} : json::value(s); }

json::object receipt_of(const ruling& r) {
    return {{"domain", r.question->domain},
            {"risk_class", r.question->risk},
            {"input_hash", or_null(r.input_hash)},
            {"decision", word_of(r.outcome)},
            {"justification_ref", or_null(r.justification_ref)},
            {"notes", json::array(r.notes.begin(), r.notes.end())}};
}

std::string listed(const std::vector<std::string>& words) {
    std::string out;
    for (const auto& w : words) out += (out.empty() ? "" : ", ") + w;
    return out;
}

}  // namespace

std::string_view word_of(decision d) {
    constexpr std::array words = {"not_needed", "proceed", "warn", "block"};
    return words[static_cast<std::size_t>(d)];
}

bool verdict::runs() const {
    return std::none_of(rulings.begin(), rulings.end(), [](const ruling& r) { return r.outcome == decision::block; });
}

json::array receipts(const verdict& v) {
    json::array out;
    for (const auto& r : v.rulings) out.push_back(receipt_of(r));
    return out;
}

gate::gate(std::shared_ptr<const specs> s, std::shared_ptr<store> where, clock now)
    : specs_{std::move(s)}, store_{std::move(where)}, now_{std::move(now)} {}

result<verdict> gate::decide(const call& c) const {
    const auto facts = once(c.facts);
    if (auto ok = store_inline_answers(c, facts); !ok) return tl::unexpected{ok.error()};
    return rule(c, facts);
}

result<verdict> gate::rule(const call& c, const facts_lookup& facts) const {
    verdict v{specs_, {}};
    for (const auto* s : specs_->of_tool(c.tool)) {
        auto r = rule_on(*s, c, facts, *store_);
        if (!r) return tl::unexpected{r.error()};
        v.rulings.push_back(std::move(*r));
    }
    return v;
}

// All answers are read before the first is stored: a call with one good and one bad answer leaves nothing behind.
result<void> gate::store_inline_answers(const call& c, const facts_lookup& facts) const {
    json::value given = c.justification;
    if (given.is_null()) return {};
    if (given.is_string())
        if (auto parsed = base::parse_json(given.get_string())) given = std::move(*parsed);
    if (!given.is_object())
        return fail(code::invalid_justification, "justification must be an object: domain -> answer", "",
                    "/justification");
    std::vector<record> records;
    for (const auto& m : given.get_object()) {
        const std::string domain{m.key()};
        const auto* s = specs_->find(domain);
        if (!s || !s->tools.count(c.tool))
            return fail(code::invalid_justification, "'" + domain + "' is no domain of " + c.tool,
                        "its domains are: " + listed(specs_->domains_of(c.tool)),
                        "/justification/" + base::escape_token(domain));
        bool open = false;
        if (first_that_holds(*s, around(*s, c), open)) continue;  // nothing is asked, nothing needs keeping
        const auto key = key_of_call(*s, c.tool, c.arguments, facts, c.crs);
        if (!key) return tl::unexpected{key.error()};
        const auto a =
            read_answer(m.value(), question_of(*s, *key, c.crs), "/justification/" + base::escape_token(domain));
        if (!a) {
            auto p = a.error();
            p.message = domain + ": " + p.message;
            return tl::unexpected{std::move(p)};
        }
        records.push_back(make_record(*s, *key, *a, {c.tool, {}, now_()}));
    }
    for (const auto& r : records) {
        const auto known = store_->find(r.domain, r.cache_key);
        const bool same = !known.records.empty() && known.records.front()->chosen_by == r.chosen_by &&
                          base::canonical_json(known.records.front()->text.at("justification")) ==
                              base::canonical_json(r.text.at("justification"));
        if (same) continue;
        if (auto ok = store_->put(r); !ok) return ok;
    }
    return {};
}

result<json::object> gate::store_justification(const json::value& arguments, const crs_lookup& crs) const {
    static const auto shape = base::schema::compile(base::parse_json(submission_schema).value()).value();
    if (auto ok = shape.check(arguments); !ok) return tl::unexpected{ok.error()};
    const std::string domain{base::string_member(arguments, "domain")};
    const auto* s = specs_->find(domain);
    if (!s) {
        std::vector<std::string> names;
        for (const auto& known : specs_->all()) names.push_back(known.domain);
        return fail(code::invalid_argument, "there is no domain '" + domain.substr(0, 80) + "'",
                    "domains: " + listed(names), "/domain");
    }
    if (const auto name = base::string_member(arguments, "prompt_name", s->question_prompt.name);
        name != s->question_prompt.name)
        return fail(code::invalid_argument,
                    domain + " is asked with '" + s->question_prompt.name + "', not '" + std::string{name} + "'",
                    "leave prompt_name out", "/prompt_name");
    const auto key = key_of_prompt_args(*s, arguments.at("prompt_args"), crs);
    if (!key) return tl::unexpected{key.error()};
    auto question = question_of(*s, *key, crs);
    question.chosen_by = base::string_member(arguments, "chosen_by");
    const auto a = read_answer(arguments.at("justification"), question, "/justification");
    if (!a) return tl::unexpected{a.error()};
    record_origin from{std::string{base::string_member(arguments, "tool_name")}, {}, now_()};
    if (const auto* parents = base::find_member(arguments, "parents"))
        for (const auto& p : parents->get_array()) from.parents.emplace_back(p.get_string());
    const auto r = make_record(*s, *key, *a, from);
    if (auto ok = store_->put(r); !ok) return tl::unexpected{ok.error()};
    return json::object{{"status", "stored"},
                        {"domain", domain},
                        {"cache_key", r.cache_key},
                        {"warnings", json::array(a->warnings.begin(), a->warnings.end())}};
}

result<json::object> gate::preflight(const call& c) const {
    const auto v = rule(c, once(c.facts));
    if (!v) return tl::unexpected{v.error()};
    json::array domains;
    for (const auto& r : v->rulings) {
        auto entry = receipt_of(r);
        if (r.outcome == decision::block) entry["missing"] = missing_entry(r, c);
        domains.push_back(std::move(entry));
    }
    json::object out{{"tool", c.tool}, {"runs", v->runs()}, {"domains", std::move(domains)}};
    if (!v->runs()) out["retry"] = retry_of(*v, c);
    return out;
}

std::string utc_now() {
    const auto now = std::chrono::system_clock::now();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    const auto fraction = std::to_string(1000 + ms % 1000).substr(1);
    return std::string{text.data()} + "." + fraction + "Z";
}

}  // namespace gdalmcp::reflection
