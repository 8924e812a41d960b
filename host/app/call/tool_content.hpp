// What a tool attaches to its result, as content blocks of the protocol. What it claims is looked at once more.
#pragma once
#include "catalog/snapshot.hpp"
#include "catalog/tool.hpp"

namespace gdalmcp::app {

// Errors: denied, where an attachment is not what it is called, a link is no https:// page, or an embedded resource has
// a name that is not the tool's to use.
base::result<base::json::object> content_block(const base::json::value& attachment, const catalog::tool& t,
                                               const catalog::snapshot& now);

}  // namespace gdalmcp::app
