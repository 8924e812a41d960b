"""aggregate_density against numpy, scipy and pyproj cell by cell, and what it refuses."""
import json

import numpy
from osgeo import gdal, ogr
from pyproj import Geod
from scipy import stats

import more
import rasters
import session

KM2 = 1e6


def layer(path, xy, weights=None, epsg=rasters.UTM, kind=ogr.wkbPoint):
    made = ogr.GetDriverByName("GPKG").CreateDataSource(path)
    points = made.CreateLayer("points", rasters.crs(epsg) if epsg else None, kind)
    points.CreateField(ogr.FieldDefn("weight", ogr.OFTReal))
    points.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    points.StartTransaction()
    for i, (x, y) in enumerate(numpy.asarray(xy).tolist()):
        feature = ogr.Feature(points.GetLayerDefn())
        if weights is not None and weights[i] is not None:
            feature["weight"] = float(weights[i])
        feature["name"] = "odd" if i % 2 else "even"
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({x!r} {y!r})" if kind == ogr.wkbPoint else f"LINESTRING ({x!r} {y!r}, {x + 1!r} {y!r})"))
        points.CreateFeature(feature)
    points.CommitTransaction()
    del made


def towns(count, seed):
    random = numpy.random.default_rng(seed)
    return numpy.round(random.normal((290000, 9120000), (900, 500), (count, 2)), 2)


def shape(name, d, h):
    """A kernel's height at distance d, per m²."""
    if name == "gaussian":
        return numpy.where(d <= 5 * h, numpy.exp(-d * d / (2 * h * h)) / (2 * numpy.pi * h * h), 0)
    inside = d <= h
    return numpy.where(inside, 1 / (numpy.pi * h * h) if name == "uniform" else 3 / (numpy.pi * h * h) * (1 - (d / h) ** 2) ** 2, 0)


class aggregate_density(more.MoreClaims):
    tool = "aggregate_density"

    def centres(self):
        raster = gdal.Open(self.path("out.tif"))
        g = raster.GetGeoTransform()
        x = g[0] + (numpy.arange(raster.RasterXSize) + 0.5) * g[1]
        y = g[3] + (numpy.arange(raster.RasterYSize) + 0.5) * g[5]
        return numpy.meshgrid(x, y)

    def expected(self, xy, weights, name, h):
        x, y = self.centres()
        return sum(w * shape(name, numpy.hypot(x - px, y - py), h) for (px, py), w in zip(xy, weights)) * KM2

    def test_the_cells_are_those_of_numpy(self):
        for seed, (count, h, name) in enumerate(((1, 500, "quartic"), (1, 200, "uniform"), (1, 150, "gaussian"), (40, 400, "quartic"), (40, 300, "uniform"),
                                                 (40, 180, "gaussian"), (500, 350, "quartic"))):
            with self.subTest(count=count, kernel=name):
                xy = towns(count, seed)
                weights = numpy.random.default_rng(seed).integers(1, 9, count)
                layer(self.path("points.gpkg"), xy, weights)
                told = self.told("points.gpkg", weight="weight", bandwidth=h, kernel=name, cell=70)
                numpy.testing.assert_allclose(self.cells(), self.expected(xy, weights, name, h), rtol=1e-5, atol=1e-9)
                self.assertEqual((told["point_count"], told["weight_total"], told["bandwidth_m"], told["bandwidth_rule"], told["cell_m"]), (count, weights.sum(), h, "given", 70))
                self.assertEqual(told["crs"]["code"], "EPSG:31985")
                self.assertAlmostEqual(told["integral"] / weights.sum(), 1, delta=0.08 if count == 1 else 0.02)
                self.assertAlmostEqual(told["integral"], float(self.cells().astype("float64").sum()) * 70 * 70 / KM2, delta=1e-5 * weights.sum())
            gdal.Unlink(self.path("points.gpkg"))

    def test_a_gaussian_surface_by_the_rule_is_that_of_scipy(self):
        # scipy scales each axis; points whose coordinates have one variance and no correlation make both the same.
        random = numpy.random.default_rng(3)
        xy = random.standard_normal((400, 2))
        xy -= xy.mean(0)
        xy = numpy.linalg.solve(numpy.linalg.cholesky(numpy.cov(xy.T)), xy.T).T * 800 + (290000, 9120000)
        layer(self.path("points.gpkg"), xy)
        told = self.told("points.gpkg", kernel="gaussian", cell=100)
        self.assertIn("normal reference rule", told["bandwidth_rule"])
        deviation = xy.std()  # population form, as the rule has it
        self.assertAlmostEqual(told["bandwidth_m"], numpy.sqrt(xy.var(0).mean()) * 400 ** (-1 / 6), delta=1e-6 * deviation)
        surface = stats.gaussian_kde(xy.T, bw_method=told["bandwidth_m"] / numpy.sqrt(numpy.cov(xy.T)[0, 0]))
        x, y = self.centres()
        numpy.testing.assert_allclose(self.cells(), surface([x.ravel(), y.ravel()]).reshape(x.shape) * 400 * KM2, rtol=1e-3, atol=2e-4)

    def test_degrees_and_web_mercator_are_spread_in_metres_on_the_ground(self):
        earth = Geod(ellps="WGS84")
        random = numpy.random.default_rng(5)
        lonlat = random.normal((25, 65), (0.3, 0.1), (60, 2))
        layer(self.path("degrees.gpkg"), lonlat, epsg=4326)
        to_mercator = rasters.osr.CoordinateTransformation(rasters.crs(4326), rasters.crs(3857))
        layer(self.path("mercator.gpkg"), [to_mercator.TransformPoint(float(x), float(y))[:2] for x, y in lonlat], epsg=3857)
        for name in ("degrees.gpkg", "mercator.gpkg"):
            with self.subTest(name=name):
                told = self.told(name, bandwidth=5000, cell=2500)
                self.assertIn("Lambert azimuthal", told["crs"]["name"])
                raster = gdal.Open(self.path("out.tif"))
                back = rasters.osr.CoordinateTransformation(raster.GetSpatialRef(), rasters.crs(4326))
                x, y = self.centres()
                at = numpy.array([back.TransformPoint(float(a), float(b))[:2] for a, b in zip(x.ravel(), y.ravel())])
                expected = numpy.zeros(len(at))
                for px, py in lonlat:
                    d = numpy.array(earth.inv(at[:, 0], at[:, 1], numpy.full(len(at), px), numpy.full(len(at), py))[2])
                    expected += shape("quartic", d, 5000) * KM2
                numpy.testing.assert_allclose(self.cells().ravel(), expected, rtol=2e-3, atol=1e-5)

    def test_an_area_cuts_the_surface_and_its_edge_can_be_corrected(self):
        random = numpy.random.default_rng(8)
        xy = random.uniform((289000, 9119000), (291000, 9121000), (4000, 2))
        layer(self.path("points.gpkg"), xy)
        box = [289500, 9119500, 290500, 9120500]
        plain = self.told("points.gpkg", bandwidth=300, cell=20, geometry=box)
        self.assertEqual((plain["width"], plain["height"], plain["point_count"]), (50, 50, 4000))
        numpy.testing.assert_allclose(self.cells(), self.expected(xy, numpy.ones(4000), "quartic", 300), rtol=1e-5)
        corrected = self.told("points.gpkg", bandwidth=300, cell=20, geometry=box, edge_correction=True)
        inside = xy[(xy > box[:2]).all(1) & (xy < box[2:]).all(1)]
        self.assertEqual(corrected["point_count"], len(inside))
        numpy.testing.assert_allclose(self.cells(), self.expected(inside, numpy.ones(len(inside)), "quartic", 300) / self.inside_share(box, "quartic", 300, 5), rtol=3e-3)
        # 1000 points per km², of which an uncorrected corner sees a quarter.
        self.assertLess(abs(self.cells().mean() / 1000 - 1), 0.05)
        # What is inside is a matter of the points, whatever the cells.
        slope = {"type": "Polygon", "coordinates": [[[289500, 9119500], [290500, 9119530], [290480, 9120500], [289520, 9120470], [289500, 9119500]]]}
        area = ogr.CreateGeometryFromJson(json.dumps(slope))
        within = sum(area.Intersects(ogr.CreateGeometryFromWkt(f"POINT ({px!r} {py!r})")) for px, py in xy.tolist())
        for cell in (20, 30, 110):
            told = self.told("points.gpkg", bandwidth=300, cell=cell, geometry=slope, geometry_crs="EPSG:31985", edge_correction=True, output="slope.tif")
            self.assertEqual(told["point_count"], within)
        triangle = {"type": "Polygon", "coordinates": [[[289500, 9119500], [290510, 9119500], [289500, 9120510], [289500, 9119500]]]}
        self.told("points.gpkg", bandwidth=300, cell=20, geometry=triangle, geometry_crs="EPSG:31985")
        missing = numpy.isnan(self.cells())
        x, y = self.centres()
        numpy.testing.assert_array_equal(missing, (x - 289500) + (y - 9119500) > 1010)

    def inside_share(self, box, name, h, step=6):
        """Of the kernel at each centre, in the box: by points `step` apart."""
        west, south, east, north = box
        px, py = numpy.meshgrid(numpy.arange(west + step / 2, east, step), numpy.arange(south + step / 2, north, step))
        x, y = self.centres()
        shares = [shape(name, numpy.hypot(px - cx, py - cy), h).sum() * step * step for cx, cy in zip(x.ravel(), y.ravel())]
        return numpy.array(shares).reshape(x.shape)

    def test_the_edge_is_corrected_within_a_percent_where_it_cuts_cells(self):
        """Edges 29 m beside those of the cells, which have the size that follows from the bandwidth, and half of it; 34 m of cells of 200 m."""
        xy = numpy.random.default_rng(8).uniform((289000, 9119000), (291000, 9121000), (2000, 2))
        layer(self.path("points.gpkg"), xy)
        box = [289029, 9119029, 290829, 9120829]
        inside = xy[(xy > box[:2]).all(1) & (xy < box[2:]).all(1)]
        for name, h, cell in (("quartic", 600, None), ("quartic", 600, 40), ("uniform", 600, None), ("gaussian", 200, 40), ("quartic", 400, 200)):
            with self.subTest(kernel=name, cell=cell):
                told = self.told("points.gpkg", bandwidth=h, kernel=name, geometry=box, edge_correction=True, **({"cell": cell} if cell else {}))
                self.assertEqual(told["cell_m"], cell or 50)
                found, seen = self.cells(), ~numpy.isnan(self.cells())
                expected = self.expected(inside, numpy.ones(len(inside)), name, h) / self.inside_share(box, name, h)
                numpy.testing.assert_allclose(found[seen], expected[seen], rtol=0.01)
                self.assertFalse(told.get("warnings"))

    def test_conditions_weights_and_gaps(self):
        xy = towns(30, 4)
        layer(self.path("points.gpkg"), xy, [None if i < 3 else i for i in range(30)])
        told = self.told("points.gpkg", weight="weight", bandwidth=400, cell=50, where="name = 'odd'")
        odd = [(p, i) for i, p in enumerate(xy) if i % 2 and i >= 3]
        numpy.testing.assert_allclose(self.cells(), self.expected([p for p, _ in odd], [i for _, i in odd], "quartic", 400), rtol=1e-5, atol=1e-9)
        self.assertEqual((told["point_count"], told["left_out_count"]), (14, 1))
        several = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"people": 600}, "geometry": {
            "type": "MultiPoint", "coordinates": [[10, 50], [10.001, 50], [10.002, 50]]}}]}
        self.refused((({"uri": several, "weight": "people"}, "has 3 points and one 'people', which would count at each of them"),))

    def test_mistakes_are_named(self):
        xy = towns(30, 4)
        layer(self.path("a.gpkg"), xy, [-1] * 30)
        layer(self.path("bare.gpkg"), xy, epsg=None)
        layer(self.path("same.gpkg"), [xy[0]] * 4)
        layer(self.path("lines.gpkg"), xy, kind=ogr.wkbLineString)
        layer(self.path("world.gpkg"), [(-170, -60), (170, 70), (0, 0)], epsg=4326)
        a = {"uri": "a.gpkg"}
        self.refused((({**a, "weight": "weight"}, "weight -1"), ({**a, "weight": "name"}, "holds String"), ({**a, "bandwidth": 0}, "bandwidth"),
                      ({"uri": "bare.gpkg"}, "no CRS"), ({"uri": "same.gpkg"}, "share one place"), ({"uri": "lines.gpkg"}, "is a LINESTRING"),
                      ({"uri": "world.gpkg"}, "no plane has true distances"), ({**a, "edge_correction": True}, "without 'geometry'"),
                      ({**a, "cell": 0.001}, "more than 1e8"), ({**a, "where": "name = 'none'"}, "meets 'where'"),
                      ({**a, "geometry": [299000, 9119000, 301000, 9121000]}, "no point lies in 'geometry'"),
                      ({**a, "geometry": [289000, 9119000, 291000, 9121000], "edge_correction": True, "bandwidth": 1000, "cell": 2}, "additions")))


if __name__ == "__main__":
    session.main()
