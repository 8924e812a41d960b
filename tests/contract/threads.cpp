// The functions of the table are tagged [any-thread]: called from many threads at once, nothing is lost or torn. Under
// ThreadSanitizer a race fails the test.
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/json.hpp"
#include "catch.hpp"
#include "runner/frame.hpp"
#include "worker/abi_host.hpp"

using namespace gdalmcp;
namespace json = base::json;

namespace {

constexpr int threads = 8, rounds = 200;

gdalmcp_str text(std::string_view s) { return {s.data(), s.size()}; }

void ask_everything(const gdalmcp_ask& a, gdalmcp_call* c, int thread, const std::string& line,
                    std::atomic<int>& refused) {
    const auto expect = [&](bool ok) { refused += ok ? 0 : 1; };
    std::int32_t kind = 0;
    gdalmcp_str value{};
    expect(a.can_ask(c, text("roots")) == 1);
    expect(a.ask(c, text("of_thread_" + std::to_string(thread)), text("roots/list"), text("{}")) == GDALMCP_OK);
    expect(a.answer(c, text("earlier"), text(""), &kind, &value) == GDALMCP_OK && kind == GDALMCP_OBJECT &&
           std::string_view{value.data, value.size} == R"({"action":"decline"})");
    expect(a.get_state(c, text("/step"), &kind, &value) == GDALMCP_OK && kind == GDALMCP_INTEGER);
    expect(a.put_state(c, text("\"" + line + "\"")) == GDALMCP_OK);
}

// What one thread of a plugin does; counts what did not succeed.
void use_everything(const gdalmcp_host& h, gdalmcp_call* c, int thread, std::atomic<int>& refused) {
    const auto expect = [&](bool ok) { refused += ok ? 0 : 1; };
    const auto mine = "/of_thread_" + std::to_string(thread);
    for (int i = 0; i < rounds; ++i) {
        std::int32_t flag = 0;
        std::int64_t whole = 0;
        double real = 0;
        std::size_t size = 0;
        gdalmcp_str word{}, copy{}, path{};
        expect(h.get_kind(c, text("/list")) == GDALMCP_ARRAY);
        expect(h.get_bool(c, text("/yes"), &flag) == GDALMCP_OK && flag == 1);
        expect(h.get_int(c, text("/list/1"), &whole) == GDALMCP_OK && whole == 2);
        expect(h.get_number(c, text("/list/2"), &real) == GDALMCP_OK && real == 3.5);
        expect(h.get_string(c, text("/word"), &word) == GDALMCP_OK && std::string_view{word.data, word.size} == "Ås");
        expect(h.get_size(c, text("/list"), &size) == GDALMCP_OK && size == 3);
        expect(h.get_json(c, text("/list"), &copy) == GDALMCP_OK &&
               std::string_view{copy.data, copy.size} == "[1,2,3.5]");
        expect(h.new_scratch(c, text("part"), text(".bin"), &path) == GDALMCP_OK);
        expect(h.put_int(c, text(mine + "/count"), i + 1) == GDALMCP_OK);
        expect(h.put_bool(c, text(mine + "/yes"), 1) == GDALMCP_OK);
        expect(h.put_number(c, text(mine + "/real"), 0.5) == GDALMCP_OK);
        expect(h.put_string(c, text(mine + "/word"), text("x")) == GDALMCP_OK);
        expect(h.put_json(c, text("/rows/-"), text("{}")) == GDALMCP_OK);
        const auto line = std::to_string(thread) + " " + std::to_string(i);
        expect(h.say(c, text(line)) == GDALMCP_OK);
        expect(h.warn(c, text(line)) == GDALMCP_OK);
        const gdalmcp_attachment a{sizeof a, GDALMCP_TEXT, text("text/plain"), text(line), {}, {}, {}};
        expect(h.attach(c, &a) == GDALMCP_OK);
        expect(h.expect(c, text("/word"), text("{}")) == GDALMCP_OK);
        h.log(c, 6, text(line));
        expect(h.progress(c, static_cast<double>(i) / rounds, text(line)) == 1);
        expect(h.extension(c, "gdalmcp.nothing/1") == nullptr);
        h.takes_long(c);
        ask_everything(*static_cast<const gdalmcp_ask*>(h.extension(c, GDALMCP_ASK_ID)), c, thread, line, refused);
        h.fail(c, GDALMCP_IO, text(line), {});
    }
}

}  // namespace

TEST_CASE("the table serves many threads of one call") {
    int sockets[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    const json::value arguments = *base::parse_json(R"({"yes":true,"list":[1,2,3.5],"word":"Ås"})");
    const json::object told{
        {"can", {"roots"}}, {"answers", {{"earlier", {{"action", "decline"}}}}}, {"state", {{"step", 1}}}};
    worker::running_call call{arguments, "/tmp", sockets[0], told};
    const auto& table = worker::running_call::table(GDALMCP_ABI_MINOR);

    int logs = 0, long_ones = 0, torn = 0;
    std::thread host{[&] {  // reads what the call sends until its end is closed
        while (auto frame = runner::read_frame(sockets[1])) {
            const auto kind = base::string_member(*frame, "kind");
            logs += kind == "log" ? 1 : 0;
            long_ones += kind == "takes_long" ? 1 : 0;
            torn += kind == "log" || kind == "progress" || kind == "takes_long" ? 0 : 1;
        }
    }};
    std::atomic<int> refused{0};
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
        workers.emplace_back([&, t] { use_everything(table, call.handle(), t, refused); });
    for (auto& w : workers) w.join();
    ::shutdown(sockets[0], SHUT_WR);
    host.join();
    ::close(sockets[0]);
    ::close(sockets[1]);

    constexpr std::size_t all = threads * rounds;
    CHECK(refused == 0);
    CHECK(torn == 0);
    CHECK(logs == threads * rounds);
    CHECK(long_ones == 1);
    CHECK(call.questions.outcome().at("requests").as_object().size() == threads);
    CHECK(std::set<std::string>(call.lines.begin(), call.lines.end()).size() == all);
    CHECK(call.warnings.size() == all);
    CHECK(call.attachments.size() == all);
    CHECK(call.result.at("rows").as_array().size() == all);
    for (int t = 0; t < threads; ++t) CHECK(call.result.at("of_thread_" + std::to_string(t)).at("count") == rounds);
    const auto failed = call.conclude("threads", GDALMCP_IO);
    REQUIRE(failed);
    CHECK(failed->code == base::code::io);
    CHECK(failed->message.find(' ') != std::string::npos);
}
