// gdalmcp/gdal_undeclared.hpp — what formats with types do not declare, or what GDAL does not read of it: the encoding
// of a DBF file, whole numbers and mixed values of SQLite, equal names of columns. Used by gdal_open.hpp.
#pragma once
#include <cpl_error.h>
#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <gdalmcp/gdal_table_encoding.hpp>
#include <gdalmcp/gdal_table_records.hpp>
#include <gdalmcp/gdal_table_values.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gdalmcp::gdal::detail {

// A field of an open layer whose name and type can be changed: from version 3.9 on GDAL seals some, and changes nothing
// of those but reports an error.
inline OGRFieldDefn& changeable_field(OGRFeatureDefn& of, int i) {
    auto& field = *of.GetFieldDefn(i);
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 9, 0)
    field.Unseal();
#endif
    return field;
}

// A warning about what was opened; it reaches the answer of the tool.
inline void caution(const std::string& text) { CPLError(CE_Warning, CPLE_AppDefined, "%s", text.c_str()); }

// The same about one layer of what was opened, for gdal::take_layer().
inline void caution_of(OGRLayer& layer, const std::string& text) {
    const char* before = layer.GetMetadataItem("CAUTIONS", "GDALMCP");
    layer.SetMetadataItem("CAUTIONS", ((before ? std::string{before} + '\n' : "") + text).c_str(), "GDALMCP");
}

// The bytes of a .dbf beyond ASCII with what follows them; of the first `most` bytes of the file.
inline std::string foreign_text(const std::string& dbf, std::size_t most) {
    VSILFILE* file = VSIFOpenL(dbf.c_str(), "rb");
    if (!file) return {};
    std::string foreign, block(1 << 20, '\0');
    constexpr std::size_t enough = 1 << 16;
    VSIFSeekL(file, 32, SEEK_SET);  // after the first part of the header, which holds numbers
    for (std::size_t read = 0; read < most && foreign.size() < enough; read += block.size()) {
        const auto n = VSIFReadL(block.data(), 1, block.size(), file);
        if (n == 0) break;
        for (std::size_t i = 0; i < n && foreign.size() < enough; ++i)
            if (block[i] < 0 || (!foreign.empty() && foreign.back() < 0)) foreign += block[i];
        if (n < block.size()) break;
    }
    VSIFCloseL(file);
    return foreign;
}

inline std::string encoding_beside_utf8(std::string_view foreign) {
    return is_shift_jis(foreign) ? "CP932" : is_dos_text(foreign) ? "CP850" : "CP1252";
}

// Whether text is UTF-8 but for characters that were cut at the end of a field: most are whole. A byte before the end
// of a name, or before the number that tells it from another, says nothing: names are cut there.
inline bool mostly_utf8(std::string_view foreign) {
    std::size_t right = 0, wrong = 0;
    for (std::size_t i = 0; i < foreign.size();) {
        const auto byte = static_cast<unsigned char>(foreign[i]);
        const std::size_t size = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
        const bool whole = CPLIsUTF8(foreign.data() + i, static_cast<int>(std::min(size, foreign.size() - i))) != FALSE;
        const char after = i + 1 < foreign.size() ? foreign[i + 1] : ' ';
        const bool cut = !whole && (after == '\0' || after == '_');
        if (byte >= 0x80 && !cut) ++(whole ? right : wrong);
        i += whole ? size : 1;
    }
    return right > wrong;
}

// The encoding of the text in a .dbf that declares none; "": it is ASCII, or the file cannot be read.
inline std::string undeclared_encoding(const std::string& dbf) {
    const auto foreign = foreign_text(dbf, std::numeric_limits<std::size_t>::max());
    if (foreign.empty()) return {};
    return mostly_utf8(foreign) ? "UTF-8" : encoding_beside_utf8(foreign);
}

// The encoding of the text in a .dbf that is said to be UTF-8, and is not; "": it is.
inline std::string mistaken_for_utf8(const std::string& dbf) {
    const auto foreign = foreign_text(dbf, std::size_t{1} << 22);
    return foreign.empty() || mostly_utf8(foreign) ? std::string{} : encoding_beside_utf8(foreign);
}

// The same beside a .shp. Its path with another extension, as the file system spells it.
inline std::string dbf_of(const std::string& path) {
    for (const char* extension : {"dbf", "DBF"}) {
        const std::string name = CPLResetExtension(path.c_str(), extension);
        VSIStatBufL state;
        if (VSIStatL(name.c_str(), &state) == 0) return name;
    }
    return {};
}

// How many shapes the spatial index of a Shapefile (.qix, a quadtree of MapServer's format) was made of; nothing: the
// file is no such index.
inline std::optional<std::uint32_t> indexed_shapes(const std::string& qix) {
    VSILFILE* file = VSIFOpenL(qix.c_str(), "rb");
    if (!file) return std::nullopt;
    unsigned char head[16];  // "SQT", byte order (1: little-endian), version, 3 reserved, shapes, depth
    const bool whole = VSIFReadL(head, 1, sizeof head, file) == sizeof head;
    VSIFCloseL(file);
    if (!whole || std::memcmp(head, "SQT", 3) != 0) return std::nullopt;
    std::uint32_t n = 0;
    for (int i = 0; i < 4; ++i) n = n << 8 | head[head[3] == 1 ? 11 - i : 8 + i];
    return n;
}

// Warns of a spatial index that was made of another number of shapes than a .shp has: GDAL finds by it what was there
// then.
inline void caution_of_stale_index(const std::string& shapefile) {
    const auto indexed = indexed_shapes(CPLResetExtension(shapefile.c_str(), "qix"));
    VSIStatBufL shx;
    if (!indexed || (VSIStatL(CPLResetExtension(shapefile.c_str(), "shx"), &shx) != 0 &&
                     VSIStatL(CPLResetExtension(shapefile.c_str(), "SHX"), &shx) != 0))
        return;
    const auto shapes = (static_cast<std::int64_t>(shx.st_size) - 100) / 8;
    if (shapes == *indexed) return;
    caution(std::string{"the spatial index "} + CPLGetFilename(CPLResetExtension(shapefile.c_str(), "qix")) +
            " was made of " + std::to_string(*indexed) + " features, and the shapefile has " + std::to_string(shapes) +
            ": what is selected by place may lack some; vector_index with \"drop\": true removes the index");
}

// Whether a Shapefile's text has no declared encoding, and none was given for it.
inline bool lacks_encoding(GDALDataset& d) {
    if (!EQUAL(d.GetDriverName(), "ESRI Shapefile") || d.GetLayerCount() != 1) return false;
    if (CPLGetConfigOption("SHAPE_ENCODING", nullptr)) return false;
    const char* stored = d.GetLayer(0)->GetMetadataItem("SOURCE_ENCODING", "SHAPEFILE");
    return !stored || !*stored;
}

inline bool declares_utf8(GDALDataset& d) {
    if (!EQUAL(d.GetDriverName(), "ESRI Shapefile") || d.GetLayerCount() != 1) return false;
    const char* stored = d.GetLayer(0)->GetMetadataItem("SOURCE_ENCODING", "SHAPEFILE");
    return stored && EQUAL(stored, "UTF-8");
}

// Whether a field holds whole numbers of 19 digits and more, as ids may be, which GDAL rounds if it is not told to
// look.
inline bool is_wide_number(const OGRFieldDefn& f) {
    constexpr int exact = 18;
    return f.GetType() == OFTReal && f.GetWidth() > exact && f.GetPrecision() == 0;
}
inline bool has_wide_numbers(OGRLayer& layer) {
    auto& defn = *layer.GetLayerDefn();
    for (int i = 0; i < defn.GetFieldCount(); ++i)
        if (is_wide_number(*defn.GetFieldDefn(i))) return true;
    return false;
}

// Warns of numbers of a .dbf that are '*': GDAL and others write nulls so, many programs a number that is too long for
// its field. GDAL reads all as null.
inline void caution_of_overflow(const std::string& dbf) {
    const file_handle file{VSIFOpenL(dbf.c_str(), "rb")};
    std::string head(1 << 16, '\0');
    if (file) head.resize(VSIFReadL(head.data(), 1, head.size(), file.get()));
    const auto two_bytes = [&](std::size_t at) {
        return static_cast<std::size_t>(static_cast<unsigned char>(head[at]) | static_cast<unsigned char>(head[at + 1])
                                                                                   << 8);
    };
    if (!file || head.size() < 32) return;
    const auto begin = two_bytes(8), length = two_bytes(10);
    std::vector<std::pair<std::size_t, std::string>> numbers;  // place in a record, name
    std::size_t place = 1;
    for (std::size_t at = 32; at + 32 <= std::min(begin, head.size()) && head[at] != '\r'; at += 32) {
        if (head[at + 11] == 'N' || head[at + 11] == 'F') numbers.emplace_back(place, head.substr(at, 11).c_str());
        place += static_cast<unsigned char>(head[at + 16]);
    }
    if (numbers.empty() || place > length) return;
    std::string block((1 << 20) / length * length + length, '\0');
    VSIFSeekL(file.get(), begin, SEEK_SET);
    std::int64_t count = 0;
    std::set<std::string> names;
    for (std::size_t n; (n = VSIFReadL(block.data(), 1, block.size(), file.get())) >= length;) {
        if (!std::memchr(block.data(), '*', n)) continue;
        for (std::size_t row = 0; row + length <= n; row += length)
            for (const auto& field : numbers)
                if (block[row] != '*' && block[row + field.first] == '*') ++count, names.insert(field.second);
    }
    if (count > 0)
        caution(names_of_some({names.begin(), names.end()}) + ": " + std::to_string(count) +
                (count == 1 ? " number is '*', a null or too long for its field: it is read as null"
                            : " numbers are '*', nulls or too long for their field: they are read as null"));
}

// A JSON file, or a JSON text in the place of its path.
struct json_file {
    explicit json_file(const std::string& path) {
        if (const auto text = path.find_first_not_of(" \t\r\n"); text == std::string::npos || path[text] != '{') {
            handle.reset(VSIFOpenL(path.c_str(), "rb"));
            return;
        }
        name = CPLSPrintf("/vsimem/gdalmcp-%p.json", static_cast<void*>(this));
        auto* bytes = reinterpret_cast<GByte*>(const_cast<char*>(path.data()));  // read only
        handle.reset(VSIFileFromMemBuffer(name.c_str(), bytes, path.size(), FALSE));
    }
    ~json_file() {
        handle.reset();
        if (!name.empty()) VSIUnlink(name.c_str());
    }
    json_file(const json_file&) = delete;
    json_file& operator=(const json_file&) = delete;
    file_handle handle;
    std::string name;
};

// Whether JSON holds a whole number of 16 digits and more, in quotes or not; found much faster than parsed.
inline bool may_hold_wide_numbers(const std::string& path) {
    constexpr int exact = 15;
    const json_file json{path};
    auto* file = json.handle.get();
    std::string block(1 << 20, '\0');
    int digits = 0;  // of a number so far; none of a fraction
    bool fraction = false;
    for (std::size_t n; file && (n = VSIFReadL(block.data(), 1, block.size(), file)) > 0;)
        for (std::size_t i = 0; i < n; ++i) {
            const char c = block[i];
            const bool digit = c >= '0' && c <= '9';
            if (!digit && digits > exact && c != '.') return true;
            fraction = digit ? fraction : c == '.';
            digits = digit && !fraction ? digits + 1 : 0;
        }
    return false;
}

// Warns of whole numbers beyond 2^53 in fields of decimals, which hold no more digits. wanted: the fields.
template <class Wanted>
void caution_of_rounded(OGRLayer& layer, const Wanted& wanted) {
    constexpr double exact = 9007199254740992, most = 1e21;  // beyond: written with an exponent
    auto& defn = *layer.GetLayerDefn();
    std::vector<int> reals;
    for (int i = 0; i < defn.GetFieldCount(); ++i)
        if (defn.GetFieldDefn(i)->GetType() == OFTReal && wanted(*defn.GetFieldDefn(i))) reals.push_back(i);
    layer.ResetReading();
    while (const OGRFeatureUniquePtr f{reals.empty() ? nullptr : layer.GetNextFeature()})
        for (const int i : reals) {
            const auto value = f->IsFieldSetAndNotNull(i) ? std::abs(f->GetFieldAsDouble(i)) : 0;
            if (value < exact || value >= most) continue;
            caution(std::string{"'"} + defn.GetFieldDefn(i)->GetNameRef() + "' holds numbers of more digits than a " +
                    "decimal number keeps, the first in feature " + std::to_string(f->GetFID()) +
                    ": they are rounded; ids must be written as text");
            return layer.ResetReading();
        }
    layer.ResetReading();
}

inline bool is_moment(OGRFieldType t) { return t == OFTDate || t == OFTTime || t == OFTDateTime; }

// A table of SQLite or a GeoPackage holds whole numbers of 64 bits whatever it declares, which GDAL cuts to 32, and
// text or decimals among them, which GDAL reads as 0 or cuts; text that is no date among dates it reads as null.
// `rows`: how many are looked at, from the first id on.
inline void widen_types(GDALDataset& d, OGRLayer& layer, std::optional<std::int64_t> rows = {}) {
    auto& defn = *layer.GetLayerDefn();
    std::string query, suspects;  // `suspects`: what costs little to ask first; text is greater than any number
    std::vector<int> asked;
    for (int i = 0; i < defn.GetFieldCount(); ++i) {
        auto& f = *defn.GetFieldDefn(i);
        const auto type = f.GetType();
        const bool date = is_moment(type);
        if (!date && type != OFTInteger && type != OFTInteger64 && type != OFTReal) continue;
        const char* most = f.GetSubType() == OFSTBoolean ? "1" : "2147483647";
        char* quoted = CPLEscapeString(f.GetNameRef(), -1, CPLES_SQLI);
        const auto name = "\"" + std::string{quoted} + "\"";
        CPLFree(quoted);
        const auto any = [&](const char* kind) { return "max(typeof(" + name + ") = '" + kind + "')"; };
        // Letters but T and Z name a half of the day or a time zone, which GDAL passes over.
        const std::string whole = type == OFTTime ? " NOT GLOB '[0-2][0-9]:[0-5][0-9]*' OR " + name + " >= '24'"
                                                  : " NOT GLOB '[0-9][0-9][0-9][0-9][-/][0-9]*'";
        const auto day = "substr(" + name + ", 1, 10)";
        const auto no_date = "max(typeof(" + name + ") = 'integer' OR (typeof(" + name + ") = 'text' AND " + name +
                             " <> '' AND (" + name + whole + " OR " + name + " GLOB '*[A-SU-Ya-z]*' OR (" + day +
                             " GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' AND julianday(" + day +
                             ") IS NULL))))";
        suspects += (suspects.empty() ? "" : " OR ") +
                    (date ? name + " < '' OR (" + name + " IS NOT NULL AND " + (type == OFTTime ? "time(" : "date(") +
                                name + ") IS NULL)"
                     : f.GetSubType() == OFSTBoolean ? name + " NOT BETWEEN -1 AND 1 OR " + name + " <> " + name + "|0"
                     : type == OFTReal               ? name + " > 9e999"
                     : type == OFTInteger64          ? name + " <> " + name + "|0"
                                                     : name + " <> " + name + "<<32>>32");
        query += (query.empty() ? "SELECT " : ", ") + (date ? no_date : any("text")) + ", " + any("real") +
                 ", max(abs(" + name + ") > " + most + ")";
        asked.push_back(i);
    }
    char* table = CPLEscapeString(layer.GetName(), -1, CPLES_SQLI);
    const auto from = " FROM \"" + std::string{table} + "\"";
    CPLFree(table);
    const auto answer = [&](const std::string& question) {
        CPLPushErrorHandler(CPLQuietErrorHandler);
        OGRLayer* found = d.ExecuteSQL(question.c_str(), nullptr, nullptr);
        OGRFeatureUniquePtr first{found ? found->GetNextFeature() : nullptr};
        d.ReleaseResultSet(found);
        CPLPopErrorHandler();
        CPLErrorReset();
        return first;
    };
    if (asked.empty()) return;
    char* text = CPLEscapeString(layer.GetName(), -1, CPLES_SQL);
    const bool view = rows && answer("SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = '" +
                                     std::string{text} + "'");  // which has no ids of its own
    CPLFree(text);
    const auto most = std::to_string(rows.value_or(0));
    const auto among = view   ? " FROM (SELECT *" + from + " LIMIT " + most + ") WHERE 1"
                       : rows ? from + " WHERE rowid < " + most + " + (SELECT min(rowid)" + from + ")"
                              : from + " WHERE 1";
    if (!answer("SELECT 1" + among + " AND (" + suspects + ") LIMIT 1")) return;
    const auto row = answer(query + among);
    std::string mixed, dated;
    for (std::size_t k = 0; row && k < asked.size() && row->GetFieldCount() >= static_cast<int>(asked.size()) * 3;
         ++k) {
        auto& f = changeable_field(defn, asked[k]);
        const int at = static_cast<int>(k) * 3;
        const bool date = is_moment(f.GetType());
        if (row->GetFieldAsInteger(at)) {
            f.SetSubType(OFSTNone);
            f.SetType(OFTString);
            auto& named = date ? dated : mixed;
            named += (named.empty() ? "'" : ", '") + std::string{f.GetNameRef()} + "'";
        } else if (date) {
            continue;
        } else if (f.GetType() != OFTReal && row->GetFieldAsInteger(at + 1)) {
            f.SetSubType(OFSTNone);
            f.SetType(OFTReal);
        } else if (f.GetType() == OFTInteger && row->GetFieldAsInteger(at + 2)) {
            f.SetType(f.GetSubType() == OFSTBoolean ? OFTInteger : OFTInteger64);
            f.SetSubType(OFSTNone);
        }
    }
    if (!mixed.empty())
        caution("table '" + std::string{layer.GetName()} + "' holds numbers and text in " + mixed +
                ": read as text; vector_calc's number() makes numbers of it");
    if (!dated.empty())
        caution("table '" + std::string{layer.GetName()} + "' holds dates and other text in " + dated +
                ": read as text; vector_calc's date() makes dates of it");
}

// Whether GDAL takes a text for a day or a time, though it does not read all of it: "10:00 PM", "2024-02-30".
inline bool is_odd_moment(const std::string& text) {
    OGRField parsed;
    if (OGRParseDate(text.c_str(), &parsed, 0) == FALSE) return false;
    const auto read = text.find_first_of("-/") < 5 ? iso_moment(text) : iso_clock(text);
    return !read || read->text != text;
}

// The first among the texts of a JSON file, which is read much faster than parsed, or of a JSON text; "": none.
inline std::string odd_moment_in(const std::string& path) {
    const json_file json{path};
    auto* file = json.handle.get();
    constexpr std::size_t longest = 64;  // a text of a day or a time
    std::string text;
    while (file) {
        const auto kept = text.size();
        text.resize(kept + (1 << 20));
        text.resize(kept + VSIFReadL(text.data() + kept, 1, 1 << 20, file));
        const bool last = text.size() == kept;
        std::size_t at = 0;
        while ((at = text.find('"', at)) != std::string::npos && (last || at + longest < text.size())) {
            const auto end = std::min(text.find('"', ++at), text.size());
            if (end - at < longest && at < text.size() && text[at] >= '0' && text[at] <= '9' &&
                is_odd_moment(text.substr(at, end - at)))
                return text.substr(at, end - at);
        }
        if (last) return {};
        text.erase(0, std::min(at, text.size()));
    }
    return {};
}

// Columns whose names differ in nothing but their case, or not at all, cannot be told apart by name: the later ones get
// a number. So does the first where case tells it from a later one, which would be asked for and not be meant.
inline void name_apart(OGRLayer& layer) {
    auto& defn = *layer.GetLayerDefn();
    const auto folded = [](std::string name) {
        for (auto& c : name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
        return name;
    };
    std::set<std::string> all, taken;
    for (int i = 0; i < defn.GetFieldCount(); ++i) all.insert(folded(defn.GetFieldDefn(i)->GetNameRef()));
    if (static_cast<int>(all.size()) == defn.GetFieldCount()) return;
    std::string said;
    for (int i = 0; i < defn.GetFieldCount(); ++i) {
        auto& f = changeable_field(defn, i);
        const std::string own = f.GetNameRef();
        bool other_case = false;
        for (int k = i + 1; k < defn.GetFieldCount(); ++k)
            other_case = other_case || (EQUAL(defn.GetFieldDefn(k)->GetNameRef(), own.c_str()) &&
                                        own != defn.GetFieldDefn(k)->GetNameRef());
        const bool first = taken.insert(folded(own)).second;
        if (first && !other_case) continue;
        std::string name;
        for (int n = first ? 1 : 2; name.empty() || all.contains(folded(name)) || taken.contains(folded(name)); ++n)
            name = own + "_" + std::to_string(n);
        f.SetName(name.c_str());
        taken.insert(folded(name));
        said +=
            (said.empty() ? "column " : ", column ") + std::to_string(i + 1) + " '" + own + "' is '" + name + "' here";
    }
    caution_of(layer, "layer '" + std::string{layer.GetName()} + "' has columns of the same name: " + said);
}

// A text without the bytes that are no character of UTF-8.
inline std::string whole_characters(std::string_view text) {
    std::string whole;
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const std::size_t size = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
        const bool is_one = i + size <= text.size() && CPLIsUTF8(text.data() + i, static_cast<int>(size)) != FALSE;
        if (is_one) whole += text.substr(i, size);
        i += is_one ? size : 1;
    }
    return whole;
}

// Names of a .dbf that a program cut within a character, as GDAL does: nobody could ask for them.
inline void mend_names(OGRLayer& layer) {
    auto& defn = *layer.GetLayerDefn();
    std::string said;
    for (int i = 0; i < defn.GetFieldCount(); ++i) {
        auto& f = changeable_field(defn, i);
        auto whole = whole_characters(f.GetNameRef());
        if (whole == f.GetNameRef()) continue;
        if (whole.empty()) whole = "field";
        f.SetName(whole.c_str());
        said += (said.empty() ? "'" : ", '") + whole + "'";
    }
    if (said.empty()) return;
    caution("names of fields are cut within a character in the .dbf; here they are " + said);
    name_apart(layer);
}

// Of a sheet, whose names GDAL takes from its first row, or not at all, and whose last rows may be none.
inline void look_at_sheet(OGRLayer& layer) {
    const std::string sheet = " of sheet '" + std::string{layer.GetName()} + "'";
    if (layer.GetLayerDefn()->GetFieldIndex("Field1") == 0)
        caution_of(layer, "the first row" + sheet +
                              " is not taken for names of columns: if it holds them, vector_convert with header_row: 1 "
                              "reads them (another number where they stand below)");
    name_apart(layer);
    const auto value = [](const OGRFeature& f, int i) {
        return std::string{f.IsFieldSetAndNotNull(i) ? f.GetFieldAsString(i) : ""};
    };
    const auto rows = layer.GetFeatureCount();
    GIntBig empty = 0;
    for (auto at = rows - 1; at > 1 && layer.SetNextByIndex(at) == OGRERR_NONE; --at) {
        const OGRFeatureUniquePtr f{layer.GetNextFeature()};
        std::string label;
        bool filled = false;
        for (int i = 0; f && i < f->GetFieldCount() && label.empty(); ++i) {
            filled = filled || !value(*f, i).empty();
            if (f->GetFieldDefnRef(i)->GetType() == OFTString) label = value(*f, i);
        }
        if (is_total(label)) caution_of(layer, caution_of_total(label, sheet));
        if (filled) break;
        ++empty;
    }
    layer.ResetReading();
    if (empty > 0)
        caution_of(layer, "the last " + std::to_string(empty) + (empty == 1 ? " row" : " rows") + sheet +
                              (empty == 1 ? " holds" : " hold") + " no value and " +
                              (empty == 1 ? "counts as a row" : "count as rows") + ": leave " +
                              (empty == 1 ? "it" : "them") + " out with 'where'");
}

}  // namespace gdalmcp::gdal::detail
