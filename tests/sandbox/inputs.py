"""The files of an input are honoured or refused, never silently ignored; other files are not read."""
import hashlib
import json
import os
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import session  # noqa: E402
from osgeo import gdal, ogr, osr  # noqa: E402
from session import Claims, Session, good, problem  # noqa: E402
from witnesses import FileWatch, Loopback  # noqa: E402

gdal.UseExceptions()
ogr.UseExceptions()

PAM_NODATA = "<PAMDataset><PAMRasterBand band=\"1\"><NoDataValue>{}</NoDataValue></PAMRasterBand></PAMDataset>\n"
VRT = """<VRTDataset rasterXSize="4" rasterYSize="2"><SRS>EPSG:32633</SRS>
<GeoTransform>500000, 10, 0, 20, 0, -10</GeoTransform>
<VRTRasterBand dataType="Byte" band="1"><SimpleSource><SourceFilename relativeToVRT="{relative}">{source}</SourceFilename>
<SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>
"""


def raster(path, values=(1, 2, 3, 4, 5, 6, 7, 8), driver="GTiff"):
    """4 × 2 bytes on a 10 m grid in UTM 33N."""
    memory = gdal.GetDriverByName("MEM").Create("", 4, 2, 1, gdal.GDT_Byte)
    memory.GetRasterBand(1).WriteRaster(0, 0, 4, 2, bytes(values))
    if driver == "GTiff":
        memory.SetGeoTransform((500000, 10, 0, 20, 0, -10))
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(32633)
        memory.SetProjection(srs.ExportToWkt())
    gdal.GetDriverByName(driver).CreateCopy(path, memory)


def points(path, names, driver="GPKG", options=()):
    """One point per name, in UTM 33N."""
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32633)
    dataset = ogr.GetDriverByName(driver).CreateDataSource(path)
    layer = dataset.CreateLayer("sites", srs, ogr.wkbPoint, list(options))
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    for i, name in enumerate(names):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature["name"] = name
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({500000 + i} {10 * i})"))
        layer.CreateFeature(feature)


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class Inputs(Claims):
    def setUp(self):
        super().setUp()
        self.outside = os.path.join(os.path.realpath(self.folder.name), "outside")
        os.mkdir(self.outside)
        self.secret = os.path.join(self.outside, "secret.tif")
        raster(self.secret, [250] * 8)
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def stats(self, name):
        return good(self.session.call("raster_stats", {"uri": name}))["bands"][0]

    def refused_unread(self, tool, arguments):
        """The call fails without opening any file of the folder outside."""
        with FileWatch(self.outside) as watch:
            p = problem(self.session.call(tool, arguments))
            self.assertEqual(watch.names(), set(), p)
        self.assertTrue(p["hint"], p)
        return p


class sidecars(Inputs):
    def test_a_nodata_value_in_aux_xml_is_left_out_of_the_statistics(self):
        raster(self.path("a.tif"), [1, 2, 3, 4, 5, 6, 7, 255])
        self.assertEqual(self.stats("a.tif")["max"], 255)
        pathlib.Path(self.path("a.tif.aux.xml")).write_text(PAM_NODATA.format(255))
        band = self.stats("a.tif")
        self.assertEqual((band["max"], band["valid_count"], band["nodata_count"]), (7, 7, 1))

    def test_a_world_file_and_an_aux_xml_place_a_png(self):
        raster(self.path("a.png"), driver="PNG")
        pathlib.Path(self.path("a.wld")).write_text("10\n0\n0\n-10\n500005\n15\n")
        pathlib.Path(self.path("a.png.aux.xml")).write_text(
            "<PAMDataset><SRS>EPSG:32633</SRS><PAMRasterBand band=\"1\"><NoDataValue>8</NoDataValue></PAMRasterBand></PAMDataset>")
        about = good(self.session.call("raster_info", {"uri": "a.png"}))
        self.assertEqual(about["crs"]["code"], "EPSG:32633")
        self.assertEqual(about["bands"][0]["nodata"], 8)
        self.assertEqual(about["transform"], [10, 0, 500000, 0, -10, 20])

    def test_a_shapefile_comes_with_its_attributes_crs_and_encoding(self):
        points(self.path("a.shp"), ["Ås", "Łódź"], "ESRI Shapefile", ["ENCODING=UTF-8"])
        points(self.path("old.shp"), ["Ås", "Málaga"], "ESRI Shapefile", ["ENCODING=CP1252"])
        for name, names in (("a.shp", ["Ås", "Łódź"]), ("old.shp", ["Ås", "Málaga"])):
            found = good(self.session.call("vector_query", {"uri": name}))
            self.assertEqual([f["properties"]["name"] for f in found["features"]["features"]], names)
            self.assertEqual(found["crs"]["code"], "EPSG:32633")

    def test_overviews_beside_the_file_are_seen(self):
        raster(self.path("a.tif"))
        opened = gdal.Open(self.path("a.tif"))
        opened.BuildOverviews("NEAREST", [2])
        del opened
        self.assertTrue(os.path.exists(self.path("a.tif.ovr")))
        about = good(self.session.call("raster_info", {"uri": "a.tif"}))
        self.assertEqual(len(about["bands"][0]["overviews"]), 1, about["bands"])


class virtual_rasters(Inputs):
    def vrt(self, name, source, relative=1):
        pathlib.Path(self.path(name)).write_text(VRT.format(source=source, relative=relative))

    def test_sources_in_the_workspace_are_read(self):
        os.mkdir(self.path("tiles"))
        raster(self.path("tiles/a.tif"))
        self.vrt("a.vrt", "tiles/a.tif")
        self.vrt("absolute.vrt", self.path("tiles/a.tif"), 0)
        for name in ("a.vrt", "absolute.vrt"):
            self.assertEqual(self.stats(name)["mean"], 4.5, name)

    def test_the_sidecar_of_a_source_is_honoured(self):
        raster(self.path("a.tif"), [1, 2, 3, 4, 5, 6, 7, 255])
        pathlib.Path(self.path("a.tif.aux.xml")).write_text(PAM_NODATA.format(255))
        gdal.BuildVRT(self.path("a.vrt"), [self.path("a.tif")]).FlushCache()
        self.assertEqual(self.stats("a.vrt")["valid_count"], 7)

    def test_a_vrt_of_a_vrt_is_read(self):
        raster(self.path("a.tif"))
        self.vrt("a.vrt", "a.tif")
        self.vrt("b.vrt", "a.vrt")
        self.assertEqual(self.stats("b.vrt")["mean"], 4.5)

    def test_sources_outside_are_refused_unread(self):
        os.symlink(self.secret, self.path("link.tif"))
        for source, relative in ((self.secret, 0), ("../outside/secret.tif", 1), ("link.tif", 1), ("/etc/passwd", 0)):
            self.vrt("a.vrt", source, relative)
            self.refused_unread("raster_stats", {"uri": "a.vrt"})
            self.vrt("b.vrt", "a.vrt")
            self.refused_unread("raster_stats", {"uri": "b.vrt"})

    def test_sources_on_the_network_are_refused_unasked(self):
        with Loopback() as witness:
            self.vrt("a.vrt", f"/vsicurl/http://127.0.0.1:{witness.port}/a.tif", 0)
            problem(self.session.call("raster_stats", {"uri": "a.vrt"}))
            problem(self.session.call("raster_info", {"uri": f"/vsicurl/http://127.0.0.1:{witness.port}/a.tif"}))
            pathlib.Path(self.path("wms.xml")).write_text(
                f"<GDAL_WMS><Service name=\"TMS\"><ServerUrl>http://127.0.0.1:{witness.port}/${{z}}</ServerUrl></Service>"
                "<DataWindow><SizeX>256</SizeX><SizeY>256</SizeY></DataWindow></GDAL_WMS>")
            self.session.call("raster_stats", {"uri": "wms.xml"})
        self.assertEqual(witness.count, 0)

    def test_a_vector_vrt_that_points_outside_is_refused_unread(self):
        points(os.path.join(self.outside, "secret.gpkg"), ["secret"])
        text = "<OGRVRTDataSource><OGRVRTLayer name=\"sites\"><SrcDataSource relativeToVRT=\"{}\">{}</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"
        for relative, source in ((0, os.path.join(self.outside, "secret.gpkg")), (1, "../outside/secret.gpkg")):
            pathlib.Path(self.path("a.vrt")).write_text(text.format(relative, source))
            self.refused_unread("vector_info", {"uri": "a.vrt"})
        points(self.path("a.gpkg"), ["own"])
        pathlib.Path(self.path("a.vrt")).write_text(text.format(1, "a.gpkg"))
        self.assertEqual(good(self.session.call("vector_info", {"uri": "a.vrt"}))["layers"][0]["feature_count"], 1)


class paths(Inputs):
    def test_ways_out_of_the_workspace_are_refused_unread(self):
        os.symlink(self.secret, self.path("link.tif"))
        os.symlink(self.outside, self.path("folder"))
        os.mkdir(self.path("sub"))
        for uri in (self.secret, "../outside/secret.tif", "sub/../../outside/secret.tif", "link.tif", "folder/secret.tif",
                    f"file://{self.secret}", f"file://{self.workspace}/%2e%2e/outside/secret.tif",
                    f"GTIFF_DIR:1:{self.secret}", f"/vsisubfile/0_100,{self.secret}", f"vrt://{self.secret}",
                    f"/vsizip/{self.secret}", VRT.format(source=self.secret, relative=0)):
            with self.subTest(uri=uri):
                self.refused_unread("raster_stats", {"uri": uri})

    def test_root_reads_what_belongs_to_another_user(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        raster(self.path("theirs.tif"))
        os.chown(self.path("theirs.tif"), 65534, 65534)
        os.chmod(self.path("theirs.tif"), 0o400)
        good(self.session.call("raster_info", {"uri": "theirs.tif"}))

    def test_a_link_that_stays_inside_is_followed(self):
        os.mkdir(self.path("sub"))
        raster(self.path("sub/a.tif"))
        os.symlink("sub/a.tif", self.path("link.tif"))
        self.assertEqual(self.stats("link.tif")["mean"], 4.5)

    def test_the_hosts_own_folders_are_never_an_input(self):
        os.mkdir(self.path(".preflight"))
        raster(self.path(".preflight/a.tif"))
        problem(self.session.call("raster_stats", {"uri": ".preflight/a.tif"}))

    def test_inline_geojson_cannot_name_a_file(self):
        points(os.path.join(self.outside, "secret.gpkg"), ["secret"])
        self.refused_unread("vector_info", {"uri": {"type": "FeatureCollection", "features": os.path.join(self.outside, "secret.gpkg")}})

    def test_a_condition_cannot_open_another_file(self):
        points(self.path("a.gpkg"), ["own"])
        points(os.path.join(self.outside, "secret.gpkg"), ["secret"])
        secret = os.path.join(self.outside, "secret.gpkg")
        for where in (f"ogr_datasource_load_layers('{secret}') = 1",
                      f"name = '\\' OR ogr_datasource_load_layers(''{secret}'') --'",
                      f"name IN (SELECT name FROM '{secret}')"):
            with FileWatch(self.outside) as watch:
                found = self.session.call("vector_query", {"uri": "a.gpkg", "where": where})
                if not found.get("isError"):
                    self.assertEqual(good(found)["feature_count"], 0)
                self.assertEqual(watch.names(), set())


class write_ahead_logs(Inputs):
    """A GeoPackage whose newest rows are still in its -wal."""

    def setUp(self):
        super().setUp()
        points(self.path("a.gpkg"), ["one", "two"])
        self.writer = sqlite3.connect(self.path("a.gpkg"))  # stays open: closing would fold the log into the file
        self.addCleanup(self.writer.close)
        self.writer.execute("PRAGMA journal_mode=WAL")
        # Its triggers call functions that only GDAL has.
        for (name,) in self.writer.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            self.writer.execute(f'DROP TRIGGER "{name}"')
        self.writer.execute("INSERT INTO sites (geom, name) SELECT geom, 'three' FROM sites WHERE fid = 1")
        self.writer.execute("UPDATE gpkg_ogr_contents SET feature_count = 3")
        self.writer.commit()

    def test_rows_in_the_log_are_read_or_the_file_is_refused(self):
        self.assertGreater(os.path.getsize(self.path("a.gpkg-wal")), 0)
        before = {n: digest(self.path(n)) for n in ("a.gpkg", "a.gpkg-wal")}
        result = self.session.call("vector_query", {"uri": "a.gpkg"})
        if result.get("isError"):
            self.assertIn("-wal", problem(result)["message"])
        else:
            names = [f["properties"]["name"] for f in good(result)["features"]["features"]]
            self.assertEqual(names, ["one", "two", "three"])
        self.assertEqual({n: digest(self.path(n)) for n in before}, before)

    def test_what_is_said_of_the_copy_names_the_file(self):
        p = problem(self.session.call("vector_query", {"uri": "a.gpkg", "layer": "towns"}))
        self.assertIn(f"in {self.path('a.gpkg')}", p["message"])
        self.assertNotIn(".gdal-mcp-", json.dumps(p))

    def test_an_empty_log_changes_nothing(self):
        self.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.assertEqual(os.path.getsize(self.path("a.gpkg-wal")), 0)
        self.assertEqual(good(self.session.call("vector_query", {"uri": "a.gpkg"}))["feature_count"], 3)


if __name__ == "__main__":
    session.main()
