"""raster_curvature against polynomials fitted by numpy and differential geometry, closed forms, and what it refuses."""
import math

import numpy
import pyproj
from osgeo import gdal

import more
import rasters
import session
from more import band_of
from rasters import UTM, waves, write


def fitted(z, width, height, method):
    """Gradient and Hessian (x east, y north) in the middle of 3 x 3 heights: the quadratic of least squares, or the polynomial through all nine."""
    y, x = numpy.mgrid[1:-2:-1, -1:2].astype("float64")
    x, y = x.ravel() * width, y.ravel() * height
    if method == "evans":
        terms = [x * 0 + 1, x, y, x * x, x * y, y * y]
    else:
        terms = [x ** i * y ** k for i, k in ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (2, 1), (1, 2), (2, 2))]
    c = numpy.linalg.lstsq(numpy.array(terms).T, z.ravel(), rcond=None)[0]
    return numpy.array(c[1:3]), numpy.array([[2 * c[3], c[4]], [c[4], 2 * c[5]]])


def curvature(measure, gradient, hessian):
    """By the two fundamental forms of the surface; positive where convex."""
    first = numpy.eye(2) + numpy.outer(gradient, gradient)
    second = -hessian / math.sqrt(1 + gradient @ gradient)
    if measure in ("mean", "gaussian"):
        principal = numpy.linalg.eigvals(numpy.linalg.solve(first, second)).real
        return principal.mean() if measure == "mean" else principal.prod()
    down, level = gradient, numpy.array([-gradient[1], gradient[0]])
    if measure == "plan":
        return -(level @ hessian @ level) / (gradient @ gradient) ** 1.5
    v = down if measure == "profile" else level
    return (v @ second @ v) / (v @ first @ v)


class raster_curvature(more.MoreClaims):
    tool = "raster_curvature"

    def surfaces(self):
        """Names and the cell sizes of each."""
        made = []

        def add(name, cells, dtype, size=(10, 10), **how):
            write(self.path(name), cells if isinstance(cells, list) else [cells], dtype, **{"epsg": 32631, "transform": (500000, size[0], 0, 5000000, 0, -size[1]), **how})
            made.append((name, size))

        def gap(cells, none):
            cells[5:12, 10:14] = none
            return cells

        add("byte.tif", waves(24, 20, 0, 255).astype("uint8"), gdal.GDT_Byte)
        add("int16.tif", waves(24, 20, -300, 900).astype("int16"), gdal.GDT_Int16)
        add("uint16.tif", waves(24, 20, 0, 3000).astype("uint16"), gdal.GDT_UInt16)
        add("int32.tif", waves(24, 20, -300, 5000).astype("int32"), gdal.GDT_Int32)
        add("float.tif", waves(24, 20, 0, 100).astype("float32"), gdal.GDT_Float32)
        add("double.tif", waves(24, 20, 0, 100), gdal.GDT_Float64)
        add("nodata.tif", gap(waves(24, 20, 0, 100).astype("float32"), -9999), gdal.GDT_Float32, nodata=-9999)
        add("nan.tif", gap(waves(24, 20, 0, 100), numpy.nan), gdal.GDT_Float64, nodata=numpy.nan)
        add("oblong.tif", waves(24, 20, 0, 100), gdal.GDT_Float64, size=(10, 25))
        add("south.tif", waves(24, 20, 0, 100), gdal.GDT_Float64, size=(28.5, 28.5), epsg=UTM, transform=(289000, 28.5, 0, 9121000, 0, -28.5))
        add("second_band.tif", [waves(24, 20, 0, 1), waves(24, 20, 0, 100, seed=5)], gdal.GDT_Float64)
        return made

    def expected(self, cells, measure, method, size):
        found = numpy.full(cells.shape, numpy.nan)
        for r in range(1, cells.shape[0] - 1):
            for c in range(1, cells.shape[1] - 1):
                z = cells[r - 1:r + 2, c - 1:c + 2]
                if numpy.isnan(z).any():
                    continue
                gradient, hessian = fitted(z - z[1, 1], *size, method)
                if abs(gradient).max() > 1e-12 or measure in ("mean", "gaussian"):
                    found[r, c] = curvature(measure, gradient, hessian)
        return found

    def test_the_cells_are_those_of_fitted_polynomials(self):
        surfaces = self.surfaces()
        self.assertGreaterEqual(len(surfaces), 10)
        for name, size in surfaces:
            cells = self.cells(name, band_of(name)).astype("float64")
            cells[cells == -9999] = numpy.nan
            for i, measure in enumerate(("profile", "plan", "tangential", "mean", "gaussian")):
                method = ("evans", "zevenbergen_thorne")[(i + len(name)) % 2]
                with self.subTest(name=name, measure=measure, method=method):
                    told = self.told(name, measure=measure, method=method, band=band_of(name))
                    expected = self.expected(cells, measure, method, size)
                    ours = self.cells()
                    numpy.testing.assert_array_equal(numpy.isnan(ours), numpy.isnan(expected))
                    numpy.testing.assert_allclose(ours, expected, rtol=2e-6, atol=1e-9)
                    self.assertEqual(told["valid_count"], (~numpy.isnan(expected)).sum())
                    self.assertEqual(told["unit"], "1/m²" if measure == "gaussian" else "1/m")

    def test_a_sphere_has_the_curvature_of_its_radius_whatever_the_units(self):
        foot = 1200 / 3937
        radius = 2000
        y, x = numpy.mgrid[-20:20, -20:20] * 1.0 + 0.5
        z = numpy.sqrt(radius ** 2 - (10 * x) ** 2 - (10 * y) ** 2)
        cases = (("metres.tif", z, 32631, (500000, 10, 0, 5000000, 0, -10), None, {}),
                 ("feet.tif", z / foot, 2227, (6000000, 10 / foot, 0, 2100000, 0, -10 / foot), "US survey foot", {}),
                 ("feet_by_factor.tif", z, 2227, (6000000, 10 / foot, 0, 2100000, 0, -10 / foot), None, {"z_factor": 1 / foot}))
        for name, heights, epsg, transform, unit, arguments in cases:
            write(self.path(name), [heights], gdal.GDT_Float64, epsg=epsg, transform=transform)
            if unit:
                raster = gdal.Open(self.path(name), gdal.GA_Update)
                raster.GetRasterBand(1).SetUnitType(unit)
                del raster
            for measure, value in (("profile", 1 / radius), ("tangential", 1 / radius), ("mean", 1 / radius), ("gaussian", radius ** -2)):
                with self.subTest(name=name, measure=measure):
                    self.told(name, measure=measure, **arguments)
                    inner = self.cells()[1:-1, 1:-1]
                    numpy.testing.assert_allclose(inner, value, rtol=1e-3)

    def test_scaled_heights_are_meant(self):
        cells = waves(24, 20, 0, 2000).astype("int16")
        write(self.path("a.tif"), [cells], gdal.GDT_Int16, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        raster = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetScale(0.1)
        raster.GetRasterBand(1).SetOffset(-5)
        del raster
        for measure in ("profile", "gaussian"):
            self.told("a.tif", measure=measure)
            numpy.testing.assert_allclose(self.cells(), self.expected(cells * 0.1 - 5, measure, "evans", (10, 10)), rtol=2e-6, atol=1e-9)

    def test_cells_of_a_geographic_raster_have_their_true_sizes(self):
        cells = waves(24, 20, 0, 3000)
        write(self.path("a.tif"), [cells], gdal.GDT_Float64, epsg=4326, transform=(10, 0.001, 0, 62, 0, -0.001))
        told = self.told("a.tif", measure="mean")
        self.assertIn("true cell size", " ".join(told["warnings"]))
        earth = pyproj.Geod(ellps="WGS84")
        for row in (1, 10, 18):
            north, south = 62 - 0.001 * row, 62 - 0.001 * (row + 1)
            middle = (north + south) / 2
            size = earth.inv(10, middle, 10.001, middle)[2], earth.inv(10, north, 10, south)[2]
            expected = self.expected(cells, "mean", "evans", size)[row]
            numpy.testing.assert_allclose(self.cells()[row, 1:-1], expected[1:-1], rtol=1e-5, atol=1e-9)

    def test_a_large_raster_has_no_seams_between_blocks(self):
        y, x = numpy.mgrid[0:900, 0:1400]
        write(self.path("a.tif"), [-(x * x + 2.0 * y * y) / 1000], gdal.GDT_Float64, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        told = self.told("a.tif", measure="mean")
        p, q, r, t = -2 * x / 1e4, -4 * y / 1e4, -2e-5, -4e-5
        exact = -((1 + q * q) * r + (1 + p * p) * t) / (2 * (1 + p * p + q * q) ** 1.5)
        numpy.testing.assert_allclose(self.cells()[1:-1, 1:-1], exact[1:-1, 1:-1], rtol=1e-4)
        self.assertEqual(told["valid_count"], 898 * 1398)

    def test_a_raster_whose_first_row_is_in_the_south_has_the_same_curvatures(self):
        cells = waves(40, 30, 0, 90)
        write(self.path("a.tif"), [cells], gdal.GDT_Float64, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        write(self.path("south_up.tif"), [cells[::-1]], gdal.GDT_Float64, epsg=32631, transform=(500000, 10, 0, 4999700, 0, 10))
        for measure in ("profile", "plan", "tangential", "mean", "gaussian"):
            with self.subTest(measure):
                self.told("a.tif", measure=measure)
                expected = self.cells()
                self.told("south_up.tif", measure=measure)
                numpy.testing.assert_allclose(self.cells()[::-1], expected, rtol=1e-5)

    def test_mistakes_are_named(self):
        write(self.path("a.tif"), [waves(24, 20, 0, 100)], gdal.GDT_Float64, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        write(self.path("feet.tif"), [waves(24, 20, 0, 100)], gdal.GDT_Float64, epsg=2227, transform=(6000000, 30, 0, 2100000, 0, -30))
        rasters.palette(self.path("classes.tif"))
        more.without_grid(self.path("plain.tif"))
        more.cut_short(self.path("a.tif"), self.path("broken.tif"))
        self.refused((({"uri": "a.tif"}, "measure"), ({"uri": "classes.tif", "measure": "mean"}, "palette"), ({"uri": "plain.tif", "measure": "mean"}, "no geotransform"),
                      ({"uri": "feet.tif", "measure": "mean"}, "declare no unit"),
                      ({"uri": "broken.tif", "measure": "mean"}, "cannot read"), ({"uri": "a.tif", "measure": "mean", "band": 2}, "band")))


if __name__ == "__main__":
    session.main()
