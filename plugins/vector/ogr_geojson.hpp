// Features as RFC 7946 text for reading in a result: WGS 84 longitude and latitude, outer rings counter-clockwise, 7
// decimals, at most a given number of features and bytes; a long geometry is shown by its type, size and box.
#pragma once
#include "ogr_census.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gdalmcp_vector {

class feature_preview {
public:
    // `crs`: of the geometries; nullptr or empty = unknown, coordinates are shown as they are.
    // `fields`: indexes into the features' fields, in the order to show. `most`: features. `budget`: bytes of the whole
    // text.
    feature_preview(const OGRSpatialReference* crs, std::vector<int> fields, GIntBig most, std::size_t budget);
    // Adds one feature; once one does not fit, all later ones are left out.
    void add(const OGRFeature&, const OGRGeometry*);
    std::string text() const { return "{\"type\":\"FeatureCollection\",\"features\":[" + features_ + "]}"; }
    GIntBig shown() const { return shown_; }
    bool full() const { return full_; }
    // Features whose geometry has no longitude and latitude (shown as null).
    GIntBig outside() const { return outside_; }
    // Features whose geometry is too long to show: 'geometry' is null, 'bbox' and 'geometry_left_out' stand for it.
    GIntBig shortened() const { return shortened_; }
    bool in_wgs84() const { return to_wgs84_ != nullptr; }

private:
    // The members that describe a geometry, with a leading comma.
    std::string geometry_members(const OGRGeometry*);

    std::vector<int> fields_;
    GIntBig most_;
    std::size_t budget_;
    bool full_ = false;
    gdalmcp::gdal::transformation to_wgs84_;
    std::string features_;
    GIntBig shown_ = 0, outside_ = 0, shortened_ = 0;
};

}  // namespace gdalmcp_vector
