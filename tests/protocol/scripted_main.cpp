// The scripted server as a program, over real stdio: what run.py and MCP clients can talk to.
#include <boost/asio/io_context.hpp>
#include <cstdio>

#include "scripted_server.hpp"
#include "transport/stdio.hpp"

using namespace gdalmcp;

int main() {
    const auto out = transport::keep_stdout_private();
    if (!out) {
        std::fprintf(stderr, "%s\n", out.error().message.c_str());
        return 1;
    }
    std::puts("what a library prints must not reach the client");
    std::fflush(stdout);
    boost::asio::io_context io;
    protocol_test::scripted_server server;
    std::unique_ptr<transport::stdio_transport> stdio;
    const auto write = [&](std::vector<std::string> lines) {
        for (auto& l : lines) stdio->write(std::move(l));
    };
    stdio = std::make_unique<transport::stdio_transport>(
        io, 0, *out,
        transport::stdio_events{[&](std::string_view line) { write(server.receive(line)); },
                                [&] { write(server.line_too_long(transport::max_line)); },
                                [&] { write(server.close()); }});
    io.run();
    return stdio->flush(std::chrono::seconds{2}) ? 0 : 1;
}
