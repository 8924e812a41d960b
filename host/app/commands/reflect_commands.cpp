#include "app/commands/reflect_commands.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "app/authoring/spec_commands.hpp"
#include "app/commands/reason_listing.hpp"
#include "app/commands/reason_upkeep.hpp"
#include "app/complain.hpp"
#include "reflection/answer.hpp"

namespace gdalmcp::app {

namespace {

// An action on the state a server would load.
template <class Do>
auto with_host(Do act) {
    return [act](const configuration& c) {
        const auto h = host::open(c);
        return h ? act(**h) : complain(h.error(), 2);
    };
}

int print_schema(const configuration&) {
    std::printf("%s\n", base::write_json(reflection::justification_schema()).c_str());
    return 0;
}

int verify_audit(host& h) {
    const auto& file = h.history().file();
    const auto chain = file.verify();
    if (!chain) return complain(chain.error(), 3);
    std::printf("%s: %zu line(s), unbroken; the last one has the hash %s\n", file.file().c_str(), chain->lines,
                chain->last.c_str());
    return 0;
}

}  // namespace

struct reflect_commands::options {
    bool as_json = false, force = false, dry_run = false;
    std::string domain, name;
    std::string arguments = "{}";
    std::vector<std::string> names;
    std::filesystem::path file, folder;
    prune_choices prune;
    export_choices exchange;
};

reflect_commands::reflect_commands(CLI::App& program) : given_{std::make_unique<options>()} {
    auto* reflect = program.add_subcommand("reflect", "Manage the stored reasons");
    add_looking(reflect);
    add_upkeep(reflect);
    add_exchange(reflect);
    add_authoring(reflect);
    add(reflect, "schema", "Print the JSON Schema of a justification", print_schema);
    auto* audit = program.add_subcommand("audit", "Check the audit log of calls");
    add(audit, "verify", "Check that no line of the audit log was changed or removed", with_host(verify_audit));
    for (auto* group : {reflect, audit}) {
        group->require_subcommand(1);
        group->fallthrough();
    }
}

reflect_commands::~reflect_commands() = default;

CLI::App* reflect_commands::add(CLI::App* to, const char* name, const char* description, action run) {
    auto* command = to->add_subcommand(name, description);
    command->fallthrough();
    commands_.emplace_back(command, std::move(run));
    return command;
}

void reflect_commands::add_looking(CLI::App* reflect) {
    auto& o = *given_;
    auto* list = add(reflect, "list", "List the stored reasons",
                     with_host([&o](host& h) { return list_reasons(h, o.domain, o.as_json); }));
    list->add_option("--domain", o.domain, "Only of this domain")->type_name("NAME");
    auto* show =
        add(reflect, "show", "Show one reason", with_host([&o](host& h) { return show_reason(h, o.name, o.as_json); }));
    show->add_option("KEY", o.name, "Its key, the first digits of the key, or justification://…")->required();
    auto* stats = add(reflect, "stats", "Count reasons and the decisions made with them",
                      with_host([&o](host& h) { return print_statistics(h, o.as_json); }));
    for (auto* command : {list, show, stats}) command->add_flag("--json", o.as_json, "Print JSON");
}

void reflect_commands::add_upkeep(CLI::App* reflect) {
    auto& o = *given_;
    auto* prune = add(reflect, "prune", "Erase the reasons that match every criterion given",
                      with_host([&o](host& h) { return prune_reasons(h, o.prune); }));
    prune->add_option("--older-than", o.prune.older_than_days, "Last stored or confirmed more than DAYS days ago")
        ->check(CLI::Range(0.0, 36500.0))
        ->type_name("DAYS");
    prune->add_option("--domain", o.prune.domain, "Of this domain")->type_name("NAME");
    prune->add_flag("--stale", o.prune.stale, "Given for a wording of the question no longer in use");
    prune->add_flag("--dry-run", o.prune.dry_run, "Only print what would be erased");
    auto* revoke = add(reflect, "revoke", "Withdraw reasons; they are archived and no longer used",
                       with_host([&o](host& h) { return revoke_reasons(h, o.names); }));
    revoke->add_option("KEY", o.names, "Keys, the first digits of keys, or justification://…")->required();
}

void reflect_commands::add_exchange(CLI::App* reflect) {
    auto& o = *given_;
    auto* out = add(reflect, "export", "Print the reasons, or the provenance of outputs",
                    with_host([&o](host& h) { return export_reasons(h, o.exchange); }));
    out->add_option("--format", o.exchange.format,
                    "json: the records; capsule: portable reasons; markdown: a methods section")
        ->check(CLI::IsMember({"json", "capsule", "markdown"}))
        ->required();
    out->add_option("--domain", o.exchange.domain, "Only of this domain")->type_name("NAME");
    out->add_option("--output", o.exchange.output, "Write to this file instead of stdout")->type_name("FILE");
    out->add_flag("--overwrite", o.exchange.overwrite, "The file of --output may exist");
    out->add_option("FILE", o.exchange.files, "Outputs to document; with --format markdown");
    auto* in = add(reflect, "import", "Import reasons exported elsewhere, checked like new answers",
                   with_host([&o](host& h) { return import_reasons(h, o.file, o.dry_run, o.force); }));
    in->add_option("FILE", o.file, "Records or capsules as JSON")->required();
    in->add_flag("--dry-run", o.dry_run, "Only print what would be imported");
    in->add_flag("--force", o.force, "Replace reasons that are newer here");
}

void reflect_commands::add_authoring(CLI::App* reflect) {
    auto& o = *given_;
    auto* explain = add(reflect, "explain", "Explain what a call would be asked, and why; runs and stores nothing",
                        with_host([&o](host& h) { return explain_call(h, o.name, o.arguments, o.as_json); }));
    explain->add_option("TOOL", o.name, "Name of the tool")->required();
    explain->add_option("ARGS,--json", o.arguments, "Its arguments as a JSON object")->type_name("JSON");
    explain->add_flag("--raw", o.as_json, "Print the JSON of preflight");
    auto* key = add(reflect, "key", "Print how the keys of a call are computed, with the text that is hashed",
                    with_host([&o](host& h) { return print_keys(h, o.name, o.arguments, o.as_json); }));
    key->add_option("TOOL", o.name, "Name of the tool")->required();
    key->add_option("ARGS,--json", o.arguments, "Its arguments as a JSON object")->type_name("JSON");
    key->add_flag("--raw", o.as_json, "Print JSON");
    auto* validate = add(reflect, "validate-specs", "Check specs and prompts, each message with file, line and field",
                         [&o](const configuration& c) { return validate_specs(c, o.folder); });
    validate->add_option(
        "DIR", o.folder,
        "Folder with reflection-specs/ or reflection/, and prompts/; default: what a server would use");
}

bool reflect_commands::given() const {
    return std::any_of(commands_.begin(), commands_.end(), [](const auto& c) { return c.first->parsed(); });
}

int reflect_commands::run(const configuration& c) const {
    return std::find_if(commands_.begin(), commands_.end(), [](const auto& one) { return one.first->parsed(); })
        ->second(c);
}

}  // namespace gdalmcp::app
