"""Whether a choice matters, on real data, both ways for each kind of choice that has several methods; the numbers are recomputed with
numpy and by closed forms."""
import math
import os
import shutil
import sys

import numpy
import rasters
import session
from rasters import gdal, ogr
from session import Claims, Session, good, problem

OLINDA = os.path.join(rasters.TEST_DATA, "olinda")
DEM, TRACTS = "olinda_dem_utm25s.tif", "olinda1.shp"
SEA = (81, 86, 24)  # row, column, cells a side: the Atlantic, 0 m in every cell
LAND = (20, 30, 16)


def box(raster, place, inset=0):
    """The outline of whole cells, or so much of a cell within it, in the raster's CRS."""
    row, column, cells = place
    x0, dx, _, y0, _, dy = raster.GetGeoTransform()
    x, y = x0 + (column + inset) * dx, y0 + (row + inset) * dy
    return [x, y + (cells - 2 * inset) * dy, x + (cells - 2 * inset) * dx, y]


def polygon(minx, miny, maxx, maxy):
    return {"type": "Polygon", "coordinates": [[[minx, miny], [maxx, miny], [maxx, maxy], [minx, maxy], [minx, miny]]]}


class on_real_data(Claims):
    def setUp(self):
        super().setUp()
        for name in (DEM, *(TRACTS.replace(".shp", end) for end in (".shp", ".shx", ".dbf", ".prj"))):
            shutil.copy(os.path.join(OLINDA, name), self.path(name))
        self.raster = gdal.Open(self.path(DEM))
        self.heights = self.raster.ReadAsArray().astype("float64")

    def immaterial(self, s, tool, arguments):
        """The spread that lets a call run unasked, from the receipt."""
        result = s.call(tool, arguments)
        good(result)
        receipt = next(r for r in result["_meta"]["io.gdal-mcp/receipts"] if r["decision"] == "immaterial")
        return receipt["spread"]

    def material(self, s, tool, arguments, domain):
        """The spread that a refusal opens with."""
        p = problem(s.call(tool, arguments))
        self.assertEqual(p["error"], "requires_epistemic_justification", p["message"])
        return next(m["spread"] for m in p["missing"] if m["domain"] == domain)

    def test_a_crs(self):
        tracts = ogr.Open(self.path(TRACTS))
        west, _, south, north = tracts.GetLayer(0).GetExtent()
        with Session(workspace=self.workspace) as s:
            utm = self.immaterial(s, "vector_reproject", {"uri": TRACTS, "dst_crs": "EPSG:31985", "allow_ballpark": True,
                                                          "output": "utm.gpkg"})
            # k = k0 (1 + x² / (2 R²)) at the western edge, nearly on the equator; x from the meridian 33 W.
            radius, latitude = 6378137.0, math.radians((south + north) / 2)
            x = radius * math.cos(latitude) * math.radians(-33 - west)
            self.assertAlmostEqual(utm["high"], (0.9996 * (1 + x * x / (2 * radius * radius))) ** 2, delta=2e-5)
            self.assertLess(utm["relative"], 0.001)
            web = self.material(s, "vector_reproject", {"uri": TRACTS, "dst_crs": "EPSG:3857", "allow_ballpark": True, "output": "web.gpkg"}, "crs_datum")
            # On the ellipsoid: 1 / cos² of the latitude, times (1 - e² sin²)² / (1 - e²).
            e2, sine = 0.00669438, math.sin(math.radians(south))
            self.assertAlmostEqual(web["high"], (1 - e2 * sine * sine) ** 2 / (1 - e2) / (1 - sine * sine), delta=1e-3)

    def test_a_crs_for_heights_is_no_more_asked_once_they_are_known_as_such(self):
        shutil.copy(os.path.join(rasters.TEST_DATA, "dem", "mt_rainier_90m.tif"), self.path("rainier.tif"))
        call = {"uri": "rainier.tif", "dst_crs": "EPSG:32610", "resampling": "bilinear", "resolution": 90, "output": "a.tif", "overwrite": True}
        with Session(workspace=self.workspace) as s:
            for _ in range(2):
                made = session.run(s, "raster_reproject", call)
                crs = next(r for r in made["_meta"]["io.gdal-mcp/receipts"] if r["domain"] == "crs_datum")
                self.assertEqual(crs["decision"], "immaterial")
                self.assertLess(crs["spread"]["relative"], 0.001)
            self.assertEqual([m["domain"] for m in problem(s.call("raster_reproject", {**call, "resampling": "cubic"}))["missing"]],
                             ["resampling"])

    def test_a_crs_that_keeps_areas_by_its_lengths(self):
        tracts = ogr.Open(self.path(TRACTS))
        north = tracts.GetLayer(0).GetExtent()[3]
        with Session(workspace=self.workspace) as s:
            spread = self.material(s, "vector_reproject", {"uri": TRACTS, "dst_crs": "EPSG:6933", "allow_ballpark": True, "output": "ease.gpkg"}, "crs_datum")
        # A cylinder true to scale at 30 degrees: along a parallel k, along a meridian 1 / k.
        e2 = 0.00669438

        def parallel(latitude):
            sine = math.sin(math.radians(latitude))
            return math.sqrt(1 - sine * sine) / math.sqrt(1 - e2 * sine * sine)
        self.assertEqual((spread["what"], spread["high_by"]), ("length of the same line", "EPSG:6933"))
        self.assertAlmostEqual(spread["high"], parallel(north) / parallel(30), delta=1e-3)
        self.assertAlmostEqual(spread["low"], parallel(30) / parallel(north), delta=1e-3)

    def test_a_statistic(self):
        with Session(workspace=self.workspace) as s:
            zones = {"zones_crs": "EPSG:32725", "stats": ["mean"]}
            sea = self.immaterial(s, "aggregate_zonal", {"raster": DEM, "zones": polygon(*box(self.raster, SEA, 0.5)), **zones})
            self.assertEqual((sea["low"], sea["high"], sea["relative"]), (0, 0, 0))
            land = self.material(s, "aggregate_zonal", {"raster": DEM, "zones": polygon(*box(self.raster, LAND)), **zones}, "aggregation")
            row, column, cells = LAND
            z = numpy.sort(self.heights[row:row + cells, column:column + cells].ravel())
            cut = z.size // 10
            values = {"mean": z.mean(), "median": numpy.median(z), "trimmed_mean": z[cut:-cut].mean()}
            for end, pick in (("low", min), ("high", max)):
                # Heights are whole metres, and of an even number of cells numpy takes the mean of the middle two.
                self.assertAlmostEqual(land[end], pick(values.values()), delta=0.5)
                self.assertEqual(land[end + "_by"], pick(values, key=values.get))

    def test_a_mean_over_cells_of_different_areas(self):
        """Values that fall with the latitude by a line, over 36 to 72 degrees: by cells their mean is that of the middle, by area, which
        goes with the cosine, that of a place further south. On one row of cells nothing differs."""
        latitude = numpy.arange(71.75, 36, -0.5)
        cells = numpy.repeat((28 - 0.5 * (latitude - 30))[:, None], 40, axis=1)
        rasters.write(self.path("warm.tif"), [cells.astype("float32")], gdal.GDT_Float32, epsg=4326, transform=(0, 0.5, 0, 72, 0, -0.5))
        with Session(workspace=self.workspace) as s:
            call = {"raster": "warm.tif", "stats": ["mean"], "zones_crs": "EPSG:4326"}
            found = self.material(s, "aggregate_zonal", {**call, "zones": polygon(0, 36, 20, 72)}, "aggregation")
            low, high = math.radians(36), math.radians(72)
            moment = lambda a: a * math.sin(a) + math.cos(a)  # of the latitude, whose mean by area that gives
            mean = math.degrees((moment(high) - moment(low)) / (math.sin(high) - math.sin(low)))
            self.assertEqual((found["high_by"], found["low"]), ("by area", 16))
            self.assertAlmostEqual(found["high"], 28 - 0.5 * (mean - 30), delta=0.02)  # the Earth is no sphere
            self.assertIn("weighted_mean with weight_by_area", found["what"])
            self.assertLess(self.immaterial(s, "aggregate_zonal", {**call, "zones": polygon(0, 50, 20, 50.5)})["relative"], 1e-15)

    def test_a_resampling_method(self):
        with Session(workspace=self.workspace) as s:
            for name, place in (("sea.tif", SEA), ("land.tif", LAND)):
                row, column, cells = place
                gdal.Translate(self.path(name), self.raster, srcWin=[column, row, cells, cells])
            coarser = {"resolution": [2 * abs(self.raster.GetGeoTransform()[1])], "resampling": "average"}
            sea = self.immaterial(s, "raster_query", {"uri": "sea.tif", "geometry": box(self.raster, SEA), **coarser})
            self.assertEqual((sea["low"], sea["high"], sea["relative"]), (0, 0, 0))
            land = self.material(s, "raster_query", {"uri": "land.tif", "geometry": box(self.raster, LAND), **coarser}, "resampling")
            row, column, cells = LAND
            z = self.heights[row:row + cells, column:column + cells]
            average = z.reshape(cells // 2, 2, cells // 2, 2).mean(axis=(1, 3)).mean()
            self.assertLessEqual(land["low"], average * 1.001)
            self.assertGreaterEqual(land["high"], average * 0.999)
            self.assertGreater(land["relative"], 0.001)

    def test_a_resampling_method_on_the_grid_that_the_call_fixes(self):
        row, column, cells = LAND
        gdal.Translate(self.path("land.tif"), self.raster, srcWin=[column, row, cells, cells], outputSRS="EPSG:32725")
        x0, dx, _, y0, _, dy = gdal.Open(self.path("land.tif")).GetGeoTransform()
        size = min(dx, -dy)
        gdal.Warp(self.path("like.tif"), self.path("land.tif"), outputBounds=[x0, y0 - cells * size, x0 + cells * size, y0], xRes=size, yRes=size)
        wish = {"uri": "like.tif", "dst_crs": "EPSG:32725", "resampling": "bilinear", "overwrite": True, "output": "o.tif"}

        def inner(shift):
            return {"bounds": [x0 + (1 + shift) * size, y0 - (cells - 1) * size, x0 + (cells - 1 + shift) * size, y0 - size], "resolution": [size]}
        with Session(workspace=self.workspace) as s:
            for grid in ({"align_to": "like.tif"}, inner(0)):
                spread = [r.get("spread") for r in s.call("raster_reproject", {**wish, **grid})["_meta"]["io.gdal-mcp/receipts"] if r["domain"] == "resampling"]
                self.assertTrue(all(one is None or one["relative"] == 0 for one in spread), spread)
            half = self.material(s, "raster_reproject", {**wish, **inner(0.5)}, "resampling")
            self.assertGreater(half["relative"], 0.001)

    def test_means_of_methods_are_of_the_cells_that_all_of_them_fill(self):
        """average reaches over the edge of cells without a value, where the others fill nothing."""
        cells = numpy.full((40, 40), 100.0)
        cells[:, :7] = -1
        cells[:, 7:11] = [500, 400, 300, 200]
        cells[::2, 20:] += 1
        rasters.write(self.path("edge.tif"), [cells], gdal.GDT_Float32, nodata=-1)
        wish = {"uri": "edge.tif", "dst_crs": f"EPSG:{rasters.UTM}", "resolution": 28.5 * 1.5, "output": "o.tif"}
        with Session(workspace=self.workspace) as s:
            spread = self.material(s, "raster_reproject", {**wish, "resampling": "average"}, "resampling")
        x0, dx, _, y0, _, dy = gdal.Open(self.path("edge.tif")).GetGeoTransform()
        made = []
        for method in ("average", "near", "bilinear", "cubic"):
            one = gdal.Warp("", self.path("edge.tif"), format="MEM", resampleAlg=method, xRes=wish["resolution"], yRes=wish["resolution"])
            made.append(numpy.ma.masked_equal(one.ReadAsArray(), -1))
        alike = ~numpy.any([numpy.ma.getmaskarray(m) for m in made], axis=0)
        self.assertLess(alike.sum(), (~numpy.ma.getmaskarray(made[0])).sum())
        means = [m.data[alike].mean() for m in made]
        self.assertAlmostEqual(spread["low"], min(means), delta=1e-3 * min(means))
        self.assertAlmostEqual(spread["high"], max(means), delta=1e-3 * max(means))

    def test_a_resampling_method_is_tried_within_the_extent_of_the_call(self):
        """Heights rise from column to column: the mean of a part is not that of the whole, and the cells are those that the call makes."""
        cells = numpy.tile(numpy.arange(120.0), (120, 1)) + numpy.random.default_rng(1).normal(0, 5, (120, 120))
        rasters.write(self.path("slope.tif"), [cells], gdal.GDT_Float64, epsg=rasters.UTM, transform=(289000, 10, 0, 9121000, 0, -10))
        part = [289010, 9120200, 289410, 9120800]  # columns 1 to 40
        cases = [("raster_reproject", {"dst_crs": f"EPSG:{rasters.UTM}", "bounds": part, "resolution": [25], "resampling": "average"},
                  {"outputBounds": part, "xRes": 25, "yRes": 25}),
                 ("raster_query", {"geometry": [289025, 9120250, 289400, 9120775], "resolution": [25], "resampling": "average"},
                  {"outputBounds": [289025, 9120250, 289400, 9120775], "xRes": 25, "yRes": 25}),
                 ("raster_reproject", {"dst_crs": "EPSG:3857", "bounds": part, "bounds_crs": f"EPSG:{rasters.UTM}", "resampling": "average"},
                  {"dstSRS": "EPSG:3857", "outputBounds": part, "outputBoundsSRS": f"EPSG:{rasters.UTM}"})]
        for tool, wish, warp in cases:
            with self.subTest(tool=tool, **wish), Session(workspace=self.workspace) as s:
                spread = self.material(s, tool, {"uri": "slope.tif", "output": "o.tif", **wish}, "resampling")
                made = [gdal.Warp("", self.path("slope.tif"), format="MEM", resampleAlg=method, **warp).ReadAsArray().mean()
                        for method in ("average", "near", "bilinear", "cubic")]
                self.assertAlmostEqual(spread["low"], min(made), delta=0.05)
                self.assertAlmostEqual(spread["high"], max(made), delta=0.05)

    def test_a_world_is_tried_alike_wherever_its_longitudes_begin(self):
        latitude, longitude = 90 - numpy.arange(90) * 2 - 1, numpy.arange(180) * 2 + 1
        warm = lambda west: 20 * numpy.cos(numpy.radians(latitude))[:, None] + 5 * numpy.sin(numpy.radians(west + longitude))[None, :]
        for name, west in (("east.tif", 0), ("west.tif", -180)):
            rasters.write(self.path(name), [warm(west)], gdal.GDT_Float64, epsg=4326, transform=(west, 2, 0, 90, 0, -2))
        for crs in ("EPSG:8857", "ESRI:54009", "EPSG:3857"):
            with self.subTest(crs=crs), Session("--toolsets", "all", workspace=self.workspace) as s:
                east, west = (good(s.call("resampling_trial", {"uri": name, "dst_crs": crs, "method": "bilinear", "resolution": 200000}))
                              for name in ("east.tif", "west.tif"))
                self.assertAlmostEqual(east["support"], west["support"], delta=0.01 * west["support"])
                self.assertAlmostEqual(east["spread"]["low"], west["spread"]["low"], delta=0.01 * west["spread"]["low"])

    def test_only_methods_that_suit_the_kind_are_compared(self):
        for unit, asked, expected in (("degrees", "nearest", ["nearest", "mode"]), ("persons", "sum", ["sum"]),
                                      ("m", "bilinear", ["bilinear", "nearest", "cubic", "average"])):
            rasters.write(self.path("a.tif"), [rasters.waves(90, 70, 5, 300).astype("float32")], rasters.gdal.GDT_Float32)
            file = rasters.gdal.Open(self.path("a.tif"), rasters.gdal.GA_Update)
            file.GetRasterBand(1).SetUnitType(unit)
            del file
            with Session("--toolsets", "all", workspace=self.workspace) as s:
                told = good(s.call("resampling_trial", {"uri": "a.tif", "dst_crs": "EPSG:3035", "method": asked}))
            self.assertEqual([m["method"] for m in told["methods"]], expected)
            self.assertEqual("spread" in told, len(expected) > 1, told)


if __name__ == "__main__":
    if not os.path.exists(os.path.join(OLINDA, DEM)):
        print("SKIPPED materiality: GDAL_MCP_TEST_DATA names no folder with olinda/" + DEM)
        sys.exit(77)
    session.main()
