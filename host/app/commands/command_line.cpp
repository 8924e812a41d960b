#include "app/commands/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "app/authoring/bundle_commands.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/reflect_commands.hpp"
#include "app/commands/replay.hpp"
#include "app/complain.hpp"
#include "app/server/serve.hpp"
#include "app/server/serve_http.hpp"
#include "base/log.hpp"
#include "base/near_names.hpp"

namespace gdalmcp::app {

namespace {

// Empty: the value is valid. CLI11 skips empty elements, and would take the flags that follow for the value.
std::string why_no_list(const std::string& value) {
    const bool gap = value.empty() || value.front() == ',' || value.back() == ',' || value.find(",,") < value.size();
    return gap ? "'" + value + "' has an empty element" : "";
}

std::string why_no_value(const std::string& value) { return value.empty() ? "the value is empty" : ""; }

void add_settings(CLI::App& app, configuration& c) {
    app.add_option("--workspace", c.workspaces,
                   "A folder that tools may use, DIR[:ro|:rw]; repeat for more. Default: the current folder")
        ->check(why_no_value)
        ->type_name("DIR[:ro|:rw]");
    app.add_option("--bundles", c.bundles,
                   "A folder with *.bundle folders, searched before the usual places; repeat for more")
        ->check(why_no_value)
        ->type_name("DIR");
    app.add_option("--justifications", c.justifications,
                   "A team's read-only library of reasons, searched after the workspace's own; repeat for more")
        ->check(why_no_value)
        ->type_name("DIR");
    app.add_option("--toolsets", c.toolsets, "Toolsets to offer, NAME[,NAME]… or all. Default: those on by default")
        ->check(why_no_list)
        ->type_name("NAME");
    app.add_option("--trust", c.trust,
                   "Bundles to use: any (also a bare library), hashed (a manifest with the hash of every file), signed "
                   "(by a key of --trust-keys)")
        ->check(CLI::IsMember({"any", "hashed", "signed"}))
        ->envname("GDAL_MCP_TRUST");
    app.add_option("--trust-keys", c.trust_keys,
                   "File of the keys that may sign bundles: lines NAME KEY, as minisign -G prints it")
        ->type_name("FILE")
        ->envname("GDAL_MCP_TRUST_KEYS");
    app.add_option("--allow-network", c.allow_network,
                   "Let the tools of this bundle use the network; repeat for more. They can send your data anywhere")
        ->check(why_no_value)
        ->type_name("ID");
    app.add_option("--policy", c.policy,
                   "Policy file: the action when a reason is missing, old, weak or given for other data, by domain and "
                   "workspace")
        ->type_name("FILE")
        ->envname("GDAL_MCP_POLICY");
    app.add_option("--http", c.http, "Serve MCP over HTTP at this address, at /mcp, instead of stdin and stdout")
        ->type_name("ADDR:PORT")
        ->envname("GDAL_MCP_HTTP");
    app.add_option("--tokens", c.tokens, "File of the HTTP access tokens, each with its workspaces")
        ->type_name("FILE")
        ->envname("GDAL_MCP_TOKENS");
    app.add_option("--allow-host", c.allow_host,
                   "A host name the HTTP server accepts besides its address and localhost; repeat for more")
        ->check(why_no_value)
        ->type_name("NAME");
    app.add_option("--prompts", c.prompts,
                   "Folder of prompts that replace the program's prompts of the same names or add roles; outside every "
                   "workspace")
        ->type_name("DIR")
        ->envname("GDAL_MCP_PROMPTS");
    app.add_option("--state-dir", c.state_dir,
                   "Folder for state that belongs to no workspace. Default: $XDG_STATE_HOME/gdal-mcp")
        ->type_name("DIR")
        ->envname("GDAL_MCP_STATE_DIR");
    app.add_option("--scratch", c.scratch,
                   "Disk folder for temporary files and large managed results. Default: $TMPDIR or /tmp")
        ->type_name("DIR")
        ->envname("GDAL_MCP_SCRATCH");
    app.add_option("--confirm", c.confirm, "When to ask a person before a call; only 'never' is supported")
        ->check(CLI::IsMember({"never"}))
        ->envname("GDAL_MCP_CONFIRM");
    app.add_option("--log-level", c.log_level, "error, warning, info or debug; the log goes to stderr")
        ->check(CLI::IsMember({"error", "warning", "info", "debug"}))
        ->envname("GDAL_MCP_LOG_LEVEL");
    app.add_option("--timeout", c.timeout_s, "Wall time of one call, in s")
        ->check(CLI::Range(1, 86400))
        ->envname("GDAL_MCP_TIMEOUT");
    app.add_option("--memory", c.memory_mib,
                   "Address space of one call, in MiB. Default: the smaller of 8 GiB and half of the RAM")
        ->check(CLI::Range(256, 1 << 24))
        ->envname("GDAL_MCP_MEMORY");
    app.add_option("--file-size", c.file_size_mib, "Largest file a call may write, in MiB")
        ->check(CLI::Range(1, 1 << 24))
        ->envname("GDAL_MCP_FILE_SIZE");
    app.add_option("--cache", c.cache_mib, "GDAL's block cache in one call, in MiB")
        ->check(CLI::Range(16, 1 << 20))
        ->envname("GDAL_MCP_CACHE");
    app.add_option("--digest-limit", c.digest_limit_mib,
                   "Total input size of one call, in MiB, above which partial digests are recorded")
        ->check(CLI::Range(0, 1 << 30))
        ->envname("GDAL_MCP_DIGEST_LIMIT");
    app.add_option("--parallel", c.parallel, "Parallel calls, at least 2. Default: the number of cores")
        ->check(CLI::Range(2, 1024))
        ->envname("GDAL_MCP_PARALLEL");
    app.add_option("--threads", c.threads, "Threads of one call. Default: the number of cores")
        ->check(CLI::Range(1, 1024))
        ->envname("GDAL_MCP_THREADS");
    app.add_flag("!--no-sandbox", c.sandbox,
                 "Run tools unconfined: only where the kernel cannot confine and every bundle is trusted")
        ->envname("GDAL_MCP_NO_SANDBOX");
    app.set_config("--config", "", "Read settings from this file: lines of flag=value, without the dashes")
        ->envname("GDAL_MCP_CONFIG");
    app.allow_config_extras(CLI::config_extras_mode::error);
    // One value each time, so that what follows a list is not taken for more of it.
    for (auto* option : app.get_options()) option->allow_extra_args(false);
}

// The environment as arguments placed before the command line: the last of two values wins, and the file only fills in
// missing settings. (CLI11 by itself lets the file override the environment.)
std::vector<std::string> environment_words(CLI::App& app) {
    std::vector<std::string> words;
    for (auto* o : app.get_options()) {
        if (o->get_envname().empty()) continue;
        o->take_last();
        if (const auto value = environment_variable(o->get_envname().c_str()); !value.empty())
            words.push_back("--" + o->get_lnames().front() + "=" + value);
    }
    return words;
}

std::vector<std::string> words(const std::string& text, char separator) {
    std::vector<std::string> all;
    std::istringstream parts{text};
    for (std::string word; std::getline(parts, word, separator);)
        if (!word.empty()) all.push_back(word);
    return all;
}

// A list in the environment.
std::vector<std::string> words_of(const char* variable) { return words(environment_variable(variable), ':'); }

// "--toolsets=", after which CLI11 would take the next flag for the value.
void refuse_missing_values(const CLI::App& app, const std::vector<std::string>& given) {
    for (const auto& word : given) {
        if (!word.starts_with("--") || !word.ends_with('=')) continue;
        const auto name = word.substr(0, word.size() - 1);
        if (app.get_option_no_throw(name)) throw CLI::ValidationError{name, "the value is empty"};
    }
}

// NAME[,NAME]…, perhaps repeated.
std::vector<std::string> names_in(const std::vector<std::string>& lists) {
    std::vector<std::string> all;
    for (const auto& list : lists)
        for (auto& name : words(list, ',')) all.push_back(std::move(name));
    return all;
}

void take_environment(configuration& c) {
    if (c.workspaces.empty()) c.workspaces = workspace::roots::split(environment_variable("GDAL_MCP_WORKSPACES"));
    if (c.justifications.empty())
        for (auto& word : words_of("GDAL_MCP_JUSTIFICATIONS")) c.justifications.emplace_back(word);
    if (c.toolsets.empty()) c.toolsets = words_of("GDAL_MCP_TOOLSETS");
    if (c.allow_network.empty()) c.allow_network = words_of("GDAL_MCP_ALLOW_NETWORK");
    if (c.allow_host.empty()) c.allow_host = words_of("GDAL_MCP_ALLOW_HOST");
    if (c.state_dir.empty()) {
        const auto base = environment_variable("XDG_STATE_HOME"), home = environment_variable("HOME");
        c.state_dir = (base.empty() ? std::filesystem::path{home} / ".local" / "state" : std::filesystem::path{base}) /
                      "gdal-mcp";
    }
    const std::map<std::string, base::log_level> levels = {{"error", base::log_level::error},
                                                           {"warning", base::log_level::warning},
                                                           {"info", base::log_level::info},
                                                           {"debug", base::log_level::debug}};
    base::set_log_level(levels.at(c.log_level));
}

// Where a setting that the command line does not have was read from, as "FILE: " or "GDAL_MCP_TIMEOUT: "; and what the
// file has that is no setting.
std::string told_of_settings(const CLI::App& app, const CLI::ParseError& e, const std::vector<std::string>& given) {
    const std::string told = e.what();
    const auto* file = app.get_config_ptr();
    const auto name_of_file = file && file->count() > 0 ? file->as<std::string>() : std::string{};
    constexpr std::string_view unread = "INI was not able to parse ";
    if (told.starts_with(unread) && !name_of_file.empty()) {
        std::vector<std::string> known;
        for (const auto* o : app.get_options())
            if (o->get_configurable() && !o->get_lnames().empty()) known.push_back(o->get_lnames().front());
        const auto name = told.substr(unread.size());
        const auto near = base::nearest(known, name);
        return name_of_file + ": there is no setting '" + name + "'" +
               (near.empty() ? "" : "; did you mean " + base::joined(near) + "?");
    }
    const auto flag = told.substr(0, told.find(':'));
    const auto* option = flag.starts_with("--") ? app.get_option_no_throw(flag) : nullptr;
    const auto says_it = [&](const std::string& word) { return word == flag || word.starts_with(flag + "="); };
    if (!option || std::any_of(given.begin(), given.end(), says_it)) return told;
    const auto variable = option->get_envname();
    if (!variable.empty() && !environment_variable(variable.c_str()).empty()) return variable + ": " + told;
    return name_of_file.empty() ? told : name_of_file + ": " + told;
}

// What is wrong with the command line, and the command whose --help shows what is right.
std::pair<std::string, std::string> usage_error(const CLI::App& app, const CLI::ParseError& e,
                                                const std::vector<std::string>& given) {
    const CLI::App* at = &app;
    std::string command = "gdal-mcp";
    while (!at->get_subcommands().empty()) {
        at = at->get_subcommands().front();
        command += " " + at->get_name();
    }
    const auto below = at->get_subcommands([](const CLI::App*) { return true; });
    if (at == &app || below.empty()) return {told_of_settings(app, e, given), command};
    std::vector<std::string> names;
    for (const auto* b : below) names.push_back(b->get_name());
    const auto extra = app.remaining(true);  // fallthrough hands them to the root
    return {
        (extra.empty() ? "'" + command + "' lacks a command" : "'" + command + " " + extra.front() + "' is unknown") +
            "; known are " + base::joined(names),
        command};
}

}  // namespace

int run_command_line(int argc, char** argv) {
    configuration c;
    CLI::App app{"Geospatial tools for AI agents over the Model Context Protocol, with recorded reasons for choices.",
                 "gdal-mcp"};
    app.fallthrough();
    app.require_subcommand(0, 1);
    add_settings(app, c);
    bool print_config = false, version_wanted = false;
    app.add_flag("--version", version_wanted, "Print the version and exit")->configurable(false);
    app.add_flag("--print-config", print_config, "Print the settings in effect as JSON and exit")->configurable(false);

    auto* serve = app.add_subcommand("serve", "Serve MCP over stdin and stdout (the default)");
    auto* call = app.add_subcommand("call", "Call one tool and print its result as one line of JSON");
    std::string tool, arguments = "{}";
    call->add_option("TOOL", tool, "Name of the tool")->required();
    call->add_option("--json", arguments, "Arguments as a JSON object")->type_name("JSON");
    auto* tools = app.add_subcommand("tools", "List the tools");
    bool as_json = false;
    tools->add_flag("--json", as_json, "Print the definitions as clients receive them");
    auto* bundles = app.add_subcommand("bundles", "List bundles, including quarantined ones with the reason");
    bool verify = false;
    bundles->add_flag("--verify", verify, "Hash every file and compare it with the manifests");
    bool bundles_as_json = false;
    std::string bundle_id;
    bundles->add_option("ID", bundle_id, "Show one bundle with its tools, domains and files");
    bundles->add_flag("--json", bundles_as_json, "Print JSON");
    auto* bundle = app.add_subcommand("bundle", "Create, check, sign and verify a bundle");
    bundle->require_subcommand(1);
    auto* make = bundle->add_subcommand("new", "Create a project with one tool, ready to build");
    project_choices project;
    bool in_cpp = true;
    make->add_option("NAME", project.name, "Its folder and name: lower-case letters, digits, -")->required();
    auto* in_c = make->add_flag("--c", project.c, "The tool is written in C");
    make->add_flag("--cpp", in_cpp, "The tool is written in C++ (the default)")->excludes(in_c);
    make->add_flag("--with-gdal", project.gdal, "The tool uses GDAL");
    std::filesystem::path subject, secret_key;
    check_settings trials;
    bool report_as_json = false, strict = false;
    std::string comment;
    auto* check = bundle->add_subcommand("check", "Run the host's lint and contract suite on a bundle");
    check->add_option("BUNDLE", subject, "Folder of the bundle, or a bare library")->required();
    check->add_flag("--json", report_as_json, "Print JSON");
    check->add_flag("--strict", strict, "Fail on warnings");
    check->add_option("--samples", trials.samples, "Folder with datasets of your own; the tools get copies")
        ->type_name("DIR")
        ->check(CLI::ExistingDirectory);
    check->add_option("--keep-samples", trials.kept, "New folder that keeps the datasets of the calls")
        ->type_name("DIR");
    auto* sign = bundle->add_subcommand("sign", "Sign a bundle's manifest with a minisign key");
    sign->add_option("BUNDLE", subject, "Folder of the bundle")->required();
    sign->add_option("--key", secret_key, "Secret key file, as minisign -G makes it")->required()->type_name("FILE");
    sign->add_option("--comment", comment, "Comment covered by the signature; default: id and version")
        ->type_name("TEXT");
    auto* verify_one = bundle->add_subcommand("verify", "Hash every file; with --trust-keys, check the signature");
    verify_one->add_option("BUNDLE", subject, "Folder of the bundle")->required();
    for (auto* command : {make, check, sign, verify_one}) command->fallthrough();
    const reflect_commands reflect{app};
    auto* again = app.add_subcommand("replay", "Make an output again from its provenance, and compare");
    replay_choices replayed;
    again->add_option("FILE", replayed.file, "An output of this program, or the .provenance.json beside it")
        ->required();
    again->add_flag("--plan", replayed.plan, "Print the steps and what has changed since; run nothing");
    again->add_option("--into", replayed.into, "New or empty folder for the outputs. Default: FILE.replay")
        ->type_name("DIR");
    again->add_flag("--json", replayed.as_json, "Print JSON");
    auto* token = app.add_subcommand("token", "Add a token for the folders of --workspace to the file of --tokens");
    std::string token_name;
    bool token_metrics = false;
    token->add_option("NAME", token_name, "Name of its holder: letters, digits, '.', '-', '_'")->required();
    token->add_flag("--metrics", token_metrics, "Let it read /metrics");
    auto* doctor = app.add_subcommand("doctor", "Check the installation, the settings and the sandbox");
    auto* demo = app.add_subcommand("demo", "Run a real session, step by step");
    std::string data = ".";
    demo->add_option("--data", data, "Folder with L7_ETMs.tif, olinda1.shp and nc.gpkg; outputs go there")
        ->type_name("DIR");
    auto* version_command = app.add_subcommand("version", "Print the version");
    for (auto* command : {serve, call, tools, bundles, bundle, again, token, doctor, demo, version_command})
        command->fallthrough();

    try {
        auto words = environment_words(app);
        words.insert(words.end(), argv + 1, argv + argc);
        refuse_missing_values(app, words);
        std::reverse(words.begin(), words.end());  // CLI11 expects them reversed
        app.parse(std::move(words));
        c.toolsets = names_in(c.toolsets);
    } catch (const CLI::CallForHelp& e) {
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        const auto [what, help] = usage_error(app, e, {argv + 1, argv + argc});
        std::fprintf(stderr, "gdal-mcp: %s\n  run '%s --help' for usage\n", what.c_str(), help.c_str());
        return exit_usage;
    }
    take_environment(c);
    if (print_config) {
        std::printf("%s\n", base::write_json(json::value(c.text())).c_str());
        return 0;
    }
    if (*version_command || version_wanted) return print_version();
    if (*demo) return run_demo(data);
    if (*doctor) return run_doctor(c);
    if (reflect.given()) return reflect.run(c);
    if (*make) return make_bundle(project);
    if (*check) return run_bundle_check(subject, c, trials, report_as_json, strict);
    if (*sign) return sign_bundle(subject, secret_key, comment);
    if (*verify_one) return verify_bundle(subject, c);

    if (*again) return replay(c, replayed);
    if (*token) return make_token(c, token_name, token_metrics);
    if (!c.http.empty() && !*call && !*tools && !*bundles) return serve_http(c);

    auto h = host::open(c);
    if (!h) return complain(h.error(), exit_usage);
    if (*tools) return list_tools(**h, as_json);
    if (*bundles) return bundle_id.empty() ? list_bundles(**h, verify, bundles_as_json) : show_bundle(**h, bundle_id);
    if (!*call) return serve_stdio(**h);
    auto parsed = base::parse_json(arguments);
    if (!parsed)
        return complain({parsed.error().code, "--json: " + parsed.error().message,
                         "quote it for the shell: --json '{\"uri\":\"a.tif\"}'", ""},
                        exit_usage);
    if (!parsed->is_object())
        return complain(
            {base::code::invalid_argument, "--json must be a JSON object with the tool's arguments", "", ""},
            exit_usage);
    return call_tool(**h, tool, std::move(parsed->get_object()));
}

}  // namespace gdalmcp::app
