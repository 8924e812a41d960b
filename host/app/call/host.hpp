// Everything a running server has, wired together; one call from its name and arguments to its outcome.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "app/call/call_context.hpp"
#include "app/call/history.hpp"
#include "app/configuration.hpp"
#include "app/datasets/data_find.hpp"
#include "catalog/watch.hpp"
#include "workspace/background.hpp"

namespace gdalmcp::app {

// The requirements on bundles: the operator's trust and grants, and this installation's libgdal.
base::result<catalog::admission> admission_of(const configuration& c, const installation& parts);

// Thread-safe once constructed. Starts nothing before the first call.
//   auto h = host::open(configuration);
//   auto o = (*h)->call("raster_info", {{"uri", "a.tif"}}, cancel, events);
class host {
public:
    static base::result<std::unique_ptr<host>> open(const configuration& c);

    const configuration& settings() const { return configuration_; }
    const workspace::roots& workspaces() const { return roots_; }
    std::shared_ptr<const tool_set> offered() const;
    catalog::watch& bundle_changes() { return bundle_changes_; }  // one thread at a time
    const installation& parts() const { return sources_.parts; }
    workspace::results& results() { return results_; }
    reflection::store& reasons() const { return *sources_.store; }  // the workspace's, and the libraries behind it
    app::history& history() { return history_; }
    app::registries& known() { return known_; }  // GDAL's formats, PROJ's CRSs

    // Reloads the bundles. Running calls keep the set they started with. Errors: the program's own specs are
    // unreadable; then nothing changes. The library of a bundle that was refused is hashed at every later reload.
    base::result<void> reload(const std::filesystem::path& refused_library = {});

    void start_ahead() { work_.start_ahead(); }  // a call may come soon

    bool only_reads(std::string_view tool) const;  // may use the slot reserved for read-only tools
    const std::vector<std::string>& policy_remarks() const { return policy_remarks_; }  // unknown names
    bool only_as_task(std::string_view tool) const;                                     // cannot be answered at once

    // Asks only what `asker` supports.
    outcome call(std::string_view tool, json::object arguments, const runner::cancellation& cancel,
                 const runner::call_events& events, const client& asker = {});

    base::result<reflection::crs_identity> identify_crs(std::string_view spelling, const runner::cancellation& cancel) {
        return work_.crs(spelling, cancel);
    }

    // The URIs of managed results that expired, were released or dropped since the last call of this function.
    std::vector<std::string> gone_results();

    // The worker's own answers, without a tool; see confined_work::answer.
    base::result<json::object> answer(runner::request r, const runner::cancellation& cancel,
                                      std::optional<std::chrono::milliseconds> limit);

    // confined_work::facts of one dataset, spelled as for a tool.
    base::result<json::value> facts_of(const std::string& dataset, const runner::cancellation& cancel);

    // One stored reason; nothing when it is missing or foreign.
    std::optional<json::object> justification(std::string_view domain, std::string_view cache_key) const;
    // keys_of_call() of a tool.
    base::result<json::object> keys_of(const std::string& tool, json::object arguments);
    // The CRS lookup the gate uses. `cancel` must outlive the result.
    reflection::crs_lookup crs_lookup(const runner::cancellation& cancel);

private:
    host(configuration c, workspace::roots r, tool_set::sources s, const base::own_folder& store);

    call_services services() {
        return {roots_, results_, stages_, scratch_, work_, stated_, measurements_, second_looks_, *sources_.store};
    }
    outcome call_any(std::string_view tool, json::object arguments, const call_context& c);
    outcome call_tool(const call_context& c, const catalog::tool& t, json::object arguments);
    outcome store_justification(const json::object& arguments, const call_context& c);
    outcome preflight(const json::object& arguments, const call_context& c);
    outcome release_result(const json::object& arguments);
    outcome switch_toolsets(const json::object& arguments, const client& asker);

    trusted_work asking_worker();

    // In the background: removes the remains of dead hosts from the scratch places and the records.
    void sweep_later(const base::own_folder& store);

    const configuration configuration_;
    const workspace::roots roots_;
    app::history history_;
    tool_set::sources sources_;      // constant once made but for the doubted libraries: reloading_
    catalog::watch bundle_changes_;  // watches from before the first load, so that no change is missed
    std::mutex reloading_;
    mutable std::mutex tools_guard_;
    std::shared_ptr<const tool_set> tools_;
    std::vector<std::string> policy_remarks_;  // as of the start
    const workspace::scratch_places places_;
    workspace::background background_;  // outlives all folders
    scratch_folders scratch_;
    workspace::results results_;
    workspace::stages stages_;
    dataset_facts stated_;
    measurements measurements_;
    second_looks second_looks_;
    confined_work work_;
    app::registries known_;
    dataset_index datasets_;
    data_find find_;
};

}  // namespace gdalmcp::app
