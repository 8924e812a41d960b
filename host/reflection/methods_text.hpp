// A methods section for a paper, from the records of the work. Every sentence quotes a record; nothing is added.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "reflection/specs.hpp"
#include "reflection/store.hpp"

namespace gdalmcp::reflection {

// One output and its `<output>.provenance.json`.
struct run {
    std::string output;  // the file's name; empty: a managed result
    json::object provenance;
    std::string result = {};  // of a managed result: its URI
};

// The record a receipt refers to, justification://{domain}/{key}; nullptr if it no longer exists. until: the time of
// the step that ran on it, of which one that was replaced later is found as it was; empty: the present one.
using record_lookup = std::function<std::shared_ptr<const found_record>(std::string_view ref, std::string_view until)>;

// Markdown: data, steps in the order they were made (those behind managed results included), each choice once, checks,
// warnings, software, the commands to repeat it.
std::string methods_text(std::vector<run> runs, const record_lookup& stored, const specs& asked);

// Markdown: the reasons alone, by domain, in the order given within each.
std::string reasons_text(const std::vector<std::shared_ptr<const found_record>>& records, const specs& asked);

}  // namespace gdalmcp::reflection
