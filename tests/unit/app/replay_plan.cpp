#include "app/call/replay_plan.hpp"

#include <map>

#include "catch.hpp"

namespace fs = std::filesystem;
using namespace gdalmcp;
using namespace gdalmcp::app;

namespace {

struct file_read {
    std::string name;  // of a file in /d, or the URI of a managed result
    std::string sha256 = name;
};

// The record of a call that read `inputs` and wrote the file or result `output`, whose digest is its name.
json::object step_record_of(const std::string& tool, const std::vector<file_read>& inputs, const std::string& output,
                            const std::string& argument = "/output") {
    json::array all;
    for (const auto& in : inputs)
        all.push_back(
            json::object{{"argument", "/uri"}, {"uri", in.name}, {"path", "/d/" + in.name}, {"sha256", in.sha256}});
    return {{"tool", tool},
            {"started", "2026-11-25T10:00:00.000Z"},
            {"arguments", json::object{{"uri", inputs.empty() ? "" : inputs.front().name}}},
            {"inputs", std::move(all)},
            {"output", json::object{{"argument", argument}, {"sha256", output}}}};
}

// Records by file, as they lie beside the files.
using records_of_files = std::map<std::string, json::object>;

base::result<std::vector<replayed_step>> planned(const records_of_files& records, const std::string& file) {
    return plan_replay("/d/" + file, records.at(file),
                       [&](const fs::path& of, const std::string&) -> std::optional<json::object> {
                           const auto found = records.find(of.filename().string());
                           return found == records.end() ? std::nullopt : std::optional{found->second};
                       });
}

// "filter(in) slope(1) calc(2 in)": each step with the steps that make its inputs.
std::string shown(const base::result<std::vector<replayed_step>>& steps) {
    if (!steps) return steps.error().message;
    std::string all;
    for (const auto& s : *steps) {
        std::string inputs;
        for (const auto& in : s.inputs)
            inputs += (inputs.empty() ? "" : " ") +
                      (in.step ? std::to_string(*in.step + 1) : std::string{base::string_member(in.record, "uri")});
        all += (all.empty() ? "" : " ") + std::string{base::string_member(s.record, "tool")} + "(" + inputs + ")";
    }
    return all;
}

}  // namespace

TEST_CASE("a file without earlier steps is one step on data") {
    CHECK(shown(planned({{"a", step_record_of("convert", {{"in"}}, "a")}}, "a")) == "convert(in)");
}

TEST_CASE("steps come after those they read from, each call once though two steps read its output") {
    const records_of_files diamond{{"a", step_record_of("filter", {{"in"}}, "a")},
                                   {"b", step_record_of("slope", {{"a"}}, "b")},
                                   {"c", step_record_of("shade", {{"a"}}, "c")},
                                   {"d", step_record_of("calc", {{"b"}, {"c"}, {"in"}}, "d")}};
    CHECK(shown(planned(diamond, "d")) == "filter(in) slope(1) shade(1) calc(2 3 in)");
}

TEST_CASE("the steps behind managed results are in the record, and lead to files in turn") {
    auto last = step_record_of("calc", {{"query://result/2"}}, "d");
    last["results"] = json::object{{"query://result/2", step_record_of("slope", {{"query://result/1"}}, "r2")},
                                   {"query://result/1", step_record_of("filter", {{"a"}}, "r1")}};
    const records_of_files records{{"a", step_record_of("convert", {{"in"}}, "a")}, {"d", last}};
    const auto steps = planned(records, "d");
    CHECK(shown(steps) == "convert(in) filter(1) slope(2) calc(3)");
    CHECK(steps->at(1).outputs.at(0).uri == "query://result/1");
    CHECK(steps->at(0).outputs.at(0).file == "/d/a");
    CHECK_FALSE(steps->at(3).record.contains("results"));
}

TEST_CASE("a file that was something else when it was read is data, whatever its record says now") {
    CHECK(shown(planned(
              {{"a", step_record_of("convert", {{"in"}}, "a")}, {"b", step_record_of("slope", {{"a", "older"}}, "b")}},
              "b")) == "slope(a)");
}

TEST_CASE("of an input without a digest of the whole, the size tells") {
    auto made = step_record_of("convert", {{"in"}}, "a"), read = step_record_of("slope", {{"a"}}, "b");
    made["output"].as_object()["size_bytes"] = 7;
    auto& input = read["inputs"].as_array()[0].as_object();
    input.erase("sha256");
    input["partial_sha256"] = "p";
    input["size"] = 7;
    CHECK(shown(planned({{"a", made}, {"b", read}}, "b")) == "convert(in) slope(1)");
    input["size"] = 8;
    CHECK(shown(planned({{"a", made}, {"b", read}}, "b")) == "slope(a)");
}

TEST_CASE("one call that made two of the files is one step with two outputs") {
    const records_of_files records{{"basins", step_record_of("delineate", {{"in"}}, "basins", "/basins")},
                                   {"streams", step_record_of("delineate", {{"in"}}, "streams", "/streams")},
                                   {"d", step_record_of("overlay", {{"streams"}, {"basins"}}, "d")}};
    const auto steps = planned(records, "d");
    CHECK(shown(steps) == "delineate(in) overlay(1 1)");
    CHECK(steps->at(0).outputs.size() == 2);
    CHECK(steps->at(1).inputs.at(1).output == 1);
}

TEST_CASE("a digest that one copy of a record lacks is taken from another") {
    auto last = step_record_of("calc", {{"query://result/1"}, {"b"}}, "d"),
         early = step_record_of("slope", {{"query://result/1"}}, "b");
    auto behind = step_record_of("filter", {{"in"}}, "r1");
    early["results"] = json::object{{"query://result/1", behind}};
    auto& changed = behind["inputs"].as_array()[0].as_object();
    changed.erase("sha256");
    changed["changed"] = true;
    last["results"] = json::object{{"query://result/1", behind}};
    const auto steps = planned({{"b", early}, {"d", last}}, "d");
    CHECK(shown(steps) == "filter(in) slope(1) calc(1 2)");
    CHECK(base::string_member(steps->at(0).inputs.at(0).record, "sha256") == "in");
}

TEST_CASE("records in a circle, made by an editor, are refused") {
    CHECK(shown(planned({{"a", step_record_of("convert", {{"b"}}, "a")}, {"b", step_record_of("slope", {{"a"}}, "b")}},
                        "b")) == "the provenance records form a circle: /d/b is made from itself");
}

TEST_CASE("a record that lacks what the call needs is refused by name") {
    const auto lacks = [](const char* member, const char* what) {
        auto one = step_record_of("convert", {{"in"}}, "a");
        one.erase(member);
        const records_of_files records{{"a", one}, {"b", step_record_of("slope", {{"a"}}, "b")}};
        CHECK(shown(planned(records, "a")) == std::string{"the provenance record of /d/a lacks "} + what);
    };
    lacks("tool", "the tool");
    lacks("arguments", "the arguments");
    lacks("started", "the time of the call");
    lacks("inputs", "the inputs");
    lacks("output", "the argument that names the output");
    auto one = step_record_of("convert", {{"in"}}, "a");
    for (const char* member : {"path", "argument", "uri"}) {
        auto damaged = one;
        damaged["inputs"].as_array()[0].as_object()[member] = 7;
        CHECK(shown(planned({{"a", damaged}}, "a")) ==
              "the provenance record of /d/a lacks the argument, name and path of an input");
    }
    one["inputs"].as_array().emplace_back("text");
    CHECK_FALSE(planned({{"a", one}}, "a"));
}

TEST_CASE("a chain of a thousand steps is planned, and no more") {
    records_of_files records{{"0", step_record_of("step", {{"in"}}, "0")}};
    for (int i = 1; i <= 1000; ++i) {
        records[std::to_string(i)] = step_record_of("step", {{std::to_string(i - 1)}}, std::to_string(i));
    }
    CHECK(planned(records, "999").value().size() == 1000);
    CHECK(shown(planned(records, "1000")) == "more than 1000 steps lie behind /d/0");
}
