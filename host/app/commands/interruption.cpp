#include "app/commands/interruption.hpp"

#include <signal.h>

namespace gdalmcp::app {

namespace {

// Writing to an eventfd is safe in a handler.
runner::cancellation* interrupted = nullptr;
void on_interrupt(int) { interrupted->stop(); }

}  // namespace

interruption::interruption() {
    interrupted = &cancel_;
    for (const int s : {SIGINT, SIGTERM}) ::signal(s, on_interrupt);
}

interruption::~interruption() {
    for (const int s : {SIGINT, SIGTERM}) ::signal(s, SIG_IGN);
}

}  // namespace gdalmcp::app
