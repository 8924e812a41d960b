// Managed results: datasets outside the workspaces, passed from call to call as query://result/{id}.
#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "workspace/stage.hpp"

namespace gdalmcp::workspace {

namespace json = boost::json;
using time_point = std::chrono::system_clock::time_point;

// One managed result. Its folder is removed with the last reference; holders may use its files.
struct managed {
    std::string id;
    temporary_folder folder;
    std::filesystem::path file;  // the primary file
    bool in_memory = false;
    json::object metadata;         // as registered: geometry_used, bands, pixel_count, crs, window, source, …
    json::object made_by;          // provenance_outline() of the step that made it
    std::uint64_t size_bytes = 0;  // all files together
    time_point created;
    time_point expires;
};

struct result_limits {
    std::chrono::seconds time_to_live{900};
    std::size_t count = 25;
    std::uint64_t memory_bytes = 512u << 20;  // of tmpfs, and never more than a quarter of what is free there
};

// Where scratch folders may be made: `memory` must be a tmpfs to be used.
struct scratch_places {
    std::optional<std::filesystem::path> memory;
    std::filesystem::path disk;
};
// /dev/shm or $XDG_RUNTIME_DIR; `given` (--scratch), $TMPDIR or /tmp. `environment` returns "" for what is not set.
scratch_places default_scratch(const std::string& given, const std::function<std::string(const char*)>& environment);

// A marked folder in `parent`, for one process. Errors name the flag that chooses another place.
base::result<temporary_folder> make_scratch(const std::filesystem::path& parent, background* later = nullptr);

// The results of one host process. Thread-safe. Folders are made on first use, with mode 0700, and removed with the
// registry.
class results {
public:
    results(scratch_places places, std::function<time_point()> clock, result_limits limits = {},
            background* later = nullptr);
    ~results();
    results(const results&) = delete;
    results& operator=(const results&) = delete;
    results(results&&) = delete;
    results& operator=(results&&) = delete;

    // Places for a new result called `file_name` ("result.tif"): tmpfs first, while there is room, then disk.
    base::result<stage> begin(const std::string& file_name);

    // Registers the files written into candidate `chosen`. Of too many, evicts those that no call holds: those never
    // used first, then those unused for longest. `metadata` is added to describe() beside size, times and URI;
    // `made_by` is not.
    struct newly_kept {
        std::string id;
        std::vector<std::string> evicted;  // ids
    };
    base::result<newly_kept> keep(stage written, std::size_t chosen, json::object metadata, json::object made_by = {});

    // The result behind an id, held as long as the pointer lives. Errors: `expired`, with the reason.
    base::result<std::shared_ptr<const managed>> hold(std::string_view id);

    base::result<json::object> describe(std::string_view id);  // {uri, name, size_bytes, created, expires, …metadata}
    base::result<std::string> read(std::string_view id, std::uint64_t offset,
                                   std::size_t length);  // of the primary file
    base::result<void> release(std::string_view id);
    std::vector<json::object> list();      // describe() of each, oldest first
    std::vector<std::string> take_gone();  // ids of those removed since the last call
    void expire();                         // drops expired results; every other member does so too

private:
    struct past {
        std::string id, fate;
    };
    std::uint64_t memory_room() const;
    void drop_expired();
    base::result<std::vector<std::string>> make_room(const managed& newcomer);  // the evicted ids
    void forget(std::size_t position, std::string fate);
    base::result<std::shared_ptr<const managed>> find(std::string_view id);

    const scratch_places places_;
    const std::function<time_point()> clock_;
    const result_limits limits_;
    background* const later_;  // for trees too large to remove at once
    std::mutex guard_;
    std::optional<temporary_folder> memory_scratch_, disk_scratch_;
    std::vector<std::shared_ptr<const managed>> kept_;  // oldest first
    std::map<std::string, std::uint64_t> last_use_;     // of each kept one, by id; unused ones come before used ones
    std::uint64_t uses_ = 0;
    std::deque<past> past_;          // the fate of recent ones
    std::vector<std::string> gone_;  // ids not reported yet
};

std::string result_uri(std::string_view id);                        // query://result/{id}
std::optional<std::string> id_of_result_uri(std::string_view uri);  // none: not such a URI
std::string media_type(const std::filesystem::path& file);          // by extension: image/tiff, …
std::string rfc3339(time_point t);                                  // 2025-01-31T12:00:00.000Z

}  // namespace gdalmcp::workspace
