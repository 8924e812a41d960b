// A bundle's resource: a file, or a template of one. Served as it is; no code of the bundle runs.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/text_template.hpp"
#include "catalog/bundle.hpp"

namespace gdalmcp::catalog {

namespace json = boost::json;

// A URI, or a template of level 1 of RFC 6570: literals and {name}.
class uri_template {
public:
    // Errors: invalid characters, a missing or reserved scheme, adjacent or repeated {names}.
    static base::result<uri_template> parse(std::string_view text);

    const std::string& text() const { return text_; }
    const std::vector<std::string>& names() const { return names_; }  // none: a plain URI
    std::string shape() const;                                        // the same with every name left out: x://{}/y

    // The values of the names, percent-decoded once, if `uri` is of this form; a value has at least one character and
    // none that RFC 6570 would have encoded.
    std::optional<json::object> match(std::string_view uri) const;

private:
    std::string text_;
    std::vector<std::string> literals_;  // one more than names
    std::vector<std::string> names_;
};

// Immutable; safe from any thread.
class resource {
public:
    // `text` is one member of the manifest's "resources", of the shape read_manifest has checked; `content` the bytes
    // of its file. Errors: why it must not be offered, with the field named.
    static base::result<std::shared_ptr<const resource>> read(const json::value& text, std::string content);

    const uri_template& uri() const { return uri_; }
    bool is_template() const { return !uri_.names().empty(); }

    // Its entry in resources/list or resources/templates/list.
    json::object definition() const;

    // One member of `contents` of resources/read. `values` from uri().match; they are escaped for the media type where
    // the file uses them.
    json::object contents(std::string_view asked_for, const json::object& values) const;

private:
    uri_template uri_;
    std::string name_, title_, description_, media_type_, content_;
    std::optional<base::text_template> filled_in_;  // of a template
};

// Whether two resources clash: one URI would match both.
bool clash(const resource& a, const resource& b);

}  // namespace gdalmcp::catalog
