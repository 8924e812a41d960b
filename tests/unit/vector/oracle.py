"""vector_info, vector_query and vector_reproject through the host, against Debian's ogr2ogr program and python3-gdal."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "e2e"))
import session  # noqa: E402
from osgeo import gdal, ogr, osr  # noqa: E402
from session import Claims, Session, good, problem, run  # noqa: E402

gdal.UseExceptions()
ogr.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")


def crs(code):
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(code)
    reference.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return reference


def layer(path, features, name="sites", code=4326, kind=ogr.wkbUnknown, driver="GPKG", append=False):
    """features: {fid: (wkt, name, size)}."""
    dataset = ogr.Open(path, 1) if append else ogr.GetDriverByName(driver).CreateDataSource(path)
    made = dataset.CreateLayer(name, crs(code) if code else None, kind)
    field = ogr.FieldDefn("name", ogr.OFTString)
    field.SetWidth(20)
    made.CreateField(field)
    made.CreateField(ogr.FieldDefn("size", ogr.OFTInteger64))
    for fid, (wkt, text, size) in features.items():
        feature = ogr.Feature(made.GetLayerDefn())
        feature.SetFID(fid)
        feature["name"] = text
        feature["size"] = size
        if wkt:
            feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        made.CreateFeature(feature)


def contents(path, name=None):
    """{fid: (ISO WKT, attributes)} of a layer."""
    dataset = gdal.OpenEx(path, gdal.OF_VECTOR)
    opened = dataset.GetLayerByName(name) if name else dataset.GetLayer(0)
    return {f.GetFID(): (f.GetGeometryRef().ExportToIsoWkt() if f.GetGeometryRef() else None,
                         {k: f[k] for k in f.keys()}) for f in opened}


def program(*words):
    subprocess.run([str(w) for w in words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


BOX = "POLYGON ((10 50, 12 50, 12 52, 10 52, 10 50))"
SITES = {
    3: ("POLYGON Z ((10 50 1, 11 50 2, 11 51 3, 10 50 1))", "Ås", 5),
    41: ("MULTIPOLYGON Z (((12 50 0, 13 50 0, 13 51 0, 12 50 0)), ((14 50 0, 15 50 0, 15 51 0, 14 50 0)))", None, 2**40),
    42: (None, "nowhere", None),
}


class Vector(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def reproject(self, **arguments):
        return good(run(self.session, "vector_reproject", arguments))

    def query(self, **arguments):
        return good(run(self.session, "vector_query", arguments))

    def refused(self, tool, **arguments):
        return problem(run(self.session, tool, arguments))


class reprojecting(Vector):
    def same_as_ogr2ogr(self, source, code, extension="gpkg", extra=()):
        done = self.reproject(uri=source, dst_crs=f"epsg:{code}", output=f"ours.{extension}")
        theirs = self.path(f"theirs.{extension}")
        program("ogr2ogr", "-t_srs", f"EPSG:{code}", "-preserve_fid", *extra, theirs, source)
        self.assertEqual(contents(self.path(f"ours.{extension}")), contents(theirs))
        return done

    def test_every_feature_equals_ogr2ogrs(self):
        layer(self.path("a.gpkg"), SITES)
        done = self.same_as_ogr2ogr(self.path("a.gpkg"), 32633)
        self.assertEqual((done["feature_count_before"], done["feature_count"]), (3, 3))
        self.assertEqual(done["transformation"]["accuracy_m"], 0)
        self.assertEqual(done["dst_crs"]["code"], "EPSG:32633")

    def test_real_counties_equal_ogr2ogrs_across_a_datum_shift(self):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        source = self.path("counties.gpkg")
        program("cp", os.path.join(DATA, "world", "nc_counties_nad27.gpkg"), source)
        for code in (3857, 32617, 4326):
            for stale in ("ours.gpkg", "ours.gpkg.provenance.json", "theirs.gpkg"):
                pathlib.Path(self.path(stale)).unlink(missing_ok=True)
            done = self.same_as_ogr2ogr(source, code)
            self.assertIn("NAD27 to WGS 84", done["transformation"]["name"])
            self.assertGreater(done["transformation"]["accuracy_m"], 1)
            self.assertEqual(done["feature_count"], 100)

    def test_multi_parts_of_a_shapefile_stay_what_they_are(self):
        layer(self.path("a.shp"), {0: (BOX, "a", 1), 1: (SITES[41][0].replace(" Z", ""), "b", 2)}, kind=ogr.wkbPolygon,
              driver="ESRI Shapefile")
        done = self.same_as_ogr2ogr(self.path("a.shp"), 3857, extra=("-nlt", "PROMOTE_TO_MULTI"))
        self.assertEqual(done["layers"][0]["geometry_type"], "MultiPolygon")

    def test_all_layers_or_one(self):
        layer(self.path("a.gpkg"), SITES)
        layer(self.path("a.gpkg"), {7: ("POINT (15 0)", "b", 1)}, name="towns", code=4258, kind=ogr.wkbPoint, append=True)
        done = self.reproject(uri="a.gpkg", dst_crs="EPSG:32633", output="all.gpkg", allow_ballpark=True)
        self.assertEqual([(l["name"], l["src_crs"], l["feature_count"]) for l in done["layers"]],
                         [("sites", "EPSG:4326", 3), ("towns", "EPSG:4258", 1)])
        self.assertNotIn("src_crs", done)
        wkt, _ = contents(self.path("all.gpkg"), "towns")[7]
        x, y = (float(v) for v in wkt[7:-1].split())
        self.assertAlmostEqual(x, 500000, 3)
        self.assertAlmostEqual(y, 0, 3)
        one = self.reproject(uri="a.gpkg", layer="towns", dst_crs="EPSG:32633", output="one.gpkg", allow_ballpark=True)
        self.assertEqual(one["feature_count"], 1)
        self.assertIn("sites", self.refused("vector_reproject", uri="a.gpkg", dst_crs="EPSG:32633", output="a.shp")["hint"])

    def test_polygons_that_come_out_invalid_are_named(self):
        # Two vertices of the hole are 7e-15 degrees apart, which metres do not tell apart.
        hole = "(15 60.5,15.1 60.6,15 60.50000000000001,15 60.5)"
        layer(self.path("h.gpkg"), {1: ("POLYGON ((14 60,16 60,16 61,14 61,14 60))", "plain", 1),
                                    2: (f"POLYGON ((14 60,16 60,16 61,14 61,14 60),{hole})", "sliver", 2)}, kind=ogr.wkbPolygon)
        file = ogr.Open(self.path("h.gpkg"))
        sliver = file.GetLayer(0).GetFeature(2)
        self.assertTrue(sliver.GetGeometryRef().IsValid())
        del sliver, file
        told = self.reproject(uri="h.gpkg", dst_crs="EPSG:32633", output="m.gpkg")
        self.assertRegex(" ".join(told["warnings"]), r"1 feature of layer 'sites' came out invalid, the first is feature 2 \(.*\): vector_validate with repair: true")

    def test_a_layer_without_crs_is_refused_until_src_crs_says_it(self):
        layer(self.path("a.gpkg"), {1: ("POINT (15 0)", "a", 1)}, code=None)
        self.assertIn("src_crs", self.refused("vector_reproject", uri="a.gpkg", dst_crs="EPSG:32633")["hint"])
        done = self.reproject(uri="a.gpkg", dst_crs="EPSG:32633", src_crs="EPSG:4326", output="b.gpkg")
        self.assertEqual(done["src_crs"]["code"], "EPSG:4326")
        self.assertAlmostEqual(done["bounds"]["native"][0], 500000, 3)

    def test_features_without_a_place_are_named_never_dropped_unsaid(self):
        layer(self.path("a.gpkg"), {1: ("POINT (15 0)", "a", 1), 8: ("POINT (105 0)", "b", 1)})
        p = self.refused("vector_reproject", uri="a.gpkg", dst_crs="EPSG:32633", output="b.gpkg")
        self.assertIn("1 of 2 features", p["message"])
        self.assertIn("ids 8", p["message"])
        self.assertNotIn("b.gpkg", self.files())
        done = self.reproject(uri="a.gpkg", dst_crs="EPSG:32633", output="b.gpkg", skip_failed=True)
        self.assertEqual(done["layers"][0]["failed_ids"], [8])
        self.assertEqual((done["feature_count_before"], done["feature_count"]), (2, 1))
        self.assertTrue(any("left out" in w for w in done["warnings"]), done["warnings"])

    def test_geojson_is_wgs84_or_refused(self):
        layer(self.path("a.gpkg"), SITES, code=4326)
        self.assertIn("RFC 7946", self.refused("vector_reproject", uri="a.gpkg", dst_crs="EPSG:3857", output="a.geojson")["message"])
        self.reproject(uri="a.gpkg", dst_crs="OGC:CRS84", output="b.geojson")
        written = json.loads(pathlib.Path(self.path("b.geojson")).read_text())
        self.assertNotIn("crs", written)
        self.assertEqual([f["id"] for f in written["features"]], [3, 41, 42])
        self.assertEqual(written["features"][0]["geometry"]["coordinates"][0][0], [10, 50, 1])

    def test_other_formats_hold_the_same_features(self):
        layer(self.path("a.gpkg"), {0: ("POINT (10 50)", "Ås", 1), 1: ("POINT (20 60)", "b", 2)}, kind=ogr.wkbPoint)
        for extension in ("shp", "fgb"):
            done = self.reproject(uri="a.gpkg", dst_crs="EPSG:3857", output=f"b.{extension}")
            names = {attributes["name"] for _, attributes in contents(self.path(f"b.{extension}")).values()}
            self.assertEqual(names, {"Ås", "b"})
            self.assertEqual(done["output"]["crs"], "EPSG:3857")

    def test_field_names_a_shapefile_cuts_are_warned_of(self):
        layer(self.path("a.gpkg"), {0: ("POINT (10 50)", "a", 1)}, kind=ogr.wkbPoint)
        dataset = ogr.Open(self.path("a.gpkg"), 1)
        dataset.GetLayer(0).CreateField(ogr.FieldDefn("a_name_longer_than_ten", ogr.OFTString))
        del dataset
        done = self.reproject(uri="a.gpkg", dst_crs="EPSG:3857", output="b.shp")
        self.assertTrue(any("a_name_longer_than_ten" in w for w in done["warnings"]), done["warnings"])

    def test_a_damaged_file_is_refused_at_the_damaged_feature(self):
        layer(self.path("a.shp"), {i: (BOX, f"n{i}", i) for i in range(9)}, kind=ogr.wkbPolygon, driver="ESRI Shapefile")
        with open(self.path("a.shp"), "r+b") as f:
            f.truncate(100 + 136 * 5 + 20)
        p = self.refused("vector_reproject", uri="a.shp", dst_crs="EPSG:3857", output="b.gpkg")
        self.assertRegex(p["message"], "damaged|Corrupted")
        self.assertNotIn("b.gpkg", self.files())


class querying(Vector):
    def setUp(self):
        super().setUp()
        # A diagonal strip whose box is much larger than itself, and a grid of small squares.
        self.strip = {"type": "Polygon", "coordinates": [[[10, 50], [10.4, 50], [14, 54], [13.6, 54], [10, 50]]]}
        self.squares = {}
        for i in range(100):
            x, y = 10 + (i % 10) * 0.4, 50 + (i // 10) * 0.4
            self.squares[i + 1] = (f"POLYGON (({x} {y}, {x + .2} {y}, {x + .2} {y + .2}, {x} {y + .2}, {x} {y}))", f"s{i}", i)
        layer(self.path("a.gpkg"), self.squares, kind=ogr.wkbPolygon)

    def expected(self, test):
        area = ogr.CreateGeometryFromJson(json.dumps(self.strip))
        return {fid for fid, (wkt, _, _) in self.squares.items() if test(ogr.CreateGeometryFromWkt(wkt), area)}

    def test_predicates_equal_ogrs_on_the_polygon_itself(self):
        for predicate, test in (("intersects", lambda f, a: f.Intersects(a)), ("within", lambda f, a: f.Within(a)),
                                ("contains", lambda f, a: f.Contains(a))):
            self.query(uri="a.gpkg", geometry=self.strip, predicate=predicate, output=f"{predicate}.gpkg", purpose="test")
            self.assertEqual(set(contents(self.path(f"{predicate}.gpkg"))), self.expected(test), predicate)
        self.assertLess(len(self.expected(lambda f, a: f.Intersects(a))), 40)  # the box would hold all 100

    def test_clipping_equals_ogr2ogrs(self):
        found = self.query(uri="a.gpkg", geometry=self.strip, clip=True, output="ours.gpkg", purpose="test")
        area = ogr.CreateGeometryFromJson(json.dumps(self.strip)).ExportToWkt()
        program("ogr2ogr", "-clipsrc", area, "-nlt", "PROMOTE_TO_MULTI", "-preserve_fid", self.path("theirs.gpkg"), self.path("a.gpkg"))
        ours, theirs = contents(self.path("ours.gpkg")), contents(self.path("theirs.gpkg"))
        self.assertEqual(set(ours), set(theirs))
        for fid, (wkt, attributes) in ours.items():
            a, b = ogr.CreateGeometryFromWkt(wkt), ogr.CreateGeometryFromWkt(theirs[fid][0])
            self.assertAlmostEqual(a.SymDifference(b).Area(), 0, 12)
            self.assertEqual(attributes, theirs[fid][1])
        self.assertEqual(found["geometry_type"], "MultiPolygon")

    def test_a_condition_selects_as_ogrinfo_does(self):
        for where in ("size > 90", "name LIKE 's1%'", "size BETWEEN 3 AND 5 OR name = 's99'", "name IS NULL"):
            pathlib.Path(self.path("ours.gpkg")).unlink(missing_ok=True)
            self.query(uri="a.gpkg", where=where, output="ours.gpkg", overwrite=True, purpose="test")
            program("ogr2ogr", "-where", where, "-preserve_fid", self.path(f"theirs.gpkg"), self.path("a.gpkg"), "-overwrite")
            self.assertEqual(contents(self.path("ours.gpkg")), contents(self.path("theirs.gpkg")), where)

    def test_a_limit_keeps_the_first_and_counts_all(self):
        found = self.query(uri="a.gpkg", where="size >= 50", limit=3, attributes=["size"])
        self.assertEqual((found["feature_count"], found["matched_total"], found["truncated"]), (3, 50, True))
        self.assertEqual([f["properties"] for f in found["features"]["features"]], [{"size": 50}, {"size": 51}, {"size": 52}])

    def test_unknown_fields_are_refused_with_the_list(self):
        for arguments in ({"attributes": ["colour"]}, {"where": "colour = 1"}):
            p = self.refused("vector_query", uri="a.gpkg", **arguments)
            self.assertIn("name (String), size (Integer64)", p["hint"])

    def test_an_empty_result_names_what_each_filter_left(self):
        found = self.query(uri="a.gpkg", where="size > 1000")
        self.assertEqual((found["feature_count"], found["features"]["features"]), (0, []))
        self.assertEqual(found["note"], "nothing is left: 100 features in the layer, 0 of them match 'where'")
        self.assertTrue(any("0 of them match 'where'" in w for w in found["warnings"]), found["warnings"])
        shapes = {1: ("LINESTRING (0 0, 10 10)", "a", 1), 2: ("LINESTRING (0 1, 9 10)", "b", 2), 3: ("LINESTRING (20 0, 20 10)", "a", 3), 4: (None, "a", 4)}
        for driver in ("GPKG", "ESRI Shapefile"):
            name = "lines.gpkg" if driver == "GPKG" else "lines.shp"
            layer(self.path(name), shapes, name="lines", kind=ogr.wkbLineString, driver=driver)
            with self.subTest(driver):
                corner = self.query(uri=name, where="name = 'a'", geometry={"type": "Polygon", "coordinates": [[[6, 1], [9, 1], [9, 7.5], [6, 1]]]})
                self.assertIn("4 features in the layer, 2 of them in the box of 'geometry', 1 of them match 'where', 0 of them meet it", corner["note"])
                nobody = self.query(uri=name, where="size > 5", geometry=[0, 0, 1, 1], predicate="within")
                self.assertIn("2 of them in the box of 'geometry', 0 of them match 'where'", nobody["note"])
                inside = self.query(uri=name, geometry=[0, 0, 5, 5], predicate="within")
                self.assertIn("0 of them related to it by 'within'", inside["note"])

    def test_no_overlap_is_refused_with_both_extents_in_both_crss(self):
        layer(self.path("utm.gpkg"), {1: ("POINT (500000 0)", "origin", 1), 2: ("POINT (600000 1000)", "b", 1)}, code=32633)
        p = self.refused("vector_query", uri="utm.gpkg", geometry=[20, 10, 21, 11], geometry_crs="OGC:CRS84")
        there = osr.CoordinateTransformation(crs(4326), crs(32633)).TransformBounds(20, 10, 21, 11, 21)
        for text in ("[20,10,21,11] in OGC:CRS84", f"[{there[0]:.0f}"[:6], "[500000,0,600000,1000] in EPSG:32633", "[15,0,15.898"):
            self.assertIn(text, p["message"])

    def test_a_gap_in_the_layer_is_no_refusal(self):
        layer(self.path("far.gpkg"), {1: ("POINT (0 0)", "a", 1), 2: ("POINT (10 10)", "b", 2)})
        found = self.query(uri="far.gpkg", geometry=[4, 4, 5, 5])
        self.assertEqual(found["feature_count"], 0)
        self.assertIn("0 of them in the box", found["note"])

    def test_order_is_sqlites_with_nulls_last_and_ties_counted(self):
        values = {i: (f"POINT ({i} 0)", [None, "b", "a", "ä", "B"][i % 5], [None, 7, -2, 2**53 + 1, 2**53, 7][i % 6]) for i in range(1, 31)}
        layer(self.path("o.gpkg"), values)
        layer(self.path("o.shp"), values, driver="ESRI Shapefile", name="o")

        def rows(name, sql="SELECT name, size FROM sites ORDER BY fid"):
            source = gdal.OpenEx(self.path(name))
            result = source.ExecuteSQL(sql)
            found = [(f["name"], f["size"]) for f in result]
            source.ReleaseResultSet(result)
            return found

        for by, sql in ((["size desc", "name"], "size DESC NULLS LAST, name NULLS LAST, fid"), (["name", "size asc"], "name NULLS LAST, size NULLS LAST, fid"),
                        (["size"], "size NULLS LAST, fid")):
            with self.subTest(by):
                self.query(uri="o.gpkg", order=by, output="s.gpkg", overwrite=True)
                self.query(uri="o.gpkg", order=by, limit=7, output="top.gpkg", overwrite=True)
                expected = rows("o.gpkg", f"SELECT name, size FROM sites ORDER BY {sql}")
                self.assertEqual(rows("s.gpkg"), expected)
                self.assertEqual(rows("top.gpkg"), expected[:7])
        found = self.query(uri="o.gpkg", order=["size desc"], limit=7)
        self.assertIn("up to size 9007199254740992, which 3 of those left out have as well", found["note"])
        self.assertEqual((found["matched_total"], found["feature_count"], found["truncated"]), (30, 7, True))
        found = self.query(uri="o.shp", order=["size"], limit=2, attributes=["name"])
        self.assertEqual(found["features"]["features"][0]["properties"], {"name": "a"})
        self.assertIn("name (String)", self.refused("vector_query", uri="o.gpkg", order=["colour desc"])["hint"])

    def test_order_compares_times_in_their_zones(self):
        with open(self.path("t.geojson"), "w", encoding="utf-8") as file:
            json.dump({"type": "FeatureCollection", "features": [
                {"type": "Feature", "properties": {"t": t}, "geometry": {"type": "Point", "coordinates": [0, 0]}}
                for t in ("2020-05-01T01:00:00Z", "2020-04-30T23:00:00-05:00", "2019-12-31T23:59:59Z")]}, file)
        found = self.query(uri="t.geojson", order=["t desc"])
        self.assertEqual([f["properties"]["t"][:10] for f in found["features"]["features"]], ["2020-04-30", "2020-05-01", "2019-12-31"])

    def test_geometries_in_another_crs_select_the_same(self):
        area = ogr.CreateGeometryFromJson(json.dumps(self.strip))
        area.AssignSpatialReference(crs(4326))
        area.Segmentize(0.01)
        area.TransformTo(crs(3857))
        here = self.query(uri="a.gpkg", geometry=self.strip)
        there = self.query(uri="a.gpkg", geometry=json.loads(area.ExportToJson()), geometry_crs="EPSG:3857")
        self.assertEqual(here["feature_count"], there["feature_count"])
        self.assertEqual(there["geometry_crs"], "EPSG:3857")

    def test_shown_features_are_longitude_latitude_whatever_the_layers_crs(self):
        layer(self.path("utm.gpkg"), {1: ("POINT (500000 0)", "origin", 1)}, code=32633)
        found = self.query(uri="utm.gpkg")
        self.assertEqual(found["features"]["features"][0]["geometry"]["coordinates"], [15, 0])
        self.assertEqual(found["crs"]["code"], "EPSG:32633")

    def test_the_shown_text_is_bounded(self):
        layer(self.path("many.gpkg"), {i: ("POINT (1 2)", "x" * 20, i) for i in range(1, 3000)})
        found = self.query(uri="many.gpkg", show=1000)
        self.assertLess(len(json.dumps(found["features"], separators=(",", ":"))), 50001)
        self.assertEqual(found["feature_count"], 2999)
        self.assertLess(found["features_shown"], 2999)

    def test_invalid_geometries_are_counted_and_named(self):
        layer(self.path("bow.gpkg"), {5: ("POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))", "bow-tie", 1)})
        found = self.query(uri="bow.gpkg", geometry=[0, 0, 3, 3])
        self.assertEqual((found["feature_count"], found["invalid_count"]), (1, 1))
        self.assertEqual(found["invalid"][0]["id"], 5)
        self.assertIn("Self-intersection", found["invalid"][0]["reason"])

    def test_a_result_is_an_input(self):
        first = self.query(uri="a.gpkg", geometry=self.strip)
        second = self.query(uri=first["output"]["uri"], where="size < 50")
        self.assertLess(second["feature_count"], first["feature_count"])
        self.assertGreater(second["feature_count"], 0)

    def test_inline_geojson_is_an_input(self):
        found = self.query(uri={"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"a": 1}, "geometry": {"type": "Point", "coordinates": [1, 2]}}]})
        self.assertEqual(found["feature_count"], 1)


class describing(Vector):
    def test_layers_fields_and_geometries_are_described(self):
        layer(self.path("a.gpkg"), {**SITES, 50: ("POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))", "bow-tie", 1)})
        about = good(self.session.call("vector_info", {"uri": "a.gpkg"}))
        self.assertEqual(about["driver"], "GPKG")
        (only,) = about["layers"]
        self.assertEqual((only["name"], only["feature_count"], only["crs"]["code"]), ("sites", 4, "EPSG:4326"))
        self.assertEqual(only["fields"], [{"name": "name", "type": "String", "width": 20},
                                          {"name": "size", "type": "Integer64"}])
        self.assertEqual({t["type"]: t["count"] for t in only["geometry_types"]},
                         {"Polygon Z": 1, "MultiPolygon Z": 1, "Polygon": 1})
        self.assertEqual((only["without_geometry"], only["invalid_count"]), (1, 1))
        self.assertTrue(only["spatial_index"])

    def test_damaged_features_are_counted(self):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        for name in ("rivers.shp", "rivers.shx", "rivers.dbf", "rivers.prj", "rivers.cpg"):
            program("cp", os.path.join(DATA, "swellendam", name), self.path(name))
        about = good(self.session.call("vector_info", {"uri": "rivers.shp", "check_geometries": True}))
        self.assertGreater(about["layers"][0]["damaged_count"], 0)
        self.assertTrue(any("Corrupted" in w for w in about["warnings"]), about["warnings"])


if __name__ == "__main__":
    session.main()
