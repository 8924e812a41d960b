"""raster_rasterize against Debian's gdal_rasterize cell by cell, and what it refuses."""
import math
import os

import numpy
from osgeo import gdal, ogr

import more
import rasters
import session
from rasters import UTM, write


def shapes(kind, count, seed, x0=289000, y0=9116000, side=6000):
    """Shapes of a kind, spread over a square, some overlapping, some with holes or several parts."""
    random = numpy.random.default_rng(seed)

    def star(x, y, radius):
        angles = numpy.sort(random.random(9)) * 2 * math.pi
        radii = radius * (0.4 + 0.6 * random.random(9))
        ring = [(x + r * math.cos(a), y + r * math.sin(a)) for a, r in zip(angles, radii)]
        return "(" + ", ".join(f"{u} {v}" for u, v in ring + ring[:1]) + ")"

    for _ in range(count):
        x, y = x0 + random.random() * side, y0 + random.random() * side
        radius = side * (0.02 + 0.15 * random.random())
        if kind == "polygon":
            yield f"POLYGON ({star(x, y, radius)}, {star(x, y, radius / 5)})"
        elif kind == "multipolygon":
            yield f"MULTIPOLYGON (({star(x, y, radius)}), ({star(x + 3 * radius, y, radius)}))"
        elif kind == "line":
            yield f"LINESTRING ({x} {y}, {x + radius} {y + radius / 3}, {x + radius} {y - 2 * radius})"
        else:
            yield f"POINT ({x} {y})"


def layer(path, kind, count=25, seed=1, epsg=UTM, **where):
    driver = ogr.GetDriverByName("ESRI Shapefile" if path.endswith(".shp") else "GPKG")
    made = driver.CreateDataSource(path)
    types = {"polygon": ogr.wkbPolygon, "multipolygon": ogr.wkbMultiPolygon, "line": ogr.wkbLineString, "point": ogr.wkbPoint}
    features = made.CreateLayer("shapes", rasters.crs(epsg) if epsg else None, types[kind])
    for name, of in (("code", ogr.OFTInteger), ("height", ogr.OFTReal), ("name", ogr.OFTString)):
        features.CreateField(ogr.FieldDefn(name, of))
    for i, wkt in enumerate(shapes(kind, count, seed, **where)):
        feature = ogr.Feature(features.GetLayerDefn())
        feature["code"], feature["height"], feature["name"] = i + 1, 0.3 + 1.7 * i, "even" if i % 2 == 0 else "odd"
        feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        features.CreateFeature(feature)
    del made
    return path


class raster_rasterize(more.MoreClaims):
    tool = "raster_rasterize"

    def square(self, name, epsg=UTM):
        made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(name))
        features = made.CreateLayer("square", rasters.crs(epsg), ogr.wkbPolygon)
        features.CreateField(ogr.FieldDefn("value", ogr.OFTReal))
        for value, (x, y, side) in ((5, (0, 0, 2)), (7, (1, 1, 2))):
            feature = ogr.Feature(features.GetLayerDefn())
            feature["value"] = value
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POLYGON (({x} {y}, {x} {y + side}, {x + side} {y + side}, {x + side} {y}, {x} {y}))"))
            features.CreateFeature(feature)
        del made

    def test_totals_and_shares_in_cells_are_named(self):
        made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("zones.gpkg"))
        zones = made.CreateLayer("zones", rasters.crs(UTM), ogr.wkbPolygon)
        for name in ("population", "urban_pct", "value"):
            zones.CreateField(ogr.FieldDefn(name, ogr.OFTReal))
        feature = ogr.Feature(zones.GetLayerDefn())
        feature["population"], feature["urban_pct"], feature["value"] = 900, 60, 3
        feature.SetGeometry(ogr.CreateGeometryFromWkt("POLYGON ((290000 9120000, 290300 9120000, 290300 9120300, 290000 9120300, 290000 9120000))"))
        zones.CreateFeature(feature)
        del feature, zones, made
        for attribute, combine, words in (("population", "last", "is called a total"), ("urban_pct", "add", "'urban_pct' is summed"), ("value", "add", "")):
            told = " ".join(self.told("zones.gpkg", attribute=attribute, combine=combine, resolution=100)["warnings"])
            self.assertIn(words, told)
            self.assertEqual("is called a" in told, bool(words), told)
        for kind, told_of in ((ogr.wkbPolygon, True), (ogr.wkbPoint, False)):
            made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(f"any_{kind}.gpkg"))
            anything = made.CreateLayer("anything", rasters.crs(UTM), ogr.wkbUnknown)
            anything.CreateField(ogr.FieldDefn("population", ogr.OFTReal))
            feature = ogr.Feature(anything.GetLayerDefn())
            feature["population"] = 900
            place = ogr.CreateGeometryFromWkt("POINT (290100 9120100)")
            feature.SetGeometry(place.Buffer(100) if kind == ogr.wkbPolygon else place)
            anything.CreateFeature(feature)
            del feature, anything, made
            told = " ".join(self.told(f"any_{kind}.gpkg", attribute="population", resolution=100)["warnings"])
            self.assertEqual("is called a total" in told, told_of, told)

    def test_two_squares_by_eye(self):
        self.square("a.gpkg")
        told = self.told("a.gpkg", attribute="value", resolution=1, bounds=[0, 0, 4, 3], background=0)
        self.assertEqual(self.cells().tolist(), [[0, 7, 7, 0], [5, 7, 7, 0], [5, 5, 0, 0]])
        self.assertEqual((told["dtype"], told["feature_count"], told["covered_count"], told["background"]), ("Byte", 2, 7, 0))
        self.told("a.gpkg", attribute="value", resolution=1, bounds=[0, 0, 4, 3], combine="add")
        self.assertEqual(self.cells().tolist(), [[0, 7, 7, 0], [5, 12, 7, 0], [5, 5, 0, 0]])

    def test_the_cells_are_those_of_gdal_rasterize(self):
        for kind in ("polygon", "multipolygon", "line", "point"):
            layer(self.path(f"{kind}.gpkg"), kind, seed=len(kind))
        layer(self.path("polygon.shp"), "polygon", seed=8)
        layer(self.path("degrees.gpkg"), "polygon", epsg=4326, seed=9, x0=-35.2, y0=-8.2, side=0.4)
        layer(self.path("many.gpkg"), "polygon", count=400, seed=10)
        write(self.path("like.tif"), [rasters.waves(230, 170, 0, 1)], gdal.GDT_Float64, transform=(289000, 30, 0, 9121000, 0, -30))
        grid = ["-te", 289000, 9115000, 295000, 9122000, "-tr", 50, 50]
        bounds = {"bounds": [289000, 9115000, 295000, 9122000], "resolution": 50}
        cases = (("polygon.gpkg", {}, ["-burn", 1]), ("polygon.gpkg", {"attribute": "code"}, ["-a", "code"]),
                 ("polygon.gpkg", {"attribute": "height"}, ["-a", "height"]),
                 ("polygon.gpkg", {"value": -3, "all_touched": True}, ["-burn", -3, "-at"]),
                 ("polygon.gpkg", {"value": 2, "combine": "add"}, ["-burn", 2, "-add"]),
                 ("polygon.gpkg", {"attribute": "code", "where": "name = 'odd'"}, ["-a", "code", "-where", "name = 'odd'"]),
                 ("multipolygon.gpkg", {"attribute": "code", "background": 200}, ["-a", "code", "-init", 200]),
                 ("line.gpkg", {"attribute": "code"}, ["-a", "code"]),
                 ("line.gpkg", {"value": 9, "all_touched": True}, ["-burn", 9, "-at"]),
                 ("point.gpkg", {"attribute": "code"}, ["-a", "code"]), ("polygon.shp", {"attribute": "height"}, ["-a", "height"]),
                 ("many.gpkg", {"attribute": "code", "dtype": "Float64", "nodata": -1}, ["-a", "code"]),
                 ("many.gpkg", {"value": 1, "combine": "add"}, ["-burn", 1, "-add"]))
        for name, ours, theirs in cases:
            with self.subTest(name=name, **ours):
                told = self.told(name, **bounds, **ours)
                start = told.get("background", told.get("nodata", math.nan))
                words = theirs if "-init" in theirs else theirs + ["-init", start]
                self.program("gdal_rasterize", "-q", "-ot", told["dtype"], *words, *grid, name, "theirs.tif")
                expected = self.cells("theirs.tif")
                numpy.testing.assert_array_equal(self.cells(), expected)
                self.assertEqual(told["covered_count"], (~((expected == start) | numpy.isnan(expected))).sum())
                os.remove(self.path("theirs.tif"))
        for name, ours, theirs in (("polygon.gpkg", {"align_to": "like.tif"}, ["-te", 289000, 9115900, 295900, 9121000, "-tr", 30, 30]),
                                   ("degrees.gpkg", {"resolution": [0.002, 0.001]}, ["-tap", "-tr", 0.002, 0.001])):
            with self.subTest(name=name, **ours):
                told = self.told(name, attribute="code", **ours)
                self.program("gdal_rasterize", "-q", "-ot", told["dtype"], "-a", "code", "-init", told["nodata"], *theirs, name, "theirs.tif")
                numpy.testing.assert_array_equal(self.cells(), self.cells("theirs.tif"))
                os.remove(self.path("theirs.tif"))

    def test_cells_are_covered_whatever_their_value(self):
        self.square("a.gpkg")
        for arguments in ({"value": 0, "combine": "add"}, {"value": 3, "background": 3}):
            with self.subTest(**arguments):
                told = self.told("a.gpkg", resolution=1, bounds=[0, 0, 4, 3], **arguments)
                self.assertEqual((told["covered_count"], told["valid_count"]), (7, 12))

    def test_a_line_has_a_thin_row_of_cells_or_all_that_it_crosses(self):
        made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("line.gpkg"))
        features = made.CreateLayer("line", rasters.crs(31985), ogr.wkbLineString)
        feature = ogr.Feature(features.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt("LINESTRING (0.5 0.2, 3.5 2.2)"))
        features.CreateFeature(feature)
        del features, feature, made
        bounds = {"resolution": 1, "bounds": [0, 0, 4, 3], "background": 0}
        self.told("line.gpkg", **bounds, all_touched=True)
        # At x = 1 the line is at y = 0.53, at 2 at 1.2, at 3 at 1.87: it passes y = 1 at 1.7, y = 2 at 3.2.
        self.assertEqual(self.cells().tolist(), [[0, 0, 0, 1], [0, 1, 1, 1], [1, 1, 0, 0]])
        thin = self.told("line.gpkg", **bounds)
        self.assertLess(thin["covered_count"], 6)
        self.assertTrue((self.cells() <= [[0, 0, 0, 1], [0, 1, 1, 1], [1, 1, 0, 0]]).all())

    def test_features_in_another_crs_are_transformed_and_the_way_is_named(self):
        layer(self.path("degrees.gpkg"), "polygon", epsg=4674, seed=3, x0=-34.92, y0=-8.0, side=0.05)
        told = self.told("degrees.gpkg", attribute="code", resolution=20, crs="EPSG:31985")
        self.assertEqual(told["transformation"]["ballpark"], False)
        self.program("ogr2ogr", "-t_srs", "EPSG:31985", "-segmentize", 1e-5, "moved.gpkg", "degrees.gpkg")
        a, b, c, d, e, f = told["transform"]
        self.program("gdal_rasterize", "-q", "-ot", told["dtype"], "-a", "code", "-init", told["nodata"], "-te", c, f + e * told["height"], c + a * told["width"],
                     f, "-tr", a, -e, "moved.gpkg", "theirs.tif")
        differing = (self.cells() != self.cells("theirs.tif")).mean()
        self.assertLess(differing, 1e-5)

    def test_what_lies_off_the_grid_or_has_no_value_is_counted(self):
        layer(self.path("a.gpkg"), "point", count=30, seed=4)
        made = ogr.Open(self.path("a.gpkg"), 1)
        features = made.GetLayer(0)
        for i in (3, 9):
            feature = features.GetFeature(i)
            feature.SetFieldNull("code")
            features.SetFeature(feature)
        del features, made
        made = ogr.Open(self.path("a.gpkg"))
        inside = [f["code"] for f in made.GetLayer(0) if f.GetGeometryRef().GetX() < 292000 and f["code"] is not None]
        told = self.told("a.gpkg", attribute="code", resolution=10, bounds=[289000, 9116000, 292000, 9122000])
        self.assertEqual((told["feature_count"], told["outside_count"], told["left_out_count"]), (len(inside), 28 - len(inside), 2))
        self.assertEqual(told["covered_count"], len(inside))
        self.assertIn("2 features without a value in 'code'", " ".join(told["warnings"]))

    def test_each_cell_that_is_touched_is_added_to_once(self):
        """GDAL adds a polygon once for its inside and once more for each edge that meets a cell."""
        layer(self.path("one.gpkg"), "polygon", count=1, seed=3)
        grid = {"bounds": [289000, 9116000, 295000, 9122000], "resolution": 50, "all_touched": True}
        self.told("one.gpkg", value=1, background=0, **grid)
        touched = self.cells()
        self.told("one.gpkg", value=1, background=0, combine="add", **grid)
        numpy.testing.assert_array_equal(self.cells(), touched)
        layer(self.path("all.gpkg"), "multipolygon", count=12, seed=5)
        self.told("all.gpkg", value=2, background=0, combine="add", **grid)
        every, alone = self.cells(), numpy.zeros_like(touched, "float64")
        for code in range(1, 13):
            self.told("all.gpkg", value=2, background=0, where=f"code = {code}", **grid)
            alone += self.cells()
        numpy.testing.assert_array_equal(every, alone)

    def test_features_beside_a_grid_beyond_180_lie_off_it(self):
        made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("p.gpkg"))
        features = made.CreateLayer("p", rasters.crs(4326), ogr.wkbPoint)
        for x, y in ((175.5, 0.5), (-175.5, 0.5), (-175.5, 50.5), (10.5, 0.5)):
            feature = ogr.Feature(features.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({x} {y})"))
            features.CreateFeature(feature)
            del feature
        del features, made
        write(self.path("pacific.tif"), [numpy.zeros((60, 20), "uint8")], gdal.GDT_Byte, 4326, (170, 1, 0, 20, 0, -1))
        told = self.told("p.gpkg", value=1, background=0, align_to="pacific.tif")
        self.assertEqual((told["feature_count"], told["outside_count"], told["covered_count"]), (2, 2, 2))

    def test_longitudes_from_0_to_360_take_what_lies_west_of_greenwich(self):
        """The same cells of the Earth on both grids, a feature across the meridian among them."""
        made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("w.gpkg"))
        for name, kind, all_wkt in (("areas", ogr.wkbPolygon, ("POLYGON ((-110 30, -100 30, -100 40, -110 40, -110 30))", "POLYGON ((10 0, 20 0, 20 10, 10 10, 10 0))",
                                                               "POLYGON ((-5 50, 5 50, 5 55, -5 55, -5 50))", "POLYGON ((170 -5, 180 -5, 180 0, 170 0, 170 -5))")),
                                    ("places", ogr.wkbPoint, ("POINT (-70.5 -30.5)", "POINT (70.5 30.5)", "POINT (-180 0.5)"))):
            features = made.CreateLayer(name, rasters.crs(4326), kind)
            for wkt in all_wkt:
                feature = ogr.Feature(features.GetLayerDefn())
                feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
                features.CreateFeature(feature)
                del feature
        del features, made
        for name, west in (("east.tif", 0), ("west.tif", -180)):
            write(self.path(name), [numpy.zeros((180, 360), "uint8")], gdal.GDT_Byte, 4326, (west, 1, 0, 90, 0, -1))
        for kind, cells in (("areas", 100 + 100 + 50 + 50), ("places", 3)):
            covered = []
            for grid in ("east.tif", "west.tif"):
                told = self.told("w.gpkg", layer=kind, value=1, background=0, align_to=grid, combine="add")
                self.assertEqual((told["outside_count"], told["covered_count"]), (0, cells), (kind, grid))
                covered.append(self.cells())
            self.assertEqual(covered[0].max(), 1)
            numpy.testing.assert_array_equal(covered[0], numpy.roll(covered[1], 180, axis=1))

    def test_a_type_is_chosen_that_holds_the_values(self):
        layer(self.path("a.gpkg"), "polygon", count=6)
        for arguments, dtype in (({"value": 1}, "Byte"), ({"value": -1}, "Int16"), ({"value": 50000}, "UInt16"), ({"value": 0.5}, "Float32"),
                                 ({"value": 0.1}, "Float64"), ({"value": 3e9}, "UInt32"), ({"value": 255, "combine": "add"}, "Int16")):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.told("a.gpkg", resolution=50, **arguments)["dtype"], dtype)

    def test_mistakes_are_named(self):
        layer(self.path("a.gpkg"), "polygon")
        layer(self.path("bare.gpkg"), "polygon", epsg=None)
        layer(self.path("degrees.gpkg"), "polygon", epsg=4326, seed=9, x0=-35.2, y0=-8.2, side=0.4)
        more.without_grid(self.path("plain.tif"))
        rasters.geographic(self.path("elsewhere.tif"))
        a = {"uri": "a.gpkg"}
        self.refused(((a, "neither 'align_to' nor 'resolution'"), ({**a, "resolution": 10, "attribute": "code", "value": 1}, "'attribute' and 'value'"),
                      ({**a, "resolution": 10, "attribute": "name"}, "holds String"), ({**a, "resolution": 10, "attribute": "nope"}, "nope"),
                      ({**a, "align_to": "plain.tif"}, "no geotransform"), ({**a, "align_to": "elsewhere.tif", "resolution": 3}, "both"),
                      ({**a, "resolution": 10, "dtype": "Byte", "value": 300}, "cannot hold"),
                      ({**a, "resolution": 10, "dtype": "Float32", "value": 1e308}, "cannot hold"), ({**a, "resolution": 10, "where": "code > 900"}, "none of the"),
                      ({**a, "resolution": 10, "bounds": [0, 0, 100, 100]}, "no feature lies on the grid"),
                      ({**a, "resolution": 10, "bounds": [100, 0, 0, 100]}, "has no area"), ({**a, "resolution": 1e-4}, "more than 1e10"),
                      ({"uri": "bare.gpkg", "resolution": 10}, "has no CRS"), ({"uri": "degrees.gpkg", "resolution": 30}, "30 degrees"),
                      ({**a, "resolution": 10, "nodata": 1, "value": 1}, "lies within the values"), ({**a, "resolution": 10, "where": "nope = 1"}, "nope")))


if __name__ == "__main__":
    session.main()
