"""aggregate_fuse against totals by eye, numpy and gdalwarp, and what it refuses."""
import math
import os

import numpy
from osgeo import gdal, osr

import more
import rasters
import session
from session import good, problem, run

X, Y = 289000.0, 9121000.0  # metres in UTM zone 25S
PALETTE = {1: (0, 90, 0), 2: (200, 200, 0), 3: (0, 0, 200)}
NEEDS_NO_REASON = {"copy", "min", "max"}


def at(cell, x=X, y=Y):
    return (x, cell, 0.0, y, 0.0, -cell)


class aggregate_fuse(more.MoreClaims):
    tool = "aggregate_fuse"

    def grid(self, name, values, cell=10.0, dtype=gdal.GDT_Float32, **more_):
        rasters.write(self.path(name), [numpy.array(values)], dtype, **{"transform": at(cell), **more_})
        return name

    def answered(self, uris, methods=None, accepted=(), **arguments):
        """With a reason for the methods, and for the conflicts that are accepted."""
        chosen = sorted({{"average": "mean", "mode": "majority"}.get(m, m) for m in methods or []} - NEEDS_NO_REASON)
        call = {"uris": uris, "output": self.output, "overwrite": True, **({"methods": methods} if methods is not None else {}), **arguments}
        if chosen:
            call["justification"] = {"aggregation": {
                "intent": "one grid for a model", "alternatives": [{"method": "nearest", "why_not": "it drops most cells"}],
                "choice": {"method": "+".join(chosen), "rationale": "totals of counts, levels of measurements, dominant classes", "tradeoffs": "detail below a cell is lost"},
                "facts": {"kind": "continuous"}, "confidence": "medium"}}
            if accepted:
                call["justification"]["aggregation"]["conflicts"] = [{"name": name, "why_accepted": "the values are counts of things"} for name in accepted]
        with self.session() as s:
            return s.call(self.tool, call)

    def fused(self, uris, methods=None, accepted=(), **arguments):
        return good(self.answered(uris, methods, accepted, **arguments))

    def test_four_cells_become_one_by_eye(self):
        self.grid("counts.tif", [[1, 2, 3, 4], [5, 6, 7, 8], [0, 0, 0, 1], [0, 0, 1, 0]])
        self.grid("heat.tif", [[1, 3, 10, 10], [5, 7, 10, 10], [0, 0, 2, 2], [0, 4, 2, 2]])
        self.grid("same.tif", [[1, 2], [3, 4]], 20)
        told = self.fused(["counts.tif", "heat.tif", "same.tif"], ["sum", "average", "copy"], align_to="same.tif")
        self.assertEqual(self.cells(band=1).tolist(), [[14, 22], [0, 2]])
        self.assertEqual(self.cells(band=2).tolist(), [[4, 10], [1, 2]])
        self.assertEqual(self.cells(band=3).tolist(), [[1, 2], [3, 4]])
        counts, heat, same = told["inputs"]
        self.assertEqual([counts[k] for k in ("total_before", "total_after", "relative_difference", "cells_before", "outside_share")], [38, 38, 0, 16, 0])
        self.assertEqual([heat[k] for k in ("mean_before", "mean_after")], [4.25, 4.25])
        self.assertLess(heat["std_after"], heat["std_before"])
        self.assertEqual([i["method"] for i in told["inputs"]], ["sum", "average", "copy"])
        self.assertEqual([same[k] for k in ("cell", "extent", "crs")], [[20, 20], [X, Y - 40, X + 40, Y], "EPSG:31985"])
        raster = gdal.Open(self.path("out.tif"))
        self.assertEqual([raster.GetRasterBand(b).GetDescription() for b in (1, 2, 3)], ["counts", "heat", "same"])

    def test_a_mark_of_missing_cells_is_warned_of(self):
        heat = numpy.arange(100.0).reshape(10, 10)
        heat[:2] = -9999
        self.grid("heat.tif", heat)
        self.grid("same.tif", numpy.ones((5, 5)), 20)
        self.assertIn("undeclared nodata", " ".join(self.fused(["heat.tif"], ["average"], ["method_against_kind"], align_to="same.tif")["warnings"]))
        self.grid("heat.tif", heat, nodata=-9999)
        self.assertNotIn("undeclared nodata", " ".join(self.fused(["heat.tif"], ["average"], align_to="same.tif")["warnings"]))

    def test_bounds_that_are_no_whole_cells_are_named_with_the_extent_made(self):
        self.grid("a.tif", [[1, 2], [3, 4]], 20)
        told = self.fused(["a.tif"], ["average"], resolution=30, crs="EPSG:31985", bounds=[X, Y - 40, X + 30, Y])
        self.assertEqual((told["width"], told["height"]), (1, 2))
        [warning] = told["warnings"]
        self.assertIn("289000,9120960,289030,9121000", warning.replace(" ", ""))
        self.assertIn("289000,9120940,289030,9121000", warning.replace(" ", ""))
        self.assertEqual(self.fused(["a.tif"], ["average"], resolution=20, crs="EPSG:31985", bounds=[X, Y - 40, X + 40, Y]).get("warnings", []), [])

    def test_classes_that_disappear_are_counted(self):
        classes = [[1, 1, 2, 2], [1, 3, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1]]
        self.grid("land.tif", classes, dtype=gdal.GDT_Byte, palette=PALETTE)
        [land] = self.fused(["land.tif"], ["mode"], resolution=20, crs="EPSG:31985", bounds=[X, Y - 40, X + 40, Y])["inputs"]
        self.assertEqual(self.cells().tolist(), [[1, 2], [1, 1]])
        self.assertEqual([land["classes_before"], land["classes_after"]], [3, 2])
        self.assertAlmostEqual(land["lost_class_share"], 1 / 16, 4)
        self.assertNotIn("mean_before", land)

    def test_codes_stay_codes_of_their_classes(self):
        self.grid("land.tif", [[1, 1], [3, 2]], cell=20, dtype=gdal.GDT_Byte, palette=PALETTE)
        self.grid("heights.tif", [[5, 6], [7, 8]], cell=20)
        self.fused(["land.tif", "heights.tif"], ["copy", "copy"], align_to="land.tif")
        d = gdal.Open(self.path(self.output))
        table = d.GetRasterBand(1).GetDefaultRAT()
        self.assertEqual([[table.GetValueAsInt(r, c) for c in (0, 2, 3, 4)] for r in range(table.GetRowCount())], [[k, *PALETTE[k]] for k in (1, 2, 3)])
        self.assertIsNone(d.GetRasterBand(2).GetDefaultRAT())
        with self.session() as s:
            warnings = good(s.call("raster_stats", {"uri": self.output}))["warnings"]
        self.assertEqual([w.split(" holds")[0] for w in warnings if "class codes" in w], ["band 1"])

    def test_cells_that_are_chosen_or_copied_keep_their_type(self):
        self.grid("land.tif", [[1, 2], [2, 3]], cell=20, dtype=gdal.GDT_Byte)
        self.grid("soil.tif", [[255, 0], [7, 7]], cell=20, dtype=gdal.GDT_Byte, nodata=0)
        self.grid("heights.tif", [[5.5, 6], [7, 8]], cell=20)
        self.grid("ids.tif", [[-5, 2 ** 31 - 1], [0, 1]], cell=20, dtype=gdal.GDT_Int32, nodata=-9999)
        self.grid("all.tif", [[-5, 2 ** 31 - 1], [0, 1]], cell=20, dtype=gdal.GDT_Int32)
        for names, dtype, nodata in ((["soil.tif"], "Byte", 0), (["land.tif"], "UInt16", 65535), (["land.tif", "soil.tif"], "UInt16", 65535),
                                     (["land.tif", "ids.tif"], "Int32", -9999), (["all.tif"], "Float64", None), (["land.tif", "heights.tif"], "Float32", None)):
            told = self.fused(names, ["copy"] * len(names), align_to="land.tif")
            d = gdal.Open(self.path(self.output))
            band = d.GetRasterBand(len(names))
            self.assertEqual((told["dtype"], gdal.GetDataTypeName(band.DataType)), (dtype, dtype))
            self.assertEqual(None if math.isnan(band.GetNoDataValue()) else band.GetNoDataValue(), nodata)
            numpy.testing.assert_array_equal(numpy.where(band.GetMaskBand().ReadAsArray(), band.ReadAsArray(), 0), gdal.Open(self.path(names[-1])).ReadAsArray())
        self.assertEqual(self.fused(["land.tif"], ["mode"], resolution=40, crs="EPSG:31985", bounds=[X, Y - 40, X + 40, Y])["dtype"], "UInt16")
        self.assertEqual(self.fused(["land.tif"], ["average"], ["method_against_kind"], resolution=40, crs="EPSG:31985", bounds=[X, Y - 40, X + 40, Y])["dtype"], "Float64")

    def test_smaller_cells_keep_the_total(self):
        self.grid("counts.tif", [[8, 4], [0, 100]])
        [counts] = self.fused(["counts.tif"], ["sum"], resolution=5, crs="EPSG:31985", bounds=[X, Y - 20, X + 20, Y])["inputs"]
        self.assertEqual(self.cells().tolist(), [[2, 2, 1, 1], [2, 2, 1, 1], [0, 0, 25, 25], [0, 0, 25, 25]])
        self.assertEqual([counts["total_before"], counts["total_after"]], [112, 112])

    def test_a_part_counts_as_far_as_the_target_covers_it(self):
        """Half of the left column lies outside: 4 of 8, and 3 of 6."""
        self.grid("counts.tif", [[8, 1], [6, 1]])
        [counts] = self.fused(["counts.tif"], ["sum"], resolution=5, crs="EPSG:31985", bounds=[X + 5, Y - 20, X + 20, Y])["inputs"]
        self.assertEqual([counts["total_before"], counts["total_after"], counts["outside_share"]], [9, 9, 0.25])

    def test_cells_without_data_count_for_nothing(self):
        self.grid("counts.tif", [[1, -9, 3, 4], [5, -9, 7, 8]], nodata=-9)
        self.grid("holes.tif", [[1, float("nan"), 3, 4], [5, 9, float("nan"), float("nan")]])
        counts, holes = self.fused(["counts.tif", "holes.tif"], ["sum", "average"], resolution=20, crs="EPSG:31985", bounds=[X, Y - 20, X + 60, Y])["inputs"]
        numpy.testing.assert_equal(self.cells(band=1), [[6, 22, numpy.nan]])
        numpy.testing.assert_equal(self.cells(band=2), [[5, 3.5, numpy.nan]])
        self.assertEqual([counts["nodata_before"], holes["nodata_before"]], [0.25, 0.375])
        self.assertAlmostEqual(counts["nodata_after"], 1 / 3)

    def test_overviews_take_no_part(self):
        values = numpy.arange(64 * 64.0).reshape(64, 64)
        self.grid("counts.tif", values)
        raster = gdal.Open(self.path("counts.tif"), gdal.GA_Update)
        raster.BuildOverviews("NEAREST", [2, 4, 8])
        del raster
        [counts] = self.fused(["counts.tif"], ["sum"], resolution=160, crs="EPSG:31985", bounds=[X, Y - 640, X + 640, Y])["inputs"]
        numpy.testing.assert_array_equal(self.cells(), values.reshape(4, 16, 4, 16).sum((1, 3)))
        self.assertEqual(counts["total_after"], values.sum())

    def test_bytes_add_up_beyond_255(self):
        self.grid("counts.tif", numpy.full((4, 4), 200), dtype=gdal.GDT_Byte)
        self.fused(["counts.tif"], ["sum"], ["method_against_kind"], resolution=40, crs="EPSG:31985", bounds=[X, Y - 40, X + 40, Y])
        self.assertEqual(self.cells().tolist(), [[3200]])

    def test_degrees_to_metres_keeps_the_total(self):
        """Coarser, as coarse, and finer; the target surrounds the source, so that nothing is cut."""
        values = numpy.random.default_rng(7).poisson(20, (60, 80)).astype("float32")
        self.grid("people.tif", values, epsg=4326, transform=(15, 0.01, 0, 52, 0, -0.01))
        for size in (7000, 1000, 300):
            told = self.fused(["people.tif"], ["sum"], resolution=size, crs="EPSG:3035")
            [people] = told["inputs"]
            self.assertEqual(people["total_before"], values.sum())
            self.assertLess(people["outside_share"], 1e-9)
            total = float(numpy.nansum(self.cells()))
            self.assertAlmostEqual(people["total_after"] / total, 1, 9)
            self.assertLess(abs(people["relative_difference"]), 1e-3, size)

    def test_a_part_in_another_crs_is_cut_as_numpy_cuts_it(self):
        """Each cell as 40 × 40 points, of which those inside the target count."""
        values = numpy.random.default_rng(3).poisson(20, (30, 40)).astype("float32")
        self.grid("people.tif", values, epsg=4326, transform=(15, 0.01, 0, 52, 0, -0.01))
        way = osr.CoordinateTransformation(rasters.crs(4326), rasters.crs(3035))
        x, y = numpy.meshgrid(15 + 0.01 * (numpy.arange(40 * 40) + 0.5) / 40, 52 - 0.01 * (numpy.arange(30 * 40) + 0.5) / 40)
        places = numpy.array(way.TransformPoints(numpy.stack([x.ravel(), y.ravel()], 1)))
        west, south, east, north = 4666000, 3208000, 4681000, 3220000
        inside = ((places[:, 0] > west) & (places[:, 0] < east) & (places[:, 1] > south) & (places[:, 1] < north)).reshape(30, 40, 40, 40).mean((1, 3))
        self.assertGreater(inside.sum(), 100)
        [people] = self.fused(["people.tif"], ["sum"], resolution=1000, crs="EPSG:3035", bounds=[west, south, east, north])["inputs"]
        self.assertAlmostEqual(people["total_before"] / (inside * values).sum(), 1, 3)
        self.assertAlmostEqual(people["outside_share"], 1 - inside.mean(), 3)
        self.assertLess(abs(people["relative_difference"]), 1e-3)

    def test_the_cells_are_those_of_gdalwarp(self):
        self.grid("heat.tif", rasters.waves(50, 40, 0, 30), epsg=4326, transform=(15, 0.01, 0, 52, 0, -0.01))
        for method, word in (("average", "average"), ("bilinear", "bilinear"), ("med", "med")):
            self.fused(["heat.tif"], [method], resolution=2500, crs="EPSG:3035")
            g = gdal.Open(self.path("out.tif"))
            t = g.GetGeoTransform()
            box = (t[0], t[3] + g.RasterYSize * t[5], t[0] + g.RasterXSize * t[1], t[3])
            self.program("gdalwarp", "-q", "-overwrite", "-t_srs", "EPSG:3035", "-r", word, "-et", 0, "-te", *map(repr, box), "-tr", 2500, 2500, "-ot", "Float64",
                         "-dstnodata", "nan", "heat.tif", "warped.tif")
            numpy.testing.assert_allclose(self.cells(), self.cells("warped.tif"), rtol=1e-12, err_msg=method)

    def test_nothing_is_asked_where_no_method_matters(self):
        self.grid("a.tif", [[1, 2], [3, 4]])
        self.grid("b.tif", [[5, 6], [7, 8]])
        told = self.fused(["a.tif", "b.tif"], align_to="a.tif")
        self.assertEqual([i["method"] for i in told["inputs"]], ["copy", "copy"])
        self.assertEqual(self.cells(band=2).tolist(), [[5, 6], [7, 8]])

    def test_refusals(self):
        self.grid("counts.tif", [[1, 2], [3, 4]])
        self.grid("land.tif", [[1, 2], [3, 1]], dtype=gdal.GDT_Byte, palette=PALETTE)
        self.grid("nowhere.tif", [[1, 2], [3, 4]], epsg=None)
        rasters.write(self.path("two.tif"), [numpy.ones((2, 2))] * 2, gdal.GDT_Float32, transform=at(10.0))
        target = {"resolution": 20, "crs": "EPSG:31985"}
        for uris, methods, arguments, words in (
                (["counts.tif", "land.tif"], None, target, "land.tif: class"),
                (["counts.tif", "land.tif"], ["min"], target, "'methods' has 1 for 2 rasters"),
                (["counts.tif"], ["copy"], target, "'methods' has copy for a raster of another grid"),
                (["land.tif"], ["average"], target, "average does arithmetic on codes"),
                (["counts.tif"], ["min"], {}, "the target grid is unknown"),
                (["counts.tif"], ["min"], {"resolution": 20}, "the target grid is unknown"),
                (["counts.tif"], ["min"], {"align_to": "counts.tif", "resolution": 20}, "'align_to' fixes the target grid"),
                (["nowhere.tif"], ["min"], target, "nowhere.tif has no CRS"),
                (["two.tif"], ["min"], target, "two.tif has 2 bands"),
                (["counts.tif"], ["min"], {**target, "bounds": [X + 900, Y, X + 990, Y + 60]}, "lies in the target, [289900"),
                (["counts.tif"], ["min"], {**target, "resolution": 1e-5}, "more than 1e9")):
            with self.subTest(words=words):
                p = problem(self.answered(uris, methods, **arguments))
                self.assertIn(words, p["message"])
                self.assertTrue(p["hint"])
                self.assertFalse(os.path.exists(self.path("out.tif")))

    def test_a_raster_of_0_to_360_degrees_is_not_summed_elsewhere(self):
        rasters.write(self.path("turn.tif"), [numpy.ones((18, 36))], gdal.GDT_Float32, epsg=4326, transform=(0, 10, 0, 90, 0, -10))
        for target in ({"resolution": 500000, "crs": "ESRI:54009"}, {"resolution": 20, "crs": "EPSG:4326", "bounds": [-180, -90, 180, 90]}):
            with self.session() as s:
                refused = problem(run(s, self.tool, {"uris": ["turn.tif"], "methods": ["sum"], "output": self.output, **target}))
            self.assertIn("run from 0 to 360", refused["message"])
        with self.session() as s:  # as the refusal advises
            good(run(s, "raster_reproject", {"uri": "turn.tif", "dst_crs": "EPSG:4326", "resampling": "nearest", "resolution": 10,
                                             "bounds": [-180, -90, 180, 90], "output": "west.tif"}))
        [west] = self.fused(["west.tif"], ["sum"], resolution=20, crs="EPSG:4326", bounds=[-180, -90, 180, 90])["inputs"]
        self.assertEqual((west["outside_share"], west["total_before"], west["total_after"]), (0, 648, 648))
        [same] = self.fused(["turn.tif"], ["sum"], resolution=30, crs="EPSG:4326")["inputs"]
        self.assertEqual((same["total_before"], same["total_after"]), (648, 648))

    def test_a_grid_of_0_to_360_degrees_is_not_filled_by_half(self):
        rasters.write(self.path("a.tif"), [numpy.ones((18, 36))], gdal.GDT_Float32, epsg=4326, transform=(-180, 10, 0, 90, 0, -10))
        rasters.write(self.path("b.tif"), [numpy.ones((18, 36))], gdal.GDT_Float32, epsg=3832, transform=(-1800000, 100000, 0, 900000, 0, -100000))
        turn = {"resolution": 20, "crs": "EPSG:4326", "bounds": [0, -90, 360, 90]}
        for name in ("a.tif", "b.tif"):
            refused = problem(self.answered([name], ["sum"], accepted=["totals_of_levels"], **turn))
            self.assertIn("the grid runs from longitude 0 to 360", refused["message"])
        [whole] = self.fused(["a.tif"], ["sum"], **{**turn, "bounds": [-180, -90, 180, 90]})["inputs"]
        self.assertEqual((whole["total_before"], whole["total_after"]), (648, 648))

    def test_default_bounds_that_would_leave_out_a_raster_are_refused(self):
        """Around Fiji, 1200 km across longitude 180; and around the pole."""
        for epsg, corner, cell, target in ((3832, (2700000, -1500000), 100000, {"resolution": 1, "crs": "EPSG:4326"}),
                                           (3413, (-3000000, 3000000), 500000, {"resolution": 100000, "crs": "EPSG:3857"})):
            rasters.write(self.path("a.tif"), [numpy.ones((12, 12))], gdal.GDT_Float32, epsg=epsg, transform=(corner[0], cell, 0, corner[1], 0, -cell))
            refused = problem(self.answered(["a.tif"], ["max"], **target))
            self.assertEqual(refused["hint"], "give 'bounds'")
        told = self.fused(["a.tif"], ["max"], resolution=1, crs="EPSG:4326", bounds=[-180, 50, 180, 90])
        self.assertLess(told["inputs"][0]["outside_share"], 0.2)

    def test_a_total_around_the_pole_is_kept_once_its_cells_are_split(self):
        """Cells of 100 km across longitude 180 lose what they hold in degrees; those of 5 km hold little."""
        rasters.write(self.path("a.tif"), [numpy.ones((20, 20))], gdal.GDT_Float32, epsg=3031, transform=(-1000000, 100000, 0, 1000000, 0, -100000))
        degrees = {"resolution": 1, "crs": "EPSG:4326", "accepted": ["totals_of_levels"]}
        told = self.fused(["a.tif"], ["sum"], **degrees)
        self.assertLess(told["inputs"][0]["total_after"], 390)
        [said] = [w for w in told["warnings"] if "did not keep the total" in w]
        self.assertIn("across longitude 180 and at the pole: first split them, with sum to a twentieth of the cell size in EPSG:3031, and fuse that", said)
        self.output = "fine.tif"
        self.fused(["a.tif"], ["sum"], resolution=5000, crs="EPSG:3031", accepted=["totals_of_levels"])
        self.output = "out.tif"
        self.assertAlmostEqual(self.fused(["fine.tif"], ["sum"], **degrees)["inputs"][0]["total_after"], 400, delta=2)

    def test_a_part_outside_default_bounds_is_named(self):
        rasters.write(self.path("a.tif"), [numpy.ones((60, 60))], gdal.GDT_Float32, epsg=3832, transform=(2500000, 100000, 0, -1500000, 0, -100000))
        told = self.fused(["a.tif"], ["max"], resolution=100000, crs="EPSG:3857")
        self.assertRegex(" ".join(told["warnings"]), "^3 % of .*a.tif lie outside the grid")

    def test_the_lower_of_two_in_the_middle_is_said(self):
        self.grid("a.tif", [[1, 2], [3, 4]])
        self.assertIn("the lower of the two", " ".join(self.fused(["a.tif"], ["med"], resolution=20, crs="EPSG:31985")["warnings"]))
        self.assertEqual(self.cells().tolist(), [[2]])


if __name__ == "__main__":
    session.main()
