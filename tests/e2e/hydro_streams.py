"""hydro_streams against walks along the paths, and TauDEM's StreamNet of the Eno River."""
import os

import numpy
from osgeo import gdal, ogr

import hydro
import rasters
import session
from hydro import ENO, HydroClaims, count_upstream, path, receiver
from session import good, run

AREA = 20 * 30 / 1e6 / 0.9996 ** 2  # km2 of a cell: the scale of UTM on its central meridian is 0.9996


def strahler(codes, streams):
    """Of each stream cell, by recursion."""
    donors = {}
    for cell in streams:
        below = receiver(codes, cell)
        if below is not None:
            donors.setdefault(below, []).append(cell)

    def order(cell):
        above = sorted((order(d) for d in donors.get(cell, [])), reverse=True)
        if not above:
            return 1
        return above[0] + (len(above) > 1 and above[1] == above[0])
    return {cell: order(cell) for cell in streams}, donors


class hydro_streams(HydroClaims):
    def test_two_brooks_make_a_river_of_order_two(self):
        # Columns 0 and 2 flow into column 1, which flows south: 4 and 64 are ESRI's south and north, 2 southeast, 8 southwest.
        self.write_codes([[4, 255, 4], [2, 255, 8], [255, 4, 255], [255, 4, 255]])
        with self.session() as s:
            told = good(run(s, "hydro_streams", {"directions": "directions.tif", "threshold_km2": 0.0001, "output": "order.tif"}))
            self.assertTrue(any("every cell is a stream" in w for w in told["warnings"]))
            self.assertEqual(self.read("order.tif").tolist(), [[1, -1, 1], [1, -1, 1], [-1, 2, -1], [-1, 2, -1]])
            self.assertEqual((told["links"], told["sources"], told["highest_order"], told["stream_cells"]), (3, 2, 2, 6))
            self.assertAlmostEqual(told["length_m"], 2 * (30 + (20 ** 2 + 30 ** 2) ** 0.5) + 30, places=6)
            self.assertAlmostEqual(told["threshold_cells"], 0.0001 / AREA, delta=1e-3)
            told = good(run(s, "hydro_streams", {"directions": "directions.tif", "threshold_km2": 0.0001, "output": "order.img"}))
            self.assertFalse([w for w in told["warnings"] if "INT_MAX" in w])
            self.assertEqual(self.read("order.img").tolist(), self.read("order.tif").tolist())
            good(run(s, "hydro_streams", {"directions": "directions.tif", "threshold_km2": 0.0001, "order": "shreve", "output": "links.gpkg"}))
        links = sorted(self.features("links.gpkg"), key=lambda f: f["order"])
        self.assertEqual([f["order"] for f in links], [1, 1, 2])
        self.assertEqual({f["to_node"] for f in links[:2]}, {links[2]["from_node"]})
        self.assertEqual({f["to_link"] for f in links[:2]}, {links[2]["link_id"]})
        self.assertIsNone(links[2]["to_link"])
        self.assertAlmostEqual(links[2]["area_km2"], 6 * AREA, delta=1e-5)
        self.assertEqual(links[0]["geometry"].GetPointCount(), 3)  # to the first cell of the river
        self.assertEqual(links[0]["geometry"].GetPoint_2D(2), self.centre((2, 1)))

    def test_streams_of_random_terrains_are_those_found_by_walking(self):
        with self.session() as s:
            for seed in range(4):
                codes = self.terrain(s, seed)
                count = count_upstream(codes)
                threshold = 7.5 * AREA
                told = good(run(s, "hydro_streams", {"directions": "directions.tif", "threshold_km2": threshold, "output": "order.tif", "overwrite": True}))
                streams = [tuple(c) for c in numpy.argwhere(count >= 8)]
                orders, donors = strahler(codes, streams)
                expected = numpy.where(codes == hydro.NODATA, -1, 0)
                for cell, order in orders.items():
                    expected[cell] = order
                self.assertTrue((self.read("order.tif") == expected).all(), seed)
                self.assertEqual(told["links"], sum(len(donors.get(c, [])) != 1 for c in streams))
                good(run(s, "hydro_streams", {"directions": "directions.tif", "threshold_km2": threshold, "dem": "filled.tif", "output": "links.gpkg", "overwrite": True}))
                self.check_links(codes, count, set(streams))

    def check_links(self, codes, count, streams):
        heights, seen, links = self.read("filled.tif"), set(), {f["link_id"]: f for f in self.features("links.gpkg")}
        for link in links.values():
            if link["geometry"] is None:
                continue
            line = [self.cell_at(*link["geometry"].GetPoint_2D(i)) for i in range(link["geometry"].GetPointCount())]
            for above, below in zip(line, line[1:]):
                self.assertEqual(receiver(codes, above), below)
            if link["to_link"] is not None:
                own = line[:-1]
                self.assertEqual(links[link["to_link"]]["from_node"], link["to_node"])
            else:
                own = line
            self.assertFalse(seen & set(own), "no cell is in two links")
            seen |= set(own)
            length = sum(hydro.step_length(codes, c, 20, 30) for c in line[:-1])
            self.assertAlmostEqual(link["length_m"], length, places=6)
            self.assertAlmostEqual(link["drop"], heights[line[0]] - heights[line[-1]], places=9)
            self.assertAlmostEqual(link["area_km2"], count[own[-1]] * AREA, delta=count[own[-1]] * AREA * 1e-4)
        self.assertLessEqual(seen, streams)

    def test_heads_begin_streams_that_go_on_to_the_end(self):
        self.write_codes([[1, 1, 1, 4], [1, 1, 1, 1]])
        with self.session() as s:
            told = good(s.call("hydro_streams", {"directions": "directions.tif", "heads": self.point(self.centre((0, 1))), "output": "heads.tif"}))
        self.assertEqual(self.read("heads.tif").tolist(), [[0, 1, 1, 1], [0, 0, 0, 1]])
        self.assertNotIn("threshold_km2", told)

    def test_a_managed_result_holds_cells_or_with_vector_features(self):
        self.write_codes([[1, 1, 1, 4], [1, 1, 1, 1]])
        with self.session() as s:
            for vector, driver in ((False, "GTiff"), (True, "GPKG")):
                told = good(run(s, "hydro_streams", {"directions": "directions.tif", "threshold_km2": 0.001, "vector": vector}))
                self.assertEqual(told["output"]["driver"], driver)

    def test_an_accumulation_in_cells_or_km2_decides_and_other_units_are_refused(self):
        self.write_codes([[1, 1, 1, 1]])
        with self.session() as s:
            for unit in ("cells", "km2", "sca"):
                good(run(s, "hydro_flow_accumulation", {"uri": "directions.tif", "unit": unit, "output": unit + ".tif"}))
            for unit in ("cells", "km2"):
                good(run(s, "hydro_streams", {"directions": "directions.tif", "accumulation": unit + ".tif", "threshold_km2": 2.5 * AREA, "output": "out.tif", "overwrite": True}))
                self.assertEqual(self.read("out.tif").tolist(), [[0, 0, 1, 1]], unit)
        self.refused("hydro_streams", [({"directions": "directions.tif", "accumulation": "sca.tif", "threshold_km2": 0.1}, "km2", "is in m")])

    def test_streams_that_begin_where_the_accumulation_has_no_value_are_counted(self):
        """Two brooks into a river; the accumulation has no value in the whole first one."""
        self.write_codes([[1, 1, 1, 4], [255, 255, 255, 4], [1, 1, 1, 1]])
        flow = numpy.array([[-1, -1, -1, 4], [0, 0, 0, 5], [1, 2, 3, 9]], "float32")
        rasters.write(self.path("flow.tif"), [flow], gdal.GDT_Float32, epsg=32633, transform=self.transform, nodata=-1)
        with self.session() as s:
            told = good(run(s, "hydro_streams", {"directions": "directions.tif", "accumulation": "flow.tif", "threshold_km2": 1.5 * AREA, "output": "out.tif"}))
            self.assertRegex(" ".join(told["warnings"]), "2 cells that reach the threshold by the directions have no value in .*flow.tif")
            self.assertEqual(self.read("out.tif").tolist(), [[0, 0, 0, 1], [-1, -1, -1, 1], [0, 1, 1, 2]])

    def test_the_figures_of_the_question_are_those_of_its_threshold_first(self):
        with self.session() as s:
            self.terrain(s, 1, 60, 60)
            for threshold in (0.03, 0.06):
                asked = session.problem_text(s.call("hydro_streams", {"directions": "directions.tif", "dem": "filled.tif", "threshold_km2": threshold}))
                self.assertRegex(asked, rf"Measured: at {threshold} km2 \d+ links.*; of those tried from .* is the first of constant drop")

    def test_the_threshold_is_asked_about_and_heads_are_not(self):
        self.write_codes([[1, 1, 1, 4], [1, 1, 1, 1]])
        with self.session() as s:
            asked = session.problem(s.call("hydro_streams", {"directions": "directions.tif", "threshold_km2": 0.001}))
            self.assertEqual(asked["error"], "requires_epistemic_justification")
            self.assertEqual(asked["missing"][0]["prompt_args"], {"method": "contributing_area", "operation": "streams", "threshold_km2": 0.001})
            self.assertNotIn("conflicts", asked["missing"][0]["answer_schema"].get("required", []))
            session.follow(s, asked)
            good(s.call("hydro_streams", {"directions": "directions.tif", "threshold_km2": 0.001}))
            # What no elevation model is given for is not measured, and so is nothing said to be absent.
            self.assertEqual(asked["missing"][0].get("evidence", []), [])
            # Where water runs in a channel is a matter of the region.
            rasters.gdal.Translate(self.path("far.tif"), self.path("directions.tif"), outputBounds=[700000, 8000060, 700080, 8000000], noData=255)
            far = good(s.call("hydro_streams", {"directions": "far.tif", "threshold_km2": 0.001}))
            self.assertIn("region is", str(far["warnings"]))
            # Another threshold is another question.
            self.assertIn("missing", session.problem(s.call("hydro_streams", {"directions": "directions.tif", "threshold_km2": 0.002})))
            good(s.call("hydro_streams", {"directions": "directions.tif", "heads": self.point(self.centre((0, 1)))}))

    def test_what_is_refused(self):
        self.write_codes([[1, 1, 1, 4], [1, 1, 1, 1]])
        self.write_codes([[1, 16]], "loop.tif")
        self.write_codes([[1, 1]], "untagged.tif", tag=False)
        self.refused("hydro_streams", [
            ({"directions": "directions.tif"}, "neither threshold_km2 nor heads"),
            ({"directions": "directions.tif", "threshold_km2": 1, "heads": self.point((500010, 3999985))}, "both given"),
            ({"directions": "directions.tif", "threshold_km2": 9000}, "no cell reaches the threshold"),
            ({"directions": "loop.tif", "threshold_km2": 0.0001}, "loop"),
            ({"directions": "untagged.tif", "threshold_km2": 0.0001}, "declares no encoding"),
            ({"directions": "directions.tif", "threshold_km2": 0.0001, "vector": True}, "'vector' is true", ".tif"),
            ({"directions": "directions.tif", "heads": self.point((0, 0))}, "lies outside")])

    def test_the_links_of_the_eno_river_are_those_of_taudem(self):
        if not os.path.exists(ENO):
            self.skipTest("GDAL_MCP_TEST_DATA/hydro_eno is not there")
        for name in ("enogeop.tif", "enogeosrc.tif", "enogeofel.tif"):
            gdal.Translate(self.path(name), os.path.join(ENO, name))
        with self.session() as s:
            # TauDEM's source grid is 1 on its streams: half a cell of it and more.
            told = good(run(s, "hydro_streams", {"directions": "enogeop.tif", "encoding": "taudem", "accumulation": "enogeosrc.tif",
                                                 "threshold_km2": 4e-5, "dem": "enogeofel.tif", "output": "links.gpkg"}))
        theirs = ogr.Open(os.path.join(ENO, "enogeonet.shp"))
        net = [f.items() for f in theirs.GetLayer(0)]
        ours = self.features("links.gpkg")
        self.assertEqual((told["links"], told["highest_order"]), (len(net), max(f["strmOrder"] for f in net)))
        self.assertEqual(sorted(f["order"] for f in ours), sorted(f["strmOrder"] for f in net))
        # All but the last link, which TauDEM ends at its outlet point and we at the end of the path.
        mine = sorted((f["area_km2"], f["length_m"], f["drop"]) for f in ours)[:-1]
        taudem = sorted((f["DSContArea"] / 1e6, f["Length"], f["strmDrop"]) for f in net)[:-1]
        for (area, length, drop), (t_area, t_length, t_drop) in zip(mine, taudem):
            self.assertAlmostEqual(area, t_area, delta=0.005 * t_area)
            self.assertAlmostEqual(length, t_length, delta=0.005 * t_length + 0.1)
            self.assertAlmostEqual(drop, t_drop, delta=0.02)


if __name__ == "__main__":
    session.main()
