#include "worker/memory_end.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <new>
#include <thread>

#include "base/json.hpp"
#include "catch.hpp"
#include "runner/frame.hpp"

using namespace gdalmcp;

TEST_CASE("messages of failed allocations are told from others") {
    for (const char* failed :
         {"std::bad_alloc", "Could not allocate memory: initial feature buffer",
          "VSI_MALLOC_VERBOSE(): cannot allocate 8000 bytes", "Out of memory", "ICreateFeature: Too big feature"})
        CHECK(worker::says_out_of_memory(failed));
    for (const char* other : {"no such file", "memory:// is no scheme", "the allocation of rooms"})
        CHECK_FALSE(worker::says_out_of_memory(other));
}

TEST_CASE("a thread for which no memory is left ends the process with an answer, not with a signal") {
    std::array<int, 2> sockets{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()) == 0);
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        worker::answer_when_out_of_memory(sockets[1], "the tool 'dig'", 256 << 20);
        std::thread{[] { throw std::bad_alloc{}; }}.join();
        ::_exit(1);
    }
    ::close(sockets[1]);
    const auto frame = runner::read_frame(sockets[0]);
    int status = -1;
    ::waitpid(child, &status, 0);
    ::close(sockets[0]);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    REQUIRE(frame);
    const auto* problem = frame->if_contains("problem");
    REQUIRE(problem);
    CHECK(base::string_member(*problem, "code") == "exhausted");
    CHECK(base::string_member(*problem, "message") ==
          "the tool 'dig' ran out of memory, of which a call may take 256 MiB");
    CHECK(base::string_member(*problem, "hint").find("--memory") != std::string_view::npos);
}
