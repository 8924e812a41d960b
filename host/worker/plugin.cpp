#include "worker/plugin.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cstddef>
#include <cstring>
#include <vector>

namespace gdalmcp::worker {

using base::fail;
namespace code = base::code;

// The table as today's header has it, whatever minor the plugin was compiled with: members it does not have are 0,
// members only it knows are left out. The library stays loaded with it.
struct plugin::library {
    boost::dll::shared_library handle;
    gdalmcp_plugin table{};
    std::vector<gdalmcp_tool> tools;
    std::vector<const gdalmcp_tool*> pointers;
};

namespace {

// The size of a table in ABI 1.0, the minimum.
constexpr std::size_t plugin_v1_0 = offsetof(gdalmcp_plugin, extension) + sizeof(void*);
constexpr std::size_t tool_v1_0 = offsetof(gdalmcp_tool, self) + sizeof(void*);

template <class Table>
Table as_of_today(const Table& given) {
    Table own{};
    std::memcpy(&own, &given, std::min<std::size_t>(given.struct_size, sizeof own));
    own.struct_size = sizeof own;
    return own;
}

// The defect of a table; empty: none.
std::string defect_of(const gdalmcp_plugin& p) {
    if (p.abi_major != GDALMCP_ABI_MAJOR)
        return "has ABI major " + std::to_string(p.abi_major) + "; this host has " + std::to_string(GDALMCP_ABI_MAJOR);
    if (p.struct_size < plugin_v1_0)
        return "has a table of " + std::to_string(p.struct_size) + " bytes; ABI 1.0 has " + std::to_string(plugin_v1_0);
    if (!p.id || !p.version || !p.license || (p.tool_count && !p.tools))
        return "lacks its id, version, license or tools";
    for (std::uint32_t i = 0; i < p.tool_count; ++i) {
        const auto* t = p.tools[i];
        const auto which = "has a tool " + std::to_string(i);
        if (!t) return which + " that is NULL";
        if (t->struct_size < tool_v1_0)
            return which + " of " + std::to_string(t->struct_size) + " bytes; ABI 1.0 has " + std::to_string(tool_v1_0);
        if (!t->name || !t->description || !t->input_schema || !t->run)
            return which + " without its name, description, schema or run";
    }
    return {};
}

}  // namespace

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
    const auto* given = entry(GDALMCP_ABI_MINOR);
    if (!given)
        return fail(code::unsupported,
                    "the plugin " + path + " cannot serve a host of ABI minor " + std::to_string(GDALMCP_ABI_MINOR),
                    "use a newer host");
    if (const auto defect = defect_of(*given); !defect.empty())
        return fail(code::unsupported, "the plugin " + path + " " + defect, "rebuild it against this host's SDK");
    l->table = as_of_today(*given);
    for (uint32_t i = 0; i < given->tool_count; ++i) l->tools.push_back(as_of_today(*given->tools[i]));
    for (const auto& t : l->tools) l->pointers.push_back(&t);
    l->table.tools = l->pointers.data();
    return plugin{std::move(l)};
}

const gdalmcp_plugin& plugin::table() const { return library_->table; }

const gdalmcp_tool* plugin::find(std::string_view tool) const {
    const auto& tools = library_->tools;
    const auto found = std::find_if(tools.begin(), tools.end(), [&](const gdalmcp_tool& t) { return tool == t.name; });
    return found == tools.end() ? nullptr : &*found;
}

}  // namespace gdalmcp::worker
