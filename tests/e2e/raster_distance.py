"""raster_distance against Debian's gdal_proximity.py and scipy's Euclidean distance transform, and what it refuses."""
import math
import os

import numpy
from osgeo import gdal
from scipy import ndimage

import more
import rasters
import session
from more import band_of
from rasters import write


class raster_distance(more.MoreClaims):
    tool = "raster_distance"

    def test_a_few_distances_by_eye(self):
        write(self.path("a.tif"), [numpy.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 7]], "uint8")], gdal.GDT_Byte, transform=(289000.0, 10, 0, 9121000.0, 0, -10))
        told = self.told("a.tif")
        d2, d5, d8, d13 = (10 * math.sqrt(n) for n in (2, 5, 8, 13))
        numpy.testing.assert_allclose(self.cells(), [[d13, d8, d5, 20], [math.sqrt(1000), d5, d2, 10], [30, 20, 10, 0]], rtol=1e-7)
        self.assertEqual((told["unit"], told["target_count"], told["valid_count"], told["beyond_count"], told["min"]), ("m", 1, 12, 0, 0))
        told = self.told("a.tif", unit="cells", max_distance=1)
        self.assertEqual(self.cells().tolist(), [[-9999] * 4, [-9999, -9999, -9999, 1], [-9999, -9999, 1, 0]])
        self.assertEqual((told["unit"], told["valid_count"], told["beyond_count"]), ("cells", 3, 9))

    def test_the_cells_are_those_of_gdal_proximity(self):
        """On targets picked by numpy, so that nodata and values are no matter of gdal_proximity."""
        names = more.class_rasters(self.workspace)
        for name in names:
            codes = self.cells(name, band_of(name))
            raster = gdal.Open(self.path(name))
            none = raster.GetRasterBand(band_of(name)).GetNoDataValue()
            valid = codes != none if none is not None else numpy.ones(codes.shape, bool)
            rare = int(numpy.unique(codes[valid])[0])
            for values, targets in ((None, valid & (codes != 0)), ([rare], valid & (codes == rare))):
                with self.subTest(name=name, values=values):
                    write(self.path("targets.tif"), [targets.astype("uint8")], gdal.GDT_Byte)
                    if os.path.exists(self.path("theirs.tif")):
                        os.remove(self.path("theirs.tif"))
                    self.program("gdal_proximity.py", "-q", "targets.tif", "theirs.tif", "-ot", "Float32", "-distunits", "PIXEL")
                    arguments = {} if values is None else {"values": values}
                    told = self.told(name, unit="cells", band=band_of(name), **arguments)
                    numpy.testing.assert_array_equal(self.cells(), self.cells("theirs.tif"))
                    self.assertEqual(told["target_count"], targets.sum())
                    # GDAL's four passes miss the nearest target of few cells, by a little.
                    exact = ndimage.distance_transform_edt(~targets)
                    numpy.testing.assert_allclose(self.cells(), exact, atol=0.3)
                    self.assertGreater((abs(self.cells() - exact) < 1e-4).mean(), 0.99)

    def test_metres_are_those_on_the_ground(self):
        codes = numpy.zeros((50, 70), "uint8")
        codes[20, 30] = 1
        cells = ndimage.distance_transform_edt(codes == 0)
        for name, epsg, transform, side, warned in (
                ("utm.tif", 32631, (500000, 10, 0, 5000000, 0, -10), 10, ""),
                # California zone 3, US survey feet.
                ("feet.tif", 2227, (6000000, 30, 0, 2100000, 0, -30), 30 * 1200 / 3937, ""),
                # Web Mercator stretches lengths at 60 north by about two.
                ("mercator.tif", 3857, (0, 10, 0, 8399738, 0, -10), 10 * math.cos(math.radians(60)), "corrected by")):
            with self.subTest(name=name):
                write(self.path(name), [codes], gdal.GDT_Byte, epsg=epsg, transform=transform)
                told = self.told(name)
                self.assertAlmostEqual(told["cell_size_m"] / side, 1, delta=4e-3 if warned else 1e-9)
                numpy.testing.assert_allclose(self.cells(), cells * told["cell_size_m"], rtol=1e-6)
                self.assertEqual(warned in " ".join(told["warnings"]), True)
                self.assertEqual(bool(told["warnings"]), bool(warned))

    def test_a_raster_whose_first_row_is_in_the_south_has_the_same_distances(self):
        codes = numpy.zeros((30, 40), "uint8")
        codes[4, 7] = 1
        write(self.path("a.tif"), [codes], gdal.GDT_Byte, transform=(289000, 10, 0, 9121000, 0, -10))
        write(self.path("south_up.tif"), [codes[::-1]], gdal.GDT_Byte, transform=(289000, 10, 0, 9120700, 0, 10))
        self.told("a.tif")
        cells = self.cells()
        self.told("south_up.tif")
        numpy.testing.assert_allclose(self.cells()[::-1], cells, rtol=1e-6)

    def test_infinite_cells_are_no_targets_and_wide_numbers_refused(self):
        write(self.path("a.tif"), [numpy.array([[0, numpy.inf, 0, 2]], "float32")], gdal.GDT_Float32)
        told = self.told("a.tif", unit="cells")
        self.assertEqual(self.cells().tolist(), [[3, 2, 1, 0]])
        self.assertIn("infinite", " ".join(told["warnings"]))
        more.beyond_doubles(self.path("wide.tif"))
        self.refused((({"uri": "wide.tif"}, "2^53"),))

    def test_fractions_are_targets_and_scaled_values_are_found(self):
        write(self.path("a.tif"), [numpy.array([[0, 0.25, 0, 0]], "float32")], gdal.GDT_Float32)
        self.told("a.tif", unit="cells")
        self.assertEqual(self.cells().tolist(), [[1, 0, 1, 2]])
        raster = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetScale(8)
        raster.GetRasterBand(1).SetOffset(1)
        del raster
        self.told("a.tif", unit="cells", values=[3])
        self.assertEqual(self.cells().tolist(), [[1, 0, 1, 2]])

    def test_mistakes_are_named(self):
        write(self.path("a.tif"), [numpy.ones((5, 5), "uint8")], gdal.GDT_Byte)
        write(self.path("zero.tif"), [numpy.zeros((5, 5), "uint8")], gdal.GDT_Byte)
        write(self.path("oblong.tif"), [numpy.ones((5, 5), "uint8")], gdal.GDT_Byte, transform=(289000, 10, 0, 9121000, 0, -20))
        rasters.geographic(self.path("degrees.tif"))
        more.without_grid(self.path("plain.tif"))
        more.cut_short(self.path("degrees.tif"), self.path("broken.tif"))
        self.refused((({"uri": "zero.tif"}, "there is no target"), ({"uri": "a.tif", "values": [5, 6]}, "5, 6"),
                      ({"uri": "degrees.tif"}, "not lengths"), ({"uri": "oblong.tif"}, "10 wide and 20 high"),
                      ({"uri": "plain.tif"}, "no geotransform"),
                      ({"uri": "broken.tif", "unit": "cells"}, "cannot read"), ({"uri": "a.tif", "band": 3}, "band")))


if __name__ == "__main__":
    session.main()
