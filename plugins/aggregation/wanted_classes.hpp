// wanted_classes.hpp — the argument 'classes' of aggregate_classes: codes, or names by code.
#pragma once
#include <gdalmcp/tool.hpp>

#include <map>
#include <set>

namespace gdalmcp_aggregation {

class wanted_classes {
public:
    static gdalmcp::parameter argument();

    // Fails the call on a name for what is no code.
    explicit wanted_classes(gdalmcp::call& call);

    const std::set<std::int64_t>& codes() const { return codes_; }  // empty: all
    const std::map<std::int64_t, std::string>& names() const { return names_; }

private:
    std::set<std::int64_t> codes_;
    std::map<std::int64_t, std::string> names_;
};

}  // namespace gdalmcp_aggregation
