#include "app/authoring/check_report.hpp"

#include <algorithm>

namespace gdalmcp::app {

namespace {

const char* word(verdict v) {
    switch (v) {
        case verdict::ok:
            return "ok";
        case verdict::note:
            return "note";
        case verdict::warning:
            return "warning";
        case verdict::failure:
            return "failure";
    }
    return "";
}

std::string counted(std::size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

}  // namespace

std::size_t check_report::count(app::verdict v) const {
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(), [&](const finding& f) { return f.verdict == v; }));
}

int check_report::exit_code(bool strict) const {
    return count(verdict::failure) > 0 || (strict && count(verdict::warning) > 0) ? 3 : 0;
}

json::object check_report::text() const {
    json::array all;
    for (const auto& f : findings)
        all.push_back(json::object{{"check", f.check},
                                   {"subject", f.subject},
                                   {"verdict", word(f.verdict)},
                                   {"message", f.message},
                                   {"hint", f.hint}});
    return {{"bundle", bundle},
            {"samples", samples},
            {"ok", count(verdict::failure) == 0},
            {"failures", count(verdict::failure)},
            {"warnings", count(verdict::warning)},
            {"notes", count(verdict::note)},
            {"findings", std::move(all)}};
}

std::string readable(const check_report& r) {
    std::string text = r.bundle + "\n";
    std::vector<std::string> subjects;
    for (const auto& f : r.findings)
        if (std::find(subjects.begin(), subjects.end(), f.subject) == subjects.end()) subjects.push_back(f.subject);
    for (const auto& subject : subjects) {
        std::string passed;
        text += "\n" + subject + "\n";
        for (const auto& f : r.findings) {
            if (f.subject != subject) continue;
            if (f.verdict == verdict::ok) {
                passed += (passed.empty() ? "" : ", ") + f.check + (f.message.empty() ? "" : " (" + f.message + ")");
                continue;
            }
            text += std::string{"  "} + word(f.verdict) + ", " + f.check + ": " + f.message + "\n";
            if (!f.hint.empty()) text += "      " + f.hint + "\n";
        }
        if (!passed.empty()) text += "  ok: " + passed + "\n";
    }
    const bool shows_calls = std::any_of(r.findings.begin(), r.findings.end(), [](const finding& f) {
        return f.hint.find("gdal-mcp call ") != std::string::npos;
    });
    if (shows_calls && r.samples.empty())
        text +=
            "\nThe calls above read sample files that are gone; check again with --keep-samples DIR to keep them.\n";
    return text + "\n" + counted(r.count(verdict::failure), "failure") + ", " +
           counted(r.count(verdict::warning), "warning") + ", " + counted(r.count(verdict::note), "note") + "\n";
}

}  // namespace gdalmcp::app
