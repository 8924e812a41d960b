"""vector_convert against the ogr2ogr program, format by format; tables; losses that must be named; and what it refuses."""
import json
import math
import os
import sqlite3
import struct
import subprocess
import unittest

from osgeo import gdal, ogr, osr

import session
from session import Claims, Session, good, problem, run

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")
FORMATS = {"gpkg": "GPKG", "shp": "ESRI Shapefile", "geojson": "GeoJSON", "geojsonl": "GeoJSONSeq", "fgb": "FlatGeobuf", "csv": "CSV",
           "kml": "KML", "gml": "GML"}
SOURCES = {"point": ("POINT (10.5 50.25)", "POINT (11 51)"), "line": ("LINESTRING (10 50,11 51,12 50)", "LINESTRING (0 0,1 1)"),
           "polygon": ("POLYGON ((10 50,12 50,12 52,10 50),(11 50.5,11.5 50.75,11.5 50.5,11 50.5))", "POLYGON ((0 0,1 0,1 1,0 0))"),
           "multi": ("MULTIPOLYGON (((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5)))", "MULTIPOLYGON (((2 2,3 2,3 3,2 2)))")}


def make(path, shapes, driver="GPKG", code=4326, kind=ogr.wkbUnknown, options=(), text=("Ås", None), big=2**40):
    file = ogr.GetDriverByName(driver).CreateDataSource(path)
    reference = None
    if code:
        reference = osr.SpatialReference()
        reference.ImportFromEPSG(code)
        reference.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    layer = file.CreateLayer("sites", reference, kind, list(options))
    for name, of in (("name", ogr.OFTString), ("size", ogr.OFTInteger64), ("share", ogr.OFTReal), ("day", ogr.OFTDate)):
        layer.CreateField(ogr.FieldDefn(name, of))
    for i, shape in enumerate(shapes):
        f = ogr.Feature(layer.GetLayerDefn())
        f["name"], f["size"], f["share"] = text[i % 2], big, 0.1 * i
        f.SetField("day", f"2020/01/0{i + 1}")
        if shape:
            f.SetGeometry(ogr.CreateGeometryFromWkt(shape))
        layer.CreateFeature(f)


def contents(path, fields=("name", "size", "share", "day"), alike=False):
    """Geometry and attributes of each feature as text, sorted; an empty text is a null. alike: whatever the winding, the first vertex,
    a height of 0 and a multi-part of one part."""
    file = gdal.OpenEx(path, gdal.OF_VECTOR)
    found = []
    for f in file.GetLayer(0):
        shape = f.GetGeometryRef()
        if shape and alike:
            shape = ogr.ForceTo(shape.Clone(), ogr.GT_GetCollection(ogr.GT_Flatten(shape.GetGeometryType()))).Normalize()
            shape.FlattenTo2D()
        found.append((shape.ExportToIsoWkt() if shape else None,
                      [f.GetFieldAsString(n).replace("/", "-").replace(" 00:00:00", "") or None if f.GetFieldIndex(n) >= 0 else "absent" for n in fields]))
    return sorted(found, key=str)


class vector_convert(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def convert(self, **arguments):
        return good(self.session.call("vector_convert", arguments))

    def refused(self, *words, **arguments):
        p = problem(self.session.call("vector_convert", arguments))
        for word in words:
            self.assertIn(word, p["message"] + p.get("hint", ""))
        return p

    def text(self, name, contents_):
        with open(self.path(name), "wb") as file:
            file.write(contents_ if isinstance(contents_, bytes) else contents_.encode())

    def test_every_format_equals_ogr2ogrs(self):
        for kind, shapes in SOURCES.items():
            source = f"{kind}.gpkg"
            make(self.path(source), shapes, kind=getattr(ogr, "wkb" + {"multi": "MultiPolygon", "line": "LineString"}.get(kind, kind.title())))
            for extension, driver in FORMATS.items():
                with self.subTest(kind=kind, format=extension):
                    ours, theirs = f"{kind}_{extension}_ours.{extension}", self.path(f"{kind}_{extension}_theirs.{extension}")
                    told = self.convert(uri=source, output=ours)
                    options = {"CSV": ["-lco", "GEOMETRY=AS_WKT", "-lco", "GEOMETRY_NAME=WKT"], "GeoJSON": ["-lco", "RFC7946=YES"]}.get(driver, [])
                    subprocess.run(["ogr2ogr", "-f", driver, *options, theirs, self.path(source)], check=True, stderr=subprocess.DEVNULL)
                    common = ("name", "size", "share", "day")
                    self.assertEqual(contents(self.path(ours), common, alike=True), contents(theirs, common, alike=True))
                    self.assertEqual((told["driver"], told["feature_count"]), (driver, 2))
                    # Back again: nothing is lost.
                    back = self.convert(uri=ours, output=f"{kind}_{extension}_back.gpkg")
                    self.assertIn(back["crs"]["code"], ("EPSG:4326", "OGC:CRS84"))
                    self.assertEqual(contents(self.path(f"{kind}_{extension}_back.gpkg"), alike=True), contents(self.path(source), alike=True))

    def test_every_format_is_read(self):
        """MapInfo, DXF, SQLite and ODS are read though not written."""
        make(self.path("a.gpkg"), SOURCES["line"], kind=ogr.wkbLineString)
        for extension, driver in (("tab", "MapInfo File"), ("dxf", "DXF"), ("sqlite", "SQLite")):
            source = self.path(f"a.{extension}")
            subprocess.run(["ogr2ogr", "-f", driver, *(["-select", "", "-skipfailures"] if driver == "DXF" else []), source, self.path("a.gpkg")],
                           check=True, stderr=subprocess.DEVNULL)
            with self.subTest(driver=driver):
                self.convert(uri=f"a.{extension}", output=f"from_{extension}.gpkg")
                theirs = self.path(f"theirs_{extension}.gpkg")
                subprocess.run(["ogr2ogr", theirs, source], check=True, stderr=subprocess.DEVNULL)
                self.assertEqual(contents(self.path(f"from_{extension}.gpkg")), contents(theirs))

    def test_entities_of_dxf_that_gdal_passes_over_are_named(self):
        line = "0\nLINE\n8\n0\n10\n0\n20\n0\n11\n3\n21\n4\n"
        others = "0\nXLINE\n8\n0\n10\n1\n20\n1\n11\n1\n21\n0\n" * 2 + "0\nACAD_TABLE\n8\n0\n"
        for name, entities in (("lines.dxf", line), ("more.dxf", line + others + line)):
            self.text(name, "0\nSECTION\n2\nENTITIES\n" + entities + "0\nENDSEC\n0\nEOF\n")
            for tool, arguments in (("vector_info", {}), ("vector_query", {}), ("vector_convert", {"crs": "EPSG:32632", "output": "o.gpkg", "overwrite": True})):
                told = good(self.session.call(tool, {"uri": name, **arguments}))
                self.assertEqual([w for w in told["warnings"] if "entities" in w],
                                 ["more.dxf has entities that GDAL does not read, which are left out: XLINE, ACAD_TABLE"] if name == "more.dxf" else [])
        self.assertEqual(told["feature_count"], 2)

    def test_coordinates_that_cannot_be_in_the_crs_are_named(self):
        self.text("d.csv", "n,lon,lat\na,15.1,50.2\nb,15.3,50.4\n")
        self.text("m.csv", "n,e,n_\na,500100,5560000\nb,500300,5560400\n")

        def warnings(x, y, crs, uri="d.csv"):
            return " ".join(self.convert(uri=uri, x=x, y=y, crs=crs, output="o.gpkg", overwrite=True)["warnings"])
        for crs in ("EPSG:32633", "EPSG:3857"):
            self.assertIn(f"look like degrees, but are placed in {crs}", warnings("lon", "lat", crs))
        self.assertIn("outside the area of use of EPSG:27700", warnings("e", "n_", "EPSG:27700", "m.csv"))
        # UTM taken for Gauss-Krueger, whose eastings begin with the zone: PROJ has no place for it.
        self.text("utm.csv", "n,e,n_\na,690000,5330000\nb,690100,5330100\n")
        self.assertIn("outside the area of use of EPSG:31468", warnings("e", "n_", "EPSG:31468", "utm.csv"))
        self.text("gk.csv", "n,e,n_\na,4470000,5330000\nb,4470100,5330100\n")
        self.assertEqual(warnings("e", "n_", "EPSG:31468", "gk.csv"), "")
        self.assertIn("""'lat' is taken for x, which counts to the east, and 'lon' for y: if the names are right, give {"x": "lon", "y": "lat"}""",
                      warnings("lat", "lon", "EPSG:4326"))
        self.assertEqual((warnings("lon", "lat", "EPSG:4326"), warnings("e", "n_", "EPSG:32633", "m.csv")), ("", ""))
        # Columns that become points by their names are placed by 'crs' alone.
        self.assertIn("look like degrees", " ".join(self.convert(uri="d.csv", crs="EPSG:32633", output="named.gpkg")["warnings"]))

    def test_a_new_table_does_not_replace_the_crs_file_of_a_shapefile(self):
        make(self.path("tr.shp"), ["POINT (289000 9120000)"], driver="ESRI Shapefile", code=31985, kind=ogr.wkbPoint, big=1)
        make(self.path("degrees.gpkg"), ["POINT (-34.9 -8)"])
        with open(self.path("tr.prj")) as file:
            before = file.read()
        self.refused("tr.prj belongs to", "tr.shp", "another name", uri="degrees.gpkg", output="tr.csv", overwrite=True)
        with open(self.path("tr.prj")) as file:
            self.assertEqual(file.read(), before)

    def test_a_table_and_a_shapefile_of_one_name_keep_their_crs(self):
        make(self.path("utm.gpkg"), ["POINT (289000 9120000)"], code=31985, kind=ogr.wkbPoint)
        make(self.path("degrees.gpkg"), ["POINT (-34.9 -8)"])
        self.convert(uri="utm.gpkg", output="qq.csv")
        for overwrite in (False, True):
            self.refused("qq.prj belongs to", "qq.csv", "another name", uri="degrees.gpkg", output="qq.shp", overwrite=overwrite)
        # lon and lat beside a Shapefile in metres.
        self.convert(uri="utm.gpkg", output="sta.shp")
        self.text("sta.csv", "id,lon,lat\n1,8.5,47.3\n2,8.6,47.4\n")
        told = self.convert(uri="sta.csv", output="sta.gpkg")
        self.assertEqual(told["crs"]["code"], "OGC:CRS84")
        self.text("sta.csvt", '"String","Real","Real"\n')
        told = self.convert(uri="sta.csv", output="typed.gpkg")
        self.assertEqual(([f["type"] for f in told["fields"]], told["crs"]["code"]), (["String", "Real", "Real"], "OGC:CRS84"))
        # What replaces the table leaves the Shapefile whole.
        self.text("plain.csv", "id,v\n1,2\n")
        self.convert(uri="plain.csv", output="sta.csv", overwrite=True)
        self.assertEqual(self.convert(uri="sta.shp", output="again.gpkg")["crs"]["code"], "EPSG:31985")

    def test_a_type_that_a_column_has_already_changes_nothing(self):
        self.text("c.csv", "id;v\n1;1,5\n2;2,5\n")
        self.convert(uri="c.csv", types={"v": "Real"}, output="c.gpkg")
        made = ogr.Open(self.path("c.gpkg"))
        self.assertEqual([f["v"] for f in made.GetLayer(0)], [1.5, 2.5])

    def test_losses_are_named(self):
        make(self.path("zm.gpkg"), ["POINT ZM (1 2 3 4)", None], kind=ogr.wkbPointZM)
        make(self.path("curve.gpkg"), ["CURVEPOLYGON (CIRCULARSTRING (0 0,1 1,2 0,1 -1,0 0))"], kind=ogr.wkbCurvePolygon)
        subprocess.run(["ogr2ogr", "-sql", "select geom, name as a_name_that_is_long, size as a_name_that_is_longer, datetime('now') as moment from sites",
                        "-dialect", "SQLite", self.path("long.gpkg"), self.path("zm.gpkg")], check=True)
        for source, output, words in (("zm.gpkg", "zm.geojson", "m values"), ("zm.gpkg", "zm.fgb", "without geometry"), ("curve.gpkg", "c.fgb", ""),
                                      ("curve.gpkg", "c.shp", "curves"), ("curve.gpkg", "c.kml", "curves"), ("long.gpkg", "long.shp", "a_name_tha"),
                                      ("zm.gpkg", "zm.kml", "written as text"), ("zm.gpkg", "zm.csv", "null"), ("zm.gpkg", "ids.shp", "ids"), ("zm.gpkg", "day.fgb", "dates")):
            with self.subTest(output=output):
                told = self.convert(uri=source, output=output)["warnings"]
                self.assertIn(words, " ".join(told))
                for once in ("m values", "curves"):
                    self.assertLessEqual(sum(once in w for w in told), 1, told)
        told = self.convert(uri="long.gpkg", output="again.shp")
        self.assertEqual([(f["name"], f.get("source")) for f in told["fields"]][:2],
                         [("a_name_tha", "a_name_that_is_long"), ("a_name_t_1", "a_name_that_is_longer")])

    def test_field_names_of_a_shapefile_are_cut_between_characters(self):
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("places.gpkg"))
        layer = file.CreateLayer("places", None, ogr.wkbPoint)
        names = ["Grundstücksbezeichnung", "Grundstücksnummer", "Gemeindenäme", "short_ä"]
        for name in names:
            layer.CreateField(ogr.FieldDefn(name, ogr.OFTString))
        f = ogr.Feature(layer.GetLayerDefn())
        for name in names:
            f[name] = name
        f.SetGeometry(ogr.CreateGeometryFromWkt("POINT (1 2)"))
        layer.CreateFeature(f)
        del f, layer, file
        told = self.convert(uri="places.gpkg", output="cut.shp")
        cut = ["Grundstüc", "Grundst_1", "Gemeinden", "short_ä"]
        self.assertEqual([f["name"] for f in told["fields"]], cut)
        self.assertIn("field 'Grundstücksnummer' is called 'Grundst_1': a Shapefile has 10 bytes for a name", told["warnings"])
        again = self.convert(uri="cut.shp", crs="OGC:CRS84", output="again.geojson")
        with open(self.path("again.geojson"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["features"][0]["properties"], dict(zip(cut, names)))
        self.assertEqual([f["name"] for f in again["fields"]], cut)

    def test_field_names_that_another_program_cut_within_a_character_can_be_used(self):
        source = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("u.gpkg"))
        layer = source.CreateLayer("u", None, ogr.wkbPoint)
        for name in ("Grundstücksbezeichnung", "Grundstücksnummer", "Gemeindenäme"):
            layer.CreateField(ogr.FieldDefn(name, ogr.OFTString))
        f = ogr.Feature(layer.GetLayerDefn())
        for i, value in enumerate("abc"):
            f[i] = value
        f.SetGeometry(ogr.CreateGeometryFromWkt("POINT (1 2)"))
        layer.CreateFeature(f)
        del f, layer, source
        gdal.VectorTranslate(self.path("cut.shp"), self.path("u.gpkg"), format="ESRI Shapefile", layerCreationOptions=["ENCODING=UTF-8"])
        with open(self.path("cut.dbf"), "rb") as dbf:
            self.assertIn(b"Grundst\xc3_1\0", dbf.read())
        told = self.convert(uri="cut.shp", crs="OGC:CRS84", output="cut.geojson")
        self.assertIn("names of fields are cut within a character in the .dbf; here they are 'Grundst_1', 'Gemeinden'", told["warnings"])
        with open(self.path("cut.geojson"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["features"][0]["properties"], {"Grundstüc": "a", "Grundst_1": "b", "Gemeinden": "c"})
        told = good(self.session.call("vector_query", {"uri": "cut.shp", "where": "Grundst_1 = 'b'", "attributes": ["Gemeinden"]}))
        self.assertEqual(told["features"]["features"][0]["properties"], {"Gemeinden": "c"})

    def test_a_curve_with_heights_becomes_a_polygon_of_a_shapefile(self):
        make(self.path("circle.gpkg"), ["CURVEPOLYGON Z (CIRCULARSTRING Z (0 0 1,100 100 2,200 0 3,100 -100 2,0 0 1))"], code=25832, kind=ogr.GT_SetZ(ogr.wkbCurvePolygon))
        self.convert(uri="circle.gpkg", output="circle.shp")
        file = ogr.Open(self.path("circle.shp"))
        layer = file.GetLayer(0)
        feature = layer.GetNextFeature()
        self.assertLess(abs(feature.GetGeometryRef().GetArea() / (3.14159265358979 * 1e4) - 1), 1e-4)
        heights = [p[2] for p in feature.GetGeometryRef().GetGeometryRef(0).GetPoints()]
        self.assertEqual((min(heights), max(heights)), (1, 3))

    def test_an_index_leads_past_no_damage(self):
        """A box is looked up in the spatial index. GDAL says nothing of features that a cut FlatGeobuf lacks, and names a sound one beside a broken one."""
        squares = [f"POLYGON (({x} {y},{x + 1} {y},{x + 1} {y + 1},{x} {y + 1},{x} {y}))" for x in range(0, 80, 2) for y in range(0, 80, 2)]
        make(self.path("grid.gpkg"), squares, code=25832, kind=ogr.wkbPolygon)
        self.convert(uri="grid.gpkg", output="grid.fgb")
        with open(self.path("grid.fgb"), "rb") as whole, open(self.path("cut.fgb"), "wb") as cut:
            data = whole.read()
            cut.write(data[: len(data) * 6 // 10])
        query = lambda uri, box, **more: run(self.session, "vector_query", {"uri": uri, "geometry": box, **more})
        for box in ([0, 0, 20, 20], [60, 60, 80, 80], [0, 60, 20, 80], [60, 0, 80, 20]):
            self.assertEqual(good(query("grid.fgb", box))["feature_count"], 121 if box[:2] == [0, 0] else 110 if 0 in box[:2] else 100)
            self.assertIn("is damaged", problem(query("cut.fgb", box))["message"])
        with sqlite3.connect(self.path("grid.gpkg")) as db:
            ((table,),) = db.execute("select table_name from gpkg_contents").fetchall()
            for (trigger,) in db.execute("select name from sqlite_master where type = 'trigger'").fetchall():
                db.execute(f'drop trigger "{trigger}"')  # they would take the feature out of the index
            for fid in (3, 50):
                ((blob,),) = db.execute(f'select geom from "{table}" where fid = ?', (fid,)).fetchall()
                db.execute(f'update "{table}" set geom = ? where fid = ?', (blob[:-20], fid))
        self.assertIn("damaged at feature 3:", problem(query("grid.gpkg", [0, 0, 20, 20]))["message"])
        told = good(query("grid.gpkg", [0, 0, 20, 20], skip_failed=True))
        self.assertEqual((told["feature_count"], told["failed_count"], told["failed_ids"]), (119, 2, [3, 50]))

    def test_a_hole_in_a_sloping_face_is_refused_for_a_shapefile(self):
        """GDAL writes the hole as a second face, with an area of 2 320 000 instead of 1 680 000 m²."""
        roof = ("POLYGON Z ((499000 5540000 {},500000 5541000 110,501000 5540000 120,500000 5539000 110,499000 5540000 {}),"
                "(499600 5540000 110,500000 5539600 110,500400 5540000 110,500000 5540400 110,499600 5540000 110))")
        make(self.path("roof.gpkg"), [roof.format(100, 100)], code=25832, kind=ogr.wkbPolygon25D)
        p = problem(run(self.session, "vector_convert", {"uri": "roof.gpkg", "output": "roof.shp"}))
        self.assertIn("feature 1 has a hole in a face that is not level", p["message"])
        self.assertFalse(os.path.exists(self.path("roof.shp")))
        make(self.path("flat.gpkg"), [roof.format(110, 110).replace("120", "110")], code=25832, kind=ogr.wkbPolygon25D)
        self.convert(uri="flat.gpkg", output="flat.shp")
        file = ogr.Open(self.path("flat.shp"))
        rows = file.GetLayer(0)
        feature = rows.GetNextFeature()
        self.assertEqual(feature.GetGeometryRef().GetArea(), 1680000)

    def test_a_geometry_of_geojson_that_is_none_is_that_feature_s_damage(self):
        """GDAL parses GeoJSON some features ahead, and speaks of the error with the first of them."""
        for text, why in (('{"type": "Point", "coordinates": [9, "x"]}', "Invalid 'y' coordinate"), ('{"type": "Point"}', "Missing 'coordinates' member")):
            shapes = ['{"type": "Point", "coordinates": [9, 50]}'] * 3 + [text, '{"type": "Point", "coordinates": [9, 51]}']
            with open(self.path("bad.geojson"), "w") as f:
                f.write('{"type": "FeatureCollection", "features": [' + ",".join(
                    f'{{"type": "Feature", "properties": {{"k": {k}}}, "geometry": {shape}}}' for k, shape in enumerate(shapes)) + "]}")
            p = problem(run(self.session, "vector_query", {"uri": "bad.geojson"}))
            self.assertIn("damaged at feature 3: Invalid", p["message"])
            self.assertIn(why, p["message"])
            told = good(run(self.session, "vector_query", {"uri": "bad.geojson", "skip_failed": True}))
            self.assertEqual((told["feature_count"], told["failed_ids"]), (4, [3]))

    def test_damage_that_ends_reading_by_an_index_hides_none_before_it(self):
        make(self.path("grid.gpkg"), [f"POLYGON (({x} {y},{x + 1} {y},{x + 1} {y + 1},{x} {y + 1},{x} {y}))" for x in range(0, 80, 2) for y in range(0, 80, 2)],
             code=25832, kind=ogr.wkbPolygon)
        with sqlite3.connect(self.path("grid.gpkg")) as db:
            ((table,),) = db.execute("select table_name from gpkg_contents").fetchall()
            pages = db.execute("select pageno, ncell from dbstat where name = ? and pagetype = 'leaf' order by path", (table,)).fetchall()
            ((size,),) = db.execute("pragma page_size").fetchall()
        db.close()
        half = len(pages) // 2
        before = sum(cells for _, cells in pages[:half])  # features on the pages before the one that is overwritten
        with open(self.path("grid.gpkg"), "r+b") as f:
            f.seek((pages[half][0] - 1) * size)
            f.write(bytes(size))
        query = {"uri": "grid.gpkg", "geometry": [9.5, -1, 61, 99], "show": 0}  # without the first 200
        self.assertIn("is damaged", problem(run(self.session, "vector_query", query))["message"])
        told = good(run(self.session, "vector_query", {**query, "skip_failed": True}))
        self.assertGreater(before, 200)
        self.assertGreaterEqual(told["feature_count"], before - 200)
        self.assertLess(told["feature_count"], 1040)

    def test_features_that_an_index_lacks_are_found_all_the_same(self):
        """Squares of 1 at every second metre; SQL without the functions of a GeoPackage's triggers took 3 out of the index, and added one far east."""
        make(self.path("grid.gpkg"), [f"POLYGON (({x} {y},{x + 1} {y},{x + 1} {y + 1},{x} {y + 1},{x} {y}))" for x in range(0, 20, 2) for y in range(0, 20, 2)],
             code=25832, kind=ogr.wkbPolygon)
        query = lambda box, **more: good(run(self.session, "vector_query", {"uri": "grid.gpkg", "geometry": box, **more}))
        told = query([0, 0, 9, 9])
        self.assertEqual((told["feature_count"], told["warnings"]), (25, []))
        with sqlite3.connect(self.path("grid.gpkg")) as db:
            ((table,),) = db.execute("select table_name from gpkg_contents").fetchall()
            for (trigger,) in db.execute("select name from sqlite_master where type = 'trigger'").fetchall():
                db.execute(f'drop trigger "{trigger}"')
            db.execute(f'insert into "{table}" (geom) values (null)')
        self.assertEqual(query([0, 0, 9, 9])["warnings"], [], "a feature without geometry is in no index")
        with sqlite3.connect(self.path("grid.gpkg")) as db:
            db.execute(f'delete from "rtree_{table}_geom" where id in (1, 2, 11)')
        told = query([0, 0, 9, 9])
        self.assertEqual(told["feature_count"], 25)
        self.assertIn("lacks 3 features", " ".join(told["warnings"]))
        with sqlite3.connect(self.path("grid.gpkg")) as db:
            db.execute(f'delete from "{table}" where geom is null')
            db.execute(f'insert into "{table}" (fid, geom) select 900, geom from "{table}" where fid = 2')
            db.execute(f'insert into "rtree_{table}_geom" select 1, 0, 1, 0, 1 union select 2, 0, 1, 2, 3 union select 11, 2, 3, 0, 1')
        told = query([0, 0, 9, 9])  # 100 features are counted and 100 indexed
        self.assertEqual(told["feature_count"], 26)
        self.assertIn("lacks 1 feature:", " ".join(told["warnings"]))

    def test_reading_goes_on_behind_damage_or_says_that_it_does_not(self):
        """900 rows of squares, of which GDAL cannot read the 21st of a .gml, the end of a .mif, the end of a .geojsonl."""
        make(self.path("s.gpkg"), [f"POLYGON (({x} 0,{x + 1} 0,{x + 1} 1,{x} 1,{x} 0))" for x in range(0, 1800, 2)], code=25832, kind=ogr.wkbPolygon)
        for name, driver in (("s.gml", "GML"), ("s.mif", "MapInfo File"), ("s.geojsonl", "GeoJSONSeq")):
            gdal.VectorTranslate(self.path(name), self.path("s.gpkg"), format=driver, **({"dstSRS": "EPSG:4326"} if driver == "GeoJSONSeq" else {}))
        with open(self.path("s.gml"), encoding="utf-8") as file:
            parts = file.read().split("<gml:posList>")
        parts[21] = "abc " + parts[21]
        with open(self.path("s.gml"), "w", encoding="utf-8") as file:
            file.write("<gml:posList>".join(parts))
        for name, start, size in (("s.mif", b"Region", 20), ("s.geojsonl", b'{ "type"', 150)):
            with open(self.path(name), "rb") as file:
                data = file.read()
            with open(self.path(name), "wb") as file:
                file.write(data[: data.index(start, len(data) * 6 // 10) + size])
        self.assertIn("cannot be parsed", problem(run(self.session, "vector_query", {"uri": "s.gml"}))["message"])
        query = lambda uri: good(run(self.session, "vector_query", {"uri": uri, "show": 0, "skip_failed": True}))
        damaged = lambda uri: good(self.session.call("vector_info", {"uri": uri}))["layers"][0]["damaged_count"]
        told = query("s.gml")
        self.assertEqual((told["feature_count"], told["failed_count"], damaged("s.gml")), (899, 1, 1))
        told = query("s.mif")
        self.assertEqual((told["feature_count"] + told["failed_count"], damaged("s.mif")), (900, told["failed_count"]))
        self.assertIn(f"{told['failed_count']} features of the layer left out", " ".join(told["warnings"]))
        told = query("s.geojsonl")
        self.assertIn("at least 1 feature of the layer left out, as nothing behind the damage could be read", " ".join(told["warnings"]))

    def test_a_geometry_of_an_unknown_type_is_damage(self):
        """The third of five squares, beside a feature that has no geometry by right; GDAL makes null of both."""
        make(self.path("a.gpkg"), [None] + [f"POLYGON (({x} 0,{x + 1} 0,{x + 1} 1,{x} 1,{x} 0))" for x in range(5)], code=4326, kind=ogr.wkbPolygon)
        for name, driver in (("a.geojson", "GeoJSON"), ("a.geojsonl", "GeoJSONSeq"), ("a.shp", "ESRI Shapefile")):
            gdal.VectorTranslate(self.path(name), self.path("a.gpkg"), format=driver)
            with open(self.path(name), "rb") as file:
                data = file.read()
            if name == "a.shp":
                with open(self.path("a.shx"), "rb") as file:
                    (at,) = struct.unpack(">i", file.read()[100 + 8 * 3:][:4])
                data = data[: 2 * at + 8] + struct.pack("<i", 77) + data[2 * at + 12:]
            else:
                parts = data.split(b'"Polygon"')
                data = b'"Polygon"'.join(parts[:3]) + b'"Poligon"' + b'"Polygon"'.join(parts[3:])
            with open(self.path(name), "wb") as file:
                file.write(data)
            self.assertIn("its geometry is of an unknown type", problem(run(self.session, "vector_query", {"uri": name}))["message"], name)
            told = good(run(self.session, "vector_query", {"uri": name, "show": 0, "skip_failed": True}))
            self.assertEqual((told["feature_count"], told["failed_count"]), (5, 1), name)
            self.assertEqual(good(self.session.call("vector_info", {"uri": name}))["layers"][0]["damaged_count"], 1, name)

    def test_a_file_of_which_nothing_can_be_read_is_refused(self):
        make(self.path("a.gpkg"), ["POLYGON ((0 0,10 0,10 10,0 10,0 0))"], code=25832, kind=ogr.wkbPolygon)
        make(self.path("b.gpkg"), [f"POLYGON (({x} 0,{x + 1} 0,{x + 1} 1,{x} 1,{x} 0))" for x in range(400)], code=25832, kind=ogr.wkbPolygon)
        gdal.VectorTranslate(self.path("b.gml"), self.path("b.gpkg"), format="GML")
        with open(self.path("b.gml"), "r+b") as file:
            file.truncate(os.path.getsize(self.path("b.gml")) // 2)
        for tool, arguments in (("vector_overlay", {"a": "a.gpkg", "b": "b.gml", "operation": "difference"}), ("vector_convert", {"uri": "b.gml", "output": "b2.gpkg"})):
            self.assertIn("none could be read", problem(run(self.session, tool, arguments))["message"], tool)
        self.assertFalse(os.path.exists(self.path("b2.gpkg")))

    def test_a_crs_of_mapinfo_has_the_code_of_its_definition(self):
        make(self.path("p.gpkg"), ["POINT (500000 5900000)"], code=25832, kind=ogr.wkbPoint)
        gdal.VectorTranslate(self.path("p.tab"), self.path("p.gpkg"), format="MapInfo File")
        self.assertEqual(good(self.session.call("vector_info", {"uri": "p.tab"}))["layers"][0]["crs"]["code"], "EPSG:25832")

    def test_a_damaged_index_of_a_shapefile_is_named_with_the_way_to_a_new_one(self):
        make(self.path("p.gpkg"), ["POINT (500000 5900000)"] * 50, code=25832, kind=ogr.wkbPoint)
        self.convert(uri="p.gpkg", output="p.shp")
        with open(self.path("p.shx"), "r+b") as file:
            file.truncate(300)
        p = problem(self.session.call("vector_info", {"uri": "p.shp"}))
        self.assertIn("its file p.shx, which says where each feature is in it, is damaged", p["message"])
        os.remove(self.path("p.shx"))
        subprocess.run(p["hint"].split("make it anew by: ")[1].split(), cwd=self.workspace, check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(good(self.session.call("vector_info", {"uri": "p.shp"}))["layers"][0]["feature_count"], 50)

    def test_arcs_keep_their_circle_in_degrees(self):
        """A circle of 1 km has pi km2 on the map it is a circle on, whatever it is written to."""
        make(self.path("circle.gpkg"), ["CURVEPOLYGON (CIRCULARSTRING (499000 5900000,500000 5901000,501000 5900000,500000 5899000,499000 5900000))"],
             code=25832, kind=ogr.wkbCurvePolygon)
        for output in ("circle.geojson", "circle.kml", "degrees.gpkg", "other_zone.gpkg"):
            if output.endswith(".gpkg"):
                wanted = 4258 if output == "degrees.gpkg" else 25833
                told = good(run(self.session, "vector_reproject", {"uri": "circle.gpkg", "dst_crs": f"EPSG:{wanted}", "output": output}))
            else:
                told = self.convert(uri="circle.gpkg", output=output)
            file = gdal.OpenEx(self.path(output), gdal.OF_VECTOR)
            layer = file.GetLayer(0)
            feature = layer.GetNextFeature()
            shape = feature.GetGeometryRef().Clone()
            from_crs, to_crs = layer.GetSpatialRef().Clone(), osr.SpatialReference()
            to_crs.ImportFromEPSG(25832)
            for crs in (from_crs, to_crs):
                crs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
            shape.Transform(osr.CoordinateTransformation(from_crs, to_crs))
            with self.subTest(output=output):
                self.assertLess(abs(shape.GetArea() / (3.14159265358979 * 1e6) - 1), 1e-4)
                self.assertEqual("1 feature has arcs of circles, which are none in the new CRS: they became straight segments, off by 0.004 % of the radius at most" in told["warnings"],
                                 output != "other_zone.gpkg")

    def test_chords_of_large_arcs_are_a_centimetre_off_at_most(self):
        """A segment of a circle of 20 km, 5.2 km along its chord."""
        radius, half = 20000.0, 2600.0
        flat = (radius**2 - half**2) ** 0.5
        area = radius**2 * math.asin(half / radius) - half * flat
        arc = f"CIRCULARSTRING ({500000 - half} {5900000 + flat},500000 {5900000 + radius},{500000 + half} {5900000 + flat})"
        make(self.path("segment.gpkg"), [f"CURVEPOLYGON (COMPOUNDCURVE ({arc},({500000 + half} {5900000 + flat},{500000 - half} {5900000 + flat})))"], code=25832,
             kind=ogr.wkbCurvePolygon)
        self.convert(uri="segment.gpkg", output="chords.shp")
        good(self.session.call("vector_dissolve", {"uri": "segment.gpkg", "output": "united.gpkg"}))
        for name in ("chords.shp", "united.gpkg"):
            file = gdal.OpenEx(self.path(name), gdal.OF_VECTOR)
            layer = file.GetLayer(0)
            feature = layer.GetNextFeature()
            self.assertLess(abs(feature.GetGeometryRef().GetArea() - area), 0.01 * 2 * half, name)
        make(self.path("outside.gpkg"), ["POINT (%.6f %.6f)" % (500000 + (radius + 50) * math.sin(a), 5900000 + (radius + 50) * math.cos(a)) for a in
                                         (-0.12, -0.07, 0.001, 0.034, 0.1)], code=25832, kind=ogr.wkbPoint)
        told = good(self.session.call("vector_join", {"target": "outside.gpkg", "join": "segment.gpkg", "predicate": "nearest", "max_distance": 50.1, "how": "inner", "output": "near.gpkg"}))
        self.assertEqual(told["feature_count"], 5)

    def test_arcs_are_selected_cut_and_measured_by_their_own_shape(self):
        """The same segment; chords of 1 degree are 0.76 m off. The box holds the top of the arc, and 10 cm below it; then half of the segment."""
        radius, half = 20000.0, 2600.0
        flat = (radius**2 - half**2) ** 0.5
        area = radius**2 * math.asin(half / radius) - half * flat
        top = 5900000 + radius
        arc = f"CIRCULARSTRING ({500000 - half} {5900000 + flat},500000 {top},{500000 + half} {5900000 + flat})"
        shapes = {"arc": arc, "segment": f"CURVEPOLYGON (COMPOUNDCURVE ({arc},({500000 + half} {5900000 + flat},{500000 - half} {5900000 + flat})))"}
        at_top, west = [499800, top - 0.1, 500200, top + 5], [490000, 5910000, 500000, 5930000]
        for name, shape in shapes.items():
            for uri, kind in ((f"any-{name}.gpkg", ogr.wkbUnknown), (f"{name}.fgb", ogr.wkbUnknown), (f"{name}.gpkg", ogr.CreateGeometryFromWkt(shape).GetGeometryType())):
                make(self.path(uri), [shape], "FlatGeobuf" if uri.endswith("fgb") else "GPKG", code=25832, kind=kind)
                told = good(self.session.call("vector_query", {"uri": uri, "geometry": at_top}))
                self.assertEqual(told["feature_count"], 1, uri)
        measured = good(self.session.call("vector_measure", {"uri": "segment.gpkg", "geometry": west, "mode": "planar"}))
        good(self.session.call("vector_clip", {"uri": "segment.gpkg", "bounds": west, "output": "half.gpkg"}))
        cut = good(self.session.call("vector_measure", {"uri": "half.gpkg", "mode": "planar"}))
        for told in (measured, cut):
            self.assertLess(abs(told["area_m2"] - area / 2), 0.01 * half)
        self.assertIn("1 feature had curves, which became straight segments", measured["warnings"])

    def test_m_values_of_arcs_are_kept(self):
        make(self.path("arc.gpkg"), ["COMPOUNDCURVE M (CIRCULARSTRING M (0 0 0,500 500 50,1000 0 100),(1000 0 100,2000 0 200))"], code=25832,
             kind=ogr.GT_SetM(ogr.wkbCompoundCurve))
        self.convert(uri="arc.gpkg", output="arc.shp")
        file = ogr.Open(self.path("arc.shp"))
        layer = file.GetLayer(0)
        feature = layer.GetNextFeature()
        line = feature.GetGeometryRef()
        self.assertTrue(line.IsMeasured())
        for x, y, m in ((line.GetX(i), line.GetY(i), line.GetM(i)) for i in range(line.GetPointCount())):
            self.assertAlmostEqual(m, 100 * (1 - math.atan2(y, x - 500) / math.pi) if x < 1000 else x / 10, delta=1e-6)

    def test_a_layer_that_declares_more_than_it_holds_is_told_of_whatever_it_is_for(self):
        """Rows deleted from the .dbf alone, as spreadsheets do: GDAL reads as many shapes as there are rows."""
        squares = [f"POLYGON (({x} 0,{x + 1} 0,{x + 1} 1,{x} 1,{x} 0))" for x in range(5)]
        make(self.path("five.gpkg"), squares, code=25832, kind=ogr.wkbPolygon)
        self.convert(uri="five.gpkg", output="five.shp")
        with open(self.path("five.dbf"), "r+b") as dbf:
            dbf.seek(4)
            dbf.write(struct.pack("<I", 3))
        text = "layer 'five' declares 5 features, and only 3 could be read: the file may be damaged"
        for tool, arguments in (("vector_info", {"uri": "five.shp"}), ("vector_stats", {"uri": "five.shp", "fields": ["size"]}),
                                ("vector_clip", {"uri": "five.gpkg", "mask": "five.shp", "output": "c.gpkg"}),
                                ("vector_measure", {"uri": "five.gpkg", "geometry": "five.shp"}),
                                ("vector_overlay", {"a": "five.gpkg", "b": "five.shp", "operation": "difference", "output": "o.gpkg"}),
                                ("vector_convert", {"uri": "five.shp", "output": "f.gpkg"})):
            with self.subTest(tool=tool):
                self.assertIn(text, good(self.session.call(tool, arguments))["warnings"])
        with open(self.path("five.dbf"), "r+b") as dbf:
            dbf.seek(4)
            dbf.write(struct.pack("<I", 5))
            dbf.seek(8)
            header, row = struct.unpack("<HH", dbf.read(4))
            dbf.truncate(header + 2 * row + 1)
        told = good(self.session.call("vector_overlay", {"a": "five.gpkg", "b": "five.shp", "operation": "difference", "skip_failed": True, "output": "s.gpkg"}))
        self.assertTrue(any(w.startswith("3 features of 'b' left out; the first: ") for w in told["warnings"]), told["warnings"])

    def test_infinite_coordinates_are_named_and_can_be_left_out(self):
        with open(self.path("far.geojson"), "w", encoding="utf-8") as f:
            f.write('{"type":"FeatureCollection","features":[' + ",".join(
                '{"type":"Feature","properties":{"a":%d},"geometry":{"type":"Point","coordinates":[%s,1]}}' % (i, x) for i, x in enumerate(("1e400", "1"))) + "]}")
        for tool, more in (("vector_convert", {"output": "o.gpkg"}), ("vector_query", {"output": "o.gpkg"}), ("vector_query", {"output": "o.gpkg", "geometry": [0, 0, 2, 2]}),
                           ("vector_query", {"output": "o.gpkg", "order": ["a"]})):
            with self.subTest(tool, more=more):
                p = problem(run(self.session, tool, {"uri": "far.geojson", "overwrite": True, **more}))
                self.assertIn("feature 0 of layer 'far' cannot be used: its coordinates are not finite", p["message"])
                told = good(run(self.session, tool, {"uri": "far.geojson", "overwrite": True, "skip_failed": True, **more}))
                self.assertEqual((told["feature_count"], told["failed_ids"]), (1, [0]))

    def test_an_empty_shapefile_lies_nowhere(self):
        make(self.path("none.gpkg"), [], code=25832, kind=ogr.wkbPolygon)
        self.convert(uri="none.gpkg", output="none.shp")
        told = good(self.session.call("vector_info", {"uri": "none.shp"}))["layers"][0]
        self.assertNotIn("bounds", told)
        self.assertEqual(told["hints"], [])

    def test_a_crs_without_a_code_is_named_in_a_warning(self):
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("town.gpkg"))
        own = osr.SpatialReference()
        own.ImportFromProj4("+proj=tmerc +lon_0=11.25 +k=1 +ellps=GRS80 +units=m")
        own.SetProjCS("Grid of the town")
        layer = file.CreateLayer("town", own, ogr.wkbPoint)
        f = ogr.Feature(layer.GetLayerDefn())
        f.SetGeometry(ogr.CreateGeometryFromWkt("POINT (1000 5000000)"))
        layer.CreateFeature(f)
        del f, layer, file
        told = self.convert(uri="town.gpkg", output="town.geojson")
        self.assertIn("GeoJSON holds WGS 84 only: coordinates were transformed from Grid of the town to OGC:CRS84", told["warnings"])

    def test_what_a_driver_would_change_is_refused(self):
        make(self.path("over.gpkg"), ["LINESTRING (10 0,20 0)", "LINESTRING (179 -17,-179 -17)"])
        make(self.path("bow.gpkg"), ["POLYGON ((0 0,1 1,1 0,0 1,0 0))", "POLYGON ((0 0,1 0,1 1,0 0))"])
        for extension in ("geojson", "geojsonl", "kml"):
            self.refused("feature 2", "antimeridian", uri="over.gpkg", output=f"over.{extension}")
        told = self.convert(uri="over.gpkg", output="over.geojson", skip_failed=True)
        self.assertEqual((told["failed_ids"], told["feature_count"]), ([2], 1))
        self.assertEqual(self.convert(uri="over.gpkg", output="over.fgb")["feature_count"], 2)
        for extension in ("geojson", "kml"):
            self.assertEqual(self.convert(uri="bow.gpkg", output=f"bow.{extension}")["feature_count"], 2)

    def test_kml_keeps_dates_and_heights_of_some(self):
        make(self.path("some.gpkg"), ["POINT Z (1 2 3)", "POINT (4 5)"], kind=ogr.wkbUnknown)
        told = self.convert(uri="some.gpkg", output="some.kml")
        self.assertNotIn("z = 0", " ".join(told["warnings"]))
        layer = ogr.Open(self.path("some.kml"))
        shapes = [(f.GetGeometryRef().ExportToIsoWkt(), f["day"]) for f in layer.GetLayer(0)]
        self.assertEqual([s for s, _ in shapes], ["POINT Z (1 2 3)", "POINT (4 5)"])
        self.assertTrue(all(day for _, day in shapes), shapes)

    def test_a_shapefile_of_several_kinds_is_refused_with_the_way_to_one(self):
        make(self.path("kinds.gpkg"), ["POLYGON ((0 0,1 0,1 1,0 0))", "MULTIPOLYGON (((0 0,1 0,1 1,0 0)))", "LINESTRING (0 0,1 1)"])
        self.refused("feature 3 is LineString, and a Shapefile holds one kind of geometry, here Polygon", "OGR_GEOMETRY LIKE '%POLYGON'", uri="kinds.gpkg", output="k.shp")
        make(self.path("two.gpkg"), ["POINT (0 0)", "LINESTRING (0 0,1 1)"])
        self.refused("feature 2 is LineString, and a Shapefile holds one kind of geometry, here Point", uri="two.gpkg", output="k.shp")
        good(self.session.call("vector_query", {"uri": "kinds.gpkg", "where": "OGR_GEOMETRY LIKE '%POLYGON'", "output": "one.gpkg"}))
        self.assertEqual(self.convert(uri="one.gpkg", output="k.shp")["feature_count"], 2)

    def test_big_integers_survive_or_are_refused(self):
        for big in (2**53 + 1, 2**62 + 1):
            make(self.path(f"{big}.gpkg"), SOURCES["point"], big=big)
            for extension in FORMATS:
                with self.subTest(big=big, format=extension):
                    output = f"{big}_{extension}.{extension}"
                    if extension == "shp" and big > 10**18:  # readers take 19 digits for a decimal number
                        self.refused("'size'", "19 digits", uri=f"{big}.gpkg", output=output)
                        continue
                    self.convert(uri=f"{big}.gpkg", output=output)
                    self.assertEqual({c[1][1] for c in contents(self.path(output))}, {str(big)})

    def test_a_shapefile_keeps_nine_digits_of_a_number_or_names_and_refuses_it(self):
        """It holds 24 characters, 15 of them decimals: of 1e25 the first 24 digits, which are 1e23, of 1.2345e-12 0.000000000001235."""
        for name, values in (("large", [1137167047.49825788, 8123456789.123, -5e18, 0.1]), ("small", [1.23456789e-12, 3.3e-16, 1]), ("huge", [1, 1e25]), ("both", [1.23456789e-12, 1e25])):
            self.text(f"{name}.csv", "x,y,v\n" + "".join(f"{i},{i},{v!r}\n" for i, v in enumerate(values)))
        told = self.convert(uri="large.csv", output="large.shp", crs="EPSG:4326")
        self.assertEqual(told["warnings"], [])
        file = ogr.Open(self.path("large.shp"))
        self.assertEqual([f["v"] for f in file.GetLayer()], [1137167047.49825788, 8123456789.123, -5e18, 0.1])
        told = self.convert(uri="small.csv", output="small.shp", crs="EPSG:4326")
        self.assertEqual(told["warnings"], ["'v': a Shapefile holds 1.235e-12 for 1.23456789e-12, and 2 numbers with less than nine right digits; write to .gpkg to keep them"])
        for name in ("huge", "both"):
            self.refused("'v': a Shapefile holds 1e+23 for 1e+25", "too many digits", uri=f"{name}.csv", output=f"{name}.shp")

    def test_whole_numbers_of_16_digits_are_said_where_a_format_rounds_them(self):
        """They are keys, and become equal; of a measure the 16th digit is rounding."""
        self.text("keys.csv", "x,y,key,m\n1,2,1234567890123456.0,0.30000000000000004\n1,3,1234567890123457.0,1\n1,4,123456789012345.0,2\n")
        self.convert(uri="keys.csv", output="keys.gpkg", types={"key": "Real"}, crs="EPSG:4326")
        for extension in FORMATS:
            said = [w for w in self.convert(uri="keys.gpkg", output=f"k_{extension}.{extension}")["warnings"] if "key" in w]
            expected = [f"'key': {FORMATS[extension]} holds 1.23456789012346e+15 for 1234567890123456, and 2 numbers with less than 16 right digits; write to .gpkg to keep them"]
            self.assertEqual(said, expected if extension in ("csv", "kml", "gml") else [], extension)

    def test_a_layer_gets_another_name_where_a_geopackage_refuses_its_own(self):
        make(self.path("a.geojson"), SOURCES["point"], driver="GeoJSON")
        with open(self.path("a.geojson")) as f:
            text = json.load(f)
        text.pop("name", None)
        for name in ("#a", "(a)", "-", "gpkg_x", "sqlite_x", "a b"):
            self.text(f"{name}.geojson", json.dumps(text))
            told = self.convert(uri=f"{name}.geojson", output="a.gpkg", overwrite=True)
            kept = name == "a b"
            file = ogr.Open(self.path("a.gpkg"))
            self.assertEqual(file.GetLayer(0).GetName(), name if kept else f"layer_{name}")
            self.assertEqual([w for w in told["warnings"] if "is called" in w],
                             [] if kept else [f"layer '{name}' is called 'layer_{name}': a GeoPackage takes no name that begins with " +
                                              next((p for p in ("gpkg", "sqlite_") if name.startswith(p)), name[0])])
            good(self.session.call("vector_measure", {"uri": f"{name}.geojson"}))

    def test_dates_that_no_calendar_has_are_said(self):
        days = ["20231301", "20230230", "20240229", "20230131"]
        with open(self.path("d.dbf"), "wb") as f:
            f.write(struct.pack("<BBBBIHH20x", 3, 69, 7, 20, len(days), 32 + 32 + 1, 9) + b"D".ljust(11, b"\0") + b"D" + b"\0" * 4 + bytes([8, 0]) + b"\0" * 14 + b"\r" +
                    b"".join(b" " + d.encode() for d in days) + b"\x1a")
        told = self.convert(uri="d.dbf", output="d.gpkg")
        self.assertIn("'D' has 2 dates that no calendar has, such as 2023-13-01, which readers take for null", told["warnings"])

    def test_nan_that_a_geopackage_makes_null_is_said(self):
        file = ogr.GetDriverByName("FlatGeobuf").CreateDataSource(self.path("n.fgb"))
        layer = file.CreateLayer("n", None, ogr.wkbPoint)
        layer.CreateField(ogr.FieldDefn("v", ogr.OFTReal))
        for i, v in enumerate((1.5, float("nan"), float("inf"))):
            f = ogr.Feature(layer.GetLayerDefn())
            f["v"] = v
            f.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({i} 0)"))
            layer.CreateFeature(f)
        del f, layer, file
        self.assertIn("'v': NaN becomes null in a GeoPackage (1 number)", self.convert(uri="n.fgb", output="n.gpkg")["warnings"])

    def test_ids_that_a_format_counts_as_the_source_does_are_no_loss(self):
        make(self.path("ids.gpkg"), SOURCES["point"])
        for extension, changed in (("csv", False), ("kml", False), ("shp", True)):
            told = self.convert(uri="ids.gpkg", output=f"ids_{extension}.{extension}")
            file = ogr.Open(self.path(f"ids_{extension}.{extension}"))
            self.assertEqual([f.GetFID() for f in file.GetLayer(0)], [0, 1] if changed else [1, 2])
            self.assertEqual("ids are not kept" in " ".join(told["warnings"]), changed)

    def test_an_empty_point_becomes_null_aloud(self):
        make(self.path("e.gpkg"), ["POINT EMPTY", "POINT (500000 5500000)"], code=25832)
        make(self.path("degrees.gpkg"), ["POINT EMPTY", "POINT (9 50)"], code=4326)
        for uri in ("e.gpkg", "degrees.gpkg"):
            for extension in ("geojson", "geojsonl", "kml", "gml", "shp"):
                told = self.convert(uri=uri, output=f"e_{extension}.{extension}", overwrite=True)
                self.assertIn(f"1 feature with an empty geometry, which becomes null: {FORMATS[extension]} has none", told["warnings"])
                self.assertEqual([c[0] is None for c in contents(self.path(f"e_{extension}.{extension}"))].count(True), 1)

    def test_surfaces_become_polygons_where_a_format_has_none(self):
        shapes = ("TIN Z (((10 50 0,11 50 0,10 51 5,10 50 0)),((11 50 0,11 51 0,10 51 5,11 50 0)))", "TRIANGLE Z ((10 50 0,11 50 0,10 51 5,10 50 0))",
                  "GEOMETRYCOLLECTION Z (POINT Z (1 2 3),POLYHEDRALSURFACE Z (((10 50 0,11 50 0,10 51 5,10 50 0))))")
        expected = ["MULTIPOLYGON Z (((10 50 0,11 50 0,10 51 5,10 50 0)),((11 50 0,11 51 0,10 51 5,11 50 0)))", "POLYGON Z ((10 50 0,11 50 0,10 51 5,10 50 0))",
                    "GEOMETRYCOLLECTION Z (POINT Z (1 2 3),MULTIPOLYGON Z (((10 50 0,11 50 0,10 51 5,10 50 0))))"]
        make(self.path("s.gpkg"), shapes)
        for extension in ("geojsonl", "kml"):
            told = self.convert(uri="s.gpkg", output=f"s.{extension}")
            self.assertIn(f"3 features had surfaces, which are written as polygons: {FORMATS[extension]} has none", told["warnings"])
            self.assertEqual([c[0] for c in contents(self.path(f"s.{extension}"))], sorted(expected))
        self.refused("feature 3 is a collection of points and other shapes, whose points GDAL drops in GeoJSON", ".geojsonl", uri="s.gpkg", output="s.geojson")
        make(self.path("t.gpkg"), shapes[:2])
        self.convert(uri="t.gpkg", output="t.geojson")
        self.assertEqual([c[0] for c in contents(self.path("t.geojson"))], expected[:2])
        shown = good(self.session.call("vector_query", {"uri": "s.gpkg"}))["features"]["features"]
        self.assertEqual([f["geometry"]["type"] for f in shown], ["MultiPolygon", "Polygon", "GeometryCollection"])
        self.assertEqual([g["type"] for g in shown[2]["geometry"]["geometries"]], ["Point", "MultiPolygon"])

    def test_gml_of_a_crs_that_is_recognised(self):
        for code in (32632, 4326):
            make(self.path("a.gpkg"), ["POINT (9 50)" if code == 4326 else "POINT (500000 5500000)"], code=code)
            for extension in ("tab", "mif"):
                name = f"a{code}.{extension}"
                gdal.VectorTranslate(self.path(name), self.path("a.gpkg"), format="MapInfo File", layerName="a")
                told = self.convert(uri=name, output=f"{name}.gml")
                self.assertEqual(told["output"]["crs"], f"EPSG:{code}")
                self.assertEqual([c[0] for c in contents(self.path(f"{name}.gml"))], ["POINT (9 50)" if code == 4326 else "POINT (500000 5500000)"])

    def test_codes_with_leading_zeros_in_gml_stay_text(self):
        def gml(name):
            member = "".join(f"<f:featureMember><f:town fid='t.{i}'><f:geom><gml:Point srsName='EPSG:31467'><gml:coordinates>{3500000 + i},5500000</gml:coordinates>"
                             f"</gml:Point></f:geom><f:zip>{z}</f:zip><f:n>{n}</f:n></f:town></f:featureMember>" for i, (z, n) in enumerate((("01067", 5), ("80331", 17))))
            self.text(name, "<?xml version='1.0'?><f:FeatureCollection xmlns:f='http://ogr.maptools.org/' xmlns:gml='http://www.opengis.net/gml'>" + member +
                      "</f:FeatureCollection>")
        gml("z.gml")
        told = good(self.session.call("vector_info", {"uri": "z.gml"}))["layers"][0]
        self.assertEqual([(f["name"], f["type"]) for f in told["fields"] if f["name"] in ("zip", "n")], [("zip", "String"), ("n", "Integer")])
        if int(gdal.VersionInfo()) < 3100000:  # later GDAL reads them as text by itself
            self.assertIn("codes with leading zeros stay text: 'zip' (01067)", str(told))
        self.convert(uri="z.gml", output="z.gpkg")
        self.assertEqual([c[1] for c in contents(self.path("z.gpkg"), ("zip", "n"))], [["01067", "5"], ["80331", "17"]])

    def test_zeros_that_gpx_drops_are_said(self):
        self.text("w.gpx", "<?xml version='1.0'?><gpx version='1.1' creator='x' xmlns='http://www.topografix.com/GPX/1/1'><wpt lat='50' lon='10'>"
                  "<name>001</name><extensions><code>007</code></extensions></wpt></gpx>")
        told = self.convert(uri="w.gpx", output="w.gpkg", layer="waypoints")
        self.assertIn("'code' is read as numbers, without the zeros of codes such as '007' in the file", told["warnings"])

    def test_a_datum_by_another_of_its_names_is_kept(self):
        """As GIS programs write the British grid: PROJ calls OSGB_1936, which is EPSG:6277, by a longer name."""
        wkt = ('PROJCS["Transverse_Mercator",GEOGCS["GCS_OSGB 1936",DATUM["OSGB_1936",SPHEROID["Airy 1830",6377563.396,299.3249646,AUTHORITY["EPSG","7001"]],'
               'AUTHORITY["EPSG","6277"]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433],AUTHORITY["EPSG","4277"]],PROJECTION["Transverse_Mercator"],'
               'PARAMETER["latitude_of_origin",49],PARAMETER["central_meridian",-2],PARAMETER["scale_factor",0.999601],PARAMETER["false_easting",400000],'
               'PARAMETER["false_northing",-100000],UNIT["metre",1,AUTHORITY["EPSG","9001"]],AXIS["Easting",EAST],AXIS["Northing",NORTH]]')
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("b.gpkg"))
        layer = file.CreateLayer("b", osr.SpatialReference(wkt), ogr.wkbPoint)
        f = ogr.Feature(layer.GetLayerDefn())
        f.SetGeometry(ogr.CreateGeometryFromWkt("POINT (529000 181000)"))
        layer.CreateFeature(f)
        del f, layer, file
        self.assertEqual([w for w in self.convert(uri="b.gpkg", output="c.gpkg")["warnings"] if "datum" in w], [])

    def test_a_table_gets_points_types_and_a_crs(self):
        self.text("t.csv", "id,ost,nord,when\n007,500000,5500000,2020-01-05\n008,500010.5,5500020,2020-02-05\n009,,,\n")
        told = self.convert(uri="t.csv", output="t.gpkg", x="ost", y="nord", crs="EPSG:32633", types={"id": "Integer"})
        self.assertEqual(told["crs"]["code"], "EPSG:32633")
        self.assertIn("1 feature without coordinates", " ".join(told["warnings"]))
        self.assertEqual([(c[0], c[1][0]) for c in contents(self.path("t.gpkg"), ("id",))],
                         [("POINT (500000 5500000)", "7"), ("POINT (500010.5 5500020.0)", "8"), (None, "9")])
        self.assertIn("3 features have zeros before their 'id', such as '007', which are lost as Integer", " ".join(told["warnings"]))
        told = self.convert(uri="t.csv", output="s.gpkg", types={"ost": "string"})
        self.assertNotIn("zeros", " ".join(told["warnings"]))
        self.assertEqual(contents(self.path("s.gpkg"), ("id", "ost"))[1], (None, ["008", "500010.5"]))
        self.assertEqual(self.convert(uri="t.csv", output="plain.csv")["geometry_type"], "None")

    def test_zeros_before_codes_are_kept_or_their_loss_is_named(self):
        def told_of(uri, **types):
            return [w for w in self.convert(uri=uri, output="z.gpkg", overwrite=True, **({"types": types} if types else {}))["warnings"] if "zeros" in w]
        self.text("f.csv", "fips,n,v\n00001,10,0.5\n01003,0,0\n,20,10\n")
        self.assertEqual(told_of("f.csv"), [])
        self.assertEqual({c[1][0] for c in contents(self.path("z.gpkg"), ("fips",))}, {"00001", "01003", None})
        self.convert(uri="f.csv", output="f.gpkg")
        for uri in ("f.csv", "f.gpkg"):
            for kind in ("Integer", "Integer64", "Real"):
                [warning] = told_of(uri, fips=kind, n=kind if kind != "Real" else "Integer")
                self.assertEqual(warning, f"2 features have zeros before their 'fips', such as '00001', which are lost as {kind}: "
                                 "leave the field out of 'types' to keep codes as text")
            self.assertEqual(told_of(uri, fips="String"), [])
        self.text("g.csv", "fips,n,v\n00001,10,0.5\n01003,0,0\n")
        self.text("g.csvt", '"Integer","Integer","Real"\n')
        [warning] = told_of("g.csv")
        self.assertIn("'fips' is Integer by the .csvt file, which drops the zeros of codes such as '00001'", warning)
        self.assertEqual([c[1] for c in contents(self.path("z.gpkg"), ("fips", "n"))], [["1", "10"], ["1003", "0"]])
        self.assertEqual(told_of("g.csv", fips="String"), [])
        self.assertEqual([c[1] for c in contents(self.path("z.gpkg"), ("fips", "n"))], [["00001", "10"], ["01003", "0"]])

    def test_values_that_do_not_fit_their_type_are_refused_or_named(self):
        self.text("t.csv", "code,a,b\n1,1,2\nabc,3,4\n99999999999,5,oops\n")
        self.refused("abc", "Integer", uri="t.csv", output="n.gpkg", types={"code": "Integer"})
        told = self.convert(uri="t.csv", output="n.gpkg", types={"code": "Integer"}, skip_failed=True)
        self.assertEqual((told["feature_count"], told["failed_count"]), (1, 2))
        self.refused("'oops'", "no coordinate", uri="t.csv", output="m.gpkg", x="a", y="b", crs="EPSG:32633")
        self.refused("colour", "code (String)", uri="t.csv", output="m.gpkg", types={"colour": "Real"})
        self.refused("Complex", "DateTime", uri="t.csv", output="m.gpkg", types={"code": "Complex"})
        self.refused("'x' is given alone", uri="t.csv", output="m.gpkg", x="a")
        self.assertEqual(self.files(), {"t.csv", "n.gpkg", "n.gpkg.provenance.json"})

    def test_the_names_may_be_in_another_line(self):
        self.text("p.csv", 'A report\nof "2020"\nname;size\nÅs;1,5\nOslo;2,5\n')
        self.convert(uri="p.csv", output="p.gpkg", header_row=3)
        self.assertEqual([c[1] for c in contents(self.path("p.gpkg"), ("name", "size"))], [["Oslo", "2.5"], ["Ås", "1.5"]])
        self.text("n.csv", "1,a\n2,b\n")
        told = self.convert(uri="n.csv", output="n.gpkg", header_row=0)
        self.assertEqual([f["name"] for f in told["fields"]], ["field_1", "field_2"])
        self.assertEqual([c[1] for c in contents(self.path("n.gpkg"), ("field_1", "field_2"))], [["1", "a"], ["2", "b"]])
        self.refused("'header_row' is 9", uri="n.csv", output="m.gpkg", header_row=9)

    def test_text_of_a_known_encoding_is_read_in_it(self):
        self.text("ru.csv", "name,size\nМосква,1\n".encode("cp1251"))
        self.convert(uri="ru.csv", output="ru.gpkg", encoding="CP1251")
        self.assertEqual(contents(self.path("ru.gpkg"), ("name",))[0][1], ["Москва"])
        make(self.path("ru.shp"), ["POINT (1 2)"], "ESRI Shapefile", kind=ogr.wkbPoint, options=["ENCODING=CP1251"], text=("Москва", ""), big=5)
        os.remove(self.path("ru.cpg"))
        with open(self.path("ru.dbf"), "r+b") as file:  # nor does the table say so
            file.seek(29)
            file.write(b"\0")
        self.convert(uri="ru.shp", output="s.gpkg", encoding="cp1251")
        self.assertEqual(contents(self.path("s.gpkg"), ("name",))[0][1], ["Москва"])
        self.refused("'Klingon'", "iconv", uri="ru.csv", output="no.gpkg", encoding="Klingon")

    def test_what_contradicts_is_refused(self):
        make(self.path("a.gpkg"), SOURCES["point"])
        make(self.path("none.gpkg"), SOURCES["point"], code=None)
        self.refused("EPSG:3857", "EPSG:4326", "vector_reproject", uri="a.gpkg", output="b.gpkg", crs="EPSG:3857")
        self.refused("FlatGeobuf", ".gpkg", uri="a.gpkg", output="b.gpkg", driver="flatgeobuf")
        self.refused("", uri="a.gpkg", output="b.xyz")
        self.refused("no CRS", "'crs'", uri="none.gpkg", output="b.geojson")
        told = self.convert(uri="none.gpkg", output="b.gpkg", crs="EPSG:4326")
        self.assertEqual(told["crs"]["code"], "EPSG:4326")
        self.assertEqual(contents(self.path("b.gpkg")), contents(self.path("none.gpkg")))
        self.assertIn("no CRS", " ".join(self.convert(uri="none.gpkg", output="c.gpkg")["warnings"]))

    def test_sheets_of_a_workbook_are_layers(self):
        make(self.path("a.gpkg"), SOURCES["point"])
        for name in ("one", "two"):
            subprocess.run(["ogr2ogr", "-f", "ODS", *(["-update", "-append"] if name == "two" else []), "-nln", name, self.path("book.ods"), self.path("a.gpkg")],
                           check=True, stderr=subprocess.DEVNULL)
        self.refused("one", "two", uri="book.ods", output="s.csv")
        told = self.convert(uri="book.ods", output="s.csv", sheet="two")
        self.assertEqual((told["layer"], told["feature_count"], told["geometry_type"]), ("two", 2, "None"))

    def test_formats_that_cannot_hold_it_are_refused_with_another_one(self):
        with open(self.path("table.csv"), "w", encoding="utf-8") as file:
            file.write("a,b\n1,2\n")
        p = problem(self.session.call("vector_convert", {"uri": "table.csv", "output": "table.fgb"}))
        self.assertIn("FlatGeobuf cannot hold", p["message"])
        self.assertIn(".gpkg", p["hint"])
        make(self.path("none.gpkg"), [])
        p = problem(self.session.call("vector_convert", {"uri": "none.gpkg", "output": "none.geojsonl"}))
        self.assertIn("no feature", p["message"])
        self.assertIn(".geojson", p["hint"])
        self.assertEqual(self.files() - {"table.csv", "none.gpkg"}, set())

    def test_polygons_that_the_decimals_of_geojson_make_invalid_are_counted(self):
        make(self.path("p.gpkg"), ["POLYGON ((0 0,1 0,1 1,0.00000003 0.5,0 1,0 0))", "POLYGON ((0 0,1 0,1 1,0 0))"])
        told = good(self.session.call("vector_convert", {"uri": "p.gpkg", "output": "p.geojson"}))
        self.assertIn("1 feature became invalid in the 7 decimals of GeoJSON, the first is 1", " ".join(told["warnings"]))
        told = good(self.session.call("vector_convert", {"uri": "p.gpkg", "output": "q.geojson", "options": ["COORDINATE_PRECISION=9"]}))
        self.assertNotIn("invalid", " ".join(told["warnings"]))

    def test_ids_that_repeat_are_named_with_the_way_out(self):
        places = [{"type": "Feature", "id": i, "properties": {"v": k}, "geometry": {"type": "Point", "coordinates": [k, 0]}} for k, i in enumerate((10, 10, 3))]
        with open(self.path("ids.geojson"), "w") as f:
            json.dump({"type": "FeatureCollection", "features": places}, f)
        if int(gdal.VersionInfo()) < 3100000:  # later GDAL gives the others ids of its own
            p = problem(self.session.call("vector_convert", {"uri": "ids.geojson", "output": "ids.gpkg"}))
            self.assertEqual(p["message"], "several features of the source have the id 10, and GPKG holds each id once")
        good(self.session.call("vector_convert", {"uri": "ids.geojson", "output": "ids.fgb"}))
        self.assertEqual(good(self.session.call("vector_convert", {"uri": "ids.fgb", "output": "ids.gpkg"}))["feature_count"], 3)

    def test_names_that_differ_in_case_alone_are_both_named(self):
        with open(self.path("case.geojson"), "w") as f:
            json.dump({"type": "FeatureCollection", "features": [
                {"type": "Feature", "properties": {"Name": 1, "name": 2, "NAME": 3}, "geometry": {"type": "Point", "coordinates": [0, 0]}}]}, f)
        p = problem(self.session.call("vector_convert", {"uri": "case.geojson", "output": "case.gpkg"}))
        self.assertIn("the columns 1 and 2, 'Name' and 'name', differ in case alone", p["message"])
        p = problem(self.session.call("vector_query", {"uri": "case.geojson", "where": "NAME = 3", "output": "no.gpkg"}))
        self.assertIn("'Name' and 'name'", p["message"])
        self.assertIn("vector_query with 'attributes'", p["hint"])
        for name, value in (("NAME", 3), ("name", 2)):
            good(self.session.call("vector_query", {"uri": "case.geojson", "attributes": [name], "output": "one.gpkg", "overwrite": True}))
            file = ogr.Open(self.path("one.gpkg"))
            self.assertEqual([f.items() for f in file.GetLayer(0)], [{name: value}])

    def test_one_value_for_null_and_empty_text_is_said(self):
        make(self.path("in.gpkg"), ["POINT (1 2)"], text=("", None))
        for extension in ("csv", "kml", "gml"):
            told = self.convert(uri="in.gpkg", output=f"out.{extension}")
            self.assertIn("null and for empty text", " ".join(told["warnings"]))


    def test_options_are_those_of_the_driver(self):
        make(self.path("a.gpkg"), SOURCES["point"])
        convert = lambda **arguments: self.session.call("vector_convert", {"uri": "a.gpkg", "overwrite": True, **arguments})
        good(convert(output="o.csv", options=["SEPARATOR=SEMICOLON", "write_bom=YES"]))
        with open(self.path("o.csv"), "rb") as file:
            self.assertTrue(file.read().startswith(b"\xef\xbb\xbfWKT;name;size"))
        told = good(convert(output="o.geojson", options=["COORDINATE_PRECISION=1"]))
        self.assertIn("points move by up to 7871.5 m", " ".join(told["warnings"]))
        with open(self.path("o.geojson"), encoding="utf-8") as file:
            self.assertIn("[ 10.5, 50.2 ]", file.read())
        told = good(convert(output="o.geojson", options=["SIGNIFICANT_FIGURES=3"]))
        self.assertIn("SIGNIFICANT_FIGURES=3 rounds coordinates and numbers to 3 significant digits", " ".join(told["warnings"]))
        self.assertNotIn("rounds", " ".join(good(convert(output="o.geojson", options=["COORDINATE_PRECISION=7"]))["warnings"]))
        good(convert(output="o.gpkg", options=["SPATIAL_INDEX=NO", "VERSION=1.2"]))
        for n, (option, sorted_) in enumerate((("SPATIAL_INDEX=YES", True), ("SPATIAL_INDEX=NO", False), ("SPATIAL_INDEX=off", False))):
            told = good(convert(output=f"{n}.fgb", options=[option]))
            self.assertEqual("sorts features for its spatial index" in " ".join(told["warnings"]), sorted_, option)
        self.assertFalse(gdal.OpenEx(self.path("o.gpkg")).ExecuteSQL("SELECT HasSpatialIndex('sites', 'geom')").GetNextFeature().GetField(0))
        for option, message, hint in (("SPATIAL_INDX=NO", "GPKG has no option 'SPATIAL_INDX'", "SPATIAL_INDEX"), ("SPATIAL_INDEX=MAYBE", "is 'MAYBE'", "YES, NO"),
                                      ("SPATIAL_INDEX", "not KEY=VALUE", "SPATIAL_INDEX"), ("OVERWRITE=YES", "not taken", "")):
            p = problem(convert(output="no.gpkg", options=[option]))
            self.assertIn(message, p["message"])
            self.assertIn(hint, p["hint"])
        self.assertFalse(os.path.exists(self.path("no.gpkg")))

if __name__ == "__main__":
    session.main()
