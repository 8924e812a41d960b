// What a dataset holds that somebody may look for: the names of its parts, values of its short text fields, dates and
// extents.
#pragma once
#include <filesystem>
#include <string>

#include "base/json.hpp"
#include "runner/messages.hpp"

namespace gdalmcp::worker {

// For each of r.files, in order; ends early, after the first at the earliest, when r.budget_ms runs out. {driver: ""}
// when GDAL cannot open it, else
//   driver
//   kinds    raster, vector, table: some of these
//   texts    [{what, in, texts[], cut?}]: the names of layers, fields, variables, bands, classes (category) and of the
//            dataset (title), and the values of text fields; `in`: the field, band or layer they are in. cut: more than
//            200, longer ones, or rows that were not read
//   extents  [{in, bounds[w, s, e, n]}] in degrees of WGS 84; w > e across the antimeridian
//   times    [{from, to, why}]: days, as 20190131
//   unplaced whether a part has coordinates that cannot be placed on Earth
//   unread   what was not read of it, as in "layers after the first 300"
//   unread_dates  the same, where only a search by time can miss it
base::json::array contents(const runner::request& r);

// The name GDAL opens for a file: of one whose rows may lie in a journal beside it, and of an archive, as of an input
// of a call.
std::string name_to_open(const std::filesystem::path& file, const runner::request& r);

}  // namespace gdalmcp::worker
