#include "gdal_polygon_sink.hpp"

#include <gdal_alg.h>

#include <limits>

#include "cell_rings.hpp"

namespace gdalmcp_raster_more {

namespace gdal = gdalmcp::gdal;

polygon_sink::polygon_sink(const grid& on, const polygon_terms& terms)
    : on_{on}, terms_{terms}, own_{new OGRFeatureDefn{"polygons"}} {
    own_->Reference();
    own_->SetGeomType(wkbPolygon);
    const auto add = [&](const std::string& name, OGRFieldType type) {
        OGRFieldDefn made{name.c_str(), type};
        if (type == OFTReal && terms_.shapefile) made.SetWidth(24), made.SetPrecision(6);
        own_->AddFieldDefn(&made);
        return own_->GetFieldCount() - 1;
    };
    add(terms_.value_field, OFTInteger64);
    if (terms_.areas) area_field_ = add("area_m2", OFTReal);
    if (terms_.names) name_field_ = add("class_name", OFTString);
    auto forward = on.geotransform;
    if (!GDALInvGeoTransform(forward.data(), to_cells_.data()))
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             "the raster's geotransform cannot be inverted: its cells have no area",
                             "repair the geotransform"};
}

polygon_sink::~polygon_sink() { own_->Release(); }

bool polygon_sink::outline(GDALRasterBand& cells, GDALRasterBand& selected, bool corners, gdal::step progress) {
    gdal::words options;
    if (corners) options.add("8CONNECTED=8");
    CPLErrorReset();
    const auto done = GDALPolygonize(GDALRasterBand::ToHandle(&cells), GDALRasterBand::ToHandle(&selected),
                                     OGRLayer::ToHandle(this), 0, options.get(), gdal::step::report, &progress);
    if (failed_) std::rethrow_exception(failed_);
    return done == CE_None;
}

// GDALPolygonize is C: exceptions must not pass through it.
OGRErr polygon_sink::ICreateFeature(OGRFeature* feature) {
    if (failed_) return OGRERR_FAILURE;
    try {
        take(*feature);
        return OGRERR_NONE;
    } catch (...) {
        failed_ = std::current_exception();
        return OGRERR_FAILURE;
    }
}

namespace {

cell_ring ring_of(const OGRLinearRing& ring, std::array<double, 6> to_cells) {
    cell_ring out;
    out.reserve(static_cast<std::size_t>(ring.getNumPoints()));
    for (int i = 0; i < ring.getNumPoints(); ++i) {
        double column = 0, row = 0;
        GDALApplyGeoTransform(to_cells.data(), ring.getX(i), ring.getY(i), &column, &row);
        out.push_back({static_cast<int>(std::lround(column)), static_cast<int>(std::lround(row))});
    }
    return out;
}

}  // namespace

polygon_sum polygon_sink::measured(const OGRPolygon& shape) const {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    std::vector<cell_ring> rings;
    for (const auto* ring : shape) rings.push_back(ring_of(*ring, to_cells_));
    polygon_sum sum{1, enclosed<std::int64_t>(rings, [](int column, int) { return std::int64_t{column}; }), unknown};
    if (!terms_.areas) return sum;
    sum.area = enclosed<double>(rings, [&](int column, int row) { return terms_.areas->of_run(0, column, row); });
    // The net of areas has gaps where the projection is not defined nearby.
    if (!std::isfinite(sum.area)) sum.area = gdal::ellipsoidal_area(shape, on_.crs).value_or(unknown);
    return sum;
}

void polygon_sink::take(OGRFeature& feature) {
    gdal::geometry_ptr shape{feature.StealGeometry()};
    const auto sum = measured(*shape->toPolygon());
    const auto value = feature.GetFieldAsInteger64(0);
    if (sum.area < terms_.min_area) return left_out_[value].add(sum);
    if (area_field_ >= 0 && std::isfinite(sum.area)) feature.SetField(area_field_, sum.area);
    if (const auto name = terms_.names ? terms_.names->of(value) : std::string{}; !name.empty())
        feature.SetField(name_field_, name.c_str());
    if (const gdal::quiet silence; terms_.check_validity && !shape->IsValid()) ++invalid_;
    pass_on(feature, std::move(shape));
    kept_[value].add(sum);
}

}  // namespace gdalmcp_raster_more
