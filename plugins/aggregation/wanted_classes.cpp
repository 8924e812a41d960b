#include "wanted_classes.hpp"

#include <charconv>

namespace gdalmcp_aggregation {
namespace {

using gdalmcp::arg;
using gdalmcp::error;

// A list or an object, which no single kind of argument covers: read as either.
const arg<std::optional<gdalmcp::json_text>> given{.name = "classes", .about = ""};
const arg<std::vector<std::int64_t>> listed{.name = "classes", .about = ""};
const arg<std::string> name{.name = "name", .about = ""};
const gdalmcp::named_objects named{"classes", "", {name}};

std::int64_t code_of(const std::string& text) {
    std::int64_t code = 0;
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, code);
    if (read.ec != std::errc{} || read.ptr != end)
        throw error{GDALMCP_INVALID_ARGUMENT, "'classes' names '" + text + "', which is no whole number",
                    "give names by code, for example {\"41\": \"Deciduous forest\"}"};
    return code;
}

}  // namespace

gdalmcp::parameter wanted_classes::argument() {
    return {"classes",
            R"({"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"object"}],)"
            R"("description":"Only these: [41, 42], or {\"41\": \"Oak\"} to name them."})",
            false, ""};
}

wanted_classes::wanted_classes(gdalmcp::call& call) {
    const auto text = call[given];
    if (!text) return;
    if (text->text.front() == '{') {
        for (const auto& [code, one] : call[named]) names_.emplace(code_of(code), one[name]);
        for (const auto& each : names_) codes_.insert(each.first);
        return;
    }
    const auto codes = call[listed];
    codes_.insert(codes.begin(), codes.end());
}

}  // namespace gdalmcp_aggregation
