// Shapes of GEOS written as text.
#pragma once
#include "vector/geos.hpp"

#include <string>

#include "catch.hpp"

inline gdalmcp_vector::geos::shape shape(const char* wkt) {
    using namespace gdalmcp_vector;
    auto* reader = GEOSWKTReader_create_r(geos::handle());
    auto made = geos::owned(GEOSWKTReader_read_r(geos::handle(), reader, wkt));
    GEOSWKTReader_destroy_r(geos::handle(), reader);
    return made;
}
