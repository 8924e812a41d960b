#include "app/server/metrics.hpp"

#include "catch.hpp"

using namespace gdalmcp;
using namespace std::chrono_literals;
using app::label;
using app::metrics;
using app::outcome;

namespace {

// The lines of a text that begin like this.
std::vector<std::string> lines(const std::string& text, const std::string& beginning) {
    std::vector<std::string> found;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = text.find('\n', at);
        if (text.compare(at, beginning.size(), beginning) == 0) found.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return found;
}

}  // namespace

TEST_CASE("calls are counted by tool and outcome") {
    metrics m;
    m.count("warp", {}, 1s);
    m.count("warp", {}, 1s);
    m.count("warp", outcome::failure({base::code::denied, "no", "", ""}), 1s);
    outcome asks;
    asks.ask.emplace();
    m.count("info", asks, 1s);
    CHECK(lines(m.text({}), "gdal_mcp_calls_total") ==
          std::vector<std::string>{R"(gdal_mcp_calls_total{tool="info",outcome="input_required"} 1)",
                                   R"(gdal_mcp_calls_total{tool="warp",outcome="denied"} 1)",
                                   R"(gdal_mcp_calls_total{tool="warp",outcome="ok"} 2)"});
}

TEST_CASE("error codes invented by a tool do not fill the memory") {
    metrics m;
    for (int i = 0; i < 3000; ++i) m.count("t", outcome::failure({"made_up_" + std::to_string(i), "no", "", ""}), 1s);
    const auto told = lines(m.text({}), "gdal_mcp_calls_total");
    CHECK(told.size() == 2001);
    CHECK(std::count(told.begin(), told.end(), R"(gdal_mcp_calls_total{tool="t",outcome="other"} 1000)") == 1);
}

TEST_CASE("decisions are counted by domain") {
    metrics m;
    outcome o;
    o.receipts.push_back(base::json::object{{"domain", "crs_datum"}, {"decision", "proceed"}});
    o.receipts.push_back(base::json::object{{"domain", "resampling"}, {"decision", "warn"}});
    m.count("warp", o, 1s);
    m.count("warp", o, 1s);
    CHECK(lines(m.text({}), "gdal_mcp_decisions_total") ==
          std::vector<std::string>{R"(gdal_mcp_decisions_total{domain="crs_datum",decision="proceed"} 2)",
                                   R"(gdal_mcp_decisions_total{domain="resampling",decision="warn"} 2)"});
}

TEST_CASE("the buckets of the histogram are cumulative and their bounds belong to them") {
    metrics m;
    for (const auto took : {4ms, 5ms, 6ms, 700'000ms}) m.count("warp", {}, took);
    const auto text = m.text({});
    const auto buckets = lines(text, "gdal_mcp_call_seconds_bucket");
    REQUIRE(buckets.size() == 11);
    CHECK(buckets[0] == R"(gdal_mcp_call_seconds_bucket{le="0.005"} 2)");
    CHECK(buckets[1] == R"(gdal_mcp_call_seconds_bucket{le="0.01"} 3)");
    CHECK(buckets[9] == R"(gdal_mcp_call_seconds_bucket{le="600"} 3)");
    CHECK(buckets[10] == R"(gdal_mcp_call_seconds_bucket{le="+Inf"} 4)");
    CHECK(lines(text, "gdal_mcp_call_seconds_count") == std::vector<std::string>{"gdal_mcp_call_seconds_count 4"});
    CHECK(lines(text, "gdal_mcp_call_seconds_sum") == std::vector<std::string>{"gdal_mcp_call_seconds_sum 700.015"});
}

TEST_CASE("each family has its help, its type and then its samples") {
    const auto text =
        metrics{}.text({{"gdal_mcp_tasks", "gauge", "Tasks.", {{label("status", "working"), 2}, {"", 0.5}}}});
    CHECK(text.substr(text.find("# HELP gdal_mcp_tasks")) ==
          "# HELP gdal_mcp_tasks Tasks.\n# TYPE gdal_mcp_tasks gauge\ngdal_mcp_tasks 0.5\n"
          "gdal_mcp_tasks{status=\"working\"} 2\n");
}

TEST_CASE("a label cannot end early or begin another line") {
    CHECK(label("tool", "a\"b\\c\nd") == R"(tool="a\"b\\c\nd")");
}
