"""hydro_delineate against valleys that can be read by eye, the separate tools, and TauDEM's basin of the Eno River."""
import base64
import math
import os
import subprocess

import numpy
from osgeo import gdal, ogr

import hydro
import rasters
import session
from hydro import ENO, HydroClaims, path, receiver
from session import good, problem, problem_text, run

AREA = 20 * 30 / 1e6 / 0.9996 ** 2  # km2 of a cell

# Two brooks, down the outer columns, meet in the last row and leave in its middle, the lowest cell.
VALLEYS = [[7, 9, 9.5, 9, 7], [6, 8, 9.0, 8, 6], [5, 7, 8.5, 7, 5], [4, 3, 1.0, 3, 4]]

WITH_A_PIT = [VALLEYS[0], [6, 8, 6.5, 8, 6], *VALLEYS[2:]]


class hydro_delineate(HydroClaims):
    def told(self, s, **arguments):
        arguments = {"uri": "dem.tif", "method": "fill", "threshold_km2": 3.5 * AREA, "output": "basins.gpkg", "overwrite": True, **arguments}
        self.result = run(s, "hydro_delineate", arguments)
        return good(self.result)

    def layer(self, name):
        file = ogr.Open(self.path("basins.gpkg"))
        return [{**f.items(), "geometry": f.GetGeometryRef().Clone() if f.GetGeometryRef() else None} for f in file.GetLayerByName(name)]

    def test_two_brooks_meet_above_the_outlet(self):
        self.write_heights(numpy.array(VALLEYS))
        with self.session() as s:
            told = self.told(s, outlets=self.point(self.centre((3, 2))))
        basin, = told["basins"]
        self.assertAlmostEqual(basin["upstream_km2"], 20 * AREA, delta=1e-6)
        self.assertEqual((basin["order"], told["links"], told["depressions"], told["deepest_depression"], told["cells_raised"]), (2, 3, 0, 0, 0))
        self.assertEqual((basin["outlet"], basin["to_basin"], basin["edge"]), (list(self.centre((3, 2))), 0, True))
        shape, = self.layer("basins")
        self.assertAlmostEqual(shape["geometry"].GetArea(), 20 * 600, delta=1e-6)
        self.assertEqual((shape["basin"], shape["order"]), (1, 2))
        links = self.layer("streams")
        self.assertEqual(sorted(f["order"] for f in links), [1, 1, 2])
        self.assertEqual({f["basin"] for f in links}, {1})
        self.assertAlmostEqual(basin["stream_km"], sum(f["length_m"] for f in links) / 1000, places=9)
        self.assertEqual(told["choices"], {"method": "fill", "nodata_holes": "none", "flow": "d8", "threshold_km2": 3.5 * AREA,
                                           "threshold_cells": told["choices"]["threshold_cells"], "snap": "none"})
        self.assertAlmostEqual(told["choices"]["threshold_cells"], 3.5, places=3)

    def test_a_link_ends_at_an_outlet_within_it(self):
        self.write_heights(numpy.array([[9.0, 8, 7, 6, 5, 4]]))
        with self.session() as s:
            told = self.told(s, outlets=self.point(self.centre((0, 3)), self.centre((0, 5))), threshold_km2=0.5 * AREA)
        upper, lower = told["basins"]
        self.assertEqual((upper["to_basin"], lower["to_basin"]), (2, 0))
        first, second = sorted(self.layer("streams"), key=lambda f: f["basin"])
        self.assertEqual((first["basin"], second["basin"], first["to_link"]), (1, 2, second["link_id"]))
        self.assertEqual((first["length_m"], second["length_m"]), (80, 20))  # the first up to the next basin's first cell
        self.assertAlmostEqual(upper["stream_km"], 0.08, places=12)
        self.assertEqual((first["drop"], second["drop"]), (4, 1))

    def test_it_is_the_chain_of_the_separate_tools(self):
        with self.session() as s:
            for seed in range(3):
                codes = self.terrain(s, seed)
                random = numpy.random.default_rng(seed)
                all_cells = hydro.cells(codes)
                points = self.point(*[self.centre(all_cells[i]) for i in random.choice(len(all_cells), 4, replace=False)])
                wish = {"snap": "max_accumulation", "snap_distance": 45, "known_area": [5 * AREA] * 4} if seed == 2 else {}
                if wish:
                    points = self.point(self.centre(all_cells[40]))
                    wish["known_area"] = 8 * AREA
                told = self.told(s, outlets=points, nodata_holes="outlet", **wish)
                good(run(s, "hydro_watershed", {"directions": "directions.tif", "pour_points": points, "output": "apart.gpkg", "overwrite": True, **wish}))
                cells = good(run(s, "hydro_watershed", {"directions": "directions.tif", "pour_points": points, "output": "labels.tif", "overwrite": True, **wish}))
                labels = self.read("labels.tif")
                common = [{k: v for k, v in row.items() if k not in ("stream_km", "order")} for row in told["basins"]]
                self.assertEqual(common, cells["basins"])
                ours, apart = self.layer("basins"), self.features("apart.gpkg")
                self.assertEqual(len(ours), len(apart))
                for a, b in zip(ours, apart):
                    self.assertTrue(a["geometry"].Equals(b["geometry"]))
                good(run(s, "hydro_streams", {"directions": "directions.tif", "threshold_km2": 3.5 * AREA, "output": "streams.tif", "overwrite": True}))
                self.check_streams(codes, labels, self.read("streams.tif"), told["basins"])

    def check_streams(self, codes, labels, orders, basins):
        for row in basins:
            inside = [tuple(c) for c in numpy.argwhere((labels == row["basin"]) & (orders > 0))]
            self.assertEqual(row["order"], max((orders[c] for c in inside), default=0))
            length = 0
            for c in inside:
                below = receiver(codes, c)
                if below is not None and labels[below] > 0:
                    length += hydro.step_length(codes, c, 20, 30)
            self.assertAlmostEqual(row["stream_km"], length / 1000, places=9)

    def test_breaching_is_reported_with_its_limits(self):
        heights = numpy.array([[9.0, 9, 9, 9], [9, 2, 5, 1], [9, 9, 9, 9]])
        self.write_heights(heights)
        with self.session() as s:
            told = self.told(s, method="breach", max_depth=4, outlets=self.point(self.centre((1, 3))))
            self.assertEqual((told["cells_raised"], told["cells_lowered"], told["depressions"]), (0, 1, 1))
            self.assertEqual((told["deepest_cut"], told["longest_cut_m"]), (3, 40))  # 5 down to 2, over two steps of 20 m
            self.assertEqual((told["choices"]["max_depth"], told["choices"]["max_length_m"]), (4, 2000))
            self.assertAlmostEqual(told["basins"][0]["upstream_km2"], 12 * AREA, delta=12 * AREA / 2)
            deep = self.told(s, method="breach", max_depth=1, outlets=self.point(self.centre((1, 3))))
        self.assertEqual((deep["cells_lowered"], deep["undrained_cells"]), (0, 1))
        self.assertTrue(any("no way down" in w for w in deep["warnings"]))

    def test_the_whole_chain_is_one_question(self):
        self.write_heights(numpy.array(VALLEYS))
        wish = {"uri": "dem.tif", "method": "fill", "threshold_km2": 0.002, "outlets": self.point(self.centre((3, 2)))}
        with self.session() as s:
            asked = problem(s.call("hydro_delineate", wish))
            self.assertEqual(asked["error"], "requires_epistemic_justification")
            question, = asked["missing"]
            self.assertEqual(question["prompt_args"], {"operation": "delineate", "method": "fill", "threshold_km2": 0.002})
            self.assertNotIn("plan", question)
            session.follow(s, asked)
            result = s.call("hydro_delineate", wish)
            self.assertEqual(good(result)["output"]["driver"], "GPKG")
            self.assertEqual([r["decision"] for r in result["_meta"]["io.gdal-mcp/receipts"]], ["proceed"])
            for other in ({"threshold_km2": 0.003}, {"method": "breach"}):
                self.assertIn("missing", problem(s.call("hydro_delineate", {**wish, **other})))

    def test_its_reason_holds_for_the_same_choices_in_steps_of_their_own(self):
        self.write_heights(numpy.array(WITH_A_PIT))
        with self.session() as s:
            self.told(s, threshold_km2=0.002, outlets=self.point(self.centre((3, 2))))

            def step(tool, **arguments):
                return s.call(tool, {"overwrite": True, **arguments})
            good(step("hydro_condition", uri="dem.tif", method="fill", output="filled.tif"))
            good(step("hydro_flow_direction", uri="filled.tif", method="d8", output="d8.tif"))
            good(step("hydro_flow_accumulation", uri="d8.tif", output="flow.tif"))
            network = {"directions": "d8.tif", "accumulation": "flow.tif", "output": "links.gpkg"}
            result = step("hydro_streams", threshold_km2=0.002, **network)
            good(result)
            self.assertEqual([r["decision"] for r in result["_meta"]["io.gdal-mcp/receipts"]], ["proceed"])
            for tool, arguments in (("hydro_condition", {"uri": "dem.tif", "method": "breach", "output": "filled.tif"}),
                                    ("hydro_flow_direction", {"uri": "filled.tif", "method": "dinf", "output": "dinf.tif"}),
                                    ("hydro_streams", {"threshold_km2": 0.003, **network})):
                self.assertIn("missing", problem(step(tool, **arguments)), tool)

    def test_its_reason_replaces_none_that_was_given_for_a_step(self):
        self.write_heights(numpy.array(WITH_A_PIT))

        def methods():
            return subprocess.run([session.PROGRAM, "reflect", "export", "--format", "markdown", "filled.tif"], cwd=self.workspace, check=True,
                                  capture_output=True, text=True).stdout
        with self.session() as s:
            good(run(s, "hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "filled.tif"}))
            before = methods()
            self.told(s, outlets=self.point(self.centre((3, 2))))
            self.assertEqual(methods(), before)
            again = s.call("hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "again.tif"})
            good(again)
            self.assertEqual([r["decision"] for r in again["_meta"]["io.gdal-mcp/receipts"]], ["proceed"])

    def test_a_south_up_model_and_one_without_crs_have_the_same_basin(self):
        heights = numpy.array(VALLEYS)
        self.write_heights(heights)
        with self.session() as s:
            self.told(s, outlets=self.point(self.centre((2, 0))))
            expected, = self.layer("basins")
            x0, dx, _, y0, _, dy = self.transform
            rasters.write(self.path("south.tif"), [heights[::-1]], gdal.GDT_Float64, epsg=32633, transform=(x0, dx, 0, y0 + 4 * dy, 0, -dy))
            self.told(s, uri="south.tif", outlets=self.point(self.centre((2, 0))))
            turned, = self.layer("basins")
            bare = gdal.Translate(self.path("bare.tif"), self.path("dem.tif"))
            bare.SetSpatialRef(None)
            del bare
            points = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("points.gpkg"))
            layer = points.CreateLayer("points", None, ogr.wkbPoint)
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt("POINT (%f %f)" % self.centre((2, 0))))
            layer.CreateFeature(feature)
            del feature, layer, points
            told = self.told(s, uri="bare.tif", outlets="points.gpkg")
            unplaced, = self.layer("basins")
        for other in (turned, unplaced):
            self.assertTrue(other["geometry"].Equals(expected["geometry"]))
        self.assertEqual(told["basins"][0]["upstream_km2"], expected["geometry"].GetArea() / 1e6)
        self.assertTrue(any("assumed to be in metres" in w for w in told["warnings"]))

    def conflicts(self, s, tool, arguments):
        """Names of what the answer to the question must accept, and what is said of them."""
        result = s.call(tool, arguments)
        bounce = problem(result)
        question, = bounce["missing"]
        return [c["name"] for c in session.skeleton_of(bounce, question).get("conflicts", [])], problem_text(result)

    def test_heights_smoothed_by_resampling_are_named_before_their_depressions_are_removed(self):
        self.terrain_heights()
        wish = {"dst_crs": "EPSG:32634", "resolution": 20}
        with self.session() as s:
            moved = {m: good(run(s, "raster_reproject", {"uri": "dem.tif", "resampling": m, "output": m + ".tif", **wish}))["output"]["path"]
                     for m in ("nearest", "bilinear")}
            self.assertEqual(self.conflicts(s, "hydro_condition", {"uri": moved["nearest"], "method": "fill"})[0], [])
            smoothed = {"uri": moved["bilinear"], "method": "fill"}
            names, text = self.conflicts(s, "hydro_condition", smoothed)
            self.assertEqual(names, ["smoothed_heights"])
            self.assertIn("bilinear.tif was resampled with bilinear (raster_reproject)", text)
            whole = {**smoothed, "threshold_km2": 0.002, "outlets": self.point(self.centre((8, 11)))}
            self.assertEqual(self.conflicts(s, "hydro_delineate", whole)[0], names)
            # Once the depressions are removed, it has been answered.
            filled = good(run(s, "hydro_condition", smoothed))["output"]["uri"]
            self.assertEqual(self.conflicts(s, "hydro_flow_direction", {"uri": filled, "method": "d8"})[0], [])

    def test_an_accumulation_over_depressions_names_their_number(self):
        heights = numpy.array([[9.0, 9, 9, 9, 9, 9, 9], [9, 2, 9, 5, 9, 3, 9], [9, 9, 9, 9, 9, 9, 1]])
        self.write_heights(heights)
        with self.session() as s:
            names, text = self.conflicts(s, "hydro_flow_accumulation", {"uri": "dem.tif", "method": "d8"})
            self.assertEqual(names, ["depressions_left"])
            self.assertIn("dem.tif has 2 depressions", text)
            told = good(run(s, "hydro_flow_accumulation", {"uri": "dem.tif", "method": "d8"}))
            self.assertEqual(told["undrained_cells"], 2)
            filled = good(run(s, "hydro_condition", {"uri": "dem.tif", "method": "fill"}))["output"]["uri"]
            self.assertEqual(self.conflicts(s, "hydro_flow_accumulation", {"uri": filled, "method": "mfd"})[0], [])

    def test_a_reason_for_directions_without_depressions_does_not_let_the_raw_model_through(self):
        self.write_heights(numpy.array([[9.0, 9, 9, 9, 9, 9, 9], [9, 2, 9, 5, 9, 3, 9], [9, 9, 9, 9, 9, 9, 1]]))
        raw = {"uri": "dem.tif", "method": "d8"}
        with self.session() as s:
            names, text = self.conflicts(s, "hydro_flow_direction", raw)
            self.assertEqual(names, ["depressions_left"])
            self.assertIn("dem.tif has 2 depressions", text)
            filled = good(run(s, "hydro_condition", {"uri": "dem.tif", "method": "fill"}))["output"]["uri"]
            good(run(s, "hydro_flow_direction", {"uri": filled, "method": "d8"}))
            names, text = self.conflicts(s, "hydro_flow_direction", raw)
            self.assertEqual(names, ["depressions_left"])
            told = good(run(s, "hydro_flow_direction", {**raw, "output": "d8.tif"}))
            self.assertEqual(told["undrained_cells"], 2)
        with session.Session("--toolsets", "all", workspace=self.workspace) as s:
            lengths = good(run(s, "hydro_index", {"measure": "flow_length", "directions": "d8.tif"}))
            self.assertTrue(any("2 cells have no way down" in w for w in lengths["warnings"]), lengths["warnings"])

    def test_a_threshold_below_a_cell_and_basins_between_outlets_are_told(self):
        self.write_heights(numpy.array([[9.0, 8, 7, 6, 5, 4]]))
        outlets = self.point(self.centre((0, 3)), self.centre((0, 5)))
        with self.session() as s:
            told = " ".join(self.told(s, outlets=outlets, threshold_km2=0.5 * AREA)["warnings"])
            self.assertIn("every cell is a stream", told)
            self.assertIn("basin 2 ends at the outlet of another upstream: its area is what lies between, 0.0012 km2 of 0.0036 km2", told)
            self.assertIn("basins 1, 2 reach the edge", told)
            told = " ".join(self.told(s, outlets=self.point(self.centre((0, 5))), threshold_km2=2 * AREA)["warnings"])
            self.assertNotIn("every cell is a stream", told)
            self.assertNotIn("upstream", told)

    def test_an_outlet_on_no_stream_beside_one_that_has_some_is_told(self):
        self.write_heights(numpy.array([[9.0, 8, 7, 6, 5, 4]]))
        with self.session() as s:
            told = self.told(s, outlets=self.point(self.centre((0, 0)), self.centre((0, 5))), threshold_km2=2.5 * AREA)
            self.assertEqual([b["order"] for b in told["basins"]], [0, 1])
            self.assertIn("basin 1 (0.0006 km2) has no stream: its outlet lies where less than threshold_km2 0.0015", " ".join(told["warnings"]))
            told = self.told(s, outlets=self.point(self.centre((0, 4)), self.centre((0, 5))), threshold_km2=2.5 * AREA)
            self.assertNotIn("has no stream", " ".join(told["warnings"]))

    def test_a_plain_at_the_edge_with_hardly_anything_lower_may_be_water(self):
        slope = numpy.tile(numpy.arange(30.0), (30, 1))
        sea = numpy.maximum(slope - 9, 0)  # ten columns of 0
        sea[5, 5] = -1
        with self.session() as s:
            for heights, told in ((slope, False), (sea, True)):
                self.write_heights(heights)
                warned = good(run(s, "hydro_flow_direction", {"uri": "dem.tif", "method": "d8", "output": "d8.tif", "overwrite": True}))["warnings"]
                self.assertEqual(any("33.2 % of the terrain of" in w and "are 0, up to the edge and hardly anything lower" in w for w in warned), told, warned)

    def test_metres_read_as_degrees_are_named_with_both(self):
        self.write_heights(numpy.array(VALLEYS))
        self.refused("hydro_delineate", [({"uri": "dem.tif", "method": "fill", "threshold_km2": 3.5 * AREA, "output": "basins.gpkg",
                                           "outlets": {"type": "Point", "coordinates": list(self.centre((3, 2)))}}, "from x 500050, y 3999895 to", "EPSG:4326", "EPSG:32633")])

    def test_the_map_shows_terrain_outline_streams_and_outlets(self):
        self.terrain_heights()
        with self.session() as s:
            self.told(s, outlets=self.point(self.centre((16, 11))), nodata_holes="outlet")
        png, = [base64.b64decode(b["data"]) for b in self.result["content"] if b["type"] == "image"]
        self.assertLess(len(png), 400_000)
        pixels = rasters.pixels_of(png)[:3].reshape(3, -1).T.astype(int)
        for name, colour in (("streams", (0, 90, 181)), ("basins", (170, 51, 119)), ("outlets", (220, 50, 32))):
            self.assertGreater((abs(pixels - colour).max(axis=1) < 24).sum(), 10, name)

    def terrain_heights(self):
        y, x = numpy.mgrid[0:17, 0:23]
        self.write_heights(200 - 2.0 * y + 8 * numpy.abs(x - 11) + 3 * numpy.abs(y % 6 - 3))

    def test_what_is_refused(self):
        self.write_heights(numpy.array(VALLEYS))
        at = self.point(self.centre((3, 2)))
        plain = {"uri": "dem.tif", "method": "fill", "threshold_km2": 0.001, "outlets": at, "output": "refused.gpkg"}
        two = self.point(self.centre((0, 1)), self.centre((0, 2)))
        self.refused("hydro_delineate", [
            ({**plain, "outlets": self.point((0, 0))}, "point 0", "outside"),
            ({**plain, "outlets": self.point(self.centre((3, 2)), self.centre((3, 2)))}, "same outlet"),
            ({**plain, "outlets": two, "snap": "max_accumulation", "snap_distance": 1000}, "same outlet"),
            ({**plain, "snap": "nearest_stream"}, "without snap_distance"),
            ({**plain, "snap_distance": 30}, "snap is none"),
            ({**plain, "snap": "max_accumulation", "snap_distance": 30, "known_area": 5}, "known_area is 5", "best match"),
            ({**plain, "max_length": 30}, "fill cuts no path"),
            ({**plain, "threshold_km2": 5}, "no cell reaches", "largest contributing area"),
            ({**plain, "output": "refused.shp"}, "two layers", ".shp")])

    def test_a_point_between_two_rivers_is_ambiguous(self):
        # A river along the fifth row takes the four above it; the ridge below drains south, to a smaller one.
        slope = [[13.0 - row] * 6 for row in range(4)]
        self.write_heights(numpy.array([*slope, [6, 5, 4, 3, 2, 1], [7] * 6, [3.4, 3, 2.6, 2.2, 1.8, 0.5]]))
        with self.session() as s:
            p = problem(run(s, "hydro_delineate", {"uri": "dem.tif", "method": "fill", "threshold_km2": 1.5 * AREA, "output": "refused.gpkg",
                                                   "outlets": self.point(self.centre((5, 2))), "snap": "max_accumulation", "snap_distance": 60}))
        self.assertIn("ambiguous", p["message"])

    def test_the_basin_of_the_eno_river_is_taudems(self):
        if not os.path.exists(ENO):
            self.skipTest("GDAL_MCP_TEST_DATA/hydro_eno is not there")
        gdal.Translate(self.path("dem.tif"), os.path.join(ENO, "enogeo.tif"))
        points = ogr.Open(os.path.join(ENO, "Outletsmoved.shp"))
        place = points.GetLayer(0).GetNextFeature()
        outlet = {"type": "Point", "coordinates": list(place.GetGeometryRef().GetPoint_2D(0))}
        file, count = gdal.Open(os.path.join(ENO, "enogeow.tif")), gdal.Open(os.path.join(ENO, "enogeoad8.tif")).ReadAsArray()
        theirs = file.ReadAsArray() >= 0  # TauDEM labels the links' own basins: together all that drains to the outlet
        x0, dx, _, y0, _, dy = file.GetGeoTransform()
        with self.session() as s:
            row, = self.told(s, outlets=outlet, threshold_km2=0.1)["basins"]
            ours = burnt(self.path("basins.gpkg"), "basins", file)
            snapped, = self.told(s, outlets=outlet, threshold_km2=0.1, snap="max_accumulation", snap_distance=30)["basins"]
            downstream = burnt(self.path("basins.gpkg"), "basins", file)
        self.assertEqual((ours != theirs).sum(), 0)
        self.assertEqual((row["edge"], row["snapped_m"], snapped["before_snap_km2"]), (False, 0, row["upstream_km2"]))
        # Cells of a row are as large as the ellipsoid says: a quadrature of the meridian by numpy.
        areas = cell_areas(y0, dy, dx, ours.shape[0])[:, None]
        self.assertAlmostEqual(row["upstream_km2"], (theirs * areas).sum(), delta=1e-6 * row["upstream_km2"])
        self.assertAlmostEqual(snapped["upstream_km2"], (downstream * areas).sum(), delta=1e-6 * row["upstream_km2"])
        x, y = snapped["outlet"]
        self.assertEqual(downstream.sum(), count[int((y - y0) / dy), int((x - x0) / dx)])


def burnt(path, name, like):
    """Cells of a raster whose centres lie in the polygons of a layer."""
    cells = gdal.GetDriverByName("MEM").Create("", like.RasterXSize, like.RasterYSize, 1, gdal.GDT_Byte)
    cells.SetGeoTransform(like.GetGeoTransform())
    cells.SetProjection(like.GetProjection())
    file = ogr.Open(path)
    gdal.RasterizeLayer(cells, [1], file.GetLayerByName(name), burn_values=[1])
    return cells.ReadAsArray() > 0


def cell_areas(north, height, width, rows):
    """km2 of the cells of each row on GRS 80, degrees: 64 strips across each."""
    a, f = 6378.137, 1 / 298.257222101
    e2 = f * (2 - f)
    edges = numpy.radians(north + height * (numpy.arange(rows)[:, None] + (numpy.arange(64) + 0.5) / 64))
    strips = a ** 2 * (1 - e2) * numpy.cos(edges) / (1 - e2 * numpy.sin(edges) ** 2) ** 2
    return strips.mean(axis=1) * math.radians(abs(height)) * math.radians(width)


if __name__ == "__main__":
    session.main()
