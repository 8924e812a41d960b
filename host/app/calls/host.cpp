#include "app/calls/host.hpp"

#include <unistd.h>

#include "app/calls/tool_call.hpp"
#include "base/digest.hpp"
#include "base/elf.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "catalog/search_path.hpp"
#include "reflection/disk_store.hpp"
#include "reflection/layered_store.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::result;

namespace {

constexpr std::size_t longest_tool_name = 64;          // a longer one is none, and is not worth keeping whole
constexpr std::chrono::milliseconds after_start{500};  // before sweeping; clients start servers only to look at them
constexpr int most_attempts = 3;                       // at a call whose bundle is replaced meanwhile

std::vector<fs::path> folders(const workspace::roots& r) {
    std::vector<fs::path> all;
    for (const auto& root : r.list()) all.push_back(root.folder);
    return all;
}

// The store lives with the data it is about; without a writable workspace, in the state folder under the workspace's
// name.
base::own_folder store_folder(const workspace::roots& r, const configuration& c) {
    for (const auto& root : r.list())
        if (root.writable) return {root.folder, ".preflight"};
    const auto name = r.list().empty() ? std::string{"none"} : base::sha256_hex(r.list().front().folder.string());
    return {c.state_dir / "workspaces", name};
}

result<reflection::policy_file> read_policy(const fs::path& named) {
    if (named.empty()) return reflection::policy_file{};
    const auto text = base::read_file(named, 1u << 20);
    if (!text) return tl::unexpected{text.error()};
    auto file = reflection::policy_file::parse(*text);
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

// A policy for a domain nobody has is a typing error, or of a bundle that is still to come.
void report_policy(const reflection::policy_file& p, const reflection::specs& s) {
    for (const auto& domain : p.domains())
        if (!s.find(domain))
            base::log(base::log_level::warning, "the policy speaks of the domain '" + domain + "', which nobody has");
}

// What is written to, and the team's libraries behind it. One that cannot be read is left out, aloud.
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

// What a result says was written.
json::array outputs_of(const outcome& o) {
    json::array all;
    const auto* output = o.structured ? base::find_member(*o.structured, "output") : nullptr;
    if (const auto uri = output ? base::string_member(*output, "uri") : ""; !uri.empty()) all.emplace_back(uri);
    return all;
}

// What tells something else after a call than before.
void tell_changes(outcome& o, std::vector<std::string> gone_results) {
    o.updated_uris = std::move(gone_results);
    o.updated_uris.emplace_back("history://operations");
    if (!o.receipts.empty()) o.updated_uris.emplace_back("receipts://recent");
    for (const auto& output : outputs_of(o))
        if (!workspace::id_of_result_uri(output.get_string())) o.written_files.emplace_back(output.get_string());
}

// Where bundles may come and go, and the program's own specs and prompts.
std::vector<fs::path> watched_folders(const offering::sources& s) {
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
        return base::fail(base::code::invalid_argument, "--trust signed without a key: no bundle could ever be used",
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
    auto store = open_store(folder.path(), c.justifications);
    fs::path prompts;
    if (!c.prompts.empty()) {
        prompts = fs::canonical(c.prompts, ec);
        if (ec) return base::fail(base::code::not_found, "--prompts " + c.prompts.string() + ": " + ec.message());
    }
    const auto policy = read_policy(c.policy);
    if (!policy) return tl::unexpected{policy.error()};
    auto policies = in_workspace(*policy, *roots);
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
    report_policy(*policy, h->offered()->specs());
    return h;
}

host::host(configuration c, workspace::roots r, offering::sources s, const base::own_folder& store)
    : configuration_{std::move(c)},
      roots_{std::move(r)},
      history_{store},
      sources_{std::move(s)},
      bundle_changes_{watched_folders(sources_)},
      places_{workspace::default_scratch(configuration_.scratch, environment_variable)},
      results_{places_, [] { return std::chrono::system_clock::now(); }, {}, &background_},
      stages_{store / "stages", &background_},
      stated_{store / "datasets"},
      work_{configuration_, sources_.parts, folders(roots_)} {
    sources_.describe = [this](const fs::path& library) { return work_.describe(library); };
    sweep_later(store);
}

std::shared_ptr<const offering> host::offered() const {
    const std::lock_guard lock{offering_guard_};
    return offering_;
}

result<void> host::reload(const fs::path& refused_library) {
    const std::lock_guard one_at_a_time{reloading_};
    if (!refused_library.empty()) sources_.admission.doubted.insert(refused_library);
    auto fresh = offering::load(sources_);
    if (!fresh) return tl::unexpected{fresh.error()};
    const std::lock_guard lock{offering_guard_};
    if (!offering_ || offering_->remarks() != (*fresh)->remarks())
        for (const auto& remark : (*fresh)->remarks()) base::log(base::log_level::warning, remark);
    offering_ = std::move(*fresh);
    return {};
}

bool host::only_reads(std::string_view tool) const {
    const auto now = offered();
    const auto* t = now->tools().find(tool);
    return !t || t->annotations.read_only;
}

bool host::only_as_task(std::string_view tool) const {
    const auto now = offered();
    const auto* t = now->tools().find(tool);
    return t && t->annotations.task_only;
}

void host::sweep_later(const base::own_folder& store) {
    std::vector<fs::path> places = {places_.disk};
    if (places_.memory) places.push_back(*places_.memory);
    for (const auto& root : roots_.list())
        if (root.writable) places.push_back(root.folder);
    const base::own_folder described{configuration_.state_dir, "described"};
    const auto work = [this, places, store, described](const auto& go_on) {
        for (const auto& place : places) workspace::sweep(place, &background_);
        sweep_below(store, 3, go_on);
        described.sweep();
    };
    background_.post(work, after_start);
}

result<workspace::temporary_folder> host::take_scratch() {
    const auto is_there = [](const workspace::temporary_folder& f) { return ::access(f.path().c_str(), W_OK) == 0; };
    const std::lock_guard lock{scratch_guard_};
    if (scratch_ && !is_there(*scratch_)) {
        spare_scratch_.clear();
        scratch_.reset();
    }
    while (!spare_scratch_.empty()) {
        auto folder = std::move(spare_scratch_.back());
        spare_scratch_.pop_back();
        if (is_there(folder)) return folder;
    }
    if (!scratch_) {
        auto made = workspace::temporary_folder::make(workspace::new_temporary_name(places_.disk), true, &background_);
        if (!made) return tl::unexpected{made.error()};
        scratch_ = std::move(*made);
    }
    return workspace::temporary_folder::make(scratch_->path() / workspace::random_id(), false, &background_);
}

void host::give_back(workspace::temporary_folder folder) {
    std::error_code ec;
    if (!fs::is_empty(folder.path(), ec) || ec) return;  // removed with its object
    const std::lock_guard lock{scratch_guard_};
    spare_scratch_.push_back(std::move(folder));
}

reflection::crs_lookup host::crs_lookup(const runner::cancellation& cancel) {
    return [this, &cancel](std::string_view spelling) { return work_.crs(spelling, cancel); };
}

std::vector<std::string> host::gone_results() {
    results_.expire();
    std::vector<std::string> uris;
    for (const auto& id : results_.take_gone()) {
        uris.push_back(workspace::result_uri(id));
        uris.push_back(uris.back() + "/data");
    }
    return uris;
}

result<json::object> host::answer(const char* operation, json::object members, const runner::cancellation& cancel,
                                  std::optional<std::chrono::milliseconds> limit) {
    auto scratch = take_scratch();
    if (!scratch) return tl::unexpected{scratch.error()};
    auto done = work_.answer(operation, std::move(members), scratch->path(), cancel, limit);
    give_back(std::move(*scratch));
    return done;
}

result<json::value> host::facts_of(const std::string& dataset, const runner::cancellation& cancel) {
    const json::value schema = {{"properties", {{"uri", {{"type", "string"}, {"x-gdalmcp", "input-any"}}}}}};
    auto readable = workspace::plan(schema, {{"uri", dataset}}, roots_, results_);
    if (!readable) return tl::unexpected{readable.error()};
    auto scratch = take_scratch();
    if (!scratch) return tl::unexpected{scratch.error()};
    auto facts = work_.facts(*readable, scratch->path(), cancel);
    give_back(std::move(*scratch));
    return facts;
}

std::optional<json::object> host::justification(std::string_view domain, std::string_view cache_key) const {
    if (!offered()->specs().find(domain) || !reflection::is_cache_key(cache_key)) return std::nullopt;
    const auto found = sources_.store->find(domain, cache_key);
    if (found.records.empty()) return std::nullopt;
    return found.records.front()->text;
}

outcome host::call(std::string_view name, json::object arguments, const runner::cancellation& cancel,
                   const runner::call_events& events, const client& asker) {
    operation done;
    done.tool = name.substr(0, longest_tool_name);
    done.arguments = digest_of_arguments(arguments);
    done.started = std::chrono::system_clock::now();
    auto o = call_any(name, std::move(arguments), cancel, events, asker);
    done.took = std::chrono::system_clock::now() - done.started;
    tell_changes(o, gone_results());
    done.outcome = o.problem ? o.problem->code : o.ask ? "input_required" : "ok";
    done.outputs = outputs_of(o);
    done.receipts = o.receipts;
    history_.record(done);
    return o;
}

outcome host::call_any(std::string_view name, json::object arguments, const runner::cancellation& cancel,
                       const runner::call_events& events, const client& asker) {
    const auto now = offered();
    if (const auto* t = now->tools().find(name)) return call_tool(now, *t, std::move(arguments), cancel, events, asker);
    json::value checked(std::move(arguments));
    const auto* schema = now->host_tool(name);
    if (!schema) return outcome::failure(now->unknown_tool(name, ""));
    schema->reify(checked);
    if (auto ok = schema->check(checked); !ok) return outcome::failure(ok.error());
    const auto& given = checked.get_object();
    if (name == "store_justification") return store_justification(given, cancel);
    if (name == "preflight") return preflight(given, cancel);
    return release_result(given);
}

outcome host::call_tool(const std::shared_ptr<const offering>& from, const catalog::tool& t, json::object arguments,
                        const runner::cancellation& cancel, const runner::call_events& events, const client& asker) {
    auto o = tool_call{*this, from, t, cancel, events, asker}.run(arguments);
    // The library is not what its manifest says, or gone, and nothing has run: the bundle may have been replaced since
    // the catalogue was loaded, and again since then. What is there now serves the call. (A tool that forges this word
    // gets its stages thrown away and runs again.)
    for (int attempt = 1; attempt < most_attempts && o.problem && o.problem->code == base::code::quarantined;
         ++attempt) {
        if (const auto ok = reload(t.bundle->library->path); !ok) return o;
        const auto now = offered();
        if (const auto* again = now->tools().find(t.name))
            o = tool_call{*this, now, *again, cancel, events, asker}.run(arguments);
        o.offering_changed = true;
    }
    return o;
}

outcome host::store_justification(const json::object& arguments, const runner::cancellation& cancel) {
    auto stored = offered()->gate().store_justification(json::value(arguments), crs_lookup(cancel));
    if (!stored) return outcome::failure(stored.error());
    outcome o;
    o.structured = std::move(*stored);
    return o;
}

outcome host::preflight(const json::object& arguments, const runner::cancellation& cancel) {
    const std::string name{arguments.at("tool").get_string()};
    const auto now = offered();
    const auto* t = now->tools().find(name);
    if (!t) return outcome::failure(now->unknown_tool(name, "/tool"));
    const auto* given = arguments.if_contains("arguments");
    auto planned = tool_call{*this, now, *t, cancel, {}}.preflight(given && given->is_object() ? given->get_object()
                                                                                               : json::object{});
    if (!planned) return outcome::failure(planned.error());
    outcome o;
    o.structured = std::move(*planned);
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
