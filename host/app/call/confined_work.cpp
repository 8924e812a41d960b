#include "app/call/confined_work.hpp"

#include "app/call/tool_answer.hpp"
#include "base/crs_spelling.hpp"
#include "base/digest.hpp"
#include "base/elf.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "workspace/read_files.hpp"
#include "workspace/role.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::app {

using base::result;

namespace {

// Loading a library and copying its tables takes milliseconds; a start waits for every bare one.
constexpr std::chrono::seconds description_time{5};

// The worker's whole environment: plugins see nothing of ours but the locations of data files.
std::vector<std::string> worker_environment(const configuration& c) {
    std::vector<std::string> e = {
        "LANG=C.UTF-8", "PATH=/usr/bin:/bin", "PROJ_NETWORK=OFF",
        "LD_BIND_NOW=1",  // symbols are looked up once in the zygote, not in every child
        // Freed arrays are used again instead of asking the kernel for fresh memory, which comes in pages of 2 MB.
        "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=268435456:glibc.malloc."
        "hugetlb=1",
        "GDAL_CACHEMAX=" + std::to_string(c.cache_mib)};
    for (const char* name : {"GDAL_DATA", "PROJ_DATA", "PROJ_LIB", "GDAL_DRIVER_PATH", "LD_LIBRARY_PATH",
                             "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "TZ"})
        if (const auto v = environment_variable(name); !v.empty()) e.push_back(std::string{name} + "=" + v);
    return e;
}

// Changes whenever the dataset does.
std::string state_of(const workspace::input& i) {
    const auto state = workspace::dataset_state(i.path);
    return state.empty() ? state : i.dataset + "|" + state;
}

runner::input input_of(const workspace::input& i) {
    // The location of a managed result is not disclosed.
    return {i.pointer, i.path, i.dataset, std::string{workspace::name_of(i.role)}, i.result ? i.given : std::string{},
            {},        {}};
}

// The worker's answer for a spelling.
reflection::crs_identity identity_of(const json::value& form) {
    reflection::crs_identity i{std::string{base::string_member(form, "normal")}, base::bool_member(form, "geographic"),
                               std::string{base::string_member(form, "name")}};
    i.label = base::string_member(form, "label");
    if (const auto* m = base::find_member(form, "unit_m")) i.unit_m = m->to_number<double>();
    if (const auto* area = base::find_member(form, "area_of_use")) {
        auto& to = i.area_of_use.emplace();
        for (std::size_t k = 0; k < to.size(); ++k) to[k] = area->at(k).to_number<double>();
    }
    return i;
}

}  // namespace

confined_work::confined_work(const configuration& c, const installation& i, std::vector<std::filesystem::path> roots)
    : configuration_{c},
      roots_{std::move(roots)},
      zygote_{i.worker, worker_environment(c)},
      plain_zygote_{i.plain_worker, worker_environment(c)} {}

runner::request confined_work::request(const char* operation, const std::filesystem::path& scratch) const {
    runner::request r;
    r.operation = operation;
    r.scratch = scratch;
    complete(r);
    return r;
}

void confined_work::complete(runner::request& r) const {
    r.sandbox = configuration_.sandbox;
    r.threads = std::to_string(configuration_.threads_per_call());
    r.limits.file_size = static_cast<std::uint64_t>(configuration_.file_size_mib) << 20;
    r.limits.descriptors = configuration::descriptors;
#ifndef GDALMCP_SANITIZED  // a sanitizer's shadow memory alone is terabytes of address space
    r.limits.address_space = static_cast<std::uint64_t>(configuration_.address_space());
#endif
}

// The workspaces, and the folder of each managed result the call names.
std::vector<std::filesystem::path> confined_work::readable(const workspace::call_files& a) const {
    auto all = roots_;
    for (const auto& i : a.inputs)
        if (i.result) all.push_back(i.result->folder.path());
    return all;
}

result<runner::ending> confined_work::ask(runner::zygote& z, const runner::request& r,
                                          const runner::cancellation& cancel, const runner::call_events& events,
                                          runner::answer_when when, std::optional<std::chrono::milliseconds> limit) {
    return runner::run_confined(z, r, limit.value_or(std::chrono::seconds{configuration_.timeout_s}), cancel, events,
                                when);
}

result<json::value> confined_work::facts(const workspace::call_files& a, const std::filesystem::path& scratch,
                                         const runner::cancellation& cancel, const std::string& subdataset) {
    struct known {
        const workspace::input& input;
        std::string state;
        json::value facts;
    };
    std::vector<known> all;
    std::vector<runner::input> wanted;
    for (const auto& i : a.inputs) {
        auto state = state_of(i);
        const auto part = all.empty() ? subdataset : std::string{};
        if (!state.empty() && !part.empty()) state += "|" + part;
        auto found = state.empty() ? std::nullopt : known_facts_.find(state);
        if (!found) {
            wanted.push_back(input_of(i));
            wanted.back().part = part;
        }
        all.push_back({i, std::move(state), found ? std::move(*found) : json::value(nullptr)});
    }
    if (!wanted.empty()) {
        auto r = request("probe", scratch);
        r.roots = readable(a);
        r.inputs = std::move(wanted);
        auto e = ask(zygote_, r, cancel);
        if (!e) return tl::unexpected{e.error()};
        auto& answer = e->done.at("facts");
        for (auto& k : all) {
            if (!k.facts.is_null()) continue;
            k.facts = std::move(answer.at(k.input.pointer));
            if (!k.state.empty()) known_facts_.keep(k.state, k.facts);  // empty: the file was just removed
        }
    }
    json::object facts;
    json::array inputs;
    for (auto& k : all) {
        auto& o = k.facts.as_object();
        o["path"] = k.input.given;
        o["pointer"] = k.input.pointer;
        inputs.push_back(std::move(k.facts));
    }
    if (!inputs.empty()) facts["input"] = inputs.front();  // in the order of the schema, not of the caller
    facts["inputs"] = std::move(inputs);
    return json::value(std::move(facts));
}

result<reflection::crs_identity> confined_work::crs(std::string_view given, const runner::cancellation& cancel) {
    const auto spelling = base::crs_spelling(given);
    if (auto known = known_crs_.find(spelling)) return std::move(*known);
    auto r = request("crs", {});
    r.spellings = {std::string{spelling}};
    auto e = ask(zygote_, r, cancel);
    if (!e) return tl::unexpected{e.error()};
    auto identity = identity_of(e->done.at("forms").at(0));
    known_crs_.keep(std::string{spelling}, identity);
    return identity;
}

result<runner::ending> confined_work::run(const catalog::tool& t, const workspace::call_files& a,
                                          const std::vector<planned_output>& outputs,
                                          const std::filesystem::path& scratch, const runner::cancellation& cancel,
                                          const runner::call_events& events,
                                          const std::vector<std::filesystem::path>& also_writable,
                                          std::optional<std::chrono::milliseconds> limit, json::object told,
                                          std::string date) {
    auto r = request("run", scratch);
    const auto& library = *t.bundle->library;
    r.asking = std::move(told);
    r.date = std::move(date);
    r.roots = readable(a);
    r.bundle = t.bundle->folder;
    r.library = library.path;
    r.library_sha256 = library.sha256;
    r.tool = t.name;
    r.arguments = a.arguments;
    r.network = t.bundle->network;
    for (const auto& [name, sha256] : t.bundle->files)
        if (const auto path = t.bundle->folder / name; name.compare(0, 4, "lib/") == 0 && path != library.path)
            r.carried.push_back({path, sha256});
    auto inputs = inputs_of(t, a, !outputs.empty(), scratch, cancel);
    if (!inputs) return tl::unexpected{inputs.error()};
    r.inputs = std::move(*inputs);
    for (const auto& o : outputs) {
        auto& place = r.outputs.emplace_back(runner::output{o.pointer, o.file_name, {}});
        for (const auto& c : o.candidates) place.stages.push_back({c.folder, c.room});
    }
    r.writable = also_writable;
    r.observe = events.observed != nullptr;
    if (const auto known = known_libraries_.find(library.path.string()); known && known->sha256 == library.sha256)
        r.library_known = known->state;
    auto e = ask(zygote_of(*t.bundle), r, cancel, events,
                 outputs.empty() ? runner::answer_when::told : runner::answer_when::gone, limit);
    if (!e) return e;
    if (auto ok = check_answer(e->done); !ok) return tl::unexpected{ok.error()};
    if (!e->prepared)  // the worker always sends it before it loads a library
        return base::fail(base::code::crashed, "the process of the tool '" + t.name + "' answered before it was ready",
                          "call again");
    for (const auto& read : e->prepared->inputs) zygote_.expect_crs(read.stated_crs);
    known_libraries_.keep(library.path.string(), {library.sha256, e->prepared->library_state});
    return e;
}

// A worker with GDAL lists the files of the inputs for a worker without it.
result<std::vector<runner::input>> confined_work::inputs_of(const catalog::tool& t, const workspace::call_files& a,
                                                            bool writes, const std::filesystem::path& scratch,
                                                            const runner::cancellation& cancel) {
    std::vector<runner::input> inputs;
    for (const auto& i : a.inputs) inputs.push_back(input_of(i));
    if (inputs.empty() || t.bundle->needs == catalog::runtime::gdal) return inputs;
    auto r = request("inspect", scratch);
    r.roots = readable(a);
    r.inputs = std::move(inputs);
    r.want_crs = writes;
    auto e = ask(zygote_, r, cancel);
    if (!e) return tl::unexpected{e.error()};
    return runner::inputs_of(e->done.at("inputs").as_array());
}

result<json::object> confined_work::made_manifest(const std::filesystem::path& library, const std::string& sha256,
                                                  runner::zygote& z) {
    const auto hangs = base::fail(
        base::code::deadline,
        library.string() + " did not return its manifest within " + std::to_string(description_time.count()) + " s",
        "its code hangs while loading; remove it, or report it to its author");
    {
        const std::lock_guard lock{guard_};
        if (hanging_.count(sha256)) return hangs;
    }
    auto r = request("describe", {});
    r.bundle = r.library = library;
    r.library_sha256 = sha256;
    auto e = runner::run_confined(z, r, description_time, {}, {}, runner::answer_when::gone);
    if (e) {
        auto* manifest = e->done.if_contains("manifest");
        if (manifest && manifest->is_object()) return std::move(manifest->get_object());
        return base::fail(base::code::crashed,
                          library.string() + " sent an answer without a manifest while being described",
                          "it impersonates the worker; remove it, or report it to its author");
    }
    if (e.error().code == base::code::deadline) {
        const std::lock_guard lock{guard_};
        hanging_.insert(sha256);
        return hangs;
    }
    if (e.error().code == base::code::crashed || e.error().code == base::code::exhausted)
        e.error().message = library.string() + ", while being described: " + e.error().message;
    return tl::unexpected{e.error()};
}

result<json::value> confined_work::describe(const std::filesystem::path& library) {
    auto sha256 = base::sha256_hex_of_file(library);
    if (!sha256) return tl::unexpected{sha256.error()};
    const auto kept = configuration_.state_dir / "described" / (*sha256 + ".json");
    auto manifest = base::read_file(kept).and_then([](const std::string& t) { return base::parse_json(t); });
    const auto needed = base::needed_libraries(library);
    if (!needed) return tl::unexpected{needed.error()};
    const auto libgdal = base::libgdal_among(*needed);
    if (!manifest || !manifest->is_object()) {
        auto made = made_manifest(library, *sha256, libgdal.empty() ? plain_zygote_ : zygote_);
        if (!made) return tl::unexpected{made.error()};
        manifest = json::value(std::move(*made));
        std::error_code ec;
        std::filesystem::create_directories(kept.parent_path(), ec);
        if (auto ok = base::write_file_atomically(kept, base::write_json(*manifest) + "\n"); !ok)
            base::log(base::log_level::warning,
                      "the description of " + library.string() +
                          " cannot be cached and is made again at every start: " + ok.error().message);
    }
    auto& m = manifest->as_object();
    const auto name = library.filename().string();
    m["library"] = name;
    m["files"] = json::object{{name, "sha256:" + *sha256}};
    m["needs"] =
        libgdal.empty() ? json::object{{"runtime", "plain"}} : json::object{{"runtime", "gdal"}, {"libgdal", libgdal}};
    return manifest;
}

result<json::object> confined_work::verify(const std::filesystem::path& file, std::string_view role,
                                           const json::object& expect, const runner::cancellation& cancel,
                                           references named) {
    auto r = request("verify", {});
    r.roots = std::move(named.files);
    r.roots.push_back(file.parent_path());
    r.published = std::move(named.published);
    r.path = file;
    r.role = role;
    r.expect = expect;
    auto e = ask(zygote_, r, cancel);
    if (!e) return tl::unexpected{e.error()};
    return std::move(e->done);
}

confined_work::hashing confined_work::begin_hashing(const workspace::call_files& a,
                                                    const std::vector<std::filesystem::path>& files,
                                                    const runner::cancellation& cancel) {
    hashing h;
    std::error_code ec;
    std::uintmax_t together = 0;
    for (const auto& file : files)
        if (const auto size = std::filesystem::file_size(file, ec); !ec) together += size;
    const bool partly = together > static_cast<std::uintmax_t>(configuration_.digest_limit_mib) << 20;
    for (const auto& file : files) {
        auto known = fingerprints_.find(file);
        if (known && (partly || !known->partial)) {
            h.known.emplace(file, std::move(*known));
        } else {
            h.asked.push_back(file);
        }
    }
    if (h.asked.empty()) return h;
    auto r = request("hash", {});
    r.roots = readable(a);
    r.files = h.asked;
    r.partly = partly;
    h.process = runner::pending_call::begin(zygote_, r, cancel, std::chrono::seconds{configuration_.timeout_s});
    return h;
}

result<workspace::digests> confined_work::finish(hashing h, const runner::cancellation& cancel) {
    if (!h.process) return std::move(h.known);
    if (!*h.process) return tl::unexpected{h.process->error()};
    const auto e = std::move(**h.process)
                       .finish(std::chrono::seconds{configuration_.timeout_s}, cancel, {}, runner::answer_when::told);
    if (!e) return tl::unexpected{e.error()};
    const auto made = runner::hashed_files_of(e->done.at("files").as_array());
    for (std::size_t i = 0; i < h.asked.size(); ++i) {
        const auto& one = made.at(i);
        workspace::fingerprint f{one.sha256, one.partial, one.size};
        if (one.settled) fingerprints_.remember(one.state, f);
        h.known.emplace(h.asked[i], std::move(f));
    }
    return std::move(h.known);
}

result<workspace::fingerprint> confined_work::digest(const workspace::call_files& a, const std::filesystem::path& file,
                                                     const runner::cancellation& cancel) {
    auto files = workspace::read_files(file);
    if (files.empty()) files.push_back(file);
    auto made = finish(begin_hashing(a, files, cancel), cancel);
    if (!made) return tl::unexpected{made.error()};
    if (files.size() == 1) return std::move(made->at(files.front()));
    workspace::fingerprint all;
    std::string lines;
    for (const auto& one : files) {
        const auto& f = made->at(one);
        lines += f.hex + "\n";
        all.partial = all.partial || f.partial;
        all.size += f.size;
    }
    all.hex = base::sha256_hex(lines);
    return all;
}

result<json::object> confined_work::answer(runner::request r, const std::filesystem::path& scratch,
                                           const runner::cancellation& cancel,
                                           std::optional<std::chrono::milliseconds> limit) {
    complete(r);
    r.scratch = scratch;
    r.roots = roots_;
    auto e = ask(zygote_, r, cancel, {}, runner::answer_when::gone, limit);
    if (!e) return tl::unexpected{e.error()};
    return std::move(e->done);
}

}  // namespace gdalmcp::app
