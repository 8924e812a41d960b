// The tools of the suite that answer without asking. Names and texts are the suite's.
#include <chrono>
#include <thread>

#include "fixtures.hpp"

using gdalmcp::arg;
using gdalmcp::call;

namespace {

// One transparent pixel, and one silent sample.
constexpr unsigned char png[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
                                 0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00,
                                 0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78,
                                 0xda, 0x63, 0xfc, 0xcf, 0xc0, 0xf0, 0x1f, 0x00, 0x05, 0x05, 0x02, 0x00, 0x5f, 0xc8,
                                 0xf1, 0xd2, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
constexpr unsigned char wav[] = {0x52, 0x49, 0x46, 0x46, 0x26, 0x00, 0x00, 0x00, 0x57, 0x41, 0x56,
                                 0x45, 0x66, 0x6d, 0x74, 0x20, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00,
                                 0x01, 0x00, 0x40, 0x1f, 0x00, 0x00, 0x00, 0x7d, 0x00, 0x00, 0x02,
                                 0x00, 0x10, 0x00, 0x64, 0x61, 0x74, 0x61, 0x02, 0x00, 0x00, 0x00};

template <std::size_t N>
std::string_view bytes(const unsigned char (&all)[N]) {
    return {reinterpret_cast<const char*>(all), N};
}

// A host passes on at most ten reports a second.
void pause() { std::this_thread::sleep_for(std::chrono::milliseconds{120}); }

void write_log(call& c) {
    c.log(6, "Tool execution started");
    pause();
    c.log(6, "Tool processing data");
    pause();
    c.log(6, "Tool execution completed");
    c.say("Tool with logging executed successfully");
}

void report_progress(call& c) {
    c.progress(0, "Completed step 0 of 100");
    pause();
    c.progress(0.5, "Completed step 50 of 100");
    pause();
    c.progress(1, "Completed step 100 of 100");
    c.say("Tool with progress executed successfully");
}

void mix(call& c) {
    c.say("Multiple content types test:");
    c.attach_image("image/png", bytes(png));
    c.attach_resource("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})");
}

const arg<std::string> region{.name = "region", .about = "Where the request is to be routed to.", .header = "Region"};
const arg<std::int64_t> level{.name = "level", .about = "A number that no header repeats.", .fallback = 0};

void say_header(call& c) { c.say("region " + c[region] + ", level " + std::to_string(c[level])); }

constexpr std::uint32_t reads = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT;

}  // namespace

const gdalmcp::tool simple_text{
    {.name = "test_simple_text", .title = "Simple text", .about = "Returns one text.", .behaviour = reads},
    [](call& c) { c.say("This is a simple text response for testing."); },
    {},
    {}};
const gdalmcp::tool image_content{
    {.name = "test_image_content", .title = "Image", .about = "Returns one image.", .behaviour = reads},
    [](call& c) { c.attach_image("image/png", bytes(png)); },
    {},
    {}};
const gdalmcp::tool audio_content{
    {.name = "test_audio_content", .title = "Audio", .about = "Returns one sound.", .behaviour = reads},
    [](call& c) { c.attach_audio("audio/wav", bytes(wav)); },
    {},
    {}};
const gdalmcp::tool embedded_resource{
    {.name = "test_embedded_resource", .title = "Resource", .about = "Returns one resource.", .behaviour = reads},
    [](call& c) {
        c.attach_resource("test://embedded-resource", "text/plain", "This is an embedded resource content.");
    },
    {},
    {}};
const gdalmcp::tool multiple_content_types{{.name = "test_multiple_content_types",
                                            .title = "Mixed content",
                                            .about = "Returns a text, an image and a resource.",
                                            .behaviour = reads},
                                           mix,
                                           {},
                                           {}};
const gdalmcp::tool tool_with_logging{
    {.name = "test_tool_with_logging", .title = "Logging", .about = "Writes three log lines.", .behaviour = reads},
    write_log,
    {},
    {}};
const gdalmcp::tool logging_tool{
    {.name = "test_logging_tool", .title = "More logging", .about = "Writes three log lines.", .behaviour = reads},
    write_log,
    {},
    {}};
const gdalmcp::tool tool_with_progress{
    {.name = "test_tool_with_progress", .title = "Progress", .about = "Reports progress thrice.", .behaviour = reads},
    report_progress,
    {},
    {}};
const gdalmcp::tool error_handling{
    {.name = "test_error_handling", .title = "Error", .about = "Always fails.", .behaviour = reads},
    [](call&) {
        throw gdalmcp::error{GDALMCP_UNSUPPORTED, "This tool intentionally returns an error for testing"};
    },
    {},
    {}};
const gdalmcp::tool x_mcp_header{{.name = "test_x_mcp_header",
                                  .title = "Header",
                                  .about = "Has an argument that a header repeats.",
                                  .behaviour = reads},
                                 say_header,
                                 {region, level},
                                 {}};
// Whoever runs the suite follows the log and makes the change.
const gdalmcp::tool trigger_tool_change{{.name = "test_trigger_tool_change",
                                         .title = "Tools change",
                                         .about = "Asks for a change of the tools.",
                                         .behaviour = reads},
                                        [](call& c) {
                                            c.log(6, "trigger tool change");
                                            c.say("the tools are to change");
                                        },
                                        {},
                                        {}};
const gdalmcp::tool trigger_prompt_change{{.name = "test_trigger_prompt_change",
                                           .title = "Prompts change",
                                           .about = "Asks for a change of the prompts.",
                                           .behaviour = reads},
                                          [](call& c) {
                                              c.log(6, "trigger prompt change");
                                              c.say("the prompts are to change");
                                          },
                                          {},
                                          {}};
