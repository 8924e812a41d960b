// ogr_point_question.hpp — the points that a call asks about, in a plane whose lengths are metres on the ground.
#pragma once
#include <gdalmcp/gdal_geometry.hpp>

#include "vector/ogr_selection.hpp"
#include "vector/ogr_transformation.hpp"

namespace gdalmcp_aggregation_more {

inline const auto points_uri = gdalmcp::standard::described(gdalmcp::standard::vector_uri,
                                                            "Points: path, file://, query://result/{id} or GeoJSON.");
inline const gdalmcp::arg<std::optional<std::string>> where{.name = "where",
                                                            .about = "Condition on attributes: \"class = 'shop'\"."};

// The layer of points_uri and standard::layer, selected by `where`, in metric_crs(); and the area of
// standard::geometry.
class point_question {
public:
    // Refused: a layer without a CRS or an extent, an area without any of it, a datum shift that is not known.
    explicit point_question(gdalmcp::call& call);

    OGRLayer& layer() const { return *layer_; }
    const OGRSpatialReference& plane() const { return plane_; }
    const OGRGeometry* area() const { return area_.get(); }  // in the plane; nullptr: no area is given
    bool selects() const { return condition_.has_value(); }

    struct place {
        double x, y;
    };
    // Each selected feature with its places in the plane, those of a multipoint together. Returns how many features
    // have none. Fails the call for other geometries, and beyond 10 million points.
    std::int64_t for_each(const gdalmcp_vector::progress& report,
                          const std::function<void(const OGRFeature&, const std::vector<place>&)>& each);

    // Refuses a feature of several places whose value would count at each of them. `argument` names the field.
    void require_one_place(const OGRFeature& feature, const std::vector<place>& places, int field,
                           const std::string& argument) const;

private:
    gdalmcp::gdal::dataset_ptr source_;
    OGRLayer* layer_ = nullptr;
    OGRSpatialReference plane_;
    std::optional<gdalmcp_vector::transformation> way_;
    std::optional<gdalmcp_vector::attribute_filter> condition_;
    gdalmcp::gdal::geometry_ptr area_;
};

}  // namespace gdalmcp_aggregation_more
