// Receives a server's change notifications: each connection of a client.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "mcp/offer.hpp"

namespace gdalmcp::app {

class tenant;
class session_toolsets;
struct active_call;

// Everything on the thread of the service.
class subscriber : public std::enable_shared_from_this<subscriber> {
public:
    virtual ~subscriber() = default;

    virtual const tenant& of() const = 0;
    virtual const session_toolsets& toolsets() const = 0;

    virtual void replace(std::shared_ptr<const mcp::offer> o) = 0;
    virtual void toolsets_changed(const active_call& by) = 0;  // by: a call of this client or of another one
    virtual void resources_changed() = 0;
    virtual void resources_updated(const std::function<bool(const std::string& uri)>& changed) = 0;
    virtual void task_changed(const mcp::json::object& task) = 0;
    virtual void beat(std::chrono::steady_clock::time_point now) = 0;
};

}  // namespace gdalmcp::app
