// How the inputs of a call came about: the steps of this program behind them, and their reasons.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// Whether the input of this argument, a JSON Pointer, only says where the cells of the output lie: none of its values,
// nor what a step behind it did to them, is in the output.
bool gives_the_grid_alone(std::string_view argument);

class lineage {
public:
    // The text of the record a receipt refers to, justification://{domain}/{key}; nothing if it is not stored.
    using reasons = std::function<std::optional<json::object>(std::string_view domain, std::string_view cache_key)>;
    // Whether the program may read this file.
    using permission = std::function<bool(const std::filesystem::path&)>;

    lineage(reasons stored, permission may_read) : stored_{std::move(stored)}, may_read_{std::move(may_read)} {}

    // The step recorded beside a file, which need not be there. Nothing if there is no record of this program's.
    static std::optional<json::object> recorded_step(const std::filesystem::path& file);

    // The step that made a file: the one recorded, unless the file has another size than that step wrote.
    static std::optional<json::object> step_behind(const std::filesystem::path& file);

    // The fact `made_by` about an output of `step`, a provenance record or an outline: {tool, reasons: {domain:
    // {choice?, ref, …stated facts}}, tools, for_display?: {tool, choice, ref}, for_preview?: {tool, ref}, accepted?:
    // {tool, conflicts}, regridded?: {tool, method}, resampled?: {tool, method}, exploratory?: {tool}}. All but `tool`
    // and `reasons` cover the earlier steps, too, the nearest first; at most 32 steps. `tools`, `regridded`,
    // `resampled` and `exploratory` leave out the steps behind zones, cutlines and the like, from which no value comes;
    // none follows an input that gives the grid alone.
    json::object made_by(const json::object& step) const;

private:
    json::object reasons_of(const json::object& step) const;
    std::string conflicts_of(const json::object& step) const;
    struct earlier_step {
        json::object step;
        bool for_values;          // behind the argument whose values the output has
        json::object known = {};  // in place of a step whose file is gone, or another by now: what was known of it
    };
    std::vector<earlier_step> steps_before(const json::object& step) const;

    const reasons stored_;
    const permission may_read_;
};

}  // namespace gdalmcp::app
