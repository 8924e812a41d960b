#include "catalog/manifest.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/file_owner.hpp"
#include "base/hidden_characters.hpp"
#include "base/pointer.hpp"
#include "catalog/lint.hpp"

namespace gdalmcp::catalog {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_document = 1u << 20;
constexpr std::size_t max_id = 200;  // as the shape below has it
constexpr int abi_major = 1;         // of sdk/include/gdalmcp/abi.h

// The shape of manifest.json; unknown members are left for later versions.
constexpr const char* manifest_shape = R"({
"type": "object", "required": ["schema_version", "id", "version", "license", "tools", "files"],
"properties": {
  "schema_version": {"const": 1, "description": "describe the bundle with the gdal-mcp-describe of this host's version"},
  "id": {"type": "string", "maxLength": 200, "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]*(\\.[A-Za-z0-9][A-Za-z0-9_-]*)+$",
    "description": "write it in reverse DNS, like org.example.metres"},
  "version": {"type": "string", "maxLength": 200, "pattern": "^[0-9]+(\\.[0-9]+)*([-+~a-z][A-Za-z0-9.+~-]*)?$",
    "description": "begin with numbers, like 1.4.0 or 2.0.1-rc.1"},
  "license": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[^\\n\\t]*$",
    "description": "write an SPDX expression, like MIT or CC-BY-4.0"},
  "abi": {"type": "object", "required": ["major", "minor"],
    "properties": {"major": {"type": "integer"}, "minor": {"type": "integer", "minimum": 0}}},
  "library": {"type": "string", "minLength": 1},
  "tools": {"type": "array", "items": {"type": "object", "required": ["name", "description", "input_schema"],
    "properties": {
      "name": {"type": "string"}, "description": {"type": "string"},
      "title": {"type": "string", "maxLength": 200, "pattern": "^[^\\n\\t]*$"},
      "input_schema": {"type": "object"}, "output_schema": {"type": "object"},
      "annotations": {"type": "object", "properties": {
        "readOnlyHint": {"type": "boolean"}, "destructiveHint": {"type": "boolean"},
        "idempotentHint": {"type": "boolean"}, "openWorldHint": {"type": "boolean"}}}}}},
  "needs": {"type": "object", "properties": {
    "runtime": {"type": "string", "enum": ["gdal", "plain"]}, "libgdal": {"type": "string"},
    "network": {"type": "boolean"}}},
  "toolset": {"type": "object", "required": ["name"], "properties": {
    "name": {"type": "string", "pattern": "^[a-z][a-z0-9-]{0,63}$",
      "description": "use lower-case letters, digits and '-'"}, "default": {"type": "boolean"},
    "purpose": {"type": "string", "maxLength": 120, "pattern": "^[^\\n\\t]*$"}}},
  "prompts": {"type": "array", "items": {"type": "string"}},
  "reflection": {"type": "array", "items": {"type": "string"}},
  "methodology": {"type": "array", "items": {"type": "string"}},
  "prompt_files": {"type": "array", "items": {"type": "string"}},
  "resources": {"type": "array", "maxItems": 200, "items": {"type": "object",
    "required": ["name", "description", "mime_type", "file"],
    "properties": {
      "uri": {"type": "string"}, "uri_template": {"type": "string"}, "file": {"type": "string"},
      "name": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[^\\n\\t]*$"},
      "title": {"type": "string", "maxLength": 200, "pattern": "^[^\\n\\t]*$"},
      "description": {"type": "string", "minLength": 1, "maxLength": 1000},
      "mime_type": {"type": "string", "pattern": "^[a-z]+/[A-Za-z0-9.+-]+(; *charset=[A-Za-z0-9-]+)?$"}}}},
  "icon": {"type": "string"},
  "files": {"type": "object", "additionalProperties": {"type": "string"}}}})";

// Who may own a bundle's files. Bundles installed with the program are trusted like the program: in a user namespace
// the system's files may seem to belong to nobody. A bundle being built has the owner and modes of a build folder,
// which differ from those of its installation.
enum class keeper { operators, program, author };

// installed: the folder of the bundles installed with the program.
keeper keeper_of(const fs::path& folder, const fs::path& installed) {
    const bool came_along = !installed.empty() && (folder == installed || folder.parent_path() == installed);
    return came_along ? keeper::program : keeper::operators;
}

base::result<void> not_writable_by_others(const fs::path& p, const struct stat& s, keeper of) {
    if (of == keeper::author) return {};
    return base::check_not_writable_by_others(p, s, base::code::quarantined, of == keeper::program);
}

// A search directory others may write to lets them replace a whole bundle, unless its sticky bit is set.
base::result<void> in_safe_directory(const fs::path& folder, keeper of) {
    struct stat s {};
    if (::stat(folder.parent_path().c_str(), &s) != 0)
        return base::fail(base::code::quarantined, folder.parent_path().string() + ": " + std::strerror(errno));
    if ((s.st_mode & S_ISVTX) != 0) return {};
    return not_writable_by_others(folder.parent_path(), s, of);
}

// `name` as the manifest spells it, inside `folder`: every folder on the way real and safe, the end a regular file.
base::result<fs::path> file_in(const fs::path& folder, const std::string& name, keeper of) {
    const fs::path relative{name};
    const auto refuse = [&](const std::string& why) {
        return base::fail(base::code::quarantined, "'" + name + "' " + why,
                          "list files of the bundle by relative path");
    };
    if (name == "manifest.json" && !fs::exists(folder / name))
        return base::fail(base::code::quarantined, folder.string() + " has no manifest.json",
                          "run gdal-mcp-describe on it");
    if (name.empty() || relative.is_absolute()) return refuse("is not a path inside the bundle");
    fs::path here = folder;
    struct stat s {};
    for (const auto& part : relative) {
        if (part == ".." || part == "." || part.empty()) return refuse("is not a plain path inside the bundle");
        here /= part;
        if (::lstat(here.c_str(), &s) != 0) return refuse(std::string{"cannot be used: "} + std::strerror(errno));
        if (S_ISLNK(s.st_mode)) return refuse("is or passes through a symbolic link");
        if (auto safe = not_writable_by_others(here, s, of); !safe) return tl::unexpected{std::move(safe.error())};
    }
    if (!S_ISREG(s.st_mode)) return refuse("is not a regular file");
    return here;
}

class reader {
public:
    // Files are read from `folder`; `whole` is the part of the bundle a call may read.
    reader(fs::path folder, const fs::path& whole, keeper of, const json::value& text, const admission& a,
           std::string key)
        : folder_{std::move(folder)}, keeper_{of}, text_{text}, admission_{a} {
        bundle_.folder = whole;
        bundle_.signed_by = std::move(key);
    }

    base::result<manifest> read() {
        return identity()
            .and_then([&] { return files(); })
            .and_then([&] { return library(); })
            .and_then([&] { return documents("prompts", bundle_.prompts); })
            .and_then([&] { return documents("reflection", bundle_.reflection); })
            .and_then([&] { return documents("methodology", bundle_.methodology); })
            .and_then([&] { return documents("prompt_files", bundle_.prompt_files); })
            .and_then([&] { return read_icon(); })
            .and_then([&] { return resources(); })
            .and_then([&] { return tools(); });
    }

private:
    base::result<void> identity() {
        bundle_.id = base::string_member(text_, "id");
        bundle_.version = base::string_member(text_, "version");
        bundle_.license = base::string_member(text_, "license");
        bundle_.toolset = bundle_.id.substr(bundle_.id.rfind('.') + 1);
        if (const auto* t = base::find_member(text_, "toolset")) {
            bundle_.toolset = base::string_member(*t, "name");
            bundle_.enabled = bundle_.by_default = base::bool_member(*t, "default", true);
            bundle_.purpose = base::string_member(*t, "purpose");
        }
        if (const auto& on = admission_.toolsets; !on.empty())
            bundle_.enabled = bundle_.allowed = std::any_of(
                on.begin(), on.end(), [&](const std::string& t) { return t == "all" || t == bundle_.toolset; });
        const auto* needs = base::find_member(text_, "needs");
        return needs ? wishes(*needs) : base::result<void>{};
    }

    base::result<void> wishes(const json::value& needs) {
        bundle_.network = base::bool_member(needs, "network");
        if (bundle_.network && !admission_.trust.network.count(bundle_.id))
            return base::fail(base::code::quarantined,
                              "/needs/network is true, and the operator has not granted it the network",
                              "start with --allow-network " + bundle_.id + " if its tools may send your data out");
        if (base::string_member(needs, "runtime") == "plain") bundle_.needs = runtime::plain;
        const std::string wanted{base::string_member(needs, "libgdal")};
        if (bundle_.needs == runtime::gdal && !wanted.empty() && !admission_.libgdal.empty() &&
            wanted != admission_.libgdal)
            return base::fail(base::code::quarantined,
                              "its library is linked to " + wanted + "; the worker of this host runs with " +
                                  admission_.libgdal + ", and two of them in one process corrupt each other",
                              "rebuild the bundle on this machine");
        return {};
    }

    base::result<void> files() {
        for (const auto& m : text_.at("files").as_object()) {
            const std::string_view digest = m.value().as_string();
            const auto hex = digest.substr(std::min<std::size_t>(7, digest.size()));
            if (digest.substr(0, 7) != "sha256:" || hex.size() != 64 ||
                hex.find_first_not_of("0123456789abcdef") != std::string_view::npos)
                return base::fail(base::code::quarantined, "/files/" + base::escape_token(m.key()) + " is '" +
                                                               std::string{digest} +
                                                               "'; it must be sha256:<64 hex digits>");
            if (auto sound = file_in(folder_, std::string{m.key()}, keeper_); !sound)
                return tl::unexpected{sound.error()};
            bundle_.files.emplace(m.key(), hex);
        }
        return {};
    }

    base::result<std::string> digest_of(const std::string& name) const {
        const auto found = bundle_.files.find(name);
        if (found == bundle_.files.end())
            return base::fail(base::code::quarantined, "'" + name + "' is not listed in /files with its SHA-256",
                              "run gdal-mcp-describe on the bundle again");
        return found->second;
    }

    static tl::unexpected<base::problem> differs(const std::string& name, const std::string& actual,
                                                 const std::string& expected) {
        return base::fail(base::code::quarantined,
                          "'" + name + "' has SHA-256 " + actual + "; the manifest lists " + expected,
                          "run gdal-mcp-describe on the bundle again if you changed the file; else install it again");
    }

    base::result<void> library() {
        const std::string name{base::string_member(text_, "library")};
        const auto* abi = base::find_member(text_, "abi");
        if (name.empty()) {
            if (!text_.at("tools").as_array().empty())
                return base::fail(base::code::quarantined, "/tools is not empty, but there is no /library to run them");
            return {};
        }
        if (!abi)
            return base::fail(base::code::quarantined, "/abi is missing; a bundle with a library must declare it");
        if (const auto major = abi->at("major").to_number<std::int64_t>(); major != abi_major)
            return base::fail(
                base::code::quarantined,
                "/abi/major is " + std::to_string(major) + "; this host implements " + std::to_string(abi_major),
                "use a build of the bundle for ABI " + std::to_string(abi_major));
        auto digest = digest_of(name);
        if (!digest) return tl::unexpected{std::move(digest.error())};
        auto path = file_in(folder_, name, keeper_);
        if (!path) return tl::unexpected{std::move(path.error())};
        bundle_.library = catalog::library{std::move(*path), std::move(*digest)};
        if (!admission_.doubted.count(bundle_.library->path)) return {};
        auto actual = base::sha256_hex_of_file(bundle_.library->path);
        if (!actual) return tl::unexpected{std::move(actual.error())};
        return *actual == bundle_.library->sha256 ? base::result<void>{}
                                                  : differs(name, *actual, bundle_.library->sha256);
    }

    // The bytes that are hashed are the bytes that are kept.
    base::result<void> documents(const char* member, std::vector<document>& kept) {
        const auto* names = base::find_member(text_, member);
        if (!names) return {};
        for (const auto& n : names->as_array()) {
            auto d = document_of(std::string{n.as_string()});
            if (!d) return tl::unexpected{std::move(d.error())};
            kept.push_back(std::move(*d));
        }
        return {};
    }

    base::result<document> document_of(const std::string& name) const {
        auto expected = digest_of(name);
        if (!expected) return tl::unexpected{std::move(expected.error())};
        auto path = file_in(folder_, name, keeper_);
        if (!path) return tl::unexpected{std::move(path.error())};
        auto bytes = base::read_file(*path, max_document);
        if (!bytes) return tl::unexpected{std::move(bytes.error())};
        if (const auto actual = base::sha256_hex(*bytes); actual != *expected) return differs(name, actual, *expected);
        return document{std::move(*path), std::move(*bytes)};
    }

    base::result<void> read_icon() {
        const std::string name{base::string_member(text_, "icon")};
        if (name.empty()) return {};
        auto d = document_of(name);
        if (!d) return tl::unexpected{std::move(d.error())};
        auto drawn = icon::read(name, std::move(d->text));
        if (!drawn) return tl::unexpected{std::move(drawn.error())};
        bundle_.icon = std::move(*drawn);
        return {};
    }

    base::result<void> resources() {
        const auto* listed = base::find_member(text_, "resources");
        for (std::size_t i = 0; listed && i < listed->as_array().size(); ++i) {
            const auto& entry = listed->as_array()[i];
            const auto named = [&](std::size_t number) {
                return "resource '" + std::string{base::string_member(listed->as_array()[number], "name")} +
                       "', /resources/" + std::to_string(number);
            };
            const auto at = named(i);
            auto r = document_of(std::string{base::string_member(entry, "file")}).and_then([&](document d) {
                return resource::read(entry, std::move(d.text));
            });
            if (!r) return base::fail(r.error().code, at + r.error().at + ": " + r.error().message, r.error().hint);
            for (std::size_t j = 0; j < resources_.size(); ++j)
                if (clash(*resources_[j], **r))
                    return base::fail(base::code::quarantined,
                                      at + ": '" + (*r)->uri().text() + "' is already answered by '" +
                                          resources_[j]->uri().text() + "', " + named(j),
                                      "give one of the two another URI");
            resources_.push_back(std::move(*r));
        }
        return {};
    }

    base::result<manifest> tools() {
        manifest m;
        m.bundle = std::make_shared<const bundle>(std::move(bundle_));
        m.resources = std::move(resources_);
        const auto& listed = text_.at("tools").as_array();
        for (std::size_t i = 0; i < listed.size(); ++i) {
            auto t = tool::read(listed[i], m.bundle);
            if (!t) {
                auto p = std::move(t.error());
                p.message = "tool '" + std::string{base::string_member(listed[i], "name")} + "', /tools/" +
                            std::to_string(i) + p.at + ": " + p.message;
                return tl::unexpected{std::move(p)};
            }
            for (const auto& earlier : m.tools)
                if (earlier->name == (*t)->name)
                    return base::fail(base::code::quarantined, "tool '" + earlier->name + "' is listed twice",
                                      "give each tool a name of its own");
            m.tools.push_back(std::move(*t));
        }
        return m;
    }

    const fs::path folder_;
    const keeper keeper_;
    const json::value& text_;
    const admission& admission_;
    bundle bundle_;
    std::vector<std::shared_ptr<const resource>> resources_;
};

tl::unexpected<rejection> reject(const base::problem& p) { return tl::unexpected{rejection_of("", p)}; }

// With the id and tools that an untrusted manifest claims.
tl::unexpected<rejection> reject(const json::value& text, const base::problem& p) {
    constexpr std::size_t max_tools = 1000;
    auto r = rejection_of(std::string{base::string_member(text, "id")}, p);
    const auto* listed = base::find_member(text, "tools");
    if (const auto* tools = listed ? listed->if_array() : nullptr)
        for (std::size_t i = 0; i < std::min(tools->size(), max_tools); ++i)
            if (const auto name = base::string_member((*tools)[i], "name"); is_tool_name(name))
                r.tools.emplace_back(name);
    return tl::unexpected{std::move(r)};
}

base::result<manifest> read_checked(const fs::path& folder, const fs::path& whole, keeper of, const json::value& text,
                                    const admission& a, std::string key) {
    static const auto shape = base::schema::constant(manifest_shape);
    const auto in_manifest = [](const base::problem& p, const std::string& message) {
        return base::fail(p.code, "manifest.json: " + message, p.hint);
    };
    if (auto ok = shape.check(text, "the manifest"); !ok) return in_manifest(ok.error(), ok.error().message);
    if (auto ok = base::check_nothing_hidden(text); !ok)
        return in_manifest(ok.error(), ok.error().at + " " + ok.error().message);
    return reader{folder, whole, of, text, a, std::move(key)}.read();
}

// The folder of a bundle: canonical, real, and not writable by others.
base::result<fs::path> safe_folder(const fs::path& spelled, const fs::path& installed) {
    std::error_code error;
    auto folder = fs::canonical(spelled, error);
    struct stat s {};
    if (error || ::stat(folder.c_str(), &s) != 0 || !S_ISDIR(s.st_mode))
        return base::fail(base::code::quarantined, spelled.string() + " is not a folder");
    if (auto safe = not_writable_by_others(folder, s, keeper_of(folder, installed)); !safe)
        return tl::unexpected{safe.error()};
    return folder;
}

// The folder a path leads to at construction. While it is held, no other folder gets its inode number.
class held_folder {
public:
    explicit held_folder(const fs::path& p) : path_{p}, held_{::open(p.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)} {}
    bool is_still_there() const {
        struct stat held {
        }, now{};
        return held_ && ::fstat(held_.get(), &held) == 0 && ::stat(path_.c_str(), &now) == 0 &&
               held.st_dev == now.st_dev && held.st_ino == now.st_ino;
    }

private:
    fs::path path_;
    base::descriptor held_;
};

tl::expected<manifest, rejection> read_once(const fs::path& spelled, const admission& a) {
    const auto folder = safe_folder(spelled, a.trust.installed);
    if (!folder) return reject(folder.error());
    const auto of = keeper_of(*folder, a.trust.installed);
    if (auto safe = in_safe_directory(*folder, of); !safe) return reject(safe.error());
    auto path = file_in(*folder, "manifest.json", of);
    if (!path) return reject(path.error());
    auto bytes = base::read_file(*path);
    if (!bytes) return reject(bytes.error());
    auto text = base::parse_json(*bytes);
    if (!text) return reject({text.error().code, "manifest.json: " + text.error().message, "", ""});
    // Checked before its content is trusted.
    auto key = signer(a.trust, *folder, *bytes);
    if (!key) return reject(*text, key.error());
    auto m = read_checked(*folder, *folder, of, *text, a, std::move(*key));
    if (!m) return reject(*text, m.error());
    return std::move(*m);
}

}  // namespace

rejection rejection_of(std::string id, const base::problem& p) {
    if (id.size() > max_id) id = id.substr(0, max_id) + "...";
    return {base::with_hidden_shown(id),
            base::with_hidden_shown(p.hint.empty() ? p.message : p.message + "; " + p.hint)};
}

tl::expected<manifest, rejection> read_manifest(const fs::path& spelled, const admission& a) {
    constexpr int max_attempts = 10;
    for (int attempt = 1;; ++attempt) {
        const held_folder before{spelled};
        auto m = read_once(spelled, a);
        // A version replaced while it was read does not count against its replacement.
        if (m || attempt == max_attempts || before.is_still_there()) return m;
    }
}

base::result<void> may_be_described(const fs::path& library, const trust& t) {
    if (t.level != trust_level::any)
        return base::fail(base::code::quarantined, "it has no manifest, and a bare library loads only with --trust any",
                          "make a bundle of it: put it into NAME.bundle/lib/ and run gdal-mcp-describe NAME.bundle" +
                              std::string{t.level == trust_level::signed_manifest ? ", then sign that" : ""});
    const auto folder = safe_folder(library.parent_path(), t.installed);
    if (!folder) return tl::unexpected{folder.error()};
    return file_in(*folder, library.filename().string(), keeper_of(*folder, t.installed)).map([](const fs::path&) {});
}

tl::expected<manifest, rejection> read_description(const fs::path& library, const json::value& text,
                                                   const admission& a) {
    const auto folder = safe_folder(library.parent_path(), a.trust.installed);
    if (!folder) return reject(folder.error());
    auto m = read_checked(*folder, *folder / library.filename(), keeper_of(*folder, a.trust.installed), text, a, "");
    if (!m) return reject(text, m.error());
    return std::move(*m);
}

base::result<manifest> read_draft(const fs::path& folder, const json::value& text) {
    admission lenient;  // the operator grants, not the author
    lenient.trust.network.emplace(base::string_member(text, "id"));
    std::error_code error;
    const auto canonical = fs::canonical(folder, error);
    if (error) return base::fail(base::code::not_found, folder.string() + ": " + error.message());
    return read_checked(canonical, canonical, keeper::author, text, lenient, "");
}

}  // namespace gdalmcp::catalog
