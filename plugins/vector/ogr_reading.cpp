#include "ogr_reading.hpp"

#include <gdalmcp/gdal_geojson_losses.hpp>
#include <gdalmcp/gdal_unread.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace gdalmcp_vector {

namespace {

// A feature as it was read, with what GDAL said meanwhile.
struct reading {
    OGRFeatureUniquePtr feature;
    std::string damage;                   // the first failure
    std::vector<std::string> no_shapes;   // why each geometry that GDAL parsed meanwhile is none
    std::vector<std::string> led_past{};  // of each feature that GDAL could not read, and went on to this
    std::vector<std::pair<CPLErrorNum, std::string>> warnings;
};

// What GDAL says of a feature of a GML file that it leaves out; else empty.
std::string left_out_by(const std::string& warning) {
    const auto end = warning.find(". Skipping to next feature");
    return end != std::string::npos && warning.starts_with("Geometry of feature ") ? warning.substr(0, end) : "";
}

// Whether GDAL says, in a message for its developers, that it makes null of a geometry of an unknown type.
bool tells_unknown_type(std::string_view text) {
    return text.find("Unsupported geometry type detected") != text.npos ||
           text.find("Unsupported shape type in") != text.npos;
}

// Whether GDAL says that the text of a geometry in GeoJSON is none.
bool tells_no_geometry(std::string_view text) {
    return text.starts_with("Invalid ") &&
           (text.find(" coordinate. Type is not ") != text.npos || text.find(" object. ") != text.npos);
}

// Hears what GDAL says in this thread, for the reading given last.
class listening {
public:
    listening() { CPLPushErrorHandlerEx(hear, this); }
    ~listening() { CPLPopErrorHandler(); }
    listening(const listening&) = delete;
    listening& operator=(const listening&) = delete;

    void read(OGRLayer& layer, reading& into) {
        into_ = &into;
        into.feature.reset(layer.GetNextFeature());
        if (!into.damage.empty()) CPLErrorReset();
    }

private:
    static void hear(CPLErr kind, CPLErrorNum number, const char* text) {
        auto& all = *static_cast<listening*>(CPLGetErrorHandlerUserData())->into_;
        if (auto left = kind == CE_Warning ? left_out_by(text) : ""; !left.empty())
            all.led_past.push_back(std::move(left));
        else if (kind == CE_Warning)
            all.warnings.emplace_back(number, text);
        else if (kind >= CE_Failure && tells_no_geometry(text))
            all.no_shapes.emplace_back(text);
        else if (kind >= CE_Failure && all.damage.empty())
            all.damage = text;
        else if (kind == CE_Debug && tells_unknown_type(text))
            all.no_shapes.emplace_back("its geometry is of an unknown type");
    }
    const CPLConfigOptionSetter heard_{"CPL_DEBUG", "GeoJSON,OGR", false};  // where it says so
    reading* into_ = nullptr;
};

// The features of a layer, of a large one read in a thread of its own while the caller works on those before. The
// caller leaves the layer alone meanwhile.
class feature_stream {
public:
    feature_stream(OGRLayer& layer, bool ahead) : layer_{layer}, lost_{layer} {
        if (ahead) thread_ = std::jthread{[this](const std::stop_token& end) { read_ahead(end); }};
    }
    ~feature_stream() {
        thread_.request_stop();
        changed_.notify_all();
    }
    feature_stream(const feature_stream&) = delete;
    feature_stream& operator=(const feature_stream&) = delete;

    // Until the next call; after the last one: without a feature. Warnings are passed on.
    const reading& next() {
        auto& one = thread_.joinable() ? taken() : read_here();
        for (const auto& [number, text] : one.warnings) CPLError(CE_Warning, number, "%s", text.c_str());
        return one;
    }

private:
    using batch = std::vector<reading>;
    static constexpr std::size_t batch_size = 256, most_batches = 4;
    static constexpr std::size_t batch_bytes = 1 << 20;  // of geometries

    reading& read_here() {
        current_.clear();
        listening{}.read(layer_, current_.emplace_back());
        find_shapeless(current_.front());
        return current_.front();
    }
    // GeoJSON is parsed some features ahead: a text that is no geometry is taken to be that of the next without one.
    // Left at the end are those of features of which GDAL made something else. Where the text of the file was found
    // faulty, it is known of which features.
    void find_shapeless(reading& one) {
        if (!one.no_shapes.empty()) CPLErrorReset();
        shapeless_.insert(shapeless_.end(), one.no_shapes.begin(), one.no_shapes.end());
        if (!lost_.none()) {
            const auto* lost = one.feature && one.damage.empty() ? lost_.of(one.feature->GetFID()) : nullptr;
            if (!lost) return;
            const bool better = lost->told_by_gdal() && !shapeless_.empty();
            one.damage = better ? shapeless_.front() : lost->text();
            if (better) shapeless_.pop_front();
            return;
        }
        if (shapeless_.empty() || !one.damage.empty() || (one.feature && one.feature->GetGeometryRef())) return;
        if (one.feature || !found_shapeless_) one.damage = shapeless_.front();
        found_shapeless_ = true;
        shapeless_.pop_front();
    }
    void read_ahead(const std::stop_token& end) {
        const past_damage further;
        listening to;
        std::vector<batch> used;
        for (bool more = true; more;) {
            used.clear();
            batch read;
            read.reserve(batch_size);
            for (std::size_t bytes = 0; more && read.size() < batch_size && bytes < batch_bytes;) {
                to.read(layer_, read.emplace_back());
                find_shapeless(read.back());
                more = read.back().feature != nullptr;
                if (const auto* shape = more ? read.back().feature->GetGeometryRef() : nullptr)
                    bytes += shape->WkbSize();
            }
            std::unique_lock held{guard_};
            if (!changed_.wait(held, end, [&] { return ready_.size() < most_batches; })) return;
            ready_.push_back(std::move(read));
            used.swap(used_);
            changed_.notify_all();
        }
    }
    reading& taken() {
        if (at_ == current_.size()) {
            std::unique_lock held{guard_};
            changed_.wait(held, [&] { return !ready_.empty(); });
            used_.push_back(std::exchange(current_, std::move(ready_.front())));
            ready_.pop_front();
            at_ = 0;
            changed_.notify_all();
        }
        return current_[at_++];
    }

    OGRLayer& layer_;
    const gdalmcp::gdal::lost_geometries lost_;
    std::mutex guard_;
    std::condition_variable_any changed_;
    std::deque<batch> ready_;
    std::vector<batch> used_;  // memory is freed faster by the thread that got it
    batch current_;
    std::size_t at_ = 0;
    std::deque<std::string> shapeless_;  // why, of features to come; of the thread that reads, as the next
    bool found_shapeless_ = false;
    std::jthread thread_;  // last: it ends before what it works on
};

// Features without geometry beside a text that should be one: the CSV driver says nothing where it cannot read it.
class unread_texts {
public:
    explicit unread_texts(OGRLayer& layer) {
        auto& defn = *layer.GetLayerDefn();
        if (defn.GetGeomFieldCount() == 0) return;
        for (const char* name : {defn.GetGeomFieldDefn(0)->GetNameRef(), "WKT"})
            if (const int i = *name ? defn.GetFieldIndex(name) : -1;
                field_ < 0 && i >= 0 && defn.GetFieldDefn(i)->GetType() == OFTString &&
                !defn.GetFieldDefn(i)->IsIgnored() && !defn.GetGeomFieldDefn(0)->IsIgnored())
                field_ = i;
    }
    void see(const OGRFeature& f) {
        if (field_ < 0 || f.GetGeometryRef() || !f.IsFieldSetAndNotNull(field_)) return;
        const std::string text = f.GetFieldAsString(field_);
        if (text.empty() || ++count_ > 1) return;
        auto shown = std::min<std::size_t>(text.size(), 40);
        while (shown > 0 && shown < text.size() && (text[shown] & 0xC0) == 0x80) --shown;  // whole characters
        first_ = "feature " + std::to_string(f.GetFID()) + " has '" + text.substr(0, shown) +
                 (shown < text.size() ? "…'" : "'");
        name_ = f.GetFieldDefnRef(field_)->GetNameRef();
    }
    void tell() const {
        if (count_ == 0) return;
        CPLError(CE_Warning, CPLE_AppDefined, "%lld %s no geometry, because '%s' cannot be read as one: %s",
                 static_cast<long long>(count_), count_ == 1 ? "feature has" : "features have", name_.c_str(),
                 first_.c_str());
    }

private:
    int field_ = -1;
    GIntBig count_ = 0;
    std::string name_, first_;
};

// What to do about a damaged feature, or those that could not be read at all; false: leave it out.
using judgement = std::function<bool(const std::string& why, const OGRFeature*, missing)>;

// What is missing where reading ended at damage after `read` features. Many formats say how many they hold only as far
// as they can be read.
missing at_end(OGRLayer& layer, GIntBig read) {
    const auto unread = gdalmcp::gdal::unread_features(layer, read);
    return {std::max<GIntBig>(1, unread), unread == 0 || !layer.TestCapability(OLCFastFeatureCount)};
}

// What was met where an index chose the features: GDAL says it with the one that it gives after those it led past.
struct met_by_index {
    std::string failure;         // the first
    bool ended = false;          // reading did, at damage
    std::set<GIntBig> doubtful;  // ids of those given with one, and not handed on
    std::vector<GIntBig> given;  // ids of the others
    bool none() const { return failure.empty(); }
    void see(const std::string& damage, const OGRFeature* feature) {
        if (damage.empty()) {
            if (feature) given.push_back(feature->GetFID());
            return;
        }
        if (failure.empty()) failure = damage;
        if (feature) doubtful.insert(feature->GetFID());
        ended = ended || !feature;
    }
};

// Reads all of the layer for what is damaged in it, and hands on the doubtful ones that are not and, where reading by
// the index ended, those in its box that it had not come to.
void judge_all(OGRLayer& layer, met_by_index& met, const visit& each, const judgement& keep_damaged) {
    OGREnvelope box;
    layer.GetSpatialFilter()->getEnvelope(&box);
    std::sort(met.given.begin(), met.given.end());
    const auto lacking = [&](const OGRFeature& f) {
        if (met.doubtful.contains(f.GetFID())) return true;
        const auto* shape = met.ended ? f.GetGeometryRef() : nullptr;
        if (!shape || shape->IsEmpty() || std::binary_search(met.given.begin(), met.given.end(), f.GetFID()))
            return false;
        OGREnvelope own;
        shape->getEnvelope(&own);
        return box.Intersects(own) != FALSE;
    };
    layer.SetSpatialFilter(nullptr);
    layer.ResetReading();
    bool found = false, more = true;
    feature_stream stream{layer, false};
    for (GIntBig read = 0; more; ++read) {
        const auto& one = stream.next();
        more = one.feature != nullptr;
        if (!one.damage.empty()) {
            found = true;
            keep_damaged(one.damage, one.feature.get(), more ? missing{} : at_end(layer, read));
        } else if (one.feature && lacking(*one.feature)) {
            more = each(*one.feature);
        }
    }
    if (!found) keep_damaged(met.failure, nullptr, {});
}

void read_all(OGRLayer& layer, const progress& report, const visit& each, const judgement& keep_damaged) {
    const bool by_index = layer.GetSpatialFilter() != nullptr;
    met_by_index met;
    constexpr GIntBig many = 20'000;  // below, a thread costs more than it gains
    const auto expected = std::max<GIntBig>(1, feature_count(layer));
    const past_damage further;
    GIntBig led_past = 0;
    layer.ResetReading();
    unread_texts texts{layer};
    {
        feature_stream stream{layer, expected >= many && gdalmcp::gdal::threads_of_call() > 1};
        for (GIntBig read = 1;; ++read) {
            const auto& one = stream.next();
            for (const auto& why : one.led_past) {
                ++led_past;
                keep_damaged(why, nullptr, {});
            }
            if (!one.feature) {
                const auto unread = gdalmcp::gdal::unread_features(layer, read - 1 + led_past);
                if (by_index)
                    met.see(one.damage, nullptr);
                else if (!one.damage.empty())
                    keep_damaged(one.damage, nullptr, at_end(layer, read - 1 + led_past));
                if (!one.damage.empty()) break;
                if (unread > 0 && read == 1)
                    keep_damaged("it declares " + std::to_string(unread) + " features, and none could be read", nullptr,
                                 {unread});
                else if (unread > 0)
                    CPLError(CE_Warning, CPLE_AppDefined, "%s",
                             gdalmcp::gdal::unread_text(layer, read - 1, unread).c_str());
                break;
            }
            if (by_index) met.see(one.damage, one.feature.get());
            const bool kept = one.damage.empty() || (!by_index && keep_damaged(one.damage, one.feature.get(), {}));
            texts.see(*one.feature);
            if (read % 256 == 0) report(std::min(1.0, static_cast<double>(read) / static_cast<double>(expected)));
            if (kept && !each(*one.feature)) break;
        }
    }
    texts.tell();
    // Nobody knows where those lie whose geometry is lost.
    if (by_index && met.none()) met.failure = gdalmcp::gdal::lost_geometries{layer}.first();
    if (!met.none()) judge_all(layer, met, each, keep_damaged);
    layer.ResetReading();
}

}  // namespace

GIntBig feature_count(OGRLayer& layer) {
    const past_damage further;
    const gdalmcp::gdal::quiet silence;
    return layer.GetFeatureCount();
}

void left_out::add(const OGRFeature* f, const std::string& reason, missing features) {
    if (count == 0) first_reason = reason;
    count += features.count;
    or_more = or_more || features.or_more;
    if (!f) unseen += features.count;
    if (f && ids.size() < 100) ids.push_back(f->GetFID());
}

void left_out::merge(const left_out& other) {
    if (count == 0) first_reason = other.first_reason;
    count += other.count;
    unseen += other.unseen;
    or_more = or_more || other.or_more;
    for (const auto id : other.ids)
        if (ids.size() < 100) ids.push_back(id);
}

std::string left_out::said(const std::string& rest) const {
    return (or_more ? "at least " : "") + std::to_string(count) + (count == 1 ? " feature" : " features") + rest +
           (or_more ? ", as nothing behind the damage could be read" : "");
}

namespace {

// `by`: how to leave out what is damaged.
void read_intact(OGRLayer& layer, const progress& report, const visit& each, const char* by) {
    read_all(layer, report, each, [&](const std::string& why, const OGRFeature* f, missing) -> bool {
        throw gdalmcp::error{GDALMCP_IO,
                             "layer '" + std::string{layer.GetName()} + "' is damaged" +
                                 (f ? " at feature " + std::to_string(f->GetFID()) : std::string{}) + ": " + why,
                             std::string{"get an intact copy of the file, or leave out what is damaged with "} + by};
    });
}

}  // namespace

void for_each_feature(OGRLayer& layer, const progress& report, const visit& each) {
    read_intact(layer, report, each, "vector_query and skip_failed: true");
}

void for_each_readable_feature(OGRLayer& layer, const progress& report, const visit& each, left_out& damaged) {
    read_all(layer, report, each, [&](const std::string& why, const OGRFeature* f, missing features) {
        damaged.add(f, why, features);
        return false;
    });
}

void reject(OGRLayer& layer, const OGRFeature& feature, const std::string& why, bool skip, left_out& out) {
    if (!skip)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "feature " + std::to_string(feature.GetFID()) + " of layer '" + layer.GetName() +
                                 "' cannot be used: " + why,
                             "correct it, or leave out and name such features with skip_failed: true"};
    out.add(&feature, why);
}

void for_each_usable_feature(OGRLayer& layer, bool skip, const progress& report, const visit& each, left_out& out) {
    const auto use = [&](OGRFeature& feature) {
        try {
            return each(feature);
        } catch (const unusable& e) {
            reject(layer, feature, e.why, skip, out);
            return true;
        }
    };
    if (skip)
        for_each_readable_feature(layer, report, use, out);
    else
        read_intact(layer, report, use, "skip_failed: true");  // which these tools have
}

void for_each_feature_as_read(OGRLayer& layer, const progress& report, const visit& each, left_out& damaged) {
    read_all(layer, report, each, [&](const std::string& why, const OGRFeature* f, missing features) {
        damaged.add(f, why, features);
        return true;
    });
}

}  // namespace gdalmcp_vector
