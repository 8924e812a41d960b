"""raster_compare against numpy, cell by cell; areas against closed forms; and what it refuses."""
import json
import os
import unittest

import numpy
from osgeo import gdal, osr

import rasters
import session
from raster_traps import A, E2, zone_area
from rasters import write
from session import Claims, Session, good, problem, problem_text

SHAPE = (230, 170)
HERE = (289000.0, 28.5, 0.0, 9121000.0, 0.0, -28.5)


def surface(low, high, dtype, seed):
    return rasters.waves(*SHAPE, low, high, seed).astype(dtype)


def holed(cells, value, row):
    cells = cells.copy()
    cells[row:row + 30, 20:90] = value
    return cells


def pairs():
    """Name, bands before, bands after, dtype, how they are written."""
    for name, dtype, gdal_type, low, high in (("byte", "uint8", gdal.GDT_Byte, 0, 250), ("int16", "int16", gdal.GDT_Int16, -900, 900),
                                              ("uint16", "uint16", gdal.GDT_UInt16, 0, 60000), ("int32", "int32", gdal.GDT_Int32, -2e9, 2e9),
                                              ("uint32", "uint32", gdal.GDT_UInt32, 0, 4e9), ("float", "float32", gdal.GDT_Float32, -5, 5),
                                              ("double", "float64", gdal.GDT_Float64, -1e8, 1e8)):
        yield name, [surface(low, high, dtype, 1)], [surface(low, high, dtype, 2)], gdal_type, {}
    a, b = surface(-900, 900, "int16", 1), surface(-900, 900, "int16", 2)
    yield "nodata", [holed(a, -32768, 10)], [holed(b, -32768, 30)], gdal.GDT_Int16, {"nodata": -32768}
    f, g = surface(-5, 5, "float32", 3), surface(-5, 5, "float32", 4)
    yield "nan", [holed(f, numpy.nan, 10)], [holed(g, numpy.nan, 30)], gdal.GDT_Float32, {"nodata": float("nan")}
    yield "infinite", [holed(f, numpy.inf, 10)], [g], gdal.GDT_Float32, {}
    yield "geographic", [f], [g], gdal.GDT_Float32, {"epsg": 4326, "transform": (-35, 0.001, 0, -7, 0, -0.001)}
    yield "south up", [f], [g], gdal.GDT_Float32, {"transform": (289000, 28.5, 0, 9116000, 0, 28.5)}
    yield "bands", [f, g, f + g], [g, f, f - g], gdal.GDT_Float32, {}
    yield "strips", [f], [f.copy()], gdal.GDT_Float32, {"options": ()}


def missing(cells, nodata):
    lost = ~numpy.isfinite(cells.astype("float64"))
    return lost | (cells == nodata) if nodata is not None and nodata == nodata else lost


def edited(path, edit):
    d = gdal.Open(path, gdal.GA_Update)
    edit(d.GetRasterBand(1))
    d.FlushCache()


def code_names(*names):
    def name(band):
        band.SetCategoryNames(list(names))
    return name


def areas_of(path, shape, step=16):
    """m² of each cell, by the corners of the cell in the middle of step × step: quadrangles in longitude and equal-area latitude."""
    d = gdal.Open(path)
    geographic = d.GetSpatialRef().CloneGeogCS()
    geographic.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    to_degrees = osr.CoordinateTransformation(d.GetSpatialRef(), geographic)
    t, e = d.GetGeoTransform(), E2 ** 0.5
    row, column = (n.ravel() + step / 2 - 0.5 for n in numpy.mgrid[0:shape[0]:step, 0:shape[1]:step])
    corners = []
    for i, k in ((0, 0), (1, 0), (1, 1), (0, 1)):
        places = numpy.stack([t[0] + t[1] * (column + i), t[3] + t[5] * (row + k)], 1)
        longitude, latitude = numpy.radians(numpy.array(to_degrees.TransformPoints(places.tolist()))[:, :2]).T
        s = numpy.sin(latitude)
        corners.append((longitude, A * A * (1 - E2) / 2 * (s / (1 - E2 * s * s) + numpy.arctanh(e * s) / e)))
    corners = [(x - corners[0][0], y - corners[0][1]) for x, y in corners]  # of small numbers, as the areas are
    middle = abs(sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(corners, corners[1:] + corners[:1]))) / 2
    chunks = middle.reshape(-(-shape[0] // step), -1)
    return chunks.repeat(step, 0).repeat(step, 1)[:shape[0], :shape[1]]


class raster_compare(Claims):
    def compare(self, s, mode, **more):
        return s.call("raster_compare", {"before": "a.tif", "after": "b.tif", "mode": mode, "output": "out.tif", "overwrite": True, **more})

    def check_difference(self, told, before, after, lost):
        made = gdal.Open(self.path("out.tif"))
        self.assertEqual(made.RasterCount, len(before))
        for i, (a, b) in enumerate(zip(before, after)):
            cells = made.GetRasterBand(i + 1).ReadAsArray()
            numpy.testing.assert_array_equal(numpy.isnan(cells), lost[i])
            expected = (b.astype("float64") - a.astype("float64"))[~lost[i]]
            numpy.testing.assert_array_equal(cells[~lost[i]], expected.astype(cells.dtype))
            row = told["bands"][i]
            self.assertEqual((row["valid_count"], row["nodata_count"]), ((~lost[i]).sum(), lost[i].sum()))
            self.assertEqual((row["increased"], row["decreased"], row["unchanged"]), ((expected > 0).sum(), (expected < 0).sum(), (expected == 0).sum()))
            self.assertEqual((row["min"], row["max"]), (expected.min(), expected.max()))
            self.assertAlmostEqual(row["mean"], expected.mean(), delta=1e-12 * numpy.abs(expected).max())
            self.assertAlmostEqual(row["std"], expected.std(), delta=1e-12 * numpy.abs(expected).max())

    def test_differences_are_those_of_numpy(self):
        with Session(workspace=self.workspace) as s:
            for name, before, after, dtype, how in pairs():
                with self.subTest(name=name):
                    write(self.path("a.tif"), before, dtype, **how)
                    write(self.path("b.tif"), after, dtype, **how)
                    told = good(self.compare(s, "difference"))
                    nodata = how.get("nodata")
                    self.check_difference(told, before, after, [missing(a, nodata) | missing(b, nodata) for a, b in zip(before, after)])

    def test_windows_that_differ_by_whole_cells(self):
        f, g = surface(-5, 5, "float32", 3), surface(-5, 5, "float32", 4)
        write(self.path("a.tif"), [f], gdal.GDT_Float32, transform=HERE)
        for column, row in ((12, 7), (-12, 7), (30, -40), (-1, -1)):
            with self.subTest(column=column, row=row):
                write(self.path("b.tif"), [g], gdal.GDT_Float32, transform=(HERE[0] + 28.5 * column, 28.5, 0, HERE[3] - 28.5 * row, 0, -28.5))
                with Session(workspace=self.workspace) as s:
                    answer = self.compare(s, "difference")
                told, w = good(answer), good(answer)["window"]
                height, width = f.shape
                ours = f[max(0, row):min(height, height + row), max(0, column):min(width, width + column)]
                theirs = g[max(0, -row):min(height, height - row), max(0, -column):min(width, width - column)]
                self.assertEqual((w["before_column"], w["before_row"], w["after_column"], w["after_row"]), (max(0, column), max(0, row), max(0, -column), max(0, -row)))
                self.check_difference(told, [ours], [theirs], [numpy.zeros(ours.shape, bool)])
                self.assertIn("extents differ", problem_text(answer))
                made = gdal.Open(self.path("out.tif")).GetGeoTransform()
                self.assertAlmostEqual(made[0], HERE[0] + 28.5 * max(0, column), delta=1e-6)
                self.assertAlmostEqual(made[3], HERE[3] - 28.5 * max(0, row), delta=1e-6)

    def test_a_mask_band_is_honoured_in_a_window(self):
        f = surface(1, 5, "float32", 3)
        write(self.path("a.tif"), [f], gdal.GDT_Float32, transform=HERE)
        d = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        d.CreateMaskBand(gdal.GMF_PER_DATASET)
        mask = numpy.full(f.shape, 255, "uint8")
        mask[40:60, 40:60] = 0
        d.GetRasterBand(1).GetMaskBand().WriteArray(mask)
        del d
        write(self.path("b.tif"), [f[10:, 5:]], gdal.GDT_Float32, transform=(HERE[0] + 28.5 * 5, 28.5, 0, HERE[3] - 28.5 * 10, 0, -28.5))
        with Session(workspace=self.workspace) as s:
            row = good(self.compare(s, "difference"))["bands"][0]
        self.assertEqual((row["nodata_count"], row["min"], row["max"]), (400, 0, 0))

    def test_scale_offset_and_units(self):
        a, b = surface(-900, 900, "int16", 1), surface(-900, 900, "int16", 2)
        write(self.path("a.tif"), [a], gdal.GDT_Int16)
        write(self.path("b.tif"), [b], gdal.GDT_Int16)

        def scaled(band):
            band.SetScale(0.1)
            band.SetOffset(-3)
            band.SetUnitType("m")
        edited(self.path("a.tif"), scaled)
        with Session(workspace=self.workspace) as s:
            answer = self.compare(s, "difference")
            row = good(answer)["bands"][0]
            self.assertAlmostEqual(row["mean"], (b - (a * 0.1 - 3)).mean(), delta=1e-9)
            self.assertEqual(row["unit"], "m")
            self.assertIn("scale and offset of band 1", problem_text(answer))
            self.assertIn("states no unit", " ".join(good(answer)["warnings"]))
            edited(self.path("b.tif"), lambda band: band.SetUnitType("metre"))
            self.assertEqual(good(self.compare(s, "difference"))["bands"][0]["unit"], "m")
            edited(self.path("b.tif"), lambda band: band.SetUnitType("ft"))
            p = problem(self.compare(s, "difference"))
            self.assertIn("units differ", p["message"])
            self.assertIn(" ft", p["message"])

    def test_tolerance(self):
        write(self.path("a.tif"), [numpy.zeros((2, 3), "float32")], gdal.GDT_Float32)
        write(self.path("b.tif"), [numpy.array([[0, 0.5, 1], [-0.5, -1, 3]], "float32")], gdal.GDT_Float32)
        with Session(workspace=self.workspace) as s:
            row = good(self.compare(s, "difference", tolerance=0.5))["bands"][0]
        self.assertEqual((row["increased"], row["decreased"], row["unchanged"]), (2, 1, 3))

    def check_changes(self, told, a, b, nodata, areas):
        """areas: m² of each cell, or None."""
        valid = (a != nodata) & (b != nodata)
        made = gdal.Open(self.path("out.tif"))
        cells = made.ReadAsArray()
        numpy.testing.assert_array_equal(cells == 0, ~valid)
        table = made.GetRasterBand(1).GetDefaultRAT()
        found = {(c["from"], c["to"]): c for c in told["changes"]}
        codes, counts = numpy.unique(numpy.stack([a[valid], b[valid]], 1).astype("int64"), axis=0, return_counts=True)
        self.assertEqual(told["matched_total"], len(codes))
        self.assertEqual(table.GetRowCount(), len(codes))
        for place, ((was, now), count) in enumerate(zip(codes.tolist(), counts.tolist())):
            here = valid & (a == was) & (b == now)
            numpy.testing.assert_array_equal(cells[here], place + 1)
            self.assertEqual([table.GetValueAsInt(place, c) for c in (2, 3, 4)], [was, now, count])
            if not told["truncated"]:
                self.assertEqual((found[was, now]["cells"], found[was, now]["value"]), (count, place + 1))
            if areas is not None:
                self.assertAlmostEqual(found[was, now]["area_m2"] / areas[here].sum(), 1, delta=2e-6)
                self.assertAlmostEqual(found[was, now]["area_ha"], found[was, now]["area_m2"] / 1e4, delta=1e-9 * areas.sum())
        for c in told["classes"]:
            was, now = valid & (a == c["value"]), valid & (b == c["value"])
            self.assertEqual([c[k] for k in ("before_cells", "after_cells", "gain_cells", "loss_cells")],
                             [was.sum(), now.sum(), (now & ~was).sum(), (was & ~now).sum()])
            if areas is not None:
                for key, cells_of in (("before_ha", was), ("after_ha", now), ("gain_ha", now & ~was), ("loss_ha", was & ~now)):
                    self.assertAlmostEqual(c[key], areas[cells_of].sum() / 1e4, delta=2e-6 * areas.sum() / 1e4)
        self.assertEqual(told["valid_count"], valid.sum())
        self.assertAlmostEqual(told["unchanged_share"], (a == b)[valid].mean(), delta=1e-12)

    def test_class_changes_are_those_of_numpy(self):
        with Session(workspace=self.workspace) as s:
            for name, dtype, gdal_type, first in (("byte", "uint8", gdal.GDT_Byte, 0), ("int16", "int16", gdal.GDT_Int16, -3), ("uint16", "uint16", gdal.GDT_UInt16, 60000),
                                                  ("int32", "int32", gdal.GDT_Int32, -2000000000), ("uint32", "uint32", gdal.GDT_UInt32, 7)):
                with self.subTest(name=name):
                    a, b = ((rasters.waves(*SHAPE, 0, 5.999, seed) // 1).astype("int64") + first for seed in (1, 5))
                    a, b = holed(a, 0 if name == "byte" else first, 10).astype(dtype), b.astype(dtype)
                    for path, cells in (("a.tif", a), ("b.tif", b)):
                        write(self.path(path), [cells], gdal_type, nodata=first)
                    self.check_changes(good(self.compare(s, "classes")), a, b, first, None)

    def test_areas_are_true(self):
        """Rows of a geographic grid have closed-form areas; so has an equal-area grid."""
        a, b = ((rasters.waves(*SHAPE, 0, 3.999, seed) // 1).astype("uint8") for seed in (1, 5))
        rows = numpy.array([zone_area(61 - 0.01 * (r + 1), 61 - 0.01 * r, 0.01) for r in range(SHAPE[1])])
        for how, areas in (({"epsg": 4269, "transform": (10, 0.01, 0, 61, 0, -0.01)}, numpy.repeat(rows[:, None], SHAPE[0], 1)),
                           ({"epsg": 3035, "transform": (4321000, 100, 0, 3210000, 0, -100)}, numpy.full(a.shape, 1e4))):
            write(self.path("a.tif"), [a], gdal.GDT_Byte, nodata=9, **how)
            write(self.path("b.tif"), [b], gdal.GDT_Byte, nodata=9, **how)
            with Session(workspace=self.workspace) as s:
                told = good(self.compare(s, "classes"))
            self.check_changes(told, a, b, 9, areas)
            self.assertAlmostEqual(told["changed_ha"] / (areas[a != b].sum() / 1e4), 1, delta=2e-6)

    def test_names_of_classes_and_the_map(self):
        a, b = numpy.array([[1, 1], [2, 2]], "uint8"), numpy.array([[1, 2], [2, 1]], "uint8")
        write(self.path("a.tif"), [a], gdal.GDT_Byte)
        write(self.path("b.tif"), [b], gdal.GDT_Byte)
        edited(self.path("a.tif"), code_names("", "Forest", "Water"))
        with Session(workspace=self.workspace) as s:
            answer = s.call("raster_compare", {"before": "a.tif", "after": "b.tif", "mode": "classes"})
            told = good(answer)
            self.assertEqual([(c["from_name"], c.get("to_name"), c["cells"]) for c in told["changes"]],
                             [("Forest", None, 1), ("Forest", None, 1), ("Water", None, 1), ("Water", None, 1)])
            self.assertIn("unchanged cells of the output have values, too: 1, 4;", " ".join(b.get("text", "") for b in answer["content"]))
            statistics = good(s.call("raster_stats", {"uri": told["output"]["uri"]}))["bands"][0]
            self.assertEqual([c["name"] for c in statistics["classes"]], ["Forest, unchanged", "Forest to 2", "Water to 1", "Water, unchanged"])
            edited(self.path("b.tif"), code_names("", "Forest", "Bare rock"))
            warnings = " ".join(good(self.compare(s, "classes"))["warnings"])
            self.assertIn("code 2 is 'Water' before and 'Bare rock' after", warnings)
            write(self.path("b.tif"), [b + 40], gdal.GDT_Byte)
            self.assertIn("different legends", " ".join(good(self.compare(s, "classes"))["warnings"]))

    def test_more_changes_than_a_result_shows(self):
        """63 classes, each to the next: all in the attribute table of the map."""
        a = numpy.tile(numpy.arange(60, dtype="uint8"), (4, 5))
        b = numpy.where(numpy.arange(300) % 7 == 0, a, (a + 1) % 60).astype("uint8")
        write(self.path("a.tif"), [a], gdal.GDT_Byte, nodata=255)
        write(self.path("b.tif"), [b], gdal.GDT_Byte, nodata=255)
        with Session(workspace=self.workspace) as s:
            told = good(self.compare(s, "classes"))
        self.assertTrue(told["truncated"])
        self.assertEqual(len(told["changes"]), 50)
        self.check_changes(told, a, b, 255, None)

    @unittest.skipUnless(rasters.TEST_DATA, "GDAL_MCP_TEST_DATA is not set")
    def test_land_cover_of_zion(self):
        """True hectares against those of cells' corners on the ellipsoid; two legends of one year are no change, and said to be none."""
        zion = os.path.join(rasters.TEST_DATA, "zion")
        source = gdal.Open(os.path.join(zion, "nlcd2011.tif"))
        a, t = source.ReadAsArray(), source.GetGeoTransform()
        b = a.copy()
        b[300:700, 200:600] = numpy.where(a[300:700, 200:600] == 42, 52, a[300:700, 200:600])
        b[100:150] = 255
        how = {"epsg": 26912, "transform": t, "nodata": 255}
        write(self.path("a.tif"), [a], gdal.GDT_Byte, **how)
        write(self.path("b.tif"), [b], gdal.GDT_Byte, **how)
        areas = areas_of(self.path("a.tif"), a.shape)
        with Session(workspace=self.workspace) as s:
            told = good(self.compare(s, "classes"))
            self.check_changes(told, a, b, 255, areas)
            gained = next(c for c in told["classes"] if c["value"] == 52)["gain_ha"]
            moved = (a == 42) & (b == 52)
            self.assertAlmostEqual(gained, areas[moved].sum() / 1e4, delta=2e-6 * gained)
            self.assertGreater(abs(moved.sum() * abs(t[1] * t[5]) / 1e4 - gained), 2e-5 * gained)  # of the plane of the map
            for name in ("nlcd.tif", "nlcd2011.tif"):
                gdal.GetDriverByName("GTiff").CreateCopy(self.path(name), gdal.Open(os.path.join(zion, name)))
            answer = good(s.call("raster_compare", {"before": "nlcd.tif", "after": "nlcd2011.tif", "mode": "classes"}))
            self.assertEqual(answer["unchanged_share"], 0)
            self.assertIn("different legends", " ".join(answer["warnings"]))
            self.assertIn("names no datum", " ".join(answer["warnings"]))

    def test_what_is_refused(self):
        classes, f = (rasters.waves(*SHAPE, 0, 5.999) // 1).astype("uint8"), surface(-5, 5, "float32", 3)
        write(self.path("classes.tif"), [classes], gdal.GDT_Byte, palette={c: (c, c, c, 255) for c in range(6)})
        write(self.path("float.tif"), [f], gdal.GDT_Float32)
        write(self.path("bands.tif"), [f, f], gdal.GDT_Float32)
        write(self.path("coarse.tif"), [f], gdal.GDT_Float32, transform=(289000.0, 30, 0, 9121000, 0, -30))
        write(self.path("shifted.tif"), [f], gdal.GDT_Float32, transform=(289010.0, 28.5, 0, 9121000, 0, -28.5))
        write(self.path("elsewhere.tif"), [f], gdal.GDT_Float32, transform=(289000.0 + 28.5 * 900, 28.5, 0, 9121000, 0, -28.5))
        write(self.path("south.tif"), [f[::-1]], gdal.GDT_Float32, transform=(289000.0, 28.5, 0, 9121000 - 28.5 * SHAPE[1], 0, 28.5))
        write(self.path("zone24.tif"), [f], gdal.GDT_Float32, epsg=31984)
        write(self.path("codes.tif"), [classes, classes], gdal.GDT_Byte)
        for name, west in (("east.tif", 0), ("west.tif", -180)):
            write(self.path(name), [numpy.zeros((180, 360), "float32")], gdal.GDT_Float32, 4326, (west, 1, 0, 90, 0, -1))
        before = self.files()
        with Session(workspace=self.workspace) as s:
            for a, b, mode, more, words in (("classes.tif", "classes.tif", "difference", {}, ("palette", "classes")),
                                            ("float.tif", "float.tif", "classes", {}, ("Float32", "difference")),
                                            ("float.tif", "bands.tif", "difference", {}, ("float.tif has 1", "bands.tif has 2", "'bands'")),
                                            ("float.tif", "bands.tif", "difference", {"bands": [2]}, ("band 2",)),
                                            ("float.tif", "coarse.tif", "difference", {}, ("float.tif", "coarse.tif", '"align_to"', "raster_reproject")),
                                            ("float.tif", "shifted.tif", "difference", {}, ("fraction of a cell", "float.tif", "shifted.tif")),
                                            ("float.tif", "south.tif", "difference", {}, ("from the south", "south.tif", "raster_reproject")),
                                            ("float.tif", "elsewhere.tif", "difference", {}, ("do not overlap",)),
                                            ("float.tif", "zone24.tif", "difference", {}, ("EPSG:31985", "EPSG:31984", '"dst_crs": "EPSG:31985"')),
                                            ("codes.tif", "codes.tif", "classes", {}, ("one band", "'bands'")),
                                            ("classes.tif", "classes.tif", "classes", {"tolerance": 1}, ("tolerance",)),
                                            ("gone.tif", "float.tif", "difference", {}, ("gone.tif",)),
                                            ("east.tif", "west.tif", "difference", {}, ("east.tif run from 0 to 360", "bounds [-180, -90, 180, 90]")),
                                            ("west.tif", "east.tif", "difference", {}, ("east.tif run from 0 to 360", "bounds [-180, -90, 180, 90]")),
                                            ("float.tif", "float.tif", "subtract", {}, ("difference",))):
                with self.subTest(a=a, b=b, mode=mode):
                    p = problem(s.call("raster_compare", {"before": a, "after": b, "mode": mode, "output": "no.tif", **more}))
                    for word in words:
                        self.assertIn(word, p["message"] + p["hint"])
        self.assertEqual(self.files(), before)

    def test_a_raster_from_another_grid_is_named(self):
        codes = numpy.repeat(numpy.array([[1, 2]], "uint8"), [4, 5], 1).repeat(6, 0)
        write(self.path("a.tif"), [codes], gdal.GDT_Byte, transform=(289000, 30, 0, 9121000, 0, -30))
        with Session(workspace=self.workspace) as s:
            for name, grid, warned in (("same.tif", {"align_to": "a.tif"}, False), ("coarse.tif", {"resolution": 50}, True)):
                good(session.run(s, "raster_reproject", {"uri": "a.tif", "dst_crs": "EPSG:31985", "resampling": "nearest", "output": name, **grid}))
                good(session.run(s, "raster_reproject", {"uri": name, "dst_crs": "EPSG:31985", "resampling": "nearest", "align_to": "a.tif", "output": "b.tif", "overwrite": True}))
                told = good(s.call("raster_compare", {"before": "a.tif", "after": "b.tif", "mode": "classes"}))
                self.assertEqual(told["unchanged_share"] < 1, warned)
                self.assertEqual([w for w in told.get("warnings", []) if "another grid" in w],
                                 ["b.tif goes back to cells of another grid (raster_reproject, nearest): a change about a cell wide along a border of classes or an "
                                  "edge may come from that alone"] * warned)
            for before, after in (("a.tif", "x.tif"), ("b.tif", "y.tif")):  # prepared alike
                good(session.run(s, "raster_reproject", {"uri": before, "dst_crs": "EPSG:31985", "resampling": "nearest", "resolution": 50, "output": after}))
            told = good(s.call("raster_compare", {"before": "x.tif", "after": "y.tif", "mode": "classes"}))
            self.assertEqual([w for w in told.get("warnings", []) if " grid" in w],
                             ["the inputs go back to cells of other grids (raster_reproject, nearest): unless these were one, a change about a cell wide along a "
                              "border of classes or an edge may come from that alone"])

    def test_the_corrected_call_works(self):
        f = surface(-5, 5, "float32", 3)
        write(self.path("a.tif"), [f], gdal.GDT_Float32)
        write(self.path("b.tif"), [f], gdal.GDT_Float32, transform=(289010.0, 28.5, 0, 9121000, 0, -28.5))
        with Session(workspace=self.workspace) as s:
            hint = problem(self.compare(s, "difference"))["hint"]
            call = json.loads(hint[hint.index("{"):hint.index("}") + 1])
            made = session.run(s, "raster_reproject", call)
            self.assertEqual(len(good(s.call("raster_compare", {"before": "a.tif", "after": good(made)["output"]["uri"], "mode": "difference"}))["bands"]), 1)


if __name__ == "__main__":
    session.main()
