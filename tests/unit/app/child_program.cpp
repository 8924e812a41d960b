#include "app/commands/child_program.hpp"

#include "catch.hpp"

using gdalmcp::app::output_of;

TEST_CASE("a program is started by its words, whatever characters they have") {
    CHECK(output_of({"printf", "%s|", "it's", "$(exit 1)"}).value() == "it's|$(exit 1)|");
}

TEST_CASE("a program that does not start, fails or does not end is reported") {
    CHECK(output_of({"/no/such/program"}).error().code == "not_found");
    CHECK(output_of({"false"}).error().message == "false exited with 1");
    const auto late = output_of({"sleep", "600"}, std::chrono::seconds{0});
    CHECK(late.error().code == "deadline");
    CHECK(late.error().message == "sleep did not answer within 0 s");
}
