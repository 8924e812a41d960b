#include "app/server/tokens.hpp"

#include <sys/random.h>
#include <sys/stat.h>

#include <set>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/schema.hpp"
#include "base/text.hpp"
#include "base/yaml.hpp"

namespace gdalmcp::app {

namespace json = base::json;
namespace fs = std::filesystem;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

const base::schema& shape() {
    static const auto compiled = base::schema::constant(R"({
        "type": "object", "additionalProperties": false, "required": ["tokens"],
        "properties": {"tokens": {"type": "array", "items": {
            "type": "object", "additionalProperties": false, "required": ["name", "sha256", "workspaces"],
            "properties": {
                "name": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"},
                "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                "workspaces": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
                "metrics": {"type": "boolean"}}}}}})");
    return compiled;
}

result<void> check_mode(const fs::path& file) {
    struct stat s {};
    if (::stat(file.c_str(), &s) == 0 && (s.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return fail(code::denied, file.string() + " is writable by other users, who could add a token",
                    "revoke that right: chmod go-w " + file.string());
    return {};
}

result<std::vector<token>> parse(const fs::path& file, const std::string& text) {
    const auto complain = [&](std::size_t line, const std::string& what) {
        return fail(code::invalid_argument,
                    file.string() + (line ? ":" + std::to_string(line) : std::string{}) + ": " + what,
                    "see docs/http.md for the format; 'gdal-mcp token NAME' adds one");
    };
    const auto document = base::parse_yaml_document(text);
    if (!document) return complain(0, document.error().message);
    const auto line_of = [&](const std::string& at) {
        const auto found = document->lines.find(at);
        return found == document->lines.end() ? 0 : found->second;
    };
    if (const auto ok = shape().check(document->value, "the file"); !ok)
        return complain(line_of(ok.error().at), ok.error().message);
    std::vector<token> all;
    std::set<std::string> names, digests;
    for (const auto& t : document->value.at("tokens").get_array()) {
        token one{std::string{base::string_member(t, "name")}, std::string{base::string_member(t, "sha256")},
                  json::value_to<std::vector<std::string>>(t.at("workspaces")), base::bool_member(t, "metrics")};
        const auto line = line_of("/tokens/" + std::to_string(all.size()) + "/name");
        if (!names.insert(one.name).second) return complain(line, "the name '" + one.name + "' is given twice");
        if (!digests.insert(one.sha256).second)
            return complain(line, "'" + one.name + "' has the same token as another name");
        all.push_back(std::move(one));
    }
    return all;
}

std::string entry_of(const token& t) {
    std::string out = "  - name: " + t.name + "\n    sha256: \"" + t.sha256 + "\"\n    workspaces:";
    for (const auto& w : t.workspaces) out += "\n      - " + base::write_json(json::value(w));
    return out + (t.metrics ? "\n    metrics: true\n" : "\n");
}

}  // namespace

result<std::vector<token>> read_tokens(const fs::path& file) {
    if (auto ok = check_mode(file); !ok) return tl::unexpected{ok.error()};
    const auto text = base::read_file(file, 1u << 20);
    if (!text) return tl::unexpected{text.error()};
    return parse(file, *text);
}

const token* find_token(const std::vector<token>& all, std::string_view secret) {
    const auto digest = base::sha256_hex(secret);
    const token* found = nullptr;
    for (const auto& t : all)
        if (base::equal_in_constant_time(t.sha256, digest)) found = &t;
    return found;
}

result<std::string> add_token(const fs::path& file, const std::string& name, const std::vector<std::string>& workspaces,
                              bool metrics) {
    std::string text = "tokens:\n";
    std::error_code ec;
    if (fs::exists(file, ec)) {
        auto before = read_tokens(file);
        if (!before) return tl::unexpected{before.error()};
        text = *base::read_file(file, 1u << 20);
        if (!text.empty() && text.back() != '\n') text += '\n';
    }
    std::string secret(32, '\0');
    if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()))
        return fail(code::io, "the kernel returned no random bytes");
    secret = base::base64url(secret);
    std::vector<std::string> absolute;
    for (const auto& w : workspaces) absolute.push_back(fs::absolute(w, ec).lexically_normal().string());
    text += entry_of({name, base::sha256_hex(secret), absolute, metrics});
    if (auto all = parse(file, text); !all)
        return fail(code::invalid_argument, "adding '" + name + "' would make it invalid: " + all.error().message,
                    all.error().hint);
    if (auto ok = base::write_file_atomically(file, text); !ok) return tl::unexpected{ok.error()};
    return secret;
}

}  // namespace gdalmcp::app
