// The worker's side of the zygote: waits on the control socket, forks a child per request, reports how each one ended.
#pragma once
#include <functional>
#include <string>

#include "runner/descriptor.hpp"

namespace gdalmcp::worker {

// control: the SOCK_SEQPACKET socket to the host. Each message brings two descriptors: the child's frame socket and the
// watch socket; on the latter the child's pidfd is sent at once and a runner::exit_report when it is gone.
// serve_child(socket, watch) runs in the child, whose only other descriptors are 0..2 and those below `kept_below`,
// which is above `control`; its result is the exit code. It closes `watch`, which only the zygote may write to,
// before it runs foreign code. Returns when the host closes the control socket, after killing running children.
// REQUIRES: one thread.
using child_program = std::function<int(int socket, runner::descriptor watch)>;
// prepare(text) is called for each text message, one at a time, while no request waits.
using preparation = std::function<void(const std::string& text)>;
int serve_zygote(int control, int kept_below, const child_program& serve_child, const preparation& prepare);

}  // namespace gdalmcp::worker
