#include "app/authoring/bundle_check.hpp"

#include <sys/stat.h>

#include <regex>
#include <set>

#include "app/authoring/evidence_check.hpp"
#include "app/authoring/tool_trial.hpp"
#include "app/call/host.hpp"
#include "app/call/host_tools.hpp"
#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/pointer.hpp"
#include "base/text.hpp"
#include "catalog/lint.hpp"
#include "catalog/manifest.hpp"
#include "catalog/snapshot.hpp"
#include "catalog/subschemas.hpp"
#include "reflection/bundle_source.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::find_member;
using base::result;
using base::string_member;

namespace {

constexpr std::size_t max_description = 600;  // characters; of the 1000 that are allowed
constexpr std::size_t max_name = 40;          // clients put a server's name before it and cut at 64

class bundle_check {
public:
    bundle_check(fs::path bundle, bool bare, const configuration& c, const installation& parts, const check_settings& s)
        : bundle_{std::move(bundle)}, bare_{bare}, configuration_{c}, parts_{parts}, settings_{s} {
        configuration_.timeout_s = s.limit.count();
        configuration_.file_size_mib = 256;  // no odd argument shall fill the disk
    }

    result<check_report> run() {
        report_.bundle = bundle_.string();
        if (auto ok = open_session(); !ok) return tl::unexpected{ok.error()};
        if (auto ok = read(); !ok) return tl::unexpected{ok.error()};
        if (!bare_) modes();
        if (text_) {
            if (!bare_) hashes();
            for (const auto* tool : tools()) check_tool(*tool);
        }
        if (manifest_) {
            clashes();
            specs();
            if (auto ok = trials(); !ok) return tl::unexpected{ok.error()};
        }
        return std::move(report_);
    }

private:
    void found(const char* check, std::string subject, verdict v, std::string message, std::string hint = {}) {
        report_.findings.push_back({check, std::move(subject), v, std::move(message), std::move(hint)});
    }

    // A folder for everything the check removes at its end, including the description of a bare library.
    result<void> open_session() {
        scratch_ = workspace::default_scratch(configuration_.scratch, environment_variable).disk;
        workspace::sweep(scratch_);
        auto made = workspace::make_scratch(scratch_);
        if (!made) return tl::unexpected{made.error()};
        session_ = std::move(*made);
        configuration_.state_dir = session_->path();
        return {};
    }

    result<void> read() {
        const auto subject = bare_ ? bundle_.filename().string() : "manifest.json";
        if (auto text = manifest_text())
            text_ = std::move(*text);
        else if (bare_)
            return found("manifest", subject, verdict::failure, text.error().message, text.error().hint),
                   result<void>{};
        // Grants and enabled toolsets are the operator's decision and do not count against the bundle.
        configuration_.toolsets = {"all"};
        if (text_) configuration_.allow_network.emplace_back(string_member(*text_, "id"));
        const auto admission = admission_of(configuration_, parts_);
        if (!admission) return tl::unexpected{admission.error()};
        auto read = bare_ ? catalog::read_description(bundle_, *text_, *admission)
                          : catalog::read_manifest(bundle_, *admission);
        if (read) {
            manifest_ = std::move(*read);
            found("manifest", subject, verdict::ok, "");
        } else {
            found("manifest", subject, verdict::failure, "a host would quarantine this bundle: " + read.error().reason,
                  "fix this first; no tool runs until then");
        }
        return {};
    }

    // For a bare library, the manifest its own code produces in confinement; otherwise the file, which need not be
    // JSON.
    result<json::value> manifest_text() {
        if (bare_) return confined_work{configuration_, parts_, {}}.describe(bundle_);
        return base::read_file(bundle_ / "manifest.json").and_then([](const std::string& bytes) {
            return base::parse_json(bytes);
        });
    }

    void modes() {
        bool safe = true;
        std::error_code ec;
        for (fs::recursive_directory_iterator it{bundle_, ec}, end; !ec && it != end; it.increment(ec)) {
            struct stat s {};
            if (::lstat(it->path().c_str(), &s) != 0 || S_ISLNK(s.st_mode) || (s.st_mode & (S_IWGRP | S_IWOTH)) == 0)
                continue;
            found("modes", inside(it->path()), verdict::failure, "others can write to it", "chmod go-w it");
            safe = false;
        }
        if (safe) found("modes", "manifest.json", verdict::ok, "");
    }

    std::string inside(const fs::path& p) const { return p.lexically_relative(bundle_).string(); }

    void hashes() {
        const auto* listed = find_member(*text_, "files");
        if (!listed || !listed->is_object()) return;  // the manifest check reports this
        for (const auto& m : listed->get_object()) {
            const auto expected = m.value().is_string() ? std::string{m.value().get_string()} : std::string{};
            const auto actual = base::sha256_hex_of_file(bundle_ / std::string{m.key()});
            if (!actual)
                found("hashes", m.key(), verdict::failure, actual.error().message, "describe the bundle again");
            else if ("sha256:" + *actual != expected)
                found("hashes", m.key(), verdict::failure,
                      "it has sha256:" + *actual + "; the manifest lists " + expected, "describe the bundle again");
            else
                found("hashes", m.key(), verdict::ok, "");
        }
        std::error_code ec;
        for (fs::recursive_directory_iterator it{bundle_, ec}, end; !ec && it != end; it.increment(ec))
            if (const auto name = inside(it->path());
                it->is_regular_file(ec) && name.rfind("manifest.json", 0) != 0 && !find_member(*listed, name))
                found("hashes", name, verdict::note, "the manifest does not list it, so it is not verified",
                      "describe the bundle again, and remove the file if it is still not listed: no host reads it");
    }

    // The tools with the shape the lint requires; the manifest check reports the others.
    std::vector<const json::value*> tools() const {
        std::vector<const json::value*> sound;
        const auto* listed = find_member(*text_, "tools");
        if (!listed || !listed->is_array()) return sound;
        for (const auto& t : listed->get_array()) {
            const auto* input = find_member(t, "input_schema");
            const auto* output = find_member(t, "output_schema");
            if (find_member(t, "name") && find_member(t, "description") && input && input->is_object() &&
                (!output || output->is_object()))
                sound.push_back(&t);
        }
        return sound;
    }

    void check_tool(const json::value& t) {
        const std::string name{string_member(t, "name")};
        bool sound = true;
        for (const auto& p : catalog::lint_tool(t)) {
            found("schema", name, verdict::failure, p.at + ": " + p.message, p.hint);
            sound = false;
        }
        if (sound) found("schema", name, verdict::ok, "");
        if (name.size() > max_name)
            found(
                "name", name, verdict::warning,
                "the name has " + std::to_string(name.size()) + " characters; some clients add a prefix and cut at 64",
                "use at most " + std::to_string(max_name));
        if (const auto size = string_member(t, "description").size(); size > max_description)
            found("description", name, verdict::warning,
                  "the description has " + std::to_string(size) + " bytes, which every client loads in every session",
                  "shorten it to " + std::to_string(max_description) + "; details belong in the arguments");
        for (const char* member : {"input_schema", "output_schema"})
            if (const auto* schema = find_member(t, member)) units(name, *schema, std::string{"/"} + member);
        annotations(name, t);
    }

    // A number named after a quantity needs a unit in its description.
    void units(const std::string& tool, const json::value& schema, const std::string& at) {
        static const std::regex quantity{
            "(^|_)(distance|length|width|height|depth|elevation|area|size|resolution|tolerance|radius|buffer|duration|"
            "time|"
            "angle|slope|azimuth|speed|weight|volume|bytes)(_|$)"};
        static const std::regex unit{
            "\\[[^\\]]+\\]|(^|[^a-z])(m|km|mm|cm|m2|km2|m3|ft|ha|s|ms|px|deg|metres?|meters?|kilometres?|kilometers?|"
            "feet|"
            "hectares?|seconds?|minutes?|hours?|days?|pixels?|cells?|degrees?|radians?|percent|bytes?|kib|mib|units?|"
            "square|cubic|characters?|rows?|columns?|factor|ratio)([^a-z]|$)|%|\xc2\xb0|\xc2\xb2|\xc2\xb3"};
        catalog::for_each_subschema(schema, at, [&](const json::value& node, const std::string& here) {
            const auto* properties = find_member(node, "properties");
            if (!properties || !properties->is_object()) return;
            for (const auto& p : properties->get_object()) {
                const auto type = string_member(p.value(), "type");
                const std::string name{p.key()}, about = base::lower_ascii(string_member(p.value(), "description"));
                if ((type == "number" || type == "integer") && std::regex_search(name, quantity) &&
                    !std::regex_search(about, unit))
                    found("units", tool, verdict::note,
                          here + "/properties/" + name + " looks like a quantity, but its description names no unit",
                          "name the unit in its description");
            }
        });
    }

    void annotations(const std::string& name, const json::value& t) {
        const auto* hints = find_member(t, "annotations");
        const auto hint = [&](const char* which, bool otherwise) {
            return hints ? base::bool_member(*hints, which, otherwise) : otherwise;
        };
        const bool reads = hint("readOnlyHint", false), destroys = hint("destructiveHint", true);
        const auto& input = t.at("input_schema");
        const auto* properties = find_member(input, "properties");
        bool consistent = true;
        const auto complain = [&](verdict v, std::string message, std::string next) {
            found("annotations", name, v, std::move(message), std::move(next));
            consistent = false;
        };
        if (reads && catalog::count_outputs(input) > 0)
            complain(verdict::failure, "it is declared read-only, but has an output", "drop GDALMCP_READ_ONLY");
        if (properties && find_member(*properties, "overwrite") && !destroys)
            complain(verdict::failure, "it may overwrite, but is not declared destructive", "add GDALMCP_DESTRUCTIVE");
        if (reads && destroys && hints && hints->as_object().contains("destructiveHint"))
            complain(verdict::warning, "it is declared both read-only and destructive", "drop GDALMCP_DESTRUCTIVE");
        const auto* needs = find_member(*text_, "needs");
        if (hint("openWorldHint", true) && !(needs && base::bool_member(*needs, "network")))
            complain(verdict::warning, "it is declared open-world, but its bundle does not request the network",
                     "drop GDALMCP_OPEN_WORLD, or set needs.network");
        if (consistent) found("annotations", name, verdict::ok, "");
    }

    void clashes() {
        const auto installed = catalog::load({parts_.bundles}, {{}, {{}, {}, {"all"}}, {}, {}});
        const auto& bundle = *manifest_->bundle;
        for (const auto& b : installed->bundles())
            if (b->id == bundle.id && b->folder != bundle.folder)
                found("id", bundle.id, verdict::failure, "the installed bundle " + b->folder.string() + " has this id",
                      "choose another");
        const auto own = reserved_tools();
        for (const auto& t : manifest_->tools) {
            if (std::find(own.begin(), own.end(), t->name) != own.end())
                found("name", t->name, verdict::failure, "the host has a built-in tool of this name", "choose another");
            const auto* other = installed->find(t->name);
            if (other && other->bundle->id != manifest_->bundle->id)
                found("name", t->name, verdict::failure,
                      "the installed bundle '" + other->bundle->id + "' has a tool of this name", "choose another");
        }
    }

    void specs() {
        auto core = reflection::folder_source("core", parts_.reflection_specs, parts_.prompts)
                        .and_then([&](const reflection::spec_source& all) { return specs_.add(all); });
        if (!core)
            return found("specs", "reflection", verdict::warning, core.error().message, "the installation is broken");
        const auto own = reflection::bundle_source(*manifest_);
        if (own.specs.empty() && own.prompts.empty()) return;
        const auto defects = specs_.add_what_fits(own);
        for (const auto& d : defects) found("specs", "reflection", verdict::failure, d.message, d.hint);
        if (defects.empty()) rules();
        evidence();
    }

    // A host without the governed tool would quarantine the bundle, too.
    void rules() {
        const auto wrong = reflection::rule_defects(specs_, manifest_->bundle->id,
                                                    [&](std::string_view name) { return tool_named(name); });
        for (const auto& d : wrong) found("specs", "reflection", verdict::failure, d.message, d.hint);
        if (wrong.empty()) found("specs", "reflection", verdict::ok, "");
    }

    // Governed tools and providers are searched in the bundle, beside it, and among the installed bundles.
    void evidence() {
        const auto wanted = evidence_of(*manifest_, specs_);
        if (wanted.empty()) return;
        for (const auto* e : wanted) {
            const auto* provider = tool_named(e->tool);
            if (!provider) {
                found(
                    "evidence", e->tool, verdict::warning,
                    "no installed bundle provides the evidence '" + e->name + "', so the question is asked without it",
                    "install the bundle that provides it beside this one");
                continue;
            }
            auto wrong = check_provider(*e, *provider);
            if (wrong.empty()) providers_.insert(provider);
            for (auto& f : wrong) report_.findings.push_back(std::move(f));
        }
    }

    const catalog::tool* tool_named(std::string_view name) {
        for (const auto& t : manifest_->tools)
            if (t->name == name) return t.get();
        if (!neighbours_)
            neighbours_ = catalog::load({parts_.bundles, bundle_.parent_path()}, {{}, {{}, {}, {"all"}}, {}, {}});
        return neighbours_->find(name);
    }

    // The sample folder must be empty: any other file in it would be blamed on a tool and removed.
    static result<fs::path> sample_folder(const fs::path& wanted) {
        std::error_code ec;
        fs::create_directories(wanted, ec);
        const auto folder = fs::canonical(wanted, ec);
        if (ec) return base::fail(base::code::io, "cannot make " + wanted.string() + ": " + ec.message());
        if (!fs::is_empty(folder, ec) || ec)
            return base::fail(base::code::exists, "the folder for the samples, " + folder.string() + ", is not empty",
                              "name a new folder");
        return folder;
    }

    // The author's samples come first. Each is opened in a process of its own; one that ends that process is not used.
    result<sample_datasets> datasets_of(const sample_files& files, confined_work& work) {
        sample_datasets own{{}, {}};
        for (const auto& name : files.own_candidates()) {
            runner::request r;
            r.operation = "identify";
            r.files = {files.folder() / name};
            r.budget_ms = static_cast<std::uint64_t>(std::chrono::milliseconds{settings_.limit}.count());
            const auto done = work.answer(std::move(r), {}, {}, settings_.limit);
            if (!done || done->at("seen").as_array().empty()) continue;
            const auto kind = string_member(done->at("seen").at(0), "kind");
            if (kind == "raster" || kind == "both") own.rasters.push_back(name);
            if (kind == "vector" || kind == "both") own.vectors.push_back(name);
        }
        const auto rasters = own.rasters.size(), vectors = own.vectors.size();
        if (!settings_.samples.empty() && rasters + vectors == 0)
            return base::fail(base::code::not_found, "GDAL cannot open any file in " + settings_.samples.string(),
                              "give a folder with datasets directly in it");
        if (!settings_.samples.empty())
            found("samples", settings_.samples.string(), verdict::ok,
                  "rasters: " + std::to_string(rasters) + ", vectors: " + std::to_string(vectors));
        const sample_datasets ours;
        own.rasters.insert(own.rasters.end(), ours.rasters.begin(), ours.rasters.end());
        own.vectors.insert(own.vectors.end(), ours.vectors.begin(), ours.vectors.end());
        return own;
    }

    result<void> trials() {
        // Not below the session folder: its name is not allowed for a workspace.
        std::optional<workspace::temporary_folder> temporary;
        if (settings_.kept.empty()) {
            auto made =
                workspace::temporary_folder::make(scratch_ / ("gdal-mcp-samples-" + workspace::random_id()), false);
            if (!made) return tl::unexpected{made.error()};
            temporary = std::move(*made);
        }
        const auto folder = sample_folder(temporary ? temporary->path() : settings_.kept);
        if (!folder) return tl::unexpected{folder.error()};
        if (!temporary) report_.samples = folder->string();
        auto files = sample_files::write(*folder, settings_.samples);
        if (!files) return tl::unexpected{files.error()};
        const auto roots = workspace::roots::open({folder->string()}, {}, {});
        if (!roots) return tl::unexpected{roots.error()};
        workspace::results results{{std::nullopt, session_->path()}, [] { return std::chrono::system_clock::now(); }};
        confined_work work{configuration_, parts_, {roots->list().front().folder}};
        const auto datasets = datasets_of(*files, work);
        if (!datasets) return tl::unexpected{datasets.error()};
        const trial_room room{work, *files, *datasets, *roots, results, session_->path(), settings_.limit};
        for (const auto& t : manifest_->tools)
            for (auto& f : tool_trial{room, *t}.run()) report_.findings.push_back(std::move(f));
        for (const auto* provider : providers_) {
            const auto result = tool_trial{room, *provider}.sample_result();
            if (!result)
                found("evidence", provider->name, verdict::warning,
                      "none of its sample calls succeeded, so its evidence was not checked",
                      "give its arguments examples or defaults");
            else
                for (auto& f : check_measured(provider->name, *result)) report_.findings.push_back(std::move(f));
        }
        return {};
    }

    const fs::path bundle_;  // its folder, or a bare library
    const bool bare_;
    configuration configuration_;
    const installation& parts_;
    const check_settings& settings_;
    std::optional<json::value> text_;  // manifest.json, as far as it is JSON
    std::optional<catalog::manifest> manifest_;
    reflection::specs specs_;                              // the core's and the bundle's own
    std::shared_ptr<const catalog::snapshot> neighbours_;  // once another bundle's tool is wanted
    std::set<const catalog::tool*> providers_;             // sound as declared
    check_report report_;
    fs::path scratch_;
    std::optional<workspace::temporary_folder> session_;
};

}  // namespace

result<check_report> check_bundle(const fs::path& bundle, const configuration& c, const installation& parts,
                                  const check_settings& s) {
    std::error_code ec;
    const auto canonical = fs::canonical(bundle, ec);
    const bool bare = canonical.extension() == ".so" && fs::is_regular_file(canonical, ec);
    if (canonical.empty() || (!bare && !fs::is_directory(canonical, ec)))
        return base::fail(base::code::not_found, bundle.string() + " is neither a folder nor a library",
                          "give the folder of a bundle, as gdalmcp_add_bundle() makes it, or a .so");
    return bundle_check{canonical, bare, c, parts, s}.run();
}

}  // namespace gdalmcp::app
