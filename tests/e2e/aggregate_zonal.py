"""aggregate_zonal by eye: rasters of a few cells, zones along their borders."""
import re

import numpy
from osgeo import gdal, ogr

import more
import rasters
import session
from raster_traps import zone_area
from session import good, problem, run

CELLS = (1000000, 100, 0, 4000000, 0, -100)


def box(west, south, east, north):
    return [[[west, south], [east, south], [east, north], [west, north], [west, south]]]


def collection(*polygons, kind="Polygon"):
    return {"type": "FeatureCollection",
            "features": [{"type": "Feature", "properties": {}, "geometry": {"type": kind, "coordinates": p}} for p in polygons]}


def columns(first, last, rows=2):
    """Whole columns of CELLS, both included."""
    return box(1000000 + 100 * first, 4000000 - 100 * rows, 1000000 + 100 * (last + 1), 4000000)


class aggregate_zonal(more.MoreClaims):
    tool = "aggregate_zonal"
    output = "out.csv"

    def write(self, name, *bands, transform=CELLS, epsg=6933):
        return rasters.write(self.path(name), [numpy.array(b, "float64") for b in bands], gdal.GDT_Float64, epsg=epsg, transform=transform)

    def answer(self, raster, zones, stats, **arguments):
        """The result of one call, its question answered."""
        with self.session() as s:
            return run(s, self.tool, {"raster": raster, "zones": zones, "stats": stats, "output": self.output, "overwrite": True,
                                      **({"zones_crs": "EPSG:6933"} if isinstance(zones, dict) else {}), **arguments})

    def test_weights_below_zero_are_refused_where_a_zone_has_them(self):
        self.write("a.tif", [[100, 100, 120], [100, 100, 120]])
        self.write("w.tif", [[1, 1, -2], [1, 1, -3]])
        refused = problem(self.answer("a.tif", collection(columns(0, 1), columns(1, 2)), ["weighted_mean"], weights="w.tif"))
        self.assertIn("zone 1 has 2 cells with a weight below zero, the least being -3", refused["message"])
        self.assertIn("0 or more", refused["hint"])
        told = good(self.answer("a.tif", collection(columns(0, 1)), ["weighted_mean"], weights="w.tif"))
        self.assertEqual(told["rows"][0]["weighted_mean"], 100)

    def test_weighted_values_without_the_weights_of_a_part_are_named(self):
        """Weights of one cell in two are missing in zone 0, none in zone 1."""
        self.write("a.tif", [[10, 20, 30]])
        rasters.write(self.path("w.tif"), [numpy.array([[1.0, -1, 1]])], gdal.GDT_Float64, epsg=6933, transform=CELLS, nodata=-1)
        for stat, value, warned in (("weighted_sum", 10, True), ("weighted_mean", 10, False)):  # as of values: a mean speaks for half of them
            told = good(self.answer("a.tif", collection(columns(0, 1, 1), columns(2, 2, 1)), [stat], weights="w.tif"))
            self.assertEqual([(row[stat], row.get("unweighted_cells", 0)) for row in told["rows"]], [(value, 1), (30, 0)])
            self.assertEqual([w for w in told["warnings"] if "weight" in w],
                             ["1 weighted value is of a part of the zone: in zone 0 1 of 2 cells have no weight, see unweighted_cells"] * warned)

    def test_a_patch_of_marks_that_a_look_at_the_raster_misses_is_named(self):
        cells = numpy.random.default_rng(1).normal(100, 10, (2200, 2200)).astype("float32")
        cells[262:380, 262:380] = -9999  # between the windows looked at
        self.write("a.tif", cells)
        told = good(self.answer("a.tif", collection(columns(200, 400, 2200), columns(1000, 1100, 2200)), ["mean"]))
        self.assertIn("holds -9999 in zone 0: it looks like", " ".join(told["warnings"]))

    def test_whole_numbers_that_are_called_counts_are_no_codes(self):
        cells = numpy.random.default_rng(1).poisson(3, (40, 40)).astype("int32")
        for name, codes in (("building_count.tif", False), ("population.tif", False), ("population_density.tif", True), ("b.tif", True)):
            rasters.write(self.path(name), [cells], gdal.GDT_Int32, epsg=6933, transform=CELLS)
            told = good(self.answer(name, collection(columns(0, 10, 40)), ["sum"]))
            self.assertEqual(told["rows"][0]["sum"], int(cells[:, :11].sum()))
            self.assertEqual("looks like class codes" in str(told["warnings"]), codes, name)

    def test_a_total_of_half_a_zone_and_a_mean_of_totals_are_named(self):
        self.write("a.tif", [[1, 2], [3, 4]])
        told = good(self.answer("a.tif", collection(columns(0, 0), columns(1, 2)), ["sum"]))
        self.assertIn("1 total is of a part of the zone, in zone 1 of 50 % of its area", " ".join(told["warnings"]))
        told = good(self.answer("a.tif", collection(columns(0, 0), columns(0, 2), columns(1, 4)), ["frac"]))
        self.assertIn("the classes of 2 zones are of a part of the zone, at worst in zone 2 of 25 % of its area", " ".join(told["warnings"]))
        for beyond in (1, 3):  # the raster ends within the zone: half and a quarter of it have data
            for stat in ("mean", "max"):
                told = good(self.answer("a.tif", collection(columns(1, 1 + beyond)), [stat]))
                self.assertIn("1 value is of a part of the zone", " ".join(told["warnings"]))
        for missing, warned in ((1, False), (2, True)):  # of three columns within the raster
            rasters.write(self.path("gaps.tif"), [numpy.array([[1.0, 2, 3, 4][:3 - missing] + [-9.0] * missing] * 2)], gdal.GDT_Float64, epsg=6933, transform=CELLS, nodata=-9)
            told = good(self.answer("gaps.tif", collection(columns(0, 2, 2)), ["mean"]))
            self.assertEqual("1 value is of a part of the zone" in " ".join(told["warnings"]), warned)
        self.write("people.tif", [[1.5, 2], [30, 4]])
        people = gdal.Open(self.path("people.tif"), gdal.GA_Update)
        people.GetRasterBand(1).SetUnitType("persons")
        del people
        told = good(self.answer("people.tif", collection(columns(0, 1)), ["mean"]))
        self.assertIn("people.tif holds totals per cell, and their mean or median is that of a cell", " ".join(told["warnings"]))

    def test_of_weights_with_several_bands_the_first_is_used_and_named(self):
        self.write("a.tif", [[1, 2], [3, 4]])
        self.write("w.tif", [[1, 0], [0, 0]], [[0, 0], [0, 1]])
        told = good(self.answer("a.tif", collection(columns(0, 1)), ["weighted_mean"], weights="w.tif"))
        self.assertEqual(told["rows"][0]["weighted_mean"], 1)
        self.assertTrue(any("weights has 2 bands: band 1" in w for w in told["warnings"]), told["warnings"])

    def test_an_alpha_band_is_no_class_and_left_out_unless_named(self):
        heights = numpy.add.outer(numpy.arange(40), 3 * numpy.arange(40)) + 400
        alpha = numpy.where(heights < 420, 0, 65535)
        rasters.write(self.path("a.tif"), [heights, alpha], gdal.GDT_UInt16, epsg=6933, transform=CELLS, colours=(gdal.GCI_GrayIndex, gdal.GCI_AlphaBand))
        call = {"raster": "a.tif", "zones": collection(columns(0, 39, 40)), "zones_crs": "EPSG:6933", "stats": ["mean"]}
        with self.session() as s:
            self.assertNotIn("arithmetic_on_codes", str(s.call("preflight", {"tool": self.tool, "arguments": call})))
        told = self.answer("a.tif", call["zones"], ["mean"])
        self.assertEqual([(r["band"], round(r["mean"], 6)) for r in good(told)["rows"]], [(1, round(float(heights[alpha > 0].mean()), 6))])
        self.assertIn("Band 2 is an alpha band", str(told["content"]))
        self.assertEqual([r["band"] for r in good(self.answer("a.tif", call["zones"], ["max"], bands=[1, 2]))["rows"]], [1, 2])

    def test_a_geopackage_has_the_crs_of_the_zones(self):
        self.write("a.tif", [[1, 2], [3, 4]])
        told = good(self.answer("a.tif", collection(columns(0, 1)), ["count"], output="out.gpkg"))
        self.assertEqual(told["output"]["crs"], "EPSG:6933")

    def test_both_zones_of_every_pair_that_overlaps_are_named(self):
        self.write("a.tif", [[1, 2, 3, 4], [5, 6, 7, 8]])
        told = good(self.answer("a.tif", collection(columns(0, 1), columns(2, 2), columns(1, 1), columns(3, 3)), ["count"]))
        self.assertEqual((told["overlaps"]["zones"], told["overlaps"]["cells"]), (["0", "2"], 2))
        self.assertTrue(any("2 zones overlap in 2 cells" in w for w in told["warnings"]), told["warnings"])

    def test_totals_without_the_cells_along_borders_are_named(self):
        """Two zones meet in the middle of a cell of 20: either has half of it."""
        self.write("a.tif", [[10, 20, 30]])
        halves = [box(1000000, 3999900, 1000150, 4000000), box(1000150, 3999900, 1000300, 4000000)]
        for least, total in ((0, 60), (0.6, 40)):
            told = good(self.answer("a.tif", collection(*halves), ["sum"], min_coverage=least))
            self.assertEqual(sum(row["sum"] for row in told["rows"]), total)
            self.assertEqual([w for w in told["warnings"] if "min_coverage" in w],
                             ["cells that no zone covers by 0.6 ('min_coverage') count in none: totals of zones that adjoin miss those along their borders"] * (least > 0))

    def test_a_least_coverage_of_cells_that_count_as_a_whole_is_refused(self):
        self.write("a.tif", [[10, 20, 30]])
        for coverage in ("center", "all_touched"):
            p = problem(self.answer("a.tif", collection(columns(0, 1)), ["sum"], min_coverage=0.5, coverage=coverage))
            self.assertIn(f"min_coverage is given, but coverage is {coverage}, where cells count as a whole", p["message"])

    def test_a_caution_that_holds_of_every_statistic_is_given_once(self):
        self.write("a.tif", [[1.5, 2.5, 7.5], [3.5, 9.5, 4.5]])
        small = [box(1000010 + 100 * i, 3999960, 1000040 + 100 * i, 3999990) for i in range(3)]
        told = good(self.answer("a.tif", collection(*small), ["sum", "mean", "median", "stdev"]))
        self.assertTrue(any("smaller than one cell" in w for w in told["warnings"]), told["warnings"])
        self.assertEqual(len(told["warnings"]), len(set(told["warnings"])))

    def test_a_zone_split_at_the_antimeridian_is_not_called_wide(self):
        self.write("a.tif", numpy.arange(36 * 18).reshape(18, 36), transform=(-180, 10, 0, 90, 0, -10), epsg=4326)
        split = collection([box(170, 0, 180, 10), box(-180, 0, -170, 10)], kind="MultiPolygon")
        told = good(self.answer("a.tif", split, ["count"], zones_crs="EPSG:4326"))
        self.assertEqual(told["rows"][0]["count"], 2)
        self.assertFalse(any("180 degrees" in w for w in told.get("warnings", [])), told.get("warnings"))
        told = good(self.answer("a.tif", collection(box(-170, 0, 170, 10)), ["count"], zones_crs="EPSG:4326"))
        self.assertTrue(any("edges of more than 180 degrees" in w for w in told["warnings"]), told["warnings"])

    def test_shares_and_means_over_cells_of_unequal_area_are_named_with_their_zone(self):
        """Of 85 rows of a degree, 25 lie beyond 60 degrees: 0.294 of the cells, 0.131 of the ground."""
        self.write("a.tif", [[2]] * 25 + [[1]] * 60, transform=(0, 10, 0, 85, 0, -1), epsg=4326)
        zones = collection(box(0, 0, 10, 1), box(0, 0, 10, 85), box(0, 50, 10, 52))
        told = good(self.answer("a.tif", zones, ["frac", "mean"], zones_crs="EPSG:4326"))
        self.assertEqual({c["value"]: c["share"] for c in told["rows"][1]["frac"]}, {1: 0.705882, 2: 0.294118})
        found = [w for w in told["warnings"] if "counts alike" in w]
        self.assertEqual(len(found), 1, told["warnings"])
        said = re.match(r"in zone 1 the largest cell covers ([\d.]+) times the ground of the smallest, but every cell counts alike in frac, mean; ", found[0])
        self.assertAlmostEqual(float(said[1]), zone_area(0, 1, 1) / zone_area(84, 85, 1), delta=0.005)
        self.assertIn("for shares by area use aggregate_classes, for means by area add weighted_mean with weight_by_area", found[0])
        for stats, more_ in ((["frac"], {}), (["frac", "mean", "weighted_mean"], {"weight_by_area": True})):
            told = good(self.answer("a.tif", zones, stats, zones_crs="EPSG:4326", **more_))
            self.assertTrue(any("counts alike in frac; for shares by area use aggregate_classes" in w for w in told["warnings"]), told["warnings"])
        for zone, stats, more_ in ((box(0, 0, 10, 85), ["mean", "weighted_mean"], {"weight_by_area": True}), (box(0, 0, 10, 85), ["max", "count", "sum"], {}),
                                   (box(0, 3, 10, 5), ["frac", "mean"], {})):
            told = good(self.answer("a.tif", collection(zone), stats, zones_crs="EPSG:4326", **more_))
            self.assertFalse(any("counts alike" in w for w in told.get("warnings", [])), told.get("warnings"))

    def test_cells_that_end_at_the_pole_have_their_area(self):
        """EPSG:6933 ends at y = 7342230: a row of 100 km from there on is as large as the one below it."""
        top = 7342230.136
        rasters.write(self.path("a.tif"), [numpy.array([[1.0] * 4, [2.0] * 4])], gdal.GDT_Float64, epsg=6933, transform=(0, 1e5, 0, top, 0, -1e5))
        told = good(self.answer("a.tif", collection(box(0, top - 2e5, 2e5, top - 100)), ["frac"]))
        self.assertEqual({c["value"] for c in told["rows"][0]["frac"]}, {1, 2})
        for c in told["rows"][0]["frac"]:
            self.assertAlmostEqual(c["area_m2"] / 2e10, 1, delta=2e-3)

    def test_whole_cells_without_data_lower_the_share_with_data(self):
        rasters.write(self.path("a.tif"), [numpy.array([[1.0, 1, -9, -9]] * 2)], gdal.GDT_Float64, epsg=6933, transform=CELLS, nodata=-9)
        strip, wide, half = box(1000000, 3999940, 1000400, 3999960), box(1000000, 3999800, 1000190, 4000000), box(999800, 3999800, 1000200, 4000000)
        for coverage, shares in (("fraction", (0.5, 1, 0.5)), ("center", (0.5, 1, 0.5)), ("all_touched", (0.5, 1, 0.5))):
            told = good(self.answer("a.tif", collection(strip, wide, half), ["count"], coverage=coverage))
            self.assertEqual(tuple(r["data_share"] for r in told["rows"]), shares, coverage)

    def test_edges_are_densified_however_far_apart_the_parts_lie(self):
        """The parts of a zone hold as many polar cells together as one by one."""
        self.write("a.tif", numpy.ones((90, 90)), transform=(-4500000, 100000, 0, 4500000, 0, -100000), epsg=3995)
        west, east = box(160, 60, 170, 80), box(-170, 60, -160, 80)
        apart = good(self.answer("a.tif", collection(west, east), ["count"], zones_crs="OGC:CRS84"))["rows"]
        both = good(self.answer("a.tif", collection([west, east], kind="MultiPolygon"), ["count"], zones_crs="OGC:CRS84"))["rows"]
        self.assertAlmostEqual(both[0]["count"], sum(r["count"] for r in apart), delta=1e-4)

    def test_a_circle_has_the_cells_of_its_area(self):
        self.write("a.tif", numpy.ones((20, 20)))
        source = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("disc.gpkg"))
        layer = source.CreateLayer("disc", rasters.crs(6933), ogr.wkbCurvePolygon)
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(
            "CURVEPOLYGON (CIRCULARSTRING (1000200 3999000,1001000 3999800,1001800 3999000,1001000 3998200,1000200 3999000))"))
        layer.CreateFeature(feature)
        del feature, layer, source
        told = good(self.answer("a.tif", "disc.gpkg", ["count"]))
        self.assertAlmostEqual(told["rows"][0]["count"], 64 * numpy.pi, delta=2e-4)

    def test_the_outlines_of_a_csv_are_no_labels(self):
        self.write("a.tif", [[1, 2], [3, 4]])
        with open(self.path("zones.csv"), "w", encoding="utf-8") as file:
            file.write('name,WKT\nleft,"POLYGON ((1000000 3999800,1000100 3999800,1000100 4000000,1000000 4000000,1000000 3999800))"\n')
        [row] = good(self.answer("a.tif", "zones.csv", ["sum"], zones_crs="EPSG:6933"))["rows"]
        self.assertEqual((row["labels"], row["sum"]), (["left"], 4))

    def test_codes_in_a_csv_are_text_for_the_next_tool(self):
        rasters.write(self.path("a.tif"), [numpy.array([[1, 2], [3, 4]], "uint8")], gdal.GDT_Byte, epsg=6933, transform=CELLS)
        [zone] = collection(columns(0, 0))["features"]
        zones = {"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:6933"}},
                 "features": [{**zone, "properties": {"fips": "37001"}}]}
        for tool, arguments in (("aggregate_zonal", {"raster": "a.tif", "stats": ["sum"]}), ("aggregate_classes", {"uri": "a.tif"})):
            with self.session() as s:
                good(run(s, tool, {**arguments, "zones": zones, "zone_id": "fips", "output": "out.csv", "overwrite": True}))
                [layer] = good(s.call("vector_info", {"uri": "out.csv"}))["layers"]
                self.assertEqual([f["type"] for f in layer["fields"] if f["name"] == "zone"], ["String"], tool)

    def test_extremes_of_codes_and_directions_are_warned_of(self):
        rasters.write(self.path("a.tif"), [numpy.array([[1, 2], [3, 1]], "uint8")], gdal.GDT_Byte, epsg=6933, transform=CELLS,
                      palette={1: (1, 2, 3), 2: (4, 5, 6), 3: (7, 8, 9)}, options=())
        self.assertIn("the least and the greatest of codes mean nothing",
                      " ".join(good(self.answer("a.tif", collection(columns(0, 1)), ["max"]))["warnings"]))
        self.write("aspect.tif", [[359, 1], [90, 180]])
        self.assertIn("around the circle none is the least or the greatest",
                      " ".join(good(self.answer("aspect.tif", collection(columns(0, 1)), ["min"]))["warnings"]))

    def test_a_zone_that_the_crs_has_no_place_for_is_said_to_lie_far_away(self):
        self.write("a.tif", [[1, 2], [3, 4]], transform=(500000, 30, 0, 4649776, 0, -30), epsg=32616)
        refused = problem(self.answer("a.tif", collection(box(0, 0, 1, 1)), ["count"], zones_crs="OGC:CRS84"))
        self.assertIn("no zone touches the raster: the zones reach [0,0,1,1]", refused["message"])
        self.assertIn("check the CRS of both", refused["hint"])

    def test_polar_zones_across_180_have_the_cells_of_their_shape(self):
        """A square and its image half a turn around the pole cover as much of the Earth; so do a tile with an edge on 180 and its mirror image.
        Around the whole circle there would be ten times as many cells."""
        self.write("a.tif", numpy.ones((180, 360)), transform=(-180, 1, 0, 90, 0, -1), epsg=4326)
        for south, here, there in ((3031, box(-500000, -3000000, 500000, -1000000), box(-500000, 1000000, 500000, 3000000)),
                                   (3031, box(-1000000, -3000000, 0, -1000000), box(0, -3000000, 1000000, -1000000)),
                                   (3395, box(19500000, -1000000, 20500000, 1000000), box(-500000, -1000000, 500000, 1000000))):
            found = [good(self.answer("a.tif", collection(zone), ["count"], zones_crs=f"EPSG:{south}"))["rows"][0]["count"] for zone in (here, there)]
            self.assertAlmostEqual(found[0] / found[1], 1, delta=1e-5)
            self.assertLess(found[0], 900)

    def test_a_ring_around_the_pole_is_its_outside_without_its_inside(self):
        """Squares around the pole, and holes with an edge through it, or across 180 on the other side of it."""
        self.write("a.tif", numpy.ones((180, 360)), transform=(-180, 1, 0, 90, 0, -1), epsg=4326)
        def square(side):
            return box(-side, -side, side, side)

        for code in (3031, 3413):
            for inner in (square(2000000), box(0, -1000000, 1000000, 1000000), box(-1000000, 0, 1000000, 1000000), box(-1000000, -900000, 1000000, 300000)):
                rows = good(self.answer("a.tif", collection(square(3000000), inner, square(3000000) + inner), ["count"], zones_crs=f"EPSG:{code}"))["rows"]
                outside, inside, ring = (row["count"] for row in rows)
                self.assertAlmostEqual(ring / (outside - inside), 1, delta=1e-5)
                self.assertEqual(rows[2]["data_share"], 1)
            def circle(radius):
                return [[[radius * float(numpy.cos(a)), radius * float(numpy.sin(a))] for a in numpy.append(numpy.radians(numpy.arange(0, 360, 5.625)), 0)]]

            outside, inside, ring = (row["count"] for row in good(self.answer("a.tif", collection(circle(1500000), circle(800000), circle(1500000) + circle(800000)),
                                                                              ["count"], zones_crs=f"EPSG:{code}"))["rows"])
            self.assertAlmostEqual(ring / (outside - inside), 1, delta=1e-5)

    def test_a_zone_with_a_corner_at_the_pole_is_a_quarter_of_its_cap(self):
        """Around the pole of a polar map, the quarter of a circle with vertices of half a degree."""
        self.write("a.tif", numpy.ones((180, 360)), transform=(-180, 1, 0, 90, 0, -1), epsg=4326)
        def arc(degrees):
            return [[2e6 * float(numpy.cos(a)), 2e6 * float(numpy.sin(a))] for a in numpy.radians(numpy.arange(0, degrees + 0.5, 0.5))]

        quarter, circle = [[0, 0], *arc(90), [0, 0]], arc(359.5)
        counts = [good(self.answer("a.tif", collection([ring]), ["count"], zones_crs="EPSG:3995"))["rows"][0]["count"]
                  for ring in (quarter, [*circle, circle[0]])]
        self.assertAlmostEqual(4 * counts[0] / counts[1], 1, delta=1e-4)

    def test_zones_across_the_end_of_a_map_have_the_cells_of_their_two_sides(self):
        """Cylinders and maps with curved ends, the one of longitude -170 to 190 among them; the band around the whole Earth holds 17 times as many."""
        world = (-20037508.342789244, 200000, 0, 20037508.342789244, 0, -200000)
        for number, (epsg, cut) in enumerate(((3857, 180), (3832, -30), ("ESRI:54030", 180), ("ESRI:54009", 180), ("+proj=sinu +datum=WGS84", 180))):
            name = f"world{number}.tif"
            rasters.write(self.path(name), [numpy.ones((201, 201))], gdal.GDT_Float64, epsg=epsg, transform=world)
            sides = box(cut - 10, 10, cut, 30), box(cut - 360, 10, cut - 350, 30) if cut == 180 else box(cut, 10, cut + 10, 30)
            rows = good(self.answer(name, collection(box(cut - 10, 10, cut + 10, 30), *sides), ["count"], zones_crs="OGC:CRS84"))["rows"]
            whole, *parts = (row["count"] for row in rows)
            self.assertAlmostEqual(whole, sum(parts), places=4)
            self.assertLess(whole, 150)
            self.assertEqual([row["data_share"] for row in rows], [1, 1, 1])

    def test_a_zone_across_the_gaps_of_a_map_is_left_out_with_the_reason(self):
        self.write("a.tif", numpy.ones((174, 401)), transform=(-20050000, 100000, 0, 8700000, 0, -100000), epsg="+proj=igh +datum=WGS84")
        told = good(self.answer("a.tif", collection(box(-50, 10, -30, 30), box(-30, 10, -10, 30)), ["count"], zones_crs="OGC:CRS84"))
        self.assertEqual(told["zones_with_problems"][0]["zone"], "0")
        self.assertIn("cannot be transformed to the raster's CRS: ", told["zones_with_problems"][0]["reason"])
        self.assertAlmostEqual(told["rows"][-1]["count"], 463.43, places=1)
        refused = problem(self.answer("a.tif", collection(box(-50, 10, -30, 30)), ["count"], zones_crs="OGC:CRS84"))
        self.assertIn("ends or is torn within the zones: bring the raster to another CRS with raster_reproject, such as theirs, OGC:CRS84", refused["hint"])

    def test_zones_around_the_far_point_of_a_map_are_not_turned_inside_out(self):
        """Europe by a map around 52 N, 10 E, whose far point is 52 S, 170 W: the South Pacific is none of its cells, all but it are all."""
        self.write("a.tif", numpy.ones((70, 80)), transform=(0, 100000, 0, 7000000, 0, -100000), epsg=3035)
        counts = [row["count"] for row in good(self.answer("a.tif", collection(box(-180, -70, -160, -40), box(-180, -60, -100, 60), box(-165, -60, 165, 90)),
                                                           ["count"], zones_crs="OGC:CRS84"))["rows"]]
        self.assertEqual(counts, [0, 0, 5600])

    def test_zones_at_180_on_another_datum_stay_where_they_are(self):
        self.write("a.tif", numpy.ones((180, 360)), transform=(-180, 1, 0, 90, 0, -1), epsg=4322)
        zones = collection(box(170, 10, 190, 20), box(170, 10, 180, 20), box(-180, 10, -170, 20), box(-180, -90, 180, -80))
        for row, expected in zip(good(self.answer("a.tif", zones, ["count"], zones_crs="OGC:CRS84"))["rows"], (200, 100, 100, 3600)):
            self.assertAlmostEqual(row["count"], expected, delta=0.01)

    def test_the_share_with_data_is_one_of_the_ground(self):
        """A map of the world to 85.05 degrees, and a quarter of the Earth that lies half on the raster: sin 40 of sin 80."""
        self.write("world.tif", numpy.ones((201, 201)), transform=(-20037508.342789244, 200000, 0, 20037508.342789244, 0, -200000), epsg=3857)
        self.write("north.tif", numpy.ones((40, 90)), transform=(0, 1, 0, 40, 0, -1), epsg=4326)
        for name, zone, share in (("world.tif", box(-90, -90, 90, 90), 0.9963), ("world.tif", box(0, 60, 90, 90), 0.9721), ("north.tif", box(0, 0, 90, 80), 0.6511)):
            [row] = good(self.answer(name, collection(zone), ["count"], zones_crs="OGC:CRS84"))["rows"]
            self.assertAlmostEqual(row["data_share"], share, places=4)

    def test_areas_of_classes_that_are_not_those_of_the_zone_are_named(self):
        """A tenth of a degree in the south of a cell of 5 degrees, where the ground is wider than in its middle."""
        self.write("a.tif", numpy.ones((30, 60)), transform=(0, 5, 0, 75, 0, -5), epsg=4326)
        small, cells = collection(box(10.1, 50.1, 10.2, 50.2)), collection(box(10, 50, 15, 55))
        for zones, named in ((small, True), (cells, False)):
            said = " ".join(good(self.answer("a.tif", zones, ["frac"], zones_crs="OGC:CRS84"))["warnings"])
            self.assertEqual("the classes in zone 0 add up to" in said, named, said)

    def test_columns_beyond_a_turn_count_once(self):
        """The first column once more at the end, as many climate grids have it."""
        self.write("a.tif", numpy.ones((180, 361)), transform=(0, 1, 0, 90, 0, -1), epsg=4326)
        rows = good(self.answer("a.tif", collection(box(0, 10, 1, 20), box(-10, 10, 10, 20)), ["count"], zones_crs="OGC:CRS84"))["rows"]
        self.assertEqual([row["count"] for row in rows], [10, 200])


if __name__ == "__main__":
    session.main()
