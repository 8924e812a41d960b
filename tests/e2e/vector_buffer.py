"""vector_buffer against pyproj's geodesics, closed forms and ogr2ogr's SpatiaLite; and what it refuses."""
import json
import math
import os
import subprocess
import unittest

import numpy
from osgeo import gdal, ogr, osr
from pyproj import Geod, Transformer

import session
from raster_traps import zone_area
from session import Claims, Session, good, problem
from vector_measure import BOW_TIE, box, collection, polygon, rows_of
from vector_validate import shapes_of

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")
WGS84 = Geod(ellps="WGS84")


def point(x, y):
    return {"type": "Point", "coordinates": [x, y]}


def rings_of(shape):
    if shape.GetGeometryName() == "LINEARRING":
        yield numpy.array([p[:2] for p in shape.GetPoints()])
    for part in shape if shape.GetGeometryCount() else ():
        yield from rings_of(part)


def away(ring, line):
    """Metres from each point of a ring to the nearest of a densely sampled line, lon/lat."""
    found = []
    for lon, lat in ring:
        near = line[numpy.argsort(numpy.hypot(((line[:, 0] - lon + 180) % 360 - 180) * math.cos(math.radians(lat)), line[:, 1] - lat))[:400]]
        found.append(min(WGS84.inv(numpy.full(len(near), lon), numpy.full(len(near), lat), near[:, 0], near[:, 1])[2]))
    return numpy.array(found)


def dense(corners, pieces):
    return numpy.array([(a[0] + (b[0] - a[0]) * k / pieces, a[1] + (b[1] - a[1]) * k / pieces) for a, b in zip(corners, corners[1:]) for k in range(pieces + 1)])


def on_seam(ring):
    return (abs(abs(ring[:, 0]) - 180) < 1e-9) | (abs(abs(ring[:, 1]) - 90) < 1e-9)


def middles(ring):
    return (ring[:-1] + ring[1:]) / 2


class vector_buffer(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def buffer(self, **arguments):
        return good(self.session.call("vector_buffer", arguments))

    def refusal(self, **arguments):
        p = problem(self.session.call("vector_buffer", {"output": "no.gpkg", **arguments}))
        self.assertNotIn("no.gpkg", self.files())
        return p

    def test_a_point_has_a_geodesic_circle_anywhere(self):
        """At 60 degrees north, over the antimeridian, around both poles: every corner is 10 km away."""
        places = [(10, 60), (179.99, 10), (0, 89.95), (45, -90), (-180, 0), (0, 0)]
        told = self.buffer(uri=collection(*(point(*p) for p in places)), distance=10, unit="km", output="out.gpkg")
        self.assertEqual((told["distance_m"], told["buffered_count"]), (10000, 6))
        self.assertLess(told["distance_error"], 2e-4)
        chords = 64 / 2 * math.sin(2 * math.pi / 64) * 1e8  # of the inscribed 64-gon
        for i, shape in shapes_of(self.path("out.gpkg")).items():
            corners = numpy.concatenate([r[~on_seam(r)] for r in rings_of(shape)])
            lon, lat = places[i - 1]
            far = WGS84.inv(numpy.full(len(corners), lon), numpy.full(len(corners), lat), corners[:, 0], corners[:, 1])[2]
            with self.subTest(place=places[i - 1]):
                self.assertTrue(shape.IsValid())
                self.assertAlmostEqual(max(far), 10000, delta=1e-3)
                self.assertGreater(min(far), 10000 * math.cos(math.pi / 64) - 1)
        self.assertAlmostEqual(told["area_m2"] / (6 * chords), 1, delta=2e-4)

    def test_a_circle_around_a_pole_has_no_seam_but_180(self):
        """Wherever its ring begins: one part, whose outline is 64 chords of a circle of 5 km."""
        for at in ((10, 89.99), (-45, 89.99), (100, -89.99), (0, -89.99)):
            self.buffer(uri=collection(point(*at)), distance=5000, output="out.gpkg", overwrite=True)
            self.assertEqual(shapes_of(self.path("out.gpkg"))[1].GetGeometryCount(), 1)
            told = good(self.session.call("vector_measure", {"uri": "out.gpkg"}))
            self.assertAlmostEqual(told["perimeter_m"], 64 * 2 * 5000 * math.sin(math.pi / 64), delta=2)

    def test_wide_circles_hold_as_well(self):
        for km in (300, 3000):
            told = self.buffer(uri=collection(point(20, 75)), distance=km, unit="km", segments=90, output="out.gpkg", overwrite=True)
            corners = numpy.concatenate([r[~on_seam(r)] for r in rings_of(shapes_of(self.path("out.gpkg"))[1])])
            far = WGS84.inv(numpy.full(len(corners), 20), numpy.full(len(corners), 75), corners[:, 0], corners[:, 1])[2]
            self.assertLess(max(abs(far / km / 1000 - 1)), 2e-4)
            radius = 6371.007e3
            cap = 2 * math.pi * radius ** 2 * (1 - math.cos(km * 1e3 / radius))
            self.assertAlmostEqual(told["area_m2"] / cap, 1, delta=4e-3)  # the sphere's, not the ellipsoid's

    def test_long_lines_are_right_within_a_thousandth(self):
        """A parallel of 2900 km, a meridian over the equator, a diagonal: straight in degrees. The distance of every corner and every
        middle of an edge, against the line in 40 000 pieces."""
        for corners in ([[0, 50], [40, 50]], [[0, -30], [0, 30]], [[-60, 10], [-30, 55]]):
            told = self.buffer(uri=collection({"type": "LineString", "coordinates": corners}), distance=20, unit="km", segments=60, output="out.gpkg", overwrite=True)
            line = dense(corners, 40000)
            (ring, ) = rings_of(shapes_of(self.path("out.gpkg"))[1])
            off = numpy.concatenate([away(ring[::7], line), away(middles(ring)[::7], line)]) / 20000 - 1
            with self.subTest(corners=corners):
                self.assertLess(max(abs(off)), 1e-3)
                self.assertLess(told["distance_error"], 1e-3)

    def test_web_mercator_is_not_taken_for_metres(self):
        to = Transformer.from_crs("OGC:CRS84", "EPSG:3857", always_xy=True)
        told = self.buffer(uri=collection(point(*to.transform(10, 60)), crs="EPSG:3857"), distance=1000, output="out.gpkg")
        ring = next(rings_of(shapes_of(self.path("out.gpkg"))[1]))
        lon, lat = to.transform(ring[:, 0], ring[:, 1], direction="INVERSE")
        far = WGS84.inv(numpy.full(len(ring), 10), numpy.full(len(ring), 60), lon, lat)[2]
        self.assertLess(max(abs(far - 1000)), 0.01)
        self.assertIn("azimuthal", told["method"])
        plane = self.buffer(uri=collection(point(*to.transform(10, 60)), crs="EPSG:3857"), distance=1000, unit="crs", output="crs.gpkg")
        self.assertAlmostEqual(shapes_of(self.path("crs.gpkg"))[1].GetEnvelope()[1] - to.transform(10, 60)[0], 1000, delta=1e-6)
        self.assertAlmostEqual(plane["area_m2"] / told["area_m2"], 0.25, delta=1e-2)

    def test_over_the_edge_of_a_map_is_cut(self):
        to = Transformer.from_crs("OGC:CRS84", "EPSG:3857", always_xy=True)
        told = self.buffer(uri=collection(point(*to.transform(179.99, 10)), crs="EPSG:3857"), distance=10000, output="out.gpkg")
        shape = shapes_of(self.path("out.gpkg"))[1]
        self.assertEqual((shape.GetGeometryCount(), shape.IsValid()), (2, True))
        self.assertAlmostEqual(told["area_m2"] / (64 / 2 * math.sin(2 * math.pi / 64) * 1e8), 1, delta=3e-4)

    def test_a_polar_map_shows_the_pole_whole(self):
        told = self.buffer(uri=collection(point(0, 0), crs="EPSG:3995"), distance=2000, unit="km", output="out.gpkg")
        shape = shapes_of(self.path("out.gpkg"))[1]
        self.assertEqual(shape.GetGeometryCount(), 1)
        self.assertTrue(shape.Contains(ogr.CreateGeometryFromWkt("POINT (0 0)")))
        self.assertTrue(shape.GetGeometryRef(0).GetGeometryCount() == 1 and told["area_m2"] > 1.2e13)

    def test_utm_is_buffered_in_its_plane_and_says_its_scale(self):
        told = self.buffer(uri=collection(point(5e5, 6e6), crs="EPSG:32633"), distance=1, unit="km", output="out.gpkg")
        self.assertIn("in the plane of EPSG:32633", told["method"])
        self.assertAlmostEqual(told["distance_error"], 4e-4, delta=1e-5)
        self.assertEqual(shapes_of(self.path("out.gpkg"))[1].GetEnvelope(), (499000, 501000, 5999000, 6001000))
        far = self.buffer(uri=collection(point(12e5, 6e6), crs="EPSG:32633"), distance=1, unit="km")
        self.assertIn("azimuthal", far["method"])

    def test_feet_and_miles(self):
        here = collection(point(1e6, 2e5), crs="EPSG:2263")
        for unit, metres in (("ft", 0.3048), ("us-ft", 1200 / 3937), ("mi", 1609.344), ("feet", 0.3048)):
            told = self.buffer(uri=here, distance=100, unit=unit, output="out.gpkg", overwrite=True)
            self.assertAlmostEqual(told["distance_m"], 100 * metres, delta=1e-9)
            west, east, *_ = shapes_of(self.path("out.gpkg"))[1].GetEnvelope()
            self.assertAlmostEqual((east - west) / 2 / (100 * metres / (1200 / 3937)), 1, delta=2e-4)

    def test_polygons_grow_and_shrink_by_the_same_on_the_ground(self):
        for area in (box(10, 50, 10.5, 50.3), box(10, 50, 18, 54)):  # one that a plane holds, and one of pieces
            ring = dense(area["coordinates"][0], 20000)
            for km in (5, -5):
                told = self.buffer(uri=collection(area), distance=km, unit="km", segments=60, output="out.gpkg", overwrite=True)
                edge = next(rings_of(shapes_of(self.path("out.gpkg"))[1]))
                off = away(numpy.concatenate([edge[::5], middles(edge)[::5]]), ring) / 5000 - 1
                with self.subTest(area=area["coordinates"][0][2], km=km):
                    self.assertLess(max(abs(off)), 1e-3)
        whole = zone_area(50, 54, 8)
        self.assertLess(told["area_m2"], whole)

    def test_shrunk_to_nothing_is_counted_and_points_cannot_shrink(self):
        told = self.buffer(uri=collection(box(0, 0, 0.01, 0.01), box(0, 0, 1, 1)), distance=-2000)
        self.assertEqual((told["feature_count"], told["vanished_count"]), (1, 1))
        self.assertIn("shrunk to nothing", " ".join(told["warnings"]))
        p = self.refusal(uri=collection(point(0, 0)), distance=-5)
        self.assertIn("feature 1", p["message"])
        self.assertIn("no area", p["message"])
        p = self.refusal(uri=collection(box(170, 0, 180, 10)), distance=-5)
        self.assertIn("longitude 180", p["message"])

    def test_circles_of_arcs_grow(self):
        made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("arcs.gpkg"))
        reference = osr.SpatialReference()
        reference.ImportFromEPSG(32611)
        layer = made.CreateLayer("arcs", reference, ogr.wkbCurvePolygon)
        for east in (400000, 410000):
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"CURVEPOLYGON (CIRCULARSTRING ({east} 3800000,{east + 1000} 3801000,{east + 2000} 3800000,"
                                                          f"{east + 1000} 3799000,{east} 3800000))"))
            layer.CreateFeature(feature)
        del feature, layer, made
        for dissolve in (False, True):
            good(self.session.call("vector_buffer", {"uri": "arcs.gpkg", "distance": 100, "unit": "crs", "segments": 64, "dissolve": dissolve,
                                                     "output": "grown.gpkg", "overwrite": True}))
            area = sum(shape.GetArea() for shape in shapes_of(self.path("grown.gpkg")).values())
            self.assertAlmostEqual(area, 2 * math.pi * 1100 ** 2, delta=1e-3 * area)

    def test_islands_on_both_sides_of_the_antimeridian_grow_together(self):
        fiji = {"type": "MultiPolygon", "coordinates": [box(179.5, -17, 180, -16)["coordinates"], box(-180, -17, -179.5, -16)["coordinates"]]}
        told = self.buffer(uri=collection(fiji), distance=10000, output="out.gpkg")
        shape = shapes_of(self.path("out.gpkg"))[1]
        west, east = shape.GetEnvelope()[:2]
        self.assertEqual((west, east, shape.GetGeometryCount(), shape.IsValid()), (-180, 180, 2, True))
        rim = 2 * (10000 * WGS84.line_length([179.5, 180.5], [-17, -17]) + 10000 * WGS84.line_length([0, 0], [-17, -16])) + math.pi * 1e8
        self.assertAlmostEqual(told["area_m2"] / (zone_area(-17, -16, 1) + rim), 1, delta=1e-3)

    def test_dissolved_circles_count_once(self):
        """Two circles a radius apart: the lens is known."""
        told = self.buffer(uri=collection(point(5e5, 6e6), point(501000, 6e6), point(6e5, 6e6), crs="EPSG:32633"), distance=1000, dissolve=True, segments=100, unit="crs", output="out.gpkg")
        lens = 2 * 1e6 * math.acos(0.5) - 0.5e6 * math.sqrt(3)
        shape = shapes_of(self.path("out.gpkg"))[1]
        self.assertAlmostEqual(shape.GetArea() / (3e6 * math.pi - lens), 1, delta=1e-4)
        self.assertEqual((told["feature_count"], told["parts"], told["buffered_count"]), (1, 2, 3))
        self.assertEqual(list(rows_of(self.path("out.gpkg"))[1]), [])

    def test_heights_are_said_to_be_lost(self):
        for coordinates, lost in (([10, 50, 5], ["buffers have no z values"]), ([10, 50], [])):
            told = self.buffer(uri=collection({"type": "Point", "coordinates": coordinates}), distance=10, output="z.gpkg", overwrite=True)
            self.assertEqual(told["warnings"], lost)

    def test_attributes_and_ids_stay(self):
        self.buffer(uri=collection(*(point(x / 10, 0) for x in range(700))), distance=1000, output="out.gpkg")
        rows = rows_of(self.path("out.gpkg"))
        self.assertEqual([(i, r["class"]) for i, r in rows.items()], [(i + 1, "abc"[i % 3]) for i in range(700)])
        for i, shape in shapes_of(self.path("out.gpkg")).items():
            self.assertAlmostEqual(shape.Centroid().GetX(), (i - 1) / 10, delta=1e-6)

    def test_invalid_ones_are_named_and_layers_without_a_crs_need_their_own_unit(self):
        told = self.buffer(uri=collection(polygon(BOW_TIE)), distance=1)
        self.assertEqual((told["invalid_count"], told["invalid"][0]["id"]), (1, 1))
        subprocess.run(["ogr2ogr", "-a_srs", "None", self.path("bare.gpkg"), "/vsistdin/"], input=json.dumps(collection(box(0, 0, 10, 20))).encode(), check=True)
        self.assertIn("no CRS", self.refusal(uri="bare.gpkg", distance=1)["message"])
        self.buffer(uri="bare.gpkg", distance=1, unit="crs", segments=50, output="out.gpkg")
        self.assertAlmostEqual(shapes_of(self.path("out.gpkg"))[1].GetArea(), 200 + 60 + math.pi, delta=1e-3)
        degrees = self.buffer(uri=collection(point(0, 60)), distance=1, unit="crs")
        self.assertIn("degrees", " ".join(degrees["warnings"]))
        self.assertIn("'distance' is 0", self.refusal(uri=collection(point(0, 0)), distance=0)["message"])
        self.assertIn("5000 km", self.refusal(uri=collection(point(0, 0)), distance=6000, unit="km")["message"])

    def test_real_roads_dissolve_as_spatialite_does(self):
        source = os.path.join(DATA, "swellendam", "training_data.gpkg")
        if not DATA or not os.path.exists(source):
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        file = ogr.Open(source)
        layer = next(layer.GetName() for layer in file if "road" in layer.GetName())
        subprocess.run(["ogr2ogr", "-t_srs", "EPSG:32734", "-nln", "roads", self.path("roads.gpkg"), source, layer], check=True)
        told = self.buffer(uri="roads.gpkg", distance=25, segments=30, dissolve=True, output="out.gpkg")
        subprocess.run(["ogr2ogr", "-dialect", "sqlite", "-sql", "SELECT ST_Union(ST_Buffer(geom, 25)) FROM roads", self.path("theirs.gpkg"), self.path("roads.gpkg")], check=True)
        theirs = next(iter(shapes_of(self.path("theirs.gpkg")).values()))
        self.assertAlmostEqual(shapes_of(self.path("out.gpkg"))[1].GetArea() / theirs.GetArea(), 1, delta=1e-9)
        self.assertEqual(told["parts"], theirs.GetGeometryCount() if theirs.GetGeometryName() == "MULTIPOLYGON" else 1)

    def test_countries_grow_by_hundreds_of_kilometres(self):
        """Egypt in UTM 36N, whose scale is within 0.3 % of true around it, and every country of the world."""
        source = os.path.join(DATA, "world", "naturalearth_lowres.shp")
        if not DATA or not os.path.exists(source):
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        subprocess.run(["ogr2ogr", self.path("world.gpkg"), source, "-nlt", "PROMOTE_TO_MULTI", "-nln", "world"], check=True)
        subprocess.run(["ogr2ogr", self.path("egypt.gpkg"), source, "-where", "name = 'Egypt'", "-nln", "egypt"], check=True)
        subprocess.run(["ogr2ogr", "-t_srs", "EPSG:32636", self.path("flat.gpkg"), self.path("egypt.gpkg")], check=True)
        for distance in (100_000, 200_000):
            grown = self.buffer(uri="egypt.gpkg", distance=distance, output=f"{distance}.gpkg")
            flat = next(iter(shapes_of(self.path("flat.gpkg")).values())).Buffer(distance, 16)
            self.assertAlmostEqual(grown["area_m2"] / flat.GetArea(), 1, delta=0.01)
        told = self.buffer(uri="world.gpkg", distance=100_000, output="all.gpkg")
        self.assertEqual((told["buffered_count"], told.get("failed_count", 0)), (177, 0))


    def test_a_flat_polygon_is_buffered_as_its_line_and_named(self):
        flat = collection(polygon([[0, 0], [1000, 0], [0, 0], [0, 0]]), crs="EPSG:32633")
        line = collection({"type": "LineString", "coordinates": [[0, 0], [1000, 0]]}, crs="EPSG:32633")
        told = self.buffer(uri=flat, distance=100, unit="crs", output="flat.gpkg")
        self.buffer(uri=line, distance=100, unit="crs", output="line.gpkg")
        self.assertAlmostEqual(shapes_of(self.path("flat.gpkg"))[1].SymDifference(shapes_of(self.path("line.gpkg"))[1]).GetArea(), 0, delta=1e-6)
        self.assertEqual((told["buffered_count"], told["vanished_count"]), (1, 0))
        self.assertIn("its outline was buffered", told["invalid"][0]["reason"])
        self.assertEqual(self.buffer(uri=flat, distance=-1, unit="crs")["vanished_count"], 1)

if __name__ == "__main__":
    session.main()
