#include "app/resources/catalogue.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "reflection/normal_form.hpp"
#include "workspace/results.hpp"

namespace gdalmcp::app {

using base::fail;
using base::result;
namespace code = base::code;

namespace {

constexpr std::chrono::milliseconds max_look{2000};  // for all new files of one reading together
constexpr std::chrono::milliseconds one_look{1000};  // for a file that failed in a batch
constexpr std::size_t files_a_look = 64;             // files of one process
constexpr std::size_t max_told = 50;                 // drivers, CRSs, extensions of the summary

// Whether reading failed because of the file itself, so that it is not read again until it changes. Other failures (a
// full disk, no descriptor left, a cancelled call) are not the file's.
bool is_fatal(const result<void>& look) {
    return !look && (look.error().code == code::crashed || look.error().code == code::deadline);
}

// "tif, .GPKG" -> {"tif", "gpkg"}
std::vector<std::string> extensions_in(const std::string* text) {
    std::vector<std::string> all;
    std::string one;
    for (const char c : base::lower_ascii(text ? *text : "") + ",") {
        if (c != ',' && c != ' ' && !(c == '.' && one.empty()))
            one += c;
        else if (c == ',' && !one.empty())
            all.push_back(std::exchange(one, {}));
    }
    return all;
}

bool has_extension(const std::filesystem::path& file, const std::vector<std::string>& extensions) {
    const auto name = base::lower_ascii(file.filename().string());
    return extensions.empty() || std::any_of(extensions.begin(), extensions.end(), [&](const std::string& e) {
               return name.size() > e.size() + 1 &&
                      name.compare(name.size() - e.size() - 1, std::string::npos, "." + e) == 0;
           });
}

const char* kind_name(format_registry::kinds k) {
    return k.raster && k.vector ? "both" : k.raster ? "raster" : "vector";
}

json::array workspaces(const workspace::roots& roots) {
    json::array all;
    for (const auto& r : roots.list())
        all.push_back(json::object{{"folder", r.folder.string()}, {"writable", r.writable}});
    return all;
}

// The most frequent first: [{<member>: name, count}].
json::array ranked(const std::map<std::string, std::size_t>& counts, const char* member) {
    std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    json::array all;
    for (const auto& [name, count] : sorted)
        if (all.size() < max_told) all.push_back(json::object{{member, name}, {"count", count}});
    return all;
}

}  // namespace

result<catalogue::view> catalogue::visit(const std::string& subpath, const std::vector<std::string>& extensions,
                                         bool include_hidden, const runner::cancellation& cancel) {
    const auto formats = registries_.formats(cancel);
    if (!formats) return tl::unexpected{formats.error()};
    const auto& known = **formats;
    auto walked = walk_workspaces(
        roots_, subpath, include_hidden, [&](const auto& file) { return known.kinds_of(file).has_value(); }, cancel);
    if (!walked) return tl::unexpected{walked.error()};
    view v;
    v.stopped = std::move(walked->stopped);
    v.not_utf8 = walked->not_utf8;
    std::vector<candidate> all;
    for (auto& f : walked->files) {
        if (!has_extension(f.shown, extensions)) continue;
        const char* kind = kind_name(*known.kinds_of(f.shown));
        all.push_back({std::move(f), std::nullopt, kind});
    }
    identify(all, cancel);
    if (cancel.requested()) return fail(code::cancelled, "reading the catalogue was cancelled");
    for (auto& c : all) {
        if (!c.seen) ++v.not_looked_at;
        if (c.seen && c.seen->driver.empty())
            ++v.not_opened;
        else
            v.datasets.push_back(std::move(c));
    }
    return v;
}

void catalogue::identify(std::vector<candidate>& all, const runner::cancellation& cancel) {
    std::vector<candidate*> unknown;
    for (auto& c : all) {
        auto found = headers_.find(c.file.path);
        if (found && found->state == c.file.state)
            c.seen = std::move(*found);
        else
            unknown.push_back(&c);
    }
    const auto end = std::chrono::steady_clock::now() + max_look;
    const auto left = [&] {
        return std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    };
    for (std::size_t i = 0; i < unknown.size() && left().count() > 0 && !cancel.requested(); i += files_a_look) {
        const auto last = std::min(i + files_a_look, unknown.size());
        const std::vector<candidate*> few(unknown.begin() + static_cast<std::ptrdiff_t>(i),
                                          unknown.begin() + static_cast<std::ptrdiff_t>(last));
        if (!is_fatal(identify(few, left(), cancel))) continue;
        // One file ends the process of its batch; the others are read again alone.
        for (auto* one : few)
            if (left().count() > 0 && !cancel.requested() && is_fatal(identify({one}, one_look, cancel)) &&
                !cancel.requested())
                keep(*one, {});
    }
    for (auto& c : all)
        if (c.seen && !c.seen->driver.empty()) c.kind = c.seen->kind;
}

result<void> catalogue::identify(const std::vector<candidate*>& few, std::chrono::milliseconds budget,
                                 const runner::cancellation& cancel) {
    runner::request r;
    r.operation = "identify";
    for (const auto* c : few) r.files.push_back(c->file.path);
    r.budget_ms = static_cast<std::uint64_t>(budget.count());
    const auto done = ask_(std::move(r), cancel, budget + one_look);
    if (!done) return tl::unexpected{done.error()};
    const auto& seen = done->at("seen").get_array();
    for (std::size_t i = 0; i < seen.size(); ++i) keep(*few[i], seen[i]);
    return {};
}

// `answer` null: it cannot be opened without harm.
void catalogue::keep(candidate& c, const json::value& answer) {
    const auto said = [&](const char* member) { return std::string{base::string_member(answer, member)}; };
    c.seen =
        cached_header{c.file.state, said("driver"), said("kind"), {said("crs"), said("crs_codes")}, said("crs_name")};
    const auto* codes = base::find_member(answer, "other_crs_codes");
    if (const auto* others = base::find_member(answer, "other_crs"))
        for (std::size_t i = 0; i < others->get_array().size(); ++i)
            c.seen->other_crs.push_back({std::string{others->at(i).get_string()},
                                         codes ? std::string{codes->at(i).get_string()} : std::string{}});
    headers_.keep(c.file.path, *c.seen);
}

json::object catalogue::listing(const view& v, const std::function<bool(const candidate&)>& wanted,
                                const resource_uri& u, std::size_t limit, std::size_t offset) const {
    json::array all;
    std::size_t matched = 0;
    for (const auto& c : v.datasets) {
        if (!wanted(c) || ++matched <= offset || all.size() >= limit) continue;
        json::object o{{"uri", c.file.path.string()},
                       {"workspace", c.file.workspace.string()},
                       {"path", c.file.shown.string()},
                       {"kind", c.kind}};
        if (c.seen) {
            o["driver"] = c.seen->driver;
            o["crs"] = c.seen->crs.text();
            o["crs_name"] = c.seen->crs_name;
            json::array others;
            for (const auto& crs : c.seen->other_crs) others.emplace_back(crs.normal.empty() ? "none" : crs.text());
            if (!others.empty()) o["other_crs"] = std::move(others);
        } else {
            o["not_looked_at"] = true;
        }
        o["size_bytes"] = c.file.size_bytes;
        o["modified"] = workspace::rfc3339(c.file.modified);
        if (!c.file.sidecars.empty()) o["sidecars"] = json::array(c.file.sidecars.begin(), c.file.sidecars.end());
        all.push_back(std::move(o));
    }
    all = that_fit(std::move(all), limit);
    json::object told{{"workspaces", workspaces(roots_)}};
    const auto next = offset + all.size();
    told["datasets"] = std::move(all);
    told["offset"] = offset;
    told["matched_total"] = matched;
    told["truncated"] = next < matched;
    if (next < matched) told["next"] = u.at_offset(next);
    told["not_opened"] = v.not_opened;
    told["not_looked_at"] = v.not_looked_at;
    told["approximate"] = v.not_looked_at > 0 || !v.stopped.empty();
    if (v.not_looked_at)
        told["not_looked_at_hint"] = "read again: datasets already read are cached, and the next ones are read";
    if (!v.stopped.empty()) told["walk_stopped"] = v.stopped;
    if (v.not_utf8) told["names_not_utf8"] = v.not_utf8;
    return told;
}

result<json::object> catalogue::list(const resource_uri& u, const std::string& wanted,
                                     const runner::cancellation& cancel) {
    const auto slash = std::min(wanted.find('/'), wanted.size());
    const auto kind = wanted.substr(0, slash), subpath = wanted.substr(std::min(slash + 1, wanted.size()));
    if (kind != "all" && kind != "raster" && kind != "vector")
        return fail(code::not_found, "there is no resource '" + u.given + "'",
                    "the URIs are catalog://workspace/summary, catalog://workspace/{all|raster|vector}/{folder} and "
                    "catalog://workspace/by-crs/{crs}");
    return matching(
        u, subpath, [&](const candidate& c) { return kind == "all" || c.kind == "both" || c.kind == kind; }, cancel);
}

result<json::object> catalogue::by_crs(const resource_uri& u, const std::string& spelling,
                                       const runner::cancellation& cancel) {
    std::string normal;
    if (reflection::is_projjson_hash(spelling)) {
        normal = spelling;  // as in a listing
    } else if (spelling != "none") {
        const bool number = !spelling.empty() && spelling.find_first_not_of("0123456789") == std::string::npos;
        auto identified = normal_crs_(number ? "EPSG:" + spelling : spelling, cancel);
        if (!identified) return tl::unexpected{identified.error()};
        normal = std::move(*identified);
    }
    auto listed = reflection::is_projjson_hash(normal) ? spelling : normal;
    auto told = matching(
        u, "",
        [&](const candidate& c) {
            const auto* found = c.seen ? c.seen->in(normal) : nullptr;
            if (found) listed = found->text();
            return found != nullptr;
        },
        cancel);
    if (told) (*told)["crs"] = listed.empty() ? "none" : listed;
    return told;
}

result<json::object> catalogue::matching(const resource_uri& u, const std::string& subpath,
                                         const std::function<bool(const candidate&)>& wanted,
                                         const runner::cancellation& cancel) {
    const auto limit = u.number("limit", 100, 1, 1000);
    const auto offset = u.number("offset", 0, 0, 1'000'000);
    const auto hidden = u.flag("include_hidden");
    if (!limit || !offset) return tl::unexpected{limit ? offset.error() : limit.error()};
    if (!hidden) return tl::unexpected{hidden.error()};
    const auto v = visit(subpath, extensions_in(u.find("extensions")), *hidden, cancel);
    if (!v) return tl::unexpected{v.error()};
    return listing(*v, wanted, u, *limit, *offset);
}

result<std::vector<std::string>> catalogue::crs(const runner::cancellation& cancel) {
    const auto v = visit("", {}, false, cancel);
    if (!v) return tl::unexpected{v.error()};
    std::map<std::string, std::size_t> counts;
    for (const auto& c : v->datasets)
        if (c.seen) {
            ++counts[c.seen->crs.text()];
            for (const auto& crs : c.seen->other_crs) ++counts[crs.text()];
        }
    counts.erase("");
    std::vector<std::string> all;
    for (const auto& r : ranked(counts, "crs")) all.emplace_back(base::string_member(r, "crs"));
    return all;
}

result<json::object> catalogue::summary(const runner::cancellation& cancel) {
    auto v = visit("", {}, false, cancel);
    if (!v) return tl::unexpected{v.error()};
    std::map<std::string, std::size_t> kinds, drivers, systems, extensions, datasets;
    std::map<std::string, std::uintmax_t> bytes;
    std::map<std::string, std::string, std::less<>> names;  // of CRSs without a code
    for (const auto& c : v->datasets) {
        ++kinds[c.kind];
        ++extensions[base::lower_ascii(c.file.path.extension().string())];
        ++datasets[c.file.workspace.string()];
        bytes[c.file.workspace.string()] += c.file.size_bytes;
        if (!c.seen) continue;
        ++drivers[c.seen->driver];
        const auto& crs = c.seen->crs.text();
        ++systems[crs.empty() ? "none" : crs];
        if (reflection::is_projjson_hash(crs)) names.try_emplace(crs, c.seen->crs_name);
    }
    auto roots = workspaces(roots_);
    for (auto& r : roots) {
        const std::string folder{base::string_member(r, "folder")};
        r.get_object()["datasets"] = datasets[folder];
        r.get_object()["size_bytes"] = bytes[folder];
    }
    auto by_crs = ranked(systems, "crs");
    for (auto& one : by_crs)
        if (const auto name = names.find(base::string_member(one, "crs")); name != names.end())
            one.get_object()["crs_name"] = name->second;
    json::object told{{"workspaces", std::move(roots)},
                      {"datasets", v->datasets.size()},
                      {"kinds", ranked(kinds, "kind")},
                      {"drivers", ranked(drivers, "driver")},
                      {"crs", std::move(by_crs)},
                      {"extensions", ranked(extensions, "extension")},
                      {"not_opened", v->not_opened},
                      {"not_looked_at", v->not_looked_at},
                      {"approximate", v->not_looked_at > 0 || !v->stopped.empty()}};
    if (!v->stopped.empty()) told["walk_stopped"] = v->stopped;
    if (v->not_utf8) told["names_not_utf8"] = v->not_utf8;
    return told;
}

}  // namespace gdalmcp::app
