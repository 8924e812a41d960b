"""vector_measure against pyproj's geodesics, closed forms and the areas that ogr2ogr's SQL gives; and what it refuses."""
import json
import math
import os
import subprocess
import unittest

from osgeo import gdal, ogr, osr
from pyproj import Geod, Transformer

import session
from raster_traps import zone_area
from session import Claims, Session, good, problem

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")
WGS84 = Geod(ellps="WGS84")
BOW_TIE = [[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]


def collection(*geometries, crs=None):
    features = [{"type": "Feature", "id": i + 1, "properties": {"class": "abc"[i % 3]}, "geometry": g} for i, g in enumerate(geometries)]
    return {"type": "FeatureCollection", "features": features, **({"crs": {"type": "name", "properties": {"name": crs}}} if crs else {})}


def polygon(*rings):
    return {"type": "Polygon", "coordinates": list(rings)}


def box(west, south, east, north):
    return polygon([[west, south], [east, south], [east, north], [west, north], [west, south]])


def rows_of(path):
    file = ogr.Open(path)
    return {f.GetFID(): f.items() for f in file.GetLayer(0)}


class vector_measure(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def measure(self, **arguments):
        return good(self.session.call("vector_measure", arguments))

    def test_parts_that_overlap_are_measured_by_what_they_cover(self):
        two = {"type": "MultiPolygon", "coordinates": [box(500000, 0, 500010, 10)["coordinates"], box(500005, 5, 500015, 15)["coordinates"]]}
        told = self.measure(uri=collection(two, crs="EPSG:32633"))
        self.assertAlmostEqual(told["area_m2"] * 0.9996 ** 2, 175, delta=0.1)

    def write(self, name, code, kind, shape):
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(name))
        crs = osr.SpatialReference()
        crs.ImportFromEPSG(code)
        layer = file.CreateLayer(name.split(".")[0], crs, kind)
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(shape))
        layer.CreateFeature(feature)
        del feature, layer, file

    def test_a_wall_has_a_place_and_no_area(self):
        """Of a building in three dimensions: its plan is a line, there and back."""
        self.write("wall.gpkg", 25832, ogr.wkbPolygon25D, "POLYGON Z ((500000 5900000 0,500010 5900000 0,500010 5900000 9,500000 5900000 9,500000 5900000 0))")
        row = good(self.session.call("vector_measure", {"uri": "wall.gpkg", "mode": "planar"}))["features"][0]
        self.assertAlmostEqual(row["area_m2"], 0, places=6)
        self.assertEqual((row["perimeter_m"], row["centroid"]), (20, [500005, 5900000]))

    def test_a_box_of_degrees_has_the_area_of_its_zone(self):
        told = self.measure(uri=collection(box(10, 50, 12, 51), box(-180, -90, 180, 90)), output="a.gpkg")
        expected = [zone_area(50, 51, 2), zone_area(-90, 90, 360)]
        for row, area in zip(told["features"], expected):
            self.assertAlmostEqual(row["area_m2"] / area, 1, delta=1e-8)
        self.assertAlmostEqual(told["area_m2"] / sum(expected), 1, delta=1e-8)
        self.assertAlmostEqual(told["area_ha"] * 1e4 / told["area_m2"], 1, delta=1e-8)
        self.assertNotIn("length_m", told)
        written = rows_of(self.path("a.gpkg"))
        for row in told["features"]:  # with nine digits
            self.assertEqual(row["area_m2"], float(f"{written[row['id']]['area_m2']:.9g}"))
        self.assertIsNone(written[1]["length_m"])
        self.assertEqual([written[1]["centroid_x"], written[1]["centroid_y"]], told["features"][0]["centroid"])

    def test_lines_have_the_lengths_of_pyproj_on_any_crs(self):
        """Edges are straight in the CRS: pyproj measures them in 2000 pieces each."""
        lines = {"OGC:CRS84": [[10, 50], [11, 50.5], [15, 49]], "EPSG:32633": [[500000, 5500000], [512345, 5501234], [550000, 5400000]],
                 "EPSG:3857": [[0, 8000000], [100000, 8100000]], "EPSG:2263": [[1000000, 200000], [1010000, 230000]]}
        for crs, line in lines.items():
            told = self.measure(uri=collection({"type": "LineString", "coordinates": line}, crs=crs), mode="geodesic")
            dense = [(a[0] + (b[0] - a[0]) * k / 2000, a[1] + (b[1] - a[1]) * k / 2000) for a, b in zip(line, line[1:]) for k in range(2000)] + [line[-1]]
            own = Transformer.from_crs(crs, "EPSG:4269" if crs == "EPSG:2263" else "OGC:CRS84", always_xy=True)
            geod = Geod(ellps="GRS80") if crs == "EPSG:2263" else WGS84
            expected = geod.line_length(*zip(*(own.transform(*p) for p in dense)))
            with self.subTest(crs=crs):
                self.assertAlmostEqual(told["length_m"] / expected, 1, delta=1e-7)

    def test_real_layers_agree_with_pyproj(self):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        source = os.path.join(DATA, "world", "nc_counties_nad27.gpkg")
        subprocess.run(["cp", source, self.path("nc.gpkg")], check=True)
        told = self.measure(uri="nc.gpkg", output="out.gpkg")
        clarke, layer = Geod(ellps="clrk66"), ogr.Open(source)
        found, total = rows_of(self.path("out.gpkg")), 0
        for f in layer.GetLayer(0):
            shape, area, around = f.GetGeometryRef().Clone(), 0, 0
            shape.Segmentize(0.001)
            for part in shape if shape.GetGeometryType() == ogr.wkbMultiPolygon else [shape]:
                for i, ring in enumerate(part):
                    measured, length = clarke.polygon_area_perimeter(*zip(*(p[:2] for p in ring.GetPoints())))
                    area, around = area + (abs(measured) if i == 0 else -abs(measured)), around + length
            total += area
            self.assertAlmostEqual(found[f.GetFID()]["area_m2"] / area, 1, delta=1e-6)
            self.assertAlmostEqual(found[f.GetFID()]["perim_m"] / around, 1, delta=1e-6)
        self.assertAlmostEqual(told["area_m2"] / total, 1, delta=1e-6)
        self.assertEqual((told["feature_count"], len(told["features"]), told["truncated"]), (100, 50, True))

    def test_countries_have_the_areas_of_edges_split_until_nothing_changes(self):
        """By PROJ's equal-area map, every edge in pieces of 0.005 degrees or less; united by continent, the same ground."""
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        for end in ("shp", "shx", "dbf", "prj"):
            subprocess.run(["cp", os.path.join(DATA, "world", f"naturalearth_lowres.{end}"), self.path(f"w.{end}")], check=True)
        told = self.measure(uri="w.shp", output="out.gpkg")
        degrees, map_ = osr.SpatialReference(), osr.SpatialReference()
        degrees.ImportFromProj4("+proj=longlat +datum=WGS84")
        map_.ImportFromProj4("+proj=cea +datum=WGS84")
        way = osr.CoordinateTransformation(degrees, map_)
        found, file, total = rows_of(self.path("out.gpkg")), ogr.Open(self.path("out.gpkg")), 0
        for f in file.GetLayer(0):
            shape = f.GetGeometryRef().Clone()
            shape.AssignSpatialReference(None)
            west, east = shape.GetEnvelope()[:2]
            shape.Segmentize(min(0.005, (east - west) / 500))
            shape.Transform(way)
            total += shape.GetArea()
            with self.subTest(country=f["name"]):
                self.assertAlmostEqual(found[f.GetFID()]["area_m2"] / shape.GetArea(), 1, delta=1e-8)
        self.assertAlmostEqual(told["area_m2"] / total, 1, delta=1e-8)
        united = good(self.session.call("vector_dissolve", {"uri": "w.shp", "by": ["continent"], "repair": True, "output": "continents.gpkg"}))
        self.assertAlmostEqual(united["area_before_m2"] / told["area_m2"], 1, delta=1e-12)
        self.assertAlmostEqual(united["area_m2"] / united["area_before_m2"], 1, delta=1e-9)
        self.assertEqual(united["overlap_m2"], 0)

    def test_the_cut_at_180_is_no_part_of_a_perimeter(self):
        def around(shape):
            return self.measure(uri=collection(shape), output="p.gpkg", overwrite=True)["perimeter_m"]
        split = {"type": "MultiPolygon", "coordinates": [box(170, -20, 180, -10)["coordinates"], box(-180, -20, -170, -10)["coordinates"]]}
        sides = WGS84.line_length([170, 170], [-20, -10]) * 2
        ends = sum(WGS84.line_length([170 + k / 100 for k in range(2001)], [y] * 2001) for y in (-20, -10))
        self.assertAlmostEqual(around(split) / (sides + ends), 1, delta=1e-7)

    def test_mercator_is_measured_on_the_ground_and_in_the_plane_only_when_asked(self):
        square = collection(box(0, 8e6, 1e4, 8.01e6), crs="EPSG:3857")
        plane = self.measure(uri=square, mode="planar")
        self.assertAlmostEqual(plane["area_m2"], 1e8, delta=1e-3)
        self.assertIn("planar", plane["method"])
        to = Transformer.from_crs("EPSG:3857", "OGC:CRS84", always_xy=True)
        (west, south), (east, north) = to.transform(0, 8e6), to.transform(1e4, 8.01e6)
        self.assertAlmostEqual(self.measure(uri=square)["area_m2"] / zone_area(south, north, east - west), 1, delta=1e-7)
        feet = self.measure(uri=collection(box(1e6, 2e5, 1.001e6, 2.01e5), crs="EPSG:2263"), mode="planar")
        self.assertAlmostEqual(feet["area_m2"] / (1000 * 1200 / 3937) ** 2, 1, delta=1e-9)
        grads = self.measure(uri=collection(box(0, 0, 2, 3), crs="EPSG:4807"), mode="planar")
        self.assertAlmostEqual(grads["area_deg2"], 6 * 0.81, delta=1e-9)  # a grad is nine tenths of a degree
        degrees = self.measure(uri=collection(box(0, 0, 2, 3)), mode="planar", output="d.gpkg")
        self.assertEqual((degrees["unit"], degrees["area_deg2"], degrees["perimeter_deg"]), ("degree", 6, 10))
        self.assertNotIn("area_m2", degrees)
        self.assertEqual(rows_of(self.path("d.gpkg"))[1]["area_deg2"], 6)
        self.assertIn("no meaning", " ".join(degrees["warnings"]))

    def test_a_bow_tie_is_named_and_measured_repaired(self):
        told = self.measure(uri=collection(polygon(BOW_TIE), box(0, 0, 1, 1)))
        self.assertEqual((told["invalid_count"], told["invalid"][0]["id"]), (1, 1))
        self.assertIn("1 1", told["invalid"][0]["reason"])
        triangles = self.measure(uri=collection({"type": "MultiPolygon", "coordinates": [[[[0, 0], [1, 1], [0, 2], [0, 0]]], [[[1, 1], [2, 0], [2, 2], [1, 1]]]]}))
        self.assertAlmostEqual(told["features"][0]["area_m2"] / triangles["area_m2"], 1, delta=1e-9)

    def test_a_shell_inside_its_hole_has_no_area_that_could_be_counted(self):
        self.session.call("toolsets", {"action": "enable", "name": "vector-more"})
        square = box(0, 0, 1, 1)
        layer = collection(polygon(box(2, 2, 4, 4)["coordinates"][0], box(0, 0, 10, 10)["coordinates"][0]), square)
        for tool, more in (("vector_measure", {}), ("vector_buffer", {"distance": 1000}), ("vector_simplify", {"tolerance": 10})):
            with self.subTest(tool):
                p = problem(self.session.call(tool, {"uri": layer, **more}))
                self.assertIn("feature 1 ", p["message"])
                self.assertIn("a repair leaves nothing of it: Hole lies outside shell", p["message"])
                told = good(self.session.call(tool, {"uri": layer, "skip_failed": True, **more}))
                self.assertEqual((told["failed_ids"], told["feature_count"]), ([1], 1))
        told = self.measure(uri=layer, skip_failed=True)
        self.assertAlmostEqual(told["area_m2"] / self.measure(uri=collection(square))["area_m2"], 1, delta=1e-12)

    def test_an_empty_hole_takes_nothing_away(self):
        for mode in ("geodesic", "planar"):
            with_hole, without = (self.measure(uri=collection(polygon(*rings)), mode=mode)
                                  for rings in ((box(0, 0, 1, 1)["coordinates"][0], []), (box(0, 0, 1, 1)["coordinates"][0],)))
            self.assertEqual(with_hole["features"], without["features"])

    def test_polygons_have_no_length_and_arcs_their_own(self):
        twice = {"type": "MultiPolygon", "coordinates": [box(0, 0, 2, 2)["coordinates"], box(1, 0, 3, 2)["coordinates"]]}
        told = self.measure(uri=collection(twice), mode="planar", output="twice.gpkg")
        self.assertEqual((told["invalid_count"], told.get("length_deg")), (1, None))
        self.write("round.gpkg", 32633, ogr.wkbCurvePolygon, "CURVEPOLYGON (CIRCULARSTRING (500100 0,500000 100,499900 0,500000 -100,500100 0))")
        told = self.measure(uri="round.gpkg", mode="planar")
        self.assertAlmostEqual(told["area_m2"] / (math.pi * 100 ** 2), 1, delta=1e-6)

    def test_over_the_antimeridian_is_right_or_refused(self):
        p = problem(self.session.call("vector_measure", {"uri": collection(box(0, 0, 1, 1), box(179, 10, -179, 11)), "output": "no.gpkg"}))
        self.assertIn("feature 2", p["message"])
        self.assertIn("antimeridian", p["message"])
        self.assertEqual(self.files(), set())
        told = self.measure(uri=collection(box(0, 0, 1, 1), box(179, 10, -179, 11)), skip_failed=True)
        self.assertEqual((told["failed_ids"], told["failed_count"], told["feature_count"]), ([2], 1, 1))
        both = {"type": "MultiPolygon", "coordinates": [box(179, 10, 180, 11)["coordinates"], box(-180, 10, -179, 11)["coordinates"]]}
        told = self.measure(uri=collection(both))
        self.assertAlmostEqual(told["area_m2"] / zone_area(10, 11, 2), 1, delta=1e-8)
        self.assertGreater(abs(told["features"][0]["centroid"][0]), 179.99)

    def test_coordinates_that_do_not_fit_the_crs_are_warned_of(self):
        """Degrees in a layer that says it is in metres."""
        for epsg, warned in ((32633, True), (4326, False)):
            made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(f"{epsg}.gpkg"))
            reference = osr.SpatialReference()
            reference.ImportFromEPSG(epsg)
            layer = made.CreateLayer("t", reference, ogr.wkbPolygon)
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt("POLYGON ((15 45, 16 45, 16 46, 15 46, 15 45))"))
            layer.CreateFeature(feature)
            del feature, layer, made
            told = " ".join(self.measure(uri=f"{epsg}.gpkg")["warnings"])
            self.assertEqual("the features do not fit their CRS" in told, warned, told)

    def test_only_the_part_in_a_geometry_is_measured(self):
        roads = collection(*({"type": "LineString", "coordinates": [[x, 0], [x, 2]]} for x in (0, 1, 5)))
        told = self.measure(uri=roads, geometry=[-1, 1, 2, 3], output="in.gpkg")
        self.assertAlmostEqual(told["length_m"] / (2 * WGS84.line_length([0, 0], [1, 2])), 1, delta=1e-8)
        self.assertEqual((told["feature_count"], told["outside_count"]), (2, 1))
        self.assertEqual({r["class"] for r in rows_of(self.path("in.gpkg")).values()}, {"a", "b"})
        nothing = self.measure(uri=roads, geometry=[20, 1, 22, 3])
        self.assertNotIn("length_m", nothing)
        self.assertIn("no feature lies in", " ".join(nothing["warnings"]))

    def test_a_track_of_one_point_has_a_place_and_no_length(self):
        with open(self.path("t.gpx"), "w", encoding="utf-8") as file:
            file.write('<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg><trkpt lat="50" lon="10"/></trkseg></trk></gpx>')
        for more in ({}, {"mode": "planar"}):
            told = self.measure(uri="t.gpx", layer="tracks", **more)
            self.assertEqual(told["invalid_count"], 1)
            self.assertEqual([round(v, 9) for v in told["features"][0]["centroid"]], [10, 50])
        self.assertEqual(self.measure(uri="t.gpx", layer="tracks")["length_m"], 0)

    def test_what_has_no_measure_says_so(self):
        subprocess.run(["ogr2ogr", "-a_srs", "None", self.path("bare.gpkg"), "/vsistdin/"], input=json.dumps(collection(box(0, 0, 10, 20))).encode(), check=True)
        p = problem(self.session.call("vector_measure", {"uri": "bare.gpkg"}))
        self.assertIn("no CRS", p["message"])
        told = self.measure(uri="bare.gpkg", mode="planar")
        self.assertEqual(told["area_m2"], 200)
        self.assertIn("no CRS", " ".join(told["warnings"]))
        with open(self.path("table.csv"), "w", encoding="utf-8") as file:
            file.write("a,b\n1,2\n")
        self.assertIn("table", problem(self.session.call("vector_measure", {"uri": "table.csv"}))["message"])
        heights = self.measure(uri=collection({"type": "LineString", "coordinates": [[0, 0, 0], [0, 1, 9000]]}, None))
        self.assertAlmostEqual(heights["length_m"], WGS84.line_length([0, 0], [0, 1]), delta=1e-3)
        self.assertEqual(heights["without_geometry"], 1)
        self.assertIn("heights", " ".join(heights["warnings"]))
        self.assertTrue(math.isfinite(heights["features"][0]["centroid"][1]))

    def test_a_field_of_the_same_name_is_kept(self):
        self.measure(uri=collection(box(0, 0, 1, 1)), output="one.gpkg")
        told = self.measure(uri="one.gpkg", output="two.gpkg")
        self.assertIn("'area_m2_'", " ".join(told["warnings"]))
        (row, ) = rows_of(self.path("two.gpkg")).values()
        self.assertAlmostEqual(row["area_m2"], row["area_m2_"])


if __name__ == "__main__":
    session.main()
