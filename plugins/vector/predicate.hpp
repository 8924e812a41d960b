// The relations between two geometries that tools ask about.
#pragma once
#include <string>

namespace gdalmcp_vector {

enum class predicate { intersects, within, contains };

inline predicate predicate_of(const std::string& name) {
    return name == "within" ? predicate::within : name == "contains" ? predicate::contains : predicate::intersects;
}

}  // namespace gdalmcp_vector
