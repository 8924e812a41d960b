/* The table of hostile tools. */
#include "hostile.h"

TOOL(hostile_segfault, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_loop, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_polite_loop, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_memory, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_exit, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_throw, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_print, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_fork, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_exec, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_kill, GDALMCP_READ_ONLY, ONE_INTEGER("pid"));
TOOL(hostile_ptrace, GDALMCP_READ_ONLY, ONE_INTEGER("pid"));
TOOL(hostile_limits, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_thread, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_udp, GDALMCP_READ_ONLY, ONE_INTEGER("port"));
TOOL(hostile_unix, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_abstract, GDALMCP_READ_ONLY, ONE_STRING("name"));
TOOL(hostile_fetch, GDALMCP_READ_ONLY, ONE_STRING("url"));
TOOL(hostile_chmod, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_read, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_write, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_unlink, GDALMCP_READ_ONLY, ONE_STRING("path"));
TOOL(hostile_symlink, GDALMCP_DESTRUCTIVE, OBJECT(STRING("target") "," OUTPUT, "\"target\""));
TOOL(hostile_file_size, GDALMCP_DESTRUCTIVE, OBJECT(INTEGER("at") "," OUTPUT, "\"at\""));
TOOL(hostile_nest, GDALMCP_READ_ONLY, ONE_INTEGER("depth"));
TOOL(hostile_result, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_big, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_greedy, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_chatter, GDALMCP_READ_ONLY, ONE_STRING("how"));
TOOL(hostile_text, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_flood, GDALMCP_READ_ONLY, ONE_STRING("how"));
TOOL(hostile_words, GDALMCP_READ_ONLY, ONE_STRING("how"));
TOOL(hostile_silent, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_gdal_error, GDALMCP_READ_ONLY, NOTHING);
TOOL(hostile_gdal_error_writing, GDALMCP_DESTRUCTIVE, OBJECT(INTEGER("at") "," OUTPUT, "\"at\""));
TOOL(hostile_frame, GDALMCP_DESTRUCTIVE, OBJECT(STRING("frame") "," OUTPUT, "\"frame\""));
TOOL(hostile_lingers, GDALMCP_READ_ONLY, ONE_STRING("frame"));

TOOL(hostile_threads, GDALMCP_READ_ONLY, OBJECT(INTEGER("count") "," STRING("way"), "\"count\",\"way\""));
TOOL(hostile_attempts, GDALMCP_READ_ONLY,
     OBJECT(STRING("group") "," STRING("path") "," STRING("folder") "," STRING("socket") "," STRING("name") "," INTEGER(
                "pid") "," INTEGER("port") "," INTEGER("shm") "," INTEGER("msg") "," INTEGER("sem") "," ANY_INPUT,
            "\"group\",\"input\""));

static const gdalmcp_tool* const tools[] = {&hostile_segfault_tool,    &hostile_loop_tool,
                                            &hostile_polite_loop_tool, &hostile_memory_tool,
                                            &hostile_exit_tool,        &hostile_throw_tool,
                                            &hostile_print_tool,       &hostile_fork_tool,
                                            &hostile_exec_tool,        &hostile_kill_tool,
                                            &hostile_ptrace_tool,      &hostile_limits_tool,
                                            &hostile_thread_tool,      &hostile_udp_tool,
                                            &hostile_unix_tool,        &hostile_abstract_tool,
                                            &hostile_fetch_tool,       &hostile_chmod_tool,
                                            &hostile_read_tool,        &hostile_write_tool,
                                            &hostile_unlink_tool,      &hostile_symlink_tool,
                                            &hostile_file_size_tool,   &hostile_nest_tool,
                                            &hostile_result_tool,      &hostile_big_tool,
                                            &hostile_greedy_tool,      &hostile_chatter_tool,
                                            &hostile_text_tool,        &hostile_flood_tool,
                                            &hostile_words_tool,       &hostile_silent_tool,
                                            &hostile_gdal_error_tool,  &hostile_frame_tool,
                                            &hostile_lingers_tool,     &hostile_attempts_tool,
                                            &hostile_threads_tool,     &hostile_gdal_error_writing_tool};

PLUGIN("org.gdal-mcp.test.hostile", tools)
