"""raster_terrain against the gdaldem program, bit by bit, and against closed forms where that program assumes too much."""
import math
import subprocess
import sys

import numpy
from osgeo import gdal

import more
import rasters
import session
from rasters import write
from session import Claims, Session, good, problem

HERE = (289000.0, 30.0, 0.0, 9121000.0, 0.0, -30.0)
DEMO = ("slope", [], {}), ("slope", ["-p"], {"slope_unit": "percent"}), ("slope", ["-alg", "ZevenbergenThorne"], {"algorithm": "zevenbergen_thorne"}), \
    ("aspect", [], {}), ("hillshade", [], {}), ("hillshade", ["-az", "20", "-alt", "60"], {"azimuth": 20, "altitude": 60}), \
    ("slope", ["-s", "0.5"], {"z_factor": 2}), ("TRI", [], {}), ("TRI", ["-alg", "Wilson"], {"algorithm": "wilson"}), ("TPI", [], {}), ("roughness", [], {})


def heights(dtype="float32", low=0, high=900):
    return rasters.waves(230, 170, low, high).astype(dtype)


def holes(cells, value):
    cells[60:70, 40:90] = value
    cells[0, 0] = value
    return cells


def make(at):
    """Ten elevation models on square cells in metres, which gdaldem takes them to be: path, band."""
    yield write(at("float.tif"), [heights()], gdal.GDT_Float32, transform=HERE), 1
    yield write(at("holes.tif"), [holes(heights(), -9999)], gdal.GDT_Float32, transform=HERE, nodata=-9999), 1
    yield write(at("int16.tif"), [holes(heights("int16"), -32768)], gdal.GDT_Int16, transform=HERE, nodata=-32768), 1
    yield write(at("uint16.tif"), [heights("uint16")], gdal.GDT_UInt16, transform=HERE), 1
    yield write(at("byte.tif"), [heights("uint8", 0, 255)], gdal.GDT_Byte, transform=HERE), 1
    yield write(at("int32.tif"), [heights("int32")], gdal.GDT_Int32, transform=HERE), 1
    yield write(at("double.tif"), [heights("float64")], gdal.GDT_Float64, transform=HERE), 1
    yield write(at("bands.tif"), [heights(low=500), heights()], gdal.GDT_Float32, transform=HERE), 2
    yield write(at("strips.tif"), [heights()], gdal.GDT_Float32, transform=HERE, options=()), 1
    yield write(at("north.tif"), [heights()], gdal.GDT_Float32, epsg=32633, transform=(500000, 10, 0, 5000000, 0, -10)), 1
    yield write(at("row.tif"), [heights()[:1]], gdal.GDT_Float32, transform=HERE), 1
    yield write(at("dot.tif"), [heights()[:1, :1]], gdal.GDT_Float32, transform=HERE), 1


class raster_terrain(Claims):
    def test_the_cells_of_gdaldem(self):
        compared = 0
        with Session(workspace=self.workspace) as s:
            for path, band in make(self.path):
                for mode, words, arguments in DEMO:
                    with self.subTest(path=path, mode=mode, words=words):
                        told = good(s.call("raster_terrain", {"uri": path, "measure": mode.lower(), "band": band, "output": "ours.tif", "overwrite": True, **arguments}))
                        subprocess.run(["gdaldem", mode, path, self.path("theirs.tif"), "-b", str(band), "-q", *words], check=True)
                        ours, theirs = (gdal.Open(self.path(n)) for n in ("ours.tif", "theirs.tif"))
                        expected = theirs.ReadAsArray()
                        numpy.testing.assert_array_equal(ours.ReadAsArray(), expected)
                        valid = expected != theirs.GetRasterBand(1).GetNoDataValue()
                        self.assertEqual(told["valid_count"], valid.sum())
                        if valid.any() and mode != "aspect":
                            self.assertAlmostEqual(told["mean"], expected[valid].mean(dtype="float64"), delta=1e-9 * abs(told["max"]) + 1e-9)
                        compared += 1
        print(f"{compared} comparisons", file=sys.stderr)

    def slope_of(self, cells, arguments=None, **how):
        write(self.path("plane.tif"), [cells.astype("float32")], gdal.GDT_Float32, **how)
        with Session(workspace=self.workspace) as s:
            return s.call("raster_terrain", {"uri": "plane.tif", "measure": "slope", **(arguments or {})})

    def test_rows_of_a_geographic_grid_have_their_own_width(self):
        """A plane that rises by 1 m from column to column, cells of 0.001 degrees: the run is that of each latitude."""
        latitudes = 60.0005 - 0.001 * numpy.arange(1000)
        rises = numpy.tile(numpy.arange(50.0), (1000, 1))
        told = good(self.slope_of(rises, epsg=4326, transform=(10, 0.001, 0, 60.001, 0, -0.001)))
        a, e2 = 6378137.0, 2 / 298.257223563 - 1 / 298.257223563 ** 2
        phi = numpy.radians(latitudes[1:-1])
        run = math.radians(0.001) * a / numpy.sqrt(1 - e2 * numpy.sin(phi) ** 2) * numpy.cos(phi)
        expected = numpy.degrees(numpy.arctan(1 / run))
        self.assertAlmostEqual(told["min"], expected.min(), delta=2e-6)
        self.assertAlmostEqual(told["max"], expected.max(), delta=2e-6)
        self.assertAlmostEqual(told["mean"], expected.mean(), delta=2e-6)
        self.assertIn("geographic", " ".join(told["warnings"]))

    def test_feet_are_brought_together_or_refused(self):
        rises = numpy.tile(100.0 * numpy.arange(20), (20, 1))
        feet = {"epsg": 2263, "transform": (980000, 100, 0, 200000, 0, -100)}
        p = problem(self.slope_of(rises, **feet))
        self.assertIn("no unit", p["message"])
        self.assertIn("z_factor", p["hint"])
        self.assertAlmostEqual(good(self.slope_of(rises, {"z_factor": 1}, **feet))["mean"], 45, delta=1e-4)
        self.assertAlmostEqual(good(self.slope_of(rises, {"z_factor": 3937 / 1200}, **feet))["mean"], math.degrees(math.atan(3937 / 1200)), delta=1e-4)

    def test_a_level_plain_has_no_slope_and_no_aspect(self):
        write(self.path("level.tif"), [numpy.full((20, 20), 7.0)], gdal.GDT_Float32, transform=HERE)
        with Session(workspace=self.workspace) as s:
            slope = good(s.call("raster_terrain", {"uri": "level.tif", "measure": "slope"}))
            self.assertEqual((slope["min"], slope["max"], slope["valid_count"]), (0, 0, 18 * 18))
            aspect = good(s.call("raster_terrain", {"uri": "level.tif", "measure": "aspect"}))
            self.assertEqual(aspect["valid_count"], 0)
            self.assertNotIn("mean", aspect)

    def test_arguments_that_do_not_fit_are_refused_by_name(self):
        rasters.palette(self.path("classes.tif"))
        write(self.path("heights.tif"), [heights()], gdal.GDT_Float32, transform=HERE)
        more.beyond_doubles(self.path("wide.tif"))
        with Session(workspace=self.workspace) as s:
            for arguments, word in (({"uri": "classes.tif", "measure": "slope"}, "palette"), ({"measure": "tpi", "algorithm": "horn"}, "algorithm"),
                                    ({"measure": "roughness", "z_factor": 2}, "z_factor"), ({"measure": "slope", "band": 3}, "band"),
                                    ({"measure": "steepness"}, "slope"),
                                    ({"uri": "wide.tif", "measure": "roughness"}, "2^53"), ({"uri": "wide.tif", "measure": "slope"}, "2^53")):
                p = problem(s.call("raster_terrain", {"uri": "heights.tif", **arguments}))
                self.assertIn(word, p["message"] + p["hint"])


if __name__ == "__main__":
    session.main()
