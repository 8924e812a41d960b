// The zygote's report to the host on a child that has exited; shared with the worker.
#pragma once

namespace gdalmcp::runner {

struct exit_report {
    int wait_status;  // as of waitpid(2)
    long max_rss_kib;
};

}  // namespace gdalmcp::runner
