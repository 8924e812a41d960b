#include "workspace/call_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "base/pointer.hpp"
#include "base/text.hpp"
#include "workspace/archive_member.hpp"
#include "workspace/input_files.hpp"
#include "workspace/name_pattern.hpp"
#include "workspace/sidecars.hpp"
#include "workspace/subdataset.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;
using base::fail;
using base::find_member;
namespace code = base::code;

std::optional<role> role_of(const json::value& schema) { return role_named(base::string_member(schema, "x-gdalmcp")); }

bool exists(const fs::path& p, struct stat& s) { return ::lstat(p.c_str(), &s) == 0; }

base::result<void> not_empty(const input& in) {
    struct stat s {};
    if (::stat(in.path.c_str(), &s) != 0 || s.st_size != 0) return {};
    return fail(code::invalid_argument, "'" + in.given + "' is empty (0 bytes)", "check how the file was made");
}

// Some clients send objects as text. Where the schema takes a string too, that text arrives here: GeoJSON, not a path.
std::optional<json::value> geojson_in(const json::value& schema, std::string_view text) {
    const auto* branches = find_member(schema, "anyOf");
    const bool takes_object =
        branches && branches->is_array() &&
        std::any_of(branches->get_array().begin(), branches->get_array().end(),
                    [](const json::value& b) { return base::string_member(b, "type") == "object"; });
    if (!takes_object || text.substr(0, 1) != "{") return std::nullopt;
    auto parsed = base::parse_json(text);
    if (!parsed || base::string_member(*parsed, "type").empty()) return std::nullopt;
    return std::move(*parsed);
}

// "dem.tif" of "dem.tif.provenance.json" and "dem.tif.aux.xml": files about a dataset, not datasets.
std::string owner_of_record(const std::string& name) {
    const auto lower = base::lower_ascii(name);
    for (const std::string_view suffix : {".provenance.json", ".aux.xml"})
        if (lower.size() > suffix.size() && lower.compare(lower.size() - suffix.size(), suffix.size(), suffix) == 0)
            return name.substr(0, name.size() - suffix.size());
    return {};
}

// On an output: the name of the file, from that of the first input. "{name}.ovr": dem.tif.ovr; "{stem}.qix": roads.qix.
constexpr const char* beside_keyword = "x-gdalmcp-beside";

std::string named_beside(std::string_view pattern, const fs::path& input) {
    const auto end = pattern.find('}');
    const auto own = pattern.starts_with("{stem}") ? input.stem() : input.filename();
    return own.string() + std::string{pattern.substr(end == std::string_view::npos ? 0 : end + 1)};
}

// What a call says of the file it leaves the host to name.
struct managed_wish {
    std::optional<bool> features;  // the argument 'vector', of output-any
    std::string format;            // the argument 'output_format' of a raster, a GDAL driver
};

// A result's file name if the caller gave none. Of output-any, the argument `vector` decides, else the first input.
std::string managed_name(role r, const managed_wish& wish, const std::vector<input>& inputs) {
    if (r == role::output_table) return "result.csv";
    if (r == role::output_raster) return "result" + std::string{raster_extension(wish.format)};
    const bool from_vector = !inputs.empty() && inputs.front().role == role::input_vector;
    return r == role::output_vector || wish.features.value_or(from_vector) ? "result.gpkg" : "result.tif";
}

// The output must not exist, unless it may be replaced. or_overwrite: the end of a hint, if the tool has that argument.
base::result<void> free_target(const output& o, const std::string& or_overwrite) {
    struct stat s {};
    if (exists(*o.target, s)) {
        if (S_ISLNK(s.st_mode))
            return fail(code::denied, o.target->string() + " is a symbolic link; outputs do not follow links",
                        "name the file itself");
        if (!S_ISREG(s.st_mode))
            return fail(code::invalid_argument, o.target->string() + " exists and is not a regular file",
                        "choose another name");
        if (!o.overwrite)
            return fail(code::exists, o.target->string() + " exists already", "choose another name" + or_overwrite);
        return {};
    }
    if (o.overwrite) return {};
    for (const auto& left : possible_sidecars(*o.target))
        if (exists(left, s) && other_owner(left, *o.target).empty())
            return fail(code::exists,
                        left.string() + " is left from an earlier dataset and would be read with the new one",
                        "choose another name, or delete that file" + or_overwrite);
    return {};
}

class planner {
public:
    planner(const roots& where, results& kept) : roots_{where}, results_{kept} {}

    base::result<call_files> plan(const json::value& schema, json::object arguments) {
        json::value all = std::move(arguments);
        overwrite_ = base::bool_member(all, "overwrite");
        if (const auto* asked = find_member(all, "vector"); asked && asked->is_bool())
            wish_.features = asked->get_bool();
        wish_.format = base::string_member(all, "output_format");
        may_drop_ = base::at_pointer(schema, "/properties/drop") != nullptr;
        drop_ = may_drop_ && base::bool_member(all, "drop");
        if (base::at_pointer(schema, "/properties/overwrite"))
            or_overwrite_ = ", or set overwrite to true to replace it";
        visit(schema, all, "");
        if (!trouble_) check_outputs();
        if (trouble_) return tl::unexpected{std::move(*trouble_)};
        for (const auto& gone : out_.removals) all.as_object().erase(gone.pointer.substr(1));
        out_.arguments = std::move(all.as_object());
        return std::move(out_);
    }

private:
    void stop(base::problem p, const std::string& at) {
        if (trouble_) return;
        p.at = at;
        trouble_ = std::move(p);
    }

    void visit(const json::value& schema, json::value& value, const std::string& at) {
        if (trouble_) return;
        if (auto* list = value.if_array()) expand_patterns(schema, *list, at);
        if (const auto r = role_of(schema); r && (is_input(*r) || is_output(*r))) return dataset(schema, *r, value, at);
        if (role_of(schema) == role::geometry) return geometry(value, at);
        for (const char* keyword : {"anyOf", "oneOf", "allOf"})
            if (const auto* branches = find_member(schema, keyword); branches && branches->is_array())
                for (const auto& branch : branches->get_array()) visit(branch, value, at);
        if (value.is_object()) members(schema, value.get_object(), at);
        if (auto* list = value.if_array())
            if (const auto* items = find_member(schema, "items"))
                for (std::size_t i = 0; i < list->size(); ++i) visit(*items, (*list)[i], at + "/" + std::to_string(i));
    }

    void members(const json::value& schema, json::object& value, const std::string& at) {
        const auto* properties = find_member(schema, "properties");
        const auto* others = find_member(schema, "additionalProperties");
        // In the schema's order, not the caller's: the first input is the tool's main one.
        if (properties && properties->is_object())
            for (const auto& p : properties->get_object())
                if (auto* given = value.if_contains(p.key()))
                    visit(p.value(), *given, at + "/" + base::escape_token(p.key()));
        if (others && others->is_object())
            for (auto& m : value)
                if (!properties || !find_member(*properties, m.key()))
                    visit(*others, m.value(), at + "/" + base::escape_token(m.key()));
        if (!properties || !properties->is_object()) return;
        for (const auto& p : properties->get_object())
            if (const auto r = role_of(p.value()); r && is_output(*r) && !value.contains(p.key())) {
                const auto place = at + "/" + base::escape_token(p.key());
                if (find_member(p.value(), beside_keyword))
                    write_beside(p.value(), *r, value[p.key()].emplace_string(), place);
                else
                    out_.outputs.push_back({place, *r, std::nullopt,
                                            std::string{base::string_member(p.value(), "x-gdalmcp-managed")}, false});
            }
    }

    // In a list of inputs a pattern stands for the files it matches.
    void expand_patterns(const json::value& schema, json::array& list, const std::string& at) {
        const auto* items = find_member(schema, "items");
        const auto r = items ? role_of(*items) : std::nullopt;
        if (!r || !is_input(*r)) return;
        json::array all;
        for (auto& one : list) {
            if (!one.is_string() || !is_pattern(std::string{one.get_string()}, roots_)) {
                all.push_back(std::move(one));
                continue;
            }
            const auto names = names_matching(std::string{one.get_string()}, roots_);
            if (!names) return stop(names.error(), at);
            for (const auto& name : *names) all.emplace_back(name);
        }
        const auto* most = find_member(schema, "maxItems");
        if (most && most->is_number() && all.size() > most->to_number<std::size_t>())
            return stop({code::exhausted,
                         "the patterns match " + std::to_string(all.size()) + " files, more than the " +
                             std::to_string(most->to_number<std::size_t>()) + " this tool takes",
                         "narrow the pattern, or work in parts", ""},
                        at);
        list = std::move(all);
    }

    // A role on a list is the role of each of its members.
    void dataset(const json::value& schema, role r, json::value& value, const std::string& at) {
        if (auto* list = value.if_array()) {
            for (std::size_t i = 0; i < list->size(); ++i) dataset(schema, r, (*list)[i], at + "/" + std::to_string(i));
        } else if (value.is_string() && seen_.insert(at).second) {
            if (!is_input(r)) return write(schema, r, value, at);
            if (auto inline_features = geojson_in(schema, value.get_string()))
                value = std::move(*inline_features);
            else
                read(r, value, at);
        }
    }

    void geometry(json::value& value, const std::string& at) {
        if (auto* list = value.if_array())  // of geometries; a box holds no strings
            for (std::size_t i = 0; i < list->size(); ++i) geometry((*list)[i], at + "/" + std::to_string(i));
        if (!value.is_string() || !seen_.insert(at).second) return;
        const std::string_view text{value.get_string()};
        if (text.substr(0, 1) != "{" && text.substr(0, 1) != "[") return read(role::input_vector, value, at, true);
        auto parsed = base::parse_json(text);
        if (!parsed)
            return stop({code::invalid_argument, "the geometry is not JSON: " + parsed.error().message,
                         "give GeoJSON, [minx, miny, maxx, maxy] or the path of a vector dataset", ""},
                        at);
        value = std::move(*parsed);
    }

    void read(role r, json::value& value, const std::string& at, bool as_geometry = false) {
        input in;
        in.pointer = at;
        in.given = value.get_string();
        in.role = r;
        in.as_geometry = as_geometry;
        if (auto ok = locate(in); !ok) return stop(std::move(ok.error()), at);
        if (auto ok = not_empty(in); !ok) return stop(std::move(ok.error()), at);
        value = in.dataset;
        out_.inputs.push_back(std::move(in));
    }

    base::result<void> locate(input& in) {
        if (const auto id = id_of_result_uri(in.given)) {
            auto held = results_.hold(*id);
            if (!held) return tl::unexpected{std::move(held.error())};
            in.result = std::move(*held);
            in.path = in.result->file;
            in.dataset = in.path.string();
            return {};
        }
        if (in.given.rfind("query://", 0) == 0)
            return fail(code::invalid_argument, "'" + in.given + "' is not the URI of a managed result",
                        "write query://result/{id} as the call that made it returned it");
        const auto part = subdataset::parse(in.given);
        auto path = roots_.readable(part ? part->file : in.given, true);
        if (!path)
            if (const auto inside = part ? std::nullopt : archive_member::parse(in.given)) {
                auto archive = roots_.readable(inside->archive);
                if (!archive) return tl::unexpected{std::move(archive.error())};
                in.path = std::move(*archive);
                in.dataset = inside->with_archive(in.path);
                return {};
            }
        if (!path) return tl::unexpected{std::move(path.error())};
        if (part && path->string().find('"') != std::string::npos)
            return fail(code::unsupported, "'" + in.given + "': a subdataset of a file with a quote in its path",
                        "rename the file");
        in.path = std::move(*path);
        in.dataset = part ? part->with_file(in.path) : in.path.string();
        return {};
    }

    // A file that belongs to the first input, such as an index: its name is fixed, and one that is there is the
    // input's.
    void write_beside(const json::value& schema, role r, json::string& given, const std::string& at) {
        if (out_.inputs.empty()) return stop({code::invalid_argument, "no input is named", "name one", ""}, at);
        const auto& in = out_.inputs.front();
        if (in.result || in.dataset != in.path.string() || !fs::is_regular_file(in.path))
            return stop({code::unsupported,
                         "'" + in.given + "' is no file of its own in a workspace, so nothing can be put beside it",
                         "write it to a file first, with raster_convert or vector_convert", ""},
                        in.pointer);
        const auto name = named_beside(base::string_member(schema, beside_keyword), in.path);
        auto target = roots_.writable((in.path.parent_path() / name).string());
        if (!target) {
            target.error().hint =
                "work on a copy in a writable workspace (DIR:rw): raster_convert and vector_convert write one, with "
                "its index";
            return stop(std::move(target.error()), at);
        }
        if (!given.empty()) {
            const auto wanted = roots_.writable(std::string{given});
            if (!wanted) return stop(wanted.error(), at);
            if (*wanted != *target)
                return stop(
                    {code::invalid_argument,
                     "'" + std::string{given} + "' is named, but GDAL looks for this file in " + target->string(),
                     "leave it out", ""},
                    at);
        }
        struct stat s {};
        const bool there = exists(*target, s);
        if (there && !S_ISREG(s.st_mode))
            return stop({code::exists, target->string() + " is no regular file",
                         "a person has to move it away: it is not this tool's to remove", ""},
                        at);
        if (drop_) {
            if (!there)
                return stop({code::not_found, "there is no file " + target->string() + " to drop",
                             "an index inside '" + in.given + "' itself, or under another name, stays", ""},
                            in.pointer);
            out_.removals.push_back({at, *target});
            return;
        }
        if (there)
            return stop({code::exists, target->string() + " exists already and belongs to '" + in.given + "'",
                         may_drop_ ? "drop it first, with \"drop\": true, to have it made anew"
                                   : "delete it first to have it made anew",
                         ""},
                        at);
        given = target->string();
        out_.outputs.push_back({at, r, *target, name, overwrite_});
    }

    void write(const json::value& schema, role r, json::value& value, const std::string& at) {
        if (find_member(schema, beside_keyword)) return write_beside(schema, r, value.get_string(), at);
        const std::string given{value.get_string()};
        if (given.rfind("query://", 0) == 0)
            return stop({code::invalid_argument, "'" + given + "' is a managed result; those are not written to",
                         "leave the output out for a new managed result, or give a path", ""},
                        at);
        auto target = roots_.writable(given);
        if (!target) return stop(std::move(target.error()), at);
        if (const auto owner = owner_of_record(target->filename().string()); !owner.empty())
            return stop(
                {code::invalid_argument, "'" + given + "' is the name of a file that belongs to the dataset " + owner,
                 "choose another name", ""},
                at);
        const auto extension = base::lower_ascii(target->extension().string());
        if (!extension_fits(r, extension))
            return stop({code::invalid_argument,
                         "'" + given + "' has the extension '" + extension + "', which names no format to write here",
                         "use one of " + extensions_of(r), ""},
                        at);
        value = target->string();
        out_.outputs.push_back({at, r, *target, target->filename().string(), overwrite_});
    }

    // Files of an input beyond its sidecars are known once it is opened; see input_files.
    void check_outputs() {
        input_files inputs;
        for (const auto& in : out_.inputs) inputs.add_dataset(in.path, in.given);
        for (auto& o : out_.outputs) {
            if (!o.target) {
                if (o.file_name.empty()) o.file_name = managed_name(o.role, wish_, out_.inputs);
                continue;
            }
            if (auto ok = inputs.spared_by(*o.target); !ok) return stop(std::move(ok.error()), o.pointer);
            for (const auto& other : out_.outputs)
                if (&other != &o && other.target == o.target)
                    return stop({code::invalid_argument, o.target->string() + " is named for two outputs",
                                 "give each output its own name", ""},
                                o.pointer);
            if (auto ok = free_target(o, or_overwrite_); !ok) return stop(std::move(ok.error()), o.pointer);
        }
    }

    const roots& roots_;
    results& results_;
    call_files out_;
    bool overwrite_ = false, drop_ = false;  // the arguments of those names
    bool may_drop_ = false;                  // the tool has that argument
    managed_wish wish_;
    std::string or_overwrite_;  // of a hint, if the tool has that argument
    std::set<std::string> seen_;
    std::optional<base::problem> trouble_;
};

}  // namespace

base::result<call_files> plan(const json::value& schema, json::object arguments, const roots& where, results& kept) {
    return planner{where, kept}.plan(schema, std::move(arguments));
}

}  // namespace gdalmcp::workspace
