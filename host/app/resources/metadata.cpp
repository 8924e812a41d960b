#include "app/resources/metadata.hpp"

#include "app/resources/resource_uri.hpp"
#include "base/text.hpp"

namespace gdalmcp::app {

using base::fail;
using base::result;
namespace code = base::code;

namespace {

struct told_aspect {
    const char *name, *tool, *member;  // member: the part of the tool's result; "" = all of it
};
constexpr told_aspect told_by_tools[] = {{"raster", "raster_info", ""},
                                         {"bands", "raster_info", "bands"},
                                         {"vector", "vector_info", ""},
                                         {"statistics", "raster_stats", ""}};

// A resource has no arguments: where the tool requires 'subdataset', the URI names it.
void name_in_uri(host& h, base::problem& p, const told_aspect& aspect, const std::string& file,
                 const runner::cancellation& cancel) {
    constexpr std::string_view wanted = "name one with 'subdataset': ";
    if (p.hint.rfind(wanted, 0) != 0) return;
    const auto facts = h.facts_of(file, cancel);
    std::string driver{facts ? base::string_member(facts->at("input"), "driver") : ""};
    if (driver == "netCDF") driver = "NETCDF";
    if (driver != "NETCDF" && driver != "HDF5" && driver != "GPKG") return;  // those whose spelling takes a file's name
    const auto names = p.hint.substr(wanted.size(), p.hint.find(';') - wanted.size());
    const auto one = driver + ":\"" + file + "\":" + names.substr(0, names.find(','));
    p.hint = "name one in the URI, as in metadata://" + percent_encoded(one) + "/" + aspect.name + ": " + names;
}

result<json::object> ask_tool(host& h, const told_aspect& aspect, const std::string& file,
                              const runner::cancellation& cancel) {
    auto told = info_of(h, aspect.tool, file, cancel);
    if (!told) {
        name_in_uri(h, told.error(), aspect, file, cancel);
        return told;
    }
    if (!*aspect.member) return told;
    json::object part{{"uri", file}};
    if (const auto* v = told->if_contains(aspect.member)) part[aspect.member] = *v;
    return part;
}

result<json::object> format_of(reader& r, const std::string& file, const runner::cancellation& cancel) {
    const auto facts = r.h.facts_of(file, cancel);
    if (!facts) return tl::unexpected{facts.error()};
    const auto formats = r.known.formats(cancel);
    if (!formats) return tl::unexpected{formats.error()};
    const auto& of_file = facts->at("input");
    const auto name = base::string_member(of_file, "driver");
    json::object o{{"uri", file}, {"kind", of_file.at("kind_of_dataset")}, {"driver", name}};
    if (const auto* d = (*formats)->driver(name)) o["format"] = *d;
    return o;
}

}  // namespace

result<json::object> info_of(host& h, const char* tool, const std::string& file, const runner::cancellation& cancel) {
    const auto now = h.offered();
    if (!now->tools().find(tool)) {
        auto p = now->not_offered(tool, "");
        p.code = code::not_found;
        p.message = std::string{"this metadata comes from a tool that is not offered: "} + p.message;
        return tl::unexpected{std::move(p)};
    }
    auto o = h.call(tool, {{"uri", file}}, cancel, {});
    if (o.problem) return tl::unexpected{std::move(*o.problem)};
    if (!o.structured)
        return fail(code::unsupported,
                    std::string{"the tool '"} + tool + "' returned no structured result for '" + file + "'",
                    "call the tool itself");
    return std::move(*o.structured);
}

// Not split at a question mark: file names may contain one.
std::optional<std::string> file_of_metadata(std::string_view uri) {
    constexpr std::string_view scheme = "metadata://";
    if (!uri.starts_with(scheme)) return {};
    uri.remove_prefix(scheme.size());
    const auto slash = uri.rfind('/');
    if (slash == std::string_view::npos || slash == 0) return {};
    auto file = base::percent_decoded(uri.substr(0, slash));
    if (!file) return {};
    return std::move(*file);
}

contents read_metadata(const reading& q) {
    const auto& uri = q.uri.given;
    const auto file = file_of_metadata(uri);
    const auto aspect = uri.substr(uri.rfind('/') + 1);
    if (!file || aspect.empty())
        return fail(code::invalid_argument, "'" + uri + "' does not name a file and an aspect",
                    "write metadata://{file}/{raster|vector|bands|statistics|format}, with %25 for a percent sign");
    result<json::object> told = tl::unexpected{base::problem{code::not_found, "there is no metadata '" + aspect + "'",
                                                             "use raster, vector, bands, statistics or format", ""}};
    for (const auto& a : told_by_tools)
        if (aspect == a.name) told = ask_tool(q.from.h, a, *file, q.cancel);
    if (aspect == "format") told = format_of(q.from, *file, q.cancel);
    if (!told) return told;
    auto text = base::write_json(*told);
    if (text.size() > max_text)
        return fail(code::exhausted,
                    "the metadata of '" + *file + "' has " + std::to_string(text.size()) +
                        " bytes; the limit of a resource is " + std::to_string(max_text),
                    "call the tool with arguments that select less");
    return text_contents(std::move(text));
}

}  // namespace gdalmcp::app
