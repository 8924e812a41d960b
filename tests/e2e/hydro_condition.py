"""hydro_condition: breaching and its combination with filling, on terrains that are checked by eye or by paths."""
import numpy

from osgeo import gdal, osr

import hydro
import rasters
import session
from hydro import HydroClaims, path, receiver
from session import good, problem, problem_text, run

VALLEY = [[9, 9, 9, 9, 9, 9], [9, 6, 3, 8, 2, 1], [9, 9, 9, 9, 9, 9]]  # an embankment of 8 across a valley


class hydro_condition(HydroClaims):
    def told(self, s, method, **arguments):
        return good(run(s, "hydro_condition", {"uri": "dem.tif", "method": method, "output": "out.tif", "overwrite": True, **arguments}))

    def test_an_embankment_is_cut_or_the_valley_behind_it_drowned(self):
        self.write_heights(numpy.array(VALLEY, float))
        with self.session() as s:
            filled = self.told(s, "fill")
            self.assertEqual(self.read("out.tif")[1].tolist(), [9, 8, 8, 8, 2, 1])
            self.assertNotIn("cuts", filled)
            cut = self.told(s, "breach")
            self.assertEqual(self.read("out.tif")[1].tolist(), [9, 6, 3, 3, 2, 1])
            self.assertEqual(cut["cuts"], {"breached": 1, "unbreached": 0, "cells_lowered": 1, "deepest_cut": 5, "longest_cut_m": 40})
            self.assertEqual(cut["depressions"], {**filled["depressions"], "left": 0})
            kept = self.told(s, "breach", max_depth=0.5, max_length=25)
            self.assertEqual(self.read("out.tif").tolist(), VALLEY)
            self.assertEqual((kept["cuts"]["unbreached"], kept["depressions"]["left"]), (1, 1))
            self.assertTrue(any("hybrid fills them" in w for w in kept["warnings"]))
            self.told(s, "hybrid", max_depth=0.5, max_length=25)
            self.assertEqual(self.read("out.tif")[1].tolist(), [9, 8, 8, 8, 2, 1])

    def test_depths_are_refused(self):
        self.write_heights(numpy.array(VALLEY, float))
        file = gdal.Open(self.path("dem.tif"), gdal.GA_Update)
        depths = osr.SpatialReference()
        depths.SetFromUserInput("EPSG:32633+5715")
        file.SetSpatialRef(depths)
        del file
        with self.session() as s:
            p = problem(s.call("hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "out.tif"}))
            self.assertIn("holds depths", p["message"])
            good(s.call("raster_calc", {"expression": "-A", "inputs": {"A": "dem.tif"}, "output": "heights.tif"}))
            good(run(s, "hydro_condition", {"uri": "heights.tif", "method": "fill", "output": "out.tif"}))
            told = good(s.call("raster_terrain", {"uri": "dem.tif", "measure": "aspect"}))
            self.assertIn("counts depths downwards", str(told["warnings"]))

    def test_a_surface_model_is_warned_of(self):
        self.write_heights(numpy.array(VALLEY, float))
        with self.session() as s:
            tool, arguments = "hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "out.tif"}
            asked = problem(s.call(tool, arguments))
            [missing] = asked["missing"]
            answer = session.fill_in(session.skeleton_of(asked, missing), missing["answer_schema"])
            for surface, warned in (("dtm", False), ("dsm", True)):
                told = good(s.call(tool, {**arguments, "overwrite": True, "justification": {"hydrology": {**answer, "facts": {"surface": surface}}}}))
                self.assertEqual("dam the flow" in str(told["warnings"]), warned, told["warnings"])

    def test_a_pit_deeper_than_the_terrain_is_high_is_a_conflict(self):
        cells = numpy.tile(numpy.arange(20.0), (20, 1))
        with self.session() as s:
            for depth, asked in ((1000, True), (90, False)):
                cells[9:12, 9:12] = -depth
                self.write_heights(cells)
                p = problem(s.call("hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "out.tif"}))
                self.assertEqual("deeper_than_this_terrain" in p["message"], asked, p["message"])

    def test_a_few_marks_of_missing_heights_are_deeper_than_the_terrain_and_no_real_depression_is(self):
        """Of 0 to 990 m: -999 is 1 to 2 x as deep as that, inside and at the edge; a lake of 900 m is not."""
        slope = numpy.add.outer(numpy.arange(100.0), numpy.arange(100.0)) * 5
        for name, marks, asked in (("lake", {(50, 50): slope[50, 50] - 900}, False), ("mark", {(50, 50): -999}, True),
                                   ("marks", {(50, 50): -999, (0, 30): -999, (1, 30): -999}, True), ("edge", {(0, 30): -999}, False)):
            with self.subTest(name), self.session() as s:
                heights = slope.copy()
                for at, height in marks.items():
                    heights[at] = height
                self.write_heights(heights)
                answer = s.call("hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "out.tif", "overwrite": True})
                self.assertEqual("deeper_than_this_terrain" in str(answer), asked, answer)

    def test_what_a_hole_is_taken_for_is_measured_and_kept_in_the_directions(self):
        """A basin of 5 that a hole of one cell would drain: filled to its rim, 9, unless the hole is an outlet."""
        heights = numpy.full((5, 5), 9.0)
        heights[1:4, 1:4] = 5
        heights[2, 2] = -9999
        self.write_heights(heights)
        with self.session() as s:
            calls = {meaning: {"uri": "dem.tif", "method": "fill", "nodata_holes": meaning, "output": meaning + ".tif"} for meaning in ("missing", "outlet")}
            asked, unasked = (good(s.call("preflight", {"tool": "hydro_condition", "arguments": call}))["domains"][0] for call in calls.values())
            self.assertEqual([(e["deepest"], e["depth_unit"]) for e in asked["missing"]["evidence"]], [(4, "m")])
            self.assertEqual((unasked["decision"], unasked["notes"]), ("not_needed", ["there are no depressions, every method returns the model as it is"]))
            self.assertEqual([good(run(s, "hydro_condition", call))["depressions"]["deepest"] for call in calls.values()], [4, 0])
            good(run(s, "hydro_flow_direction", {"uri": "missing.tif", "method": "d8", "output": "d8.tif"}))
            self.assertEqual(good(s.call("hydro_flow_accumulation", {"uri": "d8.tif", "output": "flow.tif"}))["nodata_holes"], "missing")
            other = {"nodata_holes": "outlet", "output": "other.tif", "overwrite": True}
            told = good(run(s, "hydro_flow_direction", {"uri": "missing.tif", "method": "d8", **other}))
            self.assertTrue(any("was conditioned with 'missing'" in w for w in told["warnings"]), told["warnings"])
            self.assertIn("was directed with 'missing'", problem(s.call("hydro_flow_accumulation", {"uri": "d8.tif", **other}))["message"])

    def test_cells_without_right_angles_are_told(self):
        """West of Portugal the columns and rows of EPSG:3035 lean: steps along diagonals are 2 % off."""
        rasters.write(self.path("dem.tif"), [numpy.add.outer(numpy.arange(30.0), numpy.arange(30.0))], gdal.GDT_Float32, epsg=3035,
                      transform=(2500000, 20, 0, 1500000, 0, -20))
        with self.session() as s:
            self.assertIn("right angles on the ground", " ".join(self.told(s, "fill")["warnings"]))

    def test_after_breaching_or_both_every_path_leaves_the_terrain(self):
        with self.session() as s:
            for seed in range(3):
                self.terrain(s, seed)
                before = self.read("dem.tif")
                for method, limits in (("breach", {"max_length": 100000}), ("hybrid", {"max_length": 60, "max_depth": 3})):
                    told = self.told(s, method, nodata_holes="outlet", **limits)
                    after = self.read("out.tif")
                    self.assertEqual(told["cells_raised"], int((after > before).sum()))
                    if method == "breach":
                        self.assertTrue((after <= before).all())
                    good(run(s, "hydro_flow_direction", {"uri": "out.tif", "method": "d8", "output": "directions.tif", "overwrite": True}))
                    codes = self.read("directions.tif")
                    self.assertFalse((codes == 0).any(), method)
                    for cell in hydro.cells(codes):
                        self.assertIsNone(receiver(codes, list(path(codes, cell))[-1]))

    def test_the_cuts_of_both_are_those_of_the_result(self):
        with self.session() as s:
            for seed in range(4):
                self.terrain(s, seed)
                before = self.read("dem.tif")
                told = self.told(s, "hybrid", nodata_holes="outlet", max_length=60, max_depth=2)
                after = self.read("out.tif")
                self.assertEqual((told["cuts"]["cells_lowered"], told["cells_raised"]), (int((after < before).sum()), int((after > before).sum())))
                self.assertAlmostEqual(told["cuts"]["deepest_cut"], float((before - after).max().clip(0)), 5)

    def test_depressions_left_are_those_of_the_output(self):
        """Two pits of 3 in one depression: neither is breached, and one depression is left."""
        self.write_heights(numpy.array([[9, 9, 9, 9, 9, 9], [9, 3, 5, 3, 8, 1], [9, 9, 9, 9, 9, 9]], float))
        with self.session() as s:
            kept = self.told(s, "breach", max_depth=0.5)
            self.assertEqual((kept["cuts"]["unbreached"], kept["depressions"]["count"], kept["depressions"]["left"]), (2, 1, 1))

    def test_pits_left_are_named_beside_enclosed_terrain(self):
        heights = numpy.add.outer(numpy.zeros(60), numpy.arange(60.0)) + 100
        for row in range(5, 55, 10):
            heights[row, 30] -= 20
        heights[40:47, 40:47] = -9999
        heights[42:45, 42:45] = 50
        self.write_heights(heights)
        with self.session() as s:
            told = self.told(s, "breach", nodata_holes="missing", max_depth=2)
            self.assertTrue(any("not breached" in w and "enclosed" in w for w in told["warnings"]), told["warnings"])

    def test_a_cut_deeper_than_every_depression_is_told(self):
        """The pit of 4 spills at 6, seven cells away; the cheapest cut is one cell of 9 beside it."""
        heights = numpy.full((3, 9), 9.0)
        heights[1] = [9, 4, 6, 6, 6, 6, 6, 6, 3]
        self.write_heights(heights)
        with self.session() as s:
            told = self.told(s, "breach")
            self.assertIn("the deepest cut goes 5 m down, and the deepest depression is 2 m deep", " ".join(told["warnings"]))
            self.assertNotIn("deepest cut goes", " ".join(self.told(s, "breach", max_depth=2, max_length=500)["warnings"]))

    def test_limits_belong_to_the_scope_of_a_reason(self):
        self.write_heights(numpy.array(VALLEY, float))
        with self.session() as s:
            self.told(s, "breach")
            self.assertFalse(any("second look" in w for w in self.told(s, "breach")["warnings"]))
            for limit, words in (({"max_depth": 1}, "max depth is 1, the reason was given for no limit"),
                                 ({"max_length": 25}, "max length is 25, the reason was given for 100 cells")):
                told = self.told(s, "breach", **limit)
                self.assertTrue(any(words in w for w in told["warnings"]), told["warnings"])
            self.told(s, "fill")
            directed = good(run(s, "hydro_flow_direction", {"uri": "out.tif", "method": "d8"}))
            self.assertFalse(any("max depth" in w for w in directed["warnings"]), directed["warnings"])

    def test_depths_are_in_metres_only_where_the_unit_is_known(self):
        heights = numpy.full((5, 5), 9.0)
        heights[2, 2] = 1  # 8 deep
        with self.session() as s:
            for unit, deepest, noise in (("m", "deepest 8 m", True), ("ft", "deepest 2.44 m", True), ("", "deepest 8 (unit unknown)", False)):
                self.write_heights(heights)
                file = gdal.Open(self.path("dem.tif"), gdal.GA_Update)
                file.GetRasterBand(1).SetUnitType(unit)
                del file
                said = problem_text(s.call("hydro_condition", {"uri": "dem.tif", "method": "fill"}))
                self.assertIn(deepest, said)
                self.assertEqual("m accuracy" in said, noise, said)

    def test_the_area_of_depressions_is_that_of_the_accumulation(self):
        """In the west of France EPSG:2154 shows areas 0.8 % too large."""
        heights = numpy.full((20, 20), 9.0)
        heights[1:19, 1:19] = 5
        rasters.write(self.path("dem.tif"), [heights], gdal.GDT_Float32, epsg=2154, transform=(200000, 100, 0, 6000000, 0, -100))
        with self.session() as s:
            area = self.told(s, "fill")["depressions"]["area_m2"]
            flow = good(run(s, "hydro_flow_accumulation", {"uri": "out.tif", "method": "d8", "unit": "km2", "output": "flow.tif"}))
        cell = flow["conservation"]["contributed"] * 1e6 / 400
        self.assertAlmostEqual(area / (324 * cell), 1, delta=1e-4)
        self.assertLess(area, 324 * 10000 * 0.995)

    def test_the_seam_of_a_grid_around_the_earth_is_told(self):
        for width, told in ((360, True), (350, False)):
            rasters.write(self.path("dem.tif"), [numpy.tile(numpy.arange(width, dtype="float32"), (20, 1))], gdal.GDT_Float32, epsg=4326,
                          transform=(-180, 1, 0, 10, 0, -1))
            with self.session() as s:
                self.assertEqual("goes around the Earth" in " ".join(self.told(s, "fill")["warnings"]), told)

    def test_what_is_refused(self):
        self.write_heights(numpy.array(VALLEY, float))
        self.refused("hydro_condition", [
            ({"uri": "dem.tif", "method": "fill", "max_length": 100}, "max_length is given"),
            ({"uri": "dem.tif", "method": "breach", "epsilon": True}, "epsilon is true")])


if __name__ == "__main__":
    session.main()
