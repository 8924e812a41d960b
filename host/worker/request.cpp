#include "worker/request.hpp"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <fcntl.h>
#include <gdal.h>
#include <proj.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "base/digest.hpp"
#include "base/pointer.hpp"
#include "runner/descriptor.hpp"
#include "runner/frame.hpp"
#include "worker/abi_host.hpp"
#include "worker/crs.hpp"
#include "worker/inputs.hpp"
#include "worker/plugin.hpp"
#include "worker/probe.hpp"
#include "worker/verification.hpp"

namespace gdalmcp::worker {

namespace fs = std::filesystem;
namespace json = base::json;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

std::string text(const json::value& v, std::string_view name) { return std::string{base::string_member(v, name)}; }

std::uint64_t number(const json::value& v, std::string_view name) {
    const auto* m = base::find_member(v, name);
    return m && m->is_int64() && m->get_int64() > 0 ? static_cast<std::uint64_t>(m->get_int64()) : 0;
}

const json::array& list(const json::value& v, std::string_view name) {
    static const json::array none;
    const auto* m = base::find_member(v, name);
    return m && m->is_array() ? m->get_array() : none;
}

std::vector<fs::path> paths(const json::value& v, std::string_view name) {
    std::vector<fs::path> all;
    for (const auto& p : list(v, name)) all.emplace_back(std::string{p.get_string()});
    return all;
}

// What any dataset work needs besides its files; gconv, or CP1252 attributes are garbled with no more than a warning.
const std::vector<fs::path>& system_paths() {
    static const std::vector<fs::path> all = [] {
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
                                   "/etc/localtime",
                                   "/dev/null",
                                   "/dev/urandom"};
        for (const char* variable : {"GDAL_DATA", "PROJ_DATA", "PROJ_LIB", "GDAL_DRIVER_PATH"})
            if (const char* v = std::getenv(variable)) p.emplace_back(v);
        return p;
    }();
    return all;
}

class operation {
public:
    operation(json::value request, int socket, const syscall_filter& filter)
        : request_(std::move(request)), socket_{socket}, filter_{filter} {}

    json::object run() {
        scratch_ = text(request_, "scratch");
        roots_ = paths(request_, "roots");
        auto done = confine_and_dispatch();
        if (done) return std::move(*done);
        const auto& p = done.error();
        json::object out{
            {"problem", json::object{{"code", p.code}, {"message", p.message}, {"hint", p.hint}, {"at", p.at}}}};
        return out;
    }

private:
    bool sandboxed() const { return base::bool_member(request_, "sandbox", true); }

    result<json::object> confine_and_dispatch() {
        const auto* l = base::find_member(request_, "limits");
        const json::value none = json::object{};
        const auto& wanted = l ? *l : none;
        if (auto ok = set_limits(
                {number(wanted, "address_space"), number(wanted, "file_size"), number(wanted, "descriptors")});
            !ok)
            return tl::unexpected{ok.error()};
        CPLSetConfigOption("GDAL_PAM_PROXY_DIR", scratch_.c_str());
        if (const auto t = text(request_, "threads"); !t.empty()) CPLSetConfigOption("GDAL_NUM_THREADS", t.c_str());
        if (!scratch_.empty() && ::chdir(scratch_.c_str()) != 0)
            return fail(code::internal, "cannot enter the scratch folder " + scratch_.string());

        // First layer: everything this call could ever need, before a byte of an input is parsed.
        access wide{system_paths(), {}};
        wide.read.insert(wide.read.end(), roots_.begin(), roots_.end());
        if (!scratch_.empty()) wide.write.push_back(scratch_);
        for (const auto& o : list(request_, "outputs"))
            for (const auto& s : list(o, "stages")) wide.write.emplace_back(text(s, "folder"));
        for (auto& folder : paths(request_, "writable")) wide.write.push_back(std::move(folder));
        const auto bundle = text(request_, "bundle");
        if (!bundle.empty()) wide.read.emplace_back(bundle);
        const auto op = text(request_, "op");
        const bool parses_nothing = op == "run" && list(request_, "inputs").empty();  // then run_tool's layer is all
        if (!parses_nothing)
            if (auto ok = confine(wide); !ok) return tl::unexpected{ok.error()};
        if (sandboxed())
            if (auto ok = filter_.install(); !ok) return tl::unexpected{ok.error()};

        if (op == "run") return run_tool();
        if (op == "probe") return probe_inputs();
        if (op == "crs") return normalise_crs();
        if (op == "verify") return verify();
        return fail(code::internal, "unknown operation '" + op + "'");
    }

    result<void> confine(const access& a) { return sandboxed() ? restrict_files(a) : result<void>{}; }

    static input input_of(const json::value& v) {
        return {text(v, "at"), text(v, "path"), text(v, "dataset"), text(v, "role")};
    }

    result<json::object> probe_inputs() {
        json::object facts;
        for (const auto& v : list(request_, "inputs")) {
            const auto i = input_of(v);
            auto opened = open_input(i, roots_, scratch_, false);
            if (!opened) return tl::unexpected{opened.error()};
            auto f = probe({i.at, i.path, opened->dataset, i.role});
            if (!f) return tl::unexpected{f.error()};
            facts[i.at] = std::move(*f);
        }
        return json::object{{"facts", std::move(facts)}};
    }

    result<json::object> normalise_crs() {
        json::array forms;
        for (const auto& s : list(request_, "spellings")) {
            auto form = describe_spelling(std::string{s.get_string()});
            if (!form) return tl::unexpected{form.error()};
            forms.push_back(std::move(*form));
        }
        return json::object{{"forms", std::move(forms)}};
    }

    result<json::object> verify() {
        const auto* expect = base::find_member(request_, "expect");
        return verify_output(text(request_, "path"), text(request_, "role"),
                             expect && expect->is_object() ? expect->get_object() : json::object{});
    }

    // ---- run
    // ---------------------------------------------------------------------------------------------------------

    result<json::object> run_tool() {
        const auto started = std::chrono::steady_clock::now();
        json::value arguments = *base::find_member(request_, "arguments");
        access narrow{system_paths(), {scratch_}};
        for (auto& folder : paths(request_, "writable")) narrow.write.push_back(std::move(folder));
        std::uint64_t estimate = 0;
        const bool writes = !list(request_, "outputs").empty();
        json::array inputs_read;
        for (const auto& v : list(request_, "inputs")) {
            const auto i = input_of(v);
            auto opened = open_input(i, roots_, scratch_, writes);
            if (!opened) return tl::unexpected{opened.error()};
            base::put_at_pointer(arguments, i.at, json::string(opened->dataset));
            narrow.read.insert(narrow.read.end(), opened->files.begin(), opened->files.end());
            estimate += opened->uncompressed_bytes;
            json::array files;
            for (const auto& f : opened->files) files.emplace_back(f.string());
            inputs_read.push_back(json::object{{"crs", opened->crs}, {"files", std::move(files)}});
        }
        auto chosen = choose_stages(arguments, narrow, estimate);
        const auto bundle = text(request_, "bundle");
        narrow.read.emplace_back(bundle);

        // The library is opened, hashed and loaded through one descriptor, so what was checked is what runs.
        const auto library = text(request_, "library");
        const runner::descriptor file{::open(library.c_str(), O_RDONLY | O_CLOEXEC)};
        if (!file)
            return fail(code::quarantined, "the library " + library + " of the tool's bundle cannot be read",
                        "reinstall the bundle");
        if (auto ok = check_hash(file.get(), library); !ok) return tl::unexpected{ok.error()};
        if (auto ok = confine(narrow); !ok)
            return tl::unexpected{ok.error()};  // second layer: exactly this call's files
        // What the host must be able to trust is told before the plugin, which shares the socket, can speak.
        const auto ready = std::chrono::steady_clock::now();
        const auto ms = [](auto d) { return std::chrono::duration<double, std::milli>(d).count(); };
        if (auto sent = runner::write_frame(socket_, json::object{{"kind", "prepared"},
                                                                  {"stages", std::move(chosen)},
                                                                  {"inputs", std::move(inputs_read)},
                                                                  {"library_state", library_state_},
                                                                  {"versions", library_versions()},
                                                                  {"prepare_ms", ms(ready - started)}});
            !sent)
            return tl::unexpected{sent.error()};
        // Static, hence never unloaded: the process ends with the call, and unloading takes as long as loading.
        static auto loaded = plugin::load("/proc/self/fd/" + std::to_string(file.get()));
        if (!loaded) {
            const auto shown = loaded.error().message.find("/proc/self/fd/");
            if (shown != std::string::npos)
                loaded.error().message.replace(
                    shown, std::string{"/proc/self/fd/"}.size() + std::to_string(file.get()).size(), library);
            return tl::unexpected{loaded.error()};
        }
        const auto name = text(request_, "tool");
        const auto* tool = loaded->find(name);
        if (!tool)
            return fail(code::quarantined,
                        "the library " + library + " has no tool '" + name + "', its manifest says it has",
                        "rebuild the bundle");
        auto done = execute(*tool, loaded->table().abi_minor, std::move(arguments));
        if (done) (*done)["tool_ms"] = ms(std::chrono::steady_clock::now() - ready);
        return done;
    }

    // Each output gets the first stage that has room for the estimate; the last one has no cap.
    json::array choose_stages(json::value& arguments, access& narrow, std::uint64_t estimate) {
        json::array chosen;
        for (const auto& o : list(request_, "outputs")) {
            const auto& stages = list(o, "stages");
            std::size_t k = 0;
            while (k + 1 < stages.size() && number(stages[k], "max_bytes") < estimate) ++k;
            const fs::path folder = text(stages[k], "folder");
            narrow.write.push_back(folder);
            base::put_at_pointer(arguments, text(o, "at"), json::string((folder / text(o, "name")).string()));
            chosen.emplace_back(k);
        }
        return chosen;
    }

    result<void> check_hash(int fd, const std::string& library) {
        struct stat s {};
        if (::fstat(fd, &s) != 0) return fail(code::io, "cannot look at " + library);
        const auto ns = [](const timespec& t) { return std::to_string(t.tv_sec) + "." + std::to_string(t.tv_nsec); };
        const std::string state = std::to_string(s.st_dev) + ":" + std::to_string(s.st_ino) + ":" +
                                  std::to_string(s.st_size) + ":" + ns(s.st_mtim) + ":" + ns(s.st_ctim);
        if (state != text(request_, "library_known")) {
            auto hex = base::sha256_hex_of_descriptor(fd);
            if (!hex) return tl::unexpected{hex.error()};
            if ("sha256:" + *hex != text(request_, "library_sha256"))
                return fail(
                    code::quarantined,
                    "the library " + library + " has sha256:" + *hex + ", its manifest says " +
                        text(request_, "library_sha256"),
                    "it was changed after it was described; reinstall the bundle or run gdal-mcp-describe on it");
        }
        library_state_ = state;
        return {};
    }

    // Failures are found in GDAL's error state after the run; warnings would be lost there.
    static void CPL_STDCALL on_gdal_error(CPLErr level, CPLErrorNum, const char* message) {
        if (level == CE_Warning) static_cast<running_call*>(CPLGetErrorHandlerUserData())->add_warning(message);
    }

    result<json::object> execute(const gdalmcp_tool& tool, std::uint32_t plugin_minor, json::value arguments) {
        running_call call{std::move(arguments), scratch_, socket_};
        CPLErrorReset();
        // Process-wide, so that warnings of GDAL's worker threads are not lost.
        CPLSetErrorHandlerEx(&on_gdal_error, &call);
        const auto status = tool.run(&running_call::table(plugin_minor), call.handle(), tool.self);
        const bool gdal_failed = CPLGetLastErrorType() == CE_Failure || CPLGetLastErrorType() == CE_Fatal;
        const std::string gdal_says = CPLGetLastErrorMsg();
        CPLSetErrorHandlerEx(&CPLQuietErrorHandler, nullptr);
        if (status != GDALMCP_OK) {
            auto p = call.failure;
            p.code = code_of(status);
            if (p.message.empty())
                p.message =
                    std::string{tool.name} + " failed with status " + std::to_string(status) + " and gave no reason";
            return tl::unexpected{std::move(p)};
        }
        if (gdal_failed)
            return fail(code::io,
                        std::string{tool.name} + " reported success, but GDAL failed on the way: " + gdal_says,
                        "check the inputs and the free disk space");
        json::array lines, warnings;
        for (auto& l : call.lines) lines.emplace_back(std::move(l));
        for (auto& w : call.warnings) warnings.emplace_back(std::move(w));
        return json::object{{"result", std::move(call.result)},
                            {"lines", std::move(lines)},
                            {"warnings", std::move(warnings)},
                            {"attachments", std::move(call.attachments)},
                            {"expectations", std::move(call.expectations)},
                            {"progress", json::object{{"asked", call.progress_asked}, {"fell", call.progress_fell}}}};
    }

    json::value request_;
    int socket_;
    const syscall_filter& filter_;
    fs::path scratch_;
    std::vector<fs::path> roots_;
    std::string library_state_;
};

}  // namespace

const json::object& library_versions() {
    static const json::object versions{{"gdal", GDALVersionInfo("RELEASE_NAME")}, {"proj", proj_info().release}};
    return versions;
}

int serve_request(int socket, const syscall_filter& filter) {
    auto request = runner::read_frame(socket);
    if (!request) return 1;  // the host went away before it asked
    auto done = operation{json::value(std::move(*request)), socket, filter}.run();
    done["kind"] = "done";
    if (auto sent = runner::write_frame(socket, done); !sent && sent.error().code == code::exhausted) {
        const json::object problem{{"code", code::exhausted},
                                   {"message", "the tool's result is too large: " + sent.error().message},
                                   {"hint", "ask for less, or write to an output"},
                                   {"at", ""}};
        static_cast<void>(runner::write_frame(socket, json::object{{"kind", "done"}, {"problem", problem}}));
    }
    return 0;
}

}  // namespace gdalmcp::worker
