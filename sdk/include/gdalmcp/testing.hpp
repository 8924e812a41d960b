// gdalmcp/testing.hpp — runs a tool in this process, without a host: for the unit tests of a plugin. Header-only,
// standard library only, no test framework.
//
//   gdalmcp::testing::run r{gdalmcp_plugin_v1(GDALMCP_ABI_MINOR), "acme_height_range"};
//   r.arguments(R"({"uri": "hill.asc"})");
//   assert(r.status() == GDALMCP_OK);
//   assert(r.number("/lowest") == 3);
//
// Link the plugin's sources into the test, or include them. Like a host, it validates the arguments, fills in defaults,
// gives outputs a path in a temporary folder, and refuses a result that violates the output schema. Unlike a host, it
// confines nothing, re-opens no output, requires no reasons, and uses input paths as given (relative to the current
// folder). A tool that uses GDAL needs GDALAllRegister() first; a host has already called it.
//
// A tool that asks runs in rounds, as in a host, until it is done or asks a question the test does not answer:
//
//   r.answers("user_name", R"({"name": "Ada"})");
//   assert(r.asked().empty() && r.lines() == std::vector<std::string>{"Hello, Ada!"});
#pragma once
#include <gdalmcp/testing_host.hpp>
#include <gdalmcp/testing_schema.hpp>

#include <algorithm>
#include <random>

namespace gdalmcp::testing {

// One call of one tool. Set it up, then query it: the first query runs the tool, once.
class run : private detail::host {
public:
    explicit run(const gdalmcp_tool* tool) : tool_{tool} {
        if (!tool_) throw std::invalid_argument{"gdalmcp::testing::run: there is no such tool"};
        std::random_device random;
        do folder_ = std::filesystem::temp_directory_path() / ("gdalmcp-testing-" + std::to_string(random()));
        while (!std::filesystem::create_directory(folder_));
    }
    run(const gdalmcp_plugin* plugin, std::string_view tool, std::string_view arguments_object = "{}")
        : run{find(plugin, tool)} {
        arguments(arguments_object);
    }
    ~run() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    run(const run&) = delete;
    run& operator=(const run&) = delete;

    // ---- set-up

    run& arguments(std::string_view object) {
        given_ = parse(object);
        return *this;
    }
    // progress() returns 0 from this fraction on.
    run& cancel_after(double fraction) {
        cancel_after_ = fraction;
        return *this;
    }
    // Behaves as a host of an earlier ABI minor.
    run& host_minor(std::uint32_t minor) {
        table_ = functions(minor);
        return *this;
    }
    // The client accepts the form `question` with these fields, an object; or declines it.
    run& answers(std::string_view question, std::string_view fields) {
        return responds(question, "{\"action\":\"accept\",\"content\":" + std::string{fields} + "}");
    }
    run& declines(std::string_view question) { return responds(question, R"({"action":"decline"})"); }
    // The answer of the client's model.
    run& model_says(std::string_view question, std::string_view text) {
        return responds(question, R"({"role":"assistant","model":"test","content":{"type":"text","text":)" +
                                      gdalmcp::detail::quote(text) + "}}");
    }
    // Any answer, as the client sends it: {"roots": […]}, or one that does not fit the question.
    run& responds(std::string_view question, std::string_view answer) {
        responses_.member(question) = parse(answer);
        return *this;
    }
    // The kinds of questions the client supports; by default elicitation, sampling and roots.
    run& client_can(std::vector<std::string> what) {
        client_can_ = std::move(what);
        return *this;
    }

    // ---- questions

    // The status run() returned; GDALMCP_INVALID_ARGUMENT without running if the schema refuses the arguments,
    // GDALMCP_INTERNAL if the result violates the output schema.
    gdalmcp_status status() { return ran().status_; }
    std::string error_message() { return ran().message_; }
    std::string error_hint() { return ran().hint_; }
    std::vector<std::string> lines() { return ran().lines_; }
    std::vector<std::string> warnings() { return ran().warnings_; }
    std::vector<attachment> attachments() { return ran().attachments_; }
    std::vector<double> progress() { return ran().progress_; }  // every fraction reported
    bool takes_long() { return ran().takes_long_; }
    // The open questions by name, each with its request: {"method", "params"}.
    std::vector<std::string> asked() { return ran().questions_.names; }
    std::string question(std::string_view name) {
        const auto* q = ran().questions_.find(name);
        if (!q) throw std::out_of_range{"the tool does not ask '" + std::string{name} + "'"};
        return write(*q);
    }
    std::size_t rounds() { return ran().rounds_; }

    // The result at a JSON Pointer. Throws std::out_of_range where there is nothing of that kind.
    bool has(std::string_view at) { return at_pointer(ran().result_, at) != nullptr; }
    bool flag(std::string_view at) { return part(at, {GDALMCP_BOOL}).flag; }
    std::int64_t integer(std::string_view at) { return part(at, {GDALMCP_INTEGER}).integer; }
    double number(std::string_view at) { return part(at, {GDALMCP_NUMBER, GDALMCP_INTEGER}).number; }
    std::string text(std::string_view at) { return part(at, {GDALMCP_STRING}).text; }
    std::size_t size(std::string_view at) { return part(at, {GDALMCP_ARRAY, GDALMCP_OBJECT}).items.size(); }
    std::string result_json() { return write(ran().result_); }

    // The output path given to the tool; deleted with this object.
    std::string output(std::string_view at = "/output") {
        const auto* path = at_pointer(ran().arguments_, at);
        if (!path) throw std::out_of_range{"there is no argument '" + std::string{at} + "'"};
        return path->text;
    }
    // The tool's expect() of an output, as JSON; empty: none.
    std::string expectation(std::string_view at = "/output") {
        for (const auto& [where, json] : ran().expectations_)
            if (where == at) return json;
        return {};
    }

private:
    static const gdalmcp_tool* find(const gdalmcp_plugin* plugin, std::string_view tool) {
        for (std::uint32_t i = 0; plugin && i < plugin->tool_count; ++i)
            if (tool == plugin->tools[i]->name) return plugin->tools[i];
        return nullptr;
    }

    run& ran() {
        if (std::exchange(done_, true)) return *this;
        const json schema = parse(tool_->input_schema);
        arguments_ = given_;
        if (auto why = check(schema, arguments_); !why.empty()) {
            status_ = GDALMCP_INVALID_ARGUMENT;
            message_ = why;
            return *this;
        }
        fill_defaults(schema, arguments_);
        place_outputs(schema);
        bool another = true;
        while (another) {
            begin_round();
            another = run_round();
        }
        if (status_ == GDALMCP_OK && !puts_off() && tool_->output_schema)
            if (auto why = check(parse(tool_->output_schema), result_); !why.empty()) {
                status_ = GDALMCP_INTERNAL;
                message_ = "the result is not what the tool declares: " + why;
            }
        return *this;
    }

    // Discards the results and lines of an earlier round.
    void begin_round() {
        ++rounds_;
        result_ = json::empty(GDALMCP_OBJECT);
        questions_ = json::empty(GDALMCP_OBJECT);
        if (std::exchange(keeps_, false)) state_ = next_state_;
        for (auto* texts : {&lines_, &warnings_}) texts->clear();
        attachments_.clear();
        progress_.clear();
        expectations_.clear();
    }
    // Whether another round follows: the tool asked, and there is an answer. Each answer is given once.
    bool run_round() {
        status_ = tool_->run(&table_, as_call(), tool_->self);
        if (status_ == GDALMCP_OK && !message_.empty()) {  // success counts
            warnings_.push_back(tool_->name + std::string{" gave a reason for failure, but then reported success: "} +
                                std::exchange(message_, {}));
            hint_.clear();
        }
        if (status_ != GDALMCP_OK || !puts_off() || rounds_ == max_rounds) return false;
        bool news = keeps_ && questions_.names.empty();
        for (const auto& name : questions_.names)
            if (const auto* answer = responses_.find(name)) {
                answers_.member(name) = *answer;
                responses_.remove(name);
                news = true;
            }
        return news;
    }
    bool puts_off() const { return !questions_.names.empty() || keeps_; }

    // A host gives every output a path of its own, with the caller's file name.
    void place_outputs(const json& schema) {
        const auto* properties = schema.find("properties");
        for (std::size_t i = 0; properties && i < properties->names.size(); ++i) {
            const auto role = properties->items[i].text_of("x-gdalmcp");
            if (role.substr(0, 7) != "output-" || role == "output-crs") continue;
            auto& argument = arguments_.member(properties->names[i]);
            const char* managed = role == "output-table"    ? "result.csv"
                                  : role == "output-vector" ? "result.gpkg"
                                                            : "result.tif";
            const auto name = argument.kind == GDALMCP_STRING ? std::filesystem::path{argument.text}.filename().string()
                                                              : std::string{managed};
            const auto folder = folder_ / ("output" + std::to_string(i));
            std::filesystem::create_directory(folder);
            argument = json::of(std::string_view{(folder / name).string()});
        }
    }

    const json& part(std::string_view at, std::initializer_list<gdalmcp_kind> wanted) {
        const auto* v = at_pointer(ran().result_, at);
        if (!v || std::find(wanted.begin(), wanted.end(), v->kind) == wanted.end())
            throw std::out_of_range{"the result has no such value at '" + std::string{at} + "': " + write(result_) +
                                    (message_.empty() ? "" : "; " + message_)};
        return *v;
    }

    const gdalmcp_tool* tool_;
    json given_ = json::empty(GDALMCP_OBJECT);
    bool done_ = false;
    json responses_ = json::empty(GDALMCP_OBJECT);  // the test's answers, by question

    static constexpr std::size_t max_rounds = 8;  // as in a host
    std::size_t rounds_ = 0;
    gdalmcp_status status_ = GDALMCP_OK;
};

}  // namespace gdalmcp::testing
