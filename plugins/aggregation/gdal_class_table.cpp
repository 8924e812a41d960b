#include "gdal_class_table.hpp"

#include "datasets/gdal_output.hpp"
#include "gdal_zone_table.hpp"

namespace gdalmcp_aggregation {

class_table::class_table(const std::string& path, const class_naming& names, const std::vector<std::string>& labels,
                         bool named, bool with_areas, const OGRSpatialReference& crs)
    : path_{path},
      names_{names},
      named_{named},
      with_areas_{with_areas},
      with_outlines_{named && zone_table::has_outlines(path)} {
    const bool package = zone_table::has_outlines(path);
    file_ = gdalmcp_datasets::create_vector(path, package ? "GPKG" : "CSV");
    OGRSpatialReference own{crs};
    layer_ = with_outlines_ ? file_->CreateLayer("classes", own.IsEmpty() ? nullptr : &own, wkbUnknown)
                            : &gdalmcp_datasets::create_table(*file_, path, "classes", true);
    if (!layer_) gdalmcp::gdal::raise("cannot create " + path);
    const auto add = [&](const std::string& name, OGRFieldType type) {
        OGRFieldDefn field{name.c_str(), type};
        if (layer_->CreateField(&field) != OGRERR_NONE)
            gdalmcp::gdal::raise("cannot add the column " + name + " to " + path_);
    };
    // GDAL's CSV driver quotes whole-number columns as if they were text, but not real ones.
    const auto whole = package ? OFTInteger64 : OFTReal;
    if (named_) add("zone", OFTString);
    for (const auto& label : labels) add("label_" + label, OFTString);
    add("value", whole);
    add("name", OFTString);
    if (names_.source.pairs()) {
        add("against", whole);
        add("against_name", OFTString);
    }
    add("cells", OFTReal);
    add("share", OFTReal);
    if (with_areas_) {
        add("area_m2", OFTReal);
        add("area_ha", OFTReal);
    }
    if (named_) add("problem", OFTString);
}

std::vector<class_table::row> class_table::rows_of(const class_tally& tally) const {
    std::vector<row> all;
    for (const auto& r : tally.rows) all.push_back({names_.of(r.code), r.code, r.extent, tally.share_of(r)});
    if (tally.other.cells > 0) all.push_back({"other classes", {}, tally.other, tally.share_of({{}, tally.other})});
    if (tally.unlisted.cells > 0) all.push_back({"no data", {}, tally.unlisted, {}});
    return all;
}

void class_table::add(const tallied_zone& z, const OGRGeometry* outline) {
    const auto rows = rows_of(z.tally);
    for (const auto& r : rows) write(z, &r, outline);
    if (rows.empty()) write(z, nullptr, outline);
}

void class_table::write(const tallied_zone& z, const row* r, const OGRGeometry* outline) {
    OGRFeature feature{layer_->GetLayerDefn()};
    int field = 0;
    if (named_) feature.SetField(field++, z.of->id.c_str());
    for (const auto& label : z.of->labels) feature.SetField(field++, label.c_str());
    const auto set_class = [&](std::int64_t code, const std::string& name) {
        if (code != class_code::none) feature.SetField(field, static_cast<GIntBig>(code));
        if (!name.empty()) feature.SetField(field + 1, name.c_str());
        field += 2;
    };
    if (r) {
        set_class(r->code.value, r->name);
        // A blank would count as another class where someone selects what has changed.
        const bool unknown = r->code.value != class_code::none && r->code.against == class_code::none;
        if (names_.source.pairs()) set_class(r->code.against, unknown ? "no data" : names_.against(r->code));
        feature.SetField(field++, r->extent.cells);
        if (r->share) feature.SetField(field, *r->share);
        ++field;
        if (with_areas_) {
            feature.SetField(field++, r->extent.area);
            feature.SetField(field++, r->extent.area / 10000);
        }
    } else {
        const auto& problem = z.of->problem;
        feature.SetField(layer_->GetLayerDefn()->GetFieldCount() - 1,
                         problem.empty() ? "it lies off the raster" : problem.c_str());
    }
    if (with_outlines_ && outline) feature.SetGeometry(outline);
    if (layer_->CreateFeature(&feature) != OGRERR_NONE) gdalmcp::gdal::raise("cannot write a row to " + path_);
    ++rows_;
}

void class_table::close() { gdalmcp_datasets::close_vector(std::move(file_), path_); }

}  // namespace gdalmcp_aggregation
