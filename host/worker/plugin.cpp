#include "worker/plugin.hpp"

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cstring>

namespace gdalmcp::worker {

using base::fail;
namespace code = base::code;

struct plugin::library {
    boost::dll::shared_library handle;
};

base::result<plugin> plugin::load(const std::string& path) {
    auto l = std::make_shared<library>();
    std::error_code ec;
    l->handle.load(boost::dll::fs::path{path}, ec, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    if (ec) {
        const char* why = ::dlerror();
        return fail(code::unsupported, "cannot load the plugin " + path + ": " + (why ? why : ec.message()),
                    "rebuild the bundle on this machine, or install what it links to");
    }
    if (!l->handle.has("gdalmcp_plugin_v1"))
        return fail(code::unsupported, "the plugin " + path + " does not export gdalmcp_plugin_v1",
                    "build it with gdalmcp_add_bundle()");
    const auto entry = l->handle.get<const gdalmcp_plugin*(uint32_t)>("gdalmcp_plugin_v1");
    const auto* table = entry(GDALMCP_ABI_MINOR);
    if (!table)
        return fail(code::unsupported,
                    "the plugin " + path + " cannot serve a host of ABI minor " + std::to_string(GDALMCP_ABI_MINOR),
                    "use a newer host");
    if (table->abi_major != GDALMCP_ABI_MAJOR || table->struct_size < sizeof(gdalmcp_plugin))
        return fail(code::unsupported,
                    "the plugin " + path + " says ABI major " + std::to_string(table->abi_major) +
                        "; this host speaks " + std::to_string(GDALMCP_ABI_MAJOR),
                    "rebuild it against this host's SDK");
    if (!table->id || !table->version || !table->license || (table->tool_count && !table->tools))
        return fail(code::unsupported, "the plugin " + path + " lacks its id, version, license or tools",
                    "fill in gdalmcp_plugin");
    for (uint32_t i = 0; i < table->tool_count; ++i) {
        const auto* t = table->tools[i];
        if (!t || t->struct_size < sizeof(gdalmcp_tool) || !t->name || !t->description || !t->input_schema || !t->run)
            return fail(
                code::unsupported,
                "tool " + std::to_string(i) + " of the plugin " + path + " lacks its name, description, schema or run",
                "fill in gdalmcp_tool");
    }
    return plugin{std::move(l), table};
}

const gdalmcp_tool* plugin::find(std::string_view tool) const {
    const auto* const* end = table_->tools + table_->tool_count;
    const auto* const* found = std::find_if(table_->tools, end, [&](const gdalmcp_tool* t) { return tool == t->name; });
    return found == end ? nullptr : *found;
}

}  // namespace gdalmcp::worker
