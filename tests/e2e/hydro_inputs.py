"""What tools of hydrology do not take for directions or heights: directions moved to other cells, codes and areas instead of heights, and
heights that mark missing ones without saying so."""
import os

import numpy
from osgeo import gdal

import rasters
import session
from hydro import HydroClaims
from session import Session, good, problem

DOMAINS = ("crs_datum", "resampling", "aggregation", "format_selection", "spatial_query", "hydrology")
FOLLOWERS = (("hydro_flow_accumulation", {"uri": "moved.tif", "output": "o.tif"}),
             ("hydro_flow_accumulation", {"uri": "moved.tif", "encoding": "esri", "output": "o.tif"}),
             ("hydro_watershed", {"directions": "moved.tif", "encoding": "esri", "output": "o.tif"}),
             ("hydro_streams", {"directions": "moved.tif", "encoding": "esri", "threshold_km2": 0.05, "output": "o.tif"}),
             ("hydro_index", {"directions": "moved.tif", "encoding": "esri", "measure": "flow_length", "output": "o.tif"}))


class hydro_inputs(HydroClaims):
    transform = (500000.0, 30.0, 0.0, 5500000.0, 0.0, -30.0)

    def setUp(self):
        super().setUp()
        policy = os.path.join(self.folder.name, "policy.yaml")
        with open(policy, "w") as f:
            f.write("domains:\n" + "".join(f"  {name}: {{off: true}}\n" for name in DOMAINS))
        self.server = Session("--toolsets", "all", "--policy", policy, workspace=self.workspace)
        self.addCleanup(self.server.close)
        # One valley that drains to the west.
        y, x = numpy.mgrid[0:40, 0:60]
        self.heights = 100 + x + 2.0 * abs(y - 20)
        self.write_heights(self.heights)

    def told(self, tool, **arguments):
        return good(self.server.call(tool, {**arguments, "overwrite": True} if "output" in arguments or "dst_dataset" in arguments else arguments))

    def problem(self, tool, **arguments):
        return problem(self.server.call(tool, arguments))

    def directed(self, method="d8", output="directions.tif"):
        self.told("hydro_flow_direction", uri="dem.tif", method=method, output=output)

    def tag(self, name, key="GDALMCP_FLOW_ENCODING"):
        return gdal.Open(self.path(name)).GetMetadataItem(key)

    def moves(self):
        box = [500000, 5498800, 501800, 5500000]
        yield "raster_reproject", {"uri": "directions.tif", "dst_crs": "EPSG:3413", "resampling": "nearest", "output": "moved.tif"}
        yield "raster_reproject", {"uri": "directions.tif", "dst_crs": "EPSG:32633", "resolution": 60, "resampling": "mode", "output": "moved.tif"}
        yield "raster_query", {"uri": "directions.tif", "geometry": box, "geometry_crs": "EPSG:32633", "resolution": 90,
                               "resampling": "nearest", "output": "moved.tif"}
        yield "raster_mosaic", {"uris": ["directions.tif", "directions2.tif"], "resolution": 60, "resampling": "nearest", "overlap": "first", "output": "moved.tif"}
        yield "gdalwarp", {"src_datasets": ["directions.tif"], "t_srs": "EPSG:3413", "dst_dataset": "moved.tif"}
        yield "gdal_translate", {"src_dataset": "directions.tif", "outsize": [30, 20], "dst_dataset": "moved.tif"}

    def test_directions_that_were_moved_are_followed_by_no_tool(self):
        self.directed()
        self.directed(output="directions2.tif")
        for tool, arguments in self.moves():
            with self.subTest(tool=tool, arguments=arguments):
                said = " ".join(self.told(tool, **arguments).get("warnings", []))
                self.assertIn("holds flow directions, which point to neighbouring cells", said)
                self.assertIn("make directions of it with hydro_flow_direction", said)
                self.assertEqual(self.tag("moved.tif"), "moved")
                self.followed_by_none()

    def test_so_are_those_that_other_programs_moved(self):
        self.directed()
        here, moved = self.path("directions.tif"), self.path("moved.tif")
        for options in ({"width": 120, "height": 80}, {"width": 30, "height": 20}):
            gdal.Translate(moved, here, **options)
            self.followed_by_none()
        for options in ({"dstSRS": "EPSG:4326"}, {"outputBounds": [500010, 5498810, 501700, 5499990]}, {"xRes": 45, "yRes": 45}):
            gdal.Warp(moved, here, **options)
            self.assertEqual(self.tag("moved.tif"), "esri")
            self.followed_by_none()
        gdal.Translate(moved, here, srcWin=[10, 0, 50, 40])
        self.told("hydro_flow_accumulation", uri="moved.tif", output="o.tif")

    def test_so_are_angles_and_shares(self):
        for method in ("dinf", "mfd"):
            self.directed(method)
            self.told("raster_reproject", uri="directions.tif", dst_crs="EPSG:32633", resolution=60, resampling="nearest", output="moved.tif")
            p = self.problem("hydro_flow_accumulation", uri="moved.tif", output="o.tif")
            self.assertIn("were moved to other cells", p["message"])

    def followed_by_none(self):
        for tool, arguments in FOLLOWERS:
            with self.subTest(follower=tool):
                p = self.problem(tool, **arguments)
                self.assertIn("the flow directions of", p["message"])
                self.assertIn("were moved to other cells", p["message"])
                self.assertIn("resample the DEM instead, with raster_reproject", p["hint"])

    def test_directions_on_their_own_cells_stay_directions(self):
        self.directed()
        all_cells = self.told("hydro_flow_accumulation", uri="directions.tif", output="all.tif")
        whole, part = [500000, 5498800, 501800, 5500000], [500300, 5498800, 501800, 5500000]
        for tool, arguments in (("raster_convert", {"uri": "directions.tif"}),
                                ("raster_query", {"uri": "directions.tif", "geometry": whole, "geometry_crs": "EPSG:32633"}),
                                ("raster_query", {"uri": "directions.tif", "geometry": whole, "geometry_crs": "EPSG:32633", "resolution": 30, "resampling": "nearest"}),
                                ("raster_reproject", {"uri": "directions.tif", "dst_crs": "EPSG:32633", "resampling": "nearest", "bounds": part}),
                                # The same datum but for a shift that moves the whole grid.
                                ("raster_reproject", {"uri": "directions.tif", "dst_crs": "EPSG:25833", "resampling": "nearest"})):
            with self.subTest(tool=tool, arguments=arguments):
                said = self.told(tool, **arguments, output="kept.tif").get("warnings", [])
                self.assertNotIn("flow directions", " ".join(said))
                self.assertEqual(self.tag("kept.tif"), "esri")
                found = self.told("hydro_flow_accumulation", uri="kept.tif", output="o.tif")
                if "bounds" not in arguments:
                    self.assertEqual(found["maximum"], all_cells["maximum"])

    def test_counts_are_those_of_the_cells_they_were_counted_in(self):
        self.directed()
        self.told("hydro_flow_accumulation", uri="directions.tif", unit="cells", edge_contamination="ignore", output="cells.tif")
        self.told("raster_reproject", uri="cells.tif", dst_crs="EPSG:32633", resolution=60, resampling="max", output="coarse.tif")
        self.told("raster_reproject", uri="dem.tif", dst_crs="EPSG:32633", align_to="coarse.tif", resampling="average", output="dem60.tif")
        self.told("hydro_flow_direction", uri="dem60.tif", method="d8", output="d60.tif")
        p = self.problem("hydro_streams", directions="d60.tif", accumulation="coarse.tif", threshold_km2=0.5, output="o.tif")
        self.assertIn("is in cells of the source", p["message"])

    def test_a_loop_is_laid_to_what_may_have_made_it(self):
        loop = [[1, 4], [64, 16]]
        for tagged, first in ((True, "directions that were reprojected or resampled lead astray"), (False, "check that the encoding is the one")):
            self.write_codes(loop, tag=tagged)
            p = self.problem("hydro_flow_accumulation", uri="directions.tif", output="o.tif", **({} if tagged else {"encoding": "esri"}))
            self.assertIn("form a loop", p["message"])
            self.assertTrue(p["hint"].startswith(first), p["hint"])
            self.assertIn("reprojected or resampled", p["hint"])

    def test_directions_and_areas_are_no_heights(self):
        self.directed()
        self.told("hydro_flow_accumulation", uri="directions.tif", unit="km2", output="areas.tif")
        self.told("hydro_streams", directions="directions.tif", threshold_km2=0.05, output="streams.tif")
        outlets = self.point((500015, 5499385))
        for name, words in (("directions.tif", "is tagged as flow directions (esri), not as heights"), ("areas.tif", "holds no heights: its band 1 is named 'flow accumulation'")):
            of_one = {"uri": name, "band": 1}
            for tool, arguments in (("dem_depressions", of_one), ("stream_threshold", of_one),
                                    ("hydro_condition", {**of_one, "method": "fill", "output": "o.tif"}),
                                    ("hydro_flow_direction", {**of_one, "method": "d8", "output": "o.tif"}),
                                    ("hydro_delineate", {**of_one, "method": "fill", "outlets": outlets, "threshold_km2": 0.05, "output": "o.gpkg"})):
                with self.subTest(tool=tool, name=name):
                    p = self.problem(tool, **arguments)
                    self.assertIn(words, p["message"])
                    self.assertIn("give the DEM", p["hint"])
        for tool, arguments in (("hydro_index", {"measure": "twi"}), ("hydro_index", {"measure": "hand", "streams": "streams.tif"}),
                                ("hydro_streams", {"threshold_km2": 0.05})):
            with self.subTest(tool=tool, arguments=arguments):
                p = self.problem(tool, directions="directions.tif", dem="directions.tif", **arguments, output="o.tif")
                self.assertIn("is tagged as flow directions (esri), not as heights", p["message"])
        p = self.problem("hydro_flow_accumulation", uri="areas.tif", band=1, method="d8", output="o.tif")
        self.assertIn("holds no heights", p["message"])
        for tool, arguments in (("raster_terrain", {"measure": "slope"}), ("raster_curvature", {"measure": "mean"}), ("raster_contour", {"interval": 1, "output": "c.gpkg"}),
                                ("raster_viewshed", {"geometry": {"type": "Point", "coordinates": [500015, 5499385]}, "geometry_crs": "EPSG:32633"})):
            p = self.problem(tool, **{"uri": "directions.tif", "output": "o.tif", **arguments})
            self.assertIn("is tagged as flow directions (esri), not as heights", p["message"], tool)

    def test_undeclared_nodata_is_told_where_thresholds_and_depressions_are_measured(self):
        self.heights[:4] = -9999
        for nodata in (None, -9999):
            rasters.write(self.path("un.tif"), [self.heights], gdal.GDT_Float64, epsg=32633, transform=self.transform, nodata=nodata)
            for tool in ("stream_threshold", "dem_depressions"):
                said = " ".join(self.told(tool, uri="un.tif").get("warnings", []))
                self.assertEqual("looks like an undeclared nodata value, and is computed with" in said, nodata is None, said)

    def test_the_share_of_all_basins_is_one(self):
        random = numpy.random.default_rng(1)
        self.write_heights(100 + 40 * random.random((60, 90)))
        self.directed()
        told = self.told("hydro_watershed", directions="directions.tif", output="basins.tif")
        self.assertEqual(told["covered_share"], 1)

    def test_one_link_without_a_line_is_one(self):
        self.write_codes([[1, 1, 1, 1], [64, 64, 64, 64]])
        told = self.told("hydro_streams", directions="directions.tif", heads=self.point(self.centre((0, 3))), output="streams.gpkg")
        self.assertIn("1 link is a single cell that flows off the streams: it has no line", told["warnings"])


if __name__ == "__main__":
    session.main()
