// What an agent, a person or a file says when it is asked for a reason. An answer that is accepted is believed when it
// is read back from the store, reads as itself, and comes back from a capsule.
#include "questions.hpp"
#include "reflection/capsule.hpp"
#include "reflection/key.hpp"
#include "reflection/person.hpp"

using namespace fuzz;

namespace {

void accept(const spec& s, const json::object& key, const answer_question& q, const answer& a) {
    must(bool(check_stored_answer(json::value(a.text), a.chosen_by)));
    auto same = q;
    same.chosen_by = a.chosen_by;
    const auto again = read_answer(json::value(a.text), same, "");
    must(again && again->text == a.text);
    const auto kept = make_record(s, key, a, {"tool", a.parents, moment});
    const auto read = read_record(base::canonical_json(kept.text), s.domain, kept.cache_key);
    must(read && read->text == kept.text);
    const auto carried = read_exchanged(json::value(capsule_of(kept)), asked(), crs, moment);
    if (answered(carried)) must(carried->cache_key == kept.cache_key && carried->chosen_by == kept.chosen_by);
}

void reason(const json::value& given, const spec& s, const json::object& key) {
    answer_question q{s.domain, choice_of(s, key), {}, {}};
    q.normalise = [&](std::string_view method) -> base::result<std::string> {
        const auto told = key_of_prompt_args(s, json::value(json::object{{s.choice, method}}), crs);
        if (!told) return tl::unexpected{told.error()};
        return choice_of(s, *told);
    };
    for (const auto& f : s.asks) q.asks.push_back(&f);
    if (const auto a = read_answer(given, q, "/justification"); answered(a)) accept(s, key, q, *a);
    if (const auto c = read_confirmation(given, q, ""); answered(c)) must(!c->sentence.empty());
}

void from_a_client(const json::value& given) {
    const auto text = answer_of(given, "nearest");
    answered(read_answer(
        json::value(text),
        {"method", "nearest", {}, [](std::string_view m) -> base::result<std::string> { return std::string{m}; }}, ""));
    action_of(given);
    if (const auto look = second_look_of(&given)) must(look->notes.size() <= 5);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const auto given = base::parse_json(text_of(bytes, size));
    if (!given) return 0;
    reason(*given, *asked()->find("method"), {{"method", "nearest"}, {"purpose", ""}});
    reason(*given, *asked()->find("target"), {{"dst_crs", "EPSG:3857"}});
    if (form_of(*given) == answer_form::waiver)
        if (const auto why = read_waiver(*given, ""); answered(why)) must(!why->empty());
    if (const auto r = read_exchanged(*given, asked(), crs, moment); answered(r)) {
        const auto again = read_exchanged(json::value(r->text), asked(), crs, moment);
        must(again && again->text == r->text);
    }
    from_a_client(*given);
    return 0;
}
