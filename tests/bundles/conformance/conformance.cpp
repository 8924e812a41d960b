// The bundle of the conformance suite: everything it wants to find in a server but json_schema_2020_12_tool, whose
// schema real clients reject, and test_reconnection, which is a matter of the transport.
#include "fixtures.hpp"

GDALMCP_PLUGIN("org.gdal-mcp.test.conformance", "1.0.0", "MIT", simple_text.abi(), image_content.abi(),
               audio_content.abi(), embedded_resource.abi(), multiple_content_types.abi(), tool_with_logging.abi(),
               logging_tool.abi(), tool_with_progress.abi(), error_handling.abi(), x_mcp_header.abi(),
               trigger_tool_change.abi(), trigger_prompt_change.abi(), sampling.abi(), elicitation.abi(),
               elicitation_sep1034_defaults.abi(), elicitation_sep1330_enums.abi(), streaming_elicitation.abi(),
               missing_capability.abi(), input_required_elicitation.abi(), input_required_sampling.abi(),
               input_required_list_roots.abi(), input_required_request_state.abi(),
               input_required_multiple_inputs.abi(), input_required_multi_round.abi(),
               input_required_tampered_state.abi(), input_required_capabilities.abi(), greet.abi(), slow_compute.abi(),
               failing_job.abi(), protocol_error_job.abi(), confirm_delete.abi(), multi_input.abi(),
               tool_with_task.abi())
