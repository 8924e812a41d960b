// The requests this host sends to confined processes, with a cache of their answers.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/call/installation.hpp"
#include "app/configuration.hpp"
#include "base/bounded_cache.hpp"
#include "base/json.hpp"
#include "catalog/tool.hpp"
#include "reflection/crs.hpp"
#include "runner/confined_call.hpp"
#include "workspace/call_files.hpp"
#include "workspace/fingerprints.hpp"
#include "workspace/stage.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// Thread-safe.
class confined_work {
public:
    confined_work(const configuration& c, const installation& i, std::vector<std::filesystem::path> roots);

    // Starts the process that most calls are forked from, so that the first call does not wait for it.
    void start_ahead() { zygote_.start_ahead(); }

    // {"input": of the first input, "inputs": of all}, each as listed in worker/probe.hpp, with `path` as the caller
    // gave it and the argument's `pointer`. Cached by path, size, mtime and inode. subdataset: of the first input,
    // which the facts are of where it has one by that name; `subdataset` says so.
    base::result<json::value> facts(const workspace::call_files& a, const std::filesystem::path& scratch,
                                    const runner::cancellation& cancel, const std::string& subdataset = {});

    // The identity of a CRS spelling, cached.
    base::result<reflection::crs_identity> crs(std::string_view spelling, const runner::cancellation& cancel);

    struct planned_output {
        std::string pointer;
        std::string file_name;
        std::vector<workspace::candidate> candidates;
    };
    // Runs a tool. prepared: {stages, inputs, library_state, versions, prepare_ms}; done: {result, lines, warnings,
    // attachments, expectations, progress, ask?, tool_ms}, checked for shape only; the content is the plugin's. Without
    // outputs the process may still be exiting, and using `scratch`, when this returns: see ending::process.
    // `also_writable`: folders a tool may write to beside its own, to detect that it does. `limit`: a wall time that
    // replaces the operator's. `told`: what the tool reads about its client, see tool_questions.hpp; empty: no client.
    // `date`: the time that outputs state, RFC 3339.
    base::result<runner::ending> run(const catalog::tool& t, const workspace::call_files& a,
                                     const std::vector<planned_output>& outputs, const std::filesystem::path& scratch,
                                     const runner::cancellation& cancel, const runner::call_events& events,
                                     const std::vector<std::filesystem::path>& also_writable = {},
                                     std::optional<std::chrono::milliseconds> limit = std::nullopt,
                                     json::object told = {}, std::string date = {});

    // The manifest of a bare library, made by its own code in a confined process and kept in the state folder by the
    // library's hash. The limit is 5 s; a library that hangs is not tried again.
    base::result<json::value> describe(const std::filesystem::path& library);

    // A VRT names other files, relative to the folder it will be published in.
    struct references {
        std::filesystem::path published;           // that folder; empty: the output names none
        std::vector<std::filesystem::path> files;  // those it may name
    };
    // Re-opens an output without the plugin; see worker/verification.hpp for the answer.
    base::result<json::object> verify(const std::filesystem::path& file, std::string_view role,
                                      const json::object& expect, const runner::cancellation& cancel,
                                      references named = {});

    // Digests being computed by a process of their own, which ends with this object.
    struct hashing {
        workspace::digests known;
        std::vector<std::filesystem::path> asked;
        std::optional<base::result<runner::pending_call>> process;  // none: no file needs hashing
    };
    // The digests of files that the call may read. Computed in the background, within the operator's wall time from
    // now, and cached while the files are unchanged. When the files together exceed the operator's limit, those of more
    // than 2 MiB have partial digests.
    hashing begin_hashing(const workspace::call_files& a, const std::vector<std::filesystem::path>& files,
                          const runner::cancellation& cancel);
    base::result<workspace::digests> finish(hashing h, const runner::cancellation& cancel);
    // Of one file its own; of a VRT or a folder that of the digests of the files it consists of
    // (workspace::read_files), one a line, and their size together.
    base::result<workspace::fingerprint> digest(const workspace::call_files& a, const std::filesystem::path& file,
                                                const runner::cancellation& cancel);

    // The unmodified answer of trusted code to an operation that loads no plugin. Uses the operation and its own
    // members of `r`. It may read the workspaces and write to `scratch`.
    base::result<json::object> answer(runner::request r, const std::filesystem::path& scratch,
                                      const runner::cancellation& cancel,
                                      std::optional<std::chrono::milliseconds> limit);

private:
    runner::zygote& zygote_of(const catalog::bundle& b) {
        return b.needs == catalog::runtime::gdal ? zygote_ : plain_zygote_;
    }
    base::result<json::object> made_manifest(const std::filesystem::path& library, const std::string& sha256,
                                             runner::zygote& z);
    base::result<std::vector<runner::input>> inputs_of(const catalog::tool& t, const workspace::call_files& a,
                                                       bool writes, const std::filesystem::path& scratch,
                                                       const runner::cancellation& cancel);
    runner::request request(const char* operation, const std::filesystem::path& scratch) const;
    void complete(runner::request& r) const;  // adds the operator's settings
    std::vector<std::filesystem::path> readable(const workspace::call_files& a) const;
    base::result<runner::ending> ask(runner::zygote& z, const runner::request& r, const runner::cancellation& cancel,
                                     const runner::call_events& events = {},
                                     runner::answer_when when = runner::answer_when::gone,
                                     std::optional<std::chrono::milliseconds> limit = std::nullopt);

    const configuration& configuration_;
    const std::vector<std::filesystem::path> roots_;
    runner::zygote zygote_, plain_zygote_;  // with GDAL, without
    std::mutex guard_;
    static constexpr std::size_t max_known = 10'000;  // of each kind; a session never names that many files or CRSs
    base::bounded_cache<std::string, json::value> known_facts_{max_known};
    base::bounded_cache<std::string, reflection::crs_identity> known_crs_{max_known};
    struct verified_library {
        std::string sha256, state;  // of the file when it had that hash
    };
    base::bounded_cache<std::string, verified_library> known_libraries_{max_known};  // by path
    workspace::fingerprints fingerprints_;
    std::set<std::string> hanging_;  // hashes of bare libraries
};

}  // namespace gdalmcp::app
