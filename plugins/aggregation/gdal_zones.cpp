#include "gdal_zones.hpp"

#include <gdal_rat.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "datasets/gdal_band_label.hpp"
#include "vector/ogr_repair.hpp"

namespace gdalmcp_aggregation {
namespace {

using gdalmcp::error;
using gdalmcp::gdal::number_text;

// For messages: the code, else the name; a WKT is too long to read.
std::string crs_label(const OGRSpatialReference& srs) {
    if (srs.IsEmpty()) return "no CRS";
    if (auto code = gdalmcp::gdal::crs_code(srs); !code.empty()) return code;
    return std::string{"'"} + (srs.GetName() ? srs.GetName() : "unnamed") + "' (a CRS without a registry code)";
}

ring grid_ring(const OGRLinearRing& line, const std::array<double, 6>& to_grid) {
    ring r;
    for (int i = 0; i < line.getNumPoints(); ++i) {
        const double x = line.getX(i), y = line.getY(i);
        r.push_back({to_grid[0] + x * to_grid[1] + y * to_grid[2], to_grid[3] + x * to_grid[4] + y * to_grid[5]});
    }
    return r;
}

// A copy without curves, heights and measures.
gdalmcp::gdal::geometry_ptr flattened(const OGRGeometry& geometry) {
    gdalmcp::gdal::geometry_ptr flat{geometry.getLinearGeometry()};
    flat->flattenTo2D();
    flat->setMeasured(FALSE);
    return flat;
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

void value_raster::require_band(std::int64_t band) const { gdalmcp_datasets::require_band(path_, bands(), band); }

value_raster::value_raster(const gdalmcp::raster& source) : path_{source.path}, file_{gdalmcp::gdal::open(source)} {
    if (bands() == 0) throw error{GDALMCP_UNSUPPORTED, path_ + " holds no raster band", "name one of its subdatasets"};
    for (int i = 1; i <= bands(); ++i) gdalmcp_datasets::require_real(*file_->GetRasterBand(i));
    on_ = gdalmcp_datasets::grid_of(*file_);
    if (!on_.georeferenced || !GDALInvGeoTransform(on_.geotransform.data(), to_grid_.data()))
        throw error{GDALMCP_UNSUPPORTED, path_ + " has no geotransform: where its cells lie is unknown",
                    "georeference it first, for example with raster_reproject"};
}

std::string value_raster::band_name(int band) const {
    return gdalmcp_datasets::band_label(*file_->GetRasterBand(band));
}
std::string value_raster::band_unit(int band) const { return file_->GetRasterBand(band)->GetUnitType(); }
void value_raster::tell_ignored_scale(gdalmcp::call& call, int band) const {
    gdalmcp_datasets::tell_ignored_scale(call, path_, *file_->GetRasterBand(band));
}

bool value_raster::is_scaled(int band) const {
    return file_->GetRasterBand(band)->GetScale() != 1 || file_->GetRasterBand(band)->GetOffset() != 0;
}

std::string value_raster::class_evidence(int band) const {
    auto& b = *file_->GetRasterBand(band);
    if (b.GetColorTable()) return "it has a palette";
    if (b.GetCategoryNames()) return "its values have category names";
    if (b.GetDefaultRAT() && b.GetDefaultRAT()->GetColOfUsage(GFU_Name) >= 0)
        return "an attribute table names its values";
    if (GDALDataTypeIsFloating(b.GetRasterDataType()) || is_scaled(band) || !band_unit(band).empty()) return {};
    // Few whole numbers whose neighbours mostly jump by more than one: codes rather than quantities.
    const std::size_t height = std::min<std::size_t>(rows(), 512), width = std::min<std::size_t>(columns(), 512);
    const auto sample = read(band, {(rows() - height) / 2, (columns() - width) / 2, height, width});
    std::set<double> values;
    std::size_t differing = 0, by_one = 0;
    for (std::size_t i = 0; i < sample.value.size(); ++i) {
        if (!sample.valid[i]) continue;
        values.insert(sample.value[i]);
        if (values.size() > 64) return {};
        if (i % width == 0 || !sample.valid[i - 1] || sample.value[i] == sample.value[i - 1]) continue;
        ++differing;
        by_one += std::abs(sample.value[i] - sample.value[i - 1]) == 1;
    }
    if (values.size() < 2 || differing == 0 || 2 * by_one >= differing) return {};
    return "it holds only " + std::to_string(values.size()) + " whole numbers, most neighbours jumping by more than 1";
}

gdalmcp::gdal::class_names value_raster::class_names(int band) const {
    if (is_scaled(band)) return {};  // the names belong to the stored values
    return gdalmcp::gdal::class_names{*file_->GetRasterBand(band)};
}

window value_raster::stored_block(int band) const {
    int width = 0, height = 0;
    file_->GetRasterBand(band)->GetBlockSize(&width, &height);
    return {0, 0, static_cast<std::size_t>(std::max(1, height)), static_cast<std::size_t>(std::max(1, width))};
}

block_values value_raster::read(int band, const window& block) const {
    auto& b = *file_->GetRasterBand(band);
    block_values out{std::vector<double>(block.size()), std::vector<unsigned char>(block.size(), 1)};
    const int x = static_cast<int>(block.column), y = static_cast<int>(block.row);
    const int w = static_cast<int>(block.width), h = static_cast<int>(block.height);
    if (b.RasterIO(GF_Read, x, y, w, h, out.value.data(), w, h, GDT_Float64, 0, 0) != CE_None)
        gdalmcp::gdal::raise("cannot read band " + std::to_string(band) + " of " + path_);
    if (b.GetMaskFlags() != GMF_ALL_VALID &&
        b.GetMaskBand()->RasterIO(GF_Read, x, y, w, h, out.valid.data(), w, h, GDT_Byte, 0, 0) != CE_None)
        gdalmcp::gdal::raise("cannot read the mask of band " + std::to_string(band) + " of " + path_);
    if (is_scaled(band))
        for (auto& v : out.value) v = v * b.GetScale() + b.GetOffset();
    return out;
}

std::vector<double> value_raster::centre_of(std::size_t row, std::size_t column) const {
    const auto& g = geotransform();
    const double x = static_cast<double>(column) + 0.5, y = static_cast<double>(row) + 0.5;
    return {g[0] + x * g[1] + y * g[2], g[3] + x * g[4] + y * g[5]};
}

zone value_raster::to_grid(const OGRGeometry& polygons) const {
    zone outline;
    add_polygons(polygons, to_grid_, outline);
    return outline;
}

std::vector<double> value_raster::row_areas() const {
    if (!gdalmcp::gdal::detail::geographic(crs()) || on_.rotated()) return {};
    const auto measured = gdalmcp::gdal::cell_areas::of(crs(), geotransform(), on_.width, on_.height);
    std::vector<double> areas;
    for (int row = 0; measured && row < on_.height; ++row) areas.push_back(measured->at(0.5, row));
    return areas;
}

void value_raster::require_same_grid(const value_raster& other) const {
    gdalmcp_datasets::require_same_grid({path_, on_}, {other.path_, other.on_});
}

zone_layer::zone_layer(const gdalmcp::vector& source, const options& chosen, const value_raster& raster)
    : raster_{raster},
      file_{gdalmcp::gdal::open(source)},
      frame_{raster.crs(), raster.extent()},
      quick_{chosen.quick},
      crs_argument_{chosen.crs_argument},
      invalid_{chosen.invalid} {
    layer_ = &gdalmcp::gdal::layer_of(*file_, chosen.layer);
    size_ = static_cast<std::size_t>(std::max<GIntBig>(0, layer_->GetFeatureCount()));
    if (size_ == 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the layer '" + std::string{layer_->GetName()} + "' of zones has no features",
                    "check it with vector_info"};
    choose_fields(chosen.id_field);
    choose_crs(chosen.crs, !source.path.empty() && source.path.front() == '{');
    if (!quick_) areas_.emplace(crs_);
    wide_ = gdalmcp::gdal::wide_edges{crs_};
    read_only_named_fields();
    layer_->ResetReading();
}

void zone_layer::choose_fields(const std::optional<std::string>& id_field) {
    const auto& fields = *layer_->GetLayerDefn();
    std::string all;
    for (int i = 0; i < fields.GetFieldCount(); ++i) {
        all += (i ? ", " : "") + std::string{fields.GetFieldDefn(i)->GetNameRef()};
        if (id_field && *id_field == fields.GetFieldDefn(i)->GetNameRef()) id_index_ = i;
    }
    if (id_field && id_index_ < 0)
        throw error{GDALMCP_NOT_FOUND,
                    "there is no field '" + *id_field + "' in the layer '" + layer_->GetName() + "' of zones",
                    "fields: " + (all.empty() ? "none; leave zone_id out" : all)};
    if (id_field) {
        id_name_ = *id_field;
        check_ids();
        return;
    }
    for (int i = 0; i < fields.GetFieldCount() && label_indices_.size() < 2; ++i) {
        if (fields.GetFieldDefn(i)->GetType() != OFTString) continue;
        label_indices_.push_back(i);
        label_names_.emplace_back(fields.GetFieldDefn(i)->GetNameRef());
    }
}

void zone_layer::read_only_named_fields() {
    if (!layer_->TestCapability(OLCIgnoreFields)) return;
    const auto& fields = *layer_->GetLayerDefn();
    gdalmcp::gdal::words ignored;
    for (int i = 0; i < fields.GetFieldCount(); ++i)
        if (i != id_index_ && std::find(label_indices_.begin(), label_indices_.end(), i) == label_indices_.end())
            ignored.add(fields.GetFieldDefn(i)->GetNameRef());
    if (ignored.size() > 0) layer_->SetIgnoredFields(const_cast<const char**>(ignored.get()));
}

void zone_layer::check_ids() {
    std::set<std::string> seen;
    layer_->ResetReading();
    while (const auto feature = std::unique_ptr<OGRFeature>{layer_->GetNextFeature()}) {
        if (!feature->IsFieldSetAndNotNull(id_index_))
            throw error{
                GDALMCP_INVALID_ARGUMENT,
                "the zone with FID " + std::to_string(feature->GetFID()) + " has no value in '" + id_name_ + "'",
                "name a field that every zone has, or leave zone_id out to use the FID"};
        const std::string id = feature->GetFieldAsString(id_index_);
        if (!seen.insert(id).second)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "'" + id + "' occurs more than once in '" + id_name_ + "', so it does not identify a zone",
                        "name a field without duplicates, or leave zone_id out to use the FID"};
    }
}

void zone_layer::choose_crs(const std::optional<gdalmcp::crs>& given, bool inline_text) {
    if (const auto* own = gdalmcp::gdal::stated(layer_->GetSpatialRef())) crs_ = *own;
    if (given) {
        const auto said = gdalmcp::gdal::crs_argument(given->text, crs_argument_.c_str());
        // Inline GeoJSON is read as WGS 84 whatever the intention; a CRS declared by a file is trusted.
        if (!crs_.IsEmpty() && !inline_text && !gdalmcp::gdal::detail::same_but_axes(crs_, said))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        crs_argument_ + " is " + given->text + ", but the zones declare " + crs_label(crs_),
                        "leave " + crs_argument_ + " out; it is for zones that declare no CRS"};
        crs_ = said;
    }
    crs_.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    geographic_raster_ = gdalmcp::gdal::detail::geographic(raster_.crs());
    auto& box = extent_;
    const bool boxed = layer_->GetExtent(&box, TRUE) == OGRERR_NONE;
    if (boxed && gdalmcp::gdal::detail::geographic(crs_) &&
        (box.MinY < -90 || box.MaxY > 90 || box.MinX < -360 || box.MaxX > 360))
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            "the zones reach " + gdalmcp::gdal::box_text(box) + ", but their CRS " + crs_label(crs_) + " is in degrees",
            raster_.crs().IsEmpty() ? "give their CRS with " + crs_argument_
                                    : "give their CRS with " + crs_argument_ +
                                          ", for the raster's own: " + gdalmcp::gdal::crs_text(raster_.crs())};
    if (crs_.IsEmpty() && raster_.crs().IsEmpty()) {
        warnings_.emplace_back("neither the zones nor the raster has a CRS: both were assumed to share one");
        return;
    }
    if (crs_.IsEmpty() || raster_.crs().IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the zones have " + crs_label(crs_) + " and the raster has " + crs_label(raster_.crs()),
                    crs_.IsEmpty() ? "give the CRS of the zones with " + crs_argument_
                                   : "give the raster its CRS with raster_reproject and src_crs first"};
    if (gdalmcp::gdal::detail::same_but_axes(crs_, raster_.crs())) return;
    to_raster_.reset(OGRCreateCoordinateTransformation(&crs_, &raster_.crs()));
    if (!to_raster_)
        gdalmcp::gdal::raise("cannot transform the zones from " + crs_label(crs_) + " to " + crs_label(raster_.crs()));
    warnings_.push_back("the zones were transformed from " + crs_label(crs_) + " to the raster's " +
                        crs_label(raster_.crs()) +
                        (quick_ ? ", vertex by vertex" : ", their edges densified until no area changed by 1e-6"));
    const auto operation = gdalmcp::gdal::best_operation(crs_, raster_.crs(),
                                                         boxed ? gdalmcp::gdal::wgs84_bounds(box, crs_) : std::nullopt);
    if (operation && operation->ballpark)
        warnings_.emplace_back(
            "no datum shift between these CRSs is known: the zones may be off by up to hundreds of metres");
}

void zone_layer::place(const OGRGeometry& geometry, placed_zone& out) {
    auto flat = flattened(geometry);
    const bool polygonal = OGR_GT_Flatten(flat->getGeometryType()) == wkbPolygon ||
                           OGR_GT_Flatten(flat->getGeometryType()) == wkbMultiPolygon;
    if (!polygonal)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "zone " + out.id + " is a " + geometry.getGeometryName() + ", not a polygon",
                    "give polygons, for example buffers around points or lines"};
    if (flat->IsEmpty()) {
        out.problem = "it has no geometry";
        return;
    }
    if (const auto why = gdalmcp::gdal::invalid_reason(*flat); !why.empty()) flat = repaired(*flat, why, out);
    if (!flat) return;
    wide_.see(*flat, out.id);
    if (areas_) out.area = areas_->of(*flat);
    if (const auto placed = on_raster(std::move(flat)))
        out.outline = raster_.to_grid(*placed);
    else
        out.problem = "its outline cannot be transformed to the raster's CRS";
}

// The valid outline in place of an invalid one; empty, with the problem of the zone, where there is none.
gdalmcp::gdal::geometry_ptr zone_layer::repaired(const OGRGeometry& flat, const std::string& why, placed_zone& out) {
    if (invalid_ == invalid_zones::refuse)
        throw error{GDALMCP_INVALID_ARGUMENT, "the outline of zone " + out.id + " is invalid: " + why,
                    "repair it with vector_validate, or set invalid_zones to repair or leave_out"};
    out.problem = "its outline is invalid: " + why;
    if (invalid_ == invalid_zones::leave_out) return nullptr;
    try {
        auto made = gdalmcp_vector::repair(flat, why);
        if (!made.shape) {
            out.problem += "; nothing is left of it when repaired";
            return nullptr;
        }
        if (repaired_count_++ == 0)
            first_repair_ = out.id + " (" + why + (made.change.empty() ? "" : "; " + made.change) + ")";
        out.problem.clear();
        return gdalmcp::gdal::geometry_ptr{made.shape.release()};
    } catch (const gdalmcp_vector::unusable& u) {
        out.problem = u.why;
        return nullptr;
    }
}

// The outline in the raster's CRS; empty where PROJ cannot transform it.
gdalmcp::gdal::geometry_ptr zone_layer::on_raster(gdalmcp::gdal::geometry_ptr flat) const {
    if (to_raster_ && quick_) {
        const gdalmcp::gdal::quiet silence;
        if (flat->transform(to_raster_.get()) != OGRERR_NONE) return nullptr;
    } else if (to_raster_) {
        flat = gdalmcp::gdal::detail::transform_densified(
            *flat, *to_raster_, geographic_raster_ && !gdalmcp::gdal::detail::geographic(crs_));
        if (!flat) return nullptr;
    }
    return gdalmcp::gdal::detail::around_the_globe(std::move(flat), frame_);
}

bool zone_layer::reads_again() const { return layer_->TestCapability(OLCRandomRead) != FALSE; }

zone zone_layer::outline_of(std::int64_t fid) const {
    const std::unique_ptr<OGRFeature> feature{layer_->GetFeature(fid)};
    if (!feature || !feature->GetGeometryRef())
        gdalmcp::gdal::raise("cannot read the zone with FID " + std::to_string(fid) + " again");
    auto flat = flattened(*feature->GetGeometryRef());
    // Invalid ones get here only where they are repaired, as place() did.
    if (const auto why = gdalmcp::gdal::invalid_reason(*flat); invalid_ == invalid_zones::repair && !why.empty())
        flat.reset(gdalmcp_vector::repair(*flat, why).shape.release());
    const auto placed = on_raster(std::move(flat));
    return placed ? raster_.to_grid(*placed) : zone{};
}

std::vector<std::string> zone_layer::warnings() const {
    auto all = warnings_;
    if (repaired_count_ > 0)
        all.push_back(
            std::to_string(repaired_count_) +
            " zones with invalid outlines were repaired (GEOS MakeValid, structure: what rings cover together "
            "is kept), the first is " +
            first_repair_ + "; outlines in 'output' stay as they were");
    if (auto text = wide_.warning("the zones"); !text.empty()) all.push_back(std::move(text));
    return all;
}

void zone_layer::skip(std::size_t zones) {
    for (; zones > 0; --zones)
        if (!OGRFeatureUniquePtr{layer_->GetNextFeature()}) return;
}

std::optional<zone_layer::placed_zone> zone_layer::next() {
    const std::unique_ptr<OGRFeature> feature{layer_->GetNextFeature()};
    if (!feature) return {};
    placed_zone out;
    out.id = id_index_ < 0 ? std::to_string(feature->GetFID()) : feature->GetFieldAsString(id_index_);
    out.fid = feature->GetFID();
    for (const int i : label_indices_) out.labels.emplace_back(feature->GetFieldAsString(i));
    if (const auto* geometry = feature->GetGeometryRef())
        place(*geometry, out);
    else
        out.problem = "it has no geometry";
    return out;
}

void zone_layer::rewind() { layer_->ResetReading(); }

gdalmcp::gdal::geometry_ptr zone_layer::next_geometry() {
    const std::unique_ptr<OGRFeature> feature{layer_->GetNextFeature()};
    return gdalmcp::gdal::geometry_ptr{feature ? feature->StealGeometry() : nullptr};
}

}  // namespace gdalmcp_aggregation
