"""raster_fill_nodata against Debian's gdal_fillnodata.py cell by cell, and what it refuses."""
import unittest

import numpy
from osgeo import gdal

import more
import rasters
import session
from more import band_of
from rasters import waves, write


class raster_fill_nodata(more.MoreClaims):
    tool = "raster_fill_nodata"

    def surfaces(self):
        """Names of rasters with gaps: every type, a small gap, a wide one, an edge, speckle, geographic, a second band."""
        names = []

        def add(name, cells, dtype, none, **how):
            write(self.path(name), cells if isinstance(cells, list) else [cells], dtype, nodata=none, **how)
            names.append(name)

        def gaps(cells, none, seed=3):
            cells[10:14, 20:23] = none
            cells[30:60, 40:70] = none
            cells[:, :4] = none
            cells[numpy.random.default_rng(seed).random(cells.shape) < 0.02] = none
            return cells

        add("byte.tif", gaps(waves(120, 90, 1, 250).astype("uint8"), 0), gdal.GDT_Byte, 0)
        add("int16.tif", gaps(waves(120, 90, -300, 900).astype("int16"), -32768), gdal.GDT_Int16, -32768)
        add("uint16.tif", gaps(waves(120, 90, 10, 60000).astype("uint16"), 65535), gdal.GDT_UInt16, 65535)
        add("int32.tif", gaps(waves(120, 90, -2e9, 2e9).astype("int32"), -2147483648), gdal.GDT_Int32, -2147483648)
        add("uint32.tif", gaps(waves(120, 90, 0, 4e9).astype("uint32"), 4294967295), gdal.GDT_UInt32, 4294967295)
        add("float.tif", gaps(waves(120, 90, -1, 1).astype("float32"), -9999), gdal.GDT_Float32, -9999)
        add("double.tif", gaps(waves(120, 90, -1, 1), -1e30), gdal.GDT_Float64, -1e30)
        add("nan.tif", gaps(waves(120, 90, -1, 1).astype("float32"), numpy.nan), gdal.GDT_Float32, numpy.nan)
        add("geographic.tif", gaps(waves(120, 90, 0, 3000).astype("float32"), -9999), gdal.GDT_Float32, -9999, epsg=4326,
            transform=(-35.1, 0.00025, 0, -7.9, 0, -0.00025))
        add("wide.tif", gaps(waves(400, 130, 0, 30).astype("float32"), -9999), gdal.GDT_Float32, -9999)
        add("south_up.tif", gaps(waves(120, 90, 0, 30).astype("float32"), -9999), gdal.GDT_Float32, -9999,
            transform=(289000.0, 30, 0, 9116000.0, 0, 30))
        add("second_band.tif", [waves(120, 90, 0, 1).astype("float32"), gaps(waves(120, 90, 0, 30).astype("float32"), -9999)],
            gdal.GDT_Float32, -9999)
        return names

    def test_a_gap_between_two_values_lies_between_them(self):
        write(self.path("a.tif"), [numpy.array([[2, -1, 4], [2, -1, 4], [2, -1, 4]], "float32")], gdal.GDT_Float32, nodata=-1)
        told = self.told("a.tif")
        cells = self.cells()
        self.assertEqual(cells[:, 0].tolist() + cells[:, 2].tolist(), [2] * 3 + [4] * 3)
        self.assertEqual(cells[1, 1], 3)
        self.assertEqual((told["filled_count"], told["remaining_count"], told["known_count"]), (3, 0, 6))

    def test_cells_behind_a_mask_are_counted_as_cells(self):
        write(self.path("a.tif"), [numpy.array([[2, 9, 4], [2, 9, 4], [2, 9, 4]], "float32")], gdal.GDT_Float32)
        masked = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        masked.CreateMaskBand(gdal.GMF_PER_DATASET)
        masked.GetRasterBand(1).GetMaskBand().WriteArray(numpy.array([[255, 0, 255]] * 3, "uint8"))
        del masked
        told = self.told("a.tif")
        self.assertEqual((told["filled_count"], told["remaining_count"], told["known_count"]), (3, 0, 6))

    def test_the_cells_are_those_of_gdal_fillnodata(self):
        names = self.surfaces()
        self.assertGreaterEqual(len(names), 10)
        for name in names:
            for distance, smoothing in ((100, 0), (5, 2)):
                with self.subTest(name=name, distance=distance):
                    told = self.told(name, max_distance=distance, smoothing=smoothing, band=band_of(name))
                    self.program("gdal_fillnodata.py", "-q", "-md", distance, "-si", smoothing, "-b", band_of(name), name, "theirs.tif")
                    theirs, before = self.cells("theirs.tif"), self.cells(name, band_of(name))
                    ours = self.cells()
                    raster = gdal.Open(self.path(name))
                    none = raster.GetRasterBand(1).GetNoDataValue()
                    missing = lambda cells: numpy.isnan(cells) if none != none else cells == none
                    # GDAL filters in single precision, which must not change cells with data or the nodata value.
                    known = ~missing(before)
                    numpy.testing.assert_array_equal(ours[known], before[known])
                    theirs[known] = before[known]
                    theirs[theirs == numpy.float32(none)] = none
                    numpy.testing.assert_array_equal(ours, theirs)
                    self.assertEqual(told["known_count"], (~missing(before)).sum())
                    self.assertEqual(told["remaining_count"], missing(theirs).sum())
                    self.assertEqual(told["filled_count"], missing(before).sum() - missing(theirs).sum())
                    filled = theirs[missing(before) & ~missing(theirs)]
                    self.assertAlmostEqual(told["filled_min"], filled.min(), places=6)
                    self.assertAlmostEqual(told["filled_max"], filled.max(), places=6)

    def test_scale_unit_and_offset_stay(self):
        cells = waves(60, 50, 100, 2000).astype("int16")
        cells[20:24, 20:24] = -1
        write(self.path("a.tif"), [cells], gdal.GDT_Int16, nodata=-1)
        raster = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetScale(0.5)
        raster.GetRasterBand(1).SetOffset(10)
        raster.GetRasterBand(1).SetUnitType("m")
        del raster
        told = self.told("a.tif")
        raster = gdal.Open(self.path("out.tif"))
        band = raster.GetRasterBand(1)
        self.assertEqual((band.GetScale(), band.GetOffset(), band.GetUnitType(), band.GetNoDataValue()), (0.5, 10, "m", -1))
        self.assertEqual(told["filled_max"], self.cells()[20:24, 20:24].max() * 0.5 + 10)

    def test_cells_a_mask_hides_are_filled(self):
        cells = waves(60, 50, 1, 200).astype("uint8")
        write(self.path("a.tif"), [cells], gdal.GDT_Byte, options=())
        raster = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        raster.CreateMaskBand(gdal.GMF_PER_DATASET)
        shown = numpy.full(cells.shape, 255, "uint8")
        shown[20:24, 20:24] = 0
        raster.GetRasterBand(1).GetMaskBand().WriteArray(shown)
        del raster
        told = self.told("a.tif")
        self.assertEqual((told["filled_count"], told["remaining_count"]), (16, 0))
        numpy.testing.assert_array_equal(self.cells()[shown > 0], cells[shown > 0])

    def test_a_raster_without_gaps_is_copied_and_one_without_data_too(self):
        write(self.path("full.tif"), [waves(30, 20, 0, 1).astype("float32")], gdal.GDT_Float32, nodata=-1)
        self.assertIn("no cell is without data", " ".join(self.told("full.tif")["warnings"]))
        write(self.path("none.tif"), [numpy.full((20, 30), -1, "float32")], gdal.GDT_Float32, nodata=-1)
        told = self.told("none.tif")
        self.assertIn("no cell has data", " ".join(told["warnings"]))
        self.assertNotIn("filled_min", told)

    @unittest.skipUnless(int(gdal.VersionInfo()) >= 3090000, "GDAL fills with the nearest value from 3.9 on")
    def test_classes_are_filled_with_one_of_their_neighbours(self):
        rasters.palette(self.path("classes.tif"))
        raster = gdal.Open(self.path("classes.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetNoDataValue(3)
        del raster
        told = self.told("classes.tif", method="nearest")
        self.assertEqual(told["remaining_count"], 0)
        self.assertLessEqual(set(numpy.unique(self.cells())), {0, 1, 2, 4, 5, 6})

    def test_whole_numbers_that_may_be_codes_and_angles_are_averaged_with_a_warning(self):
        cells = waves(60, 50, 1, 200).astype("uint8")
        cells[20:24, 20:24] = 0
        write(self.path("a.tif"), [cells], gdal.GDT_Byte, nodata=0)
        self.assertIn("wrong if they are codes", " ".join(self.told("a.tif")["warnings"]))
        raster = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetUnitType("degrees")
        del raster
        self.assertIn("angles", " ".join(self.told("a.tif")["warnings"]))
        write(self.path("b.tif"), [cells.astype("float32")], gdal.GDT_Float32, nodata=0)
        self.assertEqual(self.told("b.tif")["warnings"], [])

    def test_infinite_cells_are_gaps(self):
        cells = numpy.full((9, 9), 5, "float32")
        cells[4, 4] = numpy.inf
        write(self.path("a.tif"), [cells], gdal.GDT_Float32)
        told = self.told("a.tif")
        self.assertEqual((told["known_count"], told["filled_count"], told["filled_max"]), (80, 1, 5))
        self.assertIn("infinite", " ".join(told["warnings"]))

    def test_mistakes_are_named(self):
        rasters.palette(self.path("classes.tif"))
        rasters.float32_nodata(self.path("float.tif"))
        more.cut_short(self.path("float.tif"), self.path("broken.tif"))
        write(self.path("undeclared.tif"), [waves(30, 20, 0, 255).astype("uint8")], gdal.GDT_Byte)
        newer = int(gdal.VersionInfo()) >= 3090000
        nearest = ({"uri": "float.tif", "method": "nearest", "smoothing": 1}, "'smoothing' is 1") if newer else (
            {"uri": "float.tif", "method": "nearest"}, "GDAL has from 3.9")
        self.refused((({"uri": "classes.tif"}, "class"), ({"uri": "undeclared.tif"}, "declares no nodata"), nearest,
                      ({"uri": "broken.tif"}, "cannot read"), ({"uri": "float.tif", "band": 2}, "band"),
                      ({"uri": "float.tif", "max_distance": 0}, "max_distance")))


if __name__ == "__main__":
    session.main()
