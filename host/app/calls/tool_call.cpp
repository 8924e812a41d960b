#include "app/calls/tool_call.hpp"

#include "app/calls/call_line.hpp"
#include "app/calls/tool_answer.hpp"
#include "app/calls/tool_questions.hpp"
#include "base/hidden_characters.hpp"
#include "base/image.hpp"
#include "base/link.hpp"
#include "base/pointer.hpp"
#include "base/text.hpp"
#include "reflection/bounce.hpp"
#include "workspace/file_system.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

constexpr std::size_t largest_result = 1u << 20;  // bytes of JSON; more belongs into an output

void append(json::array& to, const json::value* from) {
    if (from && from->is_array())
        for (const auto& e : from->get_array()) to.push_back(e);
}

}  // namespace

tool_call::tool_call(host& h, std::shared_ptr<const offering> from, const catalog::tool& t,
                     const runner::cancellation& cancel, const runner::call_events& events, const client& asker)
    : host_{h},
      offering_{std::move(from)},
      tool_{t},
      cancel_{cancel},
      events_{events},
      asker_{asker},
      started_{std::chrono::system_clock::now()},
      step_{std::chrono::steady_clock::now()},
      rest_{std::make_shared<remains>(h)},
      evidence_{h, offering_, cancel} {}

const client tool_call::nobody;

remains::~remains() {
    process.reset();
    if (scratch) host_.give_back(std::move(*scratch));
}

void tool_call::clock(const char* step) {
    const auto now = std::chrono::steady_clock::now();
    times_ms_[step] = std::chrono::duration<double, std::milli>(now - std::exchange(step_, now)).count();
}

result<void> tool_call::check(json::object arguments) {
    if (const auto* j = arguments.if_contains(catalog::justification_argument)) {
        justification_ = *j;
        arguments.erase(catalog::justification_argument);
        if (justification_.is_string())
            if (auto parsed = base::parse_json(justification_.get_string()); parsed && parsed->is_object())
                justification_ = std::move(*parsed);
    }
    given_ = std::move(arguments);
    tool_.input().reify(given_);
    if (auto ok = tool_.input().check(given_); !ok) return ok;
    arguments_ = given_;
    tool_.input().fill_defaults(arguments_);
    return {};
}

result<void> tool_call::plan() {
    auto planned = workspace::plan(tool_.input().text(), arguments_.get_object(), host_.roots_, host_.results_);
    if (!planned) return tl::unexpected{planned.error()};
    access_ = std::move(*planned);
    auto made = host_.take_scratch();
    if (!made) return tl::unexpected{made.error()};
    rest_->scratch = std::move(*made);
    return {};
}

reflection::call tool_call::question() {
    reflection::call c;
    c.tool = tool_.name;
    c.arguments = arguments_;
    c.justification = justification_;
    c.crs = host_.crs_lookup(cancel_);
    c.facts = [this]() -> result<json::value> {
        auto facts = facts_of_inputs(host_.work_, host_.stated_, access_, scratch(), cancel_, digest_of_inputs());
        if (!facts) return facts;
        for (std::size_t i = 0; i < access_.inputs.size(); ++i) {
            if (!access_.inputs[i].as_geometry) continue;
            auto digest = digest_of_inputs()(access_.inputs[i].path);
            if (!digest) return tl::unexpected{digest.error()};
            facts->at("inputs").at(i).as_object()[digest->name()] = std::move(digest->hex);
        }
        return facts;
    };
    c.evidence = [this](const std::string& tool, const json::object& arguments) {
        return evidence_.measure(tool, arguments);
    };
    c.keep_for_dataset = [this](const std::string& fact, const std::string& value) {
        if (access_.inputs.empty()) return;
        if (auto ok = host_.stated_.keep(access_.inputs.front().path, fact, value, digest_of_inputs()); !ok)
            warnings_.push_back(json::string("what was stated about " + access_.inputs.front().given +
                                             " could not be kept: " + ok.error().message));
    };
    return c;
}

dataset_facts::digest_of tool_call::digest_of_inputs() const {
    return [this](const fs::path& file) { return host_.work_.digest(access_, file, cancel_); };
}

result<json::object> tool_call::measure(json::object arguments, std::chrono::milliseconds limit) {
    if (auto ok = check(std::move(arguments)); !ok) return tl::unexpected{ok.error()};
    if (auto ok = plan(); !ok) return tl::unexpected{ok.error()};
    if (!access_.outputs.empty()) return fail(code::denied, "'" + tool_.name + "' writes, so it cannot be evidence");
    auto key = tool_.name + base::canonical_json(arguments_);
    for (const auto& i : access_.inputs) key += file_state(i.path);
    return host_.measurements_.of(key, [&] { return measured(limit); });
}

result<json::object> tool_call::measured(std::chrono::milliseconds limit) {
    auto e = host_.work_.run(tool_, access_, {}, scratch(), cancel_, {}, {}, limit);
    if (!e) return tl::unexpected{e.error()};
    rest_->process = std::move(e->process);
    if (e->done.contains("ask")) return fail(code::unsupported, "'" + tool_.name + "' asks, so it cannot be evidence");
    if (!tool_.result_schema()) return fail(code::unsupported, "'" + tool_.name + "' declares no result");
    return structured_result(tool_, e->done, {}, {}, {});
}

result<json::object> tool_call::preflight(json::object arguments) {
    if (auto ok = check(std::move(arguments)); !ok) return tl::unexpected{ok.error()};
    if (auto ok = plan(); !ok) return tl::unexpected{ok.error()};
    return offering_->gate().preflight(question());
}

// Nothing, when the call may run; else what it is answered with: a refusal, or questions to the client.
std::optional<outcome> tool_call::pass_gate() {
    auto asked = question();
    auto verdict = offering_->gate().decide(asked);
    if (!verdict) return outcome::failure(verdict.error());
    const auto with_questions = [this](json::object requests) {
        outcome o;
        o.ask = questions{std::move(requests), state_beside_gate(asker_)};
        return o;
    };
    auto said = consult_person(*verdict, tool_.name, asker_);
    if (said.refused) return outcome::failure(*said.refused);
    if (!said.requests.empty()) return with_questions(std::move(said.requests));
    if (!said.answers.empty()) {
        asked.justification = std::move(said.answers);
        verdict = offering_->gate().decide(asked);
        if (!verdict) return outcome::failure(verdict.error());
    }
    if (verdict->runs()) {
        auto looked = host_.second_looks_.look(*verdict, asked, asker_);
        if (looked.refused) return outcome::failure(*looked.refused);
        if (!looked.requests.empty()) return with_questions(std::move(looked.requests));
        for (auto& [domain, note] : looked.notes)
            for (auto& r : verdict->rulings)
                if (r.question->domain == domain) r.notes.push_back(note);
    }
    receipts_ = reflection::receipts(*verdict);
    for (const auto& caution : reflection::cautions(*verdict)) warnings_.push_back(json::string(caution));
    if (verdict->runs()) return std::nullopt;
    auto refused = reflection::bounce(*verdict, asked);
    auto o = outcome::failure({code::needs_justification, std::move(refused.text), "", ""});
    o.body = std::move(refused.body);
    o.receipts = receipts_;
    return o;
}

outcome tool_call::run(json::object arguments) {
    if (auto ok = check(std::move(arguments)); !ok) return outcome::failure(ok.error());
    if (auto ok = plan(); !ok) return outcome::failure(ok.error());
    clock("plan");
    if (offering_->governs(tool_)) {
        if (auto stopped = pass_gate()) return std::move(*stopped);
        clock("gate");
    }
    auto o = carry_out();
    if (o.problem) o.receipts = receipts_;  // what was decided is part of the history of a call that failed
    return o;
}

outcome tool_call::carry_out() {
    auto done = execute();
    if (!done) return outcome::failure(done.error());
    prepared_ = std::move(done->prepared);
    done_ = std::move(done->done);
    rest_->process = std::move(done->process);
    auto asked = asked_by_tool(tool_.name, done_, asker_);
    if (!asked) return outcome::failure(asked.error());
    if (*asked) return put_off(std::move(**asked));
    if (auto ok = verify(); !ok) return outcome::failure(ok.error());
    if (auto ok = publish(); !ok) return outcome::failure(ok.error());
    return assemble();
}

// The tool has asked: it runs again with the answers, and what it has written is thrown away.
outcome tool_call::put_off(questions q) {
    written_.clear();
    outcome o;
    o.ask = std::move(q);
    o.receipts = receipts_;
    o.rest = rest_;
    return o;
}

// ---- running
// -----------------------------------------------------------------------------------------------------------

result<runner::ending> tool_call::execute() {
    auto done = attempt(true);
    if (done || !out_of_memory_space()) return done;
    written_.clear();
    return attempt(false);  // once more, on disk
}

result<runner::ending> tool_call::attempt(bool memory) {
    std::vector<confined_work::planned_output> outputs;
    for (const auto& o : access_.outputs) {
        auto place = o.target ? host_.stages_.beside(*o.target, o.overwrite) : host_.results_.begin(o.file_name);
        if (!place) return tl::unexpected{place.error()};
        auto candidates = place->candidates();
        if (!memory)
            candidates.erase(
                std::remove_if(candidates.begin(), candidates.end(), [](const auto& c) { return c.in_memory; }),
                candidates.end());
        outputs.push_back({o.pointer, o.file_name, std::move(candidates)});
        written_.push_back({&o, std::move(*place), 0, {}});
    }
    auto events = events_;
    const bool leaves_record =
        std::any_of(access_.outputs.begin(), access_.outputs.end(), [](const auto& o) { return o.target.has_value(); });
    if (leaves_record)
        events.prepared = [this](const json::object& prepared) {
            auto spared = spare_inputs(prepared);
            if (spared) hashing_ = host_.work_.begin_hashing(access_, workspace::recorded_files(sources(prepared)));
            return spared;
        };
    auto e =
        host_.work_.run(tool_, access_, outputs, scratch(), cancel_, events, {}, std::nullopt, told_to_tool(asker_));
    if (!e) {
        // A full disk speaks through the tool as any of a dozen messages; this one says what to do.
        for (const auto& w : written_)
            if (auto full = workspace::no_space_left(w.place.candidates().back().folder))
                return tl::unexpected{std::move(*full)};
        return tl::unexpected{e.error()};
    }
    const auto& chosen = e->prepared.at("stages").get_array();
    for (std::size_t i = 0; i < written_.size(); ++i) {
        const auto& all = written_[i].place.candidates();
        written_[i].chosen =
            static_cast<std::size_t>(chosen.at(i).get_int64()) + (all.size() - outputs[i].candidates.size());
    }
    times_ms_["prepare"] = e->prepared.at("prepare_ms");
    if (const auto* t = e->done.if_contains("tool_ms")) times_ms_["tool"] = *t;
    times_ms_["max_rss_kib"] = e->max_rss_kib;
    clock("run");
    return e;
}

// The worker has opened the inputs and says which files they are made of. Some may be what an output is to replace: the
// other parts of a shapefile, the sources of a VRT. What is really written is compared once more when it is published.
result<void> tool_call::spare_inputs(const json::object& prepared) {
    for (std::size_t k = 0; k < access_.inputs.size(); ++k) {
        const auto& in = access_.inputs[k];
        input_files_.add_dataset(in.path, in.given);
        for (const auto& f : prepared.at("inputs").at(k).at("files").get_array())
            input_files_.add(fs::path{std::string_view{f.get_string()}}, in.given);
    }
    for (const auto& o : access_.outputs)
        if (auto ok = o.target ? input_files_.spared_by(*o.target) : result<void>{}; !ok) {
            ok.error().at = o.pointer;
            return ok;
        }
    return {};
}

bool tool_call::out_of_memory_space() const {
    for (const auto& w : written_)
        for (const auto& c : w.place.candidates())
            if (c.in_memory && workspace::no_space_left(c.folder)) return true;
    return false;
}

// ---- what was written
// --------------------------------------------------------------------------------------------------

result<void> tool_call::verify() {
    for (auto& w : written_) {
        const auto& file = w.place.candidates()[w.chosen].file;
        const auto expect = promised_output(tool_, arguments_, done_, w.output->pointer);
        auto report = host_.work_.verify(file, name_of(w.output->role), expect, cancel_);
        if (!report) return tl::unexpected{report.error()};
        w.report = std::move(*report);
        append(checks_, w.report.if_contains("checks"));
        append(warnings_, w.report.if_contains("warnings"));
        if (auto ok = leave_only_parts(w); !ok) return ok;
    }
    if (!written_.empty()) clock("verify");
    return {};
}

// Names are the tool's choice: only a few of them, and of each only what is plain.
static std::string shown(const std::vector<std::string>& names) {
    constexpr std::size_t most = 5;
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
        list += list.empty() ? "'" : ", '";
        for (const char c : names[i]) list += c > ' ' && c < 127 ? c : '?';
        list += "'";
    }
    return list + (names.size() > most ? " and " + std::to_string(names.size() - most) + " more" : "");
}

// A file beside the output that GDAL neither lists nor looks for may be the start of another dataset, or of anything.
result<void> tool_call::leave_only_parts(written& w) {
    std::set<std::string> names;
    for (const auto& name : w.report.at("files").get_array()) names.emplace(name.get_string());
    w.report.erase("files");
    const auto gone = w.place.leave_only(w.chosen, names);
    if (!gone) return tl::unexpected{gone.error()};
    if (!gone->empty())
        warnings_.push_back(json::string(
            "what the tool left beside the output and does not belong to it was not kept: " + shown(*gone)));
    return {};
}

result<void> tool_call::publish() {
    for (auto& w : written_) {
        auto ok = w.output->target ? publish_file(w) : keep_result(w);
        if (!ok) return ok;
    }
    return {};
}

// A definition by its name: whoever needs all of it finds it in the tool's own result, the provenance and the metadata.
static std::string without_definition(std::string_view crs) {
    const auto name = crs.find("[\"");
    if (name == std::string_view::npos) return std::string{crs};
    const auto begin = name + 2;
    return std::string{crs.substr(begin, crs.find('"', begin) - begin)};
}

// What the result says of an output: {uri, path?, driver, size_bytes, crs, sha256}.
static json::object output_member(const json::object& report, std::string uri) {
    json::object o{{"uri", std::move(uri)}};
    for (const char* name : {"driver", "size_bytes", "crs", "sha256"})
        if (const auto* v = report.if_contains(name)) o[name] = *v;
    o["crs"] = without_definition(base::string_member(json::value(o), "crs"));
    return o;
}

result<void> tool_call::publish_file(written& w) {
    if (auto ok = leave_provenance(w); !ok) return ok;
    auto done = w.place.publish(w.chosen, input_files_);
    if (!done) {
        if (done.error().code == code::invalid_argument) done.error().at = w.output->pointer;
        return tl::unexpected{done.error()};
    }
    for (const auto& warning : done->warnings) warnings_.push_back(json::string(warning));
    clock("publish");
    const auto primary = done->files.front().string();
    auto o = output_member(w.report, primary);
    o["path"] = primary;
    outputs_.push_back(std::move(o));
    return {};
}

// Input k with the sidecars the worker read with it. A private copy of a database with a journal stands for the
// original.
workspace::source tool_call::source(std::size_t k, const json::object& prepared) const {
    const auto& i = access_.inputs[k];
    const auto& read = prepared.at("inputs").at(k);
    workspace::source s{i.given, i.path, {}, std::string{base::string_member(read, "crs")}};
    const auto private_copies = scratch().string();
    for (const auto& f : read.at("files").get_array()) {
        const std::string_view file{f.get_string()};
        std::error_code ec;
        if (file != i.path.string() && file.substr(0, private_copies.size()) != private_copies &&
            !std::filesystem::is_directory(file, ec))  // its files are listed beside it
            s.sidecars.emplace_back(file);
    }
    return s;
}

std::vector<workspace::source> tool_call::sources(const json::object& prepared) const {
    std::vector<workspace::source> all;
    for (std::size_t k = 0; k < access_.inputs.size(); ++k) all.push_back(source(k, prepared));
    return all;
}

result<void> tool_call::leave_provenance(const written& w) {
    workspace::provenance p;
    p.tool = tool_.name;
    p.bundle = tool_.bundle->id + " " + tool_.bundle->version;
    p.arguments = given_.get_object();
    p.inputs = sources(prepared_);
    p.decisions = receipts_;
    p.versions = prepared_.at("versions").get_object();
    p.versions["gdal-mcp"] = version;
    p.equivalent_command = call_line(tool_.name, given_);
    append(p.checks, w.report.if_contains("checks"));
    p.started = started_;
    p.finished = std::chrono::system_clock::now();
    if (!digests_) {
        auto made = host_.work_.finish(std::move(hashing_), cancel_);
        if (!made) return tl::unexpected{made.error()};
        digests_ = std::move(*made);
        clock("hash");
    }
    auto record = workspace::provenance_record(p, *digests_);
    if (!record) return tl::unexpected{record.error()};
    auto output = w.report;
    for (const char* told : {"kind", "checks"}) output.erase(told);  // the frame's name; what stands in `checks`
    (*record)["output"] = std::move(output);
    (*record)["times_ms"] = times_ms_;
    return workspace::write_provenance(w.place.candidates()[w.chosen].file, *record);
}

result<void> tool_call::keep_result(written& w) {
    json::object metadata;
    for (const char* name : {"driver", "crs", "bounds", "width", "height", "bands", "dtype", "feature_count"})
        if (const auto* v = w.report.if_contains(name)) metadata[name] = *v;
    // What the tool says about how the result came to be.
    for (const char* name : {"geometry_used", "geometry_crs", "window", "pixel_count"})
        if (const auto* v = base::find_member(done_.at("result"), name)) metadata[name] = *v;
    json::array sources;
    for (const auto& i : access_.inputs) sources.emplace_back(i.given);
    metadata["source"] = std::move(sources);
    metadata["tool"] = tool_.name;
    auto kept = host_.results_.keep(std::move(w.place), w.chosen, std::move(metadata));
    if (!kept) return tl::unexpected{kept.error()};
    for (const auto& id : kept->evicted)
        warnings_.push_back(json::string(workspace::result_uri(id) +
                                         " was dropped to make room; give an output path to what is to stay"));
    results_changed_ = true;
    outputs_.push_back(output_member(w.report, workspace::result_uri(kept->id)));
    return {};
}

// ---- the answer
// --------------------------------------------------------------------------------------------------------

static tl::unexpected<base::problem> denied(const std::string& what) {
    return fail(code::denied, what, "this is a defect of the tool; report it to its author");
}

// The bytes of an attachment, which travels as base64. The frame it came in may be forged.
static result<std::string> bytes_of(const json::value& base64) {
    if (auto bytes = base::from_base64(base64.get_string())) return std::move(*bytes);
    return denied("the tool attaches what is no base64");
}

static json::string shown(std::string_view words) { return json::string(base::with_hidden_shown(words)); }

// A bundle names what it embeds as it names its resources, and by no name that another bundle answers to.
result<json::object> tool_call::embedded_resource(std::string_view uri, const json::value& attachment) const {
    if (!base::is_embeddable_uri(uri))
        return denied("the tool calls a resource '" + std::string{uri} + "', which is no name of its own");
    if (const auto answer = offering_->tools().find_resource(uri); answer && answer->by != tool_.bundle->id)
        return denied("the tool calls a resource '" + std::string{uri} + "', which is one of the bundle '" +
                      answer->by + "'");
    json::object resource{{"uri", uri}};
    if (const auto type = base::string_member(attachment, "media_type"); !type.empty())
        resource["mimeType"] = shown(type);
    for (const char* as : {"text", "blob"})
        if (const auto* bytes = base::find_member(attachment, as)) resource[as] = *bytes;
    if (const auto* blob = resource.if_contains("blob"))
        if (const auto ok = bytes_of(*blob); !ok) return tl::unexpected{ok.error()};
    return json::object{{"type", "resource"}, {"resource", std::move(resource)}};
}

// An attachment as the protocol's content; what it claims is looked at once more.
result<json::object> tool_call::content_block(const json::value& attachment) const {
    const auto media_type = base::with_hidden_shown(attachment.at("media_type").get_string());
    if (const auto* image = base::find_member(attachment, "image")) {
        const auto bytes = bytes_of(*image);
        if (!bytes) return tl::unexpected{bytes.error()};
        if (!base::is_image(*bytes, media_type))
            return denied("the tool attaches an image that is not what it is called, '" + media_type + "'");
        return json::object{{"type", "image"}, {"data", *image}, {"mimeType", media_type}};
    }
    if (const auto* audio = base::find_member(attachment, "audio")) {
        if (const auto ok = bytes_of(*audio); !ok) return tl::unexpected{ok.error()};
        return json::object{{"type", "audio"}, {"data", *audio}, {"mimeType", media_type}};
    }
    if (const auto* uri = base::find_member(attachment, "resource"))
        return embedded_resource(uri->get_string(), attachment);
    if (const auto* text = base::find_member(attachment, "text"))
        return json::object{{"type", "text"}, {"text", *text}};
    const auto link = base::string_member(attachment, "link");
    if (!base::is_offerable_link(link))
        return denied("the tool links to '" + std::string{link} + "'; only https:// pages may be linked");
    json::object block{{"type", "resource_link"}, {"uri", link}, {"name", shown(attachment.at("name").get_string())}};
    if (const auto about = base::string_member(attachment, "description"); !about.empty())
        block["description"] = shown(about);
    if (!media_type.empty()) block["mimeType"] = media_type;
    return block;
}

outcome tool_call::assemble() {
    outcome o;
    o.receipts = receipts_;
    o.results_changed = results_changed_;
    o.rest = rest_;
    json::array all;
    for (const auto& w : done_.at("warnings").get_array()) all.push_back(shown(w.get_string()));
    for (auto& w : warnings_) all.push_back(std::move(w));
    if (tool_.result_schema()) {
        auto structured = structured_result(tool_, done_, outputs_, checks_, std::move(all));
        if (!structured) return outcome::failure(structured.error());
        if (const auto size = base::write_json(json::value(*structured)).size(); size > largest_result)
            return outcome::failure(
                {code::exhausted,
                 "the result has " + std::to_string(size) + " bytes; the limit is " + std::to_string(largest_result),
                 tool_.writes_dataset ? "ask for less, or give an output" : "ask for less", ""});
        o.structured = std::move(*structured);
    }
    std::string lines;
    for (const auto& l : done_.at("lines").get_array())
        lines += (lines.empty() ? "" : "\n") + base::with_hidden_shown(l.get_string());
    if (!lines.empty()) o.content.push_back(json::object{{"type", "text"}, {"text", lines}});
    for (const auto& a : done_.at("attachments").get_array()) {
        auto block = content_block(a);
        if (!block) return outcome::failure(block.error());
        o.content.push_back(std::move(*block));
    }
    return o;
}

}  // namespace gdalmcp::app
