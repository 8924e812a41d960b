#include "runner/messages.hpp"

#include <concepts>

namespace gdalmcp::runner {
namespace {

namespace fs = std::filesystem;
namespace json = base::json;

// A member to write, or to read into.
template <class M, class T>
concept either = std::same_as<std::remove_const_t<M>, T>;

// members(io, message) names each member once; io is a writer or a reader.
void members(auto& io, either<opened_input> auto& m) {
    io("dataset", m.dataset), io("files", m.files), io("folders", m.folders), io("warnings", m.warnings);
    io("crs", m.crs), io("stated_crs", m.stated_crs), io("uncompressed_bytes", m.uncompressed_bytes);
}

void members(auto& io, either<input> auto& m) {
    io("at", m.at), io("path", m.path), io("dataset", m.dataset), io("role", m.role), io("known_as", m.known_as);
    io("part", m.part), io("opened", m.opened);
}

void members(auto& io, either<stage> auto& m) { io("folder", m.folder), io("max_bytes", m.max_bytes); }

void members(auto& io, either<output> auto& m) { io("at", m.at), io("name", m.name), io("stages", m.stages); }

void members(auto& io, either<carried_library> auto& m) { io("path", m.path), io("sha256", m.sha256); }

void members(auto& io, either<limits> auto& m) {
    io("address_space", m.address_space), io("file_size", m.file_size), io("descriptors", m.descriptors);
}

void members(auto& io, either<hashed_file> auto& m) {
    io("state", m.state), io("settled", m.settled), io("size", m.size), io("sha256", m.sha256),
        io("partial", m.partial);
}

void members(auto& io, either<request> auto& m) {
    io("op", m.operation), io("sandbox", m.sandbox), io("network", m.network), io("threads", m.threads);
    io("limits", m.limits), io("scratch", m.scratch), io("roots", m.roots), io("inputs", m.inputs);
    io("bundle", m.bundle), io("library", m.library), io("library_sha256", m.library_sha256);
    io("library_known", m.library_known), io("carried", m.carried);
    io("tool", m.tool), io("arguments", m.arguments), io("asking", m.asking), io("date", m.date);
    io("outputs", m.outputs);
    io("writable", m.writable), io("observe", m.observe);
    io("want_crs", m.want_crs), io("files", m.files), io("partly", m.partly), io("budget_ms", m.budget_ms);
    io("spellings", m.spellings), io("path", m.path), io("role", m.role), io("expect", m.expect);
    io("published", m.published);
}

void members(auto& io, either<prepared_run> auto& m) {
    io("inputs", m.inputs), io("stages", m.stages), io("library_state", m.library_state);
    io("versions", m.versions), io("prepare_ms", m.prepare_ms);
}

class writer {
public:
    json::object object;

    // Empty members are left out: most requests use few.
    template <class T>
    void operator()(std::string_view name, const T& value) {
        if constexpr (requires { value.empty(); })
            if (value.empty()) return;
        if constexpr (std::same_as<T, std::uint64_t>)
            if (value == 0) return;
        object.emplace(name, made_of(value));
    }
    template <class T>
    void operator()(std::string_view name, const std::optional<T>& value) {
        if (value) object[name] = made_of(*value);
    }

    static json::value made_of(bool b) { return b; }
    static json::value made_of(std::uint64_t n) { return n; }
    static json::value made_of(double d) { return d; }
    static json::value made_of(const std::string& s) { return json::string(s); }
    static json::value made_of(const fs::path& p) { return json::string(p.string()); }
    static json::value made_of(const json::object& o) { return o; }
    template <class T>
    static json::value made_of(const std::vector<T>& all) {
        json::array a;
        for (const auto& one : all) a.push_back(made_of(one));
        return a;
    }
    template <class T>
    requires std::is_class_v<T>
    static json::value made_of(const T& message) {
        writer w;
        members(w, message);
        return std::move(w.object);
    }
};

class reader {
public:
    explicit reader(const json::object& o) : object_{o} {}

    template <class T>
    void operator()(std::string_view name, T& to) {
        if (const auto* found = object_.if_contains(name)) read(*found, to);
    }

    static void read(const json::value& v, bool& to) {
        if (const auto* b = v.if_bool()) to = *b;
    }
    static void read(const json::value& v, std::uint64_t& to) {
        if (v.is_uint64()) to = v.get_uint64();
        if (v.is_int64() && v.get_int64() > 0) to = static_cast<std::uint64_t>(v.get_int64());
    }
    static void read(const json::value& v, double& to) {
        if (v.is_number()) to = v.to_number<double>();
    }
    static void read(const json::value& v, std::string& to) {
        if (const auto* s = v.if_string()) to = *s;
    }
    static void read(const json::value& v, fs::path& to) {
        if (const auto* s = v.if_string()) to = std::string{*s};
    }
    static void read(const json::value& v, json::object& to) {
        if (const auto* o = v.if_object()) to = *o;
    }
    template <class T>
    static void read(const json::value& v, std::optional<T>& to) {
        read(v, to.emplace());
    }
    template <class T>
    static void read(const json::value& v, std::vector<T>& to) {
        if (const auto* a = v.if_array())
            for (const auto& one : *a) read(one, to.emplace_back());
    }
    template <class T>
    requires std::is_class_v<T>
    static void read(const json::value& v, T& message) {
        if (const auto* o = v.if_object()) {
            reader r{*o};
            members(r, message);
        }
    }

private:
    const json::object& object_;
};

template <class T>
T read_message(const json::object& o) {
    T message;
    reader r{o};
    members(r, message);
    return message;
}

template <class T>
std::vector<T> read_messages(const json::array& a) {
    std::vector<T> all;
    for (const auto& v : a) reader::read(v, all.emplace_back());
    return all;
}

}  // namespace

json::object to_json(const request& r) { return std::move(writer::made_of(r).get_object()); }
request request_of(const json::object& o) { return read_message<request>(o); }

json::object to_json(const prepared_run& r) { return std::move(writer::made_of(r).get_object()); }
prepared_run prepared_run_of(const json::object& o) { return read_message<prepared_run>(o); }

json::array to_json(const std::vector<hashed_file>& files) { return std::move(writer::made_of(files).get_array()); }
std::vector<hashed_file> hashed_files_of(const json::array& a) { return read_messages<hashed_file>(a); }

json::array to_json(const std::vector<input>& inputs) { return std::move(writer::made_of(inputs).get_array()); }
std::vector<input> inputs_of(const json::array& a) { return read_messages<input>(a); }

}  // namespace gdalmcp::runner
