// gdalmcp/gdal_kind.hpp — the meaning of a band's numbers: codes, measurements, totals, angles, heights. A mean of
// codes is as wrong as a plain mean of angles, so tools and questions depend on it. A declaration is certain; a
// judgement from cells is marked as a guess. Header-only; link GDAL.
#pragma once
#include <gdal_rat.h>
#include <gdalmcp/gdal.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace gdalmcp::gdal {

enum class value_kind { classes, qa_bits, continuous, count, ratio, angle, elevation, imagery, unknown };

inline const char* name_of(value_kind k) {
    constexpr const char* names[] = {"class", "qa_bits",   "continuous", "count",  "ratio",
                                     "angle", "elevation", "imagery",    "unknown"};
    return names[static_cast<int>(k)];
}

struct band_kind {
    value_kind kind = value_kind::unknown;
    bool certain = false;  // declared by the file, not guessed from its cells or its name
    std::string why;       // "it has a palette"
    bool few = false;      // of an unknown kind, but so few whole numbers that each may be a code
    bool by_type = false;  // only because the type is floating point: the cells may show otherwise
};

// A band's own declarations, without reading its cells.
struct band_signs {
    bool palette = false, category_names = false;
    bool class_table = false;  // an attribute table of the thematic type
    bool integer = true;
    bool scaled = false;   // a scale other than 1 or an offset other than 0
    bool picture = false;  // the dataset has red, green and blue bands of Byte or UInt16
    bool vertical_crs = false;
    int bands = 1;  // of the dataset, alpha not counted
    std::string unit{}, name{};
};

namespace detail {
inline std::string lower(std::string s) {
    for (char& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return s;
}

template <std::size_t N>
bool among(const std::string& word, const char* const (&words)[N]) {
    return std::find(words, words + N, word) != words + N;
}

// "QA_PIXEL", "BQA", "pixel_qa", "QA60": the letters qa at the end of a run of letters, in capitals or as a word.
inline bool names_quality(const std::string& name) {
    const auto letter = [&](std::size_t i) {
        return i < name.size() && std::isalpha(static_cast<unsigned char>(name[i]));
    };
    for (std::size_t i = 0; i + 1 < name.size(); ++i) {
        if (letter(i + 2)) continue;
        if (name.compare(i, 2, "QA") == 0) return true;
        if (name.compare(i, 2, "qa") == 0 && (i == 0 || !letter(i - 1))) return true;
    }
    return false;
}

// In lower case, each between blanks.
inline std::string words_of(const std::string& name) {
    std::string words = " ";
    for (const char c : lower(name)) words += std::isalnum(static_cast<unsigned char>(c)) ? c : ' ';
    return words + ' ';
}

// "nlcd_land_cover_2011", "parcel id": words of classes or labels, which integers of such a name are.
inline bool names_codes(const std::string& name) {
    const auto words = words_of(name);
    constexpr const char* of_codes[] = {" class ",    " classes ", " landcover ",  " land cover ", " landuse ",
                                        " land use ", " basins ",  " watersheds ", " 0   none ",   " id ",
                                        " ids ",      " zone ",    " zones ",      " label ",      " labels ",
                                        " code ",     " codes ",   " soil type ",  " crop type "};
    return std::any_of(std::begin(of_codes), std::end(of_codes),
                       [&](const char* w) { return words.find(w) != std::string::npos; });
}

// "aspect", "wind_direction": words of directions, which a band without a unit may hold; "aspect_ratio" and
// "bearing_capacity" name other things.
inline bool names_directions(const std::string& name) {
    const auto words = words_of(name);
    constexpr const char* of_directions[] = {" aspect ", " azimuth ", " bearing ", " wind direction ", " wdir "};
    constexpr const char* of_others[] = {"ratio ", "capacity ", "variance ", "corr",
                                         "std",    "stdev ",    "error ",    "strength "};
    return std::any_of(std::begin(of_directions), std::end(of_directions), [&](const std::string w) {
        const auto at = words.find(w);
        return at != std::string::npos &&
               std::none_of(std::begin(of_others), std::end(of_others),
                            [&](const std::string o) { return words.compare(at + w.size(), o.size(), o) == 0; });
    });
}

// "building_count", "population": words of totals of cells, which whole numbers of such a name are;
// "population_density" names none.
inline bool names_totals(const std::string& name) {
    const auto words = words_of(name);
    const auto any = [&](std::initializer_list<const char*> some) {
        return std::any_of(some.begin(), some.end(), [&](const char* w) { return words.find(w) != std::string::npos; });
    };
    return any({" count ", " population ", " persons ", " people ", " inhabitants ", " households ", " dwellings "}) &&
           !any({" density ", " rate ", " ratio ", " index ", " share ", " mean ", " average ", " per km", " per ha"});
}

inline std::optional<band_kind> kind_by_unit(const band_signs& s) {
    constexpr const char* silent[] = {"",     "1",     "none",  "unitless", "dimensionless", "n/a",
                                      "-",    "dn",    "class", "classes",  "category",      "categories",
                                      "code", "codes", "counts"};  // "counts" of a sensor, as DN
    constexpr const char* angles[] = {"°", "deg", "degree", "degrees", "rad", "radian", "radians", "gon"};
    constexpr const char* shares[] = {"%", "percent"};
    constexpr const char* totals[] = {"persons",    "people",     "inhabitants", "individuals",
                                      "households", "population", "dwellings",   "count"};
    constexpr const char* flags[] = {"bit index", "bit field", "bitmask", "bits", "flags"};
    constexpr const char* lengths[] = {"m",  "metre", "metres", "meter", "meters",
                                       "ft", "foot",  "feet",   "us-ft", "us survey foot"};
    const auto unit = lower(s.unit);
    const auto says = "its unit is '" + s.unit + "'";
    // A slope has no wrap-around: its mean means what it says.
    if (among(unit, angles) && lower(s.name).find("slope") != std::string::npos)
        return band_kind{value_kind::continuous, true, says + " and its name '" + s.name + "'"};
    if (among(unit, angles)) return band_kind{value_kind::angle, true, says};
    if (among(unit, shares)) return band_kind{value_kind::ratio, true, says};
    if (unit == "1" && s.scaled) return band_kind{value_kind::ratio, true, "its unit is '1' and it has a scale"};
    if (among(unit, totals) || unit.rfind("number of ", 0) == 0 || unit.rfind("total number of ", 0) == 0)
        return band_kind{value_kind::count, true, says};
    if (s.integer && among(unit, flags)) return band_kind{value_kind::qa_bits, true, says};
    if (among(unit, lengths) && s.bands == 1)
        return band_kind{value_kind::elevation, true, "unit " + s.unit + " on a single band"};
    if (!among(unit, silent)) return band_kind{value_kind::continuous, true, says};
    return std::nullopt;
}
}  // namespace detail

// The kind a band declares, or nullopt: then only its cells can show it. Integers named like quality bits or classes
// are a guess.
inline std::optional<band_kind> declared_kind(const band_signs& s) {
    if (s.palette) return band_kind{value_kind::classes, true, "it has a palette"};
    if (s.category_names) return band_kind{value_kind::classes, true, "it has category names"};
    if (s.class_table) return band_kind{value_kind::classes, true, "it has a table of classes"};
    if (s.picture) return band_kind{value_kind::imagery, true, "red, green and blue bands of small integers"};
    if (auto k = detail::kind_by_unit(s)) return k;
    if (s.vertical_crs && s.bands == 1)
        return band_kind{value_kind::elevation, true, "a vertical CRS on a single band"};
    if (detail::names_directions(s.name)) return band_kind{value_kind::angle, false, "it is called '" + s.name + "'"};
    if (s.name.rfind("total: ", 0) == 0)  // as raster_calc names totals in a unit it does not know
        return band_kind{value_kind::count, false, "it is called '" + s.name + "'"};
    if (!s.integer) return band_kind{value_kind::continuous, true, "its values are floating point", false, true};
    if (s.scaled) return band_kind{value_kind::continuous, true, "its values are scaled"};
    if (detail::names_quality(s.name)) return band_kind{value_kind::qa_bits, false, "it is called '" + s.name + "'"};
    if (detail::names_codes(s.name)) return band_kind{value_kind::classes, false, "it is called '" + s.name + "'"};
    if (detail::names_totals(s.name)) return band_kind{value_kind::count, false, "it is called '" + s.name + "'"};
    return std::nullopt;
}

// Steps between neighbouring whole numbers. Codes are few, and neighbours that differ do so by any step; a measured
// surface changes by the least step, one or what it was rounded to, far more often than by more.
class neighbourhood {
public:
    static constexpr std::size_t max_values = 64;

    // cells: rows of `columns` values; a cell with valid 0 has no neighbours.
    void see(const std::vector<double>& cells, const std::vector<unsigned char>& valid, std::size_t columns) {
        for (std::size_t i = 0; i < cells.size() && few_values(); ++i) {
            if (!valid[i] || std::isnan(cells[i])) continue;
            const bool like_before = i > 0 && valid[i - 1] && cells[i] == cells[i - 1];
            if (!like_before) remember(cells[i]);
            if ((i + 1) % columns != 0 && i + 1 < cells.size()) compare(cells, valid, i, i + 1);
            if (i + columns < cells.size()) compare(cells, valid, i, i + columns);
        }
    }
    bool few_values() const { return count_ <= max_values; }
    bool empty() const { return count_ == 0; }
    bool classes() const { return !empty() && few_values() && (2 * by_least_ <= differing_ || !in_steps()); }
    // The same of a floating point type: whole numbers in patches. A plane of zeros, a mask and steep heights in whole
    // metres are none.
    bool whole_classes() const { return whole_ && count_ > 2 && 2 * differing_ <= pairs_ && classes(); }

private:
    void compare(const std::vector<double>& cells, const std::vector<unsigned char>& valid, std::size_t a,
                 std::size_t b) {
        if (!valid[b] || std::isnan(cells[b])) return;
        ++pairs_;
        if (cells[a] == cells[b]) return;
        ++differing_;
        const double step = std::abs(cells[a] - cells[b]);
        if (step > least_step_) return;
        by_least_ = step < least_step_ ? 1 : by_least_ + 1;
        least_step_ = step;
    }
    // Whether the values lie on the least step between neighbours: beyond steps of one they must be many to tell.
    bool in_steps() const {
        if (least_step_ == 1) return true;
        if (constexpr std::size_t many = 8; count_ < many) return false;
        const auto& some = **std::find_if(slots_.begin(), slots_.end(), [](const auto& v) { return v.has_value(); });
        return std::all_of(slots_.begin(), slots_.end(),
                           [&](const auto& v) { return !v || std::fmod(*v - some, least_step_) == 0; });
    }
    // A hash table with room for four times as many values as are ever kept.
    void remember(double v) {
        if (!few_values()) return;
        whole_ = whole_ && v == std::floor(v);
        std::size_t at = std::hash<double>{}(v) % slots_.size();
        while (slots_[at] && *slots_[at] != v) at = (at + 1) % slots_.size();
        if (slots_[at]) return;
        slots_[at] = v;
        ++count_;
    }

    std::array<std::optional<double>, 257> slots_{};
    std::size_t count_ = 0, pairs_ = 0, differing_ = 0, by_least_ = 0;
    double least_step_ = std::numeric_limits<double>::infinity();
    bool whole_ = true;
};

// The guess for integers that declare nothing. REQUIRES: `n` saw cells of the band.
inline band_kind guessed_kind(const neighbourhood& n, const band_signs& s) {
    if (n.empty()) return {value_kind::unknown, false, "no cell with data was seen"};
    if (n.classes()) return {value_kind::classes, false, "few whole numbers that do not change step by step"};
    if (s.bands >= 3) return {value_kind::imagery, false, "one of several integer bands of many values"};
    return {value_kind::unknown, false, "whole numbers that may be measurements, counts or codes", n.few_values()};
}

// By the declarations, where they settle it, else by the cells that `n` saw.
inline bool settles(const std::optional<band_kind>& declared) { return declared && !declared->by_type; }
inline band_kind settled_kind(const std::optional<band_kind>& declared, const neighbourhood& n, const band_signs& s) {
    if (!declared) return guessed_kind(n, s);
    if (declared->by_type && n.whole_classes())
        return {value_kind::classes, false, "few whole numbers that do not change step by step"};
    return *declared;
}

// The sample: up to 3 × 3 windows of at most 256 × 256 cells, spread over a band.
struct sample_grid {
    std::vector<int> columns, rows;  // where windows begin
    int width = 0, height = 0;       // of each window
};

namespace detail {
// Begins of `n` windows along an axis, on block borders where they can be.
inline std::vector<int> spread(int n, int length, int size, int block) {
    std::vector<int> begins;
    for (int i = 0; i < n; ++i) {
        const int begin = n == 1 ? (size - length) / 2 : static_cast<int>(std::int64_t{i} * (size - length) / (n - 1));
        const int snapped = begin - begin % block;
        if (begins.empty() || snapped >= begins.back() + length) begins.push_back(snapped);
    }
    return begins;
}

inline std::int64_t blocks_touched(const std::vector<int>& begins, int length, int block) {
    std::int64_t n = 0;
    int last = -1;
    for (const int b : begins) {
        const int first = std::max(b / block, last + 1);
        last = std::max(last, (b + length - 1) / block);
        n += last - first + 1;
    }
    return n;
}
}  // namespace detail

// Fewer and lower windows where blocks are so large that more than `max_cells` cells would have to be decoded.
inline sample_grid sample_of(int columns, int rows, int block_columns, int block_rows, std::int64_t max_cells) {
    sample_grid g;
    g.width = std::min(columns, 256);
    g.height = std::min(rows, 256);
    for (int n = 3;;) {
        g.columns = detail::spread(n, g.width, columns, block_columns);
        g.rows = detail::spread(n, g.height, rows, block_rows);
        const auto cost = detail::blocks_touched(g.columns, g.width, block_columns) * block_columns *
                          detail::blocks_touched(g.rows, g.height, block_rows) * block_rows;
        if (cost <= max_cells) return g;
        if (g.height > std::max(16, block_rows))
            g.height = std::max({g.height / 2, 16, block_rows});
        else if (n > 1)
            --n;
        else
            return g;
    }
}

inline sample_grid sample_of(GDALRasterBand& band, std::int64_t max_cells) {
    int block_columns = 0, block_rows = 0;
    band.GetBlockSize(&block_columns, &block_rows);
    return sample_of(band.GetXSize(), band.GetYSize(), block_columns, block_rows, max_cells);
}

struct sampled_cells {
    std::vector<double> values;
    std::vector<unsigned char> valid;  // 0 = no data: by nodata value, mask or alpha
};

// Calls seen(cells, columns) for every window until it returns false. False: a window could not be read.
template <class F>
bool each_sample(GDALRasterBand& band, const sample_grid& g, F&& seen) {
    sampled_cells c;
    const auto size = static_cast<std::size_t>(g.width) * static_cast<std::size_t>(g.height);
    c.values.resize(size);
    c.valid.assign(size, 255);
    const bool masked = (band.GetMaskFlags() & GMF_ALL_VALID) == 0;
    for (const int row : g.rows)
        for (const int column : g.columns) {
            const auto failed = [&](GDALRasterBand& b, void* to, GDALDataType type) {
                return b.RasterIO(GF_Read, column, row, g.width, g.height, to, g.width, g.height, type, 0, 0,
                                  nullptr) != CE_None;
            };
            if (failed(band, c.values.data(), GDT_Float64)) return false;
            if (masked && failed(*band.GetMaskBand(), c.valid.data(), GDT_Byte)) return false;
            if (!seen(c, static_cast<std::size_t>(g.width))) return true;
        }
    return true;
}

inline bool has_class_table(GDALRasterBand& band) {
    const auto* table = band.GetDefaultRAT();
    return table && table->GetTableType() == GRTT_THEMATIC && table->GetRowCount() > 0;
}

// By a palette, category names or a thematic raster attribute table.
inline bool declares_classes(GDALRasterBand& band) {
    return band.GetColorTable() || CSLCount(band.GetCategoryNames()) > 0 || has_class_table(band);
}

// The signs of a band. vertical_crs: whether the dataset's CRS is vertical.
inline band_signs signs_of(GDALRasterBand& band, bool vertical_crs) {
    band_signs s;
    s.palette = band.GetColorTable() != nullptr;
    s.category_names = CSLCount(band.GetCategoryNames()) > 0;
    s.class_table = has_class_table(band);
    const auto type = band.GetRasterDataType();
    s.integer = GDALDataTypeIsInteger(type) && !GDALDataTypeIsComplex(type);
    s.scaled = band.GetScale() != 1 || band.GetOffset() != 0;
    s.vertical_crs = vertical_crs;
    s.unit = band.GetUnitType();
    s.name = band.GetDescription();
    if (auto* d = band.GetDataset()) {
        bool red = false, green = false, blue = false, small = true;
        s.bands = 0;
        for (auto&& b : d->GetBands()) {
            const auto colour = b->GetColorInterpretation();
            red = red || colour == GCI_RedBand;
            green = green || colour == GCI_GreenBand;
            blue = blue || colour == GCI_BlueBand;
            small = small && (b->GetRasterDataType() == GDT_Byte || b->GetRasterDataType() == GDT_UInt16);
            s.bands += colour != GCI_AlphaBand;
        }
        s.picture = red && green && blue && small;
        // Where each band is a file of its own, the file has the band's name.
        if (s.bands == 1 && s.name.empty()) s.name = CPLGetBasename(d->GetDescription());
    }
    return s;
}

// The kind of a band, by its declarations, else by its cells.
inline band_kind kind_of(GDALRasterBand& band, bool vertical_crs = false) {
    const auto signs = signs_of(band, vertical_crs);
    const auto declared = declared_kind(signs);
    if (settles(declared)) return *declared;
    neighbourhood n;
    const bool read = each_sample(band, sample_of(band, 1'000'000), [&](const sampled_cells& c, std::size_t columns) {
        n.see(c.values, c.valid, columns);
        return n.few_values();
    });
    if (!read) return declared.value_or(band_kind{value_kind::unknown, false, "its cells cannot be read"});
    return settled_kind(declared, n, signs);
}

}  // namespace gdalmcp::gdal
