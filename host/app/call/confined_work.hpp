// The requests this host makes of confined processes, with what it remembers of their answers.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/call/installation.hpp"
#include "app/configuration.hpp"
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

    // {"input": of the first input, "inputs": of all}, each what worker/probe.hpp lists, with `path` as the caller gave
    // it and the argument's `pointer`. Remembered by path, size, mtime and inode.
    base::result<json::value> facts(const workspace::call_files& a, const std::filesystem::path& scratch,
                                    const runner::cancellation& cancel);

    // The identity of a CRS spelling, remembered.
    base::result<reflection::crs_identity> crs(std::string_view spelling, const runner::cancellation& cancel);

    struct planned_output {
        std::string pointer;
        std::string file_name;
        std::vector<workspace::candidate> candidates;
    };
    // Runs a tool. prepared: {stages, inputs, library_state, versions, prepare_ms}; done: {result, lines, warnings,
    // attachments, expectations, progress, ask?, tool_ms}, checked for shape but the plugin's word. Without outputs the
    // process may still be ending when this returns, and with it the use of `scratch`: see ending::process.
    // `also_writable`: folders a tool may write to beside its own, to see whether it does. `limit`: another wall time
    // than the operator's. `told`: what the tool learns of its client, see tool_questions.hpp; empty: there is none.
    base::result<runner::ending> run(const catalog::tool& t, const workspace::call_files& a,
                                     const std::vector<planned_output>& outputs, const std::filesystem::path& scratch,
                                     const runner::cancellation& cancel, const runner::call_events& events,
                                     const std::vector<std::filesystem::path>& also_writable = {},
                                     std::optional<std::chrono::milliseconds> limit = std::nullopt,
                                     json::object told = {});

    // The manifest of a bare library, made by its own code in a confined process and kept in the state folder by the
    // library's hash. It has 5 s for it, and one that hangs is not waited for again.
    base::result<json::value> describe(const std::filesystem::path& library);

    // Re-opens an output without the plugin; see worker/verification.hpp for the answer.
    base::result<json::object> verify(const std::filesystem::path& file, std::string_view role,
                                      const json::object& expect, const runner::cancellation& cancel);

    // Digests in the making, by a process of their own, which ends with this.
    struct hashing {
        workspace::digests known;
        std::vector<std::filesystem::path> asked;
        std::optional<base::result<runner::pending_call>> process;  // of those; none: nothing was asked
    };
    // The digests of files that the call may read. They are made while something else goes on, within the operator's
    // wall time from now, and remembered as long as the files stay as they are. When the files are together larger than
    // the operator's limit, those of more than 2 MiB have partial digests.
    hashing begin_hashing(const workspace::call_files& a, const std::vector<std::filesystem::path>& files);
    base::result<workspace::digests> finish(hashing h, const runner::cancellation& cancel);
    base::result<workspace::fingerprint> digest(const workspace::call_files& a, const std::filesystem::path& file,
                                                const runner::cancellation& cancel);

    // What trusted code answers to an operation that loads no plugin, as it stands. Of `r`, the operation and its own
    // members count. It may read the workspaces, and write to `scratch`.
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
    void complete(runner::request& r) const;  // with what the operator decided
    std::vector<std::filesystem::path> readable(const workspace::call_files& a) const;
    base::result<runner::ending> ask(runner::zygote& z, const runner::request& r, const runner::cancellation& cancel,
                                     const runner::call_events& events = {},
                                     runner::answer_when when = runner::answer_when::gone,
                                     std::optional<std::chrono::milliseconds> limit = std::nullopt);

    const configuration& configuration_;
    const std::vector<std::filesystem::path> roots_;
    runner::zygote zygote_, plain_zygote_;  // with GDAL, without
    std::mutex guard_;
    std::map<std::string, json::value, std::less<>> known_facts_;
    std::map<std::string, reflection::crs_identity, std::less<>> known_crs_;
    struct verified_library {
        std::string sha256, state;  // of the file when it was found to have that hash
    };
    std::map<std::string, verified_library, std::less<>> known_libraries_;  // by path
    workspace::fingerprints fingerprints_;
    std::set<std::string> hanging_;  // hashes of bare libraries
};

}  // namespace gdalmcp::app
