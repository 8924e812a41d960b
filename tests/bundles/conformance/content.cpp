// The tools of the suite that answer at once. Names and texts are the suite's.
#include <gdalmcp/tool.hpp>

namespace {

using gdalmcp::call;

const gdalmcp::tool simple_text{{.name = "test_simple_text",
                                 .title = "Simple text",
                                 .about = "Returns one text.",
                                 .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
                                [](call& c) { c.say("This is a simple text response for testing."); },
                                {},
                                {}};

}  // namespace

GDALMCP_PLUGIN("org.gdal-mcp.test.conformance", "1.0.0", "MIT", simple_text.abi())
