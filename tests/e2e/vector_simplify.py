"""vector_simplify against OGR's own Simplify, distances on the ground by pyproj, and closed forms; and what it refuses."""
import math
import os
import subprocess
import unittest

import numpy
from osgeo import gdal, ogr
from pyproj import Geod

import session
from session import Claims, Session, good, problem
from vector_measure import box, collection, polygon, rows_of
from vector_validate import shapes_of
from vector_buffer import rings_of

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")
WGS84 = Geod(ellps="WGS84")


def line(*points):
    return {"type": "LineString", "coordinates": [list(p) for p in points]}


def union_of(shapes):
    all_of = ogr.Geometry(ogr.wkbMultiPolygon)
    for shape in shapes:
        for part in shape if shape.GetGeometryName() == "MULTIPOLYGON" else [shape]:
            all_of.AddGeometry(part)
    return all_of.UnionCascaded()


def simplified(shape, tolerance):
    """Each ring from its first vertex to the farthest and back: GEOS keeps the first by itself up to 3.11 only."""
    made = ogr.Geometry(ogr.wkbMultiPolygon)
    for part in shape if shape.GetGeometryName() == "MULTIPOLYGON" else [shape]:
        polygon = ogr.Geometry(ogr.wkbPolygon)
        for ring in part:
            points = numpy.array([p[:2] for p in ring.GetPoints()])
            far = numpy.hypot(*(points - points[0]).T).argmax()
            out = ogr.Geometry(ogr.wkbLinearRing)
            for stretch in (points[:far + 1], points[far:]):
                line = ogr.Geometry(ogr.wkbLineString)
                for x, y in stretch.tolist():
                    line.AddPoint_2D(x, y)
                for x, y in [p[:2] for p in line.Simplify(tolerance).GetPoints()][out.GetPointCount() > 0:]:
                    out.AddPoint_2D(x, y)
            polygon.AddGeometry(out)
        made.AddGeometry(polygon)
    return made


class vector_simplify(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session("--toolsets", "vector-more", workspace=self.workspace)
        self.addCleanup(self.session.close)

    def simplify(self, **arguments):
        return good(self.session.call("vector_simplify", arguments))

    def test_a_tolerance_in_metres_holds_on_the_ground(self):
        """At 60 degrees a bulge of 0.01 degrees is 558 m to the east and 1114 m to the north."""
        source = collection(line((0, 60), (0.01, 60.5), (0, 61)), line((0, 60), (0.5, 60.01), (1, 60)))
        for tolerance, vertices in ((500, 6), (600, 5), (1300, 4)):
            told = self.simplify(uri=source, tolerance=tolerance)
            self.assertEqual((told["vertices_before"], told["vertices_after"]), (6, vertices))
        self.assertEqual(self.simplify(uri=source, tolerance=0.6, unit="km")["tolerance_m"], 600)
        self.assertEqual(self.simplify(uri=source, tolerance=0.009, unit="crs")["vertices_after"], 6)

    def test_visvalingam_is_not_douglas_peucker(self):
        """A needle: far from the line, and a small triangle."""
        needle = collection(line((0, 0), (99, 0), (100, 30), (101, 0), (200, 0)), crs="EPSG:32633")
        self.assertEqual(self.simplify(uri=needle, tolerance=10)["vertices_after"], 5)
        told = self.simplify(uri=needle, tolerance=10, method="visvalingam", output="vw.gpkg")
        self.assertEqual(shapes_of(self.path("vw.gpkg"))[1].GetPoints(), [(0, 0), (200, 0)])
        self.assertEqual(told["vertices_after"], 2)

    def test_neighbours_keep_their_common_border(self):
        wave = [[1 + 0.01 * (i % 2), i / 20] for i in range(21)]
        left, right = polygon([[0, 0], *wave, [0, 1], [0, 0]]), polygon([[2, 0], [2, 1], *reversed(wave), [2, 0]])
        told = self.simplify(uri=collection(left, right), tolerance=5000, output="out.gpkg")
        found = shapes_of(self.path("out.gpkg"))
        self.assertEqual(found[1].Intersection(found[2]).GetArea(), 0)
        self.assertAlmostEqual(found[1].GetArea() + found[2].GetArea(), union_of(found.values()).GetArea(), delta=1e-12)
        self.assertEqual(union_of(found.values()).GetGeometryCount(), 1)
        self.assertEqual((told["arc_count"], told["vertices_after"]), (3, 10))
        self.assertAlmostEqual(told["area_before_m2"] / told["area_after_m2"], 1, delta=2e-5)

    def test_no_polygon_vanishes_unless_asked(self):
        source = collection(box(0, 0, 1, 1), box(5, 5, 5.0001, 5.0001))
        told = self.simplify(uri=source, tolerance=1000)
        self.assertEqual((told["feature_count"], told["collapsed_count"]), (2, 0))
        told = self.simplify(uri=source, tolerance=1000, preserve_topology=False, output="out.gpkg")
        self.assertEqual((told["feature_count"], told["collapsed_count"], told["lost_parts"]), (1, 1, 1))
        self.assertIn("smaller than the tolerance", " ".join(told["warnings"]))
        self.assertEqual(set(rows_of(self.path("out.gpkg"))), {1})

    def test_an_islet_in_a_bay_stays_outside(self):
        bay = polygon([[0, 0], [10, 0], [10, 10], [6, 10], [5, 2], [4, 10], [0, 10], [0, 0]])
        told = self.simplify(uri=collection(bay, box(4.99, 8, 5.01, 8.02), crs="EPSG:32633"), tolerance=9, output="out.gpkg")
        found = shapes_of(self.path("out.gpkg"))
        self.assertFalse(found[1].Intersects(found[2]))
        self.assertGreaterEqual(told["finer_count"], 1)
        alone = self.simplify(uri=collection(bay, crs="EPSG:32633"), tolerance=9)
        self.assertLess(alone["vertices_after"], 8)

    def test_only_the_stretch_that_gets_in_the_way_keeps_more_vertices(self):
        """A ragged shore far from the islet is as plain as without it."""
        ragged = [[1 + k / 100, -(k % 2)] for k in range(800)]
        bay = polygon([[0, 0], *ragged, [10, 0], [10, 10], [6, 10], [5, 2], [4, 10], [0, 10], [0, 0]])
        told = self.simplify(uri=collection(bay, box(4.99, 8, 5.01, 8.02), crs="EPSG:32633"), tolerance=9, output="out.gpkg")
        self.assertFalse(shapes_of(self.path("out.gpkg"))[1].Intersects(shapes_of(self.path("out.gpkg"))[2]))
        self.assertGreaterEqual(told["finer_count"], 1)
        self.assertLess(told["vertices_after"], 20)

    def test_no_vertex_is_farther_from_the_new_line_than_the_tolerance(self):
        """Waves closer to each other than the tolerance, so that stretches get in each other's way."""
        waves = [[[500000 + x, 5e6 + 10 * k + 100 * math.sin(x / 50 + 0.05 * k)] for x in range(0, 1000, 5)] for k in range(20)]
        told = self.simplify(uri=collection(*({"type": "LineString", "coordinates": w} for w in waves), crs="EPSG:32633"), tolerance=60, output="out.gpkg")
        lines = shapes_of(self.path("out.gpkg"))
        self.assertGreaterEqual(told["finer_count"], 5)
        self.assertLess(told["vertices_after"], told["vertices_before"] / 4)
        for i, wave in enumerate(waves):
            for x, y in wave:
                self.assertLessEqual(lines[i + 1].Distance(ogr.CreateGeometryFromWkt(f"POINT ({x!r} {y!r})")), 60.1)
        self.assertFalse([(i, k) for i in lines for k in lines if i < k and lines[i].Intersects(lines[k])])

    def test_corners_at_the_poles_stay(self):
        cells = collection(box(0, 75, 30, 90), box(30, 75, 60, 90), box(0, -90, 30, -75))
        for topology in (True, False):
            told = self.simplify(uri=cells, tolerance=10, preserve_topology=topology)
            self.assertAlmostEqual(told["area_after_m2"] / told["area_before_m2"], 1, delta=1e-9)

    def test_as_ogr_simplifies_feature_by_feature(self):
        source = os.path.join(DATA, "world", "nc_counties_nad27.gpkg")
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        subprocess.run(["cp", source, self.path("nc.gpkg")], check=True)
        self.simplify(uri="nc.gpkg", tolerance=0.02, unit="crs", preserve_topology=False, output="out.gpkg")
        theirs, ours = shapes_of(source), shapes_of(self.path("out.gpkg"))
        for i, shape in theirs.items():
            expected = simplified(shape, 0.02)
            if expected.IsValid() and shape.GetGeometryCount() == 1:
                self.assertAlmostEqual(ours[i].SymDifference(expected).GetArea(), 0, delta=1e-9, msg=i)

    def test_real_counties_stay_a_coverage_within_the_tolerance(self):
        source = os.path.join(DATA, "world", "nc_counties_nad27.gpkg")
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        subprocess.run(["cp", source, self.path("nc.gpkg")], check=True)
        clarke = Geod(ellps="clrk66")
        for method in ("douglas-peucker", "visvalingam"):
            told = self.simplify(uri="nc.gpkg", tolerance=2, unit="km", method=method, output="out.gpkg", overwrite=True)
            before, after = shapes_of(source), shapes_of(self.path("out.gpkg"))
            self.assertTrue(all(g.IsValid() for g in after.values()))
            self.assertAlmostEqual(sum(g.GetArea() for g in after.values()) / union_of(after.values()).GetArea(), 1, delta=1e-6)
            self.assertLess(told["vertices_after"], told["vertices_before"])
            corners = {tuple(p) for g in before.values() for r in rings_of(g) for p in r}
            self.assertLessEqual({tuple(p) for g in after.values() for r in rings_of(g) for p in r}, corners)
            if method == "visvalingam":
                continue
            for i in list(before)[::10]:
                dense = numpy.concatenate([a + (b - a) * numpy.linspace(0, 1, 200)[:, None] for r in rings_of(after[i]) for a, b in zip(r, r[1:])])
                for ring in rings_of(before[i]):
                    for lon, lat in ring:
                        far = clarke.inv(numpy.full(len(dense), lon), numpy.full(len(dense), lat), dense[:, 0], dense[:, 1])[2].min()
                        self.assertLess(far, 2010)

    def test_what_it_refuses_and_leaves_out(self):
        p = problem(self.session.call("vector_simplify", {"uri": collection({"type": "Point", "coordinates": [0, 0]}), "tolerance": 1, "output": "no.gpkg"}))
        self.assertIn("points", p["message"])
        self.assertEqual(self.files(), set())
        told = self.simplify(uri=collection(line((0, 0, 5), (1, 1, 5), (2, 0, 7)), None), tolerance=10)
        self.assertIn("heights", " ".join(told["warnings"]))
        self.assertEqual((told["without_geometry"], told["feature_count"]), (1, 2))


if __name__ == "__main__":
    session.main()
