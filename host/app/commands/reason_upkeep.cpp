#include "app/commands/reason_upkeep.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>

#include "app/call/lineage.hpp"
#include "app/commands/crs_names.hpp"
#include "app/commands/reason_listing.hpp"
#include "app/complain.hpp"
#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/hidden_characters.hpp"
#include "reflection/capsule.hpp"
#include "reflection/methods_text.hpp"
#include "workspace/results.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::app {

namespace {

using base::fail;
using base::result;
namespace code = base::code;
namespace fs = std::filesystem;

constexpr std::size_t max_import = 256u << 20;

std::string words_for(const reflection::record& r, crs_names& names) {
    names.read(json::value(r.text));
    return base::with_hidden_shown(r.ref() + " (" + names.in(choice_of(r)) + ")");
}

struct record_place {
    std::string domain, cache_key;
};

// Where a ref points: justification://{domain}/{cache key}. Nothing when it is not such a ref.
std::optional<record_place> place_of(std::string_view ref) {
    constexpr std::string_view scheme = "justification://";
    const auto slash = ref.rfind('/');
    if (ref.substr(0, scheme.size()) != scheme || slash == std::string_view::npos || slash < scheme.size()) return {};
    return record_place{std::string{ref.substr(scheme.size(), slash - scheme.size())},
                        std::string{ref.substr(slash + 1)}};
}

// Reasons of the writable store.
result<std::vector<reason>> own_reasons(const host& h, const std::string& domain) {
    auto all = reasons_of(h, domain);
    if (!all) return tl::unexpected{all.error()};
    for (const auto& w : all->warnings) std::fprintf(stderr, "gdal-mcp: %s\n", w.c_str());
    std::vector<reason> own;
    for (auto& r : all->records)
        if (r->found_in.empty()) own.push_back(std::move(r));
    return own;
}

// Whether calls of a tool can have this key: what the spec itself says of the tool agrees with it.
bool can_have(const reflection::governed_tool& tool, const json::object& key) {
    return std::all_of(tool.begin(), tool.end(), [&](const auto& argument) {
        const auto& [name, sources] = argument;
        if (sources.front().from != reflection::key_source::origin::literal) return true;
        const auto* given = key.if_contains(name);
        return !given || *given == sources.front().value;
    });
}

// Which questions return after the removal of `gone`, and which reasons still answer them.
std::string consequence(const host& h, const record_place& place, const reflection::record* gone) {
    const auto other = h.reasons().find(place.domain, place.cache_key);
    if (!other.records.empty()) return "the library " + other.records.front()->found_in + " still answers the question";
    if (gone) {
        const auto older = h.reasons().find_question(place.domain, gone->question_hash);
        if (!older.records.empty())
            return "an answer to another wording of the question is still stored, " + older.records.front()->ref();
    }
    const auto now = h.offered();
    const auto* s = now->specs().find(place.domain);
    std::string tools;
    if (s)
        for (const auto& [tool, sources] : s->tools)
            if (!gone || can_have(sources, gone->text.at("prompt_args").get_object()))
                tools += (tools.empty() ? "" : ", ") + tool;
    return tools.empty() ? "no tool asks this question any more"
                         : "the next call with this choice is asked again: " + tools;
}

result<reflection::run> run_of(const fs::path& file) {
    constexpr std::string_view suffix = ".provenance.json";
    const auto name = file.filename().string();
    const bool named =
        name.size() > suffix.size() && name.compare(name.size() - suffix.size(), std::string::npos, suffix) == 0;
    const auto path = named ? file : workspace::provenance_path(file);
    const auto bytes = base::read_file(path);
    if (!bytes)
        return fail(bytes.error().code, bytes.error().message,
                    "name an output written by gdal-mcp; its record " + path.filename().string() + " lies beside it");
    auto text = base::parse_json(*bytes);
    if (!text || !text->is_object() || base::string_member(*text, "tool").empty())
        return fail(code::io, path.string() + " is not a provenance record",
                    "it was damaged or written by another program");
    return reflection::run{named ? name.substr(0, name.size() - suffix.size()) : name, std::move(text->get_object())};
}

// The runs, and those that made the inputs of others, as far as their records lie beside them unchanged.
std::vector<reflection::run> with_earlier_runs(std::vector<reflection::run> runs) {
    constexpr std::size_t max_runs = 64;
    std::set<std::string> seen;
    const auto add_behind = [&](const json::value& input) {
        const std::string path{base::string_member(input, "path")};
        if (!seen.insert(path).second || runs.size() >= max_runs) return;
        const auto* record = base::find_member(input, "provenance");
        const auto digest = record ? base::string_member(*record, "sha256") : std::string_view{};
        const auto now = base::sha256_hex_of_file(workspace::provenance_path(path));
        if (!now || (!digest.empty() && digest != *now)) return;
        if (auto step = lineage::step_behind(path))
            runs.push_back({fs::path{path}.filename().string(), std::move(*step)});
    };
    const auto follow = [&](const json::value& step) {
        if (const auto* inputs = base::find_member(step, "inputs"); inputs && inputs->is_array())
            for (const auto& in : inputs->get_array()) add_behind(in);
    };
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const json::value step =
            runs[i].provenance;  // a copy: more are added to `runs`; in braces it would be an array
        follow(step);
        if (const auto* results = base::find_member(step, "results"); results && results->is_object())
            for (const auto& one : results->get_object()) follow(one.value());
    }
    return runs;
}

result<std::string> markdown(host& h, const export_choices& what) {
    const auto now = h.offered();
    crs_names names{h};
    if (what.files.empty()) {
        const auto own = own_reasons(h, what.domain);
        if (!own) return tl::unexpected{own.error()};
        for (const auto& r : *own) names.read(json::value(r->text));
        return names.in(reflection::reasons_text(*own, now->specs()));
    }
    std::vector<reflection::run> runs;
    for (const auto& file : what.files) {
        auto run = run_of(file);
        if (!run) return tl::unexpected{run.error()};
        runs.push_back(std::move(*run));
    }
    runs = with_earlier_runs(std::move(runs));
    for (const auto& r : runs) names.read(json::value(r.provenance));
    const auto stored = [&](std::string_view ref, std::string_view until) -> reason {
        const auto named = place_of(ref);
        if (!named) return nullptr;
        const auto found = h.reasons().find(named->domain, named->cache_key).records;
        if (!until.empty() && (found.empty() || found.front()->timestamp > until))
            for (const auto& r : h.reasons().replaced(named->domain, named->cache_key).records)
                if (r->timestamp <= until) return r;
        return found.empty() ? nullptr : found.front();
    };
    return names.in(reflection::methods_text(std::move(runs), stored, now->specs()));
}

result<std::string> exported(host& h, const export_choices& what) {
    if (what.format == "markdown") return markdown(h, what);
    const auto own = own_reasons(h, what.domain);
    if (!own) return tl::unexpected{own.error()};
    std::string lines;  // an array with one element a line: for people, and for diff
    for (const auto& r : *own)
        lines += (lines.empty() ? "\n" : ",\n") +
                 base::write_json(json::value(what.format == "capsule" ? reflection::capsule_of(*r) : r->text));
    return "[" + lines + "\n]\n";
}

// Equal but for the situations they were used in.
bool same_answer(const reflection::record& a, const reflection::record& b) {
    return a.timestamp == b.timestamp && a.chosen_by == b.chosen_by && a.answer() == b.answer();
}

// Imports one reason and prints a line on it; returns the exit code.
int take(const host& h, crs_names& names, const reflection::record& r, bool dry_run, bool force) {
    const auto known = h.reasons().find(r.domain, r.cache_key);
    if (!known.records.empty() && known.records.front()->found_in.empty()) {
        const auto& mine = *known.records.front();
        if (same_answer(mine, r) && mine.last_confirmed >= r.last_confirmed) {
            std::printf("already present: %s\n", words_for(r, names).c_str());
            return 0;
        }
        if (mine.last_confirmed >= r.last_confirmed && !force) {
            const auto times = mine.last_confirmed == r.last_confirmed
                                   ? "has another answer of the same time here; --force imports that of the file"
                                   : "is of " + mine.last_confirmed + " here, of " + r.last_confirmed +
                                         " in the file; --force imports the older one";
            std::printf("kept: %s %s\n", words_for(r, names).c_str(), times.c_str());
            return exit_failed;
        }
    }
    if (!dry_run)
        if (const auto ok = h.reasons().put(r); !ok) return complain(ok.error(), exit_failed);
    std::printf("%s: %s\n", dry_run ? "would be imported" : "imported", words_for(r, names).c_str());
    return 0;
}

}  // namespace

int prune_reasons(host& h, const prune_choices& which) {
    if (!which.older_than_days && which.domain.empty() && !which.stale)
        return complain({code::invalid_argument, "prune without a criterion would erase every reason",
                         "give --older-than DAYS, --domain NAME or --stale", ""},
                        exit_usage);
    const auto own = own_reasons(h, which.domain);
    if (!own) return complain(own.error(), exit_failed);
    std::string oldest;
    if (which.older_than_days)
        oldest = workspace::rfc3339(std::chrono::system_clock::now() -
                                    std::chrono::seconds{static_cast<std::int64_t>(*which.older_than_days * 86400)});
    const auto now = h.offered();
    crs_names names{h};
    std::size_t erased = 0;
    for (const auto& r : *own) {
        if (which.older_than_days && r->last_confirmed >= oldest) continue;
        if (which.stale && !is_stale(*r, now->specs())) continue;
        if (!which.dry_run)
            if (const auto ok = h.reasons().erase(r->domain, r->cache_key); !ok)
                return complain(ok.error(), exit_failed);
        std::printf("%s %s of %s\n", which.dry_run ? "would erase" : "erased", words_for(*r, names).c_str(),
                    r->last_confirmed.substr(0, 10).c_str());
        ++erased;
    }
    std::printf("%zu of %zu reason(s) %s\n", erased, own->size(), which.dry_run ? "would be erased" : "erased");
    return 0;
}

int revoke_reasons(host& h, const std::vector<std::string>& names) {
    crs_names systems{h};
    for (const auto& name : names) {
        const auto found = find_reason(h, name);
        // A foreign record can be revoked as well, by its full name.
        const auto place = found ? place_of((*found)->ref()) : place_of(name);
        if (!place) return complain(found.error(), exit_failed);
        if (const auto ok = h.reasons().revoke(place->domain, place->cache_key); !ok)
            return complain(ok.error(), exit_failed);
        std::printf("revoked justification://%s/%s%s: %s\n", place->domain.c_str(), place->cache_key.c_str(),
                    found ? (" (" + systems.in(choice_of(**found)) + ")").c_str() : "",
                    consequence(h, *place, found ? found->get() : nullptr).c_str());
    }
    return 0;
}

int export_reasons(host& h, const export_choices& what) {
    if (!what.files.empty() && what.format != "markdown")
        return complain({code::invalid_argument, "--format " + what.format + " takes no files",
                         "files are the outputs to document: --format markdown", ""},
                        exit_usage);
    const auto text = exported(h, what);
    if (!text) return complain(text.error(), exit_failed);
    if (what.output.empty()) {
        std::fwrite(text->data(), 1, text->size(), stdout);
        return 0;
    }
    std::error_code ec;
    const auto there = fs::symlink_status(what.output, ec);
    if (fs::exists(there) && !fs::is_regular_file(there))
        return complain({code::exists, what.output.string() + " is not a plain file", "name another file", ""},
                        exit_failed);
    if (fs::exists(there) && !what.overwrite)
        return complain({code::exists, what.output.string() + " exists", "name another file, or give --overwrite", ""},
                        exit_failed);
    if (const auto ok = base::write_file_atomically(what.output, *text); !ok) return complain(ok.error(), exit_failed);
    return 0;
}

int import_reasons(host& h, const fs::path& file, bool dry_run, bool force) {
    const auto bytes = base::read_file(file, max_import);
    if (!bytes) return complain(bytes.error(), exit_failed);
    auto text = base::parse_json(*bytes);
    if (!text) return complain({text.error().code, file.string() + " is " + text.error().message, "", ""}, exit_failed);
    const auto all = text->is_array() ? std::move(text->get_array()) : json::array{std::move(*text)};
    const runner::cancellation never;
    const auto crs = h.crs_lookup(never);
    crs_names names{h};
    const auto now = workspace::rfc3339(std::chrono::system_clock::now());
    const std::shared_ptr<const tool_set> offered = h.offered();
    const std::shared_ptr<const reflection::specs> asked{offered, &offered->specs()};
    int exit_code = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto r = reflection::read_exchanged(all[i], asked, crs, now);
        if (!r) {
            auto name = std::string{base::string_member(all[i], "cache_key")};
            if (name.empty()) name = base::string_member(all[i], "domain");
            std::printf("refused: number %zu%s: %s\n", i + 1, name.empty() ? "" : (", " + name.substr(0, 80)).c_str(),
                        r.error().message.c_str());
            exit_code = exit_failed;
        } else if (const int taken = take(h, names, *r, dry_run, force); taken != 0) {
            exit_code = taken;
        }
    }
    return exit_code;
}

}  // namespace gdalmcp::app
