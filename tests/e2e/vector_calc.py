"""vector_calc against Python's arithmetic, pyproj's ellipsoid and ogr2ogr's SQL; nulls, dates, text, replaced fields; refusals."""
import datetime
import os
import subprocess
import unittest

import pyproj
from osgeo import gdal, ogr

from session import Claims, Session, good, problem
from vector_dissolve import with_values
from vector_measure import collection, polygon

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")
WORLD = os.path.join(DATA, "world", "naturalearth_lowres.shp")


def table(path):
    dataset = ogr.Open(path)
    layer = dataset.GetLayer()
    return [f.items() for f in layer], {d.name: d.GetTypeName() for d in layer.schema}


class vector_calc(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)
        with open(self.path("cities.csv"), "w") as f:
            f.write("name,pop,km2,founded,code\nAhaus,39000,151.2,1391-01-01,007\nBorken,42000,0,1226-01-01,008\nDülmen,,184.8,1311-01-01,009\n")

    def calc(self, fields, uri="cities.csv", output="o.gpkg", **more):
        told = good(self.session.call("vector_calc", {"uri": uri, "fields": fields, "output": output, "overwrite": True, **more}))
        return told, *table(self.path(output))

    def refused(self, fields, uri="cities.csv", **more):
        p = problem(self.session.call("vector_calc", {"uri": uri, "fields": fields, "output": "no.gpkg", **more}))
        self.assertFalse(os.path.exists(self.path("no.gpkg")))
        return p["message"]

    def test_a_field_that_case_tells_from_another_is_not_replaced(self):
        with open(self.path("n.geojson"), "w") as f:
            f.write('{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"n":1,"N":2},"geometry":null}]}')
        p = problem(self.session.call("vector_calc", {"uri": "n.geojson", "fields": {"N": "1"}, "output": "o.gpkg"}))
        self.assertIn("'n' and 'N' differ in case alone", p["message"])

    def test_numbers(self):
        told, rows, types = self.calc({"density": "pop / km2", "double": "pop * 2", "half": "pop / 2"})
        self.assertEqual([r["density"] for r in rows], [39000 / 151.2, None, None])
        self.assertEqual([r["double"] for r in rows], [78000, 84000, None])
        self.assertEqual([types[n] for n in ("density", "double", "half")], ["Real", "Integer64", "Real"])
        density = told["fields"][0]
        self.assertEqual((density["nulls"], density["undefined"], density["min"], density["max"]), (2, 1, 39000 / 151.2, 39000 / 151.2))
        self.assertIn("'density' is not defined in 1 of 3 rows", " ".join(told["warnings"]))
        self.assertEqual([r["name"] for r in rows], ["Ahaus", "Borken", "Dülmen"])

    def test_five_halves_are_two_and_a_half(self):
        _, rows, _ = self.calc({"r": "5 / 2", "k": "number(code) / 2"})
        self.assertEqual([(r["r"], r["k"]) for r in rows], [(2.5, 3.5), (2.5, 4), (2.5, 4.5)])

    def texts(self, name, **columns):
        """A table without geometry whose columns are text, as sheets have them."""
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(name))
        layer = file.CreateLayer("t", None, ogr.wkbNone)
        for column in columns:
            layer.CreateField(ogr.FieldDefn(column, ogr.OFTString))
        for values in zip(*columns.values()):
            f = ogr.Feature(layer.GetLayerDefn())
            for column, value in zip(columns, values):
                f[column] = value
            layer.CreateFeature(f)

    def test_numbers_and_dates_of_one_column_are_read_by_one_rule(self):
        self.texts("t.gpkg", people=["1.512.491", "980", "1.073.096"], m=["1,5", "1.234,5", "3"], us=["1,234.5", "1,234,567", "0.5"],
                   day=["31.01.2024", "24-01-31", "2024-01-31"])
        told, rows, _ = self.calc({"p": "number(people)", "m2": "number(m)", "u": "number(us)", "d": "date(day)"}, uri="t.gpkg")
        self.assertEqual([r["p"] for r in rows], [None, 980, None])
        self.assertEqual([r["m2"] for r in rows], [None, None, 3])
        self.assertEqual([r["u"] for r in rows], [1234.5, 1234567, 0.5])
        self.assertEqual([r["d"] for r in rows], [None, None, "2024/01/31"])
        self.assertEqual([f["undefined"] for f in told["fields"]], [2, 2, 0, 2])
        self.assertIn("feature 1 has people '1.512.491'", " ".join(told["warnings"]))
        # As the warnings say:
        plain = "number(replace(replace({}, '.', ''), ',', '.'))"
        date = "date(concat(substr({0}, 7, 4), '-', substr({0}, 4, 2), '-', left({0}, 2)))"
        for said in (plain.format("people") + " makes 1512491 of '1.512.491', one of 2 such texts",
                     plain.format("m") + " makes 1234.5 of '1.234,5', one of 2 such texts", date[5:-1].format("text")):
            self.assertIn(said, " ".join(told["warnings"]))
        told, rows, _ = self.calc({"p": plain.format("people"), "m2": plain.format("m"), "d": date.format("day")}, uri="t.gpkg", output="o2.gpkg")
        self.assertEqual([(r["p"], r["m2"]) for r in rows], [(1512491, 1.5), (980, 1234.5), (1073096, 3)])
        self.assertEqual(rows[0]["d"], "2024/01/31")

    def test_the_recipe_for_numbers_that_are_not_read_fits_them(self):
        self.texts("n.gpkg", **{"in acres": ["11,010", "1,193.91", "", None, "2,500"], "rate": ["12,5", "0,25", "", "3", "none"]})
        told, rows, _ = self.calc({"a": 'number("in acres")', "r": "number(rate)"}, uri="n.gpkg")
        self.assertEqual([(f["nulls"], f["undefined"]) for f in told["fields"]], [(4, 2), (4, 3)])
        a, r = told["warnings"]
        self.assertIn("""number(replace("in acres", ',', '')) makes 11010 of '11,010', one of 2 such texts""", a)
        self.assertIn("number(replace(rate, ',', '.')) makes 12.5 of '12,5', one of 2 such texts", r)
        told, rows, _ = self.calc({"a": """number(replace("in acres", ',', ''))"""}, uri="n.gpkg")
        self.assertEqual(([r["a"] for r in rows], told["warnings"]), ([11010, 1193.91, None, None, 2500], []))

    def test_what_is_undefined_within_a_function_is_counted(self):
        self.texts("d.gpkg", t=["2024-01-31", "31.01.2024", None, "2023"])
        told, rows, _ = self.calc({"y": "year(date(t))", "n": "coalesce(number(t), 0)", "w": "where(isnull(date(t)), 0, 1)",
                                   "safe": "where(startswith(t, '2024'), year(date(t)), 0)"}, uri="d.gpkg")
        self.assertEqual([(f["nulls"], f["undefined"]) for f in told["fields"]], [(3, 2), (0, 2), (0, 2), (1, 0)])
        warned = " ".join(told["warnings"])
        self.assertIn("'y' is not defined in 2 of 4 rows, which are null", warned)
        self.assertIn("'n' uses what is not defined in 2 of 4 rows, none of them null", warned)
        self.assertNotIn("'safe'", warned)

    def test_dates_of_times_with_an_offset_are_those_of_their_own_clock(self):
        with open(self.path("ny.csv"), "w") as f:
            f.write("id,ts\n" + "".join(f"{h},2023-12-31T{h:02}:15:00-05:00\n" for h in range(24)))
        told, rows, types = self.calc({"y": "year(ts)", "d": "date(ts)", "n": "day(adddays(ts, 0.5))", "later": "adddays(ts, 1)", "since": "days(ts, date(ts))"}, uri="ny.csv")
        self.assertEqual({(r["y"], r["d"]) for r in rows}, {(2023, "2023/12/31")})
        self.assertEqual([r["n"] for r in rows], [31] * 12 + [1] * 12)
        self.assertEqual(rows[23]["later"], "2024/01/01 23:15:00-05")
        self.assertAlmostEqual(rows[0]["since"], 5.25 / 24)
        self.assertIn("takes the date of each time by its own clock, not in UTC: 2023-12-31T19:15:00-05:00 is on 2023-12-31", " ".join(told["warnings"]))
        told, rows, _ = self.calc({"y": "year(ts)"}, uri="ny.csv", where="id < 19")
        self.assertEqual(told["warnings"], [])

    def test_text_truth_and_dates(self):
        _, rows, types = self.calc({"tag": "concat(upper(left(name, 2)), '-', code)", "large": "pop > 40000",
                                    "age": "2024 - year(founded)", "later": "adddays(founded, 31)",
                                    "kind": "where(isnull(pop), 'unknown', where(pop > 40000, 'large', 'small'))"})
        self.assertEqual([r["tag"] for r in rows], ["AH-007", "BO-008", "DÜ-009"])
        self.assertEqual([r["large"] for r in rows], [False, True, None])
        self.assertEqual([r["age"] for r in rows], [633, 798, 713])
        self.assertEqual([r["later"] for r in rows], ["1391/02/01", "1226/02/01", "1311/02/01"])
        self.assertEqual([r["kind"] for r in rows], ["small", "large", "unknown"])
        self.assertEqual([types[n] for n in ("tag", "large", "age", "later")], ["String", "Integer", "Integer64", "Date"])

    def test_a_field_is_replaced_by_what_was_computed_of_the_old_one(self):
        told, rows, types = self.calc({"pop": "pop / 1000", "twice": "pop * 2"})
        self.assertEqual([(r["pop"], r["twice"]) for r in rows], [(39, 78000), (42, 84000), (None, None)])
        self.assertEqual(sorted(types), ["code", "founded", "km2", "name", "pop", "twice"])

    def test_rows_outside_where_keep_what_they_have(self):
        told, rows, _ = self.calc({"pop": "pop + 1", "new": "1"}, where="name <> 'Borken'")
        self.assertEqual([(r["pop"], r["new"]) for r in rows], [(39001, 1), (42000, None), (None, 1)])
        self.assertEqual(told["not_computed"], 1)
        self.assertIn("give the new field another name", str(self.session.call("vector_calc", {"uri": "cities.csv", "fields": {"pop": "name"}, "where": "pop > 40000"})))

    def test_measures_are_those_of_the_ellipsoid(self):
        square = collection(polygon([[10, 50], [10.1, 50], [10.1, 50.1], [10, 50.1], [10, 50]]))
        told, rows, _ = self.calc({"a": "$area_m2", "p": "$perimeter_m", "x": "$x", "y": "$y", "id": "$fid", "l": "$length_m"}, uri=square)
        geod = pyproj.Geod(ellps="WGS84")
        # The edges along parallels are no geodesics: they are densified.
        xs = [10 + i / 1000 for i in range(101)] + [10.1] + [10.1 - i / 1000 for i in range(101)] + [10]
        ys = [50] * 101 + [50.1] + [50.1] * 101 + [50]
        area, perimeter = geod.polygon_area_perimeter(xs, ys)
        self.assertAlmostEqual(rows[0]["a"] / abs(area), 1, delta=1e-6)
        self.assertAlmostEqual(rows[0]["p"] / perimeter, 1, delta=1e-6)
        self.assertAlmostEqual(rows[0]["x"], 10.05, delta=1e-8)
        self.assertAlmostEqual(rows[0]["y"], 50.05, delta=1e-4)
        self.assertIsNone(rows[0]["l"])

    def test_lengths_are_those_of_the_plan_and_say_so(self):
        """A line of 1000 m in the plan that climbs 500 m: a length in space would be 1118 m."""
        slope = collection({"type": "LineString", "coordinates": [[0, 0, 0], [0, 1000 / 110574.4, 500]]})
        told, rows, _ = self.calc({"l": "$length_m"}, uri=slope)
        self.assertAlmostEqual(rows[0]["l"], 1000, delta=0.1)
        self.assertIn("heights (z) are ignored: lengths and areas are those of the plan", told["warnings"])
        told, _, _ = self.calc({"northing": "$y"}, uri=slope)
        self.assertNotIn("heights", " ".join(told["warnings"]))

    def test_a_bow_tie_is_measured_repaired(self):
        tie = collection(polygon([[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]))
        told, rows, _ = self.calc({"a": "$area_m2"}, uri=tie)
        self.assertGreater(rows[0]["a"], 6e9)
        self.assertIn("1 feature with invalid geometries", " ".join(told["warnings"]))

    def test_what_cannot_be_measured_is_left_out_with_skip_failed(self):
        far = collection(polygon([[177, 0], [-178, 0], [-178, 1], [177, 1], [177, 0]]), polygon([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]))
        self.assertIn("it cannot be measured: an edge goes from longitude 177 to -178", self.refused({"a": "$area_m2"}, uri=far))
        told, rows, _ = self.calc({"one": "1", "a": "$area_m2"}, uri=far, skip_failed=True)
        self.assertEqual((len(rows), told["failed_count"], told["feature_count"]), (1, 1, 1))
        self.assertGreater(rows[0]["a"], 1.2e10)
        self.assertEqual([f["nulls"] for f in told["fields"]], [0, 0])

    def test_measures_need_a_crs_and_say_so(self):
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("bare.gpkg"))
        layer = file.CreateLayer("bare", None, ogr.wkbPolygon)
        f = ogr.Feature(layer.GetLayerDefn())
        f.SetGeometry(ogr.CreateGeometryFromWkt("POLYGON ((0 0,2 0,2 2,0 0))"))
        layer.CreateFeature(f)
        del f, layer, file
        for measure in ("$area_m2", "$length_m", "$perimeter_m"):
            self.assertIn(f"the expression of 'a' names '{measure}', but layer 'bare' has no CRS", self.refused({"a": measure + " * 2"}, uri="bare.gpkg"))
        self.assertIn("names '$area', which is no field", self.refused({"a": "$area"}, uri="bare.gpkg"))
        _, rows, _ = self.calc({"a": "$x"}, uri="bare.gpkg")
        self.assertAlmostEqual(rows[0]["a"], 4 / 3)

    def test_infinite_values_count_as_null_and_are_counted(self):
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("inf.gpkg"))
        layer = file.CreateLayer("inf", None, ogr.wkbNone)
        layer.CreateField(ogr.FieldDefn("v", ogr.OFTReal))
        for v in (1, float("inf"), 5):
            f = ogr.Feature(layer.GetLayerDefn())
            f["v"] = v
            layer.CreateFeature(f)
        del f, layer, file
        told, rows, _ = self.calc({"w": "v * 2"}, uri="inf.gpkg")
        self.assertEqual([r["w"] for r in rows], [2, None, 10])
        self.assertIn("1 feature with infinite values in the fields used, which count as null there", told["warnings"])

    def test_mistakes(self):
        self.assertIn("the expression of 'a': 'popul' names 'popul', which is no field", self.refused({"a": "popul"}))
        self.assertIn("'upper' takes text, and is given a number", self.refused({"a": "upper(pop)"}))
        self.assertIn("the expression of 'a' cannot be read", self.refused({"a": "pop +"}))
        self.assertIn("is no text", self.refused({"a": 5}))
        self.assertIn("names '$area_m2', which is no field", self.refused({"a": "$area_m2"}))
        self.assertIn("is null in every row", self.refused({"a": "null()"}))
        self.assertIn("names no field", self.refused({}))

    def test_words_of_other_languages_lead_to_those_of_this_one(self):
        with open(self.path("w.csv"), "w") as f:
            f.write("a,d,t,pi\n1,2024-01-02,x,7\n")
        for expression, use in (("min(d, d)", "where(a < b, a, b)"), ("d + 1", "adddays(date, n)"), ("d - d", "days(a, b)"), ("t || 'x'", "concat(a, b)"), ("a <> 5", "use !="),
                                ("a is null", "use isnull(x)"), ("a in (5, 3)", "use x == 1 or x == 2"), ("t like 'x'", "use contains(text"), ("if(a > 1, 2, 3)", "use where("),
                                ("ifnull(a, 0)", "use coalesce(a, b)"), ("len(t)", "use length(text)"), ("mid(t, 1, 2)", "use substr("), ("power(a, 2)", "use pow(a, b)"),
                                ("ceiling(a)", "use ceil(x)"), ("int(a)", "use floor(x)"), ("greatest(a, 2)", "use max(a, b)"), ("Year(d)", "use year, in small letters"),
                                ("a / sum(a)", "vector_stats"), ("pi * 2", 'double quotes, "pi"')):
            with self.subTest(expression):
                self.assertIn(use, problem(self.session.call("vector_calc", {"uri": "w.csv", "fields": {"n": expression}}))["hint"])
        self.assertEqual(self.calc({"n": '"pi" * 2'}, uri="w.csv")[1][0]["n"], 14)

    def test_names_that_a_geopackage_uses_itself_are_refused(self):
        self.assertIn("'FID' is a column that GeoPackage has of its own", self.refused({"FID": "pop"}))

    def test_whole_numbers_that_doubles_round_are_refused(self):
        with open(self.path("big.csv"), "w") as f:
            f.write("k,v\na,9007199254740993\nb,1\n")
        self.assertIn("beyond 2^53", self.refused({"w": "v + 1"}, uri="big.csv"))
        self.assertIn("beyond 2^53", self.refused({"w": "v * 2 * 4503599627370496"}, uri="big.csv", where="k = 'b'"))

    def test_a_shapefile_keeps_its_results_under_the_names_it_can_hold(self):
        told, rows, _ = self.calc({"population_density": "pop / km2"}, uri=with_values(collection(polygon([[0, 0], [1, 0], [1, 1], [0, 0]])), pop=[4], km2=[2]), output="o.shp")
        self.assertEqual(rows[0][told["fields"][0]["name"]], 2)

    @unittest.skipUnless(os.path.exists(WORLD), "SKIPPED: world/naturalearth_lowres.shp is not among the test data")
    def test_countries_as_sqlite_computes_them(self):
        session = Session(workspace=[self.workspace, os.path.dirname(WORLD)])
        self.addCleanup(session.close)
        fields = {"per_head": "gdp_md_est * 1e6 / pop_est", "short": "upper(substr(name, 1, 3))", "class": "where(pop_est > 1e8, 'large', where(pop_est > 1e6, 'middle', 'small'))",
                  "n": "length(name)", "asia": "continent == 'Asia' and not contains(name, 'an')", "rounded": "round(pop_est / 1e6)"}
        good(session.call("vector_calc", {"uri": WORLD, "fields": fields, "output": "w.gpkg"}))
        sql = ("SELECT gdp_md_est * 1e6 / pop_est AS per_head, upper(substr(name, 1, 3)) AS short, CASE WHEN pop_est > 1e8 THEN 'large' WHEN pop_est > 1e6 THEN 'middle' "
               "ELSE 'small' END AS class, length(name) AS n, continent = 'Asia' AND instr(name, 'an') = 0 AS asia, round(pop_est / 1e6) AS rounded FROM naturalearth_lowres")
        subprocess.run(["ogr2ogr", "-q", "-f", "CSV", "-dialect", "sqlite", "-sql", sql, self.path("s.csv"), WORLD], check=True)
        ours, _ = table(self.path("w.gpkg"))
        theirs, _ = table(self.path("s.csv"))
        self.assertEqual(len(ours), 177)
        for a, b in zip(ours, theirs):
            self.assertAlmostEqual(a["per_head"] / float(b["per_head"]), 1, delta=1e-12)
            self.assertEqual((a["short"].encode("ascii", "ignore"), a["class"], str(a["n"]), str(int(a["asia"])), float(a["rounded"])),
                             (b["short"].encode("ascii", "ignore"), b["class"], b["n"], b["asia"], float(b["rounded"])))


if __name__ == "__main__":
    unittest.main()
