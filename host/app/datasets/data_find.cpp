#include "app/datasets/data_find.hpp"

#include <algorithm>

#include "base/folded_words.hpp"
#include "base/near_names.hpp"

namespace gdalmcp::app {

using base::result;

namespace {

constexpr std::chrono::milliseconds max_reading{20'000};  // of files that are new, in one call
constexpr std::chrono::milliseconds max_scanning{5'000};  // of values that are not in the index
constexpr std::size_t max_matches = 20;
constexpr std::size_t max_named = 5;  // files of a kind that are named

constexpr const char* definition = R"({
  "name": "data_find", "title": "Find data in the workspaces",
  "description": "Searches every dataset of the workspaces: names of layers, fields, variables, bands and classes, values of short text fields, paths, dates, extents. Returns those that match, with the reason, or reports that nothing does. Call it first unless you know the file, and before you say that the data do not contain something.",
  "inputSchema": {"type": "object", "additionalProperties": false, "properties": {
      "terms": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": "Words to look for, with synonyms and in the data's language; case and accents do not matter. One suffices, more rank higher"},
      "geometry": {"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "number"}}],
        "description": "GeoJSON or [minx, miny, maxx, maxy] in OGC:CRS84: only datasets whose extent meets it"},
      "time": {"type": "string", "description": "Only data of this year, date or interval: 2019, 2019-05-17, 2019/2021"},
      "kind": {"type": "string", "enum": ["raster", "vector", "table"], "description": "Only this kind"}}},
  "outputSchema": {"type": "object", "required": ["answer", "matches", "matched_total", "truncated", "not_found", "complete", "searched"], "properties": {
      "answer": {"type": "string", "description": "In a sentence, with what was searched in vain"},
      "matches": {"type": "array", "description": "The best first", "items": {"type": "object", "required": ["uri", "kind", "why"], "properties": {
        "uri": {"type": "string"}, "kind": {"type": "string"}, "why": {"type": "string"}}}},
      "matched_total": {"type": "integer"},
      "truncated": {"type": "boolean"},
      "not_found": {"type": "array", "items": {"type": "string"}, "description": "Terms in none of the datasets"},
      "complete": {"type": "boolean", "description": "false: something was not searched, as `answer` says"},
      "searched": {"type": "integer", "description": "Datasets"},
      "not_read_yet": {"type": "integer", "description": "Files that the next call reads"},
      "unreadable": {"type": "object", "description": "Files GDAL does not open", "properties": {"count": {"type": "integer"}, "files": {"type": "array", "items": {"type": "string"}}}},
      "undated": {"type": "integer", "description": "Datasets left out because they state no date"},
      "unplaced": {"type": "integer", "description": "Datasets left out because they state no CRS or position"}}},
  "annotations": {"title": "Find data in the workspaces", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}})";

result<dataset_query> query_of(const json::object& arguments) {
    dataset_query q;
    if (const auto* terms = arguments.if_contains("terms"))
        for (const auto& t : terms->get_array()) q.terms.emplace_back(t.get_string());
    q.kind = base::string_member(arguments, "kind");
    if (const auto* geometry = arguments.if_contains("geometry")) {
        auto place = area::of(*geometry);
        if (!place) return tl::unexpected{place.error()};
        q.place = std::move(*place);
    }
    if (const auto time = base::string_member(arguments, "time"); !time.empty()) {
        auto span = day_span_of(time);
        if (!span) return tl::unexpected{span.error()};
        q.time = *span;
    }
    return q;
}

// As a tool takes it: relative to the first workspace where that is unambiguous.
std::string uri_of(const found_file& f, const std::filesystem::path& first) {
    const auto shown = f.shown.string();
    return f.workspace == first && shown.find(':') == std::string::npos ? shown : (f.workspace / f.shown).string();
}

std::string counted(std::size_t n, const std::string& one, const std::string& many) {
    return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string joined(const std::vector<std::string>& all, const char* between) {
    std::string text;
    for (const auto& one : all) text += (text.empty() ? "" : between) + one;
    return text;
}

// What of it, other than values of fields, a search may miss.
std::vector<std::string> unread_of(const dataset_contents& c, bool by_time) {
    auto all = c.unread;
    if (by_time) all.insert(all.end(), c.unread_dates.begin(), c.unread_dates.end());
    for (const auto& g : c.texts)
        if (g.what != "value" && g.cut) all.push_back("every " + g.what + (g.in.empty() ? "" : " of '" + g.in + "'"));
    return all;
}

// What the search covered.
struct coverage {
    const std::filesystem::path first;  // workspace
    std::size_t datasets = 0, not_read_yet = 0;
    std::vector<std::string> unreadable;
    std::vector<std::string> gaps;  // why an absence is not certain

    coverage(const indexed_datasets& in, std::filesystem::path first_workspace, bool by_time)
        : first{std::move(first_workspace)} {
        std::vector<std::string> partly;
        for (const auto& d : in.all) {
            if (!d.known) {
                ++not_read_yet;
            } else if (d.known->contents.driver.empty()) {
                unreadable.push_back(uri_of(d.file, first));
            } else {
                ++datasets;
                if (const auto unread = unread_of(d.known->contents, by_time); !unread.empty())
                    partly.push_back("of '" + uri_of(d.file, first) + "' " + joined(unread, ", "));
            }
        }
        if (not_read_yet)
            gaps.push_back(counted(not_read_yet, "file is", "files are") + " not read yet, so call again");
        if (!in.stopped.empty()) gaps.push_back("the workspaces were not walked to the end: " + in.stopped);
        if (in.not_utf8) gaps.push_back(counted(in.not_utf8, "name of a file is", "names of files are") + " not UTF-8");
        if (partly.empty()) return;
        const bool more = partly.size() > max_named;
        partly.resize(std::min(partly.size(), max_named));
        gaps.push_back("not searched: " + joined(partly, "; ") + (more ? "; …" : "") +
                       ": look with raster_info, vector_info or vector_stats");
    }

    // The name of a file that GDAL does not open may say what it holds.
    void add_unopened(const std::vector<std::string>& terms) {
        std::vector<std::string> names;
        for (const auto& file : unreadable)
            if (names.size() < max_named && std::any_of(terms.begin(), terms.end(), [&](const auto& t) {
                    return base::like(base::folded_words(t), base::folded_words(file)) >= base::likeness::words;
                }))
                names.push_back(file);
        if (!names.empty()) gaps.push_back("not opened, and by name what is looked for: " + base::joined(names));
    }

    void add_partly_searched(const std::vector<const indexed_dataset*>& all) {
        std::vector<std::string> names;
        for (const auto* d : all)
            if (names.size() < max_named) names.push_back(uri_of(d->file, first));
        if (!all.empty())
            gaps.push_back("not every value was read of " + base::joined(names) +
                           (all.size() > names.size() ? ", …" : "") + ": look with vector_query");
    }
};

// Whether its text fields have values that are not in the index.
bool has_more_values(const dataset_contents& c) {
    return std::any_of(c.texts.begin(), c.texts.end(), [](const auto& g) { return g.what == "value" && g.cut; });
}

std::string sentence(const dataset_query& q, const dataset_matches& m, const coverage& c) {
    const auto all = counted(c.datasets, "dataset", "datasets");
    std::string text;
    if (!m.all.empty())
        text = std::to_string(m.all.size()) + " of " + all + (m.all.size() == 1 ? " matches" : " match");
    else if (c.gaps.empty())
        text = "Not in these workspaces: none of " + all + " matches";
    else
        text = "Not found so far: none of " + all + " matches";
    if (!m.vain.empty()) text += "; in vain: " + base::joined(m.vain);
    if (m.all.empty() && !q.terms.empty() && m.elsewhere)
        text += "; its terms match outside the place, time or kind asked";
    if (m.undated) text += "; " + counted(m.undated, "other states", "others state") + " no date";
    if (m.unplaced) text += "; " + counted(m.unplaced, "other states", "others state") + " no CRS or position";
    if (!c.unreadable.empty())
        text += "; " + counted(c.unreadable.size(), "file was", "files were") + " not opened, see `unreadable`";
    if (!c.gaps.empty()) text += "; " + joined(c.gaps, "; ");
    return text;
}

}  // namespace

json::object data_find_definition() { return base::parse_json(definition).value().get_object(); }

std::vector<const indexed_dataset*> data_find::search_values(indexed_datasets& in,
                                                             const std::vector<std::string>& terms,
                                                             const runner::cancellation& cancel) {
    std::vector<indexed_dataset*> left_out;
    for (auto& d : in.all)
        if (d.known && has_more_values(d.known->contents)) left_out.push_back(&d);
    // The time may not suffice for the large ones.
    std::stable_sort(left_out.begin(), left_out.end(),
                     [](const auto* a, const auto* b) { return a->file.size_bytes < b->file.size_bytes; });
    return datasets_.search_values(left_out, terms, max_scanning, cancel);
}

result<json::object> data_find::answer(const json::object& arguments, const runner::cancellation& cancel,
                                       const std::function<void(double, std::string_view)>& tell) {
    const auto q = query_of(arguments);
    if (!q) return tl::unexpected{q.error()};
    const auto reading = [&](std::size_t done, std::size_t of) {
        if (tell)
            tell(static_cast<double>(done) / static_cast<double>(of),
                 "read " + std::to_string(done) + " of " + std::to_string(of) + " new or changed files");
    };
    auto datasets = datasets_.update(max_reading, cancel, reading);
    if (!datasets) return tl::unexpected{datasets.error()};
    const auto first = datasets_.first_workspace();
    coverage c{*datasets, first, q->time.has_value()};
    c.add_unopened(q->terms);
    c.add_partly_searched(search_values(*datasets, q->terms, cancel));
    if (cancel.requested()) return base::fail(base::code::cancelled, "the search was cancelled");
    const auto found = search(*datasets, *q);
    json::array matches;
    for (const auto& m : found.all) {
        if (matches.size() == max_matches) break;
        matches.push_back(json::object{{"uri", uri_of(m.dataset->file, first)},
                                       {"kind", joined(m.dataset->known->contents.kinds, ", ")},
                                       {"why", m.why}});
    }
    json::object told{{"answer", sentence(*q, found, c)},
                      {"matched_total", found.all.size()},
                      {"truncated", matches.size() < found.all.size()},
                      {"not_found", json::array(found.vain.begin(), found.vain.end())},
                      {"complete", c.gaps.empty()},
                      {"searched", c.datasets}};
    told["matches"] = std::move(matches);
    if (c.not_read_yet) told["not_read_yet"] = c.not_read_yet;
    if (found.undated) told["undated"] = found.undated;
    if (found.unplaced) told["unplaced"] = found.unplaced;
    if (!c.unreadable.empty()) {
        const auto last = c.unreadable.begin() + static_cast<std::ptrdiff_t>(std::min(max_named, c.unreadable.size()));
        told["unreadable"] =
            json::object{{"count", c.unreadable.size()}, {"files", json::array(c.unreadable.begin(), last)}};
    }
    return told;
}

}  // namespace gdalmcp::app
