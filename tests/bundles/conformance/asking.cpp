// The tools of the suite that ask their client. Names, questions and texts are the suite's.
#include "fixtures.hpp"

using gdalmcp::arg;
using gdalmcp::call;
using gdalmcp::form;

namespace {

const arg<std::string> prompt{.name = "prompt", .about = "What the model is asked."};
const arg<std::string> message{.name = "message", .about = "What the person is asked.", .min_length = 1};

void sample(call& c) {
    if (const auto said = c.ask_model("sampling", c[prompt], 100)) c.say("LLM response: " + *said);
}

void elicit(call& c) {
    const auto user =
        c.ask("user", form{c[message]}.text("username", "User's response").text("email", "User's email address"));
    if (user) c.say("User response: action=" + user->action() + ", content=" + user->json());
}

void complete(call& c, const std::optional<gdalmcp::answer>& given) {
    if (given) c.say("Elicitation completed: action=" + given->action() + ", content=" + given->json());
}

void elicit_defaults(call& c) {
    complete(c, c.ask("defaults", form{"Please review and update the form fields with defaults"}
                                      .text("name", "User name")
                                      .fallback("John Doe")
                                      .integer("age", "User age")
                                      .fallback(30)
                                      .number("score", "User score")
                                      .fallback(95.5)
                                      .choice("status", {"active", "inactive", "pending"}, "User status")
                                      .fallback("active")
                                      .flag("verified", "Verification status")
                                      .fallback(true)));
}

void elicit_enums(call& c) {
    complete(c,
             c.ask("enums",
                   form{"Please select options from the enum fields"}
                       .choice("untitledSingle", {"option1", "option2", "option3"})
                       .optional()
                       .choice("titledSingle",
                               {{"value1", "First Option"}, {"value2", "Second Option"}, {"value3", "Third Option"}})
                       .optional()
                       .choice("legacyEnum", {"opt1", "opt2", "opt3"})
                       .with("enumNames", R"(["Option One","Option Two","Option Three"])")
                       .optional()
                       .choices("untitledMulti", {"option1", "option2", "option3"})
                       .optional()
                       .choices("titledMulti",
                                {{"value1", "First Choice"}, {"value2", "Second Choice"}, {"value3", "Third Choice"}})
                       .optional()));
}

std::optional<gdalmcp::answer> ask_name(call& c) { return c.ask("user_name", form{"What is your name?"}.text("name")); }

void greet_user(call& c) {
    if (const auto name = ask_name(c)) c.say("Hello, " + name->text("name") + "!");
}

void ask_capital(call& c) {
    if (const auto said = c.ask_model("capital_question", "What is the capital of France?", 100)) c.say(*said);
}

void list_roots(call& c) {
    const auto roots = c.ask_roots("client_roots");
    if (!roots) return;
    c.say(std::to_string(roots->size()) + " roots");
    for (const auto& r : *roots) c.say(r.uri);
}

void keep_state(call& c) {
    if (!c.ask("confirm", form{"Please confirm"}.flag("ok"))) return c.keep(R"({"expects":"confirm"})");
    c.say(c.kept("/expects") == "confirm" ? "state-ok" : "the state was lost");
}

void ask_all(call& c) {
    const auto name = ask_name(c);
    const auto greeting = c.ask_model("greeting", "Generate a greeting", 50);
    const auto roots = c.ask_roots("client_roots");
    if (!name || !greeting || !roots) return c.keep(R"({"asked":3})");
    c.say(*greeting + " " + name->text("name") + ", with " + std::to_string(roots->size()) + " roots");
}

void ask_twice(call& c) {
    const auto name = c.ask("step1", form{"Step 1: What is your name?"}.text("name"));
    if (!name) return;
    const auto color = c.ask("step2", form{"Step 2: What is your favorite color?"}.text("color"));
    if (color) c.say(name->text("name") + " likes " + color->text("color"));
}

void ask_what_can_be_asked(call& c) {
    bool answered = true;
    if (c.can_ask("elicitation")) answered &= ask_name(c).has_value();
    if (c.can_ask("sampling")) answered &= c.ask_model("greeting", "Generate a greeting", 50).has_value();
    if (c.can_ask("roots")) answered &= c.ask_roots("client_roots").has_value();
    if (answered) c.say("everything that could be asked is answered");
}

constexpr std::uint32_t reads = GDALMCP_READ_ONLY;

}  // namespace

const gdalmcp::tool sampling{
    {.name = "test_sampling", .title = "Sampling", .about = "Asks the client's model.", .behaviour = reads},
    sample,
    {prompt},
    {}};
const gdalmcp::tool elicitation{
    {.name = "test_elicitation", .title = "Elicitation", .about = "Asks a person.", .behaviour = reads},
    elicit,
    {message},
    {}};
const gdalmcp::tool elicitation_sep1034_defaults{{.name = "test_elicitation_sep1034_defaults",
                                                  .title = "Defaults",
                                                  .about = "Asks a person, with defaults.",
                                                  .behaviour = reads},
                                                 elicit_defaults,
                                                 {},
                                                 {}};
const gdalmcp::tool elicitation_sep1330_enums{{.name = "test_elicitation_sep1330_enums",
                                               .title = "Choices",
                                               .about = "Lets a person choose, in five ways.",
                                               .behaviour = reads},
                                              elicit_enums,
                                              {},
                                              {}};
const gdalmcp::tool streaming_elicitation{{.name = "test_streaming_elicitation",
                                           .title = "Elicitation in a stream",
                                           .about = "Asks a person after some progress.",
                                           .behaviour = reads},
                                          [](call& c) {
                                              c.progress(0.5);
                                              greet_user(c);
                                          },
                                          {},
                                          {}};
// Asks whatever the client can do: a host must refuse it where it cannot.
const gdalmcp::tool missing_capability{{.name = "test_missing_capability",
                                        .title = "Missing capability",
                                        .about = "Cannot do without the client's model.",
                                        .behaviour = reads},
                                       ask_capital,
                                       {},
                                       {}};
const gdalmcp::tool input_required_elicitation{{.name = "test_input_required_result_elicitation",
                                                .title = "Greeting",
                                                .about = "Greets a person it asks for a name.",
                                                .behaviour = reads},
                                               greet_user,
                                               {},
                                               {}};
const gdalmcp::tool input_required_sampling{{.name = "test_input_required_result_sampling",
                                             .title = "Capital",
                                             .about = "Asks the client's model for a capital.",
                                             .behaviour = reads},
                                            ask_capital,
                                            {},
                                            {}};
const gdalmcp::tool input_required_list_roots{{.name = "test_input_required_result_list_roots",
                                               .title = "Roots",
                                               .about = "Lists the client's roots.",
                                               .behaviour = reads},
                                              list_roots,
                                              {},
                                              {}};
const gdalmcp::tool input_required_request_state{{.name = "test_input_required_result_request_state",
                                                  .title = "State",
                                                  .about = "Keeps a state between two rounds.",
                                                  .behaviour = reads},
                                                 keep_state,
                                                 {},
                                                 {}};
const gdalmcp::tool input_required_multiple_inputs{{.name = "test_input_required_result_multiple_inputs",
                                                    .title = "Three questions",
                                                    .about = "Asks for a name, a greeting and the roots at once.",
                                                    .behaviour = reads},
                                                   ask_all,
                                                   {},
                                                   {}};
const gdalmcp::tool input_required_multi_round{{.name = "test_input_required_result_multi_round",
                                                .title = "Two rounds",
                                                .about = "Asks for a name, then for a color.",
                                                .behaviour = reads},
                                               ask_twice,
                                               {},
                                               {}};
const gdalmcp::tool input_required_tampered_state{{.name = "test_input_required_result_tampered_state",
                                                   .title = "Tampered state",
                                                   .about = "Keeps a state nobody may change.",
                                                   .behaviour = reads},
                                                  keep_state,
                                                  {},
                                                  {}};
const gdalmcp::tool input_required_capabilities{{.name = "test_input_required_result_capabilities",
                                                 .title = "Capabilities",
                                                 .about = "Asks what its client can answer.",
                                                 .behaviour = reads},
                                                ask_what_can_be_asked,
                                                {},
                                                {}};
