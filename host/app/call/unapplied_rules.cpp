#include "app/call/unapplied_rules.hpp"

#include <algorithm>
#include <cctype>

#include "base/file.hpp"
#include "base/log.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_spec = 1u << 20;  // bytes

bool in_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The specs may be damaged, so they are searched, not read.
void add_tools(const std::string& text, const catalog::snapshot& now, std::set<std::string, std::less<>>& tools) {
    for (std::size_t i = 0; i < text.size();) {
        const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), in_a_name);
        const auto end = std::find_if_not(begin, text.end(), in_a_name);
        if (const std::string word{begin, end}; now.find_known(word)) tools.insert(word);
        i = static_cast<std::size_t>(end - text.begin());
    }
}

void add_rules(const fs::path& bundle, const std::string& id, const std::string& reason, const catalog::snapshot& now,
               std::vector<unapplied_rules>& all) {
    unapplied_rules rules{id.empty() ? bundle.filename().string() : id, reason, {}};
    std::error_code ec;
    for (fs::directory_iterator it{bundle / "reflection", ec}, none; !ec && it != none; it.increment(ec))
        if (it->path().extension() == ".yaml" && it->is_regular_file(ec))
            if (const auto text = base::read_file(it->path(), max_spec)) add_tools(*text, now, rules.tools);
    if (!rules.tools.empty()) all.push_back(std::move(rules));
}

}  // namespace

std::vector<unapplied_rules> unapplied_rules_of(const catalog::snapshot& now) {
    std::vector<unapplied_rules> all;
    const auto in_use = [&](const std::string& id) {
        return std::any_of(now.bundles().begin(), now.bundles().end(), [&](const auto& b) { return b->id == id; });
    };
    for (const auto& q : now.quarantine())
        if (!in_use(q.id)) add_rules(q.path, q.id, q.reason, now, all);
    for (const auto& i : now.unfinished()) add_rules(i.path, "", i.reason, now, all);
    return all;
}

std::vector<std::string> not_applied_to(std::string_view tool, const std::vector<unapplied_rules>& all) {
    std::vector<std::string> out;
    for (const auto& rules : all)
        if (rules.tools.contains(tool))
            out.push_back("the rules of the bundle '" + rules.bundle + "' for " + std::string{tool} +
                          " were not applied: " + rules.reason);
    return out;
}

void log_not_applied(std::string_view tool, const std::vector<unapplied_rules>& all) {
    for (const auto& line : not_applied_to(tool, all)) base::log(base::log_level::warning, line);
}

}  // namespace gdalmcp::app
