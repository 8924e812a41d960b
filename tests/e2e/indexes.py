"""Overviews and spatial indexes beside a dataset, and the resources that show what a dataset has and what a VRT would join."""
import hashlib
import json
import os
import shutil
from urllib.parse import quote

import numpy
from osgeo import gdal, ogr, osr

import rasters
import session
from rasters import UTM, waves, write
from session import Claims, Session, follow, good, problem


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def roads(path, count=400):
    """Short lines on a lattice."""
    dataset = ogr.GetDriverByName("GPKG" if path.endswith(".gpkg") else "ESRI Shapefile").CreateDataSource(path)
    layer = dataset.CreateLayer("roads", rasters.crs(UTM), ogr.wkbLineString, options=["SPATIAL_INDEX=NO"])
    layer.CreateField(ogr.FieldDefn("n", ogr.OFTInteger))
    for n in range(count):
        x, y = 289000 + 100 * (n % 20), 9120000 + 100 * (n // 20)
        feature = ogr.Feature(layer.GetLayerDefn())
        feature["n"] = n
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"LINESTRING ({x} {y},{x + 50} {y + 50})"))
        layer.CreateFeature(feature)


class indexes(Claims):
    def setUp(self):
        super().setUp()
        self.server = Session("--toolsets", "all", workspace=self.workspace)
        self.addCleanup(self.server.close)

    def refused(self, tool, arguments, *words):
        before = self.files()
        p = problem(self.server.call(tool, arguments))
        for word in words:
            self.assertIn(word, p["message"] + " " + p.get("hint", ""))
        self.assertEqual(self.files(), before)
        return p

    def read(self, uri):
        answer = self.server.request("resources/read", {"uri": uri})
        self.assertIn("result", answer, answer)
        return json.loads(answer["result"]["contents"][0]["text"])

    def test_overviews_beside_a_raster_are_gdal_s_and_leave_it_alone(self):
        z = numpy.arange(64 * 96, dtype="float32").reshape(64, 96)
        for name in ("heights.tif", "theirs.tif"):
            write(self.path(name), [z], gdal.GDT_Float32, nodata=-9999)
        before = digest(self.path("heights.tif"))
        result = good(self.server.call("raster_index", {"uri": "heights.tif", "levels": [2, 4]}))
        self.assertEqual(result["overviews_built"], ["48×32", "24×16"])
        self.assertEqual(result["overview_resampling"], "AVERAGE")
        self.assertEqual(result["output"]["path"], self.path("heights.tif.ovr"))
        self.assertEqual(digest(self.path("heights.tif")), before)
        # 2 x 2 cells: 0, 1, 96 and 97.
        opened = gdal.Open(self.path("heights.tif"))
        ours = opened.GetRasterBand(1)
        self.assertEqual(ours.GetOverview(0).ReadAsArray(0, 0, 1, 1).tolist(), [[48.5]])
        theirs = gdal.Open(self.path("theirs.tif"))
        theirs.BuildOverviews("AVERAGE", [2, 4])
        for level in (0, 1):
            numpy.testing.assert_array_equal(ours.GetOverview(level).ReadAsArray(), theirs.GetRasterBand(1).GetOverview(level).ReadAsArray())

    def test_what_cannot_have_overviews_is_told_why(self):
        write(self.path("small.tif"), [waves(60, 50, 0, 9).astype("float32")], gdal.GDT_Float32)
        self.refused("raster_index", {"uri": "small.tif"}, "60 cells on its longer side", "'levels'")
        self.refused("raster_index", {"uri": "small.tif", "levels": [4, 2]}, "2 is not between 5 and 60")
        self.refused("raster_index", {"uri": "small.tif", "levels": [2], "output": "other.ovr"}, "other.ovr", "small.tif.ovr", "leave it out")
        good(self.server.call("raster_index", {"uri": "small.tif", "levels": [2], "output": "small.tif.ovr"}))
        self.refused("raster_index", {"uri": "small.tif", "levels": [2]}, "small.tif.ovr exists already", '"drop": true')
        os.remove(self.path("small.tif.ovr"))
        os.remove(self.path("small.tif.ovr.provenance.json"))
        managed = good(self.server.call("raster_terrain", {"uri": "small.tif", "measure": "slope"}))["output"]["uri"]
        self.refused("raster_index", {"uri": managed, "levels": [2]}, "no file of its own", "raster_convert")
        gdal.Open(self.path("small.tif"), gdal.GA_Update).BuildOverviews("NEAREST", [2])
        self.refused("raster_index", {"uri": "small.tif", "levels": [2]}, "has 1 overviews already", "raster_convert")
        with Session("--toolsets", "all", workspace=self.workspace + ":ro") as reading:
            p = problem(reading.call("raster_index", {"uri": "small.tif", "levels": [2]}))
            self.assertEqual(p["error"], "denied")
            self.assertIn("copy in a writable workspace", p["hint"])

    def test_classes_get_the_most_frequent_one_and_another_method_needs_a_reason(self):
        write(self.path("classes.tif"), [numpy.kron([[1, 2], [3, 1]], numpy.ones((32, 32))).astype("uint8")], gdal.GDT_Byte, palette={1: (255, 0, 0, 255), 2: (0, 255, 0, 255), 3: (0, 0, 255, 255)})
        asked = problem(self.server.call("raster_index", {"uri": "classes.tif", "levels": [2], "overview_resampling": "average"}))
        self.assertEqual([m["domain"] for m in asked["missing"]], ["resampling"])
        result = good(self.server.call("raster_index", {"uri": "classes.tif", "levels": [32]}))
        self.assertEqual(result["overview_resampling"], "MODE")
        opened = gdal.Open(self.path("classes.tif"))
        self.assertEqual(opened.GetRasterBand(1).GetOverview(0).ReadAsArray().tolist(), [[1, 2], [3, 1]])

    def test_a_spatial_index_beside_a_shapefile_is_ogr_s_and_leaves_it_alone(self):
        roads(self.path("roads.shp"))
        shutil.copytree(self.workspace, self.workspace + "-theirs", ignore=shutil.ignore_patterns(".preflight"))
        before = {n: digest(self.path(n)) for n in self.files()}
        self.assertIn("vector_index", self.read("index://dataset/roads.shp")["next"]["tool"])
        result = good(self.server.call("vector_index", {"uri": "roads.shp"}))
        self.assertEqual(result["feature_count"], 400)
        self.assertEqual(result["output"]["path"], self.path("roads.qix"))
        self.assertEqual({n: digest(self.path(n)) for n in before}, before)
        theirs = ogr.Open(self.workspace + "-theirs/roads.shp", 1)
        theirs.ExecuteSQL("CREATE SPATIAL INDEX ON roads")
        del theirs
        self.assertEqual(digest(self.path("roads.qix")), digest(self.workspace + "-theirs/roads.qix"))
        opened = ogr.Open(self.path("roads.shp"))
        layer = opened.GetLayer(0)
        self.assertTrue(layer.TestCapability(ogr.OLCFastSpatialFilter))
        layer.SetSpatialFilterRect(289090, 9119990, 289160, 9120060)
        self.assertEqual([f["n"] for f in layer], [1])
        self.assertEqual(self.read("index://dataset/roads.shp"),
                         {"uri": "roads.shp", "kind": "vector", "driver": "ESRI Shapefile", "layers": [{"name": "roads", "spatial_index": True}]})
        self.refused("vector_index", {"uri": "roads.shp"}, "roads.qix exists already", '"drop": true')

    def test_an_index_is_dropped_and_nothing_else(self):
        write(self.path("heights.tif"), [waves(60, 50, 0, 9).astype("float32")], gdal.GDT_Float32)
        roads(self.path("roads.shp"))
        before = {n: digest(self.path(n)) for n in self.files()}
        for tool, dataset, index in (("raster_index", "heights.tif", "heights.tif.ovr"), ("vector_index", "roads.shp", "roads.qix")):
            self.refused(tool, {"uri": dataset, "drop": True}, "there is no file " + self.path(index) + " to drop")
            for _ in range(2):  # what was dropped is made anew
                good(self.server.call(tool, {"uri": dataset} | ({"levels": [2]} if tool == "raster_index" else {})))
                self.assertTrue(os.path.exists(self.path(index + ".provenance.json")))
                result = good(self.server.call(tool, {"uri": dataset, "drop": True}))
                self.assertEqual(result["dropped"], self.path(index))
                self.assertNotIn("output", result)
                self.assertEqual({n: digest(self.path(n)) for n in self.files()}, before)
        self.assertEqual(self.read("index://dataset/heights.tif")["overviews"], [])
        self.assertFalse(self.read("index://dataset/roads.shp")["layers"][0]["spatial_index"])
        good(self.server.call("raster_index", {"uri": "heights.tif", "levels": [2]}))
        self.refused("raster_index", {"uri": "heights.tif", "drop": True, "levels": [2]}, "'levels'", "leave them out")
        with Session("--toolsets", "all", workspace=self.workspace + ":ro") as reading:
            self.assertEqual(problem(reading.call("raster_index", {"uri": "heights.tif", "drop": True}))["error"], "denied")
        self.assertTrue(os.path.exists(self.path("heights.tif.ovr")))

    def test_what_is_no_index_of_the_dataset_is_kept(self):
        for name in ("a.tif", "whole.tif"):
            write(self.path(name), [waves(60, 50, 0, 9).astype("float32")], gdal.GDT_Float32)
        roads(self.path("roads.shp"))
        good(self.server.call("vector_index", {"uri": "roads.shp"}))
        roads(self.path("roads.gpkg"))
        self.refused("vector_index", {"uri": "roads.gpkg", "drop": True}, "of the format GPKG")
        os.rename(self.path("whole.tif"), self.path("a.tif.ovr"))
        self.refused("raster_index", {"uri": "a.tif", "drop": True}, "a.tif.ovr does not hold the overviews", "georeferenced", "it is kept")
        for name, tool, dataset in (("a.tif.ovr", "raster_index", "a.tif"), ("roads.qix", "vector_index", "roads.shp")):
            os.remove(self.path(name))
            with open(self.path(name), "w") as file:
                file.write("my notes")
            self.refused(tool, {"uri": dataset, "drop": True}, name, "it is kept")
            os.remove(self.path(name))
            os.symlink(self.path("roads.dbf"), self.path(name))
            for arguments in ({"uri": dataset}, {"uri": dataset, "drop": True}):
                self.refused(tool, arguments, name + " is no regular file")

    def test_what_gdal_would_not_read_beside_a_raster_is_not_built(self):
        z = waves(60, 50, 0, 9).astype("float32")
        write(self.path("a.tif"), [z], gdal.GDT_Float32)
        gdal.Translate(self.path("a.gpkg"), self.path("a.tif"), outputType=gdal.GDT_Byte, format="GPKG")
        self.refused("raster_index", {"uri": "a.gpkg", "levels": [2]}, "of the format GPKG", "raster_convert")
        gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", "YES")
        d = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        d.CreateMaskBand(gdal.GMF_PER_DATASET)
        d.GetRasterBand(1).GetMaskBand().WriteArray(numpy.kron([[255, 0]], numpy.ones((50, 30))).astype("uint8"))
        del d
        gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", None)
        self.refused("raster_index", {"uri": "a.tif", "levels": [2]}, "marked by a mask", "raster_convert")
        for name in ("one", "two"):
            gdal.Translate(self.path("two.gpkg"), self.path("a.tif"), outputType=gdal.GDT_Byte, format="GPKG",
                           creationOptions=["RASTER_TABLE=" + name, "RASTER_IDENTIFIER=" + name, "APPEND_SUBDATASET=YES"])
        self.refused("raster_index", {"uri": "two.gpkg", "levels": [2]}, "subdatasets")

    def test_a_dropped_index_is_an_update_of_what_describes_the_dataset(self):
        write(self.path("a.tif"), [waves(60, 50, 0, 9).astype("float32")], gdal.GDT_Float32)
        uris = ("index://dataset/a.tif", "metadata://a.tif/raster")
        for uri in uris:
            self.server.request("resources/subscribe", {"uri": uri})
        for arguments in ({"uri": "a.tif", "levels": [2]}, {"uri": "a.tif", "drop": True}):
            self.server.notifications.clear()
            good(self.server.call("raster_index", arguments))
            for uri in uris:
                self.server.wait_for(lambda: any(n["method"] == "notifications/resources/updated" and n["params"]["uri"] == uri for n in self.server.notifications), "the update")

    def test_an_index_of_other_features_is_named(self):
        roads(self.path("roads.shp"), count=5)
        good(self.server.call("vector_index", {"uri": "roads.shp"}))
        box = {"uri": "roads.shp", "geometry": [288990, 9119990, 289990, 9122000], "geometry_crs": f"EPSG:{UTM}"}
        self.assertEqual(good(self.server.call("vector_query", box))["warnings"], [])
        os.makedirs(self.path("new"))
        roads(self.path("new/roads.shp"), count=40)
        for part in ("shp", "shx", "dbf"):
            os.replace(self.path(f"new/roads.{part}"), self.path(f"roads.{part}"))
        stale = good(self.server.call("vector_query", box))
        self.assertTrue(any("roads.qix was made of 5 features, and the shapefile has 40" in w for w in stale["warnings"]), stale)
        good(self.server.call("vector_index", {"uri": "roads.shp", "drop": True}))
        fresh = good(self.server.call("vector_query", box))
        self.assertEqual((fresh["warnings"], fresh["matched_total"]), ([], 20))

    def test_a_replaced_raster_takes_its_overviews_and_their_record_along(self):
        write(self.path("a.tif"), [waves(60, 50, 0, 9).astype("float32")], gdal.GDT_Float32)
        good(self.server.call("raster_convert", {"uri": "a.tif", "output": "b.tif"}))
        good(self.server.call("raster_index", {"uri": "b.tif", "levels": [2]}))
        good(self.server.call("raster_convert", {"uri": "a.tif", "output": "b.tif", "overwrite": True}))
        self.assertEqual([n for n in self.files() if "ovr" in n], [])

    def test_what_holds_its_rasters_in_subdatasets_is_told_so(self):
        write(self.path("a.tif"), [waves(8, 8, 0, 9).astype("uint8")], gdal.GDT_Byte)
        for name in ("one", "two"):
            gdal.Translate(self.path("two.gpkg"), self.path("a.tif"), format="GPKG",
                           creationOptions=["RASTER_TABLE=" + name, "RASTER_IDENTIFIER=" + name, "APPEND_SUBDATASET=YES"])
        for uri in ("index://dataset/two.gpkg", "vrt://workspace/*.gpkg"):
            answer = self.server.request("resources/read", {"uri": uri})
            self.assertIn("two.gpkg holds its rasters in subdatasets", answer["error"]["message"])

    def test_a_call_that_would_be_refused_is_not_offered(self):
        write(self.path("a.tif"), [waves(600, 300, 0, 9).astype("float32")], gdal.GDT_Float32)
        self.assertIn("next", self.read("index://dataset/a.tif"))
        with Session("--toolsets", "all", workspace=self.workspace + ":ro") as reading:
            answer = reading.request("resources/read", {"uri": "index://dataset/a.tif"})
            self.assertNotIn("next", json.loads(answer["result"]["contents"][0]["text"]))

    def test_formats_with_the_index_inside_are_named(self):
        roads(self.path("roads.gpkg"))
        self.refused("vector_index", {"uri": "roads.gpkg"}, "of the format GPKG", "vector_convert")
        told = self.read("index://dataset/roads.gpkg")
        self.assertEqual(told["layers"], [{"name": "roads", "spatial_index": False}])
        self.assertEqual(told["next"]["tool"], "vector_convert")
        good(self.server.call(told["next"]["tool"], told["next"]["arguments"]))
        self.assertEqual(self.read("index://dataset/" + told["next"]["arguments"]["output"])["layers"][0]["spatial_index"], True)

    def test_what_a_raster_lacks_is_shown_with_the_call_that_makes_it(self):
        write(self.path("a b.tif"), [waves(600, 300, 0, 9).astype("float32")], gdal.GDT_Float32)
        uri = "index://dataset/" + quote("a b.tif")
        told = self.read(uri)
        self.assertEqual((told["overviews"], told["layout"], told["next"]), ([], "tiled", {"tool": "raster_index", "arguments": {"uri": "a b.tif"}}))
        self.server.request("resources/subscribe", {"uri": uri})
        good(self.server.call("raster_index", told["next"]["arguments"]))
        self.server.wait_for(lambda: any(n["method"] == "notifications/resources/updated" and n["params"]["uri"] == uri for n in self.server.notifications), "the update")
        told = self.read(uri)
        self.assertEqual(told["overviews"], ["300×150", "150×75"])
        self.assertNotIn("next", told)
        answer = self.server.request("resources/read", {"uri": "index://dataset/..%2F..%2Fetc%2Fpasswd"})
        self.assertEqual(answer["error"]["data"]["code"], "denied")

    def test_the_files_of_a_vrt_are_listed_with_what_does_not_fit(self):
        os.mkdir(self.path("tiles"))
        for name, column, epsg in (("a.tif", 0, UTM), ("b.tif", 40, UTM)):
            write(self.path("tiles/" + name), [waves(40, 30, 0, 9).astype("float32")], gdal.GDT_Float32, epsg=epsg, transform=(289000 + 28.5 * column, 28.5, 0, 9121000, 0, -28.5))
        told = self.read("vrt://workspace/tiles/*.tif")
        self.assertEqual([f["uri"] for f in told["files"]], ["tiles/a.tif", "tiles/b.tif"])
        self.assertEqual(told["files"][0], {"uri": "tiles/a.tif", "crs": f"EPSG:{UTM}", "pixel_size": [28.5, 28.5], "bands": 1})
        self.assertNotIn("differs", told)
        good(self.server.call(told["next"]["tool"], told["next"]["arguments"]))
        vrt = gdal.Open(self.path("mosaic.vrt"))
        self.assertEqual((vrt.RasterXSize, vrt.RasterYSize), (80, 30))
        with open(self.path("mosaic.vrt"), encoding="utf-8") as text:
            self.assertIn('<SourceFilename relativeToVRT="1">tiles/a.tif', text.read())
        write(self.path("tiles/c.tif"), [waves(40, 30, 0, 9).astype("float32")], gdal.GDT_Float32, epsg=4326, transform=(-35, 0.1, 0, -8, 0, -0.1))
        self.assertEqual(self.read("vrt://workspace/tiles/*.tif")["differs"], f'crs of tiles/c.tif is "EPSG:4326", of tiles/a.tif "EPSG:{UTM}"')
        for name, vertical in (("d.tif", 6360), ("e.tif", 5703)):
            write(self.path(name), [waves(40, 30, 0, 9).astype("float32")], gdal.GDT_Float32)
            raster, crs = gdal.Open(self.path(name), gdal.GA_Update), osr.SpatialReference()
            crs.SetFromUserInput(f"EPSG:26916+{vertical}")
            raster.SetSpatialRef(crs)
            del raster
        self.assertEqual(self.read("vrt://workspace/[de].tif")["differs"], 'crs of e.tif is "EPSG:26916+5703", of d.tif "EPSG:26916+6360"')
        for name, how in (("f.tif", (289000, 30, 0, 9121000, 0, -30)), ("g.tif", (289000, 28.5, 0, 9121000 + 28.5 * 20.25, 0, -28.5)), ("h.tif", (289000, 28.5, 0, 9121000, 0, -28.5))):
            write(self.path(name), [waves(40, 30, 0, 9).astype("float32")], gdal.GDT_Float32, transform=how)
        self.assertEqual(self.read("vrt://workspace/[fh].tif")["differs"], 'pixel_size of h.tif is "28.5 × 28.5", of f.tif "30 × 30"')
        told = self.read("vrt://workspace/[gh].tif")
        self.assertEqual((told["differs"], "next" in told), ("the cells of h.tif lie 0 and 0.25 cells off those of g.tif", False))
        for name, dtype, nodata in (("i.tif", gdal.GDT_Float32, None), ("j.tif", gdal.GDT_Float32, -9999), ("k.tif", gdal.GDT_Int16, None)):
            write(self.path(name), [waves(40, 30, 0, 9).astype("float32" if dtype == gdal.GDT_Float32 else "int16")], dtype, nodata=nodata, transform=(289000, 28.5, 0, 9121000, 0, -28.5))
        self.assertEqual(self.read("vrt://workspace/[ij].tif")["differs"], 'the nodata of band 1 of j.tif is -9999, of i.tif "none"')
        self.assertEqual(self.read("vrt://workspace/[ik].tif")["differs"], 'the dtype of band 1 of k.tif is "Int16", of i.tif "Float32"')
        self.assertNotIn("next", self.read("vrt://workspace/i.tif"))
        self.assertEqual(self.read("vrt://workspace/tiles/[ab].tif")["next"]["arguments"]["uris"], ["tiles/a.tif", "tiles/b.tif"])
        with open(self.path("tiles/n.csv"), "w", encoding="utf-8") as f:
            f.write("id,v\n1,2\n")
        os.remove(self.path("tiles/c.tif"))
        told = self.read("vrt://workspace/tiles/*")
        self.assertEqual((told["left_out"], told["next"]["arguments"]["uris"]), (["tiles/n.csv is no raster"], ["tiles/a.tif", "tiles/b.tif"]))
        self.assertIn("matches no raster: tiles/n.csv", self.server.request("resources/read", {"uri": "vrt://workspace/tiles/*.csv"})["error"]["message"])
        with open(self.path("tiles/c.tif"), "wb") as f:
            f.write(b"II*\0 truncated")
        told = self.read("vrt://workspace/tiles/*.tif")
        self.assertEqual((len(told["files"]), told["differs"], "next" in told), (2, "tiles/c.tif cannot be read", False))
        self.assertIn("tiles/c.tif: ", told["left_out"][0])
        for uri, code in (("vrt://workspace/tiles/*.png", "not_found"), ("vrt://workspace/../*.tif", "denied")):
            self.assertEqual(self.server.request("resources/read", {"uri": uri})["error"]["data"]["code"], code, uri)


session.main()
