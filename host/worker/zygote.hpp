// The worker's side of the zygote: waits on the control socket, forks a child per request, reports how each one ended.
#pragma once
#include <functional>
#include <string>

#include "runner/descriptor.hpp"

namespace gdalmcp::worker {

// What a child does. begin() runs when it is forked, before a request is known; false: it ends. serve(socket, watch)
// answers one request; its result is the exit code. It closes `watch`, which only the zygote may write to, before it
// runs foreign code.
struct child_program {
    std::function<bool()> begin;
    std::function<int(int socket, runner::descriptor watch)> serve;
};
// prepare(text) is called for each text message, one at a time, while no request waits.
using preparation = std::function<void(const std::string& text)>;

// control: the SOCK_SEQPACKET socket to the host. Each message brings three descriptors: the child's frame socket, the
// watch socket and the pipe for what it prints; on the second the child's pidfd is sent at once and a
// runner::exit_report when it is gone. While no child runs, one waits for the next request: the fork and begin() are a
// tenth of a short call. A child's only other descriptors are 0..2 and those below `kept_below`, which is above
// `control`. Returns when the host closes the control socket, after killing running children.
// REQUIRES: one thread.
int serve_zygote(int control, int kept_below, const child_program& program, const preparation& prepare);

}  // namespace gdalmcp::worker
