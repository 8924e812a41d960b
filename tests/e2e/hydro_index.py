"""hydro_index against walks along the paths and the textbook's formulas."""
import math

import numpy
import pyproj
from pyproj import Geod

import hydro
import rasters
import session
from hydro import NODATA, HydroClaims, count_upstream, path, receiver
from session import Session, good, run

AREA = 20 * 30 / 0.9996 ** 2  # m2 of a cell


class hydro_index(HydroClaims):
    def session(self):
        return Session("--toolsets", "all", workspace=self.workspace)

    def index(self, s, measure, **arguments):
        told = good(s.call("hydro_index", {"measure": measure, "directions": "directions.tif", "output": "index.tif", "overwrite": True, **arguments}))
        values = self.read("index.tif")
        known = values[~numpy.isnan(values)]
        self.assertEqual(told["value_cells"], known.size)
        for name, value in (("min", known.min()), ("max", known.max()), ("mean", known.mean())):
            self.assertAlmostEqual(told[name], value, places=9)
        return values, told

    def test_a_slope_down_to_a_river(self):
        # The river flows east along the last row.
        self.write_codes([[4, 4, 255], [2, 4, 4], [1, 1, 1]])
        self.write_heights(numpy.array([[9, 7, -9999], [8, 5, 4], [3, 2, 1.0]]))
        with self.session() as s:
            good(run(s, "hydro_streams", {"directions": "directions.tif", "threshold_km2": 0.0015, "output": "streams.tif"}))
            hand, told = self.index(s, "hand", dem="dem.tif", streams="streams.tif")
            self.assertEqual(told["unit"], "m")
            length, _ = self.index(s, "flow_length", streams="streams.tif")
            to_end, _ = self.index(s, "flow_length")
        # Cells with at least three cells upstream: the river from its second cell on.
        self.assertEqual(self.read("streams.tif").tolist(), [[0, 0, -1], [0, 0, 0], [0, 1, 1]])
        expected = [[9 - 2, 7 - 2, None], [8 - 2, 5 - 2, 4 - 1], [3 - 2, 0, 0]]
        self.assertEqual([[None if math.isnan(v) else v for v in row] for row in hand.tolist()], expected)
        self.assertEqual(length[0, 1], 60)
        self.assertEqual(length[2, 0], 20)
        self.assertEqual(to_end[0, 1], 80)

    def test_land_that_drains_to_no_stream_is_counted(self):
        # The upper row leaves the terrain by itself.
        self.write_codes([[1, 1, 1], [1, 1, 1]])
        self.write_heights(numpy.array([[9, 8, 7], [3, 2, 1.0]]))
        rasters.write(self.path("streams.tif"), [numpy.array([[0, 0, 0], [0, 0, 1]], "uint8")], rasters.gdal.GDT_Byte, epsg=32633, transform=self.transform)
        with self.session() as s:
            _, told = self.index(s, "hand", dem="dem.tif", streams="streams.tif")
        self.assertIn("3 of 6 terrain cells drain to no stream, and have no value", told["warnings"])

    def test_lengths_are_true_in_an_equal_area_crs(self):
        # At 60 degrees EPSG:6933 has true areas, made of lengths 1.7 times too long east to west, and too short south to north.
        x, y, *_ = rasters.osr.CoordinateTransformation(rasters.crs(4326), rasters.crs(6933)).TransformPoint(20.0, 60.0)
        where = (x, 30.0, 0.0, y, 0.0, -30.0)
        rasters.write(self.path("directions.tif"), [numpy.array([[1, 1, 4], [255, 255, 4], [255, 255, 4]], "uint8")], hydro.gdal.GDT_Byte,
                      transform=where, epsg=6933, nodata=255)
        with self.session() as s:
            told = good(s.call("hydro_index", {"measure": "flow_length", "directions": "directions.tif", "encoding": "esri", "output": "index.tif"}))
        back = rasters.osr.CoordinateTransformation(rasters.crs(6933), rasters.crs(4326))
        def centre(row, column):
            return back.TransformPoint(x + 30 * (column + 0.5), y - 30 * (row + 0.5))[:2]
        path = [centre(0, 0), centre(0, 1), centre(0, 2), centre(1, 2), centre(2, 2)]
        earth = Geod(ellps="WGS84")
        expected = sum(earth.inv(*a, *b)[2] for a, b in zip(path, path[1:]))
        self.assertAlmostEqual(self.read("index.tif")[0, 0] / expected, 1, places=4)
        self.assertTrue(any("times their true size here" in w for w in told["warnings"]), told["warnings"])

    def test_a_scale_that_changes_along_the_rows_is_told_with_what_it_is_worth(self):
        # 6000 km across the sea ice grid: 0.97 at the pole, more to both sides.
        rasters.write(self.path("directions.tif"), [numpy.ones((40, 240), "uint8")], hydro.gdal.GDT_Byte,
                      transform=(-2500000, 25000, 0, 500000, 0, -25000), epsg=3413, nodata=255)
        scale = pyproj.Proj("EPSG:3413")
        most = scale.get_factors(*scale(3487500, 487500, inverse=True)).meridional_scale
        with self.session() as s:
            told = good(s.call("hydro_index", {"measure": "flow_length", "directions": "directions.tif", "encoding": "esri", "output": "index.tif"}))
        (words,) = [w for w in told["warnings"] if "over the whole grid" in w]
        self.assertAlmostEqual(float(words.split("over the whole grid they are ")[1].split(" to ")[1].split(" ")[0]), most, delta=0.005)

    def test_random_terrains_by_walking(self):
        with self.session() as s:
            for seed in range(3):
                codes = self.terrain(s, seed)
                heights, count = self.read("filled.tif"), count_upstream(codes)
                good(run(s, "hydro_streams", {"directions": "directions.tif", "threshold_km2": 7.5 * AREA / 1e6, "output": "streams.tif", "overwrite": True}))
                streams = self.read("streams.tif") > 0
                hand, _ = self.index(s, "hand", dem="filled.tif", streams="streams.tif")
                twi, told = self.index(s, "twi", dem="filled.tif")
                spi, _ = self.index(s, "spi", dem="filled.tif")
                flat = 0
                for cell in hydro.cells(codes):
                    channel = next((c for c in path(codes, cell) if streams[c]), None)
                    self.assertTrue(math.isnan(hand[cell]) if channel is None else hand[cell] == heights[cell] - heights[channel])
                    below, behind = receiver(codes, cell), hydro.behind(codes, cell)
                    upper, lower = (cell, below) if below else (behind, cell) if behind else (cell, cell)
                    slope = (heights[upper] - heights[lower]) / hydro.step_length(codes, cell, 20, 30) if upper != lower else 0
                    flat += slope < 0.001
                    area = count[cell] * AREA / math.sqrt(AREA)
                    self.assertAlmostEqual(twi[cell], math.log(area / max(slope, 0.001)), delta=1e-4)
                    self.assertAlmostEqual(spi[cell], area * max(slope, 0.001), delta=1e-4 * area)
                self.assertEqual(told["flat_cells"], flat)
                self.assertTrue((numpy.isnan(twi) == (codes == NODATA)).all())

    def test_where_a_plane_ends_its_slope_goes_on(self):
        self.write_codes([[4, 4], [4, 4], [4, 4]])
        self.write_heights(numpy.array([[9, 9], [6, 6], [3, 3.0]]))  # 3 m in 30 m
        with self.session() as s:
            twi, told = self.index(s, "twi", dem="dem.tif")
        self.assertEqual(told["flat_cells"], 0)
        for row in range(3):
            self.assertAlmostEqual(twi[row, 0], math.log((row + 1) * math.sqrt(20 * 30) / 0.1), delta=0.001)

    def test_cells_that_are_not_square_have_no_one_contour_width(self):
        self.write_codes([[4, 4, 4], [4, 4, 4], [4, 4, 4]])
        self.write_heights(numpy.array([[9, 9, 9], [8, 8, 8], [7, 7, 7.0]]))
        with self.session() as s:
            for tool, arguments in (("hydro_index", {"measure": "twi", "directions": "directions.tif", "dem": "dem.tif"}),
                                    ("hydro_flow_accumulation", {"uri": "directions.tif", "unit": "sca"})):
                told = good(run(s, tool, {**arguments, "output": "out.tif", "overwrite": True}))
                (words,) = [w for w in told["warnings"] if w.startswith("cells are ")]
                self.assertIn("off by up to a factor of 1.22", words)  # sqrt(30 / 20)
            told = good(run(s, "hydro_flow_accumulation", {"uri": "directions.tif", "unit": "km2", "output": "out.tif", "overwrite": True}))
            self.assertNotIn("cells are ", str(told["warnings"]))

    def test_what_is_refused(self):
        self.write_codes([[1, 1, 1]])
        self.write_heights(numpy.array([[3, 2, 1.0]]))
        with self.session() as s:
            good(run(s, "hydro_flow_accumulation", {"uri": "directions.tif", "output": "cells.tif"}))
        at = {"directions": "directions.tif"}
        self.refused("hydro_index", [
            ({**at, "measure": "hand", "dem": "dem.tif"}, "needs 'streams'"),
            ({**at, "measure": "twi"}, "needs 'dem'"),
            ({**at, "measure": "flow_length", "dem": "dem.tif"}, "does not use 'dem'"),
            ({**at, "measure": "spi", "dem": "dem.tif", "accumulation": "cells.tif"}, "is in cells", "in m"),
            ({"directions": "dem.tif", "measure": "flow_length"}, "declares no encoding")])


if __name__ == "__main__":
    session.main()
