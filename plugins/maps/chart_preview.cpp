// chart_preview: the fields of a layer or table as a chart, with the numbers that it shows.
#include <algorithm>
#include <array>
#include <cmath>

#include "chart.hpp"
#include "field_classes.hpp"
#include "gdal_picture_result.hpp"
#include "ogr_chart_rows.hpp"
#include "tools.hpp"
#include "vector/ogr_whole_values.hpp"

namespace gdalmcp_maps::chart_preview {
namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace standard = gdalmcp::standard;
using gdalmcp_vector::uri;

constexpr std::size_t most_bars = 20, most_series = 6, most_points = 200;

const arg<gdalmcp::choice> kind{
    .name = "kind",
    .about =
        "histogram of 'field'; bars, one a value of 'by'; scatter of 'x' and 'y' with a fit; line of "
        "'y' over 'x'.",
    .values = {"histogram", "bars", "scatter", "line"},
    .synonyms = {{"hist", "histogram"},
                 {"bar", "bars"},
                 {"barchart", "bars"},
                 {"points", "scatter"},
                 {"lines", "line"},
                 {"timeseries", "line"}}};
const arg<std::optional<std::string>> of{.name = "field",
                                         .about = "Number, of histogram and bars (bars without it count rows)."};
const arg<std::optional<std::string>> by{.name = "by", .about = "Category: of bars, or of the series of line."};
const arg<std::optional<std::string>> x{.name = "x", .about = "Number or, of line, date."};
const arg<std::optional<std::string>> y{.name = "y", .about = "Number."};
const arg<std::optional<gdalmcp::choice>> wanted{
    .name = "statistic",
    .about = "Of 'field' in a bar, of 'y' for equal 'x' in a line. Default: mean.",
    .values = {"count", "sum", "mean", "median"},
    .synonyms = {{"avg", "mean"}, {"average", "mean"}, {"total", "sum"}}};
const arg<std::optional<std::int64_t>> bins{
    .name = "bins", .about = "Equal intervals from min to max. Default: round ones.", .min = 1, .max = 200};
const arg<std::vector<gdalmcp::choice>> logarithmic{.name = "log",
                                                    .about = "Logarithmic axes of numbers.",
                                                    .fallback = std::vector<gdalmcp::choice>{},
                                                    .values = {"x", "y"},
                                                    .or_single = true};
const arg<std::optional<std::string>> where{.name = "where", .about = "Condition in OGR SQL."};
const arg<std::optional<std::string>> unit{
    .name = "unit", .about = "Of 'field' or 'y', on the axis.", .max_length = 40};
const arg<std::optional<std::string>> x_unit{.name = "x_unit", .about = "Of 'x'.", .max_length = 40};
const arg<std::optional<std::string>> title{.name = "title", .about = "Written above.", .max_length = 120};

const field<std::int64_t> rows_read{"row_count", "Without 'filtered_count'", "rows"};
const field<std::int64_t> rows_drawn{"drawn_count", "In the chart", "rows"};
const auto filtered = field<std::int64_t>{"filtered_count", "Left out by 'where'", "rows"}.optional();
const field<std::int64_t> nulls{"nulls", "Left out: without a value", "rows"};
const auto not_finite = field<std::int64_t>{"not_finite", "Left out: NaN or infinite", "rows"}.optional();
const auto not_positive =
    field<std::int64_t>{"not_positive", "Left out: not above 0 on a logarithmic axis", "rows"}.optional();
const auto used = field<std::string>{"statistic", "Of bars and lines"}.optional();
const field<double> from{"from", "With it"}, to{"to", "Without it, but in the last bin"};
const field<std::int64_t> count{"count", "Rows"};
const auto shown_bins = gdalmcp::table{"bins", "Of histogram", {from, to, count}}.optional();
const field<std::string> name{"name", "Value of 'by'"};
const field<double> value{"value", "Of the statistic"};
const auto shown_bars = gdalmcp::table{"bars", "Of bars, from the top", {name, count, value}}.optional();
const field<double> slope{"slope", "y by x"}, intercept{"intercept", "y at x = 0"};
const auto r_squared = field<double>{"r_squared", "Absent if y is constant"}.optional();
const field<std::string> equation{"equation", "Rounded"};
const field<std::int64_t> pairs{"n", "Points"};
const auto fit =
    gdalmcp::record{"fit", "Least squares of scatter", {slope, intercept, r_squared, equation, pairs}}.optional();
const field<double> lowest{"min", "Of y"}, highest{"max", "Of y"};
const auto points_x = field<std::vector<std::string>>{"x", "Absent for more than 200 points"}.optional();
const auto points_y = field<std::vector<double>>{"y", "Of each x"}.optional();
const field<std::int64_t> point_count{"point_count", "Different x"};
const auto shown_series =
    gdalmcp::table{"series", "Of line", {name, count, point_count, lowest, highest, points_x, points_y}}.optional();
const auto x_range = field<std::vector<std::string>>{"x_range", "Of scatter and line"}.optional();
const auto y_range = field<std::vector<double>>{"y_range", "Of scatter"}.optional();

bool is_log(const gdalmcp::call& call, const char* which) {
    const auto all = call[logarithmic];
    return std::any_of(all.begin(), all.end(), [&](const auto& a) { return a.value == which; });
}

// Arguments that a kind of chart needs, and those that mean nothing to it.
void check_arguments(const gdalmcp::call& call, const std::string& chosen) {
    struct use {
        const char* name;
        bool given;
        const char* needed_by;  // kinds
        const char* taken_by;
    };
    const std::array<use, 6> all{{{"field", call.given(of), "histogram", "histogram bars"},
                                  {"by", call.given(by), "bars", "bars line"},
                                  {"x", call.given(x), "scatter line", "scatter line"},
                                  {"y", call.given(y), "scatter line", "scatter line"},
                                  {"bins", call.given(bins), "", "histogram"},
                                  {"statistic", call.given(wanted), "", "bars line"}}};
    std::string takes;
    for (const auto& a : all)
        if (std::string{a.taken_by}.find(chosen) != std::string::npos)
            takes += (takes.empty() ? "'" : ", '") + std::string{a.name} + "'";
    for (const auto& a : all) {
        const bool needed = std::string{a.needed_by}.find(chosen) != std::string::npos;
        const bool taken = std::string{a.taken_by}.find(chosen) != std::string::npos;
        if (a.given ? taken : !needed) continue;
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{"'"} + a.name + "' is " + (a.given ? "given" : "missing") + ", but 'kind' is " + chosen,
                    chosen + " takes " + takes};
    }
    if (is_log(call, "y") && (chosen == "histogram" || chosen == "bars"))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'log' names y, but " + std::string{chosen == "bars" ? "bars start" : "a histogram starts"} +
                        " at zero, which a logarithmic axis does not have",
                    "leave it out; of a histogram x may be logarithmic"};
    if (is_log(call, "x") && chosen == "bars")
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'log' names x, but bars start at zero, which a logarithmic axis does not have", "leave it out"};
}

statistic statistic_named(const std::string& s) {
    return s == "count"    ? statistic::count
           : s == "sum"    ? statistic::sum
           : s == "median" ? statistic::median
                           : statistic::mean;
}

std::string with_unit(const std::string& what, const std::optional<std::string>& given) {
    return given ? what + " (" + *given + ")" : what;
}

chart_frame frame_of(const gdalmcp::call& call) {
    chart_frame f{};
    if (const auto text = call[title]) f.heading.push_back(*text);
    return f;
}

void put_counts(gdalmcp::call& call, const row_counts& c, std::int64_t drawn, std::int64_t dropped = 0) {
    call.put(rows_read, c.read);
    call.put(rows_drawn, drawn);
    if (call.given(where)) call.put(filtered, c.filtered);
    call.put(nulls, c.nulls);
    if (c.not_finite > 0) call.put(not_finite, c.not_finite);
    if (dropped > 0) call.put(not_positive, dropped);
    if (c.nulls > 0) call.say("rows without a value: " + std::to_string(c.nulls) + ", left out");
}

[[noreturn]] void refuse_empty(const row_counts& c, std::int64_t dropped = 0) {
    throw error{GDALMCP_NOT_FOUND,
                "there is nothing to draw: of " + std::to_string(c.read + c.filtered) + " rows " +
                    std::to_string(c.filtered) + " are left out by 'where', " + std::to_string(c.nulls) +
                    " have no value, " + std::to_string(c.not_finite) + " are NaN or infinite" +
                    (dropped > 0 ? ", " + std::to_string(dropped) + " are not above 0" : ""),
                "vector_stats lists the values of a field (distinct: true)"};
}

struct finished_chart {
    canvas picture;
};

template <class Draw>
void attach(gdalmcp::call& call, chart_frame f, Draw draw) {
    attach_within_limit(call, [&](int longer, int) {
        f.longer = longer;
        return finished_chart{draw(f)};
    });
}

void draw_histogram(gdalmcp::call& call, OGRLayer& layer) {
    auto rows = numbers_of(call, layer, *call[of], call[where]);
    const bool log = is_log(call, "x");
    const auto positive = log ? std::upper_bound(rows.sorted.begin(), rows.sorted.end(), 0.0) : rows.sorted.begin();
    const std::int64_t dropped = positive - rows.sorted.begin();
    rows.sorted.erase(rows.sorted.begin(), positive);
    if (rows.sorted.empty()) refuse_empty(rows.counts, dropped);
    const auto asked = call[bins];
    const auto h = histogram_of(rows.sorted, asked ? std::optional{static_cast<std::size_t>(*asked)} : std::nullopt,
                                log, rows.whole);
    auto f = frame_of(call);
    f.x = log ? scale::logarithmic : scale::linear;
    f.x_title = with_unit(*call[of], call[unit]);
    f.y_title = "rows";
    attach(call, f, [&](const chart_frame& frame) { return histogram_chart(frame, h); });
    put_counts(call, rows.counts, static_cast<std::int64_t>(rows.sorted.size()), dropped);
    call.begin(shown_bins);
    for (std::size_t i = 0; i < h.counts.size(); ++i) {
        auto row = call.add(shown_bins);
        row.put(from, h.edges[i]);
        row.put(to, h.edges[i + 1]);
        row.put(count, h.counts[i]);
    }
}

void draw_bars(gdalmcp::call& call, OGRLayer& layer) {
    const auto asked = call[wanted];
    if (!call.given(of) && asked && asked->value != "count")
        throw error{GDALMCP_INVALID_ARGUMENT, "'statistic' is " + asked->value + ", but no 'field' is given",
                    "name the field of numbers that it is of, or leave 'statistic' out to count rows"};
    const auto chosen = asked ? asked->value : call.given(of) ? "mean" : "count";
    const auto rows = categories_of(call, layer, *call[by], call[of], chosen, call[where]);
    const auto bars = bars_of(rows.categories, statistic_named(chosen), most_bars, rows.ordered);
    if (bars.empty()) refuse_empty(rows.counts);
    if (chosen == "sum") gdalmcp_vector::warn_of_sum_of_rates(call, *call[of]);
    if (chosen == "mean") gdalmcp_vector::warn_of_mean_of_shares(call, *call[of]);
    auto f = frame_of(call);
    f.x_title = chosen == "count" ? "rows" + (call[of] ? " with " + *call[of] : std::string{})
                                  : with_unit(chosen + " of " + *call[of], call[unit]);
    f.y_title = *call[by];
    f.x_whole = chosen == "count";
    attach(call, f, [&](const chart_frame& frame) { return bar_chart(frame, bars); });
    std::int64_t drawn = 0;
    for (const auto& b : bars) drawn += b.rows;
    put_counts(call, rows.counts, drawn);
    call.put(used, chosen);
    call.begin(shown_bars);
    for (const auto& b : bars) {
        auto row = call.add(shown_bars);
        row.put(name, short_text(b.label));
        row.put(count, b.rows);
        row.put(value, b.value);
    }
    if (bars.back().others)
        call.say("the " + std::to_string(most_bars - 1) + " largest of " + std::to_string(rows.categories.size()) +
                 " categories have bars; the last is the " + chosen + " of all rows of the others");
    const auto empty = std::count_if(rows.categories.begin(), rows.categories.end(),
                                     [](const category& c) { return c.values.count() == 0; });
    if (empty > 0) call.say(std::to_string(empty) + " categories have no value and no bar");
}

// The pairs that the axes can show; returns how many they cannot.
std::int64_t drop_not_positive(const chart_frame& f, std::vector<point_row>& points) {
    const auto out = [&](const point_row& p) {
        return (f.x == scale::logarithmic && !(p.x > 0)) || (f.y == scale::logarithmic && !(p.y > 0));
    };
    const auto last = std::remove_if(points.begin(), points.end(), out);
    const std::int64_t dropped = points.end() - last;
    points.erase(last, points.end());
    return dropped;
}

// Titles and scales of a chart over x and y.
chart_frame frame_of(const gdalmcp::call& call, const pair_rows& rows) {
    auto f = frame_of(call);
    if (rows.time && is_log(call, "x"))
        throw error{GDALMCP_INVALID_ARGUMENT, "'log' names x, but '" + *call[x] + "' is a date", "leave it out"};
    f.x = rows.time ? scale::time : is_log(call, "x") ? scale::logarithmic : scale::linear;
    f.y = is_log(call, "y") ? scale::logarithmic : scale::linear;
    f.x_whole = rows.x_whole;
    f.y_whole = rows.y_whole;
    f.x_title = with_unit(*call[x], rows.utc ? std::optional<std::string>{"UTC"} : call[x_unit]);
    f.y_title = with_unit(*call[y], call[unit]);
    return f;
}

// A time of rows with zones is a moment, written in UTC.
std::string x_text(double v, const pair_rows& of) {
    if (!of.time) return gdalmcp::gdal::number_text(v);
    const auto text = time_text(v);
    if (!of.utc) return text;
    return text + (text.find('T') == std::string::npos ? "T00:00:00Z" : "Z");
}

void put_range(gdalmcp::call& call, const pair_rows& rows) {
    const auto [left, right] = std::minmax_element(rows.points.begin(), rows.points.end(),
                                                   [](const auto& a, const auto& b) { return a.x < b.x; });
    call.put(x_range, {x_text(left->x, rows), x_text(right->x, rows)});
}

std::string equation_text(const linear_fit& f) {
    return "y = " + short_number(f.slope) + " x " + (f.intercept < 0 ? "− " : "+ ") +
           short_number(std::abs(f.intercept));
}

void draw_scatter(gdalmcp::call& call, OGRLayer& layer) {
    auto rows = pairs_of(call, layer, *call[x], *call[y], std::nullopt, call[where]);
    if (rows.time)
        throw error{GDALMCP_INVALID_ARGUMENT, "'x' is the date '" + *call[x] + "', but 'kind' is scatter",
                    "kind: line draws values over dates"};
    auto f = frame_of(call, rows);
    const auto dropped = drop_not_positive(f, rows.points);
    if (rows.points.empty()) refuse_empty(rows.counts, dropped);
    std::vector<double> across, up;
    for (const auto& p : rows.points) {
        across.push_back(p.x);
        up.push_back(p.y);
    }
    const auto line = fit_of(across, up);
    const auto n = static_cast<std::int64_t>(rows.points.size());
    if (line)
        f.heading.push_back(
            equation_text(*line) +
            (line->r_squared ? ",  r² = " + short_number(gdalmcp::significant(*line->r_squared, 3)) : "") +
            ",  n = " + std::to_string(n));
    attach(call, f, [&](const chart_frame& frame) { return scatter_chart(frame, rows.points, line); });
    put_counts(call, rows.counts, n, dropped);
    put_range(call, rows);
    const auto [low, high] = std::minmax_element(up.begin(), up.end());
    call.put(y_range, {*low, *high});
    if (!line) {
        call.say(n < 2 ? "no line is fitted to one point" : "no line is fitted: x is the same in all rows");
        return;
    }
    auto to_put = call.at(fit);
    to_put.put(slope, line->slope);
    to_put.put(intercept, line->intercept);
    if (line->r_squared) to_put.put(r_squared, gdalmcp::significant(*line->r_squared, 6));
    to_put.put(equation, equation_text(*line));
    to_put.put(pairs, n);
    if (dropped > 0) call.say("the line is fitted to the rows drawn");
    if (f.x == scale::logarithmic || f.y == scale::logarithmic)
        call.say("the line is fitted to the values, not to their logarithms");
}

void put_series(gdalmcp::call& call, const std::vector<series>& all, const pair_rows& of) {
    std::size_t points = 0;
    for (const auto& s : all) points += s.x.size();
    call.begin(shown_series);
    for (const auto& s : all) {
        auto row = call.add(shown_series);
        row.put(name, short_text(s.name));
        row.put(count, s.rows);
        row.put(point_count, static_cast<std::int64_t>(s.x.size()));
        row.put(lowest, *std::min_element(s.y.begin(), s.y.end()));
        row.put(highest, *std::max_element(s.y.begin(), s.y.end()));
        if (points > most_points) continue;
        std::vector<std::string> at;
        for (const double v : s.x) at.push_back(x_text(v, of));
        row.put(points_x, at);
        row.put(points_y, s.y);
    }
}

void draw_line(gdalmcp::call& call, OGRLayer& layer) {
    auto rows = pairs_of(call, layer, *call[x], *call[y], call[by], call[where]);
    auto f = frame_of(call, rows);
    const auto asked = call[wanted];
    const auto chosen = asked ? asked->value : "mean";
    if (chosen == "count") f.y_title = "rows with " + *call[y];
    const auto dropped = drop_not_positive(f, rows.points);
    if (rows.points.empty()) refuse_empty(rows.counts, dropped);
    const auto all = series_of(rows.points, rows.names, statistic_named(chosen), most_series);
    std::int64_t drawn = 0, different = 0;
    for (const auto& s : all) {
        drawn += s.rows;
        different += static_cast<std::int64_t>(s.x.size());
    }
    const bool repeated = different < drawn;
    if (repeated && chosen == "sum") gdalmcp_vector::warn_of_sum_of_rates(call, *call[y]);
    if (repeated && chosen == "mean") gdalmcp_vector::warn_of_mean_of_shares(call, *call[y]);
    if (repeated && chosen != "count") f.y_title = with_unit(chosen + " of " + *call[y], call[unit]);
    f.y_whole = f.y_whole && (!repeated || chosen == "count" || chosen == "sum");
    attach(call, f, [&](const chart_frame& frame) { return line_chart(frame, all); });
    put_counts(call, rows.counts, drawn, dropped);
    if (repeated || asked) call.put(used, chosen);
    put_range(call, rows);
    put_series(call, all, rows);
    if (repeated) call.say("several rows have the same x; the " + chosen + " of '" + *call[y] + "' in them is drawn");
    if (rows.names.size() > all.size())
        call.warn("of " + std::to_string(rows.names.size()) + " series the " + std::to_string(all.size()) +
                  " with the most rows are drawn; 'where' chooses others");
    if (rows.utc) call.say("times are in UTC");
}

void run(gdalmcp::call& call) {
    const auto chosen = call[kind].value;
    check_arguments(call, chosen);
    const auto source = gdalmcp_vector::open_layer(call);
    if (chosen == "histogram") draw_histogram(call, *source.layer);
    if (chosen == "bars") draw_bars(call, *source.layer);
    if (chosen == "scatter") draw_scatter(call, *source.layer);
    if (chosen == "line") draw_line(call, *source.layer);
    call.progress(1);
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "chart_preview",
     .title = "Preview chart",
     .about = "Draws fields of a layer or table as a PNG chart and returns the numbers drawn: bins, bars, points, or "
              "the fitted line. Read-only.",
     .behaviour = GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, gdalmcp_vector::only_layer_name, kind, of, by, x, y, wanted, bins, logarithmic, where, unit, x_unit, title,
     size},
    {picture_width, picture_height, image_bytes, rows_read, rows_drawn, filtered, nulls, not_finite, not_positive, used,
     shown_bins, shown_bars, fit, shown_series, x_range, y_range}};

}  // namespace gdalmcp_maps::chart_preview
