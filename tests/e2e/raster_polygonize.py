"""raster_polygonize against the gdal_polygonize.py program; areas against closed forms and raster_stats; and what it refuses."""
import json
import math
import os
import subprocess
import unittest

import numpy
from osgeo import gdal, ogr, osr

import more
import rasters
import session
from raster_traps import zone_area
from rasters import write
from session import Claims, Session, good, problem

X0, Y0 = 500000, 4100000
METRES = {"epsg": 32612, "transform": (X0, 30, 0, Y0, 0, -30)}


def patches(height, width, seed, classes=5):
    """Patches of classes from 1 on, with single cells here and there."""
    y, x = numpy.mgrid[0:height, 0:width]
    z = numpy.sin(x / 5.0 + seed) + numpy.cos(y / 4.0) + numpy.sin((x + 2 * y) / 9.0)
    z = ((z - z.min()) / (numpy.ptp(z) or 1) * (classes - 0.001)).astype(int) + 1
    z.flat[numpy.random.default_rng(seed).integers(0, z.size, z.size // 20)] = classes
    return z


def noise(height, width, seed):
    """Two classes cell by cell: nearly every polygon meets others at corners."""
    return numpy.random.default_rng(seed).integers(1, 3, (height, width))


def features(path, value):
    """[(value, area in the plane of the CRS, WKB in hexadecimal)] of a layer, sorted, and the attributes in that order."""
    layers = ogr.Open(path)
    found = []
    for f in layers.GetLayer(0):
        shape = f.GetGeometryRef()
        found.append(((f[value], round(shape.GetArea(), 9), bytes(shape.ExportToWkb(ogr.wkbNDR)).hex()), f.items()))
    found.sort(key=lambda f: f[0])
    return [f[0] for f in found], [f[1] for f in found]


def invalid(shapes):
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    found = sum(not ogr.CreateGeometryFromWkb(bytes.fromhex(f[2])).IsValid() for f in shapes)
    gdal.PopErrorHandler()
    return found


class raster_polygonize(Claims):
    def ours(self, s, name, output="ours.gpkg", value="value", **arguments):
        told = good(s.call("raster_polygonize", {"uri": name, "output": output, "overwrite": True, **arguments}))
        shapes, attributes = features(self.path(output), value)
        self.assertEqual(told["feature_count"], len(shapes))
        return told, shapes, attributes

    def theirs(self, name, *options):
        target = self.path("theirs.fgb")
        if os.path.exists(target):
            os.remove(target)
        subprocess.run(["gdal_polygonize.py", "-q", "-f", "FlatGeobuf", *options, self.path(name), target, "out", "value"], check=True, stdout=subprocess.DEVNULL)
        return features(target, "value")[0]

    def same(self, shapes, others):
        """The program writes codes as 32-bit integers."""
        low, high = -2 ** 31, 2 ** 31 - 1
        clipped = sorted((min(max(v, low), high), *shape) for v, *shape in shapes)
        self.assertEqual(len(clipped), len(others))
        self.assertEqual([pair for pair in zip(clipped, others) if pair[0] != pair[1]][:1], [])

    def test_polygons_are_those_of_the_program(self):
        degrees = {"epsg": 4326, "transform": (-35, 0.001, 0, -7, 0, -0.001)}
        cases = {"byte": (patches(60, 80, 1), gdal.GDT_Byte, None, METRES), "byte 0": (patches(60, 80, 2), gdal.GDT_Byte, 0, METRES),
                 "int16": (patches(60, 80, 3) - 3, gdal.GDT_Int16, -32768, METRES), "uint16": (patches(60, 80, 4) * 10000, gdal.GDT_UInt16, None, METRES),
                 "int32": (patches(60, 80, 5) - 2000000000, gdal.GDT_Int32, -9, METRES), "uint32": (patches(60, 80, 6) + 4000000000, gdal.GDT_UInt32, 7, METRES),
                 "float": (patches(60, 80, 7), gdal.GDT_Float32, -9999, METRES), "double": (patches(60, 80, 8) * 2 ** 40, gdal.GDT_Float64, None, METRES),
                 "degrees": (patches(60, 80, 9), gdal.GDT_Byte, None, degrees), "noise": (noise(60, 80, 10), gdal.GDT_Byte, None, METRES),
                 "south up": (patches(60, 80, 11), gdal.GDT_Byte, 0, {**METRES, "transform": (X0, 30, 0, Y0, 0, 30)}),
                 "turned": (patches(60, 80, 12), gdal.GDT_Byte, None, {**METRES, "transform": (X0, 30, 10, Y0, 10, -30)}),
                 "no crs": (patches(60, 80, 13), gdal.GDT_Byte, None, {**METRES, "epsg": None}), "one cell": (patches(1, 1, 1), gdal.GDT_Byte, None, METRES),
                 "a row": (patches(1, 300, 14), gdal.GDT_Byte, None, METRES), "large": (noise(300, 400, 15), gdal.GDT_Byte, None, METRES)}
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for name, (cells, dtype, nodata, how) in cases.items():
                cells = cells.astype(float)
                if nodata is not None:
                    cells[10:20, 30:50] = nodata
                write(self.path("a.tif"), [cells * 0 + 1, cells], dtype, nodata=nodata, **how)
                for connectedness in (4, 8):
                    with self.subTest(name=name, connectedness=connectedness):
                        told, shapes, _ = self.ours(s, "a.tif", band=2, connectedness=connectedness)
                        self.same(shapes, self.theirs("a.tif", "-b", "2", *(["-8"] if connectedness == 8 else [])))
                        inside = cells[cells != nodata] if nodata is not None else cells
                        self.assertEqual({c["value"]: c["cell_count"] for c in told["classes"]},
                                         {int(v): int(n) for v, n in zip(*numpy.unique(inside, return_counts=True))})
                        self.assertEqual(told["excluded_count"], cells.size - inside.size)
                        self.assertEqual(invalid(shapes), 0 if connectedness == 4 else
                                         next((int(w.split()[0]) for w in told["warnings"] if "touch themselves" in w), 0))

    def test_areas_are_true(self):
        """Degrees: zones of the ellipsoid. Web Mercator and US survey feet: the ground under the map."""
        cells = numpy.zeros((4, 4))
        cells[0, :2], cells[2, 2] = 1, 2
        write(self.path("degrees.tif"), [cells], gdal.GDT_Byte, 4326, (10, 0.5, 0, 50, 0, -0.5), nodata=0)
        world = numpy.ones((18, 36))
        world[9:] = 2
        write(self.path("world.tif"), [world], gdal.GDT_Byte, 4326, (-180, 10, 0, 90, 0, -10))
        square = numpy.zeros((20, 20))
        square[5:15, 5:15] = 1
        write(self.path("web.tif"), [square], gdal.GDT_Byte, 3857, (0, 1000, 0, 8400000, 0, -1000), nodata=0)
        write(self.path("feet.tif"), [square], gdal.GDT_Byte, 2263, (1000000, 100, 0, 200000, 0, -100), nodata=0)
        expected = {1: zone_area(49.5, 50, 1), 2: zone_area(48.5, 49, 0.5)}
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            told, _, attributes = self.ours(s, "degrees.tif")
            for row in told["classes"] + attributes:
                self.assertAlmostEqual(row["area_m2"] / expected[row["value"]], 1, delta=1e-8)
            for row in told["classes"]:
                self.assertAlmostEqual(row["area_ha"] * 1e4 / row["area_m2"], 1, delta=1e-8)
            self.assertAlmostEqual(told["area_m2"] / sum(expected.values()), 1, delta=1e-8)
            told, shapes, _ = self.ours(s, "degrees.tif", min_area=sum(expected.values()) / 2)
            self.assertEqual(([f[0] for f in shapes], told["left_out_count"]), ([1], 1))
            self.assertAlmostEqual(told["left_out_area_m2"] / expected[2], 1, delta=1e-8)
            for row in self.ours(s, "world.tif")[0]["classes"]:
                self.assertAlmostEqual(row["area_m2"] / zone_area(0, 90, 360), 1, delta=1e-8)
            way = osr.CoordinateTransformation(rasters.crs(3857), rasters.crs(4326))
            (west, north, _), (east, south, _) = way.TransformPoint(5000, 8395000), way.TransformPoint(15000, 8385000)
            self.assertAlmostEqual(self.ours(s, "web.tif")[0]["area_m2"] / zone_area(south, north, east - west), 1, delta=1e-6)
            self.assertAlmostEqual(self.ours(s, "feet.tif")[0]["area_m2"] / (1000 * 1200 / 3937) ** 2, 1, delta=1e-3)

    def test_a_hole_is_no_part_of_a_polygon(self):
        cells = numpy.ones((5, 5))
        cells[1:4, 1:4] = 2
        cells[2, 2] = 1
        write(self.path("a.tif"), [cells], gdal.GDT_Byte, 4326, (10, 0.5, 0, 50, 0, -0.5))
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            told, shapes, attributes = self.ours(s, "a.tif")
            self.assertEqual([c["cell_count"] for c in told["classes"]], [17, 8])
            areas = {v: sum(zone_area(49.5 - 0.5 * r, 50 - 0.5 * r, 0.5 * (cells[r] == v).sum()) for r in range(5)) for v in (1, 2)}
            for row in told["classes"]:
                self.assertAlmostEqual(row["area_m2"] / areas[row["value"]], 1, delta=1e-8)
            ring = [a for f, a in zip(shapes, attributes) if f[0] == 2][0]
            self.assertAlmostEqual(ring["area_m2"] / areas[2], 1, delta=1e-8)

    def test_mask_values_and_geometry_select_cells(self):
        cells = patches(60, 80, 3)
        write(self.path("a.tif"), [cells], gdal.GDT_Byte, **METRES)
        chosen = numpy.zeros((60, 80))
        chosen[20:40, 10:70] = 3
        chosen[0] = -1
        write(self.path("mask.tif"), [chosen], gdal.GDT_Int16, nodata=-1, **METRES)
        inside = cells[20:40, 10:70]
        box = [X0 + 300, Y0 - 1200, X0 + 2100, Y0 - 600]
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            told, _, _ = self.ours(s, "a.tif", mask="mask.tif", values=[1, 5])
            self.assertEqual({c["value"]: c["cell_count"] for c in told["classes"]}, {v: (inside == v).sum() for v in (1, 5)})
            self.assertEqual(told["excluded_count"], cells.size - numpy.isin(inside, [1, 5]).sum())
            for connectedness in (4, 8):
                masked, same, _ = self.ours(s, "a.tif", mask="mask.tif", connectedness=connectedness)
                told, shapes, _ = self.ours(s, "a.tif", geometry=box, connectedness=connectedness)
                self.same(shapes, same)
                self.assertAlmostEqual(told["area_m2"] / masked["area_m2"], 1, delta=1e-6)
                self.assertEqual(told["geometry_crs"], "EPSG:32612")
            told, shapes, _ = self.ours(s, "a.tif", values=77)
            self.assertEqual(shapes, [])
            self.assertIn("value 77", " ".join(told["warnings"]))
            self.assertIn("without features", " ".join(told["warnings"]))

    def test_nan_is_no_data(self):
        cells = patches(60, 80, 3).astype("float32")
        cells[5:9] = numpy.nan
        write(self.path("a.tif"), [cells], gdal.GDT_Float32, **METRES)
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            self.assertEqual(self.ours(s, "a.tif")[0]["excluded_count"], 4 * 80)

    def test_a_raster_without_a_crs_has_no_areas(self):
        write(self.path("plain.tif"), [patches(20, 20, 1)], gdal.GDT_Byte, epsg=None)
        bare = gdal.GetDriverByName("GTiff").Create(self.path("bare.tif"), 9, 9)
        bare.GetRasterBand(1).Fill(4)
        del bare
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            told, _, attributes = self.ours(s, "plain.tif")
            self.assertNotIn("area_m2", told)
            self.assertNotIn("area_m2", attributes[0])
            self.assertIn("no CRS", " ".join(told["warnings"]))
            told, shapes, _ = self.ours(s, "bare.tif")
            self.assertEqual([f[:2] for f in shapes], [(4, 81)])
            self.assertIn("columns and rows", " ".join(told["warnings"]))

    def test_names_of_classes_and_formats(self):
        write(self.path("named.tif"), [patches(30, 40, 2, 3)], gdal.GDT_Byte, **METRES)
        raster = gdal.Open(self.path("named.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetCategoryNames(["", "water", "forest", "town"])
        del raster
        names = {1: "water", 2: "forest", 3: "town"}
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            told, shapes, attributes = self.ours(s, "named.tif", value="code", field_name="code")
            self.assertEqual({a["code"]: a["class_name"] for a in attributes}, names)
            self.assertEqual({c["value"]: c["name"] for c in told["classes"]}, names)
            for output in ("ours.shp", "ours.fgb"):
                again, same, written = self.ours(s, "named.tif", output=output)
                self.assertEqual(([f[0] for f in same], again["area_m2"]), ([f[0] for f in shapes], told["area_m2"]))
                self.assertAlmostEqual(sum(a["area_m2"] for a in written) / told["area_m2"], 1, delta=1e-8)
            again, _, written = self.ours(s, "named.tif", output="ours.geojson")
            self.assertEqual((again["crs"]["code"], again["area_m2"]), ("OGC:CRS84", told["area_m2"]))
            self.assertIn("RFC 7946", " ".join(again["warnings"]))
            self.assertEqual(len(written), len(attributes))
            with open(self.path("ours.geojson"), encoding="utf-8") as file:
                west, north = json.load(file)["features"][0]["geometry"]["coordinates"][0][0]
            self.assertTrue(-112 < west < -110 and 36 < north < 38, (west, north))
            managed = good(s.call("raster_polygonize", {"uri": "named.tif"}))
            self.assertEqual(good(s.call("vector_info", {"uri": managed["output"]["uri"]}))["layers"][0]["feature_count"], len(shapes))

    @unittest.skipUnless(rasters.TEST_DATA, "GDAL_MCP_TEST_DATA is not set")
    def test_land_cover_and_quality_bits_of_real_scenes(self):
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for name in ("zion/nlcd.tif", "landsat8/l8_BQA.tif"):
                with self.subTest(name=name):
                    gdal.GetDriverByName("GTiff").CreateCopy(self.path("real.tif"), gdal.Open(os.path.join(rasters.TEST_DATA, name)))
                    told, shapes, _ = self.ours(s, "real.tif")
                    self.same(shapes, self.theirs("real.tif"))
                    eight, shapes, _ = self.ours(s, "real.tif", connectedness=8)
                    self.same(shapes, self.theirs("real.tif", "-8"))
                    self.assertAlmostEqual(eight["area_m2"] / told["area_m2"], 1, delta=1e-8)
                    stats = good(s.call("raster_stats", {"uri": "real.tif", "classes": True}))["bands"][0]["classes"]
                    rows = {c["value"]: c for c in told["classes"]}
                    for c in stats:
                        self.assertEqual(rows[c["value"]]["cell_count"], c["count"])
                        self.assertAlmostEqual(rows[c["value"]]["area_m2"] / c["area_m2"], 1, delta=2e-6)

    def test_what_is_refused(self):
        write(self.path("a.tif"), [patches(20, 20, 1)], gdal.GDT_Byte, **METRES)
        write(self.path("half.tif"), [patches(20, 20, 1) + 0.5], gdal.GDT_Float32, **METRES)
        write(self.path("infinite.tif"), [numpy.full((4, 4), math.inf)], gdal.GDT_Float32, **METRES)
        write(self.path("plain.tif"), [patches(20, 20, 1)], gdal.GDT_Byte, epsg=None)
        write(self.path("shifted.tif"), [patches(20, 20, 1)], gdal.GDT_Byte, epsg=32612, transform=(X0 + 30, 30, 0, Y0, 0, -30))
        write(self.path("complex.tif"), [patches(20, 20, 1)], gdal.GDT_CFloat32, **METRES)
        more.beyond_doubles(self.path("wide.tif"))
        before = self.files()
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for arguments, words in (({"uri": "wide.tif"}, "2^53"), ({"uri": "half.tif"}, "column 0, row 0"), ({"uri": "infinite.tif"}, "no whole number"),
                                     ({"uri": "plain.tif", "min_area": 1}, "no known area"), ({"uri": "plain.tif", "output": "out.geojson"}, "no CRS"),
                                     ({"uri": "a.tif", "connectedness": 5}, "'connectedness' is 5"), ({"uri": "a.tif", "field_name": "AREA_M2"}, "AREA_M2"),
                                     ({"uri": "a.tif", "field_name": "land_cover_code", "output": "out.shp"}, "15 bytes"), ({"uri": "a.tif", "band": 2}, "band 2"),
                                     ({"uri": "a.tif", "mask": "shifted.tif"}, "grids differ"), ({"uri": "complex.tif"}, "complex"),
                                     ({"uri": "a.tif", "geometry": [0, 0, 100, 100], "geometry_crs": "EPSG:32612"}, "")):
                with self.subTest(arguments=arguments):
                    p = problem(s.call("raster_polygonize", {"output": "out.gpkg", **arguments}))
                    self.assertIn(words, p["message"])
                    self.assertTrue(p["hint"])
                    self.assertEqual(self.files(), before)


if __name__ == "__main__":
    session.main()
