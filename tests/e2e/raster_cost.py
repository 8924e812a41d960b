"""raster_cost against Dijkstra's algorithm of scipy.sparse.csgraph, closed forms, and what it refuses."""
import math

import numpy
import pyproj
from osgeo import gdal
from scipy import sparse
from scipy.sparse import csgraph

import more
import rasters
import session
from more import band_of
from rasters import UTM, waves, write


def cheapest(costs, widths, heights, sources):
    """costs: NaN = barrier; widths, heights: of the cells of each row, m. Accumulated costs by scipy."""
    rows, columns = costs.shape
    number = numpy.arange(costs.size).reshape(costs.shape)
    edges = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for r in range(rows - down):
            for c in range(max(0, -right), columns - max(0, right)):
                one, other = costs[r, c], costs[r + down, c + right]
                if numpy.isnan(one) or numpy.isnan(other) or down and right and numpy.isnan(costs[r, c + right]) and numpy.isnan(costs[r + down, c]):
                    continue
                length = math.hypot(right * (widths[r] + widths[r + down]) / 2, down * (heights[r] + heights[r + down]) / 2)
                edges.append((number[r, c], number[r + down, c + right], length * (one + other) / 2))
    a, b, weight = numpy.array(edges).T
    graph = sparse.csr_matrix((weight, (a.astype(int), b.astype(int))), shape=(costs.size,) * 2)
    found = csgraph.dijkstra(graph, directed=False, indices=[number[s] for s in sources], min_only=True)
    found = found.reshape(costs.shape)
    found[numpy.isnan(costs)] = numpy.inf
    return found


class raster_cost(more.MoreClaims):
    tool = "raster_cost"

    def surfaces(self):
        """Names, with EPSG code."""
        made = []

        def add(name, cells, dtype, epsg=32631, **how):
            write(self.path(name), cells if isinstance(cells, list) else [cells], dtype, epsg=epsg,
                  **{"transform": (500000, 10, 0, 5000000, 0, -10) if epsg == 32631 else (289000, 30, 0, 9121000, 0, -30), **how})
            made.append((name, epsg))

        def gap(cells, none):
            cells[5:25, 20] = none
            cells[numpy.random.default_rng(2).random(cells.shape) < 0.2] = none
            cells[0:2, 0:2] = cells[-2:, -2:] = 3
            return cells

        add("byte.tif", waves(50, 40, 1, 50).astype("uint8"), gdal.GDT_Byte)
        add("int16.tif", waves(50, 40, 1, 900).astype("int16"), gdal.GDT_Int16)
        add("uint16.tif", waves(50, 40, 1, 60000).astype("uint16"), gdal.GDT_UInt16)
        add("int32.tif", waves(50, 40, 1, 2e9).astype("int32"), gdal.GDT_Int32)
        add("float.tif", waves(50, 40, 0.5, 9).astype("float32"), gdal.GDT_Float32)
        add("double.tif", waves(50, 40, 0.5, 9), gdal.GDT_Float64)
        add("nodata.tif", gap(waves(50, 40, 0.5, 9).astype("float32"), -9999), gdal.GDT_Float32, nodata=-9999)
        add("nodata_byte.tif", gap(waves(50, 40, 1, 90).astype("uint8"), 255), gdal.GDT_Byte, nodata=255)
        add("nan.tif", gap(waves(50, 40, 0.5, 9), numpy.nan), gdal.GDT_Float64, nodata=numpy.nan)
        add("south.tif", waves(50, 40, 0.5, 9).astype("float32"), gdal.GDT_Float32, epsg=UTM)
        add("oblong.tif", waves(50, 40, 0.5, 9).astype("float32"), gdal.GDT_Float32, transform=(500000, 10, 0, 5000000, 0, -25))
        add("row.tif", waves(90, 1, 0.5, 9).astype("float32"), gdal.GDT_Float32)
        add("second_band.tif", [waves(50, 40, 0, 1).astype("float32"), waves(50, 40, 1, 9, seed=5).astype("float32")], gdal.GDT_Float32)
        return made

    def values(self, name, band=1):
        raster = gdal.Open(self.path(name))
        cells = raster.GetRasterBand(band).ReadAsArray().astype("float64")
        none = raster.GetRasterBand(band).GetNoDataValue()
        if none is not None:
            cells[cells == none] = numpy.nan
        return cells, raster.GetGeoTransform()

    def points(self, cells, transform, epsg):
        return {"type": "MultiPoint", "coordinates": [[transform[0] + (c + 0.5) * transform[1], transform[3] + (r + 0.5) * transform[5]] for r, c in cells],
                "crs": {"type": "name", "properties": {"name": f"EPSG:{epsg}"}}}

    def test_the_cells_are_those_of_scipy(self):
        surfaces = self.surfaces()
        self.assertGreaterEqual(len(surfaces), 10)
        for name, epsg in surfaces:
            costs, transform = self.values(name, band_of(name))
            last = (costs.shape[0] - 1, costs.shape[1] - 1)
            for sources in ([(0, 0)], [(0, 0), last]):
                with self.subTest(name=name, sources=sources):
                    told = self.told(name, band=band_of(name), geometry=self.points(sources, transform, epsg), targets=self.points([last], transform, epsg))
                    rows = costs.shape[0]
                    expected = cheapest(costs, [transform[1]] * rows, [-transform[5]] * rows, sources)
                    ours = self.cells()
                    numpy.testing.assert_allclose(numpy.where(ours == told["nodata"], numpy.inf, ours), expected, rtol=1e-12)
                    self.assertEqual((told["source_count"], told["barrier_count"]), (len(sources), numpy.isnan(costs).sum()))
                    self.assertEqual(told["unreached_count"], numpy.isinf(expected).sum() - numpy.isnan(costs).sum())
                    way, = told["ways"]
                    self.assertEqual(way["reached"], bool(numpy.isfinite(expected[last])))
                    if way["reached"]:
                        self.assertAlmostEqual(way["cost"] / max(expected[last], 1e-9), 1 if len(sources) == 1 else 0, delta=1e-9)

    def test_cells_of_a_geographic_raster_have_their_true_sizes(self):
        costs = waves(30, 25, 1, 5)
        write(self.path("a.tif"), [costs], gdal.GDT_Float64, epsg=4326, transform=(10, 0.1, 0, 62, 0, -0.1))
        told = self.told("a.tif", geometry={"type": "Point", "coordinates": [10.05, 61.95]})
        earth = pyproj.Geod(ellps="WGS84")
        middles = [62 - 0.1 * (r + 0.5) for r in range(25)]
        widths = [earth.inv(10, y, 10.1, y)[2] for y in middles]
        heights = [earth.inv(10, y + 0.05, 10, y - 0.05)[2] for y in middles]
        numpy.testing.assert_allclose(self.cells(), cheapest(costs, widths, heights, [(0, 0)]), rtol=1e-9)
        self.assertIn("true cell size", " ".join(told["warnings"]))

    def test_no_way_leads_over_the_edge_of_a_grid_around_the_earth(self):
        for name, columns, named in (("world.tif", 180, True), ("half.tif", 90, False)):
            write(self.path(name), [numpy.ones((20, columns))], gdal.GDT_Float64, 4326, (-180, 2, 0, 20, 0, -2))
            made = self.told(name, geometry={"type": "Point", "coordinates": [-169, 1]})
            self.assertEqual(any("goes around the Earth, but no way leads across" in w for w in made["warnings"]), named)

    def test_a_raster_whose_first_row_is_in_the_south_costs_the_same(self):
        costs = waves(30, 25, 1, 5)
        start = {"geometry": {"type": "Point", "coordinates": [10.05, 61.95]}}
        write(self.path("a.tif"), [costs], gdal.GDT_Float64, epsg=4326, transform=(10, 0.1, 0, 62, 0, -0.1))
        write(self.path("south_up.tif"), [costs[::-1]], gdal.GDT_Float64, epsg=4326, transform=(10, 0.1, 0, 59.5, 0, 0.1))
        self.told("a.tif", **start)
        expected = self.cells()
        self.told("south_up.tif", **start)
        numpy.testing.assert_allclose(self.cells()[::-1], expected, rtol=1e-9)

    def test_infinite_costs_are_barriers(self):
        costs = numpy.ones((1, 3), "float32")
        costs[0, 1] = numpy.inf
        write(self.path("a.tif"), [costs], gdal.GDT_Float32, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10))
        told = self.told("a.tif", geometry=self.points([(0, 0)], (500000, 10, 0, 5000000, 0, -10), 32631))
        self.assertEqual((told["barrier_count"], told["unreached_count"]), (1, 1))
        self.assertIn("infinite", " ".join(told["warnings"]))

    def test_a_local_crs_measures_in_its_unit(self):
        write(self.path("a.tif"), [numpy.ones((1, 11))], gdal.GDT_Float64, epsg=None, transform=(0, 10, 0, 0, 0, -10))
        raster = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        raster.SetProjection('LOCAL_CS["site",UNIT["metre",1],AXIS["x",EAST],AXIS["y",NORTH]]')
        del raster
        told = self.told("a.tif", geometry={"type": "Point", "coordinates": [5, -5]}, geometry_crs='LOCAL_CS["site",UNIT["metre",1],AXIS["x",EAST],AXIS["y",NORTH]]')
        self.assertEqual(told["max"], 100)
        self.assertIn("local CRS", " ".join(told["warnings"]))

    def test_feet_become_metres(self):
        write(self.path("a.tif"), [numpy.full((1, 11), 2.0)], gdal.GDT_Float64, epsg=2227, transform=(6000000, 30, 0, 2100000, 0, -30))
        told = self.told("a.tif", geometry=self.points([(0, 0)], (6000000, 30, 0, 2100000, 0, -30), 2227), targets=self.points([(0, 10)], (6000000, 30, 0, 2100000, 0, -30), 2227))
        self.assertAlmostEqual(told["ways"][0]["length_m"], 300 * 1200 / 3937, places=6)
        self.assertAlmostEqual(told["ways"][0]["cost"], 600 * 1200 / 3937, places=6)

    def test_a_way_leads_around_barriers(self):
        costs = numpy.ones((9, 9), "uint8")
        costs[0:8, 4] = 7
        transform = (500000, 10, 0, 5000000, 0, -10)
        write(self.path("a.tif"), [costs], gdal.GDT_Byte, epsg=32631, transform=transform)
        told = self.told("a.tif", geometry=self.points([(0, 0)], transform, 32631), targets=self.points([(0, 8)], transform, 32631), barriers=[7])
        way, = told["ways"]
        self.assertEqual(told["barrier_count"], 8)
        # Down in 4 straight and 4 diagonal steps to the gap at (8, 4), and up again.
        self.assertAlmostEqual(way["length_m"], 2 * (40 + 40 * math.sqrt(2)), places=6)
        self.assertAlmostEqual(way["cost"], way["length_m"], places=6)
        to_utm = pyproj.Transformer.from_crs(4326, 32631, always_xy=True)
        line = [to_utm.transform(*p) for p in way["way"]["coordinates"]]
        numpy.testing.assert_allclose([line[0], line[-1]], [[500005, 4999995], [500085, 4999995]], atol=0.02)
        length = sum(math.dist(a, b) for a, b in zip(line, line[1:]))
        self.assertAlmostEqual(length, way["length_m"], delta=0.1)
        closed = numpy.ones((9, 9), "uint8")
        closed[:, 4] = 7
        write(self.path("closed.tif"), [closed], gdal.GDT_Byte, epsg=32631, transform=transform)
        told = self.told("closed.tif", geometry=self.points([(0, 0)], transform, 32631), targets=self.points([(0, 8)], transform, 32631), barriers=[7])
        self.assertEqual((told["ways"][0]["reached"], told["unreached_count"]), (False, 36))
        self.assertIn("1 target cannot be reached", " ".join(told["warnings"]))

    def test_a_long_way_is_simplified_and_says_so(self):
        costs = numpy.random.default_rng(4).integers(1, 100, (900, 900)).astype("uint8")
        transform = (500000, 10, 0, 5000000, 0, -10)
        write(self.path("a.tif"), [costs], gdal.GDT_Byte, epsg=32631, transform=transform)
        told = self.told("a.tif", geometry=self.points([(0, 0)], transform, 32631), targets=self.points([(899, 899 - 40 * i) for i in range(5)], transform, 32631))
        self.assertIn("simplified", " ".join(told["warnings"]))
        self.assertTrue(all(len(w["way"]["coordinates"]) <= 200 for w in told["ways"]))

    def test_mistakes_are_named(self):
        transform = (500000, 10, 0, 5000000, 0, -10)
        costs = waves(30, 20, 1, 9).astype("float32")
        costs[5, 5] = -9999
        write(self.path("a.tif"), [costs], gdal.GDT_Float32, epsg=32631, transform=transform, nodata=-9999)
        write(self.path("negative.tif"), [costs], gdal.GDT_Float32, epsg=32631, transform=transform)
        rasters.palette(self.path("classes.tif"))
        more.without_grid(self.path("plain.tif"))
        more.cut_short(self.path("a.tif"), self.path("broken.tif"))
        here = {"geometry": self.points([(2, 2)], transform, 32631)}
        line = {"type": "LineString", "coordinates": [[500005, 4999995], [500105, 4999995]], "crs": here["geometry"]["crs"]}
        self.refused((({"uri": "negative.tif", **here}, "below 0"), ({"uri": "classes.tif", **here}, "palette"), ({"uri": "plain.tif", **here}, "no geotransform"),
                      ({"uri": "a.tif", "geometry": self.points([(5, 5)], transform, 32631)}, "lies on a barrier"),
                      ({"uri": "a.tif", "geometry": self.points([(900, 5)], transform, 32631)}, "is not on the raster"),
                      ({"uri": "a.tif", **here, "targets": self.points([(5, 5)], transform, 32631)}, "of 'targets' lies on a barrier"),
                      ({"uri": "a.tif", "geometry": line}, "LINESTRING"), ({"uri": "a.tif"}, "geometry"), ({"uri": "broken.tif", **here}, "cannot read")))


if __name__ == "__main__":
    session.main()
