"""vector_reproject where a map ends: at the seam of the world, at a pole, at ±180; and of a single point."""
import json
import math
import os
import unittest

from osgeo import gdal, ogr
from pyproj import Geod, Transformer

import session
from session import Claims, Session, good, problem, run
from vector_measure import box, collection, polygon
from vector_overlay import rows_of
from vector_traps import layer

gdal.UseExceptions()
WGS84 = Geod(ellps="WGS84")
COUNTRIES = os.path.join(os.environ.get("GDAL_MCP_TEST_DATA", ""), "world", "naturalearth_lowres.shp")


def point(x, y):
    return {"type": "Point", "coordinates": [x, y]}


class vector_reproject(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session("--toolsets", "all", workspace=self.workspace)
        self.addCleanup(self.session.close)

    def call(self, tool, **arguments):
        return good(run(self.session, tool, {"overwrite": True, **arguments}))

    def test_positions_from_the_centre_of_the_earth_need_heights(self):
        flat = {"type": "Point", "coordinates": [9, 50]}
        p = problem(run(self.session, "vector_reproject", {"uri": flat, "dst_crs": "EPSG:4978", "output": "no.gpkg"}))
        self.assertIn("feature 0 of layer", p["message"])
        self.assertIn("has no z", p["message"])
        both = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "id": i, "properties": {}, "geometry": {"type": "Point", "coordinates": c}} for i, c in enumerate(([9, 50], [9, 50, 100]))]}
        told = good(run(self.session, "vector_reproject", {"uri": both, "dst_crs": "EPSG:4978", "output": "some.gpkg", "skip_failed": True}))
        self.assertEqual((told["feature_count"], told["feature_count_before"]), (1, 2))
        good(run(self.session, "vector_reproject", {"uri": {**flat, "coordinates": [9, 50, 100]}, "dst_crs": "EPSG:4978", "output": "o.gpkg"}))
        file = ogr.Open(self.path("o.gpkg"))
        rows = file.GetLayer(0)
        feature = rows.GetNextFeature()
        expected = Transformer.from_crs("EPSG:4979", "EPSG:4978", always_xy=True).transform(9, 50, 100)
        for found, wanted in zip(feature.GetGeometryRef().GetPoint(), expected):
            self.assertAlmostEqual(found, wanted, delta=1e-3)

    def reproject(self, uri, to, output="out.gpkg", **arguments):
        return self.call("vector_reproject", uri=uri, dst_crs=to, output=output, **arguments)

    def measured(self, uri):
        told = good(run(self.session, "vector_measure", {"uri": uri}))
        return told.get("area_m2"), told.get("length_m")

    def test_what_crosses_the_seam_of_a_map_is_cut_there(self):
        to = Transformer.from_crs("EPSG:4326", "EPSG:3832", always_xy=True)
        (west, south), (east, north) = to.transform(178, -20), to.transform(-178, -15)
        layer(f"POLYGON (({west} {south},{east} {south},{east} {north},{west} {north},{west} {south}))", epsg=3832)(self.path("box.gpkg"))
        layer(f"LINESTRING ({west} {south},{east} {south})", epsg=3832)(self.path("line.gpkg"))
        area, _ = self.measured("box.gpkg")
        _, length = self.measured("line.gpkg")
        self.assertAlmostEqual(area / 234_998.6e6, 1, delta=1e-6)
        for crs in ("EPSG:3857", "EPSG:3395", "EPSG:6933", "EPSG:8857", "ESRI:54009"):
            with self.subTest(crs):
                self.reproject("box.gpkg", crs)
                self.assertAlmostEqual(self.measured("out.gpkg")[0] / area, 1, delta=1e-4)
                (_, shape), = rows_of(self.path("out.gpkg"))
                self.assertTrue(shape.IsValid())
                self.assertEqual(shape.GetGeometryCount(), 2)
                self.reproject("line.gpkg", crs)
                self.assertAlmostEqual(self.measured("out.gpkg")[1] / length, 1, delta=1e-5)

    @unittest.skipUnless(os.path.exists(COUNTRIES), "there are no countries in the test data")
    def test_a_cut_leaves_polygons_alone(self):
        """Fiji and Russia end at 180 degrees, where the cut touches them along a line."""
        countries = ogr.Open(COUNTRIES)
        ogr.GetDriverByName("GPKG").CopyDataSource(countries, self.path("countries.gpkg"))
        self.reproject("countries.gpkg", "EPSG:3832", output="map.gpkg", skip_failed=True)
        self.reproject("map.gpkg", "EPSG:4326", output="back.gpkg")
        back = ogr.Open(self.path("back.gpkg"))
        self.assertLessEqual({f.geometry().GetGeometryName() for f in back.GetLayer(0)}, {"POLYGON", "MULTIPOLYGON"})

    def test_longitudes_beyond_180_are_cut_as_well(self):
        turned = collection(box(179, -1, 181, 1))
        with open(self.path("am.geojson"), "w") as f:
            json.dump(turned, f)
        for crs in ("EPSG:3857", "ESRI:54009"):
            self.reproject("am.geojson", crs)
            (_, shape), = rows_of(self.path("out.gpkg"))
            reach = shape.GetGeometryRef(0).GetEnvelope()
            self.assertLess(reach[1] - reach[0], 200_000)
            self.assertEqual(shape.GetGeometryCount(), 2)

    def test_a_map_that_shows_both_sides_of_180_is_left_alone(self):
        self.reproject(collection(box(100, 70, 170, 80), box(-170, 70, -130, 80)), "EPSG:3413")
        self.assertEqual([s.GetGeometryRef(0).GetPointCount() for _, s in rows_of(self.path("out.gpkg"))], [5, 5])

    def test_the_pole_has_no_place_in_mercator_and_the_feature_is_named(self):
        layer("POLYGON ((-2e6 -2e6,2e6 -2e6,2e6 2e6,-2e6 2e6,-2e6 -2e6))", epsg=3413)(self.path("pole.gpkg"))
        p = problem(run(self.session, "vector_reproject", {"uri": "pole.gpkg", "dst_crs": "EPSG:3857", "output": "out.gpkg"}))
        self.assertIn("have no place, or not all of it, in EPSG:3857: ids 1", p["message"])

    def test_a_square_around_the_pole_goes_to_degrees_and_back(self):
        layer("POLYGON ((-2e6 -2e6,2e6 -2e6,2e6 2e6,-2e6 2e6,-2e6 -2e6))", epsg=3413)(self.path("pole.gpkg"))
        area, _ = self.measured("pole.gpkg")
        self.reproject("pole.gpkg", "EPSG:4326", output="degrees.gpkg")
        for tool, output in (("vector_reproject", "degrees.gpkg"), ("vector_convert", "c.geojson")):
            if tool == "vector_convert":
                self.call(tool, uri="pole.gpkg", output=output)
            self.assertAlmostEqual(self.measured(output)[0] / area, 1, delta=1e-5)
        self.call("vector_convert", uri="degrees.gpkg", output="again.geojson")
        self.assertAlmostEqual(self.measured("again.geojson")[0] / area, 1, delta=1e-5)
        told = self.reproject("degrees.gpkg", "EPSG:3413", output="back.gpkg")
        self.assertNotIn("came out invalid", " ".join(told["warnings"]))
        self.assertAlmostEqual(self.measured("back.gpkg")[0] / area, 1, delta=1e-5)

    def test_a_polar_cap_converted_to_geojson_is_measured(self):
        ring = [(2e6 * math.cos(k * math.pi / 64), 2e6 * math.sin(k * math.pi / 64)) for k in range(129)]
        layer("POLYGON ((" + ",".join(f"{x} {y}" for x, y in ring[:-1] + ring[:1]) + "))", epsg=3031)(self.path("cap.gpkg"))
        area, _ = self.measured("cap.gpkg")
        self.call("vector_convert", uri="cap.gpkg", output="cap.geojson")
        self.assertAlmostEqual(self.measured("cap.geojson")[0] / area, 1, delta=1e-5)

    def test_an_outline_that_passes_a_pole_goes_on_along_the_edge_of_a_map_in_degrees(self):
        # From the meridian on which it comes, atan2(1, -1), to that on which it leaves, 90.
        layer("POLYGON ((0 0,1e6 -1e6,1e6 0,0 0))", epsg=3031)(self.path("wedge.gpkg"))
        self.reproject("wedge.gpkg", "EPSG:4326", output="degrees.gpkg")
        [(_, wedge)] = rows_of(self.path("degrees.gpkg"))
        corners = {(round(x, 9), round(y, 6)) for x, y in wedge.GetGeometryRef(0).GetPoints()}
        self.assertEqual({c for c in corners if c[1] == -90}, {(135, -90), (90, -90)})

    def test_a_continent_around_the_pole_comes_back_as_it_was(self):
        coast = ",".join(f"{x} {-75 - 5 * abs(x) / 180}" for x in range(-180, 181))
        layer(f"POLYGON ((-180 -90,{coast},180 -90,-180 -90))", epsg=4326)(self.path("ice.gpkg"))
        area, _ = self.measured("ice.gpkg")
        self.reproject("ice.gpkg", "EPSG:3031", output="map.gpkg")
        told = self.reproject("map.gpkg", "EPSG:4326", output="back.gpkg")
        self.assertNotIn("came out invalid", " ".join(told["warnings"]))
        self.assertAlmostEqual(self.measured("back.gpkg")[0] / area, 1, delta=1e-9)

    def test_what_goes_around_a_pole_is_whole_in_geojson(self):
        circle = lambda radius, n=72: "(" + ",".join(f"{radius * math.cos(2 * math.pi * (k % n) / n)} {radius * math.sin(2 * math.pi * (k % n) / n)}" for k in range(n + 1)) + ")"
        for name, wkt in (("annulus", f"POLYGON ({circle(2e6)},{circle(5e5)})"), ("parallel", f"LINESTRING {circle(1e6)}"), ("small", f"LINESTRING {circle(5e5)}")):
            layer(wkt, epsg=3413)(self.path(name + ".gpkg"))
            self.reproject(name + ".gpkg", "EPSG:4326", output=name + ".geojson")
            for before, after in zip(self.measured(name + ".gpkg"), self.measured(name + ".geojson")):
                if before:
                    self.assertAlmostEqual(after / before, 1, delta=2e-3, msg=name)

    def test_heights_of_what_is_cut_at_180_are_left_out_aloud(self):
        for i, (epsg, wkt) in enumerate(((3413, "POLYGON Z((-1500000 500000 10,-500000 500000 10,-500000 1500000 20,-1500000 1500000 20,-1500000 500000 10))"),
                                         (32601, "LINESTRING Z(100000 5500000 10,800000 5500000 20)"))):
            layer(wkt, epsg=epsg)(self.path(f"{i}.gpkg"))
            for output in (f"{i}_out.gpkg", f"{i}.geojson"):
                told = self.reproject(f"{i}.gpkg", "EPSG:4326", output=output)
                [(_, made)] = rows_of(self.path(output))
                self.assertFalse(made.Is3D(), output)
                self.assertIn("1 feature that was cut where the map ends lost its z and m values", told["warnings"])

    def test_a_shapefile_of_lines_takes_no_polygon(self):
        layer("LINESTRING (0 0,9 9)", "POLYGON ((0 0,9 0,9 9,0 0))")(self.path("mixed.gpkg"))
        p = problem(run(self.session, "vector_convert", {"uri": "mixed.gpkg", "output": "mixed.shp"}))
        self.assertIn("feature 2 is Polygon, and a Shapefile holds one kind of geometry", p["message"])

    def test_several_parts_in_a_layer_of_single_ones_are_told_in_few_words(self):
        layer("POLYGON ((0 0,2e5 -1e6,-2e5 -1e6,0 0))", epsg=3031)(self.path("any.gpkg"))
        gdal.VectorTranslate(self.path("over.gpkg"), self.path("any.gpkg"), geometryType="POLYGON")
        told = self.reproject("over.gpkg", "EPSG:4326")
        self.assertIn("1 feature of several parts in a layer of type Polygon", told["warnings"])
        self.assertNotIn("-nlt", " ".join(told["warnings"]))

    def test_the_outline_of_a_world_map_has_a_place(self):
        lune = "POLYGON ((170 -90,180 -90,180 0,180 90,170 90,170 0,170 -90))"
        layer(lune, epsg=4326)(self.path("lune.gpkg"))
        for crs in ("ESRI:54009", "ESRI:54030"):
            with self.subTest(crs):
                self.reproject("lune.gpkg", crs, output="map.gpkg")
                area, _ = self.measured("map.gpkg")
                self.assertGreater(area, 0)
                self.call("vector_calc", uri="map.gpkg", fields={"a": "$area_m2"}, output="calc.gpkg")
                told = self.reproject("map.gpkg", "EPSG:4326", output="back.gpkg")
                self.assertEqual(told["feature_count"], 1)

    def test_a_buffer_over_the_curved_end_of_a_map_keeps_its_strip(self):
        layer("POINT (178 0)", "POINT (178 40)", "POINT (178 75)", epsg=4326)(self.path("places.gpkg"))
        self.reproject("places.gpkg", "EPSG:8857", output="map.gpkg")
        told = self.call("vector_buffer", uri="map.gpkg", distance=500_000, unit="metre", output="round.gpkg")
        cap = math.pi * 500e3 ** 2 * 0.9984
        self.assertAlmostEqual(told["area_m2"] / (3 * cap), 1, delta=2e-3)

    def test_one_point_has_the_datum_shift_of_its_place(self):
        told = self.reproject(collection(point(174, -41)), "EPSG:2193")
        self.assertFalse(told["transformation"]["ballpark"])
        for crs, (x, y), name in (("EPSG:4267", (-99, 20), "NAD27 to WGS 84 (18)"), ("EPSG:4301", (135, 35), "Tokyo to WGS 84 (108)")):
            layer(f"POINT ({x} {y})", epsg=int(crs[5:]))(self.path("one.gpkg"))
            self.assertIn(name, self.reproject("one.gpkg", "EPSG:4326")["transformation"]["name"])
        layer("POINT (37.60187 55.69996)", epsg=4284)(self.path("one.gpkg"))
        self.call("vector_convert", uri="one.gpkg", output="one.geojson")
        with open(self.path("one.geojson")) as f:
            x, y = json.load(f)["features"][0]["geometry"]["coordinates"]
        self.assertLess(WGS84.inv(x, y, 37.6, 55.7)[2], 1)

    def test_long_edges_that_bend_are_named(self):
        wyoming = [[-111, 41], [-104, 41], [-104, 45], [-111, 45], [-111, 41]]
        bent = [w for w in self.reproject(polygon(wyoming), "EPSG:5070")["warnings"] if "vertices alone" in w]
        self.assertEqual(len(bent), 1)
        # A parallel is an arc of 7 * sin(37.5) = 4.2 degrees, 0.0737, on this conic map: its middle is an eighth of that off the chord.
        self.assertIn("long edges in 1 feature of layer 'OGRGeoJSON' are off by up to 5.4 km (0.92 % of the edge); vector_derive", bent[0])
        self.call("vector_derive", uri=polygon(wyoming), operation="densify", distance=5000, output="dense.gpkg")
        self.assertNotIn("vertices alone", " ".join(self.reproject("dense.gpkg", "EPSG:5070")["warnings"]))
        # Meridians and parallels are straight in Mercator, and short edges nearly so anywhere.
        for shape, crs in ((polygon(wyoming), "EPSG:3857"), (box(9, 50, 9.1, 50.1), "EPSG:3035")):
            self.assertNotIn("vertices alone", " ".join(self.reproject(shape, crs)["warnings"]))

    def test_geojson_of_a_map_names_bent_edges(self):
        layer("POLYGON ((3e5 3e5,4e5 3e5,4e5 4e5,3e5 4e5,3e5 3e5))", epsg=3031)(self.path("ice.gpkg"))
        told = self.call("vector_convert", uri="ice.gpkg", output="ice.geojson")
        self.assertIn("vertices alone were moved: long edges in 1 feature", " ".join(told["warnings"]))

    def test_a_layer_without_crs_beside_one_with_is_named_in_the_way_out(self):
        layer("POINT (12 50)", epsg=4326, name="a")(self.path("two.gpkg"))
        layer("POINT (500000 5500000)", epsg=None, name="b", append=True)(self.path("two.gpkg"))
        p = problem(run(self.session, "vector_reproject", {"uri": "two.gpkg", "dst_crs": "EPSG:3857", "output": "out.gpkg"}))
        self.assertIn('with layer: "b"', p["hint"])


if __name__ == "__main__":
    session.main()
