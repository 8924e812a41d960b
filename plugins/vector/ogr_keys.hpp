// Join keys: the values of one or several fields as text that is equal exactly where the values are.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ogr_reading.hpp"

namespace gdalmcp_vector {

// How values of different types are compared: "001" is no 1 unless one of the others is chosen. Dates and times match
// those of their own type only.
enum class key_type { as_stored, text, number };

class key_fields {
public:
    // `pairs`: fields of the first and of the second layer. Throws naming both where their types do not compare.
    key_fields(OGRLayer& first, OGRLayer& second, const std::vector<std::pair<std::string, std::string>>& pairs,
               key_type);

    // Nothing where a value is null or an empty text, or no number where numbers are compared.
    std::optional<std::string> of_first(const OGRFeature& f) const { return key(f, first_); }
    std::optional<std::string> of_second(const OGRFeature& f) const { return key(f, second_); }
    // For people: "NC, 37".
    std::string shown_first(const OGRFeature& f) const { return shown(f, first_); }
    std::string shown_second(const OGRFeature& f) const { return shown(f, second_); }
    // All keys are compared as numbers.
    bool numbers_only() const {
        return std::all_of(numbers_.begin(), numbers_.end(), [](bool number) { return number; });
    }

private:
    std::optional<std::string> key(const OGRFeature&, const std::vector<int>& fields) const;
    std::string shown(const OGRFeature&, const std::vector<int>& fields) const;
    std::vector<int> first_, second_;
    std::vector<bool> numbers_;
};

}  // namespace gdalmcp_vector
