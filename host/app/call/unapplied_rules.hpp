// The rules of bundles that are not in use. Calls run without them, and the operator who installed them must learn it.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/snapshot.hpp"

namespace gdalmcp::app {

struct unapplied_rules {
    std::string bundle;  // its id, else the name of its folder
    std::string reason;
    std::set<std::string, std::less<>> tools;  // that its specs name, of those there are
};

// Of bundles without specs, and of second copies of a bundle in use, none.
std::vector<unapplied_rules> unapplied_rules_of(const catalog::snapshot& now);

// "the rules of the bundle 'org.example.house' for raster_terrain were not applied: …", for each bundle.
std::vector<std::string> not_applied_to(std::string_view tool, const std::vector<unapplied_rules>& all);

// The same in the log.
void log_not_applied(std::string_view tool, const std::vector<unapplied_rules>& all);

}  // namespace gdalmcp::app
