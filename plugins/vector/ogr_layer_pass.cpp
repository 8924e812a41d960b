#include "ogr_layer_pass.hpp"

#include "datasets/gdal_output.hpp"

#include <gdalmcp/crew.hpp>

#include <string_view>
#include <tuple>

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

std::string counted(GIntBig n) { return std::to_string(n) + (n == 1 ? " feature" : " features"); }

bool lost_curves(const OGRGeometry& own, const OGRGeometry* made) {
    return made && own.hasCurveGeometry(TRUE) && !made->hasCurveGeometry(TRUE);
}

void warn_of_curves(gdalmcp::call& call, GIntBig n) {
    if (n > 0) call.warn(counted(n) + " had curves, which became straight segments");
}

namespace {

// Passes on what GDAL reports while it lives. Advice to use 'where' names the tool that has it: those that open two
// layers have none.
class advice_without_where {
public:
    advice_without_where() { CPLPushErrorHandlerEx(&advice_without_where::hear, this); }
    ~advice_without_where() {
        CPLPopErrorHandler();
        constexpr std::string_view own = "with 'where'";
        for (auto& [kind, number, text] : heard_) {
            if (const auto at = text.find(own); kind == CE_Warning && at != std::string::npos)
                text.replace(at, own.size(), "with vector_query and its 'where', and give its result");
            CPLError(kind, number, "%s", text.c_str());
        }
    }
    advice_without_where(const advice_without_where&) = delete;
    advice_without_where& operator=(const advice_without_where&) = delete;

private:
    static void CPL_STDCALL hear(CPLErr kind, CPLErrorNum number, const char* text) {
        auto& own = *static_cast<advice_without_where*>(CPLGetErrorHandlerUserData());
        if (kind != CE_Debug) own.heard_.emplace_back(kind, number, text);
    }
    std::vector<std::tuple<CPLErr, CPLErrorNum, std::string>> heard_;
};

}  // namespace

source_layer open_layer_of(gdalmcp::call& call, const gdalmcp::arg<gdalmcp::vector>& dataset,
                           const gdalmcp::arg<std::optional<std::string>>& layer) {
    CPLErrorReset();
    source_layer s{nullptr, nullptr, OGRSpatialReference{}, {}};
    try {
        const advice_without_where advice;
        s.dataset = gdal::open(call[dataset]);
        s.layer = &gdal::layer_of(*s.dataset, call[layer]);
    } catch (gdalmcp::error& e) {
        if (const auto at = e.hint.find("'layer'"); at != std::string::npos)
            e.hint.replace(at, 7, "'" + std::string{layer.name} + "'");
        throw;
    }
    pass_on_complaint(call);
    s.crs = gdal::stated_crs(s.layer->GetSpatialRef());
    s.extent = layer_extent(*s.dataset, *s.layer);
    if (const auto text = gdal::recognised(*s.layer); !text.empty()) call.say(text);
    return s;
}

source_layer open_layer(gdalmcp::call& call, const std::optional<gdalmcp::crs>& given) {
    source_layer s{open_source(call), nullptr, OGRSpatialReference{}, {}};
    s.layer = &gdal::layer_of(*s.dataset, call[only_layer_name]);
    s.crs = crs_of(*s.layer, given, [&](const std::string& text) { call.warn(text); });
    s.extent = layer_extent(*s.dataset, *s.layer);
    if (const auto text = gdal::recognised(*s.layer); !text.empty()) call.say(text);
    return s;
}

void require_geometries(const source_layer& s, const std::string& hint) {
    if (s.layer->GetGeomType() == wkbNone)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "layer '" + std::string{s.layer->GetName()} + "' is a table without geometries", hint};
}

source_layer open_geometries(gdalmcp::call& call) {
    auto s = open_layer(call);
    require_geometries(s, "give a layer with geometries; vector_convert makes points of coordinate columns");
    return s;
}

gdal::frame frame_of(const source_layer& from, const char* argument, const char* of_crs) {
    return {from.crs, from.extent, argument, of_crs, true};
}

std::string extent_in_both(const OGREnvelope& box, const OGRSpatialReference& own, const OGRSpatialReference& other) {
    const auto label = [](const OGRSpatialReference& srs) {
        return srs.IsEmpty() ? std::string{" (no CRS)"} : " in " + gdal::crs_label(srs);
    };
    auto text = gdal::box_text(box) + label(own);
    if (own.IsEmpty() || other.IsEmpty() || same_coordinates(own, other)) return text;
    const gdal::quiet silence;
    const std::unique_ptr<OGRCoordinateTransformation> way{OGRCreateCoordinateTransformation(&own, &other)};
    OGREnvelope there;
    if (way && way->TransformBounds(box.MinX, box.MinY, box.MaxX, box.MaxY, &there.MinX, &there.MinY, &there.MaxX,
                                    &there.MaxY, 21))
        text += ", " + gdal::box_text(there) + label(other);
    return text;
}

void refuse_apart(const gdal::placed_geometry& area, const source_layer& from, const std::string& argument,
                  const std::string& of_crs) {
    OGREnvelope box;
    area.given->getEnvelope(&box);
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "'" + argument + "' covers " + extent_in_both(box, area.given_crs, from.crs) +
                             ", and the layer " + extent_in_both(from.extent, from.crs, area.given_crs) +
                             ": they do not meet",
                         "check the order of the coordinates and '" + of_crs + "'; vector_info gives the extent"};
}

std::optional<transformation> towards(const format& f, const OGRSpatialReference& own_crs, const OGREnvelope& extent,
                                      const notice& say) {
    if (!f.wgs84_only) return std::nullopt;
    if (own_crs.IsEmpty())
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT, std::string{"the layer has no CRS, and "} + f.driver + " holds WGS 84 only",
            "give the CRS of its coordinates with 'src_crs' or 'crs' where the tool has it, or write to .gpkg"};
    const auto wgs84 = *gdal::parse_crs("OGC:CRS84");
    if (!same_coordinates(own_crs, wgs84))
        say(std::string{f.driver} + " holds WGS 84 only: coordinates were transformed from " +
            gdal::crs_label(own_crs) + " to OGC:CRS84");
    return std::optional<transformation>{std::in_place, own_crs, wgs84, gdal::wgs84_bounds(extent, own_crs), true, say};
}

bool wants_multi(const source_layer& s, bool cut) {
    const auto type = wkbFlatten(s.layer->GetGeomType());
    if (cut)
        return type == wkbPolygon || type == wkbLineString || type == wkbMultiPolygon || type == wkbMultiLineString ||
               type == wkbMultiPoint || type == wkbCurvePolygon || type == wkbCompoundCurve ||
               type == wkbCircularString;
    return EQUAL(s.dataset->GetDriverName(), "ESRI Shapefile") && holds_multi_parts(*s.layer);
}

namespace {
CPLStringList list_of(const std::vector<std::string>& options) {
    CPLStringList list;
    for (const auto& one : options) list.AddString(one.c_str());
    return list;
}
}  // namespace

layer_pass::layer_pass(gdalmcp::call& call, source_layer& from, layer_design design)
    : from_{from},
      skip_{call[skip_failed]},
      say_{[&call](const std::string& text) { call.warn(text); }},
      format_{format_of(call[output].path)},
      moved_{design.type == wkbNone ? std::nullopt : towards(format_, from.crs, from.extent, say_)},
      // The output of a table in a format of WGS 84 only has that CRS, too.
      out_crs_{moved_ || format_.wgs84_only ? *gdal::parse_crs("OGC:CRS84")
               : design.type == wkbNone     ? OGRSpatialReference{}
                                            : from.crs},
      out_{gdalmcp_datasets::create_vector(call[output].path, format_.driver, list_of(design.options.dataset).List())} {
    design.crs = out_crs_.IsEmpty() ? nullptr : &out_crs_;
    result_ = std::make_unique<output_layer>(*out_, format_, *from.dataset, *from.layer, design, say_);
}

void layer_pass::run(gdalmcp::call& call, const char* doing, const visit& each, double until) {
    for_each_usable_feature(*from_.layer, skip_, call.part(0.0, until, doing), each, failed_);
}

void layer_pass::run_parallel(gdalmcp::call& call, const char* doing, const maker& make, const taker& take,
                              double until) {
    struct item {
        OGRFeatureUniquePtr feature;
        made done{};
        std::optional<unusable> failed{};
    };
    constexpr std::size_t together = 32;  // features of a task
    const std::size_t batch = workers() * together * 8;
    std::vector<item> items;
    gdalmcp::crew crew{workers() > 1 ? workers() : 0};  // ends before what it works on
    const auto work = [&](std::size_t from, std::size_t worker) {
        for (std::size_t i = from; i < std::min(from + together, items.size()); ++i) {
            const auto* own = items[i].feature->GetGeometryRef();
            if (!own || own->IsEmpty()) continue;
            try {
                items[i].done = make(worker, *items[i].feature);
            } catch (const unusable& e) {
                items[i].failed = e;
            }
        }
    };
    const auto flush = [&] {
        for (std::size_t from = 0; from < items.size(); from += together)
            crew.run([&work, from](std::size_t worker) { work(from, worker); });
        crew.wait();
        for (auto& i : items) {
            attempt(*i.feature, [&] {
                if (i.failed) throw unusable{*i.failed};
                take(*i.feature, std::move(i.done));
            });
        }
        items.clear();
    };
    const auto collect = [&](OGRFeature& feature) {
        items.push_back({OGRFeatureUniquePtr{feature.Clone()}});
        if (items.size() >= batch) flush();
        return true;
    };
    for_each_usable_feature(*from_.layer, skip_, call.part(0.0, until, doing), collect, failed_);
    flush();
}

void layer_pass::attempt(const OGRFeature& feature, const std::function<void()>& work) {
    try {
        work();
    } catch (const unusable& e) {
        leave_out(feature, e.why);
    }
}

void layer_pass::add_one(std::unique_ptr<OGRGeometry> geometry) {
    const OGRFeatureUniquePtr feature{OGRFeature::CreateFeature(from_.layer->GetLayerDefn())};
    feature->SetFID(1);
    try {
        add(*feature, std::move(geometry));
    } catch (const unusable& e) {
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "the united features cannot be written: " + e.why,
                             "write to .gpkg"};
    }
}

void layer_pass::add(const OGRFeature& feature, std::unique_ptr<OGRGeometry> geometry,
                     const std::vector<double>& values, const OGRFeature* joined) {
    if (moved_ && geometry) {
        geometry = moved_->apply(*geometry, true);
        if (!geometry)
            throw unusable{std::string{"it has no place in OGC:CRS84, which "} + format_.driver +
                           " needs; .gpkg keeps the layer's own CRS"};
    }
    result_->add(feature, std::move(geometry), values, joined);
}

void layer_pass::add_joined(const OGRFeature& feature, std::unique_ptr<OGRGeometry> geometry,
                            const std::vector<double>& values) {
    if (moved_ && geometry) geometry = moved_->apply_or_fail(*geometry, feature.GetFID());
    result_->add_joined(feature, std::move(geometry), values);
}

void layer_pass::leave_out(const OGRFeature& feature, const std::string& why) {
    reject(*from_.layer, feature, why, skip_, failed_);
}

void layer_pass::already_left_out(const left_out& failed) { failed_.merge(failed); }

void layer_pass::finish(gdalmcp::call& call) {
    result_->finish();
    if (moved_) moved_->tell_changes(from_.layer->GetName(), say_);
    gdalmcp_datasets::close_vector(std::move(out_), call[output].path);
    expect_features(call, result_->written(), out_crs_);
    call.put(features_written, result_->written());
    layer_crs.put(call, out_crs_);
    if (skip_) {
        call.put(failed_ids, failed_.ids);
        call.put(failed_count, failed_.count);
    }
    if (failed_.count > 0) call.warn(failed_.said(" of the layer left out") + "; the first: " + failed_.first_reason);
}

}  // namespace gdalmcp_vector
