#include "app/datasets/dataset_index.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/descriptor.hpp"
#include "base/digest.hpp"
#include "base/file_identity.hpp"
#include "base/folded_words.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
namespace json = base::json;
using base::fail;
using base::result;
namespace code = base::code;
using milliseconds = std::chrono::milliseconds;

namespace {

constexpr std::size_t batch = 128;             // files of one process
constexpr milliseconds alone{5000};            // for one file
constexpr milliseconds of_batch{4000};         // until a process begins no other file
constexpr milliseconds at_once{200};           // how often a waiting call looks whether it was cancelled
constexpr std::size_t max_index = 512u << 20;  // bytes of one index
constexpr std::size_t max_times = 500;         // of one dataset
constexpr walk_limits limits_of_walk{1'000'000, 32, milliseconds{10'000}};

constexpr std::string_view format = "gdal-mcp datasets 4 " GDALMCP_VERSION " ";

std::string name_of(const fs::path& root) { return base::sha256_hex(root.string()).substr(0, 32) + ".index"; }

std::string identity_of(const base::own_folder& folder, const std::string& name) {
    struct stat s {};
    return folder.look(name, s) ? base::to_string(base::identity_of(s)) : std::string{};
}

void add_words(std::string& to, std::string_view text) {
    for (const auto& word : base::folded_words(text)) to += " " + word;
    to += '\n';
}

std::shared_ptr<const known_dataset> known_as(const fs::path& shown, std::string state, dataset_contents c) {
    known_dataset k{std::move(state), std::move(c), {}, {}};
    k.times = k.contents.times;
    const auto add_times = [&](std::string_view name, const std::string& why) {
        for (const auto& days : days_in_name(name))
            if (k.times.size() < max_times) k.times.push_back({days, why});
    };
    add_words(k.words, shown.string());
    add_times(shown.string(), "file name");
    for (const auto& g : k.contents.texts) {
        const bool named = g.what != "value" && g.what != "category" && g.what != "title";
        for (const auto& text : g.texts) {
            add_words(k.words, text);
            if (named) add_times(text, g.what + " '" + text + "'");
        }
    }
    return std::make_shared<const known_dataset>(std::move(k));
}

// The state of a file; of a VRT also of its sources.
std::string state_of(const found_file& f) {
    return f.path.extension() == ".vrt" ? workspace::dataset_state(f.path) : f.state;
}

// The worker looks into those that hold one dataset.
bool is_archive(const fs::path& file) {
    const auto extension = base::lower_ascii(file.extension().string());
    return extension == ".zip" || extension == ".tar" || extension == ".tgz" || extension == ".gz";
}

bool lies_in(const fs::path& file, const fs::path& folder) {
    if (folder.empty()) return false;
    const auto relative = file.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

// dem.tif.replay and dem.tif.replay-2 beside dem.tif hold what it was made from once more.
bool is_replayed(const found_file& f) {
    for (auto folder = f.path.parent_path(); folder != f.workspace && folder.has_relative_path();
         folder = folder.parent_path()) {
        const auto extension = folder.extension().string();
        std::error_code none;
        if ((extension == ".replay" || extension.starts_with(".replay-")) &&
            fs::is_regular_file(fs::path{folder}.replace_extension(), none))
            return true;
    }
    return false;
}

// Whether reading failed because of the files.
bool is_fatal(const base::problem& p) {
    return p.code == code::crashed || p.code == code::deadline || p.code == code::exhausted;
}

}  // namespace

result<indexed_datasets> dataset_index::update(milliseconds budget, const runner::cancellation& cancel,
                                               const progress& tell) {
    const auto cancelled = [] { return fail(code::cancelled, "the search was cancelled"); };
    std::unique_lock lock{guard_, std::defer_lock};
    while (!lock.try_lock_for(at_once))
        if (cancel.requested()) return cancelled();
    const auto formats = registries_.formats(cancel);
    if (!formats) return tl::unexpected{formats.error()};
    const auto may_be_dataset = [&](const fs::path& file) {
        return is_archive(file) || (*formats)->kinds_of(file).has_value();
    };
    auto walked = walk_workspaces(roots_, "", false, may_be_dataset, cancel, limits_of_walk);
    if (!walked) return tl::unexpected{walked.error()};
    for (const auto& root : roots_.list()) load(root.folder, workspaces_[root.folder]);
    indexed_datasets now{{}, std::move(walked->stopped), walked->not_utf8};
    for (auto& f : walked->files) {
        if (lies_in(f.path, apart_) || is_replayed(f)) continue;
        f.state = state_of(f);
        const auto& known = workspaces_[f.workspace].all;
        const auto found = known.find(f.shown);
        auto same = found != known.end() && found->second->state == f.state ? found->second : nullptr;
        now.all.push_back({std::move(f), std::move(same)});
    }
    std::vector<indexed_dataset*> unknown;
    for (auto& d : now.all)
        if (!d.known) unknown.push_back(&d);
    const auto done = read(std::move(unknown), budget, cancel, tell);
    if (now.stopped.empty()) forget_missing(now);
    for (auto& [root, w] : workspaces_)
        if (w.changed) save(root, w);
    if (cancel.requested()) return cancelled();
    if (!done) return tl::unexpected{done.error()};
    return now;
}

void dataset_index::forget_missing(const indexed_datasets& now) {
    std::map<fs::path, std::set<fs::path>> present;
    for (const auto& d : now.all) present[d.file.workspace].insert(d.file.shown);
    for (auto& [root, w] : workspaces_)
        if (std::erase_if(w.all, [&, &there = present[root]](const auto& e) { return !there.count(e.first); }) > 0)
            w.changed = true;
}

result<void> dataset_index::read(std::vector<indexed_dataset*> unknown, milliseconds budget,
                                 const runner::cancellation& cancel, const progress& tell) {
    const auto end = std::chrono::steady_clock::now() + budget;
    const auto left = [&] { return std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now()); };
    const auto go_on = [&] { return left().count() > 0 && !cancel.requested(); };
    for (std::size_t i = 0; i < unknown.size() && go_on();) {
        const auto at = [&](std::size_t n) { return unknown.begin() + static_cast<std::ptrdiff_t>(n); };
        const std::vector<indexed_dataset*> few(at(i), at(std::min(i + batch, unknown.size())));
        if (tell) tell(i, unknown.size());
        auto done = read_batch(few, std::min(left(), of_batch), cancel);
        i += done && *done > 0 ? *done : few.size();
        if (done || cancel.requested()) continue;
        if (!is_fatal(done.error())) return tl::unexpected{done.error()};
        // One file ends the process of its batch; each is read again alone.
        for (auto* one : few) {
            if (!go_on()) break;
            done = read_batch({one}, milliseconds{0}, cancel);
            if (done || cancel.requested()) continue;
            if (!is_fatal(done.error())) return tl::unexpected{done.error()};
            dataset_contents unreadable;
            unreadable.unread.push_back(done.error().message);
            keep(*one, std::move(unreadable));
        }
    }
    return {};
}

result<std::size_t> dataset_index::read_batch(const std::vector<indexed_dataset*>& few, milliseconds budget,
                                              const runner::cancellation& cancel) {
    runner::request r;
    r.operation = "contents";
    for (const auto* d : few) r.files.push_back(d->file.path);
    r.budget_ms = static_cast<std::uint64_t>(std::max(budget, milliseconds{0}).count());
    const auto done = ask_(std::move(r), cancel, budget + alone);
    if (!done) return tl::unexpected{done.error()};
    const auto* seen = base::find_member(*done, "seen");
    const auto* all = seen ? seen->if_array() : nullptr;
    const auto n = std::min(all ? all->size() : 0, few.size());
    for (std::size_t i = 0; i < n; ++i) keep(*few[i], contents_of((*all)[i]));
    return n;
}

std::vector<const indexed_dataset*> dataset_index::search_values(const std::vector<indexed_dataset*>& in,
                                                                 const std::vector<std::string>& terms,
                                                                 milliseconds budget,
                                                                 const runner::cancellation& cancel) const {
    std::vector<const indexed_dataset*> unfinished;
    if (in.empty() || terms.empty()) return unfinished;
    runner::request r;
    r.operation = "search_values";
    for (const auto* d : in) r.files.push_back(d->file.path);
    r.spellings = terms;
    r.budget_ms = static_cast<std::uint64_t>(budget.count());
    const auto done = ask_(std::move(r), cancel, budget + alone);
    const auto* files = done ? base::find_member(*done, "files") : nullptr;
    const auto* all = files ? files->if_array() : nullptr;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const auto* one = all && i < all->size() ? &(*all)[i] : nullptr;
        if (!one || !base::bool_member(*one, "complete")) unfinished.push_back(in[i]);
        const auto* found = one ? base::find_member(*one, "found") : nullptr;
        if (!found || !found->is_array() || found->get_array().empty()) continue;
        auto c = in[i]->known->contents;
        for (const auto& f : found->get_array())
            c.texts.push_back({"value",
                               std::string{base::string_member(f, "in")},
                               {std::string{base::string_member(f, "text")}},
                               true});
        in[i]->known = known_as(in[i]->file.shown, in[i]->known->state, std::move(c));
    }
    return unfinished;
}

void dataset_index::keep(indexed_dataset& d, dataset_contents c) {
    d.known = known_as(d.file.shown, d.file.state, std::move(c));
    auto& w = workspaces_[d.file.workspace];
    w.all[d.file.shown] = d.known;
    w.changed = true;
}

// Adds what the file has and `w` has not, unless it was read already. Lines of JSON after one with their digest.
void dataset_index::load(const fs::path& root, kept_workspace& w) const {
    const auto name = name_of(root);
    const auto identity = identity_of(kept_, name);
    if (identity.empty() || identity == w.read_at) return;
    const auto text = kept_.read(name, max_index);
    w.read_at = identity;
    w.changed = w.changed || !text;
    if (!text) return base::log(base::log_level::warning, text.error().message);
    std::string_view rest{*text};
    const auto head = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(head.size() + 1, rest.size()));
    if (!head.starts_with(format)) return;
    if (head.substr(format.size()) != base::sha256_hex(rest))
        return base::log(base::log_level::warning,
                         "the index of the datasets of " + root.string() + " is damaged and is made again");
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const auto entry = base::parse_json(line);
        const auto* contents = entry ? base::find_member(*entry, "contents") : nullptr;
        const fs::path shown{contents ? std::string{base::string_member(*entry, "file")} : std::string{}};
        if (shown.empty() || w.all.count(shown)) continue;
        w.all[shown] = known_as(shown, std::string{base::string_member(*entry, "state")}, contents_of(*contents));
    }
}

void dataset_index::save(const fs::path& root, kept_workspace& w) const {
    const auto name = name_of(root);
    const auto alone_here = kept_.lock(name + ".lock");
    if (!alone_here) return base::log(base::log_level::warning, alone_here.error().message);
    // The values of private files are not for other users of the machine.
    const base::descriptor folder{kept_.open(".", O_RDONLY | O_DIRECTORY)};
    if (::fchmod(folder.get(), 0700) != 0)
        return base::log(base::log_level::warning, "cannot keep " + kept_.path().string() + " from other users");
    load(root, w);  // what another server has written meanwhile
    std::string lines;
    for (const auto& [shown, k] : w.all) {
        if (!k->contents.unread.empty() && k->contents.driver.empty()) continue;  // the next server tries again
        auto line = base::write_json(
            json::object{{"file", shown.string()}, {"state", k->state}, {"contents", to_json(k->contents)}});
        if (lines.size() + line.size() + 256 > max_index) break;
        lines += line + "\n";
    }
    const auto written = kept_.write(name, std::string{format} + base::sha256_hex(lines) + "\n" + lines);
    if (!written) {
        base::log(base::log_level::warning, written.error().message);
        return;  // the next call tries again
    }
    w.read_at = identity_of(kept_, name);
    w.changed = false;
}

}  // namespace gdalmcp::app
