"""raster_viewshed against lines of sight sampled by scipy, closed forms, and what it refuses."""
import numpy
from osgeo import gdal
from scipy import ndimage

import more
import rasters
import session
from rasters import waves, write


def hills(width, height, seed, high=120):
    return waves(width, height, 0, high, seed=seed).astype("float32")


def by_hand(cells, transform, x, y, observer_height=2, target_height=0, max_distance=None, curvature=0.85714):
    """1: visible, 0: hidden, 255: too far; the surface sampled where the line crosses the rows and columns of cell centres."""
    column, row = int((x - transform[0]) / transform[1]), int((y - transform[3]) / transform[5])
    v, u = numpy.mgrid[0:cells.shape[0], 0:cells.shape[1]]
    distance = numpy.hypot((u - column) * transform[1], (v - row) * transform[5])
    cells = cells - curvature * distance ** 2 / (2 * 6378137)
    eye = cells[row, column] + observer_height
    seen = numpy.full(cells.shape, 255, "uint8")
    for r in range(cells.shape[0]):
        for c in range(cells.shape[1]):
            if max_distance is not None and distance[r, c] > max_distance:
                continue
            across, down = abs(c - column), abs(r - row)
            part = numpy.concatenate([numpy.arange(1, n) / n for n in (across, down) if n > 1] or [numpy.empty(0)])
            surface = ndimage.map_coordinates(cells, [row + part * (r - row), column + part * (c - column)], order=1)
            seen[r, c] = not (surface > eye + part * (cells[r, c] + target_height - eye) + 1e-9).any()
    return seen


class raster_viewshed(more.MoreClaims):
    tool = "raster_viewshed"

    def at(self, x, y, epsg):
        return {"geometry": {"type": "Point", "coordinates": [x, y]}, "geometry_crs": f"EPSG:{epsg}"}

    def transform(self, name):
        raster = gdal.Open(self.path(name))
        return raster.GetGeoTransform()

    def on_all(self, name):
        """The result on the whole grid of a raster, 255 around it."""
        ours, whole = self.transform("out.tif"), self.transform(name)
        column, row = round((ours[0] - whole[0]) / whole[1]), round((ours[3] - whole[3]) / whole[5])
        seen = self.cells()
        cells = numpy.full(self.cells(name).shape, 255, "uint8")
        cells[row:row + seen.shape[0], column:column + seen.shape[1]] = seen
        return cells

    def test_a_cone_is_seen_whole_from_its_top(self):
        y, x = numpy.mgrid[0:31, 0:41]
        write(self.path("a.tif"), [-5 * numpy.hypot(x - 20, y - 15)], gdal.GDT_Float64, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        told = self.told("a.tif", **self.at(500205, 4999845, 32631))
        self.assertEqual((told["visible_count"], told["hidden_count"], told["visible_share"]), (31 * 41, 0, 1))

    def test_the_horizon_of_a_sphere_lies_where_geometry_has_it(self):
        write(self.path("a.tif"), [numpy.zeros((3, 2000), "float32")], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        self.told("a.tif", **self.at(500005, 4999985, 32631), observer_height=10, curvature=1)
        # sqrt(2 R h) = 11.29 km.
        self.assertAlmostEqual(self.cells()[1].sum() * 10, (2 * 6378137 * 10) ** 0.5, delta=30)

    def test_a_wall_hides_what_lies_behind_it(self):
        # From 2 m at column 1 over a wall of 4 m at column 3: the line of sight climbs 2 m in 20 m, so that all of the plain is hidden.
        cells = numpy.zeros((1, 12), "float32")
        cells[0, 3] = 4
        write(self.path("a.tif"), [numpy.repeat(cells, 3, 0)], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000030, 0, -10))
        told = self.told("a.tif", **self.at(500015, 5000015, 32631), curvature=0)
        self.assertEqual(self.cells()[1].tolist(), [1] * 4 + [0] * 8)
        self.assertEqual((told["observer"], told["observer_ground_m"]), ([500015, 5000015], 0))
        # A target of 8 m is seen as long as the line 2 + 0.1 * d is below it: up to 60 m, which is column 7.
        self.told("a.tif", **self.at(500015, 5000015, 32631), curvature=0, target_height=8)
        self.assertEqual(self.cells()[1].tolist(), [1] * 7 + [self.cells()[1][7]] + [0] * 4)
        self.assertEqual(told["visible_count"] + told["hidden_count"], 36)
        self.assertAlmostEqual(told["visible_area_m2"] / (told["visible_count"] * 100 / 0.9996 ** 2), 1, delta=1e-6)

    def test_the_cells_are_those_of_lines_sampled_by_scipy(self):
        names = []

        def add(name, cells, dtype, at, **how):
            write(self.path(name), cells if isinstance(cells, list) else [cells], dtype, **{"epsg": 32631, "transform": (500000, 10, 0, 5000000, 0, -10), **how})
            names.append((name, at))

        add("float.tif", hills(120, 90, 1), gdal.GDT_Float32, (500605, 4999555))
        add("double.tif", hills(120, 90, 2).astype("float64"), gdal.GDT_Float64, (500605, 4999555))
        add("int16.tif", hills(120, 90, 3, 900).astype("int16") - 300, gdal.GDT_Int16, (500105, 4999855))
        add("uint16.tif", hills(120, 90, 4, 900).astype("uint16"), gdal.GDT_UInt16, (501105, 4999155))
        add("byte.tif", hills(120, 90, 5).astype("uint8"), gdal.GDT_Byte, (500305, 4999255))
        add("int32.tif", hills(120, 90, 6, 400).astype("int32"), gdal.GDT_Int32, (500605, 4999555))
        add("corner.tif", hills(80, 90, 7), gdal.GDT_Float32, (500005, 4999995))
        add("edge.tif", hills(80, 90, 8), gdal.GDT_Float32, (500795, 4999405))
        add("oblong.tif", hills(80, 90, 9), gdal.GDT_Float32, (500405, 4998855), transform=(500000, 10, 0, 5000000, 0, -25))
        add("south.tif", hills(80, 90, 10), gdal.GDT_Float32, (289405, 9120555), epsg=rasters.UTM, transform=(289000, 10, 0, 9121000, 0, -10))
        add("second_band.tif", [hills(80, 90, 11), hills(80, 90, 12)], gdal.GDT_Float32, (500405, 4999555))
        self.assertGreaterEqual(len(names), 10)
        for name, (x, y) in names:
            epsg = rasters.UTM if name == "south.tif" else 32631
            for ours, theirs in (({}, []), ({"observer_height": 25, "target_height": 3, "max_distance": 300, "curvature": 0.75}, ["-oz", 25, "-tz", 3, "-md", 300, "-cc", 0.75])):
                with self.subTest(name=name, **ours):
                    band = more.band_of(name)
                    told = self.told(name, **self.at(x, y, epsg), band=band, **ours)
                    expected = by_hand(self.cells(name, band).astype("float64"), self.transform(name), x, y, **ours)
                    numpy.testing.assert_array_equal(self.on_all(name), expected)
                    self.assertEqual((told["visible_count"], told["hidden_count"], told["unknown_count"]), ((expected == 1).sum(), (expected == 0).sum(), 0))

    def test_feet_see_what_metres_see(self):
        foot = 1200 / 3937
        cells = waves(80, 70, 0, 120, seed=4)
        write(self.path("metres.tif"), [cells], gdal.GDT_Float64, epsg=32610, transform=(550000, 10, 0, 4180000, 0, -10))
        # California zone 3 in US survey feet, heights in the same.
        write(self.path("feet.tif"), [cells / foot], gdal.GDT_Float64, epsg=2227, transform=(6000000, 10 / foot, 0, 2100000, 0, -10 / foot))
        raster = gdal.Open(self.path("feet.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetUnitType("US survey foot")
        del raster
        self.told("metres.tif", **self.at(550405, 4179655, 32610), max_distance=300)
        metres = self.cells()
        told = self.told("feet.tif", **self.at(6000000 + 405 / foot, 2100000 - 345 / foot, 2227), max_distance=300)
        self.assertEqual(self.cells().shape, metres.shape)
        self.assertLess((self.cells() != metres).mean(), 2e-3)  # heights are rounded to single precision
        self.assertAlmostEqual(told["observer_ground_m"], float(cells[34, 40]), places=3)

    def test_a_raster_whose_first_row_is_in_the_south_is_seen_alike(self):
        cells = hills(80, 90, 10)
        write(self.path("a.tif"), [cells], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        write(self.path("south_up.tif"), [cells[::-1]], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000000 - 10 * len(cells), 0, 10))
        for more_arguments in ({}, {"max_distance": 200}):
            self.told("a.tif", **self.at(500405, 4999655, 32631), **more_arguments)
            expected = self.cells()
            self.told("south_up.tif", **self.at(500405, 4999655, 32631), **more_arguments)
            numpy.testing.assert_array_equal(self.cells()[::-1], expected)

    def test_infinite_heights_are_no_data_and_impossible_ones_refused(self):
        cells = numpy.zeros((30, 40), "float32")
        cells[10, 20], cells[10, 21] = numpy.inf, -numpy.inf
        write(self.path("a.tif"), [cells], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        told = self.told("a.tif", **self.at(500105, 4999855, 32631))
        self.assertEqual((told["visible_count"], told["unknown_count"]), (1198, 2))
        self.assertIn("infinite", " ".join(told["warnings"]))
        cells[10, 20:22] = 3
        write(self.path("b.tif"), [cells], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        here = self.at(500105, 4999855, 32631)
        cells[10, 20] = -3.4e38
        write(self.path("undeclared.tif"), [cells], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        self.refused((({"uri": "b.tif", "z_factor": 1e308, **here}, "more than 1e+09 m"), ({"uri": "undeclared.tif", **here}, "-3.39")))

    def test_gaps_hide_nothing_and_are_no_data(self):
        cells = numpy.zeros((30, 40), "float32")
        cells[10:20, 20] = -9999
        write(self.path("a.tif"), [cells], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10), nodata=-9999)
        told = self.told("a.tif", **self.at(500105, 4999855, 32631))
        self.assertEqual((told["visible_count"], told["unknown_count"], told["visible_share"]), (1190, 10, 1))
        self.assertTrue((self.cells()[10:20, 20] == 255).all())
        self.assertIn("10 cells have no height", " ".join(told["warnings"]))

    def test_the_observer_may_be_given_in_degrees(self):
        write(self.path("a.tif"), [hills(40, 30, 1)], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        told = self.told("a.tif", geometry={"type": "Point", "coordinates": [3.002, 45.152]})
        self.assertEqual(told["observer"][0], 500155)
        self.assertTrue(4999700 < told["observer"][1] < 5000000)

    def test_mistakes_are_named(self):
        write(self.path("a.tif"), [hills(40, 30, 1)], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        gap = hills(40, 30, 1)
        gap[15, 10] = -1
        write(self.path("gap.tif"), [gap], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10), nodata=-1)
        write(self.path("feet.tif"), [hills(40, 30, 1)], gdal.GDT_Float32, epsg=2227, transform=(6000000, 30, 0, 2100000, 0, -30))
        rasters.geographic(self.path("degrees.tif"))
        rasters.palette(self.path("classes.tif"))
        more.cut_short(self.path("a.tif"), self.path("broken.tif"))
        here = self.at(500105, 4999845, 32631)
        line = {"geometry": {"type": "LineString", "coordinates": [[500105, 4999845], [500205, 4999845]]}, "geometry_crs": "EPSG:32631"}
        self.refused((({"uri": "degrees.tif", **self.at(-35.09, -7.91, 4326)}, "not lengths"), ({"uri": "a.tif", **self.at(600000, 4999845, 32631)}, "is not on"),
                      ({"uri": "gap.tif", **here}, "without data"), ({"uri": "a.tif", **line}, "LINESTRING"), ({"uri": "classes.tif", **here}, "palette"),
                      ({"uri": "feet.tif", **self.at(6000100, 2099900, 2227)}, "declare no unit"), ({"uri": "a.tif"}, "geometry"),
                      ({"uri": "broken.tif", **here}, "cannot read")))


if __name__ == "__main__":
    session.main()
