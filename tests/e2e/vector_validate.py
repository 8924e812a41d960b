"""vector_validate against GEOS through python3-gdal, and areas of closed form; and what it leaves as it is."""
import hashlib
import os
import unittest
import unittest.mock

from osgeo import gdal, ogr, osr

import session
from raster_traps import zone_area
from session import Claims, Session, good, problem
from vector_measure import BOW_TIE, box, collection, polygon, rows_of
from vector_traps import layer

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")


def shapes_of(path):
    file = ogr.Open(path)
    return {f.GetFID(): f.GetGeometryRef() and f.GetGeometryRef().Clone() for f in file.GetLayer(0)}


class vector_validate(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session("--toolsets", "vector-more", workspace=self.workspace)
        self.addCleanup(self.session.close)

    def validate(self, **arguments):
        return good(self.session.call("vector_validate", arguments))

    def test_a_bow_tie_is_named_with_its_place_and_the_repair_it_would_get(self):
        told = self.validate(uri=collection(box(0, 0, 1, 1), polygon(BOW_TIE)), output="bad.gpkg")
        self.assertEqual((told["checked"], told["invalid_count"], told["reasons"]), (2, 1, {"Self-intersection": 1}))
        (row, ) = told["invalid"]
        self.assertEqual((row["id"], row["reason"], row["at"], row["change"]), (2, "Self-intersection", [1, 1], "1 part became 2"))
        self.assertEqual(set(shapes_of(self.path("bad.gpkg"))), {2})
        self.assertFalse(shapes_of(self.path("bad.gpkg"))[2].IsValid())
        self.assertNotIn("repaired_count", told)

    def test_the_area_a_repair_changes_is_that_on_the_ellipsoid(self):
        """Two boxes of which the second is drawn over half of the first: what both cover counts once."""
        twice = {"type": "MultiPolygon", "coordinates": [box(0, 0, 2, 1)["coordinates"], box(1, 0, 3, 1)["coordinates"]]}
        told = self.validate(uri=collection(twice), repair=True, output="mended.gpkg")
        one = zone_area(0, 1, 1)
        self.assertAlmostEqual(told["area_before_m2"] / one, 4, delta=1e-7)
        self.assertAlmostEqual(told["area_after_m2"] / one, 3, delta=1e-7)
        self.assertAlmostEqual(told["invalid"][0]["area_change_m2"] / one, -1, delta=1e-7)
        self.assertAlmostEqual(shapes_of(self.path("mended.gpkg"))[1].GetArea(), 3)

    def test_a_repair_keeps_all_features_with_their_attributes(self):
        source = collection(polygon(BOW_TIE), box(5, 5, 6, 6), polygon([[0, 0], [1, 0], [0, 0], [0, 0]]), None)
        told = self.validate(uri=source, repair=True, output="all.gpkg")
        self.assertEqual((told["feature_count"], told["repaired_count"], told["collapsed_count"], told["without_geometry"]), (4, 1, 1, 1))
        self.assertIn("1 feature collapsed", " ".join(told["warnings"]))
        found = shapes_of(self.path("all.gpkg"))
        self.assertEqual([found[i] is None for i in (1, 2, 3, 4)], [False, False, True, True])
        self.assertTrue(all(g.IsValid() for g in found.values() if g))
        self.assertEqual([rows_of(self.path("all.gpkg"))[i]["class"] for i in (1, 2, 3, 4)], ["a", "b", "c", "a"])
        self.assertEqual(self.validate(uri="all.gpkg")["invalid_count"], 0)

    def test_m_values_that_a_repair_drops_are_said(self):
        layer("POLYGON M ((0 0 1,10 10 2,10 0 3,0 10 4,0 0 1))", "POLYGON M ((20 0 1,30 0 2,30 10 3,20 0 1))")(self.path("m.gpkg"))
        told = self.validate(uri="m.gpkg", repair=True, output="mended.gpkg")
        self.assertIn("the repair takes the m values (1 feature)", told["warnings"])
        self.assertEqual([g.IsMeasured() for g in shapes_of(self.path("mended.gpkg")).values()], [0, 1])
        self.assertEqual(self.validate(uri="m.gpkg", output="bad.gpkg")["warnings"], [])

    def test_a_line_of_one_vertex_is_left_out_of_a_track(self):
        """Recorders begin a segment and lose the signal: GEOS takes no track with such a segment."""
        layer("MULTILINESTRING ((0 0,100 0),(200 300))", "LINESTRING (0 0,0 50)")(self.path("tracks.gpkg"))
        told = self.validate(uri="tracks.gpkg", repair=True, output="mended.gpkg")
        self.assertEqual([(r["id"], r["reason"], r["at"]) for r in told["invalid"]], [(1, "Line of one vertex", [200, 300])])
        self.assertEqual([g.ExportToWkt() for g in shapes_of(self.path("mended.gpkg")).values()], ["MULTILINESTRING ((0 0,100 0))", "LINESTRING (0 0,0 50)"])
        with Session(workspace=self.workspace) as s:
            told = good(s.call("vector_measure", {"uri": "tracks.gpkg", "mode": "planar"}))
            self.assertEqual((told["length_m"], told["invalid_count"], told["invalid"][0]["reason"]), (150, 1, "Line of one vertex at or near point 200 300"))
            told = good(s.call("vector_buffer", {"uri": "tracks.gpkg", "distance": 10, "output": "b.gpkg"}))
            self.assertEqual((told["buffered_count"], told["invalid_count"]), (2, 1))
            self.assertIn("which vector_validate with repair: true leaves out", problem(s.call("vector_dissolve", {"uri": "tracks.gpkg"}))["message"])

    def test_the_input_is_not_touched(self):
        with open(self.path("bad.geojson"), "w", encoding="utf-8") as file:
            file.write(str(collection(polygon(BOW_TIE))).replace("'", '"'))
        before = hashlib.sha256(open(self.path("bad.geojson"), "rb").read()).hexdigest()
        self.validate(uri="bad.geojson", repair=True, output="good.geojson")
        self.assertEqual(hashlib.sha256(open(self.path("bad.geojson"), "rb").read()).hexdigest(), before)
        p = problem(self.session.call("vector_validate", {"uri": "bad.geojson", "repair": True, "output": "bad.geojson", "overwrite": True}))
        self.assertIn("bad.geojson", p["message"])

    def test_twenty_are_named_and_all_are_counted(self):
        told = self.validate(uri=collection(*(polygon([[x, 0], [x + 2, 2], [x + 2, 0], [x, 2], [x, 0]]) for x in range(0, 75, 3))))
        self.assertEqual((told["invalid_count"], len(told["invalid"]), told["feature_count"]), (25, 20, 25))

    def test_a_layer_without_a_crs_is_checked_and_its_areas_are_not_told(self):
        import json
        import subprocess
        subprocess.run(["ogr2ogr", "-a_srs", "None", self.path("bare.gpkg"), "/vsistdin/"], input=json.dumps(collection(polygon(BOW_TIE))).encode(), check=True)
        told = self.validate(uri="bare.gpkg", repair=True)
        self.assertEqual((told["invalid_count"], told["repaired_count"]), (1, 1))
        self.assertNotIn("area_before_m2", told)
        self.assertIn("no CRS", " ".join(told["warnings"]))

    def test_points_and_tables(self):
        told = self.validate(uri=collection({"type": "Point", "coordinates": [0, 0]}))
        self.assertEqual((told["checked"], told["invalid_count"], told["invalid"], told["feature_count"]), (1, 0, [], 0))
        with open(self.path("table.csv"), "w", encoding="utf-8") as file:
            file.write("a,b\n1,2\n")
        self.assertIn("table", problem(self.session.call("vector_validate", {"uri": "table.csv"}))["message"])

    def test_real_layers_agree_with_geos(self):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        for name in ("olinda/olinda1.shp", "world/naturalearth_lowres.shp", "world/nc_counties_nad27.gpkg"):
            source = os.path.join(DATA, name)
            if not os.path.exists(source):
                continue
            with gdal.quiet_errors() if hasattr(gdal, "quiet_errors") else unittest.mock.MagicMock(), self.subTest(name=name), \
                    Session("--toolsets", "vector-more", workspace=DATA) as on_data:
                gdal.PushErrorHandler("CPLQuietErrorHandler")
                expected = {i for i, g in shapes_of(source).items() if g and not g.IsValid()}
                gdal.PopErrorHandler()
                told = good(on_data.call("vector_validate", {"uri": source, "repair": True}))
                self.assertEqual(told["invalid_count"], len(expected))
                self.assertLessEqual({r["id"] for r in told["invalid"]}, expected)
                self.assertEqual(told["repaired_count"] + told["collapsed_count"], len(expected))


    def test_coordinates_that_are_no_degrees_are_named_and_not_repaired(self):
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(4326)
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("d.gpkg"))
        layer = file.CreateLayer("d", srs, ogr.wkbPoint)
        for x, y in ((10, 50), (50, 100), (200, 10), (500000, 80), (-180, -90)):
            f = ogr.Feature(layer.GetLayerDefn())
            f.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({x} {y})"))
            layer.CreateFeature(f)
        del layer, file
        for repair in (False, True):
            told = self.validate(uri="d.gpkg", repair=repair, output="o.gpkg", overwrite=True)
            self.assertEqual(told["reasons"], {"Latitude beyond 90": 1, "Longitude beyond 360": 1})
            self.assertEqual([(r["id"], r["at"], r["change"]) for r in told["invalid"]], [(2, [50, 100], "written without geometry"), (4, [500000, 80], "written without geometry")])
            self.assertEqual(told["feature_count"], 5 if repair else 2)
            self.assertEqual([i for i, g in shapes_of(self.path("o.gpkg")).items() if g], [1, 3, 5] if repair else [])
            self.assertIn("1 feature past longitude 180", " ".join(told["warnings"]))

if __name__ == "__main__":
    session.main()
