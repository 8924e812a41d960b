"""raster_contour against Debian's gdal_contour line by line, lengths by geodesics, areas in closed form, and what it refuses."""
import os

import numpy
import pyproj
from osgeo import gdal, ogr

import more
import rasters
import session
from more import band_of
from rasters import waves, write


def features(path):
    """(fields, geometry as text) of each feature, sorted."""
    source = ogr.Open(path)
    found = []
    for feature in source.GetLayer(0):
        found.append((feature.items(), feature.GetGeometryRef().ExportToIsoWkt()))
    return found


class raster_contour(more.MoreClaims):
    tool = "raster_contour"
    output = "out.gpkg"

    def surfaces(self):
        names = []

        def add(name, cells, dtype, **how):
            write(self.path(name), cells if isinstance(cells, list) else [cells], dtype, **how)
            names.append(name)

        def gap(cells, none):
            cells[30:45, 20:60] = none
            return cells

        add("byte.tif", waves(110, 90, 0, 255).astype("uint8"), gdal.GDT_Byte)
        add("int16.tif", waves(110, 90, -100, 400).astype("int16"), gdal.GDT_Int16)
        add("uint16.tif", waves(110, 90, 0, 600).astype("uint16"), gdal.GDT_UInt16)
        add("int32.tif", waves(110, 90, -90, 900).astype("int32"), gdal.GDT_Int32)
        add("float.tif", waves(110, 90, 0, 300).astype("float32"), gdal.GDT_Float32)
        add("double.tif", waves(110, 90, -200, 300), gdal.GDT_Float64)
        add("nodata.tif", gap(waves(110, 90, 0, 300).astype("float32"), -9999), gdal.GDT_Float32, nodata=-9999)
        add("nodata_int16.tif", gap(waves(110, 90, 0, 300).astype("int16"), -32768), gdal.GDT_Int16, nodata=-32768)
        add("nan.tif", gap(waves(110, 90, 0, 300).astype("float32"), numpy.nan), gdal.GDT_Float32, nodata=numpy.nan)
        add("geographic.tif", waves(110, 90, 0, 300).astype("float32"), gdal.GDT_Float32, epsg=4326, transform=(-35.1, 0.00025, 0, -7.9, 0, -0.00025))
        add("south_up.tif", waves(110, 90, 0, 300).astype("float32"), gdal.GDT_Float32, transform=(289000.0, 30, 0, 9116000.0, 0, 30))
        add("second_band.tif", [waves(110, 90, 0, 1).astype("float32"), waves(110, 90, 0, 300, seed=5).astype("float32")], gdal.GDT_Float32)
        return names

    def test_a_slope_has_straight_lines_at_the_levels(self):
        # Heights 5, 15, … 95 from west to east at the cell centres 5, 15, … 95: a level lies at its own x.
        cells = numpy.tile(numpy.arange(5, 100, 10, "float32"), (4, 1))
        write(self.path("a.tif"), [cells], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000040, 0, -10))
        told = self.told("a.tif", levels=[20, 50])
        lines = features(self.path("out.gpkg"))
        self.assertEqual([f["elev"] for f, _ in lines], [20, 50])
        for fields, wkt in lines:
            for x, *_ in ogr.CreateGeometryFromWkt(wkt).GetPoints():
                self.assertAlmostEqual(x - 500000, fields["elev"], delta=1e-5)
            # From edge to edge; 0.9996 map metres to a metre here.
            self.assertAlmostEqual(fields["length_m"], 40 / 0.9996, delta=1e-3)
        self.assertEqual((told["level_count"], told["feature_count"], told["value_min"], told["value_max"]), (2, 2, 5, 95))
        self.assertAlmostEqual(told["length_m"], 80 / 0.9996, delta=2e-3)

    def test_the_areas_between_levels_add_up(self):
        cells = numpy.tile(numpy.arange(5, 100, 10, "float32"), (4, 1))
        write(self.path("a.tif"), [cells], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000040, 0, -10))
        told = self.told("a.tif", levels=[20, 50], polygons=True)
        bands = features(self.path("out.gpkg"))
        self.assertEqual([(f["elev_min"], f["elev_max"]) for f, _ in bands], [(5, 20), (20, 50), (50, 95)])
        # GDAL draws areas to the edge of the raster.
        for (fields, wkt), width in zip(bands, (20, 30, 50)):
            self.assertAlmostEqual(fields["area_m2"], width * 40 / 0.9996 ** 2, delta=0.01)
            self.assertTrue(ogr.CreateGeometryFromWkt(wkt).IsValid())
        self.assertAlmostEqual(told["area_m2"], 4000 / 0.9996 ** 2, delta=0.02)

    def test_the_lowest_area_begins_at_the_level_below(self):
        for low, high, bands in ((315, 2295, [(300, 1300), (1300, 2300)]), (-1, 19, [(-20, 0), (0, 20)]), (-95, -5, [(-100, 0)])):
            with self.subTest(low=low, high=high):
                write(self.path("a.tif"), [waves(60, 50, low, high)], gdal.GDT_Float64)
                step = bands[0][1] - bands[0][0]
                if len(bands) == 1:
                    self.told("a.tif", levels=[low + 10], polygons=True)
                    bands = [(low, low + 10), (low + 10, high)]
                else:
                    self.told("a.tif", interval=step, base=bands[0][0], polygons=True)
                found = [(f["elev_min"], f["elev_max"]) for f, _ in features(self.path("out.gpkg"))]
                self.assertEqual([tuple(round(v, 9) for v in f) for f in found], bands)

    def test_the_lines_are_those_of_gdal_contour(self):
        names = self.surfaces()
        self.assertGreaterEqual(len(names), 10)
        for name in names:
            for ours, theirs in (({"interval": 25}, ["-i", 25]), ({"interval": 40, "base": 7}, ["-i", 40, "-off", 7]),
                                 ({"levels": [60.5, 33, 120]}, ["-fl", 33, 60.5, 120])):
                with self.subTest(name=name, **ours):
                    told = self.told(name, band=band_of(name), **ours)
                    self.program("gdal_contour", "-q", "-b", band_of(name), "-a", "elev", *theirs, name, "theirs.gpkg")
                    mine = sorted((f["elev"], wkt) for f, wkt in features(self.path("out.gpkg")))
                    expected = sorted((f["elev"], wkt) for f, wkt in features(self.path("theirs.gpkg")))
                    os.remove(self.path("theirs.gpkg"))
                    self.assertEqual(mine, expected)
                    self.assertEqual(told["feature_count"], len(expected))
                    levels = numpy.array(ours["levels"]) if "levels" in ours else ours.get("base", 0) + ours["interval"] * numpy.arange(-99, 99)
                    self.assertEqual(told["level_count"], ((levels >= told["value_min"]) & (levels <= told["value_max"])).sum())
                    self.assertLessEqual({elev for elev, _ in expected}, set(levels))

    def test_the_areas_are_those_of_gdal_contour(self):
        for name in self.surfaces():
            with self.subTest(name=name):
                self.told(name, band=band_of(name), levels=[60.5, 100.25, 150.5, 200.25], polygons=True)
                self.program("gdal_contour", "-q", "-b", band_of(name), "-p", "-amin", "low", "-amax", "high", "-fl", 60.5, 100.25, 150.5, 200.25, name, "theirs.gpkg")
                between = lambda found, low, high: {f[low]: ogr.CreateGeometryFromWkt(wkt).GetArea() for f, wkt in found
                                                    if f[low] in (60.5, 100.25, 150.5)}
                mine = between(features(self.path("out.gpkg")), "elev_min", "elev_max")
                expected = between(features(self.path("theirs.gpkg")), "low", "high")
                os.remove(self.path("theirs.gpkg"))
                self.assertEqual(mine.keys(), expected.keys())
                for low, area in expected.items():
                    self.assertAlmostEqual(mine[low] / area, 1, delta=1e-9)

    def test_lengths_are_those_of_geodesics(self):
        rasters.geographic(self.path("a.tif"))
        told = self.told("a.tif", interval=500)
        earth = pyproj.Geod(ellps="WGS84")
        total = 0
        for fields, wkt in features(self.path("out.gpkg")):
            points = ogr.CreateGeometryFromWkt(wkt).GetPoints()
            length = earth.line_length([p[0] for p in points], [p[1] for p in points])
            self.assertAlmostEqual(fields["length_m"], length, delta=1e-5)
            total += length
        self.assertAlmostEqual(told["length_m"] / total, 1, delta=5e-9)

    def test_feet_stay_feet_and_scaled_heights_are_meant(self):
        write(self.path("feet.tif"), [waves(60, 50, 0, 1000).astype("int16")], gdal.GDT_Int16)
        raster = gdal.Open(self.path("feet.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetUnitType("ft")
        raster.GetRasterBand(1).SetScale(0.5)
        raster.GetRasterBand(1).SetOffset(10)
        del raster
        told = self.told("feet.tif", interval=100)
        self.assertEqual((told["unit"], told["lowest_level"], told["highest_level"]), ("ft", 100, 500))
        self.assertEqual((told["value_min"], told["value_max"]), (10, 510))

    def test_geojson_is_in_longitude_and_latitude(self):
        write(self.path("a.tif"), [waves(60, 50, 0, 100).astype("float32")], gdal.GDT_Float32)
        self.output = "out.geojson"
        told = self.told("a.tif", interval=20)
        self.assertEqual(told["crs"], "OGC:CRS84")
        for _, wkt in features(self.path("out.geojson")):
            for x, y in ogr.CreateGeometryFromWkt(wkt).GetPoints():
                self.assertTrue(-36 < x < -34 and -9 < y < -7, (x, y))

    def test_infinite_cells_have_no_data(self):
        cells = waves(40, 30, 0, 100).astype("float32")
        for cell, name in ((numpy.inf, "a.tif"), (-1, "b.tif")):
            cells[3, 4] = cell
            write(self.path(name), [cells], gdal.GDT_Float32, nodata=-1 if cell == -1 else None)
            told = self.told(name, interval=5, overwrite=True)
            self.assertEqual(any("infinite values, which count as cells without data" in w for w in told["warnings"]), name == "a.tif")
            drawn = features(self.path("out.gpkg"))
            if name == "a.tif":
                before = drawn
        self.assertEqual(before, drawn)

    def test_mistakes_are_named(self):
        write(self.path("a.tif"), [waves(30, 20, 0, 100)], gdal.GDT_Float64)
        write(self.path("level.tif"), [numpy.full((9, 9), 4.25)], gdal.GDT_Float64)
        write(self.path("none.tif"), [numpy.full((9, 9), -1.0)], gdal.GDT_Float64, nodata=-1)
        rasters.palette(self.path("classes.tif"))
        more.without_grid(self.path("plain.tif"))
        more.cut_short(self.path("a.tif"), self.path("broken.tif"))
        self.refused((({"uri": "a.tif"}, "neither"), ({"uri": "a.tif", "interval": 5, "levels": [3]}, "both"),
                      ({"uri": "a.tif", "levels": [200]}, "no level lies between"), ({"uri": "level.tif", "interval": 1}, "no level"),
                      ({"uri": "a.tif", "interval": 0.001}, "more than 10000"), ({"uri": "a.tif", "interval": 5e-324}, "cannot be told apart"),
                      ({"uri": "a.tif", "interval": 1, "base": 1e300}, "cannot be told apart"), ({"uri": "none.tif", "interval": 1}, "no cell with data"),
                      ({"uri": "classes.tif", "interval": 1}, "palette"), ({"uri": "plain.tif", "interval": 1}, "no geotransform"),
                      ({"uri": "broken.tif", "interval": 1}, "cannot read"), ({"uri": "a.tif", "interval": -1}, "interval")))


if __name__ == "__main__":
    session.main()
