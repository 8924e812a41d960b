// The tools of the suite for tasks: some take long, some ask meanwhile, some fail.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "fixtures.hpp"

using gdalmcp::arg;
using gdalmcp::call;
using gdalmcp::form;

namespace {

const arg<std::string> name{.name = "name", .about = "Whom to greet.", .examples = {"\"World\""}};
const arg<double> seconds{
    .name = "seconds", .about = "How long to work.", .unit = "s", .fallback = 0.0, .min = 0, .max = 600};
const arg<std::string> label{.name = "label", .about = "What the work is called.", .fallback = ""};
const arg<std::string> filename{.name = "filename", .about = "What would be deleted.", .examples = {"\"a.txt\""}};

// Ends early, by an exception, when the call is cancelled.
void work(call& c, double s) {
    constexpr std::chrono::milliseconds step{50};
    const auto steps = static_cast<int>(s * 1000 / static_cast<double>(step.count()));
    for (int i = 0; i < steps; ++i) {
        c.progress(static_cast<double>(i) / steps);
        std::this_thread::sleep_for(step);
    }
}

void compute(call& c) {
    if (c[seconds] > 0) c.takes_long();
    work(c, c[seconds]);
    c.say("Computed " + c[label] + " in " + gdalmcp::detail::number(c[seconds]) + " s");
}

void fail(call& c) {
    work(c, 1);
    throw gdalmcp::error{GDALMCP_UNSUPPORTED, "This job always fails"};
}

void die(call& c) {
    c.takes_long();
    std::abort();
}

void confirm(call& c) {
    c.takes_long();
    const auto sure = c.ask("confirm", form{"Delete " + c[filename] + "?"}.flag("confirm"));
    if (!sure) return;
    const bool wanted = sure->accepted() && sure->flag("confirm");
    c.say(wanted ? "Deleted " + c[filename] : "Kept " + c[filename]);
}

void ask_two(call& c) {
    c.takes_long();
    const auto who = c.ask("name", form{"What is your name?"}.text("name"));
    const auto sure = c.ask("confirm", form{"Are you sure?"}.flag("confirm"));
    if (who && sure) c.say(who->text("name") + (sure->flag("confirm") ? " is sure" : " is not sure"));
}

void ask_then_work(call& c) {
    const auto who = c.ask("user_name", form{"What is your name?"}.text("name"));
    if (!who) return;
    c.takes_long();
    work(c, 0.2);
    c.say("Worked for " + who->text("name"));
}

}  // namespace

const gdalmcp::tool greet{
    {.name = "greet", .title = "Greet", .about = "Says hello.", .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    [](call& c) { c.say("Hello, " + c[name] + "!"); },
    {name},
    {}};
const gdalmcp::tool slow_compute{
    {.name = "slow_compute", .title = "Compute", .about = "Works for some time.", .behaviour = GDALMCP_READ_ONLY},
    compute,
    {seconds, label},
    {}};
const gdalmcp::tool failing_job{{.name = "failing_job",
                                 .title = "Failing job",
                                 .about = "Fails after a second of work.",
                                 .behaviour = GDALMCP_READ_ONLY | GDALMCP_TASK_ONLY},
                                fail,
                                {},
                                {}};
const gdalmcp::tool protocol_error_job{
    {.name = "protocol_error_job", .title = "Dying job", .about = "Crashes.", .behaviour = GDALMCP_READ_ONLY},
    die,
    {},
    {}};
const gdalmcp::tool confirm_delete{{.name = "confirm_delete",
                                    .title = "Confirm",
                                    .about = "Asks whether to delete a file; deletes nothing.",
                                    .behaviour = GDALMCP_READ_ONLY},
                                   confirm,
                                   {filename},
                                   {}};
const gdalmcp::tool multi_input{{.name = "multi_input",
                                 .title = "Two inputs",
                                 .about = "Asks two questions at once.",
                                 .behaviour = GDALMCP_READ_ONLY},
                                ask_two,
                                {},
                                {}};
const gdalmcp::tool tool_with_task{{.name = "test_tool_with_task",
                                    .title = "Question, then work",
                                    .about = "Asks for a name, then works.",
                                    .behaviour = GDALMCP_READ_ONLY},
                                   ask_then_work,
                                   {},
                                   {}};
