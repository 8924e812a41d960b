#include "app/commands/replay_check.hpp"

#include <set>

#include "workspace/archive_member.hpp"
#include "workspace/sidecars.hpp"
#include "workspace/subdataset.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::fail;
using base::result;

namespace {

// The file part of a dataset's name.
std::string file_in(const std::string& uri) {
    if (const auto part = workspace::subdataset::parse(uri)) return part->file;
    if (const auto inside = workspace::archive_member::parse(uri)) return inside->archive;
    return uri;
}

// Where it was, else where its name leads from the first workspace: the data may have been moved together.
result<fs::path> located(const workspace::roots& where, const json::object& input) {
    const std::string uri{base::string_member(input, "uri")};
    if (workspace::id_of_result_uri(uri))
        return fail(base::code::not_found, "the record does not hold the step that made " + uri);
    auto there = where.readable(base::string_member(input, "path"), true);
    if (there) return there;
    for (const auto& name : {uri, file_in(uri)})
        if (auto moved = where.readable(name, true)) return moved;
    return there;
}

// Empty: `file` has the recorded content.
std::string change_in(host& h, const fs::path& file, const json::object& recorded, const runner::cancellation& cancel) {
    if (recorded.contains("changed")) return {};  // its content was not recorded; see check_step
    const bool partly = recorded.contains("partial_sha256");
    const char* digest = partly ? "partial_sha256" : "sha256";
    runner::request r;
    r.operation = "hash";
    r.files = {file};
    r.partly = partly;
    const auto done = h.answer(std::move(r), cancel, std::nullopt);
    if (!done) return done.error().message;
    const auto now = runner::hashed_files_of(done->at("files").as_array()).at(0);
    const std::string then{base::string_member(recorded, digest)};
    if (now.sha256 == then) return {};
    return file.string() + " has changed: " + digest + " " + then + " is recorded, " + now.sha256 + " is there now" +
           (partly ? " (it covers the time of the file as well)" : "");
}

void add(std::vector<std::string>& to, std::string what) {
    if (!what.empty()) to.push_back(std::move(what));
}

// Files beside an input that its record does not have, and that GDAL would read with it now.
void note_new_sidecars(const fs::path& input, const json::value* recorded, checked_step& out) {
    std::set<std::string> known;
    if (recorded && recorded->is_array())
        for (const auto& one : recorded->get_array())
            known.insert(fs::path{std::string{base::string_member(one, "path")}}.filename().string());
    std::error_code ec;
    for (const auto& file : workspace::possible_sidecars(input))
        if (!known.contains(file.filename().string()) && fs::exists(file, ec))
            out.remarks.push_back(file.string() + " lies beside the input, and was not read then");
}

void check_input(host& h, const json::object& input, const runner::cancellation& cancel, checked_step& out) {
    const auto now = located(h.workspaces(), input);
    out.data.push_back(now ? *now : fs::path{});
    if (!now) {
        out.obstacles.push_back(now.error().message + (now.error().hint.empty() ? "" : "; " + now.error().hint));
        return;
    }
    const fs::path then{std::string{base::string_member(input, "path")}};
    if (input.contains("changed"))
        out.remarks.push_back("the content of " + now->string() + " at that time is not recorded");
    const bool folder = input.contains("files");
    if (!folder) add(out.obstacles, change_in(h, *now, input, cancel));
    const auto* beside = input.if_contains(folder ? "files" : "sidecars");
    if (!folder) note_new_sidecars(*now, beside, out);
    if (!beside || !beside->is_array()) return;
    for (const auto& one : beside->get_array()) {
        const fs::path was{std::string{base::string_member(one, "path")}};
        const auto is = h.workspaces().readable(
            (*now == then ? was : now->parent_path() / was.lexically_relative(then.parent_path())).string());
        add(out.obstacles, is ? change_in(h, *is, one.as_object(), cancel) : is.error().message);
    }
}

// An output that is gone or no longer the recorded one, the files beside it included.
void check_original(host& h, const replayed_output& made, const runner::cancellation& cancel, checked_step& out) {
    const auto look = [&](const fs::path& file, const json::object& recorded) {
        const auto lies = h.workspaces().readable(file.string(), true);
        add(out.originals, lies ? change_in(h, *lies, recorded, cancel) : lies.error().message);
    };
    look(made.file, made.record);
    if (const auto* beside = made.record.if_contains("sidecars"); beside && beside->is_array())
        for (const auto& one : beside->get_array())
            look(made.file.parent_path() / std::string{base::string_member(one, "name")}, one.as_object());
}

}  // namespace

std::vector<std::string> other_versions(const json::object& then, const json::object& now) {
    std::vector<std::string> all;
    for (const auto& one : then) {
        const auto was = one.value().is_string() ? std::string{one.value().get_string()} : std::string{};
        const auto is = base::string_member(now, one.key());
        if (!is.empty() && is != was)
            all.push_back(std::string{one.key()} + " " + was + " then, " + std::string{is} + " now");
    }
    return all;
}

std::vector<std::string> missing_reasons(const host& h, const json::object& step) {
    constexpr std::string_view scheme = "justification://";
    std::vector<std::string> all;
    const auto* decisions = step.if_contains("decisions");
    if (!decisions || !decisions->is_array()) return all;
    for (const auto& receipt : decisions->get_array()) {
        const auto ref = base::string_member(receipt, "justification_ref");
        if (ref.starts_with(scheme) &&
            !h.justification(base::string_member(receipt, "domain"), ref.substr(ref.rfind('/') + 1)))
            all.emplace_back(ref);
    }
    return all;
}

checked_step check_step(host& h, const replayed_step& step, const runner::cancellation& cancel) {
    checked_step out;
    for (const auto& in : step.inputs)
        if (in.step)
            out.data.emplace_back();
        else
            check_input(h, in.record, cancel, out);
    const std::string name{base::string_member(step.record, "tool")};
    const auto tools = h.offered();
    const auto* tool = tools->find(name, {});
    if (!tool) {
        const auto why = tools->not_offered(name, "");
        out.obstacles.push_back(why.message + (why.hint.empty() ? "" : "; " + why.hint));
    } else if (const auto now = tool->bundle->id + " " + tool->bundle->version;
               now != base::string_member(step.record, "bundle")) {
        out.remarks.push_back(std::string{base::string_member(step.record, "bundle")} + " then, " + now + " now");
    }
    if (const auto* versions = step.record.if_contains("versions"); versions && versions->is_object())
        for (auto& one : other_versions(versions->get_object(), {{"gdal-mcp", version}})) out.remarks.push_back(one);
    const auto& where = h.workspaces().list();
    for (const auto& made : step.outputs)
        if (!made.file.empty()) check_original(h, made, cancel, out);
    for (const auto& ref : missing_reasons(h, step.record))
        out.obstacles.push_back("the reason " + ref + " is not stored in " +
                                (where.empty() ? "a workspace" : where.front().folder.string()) +
                                "; name its workspace with --workspace, or bring the reason with reflect import");
    return out;
}

}  // namespace gdalmcp::app
