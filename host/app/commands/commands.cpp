#include "app/commands/commands.hpp"

#include <cstdio>

#include "app/commands/interruption.hpp"
#include "app/complain.hpp"
#include "app/resources/bundles.hpp"
#include "app/server/serve.hpp"
#include "app/server/tokens.hpp"
#include "base/hidden_characters.hpp"
#include "base/log.hpp"
#include "transport/stdio.hpp"

namespace gdalmcp::app {

namespace {

int exit_code(const base::problem& p) {
    if (p.code == base::code::needs_justification) return 4;
    if (p.code == base::code::policy) return 5;
    if (p.code == base::code::deadline) return 124;
    return 3;
}

// First sentence of a description, for one line of a listing.
std::string first_sentence(const std::string& text) {
    return text.substr(0, std::min(text.find(". "), text.size() - 1) + 1);
}

void print_unused(const std::string& name, const char* state, const std::filesystem::path& path,
                  const std::string& reason) {
    std::printf("%s  %s\n    %s\n    %s\n", base::with_hidden_shown(name).c_str(), state,
                base::with_hidden_shown(path.string()).c_str(), reason.c_str());
}

}  // namespace

int print_version() {
    std::printf("gdal-mcp %s\n", version);
    return 0;
}

int make_token(const configuration& c, const std::string& name, bool metrics) {
    if (c.tokens.empty() || c.workspaces.empty())
        return complain(
            {base::code::invalid_argument, c.tokens.empty() ? "no token file is named" : "no workspace is named",
             "run: gdal-mcp token " + name + " --tokens FILE --workspace DIR[:ro|:rw]", ""},
            exit_usage);
    std::error_code ec;
    const auto home = environment_variable("HOME");
    const auto roots = workspace::roots::open(c.workspaces, std::filesystem::current_path(ec), home);
    if (!roots) return complain(roots.error(), exit_usage);
    if (const auto ok = roots->keep_apart("--tokens", c.tokens); !ok) return complain(ok.error(), exit_usage);
    const auto secret = add_token(c.tokens, name, c.workspaces, metrics);
    if (!secret) return complain(secret.error(), exit_usage);
    std::printf("%s\n", secret->c_str());
    return 0;
}

int list_tools(const host& h, bool as_json) {
    report_toolsets(h);
    const auto now = h.offered();
    const auto o = now->offer();
    if (as_json) {
        std::printf("%s\n", base::write_json(json::value(o.tools)).c_str());
        return 0;
    }
    for (const auto& t : o.tools) {
        const std::string name{t.at("name").get_string()};
        std::string domains;
        for (const auto& d : now->specs().domains_of(name)) domains += (domains.empty() ? " [" : ", ") + d;
        if (!domains.empty()) domains += "]";
        std::printf("%-28s %s%s\n", name.c_str(), first_sentence(std::string{t.at("description").get_string()}).c_str(),
                    domains.c_str());
    }
    return 0;
}

int list_bundles(const host& h, bool verify, bool as_json) {
    const auto now = h.offered();
    if (as_json) {
        std::printf("%s\n", base::write_json(json::value(bundle_report(*now))).c_str());
        return 0;
    }
    int code = 0;
    for (const auto& b : now->tools().bundles()) {
        std::string state = b->enabled ? "in use" : "off; --toolsets " + b->toolset + " turns it on";
        if (!b->signed_by.empty()) state += ", signed by '" + b->signed_by + "'";
        if (verify) {
            const auto ok = catalog::verify(*b);
            state = ok ? "verified" : ok.error().message;
            if (!ok) code = 3;
        }
        std::printf("%s %s  %s\n    %s\n    %s\n", b->id.c_str(), b->version.c_str(), b->license.c_str(),
                    b->folder.c_str(), state.c_str());
    }
    for (const auto& q : now->tools().quarantine())
        print_unused(q.id.empty() ? q.path.filename().string() : q.id, "QUARANTINED", q.path, q.reason);
    for (const auto& i : now->tools().unfinished())
        print_unused(i.path.filename().string(), "INCOMPLETE", i.path, i.reason);
    return code;
}

int show_bundle(const host& h, const std::string& id) {
    const auto now = h.offered();
    const auto report = bundle_report(*now);
    for (const char* list : {"bundles", "quarantined", "incomplete"})
        for (const auto& b : report.at(list).get_array())
            if (base::string_member(b, "id") == id ||
                std::filesystem::path{std::string{base::string_member(b, "path")}}.filename() == id) {
                std::printf("%s\n", base::write_json(b).c_str());
                return 0;
            }
    std::fprintf(stderr, "gdal-mcp: there is no bundle '%s'\n  'gdal-mcp bundles' lists them all\n", id.c_str());
    return 3;
}

int call_tool(host& h, const std::string& tool, json::object arguments) {
    const auto out = transport::keep_stdout_private();
    if (!out) {
        base::log(base::log_level::error, out.error().message);
        return 3;
    }
    log_not_applied(tool, h.offered()->unapplied());
    auto o = h.call(tool, std::move(arguments), interruption{}.cancel(), {});
    if (o.ask)
        o = outcome::failure({base::code::unsupported,
                              tool + " asks a question, which nobody can answer on the command line",
                              "call it from a client that can answer", ""});
    if (!o.problem && o.results_changed && tool != "release_result")
        base::log(
            base::log_level::warning,
            "no output was given, so the result was managed and ended with this process; give 'output' to keep it");
    const auto line = base::write_json(o.problem      ? json::value(problem_body(o))
                                       : o.structured ? json::value(*o.structured)
                                                      : json::value(o.content)) +
                      "\n";
    std::string_view rest{line};
    while (!rest.empty()) {
        const auto n = ::write(*out, rest.data(), rest.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return complain_of_output(errno, o.problem ? exit_code(*o.problem) : 0);
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
    return o.problem ? exit_code(*o.problem) : 0;
}

}  // namespace gdalmcp::app
