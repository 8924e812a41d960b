#include "transport/sse.hpp"

namespace gdalmcp::transport {

std::string to_text(const sse_event& e) {
    std::string out = "event: " + e.event + "\n";
    if (e.id) out += "id: " + *e.id + "\n";
    if (e.retry) out += "retry: " + std::to_string(e.retry->count()) + "\n";
    std::string_view rest{e.data};
    for (bool more = true; more;) {  // lines end with LF, CR or CR LF
        const auto end = rest.find_first_of("\r\n");
        out.append("data: ").append(rest.substr(0, end)).append("\n");
        more = end != std::string_view::npos;
        if (more) rest.remove_prefix(end + (rest.substr(end, 2) == "\r\n" ? 2 : 1));
    }
    return out += "\n";
}

}  // namespace gdalmcp::transport
