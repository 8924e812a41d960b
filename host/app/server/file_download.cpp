#include "app/server/file_download.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/server/http_exchange.hpp"
#include "transport/byte_range.hpp"

namespace gdalmcp::app {

void serve_file(workspace::results& results, const std::string& id, const transport::http_request& request,
                transport::http_reply& reply) {
    if (request.method != "GET" && request.method != "HEAD")
        return refuse(reply, 405, "files are read with GET", {{"Allow", "GET, HEAD"}});
    const auto held = results.hold(id);
    if (!held) return refuse(reply, 404, held.error().message);
    const auto& file = (*held)->file;
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (fd < 0 || ::fstat(fd, &about) != 0) {
        if (fd >= 0) ::close(fd);
        return refuse(reply, 404, "the file of " + id + " is gone");
    }
    const auto size = static_cast<std::uint64_t>(about.st_size);
    const auto tag = '"' + id + '"';
    transport::http_fields fields{{"Content-Type", workspace::media_type(file)},
                                  {"Accept-Ranges", "bytes"},
                                  {"ETag", tag},
                                  {"Content-Disposition", "attachment; filename=\"" + file.filename().string() + '"'}};
    if (const auto wanted = request.list("if-match"); wanted && !transport::names_tag(*wanted, tag)) {
        ::close(fd);
        return refuse(reply, 412, "the file is " + tag + ", not " + *wanted, {{"ETag", tag}});
    }
    if (const auto known = request.list("if-none-match"); known && transport::names_tag(*known, tag)) {
        ::close(fd);
        return reply.respond(304, {{"ETag", tag}}, "");
    }
    const auto condition = request.field("if-range");
    const bool whole = request.method != "GET" || (condition && *condition != tag);  // RFC 9110, 14.2
    const auto range = transport::parse_range(whole ? std::nullopt : request.field("range"), size);
    switch (range.answer) {
        case transport::byte_range::kind::whole:
            return reply.respond_file(200, fields, fd, 0, size);
        case transport::byte_range::kind::part:
            fields.emplace_back("Content-Range", transport::content_range(range, size));
            return reply.respond_file(206, fields, fd, range.offset, range.length);
        case transport::byte_range::kind::unsatisfiable:
            ::close(fd);
            return refuse(reply, 416, "the file has " + std::to_string(size) + " bytes",
                          {{"Content-Range", transport::content_range(range, size)}});
    }
}

}  // namespace gdalmcp::app
