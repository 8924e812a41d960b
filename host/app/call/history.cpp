#include "app/call/history.hpp"

#include <cmath>

#include "base/digest.hpp"
#include "base/log.hpp"
#include "catalog/tool.hpp"
#include "workspace/results.hpp"

namespace gdalmcp::app {

namespace {

// An audit line as shown to readers.
json::array without_chain(std::vector<json::object> lines) {
    json::array all;
    for (auto& line : lines) {
        line.stable_erase("previous");
        all.push_back(std::move(line));
    }
    return all;
}

bool is_governed(const json::object& line) {
    const auto* receipts = line.if_contains("receipts");
    return receipts && receipts->is_array() && !receipts->get_array().empty();
}

}  // namespace

std::string digest_of_arguments(const json::object& arguments) {
    json::object asked;
    for (const auto& m : arguments)
        if (m.key() != catalog::justification_argument) asked.emplace(m.key(), m.value());
    return "sha256:" + base::sha256_hex(base::canonical_json(asked));
}

history::history(const base::own_folder& store) : file_{store, "audit.jsonl"} {}

void history::record(const call_record& o) {
    const json::object line{{"time", workspace::rfc3339(o.started)},
                            {"tool", o.tool},
                            {"arguments", o.arguments},
                            {"outcome", o.outcome},
                            {"outputs", o.outputs},
                            {"receipts", o.receipts},
                            {"ms", std::round(o.took.count() * 1000) / 1000}};
    const auto ok = file_.append(line);
    if (!ok && !complained_.exchange(true))
        base::log(base::log_level::warning, "calls are not recorded: " + ok.error().message);
}

json::array history::operations(std::size_t count) const {
    return without_chain(file_.recent(count, [](const json::object&) { return true; }));
}

json::array history::governed(std::size_t count) const { return without_chain(file_.recent(count, is_governed)); }

}  // namespace gdalmcp::app
