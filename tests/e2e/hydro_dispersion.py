"""Directions and accumulation by D-infinity and multiple flow against Tarboton's and Freeman's rules, cell by cell."""
import math

import numpy
from osgeo import gdal

import hydro
import rasters
import session
from hydro import NODATA, HydroClaims, receiver
from session import good, run

DX, DY = 20, 30
# Clockwise from east, as the bands of shares are.
ORDER = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
ANGLES = [math.atan2(-dr * DY, dc * DX) % (2 * math.pi) for dr, dc in ORDER]


def steepest_facets(heights, cell, terrain):
    """Tarboton's angles, several where slopes are equal, none where no facet falls: of the eight triangles with the cell
    and two neighbours as corners."""
    found = []
    for k in range(8):
        first, second = k, (k + 1) % 8
        side, diagonal = (first, second) if first % 2 == 0 else (second, first)
        places = [(cell[0] + ORDER[d][0], cell[1] + ORDER[d][1]) for d in (side, diagonal)]
        if not all(terrain(p) for p in places):
            continue
        e0, e1, e2 = heights[cell], heights[places[0]], heights[places[1]]
        d1, d2 = (DX, DY) if ORDER[side][0] == 0 else (DY, DX)
        r, s = math.atan2((e1 - e2) / d2, (e0 - e1) / d1), math.hypot((e1 - e2) / d2, (e0 - e1) / d1)
        most = math.atan2(d2, d1)
        if r < 0:
            r, s = 0, (e0 - e1) / d1
        elif r > most:
            r, s = most, (e0 - e2) / math.hypot(d1, d2)
        between = (ANGLES[diagonal] - ANGLES[side] + math.pi) % (2 * math.pi) - math.pi
        found.append((s, ANGLES[side] + math.copysign(r, between)))
    steepest = max((s for s, _ in found), default=0)
    return [angle for s, angle in found if steepest > 0 and s > steepest * (1 - 1e-12)]


def shares_by_angle(angle):
    for k in range(8):
        low, high = ANGLES[-k % 8], ANGLES[-(k + 1) % 8] or 2 * math.pi
        if low - 1e-9 <= angle < high:
            part = (angle - low) / (high - low)
            return {-k % 8: 1 - part, -(k + 1) % 8: part}
    return {0: 1.0}


class hydro_dispersion(HydroClaims):
    def direct(self, s, method, **arguments):
        return good(run(s, "hydro_flow_direction", {"uri": "filled.tif", "method": method, "nodata_holes": "outlet", "output": method + ".tif",
                                                    "overwrite": True, **arguments}))

    def accumulated(self, codes, shares):
        """Cells through each, by the shares of each cell, upstream first."""
        flow, waiting = {c: 1.0 for c in hydro.cells(codes)}, {c: 0 for c in hydro.cells(codes)}
        to = {c: {n: part for d, part in shares(c).items() if part > 1e-6 and (n := (c[0] + ORDER[d][0], c[1] + ORDER[d][1])) in flow}
              for c in flow}
        for receivers in to.values():
            for n in receivers:
                waiting[n] += 1
        ready = [c for c in flow if waiting[c] == 0]
        while ready:
            c = ready.pop()
            for n, part in to[c].items():
                flow[n] += part * flow[c]
                waiting[n] -= 1
                if waiting[n] == 0:
                    ready.append(n)
        return flow

    def test_d_infinity_is_tarbotons_on_random_terrains(self):
        with self.session() as s:
            for seed in range(2):
                codes = self.terrain(s, seed)
                heights = self.read("filled.tif")
                told = self.direct(s, "dinf")
                self.assertEqual((told["encoding"], told["undrained_cells"]), ("taudem", 0))
                angles = self.read("dinf.tif")

                def terrain(p):
                    return 0 <= p[0] < codes.shape[0] and 0 <= p[1] < codes.shape[1] and codes[p] != NODATA
                for cell in hydro.cells(codes):
                    expected = steepest_facets(heights, cell, terrain) or [ANGLES[ORDER.index(hydro.STEPS[int(codes[cell])])]]
                    self.assertGreater(max(math.cos(float(angles[cell]) - e) for e in expected), 1 - 1e-9, (seed, cell))
                flow = self.accumulated(codes, lambda c: shares_by_angle(float(angles[c])))
                told = good(run(s, "hydro_flow_accumulation", {"uri": "dinf.tif", "output": "flow.tif", "overwrite": True}))
                cells = self.read("flow.tif")
                for cell, value in flow.items():
                    self.assertAlmostEqual(cells[cell], value, delta=1e-4 * value)
                self.assertAlmostEqual(told["conservation"]["discharged"], len(flow), places=6)
                self.direct(s, "dinf", encoding="whitebox", output="degrees.tif")
                degrees = self.read("degrees.tif")
                for cell in flow:
                    self.assertGreater(math.cos(math.radians(90 - float(degrees[cell])) - float(angles[cell])), 1 - 1e-9)
                good(run(s, "hydro_flow_accumulation", {"uri": "degrees.tif", "output": "flow.tif", "overwrite": True}))
                self.assertTrue(numpy.allclose(self.read("flow.tif"), cells, rtol=1e-4, equal_nan=True))
                good(run(s, "hydro_flow_accumulation", {"uri": "filled.tif", "method": "dinf", "nodata_holes": "outlet", "output": "flow.tif", "overwrite": True}))
                self.assertTrue(numpy.allclose(self.read("flow.tif"), cells, rtol=1e-6, equal_nan=True))

    def test_multiple_flow_is_freemans_on_random_terrains(self):
        with self.session() as s:
            codes = self.terrain(s, 3)
            heights = self.read("filled.tif")
            self.direct(s, "mfd", exponent=2)
            bands = [self.read("mfd.tif", b) for b in range(1, 9)]
            shares = {}
            for cell in hydro.cells(codes):
                falls = {}
                for d, (dr, dc) in enumerate(ORDER):
                    n = (cell[0] + dr, cell[1] + dc)
                    if 0 <= n[0] < codes.shape[0] and 0 <= n[1] < codes.shape[1] and codes[n] != NODATA and heights[n] < heights[cell]:
                        falls[d] = ((heights[cell] - heights[n]) / math.hypot(dr * DY, dc * DX)) ** 2
                falls = falls or {ORDER.index(hydro.STEPS[int(codes[cell])]): 1}
                shares[cell] = {d: fall / sum(falls.values()) for d, fall in falls.items()}
                for d in range(8):
                    self.assertAlmostEqual(bands[d][cell], shares[cell].get(d, 0), delta=1e-6)
            told = good(run(s, "hydro_flow_accumulation", {"uri": "mfd.tif", "output": "flow.tif"}))
            cells, flow = self.read("flow.tif"), self.accumulated(codes, lambda c: shares[c])
            for cell, value in flow.items():
                self.assertAlmostEqual(cells[cell], value, delta=1e-4 * value)
            self.assertEqual(told["dtype"], "Float64")

    def test_an_untagged_grid_of_angles_is_read_when_its_method_and_encoding_are_stated(self):
        with self.session() as s:
            self.terrain(s, 4)
            self.direct(s, "dinf")
            good(run(s, "hydro_flow_accumulation", {"uri": "dinf.tif", "output": "tagged.tif"}))
            file = gdal.Open(self.path("dinf.tif"), gdal.GA_Update)
            file.SetMetadata({})
            del file
            stated = {"uri": "dinf.tif", "method": "dinf", "encoding": "taudem", "output": "stated.tif"}
            self.assertEqual(good(s.call("preflight", {"tool": "hydro_flow_accumulation", "arguments": stated}))["domains"][0]["decision"], "not_needed")
            good(s.call("hydro_flow_accumulation", stated))
            self.assertTrue(numpy.array_equal(self.read("tagged.tif"), self.read("stated.tif"), equal_nan=True))
            told = good(run(s, "hydro_flow_accumulation", {"uri": "dinf.tif", "method": "dinf", "nodata_holes": "outlet", "output": "heights.tif"}))
            self.assertTrue(any("as directions in radians do" in w for w in told["warnings"]), told["warnings"])
        self.refused("hydro_flow_accumulation", [({"uri": "dinf.tif", "method": "dinf", "encoding": "whitebox"}, "degrees", "as radians do")])

    def test_angles_that_may_be_radians_are_named_where_degrees_are_stated(self):
        for name, most, named in (("radians.tif", 3.1, True), ("degrees.tif", 45, False)):
            angles = numpy.linspace(1, most, 12).reshape(3, 4)
            rasters.write(self.path(name), [angles.astype("float32")], gdal.GDT_Float32, epsg=32633, transform=self.transform, nodata=-1)
            with self.session() as s:
                told = good(run(s, "hydro_flow_accumulation", {"uri": name, "method": "dinf", "encoding": "whitebox", "output": "out.tif", "overwrite": True}))
            self.assertEqual("if they are radians, encoding is taudem" in str(told["warnings"]), named, name)

    def test_the_unit_of_weights_is_kept(self):
        with self.session() as s:
            self.terrain(s, 4)
            for unit, written in (("mm", "mm x km2"), ("", "weight x km2")):
                file = gdal.Open(self.path("filled.tif"), gdal.GA_Update)
                file.GetRasterBand(1).SetUnitType(unit)
                del file
                told = good(run(s, "hydro_flow_accumulation", {"uri": "directions.tif", "weights": "filled.tif", "unit": "km2", "output": "flow.tif", "overwrite": True}))
                file = gdal.Open(self.path("flow.tif"))
                self.assertEqual((told["unit"], file.GetRasterBand(1).GetUnitType()), (written, written))

    def test_degrees_of_cells_that_are_not_square_are_those_of_radians(self):
        """Directions along a diagonal to nodata are stored with the last digits of a float."""
        with self.session() as s:
            for seed in range(4):
                self.terrain(s, seed)
                for encoding in ("taudem", "whitebox"):
                    good(run(s, "hydro_flow_direction", {"uri": "dem.tif", "method": "dinf", "encoding": encoding, "nodata_holes": "outlet", "output": encoding + ".tif", "overwrite": True}))
                    good(run(s, "hydro_flow_accumulation", {"uri": encoding + ".tif", "output": encoding + "_flow.tif", "overwrite": True}))
                numpy.testing.assert_allclose(self.read("whitebox_flow.tif"), self.read("taudem_flow.tif"), rtol=1e-4)

    def test_what_is_refused(self):
        with self.session() as s:
            self.terrain(s, 5)
            self.direct(s, "dinf")
        self.refused("hydro_flow_direction", [
            ({"uri": "filled.tif", "method": "dinf", "encoding": "esri"}, "encoding is esri", "dinf"),
            ({"uri": "filled.tif", "method": "d8", "exponent": 2}, "exponent is given"),
            ({"uri": "filled.tif", "method": "mfd", "encoding": "esri"}, "mfd writes shares")])
        self.refused("hydro_streams", [({"directions": "dinf.tif", "threshold_km2": 0.01}, "tagged as 'dinf'", "D8")])
        self.refused("hydro_flow_accumulation", [({"uri": "dinf.tif", "method": "d8"}, "method is 'd8'", "tagged as 'dinf'")])


if __name__ == "__main__":
    session.main()
