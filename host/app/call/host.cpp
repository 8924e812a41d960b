#include "app/call/host.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "app/call/call_gate.hpp"
#include "app/call/tool_call.hpp"
#include "base/digest.hpp"
#include "base/elf.hpp"
#include "base/file.hpp"
#include "base/file_owner.hpp"
#include "base/log.hpp"
#include "catalog/search_path.hpp"
#include "reflection/disk_store.hpp"
#include "reflection/layered_store.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::result;

namespace {

constexpr std::size_t max_tool_name = 64;              // longer names are invalid and are cut
constexpr std::chrono::milliseconds after_start{500};  // before sweeping; clients start servers just to inspect them
constexpr int max_attempts = 20;                       // of a call whose bundle is replaced meanwhile

std::vector<fs::path> folders(const workspace::roots& r) {
    std::vector<fs::path> all;
    for (const auto& root : r.list()) all.push_back(root.folder);
    return all;
}

// The store lies with its data; without a writable workspace, in the state folder under the workspace's name.
base::own_folder store_folder(const workspace::roots& r, const configuration& c) {
    for (const auto& root : r.list())
        if (root.writable) return {root.folder, ".preflight"};
    const auto name = r.list().empty() ? std::string{"none"} : base::sha256_hex(r.list().front().folder.string());
    return {c.state_dir / "workspaces", name};
}

result<reflection::policy_file> read_policy(const fs::path& named) {
    if (named.empty()) return reflection::policy_file{};
    const auto refused = [](const base::problem& p) { return base::fail(p.code, "--policy: " + p.message, p.hint); };
    const auto text = base::read_file(named, 1u << 20);
    if (!text) return refused(text.error());
    struct stat s {};
    if (::stat(named.c_str(), &s) == 0)
        if (auto ok = base::check_not_writable_by_others(named, s, base::code::denied); !ok) return refused(ok.error());
    const auto real = [](const std::string& folder) {
        std::error_code ec;
        const auto found = fs::weakly_canonical(folder, ec);
        return ec ? folder : found.string();
    };
    auto file = reflection::policy_file::parse(*text, real);
    if (!file)
        return base::fail(base::code::invalid_argument, named.string() + ": " + file.error().message,
                          file.error().hint);
    return file;
}

// Of the store as it is: justifications/<domain>/earlier.
void sweep_below(const base::own_folder& folder, int depth, const std::function<bool()>& go_on) {
    folder.sweep();
    struct stat s {};
    for (const auto& name : folder.names())
        if (depth > 0 && go_on() && folder.look(name, s) && S_ISDIR(s.st_mode))
            sweep_below(folder / name, depth - 1, go_on);
}

// What counts in the first workspace.
reflection::gate::policies in_workspace(const reflection::policy_file& p, const workspace::roots& r) {
    return [p, folder = r.list().empty() ? std::string{} : r.list().front().folder.string()](
               const reflection::spec& s) { return p.applied(s.domain, folder, s.policy); };
}

// An unknown name in the policy is a typing error, or belongs to a bundle not installed yet.
std::vector<std::string> unknown_names(const reflection::policy_file& p, const tool_set& now) {
    std::vector<std::string> all;
    const auto& s = now.specs();
    for (const auto& domain : p.domains())
        if (!s.find(domain)) all.push_back("the policy names the unknown domain '" + domain + "'");
    std::error_code ec;
    for (const auto& folder : p.workspaces())
        if (!fs::is_directory(folder, ec))
            all.push_back("the policy names the workspace '" + folder + "', which is not a folder");
    for (const auto& [domain, checks] : p.checks())
        for (const auto& name : checks)
            if (const auto* known = s.find(domain);
                known && std::none_of(known->checks.begin(), known->checks.end(),
                                      [&](const reflection::check& c) { return c.name == name; }))
                all.push_back("the policy names the check '" + name + "', which the domain '" + domain +
                              "' does not have");
    const auto& bundles = now.tools().bundles();
    const auto& refused = now.tools().quarantine();
    for (const auto& [bundle, tools] : p.governed()) {
        const auto is_it = [&id = bundle](const auto& b) { return b->id == id; };
        const auto was_it = [&id = bundle](const catalog::quarantined& q) { return q.id == id; };
        if (!bundle.empty() && std::none_of(bundles.begin(), bundles.end(), is_it) &&
            std::none_of(refused.begin(), refused.end(), was_it))
            all.push_back("the policy names, under `govern`, the bundle '" + bundle + "', which is not installed");
        for (const auto& tool : tools)
            if (!now.tools().find_known(tool) && !now.tools().find_quarantined(tool))
                all.push_back("the policy names, under `govern`, the tool '" + tool + "', which no bundle has");
    }
    return all;
}

// The writable store and the team libraries behind it. An unreadable library is left out with a warning.
std::shared_ptr<reflection::store> open_store(const fs::path& own, const std::vector<fs::path>& libraries) {
    std::vector<std::unique_ptr<reflection::store>> readable;
    for (const auto& folder : libraries) {
        std::error_code ec;
        if (auto library = reflection::open_library(fs::absolute(folder, ec)))
            readable.push_back(std::move(*library));
        else
            base::log(base::log_level::warning, library.error().message + "; " + library.error().hint);
    }
    return reflection::layer_stores(reflection::open_disk_store(own), std::move(readable));
}

// Its links followed, where it exists.
fs::path real_folder(const fs::path& folder) {
    std::error_code ec;
    auto real = fs::weakly_canonical(folder, ec);
    return ec ? folder : real;
}

toolset_switches switches_of(const client& asker) {
    return asker.toolsets ? asker.toolsets->switches() : toolset_switches{};
}

// The outputs a result names.
json::array outputs_of(const outcome& o) {
    json::array all;
    const auto* output = o.structured ? base::find_member(*o.structured, "output") : nullptr;
    if (const auto uri = output ? base::string_member(*output, "uri") : ""; !uri.empty()) all.emplace_back(uri);
    return all;
}

// The folders of bundles, and of the program's own specs and prompts.
std::vector<fs::path> watched_folders(const tool_set::sources& s) {
    auto all = s.search_path;
    all.push_back(s.parts.reflection_specs);
    for (const auto& prompts : {s.parts.prompts, s.prompts})
        for (const char* below : {"", "methodology", "tools"})
            if (!prompts.empty()) all.push_back(prompts / below);
    return all;
}

}  // namespace

result<catalog::admission> admission_of(const configuration& c, const installation& parts) {
    catalog::admission a;
    a.toolsets = c.toolsets;
    a.trust.level = *catalog::trust_level_of(c.trust);
    a.trust.network.insert(c.allow_network.begin(), c.allow_network.end());
    std::error_code ec;
    a.trust.installed = fs::canonical(parts.bundles, ec);
    if (!c.trust_keys.empty()) {
        auto keys = catalog::read_keys(c.trust_keys);
        if (!keys) return tl::unexpected{keys.error()};
        a.trust.keys = std::move(*keys);
    }
    if (a.trust.level == catalog::trust_level::signed_manifest && a.trust.keys.empty())
        return base::fail(base::code::invalid_argument, "--trust signed without a key rejects every bundle",
                          "name the file with the keys you trust: --trust-keys FILE");
    // Of the libgdal the worker runs with, read from its file: this program does not link GDAL.
    auto needed = base::needed_libraries(parts.worker);
    if (!needed) return tl::unexpected{needed.error()};
    a.libgdal = base::libgdal_among(*needed);
    return a;
}

json::object problem_body(const outcome& o) {
    if (o.body) return *o.body;
    json::object body{
        {"ok", false}, {"error", o.problem->code}, {"message", o.problem->message}, {"hint", o.problem->hint}};
    if (!o.problem->at.empty()) body["at"] = o.problem->at;
    return body;
}

result<std::unique_ptr<host>> host::open(const configuration& c) {
    auto parts = find_installation();
    if (!parts) return tl::unexpected{parts.error()};
    std::error_code ec;
    auto roots = workspace::roots::open(c.workspaces, fs::current_path(ec), environment_variable("HOME"));
    if (!roots) return tl::unexpected{roots.error()};
    for (const auto& [flag, named] : std::initializer_list<std::pair<const char*, const fs::path&>>{
             {"--policy", c.policy}, {"--trust-keys", c.trust_keys}, {"--tokens", c.tokens}, {"--prompts", c.prompts}})
        if (auto ok = roots->keep_apart(flag, named); !ok) return tl::unexpected{ok.error()};
    auto admission = admission_of(c, *parts);
    if (!admission) return tl::unexpected{admission.error()};
    const auto folder = store_folder(*roots, c);
    if (!c.replay_into.empty()) {
        roots = roots->writing_only_to(c.replay_into);
        if (!roots) return tl::unexpected{roots.error()};
    }
    auto store = open_store(folder.path(), c.justifications);
    fs::path prompts;
    if (!c.prompts.empty()) {
        prompts = fs::canonical(c.prompts, ec);
        if (ec) return base::fail(base::code::not_found, "--prompts " + c.prompts.string() + ": " + ec.message());
    }
    const auto policy = read_policy(c.policy);
    if (!policy) return tl::unexpected{policy.error()};
    auto policies = in_workspace(*policy, *roots);
    for (const auto& given : c.bundles)
        if (const auto ok = catalog::check_given(given); !ok)
            base::log(base::log_level::warning, ok.error().message + "; " + ok.error().hint);
    auto path = catalog::search_path(c.bundles, {parts->bundles}, environment_variable);
    std::unique_ptr<host> h{
        new host{c,
                 std::move(*roots),
                 {std::move(*parts),
                  std::move(path),
                  std::move(*admission),
                  {},
                  std::move(store),
                  std::move(policies),
                  prompts,
                  [p = *policy](std::string_view bundle, std::string_view tool) { return p.may_govern(bundle, tool); }},
                 folder}};
    if (auto ok = h->reload(); !ok) return tl::unexpected{ok.error()};
    h->stages_.sweep_noted([&](const fs::path& where) {
        const auto there = h->roots_.writable((where / "any").string());
        return there && there->parent_path() == where;
    });
    h->policy_remarks_ = unknown_names(*policy, *h->offered());
    for (const auto& remark : h->policy_remarks_) base::log(base::log_level::warning, remark);
    return h;
}

host::host(configuration c, workspace::roots r, tool_set::sources s, const base::own_folder& store)
    : configuration_{std::move(c)},
      roots_{std::move(r)},
      history_{store},
      sources_{std::move(s)},
      bundle_changes_{watched_folders(sources_)},
      places_{workspace::default_scratch(configuration_.scratch, environment_variable)},
      scratch_{places_.disk, background_},
      results_{places_, [] { return std::chrono::system_clock::now(); }, {}, &background_},
      stages_{store / "stages", &background_},
      stated_{store / "datasets"},
      work_{configuration_, sources_.parts, folders(roots_)},
      known_{asking_worker()},
      datasets_{roots_,
                {configuration_.state_dir, "datasets"},
                real_folder(configuration_.state_dir),
                asking_worker(),
                known_},
      find_{datasets_} {
    sources_.describe = [this](const fs::path& library) { return work_.describe(library); };
    sweep_later(store);
}

trusted_work host::asking_worker() {
    return [this](auto&&... a) { return answer(std::forward<decltype(a)>(a)...); };
}

std::shared_ptr<const tool_set> host::offered() const {
    const std::lock_guard lock{tools_guard_};
    return tools_;
}

result<void> host::reload(const fs::path& refused_library) {
    const std::lock_guard one_at_a_time{reloading_};
    if (!refused_library.empty()) sources_.admission.doubted.insert(refused_library);
    auto fresh = tool_set::load(sources_);
    if (!fresh) return tl::unexpected{fresh.error()};
    const std::lock_guard lock{tools_guard_};
    if (!tools_ || tools_->remarks() != (*fresh)->remarks())
        for (const auto& remark : (*fresh)->remarks()) base::log(base::log_level::warning, remark);
    tools_ = std::move(*fresh);
    return {};
}

bool host::only_reads(std::string_view tool) const {
    const auto now = offered();
    const auto* t = now->tools().find_known(tool);
    return !t || t->annotations.read_only;
}

bool host::only_as_task(std::string_view tool) const {
    const auto now = offered();
    const auto* t = now->tools().find_known(tool);
    return t && t->annotations.task_only;
}

void host::sweep_later(const base::own_folder& store) {
    std::vector<fs::path> places = {places_.disk};
    if (places_.memory) places.push_back(*places_.memory);
    for (const auto& root : roots_.list())
        if (root.writable) places.push_back(root.folder);
    const base::own_folder described{configuration_.state_dir, "described"};
    const base::own_folder datasets{configuration_.state_dir, "datasets"};
    const auto work = [this, places, store, described, datasets](const auto& go_on) {
        for (const auto& place : places) workspace::sweep(place, &background_);
        sweep_below(store, 3, go_on);
        described.sweep();
        datasets.sweep();
    };
    background_.post(work, after_start);
}

reflection::crs_lookup host::crs_lookup(const runner::cancellation& cancel) {
    return [this, &cancel](std::string_view spelling) { return work_.crs(spelling, cancel); };
}

std::vector<std::string> host::gone_results() {
    results_.expire();
    std::vector<std::string> uris;
    for (const auto& id : results_.take_gone()) uris.push_back(workspace::result_uri(id));
    return uris;
}

result<json::object> host::answer(runner::request r, const runner::cancellation& cancel,
                                  std::optional<std::chrono::milliseconds> limit) {
    auto scratch = scratch_.take();
    if (!scratch) return tl::unexpected{scratch.error()};
    auto done = work_.answer(std::move(r), scratch->path(), cancel, limit);
    scratch_.give_back(std::move(*scratch));
    return done;
}

result<json::value> host::facts_of(const std::string& dataset, const runner::cancellation& cancel) {
    const json::value schema = {{"properties", {{"uri", {{"type", "string"}, {"x-gdalmcp", "input-any"}}}}}};
    auto readable = workspace::plan(schema, {{"uri", dataset}}, roots_, results_);
    if (!readable) return tl::unexpected{readable.error()};
    auto scratch = scratch_.take();
    if (!scratch) return tl::unexpected{scratch.error()};
    auto facts = work_.facts(*readable, scratch->path(), cancel);
    scratch_.give_back(std::move(*scratch));
    return facts;
}

std::optional<json::object> host::justification(std::string_view domain, std::string_view cache_key) const {
    if (!offered()->specs().find(domain) || !reflection::is_cache_key(cache_key)) return std::nullopt;
    const auto found = sources_.store->find(domain, cache_key);
    if (found.records.empty()) return std::nullopt;
    return found.records.front()->text;
}

result<json::object> host::keys_of(const std::string& tool, json::object arguments) {
    const runner::cancellation never;
    const runner::call_events unheard;
    const client nobody;
    const call_context c{services(), offered(), never, unheard, nobody};
    const auto* t = c.tools->find(tool, {});
    if (!t) return tl::unexpected{c.tools->not_offered(tool, "")};
    return keys_of_call(c, *t, std::move(arguments));
}

outcome host::call(std::string_view name, json::object arguments, const runner::cancellation& cancel,
                   const runner::call_events& events, const client& asker) {
    call_record done;
    done.tool = name.substr(0, max_tool_name);
    done.arguments = digest_of_arguments(arguments);
    done.started = std::chrono::system_clock::now();
    auto o = call_any(name, std::move(arguments), {services(), offered(), cancel, events, asker});
    done.took = std::chrono::system_clock::now() - done.started;
    o.gone_results = gone_results();
    done.outcome = o.problem ? o.problem->code : o.ask ? "input_required" : "ok";
    done.outputs = outputs_of(o);
    for (const auto& output : done.outputs)
        if (!workspace::id_of_result_uri(output.get_string())) o.written_files.emplace_back(output.get_string());
    done.receipts = o.receipts;
    history_.record(done);
    return o;
}

outcome host::call_any(std::string_view name, json::object arguments, const call_context& c) {
    if (const auto* t = c.tools->find(name, switches_of(c.asker))) return call_tool(c, *t, std::move(arguments));
    json::value checked(std::move(arguments));
    const auto* schema = c.tools->host_tool(name);
    if (!schema) return outcome::failure(c.tools->not_offered(name, ""));
    schema->reify(checked);
    if (auto ok = schema->check(checked); !ok) return outcome::failure(ok.error());
    const auto& given = checked.get_object();
    if (name == "store_justification") return store_justification(given, c);
    if (name == "preflight") return preflight(given, c);
    if (name == "data_find") return outcome::of(find_.answer(given, c.cancel, c.events.progress));
    if (name == "toolsets") return switch_toolsets(given, c.asker);
    return release_result(given);
}

outcome host::call_tool(const call_context& c, const catalog::tool& t, json::object arguments) {
    auto o = app::call_tool(c, t, arguments);
    // The library is missing or does not match its manifest, and nothing has run: the bundle may have been replaced
    // since the catalogue was loaded, and again while it was loaded. The call uses the version found now. A broken
    // bundle is no longer offered then. (A tool that forges this error loses its stages and runs again.)
    for (int attempt = 1; attempt < max_attempts && o.problem && o.problem->code == base::code::quarantined;
         ++attempt) {
        if (const auto ok = reload(t.bundle->library->path); !ok) return o;
        auto again = c;
        again.tools = offered();
        const auto* now = again.tools->find(t.name, switches_of(c.asker));
        if (now) o = app::call_tool(again, *now, arguments);
        o.tools_changed = true;
        if (!now) break;
    }
    return o;
}

outcome host::store_justification(const json::object& arguments, const call_context& c) {
    return outcome::of(c.tools->gate().store_justification(json::value(arguments), crs_lookup(c.cancel)));
}

outcome host::preflight(const json::object& arguments, const call_context& c) {
    const std::string name{arguments.at("tool").get_string()};
    const auto* t = c.tools->find(name, switches_of(c.asker));
    if (!t) return outcome::failure(c.tools->not_offered(name, "/tool"));
    const auto* given = arguments.if_contains("arguments");
    return outcome::of(preflight_call(c, *t, given && given->is_object() ? given->get_object() : json::object{}));
}

outcome host::switch_toolsets(const json::object& arguments, const client& asker) {
    auto o = outcome::of(app::switch_toolsets(offered()->tools(), asker.toolsets.get(), arguments));
    o.toolsets_changed = !o.problem && asker.toolsets;
    return o;
}

outcome host::release_result(const json::object& arguments) {
    const std::string uri{arguments.at("uri").get_string()};
    const auto id = workspace::id_of_result_uri(uri);
    if (!id)
        return outcome::failure({base::code::invalid_argument, "'" + uri + "' is not a managed result",
                                 "give a URI of the form query://result/{id}", "/uri"});
    if (auto ok = results_.release(*id); !ok) return outcome::failure(ok.error());
    outcome o;
    o.structured = json::object{{"released", uri}};
    o.results_changed = true;
    return o;
}

}  // namespace gdalmcp::app
