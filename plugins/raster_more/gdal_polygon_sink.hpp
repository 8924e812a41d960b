// gdal_polygon_sink.hpp — the layer that GDALPolygonize writes to: measures each polygon, leaves out the small ones and
// passes the others on, so that none is held in memory.
#pragma once
#include <ogrsf_frmts.h>
#include <gdalmcp/gdal_area.hpp>
#include <gdalmcp/gdal_cell_area.hpp>
#include <gdalmcp/gdal_class_names.hpp>

#include <exception>
#include <functional>
#include <map>

#include "datasets/gdal_grid.hpp"

namespace gdalmcp_raster_more {

using namespace gdalmcp_datasets;

struct polygon_sum {
    std::int64_t count = 0, cells = 0;
    double area = 0;  // m²; NaN = unknown
    void add(const polygon_sum& other) {
        count += other.count;
        cells += other.cells;
        area += other.area;
    }
};
using polygon_sums = std::map<std::int64_t, polygon_sum>;  // by the value of the cells

struct polygon_terms {
    std::string value_field;                            // its name
    bool shapefile = false;                             // whose numbers need a width
    const gdalmcp::gdal::cell_areas* areas = nullptr;   // nullptr: no field area_m2
    const gdalmcp::gdal::class_names* names = nullptr;  // nullptr: no field class_name
    double min_area = 0;                                // m²; smaller polygons are left out
    bool check_validity = false;
};

class polygon_sink final : public OGRLayer {
public:
    // on: the grid of the cells. It and what `terms` points to outlive the sink.
    polygon_sink(const grid& on, const polygon_terms& terms);
    ~polygon_sink() override;
    polygon_sink(const polygon_sink&) = delete;
    polygon_sink& operator=(const polygon_sink&) = delete;

    // Outlines by GDALPolygonize the cells that `selected` marks by other than 0; corners: 8-connected. False: GDAL
    // failed or the call is cancelled. Throws what passing a polygon on failed with.
    bool outline(GDALRasterBand& cells, GDALRasterBand& selected, bool corners, gdalmcp::gdal::step progress);

    // Where features of this layer's fields go, in the CRS of the grid.
    std::function<void(OGRFeature&, gdalmcp::gdal::geometry_ptr)> pass_on;

    const polygon_sums& kept() const { return kept_; }
    const polygon_sums& left_out() const { return left_out_; }
    std::int64_t invalid() const { return invalid_; }  // of the kept ones; counted with check_validity

    OGRFeatureDefn* GetLayerDefn() override { return own_; }
    void ResetReading() override {}
    OGRFeature* GetNextFeature() override { return nullptr; }
    int TestCapability(const char* what) override { return EQUAL(what, OLCSequentialWrite); }

protected:
    OGRErr ICreateFeature(OGRFeature* feature) override;

private:
    void take(OGRFeature& feature);
    polygon_sum measured(const OGRPolygon& shape) const;

    const grid& on_;
    polygon_terms terms_;
    std::array<double, 6> to_cells_{};
    OGRFeatureDefn* own_;
    int area_field_ = -1, name_field_ = -1;
    polygon_sums kept_, left_out_;
    std::int64_t invalid_ = 0;
    std::exception_ptr failed_;
};

}  // namespace gdalmcp_raster_more
