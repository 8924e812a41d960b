#include "worker/request.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "base/digest.hpp"
#include "base/elf.hpp"
#include "base/file.hpp"
#include "base/file_identity.hpp"
#include "base/pointer.hpp"
#include "runner/descriptor.hpp"
#include "runner/descriptor_passing.hpp"
#include "runner/frame.hpp"
#include "runner/messages.hpp"
#include "worker/abi_host.hpp"
#include "worker/file_trace.hpp"
#include "worker/free_space.hpp"
#include "worker/hash.hpp"
#include "worker/manifest.hpp"
#include "worker/memory_end.hpp"
#include "worker/observation.hpp"
#include "worker/plugin.hpp"

namespace gdalmcp::worker {

namespace fs = std::filesystem;
namespace json = base::json;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

// For DNS and TLS certificates.
std::vector<fs::path> network_paths() {
    return {"/etc/resolv.conf", "/etc/hosts",    "/etc/host.conf", "/etc/nsswitch.conf",
            "/etc/gai.conf",    "/etc/services", "/etc/ssl",       "/usr/share/ca-certificates"};
}

class execution {
public:
    execution(runner::request request, int socket, runner::descriptor watch, const syscall_filter& filter,
              common_paths& common, const dataset_library& datasets)
        : request_(std::move(request)),
          socket_{socket},
          watch_{std::move(watch)},
          filter_{filter},
          common_{common},
          datasets_{datasets} {}

    json::object run() {
        for (const auto& i : request_.inputs)
            if (!i.known_as.empty()) copies_[i.path.string()] = i.known_as;
        auto done = confine_and_dispatch();
        if (done) return std::move(*done);
        const auto& p = done.error();
        json::value problem = json::object{{"code", p.code}, {"message", p.message}, {"hint", p.hint}, {"at", p.at}};
        name_originals(problem);
        return {{"problem", std::move(problem)}};
    }

private:
    result<json::object> confine_and_dispatch() {
        if (auto ok = set_limits(request_.limits); !ok) return tl::unexpected{ok.error()};
        datasets_.begin_call(request_);
        if (!request_.scratch.empty() && ::chdir(request_.scratch.c_str()) != 0)
            return fail(code::internal, "cannot enter the scratch folder " + request_.scratch.string());

        // First layer: everything this call may need, before any input is parsed.
        access wide = common_access();
        wide.read.insert(wide.read.end(), request_.roots.begin(), request_.roots.end());
        if (!request_.scratch.empty()) wide.write.push_back(request_.scratch);
        for (const auto& o : request_.outputs)
            for (const auto& s : o.stages) wide.write.push_back(s.folder);
        wide.write.insert(wide.write.end(), request_.writable.begin(), request_.writable.end());
        if (!request_.bundle.empty()) wide.read.push_back(request_.bundle);
        if (auto ok = open_libraries(); !ok) return tl::unexpected{ok.error()};
        grant_libraries(wide);
        const auto& op = request_.operation;
        const bool parses_nothing = op == "run" && request_.inputs.empty();  // then run_tool's layer suffices
        if (!parses_nothing)
            if (auto ok = confine(wide); !ok) return tl::unexpected{ok.error()};
        if (auto ok = confine_system_calls(); !ok) return tl::unexpected{ok.error()};

        if (op == "run") return run_tool();
        common_.close();
        if (op == "describe") return describe();
        if (op == "hash")
            return hash_files(request_.files, request_.partly).map([](const auto& all) {
                return json::object{{"files", runner::to_json(all)}};
            });
        return datasets_.answer(request_);
    }

    // Everything but files. Sends the host the descriptor for counting threads, over a socket that is closed here.
    result<void> confine_system_calls() {
        const auto watch = std::move(watch_);
        if (!request_.sandbox) return {};
        if (auto ok = drop_capabilities(); !ok) return ok;
        const auto filter = request_.network ? syscall_filter::compile(true) : filter_;
        if (!filter) return tl::unexpected{filter.error()};
        auto counted_by = filter->install();
        if (!counted_by) return tl::unexpected{counted_by.error()};
        if (!*counted_by) counted_by->reset(::open("/proc/self/task", O_PATH | O_CLOEXEC));
        if (!runner::send_descriptors(watch.get(), {counted_by->get()}))
            return fail(code::internal, "cannot send the host the descriptor that counts the threads of this process");
        return {};
    }

    access common_access() const {
        access a;
        a.common = &common_;
        a.network = request_.network;
        if (request_.network) a.read = network_paths();
        return a;
    }

    result<void> confine(const access& a) { return request_.sandbox ? restrict_files(a) : result<void>{}; }

    result<json::object> run_tool() {
        const auto started = std::chrono::steady_clock::now();
        json::value arguments(request_.arguments);
        access narrow = common_access();
        narrow.write.push_back(request_.scratch);
        std::uint64_t estimate = 0;
        const bool writes = !request_.outputs.empty();
        runner::prepared_run prepared;
        for (const auto& i : request_.inputs) {
            auto opened = i.opened ? result<opened_input>{*i.opened}
                                   : datasets_.open(i, request_.roots, request_.scratch, writes);
            if (!opened) return tl::unexpected{opened.error()};
            base::put_at_pointer(arguments, i.at, json::string(opened->dataset));
            if (opened->dataset.find(i.path.string()) == std::string::npos)
                copies_[opened->dataset] = i.known_as.empty() ? i.path.string() : i.known_as;
            narrow.read.insert(narrow.read.end(), opened->files.begin(), opened->files.end());
            narrow.list.insert(narrow.list.end(), opened->folders.begin(), opened->folders.end());
            input_warnings_.insert(input_warnings_.end(), opened->warnings.begin(), opened->warnings.end());
            estimate += opened->uncompressed_bytes;
            prepared.inputs.push_back(std::move(*opened));
        }
        prepared.stages = choose_stages(arguments, narrow, estimate);
        narrow.read.push_back(request_.bundle);
        grant_libraries(narrow);
        const bool observes = request_.observe;
        auto given = observes ? narrow : access{};
        if (observes)
            for (const auto& e : common_.entries()) given.read.push_back(e.path);
        narrow.write.insert(narrow.write.end(), request_.writable.begin(), request_.writable.end());

        if (auto ok = check_library(); !ok) return tl::unexpected{ok.error()};
        if (auto ok = confine(narrow); !ok)
            return tl::unexpected{ok.error()};  // second layer: exactly this call's files
        common_.close();
        // Sends the data the host must trust before the plugin, which shares the socket, can write.
        const auto ready = std::chrono::steady_clock::now();
        const auto ms = [](auto d) { return std::chrono::duration<double, std::milli>(d).count(); };
        prepared.library_state = library_state_;
        prepared.versions = datasets_.versions();
        prepared.prepare_ms = ms(ready - started);
        auto frame = to_json(prepared);
        frame["kind"] = "prepared";
        if (auto sent = runner::write_frame(socket_, frame); !sent) return tl::unexpected{sent.error()};
        std::optional<observation> observed;
        if (observes) observed.emplace(given, request_.scratch);
        const file_trace trace;  // of the library's constructors, too
        auto done = run_plugin(std::move(arguments), trace);
        if (observed) static_cast<void>(runner::write_frame(socket_, observed->frame(trace.files())));
        if (!done) return done;
        for (const char* told : {"result", "lines", "warnings"}) name_originals(done->at(told));
        (*done)["tool_ms"] = ms(std::chrono::steady_clock::now() - ready);
        return done;
    }

    result<json::object> run_plugin(json::value arguments, const file_trace& trace) {
        // Static, hence never unloaded: the process ends with the call, and unloading takes as long as loading.
        if (auto ok = load_carried(); !ok) return tl::unexpected{ok.error()};
        const auto library = request_.library.string();
        static auto loaded = load(library_, library);
        if (!loaded) return tl::unexpected{loaded.error()};
        const auto& name = request_.tool;
        const auto* tool = loaded->find(name);
        if (!tool)
            return fail(code::internal,
                        "the library " + library + " has no tool '" + name + "', which its manifest lists",
                        "rebuild the bundle");
        return execute(*tool, loaded->table().abi_minor, std::move(arguments), trace);
    }

    // A plugin names the location of a private copy or managed result; this restores the caller's name.
    void name_originals(json::value& said) const {
        if (auto* s = said.if_string()) {
            for (const auto& [copy, original] : copies_)
                for (auto at = s->find(copy); at != json::string::npos; at = s->find(copy, at + original.size()))
                    s->replace(at, copy.size(), original);
        } else if (auto* a = said.if_array()) {
            for (auto& v : *a) name_originals(v);
        } else if (auto* o = said.if_object()) {
            for (auto& member : *o) name_originals(member.value());
        }
    }

    // Each output gets the first stage that has room for the estimate; the last one has no cap.
    std::vector<std::uint64_t> choose_stages(json::value& arguments, access& narrow, std::uint64_t estimate) {
        std::vector<std::uint64_t> chosen;
        for (const auto& o : request_.outputs) {
            std::size_t k = 0;
            while (k + 1 < o.stages.size() && o.stages[k].max_bytes < estimate) ++k;
            const auto& folder = o.stages.at(k).folder;
            narrow.write.push_back(folder);
            base::put_at_pointer(arguments, o.at, json::string((folder / o.name).string()));
            chosen.push_back(k);
        }
        return chosen;
    }

    // A library is opened, hashed, granted and loaded through one descriptor: the checked file is the one that runs,
    // even if its bundle is replaced or removed meanwhile.
    result<void> open_libraries() {
        const auto library = request_.library.string();
        if (library.empty()) return {};
        library_ = runner::descriptor{::open(library.c_str(), O_RDONLY | O_CLOEXEC)};
        if (!library_)
            return fail(code::quarantined, "the library " + library + " of the tool's bundle cannot be read",
                        "reinstall the bundle");
        for (const auto& c : request_.carried) {
            const auto path = c.path.string();
            runner::descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
            if (!file)
                return fail(code::quarantined, path + ", which the bundle carries, cannot be read",
                            "reinstall the bundle");
            carried_.emplace(path, std::move(file));
        }
        return {};
    }

    void grant_libraries(access& a) const {
        if (library_) a.read.push_back(path_of(library_));
        for (const auto& [path, file] : carried_) a.read.push_back(path_of(file));
    }

    static std::string path_of(const runner::descriptor& file) { return "/proc/self/fd/" + std::to_string(file.get()); }

    // Checks the hash, unless the host knows the file by its state, and that this worker can load it.
    result<void> check_library() {
        const auto library = request_.library.string();
        struct stat s {};
        if (::fstat(library_.get(), &s) != 0)
            return fail(code::quarantined, "the library " + library + " of the tool's bundle cannot be read",
                        "reinstall the bundle");
        library_state_ = base::to_string(base::identity_of(s));
        if (library_state_ != request_.library_known)
            if (auto ok = check_hash(library_.get(), library, request_.library_sha256); !ok) return ok;
        for (const auto& c : request_.carried) {
            const auto path = c.path.string();
            if (auto ok = check_hash(carried_.at(path).get(), path, c.sha256); !ok) return ok;
        }
        return check_runtime(library_.get(), library);
    }

    static result<void> check_hash(int fd, const std::string& library, const std::string& expected) {
        auto hex = base::sha256_hex_of_descriptor(fd);
        if (!hex) return tl::unexpected{hex.error()};
        if (*hex == expected) return {};
        return fail(code::quarantined,
                    "the library " + library + " has sha256:" + *hex + ", its manifest has sha256:" + expected,
                    "it was changed after it was described; reinstall the bundle or run gdal-mcp-describe on it");
    }

    // Two libgdal in one process share their symbols and corrupt each other; a worker without GDAL would load one
    // without registered drivers.
    result<void> check_runtime(int fd, const std::string& library) const {
        const auto needed = base::needed_libraries(fd);
        if (!needed) return fail(code::quarantined, library + " is " + needed.error().message, "reinstall the bundle");
        std::vector<std::string> names;
        for (const auto& c : request_.carried) names.push_back(c.path.filename().string());
        const auto linked = base::libgdal_among(*needed), carried = base::libgdal_among(names);
        const auto& ours = datasets_.libgdal();
        const bool fits = linked.empty() || linked == (ours.empty() ? carried : ours);
        if (fits && (ours.empty() || carried.empty())) return {};
        return fail(code::quarantined,
                    "the library " + library + (fits ? " comes with " + carried : " is linked to " + linked) +
                        "; the worker its manifest requests runs " + (ours.empty() ? "without GDAL" : "with " + ours),
                    "rebuild the bundle, or run gdal-mcp-describe on it");
    }

    static result<plugin> load(const runner::descriptor& file, const std::string& library) {
        const auto path = path_of(file);
        auto loaded = plugin::load(path);
        if (!loaded)
            if (const auto shown = loaded.error().message.find(path); shown != std::string::npos)
                loaded.error().message.replace(shown, path.size(), library);
        return loaded;
    }

    // Loads carried libraries before the one that needs them: the loader then finds them by soname, because its search
    // paths do not apply to a library loaded through a descriptor.
    result<void> load_carried() {
        // They may need each other: as long as a round loads some, another may load more.
        std::string why;
        for (std::size_t before = carried_.size() + 1; !carried_.empty() && carried_.size() < before;) {
            before = carried_.size();
            for (auto it = carried_.begin(); it != carried_.end();) {
                const bool loaded = ::dlopen(path_of(it->second).c_str(), RTLD_NOW | RTLD_LOCAL);
                if (!loaded) why = ::dlerror();
                it = loaded ? carried_.erase(it) : std::next(it);
            }
        }
        if (carried_.empty()) return {};
        return fail(code::unsupported, "cannot load " + carried_.begin()->first + ", which the bundle carries: " + why,
                    "rebuild the bundle on this machine");
    }

    // The manifest of a library that has none. Its own code runs, so it is confined as in a call.
    result<json::object> describe() {
        if (auto ok = check_library(); !ok) return tl::unexpected{ok.error()};
        static const auto loaded = load(library_, request_.library.string());
        if (!loaded) return tl::unexpected{loaded.error()};
        auto m = describe_library(*loaded);
        if (!m) return tl::unexpected{m.error()};
        return json::object{{"manifest", std::move(*m)}};
    }

    // "a.tif", "an input (a.tif, b.tif)"
    std::string names_of_inputs() const {
        std::string all;
        for (const auto& i : request_.inputs)
            all += (all.empty() ? "" : ", ") + (i.known_as.empty() ? i.path.string() : i.known_as);
        return request_.inputs.size() == 1 ? all : "an input (" + all + ")";
    }

    result<json::object> execute(const gdalmcp_tool& tool, std::uint32_t plugin_minor, json::value arguments,
                                 const file_trace& trace) {
        running_call call{std::move(arguments), request_.scratch, socket_, request_.asking};
        for (auto& w : input_warnings_) call.add_warning(std::move(w));
        datasets_.watch(call);
        const auto status = tool.run(&running_call::table(plugin_minor), call.handle(), tool.self);
        const auto unsaid = datasets_.stop_watching();
        if (file_limit_met()) return tl::unexpected{too_large(tool.name)};
        if (const auto* why = call.lost_words(); why && (status == GDALMCP_OK || status == GDALMCP_EXHAUSTED))
            return fail(code::exhausted, std::string{tool.name} + " returned more than a call may: " + why,
                        "ask for less");
        warn_of_refused(trace.files(), call);
        if (!call.undecoded.empty() && (status == GDALMCP_OK || status == GDALMCP_IO))
            return fail(code::io, "cells of " + names_of_inputs() + " cannot be decoded: " + call.undecoded,
                        "get an intact copy of the file");
        if (auto failed = call.conclude(tool.name, status)) {
            const bool may_be = status == GDALMCP_IO || status == GDALMCP_EXHAUSTED || status == GDALMCP_INTERNAL;
            if (may_be && says_out_of_memory(failed->message)) return tl::unexpected{out_of_memory(failed->message)};
            if (status == GDALMCP_IO && output_disk_is_full()) failed->hint = full_disk_hint;
            return tl::unexpected{std::move(*failed)};
        }
        // GDAL errors invalidate a written output, but not a result that only reads.
        const bool writes = !request_.outputs.empty();
        if (unsaid && writes && says_out_of_memory(*unsaid)) return tl::unexpected{out_of_memory(*unsaid)};
        if (unsaid && writes)
            return fail(
                code::io, std::string{tool.name} + " reported success, but GDAL failed during the call: " + *unsaid,
                output_disk_is_full() ? full_disk_hint
                                      : "check that the inputs are complete, for example with gdalinfo -checksum");
        if (unsaid) call.add_warning("GDAL: " + *unsaid);
        json::array lines, warnings;
        for (auto& l : call.lines) lines.emplace_back(std::move(l));
        for (auto& w : call.warnings) warnings.emplace_back(std::move(w));
        json::object done{{"result", std::move(call.result)},
                          {"lines", std::move(lines)},
                          {"warnings", std::move(warnings)},
                          {"attachments", std::move(call.attachments)},
                          {"expectations", std::move(call.expectations)},
                          {"progress", json::object{{"asked", call.progress_asked}, {"fell", call.progress_fell}}}};
        if (auto asked = call.questions.outcome(); !asked.empty()) done["ask"] = std::move(asked);
        return done;
    }

    // Files of the workspaces that were requested but not granted: facts may be missing.
    void warn_of_refused(const traced_files& t, running_call& call) const {
        std::size_t said = 0;
        for (const auto& name : t.refused) {
            const auto path = fs::path{name}.lexically_normal();
            if (!lies_in(path, request_.roots) || ++said > 5) continue;
            call.add_warning(path.string() +
                             " was not read because it is not known to belong to the inputs: its facts are missing");
        }
    }

    bool output_disk_is_full() const {
        for (const auto& o : request_.outputs)
            for (const auto& s : o.stages)
                if (disk_is_full(s.folder)) return true;
        return false;
    }

    static std::string size_words(std::uint64_t bytes) {
        return bytes >> 20 ? std::to_string(bytes >> 20) + " MiB" : std::to_string(bytes >> 10) + " KiB";
    }

    base::problem too_large(const char* tool) const {
        // The limit that was set, which is the lower of the configured and the system's.
        rlimit in_force{};
        ::getrlimit(RLIMIT_FSIZE, &in_force);
        const bool by_system = in_force.rlim_cur < request_.limits.file_size;
        return {
            code::exhausted,
            std::string{tool} + " was writing a file larger than " + size_words(in_force.rlim_cur) + ", " +
                (by_system ? "the limit gdal-mcp was started under (ulimit -f)" : "the largest a call may write") +
                "; nothing was kept",
            "write less (a smaller part, fewer bands, coarser cells, a smaller data type, compression), or ask the "
            "operator to start gdal-mcp " +
                std::string{by_system ? "under a higher limit" : "with a larger --file-size (MiB; GDAL_MCP_FILE_SIZE)"},
            ""};
    }

    runner::request request_;
    int socket_;
    runner::descriptor watch_;
    const syscall_filter& filter_;
    common_paths& common_;
    const dataset_library& datasets_;
    std::vector<std::string> input_warnings_;
    std::map<std::string, std::string> copies_;  // of inputs: dataset -> the caller's name
    runner::descriptor library_;
    std::map<std::string, runner::descriptor> carried_;  // by path; not loaded yet
    std::string library_state_;
};

}  // namespace

std::vector<fs::path> common_to_all_calls() {
    std::vector<fs::path> p = {"/usr/lib",
                               "/lib",
                               "/lib64",
                               "/usr/local/lib",
                               "/etc/ld.so.cache",
                               "/usr/share/proj",
                               "/usr/share/gdal",
                               "/usr/local/share/proj",
                               "/usr/local/share/gdal",
                               "/usr/share/zoneinfo",
                               "/etc/fonts",  // text in PDF files
                               "/usr/share/fonts",
                               "/usr/share/fontconfig",
                               "/usr/share/poppler",
                               "/var/cache/fontconfig",
                               "/etc/localtime",
                               "/dev/null",
                               "/dev/urandom"};
    for (const char* variable : {"GDAL_DATA", "PROJ_DATA", "PROJ_LIB", "GDAL_DRIVER_PATH"})
        if (const char* v = std::getenv(variable)) p.emplace_back(v);
    return p;
}

int serve_request(int socket, runner::descriptor watch, const syscall_filter& filter, common_paths& common,
                  const dataset_library& datasets) {
    auto request = runner::read_frame(socket);
    if (!request) return 1;  // the host exited before its request
    auto asked = runner::request_of(*request);
    const bool has_outputs = !asked.outputs.empty();
    answer_when_out_of_memory(socket, asked.tool, asked.limits.address_space);
    base::problem unsent;
    try {
        auto done = execution{std::move(asked), socket, std::move(watch), filter, common, datasets}.run();
        done["kind"] = "done";
        const auto sent = runner::write_frame(socket, done);
        if (sent || sent.error().code != code::exhausted) return 0;
        unsent = {code::exhausted, "the tool's result is too large: " + sent.error().message,
                  has_outputs ? "ask for less, or write to an output" : "ask for less", ""};
    } catch (const std::bad_alloc&) {
        end_out_of_memory();
    }
    static_cast<void>(runner::write_frame(socket, failure_frame(unsent)));
    return 0;
}

}  // namespace gdalmcp::worker
