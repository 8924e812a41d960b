"""vector_join against SpatiaLite's SQL, pyproj's geodesics and a dictionary; what it multiplies, misses and refuses."""
import json
import os
import random
import unittest

import numpy
from osgeo import gdal, ogr, osr
from pyproj import Geod, Transformer
from pyproj.aoi import AreaOfInterest
from pyproj.transformer import TransformerGroup
from scipy.spatial import cKDTree

import session
from session import Claims, Session, good, problem
from vector_measure import box, collection, polygon

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")
WGS84 = Geod(ellps="WGS84")
BOW_TIE = [[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]


def point(x, y):
    return {"type": "Point", "coordinates": [x, y]}


def rows_of(path):
    """All features, by FID."""
    file = ogr.Open(path)
    return {f.GetFID(): f.items() for f in file.GetLayer(0)}


def table(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class vector_join(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def join(self, **arguments):
        return good(self.session.call("vector_join", arguments))

    def refused(self, **arguments):
        p = problem(self.session.call("vector_join", {**arguments, "output": "no.gpkg"}))
        self.assertFalse(os.path.exists(self.path("no.gpkg")))
        return p

    def grid(self, name, side, size, code=32633, west=400000, south=5000000, seed=1):
        """side x side jittered quadrilaterals that share their corners."""
        chance = random.Random(seed)
        corner = {(i, j): (west + (i + chance.uniform(-.3, .3)) * size, south + (j + chance.uniform(-.3, .3)) * size)
                  for i in range(side + 1) for j in range(side + 1)}
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(code)
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(name))
        layer = file.CreateLayer("cells", srs, ogr.wkbPolygon)
        layer.CreateField(ogr.FieldDefn("cell", ogr.OFTString))
        for i in range(side):
            for j in range(side):
                f = ogr.Feature(layer.GetLayerDefn())
                f["cell"] = f"{i}-{j}"
                ring = [corner[p] for p in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1), (i, j))]
                f.SetGeometry(ogr.CreateGeometryFromWkt("POLYGON ((" + ",".join(f"{x:.3f} {y:.3f}" for x, y in ring) + "))"))
                layer.CreateFeature(f)
        del layer, file

    def test_a_target_that_the_format_cannot_place_is_named(self):
        """GeoJSON holds WGS 84 only, and the second point of 5000 is nowhere in it."""
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(32633)
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("t.gpkg"))
        layer = file.CreateLayer("t", srs, ogr.wkbPoint)
        for i in range(5000):
            f = ogr.Feature(layer.GetLayerDefn())
            f.SetGeometry(ogr.CreateGeometryFromWkt("POINT (1e9 1e12)" if i == 1 else f"POINT ({500000 + i} 5000000)"))
            layer.CreateFeature(f)
        del layer, file
        self.grid("cells.gpkg", 2, 50000)
        arguments = {"target": "t.gpkg", "join": "cells.gpkg", "predicate": "within", "output": "o.geojson"}
        p = problem(self.session.call("vector_join", arguments))
        self.assertIn("feature 2 of layer 't'", p["message"])
        self.assertIn("no place in OGC:CRS84", p["message"])
        told = self.join(**arguments, skip_failed=True)
        self.assertEqual((told["failed_ids"], told["feature_count"]), ([2], 4999))

    def test_the_edge_of_the_world_stays_where_it_is_when_the_datum_changes(self):
        """From WGS 84 to NAD27 longitude 180 becomes -179.998…: the polygon must not turn inside out."""
        told = self.join(target=collection(point(0, 66), point(-90, 66), point(100, 66), crs="EPSG:4267"),
                         join=collection(box(20, 50, 180, 80), box(-140, 50, -60, 80)), predicate="within", output="o.gpkg")
        self.assertEqual([r["join_fid"] for r in rows_of(self.path("o.gpkg")).values()], [None, 2, 1])
        self.assertEqual(told["invalid_count"], 0)

    def test_a_cap_over_the_pole_is_compared_in_its_own_crs(self):
        cap = polygon([[-5e5, -5e5], [5e5, -5e5], [5e5, 5e5], [-5e5, 5e5], [-5e5, -5e5]])
        caps = collection(cap, crs="EPSG:3413")
        points = collection(point(0, 89.9), point(100, 88), point(10, 70))
        told = self.join(target=points, join=caps, predicate="within", output="w.gpkg")
        self.assertEqual([r["join_fid"] for r in rows_of(self.path("w.gpkg")).values()], [1, 1, None])
        self.assertIn("in EPSG:3413, targets transformed from", told["method"])
        self.join(target=points, join=caps, predicate="nearest", output="n.gpkg")
        self.assertEqual([r["distance_m"] == 0 for r in rows_of(self.path("n.gpkg")).values()], [True, True, False])
        self.join(target=caps, join=points, predicate="contains", output="o.gpkg")
        self.assertEqual([r["join_fid"] for r in rows_of(self.path("o.gpkg")).values()], [1, 2])

    def test_cities_of_a_projection_lie_in_countries_that_reach_beyond_it(self):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        place = Transformer.from_crs("OGC:CRS84", "EPSG:32632", always_xy=True)
        cities = collection(*(point(*place.transform(*p)) for p in ((9.19, 45.46), (11.58, 48.14), (10.75, 59.91))), crs="EPSG:32632")
        lands = os.path.join(DATA, "world", "naturalearth_lowres.shp")
        with Session(workspace=[self.workspace, os.path.dirname(lands) + ":ro"]) as there:
            told = good(there.call("vector_join", {"target": cities, "join": lands, "predicate": "within", "fields": ["name"], "output": "o.gpkg"}))
        self.assertEqual([r["name"] for r in rows_of(self.path("o.gpkg")).values()], ["Italy", "Germany", "Norway"])
        self.assertEqual(told["crs"]["code"], "EPSG:32632")

    def test_longitudes_past_180_are_refused_where_a_place_would_have_two(self):
        p = self.refused(target=collection(point(-179, 1)), join=collection(box(178, 0, 182, 2), crs="EPSG:4326"), predicate="within")
        self.assertIn("past longitude 180", p["message"])
        # Of one turn from 0 to 360 they are as good as any other.
        told = self.join(target=collection(point(181, 1), crs="EPSG:4326"), join=collection(box(178, 0, 182, 2), crs="EPSG:4326"), predicate="within",
                         output="o.gpkg")
        self.assertEqual(told["matched"], 1)

    def test_points_get_the_polygon_they_lie_in(self):
        told = self.join(target=collection(point(1, 1), point(3, 1), point(9, 9), point(2, 1)),
                         join=collection(box(0, 0, 2, 2), box(2, 0, 4, 2)), predicate="within", output="o.gpkg")
        rows = rows_of(self.path("o.gpkg"))
        self.assertEqual([(r["target_fid"], r["join_fid"], r["class"], r["class_join"]) for r in rows.values()],
                         [(1, 1, "a", "a"), (2, 2, "b", "b"), (3, None, "c", None), (4, None, "a", None)])
        self.assertEqual((told["matched"], told["unmatched"], told["multiplied"], told["unused"], told["feature_count"]), (2, 2, 0, 0, 4))
        self.assertEqual([m["id"] for m in told["unmatched_first"]], [3, 4])
        self.assertEqual(told["fields"], ["class_join"])
        self.assertIn("'class_join'", " ".join(told["warnings"]))

    def test_numbers_that_several_targets_take_from_one_feature_are_named(self):
        """Two of three towns lie in one land: sums over the towns count its people twice."""
        lands = collection(box(0, 0, 2, 2), box(2, 0, 4, 2))
        for land, people in zip(lands["features"], (100, 7)):
            land["properties"] = {"name": "land", "code": 3, "pop": people, "pct_urban": 0.5}
        towns = [point(1, 1), point(1.5, 1), point(3, 1)]
        said = "1 feature of the join layer matches several targets: the numbers ('pop') are in each row, and sums over the output count them repeatedly"
        for target, more, warned in ((towns, {}, True), (towns[1:], {}, False), (towns, {"fields": ["name", "code", "pct_urban"]}, False)):
            told = self.join(target=collection(*target), join=lands, predicate="within", output="o.gpkg", overwrite=True, **more)
            self.assertEqual(any(said in w for w in told.get("warnings", [])), warned, told.get("warnings"))

    def test_several_matches_are_rows_of_their_own_counted_and_named_or_refused(self):
        call = {"target": collection(point(2, 1), point(1, 1)), "join": collection(box(0, 0, 2, 2), box(2, 0, 4, 2)), "predicate": "intersects"}
        told = self.join(**call, output="o.gpkg")
        self.assertEqual((told["matched"], told["multiplied"], told["feature_count"]), (2, 1, 3))
        self.assertEqual(told["multiplied_first"], [{"id": 1, "matches": 2}])
        self.assertIn("1 feature of the target has several matches", " ".join(told["warnings"]))
        self.assertEqual([(r["target_fid"], r["join_fid"]) for r in rows_of(self.path("o.gpkg")).values()], [(1, 1), (1, 2), (2, 1)])
        p = self.refused(**call, cardinality="one")
        self.assertIn("1 (2)", p["message"])
        one = self.join(target=collection(point(1, 1)), join=call["join"], predicate="intersects", cardinality="one", output="one.gpkg")
        self.assertEqual(one["feature_count"], 1)
        self.assertNotIn("target_fid", rows_of(self.path("one.gpkg"))[1])

    def test_inner_keeps_matches_only(self):
        told = self.join(target=collection(point(1, 1), point(9, 9)), join=collection(box(0, 0, 2, 2)), predicate="within", how="inner", fields=[])
        self.assertEqual((told["feature_count"], told["unmatched"], told["fields"]), (1, 1, []))
        self.assertIn("not in the output", " ".join(told["warnings"]))

    def test_keys_are_typed_and_near_ones_named(self):
        table(self.path("target.csv"), 'country,code\n"Côte d\'Ivoire",001\nNorway,002\n,003\n')
        table(self.path("target.csvt"), "String,String\n")
        table(self.path("join.csv"), "name,n,pop\nIvory Coast,1,26\nNorway,2,5\nNorway,9,6\n,7,1\n")
        told = self.join(target="target.csv", join="join.csv", keys={"country": "name"}, output="o.csv")
        self.assertEqual((told["matched"], told["unmatched"], told["multiplied"], told["unused"]), (1, 2, 1, 2))
        first = told["unmatched_first"][0]
        self.assertEqual((first["key"], first["near"]), ("Côte d'Ivoire", ["Ivory Coast"]))
        p = self.refused(target="target.csv", join="join.csv", keys={"code": "n"})
        self.assertIn("'code' is String", p["message"])
        self.assertIn("'n' is Integer", p["message"])
        told = self.join(target="target.csv", join="join.csv", keys={"code": "n"}, compare="number")
        self.assertEqual((told["matched"], told["unmatched"]), (2, 1))
        self.assertEqual(self.join(target="target.csv", join="join.csv", keys={"code": "n"}, compare="text")["matched"], 0)
        self.assertIn("no field 'x'", self.refused(target="target.csv", join="join.csv", keys={"x": "n"})["message"])

    def test_dates_match_dates_of_their_own_type_only(self):
        """As numbers all dates of a year would be equal. What each refusal advises joins every flow with the rain of its day."""
        table(self.path("flow.csv"), "t,q,year\n2022-12-30 06:00:00,5,2022\n2022-12-31 06:00:00,6,2022\n2023-01-01 06:00:00,7,2023\n")
        table(self.path("rain.csv"), "day,mm\n2022-12-30,0\n2022-12-31,1\n2023-01-01,2\n")
        table(self.path("text.csv"), "day,mm\nx2022-12-30,0\nx2022-12-31,1\nx2023-01-01,2\n")
        good(self.session.call("vector_calc", {"uri": "text.csv", "fields": {"day": "substr(day, 2, 10)"}, "output": "text.gpkg"}))
        made = {"flow.csv": {"t_date": "date(t)"}, "text.gpkg": {"day_date": "date(day)"}}
        for i, (target, join, keys, advised) in enumerate((("flow.csv", "rain.csv", {"t": "day"}, ("flow.csv",)), ("text.gpkg", "rain.csv", {"day": "day"}, ("text.gpkg",)),
                                                           ("flow.csv", "text.gpkg", {"t": "day"}, ("flow.csv", "text.gpkg")))):
            for compare in ("typed", "number", "text"):
                p = self.refused(target=target, join=join, keys=keys, compare=compare)
                self.assertIn("only dates of one type can be equal", p["message"])
                self.assertEqual([t for t in made if json.dumps(made[t]) in p["hint"]], list(advised), p["hint"])
            for table_of in advised:
                good(self.session.call("vector_calc", {"uri": table_of, "fields": made[table_of], "output": f"{i}{table_of[:4]}.gpkg"}))
            of = lambda name: (f"{i}{name[:4]}.gpkg", next(iter(made[name]))) if name in advised else (name, "day")
            told = self.join(target=of(target)[0], join=of(join)[0], keys={of(target)[1]: of(join)[1]}, output=f"o{i}.gpkg")
            self.assertEqual((told["feature_count"], told["matched"]), (3, 3))
            self.assertEqual([r.get("mm_join", r["mm"]) for r in rows_of(self.path(f"o{i}.gpkg")).values()], [0, 1, 2])
        self.assertIn("leave 'compare' out", self.refused(target="rain.csv", join="rain.csv", keys={"day": "day"}, compare="number")["hint"])
        self.assertEqual(self.join(target="rain.csv", join="rain.csv", keys={"day": "day"}, output="s.gpkg")["feature_count"], 3)
        self.assertIn('{"day_year": "year(day)"}', self.refused(target="flow.csv", join="rain.csv", keys={"year": "day"}, compare="number")["hint"])

    def test_ids_of_18_digits_in_a_dbf_are_kept_and_rounded_ones_refused(self):
        """A DBF holds 19 digits, which GDAL reads as Real by default; by then …678 and …690 are one number."""
        ids = [123456789012345678, 123456789012345679, 123456789012345690]
        for name in ("pid.dbf", "real.gpkg"):
            file = ogr.GetDriverByName("ESRI Shapefile" if name.endswith("dbf") else "GPKG").CreateDataSource(self.path(name))
            layer = file.CreateLayer("pid", None, ogr.wkbNone)
            field = ogr.FieldDefn("PID", ogr.OFTReal)
            if name.endswith("dbf"):
                field.SetWidth(19)
            layer.CreateField(field)
            for i in ids:
                f = ogr.Feature(layer.GetLayerDefn())
                f["PID"] = i
                layer.CreateFeature(f)
            del f, layer, file
        with open(self.path("pid.dbf"), "r+b") as file:  # GDAL wrote them rounded
            data = file.read()
            begin = int.from_bytes(data[8:10], "little")
            file.seek(begin)
            file.write(b"".join(b" " + str(i).rjust(19).encode() for i in ids))
        table(self.path("names.csv"), "pid,name\n" + "".join(f"{i},{n}\n" for i, n in zip(ids, ("Ann", "Bob", "Eve"))))
        told = self.join(target="pid.dbf", join="names.csv", keys={"PID": "pid"}, output="o.gpkg")
        self.assertEqual([(r["PID"], r["name"]) for r in rows_of(self.path("o.gpkg")).values()], list(zip(ids, ("Ann", "Bob", "Eve"))))
        self.assertEqual(told["multiplied"], 0)
        p = self.refused(target="real.gpkg", join="names.csv", keys={"PID": "pid"})
        self.assertIn("a Real beyond 2^53: ids of that size are rounded in it, and different ones equal", p["message"])

    def test_unused_join_rows_are_named_and_a_total_row_is_left_out_by_vector_query(self):
        table(self.path("target.csv"), "code\n1\n")
        table(self.path("join.csv"), "code;income\nA1;5\nA2;6\nA3;7\nSumme;18\n")
        result = self.session.call("vector_join", {"target": "target.csv", "join": "join.csv", "keys": {"code": "code"}, "compare": "text", "output": "o.csv"})
        self.assertIn("4 unused of the join layer: keys 'A1', 'A2', 'A3', 'Summe'", " ".join(b.get("text", "") for b in result["content"]))
        total, = [w for w in good(result)["warnings"] if "'Summe'" in w and "last row" in w]
        self.assertIn("leave it out with vector_query and its 'where'", total)
        result = self.session.call("vector_join", {"target": collection(point(1, 1)), "join": collection(box(0, 0, 2, 2), box(5, 5, 6, 6)),
                                                   "predicate": "within", "output": "p.gpkg"})
        self.assertIn("1 unused of the join layer: ids 2", " ".join(b.get("text", "") for b in result["content"]))

    def test_near_keys_are_found_among_many_unmatched_targets_and_empty_columns_are_named(self):
        table(self.path("lands.csv"), "name\n" + "".join(f"land {i}\n" for i in range(500)) + "Côte d'Ivoire\n")
        table(self.path("rates.csv"), "country,y2020,y2021\nCote d'Ivoire,5,\nland 7,6,\n")
        told = self.join(target="lands.csv", join="rates.csv", keys={"name": "country"}, output="o.csv")
        self.assertEqual((told["unmatched_first"][0]["key"], told["unmatched_first"][0]["near"]), ("Côte d'Ivoire", ["Cote d'Ivoire"]))
        self.assertEqual(len(told["unmatched_first"]), 20)
        warned = " ".join(told["warnings"])
        self.assertIn("of 500 features without a match, 1 have keys like unused ones", warned)
        self.assertIn("'y2021' of the join layer has no value in any matched row", warned)
        self.assertNotIn("'y2020'", warned)

    def test_an_unused_key_that_is_another_target_is_not_near(self):
        table(self.path("counties.csv"), "name\nAshe\nCamden County\nPender County\nGates County\n")
        table(self.path("rates.csv"), "county,rate\nAshe,1\nPENDER-COUNTY,2\nGATES COUNTY,3\n")
        told = self.join(target="counties.csv", join="rates.csv", keys={"name": "county"}, output="o.csv")
        self.assertEqual([(r["key"], r.get("near")) for r in told["unmatched_first"]],
                         [("Pender County", ["PENDER-COUNTY"]), ("Gates County", ["GATES COUNTY"]), ("Camden County", None)])
        self.assertIn("of 3 features without a match, 2 have keys like unused ones", " ".join(told["warnings"]))

    def test_where_nothing_matches_keys_or_extents_of_both_are_named(self):
        table(self.path("a.csv"), "code\nFRA\nDEU\n")
        table(self.path("b.csv"), "code,v\n250,1\nx,2\n")
        told = self.join(target="a.csv", join="b.csv", keys={"code": "code"}, output="o.csv")
        self.assertIn("nothing matches: keys of the target are such as 'FRA', those of the join layer such as '250'", told["warnings"])
        told = self.join(target=collection(point(1, 1), point(3, 2)), join=collection(box(50, 50, 51, 51)), predicate="within", output="p.gpkg")
        self.assertIn("nothing matches: the target covers [1,1,3,2] in EPSG:4326, the join layer [50,50,51,51] in EPSG:4326", told["warnings"])

    def test_several_keys_match_together_and_nulls_never(self):
        table(self.path("a.csv"), "x,y\n1,1\n1,2\n,2\n")
        table(self.path("b.csv"), "x,y,v\n1,2,5\n,2,6\n")
        told = self.join(target="a.csv", join="b.csv", keys={"x": "x", "y": "y"}, fields=["v"])
        self.assertEqual((told["matched"], told["unmatched"]), (1, 2))

    def test_the_nearest_in_degrees_is_that_of_pyproj(self):
        chance = random.Random(2)
        place = lambda: (round(chance.uniform(-180, 180), 6), round(chance.uniform(-85, 85), 6))
        targets, others = [place() for _ in range(60)] + [(179.9, 10), (-179.9, -10), (0, 89)], [place() for _ in range(200)]
        self.join(target=collection(*(point(*p) for p in targets)), join=collection(*(point(*p) for p in others)), predicate="nearest", k=3, output="o.gpkg")
        rows = list(rows_of(self.path("o.gpkg")).values())
        self.assertEqual(len(rows), 3 * len(targets))
        for i, (x, y) in enumerate(targets):
            expected = sorted((WGS84.inv(x, y, *p)[2], k + 1) for k, p in enumerate(others))[:3]
            found = [(r["distance_m"], r["join_fid"]) for r in rows[3 * i:3 * i + 3]]
            self.assertEqual([fid for _, fid in found], [fid for _, fid in expected])
            for (d, _), (e, _) in zip(found, expected):
                self.assertAlmostEqual(d, e, delta=1e-6)

    def test_nearest_between_crss_is_in_metres_and_within_a_polygon_zero(self):
        to = Transformer.from_crs("OGC:CRS84", "EPSG:3857", always_xy=True)
        mercator = collection(polygon([list(to.transform(x, y)) for x, y in ((10, 60), (11, 60), (11, 61), (10, 61), (10, 60))]), crs="EPSG:3857")
        told = self.join(target=collection(point(10.5, 60.5), point(12, 60.5), point(10.5, 63)), join=mercator, predicate="nearest",
                         max_distance=100000, output="o.gpkg")
        rows = list(rows_of(self.path("o.gpkg")).values())
        self.assertEqual(rows[0]["distance_m"], 0)
        self.assertAlmostEqual(rows[1]["distance_m"], min(WGS84.inv(12, 60.5, 11, 60 + k / 1000)[2] for k in range(1001)), delta=0.1)
        self.assertIsNone(rows[2]["distance_m"])
        self.assertIn("transformed from EPSG:3857", told["method"])
        self.assertEqual(told["unmatched"], 1)

    def test_neighbours_that_are_far_from_every_target_are_named(self):
        """The same squares under the CRS of the south lie 10 000 km from the points."""
        def far(target, join, **more):
            told = self.join(target=target, join=join, predicate="nearest", output="far.gpkg", overwrite=True, **more)
            return [w for w in told["warnings"] if w.startswith("every match is ")]
        self.grid("right.gpkg", 3, 1000)
        self.grid("wrong.gpkg", 3, 1000, code=32733)
        points = collection(point(13.74, 45.16), point(13.75, 45.15))
        self.assertEqual(far(points, "right.gpkg"), [])
        for k in (1, 2):
            [warning] = far(points, "wrong.gpkg", k=k)
            self.assertRegex(warning, r"every match is 10000 km away or farther: the target covers .* in EPSG:4326, .*, the join layer .* in EPSG:32733, ")
        self.assertEqual(far(points, "wrong.gpkg", max_distance=1000), [])  # nothing matches, which is said
        # 70 km from points that lie 2 km from each other; but not where the neighbours lie around them, nor close by.
        [warning] = far(points, collection(point(14.6, 45.15)))
        self.assertIn("every match is 67 km away or farther", warning)
        self.assertEqual(far(points, collection(point(14.6, 45.15), point(12.8, 45.15), point(13.7, 46), point(13.7, 44))), [])
        self.assertEqual(far(points, collection(point(13.8, 45.15))), [])

    def test_lines_are_as_near_as_their_edges_and_ties_are_said(self):
        lines = collection({"type": "LineString", "coordinates": [[0, 0], [10, 0]]}, {"type": "LineString", "coordinates": [[0, 2], [10, 2]]})
        told = self.join(target=collection(point(5, 1), point(5, 0.5)), join=lines, predicate="nearest", output="o.gpkg")
        self.assertEqual(told["tied"], 0)
        rows = list(rows_of(self.path("o.gpkg")).values())
        self.assertAlmostEqual(rows[1]["distance_m"], WGS84.inv(5, 0.5, 5, 0)[2], delta=0.03)
        told = self.join(target=collection(point(5, 1)), join=collection(point(6, 1), point(4, 1)), predicate="nearest", output="t.gpkg")
        self.assertEqual(told["tied"], 1)
        self.assertEqual(rows_of(self.path("t.gpkg"))[1]["join_fid"], 1)
        self.assertIn("as near", " ".join(told["warnings"]))

    def test_the_largest_overlap_has_its_share(self):
        told = self.join(target=collection(box(1, 0, 5, 1)), join=collection(box(0, 0, 2, 2), box(2, 0, 6, 2), box(5, 0, 6, 1)),
                         predicate="largest_overlap", cardinality="one", output="o.gpkg")
        (row, ) = rows_of(self.path("o.gpkg")).values()
        self.assertEqual(row["join_fid"], 2)
        self.assertAlmostEqual(row["overlap_share"], 0.75, delta=1e-9)
        area = abs(WGS84.polygon_area_perimeter([x / 100 for x in range(200, 501)] + [x / 100 for x in range(500, 199, -1)], [0] * 301 + [1] * 301)[0])
        self.assertAlmostEqual(row["overlap_m2"] / area, 1, delta=1e-6)
        self.assertEqual((told["unused"], told["tied"]), (2, 0))

    def test_relations_are_those_of_spatialite(self):
        self.grid("a.gpkg", 12, 1000, seed=1)
        self.grid("b.gpkg", 9, 1300, seed=2, west=400300, south=5000300)
        both = gdal.OpenEx(self.path("a.gpkg"))
        names = {"intersects": "ST_Intersects", "within": "ST_Within", "contains": "ST_Contains"}
        vrt = self.path("both.vrt")
        table(vrt, "<OGRVRTDataSource>" + "".join(f'<OGRVRTLayer name="{n}"><SrcDataSource>{self.path(n + ".gpkg")}</SrcDataSource><SrcLayer>cells</SrcLayer></OGRVRTLayer>' for n in "ab") + "</OGRVRTDataSource>")
        both = gdal.OpenEx(vrt)
        for predicate, function in names.items():
            result = both.ExecuteSQL(f"SELECT a.cell AS ca, b.cell AS cb FROM a JOIN b ON {function}(a.geom, b.geom)", dialect="SQLITE")
            if result is None or not len(result):
                if predicate == "intersects":
                    self.skipTest("this GDAL has no SpatiaLite")
                expected = set()
            else:
                expected = {(f["ca"], f["cb"]) for f in result}
            both.ReleaseResultSet(result)
            self.join(target="a.gpkg", join="b.gpkg", predicate=predicate, how="inner", output=predicate + ".gpkg")
            self.assertEqual({(r["cell"], r["cell_join"]) for r in rows_of(self.path(predicate + ".gpkg")).values()}, expected, predicate)

    def test_keys_match_without_the_blanks_around_them(self):
        table(self.path("no2.csv"), "station; NO2\nWiltz; 12,5\n Station 1 ; 3,25\n")
        table(self.path("places.csv"), "id,name\n1,Station 1\n2,Wiltz\n")
        self.join(target="places.csv", join="no2.csv", keys={"name": "station"}, output="o.gpkg")
        self.assertEqual([r["NO2"] for r in rows_of(self.path("o.gpkg")).values()], [3.25, 12.5])

    def test_what_cannot_be_compared_is_refused(self):
        points, squares = collection(point(1, 1)), collection(box(0, 0, 2, 2))
        table(self.path("t.csv"), "a,b\n1,2\n")
        self.assertIn("neither", self.refused(target=points, join=squares)["message"])
        self.assertIn("both", self.refused(target=points, join=squares, predicate="within", keys={"class": "class"})["message"])
        self.assertIn("table", self.refused(target=points, join="t.csv", predicate="within")["message"])
        self.assertIn("nearest", self.refused(target=points, join=squares, predicate="within", k=2)["message"])
        self.assertIn("no polygon", self.refused(target=points, join=squares, predicate="largest_overlap")["message"])
        bare = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("bare.gpkg"))
        layer = bare.CreateLayer("bare", None, ogr.wkbPolygon)
        f = ogr.Feature(layer.GetLayerDefn())
        f.SetGeometry(ogr.CreateGeometryFromWkt("POLYGON ((0 0,1 0,1 1,0 0))"))
        layer.CreateFeature(f)
        del f, layer, bare
        p = self.refused(target=points, join="bare.gpkg", predicate="within")
        self.assertIn("no CRS", p["message"])
        self.assertIn("EPSG:4326", p["message"])
        told = self.join(target="bare.gpkg", join="bare.gpkg", predicate="intersects")
        self.assertIn("neither layer has a CRS", " ".join(told["warnings"]))
        self.assertIn("no CRS", self.refused(target="bare.gpkg", join="bare.gpkg", predicate="nearest")["message"])

    def test_invalid_and_empty_geometries_are_counted(self):
        told = self.join(target=collection(point(0.5, 1), None, point(1, 1.7)), join=collection(polygon(BOW_TIE)), predicate="within")
        self.assertEqual((told["invalid_count"], told["without_geometry"], told["matched"]), (1, 1, 1))
        self.assertIn("repaired", " ".join(told["warnings"]))

    def test_real_cities_lie_in_their_countries(self):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        for name in ("naturalearth_cities", "naturalearth_lowres"):
            for end in ("shp", "shx", "dbf", "prj", "cpg"):
                with open(os.path.join(DATA, "world", f"{name}.{end}"), "rb") as source, open(self.path(f"{name}.{end}"), "wb") as copy:
                    copy.write(source.read())
        told = self.join(target="naturalearth_cities.shp", join="naturalearth_lowres.shp", predicate="within", cardinality="one", output="o.gpkg")
        country = {r["name"]: r["name_join"] for r in rows_of(self.path("o.gpkg")).values()}
        self.assertEqual((country["Paris"], country["Tokyo"], country["Brasília"]), ("France", "Japan", "Brazil"))
        cities, lands = ogr.Open(self.path("naturalearth_cities.shp")), ogr.Open(self.path("naturalearth_lowres.shp"))
        shapes = [f.GetGeometryRef().Clone() for f in lands.GetLayer(0)]
        expected = sum(any(f.GetGeometryRef().Within(s) for s in shapes) for f in cities.GetLayer(0))
        self.assertEqual(told["matched"], expected)
        near = self.join(target="naturalearth_cities.shp", join="naturalearth_lowres.shp", predicate="nearest", max_distance=50000, output="n.gpkg")
        self.assertGreaterEqual(near["matched"], told["matched"])
        self.assertTrue(all(r["distance_m"] is None or r["distance_m"] <= 50000 for r in rows_of(self.path("n.gpkg")).values()))

    def test_the_distances_between_countries_are_those_of_dense_outlines(self):
        """Each outline as points 1.2 km apart at most; the nearest two of a pair are found in space."""
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        source = os.path.join(DATA, "world", "naturalearth_lowres.shp")
        names = ("Fiji", "New Zealand", "Iceland", "United Kingdom", "Ireland", "Norway", "Madagascar", "Antarctica", "Japan", "Cuba", "Portugal", "South Africa")
        shapes, trees = {}, {}
        to_space = Transformer.from_crs("EPSG:4979", "EPSG:4978", always_xy=True)
        lands = ogr.Open(source)
        for f in lands.GetLayer(0):
            if f["name"] in names:
                shapes[f["name"]] = f.GetGeometryRef().Clone()
        collected = []
        for name, shape in shapes.items():
            collected.append((name, shape.ExportToJson()))
            dense = shape.Boundary()
            dense.Segmentize(0.01)
            xy = numpy.array([p[:2] for i in range(max(1, dense.GetGeometryCount())) for p in (dense.GetGeometryRef(i) if dense.GetGeometryCount() else dense).GetPoints()])
            trees[name] = (xy, cKDTree(numpy.array(to_space.transform(xy[:, 0], xy[:, 1], numpy.zeros(len(xy)))).T))
        features = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": n}, "geometry": json.loads(g)} for n, g in collected]}
        with open(self.path("lands.geojson"), "w", encoding="utf-8") as file:
            json.dump(features, file)
        self.join(target="lands.geojson", join="lands.geojson", predicate="nearest", k=len(names), output="o.gpkg")
        rows = list(rows_of(self.path("o.gpkg")).values())
        self.assertEqual(len(rows), len(names) ** 2)
        for row in rows:
            a, b = row["name"], row["name_join"]
            if a >= b:
                continue
            (xy_a, tree_a), (xy_b, tree_b) = trees[a], trees[b]
            chords, nearest = tree_b.query(tree_a.data)
            i = int(chords.argmin())
            bound = WGS84.inv(*xy_a[i], *xy_b[nearest[i]])[2]
            if shapes[a].Intersects(shapes[b]):
                self.assertEqual(row["distance_m"], 0)
            else:
                self.assertLessEqual(row["distance_m"], bound + 0.1, (a, b))
                self.assertGreater(row["distance_m"], bound - 1200, (a, b))
        both = {(r["name"], r["name_join"]): r["distance_m"] for r in rows}
        for (a, b), d in both.items():
            self.assertAlmostEqual(d, both[b, a], delta=0.1)

    def test_the_operation_between_datums_is_that_of_the_common_area(self):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        world = collection(box(-179, -80, 179, 80))
        counties = os.path.join(DATA, "world", "nc_counties_nad27.gpkg")
        with Session(workspace=[self.workspace, os.path.dirname(counties) + ":ro"]) as there:
            told = [good(there.call("vector_join", {**sides, "predicate": "intersects", "output": f"o{i}.gpkg"}))
                    for i, sides in enumerate(({"target": counties, "join": world}, {"target": world, "join": counties}))]
        expected = TransformerGroup(4267, 4326, always_xy=True, area_of_interest=AreaOfInterest(-84.4, 33.8, -75.4, 36.6)).transformers[0].description
        name = next(part for part in expected.split(" + ") if "NAD27 to" in part)
        for one in told:
            self.assertIn(name, one["method"])


if __name__ == "__main__":
    session.main()
