#include <cpl_conv.h>
#include <cpl_error.h>
#include <gdal.h>
#include <proj.h>
#include <sys/resource.h>
#include <gdalmcp/gdal.hpp>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/elf.hpp"
#include "worker/contents.hpp"
#include "worker/crs.hpp"
#include "worker/crs_registry.hpp"
#include "worker/dataset_library.hpp"
#include "worker/formats.hpp"
#include "worker/identify.hpp"
#include "worker/memory_end.hpp"
#include "worker/probe.hpp"
#include "worker/proj_database.hpp"
#include "worker/value_search.hpp"
#include "worker/verification.hpp"

namespace gdalmcp::worker {
namespace {

namespace fs = std::filesystem;
namespace json = base::json;
using base::fail;
using base::result;

// GDAL's error state keeps failures until after the run, but not warnings, and ends the process after fatal errors.
void CPL_STDCALL on_gdal_error(CPLErr level, CPLErrorNum, const char* message) {
    if (level == CE_Fatal && says_out_of_memory(message)) end_out_of_memory();
    // Said of every .img with NaN for cells without a value; nothing is converted that is read.
    const bool idle = std::strcmp(message, "NaN converted to INT_MAX.") == 0;
    if (level != CE_Warning && level != CE_Failure) return;
    auto& call = *static_cast<running_call*>(CPLGetErrorHandlerUserData());
    const std::string_view text{message};
    if (gdal::tells_of_lost_cells(level, text))
        call.add_undecoded(std::string{text.substr(0, text.find(" ("))});  // then come GDAL's options
    else if (level == CE_Warning && !idle)
        call.add_warning(message);
}

constexpr std::uint64_t space_of_a_thread = std::uint64_t{256} << 20;  // stack, malloc's arena, blocks at work

// As many as asked for, fewer where the address space is small: GDAL waits forever for a thread it cannot start.
std::uint64_t threads_within_space(std::uint64_t asked) {
    rlimit space{};
    if (::getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return asked;
    const auto room = space.rlim_cur / space_of_a_thread;
    return std::clamp<std::uint64_t>(asked, 1, std::max<std::uint64_t>(room, 2) - 1);
}

class gdal_library final : public dataset_library {
public:
    gdal_library() : versions_{{"gdal", GDALVersionInfo("RELEASE_NAME")}, {"proj", proj_info().release}} {
        if (const auto needed = base::needed_libraries(fs::path{"/proc/self/exe"}))
            libgdal_ = base::libgdal_among(*needed);
    }

    const std::string& libgdal() const override { return libgdal_; }
    const json::object& versions() const override { return versions_; }

    const std::vector<int>& descriptors() const override { return database_; }
    bool begin_child() const override { return make_private(database_); }

    void expect_crs(const std::string& code) const override { prepare_crs(code); }

    void begin_call(const runner::request& r) const override {
        const auto& scratch = r.scratch;
        CPLSetConfigOption("GDAL_PAM_PROXY_DIR", scratch.c_str());
        // The VFK driver's block database, which it would create beside the file.
        if (!scratch.empty()) {
            CPLSetConfigOption("OGR_VFK_DB_NAME", (scratch / "vfk.db").c_str());
            CPLSetConfigOption("OGR_VFK_DB_OVERWRITE", "YES");  // it may be from another input
        }
        if (!r.threads.empty())
            CPLSetConfigOption("GDAL_NUM_THREADS",
                               std::to_string(threads_within_space(std::stoull(r.threads))).c_str());
        if (!r.date.empty()) CPLSetConfigOption("OGR_CURRENT_DATE", r.date.c_str());  // of a GeoPackage's content
    }

    result<opened_input> open(const input& i, const std::vector<fs::path>& roots, const fs::path& scratch,
                              bool want_crs) const override {
        return open_input(i, roots, scratch, want_crs, true);
    }

    result<json::object> answer(const runner::request& r) const override {
        const auto& op = r.operation;
        if (op == "inspect") return inspect(r);
        if (op == "probe") return probe_inputs(r);
        if (op == "crs") return normalise_crs(r.spellings);
        if (op == "verify") return verify_output(r);
        if (op == "identify") return json::object{{"seen", identify(r.files, std::chrono::milliseconds{r.budget_ms})}};
        if (op == "contents") return json::object{{"seen", contents(r)}};
        if (op == "search_values") return json::object{{"files", search_values(r)}};
        if (op == "formats") return json::object{{"drivers", drivers()}, {"resampling", resampling_methods()}};
        if (op == "crs_registry")
            return registered_crs().map([](json::array all) { return json::object{{"crs", std::move(all)}}; });
        if (op == "crs_entry" && !r.spellings.empty())
            return crs_entry(r.spellings.front()).map([](json::object e) {
                return json::object{{"crs", std::move(e)}};
            });
        return fail(base::code::internal, "unknown operation '" + op + "'");
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
    // The parts of inputs, for a worker that cannot open them.
    static result<json::object> inspect(const runner::request& r) {
        auto inputs = r.inputs;
        for (auto& i : inputs) {
            auto opened = open_input(i, r.roots, r.scratch, r.want_crs);
            if (!opened) return tl::unexpected{opened.error()};
            i.opened = std::move(*opened);
        }
        return json::object{{"inputs", runner::to_json(inputs)}};
    }

    static result<json::object> probe_inputs(const runner::request& r) {
        json::object facts;
        for (const auto& i : r.inputs) {
            auto opened = open_input(i, r.roots, r.scratch, false);
            if (!opened) return tl::unexpected{opened.error()};
            auto f = probe({i.at, i.path, opened->dataset, i.role, {}, i.part, {}});
            if (!f) return tl::unexpected{f.error()};
            facts[i.at] = std::move(*f);
        }
        return json::object{{"facts", std::move(facts)}};
    }

    static result<json::object> normalise_crs(const std::vector<std::string>& spellings) {
        json::array forms;
        for (const auto& s : spellings) {
            auto form = describe_spelling(s);
            if (!form) return tl::unexpected{form.error()};
            forms.push_back(std::move(*form));
        }
        return json::object{{"forms", std::move(forms)}};
    }

    std::string libgdal_;
    json::object versions_;
    std::vector<int> database_ = warm_up_proj();
};

}  // namespace

std::unique_ptr<const dataset_library> load_gdal() {
    // Probes sidecars by name: a child may not list the folders of its inputs, and both passes must find the same
    // files.
    CPLSetConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", "YES");
    CPLSetConfigOption("GDAL_VRT_ENABLE_PYTHON", "NO");
    // Else files in and requests for a deprecated CRS are taken for its replacement, which may be another place: that
    // of EPSG:3408, on a sphere, is 10 km away at 66 degrees north.
    CPLSetConfigOption("OSR_USE_NON_DEPRECATED", "NO");
    // Where GDAL itself makes chords of arcs; see gdalmcp/gdal_arcs.hpp.
    CPLSetConfigOption("OGR_ARC_STEPSIZE", "1");
    // SQLite's folder for large sorts; its default /var/tmp is not writable in a call. It reads this once, in the
    // warm-up, so the value is the working folder: in a call that is the scratch folder.
    ::setenv("SQLITE_TMPDIR", ".", 1);
    CPLSetErrorHandlerEx(&CPLQuietErrorHandler, nullptr);
    GDALAllRegister();
    return std::make_unique<gdal_library>();
}

}  // namespace gdalmcp::worker
