#include <gdalmcp/tool.hpp>
static const gdalmcp::arg<double> feet{.name = "feet", .about = "A length.", .unit = "international feet"};
static const gdalmcp::field<double> metres{"metres", "The same length", "m"};
static const gdalmcp::tool tool{
    {.name = "example_feet", .title = "Feet to metres", .about = "A length in metres.", .behaviour = GDALMCP_READ_ONLY},
    [](gdalmcp::call& call) { call.put(metres, 0.3048 * call[feet]); },
    {feet},
    {metres}};
GDALMCP_PLUGIN("org.example.feet", "1.0.0", "MIT", tool)
