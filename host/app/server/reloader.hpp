// Reloads the bundles, specs and prompts when their files change, once the files are quiet.
#pragma once
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <optional>

namespace gdalmcp::app {

class host;
class service;

class reloader {
public:
    // changed: called on the thread of the service after each reload. REQUIRES: outlived by both.
    reloader(service& s, host& h, std::function<void()> changed);
    ~reloader();
    void stop();  // no further reloads
    reloader(const reloader&) = delete;
    reloader& operator=(const reloader&) = delete;

private:
    void await_changes();
    void await_quiet();
    void look();

    service& service_;
    host& host_;
    const std::function<void()> changed_;
    boost::asio::posix::stream_descriptor changes_;
    boost::asio::steady_timer settled_;
    std::optional<std::chrono::steady_clock::time_point> unrest_since_;  // the first change not yet loaded
};

void report_quarantine(const host& h);  // in the log

}  // namespace gdalmcp::app
