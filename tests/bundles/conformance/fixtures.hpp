// The tools of this bundle, by file.
#pragma once
#include <gdalmcp/tool.hpp>

// content.cpp
extern const gdalmcp::tool simple_text, image_content, audio_content, embedded_resource, multiple_content_types,
    tool_with_logging, logging_tool, tool_with_progress, error_handling, x_mcp_header, trigger_tool_change,
    trigger_prompt_change;
// asking.cpp
extern const gdalmcp::tool sampling, elicitation, elicitation_sep1034_defaults, elicitation_sep1330_enums,
    streaming_elicitation, missing_capability, input_required_elicitation, input_required_sampling,
    input_required_list_roots, input_required_request_state, input_required_multiple_inputs, input_required_multi_round,
    input_required_tampered_state, input_required_capabilities;
// tasks.cpp
extern const gdalmcp::tool greet, slow_compute, failing_job, protocol_error_job, confirm_delete, multi_input,
    tool_with_task;
