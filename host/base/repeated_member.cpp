#include "base/repeated_member.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <set>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/pointer.hpp"

namespace gdalmcp::base {
namespace {

// Follows the parser through the objects and lists around the current value.
class member_watcher {
public:
    static constexpr std::size_t max_object_size = json::object::max_size();
    static constexpr std::size_t max_array_size = json::array::max_size();
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();
    using error = boost::system::error_code;

    bool on_document_begin(error&) { return true; }
    bool on_document_end(error&) { return true; }
    bool on_object_begin(error&) { return enter(false); }
    bool on_object_end(std::size_t, error&) { return leave(); }
    bool on_array_begin(error&) { return enter(true); }
    bool on_array_end(std::size_t, error&) { return leave(); }
    bool on_key_part(json::string_view s, std::size_t, error&) { return key_.append(s), true; }
    bool on_key(json::string_view s, std::size_t, error&) {
        auto& here = around_.back();
        here.step = std::exchange(key_, {}).append(s);
        if (!here.names.insert(here.step).second && !repeated_) repeated_ = place();
        return true;
    }
    bool on_string_part(json::string_view, std::size_t, error&) { return true; }
    bool on_string(json::string_view, std::size_t, error&) { return advance(); }
    bool on_number_part(json::string_view, error&) { return true; }
    bool on_int64(std::int64_t, json::string_view, error&) { return advance(); }
    bool on_uint64(std::uint64_t, json::string_view, error&) { return advance(); }
    bool on_double(double, json::string_view, error&) { return advance(); }
    bool on_bool(bool, error&) { return advance(); }
    bool on_null(error&) { return advance(); }
    bool on_comment_part(json::string_view, error&) { return true; }
    bool on_comment(json::string_view, error&) { return true; }

    std::optional<std::string> repeated() const { return repeated_; }

private:
    struct container {
        bool is_list;
        std::size_t index;
        std::string step;  // the name of the current member
        std::set<std::string> names;
    };

    bool enter(bool is_list) { return around_.push_back({is_list, 0, {}, {}}), true; }
    bool leave() { return around_.pop_back(), advance(); }
    bool advance() {
        if (!around_.empty()) ++around_.back().index;
        return true;
    }
    std::string place() const {
        std::string at;
        for (const auto& c : around_) at += "/" + (c.is_list ? std::to_string(c.index) : escape_token(c.step));
        return at;
    }

    std::vector<container> around_;
    std::string key_;
    std::optional<std::string> repeated_;
};

}  // namespace

std::optional<std::string> repeated_member(std::string_view json_text) {
    json::parse_options options;
    options.max_depth = deepest_json;
    json::basic_parser<member_watcher> parser{options};
    boost::system::error_code ec;
    parser.write_some(false, json_text.data(), json_text.size(), ec);
    return ec ? std::nullopt : parser.handler().repeated();
}

}  // namespace gdalmcp::base
