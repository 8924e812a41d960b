"""raster_sieve against Debian's gdal_sieve.py cell by cell, areas in closed form, and what it refuses."""
import math

import numpy
from osgeo import gdal

import more
import rasters
import session
from more import band_of
from rasters import write


class raster_sieve(more.MoreClaims):
    tool = "raster_sieve"

    def test_a_small_patch_takes_the_class_around_it(self):
        write(self.path("a.tif"), [numpy.array([[1, 1, 1, 1], [1, 2, 2, 1], [1, 1, 1, 3]], "uint8")], gdal.GDT_Byte)
        told = self.told("a.tif", min_size=3)
        self.assertEqual(self.cells().tolist(), [[1] * 4] * 3)
        self.assertEqual((told["min_size"], told["changed_count"], told["valid_count"]), (3, 3, 12))
        rows = {r["value"]: (r["count_before"], r["count_after"]) for r in told["classes"]}
        self.assertEqual(rows, {1: (9, 12), 2: (2, 0), 3: (1, 0)})

    def test_the_cells_are_those_of_gdal_sieve(self):
        names = more.class_rasters(self.workspace)
        self.assertGreaterEqual(len(names), 10)
        for name in names:
            for size, connectedness in ((2, 4), (10, 8), (40, 4)):
                with self.subTest(name=name, size=size, connectedness=connectedness):
                    told = self.told(name, min_size=size, connectedness=connectedness, band=band_of(name))
                    source = name
                    if band_of(name) == 2:
                        self.program("gdal_translate", "-q", "-b", 2, name, "band.tif")
                        source = "band.tif"
                    self.program("gdal_sieve.py", "-q", "-st", size, f"-{connectedness}", source, "theirs.tif")
                    theirs = self.cells("theirs.tif")
                    numpy.testing.assert_array_equal(self.cells(), theirs)
                    before = self.cells(name, band_of(name))
                    self.assertEqual(told["changed_count"], (before != theirs).sum())
                    for row in told["classes"]:
                        self.assertEqual((row["count_before"], row["count_after"]),
                                         ((before == row["value"]).sum(), (theirs == row["value"]).sum()))

    def test_cells_a_mask_hides_stay_hidden(self):
        codes = more.patches(90, 80, 4, 5).astype("uint8")
        write(self.path("a.tif"), [codes], gdal.GDT_Byte, options=())
        raster = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        with_mask = numpy.full(codes.shape, 255, "uint8")
        with_mask[20:50, 30:60] = 0
        gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", "YES")
        raster.CreateMaskBand(gdal.GMF_PER_DATASET)
        gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", None)
        raster.GetRasterBand(1).GetMaskBand().WriteArray(with_mask)
        del raster
        told = self.told("a.tif", min_size=12)
        self.program("gdal_sieve.py", "-q", "-st", 12, "a.tif", "theirs.tif")
        shown = with_mask > 0
        numpy.testing.assert_array_equal(self.cells()[shown], self.cells("theirs.tif")[shown])
        self.assertEqual(told["valid_count"], shown.sum())
        raster = gdal.Open(self.path("out.tif"))
        numpy.testing.assert_array_equal(raster.GetRasterBand(1).GetMaskBand().ReadAsArray() > 0, shown)

    def test_the_areas_are_those_on_the_ellipsoid_and_min_area_counts_by_them(self):
        # UTM zone 25S near its central meridian: 28.5 m on the map are 28.5 / 0.9996 m, or nearly so.
        codes = numpy.zeros((60, 60), "uint8")
        codes[10:12, 10:12] = 1
        codes[20:30, 20:30] = 1
        write(self.path("a.tif"), [codes], gdal.GDT_Byte, epsg=32631, transform=(500000 - 30 * 28.5, 28.5, 0, 5000000, 0, -28.5))
        cell = (28.5 / 0.9996) ** 2
        told = self.told("a.tif", min_area=5 * cell)
        self.assertEqual(told["min_size"], 5)
        self.assertAlmostEqual(told["min_size_area_m2"] / (5 * cell), 1, delta=1e-6)
        self.assertEqual(told["changed_count"], 4)
        rows = {r["value"]: r for r in told["classes"]}
        self.assertAlmostEqual(rows[1]["area_before_m2"] / (104 * cell), 1, delta=1e-6)
        self.assertAlmostEqual(rows[1]["area_after_m2"] / (100 * cell), 1, delta=1e-6)

    def test_cells_of_unequal_size_are_warned_of(self):
        write(self.path("a.tif"), [more.patches(40, 60, 3, 1).astype("uint8")], gdal.GDT_Byte, epsg=4326, transform=(0, 1, 0, 60, 0, -1))
        told = self.told("a.tif", min_area=2e10)
        self.assertIn("cells differ in size", " ".join(told["warnings"]))
        # The middle row lies between 29 and 30 north.
        cell = 111195 * math.cos(math.radians(29.5)) * 110850
        self.assertEqual(told["min_size"], math.ceil(2e10 / cell))

    def test_names_palette_and_nodata_are_kept(self):
        rasters.palette(self.path("a.tif"))
        raster = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetCategoryNames(["water", "sand", "reed"])
        del raster
        told = self.told("a.tif", min_size=5)
        self.assertEqual([r.get("name") for r in told["classes"]][:4], ["water", "sand", "reed", None])
        before, after = gdal.Open(self.path("a.tif")), gdal.Open(self.path("out.tif"))
        self.assertEqual(rasters.entries(after.GetRasterBand(1))[:7], rasters.entries(before.GetRasterBand(1))[:7])
        self.assertEqual(after.GetRasterBand(1).GetCategoryNames()[:3], ["water", "sand", "reed"])

    def test_names_of_an_attribute_table_are_kept_without_its_counts(self):
        write(self.path("a.tif"), [more.patches(40, 60, 3, 1).astype("uint8")], gdal.GDT_Byte)
        raster = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        rasters.class_table(raster.GetRasterBand(1), ["water", "sand", "reed"], first=0)
        del raster
        self.told("a.tif", min_size=5)
        made = gdal.Open(self.path("out.tif"))
        kept = made.GetRasterBand(1).GetDefaultRAT()
        self.assertEqual([kept.GetNameOfCol(c) for c in range(kept.GetColumnCount())], ["value", "name"])
        self.assertEqual([[kept.GetValueAsString(r, c) for c in (0, 1)] for r in range(3)], [["0", "water"], ["1", "sand"], ["2", "reed"]])

    def test_mistakes_are_named(self):
        write(self.path("a.tif"), [numpy.ones((5, 5), "uint8")], gdal.GDT_Byte)
        write(self.path("float.tif"), [rasters.waves(20, 20, 0, 1)], gdal.GDT_Float32)
        more.cut_short(self.path("float.tif"), self.path("broken.tif"))
        more.without_grid(self.path("plain.tif"))
        self.refused((({"uri": "a.tif"}, "neither of 'min_size' and 'min_area'"), ({"uri": "a.tif", "min_size": 3, "min_area": 9.0}, "both"),
                      ({"uri": "a.tif", "min_size": 3, "connectedness": 6}, "'connectedness' is 6"),
                      ({"uri": "float.tif", "min_size": 3}, "holds Float32 values"), ({"uri": "a.tif", "min_size": 3, "band": 2}, "band"),
                      ({"uri": "plain.tif", "min_area": 10.0}, "no CRS"), ({"uri": "broken.tif", "min_size": 3}, "broken.tif")))


if __name__ == "__main__":
    session.main()
