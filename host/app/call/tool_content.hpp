// A tool's attachments as content blocks of the protocol. Re-checks what the tool declares.
#pragma once
#include "catalog/snapshot.hpp"
#include "catalog/tool.hpp"

namespace gdalmcp::app {

// Errors: denied, when an attachment does not match its media type, a link is not https://, or an embedded resource
// uses a URI the tool may not use.
base::result<base::json::object> content_block(const base::json::value& attachment, const catalog::tool& t,
                                               const catalog::snapshot& now);

}  // namespace gdalmcp::app
