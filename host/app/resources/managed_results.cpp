#include "app/resources/managed_results.hpp"

#include <limits>

#include "base/text.hpp"
#include "workspace/file_system.hpp"

namespace gdalmcp::app {

using base::fail;
namespace code = base::code;

namespace {

// Bytes of a result's file in one read: as base64 they stay below 1 MiB, the most the strictest client takes.
constexpr std::size_t max_window = 720u << 10;

// With every member a result can have, null where it does not apply.
json::object whole_description(json::object about) {
    const auto *width = about.if_contains("width"), *height = about.if_contains("height");
    if (!about.contains("pixel_count") && width && height)
        about["pixel_count"] = width->to_number<std::int64_t>() * height->to_number<std::int64_t>();
    if (!about.contains("pixel_count") && !about.contains("feature_count")) about["pixel_count"] = nullptr;
    for (const char* member : {"geometry_used", "geometry_crs", "bands", "crs", "window", "source"})
        if (!about.contains(member)) about[member] = nullptr;
    return about;
}

bool is_text(const std::string& media_type) {
    return media_type == "application/geo+json" || media_type == "application/json" || media_type == "text/csv";
}

}  // namespace

contents read_result(const reading& q) {
    const auto& id = q.wanted;
    if (id.find('/') != std::string::npos)
        return fail(code::not_found, "Resource not found: " + q.uri.given,
                    "the URIs are query://result/{id} and query://result/{id}/data{?offset,length}");
    auto about = q.from.h.results().describe(id);
    if (!about) return tl::unexpected{about.error()};
    if (!q.files_at.empty()) (*about)["download"] = q.files_at + id;
    return text_contents(whole_description(std::move(*about)));
}

contents read_result_data(const reading& q) {
    auto& results = q.from.h.results();
    const auto& id = q.wanted;
    const auto held = results.hold(id);
    if (!held) return tl::unexpected{held.error()};
    std::error_code ec;
    const auto total = std::filesystem::file_size((*held)->file, ec);
    if (ec) return tl::unexpected{workspace::file_system_problem(ec.value(), "reading " + q.uri.given, (*held)->file)};
    const auto offset = q.uri.number("offset", 0, 0, std::max<std::uintmax_t>(total, 1) - 1);
    const auto length = q.uri.number("length", max_window, 1, std::numeric_limits<std::int64_t>::max());
    if (!offset || !length) return tl::unexpected{offset ? length.error() : offset.error()};
    const auto most = std::min<std::size_t>(*length, max_window);
    auto bytes = results.read(id, *offset, most);
    if (!bytes) return tl::unexpected{bytes.error()};
    const auto media_type = workspace::media_type((*held)->file);
    const bool whole = bytes->size() == total;
    json::object range{{"total_bytes", total}, {"offset", *offset}, {"length", bytes->size()}};
    if (const auto next = *offset + bytes->size(); next < total)
        range["next"] =
            workspace::result_uri(id) + "/data?offset=" + std::to_string(next) + "&length=" + std::to_string(most);
    json::object part{{"mimeType", whole ? media_type : "application/octet-stream"}};
    if (whole && is_text(media_type) && base::is_utf8(*bytes))
        part["text"] = std::move(*bytes);
    else
        part["blob"] = base::base64(*bytes);
    part["_meta"] = json::object{{"io.gdal-mcp/range", std::move(range)}};
    return part;
}

json::array list_results(host& h) {
    json::array all;
    for (const auto& r : h.results().list()) {
        json::object o{{"uri", r.at("uri")}, {"name", r.at("name")}, {"mimeType", "application/json"}};
        if (const auto* size = r.if_contains("size_bytes")) o["size"] = *size;
        o["description"] = "Managed result, expires " + std::string{base::string_member(json::value(r), "expires")};
        all.push_back(std::move(o));
    }
    return all;
}

}  // namespace gdalmcp::app
