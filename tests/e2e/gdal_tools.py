"""GDAL's programs as tools: the design document's schemas, and the reports, cells, geometries and tables of the programs themselves."""
import json
import os
import re
import shutil
import subprocess
import urllib.parse

import numpy
from osgeo import gdal, ogr, osr

import rasters
import session
from rasters import DEMO_DATA, TEST_DATA, UTM, waves, write
from session import Claims, Session, follow, good, problem, run

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ("gdalinfo", "gdal_translate", "gdalwarp", "gdalbuildvrt", "gdal_rasterize", "gdal2xyz.py", "gdal_merge.py", "gdal_polygonize.py")
NORTH = (0.0, 1.0, 0.0, 100.0, 0.0, -1.0)


def made(path, cells, dtype="Byte", **how):
    """A small raster of literal cells."""
    types = {"Byte": ("uint8", gdal.GDT_Byte), "Int16": ("int16", gdal.GDT_Int16), "UInt16": ("uint16", gdal.GDT_UInt16),
             "Int32": ("int32", gdal.GDT_Int32), "Float32": ("float32", gdal.GDT_Float32), "Float64": ("float64", gdal.GDT_Float64)}
    name, code = types[dtype]
    bands = cells if isinstance(cells, list) and isinstance(cells[0], numpy.ndarray) else [numpy.array(cells)]
    write(path, [numpy.asarray(b).astype(name) for b in bands], code, **how)


def cells_of(path):
    return gdal.Open(path).ReadAsArray()


class gdal_tools(Claims):
    def setUp(self):
        super().setUp()
        self.server = Session("--toolsets", "all", workspace=self.workspace)
        self.addCleanup(self.server.close)
        self.random = numpy.random.default_rng(7)

    def program(self, *words):
        done = subprocess.run([str(w) for w in words], cwd=self.workspace, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stderr}")
        return done.stdout

    def told(self, tool, **arguments):
        return good(run(self.server, tool, arguments))

    def refusal(self, tool, *words, **arguments):
        before = self.files()
        p = problem(run(self.server, tool, arguments))
        for word in words:
            self.assertIn(word, p["message"] + " " + p.get("hint", ""))
        self.assertEqual(self.files(), before)
        return p

    def real(self, name):
        """A file of the demo data in the workspace, or None."""
        source = os.path.join(DEMO_DATA, name) if DEMO_DATA else ""
        if not os.path.exists(source):
            print(f"{name} of GDAL_MCP_DEMO_DATA is not there: compared without it", flush=True)
            return None
        stem = os.path.splitext(name)[0]
        for part in os.listdir(DEMO_DATA):
            if os.path.splitext(part)[0] == stem:
                shutil.copy(os.path.join(DEMO_DATA, part), self.path(part))
        return name

    def swellendam(self):
        """A real elevation model, a part of it."""
        folder = os.path.join(TEST_DATA, "swellendam") if TEST_DATA else ""
        found = sorted(f for f in os.listdir(folder) if f.endswith(".tif")) if os.path.isdir(folder) else []
        if not found:
            print("swellendam of GDAL_MCP_TEST_DATA is not there: compared without it", flush=True)
            return None
        self.program("gdal_translate", "-q", "-b", "1", "-srcwin", "0", "0", "200", "150", os.path.join(folder, found[0]), "swellendam.tif")
        return "swellendam.tif"

    def assert_same_raster(self, ours, theirs, mask=True, metadata=True):
        a, b = gdal.Open(self.path(ours)), gdal.Open(self.path(theirs))
        self.assertEqual((a.RasterXSize, a.RasterYSize, a.RasterCount), (b.RasterXSize, b.RasterYSize, b.RasterCount), ours)
        numpy.testing.assert_allclose(a.GetGeoTransform(), b.GetGeoTransform(), rtol=1e-12, atol=1e-9, err_msg=ours)
        crs = [d.GetSpatialRef() for d in (a, b)]
        self.assertTrue(crs[0].IsSame(crs[1]) if all(crs) else crs == [None, None], ours)
        for i in range(1, b.RasterCount + 1):
            p, q = a.GetRasterBand(i), b.GetRasterBand(i)
            self.assertEqual(p.DataType, q.DataType, ours)
            valid = q.GetMaskBand().ReadAsArray() > 0 if mask else numpy.ones((b.RasterYSize, b.RasterXSize), bool)
            if mask:
                numpy.testing.assert_array_equal(p.GetMaskBand().ReadAsArray() > 0, valid, ours)
            numpy.testing.assert_array_equal(p.ReadAsArray()[valid], q.ReadAsArray()[valid], ours)
            if metadata:
                numpy.testing.assert_equal(p.GetNoDataValue(), q.GetNoDataValue())
                self.assertEqual((p.GetColorInterpretation(), p.GetDescription(), p.GetScale(), p.GetOffset(), p.GetUnitType()),
                                 (q.GetColorInterpretation(), q.GetDescription(), q.GetScale(), q.GetOffset(), q.GetUnitType()), ours)
                self.assertEqual(p.GetColorTable() is None, q.GetColorTable() is None, ours)

    def inputs(self):
        """Rasters that differ in type, bands, nodata, palette, place and size."""
        made(self.path("tiny.tif"), [[1, 2], [3, 4]], transform=NORTH)
        made(self.path("byte.tif"), self.random.integers(0, 255, (40, 50)))
        made(self.path("int16.tif"), waves(60, 45, -300, 900), "Int16", nodata=-32768)
        made(self.path("uint16.tif"), waves(33, 71, 0, 60000), "UInt16", nodata=0)
        made(self.path("int32.tif"), waves(64, 64, -1e6, 1e6), "Int32")
        made(self.path("float.tif"), waves(80, 55, 0, 1), "Float32", nodata=-9999)
        made(self.path("double.tif"), waves(31, 17, -5, 5), "Float64", nodata=float("nan"))
        made(self.path("palette.tif"), self.random.integers(1, 4, (30, 30)), palette={1: (255, 0, 0, 255), 2: (0, 255, 0, 255), 3: (0, 0, 255, 255)})
        made(self.path("rgb.tif"), [self.random.integers(0, 255, (25, 35)) for _ in range(3)])
        made(self.path("degrees.tif"), waves(72, 36, 0, 100), "Float32", epsg=4326, transform=(-36.0, 0.05, 0, -7.0, 0, -0.05))
        made(self.path("plain.tif"), self.random.integers(0, 9, (12, 15)), epsg=None, transform=NORTH)
        names = ["tiny.tif", "byte.tif", "int16.tif", "uint16.tif", "int32.tif", "float.tif", "double.tif", "palette.tif", "rgb.tif", "degrees.tif"]
        return names + [n for n in (self.real("elev.tif"), self.real("L7_ETMs.tif"), self.swellendam()) if n]

    # ---- the document

    def test_the_schemas_are_those_of_the_document(self):
        with open(os.path.join(HERE, "gdal_schemas.json"), encoding="utf-8") as text:
            document = json.load(text)
        listed = {t["name"]: t for t in self.server.request("tools/list")["result"]["tools"]}

        def contains(shown, wanted, place):
            """Some clients reject unions of types, so `string` is listed for `string or null`; null is accepted."""
            for keyword, value in wanted.items():
                if keyword == "description":
                    self.assertTrue(shown["description"].startswith(value.rstrip(".")), f"{place}: {shown['description']}")
                elif keyword == "properties":
                    self.assertLessEqual(set(value), set(shown["properties"]), place)
                    for name, member in value.items():
                        contains(shown["properties"][name], member, f"{place}/{name}")
                elif keyword == "items":
                    contains(shown["items"], value, place + "/items")
                elif keyword == "type":
                    self.assertEqual(shown["type"], value[0] if isinstance(value, list) else value, place)
                elif keyword in ("minItems", "maxItems"):
                    self.assertEqual(shown[keyword], value, place)

        for name, wanted in document.items():
            with self.subTest(tool=name):
                tool = listed[name]
                self.assertTrue(tool["description"].startswith(wanted["description"].rstrip(".")[:40]), tool["description"])
                contains(tool["inputSchema"], wanted["inputSchema"], name)
                self.assertEqual(set(tool["inputSchema"]["required"]), set(wanted["inputSchema"]["required"]))
                contains(tool["outputSchema"], {k: v for k, v in wanted["outputSchema"].items() if k != "required"}, name)
                p = problem(self.server.call(name, {**dict.fromkeys(wanted["inputSchema"]["required"], "a"), "no_such_argument": 1}))
                self.assertEqual(p["error"], "invalid_argument")

    def test_a_client_that_fills_in_null_drives_all_eight(self):
        made(self.path("a.tif"), [[1, 1], [2, 2]], transform=NORTH)
        made(self.path("b.tif"), [[3, 3], [4, 4]], transform=(2.0, 1, 0, 100.0, 0, -1))
        self.square("s.gpkg")
        calls = {"gdal_translate": ("output_uri", {"src_dataset": "a.tif", "dst_dataset": None, "output_format": None, "bands": None, "projwin": None, "resample_alg": None}),
                 "gdalwarp": ("output_uri", {"src_datasets": ["a.tif"], "dst_dataset": None, "t_srs": f"EPSG:{UTM}", "r": None, "overwrite": None}),
                 "gdalbuildvrt": ("vrt_uri", {"src_datasets": ["a.tif", "b.tif"], "dst_vrt": None, "resolution": None, "separate": None}),
                 "gdal_rasterize": ("raster_uri", {"src_vector": "s.gpkg", "dst_raster": None, "burn_value": 5, "width": 4, "height": 3, "extent": [0, 0, 4, 3], "invert": None}),
                 "gdal2xyz": ("xyz_uri", {"dataset": "a.tif", "dst_csv": None, "skip_nodata": None, "bands": None, "output_format": None}),
                 "gdal_merge": ("merged_uri", {"src_datasets": ["a.tif", "b.tif"], "dst_dataset": None, "n": None, "separate": None}),
                 "gdal_polygonize": ("vector_uri", {"src_dataset": "a.tif", "dst_vector": None, "band": None, "mask": None, "field_name": None})}
        before = self.files()
        for tool, (member, arguments) in calls.items():
            with self.subTest(tool=tool):
                result = self.told(tool, **arguments)
                self.assertTrue(result[member].startswith("query://result/"), result)
                self.assertEqual(result[member], result["output"]["uri"])
                self.assertEqual(result["output"]["driver"], {"gdal2xyz": "CSV", "gdal_polygonize": "GPKG", "gdalbuildvrt": "VRT"}.get(tool, "GTiff"))
                if tool not in ("gdal2xyz", "gdal_polygonize"):
                    self.assertGreater(good(self.server.call("raster_info", {"uri": result[member]}))["width"], 1)
        self.assertEqual(self.files(), before)
        self.assertIn("Size is 2, 2", self.told("gdalinfo", dataset="a.tif", json=None, stats=None)["report"])

    def test_a_path_is_written_once_and_returned_as_a_uri(self):
        made(self.path("a.tif"), [[1, 2], [3, 4]], transform=NORTH)
        result = self.told("gdal_translate", src_dataset="a.tif", dst_dataset="out copy.tif")
        self.assertEqual(urllib.parse.unquote(result["output_uri"]), "file://" + self.path("out copy.tif"))
        self.assertEqual(good(self.server.call("raster_info", {"uri": result["output_uri"]}))["width"], 2)
        self.refusal("gdal_translate", "exists already", "overwrite", src_dataset="a.tif", dst_dataset="out copy.tif")
        self.refusal("gdal_translate", "a.tif", src_dataset="a.tif", dst_dataset="a.tif", overwrite=True)
        self.told("gdal_translate", src_dataset="a.tif", dst_dataset="out copy.tif", bands=["1"], overwrite=True)
        self.refusal("gdal_translate", "band 2", "1 bands", src_dataset="a.tif", bands=["2"])
        self.refusal("gdal_translate", "../b.tif", src_dataset="a.tif", dst_dataset="../b.tif")
        self.refusal("gdal2xyz", "numpy", "only CSV", dataset="a.tif", output_format="numpy")
        self.refusal("gdal_translate", "PNG", "x.tif", src_dataset="a.tif", dst_dataset="x.tif", output_format="PNG")

    # ---- the gate

    def test_a_reason_given_through_one_tool_serves_the_other(self):
        made(self.path("a.tif"), waves(40, 30, 0, 100), "Float32", nodata=-9999)
        for first, second in ((("gdalwarp", {"src_datasets": ["a.tif"], "t_srs": "EPSG:4326", "r": "bilinear"}),
                               ("raster_reproject", {"uri": "a.tif", "dst_crs": "EPSG:4326", "resampling": "bilinear"})),
                              (("raster_reproject", {"uri": "a.tif", "dst_crs": "EPSG:32725", "resampling": "cubic_spline"}),
                               ("gdalwarp", {"src_datasets": ["a.tif"], "t_srs": "epsg:32725", "r": "cubicspline"})),
                              (("gdal_translate", {"src_dataset": "a.tif", "outsize": [10, 8], "resample_alg": "average"}),
                               ("raster_reproject", {"uri": "a.tif", "dst_crs": f"EPSG:{UTM}", "resampling": "average", "width": 10, "height": 8}))):
            with self.subTest(first=first):
                asked = problem(self.server.call(*first))
                self.assertEqual(asked["error"], "requires_epistemic_justification")
                self.assertEqual(asked["tool"], first[0])
                self.assertEqual(asked["retry"]["tool"], first[0])
                other = problem(self.server.call(*second))
                keys = [{m["domain"]: m["input_hash"] for m in p["missing"]} for p in (asked, other)]
                self.assertEqual(*keys)
                follow(self.server, asked)
                good(self.server.call(*first))
                good(self.server.call(*second))

    def test_a_lossy_format_is_asked_about_under_the_key_of_raster_convert(self):
        made(self.path("rgb.tif"), [self.random.integers(0, 255, (25, 35)) for _ in range(3)])
        asked = problem(self.server.call("gdal_translate", {"src_dataset": "rgb.tif", "output_format": "JPEG"}))
        other = problem(self.server.call("raster_convert", {"uri": "rgb.tif", "output": "x.jpg"}))
        self.assertEqual([m["domain"] for m in asked["missing"]], ["format_selection"])
        self.assertEqual(asked["missing"][0]["input_hash"], other["missing"][0]["input_hash"])
        follow(self.server, other)
        result = good(self.server.call("gdal_translate", {"src_dataset": "rgb.tif", "output_format": "JPEG"}))
        self.assertEqual(result["output"]["driver"], "JPEG")
        self.assertTrue(any("changed their value" in w for w in result["warnings"]), result["warnings"])
        # Nothing to choose: nothing is asked.
        for free in ({}, {"output_format": "COG"}, {"bands": ["2"]}, {"projwin": [289100, 9120900, 289400, 9120600]}):
            good(self.server.call("gdal_translate", {"src_dataset": "rgb.tif", **free}))

    def test_several_sources_are_judged_each(self):
        made(self.path("a.tif"), waves(30, 20, 0, 9), "Float32", nodata=-9)
        made(self.path("b.tif"), waves(30, 20, 0, 9), "Float32", nodata=-9, epsg=4326, transform=(-34.9, 0.001, 0, -8.1, 0, -0.001))
        good(self.server.call("gdalwarp", {"src_datasets": ["a.tif"], "t_srs": f"EPSG:{UTM}"}))
        for order in (["a.tif", "b.tif"], ["b.tif", "a.tif"]):
            asked = problem(self.server.call("gdalwarp", {"src_datasets": order, "t_srs": f"EPSG:{UTM}"}))
            # In a UTM zone areas differ by less than the tolerance, whatever the CRS.
            self.assertEqual([m["domain"] for m in asked["missing"]], ["resampling"], order)

    def test_the_first_refusal_names_a_conflict_of_any_source(self):
        marked = waves(30, 20, 0, 9)
        marked[:5, :5] = -9999
        made(self.path("clean.tif"), waves(30, 20, 0, 9), "Float32")
        made(self.path("marked.tif"), marked, "Float32")
        for order in (["clean.tif", "marked.tif"], ["marked.tif", "clean.tif"]):
            asked = problem(self.server.call("gdalwarp", {"src_datasets": order, "t_srs": f"EPSG:{UTM}", "r": "bilinear", "tr": [200, 200]}))
            self.assertIn("undeclared_nodata", json.dumps(asked["retry"]), order)

    # ---- equal to the programs

    def test_gdalinfo(self):
        names = self.inputs()
        self.assertGreaterEqual(len(names), 10)
        before = self.files()
        for name in names:
            for json_wanted, stats in ((False, False), (True, False), (False, True), (True, True)):
                with self.subTest(name=name, json=json_wanted, stats=stats):
                    report = self.told("gdalinfo", dataset=name, json=json_wanted, stats=stats)["report"]
                    self.assertEqual(self.files(), before)
                    theirs = self.program("gdalinfo", *(["-json"] if json_wanted else []), *(["-stats"] if stats else []), self.path(name))
                    for left in self.files() - before:  # their statistics
                        os.remove(self.path(left))
                    if name == "swellendam.tif":
                        report, theirs = self.without_ensemble(report), self.without_ensemble(theirs)
                    if json_wanted:
                        self.assertEqual(json.loads(report), json.loads(theirs))
                    else:
                        self.assertEqual(report, theirs)

    def without_ensemble(self, report):
        """A process that read another UTM zone of WGS 84 before writes ENSEMBLE where the program, which reads one file only, writes DATUM."""
        if not report.startswith("{"):
            before, crs, after = re.fullmatch(r"(.*Coordinate System is:\n)(.*\n)(Data axis.*)", report, re.S).groups()
            self.assertIn("WGS 84 / UTM zone 33S", crs)
            return before + after
        parts = json.loads(report)
        self.assertIn('ID["EPSG",32733]', parts["coordinateSystem"].pop("wkt"))
        parts.get("stac", {}).pop("proj:wkt2", None)
        parts.get("stac", {}).pop("proj:projjson", None)
        return json.dumps(parts)

    def test_gdal_translate(self):
        for name in self.inputs():
            with self.subTest(name=name):
                from_them = gdal.Open(self.path(name))
                left, width, _, top, _, height = from_them.GetGeoTransform()
                columns, rows = from_them.RasterXSize, from_them.RasterYSize
                from_cells = ["-ovr", "NONE"] if from_them.GetRasterBand(1).GetOverviewCount() else []
                del from_them
                window = [left, top, left + width * max(1, columns // 2), top + height * max(1, rows // 2)]
                cases = {"whole": ({}, []), "window": ({"projwin": window}, ["-projwin", *window]),
                         "band": ({"bands": ["1"]}, ["-b", 1]),
                         "size": ({"outsize": [columns * 2, rows * 2], "resample_alg": "nearest"}, ["-outsize", columns * 2, rows * 2, "-r", "nearest"]),
                         "img": ({"output_format": "HFA"}, ["-of", "HFA"])}
                if name not in ("palette.tif",):
                    cases["coarse"] = ({"outsize": [max(1, columns // 3), max(1, rows // 3)], "resample_alg": "average"},
                                       ["-outsize", max(1, columns // 3), max(1, rows // 3), "-r", "average", *from_cells])
                for case, (arguments, words) in cases.items():
                    ending = "img" if case == "img" else "tif"
                    ours, theirs = f"ours_{case}.{ending}", f"theirs_{case}.{ending}"
                    self.told("gdal_translate", src_dataset=name, dst_dataset=ours, overwrite=True, **arguments)
                    self.program("gdal_translate", "-q", *words, name, theirs)
                    self.assert_same_raster(ours, theirs, mask=case != "img")
        made(self.path("ramp.tif"), [[0, 50], [100, 200]], "Int16", transform=NORTH)
        self.told("gdal_translate", src_dataset="ramp.tif", dst_dataset="scaled.tif", scale=[0, 200, 0, 100], ot="Byte")
        self.assertEqual(cells_of(self.path("scaled.tif")).tolist(), [[0, 25], [50, 100]])
        made(self.path("marked.tif"), waves(20, 20, 0, 200), "Int16", nodata=-9999)
        self.refusal("gdal_translate", "-9999", "with raster_convert: give 'nodata'", src_dataset="marked.tif", ot="Byte")
        made(self.path("tall.tif"), waves(20, 20, 0, 900), "Int16")
        self.refusal("gdal_translate", "outside 0 to 255", "choose a wider 'ot'", src_dataset="tall.tif", ot="Byte")
        # 900 takes 10 bits; before it is rescaled, and not after.
        self.refusal("gdal_translate", "NBITS=8 cannot hold", "'scale' and 'ot'", src_dataset="tall.tif", dst_dataset="few.tif",
                     ot="UInt16", co=["NBITS=8"])
        self.assertNotIn("few.tif", self.files())
        self.told("gdal_translate", src_dataset="ramp.tif", dst_dataset="bits.tif", scale=[0, 200, 0, 100], ot="Byte", co=["NBITS=7"])
        self.assertEqual(cells_of(self.path("bits.tif")).tolist(), [[0, 25], [50, 100]])
        self.refusal("gdal_translate", "does not touch", src_dataset="ramp.tif", projwin=[50, 60, 60, 50])
        rasters.rgba(self.path("alpha.tif"))
        told = self.told("gdal_translate", src_dataset="alpha.tif", bands=["1", "2", "3"], dst_dataset="opaque.tif")
        self.assertIn("leaves out the alpha band 4", " ".join(told["warnings"]))
        told = self.told("gdal_translate", src_dataset="alpha.tif", dst_dataset="with_alpha.tif")
        self.assertNotIn("alpha", " ".join(told["warnings"]))

    def test_gdalwarp(self):
        targets = {"tiny.tif": "EPSG:5880"}
        for name in self.inputs():
            target = targets.get(name, "EPSG:4326" if name != "degrees.tif" else f"EPSG:{UTM}")
            for method in ("near", "bilinear") if name != "palette.tif" else ("near", "mode"):
                with self.subTest(name=name, method=method):
                    self.told("gdalwarp", src_datasets=[name], dst_dataset="ours.tif", t_srs=target, r=method, overwrite=True)
                    ours = gdal.Open(self.path("ours.tif"))
                    nodata = ours.GetRasterBand(1).GetNoDataValue()
                    marked = [] if nodata is None else ["-dstnodata", nodata]
                    del ours
                    self.program("gdalwarp", "-q", "-overwrite", "-t_srs", target, "-r", method, *marked, name, "theirs.tif")
                    self.assert_same_raster("ours.tif", "theirs.tif", mask=bool(marked), metadata=False) if marked else self.assert_inside_alike()

    def assert_inside_alike(self):
        """Without a nodata value the program leaves 0 where no source is; ours are marked by a mask."""
        ours, theirs = gdal.Open(self.path("ours.tif")), gdal.Open(self.path("theirs.tif"))
        self.assertEqual(ours.GetGeoTransform(), theirs.GetGeoTransform())
        for b in range(1, theirs.RasterCount + 1):
            valid = ours.GetRasterBand(b).GetMaskBand().ReadAsArray() > 0
            numpy.testing.assert_array_equal(ours.GetRasterBand(b).ReadAsArray()[valid], theirs.GetRasterBand(b).ReadAsArray()[valid])

    def test_gdalwarp_of_several_sources(self):
        for name, column, low in (("a.tif", 0, 0), ("b.tif", 25, 50), ("c.tif", 400, 90)):
            made(self.path(name), waves(40, 30, low, low + 40), "Float32", nodata=-9999, transform=(289000 + 28.5 * column, 28.5, 0, 9121000, 0, -28.5))
        for method in ("near", "bilinear", "cubic"):
            told = self.told("gdalwarp", src_datasets=["a.tif", "b.tif"], dst_dataset="ours.tif", t_srs="EPSG:4326", r=method, overwrite=True)
            self.assertIn("source 2 covers a part of source 1: there the later one's values are kept", " ".join(told["warnings"]))
            self.program("gdalwarp", "-q", "-overwrite", "-t_srs", "EPSG:4326", "-r", method, "a.tif", "b.tif", "theirs.tif")
            self.assert_same_raster("ours.tif", "theirs.tif", metadata=False)
        told = self.told("gdalwarp", src_datasets=["a.tif", "c.tif"], dst_dataset="ours.tif", t_srs="EPSG:4326", overwrite=True)
        self.assertNotIn("covers a part", " ".join(told["warnings"]))
        self.told("gdalwarp", src_datasets=["b.tif"], dst_dataset="degrees.tif", t_srs="EPSG:4326", overwrite=True)
        told = self.told("gdalwarp", src_datasets=["c.tif", "a.tif", "degrees.tif"], dst_dataset="ours.tif", t_srs="EPSG:3857", overwrite=True)
        self.assertIn("source 3 covers a part of source 2", " ".join(told["warnings"]))
        box = [289000, 9120500, 290000, 9121000]
        result = run(self.server, "gdalwarp", {"src_datasets": ["a.tif", "b.tif", "c.tif"], "dst_dataset": "ours.tif", "t_srs": f"EPSG:{UTM}", "te": box, "tr": [30, 30], "overwrite": True})
        good(result)
        self.assertIn("1 of the sources do not reach 'te'", session.problem_text(result))
        self.program("gdalwarp", "-q", "-overwrite", "-t_srs", f"EPSG:{UTM}", "-te", *box, "-tr", 30, 30, "a.tif", "b.tif", "theirs.tif")
        self.assert_same_raster("ours.tif", "theirs.tif", metadata=False)
        made(self.path("d.tif"), waves(40, 30, 0, 40), "Int16", nodata=-1)
        self.refusal("gdalwarp", "Float32", "Int16", src_datasets=["a.tif", "d.tif"], t_srs="EPSG:4326")
        for name, unit in (("m.tif", "m"), ("ft.tif", "ft")):
            made(self.path(name), waves(40, 30, 0, 40), "Float32", nodata=-9999)
            measured = gdal.Open(self.path(name), gdal.GA_Update)
            measured.GetRasterBand(1).SetUnitType(unit)
            del measured
        self.refusal("gdalwarp", "units differ (m and ft)", "ft.tif", src_datasets=["m.tif", "ft.tif"], t_srs="EPSG:4326")
        # In the words of the program, whoever refuses: the host, the measurement or the tool.
        self.refusal("gdalwarp", "t_srs: 'EPSG:0'", src_datasets=["a.tif"], t_srs="EPSG:0")
        self.refusal("gdalwarp", "'te' [1,2,3,4] looks like degrees, but 't_srs' is EPSG:32725", '"te_srs": "OGC:CRS84"', src_datasets=["a.tif"], t_srs="EPSG:32725",
                     te=[1, 2, 3, 4], r="bilinear")
        degrees = [-34.91, -7.955, -34.905, -7.95]
        good(run(self.server, "gdalwarp", {"src_datasets": ["a.tif", "b.tif"], "dst_dataset": "ours.tif", "t_srs": f"EPSG:{UTM}", "te": degrees, "te_srs": "OGC:CRS84", "overwrite": True}))
        # Around all of the box: the program's own -te_srs, by two corners, cuts off the others.
        to_utm = osr.CoordinateTransformation(rasters.crs(4326), rasters.crs(UTM))
        box = to_utm.TransformBounds(*degrees, 21)
        ours = gdal.Open(self.path("ours.tif"))
        x, dx, _, y, _, dy = ours.GetGeoTransform()
        numpy.testing.assert_allclose((x, y), (box[0], box[3]), atol=0.001)
        self.assertLess(abs(x + dx * ours.RasterXSize - box[2]), abs(dx))
        self.assertLess(abs(y + dy * ours.RasterYSize - box[1]), abs(dy))
        self.program("gdalwarp", "-q", "-overwrite", "-t_srs", f"EPSG:{UTM}", "-te", x, y + dy * ours.RasterYSize, x + dx * ours.RasterXSize, y,
                     "-ts", ours.RasterXSize, ours.RasterYSize, "a.tif", "b.tif", "theirs.tif")
        self.assert_same_raster("ours.tif", "theirs.tif", metadata=False)

    def tiles(self):
        """Pairs and more of rasters that fit together, by what they are."""
        at = lambda column, row: (289000 + 28.5 * column, 28.5, 0, 9121000 - 28.5 * row, 0, -28.5)
        sets = []
        for dtype, nodata in (("Byte", 0), ("Int16", -32768), ("UInt16", 65535), ("Int32", -1), ("Float32", -9999), ("Float64", -1e6)):
            names = []
            for k, (column, row) in enumerate(((0, 0), (35, 0), (0, 25), (35, 25))):
                names.append(f"{dtype}_{k}.tif")
                made(self.path(names[-1]), waves(40, 30, 1, 200, seed=k), dtype, nodata=nodata, transform=at(column, row))
            sets += [names, names[:2]]
        made(self.path("r.tif"), [self.random.integers(1, 255, (20, 20)) for _ in range(3)], transform=at(0, 0))
        made(self.path("s.tif"), [self.random.integers(1, 255, (20, 20)) for _ in range(3)], transform=at(20, 0))
        return sets + [["r.tif", "s.tif"]]

    def test_gdalbuildvrt(self):
        for names in self.tiles():
            with self.subTest(names=names):
                self.told("gdalbuildvrt", src_datasets=names, dst_vrt="ours.vrt", overwrite=True)
                self.program("gdalbuildvrt", "-q", "-overwrite", "theirs.vrt", *names)
                self.assert_same_raster("ours.vrt", "theirs.vrt")
                with open(self.path("ours.vrt"), encoding="utf-8") as text:
                    self.assertNotIn(self.workspace, text.read())
        stacked = self.tiles()[1]
        self.told("gdalbuildvrt", src_datasets=stacked, dst_vrt="ours.vrt", separate=True, overwrite=True)
        self.program("gdalbuildvrt", "-q", "-overwrite", "-separate", "theirs.vrt", *stacked)
        self.assert_same_raster("ours.vrt", "theirs.vrt", metadata=False)
        made(self.path("fine.tif"), waves(40, 30, 1, 200), "Float32", nodata=-9999, transform=(289000, 10, 0, 9121000, 0, -10))
        made(self.path("coarse.tif"), waves(20, 20, 1, 200), "Float32", nodata=-9999, transform=(289405, 30, 0, 9121000, 0, -30))
        asked = problem(self.server.call("gdalbuildvrt", {"src_datasets": ["fine.tif", "coarse.tif"], "dst_vrt": "asked.vrt"}))
        self.assertEqual([m["domain"] for m in asked["missing"]], ["resampling"])
        for rule in ("highest", "lowest", "average"):
            for method in ("near", "bilinear"):
                told = self.told("gdalbuildvrt", src_datasets=["fine.tif", "coarse.tif"], dst_vrt="ours.vrt", resolution=rule, r=method, overwrite=True)
                self.assertNotIn("covers a part", " ".join(told["warnings"]))
                self.program("gdalbuildvrt", "-q", "-overwrite", "-resolution", rule, "-r", "nearest" if method == "near" else method, "theirs.vrt", "fine.tif", "coarse.tif")
                self.assert_same_raster("ours.vrt", "theirs.vrt")
        fine = gdal.Open(self.path("fine.tif"), gdal.GA_Update)
        fine.BuildOverviews("NEAREST", [2])
        del fine
        told = self.told("gdalbuildvrt", src_datasets=["fine.tif", "coarse.tif"], dst_vrt="ours.vrt", resolution="lowest", r="average", overwrite=True)
        self.assertIn("gets the coarser cells of", " ".join(told["warnings"]))
        self.assertIn("fine.tif from its overviews", " ".join(told["warnings"]))
        made(self.path("over.tif"), waves(20, 20, 1, 200), "Float32", nodata=-9999, transform=(289300, 30, 0, 9121000, 0, -30))
        told = self.told("gdalbuildvrt", src_datasets=["fine.tif", "over.tif"], dst_vrt="ours.vrt", overwrite=True)
        self.assertIn("source 2 covers a part of source 1", " ".join(told["warnings"]))
        made(self.path("a.tif"), [[1, 7], [7, 4]], transform=NORTH)
        made(self.path("b.tif"), [[7, 6], [5, 7]], transform=NORTH)
        told = self.told("gdalbuildvrt", src_datasets=["a.tif", "b.tif"], dst_vrt="ours.vrt", overwrite=True)
        self.assertIn("4 of 4 cells that several rasters cover have different values, by up to 6", " ".join(told["warnings"]))
        made(self.path("other.tif"), [[1, 2]], epsg=4326, transform=NORTH)
        self.refusal("gdalbuildvrt", "fine.tif", "other.tif", src_datasets=["fine.tif", "other.tif"], dst_vrt="no.vrt")
        self.refusal("gdalbuildvrt", ".vrt", src_datasets=stacked, dst_vrt="no.tif")
        self.refusal("gdalbuildvrt", "managed", src_datasets=[self.told("gdal_translate", src_dataset=stacked[0])["output_uri"], stacked[1]], dst_vrt="no.vrt")

    def test_gdal_merge(self):
        for names in self.tiles():
            with self.subTest(names=names):
                first = gdal.Open(self.path(names[0]))
                declared = first.GetRasterBand(1).GetNoDataValue()
                del first
                words = [] if declared is None else ["-n", declared, "-a_nodata", declared, "-init", declared]
                self.told("gdal_merge", src_datasets=names, dst_dataset="ours.tif", overwrite=True)
                self.program("gdal_merge.py", "-q", "-o", "theirs.tif", *words, *names)
                self.assert_same_raster("ours.tif", "theirs.tif", metadata=False)
                os.remove(self.path("theirs.tif"))
        names = self.tiles()[1]
        self.told("gdal_merge", src_datasets=names, dst_dataset="ours.tif", separate=True, overwrite=True)
        self.program("gdal_merge.py", "-q", "-separate", "-o", "theirs.tif", "-n", 0, "-a_nodata", 0, *names)
        self.assert_same_raster("ours.tif", "theirs.tif", metadata=False)
        made(self.path("codes.tif"), [[11, 41, 11], [41, 82, 41]], transform=NORTH)
        made(self.path("beside.tif"), [[82, 41, 82], [41, 82, 41]], transform=(3.0,) + NORTH[1:])
        for n, hidden in ((11, True), (0, False)):
            told = self.told("gdal_merge", src_datasets=["codes.tif", "beside.tif"], dst_dataset="ours.tif", n=n, overwrite=True)
            self.assertEqual("hides 33.33 % of the cells of band 1" in " ".join(told["warnings"]), hidden, told["warnings"])
        made(self.path("a.tif"), [[1, 7], [7, 4]], transform=NORTH)
        made(self.path("b.tif"), [[7, 6], [5, 7]], transform=NORTH)
        self.told("gdal_merge", src_datasets=["a.tif", "b.tif"], dst_dataset="ours.tif", n=7, overwrite=True)
        self.assertEqual(cells_of(self.path("ours.tif")).tolist(), [[1, 6], [5, 4]])
        told = self.told("gdal_merge", src_datasets=["a.tif", "b.tif"], dst_dataset="ours.tif", overwrite=True)
        self.assertIn("4 of 4 cells that several rasters cover have different values, by up to 6", " ".join(told["warnings"]))
        told = self.told("gdal_merge", src_datasets=["codes.tif", "beside.tif"], dst_dataset="ours.tif", overwrite=True)
        self.assertNotIn("different values", " ".join(told["warnings"]))
        made(self.path("e.tif"), [[1, 3], [3, 4]], transform=NORTH, nodata=3)
        told = self.told("gdal_merge", src_datasets=["e.tif", "b.tif"], dst_dataset="ours.tif", n=7, overwrite=True)
        self.assertIn("e.tif declares nodata 3, and with n = 7 its cells of 3 are data", " ".join(told["warnings"]))
        made(self.path("c.tif"), [[1, 2]], epsg=4326, transform=NORTH)
        self.refusal("gdal_merge", "a.tif", "c.tif", "EPSG:4326", src_datasets=["a.tif", "c.tif"])
        made(self.path("d.tif"), [[1, 2]], transform=(0.5, 1, 0, 100, 0, -1))
        self.refusal("gdal_merge", "d.tif", "raster_mosaic", src_datasets=["a.tif", "d.tif"])

    def square(self, name, epsg=UTM):
        dataset = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(name))
        layer = dataset.CreateLayer("square", rasters.crs(epsg), ogr.wkbPolygon)
        layer.CreateField(ogr.FieldDefn("value", ogr.OFTReal))
        for value, (x, y) in ((5, (0, 0)), (7, (1, 1))):
            feature = ogr.Feature(layer.GetLayerDefn())
            feature["value"] = value
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POLYGON (({x} {y}, {x} {y + 2}, {x + 2} {y + 2}, {x + 2} {y}, {x} {y}))"))
            layer.CreateFeature(feature)
        del dataset

    def layers(self):
        """Vector files of every kind of geometry with the extent of each."""
        import raster_rasterize
        for kind in ("polygon", "multipolygon", "line", "point"):
            raster_rasterize.layer(self.path(f"{kind}.gpkg"), kind, seed=len(kind))
        raster_rasterize.layer(self.path("polygon.shp"), "polygon", seed=8)
        raster_rasterize.layer(self.path("degrees.gpkg"), "polygon", epsg=4326, seed=9, x0=-35.2, y0=-8.2, side=0.4)
        raster_rasterize.layer(self.path("many.gpkg"), "polygon", count=200, seed=10)
        raster_rasterize.layer(self.path("lines.gpkg"), "line", count=90, seed=11)
        raster_rasterize.layer(self.path("points.shp"), "point", count=90, seed=12)
        raster_rasterize.layer(self.path("one.gpkg"), "polygon", count=1, seed=13)
        names = ["polygon.gpkg", "multipolygon.gpkg", "line.gpkg", "point.gpkg", "polygon.shp", "degrees.gpkg", "many.gpkg", "lines.gpkg", "points.shp", "one.gpkg"]
        return names + [n for n in (self.real("lux.shp"), self.real("olinda1.shp"), self.real("cycle_hire.geojson")) if n]

    def test_refusals_advise_in_the_words_of_the_program(self):
        """session.check_advice looks at every hint; these came from code that the raster tools share."""
        made(self.path("a.tif"), [[1, 2], [3, 4]], transform=NORTH)
        made(self.path("b.tif"), [numpy.ones((2, 2))] * 2, transform=(2.0, 1.0, 0, 100.0, 0, -1.0))
        made(self.path("far.tif"), [[1, 2], [3, 4]], transform=(3e9, 1.0, 0, 100.0, 0, -1.0))
        for tool in ("gdal_merge", "gdalbuildvrt"):
            self.refusal(tool, "gdal_translate ('bands')", src_datasets=["a.tif", "b.tif"])
            self.refusal(tool, "'resolution'", src_datasets=["a.tif", "far.tif"])
        self.refusal("gdal_merge", "'n'", src_datasets=["a.tif"], n=-1)
        self.refusal("gdal_translate", "end 'dst_dataset' in .tif", src_dataset="a.tif", dst_dataset="o.vrt")

    def test_totals_in_every_cell_are_warned_of(self):
        zone = {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]]}
        with open(self.path("z.geojson"), "w", encoding="utf-8") as f:
            json.dump({"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"pop": 100, "height": 5}, "geometry": zone}]}, f)
        for field, warned in (("pop", True), ("height", False)):
            told = self.told("gdal_rasterize", src_vector="z.geojson", dst_raster="z.tif", a=field, burn_value=1, width=4, height=4, extent=[0, 0, 2, 2], overwrite=True)
            self.assertEqual("is called a total" in str(told["warnings"]), warned, field)

    def test_gdal_rasterize(self):
        self.square("s.gpkg")
        for arguments, expected in (({}, [[0, 9, 9, 0], [9, 9, 9, 0], [9, 9, 0, 0]]), ({"invert": True}, [[9, 0, 0, 9], [0, 0, 0, 9], [0, 0, 9, 9]]),
                                    ({"a": "value"}, [[0, 7, 7, 0], [5, 7, 7, 0], [5, 5, 0, 0]])):
            self.told("gdal_rasterize", src_vector="s.gpkg", dst_raster="s.tif", burn_value=9, width=4, height=3, extent=[0, 0, 4, 3], overwrite=True, **arguments)
            self.assertEqual(cells_of(self.path("s.tif")).tolist(), expected)
        for name in self.layers():
            dataset = ogr.Open(self.path(name))
            west, east, south, north = dataset.GetLayer(0).GetExtent()
            del dataset
            box = [west, south, east + 1e-3, north + 1e-3]
            for case, arguments, words in (("plain", {}, []), ("touched", {"at": True}, ["-at"]), ("inverse", {"invert": True}, []), ("bytes", {"ot": "Byte"}, ["-ot", "Byte"])):
                if case == "inverse" and not ("polygon" in name or name in ("degrees.gpkg", "one.gpkg", "many.gpkg")):
                    continue
                with self.subTest(name=name, case=case):
                    self.told("gdal_rasterize", src_vector=name, dst_raster="ours.tif", burn_value=3, width=90, height=70, extent=box, overwrite=True, **arguments)
                    self.program("gdal_rasterize", "-q", "-burn", 3, "-ts", 90, 70, "-te", *box, *words, name, "theirs.tif")
                    if case == "inverse":  # gdal_rasterize -i of GDAL 3.6 takes cells of two polygons for outside
                        self.assertEqual((3 - cells_of(self.path("theirs.tif"))).tolist(), cells_of(self.path("ours.tif")).tolist())
                    else:
                        self.assert_same_raster("ours.tif", "theirs.tif")
                    os.remove(self.path("theirs.tif"))
        self.refusal("gdal_rasterize", "no feature lies in 'extent'", src_vector="s.gpkg", burn_value=1, width=4, height=3, extent=[50, 50, 60, 60])
        self.refusal("gdal_rasterize", "300", "Byte", src_vector="s.gpkg", burn_value=300, width=4, height=3, extent=[0, 0, 4, 3], ot="Byte")
        dataset = ogr.Open(self.path("s.gpkg"), 1)
        layer = dataset.GetLayer(0)
        feature = layer.GetNextFeature()
        feature["value"] = 300
        layer.SetFeature(feature)
        del feature, layer, dataset
        self.refusal("gdal_rasterize", "attribute 'value' of feature 1 is 300", "Byte", src_vector="s.gpkg", burn_value=1, width=4, height=3, extent=[0, 0, 4, 3], a="value", ot="Byte")
        self.refusal("gdal_rasterize", "no area", src_vector="s.gpkg", burn_value=1, width=4, height=3, extent=[4, 0, 0, 3])

    def test_gdal2xyz(self):
        made(self.path("gap.tif"), [[1, 0], [3, 4]], nodata=0, transform=NORTH)
        self.told("gdal2xyz", dataset="gap.tif", dst_csv="gap.csv", skip_nodata=True)
        with open(self.path("gap.csv"), encoding="utf-8") as text:
            self.assertEqual(text.read(), "x,y,band_1\n0.5,99.5,1\n0.5,98.5,3\n1.5,98.5,4\n")
        made(self.path("scaled.tif"), [[1, 2], [3, 4]], "Int16", transform=NORTH)
        stored = gdal.Open(self.path("scaled.tif"), gdal.GA_Update)
        stored.GetRasterBand(1).SetScale(0.01)
        stored = None
        made(self.path("masked.tif"), [[1, 2], [3, 4]], transform=NORTH)
        masked = gdal.Open(self.path("masked.tif"), gdal.GA_Update)
        masked.CreateMaskBand(gdal.GMF_PER_DATASET)
        masked.GetRasterBand(1).GetMaskBand().WriteArray(numpy.array([[0, 255], [255, 255]], "uint8"))
        masked = None
        marked = waves(20, 20, 10, 60)
        marked[:5] = -9999
        made(self.path("marked.tif"), marked, "Float32", transform=NORTH)
        for name, skip, named in (("scaled.tif", False, "its scale 0.01"), ("masked.tif", False, "value stored there"), ("marked.tif", True, "undeclared nodata"),
                                  ("masked.tif", True, None), ("gap.tif", True, None),
                                  ("gap.tif", False, "1 of 4 lines are of cells without data, with the value stored there: skip_nodata leaves them out")):
            warnings = self.told("gdal2xyz", dataset=name, dst_csv="told.csv", skip_nodata=skip, overwrite=True)["warnings"]
            self.assertIn(named, " ".join(warnings)) if named else self.assertEqual(warnings, [])
        self.assertIn("values are as stored: scale 0.01", " ".join(self.told("gdal_polygonize", src_dataset="scaled.tif", dst_vector="told.gpkg")["warnings"]))
        for name in self.inputs():
            if name == "L7_ETMs.tif":
                self.program("gdal_translate", "-q", "-srcwin", 0, 0, 60, 50, name, "part.tif")
                name = "part.tif"
            count = gdal.Open(self.path(name)).RasterCount
            for skip in (False, True):
                for bands in ([1], list(range(count, 0, -1))):
                    with self.subTest(name=name, skip=skip, bands=bands):
                        self.told("gdal2xyz", dataset=name, dst_csv="ours.csv", skip_nodata=skip, bands=[str(b) for b in bands], overwrite=True)
                        words = [w for b in bands for w in ("-b", b)]
                        self.program("gdal2xyz.py", "-csv", *words, *(["-skipnodata"] if skip else []), name, "theirs.csv")
                        ours = numpy.loadtxt(self.path("ours.csv"), delimiter=",", skiprows=1, ndmin=2)
                        theirs = numpy.loadtxt(self.path("theirs.csv"), delimiter=",", ndmin=2)
                        if name == "double.tif" and skip:  # they compare with NaN, which nothing equals
                            theirs = theirs[~numpy.isnan(theirs[:, 2])]
                        self.assertEqual(ours.shape, theirs.shape)
                        numpy.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=6e-4)  # they write six digits, and coordinates in mm

    def test_gdal_polygonize(self):
        made(self.path("by_eye.tif"), [[1, 1, 2], [1, 2, 2]], transform=NORTH)
        self.told("gdal_polygonize", src_dataset="by_eye.tif", dst_vector="by_eye.gpkg", field_name="code")
        outlined = ogr.Open(self.path("by_eye.gpkg"))
        self.assertEqual(sorted((f["code"], f.GetGeometryRef().GetArea()) for f in outlined.GetLayer(0)), [(1, 3.0), (2, 3.0)])
        names = []
        for k in range(8):
            names.append(f"codes{k}.tif")
            dtype = ("Byte", "Int16", "UInt16", "Int32")[k % 4]
            made(self.path(names[-1]), numpy.floor(waves(30 + 7 * k, 50 - 3 * k, 0, 4 + k, seed=k)), dtype, nodata=(None, 0, 2)[k % 3])
        made(self.path("degrees_codes.tif"), numpy.floor(waves(40, 20, 0, 5)), epsg=4326, transform=(-36.0, 0.05, 0, -7.0, 0, -0.05))
        made(self.path("noise.tif"), self.random.integers(0, 3, (40, 40)))
        for name in names + ["degrees_codes.tif", "noise.tif"] + [n for n in (self.swellendam(),) if n]:
            for case, arguments, words in (("four", {}, []), ("eight", {"eight_connected": True}, ["-8"])):
                with self.subTest(name=name, case=case):
                    self.told("gdal_polygonize", src_dataset=name, dst_vector="ours.gpkg", overwrite=True, **arguments)
                    self.program("gdal_polygonize.py", "-q", *words, name, "-f", "GPKG", "theirs.gpkg")
                    self.assertEqual(self.shapes("ours.gpkg"), self.shapes("theirs.gpkg"))
                    os.remove(self.path("theirs.gpkg"))
        mask = (self.random.random((40, 40)) > 0.5).astype("uint8")
        made(self.path("mask.tif"), mask)
        self.told("gdal_polygonize", src_dataset="noise.tif", dst_vector="ours.gpkg", mask="mask.tif", overwrite=True)
        self.program("gdal_polygonize.py", "-q", "-mask", "mask.tif", "noise.tif", "-f", "GPKG", "theirs.gpkg")
        self.assertEqual(self.shapes("ours.gpkg"), self.shapes("theirs.gpkg"))
        self.refusal("gdal_polygonize", "mask.tif", "by_eye.tif", src_dataset="by_eye.tif", mask="mask.tif")

    def shapes(self, name):
        """Values and outlines, wherever a ring begins."""
        dataset = ogr.Open(self.path(name))
        return sorted((f["DN"], f.GetGeometryRef().Normalize().ExportToWkt()) for f in dataset.GetLayer(0))


missing = [p for p in PROGRAMS if not shutil.which(p)]
if missing:
    print("SKIPPED: not installed: " + ", ".join(missing))
    raise SystemExit(session.SKIPPED)
session.main()
