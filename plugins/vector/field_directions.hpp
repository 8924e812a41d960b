// field_directions.hpp — directions in degrees, which a field holds by its name and its values.
#pragma once
#include <limits>
#include <string>
#include <string_view>

namespace gdalmcp_vector {

// Whether a word of the name stands for a direction: "bearing", "wind_dir", "WindDirection", "aspect (deg)"; not
// "aspects" or "recourse".
bool names_directions(std::string_view field);

// The values of a field. Of one so named, values within 0 to 360 that span more than 180 are directions: those of less
// have a mean that means what it says.
class field_directions {
public:
    field_directions() = default;  // of no field
    explicit field_directions(std::string_view field) : named_{names_directions(field)} {}

    void see(double value) {  // NaN counts as missing
        if (value < lowest_) lowest_ = value;
        if (value > highest_) highest_ = value;
    }
    bool found() const { return named_ && lowest_ >= 0 && highest_ <= 360 && highest_ - lowest_ > 180; }
    // REQUIRES of these: found().
    double lowest() const { return lowest_; }
    double highest() const { return highest_; }

private:
    bool named_ = false;
    double lowest_ = std::numeric_limits<double>::infinity(), highest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace gdalmcp_vector
