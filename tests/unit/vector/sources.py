"""Sources that say little of themselves (no CRS, tables, damaged and virtual ones), and datasets given as a geometry."""
import json
import os
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "e2e"))
import session  # noqa: E402
from osgeo import gdal, ogr, osr  # noqa: E402
from session import Claims, Session, good, problem, run  # noqa: E402

gdal.UseExceptions()
ogr.UseExceptions()


def crs(code):
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(code)
    reference.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return reference


def layer(path, shapes, code, driver="GPKG", name="a"):
    """A layer of these WKTs, with a field n counting from 1; code None: without a CRS."""
    dataset = ogr.GetDriverByName(driver).CreateDataSource(path)
    made = dataset.CreateLayer(name, crs(code) if code else None, ogr.CreateGeometryFromWkt(shapes[0]).GetGeometryType())
    made.CreateField(ogr.FieldDefn("n", ogr.OFTInteger))
    for n, text in enumerate(shapes, 1):
        feature = ogr.Feature(made.GetLayerDefn())
        feature["n"] = n
        feature.SetGeometry(ogr.CreateGeometryFromWkt(text))
        made.CreateFeature(feature)


def wkbs(path):
    dataset = ogr.Open(path)
    return [bytes(f.GetGeometryRef().ExportToWkb()) for f in dataset.GetLayer(0)]


class Sources(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def write(self, name, text):
        pathlib.Path(self.path(name)).write_text(text, encoding="utf-8")

    def good(self, tool, **arguments):
        return good(run(self.session, tool, arguments))

    def refused(self, tool, **arguments):
        p = problem(run(self.session, tool, arguments))
        self.assertTrue(p["hint"], p)
        return p

    def read(self, uri):
        return json.loads(self.session.request("resources/read", {"uri": uri})["result"]["contents"][0]["text"])


METRES = ["POLYGON ((500000 5500000, 500100 5500000.123456789, 500100 5500100, 500000 5500000))",
          "POLYGON ((600000 5500000, 600100 5500000, 600100 5500100, 600000 5500000))"]


class without_a_crs(Sources):
    def setUp(self):
        super().setUp()
        layer(self.path("a.gpkg"), METRES, None)
        layer(self.path("a.shp"), METRES, None, driver="ESRI Shapefile")
        self.write("a.csv", "n,x,y\n1,500000,5500000\n2,600000,5500000\n")

    def test_it_is_said_and_carried_through(self):
        for name in ("a.gpkg", "a.shp", "a.csv"):
            with self.subTest(name):
                (about,) = self.good("vector_info", uri=name)["layers"]
                self.assertEqual((about["crs"]["kind"], about["crs"]["code"]), ("none", ""))
                self.assertTrue(any("no CRS" in h for h in about["hints"]), about)
                found = self.good("vector_query", uri=name, show=1)
                self.assertEqual((found["crs"]["kind"], found["output"]["crs"]), ("none", ""))
                self.assertIn("CRS = none", found["checks"])
                again = self.good("vector_query", uri=found["output"]["uri"])
                self.assertEqual((again["feature_count"], again["crs"]["kind"]), (2, "none"))

    def test_the_geopackage_does_not_call_metres_degrees(self):
        self.good("vector_query", uri="a.shp", output="out.gpkg")
        with sqlite3.connect(self.path("out.gpkg")) as database:
            self.assertEqual(database.execute("SELECT srs_id FROM gpkg_geometry_columns").fetchall(), [(-1,)])

    def test_the_catalogue_and_the_metadata_list_it_under_none(self):
        found = {d["path"]: d["crs"] for d in self.read("catalog://workspace/by-crs/none")["datasets"]}
        self.assertEqual(found, {"a.gpkg": "", "a.shp": "", "a.csv": ""})

    def test_src_crs_says_it_where_one_is_needed(self):
        refused = self.refused("vector_query", uri="a.gpkg", output="out.geojson")
        self.assertIn("src_crs", refused["hint"])
        found = self.good("vector_query", uri="a.gpkg", src_crs="EPSG:32633", output="out.geojson")
        self.assertAlmostEqual(found["bounds"]["native"][0], 15, 6)
        near = self.good("vector_query", uri="a.gpkg", src_crs="EPSG:32633", geometry={
            "type": "Point", "coordinates": ogr_point(32633, 500050, 5500020)})
        self.assertEqual((near["feature_count"], near["crs"]["code"]), (1, "EPSG:32633"))
        self.assertIn("src_crs", self.refused("vector_reproject", uri="a.gpkg", dst_crs="EPSG:4326")["hint"])

    def test_a_crs_is_assigned_without_moving_a_bit(self):
        for name in ("a.gpkg", "a.shp"):
            done = self.good("vector_reproject", uri=name, src_crs="EPSG:32633", dst_crs="EPSG:32633", overwrite=True,
                             output="assigned.gpkg")
            self.assertEqual(done["transformation"]["name"], "none: assigned, not transformed")
            self.assertEqual(wkbs(self.path("assigned.gpkg")), wkbs(self.path(name)))
            assigned = ogr.Open(self.path("assigned.gpkg"))
            self.assertEqual(assigned.GetLayer(0).GetSpatialRef().GetAuthorityCode(None), "32633")

    def test_zones_without_one_need_zones_crs(self):
        raster(self.path("r.tif"))
        refused = self.refused("aggregate_zonal", raster="r.tif", zones="a.gpkg", stats=["count"])
        self.assertIn("zones_crs", refused["hint"])
        done = self.good("aggregate_zonal", raster="r.tif", zones="a.gpkg", zones_crs="EPSG:32633", stats=["count"])
        self.assertEqual(len(done["rows"]), 2)


def ogr_point(code, x, y):
    point = ogr.CreateGeometryFromWkt(f"POINT ({x} {y})")
    point.AssignSpatialReference(crs(code))
    point.TransformTo(crs(4326))
    return [point.GetX(), point.GetY()]


def raster(path):
    """10 x 10 cells of 100 m, values 0 to 99 row by row, in UTM zone 33N."""
    made = gdal.GetDriverByName("GTiff").Create(path, 10, 10, 1, gdal.GDT_Int16)
    made.SetProjection(crs(32633).ExportToWkt())
    made.SetGeoTransform([500000, 100, 0, 5501000, 0, -100])
    made.GetRasterBand(1).WriteRaster(0, 0, 10, 10, bytes(v for n in range(100) for v in (n, 0)))


class tables(Sources):
    def test_columns_are_typed_and_coordinates_are_points(self):
        self.write("towns.csv", "code,name,lon,lat,pop,founded\n001,A,10.5,50,4,1200-01-01\n002,B,11,51,7,1300-01-01\n")
        (about,) = self.good("vector_info", uri="towns.csv")["layers"]
        self.assertEqual({f["name"]: f["type"] for f in about["fields"]},
                         {"code": "String", "name": "String", "lon": "Real", "lat": "Real", "pop": "Integer",
                          "founded": "Date"})
        self.assertEqual(about["recognised"],
                         "types recognised from the values; geometry from columns lon, lat (OGC:CRS84)")
        self.assertEqual(about["crs"]["code"], "OGC:CRS84")
        found = self.good("vector_query", uri="towns.csv", where="pop > 5", geometry=[10.9, 50.9, 11.1, 51.1])
        (only,) = found["features"]["features"]
        self.assertEqual((only["properties"]["code"], only["geometry"]["coordinates"]), ("002", [11, 51]))

    def test_siblings_are_read_in_the_sandbox(self):
        self.write("t.csv", "a,lon,lat\n1,500000,0\n")
        self.write("t.csvt", '"String","CoordX","CoordY"')
        self.write("t.prj", crs(32633).ExportToWkt(["FORMAT=WKT1_ESRI"]))
        (about,) = self.good("vector_info", uri="t.csv")["layers"]
        self.assertEqual((about["crs"]["code"], about["fields"][0]["type"]), ("EPSG:32633", "String"))

    def test_columns_of_one_name_are_told_apart_in_words(self):
        self.write("twins.csv", "foo,bar,foo\n1,2,3\n")
        self.assertEqual(self.good("vector_info", uri="twins.csv")["layers"][0]["feature_count"], 1)
        told = self.good("vector_query", uri="twins.csv", where="foo_2 > 1")
        self.assertEqual(told["features"]["features"][0]["properties"], {"foo": 1, "bar": 2, "foo_2": 3})
        self.assertIn("column 3 'foo' is 'foo_2' here", told["warnings"][0])


class damaged(Sources):
    def test_damaged_features_are_refused_or_left_out_by_name(self):
        layer(self.path("d.shp"), ["POLYGON ((10 50, 11 50, 11 51, 10 50))"] * 3, 4326, driver="ESRI Shapefile")
        whole = pathlib.Path(self.path("d.shp")).read_bytes()
        pathlib.Path(self.path("d.shp")).write_bytes(whole[:-60])
        self.assertIn("skip_failed", self.refused("vector_query", uri="d.shp")["hint"])
        found = self.good("vector_query", uri="d.shp", skip_failed=True)
        self.assertEqual((found["feature_count"], found["failed_count"], found["failed_ids"]), (2, 1, [2]))
        done = self.good("vector_reproject", uri="d.shp", dst_crs="EPSG:32632", skip_failed=True)
        self.assertEqual((done["feature_count"], done["layers"][0]["failed_ids"]), (2, [2]))

    def test_a_virtual_dataset_over_what_is_not_there_names_it(self):
        self.write("v.vrt", "<OGRVRTDataSource><OGRVRTLayer name='poly'><SrcDataSource relativeToVRT='1'>../gone.shp"
                            "</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>")
        for tool in ("vector_info", "vector_query"):
            self.assertIn("gone.shp", self.refused(tool, uri="v.vrt")["message"])


class lean(Sources):
    def test_three_features_are_shown_and_long_geometries_are_told_by_their_box(self):
        circle = ogr.CreateGeometryFromWkt("POINT (10 50)").Buffer(1, 30)
        layer(self.path("c.gpkg"), [circle.ExportToWkt()] * 10, 4326)
        found = self.good("vector_query", uri="c.gpkg")
        self.assertLessEqual(len(json.dumps(found, separators=(",", ":"))), 2500)
        self.assertEqual(found["features_shown"], 3)
        first = found["features"]["features"][0]
        self.assertEqual((first["geometry"], first["geometry_left_out"]), (None, "Polygon, 121 vertices"))
        self.assertEqual(first["bbox"], [9, 49, 11, 51])
        self.assertEqual(self.good("vector_query", uri="c.gpkg", show=0)["features"]["features"], [])
        self.assertEqual(self.good("vector_query", uri="c.gpkg", show=10)["features_shown"], 10)

    def test_a_definition_is_written_once(self):
        reference = "+proj=laea +lat_0=10 +lon_0=20 +datum=WGS84"
        layer(self.path("l.gpkg"), ["POINT (1 2)"], None)
        found = self.good("vector_query", uri="l.gpkg", src_crs=reference)
        self.assertEqual(json.dumps(found).count("PROJCRS["), 1)
        self.assertEqual(found["output"]["crs"], found["crs"]["name"])


class several_geometries(Sources):
    def test_the_first_geometry_column_is_used_and_said_to_be(self):
        layer(self.path("p.gpkg"), ["POINT (1 2)", "POINT (3 4)"], 4326)
        self.write("two.vrt", """<OGRVRTDataSource><OGRVRTLayer name="two"><SrcDataSource relativeToVRT="1">p.gpkg</SrcDataSource>
            <SrcLayer>a</SrcLayer><GeometryField name="one" encoding="PointFromColumns" x="n" y="n"><GeometryType>wkbPoint</GeometryType>
            </GeometryField><GeometryField name="other" encoding="PointFromColumns" x="n" y="n"><GeometryType>wkbPoint</GeometryType>
            </GeometryField></OGRVRTLayer></OGRVRTDataSource>""")
        info = self.good("vector_info", uri="two.vrt")
        self.assertIn("several geometry columns", json.dumps(info))
        answer = self.good("vector_query", uri="two.vrt", output="out.gpkg")
        self.assertTrue(any("2 geometry columns" in w for w in answer["warnings"]), answer["warnings"])


class geometries(Sources):
    def setUp(self):
        super().setUp()
        raster(self.path("r.tif"))
        self.west = "POLYGON ((500000 5500000, 500300 5500000, 500300 5501000, 500000 5501000, 500000 5500000))"
        self.next = "POLYGON ((500200 5500000, 500500 5500000, 500500 5501000, 500200 5501000, 500200 5500000))"
        layer(self.path("district.gpkg"), [self.west, self.next], 32633)

    def test_a_dataset_is_the_area_its_features_cover_together(self):
        by_path = self.good("raster_stats", uri="r.tif", geometry="district.gpkg")
        by_box = self.good("raster_stats", uri="r.tif", geometry=[500000, 5500000, 500500, 5501000])
        self.assertEqual(by_path["bands"], by_box["bands"])
        self.assertEqual(by_path["bands"][0]["valid_count"], 50)
        self.assertEqual(by_path["area"]["geometry_used"], {"type": "Polygon", "bbox": [500000, 5500000, 500500, 5501000],
                                                    "features": 2})
        self.assertEqual(by_path["area"]["geometry_crs"], "EPSG:32633")

    def test_a_result_is_passed_on_without_its_coordinates(self):
        one = self.good("vector_query", uri="district.gpkg", where="n = 1", show=0)
        cut = self.good("raster_query", uri="r.tif", geometry=one["output"]["uri"])
        self.assertEqual(cut["pixel_count"], 30)
        found = self.good("vector_query", uri="district.gpkg", geometry=one["output"]["uri"], clip=True)
        self.assertEqual(found["feature_count"], 2)
        picture = run(self.session, "raster_preview", {"uri": "r.tif", "geometry": one["output"]["uri"]})
        self.assertEqual([b["type"] for b in picture["content"] if b["type"] == "image"], ["image"])

    def test_it_is_transformed_from_its_own_crs(self):
        degrees = ogr.CreateGeometryFromWkt(self.west)
        degrees.AssignSpatialReference(crs(32633))
        degrees.Segmentize(10)
        degrees.TransformTo(crs(4326))
        layer(self.path("degrees.gpkg"), [degrees.ExportToWkt()], 4326)
        self.assertEqual(self.good("raster_stats", uri="r.tif", geometry="degrees.gpkg")["bands"][0]["valid_count"], 30)

    def test_it_is_an_input_with_provenance_and_a_reason(self):
        arguments = {"uri": "r.tif", "geometry": "district.gpkg", "purpose": "the district's mean", "output": "cut.tif"}
        asked = problem(self.session.call("raster_query", arguments))
        (missing,) = [m for m in asked["missing"] if m["domain"] == "spatial_query"]
        self.assertRegex(missing["prompt_args"]["geometry"], "^dataset-sha256:[0-9a-f]{64}$")
        self.assertEqual(missing["prompt_args"]["geometry_crs"], "EPSG:32633")
        self.assertEqual(asked["retry"]["arguments"]["geometry"], "district.gpkg")
        self.good("raster_query", **arguments)
        (record,) = pathlib.Path(self.workspace).glob("cut.tif*provenance*")
        inputs = json.loads(record.read_text())["inputs"]
        self.assertEqual([i["uri"] for i in inputs], ["r.tif", "district.gpkg"])
        # The same area under another name needs no second reason; another area does.
        pathlib.Path(self.path("copy.gpkg")).write_bytes(pathlib.Path(self.path("district.gpkg")).read_bytes())
        good(self.session.call("raster_query", {**arguments, "geometry": "copy.gpkg", "output": "again.tif"}))
        layer(self.path("other.gpkg"), [self.next], 32633)
        problem(self.session.call("raster_query", {**arguments, "geometry": "other.gpkg", "output": "third.tif"}))

    def test_what_cannot_be_an_area_is_refused_by_name(self):
        layer(self.path("nowhere.gpkg"), METRES, None)
        self.assertIn("geometry_crs", self.refused("raster_stats", uri="r.tif", geometry="nowhere.gpkg")["hint"])
        self.good("raster_stats", uri="r.tif", geometry="nowhere.gpkg", geometry_crs="EPSG:32633")
        self.assertIn("EPSG:32633", self.refused("raster_stats", uri="r.tif", geometry="district.gpkg",
                                                  geometry_crs="EPSG:4326")["message"])
        self.assertEqual(self.refused("raster_stats", uri="r.tif", geometry="/etc/passwd")["error"], "denied")
        self.assertEqual(self.refused("raster_stats", uri="r.tif", geometry="gone.gpkg")["error"], "not_found")
        gdal.VectorTranslate(self.path("two.gpkg"), self.path("district.gpkg"), layerName="one")
        gdal.VectorTranslate(self.path("two.gpkg"), self.path("district.gpkg"), layerName="two", accessMode="append")
        self.assertIn("one, two", self.refused("raster_stats", uri="r.tif", geometry="two.gpkg")["hint"])


if __name__ == "__main__":
    session.main()
