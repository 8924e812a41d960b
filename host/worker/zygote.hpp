// The worker's side of the zygote: waits on the control socket, forks a child per request, reports how each one ended.
#pragma once
#include <functional>

namespace gdalmcp::worker {

// control: the SOCK_SEQPACKET socket to the host. Each message brings two descriptors: the child's frame socket and the
// watch socket; on the latter the child's pidfd is sent at once and a runner::exit_report when it is gone.
// serve_child(socket) runs in the child, whose only other descriptors are 0..2; its result is the exit code.
// Returns when the host closes the control socket, after killing what still runs. REQUIRES: one thread.
int serve_zygote(int control, const std::function<int(int socket)>& serve_child);

}  // namespace gdalmcp::worker
