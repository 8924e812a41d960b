#include "app/server/metrics.hpp"

namespace gdalmcp::app {

namespace {

std::string number(double v) { return base::write_json(json::value(v)); }

void head(std::string& out, const std::string& name, const std::string& type, const std::string& help) {
    out += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

void sample(std::string& out, const std::string& name, const std::string& labels, double value) {
    out += name + (labels.empty() ? "" : "{" + labels + "}") + " " + number(value) + "\n";
}

}  // namespace

std::string label(const char* name, std::string_view value) {
    std::string out = std::string{name} + "=\"";
    for (const char c : value) {
        if (c == '\\' || c == '"') out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out + '"';
}

void metrics::count(const std::string& tool, const outcome& o, std::chrono::duration<double> took) {
    std::pair key{tool, o.problem ? o.problem->code : o.ask ? "input_required" : "ok"};
    if (calls_.size() >= max_series && !calls_.count(key)) key.second = "other";  // codes are a tool's word
    ++calls_[std::move(key)];
    for (const auto& r : o.receipts)
        ++decisions_[{std::string{base::string_member(r, "domain")}, std::string{base::string_member(r, "decision")}}];
    ++seconds_.count;
    seconds_.sum += took.count();
    for (std::size_t i = 0; i < bounds.size(); ++i)
        if (took.count() <= bounds[i]) ++seconds_.at_most[i];
}

std::string metrics::text(const std::vector<metric_family>& now) const {
    std::string out;
    head(out, "gdal_mcp_calls_total", "counter", "Completed tool calls, by tool and outcome.");
    for (const auto& [key, n] : calls_)
        sample(out, "gdal_mcp_calls_total", label("tool", key.first) + "," + label("outcome", key.second),
               static_cast<double>(n));
    head(out, "gdal_mcp_decisions_total", "counter", "Decisions about reasons, by domain.");
    for (const auto& [key, n] : decisions_)
        sample(out, "gdal_mcp_decisions_total", label("domain", key.first) + "," + label("decision", key.second),
               static_cast<double>(n));
    head(out, "gdal_mcp_call_seconds", "histogram", "Run time of a tool call, without the wait for a slot.");
    for (std::size_t i = 0; i < bounds.size(); ++i)
        sample(out, "gdal_mcp_call_seconds_bucket", label("le", number(bounds[i])),
               static_cast<double>(seconds_.at_most[i]));
    sample(out, "gdal_mcp_call_seconds_bucket", label("le", "+Inf"), static_cast<double>(seconds_.count));
    sample(out, "gdal_mcp_call_seconds_sum", "", seconds_.sum);
    sample(out, "gdal_mcp_call_seconds_count", "", static_cast<double>(seconds_.count));
    for (const auto& f : now) {
        head(out, f.name, f.type, f.help);
        for (const auto& [labels, value] : f.samples) sample(out, f.name, labels, value);
    }
    return out;
}

}  // namespace gdalmcp::app
