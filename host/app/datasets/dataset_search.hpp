// Which datasets of an index match what is looked for, and why.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/datasets/area.hpp"
#include "app/datasets/dataset_index.hpp"
#include "app/datasets/day_span.hpp"
#include "base/folded_words.hpp"

namespace gdalmcp::app {

struct dataset_query {
    std::vector<std::string> terms;  // one of them suffices; more rank higher
    // Each of these is required.
    std::optional<area> place;
    std::optional<day_span> time;
    std::string kind;  // raster, vector, table; empty: any
};

struct dataset_match {
    const indexed_dataset* dataset = nullptr;
    std::size_t terms = 0;  // that match
    double score = 0;       // the greater the better, among as many terms
    double size = 0;        // square degrees of the extent that meets the place
    std::string why;        // one line
};

struct dataset_matches {
    std::vector<dataset_match> all;  // the best first
    std::vector<std::string> vain;   // terms that nothing matches, not even nearly
    // Datasets that match as far as is known: they state no date, or no extent.
    std::size_t undated = 0, unplaced = 0;
    bool elsewhere = false;  // a dataset has a term, but another place, time or kind
};

// Terms are looked for in every text and in the path: whole texts, words in any order, beginnings and parts of words. A
// term that none of the datasets has so is looked for in words a letter or two off, and its matches say "near".
dataset_matches search(const indexed_datasets& in, const dataset_query& q);

}  // namespace gdalmcp::app
