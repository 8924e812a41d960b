// How the calls of a tool are judged as those of another: under `judged_as` of a file that extends a domain.
//   judged_as:
//     gdalwarp: {tool: raster_reproject, each: /src_datasets, arguments: {uri: /src_datasets/0, dst_crs: /t_srs}}
#pragma once
#include <map>
#include <string>
#include <vector>

#include "reflection/key_source.hpp"

namespace gdalmcp::base {
class schema;
}

namespace gdalmcp::reflection {

struct judged_form {
    struct argument {
        std::vector<std::vector<key_source>> parts;  // of each, the first source present counts
        bool list = false;                           // the parts together; absent if one of them is
    };
    std::string tool;  // whose rules apply
    std::string each;  // pointer of a list of datasets: the call is judged on each, the strictest ruling counts; or ""
    std::map<std::string, argument, std::less<>> arguments;  // of that tool <- the call

    // How often a call is judged, and in which words: the arguments of `tool`, of the dataset with this number.
    std::size_t turns(const json::value& call_arguments) const;
    json::value arguments_in(std::size_t turn, const json::value& call_arguments) const;
    // The facts of the inputs with that dataset as the only one.
    json::value facts_in(std::size_t turn, json::value facts) const;
    // With the arguments named as the call has them: names in quotes or parentheses, and whole words that contain '_'.
    std::string as_called(std::string text) const;
    base::problem as_called(base::problem p) const;
};

const base::schema& judged_form_shape();
base::result<judged_form> parse_judged_form(const json::value& text, const std::string& at);

}  // namespace gdalmcp::reflection
