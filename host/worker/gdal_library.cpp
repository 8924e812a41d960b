#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal.h>
#include <proj.h>

#include "base/elf.hpp"
#include "worker/crs.hpp"
#include "worker/crs_registry.hpp"
#include "worker/dataset_library.hpp"
#include "worker/formats.hpp"
#include "worker/look.hpp"
#include "worker/members.hpp"
#include "worker/probe.hpp"
#include "worker/verification.hpp"

namespace gdalmcp::worker {
namespace {

namespace fs = std::filesystem;
namespace json = base::json;
using base::fail;
using base::result;

// Failures are found in GDAL's error state after the run; warnings would be lost there.
void CPL_STDCALL on_gdal_error(CPLErr level, CPLErrorNum, const char* message) {
    if (level == CE_Warning) static_cast<running_call*>(CPLGetErrorHandlerUserData())->add_warning(message);
}

class gdal_library final : public dataset_library {
public:
    gdal_library() : versions_{{"gdal", GDALVersionInfo("RELEASE_NAME")}, {"proj", proj_info().release}} {
        if (const auto needed = base::needed_libraries(fs::path{"/proc/self/exe"}))
            libgdal_ = base::libgdal_among(*needed);
    }

    const std::string& libgdal() const override { return libgdal_; }
    const json::object& versions() const override { return versions_; }

    void begin_call(const fs::path& scratch, const std::string& threads) const override {
        CPLSetConfigOption("GDAL_PAM_PROXY_DIR", scratch.c_str());
        // Where SQLite sorts what does not fit into its cache; it would choose /var/tmp, which no call may write.
        if (!scratch.empty()) ::setenv("SQLITE_TMPDIR", scratch.c_str(), 1);
        // The database the VFK driver reads its blocks into; it would lie beside the file.
        if (!scratch.empty()) {
            CPLSetConfigOption("OGR_VFK_DB_NAME", (scratch / "vfk.db").c_str());
            CPLSetConfigOption("OGR_VFK_DB_OVERWRITE", "YES");  // it may be of another input
        }
        if (!threads.empty()) CPLSetConfigOption("GDAL_NUM_THREADS", threads.c_str());
    }

    result<opened_input> open(const input& i, const std::vector<fs::path>& roots, const fs::path& scratch,
                              bool want_crs) const override {
        return open_input(i, roots, scratch, want_crs);
    }

    result<json::object> answer(std::string_view operation, const json::value& request,
                                const std::vector<fs::path>& roots, const fs::path& scratch) const override {
        if (operation == "inspect") return inspect(request, roots, scratch);
        if (operation == "probe") return probe_inputs(request, roots, scratch);
        if (operation == "crs") return normalise_crs(request);
        if (operation == "verify") return verify(request);
        if (operation == "look")
            return json::object{
                {"seen", look_at(paths(request, "files"), std::chrono::milliseconds{number(request, "budget_ms")})}};
        if (operation == "formats") return json::object{{"drivers", drivers()}, {"resampling", resampling_methods()}};
        if (operation == "crs_registry")
            return registered_crs().map([](json::array all) { return json::object{{"crs", std::move(all)}}; });
        if (operation == "crs_entry")
            return crs_entry(text(request, "spelling")).map([](json::object e) {
                return json::object{{"crs", std::move(e)}};
            });
        return fail(base::code::internal, "unknown operation '" + std::string{operation} + "'");
    }

    void watch(running_call& c) const override {
        CPLErrorReset();
        // Process-wide, so that warnings of GDAL's worker threads are not lost.
        CPLSetErrorHandlerEx(&on_gdal_error, &c);
    }

    std::optional<std::string> stop_watching() const override {
        const bool failed = CPLGetLastErrorType() == CE_Failure || CPLGetLastErrorType() == CE_Fatal;
        std::string last = CPLGetLastErrorMsg();
        CPLSetErrorHandlerEx(&CPLQuietErrorHandler, nullptr);
        if (!failed) return std::nullopt;
        return last;
    }

private:
    // What another worker must be told of inputs it cannot open itself.
    static result<json::object> inspect(const json::value& request, const std::vector<fs::path>& roots,
                                        const fs::path& scratch) {
        json::array all;
        for (const auto& v : list(request, "inputs")) {
            auto opened = open_input(input_of(v), roots, scratch, base::bool_member(request, "want_crs"));
            if (!opened) return tl::unexpected{opened.error()};
            const auto texts = [](const auto& paths) {
                json::array a;
                for (const auto& p : paths) a.emplace_back(fs::path{p}.string());
                return a;
            };
            all.push_back(json::object{{"dataset", opened->dataset},
                                       {"files", texts(opened->files)},
                                       {"folders", texts(opened->folders)},
                                       {"warnings", texts(opened->warnings)},
                                       {"crs", opened->crs},
                                       {"uncompressed_bytes", opened->uncompressed_bytes}});
        }
        return json::object{{"inputs", std::move(all)}};
    }

    static result<json::object> probe_inputs(const json::value& request, const std::vector<fs::path>& roots,
                                             const fs::path& scratch) {
        json::object facts;
        for (const auto& v : list(request, "inputs")) {
            const auto i = input_of(v);
            auto opened = open_input(i, roots, scratch, false);
            if (!opened) return tl::unexpected{opened.error()};
            auto f = probe({i.at, i.path, opened->dataset, i.role});
            if (!f) return tl::unexpected{f.error()};
            facts[i.at] = std::move(*f);
        }
        return json::object{{"facts", std::move(facts)}};
    }

    static result<json::object> normalise_crs(const json::value& request) {
        json::array forms;
        for (const auto& s : list(request, "spellings")) {
            auto form = describe_spelling(std::string{s.get_string()});
            if (!form) return tl::unexpected{form.error()};
            forms.push_back(std::move(*form));
        }
        return json::object{{"forms", std::move(forms)}};
    }

    static result<json::object> verify(const json::value& request) {
        const auto* expect = base::find_member(request, "expect");
        return verify_output(text(request, "path"), text(request, "role"),
                             expect && expect->is_object() ? expect->get_object() : json::object{});
    }

    std::string libgdal_;
    json::object versions_;
};

}  // namespace

std::unique_ptr<const dataset_library> load_gdal() {
    // Sidecars are probed by name: a child may not list the folders of its inputs, and both passes must see the same.
    CPLSetConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", "YES");
    CPLSetConfigOption("GDAL_VRT_ENABLE_PYTHON", "NO");
    CPLSetErrorHandlerEx(&CPLQuietErrorHandler, nullptr);
    GDALAllRegister();
    return std::make_unique<gdal_library>();
}

}  // namespace gdalmcp::worker
