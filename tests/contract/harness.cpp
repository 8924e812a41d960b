// gdalmcp/testing.hpp as an author uses it: no host, no test framework.
#undef NDEBUG
#include <gdalmcp/standard.hpp>
#include <gdalmcp/testing.hpp>
#include <gdalmcp/tool.hpp>

#include <cassert>
#include <fstream>

using gdalmcp::arg;
using gdalmcp::field;
using gdalmcp::testing::run;

namespace {

const arg<std::int64_t> rows{.name = "rows", .about = "How many rows.", .fallback = 4, .min = 1};
const arg<double> step{.name = "step", .about = "Between two values.", .fallback = 0.5};
const arg<gdalmcp::output_table> output{.name = "output", .about = "A CSV file."};
const field<double> last{"last", "The last value."}, value{"value", "A value."}, spare{"spare", "Undeclared."};
const field<std::string> unit{"unit", "Its unit."};
const gdalmcp::table values{"values", "The values.", {value}};

void count(gdalmcp::call& call) {
    std::ofstream file{call[output].path};
    for (std::int64_t i = 0; i < call[rows]; ++i) {
        call.progress(static_cast<double>(i) / static_cast<double>(call[rows]));
        file << i << "\n";
        call.add(values).put(value, static_cast<double>(i) * call[step]);
    }
    call.expect(output, {.features = 4});
    call.put(last, static_cast<double>(call[rows] - 1) * call[step]);
    call.put(unit, "m");
    if (call[step] == 0.0) call.warn("all values are equal");
    if (call[step] < 0.0) call.put(spare, 1);
    if (call[step] > 9.0) throw gdalmcp::error{GDALMCP_UNSUPPORTED, "steps above 9", "take a smaller step"};
}

const gdalmcp::tool counting{
    {.name = "counting", .title = "Count", .about = "Counts."}, count, {rows, step, output}, {last, values, unit}};

const arg<double> weight{.name = "weight", .about = "Its weight."};
const arg<std::optional<std::int64_t>> band{.name = "band", .about = "Its band."};
const gdalmcp::named_objects parts{"parts", "Parts by name.", {weight, band}};

void list_parts(gdalmcp::call& call) {
    std::string all;
    for (const auto& [name, part] : call[parts])
        all += name + "=" + gdalmcp::detail::number(part[weight]) + "/" + std::to_string(part[band].value_or(0)) + " ";
    call.put(unit, all);
}

const gdalmcp::tool listing{{.name = "listing", .title = "List", .about = "Lists parts."}, list_parts, {parts}, {unit}};

void objects_may_have_names_of_the_caller() {
    run r{listing.abi()};
    r.arguments(
        R"({"parts": {"B": {"weight": 2, "band": 3}, "A": 0.5, "odd \u007d name": {"weight": 1}, "C": {"weight": -1}}})");
    assert(r.status() == GDALMCP_OK);
    assert(r.text("/unit").find("B=2/3 A=0.5/0 ") == 0);
    assert(r.text("/unit").find("C=-1/0 ") != std::string::npos);
    using gdalmcp::detail::member_names;
    assert((member_names(R"({"a":{"inner":1},"b":["x",{"y":2}],"c":"d:e{","f\"g":1})") ==
            std::vector<std::string>{"a", "b", "c", R"(f\"g)"}));
    assert(member_names("{}").empty());
}

void reads_defaults_and_builds_a_result() {
    run r{counting.abi()};
    assert(r.status() == GDALMCP_OK);
    assert(r.number("/last") == 1.5);
    assert(r.text("/unit") == "m");
    assert(r.size("/values") == 4 && r.number("/values/3/value") == 1.5);
    assert(r.warnings().empty());
    assert(!r.has("/spare"));
    assert((r.progress() == std::vector<double>{0, 0.25, 0.5, 0.75}));
}

void a_second_run_starts_afresh() {
    run r{counting.abi()};
    r.arguments(R"({"rows": 2, "step": 0})");
    assert(r.status() == GDALMCP_OK);
    assert(r.result_json() == R"({"values":[{"value":0},{"value":0}],"last":0,"unit":"m"})");
    assert(r.warnings() == std::vector<std::string>{"all values are equal"});
}

void outputs_lie_in_a_folder_that_goes_away() {
    std::string path;
    {
        run managed{counting.abi()};
        assert(managed.status() == GDALMCP_OK);
        assert(std::filesystem::path{managed.output()}.filename() == "result.csv");
        run named{counting.abi()};
        named.arguments(R"({"output": "/anywhere/mine.csv"})");
        assert(named.status() == GDALMCP_OK);
        path = named.output();
        assert(std::filesystem::path{path}.filename() == "mine.csv" && path != "/anywhere/mine.csv");
        assert(std::filesystem::file_size(path) == 8);
        assert(named.expectation() == R"({"features":4})");
    }
    assert(!std::filesystem::exists(path));
}

void wrong_arguments_do_not_reach_the_tool() {
    run small{counting.abi()};
    small.arguments(R"({"rows": 0})");
    assert(small.status() == GDALMCP_INVALID_ARGUMENT);
    assert(small.error_message() == "'/rows' is 0: below 1");
    run unknown{counting.abi()};
    unknown.arguments(R"({"lines": 3})");
    assert(unknown.error_message() == "'/lines' is not declared");
    assert(unknown.progress().empty());
}

void a_result_that_was_not_declared_is_refused() {
    run r{counting.abi()};
    r.arguments(R"({"step": -1})");
    assert(r.status() == GDALMCP_INTERNAL);
    assert(r.error_message() == "the result is not what the tool declares: '/spare' is not declared");
    const gdalmcp::tool lazy{
        {.name = "lazy", .title = "Lazy", .about = "Puts nothing."}, [](gdalmcp::call&) {}, {}, {last}};
    run nothing{lazy.abi()};
    assert(nothing.error_message() == "the result is not what the tool declares: '/last' is missing");
}

void failures_and_stops_are_told() {
    run failing{counting.abi()};
    failing.arguments(R"({"step": 10})");
    assert(failing.status() == GDALMCP_UNSUPPORTED);
    assert(failing.error_message() == "steps above 9" && failing.error_hint() == "take a smaller step");
    run stopped{counting.abi()};
    stopped.cancel_after(0.5);
    assert(stopped.status() == GDALMCP_CANCELLED);
    assert((stopped.progress() == std::vector<double>{0, 0.25, 0.5}));
}

const gdalmcp::tool second_half{{.name = "second_half", .title = "Half", .about = "Works in the second half."},
                                [](gdalmcp::call& call) {
                                    const auto tick = call.part(0.5, 1, "second half");
                                    for (const double done : {0.0, 0.5, 1.0}) tick(done);
                                },
                                {},
                                {}};

void a_part_of_the_work_reports_its_part_of_the_call() {
    run r{second_half};
    assert(r.status() == GDALMCP_OK);
    assert((r.progress() == std::vector<double>{0.5, 0.75, 1}));
    run stopped{second_half};
    stopped.cancel_after(0.75);
    assert(stopped.status() == GDALMCP_CANCELLED);
}

void a_standard_argument_in_other_words_is_otherwise_the_same() {
    namespace standard = gdalmcp::standard;
    const auto mine = standard::described(standard::band, "Band of the heights.");
    assert(std::string_view{mine.name} == "band" && *mine.fallback == *standard::band.fallback);
    assert(std::string_view{mine.about} == "Band of the heights.");
    assert(std::string_view{standard::band.about} != mine.about);
}

gdalmcp_status put_oddly(const gdalmcp_host* h, gdalmcp_call* c, const void*) {
    const auto text = [](std::string_view s) { return gdalmcp_str{s.data(), s.size()}; };
    for (const char* at : {"", "last", "/~2", "/last/~"})
        assert(h->put_int(c, text(at), 1) == GDALMCP_INVALID_ARGUMENT);
    assert(h->put_json(c, {nullptr, 0}, {nullptr, 0}) == GDALMCP_INVALID_ARGUMENT);
    assert(h->put_json(c, {nullptr, 0}, text(R"({"last": 1})")) == GDALMCP_OK);
    assert(h->put_string(c, text("/unit"), {nullptr, 0}) == GDALMCP_OK);
    h->fail(c, GDALMCP_IO, text("a second try"), {nullptr, 0});
    return GDALMCP_OK;
}

void the_abi_is_that_of_a_host() {
    const gdalmcp_tool odd{sizeof(gdalmcp_tool),   0,       "odd",      nullptr, "Puts where nothing can be put.",
                           R"({"type":"object"})", nullptr, &put_oddly, nullptr};
    run r{&odd};
    assert(r.status() == GDALMCP_OK && r.error_message().empty());
    assert(r.result_json() == R"({"last":1,"unit":""})");
    assert(r.warnings() ==
           std::vector<std::string>{"odd gave a reason for failure, but then reported success: a second try"});
}

void every_kind_crosses_as_in_a_host() {
    const auto* plugin = gdalmcp_plugin_v1(GDALMCP_ABI_MINOR);
    const std::string arguments =
        R"({"whole":9007199254740991,"word":"\u00c5\ud83d\ude00\"\n","system":"EPSG:3857","area":[1,2,3.5,4],)"
        R"("object":{"a":[1,{"b":null}]},"numbers":[1,2.5e0],"words":["x",""],"maybe":0,"bands":[3,1],)"
        R"("window":{"scale":2.0},"classes":[{"label":"low"}]})";
    run r{plugin, "every_kind"};
    r.arguments(arguments);
    assert(r.status() == GDALMCP_OK);
    assert(r.result_json() ==
           "{\"yes\":true,\"whole\":9007199254740991,\"real\":0.5,\"word\":\"\u00c5\U0001f600\\\"\\u000a\",\"pick\":"
           "\"left\","
           R"("system":"EPSG:3857","box":[1,2,3.5,4],"geojson":"","object":{"a":[1,{"b":null}]},"numbers":[1,2.5],)"
           R"("words":["x",""],"maybe":true,"bands":[3,1],"left":0,"scale":true,"place":"",)"
           R"("classes":[{"label":"low","from":0}],"rows":[{"column":0},{"column":1},{"column":2}],"none":[],)"
           R"("inner":{"column":7}})");
    assert(r.takes_long());
    assert(r.attachments().size() == 6 && r.attachments()[2].kind == GDALMCP_LINK);
    assert(r.attachments()[2].bytes == "https://example.org/legend" && r.attachments()[2].name == "Legend");
    assert(r.attachments()[3].kind == GDALMCP_AUDIO && r.attachments()[3].bytes == "RIFF");
    assert(r.attachments()[4].kind == GDALMCP_RESOURCE && r.attachments()[4].uri == "acme://legend");
    run old{plugin, "every_kind"};
    old.arguments(arguments).host_minor(0);
    assert(old.status() == GDALMCP_OK);
    assert(old.attachments()[2].kind == GDALMCP_TEXT && old.attachments()[3].kind == GDALMCP_TEXT);
    assert(!old.takes_long());
    assert(old.attachments()[2].bytes == "Legend: https://example.org/legend");
}

void a_tool_that_asks_is_run_until_it_has_its_answers() {
    const auto* plugin = gdalmcp_plugin_v1(GDALMCP_ABI_MINOR);
    run silent{plugin, "every_question"};
    assert(silent.status() == GDALMCP_OK && silent.rounds() == 1);
    assert(silent.asked() == std::vector<std::string>{"person"});
    assert(silent.question("person").find("\"message\":\"Who are you?\"") != std::string::npos);
    assert(!silent.has("/said"));

    run r{plugin, "every_question"};
    r.answers("person", R"({"name": "Ada", "sure": false, "bands": ["green", "red"]})");
    r.model_says("word", "hello").responds("roots", R"({"roots": []})");
    assert(r.status() == GDALMCP_OK && r.asked().empty() && r.rounds() == 3);
    assert(r.text("/said") == "Ada green red hello yes");

    run alone{plugin, "every_question"};
    alone.answers("person", R"({"name": "Ada", "sure": true, "bands": []})").client_can({"elicitation"});
    assert(alone.status() == GDALMCP_OK && alone.text("/said") == "Ada surely yes");

    run wrong{plugin, "every_question"};
    wrong.answers("person", R"({"name": 5, "bands": []})");
    assert(wrong.asked() == std::vector<std::string>{"person"} && wrong.rounds() == 2);
    run declined{plugin, "every_question"};
    declined.declines("person");
    assert(declined.status() == GDALMCP_DENIED && declined.error_message() == "the user declined 'person'");
    run old{plugin, "every_question"};
    old.host_minor(1);
    assert(old.status() == GDALMCP_UNSUPPORTED);
}

template <class F>
bool throws(F f) {
    try {
        f();
    } catch (const std::logic_error&) {
        return true;
    }
    return false;
}

void mistakes_of_the_test_itself_are_told() {
    run r{counting.abi()};
    assert(throws([&] { r.arguments("{\"rows\": 1"); }));
    assert(throws([&] { r.arguments("{\"rows\": 1,}"); }));
    assert(throws([&] { r.arguments("{\"rows\": one}"); }));
    assert(throws([&] { r.number("/no/such/field"); }));
    assert(throws([&] { r.text("/last"); }));
    assert(throws([&] { r.question("nothing"); }));
    assert(throws([&] { run{gdalmcp_plugin_v1(GDALMCP_ABI_MINOR), "no_such_tool"}; }));
}

}  // namespace

int main() {
    reads_defaults_and_builds_a_result();
    objects_may_have_names_of_the_caller();
    a_second_run_starts_afresh();
    outputs_lie_in_a_folder_that_goes_away();
    wrong_arguments_do_not_reach_the_tool();
    a_result_that_was_not_declared_is_refused();
    failures_and_stops_are_told();
    a_part_of_the_work_reports_its_part_of_the_call();
    a_standard_argument_in_other_words_is_otherwise_the_same();
    the_abi_is_that_of_a_host();
    every_kind_crosses_as_in_a_host();
    a_tool_that_asks_is_run_until_it_has_its_answers();
    mistakes_of_the_test_itself_are_told();
}
