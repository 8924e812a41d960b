"""raster_focal against scipy.ndimage cell by cell, and what it refuses."""
import warnings

import numpy
from osgeo import gdal
from scipy import ndimage

import more
import rasters
import session
from more import band_of
from rasters import waves, write


def least_mode(v):
    values, counts = numpy.unique(v[~numpy.isnan(v)], return_counts=True)
    return values[counts.argmax()] if len(values) else numpy.nan


def rarest(v):
    values, counts = numpy.unique(v[~numpy.isnan(v)], return_counts=True)
    return values[counts.argmin()] if len(values) else numpy.nan


REDUCED = {"mean": numpy.nanmean, "sum": numpy.nansum, "min": numpy.nanmin, "max": numpy.nanmax, "median": numpy.nanmedian, "stdev": numpy.nanstd,
           "range": lambda v: numpy.nanmax(v) - numpy.nanmin(v), "count": lambda v: (~numpy.isnan(v)).sum(), "majority": least_mode,
           "minority": rarest, "variety": lambda v: len(numpy.unique(v[~numpy.isnan(v)]))}


class raster_focal(more.MoreClaims):
    tool = "raster_focal"

    def surfaces(self):
        names = []

        def add(name, cells, dtype, **how):
            write(self.path(name), cells if isinstance(cells, list) else [cells], dtype, **how)
            names.append(name)

        def gap(cells, none):
            cells[8:15, 10:30] = none
            cells[numpy.random.default_rng(2).random(cells.shape) < 0.05] = none
            return cells

        add("byte.tif", waves(60, 40, 0, 255).astype("uint8"), gdal.GDT_Byte)
        add("int16.tif", waves(60, 40, -300, 900).astype("int16"), gdal.GDT_Int16)
        add("uint16.tif", waves(60, 40, 0, 60000).astype("uint16"), gdal.GDT_UInt16)
        add("int32.tif", waves(60, 40, -2e9, 2e9).astype("int32"), gdal.GDT_Int32)
        add("uint32.tif", waves(60, 40, 0, 4e9).astype("uint32"), gdal.GDT_UInt32)
        add("float.tif", waves(60, 40, -1, 1).astype("float32"), gdal.GDT_Float32)
        add("double.tif", waves(60, 40, -1, 1), gdal.GDT_Float64)
        add("nodata.tif", gap(waves(60, 40, 0, 300).astype("float32"), -9999), gdal.GDT_Float32, nodata=-9999)
        add("nodata_byte.tif", gap(waves(60, 40, 1, 9).astype("uint8"), 0), gdal.GDT_Byte, nodata=0)
        add("nan.tif", gap(waves(60, 40, 0, 300).astype("float32"), numpy.nan), gdal.GDT_Float32, nodata=numpy.nan)
        add("geographic.tif", waves(60, 40, 0, 3000).astype("float32"), gdal.GDT_Float32, epsg=4326, transform=(-35.1, 0.00025, 0, -7.9, 0, -0.00025))
        add("south_up.tif", waves(60, 40, 0, 300).astype("float32"), gdal.GDT_Float32, transform=(289000.0, 30, 0, 9116000.0, 0, 30))
        add("column.tif", waves(1, 80, 0, 300).astype("float32"), gdal.GDT_Float32)
        add("second_band.tif", [waves(60, 40, 0, 1).astype("float32"), waves(60, 40, 0, 300, seed=5).astype("float32")], gdal.GDT_Float32)
        return names

    def values(self, name, band=1):
        """As float64, NaN where there is no data."""
        raster = gdal.Open(self.path(name))
        cells = raster.GetRasterBand(band).ReadAsArray().astype("float64")
        none = raster.GetRasterBand(band).GetNoDataValue()
        if none is not None:
            cells[cells == none] = numpy.nan
        return cells

    def expected(self, cells, statistic, footprint):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ndimage.generic_filter(cells, REDUCED[statistic], footprint=footprint, mode="constant", cval=numpy.nan)
        found[numpy.isnan(cells)] = numpy.nan
        return found

    def test_the_cells_are_those_of_scipy(self):
        names = self.surfaces()
        self.assertGreaterEqual(len(names), 10)
        statistics = list(REDUCED)
        for i, name in enumerate(names):
            cells = self.values(name, band_of(name))
            # Each statistic meets several types, each type several statistics.
            for statistic in statistics[i % 3::3] + ["mean"]:
                size = 3 + 2 * (i % 2)
                with self.subTest(name=name, statistic=statistic, size=size):
                    told = self.told(name, statistic=statistic, size=size, band=band_of(name))
                    expected = self.expected(cells, statistic, numpy.ones((size, size)))
                    numpy.testing.assert_allclose(self.values("out.tif"), expected, rtol=1e-6 if told["dtype"] == "Float32" else 1e-12, atol=2e-5 if told["dtype"] == "Float32" else 1e-9)
                    self.assertEqual(told["valid_count"], (~numpy.isnan(expected)).sum())
                    self.assertEqual(told["window_count"], size * size)
                    if statistic in ("majority", "minority", "min", "max"):
                        raster = gdal.Open(self.path(name))
                        self.assertEqual(told["dtype"], gdal.GetDataTypeName(raster.GetRasterBand(1).DataType))

    def test_every_statistic_has_the_cells_of_scipy_on_gaps(self):
        self.surfaces()
        cells = self.values("nodata.tif")
        for statistic in REDUCED:
            with self.subTest(statistic=statistic):
                self.told("nodata.tif", statistic=statistic, size=5)
                numpy.testing.assert_allclose(self.values("out.tif"), self.expected(cells, statistic, numpy.ones((5, 5))), rtol=1e-6, atol=2e-5)

    def test_a_radius_is_in_metres_on_the_ground(self):
        foot = 1200 / 3937
        for name, epsg, transform, metre in (("utm.tif", 32631, (500000, 10, 0, 5000000, 0, -20), 1), ("feet.tif", 2227, (6000000, 30, 0, 2100000, 0, -60), foot)):
            write(self.path(name), [waves(50, 40, 0, 9)], gdal.GDT_Float64, epsg=epsg, transform=transform)
            y, x = numpy.mgrid[-5:6, -5:6]
            for radius in (30 * metre * transform[1] / 10, 41):
                with self.subTest(name=name, radius=radius):
                    footprint = numpy.hypot(x * transform[1] * metre, y * transform[5] * metre) <= radius * (1 + 1e-9)
                    told = self.told(name, radius=radius, statistic="max")
                    self.assertEqual(told["window_count"], footprint.sum())
                    numpy.testing.assert_array_equal(self.cells(), self.expected(self.cells(name), "max", footprint))

    def test_weights_are_those_of_scipy_s_correlation(self):
        write(self.path("a.tif"), [waves(60, 40, 0, 9)], gdal.GDT_Float64)
        weights = [1, -2, 0.5, 3, 4, 0, 0, 1, -1]
        self.told("a.tif", statistic="convolve", weights=weights)
        expected = ndimage.correlate(self.cells("a.tif"), numpy.reshape(weights, (3, 3)))
        numpy.testing.assert_allclose(self.cells()[1:-1, 1:-1], expected[1:-1, 1:-1], rtol=1e-12)
        self.assertTrue(numpy.isnan(self.cells()[0]).all())

    def test_weights_lie_as_on_the_map_wherever_the_first_cell_is(self):
        """The same ground stored from the south, and from the east."""
        cells, weights = waves(60, 40, 0, 9), [1, -2, 0.5, 3, 4, 0, 0, 1, -1]
        stored = {"north.tif": (cells, (500000, 10, 0, 5000000, 0, -10), lambda c: c),
                  "south.tif": (cells[::-1], (500000, 10, 0, 5000000 - 400, 0, 10), lambda c: c[::-1]),
                  "east.tif": (cells[:, ::-1], (500600, -10, 0, 5000000, 0, -10), lambda c: c[:, ::-1])}
        expected = ndimage.correlate(cells, numpy.reshape(weights, (3, 3)))[1:-1, 1:-1]
        for name, (z, transform, as_on_the_map) in stored.items():
            with self.subTest(name):
                write(self.path(name), [z], gdal.GDT_Float64, transform=transform)
                self.told(name, statistic="weighted_sum", weights=weights)
                numpy.testing.assert_allclose(as_on_the_map(self.cells())[1:-1, 1:-1], expected, rtol=1e-12, atol=1e-12)

    def test_scale_and_offset_are_applied(self):
        write(self.path("a.tif"), [waves(60, 40, 0, 255).astype("uint8")], gdal.GDT_Byte)
        raster = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetScale(-0.5)
        raster.GetRasterBand(1).SetOffset(10)
        del raster
        for statistic in ("max", "mean", "stdev"):
            self.told("a.tif", statistic=statistic)
            expected = self.expected(self.cells("a.tif") * -0.5 + 10, statistic, numpy.ones((3, 3)))
            numpy.testing.assert_allclose(self.cells(), expected, atol=1e-5)
        told = self.told("a.tif", statistic="majority")
        raster = gdal.Open(self.path("out.tif"))
        self.assertNotIn("mean", told)
        self.assertEqual((told["dtype"], raster.GetRasterBand(1).GetScale(), raster.GetRasterBand(1).GetOffset()), ("Byte", -0.5, 10))

    def test_a_large_raster_has_no_seams_between_blocks(self):
        cells = waves(1400, 900, 0, 1).astype("float32")
        write(self.path("a.tif"), [cells], gdal.GDT_Float32)
        self.told("a.tif", statistic="max", size=21)
        numpy.testing.assert_array_equal(self.cells(), ndimage.maximum_filter(cells, 21, mode="nearest"))

    def test_large_windows_slide_to_the_same_values(self):
        cells = numpy.round(waves(300, 200, 0, 40)).astype("int16")
        write(self.path("a.tif"), [cells], gdal.GDT_Int16, transform=(500000, 10, 0, 5000000, 0, -10))
        window = numpy.ones((41, 41))
        self.told("a.tif", statistic="median", size=41)
        inner = (slice(20, -20), slice(20, -20))
        numpy.testing.assert_array_equal(self.cells()[inner], ndimage.median_filter(cells.astype("float64"), footprint=window)[inner])
        places = ((0, 0), (100, 150), (199, 299), (60, 7))
        for statistic in ("variety", "median", "majority"):
            self.told("a.tif", statistic=statistic, size=41)
            found = self.cells()
            for r, c in places:
                values, counts = numpy.unique(cells[max(0, r - 20):r + 21, max(0, c - 20):c + 21], return_counts=True)
                expected = {"variety": len(values), "median": numpy.median(cells[max(0, r - 20):r + 21, max(0, c - 20):c + 21]),
                            "majority": values[counts.argmax()]}[statistic]
                self.assertEqual(found[r, c], expected, (statistic, r, c))

    def test_infinite_cells_have_no_data(self):
        cells = numpy.ones((5, 5), "float32")
        cells[2, 2] = numpy.inf
        write(self.path("a.tif"), [cells], gdal.GDT_Float32, transform=(500000, 10, 0, 5000000, 0, -10))
        told = self.told("a.tif", statistic="max")
        self.assertEqual((told["max"], told["valid_count"]), (1, 24))
        self.assertIn("infinite", " ".join(told["warnings"]))

    def test_an_alpha_band_leaves_values_to_mark_cells_with_whatever_overviews_there_are(self):
        cells = 1 + (numpy.arange(40 * 50).reshape(40, 50) % 7).astype("uint8")
        alpha = numpy.full((40, 50), 255, "uint8")
        alpha[10:20] = 0
        for name in ("plain.tif", "with_overviews.tif"):
            write(self.path(name), [cells, alpha], gdal.GDT_Byte, colours=(gdal.GCI_GrayIndex, gdal.GCI_AlphaBand))
        raster = gdal.Open(self.path("with_overviews.tif"), gdal.GA_Update)
        raster.BuildOverviews("NEAREST", [2])
        del raster
        found = {}
        for name in ("plain.tif", "with_overviews.tif"):
            self.told(name, band=1, statistic="majority")
            found[name] = self.values("out.tif")
        numpy.testing.assert_array_equal(found["plain.tif"], found["with_overviews.tif"])
        self.assertTrue(numpy.isnan(found["plain.tif"][12:18]).all())

    def test_mistakes_are_named(self):
        rasters.palette(self.path("classes.tif"))
        rasters.geographic(self.path("degrees.tif"))
        write(self.path("a.tif"), [waves(30, 20, 0, 1)], gdal.GDT_Float64)
        more.cut_short(self.path("degrees.tif"), self.path("broken.tif"))
        a = {"uri": "a.tif"}
        self.refused((({"uri": "classes.tif"}, "holds codes"), ({"uri": "degrees.tif", "radius": 100}, "not lengths"), ({**a, "size": 4}, "'size' is 4"),
                      ({**a, "statistic": "weighted_sum"}, "'weights' is missing"), ({**a, "weights": [1]}, "'weights' is given with mean"),
                      ({**a, "statistic": "weighted_sum", "weights": [1, 2]}, "2 numbers"), ({**a, "size": 3, "radius": 90}, "more than one"),
                      ({**a, "radius": 1e6}, "more than 100 cells"), ({"uri": "broken.tif"}, "cannot read"), ({**a, "band": 2}, "band")))


if __name__ == "__main__":
    session.main()
