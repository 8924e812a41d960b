"""vector_derive against SpatiaLite's SQL through ogr2ogr, pyproj's geodesics and closed forms; and what it refuses."""
import json
import math
import os
import shutil
import subprocess

from osgeo import gdal, ogr, osr
from pyproj import Geod

import session
from session import Claims, Session, good, problem
from vector_measure import BOW_TIE, box, collection, polygon, rows_of
from vector_validate import shapes_of

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")
WGS84 = Geod(ellps="WGS84")
UTM = "EPSG:32633"
COUNTIES = os.path.join(DATA, "world", "nc_counties_nad27.gpkg")
ROADS = os.path.join(DATA, "swellendam", "training_data.gpkg")


def point(x, y, *z):
    return {"type": "Point", "coordinates": [x, y, *z]}


def line(*points):
    return {"type": "LineString", "coordinates": [list(p) for p in points]}


def multi(kind, *parts):
    return {"type": "Multi" + kind, "coordinates": [p["coordinates"] for p in parts]}


def edges_of(shape):
    if shape.GetGeometryCount():
        return [e for i in range(shape.GetGeometryCount()) for e in edges_of(shape.GetGeometryRef(i))]
    points = shape.GetPoints()
    return [(a[:2], b[:2]) for a, b in zip(points, points[1:])]


def geodesic(a, b, earth=WGS84):
    return earth.inv(a[0], a[1], b[0], b[1])[2]


class vector_derive(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session("--toolsets", "vector-more", workspace=self.workspace)
        self.addCleanup(self.session.close)

    def test_curves_that_become_straight_are_named(self):
        """A disc, stored as two arcs of five vertices: kept by what moves features as they are, drawn straight by what works on vertices."""
        utm = osr.SpatialReference()
        utm.ImportFromEPSG(32633)
        for name, x in (("disc", 500000), ("beside", 500100)):
            made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(name + ".gpkg"))
            table = made.CreateLayer(name, utm, ogr.wkbCurvePolygon)
            f = ogr.Feature(table.GetLayerDefn())
            f.SetGeometry(ogr.CreateGeometryFromWkt(f"CURVEPOLYGON (CIRCULARSTRING ({x} 0,{x + 100} 100,{x + 200} 0,{x + 100} -100,{x} 0))"))
            table.CreateFeature(f)
            del table, made
        every = Session("--toolsets", "all", workspace=self.workspace)
        self.addCleanup(every.close)
        straight = "1 feature had curves, which became straight segments"
        for tool, arguments in (("vector_simplify", {"tolerance": 0.1}), ("vector_derive", {"operation": "round", "decimals": 0}),
                                ("vector_derive", {"operation": "densify", "distance": 5}), ("vector_dissolve", {})):
            told = good(session.run(every, tool, {"uri": "disc.gpkg", "output": "o.gpkg", "overwrite": True, **arguments}))
            self.assertIn(straight, told["warnings"], (tool, arguments))
        told = good(session.run(every, "vector_overlay", {"a": "disc.gpkg", "b": "beside.gpkg", "operation": "intersection", "output": "o.gpkg", "overwrite": True}))
        self.assertIn(straight.replace("1 feature", "2 features"), told["warnings"])
        told = self.derive("explode", uri="disc.gpkg")
        self.assertNotIn("curves", " ".join(told["warnings"]))

    def derive(self, operation, **arguments):
        return good(self.session.call("vector_derive", {"operation": operation, "output": "out.gpkg", "overwrite": True, **arguments}))

    def refusal(self, operation, **arguments):
        before = self.files()
        p = problem(self.session.call("vector_derive", {"operation": operation, "output": "refused.gpkg", **arguments}))
        self.assertEqual(self.files(), before)
        self.assertTrue(p["hint"])
        return p

    def shapes(self):
        return shapes_of(self.path("out.gpkg"))

    def rows(self):
        return rows_of(self.path("out.gpkg"))

    def take(self, source, name):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        shutil.copy(source, self.path(name))

    def sql(self, source, statement):
        """Geometries in the order of the rows, by SpatiaLite through ogr2ogr."""
        target = self.path("sql.gpkg")
        subprocess.run(["ogr2ogr", "-overwrite", "-dialect", "sqlite", "-sql", statement, target, source], check=True,
                       stderr=subprocess.DEVNULL)
        return list(shapes_of(target).values())

    # One feature gives one

    def test_a_centroid_lies_in_the_middle_on_the_ground_and_a_point_on_the_surface_inside(self):
        """Between 60 and 80 degrees the south is the wider half."""
        horseshoe = polygon([[0, 0], [9, 0], [9, 9], [8, 9], [8, 1], [1, 1], [1, 9], [0, 9], [0, 0]])
        told = self.derive("centroid", uri=collection(box(0, 60, 2, 80), horseshoe))
        middle = self.shapes()[1]
        self.assertAlmostEqual(middle.GetX(), 1, delta=0.01)
        self.assertTrue(68 < middle.GetY() < 69.5)
        self.assertEqual((told["features_read"], told["feature_count"], told["without_geometry"]), (2, 2, 0))
        self.assertEqual({i: r["class"] for i, r in self.rows().items()}, {1: "a", 2: "b"})
        u = ogr.CreateGeometryFromJson(json.dumps(horseshoe))
        self.assertFalse(u.Contains(self.shapes()[2]))
        self.derive("point_on_surface", uri=collection(horseshoe))
        self.assertTrue(u.Contains(self.shapes()[1]))

    def test_hulls_of_real_counties_are_spatialites(self):
        self.take(COUNTIES, "nc.gpkg")
        file = ogr.Open(COUNTIES)
        layer = file.GetLayer(0).GetName()
        for operation, expected in (("convex_hull", f'SELECT ST_ConvexHull(geom) AS geom FROM "{layer}"'),
                                    ("point_on_surface", None), ("centroid", None)):
            told = self.derive(operation, uri="nc.gpkg")
            self.assertEqual(told["feature_count"], 100)
            ours = self.shapes()
            if expected:
                for a, b in zip(ours.values(), self.sql(COUNTIES, expected)):
                    self.assertAlmostEqual(a.SymDifference(b).GetArea(), 0, delta=1e-9)
                continue
            for i, county in shapes_of(COUNTIES).items():
                if operation == "centroid":
                    self.assertAlmostEqual(ours[i].Distance(county.Centroid()), 0, delta=2e-3)
                else:
                    self.assertTrue(county.Buffer(0).Contains(ours[i]))

    def test_a_rectangle_in_degrees_is_one_on_the_ground(self):
        """A square of a kilometre, turned by 30 degrees, at 65 degrees north; as meridians converge, to within a metre."""
        corners, lon, lat, azimuth = [], 20.0, 65.0, 30.0
        for _ in range(4):
            corners.append([lon, lat])
            lon, lat, back = WGS84.fwd(lon, lat, azimuth, 1000)
            azimuth += 90
        told = self.derive("bounding", uri=collection({"type": "MultiPoint", "coordinates": corners}))
        row = self.rows()[1]
        self.assertAlmostEqual(row["length_m"], 1000, delta=1)
        self.assertAlmostEqual(row["width_m"], 1000, delta=1)
        self.assertAlmostEqual(told["area_m2"], 1e6, delta=2000)
        self.assertIn("azimuthal equidistant", told["method"])
        told = self.derive("bounding", uri=collection({"type": "MultiPoint", "coordinates": corners}), shape="circle")
        self.assertAlmostEqual(self.rows()[1]["radius_m"], 1000 / math.sqrt(2), delta=1)
        self.assertAlmostEqual(told["area_m2"] / (math.pi * 500000), 1, delta=3e-3)
        self.derive("bounding", uri=collection({"type": "MultiPoint", "coordinates": corners}), shape="box")
        lons, lats = zip(*corners)
        self.assertEqual(self.shapes()[1].GetEnvelope(), (min(lons), max(lons), min(lats), max(lats)))

    def test_round_keeps_polygons_valid_and_flatten_drops_heights(self):
        told = self.derive("round", uri=collection(box(0.04, 0.04, 1.26, 1.26), box(5, 5, 5.01, 5.01), crs=UTM), decimals=1)
        self.assertEqual(self.shapes()[1].GetEnvelope(), (0.0, 1.3, 0.0, 1.3))
        self.assertEqual((told["feature_count"], told["none_count"]), (1, 1))
        self.assertIn("smaller than the grid", " ".join(told["warnings"]))
        self.derive("flatten", uri=collection(point(1, 2, 3)))
        self.assertEqual(self.shapes()[1].ExportToIsoWkt(), "POINT (1 2)")

    # Distances on the ground

    def test_no_edge_is_longer_than_asked_on_the_ground(self):
        for crs, shape in (("EPSG:4326", box(10, 60, 12, 61)), ("EPSG:3857", box(0, 8000000, 200000, 8200000)),
                           ("EPSG:2263", line((900000, 200000), (1000000, 250000)))):
            told = self.derive("densify", uri=collection(shape, crs=crs), distance=5, unit="km")
            to_degrees = osr.CoordinateTransformation(*(self.crs(c) for c in (crs, "EPSG:4326")))
            lengths = []
            for a, b in edges_of(self.shapes()[1]):
                a, b = (to_degrees.TransformPoint(*p) for p in (a, b))
                lengths.append(geodesic(a, b))
            self.assertLessEqual(max(lengths), 5000.1)
            self.assertGreater(sorted(lengths)[len(lengths) // 2], 4500)
            self.assertEqual(told["vertices_before"], 5 if shape["type"] == "Polygon" else 2)
            self.assertEqual(told["vertices_after"], len(lengths) + 1)
            if "area_m2" in told:
                self.assertAlmostEqual(told["area_m2"] / told["area_before_m2"], 1, delta=1e-6)

    def crs(self, code):
        srs = osr.SpatialReference()
        srs.SetFromUserInput(code)
        srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        return srs

    def test_units_of_the_crs_are_ogrs_own(self):
        self.derive("densify", uri=collection(line((0, 0), (10, 0)), crs=UTM), distance=3, unit="crs")
        self.assertEqual([p[0] for p in self.shapes()[1].GetPoints()], [0, 2.5, 5, 7.5, 10])
        told = self.derive("points_along", uri=collection(line((0, 0), (10, 0)), crs=UTM), distance=4, unit="crs")
        self.assertEqual([(g.GetX(), r["distance"]) for g, r in zip(self.shapes().values(), self.rows().values())], [(0, 0), (4, 4), (8, 8)])
        self.assertEqual(told["feature_count"], 3)

    def test_kilometre_posts_stand_a_kilometre_apart_along_a_crooked_line(self):
        crooked = line((10, 60), (10.3, 60.1), (10.1, 60.4), (11, 60.5))
        told = self.derive("points_along", uri=collection(crooked), distance=1, unit="km")
        total = sum(self.arc(a, b) for a, b in zip(crooked["coordinates"], crooked["coordinates"][1:]))
        self.assertEqual(told["feature_count"], math.floor(total / 1000) + 1)
        posts, along = list(self.shapes().values()), [r["distance_m"] for r in self.rows().values()]
        self.assertEqual(along, [1000.0 * i for i in range(len(posts))])
        for i, g in enumerate(posts):
            self.assertAlmostEqual(self.along(crooked["coordinates"], (g.GetX(), g.GetY())), along[i], delta=0.01, msg=i)

    @staticmethod
    def arc(a, b, pieces=2000):
        """Along the straight edge of the map, by many geodesics."""
        lons = [a[0] + (b[0] - a[0]) * k / pieces for k in range(pieces + 1)]
        lats = [a[1] + (b[1] - a[1]) * k / pieces for k in range(pieces + 1)]
        return WGS84.line_length(lons, lats)

    def along(self, corners, at):
        done = 0
        for a, b in zip(corners, corners[1:]):
            t = ((at[0] - a[0]) * (b[0] - a[0]) + (at[1] - a[1]) * (b[1] - a[1])) / math.hypot(b[0] - a[0], b[1] - a[1]) ** 2
            foot = (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]))
            if -1e-9 <= t <= 1 + 1e-9 and math.hypot(foot[0] - at[0], foot[1] - at[1]) < 1e-9:
                return done + self.arc(a, foot)
            done += self.arc(a, b)
        raise AssertionError(f"{at} is not on the line")

    # One feature gives many

    def test_parts_vertices_and_ends_carry_attributes_and_numbers(self):
        two = multi("LineString", line((0, 0), (1, 1), (2, 0)), line((5, 5), (6, 6)))
        told = self.derive("explode", uri=collection(two, line((9, 9), (8, 8))))
        self.assertEqual([(r["class"], r["part"]) for r in self.rows().values()], [("a", 1), ("a", 2), ("b", 1)])
        self.assertEqual({g.GetGeometryName() for g in self.shapes().values()}, {"LINESTRING"})
        self.assertEqual((told["features_read"], told["feature_count"]), (2, 3))
        self.derive("endpoints", uri=collection(two))
        self.assertEqual([(g.GetX(), r["part"], r["vertex"]) for g, r in zip(self.shapes().values(), self.rows().values())],
                         [(0, 1, 1), (2, 1, 3), (5, 2, 1), (6, 2, 2)])
        self.assertEqual(self.derive("vertices", uri=collection(box(0, 0, 1, 1)))["feature_count"], 4)

    def test_vertices_of_real_roads_are_all_of_them(self):
        self.take(ROADS, "roads.gpkg")
        told = self.derive("vertices", uri="roads.gpkg", layer="roads")
        file = ogr.Open(ROADS)
        points = [p for f in file.GetLayerByName("roads") for e in [f.GetGeometryRef()] for p in self.points_of(e)]
        self.assertEqual(told["feature_count"], len(points))
        self.assertEqual(sorted((g.GetX(), g.GetY()) for g in self.shapes().values()), sorted(points))

    def points_of(self, g):
        if g.GetGeometryCount():
            return [p for i in range(g.GetGeometryCount()) for p in self.points_of(g.GetGeometryRef(i))]
        return [p[:2] for p in g.GetPoints()]

    # Groups

    def test_groups_have_one_hull_each_and_the_count_of_their_features(self):
        points = [point(i % 3 * 10 + i // 3 % 2, i // 6) for i in range(12)]  # three squares, classes a, b, c
        told = self.derive("convex_hull", uri=collection(*points, crs=UTM), by=["class"])
        self.assertEqual([(r["class"], r["features"]) for r in self.rows().values()], [("a", 4), ("b", 4), ("c", 4)])
        self.assertEqual([g.GetArea() for g in self.shapes().values()], [1, 1, 1])
        self.assertEqual(told["groups"], 3)
        told = self.derive("convex_hull", uri=collection(*points, crs=UTM), by=[])
        self.assertEqual((told["groups"], self.shapes()[1].GetArea()), (1, 21))
        told = self.derive("convex_hull", uri=collection(*points, crs=UTM))
        self.assertEqual((told["feature_count"], told["none_count"]), (0, 12))
        self.assertIn("by: []", " ".join(told["warnings"]))

    def test_collect_is_the_reverse_of_explode(self):
        two = multi("Polygon", box(0, 0, 1, 1), box(3, 3, 4, 4))
        self.derive("explode", uri=collection(two), output="parts.gpkg")
        told = self.derive("collect", uri="parts.gpkg", by="class")
        self.assertEqual(json.loads(self.shapes()[1].ExportToJson()), two)
        self.assertAlmostEqual(told["area_m2"] / told["area_before_m2"], 1, delta=1e-12)

    def test_each_point_has_the_nearest_cell_with_its_attributes(self):
        """Against SpatiaLite's diagram, and by the distance on the ground at places drawn anew."""
        points = [point(20 + (i * 37 % 101) / 500, 60 + (i * 53 % 97) / 1000) for i in range(60)]
        told = self.derive("voronoi", uri=collection(*points, points[0]))
        self.assertEqual((told["feature_count"], told["duplicates"]), (60, 1))
        cells, rows = self.shapes(), self.rows()
        self.assertIn("share its cell", " ".join(told["warnings"]))
        for x, y in ((20 + (i * 29 % 83) / 420, 60 + (i * 31 % 71) / 740) for i in range(200)):
            nearest = min(range(60), key=lambda i: geodesic(points[i]["coordinates"], (x, y)))
            here = [i for i, g in cells.items() if g.Contains(ogr.CreateGeometryFromWkt(f"POINT ({x} {y})"))]
            self.assertEqual(len(here), 1)
            self.assertTrue(cells[here[0]].Contains(ogr.CreateGeometryFromJson(json.dumps(points[nearest]))), (x, y))
            self.assertEqual(rows[here[0]]["class"], "abc"[nearest % 3])
        flat = [point(500000 + p["coordinates"][0] * 1000, p["coordinates"][1] * 1000) for p in points]
        self.derive("voronoi", uri=collection(*flat, crs=UTM))
        with open(self.path("flat.geojson"), "w") as f:
            json.dump(collection(*flat, crs=UTM), f)
        theirs = self.sql(self.path("flat.geojson"), "SELECT VoronojDiagram(ST_Collect(geometry)) AS geometry FROM flat")[0]
        inside = ogr.CreateGeometryFromWkt("POLYGON ((520020 60000, 520180 60000, 520180 60090, 520020 60090, 520020 60000))")
        inner = sorted(round(g.GetArea(), 6) for g in self.shapes().values() if inside.Contains(g))
        found = {round(theirs.GetGeometryRef(i).GetArea(), 6) for i in range(theirs.GetGeometryCount())}
        self.assertGreater(len(inner), 5)
        self.assertLessEqual(set(inner), found)

    def test_cells_of_cities_all_over_the_world_end_with_the_map_which_is_said_to_be_flat(self):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        for end in ("shp", "shx", "dbf", "prj", "cpg"):
            shutil.copy(os.path.join(DATA, "world", "naturalearth_cities." + end), self.workspace)
        told = self.derive("voronoi", uri="naturalearth_cities.shp")
        self.assertEqual(told["feature_count"] + told["duplicates"], 243)
        self.assertAlmostEqual(told["area_m2"] / 5.10065621724e14, 1, delta=1e-6)
        self.assertIn("farther than 1000 km", " ".join(told["warnings"]))
        self.assertNotIn("distance_error", told)
        self.assertIn("in the plane of EPSG:4326", told["method"])
        self.assertTrue(all(cell.IsValid() for cell in self.shapes().values()))

    def test_triangles_cover_the_hull_and_are_spatialites(self):
        points = [point(500000 + i * 37 % 101, i * 53 % 97) for i in range(60)]
        told = self.derive("delaunay", uri=collection(*points, crs=UTM))
        with open(self.path("flat.geojson"), "w") as f:
            json.dump(collection(*points, crs=UTM), f)
        theirs = self.sql(self.path("flat.geojson"), "SELECT DelaunayTriangulation(ST_Collect(geometry)) AS geometry FROM flat")[0]
        self.assertEqual(told["feature_count"], theirs.GetGeometryCount())
        self.assertAlmostEqual(sum(g.GetArea() for g in self.shapes().values()), theirs.ConvexHull().GetArea(), delta=1e-6)

    # Random points

    def test_a_seed_repeats_its_points_in_every_polygon(self):
        self.take(COUNTIES, "nc.gpkg")
        told = self.derive("random_points", uri="nc.gpkg", n=7, seed=42)
        self.assertEqual(told["feature_count"], 700)
        first = [(g.GetX(), g.GetY()) for g in self.shapes().values()]
        counties = shapes_of(COUNTIES)
        names = {i: r["NAME"] for i, r in rows_of(COUNTIES).items()}
        by_name = {names[i]: g for i, g in counties.items()}
        for g, r in zip(self.shapes().values(), self.rows().values()):
            self.assertTrue(by_name[r["NAME"]].Contains(g))
        self.derive("random_points", uri="nc.gpkg", n=7, seed=42)
        self.assertEqual([(g.GetX(), g.GetY()) for g in self.shapes().values()], first)
        # Of one county alone, its points are the same.
        self.derive("random_points", uri="nc.gpkg", n=7, seed=42, where="NAME = 'Ashe'")
        self.assertLessEqual({(g.GetX(), g.GetY()) for g in self.shapes().values()}, set(first))

    def test_over_all_polygons_points_are_uniform_by_true_area(self):
        """Two boxes of 10 by 10 degrees at the equator and at 60 degrees: 2 to 1 on the ground, 0.4996 with the flattening."""
        told = self.derive("random_points", uri=collection(box(0, 0, 10, 10), box(0, 60, 10, 70)), n=6000, by=[])
        north = sum(g.GetY() > 30 for g in self.shapes().values())
        areas = [abs(WGS84.polygon_area_perimeter(*zip(*[(x, y0 + (y1 - y0) * k / 200) for x, y0, y1 in ((0, 10, 0), (10, 0, 10)) for k in range(201)]))[0]),
                 abs(WGS84.polygon_area_perimeter(*zip(*[(x, y0 + (y1 - y0) * k / 200) for x, y0, y1 in ((0, 70, 60), (10, 60, 70)) for k in range(201)]))[0])]
        share = areas[1] / sum(areas)
        self.assertAlmostEqual(north / 6000, share, delta=4 * math.sqrt(share * (1 - share) / 6000))
        self.assertEqual(told["groups"], 1)

    # What is left out, and what is refused

    def test_empty_and_invalid_ones_are_counted(self):
        source = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {}, "geometry": None},
            {"type": "Feature", "properties": {}, "geometry": polygon(BOW_TIE)},
            {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": []}}]}
        told = self.derive("centroid", uri=source)
        self.assertEqual((told["features_read"], told["without_geometry"], told["invalid_count"], told["feature_count"]), (3, 2, 1, 1))
        self.assertIn("repaired", " ".join(told["warnings"]))
        told = self.derive("centroid", uri=collection(point(0, 0), point(1, 1)), where="class = 'b'")
        self.assertEqual((told["features_read"], told["feature_count"]), (1, 1))
        told = self.derive("centroid", uri=collection(point(0, 0)), where="class = 'x'")
        self.assertIn("no feature meets 'where'", " ".join(told["warnings"]))

    def test_refusals_name_the_argument(self):
        source = collection(box(0, 0, 1, 1))
        for operation, arguments, words in (
                ("densify", {}, "needs 'distance'"), ("random_points", {}, "needs 'n'"), ("round", {}, "needs 'decimals'"),
                ("centroid", {"distance": 5}, "no use for it"), ("explode", {"by": ["class"]}, "each feature alone"),
                ("voronoi", {}, "its group of 1 feature: it is no point"), ("endpoints", {}, "no line"), ("convex_hull", {"by": ["klass"]}, "klass"),
                ("points_along", {"distance": 1e-5}, "more points"), ("centroid", {"where": "size >"}, "where")):
            with self.subTest(operation=operation):
                self.assertIn(words, self.refusal(operation, uri=source, **arguments)["message"])

    def test_what_leaves_no_feature_at_all_is_refused(self):
        p = self.refusal("voronoi", uri=collection(box(0, 0, 1, 1)), skip_failed=True)
        self.assertIn("its group of 1 feature: it is no point: derive centroid or vertices first", p["message"])

    def test_a_layer_without_a_crs_has_its_own_units_only(self):
        with open(self.path("nowhere.csv"), "w") as f:
            f.write('WKT,name\n"LINESTRING (0 0, 10 0)",a\n')
        self.assertIn("no CRS", self.refusal("densify", uri="nowhere.csv", distance=3)["message"])
        self.assertEqual(self.derive("densify", uri="nowhere.csv", distance=3, unit="crs")["vertices_after"], 5)
        told = self.derive("bounding", uri="nowhere.csv", shape="circle")
        self.assertIsNone(self.rows()[1]["radius_m"])
        self.assertNotIn("area_m2", told)

    def test_both_sides_of_the_antimeridian_are_warned_of(self):
        told = self.derive("convex_hull", uri=collection(box(178, -18, 179, -17), box(-179, -18, -178, -17)), by=[])
        self.assertIn("antimeridian", " ".join(told["warnings"]))

    def test_the_set_is_off_by_default(self):
        with Session(workspace=self.workspace) as s:
            listed = {t["name"] for t in s.request("tools/list")["result"]["tools"]}
            self.assertFalse({"vector_derive", "vector_simplify", "vector_validate"} & listed)
            p = problem(s.call("vector_validate", {"uri": collection(point(0, 0))}))
            self.assertIn('"name": "vector-more"', p["hint"])
            good(s.call("toolsets", {"action": "enable", "name": "vector-more"}))
            good(s.call("vector_validate", {"uri": collection(point(0, 0))}))


if __name__ == "__main__":
    session.main()
