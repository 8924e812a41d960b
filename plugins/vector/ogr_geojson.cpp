#include "ogr_geojson.hpp"

#include <gdalmcp/gdal_arcs.hpp>
#include <gdalmcp/gdal_collect.hpp>
#include <gdalmcp/gdal_transformation.hpp>

#include <algorithm>
#include <cmath>

#include "ogr_shapes.hpp"
#include "ogr_transformation.hpp"

namespace gdalmcp_vector {

namespace {

using gdalmcp::gdal::json_quote;

std::string text_value(const char* text) {
    if (CPLIsUTF8(text, -1)) return json_quote(text);
    char* ascii = CPLForceToASCII(text, -1, '?');
    std::string out = json_quote(ascii);
    CPLFree(ascii);
    return out;
}

std::string number_value(double v) { return std::isfinite(v) ? gdalmcp::gdal::number_text(v) : "null"; }

std::string value_text(const OGRFeature& f, int i) {
    if (!f.IsFieldSetAndNotNull(i)) return "null";
    const auto& defn = *f.GetFieldDefnRef(i);
    switch (defn.GetType()) {
        case OFTInteger:
            if (defn.GetSubType() == OFSTBoolean) return f.GetFieldAsInteger(i) ? "true" : "false";
            return std::to_string(f.GetFieldAsInteger(i));
        case OFTInteger64:
            return std::to_string(f.GetFieldAsInteger64(i));
        case OFTReal:
            return number_value(f.GetFieldAsDouble(i));
        case OFTBinary: {
            int size = 0;
            f.GetFieldAsBinary(i, &size);
            return json_quote("(" + std::to_string(size) + " bytes)");
        }
        case OFTDate:
        case OFTTime:
        case OFTDateTime: {
            std::string text = f.GetFieldAsString(i);  // 2020/01/31 12:00:00+00
            for (char& c : text)
                if (c == '/') c = '-';
            return json_quote(text);
        }
        default:
            return text_value(f.GetFieldAsString(i));
    }
}

// RFC 7946, 3.1.6: outer rings counter-clockwise, inner ones clockwise.
void wind(OGRGeometry& geometry) {
    if (OGR_GT_IsSubClassOf(geometry.getGeometryType(), wkbGeometryCollection)) {
        for (auto* part : *geometry.toGeometryCollection()) wind(*part);
    } else if (wkbFlatten(geometry.getGeometryType()) == wkbPolygon) {
        bool outer = true;
        for (auto* ring : *geometry.toPolygon()) {
            if ((ring->isClockwise() != FALSE) == outer) ring->reversePoints();
            outer = false;
        }
    }
}

// Bytes of GeoJSON: some 20 vertices. More vertices tell a reader little.
constexpr std::size_t max_geometry = 500;

std::size_t vertices_of(const OGRGeometry& geometry) {
    struct counter : OGRDefaultConstGeometryVisitor {
        using OGRDefaultConstGeometryVisitor::visit;
        std::size_t count = 0;
        void visit(const OGRPoint*) override { ++count; }
    } all;
    geometry.accept(&all);
    return all.count;
}

}  // namespace

feature_preview::feature_preview(const OGRSpatialReference* crs, std::vector<int> fields, GIntBig most,
                                 std::size_t budget)
    : fields_{std::move(fields)}, most_{most}, budget_{budget} {
    if (crs) to_wgs84_ = gdalmcp::gdal::to_wgs84(*crs);
}

std::string feature_preview::geometry_members(const OGRGeometry* geometry) {
    if (!geometry || geometry->IsEmpty()) return ",\"geometry\":null";
    const gdalmcp::gdal::quiet silence;
    std::unique_ptr<OGRGeometry> shown{gdalmcp::gdal::straightened(*geometry)};
    if (auto polygons = gdalmcp::gdal::surfaces_as_polygons(*shown)) shown = std::move(polygons);
    shown->setMeasured(FALSE);
    if (to_wgs84_) {
        constexpr const char* options[] = {"WRAPDATELINE=YES", nullptr};
        auto* how = mixes_points(*shown) ? nullptr : const_cast<char**>(options);
        shown.reset(OGRGeometryFactory::transformWithOptions(shown.get(), to_wgs84_.get(), how));
    }
    if (!shown || !finite(*shown)) {
        ++outside_;
        return ",\"geometry\":null";
    }
    wind(*shown);
    // exportToJson swaps axes by the CRS's mapping; the coordinates are longitude, latitude already.
    shown->assignSpatialReference(nullptr);
    constexpr const char* options[] = {"COORDINATE_PRECISION=7", nullptr};
    char* text = OGR_G_ExportToJsonEx(OGRGeometry::ToHandle(shown.get()), const_cast<char**>(options));
    std::string out = text ? text : "null";
    CPLFree(text);
    out.erase(std::remove(out.begin(), out.end(), ' '), out.end());  // no string in it holds a blank
    if (out.size() <= max_geometry) return ",\"geometry\":" + out;
    ++shortened_;
    OGREnvelope box;
    shown->getEnvelope(&box);
    const auto rounded = [](double v) { return gdalmcp::gdal::number_text(std::round(v * 1e7) / 1e7); };
    return ",\"bbox\":[" + rounded(box.MinX) + "," + rounded(box.MinY) + "," + rounded(box.MaxX) + "," +
           rounded(box.MaxY) + "],\"geometry\":null,\"geometry_left_out\":" +
           json_quote(geometry_type_name(shown->getGeometryType()) + ", " + std::to_string(vertices_of(*shown)) +
                      " vertices");
}

void feature_preview::add(const OGRFeature& f, const OGRGeometry* geometry) {
    if (full_ || shown_ >= most_) return;
    std::string one = std::string{shown_ ? "," : ""} + "{\"type\":\"Feature\",\"id\":" + std::to_string(f.GetFID()) +
                      ",\"properties\":{";
    for (std::size_t k = 0; k < fields_.size(); ++k)
        one +=
            (k ? "," : "") + text_value(f.GetFieldDefnRef(fields_[k])->GetNameRef()) + ":" + value_text(f, fields_[k]);
    one += "}" + geometry_members(geometry) + "}";
    if (text().size() + one.size() > budget_) {
        full_ = true;
        return;
    }
    features_ += one;
    ++shown_;
}

}  // namespace gdalmcp_vector
