#include "reflection/ruling_facts.hpp"

#include <algorithm>
#include <array>

#include "base/digest.hpp"
#include "base/pointer.hpp"
#include "base/text.hpp"
#include "reflection/call_circumstances.hpp"

namespace gdalmcp::reflection {

std::vector<std::size_t> bands_read(const json::value& arguments) {
    std::vector<std::size_t> numbers;
    for (const char* at : {"/bands", "/band"})
        if (const auto* given = base::at_pointer(arguments, at)) {
            const auto add = [&](const json::value& v) {
                if (v.is_number() && v.to_number<double>() >= 1) numbers.push_back(v.to_number<std::size_t>());
            };
            if (const auto* list = given->if_array())
                for (const auto& v : *list) add(v);
            else
                add(*given);
        }
    return numbers;
}

namespace {

std::string spelling_of_crs(const spec& s, const call& c) {
    const auto* choice = s.find_key(s.choice);
    if (!choice || choice->normal.how != form::crs) return {};
    const auto mapped = s.tools.find(c.tool);
    const auto sources = mapped->second.find(s.choice);
    if (sources == mapped->second.end()) return {};
    for (const auto& source : sources->second)
        if (source.from == key_source::origin::argument)
            if (const auto* v = base::at_pointer(c.arguments, source.at);
                v && v->is_string() && !v->get_string().empty())
                return std::string{v->get_string()};
    return {};
}

json::object evidence_now(const ruling& r, const evidence_source& e, const call& c) {
    auto key = r.key_arguments;
    // A CRS without a code cannot be measured by the digest in the key.
    if (auto* choice = key.if_contains(r.question->choice);
        choice && choice->is_string() && is_projjson_hash(std::string_view{choice->get_string()}))
        if (const auto spelling = spelling_of_crs(*r.question, c); !spelling.empty()) *choice = spelling;
    return measured(e, arguments_of(e, c.arguments, r.facts, key), c.evidence);
}

void add_evidence(ruling& r, const evidence_source& e, json::object found) {
    auto& facts = r.facts.get_object();
    if (!found.contains("absent")) {
        if (!facts.contains("evidence")) facts["evidence"] = json::object{};
        facts["evidence"].get_object()[e.name] = found;
    }
    r.evidence.push_back(std::move(found));
}

// Facts used by checks and scope are measured for every call; the provider caches them.
bool is_judged_by(const spec& s, const evidence_source& e) { return s.judged_evidence.count(e.name) > 0; }

// Whether the extent a call chooses is that of the whole input.
bool covers(const spec& s, const key_argument& geometry, const ruling& r) {
    std::string_view crs;
    for (const auto& k : s.key)
        if (k.crs_of == geometry.name) crs = base::string_member(r.key_arguments, k.name);
    const auto* chosen = r.key_arguments.if_contains(geometry.name);
    return chosen && covers_input(*chosen, crs, r.facts);
}

// Whether a call with these arguments reads values of band i, counted from 0. Alpha marks cells, and is meant as values
// only by its number.
bool reads(const std::vector<std::size_t>& bands, const json::array& all, std::size_t i) {
    return bands.empty() ? all.size() == 1 || base::string_member(all[i], "color_interpretation") != "Alpha"
                         : std::find(bands.begin(), bands.end(), i + 1) != bands.end();
}

// Kinds of values, that which allows least first.
constexpr std::array<std::string_view, 5> strict_kinds{"class", "qa_bits", "angle", "count", "elevation"};

// Of the sampled cells, the share that hold an undeclared nodata value; 0 without one.
double suspected_share(const json::object& dataset) {
    const auto* suspected = dataset.if_contains("nodata_suspected");
    const auto* share = suspected ? base::find_member(*suspected, "share") : nullptr;
    return share ? share->to_number<double>() : 0;
}

// Of the bands that the call reads: the kind that allows least and the unit of its band, and the undeclared nodata
// value that fills most of one, with the path of the raster; a larger one of a joined raster stays.
void take_facts_of_bands(json::object& input, const json::value& arguments) {
    const auto* bands = input.if_contains("bands");
    if (!bands || !bands->is_array() || bands->get_array().empty()) return;
    const auto& all = bands->get_array();
    const auto read = bands_read(arguments);
    const json::value* chosen = nullptr;
    for (const auto kind : strict_kinds)
        for (std::size_t i = 0; i < all.size() && !chosen; ++i)
            if (base::string_member(all[i], "kind") == kind && reads(read, all, i)) chosen = &all[i];
    if (!chosen) chosen = &all[read.empty() || read.front() > all.size() ? 0 : read.front() - 1];
    json::object facts;  // taken together: a new member moves the others of `input`, `bands` among them
    double most = suspected_share(input);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const auto* share = base::at_pointer(all[i], "/nodata_suspected/share");
            share && reads(read, all, i) && share->to_number<double>() > most) {
            most = share->to_number<double>();
            auto suspected = all[i].at("nodata_suspected").as_object();
            if (const auto* path = input.if_contains("path")) suspected["path"] = *path;
            facts["nodata_suspected"] = std::move(suspected);
        }
    for (const char* fact : {"kind", "kind_certain", "kind_why", "may_be_codes", "unit"})
        if (const auto* v = base::find_member(*chosen, fact)) facts[fact] = *v;
    for (auto& f : facts) input[f.key()] = std::move(f.value());
}

// Whether an input is one of the rasters that `sources` name, and what is known of it is of the subdataset the call
// reads.
bool is_joined(const json::value& input, const std::vector<key_source>& sources, const json::value& arguments) {
    const auto at = base::string_member(input, "pointer");
    const bool named = at.empty() || std::any_of(sources.begin(), sources.end(),
                                                 [&](const auto& s) { return at.starts_with(s.at + "/"); });
    const auto* part = base::at_pointer(arguments, "/subdataset");
    const auto* known = base::find_member(input, "subdataset");
    return named && (is_absent(part) || (known && *known == *part));
}

// Whether a joined input is only copied. `at`: its place, /uris/0.
bool is_copied(const output_grid& grid, std::string_view at, const json::value& arguments) {
    const auto number = at.rfind('/');
    if (grid.copied_at.empty() || number == std::string_view::npos) return false;
    const auto* method = base::at_pointer(arguments, grid.copied_at + std::string{at.substr(number)});
    return method && method->is_string() && method->get_string() == grid.copied_word;
}

// What a dataset is recognised by later: its path in the workspace and its state.
json::object identity_of(const json::value& input) {
    const auto* then = base::find_member(input, "replayed");
    const auto& known = then ? *then : input;
    json::object o;
    const auto place = base::string_member(known, "place");
    if (const auto path = place.empty() ? base::string_member(known, "path") : place; !path.empty()) o["path"] = path;
    if (const auto state = base::string_member(known, "state"); !state.empty()) o["state"] = state;
    return o;
}

// Of rasters that are joined, and not only copied, the one whose kind allows least is judged, of equals the first: what
// an answer states of an unknown kind is kept for that one. With it goes the undeclared nodata value that fills most of
// any of them. The others of its rank are `alike`: what is found of its kind is found in all of them.
void judge_the_strictest(json::value& facts, const output_grid& grid, const json::value& arguments) {
    const auto* inputs = base::find_member(facts, "inputs");
    if (!inputs || !inputs->is_array()) return;
    const auto rank = [](const json::object& dataset) {
        return std::find(strict_kinds.begin(), strict_kinds.end(), base::string_member(dataset, "kind"));
    };
    std::optional<json::object> strictest;
    json::value suspected;
    double most = 0;
    json::array alike;
    for (const auto& input : inputs->get_array()) {
        if (!input.is_object() || !is_joined(input, grid.joined, arguments)) continue;
        if (is_copied(grid, base::string_member(input, "pointer"), arguments)) continue;
        auto dataset = input.get_object();
        take_facts_of_bands(dataset, arguments);
        if (const double share = suspected_share(dataset); share > most) {
            most = share;
            suspected = dataset.at("nodata_suspected");
        }
        const bool stricter = !strictest || rank(dataset) < rank(*strictest);
        if (stricter) alike.clear();
        if (stricter || rank(dataset) == rank(*strictest)) alike.push_back(identity_of(input));
        if (stricter) strictest = std::move(dataset);
    }
    if (!strictest) return;
    if (alike.size() > 1) facts.get_object()["alike"] = std::move(alike);
    if (most > 0) (*strictest)["nodata_suspected"] = std::move(suspected);
    facts.get_object()["input"] = std::move(*strictest);
}

// Of a subdataset that could not be read nothing is known but where the file is.
void keep_what_holds_for(json::value& facts, const json::value& arguments) {
    auto* o = facts.if_object();
    auto* input = o && o->contains("input") ? o->at("input").if_object() : nullptr;
    if (!input) return;
    const auto* part = base::at_pointer(arguments, "/subdataset");
    const auto* known = input->if_contains("subdataset");
    if (is_absent(part) || (known && *known == *part)) return take_facts_of_bands(*input, arguments);
    for (const char* fact :
         {"bands", "may_be_codes", "bounds", "bounds_wgs84", "width", "height", "pixel_size", "cell_m"})
        input->erase(fact);
    (*input)["kind"] = unknown_fact;
    (*input)["kind_why"] = "of the subdataset";
    (*input)["crs"] = json::object{{"normal", "of the subdataset"}, {"name", "of the subdataset"}};
}

}  // namespace

// Whether the nodata value that a call declares is what stood for missing cells in every band it reads.
bool stood_for_missing(const json::value& facts, const json::value& arguments, double nodata) {
    const auto* bands = base::at_pointer(facts, "/input/bands");
    if (!bands || !bands->is_array() || bands->get_array().empty()) return false;
    const auto read = bands_read(arguments);
    const auto& all = bands->get_array();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!reads(read, all, i)) continue;
        const auto* suspected = base::at_pointer(all[i], "/nodata_suspected/value");
        if (!suspected || !suspected->is_number()) return false;
        const double value = suspected->to_number<double>();
        const bool as_float = base::string_member(all[i], "dtype") == "Float32";
        if (as_float ? static_cast<float>(value) != static_cast<float>(nodata) : value != nodata) return false;
    }
    return true;
}

void read_facts(ruling& r, const inquiry& q) {
    const auto& s = *r.question;
    const auto known = q.facts();
    if (!known) {
        r.notes.push_back("the inputs could not be read" +
                          std::string{r.reason ? "" : ", so the reason counts as needed"} + ": " +
                          known.error().message);
        return;
    }
    auto facts = *known;
    const auto is_given = [&](const key_source& source) {
        return !is_absent(base::at_pointer(q.asked.arguments, source.at));
    };
    if (std::any_of(s.grid.joined.begin(), s.grid.joined.end(), is_given))
        judge_the_strictest(facts, s.grid, q.asked.arguments);
    keep_what_holds_for(facts, q.asked.arguments);
    r.facts = with_relations(std::move(facts), q.asked.arguments, s.grid, spelling_of_crs(s, q.asked), q.asked.crs);
    if (const auto* nodata = base::at_pointer(q.asked.arguments, "/nodata"); nodata && nodata->is_number())
        r.facts.get_object()["nodata"] = json::object{
            {"stood_for_missing", stood_for_missing(r.facts, q.asked.arguments, nodata->to_number<double>())}};
    for (const auto& k : s.key)
        if (k.normal.how == form::geometry)
            r.facts.get_object()["extent"] = json::object{{"covers_input", covers(s, k, r)}};
    for (const auto& e : s.evidence)
        if (is_judged_by(s, e) && e.applies_to(q.asked.tool, q.asked.arguments))
            add_evidence(r, e, evidence_now(r, e, q.asked));
}

void name_input(ruling& r) {
    const auto* input = base::find_member(r.facts, "input");
    if (!input) return;  // nor if the facts were not read
    if (auto o = identity_of(*input); !o.empty()) r.situation["input"] = std::move(o);
}

namespace {

// The input that a fact or an argument names; else the value itself, such as an inline geometry.
json::value data_named(const json::value& name, const json::value& facts) {
    const auto* inputs = base::find_member(facts, "inputs");
    if (name.is_string() && inputs && inputs->is_array())
        for (const auto& input : inputs->get_array())
            if (base::string_member(input, "path") == name.get_string()) return identity_of(input);
    return name;
}

// What of the data a call reads, where that is not all.
json::object part_read(const ruling& r, const call& c) {
    json::object part;
    if (const auto* name = base::at_pointer(c.arguments, "/subdataset"); !is_absent(name)) part["subdataset"] = *name;
    const auto read = bands_read(c.arguments);
    const auto* all = base::at_pointer(r.facts, "/input/bands");
    if (!read.empty() && !(all && all->is_array() && all->get_array().size() == read.size()))
        part["band"] = json::array(read.begin(), read.end());
    return part;
}

// "a.tif and 2 more, band [2]"
std::string words_of(const json::array& data, const json::object& part) {
    const auto path = base::string_member(data.front(), "path");
    std::string words = path.empty() ? "these data" : base::shortened(std::string{path}, 80);
    if (data.size() > 1) words += " and " + std::to_string(data.size() - 1) + " more";
    for (const auto& one : part) words += ", " + std::string{one.key()} + " " + base::write_json(one.value());
    return words;
}

}  // namespace

void locate_findings(ruling& r, const call& c) {
    const auto* input = base::find_member(r.facts, "input");
    if (!input) return;
    const auto part = part_read(r, c);
    const auto* alike = base::find_member(r.facts, "alike");
    const auto own = identity_of(*input);
    for (auto& f : r.findings) {
        const bool named = !f.data.empty();
        for (auto& one : f.data) one = data_named(one, r.facts);
        if (!named) f.data = alike ? alike->get_array() : json::array{own};
        if (const auto shared = r.shared.find(f.check); shared != r.shared.end()) {
            f.data = shared->second.data;
            f.count = shared->second.count;
        }
        const bool another = f.data.size() > 1 || base::canonical_json(f.data.front()) != base::canonical_json(own);
        if (!another && part.empty()) continue;
        f.found_in = base::sha256_hex(base::canonical_json(json::array{f.data, part})).substr(0, 8);
        f.where = words_of(f.data, part);
    }
}

json::object stated_for_this_dataset(const ruling& r) {
    const auto* input = r.situation.if_contains("input");
    if (!r.reason || !input) return {};
    json::object stated;
    for (const auto& situation : r.reason->situations()) {
        const auto* theirs = situation.if_contains("input");
        if (!theirs || base::canonical_json(*theirs) != base::canonical_json(*input)) continue;
        for (const auto* ask : r.asks)
            if (const auto* v = situation.if_contains(ask->name); v && ask->of_dataset) stated[ask->name] = *v;
    }
    return stated;
}

std::vector<const asked_fact*> open_to_statements(const ruling& r) {
    auto out = r.asks;
    for (const auto& ask : r.question->asks)
        if (!r.facts.is_null() && is_statement(ask, r.facts)) out.push_back(&ask);
    return out;
}

void overlay(ruling& r, const json::object& stated) {
    if (r.facts.is_null()) return;
    for (const auto* ask : open_to_statements(r)) {
        const auto* word = stated.if_contains(ask->name);
        if (!word || !ask->of_dataset) continue;
        base::put_at_pointer(r.facts, ask->known_by, *word);
        base::put_at_pointer(r.facts, ask->known_by + "_why", json::string(stated_why));
    }
}

void describe_situation(ruling& r, const call& c, const json::object& stated) {
    r.situation = situation_of(r.question->scope, r.facts, c.tool, c.arguments, stated);
    json::array conflicts;
    json::object counts;
    for (const auto& f : r.findings) {
        if (f.outcome != check_outcome::ask) continue;
        conflicts.emplace_back(f.found_in.empty() ? f.check : f.check + "#" + f.found_in);
        if (f.count.is_number()) counts[f.check] = f.count;
    }
    if (!conflicts.empty()) r.situation["conflicts"] = std::move(conflicts);
    if (!counts.empty()) r.situation["counts"] = std::move(counts);
    name_input(r);
}

const evidence_source* source_of(const ruling& r, const call& c, const json::value& evidence) {
    for (const auto& s : r.question->evidence)
        if (s.name == base::string_member(evidence, "name") && s.speaks_of(c.tool)) return &s;
    return nullptr;
}

bool measures_another(const evidence_source& e, const json::value& arguments) {
    const auto maps = [&](std::string_view at) {
        return std::any_of(e.arguments.begin(), e.arguments.end(), [&](const auto& a) {
            return std::any_of(a.second.begin(), a.second.end(),
                               [&](const key_source& s) { return std::string_view{s.at}.starts_with(at); });
        });
    };
    for (const char* at : {"/subdataset", "/bands", "/src_crs", "/operation", "/epoch"})
        if (!is_absent(base::at_pointer(arguments, at)) && !maps(at)) return true;
    const auto* skips = base::at_pointer(arguments, "/skip_failed");
    return bands_read(arguments).size() > 1 || (skips && skips->is_bool() && skips->get_bool());
}

void take_answer(ruling& r, const call& asked, const json::object& answer, const json::object& stated) {
    const auto& c = as_judged(r, asked);
    overlay(r, stated);
    auto here = around(r, c);
    const json::value given(answer);
    here.answer = &given;
    r.findings = findings_of(r.question->checks, here, r.policy);
    locate_findings(r, c);
    describe_situation(r, c, stated);
}

void measure_evidence(ruling& r, const call& asked) {
    const auto& c = as_judged(r, asked);
    if (r.facts.is_null() || !c.evidence) return;
    for (const auto& e : r.question->evidence) {
        if (!e.applies_to(c.tool, c.arguments)) continue;
        const bool known = std::any_of(r.evidence.begin(), r.evidence.end(),
                                       [&](const json::value& v) { return base::string_member(v, "name") == e.name; });
        if (!known) add_evidence(r, e, evidence_now(r, e, c));
    }
}

}  // namespace gdalmcp::reflection
