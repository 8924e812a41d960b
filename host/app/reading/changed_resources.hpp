// Which resources tell something else after a call than before.
#pragma once
#include <string>

#include "app/calls/host.hpp"

namespace gdalmcp::app {

inline constexpr const char* every_term = "reference://glossary/all";  // stands for those of single terms, too

// Whether what this URI names is among what the call changed: it is named by the outcome; or it is about the files of
// the workspaces and the call wrote one, which for metadata:// must be the file it is about, named without links. Does
// not look at the disk: it is asked for every URI that anybody has subscribed to.
bool is_changed(const std::string& uri, const outcome& o, const workspace::roots& roots);

}  // namespace gdalmcp::app
