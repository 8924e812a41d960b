"""chart_preview: the numbers against numpy, statistics and dates of Python; the pictures as a person has looked at them."""
import base64
import collections
import datetime
import statistics
import unittest

import numpy
from osgeo import ogr

import golden
import rasters
import session
from session import Claims, Session, good, problem

DATA = rasters.TEST_DATA
BLUE, GRAY, WHITE = (68, 119, 170), (150, 150, 150), (255, 255, 255)


class chart_preview(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def write(self, name, header, rows):
        with open(self.path(name), "w") as f:
            f.write("\n".join([",".join(header)] + [",".join("" if v is None else str(v) for v in r) for r in rows]) + "\n")
        return name

    def draw(self, session=None, **arguments):
        """The answer, and the pixels [rows, columns, 3]."""
        result = (session or self.session).call("chart_preview", arguments)
        told = good(result)
        self.said = " ".join(c.get("text", "") for c in result["content"])
        self.png = next(base64.b64decode(b["data"]) for b in result["content"] if b["type"] == "image")
        self.assertEqual(len(self.png), told["image_bytes"])
        self.assertLessEqual(len(self.png), 400_000)
        pixels = rasters.pixels_of(self.png)[:3].transpose(1, 2, 0).astype(int)
        self.assertEqual(pixels.shape[:2], (told["height"], told["width"]))
        return told, pixels

    def golden(self, name):
        golden.compare(self, name, self.png)

    def numbers(self):
        v = numpy.random.default_rng(5).gamma(3, 12, 400).round(3)
        return v, self.write("v.csv", ["v", "w"], [(x, "") for x in v] + [(None, 1)])

    def test_the_mean_of_directions_is_warned_of(self):
        self.write("d.csv", ["at", "wind_dir", "speed"], [("a", 350, 3), ("a", 10, 4), ("b", 90, 5), ("b", 200, 6)])
        for field, statistic, warned in (("wind_dir", "mean", True), ("wind_dir", "count", False), ("speed", "mean", False)):
            told, _ = self.draw(uri="d.csv", kind="bars", field=field, by="at", statistic=statistic)
            self.assertEqual("direction" in str(told["warnings"]), warned, (field, statistic, told["warnings"]))

    def test_bins_asked_for_are_those_of_numpy(self):
        v, file = self.numbers()
        told, _ = self.draw(uri=file, kind="histogram", field="v", bins=13)
        counts, edges = numpy.histogram(v, bins=13)
        self.assertEqual([b["count"] for b in told["bins"]], counts.tolist())
        numpy.testing.assert_allclose([b["from"] for b in told["bins"]] + [told["bins"][-1]["to"]], edges, rtol=1e-12)
        self.assertEqual((told["row_count"], told["drawn_count"], told["nulls"]), (401, 400, 1))
        self.assertIn("rows without a value: 1", self.said)

    def test_a_field_without_any_value_is_said_to_have_none(self):
        """GDAL calls such a column of a table text."""
        self.write("t.csv", ["name", "y2020", "y2021"], [("a", 1, None), ("b", 2, None)])
        for arguments in ({"kind": "histogram", "field": "y2021"}, {"kind": "bars", "field": "y2021", "by": "name"},
                          {"kind": "scatter", "x": "y2020", "y": "y2021"}):
            p = problem(self.session.call("chart_preview", {"uri": "t.csv", **arguments}))
            self.assertEqual((p["error"], p["message"]), ("not_found", "there is nothing to draw: 'y2021' has no value in any of 2 rows"))

    def test_a_histogram_of_days_names_what_makes_numbers_of_them(self):
        self.write("d.csv", ["name", "d"], [("a", "2024-01-31"), ("b", "2025-02-01")])
        p = problem(self.session.call("chart_preview", {"uri": "d.csv", "kind": "histogram", "field": "d"}))
        self.assertEqual((p["message"], p["hint"]), ("field 'd' is Date, not a number",
                                                     "make a number of it first, by year(), month() or the like: vector_calc with {\"value\": \"year(d)\"}"))

    def test_bins_by_themselves_have_round_edges(self):
        v, file = self.numbers()
        told, pixels = self.draw(uri=file, kind="histogram", field="v", title="Depth of wells", unit="m")
        edges = [b["from"] for b in told["bins"]] + [told["bins"][-1]["to"]]
        self.assertEqual([b["count"] for b in told["bins"]], numpy.histogram(v, bins=edges)[0].tolist())
        self.assertEqual(set(numpy.diff(edges)), {10.0})
        self.assertTrue((pixels == BLUE).all(axis=2).any())
        self.golden("chart_histogram")

    def test_bins_of_a_logarithmic_axis_have_equal_ratios(self):
        file = self.write("v.csv", ["v", "w"], [(x, 1) for x in (0, -3, 1, 5, 10, 50, 900, 1000)])
        told, _ = self.draw(uri=file, kind="histogram", field="v", log="x", bins=3)
        numpy.testing.assert_allclose([b["from"] for b in told["bins"]], [1, 10, 100])
        self.assertEqual((told["drawn_count"], told["not_positive"]), (6, 2))

    def test_bars_count_and_the_rest_is_other(self):
        names = [f"n{i:02}" for i in range(25) for _ in range(30 - i)]
        file = self.write("n.csv", ["name", "v"], [(n, i) for i, n in enumerate(names)])
        told, pixels = self.draw(uri=file, kind="bars", by="name")
        expected = collections.Counter(names).most_common(19)
        self.assertEqual([(b["name"], b["count"], b["value"]) for b in told["bars"][:-1]], [(n, c, c) for n, c in expected])
        rest = len(names) - sum(c for _, c in expected)
        self.assertEqual(told["bars"][-1], {"name": "other (6)", "count": rest, "value": rest})
        self.assertEqual(told["drawn_count"], len(names))
        self.assertIn("the 19 largest of 25 categories", self.said)
        # The lengths of bars are as their numbers: the first bar 30, the tenth 21.
        blue = (abs(pixels - numpy.array(BLUE)).max(axis=2) < 3).sum(axis=1)
        runs = [max(blue[list(part)]) for part in numpy.split(numpy.arange(len(blue)), numpy.where(numpy.diff(blue > 20))[0] + 1) if blue[part[0]] > 20]
        self.assertAlmostEqual(runs[9] / runs[0], 21 / 30, delta=0.02)
        self.golden("chart_bars")

    def test_bars_of_means_medians_and_sums(self):
        rows = [("a", 1), ("a", 2), ("b", -7), ("c", 3.5), ("c", None), ("d", None)]
        file = self.write("n.csv", ["k", "v"], rows)
        for statistic, of in (("mean", statistics.mean), ("median", statistics.median), ("sum", sum), ("count", len)):
            told, _ = self.draw(uri=file, kind="bars", by="k", field="v", statistic=statistic)
            expected = {k: of([v for n, v in rows if n == k and v is not None]) for k in "abc"}
            self.assertEqual({b["name"]: b["value"] for b in told["bars"]}, expected)
            self.assertEqual((told["statistic"], told["nulls"], told["drawn_count"]), (statistic, 2, 4))
        self.assertIn("1 categories have no value", self.said)
        self.draw(uri=file, kind="bars", by="k", field="v", unit="m")
        self.golden("chart_bars_negative")

    def test_rows_without_a_category_are_left_out_and_empty_texts_are_one(self):
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("t.gpkg"))
        made = file.CreateLayer("t", None, ogr.wkbNone)
        made.CreateField(ogr.FieldDefn("k", ogr.OFTString))
        for k in ("a", "a", "", None, None, None):
            f = ogr.Feature(made.GetLayerDefn())
            if k is not None:
                f.SetField("k", k)
            made.CreateFeature(f)
        del made, file
        told, _ = self.draw(uri="t.gpkg", kind="bars", by="k")
        self.assertEqual([(b["name"], b["value"]) for b in told["bars"]], [("a", 2), ("(empty)", 1)])
        self.assertEqual((told["nulls"], told["drawn_count"], told["row_count"]), (3, 3, 6))

    def test_bars_of_years_stand_in_order(self):
        file = self.write("n.csv", ["year", "v"], [(2003, 1), (2001, 9), (2002, 4)])
        told, _ = self.draw(uri=file, kind="bars", by="year", field="v")
        self.assertEqual([b["name"] for b in told["bars"]], ["2001", "2002", "2003"])

    def test_the_fitted_line_is_that_of_numpy(self):
        rng = numpy.random.default_rng(2)
        x = rng.uniform(200, 900, 150).round(2)
        y = (12 - 0.0065 * x + rng.normal(0, 0.6, 150)).round(3)
        file = self.write("p.csv", ["height", "temperature"], [(5, None), (None, None)] + list(zip(x, y)))
        told, _ = self.draw(uri=file, kind="scatter", x="height", y="temperature", x_unit="m", unit="°C")
        slope, intercept = numpy.polyfit(x, y, 1)
        self.assertAlmostEqual(told["fit"]["slope"] / slope, 1, delta=1e-9)
        self.assertAlmostEqual(told["fit"]["intercept"] / intercept, 1, delta=1e-9)
        self.assertAlmostEqual(told["fit"]["r_squared"], numpy.corrcoef(x, y)[0, 1]**2, delta=1e-6)
        self.assertEqual((told["fit"]["n"], told["drawn_count"], told["nulls"]), (150, 150, 2))
        self.assertEqual(told["y_range"], [y.min(), y.max()])
        self.golden("chart_scatter")

    def test_on_logarithmic_axes_the_line_is_fitted_to_what_is_drawn(self):
        file = self.write("p.csv", ["x", "y"], [(0, 5), (1, 2), (10, 20), (100, 200), (1000, 2000)])
        told, _ = self.draw(uri=file, kind="scatter", x="x", y="y", log=["x", "y"])
        self.assertEqual((told["not_positive"], told["fit"]["n"]), (1, 4))
        self.assertAlmostEqual(told["fit"]["slope"], 2)

    def test_without_spread_no_line_is_fitted(self):
        file = self.write("p.csv", ["x", "y"], [(3, 1), (3, 2)])
        told, _ = self.draw(uri=file, kind="scatter", x="x", y="y")
        self.assertNotIn("fit", told)
        self.assertIn("x is the same in all rows", self.said)

    def test_a_series_over_dates(self):
        days = [datetime.date(2023, 1, 15) + datetime.timedelta(days=30 * i) for i in range(14)]
        rows = [(d, s, 10 * k + i) for i, d in enumerate(days) for k, s in enumerate(("north", "south", "west"))]
        file = self.write("s.csv", ["day", "station", "level"], rows[::-1] + [(days[0], "west", 40), (days[0], "west", None)])
        told, _ = self.draw(uri=file, kind="line", x="day", y="level", by="station", unit="cm", title="Levels")
        self.assertEqual([(s["name"], s["count"], s["point_count"]) for s in told["series"]], [("north", 14, 14), ("south", 14, 14), ("west", 15, 14)])
        self.assertEqual(told["series"][0]["x"], [d.isoformat() for d in days])
        self.assertEqual(told["series"][1]["y"], [10 + i for i in range(14)])
        self.assertEqual(told["series"][2]["y"][0], 30)  # the mean of 20 and 40
        self.assertEqual((told["statistic"], told["nulls"]), ("mean", 1))
        self.assertIn("several rows have the same x", self.said)
        self.golden("chart_line")

    def test_times_with_a_zone_are_drawn_in_utc(self):
        file = self.write("t.csv", ["t", "v"], [("2024-03-01T00:30:00+02:00", 1), ("2024-03-01T06:00:00+02:00", 2)])
        told, _ = self.draw(uri=file, kind="line", x="t", y="v")
        self.assertEqual(told["series"][0]["x"], ["2024-02-29T22:30:00Z", "2024-03-01T04:00:00Z"])
        self.assertEqual(told["x_range"], ["2024-02-29T22:30:00Z", "2024-03-01T04:00:00Z"])
        self.assertIn("times are in UTC", self.said)

    def test_of_many_series_the_largest_six_are_drawn(self):
        rows = [(x, f"s{s}", s) for s in range(8) for x in range(10 - s)]
        told, _ = self.draw(uri=self.write("s.csv", ["x", "s", "y"], rows), kind="line", x="x", y="y", by="s")
        self.assertEqual([s["name"] for s in told["series"]], [f"s{i}" for i in range(6)])
        self.assertEqual(told["warnings"], ["of 8 series the 6 with the most rows are drawn; 'where' chooses others"])

    def test_long_lines_are_drawn_without_listing_their_points(self):
        told, _ = self.draw(uri=self.write("l.csv", ["x", "y"], [(i, i % 7) for i in range(5000)]), kind="line", x="x", y="y")
        self.assertEqual((told["series"][0]["point_count"], told["series"][0]["max"]), (5000, 6))
        self.assertNotIn("x", told["series"][0])
        self.assertEqual(told["x_range"], ["0", "4999"])
        self.assertEqual(told["x_range"], ["0", "4999"]) if "x_range" in told else None

    def test_where_leaves_rows_out(self):
        told, _ = self.draw(uri=self.write("n.csv", ["k", "v"], [("a", 1), ("b", 2), ("b", 4)]), kind="bars", by="k", field="v", where="v > 1")
        self.assertEqual((told["filtered_count"], told["row_count"]), (1, 2))
        self.assertEqual(told["bars"], [{"name": "b", "count": 2, "value": 3}])

    def test_a_chart_of_noise_stays_below_400_kb(self):
        rng = numpy.random.default_rng(1)
        file = self.write("n.csv", ["x", "y"], rng.uniform(0, 1, (60_000, 2)).tolist())
        self.draw(uri=file, kind="scatter", x="x", y="y", size=1024)

    def test_what_cannot_be_drawn_is_refused_with_the_way_out(self):
        file = self.write("n.csv", ["k", "v", "d", "e"], [("a", 1, "2024-01-01", None), ("b", 2, "2024-01-02", None)])
        for arguments, words in (
                ({"kind": "histogram"}, "'field' is missing, but 'kind' is histogram"),
                ({"kind": "histogram", "field": "v", "x": "v"}, "'x' is given, but 'kind' is histogram"),
                ({"kind": "histogram", "field": "k"}, "field 'k' is String, not a number"),
                ({"kind": "histogram", "field": "u"}, "no field 'u'"),
                ({"kind": "histogram", "field": "v", "log": "y"}, "a histogram starts at zero"),
                ({"kind": "histogram", "field": "v", "where": "v > 9"}, "nothing to draw: of 2 rows 2 are left out by 'where'"),
                ({"kind": "bars"}, "'by' is missing"),
                ({"kind": "bars", "by": "k", "statistic": "sum"}, "'statistic' is sum, but no 'field' is given"),
                ({"kind": "scatter", "x": "v"}, "'y' is missing"),
                ({"kind": "scatter", "x": "d", "y": "v"}, "'x' is the date 'd', but 'kind' is scatter"),
                ({"kind": "line", "x": "d", "y": "v", "log": "x"}, "'d' is a date"),
                ({"kind": "line", "x": "k", "y": "v"}, "field 'k' is String, not a number or a date"),
                ({"kind": "pie", "by": "k"}, "'/kind' is")):
            with self.subTest(words):
                p = problem(self.session.call("chart_preview", {"uri": file, **arguments}))
                self.assertIn(words, p["message"])
                if "or a date" in words:
                    self.assertIn("date(concat(substr(k, 7, 4), '-', substr(k, 4, 2), '-', left(k, 2))) of 31.01.2024", p["hint"])

    @unittest.skipUnless(DATA, "GDAL_MCP_TEST_DATA is not set")
    def test_the_world(self):
        with Session(workspace=DATA) as s:
            told, _ = self.draw(uri="world/naturalearth_lowres.shp", kind="bars", by="continent", field="pop_est", statistic="sum", unit="people", session=s)
            self.assertEqual(told["bars"][0]["name"], "Asia")
            self.assertEqual(told["drawn_count"], 177)
            told, _ = self.draw(uri="world/naturalearth_lowres.shp", kind="scatter", x="pop_est", y="gdp_md_est", log=["x", "y"], session=s)
            self.assertEqual(told["fit"]["n"], told["drawn_count"])


if __name__ == "__main__":
    session.main()
