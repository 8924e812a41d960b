#include "app/call/replay_plan.hpp"

#include <map>

#include "workspace/provenance.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::fail;
using base::result;

namespace {

constexpr std::size_t max_steps = 1000;

const json::object* object_in(const json::object& o, std::string_view name) {
    const auto* found = o.if_contains(name);
    return found ? found->if_object() : nullptr;
}

// The step wrote what the input was when it was read; of an input too large for a digest of the whole, its size tells.
bool made(const json::object& step, const json::object& input) {
    const auto* output = object_in(step, "output");
    if (!output) return false;
    const auto digest = base::string_member(input, "sha256");
    if (!digest.empty()) return base::string_member(*output, "sha256") == digest;
    const auto *wrote = output->if_contains("size_bytes"), *read = input.if_contains("size");
    return input.contains("partial_sha256") && wrote && read && *wrote == *read;
}

// The content of a file is recorded with the later steps, as far as it had not changed then.
void add_digests(std::vector<replayed_input>& inputs, const json::object& copy) {
    const auto& others = copy.at("inputs").get_array();
    for (std::size_t i = 0; i < inputs.size() && i < others.size(); ++i)
        if (inputs[i].record.contains("changed")) inputs[i].record = others[i].get_object();
}

class planner {
public:
    explicit planner(const step_reader& step_behind) : step_behind_{step_behind} {}

    // The step that wrote `output`, and its place among the step's outputs.
    struct place {
        std::size_t step = 0, output = 0;
    };
    result<place> add(const json::object& record, replayed_output output) {
        const auto name = output.uri.empty() ? output.file.string() : output.uri;
        if (auto ok = check(record, name); !ok) return tl::unexpected{std::move(ok.error())};
        output.record = *object_in(record, "output");
        const auto call = call_of(record);
        auto known = known_.find(call);
        if (known == known_.end()) {
            if (known_.size() >= max_steps)
                return fail(base::code::exhausted,
                            "more than " + std::to_string(max_steps) + " steps lie behind " + name,
                            "replay one of its inputs first");
            known_[call] = std::nullopt;  // until its inputs are planned
            auto made = inputs_of(record);
            if (!made) return tl::unexpected{std::move(made.error())};
            steps_.push_back({record, std::move(*made), {}});
            steps_.back().record.erase("results");
            known_[call] = steps_.size() - 1;
            known = known_.find(call);
        }
        if (!known->second)
            return fail(base::code::invalid_argument,
                        "the provenance records form a circle: " + name + " is made from itself",
                        "a record was edited; make that file again, or delete the record beside it");
        auto& step = steps_[*known->second];
        add_digests(step.inputs, record);
        return place{*known->second, place_among(step.outputs, std::move(output))};
    }

    std::vector<replayed_step> take() { return std::move(steps_); }

private:
    static result<void> check(const json::object& record, const std::string& name) {
        const auto* output = object_in(record, "output");
        std::string lacks;
        if (base::string_member(record, "tool").empty()) lacks = "the tool";
        if (!object_in(record, "arguments")) lacks = "the arguments";
        if (base::string_member(record, "started").empty()) lacks = "the time of the call";
        if (!output || base::string_member(*output, "argument").empty()) lacks = "the argument that names the output";
        const auto* inputs = record.if_contains("inputs");
        if (!inputs || !inputs->is_array()) lacks = "the inputs";
        if (lacks.empty())
            for (const auto& in : inputs->get_array())
                if (base::string_member(in, "path").empty() || base::string_member(in, "argument").empty() ||
                    base::string_member(in, "uri").empty())
                    lacks = "the argument, name and path of an input";
        if (lacks.empty()) return {};
        return fail(base::code::invalid_argument, "the provenance record of " + name + " lacks " + lacks,
                    "it was edited, or written by another version; make the file again");
    }

    static std::string call_of(const json::object& record) {
        return base::write_json(json::array{base::string_member(record, "tool"), base::string_member(record, "started"),
                                            record.at("arguments")});
    }

    result<std::vector<replayed_input>> inputs_of(const json::object& record) {
        std::vector<replayed_input> all;
        for (const auto& one : record.at("inputs").get_array()) {
            replayed_input in{one.get_object(), std::nullopt};
            auto from = source_of(record, in.record);
            if (!from) return tl::unexpected{std::move(from.error())};
            if (*from) in.step = (*from)->step, in.output = (*from)->output;
            all.push_back(std::move(in));
        }
        return all;
    }

    result<std::optional<place>> source_of(const json::object& record, const json::object& input) {
        const std::string uri{base::string_member(input, "uri")};
        const fs::path file{std::string{base::string_member(input, "path")}};
        const auto behind_result = workspace::step_behind_result(record, uri);
        const auto step = behind_result ? behind_result : step_behind_(file, uri);
        if (!step || (!behind_result && !made(*step, input))) return std::nullopt;
        return add(*step, behind_result ? replayed_output{{}, {}, uri} : replayed_output{{}, file, ""});
    }

    static std::size_t place_among(std::vector<replayed_output>& outputs, replayed_output wanted) {
        const auto argument = base::string_member(wanted.record, "argument");
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (base::string_member(outputs[i].record, "argument") == argument) return i;
        outputs.push_back(std::move(wanted));
        return outputs.size() - 1;
    }

    const step_reader& step_behind_;
    std::vector<replayed_step> steps_;
    std::map<std::string, std::optional<std::size_t>> known_;  // by call
};

}  // namespace

result<std::vector<replayed_step>> plan_replay(const fs::path& file, const json::object& record,
                                               const step_reader& step_behind) {
    planner p{step_behind};
    if (const auto last = p.add(record, {{}, file, ""}); !last) return tl::unexpected{last.error()};
    return p.take();
}

}  // namespace gdalmcp::app
