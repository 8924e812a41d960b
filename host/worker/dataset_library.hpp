// A worker's access to datasets: all GDAL functions in gdal-mcp-worker, none in gdal-mcp-worker-plain.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "worker/abi_host.hpp"
#include "worker/inputs.hpp"

namespace gdalmcp::worker {

class dataset_library {
public:
    virtual ~dataset_library() = default;

    virtual const std::string& libgdal() const = 0;          // the soname mapped here, "libgdal.so.32"; "" = none
    virtual const base::json::object& versions() const = 0;  // {"gdal": …, "proj": …}

    // Descriptors opened at load that every child uses; begin_child() gives the child its own, before foreign code
    // runs. False: the child must end.
    virtual const std::vector<int>& descriptors() const = 0;
    virtual bool begin_child() const = 0;

    // In the zygote: prepares for data in this CRS, AUTHORITY:CODE. Opens no file.
    virtual void expect_crs(const std::string& code) const = 0;

    // Settings of one call: scratch, the folder for side files; threads; date, the time that outputs state.
    virtual void begin_call(const runner::request& r) const = 0;

    // See inputs.hpp.
    virtual base::result<opened_input> open(const input& i, const std::vector<std::filesystem::path>& roots,
                                            const std::filesystem::path& scratch, bool want_crs) const = 0;

    // The operations that run no plugin: inspect, probe, crs, verify, identify, contents, search_values, formats,
    // crs_registry, crs_entry.
    virtual base::result<base::json::object> answer(const runner::request& r) const = 0;

    // While a tool runs, GDAL's warnings join the call's; afterwards returns an error the tool did not report.
    virtual void watch(running_call& c) const = 0;
    virtual std::optional<std::string> stop_watching() const = 0;
};

std::unique_ptr<const dataset_library> load_gdal();  // registers the drivers
std::unique_ptr<const dataset_library> no_datasets();

}  // namespace gdalmcp::worker
