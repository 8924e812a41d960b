#include "gdal_zones.hpp"

#include <gdalmcp/gdal_arcs.hpp>
#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_nodata.hpp>

#include <gdal_rat.h>

#include <algorithm>
#include <cmath>

#include "datasets/gdal_band_label.hpp"
#include "vector/ogr_repair.hpp"

namespace gdalmcp_aggregation {
namespace {

using gdalmcp::error;
using gdalmcp::gdal::geometry_ptr;
using gdalmcp::gdal::number_text;
using gdalmcp::gdal::detail::around_the_globe;

// A copy without curves, heights and measures. Arcs become edges of a tenth of a degree: 5e-7 of a circle's area.
gdalmcp::gdal::geometry_ptr flattened(const OGRGeometry& geometry) {
    gdalmcp::gdal::geometry_ptr flat{gdalmcp::gdal::straightened(geometry, 0.1)};
    flat->flattenTo2D();
    flat->setMeasured(FALSE);
    return flat;
}

gdalmcp_datasets::grid grid_of_values(GDALDataset& file) {
    for (int i = 1; i <= file.GetRasterCount(); ++i) gdalmcp_datasets::require_real(*file.GetRasterBand(i));
    return gdalmcp_datasets::grid_of(file);
}

bool has_scale(GDALRasterBand& band) { return band.GetScale() != 1 || band.GetOffset() != 0; }

// The cells as they are stored. type: that of T, which keeps every value.
template <class T>
void read_stored(GDALRasterBand& band, const window& block, const std::string& path, GDALDataType type,
                 std::vector<T>& cells, std::vector<unsigned char>& valid) {
    const int x = static_cast<int>(block.column), y = static_cast<int>(block.row);
    const int w = static_cast<int>(block.width), h = static_cast<int>(block.height);
    cells.resize(block.size());
    valid.assign(block.size(), 1);
    if (band.RasterIO(GF_Read, x, y, w, h, cells.data(), w, h, type, 0, 0) != CE_None)
        gdalmcp::gdal::raise_unreadable(band, y, h);
    const auto missing = gdalmcp::gdal::nodata_rule_of(band);
    if (missing.by_mask &&
        band.GetMaskBand()->RasterIO(GF_Read, x, y, w, h, valid.data(), w, h, GDT_Byte, 0, 0) != CE_None)
        gdalmcp::gdal::raise("cannot read the mask of band " + std::to_string(band.GetBand()) + " of " + path);
    mark_missing(cells.data(), cells.size(), missing.range.lowest, missing.range.highest, valid.data());
}

}  // namespace

block_values read_block(GDALRasterBand& band, const window& block, bool scaled, const std::string& path) {
    block_values out;
    read_stored(band, block, path, GDT_Float64, out.value, out.valid);
    if (const double scale = band.GetScale(), offset = band.GetOffset(); scaled && has_scale(band))
        for (auto& v : out.value) v = v * scale + offset;
    return out;
}

window stored_block_of(GDALRasterBand& band) {
    int width = 0, height = 0;
    band.GetBlockSize(&width, &height);
    return {0, 0, static_cast<std::size_t>(std::max(1, height)), static_cast<std::size_t>(std::max(1, width))};
}

void value_raster::require_band(std::int64_t band) const { gdalmcp_datasets::require_band(path(), bands(), band); }

decltype(sweep_source::cell_areas) areas_from(const gdalmcp::gdal::cell_areas& areas) {
    return [&areas](std::size_t row, std::size_t column, std::size_t length, double* out) {
        for (std::size_t i = 0; i < length; ++i)
            out[i] = areas.at(static_cast<double>(column + i) + 0.5, static_cast<std::int64_t>(row));
    };
}

value_raster::value_raster(const gdalmcp::raster& source)
    : value_raster{source.path, gdalmcp_datasets::open_raster(source)} {}

value_raster::value_raster(const std::string& path, gdalmcp::gdal::dataset_ptr file)
    : zone_grid{path, grid_of_values(*file)}, file_{std::move(file)} {}

std::string value_raster::band_name(int band) const {
    return gdalmcp_datasets::band_label(*file_->GetRasterBand(band));
}
std::string value_raster::band_unit(int band) const { return file_->GetRasterBand(band)->GetUnitType(); }
void value_raster::tell_ignored_scale(gdalmcp::call& call, int band) const {
    gdalmcp_datasets::tell_ignored_scale(call, path(), *file_->GetRasterBand(band));
}

void value_raster::read(int band, const window& block, block_values& into) const {
    auto& b = this->band(band);
    if (b.GetRasterDataType() == GDT_Float32 && !has_scale(b))
        read_stored(b, block, path(), GDT_Float32, into.single, into.valid);
    else
        into = read(band, block);
}

bool value_raster::is_scaled(int band) const { return has_scale(*file_->GetRasterBand(band)); }

gdalmcp::gdal::class_names value_raster::class_names(int band) const {
    if (is_scaled(band)) return {};  // the names belong to the stored values
    return gdalmcp::gdal::class_names{*file_->GetRasterBand(band)};
}

void value_raster::require_same_grid(const value_raster& other) const {
    gdalmcp_datasets::require_same_grid({path(), on()}, {other.path(), other.on()});
}

zone_layer::zone_layer(const gdalmcp::vector& source, const options& chosen, const zone_grid& raster)
    : raster_{raster},
      places_{source, chosen.layer, chosen.id_field, chosen.crs, raster, chosen.words},
      layer_{&places_.layer()},
      frame_{raster.crs(), raster.extent()},
      quick_{chosen.quick},
      invalid_{chosen.invalid} {
    if (!chosen.id_field) choose_labels();
    if (!quick_) {
        areas_.emplace(crs());
        raster_areas_.emplace(raster.crs());
    }
    if (places_.to_raster()) way_.emplace(crs(), raster.crs(), raster.extent());
    wide_ = gdalmcp::gdal::wide_edges{crs()};
    read_only_named_fields();
    layer_->ResetReading();
}

void zone_layer::choose_labels() {
    auto& fields = *layer_->GetLayerDefn();
    // The CSV driver keeps the column that it reads geometries from.
    const auto holds_geometries = [&](int i) {
        const char* name = fields.GetFieldDefn(i)->GetNameRef();
        return fields.GetGeomFieldCount() > 0 &&
               (EQUAL(name, "WKT") || EQUAL(name, fields.GetGeomFieldDefn(0)->GetNameRef()) ||
                EQUAL(CPLSPrintf("geom_%s", name), fields.GetGeomFieldDefn(0)->GetNameRef()));
    };
    for (int i = 0; i < fields.GetFieldCount() && label_indices_.size() < 2; ++i) {
        if (fields.GetFieldDefn(i)->GetType() != OFTString || holds_geometries(i)) continue;
        label_indices_.push_back(i);
        label_names_.emplace_back(fields.GetFieldDefn(i)->GetNameRef());
    }
}

void zone_layer::read_only_named_fields() {
    if (!layer_->TestCapability(OLCIgnoreFields)) return;
    const auto& fields = *layer_->GetLayerDefn();
    gdalmcp::gdal::words ignored;
    for (int i = 0; i < fields.GetFieldCount(); ++i)
        if (i != places_.id_index() &&
            std::find(label_indices_.begin(), label_indices_.end(), i) == label_indices_.end())
            ignored.add(fields.GetFieldDefn(i)->GetNameRef());
    if (ignored.size() > 0) layer_->SetIgnoredFields(const_cast<const char**>(ignored.get()));
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
    std::string why;
    if (const auto placed = on_raster(std::move(flat), out.area, why)) {
        out.outline = raster_.to_grid(*placed);
        out.in_cells = cells_of(*placed, out);
    } else {
        out.problem = std::string{untransformable} + (why.empty() ? why : ": " + why);
    }
}

double zone_layer::cells_of(const OGRGeometry& placed, const placed_zone& of) const {
    const double all = area_of(of.outline);
    if (!raster_areas_ || !of.area || lies_within(of.outline, raster_.rows(), raster_.columns())) return all;
    const geometry_ptr on_grid{placed.Intersection(raster_.border().get())};
    const auto area = on_grid ? raster_areas_->of(*on_grid) : std::nullopt;
    if (!area || !(*area > 0)) return all;
    const double as_large = area_of(raster_.to_grid(*on_grid)) * *of.area / *area;
    return std::abs(as_large / all - 1) > 1e-6 ? as_large : all;
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

// The outline in the raster's CRS, of a zone of that area on the Earth; empty where it has none, and why.
gdalmcp::gdal::geometry_ptr zone_layer::on_raster(gdalmcp::gdal::geometry_ptr flat, std::optional<double> area,
                                                  std::string& why) const {
    if (way_ && quick_) {
        const gdalmcp::gdal::quiet silence;
        gdalmcp::gdal::geometry_ptr moved{flat->clone()};
        const bool placed = moved->transform(places_.to_raster()) == OGRERR_NONE;
        if (placed && !gdalmcp::gdal::detail::reaches_far(*moved, raster_.crs()))
            return around_the_globe(std::move(moved), frame_);
    }
    if (way_) {
        auto found = way_->carry(*flat, area);
        why = std::move(found.why);
        if (!found.shape) return nullptr;
        flat = std::move(found.shape);
    }
    return around_the_globe(std::move(flat), frame_);
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
    std::string ignored;
    const auto placed = on_raster(std::move(flat), std::nullopt, ignored);
    return placed ? raster_.to_grid(*placed) : zone{};
}

std::vector<std::string> zone_layer::warnings() const {
    auto all =
        places_.warnings(quick_ ? ", vertex by vertex" : ", their edges densified until no area changed by 1e-6");
    if (repaired_count_ > 0)
        all.push_back(
            std::to_string(repaired_count_) +
            " zones with invalid outlines were repaired (GEOS MakeValid, structure: what rings cover together "
            "is kept), the first is " +
            first_repair_ + "; outlines in 'output' stay as they were");
    if (auto text = wide_.warning("the " + places_.words().one + "s"); !text.empty()) all.push_back(std::move(text));
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
    out.id = places_.id_of(*feature);
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
