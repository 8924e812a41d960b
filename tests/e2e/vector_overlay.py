"""vector_overlay against python3-gdal's geometries and pyproj's areas; what adds up, what overlaps, what it refuses."""
import json
import math
import os
import unittest

from osgeo import gdal, ogr, osr
from pyproj import Geod, Transformer

import rasters
import session
import vector_join
from session import Claims, Session, good, problem
from vector_measure import box, collection, polygon
from vector_traps import layer

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")
WGS84 = Geod(ellps="WGS84")
BOW_TIE = [[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]


def utm(*boxes):
    """Boxes in metres from 500000, 0 of UTM zone 33N."""
    return collection(*(box(500000 + w, s, 500000 + e, n) for w, s, e, n in boxes), crs="EPSG:32633")


def rows_of(path):
    """(attributes, geometry) of all features, in order."""
    file = ogr.Open(path)
    return [(f.items(), f.GetGeometryRef().Clone()) for f in file.GetLayer(0)]


class vector_overlay(Claims):
    grid = vector_join.vector_join.grid

    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def overlay(self, **arguments):
        return good(self.session.call("vector_overlay", arguments))

    def refused(self, **arguments):
        p = problem(self.session.call("vector_overlay", {"operation": "intersection", **arguments, "output": "no.gpkg"}))
        self.assertFalse(os.path.exists(self.path("no.gpkg")))
        return p

    def test_two_squares_that_share_half(self):
        a, b = utm((0, 0, 200, 200), (1000, 0, 1100, 100)), utm((100, 0, 300, 200))
        expected = {"intersection": [(1, 1, 20000)], "identity": [(1, 1, 20000), (1, None, 20000), (2, None, 10000)],
                    "difference": [(1, None, 20000), (2, None, 10000)],
                    "union": [(1, 1, 20000), (1, None, 20000), (2, None, 10000), (None, 1, 20000)],
                    "symmetric_difference": [(1, None, 20000), (2, None, 10000), (None, 1, 20000)]}
        for operation, pieces in expected.items():
            told = self.overlay(a=a, b=b, operation=operation, output=operation + ".gpkg")
            rows = rows_of(self.path(operation + ".gpkg"))
            with self.subTest(operation):
                self.assertEqual([(r["a_fid"], r.get("b_fid"), g.GetArea()) for r, g in rows], pieces)
                self.assertAlmostEqual(told["area_m2"] * 0.9996 ** 2 / sum(p[2] for p in pieces), 1, delta=1e-5)
                self.assertEqual((told["overlaps"], told["slivers"]["count"], told["feature_count"]), ({"a": 0, "b": 0}, 0, len(pieces)))
                self.assertLess(abs(told["balance"].get("error", 0)), 1e-9)
                self.assertEqual("both layers have 'class': the joined one is called 'class_b'" in told["warnings"], operation != "difference")
                self.assertEqual([(r["class"], r.get("class_b")) for r, _ in rows], [({1: "a", 2: "b"}.get(p[0]), {1: "a"}.get(p[1])) for p in pieces])

    def test_pieces_are_those_of_ogr_on_two_grids(self):
        self.grid("a.gpkg", 10, 1000, seed=1)
        self.grid("b.gpkg", 9, 1100, seed=2, west=400350, south=5000250)
        a, b = ([(r["cell"], g) for r, g in rows_of(self.path(n))] for n in ("a.gpkg", "b.gpkg"))
        told = self.overlay(a="a.gpkg", b="b.gpkg", operation="union", output="u.gpkg")
        found = {(r["cell"], r["cell_b"]): g.GetArea() for r, g in rows_of(self.path("u.gpkg"))}
        expected = {(ca, cb): area for ca, ga in a for cb, gb in b if (area := ga.Intersection(gb).GetArea()) > 0}
        for layer, other, key in ((a, b, lambda c: (c, None)), (b, a, lambda c: (None, c))):
            for cell, g in layer:
                for _, o in other:
                    g = g.Difference(o)
                if g.GetArea() > 1e-6:
                    expected[key(cell)] = g.GetArea()
        self.assertEqual(set(found), set(expected))
        for key, area in expected.items():
            self.assertAlmostEqual(found[key], area, delta=1e-6)
        self.assertLess(abs(told["balance"]["error"]), 1e-9)
        self.assertAlmostEqual(told["area_m2"] / (told["balance"]["a_m2"] + told["balance"]["b_m2"] - told["balance"]["common_m2"]), 1, delta=1e-7)

    def test_degrees_and_mercator_are_reconciled_and_measured_on_the_ellipsoid(self):
        to = Transformer.from_crs("OGC:CRS84", "EPSG:3857", always_xy=True)
        ring = [list(to.transform(x, y)) for x, y in ((10.5, 60), (12, 60), (12, 61), (10.5, 61), (10.5, 60))]
        told = self.overlay(a=collection(box(10, 60, 11, 61)), b=collection(polygon(ring), crs="EPSG:3857"), operation="identity")
        half = abs(WGS84.polygon_area_perimeter([10 + k / 2000 for k in range(1001)] + [10.5 - k / 2000 for k in range(1001)], [60] * 1001 + [61] * 1001)[0])
        self.assertAlmostEqual(told["balance"]["common_m2"] / half, 1, delta=1e-5)
        self.assertAlmostEqual(told["area_m2"] / (2 * half), 1, delta=1e-5)
        self.assertIn("b transformed from EPSG:3857", told["method"])

    def test_neighbours_still_meet_in_another_crs(self):
        self.grid("b.gpkg", 8, 20000, seed=3)
        gdal.VectorTranslate(self.path("a.gpkg"), self.path("b.gpkg"), dstSRS="EPSG:3035")
        told = self.overlay(a="a.gpkg", b="b.gpkg", operation="identity")
        self.assertEqual(told["overlaps"], {"a": 0, "b": 0})
        self.assertLess(abs(told["balance"]["error"]), 1e-7)

    def test_overlaps_within_a_layer_are_said(self):
        told = self.overlay(a=utm((0, 0, 200, 200)), b=utm((0, 0, 100, 100), (50, 0, 150, 100)), operation="intersection")
        self.assertEqual((told["overlaps"], told["feature_count"]), ({"a": 0, "b": 1}, 2))
        self.assertRegex(" ".join(told["warnings"]), r"within 'b' overlap, by 500\d m², the first 1 and 2")
        told = self.overlay(a=utm((0, 0, 200, 200)), b=utm((0, 0, 100, 100), (50, 0, 150, 100)), operation="identity")
        self.assertAlmostEqual(told["balance"]["error"], -5000 / 40000, delta=1e-6)
        self.assertIn("not in balance (error -0.125): where features of b overlap", told["method"])
        for operation, b, balanced in (("identity", utm((0, 0, 100, 100)), True), ("intersection", utm((0, 0, 100, 100)), False)):
            told = self.overlay(a=utm((0, 0, 200, 200)), b=b, operation=operation)
            self.assertEqual("areas on the ellipsoid, in balance within 1e-6" in told["method"], balanced)
            self.assertNotIn("not in balance", told["method"])

    def test_what_rounding_makes_of_common_edges_is_no_overlap(self):
        """The pieces of a union are disjoint but for the last digits of their vertices; as a layer of the next overlay they overlap nowhere."""
        self.grid("a.gpkg", 8, 20000, seed=3)
        self.grid("b.gpkg", 7, 21000, seed=4)
        self.overlay(a="a.gpkg", b="b.gpkg", operation="union", output="u.gpkg")
        told = self.overlay(a="u.gpkg", b="b.gpkg", operation="intersection")
        self.assertEqual(told["overlaps"], {"a": 0, "b": 0})
        self.assertNotIn("overlap", " ".join(told["warnings"]))

    def test_features_of_which_a_repair_leaves_nothing_are_said(self):
        """A triangle, and one that is drawn out and back."""
        layer("POLYGON ((500000 0,500100 0,500100 100,500000 0))", "POLYGON ((500000 0,500050 50,500000 0))")(self.path("a.gpkg"))
        told = self.overlay(a="a.gpkg", b=utm((-10, -10, 200, 200)), operation="identity", repair=True)
        self.assertEqual(told["feature_count"], 1)
        self.assertIn("1 feature with invalid geometries were repaired first, which leaves nothing of 1", told["warnings"])
        told = good(self.session.call("vector_query", {"uri": "a.gpkg", "geometry": [499000, -100, 501000, 200]}))
        self.assertEqual(told["feature_count"], 1)
        self.assertIn("a repair leaves nothing of 1 feature that 'geometry' could match", told["warnings"])

    def test_slivers_are_counted_with_their_area(self):
        told = self.overlay(a=utm((0, 0, 1000, 1000)), b=utm((0, 0, 999, 1000)), operation="identity")
        self.assertEqual(told["slivers"]["count"], 1)
        self.assertAlmostEqual(told["slivers"]["area_m2"], 1000, delta=2)
        self.assertIn("4π", told["method"])
        thin = self.overlay(a=utm((0, 0, 1, 1000)), b=utm((-5, -5, 500, 2000)), operation="intersection")
        self.assertEqual(thin["slivers"]["count"], 0)

    def test_slivers_of_a_long_strip_are_counted_a_region_with_many_holes_is_none(self):
        # A road 5 m wide and 2 km long, and a strip of 1 cm of it.
        told = self.overlay(a=utm((0, 0, 2000, 5)), b=utm((0, 4.99, 2000, 400)), operation="intersection")
        self.assertEqual(told["slivers"]["count"], 1)
        holes = [(x * 20, y * 20, x * 20 + 10, y * 20 + 10) for x in range(50) for y in range(50)]
        told = self.overlay(a=utm((0, 0, 1000, 1000)), b=utm(*holes), operation="difference")
        self.assertEqual((told["slivers"]["count"], told["feature_count"]), (0, 1))

    def test_a_table_is_named_as_one(self):
        with open(self.path("t.csv"), "w", encoding="utf-8") as file:
            file.write("name,count\na,1\n")
        for sides in ({"a": "t.csv", "b": utm((0, 0, 1, 1))}, {"a": utm((0, 0, 1, 1)), "b": "t.csv"}):
            self.assertIn("layer 't' is a table without geometries", self.refused(**sides)["message"])

    def test_a_difference_has_nothing_of_b(self):
        told = self.overlay(a=utm((0, 0, 100, 100)), b=utm((0, 0, 50, 100), (0, 0, 50, 100)), operation="difference", output="d.gpkg")
        self.assertAlmostEqual(told["area_m2"] * 0.9996 ** 2, 5000, delta=0.1)
        self.assertEqual((told["overlaps"]["b"], told["fields"]), (1, []))
        self.assertNotIn("error", told["balance"])
        self.assertNotIn("overlap", " ".join(told["warnings"]))
        ((row, _),) = rows_of(self.path("d.gpkg"))
        self.assertEqual(row, {"class": "a", "a_fid": 1})

    def test_of_a_collection_the_polygons_are_cut_which_is_told(self):
        corner = lambda x, y: [500000 + x, y]
        mixed = {"type": "GeometryCollection", "geometries": [
            {"type": "Polygon", "coordinates": [[corner(0, 0), corner(50, 0), corner(50, 50), corner(0, 50), corner(0, 0)]]},
            {"type": "LineString", "coordinates": [corner(0, 0), corner(400, 0)]}, {"type": "Point", "coordinates": corner(1, 1)}]}
        for beside in (25, 900):
            told = self.overlay(a=collection(mixed, crs="EPSG:32633"), b=utm((beside, 0, beside + 50, 50)), operation="identity", output="c.gpkg", overwrite=True)
            self.assertIn("1 feature of 'a' is a collection: left out of the result are their lines and points", told["warnings"])
            self.assertEqual({ogr.GT_Flatten(g.GetGeometryType()) for _, g in rows_of(self.path("c.gpkg"))}, {ogr.wkbMultiPolygon})
            self.assertAlmostEqual(told["area_m2"] * 0.9996 ** 2, 2500, delta=0.1)

    def test_a_large_polygon_among_small_ones_overlaps_those_within_it_and_across_its_edge(self):
        # A ring of 1000 vertices around squares of 10 m; 21 x 21 of them.
        ring = [[500000 + 105 + 80 * math.cos(2 * math.pi * (i % 1000) / 1000), 105 + 80 * math.sin(2 * math.pi * (i % 1000) / 1000)] for i in range(1001)]
        squares = [(10 * x, 10 * y, 10 * x + 10, 10 * y + 10) for x in range(21) for y in range(21)]
        layer = utm(*squares)
        layer["features"].append({"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}})
        disc = ogr.CreateGeometryFromJson(json.dumps({"type": "Polygon", "coordinates": [ring]}))
        meets = sum(disc.Intersection(ogr.CreateGeometryFromWkt("POLYGON ((%f %f, %f %f, %f %f, %f %f, %f %f))" % (
            500000 + w, s, 500000 + e, s, 500000 + e, n, 500000 + w, n, 500000 + w, s))).GetArea() > 1e-6 for w, s, e, n in squares)
        told = self.overlay(a=layer, b=utm((1000, 0, 1001, 1)), operation="identity")
        self.assertEqual(told["overlaps"], {"a": meets, "b": 0})

    def test_lines_and_points_are_cut_by_polygons(self):
        road = collection({"type": "LineString", "coordinates": [[500000 - 100, 50], [500300, 50]]}, crs="EPSG:32633")
        told = self.overlay(a=road, b=utm((0, 0, 200, 200)), operation="identity", output="l.gpkg")
        self.assertEqual([(r["b_fid"], g.Length()) for r, g in rows_of(self.path("l.gpkg"))], [(1, 200), (None, 200)])
        self.assertAlmostEqual(told["length_m"] * 0.9996, 400, delta=1e-3)
        self.assertNotIn("area_m2", told)
        points = collection(*({"type": "Point", "coordinates": [500000 + x, 50]} for x in (50, 500)), crs="EPSG:32633")
        for operation, ids in {"intersection": [1], "difference": [2], "identity": [1, 2]}.items():
            self.overlay(a=points, b=utm((0, 0, 200, 200)), operation=operation, output=operation + ".gpkg")
            self.assertEqual([r["a_fid"] for r, _ in rows_of(self.path(operation + ".gpkg"))], ids)
        self.assertIn("unites", self.refused(a=road, b=utm((0, 0, 1, 1)), operation="union")["message"])
        self.assertIn("no polygons", self.refused(a=utm((0, 0, 1, 1)), b=road)["message"])

    def test_lines_and_points_on_a_shared_border_are_said_to_be_repeated(self):
        cells = utm((0, 0, 100, 100), (100, 0, 200, 100))
        road = collection({"type": "LineString", "coordinates": [[500100, 0], [500100, 80]]},
                          {"type": "LineString", "coordinates": [[500050, 50], [500150, 50]]}, crs="EPSG:32633")
        for operation in ("identity", "intersection"):
            told = self.overlay(a=road, b=cells, operation=operation)
            self.assertAlmostEqual(told["length_m"] * 0.9996, 260, delta=0.1)  # 80 m twice, 100 m once
            self.assertIn("1 feature of 'a' lies in several of 'b' at once, as along a border they share, and has a piece for each: "
                          "the lengths add up to 260.1 m, of which 80 m are repeated", told["warnings"])
        told = self.overlay(a=road, b=cells, operation="difference")
        self.assertIn("no pieces: 'b' covers all of 'a'", told["warnings"])
        self.assertNotIn("several", " ".join(told["warnings"]))
        points = collection(*({"type": "Point", "coordinates": [500000 + x, 50]} for x in (100, 150)), crs="EPSG:32633")
        told = self.overlay(a=points, b=cells, operation="identity")
        self.assertEqual(told["feature_count"], 3)
        self.assertIn("1 of the 3 points are repeated", " ".join(told["warnings"]))
        self.assertNotIn("repeated", " ".join(self.overlay(a=points, b=utm((0, 0, 300, 100)), operation="identity").get("warnings", [])))

    def test_pieces_shorter_than_a_line_that_runs_back_over_itself_are_said(self):
        there_and_back = collection({"type": "LineString", "coordinates": [[500010, 10], [500090, 10], [500050, 10]]}, crs="EPSG:32633")
        told = self.overlay(a=there_and_back, b=utm((0, 0, 50, 100)), operation="identity")
        self.assertAlmostEqual(told["length_m"], 80, delta=0.1)
        self.assertIn("the pieces are 40 m shorter than the lines of 'a'", " ".join(told["warnings"]))

    def test_a_difference_has_no_numbers_of_b(self):
        cells = utm((0, 0, 100, 100))
        cells["features"][0]["properties"] = {"cells": 7}
        told = self.overlay(a=utm((50, 0, 150, 100)), b=cells, operation="difference")
        self.assertNotIn("cells", " ".join(told.get("warnings", [])))
        self.assertIn("'cells'", " ".join(self.overlay(a=utm((50, 0, 150, 100)), b=cells, operation="identity")["warnings"]))

    def test_heights_and_measures_are_said_to_be_left_out_whatever_the_layer_declares(self):
        layer("LINESTRING Z (500000 50 1,500100 50 11)", "LINESTRING M (500000 60 1,500100 60 11)")(self.path("zm.gpkg"))
        for told in (self.overlay(a="zm.gpkg", b=utm((0, 0, 50, 100)), operation="intersection"),
                     good(self.session.call("vector_dissolve", {"uri": "zm.gpkg"}))):
            self.assertIn("heights (z) are left out (1 feature)", told["warnings"])
            self.assertIn("m values are left out (1 feature)", told["warnings"])

    def test_a_name_that_both_layers_have_is_warned_of_once(self):
        a, b = utm((0, 0, 200, 200)), utm((100, 0, 300, 200))
        for side in (a, b):
            side["features"][0]["properties"] = {"people": 12.5}
        self.assertIn("pieces keep the numbers of the whole ('people'): ", " ".join(self.overlay(a=a, b=b, operation="intersection")["warnings"]))

    def test_touching_is_nothing_in_common(self):
        told = self.overlay(a=utm((0, 0, 100, 100)), b=utm((100, 0, 200, 100)), operation="intersection")
        self.assertEqual((told["feature_count"], told["area_m2"]), (0, 0))
        self.assertIn("no pieces", " ".join(told["warnings"]))
        told = self.overlay(a=utm((0, 0, 100, 100)), b=utm((-10, -10, 200, 200)), operation="difference")
        self.assertIn("no pieces: 'b' covers all of 'a'", told["warnings"])

    def test_invalid_geometries_are_refused_by_id_or_repaired_by_choice(self):
        bad = collection(box(5, 5, 6, 6), polygon(BOW_TIE))
        p = self.refused(a=bad, b=collection(box(0, 0, 3, 3)))
        self.assertIn("ids 2", p["message"])
        self.assertIn("repair: true", p["hint"])
        told = self.overlay(a=bad, b=collection(box(0, 0, 3, 3)), operation="intersection", repair=True)
        self.assertEqual((told["repaired_count"], told["feature_count"]), (1, 1))
        self.assertIn("repaired", " ".join(told["warnings"]))

    def test_invalid_geometries_are_left_out_by_choice_and_named(self):
        bad = collection(box(0, 0, 1, 1), polygon(BOW_TIE))
        told = self.overlay(a=bad, b=collection(box(0, 0, 3, 3)), operation="intersection", skip_failed=True)
        self.assertEqual((told["feature_count"], told["failed_ids"], told["repaired_count"]), (1, [2], 0))
        self.assertIn("Self-intersection", " ".join(told["warnings"]))

    def test_a_layer_without_features_is_named(self):
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("none.gpkg"))
        file.CreateLayer("none", rasters.crs(32633), ogr.wkbPolygon)
        del file
        for operation in ("difference", "union", "intersection"):
            told = self.overlay(a=utm((0, 0, 100, 100)), b="none.gpkg", operation=operation)
            self.assertIn("layer 'b' has no features", told["warnings"])
        self.assertIn("layer 'a' has no features", self.overlay(a="none.gpkg", b=utm((0, 0, 100, 100)), operation="union")["warnings"])
        told = self.overlay(a=utm((0, 0, 100, 100)), b=utm((10, 0, 50, 100)), operation="difference")
        self.assertNotIn("no features", " ".join(told.get("warnings", [])))

    def test_of_a_damaged_file_its_own_way_out_is_named_and_works(self):
        driver = ogr.GetDriverByName("ESRI Shapefile")
        file = driver.CreateDataSource(self.path("bad.shp"))
        layer = file.CreateLayer("bad", rasters.crs(32633), ogr.wkbPolygon)
        for x in (500000, 500200, 500400):
            f = ogr.Feature(layer.GetLayerDefn())
            f.SetGeometry(ogr.CreateGeometryFromWkt(f"POLYGON (({x} 0,{x} 100,{x + 100} 100,{x + 100} 0,{x} 0))"))
            layer.CreateFeature(f)
        del f, layer, file
        os.truncate(self.path("bad.shp"), 100 + 136 * 2 + 20)
        p = self.refused(a=utm((0, 0, 1000, 50)), b="bad.shp")
        self.assertIn("is damaged at feature 2", p["message"])
        self.assertEqual(p["hint"], "get an intact copy of the file, or leave out what is damaged with skip_failed: true")
        told = self.overlay(a=utm((0, 0, 1000, 50)), b="bad.shp", operation="intersection", skip_failed=True)
        self.assertEqual(told["feature_count"], 2)
        self.assertIn("1 feature of 'b' left out", " ".join(told["warnings"]))

    def test_a_sliver_below_a_square_metre_has_an_area(self):
        told = self.overlay(a=utm((0, 0, 100, 100)), b=utm((99.999, 0, 200, 100)), operation="intersection")
        self.assertRegex(" ".join(told["warnings"]), r"1 sliver, \d{3,4} cm² in all")

    def test_a_datum_without_a_known_shift_is_warned_of(self):
        unknown = osr.SpatialReference()
        unknown.ImportFromProj4("+proj=longlat +ellps=intl +no_defs")
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("old.gpkg"))
        layer = file.CreateLayer("old", unknown, ogr.wkbPolygon)
        f = ogr.Feature(layer.GetLayerDefn())
        f.SetGeometry(ogr.CreateGeometryFromWkt("POLYGON ((0 0,2 0,2 2,0 2,0 0))"))
        layer.CreateFeature(f)
        del f, layer, file
        here = collection(box(1, 1, 3, 3))
        told = self.overlay(a="old.gpkg", b=here, operation="intersection", output="o.gpkg")
        self.assertIn("ballpark transformation", " ".join(told["warnings"]))
        joined = good(self.session.call("vector_join", {"target": here, "join": "old.gpkg", "predicate": "intersects", "output": "j.gpkg"}))
        self.assertIn("ballpark transformation", " ".join(joined["warnings"]))

    def test_layers_without_crs_and_tables_are_refused(self):
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("bare.gpkg"))
        layer = file.CreateLayer("bare", None, ogr.wkbPolygon)
        f = ogr.Feature(layer.GetLayerDefn())
        f.SetGeometry(ogr.CreateGeometryFromWkt("POLYGON ((0 0,1 0,1 1,0 0))"))
        layer.CreateFeature(f)
        del f, layer, file
        p = self.refused(a=utm((0, 0, 1, 1)), b="bare.gpkg")
        self.assertIn("(b) has no CRS", p["message"])
        self.assertIn("EPSG:32633", p["message"])

    def test_real_counties_overlaid_with_themselves_are_themselves(self):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        with open(os.path.join(DATA, "world", "nc_counties_nad27.gpkg"), "rb") as source, open(self.path("nc.gpkg"), "wb") as copy:
            copy.write(source.read())
        told = self.overlay(a="nc.gpkg", b="nc.gpkg", operation="union", output="o.gpkg")
        self.assertEqual(told["feature_count"], 100)
        self.assertTrue(all(r["a_fid"] == r["b_fid"] for r, _ in rows_of(self.path("o.gpkg"))))
        self.assertAlmostEqual(told["area_m2"] / told["balance"]["a_m2"], 1, delta=1e-9)
        self.assertEqual((told["overlaps"]["a"], told["slivers"]["count"]), (0, 0))


if __name__ == "__main__":
    session.main()
