// Choices as prose: the stored reasons, and the decisions of steps that refer to them.
#pragma once
#include <map>

#include "reflection/methods_text.hpp"

namespace gdalmcp::reflection {

// "Target CRS (crs_datum): EPSG:3857", "Data type Int16 (dtype) (format_selection)". step: the provenance of the step
// whose choice it was, if known.
std::string title_of(const record& r, const specs& asked, const json::object* step = nullptr);

// Every sentence quotes the record; `title`: as title_of names its choice.
std::string prose_of(const found_record& r, const std::string& title);

// "mean_of_logarithms, because the report averages levels": of the conflicts that a receipt names, as last accepted in
// the record (its text) when the step ran.
std::string accepted_for(const json::value& receipt, const json::object& record, std::string_view finished);

// The choices of all runs, each once, under a number.
class choices {
public:
    choices(const record_lookup& stored, const specs& asked) : stored_{stored}, asked_{asked} {}

    // One decision in a step, whose provenance it is: "target CRS: choice 1", with the conflicts accepted for this
    // step. REQUIRES: the steps come in the order they finished, and exist until text() is called.
    std::string refer(const json::value& receipt, const json::object& step);

    std::string text() const;

private:
    struct choice {
        std::string ref;
        std::shared_ptr<const found_record> reason;  // nullptr: no longer stored
        const json::object* first;                   // of the steps that it covers
        std::string_view until;                      // the last of them finished
    };

    std::size_t number_of(const std::string& ref, const json::object& step);
    std::string section(const choice& c) const;
    // A parent is a cache key of any domain.
    std::string parent(const std::string& cache_key, std::string_view until) const;

    const record_lookup& stored_;
    const specs& asked_;
    std::vector<choice> made_;
    std::map<std::string, std::size_t> numbers_;  // by ref and time of the record
};

}  // namespace gdalmcp::reflection
