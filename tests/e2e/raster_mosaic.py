"""raster_mosaic against gdal_merge.py, gdalbuildvrt with gdal_translate, gdalwarp and numpy; what the gate asks, and what is refused."""
import os
import subprocess
import unittest
import warnings

import numpy
from osgeo import gdal

import rasters
import session
from session import Claims, Session, follow, good, problem, run

X0, Y0 = 500000.0, 4200000.0
TYPES = {"Byte": "uint8", "Int16": "int16", "UInt16": "uint16", "Int32": "int32", "UInt32": "uint32", "Float32": "float32", "Float64": "float64"}


def scene(height, width, seed, low=1, high=250):
    y, x = numpy.mgrid[0:height, 0:width]
    return low + ((x * 7 + y * 13 + seed * 31) % (high - low))


def at(column, row, cell=30.0, south_up=0):
    """Of a raster whose upper left corner is that cell; with rows from the south if it has `south_up` of them."""
    if south_up:
        return (X0 + column * cell, cell, 0, Y0 - (row + south_up) * cell, 0, cell)
    return (X0 + column * cell, cell, 0, Y0 - row * cell, 0, -cell)


def cells(raster, band=1):
    return raster.GetRasterBand(band).ReadAsArray()


def composed(parts, rule):
    """By numpy: arrays of the mosaic's shape, NaN where one has no data."""
    stack = numpy.stack(parts)
    valid = ~numpy.isnan(stack)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"first": lambda: numpy.take_along_axis(stack, valid.argmax(0)[None], 0)[0],
                "last": lambda: numpy.take_along_axis(stack[::-1], valid[::-1].argmax(0)[None], 0)[0],
                "min": lambda: numpy.nanmin(stack, 0), "max": lambda: numpy.nanmax(stack, 0), "mean": lambda: numpy.nanmean(stack, 0)}[rule]()


class raster_mosaic(Claims):
    def setUp(self):
        super().setUp()
        self.server = Session(workspace=self.workspace)
        self.addCleanup(self.server.close)

    def write(self, name, bands, dtype="Byte", transform=at(0, 0), epsg=32618, **how):
        rasters.write(self.path(name), [b.astype(TYPES[dtype]) for b in bands], getattr(gdal, "GDT_" + dtype), epsg, transform, **how)
        return name

    def change(self, name, change):
        raster = gdal.Open(self.path(name), gdal.GA_Update)
        change(raster.GetRasterBand(1))
        del raster

    def ours(self, names, **arguments):
        told = good(run(self.server, "raster_mosaic", {"uris": names, "output": "ours.tif", "overwrite": True, **arguments}))
        return told, gdal.Open(self.path("ours.tif"))

    def merged(self, names, *options):
        target = self.path("merged.tif")
        if os.path.exists(target):
            os.remove(target)
        subprocess.run(["gdal_merge.py", "-q", "-o", target, *options, *map(self.path, names)], check=True, stdout=subprocess.DEVNULL)
        return gdal.Open(target)

    def built(self, names, *options):
        virtual, target = self.path("built.vrt"), self.path("built.tif")
        subprocess.run(["gdalbuildvrt", "-q", "-overwrite", *options, virtual, *map(self.path, names)], check=True)
        subprocess.run(["gdal_translate", "-q", virtual, target], check=True)
        return gdal.Open(target)

    def same(self, ours, theirs, fill=None):
        """Every valid cell of ours is theirs, and cells without data hold what theirs filled with."""
        self.assertEqual((ours.RasterXSize, ours.RasterYSize, ours.RasterCount), (theirs.RasterXSize, theirs.RasterYSize, theirs.RasterCount))
        numpy.testing.assert_allclose(ours.GetGeoTransform(), theirs.GetGeoTransform(), rtol=0, atol=1e-7)
        for band in range(1, ours.RasterCount + 1):
            valid = ours.GetRasterBand(band).GetMaskBand().ReadAsArray() > 0
            self.assertEqual((cells(ours, band)[valid] != cells(theirs, band)[valid]).sum(), 0)
            if fill is not None:
                self.assertTrue((cells(theirs, band)[~valid] == fill).all())

    def refused(self, names, *words, **arguments):
        before = self.files()
        p = problem(self.server.call("raster_mosaic", {"uris": names, "output": "refused.tif", **arguments}))
        for word in words:
            self.assertIn(word, p["message"] + p["hint"])
        self.assertTrue(p["hint"])
        self.assertEqual(self.files(), before)

    def test_one_raster_twice_is_said(self):
        self.write("one.tif", [scene(30, 40, 1)])
        told, joined = self.ours(["one.tif", "one.tif"])
        self.assertTrue(any("one.tif is given more than once" in w for w in told["warnings"]), told["warnings"])
        self.assertTrue((joined.ReadAsArray() == gdal.Open(self.path("one.tif")).ReadAsArray()).all())

    def test_tiles_are_copied(self):
        for dtype, nodata in (("Byte", None), ("Byte", 0), ("Int16", -32768), ("UInt16", 0), ("Int32", -99999), ("UInt32", 0), ("Float32", -9999),
                              ("Float64", -9999)):
            with self.subTest(dtype=dtype, nodata=nodata):
                names = []
                for k, (column, row) in enumerate(((0, 0), (100, 0), (0, 80), (100, 80))):
                    z = scene(80, 100, k)
                    if nodata is not None:
                        z[10:20, 30:50] = nodata
                    names.append(self.write(f"tile{k}.tif", [z], dtype, at(column, row), nodata=nodata))
                told, ours = self.ours(names)
                options = [] if nodata is None else ["-n", str(nodata), "-a_nodata", str(nodata), "-init", str(nodata)]
                self.same(ours, self.merged(names, *options), nodata)
                self.same(ours, self.built(names), nodata)
                self.assertEqual((told["overlap_count"], told["dtype"]), (0, dtype))
                self.assertEqual(told["gaps_marked"], "none" if nodata is None else "nodata")
                self.assertAlmostEqual(told["gap_share"], 0 if nodata is None else 4 * 200 / (160 * 200), delta=1e-12)
                self.assertEqual([(s["column"], s["row"], s["resampled"]) for s in told["sources"]],
                                 [(0, 0, False), (100, 0, False), (0, 80, False), (100, 80, False)])

    def test_bands_degrees_and_south_up(self):
        names = [self.write(f"rgb{k}.tif", [scene(50, 60, k + s) for s in range(3)], transform=at(60 * k, 0)) for k in range(3)]
        self.same(self.ours(names)[1], self.merged(names))
        self.same(self.ours(names, bands=[3, 1])[1], self.built(names, "-b", "3", "-b", "1"))
        names = []
        for k in range(3):
            z = scene(40, 50, k, -50, 3000).astype(float)
            z[3:7, 3:9] = -9999
            names.append(self.write(f"deg{k}.tif", [z], "Float32", (-35 + k * 50 / 1200, 1 / 1200, 0, -7, 0, -1 / 1200), 4326, nodata=-9999))
        self.same(self.ours(names)[1], self.built(names), -9999)
        lower = scene(50, 60, 2)
        self.write("north.tif", [scene(50, 60, 1)], "Int16", at(0, 0), nodata=-1)
        self.write("south.tif", [lower[::-1]], "Int16", at(0, 50, south_up=50), nodata=-1)
        self.write("flipped.tif", [lower], "Int16", at(0, 50), nodata=-1)
        self.same(self.ours(["north.tif", "south.tif"])[1], self.built(["north.tif", "flipped.tif"]), -1)

    def test_an_offset_in_the_tags_that_the_mosaic_does_not_have_is_told(self):
        self.write("a.tif", [scene(40, 50, 1)], "UInt16", transform=at(0, 0))
        self.write("b.tif", [scene(40, 50, 2)], "UInt16", transform=at(50, 0))
        for name in ("a.tif", "b.tif"):
            file = gdal.Open(self.path(name), gdal.GA_Update)
            file.SetMetadataItem("BOA_ADD_OFFSET", "-1000")
            del file
        told = self.ours(["a.tif", "b.tif"])[0]["warnings"]
        self.assertEqual(len([w for w in told if "a.tif has the tag BOA_ADD_OFFSET = -1000" in w]), 1)

    def test_gaps_are_marked(self):
        self.write("a.tif", [scene(40, 50, 1)], transform=at(0, 0))
        self.write("b.tif", [scene(40, 50, 2)], transform=at(70, 60))
        told, ours = self.ours(["a.tif", "b.tif"])
        self.same(ours, self.merged(["a.tif", "b.tif"]), 0)
        self.assertEqual(told["gaps_marked"], "mask")
        self.assertAlmostEqual(told["gap_share"], 1 - 2 * 2000 / 12000, delta=1e-12)
        _, ours = self.ours(["a.tif", "b.tif"], nodata=0)
        self.same(ours, self.merged(["a.tif", "b.tif"]), 0)
        self.assertEqual(ours.GetRasterBand(1).GetNoDataValue(), 0)
        self.refused(["a.tif", "b.tif"], "cells with data have the value 9,", nodata=9)
        self.refused(["a.tif", "b.tif"], "nodata 300 cannot be stored as Byte", nodata=300)
        self.write("distant.tif", [scene(40, 50, 2)], transform=at(900, 60))
        self.assertIn("nine tenths", " ".join(self.ours(["a.tif", "distant.tif"])[0]["warnings"]))
        for name, column in (("c.tif", 0), ("d.tif", 70)):
            self.write(name, [scene(40, 50, 1)], "Float32", at(column, 0))
        _, ours = self.ours(["c.tif", "d.tif"])
        self.same(ours, self.merged(["c.tif", "d.tif"]), 0)
        self.assertTrue(numpy.isnan(ours.GetRasterBand(1).GetNoDataValue()))

    def test_every_band_has_its_nodata_in_a_format_with_one_for_each(self):
        """Erdas Imagine, where a GeoTIFF has one for all bands."""
        bands = [scene(40, 50, s, 100, 200) for s in range(3)]
        for b in bands:
            b[10:20, 10:30] = -9999
        for name, column in (("a.tif", 0), ("b.tif", 50)):
            self.write(name, bands, "Int16", at(column, 0), nodata=-9999)
        for output in ("three.tif", "three.img"):
            good(run(self.server, "raster_mosaic", {"uris": ["a.tif", "b.tif"], "output": output}))
            made = gdal.Open(self.path(output))
            self.assertEqual([made.GetRasterBand(b).GetNoDataValue() for b in (1, 2, 3)], [-9999] * 3, output)

    def test_alpha_and_masks_stay(self):
        alpha = numpy.full((40, 50), 255)
        alpha[:, 30:] = 0
        colours = (gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand, gdal.GCI_AlphaBand)
        for name, k, a in (("e.tif", 0, alpha), ("f.tif", 30, numpy.full((40, 50), 255))):
            self.write(name, [scene(40, 50, k + s) for s in range(3)] + [a], transform=at(k, 0), colours=colours)
        told, ours = self.ours(["e.tif", "f.tif"])
        self.assertEqual((told["gaps_marked"], told["overlap_count"]), ("alpha", 0))
        e, f = gdal.Open(self.path("e.tif")).ReadAsArray(), gdal.Open(self.path("f.tif")).ReadAsArray()
        numpy.testing.assert_array_equal(ours.ReadAsArray(), numpy.concatenate([e[:, :, :30], f], 2))
        mask = numpy.full((40, 50), 255, "uint8")
        mask[5:10, 5:10] = 0
        self.write("g.tif", [scene(40, 50, 1)], transform=at(0, 0))
        raster = gdal.Open(self.path("g.tif"), gdal.GA_Update)
        raster.CreateMaskBand(gdal.GMF_PER_DATASET)  # g.tif.msk
        raster.GetRasterBand(1).GetMaskBand().WriteArray(mask)
        del raster
        self.write("h.tif", [scene(40, 50, 2)], transform=at(50, 0))
        told, ours = self.ours(["g.tif", "h.tif"])
        self.assertEqual(told["gaps_marked"], "mask")
        valid = ours.GetRasterBand(1).GetMaskBand().ReadAsArray() > 0
        numpy.testing.assert_array_equal(valid, numpy.concatenate([mask > 0, numpy.ones((40, 50), bool)], 1))

    def test_the_rule_decides_where_rasters_overlap(self):
        names, parts = [], []
        for k, (column, row) in enumerate(((0, 0), (40, 10), (20, 30))):
            z = scene(60, 70, 3 * k, -100, 900).astype(float)
            z[20:30, 20:40] = -9999
            names.append(self.write(f"over{k}.tif", [z], "Float32", at(column, row), nodata=-9999))
            part = numpy.full((90, 110), numpy.nan)
            part[row:row + 60, column:column + 70] = numpy.where(z == -9999, numpy.nan, z)
            parts.append(part)
        seen = (~numpy.isnan(numpy.stack(parts))).sum(0)
        spread = composed(parts, "max") - composed(parts, "min")
        overlapping, differing, largest = int((seen > 1).sum()), int((spread > 0).sum()), float(numpy.nanmax(spread))
        row, column = numpy.unravel_index(numpy.nanargmax(spread), spread.shape)
        self.refused(names, f"different values for {differing} of the {overlapping} cells", f"by up to {largest:g}",
                     f"{X0 + 30 * column + 15:g}, {Y0 - 30 * row - 15:.0f}")
        for rule in ("first", "last", "min", "max", "mean"):
            with self.subTest(rule=rule):
                told, ours = self.ours(names, overlap=rule)
                expected = composed(parts, rule).astype("float32")
                numpy.testing.assert_array_equal(cells(ours), numpy.where(numpy.isnan(expected), numpy.float32(-9999), expected))
                self.assertEqual((told["overlap_count"], told["differing_count"], told["largest_difference"]), (overlapping, differing, largest))
                self.assertAlmostEqual(told["gap_share"], (seen == 0).mean(), delta=1e-12)
        self.same(self.ours(names, overlap="last")[1], self.merged(names, "-n", "-9999", "-a_nodata", "-9999", "-init", "-9999"), -9999)

    def test_a_mean_of_directions_is_warned_of(self):
        for name, degrees in (("p.tif", 359), ("q.tif", 1)):
            self.write(name, [numpy.full((4, 5), degrees, "float32")], "Float32", at(0, 0))
            raster = gdal.Open(self.path(name), gdal.GA_Update)
            raster.GetRasterBand(1).SetUnitType("degrees")
            del raster
        told, ours = self.ours(["p.tif", "q.tif"], overlap="mean")
        self.assertIn("holds angles", " ".join(told["warnings"]))
        self.assertNotIn("holds angles", " ".join(self.ours(["p.tif", "q.tif"], overlap="first")[0]["warnings"]))

    def test_rasters_that_agree_need_no_rule(self):
        wide = scene(40, 80, 5)
        self.write("k.tif", [wide[:, :50]], transform=at(0, 0))
        self.write("l.tif", [wide[:, 30:]], transform=at(30, 0))
        told, ours = self.ours(["k.tif", "l.tif"])
        self.assertEqual((told["overlap_count"], told["differing_count"]), (800, 0))
        self.assertNotIn("largest_difference", told)
        numpy.testing.assert_array_equal(cells(ours), wide)

    def test_what_differs_is_levelled_and_said(self):
        self.write("p.tif", [scene(40, 50, 1)], transform=at(0, 0), nodata=0)
        signed = scene(40, 50, 2, -20, 3000)
        signed[3, 3], signed[4, 4] = 0, 5
        self.write("q.tif", [signed], "Int16", at(50, 0), nodata=-32768)
        self.refused(["p.tif", "q.tif"], "cells with data have the value 0,", "nodata")
        self.refused(["p.tif", "q.tif"], "cells with data have the value 5,", nodata=5)
        told, ours = self.ours(["p.tif", "q.tif"], nodata=-32768)
        self.assertEqual((told["dtype"], told["nodata"]), ("Int16", -32768))
        self.assertIn("data types differ (Byte, Int16)", " ".join(told["warnings"]))
        numpy.testing.assert_array_equal(cells(ours), numpy.concatenate([scene(40, 50, 1), signed], 1))
        self.write("q.tif", [scene(40, 50, 2, 1, 3000)], "Int16", at(50, 0), nodata=-32768)
        self.assertIn("nodata of the result is 0", " ".join(self.ours(["p.tif", "q.tif"])[0]["warnings"]))
        self.write("i.tif", [scene(40, 50, 2)], transform=at(20, 0))
        told, _ = self.ours(["p.tif", "i.tif"], overlap="mean")
        self.assertEqual(told["dtype"], "Float32")
        self.assertIn("fractions", " ".join(told["warnings"]))

    def test_bands_are_stacked(self):
        names = [self.write(f"band{k}.tif", [scene(40, 50, k)], "UInt16", at(0, 0)) for k in range(3)]
        _, ours = self.ours(names, separate=True)
        self.same(ours, self.built(names, "-separate"))
        self.assertEqual([ours.GetRasterBand(i).GetDescription() for i in (1, 2, 3)], ["band0", "band1", "band2"])
        self.write("off.tif", [scene(40, 50, 9)], "UInt16", at(10, 5))
        self.refused(["band0.tif", "off.tif"], "one mask for all bands", separate=True)
        self.refused(["band0.tif", "off.tif"], "'separate' stacks", separate=True, overlap="first")
        self.same(self.ours(["band0.tif", "off.tif"], separate=True, nodata=0)[1], self.merged(["band0.tif", "off.tif"], "-separate"), 0)

    def test_grids_that_differ_are_resampled_as_gdalwarp_does(self):
        self.write("fine.tif", [scene(60, 80, 1)], "Float32", at(0, 0), nodata=-9999)
        self.write("shifted.tif", [scene(60, 80, 2)], "Float32", at(80.4, 0.3), nodata=-9999)
        self.write("coarse.tif", [scene(20, 30, 3)], "Float32", at(160 / 3, 0, 90.0), nodata=-9999)
        self.refused(["fine.tif", "shifted.tif"], "the grids differ", "0.4 and 0.3 cells off", "'resampling'")
        self.refused(["fine.tif", "coarse.tif"], "the cell sizes differ", "30 × 30", "90 × 90", "'resolution'")
        for method, theirs in (("nearest", "near"), ("bilinear", "bilinear"), ("cubic", "cubic"), ("average", "average")):
            for names, more, cell in ((["fine.tif", "shifted.tif"], {}, 30), (["fine.tif", "coarse.tif"], {"resolution": 30}, 30),
                                      (["coarse.tif", "fine.tif"], {"resolution": [90, 90]}, 90), (["fine.tif", "coarse.tif"], {"resolution": 45}, 45)):
                with self.subTest(method=method, names=names, **more):
                    told, ours = self.ours(names, resampling=method, overlap="first", **more)
                    t = ours.GetGeoTransform()
                    self.assertAlmostEqual(t[1], cell, delta=1e-9)
                    parts = [self.warped(name, theirs, t, place, (ours.RasterYSize, ours.RasterXSize)) for name, place in zip(names, told["sources"])]
                    expected = composed(parts, "first").astype("float32")
                    numpy.testing.assert_array_equal(cells(ours), numpy.where(numpy.isnan(expected), numpy.float32(-9999), expected))
        told, ours = self.ours(["fine.tif", "shifted.tif"], resampling="cubic", overlap="first")
        self.assertEqual([s["resampled"] for s in told["sources"]], [False, True])
        numpy.testing.assert_array_equal(cells(ours)[:60, :80], scene(60, 80, 1))

    def warped(self, name, method, t, place, shape):
        """By the gdalwarp program over the cells the raster touches: its averages reach up to three small cells beyond the edge."""
        row, column, height, width = (place[k] for k in ("row", "column", "height", "width"))
        box = [t[0] + column * t[1], t[3] + (row + height) * t[5], t[0] + (column + width) * t[1], t[3] + row * t[5]]
        target, own = self.path("warped.tif"), gdal.Open(self.path(name)).GetGeoTransform()[1]
        subprocess.run(["gdalwarp", "-q", "-overwrite", "-r", method, "-et", "0", "-ovr", "NONE", "-wo", f"XSCALE={own / t[1]}",
                        "-wo", f"YSCALE={own / -t[5]}", "-te", *map(repr, box), "-ts", str(width), str(height), self.path(name), target], check=True)
        z = numpy.full(shape, numpy.nan)
        found = cells(gdal.Open(target)).astype(float)
        z[row:row + height, column:column + width] = numpy.where(found == -9999, numpy.nan, found)
        return z

    def test_a_method_is_asked_about_only_if_cells_move(self):
        self.write("a.tif", [scene(40, 50, 1)], "Float32", at(0, 0))
        self.write("b.tif", [scene(40, 50, 2)], "Float32", at(50, 0))
        self.write("c.tif", [scene(40, 50, 2)], "Float32", at(50.5, 0))
        call = {"uris": ["a.tif", "b.tif"], "resampling": "bilinear", "output": "ours.tif", "overwrite": True}
        good(self.server.call("raster_mosaic", call))
        good(self.server.call("raster_mosaic", {**call, "resolution": 30}))
        for more in ({"resolution": 90}, {"uris": ["a.tif", "c.tif"]}):
            asked = problem(self.server.call("raster_mosaic", {**call, **more}))
            self.assertEqual([m["domain"] for m in asked["missing"]], ["resampling"])
        follow(self.server, asked)
        good(self.server.call("raster_mosaic", {**call, "uris": ["a.tif", "c.tif"]}))

    @unittest.skipUnless(rasters.TEST_DATA, "GDAL_MCP_TEST_DATA is not set")
    def test_parts_of_real_scenes_make_the_whole(self):
        for name in ("zion/srtm.tif", "landsat8/l8_B4.tif", "zion/nlcd.tif"):
            with self.subTest(name=name):
                source = os.path.join(rasters.TEST_DATA, name)
                whole = gdal.Open(source)
                middle, centre = whole.RasterXSize // 2, whole.RasterYSize // 2
                names = []
                for k, (column, row) in enumerate(((0, 0), (middle - 9, 0), (0, centre - 7), (middle - 9, centre - 7))):
                    gdal.Translate(self.path(f"part{k}.tif"), whole, srcWin=[column, row, min(middle + 10, whole.RasterXSize - column),
                                                                             min(centre + 8, whole.RasterYSize - row)])
                    names.append(f"part{k}.tif")
                told, ours = self.ours(names)
                numpy.testing.assert_array_equal(cells(ours), whole.ReadAsArray())
                self.assertGreater(told["overlap_count"], 0)
                self.assertEqual(told["differing_count"], 0)

    def test_the_same_place_at_longitudes_a_turn_apart(self):
        for name, west in (("east.tif", 0), ("west.tif", -180), ("pacific.tif", 170), ("fiji.tif", -180)):
            self.write(name, [scene(180, 360 if name in ("east.tif", "west.tif") else 10, 1)], transform=(west, 1, 0, 90, 0, -1), epsg=4326)
        for names in (["east.tif", "west.tif"], ["west.tif", "east.tif"]):
            self.refused(names, "east.tif run from 0 to 360", "bounds [-180, -90, 180, 90]")
        self.ours(["pacific.tif", "fiji.tif"])  # both sides of 180 degrees, far apart on a map

    def test_what_is_refused(self):
        colours = {1: (255, 0, 0, 255), 2: (0, 255, 0, 255)}
        for name, column, palette in (("r.tif", 0, colours), ("s.tif", 50, colours), ("t.tif", 50, {**colours, 1: (0, 0, 255, 255)})):
            self.write(name, [scene(40, 50, 1, 1, 3)], transform=at(column, 0), palette=palette)
        _, ours = self.ours(["r.tif", "s.tif"])
        self.assertEqual(ours.GetRasterBand(1).GetColorTable().GetColorEntry(1), (255, 0, 0, 255))
        for name in ("u.tif", "v.tif"):
            self.write(name, [scene(40, 50, 2)], transform=at(50, 0))
        self.change("u.tif", lambda band: band.SetScale(0.1))
        self.change("v.tif", lambda band: band.SetUnitType("ft"))
        self.write("w.tif", [scene(40, 50, 2)], transform=at(0, 0))
        self.change("w.tif", lambda band: band.SetUnitType("m"))
        self.write("x.tif", [scene(40, 50, 2)] * 2, transform=at(50, 0))
        self.write("y.tif", [scene(40, 50, 2)], transform=at(50, 0), epsg=32617)
        self.write("z.tif", [scene(40, 50, 2)], transform=at(50, 0), epsg=None)
        self.write("turned.tif", [scene(40, 50, 2)], transform=(X0, 30, 5, Y0, 5, -30))
        self.write("far.tif", [scene(40, 50, 2)], transform=(X0 + 3e7, 30, 0, Y0 - 3e7, 0, -30))
        self.refused(["r.tif", "t.tif"], "palettes differ", "r.tif", "t.tif")
        self.refused(["r.tif", "s.tif"], "class codes", overlap="mean")
        for name, column, names in (("p.tif", 0, ["water", "forest"]), ("q.tif", 50, ["forest", "water"]), ("o.tif", 50, ["water", "forest", "reed"])):
            self.write(name, [scene(40, 50, 1, 1, 3)], transform=at(column, 0))
            self.change(name, lambda band: rasters.class_table(band, names))
        self.refused(["p.tif", "q.tif"], "class names differ (code 1 is 'water' and 'forest')")
        told, joined = self.ours(["p.tif", "o.tif"])
        self.assertTrue(any("names classes that" in w for w in told["warnings"]), told["warnings"])
        self.assertEqual(joined.GetRasterBand(1).GetDefaultRAT().GetValueAsString(1, 1), "forest")
        self.refused(["w.tif", "u.tif"], "scale and offset differ (1, 0 and 0.1, 0)")
        self.refused(["w.tif", "v.tif"], "units differ (m and ft)")
        self.refused(["w.tif", "x.tif"], "numbers of bands differ", "has 1", "has 2")
        self.refused(["w.tif", "y.tif"], "EPSG:32618", "EPSG:32617", "raster_reproject")
        self.refused(["w.tif", "z.tif"], "z.tif has no CRS", "EPSG:32618", "src_crs")
        self.refused(["w.tif", "turned.tif"], "rotated")
        self.refused(["w.tif"], "")
        self.refused(["w.tif", "far.tif"], "cells, more than")
        self.refused(["w.tif", "x.tif"], "cells, more than", bands=[1], resolution=1e-300)


if __name__ == "__main__":
    session.main()
