"""hydro_watershed against walks down from each cell, and what snapping must and must not do."""
import numpy
from osgeo import gdal
from pyproj import Geod

import hydro
import rasters
import session
from hydro import NODATA, HydroClaims, count_upstream, path, receiver
from session import good, problem, run

AREA = 20 * 30 / 1e6 / 0.9996 ** 2  # km2 of a cell

# A river along the middle row, a smaller one along the last, which leave the terrain apart.
RIVERS = [[4, 4, 4, 4, 4, 4], [1, 1, 1, 1, 1, 1], [64, 64, 64, 4, 4, 4], [1, 1, 1, 1, 1, 1]]


def labels(codes, outlets):
    found = numpy.zeros(codes.shape, int)
    for cell in hydro.cells(codes):
        for below in path(codes, cell):
            if below in outlets:
                found[cell] = outlets.index(below) + 1
                break
    return found


class hydro_watershed(HydroClaims):
    def told(self, s, **arguments):
        return good(s.call("hydro_watershed", {"directions": "directions.tif", "output": "basins.tif", "overwrite": True, **arguments}))

    def test_nested_points_share_the_basin_and_name_the_next_one(self):
        self.write_codes([[1, 1, 1, 1], [64, 64, 64, 64]])
        with self.session() as s:
            told = self.told(s, pour_points=self.point(self.centre((0, 3)), self.centre((0, 1))))
        self.assertEqual(self.read("basins.tif").tolist(), [[2, 2, 1, 1], [2, 2, 1, 1]])
        lower, upper = told["basins"]
        self.assertEqual((lower["to_basin"], upper["to_basin"]), (0, 1))
        self.assertAlmostEqual(lower["area_km2"], 4 * AREA, delta=1e-6)
        self.assertAlmostEqual(lower["upstream_km2"], 8 * AREA, delta=1e-6)
        self.assertEqual((lower["snapped_m"], lower["point"]), (0, 0))
        self.assertEqual(lower["outlet"], list(self.centre((0, 3))))
        self.assertEqual(told["covered_share"], 1)

    def test_a_point_without_geometry_and_shares_of_mfd_are_named_as_such(self):
        self.write_codes([[1, 1, 1, 1], [64, 64, 64, 64]])
        points = self.point(self.centre((0, 3)), self.centre((0, 1)))
        points["features"][1]["geometry"] = None
        with self.session() as s:
            p = problem(s.call("hydro_watershed", {"directions": "directions.tif", "pour_points": points, "output": "basins.tif"}))
            self.assertIn("has no geometry", p["message"])
            self.write_heights(numpy.arange(20.0).reshape(4, 5))
            good(run(s, "hydro_flow_direction", {"uri": "dem.tif", "method": "mfd", "output": "shares.tif"}))
            p = problem(s.call("hydro_watershed", {"directions": "shares.tif", "output": "basins.tif"}))
            self.assertIn("is tagged as 'mfd', and this tool follows D8 directions", p["message"])

    def test_a_move_from_a_stream_to_a_much_larger_one_is_told(self):
        # A river in row 30, which 30 rows drain to, and below it a brook of two rows that joins it at its end.
        codes = numpy.full((33, 60), 4)
        codes[30:32] = 1
        codes[31, 59], codes[32] = 64, 64
        self.write_codes(codes)
        with self.session() as s:
            for distance, cells, told in ((20, 120, False), (100, 1980, True)):
                answer = self.told(s, pour_points=self.point(self.centre((31, 59))), snap="max_accumulation", snap_distance=distance)
                self.assertAlmostEqual(answer["basins"][0]["upstream_km2"] / AREA, cells, delta=1e-3)
                self.assertEqual("'snap' moved it to one of" in str(answer["warnings"]), told)

    def test_basins_of_random_terrains_are_those_found_by_walking(self):
        with self.session() as s:
            for seed in range(3):
                codes = self.terrain(s, seed)
                told = self.told(s)
                ends = [c for c in hydro.cells(codes) if receiver(codes, c) is None]
                self.assertTrue((self.read("basins.tif") == labels(codes, ends)).all())
                self.assertEqual(told["basin_count"], len(ends))
                self.assertAlmostEqual(told["covered_share"], 1, places=12)
                random = numpy.random.default_rng(seed)
                chosen = [hydro.cells(codes)[i] for i in random.choice(len(hydro.cells(codes)), 5, replace=False)]
                told = self.told(s, pour_points=self.point(*[self.centre(c) for c in chosen]))
                expected, count = labels(codes, chosen), count_upstream(codes)
                self.assertTrue((self.read("basins.tif") == expected).all())
                for row, cell in zip(told["basins"], chosen):
                    self.assertAlmostEqual(row["area_km2"] / AREA, (expected == row["basin"]).sum(), delta=0.02)
                    self.assertAlmostEqual(row["upstream_km2"] / AREA, count[cell], delta=0.05)

    def test_of_many_basins_the_20_largest_are_listed(self):
        self.write_codes([[4] * 25, [4] * 25])  # each column drains south by itself
        with self.session() as s:
            result = s.call("hydro_watershed", {"directions": "directions.tif", "output": "basins.tif"})
            told = good(result)
            self.assertEqual((told["basin_count"], len(told["basins"])), (25, 20))
            self.assertIn("the result lists 20 of 25 basins; the output holds all", " ".join(b.get("text", "") for b in result["content"]))
            of_points = self.told(s, pour_points=self.point(*[self.centre((1, c)) for c in range(25)]))
        self.assertEqual(len(of_points["basins"]), 25)

    def test_polygons_cover_the_cells_of_their_basins_and_are_valid(self):
        with self.session() as s:
            codes = self.terrain(s, 5)
            self.told(s)
            cells = self.read("basins.tif")
            self.told(s, output="basins.gpkg")
        shapes = self.features("basins.gpkg")
        self.assertEqual(sorted(f["basin"] for f in shapes), sorted(set(cells[cells > 0].tolist())))
        for f in shapes:
            self.assertTrue(f["geometry"].IsValid())
            self.assertAlmostEqual(f["geometry"].GetArea(), (cells == f["basin"]).sum() * 600, delta=1e-3)
            self.assertAlmostEqual(f["area_km2"], (cells == f["basin"]).sum() * AREA, delta=1e-4)
        self.assertEqual((codes != NODATA).sum(), (cells > 0).sum())

    def test_distances_count_from_the_point_not_from_its_cell(self):
        self.write_codes(RIVERS)
        rasters.write(self.path("streams.tif"), [numpy.array([[0] * 6, [1] * 6, [0] * 6, [1] * 6], "uint8")], gdal.GDT_Byte, epsg=32633, transform=self.transform)
        with self.session() as s:
            for column, north, row in ((1, 12, 1), (3, -12, 3)):  # cells are 30 m high
                x, y = self.centre((2, column))
                told = self.told(s, streams="streams.tif", snap="nearest_stream", snap_distance=20, pour_points=self.point((x, y + north)))["basins"][0]
                self.assertEqual((told["outlet"], round(told["snapped_m"], 6)), (list(self.centre((row, column))), 18))
                p = problem(s.call("hydro_watershed", {"directions": "directions.tif", "streams": "streams.tif", "snap": "nearest_stream", "snap_distance": 17,
                                                       "pour_points": self.point((x, y + north)), "output": "none.tif"}))
                self.assertIn("no stream within snap_distance 17 m", p["message"])

    def test_a_point_a_whole_turn_away_and_a_grid_from_south_to_north_are_the_same(self):
        streams = numpy.array([[0] * 6, [1] * 6, [0] * 6, [1] * 6], "uint8")
        # From 0.02 degrees east and north of the middle of its cell to the middle of the next one.
        expected = Geod(ellps="WGS84").inv(350.17, 49.77, 350.15, 49.85)[2]
        for rows, transform in ((slice(None), (350, 0.1, 0, 50, 0, -0.1)), (slice(None, None, -1), (350, 0.1, 0, 49.6, 0, 0.1))):
            where = {"epsg": 4326, "transform": transform}
            rasters.write(self.path("directions.tif"), [numpy.array(RIVERS, "uint8")[rows]], gdal.GDT_Byte, nodata=255, **where)
            rasters.write(self.path("streams.tif"), [streams[rows]], gdal.GDT_Byte, **where)
            for longitude in (350.17, -9.83):
                with self.session() as s:
                    row = self.told(s, encoding="esri", streams="streams.tif", snap="nearest_stream", snap_distance=20000,
                                    pour_points={"type": "Point", "coordinates": [longitude, 49.77]})["basins"][0]
                self.assertEqual([round(v, 6) for v in row["outlet"]], [350.15, 49.85])
                self.assertAlmostEqual(row["snapped_m"] / expected, 1, delta=1e-3)

    def test_a_point_beside_the_river_is_snapped_to_it(self):
        self.write_codes(RIVERS)
        with self.session() as s:
            good(run(s, "hydro_streams", {"directions": "directions.tif", "threshold_km2": 1.9 * AREA, "output": "streams.tif"}))
            beside = self.point(self.centre((0, 3)))
            plain = self.told(s, pour_points=beside)["basins"][0]
            self.assertAlmostEqual(plain["upstream_km2"], AREA, delta=1e-6)
            for how in ({"snap": "nearest_stream", "streams": "streams.tif"}, {"snap": "downstream", "streams": "streams.tif"}, {"snap": "max_accumulation"}):
                row = self.told(s, pour_points=beside, snap_distance=30, **how)["basins"][0]
                self.assertEqual((row["outlet"], row["snapped_m"]), (list(self.centre((1, 3))), 30), how)
                self.assertAlmostEqual(row["before_snap_km2"], AREA, delta=1e-6)
                self.assertAlmostEqual(row["upstream_km2"], 11 * AREA, delta=1e-5)

    def test_a_gauge_on_water_without_data_is_snapped_to_the_terrain(self):
        codes = [list(row) for row in RIVERS]
        codes[2][3] = NODATA
        self.write_codes(codes)
        with self.session() as s:
            wet = {"pour_points": self.point(self.centre((2, 3)))}
            row = self.told(s, **wet, snap="max_accumulation", snap_distance=31)["basins"][0]
            self.assertEqual((row["outlet"], row["snapped_m"], row["before_snap_km2"]), (list(self.centre((1, 3))), 30, 0))
            p = problem(s.call("hydro_watershed", {"directions": "directions.tif", "output": "no.tif", **wet}))
            self.assertIn("cell without a direction", p["message"])

    def test_a_point_between_two_rivers_is_ambiguous_until_the_area_is_known(self):
        self.write_codes(RIVERS)
        between = self.point(self.centre((2, 3)))  # drains south, to the smaller river
        with self.session() as s:
            wish = {"pour_points": between, "snap": "max_accumulation", "snap_distance": 31}
            p = session.problem(s.call("hydro_watershed", {"directions": "directions.tif", **wish}))
            self.assertIn("ambiguous", p["message"])
            for km2, row in ((5 * AREA, 3), (11 * AREA, 1)):
                found = self.told(s, **wish, known_area=km2)["basins"][0]
                self.assertEqual(found["outlet"], list(self.centre((row, 3))))
            for km2, off in ((5 * AREA, False), (4 * AREA, True)):
                warned = self.told(s, **wish, known_area=km2)["warnings"]
                self.assertEqual([w for w in warned if w.startswith("basin 1 has 0.003 km2, known_area is 0.0024 km2")] != [], off, warned)
        self.refused("hydro_watershed", [({"directions": "directions.tif", **wish, "known_area": 100}, "known_area is 100", "best match")])

    def test_a_basin_that_inflow_from_beyond_the_edge_may_miss_is_named(self):
        ridge = [[64] * 5, [64] * 5, [16, 16, 1, 1, 1], [4] * 5, [4] * 5]  # two cells drain to the fourth of the middle row, none beyond them
        with self.session() as s:
            for codes, at, warned in ((ridge, (2, 3), False), (RIVERS, (1, 4), True)):
                self.write_codes(codes)
                found = self.told(s, pour_points=self.point(self.centre(at)))
                self.assertEqual(found["basins"][0]["edge"], warned)
                self.assertEqual([w for w in found["warnings"] if w.startswith("basin 1 reaches the edge of the data")] != [], warned)

    def test_a_point_beside_the_stream_and_sinks_are_named(self):
        """A column of 40 cells gathers those of both sides; the point lies three cells beside it."""
        codes = numpy.full((40, 41), 1)
        codes[:, 20], codes[:, 21:] = 4, 16
        self.write_codes(codes)
        with self.session() as s:
            found = self.told(s, pour_points=self.point(self.centre((38, 1))))
            self.assertFalse(any("beside the stream" in w for w in found["warnings"]), found["warnings"])
            found = self.told(s, pour_points=self.point(self.centre((38, 16))))
            self.assertTrue(any("beside the stream" in w for w in found["warnings"]), found["warnings"])
            known = {"snap": "max_accumulation", "snap_distance": 10, "known_area": 17 * AREA}  # which it has
            found = self.told(s, pour_points=self.point(self.centre((38, 16))), **known)
            self.assertAlmostEqual(found["basins"][0]["upstream_km2"], 17 * AREA, delta=1e-5)
            self.assertFalse(any("beside the stream" in w for w in found["warnings"]), found["warnings"])
            codes[20, 20] = 0
            self.write_codes(codes)
            self.assertTrue(any("1 cells have no way down" in w for w in self.told(s, pour_points=self.point(self.centre((38, 20))))["warnings"]))

    def test_what_is_no_accumulation_and_no_stream_is_named(self):
        self.write_codes(RIVERS)
        grid = {"epsg": 32633, "transform": self.transform}
        upstream = count_upstream(numpy.array(RIVERS)).astype("float32")
        rasters.write(self.path("flow.tif"), [upstream], gdal.GDT_Float32, **grid)
        rasters.write(self.path("heights.tif"), [100 - upstream], gdal.GDT_Float32, **grid)
        rasters.write(self.path("landcover.tif"), [numpy.full((4, 6), 11, "uint8")], gdal.GDT_Byte, **grid)
        rasters.write(self.path("streams.tif"), [numpy.array([[0] * 6, [1] * 6, [0] * 6, [1] * 5 + [0]], "uint8")], gdal.GDT_Byte, **grid)
        at = self.point(self.centre((0, 1)))
        highest = {"pour_points": at, "snap": "max_accumulation", "snap_distance": 31}
        nearest = {"pour_points": at, "snap": "nearest_stream", "snap_distance": 31}
        with self.session() as s:
            self.assertEqual(self.told(s, **highest, accumulation="flow.tif")["basins"][0]["outlet"], list(self.centre((1, 1))))
            p = problem(run(s, "hydro_watershed", {"directions": "directions.tif", "output": "none.tif", **highest, "accumulation": "heights.tif"}))
            self.assertRegex(p["message"], "heights.tif is no flow accumulation: of 22 steps along .*directions.tif its values fall in 22")
            self.assertRegex(" ".join(self.told(s, **nearest, streams="landcover.tif")["warnings"]), "24 of 24 cells of .*landcover.tif are above 0")
            self.assertNotIn("above 0", " ".join(self.told(s, **nearest, streams="streams.tif")["warnings"]))

    def test_each_point_of_a_multipoint_is_an_outlet_and_named_apart(self):
        self.write_codes(RIVERS)

        def several(*cells):
            return {**self.point(), "features": [{"type": "Feature", "properties": {}, "geometry": {
                "type": "MultiPoint", "coordinates": [list(self.centre(c)) for c in cells]}}]}
        with self.session() as s:
            told = self.told(s, pour_points=several((1, 3), (3, 3)))
            self.assertEqual([row["outlet"] for row in told["basins"]], [list(self.centre(c)) for c in ((1, 3), (3, 3))])
            self.assertIn("each of their points counts by itself", " ".join(told["warnings"]))
        at = {"directions": "directions.tif"}
        self.refused("hydro_watershed", [({**at, "pour_points": several((1, 3), (1, 3))}, "point 0 (number 1 of 2) and point 0 (number 2 of 2) have the same outlet"),
                                         ({**at, "pour_points": several((1, 3), (90, 3))}, "point 0 (number 2 of 2)", "lies outside")])

    def test_what_is_refused(self):
        self.write_codes(RIVERS)
        at = self.point(self.centre((0, 3)))
        self.refused("hydro_watershed", [
            ({"directions": "directions.tif", "pour_points": at, "snap": "max_accumulation"}, "without snap_distance"),
            ({"directions": "directions.tif", "pour_points": at, "snap": "nearest_stream", "snap_distance": 30}, "without 'streams'"),
            ({"directions": "directions.tif", "pour_points": at, "snap_distance": 30}, "snap is none"),
            ({"directions": "directions.tif", "snap": "max_accumulation", "snap_distance": 30}, "no pour_points"),
            ({"directions": "directions.tif", "pour_points": self.point((0, 0))}, "outside"),
            ({"directions": "directions.tif", "pour_points": self.point(self.centre((0, 3)), self.centre((0, 3)))}, "same outlet"),
            ({"directions": "directions.tif", "pour_points": at, "snap": "max_accumulation", "snap_distance": 30, "known_area": [1, 2]}, "2 values for 1 points")])


if __name__ == "__main__":
    session.main()
