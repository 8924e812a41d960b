#include "app/datasets/registries.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace gdalmcp::app {

using base::result;

namespace {

runner::request asking_for(const char* operation) {
    runner::request r;
    r.operation = operation;
    return r;
}

registered_crs row_of(const json::value& v) {
    const auto said = [&](const char* member) { return std::string{base::string_member(v, member)}; };
    registered_crs r{said("code"), said("name"),           said("kind"),
                     said("area"), said("body"),           base::bool_member(v, "deprecated"),
                     std::nullopt, words_of(said("name")), words_of(said("area"))};
    if (const auto* b = base::find_member(v, "bbox")) {
        auto& to = r.bbox.emplace();
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = b->at(i).to_number<double>();
    }
    return r;
}

format_registry registry_of(json::object done) {
    format_registry all;
    all.drivers = std::move(done.at("drivers").as_array());
    all.resampling = std::move(done.at("resampling").as_array());
    for (const auto& d : all.drivers) {
        if (!base::bool_member(d, "read")) continue;
        for (const auto& e : d.at("extensions").get_array()) {
            auto& k = all.extensions[base::lower_ascii(e.get_string())];
            k.raster = k.raster || base::bool_member(d, "raster");
            k.vector = k.vector || base::bool_member(d, "vector");
        }
    }
    return all;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : base::lower_ascii(text) + " ") {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80);
        if (letter)
            word += c;
        else if (!word.empty())
            words.push_back(std::exchange(word, {}));
    }
    return words;
}

bool has_words(const std::vector<std::string>& words, const std::vector<std::string>& wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& w) {
        return std::any_of(words.begin(), words.end(), [&](const std::string& o) { return o.rfind(w, 0) == 0; });
    });
}

const json::object* format_registry::driver(std::string_view name) const {
    const auto wanted = base::lower_ascii(name);
    for (const auto& d : drivers)
        if (base::lower_ascii(base::string_member(d, "name")) == wanted) return &d.get_object();
    return nullptr;
}

std::optional<format_registry::kinds> format_registry::kinds_of(const std::filesystem::path& file) const {
    auto name = base::lower_ascii(file.filename().string());
    // The longest known extension: shp.zip before zip.
    for (auto dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
        const auto found = extensions.find(std::string_view{name}.substr(dot + 1));
        if (dot > 0 && found != extensions.end()) return found->second;
    }
    return std::nullopt;
}

result<std::shared_ptr<const std::vector<registered_crs>>> registries::crs(const runner::cancellation& cancel) {
    const std::lock_guard lock{reading_crs_};
    if (crs_) return crs_;
    const auto done = ask_(asking_for("crs_registry"), cancel, std::nullopt);
    if (!done) return tl::unexpected{done.error()};
    std::vector<registered_crs> all;
    for (const auto& row : done->at("crs").get_array()) all.push_back(row_of(row));
    return crs_ = std::make_shared<const std::vector<registered_crs>>(std::move(all));
}

result<std::shared_ptr<const format_registry>> registries::formats(const runner::cancellation& cancel) {
    const std::lock_guard lock{reading_formats_};
    if (formats_) return formats_;
    auto done = ask_(asking_for("formats"), cancel, std::nullopt);
    if (!done) return tl::unexpected{done.error()};
    return formats_ = std::make_shared<const format_registry>(registry_of(std::move(*done)));
}

result<json::object> registries::crs_entry(const std::string& spelling, const runner::cancellation& cancel) {
    auto r = asking_for("crs_entry");
    r.spellings = {spelling};
    auto done = ask_(std::move(r), cancel, std::nullopt);
    if (!done) return done;
    return std::move(done->at("crs").as_object());
}

}  // namespace gdalmcp::app
