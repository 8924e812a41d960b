"""raster_interpolate against numpy and scipy cell by cell, leave-one-out errors by hand, and what it refuses."""
import math

import numpy
from osgeo import gdal, ogr
from scipy import interpolate

import more
import rasters
import session
from rasters import UTM, write


def scattered(count, seed, width=2000, height=1500):
    random = numpy.random.default_rng(seed)
    xy = random.random((count, 2)) * (width, height)
    values = 50 + 20 * numpy.sin(xy[:, 0] / 300) + 15 * numpy.cos(xy[:, 1] / 200) + random.standard_normal(count)
    return xy + (289000, 9119000), values


def layer(path, xy, values, epsg=UTM, z=False):
    made = ogr.GetDriverByName("GPKG").CreateDataSource(path)
    points = made.CreateLayer("points", rasters.crs(epsg) if epsg else None, ogr.wkbPoint25D if z else ogr.wkbPoint)
    points.CreateField(ogr.FieldDefn("value", ogr.OFTReal))
    points.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    points.StartTransaction()
    for (x, y), v in zip(xy, values):
        feature = ogr.Feature(points.GetLayerDefn())
        if v is not None and not z:
            feature["value"] = float(v)
        point = ogr.Geometry(ogr.wkbPoint25D if z else ogr.wkbPoint)
        point.AddPoint(float(x), float(y), float(v)) if z else point.AddPoint_2D(float(x), float(y))
        feature.SetGeometry(point)
        points.CreateFeature(feature)
    points.CommitTransaction()
    del made
    return path


def semivariance(model, h):
    u = h / model["range_m"]
    rise = {"spherical": numpy.where(u < 1, u * (1.5 - 0.5 * u * u), 1), "exponential": 1 - numpy.exp(-3 * u), "gaussian": 1 - numpy.exp(-3 * u * u)}[model["model"]]
    return numpy.where(h == 0, 0, model["nugget"] + (model["sill"] - model["nugget"]) * rise)


def estimated(xy, values, at, method, most=16, power=2, model=None, radius=math.inf):
    """Value and kriging variance at one place."""
    distance = numpy.hypot(*(xy - at).T)
    near = numpy.argsort(distance, kind="stable")[:1 if method == "nearest" else most]
    near = near[distance[near] <= radius]
    if not len(near):
        return math.nan, math.nan
    d, v = distance[near], values[near]
    if method == "nearest" or d[0] == 0:
        return v[0], 0
    if method == "idw":
        return (v / d ** power).sum() / (1 / d ** power).sum(), 0
    between = numpy.hypot(*(xy[near][:, None] - xy[near][None]).transpose(2, 0, 1))
    system = numpy.ones((len(near) + 1,) * 2)
    system[:-1, :-1], system[-1, -1] = semivariance(model, between), 0
    right = numpy.append(semivariance(model, d), 1)
    weights = numpy.linalg.solve(system, right)
    return weights[:-1] @ v, weights @ right


class raster_interpolate(more.MoreClaims):
    tool = "raster_interpolate"

    def centres(self):
        raster = gdal.Open(self.path("out.tif"))
        g = raster.GetGeoTransform()
        return [[(g[0] + (c + 0.5) * g[1], g[3] + (r + 0.5) * g[5]) for c in range(raster.RasterXSize)] for r in range(raster.RasterYSize)]

    def test_the_cells_are_those_of_numpy(self):
        for i, (count, most) in enumerate(((3, 16), (12, 16), (60, 5), (300, 16), (300, 1), (1000, 12), (150, 64), (30, 30), (90, 7), (500, 20))):
            xy, values = scattered(count, i)
            layer(self.path("points.gpkg"), xy, values)
            for method in ("nearest", "idw", "kriging"):
                if method == "kriging" and (count < 60 or most == 1):
                    continue
                with self.subTest(count=count, most=most, method=method):
                    power = 1 + i % 3
                    told = self.told("points.gpkg", attribute="value", method=method, max_points=most, power=power, resolution=100, variance=method == "kriging")
                    expected = [[estimated(xy, values, at, method, most, power, told.get("variogram")) for at in row] for row in self.centres()]
                    numpy.testing.assert_allclose(self.cells(), [[e[0] for e in row] for row in expected], rtol=2e-5)
                    if method == "kriging":
                        numpy.testing.assert_allclose(self.cells(band=2), [[e[1] for e in row] for row in expected], rtol=1e-3, atol=1e-4)
                    self.assertEqual((told["point_count"], told["merged_count"], told["left_out_count"]), (count, 0, 0))
                    others = [estimated(numpy.delete(xy, k, 0), numpy.delete(values, k), xy[k], method, most, power, told.get("variogram"))[0] - values[k]
                              for k in range(count)]
                    self.assertAlmostEqual(told["loo_rmse"] / numpy.sqrt(numpy.mean(numpy.square(others))), 1, delta=1e-6)
                    self.assertAlmostEqual(told["loo_bias"], numpy.mean(others), delta=1e-6)
                    self.assertEqual(told["loo_count"], count)
            gdal.Unlink(self.path("points.gpkg"))

    def test_linear_is_that_of_scipy_within_the_hull(self):
        for count, seed in ((3, 1), (40, 2), (400, 3)):
            xy, values = scattered(count, seed)
            layer(self.path("points.gpkg"), xy, values)
            told = self.told("points.gpkg", attribute="value", method="linear", resolution=50)
            flat = interpolate.LinearNDInterpolator(xy - xy[0], values)
            expected = numpy.array([[float(flat(numpy.array(at) - xy[0])[0]) for at in row] for row in self.centres()])
            numpy.testing.assert_array_equal(numpy.isnan(self.cells()), numpy.isnan(expected))
            numpy.testing.assert_allclose(self.cells(), expected, rtol=1e-5)
            others = [float(interpolate.LinearNDInterpolator(numpy.delete(xy, k, 0), numpy.delete(values, k))(xy[k])[0]) - values[k]
                      for k in range(count)] if count > 3 else []
            others = numpy.array(others)[~numpy.isnan(others)] if len(others) else []
            self.assertEqual(told["loo_count"], len(others))
            if len(others):
                self.assertAlmostEqual(told["loo_rmse"] / numpy.sqrt(numpy.mean(numpy.square(others))), 1, delta=1e-6)
            gdal.Unlink(self.path("points.gpkg"))

    def test_the_variogram_is_the_one_that_simulated_values_have(self):
        # Values with an exponential covariance of sill 9 and range 600 m (by Cholesky's decomposition), and noise of variance 1.
        random = numpy.random.default_rng(12)
        xy = random.random((900, 2)) * 6000 + (289000, 9115000)
        h = numpy.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1))
        values = numpy.linalg.cholesky(9 * numpy.exp(-3 * h / 600) + 1e-9 * numpy.eye(900)) @ random.standard_normal(900) + random.standard_normal(900)
        layer(self.path("points.gpkg"), xy, values)
        told = self.told("points.gpkg", attribute="value", method="kriging", variogram="exponential", resolution=200)
        model = told["variogram"]
        self.assertEqual(model["model"], "exponential")
        self.assertAlmostEqual(model["sill"], 10, delta=1.5)
        self.assertAlmostEqual(model["range_m"], 600, delta=250)
        self.assertAlmostEqual(model["nugget"], 1, delta=1.5)
        self.assertLess(told["loo_rmse"], self.told("points.gpkg", attribute="value", method="nearest", resolution=200)["loo_rmse"])

    def test_distances_are_in_metres_whatever_the_unit_of_the_crs(self):
        foot = 1200 / 3937
        xy, values = scattered(120, 5)
        metres = (xy - (289000, 9119000)) + (500000, 4180000)
        layer(self.path("metres.gpkg"), metres, values, epsg=32610)
        layer(self.path("feet.gpkg"), (xy - (289000, 9119000)) / foot + (6000000, 2100000), values, epsg=2227)
        a = self.told("metres.gpkg", attribute="value", method="kriging", variogram="spherical", resolution=100, bounds=[500000, 4180000, 502000, 4181500])
        cells = self.cells()
        box = [6000000, 2100000, 6000000 + 2000 / foot, 2100000 + 1500 / foot]
        b = self.told("feet.gpkg", attribute="value", method="kriging", variogram="spherical", resolution=100 / foot, bounds=box)
        self.assertAlmostEqual(a["variogram"]["range_m"] / b["variogram"]["range_m"], 1, delta=1e-6)
        numpy.testing.assert_allclose(self.cells(), cells, rtol=1e-5)
        self.told("feet.gpkg", attribute="value", method="nearest", radius=60, resolution=100 / foot, bounds=box)
        near = numpy.array([[estimated((xy - (289000, 9119000)), values, ((at[0] - 6000000) * foot, (at[1] - 2100000) * foot), "nearest", radius=60)[0]
                             for at in row] for row in self.centres()])
        numpy.testing.assert_allclose(self.cells(), near, rtol=1e-6)

    def test_heights_of_points_another_grid_and_points_at_one_place(self):
        xy, values = scattered(50, 6)
        layer(self.path("z.gpkg"), xy, values, z=True)
        write(self.path("like.tif"), [numpy.zeros((15, 20), "uint8")], gdal.GDT_Byte, transform=(289000, 100, 0, 9120500, 0, -100))
        told = self.told("z.gpkg", method="idw", align_to="like.tif")
        self.assertEqual((told["width"], told["height"]), (20, 15))
        expected = [[estimated(xy, values, at, "idw")[0] for at in row] for row in self.centres()]
        numpy.testing.assert_allclose(self.cells(), expected, rtol=1e-5)
        twice = numpy.vstack([xy, xy[:7]])
        layer(self.path("twice.gpkg"), twice, list(values) + list(values[:7] + 10))
        told = self.told("twice.gpkg", attribute="value", method="idw", align_to="like.tif")
        self.assertEqual((told["point_count"], told["merged_count"]), (50, 7))
        values[:7] += 5
        expected = [[estimated(xy, values, at, "idw")[0] for at in row] for row in self.centres()]
        numpy.testing.assert_allclose(self.cells(), expected, rtol=1e-5)

    def test_codes_and_totals_are_no_surface(self):
        path = layer(self.path("p.gpkg"), [(500000 + 100 * i, 4000000) for i in range(4)], [10, 20, 30, 40])
        for name, words in (("land_code", "called a code"), ("population", "called a total"), ("depth", None)):
            file = self.path(name + ".gpkg")
            gdal.VectorTranslate(file, path, SQLStatement=f"SELECT geom, value AS {name} FROM points", layerName="points")
            told = self.told(name + ".gpkg", attribute=name, method="idw", resolution=50)
            self.assertEqual("is interpolated, but is" in " ".join(told["warnings"]), bool(words))
            self.assertIn(words or "", " ".join(told["warnings"]))

    def test_mistakes_are_named(self):
        xy, values = scattered(50, 6)
        layer(self.path("a.gpkg"), xy, values)
        layer(self.path("degrees.gpkg"), (xy - (289000, 9119000)) / 1e5, values, epsg=4326)
        layer(self.path("bare.gpkg"), xy, values, epsg=None)
        layer(self.path("same.gpkg"), xy, values * 0 + 3)
        layer(self.path("line.gpkg"), [(289000 + i, 9119000) for i in range(9)], range(9))
        rasters.parcels(self.path("areas.gpkg"))
        a = {"uri": "a.gpkg", "attribute": "value", "resolution": 100, "method": "idw"}
        self.refused((({**a, "uri": "degrees.gpkg", "resolution": 0.01}, "not lengths"), ({**a, "uri": "bare.gpkg"}, "has no CRS"),
                      ({**a, "uri": "same.gpkg", "method": "kriging"}, "all the same value"), ({**a, "uri": "line.gpkg", "method": "linear", "resolution": 1}, "no triangle"),
                      ({**a, "resolution": 0.05}, "more than the 1e9 that can be interpolated"),
                      ({**a, "attribute": "name"}, "holds String"), ({**a, "attribute": "nope"}, "nope"), ({"uri": "a.gpkg", "resolution": 100, "method": "idw"}, "has a point and a value"),
                      ({"uri": "areas.gpkg", "resolution": 100, "method": "idw"}, "is a POLYGON"), ({**a, "variance": True}, "'variance' is given with method idw"),
                      ({"uri": "a.gpkg", "attribute": "value", "method": "idw"}, "neither"), ({**a, "power": 0}, "power")))


if __name__ == "__main__":
    session.main()
