// The tenants of a server over HTTP: one for everybody, or one for each token of a file, which may change.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/server/tenant.hpp"
#include "app/server/tokens.hpp"

namespace gdalmcp::app {

// On the thread of the service.
//   auto all = tenants::open(configuration);
//   service s{…};
//   (*all)->begin(s, on_gone);
//   s.io().run();
//   (*all)->end();    // before the service is destroyed; the hosts end with `all`, after it, or when their token is
//   removed
class tenants {
public:
    // Errors: invalid settings or file.
    static base::result<std::unique_ptr<tenants>> open(const configuration& c);

    // gone: called for a tenant whose token was removed or replaced.
    void begin(service& s, std::function<void(const tenant&)> gone);
    void end();  // kills running work

    // The tenant of a request, by its Authorization field; null: unknown.
    tenant* find(std::optional<std::string_view> authorization);
    bool may_read_metrics(std::optional<std::string_view> authorization);

    template <class Step>
    void each(Step step) const {
        for (const auto& [name, one] : all_) step(*one.serving);
    }

    // With the name of each host's token, "" for everybody; before begin(), too.
    template <class Step>
    void each_host(Step step) const {
        for (const auto& [name, one] : all_) step(name, *one.own);
    }

private:
    struct entry {
        std::vector<std::string> workspaces;
        std::unique_ptr<host> own;
        std::unique_ptr<tenant> serving;
        bool idle = false;  // of a removed tenant, at the last beat
    };
    explicit tenants(configuration c) : configuration_{std::move(c)}, file_{configuration_.tokens} {}
    base::result<void> admit(std::vector<token> tokens);
    void serve_newcomers();
    void release_gone();
    const token* token_of(std::optional<std::string_view> authorization);
    void look_again();

    const configuration configuration_;
    const std::filesystem::path file_;
    std::string file_state_;
    std::vector<token> tokens_;
    std::map<std::string, entry> all_;  // by the token's name; "" for everybody
    std::vector<entry> gone_;           // of removed tokens: their calls may still be ending
    service* service_ = nullptr;
    std::function<void(const tenant&)> on_gone_;
};

}  // namespace gdalmcp::app
