// Whatever the operator's policy file says, it is taken in and can be applied to every workspace and domain, or refused
// in words.
#include "reflection/policy.hpp"
#include "promise.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace gdalmcp::reflection;
    const auto file = policy_file::parse(fuzz::text_of(bytes, size));
    if (!fuzz::answered(file)) return 0;
    auto domains = file->domains();
    domains.emplace_back("of nobody");
    for (const auto& domain : domains)
        for (const char* workspace : {"", "/data", "/data/survey"}) {
            const auto p = file->applied(domain, workspace, {});
            fuzz::must(!to_string(p.minimum).empty() && p.max_age_days.value_or(1) >= 1);
        }
    return 0;
}
