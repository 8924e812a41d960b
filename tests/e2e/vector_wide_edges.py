"""Outlines whose edges jump from 170 to -170 degrees: taken as 340 degrees wide, and never without a word."""
import json

import numpy
from osgeo import gdal, ogr

import rasters
import session
from session import Claims, Session, good, run
from vector_measure import box, collection, polygon

JUMP = polygon([[170, -20], [-170, -20], [-170, -10], [170, -10], [170, -20]])
SPLIT = {"type": "MultiPolygon", "coordinates": [box(170, -20, 180, -10)["coordinates"], box(-180, -20, -170, -10)["coordinates"]]}
NAMED = ["340 degrees wide, through longitude 0", "180", "longitudes to 190"]
SUVA, PARIS_SOUTH = {"type": "Point", "coordinates": [178.4, -18.1]}, {"type": "Point", "coordinates": [2.3, -15]}


class vector_wide_edges(Claims):
    def setUp(self):
        super().setUp()
        for name, shape in {"jump": JUMP, "split": SPLIT}.items():
            with open(self.path(name + ".geojson"), "w") as f:
                json.dump(collection(shape), f)
        with open(self.path("towns.geojson"), "w") as f:
            json.dump(collection(SUVA, PARIS_SOUTH), f)
        rasters.write(self.path("world.tif"), [numpy.arange(36 * 18, dtype="int16").reshape(18, 36) % 2], gdal.GDT_Int16, epsg=4326, transform=(-180, 10, 0, 90, 0, -10))
        self.session = Session("--toolsets", "all", workspace=self.workspace)
        self.addCleanup(self.session.close)

    def warned(self, tool, **arguments):
        """The warnings of a call that name the wide outline, and its result."""
        told = good(run(self.session, tool, {**arguments, **({"output": "out." + self.ends(tool), "overwrite": True} if self.ends(tool) else {})}))
        return [w for w in told.get("warnings", []) if "degrees wide" in w], told

    @staticmethod
    def ends(tool):
        return {"raster_stats": "", "raster_query": "tif", "raster_rasterize": "tif", "aggregate_zonal": "csv", "aggregate_classes": "csv"}.get(tool, "gpkg")

    def claim(self, tool, argument, value, narrow, what, **arguments):
        with self.subTest(tool=tool, argument=argument):
            found, told = self.warned(tool, **{argument: value}, **arguments)
            self.assertEqual(len(found), 1, told.get("warnings"))
            for text in [what] + NAMED:
                self.assertIn(text, found[0])
            self.assertEqual(self.warned(tool, **{argument: narrow}, **arguments)[0], [])
            return told

    def test_vector_info_tells_of_the_jump(self):
        for name, told in (("jump", 1), ("split", 0)):
            hints = good(self.session.call("vector_info", {"uri": name + ".geojson"}))["layers"][0]["hints"]
            found = [h for h in hints if "degrees wide" in h]
            self.assertEqual(len(found), told, hints)
            for text in NAMED if told else ():
                self.assertIn(text, found[0])

    def test_a_geometry_given_inline_or_as_a_dataset(self):
        for wide, narrow, what in ((JUMP, SPLIT, "has an edge from longitude 170 to -170"), ("jump.geojson", "split.geojson", "1 of the features of '")):
            self.claim("raster_stats", "geometry", wide, narrow, what, uri="world.tif")
            self.claim("raster_query", "geometry", wide, narrow, what, uri="world.tif")
            told = self.claim("vector_query", "geometry", wide, narrow, what, uri="towns.geojson")
            self.assertEqual(told["feature_count"], 1)  # the town at 2.3 degrees, as the coordinates say
            self.claim("vector_clip", "mask", wide, narrow, what, uri="towns.geojson")
            self.claim("aggregate_classes", "geometry", wide, narrow, what, uri="world.tif")

    def test_the_way_out_that_is_named_leads_out(self):
        turned = polygon([[170, -20], [190, -20], [190, -10], [170, -10], [170, -20]])
        found, told = self.warned("vector_query", uri="towns.geojson", geometry=turned, geometry_crs="OGC:CRS84")
        self.assertEqual((found, told["feature_count"]), ([], 1))
        file = ogr.Open(self.path("out.gpkg"))
        town = file.GetLayer(0).GetNextFeature()
        self.assertEqual(town.GetGeometryRef().GetX(), SUVA["coordinates"][0])

    def test_layers(self):
        square = collection(box(-10, -30, 10, 0))
        for argument, other in (("a", "b"), ("b", "a")):
            self.claim("vector_overlay", argument, "jump.geojson", "split.geojson", f"1 of the features of '{argument}' has edges", operation="intersection",
                       **{other: square})
        for argument, other, what in (("target", "join", "of the target"), ("join", "target", "of the join layer")):
            self.claim("vector_join", argument, "jump.geojson", "split.geojson", what, predicate="intersects", **{other: square})
        self.claim("vector_clip", "uri", "jump.geojson", "split.geojson", "the first is", bounds=[-90, -15, 179, 15])
        self.claim("vector_dissolve", "uri", "jump.geojson", "split.geojson", "1 of the features has edges")
        self.claim("raster_rasterize", "uri", "jump.geojson", "split.geojson", "1 of the features has edges", align_to="world.tif")
        self.claim("aggregate_zonal", "zones", "jump.geojson", "split.geojson", "1 of the zones has edges", raster="world.tif", stats=["count"])

    def test_layers_that_are_reprojected(self):
        for uri, said in (("jump.geojson", ["1 of the features of 'jump' has edges of more than 180 degrees of longitude, the first is 1 (longitude 170 to -170): in dst_crs they run straight from end "
                                            "to end; if the narrow way is meant, split them at 180"]), ("split.geojson", [])):
            told = good(run(self.session, "vector_reproject", {"uri": uri, "dst_crs": "EPSG:3832", "output": "r.gpkg", "overwrite": True}))
            self.assertEqual([w for w in told["warnings"] if "180 degrees" in w], said)

    def test_a_map_in_metres_and_a_box_around_the_world_are_as_wide_as_they_say(self):
        world = polygon([[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]])
        self.assertEqual(self.warned("raster_stats", uri="world.tif", geometry=world)[0], [])
        self.assertEqual(self.warned("raster_stats", uri="world.tif", geometry=[-170, -20, 170, -10])[0], [])


if __name__ == "__main__":
    session.main()
