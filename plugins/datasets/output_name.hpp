// Output arguments whose file name the host chooses by another rule than the extension of the kind of data.
#pragma once
#include <gdalmcp/tool.hpp>

#include <string>

namespace gdalmcp_datasets {

// `keyword` of the argument's schema: x-gdalmcp-managed names the file of a managed result ("result.vrt");
// x-gdalmcp-beside puts the output beside the first input, under a name made of the input's ("{name}.ovr" or
// "{stem}.qix"), which the caller need not give.
template <class Output>
gdalmcp::parameter named_output(const gdalmcp::arg<Output>& output, const char* keyword, const char* name) {
    auto schema = gdalmcp::detail::schema(output);
    schema.insert(1, gdalmcp::detail::quote(keyword) + ":" + gdalmcp::detail::quote(name) + ",");
    return {output.name, schema, false, ""};
}

}  // namespace gdalmcp_datasets
