// The bytes as a record of a store: believed or refused in words. Then as a record that somebody made with care, its
// keys and digest computed anew, so that what lies behind them is reached: what is believed can be told, carried
// elsewhere and confirmed, and is believed again.
#include "base/digest.hpp"
#include "questions.hpp"
#include "reflection/capsule.hpp"
#include "reflection/key.hpp"

using namespace fuzz;

namespace {

void take_care(json::object& o) {
    const std::string domain{base::string_member(o, "domain")}, prompt_hash{base::string_member(o, "prompt_hash")};
    if (const auto* key = o.if_contains("prompt_args"); key && key->is_object()) {
        const auto arguments = key->get_object();
        o["cache_key"] = cache_key(domain, prompt_hash, arguments);
        o["question_hash"] = question_hash(domain, arguments);
    }
    o.erase("digest");
    o["digest"] = "sha256:" + base::sha256_hex(base::canonical_json(o));
}

void believe_again(const record& r) {
    const auto again = read_record(base::canonical_json(r.text), r.domain, r.cache_key);
    must(again && again->text == r.text && again->last_confirmed == r.last_confirmed);
}

void use(const record& r) {
    believe_again(r);
    const json::object here{{"kind", "class"}};
    auto many = r;
    for (std::size_t i = 0; i <= max_situations; ++i) many = adopted(many, here);
    must(many.situations().size() <= max_situations || r.situations().size() > max_situations);
    believe_again(many);
    const auto later = confirmed(r, {"it does", "user", {}}, {"kind"}, here, "2026-02-03T04:05:06.789Z");
    must(later.last_confirmed >= r.last_confirmed);
    believe_again(later);
    capsule_of(r);
    answered(read_exchanged(json::value(r.text), asked(), crs, moment));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const auto text = text_of(bytes, size);
    answered(read_record(text, "method", "sha256:" + std::string(64, '0')));
    auto parsed = base::parse_json(text);
    if (!parsed || !parsed->is_object()) return 0;
    auto& o = parsed->get_object();
    take_care(o);
    const auto r =
        read_record(base::write_json(o), base::string_member(o, "domain"), base::string_member(o, "cache_key"));
    if (answered(r)) use(*r);
    return 0;
}
