"""aggregate_grid against counts by eye, numpy, GDAL's own point in polygon and pyproj, and what it refuses."""
import json
import math

import numpy
from osgeo import gdal, ogr
from pyproj import Geod

import more
import rasters
import session
from session import good, problem, run

X, Y = 290000, 9120000  # metres in UTM zone 25S


def layer(path, xy, values=None, epsg=rasters.UTM, kind=ogr.wkbPoint):
    made = ogr.GetDriverByName("GPKG").CreateDataSource(path)
    points = made.CreateLayer("points", rasters.crs(epsg) if epsg else None, kind)
    points.CreateField(ogr.FieldDefn("v", ogr.OFTReal))
    points.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    points.StartTransaction()
    for i, (x, y) in enumerate(numpy.asarray(xy).tolist()):
        feature = ogr.Feature(points.GetLayerDefn())
        if values is not None and values[i] is not None:
            feature["v"] = float(values[i])
        feature["name"] = "odd" if i % 2 else "even"
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({x!r} {y!r})" if kind == ogr.wkbPoint else f"LINESTRING ({x!r} {y!r}, {x + 1!r} {y!r})"))
        points.CreateFeature(feature)
    points.CommitTransaction()
    del made


def scattered(count, seed):
    return numpy.round(numpy.random.default_rng(seed).normal((X, Y), (900, 500), (count, 2)), 2)


class aggregate_grid(more.MoreClaims):
    tool = "aggregate_grid"
    output = "out.gpkg"

    def written(self, name=None):
        """Each cell: its polygon and its fields."""
        source = ogr.Open(self.path(name or self.output))
        return [(f.GetGeometryRef().Clone(), f.items()) for f in source.GetLayer(0)]

    @staticmethod
    def reason(statistics):
        return {"aggregation": {"intent": "values of wells by cell", "alternatives": [{"method": "count", "why_not": "says nothing of the value"}],
                                "choice": {"method": "+".join(sorted(set(statistics) - {"count", "min", "max"})), "rationale": "a typical value and a total are compared",
                                           "tradeoffs": "cells of few points vary by chance"}, "facts": {"kind": "continuous"}, "confidence": "medium"}}

    def summarised(self, name, statistics, **arguments):
        """As told(), with a reason for the statistic."""
        with self.session() as s:
            more_ = {"justification": self.reason(statistics)} if set(statistics) - {"count", "min", "max"} else {}
            return good(s.call(self.tool, {"uri": name, "output": self.output, "overwrite": True, "statistic": statistics, **more_, **arguments}))

    def test_squares_are_counted_by_eye(self):
        layer(self.path("p.gpkg"), [(X + 1, Y + 1), (X + 99, Y + 1), (X + 101, Y + 1), (X + 1, Y + 250), (X + 100, Y + 100)])
        told = self.told("p.gpkg", size=100, shape="square")
        self.assertEqual({(c["row"] - Y // 100, c["column"] - X // 100): c["count"] for _, c in self.written()}, {(0, 0): 2, (0, 1): 1, (2, 0): 1, (1, 1): 1})
        self.assertEqual([told[k] for k in ("cell_count", "occupied_count", "point_count", "outside_count", "left_out_count", "count_max", "cell_area_m2")], [4, 4, 5, 0, 0, 2, 10000])
        self.assertEqual(told["crs"]["code"], "EPSG:31985")
        for shape, c in self.written():
            self.assertEqual(shape.GetEnvelope(), (c["column"] * 100, c["column"] * 100 + 100, c["row"] * 100, c["row"] * 100 + 100))
            self.assertEqual(c["per_km2"], c["count"] * 100)

    def test_a_hexagon_is_as_wide_as_asked_and_regular(self):
        layer(self.path("p.gpkg"), [(X, Y)])
        told = self.told("p.gpkg", size=100)
        [(shape, c)] = self.written()
        west, east, south, north = shape.GetEnvelope()
        self.assertAlmostEqual(east - west, 100, delta=1e-6)
        self.assertAlmostEqual(north - south, 200 / math.sqrt(3), delta=1e-6)
        ring = shape.GetGeometryRef(0).GetPoints()
        sides = [math.dist(p[:2], q[:2]) for p, q in zip(ring, ring[1:])]
        self.assertEqual(len(sides), 6)
        self.assertLess(max(sides) - min(sides), 1e-6)
        self.assertAlmostEqual(told["cell_area_m2"], 100 * 100 * math.sqrt(3) / 2, delta=1e-4)
        self.assertAlmostEqual(shape.Area(), told["cell_area_m2"], delta=1e-3)

    def test_every_point_lies_in_its_cell(self):
        for seed, (shape, size) in enumerate((("square", 130), ("hexagon", 130), ("hexagon", 37.5), ("hexagon", 900))):
            with self.subTest(shape=shape, size=size):
                xy = scattered(700, seed)
                layer(self.path(f"{seed}.gpkg"), xy)
                told = self.told(f"{seed}.gpkg", size=size, shape=shape)
                cells = self.written()
                points = [ogr.CreateGeometryFromWkt(f"POINT ({x!r} {y!r})") for x, y in xy.tolist()]
                for outline, c in cells:
                    west, east, south, north = outline.GetEnvelope()
                    near = [p for p in points if west <= p.GetX() <= east and south <= p.GetY() <= north]
                    self.assertEqual(c["count"], sum(outline.Contains(p) for p in near))
                self.assertEqual((told["point_count"], sum(c["count"] for _, c in cells)), (700, 700))

    def test_cells_fill_the_area_without_gaps(self):
        layer(self.path("p.gpkg"), scattered(50, 6))
        triangle = {"type": "Polygon", "coordinates": [[[X - 800, Y - 700], [X + 900, Y - 500], [X, Y + 800], [X - 800, Y - 700]]]}
        area = ogr.CreateGeometryFromJson(str(triangle).replace("'", '"'))
        for shape in ("square", "hexagon"):
            with self.subTest(shape=shape):
                told = self.told("p.gpkg", size=150, shape=shape, geometry=triangle, geometry_crs="EPSG:31985", empty_cells=True)
                cells = self.written()
                self.assertAlmostEqual(sum(outline.Intersection(area).Area() for outline, _ in cells), area.Area(), delta=1e-3)
                self.assertTrue(all(outline.Intersects(area) for outline, _ in cells))
                inside = [p for p in scattered(50, 6).tolist() if area.Intersects(ogr.CreateGeometryFromWkt(f"POINT ({p[0]!r} {p[1]!r})"))]
                self.assertEqual((told["point_count"], told["outside_count"]), (len(inside), 50 - len(inside)))
                self.assertEqual(told["cell_count"], len(cells))
                self.assertEqual(told["occupied_count"], sum(c["count"] > 0 for _, c in cells))

    def test_a_cell_cut_by_the_geometry_has_the_density_of_the_part_inside(self):
        # Of the second square the western quarter lies inside, with 2 of its 3 points.
        layer(self.path("p.gpkg"), [(X + 10, Y + 10), (X + 110, Y + 10), (X + 120, Y + 90), (X + 170, Y + 10)])
        with self.session() as s:
            answer = s.call(self.tool, {"uri": "p.gpkg", "size": 100, "shape": "square", "geometry": [X, Y, X + 125, Y + 100],
                                        "geometry_crs": "EPSG:31985", "output": self.output})
        self.assertEqual(good(answer)["outside_count"], 1)
        cells = sorted(self.written(), key=lambda c: c[1]["column"])
        self.assertEqual([c["count"] for _, c in cells], [1, 2])
        for (_, c), (share, density) in zip(cells, ((1, 100), (0.25, 800))):
            self.assertAlmostEqual(c["inside_share"], share, delta=1e-12)
            self.assertAlmostEqual(c["per_km2"], density, delta=1e-9)
        self.assertIn("1 cells reach beyond 'geometry'", str(answer))
        self.told("p.gpkg", size=100)
        self.assertNotIn("inside_share", self.written()[0][1])

    def test_values_are_those_of_numpy(self):
        xy = scattered(400, 3)
        random = numpy.random.default_rng(3)
        values = [None if random.random() < 0.1 else round(v, 3) for v in random.normal(5, 20, 400).tolist()]
        layer(self.path("p.gpkg"), xy, values)
        told = self.summarised("p.gpkg", ["count", "sum", "mean", "min", "max", "median"], size=300, shape="square", value="v")
        groups = {}
        for (x, y), v in zip(xy, values):
            groups.setdefault((math.floor(y / 300), math.floor(x / 300)), []).append(v)
        cells = {(c["row"], c["column"]): c for _, c in self.written()}
        self.assertEqual(set(cells), set(groups))
        for at, group in groups.items():
            c, known = cells[at], [v for v in group if v is not None]
            self.assertEqual((c["count"], c["values"]), (len(group), len(known)))
            if not known:
                self.assertEqual([c[k] for k in ("sum", "mean", "min", "max", "median")], [None] * 5)
                continue
            for name, expected in (("sum", sum(known)), ("mean", numpy.mean(known)), ("min", min(known)), ("max", max(known)), ("median", numpy.median(known))):
                self.assertAlmostEqual(c[name], expected, delta=1e-9 * max(1, abs(expected)))
        known = [v for v in values if v is not None]
        self.assertEqual(told["null_count"], 400 - len(known))
        self.assertAlmostEqual(told["value_total"], sum(known), delta=1e-9 * abs(sum(known)))
        self.assertAlmostEqual(sum(c["sum"] for c in cells.values() if c["sum"] is not None), told["value_total"], delta=1e-8)

    def test_counts_need_no_reason_and_means_do(self):
        layer(self.path("p.gpkg"), scattered(9, 1), range(9))
        with self.session() as s:
            for statistics, asked in ((["count"], False), (["count", "min", "max"], False), (["mean"], True), (["sum", "count"], True)):
                with self.subTest(statistics=statistics):
                    value = {"value": "v"} if statistics != ["count"] else {}
                    result = s.call(self.tool, {"uri": "p.gpkg", "size": 300, "statistic": statistics, **value})
                    if asked:
                        missing = problem(result)["missing"]
                        self.assertEqual([m["domain"] for m in missing], ["aggregation"])
                        self.assertIn("total" if "sum" in statistics else "mean", json.dumps(missing))
                    else:
                        good(result)

    def test_degrees_are_laid_in_an_equal_area_plane(self):
        lonlat = numpy.random.default_rng(5).normal((25, 65), (0.3, 0.1), (60, 2))
        layer(self.path("degrees.gpkg"), lonlat, epsg=4326)
        told = self.told("degrees.gpkg", size=5000)
        self.assertIn("Lambert azimuthal", told["crs"]["name"])
        self.assertEqual(told["point_count"], 60)
        source = ogr.Open(self.path("out.gpkg"))
        back = rasters.osr.CoordinateTransformation(source.GetLayer(0).GetSpatialRef(), rasters.crs(4326))
        for outline, _ in self.written():
            outline.Transform(back)
            area, _ = Geod(ellps="WGS84").polygon_area_perimeter(*zip(*[p[:2] for p in outline.GetGeometryRef(0).GetPoints()]))
            self.assertAlmostEqual(abs(area) / told["cell_area_m2"], 1, delta=1e-5)

    def test_points_on_both_sides_of_180_degrees_lie_in_one_plane(self):
        """Three points within 22 km of each other: as -179.95 and as 180.05 the cells are the same."""
        made = []
        for longitudes in ((179.9, -179.9, -179.95), (179.9, 180.1, 180.05)):
            layer(self.path(f"{longitudes[1]}.gpkg"), [(x, -17) for x in longitudes], epsg=4326)
            told = self.told(f"{longitudes[1]}.gpkg", size=20000, shape="square")
            self.assertEqual(told["crs"]["name"], "Lambert azimuthal equal-area around 180 -17")
            made.append(sorted((c["row"], c["column"], c["count"]) for _, c in self.written()))
        self.assertEqual(made[0], made[1])
        self.assertEqual(sum(count for _, _, count in made[0]), 3)
        told = self.told("-179.9.gpkg", size=20000, shape="square", geometry=[179.5, -18, -179.5, -16])
        self.assertEqual((told["crs"]["name"], told["point_count"]), ("Lambert azimuthal equal-area around 180 -17", 3))

    def test_points_all_over_the_world_are_refused_with_what_helps(self):
        layer(self.path("world.gpkg"), [(-170, 0), (0, 0), (170, 0)], epsg=4326)
        self.refused((({"uri": "world.gpkg", "size": 20000}, "where no plane has true distances"),))
        with self.session() as s:
            several = ["mean", "sum", "median"]
            p = problem(s.call(self.tool, {"uri": "world.gpkg", "size": 20000, "statistic": several, "value": "v", "output": "no.gpkg",
                                           "justification": self.reason(several)}))
        self.assertIn("the reason sent with this call is stored (aggregation): leave", p["hint"])

    def test_the_mean_of_a_field_that_is_called_a_code_is_warned_of(self):
        at = {"type": "Point", "coordinates": [10, 50]}
        points = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"class": 3, "height": 4}, "geometry": at}]}
        for field, warned in (("class", True), ("height", False)):
            with self.session() as s:
                told = good(run(s, self.tool, {"uri": points, "size": 1000, "value": field, "statistic": "mean", "output": "out.gpkg",
                                               "overwrite": True}))
            self.assertEqual("called a code" in str(told["warnings"]), warned, field)

    def test_other_formats_conditions_and_multipoints(self):
        layer(self.path("p.gpkg"), scattered(40, 8))
        self.assertEqual(self.told("p.gpkg", size=200, where="name = 'odd'")["point_count"], 20)
        with self.session() as s:
            told = good(s.call(self.tool, {"uri": "p.gpkg", "size": 200, "output": "out.geojson"}))
        self.assertIn("4326", told["output"]["crs"])
        self.assertEqual(sum(c["count"] for _, c in self.written("out.geojson")), 40)
        several = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {}, "geometry": {"type": "MultiPoint", "coordinates": [[10, 50], [10.001, 50], [10.5, 50]]}},
            {"type": "Feature", "properties": {}, "geometry": None}]}
        told = self.told(several, size=1000)
        self.assertEqual((told["point_count"], told["left_out_count"]), (3, 1))
        self.assertTrue(any("1 features without a point" in w for w in told["warnings"]))
        for f in several["features"]:
            f["properties"] = {"people": 600}
        self.refused((({"uri": several, "size": 1000, "statistic": "sum", "value": "people"},
                       "has 3 points and one 'people', which would count at each of them"),))

    def test_mistakes_are_named(self):
        xy = scattered(30, 4)
        layer(self.path("a.gpkg"), xy, range(30))
        layer(self.path("bare.gpkg"), xy, epsg=None)
        layer(self.path("lines.gpkg"), xy, kind=ogr.wkbLineString)
        layer(self.path("world.gpkg"), [(-170, -60), (170, 70), (0, 0)], epsg=4326)
        a = {"uri": "a.gpkg", "size": 100}
        self.refused((({**a, "statistic": "max"}, "without 'value'"), ({**a, "value": "v"}, "summarises nothing"), ({**a, "value": "name", "statistic": "max"}, "holds String"),
                      ({**a, "value": "w", "statistic": ["max"]}, "'w'"), ({**a, "size": 0}, "size"), ({"uri": "bare.gpkg", "size": 9}, "no CRS"),
                      ({"uri": "lines.gpkg", "size": 9}, "is a LINESTRING"), ({"uri": "world.gpkg", "size": 9}, "no plane has true distances"),
                      ({**a, "size": 0.5, "empty_cells": True}, "more than 1e6"), ({**a, "where": "name = 'none'"}, "'where' leaves out"),
                      ({**a, "geometry": [299000, 9119000, 301000, 9121000]}, "no point lies in 'geometry'"),
                      ({**a, "output": "cells.tif"}, ".tif")))


if __name__ == "__main__":
    session.main()
