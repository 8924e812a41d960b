// Calls that no reason would let run.
#include <algorithm>

#include "base/pointer.hpp"
#include "base/text.hpp"
#include "reflection/judge.hpp"

namespace gdalmcp::reflection {
namespace {

namespace code = base::code;

// The first input of the kind that the argument is about.
const json::object* input_of_kind(const json::value& facts, std::string_view kind) {
    const auto* inputs = base::find_member(facts, "inputs");
    if (!inputs || !inputs->is_array()) return nullptr;
    for (const auto& in : inputs->get_array())
        if (base::string_member(in, "kind_of_dataset") == kind) return in.if_object();
    return nullptr;
}

std::string listed_names(const json::array& all) {
    constexpr std::size_t max_names = 8;
    std::string names;
    for (std::size_t i = 0; i < all.size() && i < max_names; ++i)
        names += (names.empty() ? "" : ", ") + std::string{base::string_member(all[i], "name")};
    return names + (all.size() > max_names ? ", …" : "");
}

std::optional<base::problem> missing_layer(const json::value& facts, const json::value& arguments) {
    const auto wanted = base::string_member(arguments, "layer");
    const auto* input = wanted.empty() ? nullptr : input_of_kind(facts, "vector");
    const auto* layers = input ? input->if_contains("layers") : nullptr;
    if (!layers || !layers->is_array() || layers->get_array().empty()) return std::nullopt;
    const auto& all = layers->get_array();
    if (std::any_of(all.begin(), all.end(),
                    [&](const json::value& l) { return base::string_member(l, "name") == wanted; }))
        return std::nullopt;
    return base::problem{
        code::not_found,
        std::string{base::string_member(*input, "path")} + " has no layer '" + std::string{wanted} + "'",
        "its layers: " + listed_names(all), "/layer"};
}

std::optional<base::problem> missing_band(const json::value& facts, const json::value& arguments) {
    if (base::find_member(arguments, "subdataset")) return std::nullopt;  // which may have other bands
    const auto* input = input_of_kind(facts, "raster");
    const auto* bands = input ? input->if_contains("bands") : nullptr;
    const auto* wanted = base::at_pointer(arguments, "/bands");
    if (!bands || !bands->is_array() || bands->get_array().empty() || !wanted || !wanted->is_array())
        return std::nullopt;
    const auto count = bands->get_array().size();
    for (const auto& b : wanted->get_array())
        if (b.is_number() && b.to_number<double>() > static_cast<double>(count))
            return base::problem{code::not_found,
                                 std::string{base::string_member(*input, "path")} + " has " + std::to_string(count) +
                                     (count == 1 ? " band" : " bands") + ", no band " + base::write_json(b),
                                 "raster_info lists them", "/bands"};
    return std::nullopt;
}

std::optional<base::problem> missing_subdataset(const json::value& facts, const json::value& arguments) {
    const auto wanted = base::string_member(arguments, "subdataset");
    const auto* input = wanted.empty() ? nullptr : input_of_kind(facts, "raster");
    if (!input || base::string_member(*input, "subdataset") == wanted) return std::nullopt;
    const auto* all = input->if_contains("subdatasets");
    if (!all || !all->is_array()) return std::nullopt;
    std::string names;
    for (const auto& name : all->get_array()) {
        if (name == json::value(wanted)) return std::nullopt;
        names += (names.empty() ? "" : ", ") + std::string{name.get_string()};
    }
    return base::problem{
        code::not_found,
        std::string{base::string_member(*input, "path")} + " has no subdataset '" + std::string{wanted} + "'",
        names.empty() ? "leave subdataset out: the file is one raster"
                      : "its subdatasets: " + base::shortened(names, 400),
        "/subdataset"};
}

// The provider tried it on the data.
std::optional<base::problem> refused_in_trial(const json::value& evidence, const call& c) {
    const auto why = base::string_member(evidence, "refusal");
    if (why.empty()) return std::nullopt;
    const std::string any_raster =
        "choose 'bands', a 'dtype' or a format that hold these values (.tif holds any raster)";
    return base::problem{code::invalid_argument, c.name() + " was not run: " + std::string{why},
                         std::string{base::string_member(evidence, "hint", any_raster)}, ""};
}

}  // namespace

std::optional<base::problem> impossible(const ruling& r, const call& asked) {
    const auto& c = as_judged(r, asked);
    if (r.facts.is_null()) return std::nullopt;
    if (auto why = missing_layer(r.facts, c.arguments)) return why;
    if (auto why = missing_band(r.facts, c.arguments)) return why;
    if (auto why = missing_subdataset(r.facts, c.arguments)) return why;
    for (const auto& e : r.evidence) {
        // Of other arguments than the call's it says nothing about the call.
        const auto* source = source_of(r, c, e);
        if (!source || !source->speaks_for_call || measures_another(*source, c.arguments)) continue;
        if (auto why = refused_in_trial(e, c)) return why;
        const auto error = base::string_member(e, "error");
        if (error == code::invalid_argument || error == code::not_found)
            return base::problem{std::string{error}, std::string{base::string_member(e, "absent")},
                                 std::string{base::string_member(e, "hint")}, ""};
    }
    return std::nullopt;
}

}  // namespace gdalmcp::reflection
