// gdalmcp/gdal_open.hpp — one way to open a dataset, for plugins and the host's own workers: the same options, hence
// the same fields, types and CRS everywhere. Header-only; link GDAL.
//
// Formats that carry types and geometry are opened as they are. A CSV file carries neither: a column gets the type
// shared by all its values, and columns named as coordinates become points. recognised() reports it.
#pragma once
#include <cpl_conv.h>
#include <cpl_csv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <gdalmcp/gdal_signed_bytes.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdalmcp::gdal {

namespace detail {

struct csv_header {
    char separator = ',';
    std::vector<std::string> names;
};

struct coordinate_columns {
    std::string x, y;
    bool degrees = false;  // the names denote longitude and latitude
};

inline bool is_csv(const std::string& path) {
    // Also in an archive of one file: /vsigzip//a/b.csv.gz.
    const bool packed = EQUAL(CPLGetExtension(path.c_str()), "gz");
    const std::string name = packed ? CPLGetBasename(path.c_str()) : path;
    for (const char* extension : {"csv", "tsv", "psv"})
        if (EQUAL(CPLGetExtension(name.c_str()), extension)) return true;
    return STARTS_WITH_CI(path.c_str(), "CSV:");
}

inline bool is_geopackage(const std::string& path) { return EQUAL(CPLGetExtension(path.c_str()), "gpkg"); }

// Whether reading the layers of a GeoPackage may evaluate SQL of its own: it has a view or a generated column.
inline bool calls_functions(GDALDataset& d) {
    constexpr const char* own_sql =
        "SELECT 1 FROM sqlite_master AS m WHERE type = 'view' OR (type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' "
        "AND EXISTS (SELECT 1 FROM pragma_table_xinfo(m.name) WHERE hidden = 2)) LIMIT 1";
    OGRLayer* found = d.ExecuteSQL(own_sql, nullptr, nullptr);
    const bool any = found && OGRFeatureUniquePtr{found->GetNextFeature()};
    d.ReleaseResultSet(found);
    return any;
}

// open(flags, drivers) by the format's own driver, without asking each of those before it whether the file is theirs.
template <class Open>
dataset_ptr open_geopackage(const Open& open, unsigned flags, bool with_spatialite) {
    constexpr const char* its_own[] = {"GPKG", nullptr};
    const unsigned quietly = flags & ~static_cast<unsigned>(GDAL_OF_VERBOSE_ERROR);  // others may open it
    if (!with_spatialite) {
        const CPLConfigOptionSetter off{"SPATIALITE_LOAD", "NO", false};
        auto d = open(quietly, its_own);
        if (!d || !calls_functions(*d)) return d;
    }
    return open(quietly, its_own);
}

// The file behind "CSV:name".
inline std::string csv_file(const std::string& path) {
    return STARTS_WITH_CI(path.c_str(), "CSV:") ? path.substr(4) : path;
}

inline csv_header read_csv_header(const std::string& path) {
    csv_header header;
    struct file_closer {
        void operator()(VSILFILE* f) const { VSIFCloseL(f); }
    };
    const std::unique_ptr<VSILFILE, file_closer> file{VSIFOpenL(csv_file(path).c_str(), "rb")};
    if (!file) return header;
    const char* line = CPLReadLine2L(file.get(), 100'000, nullptr);
    if (!line) return header;
    header.separator = CSVDetectSeperator(line);
    VSIRewindL(file.get());
    const CPLStringList names{CSVReadParseLine2L(file.get(), header.separator)};
    for (int i = 0; i < names.Count(); ++i) header.names.emplace_back(names[i]);
    if (!header.names.empty() && header.names.front().rfind("\xEF\xBB\xBF", 0) == 0) header.names.front().erase(0, 3);
    return header;
}

// Pairs of coordinate column names, the clearest first.
inline std::optional<coordinate_columns> coordinates_among(const std::vector<std::string>& names) {
    struct pair {
        const char *x, *y;
        bool degrees;
    };
    constexpr std::array<pair, 13> known{{{"longitude", "latitude", true},
                                          {"decimallongitude", "decimallatitude", true},
                                          {"lon", "lat", true},
                                          {"long", "lat", true},
                                          {"lng", "lat", true},
                                          {"x", "y", false},
                                          {"easting", "northing", false},
                                          {"x_coord", "y_coord", false},
                                          {"xcoord", "ycoord", false},
                                          {"coord_x", "coord_y", false},
                                          {"point_x", "point_y", false},
                                          {"lon_x", "lat_y", true},
                                          {"east", "north", false}}};
    const auto spelled = [&](const char* wanted) -> std::string {
        std::string found;
        for (const auto& name : names)
            if (EQUAL(name.c_str(), wanted)) {
                if (!found.empty()) return {};  // twice: ambiguous
                found = name;
            }
        return found;
    };
    for (const auto& k : known) {
        const auto x = spelled(k.x), y = spelled(k.y);
        if (!x.empty() && !y.empty()) return coordinate_columns{x, y, k.degrees};
    }
    return std::nullopt;
}

// The type shared by all values of one column.
class column_type {
public:
    explicit column_type(bool decimal_comma) : decimal_comma_{decimal_comma} {}

    void see(const char* text) {
        if (!*text || kind_ == kind::text) return;
        const auto k = kind_of(text);
        const bool numbers = is_number(k) && is_number(kind_);
        kind_ = kind_ == kind::nothing || kind_ == k ? k
                : numbers                            ? std::max(kind_, k)
                : is_moment(k) && is_moment(kind_)   ? kind::moment
                                                     : kind::text;
    }
    // nullopt if it stays text.
    std::optional<std::pair<OGRFieldType, OGRFieldSubType>> type() const {
        switch (kind_) {
            case kind::truth:
                return std::pair{OFTInteger, OFSTBoolean};
            case kind::integer:
                return std::pair{OFTInteger, OFSTNone};
            case kind::big_integer:
                return std::pair{OFTInteger64, OFSTNone};
            case kind::real:
                return std::pair{OFTReal, OFSTNone};
            case kind::date:
                return std::pair{OFTDate, OFSTNone};
            case kind::moment:
                return std::pair{OFTDateTime, OFSTNone};
            default:
                return std::nullopt;
        }
    }

private:
    enum class kind { nothing, integer, big_integer, real, truth, date, moment, text };
    static bool is_number(kind k) { return k == kind::integer || k == kind::big_integer || k == kind::real; }
    static bool is_moment(kind k) { return k == kind::date || k == kind::moment; }
    static bool digit(char c) { return c >= '0' && c <= '9'; }

    kind kind_of(const char* text) const {
        if (EQUAL(text, "true") || EQUAL(text, "false")) return kind::truth;
        if (const auto k = number(text); k != kind::text) return k;
        return date(text);
    }

    // "007" is text, as are numbers longer than a double or a 64-bit integer holds.
    kind number(std::string_view text) const {
        std::string_view rest = text.substr(!text.empty() && text.front() == '-' ? 1 : 0);
        const auto digits = [&rest] {
            std::size_t n = 0;
            while (n < rest.size() && digit(rest[n])) ++n;
            const auto found = rest.substr(0, n);
            rest.remove_prefix(n);
            return found;
        };
        const auto whole = digits();
        if (whole.size() > 1 && whole.front() == '0') return kind::text;
        if (rest.empty() && !whole.empty()) {
            if (whole.size() > 18) return kind::text;
            std::int64_t value = 0;
            std::from_chars(text.data(), text.data() + text.size(), value);
            return value >= -2147483647 && value <= 2147483647 ? kind::integer : kind::big_integer;
        }
        std::string_view fraction;
        if (!rest.empty() && (rest.front() == '.' || (decimal_comma_ && rest.front() == ','))) {
            rest.remove_prefix(1);
            fraction = digits();
        }
        if (whole.empty() && fraction.empty()) return kind::text;
        if (whole.size() + fraction.size() > 17) return kind::text;
        if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
            rest.remove_prefix(1);
            const bool sign = !rest.empty() && (rest.front() == '+' || rest.front() == '-');
            if (sign) rest.remove_prefix(1);
            if (digits().empty() || (!sign && fraction.empty())) return kind::text;  // "1E5" may be a code
        }
        return rest.empty() ? kind::real : kind::text;
    }

    // Year first only: 03/04/2020 is a day in March or in April.
    static kind date(const char* text) {
        for (int i = 0; i < 10; ++i) {
            const bool mark = i == 4 || i == 7;
            if (mark ? text[i] != '-' && text[i] != '/' : !digit(text[i])) return kind::text;
        }
        OGRField parsed;
        const bool valid = OGRParseDate(text, &parsed, 0) != FALSE && parsed.Date.Month >= 1 &&
                           parsed.Date.Month <= 12 && parsed.Date.Day >= 1 && parsed.Date.Day <= 31;
        if (!valid) return kind::text;
        if (!text[10]) return kind::date;
        return (text[10] == ' ' || text[10] == 'T') && digit(text[11]) ? kind::moment : kind::text;
    }

    bool decimal_comma_;
    kind kind_ = kind::nothing;
};

// Sets the types of a CSV layer's columns, which are all text at first, and the CRS of its points if names and values
// are unambiguous. Reads the layer once.
inline void recognise(OGRLayer& layer, const csv_header& header, bool typed) {
    auto& defn = *layer.GetLayerDefn();
    const auto columns = coordinates_among(header.names);
    const bool points = columns && defn.GetGeomFieldCount() == 1 && defn.GetGeomType() == wkbPoint;
    const bool states_crs = defn.GetGeomFieldCount() > 0 && layer.GetSpatialRef() != nullptr;
    const auto count = static_cast<std::size_t>(defn.GetFieldCount());
    // With ';' as separator, a comma in a number is the decimal sign: GDAL reads it as such.
    std::vector<column_type> types(count, column_type{header.separator == ';'});
    OGREnvelope box;
    layer.ResetReading();
    while (const OGRFeatureUniquePtr f{layer.GetNextFeature()}) {
        for (std::size_t i = 0; i < count && !typed; ++i)
            if (const int at = static_cast<int>(i); defn.GetFieldDefn(at)->GetType() == OFTString)
                if (f->IsFieldSetAndNotNull(at)) types[i].see(f->GetFieldAsString(at));
        if (const auto* g = points ? f->GetGeometryRef() : nullptr; g && !g->IsEmpty())
            box.Merge(g->toPoint()->getX(), g->toPoint()->getY());
    }
    layer.ResetReading();
    std::string said;
    for (std::size_t i = 0; i < count; ++i)
        if (const auto type = types[i].type()) {
            auto& field = *defn.GetFieldDefn(static_cast<int>(i));
            field.SetType(type->first);
            field.SetSubType(type->second);
            said = "types recognised from the values";
        }
    if (typed) said = "types from the .csvt file";
    if (points) {
        const bool degrees = columns->degrees && box.IsInit() && box.MinX >= -180 && box.MaxX <= 180 &&
                             box.MinY >= -90 && box.MaxY <= 90;
        if (degrees && !states_crs) {
            auto* crs84 = new OGRSpatialReference;
            crs84->SetFromUserInput("OGC:CRS84");
            crs84->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
            defn.GetGeomFieldDefn(0)->SetSpatialRef(crs84);
            crs84->Release();
        }
        said += (said.empty() ? "" : "; ") + std::string{"geometry from columns "} + columns->x + ", " + columns->y +
                (states_crs ? " (CRS of the .prj file)"
                 : degrees  ? " (OGC:CRS84)"
                            : " (no CRS is stated)");
    }
    if (!said.empty()) layer.SetMetadataItem("RECOGNISED", said.c_str(), "GDALMCP");
}

}  // namespace detail

// GDAL's open options for a dataset, the same for every opener.
inline CPLStringList open_options(const std::string& path) {
    CPLStringList options;
    // Nothing may be written beside an input; trying is a GDAL error.
    if (EQUAL(CPLGetExtension(path.c_str()), "gml")) options.SetNameValue("WRITE_GFS", "NO");
    if (!detail::is_csv(path)) return options;
    if (const auto columns = detail::coordinates_among(detail::read_csv_header(path).names)) {
        options.SetNameValue("X_POSSIBLE_NAMES", columns->x.c_str());
        options.SetNameValue("Y_POSSIBLE_NAMES", columns->y.c_str());
    }
    return options;
}

// Files that GDAL reads with this one though the dataset does not list them: the types and the CRS of a CSV file.
inline std::vector<std::string> unlisted_siblings(const std::string& path) {
    std::vector<std::string> found;
    if (!detail::is_csv(path)) return found;
    for (const char* extension : {"csvt", "prj"}) {
        VSIStatBufL state;
        std::string name = CPLResetExtension(detail::csv_file(path).c_str(), extension);
        if (VSIStatL(name.c_str(), &state) == 0) found.push_back(std::move(name));
    }
    return found;
}

// What SQL a caller gives to a dataset: filters and queries, or none. Without, a GeoPackage is opened without
// SpatiaLite, whose hundreds of functions take half the time of opening it; one whose views or generated columns may
// call them is opened again with them.
enum class sql { none, any };

// GDALDataset::Open with these options; GDAL_OF_* flags. nullptr if it cannot be opened; GDAL's last error has the
// reason. For callers that need only files and layers: all columns of a table are text here.
inline dataset_ptr open_untyped(const std::string& path, unsigned flags, sql given = sql::none) {
    const auto options = open_options(path);
    const auto open = [&](unsigned as, const char* const* drivers = nullptr) {
        return dataset_ptr{GDALDataset::Open(path.c_str(), as, drivers, options.List(), nullptr)};
    };
    if (detail::is_geopackage(path))
        if (auto d = detail::open_geopackage(open, flags, given == sql::any)) return d;
    auto d = open(flags);
    // GDAL's XYZ driver treats any table with columns x and y as a raster, and fails if they form no grid.
    if (!d && detail::is_csv(path) && (flags & GDAL_OF_RASTER) && (flags & GDAL_OF_VECTOR)) {
        CPLErrorReset();
        d = open(flags & ~static_cast<unsigned>(GDAL_OF_RASTER));
    }
    return d;
}

// The same with types and CRS. Reads a table once; other datasets cost nothing more.
inline dataset_ptr open_dataset(const std::string& path, unsigned flags, sql given = sql::none) {
    auto d = open_untyped(path, flags, given);
    if (!d || !detail::is_csv(path) || !EQUAL(d->GetDriverName(), "CSV")) return d;
    const auto siblings = unlisted_siblings(path);
    const bool typed = std::any_of(siblings.begin(), siblings.end(),
                                   [](const std::string& s) { return EQUAL(CPLGetExtension(s.c_str()), "csvt"); });
    const auto header = detail::read_csv_header(path);
    for (auto* layer : d->GetLayers()) detail::recognise(*layer, header, typed);
    return d;
}

// One line on the types and CRS open_dataset() derived for a layer that declares none; empty for all others.
inline std::string recognised(OGRLayer& layer) {
    const char* said = layer.GetMetadataItem("RECOGNISED", "GDALMCP");
    return said ? said : "";
}

}  // namespace gdalmcp::gdal
