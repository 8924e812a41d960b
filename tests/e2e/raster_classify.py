"""raster_classify against numpy, with closed-form areas, and what it refuses."""
import math
import os

import numpy
from osgeo import gdal, osr

import rasters
import session
from rasters import write
from session import Claims, Session, good, problem


def to_equator(degrees):
    """m² between a latitude of WGS 84 and the equator for one radian of longitude, Snyder (1987) eq. 3-12."""
    e2 = 2 / 298.257223563 - 1 / 298.257223563 ** 2
    e, sine = math.sqrt(e2), math.sin(math.radians(degrees))
    return 6378137.0 ** 2 * (1 - e2) / 2 * (sine / (1 - e2 * sine ** 2) + math.atanh(e * sine) / e)


def expected_codes(cells, breaks):
    return numpy.digitize(cells, breaks) + 1


class raster_classify(Claims):
    def told(self, name, **arguments):
        with Session(workspace=self.workspace) as s:
            return good(s.call("raster_classify", {"uri": name, "output": "out.tif", "overwrite": True, **arguments}))

    def made(self):
        raster = gdal.Open(self.path("out.tif"))
        return raster.ReadAsArray()

    def test_breaks_have_the_codes_of_numpy(self):
        cases = {"float.tif": (rasters.waves(230, 170, -1, 1).astype("float32"), gdal.GDT_Float32, [-0.5, 0, 0.25]),
                 "double.tif": (rasters.waves(230, 170, -1, 1), gdal.GDT_Float64, [-0.5, 0, 0.1]),
                 "int16.tif": (rasters.waves(230, 170, -300, 900).astype("int16"), gdal.GDT_Int16, [0, 100, 500]),
                 "byte.tif": (rasters.waves(230, 170, 0, 255).astype("uint8"), gdal.GDT_Byte, [10, 200]),
                 "uint16.tif": (rasters.waves(230, 170, 0, 60000).astype("uint16"), gdal.GDT_UInt16, [1, 40000]),
                 "int32.tif": (rasters.waves(230, 170, -2e9, 2e9).astype("int32"), gdal.GDT_Int32, [-1000000007, 0, 5]),
                 "row.tif": (rasters.waves(230, 1, 0, 1).astype("float32"), gdal.GDT_Float32, [0.5]),
                 "dot.tif": (numpy.full((1, 1), 0.5), gdal.GDT_Float64, [0.5]),
                 "long.tif": (rasters.waves(40, 900, 0, 9).astype("float32"), gdal.GDT_Float32, [1, 2, 3, 4, 5, 6, 7, 8]),
                 "uint32.tif": (rasters.waves(230, 170, 0, 4e9).astype("uint32"), gdal.GDT_UInt32, [1000000007, 3e9])}
        for name, (cells, dtype, breaks) in cases.items():
            with self.subTest(name=name):
                write(self.path(name), [cells], dtype)
                told = self.told(name, breaks=breaks)
                stored = cells.astype("float64") if cells.dtype.kind != "f" else cells
                expected = expected_codes(stored, numpy.array(breaks, stored.dtype))
                numpy.testing.assert_array_equal(self.made(), expected)
                self.assertEqual([c["count"] for c in told["classes"]], [(expected == c["value"]).sum() for c in told["classes"]])
                self.assertEqual(told["breaks"], breaks)

    def test_quantiles_and_intervals_are_those_of_numpy(self):
        cells = rasters.waves(230, 170, 3, 90).astype("float32")
        cells[:20, :20] = -9999
        write(self.path("a.tif"), [cells], gdal.GDT_Float32, nodata=-9999)
        valid = cells[cells != -9999].astype("float64")
        told = self.told("a.tif", method="quantile", classes=4)
        numpy.testing.assert_allclose(told["breaks"], numpy.percentile(valid, [25, 50, 75]), rtol=1e-12)
        self.assertEqual(told["nodata_count"], 400)
        self.assertTrue((self.made()[:20, :20] == told["nodata"]).all())
        told = self.told("a.tif", method="equal interval", classes=3)
        numpy.testing.assert_allclose(told["breaks"], numpy.linspace(valid.min(), valid.max(), 4)[1:3], rtol=1e-12)
        self.assertEqual(sum(c["count"] for c in told["classes"]), valid.size)

    def test_otsu_s_break_is_the_best_of_all(self):
        cells = rasters.waves(230, 170, 0, 200).astype("uint8")
        write(self.path("a.tif"), [cells], gdal.GDT_Byte)
        told = self.told("a.tif", method="otsu")
        def within(t):
            low, high = cells[cells < t].astype("float64"), cells[cells >= t].astype("float64")
            return ((low - low.mean()) ** 2).sum() + ((high - high.mean()) ** 2).sum()
        best = min(range(1, 201), key=within)
        below, above = cells[cells < best].max(), cells[cells >= best].min()
        self.assertTrue(below < told["breaks"][0] <= above, told["breaks"])

    def test_rules_bring_codes_together_and_leave_the_rest_out(self):
        write(self.path("a.tif"), [numpy.array([[1, 2, 3], [4, 5, 6]], "uint8")], gdal.GDT_Byte, epsg=4326, transform=(10, 1, 0, 61, 0, -1))
        told = self.told("a.tif", rules=[{"max": 3, "value": 0, "label": "low"}, {"min": 4, "max": 5, "value": 200}, {"min": 6, "value": 0, "label": "top"}])
        self.assertEqual(told["dtype"], "Byte")
        self.assertEqual(self.made().tolist(), [[0, 0, told["nodata"]], [200, told["nodata"], 0]])
        self.assertEqual(told["outside_count"], 2)
        low = told["classes"][0]
        self.assertEqual((low["value"], low["count"], low["label"]), (0, 3, "low, top"))
        self.assertNotIn("from", low)
        # Two cells of a degree between 60 and 61 north, and one between 59 and 60.
        area = math.radians(1) * (2 * (to_equator(61) - to_equator(60)) + to_equator(60) - to_equator(59))
        self.assertAlmostEqual(low["area_m2"] / area, 1, delta=1e-8)
        raster = gdal.Open(self.path("out.tif"))
        self.assertEqual(gdal.Info(raster, format="json")["bands"][0]["categories"][0], "low, top")
        self.assertTrue(raster.GetRasterBand(1).GetColorTable())

    def test_a_cell_that_equals_a_break_belongs_to_the_class_above(self):
        write(self.path("tenths.tif"), [numpy.arange(1, 11).reshape(1, 10).astype("float32") / numpy.float32(10)], gdal.GDT_Float32)
        for tenths in range(2, 10):
            self.assertEqual([c["count"] for c in self.told("tenths.tif", breaks=[tenths / 10])["classes"]], [tenths - 1, 11 - tenths])
        self.assertEqual([c["count"] for c in self.told("tenths.tif", rules=[{"min": 0.3, "max": 0.7, "value": 1}])["classes"]], [4])

    def test_codes_that_nobody_declared_are_warned_of(self):
        codes = numpy.random.default_rng(3).choice([11, 21, 41, 42, 81], size=(60, 60)).astype("uint8")
        write(self.path("cover.tif"), [codes], gdal.GDT_Byte)
        self.assertIn("class codes", " ".join(self.told("cover.tif", method="kmeans", classes=3)["warnings"]))
        self.assertEqual(self.told("cover.tif", breaks=[40])["warnings"], [])

    def test_an_outlier_that_leaves_too_few_bins_is_named(self):
        cells = numpy.arange(100, dtype="float32").reshape(10, 10)
        cells[0, 0] = 1e6
        write(self.path("outlier.tif"), [cells], gdal.GDT_Float32)
        with Session(workspace=self.workspace) as s:
            p = problem(s.call("raster_classify", {"uri": "outlier.tif", "method": "kmeans", "classes": 3}))
            self.assertIn("2 of the 1024 bins between 1 and 1e+06", p["message"])
            self.assertIn("nodata", p["hint"])

    def test_codes_beyond_bytes_need_16_bits_and_few_words(self):
        write(self.path("a.tif"), [numpy.array([[1, 2]], "uint8")], gdal.GDT_Byte)
        self.assertEqual(self.told("a.tif", rules=[{"max": 2, "value": 0}, {"min": 2, "value": 65534}])["dtype"], "UInt16")
        self.assertEqual(self.made().tolist(), [[0, 65534]])
        self.assertFalse(os.path.exists(self.path("out.tif.aux.xml")))

    def test_scale_and_offset_are_applied(self):
        write(self.path("a.tif"), [numpy.arange(100, dtype="int16").reshape(10, 10)], gdal.GDT_Int16)
        raster = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetScale(-0.5)
        raster.GetRasterBand(1).SetOffset(10)
        del raster
        self.told("a.tif", breaks=[0])
        numpy.testing.assert_array_equal(self.made(), expected_codes(numpy.arange(100).reshape(10, 10) * -0.5 + 10, [0]))
        self.assertEqual([c["count"] for c in self.told("a.tif", method="equal_interval", classes=4)["classes"]], [25] * 4)
        self.assertEqual(self.told("a.tif", breaks=[0])["warnings"], [])
        for dtype, kind in (("uint16", gdal.GDT_UInt16), ("int32", gdal.GDT_Int32), ("float32", gdal.GDT_Float32), ("float64", gdal.GDT_Float64)):
            write(self.path("b.tif"), [numpy.arange(100, dtype=dtype).reshape(10, 10)], kind)
            raster = gdal.Open(self.path("b.tif"), gdal.GA_Update)
            raster.GetRasterBand(1).SetScale(0.1)
            del raster
            with self.subTest(dtype):  # 0 to 9.9: below 3, to 8, above
                self.assertEqual([c["count"] for c in self.told("b.tif", breaks=[3.05, 7.95])["classes"]], [31, 49, 20])
        self.assertIn("2 of the 3 classes have no cell: limits are real values, of stored ones × -0.5 + 10",
                      " ".join(self.told("a.tif", breaks=[2000, 4000])["warnings"]))

    def test_directions_have_no_ends_for_a_method(self):
        write(self.path("aspect.tif"), [numpy.linspace(0, 359, 400).reshape(20, 20).astype("float32")], gdal.GDT_Float32)
        raster = gdal.Open(self.path("aspect.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetDescription("aspect")
        del raster
        self.assertIn("359 and 1 are neighbours: kmeans", " ".join(self.told("aspect.tif", method="kmeans", classes=4)["warnings"]))
        self.assertEqual(self.told("aspect.tif", breaks=[90, 180, 270])["warnings"], [])

    def test_mistakes_are_named(self):
        rasters.palette(self.path("classes.tif"))
        write(self.path("level.tif"), [numpy.full((9, 9), 4.0)], gdal.GDT_Float32)
        with Session(workspace=self.workspace) as s:
            for arguments, words in (({"uri": "level.tif"}, "none of"), ({"uri": "level.tif", "breaks": [1], "method": "otsu"}, "more than one"),
                                     ({"uri": "level.tif", "method": "otsu"}, "every cell has the value 4"), ({"uri": "level.tif", "breaks": [3, 2]}, "ascend"),
                                     ({"uri": "classes.tif", "method": "kmeans"}, "class codes"), ({"uri": "level.tif", "breaks": [1], "classes": 3}, "without 'method'"),
                                     ({"uri": "level.tif", "rules": [{"min": 5, "max": 5, "value": 1}]}, "no value fits"),
                                     ({"uri": "level.tif", "rules": [{"max": 5, "value": 1}, {"min": 4, "value": 2}]}, "overlap")):
                with self.subTest(arguments=arguments):
                    p = problem(s.call("raster_classify", arguments))
                    self.assertIn(words, p["message"])
                    self.assertTrue(p["hint"])

    def unasked(self):
        policy = os.path.join(self.folder.name, "policy.yaml")
        with open(policy, "w") as f:
            f.write("domains: {crs_datum: {off: true}, resampling: {off: true}}\n")
        return Session("--policy", policy, workspace=self.workspace)

    def test_a_world_in_longitudes_to_360_is_whole_in_an_equal_area_crs(self):
        """A grid of ones has the area of the Earth, wherever its longitudes begin; cells at the outline of the map as well."""
        for west in (-180, 0, -1):
            write(self.path("ones.tif"), [numpy.ones((45, 90), "float32")], gdal.GDT_Float32, epsg=4326, transform=(west, 4, 0, 90, 0, -4), nodata=-9)
            for crs in ("EPSG:8857", "ESRI:54009", "+proj=robin +lon_0=180"):
                with self.subTest(west=west, crs=crs), self.unasked() as s:
                    good(s.call("raster_reproject", {"uri": "ones.tif", "dst_crs": crs, "resampling": "nearest", "output": "world.tif", "overwrite": True}))
                    world = gdal.Open(self.path("world.tif"))
                    self.assertEqual(list(world.ReadAsArray()[[0, 0, -1, -1], [0, -1, 0, -1]]), [-9] * 4)  # beyond the outline
                    told = good(s.call("raster_classify", {"uri": "world.tif", "breaks": [0], "output": "out.tif", "overwrite": True}))
                    share = told["classes"][1]["area_m2"] / (4 * math.pi * to_equator(90))
                    self.assertTrue(0.98 < share < 1.005, share)
                    self.assertEqual(any("times the ground" in w for w in told["warnings"]), "robin" in crs)

    def reprojected(self, s, name, **arguments):
        made = good(s.call("raster_reproject", {"uri": name, "resampling": "nearest", "output": "out.tif", "overwrite": True, **arguments}))
        return made, gdal.Open(self.path("out.tif")).ReadAsArray()

    def test_a_world_stays_one_turn_wide_and_ends_before_a_pole_at_infinity(self):
        longitudes = numpy.broadcast_to(numpy.arange(0, 360, 2) + 1.0, (90, 180)).astype("float32")
        for west in (-180, 0):
            write(self.path("world.tif"), [numpy.roll(longitudes, -west // 2, axis=1)], gdal.GDT_Float32, epsg=4326, transform=(west, 2, 0, 90, 0, -2))
            with self.subTest(west=west), self.unasked() as s:
                for crs in ("EPSG:4326", "EPSG:4258"):
                    made, cells = self.reprojected(s, "world.tif", dst_crs=crs, resolution=[6, 6], allow_ballpark=True)
                    self.assertEqual((made["width"], made["height"], made["bounds"]["native"]), (60, 30, [west, -90, west + 360, 90]))
                    self.assertAlmostEqual(float(cells.mean()), 180, delta=0.01)
                made, cells = self.reprojected(s, "world.tif", dst_crs="EPSG:3857", resolution=[100000, 100000])
                edge = 20037508.34
                numpy.testing.assert_allclose(made["bounds"]["native"], [-edge, -edge, edge, edge], atol=100000)
                self.assertTrue(numpy.isfinite(cells).all())
                self.assertIn("the source reaches a pole, where EPSG:3857 has no end: the result ends at its area of use, latitudes -85.06 to 85.06",
                              " ".join(made["warnings"]))

    def test_a_sum_that_does_not_keep_the_total_says_so(self):
        write(self.path("ones.tif"), [numpy.ones((90, 180), "float32")], gdal.GDT_Float32, epsg=4326, transform=(-180, 2, 0, 90, 0, -2))
        for crs, cell, keeps in (("EPSG:4326", 4, True), ("EPSG:8857", 200000, False)):
            with self.subTest(crs=crs), self.unasked() as s:
                made, cells = self.reprojected(s, "ones.tif", dst_crs=crs, resolution=[cell, cell], resampling="sum")
                total = float(numpy.nansum(cells))
                self.assertEqual(abs(total - 90 * 180) < 1, keeps, total)
                said = [w for w in made["warnings"] if "adds up to" in w]
                self.assertEqual(bool(said), not keeps, made["warnings"])
                if said:
                    self.assertIn(f"adds up to {total:.6g}, that of", said[0])
                    self.assertIn("to 16200: where the total counts, sum the input itself", said[0])

    def test_bounds_in_another_crs_hold_all_of_the_box(self):
        """Places in the box, the bent middle of a side and a corner among them, lie within the result."""
        write(self.path("world.tif"), [numpy.ones((90, 180), "float32")], gdal.GDT_Float32, epsg=4326, transform=(-180, 2, 0, 90, 0, -2))
        write(self.path("east.tif"), [numpy.ones((90, 180), "float32")], gdal.GDT_Float32, epsg=4326, transform=(0, 2, 0, 90, 0, -2))
        cases = (("EPSG:5070", [-125, 24, -66.5, 49.5], ((-97.5, 25.9), (-80.19, 25.76), (-66.5, 24))),
                 ("EPSG:3035", [-30, 30, 40, 72], ((40, 30), (40, 72), (10, 30))),
                 ("EPSG:3413", [-180, 60, 180, 90], ((-45, 60), (45, 60), (135, 60), (0, 90))),
                 ("EPSG:3031", [-180, -90, 180, -60], ((0, -60), (90, -60), (-90, -60))),
                 ("EPSG:2193", [160, -50, -170, -30], ((175, -40), (-171, -49), (161, -31))))
        for crs, bounds, places in cases:
            to = osr.CoordinateTransformation(rasters.crs(4326), rasters.crs(crs))
            for name in ("world.tif", "east.tif"):
                with self.subTest(crs=crs, name=name), self.unasked() as s:
                    made, cells = self.reprojected(s, name, dst_crs=crs, bounds=bounds, bounds_crs="EPSG:4326")
                    minx, miny, maxx, maxy = made["bounds"]["native"]
                    for place in places:
                        x, y, _ = to.TransformPoint(*place)
                        self.assertTrue(minx - 2 <= x <= maxx + 2 and miny - 2 <= y <= maxy + 2, (place, x, y, made["bounds"]["native"]))
                    self.assertGreater(numpy.isfinite(cells).mean(), 0.99)  # but for the pole itself
        # Beyond the outline of a map of the world there is nothing, whoever says how far the result reaches.
        for crs, x, y in (("EPSG:8857", 17243959, 8392927), ("ESRI:54008", 20037508, 10001966)):
            for name in ("world.tif", "east.tif"):
                with self.subTest(crs=crs, name=name), self.unasked() as s:
                    _, cells = self.reprojected(s, name, dst_crs=crs, bounds=[-x, -y, x, y], resolution=[200000, 200000])
                    self.assertFalse(numpy.isfinite(cells[[0, 0, -1, -1], [0, -1, 0, -1]]).any())
                    self.assertGreater(numpy.isfinite(cells[len(cells) // 2]).mean(), 0.99)
        with self.unasked() as s:
            refused = problem(s.call("raster_reproject", {"uri": "world.tif", "dst_crs": "EPSG:3857", "resampling": "nearest", "bounds": [-180, -90, 180, 90],
                                                          "bounds_crs": "EPSG:4326", "output": "no.tif"}))
            self.assertIn("reaches to where EPSG:3857 has no place or no end", refused["message"])
            rasters.parcels(self.path("parcels.gpkg"))
            refused = problem(s.call("raster_reproject", {"uri": "east.tif", "dst_crs": "EPSG:6933", "resampling": "nearest", "cutline": "parcels.gpkg",
                                                          "output": "no.tif"}))
            self.assertIn("and would miss the cells of", refused["message"])

    def test_a_world_in_a_polar_crs_ends_at_its_area_of_use(self):
        write(self.path("ones.tif"), [numpy.ones((45, 90), "float32")], gdal.GDT_Float32, epsg=4326, transform=(-180, 4, 0, 90, 0, -4), nodata=-9)
        with self.unasked() as s:
            asked = {"uri": "ones.tif", "dst_crs": "EPSG:3413", "resampling": "nearest", "output": "north.tif"}
            told = good(s.call("raster_reproject", asked))
            self.assertIn("the source reaches a pole, where EPSG:3413 has no end: the result ends at its area of use, latitudes 60 to 90; 'bounds' chooses others",
                          told["warnings"])
            box = {"bounds": [-180, 60, 180, 90], "bounds_crs": "EPSG:4326", "output": "asked.tif"}
            self.assertEqual(good(s.call("raster_reproject", {**asked, **box}))["bounds"], told["bounds"])
        numpy.testing.assert_array_equal(*(gdal.Open(self.path(name)).ReadAsArray() for name in ("north.tif", "asked.tif")))


if __name__ == "__main__":
    session.main()
