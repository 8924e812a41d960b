"""Resources and completions over stdio: the workspaces' datasets, their metadata, the field's registries, managed results."""
import base64
import json
import os
import pathlib
import shutil
import sys
import unittest
from urllib.parse import quote

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import session  # noqa: E402
from osgeo import gdal, ogr, osr  # noqa: E402
from session import Claims, Session, good, run  # noqa: E402

gdal.UseExceptions()

REAL = os.environ.get("GDAL_MCP_TEST_DATA", "")
MIB = 1 << 20
ERAS = ("legacy", "modern")
EXTENT = [500000, 3992000, 508000, 4000000]  # of 800 × 800 cells of 10 m; a smaller raster lies in its corner
TEMPLATES = {"query://result/{id}", "query://result/{id}/data{?offset,length}", "justification://{domain}/{key}",
             "methodology://{domain}", "catalog://workspace/{kind}/{+subpath}{?limit,extensions,include_hidden}",
             "catalog://workspace/by-crs/{crs}", "metadata://{+file}/{aspect}", "index://dataset/{+file}", "vrt://workspace/{+pattern}", "reference://crs/list/{coverage}",
             "reference://crs/code/{code}", "reference://resampling/{method}", "reference://compression/{kind}",
             "reference://drivers/{kind}", "reference://glossary/{term}", "reference://tool/{name}"}


def raster(path, size=8, epsg=32633, crs=None):
    d = gdal.GetDriverByName("GTiff").Create(str(path), size, size, 1, gdal.GDT_UInt16)
    d.SetGeoTransform((500000, 10, 0, 4000000, 0, -10))
    if epsg or crs:
        srs = osr.SpatialReference()
        srs.SetFromUserInput(crs or f"EPSG:{epsg}")
        d.SetProjection(srs.ExportToWkt())
    noise = (n * 2654435761 % 65536 for n in range(size * size))
    d.GetRasterBand(1).WriteRaster(0, 0, size, size, b"".join(n.to_bytes(2, "little") for n in noise))


def zones(path, driver="ESRI Shapefile", epsg=32633):
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(epsg)
    d = ogr.GetDriverByName(driver).CreateDataSource(str(path))
    layer = d.CreateLayer("zones", srs, ogr.wkbPolygon)
    layer.CreateField(ogr.FieldDefn("landuse", ogr.OFTString))
    layer.CreateField(ogr.FieldDefn("people", ogr.OFTInteger))
    f = ogr.Feature(layer.GetLayerDefn())
    f.SetGeometry(ogr.CreateGeometryFromWkt("POLYGON((500000 3999930,500070 3999930,500070 4000000,500000 4000000,500000 3999930))"))
    layer.CreateFeature(f)


class Reading(Claims):
    def begin(self, *arguments, era="legacy", workspace=None, **more):
        s = Session(*arguments, era=era, workspace=workspace or self.workspace, **more)
        self.addCleanup(s.close)
        return s

    def contents(self, s, uri):
        answer = s.request("resources/read", {"uri": uri})
        self.assertIn("result", answer, f"{uri}: {answer}")
        self.assertLessEqual(len(json.dumps(answer)), MIB, uri)
        (only,) = answer["result"]["contents"]
        self.assertEqual(only["uri"], uri)
        return only

    def read(self, s, uri):
        told = self.contents(s, uri)
        self.assertEqual(told["mimeType"], "application/json")
        return json.loads(told["text"])

    def refused(self, s, uri, code):
        """The message of an error, after checking what every such error carries."""
        answer = s.request("resources/read", {"uri": uri})
        self.assertIn("error", answer, f"{uri}: {str(answer)[:500]}")
        self.assertEqual(answer["error"]["code"], -32602)
        self.assertEqual((answer["error"]["data"]["uri"], answer["error"]["data"]["code"]), (uri, code), answer)
        self.assertIn("hint", answer["error"]["data"])
        return answer["error"]["message"]

    def paths(self, s, rest):
        return [d["path"] for d in self.read(s, "catalog://workspace/" + rest)["datasets"]]


class resources(Reading):
    def test_templates_and_fixed_resources_are_listed_and_each_fixed_one_can_be_read(self):
        raster(self.path("a.tif"))
        for era in ERAS:
            s = self.begin(era=era)
            templates = s.request("resources/templates/list")["result"]["resourceTemplates"]
            self.assertEqual({t["uriTemplate"] for t in templates}, TEMPLATES)
            listed = s.request("resources/list")["result"]["resources"]
            self.assertLess({"catalog://workspace/summary", "catalog://workspace/all"}, {r["uri"] for r in listed})
            for r in listed:
                told = self.contents(s, r["uri"])
                self.assertEqual(told["mimeType"], r["mimeType"], r["uri"])
                self.assertTrue(told["text"])

    # ---- catalogue

    def test_datasets_are_told_with_kind_driver_and_crs_and_their_uri_is_an_argument(self):
        os.mkdir(self.path("sub"))
        raster(self.path("sub/a b.tif"))
        zones(self.path("zones.shp"), epsg=3857)
        pathlib.Path(self.path("notes.txt")).write_text("no dataset")
        for era in ERAS:
            s = self.begin(era=era)
            told = self.read(s, "catalog://workspace/all")
            self.assertEqual([(d["path"], d["kind"], d["driver"], d["crs"]) for d in told["datasets"]],
                             [("sub/a b.tif", "raster", "GTiff", "EPSG:32633"), ("zones.shp", "vector", "ESRI Shapefile", "EPSG:3857")])
            self.assertEqual((told["matched_total"], told["truncated"], told["approximate"]), (2, False, False))
            self.assertLess({"zones.dbf", "zones.prj"}, set(told["datasets"][1]["sidecars"]))
            self.assertEqual(good(s.call("raster_info", {"uri": told["datasets"][0]["uri"]}))["driver"], "GTiff")
            self.assertEqual(self.paths(s, "raster"), ["sub/a b.tif"])
            self.assertEqual(self.paths(s, "vector/"), ["zones.shp"])
            self.assertEqual(self.paths(s, "all/sub"), ["sub/a b.tif"])
            self.assertEqual(self.paths(s, "all?extensions=shp,gpkg&limit=5"), ["zones.shp"])
            self.assertEqual(self.paths(s, "by-crs/epsg%3A3857"), ["zones.shp"])

    def test_a_compound_crs_is_listed_by_the_codes_of_its_parts_and_found_in_any_spelling(self):
        raster(self.path("plain.tif"), epsg=26916)
        for name, crs in (("feet.tif", "EPSG:26916+6360"), ("metres.tif", "EPSG:26916+5703")):
            raster(self.path(name), crs=crs)
        s = self.begin()
        self.assertEqual([d["crs"] for d in self.read(s, "catalog://workspace/all")["datasets"]],
                         ["EPSG:26916+6360", "EPSG:26916+5703", "EPSG:26916"])
        for spelling in ("EPSG:26916+6360", "EPSG%3A26916%2B6360", "epsg:26916+epsg:6360"):
            self.assertEqual(self.paths(s, "by-crs/" + spelling), ["feet.tif"])
        self.assertEqual(self.read(s, "catalog://workspace/by-crs/epsg:26916+epsg:6360")["crs"], "EPSG:26916+6360")
        self.assertNotIn("sha256", self.contents(s, "catalog://workspace/summary")["text"])

    def test_the_catalogue_is_never_stale(self):
        raster(self.path("a.tif"), epsg=None)
        zones(self.path("z.shp"))
        s = self.begin()
        self.assertEqual(self.paths(s, "by-crs/none"), ["a.tif"])
        self.assertEqual(self.paths(s, "by-crs/EPSG:32633"), ["z.shp"])
        self.assertEqual(self.paths(s, "by-crs/32633"), ["z.shp"])  # a number alone is EPSG's
        raster(self.path("new.tif"))
        shutil.move(self.path("new.tif"), self.path("a.tif"))
        os.remove(self.path("z.prj"))  # the file itself stays as it is
        self.assertEqual(self.paths(s, "by-crs/EPSG:32633"), ["a.tif"])
        self.assertEqual(self.paths(s, "by-crs/none"), ["z.shp"])
        os.remove(self.path("a.tif"))
        self.assertEqual(self.paths(s, "all"), ["z.shp"])

    def test_what_a_tool_may_not_read_is_not_in_the_catalogue(self):
        outside = pathlib.Path(self.folder.name, "outside")
        outside.mkdir()
        raster(outside / "secret.tif")
        os.symlink(outside / "secret.tif", self.path("leak.tif"))
        os.symlink(outside, self.path("folder"))
        os.mkdir(self.path(".preflight"))
        raster(self.path(".preflight/own.tif"))
        raster(self.path(".hidden.tif"))
        s = self.begin()
        self.assertEqual(self.paths(s, "all"), [])
        self.assertEqual(self.paths(s, "all?include_hidden=true"), [".hidden.tif"])
        for where in ("..", "%2e%2e", "folder", "../outside", ".preflight", "/etc"):
            self.assertIn("'", self.refused(s, f"catalog://workspace/all/{where}", "denied"))

    def test_all_workspaces_are_told_each_dataset_with_its_own(self):
        second = pathlib.Path(os.path.realpath(self.folder.name), "second")
        second.mkdir()
        raster(self.path("a.tif"))
        raster(second / "b.tif")
        s = self.begin(workspace=[self.workspace, f"{second}:ro"])
        told = self.read(s, "catalog://workspace/all")
        self.assertEqual([(d["workspace"], d["path"]) for d in told["datasets"]],
                         [(str(second), "b.tif"), (self.workspace, "a.tif")])
        summary = self.read(s, "catalog://workspace/summary")
        self.assertEqual({w["folder"]: (w["writable"], w["datasets"]) for w in summary["workspaces"]},
                         {self.workspace: (True, 1), str(second): (False, 1)})
        self.assertEqual(summary["kinds"], [{"kind": "raster", "count": 2}])

    def test_a_wrong_query_is_refused_by_name(self):
        s = self.begin()
        for query in ("limit=0", "limit=1001", "limit=x", "limits=3", "include_hidden=maybe"):
            self.assertIn(query.split("=")[0], self.refused(s, f"catalog://workspace/all?{query}", "invalid_argument"))

    # ---- metadata

    def test_metadata_is_what_the_tools_tell(self):
        raster(self.path("a b.tif"))
        zones(self.path("z.gpkg"), "GPKG")
        for era in ERAS:
            s = self.begin(era=era)
            info = good(s.call("raster_info", {"uri": "a b.tif"}))
            self.assertEqual(self.read(s, "metadata://a%20b.tif/raster"), info)
            self.assertEqual(self.read(s, "metadata://a%20b.tif/bands")["bands"], info["bands"])
            self.assertEqual(self.read(s, "metadata://" + quote(self.path("a b.tif")) + "/raster"), info)
            self.assertEqual(self.read(s, "metadata://a b.tif/statistics"), good(s.call("raster_stats", {"uri": "a b.tif"})))
            self.assertEqual(self.read(s, "metadata://z.gpkg/vector"), good(s.call("vector_info", {"uri": "z.gpkg"})))
            told = self.read(s, "metadata://z.gpkg/format")
            self.assertEqual((told["driver"], told["kind"], told["format"]["create"]), ("GPKG", "vector", True))

    def test_a_name_is_decoded_once(self):
        raster(self.path("a%20b.tif"))
        raster(self.path("q?.tif"), size=4)
        s = self.begin()
        self.assertEqual(self.read(s, "metadata://a%2520b.tif/raster")["width"], 8)
        self.refused(s, "metadata://a%20b.tif/raster", "not_found")
        self.assertEqual(self.read(s, "metadata://q%3F.tif/raster")["width"], 4)
        self.assertEqual(self.read(s, "metadata://q?.tif/raster")["width"], 4)

    def test_metadata_keeps_to_the_workspace_and_says_what_it_has_not(self):
        raster(self.path("a.tif"))
        s = self.begin()
        self.refused(s, "metadata:///etc/passwd/raster", "denied")
        self.refused(s, "metadata://../../etc/passwd/format", "denied")
        self.refused(s, "metadata://%2Fvsicurl%2Fhttp%3A%2F%2F127.0.0.1%2Fa.tif/raster", "denied")
        self.refused(s, "metadata://a.tif/vector", "unsupported")
        self.refused(s, "metadata://b.tif/raster", "not_found")
        self.refused(s, "metadata://a.tif/colour", "not_found")
        self.refused(s, "metadata://raster", "invalid_argument")

    @unittest.skipUnless(gdal.GetDriverByName("netCDF"), "this GDAL has no netCDF")
    def test_a_subdataset_is_named_in_the_uri(self):
        source = gdal.GetDriverByName("MEM").Create("", 8, 4, 2)
        source.SetGeoTransform((0, 1, 0, 4, 0, -1))
        gdal.GetDriverByName("netCDF").CreateCopy(self.path("a b.nc"), source)
        s = self.begin()
        told = self.refused(s, "metadata://a%20b.nc/statistics", "invalid_argument")
        uri = told[told.index("metadata://"):].split(": ")[0]
        self.assertEqual(self.read(s, uri)["cell_count"], 32)

    def test_metadata_of_a_tool_that_is_not_offered_says_so(self):
        raster(self.path("a.tif"))
        s = self.begin("--toolsets", "vector")
        self.assertIn("toolset", self.refused(s, "metadata://a.tif/raster", "not_found"))

    # ---- managed results

    def test_a_result_tells_every_field_and_its_bytes_come_in_parts(self):
        raster(self.path("a.tif"), size=800)
        for era in ERAS:
            s = self.begin(era=era)
            uri = good(run(s, "raster_query", {"uri": "a.tif", "geometry": EXTENT}))["output"]["uri"]
            told = self.read(s, uri)
            self.assertLess({"geometry_used", "bands", "pixel_count", "size_bytes", "created", "expires", "source", "crs", "window"},
                            set(told))
            self.assertEqual((told["pixel_count"], told["bands"], told["source"]), (640000, 1, ["a.tif"]))
            self.assertIsNotNone(told["geometry_used"])
            whole, next_uri, parts = b"", uri + "/data", 0
            while next_uri:
                part = self.contents(s, next_uri)
                about = part["_meta"]["io.gdal-mcp/range"]
                self.assertEqual(about["offset"], len(whole))
                whole, next_uri, parts = whole + base64.b64decode(part["blob"]), about.get("next"), parts + 1
                self.assertEqual(len(whole), about["offset"] + about["length"])
            self.assertGreater(parts, 1)
            self.assertEqual(len(whole), about["total_bytes"])
            gdal.FileFromMemBuffer("/vsimem/whole.tif", whole)
            copy, original = gdal.Open("/vsimem/whole.tif"), gdal.Open(self.path("a.tif"))
            self.assertEqual(copy.ReadRaster(), original.ReadRaster())
            del copy, original
            part = self.contents(s, uri + "/data?offset=1&length=3")
            self.assertEqual(base64.b64decode(part["blob"]), whole[1:4])
            self.refused(s, f"{uri}/data?offset={len(whole)}", "invalid_argument")
            self.refused(s, f"{uri}/data?length=0", "invalid_argument")

    def test_a_result_is_told_of_by_its_uri_not_by_where_it_lies(self):
        raster(self.path("a.tif"))
        s = self.begin()
        uri = good(run(s, "raster_query", {"uri": "a.tif", "geometry": EXTENT}))["output"]["uri"]
        told = run(s, "raster_info", {"uri": uri})
        self.assertEqual(good(told)["path"], uri)
        for tool in ("raster_info", "vector_info"):  # the second cannot open it
            told = run(s, tool, {"uri": uri})
            self.assertIn(uri, json.dumps(told))
            self.assertNotIn(".gdal-mcp", json.dumps(told))

    def test_a_result_that_has_to_make_room_is_named_by_the_call_that_needs_it(self):
        raster(self.path("a.tif"))
        s = self.begin()
        made = [good(run(s, "raster_query", {"uri": "a.tif", "geometry": EXTENT})) for _ in range(26)]
        first = made[0]["output"]["uri"]
        self.assertEqual([w for m in made[:25] for w in m["warnings"] if "make room" in w], [])
        self.assertEqual([w for w in made[25]["warnings"] if "make room" in w],
                         [first + " was dropped to make room; give an output path to keep a result"])
        self.assertIn("to make room", self.refused(s, first, "expired"))

    def test_a_table_comes_as_text(self):
        raster(self.path("a.tif"))
        zones(self.path("z.gpkg"), "GPKG")
        s = self.begin()
        uri = good(run(s, "aggregate_zonal", {"raster": "a.tif", "zones": "z.gpkg", "stats": ["count"]}))["output"]["uri"]
        told = self.contents(s, uri + "/data")
        self.assertEqual(told["mimeType"], "text/csv")
        self.assertEqual(len(told["text"].splitlines()), 2)
        self.assertEqual(self.read(s, uri)["feature_count"], 1)

    def test_a_result_that_is_gone_says_what_became_of_it(self):
        raster(self.path("a.tif"))
        s = self.begin()
        uri = good(run(s, "raster_query", {"uri": "a.tif", "geometry": EXTENT}))["output"]["uri"]
        good(s.call("release_result", {"uri": uri}))
        self.assertIn("released", self.refused(s, uri, "expired"))
        self.assertIn("released", self.refused(s, uri + "/data", "expired"))
        self.refused(s, "query://result/" + "0" * 32, "expired")

    # ---- registries

    def test_a_tool_is_told_in_full_with_its_advice(self):
        s = self.begin()
        told = self.read(s, "reference://tool/raster_query")
        page = (pathlib.Path(__file__).resolve().parents[2] / "prompts/tools/raster_query.md").read_text()
        self.assertEqual(told["advice"], " ".join(page.replace("<!-- more -->", "").split()))
        self.assertEqual(told["arguments"]["properties"]["uri"]["description"], "Raster: path, file:// or query://result/{id}.")
        self.assertIn("output", told["result"]["properties"])
        self.assertEqual(told["result"]["properties"]["window"]["properties"]["width"]["description"], "Columns [cells]")
        self.assertIn("did you mean 'raster_query'", self.refused(s, "reference://tool/raster_qeury", "unknown_tool"))

    def test_a_crs_is_told_as_proj_has_it(self):
        s = self.begin()
        for code in (4326, 32633, 2264, 7415, 5773, 27700, 2193):
            told = self.read(s, f"reference://crs/code/EPSG:{code}")
            srs = osr.SpatialReference()
            srs.ImportFromEPSG(code)
            oracle = json.loads(srs.ExportToPROJJSON())
            self.assertEqual((told["code"], told["name"]), (f"EPSG:{code}", oracle["name"]))
            if "coordinate_system" in oracle:
                self.assertEqual([a["direction"] for a in told["axes"]], [a["direction"] for a in oracle["coordinate_system"]["axis"]])
            if "bbox" in oracle:
                b = oracle["bbox"]
                self.assertEqual(told["area_of_use"]["bbox"],
                                 [b["west_longitude"], b["south_latitude"], b["east_longitude"], b["north_latitude"]])
        self.assertEqual(self.read(s, "reference://crs/code/EPSG:3785")["superseded_by"], ["EPSG:3857"])
        self.assertIn("EPSG:54034", self.refused(s, "reference://crs/code/EPSG:54034", "not_found"))

    def test_crss_are_listed_by_area_by_bounds_and_page_by_page(self):
        s = self.begin()
        oracle = {f"{i.auth_name}:{i.code}": i for i in osr.GetCRSInfoListFromDatabase(None)}
        rows, uri = [], "reference://crs/list/New%20Zealand?limit=100"
        while uri:
            told = self.read(s, uri)
            rows, uri = rows + told["crs"], told.get("next")
        self.assertEqual(len(rows), told["matched_total"])
        known = {code for code, i in oracle.items()
                 if i.area_name and "New Zealand" in i.area_name and not i.deprecated}
        self.assertLessEqual(known, {r["code"] for r in rows})
        for r in rows:
            self.assertEqual((r["name"], r["area"]), (oracle[r["code"]].name, oracle[r["code"]].area_name))
        around = self.read(s, "reference://crs/list/174.7,-41.4,174.9,-41.2?limit=1000")["crs"]
        self.assertIn("EPSG:2193", {r["code"] for r in around})
        for r in around:
            self.assertTrue(r["bbox"][1] <= -41.4 and r["bbox"][3] >= -41.2, r)
        self.assertIn("EPSG:4326", {r["code"] for r in self.read(s, "reference://crs/list/world?limit=1000")["crs"]})
        for name in ("India", "Niger"):
            for r in self.read(s, f"reference://crs/list/{name}?limit=1000")["crs"]:
                self.assertRegex(r["area"], rf"\b{name}\b")
        self.assertEqual(self.read(s, "reference://crs/list/all")["matched_total"],
                         sum(not i.deprecated for i in osr.GetCRSInfoListFromDatabase(None)))
        for broken in ("1,2,3", "1,2,3,4,5", "nan,nan,nan,nan", "10,50,11,40", "200,0,210,1", "5,-91,6,0"):
            self.assertIn(f"'{broken}'", self.refused(s, f"reference://crs/list/{broken}", "invalid_argument"))
        self.refused(s, "reference://crs/list/a,b,c,d", "not_found")
        self.assertIn("'New Zealand'", self.refused(s, "reference://crs/list/New%20Zealnd", "not_found"))

    def test_drivers_are_those_of_gdal(self):
        s = self.begin()
        for era in ERAS:
            s = self.begin(era=era)
            for kind, capability in (("raster", gdal.DCAP_RASTER), ("vector", gdal.DCAP_VECTOR)):
                every = [gdal.GetDriver(i) for i in range(gdal.GetDriverCount())]
                self.assertEqual({d["name"] for d in self.read(s, f"reference://drivers/{kind}")["drivers"]},
                                 {d.ShortName for d in every if d.GetMetadataItem(capability)} - {"NUMPY"})  # Python's own
            tiff, oracle = self.read(s, "reference://drivers/gtiff"), gdal.GetDriverByName("GTiff").GetMetadata()
            self.assertEqual(" ".join(tiff["extensions"]), oracle["DMD_EXTENSIONS"])
            for o in tiff["creation_options"]:
                self.assertIn(f"name='{o['name']}'", oracle["DMD_CREATIONOPTIONLIST"])
            self.assertEqual(len(tiff["creation_options"]), oracle["DMD_CREATIONOPTIONLIST"].count("<Option"))
        self.assertFalse(self.read(s, "reference://drivers/all")["truncated"])
        self.assertIn("'GTiff'", self.refused(s, "reference://drivers/GTif", "not_found"))

    def test_compressions_and_resampling_are_those_of_gdal(self):
        s = self.begin()
        for told in self.read(s, "reference://compression/all")["compressions"]:
            for d in told["drivers"]:
                self.assertIn(f"<Value>{told['compression']}</Value>",
                              gdal.GetDriverByName(d["driver"]).GetMetadataItem("DMD_CREATIONOPTIONLIST"))
        cog = self.read(s, "reference://compression/COG")
        self.assertIn("ZSTD", cog["compressions"])
        self.assertIn("QUALITY", {o["name"] for o in cog["options"]})
        (deflate,) = self.read(s, "reference://compression/deflate")["compressions"]
        self.assertIn("GTiff", {d["driver"] for d in deflate["drivers"]})
        self.refused(s, "reference://compression/deflat9", "not_found")
        for name in ("jpeg", "WEBP"):  # drivers are called so, too
            told = self.read(s, f"reference://compression/{name}")
            self.assertIn("GTiff", {d["driver"] for d in told["compressions"][0]["drivers"]})
            self.assertEqual(told["driver_of_that_name"]["driver"], name.upper())
        cells = gdal.GetDriverByName("MEM").Create("", 2, 2)
        cells.SetGeoTransform((0, 1, 0, 0, 0, -1))
        for m in self.read(s, "reference://resampling/all")["methods"]:
            try:
                gdal.Warp("", cells, format="MEM", resampleAlg=m["method"])
                takes = True
            except RuntimeError:
                takes = False
            self.assertEqual(m["warp"], takes, m)
            for says in ("does", "use", "avoid"):
                self.assertTrue(m[says].endswith("."), m)
        (mode,) = self.read(s, "reference://resampling/mode")["methods"]
        self.assertIn("most frequent", mode["does"])
        self.assertIn("Continuous values", mode["avoid"])
        (nearest,) = self.read(s, "reference://resampling/nearest")["methods"]
        self.assertIn({"tool": "raster_reproject", "argument": "resampling", "spelled": "nearest"}, nearest["tools"])

    def test_the_glossary_tells_one_term_or_all(self):
        s = self.begin()
        told = self.contents(s, "reference://glossary/axis%20order")
        self.assertEqual(told["mimeType"], "text/markdown")
        self.assertTrue(told["text"].startswith("## axis order\n"))
        whole = self.contents(s, "reference://glossary/all")["text"]
        self.assertIn(told["text"], whole)
        self.assertIn("'nodata'", self.refused(s, "reference://glossary/nodatta", "not_found"))

    def test_what_no_scheme_has_is_an_error(self):
        s = self.begin()
        for uri in ("reference://crs", "reference://crs/list/", "reference://planets/all", "catalog://workspace", "catalog://",
                    "methodology://weather", "justification://hydrology/sha256:00", "justification://hydrology", "query://result/",
                    "query://result/x/y", "receipts://recent?limit=2", "catalog://workspace/none",
                    "catalog://workspace/by-crs/", "catalog://workspace/summary?limit=3", "catalog://elsewhere/all", "history://x", "schema://x", "weather://today"):
            with self.subTest(uri):
                self.refused(s, uri, "not_found")

    @unittest.skipUnless(REAL, "GDAL_MCP_TEST_DATA is not set")
    def test_of_real_data_exactly_what_gdal_opens_is_told(self):
        s = self.begin(workspace=f"{REAL}:ro")
        told = self.read(s, "catalog://workspace/all?limit=1000")
        while told["approximate"]:
            told = self.read(s, "catalog://workspace/all?limit=1000")
        self.assertFalse(told["truncated"])
        gdal.SetConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", "YES")
        known = set()
        for i in range(gdal.GetDriverCount()):
            known |= set((gdal.GetDriver(i).GetMetadataItem(gdal.DMD_EXTENSIONS) or "").lower().split())
        known |= {"tsv", "psv"}  # of the CSV driver, which states them from GDAL 3.10 on
        sidecars = {os.path.join(d["workspace"], os.path.dirname(d["path"]), n) for d in told["datasets"] for n in d.get("sidecars", [])}
        expected = set()
        for folder, folders, names in os.walk(os.path.realpath(REAL)):
            folders[:] = [f for f in folders if not f.startswith(".")]
            for n in names + [f for f in folders if f.endswith(".gdb")]:
                path = os.path.join(folder, n)
                if n.startswith(".") or path in sidecars or not any(n.lower().endswith("." + e) for e in known):
                    continue
                # GTI of GDAL 3.10 keeps a GeoPackage it cannot open from the next driver.
                for kinds in (0, gdal.OF_VECTOR)[:2 if n.endswith(".gti.gpkg") else 1]:
                    try:
                        expected.add((path, gdal.OpenEx(path, kinds).GetDriver().ShortName))
                        break
                    except RuntimeError:
                        pass
        self.assertEqual({(d["uri"], d["driver"]) for d in told["datasets"]}, expected)
        self.assertGreater(len(expected), 20)


class completions(Reading):
    def begin(self, *arguments, **how):
        s = super().begin(*arguments, **how)
        if "completions" not in s.server["capabilities"]:
            self.skipTest("this server completes nothing")
        return s

    def complete(self, s, ref, name, value, **others):
        kind = {"type": "ref/resource", "uri": ref} if "://" in ref else {"type": "ref/prompt", "name": ref}
        answer = s.request("completion/complete", {"ref": kind, "argument": {"name": name, "value": value},
                                                   "context": {"arguments": others}})
        return answer["result"]["completion"]["values"]

    def test_crs_are_completed_by_code_and_by_words_of_the_name(self):
        s = self.begin()
        for ref, name in (("justify_crs_selection", "dst_crs"), ("reference://crs/code/{code}", "code"),
                          ("catalog://workspace/by-crs/{crs}", "crs"), ("justify_query_extent", "geometry_crs")):
            self.assertIn("EPSG:26917", self.complete(s, ref, name, "EPSG:269"))
            self.assertIn("EPSG:32617", self.complete(s, ref, name, "utm 17"))
            self.assertEqual(self.complete(s, ref, name, "WGS 84")[0], "EPSG:4326")

    def test_the_crs_of_datasets_are_completed_first(self):
        raster(self.path("a.tif"), epsg=2264)
        raster(self.path("b.tif"), epsg=32633)
        raster(self.path("c.tif"), epsg=32633)
        s, by_crs = self.begin(), "catalog://workspace/by-crs/{crs}"
        self.assertEqual(self.complete(s, by_crs, "crs", "")[:3], ["none", "EPSG:32633", "EPSG:2264"])
        codes = self.complete(s, by_crs, "crs", "EPSG:32")
        self.assertEqual((codes[0], codes.count("EPSG:32633")), ("EPSG:32633", 1))

    def test_prompt_arguments_are_completed_by_the_choices_the_governed_tools_leave(self):
        s = self.begin()
        self.assertEqual(self.complete(s, "justify_resampling_method", "method", "bil"), ["bilinear"])
        self.assertEqual(self.complete(s, "justify_hydrology", "operation", "fl"), ["flow_direction"])
        self.assertIn("d8", self.complete(s, "justify_hydrology", "method", ""))
        conditioning = self.complete(s, "justify_hydrology", "method", "", operation="condition")
        self.assertIn("fill", conditioning)
        self.assertNotIn("d8", conditioning)
        self.assertNotIn("fill", self.complete(s, "justify_hydrology", "method", "", operation="flow_direction"))
        self.assertIn("DEFLATE", self.complete(s, "justify_format", "compression", "def"))
        self.assertIn("median", self.complete(s, "justify_aggregation", "statistic", "med"))
        further = self.complete(s, "justify_aggregation", "statistic", "mean+")
        self.assertIn("mean+stdev", further)
        self.assertNotIn("mean+mean", further)
        self.assertEqual(self.complete(s, "justify_aggregation", "statistic", "mean+media"), ["mean+median"])
        self.assertEqual(self.complete(s, "justify_query_extent", "geometry", "[1"), [])

    def test_paths_are_completed_within_the_workspace(self):
        os.mkdir(self.path("sub"))
        raster(self.path("sub/a.tif"))
        raster(self.path("b.tif"))
        pathlib.Path(self.path("c.txt.bak")).write_text("")
        os.symlink("/etc", self.path("etc"))
        s = self.begin()
        ref = "metadata://{+file}/{aspect}"
        self.assertEqual(self.complete(s, ref, "file", ""), ["sub/", "b.tif"])
        self.assertEqual(self.complete(s, ref, "file", "sub/"), ["sub/a.tif"])
        self.assertEqual(self.complete(s, ref, "file", "../"), [])
        self.assertEqual(self.complete(s, ref, "file", "/etc/"), [])
        self.assertEqual(self.complete(s, ref, "aspect", "b"), ["bands"])
        catalogue = "catalog://workspace/{kind}/{+subpath}{?limit,extensions,include_hidden}"
        self.assertEqual(self.complete(s, catalogue, "subpath", "s"), ["sub/"])
        self.assertEqual(self.complete(s, catalogue, "kind", "r"), ["raster"])

    def test_a_completed_path_names_the_file_where_it_is_put(self):
        for name in ("a%20b.tif", "[x].tif", "{b}.tif"):
            raster(self.path(name))
        with open(os.path.join(os.fsencode(self.workspace), b"lat\xedn.tif"), "wb") as f:
            f.write(b"x")
        s = self.begin()
        found = self.complete(s, "metadata://{+file}/{aspect}", "file", "")
        self.assertEqual(found, ["[x].tif", "a%2520b.tif", "{b}.tif"])
        for name in found:
            self.assertEqual(self.read(s, f"metadata://{name}/raster")["width"], 8)
        self.assertEqual(self.complete(s, "metadata://{+file}/{aspect}", "file", "a%252"), ["a%2520b.tif"])

    def test_every_path_that_matches_is_counted(self):
        raster(self.path("000.tif"))
        for n in range(1, 1200):
            os.link(self.path("000.tif"), self.path(f"{n:03}.tif"))
        answer = self.begin().request("completion/complete", {
            "ref": {"type": "ref/resource", "uri": "metadata://{+file}/{aspect}"}, "argument": {"name": "file", "value": ""}})
        told = answer["result"]["completion"]
        self.assertEqual((told["total"], told["hasMore"], told["values"][0]), (1200, True, "000.tif"))

    def test_registries_domains_and_results_are_completed(self):
        raster(self.path("a.tif"))
        s = self.begin()
        self.assertIn("GTiff", self.complete(s, "reference://drivers/{kind}", "kind", "gt"))
        self.assertIn("LZW", self.complete(s, "reference://compression/{kind}", "kind", "lz"))
        self.assertEqual(self.complete(s, "reference://resampling/{method}", "method", "lan"), ["lanczos"])
        self.assertIn("Germany", self.complete(s, "reference://crs/list/{coverage}", "coverage", "germ"))
        self.assertEqual(self.complete(s, "reference://glossary/{term}", "term", "axis"), ["axis order"])
        self.assertEqual(self.complete(s, "methodology://{domain}", "domain", "crs"), ["crs_datum"])
        uri = good(run(s, "raster_query", {"uri": "a.tif", "geometry": EXTENT}))["output"]["uri"]
        self.assertEqual(self.complete(s, "query://result/{id}", "id", ""), [uri[len("query://result/"):]])
        run(s, "raster_reproject", {"uri": "a.tif", "dst_crs": "EPSG:3857", "resampling": "nearest"})
        (key,) = self.complete(s, "justification://{domain}/{key}", "key", "", domain="crs_datum")
        self.assertTrue(key.startswith("sha256:"))

    def test_what_nobody_knows_completes_to_nothing(self):
        s = self.begin()
        self.assertEqual(self.complete(s, "reference://crs/code/{code}", "colour", "r"), [])
        self.assertEqual(self.complete(s, "weather://{day}", "day", "mon"), [])
        self.assertLessEqual(len(self.complete(s, "reference://crs/code/{code}", "code", "")), 100)


if __name__ == "__main__":
    session.main()
