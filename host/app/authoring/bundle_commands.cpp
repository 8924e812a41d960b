#include "app/authoring/bundle_commands.hpp"

#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "app/authoring/bundle_check.hpp"
#include "app/call/installation.hpp"
#include "app/complain.hpp"
#include "base/file.hpp"
#include "catalog/manifest.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;

namespace {

// Reads one line without echo.
std::string read_password() {
    termios shown{};
    const bool terminal = ::isatty(STDIN_FILENO) && ::tcgetattr(STDIN_FILENO, &shown) == 0;
    if (terminal) {
        auto hidden = shown;
        hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        std::fputs("Password of the secret key: ", stderr);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    }
    std::string line;
    std::getline(std::cin, line);
    if (terminal) {
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
        std::fputs("\n", stderr);
    }
    return line;
}

// From the author's side: assumes that the operator grants and enables everything the bundle needs.
base::result<catalog::manifest> read_own(const fs::path& folder, catalog::trust t) {
    if (auto bytes = base::read_file(folder / "manifest.json"))
        if (auto text = base::parse_json(*bytes)) t.network.insert(std::string{base::string_member(*text, "id")});
    auto m = catalog::read_manifest(folder, {std::move(t), {}, {"all"}});
    if (!m) return base::fail(base::code::quarantined, folder.string() + ": " + m.error().reason);
    if (auto ok = catalog::verify(*m->bundle); !ok) return tl::unexpected{ok.error()};
    return std::move(*m);
}

}  // namespace

int make_bundle(const project_choices& choices) {
    const auto parts = find_installation();
    if (!parts) return complain(parts.error(), exit_failed);
    const auto written = write_project(parts->bundle_template, choices, choices.name);
    if (!written) return complain(written.error(), exit_failed);
    for (const auto& file : *written) std::printf("%s/%s\n", choices.name.c_str(), file.c_str());
    std::printf("next: cd %s, then run the commands in README.md\n", choices.name.c_str());
    return 0;
}

int run_bundle_check(const fs::path& bundle, const configuration& c, const check_settings& s, bool as_json,
                     bool strict) {
    const auto parts = find_installation();
    if (!parts) return complain(parts.error(), exit_failed);
    const auto report = check_bundle(bundle, c, *parts, s);
    if (!report) return complain(report.error(), exit_failed);
    std::printf("%s",
                as_json ? (base::write_json(json::value(report->text())) + "\n").c_str() : readable(*report).c_str());
    return report->exit_code(strict);
}

int sign_bundle(const fs::path& bundle, const fs::path& secret_key, std::string comment) {
    const auto own = read_own(bundle, {});
    if (!own) return complain(own.error(), exit_failed);
    const auto manifest = base::read_file(bundle / "manifest.json"), key = base::read_file(secret_key);
    if (!manifest) return complain(manifest.error(), exit_failed);
    if (!key) return complain(key.error(), exit_failed);
    if (comment.empty()) comment = own->bundle->id + " " + own->bundle->version;
    const auto encrypted = catalog::minisign::is_encrypted(*key);
    if (!encrypted) return complain(encrypted.error(), exit_failed);
    const auto signature = catalog::minisign::sign(*manifest, *key, *encrypted ? read_password() : "", comment);
    if (!signature) return complain(signature.error(), exit_failed);
    if (auto ok = base::write_file_atomically(bundle / "manifest.json.minisig", *signature); !ok)
        return complain(ok.error(), exit_failed);
    std::printf("%s: signed, \"%s\"\n", (bundle / "manifest.json.minisig").c_str(), comment.c_str());
    return 0;
}

int verify_bundle(const fs::path& bundle, const configuration& c) {
    catalog::trust t;
    if (!c.trust_keys.empty()) {
        auto keys = catalog::read_keys(c.trust_keys);
        if (!keys) return complain(keys.error(), exit_failed);
        t.keys = std::move(*keys);
        t.level = catalog::trust_level::signed_manifest;
    }
    const auto own = read_own(bundle, std::move(t));
    if (!own) return complain(own.error(), exit_failed);
    const auto& b = *own->bundle;
    std::printf("%s %s: %zu files match the manifest%s\n", b.id.c_str(), b.version.c_str(), b.files.size(),
                b.signed_by.empty() ? "" : (", signed by '" + b.signed_by + "'").c_str());
    return 0;
}

}  // namespace gdalmcp::app
