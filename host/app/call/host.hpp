// Everything a running server has, wired together; one call from its name and arguments to its outcome.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "app/call/call_context.hpp"
#include "app/call/history.hpp"
#include "app/configuration.hpp"
#include "catalog/watch.hpp"
#include "workspace/background.hpp"

namespace gdalmcp::app {

// What bundles are held against: the operator's trust and grants, and this installation's libgdal.
base::result<catalog::admission> admission_of(const configuration& c, const installation& parts);

// Thread-safe once made. Starts nothing before the first call.
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

    // Looks again at what bundles there are. Calls under way keep what they began with. The program's own specs having
    // become unreadable leaves everything as it was, and is the error. A library that was refused is hashed from now on
    // whenever its bundle is looked at.
    base::result<void> reload(const std::filesystem::path& refused_library = {});

    bool only_reads(std::string_view tool) const;  // may use the slot kept for looking
    const std::vector<std::string>& policy_remarks() const { return policy_remarks_; }  // names that nobody has
    bool only_as_task(std::string_view tool) const;                                     // cannot be answered at once

    // Nobody is asked anything unless `asker` says that it can be.
    outcome call(std::string_view tool, json::object arguments, const runner::cancellation& cancel,
                 const runner::call_events& events, const client& asker = {});

    base::result<reflection::crs_identity> identify_crs(std::string_view spelling, const runner::cancellation& cancel) {
        return work_.crs(spelling, cancel);
    }

    // The URIs of managed results that expired, were released or made room since this was asked last, also by a call.
    std::vector<std::string> gone_results();

    // What the worker itself knows, without a tool; see confined_work::answer.
    base::result<json::object> answer(runner::request r, const runner::cancellation& cancel,
                                      std::optional<std::chrono::milliseconds> limit);

    // What confined_work::facts tells of one dataset, spelled as for a tool.
    base::result<json::value> facts_of(const std::string& dataset, const runner::cancellation& cancel);

    // One stored reason; nothing when it is not there or cannot be believed.
    std::optional<json::object> justification(std::string_view domain, std::string_view cache_key) const;
    // A CRS's spelling, as the gate asks for it. `cancel` must outlive what is returned.
    reflection::crs_lookup crs_lookup(const runner::cancellation& cancel);

private:
    host(configuration c, workspace::roots r, tool_set::sources s, const base::own_folder& store);

    call_services services() {
        return {roots_, results_, stages_, scratch_, work_, stated_, measurements_, second_looks_};
    }
    outcome call_any(std::string_view tool, json::object arguments, const call_context& c);
    outcome call_tool(const call_context& c, const catalog::tool& t, json::object arguments);
    outcome store_justification(const json::object& arguments, const call_context& c);
    outcome preflight(const json::object& arguments, const call_context& c);
    outcome release_result(const json::object& arguments);
    outcome switch_toolsets(const json::object& arguments, const client& asker);

    // In the background: what hosts that died have left, in the places for scratch folders and among the records.
    void sweep_later(const base::own_folder& store);

    const configuration configuration_;
    const workspace::roots roots_;
    app::history history_;
    tool_set::sources sources_;      // constant once made but for the doubted libraries: reloading_
    catalog::watch bundle_changes_;  // since before the first look: nothing falls between the two
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
};

}  // namespace gdalmcp::app
