#include "gdal_creation_options.hpp"

#include <cpl_minixml.h>
#include <gdalmcp/gdal.hpp>

#include <algorithm>
#include <charconv>
#include <memory>

namespace gdalmcp_raster {
namespace {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

std::string upper(std::string_view s) {
    std::string out{s};
    for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return out;
}

bool alike(std::string_view a, std::string_view b) { return upper(a) == upper(b); }

std::string trimmed(std::string_view s) {
    const auto first = s.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return std::string{s.substr(first, s.find_last_not_of(" \t") - first + 1)};
}

// One option as the driver's list describes it.
struct described {
    std::string name, type, min, max;
    std::vector<std::string> values;   // of a string-select
    std::vector<std::string> aliases;  // of each value; may be empty
};

std::vector<described> options_of(GDALDriver& driver) {
    std::vector<described> all;
    const char* list = driver.GetMetadataItem(GDAL_DMD_CREATIONOPTIONLIST);
    const std::unique_ptr<CPLXMLNode, decltype(&CPLDestroyXMLNode)> tree{list ? CPLParseXMLString(list) : nullptr,
                                                                         &CPLDestroyXMLNode};
    for (const auto* o = tree ? tree->psChild : nullptr; o; o = o->psNext) {
        if (o->eType != CXT_Element || !EQUAL(o->pszValue, "Option")) continue;
        described d{CPLGetXMLValue(o, "name", ""),
                    CPLGetXMLValue(o, "type", ""),
                    CPLGetXMLValue(o, "min", ""),
                    CPLGetXMLValue(o, "max", ""),
                    {},
                    {}};
        for (const auto* v = o->psChild; v; v = v->psNext)
            if (v->eType == CXT_Element && EQUAL(v->pszValue, "Value")) {
                d.values.emplace_back(CPLGetXMLValue(v, nullptr, ""));
                d.aliases.emplace_back(CPLGetXMLValue(v, "alias", ""));
            }
        all.push_back(std::move(d));
    }
    return all;
}

// BAND_* and the like match every name with that prefix.
const described* find(const std::vector<described>& all, std::string_view name) {
    for (const auto& d : all) {
        if (alike(d.name, name)) return &d;
        if (d.name.size() > 1 && d.name.back() == '*') {
            const auto stem = std::string_view{d.name}.substr(0, d.name.size() - 1);
            if (name.size() > stem.size() && alike(name.substr(0, stem.size()), stem)) return &d;
        }
    }
    return nullptr;
}

// Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t corner = row[0];
        row[0] = i;
        for (std::size_t k = 1; k <= b.size(); ++k) {
            const auto above = row[k];
            row[k] = std::min({above + 1, row[k - 1] + 1, corner + (a[i - 1] != b[k - 1])});
            corner = above;
        }
    }
    return row[b.size()];
}

// "did you mean …? It has …"
std::string names_near(std::string_view wanted, const std::vector<described>& all) {
    if (all.empty()) return "leave 'creation_options' out";
    const auto name = upper(wanted);
    std::string near, every;
    for (const auto& d : all) {
        const auto known = upper(d.name);
        const bool part = name.size() > 3 && (known.find(name) != std::string::npos ||
                                              (known.size() > 3 && name.find(known) != std::string::npos));
        if (part || distance(name, known) <= std::max<std::size_t>(1, name.size() / 3))
            near += (near.empty() ? "" : ", ") + d.name;
        every += (every.empty() ? "" : ", ") + d.name;
    }
    return (near.empty() ? "" : "did you mean " + near + "? ") + ("its options are " + every);
}

struct refusal {
    std::vector<const char*> names;
    const char* drivers;  // nullptr: of every driver
    const char* why;
    const char* instead;
};

// Options that would silently move, resample, relabel or round cells, or open further files.
const refusal* refused(std::string_view name, GDALDriver& driver) {
    static const std::vector<refusal> all = {
        {{"TARGET_SRS", "RES", "EXTENT", "WARP_RESAMPLING", "TILING_SCHEME", "ZOOM_LEVEL", "ZOOM_LEVEL_STRATEGY",
          "ALIGNED_LEVELS", "ADD_ALPHA", "RESAMPLE", "PRODUCT", "TOPLEFT", "BOUNDS"},
         nullptr,
         "moves the cells to another grid",
         "use raster_reproject for that (dst_crs, resolution, resampling), then convert its result"},
        {{"OVERVIEW_RESAMPLING", "RESAMPLING"},
         nullptr,
         "chooses how cells are resampled",
         "use 'overview_resampling' for overviews, raster_reproject for another grid"},
        {{"OVERVIEWS", "OVERVIEW_COUNT", "COPY_SRC_OVERVIEWS"},
         nullptr,
         "chooses the overviews",
         "use 'overviews': true, false or the factors, such as [2, 4, 8]"},
        {{"OVERVIEW_QUALITY"},
         nullptr,
         "gives the overviews another quality than the raster",
         "use 'quality' for both"},
        {{"DISCARD_LSB"},
         nullptr,
         "rounds the values",
         "use 'compression': \"LERC\" with 'max_error', which limits the change"},
        {{"PIXELTYPE"}, nullptr, "reinterprets the stored bytes", "use 'dtype'"},
        {{"DEPENDENT_FILE",  "CONFIG_FILE",    "GMLJP2V2_DEF",    "USE_SRC_CODESTREAM", "TEMPLATE",
          "LABEL",           "CACHEDSOURCE",   "DATANAME",        "INDEXNAME",          "EXTERNAL_FILENAME",
          "IMAGE_FILENAME",  "JAVASCRIPT",     "JAVASCRIPT_FILE", "COMPOSITION_FILE",   "EXTRA_IMAGES",
          "EXTRA_RASTERS",   "EXTRA_STREAM",   "OGR_DATASOURCE",  "TEMPORARY_DB",       "CONF",
          "RASTER_QML_PATH", "GEOTIFF_OPTIONS"},
         nullptr,
         "brings in something other than the raster",
         "leave it out"},
    };
    for (const auto& r : all)
        for (const char* n : r.names)
            if (alike(n, name) && (!r.drivers || EQUAL(r.drivers, driver.GetDescription()))) return &r;
    return nullptr;
}

std::optional<double> number_in(const std::string& text) {
    double v = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (ec != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return v;
}

bool is_no(std::string_view v) { return alike(v, "NO") || alike(v, "FALSE") || alike(v, "OFF") || v == "0"; }

// The value in the driver's spelling; refused if invalid.
std::string checked(const described& d, const std::string& value, const std::string& driver) {
    const auto refuse = [&](const std::string& wanted) {
        throw error{GDALMCP_INVALID_ARGUMENT, "creation option " + d.name + " of " + driver + " is '" + value + "'",
                    "it takes " + wanted};
    };
    if (!d.values.empty()) {
        std::string every;
        for (std::size_t i = 0; i < d.values.size(); ++i) {
            if (alike(d.values[i], value) || (!d.aliases[i].empty() && alike(d.aliases[i], value))) return d.values[i];
            every += (every.empty() ? "" : ", ") + d.values[i];
        }
        refuse(every);
    }
    if (alike(d.type, "boolean") && !is_yes(value) && !is_no(value)) refuse("YES or NO");
    const bool whole = alike(d.type, "int") || alike(d.type, "integer") || alike(d.type, "unsigned int");
    if (!whole && !alike(d.type, "float")) return value;
    const auto v = number_in(value);
    std::string wanted = whole ? "a whole number" : "a number";
    if (!d.min.empty()) wanted += ", at least " + d.min;
    if (!d.max.empty()) wanted += ", at most " + d.max;
    if (!v || (whole && *v != std::floor(*v)) || (!d.min.empty() && *v < std::stod(d.min)) ||
        (!d.max.empty() && *v > std::stod(d.max)) || (alike(d.type, "unsigned int") && *v < 0))
        refuse(wanted);
    return value;
}

}  // namespace

bool is_yes(std::string_view v) { return alike(v, "YES") || alike(v, "TRUE") || alike(v, "ON") || v == "1"; }

void refuse_few_bits(const creation_options& options, std::int64_t changed) {
    if (const auto bits = options.get("NBITS"); bits && changed > 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "creation option NBITS=" + *bits + " cannot hold " + std::to_string(changed) + " of the cells",
                    "leave it out, or map the values with 'scale' and 'dtype' first"};
}

bool has_option(GDALDriver& driver, const std::string& name) { return find(options_of(driver), name) != nullptr; }

bool creation_options::less::operator()(std::string_view a, std::string_view b) const { return upper(a) < upper(b); }

creation_options::creation_options(GDALDriver& driver, const std::vector<std::string>& given) {
    if (given.empty()) return;
    const std::string format = driver.GetDescription();
    const auto all = options_of(driver);
    for (const auto& text : given) {
        const auto equals = text.find('=');
        const auto name = trimmed(std::string_view{text}.substr(0, equals));
        if (equals == std::string::npos || name.empty())
            throw error{GDALMCP_INVALID_ARGUMENT, "creation option '" + text + "' is not KEY=VALUE",
                        "write it as KEY=VALUE"};
        const auto value = trimmed(std::string_view{text}.substr(equals + 1));
        const auto* known = find(all, name);
        if (!known)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        format + (all.empty() ? " has no creation options" : " has no creation option " + name),
                        names_near(name, all)};
        if (const auto* r = refused(name, driver))
            throw error{GDALMCP_INVALID_ARGUMENT, "creation option " + upper(name) + " " + r->why, r->instead};
        const auto right = checked(*known, value, format);
        const auto [at, fresh] = values_.emplace(known->name.back() == '*' ? name : known->name, right);
        if (!fresh && at->second != right)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "creation option " + at->first + " is given twice: " + at->second + " and " + right,
                        "give it once"};
    }
}

std::optional<std::string> creation_options::get(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional{found->second};
}

bool creation_options::is(std::string_view name, std::string_view value) const {
    const auto v = get(name);
    return v && alike(*v, value);
}

std::optional<std::string> creation_options::take(std::string_view name) {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    auto value = std::move(found->second);
    values_.erase(found);
    return value;
}

std::optional<double> creation_options::take_number(std::string_view name) {
    const auto text = take(name);
    if (!text) return std::nullopt;
    const auto v = number_in(*text);
    if (!v)
        throw error{GDALMCP_INVALID_ARGUMENT, "creation option " + std::string{name} + " is '" + *text + "'",
                    "give one number"};
    return v;
}

std::vector<std::string> creation_options::over(const std::vector<std::string>& defaults) const {
    std::vector<std::string> all;
    for (const auto& d : defaults)
        if (!get(std::string_view{d}.substr(0, d.find('=')))) all.push_back(d);
    for (const auto& [name, value] : values_) all.push_back(name + "=" + value);
    return all;
}

}  // namespace gdalmcp_raster
