// The bundle of the conformance suite: everything it wants to find in a server but json_schema_2020_12_tool, whose
// schema real clients reject, and test_reconnection, which is a matter of the transport.
#include "fixtures.hpp"

GDALMCP_PLUGIN("org.gdal-mcp.test.conformance", "1.0.0", "MIT", simple_text, image_content, audio_content,
               embedded_resource, multiple_content_types, tool_with_logging, logging_tool, tool_with_progress,
               error_handling, x_mcp_header, trigger_tool_change, trigger_prompt_change, sampling, elicitation,
               elicitation_sep1034_defaults, elicitation_sep1330_enums, streaming_elicitation, missing_capability,
               input_required_elicitation, input_required_sampling, input_required_list_roots,
               input_required_request_state, input_required_multiple_inputs, input_required_multi_round,
               input_required_tampered_state, input_required_capabilities, greet, slow_compute, failing_job,
               protocol_error_job, confirm_delete, multi_input, tool_with_task)
