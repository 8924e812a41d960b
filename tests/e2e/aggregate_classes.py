"""aggregate_classes against closed forms, numpy, pyproj and GDAL's own rasterizing, and what it refuses."""
import csv
import json
import math
import os
import unittest

import numpy
from osgeo import gdal, ogr
from pyproj import Geod

import more
import rasters
import session
from session import good

EQUAL_AREA = 6933  # cylindrical, metres
HECTARE = (1000000, 100, 0, 4000000, 0, -100)


def box(west, south, east, north):
    return {"type": "Polygon", "coordinates": [[[west, south], [east, south], [east, north], [west, north], [west, south]]]}


def collection(**shapes):
    return {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": n}, "geometry": g} for n, g in shapes.items()]}


def overlap(low, high, edges):
    """The share of each interval between edges that lies between low and high."""
    a, b = numpy.minimum(edges[:-1], edges[1:]), numpy.maximum(edges[:-1], edges[1:])
    return numpy.clip(numpy.minimum(b, high) - numpy.maximum(a, low), 0, None) / (b - a)


def named(path, names):
    """Gives a raster a table of class names."""
    raster = gdal.Open(path, gdal.GA_Update)
    table = gdal.RasterAttributeTable()
    table.CreateColumn("value", gdal.GFT_Integer, gdal.GFU_MinMax)
    table.CreateColumn("name", gdal.GFT_String, gdal.GFU_Name)
    table.SetRowCount(len(names))
    for row, (code, name) in enumerate(names.items()):
        table.SetValueAsInt(row, 0, code)
        table.SetValueAsString(row, 1, name)
    raster.GetRasterBand(1).SetDefaultRAT(table)
    del raster


def cap_area(south):
    """m2 of the Earth north of a parallel, by the closed form of the ellipsoid."""
    a, f = 6378137.0, 1 / 298.257223563
    e = math.sqrt(f * (2 - f))
    q = lambda s: (1 - e * e) * (s / (1 - e * e * s * s) + math.atanh(e * s) / e)
    return math.pi * a * a * (q(1) - q(math.sin(math.radians(south))))


class aggregate_classes(more.MoreClaims):
    tool = "aggregate_classes"
    output = "out.csv"

    def write(self, name, codes, transform=HECTARE, epsg=EQUAL_AREA, **how):
        return rasters.write(self.path(name), [numpy.array(codes, how.pop("type", "uint8"))], how.pop("dtype", gdal.GDT_Byte), epsg=epsg,
                             transform=transform, **how)

    def table(self, name=None):
        with open(self.path(name or self.output), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def hectares(self, zone, key="value"):
        return {c.get(key): c["area_ha"] for c in zone["classes"]}

    def test_rows_centred_on_a_pole_have_the_area_that_is_on_the_earth(self):
        cells = numpy.ones((73, 144), "uint8")
        cells[0] = 2
        rasters.write(self.path("grid.tif"), [cells], gdal.GDT_Byte, epsg=4326, transform=(-1.25, 2.5, 0, 91.25, 0, -2.5))
        quarter = collection(a=box(0, 86.25, 90, 90))
        # Cells of the first row reach from 88.75 to the pole; the zone's edges cut one column by half on either side.
        expected = {2: cap_area(88.75) / 4, 1: (cap_area(86.25) - cap_area(88.75)) / 4}
        [zone] = self.told("grid.tif", zones=quarter)["zones"]
        for c in zone["classes"]:
            self.assertAlmostEqual(c["area_ha"] * 1e4 / expected[c["value"]], 1, delta=1e-6)
        with self.session() as s:
            told = good(session.run(s, "aggregate_zonal", {"raster": "grid.tif", "zones": quarter, "stats": ["weighted_mean"], "weight_by_area": True, "output": "z.csv"}))
        self.assertAlmostEqual(told["rows"][0]["weighted_mean"], 1 + expected[2] / sum(expected.values()), delta=1e-6)

    def test_cells_of_a_hectare_are_counted_by_eye(self):
        self.write("a.tif", [[1, 1, 2], [3, 0, 2]], nodata=0)
        told = self.told("a.tif")
        [whole] = told["zones"]
        self.assertEqual([(c["value"], c["cells"], c["share"], c["area_m2"], c["area_ha"]) for c in whole["classes"]],
                         [(1, 2, 0.4, 20000, 2), (2, 2, 0.4, 20000, 2), (3, 1, 0.2, 10000, 1)])
        self.assertEqual([whole[k] for k in ("classified_cells", "classified_ha", "unclassified_cells", "unclassified_ha")], [5, 5, 1, 1])
        self.assertEqual((told["matched_total"], told["truncated"]), (4, False))
        self.assertEqual([(r["value"], r["name"], r["cells"], r["share"] and f"{float(r['share']):.4f}") for r in self.table()],
                         [("1", "", "2", "0.4000"), ("2", "", "2", "0.4000"), ("3", "", "1", "0.2000"), ("", "no data", "1", "")])
        for row in self.table():
            self.assertAlmostEqual(float(row["area_ha"]), float(row["cells"]), delta=1e-8)

    def test_a_box_takes_its_share_of_cut_cells(self):
        self.write("a.tif", [[1, 1, 2], [3, 0, 2]], nodata=0)
        told = self.told("a.tif", geometry=[1000050, 3999850, 1000250, 4000000])
        self.assertEqual(told["geometry_crs"], "EPSG:6933")
        [zone] = told["zones"]
        self.assertEqual({c["value"]: c["cells"] for c in zone["classes"]}, {1: 1.5, 2: 0.75, 3: 0.25})
        self.assertEqual((zone["unclassified_cells"], zone["unclassified_ha"], zone["area_m2"]), (0.5, 0.5, 30000))
        self.assertEqual(self.hectares(zone), {1: 1.5, 2: 0.75, 3: 0.25})

    def test_cells_in_degrees_have_the_area_of_their_latitude(self):
        step = 0.01
        self.write("degrees.tif", [[r] * 3 for r in range(1, 5)], (10, step, 0, 62, 0, -step), 4326)
        earth = Geod(ellps="WGS84")
        for c in self.told("degrees.tif")["zones"][0]["classes"]:
            north = 62 - (c["value"] - 1) * step
            lon = numpy.linspace(10, 10 + 3 * step, 301)
            area, _ = earth.polygon_area_perimeter(numpy.concatenate([lon, lon[::-1]]), [north - step] * 301 + [north] * 301)
            self.assertAlmostEqual(c["area_m2"] / area, 1, delta=1e-8)

    def test_web_mercator_is_measured_on_the_ground(self):
        self.write("mercator.tif", [[1, 2], [1, 1]], (1000000, 100, 0, 8400000, 0, -100), 3857)
        [whole] = self.told("mercator.tif")["zones"]
        to_degrees = rasters.osr.CoordinateTransformation(rasters.crs(3857), rasters.crs(4326))
        corners = [to_degrees.TransformPoint(1000100 + x, 8399900 + y)[:2] for x, y in ((0, 0), (100, 0), (100, 100), (0, 100))]
        area, _ = Geod(ellps="WGS84").polygon_area_perimeter(*zip(*corners))
        found = {c["value"]: c["area_m2"] for c in whole["classes"]}
        self.assertAlmostEqual(found[2] / area, 1, delta=1e-6)
        self.assertLess(found[2], 2600)  # of 10 000 m² on the map, at 60 degrees north
        self.assertAlmostEqual(whole["classes"][1]["share"], 0.25, delta=1e-4)

    def test_turned_and_south_up_grids(self):
        for name, transform in (("turned.tif", (1000000, 80, 60, 4000000, 60, -80)), ("south.tif", (1000000, 100, 0, 4000000, 0, 100)),
                                ("mirrored.tif", (1000000, -100, 0, 4000000, 0, -100))):
            with self.subTest(name=name):
                self.write(name, [[1, 2], [2, 2]], transform)
                self.assertEqual(self.hectares(self.told(name)["zones"][0]), {1: 1, 2: 3})

    def test_zones_are_those_of_numpy(self):
        random = numpy.random.default_rng(4)
        codes = more.patches(230, 170, 7, 4).astype("int16")
        codes[random.random(codes.shape) < 0.1] = -1
        self.write("codes.tif", codes, (500000, 30, 0, 4000000, 0, -30), 32633, type="int16", dtype=gdal.GDT_Int16, nodata=-1)
        x, y = 500000 + 30 * numpy.arange(231), 4000000 - 30 * numpy.arange(171)
        shapes, expected = {}, {}
        for n in range(40):
            w, s = random.uniform(499500, 506500), random.uniform(3994700, 3999700)
            e, t = w + random.uniform(3, 3000), s + random.uniform(3, 2000)
            shapes[f"{n:02}"] = box(w, s, e, t)
            shares = numpy.outer(overlap(s, t, y), overlap(w, e, x))
            expected[f"{n:02}"] = {c: shares[codes == c].sum() for c in numpy.unique(codes[shares > 0])}, shares.sum() * 900 / ((e - w) * (t - s))
        told = self.told("codes.tif", zones=collection(**shapes), geometry_crs="EPSG:32633", zone_id="name")
        self.assertEqual(told["zone_fields"], ["name"])
        self.assertTrue(any("zones overlap in" in w for w in told["warnings"]))
        found = {}
        for row in self.table():
            found.setdefault(row["zone"], {})[row["value"]] = row
        for n, (cells, inside) in expected.items():
            with self.subTest(zone=n):
                rows = found[n]
                if not cells:
                    self.assertEqual([r["problem"] for r in rows.values()], ["it lies off the raster"])
                    continue
                classified = sum(v for c, v in cells.items() if c >= 0)
                for code, count in cells.items():
                    row = rows["" if code < 0 else str(code)]
                    self.assertAlmostEqual(float(row["cells"]), count, delta=1e-8)
                    self.assertAlmostEqual(float(row["area_m2"]) / (count * 900), 1, delta=2e-3)  # UTM near its meridian
                    if code >= 0:
                        self.assertAlmostEqual(float(row["share"]), count / classified, delta=1e-5)
                self.assertEqual(len(rows), len(cells))
        for zone in told["zones"]:
            self.assertAlmostEqual(1 - zone.get("outside_share", 0), expected[zone["zone"]][1], delta=1e-6)

    def test_parts_add_up_to_the_whole(self):
        codes = more.patches(301, 203, 5, 9)
        codes[:40, :90] = 255
        self.write("codes.tif", codes, (10, 0.01, 0, 60, 0, -0.01), 4326, nodata=255)
        [whole] = self.told("codes.tif")["zones"]
        cuts_x, cuts_y = [10, 10.4321, 11.5, 12.2, 13.01], [57.97, 58.3, 59.123, 60]
        parts = {f"{i}{j}": box(cuts_x[i], cuts_y[j], cuts_x[i + 1], cuts_y[j + 1]) for i in range(4) for j in range(3)}
        told = self.told("codes.tif", zones=collection(**parts), zone_id="name")
        sums = {}
        for row in self.table():
            sums[row["value"]] = sums.get(row["value"], 0) + float(row["area_m2"])
        for c in whole["classes"]:
            self.assertAlmostEqual(sums[str(c["value"])] / c["area_m2"], 1, delta=1e-8)
        self.assertAlmostEqual(sums[""] / 1e4 / whole["unclassified_ha"], 1, delta=1e-8)
        # Edges of the zones are straight in degrees, as those of the cells.
        self.assertAlmostEqual(sum(z["area_m2"] for z in told["zones"]) / 1e4 / (whole["classified_ha"] + whole["unclassified_ha"]), 1, delta=1e-7)
        self.assertFalse(any("outside_share" in z for z in told["zones"]))

    def test_what_the_second_raster_does_not_know_is_no_other_class(self):
        self.write("a.tif", [[1, 1], [1, 1]])
        self.write("b.tif", [[1, 2], [255, 255]], nodata=255)
        self.told("a.tif", against="b.tif")
        self.assertEqual({(r["against"], r["against_name"]): float(r["cells"]) for r in self.table()},
                         {("1", ""): 1, ("2", ""): 1, ("", "no data"): 2})

    def test_pairs_of_rasters_with_other_legends_are_named(self):
        for name, names in (("a.tif", {1: "water", 2: "urban"}), ("b.tif", {1: "urban", 2: "water"}), ("c.tif", {1: "Water"})):
            self.write(name, [[1, 2], [2, 1]])
            named(self.path(name), names)
        self.assertRegex(" ".join(self.told("a.tif", against="b.tif")["warnings"]),
                         "the legends differ: code 1 is 'water' in .*a.tif and 'urban' in .*b.tif")
        self.assertNotIn("legends", " ".join(self.told("a.tif", against="c.tif")["warnings"]))

    def test_pairs_of_classes_are_those_of_numpy(self):
        a, b = more.patches(150, 120, 5, 2) + 40, more.patches(150, 120, 4, 3)
        a[:9], b[:, :7] = 0, 255
        self.write("a.tif", a, nodata=0)
        self.write("b.tif", b, nodata=255)
        told = self.told("a.tif", against="b.tif")
        [whole] = told["zones"]
        both = (a > 0) & (b < 255)
        self.assertEqual(whole["classified_cells"], both.sum())
        self.assertEqual(whole["unclassified_cells"], (~both).sum())
        counted = {(c.get("value"), c.get("against")): c for c in whole["classes"]}
        expected = {(p if p > 0 else None, q if q < 255 else None): int(((a == p) & (b == q)).sum())
                    for p in numpy.unique(a).tolist() for q in numpy.unique(b).tolist()}
        neither = expected.pop((None, None))
        self.assertEqual({pair: c["cells"] for pair, c in counted.items()}, {pair: n for pair, n in expected.items() if n})
        for (p, q), c in counted.items():
            self.assertEqual("share" in c, p is not None and q is not None)
            self.assertAlmostEqual(c["area_ha"], c["cells"], delta=1e-6 * c["cells"])
        self.assertAlmostEqual(sum(c.get("share", 0) for c in whole["classes"]), 1, delta=1e-5)
        rows = self.table()
        self.assertEqual(rows[-1]["name"], "no data")
        self.assertEqual(float(rows[-1]["cells"]), neither)
        # Each class has as much as in its own table.
        [own] = self.told("a.tif")["zones"]
        for c in own["classes"]:
            self.assertEqual(c["cells"], sum(n for (p, _), n in expected.items() if p == c["value"]))

    def test_pairs_are_taken_where_raster_compare_takes_them(self):
        """NAD 83 / UTM 12, and the same projection and ellipsoid without a datum."""
        no_datum = ('PROJCS["UTM 12",GEOGCS["GRS 80",DATUM["unknown",SPHEROID["GRS 1980",6378137,298.257222101]],PRIMEM["Greenwich",0],'
                    'UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],'
                    'PARAMETER["central_meridian",-111],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],'
                    'PARAMETER["false_northing",0],UNIT["metre",1]]')
        transform = (500000, 100, 0, 4000000, 0, -100)
        for name, crs in (("a.tif", "EPSG:26912"), ("b.tif", no_datum)):
            gdal.Translate(self.path(name), self.write("cells.tif", [[1, 1, 2], [2, 2, 2]], transform), outputSRS=crs)
        told = self.told("a.tif", against="b.tif")
        self.assertEqual({(c["value"], c["against"]): c["cells"] for c in told["zones"][0]["classes"]}, {(1, 1): 2, (2, 2): 4})
        self.assertTrue(any("names no datum" in w for w in told["warnings"]), told["warnings"])
        gdal.Translate(self.path("part.tif"), self.path("a.tif"), srcWin=[1, 0, 2, 2])
        with self.session() as s:
            p = session.problem(s.call(self.tool, {"uri": "a.tif", "against": "part.tif", "output": self.output, "overwrite": True}))
        self.assertIn("the extents differ", p["message"])
        self.assertIn('"geometry": [500100,3999800,500300,4000000]', p["hint"])

    def test_an_alpha_band_that_gdal_ignores_is_named(self):
        cells = numpy.array([[1, 2], [2, 2]], "uint8")
        rasters.write(self.path("rga.tif"), [cells, cells, 255 * (cells > 1)], gdal.GDT_Byte, epsg=EQUAL_AREA, transform=HECTARE,
                      colours=(gdal.GCI_GrayIndex, gdal.GCI_Undefined, gdal.GCI_AlphaBand))
        self.assertTrue(any("an alpha band that GDAL ignores" in w for w in self.told("rga.tif")["warnings"]))

    def test_some_classes_and_their_names(self):
        path = self.write("a.tif", [[1, 1, 2, 2], [3, 0, 2, 7]], nodata=0)
        named(path, {1: "Water", 2: "Forest"})
        self.assertEqual([(c["value"], c.get("name")) for c in self.told("a.tif")["zones"][0]["classes"]], [(2, "Forest"), (1, "Water"), (3, None), (7, None)])
        [zone] = self.told("a.tif", classes=[1])["zones"]
        self.assertEqual([(c["value"], c["cells"]) for c in zone["classes"]], [(1, 2)])
        self.assertEqual((zone["classified_cells"], zone["unclassified_cells"]), (7, 1))
        self.assertAlmostEqual(zone["other_share"], 5 / 7, delta=1e-6)
        self.assertEqual([(r["value"], r["name"], r["cells"]) for r in self.table()], [("1", "Water", "2"), ("", "other classes", "5"), ("", "no data", "1")])
        [zone] = self.told("a.tif", classes={"1": "Lake", "7": "Rock"})["zones"]
        self.assertEqual([(c["value"], c["name"]) for c in zone["classes"]], [(1, "Lake"), (7, "Rock")])
        categories = self.write("c.tif", [[0, 1], [1, 1]])
        raster = gdal.Open(categories, gdal.GA_Update)
        raster.GetRasterBand(1).SetCategoryNames(["bare", "covered"])
        del raster
        [zone] = self.told("c.tif", against="c.tif")["zones"]
        self.assertEqual({(c["name"], c["against_name"]): c["cells"] for c in zone["classes"]}, {("covered", "covered"): 3, ("bare", "bare"): 1})

    def test_names_given_hold_for_both_rasters_unless_the_second_has_another_legend(self):
        self.write("before.tif", [[1, 1, 2, 2]])
        after = self.write("after.tif", [[1, 2, 2, 3]])
        given = {"1": "Lake", "2": "Rock"}
        pairs = lambda: {(c["name"], c.get("against_name")): c["cells"] for c in self.told("before.tif", against="after.tif", classes=given)["zones"][0]["classes"]}
        self.assertEqual(pairs(), {("Lake", "Lake"): 1, ("Lake", "Rock"): 1, ("Rock", "Rock"): 1, ("Rock", None): 1})
        named(after, {1: "Urban", 2: "Arable"})
        self.assertEqual(pairs(), {("Lake", "Urban"): 1, ("Lake", "Arable"): 1, ("Rock", "Arable"): 1, ("Rock", None): 1})

    def test_a_class_asked_for_that_does_not_occur_is_a_row_of_0_and_named(self):
        self.write("a.tif", [[1, 1, 2, 2], [3, 0, 2, 7]], nodata=0)
        for classes in ([1, 99], {"1": "Lake", "99": "Ice"}):
            told = self.told("a.tif", classes=classes)
            self.assertEqual([(c["value"], c["cells"], c["area_ha"], c["share"]) for c in told["zones"][0]["classes"]], [(1, 2, 2, round(2 / 7, 6)), (99, 0, 0, 0)])
            self.assertEqual([(r["value"], r["cells"]) for r in self.table()], [("1", "2"), ("99", "0"), ("", "5"), ("", "1")])
            [warning] = told["warnings"]
            self.assertIn("names 1 codes that do not occur", warning)
            self.assertIn(": 99;", warning)
        self.assertEqual(self.told("a.tif", classes=[1, 7]).get("warnings", []), [])

    def test_a_geopackage_has_the_outlines(self):
        self.write("a.tif", [[1, 1, 2], [3, 0, 2]], nodata=0)
        shapes = collection(left=box(1000000, 3999800, 1000100, 4000000), off=box(0, 0, 100, 100), bow={
            "type": "Polygon", "coordinates": [[[1000000, 4000000], [1000100, 3999900], [1000100, 4000000], [1000000, 3999900], [1000000, 4000000]]]})
        with self.session() as s:
            told = good(s.call(self.tool, {"uri": "a.tif", "zones": shapes, "geometry_crs": "EPSG:6933", "output": "out.gpkg"}))
        self.assertEqual((told["zone_fields"], told["output"]["crs"]), (["FID", "name"], "EPSG:6933"))
        left, off, bow = told["zones"]
        self.assertEqual((left["labels"], self.hectares(left)), (["left"], {1: 1, 3: 1}))
        self.assertEqual((off["outside_share"], off["classified_cells"], off["classes"]), (1, 0, []))
        self.assertIn("Self-intersection", bow["problem"])
        self.assertNotIn("classes", bow)
        self.assertTrue(any("1 zone has no usable outline" in w for w in told["warnings"]))
        source = ogr.Open(self.path("out.gpkg"))
        rows = [(f["label_name"], f["value"], f["area_ha"], f["problem"], f.GetGeometryRef().GetArea()) for f in source.GetLayer(0)]
        self.assertEqual([(r[0], r[1], r[4]) for r in rows], [("left", 1, 20000), ("left", 3, 20000), ("off", None, 10000), ("bow", None, 0)])
        self.assertEqual(source.GetLayer(0).GetSpatialRef().GetAuthorityCode(None), "6933")

    def test_every_layout_and_type_gives_one_table(self):
        codes = more.patches(700, 400, 9, 5)
        texts = set()
        for n, (options, dtype) in enumerate(((("BLOCKYSIZE=1",), gdal.GDT_Byte), (("BLOCKYSIZE=400",), gdal.GDT_Int16), (("TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16"), gdal.GDT_UInt32))):
            self.write(f"{n}.tif", codes, (500000, 30, 0, 4000000, 0, -30), 32633, type="int32", dtype=dtype, options=options)
            self.told(f"{n}.tif", zones=box(500100, 3990000, 515111, 3998765), geometry_crs="EPSG:32633")
            with open(self.path("out.csv"), encoding="utf-8") as file:
                texts.add(file.read())
        self.assertEqual(len(texts), 1)

    def test_few_rows_are_told_of_many_zones(self):
        self.write("a.tif", more.patches(60, 50, 12, 6))
        shapes = {f"{i}-{j}": box(1000000 + 200 * i, 3995000 + 200 * j, 1000200 + 200 * i, 3995200 + 200 * j) for i in range(30) for j in range(25)}
        told = self.told("a.tif", zones=collection(**shapes), geometry_crs="EPSG:6933", zone_id="name")
        self.assertTrue(told["truncated"])
        self.assertLessEqual(sum(len(z["classes"]) for z in told["zones"]), 105)
        self.assertLess(len(json.dumps(told)), 18000)
        self.assertEqual(len({r["zone"] for r in self.table()}), 750)
        self.assertEqual(told["matched_total"], len(self.table()))

    def test_a_raster_without_a_crs_has_cells_and_no_areas(self):
        self.write("bare.tif", [[1, 2], [2, 2]], epsg=None)
        told = self.told("bare.tif")
        self.assertEqual([(c["value"], c["cells"], c["share"]) for c in told["zones"][0]["classes"]], [(2, 3, 0.75), (1, 1, 0.25)])
        self.assertNotIn("area_m2", told["zones"][0]["classes"][0])
        self.assertTrue(any("has no CRS" in w for w in told["warnings"]))
        self.assertNotIn("area_m2", self.table()[0])

    def test_corners_of_a_map_of_the_world_have_no_area(self):
        self.write("world.tif", numpy.ones((160, 320)), (-18040096, 112751, 0, 9020048, 0, -112751), None)
        raster, mollweide = gdal.Open(self.path("world.tif"), gdal.GA_Update), rasters.osr.SpatialReference()
        mollweide.SetFromUserInput("ESRI:54009")
        raster.SetSpatialRef(mollweide)
        del raster
        told = self.told("world.tif")
        self.assertTrue(any("no place on the Earth" in w for w in told["warnings"]))
        earth = 510065621.7e6 / 1e4  # WGS 84, hectares
        self.assertAlmostEqual(told["zones"][0]["classified_ha"] / earth, 1, delta=0.02)

    def test_mistakes_are_named(self):
        self.write("a.tif", [[1, 2], [2, 2]])
        self.write("float.tif", [[1, 2], [2, 2]], type="float32", dtype=gdal.GDT_Float32)
        self.write("many.tif", numpy.arange(1600).reshape(40, 40), type="uint16", dtype=gdal.GDT_UInt16)
        self.write("far.tif", [[1, 2 ** 30]], type="int32", dtype=gdal.GDT_Int32)
        self.write("coarse.tif", [[1]], (1000000, 200, 0, 4000000, 0, -200))
        self.write("scaled.tif", [[1, 2], [2, 2]])
        raster = gdal.Open(self.path("scaled.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetScale(0.5)
        del raster
        a, zone = {"uri": "a.tif"}, box(1000000, 3999800, 1000100, 4000000)
        self.refused((({"uri": "float.tif"}, "band 1 of"), ({"uri": "float.tif"}, "is Float32"), ({"uri": "many.tif"}, "more than 1000 different values"),
                      ({"uri": "far.tif"}, "has the value 1073741824"), ({"uri": "scaled.tif"}, "scale or offset"),
                      ({**a, "against": "coarse.tif"}, "coarse.tif has 1 x 1 cells of 200 by 200"), ({**a, "against": "coarse.tif"}, "a.tif has 2 x 2 cells of 100 by 100"),
                      ({**a, "against": "float.tif"}, "float.tif is Float32"), ({**a, "band": 2}, "no band 2"),
                      ({**a, "zones": zone, "geometry": [1000000, 3999800, 1000100, 4000000]}, "both given"),
                      ({**a, "zones": zone}, "is in degrees"),
                      ({**a, "zones": zone, "geometry_crs": "EPSG:6933", "zone_id": "nothing"}, "no field 'nothing'"),
                      ({**a, "zones": box(0, 0, 1, 1)}, "no zone touches the raster"), ({**a, "geometry": [0, 0, 1, 1], "geometry_crs": "OGC:CRS84"}, "outside"),
                      ({**a, "geometry": {"type": "Point", "coordinates": [1000050, 3999950]}, "geometry_crs": "EPSG:6933"}, "has no area"),
                      ({**a, "classes": {"oak": "Oak"}}, "'oak', which is no whole number"), ({**a, "output": "t.xlsx"}, ".xlsx")))

    @unittest.skipUnless(os.path.isdir(rasters.TEST_DATA), "GDAL_MCP_TEST_DATA is not set")
    def test_land_cover_of_zion_is_that_of_a_fine_grid(self):
        """The park burnt into cells of a twentieth by GDAL, and its area by pyproj."""
        zion = os.path.join(rasters.TEST_DATA, "zion")
        for name in ("nlcd.tif", "zion.gpkg"):
            with open(os.path.join(zion, name), "rb") as source, open(self.path(name), "wb") as target:
                target.write(source.read())
        told = self.told("nlcd.tif", zones="zion.gpkg")
        [park] = told["zones"]
        raster = gdal.Open(self.path("nlcd.tif"))
        codes, g = raster.ReadAsArray(), list(raster.GetGeoTransform())
        outline = gdal.VectorTranslate("/vsimem/park.gpkg", self.path("zion.gpkg"), dstSRS=raster.GetProjection(), format="GPKG")
        shares, step = numpy.zeros(codes.shape), 20
        for row in range(0, codes.shape[0], 50):
            height = min(50, codes.shape[0] - row)
            fine = gdal.GetDriverByName("MEM").Create("", codes.shape[1] * step, height * step, 1, gdal.GDT_Byte)
            fine.SetGeoTransform((g[0], g[1] / step, 0, g[3] + row * g[5], 0, g[5] / step))
            fine.SetProjection(raster.GetProjection())
            gdal.RasterizeLayer(fine, [1], outline.GetLayer(0), burn_values=[1])
            shares[row:row + height] = fine.ReadAsArray().reshape(height, step, -1, step).mean((1, 3))
        del outline
        gdal.Unlink("/vsimem/park.gpkg")
        for c in park["classes"]:
            expected = shares[codes == c["value"]].sum()
            self.assertAlmostEqual(c["cells"], expected, delta=2 + 2e-4 * expected)
        self.assertAlmostEqual(park["classified_cells"] + park["unclassified_cells"], shares.sum(), delta=2e-5 * shares.sum())
        self.assertAlmostEqual((park["classified_ha"] + park["unclassified_ha"]) * 1e4 / park["area_m2"], 1, delta=1e-5)
        source = ogr.Open(self.path("zion.gpkg"))
        feature = source.GetLayer(0).GetNextFeature()
        shape = feature.GetGeometryRef().Clone()
        shape.TransformTo(rasters.crs(4326))
        area = 0
        for part in [shape] if shape.GetGeometryName() == "POLYGON" else [shape.GetGeometryRef(i) for i in range(shape.GetGeometryCount())]:
            for n in range(part.GetGeometryCount()):
                ring = part.GetGeometryRef(n)
                signed, _ = Geod(ellps="WGS84").polygon_area_perimeter(*zip(*[p[:2] for p in ring.GetPoints()]))
                area += abs(signed) * (1 if n == 0 else -1)
        self.assertAlmostEqual(park["area_m2"] / area, 1, delta=1e-5)
        self.assertAlmostEqual(sum(c["share"] for c in park["classes"]), 1, delta=1e-5)
        self.assertTrue(math.isclose(sum(c["area_ha"] for c in park["classes"]), park["classified_ha"], rel_tol=1e-7))

    def test_what_lies_off_the_raster_is_a_share_of_true_area(self):
        """From the equator to 80 degrees, the raster up to 40: sin 40 of sin 80 on a sphere."""
        self.write("a.tif", numpy.ones((40, 90)), (0, 1, 0, 40, 0, -1), 4326)
        [zone] = self.told("a.tif", geometry=[0, 0, 90, 80])["zones"]
        self.assertAlmostEqual(zone["outside_share"], 1 - math.sin(math.radians(40)) / math.sin(math.radians(80)), delta=0.003)
        self.assertAlmostEqual(zone["area_m2"] * (1 - zone["outside_share"]), 1e4 * zone["classified_ha"], delta=1e-5 * zone["area_m2"])

    def test_parts_of_cells_too_large_to_be_even_are_named(self):
        self.write("a.tif", numpy.ones((2, 2)), (10, 5, 0, 60, 0, -5), 4326)
        told = self.told("a.tif", zones=collection(small=box(10.1, 50.1, 10.2, 50.2)))
        [said] = [w for w in told["warnings"] if "add up to" in w]
        self.assertIn("the parts of a cell count as equally large", said)
        told = self.told("a.tif", zones=collection(whole=box(10, 50, 20, 60)))
        self.assertFalse([w for w in told.get("warnings", []) if "add up to" in w])


if __name__ == "__main__":
    session.main()
