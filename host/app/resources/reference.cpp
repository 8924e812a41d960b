#include "app/resources/reference.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "app/resources/resampling_methods.hpp"
#include "app/resources/resource_uri.hpp"
#include "base/near_names.hpp"
#include "base/text.hpp"
#include "catalog/listing.hpp"

namespace gdalmcp::app {

using base::fail;
using base::result;
namespace code = base::code;

namespace {

std::string near_or(const std::vector<std::string>& known, const std::string& wanted, const std::string& otherwise) {
    const auto near = base::nearest(known, wanted);
    return near.empty() ? otherwise : "did you mean " + base::joined(near) + "? " + otherwise;
}

using bounds = std::array<double, 4>;  // west, south, east, north in degrees; west > east across the antimeridian

double width_of(const bounds& b) { return b[2] >= b[0] ? b[2] - b[0] : b[2] - b[0] + 360; }

bool holds_longitude(const bounds& b, double x) {
    return b[0] <= b[2] ? b[0] <= x && x <= b[2] : x >= b[0] || x <= b[2];
}

// "west,south,east,north" in degrees; blanks may follow the commas.
std::optional<bounds> four_numbers(const std::string& text) {
    bounds b{};
    const char *at = text.data(), *end = at + text.size();
    for (std::size_t i = 0; i < b.size(); ++i) {
        while (i > 0 && at < end && *at == ' ') ++at;
        const auto [stopped, error] = std::from_chars(at, end, b[i]);
        if (error != std::errc{} || (i < 3 ? stopped == end || *stopped != ',' : stopped != end)) return std::nullopt;
        at = stopped + 1;
    }
    return b;
}

// Nothing where `text` can be the name of an area: no name is made of numbers and commas only.
result<std::optional<bounds>> bounds_in(const std::string& text) {
    const auto b = four_numbers(text);
    const auto degrees = [](double v, double most) { return v >= -most && v <= most; };
    if (b && degrees((*b)[0], 180) && degrees((*b)[2], 180) && degrees((*b)[1], 90) && degrees((*b)[3], 90) &&
        (*b)[1] <= (*b)[3])
        return b;
    if (!b && text.find_first_not_of("0123456789+-.,eE ") != std::string::npos) return std::nullopt;
    return fail(code::invalid_argument, "'" + text + "' is not west,south,east,north in degrees",
                b ? "longitudes lie in -180 to 180 (west > east crosses the antimeridian), latitudes in -90 to 90, and "
                    "south is at most north"
                  : "give four numbers with commas between them, for example 5.9,45.8,10.5,47.8");
}

using rows = std::vector<const registered_crs*>;

// Tightest first: the CRS made for this place.
rows around(const std::vector<registered_crs>& all, const bounds& b) {
    rows found;
    for (const auto& r : all)
        if (r.body == "Earth" && r.bbox && holds_longitude(*r.bbox, b[0]) && holds_longitude(*r.bbox, b[2]) &&
            width_of(*r.bbox) >= width_of(b) && (*r.bbox)[1] <= b[1] && (*r.bbox)[3] >= b[3])
            found.push_back(&r);
    const auto size = [](const registered_crs* r) { return width_of(*r->bbox) * ((*r->bbox)[3] - (*r->bbox)[1]); };
    std::stable_sort(found.begin(), found.end(), [&](auto* a, auto* o) { return size(a) < size(o); });
    return found;
}

// By whole words of the registry's areas of use ("India" is not "Indiana"), or by another celestial body; "all". Areas
// that begin with the words first.
rows named(const std::vector<registered_crs>& all, const std::string& coverage) {
    const auto wanted = words_of(coverage);
    rows found;
    if (wanted.empty()) return found;
    const auto is_of = [&](const registered_crs& r) {
        if (coverage == "all") return true;
        if (r.body != "Earth") return wanted == words_of(r.body);
        return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& w) {
            return std::find(r.area_words.begin(), r.area_words.end(), w) != r.area_words.end();
        });
    };
    for (const auto& r : all)
        if (is_of(r)) found.push_back(&r);
    std::stable_partition(found.begin(), found.end(), [&](const registered_crs* r) {
        const auto& words = r->area_words;
        return r->body != "Earth" ||
               (words.size() >= wanted.size() && std::equal(wanted.begin(), wanted.end(), words.begin()));
    });
    return found;
}

json::object row_text(const registered_crs& r) {
    json::object o{{"code", r.code}, {"name", r.name}, {"kind", r.kind}, {"area", r.area}};
    if (r.bbox) o["bbox"] = json::array(r.bbox->begin(), r.bbox->end());
    if (r.body != "Earth") o["body"] = r.body;
    return o;
}

// GDAL's programs, its drivers and our tools spell them differently: near, NEAREST, nearest; cubicspline, cubic_spline.
bool same_method(const std::string& gdal, std::string_view other) {
    auto plain = base::lower_ascii(other);
    plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
    return plain == gdal || (gdal == "near" && plain == "nearest");
}

bool ends_with(std::string_view s, std::string_view end) {
    return s.size() >= end.size() && s.substr(s.size() - end.size()) == end;
}

// Tools with an argument for it: [{tool, argument, spelled}].
json::array tools_taking(const tool_set& now, const std::string& method) {
    json::array all;
    for (const auto& t : now.tools().tools()) {
        const auto* properties = base::find_member(t->input().text(), "properties");
        if (!properties || !properties->is_object()) continue;
        for (const auto& p : properties->get_object()) {
            const auto* choices = base::find_member(p.value(), "enum");
            if (!choices || !ends_with(p.key(), "resampling")) continue;
            for (const auto& c : choices->get_array())
                if (c.is_string() && same_method(method, c.get_string())) {
                    all.push_back(json::object{{"tool", t->name}, {"argument", p.key()}, {"spelled", c}});
                    break;
                }
        }
    }
    return all;
}

// Names of drivers that offer it for data they create: overviews, tiles of another grid.
json::array drivers_resampling(const format_registry& f, const std::string& method) {
    json::array all;
    for (const auto& d : f.drivers)
        for (const auto& o : d.at("creation_options").get_array()) {
            const auto* values = base::find_member(o, "values");
            if (!values || !ends_with(base::string_member(o, "name"), "RESAMPLING")) continue;
            const auto& list = values->get_array();
            if (std::none_of(list.begin(), list.end(),
                             [&](const json::value& v) { return same_method(method, v.get_string()); }))
                continue;
            all.push_back(d.at("name"));
            break;
        }
    return all;
}

bool is_compression_option(std::string_view name) {
    return name == "COMPRESS" || name == "COMPRESSION" || name == "COMPRESSION_METHOD";
}

// The options of one driver that name a compression; their values are the compressions it offers.
std::vector<const json::object*> compression_options(const json::value& driver) {
    std::vector<const json::object*> all;
    for (const auto& o : driver.at("creation_options").get_array())
        if (is_compression_option(base::string_member(o, "name")) && base::find_member(o, "values"))
            all.push_back(&o.get_object());
    return all;
}

// Level, quality, predictor and other options of compression.
bool tunes_compression(const json::value& option) {
    const auto text = base::lower_ascii(std::string{base::string_member(option, "name")} + " " +
                                        std::string{base::string_member(option, "description")});
    for (const char* word : {"compress", "predictor", "quality", "lossless", "level", "max_z_error", "discard_lsb"})
        if (text.find(word) != std::string::npos) return true;
    return false;
}

json::object compression_of(const json::value& driver) {
    json::array offered, tuning;
    for (const auto* o : compression_options(driver))
        for (const auto& v : o->at("values").get_array()) offered.push_back(v);
    for (const auto& o : driver.at("creation_options").get_array())
        if (tunes_compression(o)) tuning.push_back(o);
    return {{"driver", driver.at("name")}, {"compressions", std::move(offered)}, {"options", std::move(tuning)}};
}

// In a list only the names of the options.
json::object summary_of(const json::value& driver) {
    auto o = driver.get_object();
    for (const char* member : {"creation_options", "layer_creation_options", "open_options"}) {
        json::array names;
        for (const auto& option : o.at(member).get_array()) names.push_back(option.at("name"));
        o[member] = std::move(names);
    }
    return o;
}

struct section {
    std::string term, text;
};

// The sections of its second-level headings.
result<std::vector<section>> glossary(const host& h) {
    const auto now = h.offered();
    const auto& file = now->told().glossary;
    if (!file) return fail(code::not_found, "there is no glossary.md among the prompts", "install gdal-mcp again");
    std::vector<section> all;
    std::string_view rest{file->text};
    while (!rest.empty()) {
        const auto line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
        rest.remove_prefix(line.size());
        if (line.substr(0, 3) == "## ") {
            auto term = std::string{line.substr(3)};
            term.erase(term.find_last_not_of(" \r\n") + 1);
            all.push_back({std::move(term), ""});
        }
        if (!all.empty()) all.back().text += line;
    }
    return all;
}

}  // namespace

std::vector<std::string> glossary_terms(const host& h) {
    std::vector<std::string> terms;
    if (const auto all = glossary(h))
        for (const auto& s : *all) terms.push_back(s.term);
    return terms;
}

std::vector<std::string> area_names(const std::vector<registered_crs>& all) {
    const auto end_of_name = [](const std::string& area) {
        for (auto dot = area.find('.'); dot != std::string::npos; dot = area.find('.', dot + 1))
            if (area.find_first_of("0123456789", dot) != dot + 1)
                return std::min({area.find(" - "), area.find(';'), dot});
        return std::min(area.find(" - "), area.find(';'));
    };
    std::set<std::string> names;
    for (const auto& r : all)
        if (!r.area.empty()) names.insert(r.area.substr(0, end_of_name(r.area)));
    return {names.begin(), names.end()};
}

std::vector<std::string> compressions(const format_registry& formats) {
    std::vector<std::string> all;
    for (const auto& d : formats.drivers)
        for (const auto* o : compression_options(d))
            for (const auto& v : o->at("values").get_array())
                if (std::string name{v.get_string()}; std::find(all.begin(), all.end(), name) == all.end())
                    all.push_back(std::move(name));
    return all;
}

result<json::object> read_crs_list(const reading& q) {
    const auto& [from, u, coverage, files_at, cancel] = q;
    const auto limit = u.number("limit", 100, 1, 1000), offset = u.number("offset", 0, 0, 1'000'000);
    if (!limit || !offset) return tl::unexpected{limit ? offset.error() : limit.error()};
    const auto all = from.known.crs(cancel);
    if (!all) return tl::unexpected{all.error()};
    const auto box = bounds_in(coverage);
    if (!box) return tl::unexpected{box.error()};
    auto found = *box ? around(**all, **box) : named(**all, coverage);
    const auto before = found.size();
    found.erase(std::remove_if(found.begin(), found.end(), [](auto* r) { return r->deprecated; }), found.end());
    if (found.empty())
        return fail(code::not_found,
                    "no CRS of PROJ's database is registered for '" + coverage + "'" +
                        (before ? " but " + std::to_string(before) + " deprecated ones" : ""),
                    near_or(area_names(**all), coverage,
                            "give world, a country or region as the registry names it, or west,south,east,north in "
                            "degrees"));
    json::array page;
    for (std::size_t i = *offset; i < found.size() && page.size() < *limit; ++i) page.push_back(row_text(*found[i]));
    page = that_fit(std::move(page), *limit);
    const auto next = *offset + page.size();
    const bool truncated = next < found.size();
    json::object o{{"coverage", coverage},
                   {"crs", std::move(page)},
                   {"offset", *offset},
                   {"matched_total", found.size()},
                   {"deprecated_left_out", before - found.size()},
                   {"truncated", truncated}};
    if (truncated) o["next"] = u.at_offset(next);
    o["see"] = "reference://crs/code/{code} has the axes, unit and accuracy of one";
    return o;
}

result<json::object> read_resampling(const reading& q) {
    const auto f = q.from.known.formats(q.cancel);
    if (!f) return tl::unexpected{f.error()};
    const auto now = q.from.h.offered();
    const auto& wanted = q.wanted;
    json::array methods;
    std::vector<std::string> known{"all"};
    for (const auto& m : (*f)->resampling) {
        const std::string name{base::string_member(m, "method")};
        known.push_back(name);
        if (wanted != "all" && !same_method(name, wanted)) continue;
        auto o = m.get_object();
        if (const auto* about = resampling_method_named(name)) {
            o["does"] = about->does;
            o["use"] = about->use;
            o["avoid"] = about->avoid;
        }
        o["tools"] = tools_taking(*now, name);
        o["drivers"] = drivers_resampling(**f, name);
        methods.push_back(std::move(o));
    }
    if (methods.empty())
        return fail(code::not_found, "this GDAL has no resampling method '" + wanted + "'",
                    "it has " + base::joined(known));
    return json::object{{"methods", std::move(methods)},
                        {"source", "this GDAL's warper and overview builder"},
                        {"see", "methodology://resampling explains which suits which values"}};
}

result<json::object> read_compression(const reading& q) {
    const auto& kind = q.wanted;
    const auto f = q.from.known.formats(q.cancel);
    if (!f) return tl::unexpected{f.error()};
    const auto* of_driver = (*f)->driver(kind);
    const auto known = compressions(**f);
    json::array by_name;
    for (const auto& name : known) {
        if (kind != "all" && base::lower_ascii(name) != base::lower_ascii(kind)) continue;
        json::array drivers_with_it;
        for (const auto& d : (*f)->drivers)
            for (const auto* o : compression_options(d)) {
                const auto& values = o->at("values").get_array();
                if (std::find(values.begin(), values.end(), json::value(json::string(name))) == values.end()) continue;
                json::object entry{{"driver", d.at("name")}, {"option", o->at("name")}};
                if (const auto* standard = o->if_contains("default")) entry["default"] = *standard;
                drivers_with_it.push_back(std::move(entry));
            }
        by_name.push_back(json::object{{"compression", name}, {"drivers", std::move(drivers_with_it)}});
    }
    if (by_name.empty() && of_driver) return compression_of(json::value(*of_driver));
    if (by_name.empty())
        return fail(code::not_found,
                    "no driver of this GDAL is called '" + kind + "' or offers a compression '" + kind + "'",
                    near_or(known, kind, "reference://compression/all lists all"));
    json::object o{{"compressions", std::move(by_name)},
                   {"source", "creation options of this GDAL's drivers"},
                   {"see", "reference://compression/{driver} has the options of one driver"}};
    if (of_driver) o["driver_of_that_name"] = compression_of(json::value(*of_driver));  // JPEG, PNG, WEBP
    return o;
}

result<json::object> read_drivers(const reading& q) {
    const auto& kind = q.wanted;
    const auto f = q.from.known.formats(q.cancel);
    if (!f) return tl::unexpected{f.error()};
    if (const auto* d = (*f)->driver(kind)) return *d;
    std::vector<std::string> names{"all", "raster", "vector"};
    for (const auto& d : (*f)->drivers) names.emplace_back(base::string_member(d, "name"));
    if (kind != "all" && kind != "raster" && kind != "vector")
        return fail(code::not_found, "this GDAL has no driver '" + kind + "'",
                    near_or(names, kind, "give raster, vector, all or the short name of a driver"));
    json::array all;
    for (const auto& d : (*f)->drivers)
        if (kind == "all" || base::bool_member(d, kind)) all.push_back(summary_of(d));
    const auto total = all.size();
    all = that_fit(std::move(all), total);
    const bool truncated = all.size() < total;
    return json::object{{"kind", kind},
                        {"drivers", std::move(all)},
                        {"matched_total", total},
                        {"truncated", truncated},
                        {"see", "reference://drivers/{short name} lists the options of one driver"}};
}

result<std::string> read_glossary(const reading& q) {
    const auto& term = q.wanted;
    auto all = glossary(q.from.h);
    if (!all) return tl::unexpected{all.error()};
    std::string whole;
    std::vector<std::string> terms;
    for (auto& s : *all) {
        if (words_of(s.term) == words_of(term)) return std::move(s.text);
        whole += s.text;
        terms.push_back(s.term);
    }
    if (term == "all") return whole;
    return fail(code::not_found, "the glossary has no entry '" + term + "'",
                near_or(terms, term, "reference://glossary/all lists all"));
}

// The full form of an entry in tools/list: the schemas with every description, and the advice of the tool's page.
result<json::object> read_tool(const reading& q) {
    const auto& name = q.wanted;
    const auto now = q.from.h.offered();
    const auto* t = now->tools().find(name);
    if (!t) return tl::unexpected{now->not_offered(name, "")};
    json::object o{{"name", t->name},
                   {"description", t->description},
                   {"advice", now->advice_on(name)},
                   {"arguments", catalog::listed_arguments(t->input().text())}};
    if (t->result_schema()) o["result"] = t->result_schema()->text();
    return o;
}

}  // namespace gdalmcp::app
