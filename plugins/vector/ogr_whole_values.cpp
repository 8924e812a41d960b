#include "ogr_whole_values.hpp"

#include <ogr_feature.h>
#include <gdalmcp/gdal.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace gdalmcp_vector {

namespace {

// Numbers that name a feature, place it or are means and rates are as true of its pieces.
bool true_of_pieces(std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    constexpr std::array<std::string_view, 11> ends{"id",   "code", "key", "year", "month", "day",
                                                    "fips", "rank", "lat", "lon",  "zip"};
    constexpr std::array<std::string_view, 11> either{"rate",  "pct",   "percent", "share",   "density", "mean",
                                                      "ratio", "index", "elev",    "average", "median"};
    return std::any_of(ends.begin(), ends.end(), [&](std::string_view w) { return name.ends_with(w); }) ||
           std::any_of(either.begin(), either.end(),
                       [&](std::string_view w) { return name.starts_with(w) || name.ends_with(w); });
}

bool may_be_total(const OGRFieldDefn& field) {
    const auto type = field.GetType();
    return (type == OFTReal || type == OFTInteger || type == OFTInteger64) && field.GetSubType() != OFSTBoolean &&
           !true_of_pieces(field.GetNameRef());
}

}  // namespace

void warn_of_whole_values(gdalmcp::call& call, const std::string& pieces,
                          std::initializer_list<const OGRFeatureDefn*> layers) {
    constexpr int most = 3;
    std::string shown;
    int found = 0;
    for (const auto* layer : layers)
        for (int i = 0; i < layer->GetFieldCount(); ++i) {
            const auto& field = *layer->GetFieldDefn(i);
            if (!may_be_total(field) || ++found > most) continue;
            shown += (shown.empty() ? "'" : ", '") + std::string{field.GetNameRef()} + "'";
        }
    if (found == 0) return;
    call.warn(pieces + " the numbers of the whole (" + shown + (found > most ? ", …" : "") +
              "): of totals and sizes among them, a piece has its share only");
}

}  // namespace gdalmcp_vector
