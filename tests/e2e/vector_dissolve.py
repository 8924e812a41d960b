"""vector_dissolve against python3-gdal's unions, SQL and closed forms; groups of null, overlaps, and what it refuses."""
import os
import statistics
import unittest

from osgeo import gdal, ogr

import session
import vector_join
from session import Claims, Session, good, problem
from vector_measure import box, collection, polygon
from vector_overlay import rows_of, utm
from vector_traps import layer

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")
BOW_TIE = [[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]


def with_values(data, **columns):
    for name, values in columns.items():
        for feature, value in zip(data["features"], values):
            feature["properties"][name] = value
    return data


class vector_dissolve(Claims):
    grid = vector_join.vector_join.grid

    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def dissolve(self, **arguments):
        return good(self.session.call("vector_dissolve", arguments))

    def refused(self, **arguments):
        p = problem(self.session.call("vector_dissolve", {**arguments, "output": "no.gpkg"}))
        self.assertFalse(os.path.exists(self.path("no.gpkg")))
        return p

    def test_a_mean_of_shares_is_doubted(self):
        squares = with_values(utm((0, 0, 100, 100), (100, 0, 200, 100)), poverty_rate=[90, 10])
        told = self.dissolve(uri=squares, aggregate={"poverty_rate": ["mean"]}, output="o.gpkg")
        self.assertIn("'poverty_rate' is averaged, but is called a share", " ".join(told["warnings"]))

    def test_lines_and_points_that_lie_on_each_other_are_said(self):
        layer("LINESTRING (500000 0,501000 0)", "LINESTRING (501000 0,502000 0)", "LINESTRING (500500 0,501500 0)")(self.path("lines.gpkg"))
        told = self.dissolve(uri="lines.gpkg")
        self.assertIn("lines of one group lie on each other, where they count once: 3001 m before, 2001 m after", told["warnings"])
        layer("POINT (500000 0)", "POINT (500000 0)", "POINT (500000 0)", "POINT (500001 0)")(self.path("points.gpkg"))
        told = self.dissolve(uri="points.gpkg")
        self.assertIn("points of one group lie on each other, where one is left: 4 before, 2 after", told["warnings"])

    def test_groups_with_collections_have_a_layer_for_them(self):
        layer("GEOMETRYCOLLECTION (POLYGON ((500000 0,500100 0,500100 100,500000 100,500000 0)),LINESTRING (500100 0,500300 0))",
              "POLYGON ((500050 0,500200 0,500200 100,500050 100,500050 0))")(self.path("mixed.gpkg"))
        told = self.dissolve(uri="mixed.gpkg", output="o.gpkg")
        self.assertNotIn("ogr2ogr", str(told["warnings"]))
        file = ogr.Open(self.path("o.gpkg"))
        written = file.GetLayer(0)
        self.assertEqual(ogr.GeometryTypeToName(written.GetGeomType()), "Unknown (any)")
        feature = written.GetNextFeature()
        self.assertAlmostEqual(feature.GetGeometryRef().Area(), 20000, delta=1e-6)
        self.assertEqual(feature.GetGeometryRef().GetGeometryName(), "GEOMETRYCOLLECTION")

    def test_an_empty_text_has_its_place_in_the_key(self):
        squares = with_values(utm((0, 0, 100, 100)), c=[""], t=[2])
        self.assertEqual(self.dissolve(uri=squares, by=["c", "t"])["groups_first"][0]["key"], ", 2")

    def test_parts_that_overlap_are_repaired_to_what_they_cover(self):
        layer("MULTIPOLYGON (((500000 0,500010 0,500010 10,500000 10,500000 0)),((500005 5,500015 5,500015 15,500005 15,500005 5)))")(self.path("two.gpkg"))
        told = self.dissolve(uri="two.gpkg", repair=True)
        for name in ("area_m2", "area_before_m2"):
            self.assertAlmostEqual(told[name] * 0.9996 ** 2, 175, delta=0.1)

    def test_squares_side_by_side_become_one(self):
        squares = with_values(utm((0, 0, 100, 100), (100, 0, 200, 100), (500, 0, 600, 100)), zone=["x", "x", "y"], pop=[1, 2, 5])
        told = self.dissolve(uri=squares, by=["zone"], aggregate={"pop": ["sum", "mean"]}, output="o.gpkg")
        rows = rows_of(self.path("o.gpkg"))
        self.assertEqual([(r["zone"], r["pop_sum"], r["pop_mean"], r["features"], g.GetArea()) for r, g in rows], [("x", 3, 1.5, 2, 20000), ("y", 5, 5, 1, 10000)])
        self.assertEqual(rows[0][1].GetGeometryRef(0).GetGeometryRef(0).GetPointCount(), 7)  # no edge between them
        self.assertEqual((told["groups"], told["features_read"], told["overlap_m2"], told["null_groups"]), (2, 3, 0, 0))
        self.assertAlmostEqual(told["area_m2"] * 0.9996 ** 2 / 30000, 1, delta=1e-5)
        self.assertAlmostEqual(told["area_m2"] / told["area_before_m2"], 1, delta=1e-9)
        self.assertIn("1 of 1 groups", told["method"])
        self.assertEqual([r["key"] for r in told["groups_first"]], ["x", "y"])

    def test_a_sum_of_shares_is_doubted(self):
        squares = with_values(utm((0, 0, 100, 100), (100, 0, 200, 100)), pct_urban=[40, 60], pop=[1, 2])
        for aggregate, doubted in (({"pct_urban": "sum"}, True), ({"pct_urban": "mean", "pop": "sum"}, False)):
            told = self.dissolve(uri=squares, aggregate=aggregate, output="o.gpkg", overwrite=True)
            self.assertEqual("'pct_urban' is summed" in " ".join(told["warnings"]), doubted)

    def test_without_by_everything_is_one(self):
        told = self.dissolve(uri=utm((0, 0, 100, 100), (50, 0, 150, 100)), output="o.gpkg")
        ((row, shape), ) = rows_of(self.path("o.gpkg"))
        self.assertEqual((shape.GetArea(), row["features"], told["groups"]), (15000, 2, 1))
        self.assertAlmostEqual(told["overlap_m2"] * 0.9996 ** 2 / 5000, 1, delta=1e-4)
        self.assertIn("overlap", " ".join(told["warnings"]))
        self.assertIn("0 of 1 groups", told["method"])

    def test_null_is_a_group_of_its_own_and_no_empty_text(self):
        squares = with_values(utm(*((i, 0, i + 1, 1) for i in range(5))), zone=[None, "", None, "a", "null"], v=[1, None, 3, None, 7])
        told = self.dissolve(uri=squares, by="zone", aggregate={"v": ["count", "sum", "min"]}, output="o.gpkg")
        self.assertEqual([(r["zone"], r["features"], r["v_count"], r["v_sum"], r["v_min"]) for r, _ in rows_of(self.path("o.gpkg"))],
                         [(None, 2, 2, 4, 1), ("", 1, 0, None, None), ("a", 1, 0, None, None), ("null", 1, 1, 7, 7)])
        self.assertEqual((told["groups"], told["null_groups"]), (4, 1))
        self.assertIn("null", " ".join(told["warnings"]))
        self.assertIn("'v' is null in 2 of 5 features, which its sums leave out", told["warnings"])

    def test_statistics_are_those_of_python(self):
        values = [3, 1, 4, 1, 5, 9, 2, 6]
        words = ["sum", "mean", "min", "max", "count", "first", "last", "median", "stdev", "distinct"]
        squares = with_values(utm(*((i, 0, i + 1, 1) for i in range(8))), v=values, day=[f"2026-01-0{v}" for v in values])
        self.dissolve(uri=squares, aggregate={"v": words, "day": ["min", "max", "first"]}, output="o.gpkg")
        ((row, _), ) = rows_of(self.path("o.gpkg"))
        self.assertEqual([row[f"v_{w}"] for w in words if w != "stdev"], [31, 31 / 8, 1, 9, 8, 3, 6, 3.5, 7])
        self.assertAlmostEqual(row["v_stdev"], statistics.pstdev(values), delta=1e-12)
        self.assertEqual([str(row[f"day_{w}"]).replace("/", "-") for w in ("min", "max", "first")], ["2026-01-01", "2026-01-09", "2026-01-03"])

    def test_large_integers_stay_exact_or_are_refused(self):
        squares = with_values(utm((0, 0, 1, 1), (1, 0, 2, 1)), n=[2 ** 53, 1])
        self.dissolve(uri=squares, aggregate={"n": "sum"}, output="o.gpkg")
        self.assertEqual(rows_of(self.path("o.gpkg"))[0][0]["n_sum"], 2 ** 53 + 1)
        p = self.refused(uri=with_values(utm((0, 0, 1, 1), (1, 0, 2, 1)), n=[2 ** 63 - 1, 1]), aggregate={"n": "sum"})
        self.assertIn("64 bits", p["message"])

    def test_unions_are_those_of_ogr_on_a_grid(self):
        self.grid("a.gpkg", 12, 1000)
        told = self.dissolve(uri="a.gpkg", output="o.gpkg")
        all_of = ogr.Geometry(ogr.wkbMultiPolygon)
        for _, g in rows_of(self.path("a.gpkg")):
            all_of.AddGeometry(g)
        ((_, shape), ) = rows_of(self.path("o.gpkg"))
        expected = all_of.UnionCascaded()
        self.assertAlmostEqual(shape.GetArea(), expected.GetArea(), delta=1e-3)
        self.assertLess(shape.SymDifference(expected).GetArea(), 1e-3)
        self.assertIn("1 of 1 groups", told["method"])

    def test_lines_are_merged_and_measured_and_points_collected(self):
        lines = collection(*({"type": "LineString", "coordinates": [[500000 + x, 0], [500100 + x, 0]]} for x in (0, 100)), crs="EPSG:32633")
        told = self.dissolve(uri=lines, output="l.gpkg")
        self.assertAlmostEqual(told["length_m"] * 0.9996, 200, delta=1e-3)
        self.assertEqual(rows_of(self.path("l.gpkg"))[0][1].GetGeometryCount(), 1)
        self.dissolve(uri=collection(*({"type": "Point", "coordinates": [x, 1]} for x in (1, 2, 2))), output="p.gpkg")
        self.assertEqual(rows_of(self.path("p.gpkg"))[0][1].ExportToWkt(), "MULTIPOINT (1 1,2 1)")

    def test_what_cannot_be_grouped_is_refused(self):
        squares = utm((0, 0, 1, 1))
        self.assertIn("no field 'x'", self.refused(uri=squares, by=["x"])["message"])
        self.assertIn("String", self.refused(uri=squares, aggregate={"class": "mean"})["message"])
        self.assertIn("no statistic", self.refused(uri=squares, aggregate={"class": "mode"})["message"])
        p = self.refused(uri=collection(box(0, 0, 1, 1), polygon(BOW_TIE)))
        self.assertIn("ids 2", p["message"])
        self.assertEqual(self.dissolve(uri=collection(box(5, 5, 6, 6), polygon(BOW_TIE)), repair=True)["repaired_count"], 1)
        self.assertIn("mixes", self.refused(uri=collection(box(0, 0, 1, 1), {"type": "Point", "coordinates": [1, 1]}))["message"])

    def test_a_table_is_grouped_without_geometries(self):
        with open(self.path("t.csv"), "w", encoding="utf-8") as file:
            file.write("a,b\nx,1\ny,2\nx,3\n")
        told = self.dissolve(uri="t.csv", by=["a"], aggregate={"b": "sum"}, output="o.csv")
        with open(self.path("o.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read().replace("\r", "").replace('"', ""), "a,b_sum,features\nx,4,2\ny,2,1\n")
        self.assertEqual(told["groups"], 2)

    def test_real_countries_make_continents(self):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        for end in ("shp", "shx", "dbf", "prj", "cpg"):
            with open(os.path.join(DATA, "world", f"naturalearth_lowres.{end}"), "rb") as source, open(self.path(f"w.{end}"), "wb") as copy:
                copy.write(source.read())
        told = self.dissolve(uri="w.shp", by=["continent"], aggregate={"pop_est": "sum", "name": "count"}, repair=True, output="o.gpkg")
        source = gdal.OpenEx(self.path("w.shp"))
        result = source.ExecuteSQL("SELECT continent, SUM(pop_est) AS p, COUNT(*) AS n FROM w GROUP BY continent", dialect="SQLITE")
        expected = {f["continent"]: (f["p"], f["n"]) for f in result}
        source.ReleaseResultSet(result)
        self.assertEqual({r["continent"]: (r["pop_est_sum"], r["name_count"]) for r, _ in rows_of(self.path("o.gpkg"))}, expected)
        self.assertAlmostEqual(told["area_m2"] / told["area_before_m2"], 1, delta=1e-9)
        self.assertTrue(all(g.IsValid() for _, g in rows_of(self.path("o.gpkg"))))
        self.assertEqual((told["overlap_m2"], told["warnings"]), (0, []))


    def test_invalid_geometries_are_left_out_by_choice_and_named(self):
        bow_tie = [[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]
        source = collection(box(5, 5, 6, 6), polygon(bow_tie))
        self.assertIn("skip_failed: true", self.refused(uri=source)["hint"])
        told = self.dissolve(uri=source, skip_failed=True, output="o.gpkg")
        self.assertEqual((told["features_read"], told["failed_ids"], told["failed_count"]), (1, [2], 1))

if __name__ == "__main__":
    session.main()
