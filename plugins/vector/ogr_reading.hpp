// Reads every feature of a layer once; none is lost unreported.
#pragma once
#include <gdalmcp/gdal_geometry.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gdalmcp_vector {

// Reports the progress of a loop, in [0,1]; throws gdalmcp::cancelled when it must stop.
using progress = std::function<void(double)>;
// Receives notes of a tool that do not fail it.
using notice = std::function<void(const std::string&)>;
// Returns false to stop reading.
using visit = std::function<bool(OGRFeature&)>;

// Calls `each` for the layer's features in its order, filters honoured. Warns where the layer declares more features
// than GDAL gives. Throws naming the feature GDAL could not read
// whole (GDAL goes on with a missing geometry).
void for_each_feature(OGRLayer&, const progress&, const visit& each);

// While it lives, GDAL goes on behind a geometry of a GML file that it cannot parse, in this thread, with a warning.
class past_damage {
    CPLConfigOptionSetter gml_{"GML_SKIP_CORRUPTED_FEATURES", "YES", false};
};

// GetFeatureCount() that counts features behind damaged ones, too, and leaves it to the reading to tell of damage.
GIntBig feature_count(OGRLayer&);

struct missing {
    GIntBig count = 1;
    bool or_more = false;  // reading ended there
};

// Features that could not be read or kept.
struct left_out {
    GIntBig count = 0;
    GIntBig unseen = 0;             // of these, those that GDAL gave nothing of
    bool or_more = false;           // of unknown number, behind damage at which reading ended
    std::vector<std::int64_t> ids;  // at most 100; fewer where the file is so damaged that they have none
    std::string first_reason;
    void add(const OGRFeature*, const std::string& reason, missing = {});
    void merge(const left_out&);
    // "3 features" and the rest; where reading ended at damage, that there may be more.
    std::string said(const std::string& rest) const;
};

// The same, but leaves damaged features out, and names them.
void for_each_readable_feature(OGRLayer&, const progress&, const visit& each, left_out&);

// A feature a tool cannot do its work on; thrown by `each` of for_each_usable_feature.
struct unusable {
    std::string why;
};

// The same; `each` may throw `unusable` as well. `skip`: what is damaged or unusable is left out and named. Otherwise
// the first of them fails the call, naming it.
void for_each_usable_feature(OGRLayer&, bool skip, const progress&, const visit& each, left_out&);

// What becomes of a feature that cannot be used: left out and named (`skip`), or the error that fails the call.
void reject(OGRLayer&, const OGRFeature&, const std::string& why, bool skip, left_out&);

// The same, but calls `each` for damaged features as well, with what could be read of them.
void for_each_feature_as_read(OGRLayer&, const progress&, const visit& each, left_out& damaged);

}  // namespace gdalmcp_vector
