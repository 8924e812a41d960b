#include "gdal_place_layer.hpp"

#include <gdalmcp/gdal_cell_area.hpp>

#include <algorithm>
#include <set>

namespace gdalmcp_aggregation {
namespace {

constexpr double negligible = 1e-9;  // of a row

using gdalmcp::error;

ring grid_ring(const OGRLinearRing& line, const std::array<double, 6>& to_grid) {
    ring r;
    for (int i = 0; i < line.getNumPoints(); ++i) {
        const double x = line.getX(i), y = line.getY(i);
        r.push_back({to_grid[0] + x * to_grid[1] + y * to_grid[2], to_grid[3] + x * to_grid[4] + y * to_grid[5]});
    }
    return r;
}

void add_polygons(const OGRGeometry& shape, const std::array<double, 6>& to_grid, zone& out) {
    if (wkbFlatten(shape.getGeometryType()) == wkbPolygon) {
        polygon part;
        for (const auto* line : *shape.toPolygon()) {
            if (line == shape.toPolygon()->getExteriorRing())
                part.exterior = grid_ring(*line, to_grid);
            else
                part.holes.push_back(grid_ring(*line, to_grid));
        }
        out.push_back(std::move(part));
    } else if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection)) {
        for (const auto* part : *shape.toGeometryCollection()) add_polygons(*part, to_grid, out);
    }
}

}  // namespace

std::string crs_label(const OGRSpatialReference& srs) {
    if (srs.IsEmpty()) return "no CRS";
    if (auto code = gdalmcp::gdal::crs_code(srs); !code.empty()) return code;
    return std::string{"'"} + (srs.GetName() ? srs.GetName() : "unnamed") + "' (a CRS without a registry code)";
}

zone_grid::zone_grid(std::string path, const gdalmcp_datasets::grid& on) : path_{std::move(path)}, on_{on} {
    if (!on_.georeferenced || !GDALInvGeoTransform(on_.geotransform.data(), to_grid_.data()))
        throw error{GDALMCP_UNSUPPORTED, path_ + " has no geotransform: where its cells lie is unknown",
                    "georeference it first, for example with raster_reproject"};
    if (!gdalmcp::gdal::detail::geographic(crs()) || on_.rotated() || on_.height < 2) return;
    const auto& g = on_.geotransform;
    const double unit = gdalmcp::gdal::detail::degrees_per_unit(crs()), step = std::abs(g[5]) * unit;
    const auto beyond = [&](double latitude) {
        const double share = (std::abs(latitude) * unit - 90) / step;
        return share > negligible && share < 1 ? share : 0;
    };
    beyond_first_ = beyond(g[3]);
    beyond_last_ = beyond(g[3] + on_.height * g[5]);
}

std::vector<double> zone_grid::centre_of(std::size_t row, std::size_t column) const {
    const auto& g = geotransform();
    const double x = static_cast<double>(column) + 0.5, y = static_cast<double>(row) + 0.5;
    return {g[0] + x * g[1] + y * g[2], g[3] + x * g[4] + y * g[5]};
}

gdalmcp::gdal::geometry_ptr zone_grid::border() const {
    const auto& g = on_.geotransform;
    auto ring = std::make_unique<OGRLinearRing>();
    for (const auto& [column, row] :
         {std::pair{0, 0}, {on_.width, 0}, {on_.width, on_.height}, {0, on_.height}, {0, 0}})
        ring->addPoint(g[0] + column * g[1] + row * g[2], g[3] + column * g[4] + row * g[5]);
    auto all = std::make_unique<OGRPolygon>();
    all->addRingDirectly(ring.release());
    all->flattenTo2D();
    return all;
}

zone zone_grid::to_grid(const OGRGeometry& polygons) const {
    zone outline;
    add_polygons(polygons, to_grid_, outline);
    for (auto& part : outline) {
        stretch_to_poles(part.exterior);
        for (auto& hole : part.holes) stretch_to_poles(hole);
    }
    return outline;
}

void zone_grid::stretch_to_poles(ring& outline) const {
    if (beyond_first_ == 0 && beyond_last_ == 0) return;
    const auto height = static_cast<double>(on_.height);
    for (auto& p : outline) {
        if (p.y < 1 && beyond_first_ > 0) p.y = std::max(0.0, (p.y - beyond_first_) / (1 - beyond_first_));
        if (const double up = height - p.y; up < 1 && beyond_last_ > 0)
            p.y = height - std::max(0.0, (up - beyond_last_) / (1 - beyond_last_));
    }
}

std::vector<double> zone_grid::row_areas() const {
    if (!gdalmcp::gdal::detail::geographic(crs()) || on_.rotated()) return {};
    const auto measured = gdalmcp::gdal::cell_areas::of(crs(), geotransform(), on_.width, on_.height);
    std::vector<double> areas;
    for (int row = 0; measured && row < on_.height; ++row) areas.push_back(measured->at(0.5, row));
    return areas;
}

place_layer::place_layer(const gdalmcp::vector& source, const std::optional<std::string>& layer,
                         const std::optional<std::string>& id_field, const std::optional<gdalmcp::crs>& crs,
                         const zone_grid& raster, place_words words)
    : file_{gdalmcp::gdal::open(source)},
      words_{std::move(words)},
      layer_{&gdalmcp::gdal::layer_of(*file_, layer)},
      size_{static_cast<std::size_t>(std::max<GIntBig>(0, layer_->GetFeatureCount()))} {
    if (size_ == 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the layer '" + std::string{layer_->GetName()} + "' of " + words_.one + "s has no features",
                    "check it with vector_info"};
    if (id_field) choose_id(*id_field);
    choose_crs(crs, !source.path.empty() && source.path.front() == '{', raster);
    layer_->ResetReading();
}

void place_layer::choose_id(const std::string& id_field) {
    const auto& fields = *layer_->GetLayerDefn();
    std::string all;
    for (int i = 0; i < fields.GetFieldCount(); ++i) {
        all += (i ? ", " : "") + std::string{fields.GetFieldDefn(i)->GetNameRef()};
        if (id_field == fields.GetFieldDefn(i)->GetNameRef()) id_index_ = i;
    }
    if (id_index_ < 0)
        throw error{
            GDALMCP_NOT_FOUND,
            "there is no field '" + id_field + "' in the layer '" + layer_->GetName() + "' of " + words_.one + "s",
            "fields: " + (all.empty() ? "none; leave " + words_.id_argument + " out" : all)};
    id_name_ = id_field;
    check_ids();
}

void place_layer::check_ids() {
    std::set<std::string> seen;
    layer_->ResetReading();
    while (const auto feature = std::unique_ptr<OGRFeature>{layer_->GetNextFeature()}) {
        if (!feature->IsFieldSetAndNotNull(id_index_))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "the " + words_.one + " with FID " + std::to_string(feature->GetFID()) + " has no value in '" +
                            id_name_ + "'",
                        "name a field that every " + words_.one + " has, or leave " + words_.id_argument +
                            " out to use the FID"};
        const std::string id = feature->GetFieldAsString(id_index_);
        if (!seen.insert(id).second)
            throw error{
                GDALMCP_INVALID_ARGUMENT,
                "'" + id + "' occurs more than once in '" + id_name_ + "', so it does not identify a " + words_.one,
                "name a field without duplicates, or leave " + words_.id_argument + " out to use the FID"};
    }
}

void place_layer::choose_crs(const std::optional<gdalmcp::crs>& given, bool inline_text, const zone_grid& raster) {
    const auto& argument = words_.crs_argument;
    const std::string all = "the " + words_.one + "s";
    if (const auto* own = gdalmcp::gdal::stated(layer_->GetSpatialRef())) crs_ = *own;
    if (given) {
        const auto said = gdalmcp::gdal::crs_argument(given->text, argument.c_str());
        // Inline GeoJSON is read as WGS 84 whatever the intention; a CRS declared by a file is trusted.
        if (!crs_.IsEmpty() && !inline_text && !gdalmcp::gdal::detail::same_but_axes(crs_, said))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        argument + " is " + given->text + ", but " + all + " declare " + crs_label(crs_),
                        "leave " + argument + " out; it is for " + words_.one + "s that declare no CRS"};
        crs_ = said;
    }
    crs_.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    auto& box = extent_;
    const bool boxed = layer_->GetExtent(&box, TRUE) == OGRERR_NONE;
    if (boxed && gdalmcp::gdal::detail::geographic(crs_) &&
        (box.MinY < -90 || box.MaxY > 90 || box.MinX < -360 || box.MaxX > 360))
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            all + " reach " + gdalmcp::gdal::box_text(box) + ", but their CRS " + crs_label(crs_) + " is in degrees",
            raster.crs().IsEmpty() ? "give their CRS with " + argument
                                   : "give their CRS with " + argument +
                                         ", for the raster's own: " + gdalmcp::gdal::crs_text(raster.crs())};
    if (crs_.IsEmpty() && raster.crs().IsEmpty()) {
        warnings_.push_back("neither " + all + " nor the raster has a CRS: both were assumed to share one");
        return;
    }
    if (crs_.IsEmpty() || raster.crs().IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    all + " have " + crs_label(crs_) + " and the raster has " + crs_label(raster.crs()),
                    crs_.IsEmpty() ? "give the CRS of " + all + " with " + argument
                                   : "give the raster its CRS with raster_reproject and src_crs first"};
    if (gdalmcp::gdal::detail::same_but_axes(crs_, raster.crs())) return;
    to_raster_.reset(OGRCreateCoordinateTransformation(&crs_, &raster.crs()));
    if (!to_raster_)
        gdalmcp::gdal::raise("cannot transform " + all + " from " + crs_label(crs_) + " to " + crs_label(raster.crs()));
    transformed_ = all + " were transformed from " + crs_label(crs_) + " to the raster's " + crs_label(raster.crs());
    const auto operation = gdalmcp::gdal::best_operation(crs_, raster.crs(),
                                                         boxed ? gdalmcp::gdal::wgs84_bounds(box, crs_) : std::nullopt);
    if (operation && operation->ballpark)
        warnings_.push_back("no datum shift between these CRSs is known: " + all +
                            " may be off by up to hundreds of metres");
}

bool place_layer::may_meet(const zone_grid& raster) const {
    const auto own = gdalmcp::gdal::wgs84_bounds(extent_, crs_),
               of_raster = gdalmcp::gdal::wgs84_bounds(raster.extent(), raster.crs());
    return own && of_raster && gdalmcp::gdal::may_meet(*own, *of_raster);
}

std::string place_layer::id_of(const OGRFeature& feature) const {
    if (id_index_ < 0) return std::to_string(feature.GetFID());
    return feature.GetFieldAsString(id_index_);
}

std::vector<std::string> place_layer::warnings(const std::string& how) const {
    auto all = warnings_;
    if (!transformed_.empty()) all.insert(all.begin(), transformed_ + how);
    return all;
}

}  // namespace gdalmcp_aggregation
