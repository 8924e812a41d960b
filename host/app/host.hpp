// Everything a running server has, wired together; one call from its name and arguments to its outcome.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "app/configuration.hpp"
#include "app/confined_work.hpp"
#include "app/installation.hpp"
#include "app/outcome.hpp"
#include "catalog/snapshot.hpp"
#include "mcp/offer.hpp"
#include "reflection/gate.hpp"
#include "workspace/provenance.hpp"
#include "workspace/results.hpp"
#include "workspace/roots.hpp"
#include "workspace/stage.hpp"

namespace gdalmcp::app {

inline constexpr const char* version = GDALMCP_VERSION;

// Thread-safe once made. Starts nothing before the first call.
//   auto h = host::open(configuration);
//   auto o = (*h)->call("raster_info", {{"uri", "a.tif"}}, cancel, progress);
class host {
public:
    static base::result<std::unique_ptr<host>> open(const configuration& c);

    const configuration& settings() const { return configuration_; }
    const workspace::roots& workspaces() const { return roots_; }
    const catalog::snapshot& tools() const { return *catalog_; }
    const reflection::specs& specs() const { return *specs_; }
    const installation& parts() const { return installation_; }
    workspace::results& results() { return results_; }

    // What clients are told: tools, templates, prompts, instructions.
    mcp::offer offer() const;

    bool only_reads(std::string_view tool) const;  // may use the slot kept for looking

    outcome call(std::string_view tool, json::object arguments, const runner::cancellation& cancel,
                 const runner::progress_hook& progress);

    base::result<reflection::crs_identity> identify_crs(std::string_view spelling, const runner::cancellation& cancel) {
        return work_.crs(spelling, cancel);
    }

    // One stored reason; nothing when it is not there or cannot be believed.
    std::optional<json::object> justification(std::string_view domain, std::string_view cache_key) const;
    base::result<std::string> prompt(const std::string& name, const json::object& arguments,
                                     const runner::cancellation& cancel);

private:
    friend class tool_call;
    friend class remains;
    host(configuration c, installation i, workspace::roots r, std::shared_ptr<const catalog::snapshot> s,
         std::shared_ptr<const reflection::specs> specs, std::filesystem::path store);

    // A scratch folder for one call. Making and removing folders costs more than the call itself on some file systems,
    // so one that comes back empty serves again.
    base::result<workspace::temporary_folder> take_scratch();
    void give_back(workspace::temporary_folder folder);
    outcome store_justification(const json::object& arguments, const runner::cancellation& cancel);
    outcome preflight(const json::object& arguments, const runner::cancellation& cancel);
    base::problem unknown_tool(std::string_view name, std::string at) const;
    outcome release_result(const json::object& arguments);
    reflection::crs_lookup crs_lookup(const runner::cancellation& cancel);

    const configuration configuration_;
    const installation installation_;
    const workspace::roots roots_;
    const std::shared_ptr<const catalog::snapshot> catalog_;
    const std::shared_ptr<const reflection::specs> specs_;
    const std::map<std::string, base::schema, std::less<>> host_tools_;
    const std::shared_ptr<reflection::store> store_;
    const reflection::gate gate_;
    const workspace::scratch_places places_;
    workspace::results results_;
    workspace::stages stages_;
    workspace::fingerprints fingerprints_;
    confined_work work_;
    std::mutex scratch_guard_;
    std::optional<workspace::temporary_folder> scratch_;  // of the session; the calls' folders lie in it
    std::vector<workspace::temporary_folder> spare_scratch_;
};

}  // namespace gdalmcp::app
