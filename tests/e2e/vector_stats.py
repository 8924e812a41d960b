"""vector_stats against Python's statistics and numpy; groups, nulls, order, text and dates; what it refuses."""
import csv
import json
import os
import statistics
import unittest

import numpy
from osgeo import gdal, ogr

from session import Claims, Session, good, problem

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")
WORLD = os.path.join(DATA, "world", "naturalearth_lowres.shp")


def csv_text(*rows):
    return "\n".join(",".join(map(str, row)) for row in rows) + "\n"


class vector_stats(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def write(self, name, *rows):
        with open(self.path(name), "w") as f:
            f.write(csv_text(*rows))
        return name

    def stats(self, **arguments):
        return good(self.session.call("vector_stats", arguments))

    def refused(self, **arguments):
        p = problem(self.session.call("vector_stats", {**arguments, "output": "no.csv"}))
        self.assertFalse(os.path.exists(self.path("no.csv")))
        return p

    def rows(self, name):
        with open(self.path(name)) as f:
            return list(csv.DictReader(f))

    def cities(self):
        return self.write("cities.csv", ["name", "land", "pop", "founded"], ["Ahaus", "x", 10, "1391-01-01"], ["Borken", "x", 30, "1226-01-01"],
                          ["Coesfeld", "y", 20, "1197-01-01"], ["Dülmen", "y", "", "1311-01-01"], ["Emden", "", 5, "0800-01-01"])

    def test_one_field(self):
        told = self.stats(uri=self.cities(), fields="pop", output="o.csv")
        (g, ) = told["groups"]
        self.assertEqual(g["figures"], {"count": 4, "sum": 65, "mean": 16.25, "median": 15, "stdev": round(statistics.pstdev([10, 30, 20, 5]), 11), "min": 5, "max": 30})
        self.assertEqual((g["rows"], g["nulls"], g["min_name"], g["max_name"], g["max_id"]), (5, 1, "Emden", "Borken", 2))
        self.assertEqual((told["row_count"], told["group_count"], told["name_field"], told["truncated"]), (5, 1, "name", False))
        self.assertEqual(self.rows("o.csv"), [{"features": "5", "pop_count": "4", "pop_sum": "65", "pop_mean": "16.25", "pop_median": "15",
                                               "pop_stdev": self.rows("o.csv")[0]["pop_stdev"], "pop_min": "5", "pop_max": "30"}])

    def test_of_values_that_are_equally_frequent_the_majority_is_the_least(self):
        self.write("tie.csv", ["c", "v"], ["y", 3], ["x", 2], ["y", 5], ["x", 4])
        figures = [g["figures"]["majority"] for g in self.stats(uri="tie.csv", fields=["c", "v"], statistics=["majority"])["groups"]]
        self.assertEqual(figures, ["x", 2])

    def test_a_sum_of_shares_that_is_asked_for_is_no_total(self):
        name = self.write("d.csv", ["name", "urban_pct", "people"], ["a", 20, 5], ["b", 60, 7])
        told = self.stats(uri=name, fields=["urban_pct", "people"], statistics=["sum"])
        self.assertIn("'urban_pct' is summed, but is called a share", " ".join(told["warnings"]))
        self.assertNotIn("'people' is summed", " ".join(told["warnings"]))
        self.assertNotIn("is summed", " ".join(self.stats(uri=name, fields=["urban_pct"])["warnings"]))

    def test_a_mean_of_shares_or_codes_that_is_asked_for_is_doubted(self):
        name = self.write("d.csv", ["name", "urban_pct", "land_code", "people"], ["a", 20, 11, 5], ["b", 60, 42, 7])
        told = " ".join(self.stats(uri=name, fields=["urban_pct", "land_code", "people"], statistics=["mean"])["warnings"])
        self.assertIn("'urban_pct' is averaged, but is called a share", told)
        self.assertIn("'land_code' is averaged, but is called a code", told)
        self.assertNotIn("'people' is", told)
        name = self.write("c.csv", ["name", "class"], ["a", 1], ["b", 2])
        self.assertIn("'class' is averaged, but is called a code", str(self.stats(uri=name, fields=["class"], statistics=["mean"])["warnings"]))
        name = self.write("f.csv", ["name", "FIPSNO"], ["a", 37009], ["b", 37005])
        self.assertIn("'FIPSNO' is averaged, but is called a code", str(self.stats(uri=name, fields=["FIPSNO"], statistics=["mean"])["warnings"]))

    def test_values_per_head_are_doubted_as_shares_are(self):
        per_head = ["gdpPercap", "income_per_capita", "gdp_pc", "births_per_1000", "pop_per_km2", "lifeExp", "life_expectancy"]
        others = ["capital", "sales_per_shop", "pcs", "lifetime"]
        fields = [*per_head, "avg_age", *others]
        name = self.write("p.csv", ["name", *fields], ["a", *range(len(fields))], ["b", *range(1, 1 + len(fields))])
        told = {s: " ".join(self.stats(uri=name, fields=fields, statistics=[s])["warnings"]) for s in ("sum", "mean")}
        for f in per_head:
            self.assertIn("'%s' is averaged, but is called a share, a density or a value per head" % f, told["mean"])
        for f in [*per_head, "avg_age"]:
            self.assertIn("'%s' is summed, but is called a share" % f, told["sum"])
        for f in others:
            self.assertNotIn("'%s' is" % f, told["sum"] + told["mean"])

    def test_a_share_is_known_by_a_word_of_its_name(self):
        shares = ["RATE_2010", "birthrate", "rateOfGrowth", "pop_dens", "proportion", "percentage", "mortality"]
        amounts = ["shares", "rated_power", "rations", "meanders", "means_of_transport", "indexed_n"]
        fields = shares + amounts
        name = self.write("w.csv", ["name", *fields], ["a", *range(len(fields))], ["b", *range(1, 1 + len(fields))])
        told = " ".join(self.stats(uri=name, fields=fields, statistics=["sum"])["warnings"])
        for f in fields:
            (self.assertIn if f in shares else self.assertNotIn)("'%s' is summed, but is called a share" % f, told)

    def test_coordinates_and_months_name_no_row(self):
        told = self.stats(uri=self.write("d.csv", ["lat", "ym", "v"], ["61°17'N", "2022-01", 1], ["59°10'N", "2022-02", 2]), fields="v")
        self.assertNotIn("min_name", told["groups"][0])
        told = self.stats(uri=self.write("s.csv", ["lat", "place", "v"], ["61°17'N", "A", 1], ["59°10'N", "A", 2]), fields="v")
        self.assertEqual((told["name_field"], told["groups"][0]["min_name"]), ("place", "A"))

    def test_codes_stay_text_in_a_table_of_groups(self):
        self.write("c.gpkg.csv", ["fips", "v"], ["37001", 1], ["37003", 2])
        good(self.session.call("vector_convert", {"uri": "c.gpkg.csv", "types": {"fips": "String"}, "output": "c.gpkg"}))
        self.stats(uri="c.gpkg", fields="v", by=["fips"], output="o.csv")
        (layer, ) = good(self.session.call("vector_info", {"uri": "o.csv"}))["layers"]
        self.assertEqual(layer["fields"][0], {**layer["fields"][0], "name": "fips", "type": "String"})

    def test_a_percentile_given_twice_is_one(self):
        told = self.stats(uri=self.cities(), fields="pop", statistics=["count"], percentiles=[50, 50], output="o.csv")
        self.assertEqual(told["groups"][0]["figures"], {"count": 4, "p50": 15})

    def test_a_number_that_marks_missing_values_is_warned_of(self):
        made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("t.gpkg"))
        layer = made.CreateLayer("t", None, ogr.wkbNone)
        layer.CreateField(ogr.FieldDefn("temp", ogr.OFTReal))
        for value in (12.5, -9999, 14.5):
            feature = ogr.Feature(layer.GetLayerDefn())
            feature["temp"] = value
            layer.CreateFeature(feature)
        del feature, layer, made
        told = self.stats(uri="t.gpkg", fields="temp", output="o.csv")
        self.assertIn("'temp' holds -9999 in 1 row, which usually marks a missing value", " ".join(told["warnings"]))
        told = self.stats(uri="t.gpkg", fields="temp", where="temp <> -9999", output="p.csv")
        self.assertEqual((told["groups"][0]["figures"]["mean"], told["warnings"]), (13.5, []))

    def test_rows_are_named_by_the_text_that_tells_them_apart(self):
        told = self.stats(uri=self.write("cantons.csv", ["district", "canton", "pop"], ["North", "Wiltz", 16], ["North", "Vianden", 5], ["South", "Esch", 180]), fields="pop")
        (g, ) = told["groups"]
        self.assertEqual((told["name_field"], g["min_name"], g["max_name"]), ("canton", "Vianden", "Esch"))

    def test_groups_stand_in_their_order_nulls_first(self):
        told = self.stats(uri=self.cities(), fields=["pop"], by="land", statistics=["sum", "max"], output="o.csv")
        self.assertEqual([(g["group"], g["rows"], g["nulls"], g["figures"]) for g in told["groups"]],
                         [([""], 1, 0, {"sum": 5, "max": 5}), (["x"], 2, 0, {"sum": 40, "max": 30}), (["y"], 2, 1, {"sum": 20, "max": 20})])
        self.assertEqual([(r["land"], r["features"], r["pop_sum"]) for r in self.rows("o.csv")], [("", "1", "5"), ("x", "2", "40"), ("y", "2", "20")])

    def test_groups_that_differ_in_spelling_only_are_named(self):
        def said(*places):
            told = self.stats(uri=self.write("p.csv", ["place", "v"], *([p, 1] for p in places)), fields="v", by="place", statistics="sum")
            return [w for w in told["warnings"] if "differ" in w]
        self.assertEqual(said("Paris", "Orl\u00e9ans", "paris ", "Orle\u0301ans", "Lyon"), [
            "2 groups differ from another in case, blanks, punctuation or accents only, the first 'Orle\u0301ans' and 'Orl\u00e9ans': if they mean one thing, "
            "make one spelling with vector_calc first (lower, trim, replace)"])
        self.assertEqual(said("A-1", "A1", "Nice", "Niece"), [])

    def test_order_and_limit(self):
        told = self.stats(uri=self.cities(), fields=["pop"], by=["land"], order="sum", limit=2)
        self.assertEqual([g["group"] for g in told["groups"]], [["x"], ["y"]])
        self.assertEqual((told["truncated"], told["group_count"]), (True, 3))

    def test_a_group_of_nulls_alone_has_no_figures(self):
        self.write("n.csv", ["k", "v"], ["a", 1], ["b", ""], ["b", ""])
        told = self.stats(uri="n.csv", fields=["v"], by=["k"], statistics=["sum", "mean", "max"])
        self.assertEqual([(g["nulls"], g["figures"]) for g in told["groups"]], [(0, {"sum": 1, "mean": 1, "max": 1}), (2, {})])
        self.write("all.csv", ["k", "v"], ["a", ""], ["b", ""])
        self.assertIn("'v' has no value in any of 2 rows", " ".join(self.stats(uri="all.csv", fields=["v"], statistics=["count"])["warnings"]))

    def test_text_and_dates(self):
        told = self.stats(uri=self.cities(), fields=["land", "founded"])
        land, founded = (g["figures"] for g in told["groups"])
        self.assertEqual(land, {"count": 5, "min": "", "max": "y", "variety": 3, "majority": "x"})
        self.assertEqual(told["warnings"], ["'land' is an empty text in 1 of 5 rows, which counts as a value; leave it out with 'where', as in land <> ''"])
        told = self.stats(uri="cities.csv", fields=["land"], where="land <> ''")
        self.assertEqual((told["groups"][0]["figures"]["count"], told["warnings"]), (4, []))
        self.assertEqual((founded["min"], founded["max"], founded["variety"]), ("0800-01-01", "1391-01-01", 5))

    def test_distinct_values_with_counts(self):
        told = self.stats(uri=self.cities(), fields=["land"], distinct=True, limit=2)
        self.assertEqual([(v["field"], v["value"], v["count"]) for v in told["values"]], [("land", "x", 2), ("land", "y", 2)])
        self.assertIn("of 3 values of 'land' the 2 most frequent", " ".join(told["warnings"]))

    def test_the_group_of_nulls_is_null_and_no_text(self):
        rows = [{"type": "Feature", "properties": {"g": g, "v": 1}, "geometry": None} for g in ("null", "null", None, "Null")]
        told = self.stats(uri={"type": "FeatureCollection", "features": rows}, fields=["v"], by=["g"], statistics=["count"], output="g.csv")
        self.assertEqual([(g["group"], g["rows"]) for g in told["groups"]], [([None], 1), (["Null"], 1), (["null"], 2)])
        self.assertEqual([row["g"] for row in self.rows("g.csv")], ["", "Null", "null"])
        self.assertIn("the first 'Null' and 'null'", " ".join(told["warnings"]))

    def test_percentiles_of_text_are_refused(self):
        p = self.refused(uri=self.cities(), fields=["name"], percentiles=[50])
        self.assertIn("'percentiles' asks for those of 'name', which is String", p["message"])

    def test_percentiles_are_numpys(self):
        self.write("p.csv", ["k", "v"], *[["a", v] for v in (1, 2, 4, 8, 16, 32)])
        told = self.stats(uri="p.csv", fields=["v"], percentiles=[5, 50, 99.5], statistics=["count"])
        wanted = numpy.percentile([1, 2, 4, 8, 16, 32], [5, 50, 99.5])
        self.assertEqual(told["groups"][0]["figures"], {"count": 6, **{p: round(float(v), 9) for p, v in zip(("p5", "p50", "p99.5"), wanted)}})

    def test_correlation_counts_rows_with_both(self):
        self.write("r.csv", ["a", "b", "c"], [1, 2, 7], [2, 4.5, 7], [3, 5, 7], [4, "", 7])
        told = self.stats(uri="r.csv", fields=["a", "b", "c"])
        self.assertEqual(told["correlations"], [{"a": "a", "b": "b", "count": 3, "r": round(float(numpy.corrcoef([1, 2, 3], [2, 4.5, 5])[0, 1]), 6)},
                                                {"a": "a", "b": "c", "count": 4}, {"a": "b", "b": "c", "count": 3}])

    def test_where(self):
        told = self.stats(uri=self.cities(), fields=["pop"], where="land = 'x'", statistics=["sum"])
        self.assertEqual((told["row_count"], told["filtered_count"], told["groups"][0]["figures"]), (2, 3, {"sum": 40}))
        p = self.refused(uri="cities.csv", fields=["pop"], where="land = 'z'")
        self.assertIn("none of 5 rows meets 'where'", p["message"])

    def test_numbers_kept_as_text_have_no_mean(self):
        self.write("t.csv", ["k", "v"], ["a", "1200 m"], ["b", "n/a"])
        p = self.refused(uri="t.csv", fields=["v"], statistics=["average"])
        self.assertIn("the mean of 'v', which is String", p["message"])
        self.assertIn("number(v)", json.dumps(p))

    def test_what_is_refused(self):
        self.assertIn("has no field 'population'", self.refused(uri=self.cities(), fields=["population"])["message"])
        self.assertIn("'distinct' and 'by'", self.refused(uri="cities.csv", fields=["pop"], by=["land"], distinct=True)["message"])
        self.assertIn("between 0 and 1", self.refused(uri="cities.csv", fields=["pop"], percentiles=[0.5, 0.9])["message"])
        self.assertIn("'order' is sum", self.refused(uri="cities.csv", fields=["land"], by=["land"], order="sum")["message"])

    def test_large_whole_numbers_are_said_to_be_rounded(self):
        self.write("big.csv", ["k", "v"], ["a", 9007199254740993], ["b", 1])
        self.assertIn("beyond 2^53", " ".join(self.stats(uri="big.csv", fields=["v"])["warnings"]))

    @unittest.skipUnless(os.path.exists(WORLD), "SKIPPED: world/naturalearth_lowres.shp is not among the test data")
    def test_countries_by_continent(self):
        session = Session(workspace=os.path.dirname(WORLD))
        self.addCleanup(session.close)
        told = good(session.call("vector_stats", {"uri": WORLD, "fields": ["pop_est", "gdp_md_est"], "by": "continent", "statistics": ["count", "sum", "mean", "median", "stdev", "stdev_sample"]}))
        by, world = {}, ogr.Open(WORLD)
        for f in world.GetLayer():
            by.setdefault(f["continent"], []).append((f["pop_est"], f["gdp_md_est"]))
        self.assertEqual(sorted({g["group"][0] for g in told["groups"]}), sorted(by))
        for g in told["groups"]:
            values = [v[g["field"] == "gdp_md_est"] for v in by[g["group"][0]]]
            wanted = {"count": len(values), "sum": sum(values), "mean": statistics.mean(values), "median": statistics.median(values),
                      "stdev": statistics.pstdev(values)}
            if len(values) > 1:
                wanted["stdev_sample"] = statistics.stdev(values)
            for name, value in wanted.items():
                self.assertAlmostEqual(g["figures"][name] / value if value else g["figures"][name], bool(value), delta=1e-11, msg=(g["group"], name))


if __name__ == "__main__":
    unittest.main()
