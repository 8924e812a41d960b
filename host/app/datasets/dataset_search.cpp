#include "app/datasets/dataset_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "base/hidden_characters.hpp"
#include "base/text.hpp"

namespace gdalmcp::app {

using base::likeness;

namespace {

constexpr std::size_t max_shown = 60;     // bytes of a text in a reason
constexpr std::size_t max_why = 320;      // bytes of a line
constexpr std::size_t max_reasons = 4;    // of one dataset
constexpr std::size_t max_spellings = 8;  // near words of one term

// One way to write a term.
struct spelling {
    std::vector<std::string> words;
    bool near = false;
};
struct term {
    std::string text;
    std::vector<spelling> spellings;
};

struct reason {
    double score = 0;
    std::string text;
};

double weight_of(std::string_view what) {
    if (what == "value") return 0.7;
    if (what == "field" || what == "path") return 0.8;
    return what == "layer" || what == "variable" ? 1 : 0.9;
}

double worth(likeness l) {
    switch (l) {
        case likeness::same:
            return 4;
        case likeness::phrase:
            return 3;
        case likeness::words:
            return 2.5;
        case likeness::begins:
            return 2;
        case likeness::inside:
            return 1;
        default:
            return 0;
    }
}

std::string in_quotes(std::string_view text) {
    return "'" + base::with_hidden_shown(base::shortened(text, max_shown)) + "'";
}

// field 'name' of 'roads'; value 'Rhine' of 'rivers.name'
std::string told(const std::string& what, const std::string& in, const std::string& text) {
    return what + " " + in_quotes(text) + (in.empty() ? "" : " of " + in_quotes(in));
}

// Whether each word lies somewhere in the folded words of the dataset.
bool may_match(const known_dataset& d, const spelling& s) {
    return std::all_of(s.words.begin(), s.words.end(),
                       [&](const std::string& w) { return d.words.find(w) != std::string::npos; });
}

class matcher {
public:
    matcher(const indexed_dataset& d, const spelling& s) : dataset_{d}, spelling_{s} {}

    std::optional<reason> best() const {
        const auto& known = *dataset_.known;
        if (!may_match(known, spelling_)) return std::nullopt;
        reason found;
        const auto see = [&](const std::string& what, const std::string& in, const std::string& text) {
            const auto how = base::like(spelling_.words, base::folded_words(text));
            if (what == "path" && how == likeness::inside) return;  // of folders: "river" in "drivers"
            const double score = worth(how) * weight_of(what) / (spelling_.near ? 4 : 1);
            if (score > found.score) found = {score, told(what, in, text)};
        };
        const auto path = dataset_.file.shown.string();
        see("path", "", path);
        for (const auto& g : known.contents.texts)
            for (const auto& text : g.texts) see(g.what, g.in, text);
        if (found.score == 0) return apart();
        if (spelling_.near) found.text += " (near)";
        return found;
    }

private:
    // The words of a term in different texts: 'cover' in a layer, '2019' in the path.
    std::optional<reason> apart() const {
        if (spelling_.words.size() < 2) return std::nullopt;
        reason all;
        for (const auto& word : spelling_.words) {
            const auto one = matcher{dataset_, {{word}, spelling_.near}}.best();
            if (!one) return std::nullopt;
            all.score += one->score / static_cast<double>(2 * spelling_.words.size());
            if (all.text.find(one->text) == std::string::npos) all.text += (all.text.empty() ? "" : " + ") + one->text;
        }
        return all;
    }

    const indexed_dataset& dataset_;
    const spelling& spelling_;
};

std::optional<reason> best_reason(const indexed_dataset& d, const term& t) {
    std::optional<reason> best;
    for (const auto& s : t.spellings)
        if (auto one = matcher{d, s}.best(); one && (!best || one->score > best->score)) best = std::move(one);
    return best;
}

// Every word of the datasets that is near one of the term's, in place of it.
std::vector<spelling> near_spellings(const indexed_datasets& in, const spelling& exact) {
    std::vector<std::vector<std::string>> near(exact.words.size());
    std::unordered_set<std::string_view> seen;
    for (const auto& d : in.all) {
        if (!d.known) continue;
        const std::string_view words{d.known->words};
        for (std::size_t from = 0; from < words.size();) {
            const auto end = std::min(words.find_first_of(" \n", from), words.size());
            const auto word = words.substr(from, end - from);
            from = end + 1;
            if (word.size() < 3 || !seen.insert(word).second) continue;
            for (std::size_t i = 0; i < near.size(); ++i)
                if (near[i].size() < max_spellings && base::is_near(exact.words[i], std::string{word}))
                    near[i].emplace_back(word);
        }
    }
    std::vector<spelling> all{{{}, true}};
    for (std::size_t i = 0; i < near.size(); ++i) {
        auto here = near[i];
        here.insert(here.begin(), exact.words[i]);
        std::vector<spelling> longer;
        for (const auto& s : all)
            for (const auto& word : here) {
                if (longer.size() == 64) break;
                longer.push_back(s);
                longer.back().words.push_back(word);
            }
        all = std::move(longer);
    }
    std::erase_if(all, [&](const spelling& s) { return s.words == exact.words; });
    return all;
}

double square_degrees(const extent& e) { return (e[2] < e[0] ? e[2] + 360 - e[0] : e[2] - e[0]) * (e[3] - e[1]); }

std::string day_text(int day) {
    char text[16];
    std::snprintf(text, sizeof text, "%04d-%02d-%02d", day / 10000, day / 100 % 100, day % 100);
    return text;
}

std::string span_text(const day_span& s) { return day_text(s.from) + (s.to == s.from ? "" : "/" + day_text(s.to)); }

std::string extent_text(const extent& e) {
    std::string text = "[";
    for (const double v : e) {
        const auto rounded = std::round(v * 1e4) / 1e4;
        text += (text.size() > 1 ? ", " : "") + base::format_number(rounded == 0 ? 0 : rounded);
    }
    return text + "]";
}

// What a dataset is, where nothing in particular was looked for.
std::string overview(const dataset_contents& c) {
    std::string names;
    std::size_t n = 0;
    for (const auto& g : c.texts)
        for (const auto& text : g.texts)
            if ((g.what == "layer" || g.what == "variable" || g.what == "band") && n++ < max_reasons)
                names += ", " + g.what + " " + in_quotes(text);
    return c.driver + names + (n > max_reasons ? ", …" : "");
}

bool anywhere(const indexed_datasets& in, const term& t) {
    return std::any_of(in.all.begin(), in.all.end(), [&](const indexed_dataset& d) {
        return d.known && !d.known->contents.driver.empty() && best_reason(d, t);
    });
}

class searching {
public:
    searching(const indexed_datasets& in, const dataset_query& q) : in_{in}, query_{q} {
        for (const auto& text : q.terms) terms_.push_back({text, {{base::folded_words(text)}}});
    }

    dataset_matches run() {
        find_spellings();
        for (const auto& d : in_.all)
            if (d.known && !d.known->contents.driver.empty()) see(d);
        std::stable_sort(out_.all.begin(), out_.all.end(), [](const dataset_match& a, const dataset_match& b) {
            if (a.terms != b.terms) return a.terms > b.terms;
            if (a.score != b.score) return a.score > b.score;
            return a.size < b.size;
        });
        return std::move(out_);
    }

private:
    void find_spellings() {
        for (auto& t : terms_) {
            if (t.spellings.front().words.empty()) t.spellings.clear();
            if (t.spellings.empty() || anywhere(in_, t)) continue;
            t.spellings = near_spellings(in_, t.spellings.front());
        }
        for (const auto& t : terms_)
            if (!anywhere(in_, t)) out_.vain.push_back(t.text);
    }

    void see(const indexed_dataset& d) {
        const auto& c = d.known->contents;
        dataset_match m;
        m.dataset = &d;
        std::vector<std::string> reasons;
        for (const auto& t : terms_) {
            const auto found = best_reason(d, t);
            if (!found) continue;
            ++m.terms;
            m.score += found->score;
            reasons.push_back(found->text);
        }
        if (!terms_.empty() && m.terms == 0) return;
        const bool of_kind =
            query_.kind.empty() || std::find(c.kinds.begin(), c.kinds.end(), query_.kind) != c.kinds.end();
        const bool in_time = !query_.time || add_time(*d.known, reasons);
        const bool in_place = !query_.place || add_place(c, m, reasons);
        if (!of_kind || (!in_time && !d.known->times.empty()) || (!in_place && !c.unplaced)) {
            out_.elsewhere = true;
            return;
        }
        if (!in_time) ++out_.undated;
        if (!in_place) ++out_.unplaced;
        if (!in_time || !in_place) return;
        if (reasons.empty()) reasons.push_back(overview(c));
        for (std::size_t i = 0; i < reasons.size(); ++i)
            if (i < max_reasons || i + 2 > reasons.size()) m.why += (i ? "; " : "") + reasons[i];
        m.why = base::shortened(m.why, max_why);
        out_.all.push_back(std::move(m));
    }

    bool add_time(const known_dataset& d, std::vector<std::string>& reasons) const {
        for (const auto& t : d.times) {
            if (!t.days.meets(*query_.time)) continue;
            reasons.push_back("date " + span_text(t.days) + " (" + base::with_hidden_shown(t.why) + ")");
            return true;
        }
        return false;
    }

    bool add_place(const dataset_contents& c, dataset_match& m, std::vector<std::string>& reasons) const {
        for (const auto& e : c.extents) {
            if (!query_.place->meets(e.bounds)) continue;
            reasons.push_back("extent " + extent_text(e.bounds) +
                              (e.in.empty() || c.extents.size() < 2 ? "" : " of " + in_quotes(e.in)));
            m.size = square_degrees(e.bounds);
            return true;
        }
        return false;
    }

    const indexed_datasets& in_;
    const dataset_query& query_;
    std::vector<term> terms_;
    dataset_matches out_;
};

}  // namespace

dataset_matches search(const indexed_datasets& in, const dataset_query& q) { return searching{in, q}.run(); }

}  // namespace gdalmcp::app
