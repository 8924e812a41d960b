"""vector_clip against ogr2ogr -clipsrc and closed forms; and what it refuses."""
import json
import os
import subprocess
import unittest

from osgeo import gdal, ogr
from pyproj import Transformer

import session
from session import Claims, Session, good, problem, run
from vector_measure import BOW_TIE, box, collection, polygon, rows_of
from vector_traps import layer
from vector_validate import shapes_of

gdal.UseExceptions()
DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")


class vector_clip(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def clip(self, **arguments):
        return good(self.session.call("vector_clip", arguments))

    def counts(self, told):
        return tuple(told[n] for n in ("feature_count_before", "feature_count", "unchanged_count", "cut_count", "outside_count", "touching_count"))

    def test_inside_across_touching_and_outside(self):
        source = collection(box(1, 1, 2, 2), box(3, 1, 5, 2), box(4, 0, 6, 4), box(8, 8, 9, 9))
        told = self.clip(uri=source, bounds=[0, 0, 4, 4], output="in.gpkg")
        self.assertEqual(self.counts(told), (4, 2, 1, 1, 1, 1))
        found = shapes_of(self.path("in.gpkg"))
        self.assertEqual({i: g.GetArea() for i, g in found.items()}, {1: 1, 2: 1})
        self.assertEqual({i: r["class"] for i, r in rows_of(self.path("in.gpkg")).items()}, {1: "a", 2: "b"})

    def test_pieces_of_a_layer_of_several_parts_keep_its_type(self):
        whole = gdal.GetDriverByName("GPKG").Create(self.path("multi.gpkg"), 0, 0, 0, gdal.GDT_Unknown)
        layer = whole.CreateLayer("multi", None, ogr.wkbMultiPolygon)
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt("MULTIPOLYGON (((3 1,5 1,5 2,3 2,3 1)),((8 8,9 8,9 9,8 9,8 8)))"))
        layer.CreateFeature(feature)
        del feature, layer, whole
        told = self.clip(uri="multi.gpkg", bounds=[0, 0, 4, 4], output="cut.gpkg")
        self.assertFalse([w for w in told["warnings"] if "MULTIPOLYGON" in w], told["warnings"])
        self.assertEqual([g.ExportToWkt()[:15] for g in shapes_of(self.path("cut.gpkg")).values()], ["MULTIPOLYGON ((" ])

    def test_a_piece_of_a_set_of_curved_surfaces_is_one(self):
        layer("MULTISURFACE (CURVEPOLYGON (CIRCULARSTRING (0 0,1 1,2 0,1 -1,0 0)),((8 8,9 8,9 9,8 8)))", kind=ogr.wkbMultiSurface)(
            self.path("curved.gpkg"))
        told = self.clip(uri="curved.gpkg", bounds=[0, 0, 4, 4], output="half.gpkg")
        self.assertEqual(told["warnings"], ["1 feature had curves, which became straight segments"])
        piece = shapes_of(self.path("half.gpkg"))[1]
        self.assertEqual(piece.GetGeometryName(), "MULTISURFACE")
        self.assertAlmostEqual(piece.GetArea(), 3.14159265358979 / 2, delta=2e-4)

    def test_the_edges_of_a_mask_in_another_crs_are_met_within_a_millionth(self):
        here, there = Transformer.from_crs("EPSG:32617", "EPSG:4326", always_xy=True), Transformer.from_crs("EPSG:4326", "EPSG:32617", always_xy=True)
        west, south = 300000, 3900000
        side = 60000
        middle = here.transform(west + side / 2, south + side / 2)
        self.clip(uri=collection(box(middle[0] - 2, middle[1] - 2, middle[0] + 2, middle[1] + 2)), bounds=[west, south, west + side, south + side],
                  bounds_crs="EPSG:32617", output="part.gpkg")
        piece = shapes_of(self.path("part.gpkg"))[1]
        part = piece.GetGeometryRef(0)
        points = (part.GetGeometryRef(0) if part.GetGeometryCount() else part).GetPoints()
        self.assertGreater(len(points), 8)
        for (x, y, *_), (u, v, *_) in zip(points, points[1:]):
            east, north = there.transform((x + u) / 2, (y + v) / 2)
            self.assertLess(min(abs(east - west), abs(east - west - side), abs(north - south), abs(north - south - side)), 0.06)

    def test_pieces_of_a_layer_of_collections_are_collections(self):
        layer("GEOMETRYCOLLECTION (POLYGON ((0 0,9 0,9 1,0 1,0 0)),POINT (8 8))", kind=ogr.wkbGeometryCollection)(self.path("mixed.gpkg"))
        told = self.clip(uri="mixed.gpkg", bounds=[-1, -1, 4, 4], output="part.gpkg")
        self.assertNotIn("ogr2ogr", str(told["warnings"]))
        piece = shapes_of(self.path("part.gpkg"))[1]
        self.assertEqual((piece.GetGeometryName(), piece.GetArea()), ("GEOMETRYCOLLECTION", 4))

    def test_a_cut_arc_keeps_its_measures(self):
        """A semicircle of radius 500 whose m is 0 to 100 along it, cut in half."""
        layer("CIRCULARSTRING M (500000 5000000 0,500500 5000500 50,501000 5000000 100)", kind=ogr.GT_SetM(ogr.wkbCircularString))(self.path("arc.gpkg"))
        told = self.clip(uri="arc.gpkg", bounds=[500500, 4990000, 502000, 5010000], output="quarter.gpkg")
        self.assertEqual(told["warnings"], ["1 feature had curves, which became straight segments"])
        piece = shapes_of(self.path("quarter.gpkg"))[1]
        line = piece.GetGeometryRef(0)
        ends = sorted(line.GetM(i) for i in (0, line.GetPointCount() - 1))
        self.assertAlmostEqual(ends[0], 50, delta=0.01)
        self.assertAlmostEqual(ends[1], 100, delta=1e-9)

    def test_measures_of_a_ring_that_do_not_end_as_they_began_are_kept(self):
        layer("CURVEPOLYGON M (CIRCULARSTRING M (0 0 0,1 1 90,2 0 180,1 -1 270,0 0 360))", kind=ogr.wkbCurvePolygonM)(self.path("open.gpkg"))
        told = self.clip(uri="open.gpkg", bounds=[-1, -2, 1, 2], output="half.gpkg")
        piece = shapes_of(self.path("half.gpkg"))[1]
        self.assertTrue(piece.IsMeasured(), told["warnings"])
        ring = piece.GetGeometryRef(0).GetGeometryRef(0)
        top = max((ring.GetY(i), ring.GetM(i)) for i in range(ring.GetPointCount()))
        self.assertAlmostEqual(top[1], 90, delta=1)

    def test_places_with_two_longitudes_in_a_layer_are_found_by_both(self):
        """-179 to -177 and 175 to 185 in one layer: the second lies in the box up to 190 as well as in that up to -170."""
        west, east = "POLYGON ((-179 0,-177 0,-177 2,-179 2,-179 0))", "POLYGON ((175 0,185 0,185 5,175 5,175 0))"
        layer(west, east, epsg=4326)(self.path("turns.gpkg"))
        for bounds in ([170, -5, 190, 5], [170, -5, -170, 5], [-180, -5, 190, 5]):
            told = self.clip(uri="turns.gpkg", bounds=bounds, output="in.gpkg", overwrite=True)
            self.assertEqual(self.counts(told), (2, 2, 2, 0, 0, 0), bounds)
            measured = good(self.session.call("vector_measure", {"uri": "turns.gpkg", "geometry": bounds}))
            self.assertEqual(measured["area_m2"], good(self.session.call("vector_measure", {"uri": "turns.gpkg"}))["area_m2"])
        told = self.clip(uri="turns.gpkg", bounds=[181, -5, 190, 5], output="in.gpkg", overwrite=True)
        self.assertEqual(self.counts(told), (2, 2, 1, 1, 0, 0))
        self.assertEqual({g.GetEnvelope()[:2] for g in shapes_of(self.path("in.gpkg")).values()}, {(-179, -177), (181, 185)})
        found = good(self.session.call("vector_query", {"uri": "turns.gpkg", "geometry": [181, -5, 190, 5]}))
        self.assertEqual(found["feature_count"], 2)

    def test_surfaces_are_cut_as_polygons(self):
        layer("TRIANGLE ((0 0,10 0,0 10,0 0))", "TIN Z (((0 0 0,10 0 0,0 10 5,0 0 0)),((10 0 0,10 10 0,0 10 5,10 0 0)))")(self.path("s.gpkg"))
        told = self.clip(uri="s.gpkg", bounds=[-1, -1, 5, 20], output="c.gpkg")
        self.assertEqual(told["cut_count"], 2)
        self.assertEqual([round(g.GetArea(), 6) for g in shapes_of(self.path("c.gpkg")).values()], [37.5, 50])

    def test_m_values_that_a_repair_drops_are_said(self):
        layer("POLYGON M ((0 0 1,10 10 2,10 0 3,0 10 4,0 0 1))", "POLYGON M ((20 0 1,30 0 2,30 10 3,20 0 1))")(self.path("m.gpkg"))
        told = self.clip(uri="m.gpkg", bounds=[1, -1, 25, 20], output="c.gpkg")
        self.assertIn("the repair takes the m values (1 feature)", told["warnings"])
        self.assertEqual([g.IsMeasured() for g in shapes_of(self.path("c.gpkg")).values()], [0, 1])
        told = good(run(self.session, "vector_query", {"uri": "m.gpkg", "geometry": [1, -1, 25, 20], "clip": True, "output": "q.gpkg"}))
        self.assertIn("the repair takes the m values (1 feature)", told["warnings"])

    def test_measures_along_lines_are_kept_and_interpolated(self):
        layer("LINESTRING M (0 0 100,10 0 200)", "LINESTRING ZM (0 1 0 100,10 1 20 200)", "POINT ZM (5 2 7 8)")(self.path("m.gpkg"))
        for tool, box_, name in (("vector_clip", "bounds", "c.gpkg"), ("vector_query", "geometry", "q.gpkg")):
            good(run(self.session, tool, {"uri": "m.gpkg", box_: [4, -1, 6, 3], box_ + "_crs": "EPSG:32633", "output": name,
                                          **({"clip": True} if tool == "vector_query" else {})}))
            # A line that is cut may come as one of several parts.
            found = [g.ExportToIsoWkt().replace("MULTI", "").replace("((", "(").replace("))", ")") for g in shapes_of(self.path(name)).values()]
            self.assertEqual(found, ["LINESTRING M (4 0 140,6 0 160)", "LINESTRING ZM (4 1 8 140,6 1 12 160)", "POINT ZM (5 2 7 8)"])

    def test_a_bow_tie_with_heights_is_cut_into_a_multipolygon(self):
        layer("POLYGON Z ((0 0 1,10 10 2,10 0 3,0 10 4,0 0 1))")(self.path("tie.gpkg"))
        for tool, box_ in (("vector_clip", "bounds"), ("vector_query", "geometry")):
            good(run(self.session, tool, {"uri": "tie.gpkg", box_: [-1, -1, 9, 11], box_ + "_crs": "EPSG:32633", "output": tool + ".gpkg",
                                          **({"clip": True} if tool == "vector_query" else {})}))
            shape, = shapes_of(self.path(tool + ".gpkg")).values()
            self.assertEqual(ogr.GeometryTypeToName(shape.GetGeometryType()), "3D Multi Polygon")

    def test_parts_that_overlap_keep_what_they_share(self):
        layer("MULTIPOLYGON (((0 0,10 0,10 10,0 10,0 0)),((5 5,15 5,15 15,5 15,5 5)))")(self.path("two.gpkg"))
        for tool, box_ in (("vector_clip", "bounds"), ("vector_query", "geometry")):
            good(run(self.session, tool, {"uri": "two.gpkg", box_: [-1, -1, 10, 16], box_ + "_crs": "EPSG:32633", "output": tool + ".gpkg",
                                          **({"clip": True} if tool == "vector_query" else {})}))
            shape, = shapes_of(self.path(tool + ".gpkg")).values()
            self.assertEqual(shape.GetArea(), 100 + 25)  # 5 by 5 of the second lies beyond the first and within the box
        layer("POINT (7 7)")(self.path("shared.gpkg"))
        told = self.clip(uri="shared.gpkg", mask="two.gpkg", output="p.gpkg")
        self.assertEqual(told["feature_count"], 1)

    def test_numbers_of_the_whole_are_named_where_features_are_cut(self):
        features = [{"type": "Feature", "properties": {"name": "x", "geo_id": 7, "yr_built": 1990, "size": 0.5, "births": 1000, "share": 0.5}, "geometry": shape}
                    for shape in (box(0, 0, 2, 2), box(8, 8, 9, 9))]
        with open(self.path("tracts.geojson"), "w", encoding="utf-8") as f:
            json.dump({"type": "FeatureCollection", "features": features}, f)

        self.session.call("toolsets", {"action": "enable", "name": "vector-more"})

        def said(tool, **arguments):
            told = good(run(self.session, tool, {"uri": "tracts.geojson", **arguments}))
            return [w for w in told["warnings"] if "the whole" in w]
        self.assertEqual(said("vector_clip", bounds=[1, 1, 9, 9]), ["1 feature that was cut keeps the numbers of the whole ('births', 'size'): of totals and "
                                                                    "sizes among them, a piece has its share only"])
        self.assertEqual(said("vector_clip", bounds=[-1, -1, 9, 9]), [])
        self.assertEqual(said("vector_query", geometry=[1, 1, 9, 9], clip=True), said("vector_clip", bounds=[1, 1, 9, 9]))
        self.assertEqual(said("vector_query", geometry=[-1, -1, 9, 9], clip=True), [])
        limited = said("vector_query", geometry=[1, 1, 9, 9], clip=True, limit=1)  # of which the one kept need not be cut
        self.assertEqual([w.split(" (")[0] for w in limited], ["any feature that was cut keeps the numbers of the whole"])
        self.assertEqual(said("vector_derive", operation="explode"), [])
        told = good(self.session.call("vector_overlay", {"a": "tracts.geojson", "b": collection(box(1, 1, 9, 9)), "operation": "intersection"}))
        self.assertTrue(any(w.startswith("pieces keep the numbers of the whole ('births', 'size')") for w in told["warnings"]), told["warnings"])
        for away in ("difference", "union"):  # where nothing meets, nothing is cut
            told = good(self.session.call("vector_overlay", {"a": "tracts.geojson", "b": collection(box(20, 20, 30, 30)), "operation": away}))
            self.assertFalse(any("the whole" in w for w in told["warnings"]), told["warnings"])
        features[0]["geometry"] = {"type": "MultiPolygon", "coordinates": [box(0, 0, 1, 1)["coordinates"], box(3, 3, 4, 4)["coordinates"]]}
        with open(self.path("tracts.geojson"), "w", encoding="utf-8") as f:
            json.dump({"type": "FeatureCollection", "features": features}, f)
        self.assertEqual([w.split(" (")[0] for w in said("vector_derive", operation="explode")], ["the parts of 1 feature keep the numbers of the whole"])

    def test_a_box_around_most_of_the_earth_is_doubted(self):
        told = self.clip(uri=collection(box(-79, 35, -78.5, 36), box(10, 35, 11, 36)), bounds=[-78, 34, -80, 37])
        self.assertIn("minx > maxx: the box was taken to run from -78 east over the antimeridian to -80, 358 degrees wide; if it was not meant so, give "
                      "[-80,34,-78,37]", told["warnings"])
        told = self.clip(uri=collection(box(179, 35, 179.5, 36)), bounds=[178, 34, -178, 37])
        self.assertFalse([w for w in told["warnings"] if "minx" in w])

    def test_features_inside_keep_every_coordinate(self):
        odd = [[0.1 + 0.2, 1 / 3], [1.1, 1e-9], [0.7, 0.9999999999999999]]
        told = self.clip(uri=collection(polygon(odd + odd[:1]), {"type": "Point", "coordinates": odd[0]}), bounds=[-1, -1, 2, 2], output="same.gpkg")
        self.assertEqual(told["unchanged_count"], 2)
        found = shapes_of(self.path("same.gpkg"))
        ring = found[1].GetGeometryRef(0) if found[1].GetGeometryName() == "POLYGON" else found[1].GetGeometryRef(0).GetGeometryRef(0)
        self.assertEqual([list(p[:2]) for p in ring.GetPoints()][:3], odd)

    def test_points_and_lines(self):
        source = collection({"type": "MultiPoint", "coordinates": [[1, 1], [9, 9]]}, {"type": "LineString", "coordinates": [[-1, 1], [5, 1]]},
                            {"type": "LineString", "coordinates": [[4, 4], [8, 8]]}, {"type": "Point", "coordinates": [4, 2]})
        told = self.clip(uri=source, mask=box(0, 0, 4, 4), output="in.gpkg")
        self.assertEqual(self.counts(told), (4, 3, 1, 2, 0, 1), told)
        found = shapes_of(self.path("in.gpkg"))
        self.assertAlmostEqual(found[2].Length(), 4)
        self.assertEqual(found[1].GetPoint(0)[:2], (1, 1))

    def test_what_only_touches_is_dropped_and_counted(self):
        both = {"type": "MultiPolygon", "coordinates": [box(1, 1, 9, 2)["coordinates"], box(4, 3, 5, 4)["coordinates"]]}
        told = self.clip(uri=collection(both), bounds=[0, 0, 4, 4], output="in.gpkg")
        self.assertEqual((told["cut_count"], told["leftover_count"]), (1, 1))
        self.assertEqual(shapes_of(self.path("in.gpkg"))[1].GetGeometryName().replace("MULTI", ""), "POLYGON")

    def test_a_mask_in_another_crs_has_its_straight_edges(self):
        """A box of degrees on a map of metres: its parallels are curves there, up to 4 km from the chord. Seen from a grid of points."""
        to = Transformer.from_crs("OGC:CRS84", "EPSG:3035", always_xy=True)
        spots = [(lon, lat) for lon in range(0, 31) for lat in (49.99, 50.01, 54.99, 55.01)]
        points = collection(*({"type": "Point", "coordinates": list(to.transform(*p))} for p in spots), crs="EPSG:3035")
        told = self.clip(uri=points, bounds=[4.5, 50, 25.5, 55], bounds_crs="OGC:CRS84", output="in.gpkg")
        self.assertEqual(set(shapes_of(self.path("in.gpkg"))), {i + 1 for i, (lon, lat) in enumerate(spots) if 4.5 < lon < 25.5 and 50 < lat < 55})
        self.assertEqual(told["geometry_crs"], "OGC:CRS84")

    def test_an_invalid_feature_at_the_edge_is_named_and_cut_repaired(self):
        told = self.clip(uri=collection(polygon(BOW_TIE), box(0, 0, 0.5, 0.5)), bounds=[-1, -1, 1, 3], output="in.gpkg")
        self.assertEqual((told["invalid_count"], told["invalid"][0]["id"]), (1, 1))
        self.assertIn("1 1", told["invalid"][0]["reason"])
        self.assertAlmostEqual(shapes_of(self.path("in.gpkg"))[1].GetArea(), 1)
        self.assertEqual(self.clip(uri=collection(polygon(BOW_TIE)), bounds=[-1, -1, 3, 3])["unchanged_count"], 1)

    def test_a_dataset_as_mask(self):
        with open(self.path("mask.geojson"), "w", encoding="utf-8") as file:
            json.dump(collection(box(0, 0, 1, 4), box(1, 0, 2, 4)), file)
        told = self.clip(uri=collection({"type": "LineString", "coordinates": [[-5, 1], [5, 1]]}), mask="mask.geojson", output="in.gpkg")
        self.assertAlmostEqual(shapes_of(self.path("in.gpkg"))[1].Length(), 2)
        self.assertEqual(told["geometry_used"]["features"], 2)

    def test_refusals_name_the_argument(self):
        def refusal(**arguments):
            return problem(self.session.call("vector_clip", {"uri": collection(box(0, 0, 1, 1)), "output": "no.gpkg", **arguments}))

        p = refusal(bounds=[10, 20, 11, 21])
        for text in ("'bounds'", "[10,20,11,21]", "[0,0,1,1]", "do not meet"):
            self.assertIn(text, p["message"])
        self.assertIn("or its CRS with 'bounds_crs'", refusal(bounds=[565000, 5935000, 565100, 5935100])["hint"])
        self.assertIn("neither", refusal()["message"])
        self.assertIn("both", refusal(bounds=[0, 0, 1, 1], mask=box(0, 0, 1, 1))["message"])
        self.assertIn("'mask' has no area", refusal(mask={"type": "Point", "coordinates": [0, 0]})["message"])
        self.assertIn("'mask' is not valid", refusal(mask=polygon(BOW_TIE))["message"])
        self.assertIn("'bounds' [1,0,0,1]", problem(self.session.call("vector_clip", {"uri": collection(box(0, 8e6, 1, 8e6 + 1), crs="EPSG:3857"), "bounds": [1, 0, 0, 1], "bounds_crs": "EPSG:3857"}))["message"])
        self.assertEqual(self.files(), set())

    def test_real_counties_agree_with_ogr2ogr(self):
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        subprocess.run(["cp", os.path.join(DATA, "world", "nc_counties_nad27.gpkg"), self.path("nc.gpkg")], check=True)
        area = [-81, 35, -78.5, 36.2]
        told = self.clip(uri="nc.gpkg", bounds=area, output="ours.gpkg")
        subprocess.run(["ogr2ogr", "-clipsrc", *map(str, area), self.path("theirs.gpkg"), self.path("nc.gpkg")], check=True)
        key = next(iter(rows_of(self.path("nc.gpkg")).values())).keys()
        name = next(k for k in key if k.upper() in ("NAME", "FIPS"))
        files = [ogr.Open(self.path(n)) for n in ("ours.gpkg", "theirs.gpkg")]
        ours, theirs = ({f[name]: f.GetGeometryRef().GetArea() for f in file.GetLayer(0) if f.GetGeometryRef().GetArea() > 0} for file in files)
        self.assertEqual(ours.keys(), theirs.keys())
        for k, v in theirs.items():
            self.assertAlmostEqual(ours[k], v, delta=1e-12)
        self.assertEqual(told["cut_count"] + told["unchanged_count"], len(theirs))


if __name__ == "__main__":
    session.main()
