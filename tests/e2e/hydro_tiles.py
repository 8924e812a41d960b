"""Terrains that do not fit in the memory of a call are worked on in tiles, with the result of one grid, cell by cell."""
import os
import unittest

import numpy
from osgeo import gdal

import hydro
import rasters
import session
from hydro import HydroClaims
from session import Session, good, problem, run

LITTLE = "512"  # MiB: what a process takes without any grid, so that none fits
IN_TILES = "not fit in memory"


def text_of(result):
    return " ".join(c["text"] for c in result["content"] if c["type"] == "text")


class hydro_tiles(HydroClaims):
    def little(self):
        return Session("--memory", LITTLE, "--toolsets", "all", workspace=self.workspace)

    def both(self, tool, sums=False, **arguments):
        """The structured result of a call in tiles. In memory it is the same, and so are all bands of the output, bit by
        bit; sums of reals to 1e-12, because their order differs."""
        told = []
        for name, s in (("whole.tif", self.session()), ("tiled.tif", self.little())):
            with s:
                result = run(s, tool, {**arguments, "output": name, "overwrite": True})
                told.append(good(result))
                self.assertEqual(IN_TILES in text_of(result), name == "tiled.tif")
        whole, tiled = (gdal.Open(self.path(name)) for name in ("whole.tif", "tiled.tif"))
        for key in ("GetGeoTransform", "GetMetadata", "GetProjection"):
            self.assertEqual(getattr(whole, key)(), getattr(tiled, key)())
        for band in range(1, whole.RasterCount + 1):
            one, two = (file.GetRasterBand(band) for file in (whole, tiled))
            numpy.testing.assert_equal(two.GetNoDataValue(), one.GetNoDataValue())
            numpy.testing.assert_allclose(two.ReadAsArray(), one.ReadAsArray(), rtol=1e-12 if sums else 0, atol=0)
        self.assert_same_report(*told)
        return told[1]

    def assert_same_report(self, one, two):
        self.assertEqual(one.keys(), two.keys())
        for key in one.keys() - {"output", "uri", "result_uri"}:
            if isinstance(one[key], dict):
                self.assert_same_report(one[key], two[key])
            elif isinstance(one[key], float):
                self.assertAlmostEqual(two[key] / one[key] if one[key] else 1, 1, delta=1e-12)
            elif key not in ("path", "size_bytes"):
                self.assertEqual(one[key], two[key], key)

    def random_dem(self, seed, gdal_type=gdal.GDT_Float32, transform=None):
        """Of 600 by 700 cells, rough and with holes of nodata, so that depressions and holes reach over several tiles."""
        random = numpy.random.default_rng(seed)
        heights = numpy.round(rasters.waves(700, 600, 100, 200, seed) + random.random((600, 700)) * 4, 0 if gdal_type == gdal.GDT_Int16 else 3)
        heights[200:320, 240:300] = -9999
        heights[random.random(heights.shape) < 0.001] = -9999
        heights[:, :3] = -9999
        heights[400:403, 0:300] = -9999
        rasters.write(self.path("dem.tif"), [heights], gdal_type, epsg=32633, transform=transform or self.transform, nodata=-9999)

    def test_filled_in_tiles_as_in_memory(self):
        for seed, holes, kind in ((1, "outlet", gdal.GDT_Float32), (2, "missing", gdal.GDT_Float64), (3, "missing", gdal.GDT_Int16), (4, "outlet", gdal.GDT_Int32)):
            with self.subTest(seed=seed):
                self.random_dem(seed, kind)
                told = self.both("hydro_condition", uri="dem.tif", method="fill", nodata_holes=holes)
                self.assertEqual(told["nodata_holes"], holes)
                self.assertGreater(told["depressions"]["count"], 1000)

    def test_deep_depressions_are_kept_whole(self):
        self.random_dem(5)
        told = self.both("hydro_condition", uri="dem.tif", method="fill", nodata_holes="missing", max_depth=5)
        self.assertGreater(told["depressions"]["left"], 10)

    def test_a_south_up_grid(self):
        self.random_dem(6, transform=(500000.0, 20.0, 0.0, 3980000.0, 0.0, 30.0))
        self.both("hydro_condition", uri="dem.tif", method="fill", nodata_holes="outlet")

    @unittest.skipUnless(os.path.isdir(hydro.ENO), "no TauDEM test data")
    def test_a_real_terrain(self):
        file = gdal.Open(os.path.join(hydro.ENO, "enogeo.tif"))
        gdal.GetDriverByName("GTiff").CreateCopy(self.path("dem.tif"), file)
        told = self.both("hydro_condition", uri="dem.tif", method="fill")
        filled = gdal.Open(os.path.join(hydro.ENO, "enogeofel.tif")).ReadAsArray()
        heights = self.read("tiled.tif")
        valid = filled > -1e30
        self.assertEqual(int(valid.sum()), told["terrain_cells"])
        numpy.testing.assert_array_equal(heights[valid], filled[valid])

    def directions(self, **arguments):
        with self.session() as s:
            good(run(s, "hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "filled.tif", **arguments}))
            good(run(s, "hydro_flow_direction", {"uri": "filled.tif", "method": "d8", "output": "directions.tif"}))

    def test_flow_accumulated_in_tiles_as_in_memory(self):
        self.random_dem(8)
        self.directions(nodata_holes="missing")
        counts = self.both("hydro_flow_accumulation", uri="directions.tif")
        self.assertEqual((counts["dtype"], counts["conservation"]["discharged"]), ("UInt32", counts["terrain_cells"]))
        self.both("hydro_flow_accumulation", uri="directions.tif", edge_contamination="nodata")
        self.both("hydro_flow_accumulation", uri="directions.tif", edge_contamination="ignore", unit="km2", sums=True)
        self.both("hydro_flow_accumulation", uri="directions.tif", unit="sca", sums=True)
        weights = numpy.random.default_rng(8).random((600, 700))
        rasters.write(self.path("weights.tif"), [weights], gdal.GDT_Float64, epsg=32633, transform=self.transform)
        self.both("hydro_flow_accumulation", uri="directions.tif", weights="weights.tif", unit="km2", sums=True)
        self.both("hydro_flow_accumulation", uri="directions.tif", weights="weights.tif", sums=True)

    @unittest.skipUnless(os.path.isdir(hydro.ENO), "no TauDEM test data")
    def test_flow_of_a_real_terrain(self):
        file = gdal.Open(os.path.join(hydro.ENO, "enogeo.tif"))
        gdal.GetDriverByName("GTiff").CreateCopy(self.path("dem.tif"), file)
        self.directions()
        self.both("hydro_flow_accumulation", uri="directions.tif")
        self.both("hydro_flow_accumulation", uri="directions.tif", unit="km2", sums=True)

    def test_directions_that_are_refused(self):
        codes = numpy.full((600, 700), 1)
        codes[255, 255], codes[255, 256], codes[256, 255], codes[256, 256] = 1, 4, 64, 16  # a loop through four tiles
        self.write_codes(codes)
        weights = numpy.ones((600, 700))
        weights[300, 400] = weights[500, 100] = -9999
        rasters.write(self.path("weights.tif"), [weights], gdal.GDT_Float64, epsg=32633, transform=self.transform, nodata=-9999)
        with self.little() as s:
            p = problem(run(s, "hydro_flow_accumulation", {"uri": "directions.tif", "output": "out.tif"}))
            self.assertIn("form a loop", p["message"])
            p = problem(run(s, "hydro_flow_accumulation", {"uri": "directions.tif", "output": "out.tif", "weights": "weights.tif"}))
            self.assertIn("no weight for 2 cells that have a direction, the first at column 400, row 300", p["message"])
            codes[400, 500] = 3
            self.write_codes(codes)
            p = problem(run(s, "hydro_flow_accumulation", {"uri": "directions.tif", "output": "out.tif"}))
            self.assertIn("the value 3 at column 500, row 400", p["message"])
        self.assertFalse(os.path.exists(self.path("out.tif")))

    def test_what_needs_the_whole_raster_says_which_tools_do_not(self):
        self.sparse("dem.tif", 255)
        self.sparse("directions.tif", 255, {"GDALMCP_FLOW_ENCODING": "esri"})
        outlets = self.point(self.centre((5, 5)))
        with self.little() as s:
            for tool, arguments in (("hydro_condition", {"uri": "dem.tif", "method": "breach"}),
                                    ("hydro_flow_direction", {"uri": "dem.tif", "method": "d8"}),
                                    ("hydro_flow_accumulation", {"uri": "dem.tif", "method": "dinf"}),
                                    ("hydro_streams", {"directions": "directions.tif", "threshold_km2": 1}),
                                    ("hydro_watershed", {"directions": "directions.tif"}),
                                    ("hydro_index", {"directions": "directions.tif", "measure": "flow_length"}),
                                    ("hydro_delineate", {"uri": "dem.tif", "method": "fill", "threshold_km2": 1, "outlets": outlets})):
                with self.subTest(tool=tool):
                    output = "out.gpkg" if tool == "hydro_delineate" else "out.tif"
                    p = problem(run(s, tool, {**arguments, "output": output}))
                    self.assertEqual(p["error"], "exhausted")
                    self.assertIn("has 47000 x 46000 cells", p["message"])
                    self.assertIn("work in tiles at any size", p["hint"])

    def sparse(self, name, nodata, tags=None):
        """More than 2^31 cells, all 0, of which none is stored."""
        file = gdal.GetDriverByName("GTiff").Create(self.path(name), 47000, 46000, 1, gdal.GDT_Byte, ["TILED=YES", "SPARSE_OK=TRUE"])
        file.SetGeoTransform(self.transform)
        file.SetSpatialRef(rasters.crs(32633))
        file.GetRasterBand(1).SetNoDataValue(nodata)
        file.SetMetadata(tags or {})

    def test_what_stays_to_be_asked_and_refused(self):
        self.random_dem(7)
        with self.little() as s:
            p = problem(run(s, "hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "out.tif"}))
            self.assertIn("holes of nodata inside the terrain", p["message"])
            rasters.write(self.path("empty.tif"), [numpy.full((300, 300), -9999.0)], gdal.GDT_Float32, epsg=32633, transform=self.transform, nodata=-9999)
            p = problem(run(s, "hydro_condition", {"uri": "empty.tif", "method": "fill", "output": "out.tif"}))
            self.assertIn("has no cell with a height", p["message"])
        self.assertFalse(os.path.exists(self.path("out.tif")))


if __name__ == "__main__":
    session.main()
