// cf_time.hpp — the date of a time coordinate, by section 4.4 of the CF conventions: a number, "days since 1950-01-01"
// and a calendar.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp_datasets {

// "1999-01-15", or "1999-01-15T06:30" and "…:07" where the time of day is not midnight; UTC. units: "days since
// 1950-01-01 00:00:00 +1:00". calendar: "" = standard. nullopt for units that are no time, for months and years, whose
// length CF leaves open, and for an unknown calendar.
std::optional<std::string> cf_date(double value, std::string_view units, std::string_view calendar = {});

}  // namespace gdalmcp_datasets
