/* A tool in plain C, without GDAL: it needs a C compiler, gdalmcp/abi.h and nothing else. Its bundle runs in the plain
 * runtime. */
#include <gdalmcp/abi.h>
#include <math.h>
#include <string.h>

static gdalmcp_str text(const char* s) {
    const gdalmcp_str out = {s, strlen(s)};
    return out;
}

/* Arguments arrive validated, with defaults filled in, so a failed read is a defect of this file. */
static gdalmcp_status position(const gdalmcp_host* host, gdalmcp_call* call, const char* lon, const char* lat,
                               double out[2]) {
    const double degree = 3.14159265358979323846 / 180;
    gdalmcp_status status = host->get_number(call, text(lon), &out[0]);
    if (status == GDALMCP_OK) status = host->get_number(call, text(lat), &out[1]);
    out[0] *= degree;
    out[1] *= degree;
    return status;
}

/* Haversine formula. */
static gdalmcp_status run(const gdalmcp_host* host, gdalmcp_call* call, const void* self) {
    const double radius = *(const double*)self;
    double a[2] = {0, 0}, b[2] = {0, 0}, h;
    gdalmcp_status status = position(host, call, "/from/lon", "/from/lat", a);
    if (status == GDALMCP_OK) status = position(host, call, "/to/lon", "/to/lat", b);
    if (status != GDALMCP_OK) {
        host->fail(call, GDALMCP_INTERNAL, text("an argument the schema requires is not there"), text(""));
        return GDALMCP_INTERNAL;
    }
    h = pow(sin((b[1] - a[1]) / 2), 2) + cos(a[1]) * cos(b[1]) * pow(sin((b[0] - a[0]) / 2), 2);
    host->warn(call, text("on a sphere, not on the ellipsoid"));
    return host->put_number(call, text("/distance"), 2 * radius * asin(sqrt(fmin(1, h))));
}

#define POSITION(about)                                              \
    "{\"type\":\"object\",\"description\":\"" about                  \
    "\",\"properties\":{"                                            \
    "\"lon\":{\"type\":\"number\",\"minimum\":-180,\"maximum\":180," \
    "\"description\":\"Longitude, east positive. [degrees]\"},"      \
    "\"lat\":{\"type\":\"number\",\"minimum\":-90,\"maximum\":90,"   \
    "\"description\":\"Latitude, north positive. [degrees]\"}},"     \
    "\"required\":[\"lon\",\"lat\"],\"additionalProperties\":false}"

static const double mean_radius = 6371008.8; /* m; (2 a + b) / 3 of the GRS 80 ellipsoid */
static const gdalmcp_tool tool = {
    sizeof(gdalmcp_tool),
    GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT,
    "example_sphere_distance",
    "Distance on the sphere",
    "Great-circle distance between two positions on a sphere of 6371008.8 m radius. For distances on the ellipsoid use "
    "another tool.",
    "{\"type\":\"object\",\"properties\":{\"from\":" POSITION("Where to start.") ",\"to\":" POSITION(
        "Where to go.") "},\"required\":[\"from\",\"to\"],\"additionalProperties\":false}",
    "{\"type\":\"object\",\"properties\":{\"distance\":{\"type\":\"number\",\"description\":\"Length of the shorter "
    "great-circle arc [m]\"}},\"required\":[\"distance\"],\"additionalProperties\":false}",
    run,
    &mean_radius};

GDALMCP_EXPORT const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor) {
    static const gdalmcp_tool* const tools[] = {&tool};
    static const gdalmcp_plugin plugin = {sizeof(gdalmcp_plugin),
                                          GDALMCP_ABI_MAJOR,
                                          GDALMCP_ABI_MINOR,
                                          1,
                                          "org.example.sphere",
                                          "1.0.0",
                                          "MIT",
                                          tools,
                                          NULL};
    (void)host_abi_minor; /* any minor of major 1 will do */
    return &plugin;
}
