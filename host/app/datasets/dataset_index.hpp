// What the datasets of the workspaces hold, kept in the state folder and read again where files have changed.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/datasets/dataset_contents.hpp"
#include "app/datasets/registries.hpp"
#include "app/datasets/workspace_walk.hpp"
#include "base/own_folder.hpp"

namespace gdalmcp::app {

struct known_dataset {
    std::string state;  // found_file::state when it was read
    dataset_contents contents;
    std::string words;                           // folded_words of its texts and path, as " land cover 2019\n rivers\n"
    std::vector<dataset_contents::dated> times;  // those it states, and those in names
};

struct indexed_dataset {
    found_file file;
    std::shared_ptr<const known_dataset> known;  // none: not read yet
};

struct indexed_datasets {
    std::vector<indexed_dataset> all;
    std::string stopped;  // why some files were not even found; empty: all were
    std::size_t not_utf8 = 0;
};

// Candidates are files as in a catalogue, and archives. Their contents are read by confined processes and kept in one
// file per workspace, written whole: servers on one state folder add to each other's. A file that is damaged or of
// another version of the program is made again. Thread-safe.
class dataset_index {
public:
    // `kept`: the folder of the index. `apart`: the state folder, whose files are no datasets.
    dataset_index(const workspace::roots& roots, base::own_folder kept, std::filesystem::path apart, trusted_work ask,
                  app::registries& known)
        : roots_{roots}, kept_{std::move(kept)}, apart_{std::move(apart)}, ask_{std::move(ask)}, registries_{known} {}

    // Relative paths start there; empty: there is none.
    std::filesystem::path first_workspace() const {
        return roots_.list().empty() ? std::filesystem::path{} : roots_.list().front().folder;
    }

    using progress = std::function<void(std::size_t done, std::size_t of)>;
    // The datasets as they are now. Those that `budget` leaves unread are read by later calls. What was read before a
    // cancellation is kept. Errors: cancelled; those of the walk.
    base::result<indexed_datasets> update(std::chrono::milliseconds budget, const runner::cancellation& cancel,
                                          const progress& tell);

    // Looks for terms among the values that are left out of what is known of these datasets (`cut`), and adds what is
    // found to it, for this search only. Returns the datasets whose rows were not all read in time.
    std::vector<const indexed_dataset*> search_values(const std::vector<indexed_dataset*>& in,
                                                      const std::vector<std::string>& terms,
                                                      std::chrono::milliseconds budget,
                                                      const runner::cancellation& cancel) const;

private:
    using entries = std::map<std::filesystem::path, std::shared_ptr<const known_dataset>>;  // by path in the workspace
    struct kept_workspace {
        std::string read_at;  // identity of the file when it was read or written
        entries all;
        bool changed = false;  // since then
    };

    void load(const std::filesystem::path& root, kept_workspace& w) const;
    void save(const std::filesystem::path& root, kept_workspace& w) const;
    void forget_missing(const indexed_datasets& now);
    // Errors: no process could be started, so that calling again at once is no use.
    base::result<void> read(std::vector<indexed_dataset*> unknown, std::chrono::milliseconds budget,
                            const runner::cancellation& cancel, const progress& tell);
    // How many it has read, from the first on.
    base::result<std::size_t> read_batch(const std::vector<indexed_dataset*>& few, std::chrono::milliseconds budget,
                                         const runner::cancellation& cancel);
    void keep(indexed_dataset& d, dataset_contents c);

    const workspace::roots& roots_;
    const base::own_folder kept_;
    const std::filesystem::path apart_;
    const trusted_work ask_;
    app::registries& registries_;
    std::timed_mutex guard_;
    std::map<std::filesystem::path, kept_workspace> workspaces_;  // by root
};

}  // namespace gdalmcp::app
