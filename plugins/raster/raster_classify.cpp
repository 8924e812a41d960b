#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_kind.hpp>

#include <array>
#include <set>

#include "arguments.hpp"
#include "class_breaks.hpp"
#include "class_rules.hpp"
#include "datasets/gdal_cell_size.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_band_cells.hpp"
#include "gdal_block_figures.hpp"
#include "gdal_class_areas.hpp"
#include "gdal_kind.hpp"
#include "gdal_undeclared_nodata.hpp"
#include "picture.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_classify {
namespace {

using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

constexpr std::size_t bins = 1024;

const arg<std::optional<std::vector<double>>> breaks{
    .name = "breaks",
    .about = "Ascending; n breaks make n + 1 classes, a break belongs to the class above it.",
    .examples = {"[2, 10]"},
    .min_items = 1,
    .max_items = 255};
const arg<std::optional<double>> rule_min{.name = "min", .about = "Included. Default: no limit."};
const arg<std::optional<double>> rule_max{.name = "max", .about = "Not included. Default: no limit."};
const arg<std::int64_t> rule_value{.name = "value", .about = "Code of the class.", .min = 0, .max = 65535};
const arg<std::optional<std::string>> rule_label{.name = "label", .about = "Name of the class.", .max_length = 100};
const auto rules = gdalmcp::objects{"rules",
                                    "Ranges that do not overlap; cells in none have no data in the result.",
                                    {rule_min, rule_max, rule_value, rule_label},
                                    1,
                                    1000}
                       .optional();
const arg<std::optional<choice>> method{
    .name = "method",
    .about = "otsu and kmeans put breaks where the variance within classes is least (1024 bins).",
    .values = {"equal_interval", "quantile", "otsu", "kmeans"},
    .synonyms = {{"equal", "equal_interval"},
                 {"equal_width", "equal_interval"},
                 {"quantiles", "quantile"},
                 {"k_means", "kmeans"},
                 {"natural_breaks", "kmeans"},
                 {"jenks", "kmeans"}}};
const arg<std::optional<std::int64_t>> classes{
    .name = "classes", .about = "Of a method. Default: 2 for otsu, else 5.", .min = 2, .max = 255};

const field<std::vector<double>> breaks_used{"breaks", "Between the classes; empty for rules"};
const field<std::int64_t> code{"value", "Code in the result"};
const field<std::string> label{"label", "Name of the class"};
const auto from =
    field<double>{"from", "Smallest value of the class, included; absent: no limit, or several ranges"}.optional();
const auto to = field<double>{"to", "Upper end, not included but in the last class of a method"}.optional();
const field<std::int64_t> count{"count", "Cells of the class", "cells"};
const field<double> share{"share", "Of the classified cells", "0 to 1"};
const auto area_m2 = field<double>{"area_m2", "True area on the ellipsoid", "m²"}.optional();
const auto area_ha = field<double>{"area_ha", "The same", "ha"}.optional();
const gdalmcp::table class_rows{
    "classes", "In ascending order", {code, label, from, to, count, share, area_m2, area_ha}};
const field<std::int64_t> nodata_count{"nodata_count", "Cells without data in the input", "cells"};
const field<std::int64_t> outside_count{"outside_count", "Cells with a value that no rule holds; no data in the result",
                                        "cells"};
const field<std::int64_t> nodata{"nodata", "Code of both"};
const field<std::string> dtype{"dtype", "Byte, or UInt16 where codes need it"};

// The linear map from stored cells to real values.
struct real_values {
    double scale = 1, offset = 0;
    double of(double stored) const { return stored * scale + offset; }
    bool as_stored() const { return scale == 1 && offset == 0; }
};

class_table by_breaks(const std::vector<double>& inner, std::optional<double> lowest, std::optional<double> highest) {
    std::vector<class_rule> all;
    for (std::size_t i = 0; i <= inner.size(); ++i) {
        class_rule r;
        if (i > 0)
            r.lowest = inner[i - 1];
        else if (lowest)
            r.lowest = *lowest;
        if (i < inner.size())
            r.highest = inner[i];
        else if (highest)
            r.highest = *highest, r.closed = true;
        r.code = static_cast<std::int64_t>(i) + 1;
        all.push_back(r);
    }
    return class_table{std::move(all)};
}

std::string range_text(const class_rule& r) {
    const auto shown = [](double v) { return gdal::number_text(v == std::floor(v) ? v : gdalmcp::significant(v, 6)); };
    const std::string low = shown(r.lowest), high = shown(r.highest);
    if (std::isinf(r.lowest) && std::isinf(r.highest)) return "every value";
    if (std::isinf(r.lowest)) return "below " + high;
    if (std::isinf(r.highest)) return low + " and above";
    return low + " to " + high;
}

class_table by_rules(gdalmcp::call& call) {
    std::vector<class_rule> all;
    for (const auto& given : call[rules]) {
        class_rule r;
        r.lowest = given[rule_min].value_or(r.lowest);
        r.highest = given[rule_max].value_or(r.highest);
        r.code = given[rule_value];
        r.label = given[rule_label].value_or("");
        if (!(r.lowest < r.highest))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "the rule for " + std::to_string(r.code) + " has min " + gdal::number_text(r.lowest) +
                            " and max " + gdal::number_text(r.highest) + ", so no value fits",
                        "give a min below the max"};
        all.push_back(std::move(r));
    }
    class_table table{std::move(all)};
    if (const auto both = overlap_of(table); both.first)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the rules for " + std::to_string(both.first->code) + " (" + range_text(*both.first) + ") and " +
                        std::to_string(both.second->code) + " (" + range_text(*both.second) + ") overlap",
                    "a rule holds values from min to below max: let one end where the next begins"};
    return table;
}

class_table by_method(gdalmcp::call& call, GDALDataset& source, GDALRasterBand& band, const real_values& real) {
    const auto how = call[method]->value;
    const auto declared = gdal::declared_kind(gdal::signs_of(band, false));
    if (declared && declared->kind == gdal::value_kind::angle)
        call.warn("the values are angles (" + declared->why + "), of which 359 and 1 are neighbours: " + how +
                  " knows no circle; give 'rules', two of them for the north");
    if (declared && declared->certain && declared->kind == gdal::value_kind::classes)
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            "band " + std::to_string(band.GetBand()) + " holds class codes, whose order means nothing to " + how,
            "give 'rules' that bring codes together"};
    if (kind_of(band) == kind::classes)
        call.warn("the values look like class codes, whose order means nothing to " + how +
                  "; 'rules' bring codes together");
    const auto wanted_classes = static_cast<std::size_t>(call[classes].value_or(how == "otsu" ? 2 : 5));
    const auto type = cell_type_of(band);
    const auto figures = statistics_of(type, gdal::nodata_rule_of(band).range);
    wanted what;
    if (how == "quantile")
        for (std::size_t k = 1; k < wanted_classes; ++k)
            what.percentiles.push_back(100.0 * static_cast<double>(k) / static_cast<double>(wanted_classes));
    if (how == "otsu" || how == "kmeans")
        what.bins = [&](std::size_t) {
            const double values = figures->max() - figures->min() + 1;
            return whole(type) && values <= bins ? static_cast<std::size_t>(values) : bins;
        };
    measure(source, {band.GetBand()}, {{0, 0, source.GetRasterXSize(), source.GetRasterYSize()}}, {figures.get()}, what,
            call.part(0, 0.4, "looking for breaks"));
    if (figures->counts().valid == 0)
        throw error{GDALMCP_INVALID_ARGUMENT, "the band has no valid cell to divide into classes",
                    "check its nodata value with raster_info"};
    const double lowest = figures->min(), highest = figures->max();
    if (lowest == highest)
        throw error{GDALMCP_INVALID_ARGUMENT, "every cell has the value " + gdal::number_text(real.of(lowest)),
                    "there is nothing to divide"};
    std::vector<double> found;
    if (how == "equal_interval") {
        found = equal_intervals(lowest, highest, wanted_classes);
    } else if (how == "quantile") {
        for (const double p : what.percentiles) found.push_back(figures->percentile(p));
    } else {
        const auto& counts = figures->histogram();
        const auto used =
            static_cast<std::size_t>(std::count_if(counts.begin(), counts.end(), [](auto n) { return n > 0; }));
        if (used < wanted_classes)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "the values fill " + std::to_string(used) + " of the " + std::to_string(counts.size()) +
                            " bins between " + gdal::number_text(real.of(lowest)) + " and " +
                            gdal::number_text(real.of(highest)) + ", fewer than the " + std::to_string(wanted_classes) +
                            " classes",
                        "ask for fewer 'classes', or declare outlying values as nodata with raster_convert"};
        found = least_variance({lowest, highest, counts}, wanted_classes);
    }
    std::set<double> inner;
    for (const double b : found)
        if (b > lowest) inner.insert(real.of(b));
    if (inner.size() + 1 < wanted_classes)
        call.warn(std::to_string(inner.size() + 1) + " classes instead of " + std::to_string(wanted_classes) +
                  ": one value holds more than a class's share of the cells");
    return by_breaks({inner.begin(), inner.end()}, std::min(real.of(lowest), real.of(highest)),
                     std::max(real.of(lowest), real.of(highest)));
}

class_table table_of(gdalmcp::call& call, GDALDataset& source, GDALRasterBand& band, const real_values& real) {
    const int ways = call.given(breaks) + call.given(rules) + call.given(method);
    if (ways != 1)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    ways == 0 ? "none of 'breaks', 'rules' and 'method' is given"
                              : "more than one of 'breaks', 'rules' and 'method' is given",
                    "give exactly one of them"};
    if (call[classes] && !call[method])
        throw error{GDALMCP_INVALID_ARGUMENT, "'classes' is given without 'method'",
                    "breaks and rules make the classes they describe; leave 'classes' out"};
    if (call[method]) return by_method(call, source, band, real);
    if (call.given(rules)) return by_rules(call);
    const auto given = *call[breaks];
    if (std::adjacent_find(given.begin(), given.end(), std::greater_equal<>{}) != given.end())
        throw error{GDALMCP_INVALID_ARGUMENT, "'breaks' do not ascend", "sort them, each once"};
    return by_breaks(given, {}, {});
}

// A code that no class has: 0, or the largest that is free.
std::int64_t free_code(const class_table& table) {
    std::set<std::int64_t> taken;
    for (const auto& r : table.rules()) taken.insert(r.code);
    if (!taken.count(0)) return 0;
    for (const std::int64_t last : {std::int64_t{255}, std::int64_t{65535}})
        if (*taken.rbegin() < last) return last;
    std::int64_t free = 65535;
    while (taken.count(free)) --free;
    return free;
}

// One class, of one rule or of several with its code.
struct result_class {
    std::int64_t code = 0;
    std::string label;
    std::vector<class_rule> of;
};

std::vector<result_class> classes_of(const class_table& table) {
    std::vector<result_class> all;
    for (const auto& r : table.rules()) {
        auto c = std::find_if(all.begin(), all.end(), [&](const auto& known) { return known.code == r.code; });
        if (c == all.end()) c = all.insert(all.end(), {r.code, "", {}});
        const auto named = r.label.empty() ? range_text(r) : r.label;
        if (c->of.empty() || c->of.back().label != r.label || r.label.empty())
            c->label += (c->label.empty() ? "" : ", ") + named;
        c->of.push_back(r);
    }
    return all;
}

void describe(GDALRasterBand& band, const std::vector<result_class>& all) {
    std::int64_t largest = 0;
    std::vector<double> codes;
    for (const auto& c : all) {
        largest = std::max(largest, c.code);
        codes.push_back(static_cast<double>(c.code));
    }
    GDALColorTable palette;
    for (const auto& [value, c] : class_colors(codes, std::vector<unsigned char>(codes.size(), 1))) {
        const GDALColorEntry entry{c[0], c[1], c[2], c[3]};
        palette.SetColorEntry(static_cast<int>(value), &entry);
    }
    band.SetColorTable(&palette);
    constexpr std::int64_t most_names = 255;  // the list has an entry for every code from 0 on
    if (largest > most_names) return;
    std::vector<std::string> names(static_cast<std::size_t>(largest) + 1);
    for (const auto& c : all) names[static_cast<std::size_t>(c.code)] = c.label;
    gdal::words categories;
    for (const auto& n : names) categories.add(n);
    band.SetCategoryNames(categories.get());
}

// The table for the cells as they are stored: 0.7 in a Float32 band is a little less than 0.7.
class_table as_stored(const class_table& table, GDALDataType type, const real_values& real) {
    if (type != GDT_Float32 || !real.as_stored()) return table;
    // GCC 12 joins the conversions of both limits in a vector, and then drops them.
    const auto limit = [](double v) {
        const volatile float stored = static_cast<float>(v);
        return static_cast<double>(stored);
    };
    auto all = table.rules();
    for (auto& r : all) {
        r.lowest = limit(r.lowest);
        r.highest = limit(r.highest);
    }
    return class_table{std::move(all)};
}

struct classified {
    std::int64_t missing = 0, outside = 0;
};
constexpr std::int32_t missing = -2;  // in the place of a code

// Real: in which values and limits are compared.
template <class Real, class Cell, class Code>
void classify_in(const gdal::block& b, const class_table& table, const real_values& real, Code none,
                 classified& counts) {
    constexpr int at_once = 512;  // cells
    std::array<Real, at_once> values;
    std::array<std::int32_t, at_once> codes;
    for (int row = 0; row < b.height; ++row)
        for (int first = 0; first < b.width; first += at_once) {
            const int count = std::min(at_once, b.width - first);
            const auto* cells = b.in<Cell>(0, row) + first;
            auto* out = b.out<Code>(0, row) + first;
            const Real* compared = values.data();
            if constexpr (std::is_same_v<Real, Cell>)
                if (real.as_stored()) compared = cells;
            if (compared == values.data())
                std::transform(cells, cells + count, values.begin(),
                               [&](Cell c) { return static_cast<Real>(real.of(static_cast<double>(c))); });
            table.codes_of(compared, static_cast<std::size_t>(count), codes.data());
            if (!b.all_valid(0)) {
                const auto* valid = b.valid(0, row) + first;
                for (int i = 0; i < count; ++i)
                    if (!valid[i]) codes[static_cast<std::size_t>(i)] = missing;
            }
            std::int32_t least = 0;
            for (int i = 0; i < count; ++i) {
                const auto code = codes[static_cast<std::size_t>(i)];
                out[i] = code < 0 ? none : static_cast<Code>(code);
                least = std::min(least, code);
            }
            if (least == 0) continue;
            for (int i = 0; i < count; ++i) {
                counts.missing += codes[static_cast<std::size_t>(i)] == missing;
                counts.outside += codes[static_cast<std::size_t>(i)] == -1;
            }
        }
}

template <class Cell, class Code>
void classify(const gdal::block& b, const class_table& table, const real_values& real, Code none, classified& counts) {
    if constexpr (std::is_same_v<Cell, float>)
        if (real.as_stored() && table.single()) return classify_in<float, Cell>(b, table, real, none, counts);
    classify_in<double, Cell>(b, table, real, none, counts);
}

void run(gdalmcp::call& call) {
    const auto opened = open_band(call, call[uri]);
    const auto& path = call[uri].path;
    const grid& on = opened.on;
    auto& band = opened.band;
    require_real(band);
    tell_lost_location(call, path, *opened.file);
    const real_values real{band.GetScale(), band.GetOffset()};
    if (!real.as_stored()) call.say("the band's scale and offset are applied");
    const auto table = table_of(call, *opened.file, band, real);
    warn_of_undeclared_nodata(call, path, band);
    warn_of_place(call, path, on);
    if (const auto doubt = unequal_cells(on); !doubt.empty()) call.warn(doubt);
    const auto none = free_code(table);
    const bool narrow = none <= 255 && std::all_of(table.rules().begin(), table.rules().end(),
                                                   [](const auto& r) { return r.code <= 255; });
    const auto type = narrow ? GDT_Byte : GDT_UInt16;

    const grid place = without_heights(on);
    raster_output out{call[output].path, place, type, 1};
    out.nodata(static_cast<double>(none));
    const auto made = classes_of(table);
    describe(out.band(1), made);
    gdal::block_job job;
    const bool single = fits_float32(band.GetRasterDataType());
    job.read(band, single ? GDT_Float32 : GDT_Float64);
    job.write(out.band(1), type);
    job.infinite_missing = true;
    const auto figures = statistics_of(narrow ? cell_type::uint8 : cell_type::uint16,
                                       {static_cast<double>(none), static_cast<double>(none), false});
    const auto areas = areas_of(call, on);
    std::optional<true_areas> per_run;
    if (areas) per_run.emplace(*areas);
    figures->count_classes(per_run ? &*per_run : nullptr, true);
    const auto size = job.size();
    figures->begin(size.blocks, size.workers, false);
    const auto limits = as_stored(table, band.GetRasterDataType(), real);
    std::vector<classified> counted(size.workers);
    job.run(call.part(0.4, 0.95, "classifying"), [&](const gdal::block& b) {
        auto& counts = counted[b.worker];
        if (narrow)
            single ? classify<float>(b, limits, real, static_cast<std::uint8_t>(none), counts)
                   : classify<double>(b, limits, real, static_cast<std::uint8_t>(none), counts);
        else
            single ? classify<float>(b, limits, real, static_cast<std::uint16_t>(none), counts)
                   : classify<double>(b, limits, real, static_cast<std::uint16_t>(none), counts);
        add_block(*figures, b, b.out<unsigned char>(0, 0));
    });
    report_infinite(call, job, path);
    figures->end();
    if (per_run) per_run->tell_missing(call);
    out.close();
    call.expect(output, expected_raster(place, 1, dtype_name(type)));

    std::vector<double> inner;
    if (!call.given(rules))
        for (std::size_t i = 1; i < table.rules().size(); ++i) inner.push_back(table.rules()[i].lowest);
    call.put(breaks_used, inner);
    call.begin(class_rows);
    for (const auto& c : made) {
        const auto found = figures->classes().find(c.code);
        const auto size_of_class = found == figures->classes().end() ? class_size{} : found->second;
        auto row = call.add(class_rows);
        row.put(code, c.code);
        row.put(label, c.label);
        if (c.of.size() == 1 && !std::isinf(c.of[0].lowest)) row.put(from, c.of[0].lowest);
        if (c.of.size() == 1 && !std::isinf(c.of[0].highest)) row.put(to, c.of[0].highest);
        row.put(count, size_of_class.count);
        const auto valid = static_cast<double>(std::max<std::int64_t>(1, figures->counts().valid));
        row.put(share, gdalmcp::significant(static_cast<double>(size_of_class.count) / valid, 6));
        if (!areas) continue;
        row.put(area_m2, size_of_class.area);
        row.put(area_ha, gdalmcp::significant(size_of_class.area / 1e4, 6));
    }
    classified all;
    for (const auto& c : counted) all.missing += c.missing, all.outside += c.outside;
    const auto empty = std::count_if(made.begin(), made.end(), [&](const auto& c) {
        return figures->classes().find(c.code) == figures->classes().end();
    });
    if (empty > 0 && !real.as_stored())
        call.warn(std::to_string(empty) + " of the " + std::to_string(made.size()) +
                  " classes have no cell: limits are real values, of stored ones × " + gdal::number_text(real.scale) +
                  (real.offset == 0 ? "" : " + " + gdal::number_text(real.offset)));
    call.put(nodata_count, all.missing);
    call.put(outside_count, all.outside);
    if (all.outside > 0)
        call.warn(std::to_string(all.outside) + " cells have a value that no " +
                  (call.given(rules) ? "rule holds" : "class holds"));
    call.put(nodata, none);
    call.put(dtype, dtype_name(type));
    put_grid(call, place);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_classify", "Classify a raster",
     "Class codes from the values of a band: by breaks, by rules or by a method that finds the breaks; cells, "
     "share and true area of each class.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, breaks, rules, method, classes, standard::band, output, subdataset, overwrite},
    {class_rows, breaks_used, nodata_count, outside_count, nodata, dtype, crs.all, width, height}};

}  // namespace gdalmcp_raster::raster_classify
