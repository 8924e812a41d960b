#include "ogr_held_layer.hpp"

#include <gdalmcp/crew.hpp>

#include <algorithm>

#include "ogr_shapes.hpp"

namespace gdalmcp_vector {

using geos::handle;

std::vector<const GEOSGeometry*> held_layer::all_shapes() const {
    std::vector<const GEOSGeometry*> all;
    for (const auto& s : shapes) all.push_back(s.get());
    return all;
}

std::size_t held_layer::size_bytes() const {
    constexpr std::size_t a_feature = 400, a_vertex = 32;  // as GDAL's and GEOS' objects take
    return features.size() * a_feature + vertices * a_vertex;
}

geos::shape valid_form(const GEOSGeometry& g) {
    const std::unique_ptr<GEOSMakeValidParams, void (*)(GEOSMakeValidParams*)> by{
        GEOSMakeValidParams_create_r(handle()), [](auto* p) { GEOSMakeValidParams_destroy_r(handle(), p); }};
    GEOSMakeValidParams_setMethod_r(handle(), by.get(), GEOS_MAKE_VALID_STRUCTURE);
    GEOSMakeValidParams_setKeepCollapsed_r(handle(), by.get(), 0);
    return geos::only_dimension(geos::owned(GEOSMakeValidWithParams_r(handle(), &g, by.get())), geos::dimension(g));
}

namespace {

// Shapes `begin` to `end`: why each is invalid, "" if it is not.
void check(std::vector<geos::shape>& shapes, std::size_t begin, std::size_t end, invalid_choice choice,
           std::vector<std::string>& reasons) {
    for (auto i = begin; i < end; ++i) {
        auto& shape = shapes[i];
        if (!shape) continue;
        if (geos::empty(*shape)) {
            shape = nullptr;
            continue;
        }
        reasons[i] = geos::invalid_reason(*shape);
        if (!reasons[i].empty() && choice == invalid_choice::repair) shape = valid_form(*shape);
        if (shape) geos::box_of(*shape);  // GEOS remembers it, so that threads may ask for it at once
    }
}

void leave_out_invalid(held_layer& all, std::vector<std::string>& reasons) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
        if (!reasons[i].empty()) {
            all.failed.add(all.features[i].get(), reasons[i]);
            continue;
        }
        all.features[kept] = std::move(all.features[i]);
        all.shapes[kept++] = std::move(all.shapes[i]);
    }
    all.features.resize(kept);
    all.shapes.resize(kept);
    reasons.assign(kept, {});
}

}  // namespace

held_layer hold(OGRLayer& layer, transformation* moved, bool geometries, invalid_choice choice, bool skip,
                const progress& report) {
    held_layer all;
    all.wide = gdalmcp::gdal::wide_edges{gdalmcp::gdal::stated_crs(layer.GetSpatialRef())};
    const auto keep = [&](OGRFeature& feature) {
        geos::shape shape;
        if (const auto* own = geometries ? feature.GetGeometryRef() : nullptr; own && !own->IsEmpty()) {
            all.wide.see(*own, feature.GetFID());
            all.with_z += own->Is3D();
            all.with_m += own->IsMeasured();
            all.with_curves += own->hasCurveGeometry(TRUE) != 0;
            std::unique_ptr<OGRGeometry> elsewhere;
            if (moved && !moved->none()) {
                elsewhere = moved->apply_by_edges(*own);
                if (!elsewhere)
                    throw unusable{
                        "it has no place, or not all of it, in the CRS of the other layer (beyond a projection, "
                        "across its seam or longitude 180, around a pole): "
                        "bring that one into the CRS of this with vector_reproject"};
            }
            try {
                shape = to_shape(elsewhere ? *elsewhere : *own);
            } catch (const geos::failure& e) {
                throw unusable{e.what()};
            }
            all.vertices += static_cast<std::size_t>((elsewhere ? *elsewhere : *own).WkbSize()) / 16;
        } else if (geometries) {
            ++all.without_geometry;
        }
        const std::unique_ptr<OGRGeometry> dropped{feature.StealGeometry()};
        all.features.emplace_back(feature.Clone());
        all.shapes.push_back(std::move(shape));
        return true;
    };
    for_each_usable_feature(layer, skip, report, keep, all.failed);
    std::vector<std::string> reasons(all.size());
    gdalmcp::crew workers{all.size() > 1000 ? gdalmcp::gdal::threads_of_call() : 0};
    constexpr std::size_t portion = 500;
    for (std::size_t begin = 0; begin < all.size(); begin += portion)
        workers.run([&, begin](std::size_t) {
            check(all.shapes, begin, std::min(begin + portion, all.size()), choice, reasons);
        });
    workers.wait();
    if (skip && choice == invalid_choice::keep) leave_out_invalid(all, reasons);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!reasons[i].empty()) {
            all.invalid.push_back({all.features[i]->GetFID(), reasons[i]});
            all.collapsed += !all.shapes[i];
        }
    return all;
}

GIntBig keep_dimension(held_layer& held, int dimension) {
    GIntBig mixed = 0;
    for (auto& s : held.shapes) {
        if (!s || GEOSGeomTypeId_r(geos::handle(), s.get()) != GEOS_GEOMETRYCOLLECTION) continue;
        bool others = false;
        geos::for_each_part(*s, [&](const GEOSGeometry& part) {
            others = others || (!geos::empty(part) && geos::dimension(part) != dimension);
        });
        mixed += others;
        s = geos::only_dimension(std::move(s), dimension);
    }
    return mixed;
}

}  // namespace gdalmcp_vector
