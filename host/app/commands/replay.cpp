#include "app/commands/replay.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "app/call/lineage.hpp"
#include "app/commands/interruption.hpp"
#include "app/commands/replay_run.hpp"
#include "app/complain.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::fail;
using base::result;

namespace {

// A folder that did not exist, removed again if nothing was written into it.
class fresh_folder {
public:
    static result<fresh_folder> make(const fs::path& wanted, const fs::path& file) {
        std::error_code ec;
        if (!wanted.empty()) {
            const auto path = fs::absolute(wanted, ec).lexically_normal();
            const auto folder = path.has_filename() ? path : path.parent_path();
            if (fs::is_directory(folder, ec) && fs::is_empty(folder, ec) && !ec) return fresh_folder{folder, false};
            if (made(folder)) return fresh_folder{folder, true};
            return cannot(folder, errno == EEXIST ? "it exists and is not an empty folder" : std::strerror(errno));
        }
        for (int n = 1;; ++n) {
            fs::path folder = file;
            folder += n == 1 ? ".replay" : ".replay-" + std::to_string(n);
            if (made(folder)) return fresh_folder{folder, true};
            if (errno != EEXIST) return cannot(folder, std::strerror(errno));
        }
    }
    ~fresh_folder() {
        std::error_code ec;
        if (made_) fs::remove(path_, ec);  // fails where it is not empty
    }
    fresh_folder(fresh_folder&& other) noexcept : path_{other.path_}, made_{std::exchange(other.made_, false)} {}
    fresh_folder& operator=(fresh_folder&&) = delete;

    const fs::path& path() const { return path_; }

private:
    fresh_folder(fs::path path, bool made) : path_{std::move(path)}, made_{made} {}
    static bool made(const fs::path& folder) { return ::mkdir(folder.c_str(), 0777) == 0; }
    static tl::unexpected<base::problem> cannot(const fs::path& folder, const std::string& why) {
        return fail(base::code::io, "the outputs cannot go into " + folder.string() + ": " + why,
                    "name a new folder: --into DIR");
    }

    fs::path path_;
    bool made_;
};

// The output a record is of, whether or not it is there.
fs::path output_of_record(const fs::path& named) {
    constexpr std::string_view suffix = ".provenance.json";
    std::error_code ec;
    auto file = fs::absolute(named, ec).lexically_normal().string();
    if (file.ends_with(suffix)) file.resize(file.size() - suffix.size());
    return file;
}

std::string shown(std::string_view text) { return base::with_hidden_shown(text); }

json::array list_of(const std::vector<std::string>& all) {
    json::array a;
    for (const auto& one : all) a.emplace_back(one);
    return a;
}

json::array inputs_of(const replayed_step& step) {
    json::array all;
    for (const auto& in : step.inputs) {
        json::object one{{"uri", base::string_member(in.record, "uri")}};
        if (in.step) one["from_step"] = *in.step + 1;
        all.push_back(std::move(one));
    }
    return all;
}

json::array outputs_of(const replayed_step& step) {
    json::array all;
    for (const auto& out : step.outputs)
        all.push_back(json::object{{"uri", out.uri.empty() ? out.file.string() : out.uri},
                                   {"sha256", base::string_member(out.record, "sha256")}});
    return all;
}

// "raster_calc(dem.tif, step 2)"
std::string title_of(const replayed_step& step) {
    std::string inputs;
    for (const auto& in : step.inputs)
        inputs += (inputs.empty() ? "" : ", ") + (in.step ? "step " + std::to_string(*in.step + 1)
                                                          : std::string{base::string_member(in.record, "uri")});
    return shown(std::string{base::string_member(step.record, "tool")} + "(" + inputs + ")");
}

void print_lines(const std::vector<std::string>& lines) {
    for (const auto& line : lines) std::printf("   %s\n", shown(line).c_str());
}

int print_plan(const std::vector<replayed_step>& steps, const std::vector<checked_step>& checked, bool as_json) {
    json::array all;
    bool can_run = true;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        can_run = can_run && checked[i].obstacles.empty();
        if (as_json) {
            all.push_back(json::object{{"step", i + 1},
                                       {"tool", base::string_member(steps[i].record, "tool")},
                                       {"arguments", steps[i].record.at("arguments")},
                                       {"inputs", inputs_of(steps[i])},
                                       {"outputs", outputs_of(steps[i])},
                                       {"obstacles", list_of(checked[i].obstacles)},
                                       {"remarks", list_of(checked[i].remarks)},
                                       {"originals", list_of(checked[i].originals)}});
            continue;
        }
        std::printf("%zu. %s\n", i + 1, title_of(steps[i]).c_str());
        print_lines({base::write_json(steps[i].record.at("arguments"))});
        for (const auto& out : steps[i].outputs) print_lines({"-> " + (out.uri.empty() ? out.file.string() : out.uri)});
        for (const auto& line : checked[i].obstacles) print_lines({"cannot give the same: " + line});
        for (const auto& line : checked[i].remarks) print_lines({"note: " + line});
        for (const auto& line : checked[i].originals) print_lines({"the original: " + line});
    }
    if (as_json)
        std::printf("%s\n", base::write_json(json::object{{"steps", std::move(all)}, {"can_run", can_run}}).c_str());
    else
        std::printf("%zu step(s); %s\n", steps.size(),
                    can_run ? "nothing stands in the way" : "not all of them can be repeated");
    return can_run ? 0 : exit_failed;
}

const char* outcome_of(const repeated_step& done) { return !done.ran ? "not_run" : done.same() ? "same" : "differs"; }

json::object report_of(std::size_t number, const replayed_step& step, const repeated_step& done) {
    json::array outputs;
    for (std::size_t i = 0; i < done.outputs.size(); ++i)
        outputs.push_back(json::object{{"uri", done.outputs[i].name},
                                       {"sha256", done.outputs[i].sha256},
                                       {"recorded_sha256", base::string_member(step.outputs[i].record, "sha256")},
                                       {"differences", list_of(done.outputs[i].differences)}});
    return {{"step", number + 1},
            {"tool", base::string_member(step.record, "tool")},
            {"inputs", inputs_of(step)},
            {"outcome", outcome_of(done)},
            {"outputs", std::move(outputs)},
            {"notes", list_of(done.notes)}};
}

void print_step(std::size_t number, const replayed_step& step, const repeated_step& done) {
    std::printf("%zu. %s: %s\n", number + 1, title_of(step).c_str(),
                !done.ran     ? "not run"
                : done.same() ? "same"
                              : "differs");
    for (const auto& out : done.outputs) {
        if (done.same()) print_lines({out.name + ", sha256 " + out.sha256});
        for (const auto& line : out.differences) print_lines({out.name + ": " + line});
    }
    print_lines(done.notes);
    std::fflush(stdout);
}

int run_all(host& h, const std::vector<replayed_step>& steps, const std::vector<checked_step>& checked,
            const fs::path& into, bool as_json, const runner::cancellation& cancel) {
    replayer again{h, steps, into, cancel};
    json::array all;
    std::size_t same = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto done = again.run(i, checked[i]);
        same += done.same();
        if (as_json)
            all.push_back(report_of(i, steps[i], done));
        else
            print_step(i, steps[i], done);
    }
    const bool whole = same == steps.size();
    if (as_json)
        std::printf("%s\n",
                    base::write_json(json::object{{"into", into.string()}, {"steps", std::move(all)}, {"same", whole}})
                        .c_str());
    else
        std::printf("%zu of %zu step(s) gave the same, in %s\n", same, steps.size(), shown(into.string()).c_str());
    return whole ? 0 : exit_failed;
}

result<std::vector<replayed_step>> planned(const fs::path& file, const configuration& c) {
    std::error_code ec;
    const auto where = workspace::roots::open(c.workspaces, fs::current_path(ec), environment_variable("HOME"));
    if (!where) return tl::unexpected{where.error()};
    const auto step_behind = [&](const fs::path& input, const std::string& uri) -> std::optional<json::object> {
        auto step = where->of(input) ? lineage::recorded_step(input) : std::nullopt;
        const auto moved = step ? fs::path{} : where->absolute(uri).value_or(fs::path{}).lexically_normal();
        return where->of(moved) ? lineage::recorded_step(moved) : step;
    };
    const auto record = lineage::recorded_step(file);
    const auto beside = workspace::provenance_path(file).string();
    if (!record && !fs::exists(beside, ec))
        return fail(base::code::not_found, "there is no provenance record " + beside,
                    "name an output written by gdal-mcp; its record lies beside it");
    if (!record)
        return fail(base::code::io, beside + " is not a provenance record",
                    "it was damaged, or written by another program");
    return plan_replay(file, *record, step_behind);
}

}  // namespace

int replay(configuration c, const replay_choices& what) {
    const auto file = output_of_record(what.file);
    const auto steps = planned(file, c);
    if (!steps) return complain(steps.error(), exit_failed);
    std::optional<fresh_folder> into;
    if (!what.plan) {
        auto made = fresh_folder::make(what.into, file);
        if (!made) return complain(made.error(), exit_usage);
        c.replay_into = into.emplace(std::move(*made)).path();
    }
    if (c.toolsets.empty()) c.toolsets = {"all"};  // a tool may belong to a set that is off by default
    const auto h = host::open(c);
    if (!h) return complain(h.error(), exit_usage);
    const interruption interrupted;
    std::vector<checked_step> checked;
    for (const auto& step : *steps) checked.push_back(check_step(**h, step, interrupted.cancel()));
    if (what.plan) return print_plan(*steps, checked, what.as_json);
    return run_all(**h, *steps, checked, into->path(), what.as_json, interrupted.cancel());
}

}  // namespace gdalmcp::app
