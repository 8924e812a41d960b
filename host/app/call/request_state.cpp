#include "app/call/request_state.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "runner/descriptor.hpp"
#include "workspace/rename.hpp"
#include "workspace/temporary_folder.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

constexpr std::string_view version_mark = "v1.";
constexpr std::size_t key_size = 32;

std::int64_t seconds(std::chrono::system_clock::time_point t) {
    return std::chrono::duration_cast<std::chrono::seconds>(t.time_since_epoch()).count();
}

auto refused(std::string why) {
    return fail(code::invalid_argument, "requestState " + std::move(why),
                "send the call again without requestState and inputResponses", "");
}

tl::unexpected<base::problem> cannot(const char* what, const fs::path& file) {
    return fail(code::io, std::string{"cannot "} + what + " " + file.string() + ": " + std::strerror(errno),
                "name a writable folder with --state-dir", "");
}

// Nothing when there is no such file.
result<std::optional<std::string>> read_key(const fs::path& file) {
    const runner::descriptor fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (fd.get() < 0 && errno == ENOENT) return std::nullopt;
    struct stat s {};
    if (fd.get() < 0 || ::fstat(fd.get(), &s) != 0) return cannot("read", file);
    if (!S_ISREG(s.st_mode) || s.st_uid != ::geteuid() || (s.st_mode & 077) != 0)
        return fail(code::denied, file.string() + " is not a file that only this user can read and write",
                    "remove it; the server creates a new one", "");
    std::string key(key_size + 1, '\0');
    const auto n = ::read(fd.get(), key.data(), key.size());
    if (n < 0) return cannot("read", file);
    if (static_cast<std::size_t>(n) != key_size)
        return fail(code::io, file.string() + " does not have " + std::to_string(key_size) + " bytes",
                    "remove it; the server creates a new one", "");
    key.resize(key_size);
    return key;
}

// All or nothing. A file created by another process meanwhile is not an error.
result<void> make_key(const fs::path& file) {
    const auto beside = workspace::new_temporary_name(file.parent_path());
    const auto key = new_request_state_key();
    const runner::descriptor fd{::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (fd.get() < 0) return cannot("write", file);
    if (::write(fd.get(), key.data(), key.size()) != static_cast<ssize_t>(key.size()) || ::fsync(fd.get()) != 0) {
        const auto why = cannot("write", file);
        ::unlink(beside.c_str());
        return why;
    }
    workspace::renames names;
    auto moved = names.move(beside, file);
    names.commit();
    if (moved) return {};
    ::unlink(beside.c_str());
    if (moved.error().code == code::exists) return {};
    return moved;
}

}  // namespace

std::string request_state::mint(json::value payload, std::string_view binding) const {
    const json::object body{
        {"p", std::move(payload)}, {"exp", seconds(now_() + lifetime)}, {"b", json::string{binding}}};
    const auto text = std::string{version_mark} + base::base64url(base::write_json(json::value(body)));
    return text + "." + base::base64url(base::hmac_sha256(key_, text));
}

result<json::value> request_state::open(std::string_view state, std::string_view binding) const {
    const auto dot = state.rfind('.');
    const auto text = state.substr(0, dot);
    const auto mac = dot == std::string_view::npos ? std::string_view{} : state.substr(dot + 1);
    if (!base::equal_in_constant_time(mac, base::base64url(base::hmac_sha256(key_, text))))
        return refused("was not issued by this server, or was changed");
    // The signature holds: from here on the text is our own, unless the key has leaked.
    const auto bytes = base::from_base64url(text.substr(std::min(version_mark.size(), text.size())));
    const auto body = base::parse_json(bytes.value_or(""));
    const auto* expires = body ? base::find_member(*body, "exp") : nullptr;
    const auto* payload = body ? base::find_member(*body, "p") : nullptr;
    if (!expires || !expires->is_int64() || !payload) return refused("was not issued by this version of the server");
    const auto late = seconds(now_()) - expires->get_int64();
    if (late >= 0) return refused("expired " + std::to_string(late) + " s ago");
    if (base::string_member(*body, "b") != binding)
        return refused("belongs to a call of another tool or with other arguments");
    return *payload;
}

std::string call_binding(std::string_view method, std::string_view name, const json::object& arguments) {
    return base::sha256_hex(base::canonical_json(
        json::object{{"method", json::string{method}}, {"name", json::string{name}}, {"arguments", arguments}}));
}

result<std::string> request_state_key(const fs::path& state_dir) {
    std::error_code ec;
    fs::create_directories(state_dir, ec);  // a failure is reported when the file cannot be created
    const auto file = state_dir / "request-state.key";
    auto key = read_key(file);
    if (key && !*key) {
        if (auto made = make_key(file); !made) return tl::unexpected{made.error()};
        key = read_key(file);
    }
    if (!key) return tl::unexpected{key.error()};
    if (!*key) return fail(code::io, file.string() + " vanished while being created", "");
    return **key;
}

std::string new_request_state_key() {
    std::string key(key_size, '\0');
    // 32 bytes come whole once the kernel's generator is seeded (getrandom(2)).
    while (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {}
    return key;
}

}  // namespace gdalmcp::app
