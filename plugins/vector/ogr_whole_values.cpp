#include "ogr_whole_values.hpp"

#include <ogr_feature.h>
#include <ogrsf_frmts.h>
#include <gdalmcp/gdal_kind.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

namespace gdalmcp_vector {

namespace {

std::string in_lower_case(std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
}

template <std::size_t N>
bool begins_or_ends(const std::string& name, const std::array<std::string_view, N>& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view w) { return name.starts_with(w) || name.ends_with(w); });
}

// gdpPercap, income_per_capita, births_per_1000, gdp_pc, lifeExp.
bool is_per_something(const std::string& name) {
    constexpr std::array<std::string_view, 6> anywhere{"percap",    "per_cap",  "per cap",
                                                       "perperson", "life_exp", "lifeexp"};
    constexpr std::array<std::string_view, 8> unit{"person", "head", "inhab", "household", "km", "sq", "ha", "acre"};
    const auto holds = [&](std::string_view w) { return name.find(w) != std::string::npos; };
    if (std::any_of(anywhere.begin(), anywhere.end(), holds) || name.ends_with("_pc") || name.ends_with("_pcap"))
        return true;
    const auto at = std::min(name.find("_per_"), name.find(" per "));
    if (at == std::string::npos) return false;
    const auto rest = std::string_view{name}.substr(at + 5);
    return (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') ||
           std::any_of(unit.begin(), unit.end(), [&](std::string_view w) { return rest.starts_with(w); });
}

// A word of a name: begins it (rate_2010, meanAge, but not rated_power or means_of_transport) or ends it (birthrate).
template <std::size_t N>
bool is_word_of(const std::string& field, const std::array<std::string_view, N>& words) {
    const auto name = in_lower_case(field);
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) {
        if (name.ends_with(w)) return true;
        if (!name.starts_with(w)) return false;
        const auto next = static_cast<unsigned char>(field[w.size()]),
                   last = static_cast<unsigned char>(field[w.size() - 1]);
        return !std::isalpha(next) || (std::isupper(next) && std::islower(last));
    });
}

bool is_called_a_share(const std::string& field) {
    constexpr std::array<std::string_view, 14> words{"rate",      "pct",        "percent",  "percentage", "share",
                                                     "density",   "dens",       "ratio",    "fraction",   "proportion",
                                                     "mortality", "prevalence", "literacy", "incidence"};
    return is_word_of(field, words) || is_per_something(in_lower_case(field));
}

bool is_called_a_rate(const std::string& field) {
    constexpr std::array<std::string_view, 5> words{"mean", "index", "average", "avg", "median"};
    return is_called_a_share(field) || is_word_of(field, words);
}

bool is_called_a_code(const std::string& field) {
    const auto name = in_lower_case(field);
    constexpr std::array<std::string_view, 5> ends{"code", "_id", "fips", "zip", "plz"};
    return name.starts_with("fips") || gdalmcp::gdal::detail::names_codes(field) ||
           std::any_of(ends.begin(), ends.end(), [&](std::string_view w) { return name.ends_with(w); });
}

// Numbers that name a feature, place it or are means and rates are as true of its pieces.
bool true_of_pieces(const std::string& field) {
    const auto name = in_lower_case(field);
    constexpr std::array<std::string_view, 11> ends{"id",  "code", "key",  "month", "day", "lat",
                                                    "lon", "flag", "type", "lanes", "_"};  // CNTY_ beside CNTY_ID
    constexpr std::array<std::string_view, 10> either{"elev",  "fips",  "rank",  "zip",  "plz",
                                                      "phone", "class", "level", "year", "yr"};
    return is_called_a_rate(field) || begins_or_ends(name, either) ||
           std::any_of(ends.begin(), ends.end(), [&](std::string_view w) { return name.ends_with(w); });
}

bool may_be_total(const OGRFieldDefn& field) {
    const auto type = field.GetType();
    return (type == OFTReal || type == OFTInteger || type == OFTInteger64) && field.GetSubType() != OFSTBoolean &&
           !true_of_pieces(field.GetNameRef());
}

bool is_called_a_total(const std::string& field) {
    const auto name = in_lower_case(field);
    constexpr std::array<std::string_view, 15> words{"pop",   "area",  "length", "perimeter", "total",
                                                     "sum",   "votes", "birth",  "death",     "volume",
                                                     "sales", "house", "jobs",   "persons",   "amount"};
    return name.ends_with("count") || std::any_of(words.begin(), words.end(), [&](std::string_view w) {
               return name.find(w) != std::string::npos;
           });
}

// By its declared type; one that allows any geometry is read up to the first area.
bool holds_areas(OGRLayer& layer) {
    const auto type = wkbFlatten(layer.GetGeomType());
    if (type != wkbUnknown && type != wkbGeometryCollection)
        return OGR_GT_IsSubClassOf(type, wkbSurface) || OGR_GT_IsSubClassOf(type, wkbMultiSurface);
    bool found = false;
    layer.ResetReading();
    while (!found) {
        const OGRFeatureUniquePtr feature{layer.GetNextFeature()};
        if (!feature) break;
        const auto* shape = feature->GetGeometryRef();
        found = shape && shape->getDimension() == 2;
    }
    layer.ResetReading();
    return found;
}

}  // namespace

void warn_of_code(gdalmcp::call& call, const std::string& field, const std::string& done) {
    if (is_called_a_code(field))
        call.warn("'" + field + "' is " + done + ", but is called a code, of which arithmetic makes nothing");
}

void warn_of_sum_of_rates(gdalmcp::call& call, const std::string& field) {
    warn_of_code(call, field, "summed");
    if (is_called_a_rate(field))
        call.warn("'" + field +
                  "' is summed, but is called a share, a density or a mean, whose sum is no total: "
                  "sum what it was made of, and divide with vector_calc");
}

void warn_of_mean_of_shares(gdalmcp::call& call, const std::string& field) {
    warn_of_code(call, field, "averaged");
    if (is_called_a_share(field))
        call.warn(
            "'" + field +
            "' is averaged, but is called a share, a density or a value per head, whose mean counts a small feature "
            "like a large one: sum what it was made of, and divide with vector_calc");
}

void warn_of_interpolated(gdalmcp::call& call, const std::string& field) {
    warn_of_code(call, field, "interpolated");
    if (is_called_a_total(field) && !is_called_a_rate(field))
        call.warn("'" + field +
                  "' is interpolated, but is called a total: between the points is no amount of it, and the cells "
                  "do not add up to it; aggregate_density spreads amounts");
}

void warn_of_total_per_cell(gdalmcp::call& call, OGRLayer& layer, const std::string& field) {
    if (!is_called_a_total(field) || is_called_a_rate(field) || !holds_areas(layer)) return;
    call.warn("'" + field +
              "' is called a total, and each cell takes that of its whole feature: a sum of cells counts it once a "
              "cell; divide it by the area of the feature with vector_calc first");
}

std::string names_of_totals(const std::vector<const OGRFieldDefn*>& fields) {
    constexpr std::size_t most = 3;
    std::vector<std::string> names;
    for (const auto* field : fields)
        if (may_be_total(*field) && std::find(names.begin(), names.end(), field->GetNameRef()) == names.end())
            names.emplace_back(field->GetNameRef());
    std::stable_partition(names.begin(), names.end(), is_called_a_total);
    std::string shown;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i) shown += (i ? ", '" : "'") + names[i] + "'";
    return shown + (names.size() > most ? ", …" : "");
}

void warn_of_whole_values(gdalmcp::call& call, const std::string& pieces,
                          std::initializer_list<const OGRFeatureDefn*> layers) {
    std::vector<const OGRFieldDefn*> fields;
    for (const auto* layer : layers)
        for (int i = 0; i < layer->GetFieldCount(); ++i) fields.push_back(layer->GetFieldDefn(i));
    if (const auto shown = names_of_totals(fields); !shown.empty())
        call.warn(pieces + " the numbers of the whole (" + shown +
                  "): of totals and sizes among them, a piece has its share only");
}

}  // namespace gdalmcp_vector
