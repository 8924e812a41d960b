// What a dataset holds that somebody may look for, as the worker read it from the file.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/datasets/area.hpp"
#include "app/datasets/day_span.hpp"
#include "base/json.hpp"

namespace gdalmcp::app {

struct dataset_contents {
    struct group {
        std::string what;  // layer, field, variable, band, category, title, value
        std::string in;    // what they are in: a layer, "layer.field", "band 2"; "" = the dataset
        std::vector<std::string> texts;
        bool cut = false;  // there are more
    };
    struct placed {
        std::string in;
        extent bounds{};
    };
    struct dated {
        day_span days;
        std::string why;  // "axis time", "field roads.built"
    };
    std::string driver;              // empty: GDAL cannot open it, for the reason in `unread`, if known
    std::vector<std::string> kinds;  // raster, vector, table
    std::vector<group> texts;
    std::vector<placed> extents;
    std::vector<dated> times;
    bool unplaced = false;
    std::vector<std::string> unread, unread_dates;  // what was not read; what only a search by time can miss
};

// See worker/contents.hpp; parts that are not as described there are left out, since a process that parsed foreign
// files wrote them.
dataset_contents contents_of(const base::json::value& v);
base::json::object to_json(const dataset_contents& c);

}  // namespace gdalmcp::app
