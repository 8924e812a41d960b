// gdalmcp/gdal_open_source.hpp — the functions of gdal_open.hpp: what formats do not declare is recognised. Included by
// it, or by the one file that compiles them.
#pragma once
#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <gdalmcp/gdal_code_tags.hpp>
#include <gdalmcp/gdal_dxf_entities.hpp>
#include <gdalmcp/gdal_false_origin.hpp>
#include <gdalmcp/gdal_geojson_losses.hpp>
#include <gdalmcp/gdal_open_functions.hpp>
#include <gdalmcp/gdal_text_table.hpp>
#include <gdalmcp/gdal_undeclared.hpp>
#include <gdalmcp/gdal_workbook.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gdalmcp::gdal {

namespace detail {

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

// Warns of columns that a .csvt file declares as numbers although they hold codes such as 007; not of those that the
// caller reads as text.
inline void caution_of_codes(OGRLayer& layer, const std::vector<std::string>& as_text) {
    struct declared_number {
        int index;
        OGRFieldType type;
        OGRFieldSubType subtype;
        std::string code{};  // the first
    };
    auto& defn = *layer.GetLayerDefn();
    std::vector<declared_number> numbers;
    for (int i = 0; i < defn.GetFieldCount(); ++i) {
        auto& f = changeable_field(defn, i);
        if (f.GetType() != OFTInteger && f.GetType() != OFTInteger64 && f.GetType() != OFTReal) continue;
        if (std::find(as_text.begin(), as_text.end(), f.GetNameRef()) != as_text.end()) continue;
        numbers.push_back({i, f.GetType(), f.GetSubType()});
        f.SetSubType(OFSTNone);
        f.SetType(OFTString);  // values are text until they are read
    }
    layer.ResetReading();
    while (const OGRFeatureUniquePtr f{numbers.empty() ? nullptr : layer.GetNextFeature()})
        for (auto& n : numbers)
            if (n.code.empty() && f->IsFieldSetAndNotNull(n.index) && has_leading_zero(f->GetFieldAsString(n.index)))
                n.code = f->GetFieldAsString(n.index);
    layer.ResetReading();
    for (const auto& n : numbers) {
        auto& f = changeable_field(defn, n.index);
        f.SetType(n.type);
        f.SetSubType(n.subtype);
        if (!n.code.empty())
            caution(std::string{"'"} + f.GetNameRef() + "' is " + OGRFieldDefn::GetFieldTypeName(n.type) +
                    " by the .csvt file, which drops the zeros of codes such as '" + n.code +
                    "': keep them with vector_convert and types {\"" + f.GetNameRef() + "\": \"String\"}");
    }
}

// Sets the types of a text table's columns, which GDAL reads as text, and the CRS of its points if names and values are
// unambiguous. as_text: columns that the caller reads as text.
inline void recognise(OGRLayer& layer, const text_table& table, bool typed, const std::vector<std::string>& as_text) {
    auto& defn = *layer.GetLayerDefn();
    const auto columns = coordinates_among(table.form);
    const bool points = columns && defn.GetGeomFieldCount() == 1 && defn.GetGeomType() == wkbPoint;
    const bool states_crs = defn.GetGeomFieldCount() > 0 && layer.GetSpatialRef() != nullptr;
    std::int64_t placed = 0, beyond = 0, first_beyond = 0;  // points, those that are no degrees, and a row
    layer.ResetReading();
    while (const OGRFeatureUniquePtr f{points ? layer.GetNextFeature() : nullptr})
        if (const auto* g = f->GetGeometryRef(); g && !g->IsEmpty()) {
            ++placed;
            const bool out = std::abs(g->toPoint()->getX()) > 180 || std::abs(g->toPoint()->getY()) > 90;
            if (out && beyond++ == 0) first_beyond = f->GetFID();
        }
    layer.ResetReading();
    std::string said;
    const auto& names = table.form.names;
    // A column that became the geometry may be no field.
    const bool in_order = names.size() == static_cast<std::size_t>(defn.GetFieldCount());
    for (int i = 0; i < defn.GetFieldCount() && !typed; ++i) {
        auto& field = changeable_field(defn, i);
        const auto at =
            in_order
                ? static_cast<std::size_t>(i)
                : static_cast<std::size_t>(std::find(names.begin(), names.end(), field.GetNameRef()) - names.begin());
        if (at >= table.columns.size() || field.GetType() != OFTString || !table.columns[at].type) continue;
        field.SetType(table.columns[at].type->first);
        field.SetSubType(table.columns[at].type->second);
        said = "types recognised from the values";
    }
    if (typed) {
        said = "types from the .csvt file";
        caution_of_codes(layer, as_text);
    }
    const auto add = [&](const std::string& text) { said += (said.empty() || text.empty() ? "" : "; ") + text; };
    if (points) {
        const bool degrees = columns->degrees && placed > 0 && beyond == 0;
        if (columns->degrees && beyond > 0 && !states_crs)
            caution(std::to_string(beyond) + " of " + std::to_string(placed) + " points, the first in row " +
                    std::to_string(first_beyond) +
                    ", lie beyond 180 degrees of longitude or 90 of latitude, so no CRS is assumed: are the columns "
                    "swapped? vector_convert with x, y, crs and skip_failed leaves such rows out");
        if (degrees && !states_crs) {
            auto* crs84 = new OGRSpatialReference;
            crs84->SetFromUserInput("OGC:CRS84");
            crs84->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
            defn.GetGeomFieldDefn(0)->SetSpatialRef(crs84);
            crs84->Release();
        }
        add(std::string{"geometry from columns "} + columns->x + ", " + columns->y +
            (states_crs ? " (CRS of the .prj file)"
             : degrees  ? " (OGC:CRS84)"
                        : " (no CRS is stated)"));
    }
    add(table.told());
    for (const auto& text : table.cautions()) caution(text);
    name_apart(layer);
    if (!said.empty()) layer.SetMetadataItem("RECOGNISED", said.c_str(), "GDALMCP");
}

}  // namespace detail

// GDAL's open options for a dataset, the same for every opener. `form`: of a text table.
inline CPLStringList open_options(const std::string& path, const std::optional<detail::table_form>& form = {},
                                  const table_reading& how = {}) {
    CPLStringList options;
    // Nothing may be written beside an input; trying is a GDAL error.
    if (EQUAL(CPLGetExtension(path.c_str()), "gml")) options.SetNameValue("WRITE_GFS", "NO");
    if (!form) return options;
    options.SetNameValue("HEADERS", form->header ? "YES" : "NO");
    if (how.empty_is_null) options.SetNameValue("EMPTY_STRING_AS_NULL", "YES");
    if (const auto columns = detail::coordinates_among(*form)) {
        options.SetNameValue("X_POSSIBLE_NAMES", columns->x.c_str());
        options.SetNameValue("Y_POSSIBLE_NAMES", columns->y.c_str());
    } else if (!form->wkt.empty() && form->wkt.find_first_of(",*") == std::string::npos) {
        options.SetNameValue("GEOM_POSSIBLE_NAMES", form->wkt.c_str());  // GDAL knows only 'WKT' by itself
    }
    return options;
}

GDALMCP_SEPARABLE std::vector<std::string> unlisted_siblings(const std::string& path) {
    std::vector<std::string> found;
    if (!detail::is_csv(path)) return found;
    for (const char* extension : {"csvt", "prj"}) {
        VSIStatBufL state;
        std::string name = CPLResetExtension(detail::csv_file(path).c_str(), extension);
        if (EQUAL(extension, "prj") && detail::has_foreign_prj(detail::csv_file(path))) continue;
        if (VSIStatL(name.c_str(), &state) == 0) found.push_back(std::move(name));
    }
    return found;
}

namespace detail {

// What a text table holds, read once; `copy` becomes a table that GDAL reads right where it would not read this one.
inline text_table read_table(const std::string& path, memory_file& copy, const table_reading& how = {}) {
    text_table table{sniff(path, how)};
    if (table.form.names.empty()) return table;
    table.told_utf8 = !how.encoding.empty() && table.form.encoding == "UTF-8";
    VSIStatBufL state;
    const bool small = VSIStatL(path.c_str(), &state) == 0 && static_cast<std::int64_t>(state.st_size) <= largest_copy;
    memory_file recoded;
    const auto place = std::string{CPLSPrintf("/vsimem/gdalmcp-%p/", static_cast<void*>(&copy))};
    if (small && table.form.encoding != "UTF-8" && table.form.encoding != "CP1252")
        recoded.path = recode(path, table.form.encoding, place + "recoded");
    const auto& text = recoded.path.empty() ? path : recoded.path;
    survey_columns(text, table, how);
    if (!table.rewritten()) return table;
    if (!small) {
        table.give_up();
        return table;
    }
    table.drop_empty_end();
    if (table.form.names.size() == 1) table.number_rows();
    copy.path = place + CPLGetBasename(path.c_str()) + ".csv";
    write_plain(text, table, copy.path);
    return table;
}

// A text table, opened as the copy if there is one: with its names, and the .prj and .csvt beside the file itself.
inline dataset_ptr open_table(const std::string& path, unsigned flags, const text_table& table, const memory_file& copy,
                              const table_reading& how) {
    auto form = table.form;
    form.header = true;  // the copy has names, also made up
    const auto options = open_options(copy.path, form, how);
    constexpr const char* its_own[] = {"CSV", nullptr};
    const memory_file prj{CPLResetExtension(copy.path.c_str(), "prj")};
    const memory_file csvt{CPLResetExtension(copy.path.c_str(), "csvt")};
    CPLCopyFile(csvt.path.c_str(), CPLResetExtension(path.c_str(), "csvt"));
    if (!has_foreign_prj(path)) CPLCopyFile(prj.path.c_str(), CPLResetExtension(path.c_str(), "prj"));
    CPLErrorReset();
    dataset_ptr d{GDALDataset::Open(copy.path.c_str(), flags & ~static_cast<unsigned>(GDAL_OF_RASTER), its_own,
                                    options.List(), nullptr)};
    if (d) d->SetDescription(path.c_str());
    return d;
}

inline bool is_workbook(const std::string& path) {
    const char* extension = CPLGetExtension(path.c_str());
    return EQUAL(extension, "xlsx") || EQUAL(extension, "xlsm");
}

// A workbook with what GDAL does not see of it; nullptr: as GDAL sees it.
inline dataset_ptr open_repaired_workbook(const std::string& path, unsigned flags, const workbook_repair& repair) {
    if (repair.members.empty()) return nullptr;
    const memory_file copy{
        CPLSPrintf("/vsimem/gdalmcp-%p/%s", static_cast<const void*>(&repair), CPLGetFilename(path.c_str()))};
    write_repaired(path, repair, copy.path);
    constexpr const char* its_own[] = {"XLSX", "ODS", nullptr};
    dataset_ptr d{GDALDataset::Open(copy.path.c_str(), flags & ~static_cast<unsigned>(GDAL_OF_RASTER), its_own, nullptr,
                                    nullptr)};
    if (!d) return nullptr;
    for (auto* layer : d->GetLayers()) static_cast<void>(layer->GetFeatureCount());  // reads all of the copy
    d->SetDescription(path.c_str());
    if (repair.shifted) caution("the workbook counts its dates from 1904, which is allowed for");
    return d;
}

// Warns of names that differ in case only: GDAL finds the first of them by either.
inline void caution_of_twins(OGRLayer& layer) {
    auto& defn = *layer.GetLayerDefn();
    for (int i = 0; i < defn.GetFieldCount(); ++i) {
        const std::string name = defn.GetFieldDefn(i)->GetNameRef();
        if (const int first = defn.GetFieldIndex(name.c_str()); first != i)
            caution("the names '" + std::string{defn.GetFieldDefn(first)->GetNameRef()} + "' and '" + name +
                    "' differ in case only, and the first is read by either: rename one in the source");
    }
}

// Warns of whole numbers beyond 64 bits, which GDAL cuts to the largest there is.
inline void caution_of_clamped(OGRLayer& layer) {
    auto& defn = *layer.GetLayerDefn();
    std::vector<int> wide;
    for (int i = 0; i < defn.GetFieldCount(); ++i)
        if (defn.GetFieldDefn(i)->GetType() == OFTInteger64) wide.push_back(i);
    if (wide.empty()) return;
    for (const auto& f : layer)
        for (const int i : wide) {
            const auto value = f->IsFieldSetAndNotNull(i) ? f->GetFieldAsInteger64(i) : 0;
            if (value != std::numeric_limits<GIntBig>::max() && value != std::numeric_limits<GIntBig>::min()) continue;
            caution(std::string{"'"} + defn.GetFieldDefn(i)->GetNameRef() + "' is " + std::to_string(value) +
                    " in feature " + std::to_string(f->GetFID()) +
                    ", as GDAL reads every whole number beyond 64 bits: such ids must be written as text");
            return layer.ResetReading();
        }
    layer.ResetReading();
}

// Of formats whose dates cannot be opened as text.
inline void caution_of_odd_moments(OGRLayer& layer, const std::string& path) {
    auto& defn = *layer.GetLayerDefn();
    bool dated = false;
    for (int i = 0; i < defn.GetFieldCount(); ++i) dated = dated || is_moment(defn.GetFieldDefn(i)->GetType());
    if (const auto odd = dated ? odd_moment_in(path) : ""; !odd.empty())
        caution("dates and times are read without what is odd in them, as in '" + odd +
                "': in a .geojson they stay text");
}

// A GeoJSON dataset; if a value of its dates is none as a whole, which GDAL takes for one, with all of them as text.
template <class Open>
dataset_ptr dates_as_text(dataset_ptr d, const std::string& path, const Open& open_as_text) {
    auto& defn = *d->GetLayer(0)->GetLayerDefn();
    std::vector<int> dates;
    for (int i = 0; i < defn.GetFieldCount(); ++i)
        if (is_moment(defn.GetFieldDefn(i)->GetType())) dates.push_back(i);
    if (dates.empty() || odd_moment_in(path).empty()) return d;
    auto texts = open_as_text();
    if (!texts || texts->GetLayer(0)->GetLayerDefn()->GetFieldCount() != defn.GetFieldCount()) return d;
    for (const auto& f : *texts->GetLayer(0))
        for (const int i : dates) {
            if (!f->IsFieldSetAndNotNull(i) || !is_odd_moment(f->GetFieldAsString(i))) continue;
            const std::string name = f->GetFieldDefnRef(i)->GetNameRef(), value = f->GetFieldAsString(i);
            caution("dates and times stay text, since '" + name + "' has '" + value + "' in feature " +
                    std::to_string(f->GetFID()) + ": vector_convert with types {\"" + name +
                    "\": \"DateTime\"} reads " +
                    (iso_moment(value) ? "them" : "what is a date, with skip_failed to leave out the rest"));
            texts->GetLayer(0)->ResetReading();
            return texts;
        }
    return d;
}

// What a dataset of a format with types does not declare, or GDAL does not read of it.
template <class Open>
dataset_ptr complete(dataset_ptr d, const std::string& path, const Open& open_with) {
    const std::string driver = d->GetDriverName();
    const bool mistaken = declares_utf8(*d);
    const auto encoding = mistaken             ? mistaken_for_utf8(dbf_of(path))
                          : lacks_encoding(*d) ? undeclared_encoding(dbf_of(path))
                                               : std::string{};
    if (driver == "ESRI Shapefile" && EQUAL(CPLGetExtension(path.c_str()), "shp")) {
        caution_of_stale_index(path);
        if (dbf_of(path).empty())
            caution(std::string{CPLGetFilename(path.c_str())} +
                    " has no .dbf beside it: its features have no attributes");
    }
    if (driver == "ESRI Shapefile") caution_of_overflow(dbf_of(path));
    const bool ids = driver == "ESRI Shapefile" && d->GetLayerCount() == 1 && has_wide_numbers(*d->GetLayer(0));
    if (!encoding.empty() || ids) {
        CPLStringList options;
        if (!encoding.empty()) options.SetNameValue("ENCODING", encoding.c_str());
        if (ids) options.SetNameValue("ADJUST_TYPE", "YES");  // Integer64 where all values are
        auto again = open_with(options);
        if (!again) return d;
        for (auto* layer : again->GetLayers()) mend_names(*layer);
        if (ids) caution_of_rounded(*again->GetLayer(0), is_wide_number);
        if (mistaken && !encoding.empty())
            caution("the .cpg file declares UTF-8, which the text is not: it is read as " + encoding);
        else if (!encoding.empty())
            again->GetLayer(0)->SetMetadataItem(
                "RECOGNISED",
                ("text read as " + encoding + ", which neither a .cpg file nor the .dbf declares").c_str(), "GDALMCP");
        return again;
    }
    if (driver == "ESRI Shapefile")
        for (auto* layer : d->GetLayers()) mend_names(*layer);
    if (driver == "GeoJSON") {
        caution_of_twins(*d->GetLayer(0));
        caution_of_clamped(*d->GetLayer(0));
        if (may_hold_wide_numbers(path)) caution_of_rounded(*d->GetLayer(0), [](const auto&) { return true; });
        d = dates_as_text(std::move(d), path, [&] {
            CPLStringList options;
            options.SetNameValue("DATE_AS_STRING", "YES");
            return open_with(options);
        });
        note_losses_of_geojson(*d->GetLayer(0), path, false);
        return d;
    }
    if (driver == "GeoJSONSeq") note_losses_of_geojson(*d->GetLayer(0), path, true);
    if (driver == "GeoJSONSeq" || driver == "TopoJSON")
        for (auto* layer : d->GetLayers()) {
            caution_of_clamped(*layer);
            caution_of_odd_moments(*layer, path);
        }
    if (driver == "DXF" && d->GetLayerCount() == 1)
        if (const auto kinds = ignored_entities(*d->GetLayer(0)); !kinds.empty())
            caution(std::string{CPLGetFilename(path.c_str())} +
                    " has entities that GDAL does not read, which are left out: " + kinds);
    if (driver == "GML" || driver == "GPX")
        return codes_as_text(std::move(d), path, [&] { return open_with(open_options(path)); });
    if (driver == "MapInfo File")
        for (auto* layer : d->GetLayers()) {
            correct_false_origin(*layer);
            if (EQUAL(CPLGetExtension(path.c_str()), "mif"))
                layer->SetMetadataItem("MID", CPLResetExtension(path.c_str(), "mid"), "GDALMCP");
        }
    if (driver == "ESRI Shapefile")
        for (auto* layer : d->GetLayers()) {
            VSIStatBufL state;
            const bool folder = VSIStatL(path.c_str(), &state) == 0 && VSI_ISDIR(state.st_mode);
            const auto dbf = dbf_of(folder ? CPLFormFilename(path.c_str(), layer->GetName(), "dbf") : path);
            if (!dbf.empty()) layer->SetMetadataItem("DBF", dbf.c_str(), "GDALMCP");
        }
    const bool sheets = driver == "XLSX" || driver == "ODS" || driver == "XLS";
    if (sheets || driver == "SQLite")
        for (auto* layer : d->GetLayers()) sheets ? look_at_sheet(*layer) : widen_types(*d, *layer);
    return d;
}

// With GDAL_NUM_THREADS the GTiff driver reads blocks in threads, each by a TIFF file of its own in memory. Where
// nothing is decompressed that only costs: more than twice the processor time of reading them one after the other.
inline bool has_idle_threads(GDALDataset& d) {
    const char* threads = CPLGetConfigOption("GDAL_NUM_THREADS", nullptr);
    return threads && !EQUAL(threads, "1") && is_plain_tiff(d);
}

inline dataset_ptr open_without_threads(const std::string& path, unsigned flags, CPLStringList options) {
    options.SetNameValue("NUM_THREADS", "1");
    const CPLErrorHandlerPusher told_before{CPLQuietErrorHandler};
    return dataset_ptr{GDALDataset::Open(path.c_str(), flags, nullptr, options.List(), nullptr)};
}

}  // namespace detail

GDALMCP_SEPARABLE dataset_ptr open_untyped(const std::string& path, unsigned flags, sql given,
                                           const table_reading& how) {
    const auto form = detail::is_csv(path) ? std::optional{detail::sniff(detail::csv_file(path), how)} : std::nullopt;
    if (form && !form->plain() && !(flags & GDAL_OF_UPDATE)) {
        detail::memory_file copy;  // an open file outlives its name
        const auto table = detail::read_table(detail::csv_file(path), copy, how);
        if (!copy.path.empty()) return detail::open_table(detail::csv_file(path), flags, table, copy, how);
    }
    const auto options = open_options(path, form, how);
    const auto open = [&](unsigned as, const char* const* drivers = nullptr) {
        return dataset_ptr{GDALDataset::Open(path.c_str(), as, drivers, options.List(), nullptr)};
    };
    if (detail::is_geopackage(path))
        if (auto d = detail::open_geopackage(open, flags, given == sql::any)) return d;
    const bool reads = !(flags & GDAL_OF_UPDATE) && (flags & GDAL_OF_VECTOR);
    const bool ods = EQUAL(CPLGetExtension(path.c_str()), "ods");
    const auto repair = !reads                      ? std::nullopt
                        : ods                       ? std::optional{detail::repair_of_ods(path)}
                        : detail::is_workbook(path) ? std::optional{detail::repair_of(path)}
                                                    : std::nullopt;
    auto d = repair ? detail::open_repaired_workbook(path, flags, *repair) : nullptr;
    if (!d) d = open(flags);
    // GDAL's XYZ driver treats any table with columns x and y as a raster, and fails if they form no grid.
    if (!d && detail::is_csv(path) && (flags & GDAL_OF_RASTER) && (flags & GDAL_OF_VECTOR)) {
        CPLErrorReset();
        d = open(flags & ~static_cast<unsigned>(GDAL_OF_RASTER));
    }
    if (d && !(flags & GDAL_OF_UPDATE) && detail::has_idle_threads(*d))
        if (auto again = detail::open_without_threads(path, flags, options)) return again;
    if (!d || !reads || d->GetLayerCount() == 0) return d;
    for (auto* layer : d->GetLayers())
        if (repair) detail::caution_of_cells(*repair, *layer);
    return detail::complete(std::move(d), path, [&](const CPLStringList& with) {
        return dataset_ptr{GDALDataset::Open(path.c_str(), flags, nullptr, with.List(), nullptr)};
    });
}

GDALMCP_SEPARABLE dataset_ptr open_dataset(const std::string& path, unsigned flags, sql given,
                                           const table_reading& how) {
    if (!detail::is_csv(path)) return open_untyped(path, flags, given);
    const CPLConfigOptionSetter columns{"OGR_CSV_MAX_FIELD_COUNT", "100000", true};  // without, 2000 are read
    const auto siblings = unlisted_siblings(path);
    const bool typed = std::any_of(siblings.begin(), siblings.end(),
                                   [](const std::string& s) { return EQUAL(CPLGetExtension(s.c_str()), "csvt"); });
    const auto file = detail::csv_file(path);
    detail::memory_file copy;  // an open file outlives its name
    auto table = typed ? detail::text_table{detail::sniff(file, how)} : detail::read_table(file, copy, how);
    if (typed) table.cut = detail::cut_row_of(file, table.form);
    const bool opens_copy = !copy.path.empty() && (flags & GDAL_OF_UPDATE) == 0;
    auto d = opens_copy ? detail::open_table(file, flags, table, copy, how) : open_untyped(path, flags, given, how);
    if (d && EQUAL(d->GetDriverName(), "CSV"))
        for (auto* layer : d->GetLayers()) detail::recognise(*layer, table, typed, how.as_text);
    return d;
}

GDALMCP_SEPARABLE void take_layer(GDALDataset& d, OGRLayer& layer) {
    constexpr std::int64_t rows = 1'000'000;  // 0.1 to 0.3 s
    if (EQUAL(d.GetDriverName(), "GPKG") && d.GetAccess() == GA_ReadOnly) detail::widen_types(d, layer, rows);
    const char* found = layer.GetMetadataItem("CAUTIONS", "GDALMCP");
    if (!found) return;  // a GeoPackage writes whatever is set
    const CPLStringList all{CSLTokenizeString2(found, "\n", 0)};
    for (int i = 0; i < all.Count(); ++i) detail::caution(all[i]);
    layer.SetMetadataItem("CAUTIONS", nullptr, "GDALMCP");
}

GDALMCP_SEPARABLE std::string recognised(OGRLayer& layer) {
    const char* said = layer.GetMetadataItem("RECOGNISED", "GDALMCP");
    return said ? said : "";
}

}  // namespace gdalmcp::gdal
