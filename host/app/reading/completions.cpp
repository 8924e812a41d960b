#include "app/reading/completions.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "app/calls/host_tools.hpp"
#include "app/reading/reference.hpp"
#include "base/text.hpp"

namespace gdalmcp::app {

namespace {

namespace fs = std::filesystem;
using texts = std::vector<std::string>;

constexpr std::size_t most_paths = 10'000;  // of one folder
constexpr std::size_t most_read = 200;      // of what matches, in order; clients are sent 100

struct asked {
    reader& r;
    std::string prompt, uri;  // of the reference; one of them
    std::string argument, typed;
    json::object others;  // what was filled in before: name -> text
    const runner::cancellation& cancel;
    std::optional<base::problem>& trouble;  // why a registry cannot be read
};

// The registry, or nullptr and the reason noted.
template <class T>
std::shared_ptr<const T> read(const asked& a, base::result<std::shared_ptr<const T>> from) {
    if (!from) a.trouble = from.error();
    return from ? std::move(*from) : nullptr;
}
std::shared_ptr<const format_registry> formats_of(const asked& a) { return read(a, a.r.known.formats(a.cancel)); }
std::shared_ptr<const std::vector<registered_crs>> crs_of(const asked& a) { return read(a, a.r.known.crs(a.cancel)); }

bool begins(std::string_view text, std::string_view with) {
    return base::lower_ascii(text.substr(0, with.size())) == base::lower_ascii(with);
}

// Of `all` those that begin with what was typed, in their order; where none does, those that contain it.
texts fitting(const texts& all, const std::string& typed) {
    texts found;
    for (const auto& t : all)
        if (begins(t, typed)) found.push_back(t);
    if (!found.empty()) return found;
    for (const auto& t : all)
        if (base::lower_ascii(t).find(base::lower_ascii(typed)) != std::string::npos) found.push_back(t);
    return found;
}

texts strings_of(const json::array& all) {
    texts list;
    for (const auto& v : all)
        if (v.is_string()) list.emplace_back(v.get_string());
    return list;
}

// ---- sources -------------------------------------------------------------------------------------------------------

texts crs(const asked& a) {
    const auto all = crs_of(a);
    return all ? matching_crs(*all, a.typed) : texts{};
}

// Those of the workspaces first: they find something.
texts crs_of_datasets(const asked& a) {
    texts own{"none"};
    if (const auto there = a.r.datasets.crs(a.cancel)) own.insert(own.end(), there->begin(), there->end());
    own = fitting(own, a.typed);
    texts all = own;
    for (auto& code : crs(a))
        if (std::find(own.begin(), own.end(), code) == own.end()) all.push_back(std::move(code));
    return all;
}

texts driver_names(const asked& a, const char* kind) {
    const auto f = formats_of(a);
    texts names;
    if (f)
        for (const auto& d : f->drivers)
            if (!*kind || base::bool_member(d, kind)) names.emplace_back(base::string_member(d, "name"));
    return names;
}

texts driver_kinds(const asked& a) {
    texts all{"all", "raster", "vector"};
    for (auto& name : driver_names(a, "")) all.push_back(std::move(name));
    return fitting(all, a.typed);
}

texts compression(const asked& a) {
    const auto f = formats_of(a);
    return f ? fitting(compressions(*f), a.typed) : texts{};
}

texts compression_kinds(const asked& a) {
    texts all{"all"};
    const auto f = formats_of(a);
    if (!f) return {};
    for (auto& name : compressions(*f)) all.push_back(std::move(name));
    for (const auto& d : f->drivers)
        for (const auto& o : d.at("creation_options").get_array())
            if (base::string_member(o, "name") == "COMPRESS") all.emplace_back(base::string_member(d, "name"));
    return fitting(all, a.typed);
}

texts resampling(const asked& a) {
    texts all{"all"};
    if (const auto f = formats_of(a))
        for (const auto& m : f->resampling) all.emplace_back(base::string_member(m, "method"));
    return fitting(all, a.typed);
}

texts coverage(const asked& a) {
    const auto all = crs_of(a);
    if (!all) return {};
    auto names = area_names(*all);
    names.insert(names.begin(), "all");
    return fitting(names, a.typed);
}

texts glossary(const asked& a) {
    auto terms = glossary_terms(a.r.h);
    terms.insert(terms.begin(), "all");
    return fitting(terms, a.typed);
}

texts domains(const asked& a) {
    texts names;
    for (const auto& s : a.r.h.offered()->specs().all()) names.push_back(s.domain);
    return fitting(names, a.typed);
}

// Of the domain that was filled in.
texts keys(const asked& a) {
    const std::string domain{base::string_member(a.others, "domain")};
    texts all;
    if (a.r.h.offered()->specs().find(domain))
        for (const auto& r : a.r.h.reasons().list(domain).records) all.push_back(r->cache_key);
    return fitting(all, a.typed);
}

texts result_ids(const asked& a) {
    texts ids;
    for (const auto& r : a.r.h.results().list())
        if (auto id = workspace::id_of_result_uri(base::string_member(r, "uri"))) ids.push_back(std::move(*id));
    std::reverse(ids.begin(), ids.end());  // the newest first
    return fitting(ids, a.typed);
}

texts tool_names(const asked& a) {
    auto names = reserved_tools();
    for (const auto& t : a.r.h.offered()->tools().tools()) names.push_back(t->name);
    std::sort(names.begin(), names.end());
    return fitting(names, a.typed);
}

// A value of a URI template, where %41 means A: a percent sign of the name itself is escaped, what else needs it the
// client escapes.
std::string in_template(const std::string& name) {
    std::string escaped;
    for (const char c : name) escaped += c == '%' ? std::string{"%25"} : std::string{c};
    return escaped;
}

// What lies in the folder that was typed so far, as far as a tool could be given it and a message can hold its name.
// Folders end with a slash.
texts entries(const asked& a, bool files) {
    const bool in_uri = a.prompt.empty();
    const auto typed = in_uri ? base::percent_decoded(a.typed).value_or(a.typed) : a.typed;
    const auto slash = typed.rfind('/');
    const auto folder = slash == std::string::npos ? std::string{} : typed.substr(0, slash + 1);
    const auto start = typed.substr(folder.size());
    const auto& roots = a.r.h.workspaces();
    const auto listed = roots.listable(folder.empty() ? "." : folder);
    const auto formats = formats_of(a);
    if (!listed || !formats) return {};
    texts folders, datasets;
    std::error_code ec;
    for (fs::directory_iterator it{*listed, ec}, end; !ec && it != end && folders.size() + datasets.size() < most_paths;
         it.increment(ec)) {
        const auto name = it->path().filename().string();
        if (workspace::belongs_to_host(name) || !begins(name, start) || (name.front() == '.' && start.empty()) ||
            !base::is_utf8(name))
            continue;
        std::error_code ignored;
        if (it->is_directory(ignored) && roots.listable((*listed / name).string()))
            folders.push_back(folder + name + "/");
        else if (files && formats->kinds_of(name) && roots.readable((*listed / name).string()))
            datasets.push_back(folder + name);
    }
    std::sort(folders.begin(), folders.end());
    std::sort(datasets.begin(), datasets.end());
    folders.insert(folders.end(), datasets.begin(), datasets.end());
    if (in_uri)
        for (auto& name : folders) name = in_template(name);
    return folders;
}
texts paths(const asked& a) { return entries(a, true); }
texts subfolders(const asked& a) { return entries(a, false); }

// The layers of the dataset that another argument names, or the fields of its layer.
texts within_dataset(const asked& a, bool fields) {
    std::string dataset;
    for (const char* name : {"uri", "file", "path", "dataset", "input", "zones"})
        if (dataset.empty()) dataset = base::string_member(a.others, name);
    if (dataset.empty()) return {};
    const auto facts = a.r.h.facts_of(dataset, a.cancel);
    const auto* layers = facts ? base::find_member(facts->at("input"), "layers") : nullptr;
    if (!layers) return {};
    const auto wanted = base::string_member(a.others, "layer");
    texts all;
    for (const auto& l : layers->get_array()) {
        const auto name = base::string_member(l, "name");
        if (!fields)
            all.emplace_back(name);
        else if (wanted.empty() || wanted == name)
            for (auto& field : strings_of(l.at("fields").get_array()))
                if (std::find(all.begin(), all.end(), field) == all.end()) all.push_back(std::move(field));
    }
    return fitting(all, a.typed);
}
texts layers(const asked& a) { return within_dataset(a, false); }
texts fields(const asked& a) { return within_dataset(a, true); }

template <int N>
texts fixed(const asked& a, const char* const (&all)[N]) {
    return fitting(texts(std::begin(all), std::end(all)), a.typed);
}
texts dataset_kinds(const asked& a) { return fixed(a, {"all", "raster", "vector"}); }
texts aspects(const asked& a) { return fixed(a, {"raster", "vector", "bands", "statistics", "format"}); }
texts flags(const asked& a) { return fixed(a, {"false", "true"}); }

// ---- which source an argument has ----------------------------------------------------------------------------------

struct source {
    const char *ref, *argument;  // ref: how the template begins, or "" for the arguments of every prompt
    texts (*values)(const asked&);
};

constexpr source sources[] = {
    {"catalog://workspace/by-crs/", "crs", crs_of_datasets},
    {"catalog://", "kind", dataset_kinds},
    {"catalog://", "subpath", subfolders},
    {"catalog://", "include_hidden", flags},
    {"metadata://", "file", paths},
    {"metadata://", "aspect", aspects},
    {"reference://crs/", "code", crs},
    {"reference://crs/", "coverage", coverage},
    {"reference://resampling/", "method", resampling},
    {"reference://compression/", "kind", compression_kinds},
    {"reference://drivers/", "kind", driver_kinds},
    {"reference://glossary/", "term", glossary},
    {"query://result/", "id", result_ids},
    {"justification://", "domain", domains},
    {"justification://", "key", keys},
    {"methodology://", "domain", domains},
    {"", "crs", crs},
    {"", "dst_crs", crs},
    {"", "src_crs", crs},
    {"", "geometry_crs", crs},
    {"", "resampling", resampling},
    {"", "compression", compression},
    {"", "driver", [](const asked& a) { return fitting(driver_names(a, ""), a.typed); }},
    {"", "format", [](const asked& a) { return fitting(driver_names(a, ""), a.typed); }},
    {"", "domain", domains},
    {"", "tool", tool_names},
    {"", "uri", paths},
    {"", "file", paths},
    {"", "path", paths},
    {"", "dataset", paths},
    {"", "layer", layers},
    {"", "field", fields},
    {"", "attribute", fields},
};

void add_new(texts& all, const json::value* choices) {
    if (choices && choices->is_array())
        for (auto& c : strings_of(choices->get_array()))
            if (std::find(all.begin(), all.end(), c) == all.end()) all.push_back(std::move(c));
}

// What the schema of a tool leaves for its argument at this pointer, or for the members of a list there.
texts choices_at(const catalog::tool& t, const std::string& pointer) {
    const auto* properties = base::find_member(t.input().text(), "properties");
    const auto* schema = properties && pointer.size() > 1 ? base::find_member(*properties, pointer.substr(1)) : nullptr;
    const auto* items = schema ? base::find_member(*schema, "items") : nullptr;
    texts all;
    if (schema) add_new(all, base::find_member(*schema, "enum"));
    if (items) add_new(all, base::find_member(*items, "enum"));
    return all;
}

// Whether the arguments filled in before can be of this tool: it fixes some of them, hydro_condition the operation.
bool is_of(const asked& a, const reflection::governed_tool& tool) {
    return std::all_of(tool.begin(), tool.end(), [&](const auto& argument) {
        const auto& [name, from] = argument;
        const auto filled = base::lower_ascii(base::string_member(a.others, name));
        return filled.empty() || std::all_of(from.begin(), from.end(), [&](const auto& k) {
                   return k.from != reflection::key_source::origin::literal || !k.value.is_string() ||
                          base::lower_ascii(k.value.get_string()) == filled;
               });
    });
}

// Of "mean+std", where a list is joined by "+", what can follow "mean+".
texts fitting_list(texts all, const std::string& typed) {
    const auto before = typed.substr(0, typed.rfind('+') + 1);
    const auto given = "+" + base::lower_ascii(before);
    all.erase(std::remove_if(
                  all.begin(), all.end(),
                  [&](const auto& c) { return given.find("+" + base::lower_ascii(c) + "+") != std::string::npos; }),
              all.end());
    auto found = fitting(all, typed.substr(before.size()));
    for (auto& last : found) last = before + last;
    return found;
}

// The choices that the governed tools leave for a key argument of this prompt's domain, or that the spec names where no
// argument makes the choice: whoever brings a domain need not list them again.
texts choices_of_tools(const asked& a) {
    const auto now = a.r.h.offered();
    texts of_tools, literals;
    bool list = false;
    for (const auto& s : now->specs().all()) {
        if (s.question_prompt.name != a.prompt) continue;
        const auto* key = s.find_key(a.argument);
        list = list || (key && key->normal.list);
        for (const auto& [name, arguments] : s.tools) {
            const auto* tool = now->tools().find(name);
            const auto from = arguments.find(a.argument);
            if (!tool || from == arguments.end() || !is_of(a, arguments)) continue;
            for (const auto& k : from->second) {
                if (k.from == reflection::key_source::origin::argument)
                    for (auto& c : choices_at(*tool, k.at))
                        if (std::find(of_tools.begin(), of_tools.end(), c) == of_tools.end())
                            of_tools.push_back(std::move(c));
                const json::value literal(json::array{k.value});
                if (k.from == reflection::key_source::origin::literal) add_new(literals, &literal);
            }
        }
    }
    const auto& all = of_tools.empty() ? literals : of_tools;
    return list ? fitting_list(all, a.typed) : fitting(all, a.typed);
}

texts values_for(const asked& a) {
    if (!a.prompt.empty())
        if (auto found = choices_of_tools(a); !found.empty()) return found;
    for (const auto& s : sources) {
        const bool of_template = *s.ref;
        if (a.argument == s.argument && of_template == a.prompt.empty() && (!of_template || a.uri.rfind(s.ref, 0) == 0))
            return s.values(a);
    }
    return {};
}

}  // namespace

texts matching_crs(const std::vector<registered_crs>& all, std::string_view typed) {
    const auto text = base::lower_ascii(typed);
    const auto words = words_of(typed);
    const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    using rank = std::tuple<int, bool, bool, std::size_t, std::size_t>;
    std::vector<std::pair<rank, const registered_crs*>> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& r = all[i];
        const auto code = base::lower_ascii(r.code);
        const auto bare = std::string_view{code}.substr(code.find(':') + 1);
        const bool by_code = code.compare(0, text.size(), text) == 0 || (number && bare.substr(0, text.size()) == text);
        if (!by_code && (words.empty() || !has_words(r.name_words, words))) continue;
        const bool exact = code == text || bare == text || base::lower_ascii(r.name) == text;
        const std::size_t length = by_code ? r.code.size() : r.name.size();
        found.push_back({{exact ? 0 : by_code ? 1 : 2, r.deprecated, r.code.rfind("EPSG:", 0) != 0, length, i}, &r});
    }
    // Nobody reads further than that, and sorting thousands takes longer than finding them.
    const auto read = found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), most_read));
    std::partial_sort(found.begin(), read, found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    texts codes;
    for (const auto& [_, r] : found) codes.push_back(r->code);
    return codes;
}

mcp::reply complete(reader& r, const json::object& params, const runner::cancellation& cancel) {
    const auto& ref = params.at("ref");
    const auto& argument = params.at("argument");
    std::optional<base::problem> trouble;
    asked a{r,
            std::string{base::string_member(ref, "name")},
            std::string{base::string_member(ref, "uri")},
            std::string{base::string_member(argument, "name")},
            std::string{base::string_member(argument, "value")},
            {},
            cancel,
            trouble};
    if (base::string_member(ref, "type") == "ref/resource") a.prompt.clear();
    if (const auto* context = params.if_contains("context"))
        if (const auto* others = base::find_member(*context, "arguments"); others && others->is_object())
            a.others = others->get_object();
    auto values = values_for(a);
    if (values.empty() && trouble) return mcp::rpc_error{mcp::rpc_code::internal_error, trouble->message, {}};
    return mcp::completion_values{std::move(values)};
}

}  // namespace gdalmcp::app
