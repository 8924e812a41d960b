#include "app/resources/completions.hpp"

#include <algorithm>
#include <tuple>

#include "app/call/host_tools.hpp"
#include "app/resources/reference.hpp"
#include "base/text.hpp"

namespace gdalmcp::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_paths = 10'000;  // of one folder
constexpr std::size_t max_read = 200;      // of what matches, in order; clients are sent 100

// The registry; nullptr on failure, with the reason in `trouble`.
template <class T>
std::shared_ptr<const T> read(const completing& a, base::result<std::shared_ptr<const T>> from) {
    if (!from) a.trouble = from.error();
    return from ? std::move(*from) : nullptr;
}
std::shared_ptr<const format_registry> formats_of(const completing& a) {
    return read(a, a.from.known.formats(a.cancel));
}
std::shared_ptr<const std::vector<registered_crs>> crs_of(const completing& a) {
    return read(a, a.from.known.crs(a.cancel));
}

bool begins(std::string_view text, std::string_view with) {
    return base::lower_ascii(text.substr(0, with.size())) == base::lower_ascii(with);
}

texts strings_of(const json::array& all) {
    texts list;
    for (const auto& v : all)
        if (v.is_string()) list.emplace_back(v.get_string());
    return list;
}

texts and_all(texts names) {
    names.insert(names.begin(), "all");
    return names;
}

texts driver_names(const completing& a) {
    const auto f = formats_of(a);
    texts names;
    if (f)
        for (const auto& d : f->drivers) names.emplace_back(base::string_member(d, "name"));
    return names;
}

texts tool_names(const completing& a) {
    texts names;
    for (const auto& t : a.from.h.offered()->tools().tools()) names.push_back(t->name);
    return names;
}

// A value of a URI template, where %41 means A: escapes percent signs of the name; the client escapes everything else.
std::string in_template(const std::string& name) {
    std::string escaped;
    for (const char c : name) escaped += c == '%' ? std::string{"%25"} : std::string{c};
    return escaped;
}

// The entries of the folder typed so far that a tool may use and whose names are valid UTF-8.
// Folders end with a slash.
texts entries(const completing& a, bool files) {
    const bool in_uri = a.prompt.empty();
    const auto typed = in_uri ? base::percent_decoded(a.typed).value_or(a.typed) : a.typed;
    const auto slash = typed.rfind('/');
    const auto folder = slash == std::string::npos ? std::string{} : typed.substr(0, slash + 1);
    const auto start = typed.substr(folder.size());
    const auto& roots = a.from.h.workspaces();
    const auto listed = roots.listable(folder.empty() ? "." : folder);
    const auto formats = formats_of(a);
    if (!listed || !formats) return {};
    texts folders, datasets;
    std::error_code ec;
    for (fs::directory_iterator it{*listed, ec}, end; !ec && it != end && folders.size() + datasets.size() < max_paths;
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
// The layers of the dataset that another argument names, or the fields of its layer.
texts within_dataset(const completing& a, bool fields) {
    std::string dataset;
    for (const char* name : {"uri", "file", "path", "dataset", "input", "zones"})
        if (dataset.empty()) dataset = base::string_member(a.others, name);
    if (dataset.empty()) return {};
    const auto facts = a.from.h.facts_of(dataset, a.cancel);
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
}  // namespace

texts fitting(const texts& all, const std::string& typed) {
    texts found;
    for (const auto& t : all)
        if (begins(t, typed)) found.push_back(t);
    if (!found.empty()) return found;
    for (const auto& t : all)
        if (base::lower_ascii(t).find(base::lower_ascii(typed)) != std::string::npos) found.push_back(t);
    return found;
}

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
    // Clients show no more than that, and sorting thousands takes longer than finding them.
    const auto read = found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), max_read));
    std::partial_sort(found.begin(), read, found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    texts codes;
    for (const auto& [_, r] : found) codes.push_back(r->code);
    return codes;
}

namespace sources {

texts crs(const completing& a) {
    const auto all = crs_of(a);
    return all ? matching_crs(*all, a.typed) : texts{};
}

texts crs_of_datasets(const completing& a) {
    texts own{"none"};
    if (const auto there = a.from.datasets.crs(a.cancel)) own.insert(own.end(), there->begin(), there->end());
    own = fitting(own, a.typed);
    texts all = own;
    for (auto& code : crs(a))
        if (std::find(own.begin(), own.end(), code) == own.end()) all.push_back(std::move(code));
    return all;
}

texts drivers(const completing& a) { return fitting(driver_names(a), a.typed); }

texts driver_kinds(const completing& a) {
    texts all{"all", "raster", "vector"};
    for (auto& name : driver_names(a)) all.push_back(std::move(name));
    return fitting(all, a.typed);
}

texts compressions(const completing& a) {
    const auto f = formats_of(a);
    return f ? fitting(app::compressions(*f), a.typed) : texts{};
}

texts compression_kinds(const completing& a) {
    const auto f = formats_of(a);
    if (!f) return {};
    auto all = and_all(app::compressions(*f));
    for (const auto& d : f->drivers)
        for (const auto& o : d.at("creation_options").get_array())
            if (base::string_member(o, "name") == "COMPRESS") all.emplace_back(base::string_member(d, "name"));
    return fitting(all, a.typed);
}

texts resampling(const completing& a) {
    texts all{"all"};
    if (const auto f = formats_of(a))
        for (const auto& m : f->resampling) all.emplace_back(base::string_member(m, "method"));
    return fitting(all, a.typed);
}

texts coverage(const completing& a) {
    const auto all = crs_of(a);
    return all ? fitting(and_all(area_names(*all)), a.typed) : texts{};
}

texts glossary(const completing& a) { return fitting(and_all(glossary_terms(a.from.h)), a.typed); }

texts tools(const completing& a) { return fitting(tool_names(a), a.typed); }

texts tools_and_host_tools(const completing& a) {
    auto names = tool_names(a);
    for (auto& name : reserved_tools()) names.push_back(std::move(name));
    std::sort(names.begin(), names.end());
    return fitting(names, a.typed);
}

texts domains(const completing& a) {
    texts names;
    for (const auto& s : a.from.h.offered()->specs().all()) names.push_back(s.domain);
    return fitting(names, a.typed);
}

texts keys(const completing& a) {
    const std::string domain{base::string_member(a.others, "domain")};
    texts all;
    if (a.from.h.offered()->specs().find(domain))
        for (const auto& r : a.from.h.reasons().list(domain).records) all.push_back(r->cache_key);
    return fitting(all, a.typed);
}

texts result_ids(const completing& a) {
    texts ids;
    for (const auto& r : a.from.h.results().list())
        if (auto id = workspace::id_of_result_uri(base::string_member(r, "uri"))) ids.push_back(std::move(*id));
    std::reverse(ids.begin(), ids.end());  // the newest first
    return fitting(ids, a.typed);
}

texts paths(const completing& a) { return entries(a, true); }
texts folders(const completing& a) { return entries(a, false); }
texts layers(const completing& a) { return within_dataset(a, false); }
texts fields(const completing& a) { return within_dataset(a, true); }

}  // namespace sources

namespace {

// Of the arguments of every prompt.
constexpr std::pair<std::string_view, sources::source> prompt_arguments[] = {
    {"crs", sources::crs},
    {"dst_crs", sources::crs},
    {"src_crs", sources::crs},
    {"geometry_crs", sources::crs},
    {"resampling", sources::resampling},
    {"compression", sources::compressions},
    {"driver", sources::drivers},
    {"format", sources::drivers},
    {"domain", sources::domains},
    {"tool", sources::tools_and_host_tools},
    {"uri", sources::paths},
    {"file", sources::paths},
    {"path", sources::paths},
    {"dataset", sources::paths},
    {"layer", sources::layers},
    {"field", sources::fields},
    {"attribute", sources::fields},
};

void add_new(texts& all, const json::value* choices) {
    if (!choices || !choices->is_array()) return;
    for (const auto& c : choices->get_array())
        if (c.is_string() && std::find(all.begin(), all.end(), c.get_string()) == all.end())
            all.emplace_back(c.get_string());
}

// The values the schema of a tool admits for its argument at this pointer, or for the members of a list there.
texts choices_at(const catalog::tool& t, const std::string& pointer) {
    const auto* properties = base::find_member(t.input().text(), "properties");
    const auto* schema = properties && pointer.size() > 1 ? base::find_member(*properties, pointer.substr(1)) : nullptr;
    const auto* items = schema ? base::find_member(*schema, "items") : nullptr;
    texts all;
    if (schema) add_new(all, base::find_member(*schema, "enum"));
    if (items) add_new(all, base::find_member(*items, "enum"));
    return all;
}

// Whether the arguments filled in so far can belong to this tool: some tools fix arguments, hydro_condition the
// operation.
bool is_of(const completing& a, const reflection::governed_tool& tool) {
    return std::all_of(tool.begin(), tool.end(), [&](const auto& argument) {
        const auto& [name, from] = argument;
        const auto filled = base::lower_ascii(base::string_member(a.others, name));
        return filled.empty() || std::all_of(from.begin(), from.end(), [&](const auto& k) {
                   return k.from != reflection::key_source::origin::literal || !k.value.is_string() ||
                          base::lower_ascii(k.value.get_string()) == filled;
               });
    });
}

// For a list joined by "+", such as "mean+std": the values that can follow "mean+".
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

// The choices that the governed tools admit for a key argument of this prompt's domain, or that the spec names where no
// argument makes the choice, so that authors of domains need not list them again.
texts choices_of_tools(const completing& a) {
    const auto now = a.from.h.offered();
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

}  // namespace

texts values_for_prompt(const completing& a) {
    auto found = choices_of_tools(a);
    return found.empty() ? values_in(prompt_arguments, a) : found;
}

}  // namespace gdalmcp::app
