// A water level, above one of two zeros of the gauge: the tool whose question is asked with evidence.
#include <gdalmcp/tool.hpp>

static const gdalmcp::arg<double> level{.name = "level", .about = "Water level.", .unit = "cm"};
static const gdalmcp::arg<gdalmcp::choice> zero{
    .name = "zero", .about = "old: before the gauge was moved. new: after.", .values = {"old", "new"}};
static const gdalmcp::field<double> above{"above_new_zero", "Level above the new zero", "cm"};

static void run(gdalmcp::call& call) { call.put(above, call[level] - (call[zero].value == "old" ? 25 : 0)); }

static const gdalmcp::tool gauge{{.name = "gauge_level",
                                  .title = "Water level",
                                  .about = "Says a water level above the new zero.",
                                  .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
                                 run,
                                 {level, zero},
                                 {above}};

GDALMCP_PLUGIN("org.gdal-mcp.test.gauge", "1.0.0", "MIT", gauge)
