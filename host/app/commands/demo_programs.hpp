// A server the demo connects to over pipes, as a client does.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "base/json.hpp"
#include "runner/descriptor.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// A server of this program; it ends with this object.
class demo_server {
public:
    explicit demo_server(const std::string& workspace);
    ~demo_server();
    demo_server(const demo_server&) = delete;
    demo_server& operator=(const demo_server&) = delete;

    // The result (or error) of one request; null when the server has exited.
    json::value request(const char* method, json::object params);
    json::value call(const char* tool, json::object arguments) {
        return request("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
    }

private:
    struct closer {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    runner::descriptor to_;
    std::unique_ptr<std::FILE, closer> from_;
    pid_t pid_ = 0;
    std::int64_t id_ = 0;
};

// This program's own path.
std::string this_program();

}  // namespace gdalmcp::app
