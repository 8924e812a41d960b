// One call of a plugin's tool: check, plan, gate, run confined, verify, publish, account for it.
#pragma once
#include <chrono>

#include "app/calls/call_facts.hpp"
#include "app/calls/host.hpp"
#include "workspace/access.hpp"
#include "workspace/input_files.hpp"
#include "workspace/provenance.hpp"

namespace gdalmcp::app {

// What a call leaves behind: its process, which may still be ending, and the folder that could write to until then.
class remains {
public:
    explicit remains(host& h) : host_{h} {}
    ~remains();
    remains(const remains&) = delete;
    remains& operator=(const remains&) = delete;

    std::optional<workspace::temporary_folder> scratch;
    std::unique_ptr<runner::departing> process;

private:
    host& host_;
};

class tool_call {
public:
    tool_call(host& h, std::shared_ptr<const offering> from, const catalog::tool& t, const runner::cancellation& cancel,
              const runner::call_events& events, const client& asker = nobody);
    tool_call(const tool_call&) = delete;
    tool_call& operator=(const tool_call&) = delete;

    outcome run(json::object arguments);

    // As an evidence provider: runs ungated for at most `limit`, writes nothing; the structured result. Remembered for
    // as long as the inputs stay as they are, failures too.
    base::result<json::object> measure(json::object arguments, std::chrono::milliseconds limit);

    // What would this call need? Reads the inputs' facts, runs nothing.
    base::result<json::object> preflight(json::object arguments);

private:
    static const client nobody;  // who can be asked on the command line, and about evidence

    struct written {
        const workspace::output* output;
        workspace::stage place;
        std::size_t chosen = 0;
        json::object report;  // of the verification
    };

    base::result<void> check(json::object arguments);
    base::result<void> plan();
    reflection::call question();
    std::optional<outcome> pass_gate();
    base::result<json::object> measured(std::chrono::milliseconds limit);
    outcome carry_out();
    outcome put_off(questions q);
    base::result<runner::ending> execute();
    base::result<runner::ending> attempt(bool memory);
    base::result<void> spare_inputs(const json::object& prepared);
    base::result<void> verify();
    base::result<void> leave_only_parts(written& w);
    base::result<void> publish();
    base::result<void> publish_file(written& w);
    base::result<void> keep_result(written& w);
    const std::filesystem::path& scratch() const { return rest_->scratch->path(); }
    workspace::source source(std::size_t k, const json::object& prepared) const;
    std::vector<workspace::source> sources(const json::object& prepared) const;
    dataset_facts::digest_of digest_of_inputs() const;
    base::result<void> leave_provenance(const written& w);
    outcome assemble();
    base::result<json::object> content_block(const json::value& attachment) const;
    base::result<json::object> embedded_resource(std::string_view uri, const json::value& attachment) const;
    bool out_of_memory_space() const;
    void clock(const char* step);

    host& host_;
    const std::shared_ptr<const offering> offering_;
    const catalog::tool& tool_;
    const runner::cancellation& cancel_;
    const runner::call_events& events_;
    const client& asker_;
    std::chrono::system_clock::time_point started_;
    std::chrono::steady_clock::time_point step_;
    json::object times_ms_;

    json::value given_;  // as the caller gave them, without justification
    json::value arguments_;
    json::value justification_;
    std::shared_ptr<remains> rest_;
    workspace::access access_;
    workspace::input_files input_files_;  // once the worker has opened the inputs
    evidence_taker evidence_;
    json::array receipts_;
    json::object prepared_;  // what the worker said before plugin code ran
    json::object done_;      // what came after
    std::vector<written> written_;
    confined_work::hashing hashing_;             // of the inputs, while the tool runs
    std::optional<workspace::digests> digests_;  // what came of it
    json::array outputs_;                        // what the result says of each output
    json::array warnings_, checks_;
    bool results_changed_ = false;
};

}  // namespace gdalmcp::app
