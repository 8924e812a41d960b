// Evidence about a water level: one provider as it should be, and two that are none.
#include <chrono>
#include <gdalmcp/evidence.hpp>
#include <thread>

namespace evidence = gdalmcp::evidence;

static const gdalmcp::arg<double> level{.name = "level", .about = "Water level.", .unit = "cm"};
static const gdalmcp::field<double> above_record{"above_record", "Level less the highest on record, 870 cm", "cm"};

static void measure(gdalmcp::call& call) {
    const double above = call[level] - 870;
    call.put(above_record, above);
    call.put(evidence::summary, evidence::line({evidence::text(above < 0 ? -above : above) +
                                                (above < 0 ? " cm below" : " cm above") + " the highest on record"}));
    call.put(evidence::source, "the gauge's book");
}

static void never_end(gdalmcp::call& call) {
    for (;;) {
        call.progress(0.5, "thinking");
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
}

static gdalmcp::tool provider(const char* name, std::uint32_t behaviour, void (*run)(gdalmcp::call&)) {
    return {{.name = name, .title = "Record", .about = "Compares a level with the record.", .behaviour = behaviour},
            run,
            {level},
            {above_record, evidence::summary, evidence::source}};
}

static const auto record = provider("gauge_record", GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT, measure);
static const auto slow = provider("gauge_slow", GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT, never_end);
static const auto writer = provider("gauge_writer", GDALMCP_IDEMPOTENT, measure);

GDALMCP_PLUGIN("org.gdal-mcp.test.gauge-evidence", "1.0.0", "MIT", record, slow, writer)
