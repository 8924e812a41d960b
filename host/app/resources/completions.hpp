// Completions for the arguments of prompts and the variables of resource templates.
#pragma once
#include "app/resources/reader.hpp"

namespace gdalmcp::app {

// One completion/complete.
struct completing {
    reader& from;
    std::string prompt, uri;  // of the reference; one of them
    std::string argument, typed;
    json::object others;  // filled in so far: name -> text
    const runner::cancellation& cancel;
    std::optional<base::problem>& trouble;  // set when a registry cannot be read
};

using texts = std::vector<std::string>;

// The values of `all` that begin with the typed text, in their order; if none does, those that contain it.
texts fitting(const texts& all, const std::string& typed);

// Codes of CRSs by the beginning of a code ("EPSG:269", "269") or by words of the name ("utm 17"). Exact ones first,
// then codes before names, the ones in use before the deprecated, EPSG before other authorities; in this order the
// first 200, then the rest.
texts matching_crs(const std::vector<registered_crs>& all, std::string_view typed);

namespace sources {

using source = texts (*)(const completing&);  // best first

texts crs(const completing& c);
texts crs_of_datasets(const completing& c);  // those in the workspaces first: by-crs finds datasets for them
texts drivers(const completing& c);
texts driver_kinds(const completing& c);
texts compressions(const completing& c);
texts compression_kinds(const completing& c);
texts resampling(const completing& c);
texts coverage(const completing& c);
texts glossary(const completing& c);
texts tools(const completing& c);
texts tools_and_host_tools(const completing& c);
texts domains(const completing& c);
texts keys(const completing& c);  // of the domain that was filled in
texts result_ids(const completing& c);
texts paths(const completing& c);
texts folders(const completing& c);
texts layers(const completing& c);  // of the dataset that another argument names
texts fields(const completing& c);  // of its layer

template <const auto& All>
texts fixed(const completing& c) {
    return fitting(texts(std::begin(All), std::end(All)), c.typed);
}

}  // namespace sources

template <class Sources>  // (name of an argument or variable, its source)
texts values_in(const Sources& all, const completing& c) {
    for (const auto& [argument, values] : all)
        if (c.argument == argument) return values(c);
    return {};
}

// Of an argument of a prompt.
texts values_for_prompt(const completing& c);

}  // namespace gdalmcp::app
