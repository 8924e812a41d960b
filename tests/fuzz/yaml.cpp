// Whatever the text, parse_yaml answers with a value that can be written as JSON, or with a problem that says
// something; parse_yaml_document with the same value and a place for exactly the values there are.
#include <cstdint>
#include <cstdlib>

#include "base/pointer.hpp"
#include "base/yaml.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace gdalmcp::base;
    const std::string_view text{reinterpret_cast<const char*>(bytes), size};
    const auto v = parse_yaml(text);
    if (!v && v.error().message.empty()) std::abort();
    if (v && write_json(*v).empty()) std::abort();
    const auto d = parse_yaml_document(text);
    if (d && (!v || write_json(d->value) != write_json(*v))) std::abort();
    if (!d && d.error().message.empty()) std::abort();
    if (d)
        for (const auto& [pointer, line] : d->lines)
            if (line == 0 || !at_pointer(d->value, pointer)) std::abort();
    return 0;
}
